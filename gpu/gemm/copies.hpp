// What is done beside multiplying: operands copied to where a kernel can read them, sums of K's parts added up, D = beta C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/normalize.hpp"

namespace colex::gpu {

// Lines of a matrix, one element after another, each at a multiple of `pitch` elements (and of 16 bytes), zeros behind it.
struct repacking {
  matrix from;
  void* to;
  int run;  // the mode that a line goes along; the other one goes from line to line
  int64 extent, pitch, lines, batches;
};
cudaError_t launch_repack(repacking const& r, cudaStream_t stream);

// D = alpha (the sums of all parts of K, in their order) + beta C; sums: what in_parts(p) has for D.
cudaError_t launch_add_up(problem const& p, matrix const& sums, int parts, cudaStream_t stream);

// D = beta C, of products of such operands.
cudaError_t launch_scale(problem p, element operands, cudaStream_t stream);

}  // namespace colex::gpu
