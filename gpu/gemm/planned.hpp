// From a call to its plan: the problem, the candidates for it, the launch of the first made ready. No kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/run.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace colex::gpu {

// What an entry point is asked; it lives no longer than its arguments.
struct gemm_call {
  device_tensor const &d, &a, &b, &c;
  double alpha, beta;
  gemm_options const& options;
};

// The data of a call, which its plan does not know.
struct call_data : launch_data {
  void *sfa = nullptr, *sfb = nullptr;
  int* moduli_used = nullptr;
  emulated_operands kept = {};
};
call_data data_of(gemm_call const&);
problem with_data(problem, call_data const&, bool swap_ab);

// A call that was checked, and the candidates for it; none where there is nothing to multiply.
struct planned_gemm {
  device_context* device = nullptr;
  element operands = element::f32;
  gpu::problem problem = {};
  std::optional<choice> candidates = {};
  std::unique_ptr<ready_launch const> ready = {};  // the first candidate's, if that can be made beforehand
  std::optional<emulated_gemm> emulated = {};
  std::string untuned = {};  // why no file of tuned kernels was used

  double work() const { return product_of(problem.m, problem.n, problem.k) * static_cast<double>(problem.batches); }
  bool multiplies() const { return work() > 0 && problem.alpha != 0; }
  bool writes() const { return problem.m > 0 && problem.n > 0 && problem.batches > 0; }
};

// The file of tuned kernels that the call or the environment names; empty: neither does.
std::string tuned_file(gemm_options const&);
// Checks where the operands of a checked call lie, if the environment asks for it (memory_check.hpp).
gemm_status check_memory(planned_gemm const&, gemm_call const&);

// Plans a call on the current device; quick: as choose() says.
gemm_status plan_call(planned_gemm&, gemm_call const&, bool quick = true);
// Checks all products and chooses candidates for each, on as many SMs as its share of the work is worth.
gemm_status plan_all(std::vector<planned_gemm>&, std::span<gemm_call const>);

// The candidates of a call that was planned, and what may be compiled besides.
std::vector<candidate> all_candidates(planned_gemm const&, gemm_options const&, device_info);
// The lines of explain_gemm.
gemm_status explain_call(std::vector<std::string>& lines, gemm_call const&, device_info);
// Writes the call's kernel into its file of tuned kernels.
gemm_status tune_call(gemm_call const&);

}  // namespace colex::gpu
