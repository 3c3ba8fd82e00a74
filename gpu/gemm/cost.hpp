// Which kernel is expected to be fastest: which kernels fit types, options and device, and a model of their time. The model
// counts the cycles for which tiles keep the matrix units, shared memory and L2 busy, the waves of tiles, and what memory and
// copies take. No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/arguments.hpp"
#include "gpu/gemm/normalize.hpp"
#include "gpu/plans/chips.hpp"
#include "gpu/plans/warpgroup.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace colex::gpu {

// Does the device have the plan's instructions and shared memory? Tensor core instructions since Hopper run on one generation
// only.
constexpr bool runs_on(plan const& p, int architecture) {
  bool const one_generation = p.kind == family::warpgroup || p.kind == family::umma || p.architecture >= 100;
  return p.architecture <= architecture && architecture <= p.until && p.shared <= shared_limit(architecture) &&
         (!one_generation || p.architecture / 10 == architecture / 10);
}
constexpr bool takes(element planned, element given, bool tf32) {
  return planned == given || (planned == element::tf32 && given == element::f32 && tf32);
}
// Does the plan keep sums as the call wants? fp8 in f32 unless the call allows less: in registers (simt, two-level
// accumulation, block scaling) or in tensor memory, since tensor cores before Blackwell accumulate it in less. f16, bf16 and
// tf32 in two levels exactly if the call, or the kernel that it names, says so.
constexpr bool accumulates_well(plan const& p, gemm_options const& o) {
  if (p.kind == family::simt || p.scale.block != 0) return true;
  if (is_fp8(p.a)) return o.fast_accumulation || p.two_level_accumulation || p.kind == family::umma;
  bool const may_cut_off = !is_integer(p.a) && p.a != element::f64;
  return !may_cut_off || p.two_level_accumulation == o.two_level_accumulation || !o.kernel.empty();
}
// Are there scale factors, of the plan's type, exactly if the plan has block scaling?
inline bool scales(plan const& p, problem const& x) {
  return (p.scale.block != 0) == (x.sfa.data != nullptr) && (p.scale.block == 0 || p.scale.type == x.sfa.type);
}
// Warpgroup kernels count tiles in 32 bits.
inline bool counts_tiles(plan const& p, problem const& x) {
  return p.kind != family::warpgroup || order_of(x, p.tile_m * p.cluster_m, p.tile_n * p.cluster_n).fits_32_bits();
}
inline bool multiplies(plan const& p, problem const& x, gemm_options const& o) {
  return takes(p.a, x.a.type, o.tf32) && takes(p.b, x.b.type, o.tf32) && accumulates_well(p, o) && scales(p, x);
}

// The constants of the model. All are of an H200, so that on other devices only the order of kernels counts. "Fitted": chosen
// so that the model's times come near measured launches, of which tests/bench/NOTES.md has those that decided. "First model":
// from the first version, where nothing is noted. entry_test names the kernels that the model must choose.
namespace model {

inline constexpr double clock_rate = 1.755e9;  // cycles a second under load: first model
inline constexpr double shared_rate = 128;     // bytes a cycle of an SM from shared memory: 32 banks of 4 bytes
inline constexpr double l2_rate = 64;          // bytes a cycle of an SM from L2, alone: specified
inline constexpr double l2_share = 62;         // the same while all SMs read: fitted to one wave with and without clusters
inline constexpr double l2_fill_share = 36;    // bytes a cycle of an SM from memory into L2: fitted to memory-bound shapes
inline constexpr double l2_fill_hidden = 0.7;  // of that time and L2's own, so much of the shorter hides: fitted
inline constexpr double memory_rate = 4.1e12;  // bytes a second: fitted; a copy within memory reaches 4.27e12 (chips.hpp)

// Operations a cycle of an SM. mma.sync, FMA and dp4a: measured, one after another in registers. wgmma and tcgen05: specified,
// of operands of 1 bit.
inline constexpr double rate_volta = 73, rate_turing = 2075, rate_f64 = 143, rate_f64_sm90 = 286, rate_tf32 = 1398,
                        rate_16_bit = 2793, rate_s8 = 5572, rate_fp8 = 6628;
inline constexpr double rate_fma_f64 = 130, rate_mad_s32 = 141, rate_fma_f32 = 255, rate_dp4a = 554;
inline constexpr double rate_wgmma_bits = 65536, rate_umma_bits = 131072;

// Kernels that read any layout load element by element, which makes their FMAs so much slower: first model.
inline constexpr double any_layout_factor = 2.5;
// Two-level accumulation adds the sums every 128 bytes of K, 128 sums a cycle: the rate of FADD.
inline constexpr double promotion_bytes = 128, promotion_rate = 128;
// Threads that bring operands to the matrix units hide half of that time (first model), with cp.async two thirds (fitted to
// f64).
inline constexpr double not_hidden = 2, not_hidden_async = 3;

// What overlaps is not free: it takes power, and power limits the clock. The share of the time of L2, fitted; none where all
// tiles are one wave, whose blocks go through K side by side (8192x512x8192, 4096x512x4096).
inline constexpr double l2_power = 0.05;
// Two-level accumulation takes power, too: fitted to fp8 with and without it.
inline constexpr double two_level_factor = 1.05;

// A stage of a simt or warp tile is a trip to memory: cycles without and with cp.async. Fitted to f32 (NOTES.md: 140,000 cycles
// measured at 1024, 134,000 modelled) and to f64.
inline constexpr double memory_trip = 1100, memory_trip_async = 1000;
// Four warps alone on an SM, one to a scheduler, wait for their own MMAs: fitted to f64 (NOTES.md, "Four warps alone").
inline constexpr double lone_warps_factor = 8.0 / 7;

// Epilogues. TMA stores of a warpgroup: cycles of a piece of 128 bytes of its rows. Fitted to measured launches.
inline constexpr double tma_store_cycles = 910;
// Elements a cycle of an SM: the epilogues of other families; those of a warpgroup's threads, for columns of 32 bits, which are
// staged word by word, for layouts whose modes have one stride, and for other layouts. Fitted to results of such layouts.
inline constexpr double epilogue_rate = 8, column_store_rate = 64, strided_store_rate = 10, offset_store_rate = 2;
// Cycles in which TMA fills a row outside the operand: fitted; 12 were measured where nothing hides them (NOTES.md, "Rows of a
// box outside the matrix").
inline constexpr double tma_fill_row_cycles = 8;
// Bytes that memory moves for an element of D whose neighbours are not stored with it: a sector.
inline constexpr double sector = 32;

// Cycles from the end of the launch before to the first stage: of Hopper's kernel, of the others, and how much later a cluster
// is, whose blocks begin together. Fitted to measured launches; NOTES.md, "Small products are latency", has their parts.
inline constexpr double launch_cycles_sm90 = 2800, launch_cycles_other = 6500, launch_cycles_cluster = 1360;

// Lines of 128 bytes that L2 hands out for a row of 128 bytes that does not begin at a line: two, some of which the next row
// takes, too. Fitted.
inline constexpr double lines_of_unaligned_row = 1.35;
// A launch that copies an operand: seconds, and bytes a second by rows, through shared memory, and where offsets
// are divided out. Fitted to copies of each kind.
inline constexpr double copy_launch = 4.6e-6, copy_rows_rate = 3.2e12, copy_transposing_rate = 1.45e12,
                        copy_offsets_rate = 0.7e12;
// Split-K's reduction by a launch of its own: seconds, and bytes a second from L2 or memory. Fitted to f32 at 512 and 1024.
inline constexpr double reduction_launch = 2e-6, reduction_rate = 3.5e12;
// Split-K's reduction in a cluster: seconds to synchronize, and bytes a cycle between SMs. Fitted to f32 from 512 to 3328.
inline constexpr double cluster_sync_seconds = 0.7e-6, cluster_rate = 32;
// Seconds for each block of a warpgroup's cluster beyond two, which begin and reduce together: fitted.
inline constexpr double cluster_block_seconds = 0.31e-6;
// How many clusters of two, three, ... eight blocks an H200's 132 SMs hold at once: asked of the driver.
inline constexpr int clusters_at_once[] = {66, 39, 30, 22, 17, 15, 15};
inline constexpr int cluster_limit = 8;       // blocks of a cluster on any device that has clusters: specified
inline constexpr double reduction_waves = 8;  // tiles for each SM up to which a second launch is considered at all
// Where TMA produces, the model holds undivided tiles that wait for L2 for a quarter too slow (tf32 at 128x8192x8192,
// NOTES.md), so that split-K must win by more: fitted.
inline constexpr double split_k_margin = 1.15;

// Of the SMs' time and memory's, so much of the shorter hides behind the longer. The rest tells ties apart.
inline constexpr double hidden = 0.9;

// mma.sync on devices whose own matrix instructions are newer. Whatever the rest of the model says, it was the fastest at none
// of 169 products of an H200 (tests/bench/measured.txt), at best 0.96 of wgmma: fitted to these.
inline constexpr double older_factor = 1.25;

// An H200's SM, which bounds how many simt and warp blocks run at once: registers; bytes of shared memory, of which each block
// takes 1024 more; threads. Specified.
inline constexpr int64 sm_registers = 65536, sm_shared = 228 << 10, sm_shared_of_block = 1024, sm_threads = 2048;

}  // namespace model

constexpr double warp_rate(plan const& p) {
  int const width = bits_of(p.a);
  if (p.architecture == 70) return model::rate_volta;
  if (p.architecture == 75) return model::rate_turing;
  if (width == 64) return p.architecture >= 90 ? model::rate_f64_sm90 : model::rate_f64;
  if (width == 32) return model::rate_tf32;
  if (width == 16) return model::rate_16_bit;
  return p.a == element::s8 ? model::rate_s8 : model::rate_fp8;
}
constexpr double simt_rate(plan const& p) {
  if (p.accumulator == element::f64) return model::rate_fma_f64;
  return p.accumulator == element::s32 ? model::rate_mad_s32 : model::rate_fma_f32;
}
// Operations a cycle of an SM that the plan's instructions reach.
constexpr double rate(plan const& p) {
  switch (p.kind) {
    case family::simt: return simt_rate(p);
    case family::dp4a: return model::rate_dp4a;
    case family::warp: return warp_rate(p);
    case family::warpgroup: return model::rate_wgmma_bits / bits_of(p.a);
    default: return model::rate_umma_bits / bits_of(p.a);
  }
}

// Elements that are read from shared memory for one step of K: each consumer reads its own rows and columns. Lanes that read
// the same 16 bytes share the access, but at most half of a warp at once.
constexpr int64 shared_elements(plan const& p) {
  layout const& consumers = p.mma.thr_layout_vmnk;
  if (p.kind == family::simt || p.kind == family::dp4a)
    return p.threads / 2 * (p.tile_m / size(consumers, 1) + p.tile_n / size(consumers, 2));
  if (p.kind == family::umma) return p.tile_m + p.tile_n;
  int64 const along_m = p.kind == family::warpgroup ? p.tile_m / 64 : size(consumers, 1);
  return p.tile_m * size(consumers, 2) + p.tile_n * along_m;
}
// Cycles from the last MMA of a tile until its results are stored. A warpgroup stores pieces of 128 bytes of a row one after
// another.
constexpr double epilogue_cycles(plan const& p) {
  if (p.kind != family::warpgroup) return static_cast<double>(p.tile_m * p.tile_n) / model::epilogue_rate;
  int64 const columns = p.a == element::tf32 || is_integer(p.a) ? 32 : 64;
  int64 const pieces = p.tile_m * 2 / size(p.mma.thr_layout_vmnk) * ceil_div(p.tile_n, columns);
  return model::tma_store_cycles * static_cast<double>(pieces);
}

// What a kernel's time is made of.
struct cost {
  double matrix = 0, shared = 0, l2 = 0;  // cycles for which a tile keeps them busy
  double epilogue = 0;                    // cycles
  double tile = 0;                        // cycles from one tile to the next
  double thread_stores = 0;               // cycles in which threads store a tile that TMA cannot store
  double waves = 0;                       // tiles that an SM computes, one after another
  double memory = 0, copies = 0;          // seconds for operands and results, and for copies of operands
  double reduction = 0;                   // seconds in which split-K's sums are added up
  double seconds = 0;                     // in all
};

constexpr double larger(double a, double b) { return a > b ? a : b; }
// The time of two things at once, where `hidden` of the shorter hides behind the longer.
constexpr double overlapped(double a, double b, double hidden) { return larger(a, b) + (1 - hidden) * (a < b ? a : b); }
// Are the producers threads (not TMA)?
constexpr bool threads_produce(plan const& p) {
  return p.kind == family::simt || p.kind == family::dp4a || p.kind == family::warp;
}
// Does it copy with cp.async? Other threads hold a stage in registers.
constexpr bool copies_async(plan const& p) { return p.kind == family::warp && p.architecture >= 80; }

// Simt or warp blocks that an SM holds at once.
constexpr double blocks_per_sm(plan const& p) {
  int64 const by_registers = model::sm_registers / (int64{p.threads} * p.registers),
              by_memory = model::sm_shared / (p.shared + model::sm_shared_of_block);
  return larger(1, static_cast<double>(smaller(by_registers, smaller(by_memory, model::sm_threads / p.threads))));
}
// Cycles of a tile of such a block, with `at_once` blocks on an SM: at least its stages' trips to memory, of which as many
// overlap as there are stages ahead (in registers: one), shared by the blocks.
inline double latency_bound_tile(plan const& p, double tile, double stages, double at_once) {
  double const trip = copies_async(p) ? model::memory_trip_async : model::memory_trip, warps = at_once * p.threads / 32;
  return larger(p.kind == family::warp && warps < 8 ? model::lone_warps_factor * tile : tile,
                stages * trip / (copies_async(p) ? p.stages - 1 : 1) / at_once);
}
// The mean over the `tiles` of an SM, the last of which have it to themselves.
inline double mean_tile(plan const& p, double tile, double stages, double tiles) {
  double const held = blocks_per_sm(p), last = std::fmod(tiles, held);
  double const at_last = last > 0 ? last * latency_bound_tile(p, tile, stages, last) : 0;
  return ((tiles - last) * latency_bound_tile(p, tile, stages, held) + at_last) / tiles;
}

// rows: of both operands, that L2 hands out for one step of K; fresh: bytes of a tile that memory must bring to L2 first.
constexpr cost tile_cost(plan const& p, double depth, double waves, double busy_sms, double rows, double fresh) {
  double const width = bits_of(p.a) / 8.0, m = static_cast<double>(p.tile_m), n = static_cast<double>(p.tile_n);
  double const own_rate = model::l2_share / busy_sms;
  int const groups = p.warpgroup.pingpong_groups;
  cost c;
  c.matrix = 2 * m * n * depth / rate(p) * (p.major_a == major::any ? model::any_layout_factor : 1);
  if (p.two_level_accumulation) c.matrix += m * n * depth * width / (model::promotion_bytes * model::promotion_rate);
  c.shared = depth * width * (static_cast<double>(shared_elements(p)) + m + n) / model::shared_rate;
  double const handed_out = depth * width * rows / (own_rate < model::l2_rate ? own_rate : model::l2_rate);
  double const filled = fresh / model::l2_fill_share * busy_sms;
  c.l2 = overlapped(handed_out, filled, model::l2_fill_hidden);
  c.epilogue = epilogue_cycles(p);
  double const seen = c.shared / (copies_async(p) ? model::not_hidden_async : model::not_hidden);
  c.tile = larger(threads_produce(p) ? c.matrix + seen : larger(c.matrix, c.shared), c.l2);
  if (waves > 1) c.tile += model::l2_power * c.l2;
  if (p.two_level_accumulation) c.tile *= model::two_level_factor;
  c.tile = groups == 1 ? c.tile + c.epilogue : larger(c.tile, (c.tile + c.epilogue) / groups);
  return c;
}

inline double product_of(int64 a, int64 b, int64 c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}
// Bytes that memory must move.
inline double bytes_in(problem const& x) {
  return product_of(x.m, x.k, x.batches) * bits_of(x.a.type) / 8 + product_of(x.n, x.k, x.batches) * bits_of(x.b.type) / 8;
}
inline double bytes_out(problem const& x, plan const& p) {
  bool const whole = x.n == 1 || (x.d.plain(1) && x.d.step(1) == 1) || has_whole_columns(p, x);
  return product_of(x.m, x.n, x.batches) * (whole ? bits_of(x.d.type) / 8.0 : model::sector);
}
// A copy reads and writes an operand once.
inline double copy_seconds(matrix const& x, major along, int64 rows, int64 k, int64 batches) {
  bool const plain = x.plain(0) && x.plain(1) && x.plain(2), lines = has_lines(x, along == major::k);
  double const elements = static_cast<double>(rows) * static_cast<double>(k) * static_cast<double>(batches);
  return model::copy_launch + 2 * elements * bits_of(x.type) / 8 /
                                  (lines   ? model::copy_rows_rate
                                   : plain ? model::copy_transposing_rate
                                           : model::copy_offsets_rate);
}
// Cycles in which a warpgroup's threads store a tile that TMA cannot store; nothing hides them.
inline double thread_store_cycles(plan const& p, problem const& x) {
  if (p.kind != family::warpgroup || has_whole_vectors(x)) return 0;
  double const elements = static_cast<double>(p.tile_m * p.tile_n);
  if (has_whole_columns(p, x)) return elements / model::column_store_rate;
  bool const plain = x.d.plain(0) && x.d.plain(1) && x.d.plain(2);
  return elements / (plain ? model::strided_store_rate : model::offset_store_rate);
}
// Cycles in which TMA fills the rows of a tile outside an operand with zeros; along K it leaves out all but seven of them.
inline double tma_fill_cycles(plan const& p, problem const& x, int64 blocks_k) {
  if (p.kind != family::warpgroup) return 0;
  auto const missing = [](major along, int64 tile, int64 extent) {
    int64 const loaded = along == major::k ? smaller(tile, ceil_div(extent, 8) * 8) : tile;
    return static_cast<double>(extent < loaded ? loaded - extent : 0);
  };
  return model::tma_fill_row_cycles * static_cast<double>(blocks_k) *
         (missing(p.major_a, p.tile_m, x.m) + missing(p.major_b, p.tile_n, x.n));
}
// Lines of L2 for a row of 128 bytes.
inline double lines_of_row(matrix const& x, major along, bool copied) {
  bool const whole = copied || along == major::any || bytes(x.type, x.step(along == major::k ? 0 : 1)) % 128 == 0;
  return whole ? 1 : model::lines_of_unaligned_row;
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
inline bool readable(matrix const& x, major along, int alignment) {
  return along == major::any || lies_in_rows(x, along == major::k, along != major::k, alignment);
}
inline double launch_cycles(plan const& p) {
  return (p.kind == family::warpgroup ? model::launch_cycles_sm90 : model::launch_cycles_other) +
         (p.cluster_m * p.cluster_n > 1 ? model::launch_cycles_cluster : 0);
}
// Split-K's reduction: in a launch of its own, and in a cluster whose blocks read each other's shared memory.
inline double reduction_seconds(problem const& x, plan const& p, int split_k) {
  return model::reduction_launch + product_of(x.m, x.n, split_k) * bits_of(p.accumulator) / 8 / model::reduction_rate +
         bytes_out(x, p) / model::memory_rate;
}
inline double cluster_reduction_seconds(plan const& p, double waves) {
  return model::cluster_sync_seconds +
         waves * 2 * static_cast<double>(bytes(p.accumulator, p.tile_m * p.tile_n)) / model::cluster_rate / model::clock_rate;
}
// The SMs that clusters of so many blocks, two to eight, fill: a cluster lies in one GPC.
inline double sms_for_clusters(int sms, int blocks) { return sms * blocks * model::clusters_at_once[blocks - 2] / 132.0; }
// Can the blocks that compute the splits of a tile be a cluster that reduces them? They must stage all of a tile's sums at
// once. Those of a warpgroup plan have one tile each. A simt cluster of more than two blocks begins late where SMs are nearly
// full.
inline bool reduces_in_cluster(plan const& p, device_info device, double blocks, int split_k) {
  if (p.kind == family::warpgroup)
    return reduces_split_k(p) && split_k <= model::cluster_limit && blocks <= sms_for_clusters(device.sms, split_k);
  bool const whole = p.kind == family::simt && size(p.smem_d.inner, 0) == p.tile_m;
  return whole && device.architecture >= 90 && split_k <= model::cluster_limit &&
         (split_k == 2 || blocks <= blocks_per_sm(p) * device.sms / 2);
}
// A warpgroup kernel whose blocks do so gives its splits their stages itself; others are given the splits as batches.
constexpr bool splits_itself(plan const& p, bool in_cluster) { return in_cluster && p.kind == family::warpgroup; }
// Does the device multiply elements of these types by newer instructions than the plan's?
constexpr bool is_older(plan const& p, int architecture) {
  return p.kind == family::warp && bits_of(p.a) <= 32 && architecture >= 90 && architecture < 120 && p.architecture < 90;
}
// The time of a problem whose K is not split, or of the splits of one. splits: into which the kernel divides K itself.
inline candidate estimate_undivided(gemm_kernel const& kernel, problem const& x, bool swap_ab, device_info device,
                                    int splits = 1) {
  plan const& p = *kernel.plan;
  int const sms = device.sms;
  candidate r{&kernel, swap_ab, !readable(x.a, p.major_a, p.copy_alignment), !readable(x.b, p.major_b, p.copy_alignment)};
  auto const tiles_along = [](int64 extent, int64 tile, int64 cluster) { return ceil_div(extent, tile * cluster) * cluster; };
  double const tiles = static_cast<double>(tiles_along(x.m, p.tile_m, p.cluster_m) * tiles_along(x.n, p.tile_n, p.cluster_n)) *
                       static_cast<double>(x.batches) * splits;
  double const busy = tiles < sms ? tiles / sms : 1;
  double const waves = std::ceil(tiles / sms);
  double const rows = static_cast<double>(p.tile_m) / p.cluster_n * lines_of_row(x.a, p.major_a, r.copy_a) +
                      static_cast<double>(p.tile_n) / p.cluster_m * lines_of_row(x.b, p.major_b, r.copy_b);
  int64 const blocks_k = ceil_div(ceil_div(x.k, p.tile_k), int64{splits});
  r.time = tile_cost(p, static_cast<double>(blocks_k * p.tile_k), waves, busy, rows, bytes_in(x) / tiles);
  r.time.tile = larger(r.time.tile, tma_fill_cycles(p, x, blocks_k));
  r.time.thread_stores = thread_store_cycles(p, x);
  r.time.waves = waves;
  if (threads_produce(p)) r.time.tile = mean_tile(p, r.time.tile, static_cast<double>(blocks_k), waves);
  r.time.memory = (bytes_in(x) + bytes_out(x, p)) / model::memory_rate;
  if (r.copy_a) r.time.copies += copy_seconds(x.a, p.major_a, x.m, x.k, x.batches);
  if (r.copy_b) r.time.copies += copy_seconds(x.b, p.major_b, x.n, x.k, x.batches);
  double const last = p.warpgroup.pingpong_groups > 1 ? r.time.epilogue : 0;  // which no other tile hides
  double const work = (waves * (r.time.tile + r.time.thread_stores) + last + launch_cycles(p)) / model::clock_rate,
               memory = r.time.memory;
  r.time.seconds = overlapped(work, memory, model::hidden);
  if (is_older(p, device.architecture)) r.time.seconds *= model::older_factor;
  r.time.seconds += r.time.copies;
  return r;
}
// A problem, and the same split along K, made once for all plans.
inline constexpr int split_counts[] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
class splittable {
 public:
  problem const whole;

  explicit splittable(problem const& x) : whole(x) {}
  // `which` of split_counts, with sums of that type.
  problem const& split(std::size_t which, element sum) {
    std::optional<problem>& made = made_[which];
    if (!made || made->d.type != sum) made = split_along_k(whole, split_counts[which], sum);
    return *made;
  }

 private:
  std::optional<problem> made_[std::size(split_counts)];
};
inline candidate estimate_split_k(gemm_kernel const& kernel, splittable& x, bool swap_ab, device_info device, std::size_t which,
                                  bool in_cluster) {
  plan const& p = *kernel.plan;
  int const n = split_counts[which];
  candidate c = splits_itself(p, in_cluster) ? estimate_undivided(kernel, x.whole, swap_ab, device, n)
                                             : estimate_undivided(kernel, x.split(which, p.accumulator), swap_ab, device);
  c.split_k = n, c.reduces_in_cluster = in_cluster;
  c.time.reduction = in_cluster ? cluster_reduction_seconds(p, c.time.waves) : reduction_seconds(x.whole, p, n);
  if (splits_itself(p, in_cluster))
    c.time.reduction += model::launch_cycles_cluster / model::clock_rate + (n - 2) * model::cluster_block_seconds;
  c.time.seconds = (threads_produce(p) || in_cluster ? 1 : model::split_k_margin) * (c.time.seconds + c.time.reduction);
  return c;
}
// May K be split so? A kernel that does so itself, in a cluster, gives stages to every split; for others each is a batch that
// they read where it lies.
inline bool can_split_k(plan const& p, problem const& x, int n, bool in_cluster) {
  int64 const stages = ceil_div(x.k, p.tile_k);
  if (splits_itself(p, in_cluster)) return ceil_div(stages, ceil_div(stages, int64{n})) == n;
  return can_split_k(x, n);
}
// The best of K undivided and split; split_k: 0, or the one split that is allowed. Many tiles are not worth a second launch,
// nor are splits of less than two tiles of K.
inline candidate estimate(gemm_kernel const& kernel, splittable& of, bool swap_ab, device_info device, int split_k) {
  plan const& p = *kernel.plan;
  problem const& x = of.whole;
  candidate best = estimate_undivided(kernel, x, swap_ab, device);
  double const tiles = product_of(ceil_div(x.m, p.tile_m), ceil_div(x.n, p.tile_n), x.batches);
  for (std::size_t which = 0; which < std::size(split_counts); ++which) {
    int const n = split_counts[which];
    bool const in_cluster = reduces_in_cluster(p, device, tiles * n, n);
    bool const few = in_cluster || tiles * n <= model::reduction_waves * device.sms;
    if (split_k == 0 ? !few || x.k < 2 * n * p.tile_k : n != split_k) continue;
    if (!can_split_k(p, x, n, in_cluster)) continue;
    candidate const c = estimate_split_k(kernel, of, swap_ab, device, which, in_cluster);
    if ((c.copy_a || c.copy_b) && !splits_itself(p, in_cluster)) continue;
    if (split_k != 0 || c.time.seconds < best.time.seconds) best = c;
  }
  return best;
}

// The problem as given and with A and B swapped, and all candidates, the fastest first. Elements narrower than a byte are not
// copied.
struct choice {
  problem as_given, swapped;
  std::vector<candidate> all = {};

  explicit choice(problem const& x) : as_given(fewer_batches(x)), swapped(fewer_batches(transposed(x))) {}
  problem const& of(candidate const& c) const { return c.swap_ab ? swapped : as_given; }
};
inline choice choose(std::span<gemm_kernel const> kernels, problem const& x, gemm_options const& o, device_info device) {
  choice r(x);
  splittable as_given(r.as_given), swapped(r.swapped);
  for (gemm_kernel const& k : kernels)
    for (bool swap_ab : {false, true}) {
      problem const& p = swap_ab ? r.swapped : r.as_given;
      if (!runs_on(*k.plan, device.architecture) || !multiplies(*k.plan, p, o) || !counts_tiles(*k.plan, p)) continue;
      candidate const c = estimate(k, swap_ab ? swapped : as_given, swap_ab, device, o.split_k);
      bool const copies = c.copy_a || c.copy_b;
      if (!copies || bits_of(p.a.type) >= 8) r.all.push_back(c);
    }
  std::stable_sort(r.all.begin(), r.all.end(),
                   [](candidate const& a, candidate const& b) { return a.time.seconds < b.time.seconds; });
  std::stable_partition(r.all.begin(), r.all.end(),
                        [&](candidate const& c) { return o.split_k > 1 && c.split_k == o.split_k; });
  return r;
}

// What takes longest.
inline char const* bound_of(cost const& t) {
  bool const by_memory = t.waves * (t.tile + t.thread_stores) / model::clock_rate < t.memory;
  bool const by_l2 = t.l2 > larger(t.matrix, t.shared);
  return by_memory ? "memory" : by_l2 ? "L2" : t.shared > t.matrix ? "shared memory" : "matrix units";
}
// A line for a candidate.
inline std::string explain(candidate const& c) {
  cost const& t = c.time;
  auto const number = [](double x) { return std::to_string(std::llround(x)); };
  std::string r = name(*c.kernel->plan) + ": " + number(t.seconds * 1e6) + " us, bound by " + bound_of(t) +
                  "; a tile keeps matrix units " + number(t.matrix) + ", shared memory " + number(t.shared) + ", L2 " +
                  number(t.l2) + " cycles busy, waves " + number(t.waves) + "; memory " + number(t.memory * 1e6) + " us";
  if (c.swap_ab) r += "; swap_ab";
  if (t.thread_stores > 0) r += "; results stored by threads " + number(t.thread_stores) + " cycles a tile";
  if (t.copies > 0) r += "; copies " + number(t.copies * 1e6) + " us";
  if (c.split_k > 1) r += "; split_k " + std::to_string(c.split_k) + ", reduced in " + number(t.reduction * 1e6) + " us";
  return r;
}

}  // namespace colex::gpu
