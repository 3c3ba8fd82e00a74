// The same memory in elements of another width: upcast, downcast, recast_layout, for layouts, swizzles and both composed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/inverse.hpp"
#include "gpu/algebra/swizzle.hpp"

namespace colex::gpu {

// a in elements n times as wide: a mode s:d becomes s:d/n where n divides d, and s/k:1 with k = n/d (at most s) where d divides
// n; stride 0 stays. Then upcast(a, n)(c div k) = floor(a(c) / n). undefined: neither divides, k does not divide s, or the
// swallowed parts leave one element; unspecified: negative strides. (CuTe upcast, which rounds s/k up)
COLEX_HD constexpr layout upcast(layout const& a, int64 n) {
  if (n < 1) target_is_not_positive();
  if (has_negative(a)) negative_stride();
  layout r = a;
  int128 swallowed = 0;
  for (int k = 0; k < r.form.count; ++k) {
    int64 const s = a.shape[k], d = a.stride[k];
    if (a.basis[k] != 0) basis_stride();
    r.stride[k] = ceil_div(d, n);
    if (d % n == 0 || s == 1) continue;
    if (n % d != 0) factor_does_not_fit_layout();
    int64 const part = smaller(s, n / d);
    if (s % part != 0) factor_does_not_fit_layout();
    r.shape[k] = s / part;
    swallowed += static_cast<int128>(part - 1) * d;
  }
  if (swallowed >= n) factor_does_not_fit_layout();
  return r;
}

// a in elements a n-th as wide: the mode of stride 1 grows by n, other strides by n. undefined: no mode of stride 1, or several
// larger than 1; unspecified: negative strides. (CuTe downcast)
COLEX_HD constexpr layout downcast(layout const& a, int64 n) {
  if (n < 1) target_is_not_positive();
  if (has_negative(a)) negative_stride();
  layout r = a;
  int grows = -1, larger = 0;
  for (int k = 0; k < r.form.count; ++k) {
    if (a.basis[k] != 0) basis_stride();
    r.stride[k] = times(a.stride[k], n);
    if (a.stride[k] != 1) continue;
    if (grows < 0 || a.shape[k] > 1) grows = k;
    larger += a.shape[k] > 1;
  }
  if (n == 1) return a;
  if (grows < 0 || larger > 1) factor_does_not_fit_layout();
  r.shape[grows] = times(a.shape[grows], n);
  r.stride[grows] = 1;
  return r;
}

namespace detail {
COLEX_HD constexpr int64 power_of_two(int k) {
  if (k > 62) overflow();
  return int64{1} << k;
}
// log2, -1 when n is not a power of two.
COLEX_HD constexpr int exponent(int64 n) {
  if (n < 1) target_is_not_positive();
  int k = 0;
  for (; n > 1; n >>= 1, ++k)
    if (n & 1) return -1;
  return k;
}
}  // namespace detail

// The swizzle that acts on x / n as this one does on x. undefined: there is none, or n is not a power of two. (CuTe upcast)
COLEX_HD constexpr swizzle upcast(swizzle const& a, int64 n) {
  int const k = detail::exponent(n);
  if (k < 0) {
    if (a.bits == 0) return a;
    factor_does_not_fit_swizzle();
  }
  int const lost = static_cast<int>(smaller(a.bits, k - smaller(k, a.target())));
  if (lost < a.bits && a.source() + lost < k) factor_does_not_fit_swizzle();  // a bit that x / n lacks would still show
  return {a.bits - lost, a.base - static_cast<int>(smaller(k, a.base)), a.shift};
}
COLEX_HD constexpr swizzle downcast(swizzle const& a, int64 n) {
  int const k = detail::exponent(n);
  if (k < 0) {
    if (a.bits == 0) return a;
    factor_does_not_fit_swizzle();
  }
  return {a.bits, a.base + k, a.shift};
}

// Swizzle, offset and layout each. undefined: one of them is, or n does not divide the offset.
COLEX_HD constexpr composed upcast(composed const& a, int64 n) {
  layout const inner = upcast(a.inner, n);
  if (a.integer_offset() % n != 0) factor_does_not_fit_offset();
  return {inner, a.integer_offset() / n, a.swizzled ? upcast(a.sw, n) : a.sw, a.swizzled};
}
COLEX_HD constexpr composed downcast(composed const& a, int64 n) {
  layout const inner = downcast(a.inner, n);
  return {inner, times(a.integer_offset(), n), a.swizzled ? downcast(a.sw, n) : a.sw, a.swizzled};
}

// a, a layout of elements `from` bits wide, seen as elements of `to` bits. (CuTe recast_layout)
template <class Layout>
COLEX_HD constexpr Layout recast_layout(Layout const& a, int64 from, int64 to) {
  if (from < 1 || to < 1) target_is_not_positive();
  int64 const g = gcd(from, to), num = to / g, den = from / g;
  return downcast(upcast(a, num), den);
}

}  // namespace colex::gpu
