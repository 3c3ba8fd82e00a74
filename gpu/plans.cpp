// Checks every plan against the laws of its family before any kernel is compiled: a plan that breaks one stops the build. (As
// static_asserts the same take a compiler minutes; as a program, a moment.) SPDX-License-Identifier: Apache-2.0
#include "gpu/plans.hpp"

#include <cstdio>

using namespace colex::gpu;

namespace {

struct law {
  char const* name;
  bool (*holds)(plan const&);
};
#define LAW(name) \
  law { #name, name }
constexpr law simt_laws[] = {LAW(plan_copy_covers),   LAW(plan_keeps_apart),     LAW(plan_copy_aligned), LAW(plan_dataflow),
                             LAW(plan_conflict_free), LAW(plan_epilogue_covers), LAW(plan_fits)};
constexpr law warp_laws[] = {
    LAW(plan_copy_covers),  LAW(plan_keeps_apart), LAW(plan_copy_aligned),     LAW(plan_epilogue_covers),
    LAW(warp_vectors_stay), LAW(warp_steps_join),  LAW(warp_fragments_arrive), LAW(warp_conflict_free),
    LAW(warp_sums_staged),  LAW(warp_fits)};
constexpr law warpgroup_laws[] = {LAW(plan_copy_covers),         LAW(plan_keeps_apart),
                                  LAW(plan_epilogue_covers),     LAW(warpgroup_plan_dataflow),
                                  LAW(warpgroup_plan_registers), LAW(warpgroup_plan_conflict_free),
                                  LAW(warpgroup_plan_fits)};
constexpr law factor_laws[] = {LAW(plan_factors_flow)};
constexpr law umma_laws[] = {LAW(umma_copy_covers),       LAW(umma_copy_contiguous), LAW(umma_boxes_fit),
                             LAW(umma_descriptors_exact), LAW(umma_steps_regular),   LAW(umma_instruction_exists),
                             LAW(umma_shares_equal),      LAW(umma_memory_fits),     LAW(umma_epilogue_covers)};

struct count {
  int plans = 0, checks = 0, broken = 0;

  void check(std::span<plan const> plans_, std::span<law const> laws, std::span<law const> more = {}) {
    plans += static_cast<int>(plans_.size());
    hold(plans_, laws), hold(plans_, more);
  }
  void hold(std::span<plan const> plans_, std::span<law const> laws) {
    for (plan const& p : plans_)
      for (law const& l : laws) {
        ++checks;
        if (l.holds(p)) continue;
        ++broken;
        std::printf("FAIL %s breaks %s\n", name(p).c_str(), l.name);
      }
  }
};

}  // namespace

int main() {
  count c;
  c.check(simt_plans, simt_laws), c.check(sm61_plans, simt_laws);
  c.check(sm70_plans, warp_laws), c.check(sm75_plans, warp_laws), c.check(sm80_plans, warp_laws),
      c.check(sm89_plans, warp_laws);
  c.check(sm90_plans, warpgroup_laws);
  c.check(sm100_plans, umma_laws);
  c.check(sm120_plans, warp_laws, factor_laws);
  std::printf("%d plans, %d laws checked, %d broken\n", c.plans, c.checks, c.broken);
  return c.broken != 0;
}
