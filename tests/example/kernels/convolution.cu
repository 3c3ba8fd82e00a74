// A convolution as a GEMM without im2col: the input, which is read once for each tap, is a matrix by its layout alone.
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "mainloop.cuh"

using namespace mainloop;

namespace {

using e = convolution_extents;

// A((q,p,n), (c,s,r)): a step of the output and a step of the filter are the same step in the input.
struct input {
  static constexpr layout value = shares_of(
      make_layout({{e::q, e::p, e::n}, {e::c, e::s, e::r}}, {{e::c, e::w * e::c, e::h * e::w * e::c}, {1, e::c, e::w * e::c}}));
};
// B(k, (c,s,r)).
struct filters {
  static constexpr layout value = shares_of(make_layout_right({e::k, e::c * e::s * e::r}));
};

__global__ void __launch_bounds__(256, 2) convolve(float const* x, float const* filter, float* y) {
  float sums[64];
  multiply_tile(make_tensor<input>(x), blockIdx.x, make_tensor<filters>(filter), blockIdx.y, e::c * e::s * e::r / step, sums);
  float* const corner = y + std::size_t(tile) * (blockIdx.x * e::k + blockIdx.y);
  copy(make_tensor<registers>(sums), share_of_tile(corner, e::k, 1));
}

}  // namespace

void in_colex::convolution(float const* x, float const* filter, float* y) {
  convolve<<<dim3(e::n * e::p * e::q / tile, e::k / tile), 256>>>(x, filter, y);
}
