// Linear maps over F2, the field of two elements, in words: up to 64 bits of an index, up to 64 of a value. From layouts to
// them and back is in f2_layout.hpp. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/int_tuple.hpp"

namespace colex::gpu {

using uint64 = std::uint64_t;
inline constexpr int word_bits = 64;

// i -> the bases of the set bits of i, exclusive-or'ed. A value, as a layout is: == is equality, and it can be a template
// argument. Unless filled it takes one index, of no bits.
struct f2_map {
  profile form{1, {}, {}};           // around the modes
  std::uint8_t bits[capacity] = {};  // of each mode's coordinate
  int count = 0, width = 0;          // bits of an index, of a value
  uint64 basis[word_bits] = {};      // one for each bit of an index

  constexpr bool operator==(f2_map const&) const = default;

  // The value at an index. undefined: it has more bits.
  COLEX_HD constexpr uint64 operator()(uint64 i) const;
  // The same without checks, for kernels: bits beyond those of an index do nothing.
  COLEX_HD constexpr uint64 unchecked(uint64 i) const {
    uint64 sum = 0;
    for (int k = 0; k < count; ++k) sum ^= basis[k] & (0 - (i >> k & 1));
    return sum;
  }
};

namespace detail {
COLEX_HD constexpr uint64 unit(int bit) { return uint64{1} << bit; }
// Of 0 it is 0.
COLEX_HD constexpr int highest_bit(uint64 x) {
  int k = 0;
  for (int step = word_bits / 2; step > 0; step /= 2)
    if (x >> (k + step) != 0) k += step;
  return k;
}
// Has x at most n bits?
COLEX_HD constexpr bool fits(uint64 x, int n) { return n >= word_bits || x >> n == 0; }
COLEX_HD constexpr int at_most_word_bits(int64 n) {
  if (n > word_bits) overflow();
  return static_cast<int>(n);
}

// All bases 0, with values of `width` bits: a map of one mode.
COLEX_HD constexpr f2_map zeros(int count, int width) {
  f2_map f;
  f.bits[0] = static_cast<std::uint8_t>(count);
  f.count = count;
  f.width = width;
  return f;
}
// Two maps as the modes of one.
COLEX_HD constexpr f2_map joined(f2_map const& a, f2_map const& b, int width) {
  f2_map f = zeros(at_most_word_bits(a.count + b.count), width);
  f.form = {};
  profile_writer w{f.form};
  w.open();
  int next = 0;
  for (f2_map const* part : {&a, &b}) {
    int const first = w.subtree(part->form, root(part->form));
    for (int k = 0; k < part->form.count; ++k) f.bits[first + k] = part->bits[k];
    for (int k = 0; k < part->count; ++k) f.basis[next++] = part->basis[k];
  }
  w.close();
  return f;
}
}  // namespace detail

COLEX_HD constexpr uint64 f2_map::operator()(uint64 i) const {
  if (!detail::fits(i, count)) not_an_index();
  return unchecked(i);
}

namespace detail {
// All bases 0 over the modes of a shape. undefined: an extent is no power of two.
COLEX_HD constexpr f2_map zeros(int_tuple const& shape) {
  f2_map f;
  if (shape.form.count > 0) f.form = shape.form;
  for (int k = 0; k < shape.form.count; ++k) {
    int64 const s = shape.value[k];
    if (s < 1 || (s & (s - 1)) != 0) not_a_power_of_two();
    f.bits[k] = static_cast<std::uint8_t>(highest_bit(static_cast<uint64>(s)));
    f.count = at_most_word_bits(f.count + f.bits[k]);
  }
  return f;
}
}  // namespace detail

// With values of `width` bits, the bases by the modes of a shape. undefined: an extent is no power of two, there are not as
// many bases as bits of an index, or one has more bits than a value.
COLEX_HD constexpr f2_map make_f2_map(int64 width, int_tuple const& shape, std::initializer_list<uint64> bases) {
  f2_map f = detail::zeros(shape);
  f.width = detail::at_most_word_bits(width);
  if (width < 0 || static_cast<int>(bases.size()) != f.count) bases_do_not_fit();
  int k = 0;
  for (uint64 const b : bases) {
    if (!detail::fits(b, f.width)) bases_do_not_fit();
    f.basis[k++] = b;
  }
  return f;
}

namespace detail {
COLEX_HD constexpr uint64 f2_index(f2_map const& f, branch at, int_tuple const& c, branch ct) {
  int n = 0;
  if (!is_tuple(c.form, ct)) {
    for (int k = at.begin; k < at.end; ++k) n += f.bits[k];
    if (c.value[ct.begin] < 0) negative_coordinate();
    if (!fits(static_cast<uint64>(c.value[ct.begin]), n)) coordinate_does_not_fit_shape();
    return static_cast<uint64>(c.value[ct.begin]);
  }
  int const modes = rank(c.form, ct);
  if (!has_rank(f.form, at, modes)) coordinate_does_not_fit_shape();
  uint64 index = 0;
  for (int i = 0; i < modes; ++i) {
    branch const m = mode(f.form, at, i);
    uint64 const x = f2_index(f, m, c, mode(c.form, ct, i));
    if (x != 0) index |= x << n;  // no shift by 64, behind which only modes of one element come
    for (int k = m.begin; k < m.end; ++k) n += f.bits[k];
  }
  return index;
}
}  // namespace detail

// The value at a coordinate. undefined: it is outside the shape or does not fit it; unspecified: it is negative.
COLEX_HD constexpr uint64 f2_apply(f2_map const& f, int_tuple const& c) {
  return f.unchecked(detail::f2_index(f, root(f.form), c, root(c.form)));
}

namespace detail {

// Gauss-Jordan: rows by their highest bit, which no other row has; beside each what it was made of.
struct echelon {
  uint64 pivots = 0;  // the highest bits
  uint64 row[word_bits] = {}, from[word_bits] = {};

  // Takes from y the rows whose highest bits it has, and from x what those were made of. Of all y + sum of rows the least is
  // left.
  COLEX_HD constexpr void reduce(uint64& y, uint64& x) const {
    for (uint64 hit = y & pivots; hit != 0; hit = y & pivots) {
      int const k = highest_bit(hit);
      y ^= row[k];
      x ^= from[k];
    }
  }
  COLEX_HD constexpr uint64 least(uint64 y) const {
    uint64 x = 0;
    reduce(y, x);
    return y;
  }
  // y, which no rows reduce, is a new row.
  COLEX_HD constexpr void add(uint64 y, uint64 x) {
    int const highest = highest_bit(y);
    for (int k = highest + 1; k < word_bits; ++k)
      if (row[k] >> highest & 1) row[k] ^= y, from[k] ^= x;
    row[highest] = y;
    from[highest] = x;
    pivots |= unit(highest);
  }
};

// The map whose value at i is the i-th smallest of the subspace that the rows span.
COLEX_HD constexpr f2_map ascending(echelon const& e, int width) {
  f2_map f = zeros(0, width);
  for (uint64 const row : e.row)
    if (row != 0) f.basis[f.count++] = row;
  f.bits[0] = static_cast<std::uint8_t>(f.count);
  return f;
}

// A map's values with indices that have them, and the indices of 0.
struct elimination {
  echelon image, kernel;

  COLEX_HD constexpr explicit elimination(f2_map const& f) {
    for (int k = 0; k < f.count; ++k) {
      uint64 y = f.basis[k], x = unit(k);
      image.reduce(y, x);
      if (y != 0)
        image.add(y, x);
      else
        kernel.add(kernel.least(x), 0);  // not 0: bit k is in no other
    }
  }
  COLEX_HD constexpr bool is_value(uint64 y) const { return image.least(y) == 0; }
  // The least x of those for which F(x) ^ y is least.
  COLEX_HD constexpr uint64 index_of(uint64 y) const {
    uint64 x = 0;
    image.reduce(y, x);
    return kernel.least(x);
  }
};

// 2^k -> the index of the value 2^k, for k < n.
COLEX_HD constexpr f2_map indices(elimination const& e, int n, int width) {
  f2_map f = zeros(n, width);
  for (int k = 0; k < n; ++k) f.basis[k] = e.index_of(unit(k));
  return f;
}

}  // namespace detail

// The values in ascending order; the indices of 0 in ascending order; the number of bits of the first.
COLEX_HD constexpr f2_map f2_image(f2_map const& f) { return detail::ascending(detail::elimination(f).image, f.width); }
COLEX_HD constexpr f2_map f2_kernel(f2_map const& f) { return detail::ascending(detail::elimination(f).kernel, f.count); }
COLEX_HD constexpr int f2_rank(f2_map const& f) { return f2_image(f).count; }

// F o G. undefined: a value of G is no index of F.
COLEX_HD constexpr f2_map f2_compose(f2_map const& f, f2_map const& g) {
  f2_map r = g;
  r.width = f.width;
  for (int k = 0; k < g.count; ++k) r.basis[k] = f(g.basis[k]);
  return r;
}

// L(y): the x for which F(x) ^ y is least, and of those the least.
COLEX_HD constexpr f2_map f2_left_inverse(f2_map const& f) { return detail::indices(detail::elimination(f), f.width, f.count); }
// R(y): the least x with F(x) = y, for y below the largest power of two up to which all are values.
COLEX_HD constexpr f2_map f2_right_inverse(f2_map const& f) {
  detail::elimination const e(f);
  int n = 0;
  while (n < f.width && e.is_value(detail::unit(n))) ++n;
  return detail::indices(e, n, f.count);
}
// The inverse of a bijection. undefined: it is none.
COLEX_HD constexpr f2_map f2_invert(f2_map const& f) {
  detail::elimination const e(f);
  if (f.count != f.width || e.kernel.pivots != 0) not_a_bijection();
  return detail::indices(e, f.width, f.count);
}

// (x, y) -> F(x) and, in the bits behind, G(y).
COLEX_HD constexpr f2_map f2_product(f2_map const& f, f2_map const& g) {
  f2_map behind = g;
  int const width = detail::at_most_word_bits(f.width + g.width);
  for (int k = 0; k < g.count; ++k) behind.basis[k] = g.width == 0 ? 0 : g.basis[k] << f.width;
  return detail::joined(f, behind, width);
}

// The numbers of n bits, in ascending order, that are the least of all y ^ F(x). undefined: values have more bits.
COLEX_HD constexpr f2_map f2_complement(f2_map const& f, int64 n) {
  if (n < f.width) values_do_not_fit();
  uint64 const taken = detail::elimination(f).image.pivots;
  f2_map r = detail::zeros(0, detail::at_most_word_bits(n));
  for (int k = 0; k < r.width; ++k)
    if (!(taken >> k & 1)) r.basis[r.count++] = detail::unit(k);
  r.bits[0] = static_cast<std::uint8_t>(r.count);
  return r;
}
COLEX_HD constexpr f2_map f2_complement(f2_map const& f) { return f2_complement(f, f.width); }

// F o (G, G*), G* the complement of G among the indices of F. undefined: a value of G is no index of F.
COLEX_HD constexpr f2_map f2_divide(f2_map const& f, f2_map const& g) {
  f2_map const tile = f2_compose(f, g);
  f2_map g_in_f = g;  // its values are indices of F, whatever room it has for them
  g_in_f.width = f.count;
  return detail::joined(tile, f2_compose(f, f2_complement(g_in_f)), f.width);
}

}  // namespace colex::gpu
