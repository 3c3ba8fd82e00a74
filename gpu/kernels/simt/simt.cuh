// The kernel of simt plans: stages go from global memory through registers to shared memory, from where threads multiply. Every
// access is predicated; where the plan says `any`, operands have any layout. Included by simt.cu and sm61.cu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/barrier.cuh"
#include "gpu/kernels/common/gemm_kernel.hpp"
#include "gpu/kernels/common/launch.cuh"
#include "gpu/kernels/simt/simt_stages.cuh"

namespace colex::gpu {

template <class Carrier>
struct consumer {
  using of = simt_traits<Carrier>;
  using sum = typename of::sum;
  static constexpr int steps = of::tile_k / of::pack;
  static_assert(steps % 2 == 0 && of::P.stages >= 3, "fragments are double-buffered, also from stage to stage");
  sum sums[of::rows][of::columns];
  fragments<Carrier> fragment[2];  // of this step and of the next one

  __device__ static sum product(sum a, sum b, sum c) {
    if constexpr (of::pack == 4)
      return __dp4a(a, b, c);
    else
      return multiply_add(a, b, c);
  }
  // Back and forth along N, so that each FMA shares an operand with the one before it: registers are in two banks.
  __device__ void multiply(fragments<Carrier> const& x) {
#pragma unroll
    for (int i = 0; i < of::rows; ++i)
#pragma unroll
      for (int q = 0; q < of::columns; ++q) {
        int const j = i % 2 == 0 ? q : of::columns - 1 - q;
        sums[i][j] = product(x.a[i], x.b[j], sums[i][j]);
      }
  }
  // Multiplies a stage. Each step loads the fragments of the next one, the last step those of the next stage, once that has
  // arrived.
  template <class F>
  __device__ __forceinline__ void multiply(sum const* stage, sum const* next, F const& arrive) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      if (step + 1 < steps) {
        fragment[(step + 1) % 2].read(stage, step + 1);
      } else {
        arrive();
        fragment[0].read(next, 0);
      }
      multiply(fragment[step % 2]);
    }
  }
};

// The cell where a stage begins; stages are used in a circle.
template <class Carrier>
struct stage_offset {
  using of = simt_traits<Carrier>;
  int stage = 0;
  __device__ int next() const { return stage == (of::P.stages - 1) * of::cells ? 0 : stage + of::cells; }
};

// The split of K that a block has; the block's K. Asked anew where they are needed, since registers are scarce.
__device__ inline int split_of_block() {
  unsigned x;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
  return static_cast<int>(x);
}
__device__ inline int64 k_of_block(problem const& p, int64 k_of_split) {
  return smaller(k_of_split, p.k - split_of_block() * k_of_split);
}

// The mainloop: all of a block's K of one tile. While one stage is multiplied the next one is in shared memory, and registers
// hold the one after that, for which shared memory has no room yet. One function of local functions, because ptxas allocates
// the registers of a struct with members so that a quarter of the FMAs read one bank (tests/bench/NOTES.md).
template <class Carrier>
__device__ inline void mainloop(problem const& p, tile_index const& tile, int64 k_of_split, consumer<Carrier>& accumulators,
                                typename simt_traits<Carrier>::sum* shared) {
  using of = simt_traits<Carrier>;
  using of_a = operand_producer<Carrier, operand::a>;
  using of_b = operand_producer<Carrier, operand::b>;
  constexpr int stages = of::P.stages, ahead = stages - 1;
  int64 const first_k = split_of_block() * k_of_split;
  of_a a(p.a, p.m, tile, first_k);
  of_b b(p.b, p.n, tile, first_k);
  typename of_a::registers next_a[stages];
  typename of_b::registers next_b[stages];
  auto const load_global = [&](auto inside, int s, int64 k) {
    a.template load_global<inside.value>(k, next_a[s]);
    b.template load_global<inside.value>(k, next_b[s]);
  };
  auto const store_shared = [&](int s, int stage) {
    of_a::store_shared(next_a[s], shared + stage);
    of_b::store_shared(next_b[s], shared + stage + of::cells_a);
  };
  // Loads the first stages all at once: registers are free while there are no sums.
  auto const prologue = [&](auto inside) {
#pragma unroll
    for (int s = 0; s < stages; ++s) load_global(inside, s, k_of_block(p, k_of_split) - s * of::tile_k);
#pragma unroll
    for (int s = 0; s < ahead; ++s) store_shared(s, s * of::cells);
  };
  bool const inside = of_a::is_whole(p.m, tile) && of_b::is_whole(p.n, tile);
  int64 k = k_of_block(p, k_of_split) - stages * of::tile_k;  // left of K behind the stages that were loaded
  if (inside && k >= 0)
    prologue(std::true_type{});
  else
    prologue(std::false_type{});
  __syncthreads();
  accumulators.fragment[0].read(shared, 0);
  stage_offset<Carrier> reads, writes{ahead * of::cells};
  auto const multiply_stage = [&] {
    int const next = reads.next();
    accumulators.multiply(shared + reads.stage, shared + next, [] {});
    reads.stage = next;
  };
  // Stores the stage that registers hold and loads the next one, before the barrier, so that no compiler lets the barrier wait
  // for the next store.
  auto const produce = [&](auto inside) {
    store_shared(ahead, writes.stage);
    writes.stage = writes.next();
    if (inside.value || k > 0) load_global(inside, ahead, k);
    __syncthreads();
  };
  int const whole = inside && k > 0 ? static_cast<int>(smaller(k / of::tile_k, INT32_MAX)) : 0;
  for (int i = whole; i > 0; --i) {  // without predicates
    multiply_stage();
    produce(std::true_type{});
  }
  k -= int64{whole} * of::tile_k;
  for (; k > -(stages - 1) * of::tile_k; k -= of::tile_k) {
    multiply_stage();
    produce(std::false_type{});
  }
  multiply_stage();
  __syncthreads();
}

// The same with cp.async: all stages but the one that is multiplied are under way. A stage is copied anew as soon as all
// threads have its last fragments.
template <class Carrier>
__device__ inline void mainloop_async(problem const& p, tile_index const& tile, int64 k_of_split,
                                      operand_producer<Carrier, operand::a> a, operand_producer<Carrier, operand::b> b,
                                      consumer<Carrier>& accumulators, typename simt_traits<Carrier>::sum* shared) {
  using of = simt_traits<Carrier>;
  constexpr int stages = of::P.stages;
  int64 k = k_of_block(p, k_of_split);  // left of K behind the stages that were copied
  auto const copy = [&](auto inside, int stage) {
    if (inside.value || k > 0) {
      a.template copy_stage<inside.value>(k, shared + stage);
      b.template copy_stage<inside.value>(k, shared + stage + of::cells_a);
    }
    commit();
    k -= of::tile_k;
  };
#pragma unroll 1
  for (int s = 0; s < stages; ++s) copy(std::false_type{}, s * of::cells);
  wait<stages - 1>();
  __syncthreads();
  accumulators.fragment[0].read(shared, 0);
  stage_offset<Carrier> reads;
  auto const multiply_stage = [&](auto inside) {
    int const next = reads.next();
    accumulators.multiply(shared + reads.stage, shared + next, [&] {
      wait<stages - 2>();
      __syncthreads();
      copy(inside, reads.stage);
    });
    reads.stage = next;
  };
  bool const inside = a.is_whole(p.m, tile) && b.is_whole(p.n, tile);
  int const whole = inside && k > 0 ? static_cast<int>(smaller(k / of::tile_k, INT32_MAX)) : 0;
  for (int i = whole; i > 0; --i) multiply_stage(std::true_type{});
  while (k > -stages * of::tile_k) multiply_stage(std::false_type{});
  wait<0>();
  __syncthreads();
}

// How elements of C and D are addressed: as vectors, where both are of the accumulator's type and rows are contiguous and
// aligned to 16 bytes; by strides, where both are of this type and M and N have one each; or each element by itself.
enum class simt_store : std::uint8_t { vectors, strides, offsets };

// The epilogue. Where D has whole vectors along its rows and C is not read, threads store what they hold: eight lanes have 128
// bytes of a row. Otherwise, and where a cluster adds up splits of K, sums go through shared memory, one row of each thread at
// a time or all rows, so that neighbouring threads store neighbouring elements of D.
template <class Carrier>
struct simt_epilogue {
  using of = simt_traits<Carrier>;
  using sum = typename of::sum;
  static constexpr layout slice = of::P.smem_d.inner, sums = layout_tv(of::P.mma, operand::c);
  static constexpr int slots = of::tile_m / of::rows, at_once = static_cast<int>(size(slice, 0)) / slots;
  static constexpr int height = slots * at_once, runs = of::tile_n / of::lanes;
  static constexpr layout order = in_vectors(slots, of::lanes, of::tile_m);  // (slot, a thread's row) to a row of the tile

  problem const& p;
  tile_index const& tile;
  simt_store by;
  int blocks, rank;        // of the cluster, which adds up the splits of K; this block's rank
  int64 batch_c, batch_d;  // where the tile's batch begins
  linear_combination<sum> combine;

  __device__ simt_epilogue(problem const& of_all, tile_index const& which, simt_store way, int split)
      : p(of_all),
        tile(which),
        by(way),
        blocks(in_cluster() && !p.stores_splits ? p.split_k : 1),
        rank(blocks > 1 ? split : 0),
        batch_c(p.beta == 0 ? 0 : p.c.offset(2, tile.batch)),
        batch_d(p.d.offset(2, tile.batch)),
        combine(of_all) {}

  // May blocks of this code be a cluster, which reduces the splits of K?
  __device__ static constexpr bool in_cluster() {
#if __CUDA_ARCH__ >= 900
    return at_once == of::rows;
#else
    return false;
#endif
  }
  __device__ void write(sum const (&all)[of::rows][of::columns], sum* shared) const {
    if constexpr (stores_held(of::P))
      if (blocks == 1 && by == simt_store::vectors && p.beta == 0 && p.n % of::lanes == 0) return store_held(all);
#pragma unroll 1
    for (int i = 0; i < of::rows; i += at_once) {
#pragma unroll
      for (int r = 0; r < of::rows; ++r)
        if (r / at_once * at_once == i) store_shared(all[r], r % at_once, shared);
      sync();
#pragma unroll 1
      for (int q = static_cast<int>(threadIdx.x) + rank * of::threads; q < height * runs; q += of::threads * blocks)
        by == simt_store::strides ? store_strided(i, q, shared) : store_vector(i, q / runs, q % runs * of::lanes, shared);
      if (blocks > 1)
        cluster_end();
      else
        __syncthreads();
    }
  }
  __device__ void store_held(sum const (&all)[of::rows][of::columns]) const {
    int const first = unrolled_at<sums>(static_cast<int>(threadIdx.x));
    int64 const m = tile.m * of::tile_m + first % of::tile_m, n = tile.n * of::tile_n + first / of::tile_m;
    auto const rows_left = static_cast<int>(smaller(p.m - m, of::tile_m)),
               columns_left = static_cast<int>(smaller(p.n - n, of::tile_n));
    int64 const stride = p.d.step(0);
    sum* const to = static_cast<sum*>(p.d.data) + batch_d + m * stride + n;
#pragma unroll
    for (int i = 0; i < of::rows; ++i) {
      int const row = unrolled_at<sums>(of::threads * i) % of::tile_m;
      if (row >= rows_left) continue;
#pragma unroll
      for (int j = 0; j < of::columns; j += of::lanes) {
        int const column = unrolled_at<sums>(of::threads * of::rows * j) / of::tile_m;
        if (column < columns_left) as_vec16(to + row * stride + column) = combined(vector_of(all[i], j), {});
      }
    }
  }
  __device__ static vec16<sum> vector_of(sum const (&row)[of::columns], int first) {
    vec16<sum> r;
#pragma unroll
    for (int k = 0; k < of::lanes; ++k) r.at[k] = row[first + k];
    return r;
  }
  // All blocks that have a split of the tile's K.
  __device__ void sync() const {
    if (blocks > 1)
      cluster_sync();
    else
      __syncthreads();
  }
  __device__ static void store_shared(sum const (&row)[of::columns], int which, sum* shared) {
    int const index = unrolled_at<sums>(static_cast<int>(threadIdx.x));
    int const slot = index % of::tile_m / of::lanes + slots * which, column = index / of::tile_m;
#pragma unroll
    for (int j = 0; j < of::columns; j += of::lanes) {
      int const n = column + unrolled_at<sums>(of::threads * of::rows * j) / of::tile_m;
      as_vec16(shared + unrolled_at<slice>(slot + height * n)) = vector_of(row, j);
    }
  }
  // The vectors from q on of a warp: neighbouring lanes store neighbours of a row.
  __device__ void store_strided(int i, int q, sum* shared) const {
    constexpr int run = 32 * of::lanes;
    constexpr bool whole_rows = run % of::tile_n == 0 && slots * of::tile_n % run == 0;
    static_assert(of::tile_n % run == 0 || (of::tile_n % 32 == 0 && whole_rows),
                  "a warp has part of a row, or rows of successive slots");
    int const lane = static_cast<int>(threadIdx.x % 32), first = (q - lane) * of::lanes;
    int const slot = first / of::tile_n, column = first % of::tile_n + lane;  // of the lane's first sum
    if (sum* const own = shared + unrolled_at<slice>(q / runs + height * (q % runs * of::lanes)); blocks > 1)
      as_vec16(own) = add_splits(own, blocks);
    __syncwarp();
    sum const* const from = shared + unrolled_at<slice>(slot + height * column);
    // A lane's sums lie 32 columns apart: so many slots and columns behind its first.
    auto const down = [](int e) { return 32 * e / of::tile_n; };
    auto const right = [](int e) { return 32 * e % of::tile_n; };
    sum of_lane[of::lanes];
#pragma unroll
    for (int e = 0; e < of::lanes; ++e) of_lane[e] = from[unrolled_at<slice>(down(e) + height * right(e))];
    int64 const m = tile.m * of::tile_m + unrolled_at<order>(slot + height * i), n = tile.n * of::tile_n + column;
    auto const rows_left = static_cast<int>(smaller(p.m - m, of::tile_m)),
               columns_left = static_cast<int>(smaller(p.n - n, of::tile_n));
    int64 const row_d = p.d.step(0), column_d = p.d.step(1);
    int64 of_first = m * row_d + n * column_d;
    asm("" : "+l"(of_first));  // else the compiler would multiply by strides for each element
    sum* const to = static_cast<sum*>(p.d.data) + batch_d + of_first;
#pragma unroll
    for (int e = 0; e < of::lanes; ++e) {
      int const row = unrolled_at<order>(down(e));
      if (row >= rows_left || right(e) >= columns_left) continue;
      sum c = 0;
      if (combine.beta != 0)
        c = static_cast<sum const*>(p.c.data)[batch_c + (m + row) * p.c.step(0) + (n + right(e)) * p.c.step(1)];
      to[row * row_d + right(e) * column_d] = combined(of_lane[e], c);
    }
  }
  __device__ void store_vector(int i, int slot, int column, sum* shared) const {
    int64 const m = tile.m * of::tile_m + unrolled_at<order>(slot + height * i), n = tile.n * of::tile_n + column;
    if (m >= p.m || n >= p.n) return;
    sum* const from = shared + unrolled_at<slice>(slot + height * column);
    if (blocks > 1) as_vec16(from) = add_splits(from, blocks);
    int64 const row = batch_d + p.d.offset(0, m);
    if (by == simt_store::vectors && n + of::lanes <= p.n) return combine_vector(from, m, n, row);
#pragma unroll 1
    for (int j = 0; j < of::lanes && n + j < p.n; ++j)
      store(p.d, row + p.d.offset(1, n + j), combine(p, from[j], m, n + j, tile.batch));
  }
  __device__ void combine_vector(sum const* from, int64 m, int64 n, int64 row) const {
    vec16<sum> c = {};
    if (combine.beta != 0) c = as_vec16(static_cast<sum const*>(p.c.data) + batch_c + p.c.offset(0, m) + n);
    as_vec16(static_cast<sum*>(p.d.data) + row + n) = combined(as_vec16(from), c);
  }
  __device__ sum combined(sum r, sum c) const {
    scalar<sum> const v = combine.with(r, c);
    if constexpr (std::is_same_v<sum, std::int32_t>)
      return to_integer(v, -2147483648.0, 2147483647.0);
    else
      return v;
  }
  __device__ vec16<sum> combined(vec16<sum> r, vec16<sum> const& c) const {
#pragma unroll
    for (int j = 0; j < of::lanes; ++j) r.at[j] = combined(r.at[j], c.at[j]);
    return r;
  }
};

template <class Carrier>
__global__ void __launch_bounds__(Carrier::value.threads, 65536 / (Carrier::value.threads * Carrier::value.registers))
    simt_gemm(__grid_constant__ problem const p, int64 k_of_split, simt_store by, bool leaves_room) {
  using of = simt_traits<Carrier>;
  alignas(16) __shared__ typename of::sum shared[of::shared];
  int const split = split_of_block();
  tile_order const tiles = order_of(p, of::tile_m, of::tile_n);
  int64 const i = blockIdx.y + static_cast<int64>(gridDim.y) * blockIdx.z;
  if (i >= tiles.count()) return;
  auto const tile_of_block = [&] {
    tile_index r = tiles.fits_32_bits() ? tiles(static_cast<std::uint32_t>(i)) : tiles(i);
    if (p.stores_splits) r.batch = split;  // of D; the operands have one
    return r;
  };
  auto const begins = [&] {
    wait_for_last_launch();
    if (leaves_room) let_next_launch_begin();
    return is_wanted(p);
  };
  consumer<Carrier> accumulators = {};
  if constexpr (copies_async(of::P)) {
    tile_index const tile = tile_of_block();
    operand_producer<Carrier, operand::a> a(p.a, p.m, tile, split * k_of_split);
    operand_producer<Carrier, operand::b> b(p.b, p.n, tile, split * k_of_split);
    if (!begins()) return;
    mainloop_async(p, tile, k_of_split, a, b, accumulators, shared);
    simt_epilogue<Carrier>(p, tile, by, split).write(accumulators.sums, shared);
  } else {
    __shared__ tile_index tile;  // in shared memory: the mainloop does not need it, and registers are scarce
    if (threadIdx.x == 0) tile = tile_of_block();
    __syncthreads();
    if (!begins()) return;
    mainloop(p, tile, k_of_split, accumulators, shared);
    simt_epilogue<Carrier>(p, tile, by, split).write(accumulators.sums, shared);
  }
}

template <class Carrier>
cudaError_t launch_simt(problem const& p, cudaStream_t stream) {
  constexpr plan const& P = Carrier::value;
  launch_grid const grid = grid_of(p, order_of(p, P.tile_m, P.tile_n).count());
  auto const all = [&](auto const& is) { return is(p.d) && (p.beta == 0 || is(p.c)); };
  bool const vectors = all([](matrix const& x) { return x.type == Carrier::value.accumulator && lies_in_rows(x, 1, 0, 16); }),
             strides = all([](matrix const& x) { return x.type == Carrier::value.accumulator && x.plain(0) && x.plain(1); });
  simt_store const by = vectors ? simt_store::vectors : strides ? simt_store::strides : simt_store::offsets;
  return launch_with_pdl<simt_gemm<Carrier>>(grid, P.threads, 0, stream, p, k_of_splits(p, P.tile_k), by,
                                             leaves_room(grid.blocks));
}

// The kernels of plans, of which each has its own.
template <auto const& Plans, int I>
struct simt_carrier {
  static constexpr plan value = Plans[I];
};
template <auto const& Plans, int... I>
std::span<gemm_kernel const> simt_table(std::integer_sequence<int, I...>) {
  static gemm_kernel const all[] = {{&Plans[I], launch_simt<simt_carrier<Plans, I>>}...};
  return all;
}
template <auto const& Plans>
std::span<gemm_kernel const> simt_table() {
  return simt_table<Plans>(std::make_integer_sequence<int, std::size(Plans)>{});
}

}  // namespace colex::gpu
