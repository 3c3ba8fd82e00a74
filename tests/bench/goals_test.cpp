// The goals of the GEMMs' speed see what is measured: each has a figure once everything was, and is missed by what is
// slow. SPDX-License-Identifier: Apache-2.0
#include "tests/bench/goals.hpp"

#include <gtest/gtest.h>

namespace {

using namespace colex::bench;

results everything(double ours, double theirs) {
  results all;
  for (kind const& k : kinds)
    for (workload const& w : workloads(k.name)) all.push_back({k.name, "", w, ours, theirs, theirs, 0, k.ceiling});
  return all;
}

TEST(goals, have_a_figure_each_once_all_is_measured) {
  for (goal const& g : goals()) EXPECT_FALSE(std::isnan(g.figure(everything(1000, 100)))) << g.name;
}
TEST(goals, are_reached_by_what_is_fast) {
  for (goal const& g : goals()) EXPECT_GE(g.figure(everything(5000, 100)), g.reach) << g.name;
}
TEST(goals, are_missed_by_what_is_slow) {
  for (goal const& g : goals()) {
    if (g.name.find(" of ") != std::string::npos && g.name.find("memory") == std::string::npos) continue;
    EXPECT_LT(g.figure(everything(10, 20)), g.reach) << g.name;
  }
}
TEST(goals, compare_ours_with_ours) {
  results all = everything(1000, 100);
  for (measured& r : all)
    if (r.shape.group == "ragged" || r.kind == "fp8") r.ours = 500;
  int seen = 0;
  for (goal const& g : goals()) {
    if (g.name.find("'s rate") == std::string::npos && g.name.find("accurate of fast") == std::string::npos) continue;
    EXPECT_DOUBLE_EQ(g.figure(all), 0.5) << g.name;
    ++seen;
  }
  EXPECT_EQ(seen, 4);
}
TEST(goals, have_none_for_what_cuBLASLt_does_not_do) {
  EXPECT_TRUE(std::isnan(mean_of_ratios(everything(100, 0))));
  EXPECT_TRUE(std::isnan(least_ratio(everything(100, 0))));
  EXPECT_TRUE(std::isnan(least_ratio({})));
}
TEST(goals, one_slow_shape_is_the_least) {
  results all = only(everything(100, 100), "bf16", "cube");
  all[3].ours = 50;
  EXPECT_DOUBLE_EQ(least_ratio(all), 0.5);
  EXPECT_NEAR(mean_of_ratios(all), std::pow(0.5, 1.0 / 6), 1e-12);
}
TEST(workloads, count_operations_and_bytes) {
  types const bf16 = kinds[0].of;
  EXPECT_EQ((workload{"", "", "TN", 16, 8192, 8192}.operations()), 2.0 * 16 * 8192 * 8192);
  EXPECT_EQ((workload{"", "", "TN", 16, 8192, 8192}.bytes(bf16)), 2.0 * (16 * 8192 + 8192 * 8192 + 16 * 8192));
  workload const grouped{"", "", "TN", 0, 64, 32, 1, {16, 48}};
  EXPECT_EQ(grouped.operations(), 2.0 * 64 * 64 * 32);
  EXPECT_EQ(grouped.bytes(bf16), 2.0 * (64 * 32 + 2 * 64 * 32 + 64 * 64));
}

}  // namespace
