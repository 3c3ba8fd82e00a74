// Plans of GEMMs on the host: the laws, plans that break them, and the product that a plan's maps alone compute of integers.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/all.hpp"
#include "gpu/plans/plan_laws.hpp"
#include "tests/plans/emulate_warps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace colex::gpu;

// All plans that `of` is true of.
auto plans(bool (*of)(plan const&)) {
  std::vector<plan> some;
  for (std::span<plan const> const table : all_plans) std::copy_if(table.begin(), table.end(), std::back_inserter(some), of);
  return testing::ValuesIn(some);
}
std::string name_of_test(testing::TestParamInfo<plan> const& x) { return name(x.param); }

class Plan : public testing::TestWithParam<plan> {};
INSTANTIATE_TEST_SUITE_P(, Plan, plans([](plan const&) { return true; }), name_of_test);
TEST_P(Plan, ObeysItsLaws) {
  for (plan_law const& law : laws_of(GetParam())) EXPECT_TRUE(law.holds(GetParam())) << law.name;
}

// Everything that some kernel multiplies, as `a b > d d...`; of those with scale factors, fp8 as without.
TEST(elements, are_multiplied_into_those_that_hold_the_product) {
  std::string without, with;
  auto const type = [](element_name const& n) { return static_cast<element>(&n - element_names); };
  for (element_name const& a : element_names)
    for (element_name const& b : element_names)
      for (bool scaled : {false, true}) {
        std::string into;
        for (element_name const& d : element_names)
          if (multiplies(type(a), type(b), type(d), scaled)) into += fmt::format(" {}", d.name);
        if (!into.empty()) (scaled ? with : without) += fmt::format("{} {} >{}, ", a.name, b.name, into);
      }
  std::string const fp8 =
      "e4m3 e4m3 > f32 f16 bf16 e4m3 e5m2, e4m3 e5m2 > f32 f16 bf16 e4m3 e5m2, "
      "e5m2 e4m3 > f32 f16 bf16 e4m3 e5m2, e5m2 e5m2 > f32 f16 bf16 e4m3 e5m2, ";
  EXPECT_EQ(without,
            "f64 f64 > f64, f32 f32 > f32, f16 f16 > f32 f16 bf16, bf16 bf16 > f32 f16 bf16, " + fp8 + "s8 s8 > f32 s8 s32, ");
  EXPECT_EQ(with, fp8 + "e2m1 e2m1 > f32 f16 bf16, ");
}

class WarpPlan : public testing::TestWithParam<plan> {};
INSTANTIATE_TEST_SUITE_P(, WarpPlan, plans([](plan const& p) { return p.kind == family::warp && p.scale.block == 0; }),
                         name_of_test);

// Does the law refuse the plan? So it does where it is not even defined.
template <class Law>
bool refuses(Law law, plan const& p) {
  try {
    return !law(p);
  } catch (error const&) {
    return true;
  }
}
TEST_P(WarpPlan, IsFoundOutWhenBroken) {
  plan p = GetParam();
  p.smem_a.sw = {0, 0, 0};
  EXPECT_TRUE(refuses(warp_conflict_free, p));
  p = GetParam();
  p.smem_b.inner.stride[p.major_b == major::k ? 1 : 0] = 2;
  EXPECT_TRUE(refuses(warp_vectors_stay, p) || 8 * p.copy_alignment == bits_of(p.b));  // one element lies together anywhere
  p = GetParam();
  p.mma.atom.a.stride[p.major_a == major::k ? 0 : 1] *= 2;  // a thread that loads for itself follows any atom
  EXPECT_TRUE(refuses(warp_fragments_arrive, p) || size(fragment_load(p, operand::a).thr_id) == 1);
  p = GetParam();
  p.copy_b.stride[1] += 1;
  EXPECT_TRUE(refuses(plan_copy_covers, p));
  p = GetParam();
  p.smem_a.sw.shift += 1;
  EXPECT_TRUE(refuses(warp_steps_join, p) || refuses(warp_conflict_free, p));
  p = GetParam();
  p.smem_d.inner.stride[0] += 1;
  EXPECT_TRUE(refuses(warp_sums_staged, p));
  p = GetParam();
  p.stages *= 8;
  EXPECT_TRUE(refuses(warp_fits, p));
  p = GetParam();
  p.tile_k = p.mma.atom.shape_mnk.value[2] / 2;
  EXPECT_TRUE(refuses(warp_fits, p));
}
TEST(warp_plan, refuses_what_does_not_divide) {
  auto const of = [](warp_shape const& s) { return sm80_plan(element::bf16, s); };
  EXPECT_THROW(of({128, 32, 8, 1, 1, 4}), undefined);   // half an instruction along K
  EXPECT_THROW(of({128, 96, 64, 2, 5, 4}), undefined);  // warps that do not divide the tile
  EXPECT_THROW(of({16, 16, 64, 8, 1, 4}), undefined);   // less than an atom for a warp
  EXPECT_NO_THROW(of({128, 96, 64, 2, 2, 4}));
  auto const of_bytes = [](int64 n) {
    return warp_plan(80, element::s8, element::s8, element::s32, "SM80_16x8x32_S32S8S8S32_TN", {144, n, 128, 1, 1, 6});
  };
  plan six = of_bytes(48);
  EXPECT_TRUE(warp_sums_staged(six));  // six atoms along N, staged by two
  six.smem_d = of_bytes(32).smem_d;
  EXPECT_FALSE(warp_sums_staged(six));  // by four
}

class WarpgroupPlan : public testing::TestWithParam<plan> {};
INSTANTIATE_TEST_SUITE_P(, WarpgroupPlan, plans([](plan const& p) { return p.kind == family::warpgroup; }), name_of_test);

TEST_P(WarpgroupPlan, IsFoundOutWhenBroken) {
  plan p = GetParam();
  p.warpgroup.pingpong_groups += 1;  // a warpgroup too few
  EXPECT_FALSE(warpgroup_plan_fits(p));
  p = GetParam();
  p.cluster_m = 16;
  EXPECT_FALSE(warpgroup_plan_fits(p));
  p = GetParam();
  p.stages *= 2;
  EXPECT_FALSE(warpgroup_plan_fits(p));
  p = GetParam();
  p.smem_a.sw = {0, 0, 0};
  EXPECT_FALSE(warpgroup_plan_dataflow(p));
}

TEST_P(WarpPlan, MultipliesByItsMaps) {
  emulation::products const all = emulation::multiply_a_tile(GetParam());
  EXPECT_EQ(all.by_plan, all.by_definition);
}

}  // namespace
