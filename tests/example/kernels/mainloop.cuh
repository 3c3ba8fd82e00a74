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

// (lane, unit, block, step) to the vectors of a matrix (row, k), cut into blocks of rows and steps along k.
constexpr layout shares_of(layout const& matrix) {
  layout const cut = logical_divide(matrix, {tile, step});
  layout const vectors =
      composition(make_layout(get(get(cut, 0), 0), get(get(cut, 1), 0)), {tile, make_layout(step / vector, vector)});
  layout const shares = warp_shares(vectors, copied_at_once);
  return make_layout(get(shares, 0), get(shares, 1), get(get(cut, 0), 1), get(get(cut, 1), 1));
}
// (lane, unit) to the first element of a vector in shared memory.
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
template <class Share>
struct operand_loader {
  Share from;  // (unit, step)
  int lane, warp;
  float4 held[2];

  __device__ void load(int i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) held[j] = reinterpret_cast<float4 const&>(from(warp + warps * j, i));
  }
  // The swizzle leaves alone where a warp's units lie, 64 rows apart.
  __device__ void store(float* stage, int unit) const {
    float* const to = &make_tensor<into_shared>(stage)(lane, warp) + tile / 2 * unit;
    to[0] = held[unit].x;
    to[tile] = held[unit].y;
    to[2 * tile] = held[unit].z;
    to[3 * tile] = held[unit].w;
  }
};

// sums += A B^T for the rows m of A and n of B, and k from `begin` to `end` of a stage.
__device__ inline void multiply_stage(float const (&stage)[2][tile * step], int m, int n, int begin, int end, float* sums) {
  tensor const vectors_a = make_tensor<out_of_shared>(reinterpret_cast<float4 const*>(stage[0]));
  tensor const vectors_b = make_tensor<out_of_shared>(reinterpret_cast<float4 const*>(stage[1]));
#pragma unroll
  for (int k = begin; k < end; ++k) {
    tensor const rows_a = make_tensor<from_there>(&vectors_a(m, k / vector));
    tensor const rows_b = make_tensor<from_there>(&vectors_b(n, k / vector));
    float4 const of_a[] = {rows_a(0, k % vector), rows_a(1, k % vector)},
                 of_b[] = {rows_b(0, k % vector), rows_b(1, k % vector)};
    gemm(make_tensor<column>(&of_a[0].x), make_tensor<column>(&of_b[0].x), make_tensor<registers>(sums));
  }
}

// sums = A B^T for this thread's rows of both. A and B: (lane, unit, block, step).
template <class A, class B>
__device__ void multiply_tile(A const& a, int block_a, B const& b, int block_b, int steps, float (&sums)[64]) {
  __shared__ __align__(16) float stages[2][2][tile * step];
  constexpr int_tuple of_lane{0, _, 0, _};
  int const thread = threadIdx.x % (32 * warps), lane = thread % 32, warp = thread / 32;
  int const m = coordinate<place, 0>(thread), n = coordinate<place, 1>(thread);
  operand_loader next_a{slice<of_lane>(a, lane, block_a), lane, warp, {}};
  operand_loader next_b{slice<of_lane>(b, lane, block_b), lane, warp, {}};
  fill(make_tensor<registers>(sums), 0.f);
  auto const load = [&](int i) {
    next_a.load(i);
    next_b.load(i);
  };
  auto const store = [&](int into, int i) {  // one of four vectors
    i < 2 ? next_a.store(stages[into][0], i) : next_b.store(stages[into][1], i - 2);
  };
  load(0);
#pragma unroll
  for (int i = 0; i < 4; ++i) store(0, i);
  __syncthreads();
  int stage = 0;
  for (int i = 1; i < steps; ++i, stage ^= 1) {
    int m_here = m, n_here = n;  // what is behind the swizzle is found at each step again, and not kept in registers
    asm volatile("" : "+r"(m_here), "+r"(n_here));
    load(i);
    multiply_stage(stages[stage], m_here, n_here, 0, step - 4, sums);
#pragma unroll
    for (int k = step - 4; k < step; ++k) {  // between products stores do not wait for each other
      store(stage ^ 1, k - (step - 4));
      multiply_stage(stages[stage], m_here, n_here, k, k + 1, sums);
    }
    __syncthreads();
  }
  multiply_stage(stages[stage], m, n, 0, step, sums);
}

// This thread's share of a tile of C, in the order of its sums.
template <class C>
__device__ auto share_of_tile(C* corner, int stride_m, int stride_n) {
  constexpr int_tuple of_both{{0, _}, {0, _}};
  return slice<of_both>(make_tensor<in_c>(corner, stride_m, stride_n), coordinate<place, 0>(threadIdx.x),
                        coordinate<place, 1>(threadIdx.x));
}

}  // namespace mainloop
