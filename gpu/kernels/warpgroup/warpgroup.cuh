// What producer and consumer warpgroups share: the plan's constants, and the tile of a block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/layout_at.cuh"
#include "gpu/kernels/common/pipeline_state.hpp"
#include "gpu/kernels/warpgroup/arguments.hpp"

#include <type_traits>

namespace colex::gpu::warpgroup {

// The constants of a plan.
template <class Plan>
struct shape_of {
  static constexpr plan P = Plan::value;
  static constexpr int element_bytes = bits_of(P.a) / 8;
  static constexpr int m = P.tile_m, n = P.tile_n, k = P.tile_k;
  static_assert(k * element_bytes == 128);  // a row of a stage, or a box's
  static constexpr int consumers = P.threads / 128 - 1, cooperative_warpgroups = consumers / P.warpgroup.pingpong_groups;
  static constexpr int rows = m / cooperative_warpgroups, atoms = rows / 64;  // of a consumer warpgroup
  static constexpr int atom_k = 32 / element_bytes;
  static constexpr int bytes_a = m * k * element_bytes, bytes_b = n * k * element_bytes;
  // A warp's ring of staged pieces; the columns of a staged piece of 16-bit and of 32-bit results, of the latter where columns
  // are contiguous, and of sums that threads store.
  static constexpr int bytes_d = P.warpgroup.epilogue_bytes, halves = size(P.smem_d.inner, 1),
                       words = size(P.warpgroup.smem_words.inner, 1), word_columns = size(P.warpgroup.smem_columns.inner, 1),
                       columns = size(P.warpgroup.smem_sums.inner, 1);
  // The pieces of sums of a warp's 16 rows, eight rows each, and the columns of the i-th one.
  static constexpr int sum_pieces = 2 * ceil_div(n, columns);
  __device__ static constexpr int columns_of(int i) { return n - i / 2 * columns < columns ? n - i / 2 * columns : columns; }
  static constexpr int at_b = P.stages * bytes_a, at_d = at_b + P.stages * bytes_b;
  static constexpr int at_barriers = at_d + consumers * 4 * bytes_d;
  static constexpr int at_order_barriers = at_barriers + 16 * P.stages;
  static constexpr int at_transposed = at_order_barriers + 8 * P.warpgroup.pingpong_groups;
  // Where B is transposed, the warps that do so: all of the producer's warpgroup but the one that produces, if there is a
  // square for each.
  static constexpr int squares = n / square_extent, transposing_warps = squares < 3 ? squares : 3;
  static constexpr int total = P.shared;  // the base is aligned to 1024
  static constexpr int blocks = P.cluster_m * P.cluster_n;
  // Blocks of the cluster that read what this one loads: all must release a stage before it is filled again.
  static constexpr int readers = P.cluster_m + P.cluster_n - 1;
  // Arrivals of a consumer warpgroup that releases a stage: one for each warp where warps load A to registers.
  static constexpr int releasing_warps = a_from_registers(P) ? 4 : 1;
  using sum = std::conditional_t<P.accumulator == element::s32, std::int32_t, float>;
};

// A block's place in its cluster. The blocks of one split of K share operands, ranks count down their columns; a rank's splits
// are of one tile.
template <class S>
struct place {
  int rank, split;

  __device__ explicit place(int block)
      : rank(S::blocks == 1 ? 0 : block % S::blocks), split(reduces_split_k(S::P) ? block / S::blocks : 0) {}
  __device__ int line() const { return rank % S::P.cluster_m; }
  __device__ int column() const { return rank / S::P.cluster_m; }
  // The block of the cluster that has this rank in a split.
  __device__ static int block(int rank, int split) { return split * S::blocks + rank; }
};

struct tile {
  int m, n, batch;  // the first row and column
};
// The stages of a block's tile: all, those of its split, or of the split that is the tile's batch. The last split may have
// fewer.
template <class S>
__device__ int first_block_k(arguments const& g, place<S> here, int batch) {
  return (g.stores_splits ? batch : here.split) * g.blocks_k_of_split;
}
template <class S>
__device__ int blocks_k_of(arguments const& g, place<S> here, int batch) {
  return min(g.blocks_k_of_split, g.blocks_k - first_block_k(g, here, batch));
}
// This block's tile in the c-th cluster of tiles.
template <class S>
__device__ tile tile_of(arguments const& g, std::uint32_t c, place<S> here) {
  tile_index const first = g.clusters(c);
  if constexpr (S::blocks == 1)
    return {static_cast<int>(first.m) * S::m, static_cast<int>(first.n) * S::n, static_cast<int>(first.batch)};
  return {static_cast<int>(first.m * S::P.cluster_m + here.line()) * S::m,
          static_cast<int>(first.n * S::P.cluster_n + here.column()) * S::n, static_cast<int>(first.batch)};
}
// The stages of this block's tile in the c-th cluster of tiles. Only splits that are batches differ.
template <class S>
__device__ int blocks_k_in(arguments const& g, place<S> here, std::uint32_t c) {
  return blocks_k_of(g, here, g.stores_splits ? tile_of<S>(g, c, here).batch : 0);
}

}  // namespace colex::gpu::warpgroup
