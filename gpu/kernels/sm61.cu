// Pascal's dp4a: a thread multiplies four bytes of K at a time. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/simt/simt.cuh"

namespace colex::gpu {
namespace {

template <int I>
struct sm61_carrier {
  static constexpr plan value = sm61_plans[I];
};
template <int... I>
std::span<gemm_kernel const> table(std::integer_sequence<int, I...>) {
  static gemm_kernel const all[] = {{&sm61_plans[I], launch_simt<sm61_carrier<I>>}...};
  return all;
}

}  // namespace

std::span<gemm_kernel const> sm61_kernels() { return table(std::make_integer_sequence<int, std::size(sm61_plans)>{}); }

}  // namespace colex::gpu
