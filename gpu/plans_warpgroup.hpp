// The plans of sm90: four warps to an instruction, operands where the copy engine put them. Tables and what fills them in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plan.hpp"

namespace colex::gpu {

// Rows of 128 bytes in shared memory, eight of them permuted in units of 16 bytes so that a column meets no bank twice.
constexpr swizzle swizzle_128(int64 bytes_of_element) {
  int base = 4;
  for (int64 b = bytes_of_element; b > 1; b /= 2) --base;
  return {3, base, 3};
}

namespace detail {

// An operand of `rows` rows and `run` elements (128 bytes) of K, or of runs along its rows and `k` of K.
constexpr composed warpgroup_smem(major along, int64 rows, int64 k, int64 run) {
  swizzle const sw = swizzle_128(128 / run);
  if (along == major::k) return composition(sw, 0, make_layout({rows, k}, {run, 1}));
  return composition(sw, 0, make_layout({{run, rows / run}, k}, {{1, run * k}, run}));
}
// The boxes that the copy engine brings, element by element: to (row, k) colexicographically.
constexpr layout engine_boxes(major along, int64 rows, int64 k, int64 run) {
  if (along == major::k) return make_layout({1, {k, rows}}, {0, {rows, 1}});
  return make_layout({1, {run, k, rows / run}}, {0, {1, rows, run}});
}

}  // namespace detail

struct warpgroup_options {
  major a = major::k, b = major::k;
  int cluster_m = 1, cluster_n = 1, multipliers = 2;  // warpgroups that multiply, each a share of the rows of the tile
  bool promotes = false;
};

constexpr plan warpgroup_plan(element a, element b, int64 m, int64 n, int stages, warpgroup_options const& o = {}) {
  plan p;
  int64 const run = 128 / bytes(a, 1);
  p.architecture = 90;
  p.kind = family::warpgroup;
  p.a = a, p.b = b;
  p.accumulator = is_integer(a) ? element::s32 : element::f32;
  p.major_a = o.a, p.major_b = o.b;
  p.promotes = o.promotes;
  p.tile_m = m, p.tile_n = n, p.tile_k = run;
  p.stages = stages, p.cluster_m = o.cluster_m, p.cluster_n = o.cluster_n;
  p.threads = 128 * (o.multipliers + 1);
  p.registers = o.multipliers == 1 ? 255 : 232;
  p.mma = make_tiled_mma(detail::gmma(n, run / 4, bits_of(a), false, false), make_layout({o.multipliers, 1, 1}, {1, 0, 0}));
  p.smem_a = detail::warpgroup_smem(o.a, m, run, run), p.smem_b = detail::warpgroup_smem(o.b, n, run, run);
  p.copy_a = detail::engine_boxes(o.a, m, run, run), p.copy_b = detail::engine_boxes(o.b, n, run, run);
  int64 const columns = n % 64 == 0 ? 64 : n % 32 == 0 ? 32 : 16;
  p.smem_d = composition(swizzle_128(2), 0, make_layout({16, columns}, {columns, 1}));
  p.smem_words = composition(swizzle_128(4), 0, make_layout({16, 32}, {32, 1}));
  p.smem_sums = composition(columns == 64 ? swizzle{2, 3, 3} : columns == 32 ? swizzle{2, 3, 2} : swizzle{1, 3, 1}, 0,
                            make_layout({16, columns}, {columns, 1}));
  return p;
}

inline constexpr warpgroup_options pair_m{.cluster_m = 2}, pair_n{.cluster_n = 2};

inline constexpr plan sm90_plans[] = {
    warpgroup_plan(element::bf16, element::bf16, 128, 256, 4, pair_m),
    warpgroup_plan(element::bf16, element::bf16, 256, 128, 4, pair_n),
    warpgroup_plan(element::bf16, element::bf16, 128, 128, 6, pair_m),
    warpgroup_plan(element::bf16, element::bf16, 64, 128, 8, {.multipliers = 1}),
    warpgroup_plan(element::bf16, element::bf16, 128, 256, 4, {.b = major::mn, .cluster_m = 2}),
    warpgroup_plan(element::bf16, element::bf16, 128, 256, 4, {.a = major::mn, .cluster_m = 2}),
    warpgroup_plan(element::bf16, element::bf16, 128, 256, 4, {.a = major::mn, .b = major::mn, .cluster_m = 2}),
    warpgroup_plan(element::f16, element::f16, 128, 256, 4, pair_m),
    warpgroup_plan(element::tf32, element::tf32, 128, 256, 4, pair_m),
    warpgroup_plan(element::e4m3, element::e4m3, 128, 256, 4, pair_m),
    warpgroup_plan(element::e4m3, element::e4m3, 128, 128, 6, {.cluster_m = 2, .promotes = true}),
    warpgroup_plan(element::s8, element::s8, 128, 256, 4, pair_m),
};

}  // namespace colex::gpu
