// An operation as the wire names it: its arguments and the function that answers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/arguments.hpp"

namespace colex::ref {

constexpr std::size_t any_number = 1000000;  // of arguments

struct operation {
  std::string name;
  char const* usage;
  std::size_t least, most;  // arguments
  value (*run)(arguments const&);
};

// Atoms, tilings of them, and partitions of tensors (tilings.cpp).
std::vector<operation> const& tiling_operations();

}  // namespace colex::ref
