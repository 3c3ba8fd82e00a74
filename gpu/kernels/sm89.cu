// Ada: mma.sync of fp8. The kernel is warp.cuh. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/warp/warp.cuh"
#include "gpu/plans/warp_tables.hpp"

namespace colex::gpu {
namespace {

template <int I>
struct sm89_kernel {
  static constexpr plan value = sm89_plans[I];

  __device__ __forceinline__ static void multiply(float* c, std::uint32_t const* a, std::uint32_t const* b) {
    constexpr bool four_a = value.a == element::e4m3, four_b = value.b == element::e4m3;
    if constexpr (four_a && four_b)
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", "f", "r");
    else if constexpr (four_a)
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "f", "r");
    else if constexpr (four_b)
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32", "f", "r");
    else
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", "f", "r");
  }
};

}  // namespace

std::span<gemm_kernel const> sm89_kernels() {
  static auto const table = warp::kernels<sm89_kernel>(std::make_integer_sequence<int, sm89_plans.size()>{});
  return table;
}

}  // namespace colex::gpu
