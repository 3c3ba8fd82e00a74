// What a GEMM kernel does with its data, as a value: tile, stages, atoms, and the maps from global to shared memory, to
// registers and back; and the laws that every plan obeys (spec/plans.md). A kernel takes its addresses from these maps and from
// nowhere else. No CUDA: host compilers check plans for chips that are not there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/algebra.hpp"
#include "gpu/atoms/element.hpp"
#include "gpu/atoms/tiled_copy.hpp"

#include <string>

namespace colex::gpu {

// Which mode of an operand has stride 1 in memory: K, M or N, or whichever (a kernel that reads element by element).
enum class major : std::uint8_t { k, mn, any };
// What multiplies: one thread, one thread four bytes at a time, a warp, four warps, one thread for an SM or a pair of them.
enum class family : std::uint8_t { simt, dot, warp, warpgroup, umma };

struct plan {
  int architecture = 0, until = 999;  // the first and the last compute capability that run it: 90 is 9.0
  family kind = family::simt;
  element a = element::f32, b = element::f32, accumulator = element::f32;
  major major_a = major::any, major_b = major::any;
  int block = 0;                   // elements of K that share a scale factor, 0: none do
  element scale = element::ue8m0;  // the factor's type
  int turns = 1;                   // warpgroups, or groups of them, that take tiles by turns
  bool promotes = false;           // adds the tensor cores' sums to f32 registers every 128 bytes of K

  int64 tile_m = 0, tile_n = 0, tile_k = 0;  // what a block, or an SM of a pair, computes
  int stages = 1, cluster_m = 1, cluster_n = 1;
  int threads = 0;          // of a block
  int shared = 0;           // bytes of shared memory of a block
  int registers = 255;      // of a thread that multiplies, at most
  int copy_alignment = 16;  // bytes that a copy from global memory moves at once and is aligned to

  tiled_mma mma = {};                        // who multiplies what of the tile; layouts of threads and values to it
  composed smem_a = {}, smem_b = {};         // (row, k) of a stage to an element in shared memory
  layout copy_a = {}, copy_b = {};           // (thread, (vector, step)) to (row, k); one thread: the copy engine's box
  int buffers = 1;                           // of smem_d, for each warp
  composed smem_d = {};                      // (m, n) of what a warp, or the block, stages of results on their way out
  composed smem_words = {}, smem_sums = {};  // the same where results have 32 bits, and where they leave as sums
  composed smem_columns = {};                // the same of 32 bits whose columns are contiguous
};

constexpr int64 bytes(element e, int64 count) { return count * bits_of(e) / 8; }

// ---- operands that the copy engine brings ----

// Shared memory rows have 128 bytes, their 16-byte units permuted among eight rows, on which the copy engine and the
// tensor cores agree. Elements of a row, and what permutes them.
constexpr int64 run_of(element e) { return 1024 / bits_of(e); }
constexpr swizzle swizzle_of(element e) {
  int base = 7;
  for (int bits = bits_of(e); bits > 1; bits /= 2) --base;
  return {3, base, 3};
}

// An operand of `rows` rows and one run of K, or of runs along its rows and `k` of K.
constexpr composed run_layout(major along, element e, int64 rows, int64 k) {
  int64 const run = run_of(e);
  if (along == major::k) return composition(swizzle_of(e), 0, make_layout({rows, k}, {run, 1}));
  return composition(swizzle_of(e), 0, make_layout({{run, rows / run}, k}, {{1, run * k}, run}));
}
// The boxes that bring it: (element, box) to (row, k).
constexpr layout run_boxes(major along, element e, int64 rows, int64 k) {
  int64 const run = run_of(e);
  if (along == major::k) return make_layout({{k, rows}, 1}, {{rows, 1}, 0});
  return make_layout({{run, k}, rows / run}, {{1, rows}, run});
}

// ---- names and sizes ----

// The name that a kernel is forced by: sm80_bf16_kn_128x256x64_s3 reads A along k, B along n, and has three stages.
inline std::string name(plan const& p) {
  std::string r = p.kind == family::simt ? "simt" : "sm" + std::to_string(p.architecture);
  auto const add = [&](auto const&... parts) { ((r += '_'), ..., (r += parts)); };
  auto const by = [](int64 x, int64 y) { return std::to_string(x) + 'x' + std::to_string(y); };
  r.append("_").append(name_of(p.a));
  if (p.b != p.a) r.append("_").append(name_of(p.b));
  if (p.promotes) add("promoted");
  if (p.block > 0) add(name_of(p.scale));
  if (p.major_a != major::any) add(p.major_a == major::k ? "k" : "m"), r += p.major_b == major::k ? 'k' : 'n';
  add(by(p.tile_m, p.tile_n) + 'x' + std::to_string(p.tile_k)), add("s" + std::to_string(p.stages));
  if (p.turns > 1) add("t" + std::to_string(p.turns));
  if (p.cluster_m * p.cluster_n > 1) add(by(p.cluster_m, p.cluster_n));
  return r;
}

// What an operand's elements are while they lie in shared memory: threads that multiply one by one convert them on the way.
constexpr element held(plan const& p, element e) { return p.kind == family::simt ? p.accumulator : e; }
constexpr int64 shared_bytes(plan const& p) {
  int64 const stage = bytes(held(p, p.a), cosize(p.smem_a.inner)) + bytes(held(p, p.b), cosize(p.smem_b.inner));
  int64 const out = p.smem_d.inner.form.count == 0 ? 0 : bytes(p.accumulator, cosize(p.smem_d.inner));
  return p.stages * stage > out ? p.stages * stage : out;
}

// Which tile a number is: batch by batch, in each eight tiles along M beside each other, so that blocks that run together share
// operands.
struct tile_index {
  int64 m, n, batch;
};
struct tile_order {
  int64 along_m, along_n, batches;

  COLEX_HD constexpr int64 count() const { return along_m * along_n * batches; }
  // The same in 32 bits while all are few: a processor divides those in a tenth of the time.
  COLEX_HD constexpr bool few() const { return count() <= UINT32_MAX / group; }
  COLEX_HD constexpr tile_index operator()(std::uint32_t i) const { return at(i); }
  COLEX_HD constexpr tile_index operator()(int64 i) const { return at(i); }

 private:
  static constexpr int group = 8;
  template <class Integer>
  COLEX_HD constexpr tile_index at(Integer i) const {
    auto const m = static_cast<Integer>(along_m), n = static_cast<Integer>(along_n);
    Integer const batch = i / (m * n), in_batch = i - batch * (m * n), first = in_batch / (group * n) * group;
    Integer const in_group = in_batch - first * n, height = m - first < group ? m - first : group, column = in_group / height;
    return {first + in_group - column * height, column, batch};
  }
};

// ---- laws ----

// Indices below `capacity` of a tile, each at most once.
struct index_set {
  static constexpr int64 most = 1 << 16;
  std::uint64_t words[most / 64] = {};
  int64 count = 0;

  // Was it not there yet? undefined: beyond the capacity.
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

// No two elements share a place in shared memory.
constexpr bool keeps_apart(composed const& a) {
  index_set seen;
  for (int64 i = 0; i < size(a.inner); ++i)
    if (!seen.insert(a(i))) return false;
  return true;
}
constexpr bool plan_keeps_apart(plan const& p) {
  for (composed const& a : {p.smem_a, p.smem_b, p.smem_d, p.smem_words, p.smem_sums, p.smem_columns})
    if (!keeps_apart(a)) return false;
  return true;
}

// The copies of all threads bring every element of a stage, each once.
constexpr bool plan_copy_covers(plan const& p) {
  return permutes(p.copy_a, p.tile_m * p.tile_k) && permutes(p.copy_b, p.tile_n * p.tile_k);
}

// A thread's vector is contiguous where the operand is, begins at a multiple of its length, and is one aligned access.
constexpr bool copy_aligned(layout const& copy, major along, int64 rows, int64 vector_bits, int64 bits) {
  layout const vector = get(get(copy, 1), 0);
  int64 const n = size(vector), step = along == major::k ? rows : 1;
  if (along != major::any && n * bits != vector_bits) return false;
  if (n > 1 && (vector.form.count != 1 || vector.stride[0] != step || along == major::any)) return false;
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

// The accumulators of all threads are the tile, each element once.
constexpr bool plan_epilogue_covers(plan const& p) {
  return tile_size(p.mma, 0) == p.tile_m && permutes(layout_tv(p.mma, operand::c), p.tile_m * p.tile_n);
}

// Shared memory, threads and registers of a block, as the architecture has them; at least two stages.
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
constexpr bool plan_fits(plan const& p) {
  bool const threads = p.threads >= 32 && p.threads <= 1024 && p.threads % 32 == 0;
  return threads && p.registers <= 255 && p.threads * p.registers <= 65536 && p.stages >= 2 && p.shared >= shared_bytes(p) &&
         p.shared <= shared_limit(p.architecture);
}

}  // namespace colex::gpu
