// The reference's answer to a request of the grammar: the one edge between text values and the algebra.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

namespace colex::ref {

// Undefined and unspecified operations are answers; an unknown operation or wrong arguments throw malformed.
answer respond(request const& r);
// As functions of layouts alone answer, without those that linear maps over F2 have where these refuse (laws.md, "Closure").
answer respond_as_layouts(request const& r);

}  // namespace colex::ref
