// Products out of residues on the host: the way that kernels go, by the functions that they take; lines to multiply; and exact
// numbers to judge by. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/residues.hpp"
#include "ref/emulation.hpp"

#include <climits>
#include <numeric>
#include <random>

namespace colex::emulated {

namespace gpu = colex::gpu::residues;
namespace ref = colex::ref::emulation;
using ref::line;

constexpr int all_moduli = gpu::most_moduli;

inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::size_t size(int n) { return static_cast<std::size_t>(n); }

// ---- What a kernel does ----

// The constants, computed once.
inline gpu::modulus const& modulus_of(int t) {
  static std::vector<gpu::modulus> all;
  while (std::ssize(all) < all_moduli) all.push_back(gpu::modulus_of(static_cast<int>(all.size())));
  return all[size(t)];
}
inline gpu::reconstruction const& reconstruction_of(int n) {
  static std::vector<gpu::reconstruction> all;
  while (std::ssize(all) <= all_moduli) all.push_back(gpu::reconstruction_of(static_cast<int>(all.size())));
  return all[size(n)];
}

// What decides a line's scale, found as kernels do; of a line of zeros there is no exponent.
struct scaling {
  int exponent = INT_MIN;
  gpu::row_sums sums;
};
inline scaling scaling_of(line const& x, int width = gpu::width_f64) {
  scaling s;
  for (double y : x)
    if (y != 0) s.exponent = std::max(s.exponent, gpu::exponent_of(y));
  if (s.exponent == INT_MIN || s.exponent == gpu::exponent_of_infinity) return s;
  for (double y : x) s.sums.add(y, s.exponent, width);
  return s;
}
inline bool is_native(line const& x, int width) {
  scaling const s = scaling_of(x, width);
  return s.exponent == gpu::exponent_of_infinity || s.sums.too_wide();
}
inline int scale_of(line const& x, int n) {
  scaling const s = scaling_of(x);
  auto const k = static_cast<std::int64_t>(x.size());
  return s.exponent == INT_MIN ? 0 : gpu::scale_of(s.sums, k, s.exponent, gpu::bound_of(n));
}

using bytes = std::vector<int>;
template <int Words>
bytes residues_of(line const& x, int scale, gpu::modulus const& m) {
  bytes out;
  for (double y : x) out.push_back(gpu::residue(gpu::integer_of<Words>(gpu::scaled(y, scale)), m));
  return out;
}
inline bytes residues_of(line const& x, int scale, int n, gpu::modulus const& m) {
  if (gpu::words_of(n) == 1) return residues_of<1>(x, scale, m);
  return gpu::words_of(n) == 2 ? residues_of<2>(x, scale, m) : residues_of<3>(x, scale, m);
}
// Sums in blocks of K, each reduced together with the residue so far.
inline int product_of(bytes const& a, bytes const& b, gpu::modulus const& m, std::size_t block = gpu::block_k) {
  int residue = 0;
  for (std::size_t from = 0; from < a.size(); from += block) {
    std::size_t const to = std::min(from + block, a.size());
    for (std::size_t k = from; k < to; ++k) residue += a[k] * b[k];
    residue = gpu::reduce_symmetric(residue, m);
  }
  return residue;
}

template <int Pieces>
gpu::piece_sums<Pieces> sums_of(bytes const& residues, int n) {
  auto const& r = reconstruction_of(n);
  gpu::piece_sums<Pieces> s;
  for (int t = 0; t < n; ++t) s.add(r, t, residues[static_cast<std::size_t>(t)]);
  s.subtract_multiple(r);
  return s;
}
template <class Round>
auto rounded(bytes const& residues, int n, Round round) {
  switch (gpu::pieces_of(n)) {
    case 1: return round(sums_of<1>(residues, n));
    case 2: return round(sums_of<2>(residues, n));
    case 3: return round(sums_of<3>(residues, n));
    default: return round(sums_of<4>(residues, n));
  }
}
inline double rounded_f64(bytes const& residues, int n, int scale) {
  return rounded(residues, n, [&](auto const& s) { return gpu::rounded_f64(s, scale); });
}
inline float rounded_f32(bytes const& residues, int n, int scale) {
  return rounded(residues, n, [&](auto const& s) { return gpu::rounded_f32(s, scale); });
}

// The whole way, with what may go wrong on it: a residue one too large, a modulus two too small.
struct defects {
  int residue = -1, modulus = -1;
};
inline bytes residues_of_product(line const& a, line const& b, int n, defects const& wrong = {}) {
  int const e = scale_of(a, n), f = scale_of(b, n);
  bytes out;
  for (int t = 0; t < n; ++t) {
    gpu::modulus m = modulus_of(t);
    if (t == wrong.modulus) m.p -= 2;
    out.push_back(product_of(residues_of(a, e, n, m), residues_of(b, f, n, m), m));
    if (t == wrong.residue) ++out.back();
  }
  return out;
}
inline double product_f64(line const& a, line const& b, int n, defects const& wrong = {}) {
  return rounded_f64(residues_of_product(a, b, n, wrong), n, scale_of(a, n) + scale_of(b, n));
}
inline float product_f32(line const& a, line const& b, int n) {
  return rounded_f32(residues_of_product(a, b, n), n, scale_of(a, n) + scale_of(b, n));
}
// With the way back, where there must be one.
inline double answer_f64(line const& a, line const& b, int n) {
  bool const native = is_native(a, gpu::width_f64) || is_native(b, gpu::width_f64);
  return native ? std::inner_product(a.begin(), a.end(), b.begin(), 0.0) : product_f64(a, b, n);
}

// ---- Lines ----

using random_bits = std::mt19937_64;
inline line lognormal(random_bits& draw, std::size_t k, double phi) {
  line x(k);
  for (double& y : x)
    y = (std::uniform_real_distribution<double>()(draw) - 0.5) * std::exp(phi * std::normal_distribution<double>()(draw));
  return x;
}
inline line constant(std::size_t k, double x) { return line(k, x); }
inline line times(line x, double factor) {
  for (double& y : x) y *= factor;
  return x;
}
inline line with_huge(line x) { return x[x.size() / 2] = 0x1p900, x; }
// The second half takes away what the first gives, but for the last bits.
inline line cancelling(line x) {
  for (std::size_t k = 0; k < x.size() / 2; ++k) x[x.size() - 1 - k] = -x[k] * (1 + 0x1p-45);
  return x;
}
inline line with_zeros(line x) {
  for (std::size_t k = 0; k < x.size(); k += 3) x[k] = 0;
  return x;
}
inline std::vector<line> lines(random_bits& draw, std::size_t k) {
  line const x = lognormal(draw, k, 1);
  return {lognormal(draw, k, 0.5),
          lognormal(draw, k, 2),
          lognormal(draw, k, 4),
          constant(k, 1.0 / 3),
          with_huge(x),
          cancelling(x),
          times(x, 0x1p-1040),
          constant(k, 0x1p-1074),
          with_zeros(x),
          constant(k, 0),
          times(lognormal(draw, k, 2), 0x1p1000),
          times(x, 0x1p-700)};
}

// An integer of up to so many bits.
inline integer drawn(random_bits& draw, int bits) {
  integer x = 0;
  for (int i = 0; i < 4; ++i) x = (x << 64) + draw();
  return (draw() & 1 ? 1 : -1) * (x >> (256 - bits));
}
// Next to a middle, 2^(dropped - 1): by 1, and by three quarters of the last bit of a double that holds the middle alone, or
// the number to which it belongs. Rounded to odd that bit has to stay.
inline std::vector<integer> beside(int dropped) {
  std::vector<integer> by = {0, 1, -1};
  for (int bits : {31, 55, 56})
    if (dropped >= bits)
      for (int sign : {-1, 1}) by.push_back(sign * (integer(3) << (dropped - bits)));
  return by;
}
// Some that n moduli hold: of all magnitudes, next to the bound, and in the middle of two doubles or next to that.
inline std::vector<integer> held(random_bits& draw, int n) {
  integer const bound = ref::bound_of(size(n));
  int const most = static_cast<int>(msb(bound));
  std::vector<integer> all = {0, 1, -1, bound, -bound, bound - 1, 1 - bound};
  for (int i = 0; i < 40; ++i) {
    all.push_back(drawn(draw, 1 + static_cast<int>(draw() % size(most))));
    for (int kept : {24, 53})
      if (int const room = most - kept - 1; room > 0) {
        int const dropped = 1 + static_cast<int>(draw() % size(room));
        integer const middle = ((((integer(1) << (kept - 1)) + abs(drawn(draw, kept - 1))) * 2 + 1) << (dropped - 1));
        for (integer const& by : beside(dropped)) all.push_back((i % 2 != 0 ? 1 : -1) * (middle + by));
      }
  }
  return all;
}
inline bytes residues_of(integer const& x, int n) {
  bytes out;
  for (int t = 0; t < n; ++t) out.push_back(ref::symmetric(x, gpu::moduli[t]).convert_to<int>());
  return out;
}

// ---- Exact numbers ----

// x 2^exponent, exactly.
struct dyadic {
  integer x = 0;
  int exponent = 0;

  friend dyadic operator+(dyadic const& a, dyadic const& b) {
    int const least = std::min(a.exponent, b.exponent);
    return {(a.x << (a.exponent - least)) + (b.x << (b.exponent - least)), least};
  }
  friend dyadic operator*(dyadic const& a, dyadic const& b) { return {a.x * b.x, a.exponent + b.exponent}; }
  friend dyadic operator*(integer const& n, dyadic const& a) { return {n * a.x, a.exponent}; }
  friend dyadic operator-(dyadic const& a, dyadic const& b) { return a + dyadic{-b.x, b.exponent}; }
  friend bool operator<=(dyadic const& a, dyadic const& b) { return (a - b).x <= 0; }
};
inline dyadic magnitude(dyadic a) { return a.x = abs(a.x), a; }
inline dyadic exact(double x) {
  int const exponent = ref::exponent_of(x);
  return {integer(std::ldexp(x, 53 - exponent)), exponent - 53};
}
inline dyadic power(int n) { return {1, n}; }
inline dyadic dot(line const& a, line const& b) {
  dyadic sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum = sum + exact(a[k]) * exact(b[k]);
  return sum;
}
inline line magnitudes(line x) {
  for (double& y : x) y = std::fabs(y);
  return x;
}
inline dyadic sum_of(line const& x) { return dot(magnitudes(x), line(x.size(), 1)); }

}  // namespace colex::emulated
