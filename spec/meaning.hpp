// What values mean: a layout's size, its value at an index or coordinate, the order of shapes. The vocabulary of
// the laws (laws.md, "Notation"); no operation of the algebra is computed here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation.hpp"

#include <map>

namespace colex {

// Where an exact decision tabulates: a composition of at most this many elements, an inverse of this cosize or size.
inline constexpr int table_limit = 4096, inverse_limit = 256;

// An element of the free module that strides live in: an integer (the empty path), or multiples of basis elements.
struct point {
  std::map<std::vector<int>, integer> terms;  // no zero is kept

  point() = default;
  point(integer n) { add({}, std::move(n)); }
  point(int n) : point(integer(n)) {}
  explicit point(value const& stride) { add(stride.basis, stride.number); }

  point& add(std::vector<int> const& path, integer const& n) {
    if (n == 0) return *this;
    auto [at, fresh] = terms.try_emplace(path, n);
    if (!fresh && (at->second += n) == 0) terms.erase(at);
    return *this;
  }
  point& operator+=(point const& b) {
    for (auto const& [path, n] : b.terms) add(path, n);
    return *this;
  }
  friend point operator+(point a, point const& b) { return a += b; }
  friend point operator*(integer const& n, point a) {
    if (n == 0) return {};
    for (auto& term : a.terms) term.second *= n;
    return a;
  }
  bool operator==(point const&) const = default;

  bool is_integer() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }
  integer const& number() const {
    static integer const zero = 0;
    return terms.empty() ? zero : terms.begin()->second;
  }
};

inline std::string print(point const& p) {
  if (p.is_integer()) return p.number().str();
  std::string s;
  for (auto const& [path, n] : p.terms) s += (s.empty() ? "" : "+") + print(value(n, path));
  return s;
}

inline integer size(value const& shape) {
  if (shape.is(kind::layout)) return size(shape.shape());
  if (shape.is(kind::composed)) return size(shape.items.back());
  integer n = shape.is(kind::number) ? shape.number : integer(1);
  for (value const& x : shape.items) n *= size(x);
  return n;
}

// The number of modes of a shape or layout; an integer is one mode.
inline std::size_t rank(value const& v) {
  value const& s = v.is(kind::layout) ? v.shape() : v;
  return s.is(kind::tuple) ? s.items.size() : 1;
}

inline value mode(value const& layout, std::size_t i) {
  if (!layout.shape().is(kind::tuple)) return layout;
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
  collect_leaves(layout.shape(), layout.stride(), out);
  return out;
}

// The value at index i: colexicographic digits times strides; the last leaf is unbounded.
inline point at(leaf_list const& leaves, integer i) {
  point sum;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    bool const last = k + 1 == leaves.size();
    sum += (last ? i : integer(i % leaves[k].first)) * leaves[k].second;
    if (!last) i /= leaves[k].first;
  }
  return sum;
}
inline point at(value const& layout, integer const& i) { return at(leaves(layout), i); }

// The value at a coordinate: a tuple goes mode by mode.
inline point at_coordinate(value const& layout, value const& c) {
  if (!c.is(kind::tuple)) return at(layout, c.number);
  point sum;
  for (std::size_t k = 0; k < c.items.size(); ++k) sum += at_coordinate(mode(layout, k), c.items[k]);
  return sum;
}

// Sw<B,M,S> on a natural number: the B bits at M + max(S, 0) are exclusive-or'ed into those S below.
inline integer swizzled(value const& sw, integer const& x) {
  int const b = static_cast<int>(sw.items[0].number), m = static_cast<int>(sw.items[1].number),
            s = static_cast<int>(sw.items[2].number);
  integer const mask = ((integer(1) << b) - 1) << (m + std::max(s, 0)), bits = x & mask;
  return x ^ (s >= 0 ? integer(bits >> s) : integer(bits << -s));
}

// The value of a layout, view or composed layout at an index.
inline point value_at(value const& a, integer const& i) {
  if (a.is(kind::layout)) return at(a, i);
  point const inner = point(a.items[a.items.size() - 2]) + at(a.items.back(), i);
  return a.items.size() == 2 ? inner : point(swizzled(a.items[0], inner.number()));
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
