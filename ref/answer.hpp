// The reference's answer to a request of the grammar: the one edge between text values and the algebra.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

namespace colex::ref {

// Undefined and unspecified operations are answers; an unknown operation or wrong arguments throw malformed.
answer respond(request const& r);

}  // namespace colex::ref
