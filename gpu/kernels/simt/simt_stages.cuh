// What a plan means to the kernel whose threads multiply one by one, as constants; how stages come from global memory through
// registers, and from there to the threads. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"
#include "gpu/plans/simt.hpp"

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

}  // namespace colex::gpu
