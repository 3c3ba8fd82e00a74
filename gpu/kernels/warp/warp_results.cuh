// The epilogue of a warp: sums go through shared memory and are stored 16 bytes at a time, or one by one for any layout of C
// and D. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/vectors.cuh"
#include "gpu/kernels/warp/warp_fragments.cuh"

namespace colex::gpu::warp {

// May blocks of this code be a cluster, which reduces the splits of K?
template <class P>
__device__ constexpr bool in_cluster() {
#if __CUDA_ARCH__ >= 900
  return reduces_warp_splits(P::value);
#else
  return false;
#endif
}
// Of so many parts of a tile those that this block stores: all, or its share where a cluster's blocks have the splits of K.
struct share {
  int first, end;
  __device__ bool has(int part) const { return first <= part && part < end; }
};
template <class P>
__device__ __forceinline__ share share_of(int parts) {
  if constexpr (in_cluster<P>()) {
    auto const blocks = static_cast<int>(gridDim.y), rank = static_cast<int>(blockIdx.y);
    if (blocks > 1) return {rank * parts / blocks, (rank + 1) * parts / blocks};
  }
  return {0, parts};
}
// Reduces the vectors of a thread's sums of which part(i) says that they are this block's, in the order of the splits.
template <class P, class Part>
__device__ __forceinline__ void reduce_splits(sums<P>& c, char* memory, share const& mine, Part const& part) {
  using sum = typename traits<P>::sum;
  using vector = vec16<sum>;
  constexpr int vectors = static_cast<int>(sizeof(c) / sizeof(vector));
  sum* const held = &c.value[0][0][0];
  auto* const staged = reinterpret_cast<vector*>(memory) + threadIdx.x;
  if constexpr (traits<P>::async) wait<0>();
  __syncthreads();  // no stage is written or read any more
  unroll(constants<vectors>{}, [&](auto i) {
    vector v;
    unroll(constants<vector::size>{}, [&](auto j) { v.at[j] = held[i * vector::size + j]; });
    staged[i * P::value.threads] = v;
  });
  cluster_sync();
#pragma unroll 1
  for (int i = 0; i < vectors; ++i) {
    vector& v = staged[i * P::value.threads];
    if (mine.has(part(i))) v = add_splits(v.at, static_cast<int>(gridDim.y));
  }
  unroll(constants<vectors>{}, [&](auto i) {
    vector const v = staged[i * P::value.threads];
    unroll(constants<vector::size>{}, [&](auto j) { held[i * vector::size + j] = v.at[j]; });
  });
}

// Where a batch of D begins: most products have one, for which nothing is divided.
__device__ __forceinline__ int64 offset_of_batch(matrix const& d, int64 batch) {
  if (batch == 0) [[likely]]
    return 0;
  return d.offset(2, batch);
}
// A piece of a warp's sums: first to shared memory, then row by row to D.
template <class P>
struct warp_epilogue {
  using f = traits<P>;
  using sum = typename f::sum;
  static constexpr int rows = static_cast<int>(size(f::p.smem_d.inner, 0)), columns = f::staged / rows;
  arguments const& t;
  linear_combination<sum> scaled;
  sum* staged;
  int64 m, n, batch;  // of the first element
  int64 of_batch;     // where D's begins

  static constexpr int atoms = staged_atoms(f::p), pieces = f::atoms.m * (f::atoms.n / atoms);
  // Of a thread's vector of sums.
  __device__ static int piece_of(int i) {
    constexpr int of_atom = f::sums / vec16<sum>::size;
    return i / of_atom % f::atoms.m + i / (of_atom * f::atoms.m * atoms) * f::atoms.m;
  }

  // staged_index, of an index known only at run time.
  __device__ static int staged_at(int i) {
    return at<f::p.smem_d>(i % static_cast<int>(f::p.tile_m) + i / static_cast<int>(f::p.tile_m) * rows);
  }
  static constexpr int together = neighbouring_sums(f::p), groups = atoms * f::sums / together;
  struct alignas(together * sizeof(sum)) neighbours {
    sum value[together];
  };
  // The first thread's sums of a piece: where neighbours lie in shared memory, and which value of a column of atoms each is.
  static constexpr auto elements = tabulated<groups>(
      [](int i) { return f::p.smem_d(staged_index(f::p, f::c(f::p.threads * staged_value(f::p, together * i)))); });
  static constexpr auto values = tabulated<atoms * f::sums>([](int i) { return staged_value(f::p, i); });
  template <int M, int N>
  __device__ __forceinline__ void stage(sums<P> const& c) {
    int const thread = staged_at(at<f::c>(static_cast<int>(threadIdx.x % 32)));
    unroll(constants<groups>{}, [&](auto i) {
      neighbours x;
      unroll(constants<together>{}, [&](auto j) { x.value[j] = (&c.value[N][M][0])[values[together * i + j]]; });
      constexpr int step = elements[i];
      *reinterpret_cast<neighbours*>(staged + joined_address(thread, step, period_of(f::p.smem_d.sw))) = x;
    });
  }
  // A sum as D has it. As it is: its type is D's, and alpha is 1. A factor of integers is a double, whose product is rounded
  // and saturated: 15 instructions.
  template <class T, bool AsItIs>
  __device__ __forceinline__ T result(sum x) const {
    if constexpr (AsItIs) return x;
    return converted<T>(scaled.alpha * static_cast<scalar<sum>>(x));
  }
  // Stores 16 bytes of D at a time, without C.
  template <class T, bool AsItIs>
  __device__ __forceinline__ void store_vectors(int64 stride) {
    constexpr int vector = 16 / sizeof(T), chunk = std::min<int>(16 / sizeof(sum), vector), across = columns / vector;
    struct alignas(16) to {
      T value[vector];
    };
    struct alignas(sizeof(sum) * chunk) part {
      sum value[chunk];
    };
    int const lane = static_cast<int>(threadIdx.x % 32), first = lane / across, column = lane % across * vector;
    T* const line = static_cast<T*>(t.d) + of_batch + (m + first) * stride + n + column;
#pragma unroll
    for (int i = 0; i < (rows * across + 31) / 32; ++i) {
      int const row = first + i * (32 / across);
      if (row >= rows || m + row >= t.m) break;
      to words;
#pragma unroll
      for (int j = 0; j < vector; j += chunk) {
        part const v = *reinterpret_cast<part const*>(staged + at<f::p.smem_d>(row + rows * (column + j)));
#pragma unroll
        for (int k = 0; k < chunk; ++k) words.value[j + k] = result<T, AsItIs>(v.value[k]);
      }
      *reinterpret_cast<uint4*>(line + i * (32 / across) * stride) = *reinterpret_cast<uint4 const*>(&words);
    }
  }
  // Stores by D's strides, without C: neighbouring lanes have neighbours of a row.
  template <class T, bool AsItIs>
  __device__ __forceinline__ void store_strided() {
    constexpr int across = std::min(columns, 32), down = 32 / across, steps = rows / down;
    constexpr int64 width = sizeof(T);
    static_assert(columns % across == 0 && 32 % across == 0 && rows % down == 0);
    unsigned const lane = threadIdx.x % 32, first = lane / across;
    int64 const step = down * t.row_d * width;
#pragma unroll
    for (unsigned c = 0; c < columns; c += across) {
      unsigned const column = c + lane % across;
      auto const left = static_cast<int>(n + column < t.n ? smaller(t.m - m - first, rows) : 0);
      char* to = static_cast<char*>(t.d) + (of_batch + (m + first) * t.row_d + (n + column) * t.column_d) * width;
      sum all[steps];
#pragma unroll
      for (int i = 0; i < steps; ++i) all[i] = staged[at<f::p.smem_d>(first + i * down + rows * column)];
#pragma unroll
      for (int i = 0; i < steps; ++i, to += step)
        if (i * down < left) *reinterpret_cast<T*>(to) = result<T, AsItIs>(all[i]);
    }
  }
  template <class T, bool AsItIs = false>
  __device__ __forceinline__ void store_as() {
    t.stride_d != 0 && n + columns <= t.n ? store_vectors<T, AsItIs>(t.stride_d) : store_strided<T, AsItIs>();
  }
  // Stores element by element, for any layout of C and D.
  __device__ __forceinline__ void store_elements() {
#pragma unroll 1
    for (int column = static_cast<int>(threadIdx.x % 32); column < columns && n + column < t.n; column += 32) {
      int64 const of_column = of_batch + t.p.d.offset(1, n + column);
#pragma unroll 1
      for (int row = 0; row < rows && m + row < t.m; ++row)
        store(t.p.d, of_column + t.p.d.offset(0, m + row),
              scaled(t.p, staged[at<f::p.smem_d>(row + rows * column)], m + row, n + column, batch));
    }
  }
  // Beside the sums of f64 the compiler would have too few registers for the mainloop.
  __device__ __noinline__ void store_elements_apart() { store_elements(); }
  // (Of f64 what lies by strides is stored from registers.)
  __device__ __forceinline__ void store_staged() {
    if constexpr (f::wide) return store_elements_apart();
    if (!t.by_strides) return store_elements();
    if constexpr (f::integers)
      t.type_d == element::s8 ? store_as<std::int8_t>()
      : scaled.alpha == 1     ? store_as<std::int32_t, true>()
                              : store_as<std::int32_t>();
    else if constexpr (!f::wide)
      t.type_d == element::f32 ? store_as<float>() : t.type_d == element::f16 ? store_as<__half>() : store_as<__nv_bfloat16>();
  }
};

// Can D be stored by its strides, in a type that has code for it? C is not read. Of f64 four lanes have 64 contiguous bytes of
// a row.
template <class P>
bool stores_by_strides(problem const& p) {
  using f = traits<P>;
  element const type = p.d.type;
  bool const has_code = f::wide       ? type == element::f64
                        : f::integers ? type == element::s8 || type == element::s32
                                      : type == element::f32 || type == element::f16 || type == element::bf16;
  return has_code && p.beta == 0 && p.d.plain(0) && p.d.plain(1);
}
// The stride of D's rows if they can be stored 16 bytes at a time; otherwise 0.
template <class P>
int64 stride_of_vectors(problem const& p) {
  if (!stores_by_strides<P>(p) || p.d.step(1) != 1) return 0;
  bool aligned = reinterpret_cast<std::uintptr_t>(p.d.data) % 16 == 0;
  for (int mode : {0, 2})
    for (int k = p.d.begin(mode); k < p.d.end[mode]; ++k) aligned &= bytes(p.d.type, p.d.stride[k]) % 16 == 0;
  return !aligned ? 0 : p.m > 1 ? p.d.step(0) : p.n;
}
// Four lanes hold two of eight neighbours each. Then lane l has those at l and at l + 4: what lanes store together is
// contiguous.
__device__ __forceinline__ double2 spread(double2 r) {
  for (unsigned distance : {1u, 2u}) {
    bool const upper = (threadIdx.x & distance) != 0;
    double const other = __shfl_xor_sync(0xffffffff, upper ? r.x : r.y, static_cast<int>(distance));
    (upper ? r.x : r.y) = other;
  }
  return r;
}
// store(to, r, left) of each pair that a thread holds: where the first lies in D, both, and how many columns D has from there
// on; far fewer than none where the pair is not this block's, or its row not D's.
template <class P, class Store>
__device__ __forceinline__ void store_pairs(arguments const& t, sums<P> const& c, tile_origin const& tile, share const& mine,
                                            Store const& store) {
  using f = traits<P>;
  int const first = at<f::c>(static_cast<int>(threadIdx.x));
  int64 const m = tile.m + first % f::p.tile_m, n = tile.n + first / f::p.tile_m;
  int64 const row = t.row_d, column = t.column_d;
  double* const d = static_cast<double*>(t.d) + offset_of_batch(t.p.d, tile.batch) + m * row + n * column;
  auto const rows_left = static_cast<int>(smaller(t.m - m, f::p.tile_m)),
             columns_left = static_cast<int>(smaller(t.n - n, f::p.tile_n));
  unroll(constants<f::atoms.n * f::atoms.m * f::sums / 2>{}, [&](auto i) {
    constexpr int v = 2 * i % f::sums, atom = 2 * i / f::sums, x = static_cast<int>(f::c(f::p.threads * 2 * i));
    constexpr int m_on = x % f::p.tile_m, n_on = x / f::p.tile_m;
    typename f::sum const* const pair = &c.value[atom / f::atoms.m][atom % f::atoms.m][v];
    store(d + m_on * row + n_on * column, double2{t.alpha * pair[0], t.alpha * pair[1]},
          mine.has(i) && m_on < rows_left ? columns_left - n_on : -8);
  });
}
template <class P>
__device__ __forceinline__ void store_by_strides(arguments const& t, sums<P> const& c, tile_origin const& tile,
                                                 share const& mine) {
  int64 const column = t.column_d;
  if (t.stride_d != 0)
    return store_pairs<P>(t, c, tile, mine, [](double* to, double2 r, int left) {
      if (left > 1) __stcs(reinterpret_cast<double2*>(to), r);  // L2 evicts D before A and B
      if (left == 1) *to = r.x;
    });
  bool const spreads = column == 1;
  int const first = spreads ? -static_cast<int>(threadIdx.x % 4) : 0, second = first + (spreads ? 4 : 1);
  store_pairs<P>(t, c, tile, mine, [&](double* to, double2 pair, int left) {
    double2 const spread_out = spread(pair), r = spreads ? spread_out : pair;
    if (left > first) to[first * column] = r.x;
    if (left > second) to[second * column] = r.y;
  });
}

template <class P>
__device__ __forceinline__ void store_tile(arguments const& t, sums<P>& c, tile_origin const& tile, char* memory) {
  using f = traits<P>;
  using o = warp_epilogue<P>;
  bool const by_strides = f::wide && t.by_strides;
  share const mine = share_of<P>(by_strides ? static_cast<int>(sizeof(c) / 16) : o::pieces);
  if constexpr (in_cluster<P>())
    if (gridDim.y > 1) reduce_splits<P>(c, memory, mine, [&](int i) { return by_strides ? i : o::piece_of(i); });
  if constexpr (f::wide)
    if (by_strides) return store_by_strides<P>(t, c, tile, mine);
  int const warp = static_cast<int>(threadIdx.x / 32), first = at<f::c>(warp * 32);
  int64 const m = tile.m + first % f::p.tile_m, n = tile.n + first / f::p.tile_m;
  o epilogue{t,
             linear_combination<typename f::sum>(t.p),
             reinterpret_cast<typename f::sum*>(memory + f::p.stages * f::stage) + warp * f::staged,
             m,
             n,
             tile.batch,
             offset_of_batch(t.p.d, tile.batch)};
#pragma unroll 1
  for (int piece = mine.first; piece < mine.end; ++piece) {
    unroll(constants<o::pieces>{}, [&](auto i) {
      if (i == piece) epilogue.template stage<i % f::atoms.m, i / f::atoms.m * o::atoms>(c);
    });
    epilogue.m = m + piece % f::atoms.m * o::rows;
    epilogue.n = n + piece / f::atoms.m * o::columns;
    __syncwarp();
    epilogue.store_staged();
    __syncwarp();
  }
}

}  // namespace colex::gpu::warp
