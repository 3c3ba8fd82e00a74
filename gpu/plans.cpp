// Every plan obeys the laws, or this does not compile. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans_simt.hpp"
#include "gpu/plans_warp.hpp"

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

// Enumerations of every thread and value take minutes here and a second in tests/gpu_plans_test.cpp: here are those of the
// smallest plan with each kind of load.
static_assert(all<sm70_plans>(warp_fits) && all<sm75_plans>(warp_fits) && all<sm80_plans>(warp_fits) && all<sm89_plans>(warp_fits));
template <auto const& Plans, auto Law>
constexpr bool of_last = Law(Plans.back());  // by itself, as the steps of one evaluation are limited
template <auto const& Plans>
constexpr bool warp_laws = of_last<Plans, plan_copy_covers> && of_last<Plans, plan_copy_aligned> &&
                           of_last<Plans, warp_fragments_arrive> && of_last<Plans, warp_vectors_stay> &&
                           of_last<Plans, warp_steps_join> && of_last<Plans, warp_sums_staged>;
static_assert(warp_laws<sm70_plans> && warp_laws<sm75_plans>);

}  // namespace
}  // namespace colex::gpu
