// Which kernel is expected to be fastest: what fits types, options and device, and a small model of its time. No CUDA call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm.hpp"
#include "gpu/problem.hpp"

#include <algorithm>

namespace colex::gpu {

struct device_facts {
  int architecture = 0;  // 90 is compute capability 9.0
  int processors = 1;
};

// Does the device have the plan's instructions? Those of tensor cores since Hopper are not carried on.
constexpr bool runs_on(plan const& p, int architecture) {
  bool const own = p.kind == family::warpgroup || p.kind == family::umma || p.architecture >= 100;
  return p.architecture <= architecture && architecture <= p.until && (!own || p.architecture / 10 == architecture / 10);
}
constexpr bool takes(element planned, element given, bool tf32) {
  return planned == given || (planned == element::tf32 && given == element::f32 && tf32);
}
// fp8 sums are exact enough in f32: in registers, a thread's own or promoted to them, or in tensor memory.
constexpr bool sums_well(plan const& p, bool fast) {
  bool const fp8 = p.a == element::e4m3 || p.a == element::e5m2;
  return !fp8 || fast || p.promotes || p.block > 0 || p.kind == family::simt || p.kind == family::umma;
}
// Scale factors where the plan has blocks, of its type, and nowhere else.
constexpr bool scales(plan const& p, gemm_options const& o) {
  return (p.block > 0) == (o.sfa.data != nullptr) && (p.block == 0 || p.scale == o.sfa.type);
}
constexpr bool multiplies(plan const& p, element a, element b, gemm_options const& o) {
  return takes(p.a, a, o.tf32) && takes(p.b, b, o.tf32) && scales(p, o) && sums_well(p, o.fast_accumulation);
}

// 10^12 operations a second that the instructions of a plan reach on an H200, where all of them were measured; on other chips
// only their order counts.
constexpr double warp_rate(plan const& p) {
  int const width = bits_of(p.a);
  if (width == 64) return p.architecture >= 90 ? 66 : 33;
  if (p.architecture == 70) return 17;
  if (p.architecture == 75) return 480;
  if (width == 32) return 324;
  return width == 16 ? 647 : p.a == element::s8 ? 1290 : 1535;
}
constexpr double rate(plan const& p) {
  switch (p.kind) {
    case family::simt: return p.accumulator == element::f64 ? 30 : p.accumulator == element::s32 ? 33 : 59;
    case family::dot: return 128;
    case family::warp: return warp_rate(p);
    default: return (p.kind == family::umma ? 2.0 : 1.0) * 14800 / bits_of(p.a);
  }
}

// Seconds: processors take tiles in turn; each tile as long as its products or its operands' way from the second-level cache
// take, whichever is longer, and a start and an end that nothing hides. A kernel that loads element by element is slower.
constexpr double seconds(plan const& p, problem const& x, int processors) {
  constexpr double measured_on = 132, cache = 5e12 / measured_on, ends = 1e-6;
  double const tiles = static_cast<double>(ceil_div(x.m, p.tile_m) * ceil_div(x.n, p.tile_n)) * static_cast<double>(x.batches);
  double const depth = static_cast<double>(ceil_div(x.k, p.tile_k) * p.tile_k);
  double const area = static_cast<double>(p.tile_m * p.tile_n), edge = static_cast<double>(p.tile_m + p.tile_n);
  double const products = 2 * area * depth * measured_on / (rate(p) * 1e12), way = edge * depth * bits_of(p.a) / 8 / cache;
  double const turns = static_cast<double>(static_cast<int64>((tiles + processors - 1) / processors));
  return turns * ((products > way ? products : way) * (p.major_a == major::any ? 3 : 1) + ends);
}
// Seconds to copy an operand: read and written once, and a launch.
constexpr double repack_seconds(element e, int64 rows, int64 k, int64 batches) {
  return 3e-6 + 2 * static_cast<double>(rows) * static_cast<double>(k) * static_cast<double>(batches) * bits_of(e) / 8 / 2.5e12;
}

// A kernel, and which operands it needs copied first.
struct candidate {
  gemm_kernel const* kernel = nullptr;
  bool repack_a = false, repack_b = false;
  double cost = 0;
};
inline bool readable(matrix const& x, major along, int alignment) {
  return along == major::any || lies_in_rows(x, along == major::k, along != major::k, alignment);
}
inline candidate considered(gemm_kernel const& kernel, problem const& x, int processors) {
  plan const& p = *kernel.what;
  candidate r{&kernel, !readable(x.a, p.major_a, p.copy_alignment), !readable(x.b, p.major_b, p.copy_alignment)};
  r.cost = seconds(p, x, processors);
  if (r.repack_a) r.cost += repack_seconds(x.a.type, x.m, x.k, x.batches);
  if (r.repack_b) r.cost += repack_seconds(x.b.type, x.n, x.k, x.batches);
  return r;
}
// All of these that may run, the cheapest first.
inline std::vector<candidate> candidates(std::span<gemm_kernel const> all, problem const& x, gemm_options const& o,
                                         device_facts on) {
  std::vector<candidate> r;
  for (gemm_kernel const& k : all)
    if (multiplies(*k.what, x.a.type, x.b.type, o) && runs_on(*k.what, on.architecture)) {
      candidate const c = considered(k, x, on.processors);
      bool const halves = bits_of(x.a.type) < 8;  // of bytes are not copied
      if (!halves || !(c.repack_a || c.repack_b)) r.push_back(c);
    }
  std::stable_sort(r.begin(), r.end(), [](candidate const& a, candidate const& b) { return a.cost < b.cost; });
  return r;
}

}  // namespace colex::gpu
