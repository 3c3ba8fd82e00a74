// The epilogue of a warp: sums go through shared memory and are stored 16 bytes at a time, or one by one for any layout of C
// and D. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/warp/warp_fragments.cuh"

namespace colex::gpu::warp {

// A piece of a warp's sums: first to shared memory, then row by row to D.
template <class P>
struct warp_epilogue {
  using f = traits<P>;
  using sum = typename f::sum;
  static constexpr int rows = static_cast<int>(size(f::p.smem_d.inner, 0)), columns = f::staged / rows;
  static constexpr int period = 1 << (f::p.smem_d.sw.base + f::p.smem_d.sw.bits + f::p.smem_d.sw.shift);
  problem const& p;
  linear_combination<sum> scaled;
  sum* staged;
  int64 m, n, batch;  // of the first element
  int64 of_batch;     // where D's begins

  static constexpr int atoms = staged_atoms(f::p), pieces = f::atoms.m * (f::atoms.n / atoms);

  // staged_index, of an index known only at run time.
  __device__ static int staged_at(int i) {
    return at<f::p.smem_d>(i % static_cast<int>(f::p.tile_m) + i / static_cast<int>(f::p.tile_m) * rows);
  }
  struct alignas(2 * sizeof(sum)) pair {
    sum first, second;
  };
  template <int M, int N>
  __device__ __forceinline__ void stage(sums<P> const& c) {
    int const thread = staged_at(at<f::c>(static_cast<int>(threadIdx.x % 32)));
    unroll<atoms * f::sums / 2>([&](auto i) {
      constexpr int n = i / (f::sums / 2), v = i % (f::sums / 2) * 2;
      constexpr int step =
          static_cast<int>(f::p.smem_d(staged_index(f::p, f::c(f::p.threads * (v + f::sums * f::atoms.m * n)))));
      *reinterpret_cast<pair*>(staged + joined<period, step>(thread)) = {c.value[N + n][M][v], c.value[N + n][M][v + 1]};
    });
  }
  // Stores 16 bytes of D at a time, without C.
  template <class T>
  __device__ __forceinline__ void store_vectors(int64 stride) {
    constexpr int vector = 16 / sizeof(T), chunk = std::min<int>(16 / sizeof(sum), vector), across = columns / vector;
    struct alignas(16) to {
      T value[vector];
    };
    struct alignas(sizeof(sum) * chunk) part {
      sum value[chunk];
    };
    int const lane = static_cast<int>(threadIdx.x % 32), first = lane / across, column = lane % across * vector;
    T* const line = static_cast<T*>(p.d.data) + of_batch + (m + first) * stride + n + column;
#pragma unroll
    for (int i = 0; i < (rows * across + 31) / 32; ++i) {
      int const row = first + i * (32 / across);
      if (row >= rows || m + row >= p.m) break;
      to words;
#pragma unroll
      for (int j = 0; j < vector; j += chunk) {
        part const v = *reinterpret_cast<part const*>(staged + at<f::p.smem_d>(row + rows * (column + j)));
#pragma unroll
        for (int k = 0; k < chunk; ++k) words.value[j + k] = converted<T>(scaled.alpha * static_cast<scalar<sum>>(v.value[k]));
      }
      *reinterpret_cast<uint4*>(line + i * (32 / across) * stride) = *reinterpret_cast<uint4 const*>(&words);
    }
  }
  __device__ __forceinline__ void store_vectors(int64 stride) {
    if constexpr (f::wide)
      return store_vectors<double>(stride);
    else if constexpr (f::integers)
      return p.d.type == element::s8 ? store_vectors<std::int8_t>(stride) : store_vectors<std::int32_t>(stride);
    else if (p.d.type == element::f32)
      return store_vectors<float>(stride);
    else
      return p.d.type == element::f16 ? store_vectors<__half>(stride) : store_vectors<__nv_bfloat16>(stride);
  }
  // Stores element by element, for any layout of C and D.
  __device__ __forceinline__ void store_elements() {
#pragma unroll 1
    for (int column = static_cast<int>(threadIdx.x % 32); column < columns && n + column < p.n; column += 32) {
      int64 const of_column = of_batch + p.d.offset(1, n + column);
#pragma unroll 1
      for (int row = 0; row < rows && m + row < p.m; ++row)
        store(p.d, of_column + p.d.offset(0, m + row),
              scaled(p, staged[at<f::p.smem_d>(row + rows * column)], m + row, n + column, batch));
    }
  }
};

// The stride of D's rows if they can be stored 16 bytes at a time; otherwise 0.
template <class P>
int64 stride_of_vectors(problem const& p) {
  using f = traits<P>;
  element const type = p.d.type;
  bool const rounds = f::wide       ? type == element::f64
                      : f::integers ? type == element::s8 || type == element::s32
                                    : type == element::f32 || type == element::f16 || type == element::bf16;
  if (!rounds || p.beta != 0 || !p.d.plain(0) || !p.d.plain(1) || p.d.step(1) != 1) return 0;
  bool aligned = reinterpret_cast<std::uintptr_t>(p.d.data) % 16 == 0;
  for (int mode : {0, 2})
    for (int k = p.d.begin(mode); k < p.d.end[mode]; ++k) aligned &= bytes(type, p.d.stride[k]) % 16 == 0;
  return !aligned ? 0 : p.m > 1 ? p.d.step(0) : p.n;
}

// Can threads store what they hold? Of f64 four lanes have 64 contiguous bytes of a row. C is not read.
template <class P>
bool stores_by_strides(problem const& p) {
  return traits<P>::wide && p.d.type == element::f64 && p.beta == 0 && p.d.plain(0) && p.d.plain(1);
}
template <class P>
__device__ __forceinline__ void store_by_strides(arguments const& t, sums<P> const& c, tile_origin const& tile) {
  using f = traits<P>;
  int const first = at<f::c>(static_cast<int>(threadIdx.x));
  int64 const m = tile.m + first % f::p.tile_m, n = tile.n + first / f::p.tile_m;
  int64 const row = t.p.d.step(0), column = t.p.d.step(1);
  double* const d = static_cast<double*>(t.p.d.data) + t.p.d.offset(2, tile.batch) + m * row + n * column;
  unroll<f::atoms.n * f::atoms.m * f::sums / 2>([&](auto i) {
    constexpr int v = 2 * i % f::sums, atom = 2 * i / f::sums, x = static_cast<int>(f::c(f::p.threads * 2 * i));
    constexpr int m_on = x % f::p.tile_m, n_on = x / f::p.tile_m;
    typename f::sum const* const pair = &c.value[atom / f::atoms.m][atom % f::atoms.m][v];
    double2 const r{t.p.alpha * pair[0], t.p.alpha * pair[1]};
    if (m + m_on >= t.p.m || n + n_on >= t.p.n) return;
    double* const to = d + m_on * row + n_on * column;
    bool const both = n + n_on + 1 < t.p.n;
    if (t.stride_d != 0 && both) {
      *reinterpret_cast<double2*>(to) = r;
    } else {
      to[0] = r.x;
      if (both) to[column] = r.y;
    }
  });
}

template <class P>
__device__ __forceinline__ void store_tile(arguments const& t, sums<P> const& c, tile_origin const& tile, char* memory) {
  using f = traits<P>;
  using o = warp_epilogue<P>;
  if constexpr (f::wide)
    if (t.by_strides) return store_by_strides<P>(t, c, tile);
  int const warp = static_cast<int>(threadIdx.x / 32), first = at<f::c>(warp * 32);
  int64 const m = tile.m + first % f::p.tile_m, n = tile.n + first / f::p.tile_m;
  o epilogue{t.p,
             linear_combination<typename f::sum>(t.p),
             reinterpret_cast<typename f::sum*>(memory) + warp * f::staged,
             m,
             n,
             tile.batch,
             t.p.d.offset(2, tile.batch)};
#pragma unroll 1
  for (int piece = 0; piece < o::pieces; ++piece) {
    unroll<o::pieces>([&](auto i) {
      if (i == piece) epilogue.template stage<i % f::atoms.m, i / f::atoms.m * o::atoms>(c);
    });
    epilogue.m = m + piece % f::atoms.m * o::rows;
    epilogue.n = n + piece / f::atoms.m * o::columns;
    __syncwarp();
    t.stride_d != 0 && epilogue.n + o::columns <= t.p.n ? epilogue.store_vectors(t.stride_d) : epilogue.store_elements();
    __syncwarp();
  }
}

}  // namespace colex::gpu::warp
