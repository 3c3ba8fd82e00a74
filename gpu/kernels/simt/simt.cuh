// The kernel that executes the plans of plans_simt.hpp: global memory through registers to stages in shared memory, to
// threads that multiply. Predicated everywhere; in any layout where the plan says `any`. Included by simt.cu and sm61.cu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/barrier.cuh"
#include "gpu/kernels/common/launch.cuh"
#include "gpu/kernels/simt/simt_stages.cuh"

namespace colex::gpu {

template <class Carrier>
struct multiplier {
  using of = simt_plan_of<Carrier>;
  using sum = typename of::sum;
  static constexpr int steps = of::tile_k / of::pack;
  static_assert(steps % 2 == 0 && of::what.stages >= 3, "cells are held twice by turns, also from stage to stage");
  sum sums[of::rows][of::columns];
  step_cells<Carrier> held[2];  // of this step and of the next one

  __device__ static sum product(sum a, sum b, sum c) {
    if constexpr (of::pack == 4)
      return __dp4a(a, b, c);
    else if constexpr (std::is_same_v<sum, std::int32_t>)
      return a * b + c;
    else
      return fma(a, b, c);
  }
  // Back and forth along N, so that each product has an operand of the one before it: registers are in two banks.
  __device__ void multiply(step_cells<Carrier> const& x) {
#pragma unroll
    for (int i = 0; i < of::rows; ++i)
#pragma unroll
      for (int q = 0; q < of::columns; ++q) {
        int const j = i % 2 == 0 ? q : of::columns - 1 - q;
        sums[i][j] = product(x.a[i], x.b[j], sums[i][j]);
      }
  }
  // A stage whose first step's cells are held, while those of the next step, at last of the next stage's first, are read.
  __device__ void multiply(sum const* stage, sum const* next) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      step + 1 < steps ? held[(step + 1) % 2].read(stage, step + 1) : held[0].read(next, 0);
      multiply(held[step % 2]);
    }
  }
};

// Which of the stages in shared memory, one after another.
template <class Carrier>
struct turning {
  using of = simt_plan_of<Carrier>;
  int stage = 0;
  __device__ int next() const { return stage == (of::what.stages - 1) * of::cells ? 0 : stage + of::cells; }
};

// All of K for one tile: in a loop without predicates while stages lie inside the operands, then in one with them. One stage is
// multiplied and the next one is there; registers hold the last of those to come, which shared memory has no place for yet.
template <class Carrier>
__device__ inline void accumulate(problem const& p, tile_index const& tile, multiplier<Carrier>& of_thread,
                                  typename simt_plan_of<Carrier>::sum* shared) {
  using of = simt_plan_of<Carrier>;
  using of_a = incoming<Carrier, operand::a>;
  using of_b = incoming<Carrier, operand::b>;
  constexpr int stages = of::what.stages, ahead = stages - 1;
  of_a a(p.a, p.m, tile);
  of_b b(p.b, p.n, tile);
  typename of_a::share next_a[stages];
  typename of_b::share next_b[stages];
  auto const fetch = [&](auto inside, int s, int64 k) {
    a.template fetch<inside.value>(k, next_a[s]);
    b.template fetch<inside.value>(k, next_b[s]);
  };
  auto const put = [&](int s, int stage) {
    of_a::put(next_a[s], shared + stage);
    of_b::put(next_b[s], shared + stage + of::cells_a);
  };
  // The first stages all at once: registers are free while there are no sums.
  auto const begin = [&](auto inside) {
#pragma unroll
    for (int s = 0; s < stages; ++s) fetch(inside, s, p.k - s * of::tile_k);
#pragma unroll
    for (int s = 0; s < ahead; ++s) put(s, s * of::cells);
  };
  bool const inside = of::vectors && (tile.m + 1) * of::tile_m <= p.m && (tile.n + 1) * of::tile_n <= p.n;
  int64 k = p.k - stages * of::tile_k;
  inside&& k >= 0 ? begin(std::true_type{}) : begin(std::false_type{});
  __syncthreads();
  of_thread.held[0].read(shared, 0);
  turning<Carrier> reads, writes{ahead * of::cells};
  auto const multiply = [&] {
    int const next = reads.next();
    of_thread.multiply(shared + reads.stage, shared + next);
    reads.stage = next;
  };
  auto const advance = [&](auto inside) {
    put(ahead, writes.stage);
    writes.stage = writes.next();
    if (inside.value || k > 0)
      fetch(inside, ahead, k);  // before the barrier, so that no compiler lets it wait for the next put
    __syncthreads();
  };
  int const whole = inside && k > 0 ? static_cast<int>(smaller(k / of::tile_k, INT32_MAX)) : 0;
  for (int i = whole; i > 0; --i) {
    multiply();
    advance(std::true_type{});
  }
  k -= int64{whole} * of::tile_k;
  for (int64 left = ceil_div(p.k, of::tile_k) - whole; left > 1; --left, k -= of::tile_k) {
    multiply();
    advance(std::false_type{});
  }
  multiply();
  __syncthreads();
}

// Sums to D through shared memory, one row of each thread at a time, or all, so that neighbours write neighbours.
template <class Carrier>
struct outgoing {
  using of = simt_plan_of<Carrier>;
  using sum = typename of::sum;
  static constexpr layout slice = of::what.smem_d.inner, sums = layout_tv(of::what.mma, operand::c);
  static constexpr int places = of::tile_m / of::rows, at_once = static_cast<int>(size(slice, 0)) / places;
  static constexpr int height = places * at_once, runs = of::tile_n / of::lanes;
  static constexpr layout order = in_vectors(places, of::lanes, of::tile_m);  // (place, a thread's row) to a row

  problem const& p;
  tile_index const& tile;
  bool wide;  // rows of D, and of C if it is read, are runs of sums, aligned to 16 bytes
  int part;   // of K, whose sums these are
  epilogue<sum> finish;

  __device__ outgoing(problem const& of_all, tile_index const& which, bool in_runs, int of_k)
      : p(of_all), tile(which), wide(in_runs), part(of_k), finish(of_all) {}

  // Do blocks of this code make clusters?
  __device__ static constexpr bool adds() {
#if __CUDA_ARCH__ >= 900
    return at_once == of::rows;
#else
    return false;
#endif
  }
  __device__ void write(sum const (&all)[of::rows][of::columns], sum* shared) const {
#pragma unroll 1
    for (int i = 0; i < of::rows; i += at_once) {
#pragma unroll
      for (int r = 0; r < of::rows; ++r)
        if (r / at_once * at_once == i) put(all[r], r % at_once, shared);
      meet();
#pragma unroll 1
      for (int q = static_cast<int>(threadIdx.x) + part * of::threads; q < height * runs; q += of::threads * p.parts)
        take(i, q / runs, q % runs * of::lanes, shared);
      meet();
    }
  }
  // Of all blocks that have a part of the tile's K.
  __device__ void meet() const {
    if (adds() && p.parts > 1)
      cluster_sync();
    else
      __syncthreads();
  }
  __device__ static void put(sum const (&row)[of::columns], int which, sum* shared) {
    int const mine = at<sums>(static_cast<int>(threadIdx.x));
    int const place = mine % of::tile_m / of::lanes + places * which, column = mine / of::tile_m;
#pragma unroll
    for (int j = 0; j < of::columns; j += of::lanes) {
      run<sum> r;
#pragma unroll
      for (int k = 0; k < of::lanes; ++k) r.at[k] = row[j + k];
      int const n = column + at<sums>(of::threads * of::rows * j) / of::tile_m;
      as_run(shared + at<slice>(place + height * n)) = r;
    }
  }
  __device__ static run<sum> from_block(sum const* at, int block) {
    uint4 const words = load_from_block(at, static_cast<std::uint32_t>(block));
    return reinterpret_cast<run<sum> const&>(words);
  }
  // All parts' sums of a run, in the order of the parts, where this block has its own.
  __device__ void add_parts(sum* own) const {
    run<sum> all = from_block(own, 0);
#pragma unroll 4
    for (int k = 1; k < p.parts; ++k) {
      run<sum> const r = from_block(own, k);
#pragma unroll
      for (int j = 0; j < of::lanes; ++j) all.at[j] += r.at[j];
    }
    as_run(own) = all;
  }
  __device__ void take(int i, int place, int column, sum* shared) const {
    int64 const m = tile.m * of::tile_m + at<order>(place + height * i), n = tile.n * of::tile_n + column;
    if (m >= p.m || n >= p.n) return;
    sum* const from = shared + at<slice>(place + height * column);
    if (adds() && p.parts > 1) add_parts(from);
    int64 const row = p.d.offset(0, m) + p.d.offset(2, tile.batch);
    if (wide && n + of::lanes <= p.n) return write_run(from, m, n, row);
#pragma unroll 1
    for (int j = 0; j < of::lanes && n + j < p.n; ++j)
      store(p.d, row + p.d.offset(1, n + j), finish(p, from[j], m, n + j, tile.batch));
  }
  __device__ void write_run(sum const* from, int64 m, int64 n, int64 row) const {
    run<sum> r = as_run(from), c = {};
    if (finish.beta != 0) c = as_run(static_cast<sum const*>(p.c.data) + p.c.offset(0, m) + p.c.offset(2, tile.batch) + n);
#pragma unroll
    for (int j = 0; j < of::lanes; ++j) {
      scalar<sum> const v = finish.with(r.at[j], c.at[j]);
      if constexpr (std::is_same_v<sum, std::int32_t>)
        r.at[j] = to_integer(v, -2147483648.0, 2147483647.0);
      else
        r.at[j] = v;
    }
    as_run(static_cast<sum*>(p.d.data) + row + n) = r;
  }
};

template <class Carrier>
__global__ void __launch_bounds__(Carrier::value.threads, 65536 / (Carrier::value.threads * Carrier::value.registers))
    simt_gemm(__grid_constant__ problem const p, bool wide) {
  using of = simt_plan_of<Carrier>;
  alignas(16) __shared__ typename of::sum shared[of::shared];
  auto const parts = static_cast<unsigned>(p.parts);
  int const part = static_cast<int>(blockIdx.x % parts);
  tile_order const tiles{ceil_div(p.m, of::tile_m), ceil_div(p.n, of::tile_n), p.parts == 1 ? p.batches : 1};
  int64 const i = blockIdx.x / parts + static_cast<int64>(gridDim.x / parts) * blockIdx.y;
  if (i >= tiles.count()) return;
  __shared__ tile_index tile;  // there, because nothing needs it while registers are dear
  if (threadIdx.x == 0) {
    tile = tiles.few() ? tiles(static_cast<std::uint32_t>(i)) : tiles(i);
    tile.batch += part;
  }
  __syncthreads();
  wait_for_last_launch();
  multiplier<Carrier> of_thread = {};
  accumulate(p, tile, of_thread, shared);
  outgoing<Carrier>(p, tile, wide, part).write(of_thread.sums, shared);
}

template <class Carrier>
cudaError_t launch_simt(problem const& p, cudaStream_t stream) {
  constexpr plan const& what = Carrier::value;
  int64 const blocks = order_of(p, what.tile_m, what.tile_n).count(), along_x = smaller(blocks, 0x7fffffff / p.parts * p.parts);
  dim3 const grid(static_cast<unsigned>(along_x), static_cast<unsigned>(ceil_div(blocks, along_x)));
  auto const in_runs = [](matrix const& x) { return x.type == Carrier::value.accumulator && lies_in_rows(x, 1, 0, 16); };
  bool const wide = in_runs(p.d) && (p.beta == 0 || in_runs(p.c));
  return launch_early(simt_gemm<Carrier>, {grid, static_cast<unsigned>(p.parts)}, what.threads, 0, stream, p, wide);
}

}  // namespace colex::gpu
