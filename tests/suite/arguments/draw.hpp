// Draws the arguments of a law from a sequence of choices, admissible by construction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/laws.hpp"
#include "tests/suite/arguments/choices.hpp"

namespace colex {

// The arguments of a law, drawn in their order.
std::vector<binding> draw_arguments(law const& l, choices& from);
// The same again, from the choices that were made.
inline std::vector<binding> draw_arguments(law const& l, std::vector<std::uint64_t> const& made) {
  choices from(made);
  return draw_arguments(l, from);
}

}  // namespace colex
