// Turing: mma.sync of f16 and s8; copies to shared memory go through registers. The kernel is warp.cuh.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/warp/warp.cuh"
#include "gpu/plans/warp_tables.hpp"

namespace colex::gpu {
namespace {

template <int I>
struct sm75_kernel {
  static constexpr plan value = sm75_plans[I];

  __device__ __forceinline__ static void multiply(float* c, std::uint32_t const* a, std::uint32_t const* b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  }
  __device__ __forceinline__ static void multiply(std::int32_t* c, std::uint32_t const* a, std::uint32_t const* b) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(c[0]), "+r"(c[1])
        : "r"(a[0]), "r"(b[0]));
  }
};

}  // namespace

std::span<gemm_kernel const> sm75_kernels() {
  static auto const table = warp::kernels<sm75_kernel>(std::make_integer_sequence<int, sm75_plans.size()>{});
  return table;
}

}  // namespace colex::gpu
