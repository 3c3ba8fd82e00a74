// Pascal's dp4a: a thread multiplies four bytes of K at a time. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/simt/simt.cuh"

namespace colex::gpu {

std::span<gemm_kernel const> sm61_kernels() { return simt_table<sm61_plans>(); }

}  // namespace colex::gpu
