// Swizzles, and what stands before a layout: an offset and possibly a swizzle. Both as values. No operation of the algebra but
// those that swizzles have themselves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/edit.hpp"

namespace colex::gpu {

// Sw<B,M,S>: exclusive-or's the B bits at M + max(S, 0) into those S below.
struct swizzle {
  int bits = 0, base = 0, shift = 0;

  COLEX_HD constexpr bool operator==(swizzle const& b) const { return bits == b.bits && base == b.base && shift == b.shift; }

  // The lowest bit that is flipped, and the lowest that is read; from the end on none is either.
  COLEX_HD constexpr int target() const { return base - static_cast<int>(smaller(shift, 0)); }
  COLEX_HD constexpr int source() const { return target() + shift; }
  COLEX_HD constexpr int64 end() const { return base + bits + magnitude(shift); }

  // The value at x >= 0. unspecified: x < 0.
  COLEX_HD constexpr int64 operator()(int64 x) const {
    if (x < 0) negative_argument();
    if (source() > 62) return x;
    int64 const low = x >> source(), y = bits > 62 ? low : low & ((int64{1} << bits) - 1);
    if (y == 0) return x;
    if (target() > 62 || y > INT64_MAX >> target()) overflow();
    return x ^ (y << target());
  }
  // The same in the type of x and without checks, for kernels: 0 <= x, and all bits lie within that type.
  template <class Int>
  COLEX_HD constexpr Int unchecked(Int x) const {
    return x ^ ((x >> source() & ((Int{1} << bits) - 1)) << target());
  }
};

// A layout behind an offset and a swizzle (identity unless `swizzled`): Sw o offset o inner, or the view offset o inner.
struct composed {
  layout inner;
  int_tuple offset = 0;
  swizzle sw;
  bool swizzled = false;

  COLEX_HD constexpr bool operator==(composed const& b) const {
    return inner == b.inner && offset == b.offset && sw == b.sw && swizzled == b.swizzled;
  }
  COLEX_HD constexpr composed with(layout const& a) const { return {a, offset, sw, swizzled}; }
  COLEX_HD constexpr int64 integer_offset() const {
    if (is_tuple(offset.form, root(offset.form)) || offset.basis[0] != 0 || offset.kept != 0) not_an_integer();
    return offset.value[0];
  }
  // The value at an index, for integer offset and strides.
  COLEX_HD constexpr int64 operator()(int64 i) const { return outer(plus(integer_offset(), inner(i))); }
  COLEX_HD constexpr int64 outer(int64 x) const { return swizzled ? sw(x) : x; }
};

// Does nothing stand before the layout?
COLEX_HD constexpr bool is_plain(composed const& a) {
  return a.swizzled && a.sw.bits == 0 && !is_tuple(a.offset.form, root(a.offset.form)) && a.offset.value[0] == 0;
}

// Sw o offset o a, and a alone behind an offset. (CuTe composition(Swizzle, Offset, Layout))
COLEX_HD constexpr composed composition(swizzle const& sw, int_tuple const& offset, layout const& a) {
  if (is_tuple(offset.form, root(offset.form)) || has_basis(a)) not_an_integer();
  return {a, offset, sw, true};
}
COLEX_HD constexpr composed view(int_tuple const& offset, layout const& a) { return {a, offset, {}, false}; }

// The swizzle that is one after the other. undefined: it is none. (CuTe composition(Swizzle, Swizzle))
COLEX_HD constexpr swizzle composition(swizzle const& a, swizzle const& b) {
  if (a.bits == 0) return b;
  if (b.bits == 0) return a;
  int64 const span = magnitude(a.shift);
  if (a.shift != b.shift || a.bits > span || b.bits > span) swizzles_do_not_merge();
  if (a.end() > 62 || b.end() > 62) overflow();
  if (a == b) return {};
  int64 const mask = (((int64{1} << a.bits) - 1) << a.base) ^ (((int64{1} << b.bits) - 1) << b.base);
  swizzle r{0, 0,
            a.shift};  // flips the bits that only one of them flips: if that is one run, neither reads what the other flips
  while (!(mask >> r.base & 1)) ++r.base;
  while (mask >> (r.base + r.bits) & 1) ++r.bits;
  if (mask >> (r.base + r.bits) || r.bits > span) swizzles_do_not_merge();
  return r;
}

namespace detail {
// The integer 0 is nothing along any mode; a coordinate with fewer modes goes on with such.
COLEX_HD constexpr void add(tuple_writer& w, int_tuple const& a, branch at, int_tuple const& b, branch bt) {
  bool const leaf = !is_tuple(a.form, at), other_leaf = !is_tuple(b.form, bt);
  if (leaf && other_leaf) return w.put(plus(a.value[at.begin], b.value[bt.begin]));
  if (leaf && a.value[at.begin] == 0) return w.copy(b, bt);
  if (other_leaf && b.value[bt.begin] == 0) return w.copy(a, at);
  if (leaf || other_leaf) not_one_codomain();
  int const n = rank(a.form, at), m = rank(b.form, bt);
  w.open();
  for (int i = 0; i < n || i < m; ++i)
    if (i >= m)
      w.copy(a, mode(a.form, at, i));
    else if (i >= n)
      w.copy(b, mode(b.form, bt, i));
    else
      add(w, a, mode(a.form, at, i), b, mode(b.form, bt, i));
  w.close();
}
COLEX_HD constexpr int_tuple added(int_tuple const& a, int_tuple const& b) {
  int_tuple r;
  tuple_writer w(r);
  add(w, a, root(a.form), b, root(b.form));
  return r;
}
}  // namespace detail

// As apply of a layout; a swizzle acts on the integer that comes out.
COLEX_HD constexpr int_tuple apply(swizzle const& sw, int64 x) { return sw(x); }
COLEX_HD constexpr int_tuple apply(composed const& a, int_tuple const& c) {
  int_tuple const x = apply(a.inner, c);
  if (!a.swizzled && (is_tuple(a.offset.form, root(a.offset.form)) || is_tuple(x.form, root(x.form))))
    return detail::added(a.offset, x);
  if (is_tuple(x.form, root(x.form))) not_an_integer();
  return a.outer(plus(a.integer_offset(), x.value[0]));
}

// The slice behind the value of the coordinate's integers; the offset of a composed layout grows by that. (CuTe
// slice_and_offset)
COLEX_HD constexpr composed slice_and_offset(int_tuple const& c, layout const& a) {
  point sum;
  layout const rest = detail::slice(c, a, false, &sum);
  return view(to_coordinate(a, root(a.form), sum), rest);
}
COLEX_HD constexpr composed slice_and_offset(int_tuple const& c, composed const& a) {
  composed r = slice_and_offset(c, a.inner);
  r.offset = detail::added(a.offset, r.offset);
  r.sw = a.sw;
  r.swizzled = a.swizzled;
  return r;
}
COLEX_HD constexpr composed slice(int_tuple const& c, composed const& a) { return slice_and_offset(c, a); }

}  // namespace colex::gpu
