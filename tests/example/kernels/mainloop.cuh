// The mainloop of sgemm_2 and of the convolution: 256 threads multiply 128 rows of A with 128 of B, whose rows are contiguous
// in k by fours, however they are addressed. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shares.hpp"

namespace mainloop {

using namespace colex::gpu;

constexpr int tile = 128, step = 16, vector = 4, warps = 8;
constexpr layout stored = make_layout_left({tile, step});  // in shared memory the rows of one k are contiguous

// A thread's place (m, n) of 16x16: a warp's lanes are 4x8, warps follow each other along M.
struct place {
  static constexpr layout value = select(flatten(logical_divide(make_identity_layout({16, 16}), tiler{_, 8})), 1, 0, 2);
};
// A warp copies vectors along k of 8 rows at once, element by element into shared memory, and reads vectors of rows.
constexpr tiler copied_at_once{8, step / vector};
constexpr layout written = warp_shares(make_layout({tile, step / vector}, {1, tile * vector}), copied_at_once);
constexpr layout read(int mode) {
  return composition(make_layout(16, vector), along(composition(place::value, tiler(32)), mode));
}
constexpr warp_access accesses[] = {{get(written, 0), {32, 0}}, {read(0), {128, 0}}, {read(1), {128, 0}}};
constexpr swizzle free_of_conflicts = swizzle_for(stored, 32, accesses, 3);

// (lane, unit) to the coordinate (row, k) of a vector, and to its first element in shared memory.
struct in_matrix {
  static constexpr layout value =
      warp_shares(composition(make_identity_layout({tile, step}), {tile, make_layout(step / vector, vector)}), copied_at_once);
};
struct into_shared {
  static constexpr composed value = composition(free_of_conflicts, 0, written);
};
// (thread of 16, vector of k) to a vector of rows in shared memory, behind the swizzle; and (half of the tile, k) from there
// on, which it leaves alone.
struct out_of_shared {
  static constexpr composed value =
      upcast(composition(free_of_conflicts, 0, make_layout({16, step / vector}, {vector, tile * vector})), vector);
};
struct from_there {
  static constexpr layout value = upcast(make_layout({2, vector}, {tile / 2, tile}), vector);
};
// The same as a coordinate of C: ((thread, (row, half)), (thread, (column, half))).
constexpr layout rows_of_thread = make_layout({16, {4, 2}}, {4, {1, 64}});
struct in_c {
  static constexpr layout value = composition(make_identity_layout({tile, tile}), {rows_of_thread, rows_of_thread});
};
struct column {
  static constexpr layout value = make_layout_left({8, 1});
};
struct registers {
  static constexpr layout value = make_layout_left({8, 8});
};

// One operand of the tile: the vectors of its next step along k, on their way from memory through registers to a stage.
template <class Matrix>
struct operand_loader {
  Matrix const& matrix;  // (row, k)
  int first_row, lane, warp;
  float4 held[2];

  __device__ void load(int k) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      int const row = coordinate<in_matrix, 0>(lane, warp + warps * i),
                column = coordinate<in_matrix, 1>(lane, warp + warps * i);
      held[i] = reinterpret_cast<float4 const&>(matrix(first_row + row, k + column));
    }
  }
  __device__ void store(float* stage) const {
    tensor const vectors = make_tensor<into_shared>(stage);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      float* const to = &vectors(lane, warp + warps * i);
      to[0] = held[i].x;
      to[tile] = held[i].y;
      to[2 * tile] = held[i].z;
      to[3 * tile] = held[i].w;
    }
  }
};

__device__ inline void multiply_stage(float const* a, float const* b, int m, int n, float* sums) {
  tensor const vectors_a = make_tensor<out_of_shared>(reinterpret_cast<float4 const*>(a));
  tensor const vectors_b = make_tensor<out_of_shared>(reinterpret_cast<float4 const*>(b));
#pragma unroll
  for (int k = 0; k < step; ++k) {
    tensor const rows_a = make_tensor<from_there>(&vectors_a(m, k / vector));
    tensor const rows_b = make_tensor<from_there>(&vectors_b(n, k / vector));
    float4 const of_a[] = {rows_a(0, k % vector), rows_a(1, k % vector)},
                 of_b[] = {rows_b(0, k % vector), rows_b(1, k % vector)};
    gemm(make_tensor<column>(&of_a[0].x), make_tensor<column>(&of_b[0].x), make_tensor<registers>(sums));
  }
}

// sums = A(m0 + i, k) B(n0 + j, k) for this thread's i and j.
template <class A, class B>
__device__ void multiply_tile(A const& a, int m0, B const& b, int n0, int extent_k, float (&sums)[64]) {
  __shared__ __align__(16) float stages[2][2][tile * step];
  int const thread = threadIdx.x % (32 * warps), lane = thread % 32, warp = thread / 32;
  int const m = coordinate<place, 0>(thread), n = coordinate<place, 1>(thread);
  operand_loader<A> next_a{a, m0, lane, warp};
  operand_loader<B> next_b{b, n0, lane, warp};
  fill(make_tensor<registers>(sums), 0.f);
  auto const store = [&](int stage) {
    next_a.store(stages[stage][0]);
    next_b.store(stages[stage][1]);
    __syncthreads();
  };
  next_a.load(0);
  next_b.load(0);
  store(0);
  int stage = 0;
  for (int k = step; k < extent_k; k += step, stage ^= 1) {
    next_a.load(k);
    next_b.load(k);
    multiply_stage(stages[stage][0], stages[stage][1], m, n, sums);
    store(stage ^ 1);
  }
  multiply_stage(stages[stage][0], stages[stage][1], m, n, sums);
}

// This thread's share of a tile of C, in the order of its sums.
template <class C>
__device__ auto share_of_tile(C* corner, int stride_m, int stride_n) {
  constexpr int_tuple of_both{{0, _}, {0, _}};
  return slice<of_both>(make_tensor<in_c>(corner, stride_m, stride_n), coordinate<place, 0>(threadIdx.x),
                        coordinate<place, 1>(threadIdx.x));
}

}  // namespace mainloop
