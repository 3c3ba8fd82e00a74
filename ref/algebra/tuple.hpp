// Shapes as nested tuples of integers: products, division, the orders on shapes; the extents of a codomain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/layout.hpp"

namespace colex::ref {

template <class F>
value transform(value const& s, F f) {
  std::vector<value> out;
  for (value const& x : s.items) out.push_back(f(x));
  return tuple_of(std::move(out));
}

inline value product_each(value const& s) {
  if (!s.is(kind::tuple)) return s;
  return transform(s, [](value const& x) { return value(size(x)); });
}

// The orders on shapes: `leaf` says what a leaf of S may face in T; a tuple faces a tuple of its rank.
template <class F>
bool faces(value const& s, value const& t, F const& leaf) {
  if (!s.is(kind::tuple)) return leaf(s, t);
  if (!t.is(kind::tuple) || s.items.size() != t.items.size()) return false;
  for (std::size_t i = 0; i < s.items.size(); ++i)
    if (!faces(s.items[i], t.items[i], leaf)) return false;
  return true;
}
// The same profile.
inline bool congruent(value const& s, value const& t) {
  return faces(s, t, [](value const&, value const& x) { return !x.is(kind::tuple); });
}
// S is as coarse as T or coarser in profile.
inline bool weakly_congruent(value const& s, value const& t) {
  return faces(s, t, [](value const&, value const&) { return true; });
}
// Every coordinate of S is one of T: T refines S.
inline bool compatible(value const& s, value const& t) {
  return faces(s, t, [](value const& n, value const& x) { return n.number == size(x); });
}

inline integer ceil_div(integer const& a, integer const& b) { return (a + b - 1) / b; }
// How many bits a natural number has.
inline std::size_t bit_width(integer const& n) { return n == 0 ? 0 : mp::msb(n) + 1; }

// Divides a shape by a shape mode by mode, by an integer front to back: what does not fit a mode carries on.
inline value divide_shape(value const& a, value const& b, integer (*leaf)(integer const&, integer const&), bool pad) {
  if (!a.is(kind::tuple)) return value(leaf(a.number, size(b)));
  std::vector<value> out;
  if (b.is(kind::tuple)) {
    if (b.items.size() > a.items.size() || (!pad && b.items.size() < a.items.size()))
      throw undefined("the divisor has another rank");
    for (std::size_t i = 0; i < a.items.size(); ++i)
      out.push_back(divide_shape(a.items[i], i < b.items.size() ? b.items[i] : value(1), leaf, pad));
    return tuple_of(std::move(out));
  }
  integer rest = b.number;
  for (value const& s : a.items) {
    out.push_back(divide_shape(s, value(rest), leaf, pad));
    rest = leaf(rest, size(s));
  }
  return tuple_of(std::move(out));
}

inline value ceil_div(value const& a, value const& b) { return divide_shape(a, b, ceil_div, true); }

// Tiles fill the shape without rounding up anywhere, mode by mode; a mode without a tile is whole.
inline bool evenly_divides(value const& s, value const& tile) {
  if (!tile.is(kind::tuple)) return size(s) == tile.number * size(ceil_div(s, tile));
  if (!s.is(kind::tuple) || tile.items.size() > s.items.size()) return false;
  for (std::size_t i = 0; i < tile.items.size(); ++i)
    if (!evenly_divides(s.items[i], tile.items[i])) return false;
  return true;
}

inline integer exact_div(integer const& x, integer const& y) {
  if (x % y != 0 && y % x != 0) throw undefined("neither of " + x.str() + " and " + y.str() + " divides the other");
  return ceil_div(x, y);
}
inline value shape_div(value const& a, value const& b) { return divide_shape(a, b, exact_div, false); }

// How far the values of a layout reach along each basis element.
using reaches = std::vector<std::pair<std::vector<int>, integer>>;
inline value extents_of(reaches const& all, std::size_t depth) {
  int most = -1;
  integer here = 1;
  for (auto const& [path, n] : all) {
    if (path.size() == depth)
      here += n;
    else
      most = std::max(most, path[depth]);
  }
  if (most < 0) return value(here);
  if (here != 1) throw undefined("strides along a mode and along its parts");
  std::vector<value> items;
  for (int i = 0; i <= most; ++i) {
    reaches part;
    for (auto const& r : all)
      if (r.first.size() > depth && r.first[depth] == i) part.push_back(r);
    items.push_back(extents_of(part, depth + 1));
  }
  return tuple_of(std::move(items));
}
// The lengths of the intervals that hold the image, one for each coordinate of the codomain.
inline value coshape(layout const& a) {
  reaches all;
  for (layout const& m : leaves(a))
    m.stride.each([&](auto const& path, integer const& d) { all.emplace_back(path, (m.extent - 1) * mp::abs(d)); });
  return extents_of(all, 0);
}
inline integer cosize(layout const& a) { return size(coshape(a)); }

}  // namespace colex::ref
