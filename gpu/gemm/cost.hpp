// Which kernel is expected to be fastest: what fits types, options and device, and a model of its time: the cycles that its
// tiles keep the matrix units, shared memory and the second-level cache busy, how often the chip is filled with tiles, and what
// memory and copies take. No CUDA call. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/gemm.hpp"
#include "gpu/gemm/normalize.hpp"
#include "gpu/plans/chips.hpp"

#include <algorithm>
#include <cmath>

namespace colex::gpu {

// ---- what may run ----

// Does the device have the plan's instructions and shared memory? Tensor cores' since Hopper are not carried on.
constexpr bool runs_on(plan const& p, int architecture) {
  bool const own = p.kind == family::warpgroup || p.kind == family::umma || p.architecture >= 100;
  return p.architecture <= architecture && architecture <= p.until && p.shared <= shared_limit(architecture) &&
         (!own || p.architecture / 10 == architecture / 10);
}
constexpr bool takes(element planned, element given, bool tf32) {
  return planned == given || (planned == element::tf32 && given == element::f32 && tf32);
}
// fp8 sums are exact enough in f32: in registers, a thread's own or promoted to them, or in tensor memory.
constexpr bool sums_well(plan const& p, bool fast) {
  return !is_fp8(p.a) || fast || p.promotes || p.block != 0 || p.kind == family::simt || p.kind == family::umma;
}
// Scale factors where the plan has blocks, of its type, and nowhere else.
inline bool scales(plan const& p, problem const& x) {
  return (p.block != 0) == (x.sfa.data != nullptr) && (p.block == 0 || p.scale == x.sfa.type);
}
// Warpgroups number tiles in 32 bits.
inline bool counts(plan const& p, problem const& x) {
  return p.kind != family::warpgroup || order_of(x, p.tile_m * p.cluster_m, p.tile_n * p.cluster_n).few();
}
inline bool multiplies(plan const& p, problem const& x, gemm_options const& o) {
  return takes(p.a, x.a.type, o.tf32) && takes(p.b, x.b.type, o.tf32) && sums_well(p, o.fast_accumulation) && scales(p, x);
}

// ---- how long it takes ----

// Operations a cycle that the instructions of a plan reach on a processor of an H200, where they were measured one after
// another in registers (wgmma: as specified); on other chips only their order counts.
constexpr double warp_rate(plan const& p) {
  int const width = bits_of(p.a);
  if (p.architecture == 70) return 73;
  if (p.architecture == 75) return 2075;
  if (width == 64) return p.architecture >= 90 ? 286 : 143;
  return width == 32 ? 1398 : width == 16 ? 2793 : p.a == element::s8 ? 5572 : 6628;
}
constexpr double rate(plan const& p) {
  switch (p.kind) {
    case family::simt: return p.accumulator == element::f64 ? 130 : p.accumulator == element::s32 ? 141 : 255;
    case family::dot: return 554;
    case family::warp: return warp_rate(p);
    default: return (p.kind == family::umma ? 131072.0 : 65536.0) / bits_of(p.a);
  }
}

// Elements that come out of shared memory for one step of K: whoever multiplies reads its own rows and columns. Lanes that read
// the same 16 bytes share them, but no more than half of a warp at once.
constexpr int64 shared_elements(plan const& p) {
  layout const& who = p.mma.thr_layout_vmnk;
  if (p.kind == family::simt || p.kind == family::dot)
    return p.threads / 2 * (p.tile_m / size(who, 1) + p.tile_n / size(who, 2));
  if (p.kind == family::umma) return p.tile_m + p.tile_n;
  int64 const wide = p.kind == family::warpgroup ? p.tile_m / 64 : size(who, 1);
  return p.tile_m * size(who, 2) + p.tile_n * wide;
}
// Cycles from the last product of a tile to its last result on the way: a warpgroup's go in pieces of 128 bytes of a row, one
// after another.
constexpr double out_cycles(plan const& p) {
  if (p.kind != family::warpgroup) return static_cast<double>(p.tile_m * p.tile_n) / 8;
  int64 const columns = p.a == element::tf32 || is_integer(p.a) ? 32 : 64;
  int64 const pieces = p.tile_m * 2 / size(p.mma.thr_layout_vmnk) * ceil_div(p.tile_n, columns);
  return 800.0 * static_cast<double>(pieces);
}

// Cycles of a processor for one tile of depth K, and in all.
struct cost {
  double matrix = 0, shared = 0, cache = 0;  // what one tile keeps busy
  double out = 0;                            // until a tile's results are on their way
  double tile = 0;                           // from one to the next
  double writes = 0;                         // of threads between them, where they bring results out themselves
  double turns = 0;                          // tiles that a processor takes, one after another
  double memory = 0, copies = 0;             // seconds that operands and results, and copies of operands, take at least
  double adding = 0;                         // seconds of a second launch that adds up what K's parts came to
  double seconds = 0;
};

// An H200's clock, bytes a cycle to a processor from shared memory, from the second-level cache alone and with all others, into
// that cache from memory, and bytes a second from memory.
inline constexpr double clock_rate = 1.755e9, shared_rate = 128, cache_rate = 64, cache_share = 62, fill_share = 33,
                        memory_rate = 4.1e12;

constexpr double larger(double a, double b) { return a > b ? a : b; }
constexpr bool by_threads(plan const& p) { return p.kind == family::simt || p.kind == family::dot || p.kind == family::warp; }
// Do a block's threads copy ahead into a ring of stages? Others hold a stage in registers.
constexpr bool has_ring(plan const& p) { return p.kind == family::warp && p.architecture >= 80; }

// Blocks whose threads multiply by themselves that a processor holds at once: by its registers, an H200's shared memory,
// threads.
constexpr double held_at_once(plan const& p) {
  int64 const by_registers = 65536 / (int64{p.threads} * p.registers), by_memory = (228 << 10) / (p.shared + 1024);
  return larger(1, static_cast<double>(smaller(by_registers, smaller(by_memory, 2048 / p.threads))));
}
// What a tile of such a block takes at least, of so many that a processor holds at once: the trips to memory of all its stages,
// of which so many are under way as the ring holds (or registers: one), shared by the blocks; and more where four warps or
// fewer are all there are, one to a scheduler, which nothing hides when it waits for its own products.
inline double waiting_tile(plan const& p, double tile, double stages, double at_once) {
  constexpr double alone = 8.0 / 7;
  double const trip = has_ring(p) ? 1000 : 1100, warps = at_once * p.threads / 32;
  return larger(p.kind == family::warp && warps < 8 ? alone * tile : tile,
                stages * trip / (has_ring(p) ? p.stages - 1 : 1) / at_once);
}
// The mean over the `tiles` of a processor, the last of which have it to themselves.
inline double mean_tile(plan const& p, double tile, double stages, double tiles) {
  double const held = held_at_once(p), last = std::fmod(tiles, held);
  double const at_last = last > 0 ? last * waiting_tile(p, tile, stages, last) : 0;
  return ((tiles - last) * waiting_tile(p, tile, stages, held) + at_last) / tiles;
}

// What is hidden is not free: it takes power, of which a clock at its limit has less for the rest. The cache takes less where
// engines bring all tiles at once, which go through K side by side.
constexpr double effort(plan const& p, cost const& c, double turns) {
  if (by_threads(p)) return 0.12 * c.cache;
  return (turns > 1 ? 0.12 : 0.04) * c.cache + 0.02 * c.shared;
}
// rows: of both operands, as the second-level cache hands them out for one step of K; fresh: bytes of a tile that are not there
// yet, which it takes in first.
constexpr cost tile_cost(plan const& p, double depth, double turns, double busy_processors, double rows, double fresh) {
  double const width = bits_of(p.a) / 8.0, m = static_cast<double>(p.tile_m), n = static_cast<double>(p.tile_n);
  double const own_rate = cache_share / busy_processors;
  cost c;
  c.matrix = 2 * m * n * depth / rate(p) * (p.major_a == major::any ? 2.5 : 1);  // `any` loads element by element
  if (p.promotes) c.matrix += m * n * depth * width / (128 * 128);               // a sum each 128 bytes, 128 sums a cycle
  c.shared = depth * width * (static_cast<double>(shared_elements(p)) + m + n) / shared_rate;
  c.cache = depth * width * rows / (own_rate < cache_rate ? own_rate : cache_rate) + fresh / fill_share * busy_processors;
  c.out = out_cycles(p);
  // Threads that bring operands to the matrix units themselves hide half of that, with a ring two thirds; engines hide all of
  // it.
  double const seen = c.shared / (has_ring(p) ? 3 : 2);
  c.tile = larger(by_threads(p) ? c.matrix + seen : larger(c.matrix, c.shared), c.cache);
  c.tile += effort(p, c, turns);
  if (p.cluster_m * p.cluster_n > 1) c.tile *= 1.005;  // whose blocks wait for each other's stages
  if (p.promotes) c.tile *= 1.05;                      // sums that are added elsewhere take their power, too
  c.tile = p.turns == 1 ? c.tile + c.out : larger(c.tile, (c.tile + c.out) / p.turns);
  return c;
}
// Bytes that must come and go; a result across runs of memory takes a sector each.
inline double product_of(int64 a, int64 b, int64 c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}
inline double bytes_in(problem const& x) {
  return product_of(x.m, x.k, x.batches) * bits_of(x.a.type) / 8 + product_of(x.n, x.k, x.batches) * bits_of(x.b.type) / 8;
}
inline double bytes_out(problem const& x, plan const& p) {
  bool const whole = x.n == 1 || (x.d.plain(1) && x.d.step(1) == 1) || has_whole_columns(p, x);
  return product_of(x.m, x.n, x.batches) * (whole ? bits_of(x.d.type) / 8.0 : 32);
}
// An operand is read and written once more, and a kernel launched: lines as fast as memory, others through shared memory, and
// elements that are found by division far slower.
inline double copy_seconds(matrix const& x, major along, int64 rows, int64 k, int64 batches) {
  bool const plain = x.plain(0) && x.plain(1) && x.plain(2), lines = has_lines(x, along == major::k);
  double const elements = static_cast<double>(rows) * static_cast<double>(k) * static_cast<double>(batches);
  return 3e-6 + 2 * elements * bits_of(x.type) / 8 / (lines ? 3.2e12 : plain ? 2.5e12 : 0.7e12);
}
// Cycles in which warpgroups write a tile themselves, where the copy engine cannot: elements one by one, which nothing hides.
inline double write_cycles(plan const& p, problem const& x) {
  if (p.kind != family::warpgroup || has_whole_vectors(x)) return 0;
  if (has_whole_columns(p, x)) return static_cast<double>(p.tile_m * p.tile_n) / 64;  // staged word by word
  bool const plain = x.d.plain(0) && x.d.plain(1) && x.d.plain(2);
  return static_cast<double>(p.tile_m * p.tile_n) / (plain ? 10 : 2);
}

// Cycles in which the copy engine fills rows of a tile that lie outside an operand with zeros.
inline double fill_cycles(plan const& p, problem const& x) {
  if (p.kind != family::warpgroup) return 0;
  auto const missing = [](int64 tile, int64 extent) { return static_cast<double>(extent < tile ? tile - extent : 0); };
  constexpr double row = 12;
  return row * static_cast<double>(ceil_div(x.k, p.tile_k)) * (missing(p.tile_m, x.m) + missing(p.tile_n, x.n));
}

// A row of 128 bytes that does not begin with a line of the cache lies in two.
inline double lines_of_row(matrix const& x, major along, bool copied) {
  bool const whole = copied || along == major::any || bytes(x.type, x.step(along == major::k ? 0 : 1)) % 128 == 0;
  return whole ? 1 : 2;
}

// A kernel, for the problem or for its transpose, and which operands it needs copied first.
struct candidate {
  gemm_kernel const* kernel = nullptr;
  bool turned = false, copy_a = false, copy_b = false;
  int parts = 1;         // of K, side by side
  bool adds_up = false;  // whose sums need no second launch
  cost time = {};
};
inline bool readable(matrix const& x, major along, int alignment) {
  return along == major::any || lies_in_rows(x, along == major::k, along != major::k, alignment);
}
// Cycles from the end of the launch before to the first stage. Hopper's begin before that end; blocks of a cluster only
// together.
inline double start_cycles(plan const& p) {
  return (p.kind == family::warpgroup ? 4500 : 6500) + (p.cluster_m * p.cluster_n > 1 ? 1600 : 0);
}
// Sums of all parts come from the second-level cache or from memory, in a launch that follows at once.
inline double adding_seconds(problem const& x, plan const& p, int parts) {
  return 2e-6 + product_of(x.m, x.n, parts) * bits_of(p.accumulator) / 8 / 3.5e12 + bytes_out(x, p) / memory_rate;
}
// Do the blocks that multiply K's parts add up their sums themselves, as a cluster? They must hold all of their tile's at once.
// More than two begin together late where processors are nearly full.
inline bool adds_up(plan const& p, device_facts on, double blocks, int parts) {
  constexpr int most = 8;  // blocks of a cluster, on any chip that has them
  bool const whole = p.kind == family::simt && size(p.smem_d.inner, 0) == p.tile_m;
  return whole && on.architecture >= 90 && parts <= most && (parts == 2 || blocks <= held_at_once(p) * on.processors / 2);
}
// There each writes a tile's sums where the others read them, as fast as processors reach each other's shared memory.
inline double exchange_seconds(plan const& p, double turns) {
  constexpr double meeting = 0.7e-6, rate = 32;  // bytes a cycle
  return meeting + turns * 2 * static_cast<double>(bytes(p.accumulator, p.tile_m * p.tile_n)) / rate / clock_rate;
}
// x: the problem, or the parts of it.
inline candidate considered(gemm_kernel const& kernel, problem const& x, bool turned, int processors) {
  plan const& p = *kernel.what;
  candidate r{&kernel, turned, !readable(x.a, p.major_a, p.copy_alignment), !readable(x.b, p.major_b, p.copy_alignment)};
  auto const tiles_along = [](int64 extent, int64 tile, int64 cluster) { return ceil_div(extent, tile * cluster) * cluster; };
  double const tiles = static_cast<double>(tiles_along(x.m, p.tile_m, p.cluster_m) * tiles_along(x.n, p.tile_n, p.cluster_n)) *
                       static_cast<double>(x.batches);
  double const busy = tiles < processors ? tiles / processors : 1;
  double const turns = std::ceil(tiles / processors);
  double const rows = static_cast<double>(p.tile_m) / p.cluster_n * lines_of_row(x.a, p.major_a, r.copy_a) +
                      static_cast<double>(p.tile_n) / p.cluster_m * lines_of_row(x.b, p.major_b, r.copy_b);
  r.time = tile_cost(p, static_cast<double>(ceil_div(x.k, p.tile_k) * p.tile_k), turns, busy, rows, bytes_in(x) / tiles);
  r.time.tile = larger(r.time.tile, fill_cycles(p, x));
  r.time.writes = write_cycles(p, x);
  r.time.turns = turns;
  if (by_threads(p)) r.time.tile = mean_tile(p, r.time.tile, static_cast<double>(ceil_div(x.k, p.tile_k)), r.time.turns);
  r.time.memory = (bytes_in(x) + bytes_out(x, p)) / memory_rate;
  if (r.copy_a) r.time.copies += copy_seconds(x.a, p.major_a, x.m, x.k, x.batches);
  if (r.copy_b) r.time.copies += copy_seconds(x.b, p.major_b, x.n, x.k, x.batches);
  double const last = p.turns > 1 ? r.time.out : 0;  // which no other tile hides
  double const work = (r.time.turns * (r.time.tile + r.time.writes) + last + start_cycles(p)) / clock_rate,
               memory = r.time.memory;
  constexpr double hidden = 0.9;  // of the shorter one, behind the longer one
  r.time.seconds = larger(work, memory) + (1 - hidden) * (work < memory ? work : memory) + r.time.copies;
  return r;
}

// The same with K undivided, or in `parts` if that is not 0, or in as many as are fastest: where a second launch adds them up
// only while tiles are few, no more than eight for each processor.
inline candidate considered(gemm_kernel const& kernel, problem const& x, bool turned, device_facts on, int parts) {
  plan const& p = *kernel.what;
  candidate best = considered(kernel, x, turned, on.processors);
  // Where engines bring operands the model holds tiles that wait for the cache, undivided ones, for a quarter slower than they
  // are.
  double const margin = by_threads(p) ? 1 : 1.25;
  double const tiles = product_of(ceil_div(x.m, p.tile_m), ceil_div(x.n, p.tile_n), x.batches);
  for (int n : {2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    bool const alone = adds_up(p, on, tiles * n, n), few = alone || tiles * n <= 8.0 * on.processors;
    bool const worth = few && x.k >= 2 * n * p.tile_k;
    if (parts == 0 ? !worth : n != parts) continue;
    if (!divides(x, n)) continue;
    candidate c = considered(kernel, in_parts(x, n, p.accumulator), turned, on.processors);
    if (c.copy_a || c.copy_b) continue;
    c.parts = n, c.adds_up = alone;
    c.time.adding = alone ? exchange_seconds(p, c.time.turns) : adding_seconds(x, p, n);
    c.time.seconds = margin * (c.time.seconds + c.time.adding);
    if (parts != 0 || c.time.seconds < best.time.seconds) best = c;
  }
  return best;
}

// The problem both ways, and all kernels that may run it, the fastest first. Elements narrower than a byte are not copied.
struct choice {
  problem upright, turned;
  std::vector<candidate> all = {};

  choice(problem const& x) : upright(fewer_batches(x)), turned(fewer_batches(transposed(x))) {}
  problem const& of(candidate const& c) const { return c.turned ? turned : upright; }
};
inline choice choose(std::span<gemm_kernel const> kernels, problem const& x, gemm_options const& o, device_facts on) {
  choice r(x);
  for (gemm_kernel const& k : kernels)
    for (bool turned : {false, true}) {
      problem const& way = turned ? r.turned : r.upright;
      if (!multiplies(*k.what, way, o) || !counts(*k.what, way) || !runs_on(*k.what, on.architecture)) continue;
      candidate const c = considered(k, way, turned, on, o.parts);
      bool const copies = c.copy_a || c.copy_b;
      if (!copies || bits_of(way.a.type) >= 8) r.all.push_back(c);
    }
  std::stable_sort(r.all.begin(), r.all.end(),
                   [](candidate const& a, candidate const& b) { return a.time.seconds < b.time.seconds; });
  std::stable_partition(r.all.begin(), r.all.end(), [&](candidate const& c) { return o.parts > 1 && c.parts == o.parts; });
  return r;
}

// What takes longest.
inline char const* bound_of(cost const& t) {
  bool const by_memory = t.turns * (t.tile + t.writes) / clock_rate < t.memory;
  bool const by_cache = t.cache > larger(t.matrix, t.shared);
  return by_memory ? "memory" : by_cache ? "cache" : t.shared > t.matrix ? "shared memory" : "matrix units";
}
// A line for a candidate: what bounds it.
inline std::string explain(candidate const& c) {
  cost const& t = c.time;
  auto const number = [](double x) { return std::to_string(static_cast<int64>(x + 0.5)); };
  std::string r = name(*c.kernel->what) + ": " + number(t.seconds * 1e6) + " us, bound by " + bound_of(t) +
                  "; a tile keeps matrix units " + number(t.matrix) + ", shared memory " + number(t.shared) + ", cache " +
                  number(t.cache) + " cycles busy, " + number(t.turns) + " a processor; memory " + number(t.memory * 1e6) +
                  " us";
  if (c.turned) r += "; transposed";
  if (t.writes > 0) r += "; results by threads " + number(t.writes) + " cycles a tile";
  if (t.copies > 0) r += "; copies " + number(t.copies * 1e6) + " us";
  if (c.parts > 1) r += "; K in " + std::to_string(c.parts) + " parts, whose sums take " + number(t.adding * 1e6) + " us";
  return r;
}

}  // namespace colex::gpu
