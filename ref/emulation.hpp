// Products of f64 and f32 out of products of bytes, by the Chinese remainder theorem (spec/emulation.md): each step by its
// definition, in exact integers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/emulation_scale.hpp"

#include <cstdint>

namespace colex::ref::emulation {

// ---- Products ----

// What the products of bytes are of one element, modulus by modulus.
inline std::vector<int> residues_of(scaled_line const& a, scaled_line const& b, std::size_t n) {
  std::vector<int> out;
  for (std::size_t t = 0; t < n; ++t) {
    integer sum = 0;
    for (std::size_t k = 0; k < a.x.size(); ++k) sum += symmetric(a.x[k], moduli[t]) * symmetric(b.x[k], moduli[t]);
    out.push_back(symmetric(sum, moduli[t]).convert_to<int>());
  }
  return out;
}

// P/p times its inverse modulo p: 1 modulo p, 0 modulo each other one.
inline integer weight_of(std::size_t t, std::size_t n) {
  integer const others = product_of(n) / moduli[t];
  integer inverse = 1;
  while ((others * inverse - 1) % moduli[t] != 0) ++inverse;
  return others * symmetric(inverse, moduli[t]);
}
// The integer of least magnitude that has these residues.
inline integer reconstructed(std::vector<int> const& residues) {
  integer sum = 0;
  for (std::size_t t = 0; t < residues.size(); ++t) sum += weight_of(t, residues.size()) * residues[t];
  return symmetric(sum, product_of(residues.size()));
}

// ---- Rounding ----

// The leading bits of x as an integer, the last one set where some that are not 0 were dropped; and how many were.
struct leading_bits {
  std::int64_t digits;
  int dropped;
};
inline leading_bits to_odd(integer const& x, int bits) {
  integer const magnitude = abs(x);
  int const dropped = magnitude == 0 ? 0 : std::max(static_cast<int>(msb(magnitude)) + 1 - bits, 0);
  integer digits = magnitude >> dropped;
  if ((digits << dropped) != magnitude) digits |= 1;
  return {(x < 0 ? integer(-digits) : digits).convert_to<std::int64_t>(), dropped};
}
// x 2^-scale, rounded to nearest even: to 53 bits of the integer, once more if it is subnormal; as an f32 once.
inline double rounded_f64(integer const& x, int scale) {
  auto const [digits, dropped] = to_odd(x, 62);
  return std::ldexp(static_cast<double>(digits), dropped - scale);
}
inline float rounded_f32(integer const& x, int scale) {
  auto const [digits, dropped] = to_odd(x, 53);
  return static_cast<float>(std::ldexp(static_cast<double>(digits), dropped - scale));
}

inline double product_f64(line const& row, line const& column, std::size_t n) {
  scaled_line const a = scaled(row, n), b = scaled(column, n);
  return rounded_f64(reconstructed(residues_of(a, b, n)), a.scale + b.scale);
}
inline float product_f32(line const& row, line const& column, std::size_t n) {
  scaled_line const a = scaled(row, n), b = scaled(column, n);
  return rounded_f32(reconstructed(residues_of(a, b, n)), a.scale + b.scale);
}

}  // namespace colex::ref::emulation
