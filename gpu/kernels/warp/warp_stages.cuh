// What a plan means to the kernel whose warps multiply by themselves, as constants; how stages are filled from global memory
// and read into registers, and a warp's sums. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"
#include "gpu/plans/warp.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace colex::gpu::warp {

// f of the constants 0 ... N - 1.
template <int N, class F>
__device__ __forceinline__ void unroll(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}

// What a plan means to its kernel, as constants.
template <class P>
struct facts {
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
  static constexpr int staged = static_cast<int>(size(p.smem_d.inner));  // sums of a warp on their way out
  static constexpr int shared = p.shared;
  static constexpr bool async = p.architecture >= 80, factors = p.block > 0;
  static constexpr int barrier = p.stages * stage + p.threads / 32 * staged * static_cast<int>(sizeof(sum));
};

template <class P, operand X>
struct path {
  static constexpr operand_path value = X == operand::a ? facts<P>::a : facts<P>::b;
};

// The element that is `Step` further than a thread's, both swizzled: bits that the swizzle changes are joined by exclusive or,
// those above by addition (law: warp_steps_join).
template <int Period, int Step>
__device__ __forceinline__ int joined(int thread) {
  constexpr int near = Step % Period;
  return (near == 0 ? thread : thread ^ near) + (Step - near);
}
template <layout L>
__device__ __forceinline__ int at(int i) {
  return L.unchecked(i);
}
template <composed A>
__device__ __forceinline__ int at(int i) {
  constexpr swizzle sw = A.sw;
  return sw.unchecked(at<A.inner>(i));
}

// ---- global to shared memory ----

// 16 bytes, past the first-level cache.
__device__ __forceinline__ void copy_async(std::uint32_t to, char const* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
// Zeros for those behind the first `inside` of them, which are not read.
__device__ __forceinline__ void copy_async(std::uint32_t to, char const* from, int inside) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

// The same through registers, for chips that cannot copy past them.
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

// What the kernel is launched with.
struct task {
  problem p;
  int64 stride_a, stride_b;       // bytes from row to row, or from k to k where rows are contiguous
  std::uint8_t const *sfa, *sfb;  // scale factors, packed (factors.hpp), where the plan has blocks
  int64 stride_d = 0;             // elements from row to row where D takes 16 bytes along N at once; 0: one by one
  int64 tiles = 0;                // of all batches
  std::uint32_t rows = 0, columns = 0, ks = 0;  // tiles along M, N, K
  int last_k = 0;                               // of K in the last tile
};

// What this thread copies of an operand's tile after tile.
template <class P, operand X>
struct supply {
  static constexpr operand_path x = path<P, X>::value;
  static constexpr bool along_k = (X == operand::a ? P::value.major_a : P::value.major_b) == major::k;
  static constexpr int tile_rows = static_cast<int>(x.rows), depth = static_cast<int>(x.depth);
  template <class Int>
  __device__ static constexpr Int in_bytes(Int elements) {
    return elements * x.bits / 8;
  }

  char const* from;  // the vector of step 0
  char const* last;  // that of the step fetched last
  int rows;          // of the tile that are the matrix's
  uint4 held[facts<P>::async ? 1 : x.steps];

  __device__ static int first() { return at<x.copy>(static_cast<int>(threadIdx.x)); }
  __device__ static int first_row() { return first() % tile_rows; }
  __device__ static int first_k() { return first() / tile_rows; }
  __device__ static int shared() { return at<x.shared>(first()); }
  __device__ static int64 stride(task const& t) { return X == operand::a ? t.stride_a : t.stride_b; }
  template <int Step>
  static constexpr int index = static_cast<int>(x.copy.unchecked(P::value.threads * x.vector * Step));
  template <int Step>
  static constexpr int row = index<Step> % tile_rows;
  template <int Step>
  static constexpr int k = index<Step> / tile_rows;

  __device__ void start(task const& t, int64 row0, int64 batch) {
    matrix const& m = X == operand::a ? t.p.a : t.p.b;
    int64 const r = row0 + first_row(), left = (X == operand::a ? t.p.m : t.p.n) - row0;
    from = static_cast<char const*>(m.data) + in_bytes(m.offset(2, batch)) +
           (along_k ? r * stride(t) + in_bytes(first_k()) : in_bytes(r) + first_k() * stride(t));
    rows = static_cast<int>(left < tile_rows ? left : tile_rows);
  }
  __device__ void next_tile_of_k(task const& t) { from += along_k ? in_bytes(depth) : depth * stride(t); }

  template <int Step>
  __device__ __forceinline__ char const* source(task const& t) const {
    return from + (along_k ? row<Step> * stride(t) + in_bytes(k<Step>) : in_bytes(row<Step>) + k<Step> * stride(t));
  }
  // The same after the step before it: one addition, of a distance that the compiler is not to multiply out again.
  template <int Step>
  __device__ __forceinline__ char const* next_source(task const& t) {
    constexpr int before = std::max(Step - 1, 0), rows_on = row<Step> - row<before>, ks_on = k<Step> - k<before>;
    if constexpr (Step == 0 || (along_k ? ks_on : rows_on) != 0)
      last = source<Step>(t);
    else
      asm("add.s64 %0, %0, %1;" : "+l"(last) : "l"((along_k ? rows_on : ks_on) * stride(t)));
    return last;
  }
  // How many of the vector's bytes are the matrix's.
  template <int Step>
  __device__ __forceinline__ int inside(int ks) const {
    int const rows_left = rows - first_row() - row<Step>, k_left = ks - first_k() - k<Step>;
    int const across = along_k ? rows_left : k_left, along = along_k ? k_left : rows_left;
    return across > 0 ? max(0, min(in_bytes(along), 16)) : 0;
  }
  template <int Step>
  __device__ static std::uint32_t to(std::uint32_t stage, int thread) {
    constexpr int step = static_cast<int>(x.shared(index<Step>));
    return stage + in_bytes(joined<x.period(), step>(thread));
  }
  // Steps Begin to End - 1 of a tile, all of which (Whole), or so many of K, are the matrix's: to shared memory, or to
  // registers and (put) from there.
  template <int Begin, int End, bool Whole>
  __device__ __forceinline__ void fetch(task const& t, std::uint32_t stage, int thread, int ks) {
    unroll<End - Begin>([&](auto i) {
      constexpr int s = Begin + i;
      if constexpr (!facts<P>::async)
        held[s] = load_vector(source<s>(t), Whole ? 16 : inside<s>(ks));
      else if constexpr (Whole)
        copy_async(to<s>(stage, thread), next_source<s>(t));
      else
        copy_async(to<s>(stage, thread), source<s>(t), inside<s>(ks));
    });
  }
  __device__ __forceinline__ void put(std::uint32_t stage, int thread) {
    unroll<x.steps>([&](auto s) { store_vector(to<s>(stage, thread), held[s]); });
  }
};

// ---- which tile ----

// Where tile i begins. Batch by batch, within one 16 rows of tiles at a time, so that what the blocks of a wave read stays in
// the second-level cache.
struct corner {
  int64 m, n, batch;
};
template <class P>
__device__ __forceinline__ corner corner_of(task const& t, int64 i) {
  std::uint32_t const rows = t.rows, columns = t.columns;
  int64 const batch = i / (rows * columns);
  std::uint32_t const in_batch = static_cast<std::uint32_t>(i - batch * (rows * columns));
  std::uint32_t const high = min(16u, rows), group = in_batch / (high * columns), first = group * high;
  std::uint32_t const here = min(high, rows - first), within = in_batch - first * columns;
  return {static_cast<int64>(first + within % here) * P::value.tile_m, static_cast<int64>(within / here) * P::value.tile_n,
          batch};
}
// The tile that a block works on in its i-th round.
__device__ __forceinline__ int64 tile_of(std::uint32_t round) { return static_cast<int64>(round) * gridDim.x + blockIdx.x; }
template <class P>
__device__ __forceinline__ std::uint32_t next_of(std::uint32_t base, std::uint32_t stage) {
  return stage == base + (P::value.stages - 1) * facts<P>::stage ? base : stage + facts<P>::stage;
}

// Fills stage after stage, tiles of K and then tiles of the product, ahead of the multiplication.
template <class P>
struct producer {
  using f = facts<P>;
  task const& t;
  std::uint32_t round = 0;
  supply<P, operand::a> a;
  supply<P, operand::b> b;
  std::uint32_t ks;  // tiles of K that are left of the tile; 0: of all
  std::uint32_t base, stage;
  int thread_a, thread_b;

  __device__ __forceinline__ producer(task const& u, std::uint32_t memory)
      : t(u), base(memory), stage(memory), thread_a(a.shared()), thread_b(b.shared()) {
    start();
  }
  __device__ __forceinline__ void start() {
    ks = 0;
    if (tile_of(round) >= t.tiles) return;
    corner const at = corner_of<P>(t, tile_of(round));
    a.start(t, at.m, at.batch);
    b.start(t, at.n, at.batch);
    ks = t.ks;
  }
  // How many of K are left for the stage's tile; is all of that tile in the matrices?
  __device__ __forceinline__ int k() const { return ks > 1 ? f::p.tile_k : ks == 1 ? t.last_k : 0; }
  __device__ __forceinline__ bool whole_rows() const { return a.rows == f::p.tile_m && b.rows == f::p.tile_n; }
  __device__ __forceinline__ bool whole() const { return whole_rows() && k() == f::p.tile_k; }
  // How many stages from this one on are filled with whole tiles, none of which is the last of K.
  __device__ __forceinline__ std::uint32_t whole_stages() const { return whole_rows() && ks > 1 ? ks - 1 : 0; }
  // Part `Part` of `Parts` of a stage. No branches: what multiplies meanwhile is not to wait.
  template <int Part, int Parts, bool Whole>
  __device__ __forceinline__ void fetch() {
    a.template fetch<Part * f::a.steps / Parts, (Part + 1) * f::a.steps / Parts, Whole>(t, stage, thread_a, k());
    b.template fetch<Part * f::b.steps / Parts, (Part + 1) * f::b.steps / Parts, Whole>(t, stage + f::bytes_a, thread_b, k());
  }
  // The stage has been fetched.
  __device__ __forceinline__ void finish() {
    if constexpr (f::async) return commit();
    a.put(stage, thread_a);
    b.put(stage + f::bytes_a, thread_b);
  }
  // To the next stage, of the same tile of the product.
  __device__ __forceinline__ void next_tile_of_k() {
    stage = next_of<P>(base, stage);
    a.next_tile_of_k(t);
    b.next_tile_of_k(t);
    --ks;
  }
  __device__ __forceinline__ void next_stage() {
    if (ks > 1) return next_tile_of_k();
    stage = next_of<P>(base, stage);
    if (ks == 0) return;
    ++round;
    start();
  }
};

// ---- shared memory to registers ----

// Four 8x8 matrices of 16 bits, or of as many bytes, a row a thread.
__device__ __forceinline__ void load_matrices(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void load_transposed(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void load_shared(std::uint32_t (&r)[2], std::uint32_t from) {
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(from) : "memory");
}
__device__ __forceinline__ void load_shared(double (&r)[1], std::uint32_t from) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(r[0]) : "r"(from) : "memory");
}

// A warp's fragments of an operand for one atom of K.
template <class P, operand X>
struct fragment {
  static constexpr operand_path x = path<P, X>::value;
  static constexpr bool along_k = supply<P, X>::along_k;
  static constexpr int words = facts<P>::words(x, x.width), loads = x.loads / facts<P>::atoms.k;
  typename facts<P>::word word[loads][words];

  __device__ static int thread() { return at<x.shared>(at<x.source>(static_cast<int>(threadIdx.x))); }

  // Part `Part` of `Parts` of an atom's.
  template <int Block, int Part, int Parts>
  __device__ __forceinline__ void load(std::uint32_t stage, int thread) {
    constexpr int first = Part * loads / Parts, end = (Part + 1) * loads / Parts;
    unroll<end - first>([&](auto j) {
      constexpr int i = first + j;
      constexpr int step = static_cast<int>(x.shared(x.source.unchecked(P::value.threads * x.width * (Block * loads + i))));
      std::uint32_t const from = stage + supply<P, X>::in_bytes(joined<x.period(), step>(thread));
      if constexpr (words != 4)
        load_shared(word[i], from);
      else if constexpr (along_k)
        load_matrices(word[i], from);
      else
        load_transposed(word[i], from);
    });
  }
};

template <class P>
struct fragments {
  fragment<P, operand::a> a;
  fragment<P, operand::b> b;

  template <int Block, int Part, int Parts>
  __device__ __forceinline__ void load(std::uint32_t stage, int thread_a, int thread_b) {
    a.template load<Block, Part, Parts>(stage, thread_a);
    b.template load<Block, Part, Parts>(stage + facts<P>::bytes_a, thread_b);
  }
};

// What a plan without blocks does with scale factors: it multiplies. (sm120.cu has the others.)
template <class P>
struct no_factors {
  __device__ __forceinline__ no_factors(task const&, std::uint32_t) {}
  __device__ __forceinline__ void fetch(producer<P> const&) const {}
  template <int Block>
  __device__ __forceinline__ void load(std::uint32_t) const {}
  template <int M, int N, int Block, class... Registers>
  __device__ __forceinline__ void multiply(Registers*... registers) const {
    P::multiply(registers...);
  }
};
template <class P>
struct scale_factors;
template <class P>
using factors_of = std::conditional_t<(P::value.block > 0), scale_factors<P>, no_factors<P>>;

template <class P>
struct sums {
  using f = facts<P>;
  typename f::sum value[f::atoms.n][f::atoms.m][f::sums];

  __device__ __forceinline__ void clear() {
    unroll<f::atoms.n * f::atoms.m * f::sums>([&](auto i) { (&value[0][0][0])[i] = 0; });
  }
  __device__ __forceinline__ void add(sums const& x) {
    unroll<f::atoms.n * f::atoms.m * f::sums>([&](auto i) { (&value[0][0][0])[i] += (&x.value[0][0][0])[i]; });
  }
  // Part `Part` of `Parts` of an atom's products: back and forth along N, so that A's registers, which are more than B's, stay
  // from product to product.
  template <int Block, int Part, int Parts>
  __device__ __forceinline__ void multiply(fragments<P> const& x, factors_of<P> const& scales) {
    constexpr int all = f::atoms.m * f::atoms.n, first = Part * all / Parts, end = (Part + 1) * all / Parts;
    unroll<end - first>([&](auto j) {
      constexpr int m = (first + j) / f::atoms.n, i = (first + j) % f::atoms.n, n = m % 2 == 0 ? i : f::atoms.n - 1 - i;
      scales.template multiply<m, n, Block>(value[n][m], &x.a.word[0][0] + m * f::words_a, &x.b.word[0][0] + n * f::words_b);
    });
  }
};

// c += a b where a warp multiplies 16x8 out of four registers and two: INSTRUCTION is PTX's name; C the letter of its sums.
#define COLEX_MMA_16x8(INSTRUCTION, C)                                               \
  asm(INSTRUCTION " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+" C(c[0]), "+" C(c[1]), "+" C(c[2]), "+" C(c[3])                           \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

}  // namespace colex::gpu::warp
