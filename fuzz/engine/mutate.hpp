// How inputs are changed: values as values, choices as choices, so that what comes out is still an input.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

#include <random>

namespace colex::fuzz {

using random_source = std::minstd_rand;
inline std::size_t below(random_source& random, std::size_t n) { return n < 2 ? 0 : random() % n; }

// A request with one thing changed: a number, a mode put in, taken out, swapped, wrapped or opened, an argument copied from
// another, or another operation.
request changed(request r, random_source& random);

// The operation and first arguments of one request with the last arguments of another.
request crossed(request a, request const& b, random_source& random);

// The request with one thing simpler, in every way there is: a number smaller, a mode or a pair of parentheses less.
std::vector<request> simpler(request const& r);

// Choices with a run of them changed, put in, left out or repeated.
void change(std::vector<std::uint64_t>& made, random_source& random);

}  // namespace colex::fuzz
