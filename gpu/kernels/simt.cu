// The simt kernels, which any device runs: FMAs of threads. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/simt/simt.cuh"

namespace colex::gpu {
namespace {

// The plan whose kernel also executes plan I: the first that differs only in the operands' types, where any layout is read.
constexpr int executes(int i) {
  plan const& p = simt_plans[i];
  for (int j = 0; p.major_a == major::any && j < i; ++j)
    if (simt_plans[j].major_a == major::any && simt_plans[j].accumulator == p.accumulator) return j;
  return i;
}
template <int... I>
std::span<gemm_kernel const> table(std::integer_sequence<int, I...>) {
  static gemm_kernel const all[] = {{&simt_plans[I], launch_simt<simt_carrier<simt_plans, executes(I)>>}...};
  return all;
}

}  // namespace

std::span<gemm_kernel const> simt_kernels() { return table(std::make_integer_sequence<int, std::size(simt_plans)>{}); }

}  // namespace colex::gpu
