// The plans of all chips, file by file. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/simt.hpp"
#include "gpu/plans/sm120.hpp"
#include "gpu/plans/umma.hpp"
#include "gpu/plans/warp.hpp"
#include "gpu/plans/warpgroup.hpp"

#include <span>

namespace colex::gpu {

inline constexpr std::span<plan const> all_plans[] = {simt_plans, sm61_plans, sm70_plans,  sm75_plans, sm80_plans,
                                                      sm89_plans, sm90_plans, sm100_plans, sm120_plans};

}  // namespace colex::gpu
