// Requests with small arguments, alone and in all combinations, and with those at the limits of a value: what laws seldom draw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

#include <functional>

namespace colex {

// A set of such requests: of an operation, or about the names of atoms.
struct small_set {
  std::string name;
  std::function<std::vector<request>(std::size_t most)> requests;  // about as many, fewer where there are no more
};
std::vector<small_set> const& small_sets();  // of operations and names
std::vector<small_set> small_name_sets();

}  // namespace colex
