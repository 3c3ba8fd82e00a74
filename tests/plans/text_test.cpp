// What every plan is, as it was agreed on: a kernel is forced, and noted as the fastest, by its plan's name, and what is behind
// the name changes on purpose only. COLEX_WRITE_PLANS=1 has tests/plans/plans.txt and terms.txt written again.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/terms.hpp"
#include "gpu/wire/convert.hpp"
#include "tests/plans/broken_plans.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace colex::gpu {
namespace {

std::string text(layout const& a) { return print(to_value(a)); }
std::string text(composed const& a) { return show(to_value(a)); }
std::string text(major x) { return x == major::k ? "k" : x == major::mn ? "mn" : "any"; }
char letter(operand x) { return x == operand::a ? 'A' : 'B'; }
// By mode: `_`, or a layout.
std::string text(tiler const& t) {
  std::vector<std::string> modes;
  for (int i = 0; i < t.form.count; ++i) modes.push_back(t.keeps(i) ? "_" : text(get(t, i).pool));
  return fmt::format("<{}>", fmt::join(modes, ", "));
}

std::string text_of_head(plan const& p) {
  return fmt::format("{}: chips {}-{}, {} threads of {} registers, {} bytes\n", name(p), p.architecture, p.until, p.threads,
                     p.registers, p.shared);
}
std::string text_of_types(plan const& p) {
  return fmt::format("  {} {} x {} {} to {}{}{}{}; {} stages, {} ping-pong groups, cluster {}x{}, copies of {} bytes\n",
                     name_of(p.a), text(p.major_a), name_of(p.b), text(p.major_b), name_of(p.accumulator),
                     p.scale.block > 0 ? fmt::format(", a {} for {}", name_of(p.scale.type), p.scale.block) : "",
                     p.two_level_accumulation ? ", two-level" : "", p.unaligned ? ", unaligned" : "", p.stages,
                     p.warpgroup.pingpong_groups, p.cluster_m, p.cluster_n, p.copy_alignment);
}
std::string text_of_mma(plan const& p) {
  mma_atom const& x = p.mma.atom;
  std::string r = fmt::format("  mma {} of {} over {} {}\n", print(to_value(x.shape_mnk)), text(x.thr_id),
                              text(p.mma.thr_layout_vmnk), text(p.mma.permutation));
  r += fmt::format("  atom A {} B {} C {}\n", text(x.a), text(x.b), text(x.c));
  if (p.scale.block > 0) r += fmt::format("  factors A {} B {}\n", text(x.sfa), text(x.sfb));
  return r;
}
// Results are staged as some kinds of plan need it.
std::string text_of_memory(plan const& p) {
  std::string r = fmt::format("  copy A {} to {}\n", text(p.copy_a), text(p.smem_a));
  r += fmt::format("  copy B {} to {}\n  epilogue of {} bytes", text(p.copy_b), text(p.smem_b), p.warpgroup.epilogue_bytes);
  for (auto const& [what, a] : {std::pair{" piece", &p.smem_d},
                                {" words", &p.warpgroup.smem_words},
                                {" sums", &p.warpgroup.smem_sums},
                                {" columns", &p.warpgroup.smem_columns},
                                {" half columns", &p.warpgroup.smem_half_columns},
                                {" group columns", &p.warpgroup.smem_group_columns}})
    if (a->inner != layout{}) r += fmt::format("{} {}", what, text(*a));
  return r + '\n';
}
std::string text_of_fields(plan const& p) { return text_of_head(p) + text_of_types(p) + text_of_mma(p) + text_of_memory(p); }

std::string text_of_tiled(plan const& p) {
  return fmt::format("  tiled A {} B {} C {}\n", text(layout_tv(p.mma, operand::a)), text(layout_tv(p.mma, operand::b)),
                     text(layout_tv(p.mma, operand::c)));
}
std::string text_of_simt(plan const& p) {
  std::string r;
  for (operand x : {operand::a, operand::b})
    r += fmt::format("  {}: staged {}, read {} by {}\n", letter(x), text(staged(p, x)), text(fragment(p, x)),
                     fragment_step(p, x));
  return r;
}
std::string text_of_scaled(plan const& p) {
  std::string r;
  for (operand x : {operand::a, operand::b}) {
    std::vector<int> lanes, warps, atoms;
    for (int i = 0; i < 32; ++i) lanes.push_back(factor_row(p, x, i));
    for (int i = 0; i < p.threads / 32; ++i) warps.push_back(row_of_warp(p, x, i));
    for (int i = 0; i < (x == operand::a ? repeats_of(p).m : repeats_of(p).n); ++i) atoms.push_back(row_of_atom(p, x, i));
    r += fmt::format("  {}: {} factors, rows of lanes {}, warps {}, atoms {}\n", letter(x), factors_of_atom(p),
                     fmt::join(lanes, " "), fmt::join(warps, " "), fmt::join(atoms, " "));
  }
  return r;
}
std::string text_of_warps(plan const& p) {
  std::string r;
  for (operand x : {operand::a, operand::b}) {
    operand_path const at = path_of(p, x);
    r += fmt::format("  {}: {} vectors of {}, {} loads of {}, {} bytes, {} from {}, again after {}\n", letter(x), at.steps,
                     at.vector, at.loads, at.width, at.bytes_of_load(), text(at.atom.src), text(at.source), at.period());
  }
  repeats const n = repeats_of(p);
  r += fmt::format("  {}x{}x{} atoms, {} out at once\n", n.m, n.n, n.k, staged_atoms(p));
  return p.scale.block > 0 ? r + text_of_scaled(p) : r;
}
std::string text_of_warpgroups(plan const& p) {
  descriptor_strides const a = strides_of(p, p.major_a), b = strides_of(p, staged_major_b(p));
  return fmt::format("  steps A {} {} B {} {}{}{}\n", a.leading, a.stride, b.leading, b.stride,
                     a_from_registers(p) ? ", A through registers" : "", transposes_b(p) ? ", B transposed" : "");
}
std::string text_of_umma(plan const& p) {
  umma_map const s(p);
  tensor_box const a = box_of(p, p.copy_a), b = box_of(p, p.copy_b);
  std::string r =
      fmt::format("  instruction {} {:#x}, {} to a stage of {} + {} bytes, A by {} B by {}\n",
                  static_cast<int>(instruction_of(p)), instruction_descriptor(p), s.steps, s.a, s.b, s.step_a, s.step_b);
  r += fmt::format("  boxes A {} x {} x {}, {} bytes B {} x {} x {}, {} bytes\n", a.run, a.rows, a.elements, s.box_a, b.run,
                   b.rows, b.elements, s.box_b);
  return r + fmt::format("  descriptors A {:#x} B {:#x}; columns {}, factors {} + {} bytes\n",
                         operand_descriptor(p.smem_a, p.major_a, p.a), operand_descriptor(p.smem_b, p.major_b, p.b),
                         s.first_factor_column, s.sfa, s.sfb);
}

std::string text_of(plan const& p) {
  std::string const all = text_of_fields(p) + text_of_tiled(p);
  switch (p.kind) {
    case family::warp: return all + text_of_warps(p);
    case family::warpgroup: return all + text_of_warpgroups(p);
    case family::umma: return all + text_of_umma(p);
    default: return all + text_of_simt(p);
  }
}

// First the plan of which nothing is said.
std::string text_of_all() {
  std::string all = text_of_fields(plan{});
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) all += text_of(p);
  return all;
}
// What Coq gets of one plan of each kind: digest and term.
std::string certificates_of_kinds() {
  std::string all;
  for (char const* of :
       {"simt_f32_kk_16x64x16_s3", "gemv_f32_xk_8x32x128_s2", "sm61_s8_kk_128x128x32_s3", "sm70_f16_kk_64x64x32_s2",
        "sm80_f16_mk_128x256x64_s3", "sm90_f64_kk_32x32x32_s4", "sm90_bf16_mn_128x256x64_s4_2x1",
        "sm90_tf32_mk_128x256x32_s4_2x1", "sm100_f16_mn_128x128x64_s6", "sm100_bf16_kn_128x256x64_s6_2x1",
        "sm100_e2m1_ue4m3_kk_128x128x256_s6", "sm120_e2m1_ue4m3_kk_128x128x256_s2"})
    all += fmt::format("{} {}\n", of, terms::certificate(plan_named(of)));
  return all;
}

void expect_stays(std::string const& now, char const* path) {
  if (std::getenv("COLEX_WRITE_PLANS") != nullptr) std::ofstream(path) << now;
  std::ifstream file(path);
  std::istringstream lines(now);
  std::string was, is, last;
  while (std::getline(lines, is)) {
    if (is[0] != ' ') last = is;
    ASSERT_TRUE(std::getline(file, was)) << last << " is not listed";
    ASSERT_EQ(is, was) << "of " << last;
  }
  EXPECT_FALSE(std::getline(file, was)) << "there is no " << was;
}
TEST(plan_text, stays) { expect_stays(text_of_all(), "tests/plans/plans.txt"); }
TEST(plan_text, certificates_stay) { expect_stays(certificates_of_kinds(), "tests/plans/terms.txt"); }
TEST(plan_text, names_a_cluster_along_n) {
  plan p = plan_named("sm90_bf16_mn_128x256x64_s4_2x1");
  std::swap(p.cluster_m, p.cluster_n);
  EXPECT_EQ(name(p), "sm90_bf16_mn_128x256x64_s4_1x2");
}
TEST(plan_text, names_differ) {
  std::set<std::string> seen;
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) EXPECT_TRUE(seen.insert(name(p)).second) << name(p);
}

}  // namespace
}  // namespace colex::gpu
