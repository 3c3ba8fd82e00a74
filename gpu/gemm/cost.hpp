// How long a kernel is expected to take. The model counts the cycles for which tiles keep the matrix units, shared memory and
// L2 busy, the waves of tiles, and what memory and copies take. No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/arguments.hpp"
#include "gpu/gemm/model.hpp"
#include "gpu/gemm/normalize.hpp"
#include "gpu/kernels/common/gemm_kernel.hpp"
#include "gpu/plans/chips.hpp"
#include "gpu/plans/warpgroup.hpp"

#include <algorithm>
#include <cmath>

namespace colex::gpu {

constexpr double warp_rate(plan_summary const& p) {
  int const width = bits_of(p.a);
  if (p.architecture == 70) return model::rate_volta;
  if (p.architecture == 75) return model::rate_turing;
  if (width == 64) return p.architecture >= 90 ? model::rate_f64_sm90 : model::rate_f64;
  if (width == 32) return model::rate_tf32;
  if (width == 16) return model::rate_16_bit;
  return p.a == element::s8 ? model::rate_s8 : model::rate_fp8;
}
constexpr double simt_rate(plan_summary const& p) {
  if (p.accumulator == element::f64) return model::rate_fma_f64;
  return p.accumulator == element::s32 ? model::rate_mad_s32 : model::rate_fma_f32;
}
// Operations a cycle of an SM that the plan's instructions reach.
constexpr double rate(plan_summary const& p) {
  switch (p.kind) {
    case family::simt:
    case family::gemv: return simt_rate(p);
    case family::dp4a: return model::rate_dp4a;
    case family::warp: return warp_rate(p);
    case family::warpgroup: return model::rate_wgmma_bits / bits_of(p.a);
    default: return model::rate_umma_bits / bits_of(p.a);
  }
}

constexpr bool multiplies_by_fma(plan_summary const& p) {
  return p.kind == family::simt || p.kind == family::dp4a || p.kind == family::gemv;
}
// Are the plan's constants fitted at the boost clock? Those of f32 and f64 are, but for gemv.
constexpr bool boosts(plan_summary const& p) {
  if (p.kind == family::gemv) return false;
  return p.accumulator == element::f64 || (p.kind == family::simt && p.a == element::f32);
}
// Cycles a second.
constexpr double clock_of(plan_summary const& p) { return boosts(p) ? model::clock_rate_boost : model::clock_rate; }
// Elements that are read from shared memory for one step of K: each consumer reads its own rows and columns. Lanes that read
// the same 16 bytes share the access, but at most half of a warp at once. Who transposes B reads and writes it. Of a gemv plan
// they read A only, along K each its own, and those that load one element of B at once in half more of the time.
constexpr int64 shared_elements(plan_summary const& p) {
  if (p.kind == family::gemv) return p.tile_m * p.consumers_n * (p.major_b != major::k ? 1 : p.row_alignment == 16 ? 2 : 3) / 2;
  if (multiplies_by_fma(p)) return p.threads / 2 * (p.tile_m / p.consumers_m + p.tile_n / p.consumers_n);
  if (p.kind == family::umma) return p.tile_m + p.tile_n;
  int64 const along_m = p.kind == family::warpgroup ? p.tile_m / 64 : p.consumers_m;
  return p.tile_m * p.consumers_n + p.tile_n * (along_m + (transposes_b(p) ? 2 : 0));
}
constexpr double larger(double a, double b) { return a > b ? a : b; }
// Simt or warp blocks that an SM holds at once.
constexpr double blocks_per_sm(plan_summary const& p) {
  int64 const by_registers = model::sm_registers / (int64{p.threads} * p.registers),
              by_memory = model::sm_shared / (p.shared + model::sm_shared_of_block);
  return larger(1, static_cast<double>(smaller(by_registers, smaller(by_memory, model::sm_threads / p.threads))));
}
// Does mma.sync add up products of bytes?
constexpr bool sums_s32(plan_summary const& p) { return p.kind == family::warp && p.accumulator == element::s32; }
// Elements that the epilogue of a block, of any family but warpgroups, stores in a cycle.
constexpr double epilogue_rate(plan_summary const& p) {
  double const by_fma = stores_held(p) ? model::epilogue_rate_held : model::epilogue_rate_fma;
  if (multiplies_by_fma(p)) return by_fma * std::min(blocks_per_sm(p), 2.0);
  if (p.accumulator == element::f64) return model::epilogue_rate_f64 * blocks_per_sm(p) * p.threads / 32;
  return sums_s32(p) ? model::epilogue_rate_s32 : model::epilogue_rate;
}
// Cycles from the last MMA of a tile until its results, of so many bits, are stored. A warp stores pieces of 128 bytes of its
// rows one after another, twelve warps more slowly than eight: fitted.
constexpr double epilogue_cycles(plan_summary const& p, int bits) {
  if (p.kind != family::warpgroup) return static_cast<double>(p.tile_m * p.tile_n) / epilogue_rate(p);
  int64 const pieces = p.tile_m * 2 / p.consumers * ceil_div(p.tile_n, bits <= 16 ? 64 : 32);
  double const crowd = larger(1, p.consumers / 256.0);
  return model::tma_store_cycles * static_cast<double>(pieces) * crowd * crowd;
}

// Do FMAs multiply what cp.async copies?
constexpr bool is_async_fma(plan_summary const& p) { return multiplies_by_fma(p) && copies_async(p); }
// Elements of a step of K that a simt kernel copies one by one with cp.async: along K they are transposed so.
constexpr double single_copies(plan_summary const& p) {
  bool const all = p.row_alignment < 16;
  return (all || p.major_a == major::k ? p.tile_m : 0) + (all || p.major_b == major::k ? p.tile_n : 0);
}

// What a kernel's time is made of.
struct cost {
  double matrix = 0, shared = 0, l2 = 0;  // cycles for which a tile keeps them busy
  double epilogue = 0;                    // cycles
  double tile = 0;                        // cycles from one tile to the next
  double thread_stores = 0;               // cycles in which threads store a tile element by element
  double waves = 0;                       // tiles that an SM computes, one after another
  double launch = 0;                      // seconds until the first stage
  double memory = 0, copies = 0;          // seconds for operands and results, and for copies of operands
  double reduction = 0;                   // seconds in which split-K's sums are added up
  double seconds = 0;                     // in all
};

// The time of two things at once, where `hidden` of the shorter hides behind the longer.
constexpr double overlapped(double a, double b, double hidden) { return larger(a, b) + (1 - hidden) * (a < b ? a : b); }
// Are the producers threads (not TMA)?
constexpr bool threads_produce(plan_summary const& p) { return multiplies_by_fma(p) || p.kind == family::warp; }

// Of the time in which threads bring operands from shared memory, the share that nothing hides.
constexpr double not_hidden(plan_summary const& p) {
  if (p.kind == family::gemv) return p.a == element::f64 ? model::not_hidden_gemv_f64 : model::not_hidden_gemv;
  if (copies_async(p)) return multiplies_by_fma(p) ? model::not_hidden_async_fma : model::not_hidden_async;
  if (!multiplies_by_fma(p)) return model::not_hidden;
  return model::not_hidden_fma + model::fmas_to_hide * p.threads / static_cast<double>(p.tile_m * p.tile_n);
}

// Bytes of both operands in a stage.
constexpr double bytes_of_stage(plan_summary const& p) {
  return static_cast<double>(bytes(p.a, p.tile_m * p.tile_k) + bytes(p.b, p.tile_n * p.tile_k));
}
// Cycles of a trip to memory for vectors of unaligned rows, which a thread brings one after another.
constexpr double unaligned_trip(plan_summary const& p) {
  return model::memory_trip_unaligned + bytes_of_stage(p) / (16 * p.threads) * model::unaligned_vector_cycles;
}
// Cycles of a tile of such a block, with `at_once` blocks on an SM: at least its stages' trips to memory, of which as many
// overlap as there are stages ahead (in registers: one), shared by the blocks.
inline double latency_bound_tile(plan_summary const& p, double tile, double stages, double at_once) {
  double const trip = is_async_fma(p)          ? model::memory_trip_async_fma
                      : copies_async(p)        ? model::memory_trip_async
                      : p.kind == family::gemv ? model::memory_trip_gemv
                      : p.unaligned            ? unaligned_trip(p)
                                               : model::memory_trip,
               warps = at_once * p.threads / 32;
  double busy = tile;
  if (at_once <= 1 && boosts(p)) busy *= model::lone_block_factor;
  if (p.kind == family::warp && warps < 8) busy *= model::lone_warps_factor;
  if (is_async_fma(p) && warps < 8) busy *= model::lone_fma_factor * larger(1, 4 / warps);
  // A simt prologue loads all stages. Where K has fewer, each vector is asked whether it exists: that takes as long again.
  bool const is_short = p.kind == family::simt && !copies_async(p) && stages < p.stages;
  double const loaded = is_short ? 2 * p.stages : stages;
  double const trips = loaded * trip / (copies_async(p) ? p.stages - 1 : 1) / at_once;
  if (p.kind == family::gemv) return larger(busy, busy / at_once + trips);  // a block multiplies between its trips
  // FMAs and trips hide each other, but not wholly where both take as long: fitted to 256x968x912 of f32, with one block and
  // with two on an SM.
  return multiplies_by_fma(p) ? std::cbrt(busy * busy * busy + trips * trips * trips) : larger(busy, trips);
}
// The mean over the `tiles` of an SM, the last of which have it to themselves.
inline double mean_tile(plan_summary const& p, double tile, double stages, double tiles) {
  double const held = blocks_per_sm(p), last = std::fmod(tiles, held);
  double const at_last = last > 0 ? last * latency_bound_tile(p, tile, stages, last) : 0;
  return ((tiles - last) * latency_bound_tile(p, tile, stages, held) + at_last) / tiles;
}

// Seconds in which so many blocks on an SM bring bytes from memory: they wait for a trip with what they have under way.
inline double latency_bound_memory(plan_summary const& p, double bytes_of_all, double tiles, int sms) {
  double const blocks = std::min(tiles, blocks_per_sm(p) * sms), stages = copies_async(p) ? std::max(p.stages - 2, 1) : 1;
  return bytes_of_all * model::busy_memory_trip / (blocks * stages * bytes_of_stage(p));
}

// Cycles of a stage, however little it has to do.
constexpr double shortest_stage(plan_summary const& p) {
  if (p.kind != family::warpgroup) return 0;
  return a_from_registers(p) ? model::stage_cycles_registers : model::stage_cycles;
}

// rows: of both operands, that L2 hands out for one step of K; asked: how often blocks ask L2 for a line in a stage; fresh:
// bytes of a tile that memory must bring to L2 first; epilogue: its cycles.
constexpr cost tile_cost(plan_summary const& p, double depth, double waves, double busy_sms, double rows, double asked,
                         double fresh, double epilogue) {
  double const width = bits_of(p.a) / 8.0, m = static_cast<double>(p.tile_m), n = static_cast<double>(p.tile_n);
  double const own_rate = model::l2_share / busy_sms;
  int const groups = p.pingpong_groups;
  cost c;
  c.matrix = 2 * m * n * depth / rate(p) * (p.major_b == major::any ? model::any_layout_factor : 1);
  if (p.two_level_accumulation) c.matrix += m * n * depth * width / (model::promotion_bytes * model::promotion_rate);
  c.shared = depth * width * (static_cast<double>(shared_elements(p)) + m + n) / model::shared_rate;
  if (is_async_fma(p)) c.shared += depth * single_copies(p) * model::single_copy_cycles;
  double const handed_out = depth * width * rows / (own_rate < model::l2_rate ? own_rate : model::l2_rate);
  double const filled = fresh / model::l2_fill_share * busy_sms;
  double const stages = depth / static_cast<double>(p.tile_k);
  c.l2 = overlapped(handed_out, filled, model::l2_fill_hidden);
  if (p.kind == family::warpgroup) c.l2 = larger(c.l2, stages * asked * model::line_cycles);
  c.epilogue = epilogue;
  double const seen = c.shared * not_hidden(p);
  c.tile = larger(threads_produce(p) ? c.matrix + seen : larger(c.matrix, c.shared), c.l2);
  c.tile = larger(c.tile, stages * shortest_stage(p));
  if (p.unaligned) c.tile = larger(c.tile, depth * width * (m + n) / 16 * model::unaligned_cycles);
  if (multiplies_by_fma(p) && !copies_async(p) && p.row_alignment < 16)
    c.tile += depth * width * (m + n) / p.row_alignment / 32 * model::element_load_cycles;
  if (p.kind == family::warp && copies_async(p) && p.row_alignment < 16) {
    double const of_one = p.row_alignment == 4 ? model::copy_cycles_4 : model::copy_cycles_8,
                 copies = depth * width * (m + n) / p.row_alignment * of_one;
    c.tile = overlapped(c.tile, copies, blocks_per_sm(p) > 1 ? 1 : model::lone_copies_hidden);
  }
  if (waves > 1) c.tile += model::l2_power * c.l2;
  if (p.two_level_accumulation) c.tile *= model::two_level_factor;
  if (p.kind == family::warpgroup && p.stages == 3 && p.major_a != major::k) c.tile *= model::three_stages_factor;
  c.tile = groups == 1 ? c.tile + c.epilogue : larger(c.tile, (c.tile + c.epilogue) / groups);
  if (groups > 1 && p.cluster_m * p.cluster_n > 1) c.tile *= model::pingpong_cluster_factor;
  return c;
}

inline double product_of(int64 a, int64 b, int64 c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}
// The tiles of a problem, in whole clusters.
inline double tiles_of(plan_summary const& p, problem const& x) {
  auto const along = [](int64 extent, int64 tile, int64 cluster) { return ceil_div(extent, tile * cluster) * cluster; };
  return product_of(along(x.m, p.tile_m, p.cluster_m), along(x.n, p.tile_n, p.cluster_n), x.batches);
}
// A problem, and how its matrices lie, found once for all kernels.
struct modelled {
  problem x;
  bool a_along_k, a_across, b_along_k, b_across;  // can A and B be read so, 16 bytes at once?
  bool a_has_parts, b_has_parts;                  // are there as many bytes as are read for a vector of unaligned rows?
  bool rows, columns;                             // can D be written so?

  explicit modelled(problem const& p)
      : x(p),
        a_along_k(lies_in_rows(p.a, 1, 0, 16)),
        a_across(lies_in_rows(p.a, 0, 1, 16)),
        b_along_k(lies_in_rows(p.b, 1, 0, 16)),
        b_across(lies_in_rows(p.b, 0, 1, 16)),
        a_has_parts(has_parts(p.a, product_of(p.m, p.k, p.batches))),
        b_has_parts(has_parts(p.b, product_of(p.n, p.k, p.batches))),
        rows(has_whole_vectors(p)),
        columns(has_whole_columns(p)) {}
  bool reads_a(plan_summary const& p) const { return reads(p, x.a, p.major_a, a_along_k, a_across, a_has_parts); }
  bool reads_b(plan_summary const& p) const { return reads(p, x.b, p.major_b, b_along_k, b_across, b_has_parts); }

 private:
  // Between batches may lie nobody's memory, and so may behind a smaller operand.
  static bool has_parts(matrix const& m, double elements) {
    return m.begin(2) == m.end[2] && elements * bits_of(m.type) >= 8 * unaligned_read;
  }
  static bool reads(plan_summary const& p, matrix const& m, major along, bool along_k, bool across, bool has_parts) {
    if (along == major::any) return p.kind != family::gemv || (m.plain(0) && m.plain(1) && m.plain(2));
    if (p.row_alignment == 16) return along == major::k ? along_k : across;
    return (has_parts || !p.unaligned) && lies_in_rows(m, along == major::k, along != major::k, p.row_alignment);
  }
};
// Bytes a second that kernels get from the device's memory.
constexpr double memory_rate(device_info device) { return model::memory_share * device.bandwidth; }
// Bytes that memory must move.
inline double bytes_in(problem const& x) {
  return product_of(x.m, x.k, x.batches) * bits_of(x.a.type) / 8 + product_of(x.n, x.k, x.batches) * bits_of(x.b.type) / 8;
}
inline double bytes_out(modelled const& at, plan_summary const& p) {
  problem const& x = at.x;
  bool const whole = x.n == 1 || (x.d.plain(1) && x.d.step(1) == 1) || (at.columns && stores_columns(p, x));
  return product_of(x.m, x.n, x.stores_splits ? x.split_k : x.batches) * (whole ? bits_of(x.d.type) / 8.0 : model::sector);
}
// A copy reads and writes an operand once.
inline double copy_seconds(matrix const& x, major along, int64 rows, int64 k, int64 batches, device_info device) {
  bool const plain = x.plain(0) && x.plain(1) && x.plain(2), lines = has_lines(x, along == major::k);
  double const elements = static_cast<double>(rows) * static_cast<double>(k) * static_cast<double>(batches);
  double const moved = 2 * elements * bits_of(x.type) / 8;
  double const by_rows = model::copy_rows_share * device.bandwidth;
  if (lines) return model::copy_lines_launch + moved / by_rows;
  double const through_shared = plain ? model::copy_transposing_rate : model::copy_offsets_rate;
  return model::copy_launch + moved / std::min(through_shared, by_rows);
}
// Lines of L2 for a row of 128 bytes.
inline double lines_of_row(matrix const& x, major along, bool copied) {
  if (copied || along == major::any) return 1;
  int64 const pitch = bytes(x.type, x.step(along == major::k ? 0 : 1));
  return pitch % 128 == 0 ? 1 : pitch % 32 == 0 ? model::lines_of_whole_sectors : model::lines_of_unaligned_row;
}
// How often a block that reads a stage asks for a line of it: once for each row that lies in it, at least once for each line of
// a row.
inline double asks_for_line(matrix const& x, major along, bool copied) {
  if (copied || along != major::mn) return lines_of_row(x, along, copied);
  auto const pitch = static_cast<double>(bytes(x.type, x.step(1)));
  return 0 < pitch && pitch < 128 ? 128 / pitch : lines_of_row(x, along, copied);
}
// Cycles in which threads store a tile element by element, which nothing hides: across D's rows, f64 along rows that do not
// begin at 16 bytes, and a warpgroup's wherever TMA cannot store it.
inline double thread_store_cycles(plan_summary const& p, modelled const& at) {
  problem const& x = at.x;
  if (at.rows || p.kind == family::umma) return 0;
  double const elements = static_cast<double>(p.tile_m * p.tile_n);
  if (p.kind != family::warpgroup) {
    if (!x.d.plain(1) || x.d.step(1) != 1) return model::across_store_cycles;
    bool const is_f64 = p.accumulator == element::f64 && p.kind != family::gemv;
    return is_f64 ? elements * model::unaligned_store_cycles_f64 : 0;
  }
  if (at.columns && stores_columns(p, x)) return elements / model::column_store_rate;
  bool const plain = x.d.plain(0) && x.d.plain(1) && x.d.plain(2);
  return elements / (plain ? model::strided_store_rate : model::offset_store_rate);
}

// A way to compute a problem: a kernel, for the problem itself or with A and B swapped, which operands it copies first, and
// split-K.
struct candidate {
  gemm_kernel const* kernel = nullptr;
  bool swap_ab = false, copy_a = false, copy_b = false;
  int split_k = 1;
  bool reduces_in_cluster = false;  // adds up the splits itself, without a second launch
  cost time = {};
};
inline double launch_cycles(plan_summary const& p) {
  return (p.kind == family::warpgroup ? model::launch_cycles_sm90
          : p.kind == family::gemv    ? model::launch_cycles_gemv
          : is_async_fma(p)           ? model::launch_cycles_async_fma
          : sums_s32(p)               ? model::launch_cycles_s32
                                      : model::launch_cycles_other) +
         (p.cluster_m * p.cluster_n > 1 ? model::launch_cycles_cluster : 0);
}
// The splits of a problem as the plan's kernel is given them, where a launch of its own reduces them.
inline problem split_for(plan_summary const& p, problem const& x, int split_k) {
  return splits_stages(p) ? with_stored_splits(x, split_k, p.accumulator) : split_along_k(x, split_k, p.accumulator);
}
// Split-K's reduction: in a launch of its own, and in a cluster whose blocks read each other's shared memory: of a warpgroup
// plan each the rows of some warps.
inline double reduction_seconds(modelled const& at, plan_summary const& p, int split_k, device_info device) {
  problem const& x = at.x;
  double const launch = p.kind == family::warpgroup ? model::reduction_launch_sm90
                        : p.unaligned               ? model::reduction_launch_unaligned
                                                    : model::reduction_launch_other;
  return launch + product_of(x.m, x.n, split_k) * bits_of(p.accumulator) / 8 / model::reduction_rate +
         bytes_out(at, p) / memory_rate(device);
}
inline double cluster_reduction_seconds(plan_summary const& p, double waves, int split_k) {
  auto const sums = static_cast<double>(bytes(p.accumulator, p.tile_m * p.tile_n));
  bool const by_warps = p.kind == family::warpgroup, begins_later = by_warps || p.kind == family::warp;
  double const read = by_warps ? larger(1, split_k * 32.0 / p.consumers) * sums : sums;
  double const cycles = waves * (sums + read) / model::cluster_rate + (begins_later ? model::launch_cycles_cluster : 0);
  return model::cluster_sync_seconds + cycles / clock_of(p);
}
// The SMs that clusters of so many blocks fill: a cluster lies in one GPC.
inline double sms_for_clusters(device_info const& device, int blocks) {
  return device.sms * blocks * device.clusters[static_cast<std::size_t>(blocks - 1)] / static_cast<double>(device.clusters[0]);
}
// How many clusters of so many blocks the device holds at once, where an SM has at most `each` of their blocks. A cluster lies
// in one GPC, as on fewer SMs with a block each; of more than two blocks never on the SMs that only pairs fill.
inline double clusters_at_once(device_info const& device, int blocks, int each) {
  auto const alone = [&](int size) { return sms_for_clusters(device, size) / size; };
  int const sms = static_cast<int>(ceil_div(blocks, each));
  double const on_fewer = sms > 2 ? alone(sms) : std::floor(3 * alone(3) * each / blocks);
  return larger(on_fewer, each * alone(blocks));
}
// The blocks of the busiest SM, one after another, where an SM holds so many at once and they are in clusters, of which the
// device holds some.
inline double waves_of_clusters(device_info const& device, double clusters, int blocks, int held) {
  if (blocks <= 2) return std::ceil(clusters * blocks / device.sms);
  double const full = clusters_at_once(device, blocks, held), rounds = std::floor(clusters / full),
               left = clusters - rounds * full;
  int last = 0;
  while (left > 0 && last < held && (last == 0 || clusters_at_once(device, blocks, last) < left)) ++last;
  return rounds * held + last;
}
// Do the splits of a tile lie in a cluster whose blocks wait for others on their SMs? FMAs do, and MMAs that are as dense;
// those of f64 do not: fitted.
inline bool waits_in_cluster(plan_summary const& p, problem const& x, int splits) {
  return splits > 1 && !x.stores_splits && threads_produce(p) && p.accumulator != element::f64;
}
// Can the blocks that compute the splits of a tile be a cluster that reduces them? They must stage all of a tile's sums at
// once. Those of a warpgroup plan have one tile each. Another plan's cluster of more than two blocks begins late where SMs are
// nearly full.
inline bool reduces_in_cluster(plan_summary const& p, device_info device, double blocks, int split_k) {
  if (int const size = p.cluster_m * p.cluster_n * split_k; p.kind == family::warpgroup)
    return reduces_split_k(p) && size <= split_limit && blocks <= sms_for_clusters(device, size);
  return (p.staged_rows == p.tile_m || reduces_warp_splits(p)) && device.architecture >= 90 && split_k <= split_limit &&
         (split_k == 2 || blocks <= blocks_per_sm(p) * std::min(device.sms / 2.0, sms_for_clusters(device, split_k)));
}
// How many times as slow a plan is held for whose elements the device multiplies by newer instructions. (Of tcgen05's, s8 is
// 10.0's alone.)
inline double older_factor(plan_summary const& p, modelled const& at, int architecture) {
  bool const has_newer = architecture >= 90 && architecture < 120 && (p.a != element::s8 || architecture <= 100);
  if (p.kind != family::warp || bits_of(p.a) > 32 || !has_newer || p.architecture >= 90) return 1;
  bool const newer_reads_both = (at.a_along_k || at.a_across) && (at.b_along_k || at.b_across);
  return newer_reads_both || p.row_alignment == 16 || p.a == element::s8 ? model::older_factor : model::older_factor_narrow;
}
// Seconds for what L2 hands out and for D, which memory takes from it: of the shorter only a share hides.
inline double l2_and_d_seconds(plan_summary const& p, cost const& t, double bytes_out, device_info device) {
  return overlapped(t.waves * t.l2 / clock_of(p), bytes_out / memory_rate(device), model::stores_hidden);
}
// Lines of L2 that a block loads for 128 bytes of K.
inline double lines_of_block(candidate const& c, problem const& x) {
  plan_summary const& p = c.kernel->summary;
  return static_cast<double>(p.tile_m) / p.cluster_n * lines_of_row(x.a, p.major_a, c.copy_a) +
         static_cast<double>(p.tile_n) / p.cluster_m * lines_of_row(x.b, p.major_b, c.copy_b);
}
// How often a line is asked for at once: by each of the blocks that read the same rows, once where a cluster shares them.
inline double asks_at_once(candidate const& c, problem const& x, int sms) {
  plan_summary const& p = c.kernel->summary;
  auto const readers = [&](int64 extent, int64 tile, int multicast) {
    return std::min(static_cast<double>(ceil_div(extent, tile)), static_cast<double>(sms)) / multicast;
  };
  return larger(readers(x.n, p.tile_n, p.cluster_n) * asks_for_line(x.a, p.major_a, c.copy_a),
                readers(x.m, p.tile_m, p.cluster_m) * asks_for_line(x.b, p.major_b, c.copy_b));
}
// Two times that add up in the power 2.5: nearly the longer one, a third more where both are as long. Fitted as gemv's
// constants.
inline double added_up(double a, double b) {
  double const longer = larger(a, b), share = (a < b ? a : b) / longer;
  return longer * std::pow(1 + share * share * std::sqrt(share), 1 / 2.5);
}
// Seconds in which gemv blocks bring their operands, where memory alone takes `all`: wave after wave, of which the last may
// have few blocks. A block waits for a trip with each stage, and as for some more to begin and to end, beside a busy memory,
// too.
inline double gemv_memory_seconds(plan_summary const& p, double bytes_of_all, double all, double tiles, int sms) {
  double const b_of_stage = static_cast<double>(bytes(p.b, p.tile_n * p.tile_k));  // A's rows are few, and all blocks read them
  double const trips = (bytes_of_all / (tiles * b_of_stage) + model::gemv_trips) * model::busy_memory_trip,
               at_once = blocks_per_sm(p) * sms, whole = std::floor(tiles / at_once), last = std::fmod(tiles, at_once);
  auto const wave = [&](double blocks) { return added_up(model::gemv_memory_factor * all * blocks / tiles, trips); };
  double const seconds = (whole > 0 ? whole * wave(at_once) : 0) + (last > 0 ? wave(last) : 0);
  return bits_of(p.b) == 16 ? model::gemv_half_factor * seconds : seconds;
}
// Seconds for operands and results.
inline double memory_seconds(plan_summary const& p, modelled const& at, double tiles, device_info device) {
  double const in = bytes_in(at.x), all = (in + bytes_out(at, p)) / memory_rate(device);
  if (p.kind == family::gemv) return gemv_memory_seconds(p, in, all, tiles, device.sms);
  return threads_produce(p) ? larger(all, latency_bound_memory(p, in, tiles, device.sms)) : all;
}
// What memory_seconds is at least, into however many tiles the problem is divided.
inline double least_memory_seconds(plan_summary const& p, problem const& x, device_info device) {
  return bytes_in(x) / memory_rate(device) * (p.kind == family::gemv ? model::gemv_memory_factor : 1);
}
// The time of a problem whose K is not split, or of the splits of one. splits: into which the kernel divides K itself.
inline candidate estimate_undivided(gemm_kernel const& kernel, modelled const& at, bool swap_ab, device_info device,
                                    int splits = 1) {
  plan_summary const& p = kernel.summary;
  problem const& x = at.x;
  int const sms = device.sms;
  candidate r{&kernel, swap_ab, !at.reads_a(p), !at.reads_b(p)};
  double const tiles = tiles_of(p, x) * splits;
  double const at_once = sms_for_clusters(device, p.cluster_m * p.cluster_n);
  double const busy = std::min(tiles, at_once) / sms;
  double const waves = waits_in_cluster(p, x, splits)
                           ? waves_of_clusters(device, tiles / splits, splits, static_cast<int>(blocks_per_sm(p)))
                           : std::ceil(tiles / at_once);
  int64 const blocks_k = ceil_div(ceil_div(x.k, p.tile_k), int64{splits});
  r.time = tile_cost(p, static_cast<double>(blocks_k * p.tile_k), waves, busy, lines_of_block(r, x), asks_at_once(r, x, sms),
                     bytes_in(x) / tiles, epilogue_cycles(p, bits_of(x.d.type)));
  r.time.thread_stores = thread_store_cycles(p, at);
  r.time.waves = waves;
  if (threads_produce(p)) r.time.tile = mean_tile(p, r.time.tile, static_cast<double>(blocks_k), waves);
  r.time.memory = memory_seconds(p, at, tiles, device);
  if (r.copy_a) r.time.copies += copy_seconds(x.a, p.major_a, x.m, x.k, x.batches, device);
  if (r.copy_b) r.time.copies += copy_seconds(x.b, p.major_b, x.n, x.k, x.batches, device);
  if (r.copy_a && r.copy_b) r.time.copies -= model::copies_side_by_side;
  double const last = p.pingpong_groups > 1 ? r.time.epilogue : 0;  // which no other tile hides
  r.time.launch = launch_cycles(p) / clock_of(p);
  double const work = (waves * (r.time.tile + r.time.thread_stores) + last) / clock_of(p) + r.time.launch;
  double const through_l2 = r.time.launch + l2_and_d_seconds(p, r.time, bytes_out(at, p), device);
  r.time.seconds = larger(overlapped(work, r.time.memory, model::hidden), through_l2);
  r.time.seconds *= older_factor(p, at, device.architecture);
  r.time.seconds += r.time.copies;
  return r;
}

}  // namespace colex::gpu
