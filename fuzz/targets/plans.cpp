// Plans of GEMMs under a fuzzer: bytes are the parameters of a plan for warps. A plan that the laws accept computes the product
// of a tile exactly; parameters that make no plan are refused by the algebra, and nothing else happens.
// SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"
#include "tests/plans/emulate_warps.hpp"
#include "tests/suite/arguments/draw.hpp"

#include <fmt/format.h>

namespace {

using namespace colex;
using gpu::element, gpu::int64, gpu::major;

struct instruction {
  int architecture;
  element operands, sums;
  char const* name;
};
constexpr instruction instructions[] = {{80, element::bf16, element::f32, "SM80_16x8x16_F32BF16BF16F32_TN"},
                                        {80, element::tf32, element::f32, "SM80_16x8x8_F32TF32TF32F32_TN"},
                                        {80, element::s8, element::s32, "SM80_16x8x32_S32S8S8S32_TN"},
                                        {80, element::f64, element::f64, "SM80_8x8x4_F64F64F64F64_TN"},
                                        {75, element::f16, element::f32, "SM75_16x8x8_F32F16F16F32_TN"},
                                        {75, element::s8, element::s32, "SM75_8x8x16_S32S8S8S32_TN"},
                                        {70, element::f16, element::f32, "SM70_8x8x4_F32F16F16F32_TN"},
                                        {89, element::e4m3, element::f32, "SM89_16x8x32_F32E4M3E4M3F32_TN"},
                                        {90, element::f64, element::f64, "SM90_16x8x4_F64F64F64F64_TN"},
                                        {90, element::f64, element::f64, "SM90_16x8x16_F64F64F64F64_TN"}};

// Mostly what plans are made of: powers of two and their multiples by three; now and then any number.
int64 extent(choices& c, int64 least, std::uint64_t steps) {
  int64 const n = least << c.below(steps);
  return c.below(8) == 7 ? 1 + static_cast<int64>(c.below(300)) : c.below(4) == 3 ? 3 * n : n;
}

struct parameters {
  instruction with;
  gpu::warp_shape shape;
  major a, b;
};
parameters draw(choices& c) {
  parameters p{instructions[c.below(std::size(instructions))], {}, major::k, major::k};
  p.shape = {extent(c, 16, 5), extent(c, 16, 5), extent(c, 8, 5),
             extent(c, 1, 3),  extent(c, 1, 3),  static_cast<int>(c.below(8))};
  if (c.below(4) == 3) p.a = major::mn;
  if (c.below(4) == 3) p.b = major::mn;
  return p;
}
std::string print(parameters const& p) {
  gpu::warp_shape const& s = p.shape;
  return fmt::format("{} {}x{}x{}, {}x{} warps, {} stages, {}{}", p.with.name, s.m, s.n, s.k, s.warps_m, s.warps_n, s.stages,
                     p.a == major::k ? 'k' : 'm', p.b == major::k ? 'k' : 'n');
}

bool obeys_all_laws(gpu::plan const& p) {
  return gpu::warp_fits(p) && gpu::plan_copy_covers(p) && gpu::plan_keeps_apart(p) && gpu::plan_copy_aligned(p) &&
         gpu::plan_epilogue_covers(p) && gpu::warp_vectors_stay(p) && gpu::warp_steps_join(p) &&
         gpu::warp_fragments_arrive(p) && gpu::warp_conflict_free(p) && gpu::warp_sums_staged(p);
}

bool computes_the_product(parameters const& of) {
  gpu::plan p;
  try {
    p = gpu::warp_plan(of.with.architecture, of.with.operands, of.with.operands, of.with.sums, of.with.name, of.shape, of.a,
                       of.b);
    if (!obeys_all_laws(p)) return true;
  } catch (gpu::error const&) {
    return true;
  }
  auto const all = gpu::emulation::multiply_a_tile(p);
  return all.by_plan == all.by_definition;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  choices c(std::vector<std::uint64_t>(data, data + size));
  parameters const p = draw(c);
  if (!computes_the_product(p))
    fuzz::report({"plans", "plan_dataflow", {}, {}, "a plan that the laws accept computes another product: " + print(p)});
  return 0;
}
