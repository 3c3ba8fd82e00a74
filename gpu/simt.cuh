// The kernel that executes the plans of plans_simt.hpp: global memory through registers to stages in shared memory, to
// threads that multiply. Predicated everywhere; in any layout where the plan says `any`. Included by simt.cu and sm61.cu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/barrier.cuh"
#include "gpu/launch.cuh"
#include "gpu/plans_simt.hpp"
#include "gpu/problem.hpp"

#include <type_traits>
#include <utility>

namespace colex::gpu {

// 16 bytes that move at once.
template <class T>
struct alignas(16) run {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T at[size];
};
template <class T>
__device__ inline run<T> const& as_run(T const* x) {
  return *reinterpret_cast<run<T> const*>(x);
}
template <class T>
__device__ inline run<T>& as_run(T* x) {
  return *reinterpret_cast<run<T>*>(x);
}

// The value of a layout that the compiler knows at an index inside it, whatever the optimizer does about loops over its leaves.
template <layout const& L, int K>
__device__ constexpr int leaf_at(int i) {
  constexpr int below = static_cast<int>(size(L, branch{0, K, 0, 0})), extent = static_cast<int>(L.shape[K]);
  constexpr int step = static_cast<int>(L.stride[K]);
  return i / below % extent * step;
}
template <layout const& L, int... K>
__device__ constexpr int leaves_at(int i, std::integer_sequence<int, K...>) {
  return (leaf_at<L, K>(i) + ... + 0);
}
template <layout const& L>
__device__ constexpr int at(int i) {
  return leaves_at<L>(i, std::make_integer_sequence<int, L.form.count>{});
}

// The constants of a plan. What lies in shared memory are cells: a sum's type, or four bytes along K that multiply at once.
// (Carrier: nvcc cannot spell a plan as an argument of a kernel.)
template <class Carrier>
struct simt_plan_of {
  static constexpr plan what = Carrier::value;
  using sum = std::conditional_t<what.accumulator == element::f64, double,
                                 std::conditional_t<what.accumulator == element::s32, std::int32_t, float>>;
  static constexpr int pack = what.kind == family::dot ? 4 : 1, lanes = run<sum>::size;
  static constexpr bool vectors = what.major_a != major::any || what.major_b != major::any;  // it has a fast path
  static constexpr int tile_m = static_cast<int>(what.tile_m), tile_n = static_cast<int>(what.tile_n);
  static constexpr int tile_k = static_cast<int>(what.tile_k), threads = what.threads;
  static constexpr int rows = static_cast<int>(size(layout_tv(what.mma, operand::a), 1)) / pack;
  static constexpr int columns = static_cast<int>(size(layout_tv(what.mma, operand::b), 1)) / pack;
  static constexpr int cells_a = static_cast<int>(cosize(what.smem_a.inner)) / pack;
  static constexpr int cells = cells_a + static_cast<int>(cosize(what.smem_b.inner)) / pack;
  static constexpr int shared = static_cast<int>(what.shared / sizeof(sum));
  static_assert(cells_a % lanes == 0 && cells % lanes == 0, "stages begin at a multiple of 16 bytes");
};

// What a thread brings of an operand, stage after stage, through registers.
template <class Carrier, operand X>
struct incoming {
  using of = simt_plan_of<Carrier>;
  using sum = typename of::sum;
  static constexpr layout copy = X == operand::a ? of::what.copy_a : of::what.copy_b, writes = staged(of::what, X);
  static constexpr element type = X == operand::a ? of::what.a : of::what.b;
  static constexpr major along = X == operand::a ? of::what.major_a : of::what.major_b;
  static constexpr int rows = X == operand::a ? of::tile_m : of::tile_n;
  static constexpr int width = bits_of(type) / 8;
  static constexpr int vector = static_cast<int>(size(get(get(copy, 1), 0)));
  static constexpr int steps = static_cast<int>(size(copy, 1)) / vector, cells = vector * steps / of::pack;
  using share = sum[cells];  // of a stage, on its way

  matrix const& x;
  int64 step;        // bytes from row to row (along K), or from place to place along K (along rows); any: so far along K
  int64 base;        // any: where the thread's first element of the next stage lies
  char const* from;  // otherwise: that element
  int left, column;  // rows from the thread's first on; its first element's place along K

  __device__ incoming(matrix const& of_problem, int64 extent, tile_index const& tile) : x(of_problem) {
    int const first = at<copy>(static_cast<int>(threadIdx.x));
    int64 const row = (X == operand::a ? tile.m : tile.n) * rows + first % rows;
    column = first / rows;
    left = static_cast<int>(smaller(extent - row, rows));
    if constexpr (along == major::any) {
      step = 0;
      base = x.offset(0, row) + x.offset(2, tile.batch);
    } else {
      step = x.step(along == major::k ? 0 : 1) * width;
      int64 const near = along == major::k ? row * step + column * width : row * width + column * step;
      from = static_cast<char const*>(x.data) + tile.batch * x.step(2) * width + near;
    }
  }

  // Row and place along K of a step, from those of the thread's first vector.
  __device__ static constexpr int row_of(int step) { return at<copy>(of::threads * vector * step) % rows; }
  __device__ static constexpr int k_of(int step) { return at<copy>(of::threads * vector * step) / rows; }

  // The next stage where k is left of K; zeros beyond the operand, none where all of the stage is known to lie inside.
  template <bool Inside>
  __device__ void fetch(int64 k, share& to) {
    if constexpr (along == major::any)
      fetch_any<Inside>(k, to);
    else
      fetch_vectors<Inside>(k, to);
  }
  // Each lane of a warp finds where one place along K lies, for all of them.
  template <bool Inside, element Type>
  __device__ void fetch_elements(int64 k, share& to) {
    static_assert(of::tile_k <= 32 && row_of(steps - 1) == 0);
    int64 const places = x.offset(1, step + threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      int64 const place = base + __shfl_sync(~0u, places, column + k_of(i));
      to[i] = Inside || (left > 0 && column + k_of(i) < k) ? load<sum>(x.data, Type, place) : sum(0);
    }
    step += of::tile_k;
  }
  // One kernel for all types that have these sums.
  template <bool Inside>
  __device__ void fetch_any(int64 k, share& to) {
    if constexpr (!std::is_same_v<sum, float>) return fetch_elements<Inside, type>(k, to);
    switch (x.type) {
      case element::f16: return fetch_elements<Inside, element::f16>(k, to);
      case element::bf16: return fetch_elements<Inside, element::bf16>(k, to);
      case element::e4m3: return fetch_elements<Inside, element::e4m3>(k, to);
      case element::e5m2: return fetch_elements<Inside, element::e5m2>(k, to);
      default: return fetch_elements<Inside, element::f32>(k, to);
    }
  }
  template <bool Inside>
  __device__ void fetch_vectors(int64 k, share& to) {
    int const left_k = static_cast<int>(smaller(k, of::tile_k)) - column;
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      int64 const place = along == major::k ? row_of(i) * step + k_of(i) * width : row_of(i) * width + k_of(i) * step;
      bool const inside = left > row_of(i) && left_k > k_of(i);
      int const n = Inside ? vector : !inside ? 0 : along == major::k ? left_k - k_of(i) : left - row_of(i);
      fetch_vector(to, i * (vector / of::pack), from + place, n);
    }
    from += along == major::k ? of::tile_k * width : of::tile_k * step;
  }
  // A vector of which n elements exist.
  __device__ void fetch_vector(share& to, int first, char const* at, int n) {
    constexpr int count = run<sum>::size;
    if (n >= vector) {
      run<sum> const r = *reinterpret_cast<run<sum> const*>(at);
#pragma unroll
      for (int i = 0; i < count; ++i) to[first + i] = r.at[i];
      return;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) to[first + i] = 0;
#pragma unroll
    for (int i = 0; i < vector; ++i)
      if (i < n) put_element(to[first + i / of::pack], i % of::pack, at + i * width);
  }
  __device__ static void put_element(sum& cell, int part, char const* at) {
    if constexpr (of::pack == 1)
      cell = load<sum>(at, type, 0);
    else
      cell |= static_cast<int>(*reinterpret_cast<std::uint8_t const*>(at)) << (8 * part);
  }

  __device__ static void put(share const& held, sum* stage) {
    constexpr int count = contiguous_bytes(writes, 8 * sizeof(sum) / of::pack) == 16 ? run<sum>::size : 1;
    sum* const to = stage + at<writes>(static_cast<int>(threadIdx.x)) / of::pack;
#pragma unroll
    for (int i = 0; i < cells; i += count) {
      sum* const place = to + at<writes>(of::threads * of::pack * i) / of::pack;
      if constexpr (count == 1) {
        *place = held[i];
      } else {
        run<sum> r;
#pragma unroll
        for (int j = 0; j < count; ++j) r.at[j] = held[i + j];
        as_run(place) = r;
      }
    }
  }
};

template <class Carrier, operand X>
struct read_by {
  static constexpr layout value = fragment(Carrier::value, X);
};
// A thread's cells of both operands for one step along K.
template <class Carrier>
struct step_cells {
  using of = simt_plan_of<Carrier>;
  using sum = typename of::sum;
  sum a[of::rows], b[of::columns];

  __device__ void read(sum const* stage, int step) {
    read<operand::a>(stage, step, a);
    read<operand::b>(stage + of::cells_a, step, b);
  }

 private:
  template <operand X, int Count>
  __device__ static void read(sum const* stage, int step, sum (&to)[Count]) {
    using reads = read_by<Carrier, X>;
    constexpr int along = static_cast<int>(fragment_step(of::what, X)) / of::pack;
    static_assert(contiguous_bytes(reads::value, 8 * sizeof(sum) / of::pack) == 16);
    sum const* const from = stage + at<reads::value>(static_cast<int>(threadIdx.x)) / of::pack + step * along;
#pragma unroll
    for (int i = 0; i < Count; i += of::lanes) {
      run<sum> const r = as_run(from + at<reads::value>(of::threads * of::pack * i) / of::pack);
#pragma unroll
      for (int j = 0; j < of::lanes; ++j) to[i + j] = r.at[j];
    }
  }
};
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
