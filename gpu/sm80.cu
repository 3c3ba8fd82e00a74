// Ampere: m16n8k16 behind an asynchronous pipeline. The kernel is warp.cuh's. SPDX-License-Identifier: Apache-2.0
#include "gpu/warp.cuh"

namespace colex::gpu {
namespace {

// c += a b for a warp: what each PTX instruction of this file is.
template <int I>
struct sm80_plan {
  static constexpr plan value = sm80_plans[I];

  __device__ __forceinline__ static void multiply(float* c, std::uint32_t const* a, std::uint32_t const* b) {
    if constexpr (value.a == element::f16)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

constexpr auto table = warp::kernels<sm80_plan>(std::make_integer_sequence<int, sm80_plans.size()>{});

}  // namespace

std::span<gemm_kernel const> sm80_kernels() { return table; }

}  // namespace colex::gpu
