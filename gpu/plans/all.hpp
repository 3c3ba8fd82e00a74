// The plans of all families, in the order of families.def. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/gemv.hpp"
#include "gpu/plans/sm120.hpp"
#include "gpu/plans/sm80.hpp"
#include "gpu/plans/umma.hpp"
#include "gpu/plans/warp_tables.hpp"
#include "gpu/plans/warpgroup_table.hpp"

#include <span>

namespace colex::gpu {

#define FAMILY(NAME, ARCHITECTURES) NAME##_plans,
inline constexpr std::span<plan const> all_plans[] = {
#include "gpu/plans/families.def"
};
#undef FAMILY

}  // namespace colex::gpu
