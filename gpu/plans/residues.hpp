// f64 and f32 products out of int8 products, modulo small numbers (spec/emulation.md): every constant that kernels need,
// computed from the list of moduli, and what a thread does with one number. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/checked.hpp"

#include <bit>
#include <cmath>

namespace colex::gpu::residues {

using uint32 = std::uint32_t;
using uint64 = std::uint64_t;

inline constexpr int most_moduli = 20, most_pieces = 4;
inline constexpr int moduli[most_moduli] = {256, 255, 253, 251, 247, 241, 239, 233, 229, 227,
                                            223, 217, 211, 199, 197, 193, 191, 181, 179, 173};
// Sums of K products are exact, and their residues symmetric, as far as here; longer K goes in blocks.
inline constexpr int64 block_k = int64{1} << 16;
inline constexpr int64 most_k = int64{1} << 23;  // beyond, the sum of squares may not fit 64 bits

// ---- Constants ----

// A natural number below 2^192, as far as the constants need it.
struct wide {
  uint32 limb[6] = {1};

  constexpr void multiply(uint64 n) {
    uint64 carry = 0;
    for (uint32& x : limb) {
      carry += x * n;
      x = static_cast<uint32>(carry);
      carry >>= 32;
    }
  }
  constexpr uint64 divide(uint64 n) {
    uint64 rest = 0;
    for (int i = 5; i >= 0; --i) {
      rest = rest << 32 | limb[i];
      limb[i] = static_cast<uint32>(rest / n);
      rest %= n;
    }
    return rest;
  }
  constexpr void increment() {
    for (uint32& x : limb)
      if (++x != 0) return;
  }
  constexpr void shift_right(int n) {
    for (; n > 30; n -= 30) divide(uint64{1} << 30);
    divide(uint64{1} << n);
  }
  constexpr uint64 low() const { return limb[0] | uint64{limb[1]} << 32; }
  constexpr int bits() const {
    for (int i = 5; i >= 0; --i)
      if (limb[i] != 0) return 32 * i + std::bit_width(limb[i]);
    return 0;
  }
};

// The product P of the first n moduli.
constexpr wide product_of(int n) {
  wide all;
  for (int t = 0; t < n; ++t) all.multiply(static_cast<uint64>(moduli[t]));
  return all;
}

// The residue of x that lies in [-p/2, p/2).
constexpr int64 symmetric(int64 x, int64 p) {
  int64 const r = ((x + p / 2) % p + p) % p;
  return r - p / 2;
}
// 2^n modulo p, symmetric.
constexpr int64 power_of_two(int n, int64 p) {
  int64 r = 1;
  for (int i = 0; i < n; ++i) r = symmetric(2 * r, p);
  return r;
}

// What a kernel needs of one modulus.
struct modulus {
  int p, quotient;          // quotient = round(2^38 / p)
  uint32 fraction, offset;  // round(2^32 / p), 2^30 / p
  uint32 powers[3];         // 256^i mod p for the bytes i of each word, as signed bytes
  int bias[3];              // -2^(32 w - 1) mod p: what numbers of w words are too large by
};
constexpr modulus modulus_of(int t) {
  int const p = moduli[t];
  auto const rounded = [&](int n) { return ((int64{2} << n) / p + 1) / 2; };
  modulus m = {p, static_cast<int>(rounded(38)), static_cast<uint32>(rounded(32)), (1u << 30) / static_cast<uint32>(p), {}, {}};
  for (int i = 0; i < 12; ++i) m.powers[i / 4] |= static_cast<uint32>(power_of_two(8 * i, p) & 0xff) << 8 * (i % 4);
  for (int w = 1; w <= 3; ++w) m.bias[w - 1] = static_cast<int>(symmetric(-power_of_two(32 * w - 1, p), p));
  return m;
}

// Words of a scaled number: its square is at most the bound, P/2 nearly.
constexpr int words_of(int n) { return n <= 7 ? 1 : n <= 16 ? 2 : 3; }

// bound = floor(P (1/2 - 2^-24)), to its 64 leading bits. No sum of scaled products is larger.
struct sum_bound {
  int bits;
  uint64 leading;  // leading bit first
};
constexpr sum_bound bound_of(int n) {
  wide b = product_of(n);
  b.multiply((1 << 23) - 1);
  b.shift_right(24);
  sum_bound s = {b.bits(), 0};
  if (s.bits > 64) b.shift_right(s.bits - 64);
  s.leading = b.low() << (s.bits < 64 ? 64 - s.bits : 0);
  return s;
}
struct sum_bounds {
  sum_bound of[most_moduli + 1];  // by the number of moduli
};
constexpr sum_bounds all_bounds() {
  sum_bounds all = {};
  for (int n = 1; n <= most_moduli; ++n) all.of[n] = bound_of(n);
  return all;
}

// w = (P/p) ((P/p)^-1 mod p), symmetric, and P itself: each the exact sum of `pieces` doubles. A piece is a multiple of its
// unit by 42 bits, so that sums of multiples by bytes are exact in a double.
struct reconstruction {
  int moduli, pieces;
  double weight[most_moduli][most_pieces], product[most_pieces];
  double inverse;  // 1/P
};
constexpr double times_power_of_two(double x, int n) {
  for (int i = 0; i < n; ++i) x *= 2;
  return x;
}
// Where the pieces of n moduli begin: bit 0 the last, 42 bits each, the first as high as P/2 needs.
constexpr int unit_of(int n, int piece) {
  int const top = product_of(n).bits() - 42 - 42 * piece;
  return top > 0 ? top : 0;
}
constexpr int pieces_of(int n) {
  int last = 0;
  while (unit_of(n, last) > 0) ++last;
  return last + 1;
}
// The pieces of +-x, last ones first, symmetric but for the first.
constexpr void split(wide x, int sign, int n, double (&piece)[most_pieces]) {
  for (int i = pieces_of(n) - 1; i > 0; --i) {
    int const width = unit_of(n, i - 1) - unit_of(n, i);
    uint64 const low = x.low() & ((uint64{1} << width) - 1);
    bool const up = low >> (width - 1) != 0;
    x.shift_right(width);
    if (up) x.increment();
    double const digit = static_cast<double>(static_cast<int64>(low) - (up ? int64{1} << width : 0));
    piece[i] = times_power_of_two(sign * digit, unit_of(n, i));
  }
  piece[0] = times_power_of_two(sign * static_cast<double>(x.low()), unit_of(n, 0));
}
// The inverse of x modulo p, symmetric.
constexpr int64 inverse_of(int64 x, int64 p) {
  for (int64 y = 1; y <= p / 2; ++y) {
    int64 const r = symmetric(x * y, p);
    if (r == 1 || r == -1) return r * y;
  }
  return 0;
}
constexpr reconstruction reconstruction_of(int n) {
  reconstruction r = {n, pieces_of(n), {}, {}, 0};
  wide const all = product_of(n);
  split(all, 1, n, r.product);
  double product = 0;
  for (double x : r.product) product += x;
  r.inverse = 1 / product;
  for (int t = 0; t < n; ++t) {
    wide w = all, others = all;
    w.divide(static_cast<uint64>(moduli[t]));
    others = w;
    int64 const inverse = inverse_of(static_cast<int64>(others.divide(static_cast<uint64>(moduli[t]))), moduli[t]);
    w.multiply(static_cast<uint64>(inverse < 0 ? -inverse : inverse));
    split(w, inverse < 0 ? -1 : 1, n, r.weight[t]);
  }
  return r;
}

// ---- Reduction ----

// x modulo p: symmetric while |x| <= 2^30 + 2^20. A residue that fits a byte for every x. The quotient is that of
// x quotient + 2^37 by 2^38, negated, so that the last multiplication adds: a multiplication can, and can not subtract.
COLEX_HD constexpr int reduce_symmetric(std::int32_t x, modulus const& m) {
  int64 const negated = (static_cast<int64>(x) * -m.quotient + ((int64{1} << 37) - 1)) >> 38;
  return static_cast<int>(static_cast<uint32>(x) + static_cast<uint32>(negated) * static_cast<uint32>(m.p));
}

// a + sum of the four unsigned bytes of x by the four signed ones of y.
COLEX_HD inline int dot_of_bytes(uint32 x, uint32 y, int a) {
#if defined(__CUDA_ARCH__)
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(a) : "r"(x), "r"(y), "r"(a));
#else
  for (int i = 0; i < 32; i += 8) a += static_cast<int>(x >> i & 0xff) * static_cast<std::int8_t>(y >> i & 0xff);
#endif
  return a;
}
// A scaled number, 2^(32 Words - 1) added: no byte has a sign.
template <int Words>
struct words {
  uint32 word[Words];
};
// x, truncated, of Words words. |x| < 2^(32 Words - 1).
template <int Words>
COLEX_HD inline words<Words> integer_of(double x) {
  if constexpr (Words == 1) {
    return {{static_cast<uint32>(static_cast<std::int32_t>(x)) ^ 1u << 31}};
  } else if constexpr (Words == 2) {
    uint64 const n = static_cast<uint64>(static_cast<int64>(x));
    return {{static_cast<uint32>(n), static_cast<uint32>(n >> 32) ^ 1u << 31}};
  } else {
    double const whole = std::trunc(x), high = std::floor(whole * 0x1p-48);
    uint64 const low = static_cast<uint64>(static_cast<int64>(std::fma(high, -0x1p48, whole)));
    uint64 const rest = low >> 32 | static_cast<uint64>(static_cast<int64>(high)) << 16;
    return {{static_cast<uint32>(low), static_cast<uint32>(rest), static_cast<uint32>(rest >> 32) ^ 1u << 31}};
  }
}
// Its symmetric residue. By bytes it comes below 2^19; then x/p, as a fraction of 2^32, drops what is whole.
template <int Words>
COLEX_HD inline int residue(words<Words> const& x, modulus const& m) {
  int y = m.bias[Words - 1];
  for (int w = 0; w < Words; ++w) y = dot_of_bytes(x.word[w], m.powers[w], y);
  std::int32_t const part = static_cast<std::int32_t>(static_cast<uint32>(y) * m.fraction + m.offset);
  return static_cast<int>(static_cast<int64>(part) * m.p >> 32);
}

// ---- Scaling ----

// 2^n, |n| <= 1022; x 2^n in two steps, |n| <= 2044, rounded once and only if it is subnormal.
COLEX_HD constexpr double power(int n) { return std::bit_cast<double>(static_cast<uint64>(n + 1023) << 52); }
COLEX_HD constexpr double scaled(double x, int n) { return x * power(n >> 1) * power(n - (n >> 1)); }

// The least n with x < 2^n. nvcc takes std::bit_width of a device's number for a constant.
COLEX_HD constexpr int width_of(uint64 x) {
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(x));
#else
  return static_cast<int>(std::bit_width(x));
#endif
}
// The least n with |x| < 2^n, for x that are not 0. Rows that have infinities or NaN go the native way: theirs is above all
// others.
inline constexpr int exponent_of_infinity = 1025;
COLEX_HD inline int exponent_of(double x) {
  uint64 const bits = std::bit_cast<uint64>(x) << 1 >> 1;
  return bits >> 52 != 0 ? static_cast<int>(bits >> 52) - 1022 : width_of(bits) - 1074;
}
// What the scale of a row depends on: integers, so their sums have no order. `exponent` is the largest of its elements. Of each
// element, n = floor(|x| 2^(20 - exponent)) and n^2 are added.
struct row_sums {
  uint64 sum = 0, squares = 0;
  int64 surplus = 0;  // elements of at least 2^(exponent - width), less those that are smaller, but not 0

  COLEX_HD void add(double x, int exponent, int width) {
    double const y = scaled(std::fabs(x), 20 - exponent);
    uint32 const n = whole_part(y);
    sum += n;
    squares += static_cast<uint64>(n) * n;
    surplus += y >= power(20 - width) ? 1 : x != 0 ? -1 : 0;
  }
  // Most elements are far smaller than the largest, and what is left of them may depend on it.
  COLEX_HD constexpr bool too_wide() const { return surplus < 0; }

 private:
  // 0 <= x < 2^32; a conversion is at a quarter of the rate
  COLEX_HD static uint32 whole_part(double x) {
#if defined(__CUDA_ARCH__)
    return static_cast<uint32>(std::bit_cast<uint64>(__dadd_rz(x, 0x1p52)));
#else
    return static_cast<uint32>(x);
#endif
  }
};
inline constexpr int width_f64 = 32, width_f32 = 20;  // what most elements lie within, in bits

// The largest e for which the elements' squares, scaled by 2^(2e), add up to no more than the bound. k: how many were added.
COLEX_HD constexpr int scale_of(row_sums const& s, int64 k, int exponent, sum_bound const& b) {
  uint64 const above = s.squares + 2 * s.sum + static_cast<uint64>(k);
  int const bits = width_of(above);
  bool const larger = above << (64 - bits) > b.leading;
  return ((b.bits - bits - larger) >> 1) + 20 - exponent;
}
// How coarse the scaled row is: the unit roundoff whose products of k elements it is good for (spec/emulation.md, "How many
// moduli").
COLEX_HD constexpr double roundoff_of(row_sums const& s, double sqrt_k, int exponent, int scale) {
  return 2 * sqrt_k * power(20 - exponent - scale) / static_cast<double>(s.sum);
}
// The fewest moduli, `least` or more, for a row and a unit roundoff; most_moduli + 1 where none are enough.
COLEX_HD inline int moduli_for(row_sums const& s, int64 k, int exponent, double roundoff, sum_bounds const& bounds,
                               int least = 1) {
  int n = least;
  while (n <= most_moduli &&
         roundoff_of(s, std::sqrt(static_cast<double>(k)), exponent, scale_of(s, k, exponent, bounds.of[n])) > roundoff)
    ++n;
  return n;
}

// ---- Where residues of sums lie ----

// In pieces of 16 rows by 16 columns, planes of one modulus one behind another. A lane's eight, side by side, are what its
// registers hold of a wgmma's sums: the i-th at accumulator_coordinate(lane, i / 2), i % 2 columns on.
COLEX_HD constexpr int64 piece_of(int64 m_extent, int64 n_extent, int64 plane, int64 m, int64 n) {
  int64 const columns = ceil_div(n_extent, 16);
  return (plane * ceil_div(m_extent, 16) + m / 16) * columns + n / 16;
}
COLEX_HD constexpr int64 bytes_of_pieces(int64 m_extent, int64 n_extent) {
  return 256 * ceil_div(m_extent, 16) * ceil_div(n_extent, 16);
}

// ---- Reconstruction ----

// x + y exactly: their rounded sum, and what that lacks.
struct exact_sum {
  double sum, rest;
};
COLEX_HD constexpr exact_sum add_exactly(double x, double y) {
  double const sum = x + y, z = sum - x;
  return {sum, (x - (sum - z)) + (y - z)};
}
// x + y rounded to odd: where it is inexact the last bit is 1, so that rounding once more rounds as if once.
COLEX_HD constexpr double add_to_odd(double x, double y) {
  auto const [sum, rest] = add_exactly(x, y);
  uint64 const bits = std::bit_cast<uint64>(sum);
  if (rest == 0 || bits & 1) return sum;
  return std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// Byte k of a word of four residues, 128 added to each (word ^ 0x80808080). A conversion is at a quarter of this rate.
COLEX_HD constexpr double byte_of(uint32 above, int k) {
  return std::bit_cast<double>(uint64{0x433} << 52 | (above >> 8 * k & 0xff)) - (0x1p52 + 128);
}
// The sums of weights times residues, piece by piece; every one is exact.
template <int Pieces>
struct piece_sums {
  double piece[Pieces] = {};

  COLEX_HD void add(reconstruction const& r, int t, double residue) {
    for (int i = 0; i < Pieces; ++i) piece[i] = std::fma(r.weight[t][i], residue, piece[i]);
  }
  // Less the multiple of P that brings it into (-P/2, P/2).
  COLEX_HD void subtract_multiple(reconstruction const& r) {
    double const magic = 0x1.8p52, q = magic - std::fma(piece[0], r.inverse, magic);
    for (int i = 0; i < Pieces; ++i) piece[i] = std::fma(r.product[i], q, piece[i]);
  }
  // All pieces: this and `rest` are their sum, and rest is so small, or exact, that the sum is rounded as if at once.
  COLEX_HD exact_sum total() const {
    if constexpr (Pieces == 1) {
      return {piece[0], 0};
    } else if constexpr (Pieces == 2) {
      return {piece[0], piece[1]};
    } else if constexpr (Pieces == 3) {
      exact_sum const first = add_exactly(piece[0], piece[1]);
      return {first.sum, add_to_odd(first.rest, piece[2])};
    } else {
      exact_sum const first = add_exactly(piece[0], piece[1]), second = add_exactly(first.rest, piece[2]);
      exact_sum const both = add_exactly(first.sum, second.sum);  // second.rest + piece[3] is exact
      return {both.sum, add_to_odd(both.rest, add_to_odd(second.rest, piece[3]))};
    }
  }
};
// A product's element out of its residues, 2^scale times too large, scale = e + f: the integer is rounded once, to nearest
// even, in f64 and in f32 (a subnormal f64 twice).
COLEX_HD constexpr double unscaled(double x, int scale) {
  int const most = 1400, least = -1100;
  return scaled(x, -(scale > most ? most : scale < least ? least : scale));
}
template <int Pieces>
COLEX_HD inline double rounded_f64(piece_sums<Pieces> const& s, int scale) {
  auto const [sum, rest] = s.total();
  return unscaled(sum + rest, scale);
}
template <int Pieces>
COLEX_HD inline float rounded_f32(piece_sums<Pieces> const& s, int scale) {
  auto const [sum, rest] = s.total();
  return static_cast<float>(unscaled(add_to_odd(sum, rest), scale));
}

}  // namespace colex::gpu::residues
