// What answers an operation: on layouts in layouts.cpp, on linear maps in f2.cpp, on tensors, atoms and tilings in tilings.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/f2_layout.hpp"
#include "ref/algebra/f2_operations.hpp"
#include "ref/arguments.hpp"

namespace colex::ref {

using answering = value (*)(arguments const&);
answering answering_layout(std::size_t place);
answering answering_f2(std::size_t place);
answering answering_tiling(std::size_t place);

// What an operation on layouts makes of the linear maps of its arguments, if one of these is a view or behind a swizzle and all
// are linear.
std::optional<f2_map> through_f2(std::string_view operation, arguments const& a);

}  // namespace colex::ref
