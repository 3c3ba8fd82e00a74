// What values mean: a layout's size, its value at an index or coordinate, the order of shapes. The vocabulary of
// the laws (laws.md, "Notation"); no operation of the algebra is computed here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <map>

namespace colex {

// Where an exact decision tabulates: a composition of at most this many elements, an inverse of this cosize or size.
inline constexpr int table_limit = 4096, inverse_limit = 256;

// An element of the free module that strides live in: an integer, or multiples of basis elements.
struct point {
  integer number = 0;
  std::map<std::vector<int>, integer> basis;  // by path, outermost mode first; no zero is kept

  point() = default;
  point(integer n) : number(std::move(n)) {}
  point(int n) : number(n) {}
  explicit point(value const& stride) { add(stride.basis, stride.number); }

  point& add(std::vector<int> const& path, integer const& n) {
    if (path.empty())
      number += n;
    else if (n != 0) {
      auto const at = basis.try_emplace(path, 0).first;
      if ((at->second += n) == 0) basis.erase(at);
    }
    return *this;
  }
  point& add(integer const& n, point const& p) {
    number += n * p.number;
    for (auto const& [path, m] : p.basis) add(path, integer(n * m));
    return *this;
  }
  // f(path, n) for each term, the integer under the empty path; nothing for 0.
  template <class F>
  void each(F f) const {
    if (number != 0) f(std::vector<int>{}, number);
    for (auto const& [path, n] : basis) f(path, n);
  }
  point& operator+=(point const& b) {
    number += b.number;
    for (auto const& [path, n] : b.basis) add(path, n);
    return *this;
  }
  friend point operator+(point a, point const& b) { return a += b; }
  friend point operator*(integer const& n, point a) {
    a.number *= n;
    if (n == 0) a.basis.clear();
    for (auto& term : a.basis) term.second *= n;
    return a;
  }
  bool operator==(point const&) const = default;
  bool is_integer() const { return basis.empty(); }
};

inline std::string print(point const& p) {
  std::string s;
  p.each([&](auto const& path, integer const& n) { s += (s.empty() ? "" : "+") + print(value(n, path)); });
  return s.empty() ? "0" : s;
}

inline integer size(value const& shape);

// The modes of a linear map as the shape of its coordinates: an extent of 2 for each basis.
inline value f2_shape(value const& bases) {
  auto const& modes = bases.items;
  if (modes.empty() || !modes[0].is(kind::tuple)) return value(integer(integer(1) << modes.size()));
  std::vector<value> out;
  for (value const& m : modes) out.push_back(f2_shape(m));
  return tuple_of(std::move(out));
}
inline void collect_bases(value const& bases, std::vector<integer>& out) {
  if (bases.is(kind::number)) return out.push_back(bases.number);
  for (value const& x : bases.items) collect_bases(x, out);
}
// The images of its bits, those of the first mode first.
inline std::vector<integer> f2_bases(value const& map) {
  if (!map.is(kind::f2)) throw std::invalid_argument(print(map) + " is no linear map");
  std::vector<integer> out;
  collect_bases(map.items[1], out);
  return out;
}

inline integer size(value const& shape) {
  if (shape.is(kind::f2)) return size(f2_shape(shape.items[1]));
  if (shape.is(kind::layout)) return size(shape.shape());
  if (shape.is(kind::composed)) return size(shape.items.back());
  integer n = shape.is(kind::number) ? shape.number : integer(1);
  for (value const& x : shape.items) n *= size(x);
  return n;
}

inline value const& need_layout(value const& v) {
  if (!v.is(kind::layout)) throw std::invalid_argument(print(v) + " is no layout");
  return v;
}
inline integer const& need_integer(value const& v) {
  if (!v.is(kind::number) || !v.basis.empty()) throw std::invalid_argument(print(v) + " is no integer");
  return v.number;
}
inline bool need_bool(value const& v) {
  if (!v.is("true") && !v.is("false")) throw std::invalid_argument(print(v) + " is neither true nor false");
  return v.is("true");
}

// The number of modes of a shape or layout; an integer is one mode.
inline std::size_t rank(value const& v) {
  value const& s = v.is(kind::layout) ? v.shape() : v;
  return s.is(kind::tuple) ? s.items.size() : 1;
}

inline value mode(value const& layout, std::size_t i) {
  if (!need_layout(layout).shape().is(kind::tuple)) return layout;
  return layout_of(layout.shape().items.at(i), layout.stride().items.at(i));
}

// The leaves (extent, stride) of a layout, fastest first.
using leaf_list = std::vector<std::pair<integer, point>>;
inline void collect_leaves(value const& shape, value const& stride, leaf_list& out) {
  if (!shape.is(kind::tuple)) return void(out.emplace_back(shape.number, point(stride)));
  for (std::size_t i = 0; i < shape.items.size(); ++i) collect_leaves(shape.items[i], stride.items[i], out);
}
inline leaf_list leaves(value const& layout) {
  leaf_list out;
  out.reserve(4);
  collect_leaves(need_layout(layout).shape(), layout.stride(), out);
  return out;
}

// The strides of a layout, leaf by leaf f(extent, stride).
template <class F>
value map_strides(value const& shape, value const& stride, F&& f) {
  if (!shape.is(kind::tuple)) return f(shape, stride);
  std::vector<value> out;
  for (std::size_t i = 0; i < shape.items.size(); ++i) out.push_back(map_strides(shape.items[i], stride.items[i], f));
  return tuple_of(std::move(out));
}

// The layout with stride 0 where the extent is 1.
inline value with_zero_units(value const& a) {
  auto const moving = [](value const& s, value const& d) { return s == value(1) ? value(0) : d; };
  return layout_of(need_layout(a).shape(), map_strides(a.shape(), a.stride(), moving));
}
// The value without what is spelling alone: that, and no parentheses around one mode.
inline value bare(value v) {
  if (v.is(kind::layout)) v = with_zero_units(v);
  for (value& x : v.items) x = bare(std::move(x));
  return v.is(kind::tuple) && v.items.size() == 1 ? v.items[0] : v;
}
inline bool spelled_alike(value const& a, value const& b) { return bare(a) == bare(b); }

// The leaves that an index counts through. An empty tuple in last place is one: it takes what is left, times 0.
inline bool ends_empty(value const& shape) {
  return shape.is(kind::tuple) && (shape.items.empty() || ends_empty(shape.items.back()));
}
inline leaf_list counted_leaves(value const& layout) {
  leaf_list out = leaves(layout);
  if (ends_empty(layout.shape())) out.emplace_back(1, point());
  return out;
}
// The value at index i: colexicographic digits times strides; the last leaf is unbounded.
inline point at(leaf_list const& leaves, integer i) {
  point sum;
  integer rest, digit;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    if (k + 1 == leaves.size()) return sum.add(i, leaves[k].second);
    mp::divide_qr(i, leaves[k].first, rest, digit);
    sum.add(digit, leaves[k].second);
    i = rest;
  }
  return sum;
}
inline point at(value const& layout, integer const& i) { return at(counted_leaves(layout), i); }

// The value at a coordinate: a tuple goes mode by mode.
inline point at_coordinate(value const& layout, value const& c) {
  if (!c.is(kind::tuple)) return at(layout, c.number);
  point sum;
  for (std::size_t k = 0; k < c.items.size(); ++k) sum += at_coordinate(mode(layout, k), c.items[k]);
  return sum;
}

// A linear map at an index below its size: the bases of the set bits, exclusive-or'ed.
inline integer f2_at(std::vector<integer> const& bases, integer const& i) {
  integer sum = 0;
  for (std::size_t k = 0; k < bases.size(); ++k)
    if (mp::bit_test(i, static_cast<unsigned>(k))) sum ^= bases[k];
  return sum;
}

// Sw<B,M,S> on a natural number: the B bits at M + max(S, 0) are exclusive-or'ed into those S below.
inline integer swizzled(value const& sw, integer const& x) {
  if (!sw.is(kind::swizzle)) throw std::invalid_argument(print(sw) + " is no swizzle");
  int const b = static_cast<int>(sw.items[0].number), m = static_cast<int>(sw.items[1].number),
            s = static_cast<int>(sw.items[2].number);
  integer const mask = ((integer(1) << b) - 1) << (m + std::max(s, 0)), bits = x & mask;
  return x ^ (s >= 0 ? integer(bits >> s) : integer(bits << -s));
}

// A coordinate as a point: its integers along the basis elements of their places. An integer is itself.
inline point point_of(value const& c, std::vector<int> const& path = {}) {
  point sum;
  if (!c.is(kind::tuple)) return sum.add(path, c.number);
  for (std::size_t k = 0; k < c.items.size(); ++k) {
    std::vector<int> deeper = path;
    deeper.push_back(static_cast<int>(k));
    sum += point_of(c.items[k], deeper);
  }
  return sum;
}

// Does every swizzle in a value have |S| >= B? A request that has another is refused as text; a program may answer one.
inline bool has_valid_swizzles(value const& v) {
  if (v.is(kind::swizzle)) return mp::abs(v.items[2].number) >= v.items[0].number;
  return std::all_of(v.items.begin(), v.items.end(), has_valid_swizzles);
}

// A layout, or that of a view or composed layout.
inline value const& layout_in(value const& a) { return a.is(kind::composed) ? a.items.back() : need_layout(a); }

// The shape of coordinates: of a layout, of a linear map, or itself.
inline value shape_in(value const& v) { return v.is(kind::layout) ? v.shape() : v.is(kind::f2) ? f2_shape(v.items[1]) : v; }

// What a view or composed layout has where its layout has the value x: behind its offset and its swizzle.
inline point behind(value const& a, point const& x) {
  if (a.is(kind::layout)) return x;
  value const& offset = a.items.at(a.items.size() - 2);
  point const inner = (offset.is(kind::tuple) ? point_of(offset) : point(offset)) + x;
  return a.items.size() == 2 ? inner : point(swizzled(a.items[0], inner.number));
}
// The value of a layout, view, composed layout or linear map at an index.
inline point value_at(value const& a, integer const& i) {
  return a.is(kind::f2) ? point(f2_at(f2_bases(a), i)) : behind(a, at(layout_in(a), i));
}

// S is congruent to T or coarser in profile.
inline bool weakly_congruent(value const& s, value const& t) {
  if (!s.is(kind::tuple)) return true;
  if (!t.is(kind::tuple) || s.items.size() != t.items.size()) return false;
  for (std::size_t i = 0; i < s.items.size(); ++i)
    if (!weakly_congruent(s.items[i], t.items[i])) return false;
  return true;
}

// S and T have the same profile.
inline bool congruent(value const& s, value const& t) {
  if (s.is(kind::tuple) != t.is(kind::tuple) || s.items.size() != t.items.size()) return false;
  for (std::size_t i = 0; i < s.items.size(); ++i)
    if (!congruent(s.items[i], t.items[i])) return false;
  return true;
}

// Every coordinate of S is a coordinate of T: T refines S.
inline bool compatible(value const& s, value const& t) {
  if (!s.is(kind::tuple)) return s.number == size(t);
  if (!t.is(kind::tuple) || s.items.size() != t.items.size()) return false;
  for (std::size_t i = 0; i < s.items.size(); ++i)
    if (!compatible(s.items[i], t.items[i])) return false;
  return true;
}

}  // namespace colex
