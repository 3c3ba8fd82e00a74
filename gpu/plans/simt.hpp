// The plans of simt kernels, whose threads execute FMAs, or dp4a on four bytes of K (sm61). A thread has rows and columns in
// vectors of 16 bytes, spread over the tile. The tables, what a kernel takes from a plan, and the laws (spec/plans.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/plans/plan.hpp"

namespace colex::gpu {

// Threads over (M, N). Lanes are 4 x 8: half a warp reads 128 bytes of B and 32 of A, a quarter two and four vectors that its
// lanes share; or 1 x 32, for the fewest rows. Warps follow each other along M first.
constexpr layout simt_threads(int64 lanes_m, int64 warps_m, int64 warps_n) {
  if (lanes_m == 1) return make_layout({warps_m, {32, warps_n}, 1}, {32, {1, 32 * warps_m}, 0});
  return make_layout({{2, 2, warps_m}, {8, warps_n}, 1}, {{1, 16, 32}, {2, 32 * warps_m}, 0});
}
// Vectors of v elements; a thread's next vector lies behind those of all `threads` ((16,4):(4,1) of CuTe's example, repeated).
constexpr layout in_vectors(int64 threads, int64 v, int64 tile) {
  return make_layout({threads, v, tile / (threads * v)}, {v, 1, threads * v});
}

// The copy: vectors of n elements along `along`, over rows x k, dealt to the threads in order, round after round. Along K
// neighbouring threads have 32 bytes of a row.
constexpr layout simt_copy(int64 threads, int64 rows, int64 k, int64 n, int bits, major along) {
  int64 const near = 256 / (n * bits);
  layout whole = make_layout({rows / n, k}, {n, rows});
  if (along == major::k) whole = make_layout({near, rows, k / (near * n)}, {n * rows, 1, near * n * rows});
  layout const vector = make_layout(n, along == major::k ? rows : n > 1 ? 1 : 0);
  int64 const steps = rows * k / (n * threads);
  return make_layout(composition(whole, make_layout(threads, 1)),
                     make_layout(vector, composition(whole, make_layout(steps, threads))));
}

// (row, k) to shared memory, `pack` elements of K together; padded where it is written along K, so that rows 4 apart in K begin
// half the banks apart.
constexpr composed simt_smem(int64 rows, int64 k, int64 pack, major along) {
  int64 const pad = along == major::k && rows % 8 == 0 ? 4 : 0;
  return view(0, pack == 1 ? make_layout({rows, k}, {1, rows + pad})
                           : make_layout({rows, {pack, k / pack}}, {pack, {1, pack * (rows + pad)}}));
}

struct simt_shape {
  int64 m, n, k, warps_m, warps_n;
  int registers;
  int alignment = 16;    // of what a thread copies at once, in bytes
  int64 lanes_m = 4;     // of a warp, along M
  int async_stages = 0;  // so many stages that cp.async fills, an operand along K by single elements, which transposes it
};
constexpr plan simt_plan(family kind, element a, element b, element accumulator, simt_shape s, major major_a, major major_b) {
  bool const dp4a = kind == family::dp4a;
  bool const async = s.async_stages > 0;
  plan p{.architecture = dp4a ? 61 : async ? 80 : 50, .kind = kind, .a = a, .b = b, .accumulator = accumulator};
  int64 const v = dp4a ? 4 : 128 / bits_of(accumulator);
  auto const vector = [&](element e, major along) {
    return along == major::any || (async && along == major::k) ? 1 : 8 * s.alignment / bits_of(e);
  };
  p.major_a = major_a, p.major_b = major_b;
  p.tile_m = s.m, p.tile_n = s.n, p.tile_k = s.k, p.stages = async ? s.async_stages : 3;
  p.threads = static_cast<int>(32 * s.warps_m * s.warps_n), p.registers = s.registers;
  p.mma = make_tiled_mma(make_mma_atom(dp4a ? "SM61_DP4A" : "UniversalFMA"), simt_threads(s.lanes_m, s.warps_m, s.warps_n),
                         tiler{in_vectors(s.lanes_m * s.warps_m, v, s.m), in_vectors(32 / s.lanes_m * s.warps_n, v, s.n), _});
  p.smem_a = simt_smem(s.m, s.k, dp4a ? 4 : 1, major_a), p.smem_b = simt_smem(s.n, s.k, dp4a ? 4 : 1, major_b);
  p.copy_alignment = s.alignment;
  p.copy_a = simt_copy(p.threads, s.m, s.k, vector(a, major_a), bits_of(a), major_a);
  p.copy_b = simt_copy(p.threads, s.n, s.k, vector(b, major_b), bits_of(b), major_b);
  // 64 bytes, so that two rows that a quarter of a warp writes lie in different halves of the banks.
  int64 const pad = 512 / bits_of(accumulator);
  bool const whole = bytes(accumulator, s.m * (s.n + pad)) <= simt_shared_limit;
  p.smem_d = view(0, make_layout({whole ? s.m : s.lanes_m * s.warps_m, s.n}, {s.n + pad, 1}));
  p.shared = static_cast<int>(shared_bytes(p));
  return p;
}

inline constexpr simt_shape simt_large{128, 128, 8, 2, 2, 255}, simt_wide{128, 256, 8, 2, 4, 255},
    simt_small{64, 128, 8, 2, 2, 168}, simt_tiny{32, 64, 32, 2, 2, 168}, simt_flat{16, 64, 16, 1, 2, 128},
    simt_flat_unaligned{16, 64, 16, 1, 2, 128, 4}, simt_thin{4, 128, 8, 1, 1, 168, 4, 1}, simt_f64{128, 64, 8, 4, 2, 168};
inline constexpr simt_shape simt_dp4a{128, 128, 32, 2, 2, 255};
constexpr plan simt_any(element a, element b, element accumulator, simt_shape s) {
  return simt_plan(family::simt, a, b, accumulator, s, major::any, major::any);
}
constexpr plan simt_f32(simt_shape s, major a, major b) {
  return simt_plan(family::simt, element::f32, element::f32, element::f32, s, a, b);
}
inline constexpr plan simt_plans[] = {
    simt_any(element::f32, element::f32, element::f32, simt_large),
    simt_any(element::f64, element::f64, element::f64, simt_f64),
    simt_any(element::f16, element::f16, element::f32, simt_large),
    simt_any(element::bf16, element::bf16, element::f32, simt_large),
    simt_any(element::e4m3, element::e4m3, element::f32, simt_large),
    simt_any(element::e4m3, element::e5m2, element::f32, simt_large),
    simt_any(element::e5m2, element::e4m3, element::f32, simt_large),
    simt_any(element::e5m2, element::e5m2, element::f32, simt_large),
    simt_any(element::s8, element::s8, element::s32, simt_large),
    simt_f32(simt_wide, major::k, major::k),
    simt_f32(simt_wide, major::k, major::mn),
    simt_f32(simt_wide, major::mn, major::k),
    simt_f32(simt_wide, major::mn, major::mn),
    simt_f32(simt_small, major::k, major::k),
    simt_f32(simt_small, major::k, major::mn),
    simt_f32(simt_small, major::mn, major::k),
    simt_f32(simt_small, major::mn, major::mn),
    simt_f32(simt_tiny, major::k, major::k),
    simt_f32(simt_tiny, major::k, major::mn),
    simt_f32(simt_tiny, major::mn, major::k),
    simt_f32(simt_tiny, major::mn, major::mn),
    simt_f32(simt_flat, major::k, major::k),
    simt_f32(simt_flat_unaligned, major::k, major::mn),
    simt_f32(simt_flat_unaligned, major::mn, major::k),
    simt_f32(simt_flat_unaligned, major::mn, major::mn),
    simt_f32(simt_thin, major::k, major::mn),
    simt_f32(simt_thin, major::mn, major::mn),
};

// simt kernels of f32 that copy with cp.async: small tiles, whose threads wait for memory otherwise.
inline constexpr simt_shape async_square{
    .m = 64, .n = 64, .k = 8, .warps_m = 2, .warps_n = 2, .registers = 128, .async_stages = 4},
    async_wide{.m = 32, .n = 128, .k = 8, .warps_m = 1, .warps_n = 2, .registers = 168, .async_stages = 5},
    async_tiny{.m = 32, .n = 64, .k = 16, .warps_m = 2, .warps_n = 2, .registers = 128, .async_stages = 5},
    async_large{.m = 128, .n = 128, .k = 8, .warps_m = 2, .warps_n = 2, .registers = 255, .async_stages = 4};
constexpr simt_shape unaligned(simt_shape s) { return s.alignment = 4, s; }
constexpr plan simt_async(simt_shape s, major a, major b) {
  return simt_f32(a == major::k && b == major::k ? unaligned(s) : s, a, b);
}
inline constexpr plan simt_async_plans[] = {
    simt_async(async_square, major::k, major::k),
    simt_async(async_square, major::k, major::mn),
    simt_async(async_square, major::mn, major::k),
    simt_async(async_square, major::mn, major::mn),
    simt_async(unaligned(async_square), major::k, major::mn),
    simt_async(unaligned(async_square), major::mn, major::k),
    simt_async(unaligned(async_square), major::mn, major::mn),
    simt_async(async_wide, major::k, major::k),
    simt_async(async_wide, major::k, major::mn),
    simt_async(async_wide, major::mn, major::k),
    simt_async(async_wide, major::mn, major::mn),
    simt_async(async_tiny, major::k, major::k),
    simt_async(async_tiny, major::k, major::mn),
    simt_async(async_tiny, major::mn, major::k),
    simt_async(async_tiny, major::mn, major::mn),
    simt_async(unaligned(async_tiny), major::k, major::mn),
    simt_async(unaligned(async_tiny), major::mn, major::k),
    simt_async(unaligned(async_tiny), major::mn, major::mn),
    simt_async(async_large, major::mn, major::mn),
};
inline constexpr plan sm61_plans[] = {
    simt_plan(family::dp4a, element::s8, element::s8, element::s32, simt_dp4a, major::k, major::k),
};

// The addresses that a kernel uses, each a thread's part plus a value's part.
// (thread, value) to the element of shared memory that a thread multiplies in the first step along K, and the stride of steps.
constexpr layout fragment(plan const& p, operand x) {
  return composition(x == operand::a ? p.smem_a.inner : p.smem_b.inner, layout_tv(p.mma, x));
}
constexpr int64 fragment_step(plan const& p, operand x) {
  layout const& smem = x == operand::a ? p.smem_a.inner : p.smem_b.inner;
  return p.mma.atom.shape_mnk.value[2] == p.tile_k ? 0 : smem(size(smem, 0) * p.mma.atom.shape_mnk.value[2]);
}
// (thread, (vector, step)) to the element of shared memory that a thread writes.
constexpr layout staged(plan const& p, operand x) {
  return composition(x == operand::a ? p.smem_a.inner : p.smem_b.inner, x == operand::a ? p.copy_a : p.copy_b);
}

// A thread reads the element that its MMA takes, as a sum of a thread's and a value's part; each step along K adds one
// constant.
constexpr bool simt_dataflow(plan const& p, operand x) {
  layout const& smem = x == operand::a ? p.smem_a.inner : p.smem_b.inner;
  layout const tv = layout_tv(p.mma, x), read = fragment(p, x);
  for (int64 i = 0; i < size(tv); ++i) {
    int64 const value = i / p.threads * p.threads, thread = i - value;
    if (read.unchecked(thread) + read.unchecked(value) != smem.unchecked(tv.unchecked(i))) return false;
  }
  int64 const of_step = size(smem, 0) * p.mma.atom.shape_mnk.value[2], further = fragment_step(p, x);
  for (int64 i = of_step; i < size(smem); ++i)
    if (smem.unchecked(i) != smem.unchecked(i % of_step) + i / of_step * further) return false;
  return true;
}
// A thread writes each element that it copied to that element's address, which no other element has.
constexpr bool simt_stages(plan const& p, operand x) {
  layout const& smem = x == operand::a ? p.smem_a.inner : p.smem_b.inner;
  layout const &copy = x == operand::a ? p.copy_a : p.copy_b, write = staged(p, x);
  index_set seen;
  for (int64 i = 0; i < size(copy); ++i) {
    int64 const value = i / p.threads * p.threads, thread = i - value;
    if (copy.unchecked(thread) + copy.unchecked(value) != copy.unchecked(i) ||
        write.unchecked(thread) + write.unchecked(value) != smem.unchecked(copy.unchecked(i)))
      return false;
    if (!seen.insert(smem.unchecked(copy.unchecked(i)))) return false;
  }
  return true;
}
constexpr bool plan_dataflow(plan const& p) {
  return simt_dataflow(p, operand::a) && simt_dataflow(p, operand::b) && simt_stages(p, operand::a) &&
         simt_stages(p, operand::b);
}

// How many bytes of a thread's values are contiguous in shared memory: 4, 8 or 16.
constexpr int64 contiguous_bytes(layout const& tv, int64 bits) {
  int64 const threads = size(tv, 0), values = size(tv, 1);
  int64 n = 1;
  while (n < values && tv(n * threads) == n) ++n;
  int64 const together = n * bits / 8;
  return together >= 16 ? 16 : together >= 8 ? 8 : 4;
}
// No access of that many bytes has a bank conflict, for any value of a thread.
constexpr bool accesses_conflict_free(layout const& tv, int64 bits) {
  int64 const threads = size(tv, 0), width = contiguous_bytes(tv, bits);
  layout const first = get(tv, 0);
  for (int64 value = 0; value < size(tv, 1); value += width * 8 / bits)
    if (bank_conflicts(view(tv(value * threads), first), bits, width) != 0) return false;
  return true;
}
constexpr bool plan_conflict_free(plan const& p) {
  for (operand x : {operand::a, operand::b}) {
    int64 const bits = bits_of(smem_type(p, x == operand::a ? p.a : p.b));
    if (!accesses_conflict_free(fragment(p, x), bits) || !accesses_conflict_free(staged(p, x), bits)) return false;
  }
  return true;
}

}  // namespace colex::gpu
