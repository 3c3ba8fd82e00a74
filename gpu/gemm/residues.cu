// The kernels of residues.hpp. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/residues.hpp"

#include "gpu/kernels/common/residues.cuh"
#include "gpu/plans/warpgroup.hpp"

#include <array>

namespace colex::gpu {
namespace {

// Of(i) for i from First to below End.
template <auto Of, int First, int End>
constexpr auto table_of() {
  std::array<decltype(Of(First)), End> all{};
  for (int i = First; i < End; ++i) all[static_cast<std::size_t>(i)] = Of(i);
  return all;
}
using moduli_table = std::array<residues::modulus, residues::most_moduli>;
using reconstructions = std::array<residues::reconstruction, residues::most_moduli + 1>;
__constant__ moduli_table const by_modulus = table_of<residues::modulus_of, 0, residues::most_moduli>();
__constant__ reconstructions const by_count = table_of<residues::reconstruction_of, 2, residues::most_moduli + 1>();
__constant__ residues::sum_bounds const bounds = residues::all_bounds();

// A row of an operand and the threads of a block that share it. Where rows are contiguous these are neighbours, in x, else they
// lie in y and neighbours have neighbouring rows.
template <class Real, bool Contiguous>
struct operand_row {
  static constexpr int values = Contiguous ? 8 : 16;
  operand_rows const& of;
  int64 row, at_row;
  int part, parts;  // this thread has every parts-th chunk of the row

  __device__ explicit operand_row(operand_rows const& x)
      : of(x),
        row(Contiguous ? blockIdx.x * int64{blockDim.y} + threadIdx.y : blockIdx.x * int64{blockDim.x} + threadIdx.x),
        at_row(row < x.rows ? x.from.offset(0, x.first + row) : 0),
        part(static_cast<int>(Contiguous ? threadIdx.x : threadIdx.y)),
        parts(static_cast<int>(Contiguous ? blockDim.x : blockDim.y)) {}

  __device__ bool exists() const { return row < of.rows; }
  // f(element) for all that this thread has, in any order: neighbours' are neighbours where rows are contiguous.
  template <class Do>
  __device__ void each_element(Do f) const {
    auto const* const data = static_cast<Real const*>(of.from.data) + at_row;
    constexpr int lanes = 16 / sizeof(Real);
    int64 const vectors = !exists() ? 0 : Contiguous ? of.k / lanes : 0, last = exists() ? of.k : 0;
#pragma unroll 4
    for (int64 i = part; i < vectors; i += parts) {
      uint4 const words = __ldg(reinterpret_cast<uint4 const*>(data) + i);
#pragma unroll
      for (int j = 0; j < lanes; ++j) f(static_cast<double>(reinterpret_cast<Real const*>(&words)[j]));
    }
#pragma unroll 4
    for (int64 k = vectors * lanes + part; k < last; k += parts) f(static_cast<double>(data[of.from.offset(1, k)]));
  }
  // f(first k, elements) for each chunk of this thread; zeros past K.
  template <class Do>
  __device__ void each(Do f) const {
    auto const* const data = static_cast<Real const*>(of.from.data) + at_row;
    for (int64 k = part * values; exists() && k < of.k; k += int64{parts} * values) {
      double x[values];
      if (Contiguous && k + values <= of.k)
        load_vectors(x, data + k);
      else
#pragma unroll
        for (int i = 0; i < values; ++i) x[i] = k + i < of.k ? static_cast<double>(data[of.from.offset(1, k + i)]) : 0.0;
      f(k, x);
    }
  }
  // What all threads of the row have, combined by f in any order. Each type of values may be combined once.
  template <class Value, class Combine>
  __device__ Value combined(Value x, Combine f) const {
    __shared__ Value all[512];
    int const tid = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    if (Contiguous)
#pragma unroll
      for (int lanes = 16; lanes > 0; lanes /= 2) x = f(x, of_lane(x, lanes));
    int const width = Contiguous ? 32 : 1, step = Contiguous ? 1 : static_cast<int>(blockDim.x);
    int const first = Contiguous ? (tid - part) / width : static_cast<int>(threadIdx.x);
    if (tid % width == 0) all[tid / width] = x;
    __syncthreads();
    Value r = all[first];
    for (int i = 1; i < parts / width; ++i) r = f(r, all[first + i * step]);
    return r;
  }

 private:
  // x of the lane whose number differs in one bit.
  template <class Value>
  __device__ static Value of_lane(Value const& x, int bit) {
    struct words {
      int word[sizeof(Value) / 4];
    };
    words w = std::bit_cast<words>(x);
#pragma unroll
    for (int& word : w.word) word = __shfl_xor_sync(~0u, word, bit);
    return std::bit_cast<Value>(w);
  }
  __device__ static void load_vectors(double (&x)[values], Real const* from) {
    constexpr int lanes = 16 / sizeof(Real);
#pragma unroll
    for (int i = 0; i < values; i += lanes) {
      uint4 const words = __ldg(reinterpret_cast<uint4 const*>(from + i));
#pragma unroll
      for (int j = 0; j < lanes; ++j) x[i + j] = static_cast<double>(reinterpret_cast<Real const*>(&words)[j]);
    }
  }
};

// The largest of f(element) of a row: integers of 32 or 64 bits that compare as magnitudes do, of NaN the largest.
template <class Row, class F>
__device__ auto largest_of(Row const& row, F f) {
  decltype(f(0.0)) mine = 0;
  row.each_element([&](double x) { mine = max(mine, f(x)); });
  return row.combined(mine, [](auto x, auto y) { return max(x, y); });
}
// A number of the largest magnitude's exponent: the upper half of its bits says it, but of subnormal ones.
template <class Row>
__device__ double largest_magnitude(Row const& row) {
  int const top = largest_of(row, [](double x) { return __double2hiint(x) & 0x7fffffff; });
  if (__syncthreads_and(top >= 0x00100000)) return __hiloint2double(top, 0);
  return __longlong_as_double(largest_of(row, [](double x) { return __double_as_longlong(fabs(x)); }));
}
template <class Row>
__device__ residues::row_sums sums_of(Row const& row, int exponent, int width) {
  residues::row_sums mine;
  row.each_element([&](double x) { mine.add(x, exponent, width); });
  return row.combined(mine, [](residues::row_sums const& x, residues::row_sums const& y) {
    return residues::row_sums{x.sum + y.sum, x.squares + y.squares, x.surplus + y.surplus};
  });
}
__device__ int scale_of(row_size const& x, int64 k, int moduli) {
  return x.sums.sum == 0 ? 0 : residues::scale_of(x.sums, k, x.exponent, bounds.of[moduli]);
}
// The least number of moduli for which the row is as exact as asked; most_moduli + 1: there is none.
__device__ int moduli_needed(row_size const& x, int64 k, moduli_choice const& choice) {
  if (x.sums.sum == 0 || choice.roundoff == 0) return choice.least;
  if (x.sums.too_wide()) return residues::most_moduli + 1;
  return residues::moduli_for(x.sums, k, x.exponent, choice.roundoff, bounds, choice.least);
}
__global__ void begin(__grid_constant__ moduli_choice const choice, int* of_a, bool a_is_kept, int* of_b, bool b_is_kept) {
  if (threadIdx.x < residues::most_moduli) choice.needed[1 + threadIdx.x] = by_modulus[threadIdx.x].p;
  if (threadIdx.x != 0) return;
  if (!a_is_kept) *of_a = 0;
  if (!b_is_kept) *of_b = 0;
  *choice.needed = max(*of_a, *of_b);
}
template <class Real, bool Contiguous>
__global__ void __launch_bounds__(512)
    measure(__grid_constant__ operand_rows const x, __grid_constant__ moduli_choice const choice) {
  operand_row<Real, Contiguous> const row(x);
  double const largest = largest_magnitude(row);
  bool const finite = __double2hiint(largest) < 0x7ff00000;
  int const exponent = finite && largest != 0 ? residues::exponent_of(largest) : 0;
  constexpr int width = sizeof(Real) == 8 ? residues::width_f64 : residues::width_f32;
  row_size const size = {sums_of(row, exponent, width), exponent};
  if (row.part != 0 || !row.exists()) return;
  x.sizes[x.first + row.row] = size;
  int const needed = finite ? moduli_needed(size, x.k, choice) : residues::most_moduli + 1;
  if (needed <= choice.least) return;
  atomicMax(x.needed, needed);
  atomicMax(choice.needed, needed);
}

template <class Real, bool Contiguous, int Words>
__device__ __forceinline__ void write_residues(operand_row<Real, Contiguous> const& row, operand_residues const& x, int count,
                                               int scale) {
  constexpr int values = operand_row<Real, Contiguous>::values;
  row.each([&](int64 k, double const(&v)[values]) {
    residues::words<Words> integers[values];
#pragma unroll
    for (int i = 0; i < values; ++i) integers[i] = residues::integer_of<Words>(residues::scaled(v[i], scale));
    std::int8_t* to = x.to + row.row * x.pitch + k;
#pragma unroll 2
    for (int t = 0; t < count; ++t, to += x.plane) {
      residues::modulus const by = by_modulus[static_cast<std::size_t>(t)];
      std::uint32_t words[values / 4];
#pragma unroll
      for (int i = 0; i < values; i += 4)
        words[i / 4] = bytes_of(residues::residue(integers[i], by), residues::residue(integers[i + 1], by),
                                residues::residue(integers[i + 2], by), residues::residue(integers[i + 3], by));
      if constexpr (values == 8)
        *reinterpret_cast<uint2*>(to) = {words[0], words[1]};
      else
        *reinterpret_cast<uint4*>(to) = {words[0], words[1], words[2], words[3]};
    }
  });
}
template <class Real, bool Contiguous>
__global__ void __launch_bounds__(512) to_residues(__grid_constant__ operand_residues const x) {
  operand_row<Real, Contiguous> const row(x.rows);
  if (!x.choice.suffices() || !row.exists()) return;
  int const own = max(*x.rows.needed, x.choice.least), count = x.all ? x.choice.most : x.choice.count();
  int const scale = scale_of(x.rows.sizes[x.rows.first + row.row], x.rows.k, own);
  if (row.part == 0) x.scales[x.rows.first + row.row] = scale;
  switch (residues::words_of(own)) {
    case 1: return write_residues<Real, Contiguous, 1>(row, x, count, scale);
    case 2: return write_residues<Real, Contiguous, 2>(row, x, count, scale);
    default: return write_residues<Real, Contiguous, 3>(row, x, count, scale);
  }
}

// f(constant of the operand's type, constant: are rows contiguous?, grid, block).
template <class Launch>
cudaError_t with_row_shape(operand_rows const& x, Launch f) {
  auto const typed = [&](auto real) {
    if (lies_in_rows(x.from, 1, 0, 16)) {
      unsigned threads = 32;
      while (threads < 256 && threads * 8 < x.k) threads *= 2;
      dim3 const block(threads, 256 / threads);
      f(real, std::true_type{}, static_cast<unsigned>(ceil_div(x.rows, block.y)), block);
    } else {
      f(real, std::false_type{}, static_cast<unsigned>(ceil_div(x.rows, 32)), dim3(32, 16));
    }
  };
  x.from.type == element::f64 ? typed(double{}) : typed(float{});
  return cudaGetLastError();
}

// A warp's piece of 16 by 16 results: each lane has 8.
template <bool Pieces>
struct piece_of_results {
  results_of_residues const& x;
  int64 m, n;  // its first row and column
  int lane;

  __device__ tile_coordinate coordinate(int i) const {
    tile_coordinate const at = accumulator_coordinate(lane, i / 2);
    return {at.row, at.column + i % 2};
  }
  __device__ int64 plane(int modulus, int block_k) const { return int64{block_k} * x.planes + modulus; }
  __device__ uint2 bytes(int modulus, int block_k) const {
    return __ldcs(static_cast<uint2 const*>(x.sums) + residues::piece_of(x.m, x.n, plane(modulus, block_k), m, n) * 32 + lane);
  }
  // The residue of the i-th of a lane's sums.
  __device__ int of_sum(int modulus, int block_k, int i) const {
    auto const* const sums = static_cast<std::int32_t const*>(x.sums) + plane(modulus, block_k) * x.m * x.n;
    tile_coordinate const at = coordinate(i);
    bool const exists = m + at.row < x.m && n + at.column < x.n;
    return exists ? residues::reduce_symmetric(sums[(m + at.row) * x.n + n + at.column], by_modulus[modulus]) : 0;
  }
  // Adds up weights times residues, of all blocks of K.
  template <int Parts>
  __device__ void add(residues::piece_sums<Parts> (&to)[8], residues::reconstruction const& weights, int modulus) const {
    int c[8] = {};
    for (int b = 0; b < x.blocks_k; ++b) {
      uint2 const words = Pieces ? bytes(modulus, b) : uint2{};
#pragma unroll
      for (int i = 0; i < 8; ++i) c[i] += Pieces ? residue_of(words, i) : of_sum(modulus, b, i);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
      to[i].add(weights, modulus, small_integer(residues::reduce_symmetric(c[i], by_modulus[modulus])));
  }
  // The same where K is one block and residues are bytes: several moduli's are loaded at once, before those of the last are
  // added.
  template <int Parts>
  __device__ void add_all(residues::piece_sums<Parts> (&to)[8], residues::reconstruction const& weights, int count) const {
    constexpr int at_once = 5;
    auto const* from = static_cast<uint2 const*>(x.sums) + residues::piece_of(x.m, x.n, 0, m, n) * 32 + lane;
    int64 const plane_words = residues::bytes_of_pieces(x.m, x.n) / 8;
    uint2 next[at_once];
    auto const load = [&](int first) {
#pragma unroll
      for (int t = 0; t < at_once; ++t, from += plane_words) next[t] = first + t < count ? __ldcs(from) : uint2{};
    };
    load(0);
#pragma unroll 1
    for (int first = 0; first < count; first += at_once) {
      uint2 words[at_once];
#pragma unroll
      for (int t = 0; t < at_once; ++t) words[t] = next[t];
      load(first + at_once);
#pragma unroll
      for (int t = 0; t < at_once; ++t) {
        if (first + t >= count) break;
        std::uint32_t const above[] = {words[t].x ^ 0x80808080, words[t].y ^ 0x80808080};
#pragma unroll
        for (int i = 0; i < 8; ++i) to[i].add(weights, first + t, residues::byte_of(above[i / 4], i % 4));
      }
    }
  }
  __device__ static int residue_of(uint2 words, int i) { return signed_byte(i < 4 ? words.x : words.y, i % 4); }
};

// The product's element, rounded as its operands are.
template <class Real, int Parts>
__device__ Real rounded(residues::piece_sums<Parts> const& s, int scale) {
  if constexpr (sizeof(Real) == 8)
    return residues::rounded_f64(s, scale);
  else
    return residues::rounded_f32(s, scale);
}
// The scales of a lane's elements: those of its two rows, and of its four columns.
struct lane_scales {
  int row[2], column[4];

  template <bool Pieces>
  __device__ explicit lane_scales(piece_of_results<Pieces> const& own) {
    results_of_residues const& x = own.x;
    for (int i : {0, 2}) row[i / 2] = __ldg(x.scales_a + x.first_m + smaller(own.m + own.coordinate(i).row, x.m - 1));
    for (int i : {0, 1, 4, 5})
      column[i / 4 * 2 + i % 2] = __ldg(x.scales_b + x.first_n + smaller(own.n + own.coordinate(i).column, x.n - 1));
  }
  __device__ int of(int i) const { return row[i / 2 % 2] + column[i / 4 * 2 + i % 2]; }
};
// Stores a lane's elements, pairs of neighbours in a row at once where they lie so.
template <class Real, bool Pieces>
__device__ __forceinline__ void store_plain(piece_of_results<Pieces> const& own, Real const (&v)[8]) {
  results_of_residues const& x = own.x;
  struct alignas(2 * sizeof(Real)) pair {
    Real first, second;
  };
#pragma unroll
  for (int i = 0; i < 8; i += 2) {
    tile_coordinate const at = own.coordinate(i);
    if (own.m + at.row >= x.m || own.n + at.column >= x.n) continue;
    bool const both = own.n + at.column + 1 < x.n;
    int64 const to = (x.first_m + own.m + at.row) * x.d.step(0) + (x.first_n + own.n + at.column) * x.d.step(1);
    Real* const d = static_cast<Real*>(x.d.data) + to;
    if (x.pairs && both) {
      *reinterpret_cast<pair*>(d) = {v[i], v[i + 1]};
    } else {
      *d = v[i];
      if (both) d[x.d.step(1)] = v[i + 1];
    }
  }
}
template <class Real, bool Pieces, int Parts>
__device__ __forceinline__ void write_results(piece_of_results<Pieces> const& own, int count) {
  results_of_residues const& x = own.x;
  residues::reconstruction const& weights = by_count[static_cast<std::size_t>(count)];
  lane_scales const scales(own);
  residues::piece_sums<Parts> sums[8];
  if (Pieces && x.blocks_k == 1)
    own.add_all(sums, weights, count);
  else
#pragma unroll 1
    for (int t = 0; t < count; ++t) own.add(sums, weights, t);
  Real v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    sums[i].subtract_multiple(weights);
    v[i] = rounded<Real>(sums[i], scales.of(i)) * static_cast<Real>(x.alpha);
  }
  if (x.beta == 0 && x.d.plain(0) && x.d.plain(1) && x.d.type == (sizeof(Real) == 8 ? element::f64 : element::f32))
    return store_plain(own, v);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    tile_coordinate const at = own.coordinate(i);
    if (own.m + at.row >= x.m || own.n + at.column >= x.n) continue;
    int64 const m = x.first_m + own.m + at.row, n = x.first_n + own.n + at.column;
    if (x.beta != 0) v[i] = fma(static_cast<Real>(x.beta), gpu::load<Real>(x.c, x.c.offset(0, m) + x.c.offset(1, n)), v[i]);
    store(x.d, x.d.offset(0, m) + x.d.offset(1, n), v[i]);
  }
}
// A block has pieces side by side in their rows.
constexpr int pieces_of_block = 8, columns_of_block = 16 * pieces_of_block;
template <class Real, bool Pieces>
__global__ void __launch_bounds__(32 * pieces_of_block, 3) to_results(__grid_constant__ results_of_residues const x) {
  int const count = x.choice.count();
  bool const holds = x.choice.suffices();
  if (blockIdx.x == 0 && threadIdx.x == 0 && x.used != nullptr) *x.used = holds ? count : 0;
  auto const blocks = static_cast<unsigned>(ceil_div(x.n, columns_of_block)), row = blockIdx.x / blocks;
  int64 const n = int64{blockIdx.x - row * blocks} * columns_of_block + threadIdx.x / 32 * 16;
  if (!holds || n >= x.n) return;
  piece_of_results<Pieces> const own{x, int64{row} * 16, n, static_cast<int>(threadIdx.x % 32)};
  switch (by_count[static_cast<std::size_t>(count)].pieces) {
    case 1:
    case 2: return write_results<Real, Pieces, 2>(own, count);
    case 3: return write_results<Real, Pieces, 3>(own, count);
    default: return write_results<Real, Pieces, 4>(own, count);
  }
}

}  // namespace

cudaError_t launch_begin(moduli_choice const& choice, int* of_a, bool a_is_kept, int* of_b, bool b_is_kept,
                         cudaStream_t stream) {
  begin<<<1, 32, 0, stream>>>(choice, of_a, a_is_kept, of_b, b_is_kept);
  return cudaGetLastError();
}
cudaError_t launch_measure(operand_rows const& x, moduli_choice const& choice, cudaStream_t stream) {
  return with_row_shape(x, [&](auto real, auto contiguous, unsigned grid, dim3 block) {
    measure<decltype(real), contiguous.value><<<grid, block, 0, stream>>>(x, choice);
  });
}
cudaError_t launch_to_residues(operand_residues const& x, cudaStream_t stream) {
  return with_row_shape(x.rows, [&](auto real, auto contiguous, unsigned grid, dim3 block) {
    to_residues<decltype(real), contiguous.value><<<grid, block, 0, stream>>>(x);
  });
}
cudaError_t launch_to_results(results_of_residues x, cudaStream_t stream) {
  x.pairs = lies_in_rows(x.d, 1, 0, 2 * bits_of(x.d.type) / 8);
  auto const blocks = static_cast<unsigned>(ceil_div(x.m, 16) * ceil_div(x.n, columns_of_block));
  auto const typed = [&](auto real) {
    if (x.pieces)
      to_results<decltype(real), true><<<blocks, 32 * pieces_of_block, 0, stream>>>(x);
    else
      to_results<decltype(real), false><<<blocks, 32 * pieces_of_block, 0, stream>>>(x);
  };
  x.operands == element::f64 ? typed(double{}) : typed(float{});
  return cudaGetLastError();
}

}  // namespace colex::gpu
