// A verifier that lets everything pass would never be noticed: each kind of wrong result must fail here, and right ones
// pass. SPDX-License-Identifier: Apache-2.0
#include "tests/device/gemm_draw.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace {

using namespace colex::verify;
using colex::gpu::name_of;

constexpr unsigned char poison = 0xFF;

// D in the middle of poisoned memory, rows three elements apart from each other; A and B K-major, C as D would be
// without gaps.
struct computed {
  std::vector<unsigned char> a, b, c, memory, covered;
  product x;

  computed(element in, element out, bool whole, double beta = 1) {
    x.m = 7, x.n = 5, x.k = 33, x.p = 2, x.alpha = 2, x.beta = beta;
    x.a = operand_of(a, in, {x.m, x.k, x.p}, {x.k, 1, x.m * x.k}, 0);
    x.b = operand_of(b, in, {x.n, x.k, x.p}, {x.k, 1, x.n * x.k}, 0);
    x.c = operand_of(c, out, {x.m, x.n, x.p}, {x.n, 1, x.m * x.n}, 0);
    x.d = operand_of(memory, out, {x.m, x.n, x.p}, {x.n + 3, 1, x.m * (x.n + 3)}, 16);
    covered.assign(memory.size(), 0);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (auto const& [o, rows, columns] : {std::tuple{x.a, x.m, x.k}, {x.b, x.n, x.k}, {x.c, x.m, x.n}})
      for (int64 i = 0; i < rows * columns * x.p; ++i)
        o.write(i, round_to(o.type, whole ? static_cast<double>(random() % 9) - 4 : normal(random)));
    if (!whole) x.lost = {0, 0x1p-22, x.k, 0x1p-23};
    for (int64 i = 0; i < x.size(); ++i) cover{x, around()}(i);
    compute();
  }
  static operand operand_of(std::vector<unsigned char>& memory, element e, std::vector<int64> extent, std::vector<int64> stride,
                            int64 guard) {
    operand o{nullptr, e, {1, 2, 3}, {}, {}};
    int64 last = 0;
    for (std::size_t i = 0; i < 3; ++i) last += ((o.extent[i] = extent[i]) - 1) * (o.stride[i] = stride[i]);
    memory.assign(static_cast<std::size_t>((last + 1 + 2 * guard) * bytes_of(e)), poison);
    o.data = memory.data() + guard * bytes_of(e);
    return o;
  }
  surroundings around() { return {memory.data(), covered.data(), static_cast<int64>(memory.size())}; }
  // What a kernel would have done: sums in f32, in order.
  void compute() {
    for (int64 i = 0; i < x.size(); ++i) {
      int64 const m = i % x.m, n = i / x.m % x.n, p = i / x.m / x.n;
      float sum = 0;
      for (int64 k = 0; k < x.k; ++k) sum += static_cast<float>(x.a.read(x.a.offset(m, k, p)) * x.b.read(x.b.offset(n, k, p)));
      double const added = x.beta == 0 ? 0 : x.beta * x.c.read(x.c.offset(m, n, p));
      put(m, n, p, round_to(x.d.type, static_cast<float>(x.alpha * sum + added)));
    }
  }
  void put(int64 m, int64 n, int64 p, double v) { x.d.write(x.d.offset(m, n, p), v); }
  double at(int64 m, int64 n, int64 p) const { return x.d.read(x.d.offset(m, n, p)); }
  bool right() {
    return first(x.size(), wrong{x}) == x.size() && first(around().bytes, touched{around(), poison}) == around().bytes;
  }
};

struct verifier : testing::TestWithParam<std::tuple<element, element, bool>> {
  computed made() const { return {std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam())}; }
};
INSTANTIATE_TEST_SUITE_P(
    types, verifier,
    testing::Values(std::tuple{element::f64, element::f64, true}, std::tuple{element::f32, element::f32, false},
                    std::tuple{element::bf16, element::f32, true}, std::tuple{element::f16, element::f16, false},
                    std::tuple{element::bf16, element::bf16, true}, std::tuple{element::e4m3, element::f16, true},
                    std::tuple{element::e5m2, element::e4m3, true}, std::tuple{element::e4m3, element::e5m2, false},
                    std::tuple{element::s8, element::s32, true}, std::tuple{element::s8, element::s8, true}));

TEST_P(verifier, passes_what_is_right) { EXPECT_TRUE(made().right()); }

TEST_P(verifier, fails_one_wrong_element) {
  computed r = made();
  double const v = r.at(3, 4, 1);
  r.put(3, 4, 1, v > 0 ? -v - 40 : 40 - v);
  EXPECT_EQ(first(r.x.size(), wrong{r.x}), 3 + r.x.m * (4 + r.x.n * 1));
}

TEST_P(verifier, fails_the_least_step_of_an_exact_result) {
  if (!std::get<2>(GetParam())) GTEST_SKIP() << "judged within a bound";
  computed r = made();
  int64 const at = r.x.d.offset(6, 0, 0) * bytes_of(r.x.d.type);
  r.x.d.data[at] ^= 1;
  EXPECT_FALSE(r.right());
}

TEST_P(verifier, fails_an_element_that_is_missing) {
  computed r = made();
  double const left = decode(r.x.d.type, ~bits{0});
  if (r.at(0, 0, 0) == left) GTEST_SKIP() << "it is what it would have been";
  std::memset(r.x.d.data + r.x.d.offset(0, 0, 0) * bytes_of(r.x.d.type), poison,
              static_cast<std::size_t>(bytes_of(r.x.d.type)));
  EXPECT_EQ(first(r.x.size(), wrong{r.x}), 0);
}

TEST_P(verifier, fails_a_transposed_result) {
  computed r = made(), t = made();
  r.x.m = t.x.m = r.x.n;  // the square part
  for (int64 i = 0; i < r.x.size(); ++i)
    t.put(i % r.x.m, i / r.x.m % r.x.n, i / r.x.m / r.x.n, r.at(i / r.x.m % r.x.n, i % r.x.m, i / r.x.m / r.x.n));
  EXPECT_EQ(first(r.x.size(), wrong{r.x}), r.x.size());
  EXPECT_LT(first(t.x.size(), wrong{t.x}), t.x.size());
}

TEST_P(verifier, fails_batches_in_each_others_place) {
  computed r = made();
  for (int64 i = 0; i < r.x.m * r.x.n; ++i) {
    int64 const m = i % r.x.m, n = i / r.x.m;
    double const v = r.at(m, n, 0);
    r.put(m, n, 0, r.at(m, n, 1));
    r.put(m, n, 1, v);
  }
  EXPECT_FALSE(r.right());
}

TEST_P(verifier, fails_writing_around_D) {
  computed r = made();
  int64 const width = bytes_of(r.x.d.type), start = r.x.d.data - r.memory.data();
  for (int64 at : {int64{0}, start - 1, start + r.x.n * width, start + (r.x.n + 3) * width - 1, r.around().bytes - 1}) {
    r.memory[static_cast<std::size_t>(at)] = 0;
    EXPECT_EQ(first(r.around().bytes, touched{r.around(), poison}), at);
    r.memory[static_cast<std::size_t>(at)] = poison;
  }
  EXPECT_TRUE(r.right());
}

TEST(verifier, fails_nan_and_infinity) {
  for (bool whole : {true, false})
    for (element e : {element::f64, element::f32, element::f16, element::bf16, element::e5m2}) {
      computed r(element::e5m2, e, whole);
      format const f = float_format(e);
      bits const infinity = ((bits{1} << f.exponent) - 1) << f.mantissa;
      for (bits b : {infinity, infinity | 1}) {
        computed s(element::e5m2, e, whole);
        std::memcpy(s.x.d.data + s.x.d.offset(2, 2, 1) * bytes_of(e), &b, static_cast<std::size_t>(bytes_of(e)));
        EXPECT_EQ(first(s.x.size(), wrong{s.x}), 2 + s.x.m * (2 + s.x.n * 1)) << name_of(e) << " " << b;
      }
    }
}

// NaN of NaN, of infinity times 0 and of infinities of both signs; otherwise infinity, or the largest value where D has none.
TEST(verifier, follows_nan_and_infinity_from_A_to_D) {
  for (element in : {element::f64, element::f32, element::f16, element::bf16, element::e5m2})
    for (element out : {element::f32, element::f16, element::e4m3, element::e5m2}) {
      computed r(in, out, true);
      r.x.a.write(r.x.a.offset(3, 5, 1), NAN), r.x.a.write(r.x.a.offset(2, 4, 0), -INFINITY);
      for (int64 n = 0; n < 3; ++n) r.x.b.write(r.x.b.offset(n, 4, 0), static_cast<double>(n));
      r.x.b.write(r.x.b.offset(2, 5, 0), INFINITY), r.x.a.write(r.x.a.offset(2, 5, 0), 1);
      r.compute();
      EXPECT_TRUE(r.right()) << name_of(in) << " " << name_of(out);
      EXPECT_TRUE(std::isnan(r.at(3, 0, 1)) && std::isnan(r.at(2, 0, 0)) && std::isnan(r.at(2, 2, 0)));
      double const most = saturates(out) ? float_format(out).most() : INFINITY;
      EXPECT_EQ(r.at(2, 1, 0), -most);
      for (int64 n : {0, 1}) {
        computed s = r;
        s.x.d.data = s.memory.data() + (r.x.d.data - r.memory.data());
        s.put(2, n, 0, 0);
        EXPECT_EQ(first(s.x.size(), wrong{s.x}), 2 + s.x.m * n) << "a zero where infinity was multiplied by " << n;
      }
    }
}
TEST(verifier, expects_nothing_of_A_where_alpha_is_0) {
  computed r(element::f16, element::f16, true);
  r.x.alpha = 0, r.x.a.write(0, NAN);
  EXPECT_FALSE(std::isnan(expect(r.x, 0, 0, 0).value));
}
TEST(verifier, fails_subnormals_that_are_flushed) {
  for (element e : {element::f64, element::f32, element::f16, element::bf16, element::e4m3, element::e5m2}) {
    computed r(e, e, true);
    for (auto const& [o, count] : {std::pair{r.x.a, r.x.m * r.x.k}, {r.x.c, r.x.m * r.x.n}})
      for (int64 i = 0; i < count * r.x.p; ++i) o.write(i, o.read(i) * float_format(e).least());
    for (int64 i = 0; i < r.x.size(); ++i) {
      expectation const want = look(r.x, i).want;
      r.put(i % r.x.m, i / r.x.m % r.x.n, i / r.x.m / r.x.n, want.value);
      EXPECT_EQ(std::fmod(want.value, float_format(e).least()), 0);
      EXPECT_LT(std::fabs(want.value), 4000 * float_format(e).least());
    }
    EXPECT_TRUE(r.right()) << name_of(e);
    for (int64 i = 0; i < r.x.size(); ++i) r.put(i % r.x.m, i / r.x.m % r.x.n, i / r.x.m / r.x.n, 0);
    EXPECT_FALSE(r.right()) << name_of(e);
  }
}

TEST(verifier, fails_nan_from_a_C_that_beta_0_should_have_kept_unread) {
  computed r(element::f16, element::f16, false, 0);
  std::memset(r.c.data(), poison, r.c.size());
  EXPECT_TRUE(r.right());
  r.put(1, 1, 1, 0);
  r.memory[static_cast<std::size_t>(r.x.d.data - r.memory.data() + r.x.d.offset(1, 1, 1) * 2 + 1)] = 0x7F;  // NaN
  EXPECT_FALSE(r.right());
}

TEST(verifier, bounds_are_tight_enough_to_see_a_product_left_out) {
  for (element e : {element::f32, element::bf16, element::f16}) {
    computed r(e, element::f32, false);
    expectation const all = expect(r.x, 4, 4, 1);
    r.x.k -= 1;
    EXPECT_FALSE(all.agrees(expect(r.x, 4, 4, 1).value)) << name_of(e);
  }
}

TEST(elements, survive_decoding_and_encoding) {
  for (element e : {element::e4m3, element::e5m2, element::f16, element::bf16, element::s8})
    for (bits b = 0; b < bits{1} << (8 * bytes_of(e)); ++b) {
      double const v = decode(e, b);
      bits const back = encode(e, v) & ((bits{1} << (8 * bytes_of(e))) - 1);
      if (std::isnan(v)) {
        ASSERT_TRUE(std::isnan(decode(e, back)) && std::isnan(round_to(e, v))) << name_of(e);
        continue;
      }
      ASSERT_EQ(back, b) << name_of(e);
      ASSERT_EQ(round_to(e, v), std::isinf(v) && saturates(e) ? std::copysign(float_format(e).most(), v) : v)
          << name_of(e) << b;
    }
}
TEST(elements, have_the_values_that_their_makers_give) {
  EXPECT_EQ(decode(element::e4m3, 0x7E), 448);
  EXPECT_TRUE(std::isnan(decode(element::e4m3, 0x7F)) && std::isnan(decode(element::e4m3, 0xFF)));
  EXPECT_EQ(decode(element::e4m3, 0x01), 0x1p-9);
  EXPECT_EQ(decode(element::e5m2, 0x7B), 57344);
  EXPECT_TRUE(std::isinf(decode(element::e5m2, 0x7C)));
  EXPECT_EQ(decode(element::f16, 0x7BFF), 65504);
  EXPECT_EQ(decode(element::f16, 0x3C00), 1);
  EXPECT_EQ(decode(element::bf16, 0xC040), -3);
  EXPECT_EQ(decode(element::s8, 0x80), -128);
  for (float v : {1.0F, -3.25F, 1e-40F, 3.4e38F}) EXPECT_EQ(decode(element::f32, cast<std::uint32_t>(v)), v);
}
TEST(elements, round_to_the_nearest_even_and_saturate) {
  EXPECT_EQ(round_to(element::bf16, 257), 256);
  EXPECT_EQ(round_to(element::bf16, 259), 260);
  EXPECT_EQ(round_to(element::bf16, -257.5), -258);
  EXPECT_EQ(round_to(element::e4m3, 1000), 448);
  EXPECT_EQ(round_to(element::e4m3, 17), 16);
  EXPECT_EQ(round_to(element::e4m3, 0x1p-10), 0);
  EXPECT_EQ(round_to(element::e5m2, -1e6), -57344);
  EXPECT_EQ(round_to(element::f16, 70000), INFINITY);
  EXPECT_EQ(round_to(element::f16, 65519), 65504);
  EXPECT_EQ(round_to(element::s8, 2.5), 2);
  EXPECT_EQ(round_to(element::s8, -200), -128);
  EXPECT_EQ(round_to(element::s32, 3.5), 4);
  EXPECT_EQ(round_to(element::f32, 1 + 0x1p-24), 1);
}

// D's elements lie in places of their own; what is drawn stays in the memory that it asks for; every kind of thing is
// drawn.
TEST(draws, are_admissible_and_varied) {
  std::vector<types> const all = all_types();
  int empty = 0, batches = 0, huge = 0, hierarchical = 0, overlapping = 0, backwards = 0, in_place = 0;
  std::array<int, 6> kinds{};
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    drawn const x = drawing(seed, bounds{}).draw(all);
    std::vector<std::pair<int64, int64>> leaves;  // of D, by stride
    for (auto const& mode : x.d.modes)
      for (leaf const& l : mode)
        if (l.extent > 1) leaves.emplace_back(std::abs(l.stride), l.extent);
    std::ranges::sort(leaves);
    for (int64 i = 0, reach = 1; i < std::ssize(leaves); ++i) {
      auto const [stride, extent] = leaves[static_cast<std::size_t>(i)];
      ASSERT_TRUE(stride >= reach || x.d.span == 0) << seed;
      reach += (extent - 1) * stride;
    }
    for (placed const* o : {&x.a, &x.b, &x.c, &x.d}) {
      ASSERT_LE(o->origin, o->span);
      huge += o->span > int64{1} << 31;
      int64 distinct = 1;
      for (auto const& mode : o->modes)
        for (leaf const& l : mode) distinct *= l.extent, backwards += l.stride < 0, hierarchical += mode.size() > 1;
      overlapping += o->span < distinct;
    }
    ++kinds[static_cast<std::size_t>(x.kind)];
    EXPECT_TRUE(x.of.a != element::s8 || x.kind < data::beyond);
    empty += x.m * x.n * x.k * x.p == 0, batches += x.p > 65535, in_place += x.c_is_d && x.beta != 0;
  }
  for (int n : kinds) EXPECT_GT(n, 10);
  for (int n : {empty, batches, huge, hierarchical, overlapping, backwards, in_place}) EXPECT_GT(n, 10);
}
TEST(draws, are_the_same_for_a_seed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    drawn const x = drawing(seed, bounds{}).draw(all_types()), y = drawing(seed, bounds{}).draw(all_types());
    EXPECT_EQ(text(x.of) + text(x.a.at(nullptr)) + text(x.d.at(nullptr)),
              text(y.of) + text(y.a.at(nullptr)) + text(y.d.at(nullptr)));
  }
}

TEST(reports, say_all_that_is_needed_to_see_it_again) {
  computed r(element::bf16, element::f32, true);
  r.put(3, 4, 1, 0.5);
  std::string const said = report("sm00", text(look(r.x, first(r.x.size(), wrong{r.x}))), r.x, "gemm_test --seed 7");
  for (char const* part : {"FAIL sm00: D(3,4,1) is 0.5, not ", "M 7, N 5, K 33, batches 2; alpha 2, beta 1; exact",
                           "A bf16 (7,33,2):(33,1,231)", "D f32 (7,5,2):(8,1,56)", "again   gemm_test --seed 7"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " in\n" << said;
}

}  // namespace
