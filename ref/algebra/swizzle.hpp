// Swizzles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coordinate.hpp"

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

}  // namespace colex::ref
