// The plans of gemv kernels, for a few rows of A: threads along N and along K execute FMAs with B in their registers, as they
// loaded it, and A in shared memory. The sums of a tile that threads along K have are added up behind the mainloop. The tables,
// what a kernel takes from a plan, and the laws (spec/plans.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/simt.hpp"

namespace colex::gpu {

// A warp's lanes read along the mode in which B is contiguous, eight along K and along N as many as read 128 bytes, or all, and
// go on across it; warps go on after the lanes.
struct gemv_shape {
  int64 m;
  int alignment;  // of what a thread loads of B at once, in bytes
  int bytes;      // that it loads of B for a stage
  int registers;
  int64 warps = 4;
};
constexpr plan gemv_plan(element e, major major_b, gemv_shape s) {
  element const sums = is_half(e) ? element::f32 : e == element::s8 ? element::s32 : e;
  plan p{.architecture = 50, .kind = family::gemv, .a = e, .b = e, .accumulator = sums};
  p.major_b = major_b;
  bool const along_k = major_b == major::k;
  int64 const warps = s.warps, width = bits_of(e) / 8, v = s.alignment / width,
              near = along_k ? 8 : smaller(32, 128 / s.alignment), far = 32 / near;
  int64 const threads_n = along_k ? far * warps : near, threads_k = along_k ? near : far * warps;
  int64 const columns = along_k ? 8 * warps / threads_n : 1, steps = s.bytes / (columns * s.alignment);
  p.threads = static_cast<int>(32 * warps), p.registers = s.registers, p.stages = 2, p.copy_alignment = s.alignment;
  p.tile_m = s.m, p.tile_n = threads_n * (along_k ? columns : v), p.tile_k = threads_k * steps * (along_k ? v : 1);
  layout const lanes = make_layout(near, 1), others = make_layout({far, warps}, {near, 32});
  p.mma = make_tiled_mma(make_mma_atom("UniversalFMA"),
                         make_layout(make_layout(1, 0), along_k ? others : lanes, along_k ? lanes : others),
                         tiler{in_vectors(1, 1, s.m), in_vectors(threads_n, along_k ? 1 : v, p.tile_n),
                               in_vectors(threads_k, along_k ? v : 1, p.tile_k)});
  // A: neighbouring threads copy along K, or along M, as threads read it.
  int64 const m = s.m, n = p.tile_n, each = p.threads / m, rounds = m * p.tile_k / p.threads;
  p.copy_a = along_k ? make_layout({{each, m}, {1, rounds}}, {{m, 1}, {0, p.threads}})
                     : make_layout({p.threads, {1, rounds}}, {1, {0, p.threads}});
  p.smem_a = view(0, along_k ? make_layout({m, p.tile_k}, {p.tile_k + each, 1}) : make_layout({m, p.tile_k}, {1, m}));
  // B: register r of thread t is place t + threads r.
  p.copy_b = along_k ? make_layout({{near, far, warps}, {v, {columns, steps}}},
                                   {{v * n, 1, far}, {v > 1 ? n : 0, {threads_n, near * v * n}}})
                     : make_layout({{near, far, warps}, {v, steps}}, {{v, n, far * n}, {v > 1 ? 1 : 0, threads_k * n}});
  p.smem_b = view(0, composition(right_inverse(p.copy_b), make_layout({n, p.tile_k}, {1, n})));
  p.smem_d = view(0, make_layout({m, n}, {n, 1}));
  p.shared = static_cast<int>(shared_bytes(p));
  return p;
}

inline constexpr gemv_shape gemv_1{1, 16, 128, 96}, gemv_1_unaligned{1, 4, 128, 96}, gemv_1_f64{1, 16, 128, 128, 2},
    gemv_1_unaligned_f64{1, 8, 128, 128}, gemv_1_unaligned_f64_along_k{1, 8, 128, 128, 2}, gemv_1_half{1, 2, 64, 96},
    gemv_1_pairs{1, 4, 128, 96}, gemv_4_half{4, 2, 32, 128}, gemv_8_half{8, 2, 32, 168};
inline constexpr gemv_shape gemv_4{4, 16, 128, 128}, gemv_8{8, 16, 128, 168}, gemv_4_unaligned{4, 4, 64, 128},
    gemv_8_unaligned{8, 4, 64, 168}, gemv_16{16, 16, 64, 168}, gemv_4_f64{4, 16, 64, 128}, gemv_8_f64{8, 16, 64, 168},
    gemv_4_unaligned_f64{4, 8, 64, 128}, gemv_8_unaligned_f64{8, 8, 64, 168}, gemv_16_f64{16, 16, 64, 255},
    gemv_16_unaligned_f64{16, 8, 64, 255}, gemv_4_s8{4, 4, 32, 128}, gemv_8_s8{8, 4, 32, 168}, gemv_16_s8{16, 4, 32, 255};
inline constexpr plan gemv_plans[] = {
    gemv_plan(element::f32, major::k, gemv_1),
    gemv_plan(element::f32, major::k, gemv_1_unaligned),
    gemv_plan(element::f32, major::mn, gemv_1),
    gemv_plan(element::f32, major::mn, gemv_1_unaligned),
    gemv_plan(element::f64, major::k, gemv_1_f64),
    gemv_plan(element::f64, major::k, gemv_1_unaligned_f64_along_k),
    gemv_plan(element::f64, major::mn, gemv_1_unaligned_f64),
    gemv_plan(element::f32, major::k, gemv_4),
    gemv_plan(element::f32, major::k, gemv_8),
    gemv_plan(element::f32, major::k, gemv_16),
    gemv_plan(element::f32, major::k, gemv_4_unaligned),
    gemv_plan(element::f32, major::k, gemv_8_unaligned),
    gemv_plan(element::f32, major::mn, gemv_4),
    gemv_plan(element::f32, major::mn, gemv_8),
    gemv_plan(element::f32, major::mn, gemv_16),
    gemv_plan(element::f32, major::mn, gemv_4_unaligned),
    gemv_plan(element::f32, major::mn, gemv_8_unaligned),
    gemv_plan(element::f64, major::k, gemv_4_f64),
    gemv_plan(element::f64, major::k, gemv_8_f64),
    gemv_plan(element::f64, major::k, gemv_16_f64),
    gemv_plan(element::f64, major::k, gemv_4_unaligned_f64),
    gemv_plan(element::f64, major::k, gemv_8_unaligned_f64),
    gemv_plan(element::f64, major::mn, gemv_4_unaligned_f64),
    gemv_plan(element::f64, major::mn, gemv_8_unaligned_f64),
    gemv_plan(element::f64, major::mn, gemv_16_unaligned_f64),
    gemv_plan(element::bf16, major::k, gemv_1_half),
    gemv_plan(element::bf16, major::k, gemv_1_pairs),
    gemv_plan(element::bf16, major::mn, gemv_1_half),
    gemv_plan(element::bf16, major::mn, gemv_4_half),
    gemv_plan(element::bf16, major::mn, gemv_8_half),
    gemv_plan(element::f16, major::k, gemv_1_half),
    gemv_plan(element::f16, major::k, gemv_1_pairs),
    gemv_plan(element::f16, major::mn, gemv_1_half),
    gemv_plan(element::f16, major::mn, gemv_4_half),
    gemv_plan(element::f16, major::mn, gemv_8_half),
    gemv_plan(element::s8, major::mn, gemv_4_s8),
    gemv_plan(element::s8, major::mn, gemv_8_s8),
    gemv_plan(element::s8, major::mn, gemv_16_s8),
};

// Elements that a thread loads of B at once; of these along K.
constexpr int64 gemv_vector(plan const& p) { return size(get(get(p.copy_b, 1), 0)); }
constexpr int64 gemv_depth(plan const& p) { return p.major_b == major::k ? gemv_vector(p) : 1; }

// A is written and read as in simt plans. Threads load B to their own registers, and multiply each element of it there, once.
constexpr bool gemv_dataflow(plan const& p) {
  if (size(p.smem_a.inner) != p.tile_m * p.tile_k || size(p.smem_b.inner) != p.tile_n * p.tile_k) return false;
  if (!simt_dataflow(p, operand::a) || !simt_stages(p, operand::a)) return false;
  layout const loaded = staged(p, operand::b), multiplied = fragment(p, operand::b);
  for (int64 i = 0; i < size(loaded); ++i)
    if (loaded(i) != i) return false;
  for (int64 i = 0; i < size(multiplied); ++i)
    if (multiplied(i) % p.threads != i % p.threads) return false;
  return permutes(multiplied, p.tile_n * p.tile_k);
}
// The threads at the first place along K have each sum of the tile once. Those at others have the same ones: no place of a sum
// depends on K.
constexpr bool gemv_slices_cover(plan const& p) {
  layout const &threads = p.mma.thr_layout_vmnk, held = layout_tv(p.mma, operand::c);
  if (!permutes(threads, p.threads) || tile_size(p.mma, 0) != p.tile_m || tile_size(p.mma, 1) != p.tile_n) return false;
  int64 const along_n = size(threads, 2);
  index_set seen;
  for (int64 i = 0; i < along_n * size(held, 1); ++i)
    if (!seen.insert(held(threads(i % along_n) + p.threads * (i / along_n)))) return false;
  return seen.count == p.tile_m * p.tile_n;
}
// No read of A, of a vector along K or of up to 16 bytes of its rows, has a bank conflict, and no write.
constexpr bool gemv_conflict_free(plan const& p) {
  int64 const bits = bits_of(smem_type(p, p.a)), run = p.major_b == major::k ? gemv_depth(p) : smaller(p.tile_m, 128 / bits);
  layout const read = fragment(p, operand::a), threads = get(read, 0);
  for (int64 i = 0; i < size(p.smem_a.inner); i += p.major_b == major::k ? p.tile_m * run : run)
    if (bank_conflicts(view(p.smem_a(i), threads), bits, run * bits / 8) != 0) return false;
  return accesses_conflict_free(staged(p, operand::a), bits);
}

}  // namespace colex::gpu
