// Hopper's kernel, persistent and warp-specialized: a producer warp loads stages by TMA, consumer warpgroups multiply them by
// wgmma and store results by TMA. SPDX-License-Identifier: Apache-2.0
#include "gpu/kernels/warpgroup/warpgroup_products.cuh"
#include "gpu/kernels/warpgroup/warpgroup_results.cuh"

#if !defined(__CUDACC_RTC__)
#include "gpu/kernels/warpgroup/launcher.hpp"
#include "gpu/plans/warpgroup_table.hpp"

#include <utility>
#endif

namespace colex::gpu::warpgroup {
namespace {

template <class S, bool IsA>
inline constexpr operand_loads loads = loads_of(S::P, IsA);
template <class S, bool IsA>
inline constexpr int shares = IsA ? S::P.cluster_n : S::P.cluster_m;

// The shares of an operand's stage that have none of the `loaded` rows inside the operand. They land, too, as a byte that is
// expected and no more: a block that waited for nothing of another could be a round ahead of it, and arrive twice at a barrier
// that counts each reader once.
template <class S, bool IsA>
__device__ int empty_shares(int loaded) {
  constexpr int count = shares<S, IsA>, share = loads<S, IsA>.share;
  if constexpr (count == 1)
    return 0;
  else if constexpr (share == (IsA ? S::m : S::n))  // each is some of K
    return loaded == 0 ? count : 0;
  else
    return count - ceil_div(loaded, share);
}
// Loads this block's share of an operand's stage by TMA, multicast to every block of the cluster that reads it. Boxes are 128
// bytes wide, along K or along M or N. loaded: rows of the tile inside the operand, all where it has no edge.
template <class S, bool IsA, bool HasEdge>
__device__ void load_operand(arguments const& g, std::uint32_t to, std::uint32_t barrier, int row, int loaded, int k, int batch,
                             place<S> here) {
  constexpr operand_loads by = loads<S, IsA>;
  constexpr int count = shares<S, IsA>;
  int const which = count == 1 ? 0 : IsA ? here.column() : here.line();
  int const first = by.share < (IsA ? S::m : S::n) ? by.share * which : 0, first_k = by.depth < S::k ? by.depth * which : 0;
  // The readers: of A the blocks of a line, which begin so and lie so far apart, of B those of a column.
  int const reader = here.block(IsA ? here.line() : here.column() * S::P.cluster_m, here.split);
  constexpr int apart = IsA ? S::P.cluster_m : 1;
  if (HasEdge && count > 1 && first >= loaded) {
    for (int i = 0; i < count; ++i) barrier_complete(barrier, reader + i * apart, 1);
    return;
  }
  constexpr std::uint32_t all = ((1u << count * apart) - 1) / ((1u << apart) - 1);  // every apart-th bit
  auto const readers = static_cast<std::uint16_t>(all << reader);
  bool const has_whole_boxes = HasEdge && (IsA ? g.rows_a : g.rows_b) > by.box;
  auto const load = [&](int from, int x, int y) {
    if (HasEdge && from >= loaded) return;
    bool const at_edge = has_whole_boxes && loaded < from + by.box;
    CUtensorMap const& map = at_edge ? (IsA ? g.edge_a : g.edge_b) : (IsA ? g.a : g.b);
    std::uint32_t const at = to + 128 * (from + first_k);
    if constexpr (count > 1)
      tma_load(at, map, barrier, x, y, batch, readers);
    else
      tma_load(at, map, barrier, x, y, batch);
  };
  if constexpr (by.along_k) {
    load(first, k, row + first);
  } else {
#pragma unroll
    for (int i = first; i < first + by.share; i += by.box) load(i, row + i, k + first_k);
  }
}

// The producer, one thread of a block: loads the stages of all its tiles. As proofs/gemm/Ring.v names the steps: a stage that
// is waited for and expected is a fill_step, what TMA then completes a land_step. HasEdge: some tile lies partly outside.
template <class S, bool HasEdge>
__device__ void produce(arguments const& g, std::uint32_t shared, place<S> here, std::uint32_t first, std::uint32_t step) {
  constexpr int stages = S::P.stages;
  std::uint32_t const full = shared + S::at_barriers, empty = full + 8 * stages;
  pipeline_state<stages> state;
  tile t = tile_of<S>(g, first, here);
  wait_for_last_launch();
  for (std::uint32_t c = first; c < g.clusters.count(); c += step, t = tile_of<S>(g, c, here)) {
    int const batch_a = g.batched_a ? t.batch : 0, batch_b = g.batched_b ? t.batch : 0;
    int const rows_a = HasEdge ? max(0, min(S::m, g.rows_a - t.m)) : S::m;
    int const rows_b = HasEdge ? max(0, min(S::n, g.rows_b - t.n)) : S::n;
    int const expected = 128 * (rows_a + rows_b) + empty_shares<S, true>(rows_a) + empty_shares<S, false>(rows_b);
    int const first_k = first_block_k(g, here, t.batch);  // the loop's bound is of constants, so that its index is uniform
    for (int k = 0; k < g.blocks_k_of_split && first_k + k < g.blocks_k; ++k, state.next()) {
      barrier_wait(empty + 8 * state.stage, state.phase ^ 1);
      barrier_expect(full + 8 * state.stage, expected);
      load_operand<S, true, HasEdge>(g, shared + state.stage * S::bytes_a, full + 8 * state.stage, t.m, rows_a,
                                     (first_k + k) * S::k, batch_a, here);
      load_operand<S, false, HasEdge>(g, shared + S::at_b + state.stage * S::bytes_b, full + 8 * state.stage, t.n, rows_b,
                                      (first_k + k) * S::k, batch_b, here);
    }
  }
}
// Transposes a square of a stage, which a warp does.
[[maybe_unused]] __device__ void transpose_square(std::uint32_t at, int lane) {
  std::uint32_t words[2][4][4];
#pragma unroll
  for (int i = 0; i < 8; ++i) get_quad(square_read(at, lane, i), words[i / 4][i % 4]);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    std::uint32_t const(&of)[4][4] = words[i / 4];
    std::uint32_t const across[] = {of[0][i % 4], of[1][i % 4], of[2][i % 4], of[3][i % 4]};
    put_quad(square_write(at, lane, i), across);
  }
}
// A transposing warp: squares of all stages of this block's tiles, when TMA has written them. Consumers wait for all such
// warps: in the words of proofs/gemm/Ring.v a stage has landed when each of them has arrived.
template <class S>
__device__ void transpose_stages(arguments const& g, std::uint32_t shared, place<S> here, std::uint32_t first,
                                 std::uint32_t step, int warp, int lane) {
  pipeline_state<S::P.stages> state;
  for (std::uint32_t c = first; c < g.clusters.count(); c += step) {
    for (int left = blocks_k_in(g, here, c); left > 0; --left, state.next()) {
      barrier_wait(shared + S::at_barriers + 8 * state.stage, state.phase);
#pragma unroll 1
      for (int i = warp; i < S::squares; i += S::transposing_warps)
        transpose_square(shared + S::at_b + state.stage * S::bytes_b + i * 128 * square_extent, lane);
      fence_async();
      __syncwarp();
      if (lane == 0) barrier_arrive(shared + S::at_transposed + 8 * state.stage);
    }
  }
}
// L2 prefetch. Where all tiles are one wave, the idle warps of the producer warpgroup prefetch the lines of the first stages
// into L2, each line once on the device, while the launch before this one ends and memory idles. What that launch still writes
// goes through the same L2, so that no stale data are read.
template <class S>
__device__ void prefetch_l2(arguments const& g, std::uint32_t thread) {
  problem const& p = g.problem;
  bool const one_wave = p.batches == 1 && g.split_k == 1 && g.clusters.count() <= gridDim.x;
  if (!one_wave || S::P.major_a != major::k || S::P.major_b != major::k) return;
  auto const m = static_cast<std::uint32_t>(p.m), rows = m + static_cast<std::uint32_t>(p.n);
  std::uint32_t const lines = rows * min(S::P.stages, g.blocks_k);
  auto const *const a = static_cast<char const*>(p.a.data), *const b = static_cast<char const*>(p.b.data);
  int64 const down_a = p.a.step(0) * S::element_bytes, down_b = p.b.step(0) * S::element_bytes;
  for (std::uint32_t i = thread; i < lines; i += 96 * gridDim.x * S::blocks) {
    std::uint32_t const stage = i / rows, row = i - stage * rows;
    char const* const line = row < m ? a + down_a * row : b + down_b * (row - m);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(line + 128 * stage));
  }
}

// Waits until all consumers have come so far.
template <int Threads>
__device__ void consumers_sync() {
  asm volatile("bar.sync 1, %0;" ::"n"(Threads) : "memory");
}
// Split-K: adds up the sums of a tile, of which each block of this rank has a split. The rows of each warp are reduced, and
// then stored, in one of the blocks: is it this one? All warps of a block reduce its rows, four sums of a thread at a time, in
// the order of the splits. The stages' memory is free: a block has one tile.
template <class S>
__device__ bool reduce_split_k(typename S::sum (&d)[S::atoms][S::n / 2], std::uint32_t shared, int split_k, place<S> here) {
  constexpr int threads = 128 * S::consumers, warps = threads / 32, quads = S::n / 8, quads_of_warp = S::atoms * quads;
  int const thread = static_cast<int>(threadIdx.x) - 128, lane = thread % 32;
  // The shuffle tells the compiler that this is uniform in a warp, and with it all that follows.
  int const warp = __shfl_sync(~0u, thread / 32, 0);
  auto const at = [&](int quad, int of_thread) { return shared + 16 * (quad * threads + of_thread); };
#pragma unroll
  for (int i = 0; i < S::atoms; ++i)
#pragma unroll
    for (int j = 0; j < S::n / 2; ++j) after_wgmma(d[i][j]);
  consumers_sync<threads>();  // no wgmma reads the stages any more
#pragma unroll
  for (int q = 0; q < quads_of_warp; ++q) put_quad(at(q, thread), &d[q / quads][4 * (q % quads)]);
  cluster_sync();
  int const owners = (warps - here.split + split_k - 1) / split_k;  // warps whose rows are reduced here
#pragma unroll 1
  for (int i = warp; i < owners * quads_of_warp; i += warps) {
    std::uint32_t const sums_at = at(i % quads_of_warp, 32 * (here.split + i / quads_of_warp * split_k) + lane);
    typename S::sum sums[4] = {};
#pragma unroll 1
    for (int k = 0; k < split_k; k += splits_at_once) {
      uint4 words[splits_at_once];
#pragma unroll
      for (int j = 0; j < splits_at_once; ++j)
        if (k + j < split_k) words[j] = load_from_block(sums_at, here.block(here.rank, k + j));
#pragma unroll
      for (int j = 0; j < splits_at_once; ++j)
#pragma unroll
        for (int q = 0; q < 4; ++q)
          if (k + j < split_k) sums[q] += reinterpret_cast<typename S::sum const*>(&words[j])[q];
    }
    put_quad(sums_at, sums);
  }
  consumers_sync<threads>();
  if (warp % split_k != here.split) return false;
#pragma unroll
  for (int q = 0; q < quads_of_warp; ++q) get_quad(at(q, thread), &d[q / quads][4 * (q % quads)]);
  return true;
}

// A consumer warpgroup: mainloop and epilogue of its tiles.
template <class S>
__device__ void consume(arguments const& g, std::uint32_t shared, place<S> here, std::uint32_t first, std::uint32_t step) {
  // The shuffle tells the compiler that this is uniform in a warp: descriptors stay in uniform registers.
  int const warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128 - 1, 0);
  int const group = warpgroup / S::cooperative_warpgroups, share = warpgroup % S::cooperative_warpgroups;
  int const thread = threadIdx.x % 128, warp = thread / 32, lane = thread % 32;
  std::uint32_t const buffers = shared + S::at_d + (warpgroup * 4 + warp) * S::bytes_d;
  consumer<S> own(shared, share, here, thread);
  order_barrier<S> order(shared, group, static_cast<int>(threadIdx.x) - 128);
  // Leaves out the stages of so many tiles from c on, which other groups multiply.
  auto const skip = [&](std::uint32_t c, int tiles) {
    if constexpr (S::P.warpgroup.pingpong_groups > 1)
      for (int i = 0; i < tiles; ++i, c += step) own.state.skip(blocks_k_in(g, here, c));
  };
  skip(first, group);
  wait_for_last_launch();
  for (std::uint32_t c = first + group * step; c < g.clusters.count(); c += S::P.warpgroup.pingpong_groups * step) {
    tile to = tile_of<S>(g, c, here);
    int const blocks_k = blocks_k_of(g, here, to.batch);
    to.m += share * S::rows + 16 * warp;
    typename S::sum d[S::atoms][S::n / 2];
    order.wait();
    own.mainloop(d, g.operands, blocks_k, [&] { order.arrive(); });
    skip(c + step, S::P.warpgroup.pingpong_groups - 1);
    if constexpr (reduces_split_k(S::P))
      if (g.splits_in_cluster() && !reduce_split_k<S>(d, shared, g.split_k, here)) break;
    store_atoms<S>(g, d, buffers, to, lane);
  }
  if (elected()) tma_store_wait_read<0>();  // the end of the launch waits for their writes
}

template <int Registers>
__device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

template <class S>
__device__ void init_barriers(std::uint32_t shared) {
  for (int i = 0; i < S::P.stages; ++i) {
    barrier_init(shared + S::at_barriers + 8 * i, 1);
    barrier_init(shared + S::at_barriers + 8 * (S::P.stages + i), S::readers * S::cooperative_warpgroups * S::releasing_warps);
    if constexpr (transposes_b(S::P)) barrier_init(shared + S::at_transposed + 8 * i, S::transposing_warps);
  }
  for (int i = 0; S::P.warpgroup.pingpong_groups > 1 && i < S::P.warpgroup.pingpong_groups; ++i)
    barrier_init(shared + S::at_order_barriers + 8 * i, 1);
  barrier_init_fence();
}

// The grid is clusters by the blocks of one.
template <class Plan>
__global__ void __launch_bounds__(Plan::value.threads, 1) sm90_gemm(__grid_constant__ arguments const g) {
  using S = shape_of<Plan>;
  extern __shared__ unsigned char memory[];
  std::uint32_t const shared = (shared_address(memory) + 1023) / 1024 * 1024;
  bool const splits = reduces_split_k(S::P) && g.splits_in_cluster();
  // The shuffle tells the compiler that this is uniform in a warp.
  int const warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
  place<S> const here(static_cast<int>(blockIdx.y));
  std::uint32_t const first = blockIdx.x, step = gridDim.x;
  let_next_launch_begin();
  if constexpr (S::P.a == element::s8)
    if (g.problem.moduli != nullptr) {
      wait_for_last_launch();
      if (!is_wanted(g.problem)) return;
    }
  if (warp == 0 && elected()) init_barriers<S>(shared);
  if (warp == 1 && elected()) {
    tma_prefetch(g.a), tma_prefetch(g.b);  // of whole shares first: where they lie, no constant says
    constexpr operand_loads a = loads<S, true>, b = loads<S, false>;
    if (a.has_edge_map(g.rows_a)) tma_prefetch(g.edge_a);
    if (b.has_edge_map(g.rows_b)) tma_prefetch(g.edge_b);
    if (by_tma(g.epilogue)) tma_prefetch(g.d);
  }
  if constexpr (S::blocks > 1)
    cluster_sync();
  else
    __syncthreads();
  if (threadIdx.x < 128) {
    if constexpr (S::consumers == 2) release_registers<504 - 2 * S::P.registers>();  // all three begin with 168
    if (warp == 0 && elected()) {
      if (!g.has_edge)  // code of its own, since edges take instructions at every stage
        produce<S, false>(g, shared, here, first, step);
      else
        produce<S, true>(g, shared, here, first, step);
    }
    if constexpr (transposes_b(S::P))
      if (1 <= warp && warp <= S::transposing_warps)
        transpose_stages<S>(g, shared, here, first, step, warp - 1, threadIdx.x % 32);
    if (threadIdx.x >= 32) prefetch_l2<S>(g, 96 * (here.rank * step + first) + threadIdx.x - 32);
    __syncwarp();                // all lanes of a warp arrive at once
    if (splits) cluster_sync();  // the consumers' sums are there
  } else {
    if constexpr (S::consumers == 2) take_registers<S::P.registers>();
    consume<S>(g, shared, here, first, step);
  }
  __syncwarp();
  if (S::blocks > 1 || splits) cluster_sync();  // no block exits while others arrive at its barriers or read its sums
}

}  // namespace
}  // namespace colex::gpu::warpgroup

#if !defined(__CUDACC_RTC__)
namespace colex::gpu {
namespace {

constexpr table_piece piece = piece_of(std::size(sm90_calls), COLEX_PIECE, COLEX_PIECES);
template <int I>
struct sm90_plan {
  static constexpr plan value = sm90_calls[piece.first + I].make();
};
// The plan whose code a plan has: one of f16 that of bf16 before it, where this piece has that.
template <int I>
using compiled_plan = sm90_plan<I - (I > 0 && sm90_calls[piece.first + I].a == element::f16)>;
template <int... I>
std::span<gemm_kernel const> table(std::integer_sequence<int, I...>) {
  static warpgroup::launcher launchers[] = {
      {sm90_plan<I>::value, reinterpret_cast<void const*>(warpgroup::sm90_gemm<compiled_plan<I>>)}...};
  static gemm_kernel const all[] = {{&sm90_plan<I>::value, nullptr, &launchers[I]}...};
  return all;
}

}  // namespace

std::span<gemm_kernel const> COLEX_KERNELS() { return table(std::make_integer_sequence<int, piece.count>{}); }

}  // namespace colex::gpu
#endif
