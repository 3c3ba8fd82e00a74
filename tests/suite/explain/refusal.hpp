// Why there is no answer, shown on the numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

namespace colex {

// Of a request that the reference calls undefined: the values asked for, the first place where no layout can go on, the law
// that any answer breaks, and what CuTe answers where a small model of its algorithm knows. Empty where the reason says it all.
std::string why_undefined(request const& asked);

}  // namespace colex
