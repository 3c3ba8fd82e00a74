// The moduli of emulated products, and how rows and columns are scaled to integers (spec/emulation.md): each step by its
// definition, in exact integers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace colex::ref::emulation {

inline constexpr std::array moduli = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                      223, 217, 211, 199, 197, 193, 191, 181, 179, 173};

// P, the product of the first n moduli, and what no sum of scaled products exceeds.
inline integer product_of(std::size_t n) {
  integer all = 1;
  for (std::size_t t = 0; t < n; ++t) all *= moduli[t];
  return all;
}
inline integer bound_of(std::size_t n) { return product_of(n) * ((1 << 23) - 1) >> 24; }

// The residue of x that lies in [-p/2, p/2).
inline integer symmetric(integer const& x, integer const& p) {
  integer const r = (x + p / 2) % p;
  return (r < 0 ? integer(r + p) : r) - p / 2;
}

// ---- Scaling ----

// The least n with |x| < 2^n.
inline int exponent_of(double x) {
  int n = 0;
  std::frexp(x, &n);
  return n;
}
inline integer shifted(integer const& x, int n) { return n >= 0 ? integer(x << n) : integer(x / (integer(1) << -n)); }
// x 2^n without what lies behind the point.
inline integer truncated(double x, int n) {
  int const exponent = exponent_of(x);
  return shifted(integer(std::ldexp(x, 53 - exponent)), exponent - 53 + n);
}

// A row of A, or a column of B: its largest exponent, and the sums of its elements' 20 leading bits below that.
using line = std::vector<double>;
struct line_sums {
  int exponent = 0;
  integer sum, above;  // above: the sum of the squares, each element rounded up
};
inline line_sums sums_of(line const& x) {
  line_sums s;
  double const largest =
      std::fabs(*std::max_element(x.begin(), x.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); }));
  s.exponent = exponent_of(largest);
  for (double y : x) {
    integer const n = truncated(std::fabs(y), 20 - s.exponent);
    s.sum += n;
    s.above += (n + 1) * (n + 1);
  }
  return s;
}
// Infinities and NaN have no residues, and where most elements are smaller than the largest by more than the width in bits,
// little may be left of them: what such a line takes part in is computed in floating point.
inline bool is_native(line const& x, int width) {
  if (!std::all_of(x.begin(), x.end(), [](double y) { return std::isfinite(y); })) return true;
  int const exponent = sums_of(x).exponent;
  auto const small = [&](double y) { return y != 0 && exponent_of(y) <= exponent - width; };
  auto const zeros = std::count(x.begin(), x.end(), 0);
  return 2 * std::count_if(x.begin(), x.end(), small) > static_cast<std::ptrdiff_t>(x.size()) - zeros;
}
// The largest e with sum (x 2^e)^2 <= bound; 0 for a line of zeros.
inline int scale_of(line const& x, std::size_t n) {
  line_sums const s = sums_of(x);
  if (s.sum == 0) return 0;
  int steps = 100;
  while (shifted(s.above, std::max(2 * steps, 0)) > shifted(bound_of(n), std::max(-2 * steps, 0))) --steps;
  return steps + 20 - s.exponent;
}

struct scaled_line {
  int scale;
  std::vector<integer> x;
};
inline scaled_line scaled(line const& x, std::size_t n) {
  scaled_line out = {scale_of(x, n), {}};
  for (double y : x) out.x.push_back(truncated(y, out.scale));
  return out;
}

// The unit roundoff that the line, so scaled, is good for; the fewest moduli for one, moduli.size() + 1 where none are enough.
inline double roundoff_of(line const& x, std::size_t n) {
  line_sums const s = sums_of(x);
  if (s.sum == 0) return 0;
  double const unit = std::ldexp(1, 20 - s.exponent - scale_of(x, n));
  return 2 * std::sqrt(static_cast<double>(x.size())) * unit / s.sum.convert_to<double>();
}
inline std::size_t moduli_for(line const& x, double roundoff) {
  std::size_t n = 1;
  while (n <= moduli.size() && roundoff_of(x, n) > roundoff) ++n;
  return n;
}

}  // namespace colex::ref::emulation
