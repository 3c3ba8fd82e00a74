// Which laws a plan obeys (spec/plans.md), by its kind. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/gemv.hpp"
#include "gpu/plans/sm120.hpp"
#include "gpu/plans/umma.hpp"
#include "gpu/plans/warp.hpp"
#include "gpu/plans/warpgroup_named.hpp"

#include <span>

namespace colex::gpu {

struct plan_law {
  char const* name;
  bool (*holds)(plan const&);
};

namespace detail {

#define LAW(name) \
  plan_law { #name, name }
inline constexpr plan_law simt_laws[] = {LAW(plan_copy_covers), LAW(plan_keeps_apart),   LAW(plan_copy_aligned),
                                         LAW(plan_dataflow),    LAW(plan_conflict_free), LAW(plan_epilogue_covers),
                                         LAW(plan_fits)};
inline constexpr plan_law gemv_laws[] = {LAW(plan_copy_covers), LAW(plan_keeps_apart),  LAW(plan_copy_aligned),
                                         LAW(gemv_dataflow),    LAW(gemv_slices_cover), LAW(gemv_conflict_free),
                                         LAW(plan_fits)};
// The last one is only for plans with block scaling.
inline constexpr plan_law warp_laws[] = {
    LAW(plan_copy_covers),  LAW(plan_keeps_apart), LAW(plan_copy_aligned),     LAW(plan_epilogue_covers),
    LAW(warp_vectors_stay), LAW(warp_steps_join),  LAW(warp_fragments_arrive), LAW(warp_conflict_free),
    LAW(warp_sums_staged),  LAW(warp_fits),        LAW(plan_factors_flow)};
inline constexpr plan_law warpgroup_laws[] = {LAW(plan_copy_covers),         LAW(plan_keeps_apart),
                                              LAW(plan_epilogue_covers),     LAW(warpgroup_plan_dataflow),
                                              LAW(warpgroup_plan_registers), LAW(warpgroup_plan_conflict_free),
                                              LAW(warpgroup_plan_fits),      LAW(warpgroup_plan_instructions)};
inline constexpr plan_law umma_laws[] = {LAW(umma_copy_covers),       LAW(umma_copy_contiguous), LAW(umma_boxes_fit),
                                         LAW(umma_descriptors_exact), LAW(umma_steps_regular),   LAW(umma_instruction_exists),
                                         LAW(umma_shares_equal),      LAW(umma_memory_fits),     LAW(umma_epilogue_covers)};
#undef LAW

}  // namespace detail

constexpr std::span<plan_law const> laws_of(plan const& p) {
  std::span<plan_law const> const of_warps = detail::warp_laws;
  switch (p.kind) {
    case family::gemv: return detail::gemv_laws;
    case family::warp: return p.scale.block > 0 ? of_warps : of_warps.first(of_warps.size() - 1);
    case family::warpgroup: return detail::warpgroup_laws;
    case family::umma: return detail::umma_laws;
    default: return detail::simt_laws;
  }
}

}  // namespace colex::gpu
