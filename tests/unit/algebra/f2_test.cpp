// Linear maps over F2, all of the small ones: what the reference says beside what their tables say.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/meaning.hpp"
#include "spec/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using namespace colex;

using table = std::vector<unsigned>;

// The map whose bases are `width` bits of the code each.
std::vector<unsigned> bases_of(unsigned code, unsigned bits, unsigned width) {
  std::vector<unsigned> out;
  for (unsigned k = 0; k < bits; ++k) out.push_back(code >> width * k & ((1u << width) - 1));
  return out;
}
table table_of(std::vector<unsigned> const& bases) {
  table out{0};
  for (unsigned const b : bases)
    for (std::size_t x = 0, n = out.size(); x < n; ++x) out.push_back(out[x] ^ b);
  return out;
}
value map_of(unsigned width, std::vector<unsigned> const& bases) {
  std::vector<value> items;
  for (unsigned const b : bases) items.emplace_back(integer(b));
  return {kind::f2, {value(integer(width)), tuple_of(std::move(items))}};
}
answer ask(std::string op, std::vector<value> args) { return ref::respond({std::move(op), std::move(args)}); }
table table_of(answer const& a) {
  std::vector<unsigned> bases;
  for (integer const& b : f2_bases(a.result)) bases.push_back(static_cast<unsigned>(b));
  return table_of(bases);
}

// The least index of the value nearest to y; the numbers that are the least of y ^ v for all values v; the values in order.
table nearest(table const& f, unsigned width) {
  table out;
  for (unsigned y = 0; y < 1u << width; ++y)
    out.push_back(static_cast<unsigned>(
        std::min_element(f.begin(), f.end(), [&](unsigned u, unsigned v) { return (u ^ y) < (v ^ y); }) - f.begin()));
  return out;
}
table least_of_cosets(table const& f, unsigned width) {
  table out;
  for (unsigned y = 0; y < 1u << width; ++y)
    if (std::all_of(f.begin(), f.end(), [&](unsigned v) { return (y ^ v) >= y; })) out.push_back(y);
  return out;
}
table sorted_values(table const& f) {
  std::set<unsigned> const all(f.begin(), f.end());
  return {all.begin(), all.end()};
}
table zeros(table const& f) {
  table out;
  for (unsigned x = 0; x < f.size(); ++x)
    if (f[x] == 0) out.push_back(x);
  return out;
}

void expect_right(unsigned width, std::vector<unsigned> const& bases) {
  value const map = map_of(width, bases);
  table const f = table_of(bases), back = nearest(f, width), values = sorted_values(f);
  std::size_t ahead = 1;
  while (2 * ahead <= values.size() && values[2 * ahead - 1] == 2 * ahead - 1) ahead *= 2;
  EXPECT_EQ(table_of(ask("f2_image", {map})), values) << print(map);
  EXPECT_EQ(table_of(ask("f2_kernel", {map})), zeros(f)) << print(map);
  EXPECT_EQ(table_of(ask("f2_complement", {map})), least_of_cosets(f, width)) << print(map);
  EXPECT_EQ(table_of(ask("f2_left_inverse", {map})), back) << print(map);
  EXPECT_EQ(table_of(ask("f2_right_inverse", {map})), table(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(ahead)))
      << print(map);
  EXPECT_EQ(std::size_t{1} << static_cast<int>(ask("f2_rank", {map}).result.number), values.size()) << print(map);
  answer const inverse = ask("f2_invert", {map});
  EXPECT_EQ(static_cast<bool>(inverse), f.size() == values.size() && values.size() == std::size_t{1} << width) << print(map);
  if (inverse) {
    EXPECT_EQ(table_of(inverse), back) << print(map);
  }
}

TEST(F2, EveryMapOfFourBitsToThree) {
  for (unsigned bits = 0; bits <= 4; ++bits)
    for (unsigned width = 0; width <= 3; ++width)
      for (unsigned code = 0; code < 1u << bits * width; ++code) expect_right(width, bases_of(code, bits, width));
}
TEST(F2, EveryMapOfFourBitsToFour) {
  for (unsigned code = 0; code < 1u << 16; ++code) expect_right(4, bases_of(code, 4, 4));
}

// The map of no values but 0 with so many bits of an index; a layout of as many elements.
value zero_map(unsigned bits) { return map_of(0, std::vector<unsigned>(bits)); }
value broadcast(unsigned bits) { return layout_of(value(integer(integer(1) << bits)), value(0)); }

TEST(F2, AMapHasAThousandBits) {
  for (unsigned more : {0u, 1u}) {
    EXPECT_EQ(static_cast<bool>(ask("f2_product", {zero_map(400), zero_map(600 + more)})), more == 0);
    EXPECT_EQ(static_cast<bool>(ask("to_f2", {broadcast(1000 + more)})), more == 0);
    EXPECT_EQ(static_cast<bool>(ask("to_f2", {layout_of(value(2), value(integer(integer(1) << (999 + more))))})), more == 0);
  }
}

unsigned swizzled(unsigned x, int b, int m, int s) {
  unsigned const source = x >> (m + std::max(s, 0)) & ((1u << b) - 1);
  return x ^ source << (m + std::max(-s, 0));
}
// f(b, m, s) for each swizzle of the numbers of n bits.
template <class F>
void each_swizzle(int n, F f) {
  f(0, 0, 0);
  for (int b = 1; 2 * b <= n; ++b)
    for (int m = 0; m + 2 * b <= n; ++m)
      for (int s = b; m + b + s <= n; ++s) f(b, m, s), f(b, m, -s);
}

// The maps to three bits that some layout (2,2,2):(..) with strides below 16 has, perhaps behind a swizzle of four bits, are
// those for which from_f2 finds a layout; and what it finds is right.
TEST(F2, FromF2FindsALayoutWhereThereIsOne) {
  std::set<table> reached;
  for (unsigned code = 0; code < 4096; ++code) {
    std::vector<unsigned> const d = bases_of(code, 3, 4);
    each_swizzle(4, [&](int b, int m, int s) {
      table f;
      for (unsigned x = 0; x < 8; ++x)
        f.push_back(swizzled((x & 1) * d[0] + (x >> 1 & 1) * d[1] + (x >> 2 & 1) * d[2], b, m, s));
      if (*std::max_element(f.begin(), f.end()) < 8 && f == table_of({f[1], f[2], f[4]})) reached.insert(f);
    });
  }
  for (unsigned code = 0; code < 512; ++code) {
    std::vector<unsigned> const bases = bases_of(code, 3, 3);
    answer const a = ask("from_f2", {map_of(3, bases)});
    table const f = table_of(bases);
    ASSERT_EQ(static_cast<bool>(a), reached.contains(f)) << print(map_of(3, bases));
    for (unsigned x = 0; a && x < 8; ++x) EXPECT_EQ(value_at(a.result, x), point(integer(f[x]))) << print(a.result);
  }
}

// Behind every swizzle of 8 bits.
TEST(F2, SwizzledLayoutsComeBack) {
  for (char const* a : {"64:1", "(8,8):(8,1)", "(2,4,8):(32,8,1)", "(4,(2,8)):(16,(8,1))", "(8,4):(1,16)"})
    each_swizzle(8, [&](int b, int m, int s) {
      std::string const text = "Sw<" + std::to_string(b) + "," + std::to_string(m) + "," + std::to_string(s) + ">o0o" + a;
      value const tensor = parse(text);
      answer const map = ask("to_f2", {tensor});
      ASSERT_TRUE(map) << text;
      answer const back = ask("from_f2", {map.result});
      ASSERT_TRUE(back) << text;
      for (integer x = 0; x < size(tensor); ++x) ASSERT_EQ(value_at(back.result, x), value_at(tensor, x)) << text;
    });
}

// f(a), a each layout behind each swizzle of four bits.
template <class F>
void each_swizzled(std::initializer_list<char const*> layouts, F f) {
  for (char const* a : layouts)
    each_swizzle(4, [&](int b, int m, int s) {
      f(value(kind::composed, {value(kind::swizzle, {value(b), value(m), value(s)}), value(0), parse(a)}));
    });
}
std::vector<integer> values_of(value const& a) {
  std::vector<integer> out;
  for (integer i = 0; i < size(a); ++i) out.push_back(value_at(a, i).number);
  return out;
}

// What functions of layouts refuse, linear maps answer: the values are those that the definitions name.
TEST(Closure, CompositionsAndDividesTakeTheValuesAtTheValues) {
  each_swizzled({"16:1", "(4,4):(4,1)", "(2,8):(8,1)"}, [](value const& a) {
    each_swizzled({"8:2", "(2,4):(8,1)", "(2,2):(5,10)", "(4,2):(1,0)"}, [&](value const& b) {
      answer const r = ask("composition", {a, b}), d = ask("logical_divide", {a, b}), rest = ask("complement", {b, value(16)});
      ASSERT_TRUE(r && rest) << print(a) << " " << print(b);
      for (integer i = 0; i < size(b); ++i) ASSERT_EQ(value_at(r.result, i), value_at(a, value_at(b, i).number));
      for (integer i = 0, n = size(b); is_plain(b) ? false : i < size(d.result); ++i) {
        integer const at = value_at(b, integer(i % n)).number ^ value_at(rest.result, integer(i / n)).number;
        ASSERT_EQ(value_at(d.result, i), value_at(a, at)) << print(a) << " " << print(b);
      }
    });
  });
}
TEST(Closure, InversesTakeValuesBack) {
  each_swizzled({"16:1", "(4,4):(4,1)", "(2,2,4):(8,4,1)", "(2,2):(1,6)", "(2,2,2):(4,0,1)"}, [](value const& a) {
    answer const r = ask("right_inverse", {a}), l = ask("left_inverse", {a});
    ASSERT_TRUE(r && l) << print(a);
    std::vector<integer> const values = values_of(a);
    for (integer i = 0; i < size(r.result); ++i) EXPECT_EQ(value_at(a, value_at(r.result, i).number), point(i)) << print(a);
    EXPECT_EQ(std::count(values.begin(), values.end(), size(r.result)), 0) << print(a);
    for (integer const& x : values) EXPECT_EQ(value_at(a, value_at(l.result, x).number), point(x)) << print(a);
  });
}
// A layout that nothing stands before, and what is not linear, are refused as before.
TEST(Closure, RefusesWhatIsNotLinear) {
  for (char const* text :
       {"logical_divide 16:1 (2,2):(6,9)", "composition 8:1 1o4:1", "composition 8:1 Sw<1,0,1>o0o16:1",
        "composition 6:1 Sw<1,0,1>o0o4:1", "complement Sw<1,0,1>o0o4:1 12", "complement Sw<1,0,1>o0o4:1 2", "complement 3o4:1",
        "left_inverse Sw<1,0,1>o1o4:1", "right_inverse Sw<1,0,2>o0o5:1", "logical_divide 16:1 Sw<1,0,1>o0o3:1"})
    EXPECT_EQ(ref::respond(parse_request(text)).what, status::undefined) << text;
  EXPECT_EQ(ref::respond_as_layouts(parse_request("right_inverse Sw<2,0,3>o0o(4,4):(4,1)")).what, status::undefined);
}

}  // namespace
