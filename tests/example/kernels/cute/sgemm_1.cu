// sgemm_1 in CuTe. SPDX-License-Identifier: Apache-2.0
#include "../kernels.hpp"

#include <cute/tensor.hpp>

using namespace cute;

namespace in_cute {

using tile = _128;
using depth = _8;

static __global__ void __launch_bounds__(256) multiply(int m, int n, int k, float alpha, float const* a, int lda,
                                                       float const* b, int ldb, float beta, float* c, int ldc) {
  auto stored = Layout<Shape<tile, depth>>{};
  __shared__ float memory_a[cosize_v<decltype(stored)>], memory_b[cosize_v<decltype(stored)>];
  auto copiers = Layout<Shape<_32, _8>>{};
  auto threads = Layout<Shape<_16, _16>>{};
  int const thread = threadIdx.x;
  auto all_a = make_tensor(make_gmem_ptr(a), make_shape(m, k), make_stride(_1{}, lda));
  auto all_b = make_tensor(make_gmem_ptr(b), make_shape(n, k), make_stride(_1{}, ldb));
  auto all_c = make_tensor(make_gmem_ptr(c), make_shape(m, n), make_stride(_1{}, ldc));
  auto tiles_a = local_tile(all_a, Shape<tile, depth>{}, make_coord(blockIdx.x, _));
  auto tiles_b = local_tile(all_b, Shape<tile, depth>{}, make_coord(blockIdx.y, _));
  auto tile_c = local_tile(all_c, Shape<tile, tile>{}, make_coord(blockIdx.x, blockIdx.y));
  auto stored_a = make_tensor(make_smem_ptr(memory_a), stored), stored_b = make_tensor(make_smem_ptr(memory_b), stored);

  auto from_a = local_partition(tiles_a, copiers, thread), from_b = local_partition(tiles_b, copiers, thread);
  auto to_a = local_partition(stored_a, copiers, thread), to_b = local_partition(stored_b, copiers, thread);
  auto rows_a = local_partition(stored_a, threads, thread, Step<_1, X>{});
  auto rows_b = local_partition(stored_b, threads, thread, Step<X, _1>{});
  auto own_c = local_partition(tile_c, threads, thread, Step<_1, _1>{});
  auto sums = make_tensor_like(own_c);
  clear(sums);
  for (int i = 0; i < size<2>(tiles_a); ++i) {
    copy(from_a(_, _, i), to_a);
    copy(from_b(_, _, i), to_b);
    __syncthreads();
    gemm(rows_a, rows_b, sums);
    __syncthreads();
  }
  axpby(alpha, sums, beta, own_c);
}

void sgemm_1(int m, int n, int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta, float* c,
             int ldc) {
  multiply<<<dim3(m / tile::value, n / tile::value), 256>>>(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

}  // namespace in_cute
