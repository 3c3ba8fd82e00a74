// Plans of the kernels whose warps multiply by themselves (mma.sync, warp.cuh), for every chip from Volta on, and the laws
// special to them. Values only: host compilers check them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/bank_conflicts.hpp"
#include "gpu/plan.hpp"

#include <array>

namespace colex::gpu {

// ---- what the kernel takes from a plan ----

// One operand on its way from global memory to registers. Indices count elements of a stage, colexicographic in (row, k).
struct operand_path {
  layout copy;          // (thread, (element of a vector, step)) to the index: a thread's share of the copy to shared memory
  composed shared;      // the index to an element of shared memory
  copy_atom atom;       // loads fragments, in elements
  layout source;        // (thread, (element of a load, load)) to the index where a thread points
  layout fragment;      // (thread, value) to the index, as the MMA has it
  int64 rows, depth;    // of a stage
  int bits;             // of an element
  int vector, steps;    // of a thread's share of the copy
  int width, loads;     // elements in a thread's registers after one load; loads of a stage

  // What the swizzle does repeats after as many elements.
  constexpr int period() const { return 1 << (shared.sw.base + shared.sw.bits + shared.sw.shift); }
};

// Shared memory to registers: four 8x8 matrices at once where the chip has that and elements are not wider than registers.
constexpr copy_atom fragment_load(plan const& p, operand x) {
  int const bits = bits_of(x == operand::a ? p.a : p.b);
  major const lies = x == operand::a ? p.major_a : p.major_b;
  bool const matrices = p.architecture >= 75 && bits <= 32;
  std::string_view const name = !matrices ? "UniversalCopy<uint64_t>" : lies == major::mn ? "SM75_U16x8_LDSM_T" : "SM75_U32x4_LDSM_N";
  return in_elements(make_copy_atom(name), bits);
}

constexpr operand_path path_of(plan const& p, operand x) {
  bool const is_a = x == operand::a;
  operand_path r{};
  r.copy = is_a ? p.copy_a : p.copy_b;
  r.shared = is_a ? p.smem_a : p.smem_b;
  r.atom = fragment_load(p, x);
  tiled_copy const loads = make_tiled_copy(r.atom, p.mma, x);
  r.source = layout_tv(loads, side::source);
  r.fragment = layout_tv(p.mma, x);
  r.rows = is_a ? p.tile_m : p.tile_n;
  r.depth = p.tile_k;
  r.bits = bits_of(is_a ? p.a : p.b);
  r.vector = 8 * p.copy_alignment / r.bits;
  r.steps = static_cast<int>(size(r.copy, 1)) / r.vector;
  r.width = static_cast<int>(size(r.atom.dst, 1));
  r.loads = static_cast<int>(size(r.source, 1)) / r.width;
  return r;
}

// Atoms of a warp along M, N, K of the tile.
struct repeats {
  int m, n, k;
};
constexpr repeats repeats_of(plan const& p) {
  auto const of = [&](int mode, int64 tile) {
    return static_cast<int>(tile / (p.mma.atom.shape_mnk.value[mode] * size(p.mma.thr_layout_vmnk, mode + 1)));
  };
  return {of(0, p.tile_m), of(1, p.tile_n), of(2, p.tile_k)};
}

// The tile of C as a warp's threads hold it, and the share of it that one row of a warp's atoms is, on its way out.
constexpr layout fragment_c(plan const& p) { return layout_tv(p.mma, operand::c); }

// The stages, and what each warp stages on the way out.
constexpr int64 warp_shared_bytes(plan const& p) {
  int64 const stage = bytes(p.a, p.tile_m * p.tile_k) + bytes(p.b, p.tile_n * p.tile_k);
  return p.stages * stage + p.threads / 32 * bytes(p.accumulator, size(p.smem_d.inner));
}

// ---- how plans are made ----

struct warp_shape {
  int64 m, n, k;          // the tile
  int64 warps_m, warps_n;
  int stages;
};

namespace detail {

constexpr bool is_volta(mma_atom const& atom) { return size(atom.thr_id) == 8; }

// Atoms over the warps of a block, each warp's tile in one piece. Volta's four quad pairs of a warp make 16x16 of 8x8; the rows
// of the first half warp's threads follow each other, so that it meets in no bank.
constexpr tiled_mma tiled_warps(mma_atom const& atom, warp_shape const& s) {
  bool const volta = is_volta(atom);
  int64 const quads = volta ? 2 : 1, m = quads * atom.shape_mnk.value[0], n = quads * atom.shape_mnk.value[1];
  auto const mode = [&](int64 step, int64 warps, int64 tile) -> tiler {
    int64 const rest = tile / (step * warps);
    if (volta) return make_layout({4, 2, 2, warps, rest}, {1, 8, 4, tile / warps, step});
    return make_layout({step, warps, rest}, {1, tile / warps, step});
  };
  layout const atoms = volta ? make_layout({{2, s.warps_m}, {2, s.warps_n}, 1}, {{1, 4}, {2, 4 * s.warps_m}, 0})
                             : make_layout({s.warps_m, s.warps_n, 1}, {1, s.warps_m, 0});
  return make_tiled_mma(atom, atoms, {mode(m, s.warps_m, s.m), mode(n, s.warps_n, s.n), make_layout(s.k, 1)});
}

// Rows of 128 bytes of K, or of M or N. What a phase of a load reads of eight rows, or of four where threads load eight bytes of
// doubles, lies 16, or 32, bytes further in each row.
constexpr composed swizzled_rows(int64 rows, int64 depth, int bits, major lies) {
  int64 const line = 1024 / bits;
  int const unit = bits == 64 ? 2 : bits == 32 ? 2 : bits == 16 ? 3 : 4;
  swizzle const sw = bits == 64 ? swizzle{2, unit, 2} : swizzle{3, unit, 3};
  layout const at = lies == major::k ? make_layout({rows, {line, depth / line}}, {line, {1, rows * line}})
                                     : make_layout({{line, rows / line}, depth}, {{1, line * depth}, line});
  return composition(sw, 0, at);
}

// Threads along the vectors of a line of 128 bytes, then from line to line.
constexpr layout copy_of_lines(int64 rows, int64 depth, int64 threads, int64 vector, int bits, major lies) {
  int64 const line = 1024 / bits, along = line / vector, down = threads / along;
  if (lies == major::k)
    return make_layout({{along, down}, {vector, rows / down, depth / line}},
                       {{vector * rows, 1}, {rows, down, line * rows}});
  return make_layout({{along, down}, {vector, depth / down, rows / line}},
                     {{vector, rows}, {1, down * rows, line}});
}

// One row of a warp's atoms as the epilogue stages it: lines of sums, 32 bytes further apart in each of four rows.
constexpr composed staged_sums(int64 rows, int64 columns, int bits) {
  int const unit = bits == 64 ? 2 : 3;
  int shift = 0;
  while (int64{1} << (unit + shift) < columns) ++shift;
  return composition(swizzle{2, unit, shift}, 0, make_layout({rows, columns}, {columns, 1}));
}

}  // namespace detail

constexpr plan warp_plan(int architecture, element a, element b, element sum, std::string_view atom, warp_shape const& s,
                         major a_lies = major::k, major b_lies = major::k) {
  plan p{};
  p.architecture = architecture;
  p.kind = family::warp;
  p.a = a, p.b = b, p.accumulator = sum;
  p.major_a = a_lies, p.major_b = b_lies;
  p.tile_m = s.m, p.tile_n = s.n, p.tile_k = s.k;
  p.stages = s.stages;
  p.threads = static_cast<int>(32 * s.warps_m * s.warps_n);
  p.copy_alignment = 16;
  p.mma = detail::tiled_warps(make_mma_atom(atom), s);
  int const bits = bits_of(a);
  p.smem_a = detail::swizzled_rows(s.m, s.k, bits, a_lies);
  p.smem_b = detail::swizzled_rows(s.n, s.k, bits, b_lies);
  p.copy_a = detail::copy_of_lines(s.m, s.k, p.threads, 128 / bits, bits, a_lies);
  p.copy_b = detail::copy_of_lines(s.n, s.k, p.threads, 128 / bits, bits, b_lies);
  int64 const rows = p.mma.atom.shape_mnk.value[0] * (detail::is_volta(p.mma.atom) ? 2 : 1);
  p.smem_d = detail::staged_sums(rows, s.n / s.warps_n, bits_of(sum));
  return p;
}

// ---- the plans ----

inline constexpr std::string_view sm80_f16 = "SM80_16x8x16_F32F16F16F32_TN", sm80_bf16 = "SM80_16x8x16_F32BF16BF16F32_TN";
inline constexpr std::array sm80_plans{
    warp_plan(80, element::f16, element::f16, element::f32, sm80_f16, {128, 256, 64, 2, 4, 3}),
    warp_plan(80, element::f16, element::f16, element::f32, sm80_f16, {128, 128, 64, 2, 2, 3}),
    warp_plan(80, element::f16, element::f16, element::f32, sm80_f16, {64, 64, 64, 2, 2, 5}),
    warp_plan(80, element::bf16, element::bf16, element::f32, sm80_bf16, {128, 256, 64, 2, 4, 3}),
    warp_plan(80, element::bf16, element::bf16, element::f32, sm80_bf16, {128, 128, 64, 2, 2, 3}),
    warp_plan(80, element::bf16, element::bf16, element::f32, sm80_bf16, {64, 64, 64, 2, 2, 5}),
};

}  // namespace colex::gpu
