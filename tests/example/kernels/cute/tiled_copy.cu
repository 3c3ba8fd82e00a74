// The tiled copy in CuTe. SPDX-License-Identifier: Apache-2.0
#include "../kernels.hpp"

#include <cute/tensor.hpp>

using namespace cute;

namespace in_cute {

using rows = _32;
using columns = _128;

static __global__ void __launch_bounds__(256)
    copy_tiles(float const* __restrict__ x, float* __restrict__ y, int m, int n, int ld) {
  auto copier = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, float>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{},
                                Layout<Shape<_1, _4>>{});
  auto own = copier.get_slice(threadIdx.x);
  auto const at = make_coord(blockIdx.y, blockIdx.x);
  auto tile_of = [&](auto* data) {
    return local_tile(make_tensor(make_gmem_ptr(data), make_shape(m, n), make_stride(ld, _1{})), Shape<rows, columns>{}, at);
  };
  auto from = group_modes<1, 3>(own.partition_S(tile_of(x)));  // (vector, unit)
  auto to = group_modes<1, 3>(own.partition_D(tile_of(y)));
  auto where =
      group_modes<1, 3>(own.partition_D(local_tile(make_identity_tensor(make_shape(m, n)), Shape<rows, columns>{}, at)));
  auto held = make_fragment_like(from);
  auto whole = make_tensor<bool>(make_shape(size<1>(from)));
  CUTE_UNROLL
  for (int i = 0; i < size(whole); ++i) whole(i) = elem_less(where(size<0>(where) - _1{}, i), make_coord(m, n));
  copy_if(copier, whole, from, held);
  copy_if(copier, whole, held, to);
  CUTE_UNROLL
  for (int i = 0; i < size(whole); ++i)
    if (!whole(i))
      for (int j = 0; j < size<0>(where); ++j)
        if (elem_less(where(j, i), make_coord(m, n))) to(j, i) = from(j, i);
}

void tiled_copy(float const* x, float* y, int m, int n, int ld) {
  copy_tiles<<<dim3(ceil_div(n, columns{}), ceil_div(m, rows{})), 256>>>(x, y, m, n, ld);
}

}  // namespace in_cute
