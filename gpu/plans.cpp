// Every plan obeys the laws, or this does not compile. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans_simt.hpp"

#include <utility>

namespace colex::gpu {
namespace {

// One at a time: a compiler evaluates only so much for one assertion.
template <plan const& P>
struct simt_lawful {
  static_assert(plan_copy_covers(P), "copies bring every element of a stage, each once");
  static_assert(plan_copy_aligned(P), "vectors are contiguous and aligned");
  static_assert(plan_fits(P), "the chip has the memory, threads and registers");
  static_assert(plan_dataflow(P), "a thread reads what its MMA takes");
  static_assert(plan_conflict_free(P), "no two threads meet in a bank");
  static_assert(plan_epilogue_covers(P), "sums are the tile, each element once");
};
template <auto& Plans, std::size_t... I>
constexpr std::size_t all_simt(std::index_sequence<I...>) {
  return (sizeof(simt_lawful<Plans[I]>) + ...);
}
static_assert(all_simt<simt_plans>(std::make_index_sequence<std::size(simt_plans)>{}) == std::size(simt_plans));
static_assert(all_simt<sm61_plans>(std::make_index_sequence<std::size(sm61_plans)>{}) == std::size(sm61_plans));

}  // namespace
}  // namespace colex::gpu
