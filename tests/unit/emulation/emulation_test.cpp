// The constants and functions that kernels take for products out of residues, against the reference's exact integers.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/emulation/emulated.hpp"

#include <gtest/gtest.h>

namespace {

using namespace colex::emulated;
using colex::integer;

// ---- Constants ----

integer exactly(double x) {
  int const exponent = ref::exponent_of(x);
  integer const shifted = ref::shifted(integer(std::ldexp(x, 53 - exponent)), exponent - 53);
  EXPECT_EQ(shifted.convert_to<double>(), x);
  return shifted;
}
integer sum_of_pieces(double const (&pieces)[gpu::most_pieces]) {
  integer sum = 0;
  for (double x : pieces) sum += exactly(x);
  return sum;
}
integer unit_of(int n, int piece) { return integer(1) << gpu::unit_of(n, piece); }

TEST(emulation_laws, moduli_pairwise_coprime) {
  std::vector<int> coprime;
  for (int p = 256; p >= gpu::moduli[all_moduli - 1]; --p)
    if (std::all_of(coprime.begin(), coprime.end(), [&](int q) { return std::gcd(p, q) == 1; })) coprime.push_back(p);
  EXPECT_EQ(coprime, std::vector<int>(std::begin(gpu::moduli), std::end(gpu::moduli)));
  EXPECT_EQ(coprime, std::vector<int>(ref::moduli.begin(), ref::moduli.end()));
}
TEST(emulation, constants_are_exact) {
  gpu::sum_bounds const bounds = gpu::all_bounds();
  for (int n = 1; n <= all_moduli; ++n) {
    auto const& r = reconstruction_of(n);
    integer const product = ref::product_of(static_cast<std::size_t>(n));
    EXPECT_EQ(sum_of_pieces(r.product), product) << n;
    EXPECT_EQ(r.inverse, 1 / product.convert_to<double>()) << n;
    for (int t = 0; t < n; ++t)
      EXPECT_EQ(sum_of_pieces(r.weight[t]), ref::weight_of(static_cast<std::size_t>(t), static_cast<std::size_t>(n)))
          << n << ' ' << t;
    auto const bound = bounds.of[n];
    integer const exact = ref::bound_of(static_cast<std::size_t>(n));
    EXPECT_EQ(bound.bits, static_cast<int>(msb(exact)) + 1);
    EXPECT_EQ(integer(bound.leading), ref::shifted(exact, 64 - bound.bits)) << n;
    int const words = gpu::words_of(n);  // no more than a number needs
    EXPECT_LT(exact, integer(1) << 2 * (32 * words - 1));
    EXPECT_TRUE(words == 1 || exact >> 2 * (32 * (words - 1) - 1) != 0) << n;
  }
}
// What adds up to no more than 2^53 units is exact, whichever bytes the residues are, and in whatever order.
TEST(emulation, sums_of_pieces_stay_exact) {
  for (int n = 1; n <= all_moduli; ++n) {
    auto const& r = reconstruction_of(n);
    integer const product = ref::product_of(static_cast<std::size_t>(n));
    integer largest = 0;
    for (int t = 0; t < n; ++t) largest += 128 * abs(sum_of_pieces(r.weight[t]));
    integer const quotient = largest / product + 1;
    EXPECT_EQ(gpu::unit_of(n, r.pieces - 1), 0);
    EXPECT_LE(product, unit_of(n, 0) << 42) << n;
    EXPECT_TRUE(r.pieces == 1 || product > unit_of(n, 0) << 41) << n;
    for (int i = 1; i < r.pieces; ++i) {
      int const width = gpu::unit_of(n, i - 1) - gpu::unit_of(n, i);
      EXPECT_TRUE(width == 42 || (width < 42 && i == r.pieces - 1)) << n << ' ' << i;
      for (int t = 0; t < n; ++t) EXPECT_LE(2 * abs(exactly(r.weight[t][i])), unit_of(n, i - 1)) << n << ' ' << i;
    }
    integer below = 0, last = 0;
    for (int i = r.pieces - 1; i >= 0; --i) {
      integer sum = 0;
      for (int t = 0; t < n; ++t) {
        EXPECT_EQ(exactly(r.weight[t][i]) % unit_of(n, i), 0);
        sum += 128 * abs(exactly(r.weight[t][i]));
      }
      EXPECT_LE(sum, unit_of(n, i) << 53) << n << ' ' << i;
      // Of the first piece the multiple of P leaves what the others do not have.
      integer const left = i > 0 ? integer(sum + quotient * abs(exactly(r.product[i]))) : integer(product / 2 + below);
      EXPECT_LE(left, unit_of(n, i) << 53) << n << ' ' << i;
      if (i > 0) below += left;
      // Of four pieces the last is added to the rest of D_1 + D_2 + D_3 exactly: both are integers, and of 53 bits.
      if (i == 3) last = left;
      if (i == 2 && r.pieces == 4) {
        EXPECT_LE((product >> 106) + (left >> 53) + 2 + last, integer(1) << 53) << n;
      }
      // The quotient is that of the first piece: the others are below the margin that the bound leaves.
      if (i == 1) {
        EXPECT_LT(below << 28, product) << n;
      }
    }
  }
}

// ---- Residues ----

TEST(emulation, constants_of_a_modulus_are_exact) {
  for (int t = 0; t < all_moduli; ++t) {
    auto const m = gpu::modulus_of(t);
    EXPECT_EQ(std::nearbyint(0x1p38 / m.p), m.quotient) << t;
    EXPECT_EQ(std::nearbyint(0x1p32 / m.p), m.fraction) << t;
    EXPECT_EQ((1u << 30) / static_cast<unsigned>(m.p), m.offset) << t;
    for (int i = 0; i < 12; ++i)
      EXPECT_EQ(static_cast<std::int8_t>(m.powers[i / 4] >> 8 * (i % 4)), ref::symmetric(integer(1) << 8 * i, m.p)) << t << i;
    for (int w = 1; w <= 3; ++w) EXPECT_EQ(m.bias[w - 1], ref::symmetric(-(integer(1) << (32 * w - 1)), m.p)) << t << w;
  }
}
TEST(emulation, sums_are_reduced) {
  std::mt19937 draw(1);
  for (int t = 0; t < all_moduli; ++t) {
    auto const& m = modulus_of(t);
    int const p = m.p;
    auto const check = [&](std::int64_t x) {
      int const r = gpu::reduce_symmetric(static_cast<std::int32_t>(x), m);
      bool const near = std::abs(x) <= (1 << 30) + (1 << 20);
      return near ? r == gpu::symmetric(x, p) : (x - r) % p == 0 && r >= -128 && r <= 127;
    };
    // A quotient changes next to odd multiples of p/2.
    std::int64_t const step = std::int64_t{p} << 7;
    for (std::int64_t middle = INT32_MIN + step; middle < INT32_MAX - step; middle += step)
      for (int k : {p / 2, p / 2 + 1})
        if (!check(middle / p * p + k)) FAIL() << middle << ' ' << p;
    for (std::int64_t x : {INT32_MIN, INT32_MIN + 1, INT32_MAX, INT32_MAX - 1, 0, 1, -1})
      EXPECT_TRUE(check(x)) << x << ' ' << p;
    for (std::int64_t edge :
         {std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX} - 4 * p, -(std::int64_t{1} << 30), std::int64_t{1} << 30})
      for (int k = 0; k < 4 * p; ++k) EXPECT_TRUE(check(edge + k)) << edge << ' ' << p;
    for (int i = 0; i < 1000000; ++i)
      if (std::int32_t const x = static_cast<std::int32_t>(draw()); !check(x)) FAIL() << x << ' ' << p;
  }
}

template <int Words>
void expect_residue(double x) {
  auto const number = gpu::integer_of<Words>(x);
  for (int t = 0; t < all_moduli; ++t) {
    auto const& m = modulus_of(t);
    ASSERT_EQ(gpu::residue(number, m), ref::symmetric(ref::truncated(x, 0), m.p)) << x << ' ' << m.p;
  }
}
template <int Words>
void expect_residues() {
  std::mt19937_64 draw(1);
  double const largest = std::nextafter(std::ldexp(1, Words == 3 ? 78 : 32 * Words - 1), 0);
  for (double x : {0.0, 0.5, 0.999, 1.0, 1.5, 127.0, 128.0, 1e9, largest, largest / 2, std::nextafter(largest, 0)})
    expect_residue<Words>(x), expect_residue<Words>(-x);
  for (int i = 0; i < 1000; ++i)
    expect_residue<Words>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(draw())),
                                     static_cast<int>(draw() % (Words == 3 ? 79 : 32 * Words)) - 65));
}
TEST(emulation_laws, residue_represents) {
  expect_residues<1>();
  expect_residues<2>();
  expect_residues<3>();
}

TEST(emulation, bytes_become_doubles) {
  for (int k = 0; k < 4; ++k)
    for (unsigned r = 0; r < 256; ++r) {
      unsigned const others = 0x11223344u & ~(0xffu << 8 * k);
      EXPECT_EQ(gpu::byte_of((others | r << 8 * k) ^ 0x80808080u, k), static_cast<std::int8_t>(r));
    }
}

// Squares of 16x16 sums follow each other along a row of them, row after row, plane after plane.
TEST(emulation, pieces_follow_each_other) {
  for (auto [m, n] : {std::pair{1, 1}, {16, 32}, {33, 50}, {100, 17}}) {
    std::int64_t next = 0;
    for (int plane = 0; plane < 3; ++plane) {
      EXPECT_EQ(256 * next, plane * gpu::bytes_of_pieces(m, n));
      for (int i = 0; i < m; i += 16)
        for (int j = 0; j < n; j += 16, ++next)
          for (int k = 0; k < 256 && i + k / 16 < m && j + k % 16 < n; ++k)
            EXPECT_EQ(gpu::piece_of(m, n, plane, i + k / 16, j + k % 16), next) << plane << ' ' << i << ' ' << j;
    }
  }
}

// ---- Reconstruction ----

// Between the doubles beside it, and odd where it is inexact.
TEST(emulation, sums_are_rounded_to_odd) {
  std::mt19937_64 draw(1);
  auto const number = [&] {
    return std::ldexp(static_cast<double>(static_cast<std::int64_t>(draw())), -60 - static_cast<int>(draw() % 60));
  };
  for (int i = 0; i < 10000; ++i) {
    double const x = number(), y = number(), sum = gpu::add_to_odd(x, y);
    auto const beyond = [&](double z) { return (exact(x) + exact(y) - exact(z)).x; };
    if (beyond(x + y) == 0) {
      EXPECT_EQ(sum, x + y);
    } else {
      EXPECT_EQ(bits_of(sum) % 2, 1u) << x << ' ' << y;
      EXPECT_GT(beyond(std::nextafter(sum, -HUGE_VAL)), 0) << x << ' ' << y;
      EXPECT_LT(beyond(std::nextafter(sum, HUGE_VAL)), 0) << x << ' ' << y;
    }
  }
}

}  // namespace
