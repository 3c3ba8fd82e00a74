// Between layouts and linear maps over F2: to_f2 and from_f2. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/f2.hpp"
#include "gpu/algebra/recast.hpp"

namespace colex::gpu {

namespace detail {

// Sw(x).
COLEX_HD constexpr uint64 swizzled(swizzle const& sw, uint64 x) {
  if (sw.source() >= word_bits) return x;
  uint64 const low = x >> sw.source(), y = fits(low, sw.bits) ? low : low & (unit(sw.bits) - 1);
  if (y == 0) return x;
  if (highest_bit(y) + sw.target() >= word_bits) overflow();
  return x ^ y << sw.target();
}
COLEX_HD constexpr f2_map behind(swizzle const& sw, f2_map f) {
  for (int k = 0; k < f.count; ++k) f.basis[k] = swizzled(sw, f.basis[k]);
  return f;
}

// The bits that two bases have in common.
COLEX_HD constexpr uint64 shared_bits(f2_map const& f) {
  uint64 seen = 0, shared = 0;
  for (int k = 0; k < f.count; ++k) {
    shared |= seen & f.basis[k];
    seen |= f.basis[k];
  }
  return shared;
}

// With as many bits of a value as its bases need.
COLEX_HD constexpr f2_map fitted(f2_map f) {
  uint64 all = 0;
  for (uint64 const b : f.basis) all |= b;
  f.width = all == 0 ? 0 : highest_bit(all) + 1;
  return f;
}
// With n.
COLEX_HD constexpr f2_map widened(f2_map f, int64 n) {
  if (n < f.width) values_do_not_fit();
  f.width = at_most_word_bits(n);
  return f;
}

COLEX_HD constexpr uint64 doubled(uint64 x, int times) {
  if (x > ~uint64{0} >> times) overflow();
  return x << times;
}

}  // namespace detail

// The map with the shape of a and its values; those of n bits. undefined: an extent is no power of two, something carries, a
// value is negative or a coordinate, 0 has another value than 0, or the values have more bits.
COLEX_HD constexpr f2_map to_f2(layout const& a) {
  f2_map f = detail::zeros(shape(a));
  int next = 0;
  for (int k = 0; k < a.form.count; ++k) {
    if (f.bits[k] > 0 && a.basis[k] != 0) basis_stride();
    if (f.bits[k] > 0 && a.stride[k] < 0) not_natural();
    for (int j = 0; j < f.bits[k]; ++j) f.basis[next++] = detail::doubled(static_cast<uint64>(a.stride[k]), j);
  }
  if (detail::shared_bits(f) != 0) steps_carry();
  return detail::fitted(f);
}
COLEX_HD constexpr f2_map to_f2(composed const& a) {
  f2_map const f = to_f2(a.inner);
  if (a.integer_offset() != 0) not_zero_at_zero();
  return a.swizzled ? detail::fitted(detail::behind(a.sw, f)) : f;
}
template <class Layout>
COLEX_HD constexpr f2_map to_f2(Layout const& a, int64 n) {
  return detail::widened(to_f2(a), n);
}
// The map of a swizzle on the numbers of n bits.
COLEX_HD constexpr f2_map to_f2(swizzle const& sw, int64 n) {
  int const bits = detail::at_most_word_bits(n);
  f2_map f = detail::zeros(bits, bits);
  for (int k = 0; k < bits; ++k) f.basis[k] = detail::unit(k);
  return detail::widened(detail::fitted(detail::behind(sw, f)), n);
}

namespace detail {
COLEX_HD constexpr bool doubles(uint64 x, uint64 y) { return y >> 1 == x && (y & 1) == 0; }

// The bases [begin, end), a mode: each run of doubled ones is a leaf.
COLEX_HD constexpr void write_runs(layout_writer& w, f2_map const& f, int begin, int end) {
  if (begin == end) return w.put(1, 0);
  int runs = 1;
  for (int k = begin + 1; k < end; ++k) runs += !doubles(f.basis[k - 1], f.basis[k]);
  if (runs > 1) w.open();
  for (int k = begin, from = begin; k < end; ++k) {
    if (k + 1 < end && doubles(f.basis[k], f.basis[k + 1])) continue;
    if (!fits(f.basis[from], 63)) overflow();
    w.put(power_of_two(k + 1 - from), static_cast<int64>(f.basis[from]));
    from = k + 1;
  }
  if (runs > 1) w.close();
}
COLEX_HD constexpr layout layout_of_bases(f2_map const& f) {
  layout r;
  layout_writer w(r);
  for (int k = 0, next = 0; k < f.form.count; next += f.bits[k++]) {
    w.open(f.form.open[k]);
    write_runs(w, f, next, next + f.bits[k]);
    w.close(f.form.close[k]);
  }
  return r;
}

// The swizzle behind which f is a layout; none: 0 bits. It flips the bits from the lowest to the highest that two bases share,
// from S > 0 bits higher or, if none does, lower: as few as can be.
COLEX_HD constexpr swizzle swizzle_before_layout(f2_map const& f, uint64 shared) {
  int const low = highest_bit(shared & (0 - shared)), bits = highest_bit(shared) + 1 - low;
  for (int s = bits; low + bits + s <= f.width; ++s)
    if (shared_bits(behind({bits, low, s}, f)) == 0) return {bits, low, s};
  for (int s = bits; s <= low; ++s)
    if (shared_bits(behind({bits, low - s, -s}, f)) == 0) return {bits, low - s, -s};
  return {};
}
}  // namespace detail

// The layout, or the layout behind a swizzle, with the values of f at its coordinates. undefined: there is none.
COLEX_HD constexpr composed from_f2(f2_map const& f) {
  uint64 const shared = detail::shared_bits(f);
  if (shared == 0) return composition(swizzle{}, 0, detail::layout_of_bases(f));
  swizzle const sw = detail::swizzle_before_layout(f, shared);
  if (sw.bits == 0) no_layout_has_the_values();
  return composition(sw, 0, detail::layout_of_bases(detail::behind(sw, f)));
}

}  // namespace colex::gpu
