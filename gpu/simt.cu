// Kernels that any GPU runs: a thread multiplies element by element. SPDX-License-Identifier: Apache-2.0
#include "gpu/simt.cuh"

namespace colex::gpu {
namespace {

template <int I>
struct simt_carrier {
  static constexpr plan value = simt_plans[I];
};
template <int... I>
std::span<gemm_kernel const> table(std::integer_sequence<int, I...>) {
  static gemm_kernel const all[] = {{&simt_plans[I], launch_simt<simt_carrier<I>>}...};
  return all;
}

}  // namespace

std::span<gemm_kernel const> simt_kernels() { return table(std::make_integer_sequence<int, std::size(simt_plans)>{}); }

}  // namespace colex::gpu
