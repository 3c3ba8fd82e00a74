// A kernel as the host knows it: its plan, and how it is launched. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"

#include <cstddef>
#include <memory>

namespace colex::gpu {

// What the launch of a problem is given each time: data aligned as well as those that it was made for; alpha and beta, which
// are 0, or 1, exactly where those were.
struct launch_data {
  void *d = nullptr, *a = nullptr, *b = nullptr, *c = nullptr;
  double alpha = 1, beta = 0;
};
// The launch of one problem on one device, made once. Threads may run it at once.
class ready_launch {
 public:
  virtual ~ready_launch() = default;
  virtual cudaError_t run(launch_data const&, cudaStream_t) const = 0;
};
// Launches the kernel of a plan that it was given. Lives as long as the process.
class plan_launcher {
 public:
  virtual cudaError_t launch(problem const&, cudaStream_t) = 0;
  virtual std::unique_ptr<ready_launch const> prepare(problem const&) = 0;  // none where launch would fail

 protected:
  ~plan_launcher() = default;
};

// A plan and the kernel that executes it. Rows (or columns) of A and B are contiguous as the plan's major_a and major_b say,
// each aligned to row_alignment bytes; with major::any they have any layout. C and D have any layout.
struct gemm_kernel {
  gpu::plan const* plan;
  cudaError_t (*launch_own)(problem const&, cudaStream_t) = nullptr;  // by a function of the plan's own,
  plan_launcher* launcher = nullptr;                                  // or by what was given the plan
  plan_summary summary = *plan;

  cudaError_t launch(problem const& p, cudaStream_t stream) const {
    return launcher == nullptr ? launch_own(p, stream) : launcher->launch(p, stream);
  }
};

// Of a table of so many plans those that a file of kernels has which is compiled in pieces, number 1 and on.
struct table_piece {
  int first, count;
};
constexpr table_piece piece_of(std::size_t plans, int number, int pieces) {
  int const all = static_cast<int>(plans), first = all * (number - 1) / pieces;
  return {first, all * number / pieces - first};
}

}  // namespace colex::gpu
