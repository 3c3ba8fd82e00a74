// Hopper: the copy engine fills a ring of stages in shared memory, warpgroups multiply from there, and results leave by the
// copy engine. One warp feeds, the others multiply; blocks stay for all tiles. SPDX-License-Identifier: Apache-2.0
#include "gpu/normalize.hpp"
#include "gpu/plans_warpgroup.hpp"
#include "gpu/tma.cuh"
#include "gpu/wgmma.cuh"

#include <array>
#include <utility>

namespace colex::gpu {
namespace {

// ---- what a plan comes to, in bytes ----

template <class Plan>
struct shape_of {
  static constexpr plan P = Plan::value;
  static constexpr int element_bytes = bits_of(P.a) / 8;
  static constexpr int m = P.tile_m, n = P.tile_n, k = P.tile_k;
  static constexpr int multipliers = P.threads / 128 - 1, rows = m / multipliers, atoms = rows / 64;
  static constexpr int atom_k = 32 / element_bytes;
  static constexpr int bytes_a = m * k * element_bytes, bytes_b = n * k * element_bytes;
  static constexpr int bytes_d = out_bytes(P), columns = size(P.smem_sums.inner, 1);  // a buffer; that it holds of sums
  static constexpr int at_b = P.stages * bytes_a, at_d = at_b + P.stages * bytes_b;
  static constexpr int at_barriers = at_d + multipliers * 4 * P.buffers * bytes_d;
  static constexpr int total = P.shared;  // the base is moved up to a multiple of 1024
  static constexpr int blocks = P.cluster_m * P.cluster_n;
  // A stage is free once every block that reads what this one brings has said so.
  static constexpr int readers = P.cluster_m + P.cluster_n - 1;
  using sum = std::conditional_t<P.accumulator == element::s32, std::int32_t, float>;
};

// A layout that the compiler knows, at an index below its size.
template <layout A>
__device__ constexpr int at(int i) {
  return A.unchecked(i);
}
template <composed A>
__device__ constexpr int at(int i) {
  return A.sw.unchecked(A.inner.unchecked(i));
}

// By the copy engine, as elements of 16 or 32 bits; or by threads, with one stride for each mode, or however D lies.
enum class way_out : int { halves, words, strides, offsets };
constexpr bool by_engine(way_out way) { return way == way_out::halves || way == way_out::words; }

struct arguments {
  CUtensorMap a, b, d;
  problem what;
  int64 tiles_m, tiles_n, clusters;  // tiles in each direction, rounded up to clusters; clusters over all batches
  int group;                         // rows of clusters that are walked together
  way_out way;                       // that D takes
};

// ---- tiles ----

struct tile {
  int m, n, batch;  // the first row and column
};
// The c-th cluster's: `group` rows of clusters at a time, down their columns, so that those at work share operands in L2.
template <class S>
__device__ tile tile_of(arguments const& g, int64 c, int rank) {
  int64 const rows = g.tiles_m / S::P.cluster_m, columns = g.tiles_n / S::P.cluster_n, batch = c / (rows * columns);
  int64 const in_batch = c - batch * rows * columns, band = in_batch / (g.group * columns);
  int64 const first = band * g.group, height = min(static_cast<int64>(g.group), rows - first);
  int64 const in_band = in_batch - first * columns, column = in_band / height, row = first + in_band - column * height;
  return {static_cast<int>(row * S::P.cluster_m + rank % S::P.cluster_m) * S::m,
          static_cast<int>(column * S::P.cluster_n + rank / S::P.cluster_m) * S::n, static_cast<int>(batch)};
}

// A ring of stages, gone through in order; the parity of a stage's barrier changes each time round.
template <int Stages>
struct ring {
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ void next() {
    if (++stage == Stages) stage = 0, parity ^= 1;
  }
};

// ---- bringing operands in ----

// One block's share of an operand's stage, to every block of the cluster that reads it. Boxes are 128 bytes wide, along K or
// along rows.
template <class S, bool IsA>
__device__ void bring(CUtensorMap const& map, std::uint32_t to, std::uint32_t barrier, int row, int k, int batch, int rank) {
  constexpr major along = IsA ? S::P.major_a : S::P.major_b;
  constexpr int rows = IsA ? S::m : S::n, shares = IsA ? S::P.cluster_n : S::P.cluster_m, share = rows / shares;
  int const column = rank / S::P.cluster_m, line = rank % S::P.cluster_m, mine = IsA ? column : line;
  // Blocks of the cluster are numbered down its columns.
  std::uint16_t const readers =
      IsA ? static_cast<std::uint16_t>(((1u << (S::P.cluster_m * S::P.cluster_n)) - 1) / ((1u << S::P.cluster_m) - 1) << line)
          : static_cast<std::uint16_t>(((1u << S::P.cluster_m) - 1) << column * S::P.cluster_m);
  auto const load = [&](std::uint32_t at, int x, int y) {
    if constexpr (shares > 1)
      tma_load(at, map, barrier, x, y, batch, readers);
    else
      tma_load(at, map, barrier, x, y, batch);
  };
  if constexpr (along == major::k) {
    load(to + mine * share * 128, k, row + mine * share);
  } else {
    constexpr int run = 128 / S::element_bytes;
#pragma unroll
    for (int i = 0; i < share / run; ++i) load(to + (mine * share / run + i) * S::k * 128, row + mine * share + i * run, k);
  }
}

template <class S>
__device__ void feed(arguments const& g, std::uint32_t shared, int rank, int64 first, int64 step) {
  constexpr int stages = S::P.stages;
  std::uint32_t const full = shared + S::at_barriers, empty = full + 8 * stages;
  int const blocks_k = static_cast<int>((g.what.k + S::k - 1) / S::k);
  bool const batched_a = g.what.a.step(2) != 0, batched_b = g.what.b.step(2) != 0;
  ring<stages> r;
  for (int64 c = first; c < g.clusters; c += step) {
    tile const t = tile_of<S>(g, c, rank);
    for (int k = 0; k < blocks_k; ++k, r.next()) {
      barrier_wait(empty + 8 * r.stage, r.parity ^ 1);
      barrier_expect(full + 8 * r.stage, S::bytes_a + S::bytes_b);
      bring<S, true>(g.a, shared + r.stage * S::bytes_a, full + 8 * r.stage, t.m, k * S::k, batched_a ? t.batch : 0, rank);
      bring<S, false>(g.b, shared + S::at_b + r.stage * S::bytes_b, full + 8 * r.stage, t.n, k * S::k, batched_b ? t.batch : 0,
                      rank);
    }
  }
}

// ---- multiplying ----

// Where an instruction reads an operand, but for its address (PTX ISA, "Matrix descriptor"): swizzled rows of 128 bytes.
__device__ constexpr std::uint64_t descriptor(operand_steps by) {
  return std::uint64_t{1} << 62 | static_cast<std::uint64_t>(by.stride >> 4) << 32 |
         static_cast<std::uint64_t>(by.leading >> 4) << 16;
}
// Bytes from the beginning of a stage to (row, k), where the swizzle changes nothing.
template <class S, bool IsA>
__device__ constexpr int bytes_to(int row, int k) {
  constexpr int rows = IsA ? S::m : S::n;
  return at<(IsA ? S::P.smem_a.inner : S::P.smem_b.inner)>(row + rows * k) * S::element_bytes;
}

// One stage: all of its K for this warpgroup's rows.
template <class S>
__device__ void multiply(typename S::sum (&d)[S::atoms][S::n / 2], std::uint32_t at_a, std::uint32_t at_b, bool keeps) {
  constexpr bool rows_a = S::P.major_a == major::mn, rows_b = S::P.major_b == major::mn;
  constexpr std::uint64_t of_a = descriptor(steps_of(S::P, S::P.major_a)), of_b = descriptor(steps_of(S::P, S::P.major_b));
  // In a cluster the address of shared memory says which block's it is, above what an instruction reads.
  constexpr std::uint32_t mine = (1 << 18) - 1;
  std::uint64_t const from_a = of_a | (at_a & mine) >> 4, from_b = of_b | (at_b & mine) >> 4;
#pragma unroll
  for (int k = 0; k < S::k / S::atom_k; ++k) {
#pragma unroll
    for (int i = 0; i < S::atoms; ++i)
      wgmma<S::P.a, S::P.b, rows_a, rows_b>(d[i], from_a + (bytes_to<S, true>(64 * i, k * S::atom_k) >> 4),
                                            from_b + (bytes_to<S, false>(0, k * S::atom_k) >> 4), keeps || k > 0);
  }
}

// Says that the stage is free, to every block whose feeding warp brought some of it: one thread each.
template <class S>
__device__ void release(std::uint32_t barrier, int rank, int thread) {
  if constexpr (S::blocks == 1) {
    if (thread == 0) barrier_arrive(barrier);
  } else if (thread < S::readers) {
    int const line = rank % S::P.cluster_m, column = rank / S::P.cluster_m;
    int const other = thread < S::P.cluster_m
                          ? thread + column * S::P.cluster_m  // this column, itself among them
                          : line + (thread - S::P.cluster_m + (thread - S::P.cluster_m >= column)) * S::P.cluster_m;
    barrier_arrive(barrier, other);
  }
}

// All of K of one tile. One stage's instructions are under way while the next one's are issued.
template <class S>
__device__ void multiply_all(typename S::sum (&d)[S::atoms][S::n / 2], ring<S::P.stages>& r, int blocks_k, std::uint32_t shared,
                             int group, int rank, int thread) {
  constexpr int stages = S::P.stages;
  std::uint32_t const full = shared + S::at_barriers, empty = full + 8 * stages;
  std::uint32_t const at_a = shared + bytes_to<S, true>(group * S::rows, 0), at_b = shared + S::at_b;
  auto const begin = [&](bool keeps) {
    barrier_wait(full + 8 * r.stage, r.parity);
    wgmma_fence();
    multiply<S>(d, at_a + r.stage * S::bytes_a, at_b + r.stage * S::bytes_b, keeps);
    wgmma_commit();
  };
  begin(false);
  int before = r.stage;
  r.next();
#pragma unroll 1
  for (int k = 1; k < blocks_k; ++k, r.next()) {
    begin(true);
    wgmma_wait<1>();
    release<S>(empty + 8 * before, rank, thread);
    before = r.stage;
  }
  wgmma_wait<0>();
  release<S>(empty + 8 * before, rank, thread);
}
// The same where each stage's sums are added to longer ones.
template <class S>
__device__ void multiply_and_promote(float (&total)[S::atoms][S::n / 2], ring<S::P.stages>& r, int blocks_k,
                                     std::uint32_t shared, int group, int rank, int thread) {
  constexpr int stages = S::P.stages;
  std::uint32_t const full = shared + S::at_barriers, empty = full + 8 * stages;
  std::uint32_t const at_a = shared + bytes_to<S, true>(group * S::rows, 0), at_b = shared + S::at_b;
  float d[S::atoms][S::n / 2];
#pragma unroll
  for (int i = 0; i < S::atoms; ++i)
#pragma unroll
    for (int j = 0; j < S::n / 2; ++j) total[i][j] = 0;
#pragma unroll 1
  for (int k = 0; k < blocks_k; ++k, r.next()) {
    barrier_wait(full + 8 * r.stage, r.parity);
    wgmma_fence();
    multiply<S>(d, at_a + r.stage * S::bytes_a, at_b + r.stage * S::bytes_b, false);
    wgmma_commit();
    wgmma_wait<0>();
    release<S>(empty + 8 * r.stage, rank, thread);
#pragma unroll
    for (int i = 0; i < S::atoms; ++i) {
#pragma unroll
      for (int j = 0; j < S::n / 2; ++j) total[i][j] += d[i][j];
    }
  }
}

// ---- sending results out ----

__device__ inline std::uint32_t packed(element to, float low, float high) {
  if (to == element::f16) {
    __half2 const v = __floats2half2_rn(low, high);
    return reinterpret_cast<std::uint32_t const&>(v);
  }
  __nv_bfloat162 const v = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<std::uint32_t const&>(v);
}
__device__ inline void store_matrices(std::uint32_t to, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

template <class Sum>
__device__ inline void put_pair(std::uint32_t to, Sum low, Sum high) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(reinterpret_cast<int const&>(low)),
               "r"(reinterpret_cast<int const&>(high))
               : "memory");
}
template <class Sum>
__device__ inline Sum get(std::uint32_t from) {
  int v;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(from) : "memory");
  return reinterpret_cast<Sum const&>(v);
}

// alpha D + beta C in D's place, where C has D's type and its rows are pairs.
template <class Element, class Pair, int N>
__device__ void add(problem const& p, float (&d)[N], tile const& to, int lane) {
  float const alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    place const at = place_of(lane, h);
    int const row = to.m + at.row, column = to.n + at.column, left = row < p.m ? static_cast<int>(p.n) - column : 0;
    Element const* const c = static_cast<Element const*>(p.c.data) + p.c.step(2) * to.batch + p.c.step(0) * row + column;
#pragma unroll
    for (int j = h; j < N / 2; j += 2) {
      int const i = place_of(0, j).column;
      Pair const v = i < left ? *reinterpret_cast<Pair const*>(c + i) : Pair{};
      d[2 * j] = alpha * d[2 * j] + beta * static_cast<float>(v.x);
      d[2 * j + 1] = alpha * d[2 * j + 1] + beta * static_cast<float>(v.y);
      if (j % 8 == h) asm volatile("" ::: "memory");  // not all of C at once: there are no registers for it
    }
  }
}
template <int N>
__device__ void add(problem const& p, float (&d)[N], tile const& to, int lane) {
  if (p.c.type == element::f32)
    add<float, float2>(p, d, to, lane);
  else if (p.c.type == element::f16)
    add<__half, __half2>(p, d, to, lane);
  else
    add<__nv_bfloat16, __nv_bfloat162>(p, d, to, lane);
}

// Alpha times this warp's 16 rows of an atom, by the copy engine, 128 bytes of each row at a time through a ring of buffers
// that a tile goes round a whole number of times; each warp by itself. write(buffer, c): its share of the c-th 128 bytes of the
// rows.
template <class S, int Columns, class Write>
__device__ void send(arguments const& g, std::uint32_t buffers, int atom, tile const& to, int lane, Write write) {
#pragma unroll
  for (int c = 0; c < S::n / Columns; ++c) {
    std::uint32_t const at = buffers + (atom * (S::n / Columns) + c) % S::P.buffers * S::bytes_d;
    if (lane == 0) tma_store_wait_read<S::P.buffers - 1>();
    __syncwarp();
    write(at, c);
    fence_async();
    __syncwarp();
    if (lane == 0) {
      tma_store(g.d, at, to.n + Columns * c, to.m, to.batch);
      tma_store_commit();
    }
  }
}
template <class S>
__device__ void store_halves(arguments const& g, float (&d)[S::n / 2], std::uint32_t buffers, int atom, tile const& to,
                             int lane) {
  float const alpha = g.what.beta != 0 ? 1 : static_cast<float>(g.what.alpha);
  int const row = lane % 8 + lane / 8 % 2 * 8;  // that this lane points stmatrix to
  send<S, 64>(g, buffers, atom, to, lane, [&](std::uint32_t out, int c) {
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      std::uint32_t r[4];
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        int const from = 4 * (8 * c + j + q / 2) + 2 * (q % 2);
        r[q] = packed(g.what.d.type, alpha * d[from], alpha * d[from + 1]);
      }
      store_matrices(out + 2 * at<S::P.smem_d>(row + 16 * 8 * (j + lane / 16)), r[0], r[1], r[2], r[3]);
    }
  });
}
template <class S>
__device__ void store_words(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, int atom, tile const& to,
                            int lane) {
  typename S::sum const alpha = g.what.beta != 0 ? 1 : static_cast<typename S::sum>(g.what.alpha);
  send<S, 32>(g, buffers, atom, to, lane, [&](std::uint32_t out, int c) {
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      place const p = place_of(lane, j);
      int const from = 16 * c + 2 * j;
      put_pair(out + 4 * at<S::P.smem_words>(p.row + 16 * p.column), alpha * d[from], alpha * d[from + 1]);
    }
  });
}
// This warp's 16 rows of sums in shared memory, element by element, wherever D and C lie.
template <class S>
__device__ void write_by_offsets(problem const& p, std::uint32_t sums, tile const& to, int lane) {
  epilogue<typename S::sum> const value(p);
  int64 const at_batch = p.d.offset(2, to.batch);
#pragma unroll 1
  for (int i = lane; i < 16 * S::columns; i += 32) {
    int const line = i / S::columns, column = i % S::columns, m = to.m + line, n = to.n + column;
    if (m >= p.m || n >= p.n) continue;
    typename S::sum const sum = get<typename S::sum>(sums + 4 * at<S::P.smem_sums>(line + 16 * column));
    store(p.d, at_batch + p.d.offset(0, m) + p.d.offset(1, n), value(p, sum, m, n, to.batch));
  }
}

// Lanes go along columns, at `down` rows; of a lane's 16 rows by columns, `lines` by `steps` are under way at once.
template <class S>
struct lane_share {
  static constexpr int across = S::columns < 32 ? S::columns : 32, steps = S::columns / across, down = 32 / across;
  static constexpr int lines = 16 / (steps * down);
  int line, column, rows, columns;  // the first, and how many the matrix has from there on

  __device__ lane_share(problem const& p, tile const& to, int lane)
      : line((lane & 31) / across),
        column(lane & (across - 1)),  // seen not to be negative
        rows(static_cast<int>(p.m - to.m) - line),
        columns(static_cast<int>(p.n - to.n) - column) {}
  __device__ bool exists(int l, int s) const { return l * down < rows && s * across < columns; }
};
// A lane's elements of a matrix whose modes have one stride each.
template <class S, class Element>
struct lane_elements {
  using share = lane_share<S>;
  Element* data;
  int64 at, down, right;

  __device__ lane_elements(matrix const& x, tile const& to, share const& own)
      : data(static_cast<Element*>(x.data)),
        at(x.step(0) * (to.m + own.line) + x.step(1) * (to.n + own.column) + x.step(2) * to.batch),
        down(x.step(0) * share::down),
        right(x.step(1) * share::across) {}
  // f(line, step, element) for the next `lines`.
  template <class Do>
  __device__ void each(Do f) {
#pragma unroll
    for (int l = 0; l < share::lines; ++l, at += down) {
      asm volatile("" : "+l"(at));  // one address after another: there are no registers for all of them
#pragma unroll
      for (int s = 0; s < share::steps; ++s) f(l, s, data + (at + s * right));
    }
  }
};
template <class S, class Element, bool Adds>
__device__ void write_by_strides(problem const& p, std::uint32_t sums, tile const& to, int lane) {
  using sum = typename S::sum;
  using share = lane_share<S>;
  share const own(p, to, lane);
  epilogue<sum> const value(p);
  lane_elements<S, Element> d(p.d, to, own), c(p.c, to, own);
#pragma unroll(Adds ? 1 : 16)
  for (int i = 0; i < 16 / share::down; i += share::lines) {
    sum now[share::lines][share::steps];
    Element before[share::lines][share::steps] = {};
    c.each([&](int l, int s, Element const* from) {
      if (Adds && own.exists(i + l, s)) before[l][s] = *from;
      int const line = own.line + (i + l) * share::down, column = own.column + s * share::across;
      now[l][s] = get<sum>(sums + 4 * at<S::P.smem_sums>(line + 16 * column));
    });
    d.each([&](int l, int s, Element* result) {
      scalar<sum> const v = Adds ? value.with(now[l][s], before[l][s]) : value.alpha * static_cast<scalar<sum>>(now[l][s]);
      if (own.exists(i + l, s)) *result = converted<Element>(v);
    });
  }
}
// If this plan's products become such elements.
template <class S, element E, class Element>
__device__ void write_as(problem const& p, std::uint32_t sums, tile const& to, int lane) {
  constexpr element a = S::P.a == element::tf32 ? element::f32 : S::P.a, b = S::P.b == element::tf32 ? element::f32 : S::P.b;
  if constexpr (entry::multiplies(a, b, E, false)) {
    if (p.beta != 0)
      write_by_strides<S, Element, true>(p, sums, to, lane);
    else
      write_by_strides<S, Element, false>(p, sums, to, lane);
  }
}
template <class S>
__device__ void write_by_strides(problem const& p, std::uint32_t sums, tile const& to, int lane) {
  switch (p.d.type) {
    case element::f16: return write_as<S, element::f16, __half>(p, sums, to, lane);
    case element::bf16: return write_as<S, element::bf16, __nv_bfloat16>(p, sums, to, lane);
    case element::e4m3: return write_as<S, element::e4m3, __nv_fp8_e4m3>(p, sums, to, lane);
    case element::e5m2: return write_as<S, element::e5m2, __nv_fp8_e5m2>(p, sums, to, lane);
    case element::s8: return write_as<S, element::s8, std::int8_t>(p, sums, to, lane);
    case element::s32: return write_as<S, element::s32, std::int32_t>(p, sums, to, lane);
    default: return write_as<S, element::f32, float>(p, sums, to, lane);
  }
}
// The c-th columns of sums to shared memory; registers have no index, so that each c has its own instructions.
template <class S>
__device__ void put_columns(typename S::sum const (&d)[S::n / 2], int c, std::uint32_t to, int lane) {
#pragma unroll
  for (int i = 0; i < S::n / S::columns; ++i) {
    if (i != c) continue;
#pragma unroll
    for (int j = 0; j < S::columns / 4; ++j) {
      place const here = place_of(lane, j);
      int const from = S::columns / 2 * i + 2 * j;
      put_pair(to + 4 * at<S::P.smem_sums>(here.row + 16 * here.column), d[from], d[from + 1]);
    }
  }
}
template <class S>
__device__ void store_by_threads(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, tile to, int lane) {
#pragma unroll 1
  for (int c = 0; c < S::n / S::columns; ++c, to.n += S::columns) {
    __syncwarp();
    put_columns<S>(d, c, buffers, lane);
    __syncwarp();
    if (g.way == way_out::strides)
      write_by_strides<S>(g.what, buffers, to, lane);
    else
      write_by_offsets<S>(g.what, buffers, to, lane);
  }
}

template <class S>
__device__ void store(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, int atom, tile const& to,
                      int lane) {
  if constexpr (S::n % 64 == 0) {
    if constexpr (std::is_same_v<typename S::sum, float>) {
      if (by_engine(g.way) && g.what.beta != 0) add(g.what, d, to, lane);
      if (g.way == way_out::halves) return store_halves<S>(g, d, buffers, atom, to, lane);
    }
    if (g.way == way_out::words) return store_words<S>(g, d, buffers, atom, to, lane);
  }
  store_by_threads<S>(g, d, buffers, to, lane);
}

template <class S>
__device__ void consume(arguments const& g, std::uint32_t shared, int rank, int64 first, int64 step) {
  // The same in all of a warp, and said so: descriptors stay in uniform registers.
  int const group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128 - 1, 0);
  int const thread = threadIdx.x % 128, warp = thread / 32, lane = thread % 32;
  int const blocks_k = static_cast<int>((g.what.k + S::k - 1) / S::k);
  std::uint32_t const buffers = shared + S::at_d + (group * 4 + warp) * S::P.buffers * S::bytes_d;
  ring<S::P.stages> r;
  for (int64 c = first; c < g.clusters; c += step) {
    typename S::sum d[S::atoms][S::n / 2];
    if constexpr (S::P.promotes)
      multiply_and_promote<S>(d, r, blocks_k, shared, group, rank, thread);
    else
      multiply_all<S>(d, r, blocks_k, shared, group, rank, thread);
    tile to = tile_of<S>(g, c, rank);
    to.m += group * S::rows + 16 * warp;
#pragma unroll
    for (int i = 0; i < S::atoms; ++i, to.m += 64) store<S>(g, d[i], buffers, i, to, lane);
  }
  if (lane == 0) tma_store_wait();
}

// ---- the kernel ----

template <int Registers>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

template <class Plan>
__global__ void __cluster_dims__(shape_of<Plan>::blocks, 1, 1) __launch_bounds__(Plan::value.threads, 1)
    sm90_gemm(__grid_constant__ arguments const g) {
  using S = shape_of<Plan>;
  extern __shared__ unsigned char memory[];
  std::uint32_t const shared = (shared_address(memory) + 1023) / 1024 * 1024;
  int const rank = S::blocks == 1 ? 0 : block_in_cluster();
  int64 const first = blockIdx.x / S::blocks, step = gridDim.x / S::blocks;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::P.stages; ++i) {
      barrier_init(shared + S::at_barriers + 8 * i, 1);
      barrier_init(shared + S::at_barriers + 8 * (S::P.stages + i), S::readers * S::multipliers);
    }
    barrier_init_fence();
  }
  if constexpr (S::blocks > 1)
    cluster_sync();
  else
    __syncthreads();
  if (threadIdx.x < 128) {
    if constexpr (S::multipliers > 1) give_registers<56>();
    if (threadIdx.x == 0) feed<S>(g, shared, rank, first, step);
  } else {
    if constexpr (S::multipliers > 1) take_registers<224>();
    consume<S>(g, shared, rank, first, step);
  }
  if constexpr (S::blocks > 1) cluster_sync();  // nobody leaves while others still write to its barriers
}

// ---- the host ----

// The copy engine writes 16 bytes at a time, also where fewer are left of a row; C is added in pairs, where it lies in such;
// sums that are integers leave as they are.
way_out way_of(plan const& w, problem const& p) {
  bool const floats = w.accumulator == element::f32, half = floats && (p.d.type == element::f16 || p.d.type == element::bf16);
  bool const word = p.d.type == w.accumulator;
  bool const like_d = p.c.type == p.d.type && lies_in_rows(p.c, 1, 0, 2 * bits_of(p.c.type) / 8);
  bool const simple = floats ? p.beta == 0 || like_d : p.beta == 0 && p.alpha == 1;
  if (w.tile_n % 64 == 0 && has_whole_vectors(p) && simple && (word || half)) return word ? way_out::words : way_out::halves;
  auto const plain = [](matrix const& x) { return x.plain(0) && x.plain(1) && x.plain(2); };
  return plain(p.d) && (p.beta == 0 || (plain(p.c) && p.c.type == p.d.type)) ? way_out::strides : way_out::offsets;
}

template <int I>
struct sm90_plan {
  static constexpr plan value = sm90_plans[I];
};

template <class S, bool IsA>
cudaError_t operand_map(CUtensorMap& map, matrix const& x, int64 rows, problem const& p) {
  constexpr bool along_k = (IsA ? S::P.major_a : S::P.major_b) == major::k;
  constexpr int share = IsA ? S::m / S::P.cluster_n : S::n / S::P.cluster_m;
  if (along_k) return make_tensor_map(map, x, 1, p.k, rows, p.batches, S::k, share);
  return make_tensor_map(map, x, 0, rows, p.k, p.batches, 128 / S::element_bytes, S::k);
}

template <int I>
cudaError_t launch(problem const& p, cudaStream_t stream) {
  using S = shape_of<sm90_plan<I>>;
  arguments g;
  g.what = p;
  auto const up = [](int64 x, int64 tile, int cluster) { return ((x + tile - 1) / tile + cluster - 1) / cluster * cluster; };
  g.tiles_m = up(p.m, S::m, S::P.cluster_m), g.tiles_n = up(p.n, S::n, S::P.cluster_n);
  g.clusters = g.tiles_m / S::P.cluster_m * (g.tiles_n / S::P.cluster_n) * p.batches;
  g.group = 8;
  g.way = way_of(S::P, p);
  cudaError_t e = operand_map<S, true>(g.a, p.a, p.m, p);
  if (e == cudaSuccess) e = operand_map<S, false>(g.b, p.b, p.n, p);
  if (e == cudaSuccess && by_engine(g.way))
    e = make_tensor_map(g.d, p.d, 1, p.n, p.m, p.batches, g.way == way_out::halves ? 64 : 32, 16);
  if (e == cudaSuccess)
    e = cudaFuncSetAttribute(sm90_gemm<sm90_plan<I>>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::total);
  int device = 0, sms = 0;
  if (e == cudaSuccess) e = cudaGetDevice(&device);
  if (e == cudaSuccess) e = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  if (e != cudaSuccess) return e;
  int64 const blocks = std::min<int64>(g.clusters, sms / S::blocks) * S::blocks;
  sm90_gemm<sm90_plan<I>><<<static_cast<unsigned>(blocks), S::P.threads, S::total, stream>>>(g);
  return cudaGetLastError();
}

template <int... I>
constexpr auto table(std::integer_sequence<int, I...>) {
  return std::array{gemm_kernel{&sm90_plans[I], launch<I>}...};
}

}  // namespace

std::span<gemm_kernel const> sm90_kernels() {
  static constexpr auto all = table(std::make_integer_sequence<int, static_cast<int>(std::size(sm90_plans))>{});
  return all;
}

}  // namespace colex::gpu
