// The mainloop in CuTe, its swizzle typed by hand. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cute/tensor.hpp>

namespace mainloop {

using namespace cute;
using tile = _128;
using step = _16;

using stored = decltype(composition(Swizzle<2, 3, 6>{}, Layout<Shape<tile, step, _2>>{}));
using copier = decltype(make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, Layout<Shape<_64, _4>, Stride<_4, _1>>{},
                                        Layout<Shape<_1, _4>>{}));
using by_fours = Layout<Shape<_16, _4>, Stride<_4, _1>>;
using multiplier =
    decltype(make_tiled_mma(UniversalFMA<float>{}, Layout<Shape<_16, Shape<_8, _2>, _1>, Stride<_8, Stride<_1, _128>, _0>>{},
                            Tile<by_fours, by_fours, _1>{}));
using reader = Copy_Atom<UniversalCopy<uint128_t>, float>;

// sums = A B^T of a tile; A and B as (row, k, step).
template <class A, class B, class C>
__device__ void multiply_tile(A const& a, B const& b, C& sums) {
  __shared__ __align__(16) float memory_a[cosize_v<stored>], memory_b[cosize_v<stored>];
  auto stages_a = make_tensor(make_smem_ptr(memory_a), stored{});
  auto stages_b = make_tensor(make_smem_ptr(memory_b), stored{});
  int const thread = threadIdx.x;
  auto own_copy = copier{}.get_slice(thread);
  auto from_a = own_copy.partition_S(a);
  auto from_b = own_copy.partition_S(b);  // (vector, row, k, step)
  auto to_a = own_copy.partition_D(stages_a);
  auto to_b = own_copy.partition_D(stages_b);
  auto held_a = make_fragment_like(from_a(_, _, _, 0));
  auto held_b = make_fragment_like(from_b(_, _, _, 0));

  auto own = multiplier{}.get_slice(thread);
  auto read_a = make_tiled_copy_A(reader{}, multiplier{});
  auto read_b = make_tiled_copy_B(reader{}, multiplier{});
  auto own_read_a = read_a.get_slice(thread);
  auto own_read_b = read_b.get_slice(thread);
  auto source_a = own_read_a.partition_S(stages_a);
  auto source_b = own_read_b.partition_S(stages_b);
  auto fragment_a = own.partition_fragment_A(stages_a(_, _, 0));
  auto fragment_b = own.partition_fragment_B(stages_b(_, _, 0));
  auto into_a = own_read_a.retile_D(fragment_a);
  auto into_b = own_read_b.retile_D(fragment_b);
  clear(sums);

  auto load = [&](int i) {
    copy(copier{}, from_a(_, _, _, i), held_a);
    copy(copier{}, from_b(_, _, _, i), held_b);
  };
  auto store = [&](int stage) {
    copy(held_a, to_a(_, _, _, stage));
    copy(held_b, to_b(_, _, _, stage));
    __syncthreads();
  };
  auto multiply = [&](int stage) {
    CUTE_UNROLL
    for (int k = 0; k < size<2>(fragment_a); ++k) {
      copy(read_a, source_a(_, _, k, stage), into_a(_, _, k));
      copy(read_b, source_b(_, _, k, stage), into_b(_, _, k));
      gemm(multiplier{}, fragment_a(_, _, k), fragment_b(_, _, k), sums);
    }
  };
  load(0);
  store(0);
  int stage = 0;
  for (int i = 1; i < size<3>(from_a); ++i, stage ^= 1) {
    load(i);
    multiply(stage);
    store(stage ^ 1);
  }
  multiply(stage);
}

}  // namespace mainloop
