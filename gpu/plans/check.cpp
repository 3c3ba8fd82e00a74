// Checks every plan against its laws before any kernel is compiled: a plan that breaks one stops the build. (As static_asserts
// the same take a compiler minutes; as a program, a moment.) SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/plan_laws.hpp"

#include <cstdio>

using namespace colex::gpu;

int main() {
  int plans = 0, checks = 0, broken = 0;
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) {
      ++plans;
      for (plan_law const& l : laws_of(p)) {
        ++checks;
        if (l.holds(p)) continue;
        ++broken;
        std::printf("FAIL %s breaks %s\n", name(p).c_str(), l.name);
      }
    }
  std::printf("%d plans, %d laws checked, %d broken\n", plans, checks, broken);
  return broken != 0;
}
