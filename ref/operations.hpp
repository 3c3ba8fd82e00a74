// What answers an operation on tensors, atoms and tilings: tilings.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/arguments.hpp"

namespace colex::ref {

using answering = value (*)(arguments const&);
answering answering_tiling(std::size_t place);

}  // namespace colex::ref
