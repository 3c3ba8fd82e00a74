// The gemv kernels, which any device runs: few rows, FMAs of threads. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/simt/gemv.cuh"

namespace colex::gpu {
namespace {

template <int I>
struct gemv_carrier {
  static constexpr plan value = gemv_plans[I];
};
template <int... I>
std::span<gemm_kernel const> table(std::integer_sequence<int, I...>) {
  static gemm_kernel const all[] = {{&gemv_plans[I], launch_gemv<gemv_carrier<I>>}...};
  return all;
}

}  // namespace

std::span<gemm_kernel const> gemv_kernels() { return table(std::make_integer_sequence<int, std::size(gemv_plans)>{}); }

}  // namespace colex::gpu
