// How a warp's sums leave: through shared memory, in lines of 16 bytes, or one by one wherever D and C lie.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/warp/warp_stages.cuh"

#include <limits>

namespace colex::gpu::warp {

template <class T, class Scalar>
__device__ __forceinline__ T rounded(Scalar v) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(to_integer(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  else
    return static_cast<T>(v);
}

// Some of a row of a warp's atoms: first to shared memory, then in lines to where D lies.
template <class P>
struct output {
  using f = facts<P>;
  using sum = typename f::sum;
  static constexpr int rows = static_cast<int>(size(f::p.smem_d.inner, 0)), columns = f::staged / rows;
  static constexpr int period = 1 << (f::p.smem_d.sw.base + f::p.smem_d.sw.bits + f::p.smem_d.sw.shift);
  problem const& p;
  epilogue<sum> scaled;
  sum* staged;
  int64 m, n, batch;  // of the first element
  int64 of_batch;     // where D's begins

  static constexpr int atoms = staged_atoms(f::p), shares = f::atoms.m * (f::atoms.n / atoms);

  // As staged_index has it, of what the compiler need not know.
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
  // Sixteen bytes of D at a time, without C.
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
    unroll<(rows * across + 31) / 32>([&](auto i) {
      int const row = first + i * (32 / across);
      if (row >= rows || m + row >= p.m) return;
      to out;
      unroll<vector / chunk>([&](auto j) {
        part const v = *reinterpret_cast<part const*>(staged + at<f::p.smem_d>(row + rows * (column + j * chunk)));
        unroll<chunk>(
            [&](auto k) { out.value[j * chunk + k] = rounded<T>(scaled.alpha * static_cast<scalar<sum>>(v.value[k])); });
      });
      *reinterpret_cast<uint4*>(line + i * (32 / across) * stride) = *reinterpret_cast<uint4 const*>(&out);
    });
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
  // One by one, wherever C and D lie.
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

// The distance of D's rows where sixteen bytes at once can be written to it, of a type that vectors are rounded to; or 0.
template <class P>
int64 stride_of_vectors(problem const& p) {
  using f = facts<P>;
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

template <class P>
__device__ __forceinline__ void write_out(task const& t, sums<P> const& c, corner const& tile, char* memory) {
  using f = facts<P>;
  using o = output<P>;
  int const warp = static_cast<int>(threadIdx.x / 32), first = at<f::c>(warp * 32);
  int64 const m = tile.m + first % f::p.tile_m, n = tile.n + first / f::p.tile_m;
  o out{t.p,        epilogue<typename f::sum>(t.p), reinterpret_cast<typename f::sum*>(memory) + warp * f::staged, m, n,
        tile.batch, t.p.d.offset(2, tile.batch)};
#pragma unroll 1
  for (int share = 0; share < o::shares; ++share) {
    unroll<o::shares>([&](auto i) {
      if (i == share) out.template stage<i % f::atoms.m, i / f::atoms.m * o::atoms>(c);
    });
    out.m = m + share % f::atoms.m * o::rows;
    out.n = n + share / f::atoms.m * o::columns;
    __syncwarp();
    t.stride_d != 0 && out.n + o::columns <= t.p.n ? out.store_vectors(t.stride_d) : out.store_elements();
    __syncwarp();
  }
}

}  // namespace colex::gpu::warp
