// The pictures there are. Decides what is drawn where; render.hpp how it looks. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/picture.hpp"

namespace colex {

// The picture of a value, an atom's name, an operation's answer, or a form (spec/forms.hpp). A partition without its thread, a
// tile without its coordinate: all of them, each element with whom it belongs to.
// Throws malformed, not_drawn, and what the reference throws where the operation is undefined.
picture make_picture(std::string const& line, picture_options const& asked);

}  // namespace colex
