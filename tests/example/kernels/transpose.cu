// A transpose through shared memory, with the swizzle by which neither side meets in a bank.
// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"
#include "shares.hpp"

using namespace colex::gpu;

namespace {

constexpr int warps = 4;

// A square tile lies in shared memory row by row, 256 bytes each. A warp writes vectors of 16 bytes along the rows, and reads
// words of 4 bytes: each lane a column of them, as many as make vectors of what it writes to memory.
template <class T>
struct tile {
  static constexpr int bits = 8 * sizeof(T), vector = 16 / sizeof(T), word = 4 / sizeof(T);
  static constexpr int side = 256 / sizeof(T), vectors = side / vector, words = side / word;
  static constexpr layout rows = make_layout_right({side, side});
  static constexpr tiler writes_at_once{32 / vectors, vectors}, reads_at_once{8, 4};

  // (lane, unit) to the index of the first element in the tile.
  static constexpr layout written = warp_shares(make_layout({side, vectors}, {1, side * vector}), writes_at_once);
  static constexpr layout read = warp_shares(make_layout({vectors, words}, {vector, side * word}), reads_at_once);
  static constexpr warp_access accesses[] = {{get(written, 0), {128, 0}}, {get(read, 0), {32, 0}}};
  static constexpr swizzle free_of_conflicts = swizzle_for(rows, bits, accesses, 2);
};

// (lane, unit) to the coordinate of a vector in the input's tile and, of the first of a lane's columns, in the output's.
template <class T>
struct input {
  static constexpr layout value = warp_shares(make_identity_layout({tile<T>::side, tile<T>::vectors}), tile<T>::writes_at_once);
};
template <class T>
struct output {
  static constexpr layout value = warp_shares(make_identity_layout({tile<T>::vectors, tile<T>::words}), tile<T>::reads_at_once);
};
// (lane, unit) to a vector of the tile in shared memory; (lane, unit, row) to a word of it.
template <class T>
struct as_vectors {
  static constexpr layout at = composition(tile<T>::rows, tile<T>::written);
  static constexpr composed value = upcast(composition(tile<T>::free_of_conflicts, 0, at), tile<T>::vector);
};
template <class T>
struct as_words {
  static constexpr layout at = composition(tile<T>::rows, tile<T>::read);
  static constexpr layout down = make_layout(get(at, 0), get(at, 1), make_layout(tile<T>::vector, tile<T>::side));
  static constexpr composed value = upcast(composition(tile<T>::free_of_conflicts, 0, down), tile<T>::word);
};

// Column r of a block of words, each with one element or two of a row.
template <class T>
__device__ uint4 column(std::uint32_t const* words, int r) {
  union {
    uint4 vector;
    T element[tile<T>::vector];
  } out;
  for (int j = 0; j < tile<T>::vector; ++j) out.element[j] = static_cast<T>(words[j] >> r * tile<T>::bits);
  return out.vector;
}

template <class T>
__global__ void __launch_bounds__(32 * warps) transpose_tiles(T const* __restrict__ x, T* __restrict__ y, int m, int n) {
  using t = tile<T>;
  __shared__ uint4 memory[t::side * t::vectors];
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = t::side * blockIdx.x, first = t::side * blockIdx.y;
  tensor const in = make_tensor<input<T>>(reinterpret_cast<uint4 const*>(x + std::size_t(row) * n + first), n / t::vector, 1);
  tensor const vectors = make_tensor<as_vectors<T>>(memory);
  tensor const words = make_tensor<as_words<T>>(reinterpret_cast<std::uint32_t const*>(memory));
#pragma unroll
  for (int unit = 0; unit < size<1>(in); unit += warps) vectors(lane, warp + unit) = in(lane, warp + unit);
  __syncthreads();
  uint4* const to = reinterpret_cast<uint4*>(y + std::size_t(first) * m + row);
#pragma unroll
  for (int unit = 0; unit < size<1>(words); unit += warps) {
    std::uint32_t block[t::vector];
    for (int j = 0; j < t::vector; ++j) block[j] = words(lane, warp + unit, j);
    for (int r = 0; r < t::word; ++r) {
      tensor const out = make_tensor<output<T>>(to + std::size_t(r) * m / t::vector, 1, t::word * m / t::vector);
      __stcs(&out(lane, warp + unit), column<T>(block, r));  // nobody reads it here
    }
  }
}

// Blocks follow each other along the rows of the output, so that those that run at once write what lies together.
template <class T>
void transpose_by(T const* x, T* y, int m, int n) {
  transpose_tiles<<<dim3(m / tile<T>::side, n / tile<T>::side), 32 * warps>>>(x, y, m, n);
}

}  // namespace

void in_colex::transpose(float const* x, float* y, int m, int n) {
  transpose_by(reinterpret_cast<std::uint32_t const*>(x), reinterpret_cast<std::uint32_t*>(y), m, n);
}
void in_colex::transpose(std::uint16_t const* x, std::uint16_t* y, int m, int n) { transpose_by(x, y, m, n); }
