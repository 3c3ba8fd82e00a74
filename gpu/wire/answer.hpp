// The optimized algebra at the edge of text: a request of the grammar in, its answer out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

namespace colex::gpu {

// Throws malformed for an unknown operation and for arguments of the wrong number or kind. Everything else is an answer:
// `undefined`, `unspecified` and, beyond 64 bits or 32 leaves, `unsupported`.
answer respond(request const& r);

}  // namespace colex::gpu
