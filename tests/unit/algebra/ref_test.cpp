// The reference's own limits: how much it looks at, and what it leaves undecided then. SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/composition.hpp"
#include "ref/answer.hpp"

#include <gtest/gtest.h>

namespace colex::ref {
namespace {

integer power(unsigned k) { return integer(1) << k; }
// So many modes of one element, and so many of two that nothing merges.
layout modes_of(std::size_t ones, std::size_t twos) {
  std::vector<layout> out(ones, layout(1, 0));
  for (std::size_t k = 0; k < twos; ++k) out.emplace_back(2, point(integer(k % 2 == 0 ? 1 : 3)));
  return layout(std::move(out));
}
// A leaf of as many bits, with so many modes of one element beside it.
layout of_bits(unsigned bits, std::size_t ones) {
  std::vector<layout> out(ones, layout(1, 0));
  out.emplace_back(2, point(power(bits - 2)));
  return layout(std::move(out));
}

// 2^34 bits: for each element A's digits that B reaches and B's digits twice, each of B's bits and 2,048 for the step itself.
TEST(composition, takes_as_many_elements_as_a_second_allows) {
  EXPECT_EQ(tries_of(modes_of(0, 3), of_bits(8, 0)), table_limit);
  EXPECT_EQ(tries_of(modes_of(8190, 0), of_bits(2048, 0)), 1 + power(34) / (8192 * (2048 + 2048)));
  EXPECT_EQ(tries_of(modes_of(6142, 10000), of_bits(2048, 0)), 1 + power(34) / (8192 * (2048 + 2048)));
  EXPECT_EQ(tries_of(modes_of(6141, 10000), of_bits(2049, 0)), 1 + power(34) / (8192 * (2049 + 2048)));
  EXPECT_EQ(tries_of(modes_of(6144, 0), of_bits(2048, 1023)), 1 + power(34) / (8192 * (2048 + 2048)));
}

// 2^28 bits of remainders: of a stride of 2^13 bits at each of 2^13 cuts, four times.
TEST(composition, takes_so_many_remainders_and_no_more) {
  digits all(modes_of(0, 8194), power(9000));
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(all.leaf(2, power(8192) + 1));
  EXPECT_THROW(all.leaf(2, 3), undecided);
}

// Steps of 23 and of 11 are of 3 and of 1 at the first digit.
TEST(composition, leaves_that_carry_together_are_none) {
  layout const a({layout(10, 1), layout(10, 100)});
  auto const carry = [&](int n) {
    digits all(a, power(20));
    EXPECT_TRUE(all.leaf(n, 23));
    EXPECT_TRUE(all.leaf(2, 11));
    return all.carry();
  };
  EXPECT_FALSE(carry(3));
  EXPECT_TRUE(carry(4));
}

// What has no answer as layouts is asked as maps, where a tile is none: undefined, as it was, not outside the grammar.
TEST(composition, of_a_composed_layout_and_a_tile_is_undefined) {
  for (char const* asked : {"composition Sw<1,0,1>o0o(4,6):(1,5) 6", "logical_divide Sw<1,0,1>o0o(4,6):(1,5) 6"})
    EXPECT_EQ(respond(parse_request(asked)).what, status::undefined) << asked;
}

// A stride of more digits than an integer of the grammar has is refused before all of the others are made.
TEST(make_ordered_layout, has_strides_that_can_be_written) {
  std::string const first = "1" + std::string(max_digits - 1, '0');
  auto const ask = [&](std::string const& shape, std::string const& order) {
    return respond(parse_request("make_ordered_layout " + shape + " " + order));
  };
  for (std::string const shape : {"(10,2)", "(11,2)"}) {
    answer const a = ask("(" + first + "," + shape.substr(1), "(0,1,2)");
    EXPECT_EQ(a.what, status::undecided) << a.reason;
    EXPECT_EQ(a.reason, "not decided: strides of more than 4096 digits");
  }
  answer const fits = ask("(" + first + ",9,2)", "(0,1,2)"), one = ask("(" + first + ",10,1)", "(0,1,2)");
  ASSERT_TRUE(fits) << fits.reason;
  EXPECT_EQ(print(fits.result), "(" + first + ",9,2):(1," + first + ",9" + first.substr(1) + ")");
  ASSERT_TRUE(one) << one.reason;
  EXPECT_EQ(print(one.result), "(" + first + ",10,1):(1," + first + ",0)");
}

// Its name without a width is read as its own, not as another instruction's.
TEST(copy_atom, of_a_bulk_copy_has_a_width) {
  for (std::string const name : {"SM90_TMA_LOAD", "SM90_BULK_COPY_G2S"}) try {
      respond(parse_request("copy_atom " + name + " SrcLayout"));
      ADD_FAILURE() << name;
    } catch (malformed const& e) {
      EXPECT_NE(std::string(e.what()).find("a multiple of 128b belong behind the name"), std::string::npos) << e.what();
    }
}

// The bits on either side of a map.
TEST(f2_product, has_as_many_bits_as_a_map_may_have) {
  auto const map = [](int n) {
    std::string zeros = "0";
    for (int k = 1; k < n; ++k) zeros += ",0";
    return " F2<1>(" + zeros + ")";
  };
  EXPECT_TRUE(respond(parse_request("f2_product" + map(500) + map(500))));
  EXPECT_EQ(respond(parse_request("f2_product" + map(500) + map(501))).what, status::undefined);
}

}  // namespace
}  // namespace colex::ref
