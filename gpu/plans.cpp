// Every plan obeys the laws, or this does not compile. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans_simt.hpp"
#include "gpu/plans_sm120.hpp"
#include "gpu/plans_umma.hpp"

#include <utility>

namespace colex::gpu {
namespace {

// Each law of each plan is a constant of its own: compilers count the steps of one.
template <auto& Plans, std::size_t I, bool (*Law)(plan const&)>
constexpr bool obeys = Law(Plans[I]);
template <auto& Plans, bool (*... Laws)(plan const&)>
constexpr bool all() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    auto const law = []<bool (*Law)(plan const&)>() { return (obeys<Plans, I, Law> && ...); };
    return (law.template operator()<Laws>() && ...);
  }(std::make_index_sequence<std::size(Plans)>{});
}

static_assert(all<simt_plans, plan_copy_covers, plan_copy_aligned, plan_fits>());
static_assert(all<sm61_plans, plan_copy_covers, plan_copy_aligned, plan_fits>());
static_assert(all<sm100_plans, umma_plan_holds>());
static_assert(all<sm120_plans, plan_copy_covers, plan_copy_aligned, plan_fits, plan_factors_flow>());

}  // namespace
}  // namespace colex::gpu
