// Vectors of 16 bytes, and the sums of those that a cluster's blocks have in shared memory, one for each split of K.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/barrier.cuh"

namespace colex::gpu {

// One access.
template <class T, int Size>
struct alignas(Size * sizeof(T)) vector_of {
  static constexpr int size = Size;
  T at[size];
};
// 16 bytes.
template <class T>
using vec16 = vector_of<T, 16 / static_cast<int>(sizeof(T))>;
template <class T>
__device__ inline vec16<T> const& as_vec16(T const* x) {
  return *reinterpret_cast<vec16<T> const*>(x);
}
template <class T>
__device__ inline vec16<T>& as_vec16(T* x) {
  return *reinterpret_cast<vec16<T>*>(x);
}

// Adds up vectors 0 to count - 1, in their order; load(i) returns them.
template <class T, class Load>
__device__ inline vec16<T> add_vectors(int count, Load const& load) {
  vec16<T> all = load(0);
#pragma unroll 4
  for (int i = 1; i < count; ++i) {
    vec16<T> const next = load(i);
#pragma unroll
    for (int j = 0; j < vec16<T>::size; ++j) all.at[j] += next.at[j];
  }
  return all;
}
// The same vector of shared memory in all blocks of a cluster, one for each split of K, added up.
template <class T>
__device__ inline vec16<T> add_splits(T const* at, int blocks) {
  return add_vectors<T>(blocks, [&](int block) {
    uint4 const words = load_from_block(shared_address(at), static_cast<std::uint32_t>(block));
    return reinterpret_cast<vec16<T> const&>(words);
  });
}

}  // namespace colex::gpu
