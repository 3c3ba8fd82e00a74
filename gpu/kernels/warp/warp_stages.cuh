// Of the mma.sync kernel: the plan's constants, and the producer, which fills stages from global memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/async_copy.cuh"
#include "gpu/kernels/common/layout_at.cuh"
#include "gpu/kernels/common/problem.hpp"
#include "gpu/plans/warp.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace colex::gpu::warp {

// The compiler copies what it inlines at each level, so that levels of large functions cost: what is called for constants is a
// member template and a fold, or, where it is small, a lambda and `unroll`. Where no constants are needed, a loop is compiled
// in less time.
template <int N>
using constants = std::make_integer_sequence<int, N>;  // 0 ... N - 1
template <class F, int... I>
__device__ __forceinline__ void unroll(std::integer_sequence<int, I...>, F const& f) {
  (f(std::integral_constant<int, I>{}), ...);
}
// f of 0 ... N - 1, which are evaluated at once: for each by itself the compiler would copy the layouts that it asks.
template <int N, class F>
constexpr std::array<int, N> tabulated(F const& f) {
  std::array<int, N> r{};
  for (int i = 0; i < N; ++i) r[i] = static_cast<int>(f(i));
  return r;
}

// The constants of a plan.
template <class P>
struct traits {
  static constexpr plan p = P::value;
  static constexpr operand_path a = path_of(p, operand::a), b = path_of(p, operand::b);
  static constexpr layout c = fragment_c(p);
  static constexpr repeats atoms = repeats_of(p);
  static constexpr bool wide = p.a == element::f64, integers = p.accumulator == element::s32;
  using sum = std::conditional_t<wide, double, std::conditional_t<integers, std::int32_t, float>>;
  using word = std::conditional_t<wide, double, std::uint32_t>;  // a register, or the two of a double

  static constexpr int words(operand_path const& x, int elements) { return elements * x.bits / (8 * sizeof(word)); }
  static constexpr int words_a = words(a, static_cast<int>(size(p.mma.atom.a, 1)));  // of an atom
  static constexpr int words_b = words(b, static_cast<int>(size(p.mma.atom.b, 1)));
  static constexpr int sums = static_cast<int>(size(p.mma.atom.c, 1));
  static constexpr int bytes_a = static_cast<int>(bytes(p.a, p.tile_m* p.tile_k));  // of a stage
  static constexpr int stage = bytes_a + static_cast<int>(bytes(p.b, p.tile_n* p.tile_k));
  static constexpr int staged = static_cast<int>(size(p.smem_d.inner));  // sums that a warp stages at once
  static constexpr int shared = p.shared;
  static constexpr bool async = p.architecture >= 80 && !p.unaligned, factors = p.scale.block > 0;
  static constexpr bool splits = splits_stages(p);
  // Does each copy ask whether its row lies inside the operand, so that stages of edge tiles are copied like others?
  // Those of f64 took up to twice as long; in its largest tile, which few blocks have at an edge, to ask costs 5 %. Rows of 4
  // bytes are seldom whole tiles.
  static constexpr bool asks_for_rows = async && (wide ? p.tile_m * p.tile_n < 128 * 128 : p.copy_alignment < 16);
  static constexpr int barrier = p.stages * stage + p.threads / 32 * staged * static_cast<int>(sizeof(sum));
};

template <class P, operand X>
struct path {
  static constexpr operand_path value = X == operand::a ? traits<P>::a : traits<P>::b;
};

// Vectors through registers, before 8.0.
__device__ __forceinline__ std::uint32_t load_word(char const* from, int inside) {
  if (inside >= 4) return *reinterpret_cast<std::uint32_t const*>(from);
  std::uint32_t word = 0;
  for (int i = 0; i < inside; ++i) word |= static_cast<std::uint32_t>(static_cast<unsigned char>(from[i])) << 8 * i;
  return word;
}
__device__ __forceinline__ uint4 load_vector(char const* from, int inside) {
  if (inside >= 16) return *reinterpret_cast<uint4 const*>(from);
  return {load_word(from, inside), load_word(from + 4, inside - 4), load_word(from + 8, inside - 8),
          load_word(from + 12, inside - 12)};
}
__device__ __forceinline__ void store_vector(std::uint32_t to, uint4 v) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// 16 bytes at any address: the three aligned parts of 8 bytes that they lie in, as they come from memory. The loads have no
// predicate: ptxas would keep what they replace, and has no registers for it.
struct three_parts {
  static constexpr int part = unaligned_read / 3;
  std::uint32_t word[6];

  __device__ __forceinline__ void load(char const* first) {
    auto const* const parts = reinterpret_cast<uint2 const*>(first);
    unroll(constants<3>{}, [&](auto i) {
      uint2 const two = __ldg(parts + i);
      word[2 * i] = two.x, word[2 * i + 1] = two.y;
    });
  }
  // past: how many bytes behind the first part's begin.
  __device__ __forceinline__ uint4 joined(int past) const {
    std::uint32_t w[5];
    unroll(constants<5>{}, [&](auto i) { w[i] = past & 4 ? word[i + 1] : word[i]; });
    unroll(constants<4>{}, [&](auto i) { w[i] = __funnelshift_r(w[i], w[i + 1], 8 * (past & 3)); });
    return {w[0], w[1], w[2], w[3]};
  }
};
// The first bytes of a vector, and zeros.
__device__ __forceinline__ uint4 first_bytes(uint4 v, int count) {
  auto const mask = [&](int left) { return left >= 4 ? ~0U : left > 0 ? (1U << 8 * left) - 1 : 0U; };
  return {v.x & mask(count), v.y & mask(count - 4), v.z & mask(count - 8), v.w & mask(count - 12)};
}
// The first `count` bytes of a vector's elements in global memory, and zeros. Each element is loaded by itself, all at once.
template <class Element>
__device__ __forceinline__ uint4 load_elements(char const* from, int count) {
  std::uint32_t words[4] = {};
  unroll(constants<16 / sizeof(Element)>{}, [&](auto i) {
    constexpr int byte = i * sizeof(Element);
    std::uint32_t const element = byte < count ? reinterpret_cast<Element const*>(from)[i] : 0;
    words[byte / 4] |= element << 8 * (byte % 4);
  });
  return {words[0], words[1], words[2], words[3]};
}

// The kernel's arguments. A small product's time is one of misses: what every block reads comes first, in few lines of
// constants.
struct arguments {
  char const *a, *b;
  int64 stride_a, stride_b;  // of rows (K-major) or of k (MN-major), in bytes
  int64 batch_a, batch_b;    // of batches
  int64 m, n;
  int64 tiles;                           // of all batches
  std::uint32_t rows, columns, k_tiles;  // tiles along M, N, K
  std::uint32_t k_tiles_of_split;        // where stages are split: tiles of K of a split, of which the last may have fewer
  int last_k;                            // of K in the last tile
  // 0. ptxas 13.0 takes a stage's address for that of shared memory where it knows that they were equal.
  std::uint32_t first_stage;
  element type_d;
  bool stores_splits, leaves_room;  // of the problem; for the next launch beside this one
  bool asks;                        // f64: is the product wanted only where the problem says so?
  bool by_strides;                  // may D be stored by its strides?
  void* d;
  int64 stride_d;         // of D's rows, in elements, where they are stored 16 bytes at a time; 0: one by one
  int64 row_d, column_d;  // D's strides, where it may be stored by them
  double alpha;
  char const *last_a, *last_b;    // of plans for unaligned rows: the operands' last three parts
  std::uint8_t const *sfa, *sfb;  // packed scale factors (factors.hpp), with block scaling
  problem p;
};
// A thread's share of copying an operand, tile after tile.
template <class P, operand X>
struct operand_producer {
  static constexpr operand_path x = path<P, X>::value;
  static constexpr bool along_k = (X == operand::a ? P::value.major_a : P::value.major_b) == major::k;
  static constexpr int tile_rows = static_cast<int>(x.rows), depth = static_cast<int>(x.depth);
  template <class Int>
  __device__ static constexpr Int in_bytes(Int elements) {
    return elements * x.bits / 8;
  }

  using element_bits = std::conditional_t<x.bits == 8, std::uint8_t, std::uint16_t>;  // of plans for unaligned rows

  char const* from;  // the thread's vector of step 0
  char const* last;  // its vector of the step that was copied last
  int rows;          // of the tile that lie inside the operand
  int steps_inside;  // steps whose rows do, where each has other rows
  std::conditional_t<P::value.unaligned, three_parts, uint4> staging[traits<P>::async ? 1 : x.steps];
  // Of unaligned rows: how many bytes behind `from`, a part, the vector begins; do parts of the stage end behind the operand?
  int past;
  int ends = 0;  // a number: a predicate takes six instructions more for each vector

  __device__ static int first() { return at<x.copy>(static_cast<int>(threadIdx.x)); }
  __device__ static int first_row() { return first() % tile_rows; }
  __device__ static int first_k() { return first() / tile_rows; }
  __device__ static int shared() { return at<x.shared>(first()); }
  __device__ static int64 stride(arguments const& t) { return X == operand::a ? t.stride_a : t.stride_b; }
  // Of the first thread's vector in each step: the index, and the element of shared memory.
  static constexpr auto indices = tabulated<x.steps>([](int s) { return x.copy.unchecked(P::value.threads * x.vector * s); });
  static constexpr auto elements = tabulated<x.steps>([](int s) { return x.shared(indices[s]); });
  template <int Step>
  static constexpr int row = indices[Step] % tile_rows;
  template <int Step>
  static constexpr int k = indices[Step] / tile_rows;
  static_assert(!P::value.unaligned || std::ranges::all_of(indices, [](int i) { return i % 8 == 0 && i / tile_rows % 8 == 0; }),
                "vectors of a thread begin as many bytes behind a part's");
  // From one step to the next, where each has other rows.
  static constexpr int rows_of_step = row<(x.steps > 1)> > 0 ? row<(x.steps > 1)> : tile_rows;

  __device__ void start(arguments const& t, int64 row0, int64 batch, int64 k_tile) {
    int64 const r = row0 + first_row(), left = (X == operand::a ? t.m : t.n) - row0;
    from = (X == operand::a ? t.a + batch * t.batch_a : t.b + batch * t.batch_b) +
           (along_k ? r * stride(t) + in_bytes(first_k()) : in_bytes(r) + first_k() * stride(t)) + k_tile * tile_of_k(t);
    rows = static_cast<int>(left < tile_rows ? left : tile_rows);
    if constexpr (P::value.unaligned) {
      past = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % three_parts::part);
      from -= past;
    }
    if constexpr (along_k && traits<P>::asks_for_rows) steps_inside = (rows - first_row() + rows_of_step - 1) / rows_of_step;
  }
  // Do its stages, where all of K lies inside the operand, have whole vectors only?
  __device__ bool has_whole_vectors() const {
    return traits<P>::asks_for_rows ? along_k || rows % x.vector == 0 : rows == tile_rows;
  }
  // Bytes from one tile of K to the next.
  __device__ static int64 tile_of_k(arguments const& t) { return along_k ? in_bytes(depth) : depth * stride(t); }
  __device__ void next_tile_of_k(arguments const& t) { from += tile_of_k(t); }

  // Of the vector so many rows and k behind the one of step 0.
  __device__ __forceinline__ char const* source_behind(arguments const& t, int rows_on, int ks_on) const {
    return from + (along_k ? rows_on * stride(t) + in_bytes(ks_on) : in_bytes(rows_on) + ks_on * stride(t));
  }
  template <int Step>
  __device__ __forceinline__ char const* source(arguments const& t) const {
    return source_behind(t, row<Step>, k<Step>);
  }
  // The same from the step before it: one addition, of a stride that the compiler must not multiply anew.
  template <int Step>
  __device__ __forceinline__ char const* next_source(arguments const& t) {
    constexpr int before = std::max(Step - 1, 0), rows_on = row<Step> - row<before>, ks_on = k<Step> - k<before>;
    if constexpr (Step == 0 || (along_k ? ks_on : rows_on) != 0)
      last = source<Step>(t);
    else
      asm("add.s64 %0, %0, %1;" : "+l"(last) : "l"((along_k ? rows_on : ks_on) * stride(t)));
    return last;
  }
  // Does the vector's row lie inside the operand?
  template <int Step>
  __device__ __forceinline__ bool row_inside(int row0) const {
    return along_k ? row<Step> / rows_of_step < steps_inside : row0 + row<Step> < rows;
  }
  // How many of a vector's bytes lie inside the operand, of which the tile has so many rows and K from there on.
  __device__ static int inside(int rows_left, int k_left) {
    int const across = along_k ? rows_left : k_left, along = along_k ? k_left : rows_left;
    return across > 0 ? max(0, min(in_bytes(along), P::value.copy_alignment)) : 0;
  }
  template <int Step>
  __device__ __forceinline__ int inside(int row0, int k0, int k_tiles) const {
    return inside(rows - row0 - row<Step>, k_tiles - k0 - k<Step>);
  }
  template <int Step>
  __device__ static std::uint32_t to(std::uint32_t stage, int thread) {
    constexpr int step = elements[Step];
    return stage + in_bytes(joined_address(thread, step, x.period()));
  }
  __device__ static char const* last_parts(arguments const& t) { return X == operand::a ? t.last_a : t.last_b; }
  // For a vector of which nothing lies inside the last parts are loaded, and not used; so they are for one whose parts end
  // behind the operand, which comes later, byte by byte. What parts have of bytes before an operand's first is of the same
  // allocation.
  template <int Step>
  __device__ __forceinline__ void load_parts(arguments const& t, int row0, int k0, int k_tiles) {
    char const* const first = next_source<Step>(t);
    bool const wanted = row0 + row<Step> < rows && k0 + k<Step> < k_tiles, whole = first <= last_parts(t);
    bool const loaded = wanted && whole;
    staging[Step].load(loaded ? first : last_parts(t));
    if (wanted != loaded) ends = 1;
  }
  // Copies step `Step` of a tile to shared memory, or to registers (store_shared takes it from there). Whole: all of the tile,
  // or of those of its rows that do, lies inside the operand; otherwise so many of K do. row0, k0: of the thread's step 0.
  template <bool Whole, int Step>
  __device__ __forceinline__ void load_step(arguments const& t, std::uint32_t stage, int thread, int row0, int k0,
                                            int k_tiles) {
    if constexpr (P::value.unaligned)
      load_parts<Step>(t, row0, k0, k_tiles);
    else if constexpr (!traits<P>::async)
      staging[Step] = load_vector(source<Step>(t), Whole ? 16 : inside<Step>(row0, k0, k_tiles));
    else if constexpr (Whole && traits<P>::asks_for_rows)
      copy_async<P::value.copy_alignment>(to<Step>(stage, thread), next_source<Step>(t),
                                          row_inside<Step>(row0) ? P::value.copy_alignment : 0);
    else if constexpr (Whole)
      copy_async<P::value.copy_alignment>(to<Step>(stage, thread), next_source<Step>(t));
    else
      copy_async<P::value.copy_alignment>(to<Step>(stage, thread), source<Step>(t), inside<Step>(row0, k0, k_tiles));
  }
  // Steps Begin to Begin + sizeof...(I) - 1.
  template <bool Whole, int Begin, int... I>
  __device__ __forceinline__ void load_global(arguments const& t, std::uint32_t stage, int thread, int k_tiles,
                                              std::integer_sequence<int, I...>) {
    int const row0 = Whole && !traits<P>::asks_for_rows ? 0 : first_row(), k0 = Whole ? 0 : first_k();
    (load_step<Whole, Begin + I>(t, stage, thread, row0, k0, k_tiles), ...);
  }
  // k_tiles: as above.
  __device__ __forceinline__ void store_shared(arguments const& t, std::uint32_t stage, int thread, int k_tiles) {
    if constexpr (!P::value.unaligned)
      unroll(constants<x.steps>{}, [&](auto s) { store_vector(to<s>(stage, thread), staging[s]); });
    else if (k_tiles == depth)
      unroll(constants<x.steps>{}, [&](auto s) { store_vector(to<s>(stage, thread), staging[s].joined(past)); });
    else
      unroll(constants<x.steps>{}, [&](auto s) {
        store_vector(to<s>(stage, thread), first_bytes(staging[s].joined(past), inside(tile_rows, k_tiles - first_k() - k<s>)));
      });
    if constexpr (P::value.unaligned)
      if (ends) store_ends(t, stage, k_tiles);
  }
  // Those vectors whose parts end behind the operand.
  __device__ __forceinline__ void store_ends(arguments const& t, std::uint32_t stage, int k_tiles) {
#pragma unroll 1
    for (int s = 0; s < x.steps; ++s) {
      int const index = at<x.copy>(static_cast<int>(threadIdx.x) + P::value.threads * x.vector * s);
      int const row = index % tile_rows, k = index / tile_rows, count = inside(rows - row, k_tiles - k);
      char const* const first = source_behind(t, row - first_row(), k - first_k());
      if (count > 0 && first > last_parts(t))
        store_vector(stage + in_bytes(at<x.shared>(index)), load_elements<element_bits>(first + past, count));
    }
    ends = 0;
  }
};

// The origin of tile i. Batch by batch; within one, groups of 16 tiles along M, column by column, so that what the blocks of a
// wave read stays in L2.
struct tile_origin {
  int64 m, n, batch;
};
template <class P>
__device__ __forceinline__ tile_origin origin_of(arguments const& t, int64 i) {
  std::uint32_t const rows = t.rows, columns = t.columns;
  // Divisions keep a block's first loads waiting; most problems need none.
  int64 const batch = i < rows * columns ? 0 : i / (rows * columns);
  std::uint32_t const in_batch = static_cast<std::uint32_t>(i - batch * (rows * columns));
  std::uint32_t const high = min(16u, rows), first = rows == high ? 0 : in_batch / (high * columns) * high;
  std::uint32_t const here = min(high, rows - first), within = in_batch - first * columns;
  return {static_cast<int64>(first + within % here) * P::value.tile_m, static_cast<int64>(within / here) * P::value.tile_n,
          batch};
}
// The tiles of K of tile i: all; or, where the kernel splits K, those of its split, which is its batch, or the block of a
// cluster, whose blocks have one tile.
struct k_range {
  std::uint32_t first, count;
};
template <class P>
__device__ __forceinline__ k_range k_tiles_of(arguments const& t, int64 i) {
  if (!traits<P>::splits) return {0, t.k_tiles};
  std::uint32_t const split = t.stores_splits ? static_cast<std::uint32_t>(origin_of<P>(t, i).batch) : blockIdx.y,
                      first = split * t.k_tiles_of_split;
  return {first, min(t.k_tiles_of_split, t.k_tiles - first)};
}
// This block's tile in a wave.
__device__ __forceinline__ int64 tile_of(std::uint32_t wave) { return static_cast<int64>(wave) * gridDim.x + blockIdx.x; }
template <class P>
__device__ __forceinline__ std::uint32_t next_of(std::uint32_t base, std::uint32_t stage) {
  return stage == base + (P::value.stages - 1) * traits<P>::stage ? base : stage + traits<P>::stage;
}

template <class P>
__device__ __forceinline__ std::uint32_t first_stage(arguments const& t, std::uint32_t base) {
  return base + (traits<P>::wide ? t.first_stage : 0);
}

// The producer: fills stage after stage, for all tiles of K and then the next tile of D, ahead of the MMAs.
template <class P>
struct producer {
  using f = traits<P>;
  arguments const& t;
  std::uint32_t wave = 0;
  operand_producer<P, operand::a> a;
  operand_producer<P, operand::b> b;
  std::uint32_t k_tiles;  // tiles of K left of this tile of D; 0: all tiles are done
  int last_k;             // of K in the last of them
  std::uint32_t base, stage;
  int thread_a, thread_b;

  __device__ __forceinline__ producer(arguments const& u, std::uint32_t memory)
      : t(u), base(memory), stage(first_stage<P>(u, memory)), thread_a(a.shared()), thread_b(b.shared()) {
    start();
  }
  __device__ __forceinline__ void start() {
    k_tiles = 0;
    if (tile_of(wave) >= t.tiles) return;
    tile_origin const at = origin_of<P>(t, tile_of(wave));
    k_range const range = k_tiles_of<P>(t, tile_of(wave));
    int64 const batch = f::splits && t.stores_splits ? 0 : at.batch;
    a.start(t, at.m, batch, range.first);
    b.start(t, at.n, batch, range.first);
    k_tiles = range.count;
    if constexpr (f::splits) last_k = range.first + k_tiles == t.k_tiles ? t.last_k : f::p.tile_k;
  }
  // How much of K the stage's tile has; do all of its rows have whole vectors?
  __device__ __forceinline__ int k() const {
    return k_tiles > 1 ? f::p.tile_k : k_tiles == 1 ? f::splits ? last_k : t.last_k : 0;
  }
  __device__ __forceinline__ bool whole_rows() const { return a.has_whole_vectors() && b.has_whole_vectors(); }
  // How many stages from this one on are filled with full tiles of K, of the same tile of D.
  __device__ __forceinline__ std::uint32_t whole_stages() const {
    if (f::p.unaligned || k_tiles == 0 || !whole_rows()) return 0;
    return k_tiles - ((f::splits ? last_k : t.last_k) < f::p.tile_k);
  }
  // Slice `Slice` of `Slices` of a stage. No branches: the MMAs beside it must not wait.
  template <int Slice, int Slices, bool Whole>
  __device__ __forceinline__ void load_global() {
    constexpr int first_a = Slice * f::a.steps / Slices, end_a = (Slice + 1) * f::a.steps / Slices;
    constexpr int first_b = Slice * f::b.steps / Slices, end_b = (Slice + 1) * f::b.steps / Slices;
    a.template load_global<Whole, first_a>(t, stage, thread_a, k(), constants<end_a - first_a>{});
    b.template load_global<Whole, first_b>(t, stage + f::bytes_a, thread_b, k(), constants<end_b - first_b>{});
  }
  // All slices of the stage were issued.
  __device__ __forceinline__ void finish() {
    if constexpr (f::async) return commit();
    a.store_shared(t, stage, thread_a, k());
    b.store_shared(t, stage + f::bytes_a, thread_b, k());
  }
  // On to the next stage, of the same tile of D.
  __device__ __forceinline__ void next_stage() {
    stage = next_of<P>(base, stage);
    a.next_tile_of_k(t);
    b.next_tile_of_k(t);
    k_tiles -= k_tiles > 0;
  }
  // On to the next tile of D, where the last tile of K is behind.
  __device__ __forceinline__ void next_tile() {
    if (k_tiles > 0) return;
    ++wave;
    start();
  }
};

}  // namespace colex::gpu::warp
