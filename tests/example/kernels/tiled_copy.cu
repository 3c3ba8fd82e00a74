// A copy in vectors of a matrix whose extents are no multiples of anything: each vector asks where it is.
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "shares.hpp"

using namespace colex::gpu;

namespace {

constexpr int rows = 32, vectors = 32, vector = 4, warps = 8;  // a tile of 32x128 floats

// (lane, unit) to the coordinate (row, vector).
struct share {
  static constexpr layout value = warp_shares(make_identity_layout({rows, vectors}), {1, vectors});
};

__global__ void __launch_bounds__(32 * warps)
    copy_tiles(float const* __restrict__ x, float* __restrict__ y, int m, int n, int ld) {
  constexpr int units = rows / warps;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = rows * blockIdx.y, column = vectors * vector * blockIdx.x;
  auto const row_of = [&](int i) { return row + coordinate<share, 0>(lane, warp + warps * i); };
  auto const column_of = [&](int i) { return column + vector * coordinate<share, 1>(lane, warp + warps * i); };
  auto const whole = [&](int i) { return row_of(i) < m && column_of(i) + vector <= n; };
  std::size_t const begin = std::size_t(row) * ld + column;
  tensor const from = make_tensor<share>(reinterpret_cast<float4 const*>(x + begin), ld / vector, 1);
  tensor const to = make_tensor<share>(reinterpret_cast<float4*>(y + begin), ld / vector, 1);
  float4 held[units];
#pragma unroll
  for (int i = 0; i < units; ++i)
    if (whole(i)) held[i] = from(lane, warp + warps * i);
#pragma unroll
  for (int i = 0; i < units; ++i)
    if (whole(i))
      to(lane, warp + warps * i) = held[i];
    else if (row_of(i) < m)  // what the last vector of a row has inside
      for (int c = column_of(i); c < n; ++c) y[std::size_t(row_of(i)) * ld + c] = x[std::size_t(row_of(i)) * ld + c];
}

constexpr int tiles(int n, int tile) { return (n + tile - 1) / tile; }

}  // namespace

void in_colex::tiled_copy(float const* x, float* y, int m, int n, int ld) {
  copy_tiles<<<dim3(tiles(n, vectors * vector), tiles(m, rows)), 32 * warps>>>(x, y, m, n, ld);
}
