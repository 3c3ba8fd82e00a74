// Of the mma.sync kernel: the fragments, which a warp loads from a stage, and its sums. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/warp/warp_stages.cuh"

namespace colex::gpu::warp {

// ldmatrix.x4: four 8x8 matrices of 16-bit elements; each thread gives the address of a row.
__device__ __forceinline__ void load_matrices(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void load_transposed(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void load_shared(std::uint32_t (&r)[2], std::uint32_t from) {
  asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(from) : "memory");
}
__device__ __forceinline__ void load_shared(std::uint32_t (&r)[1], std::uint32_t from) {
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(r[0]) : "r"(from) : "memory");
}
__device__ __forceinline__ void load_shared(double (&r)[1], std::uint32_t from) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(r[0]) : "r"(from) : "memory");
}

// A warp's fragments of an operand for one atom of K.
template <class P, operand X>
struct fragment {
  static constexpr operand_path x = path<P, X>::value;
  static constexpr bool along_k = operand_producer<P, X>::along_k;
  static constexpr int words = traits<P>::words(x, x.width), loads = x.loads / traits<P>::atoms.k;
  // Of the first thread's address for each load: the element of shared memory.
  static constexpr auto elements =
      tabulated<x.loads>([](int i) { return x.shared(x.source.unchecked(P::value.threads * x.width * i)); });
  typename traits<P>::word word[loads][words];

  __device__ static int thread() { return at<x.shared>(at<x.source>(static_cast<int>(threadIdx.x))); }

  // Loads slice `Slice` of `Slices` of an atom's fragments.
  template <int Block, int Slice, int Slices>
  __device__ __forceinline__ void load(std::uint32_t stage, int thread) {
    constexpr int first = Slice * loads / Slices, end = (Slice + 1) * loads / Slices;
    unroll(constants<end - first>{}, [&](auto j) {
      constexpr int i = first + j, step = elements[Block * loads + i];
      std::uint32_t const from = stage + operand_producer<P, X>::in_bytes(joined_address(thread, step, x.period()));
      if constexpr (words != 4)
        load_shared(word[i], from);
      else if constexpr (along_k)
        load_matrices(word[i], from);
      else
        load_transposed(word[i], from);
    });
  }
  // What registers need before they are multiplied: bytes are parted; f32 becomes tf32, to nearest even, since the tensor cores
  // would cut the low bits off.
  __device__ __forceinline__ void prepare() {
    if constexpr (parts_bytes(P::value, X))
      unroll(constants<loads>{}, [&](auto i) {
        std::uint32_t const loaded[] = {word[i][0], word[i][1], word[i][2], word[i][3]};
        unroll(constants<words>{}, [&](auto j) {
          constexpr parted_register from = part(X, j);
          word[i][j] = __byte_perm(loaded[from.first], loaded[from.second], from.bytes);
        });
      });
    if constexpr (P::value.a == element::tf32)
      unroll(constants<loads * words>{}, [&](auto i) {
        std::uint32_t& w = (&word[0][0])[i];
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(w) : "f"(__uint_as_float(w)));
      });
  }
};

template <class P>
struct fragments {
  fragment<P, operand::a> a;
  fragment<P, operand::b> b;

  template <int Block, int Slice, int Slices>
  __device__ __forceinline__ void load(std::uint32_t stage, int thread_a, int thread_b) {
    a.template load<Block, Slice, Slices>(stage, thread_a);
    b.template load<Block, Slice, Slices>(stage + traits<P>::bytes_a, thread_b);
  }
  __device__ __forceinline__ void prepare() { a.prepare(), b.prepare(); }
};

// A plan without block scaling just multiplies. (sm120.cu has the scale factors.)
template <class P>
struct no_factors {
  __device__ __forceinline__ no_factors(arguments const&, std::uint32_t) {}
  __device__ __forceinline__ void load_global(producer<P> const&) const {}
  template <int Block>
  __device__ __forceinline__ void load(std::uint32_t) const {}
  template <int Block, class... Registers>
  __device__ __forceinline__ void multiply(int, int, Registers*... registers) const {
    P::multiply(registers...);
  }
};
template <class P>
struct scale_factors;
template <class P>
using factors_of = std::conditional_t<(P::value.scale.block > 0), scale_factors<P>, no_factors<P>>;

template <class P>
struct sums {
  using f = traits<P>;
  typename f::sum value[f::atoms.n][f::atoms.m][f::sums];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < f::atoms.n * f::atoms.m * f::sums; ++i) (&value[0][0][0])[i] = 0;
  }
  __device__ __forceinline__ void add(sums const& x) {
#pragma unroll
    for (int i = 0; i < f::atoms.n * f::atoms.m * f::sums; ++i) (&value[0][0][0])[i] += (&x.value[0][0][0])[i];
  }
  // Slice `slice` of `slices` of an atom's MMAs, back and forth along N, so that A's registers, which are more than B's, are
  // reused from MMA to MMA.
  template <int Block>
  __device__ __forceinline__ void multiply(fragments<P> const& x, factors_of<P> const& scales, int slice, int slices) {
    constexpr int all = f::atoms.m * f::atoms.n;
    int const first = slice * all / slices, end = (slice + 1) * all / slices;
#pragma unroll
    for (int j = first; j < end; ++j) {
      int const m = j / f::atoms.n, i = j % f::atoms.n, n = m % 2 == 0 ? i : f::atoms.n - 1 - i;
      scales.template multiply<Block>(m, n, value[n][m], &x.a.word[0][0] + m * f::words_a, &x.b.word[0][0] + n * f::words_b);
    }
  }
};

// c += a b by a 16x8 mma.sync with four registers of A and two of B. INSTRUCTION: its PTX name; C, X: the constraints of its
// sums, and of A and B.
#define COLEX_MMA_16x8(INSTRUCTION, C, X)                                            \
  asm(INSTRUCTION " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
      : "+" C(c[0]), "+" C(c[1]), "+" C(c[2]), "+" C(c[3])                           \
      : X(a[0]), X(a[1]), X(a[2]), X(a[3]), X(b[0]), X(b[1]))

}  // namespace colex::gpu::warp
