// The convolution in CuTe. SPDX-License-Identifier: Apache-2.0
#include "../kernels.hpp"
#include "mainloop.cuh"

using namespace mainloop;

namespace in_cute {

using e = convolution_extents;
template <int... N>
using ints = Shape<Int<N>...>;

using input = Layout<Shape<ints<e::q, e::p, e::n>, ints<e::c, e::s, e::r>>,
                     Stride<ints<e::c, e::w * e::c, e::h * e::w * e::c>, ints<1, e::c, e::w * e::c>>>;
using filters = Layout<ints<e::k, e::c * e::s * e::r>, Stride<Int<e::c * e::s * e::r>, _1>>;
using output = Layout<ints<e::n * e::p * e::q, e::k>, Stride<Int<e::k>, _1>>;

static __global__ void __launch_bounds__(256, 2) convolve(float const* x, float const* filter, float* y) {
  auto all_c = make_tensor(make_gmem_ptr(y), output{});
  auto own_c = multiplier{}
                   .get_slice(threadIdx.x)
                   .partition_C(local_tile(all_c, Shape<tile, tile>{}, make_coord(blockIdx.x, blockIdx.y)));
  auto sums = multiplier{}.get_slice(threadIdx.x).make_fragment_C(own_c);
  multiply_tile(local_tile(make_tensor(make_gmem_ptr(x), input{}), Shape<tile, step>{}, make_coord(blockIdx.x, _)),
                local_tile(make_tensor(make_gmem_ptr(filter), filters{}), Shape<tile, step>{}, make_coord(blockIdx.y, _)),
                sums);
  copy(sums, own_c);
}

void convolution(float const* x, float const* filter, float* y) {
  convolve<<<dim3(e::n * e::p * e::q / tile::value, e::k / tile::value), 256>>>(x, filter, y);
}

}  // namespace in_cute
