// The value algebra as a C++ library: what its callers use and no request on the wire reaches, and where its limits are.
// Laws are asked elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra.hpp"
#include "gpu/answer.hpp"
#include "ref/answer.hpp"

#include <gtest/gtest.h>

namespace {

using namespace colex::gpu;

// n leaves of extent 2 with the strides d(0), d(1), ...
template <class F>
layout leaves(int n, F d) {
  layout a;
  layout_writer w(a);
  w.open();
  for (int k = 0; k < n; ++k) w.put(2, d(k));
  w.close();
  return a;
}
// s in n parentheses.
std::string nested(int n, std::string const& s) { return std::string(n, '(') + s + std::string(n, ')'); }

TEST(values, are_equal_when_all_they_hold_is) {
  layout const a = make_layout({4, {2, 3}}, {3, {1, 12}}), flat = make_layout({4, 2, 3}, {3, 1, 12});
  EXPECT_EQ(a, make_layout({4, {2, 3}}, {3, {1, 12}}));
  EXPECT_FALSE(a == make_layout({4, {2, 3}}, {3, {1, 13}}));
  EXPECT_FALSE(a == make_layout({4, {2, 4}}, {3, {1, 12}}));
  EXPECT_FALSE(a == flat);
  EXPECT_EQ((int_tuple{4, {2, _}}), (int_tuple{4, {2, _}}));
  EXPECT_FALSE((int_tuple{4, {2, _}}) == (int_tuple{4, {2, 1}}));
  EXPECT_FALSE((int_tuple{4, 2}) == (int_tuple{4, 3}));
  EXPECT_FALSE(shape(a) == shape(flat));
  EXPECT_EQ((swizzle{3, 4, 3}), (swizzle{3, 4, 3}));
  for (swizzle const& other : {swizzle{2, 4, 3}, swizzle{3, 5, 3}, swizzle{3, 4, 4}}) EXPECT_FALSE((swizzle{3, 4, 3}) == other);
  EXPECT_EQ(view(5, a), view(5, a));
  for (composed const& other : {view(6, a), view(5, flat), composition(swizzle{}, 5, a)}) EXPECT_FALSE(view(5, a) == other);
  EXPECT_FALSE(composition(swizzle{2, 0, 3}, 5, a) == composition(swizzle{1, 0, 3}, 5, a));
  EXPECT_TRUE(congruent(a.form, make_layout({1, {1, 1}}, {0, {0, 0}}).form));
}

TEST(values, tilers_are_equal_item_by_item) {
  layout const none, two = make_layout(2, 1);
  EXPECT_EQ((tiler{4, make_layout(2, 3), _}), (tiler{4, make_layout(2, 3), _}));
  EXPECT_FALSE((tiler{4, _}) == (tiler{4, 2}));
  EXPECT_FALSE((tiler{4, 2, 3}) == (tiler{tiler{4, 2}, 3}));
  EXPECT_FALSE((tiler{2, _}) == (tiler{2, none}));
  EXPECT_FALSE((tiler{2}) == (tiler{two}));
  EXPECT_FALSE((tiler{none, two}) == (tiler{two, none}));
  EXPECT_FALSE((tiler{make_layout({2, 2}, {1, 2}), 3}) == (tiler{two, make_layout({2, 3}, {2, 1})}));
}

TEST(values, tilers_nest) {
  layout const a = make_layout({{4, 6}, 8}, {{1, 4}, 24});
  EXPECT_EQ(zipped_divide(a, tiler{{2, 3}, _}), zipped_divide(a, tiler{tiler{2, 3}, _}));
  EXPECT_EQ(logical_divide(a, tiler{tiler{2}, 4}), logical_divide(a, tiler{tiler{make_layout(2, 1)}, make_layout(4, 1)}));
  EXPECT_THROW((tiler{tiler{}, 4}), unsupported);
}

TEST(basis_strides, are_values_like_others) {
  layout const a = make_identity_layout({4, 6});
  int_tuple const first(1, path_of({0})), second(1, path_of({1})), zero(0, path_of({1}));
  EXPECT_EQ(a, make_layout({4, 6}, {first, second}));
  EXPECT_EQ(stride(a), (int_tuple{first, second}));
  EXPECT_FALSE(stride(a) == (int_tuple{1, 1}));
  EXPECT_FALSE(a == make_layout({4, 6}, {1, 1}));
  EXPECT_EQ(make_layout({4, 6}, {first, zero}), make_layout({4, 6}, {first, 0}));
  EXPECT_EQ(apply(a, 9), (int_tuple{1, 2}));
  EXPECT_THROW(a(9), undefined);
  EXPECT_THROW(view(first, make_layout(4, 1))(2), undefined);
}

TEST(composed_layouts, have_the_shape_of_what_they_hold) {
  composed const c = composition(swizzle{2, 3, 3}, 16, make_layout({8, {4, 2}}, {8, {1, 4}}));
  EXPECT_EQ(rank(c), 2);
  EXPECT_EQ(depth(c), 2);
  EXPECT_EQ(size(c), 64);
  EXPECT_EQ(make_fragment_like(c), make_fragment_like(c.inner));
  EXPECT_EQ(max_alignment(c), 8);
  EXPECT_EQ(slice(int_tuple{1, _}, c), slice_and_offset(int_tuple{1, _}, c));
  EXPECT_EQ(max_alignment(view(12, make_layout(64, 1))), 4);
  EXPECT_EQ(max_alignment(composition(swizzle{1, 62, 1}, 12, make_layout(64, 1))), 4);
}

TEST(composed_layouts, may_begin_at_a_coordinate) {
  composed const c = view({1, 2}, make_identity_layout({4, 6}));
  EXPECT_EQ(apply(c, 5), (int_tuple{2, 3}));
  EXPECT_EQ(slice_and_offset(int_tuple{2, _}, c).offset, (int_tuple{3, 2}));
  EXPECT_EQ(slice_and_offset(int_tuple{2, _}, view(0, c.inner)).offset, (int_tuple{2, 0}));
  EXPECT_EQ(slice_and_offset(int_tuple{0, _}, view({1, 2}, make_layout({4, 6}, {1, 4}))).offset, (int_tuple{1, 2}));
  EXPECT_THROW(slice_and_offset(int_tuple{2, _}, view(7, c.inner)), undefined);
  EXPECT_THROW(apply(view({1, {2, 3}}, c.inner), 5), undefined);
  EXPECT_THROW(apply(view(7, c.inner), 5), undefined);
  EXPECT_THROW(apply(composition(swizzle{1, 0, 1}, _, make_layout(4, 1)), 1), undefined);
}

TEST(composed_layouts, without_bits_are_inverted_as_they_stand) {
  composed const c = composition(swizzle{}, 0, make_layout({4, 2}, {2, 1}));
  EXPECT_EQ(right_inverse(c), c.with(right_inverse(c.inner)));
}

TEST(swizzles, merge_only_when_they_are_swizzles) {
  EXPECT_THROW(composition(swizzle{2, 0, 1}, swizzle{2, 0, 1}), undefined);  // source and target bits meet
  EXPECT_THROW(composition(swizzle{1, 58, 3}, swizzle{1, 59, 3}), unsupported);
}

TEST(errors, say_why) {
  try {
    composition(make_layout({4, 3}, {3, 1}), make_layout(6, 1));
    FAIL() << "answered where no layout exists";
  } catch (undefined const& e) {
    EXPECT_STREQ(e.what(), "no layout equals A(B(c))");
  }
}

TEST(errors, refuse_what_is_no_shape_or_coordinate) {
  layout const a = make_layout({4, 6}, {1, 4});
  EXPECT_THROW(make_layout({4, 0}, {1, 4}), undefined);
  EXPECT_THROW(make_layout_left({4, 0}), undefined);
  EXPECT_THROW(crd2idx({1, 2}, {4, 0}), undefined);
  EXPECT_THROW(ceil_div({4, 6}, 0), undefined);
  EXPECT_THROW(domain_distribute({4, 0}, 2), undefined);
  EXPECT_THROW(tile_to_shape(a, {4, 0}), undefined);
  EXPECT_THROW(complement(a, int_tuple{4, 0}), undefined);
  EXPECT_THROW(take(a, -1, 1), undefined);
  EXPECT_THROW(group(a, -1, 1), undefined);
  EXPECT_THROW(replace(a, -1, a), undefined);
  EXPECT_THROW(apply(a, {1, _}), undefined);
  EXPECT_THROW(idx2crd(_, {4, 6}), undefined);
  EXPECT_THROW(apply(a, -1), unspecified);
  EXPECT_THROW(a(-1), unspecified);
}

TEST(limits, nothing_wraps_and_nothing_is_cut) {
  auto const power = [](int k) { return int64{1} << k; };
  layout const many = leaves(20, power);
  EXPECT_THROW(size(make_layout({power(40), power(40)}, {1, 1})), unsupported);
  EXPECT_THROW(make_layout(many, many), unsupported);
  EXPECT_THROW(left_inverse(leaves(32, [&](int k) { return power(32 - k); })), unsupported);
  EXPECT_THROW(composition(make_layout(leaves(16, [&](int k) { return power(16 - k); }),
                                       leaves(16, [&](int k) { return power(32 - k); })),
                           make_layout({power(16), power(16), 1},
                                       {int_tuple(1, path_of({0})), int_tuple(1, path_of({1})), int_tuple(1, path_of({0}))})),
               unsupported);
  EXPECT_THROW((int_tuple{int_tuple{}, 4}), unsupported);
}

TEST(limits, paths_of_basis_strides) {
  EXPECT_EQ(path_of({1, 0}), path_of({1, 0}));
  EXPECT_THROW(path_of({255}), unsupported);
  EXPECT_THROW(path_of({-1}), unsupported);
  EXPECT_THROW(path_of({0, 0, 0, 0, 0, 0, 0, 0, 0}), unsupported);
}

// Where modes overlap the value algebra searches; beyond the bounds of the search it still gives what surely holds.
TEST(inverses, of_modes_that_overlap) {
  EXPECT_EQ(left_inverse(make_layout({2, 2, 2}, {1, 2, 3})), make_layout({3, 2}, {1, 4}));
  EXPECT_EQ(right_inverse(make_layout({3, 2, 200}, {1, 2, 0})), make_layout({2, 2}, {1, 3}));
}

// ---- requests, to both edges ----

struct edge {
  char const* name;
  colex::answer (*respond)(colex::request const&);
};
constexpr edge edges[] = {{"ref", colex::ref::respond}, {"gpu", colex::gpu::respond}};

// Every request that is no request: refused with a reason, never answered.
TEST(requests, that_do_not_fit_are_refused) {
  for (char const* line : {"nothing 4:1",
                           "composition 4:1",
                           "size 4:1 4:1",
                           "get 4:1",
                           "composition 4 4:1",
                           "size _",
                           "congruent 4:1 4",
                           "make_layout_left (0,1)",
                           "get 4:1 -1",
                           "get 4:1 4:1",
                           "get 4:1 1@0",
                           "get 4:1 2000000",
                           "take 4:1 -1 1",
                           "append 4:1 4:1 4:1",
                           "coalesce 4:1 4:1",
                           "coalesce 4:1 <4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4>",
                           "complement 4:1 -5",
                           "complement 4:1 (4,-1)",
                           "complement Sw<1,0,1>o0o4:1 8",
                           "dice (1,_) Sw<1,0,3>o0o(4,2):(1,4)",
                           "slice 4:1 4:1",
                           "slice 1@0 4:1",
                           "apply 4:1 (_)",
                           "apply 4:1 _",
                           "idx2crd _ 4",
                           "crd2idx 1 4 (1,2)",
                           "make_ordered_layout (2,3) LayoutLeft",
                           "tile_to_shape (2,2):(1,2) (4,6) LayoutUp",
                           "recast_layout 4:1 x 8",
                           "recast_layout 4:1 ab 8",
                           "recast_layout 4:1 abc 8",
                           "recast_layout 4:1 4:1 8",
                           "upcast <4> 2",
                           "blocked_product 4:1 <4>",
                           "composition 4:1 1 4:1",
                           "composition Sw<1,0,1> 4:1",
                           "composition 4:1 Sw<1,0,1>",
                           "composition 4:1 _",
                           "composition 4:1 4@0",
                           "composition 4:1 <4@0>",
                           "composition 4:1 <(2,2)>"}) {
    colex::request const r = colex::parse_request(line);
    for (edge const& e : edges) {
      try {
        EXPECT_FALSE(static_cast<bool>(e.respond(r))) << e.name << ": " << line;
      } catch (colex::malformed const& why) {
        EXPECT_STRNE(why.what(), "") << e.name << ": " << line;
      }
    }
  }
}

// What no closed form settles and no table may hold: both say that they do not know.
TEST(requests, too_large_to_decide_are_not_decided) {
  for (char const* line : {"right_inverse (300,300):(1,1)", "left_inverse (100,100):(1,1)", "right_inverse Sw<1,0,3>o0o8192:1",
                           "max_common_layout (2,2):(1,1) (2,2):(1,1)", "max_common_layout 10000:1 (5000,5000):(1,1)",
                           "composition (2,2,2):(1,3,5) (3,5000):(3,0)"}) {
    for (edge const& e : edges) {
      colex::answer const a = e.respond(colex::parse_request(line));
      EXPECT_EQ(a.what, colex::status::undefined) << e.name << ": " << line;
      EXPECT_EQ(a.reason.rfind("not decided", 0), 0u) << e.name << ": " << line << " -> " << a.reason;
    }
  }
}

// Beyond 64 bits, 32 leaves, 255 parentheses and paths of 8 modes below 255: `unsupported`, where the reference goes on.
TEST(requests, beyond_the_limits_of_values_are_unsupported) {
  std::string const deep = nested(255, "1") + ":" + nested(255, "0");
  for (std::string const& line : {std::string("cosize 2:-9223372036854775809"), std::string("cosize 2:9223372036854775808"),
                                  std::string("cosize 2:1@255"), std::string("cosize 2:1@0@0@0@0@0@0@0@0@0"),
                                  std::string("right_inverse Sw<1,0,-63>o0o8:1"), "depth " + nested(256, "1"),
                                  "depth " + nested(200, "1," + nested(56, "1")), "prepend 4:1 " + deep})
    EXPECT_EQ(colex::gpu::respond(colex::parse_request(line)).what, colex::status::unsupported) << line;
}

}  // namespace
