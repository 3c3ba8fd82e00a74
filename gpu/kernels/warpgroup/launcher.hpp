// The host's side of a kernel of warpgroups: its arguments, its tensor maps, its launch. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/gemm_kernel.hpp"
#include "gpu/kernels/warpgroup/arguments.hpp"

namespace colex::gpu::warpgroup {

// The box of D that TMA stores, a piece that a warp or a warpgroup stages: D's contiguous mode, the piece's rows and columns.
struct result_box {
  int run, rows, columns, swizzle_bits;
};

// Launches the kernel of a plan. What depends on the plan alone is found once.
class launcher final : public plan_launcher {
 public:
  // code: a __global__ function that takes `arguments`, or a cudaKernel_t.
  launcher(plan const&, void const* code);
  cudaError_t launch(problem const&, cudaStream_t) override;
  std::unique_ptr<ready_launch const> prepare(problem const&) override;

 private:
  class ready;
  // Arguments, and clusters.
  cudaError_t make(arguments&, unsigned& clusters, problem const&);
  cudaError_t enqueue(arguments const&, unsigned clusters, cudaStream_t) const;
  arguments arguments_of(problem const&) const;
  cudaError_t make_tensor_maps(arguments&) const;
  cudaError_t make_operand_maps(arguments&, bool is_a) const;
  cudaError_t clusters_at_once(int& clusters) const;

  plan const& plan_;
  void const* const code_;
  operand_loads const a_, b_;
  int const blocks_, rows_of_cluster_, columns_of_cluster_;
  result_box const boxes_[5];  // of each kind that TMA stores
  asked_once resident_;
};

}  // namespace colex::gpu::warpgroup
