// Layouts behind an offset, and behind a swizzle and an offset.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/edit.hpp"
#include "ref/algebra/left_inverse.hpp"
#include "ref/algebra/recast.hpp"
#include "ref/algebra/swizzle.hpp"

namespace colex::ref {

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
// The profile with the modes of both.
inline value with_modes_of(value s, value const& t) {
  if (!s.is(kind::tuple) || !t.is(kind::tuple)) return s.is(kind::tuple) ? s : t;
  for (std::size_t i = 0; i < t.items.size(); ++i) {
    if (i == s.items.size()) s.items.emplace_back(0);
    s.items[i] = with_modes_of(s.items[i], t.items[i]);
  }
  return s;
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
