// A GEMM in vectors, with two stages in shared memory, a third in registers, and a swizzle.
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "mainloop.cuh"

using namespace mainloop;

namespace {

struct matrix {
  static constexpr layout value = shares_of(make_identity_layout({2 * tile, 2 * step}));
};

__global__ void __launch_bounds__(256, 2)
    multiply(int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c, int ldc) {
  std::size_t const m = tile * blockIdx.x, n = tile * blockIdx.y;
  float sums[64];
  multiply_tile(make_tensor<matrix>(a, lda, 1), blockIdx.x, make_tensor<matrix>(b, ldb, 1), blockIdx.y, k / step, sums);
  tensor const own_c = share_of_tile(c + m + ldc * n, 1, ldc);
  if (beta == 0)
    each_pair(make_tensor<registers>(sums), own_c, [&](float sum, float& to) { to = alpha * sum; });
  else
    axpby(alpha, make_tensor<registers>(sums), beta, own_c);
}

}  // namespace

void in_colex::sgemm_2(int m, int n, int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c,
                       int ldc) {
  multiply<<<dim3(m / tile, n / tile), 256>>>(k, alpha, a, lda, b, ldb, beta, c, ldc);
}
