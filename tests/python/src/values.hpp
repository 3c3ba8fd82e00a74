// Python's objects as values of the notation, and back. Computes nothing. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/layout.hpp"
#include "tests/suite/commands/reading.hpp"

#include <nanobind/nanobind.h>

#include <memory>

namespace colex::python {

namespace nb = nanobind;

// What a value is in Python where it is neither a number, a tuple nor a word.
struct Layout {
  value is;
  std::shared_ptr<ref::layout const> function = {};  // of a plain layout: made when it is first called
};
struct Swizzle {
  value is;
};
struct Basis {
  value is;
};

// An integer of any size, also of numpy and whatever else is one.
integer integer_of(nb::handle h);
nb::object object_of(integer const& n);

// What an object says: an integer, a tuple or list, None (a mode left open), text in anybody's spelling, a layout, or what has
// .shape and .stride, .bits, .base and .shift, or .outer, .offset and .inner. A tuple that holds a layout is a tiler.
// Throws malformed, and what the object itself raises.
value value_of(nb::handle h);
nb::object object_of(value const& v);

// f of a line as it was read; what is malformed is shown with its place.
template <class F>
auto shown_in_line(std::string const& line, F f) {
  try {
    return in_line(line, f);
  } catch (malformed const& e) {
    throw malformed(e.column, explain(e, line));
  }
}
// What a text is. A request is asked. Throws malformed, with the place in the text, and unanswered.
value value_in(std::string const& text);

// A file's name, of text, bytes or a path.
std::string path_of(nb::handle h);

// shape:stride, where that is a layout. Throws malformed.
value checked_layout(value shape, value stride);

}  // namespace colex::python
