// The laws of products out of residues (spec/emulation.md), of what kernels do as far as that is done here, and of the
// reference. SPDX-License-Identifier: Apache-2.0
#include "tests/unit/emulation/emulated.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <sstream>
#include <string>

namespace {

using namespace colex::emulated;
using colex::integer;

// ---- Laws ----

TEST(emulation_laws, scaled_within_bound) {
  random_bits draw(2);
  for (std::size_t k : {1, 2, 17, 300})
    for (line const& x : lines(draw, k)) {
      ASSERT_EQ(scaling_of(x).sums.sum, ref::sums_of(x).sum);
      for (int n = 1; n <= all_moduli; ++n) {
        ASSERT_EQ(scale_of(x, n), ref::scale_of(x, size(n))) << k << ' ' << n;
        integer squares = 0;
        for (integer const& y : ref::scaled(x, size(n)).x) squares += y * y;
        EXPECT_LE(squares, ref::bound_of(size(n)));
      }
    }
}
// As many bits as the bound allows: one more, and what the rounded squares add up to is beyond it.
TEST(emulation, scales_are_largest) {
  for (int n = 1; n <= all_moduli; ++n)
    for (double x : {1.0, 0.7, 0.51, 0x1p-1074, 1e300}) {
      integer const y = ref::truncated(x, scale_of({x}, n) + 1);
      EXPECT_GT((y + 1) * (y + 1) * ((1 << 18) + 3), ref::bound_of(size(n)) << 18) << n << ' ' << x;
    }
}
// 127, what one modulus holds, is 11^2 + 2^2 + 1 + 1; another element counts, though it is 0.
TEST(emulation, scales_meet_the_bound) {
  line x;
  for (double root : {11, 2, 1, 1}) x.push_back(root * 0x1p16 - 1);
  for (int scale : {-16, -17}) {
    EXPECT_EQ(scale_of(x, 1), scale);
    EXPECT_EQ(ref::scale_of(x, 1), scale);
    x.push_back(0);
  }
}
TEST(emulation_laws, residue_product_congruent) {
  random_bits draw(3);
  for (int t = 0; t < all_moduli; ++t) {
    auto const& m = modulus_of(t);
    for (std::size_t k : {1, 100, 1 << 16, 1 << 18}) {
      bytes a(k, -m.p / 2), b(k, -m.p / 2);
      EXPECT_EQ(product_of(a, b, m), ref::symmetric(integer(m.p / 2) * (m.p / 2) * k, m.p)) << m.p << ' ' << k;
      integer sum = 0;
      for (std::size_t i = 0; i < k; ++i) {
        a[i] = static_cast<int>(gpu::symmetric(static_cast<std::int32_t>(draw()), m.p));
        b[i] = static_cast<int>(gpu::symmetric(static_cast<std::int32_t>(draw()), m.p));
        sum += a[i] * b[i];
      }
      EXPECT_EQ(product_of(a, b, m), ref::symmetric(sum, m.p)) << m.p << ' ' << k;
    }
  }
}

TEST(emulation_laws, reconstruction_inverse) {
  random_bits draw(4);
  for (int n = 1; n <= all_moduli; ++n)
    for (integer const& x : held(draw, n)) EXPECT_EQ(ref::reconstructed(residues_of(x, n)), x) << n;
}
TEST(emulation_laws, reconstruction_in_doubles) {
  random_bits draw(5);
  for (int n = 1; n <= all_moduli; ++n)
    for (integer const& x : held(draw, n)) {
      bytes const residues = residues_of(x, n);
      for (int scale : {0, 160, 1180, 1220, 1229, -900, -1024, 2500, -2500}) {
        ASSERT_EQ(bits_of(rounded_f64(residues, n, scale)), bits_of(ref::rounded_f64(x, scale)))
            << n << ' ' << x << ' ' << scale;
        ASSERT_EQ(bits_of(rounded_f32(residues, n, scale)), bits_of(ref::rounded_f32(x, scale)))
            << n << ' ' << x << ' ' << scale;
      }
    }
}

// The product of the truncated lines, before it is rounded, and what it lacks.
dyadic truncated_product(line const& a, line const& b, int n) {
  return {ref::reconstructed(residues_of_product(a, b, n)), -scale_of(a, n) - scale_of(b, n)};
}
void expect_bounded_error(line const& a, line const& b, int n) {
  dyadic const product = truncated_product(a, b, n), error = magnitude(product - dot(a, b));
  EXPECT_LE(error, power(-scale_of(a, n)) * sum_of(b) + power(-scale_of(b, n)) * sum_of(a)) << a.size() << ' ' << n;
  // 4.1 sqrt(K) |a| |b| / sqrt(bound), squared
  EXPECT_LE(100 * ref::bound_of(size(n)) * (error * error), integer(1681 * a.size()) * (dot(a, a) * dot(b, b)));
  // Rounded once, or twice where it is subnormal.
  double const result = rounded_f64(residues_of_product(a, b, n), n, -product.exponent);
  if (!std::isfinite(result)) return;
  dyadic const ulp = exact(std::nextafter(std::fabs(result), HUGE_VAL)) - exact(std::fabs(result));
  EXPECT_LE(2 * magnitude(exact(result) - product), (std::fabs(result) < 0x1p-1021 ? 2 : 1) * ulp);
}
TEST(emulation_laws, product_error_bound) {
  random_bits draw(6);
  for (std::size_t k : {1, 30, 200})
    for (line const& a : lines(draw, k))
      for (line const& b : {lognormal(draw, k, 0), lognormal(draw, k, 3), with_huge(lognormal(draw, k, 1))})
        for (int n : {7, 15, 20}) expect_bounded_error(a, b, n);
  expect_bounded_error(lognormal(draw, 1 << 18, 1), lognormal(draw, 1 << 18, 1), 8);
}
// No better bound would do: where all that is dropped is nearly one and of one sign, the error is a third of it.
TEST(emulation, product_error_bound_is_tight) {
  for (std::size_t k : {4, 64, 1000})
    for (int n : {6, 10}) {
      int const scale = scale_of(constant(k, 1), n);
      line const a = constant(k, std::ldexp(std::floor(std::ldexp(1, scale)) - 0x1p-10, -scale)), b = constant(k, 1 - 0x1p-53);
      int const e = scale_of(a, n), f = scale_of(b, n);
      dyadic const error = dot(a, b) - truncated_product(a, b, n);
      EXPECT_LE(power(-e) * sum_of(b) + power(-f) * sum_of(a), 3 * error) << k << ' ' << n;
    }
}
// What types ask for; and what n moduli are just good for, and not any more.
std::vector<double> roundoffs(line const& x) {
  std::vector<double> out = {0x1p100, 0x1p-11, 0x1p-24, 0x1p-53, 1e-12, 0x1p-90};
  for (std::size_t n : {1, 7, 15}) {
    out.push_back(ref::roundoff_of(x, n));
    out.push_back(std::nextafter(out.back(), 0));
  }
  return out;
}
// What the choice of the moduli promises: an error of the given unit roundoff times |a| |b| / sqrt(K), 1-norms.
TEST(emulation, moduli_are_enough) {
  random_bits draw(7);
  gpu::sum_bounds const bounds = gpu::all_bounds();
  for (std::size_t k : {1, 30, 300})
    for (line const& a : lines(draw, k))
      for (double roundoff : roundoffs(a)) {
        scaling const s = scaling_of(a);
        if (s.exponent == INT_MIN) continue;
        int const n = gpu::moduli_for(s.sums, static_cast<std::int64_t>(k), s.exponent, roundoff, bounds);
        ASSERT_EQ(size(n), ref::moduli_for(a, roundoff));
        line const b = constant(k, 1);
        if (n > all_moduli || size(n) < ref::moduli_for(b, roundoff)) continue;
        dyadic const error = magnitude(truncated_product(a, b, n) - dot(a, b)),
                     allowed = exact(roundoff) * sum_of(a) * sum_of(b);
        EXPECT_LE(integer(k) * (error * error), allowed * allowed) << k << ' ' << n;
      }
}
TEST(emulation, moduli_are_as_many_as_native_precision_needs) {
  random_bits draw(8);
  auto const most = [&](double phi, double roundoff) {
    std::size_t n = 0;
    for (int i = 0; i < 20; ++i) n = std::max(n, ref::moduli_for(lognormal(draw, 1024, phi), roundoff));
    return n;
  };
  EXPECT_EQ(most(0.5, 0x1p-53), 15u);
  EXPECT_EQ(most(0.5, 0x1p-24), 7u);
  EXPECT_EQ(most(3, 0x1p-53), 16u);
  EXPECT_EQ(most(3, 0x1p-24), 8u);
  EXPECT_EQ(most(1, 0x1p-80), 21u);
}

// Kernels differ in the order of their sums, in their blocks, and in the residue they take for a class.
TEST(emulation_laws, same_bits_on_every_kernel) {
  random_bits draw(9);
  for (line const& a : lines(draw, 200)) {
    line const b = lognormal(draw, a.size(), 2);
    for (int n : {5, 7, 15, 20}) {
      double const product = ref::product_f64(a, b, size(n));
      ASSERT_EQ(bits_of(product_f64(a, b, n)), bits_of(product));
      line c = a, d = b;
      std::vector<std::size_t> order(a.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), draw);
      for (std::size_t k = 0; k < order.size(); ++k) c[k] = a[order[k]], d[k] = b[order[k]];
      bytes residues;
      for (int t = 0; t < n; ++t) {
        auto const& m = modulus_of(t);
        bytes const x = residues_of(c, scale_of(c, n), n, m), y = residues_of(d, scale_of(d, n), n, m);
        int const r = product_of(x, y, m, 1 + draw() % 200);
        residues.push_back(r + m.p <= 127 ? r + m.p : r - m.p >= -128 ? r - m.p : r);
      }
      int const scale = scale_of(a, n) + scale_of(b, n);
      EXPECT_EQ(bits_of(rounded_f64(residues, n, scale)), bits_of(product)) << n;
      EXPECT_EQ(bits_of(rounded_f32(residues, n, scale)), bits_of(ref::product_f32(a, b, size(n)))) << n;
    }
  }
}
TEST(emulation_laws, integer_product_exact) {
  random_bits draw(10);
  for (int n : {7, 8, 15, 20})
    for (std::size_t k : {1, 3, 500, n == 7 ? 1 << 18 : 500}) {
      // As large as norms below the square root of the bound let them be.
      double const largest =
          std::floor(std::min(0x1p53, std::sqrt(ref::bound_of(size(n)).convert_to<double>() / static_cast<double>(k)) * 0.99));
      line a(k), b(k);
      for (double& x : a) x = std::trunc(std::uniform_real_distribution<double>(-largest, largest)(draw));
      for (double& x : b) x = std::trunc(std::uniform_real_distribution<double>(-largest, largest)(draw));
      EXPECT_TRUE(scale_of(a, n) >= 0 && scale_of(b, n) >= 0);
      dyadic const sum = dot(a, b);
      integer const product = ref::shifted(sum.x, sum.exponent);
      EXPECT_EQ(bits_of(product_f64(a, b, n)), bits_of(ref::rounded_f64(product, 0))) << n << ' ' << k;
      EXPECT_EQ(product_f32(a, b, n), ref::rounded_f32(product, 0));
    }
}
// Small integers, whose products cancel, whatever a double keeps of the rest.
TEST(emulation, small_integers_survive_cancellation) {
  for (int n = 7; n <= all_moduli; ++n) {
    double const large = std::floor(std::sqrt(ref::bound_of(size(n)).convert_to<double>()) / 2);
    double const x = std::min(large, 0x1p52) - 1;
    EXPECT_EQ(product_f64({x, 1, 1}, {x, -x * 1, 3}, n), std::fma(x, x, -x + 3)) << n;
    EXPECT_EQ(product_f64({x, -x, 1}, {x, x, 3}, n), 3) << n;
  }
}

// ---- Special values ----

TEST(emulation, infinities_go_the_native_way) {
  line const good = {1, 2, 3};
  for (double x : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    line const bad = {1, x, 0};
    EXPECT_EQ(scaling_of(bad).exponent, gpu::exponent_of_infinity);
    EXPECT_TRUE(is_native(bad, 32) && ref::is_native(bad, 32));
    EXPECT_EQ(std::isnan(answer_f64(bad, good, 15)), std::isnan(x));
    EXPECT_FALSE(std::isfinite(answer_f64(good, bad, 15)));
  }
  EXPECT_EQ(gpu::exponent_of(std::numeric_limits<double>::max()), gpu::exponent_of_infinity - 1);
}
TEST(emulation, wide_lines_go_the_native_way) {
  random_bits draw(12);
  for (int width : {gpu::width_f64, gpu::width_f32}) {
    for (std::size_t k : {1, 5, 300})
      for (line const& x : lines(draw, k)) EXPECT_EQ(is_native(x, width), ref::is_native(x, width));
    double const least = std::ldexp(1, 1 - width), below = std::nextafter(least, 0);
    for (auto const& [x, native] : {std::pair{line{1, least, least}, false},
                                    {{1, below, least}, false},
                                    {{1, below, below}, true},
                                    {{-1, below, -below, 0}, true},
                                    {{1, below, 0, 0}, false},
                                    {{0x1p1000, 1, 1}, true},
                                    {{0, 0}, false}}) {
      EXPECT_EQ(is_native(x, width), native);
      EXPECT_EQ(ref::is_native(x, width), native);
    }
  }
  EXPECT_EQ(answer_f64({0x1p1000, 1, 1}, {0, 1, 1}, 15), 2);
}
TEST(emulation, zeros_have_no_scale) {
  EXPECT_EQ(scale_of({0, -0.0, 0}, 15), 0);
  EXPECT_EQ(bits_of(product_f64({0, 0, 0}, {1, -2, 3}, 15)), bits_of(0.0));
  EXPECT_EQ(product_f64({1, 1}, {1, -1}, 15), 0);
}
TEST(emulation, exponents_are_those_of_frexp) {
  for (double x : {1.0, 0.75, 2.0, 0x1p-1022, 0x1p-1074, 0x1.8p-1074, 0x1.fffp-1030, 0x1p1023, 3.0})
    EXPECT_EQ(gpu::exponent_of(-x), ref::exponent_of(x)) << x;
}

// ---- Is the judge one? ----

TEST(emulation, defects_are_noticed) {
  random_bits draw(11);
  std::vector<line> a, b;
  for (int i = 0; i < 4; ++i) a.push_back(lognormal(draw, 100, 4)), b.push_back(lognormal(draw, 100, 4));
  for (int n : {7, 15, 20}) {
    auto const wrong = [&](defects const& d) {
      int all = 0;
      for (std::size_t i = 0; i < a.size(); ++i) all += product_f64(a[i], b[i], n, d) != ref::product_f64(a[i], b[i], size(n));
      return all;
    };
    EXPECT_EQ(wrong({}), 0);
    for (int t = 0; t < n; ++t) {
      EXPECT_EQ(wrong({.residue = t}), 4) << n << ' ' << t;
      EXPECT_GT(wrong({.modulus = t}), 0) << n << ' ' << t;
    }
    // Without the way back an infinity would be a number, and what is small nothing.
    line infinite = a[0];
    infinite[7] = HUGE_VAL;
    EXPECT_FALSE(std::isfinite(answer_f64(infinite, b[0], n)));
    EXPECT_TRUE(std::isfinite(product_f64(infinite, b[0], n)));
    EXPECT_EQ(product_f64({0x1p1000, 1, 1}, {0, 1, 1}, n), 0);
  }
}

// ---- The document and the proofs ----

std::string text_of(char const* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::set<std::string> laws() {
  std::set<std::string> all;
  std::istringstream document(text_of("spec/emulation.md"));
  for (std::string text; std::getline(document, text);)
    if (text.starts_with("- `") && text.find("`:") != text.npos) all.insert(text.substr(3, text.find("`:") - 3));
  return all;
}
TEST(emulation, each_law_has_its_test) {
  std::set<std::string> tested;
  for (int i = 0; i < testing::UnitTest::GetInstance()->total_test_suite_count(); ++i) {
    testing::TestSuite const& suite = *testing::UnitTest::GetInstance()->GetTestSuite(i);
    for (int k = 0; suite.name() == std::string("emulation_laws") && k < suite.total_test_count(); ++k)
      tested.insert(suite.GetTestInfo(k)->name());
  }
  EXPECT_EQ(laws(), tested);
  EXPECT_FALSE(tested.empty());
}
// How doubles are rounded is not in the proofs.
TEST(emulation, each_law_has_its_theorem) {
  std::string const proofs = text_of("proofs/gemm/Residues.v");
  std::set<std::string> lacking;
  for (std::string const& law : laws())
    if (proofs.find("Theorem " + law + " ") == proofs.npos) lacking.insert(law);
  EXPECT_EQ(lacking, std::set<std::string>{"reconstruction_in_doubles"});
}
TEST(emulation, moduli_are_the_same_everywhere) {
  for (auto const& [path, between] : {std::pair{"spec/emulation.md", ", "}, {"proofs/gemm/Residues.v", "; "}}) {
    std::string list;
    for (int p : gpu::moduli) list += (list.empty() ? "" : between) + std::to_string(p);
    EXPECT_NE(text_of(path).find(list), std::string::npos) << path;
  }
}

}  // namespace
