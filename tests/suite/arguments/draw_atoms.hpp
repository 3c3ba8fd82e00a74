// Names of atoms, composed from what each family of instructions may say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"
#include "tests/suite/arguments/choices.hpp"

namespace colex {

value draw_mma_name(choices& c);
value draw_shaped_mma_name(choices& c);  // with MxNxK in it
value draw_scaled_mma_name(choices& c);  // whose threads hold scale factors
value draw_sparse_mma_name(choices& c);  // whose threads hold metadata
value draw_copy_name(choices& c);
value draw_mma_field(choices& c);
value draw_copy_field(choices& c);

// The name, one in eight times spoilt.
value spoilt(choices& c, value name);

}  // namespace colex
