// Every plan obeys the laws, or this does not compile. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans_simt.hpp"
#include "gpu/plans_umma.hpp"

namespace colex::gpu {
namespace {

template <auto& Plans, class Law>
constexpr bool all(Law law) {
  for (plan const& p : Plans)
    if (!law(p)) return false;
  return true;
}

static_assert(all<simt_plans>(plan_copy_covers) && all<sm61_plans>(plan_copy_covers));
static_assert(all<simt_plans>(plan_copy_aligned) && all<sm61_plans>(plan_copy_aligned));
static_assert(all<simt_plans>(plan_fits) && all<sm61_plans>(plan_fits));
static_assert(all<sm100_plans>(umma_plan_holds));

}  // namespace
}  // namespace colex::gpu
