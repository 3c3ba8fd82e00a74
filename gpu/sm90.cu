// Hopper: the copy engine fills a ring of stages in shared memory, warpgroups multiply from there, and results leave from
// registers. One warp feeds, the others multiply; blocks stay for all tiles. SPDX-License-Identifier: Apache-2.0
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
  static constexpr int columns = size(P.smem_d.inner, 1);  // that a warp stages at once
  static constexpr int bytes_d = size(P.smem_d.inner) * 4;
  static constexpr int at_b = P.stages * bytes_a, at_d = at_b + P.stages * bytes_b;
  static constexpr int at_barriers = at_d + multipliers * 4 * bytes_d;
  static constexpr int total = warpgroup_shared_bytes(P);  // the base is moved up to a multiple of 1024
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

// As vectors of elements of 16 or 32 bits, or one by one.
enum class way_out : int { halves, words, threads };

struct arguments {
  CUtensorMap a, b;
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
    int const other = thread < S::P.cluster_m ? thread + column * S::P.cluster_m  // this column, itself among them
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
__device__ void multiply_and_promote(float (&total)[S::atoms][S::n / 2], ring<S::P.stages>& r, int blocks_k, std::uint32_t shared,
                                     int group, int rank, int thread) {
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
template <class Sum>
__device__ inline void put_pair(std::uint32_t to, Sum low, Sum high) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(reinterpret_cast<int const&>(low)),
               "r"(reinterpret_cast<int const&>(high)) : "memory");
}
template <class Sum>
__device__ inline Sum get(std::uint32_t from) {
  int v;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(from) : "memory");
  return reinterpret_cast<Sum const&>(v);
}

// A quad holds a 4x4 matrix, a row a lane: transposes it.
__device__ inline void transpose_quad(std::uint32_t (&w)[4], int lane) {
  bool const odd = lane % 2 != 0, upper = lane / 2 % 2 != 0;
  auto const swap = [&](std::uint32_t& low, std::uint32_t& high, bool keeps_high, int other) {
    std::uint32_t const got = __shfl_xor_sync(~0u, keeps_high ? low : high, other);
    (keeps_high ? low : high) = got;
  };
  swap(w[0], w[1], odd, 1), swap(w[2], w[3], odd, 1);
  swap(w[0], w[2], upper, 2), swap(w[1], w[3], upper, 2);
}
// Lanes that differ in the lowest bit each hold two pairs: afterwards the even one has both lanes' first, the odd one the second.
__device__ inline void exchange_pairs(std::uint32_t (&w)[4], int lane) {
  bool const odd = lane % 2 != 0;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    std::uint32_t const got = __shfl_xor_sync(~0u, odd ? w[i] : w[2 + i], 1);
    w[i] = odd ? got : w[i], w[2 + i] = odd ? w[2 + i] : got;
  }
}

// 16 bytes to a row of D, or as many of their elements as it has.
template <class Element>
__device__ void store_vector(problem const& p, int64 at_row, int row, int column, std::uint32_t (&w)[4]) {
  constexpr int count = 16 / sizeof(Element);
  if (row >= p.m || column >= p.n) return;
  Element* const to = static_cast<Element*>(p.d.data) + at_row + column;
  if (column + count <= p.n) {
    *reinterpret_cast<uint4*>(to) = {w[0], w[1], w[2], w[3]};
    return;
  }
#pragma unroll 1
  for (int i = 0; column + i < p.n; ++i) {
    int const word = i * static_cast<int>(sizeof(Element)) / 4;
    std::uint32_t const v = word == 0 ? w[0] : word == 1 ? w[1] : word == 2 ? w[2] : w[3];
    to[i] = static_cast<Element>(v >> (i * static_cast<int>(sizeof(Element)) % 4 * 8));
  }
}

// alpha sum + beta C of two neighbours in a row, where C has D's type and its rows are pairs.
template <class Sum>
struct pairs {
  Sum alpha, beta;
  Sum low, high;

  __device__ void operator()(problem const& p, Sum first, Sum second, int64 at_row_c, int row, int column) {
    low = alpha * first, high = alpha * second;
    if (beta == 0 || row >= p.m || column + 1 >= p.n) return;
    if constexpr (std::is_same_v<Sum, float>) {
      float2 c;
      if (p.c.type == element::f32)
        c = *reinterpret_cast<float2 const*>(static_cast<float const*>(p.c.data) + at_row_c + column);
      else if (p.c.type == element::f16)
        c = __half22float2(*reinterpret_cast<__half2 const*>(static_cast<__half const*>(p.c.data) + at_row_c + column));
      else
        c = __bfloat1622float2(
            *reinterpret_cast<__nv_bfloat162 const*>(static_cast<__nv_bfloat16 const*>(p.c.data) + at_row_c + column));
      low += beta * c.x, high += beta * c.y;
    }
  }
};

// This warp's 16 rows of an atom, 16 bytes at a time from registers: quads turn what their lanes hold of four, or two, blocks of
// eight columns. Results of 16 bits:
template <class S>
__device__ void store_halves(problem const& p, float (&d)[S::n / 2], tile const& to, int lane) {
  pairs<float> pair{static_cast<float>(p.alpha), static_cast<float>(p.beta)};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    int const row = to.m + lane / 4 + 8 * h;
    int64 const at_row = p.d.step(0) * row + p.d.step(2) * to.batch, at_row_c = p.c.step(0) * row + p.c.step(2) * to.batch;
#pragma unroll
    for (int c = 0; c < S::n / 32; ++c) {
      std::uint32_t w[4];
#pragma unroll
      for (int b = 0; b < 4; ++b) {
        int const from = 4 * (4 * c + b) + 2 * h;
        pair(p, d[from], d[from + 1], at_row_c, row, to.n + 32 * c + 8 * b + 2 * (lane % 4));
        w[b] = packed(p.d.type, pair.low, pair.high);
      }
      transpose_quad(w, lane);
      store_vector<std::uint16_t>(p, at_row, row, to.n + 32 * c + 8 * (lane % 4), w);
    }
  }
}
// and of 32:
template <class S>
__device__ void store_words(problem const& p, typename S::sum (&d)[S::n / 2], tile const& to, int lane) {
  using sum = typename S::sum;
  pairs<sum> pair{static_cast<sum>(p.alpha), static_cast<sum>(p.beta)};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    int const row = to.m + lane / 4 + 8 * h;
    int64 const at_row = p.d.step(0) * row + p.d.step(2) * to.batch, at_row_c = p.c.step(0) * row + p.c.step(2) * to.batch;
#pragma unroll
    for (int c = 0; c < S::n / 16; ++c) {
      std::uint32_t w[4];
#pragma unroll
      for (int b = 0; b < 2; ++b) {
        int const from = 4 * (2 * c + b) + 2 * h;
        pair(p, d[from], d[from + 1], at_row_c, row, to.n + 16 * c + 8 * b + 2 * (lane % 4));
        w[2 * b] = reinterpret_cast<std::uint32_t const&>(pair.low), w[2 * b + 1] = reinterpret_cast<std::uint32_t const&>(pair.high);
      }
      exchange_pairs(w, lane);
      store_vector<std::uint32_t>(p, at_row, row, to.n + 16 * c + 8 * (lane % 2) + 4 * (lane / 2 % 2), w);
    }
  }
}
// The same element by element, wherever D and C lie.
template <class S>
__device__ void store_by_threads(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, tile const& to,
                                 int lane) {
  epilogue<typename S::sum> const value(g.what);
  problem const& p = g.what;
  int64 const at_batch = p.d.offset(2, to.batch);
#pragma unroll
  for (int c = 0; c < S::n / S::columns; ++c) {
    __syncwarp();
#pragma unroll
    for (int j = 0; j < S::columns / 4; ++j) {
      place const here = place_of(lane, j);
      int const from = S::columns / 2 * c + 2 * j;
      put_pair(buffers + 4 * at<S::P.smem_d>(here.row + 16 * here.column), d[from], d[from + 1]);
    }
    __syncwarp();
#pragma unroll 1
    for (int i = lane; i < 16 * S::columns; i += 32) {
      int const line = i / S::columns, column = i % S::columns, row_d = to.m + line, column_d = to.n + S::columns * c + column;
      if (row_d >= p.m || column_d >= p.n) continue;
      typename S::sum const sum = get<typename S::sum>(buffers + 4 * at<S::P.smem_d>(line + 16 * column));
      store(p.d, at_batch + p.d.offset(0, row_d) + p.d.offset(1, column_d), value(p, sum, row_d, column_d, to.batch));
    }
  }
}

template <class S>
__device__ void store(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, tile const& to, int lane) {
  if (g.way == way_out::words) return store_words<S>(g.what, d, to, lane);
  if constexpr (std::is_same_v<typename S::sum, float> && S::n % 32 == 0)
    if (g.way == way_out::halves) return store_halves<S>(g.what, d, to, lane);
  store_by_threads<S>(g, d, buffers, to, lane);
}

template <class S>
__device__ void consume(arguments const& g, std::uint32_t shared, int rank, int64 first, int64 step) {
  // The same in all of a warp, and said so: descriptors stay in uniform registers.
  int const group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128 - 1, 0);
  int const thread = threadIdx.x % 128, warp = thread / 32, lane = thread % 32;
  int const blocks_k = static_cast<int>((g.what.k + S::k - 1) / S::k);
  std::uint32_t const buffers = shared + S::at_d + (group * 4 + warp) * S::bytes_d;
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
    for (int i = 0; i < S::atoms; ++i, to.m += 64) store<S>(g, d[i], buffers, to, lane);
  }
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
    if constexpr (S::multipliers > 1) give_registers<40>();
    if (threadIdx.x == 0) feed<S>(g, shared, rank, first, step);
  } else {
    if constexpr (S::multipliers > 1) take_registers<232>();
    consume<S>(g, shared, rank, first, step);
  }
  if constexpr (S::blocks > 1) cluster_sync();  // nobody leaves while others still write to its barriers
}

// ---- the host ----

// Vectors need rows that begin at multiples of 16 bytes, and C in pairs where D is; sums that are integers no arithmetic.
way_out way_of(problem const& p, element sums) {
  bool const half = sums == element::f32 && (p.d.type == element::f16 || p.d.type == element::bf16), word = p.d.type == sums;
  bool const like_d = p.c.type == p.d.type && p.n % 2 == 0 && lies_in_rows(p.c, 1, 0, 2 * bits_of(p.c.type) / 8);
  bool const simple = p.beta == 0 ? sums != element::s32 || p.alpha == 1 : sums != element::s32 && like_d;
  if (!simple || !lies_in_rows(p.d, 1, 0, 16)) return way_out::threads;
  return word ? way_out::words : half ? way_out::halves : way_out::threads;
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
  g.way = way_of(p, S::P.accumulator);
  if (g.way == way_out::halves && S::n % 32 != 0) g.way = way_out::threads;
  cudaError_t e = operand_map<S, true>(g.a, p.a, p.m, p);
  if (e == cudaSuccess) e = operand_map<S, false>(g.b, p.b, p.n, p);
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
