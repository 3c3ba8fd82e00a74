// Shrinking: makes a sequence of choices simpler as long as it still fails. Knows nothing of what the choices mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace colex {

using choice_list = std::vector<std::uint64_t>;

struct shrink_budget {
  std::size_t tries = 400;
  std::chrono::steady_clock::duration time = std::chrono::seconds(5);
};

struct shrunk {
  choice_list choices;  // the simplest that failed
  std::size_t tries = 0;
  bool finished = false;  // false: the budget ran out before everything simpler had been tried
};

// Greedy descent: leaves out runs of choices, long ones first, then makes each choice smaller. `start` fails.
shrunk shrink(choice_list start, std::function<bool(choice_list const&)> const& fails, shrink_budget budget = {});

}  // namespace colex
