// Judges what a GEMM left in memory: each element of D against exact arithmetic on A, B and C as they lie there, and
// that nothing beside D's elements was written. Of gpu/ it shares the names of the element types and nothing else:
// bits, offsets and rounding are written out here again. The same code runs on hosts and GPUs. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "gpu/atoms/element.hpp"

#include <cmath>
#include <cstring>
#include <sstream>
#include <string>

namespace colex::verify {

using gpu::element;
using gpu::int64;
using bits = std::uint64_t;

template <class To, class From>
COLEX_HD To cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
COLEX_HD inline double power_of_2(int n) { return cast<double>(static_cast<bits>(n + 1023) << 52); }  // -1023 < n < 1024

// A floating-point type: bits of exponent and mantissa. Has the largest exponent infinity and NaN alone?
struct format {
  int exponent, mantissa;
  bool infinity;
  COLEX_HD int bias() const { return (1 << (exponent - 1)) - 1; }
  COLEX_HD double most() const {
    return infinity ? (2 - power_of_2(-mantissa)) * power_of_2(bias())
                    : (2 - power_of_2(1 - mantissa)) * power_of_2(bias() + 1);
  }
  COLEX_HD double least() const { return mantissa == 52 ? cast<double>(bits{1}) : power_of_2(1 - bias() - mantissa); }
};
COLEX_HD inline format float_format(element e) {
  switch (e) {
    case element::f64: return {11, 52, true};
    case element::f16: return {5, 10, true};
    case element::bf16: return {8, 7, true};
    case element::e4m3: return {4, 3, false};
    case element::e5m2: return {5, 2, true};
    default: return {8, 23, true};
  }
}
COLEX_HD inline int bytes_of(element e) {
  if (gpu::is_integer(e)) return e == element::s8 ? 1 : 4;
  format const f = float_format(e);
  return (1 + f.exponent + f.mantissa) / 8;
}
COLEX_HD inline bool saturates(element e) { return e == element::e4m3 || e == element::e5m2; }

COLEX_HD inline double decode(element e, bits b) {
  if (e == element::s8) return static_cast<std::int8_t>(b);
  if (e == element::s32) return static_cast<std::int32_t>(b);
  if (e == element::f64) return cast<double>(b);
  format const f = float_format(e);
  bits const mantissa = b & ((bits{1} << f.mantissa) - 1), exponent = b >> f.mantissa & ((bits{1} << f.exponent) - 1);
  double const sign = b >> (f.mantissa + f.exponent) & 1 ? -1 : 1;
  bool const last = exponent == (bits{1} << f.exponent) - 1;
  if (last && (f.infinity || mantissa == (bits{1} << f.mantissa) - 1))
    return f.infinity && mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * static_cast<double>(mantissa) * f.least();  // not of f64
  return sign * cast<double>(((exponent + 1023 - f.bias()) << 52) | (mantissa << (52 - f.mantissa)));
}
// The nearest value of the type, of two the even one. Beyond the largest, and of infinity: that one, or infinity where
// CUDA's conversions go there. NaN of NaN.
COLEX_HD inline double round_to(element e, double x) {
  if (e == element::s8) return fmin(fmax(rint(x), -128.0), 127.0);
  if (e == element::s32) return fmin(fmax(rint(x), -2147483648.0), 2147483647.0);
  format const f = float_format(e);
  if (fabs(x) == INFINITY && saturates(e)) return copysign(f.most(), x);
  if (e == element::f64 || x == 0 || !(fabs(x) < INFINITY)) return x;
  int exponent;
  frexp(x, &exponent);  // |x| in [1/2, 1) of 2^exponent
  int const least = 1 - f.bias(), quantum = (exponent - 1 < least ? least : exponent - 1) - f.mantissa;
  double const r = ldexp(rint(ldexp(x, -quantum)), quantum);
  return fabs(r) <= f.most() ? r : copysign(saturates(e) ? f.most() : INFINITY, x);
}
// The bits of a value of the type; a quiet NaN of NaN, and of infinity where the type has none.
COLEX_HD inline bits encode(element e, double x) {
  if (e == element::f64) return cast<bits>(x);
  if (gpu::is_integer(e)) return static_cast<bits>(static_cast<int64>(x));
  format const f = float_format(e);
  bits const all = cast<bits>(fabs(x)), sign = bits{cast<bits>(x) >> 63} << (f.exponent + f.mantissa);
  bits const last = ((bits{1} << f.exponent) - 1) << f.mantissa;
  if (fabs(x) == INFINITY && f.infinity) return sign | last;
  if (!(fabs(x) < INFINITY)) return last | (f.infinity ? bits{1} << (f.mantissa - 1) : (bits{1} << f.mantissa) - 1);
  if (fabs(x) < power_of_2(1 - f.bias())) return sign | static_cast<bits>(fabs(x) / f.least());
  return sign | ((all >> (52 - f.mantissa)) - (static_cast<bits>(1023 - f.bias()) << f.mantissa));
}

// Element (row, column, batch) lies at data + offset elements. The leaves of mode i end at end[i]; a mode counts
// colexicographically.
struct operand {
  unsigned char* data = nullptr;
  element type = element::f32;
  int end[3] = {};
  int64 extent[12] = {}, stride[12] = {};

  COLEX_HD int begin(int mode) const { return mode == 0 ? 0 : end[mode - 1]; }
  COLEX_HD int64 offset(int64 row, int64 column, int64 batch) const {
    int64 const index[3] = {row, column, batch};
    int64 sum = 0;
    for (int mode = 0; mode < 3; ++mode) {
      int64 rest = index[mode];
      for (int k = begin(mode); k < end[mode]; rest /= extent[k++]) sum += rest % extent[k] * stride[k];
    }
    return sum;
  }
  COLEX_HD double read(int64 at) const {
    switch (bytes_of(type)) {
      case 1: return decode(type, data[at]);
      case 2: return decode(type, reinterpret_cast<std::uint16_t const*>(data)[at]);
      case 4: return decode(type, reinterpret_cast<std::uint32_t const*>(data)[at]);
      default: return decode(type, reinterpret_cast<bits const*>(data)[at]);
    }
  }
  COLEX_HD void write(int64 at, double value) const {
    bits const b = encode(type, value);
    switch (bytes_of(type)) {
      case 1: data[at] = static_cast<unsigned char>(b); break;
      case 2: reinterpret_cast<std::uint16_t*>(data)[at] = static_cast<std::uint16_t>(b); break;
      case 4: reinterpret_cast<std::uint32_t*>(data)[at] = static_cast<std::uint32_t>(b); break;
      default: reinterpret_cast<bits*>(data)[at] = b;
    }
  }
};

// What an implementation may lose against exact arithmetic, relative to the magnitude of what it adds: by rounding the
// operands; by each addition within a run of so many products; by each addition of runs, and by alpha, beta and C. All
// 0: nothing, so that D is the exact result rounded once.
struct losses {
  double operands = 0, addition = 0;
  int64 run = 1;
  double scalars = 0;
};

// D = alpha A B + beta C: A is (m,k), B (n,k), C and D (m,n), p of each.
struct product {
  int64 m = 0, n = 0, k = 0, p = 1;
  operand a, b, c, d;
  double alpha = 1, beta = 0;
  losses lost;

  COLEX_HD int64 size() const { return m * n * p; }
};

// A sum of products as an unevaluated sum of two doubles (twice the precision of f64; of integers exact). NaN and infinite
// products are added apart: in any order they come to the same.
struct exact_sum {
  double high = 0, low = 0, beyond = 0;
  COLEX_HD void add(double a, double b) {
    double const product = a * b;
    if (!(fabs(product) < INFINITY)) return void(beyond += product);
    double const total = high + product, part = total - high;
    low += fma(a, b, -product) + ((high - (total - part)) + (product - part));
    high = total;
  }
};

struct expectation {
  double value = 0, error = 0;
  COLEX_HD bool agrees(double got) const {  // NaN agrees with NaN alone
    if (got == value || (got != got && value != value)) return true;
    double const off = fabs(got - value);
    return off <= error;
  }
};
COLEX_HD inline expectation expect(product const& x, int64 m, int64 n, int64 p) {
  exact_sum sum;
  double magnitude = 0;
  for (int64 k = 0; k < x.k && x.alpha != 0; ++k) {
    double const a = x.a.read(x.a.offset(m, k, p)), b = x.b.read(x.b.offset(n, k, p));
    sum.add(a, b);
    magnitude += fabs(a * b);
  }
  double const c = x.beta == 0 ? 0 : x.beta * x.c.read(x.c.offset(m, n, p));
  double const exact = x.alpha * (sum.beyond != 0 ? sum.beyond : sum.high) + c + x.alpha * sum.low,
               size = fabs(x.alpha) * magnitude;
  losses const& l = x.lost;
  double const additions = static_cast<double>(x.k < l.run ? x.k : l.run), runs = static_cast<double>(x.k / l.run);
  double const error = size * (l.operands + l.addition * additions + l.scalars * (runs + 4)) + 4 * l.scalars * fabs(c);
  if (l.scalars == 0) return {round_to(x.d.type, exact), 0};
  format const f = float_format(x.d.type);
  double const most = saturates(x.d.type) ? f.most() : INFINITY;
  return {fmin(fmax(exact, -most), most), error + (fabs(exact) + error) * power_of_2(-f.mantissa - 1) + f.least()};
}

// An element of D, counted colexicographically, and what was found there.
struct finding {
  int64 m = 0, n = 0, p = 0;
  double got = 0;
  expectation want;
};
COLEX_HD inline finding look(product const& x, int64 i) {
  finding f{i % x.m, i / x.m % x.n, i / x.m / x.n, 0, {}};
  f.got = x.d.read(x.d.offset(f.m, f.n, f.p));
  f.want = expect(x, f.m, f.n, f.p);
  return f;
}
struct wrong {
  product x;
  COLEX_HD bool operator()(int64 i) const {
    finding const f = look(x, i);
    return !f.want.agrees(f.got);
  }
};

// Memory that D lies in: poisoned before, and for each byte whether D covers it.
struct surroundings {
  unsigned char *memory = nullptr, *covered = nullptr;
  int64 bytes = 0;
};
struct cover {  // marks element i of D
  product x;
  surroundings around;
  COLEX_HD void operator()(int64 i) const {
    int64 const width = bytes_of(x.d.type), at = x.d.offset(i % x.m, i / x.m % x.n, i / x.m / x.n) * width;
    for (int64 byte = 0; byte < width; ++byte) around.covered[x.d.data - around.memory + at + byte] = 1;
  }
};
struct touched {
  surroundings around;
  unsigned char poison;
  COLEX_HD bool operator()(int64 i) const { return around.covered[i] == 0 && around.memory[i] != poison; }
};

// The least i below n of which it is true; n where there is none.
template <class Predicate>
int64 first(int64 n, Predicate const& is) {
  int64 i = 0;
  while (i < n && !is(i)) ++i;
  return i;
}

inline std::string mode_text(operand const& x, int mode, int64 const* of) {
  std::string text;
  int const leaves = x.end[mode] - x.begin(mode);
  for (int k = x.begin(mode); k < x.end[mode]; ++k) text += (k == x.begin(mode) ? "" : ",") + std::to_string(of[k]);
  return leaves == 1 ? text : "(" + text + ")";
}
inline std::string text(operand const& x) {
  std::string parts[2];
  for (int i = 0; i < 2; ++i)
    for (int mode = 0; mode < 3; ++mode) parts[i] += (mode == 0 ? "" : ",") + mode_text(x, mode, i == 0 ? x.extent : x.stride);
  return std::string(gpu::name_of(x.type)) + " (" + parts[0] + "):(" + parts[1] + ")";
}
inline std::string text(product const& x) {
  std::ostringstream out;
  out << "  shape   M " << x.m << ", N " << x.n << ", K " << x.k << ", batches " << x.p << "; alpha " << x.alpha << ", beta "
      << x.beta << (x.lost.scalars == 0 ? "; exact" : "; within a bound") << "\n  layouts A " << text(x.a) << "\n          B "
      << text(x.b) << "\n          C " << text(x.c) << "\n          D " << text(x.d) << "\n";
  return out.str();
}
inline std::string text(finding const& f) {
  std::ostringstream out;
  out.precision(17);
  out << "D(" << f.m << "," << f.n << "," << f.p << ") is " << f.got << ", not " << f.want.value;
  if (f.want.error != 0) out << " +- " << f.want.error;
  return out.str();
}
// What went wrong with which kernel, where, and how to see it again.
inline std::string report(std::string const& kernel, std::string const& fault, product const& x, std::string const& again) {
  return "FAIL " + kernel + ": " + fault + "\n" + text(x) + "  again   " + again + "\n";
}

}  // namespace colex::verify
