// The kernels of this folder, as calls that put their work on the default stream. Matrices lie on the device; those of
// transpose and sgemm have extents that their tiles divide. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Input, output and filter of a convolution with 3x3 taps and stride 1; the input has a border of one element already. Channels
// are contiguous in all of them: x[n][h][w][c], filter[k][r][s][c], y[n][p][q][k].
struct convolution_extents {
  static constexpr int n = 32, p = 64, q = 64, c = 64, k = 256, r = 3, s = 3, h = p + r - 1, w = q + s - 1;
};

#define KERNELS_OF(name)                                                                                                 \
  namespace name {                                                                                                       \
  /* y = x^T: x has m rows of n elements, y n rows of m. */                                                              \
  void transpose(float const* x, float* y, int m, int n);                                                                \
  void transpose(std::uint16_t const* x, std::uint16_t* y, int m, int n);                                                \
  /* y = x, m rows of n elements, which begin ld apart, a multiple of 4. */                                              \
  void tiled_copy(float const* x, float* y, int m, int n, int ld);                                                       \
  /* C = alpha A B^T + beta C. A (m,k), B (n,k) and C (m,n): their columns are contiguous. */                            \
  void sgemm_1(int m, int n, int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c, \
               int ldc);                                                                                                 \
  /* The same, where the rows of A and B are contiguous. */                                                              \
  void sgemm_2(int m, int n, int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c, \
               int ldc);                                                                                                 \
  void convolution(float const* x, float const* filter, float* y);                                                       \
  }
KERNELS_OF(in_colex)
KERNELS_OF(in_cute)
#undef KERNELS_OF
