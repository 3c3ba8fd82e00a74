// An equation of layouts with one unknown, and the layout that solves it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

namespace colex {

// `composition A ? = B`, `composition ? A = B` or `logical_divide A ? = B`. Throws malformed, with the place.
struct equation {
  std::string operation;
  value known, result;
  bool left = false;  // the unknown comes first

  explicit equation(std::string const& line);
  request with(value const& x) const;  // the operation's, with x for the unknown
  request solving() const;             // whose answer is x
};

// What the reference says; an answer has been put into the equation, and solves it.
answer solve(equation const& e);

}  // namespace colex
