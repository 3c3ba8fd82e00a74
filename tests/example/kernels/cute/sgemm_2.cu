// sgemm_2 in CuTe. SPDX-License-Identifier: Apache-2.0
#include "../kernels.hpp"
#include "mainloop.cuh"

using namespace mainloop;

namespace in_cute {

static __global__ void __launch_bounds__(256, 2) multiply(int m, int n, int k, float alpha, float const* a, int lda,
                                                          float const* b, int ldb, float beta, float* c, int ldc) {
  auto all_a = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(lda, _1{}));
  auto all_b = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(ldb, _1{}));
  auto all_c = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(_1{}, ldc));
  auto own_c = multiplier{}
                   .get_slice(threadIdx.x)
                   .partition_C(local_tile(all_c, Shape<tile, tile>{}, make_coord(blockIdx.x, blockIdx.y)));
  auto sums = multiplier{}.get_slice(threadIdx.x).make_fragment_C(own_c);
  multiply_tile(local_tile(all_a, Shape<tile, step>{}, make_coord(blockIdx.x, _)),
                local_tile(all_b, Shape<tile, step>{}, make_coord(blockIdx.y, _)), sums);
  axpby(alpha, sums, beta, own_c);
}

void sgemm_2(int m, int n, int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c,
             int ldc) {
  multiply<<<dim3(m / tile::value, n / tile::value), 256>>>(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace in_cute
