// What arguments may be in requests with small ones. Only small*.cpp include this. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/meaning.hpp"

#include <map>

namespace colex {

// Rows of arguments, each asked as often.
using argument_pool = std::vector<std::vector<value>>;

// By what an argument is called behind the one before, what it is called, or its kind: `ATOM THR`, `S`, `tensor`. Those in the
// end are for `more_ways` of small.cpp.
std::map<std::string, argument_pool> const& pools();

}  // namespace colex
