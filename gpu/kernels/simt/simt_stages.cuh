// Of the simt kernels: the plan's constants; the producer, which loads stages from global memory to registers and stores them
// to shared memory; and the fragments that threads load from there. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/async_copy.cuh"
#include "gpu/kernels/common/barrier.cuh"
#include "gpu/kernels/common/launch.cuh"
#include "gpu/kernels/common/layout_at.cuh"
#include "gpu/kernels/common/problem.hpp"
#include "gpu/kernels/common/vectors.cuh"
#include "gpu/plans/simt.hpp"

#include <type_traits>
#include <utility>

namespace colex::gpu {

// A launch of a block for each tile and split of K; where a split is not stored, the splits of a tile are a cluster.
inline launch_grid grid_of(problem const& p, int64 tiles) {
  int64 const along_y = smaller(tiles, 0xffff);
  auto const splits = static_cast<unsigned>(p.split_k);
  return {{splits, static_cast<unsigned>(along_y), static_cast<unsigned>(ceil_div(tiles, along_y))},
          p.stores_splits ? 1 : splits};
}
// K of a split: whole stages.
inline int64 k_of_splits(problem const& p, int64 tile_k) { return ceil_div(ceil_div(p.k, tile_k), p.split_k) * tile_k; }

template <class Sum>
__device__ inline Sum multiply_add(Sum a, Sum b, Sum c) {
  if constexpr (std::is_same_v<Sum, std::int32_t>)
    return a * b + c;
  else
    return fma(a, b, c);
}

// The constants of a plan. Shared memory is made of cells: an element of the accumulator's type, or the four bytes along K of a
// dp4a. (Carrier: nvcc cannot mangle a plan as an argument of a kernel.)
template <class Carrier>
struct simt_traits {
  static constexpr plan P = Carrier::value;
  using sum = std::conditional_t<P.accumulator == element::f64, double,
                                 std::conditional_t<P.accumulator == element::s32, std::int32_t, float>>;
  static constexpr int pack = P.kind == family::dp4a ? 4 : 1, lanes = vec16<sum>::size;
  static constexpr int tile_m = static_cast<int>(P.tile_m), tile_n = static_cast<int>(P.tile_n);
  static constexpr int tile_k = static_cast<int>(P.tile_k), threads = P.threads;
  static constexpr int rows = static_cast<int>(size(layout_tv(P.mma, operand::a), 1)) / pack;
  static constexpr int columns = static_cast<int>(size(layout_tv(P.mma, operand::b), 1)) / pack;
  static constexpr int cells_a = static_cast<int>(cosize(P.smem_a.inner)) / pack;
  static constexpr int cells = cells_a + static_cast<int>(cosize(P.smem_b.inner)) / pack;
  static constexpr int shared = static_cast<int>(P.shared / sizeof(sum));
  static_assert(cells_a % lanes == 0 && cells % lanes == 0, "stages begin at a multiple of 16 bytes");
};

// A thread's share of copying an operand, stage after stage, through registers or with cp.async.
template <class Carrier, operand X>
struct operand_producer {
  using of = simt_traits<Carrier>;
  using sum = typename of::sum;
  static constexpr layout copy = X == operand::a ? of::P.copy_a : of::P.copy_b, writes = staged(of::P, X);
  static constexpr element type = X == operand::a ? of::P.a : of::P.b;
  static constexpr major along = X == operand::a ? of::P.major_a : of::P.major_b;
  static constexpr int rows = X == operand::a ? of::tile_m : of::tile_n;
  static constexpr int width = bits_of(type) / 8;
  static constexpr int vector = static_cast<int>(size(get(get(copy, 1), 0)));
  static constexpr int steps = static_cast<int>(size(copy, 1)) / vector, cells = vector * steps / of::pack;
  using registers = sum[cells];  // of a stage

  // The row and the k of a step, relative to the thread's first vector.
  __device__ static constexpr int row_of(int step) { return unrolled_at<copy>(of::threads * vector * step) % rows; }
  __device__ static constexpr int k_of(int step) { return unrolled_at<copy>(of::threads * vector * step) / rows; }

  // Rows behind the operand's last, whose results are not stored: vectors are taken from the last ones instead; single elements
  // along rows, of which each would need an address of its own, and cp.async, which is slow where many threads read the same,
  // leave them out by a predicate; where registers are scarce, and for any layout, tiles with such rows have a slower loop.
  enum class edge : std::uint8_t { clamped, predicated, apart };
  static constexpr edge at_edge = along == major::any                                          ? edge::apart
                                  : copies_async(of::P) || (along == major::mn && vector == 1) ? edge::predicated
                                  : along == major::k && of::P.registers == 255                ? edge::apart
                                                                                               : edge::clamped;
  static constexpr bool clamps = at_edge == edge::clamped;

  // A thread's rows along K have a pointer each, but where tiles at edges are apart; they lie so far from each other. Else one
  // pointer serves all rows.
  static constexpr bool own_pointers = along == major::k && at_edge != edge::apart;
  static constexpr int between_rows = steps > 1 && row_of(1) > 0 ? row_of(1) : rows;
  static constexpr int pointers = own_pointers ? row_of(steps - 1) / between_rows + 1 : 1;

  matrix const& x;
  int64 step;                  // the stride between rows (K-major) or along K (MN-major), in bytes; any: k of the next stage
  int64 base;                  // any: the offset of the thread's first row and batch
  char const* from[pointers];  // otherwise: the thread's first element of the next stage, of its first row or of each
  int left, column;            // rows left from the thread's first on; the k, in the stage, of its first element

  __device__ operand_producer(matrix const& of_problem, int64 extent, tile_index const& tile, int64 first_k) : x(of_problem) {
    int const first = unrolled_at<copy>(static_cast<int>(threadIdx.x));
    int64 const at = (X == operand::a ? tile.m : tile.n) * rows + first % rows,
                row = clamps ? smaller(at, last_vector(extent)) : at;
    column = first / rows;
    left = static_cast<int>(smaller(extent - row, rows));
    if constexpr (along == major::any) {
      step = first_k;
      base = x.offset(0, row) + x.offset(2, tile.batch);
    } else {
      step = x.step(along == major::k ? 0 : 1) * width;
      static_assert(!clamps || along == major::k || row_of(steps - 1) == 0);
      int64 const k = first_k + column;
      char const* const batch = static_cast<char const*>(x.data) + tile.batch * x.step(2) * width;
#pragma unroll
      for (int i = 0; i < pointers; ++i) {
        int64 const behind = i == 0 ? 0 : clamps ? smaller(i * between_rows, left - 1) : i * between_rows;
        from[i] = batch + (along == major::k ? (row + behind) * step + k * width : row * width + k * step);
      }
    }
  }

  // The first row of the last vector.
  __device__ static int64 last_vector(int64 extent) { return along == major::mn ? (extent - 1) / vector * vector : extent - 1; }
  // Can stages be loaded without asking for each vector how much of it exists, where all of their K does?
  __device__ static bool is_whole(int64 extent, tile_index const& tile) {
    if constexpr (along == major::any)
      return false;
    else if constexpr (at_edge == edge::apart)
      return ((X == operand::a ? tile.m : tile.n) + 1) * rows <= extent;
    else
      return along == major::k || extent % vector == 0;
  }

  // Loads the next stage, of which k is left of K, with zeros behind it. Inside: all of the stage's K exists, and is_whole.
  template <bool Inside>
  __device__ void load_global(int64 k, registers& to) {
    if constexpr (along == major::any)
      load_any<Inside>(k, to);
    else
      load_vectors<Inside>(k, to);
  }
  // Each lane computes the offset of one k, for all lanes.
  template <bool Inside, element Type>
  __device__ void load_elements(int64 k, registers& to) {
    static_assert(of::tile_k <= 32 && row_of(steps - 1) == 0);
    int64 const offsets = x.offset(1, step + threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      int64 const offset = base + __shfl_sync(~0u, offsets, column + k_of(i));
      to[i] = Inside || (left > 0 && column + k_of(i) < k) ? load<sum>(x.data, Type, offset) : sum(0);
    }
    step += of::tile_k;
  }
  // One kernel serves all types that have this accumulator.
  template <bool Inside>
  __device__ void load_any(int64 k, registers& to) {
    if constexpr (!std::is_same_v<sum, float>) return load_elements<Inside, type>(k, to);
    visit_type<sums_in_f32>(x.type, [&](auto e) { load_elements<Inside, e.value>(k, to); });
  }
  // f of each vector of the next stage: its number, where it lies, and how many of its elements exist.
  template <bool Inside, class F>
  __device__ __forceinline__ void next_vectors(int64 k, F const& f) {
    int const left_k = static_cast<int>(smaller(k, of::tile_k)) - column;
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      char const* const at =
          from[own_pointers ? row_of(i) / between_rows : 0] + (own_pointers        ? k_of(i) * width
                                                               : along == major::k ? row_of(i) * step + k_of(i) * width
                                                                                   : row_of(i) * width + k_of(i) * step);
      bool const exists = left > row_of(i), inside = exists && left_k > k_of(i);
      f(i, at,
        Inside              ? at_edge != edge::predicated || exists ? vector : 0
        : !inside           ? 0
        : along == major::k ? left_k - k_of(i)
                            : left - row_of(i));
    }
#pragma unroll
    for (int i = 0; i < pointers; ++i) from[i] += along == major::k ? of::tile_k * width : of::tile_k * step;
  }
  template <bool Inside>
  __device__ void load_vectors(int64 k, registers& to) {
    next_vectors<Inside>(k, [&](int i, char const* at, int n) { load_vector(to, i * (vector / of::pack), at, n); });
  }
  // Copies the next stage to shared memory; no register holds it.
  template <bool Inside>
  __device__ void copy_stage(int64 k, sum* stage) {
    std::uint32_t const to = shared_address(stage + unrolled_at<writes>(static_cast<int>(threadIdx.x)));
    next_vectors<Inside>(k, [&](int i, char const* at, int n) {
      std::uint32_t const cell = to + width * unrolled_at<writes>(of::threads * vector * i);
      if constexpr (Inside)
        copy_async_if<vector * width>(n > 0, cell, at);
      else
        copy_async<vector * width>(cell, at, width * (n < vector ? n : vector));
    });
  }
  // A vector of which n elements exist.
  __device__ void load_vector(registers& to, int first, char const* at, int n) {
    constexpr int count = vector / of::pack;
    if constexpr (count == vec16<sum>::size) {
      if (n >= vector) {
        vec16<sum> const r = *reinterpret_cast<vec16<sum> const*>(at);
#pragma unroll
        for (int i = 0; i < count; ++i) to[first + i] = r.at[i];
        return;
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) to[first + i] = 0;
#pragma unroll
    for (int i = 0; i < vector; ++i)
      if (i < n) insert_element(to[first + i / of::pack], i % of::pack, at + i * width);
  }
  __device__ static void insert_element(sum& cell, int split, char const* at) {
    if constexpr (of::pack == 1)
      cell = load<sum>(at, type, 0);
    else
      cell |= static_cast<int>(*reinterpret_cast<std::uint8_t const*>(at)) << (8 * split);
  }

  __device__ static void store_shared(registers const& values, sum* stage) {
    constexpr int count = contiguous_bytes(writes, 8 * sizeof(sum) / of::pack) == 16 ? vec16<sum>::size : 1;
    sum* const to = stage + unrolled_at<writes>(static_cast<int>(threadIdx.x)) / of::pack;
#pragma unroll
    for (int i = 0; i < cells; i += count) {
      sum* const cell = to + unrolled_at<writes>(of::threads * of::pack * i) / of::pack;
      if constexpr (count == 1) {
        *cell = values[i];
      } else {
        vec16<sum> r;
#pragma unroll
        for (int j = 0; j < count; ++j) r.at[j] = values[i + j];
        as_vec16(cell) = r;
      }
    }
  }
};

template <class Carrier, operand X>
struct read_by {
  static constexpr layout value = fragment(Carrier::value, X);
};
// A thread's fragments of both operands for one step along K.
template <class Carrier>
struct fragments {
  using of = simt_traits<Carrier>;
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
    constexpr int along = static_cast<int>(fragment_step(of::P, X)) / of::pack;
    static_assert(contiguous_bytes(reads::value, 8 * sizeof(sum) / of::pack) == 16);
    sum const* const from = stage + unrolled_at<reads::value>(static_cast<int>(threadIdx.x)) / of::pack + step * along;
#pragma unroll
    for (int i = 0; i < Count; i += of::lanes) {
      vec16<sum> const r = as_vec16(from + unrolled_at<reads::value>(of::threads * of::pack * i) / of::pack);
#pragma unroll
      for (int j = 0; j < of::lanes; ++j) to[i + j] = r.at[j];
    }
  }
};

}  // namespace colex::gpu
