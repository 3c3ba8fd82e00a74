// The plans of sm100: tcgen05.mma, which one thread issues for an SM or a pair of SMs, from shared memory into tensor memory.
// The table, where a stage's parts lie, and the laws of such plans (spec/plans.md). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/descriptors.hpp"
#include "gpu/plans/factors.hpp"

#include <algorithm>

namespace colex::gpu {

inline constexpr int tensor_memory_lanes = 128, tensor_memory_columns = 512;  // of 32 bits
inline constexpr int accumulator_buffers = 2;                  // the epilogue stores one while the MMA fills the other
inline constexpr int umma_warps = 6, umma_epilogue_warps = 4;  // a producer, an MMA warp, and these
inline constexpr int epilogue_columns = 32;                    // that a thread loads from tensor memory at once

// The element of a stage where the operand of its `step`-th instruction begins.
constexpr int64 start_of_step(plan const& p, composed const& smem, int64 step) {
  return smem(step * p.mma.atom.shape_mnk.value[2] * size(smem.inner, 0));
}

// The map of shared and tensor memory. Shared: the stages, each with its parts, then the barriers. Tensor: columns of the
// accumulators, then columns of each stage's scale factors.
struct umma_map {
  int m, n, k;                // the tile of an SM
  int sms, steps;             // SMs of an instruction (cta_group); instructions along K in a stage
  int a, b, sfa, sfb, stage;  // bytes of a stage's parts and of the whole
  int box_a, box_b;           // bytes of a TMA box
  int step_a, step_b;         // bytes from an instruction's operand to the next one's
  int stages;
  int factors;               // scale factors of a row for one instruction
  int words;                 // words of four scale factors of a row in a stage
  int columns_a, columns_b;  // of tensor memory that a stage's scale factors take
  int first_factor_column;

  constexpr explicit umma_map(plan const& p)
      : m(static_cast<int>(p.tile_m)),
        n(static_cast<int>(p.tile_n)),
        k(static_cast<int>(p.tile_k)),
        sms(static_cast<int>(size(p.mma.atom.thr_id))),
        steps(static_cast<int>(p.tile_k / p.mma.atom.shape_mnk.value[2])),
        a(static_cast<int>(bytes(p.a, size(p.smem_a.inner)))),
        b(static_cast<int>(bytes(p.b, size(p.smem_b.inner)))),
        sfa(0),
        sfb(0),
        stage(0),
        box_a(static_cast<int>(bytes(p.a, size(p.copy_a, 0)))),
        box_b(static_cast<int>(bytes(p.b, size(p.copy_b, 0)))),
        step_a(static_cast<int>(bytes(p.a, start_of_step(p, p.smem_a, 1)))),
        step_b(static_cast<int>(bytes(p.b, start_of_step(p, p.smem_b, 1)))),
        stages(p.stages),
        factors(p.scale.block == 0 ? 0 : static_cast<int>(p.mma.atom.shape_mnk.value[2] / p.scale.block)),
        words(static_cast<int>(factor_words(p))),
        columns_a(m / 32 * words),
        columns_b(n / 32 * words),
        first_factor_column(accumulator_buffers * n) {
    sfa = static_cast<int>(factor_bytes(p, m)), sfb = static_cast<int>(factor_bytes(p, n));
    stage = a + b + sfa + sfb;
  }

  // Bytes from the first stage, whose address is a multiple of 1024.
  COLEX_HD constexpr int at_a(int s) const { return s * stage; }
  COLEX_HD constexpr int at_b(int s) const { return s * stage + a; }
  COLEX_HD constexpr int at_sfa(int s) const { return s * stage + a + b; }
  COLEX_HD constexpr int at_sfb(int s) const { return s * stage + a + b + sfa; }
  // Barriers: a stage is full, is empty; an accumulator is full, is empty (umma.hpp of the kernels).
  COLEX_HD constexpr int full_barrier(int s) const { return stages * stage + 8 * s; }
  COLEX_HD constexpr int empty_barrier(int s) const { return full_barrier(stages + s); }
  COLEX_HD constexpr int sum_full_barrier(int buffer) const { return full_barrier(2 * stages + buffer); }
  COLEX_HD constexpr int sum_empty_barrier(int buffer) const { return full_barrier(2 * stages + accumulator_buffers + buffer); }
  COLEX_HD constexpr int tensor_memory_address() const { return full_barrier(2 * stages + 2 * accumulator_buffers); }
  COLEX_HD constexpr int shared_bytes() const { return tensor_memory_address() + 16; }
  // What the barrier of a full stage counts, of both SMs of a pair.
  COLEX_HD constexpr int bytes_of_stage() const { return sms * stage; }

  COLEX_HD constexpr int factor_column_a(int s) const { return first_factor_column + s * (columns_a + columns_b); }
  COLEX_HD constexpr int factor_column_b(int s) const { return factor_column_a(s) + columns_a; }
  // The word and the byte in it of the first scale factor of an instruction.
  COLEX_HD constexpr int factor_word(int step) const { return step * factors / 4; }
  COLEX_HD constexpr int factor_byte(int step) const { return step * factors % 4; }
};

struct umma_options {
  major a = major::k, b = major::k;
  int64 sms = 1;
  int block = 0;
  element scale = element::ue8m0;
};

// tile_m x tile_n of D on each SM; of a pair, which computes 2 tile_m x tile_n, each loads half of B's rows.
constexpr plan umma_plan(element a, element b, int64 tile_m, int64 tile_n, int stages, umma_options const& o = {}) {
  plan p;
  p.architecture = 100, p.until = a == element::s8 ? 100 : 109;
  p.kind = family::umma;
  p.a = a, p.b = b, p.accumulator = is_integer(a) ? element::s32 : element::f32;
  p.major_a = o.a, p.major_b = o.b;
  p.scale.block = o.block, p.scale.type = o.scale;
  p.tile_m = tile_m, p.tile_n = tile_n, p.tile_k = row_elements(a);
  p.stages = stages, p.cluster_m = static_cast<int>(o.sms);
  p.threads = 32 * umma_warps;
  p.mma = make_tiled_mma(detail::umma(o.sms * tile_m, tile_n, 256 / bits_of(a), o.sms), make_layout({1, 1, 1}, {0, 0, 0}));
  p.smem_a = tma_smem_layout(o.a, a, tile_m, p.tile_k), p.copy_a = tma_boxes(o.a, a, tile_m, p.tile_k);
  p.smem_b = tma_smem_layout(o.b, b, tile_n / o.sms, p.tile_k), p.copy_b = tma_boxes(o.b, b, tile_n / o.sms, p.tile_k);
  p.shared = umma_map(p).shared_bytes() + 1024;
  return p;
}

inline constexpr umma_options on_pair{.sms = 2}, mx{.block = 32}, nv{.block = 16, .scale = element::ue4m3};

inline constexpr plan sm100_plans[] = {
    umma_plan(element::bf16, element::bf16, 128, 256, 6, on_pair),
    umma_plan(element::bf16, element::bf16, 128, 256, 6, {.b = major::mn, .sms = 2}),
    umma_plan(element::bf16, element::bf16, 128, 256, 6, {.a = major::mn, .sms = 2}),
    umma_plan(element::bf16, element::bf16, 128, 256, 6, {.a = major::mn, .b = major::mn, .sms = 2}),
    umma_plan(element::bf16, element::bf16, 128, 256, 4),
    umma_plan(element::bf16, element::bf16, 128, 128, 6),
    umma_plan(element::f16, element::f16, 128, 256, 6, on_pair),
    umma_plan(element::f16, element::f16, 128, 256, 6, {.b = major::mn, .sms = 2}),
    umma_plan(element::f16, element::f16, 128, 256, 4),
    umma_plan(element::f16, element::f16, 128, 128, 6, {.a = major::mn, .b = major::mn}),
    umma_plan(element::tf32, element::tf32, 128, 256, 6, on_pair),
    umma_plan(element::tf32, element::tf32, 128, 128, 6),
    umma_plan(element::e4m3, element::e4m3, 128, 256, 6, on_pair),
    umma_plan(element::e4m3, element::e4m3, 128, 128, 6),
    umma_plan(element::e4m3, element::e5m2, 128, 256, 6, on_pair),
    umma_plan(element::e5m2, element::e4m3, 128, 256, 6, on_pair),
    umma_plan(element::e5m2, element::e5m2, 128, 256, 6, on_pair),
    umma_plan(element::s8, element::s8, 128, 256, 6, on_pair),
    umma_plan(element::s8, element::s8, 128, 128, 6),
    umma_plan(element::e4m3, element::e4m3, 128, 128, 6, mx),
    umma_plan(element::e5m2, element::e5m2, 128, 128, 6, mx),
    umma_plan(element::e2m1, element::e2m1, 128, 128, 6, nv),
};
inline constexpr int sm100_count = static_cast<int>(std::size(sm100_plans));

// The TMA boxes hold each (row, k) of a stage once.
constexpr bool boxes_cover(layout const& boxes, composed const& smem) { return permutes(boxes, size(smem.inner)); }
// TMA writes a box to consecutive elements of shared memory, swizzled.
constexpr bool boxes_are_contiguous(layout const& boxes, composed const& smem) {
  layout const written = composition(smem.inner, boxes);
  return coalesce(written) == make_layout(size(boxes), 1) && smem.integer_offset() == 0;
}
// A TMA box has rows of 128 bytes, at most 256 of them, and begins where the swizzle's pattern does.
constexpr bool tma_box_fits(layout const& boxes, element e) {
  int64 const elements = size(boxes, 0), run = row_elements(e);
  return elements % run == 0 && elements / run <= 256 && bytes(e, elements) % 1024 == 0;
}
// The layout is one that a matrix descriptor can express: groups of eight rows (or of eight along K) at one stride.
constexpr bool descriptor_is_exact(composed const& smem, major along, element e) {
  int64 const rows = size(smem.inner, 0), k = size(smem.inner, 1), run = row_elements(e);
  layout const& l = smem.inner;
  int64 const group = along == major::k ? l(8) : l(rows * 8), chunk = rows > run ? l(run) : 0;
  layout const said = along == major::k ? make_layout({{8, rows / 8}, k}, {{run, group}, 1})
                                        : make_layout({{run, rows / run}, {8, k / 8}}, {{1, chunk}, {run, group}});
  return coalesce(said) == coalesce(l) && smem.sw == swizzle_of(e) && bytes(e, group) < 1 << 18 && bytes(e, chunk) < 1 << 18;
}
// tcgen05.mma has this M, N and K, and these types in these major modes.
constexpr bool umma_instruction_exists(plan const& p) {
  int64 const m = p.mma.atom.shape_mnk.value[0], n = p.mma.atom.shape_mnk.value[1], k = p.mma.atom.shape_mnk.value[2];
  int64 const sms = size(p.mma.atom.thr_id);
  bool const across = p.major_a == major::mn || p.major_b == major::mn;
  return m == 128 * sms && n % (16 * sms) == 0 && n <= 256 && k * bits_of(p.a) == 256 && bits_of(p.a) == bits_of(p.b) &&
         (!across || bits_of(p.a) == 16) && (p.scale.block == 0 || sms == 1);
}
// The cluster is the instruction's SMs; each has tile_m rows of A and D and its share of B's rows.
constexpr bool umma_shares_equal(plan const& p) {
  int64 const sms = size(p.mma.atom.thr_id);
  return p.cluster_m == sms && p.cluster_n == 1 && size(p.smem_a.inner, 0) == p.tile_m &&
         size(p.smem_b.inner, 0) * sms == p.tile_n && size(p.mma.atom.a, 1) == p.tile_m * p.mma.atom.shape_mnk.value[2];
}
// At least two stages; they fit into shared memory with 1024 bytes to align them, the rest into the columns of tensor memory.
constexpr bool umma_memory_fits(plan const& p) {
  umma_map const s(p);
  return p.stages >= 2 && s.stage % 1024 == 0 && s.a % 1024 == 0 && p.shared > s.shared_bytes() &&
         p.shared <= shared_limit(p.architecture) && s.factor_column_a(p.stages) <= tensor_memory_columns &&
         p.tile_m == tensor_memory_lanes && s.factors * s.steps == 4 * s.words;
}
// The epilogue of four warps: (thread, (column, step)) to (m, n), each element of the tile once.
constexpr layout umma_epilogue(plan const& p) {
  return make_layout({tensor_memory_lanes, {epilogue_columns, p.tile_n / epilogue_columns}},
                     {1, {p.tile_m, p.tile_m * epilogue_columns}});
}
constexpr bool umma_epilogue_covers(plan const& p) {
  return p.tile_n % epilogue_columns == 0 && coalesce(umma_epilogue(p)) == make_layout(p.tile_m * p.tile_n, 1);
}
// The operands of a stage's instructions begin at one stride, a multiple of 16 bytes.
constexpr bool steps_are_regular(plan const& p, composed const& smem, element e) {
  int64 const one = start_of_step(p, smem, 1);
  for (int64 step = 0; step < p.tile_k / p.mma.atom.shape_mnk.value[2]; ++step)
    if (start_of_step(p, smem, step) != step * one) return false;
  return bytes(e, one) % 16 == 0;
}
// The same for both operands.
constexpr bool umma_copy_covers(plan const& p) { return boxes_cover(p.copy_a, p.smem_a) && boxes_cover(p.copy_b, p.smem_b); }
constexpr bool umma_copy_contiguous(plan const& p) {
  return boxes_are_contiguous(p.copy_a, p.smem_a) && boxes_are_contiguous(p.copy_b, p.smem_b);
}
constexpr bool umma_boxes_fit(plan const& p) { return tma_box_fits(p.copy_a, p.a) && tma_box_fits(p.copy_b, p.b); }
constexpr bool umma_descriptors_exact(plan const& p) {
  return descriptor_is_exact(p.smem_a, p.major_a, p.a) && descriptor_is_exact(p.smem_b, p.major_b, p.b);
}
constexpr bool umma_steps_regular(plan const& p) {
  return steps_are_regular(p, p.smem_a, p.a) && steps_are_regular(p, p.smem_b, p.b);
}

}  // namespace colex::gpu
