// What a kernel of warpgroups is given, and what both sides of a launch make of a plan. No kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/tma.cuh"
#include "gpu/plans/warpgroup.hpp"

namespace colex::gpu::warpgroup {

// How a block loads its share of an operand's tile for its cluster.
struct operand_loads {
  bool along_k;
  int share;    // rows of the tile, and
  int depth;    // of its K
  int box;      // rows that one TMA load brings: along K the share, else 128 bytes of the contiguous mode
  int granule;  // rows that a box may have: along K a swizzle's, else 16 bytes of the contiguous mode

  // Rows inside the operand, in whole granules: only these are loaded, since TMA fills what lies outside at 12 cycles a row
  // (tests/bench/NOTES.md). What the rest of a stage holds comes into no result that is stored.
  constexpr int rows_to_load(int64 rows) const { return static_cast<int>(ceil_div(rows, granule) * granule); }
  // Has the last box fewer rows than others, so that it has a map of its own?
  COLEX_HD constexpr bool has_edge_map(int rows) const { return rows > box && rows % box != 0; }
};
constexpr operand_loads loads_of(plan const& p, bool is_a) {
  bool const along_k = (is_a ? p.major_a : p.major_b) == major::k;
  int const rows = static_cast<int>(is_a ? p.tile_m : p.tile_n), k = static_cast<int>(p.tile_k),
            peers = is_a ? p.cluster_n : p.cluster_m;
  if (along_k) return {true, rows / peers, k, rows / peers, 8};
  bool const by_rows = shares_rows(p, rows, peers);
  return {false, by_rows ? rows / peers : rows, by_rows ? k : k / peers, static_cast<int>(row_elements(p.a)),
          128 / bits_of(p.a)};
}

// How the epilogue stores D: by TMA, rows or columns of 16-bit or 32-bit elements, each warp its own or, of columns of 16 bits,
// a warpgroup's together; or by threads, where each mode has one stride, or through offsets of any layout; or the sums'
// residues, where they lie in registers.
enum class epilogue_store : int {
  rows_16_bit,
  rows_32_bit,
  columns_16_bit,
  columns_32_bit,
  group_columns,
  strides,
  offsets,
  residues
};
COLEX_HD constexpr bool by_tma(epilogue_store kind) { return kind < epilogue_store::strides; }
COLEX_HD constexpr bool by_columns(epilogue_store kind) {
  return epilogue_store::columns_16_bit <= kind && kind <= epilogue_store::group_columns;
}

struct arguments {
  CUtensorMap a = {}, b = {}, d = {};
  // All blocks read these first; side by side they take one line of the constant cache, of 64 bytes.
  tile_order clusters;  // of tiles
  int rows_a, rows_b;   // that are loaded of A and of B
  int blocks_k;         // stages of a tile
  int split_k;          // splits of K: of a cluster's blocks, which then have one tile each, or batches of D
  int blocks_k_of_split;
  bool stores_splits;         // they are batches of D
  bool batched_a, batched_b;  // false: all batches have the same operand
  bool has_edge;              // does some tile lie partly outside A or B?
  epilogue_store epilogue;
  element result;     // D's
  element operands;   // A's
  float alpha, beta;  // of what TMA stores
  gpu::problem problem;
  // Of A and B, where the last rows that are loaded are no whole box.
  CUtensorMap edge_a = {}, edge_b = {};

  // Do the blocks of a cluster multiply the splits of a tile?
  COLEX_HD bool splits_in_cluster() const { return split_k > 1 && !stores_splits; }
};

}  // namespace colex::gpu::warpgroup
