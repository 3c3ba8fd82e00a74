// Shrinking: makes simpler what fails, as long as it still does: a sequence of choices, whatever they mean, and then the
// arguments that were drawn by it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/law.hpp"
#include "spec/laws/trial.hpp"

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

struct shrunk_arguments {
  std::vector<binding> where;  // the simplest that failed
  std::size_t tries = 0;
  bool finished = false;  // false: the budget ran out before each simpler step had been tried
};

// Greedy descent: leaves out modes, brackets and swizzles and makes numbers smaller, in one argument or in all, and where that
// does not fail takes two such steps at once. What is no input of the law is not tried. `start` fails.
shrunk_arguments shrink(law const& l, std::vector<binding> start, trial::implementation const& reference,
                        std::function<bool(std::vector<binding> const&)> const& fails, shrink_budget budget = {});

// First the choices that draw the arguments, then the arguments in the time that is left. What `start` draws fails.
shrunk_arguments shrink_drawn(law const& l, choice_list const& start, trial::implementation const& reference,
                              std::function<bool(std::vector<binding> const&)> const& fails, shrink_budget budget = {});

}  // namespace colex
