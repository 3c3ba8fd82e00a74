// The simplest GEMM through shared memory. SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <colex/tensor.hpp>

using namespace colex::gpu;

namespace {

constexpr int tile = 128, depth = 8;
constexpr layout stored = make_layout_left({tile, depth});  // a tile of A or B in shared memory

// (thread, value) to the coordinate (row, k) in the matrix, and to the element in shared memory: 32x8 threads copy a tile.
struct in_matrix {
  static constexpr layout value = zipped_divide(make_identity_layout({tile, depth}), {32, depth});
};
struct in_shared {
  static constexpr layout value = zipped_divide(stored, {32, depth});
};
// ((thread, value), k): each of 16 threads along M, or N, multiplies every 16th row.
struct multiplied {
  static constexpr layout value = logical_divide(stored, tiler{16, _});
};
struct in_c {
  static constexpr layout value = logical_divide(make_identity_layout({tile, tile}), {16, 16});
};
struct registers {
  static constexpr layout value = make_layout_left({tile / 16, tile / 16});
};

__global__ void __launch_bounds__(256)
    multiply(int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c, int ldc) {
  __shared__ float memory_a[size(stored)], memory_b[size(stored)];
  constexpr int_tuple of_thread{0, _}, of_row{{0, _}, _}, of_both{{0, _}, {0, _}};
  int const thread = threadIdx.x, m = thread % 16, n = thread / 16;
  tensor const a_stored = make_tensor<in_shared>(memory_a);
  tensor const b_stored = make_tensor<in_shared>(memory_b);
  tensor const to_a = slice<of_thread>(a_stored, thread), to_b = slice<of_thread>(b_stored, thread);
  tensor from_a = slice<of_thread>(make_tensor<in_matrix>(a + tile * blockIdx.x, 1, lda), thread);
  tensor from_b = slice<of_thread>(make_tensor<in_matrix>(b + tile * blockIdx.y, 1, ldb), thread);
  tensor const rows_a = slice<of_row>(make_tensor<multiplied>(memory_a), m);
  tensor const rows_b = slice<of_row>(make_tensor<multiplied>(memory_b), n);
  float memory_c[size(registers::value)];
  tensor const sums = make_tensor<registers>(memory_c);
  fill(sums, 0.f);
  for (int done = 0; done < k; done += depth) {
    copy(from_a, to_a);
    copy(from_b, to_b);
    __syncthreads();
    gemm(rows_a, rows_b, sums);
    __syncthreads();
    from_a.data += depth * lda;
    from_b.data += depth * ldb;
  }
  float* const corner = c + tile * (blockIdx.x + std::size_t(ldc) * blockIdx.y);
  tensor const own_c = slice<of_both>(make_tensor<in_c>(corner, 1, ldc), m, n);
  if (beta == 0)
    each_pair(sums, own_c, [&](float sum, float& to) { to = alpha * sum; });
  else
    axpby(alpha, sums, beta, own_c);
}

}  // namespace

void in_colex::sgemm_1(int m, int n, int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c,
                       int ldc) {
  multiply<<<dim3(m / tile, n / tile), 256>>>(k, alpha, a, lda, b, ldb, beta, c, ldc);
}
