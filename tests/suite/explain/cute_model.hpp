// What CuTe C++ answers, by a model of its algorithms (layout.hpp of 4.7.0; spec/errata.md, E1 to E3): composition, and with
// static integers both inverses, complement, divides and products. Not CuTe itself, whose answers to some drawn requests are in
// tests/agreement/cute_answers.txt. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/layout.hpp"
#include "spec/notation/notation.hpp"

#include <optional>

namespace colex {

struct cute_answer {
  char const* integers;  // "static" or "dynamic"
  // None where static integers do not compile, and dynamic ones divide by zero.
  std::optional<ref::layout> result;
};

// With static integers, and where the request is a composition of layouts, with dynamic ones. None of what the model does not
// know: other operations, swizzles, strides that are negative or count coordinates.
std::vector<cute_answer> cute_answers(request const& asked);

}  // namespace colex
