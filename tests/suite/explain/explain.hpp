// How the reference comes to an answer: the steps of an operation's definition, each with what it gives and why it is taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "tests/suite/explain/step.hpp"

#include <optional>

namespace colex {

// What the reference answers, and the steps to it: the last gives the answer. Where the definition is a single step, there
// is none but its words, of spec/laws.md. Where there is no answer, the steps end before the one that is not defined.
struct explanation {
  request asked;
  answer result;
  std::vector<step> steps;
  std::string definition;
  std::string refusal;  // why there is no answer, shown on the numbers
};

// Throws malformed, as the reference's `respond`.
explanation explain(request const& asked);

// What the answer holds, element by element, at most so many of them, else as many as a terminal has room for: a heading and a
// table. Empty where it holds none.
std::string elements_in(explanation const& e, std::optional<std::size_t> at_most = {});
// For people: the steps, then what the answer holds, element by element.
std::string text_of(explanation const& e);

}  // namespace colex
