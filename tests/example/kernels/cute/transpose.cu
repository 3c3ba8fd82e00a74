// The transpose in CuTe, its swizzle typed by hand. SPDX-License-Identifier: Apache-2.0
#include "../kernels.hpp"

#include <cute/tensor.hpp>

using namespace cute;

namespace in_cute {

template <class T>
__device__ uint4 column(std::uint32_t const* words, int r) {
  constexpr int bits = 8 * sizeof(T), vector = 16 / sizeof(T);
  union {
    uint4 vector;
    T element[16 / sizeof(T)];
  } out;
  for (int j = 0; j < vector; ++j) out.element[j] = static_cast<T>(words[j] >> r * bits);
  return out.vector;
}

template <class T>
static __global__ void __launch_bounds__(128) transpose_tiles(T const* __restrict__ x, T* __restrict__ y, int m, int n) {
  using vector = Int<16 / sizeof(T)>;
  using word = Int<4 / sizeof(T)>;
  using side = Int<256 / sizeof(T)>;
  using vectors = Int<side::value / vector::value>;
  using words = Int<side::value / word::value>;
  __shared__ uint4 memory[side::value * vectors::value];
  int const thread = threadIdx.x;

  auto in_vectors = make_tensor(make_gmem_ptr(reinterpret_cast<uint4 const*>(x)), make_shape(m, n / vector{}),
                                make_stride(n / vector{}, _1{}));
  auto in = local_tile(in_vectors, Shape<side, vectors>{}, make_coord(blockIdx.x, blockIdx.y));
  // Rows of the output as (vector, word, row of the word).
  auto out_rows = make_tensor(make_gmem_ptr(reinterpret_cast<uint4*>(y)), make_shape(m / vector{}, n / word{}, word{}),
                              make_stride(_1{}, word{} * m / vector{}, m / vector{}));
  auto out = local_tile(out_rows, Shape<vectors, words, word>{}, make_coord(blockIdx.x, blockIdx.y, 0));

  auto stored_vectors = make_tensor(make_smem_ptr(memory), composition(Swizzle<3, 0, 4 + log_2(unsigned(vector::value))>{},
                                                                       make_layout(Shape<side, vectors>{}, GenRowMajor{})));
  auto stored_words =
      make_tensor(make_smem_ptr(reinterpret_cast<std::uint32_t const*>(memory)),
                  composition(Swizzle<3, 2, 4 + log_2(unsigned(vector::value))>{},
                              Layout<Shape<vectors, words, vector>, Stride<Int<vector::value * words::value>, _1, words>>{}));

  auto writers = make_layout(Shape<Int<128 / vectors::value>, vectors>{}, GenRowMajor{});
  auto readers = Layout<Shape<_8, Shape<_4, _4>>, Stride<_4, Stride<_1, _32>>>{};
  copy(local_partition(in, writers, thread), local_partition(stored_vectors, writers, thread));
  __syncthreads();
  auto from = local_partition(stored_words, readers, thread);  // (vector, word, row)
  auto to = local_partition(out, readers, thread);
  CUTE_UNROLL
  for (int i = 0; i < size<0>(from) * size<1>(from); ++i) {
    std::uint32_t block[vector::value];
    for (int k = 0; k < vector::value; ++k) block[k] = from(i % size<0>(from), i / size<0>(from), k);
    for (int r = 0; r < word::value; ++r) __stcs(&to(i % size<0>(from), i / size<0>(from), r), column<T>(block, r));
  }
}

template <class T>
void transpose_by(T const* x, T* y, int m, int n) {
  transpose_tiles<<<dim3(m * sizeof(T) / 256, n * sizeof(T) / 256), 128>>>(x, y, m, n);
}

void transpose(float const* x, float* y, int m, int n) {
  transpose_by(reinterpret_cast<std::uint32_t const*>(x), reinterpret_cast<std::uint32_t*>(y), m, n);
}
void transpose(std::uint16_t const* x, std::uint16_t* y, int m, int n) { transpose_by(x, y, m, n); }

}  // namespace in_cute
