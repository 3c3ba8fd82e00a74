// Names of atoms, composed from what each family of instructions may say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"
#include "tests/suite/arguments/choices.hpp"

namespace colex {

// The families of names: `SM75_U32x{1|2|4}_LDSM_N`; {#8} stands for the multiples of 8 up to 256.
std::vector<std::string> mma_families();
std::vector<std::string> copy_families();
// Each name of a family, in which some may be no atom's.
std::vector<std::string> names_in(std::string const& family);

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
