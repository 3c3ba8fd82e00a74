// Which kernel is chosen: of those that fit types, options and device the one that the model (cost.hpp) expects to be fastest.
// No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/cost.hpp"

#include <algorithm>
#include <cmath>

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
    std::stable_sort(r.all.begin(), r.all.end(),
                     [](candidate const& a, candidate const& b) { return a.time.seconds < b.time.seconds; });
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

// What takes longest.
inline char const* bound_of(cost const& t) {
  double const work = t.waves * (t.tile + t.thread_stores) / model::clock_rate;
  if (t.l2_and_d > larger(work, t.memory)) return "L2";
  bool const by_memory = work < t.memory;
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
