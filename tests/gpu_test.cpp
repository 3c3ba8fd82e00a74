// The value algebra as a C++ library: what its callers use and no request on the wire reaches. Laws are asked elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra.hpp"
#include "gpu/answer.hpp"
#include "ref/answer.hpp"

#include <gtest/gtest.h>

namespace {

using namespace colex::gpu;

TEST(values, are_equal_when_all_they_hold_is) {
  layout const a = make_layout({4, {2, 3}}, {3, {1, 12}});
  EXPECT_EQ(a, make_layout({4, {2, 3}}, {3, {1, 12}}));
  EXPECT_FALSE(a == make_layout({4, {2, 3}}, {3, {1, 13}}));
  EXPECT_FALSE(a == make_layout({4, 2, 3}, {3, 1, 12}));
  EXPECT_EQ((int_tuple{4, {2, _}}), (int_tuple{4, {2, _}}));
  EXPECT_FALSE((int_tuple{4, {2, _}}) == (int_tuple{4, {2, 1}}));
  EXPECT_FALSE((int_tuple{4, 2}) == (int_tuple{4, 3}));
  EXPECT_EQ((tiler{4, make_layout(2, 3), _}), (tiler{4, make_layout(2, 3), _}));
  EXPECT_FALSE((tiler{4, _}) == (tiler{4, 2}));
  EXPECT_FALSE((tiler{make_layout({2, 2}, {1, 2}), 3}) == (tiler{make_layout(2, 1), make_layout({2, 3}, {2, 1})}));
  EXPECT_EQ((swizzle{3, 4, 3}), (swizzle{3, 4, 3}));
  EXPECT_FALSE((swizzle{3, 4, 3}) == (swizzle{2, 4, 3}));
  EXPECT_EQ(view(5, a), view(5, a));
  EXPECT_FALSE(view(5, a) == view(6, a));
  EXPECT_TRUE(congruent(a.form, make_layout({1, {1, 1}}, {0, {0, 0}}).form));
}

TEST(values, tilers_nest) {
  layout const a = make_layout({{4, 6}, 8}, {{1, 4}, 24});
  EXPECT_EQ(zipped_divide(a, tiler{{2, 3}, _}), zipped_divide(a, tiler{tiler{2, 3}, _}));
  EXPECT_EQ(logical_divide(a, tiler{tiler{2}, 4}), logical_divide(a, tiler{tiler{make_layout(2, 1)}, make_layout(4, 1)}));
  EXPECT_THROW((tiler{tiler{}, 4}), unsupported);
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
}

TEST(errors, say_why) {
  try {
    composition(make_layout({4, 3}, {3, 1}), make_layout(6, 1));
    FAIL() << "answered where no layout exists";
  } catch (undefined const& e) {
    EXPECT_STREQ(e.what(), "no layout equals A(B(c))");
  }
  EXPECT_THROW(size(make_layout({int64{1} << 40, int64{1} << 40}, {1, 1})), unsupported);
  EXPECT_THROW(apply(make_layout(4, 1), -1), unspecified);
  EXPECT_EQ(path_of({1, 0}), path_of({1, 0}));
  EXPECT_THROW(path_of({255}), unsupported);
}

// Every request that is no request, to both edges: refused with a reason, never answered.
TEST(edges, refuse_what_does_not_fit) {
  for (char const* line : {"composition 4:1", "composition 4 4:1", "nothing 4:1", "get 4:1 -1", "get 4:1 4:1", "size _", "coalesce 4:1 4:1",
                           "complement 4:1 -5", "congruent 4:1 4", "slice 4:1 4:1", "append 4:1 4:1 4:1", "apply 4:1 (_)", "recast_layout 4:1 x 8",
                           "make_layout_left (0,1)", "crd2idx 1 4 (1,2)", "composition 4:1 1 4:1", "upcast <4> 2", "blocked_product 4:1 <4>"}) {
    colex::request const r = colex::parse_request(line);
    for (auto respond : {colex::ref::respond, colex::gpu::respond}) {
      try {
        EXPECT_FALSE(static_cast<bool>(respond(r))) << line;
      } catch (colex::malformed const& e) {
        EXPECT_STRNE(e.what(), "") << line;
      }
    }
  }
}

}  // namespace
