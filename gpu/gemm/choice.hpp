// Which kernel is chosen, and into how many splits K is divided: of those that fit types, options and device the kernel that
// the model (cost.hpp) expects to be fastest. No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/cost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace colex::gpu {

// Does the device have the plan's instructions and shared memory? Tensor core instructions since Hopper run on one generation
// only.
constexpr bool runs_on(plan_summary const& p, int architecture) {
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
constexpr bool accumulates_well(plan_summary const& p, gemm_options const& o) {
  if (multiplies_by_fma(p) || p.scale.block != 0) return true;
  if (is_fp8(p.a)) return o.fast_accumulation || p.two_level_accumulation || p.kind == family::umma;
  bool const may_cut_off = !is_integer(p.a) && p.a != element::f64;
  return !may_cut_off || p.two_level_accumulation == o.two_level_accumulation || !o.kernel.empty();
}
// Are there scale factors, of the plan's type, exactly if the plan has block scaling?
inline bool scales(plan_summary const& p, problem const& x) {
  return (p.scale.block != 0) == (x.sfa.data != nullptr) && (p.scale.block == 0 || p.scale.type == x.sfa.type);
}
// Where TMA loads, coordinates have 31 bits, in the last tile those beyond the extents, too. Warpgroup kernels count tiles in
// 32 bits.
inline bool counts(plan_summary const& p, problem const& x) {
  if (p.kind != family::warpgroup && p.kind != family::umma) return true;
  auto const counted = [](int64 extent, int64 tile) { return extent <= INT32_MAX - tile; };
  int64 const m = p.tile_m * p.cluster_m, n = p.tile_n * p.cluster_n;
  return counted(x.m, m) && counted(x.n, n) && counted(x.k, p.tile_k) &&
         (p.kind == family::umma || order_of(x, m, n).fits_32_bits());
}
// Some kernels are for rows of which a tile has all: gemv kernels, which would read B again for more, and simt kernels of flat
// tiles with cp.async, which the model holds for too fast (0.95 of the best of 47 products were reached, with this 0.97). One
// that the call names may.
inline bool has_few_rows(plan_summary const& p, problem const& x, gemm_options const& o) {
  bool const flat = is_async_fma(p) && p.tile_n >= 4 * p.tile_m;
  return (p.kind != family::gemv && !flat) || x.m <= p.tile_m || !o.kernel.empty();
}
// May operands be copied for it? Elements narrower than a byte are not; nor are any for a simt kernel with cp.async that the
// call does not name: others of them read operands where they lie, and copies gained nothing at 120 random products.
inline bool may_copy(plan_summary const& p, problem const& x, gemm_options const& o) {
  return bits_of(x.a.type) >= 8 && (!is_async_fma(p) || !o.kernel.empty());
}
inline bool multiplies(plan_summary const& p, problem const& x, gemm_options const& o) {
  return has_few_rows(p, x, o) && takes(p.a, x.a.type, o.tf32) && takes(p.b, x.b.type, o.tf32) && accumulates_well(p, o) &&
         scales(p, x);
}

// Into how many splits K may be divided. Coarse numbers are 2 to 6, 8, 12, 16, 24, 32; the best candidates are asked for all.
inline constexpr int most_splits = 32;
constexpr bool is_coarse(int splits) { return splits <= 6 || splits / (splits & -splits) <= 3; }
// A problem, and the same split along K, made once for all plans of a family.
class splittable {
 public:
  modelled const whole;

  explicit splittable(problem const& x) : whole(x) {}
  // In n, as a plan's kernel is given it.
  modelled const& split(int n, plan_summary const& p) {
    std::unique_ptr<modelled>& made = made_[n];
    if (!made || made->x.d.type != p.accumulator || made->x.stores_splits != splits_stages(p))
      made = std::make_unique<modelled>(split_for(p, whole.x, n));
    return *made;
  }

 private:
  std::unique_ptr<modelled> made_[most_splits + 1];
};
inline double split_k_seconds(modelled const& at, plan_summary const& p, double waves, int n, bool in_cluster,
                              device_info device) {
  return in_cluster ? cluster_reduction_seconds(p, waves, n) : reduction_seconds(at, p, n, device);
}
constexpr double split_k_margin(plan_summary const& p, bool in_cluster) {
  if (threads_produce(p) || in_cluster) return 1;
  return p.kind == family::warpgroup ? model::split_k_margin_sm90 : model::split_k_margin_other;
}
inline candidate estimate_split_k(gemm_kernel const& kernel, splittable& x, bool swap_ab, device_info device, int n,
                                  bool in_cluster) {
  plan_summary const& p = kernel.summary;
  candidate c = estimate_undivided(kernel, in_cluster ? x.whole : x.split(n, p), swap_ab, device, splits_stages(p) ? n : 1);
  c.split_k = n, c.reduces_in_cluster = in_cluster;
  c.time.reduction = split_k_seconds(x.whole, p, c.time.waves, n, in_cluster, device);
  c.time.seconds = split_k_margin(p, in_cluster) * (c.time.seconds + c.time.reduction);
  return c;
}
// What such a split takes at least: one of its tiles, or all with the matrix units always busy, or memory; and the reduction of
// one wave. undivided: the time without it.
inline double least_split_k_seconds(plan_summary const& p, modelled const& at, cost const& undivided, double tiles,
                                    device_info device, int n, bool in_cluster) {
  double const stages = static_cast<double>(at.x.k) / static_cast<double>(p.tile_k) * shortest_stage(p),
               tile = larger(undivided.matrix, stages) / n, all = undivided.matrix * tiles / device.sms;
  double const work = (larger(tile, all) + launch_cycles(p)) / clock_of(p);
  return split_k_margin(p, in_cluster) * (larger(work, least_memory_seconds(p, at.x, device)) + undivided.copies +
                                          split_k_seconds(at, p, 1, n, in_cluster, device));
}
// How many splits have stages, where `n` share all of K's as evenly as whole stages allow.
inline int splits_with_stages(plan_summary const& p, problem const& x, int n) {
  int64 const stages = ceil_div(x.k, p.tile_k);
  return static_cast<int>(ceil_div(stages, ceil_div(stages, int64{n})));
}
// May K be split so? A kernel that divides its stages gives some to every split; for others each is a batch that they read
// where it lies.
inline bool can_split_k(plan_summary const& p, problem const& x, int n, bool in_cluster) {
  if (splits_stages(p)) return (in_cluster || x.batches == 1) && splits_with_stages(p, x, n) == n;
  return can_split_k(x, n);
}
// Splits K where that is faster: into a coarse number, or into one that is not; split_k: 0, or the one split that is allowed.
// Many tiles are not worth a second launch, nor are splits of less than two tiles of K, nor those that take at least so many
// seconds.
inline void split_where_faster(candidate& best, splittable& of, device_info device, bool coarse, int split_k, double seconds) {
  gemm_kernel const& kernel = *best.kernel;
  plan_summary const& p = kernel.summary;
  problem const& x = of.whole.x;
  cost const undivided = best.split_k == 1 ? best.time : estimate_undivided(kernel, of.whole, best.swap_ab, device).time;
  bool const copies = best.copy_a || best.copy_b;
  double const tiles = tiles_of(p, x);
  for (int asked = 2; asked <= most_splits; ++asked) {
    // Of a gemv plan K has few stages, which the coarse numbers may not share out.
    int const n = p.kind == family::gemv ? splits_with_stages(p, x, asked) : asked;
    if (is_coarse(asked) != coarse || n == 1) continue;
    bool const in_cluster = reduces_in_cluster(p, device, tiles * n, n);
    bool const few = in_cluster || tiles * n <= model::reduction_waves * device.sms;
    if (split_k == 0 && (!few || x.k < 2 * n * p.tile_k)) break;  // nor are more
    if (split_k != 0 && n != split_k) continue;
    double const least = least_split_k_seconds(p, of.whole, undivided, tiles, device, n, in_cluster);
    if (split_k == 0 && least >= std::min(seconds, best.time.seconds)) continue;
    if ((copies && !splits_stages(p)) || !can_split_k(p, x, n, in_cluster)) continue;
    candidate const c = estimate_split_k(kernel, of, best.swap_ab, device, n, in_cluster);
    if ((c.copy_a || c.copy_b) && !splits_stages(p)) continue;
    if (split_k != 0 || c.time.seconds < best.time.seconds) best = c;
  }
}

// Do the waves of its tiles decide how long the plan takes? For FMAs and f64, which are slow; all else waits for memory and for
// launches as well, and the model knows those less well than it would have to.
constexpr bool waves_decide(plan_summary const& p) { return multiplies_by_fma(p) || p.a == element::f64; }

// The problem as given and with A and B swapped, and candidates, the fastest first.
struct choice {
  problem as_given, swapped;
  std::vector<candidate> all = {};

  explicit choice(problem const& x) : as_given(fewer_batches(x)), swapped(fewer_batches(transposed(x))) {}
  problem const& of(candidate const& c) const { return c.swap_ab ? swapped : as_given; }
};
// All candidates; quick: those that are not the first are split along K only where that might have made them so.
inline choice choose(std::span<gemm_kernel const> kernels, problem const& x, gemm_options const& o, device_info device,
                     bool quick = false) {
  choice r(x);
  r.all.reserve(kernels.size());
  splittable as_given(r.as_given), swapped(r.swapped);
  double fastest = HUGE_VAL;
  for (gemm_kernel const& k : kernels)
    for (splittable const* of : {&as_given, &swapped}) {
      problem const& p = of->whole.x;
      if (!multiplies(k.summary, p, o) || !runs_on(k.summary, device.architecture) || !counts(k.summary, p)) continue;
      if (k.summary.cluster_m * k.summary.cluster_n > device.sms) continue;  // one SM for each block
      candidate const c = estimate_undivided(k, of->whole, of == &swapped, device);
      if ((c.copy_a || c.copy_b) && !may_copy(k.summary, p, o)) continue;
      r.all.push_back(c);
      fastest = std::min(fastest, c.time.seconds);
    }
  auto const split = [&](candidate& c, bool coarse) {
    split_where_faster(c, c.swap_ab ? swapped : as_given, device, coarse, o.split_k, quick ? fastest : HUGE_VAL);
    fastest = std::min(fastest, c.time.seconds);
  };
  auto const sort = [&] {
    auto const seconds_then_newer = [](candidate const& c) {
      return std::pair(c.time.seconds, -c.kernel->summary.architecture);
    };
    std::ranges::stable_sort(r.all, {}, seconds_then_newer);
  };
  for (candidate& c : r.all) split(c, true);
  sort();
  std::size_t const best = o.split_k == 0 ? std::min(r.all.size(), model::split_more_finely) : r.all.size();
  for (std::size_t i = 0; i < best; ++i)
    if (waves_decide(r.all[i].kernel->summary) || o.split_k != 0) split(r.all[i], false);
  sort();
  if (o.split_k > 1)
    std::stable_partition(r.all.begin(), r.all.end(), [&](candidate const& c) { return c.split_k == o.split_k; });
  return r;
}

// Cycles of a tile in which nothing is busy: it waits for its stages.
inline double waits(cost const& t) { return larger(0, t.tile - t.epilogue - larger(t.matrix, larger(t.shared, t.l2))); }
// What takes longest: of the whole product, and where that is its tiles, of a tile.
inline char const* bound_of(candidate const& c) {
  cost const& t = c.time;
  using part = std::pair<double, char const*>;
  auto const longest = [](std::initializer_list<part> parts) { return *std::ranges::max_element(parts, {}, &part::first); };
  part const of_tile = longest({{t.matrix, "arithmetic"},
                                {t.shared, "shared memory"},
                                {t.l2, "L2"},
                                {t.epilogue + t.thread_stores, "epilogue"},
                                {waits(t), "latency"}});
  double const tiles = t.waves * (t.tile + t.thread_stores) / clock_of(c.kernel->summary);
  return longest({{tiles, of_tile.second},
                  {t.memory, "memory"},
                  {t.launch, "launch"},
                  {t.copies, "copies"},
                  {t.reduction, "reduction"}})
      .second;
}
// A line for a candidate.
inline std::string explain(candidate const& c) {
  cost const& t = c.time;
  auto const number = [](double x) { return std::to_string(std::llround(x)); };
  std::string r = name(*c.kernel->plan) + ": " + number(t.seconds * 1e6) + " us, bound by " + bound_of(c) +
                  "; a tile keeps matrix units " + number(t.matrix) + ", shared memory " + number(t.shared) + ", L2 " +
                  number(t.l2) + " cycles busy, its epilogue takes " + number(t.epilogue) + ", waves " + number(t.waves) +
                  "; memory " + number(t.memory * 1e6) + " us";
  if (c.swap_ab) r += "; swap_ab";
  if (t.thread_stores > 0) r += "; results stored by threads " + number(t.thread_stores) + " cycles a tile";
  if (t.copies > 0) r += "; copies " + number(t.copies * 1e6) + " us";
  if (c.split_k > 1) r += "; split_k " + std::to_string(c.split_k) + ", reduced in " + number(t.reduction * 1e6) + " us";
  return r;
}

}  // namespace colex::gpu
