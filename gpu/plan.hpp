// What a GEMM kernel does with its data, as a value: tile, stages, atoms, and the maps from global to shared memory, to
// registers and back; and the laws that every plan obeys (spec/plans.md). A kernel takes its addresses from these maps and from
// nowhere else. No CUDA: host compilers check plans for chips that are not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra.hpp"
#include "gpu/element.hpp"
#include "gpu/tiled_copy.hpp"

namespace colex::gpu {

// Which mode of an operand has stride 1 in memory: K, M or N, or whichever (a kernel that reads element by element).
enum class major : std::uint8_t { k, mn, any };
// What multiplies: one thread, one thread four bytes at a time, a warp, four warps, one thread for an SM or a pair of them.
enum class family : std::uint8_t { simt, dot, warp, warpgroup, umma };

struct plan {
  int architecture = 0, until = 999;  // the first and the last compute capability that run it: 90 is 9.0
  family kind = family::simt;
  element a = element::f32, b = element::f32, accumulator = element::f32;
  major major_a = major::any, major_b = major::any;
  int block = 0;                   // elements of K that share a scale factor, 0: none do
  element scale = element::ue8m0;  // the factor's type
  bool promotes = false;  // adds the tensor cores' sums to f32 registers every 128 bytes of K

  int64 tile_m = 0, tile_n = 0, tile_k = 0;  // what a block, or an SM of a pair, computes
  int stages = 1, cluster_m = 1, cluster_n = 1;
  int threads = 0;        // of a block
  int registers = 255;    // of a thread that multiplies, at most
  int copy_alignment = 16;  // bytes that a copy from global memory moves at once and is aligned to

  tiled_mma mma = {};                        // who multiplies what of the tile; layouts of threads and values to it
  composed smem_a = {}, smem_b = {};         // (row, k) of a stage to an element in shared memory
  layout copy_a = {}, copy_b = {};           // (thread, (vector, step)) to (row, k); one thread: the copy engine's box
  composed smem_d = {};                      // (m, n) of the tile, or of a share of it, on its way out; no leaves: not so
};

constexpr int64 bytes(element e, int64 count) { return count * bits_of(e) / 8; }

}  // namespace colex::gpu
