// Volta: mma.sync of quad pairs, 8x8x4, four in a warp. The kernel is warp.cuh. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/warp/warp.cuh"
#include "gpu/plans/warp_tables.hpp"

namespace colex::gpu {
namespace {

template <int I>
struct sm70_kernel {
  static constexpr plan value = sm70_plans[I];

  __device__ __forceinline__ static void multiply(float* c, std::uint32_t const* a, std::uint32_t const* b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "
        "{%0, %1, %2, %3, %4, %5, %6, %7};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  }
};

}  // namespace

std::span<gemm_kernel const> sm70_kernels() {
  static auto const table = warp::kernels<sm70_kernel>(std::make_integer_sequence<int, sm70_plans.size()>{});
  return table;
}

}  // namespace colex::gpu
