// The plans of sm90: four warps to an instruction, operands where the copy engine put them. Tables and what fills them in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/plans/plan.hpp"

#include <array>
#include <span>

namespace colex::gpu {

// A buffer of a warp: 16 rows of 128 bytes, or halves of 64 where a tile's rows are no whole number of those. Sums on their way
// out one by one take all of a warp's.
constexpr int64 out_bytes(plan const& p) { return bytes(element::f32, size(p.smem_words.inner)); }
// The stages, the warps' buffers, barriers, and the way to a multiple of 1024.
constexpr int64 warpgroup_shared_bytes(plan const& p) {
  int64 const warps = (p.threads / 128 - 1) * 4;
  int64 const stages = p.stages * bytes(p.a, p.tile_k * (p.tile_m + p.tile_n));
  return stages + warps * p.buffers * out_bytes(p) + 16 * p.stages + 8 * p.turns + 1024;
}

struct warpgroup_options {
  major a = major::k, b = major::k;
  int cluster_m = 1, cluster_n = 1, multipliers = 2;  // warpgroups that multiply
  int turns = 1;                                      // so many share the rows of a tile; others take the next one
  bool promotes = false;
};

constexpr plan warpgroup_plan(element a, element b, int64 m, int64 n, int stages, warpgroup_options const& o = {}) {
  plan p;
  int64 const run = run_of(a);
  p.architecture = 90;
  p.kind = family::warpgroup;
  p.a = a, p.b = b;
  p.accumulator = is_integer(a) ? element::s32 : element::f32;
  p.major_a = o.a, p.major_b = o.b;
  p.promotes = o.promotes;
  p.tile_m = m, p.tile_n = n, p.tile_k = run;
  p.stages = stages, p.cluster_m = o.cluster_m, p.cluster_n = o.cluster_n;
  p.threads = 128 * (o.multipliers + 1);
  p.registers = o.multipliers == 1 ? 255 : 224;
  p.turns = o.turns;
  int const sharers = o.multipliers / o.turns;
  p.mma = make_tiled_mma(detail::gmma(n, run / 4, bits_of(a), false, false), make_layout({sharers, 1, 1}, {1, 0, 0}),
                         {make_layout({64, sharers, m / sharers / 64}, {1, m / sharers, 64}), n, _});
  p.smem_a = run_layout(o.a, a, m, run), p.smem_b = run_layout(o.b, b, n, run);
  p.copy_a = run_boxes(o.a, a, m, run), p.copy_b = run_boxes(o.b, b, n, run);
  p.buffers = m * n % (64 * 128 * sharers) == 0 ? 2 : 1;
  p.smem_d = n % 64 == 32 ? composition(swizzle{2, 3, 3}, 0, make_layout({16, 32}, {32, 1}))
                          : composition(swizzle_of(element::f16), 0, make_layout({16, 64}, {64, 1}));
  p.smem_words = composition(swizzle_of(element::f32), 0, make_layout({16, 32}, {32, 1}));
  p.smem_columns = composition(swizzle{2, 2, 3}, 0, make_layout({16, 32}, {1, 16}));
  int const columns = n % 32 == 0 ? 32 * p.buffers : 16, shift = columns / 32 + 1;
  p.smem_sums = composition(swizzle{shift < 2 ? 1 : 2, 3, shift}, 0, make_layout({16, columns}, {columns, 1}));
  p.shared = static_cast<int>(warpgroup_shared_bytes(p));
  return p;
}

// ---- what a kernel makes of a plan, and the laws of that ----

// Where a lane of a warp has registers 2j and 2j + 1 of an atom: a row of the warp's 16, and the first of two columns.
struct place {
  int row, column;
};
COLEX_HD constexpr place place_of(int lane, int j) { return {lane / 4 + 8 * (j % 2), 8 * (j / 2) + 2 * (lane % 4)}; }

// Does A go through registers on its way to the instruction? It finds no tf32 whose rows are contiguous in shared memory.
constexpr bool through_registers(plan const& p) { return p.a == element::tf32 && p.major_a == major::mn; }
// Where a lane has element i of A's 16x8 for a warp, and in which of four accesses it reads that: lanes of the lower and the
// upper half each other's, so that a warp's 32 words lie in 32 banks.
COLEX_HD constexpr place fragment_place(int lane, int i) { return {lane / 4 + 8 * (i % 2), lane % 4 + 4 * (i / 2)}; }
COLEX_HD constexpr int fragment_read(int lane, int access) { return lane < 16 ? access : access ^ 2; }

// A thread's sums of a tile. Are there registers for two stages' besides, where those are promoted?
constexpr int64 sums_of_thread(plan const& p) { return p.tile_m * p.tile_n / size(p.mma.thr_layout_vmnk); }
constexpr bool holds_two_stages(plan const& p) { return 3 * sums_of_thread(p) + 24 <= p.registers; }

// How an instruction finds an operand in 128-byte rows, swizzled: bytes from eight rows (or eight of K) to the next, and from
// one run of rows to the next (PTX ISA, "Strides").
struct operand_steps {
  int leading, stride;
};
constexpr operand_steps steps_of(plan const& p, major along) {
  return {along == major::k ? 16 : static_cast<int>(128 * p.tile_k), 1024};
}

namespace detail {

// Bytes in which the engine permutes units of 16 among eight rows of 128, and in which an instruction looks for them.
constexpr int64 permuted_bytes(int64 x) { return x ^ (x >> 7 & 7) << 4; }

// The v-th element of the engine's boxes lies where the plan says.
constexpr bool engine_agrees(layout const& boxes, composed const& smem, int64 element_bytes) {
  for (int64 v = 0; v < size(boxes); ++v)
    if (permuted_bytes(v * element_bytes) != smem(boxes(v)) * element_bytes) return false;
  return true;
}
// What an instruction that starts at (row, k) of a stage finds as its own (i, j) is the plan's (row + i, k + j).
constexpr bool instruction_agrees(composed const& smem, major along, operand_steps by, int64 row, int64 rows, int64 k,
                                  int64 depth, int64 all_rows, int64 element_bytes) {
  int64 const run = 128 / element_bytes, begin = smem.inner(row + all_rows * k) * element_bytes;
  for (int64 j = 0; j < depth; ++j) {
    for (int64 i = 0; i < rows; ++i) {
      int64 const at = along == major::k ? i / 8 * by.stride + i % 8 * 128 + j * element_bytes
                                         : i / run * by.leading + i % run * element_bytes + j / 8 * by.stride + j % 8 * 128;
      if (permuted_bytes(begin + at) != smem(row + i + all_rows * (k + j)) * element_bytes) return false;
    }
  }
  return true;
}
// The k-th element that a thread loads for the instruction lies a constant behind its first, in each of its accesses; no warp
// meets in a bank.
constexpr bool fragments_agree(plan const& p) {
  int64 const depth = p.mma.atom.shape_mnk.value[2], step = p.smem_a(p.tile_m * depth) - p.smem_a(0);
  for (int64 warp = 0; warp < p.tile_m / 16; ++warp)
    for (int access = 0; access < 4; ++access) {
      std::uint32_t banks = 0;
      for (int lane = 0; lane < 32; ++lane) {
        place const at = fragment_place(lane, fragment_read(lane, access));
        int64 const row = 16 * warp + at.row, first = p.smem_a(row + p.tile_m * at.column);
        banks |= 1u << (first % 32);
        for (int64 k = 0; k < p.tile_k; k += depth)
          if (p.smem_a(row + p.tile_m * (at.column + k)) != first + k / depth * step) return false;
      }
      if (banks != ~0u) return false;
    }
  return true;
}
constexpr bool operand_agrees(plan const& p, bool is_a) {
  if (is_a && through_registers(p)) return fragments_agree(p);
  composed const& smem = is_a ? p.smem_a : p.smem_b;
  major const along = is_a ? p.major_a : p.major_b;
  if (along != major::k && bits_of(p.a) != 16) return false;  // no instruction has such rows
  int64 const rows = is_a ? p.tile_m : p.tile_n, atom = is_a ? 64 : p.tile_n, depth = p.mma.atom.shape_mnk.value[2];
  for (int64 k = 0; k < p.tile_k; k += depth)
    for (int64 row = 0; row < rows; row += atom)
      if (!instruction_agrees(smem, along, steps_of(p, along), row, atom, k, depth, rows, bytes(p.a, 1))) return false;
  return true;
}

// Do eight neighbours of 16 bytes each meet in no bank?
constexpr bool column_is_free(composed const& smem, layout const& eight, int64 bits) {
  return bank_conflicts(composition(smem.sw, 0, composition(smem.inner, eight)), bits, 16) == 0;
}

}  // namespace detail

// From global to shared memory to the operands of an instruction: each element is where the next one looks for it.
constexpr bool warpgroup_plan_dataflow(plan const& p) {
  return detail::engine_agrees(p.copy_a, p.smem_a, bytes(p.a, 1)) && detail::engine_agrees(p.copy_b, p.smem_b, bytes(p.b, 1)) &&
         detail::operand_agrees(p, true) && detail::operand_agrees(p, false);
}
// A register is the element of the tile that its warp sends out as such.
constexpr bool warpgroup_plan_registers(plan const& p) {
  layout const tv = layout_tv(p.mma, operand::c);
  int64 const threads = size(tv, 0), values = p.tile_n / 2, rows = p.tile_m / (threads / 128);
  for (int64 i = 0; i < size(tv); ++i) {
    int64 const thread = i % threads, v = i / threads, atom = v / values, register_ = v % values;
    place const at = place_of(static_cast<int>(thread % 32), static_cast<int>(register_ / 2));
    int64 const row = thread / 128 * rows + 64 * atom + thread % 128 / 32 * 16 + at.row;
    if (tv(i) != row + p.tile_m * (at.column + register_ % 2)) return false;
  }
  return true;
}
// Eight rows of a column, as an instruction and stmatrix take them, meet in no bank.
constexpr bool warpgroup_plan_conflict_free(plan const& p) {
  bool const along_k = p.major_a == major::k;
  layout const rows = make_layout(8, 1), of_a = along_k ? rows : make_layout(8, p.tile_m);
  layout const of_b = p.major_b == major::k ? rows : make_layout(8, p.tile_n);
  return detail::column_is_free(p.smem_a, of_a, bits_of(p.a)) && detail::column_is_free(p.smem_b, of_b, bits_of(p.b)) &&
         detail::column_is_free(p.smem_d, rows, 16);
}
// The chip holds it, blocks of a cluster share whole boxes, and the copy engine takes them: 256 rows at most.
constexpr bool warpgroup_plan_fits(plan const& p) {
  int64 const run = 128 / bytes(p.a, 1), share_a = p.tile_m / p.cluster_n, share_b = p.tile_n / p.cluster_m;
  auto const boxes = [&](major along, int64 rows, int64 share, int peers) {
    return rows % peers == 0 && share % (along == major::k ? 8 : run) == 0 && share <= 256;
  };
  bool const shares = boxes(p.major_a, p.tile_m, share_a, p.cluster_n) && boxes(p.major_b, p.tile_n, share_b, p.cluster_m);
  int64 const sharers = size(p.mma.thr_layout_vmnk) / 128, multipliers = p.threads / 128 - 1;
  bool const rows = p.tile_m % (64 * sharers) == 0 && p.tile_n % 16 == 0 && p.tile_n <= 256;
  int64 const sums = sums_of_thread(p) * (!p.promotes ? 1 : holds_two_stages(p) ? 3 : 2);      // in all, and of stages
  int64 const fragments = through_registers(p) ? 2 * p.tile_m / sharers * p.tile_k / 128 : 0;  // of two stages, too
  int64 const columns = size(p.smem_d.inner, 1);                                               // of results in a buffer
  bool const rounds = p.tile_n % columns != 0 || p.tile_m / sharers / 64 * p.tile_n / columns % p.buffers == 0;
  bool const staged = size(p.smem_sums.inner) * 4 <= p.buffers * out_bytes(p);
  return shares && rows && rounds && sharers * p.turns == multipliers && staged && p.stages >= 2 &&
         sums + fragments + 24 <= p.registers && p.shared >= warpgroup_shared_bytes(p) && p.shared <= shared_limit(90) &&
         p.cluster_m * p.cluster_n <= 8;
}

// ---- the table ----

// Pairs of blocks along M share B, along N they share A; alone: with one warpgroup that multiplies.
inline constexpr warpgroup_options pair{.cluster_m = 2}, pair_n{.cluster_n = 2}, alone{.multipliers = 1};
inline constexpr warpgroup_options pair_alone{.cluster_m = 2, .multipliers = 1};
inline constexpr warpgroup_options by_turns{.turns = 2}, pair_by_turns{.cluster_m = 2, .turns = 2};
inline constexpr warpgroup_options pair_kn{.b = major::mn, .cluster_m = 2}, pair_mk{.a = major::mn, .cluster_m = 2};
inline constexpr warpgroup_options pair_mn{.a = major::mn, .b = major::mn, .cluster_m = 2};
inline constexpr warpgroup_options promoted{.cluster_m = 2, .promotes = true}, promoted_each{.promotes = true};
inline constexpr warpgroup_options promoted_alone{.multipliers = 1, .promotes = true};

inline constexpr warpgroup_options promoted_pair_alone{.cluster_m = 2, .multipliers = 1, .promotes = true};

// A plan but for its types. Large tiles: in pairs for many tiles, each block by itself where one launch follows another fast
// (blocks of a cluster begin only together), in several widths so that one fills the processors, along N where tiles along M
// are odd in number, by turns for a short K; then some for products that are small or that memory bounds.
struct warpgroup_shape {
  int64 m, n;
  int stages;
  warpgroup_options with = {};
};
inline constexpr warpgroup_shape shapes_of_all[] = {{128, 256, 4, pair},     {128, 256, 4},
                                                    {128, 224, 4, pair},     {128, 224, 4},
                                                    {128, 192, 5, pair},     {128, 192, 5},
                                                    {128, 160, 5, pair},     {128, 160, 5},
                                                    {128, 128, 6, by_turns}, {128, 128, 6, pair_by_turns},
                                                    {64, 128, 8, alone},     {64, 128, 8, pair_alone},
                                                    {64, 64, 12, alone},     {64, 16, 20, alone}};
inline constexpr warpgroup_shape shapes_of_halves[] = {
    {128, 256, 4, pair_n}, {256, 128, 4, pair_n}, {128, 256, 4, pair_kn}, {128, 256, 4, pair_mk}, {128, 256, 4, pair_mn}};
inline constexpr warpgroup_shape shapes_promoted[] = {{128, 192, 5, promoted},      {128, 160, 5, promoted},
                                                      {128, 160, 5, promoted_each}, {128, 128, 6, promoted_each},
                                                      {64, 128, 8, promoted_alone}, {64, 128, 8, promoted_pair_alone},
                                                      {64, 64, 12, promoted_alone}, {64, 16, 20, promoted_alone}};
inline constexpr warpgroup_shape shapes_of_mixed[] = {{128, 256, 4, pair}},
                                 shapes_promoted_of_mixed[] = {{128, 128, 6, promoted}},
                                 shapes_through_registers[] = {{128, 256, 4, pair_mk}};

constexpr auto sm90_table() {
  constexpr std::size_t of_all = std::size(shapes_of_all), of_halves = of_all + std::size(shapes_of_halves);
  std::array<plan, 2 * of_halves + 3 * of_all + 1 + 3 + 4 + std::size(shapes_promoted)> all{};
  std::size_t count = 0;
  auto const add = [&](element a, element b, std::span<warpgroup_shape const> shapes) {
    for (warpgroup_shape const& s : shapes) all[count++] = warpgroup_plan(a, b, s.m, s.n, s.stages, s.with);
  };
  for (element e : {element::bf16, element::f16}) add(e, e, shapes_of_all), add(e, e, shapes_of_halves);
  for (element e : {element::tf32, element::e4m3, element::s8}) add(e, e, shapes_of_all);
  add(element::tf32, element::tf32, shapes_through_registers);
  for (element a : {element::e4m3, element::e5m2})
    for (element b : {element::e4m3, element::e5m2}) {
      if (a != element::e4m3 || b != element::e4m3) add(a, b, shapes_of_mixed);
      add(a, b, shapes_promoted_of_mixed);
    }
  add(element::e4m3, element::e4m3, shapes_promoted);
  return all;
}
inline constexpr auto sm90_plans = sm90_table();

}  // namespace colex::gpu
