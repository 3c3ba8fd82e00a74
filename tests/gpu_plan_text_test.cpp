// What every plan is, as it was agreed on: a kernel is forced, and noted as the fastest, by its plan's name, and what is behind
// the name changes on purpose only. COLEX_WRITE_PLANS=1 has tests/plans.txt written again. SPDX-License-Identifier: Apache-2.0
#include "tests/plan_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using namespace colex::gpu;

constexpr char file_of_plans[] = "tests/plans.txt";

// First that of which nothing is said.
std::string text_of_all() {
  std::string all = text_of_fields(plan{});
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) all += text_of(p);
  return all;
}

TEST(plan_text, stays) {
  std::string const now = text_of_all();
  if (std::getenv("COLEX_WRITE_PLANS") != nullptr) std::ofstream(file_of_plans) << now;
  std::ifstream file(file_of_plans);
  std::istringstream lines(now);
  std::string was, is, last;
  while (std::getline(lines, is)) {
    if (is[0] != ' ') last = is;
    ASSERT_TRUE(std::getline(file, was)) << last << " is not listed";
    ASSERT_EQ(is, was) << "of " << last;
  }
  EXPECT_FALSE(std::getline(file, was)) << "there is no " << was;
}
TEST(plan_text, names_differ) {
  std::set<std::string> seen;
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) EXPECT_TRUE(seen.insert(name(p)).second) << name(p);
}

}  // namespace
