// Indices and coordinates, as hypotheses ask for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/meaning.hpp"

#include <algorithm>

namespace colex {

inline bool is_number(value const& v, integer const& least) {
  return v.is(kind::number) && v.basis.empty() && v.number >= least;
}
inline bool is_index(value const& v, integer const& n) { return is_number(v, 0) && v.number < n; }
// A coordinate of integers, of the same parentheses as the shape or fewer, inside it.
inline bool is_coordinate(value const& c, value const& shape) {
  if (!c.is(kind::tuple)) return is_index(c, size(shape));
  if (!shape.is(kind::tuple) || c.items.size() != shape.items.size()) return false;
  return std::equal(c.items.begin(), c.items.end(), shape.items.begin(), is_coordinate);
}

}  // namespace colex
