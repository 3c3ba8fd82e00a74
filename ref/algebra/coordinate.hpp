// Coordinates and indices: the value of a layout at a coordinate, and the maps between coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/tuple.hpp"

namespace colex::ref {

inline integer const& natural(integer const& i, char const* what) {
  if (i < 0) throw unspecified(std::string("a negative ") + what);
  return i;
}

// A(c): an integer counts colexicographically, the last mode goes on; a tuple goes mode by mode.
inline point layout::operator()(value const& c) const {
  if (!c.is(kind::tuple)) return (*this)(c.number);
  if (is_leaf || c.items.size() != modes.size()) throw undefined("coordinate " + print(c) + " does not fit the shape");
  point sum;
  for (std::size_t k = 0; k < modes.size(); ++k) sum += modes[k](c.items[k]);
  return sum;
}
// Adds A(i) to a sum, and takes from i what A counts. Where A goes on nothing is counted behind it.
inline void add_value(point& sum, layout const& a, integer& i, bool goes_on) {
  if (a.is_leaf && goes_on) return void(sum.add(i, a.stride));
  if (a.is_leaf) {
    integer turns, here;
    mp::divide_qr(i, a.extent, turns, here);
    sum.add(here, a.stride);
    i = std::move(turns);
  }
  for (layout const& m : a.modes) {
    if (i == 0) return;
    add_value(sum, m, i, goes_on && &m == &a.modes.back());
  }
}
inline point layout::operator()(integer const& i) const {
  point sum;
  integer rest = natural(i, "coordinate");
  add_value(sum, *this, rest, true);
  return sum;
}

// The part of a layout that a basis stride's path names.
inline layout const& mode_at(layout const& a, std::vector<int> const& path) {
  layout const* part = &a;
  for (int k : path) {
    if (part->is_leaf) throw undefined("no mode @" + std::to_string(k) + " in an integer");
    part = &mode(*part, static_cast<std::size_t>(k));
  }
  return *part;
}

// A at a value of another layout: each basis element speaks of one mode of A.
inline point layout::operator()(point const& p) const {
  point sum;
  p.each([&](auto const& path, integer const& n) { sum += mode_at(*this, path)(n); });
  return sum;
}

// A value in basis strides as a coordinate of the codomain whose extents are `shape`.
inline value terms_of(point const& p, value const& shape, std::vector<int> path = {}) {
  if (!shape.is(kind::tuple)) {
    if (path.empty()) return value(p.number);
    auto const at = p.basis.find(path);
    return value(at == p.basis.end() ? integer(0) : at->second);
  }
  std::vector<value> out;
  for (std::size_t i = 0; i < shape.items.size(); ++i) {
    path.push_back(static_cast<int>(i));
    out.push_back(terms_of(p, shape.items[i], path));
    path.pop_back();
  }
  return tuple_of(std::move(out));
}

inline value as_coordinate(point const& p, value const& shape) {
  value c = terms_of(p, shape);
  if (!(point_of(c) == p)) throw undefined("strides along a mode and along its parts");
  return c;
}
// The compact colexicographic strides of a shape, w times; extent 1 counts like any other.
inline value colex_strides(value const& shape, integer& w) {
  if (shape.is(kind::tuple)) return transform(shape, [&](value const& s) { return colex_strides(s, w); });
  integer const d = w;
  w *= shape.number;
  return value(d);
}

// The coordinate of an index; the last mode goes on.
inline value idx2crd(value const& i, value const& shape) {
  if (i.is(kind::tuple)) {
    if (!shape.is(kind::tuple) || shape.items.size() != i.items.size()) throw undefined("index and shape are not congruent");
    std::size_t k = 0;
    return transform(i, [&](value const& x) { return idx2crd(x, shape.items[k++]); });
  }
  integer rest = natural(i.number, "index");
  if (!shape.is(kind::tuple)) return value(rest);
  std::size_t k = 0;
  return transform(shape, [&](value const& s) {
    integer const n = size(s), here = ++k == shape.items.size() ? rest : integer(rest % n);
    rest /= n;
    return idx2crd(value(here), s);
  });
}

// The coordinate of an offset by strides: (i / d) mod s at each leaf. The inverse of a compact layout.
inline value idx2crd(value const& i, value const& shape, value const& stride) {
  if (shape.is(kind::tuple)) {
    bool const both = i.is(kind::tuple);
    if (!stride.is(kind::tuple) || stride.items.size() != shape.items.size() || (both && i.items.size() != shape.items.size()))
      throw undefined("shape, stride and index are not congruent");
    std::size_t k = 0;
    return transform(shape, [&](value const& s) {
      value const r = idx2crd(both ? i.items[k] : i, s, stride.items[k]);
      return ++k, r;
    });
  }
  if (i.is(kind::tuple) || stride.is(kind::tuple)) throw undefined("shape, stride and index are not congruent");
  if (shape.number == 1) return value(0);
  natural(stride.number, "stride");
  if (stride.number == 0) throw undefined("stride 0 has no coordinate");
  return value(natural(i.number, "index") / stride.number % shape.number);
}

inline integer crd2idx(value const& c, value const& shape) {
  integer w = 1;
  return from_value(layout_of(shape, colex_strides(shape, w)))(c).number;
}

inline value get_hier_coord(layout const& a, value const& i) {
  need_integer_strides(a, "get_hier_coord");
  return idx2crd(i, shape(a), stride(a));
}
inline value get_flat_coord(layout const& a, value const& i) {
  value const c = get_hier_coord(a, i);
  if (a.is_leaf) return c;
  std::vector<value> out;
  for (std::size_t k = 0; k < a.modes.size(); ++k) out.emplace_back(crd2idx(c.items[k], shape(a.modes[k])));
  return out.size() == 1 ? out[0] : tuple_of(std::move(out));
}
inline integer get_1d_coord(layout const& a, value const& i) { return crd2idx(get_hier_coord(a, i), shape(a)); }

}  // namespace colex::ref
