// What the warpgroups of a block share: a plan in bytes, the arguments of a launch, which tile is a cluster's, rings of stages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/tma.cuh"
#include "gpu/plans/warpgroup.hpp"

#include <algorithm>
#include <type_traits>

namespace colex::gpu::warpgroup {

// ---- what a plan comes to, in bytes ----

template <class Plan>
struct shape_of {
  static constexpr plan P = Plan::value;
  static constexpr int element_bytes = bits_of(P.a) / 8;
  static constexpr int m = P.tile_m, n = P.tile_n, k = P.tile_k;
  static constexpr int multipliers = P.threads / 128 - 1, sharers = multipliers / P.turns;  // of one tile
  static constexpr int rows = m / sharers, atoms = rows / 64;                               // of a sharer
  static constexpr int atom_k = 32 / element_bytes;
  static constexpr int bytes_a = m * k * element_bytes, bytes_b = n * k * element_bytes;
  // A buffer of results; columns of sums, or of halves, that it holds.
  static constexpr int bytes_d = out_bytes(P), columns = size(P.smem_sums.inner, 1), halves = size(P.smem_d.inner, 1);
  static constexpr int at_b = P.stages * bytes_a, at_d = at_b + P.stages * bytes_b;
  static constexpr int at_barriers = at_d + multipliers * 4 * P.buffers * bytes_d;
  static constexpr int at_turns = at_barriers + 16 * P.stages;
  static constexpr int total = P.shared;  // the base is moved up to a multiple of 1024
  static constexpr int blocks = P.cluster_m * P.cluster_n;
  // A stage is free once every block that reads what this one brings has said so.
  static constexpr int readers = P.cluster_m + P.cluster_n - 1;
  // Where warps read by themselves, each of a warpgroup's says so.
  static constexpr int speakers = through_registers(P) ? 4 : 1;
  using sum = std::conditional_t<P.accumulator == element::s32, std::int32_t, float>;
};

// A layout that the compiler knows, at an index below its size.
template <layout A>
__device__ constexpr int at(int i) {
  return A.unchecked(i);
}
template <composed A>
__device__ constexpr int at(int i) {
  return A.sw.unchecked(A.inner.unchecked(i));
}

// By the copy engine, rows of 16 or 32 bits or columns of 32; or by threads, with one stride for each mode, or however D lies.
enum class way_out : int { halves, words, columns, strides, offsets };
COLEX_HD constexpr bool by_engine(way_out way) { return way < way_out::strides; }

struct arguments {
  CUtensorMap a, b, d;
  // What every launch reads at once, side by side: constants come in lines of 64 bytes, each as late as memory.
  tile_order clusters;        // of tiles
  int blocks_k;               // stages of a tile
  bool batched_a, batched_b;  // or each batch's the same
  way_out way;                // that D takes
  element result;             // D's
  float alpha, beta;          // for the engine
  problem what;
};

// ---- tiles ----

struct tile {
  int m, n, batch;  // the first row and column
};
// The c-th cluster's, of the block of that rank in it: blocks are numbered down its columns.
template <class S>
__device__ tile tile_of(arguments const& g, std::uint32_t c, int rank) {
  tile_index const first = g.clusters(c);
  return {static_cast<int>(first.m * S::P.cluster_m + rank % S::P.cluster_m) * S::m,
          static_cast<int>(first.n * S::P.cluster_n + rank / S::P.cluster_m) * S::n, static_cast<int>(first.batch)};
}

// A ring of stages, gone through in order; the parity of a stage's barrier changes each time round.
template <int Stages>
struct ring {
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ void next() {
    if (++stage == Stages) stage = 0, parity ^= 1;
  }
  __device__ void skip(int steps) {
    int const to = stage + steps;
    stage = to % Stages, parity ^= to / Stages & 1;
  }
};

}  // namespace colex::gpu::warpgroup
