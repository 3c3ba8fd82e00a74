// Ampere: mma.sync of 16-bit floats, tf32, s8 and f64 with cp.async; and Hopper's f64, which does without TMA. The kernel is
// warp.cuh. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/warp/warp.cuh"
#include "gpu/plans/sm80.hpp"

namespace colex::gpu {
namespace {

constexpr table_piece piece = piece_of(sm80_plans.size(), COLEX_PIECE, COLEX_PIECES);

// c += a b by the instruction of the plan's atom.
template <int I>
struct sm80_kernel {
  static constexpr plan value = sm80_plans[piece.first + I];

  __device__ __forceinline__ static void multiply(float* c, std::uint32_t const* a, std::uint32_t const* b) {
    if constexpr (value.a == element::f16)
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f", "r");
    else if constexpr (value.a == element::bf16)
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "f", "r");
    else
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "f", "r");
  }
  __device__ __forceinline__ static void multiply(std::int32_t* c, std::uint32_t const* a, std::uint32_t const* b) {
    COLEX_MMA_16x8("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "r", "r");
  }
  __device__ __forceinline__ static void multiply(double* c, double const* a, double const* b)
    requires(value.architecture == 80)
  {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a[0]), "d"(b[0]));
  }
  __device__ __forceinline__ static void multiply(double* c, double const* a, double const* b)
    requires(value.architecture == 90)
  {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (value.mma.atom.shape_mnk.value[2] == 8)
      COLEX_MMA_16x8("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "d", "d");
    else
      asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
          : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
          : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#endif
  }
};

}  // namespace

std::span<gemm_kernel const> COLEX_KERNELS() {
  static auto const table = warp::kernels<sm80_kernel>(std::make_integer_sequence<int, piece.count>{});
  return table;
}

}  // namespace colex::gpu
