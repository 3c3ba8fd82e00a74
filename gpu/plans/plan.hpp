// A GEMM plan: what a kernel does with its data, as a value. Tiles, stages, atoms, and the layouts from global to shared
// memory, to registers and back; and the laws that plans of several families obey (spec/plans.md). A kernel takes its addresses
// from these layouts and from nowhere else. No CUDA: host compilers check the plans of any chip. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "gpu/algebra/algebra.hpp"
#include "gpu/atoms/element.hpp"
#include "gpu/atoms/tiled_copy.hpp"

#if !defined(__CUDACC_RTC__)  // NVRTC compiles what kernels need, and no code of the host
#include <string>
#endif

namespace colex::gpu {

// The mode of an operand that has stride 1 in memory: K, M or N, or any (the kernel reads element by element).
enum class major : std::uint8_t { k, mn, any };
// What executes an MMA: a thread (simt; dp4a: four bytes of K at a time; gemv: few rows, B in registers), a warp (mma.sync), a
// warpgroup (wgmma), or one thread for an SM or a pair of SMs (tcgen05.mma).
enum class family : std::uint8_t { simt, dp4a, gemv, warp, warpgroup, umma };

// Block scaling: that many elements of K share a scale factor of this type. 0: no scale factors.
struct block_scaling {
  int block = 0;
  element type = element::ue8m0;
};

// What only warpgroup plans have.
struct warpgroup_part {
  int pingpong_groups = 1;  // groups of consumer warpgroups, each with a tile of its own; 1: cooperative
  int epilogue_bytes = 0;   // of a warp, a ring of pieces of results that are staged for TMA stores
  // (m, n) of a staged piece to an element of it, as smem_d: for 32-bit results; for sums that threads store; for 32-bit
  // and for 16-bit results whose columns are contiguous; for the latter of the four warps of a warpgroup together.
  composed smem_words = {}, smem_sums = {}, smem_columns = {}, smem_half_columns = {}, smem_group_columns = {};
};

struct plan {
  // All families.
  int architecture = 0, until = 999;  // the first and the last compute capability that run it: 90 is 9.0
  family kind = family::simt;
  element a = element::f32, b = element::f32, accumulator = element::f32;
  major major_a = major::any, major_b = major::any;
  int64 tile_m = 0, tile_n = 0, tile_k = 0;  // of a block; of each SM of a pair
  int stages = 1, cluster_m = 1, cluster_n = 1;
  int threads = 0;                    // of a block
  int shared = 0;                     // bytes of shared memory of a block
  int registers = 255;                // of a consumer thread, at most
  int copy_alignment = 16;            // bytes of one access to global memory, and their alignment
  tiled_mma mma = {};                 // the atom and its tiling: threads and values to (m, k), (n, k), (m, n)
  composed smem_a = {}, smem_b = {};  // (row, k) of a stage to an element of shared memory
  layout copy_a = {}, copy_b = {};    // (thread, (vector, step)) to (row, k); with one thread: (element, TMA box)

  // Some families.
  composed smem_d = {};                 // all but umma: (m, n) of a staged piece of the results to an element of shared memory
  bool two_level_accumulation = false;  // warp, warpgroup: MMA sums are added to f32 registers every 128 bytes of K
  bool unaligned = false;               // warp: operands' rows begin at any element; three accesses bring a vector
  block_scaling scale = {};             // warp, umma
  warpgroup_part warpgroup = {};
};

// Bytes that are read for a vector of unaligned rows: three aligned parts, as operands must have.
inline constexpr int unaligned_read = 24;

// Bytes at whose multiples the operands' rows must begin in global memory.
constexpr int row_alignment(plan const& p) { return p.unaligned ? bits_of(p.a) / 8 : p.copy_alignment; }

// What the choice of a kernel asks of its plan: two lines of the cache, where a plan has 20 KB.
struct plan_summary {
  int architecture, until;
  family kind;
  element a, b, accumulator;
  major major_a, major_b;
  bool two_level_accumulation, unaligned;
  int stages, cluster_m, cluster_n, threads, shared, registers, pingpong_groups;
  int row_alignment;  // bytes
  block_scaling scale;
  int tile_m, tile_n, tile_k;
  int consumers = 1, consumers_m = 1, consumers_n = 1;  // threads that multiply; their units along M and along N
  int staged_rows = 0;                                  // simt, gemv: of the results

  constexpr plan_summary(plan const& p)
      : architecture(p.architecture),
        until(p.until),
        kind(p.kind),
        a(p.a),
        b(p.b),
        accumulator(p.accumulator),
        major_a(p.major_a),
        major_b(p.major_b),
        two_level_accumulation(p.two_level_accumulation),
        unaligned(p.unaligned),
        stages(p.stages),
        cluster_m(p.cluster_m),
        cluster_n(p.cluster_n),
        threads(p.threads),
        shared(p.shared),
        registers(p.registers),
        pingpong_groups(p.warpgroup.pingpong_groups),
        row_alignment(colex::gpu::row_alignment(p)),
        scale(p.scale),
        tile_m(static_cast<int>(p.tile_m)),
        tile_n(static_cast<int>(p.tile_n)),
        tile_k(static_cast<int>(p.tile_k)) {
    layout const& threads_vmnk = p.mma.thr_layout_vmnk;
    if (rank(threads_vmnk) != 4) return;
    consumers = static_cast<int>(size(threads_vmnk));
    consumers_m = static_cast<int>(size(threads_vmnk, 1)), consumers_n = static_cast<int>(size(threads_vmnk, 2));
    if (kind == family::simt || kind == family::gemv) staged_rows = static_cast<int>(size(p.smem_d.inner, 0));
  }
};

constexpr int row_alignment(plan_summary const& p) { return p.row_alignment; }

// Does the kernel give splits of K their stages itself? Others are given the splits as batches, which they read in place.
template <class Plan>
constexpr bool splits_stages(Plan const& p) {
  return p.kind == family::warp ? row_alignment(p) < 16 || p.a == element::f64 : p.kind != family::umma;
}

constexpr int64 bytes(element e, int64 count) { return times(count, bits_of(e)) / 8; }

// Do the sums of a tile fit where the stages are?
template <class Plan>
constexpr bool sums_fit_stages(Plan const& p) {
  return bytes(p.accumulator, p.tile_m * p.tile_n) <=
         p.stages * (bytes(p.a, p.tile_m * p.tile_k) + bytes(p.b, p.tile_n * p.tile_k));
}
// Can the blocks of a cluster, which have the splits of K of one tile, reduce them? Of a warp plan. With fewer registers beside
// its sums ptxas makes the mainloop of f64's 64x64 slower, by 3 %.
template <class Plan>
constexpr bool reduces_warp_splits(Plan const& p) {
  int64 const sums = bytes(p.accumulator, p.tile_m * p.tile_n) / (4 * p.threads);  // registers of a thread
  return p.kind == family::warp && splits_stages(p) && sums_fit_stages(p) && p.registers - sums >= 108;
}

// Do threads copy with cp.async? Others hold a stage in registers.
template <class Plan>
constexpr bool copies_async(Plan const& p) {
  return p.architecture >= 80 && (p.kind == family::warp ? !p.unaligned : p.kind == family::simt);
}

// May threads of a simt kernel store the sums that they hold, and not by way of shared memory? With the largest tiles, or 16
// rows, ptxas then allocates the mainloop's registers worse.
template <class Plan>
constexpr bool stores_held(Plan const& p) {
  return p.kind == family::simt && p.tile_m > 16 && p.tile_m * p.tile_n <= 64 * 128;
}

// TMA and the tensor cores agree on rows of 128 bytes whose 16-byte units are swizzled among eight rows. How many elements such
// a row has, and its swizzle.
constexpr int64 row_elements(element e) { return 1024 / bits_of(e); }
constexpr swizzle swizzle_of(element e) {
  int base = 7;
  for (int bits = bits_of(e); bits > 1; bits /= 2) --base;
  return {3, base, 3};
}

// An operand's stage of `rows` by `k` in swizzled rows of 128 bytes, along K (k is one such row) or along M or N.
constexpr composed tma_smem_layout(major along, element e, int64 rows, int64 k) {
  int64 const run = row_elements(e);
  if (along == major::k) return composition(swizzle_of(e), 0, make_layout({rows, k}, {run, 1}));
  return composition(swizzle_of(e), 0, make_layout({{run, rows / run}, k}, {{1, run * k}, run}));
}
// The TMA boxes that load it: (element, box) to (row, k).
constexpr layout tma_boxes(major along, element e, int64 rows, int64 k) {
  int64 const run = row_elements(e);
  if (along == major::k) return make_layout({{k, rows}, 1}, {{rows, 1}, 0});
  return make_layout({{run, k}, rows / run}, {{1, rows}, run});
}

#if !defined(__CUDACC_RTC__)
// The name of the plan's kernel, which gemm_options::kernel takes: sm80_bf16_kn_128x256x64_s3 reads A along K and B along N,
// and has three stages.
inline std::string name(plan const& p) {
  std::string r = p.kind == family::simt ? "simt" : p.kind == family::gemv ? "gemv" : "sm" + std::to_string(p.architecture);
  auto const add = [&](auto const&... parts) { ((r += '_'), ..., (r += parts)); };
  auto const by = [](int64 x, int64 y) { return std::to_string(x) + 'x' + std::to_string(y); };
  r.append("_").append(name_of(p.a));
  if (p.b != p.a) r.append("_").append(name_of(p.b));
  if (p.two_level_accumulation) add("two_level");
  if (p.scale.block > 0) add(name_of(p.scale.type));
  if (p.major_b != major::any)
    add(p.major_a == major::k ? "k" : p.major_a == major::mn ? "m" : "x"), r += p.major_b == major::k ? 'k' : 'n';
  add(by(p.tile_m, p.tile_n) + 'x' + std::to_string(p.tile_k)), add("s" + std::to_string(p.stages));
  if (p.unaligned || (p.kind == family::gemv && p.copy_alignment < 16)) add("unaligned");
  if (copies_async(p) && p.copy_alignment < 16) add("align" + std::to_string(8 * p.copy_alignment / bits_of(p.a)));
  if (p.warpgroup.pingpong_groups > 1) add("pingpong");
  if (p.cluster_m * p.cluster_n > 1) add(by(p.cluster_m, p.cluster_n));
  return r;
}
#endif

// The type of an operand's elements in shared memory: simt and gemv kernels convert them when they copy.
constexpr element smem_type(plan const& p, element e) {
  return p.kind == family::simt || p.kind == family::gemv ? p.accumulator : e;
}
constexpr int64 shared_bytes(plan const& p) {
  bool const gemv = p.kind == family::gemv;
  int64 const stage = bytes(smem_type(p, p.a), cosize(p.smem_a.inner)) +
                      (gemv ? 0 : bytes(smem_type(p, p.b), cosize(p.smem_b.inner))),
              sums = gemv ? size(p.mma.thr_layout_vmnk, 3) : 1;  // of a tile: those of the threads along K
  int64 const epilogue = p.smem_d.inner.form.count == 0 ? 0 : sums * bytes(p.accumulator, cosize(p.smem_d.inner));
  return p.stages * stage > epilogue ? p.stages * stage : epilogue;
}

// The order of tiles: batch by batch; within one, groups of eight tiles along M, column by column, so that blocks that run at
// the same time share operands in L2.
struct tile_index {
  int64 m, n, batch;
};
struct tile_order {
  int64 along_m, along_n, batches;

  COLEX_HD constexpr int64 count() const { return along_m * along_n * batches; }
  // Do 32-bit indices suffice? An SM divides those in a tenth of the time.
  COLEX_HD constexpr bool fits_32_bits() const { return count() <= UINT32_MAX / group; }
  COLEX_HD constexpr tile_index operator()(std::uint32_t i) const { return at(i); }
  COLEX_HD constexpr tile_index operator()(int64 i) const { return at(i); }

 private:
  static constexpr int group = 8;
  template <class Integer>
  COLEX_HD constexpr tile_index at(Integer i) const {
    // Divisions keep a block's first loads waiting; most problems need none.
    auto const m = static_cast<Integer>(along_m), n = static_cast<Integer>(along_n);
    Integer const batch = batches == 1 ? 0 : i / (m * n), in_batch = i - batch * (m * n);
    Integer const first = m <= group ? 0 : in_batch / (group * n) * group, in_group = in_batch - first * n;
    Integer const height = m - first < group ? m - first : group;
    Integer const column = height == group ? in_group / group : in_group / height;
    return {first + in_group - column * height, column, batch};
  }
};

// Indices below `capacity` of a tile, each at most once.
struct index_set {
  static constexpr int64 most = 1 << 16;
  std::uint64_t words[most / 64] = {};
  int64 count = 0;

  // Is i new? undefined: beyond the capacity.
  constexpr bool insert(int64 i) {
    if (i < 0 || i >= most) no_such_mode();
    std::uint64_t const bit = std::uint64_t{1} << (i % 64);
    bool const fresh = (words[i / 64] & bit) == 0;
    words[i / 64] |= bit;
    count += fresh;
    return fresh;
  }
};
// Does the layout take [0, n) to [0, n), each once?
constexpr bool permutes(layout const& a, int64 n) {
  index_set seen;
  if (size(a) != n) return false;
  for (int64 i = 0; i < n; ++i) {
    int64 const x = a(i);
    if (x < 0 || x >= n || !seen.insert(x)) return false;
  }
  return true;
}

// No two elements share an address in shared memory. The swizzle reads no bit that it flips, as CuTe's do not.
constexpr bool keeps_apart(composed const& a) {
  if (a.sw.bits > magnitude(a.sw.shift)) return false;
  index_set seen;
  for (int64 i = 0; i < size(a.inner); ++i)
    if (!seen.insert(a(i))) return false;
  return true;
}
// All that results are staged in; what a plan does not have is empty.
constexpr std::array<composed const*, 6> staged_pieces(plan const& p) {
  auto const& of = p.warpgroup;
  return {&p.smem_d, &of.smem_words, &of.smem_sums, &of.smem_columns, &of.smem_half_columns, &of.smem_group_columns};
}
constexpr bool plan_keeps_apart(plan const& p) {
  for (composed const* a : staged_pieces(p))
    if (!keeps_apart(*a)) return false;
  return keeps_apart(p.smem_a) && keeps_apart(p.smem_b);
}

// All threads together copy each element of a stage once.
constexpr bool plan_copy_covers(plan const& p) {
  return permutes(p.copy_a, p.tile_m * p.tile_k) && permutes(p.copy_b, p.tile_n * p.tile_k);
}

// A thread's vector lies along the operand's contiguous mode, begins there at a multiple of its length, and is one access; or
// it is a single element.
constexpr bool copy_aligned(layout const& copy, major along, int64 rows, int64 vector_bits, int64 bits) {
  layout const vector = get(get(copy, 1), 0);
  int64 const n = size(vector), step = along == major::k ? rows : 1;
  if (n > 1 && (n * bits != vector_bits || vector.form.count != 1 || vector.stride[0] != step || along == major::any))
    return false;
  for (int64 i = 0; i < size(copy); i += 1) {
    if (i / size(copy, 0) % n != 0) continue;
    int64 const at = copy(i);
    if ((along == major::k ? at / rows : at % rows) % n != 0) return false;
  }
  return true;
}
constexpr bool plan_copy_aligned(plan const& p) {
  return copy_aligned(p.copy_a, p.major_a, p.tile_m, 8 * p.copy_alignment, bits_of(p.a)) &&
         copy_aligned(p.copy_b, p.major_b, p.tile_n, 8 * p.copy_alignment, bits_of(p.b));
}

// The accumulators of all threads cover the tile, each element once.
constexpr bool plan_epilogue_covers(plan const& p) {
  return tile_size(p.mma, 0) == p.tile_m && permutes(layout_tv(p.mma, operand::c), p.tile_m * p.tile_n);
}

inline constexpr int cluster_limit = 8;  // blocks of a cluster, on any device that has clusters
// Bytes of shared memory that a block may have.
constexpr int64 shared_limit(int architecture) {
  switch (architecture) {
    case 75: return 64 << 10;
    case 80:
    case 87: return 163 << 10;
    case 86:
    case 89:
    case 120:
    case 121: return 99 << 10;
    case 90:
    case 100:
    case 103: return 227 << 10;
    default: return 48 << 10;
  }
}
// The same of a simt kernel, which asks for none at its launch.
constexpr int64 simt_shared_limit = 48 << 10;
// Threads, registers and shared memory are what the architecture has; there are at least two stages.
constexpr bool plan_fits(plan const& p) {
  bool const threads = p.threads >= 32 && p.threads <= 1024 && p.threads % 32 == 0;
  return threads && p.registers <= 255 && p.threads * p.registers <= 65536 && p.stages >= 2 && p.shared >= shared_bytes(p) &&
         p.shared <= (p.kind == family::simt ? simt_shared_limit : shared_limit(p.architecture));
}

}  // namespace colex::gpu
