// The command that tells which plan a GEMM would take, and why. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace colex {

struct plan_command {
  long long m = 0, n = 0, k = 0;
  std::string type, layout = "TN", chip = "90a";
  int sms = 0;  // 0: as many as the chip has
  std::size_t rows = 6;
};
void add_plan_options(CLI::App& app, plan_command& c);

// Prints the choice as a table. Was there one?
bool print_plans(plan_command const& c);

}  // namespace colex
