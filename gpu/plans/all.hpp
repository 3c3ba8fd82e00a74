// The plans of all families, in the order of families.def. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/gemv.hpp"
#include "gpu/plans/sm120.hpp"
#include "gpu/plans/sm80.hpp"
#include "gpu/plans/umma.hpp"
#include "gpu/plans/warp_tables.hpp"
#include "gpu/plans/warpgroup_table.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace colex::gpu {

// Here and not beside its calls, since it is more than nvcc evaluates for one constant.
constexpr auto sm90_table() {
  std::array<plan, sm90_calls.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = sm90_calls[i].make();
  return all;
}
inline constexpr auto sm90_plans = sm90_table();

#define FAMILY(NAME, ARCHITECTURES) NAME##_plans,
inline constexpr std::span<plan const> all_plans[] = {
#include "gpu/plans/families.def"
};
#undef FAMILY

}  // namespace colex::gpu
