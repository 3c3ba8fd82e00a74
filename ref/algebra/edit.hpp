// Editing layouts: picking, grouping, adding and pairing modes; slicing and dicing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coordinate.hpp"

namespace colex::ref {

inline layout select(layout const& a, std::vector<std::size_t> const& which) {
  std::vector<layout> out;
  for (std::size_t i : which) out.push_back(mode(a, i));
  return layout(std::move(out));
}

inline void check_range(layout const& a, std::size_t b, std::size_t e) {
  if (b > e || e > rank(a))
    throw undefined("modes " + std::to_string(b) + " to " + std::to_string(e) + " of " + std::to_string(rank(a)));
}
inline layout take(layout const& a, std::size_t b, std::size_t e) {
  check_range(a, b, e);
  std::vector<layout> const m = modes(a);
  return layout(std::vector<layout>(m.begin() + static_cast<std::ptrdiff_t>(b), m.begin() + static_cast<std::ptrdiff_t>(e)));
}

// Modes b .. e-1 become one mode.
inline layout group(layout const& a, std::size_t b, std::size_t e) {
  std::vector<layout> out = take(a, 0, b).modes;
  out.push_back(take(a, b, e));
  for (layout const& m : take(a, e, rank(a)).modes) out.push_back(m);
  return layout(std::move(out));
}

// Puts copies of b behind (or before) the modes of A until there are n.
inline layout pad(layout const& a, std::size_t n, layout const& b, bool front) {
  if (rank(a) > n) throw undefined("already more than " + std::to_string(n) + " modes");
  if (rank(a) == n) return a;
  std::vector<layout> out = modes(a);
  out.insert(front ? out.begin() : out.end(), n - out.size(), b);
  return layout(std::move(out));
}
inline layout append(layout const& a, std::size_t n, layout const& b = {}) { return pad(a, n, b, false); }

// B in place of mode i; an integer is its own mode 0.
inline layout replace(layout const& a, std::size_t i, layout const& b) {
  mode(a, i);
  if (a.is_leaf) return b;
  std::vector<layout> out = modes(a);
  out[i] = b;
  return layout(std::move(out));
}

// (A, B) mode i by mode i: ((A0,B0),(A1,B1),...).
inline layout zip(layout const& a, layout const& b) {
  if (a.is_leaf && b.is_leaf) return layout({a, b});
  if (rank(a) != rank(b)) throw undefined("zip of different ranks");
  std::vector<layout> out;
  for (std::size_t i = 0; i < rank(a); ++i) out.push_back(layout({mode(a, i), mode(b, i)}));
  return layout(std::move(out));
}
// The modes of A zipped: ((a,b),(c,d)) is ((a,c),(b,d)).
inline layout zip(layout const& a) {
  if (a.is_leaf) return a;
  if (a.modes.empty()) throw undefined("zip of nothing");
  if (a.modes[0].is_leaf) return a;
  std::vector<layout> out(rank(a.modes[0]), layout(std::vector<layout>{}));
  for (layout const& m : a.modes) {
    if (m.is_leaf || m.modes.size() != out.size()) throw undefined("zip of different ranks");
    for (std::size_t i = 0; i < out.size(); ++i) out[i].modes.push_back(m.modes[i]);
  }
  return layout(std::move(out));
}

inline bool is_wild(value const& c) { return c.is("_") || c.is("X"); }

// The modes under `_` (keep = true) or those under anything else (dice), spliced into one list.
inline void collect_modes(value const& c, layout const& a, bool keep, std::vector<layout>& out) {
  if (!c.is(kind::tuple)) {
    if (is_wild(c) == keep) out.push_back(a);
    return;
  }
  if (a.is_leaf || c.items.size() != a.modes.size()) throw undefined("coordinate " + print(c) + " does not fit the shape");
  for (std::size_t i = 0; i < c.items.size(); ++i) collect_modes(c.items[i], a.modes[i], keep, out);
}
inline layout picked(value const& c, layout const& a, bool keep) {
  if (!c.is(kind::tuple) && is_wild(c) == keep) return a;
  std::vector<layout> out;
  collect_modes(c, a, keep, out);
  return layout(std::move(out));
}
inline layout slice(value const& c, layout const& a) { return picked(c, a, true); }
inline layout dice(value const& c, layout const& a) { return picked(c, a, false); }

// The coordinate with 0 in place of `_`.
inline value fixed_part(value const& c) { return c.is(kind::tuple) ? transform(c, fixed_part) : is_wild(c) ? value(0) : c; }
inline point slice_offset(value const& c, layout const& a) { return a(fixed_part(c)); }

}  // namespace colex::ref
