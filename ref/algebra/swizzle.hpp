// Swizzles, and layouts behind a swizzle and an offset.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/edit.hpp"
#include "ref/algebra/left_inverse.hpp"
#include "ref/algebra/recast.hpp"

namespace colex::ref {

// B bits at M and B bits |S| higher; the source bits are the higher ones if S > 0.
struct swizzle {
  int b = 0, m = 0, s = 0;

  // x with each target bit flipped where its source bit is set.
  integer operator()(integer const& x) const {
    integer y = natural(x, "argument of a swizzle");
    for (int k = m; k < m + b; ++k) {
      int const source = s > 0 ? k + s : k, target = s > 0 ? k : k - s;
      if (mp::bit_test(x, static_cast<unsigned>(source))) mp::bit_flip(y, static_cast<unsigned>(target));
    }
    return y;
  }
};
inline swizzle swizzle_from(value const& v) {
  return {static_cast<int>(v.items[0].number), static_cast<int>(v.items[1].number), static_cast<int>(v.items[2].number)};
}
inline value to_value(swizzle const& w) { return {kind::swizzle, {value(w.b), value(w.m), value(w.s)}}; }

// Source and target bits do not meet.
inline swizzle valid(swizzle const& w) {
  if (std::abs(w.s) < w.b) throw undefined("a swizzle whose source and target bits meet");
  return w;
}

inline bool is_power_of_two(integer const& n) { return n > 0 && (n & (n - 1)) == 0; }
inline int exact_log2(integer const& n) {
  if (!is_power_of_two(n)) throw undefined(n.str() + " is no power of two");
  return static_cast<int>(mp::msb(n));
}

// Sw'(x div n) == Sw(x) div n: target bits inside the element are gone; a source bit inside may not have one outside.
inline swizzle upcast(swizzle const& w, integer const& n) {
  if (n < 1) throw undefined("upcast by " + n.str());
  if (w.b == 0 && !is_power_of_two(n)) return w;
  int const k = exact_log2(n), target = w.m + std::max(0, -w.s), source = w.m + std::max(0, w.s);
  int const lost = std::min(w.b, std::max(0, k - target));
  if (lost < w.b && source + lost < k) throw undefined("a swizzle whose source bits lie inside one element");
  return {w.b - lost, std::max(0, w.m - k), w.s};
}
inline swizzle downcast(swizzle const& w, integer const& n) {
  if (n < 1) throw undefined("downcast by " + n.str());
  return w.b == 0 && !is_power_of_two(n) ? w : swizzle{w.b, w.m + exact_log2(n), w.s};
}

// No bit from here on is touched.
inline int end_of(swizzle const& w) { return w.m + w.b + std::abs(w.s); }

// Sw o Sw', where that is a swizzle again: the bits that only one of them flips, if in one run. Exact by linearity.
inline swizzle composition(swizzle const& v, swizzle const& w) {
  if (v.b == 0) return w;
  swizzle r{0, 0, v.s};
  for (int k = std::max(v.m + v.b, w.m + w.b) - 1; k >= 0; --k)
    if ((k >= v.m && k < v.m + v.b) != (k >= w.m && k < w.m + w.b)) r = {r.b + 1, k, v.s};
  for (int k = 0; k < end_of(v) + end_of(w); ++k)
    if (v(w(integer(1) << k)) != r(integer(1) << k)) throw undefined("the composition of these swizzles is no swizzle");
  return r.b == 0 ? swizzle{} : valid(r);
}

// Sw o offset o layout; without a swizzle a view: offset o layout.
struct composed {
  std::optional<swizzle> outer;
  point offset;
  layout inner;
  value written = value(0);  // the offset that the view had at first: a coordinate has at least its modes

  point operator()(value const& c) const {
    point const x = offset + inner(c);
    return outer ? point((*outer)(x.number)) : x;
  }
  point operator()(integer const& i) const { return (*this)(value(i)); }
};
inline composed composed_from(value const& v) {
  bool const swizzled = v.items.size() == 3;
  value const& off = v.items[swizzled ? 1 : 0];
  layout const inner = from_value(v.items.back());
  if (swizzled && (off.is(kind::tuple) || !off.basis.empty() || has_basis(inner))) throw undefined("a swizzle of a coordinate");
  return {swizzled ? std::optional(swizzle_from(v.items[0])) : std::nullopt, point_of(off), inner, off};
}
// A value of a tensor: a coordinate where the tensor has such.
inline value as_value_of(point const& p, composed const& of) {
  return as_coordinate(p, with_modes_of(coshape(of.inner), of.written));
}
inline value to_value(composed const& c) {
  std::vector<value> parts;
  if (c.outer) parts.push_back(to_value(*c.outer));
  parts.push_back(as_coordinate(c.offset, c.written));
  parts.push_back(to_value(c.inner));
  return {kind::composed, std::move(parts)};
}

// The same composition around another layout.
template <class F>
composed around(composed const& c, F f) {
  return {c.outer, c.offset, f(c.inner), c.written};
}
// Where the coordinate is fixed, the offset grows inside the swizzle.
inline composed slice(value const& c, composed const& a) {
  return {a.outer, a.offset + slice_offset(c, a.inner), slice(c, a.inner), a.written};
}

inline integer const& integer_offset(composed const& c) {
  if (c.written.is(kind::tuple)) throw undefined("an offset that is a coordinate");
  return c.offset.number;
}
inline void need_integers(composed const& c, char const* op) {
  need_integer_strides(c.inner, op);
  integer_offset(c);
}
inline integer divided(integer const& offset, integer const& n) {
  if (offset % n != 0) throw undefined("the offset is no multiple of " + n.str());
  return offset / n;
}
inline composed upcast(composed const& c, integer const& n) {
  layout const inner = upcast(c.inner, n);
  return {c.outer ? std::optional(upcast(*c.outer, n)) : c.outer, divided(integer_offset(c), n), inner};
}
inline composed downcast(composed const& c, integer const& n) {
  return {c.outer ? std::optional(downcast(*c.outer, n)) : c.outer, n * integer_offset(c), downcast(c.inner, n)};
}

// The swizzle that acts on the values of the layout R as Sw acts on its indices, where R moves each bit to a bit.
inline swizzle moved(swizzle const& w, layout const& r) {
  int const source = exact_log2(r(integer(integer(1) << (w.m + std::max(0, w.s)))).number);
  int const target = exact_log2(r(integer(integer(1) << (w.m + std::max(0, -w.s)))).number);
  return valid({w.b, std::min(source, target), source - target});
}
// The candidate Sw' o R, where `good` shows at every one of n indices that it is the inverse asked for.
template <class Good>
composed swizzled_inverse(composed const& c, layout const& r, integer const& n, Good good) {
  if (!c.outer || c.offset != point()) throw undefined("the inverse of a layout with an offset is no composed layout");
  if (n > table_limit)
    throw undecided("the inverse of a swizzled layout of more than " + std::to_string(table_limit) + " elements");
  composed const out{moved(*c.outer, r), 0, r};
  for (integer i = 0; i < n; ++i)
    if (!good(out, i)) throw undefined("the inverse is not a swizzled layout");
  return out;
}
inline composed right_inverse(composed const& c) {
  layout const r = right_inverse(c.inner);
  return swizzled_inverse(c, r, size(r), [&](composed const& out, integer const& i) {
    return out(i).number < size(c.inner) && c(out(i).number) == point(i);
  });
}
inline composed left_inverse(composed const& c) {
  layout const l = left_inverse(c.inner);
  return swizzled_inverse(c, l, size(c.inner),
                          [&](composed const& out, integer const& i) { return out(c(i).number) == point(i); });
}

}  // namespace colex::ref
