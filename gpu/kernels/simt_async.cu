// The simt kernels of f32 that copy with cp.async, from Ampere on. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/simt/simt.cuh"

namespace colex::gpu {

std::span<gemm_kernel const> simt_async_kernels() { return simt_table<simt_async_plans>(); }

}  // namespace colex::gpu
