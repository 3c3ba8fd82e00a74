// The kernels beside the GEMMs: copies of operands that kernels cannot read in place, split-K's reduction, D = beta C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/normalize.hpp"
#include "gpu/plans/chips.hpp"

namespace colex::gpu {

// A copy of a matrix as contiguous lines, `pitch` elements apart (a multiple of 16 bytes), filled up with zeros.
struct repacking {
  matrix from;
  void* to;
  int run;  // the mode that becomes contiguous
  int64 extent, pitch, lines, batches;
  bool beside_last = false;       // the launch before copies the other operand: it waited for the one before itself
  bool next_begins_early = true;  // may the next launch's blocks find their SMs while this one runs?
};
cudaError_t launch_repack(repacking const& r, cudaStream_t stream);

// Split-K's reduction: D = alpha (the sums of all splits, in their order) + beta C. sums: D of split_for(p).
cudaError_t launch_reduce_split_k(problem const& p, matrix const& sums, int split_k, cudaStream_t stream);

// Asks the device, 9.0 or newer, how many clusters of each size it holds at once: none of a size that it does not have. Where
// it does not answer they stay as they are.
void ask_clusters(device_info& device);

// D = beta C, for products of such operands.
cudaError_t launch_scale(problem p, element operands, cudaStream_t stream);

}  // namespace colex::gpu
