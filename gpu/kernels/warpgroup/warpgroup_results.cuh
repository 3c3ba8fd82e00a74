// The epilogue of a consumer warpgroup: TMA stores of 64 or 128 bytes of a row, or stores by threads for any layout of C and D.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/residues.cuh"
#include "gpu/kernels/warpgroup/warpgroup.cuh"

namespace colex::gpu::warpgroup {

__device__ inline std::uint32_t packed(element to, float low, float high) {
  if (to == element::f16) {
    __half2 const v = __floats2half2_rn(low, high);
    return reinterpret_cast<std::uint32_t const&>(v);
  }
  __nv_bfloat162 const v = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<std::uint32_t const&>(v);
}
__device__ inline void store_matrices(std::uint32_t to, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

__device__ inline void store_matrices(std::uint32_t to, std::uint32_t a, std::uint32_t b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b) : "memory");
}

template <class Sum>
__device__ inline void put_pair(std::uint32_t to, Sum low, Sum high) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(reinterpret_cast<int const&>(low)),
               "r"(reinterpret_cast<int const&>(high))
               : "memory");
}
template <class Sum>
__device__ inline void put_quad(std::uint32_t to, Sum const* v) {
  auto const word = [&](int i) { return reinterpret_cast<int const&>(v[i]); };
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word(0)), "r"(word(1)), "r"(word(2)), "r"(word(3))
               : "memory");
}
template <class Sum>
__device__ inline void get_quad(std::uint32_t from, Sum* v) {
  int words[4];
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from)
               : "memory");
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = reinterpret_cast<Sum const&>(words[i]);
}
template <class Sum>
__device__ inline void put(std::uint32_t to, Sum v) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(reinterpret_cast<int const&>(v)) : "memory");
}
template <class Sum>
__device__ inline Sum get(std::uint32_t from) {
  int v;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v) : "r"(from) : "memory");
  return reinterpret_cast<Sum const&>(v);
}

__device__ inline void store_transposed(std::uint32_t to, std::uint32_t a, std::uint32_t b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b) : "memory");
}

// A pair of neighbours in a row of C, which has D's type.
template <class Word>
__device__ float2 c_pair(element type, Word const* at) {
  Word const v = *at;
  if constexpr (sizeof(Word) == 8)
    return reinterpret_cast<float2 const&>(v);
  else
    return type == element::f16 ? __half22float2(reinterpret_cast<__half2 const&>(v))
                                : __bfloat1622float2(reinterpret_cast<__nv_bfloat162 const&>(v));
}
// d = alpha d + beta C in a piece's columns, where the rows of C, whose pairs are Words, can be read in pairs.
template <int Columns, class Word, int N>
__device__ void add(arguments const& g, float (&d)[N], int c, tile const& to, int lane) {
  problem const& p = g.problem;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    tile_coordinate const at = accumulator_coordinate(lane, h);
    int const row = to.m + at.row, column = to.n + Columns * c + at.column;
    int const left = row < p.m ? static_cast<int>(p.n) - column : 0;
    Word const* const from = static_cast<Word const*>(p.c.data) + (p.c.step(2) * to.batch + p.c.step(0) * row + column) / 2;
#pragma unroll
    for (int j = h; j < Columns / 4; j += 2) {
      int const i = accumulator_coordinate(0, j).column, own = Columns / 2 * c + 2 * j;
      float2 const v = i < left ? c_pair(g.result, from + i / 2) : float2{};
      d[own] = g.alpha * d[own] + g.beta * v.x;
      d[own + 1] = g.alpha * d[own + 1] + g.beta * v.y;
      if (j % 8 == h)
        asm volatile("" ::: "memory");  // keeps ptxas from loading all of C at once: there are no registers for it
    }
  }
}

// The warp of its warpgroup. The shuffle tells the compiler that this is uniform in a warp.
__device__ inline int warp_of_group() { return __shfl_sync(~0u, static_cast<int>(threadIdx.x) % 128 / 32, 0); }
// Waits until the warps that store rows together, one or the four of a warpgroup, have come so far.
template <int Rows>
__device__ void rows_sync() {
  if constexpr (Rows == 16)
    __syncwarp();
  else
    asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory");  // barrier 1 is all consumers'
}
// TMA stores of this warp's 16 rows of an atom, or of a warpgroup's 64, piece by piece, through the warps' ring, which begins
// anew with each tile. write(slot, c) stages the c-th piece when what its slot held before has been read.
template <class S, composed Piece, int ElementBytes, class Write>
__device__ void tma_store_pieces(arguments const& g, std::uint32_t ring, int atom, tile const& to, Write write) {
  constexpr int rows = size(Piece.inner, 0), columns = size(Piece.inner, 1), pieces = S::n / columns;
  constexpr int bytes = rows * columns * ElementBytes;
  constexpr piece_ring order = ring_of(S::P, Piece, ElementBytes);
  int const warp = rows == 16 ? 0 : warp_of_group();  // the first one stores
#pragma unroll
  for (int c = 0; c < pieces; ++c) {
    int const i = atom * pieces + c;
    std::uint32_t const at = ring - warp * S::bytes_d + i % order.slots * bytes;
    if (warp == 0 && elected()) {
      if (order.unread(i) == 0)
        tma_store_wait_read<0>();
      else
        tma_store_wait_read<order.slots - 1>();
    }
    rows_sync<rows>();
    write(at, c);
    fence_async();
    rows_sync<rows>();
    if (warp == 0 && elected()) {
      int const n = to.n + columns * c;
      by_columns(g.epilogue) ? tma_store(g.d, at, to.m, n, to.batch) : tma_store(g.d, at, n, to.m, to.batch);
      tma_store_commit();
    }
  }
}
// The matrices of 8x8 that a lane's sums from `from` on belong to, as pairs of 16 bits: rows 0 to 7 and 8 to 15.
struct half_pairs {
  std::uint32_t upper, lower;

  __device__ half_pairs(element to, float factor, float const* from)
      : upper(packed(to, factor * from[0], factor * from[1])), lower(packed(to, factor * from[2], factor * from[3])) {}
};
template <class S>
__device__ void store_16_bit(arguments const& g, float (&d)[S::n / 2], std::uint32_t buffers, int atom, tile const& to,
                             int lane) {
  constexpr int octets = S::halves / 8;
  float const factor = g.beta != 0 ? 1 : g.alpha;
  int const row = lane % 8 + lane / 8 % 2 * 8;  // whose address this lane gives to stmatrix
  tma_store_pieces<S, S::P.smem_d, 2>(g, buffers, atom, to, [&](std::uint32_t buffer, int c) {
    if (g.beta != 0) add<S::halves, std::uint32_t>(g, d, c, to, lane);
#pragma unroll
    for (int j = 0; j + 1 < octets; j += 2) {
      half_pairs const left(g.result, factor, d + 4 * (octets * c + j)), right(g.result, factor, d + 4 * (octets * c + j + 1));
      store_matrices(buffer + 2 * at<S::P.smem_d>(row + 16 * 8 * (j + lane / 16)), left.upper, left.lower, right.upper,
                     right.lower);
    }
    if constexpr (octets % 2 == 1) {
      half_pairs const last(g.result, factor, d + 4 * (octets * c + octets - 1));
      store_matrices(buffer + 2 * at<S::P.smem_d>(row + 16 * 8 * (octets - 1)), last.upper, last.lower);
    }
  });
}
template <class S>
__device__ void store_32_bit(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, int atom,
                             tile const& to, int lane) {
  typename S::sum const factor = g.beta != 0 ? 1 : static_cast<typename S::sum>(g.alpha);
  tma_store_pieces<S, S::P.warpgroup.smem_words, 4>(g, buffers, atom, to, [&](std::uint32_t buffer, int c) {
    if constexpr (std::is_same_v<typename S::sum, float>)
      if (g.beta != 0) add<S::words, std::uint64_t>(g, d, c, to, lane);
#pragma unroll
    for (int j = 0; j < S::words / 4; ++j) {
      tile_coordinate const p = accumulator_coordinate(lane, j);
      int const from = S::words / 2 * c + 2 * j;
      put_pair(buffer + 4 * at<S::P.warpgroup.smem_words>(p.row + 16 * p.column), factor * d[from], factor * d[from + 1]);
    }
  });
}
// Columns of 16-bit results, of 16 rows or of 64: an 8x8 matrix is stored transposed, a column of 8 in 16 bytes.
template <class S, int Rows>
__device__ void store_half_columns(arguments const& g, float (&d)[S::n / 2], std::uint32_t buffers, int atom, tile const& to,
                                   int lane) {
  constexpr composed piece = Rows == 16 ? S::P.warpgroup.smem_half_columns : S::P.warpgroup.smem_group_columns;
  constexpr int columns = size(piece.inner, 1);
  int const row = lane / 8 % 2 * 8 + (Rows == 16 ? 0 : 16 * warp_of_group());  // whose address this lane gives to stmatrix
  tma_store_pieces<S, piece, 2>(g, buffers, atom, to, [&](std::uint32_t buffer, int c) {
#pragma unroll
    for (int j = 0; j < columns / 8; ++j) {
      half_pairs const v(g.result, g.alpha, d + 4 * (columns / 8 * c + j));
      store_transposed(buffer + 2 * at<piece>(row + Rows * (8 * j + lane % 8)), v.upper, v.lower);
    }
  });
}
template <class S>
__device__ void store_columns(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, int atom,
                              tile const& to, int lane) {
  auto const factor = static_cast<typename S::sum>(g.alpha);
  tma_store_pieces<S, S::P.warpgroup.smem_columns, 4>(g, buffers, atom, to, [&](std::uint32_t buffer, int c) {
#pragma unroll
    for (int j = 0; j < S::word_columns / 2; ++j) {
      tile_coordinate const p = accumulator_coordinate(lane, j / 2);
      put(buffer + 4 * at<S::P.warpgroup.smem_columns>(p.row + 16 * (p.column + j % 2)),
          factor * d[S::word_columns / 2 * c + j]);
    }
  });
}
// The two types that results of so many bits can have.
struct result_types {
  element one, other;
};
constexpr result_types results_of(int bits, bool integers) {
  if (bits == 16) return {element::f16, element::bf16};
  if (bits == 8) return integers ? result_types{element::s8, element::s8} : result_types{element::e4m3, element::e5m2};
  return {element::f32, integers ? element::s32 : element::f32};
}
// Eight rows of a warp's sums that are staged for its threads to store, and how many of their columns D has.
template <class S>
struct staged_rows {
  using sum = typename S::sum;
  std::uint32_t sums;
  tile first;  // D's element of the first sum
  int rows, columns;

  __device__ std::uint32_t at(int row, int column) const {
    return sums + 4 * gpu::at<S::P.warpgroup.smem_sums>(row + 8 * column);
  }
  // For any layout of C and D.
  __device__ void store_elements(problem const& p, int lane) const {
    linear_combination<sum> const value(p);
#pragma unroll 1
    for (int i = lane; i < rows * S::columns; i += 32) {
      int const row = i / S::columns, column = i % S::columns, m = first.m + row, n = first.n + column;
      if (column >= columns) continue;
      store(p.d, p.d.offset(0, m) + p.d.offset(1, n) + p.d.offset(2, first.batch),
            value(p, get<sum>(at(row, column)), m, n, first.batch));
    }
  }
  // The first element, of a matrix each of whose modes has one stride.
  template <class Word>
  __device__ Word* first_of(matrix const& x) const {
    return static_cast<Word*>(x.data) + x.step(0) * first.m + x.step(1) * first.n + x.step(2) * first.batch;
  }
  // By strides, as elements that are Words, as C's are: one text of instructions for all types of a size. Where rows are
  // contiguous lanes begin where 32 Words of memory do, so that it gets whole sectors; 32 columns on lies the same in shared
  // memory.
  template <class Word, bool HasC>
  __device__ void store_words(problem const& p, int lane) const {
    constexpr result_types types = results_of(8 * sizeof(Word), is_integer(S::P.a));
    constexpr int steps = ceil_div(S::columns + 31, 32);
    linear_combination<sum> const value(p);
    int is_one = p.d.type == types.one;
    asm("" : "+r"(is_one));  // the compiler would ask memory for the type again and again
    auto const word = [&](sum v, Word c) {
      auto const as = [&](auto e) {
        using type = storage<e.value>;
        scalar<sum> x = value.alpha * static_cast<scalar<sum>>(v);
        if constexpr (HasC) x += value.beta * to_scalar<scalar<sum>>(reinterpret_cast<type&>(c));
        type const r = converted<type>(x);
        return reinterpret_cast<Word const&>(r);
      };
      return is_one != 0 ? as(std::integral_constant<element, types.one>{})
                         : as(std::integral_constant<element, types.other>{});
    };
    Word* line = first_of<Word>(p.d);
    [[maybe_unused]] Word const* line_of_c = first_of<Word>(p.c);
    int64 const right = p.d.step(1), right_of_c = p.c.step(1);
#pragma unroll 1
    for (int row = 0; row < rows; ++row, line += p.d.step(0), line_of_c += p.c.step(0)) {
      auto const before = static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / sizeof(Word) % 32);
      int const begin = lane - (right == 1 ? before : 0);
      std::uint32_t const from = at(row, begin & 31) - (begin < 0 ? 128 : 0);
      auto const exists = [&](int i) { return static_cast<unsigned>(begin + 32 * i) < static_cast<unsigned>(columns); };
      sum v[steps] = {};
      Word c[steps] = {};
      if constexpr (HasC) {
        Word const* at_c = line_of_c + right_of_c * begin;
#pragma unroll
        for (int i = 0; i < steps; ++i, at_c += 32 * right_of_c)
          if (exists(i)) c[i] = *at_c;
      }
#pragma unroll
      for (int i = 0; i < steps; ++i)
        if (exists(i)) v[i] = get<sum>(from + 128 * i);
      Word* to = line + right * begin;
#pragma unroll
      for (int i = 0; i < steps; ++i, to += 32 * right) {
        Word const x = word(v[i], c[i]);
        if (exists(i)) *to = x;
      }
    }
  }
  template <class Word>
  __device__ void store_words(problem const& p, int lane) const {
    linear_combination<sum>(p).beta != 0 ? store_words<Word, true>(p, lane) : store_words<Word, false>(p, lane);
  }
  __device__ void store_all(arguments const& g, int lane) const {
    problem const& p = g.problem;
    if (columns <= 0) return;
    if (g.epilogue == epilogue_store::offsets) return store_elements(p, lane);
    constexpr bool integers = is_integer(S::P.a);
    auto const has = [&](result_types t) { return p.d.type == t.one || p.d.type == t.other; };
    if (has(results_of(32, integers))) return store_words<std::uint32_t>(p, lane);
    if constexpr (bits_of(S::P.a) == 16 || is_fp8(S::P.a))
      if (has(results_of(16, integers))) return store_words<std::uint16_t>(p, lane);
    if constexpr (bits_of(S::P.a) == 8) store_words<std::uint8_t>(p, lane);
  }
};
// Stages a piece of sums: of rows 0 to 7, of 8 to 15, then the same of the next columns. Registers cannot be indexed, so each
// piece, from I on, has instructions of its own.
template <class S, int I = 0>
__device__ void put_piece(typename S::sum const (&d)[S::n / 2], int piece, std::uint32_t to, int lane) {
  if (I == piece) {
#pragma unroll
    for (int j = 0; j < S::columns_of(I) / 8; ++j) {
      tile_coordinate const here = accumulator_coordinate(lane, 2 * j);
      int const from = S::columns / 2 * (I / 2) + 4 * j + I % 2 * 2;
      put_pair(to + 4 * at<S::P.warpgroup.smem_sums>(here.row + 8 * here.column), d[from], d[from + 1]);
    }
  } else if constexpr (I + 1 < S::sum_pieces) {
    put_piece<S, I + 1>(d, piece, to, lane);
  }
}
template <class S>
__device__ void store_by_threads(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, tile to, int lane) {
  problem const& p = g.problem;
#pragma unroll 1
  for (int i = 0; i < S::sum_pieces; ++i) {
    __syncwarp();
    put_piece<S>(d, i, buffers, lane);
    __syncwarp();
    tile const first{to.m + i % 2 * 8, to.n + i / 2 * S::columns, to.batch};
    auto const left = [](int64 extent, int from, int most) { return static_cast<int>(smaller(extent - from, most)); };
    staged_rows<S>{buffers, first, left(p.m, first.m, 8), left(p.n, first.n, S::columns_of(i))}.store_all(g, lane);
  }
}

// The residues of this warp's 16 rows of sums, piece by piece: a lane's 8 are its registers', side by side.
template <class S>
__device__ void store_residues(arguments const& g, std::int32_t const (&d)[S::n / 2], tile const& to, int lane) {
  problem const& p = g.problem;
  if (to.m >= p.m) return;
  auto* const out = static_cast<uint2*>(p.d.data) + residues::piece_of(p.m, p.n, to.batch, to.m, to.n) * 32 + lane;
  int const pieces = smaller(S::n / 16, ceil_div(static_cast<int>(p.n) - to.n, 16));
  residues::modulus const by = modulus_on_device(p, to.batch);
  auto const four = [&](int i) {
    auto const residue = [&](int j) { return residues::reduce_symmetric(d[i + j], by); };
    return bytes_of(residue(0), residue(1), residue(2), residue(3));
  };
#pragma unroll
  for (int j = 0; j < S::n / 16; ++j)
    if (j < pieces) out[32 * j] = {four(8 * j), four(8 * j + 4)};
}

template <class S>
__device__ void store(arguments const& g, typename S::sum (&d)[S::n / 2], std::uint32_t buffers, int atom, tile const& to,
                      int lane) {
  if constexpr (S::P.a == element::s8)
    if (g.epilogue == epilogue_store::residues) return store_residues<S>(g, d, to, lane);
  if constexpr (bits_of(S::P.a) == 16 || is_fp8(S::P.a)) {
    if (g.epilogue == epilogue_store::rows_16_bit) return store_16_bit<S>(g, d, buffers, atom, to, lane);
    if (g.epilogue == epilogue_store::group_columns) return store_half_columns<S, 64>(g, d, buffers, atom, to, lane);
    if constexpr (reduces_split_k(S::P))
      if (g.epilogue == epilogue_store::columns_16_bit) return store_half_columns<S, 16>(g, d, buffers, atom, to, lane);
  } else {
    if (g.epilogue == epilogue_store::columns_32_bit) return store_columns<S>(g, d, buffers, atom, to, lane);
  }
  if (g.epilogue == epilogue_store::rows_32_bit) return store_32_bit<S>(g, d, buffers, atom, to, lane);
  store_by_threads<S>(g, d, buffers, to, lane);
}
// All atoms of a warp, from the I-th on. (Of a loop the compiler would keep what atoms have in common in one place, with sums
// in local memory.)
template <class S, int I = 0>
__device__ void store_atoms(arguments const& g, typename S::sum (&d)[S::atoms][S::n / 2], std::uint32_t buffers, tile to,
                            int lane) {
  store<S>(g, d[I], buffers, I, to, lane);
  to.m += 64;
  if constexpr (I + 1 < S::atoms) store_atoms<S, I + 1>(g, d, buffers, to, lane);
}

}  // namespace colex::gpu::warpgroup
