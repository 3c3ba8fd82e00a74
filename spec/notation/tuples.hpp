// What CuTe's functions of tuples give: as people ask for them within a line. Of layouts the operations of the same names do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <optional>

namespace colex::detail {

// The item of that number, from 0; a number is its own. Nothing where there is none.
inline std::optional<value> item_of(value const& v, value const& number) {
  std::size_t const n = v.is(kind::tuple) ? v.items.size() : 1;
  if (!number.is(kind::number) || !number.basis.empty() || number.number < 0 || number.number >= n) return std::nullopt;
  return v.is(kind::tuple) ? v.items[static_cast<std::size_t>(number.number)] : v;
}

inline void append_leaves(value const& v, std::vector<value>& out) {
  if (!v.is(kind::tuple)) return out.push_back(v);
  for (value const& x : v.items) append_leaves(x, out);
}
// What stands in it, without the brackets within; a number is its own.
inline value flat(value const& v) {
  if (!v.is(kind::tuple)) return v;
  std::vector<value> out;
  append_leaves(v, out);
  return tuple_of(std::move(out));
}

// Are there modes left open in the coordinate?
inline bool is_open(value const& c) { return c.is("_") || c.is("X") || std::any_of(c.items.begin(), c.items.end(), is_open); }

// What stands beside what is open of the coordinate. Is there something beside each of its items?
inline bool append_open(value const& c, value const& of, std::vector<value>& out) {
  if (!c.is(kind::tuple)) {
    if (is_open(c)) out.push_back(of);
    return true;
  }
  if (!of.is(kind::tuple) || of.items.size() != c.items.size()) return false;
  for (std::size_t k = 0; k < c.items.size(); ++k)
    if (!append_open(c.items[k], of.items[k], out)) return false;
  return true;
}
inline std::optional<value> sliced(value const& c, value const& of) {
  std::vector<value> out;
  if (!append_open(c, of, out)) return std::nullopt;
  return tuple_of(std::move(out));
}

}  // namespace colex::detail
