// Compile-time layouts at an index below their size. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/algebra.hpp"

#include <utility>

namespace colex::gpu {

template <layout A>
__device__ __forceinline__ constexpr int at(int i) {
  return A.unchecked(i);
}
template <composed A>
__device__ __forceinline__ constexpr int at(int i) {
  constexpr swizzle sw = A.sw;
  return sw.unchecked(at<A.inner>(i));
}

// The same leaf by leaf, without a loop that the optimizer may or may not unroll.
template <layout const& L, int K>
__device__ constexpr int leaf_at(int i) {
  constexpr int below = static_cast<int>(size(L, branch{0, K, 0, 0})), extent = static_cast<int>(L.shape[K]);
  constexpr int step = static_cast<int>(L.stride[K]);
  return i / below % extent * step;
}
template <layout const& L, int... K>
__device__ constexpr int leaves_at(int i, std::integer_sequence<int, K...>) {
  return (leaf_at<L, K>(i) + ... + 0);
}
template <layout const& L>
__device__ constexpr int unrolled_at(int i) {
  return leaves_at<L>(i, std::make_integer_sequence<int, L.form.count>{});
}

}  // namespace colex::gpu
