// The pictures there are. Decides what is drawn where; render.hpp how it looks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/picture.hpp"

namespace colex {

// The picture of a value, an atom's name, an operation's answer, or one of these forms:
//   tv TV SHAPE · tiled_mma ATOM THR T · tiled_copy COPY TYPE THR VAL · permutations SIZE THREADS PERMUTATION...
//   partition_A|B|C ATOM THR T A · partition_S|D COPY TYPE THR VAL A · local_partition A THR [proj] · local_tile A T
// A partition without its thread, a tile without its coordinate: all of them, each element with whom it belongs to.
// Throws malformed, not_drawn, and what the reference throws where the operation is undefined.
picture make_picture(std::string const& line, picture_options const& asked);
// Is it the name of such a form?
bool is_form(std::string const& name);
// Does it take a tiler T there, in one of the ways to give its arguments?
bool form_takes_tiler(std::string const& name, std::size_t place);

}  // namespace colex
