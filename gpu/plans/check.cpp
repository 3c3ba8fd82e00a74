// Checks every plan against its laws before any kernel is compiled: a plan that breaks one stops the build. (As static_asserts
// the same take a compiler minutes; as a program, a moment.) With --coq it writes them as terms, of which Coq's kernel computes
// that they multiply. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/all.hpp"
#include "gpu/plans/plan_laws.hpp"
#include "gpu/plans/terms.hpp"

#include <cstdio>
#include <string_view>

using namespace colex::gpu;

namespace {

int check() {
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
// A line for each plan: its name and its certificate.
int write_terms() {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) std::printf("%s %s\n", name(p).c_str(), terms::certificate(p).c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 1) return check();
  if (count == 2 && std::string_view(words[1]) == "--coq") return write_terms();
  std::fputs("usage: plans [--coq]\n", stderr);
  return 2;
}
