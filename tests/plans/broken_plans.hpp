// Plans to break: one of the tables' by its name, and one that a change makes of it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/all.hpp"
#include "gpu/plans/plan_laws.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <stdexcept>
#include <string>

namespace colex::gpu {

template <class Change>
plan with(plan p, Change change) {
  change(p);
  return p;
}
inline plan const& plan_named(std::string const& wanted) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table)
      if (name(p) == wanted) return p;
  throw std::runtime_error("no plan is called " + wanted);
}

// fits(p) for a number of p's, one after another. member: of a plan, or a function that returns it.
template <class Member>
void expect_bounds(bool (*fits)(plan const&), plan const& good, Member member, std::initializer_list<int> hold,
                   std::initializer_list<int> fail) {
  EXPECT_TRUE(fits(good));
  for (int x : hold) EXPECT_TRUE(fits(with(good, [&](plan& p) { std::invoke(member, p) = x; }))) << x;
  for (int x : fail) EXPECT_FALSE(fits(with(good, [&](plan& p) { std::invoke(member, p) = x; }))) << x;
}

}  // namespace colex::gpu
