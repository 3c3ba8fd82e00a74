// Tilings and tensors as a C++ library: what their callers use and no request on the wire reaches. Laws are asked elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/algebra/fold.hpp"
#include "gpu/algebra/tensor.hpp"
#include "gpu/atoms/tiled_copy.hpp"
#include "tests/unit/algebra/constant.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace colex::gpu;

// partition_C step by step, for one thread that multiplies 8x8 of a tile of 128x128 (partition_C article).
constexpr tiler by_16x4 = make_layout({16, 4}, {4, 1});
constexpr tiled_mma fma_256 =
    make_tiled_mma(make_mma_atom("UniversalFMA"), make_layout({16, 16, 1}, {16, 1, 0}), {by_16x4, by_16x4, _});
constexpr layout rows_of_128 = make_layout({128, 128}, {128, 1});
constexpr layout permuted = logical_divide(rows_of_128, tiler{by_16x4, by_16x4});
COLEX_HOLDS(permuted == make_layout({{{16, 4}, 2}, {{16, 4}, 2}}, {{{512, 128}, 8192}, {{4, 1}, 64}}));
constexpr layout atoms_and_rest = zipped_divide(permuted, tiler{1, 1});
COLEX_HOLDS(atoms_and_rest == make_layout({{1, 1}, {{16, 4, 2}, {16, 4, 2}}}, {{0, 0}, {{512, 128, 8192}, {4, 1, 64}}}));
constexpr layout thread_and_value = composition(get(atoms_and_rest, 0), fma_256.atom.c);
COLEX_HOLDS(thread_and_value == make_layout({1, 1}, {0, 0}));
constexpr layout over_threads = zipped_divide(get(atoms_and_rest, 1), tiler{16, 16});
COLEX_HOLDS(over_threads == make_layout({{16, 16}, {{4, 2}, {4, 2}}}, {{512, 4}, {{128, 8192}, {1, 64}}}));
COLEX_HOLDS(thrfrg_C(fma_256, rows_of_128) ==
            make_layout({{1, {16, 16}}, {1, {{4, 2}, {4, 2}}}}, {{0, {512, 4}}, {0, {{128, 8192}, {1, 64}}}}));
constexpr composed share_of_0 = get_slice(fma_256, 0).partition_C(view(0, rows_of_128));
COLEX_HOLDS(share_of_0 == view(0, make_layout({1, {4, 2}, {4, 2}}, {0, {128, 8192}, {1, 64}})));
COLEX_HOLDS(get_slice(fma_256, 255).partition_C(view(0, rows_of_128)) == view(15 * 512 + 15 * 4, share_of_0.inner));
COLEX_HOLDS(get_slice(fma_256, 17).partition_A(view(0, make_layout({128, 8}, {8, 1}))).offset == 32);
COLEX_HOLDS(get_slice(fma_256, 17).partition_B(view(0, make_layout({128, 8}, {8, 1}))).offset == 32);
COLEX_HOLDS(partition_shape(fma_256, operand::c, {128, 128}) == int_tuple{1, {4, 2}, {4, 2}});
COLEX_HOLDS(tile_shape(fma_256) == int_tuple{64, 64, 1});

// A copy of 128 bits a thread, and one that feeds an MMA.
COLEX_CONSTANT copy_atom eight_halves = in_elements(make_copy_atom("UniversalCopy<uint128_t>"), bits_of("half_t"));
COLEX_CONSTANT tiled_copy halves_128 = make_tiled_copy(eight_halves, make_layout({16, 8}, {8, 1}), make_layout({1, 8}, {0, 1}));
COLEX_HOLDS(halves_128.tile == int_tuple{16, 64});
COLEX_HOLDS(get_slice(halves_128, 1).partition_S(view(0, make_layout({128, 64}, {64, 1}))) ==
            view(8, make_layout({{8, 1}, 8, 1}, {{1, 0}, 1024, 0})));
COLEX_HOLDS(get_slice(halves_128, 9).partition_D(view(0, make_layout({128, 64}, {1, 128}))).offset == 1025);
COLEX_CONSTANT tiled_mma warp =
    make_tiled_mma(make_mma_atom("SM80_16x8x16_F32F16F16F32_TN"), make_layout({1, 1, 1}, {0, 0, 0}));
COLEX_CONSTANT tiled_copy matrices = make_tiled_copy_A(in_elements(make_copy_atom("SM75_U32x4_LDSM_N"), 16), warp);
COLEX_HOLDS(get_layoutD_TV(matrices) ==
            make_layout(get(get_layoutA_TV(warp), 0), make_layout({{2, 2, 2}, 1}, {{16, 8, 128}, 0})));
COLEX_HOLDS(retile(matrices, make_layout({8, 4, 2}, {1, 8, 32})) == make_layout({{8, 1}, 4, 2}, {{1, 0}, 8, 32}));

// Tilings are template arguments by way of what carries them.
struct carries_fma {
  static constexpr tiled_mma value = fma_256;
};
template <class Carrier>
constexpr layout accumulators = partition_fragment(Carrier::value, operand::c, {128, 128});
COLEX_HOLDS(size(accumulators<carries_fma>) == 64);

COLEX_HOLDS(fold({"ki", make_layout({4, 2}, {1, 4})}, {"jk", make_layout({3, 4}, {1, 3})},
                 {"ij", make_layout({2, 3}, {3, 1})}) ==
            folded{make_layout({2, 4, 1}, {4, 1, 0}), make_layout({3, 4, 1}, {1, 3, 0}), make_layout({2, 3, 1}, {3, 1, 0})});
COLEX_HOLDS(bank_conflicts(view(0, make_layout(32, 128)), 8, 4) == 31);
COLEX_HOLDS(bank_conflicts(composition(swizzle{3, 4, 3}, 0, make_layout(8, 128)), 8, 16) == 0);
COLEX_HOLDS(elem_less({2, {1, 0}}, {3, {2, 1}}) && !elem_less({2, {2, 0}}, {3, {2, 1}}) && elem_less({2, 3}, {3, {2, 2}}));

struct carries_rows {
  static constexpr layout value = make_layout({4, 3}, {3, 1});
};
struct carries_batches {
  static constexpr layout value = make_layout_left({2, 3, 2});
};
struct carries_swizzle {
  static constexpr composed value = composition(swizzle{2, 1, 2}, 0, make_layout({8, 4}, {4, 1}));
};
template <class X, class Y>
constexpr bool copies(X const& x, Y const& y) {
  copy(x, y);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      if (x(i, j) != y(i, j) || y(i, j) != 3 * i + j) return false;
  return true;
}
constexpr bool tensors_copy() {
  int from[12] = {}, to[12] = {}, across[12] = {};
  for (int i = 0; i < 12; ++i) from[i] = i;
  tensor const x = make_tensor(from, make_layout({4, 3}, {3, 1})), y = make_tensor(across, make_layout({4, 3}, {1, 4}));
  return copies(x, make_tensor<carries_rows>(to)) && copies(make_tensor<carries_rows>(from), y) && copies(x, y);
}
COLEX_HOLDS(tensors_copy());

// A slice, known when compiled or not, is the same elements.
constexpr bool tensors_slice() {
  int store[32] = {};
  tensor const x = make_tensor(store, carries_swizzle::value);
  tensor const y = make_tensor<carries_swizzle>(store);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 4; ++j) {
      int const* const here = store + apply(carries_swizzle::value, {i, j}).value[0];
      if (&x(i, j) != here || &x(i + 8 * j) != here || &x({i, j}) != here || &y(i, j) != here || &y(i + 8 * j) != here)
        return false;
      if (&slice({_, j}, x)(i) != here || &slice<int_tuple{_, 0}>(y, j)(i) != here || &slice<int_tuple{0, _}>(y, i)(j) != here)
        return false;
    }
  return true;
}
COLEX_HOLDS(tensors_slice());

// A tiling of coordinates, over strides that are not compiled in, is the same elements.
struct shares_of_tile {
  static constexpr layout value = zipped_divide(make_identity_layout({8, 6}), tiler{4, make_layout(2, 3)});
};
constexpr bool strided_tensors_slice(int row, int column) {
  int store[100] = {};
  tensor const x = make_tensor<shares_of_tile>(store, row, column);
  bool right = size(x) == 48 && rank(x) == 2 && size<0>(x) == 8 && size<1>(x) == 6 && size<2>(x) == 1;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 6; ++j) {
      int const m = i % 4 + 4 * (j % 2), n = i / 4 * 3 + j / 2;
      int const* const here = store + row * m + column * n;
      right = right && coordinate<shares_of_tile, 0>(i, j) == m && coordinate<shares_of_tile, 1>(i, j) == n;
      right = right && &x(i, j) == here && &x(i + 8 * j) == here;
      right = right && &slice<int_tuple{_, 0}>(x, j)(i) == here && &slice<int_tuple{0, _}>(x, i)(j) == here;
      right = right && &slice<int_tuple{{0, _}, _}>(x, i % 4)(i / 4, j) == here;
    }
  return right;
}
COLEX_HOLDS(strided_tensors_slice(6, 1) && strided_tensors_slice(1, 9) && strided_tensors_slice(7, 2));
COLEX_HOLDS(along(make_identity_layout({2, {3, 4}}), 0) == make_layout({2, {3, 4}}, {1, {0, 0}}));

// Each thread of a tiled MMA multiplies its share, its elements compiled in: together the product.
struct share_of_a {
  static constexpr layout value = thrfrg_A(fma_256, make_layout({128, 8}, {8, 1}));
};
struct share_of_b {
  static constexpr layout value = thrfrg_B(fma_256, make_layout({128, 8}, {1, 128}));
};
struct share_of_c {
  static constexpr layout value = thrfrg_C(fma_256, rows_of_128);
};
void multiply_by_threads(int const* a, int const* b, int* c) {
  constexpr int_tuple share{{0, {0, 0}}, {0, {_, _}}};
  tensor const all_a = make_tensor<share_of_a>(a);
  tensor const all_b = make_tensor<share_of_b>(b);
  tensor const all_c = make_tensor<share_of_c>(c);
  for (int thread = 0; thread < 256; ++thread) {
    int const m = thread / 16, n = thread % 16;
    gemm(slice<share>(all_a, 0, m, 0, 0), slice<share>(all_b, 0, n, 0, 0), slice<share>(all_c, 0, m, n, 0));
  }
}
TEST(tensors, are_multiplied_thread_by_thread) {
  std::vector<int> a(1024), b(1024), c(128 * 128), d(128 * 128);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<int>(i * i % 9) - 4;
    b[i] = static_cast<int>(i * 7 % 9) - 4;
  }
  multiply_by_threads(a.data(), b.data(), c.data());
  gemm(make_tensor(a.data(), make_layout({128, 8}, {8, 1})), make_tensor(b.data(), make_layout({128, 8}, {1, 128})),
       make_tensor(d.data(), rows_of_128));
  EXPECT_EQ(c, d);
  EXPECT_NE(d, std::vector<int>(d.size()));
  EXPECT_EQ(d[129], a[8] * b[1] + a[9] * b[129] + a[10] * b[257] + a[11] * b[385] + a[12] * b[513] + a[13] * b[641] +
                        a[14] * b[769] + a[15] * b[897]);
}

// A tile that runs past the end moves what lies inside.
TEST(tensors, are_copied_where_their_coordinates_lie_inside) {
  std::vector<int> from(15), to(64, -1);
  for (int i = 0; i < 15; ++i) from[static_cast<std::size_t>(i)] = i;
  int_tuple const shape{5, 3};
  tensor const coordinates = make_identity_tensor(shape);
  tensor const x = make_tensor(from.data(), make_layout_left(shape)), y = make_tensor(to.data(), make_layout({4, 2}, {1, 4}));
  int_tuple const last{1, 1};
  copy_if(with(coordinates, local_tile(coordinates.at, tiler{4, 2}, last)), shape, with(x, local_tile(x.at, tiler{4, 2}, last)),
          y);
  EXPECT_EQ(to[0], 14);
  EXPECT_EQ(std::count(to.begin(), to.end(), -1), 63);
  EXPECT_EQ(coordinates(7), (int_tuple{2, 1}));
  EXPECT_EQ(coordinates(2, 1), (int_tuple{2, 1}));
}

TEST(tensors, are_filled_added_and_reduced) {
  std::vector<int> x(6), y(6), sums(2);
  for (int i = 0; i < 6; ++i) x[static_cast<std::size_t>(i)] = i;
  tensor const a = make_tensor(x.data(), make_layout({2, 3}, {3, 1})), b = make_tensor(y.data(), make_layout({2, 3}, {1, 2}));
  fill(b, 10);
  axpby(2, a, 3, b);
  EXPECT_EQ(y, (std::vector<int>{30, 36, 32, 38, 34, 40}));
  reduce(a, make_tensor(sums.data(), make_layout({2, 3}, {1, 0})), [](int s, int t) { return s + t; });
  EXPECT_EQ(sums, (std::vector<int>{3, 12}));
  EXPECT_THROW(copy(a, make_tensor(sums.data(), make_layout(2, 1))), undefined);
  EXPECT_THROW(gemm(a, b, a), undefined);
  EXPECT_THROW(a(1, 2, 3), undefined);
  EXPECT_THROW(make_tensor(x.data(), view({0, 0}, make_layout(2, 1))), undefined);
}

// The batched product that an index in all three tensors asks for.
TEST(tensors, are_contracted_batch_by_batch) {
  folded const f = fold({"pmk", make_layout({2, 2, 2}, {4, 2, 1})}, {"kp", make_layout({2, 2}, {1, 2})},
                        {"mp", make_layout({2, 2}, {1, 2})});
  std::vector<int> const a{1, 2, 3, 4, 5, 6, 7, 8}, b{1, 10, 100, 1000};
  std::vector<int> c(4);
  gemm(make_tensor(a.data(), f.a), make_tensor(b.data(), f.b), make_tensor(c.data(), f.c));
  EXPECT_EQ(c, (std::vector<int>{21, 43, 6500, 8700}));
}

// What is asserted above of constants holds when it runs, too.
TEST(constants, hold_when_run) {
  EXPECT_TRUE(tensors_copy());
  EXPECT_TRUE(tensors_slice());
  layout const a = make_layout({128, 8}, {8, 1}), b = make_layout({128, 8}, {1, 128}), halves = make_layout({128, 64}, {64, 1});
  thr_mma const mma = get_slice(fma_256, 17);
  EXPECT_EQ(mma.partition_A(view(0, a)).offset, int_tuple(32));
  EXPECT_EQ(mma.partition_B(view(0, a)).offset, int_tuple(32));
  EXPECT_EQ(mma.partition_C(view(0, rows_of_128)), view(512 + 4, share_of_0.inner));
  EXPECT_EQ(thrfrg_A(fma_256, a), thrfrg(fma_256, operand::a, a));
  EXPECT_EQ(thrfrg_B(fma_256, b), thrfrg(fma_256, operand::b, b));
  EXPECT_EQ(thrfrg_C(fma_256, rows_of_128), thrfrg(fma_256, operand::c, rows_of_128));
  EXPECT_EQ(get_layoutD_TV(make_tiled_copy_A(eight_halves, warp)),
            layout_tv(make_tiled_copy(eight_halves, warp, operand::a), side::destination));
  EXPECT_EQ(make_tiled_copy_B(eight_halves, warp).layout_tv, get_layoutB_TV(warp));
  EXPECT_EQ(make_tiled_copy_C(eight_halves, warp).layout_tv, get_layoutC_TV(warp));
  EXPECT_EQ(make_tiled_copy_A(eight_halves, warp).layout_tv, get_layoutA_TV(warp));
  thr_copy const copy = get_slice(halves_128, 9);
  EXPECT_EQ(copy.partition_S(view(0, halves)).offset, int_tuple(72));
  EXPECT_EQ(copy.partition_D(view(0, make_layout({128, 64}, {1, 128}))).offset, int_tuple(1025));
  EXPECT_EQ(tidfrg_S(halves_128, halves), tidfrg(halves_128, side::source, halves));
  EXPECT_EQ(tidfrg_D(halves_128, halves), tidfrg(halves_128, side::destination, halves));
  EXPECT_EQ(get_layoutS_TV(halves_128), layout_tv(halves_128, side::source));
  EXPECT_EQ(logical_divide(a, tiler(_)), a);
  EXPECT_EQ(local_tile(view(0, a), tiler{2, _, 2}, {0, _, 0}, {1, _, 1}), local_tile(view(0, a), tiler{2, 2}, {0, 0}));
  EXPECT_EQ(make_identity_tensor({4, 3})(1, 2), (int_tuple{1, 2}));
  EXPECT_EQ(make_identity_tensor({4, 3})(int_tuple{1, 2}), (int_tuple{1, 2}));
  EXPECT_EQ(colex::gpu::detail::cut_modes({1, _}, a).count, 1);
  int x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, squares[16] = {};
  gemm(make_tensor<carries_rows>(x), make_tensor<carries_rows>(x), make_tensor(squares, make_layout({4, 4}, {1, 4})));
  EXPECT_EQ(squares[0], 1 + 4 + 9);
  int batches[8] = {};
  gemm(make_tensor<carries_batches>(x), make_tensor<carries_batches>(x), make_tensor(batches, make_layout_left({2, 2, 2})));
  EXPECT_EQ(batches[0], 1 + 9 + 25);
}

TEST(tilings, that_do_not_exist_are_undefined) {
  EXPECT_THROW(make_mma_atom("SM80_16x8x16_F33F16F16F32_TN"), undefined);
  EXPECT_THROW(make_mma_atom("SM100_MMA_F17_SS<half_t,half_t,float,128,64>"), undefined);
  mma_atom const fma = make_mma_atom("UniversalFMA");
  EXPECT_THROW(make_tiled_mma(fma, make_layout({2, 2, 1, 1}, {1, 2, 0, 0})), undefined);
  EXPECT_THROW(make_tiled_mma(fma, make_layout(2, 1), tiler{_, _, _, _}), undefined);
  EXPECT_THROW(make_tiled_mma(fma, make_layout(2, 1), make_layout(2, 1)), undefined);
  EXPECT_EQ(make_tiled_mma(fma, make_layout(2, 1), tiler{_}), make_tiled_mma(fma, make_layout({2, 1, 1}, {1, 0, 0})));
  EXPECT_EQ(make_tiled_mma(fma, make_layout(2, 1), tiler{2}).permutation, (tiler{2, _, _}));
  EXPECT_THROW(partition(fma_256, operand::c, view(0, rows_of_128), 256), undefined);
  EXPECT_THROW(partition(fma_256, operand::c, view(0, rows_of_128), -1), unspecified);
  EXPECT_THROW(partition(fma_256, operand::c, view(0, make_layout(128, 1)), 0), undefined);
  EXPECT_THROW(partition(halves_128, side::source, view(0, rows_of_128), 128), undefined);
  EXPECT_THROW(partition(halves_128, side::source, view(0, rows_of_128), -1), unspecified);
  EXPECT_THROW(elem_less({1, 2}, 4), undefined);
  EXPECT_THROW(elem_less({1, 2}, {4, 4, 4}), undefined);
  EXPECT_THROW(elem_less({1, _}, {4, 4}), undefined);
  EXPECT_THROW(fold({"ab", make_layout(4, 1)}, {"b", make_layout(4, 1)}, {"a", make_layout(4, 1)}), undefined);
  EXPECT_THROW(index_names("abcdefghijklmnopqrstuvwxyzabcdefg"), unsupported);
  EXPECT_THROW(bank_conflicts(view(0, make_layout(2048, 4)), 8, 4), undefined);
  EXPECT_THROW(bank_conflicts(view(0, make_layout(32, 4)), 0, 4), undefined);
}

}  // namespace
