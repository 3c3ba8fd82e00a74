// What arguments may be in requests with small ones. Only small*.cpp include this. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/meaning.hpp"

#include <map>

namespace colex {

using row = std::vector<value>;
using pool = std::vector<row>;  // each row is asked as often

// By what an argument is called behind the one before, what it is called, or its kind: `ATOM THR`, `S`, `tensor`. Those in the
// end are for `more_ways` of small.cpp.
std::map<std::string, pool> const& pools();

}  // namespace colex
