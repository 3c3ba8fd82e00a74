// The value algebra as a C++ library: what its callers use and no request on the wire reaches, and where its limits are.
// Laws are asked elsewhere.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/algebra.hpp"
#include "gpu/atoms/copy_atom.hpp"
#include "gpu/atoms/mma_atom.hpp"
#include "tests/unit/algebra/constant.hpp"

namespace {

using namespace colex::gpu;

// n leaves of extent 2 with the strides d(0), d(1), ...
template <class F>
layout leaves(int n, F d) {
  layout a;
  layout_writer w(a);
  w.open();
  for (int k = 0; k < n; ++k) w.put(2, d(k));
  w.close();
  return a;
}
int64 power(int k) { return int64{1} << k; }

TEST(values, are_equal_when_all_they_hold_is) {
  layout const a = make_layout({4, {2, 3}}, {3, {1, 12}}), flat = make_layout({4, 2, 3}, {3, 1, 12});
  EXPECT_EQ(a, make_layout({4, {2, 3}}, {3, {1, 12}}));
  EXPECT_FALSE(a == make_layout({4, {2, 3}}, {3, {1, 13}}));
  EXPECT_FALSE(a == make_layout({4, {2, 4}}, {3, {1, 12}}));
  EXPECT_FALSE(a == flat);
  EXPECT_EQ((int_tuple{4, {2, _}}), (int_tuple{4, {2, _}}));
  EXPECT_FALSE((int_tuple{4, {2, _}}) == (int_tuple{4, {2, 1}}));
  EXPECT_FALSE((int_tuple{4, 2}) == (int_tuple{4, 3}));
  EXPECT_FALSE(shape(a) == shape(flat));
  EXPECT_EQ((swizzle{3, 4, 3}), (swizzle{3, 4, 3}));
  for (swizzle const& other : {swizzle{2, 4, 3}, swizzle{3, 5, 3}, swizzle{3, 4, 4}}) {
    EXPECT_FALSE((swizzle{3, 4, 3}) == other);
    EXPECT_FALSE(other == (swizzle{3, 4, 3}));
  }
  EXPECT_EQ(view(5, a), view(5, a));
  for (composed const& other : {view(6, a), view(5, flat), composition(swizzle{}, 5, a)}) {
    EXPECT_FALSE(view(5, a) == other);
    EXPECT_FALSE(other == view(5, a));
  }
  EXPECT_EQ(composed{}, view(0, layout{}));
  EXPECT_FALSE(composition(swizzle{2, 0, 3}, 5, a) == composition(swizzle{1, 0, 3}, 5, a));
  EXPECT_TRUE(congruent(a.form, make_layout({1, {1, 1}}, {0, {0, 0}}).form));
}

TEST(values, tilers_are_equal_item_by_item) {
  layout const none, two = make_layout(2, 1);
  EXPECT_EQ((tiler{4, make_layout(2, 3), _}), (tiler{4, make_layout(2, 3), _}));
  EXPECT_FALSE((tiler{4, _}) == (tiler{4, 2}));
  EXPECT_FALSE((tiler{4, 2, 3}) == (tiler{tiler{4, 2}, 3}));
  EXPECT_FALSE((tiler{2, _}) == (tiler{2, none}));
  EXPECT_FALSE((tiler{2}) == (tiler{two}));
  EXPECT_FALSE((tiler{none, two}) == (tiler{two, none}));
  EXPECT_FALSE((tiler{make_layout({2, 2}, {1, 2}), 3}) == (tiler{two, make_layout({2, 3}, {2, 1})}));
}

TEST(values, tilers_have_modes) {
  EXPECT_EQ(by_extents({4, 2}), (tiler{4, 2}));
  EXPECT_EQ(get(tiler{4, tiler{tiler{2, _}, make_layout({2, 3}, {1, 4}), 3}}, 1),
            (tiler{tiler{2, _}, make_layout({2, 3}, {1, 4}), 3}));
}

// One mode 1:0 is added where no other is given, and modes are chosen one by one.
TEST(values, gain_and_lose_modes) {
  layout const a = make_layout({4, 6}, {1, 4});
  EXPECT_EQ(append(a), make_layout({4, 6, 1}, {1, 4, 0}));
  EXPECT_EQ(prepend(a), make_layout({1, 4, 6}, {0, 1, 4}));
  EXPECT_EQ(append(a, 4), make_layout({4, 6, 1, 1}, {1, 4, 0, 0}));
  EXPECT_EQ(prepend(a, 4), make_layout({1, 1, 4, 6}, {0, 0, 1, 4}));
  EXPECT_EQ(select(a, 1, 0, 1), make_layout({6, 4, 6}, {4, 1, 4}));
}
TEST(values, are_the_same_unchecked) {
  for (layout const& a : {layout(), make_layout(5, 3), make_layout({4, 6}, {6, 1}), make_layout({2, {3, 2}}, {1, {0, 5}})})
    for (int64 i = 0, n = 2 * size(a); i < n; ++i) EXPECT_EQ(a.unchecked(i), a(i)) << i;
  EXPECT_EQ(coshape(make_layout({4, 6}, {1, 4})), int_tuple(24));
  EXPECT_EQ(get_flat_coord(make_layout(4, 1), 3), int_tuple(3));
  EXPECT_EQ(get_flat_coord(make_layout({4, {2, 3}}, {1, {4, 8}}), 21), (int_tuple{1, 5}));
}

TEST(values, tilers_nest) {
  layout const a = make_layout({{4, 6}, 8}, {{1, 4}, 24});
  EXPECT_EQ(zipped_divide(a, tiler{{2, 3}, _}), zipped_divide(a, tiler{tiler{2, 3}, _}));
  EXPECT_EQ(logical_divide(a, tiler{tiler{2}, 4}), logical_divide(a, tiler{tiler{make_layout(2, 1)}, make_layout(4, 1)}));
  EXPECT_THROW((tiler{tiler{}, 4}), unsupported);
}

TEST(values, tilers_of_integers_are_contiguous) {
  for (int64 const n : {1, 2, 4}) {
    layout const a = make_layout({8, 6}, {6, 1});
    EXPECT_EQ(logical_divide(a, tiler(n)), logical_divide(a, make_layout(n, n > 1 ? 1 : 0)));
    EXPECT_EQ(size(get(zipped_divide(a, tiler{n, 3}), 0)), 3 * n);
    EXPECT_THROW(tiler(1 - n), undefined);
  }
}

TEST(basis_strides, are_values_like_others) {
  layout const a = make_identity_layout({4, 6});
  int_tuple const first(1, path_of({0})), second(1, path_of({1})), zero(0, path_of({1}));
  EXPECT_EQ(a, make_layout({4, 6}, {first, second}));
  EXPECT_EQ(stride(a), (int_tuple{first, second}));
  EXPECT_FALSE(stride(a) == (int_tuple{1, 1}));
  EXPECT_FALSE(a == make_layout({4, 6}, {1, 1}));
  EXPECT_EQ(make_layout({4, 6}, {first, zero}), make_layout({4, 6}, {first, 0}));
  EXPECT_EQ(apply(a, 9), (int_tuple{1, 2}));
  EXPECT_THROW(a(9), undefined);
  EXPECT_THROW(view(first, make_layout(4, 1))(2), undefined);
}

TEST(composed_layouts, have_the_shape_of_what_they_hold) {
  composed const c = composition(swizzle{2, 3, 3}, 16, make_layout({8, {4, 2}}, {8, {1, 4}}));
  EXPECT_EQ(rank(c), 2);
  EXPECT_EQ(depth(c), 2);
  EXPECT_EQ(size(c), 64);
  EXPECT_EQ(make_fragment_like(c), make_fragment_like(c.inner));
  EXPECT_EQ(max_alignment(c), 8);
  EXPECT_EQ(slice(int_tuple{1, _}, c), slice_and_offset(int_tuple{1, _}, c));
  EXPECT_EQ(max_alignment(view(12, make_layout(64, 1))), 4);
  EXPECT_EQ(max_alignment(composition(swizzle{1, 62, 1}, 24, make_layout({12, 5}, {1, 12}))), 4);
  for (int const base : {60, 61, 62, 63})
    EXPECT_EQ(max_alignment(composition(swizzle{1, base, 1}, 0, make_layout(power(62), 1))), power(std::min(base, 62)));
}

TEST(composed_layouts, may_begin_at_a_coordinate) {
  composed const c = view({1, 2}, make_identity_layout({4, 6}));
  EXPECT_EQ(apply(c, 5), (int_tuple{2, 3}));
  EXPECT_EQ(slice_and_offset(int_tuple{2, _}, c).offset, (int_tuple{3, 2}));
  EXPECT_EQ(slice_and_offset(int_tuple{2, _}, view(0, c.inner)).offset, (int_tuple{2, 0}));
  EXPECT_EQ(slice_and_offset(int_tuple{0, _}, view({1, 2}, make_layout({4, 6}, {1, 4}))).offset, (int_tuple{1, 2}));
  EXPECT_THROW(slice_and_offset(int_tuple{2, _}, view(7, c.inner)), undefined);
  EXPECT_THROW(apply(view({1, {2, 3}}, c.inner), 5), undefined);
  EXPECT_THROW(apply(view(7, c.inner), 5), undefined);
  EXPECT_THROW(apply(composition(swizzle{1, 0, 1}, _, make_layout(4, 1)), 1), undefined);
  EXPECT_THROW(apply(composed{c.inner, 0, {1, 0, 1}, true}, 5), undefined);
  layout const many = leaves(32, power);
  EXPECT_EQ(apply(view(shape(many), make_identity_layout(shape(many))), 0), shape(many));
}

TEST(composed_layouts, without_bits_are_inverted_as_they_stand) {
  composed const c = composition(swizzle{}, 0, make_layout({4, 2}, {2, 1}));
  EXPECT_EQ(right_inverse(c), c.with(right_inverse(c.inner)));
}

TEST(composed_layouts, behind_an_offset_have_no_inverse) {
  for (int const offset : {-2, -1, 1, 2})
    for (int const bits : {0, 1})
      EXPECT_THROW(right_inverse(composition(swizzle{bits, 1, 1}, offset, make_layout(4, 2))), undefined);
}

TEST(swizzles, unchecked_are_the_same) {
  for (int bits = 0; bits <= 3; ++bits)
    for (int base = 0; base <= 3; ++base)
      for (int shift : {-4, -3, 3, 4})
        for (int x = 0; x < 2048; ++x) {
          swizzle const s{bits, base, shift};
          EXPECT_EQ(s.unchecked(x), s(x));
        }
}
TEST(swizzles, merge_only_when_they_are_swizzles) {
  EXPECT_THROW(composition(swizzle{2, 0, 1}, swizzle{2, 0, 1}), undefined);  // source and target bits meet
  for (swizzle const& a : {swizzle{2, 0, 1}, swizzle{1, 5, 1}, swizzle{1, 0, 2}, swizzle{1, 0, -63}}) {
    EXPECT_THROW(composition(a, swizzle{1, 1, 1}), undefined);
    EXPECT_THROW(composition(swizzle{1, 1, 1}, a), undefined);
  }
}
// The highest bit of an integer is 62; all bits of two that merge lie below it.
TEST(swizzles, reach_the_highest_bit) {
  EXPECT_EQ((swizzle{62, 0, -62})(power(62)), power(62));
  EXPECT_EQ((swizzle{1, 61, 1})(power(62)), power(62) + power(61));
  EXPECT_EQ((swizzle{1, 62, 1})(power(62)), power(62));
  EXPECT_EQ((swizzle{1, 0, -62})(1), power(62) + 1);
  EXPECT_EQ((swizzle{2, 0, -61})(3), 3 * power(61) + 3);
  EXPECT_EQ((swizzle{1, 0, -63})(2), 2);
  for (swizzle const& far : {swizzle{1, 0, -63}, swizzle{3, 0, -61}, swizzle{64, 0, -64}}) EXPECT_THROW(far(7), unsupported);
  for (swizzle const& most : {swizzle{62, 0, -62}, swizzle{63, 0, -63}}) EXPECT_THROW(most(INT64_MAX), unsupported);
  EXPECT_THROW((swizzle{63, 0, -63})(power(62)), unsupported);
  for (swizzle const& a : {swizzle{1, 61, 1}, swizzle{1, 61, -1}, swizzle{1, 0, 62}, swizzle{1, 2, -60}})
    EXPECT_EQ(right_inverse(composition(a, 0, make_layout(4, 1))), composition(a, 0, make_layout(4, 1)));
  for (swizzle const& a : {swizzle{1, 62, 1}, swizzle{1, 62, -1}, swizzle{1, 0, 63}, swizzle{1, 0, -63}})
    EXPECT_THROW(right_inverse(composition(a, 0, make_layout(4, 1))), unsupported);
  for (int const shift : {22, -22}) {
    swizzle const low{1, 0, shift}, high{20, 20, shift}, above{20, 21, shift};
    EXPECT_EQ(composition(high, swizzle{19, 20, shift}), (swizzle{1, 39, shift}));
    EXPECT_THROW(composition(high, low), undefined);
    EXPECT_THROW(composition(low, high), undefined);
    EXPECT_THROW(composition(above, low), unsupported);
    EXPECT_THROW(composition(low, above), unsupported);
  }
}

// Linear maps are constant expressions and template arguments.
#ifndef COLEX_PLANTED
template <f2_map F>
constexpr uint64 last = F((uint64{1} << F.count) - 1);
static_assert(last<make_f2_map(4, {4, 4}, {1, 2, 5, 10})> == 12);
#endif
COLEX_HOLDS(to_f2(composition(swizzle{3, 4, 3}, 0, make_layout({8, 128}, {128, 1}))).width == 10);
COLEX_HOLDS(f2_invert(f2_invert(make_f2_map(4, {4, 4}, {1, 2, 5, 10}))) == make_f2_map(4, 16, {1, 2, 5, 10}));

TEST(linear_maps, are_equal_when_all_they_hold_is) {
  f2_map const f = make_f2_map(4, {4, 4}, {1, 2, 5, 10});
  EXPECT_EQ(f, to_f2(composition(swizzle{2, 0, 2}, 0, make_layout({4, 4}, {1, 4}))));
  for (f2_map const& other : {make_f2_map(5, {4, 4}, {1, 2, 5, 10}), make_f2_map(4, {2, 8}, {1, 2, 5, 10}),
                              make_f2_map(4, {4, 4}, {1, 2, 5, 11}), make_f2_map(4, {{4}, 4}, {1, 2, 5, 10})})
    EXPECT_FALSE(f == other);
  EXPECT_EQ(f2_map{}, make_f2_map(0, 1, {}));
  EXPECT_EQ(from_f2(make_f2_map(4, {4, 4}, {1, 2, 4, 8})).inner, make_layout({4, 4}, {1, 4}));
}
TEST(linear_maps, unchecked_are_the_same) {
  f2_map const f = make_f2_map(5, {4, 2, 2}, {16, 2, 7, 9});
  for (uint64 x = 0; x < 16; ++x) EXPECT_EQ(f.unchecked(x), f(x));
  EXPECT_THROW(f(16), undefined);
}
// 64 bits on either side, and none of 65.
TEST(linear_maps, reach_the_highest_bit) {
  f2_map const whole = to_f2(swizzle{1, 0, -63}, 64);
  EXPECT_EQ(whole(1), (uint64{1} << 63) + 1);
  EXPECT_EQ(f2_invert(whole), whole);
  EXPECT_EQ(f2_compose(whole, whole), to_f2(swizzle{}, 64));
  EXPECT_EQ(f2_rank(whole), 64);
  EXPECT_EQ(f2_complement(whole), make_f2_map(64, 1, {}));
  EXPECT_EQ(to_f2(make_layout(4, power(62))).width, 64);
  f2_map const with_one_behind = to_f2(make_layout({power(32), power(32), 1}, {1, power(32), 0}));
  EXPECT_EQ(f2_apply(with_one_behind, int_tuple{1, 1, 0}), (uint64{1} << 32) + 1);
  EXPECT_THROW(from_f2(whole), unsupported);
  EXPECT_THROW(f2_product(whole, make_f2_map(1, 1, {})), unsupported);
  EXPECT_THROW(f2_product(whole, make_f2_map(0, 2, {0})), unsupported);
  EXPECT_THROW(f2_complement(whole, 65), unsupported);
  EXPECT_THROW(make_f2_map(65, 1, {}), unsupported);
  EXPECT_THROW(to_f2(make_layout(8, power(62))), unsupported);
  EXPECT_THROW(to_f2(swizzle{1, 0, -64}, 64), unsupported);
  EXPECT_EQ(to_f2(swizzle{1, 5, -70}, 3), make_f2_map(3, 8, {1, 2, 4}));
}
TEST(linear_maps, are_made_of_bases_that_fit) {
  EXPECT_THROW(make_f2_map(4, 3, {1, 2}), undefined);
  EXPECT_THROW(make_f2_map(4, {2, 0}, {1}), undefined);
  EXPECT_THROW(make_f2_map(4, 4, {1}), undefined);
  EXPECT_THROW(make_f2_map(4, 4, {1, 16}), undefined);
  EXPECT_THROW(make_f2_map(-1, 1, {}), undefined);
  EXPECT_THROW(to_f2(swizzle{}, -1), undefined);
}

TEST(errors, say_why) {
  try {
    composition(make_layout({4, 3}, {3, 1}), make_layout(6, 1));
    FAIL() << "answered where no layout exists";
  } catch (undefined const& e) {
    EXPECT_STREQ(e.what(), "no layout equals A(B(c))");
  }
}

// Atoms are constant expressions and template arguments.
#ifndef COLEX_PLANTED
template <mma_atom Atom>
constexpr int64 registers_of_c = size(Atom.c, 1);
template <copy_atom Atom>
constexpr int64 bits_of_a_thread = size(Atom.dst, 1);
static_assert(registers_of_c<make_mma_atom("SM80_16x8x16_F32F16F16F32_TN")> == 4);
static_assert(registers_of_c<make_mma_atom("SM90_64x256x16_F32BF16BF16_SS<K,MN>")> == 128);
static_assert(bits_of_a_thread<make_copy_atom("SM75_U32x4_LDSM_N")> == 128);
#endif
COLEX_HOLDS(make_mma_atom("SM75_8x8x16_S32S8S8S32_TN").a == make_layout({{4, 8}, 4}, {{32, 1}, 8}));
COLEX_HOLDS(make_mma_atom("SM120_SPARSE_16x8x64_TN<float_e5m2_t,float_e2m3_t,float>").sfa == layout());
COLEX_HOLDS(bits_of("float_e3m2_t") == 6);

// Is each of 0 to n - 1 reached, all equally often, and nothing else?
bool covers(layout const& a, int64 n) {
  std::vector<int64> times(static_cast<std::size_t>(n));
  int64 const all = size(a), each = all / n;
  for (int64 i = 0; i < all; ++i)
    if (int64 const at = a(i); at >= n || ++times[static_cast<std::size_t>(at)] > each) return false;
  return all % n == 0;
}
void expect_whole(std::string const& name) {
  mma_atom const atom = make_mma_atom(name);
  int64 const m = atom.shape_mnk.value[0], n = atom.shape_mnk.value[1], k = atom.shape_mnk.value[2];
  EXPECT_TRUE(covers(atom.a, m * k) && covers(atom.b, n * k) && covers(atom.c, m * n)) << name;
  EXPECT_TRUE(atom.sfa == layout() || (covers(atom.sfa, m * k) && covers(atom.sfb, n * k))) << name;
  EXPECT_TRUE(atom.e == layout() || covers(atom.e, m * k)) << name;
}

TEST(atoms, hold_each_element_of_an_operand) {
  for (char const* name :
       {"UniversalFMA", "SM61_DP2A", "SM70_8x8x4_F16F16F16F16_NT", "SM70_8x8x4_F32F16F16F32_TN", "SM75_16x8x8_F32F16F16F32_TN",
        "SM80_8x8x4_GC64C64C64GC64_TN", "SM80_16x8x8_F32TF32TF32F32_TN", "SM80_16x8x32_S32S4U4S32_TN_SATURATE",
        "SM80_16x8x256_S32U1U1S32_TN_ANDPOPC", "SM89_16x8x32_F16E5M2E4M3F16_TN", "SM90_16x8x16_F64F64F64F64_TN",
        "SM100_1x2x1_F32F32F32F32", "SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,16>",
        "SM120_SPARSE_16x8x128_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,64>"})
    expect_whole(name);
  for (int n = 8; n <= 256; n += n < 32 ? 8 : 56) {
    std::string const size = "64x" + std::to_string(n) + "x";
    expect_whole("SM90_" + size + "32_F32E4M3E5M2_RS_TN");
    expect_whole("SM90::GMMA::SPARSE::GMMA_" + size + "32_F16F16F16_RS");
    expect_whole("SM90::GMMA::SPARSE::GMMA_" + size + "64_F16E5M2E5M2_SS_TN");
    expect_whole("SM100_MMA_TF32_SS_SPARSE<tfloat32_t,tfloat32_t,float,64," + std::to_string(n) + ">");
  }
  expect_whole("SM103_MXF4_ULTRA_2x1SM_SS_VS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,256,192,32>");
}

TEST(atoms, copy_each_bit) {
  for (char const* name :
       {"SM50_Shuffle_U32_2x2Trans_XOR4", "SM75_U16x4_LDSM_T", "SM75_U32x1_MOVM_T", "SM90_U32x2_STSM_N", "SM100_U8x16_LDSM_T",
        "SM100_U8x4_STSM_T", "SM100_TMEM_LOAD_16dp256b4x", "SM100_TMEM_LOAD_16dp64b2x_16b", "SM100_TMEM_STORE_16dp32b1x",
        "SM100_UTCCP_2x64dp128bitlw0123_2cta", "SM90_TMA_LOAD,1024b"}) {
    copy_atom const atom = make_copy_atom(name);
    int64 const n = std::min(cosize(atom.src), cosize(atom.dst));
    EXPECT_TRUE(covers(atom.src, n) && covers(atom.dst, cosize(atom.dst)) && cosize(atom.dst) % n == 0) << name;
  }
}

TEST(atoms, that_do_not_exist_are_undefined) {
  for (char const* name : {"",
                           "SM80",
                           "SM80_16x8x16",
                           "SM80_16x8x16_F32F16F16F32_TN_",
                           "SM80_16x8x16_F32F16F16F32_NT",
                           "SM80_16x8x32_F32F16F16F32_TN",
                           "SM80_16x16x16_F32F16F16F32_TN",
                           "SM80_8x8x8_F32F16F16F32_TN",
                           "SM75_16x8x16_F32F16F16F32_TN",
                           "SM80_16x8x16_F32F16BF16F32_TN",
                           "SM80_16x8x16_F32BF16BF16F16_TN",
                           "SM80_16x8x256_S32U1U1S32_TN",
                           "SM100_16x8x16_F32F16F16F32_TN",
                           "SM90_64x12x16_F32F16F16_SS",
                           "SM90_64x264x16_F32F16F16_SS",
                           "SM90_64x8x32_F32F16F16_SS",
                           "SM90_64x8x16_F32F16F16_RS<MN,K>",
                           "SM90_64x8x16_F64F16F16_SS",
                           "SM90_64x40x32_S32S8S8_SS_TN",
                           "SM90_64x99999999999x16_F32F16F16_SS",
                           "SM100_MMA_F16BF16_SS<half_t,half_t,float,256,64>",
                           "SM100_MMA_S8_SS<half_t,half_t,float,128,64>",
                           "SM100_MMA_F16BF16_SS<half_t,half_t>",
                           "SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,64,32>",
                           "SM120_16x8x64_TN<float_e2m1_t,float_e2m1_t,float>",
                           "SM120_16x8x32_TN<int8_t,int8_t,int32_t>",
                           "SM100_2x2x1_F32F32F32F32"})
    EXPECT_THROW(make_mma_atom(name), undefined) << name;
  for (char const* name :
       {"", "UniversalCopy<nothing>", "UniversalCopy<float", "SM75_U32x3_LDSM_N", "SM75_U32x1_LDSM_T", "SM75_U32x1_STSM_N",
        "SM75_U16x1_LDSM_T", "SM100_U8x4_LDSM_T", "SM100_TMEM_LOAD_16dp256b64x", "SM100_TMEM_LOAD_32dp64b1x",
        "SM100_TMEM_LOAD_16dp32b3x", "SM90_TMA_LOAD", "SM90_TMA_LOAD,8b", "SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>",
        "SM100_UTCCP_2x64dp256bitlw0123_1cta", "SM50_Shuffle_U32_2x2Trans_XOR3", "AutoVectorizingCopyWithAssumedAlignment<3>",
        "SM100_SU4_DU8x16_x3_LDSM_N"})
    EXPECT_THROW(make_copy_atom(name), undefined) << name;
  EXPECT_THROW(bits_of("int"), undefined);
}

TEST(errors, refuse_what_is_no_shape_or_coordinate) {
  layout const a = make_layout({4, 6}, {1, 4});
  EXPECT_THROW(make_layout({4, 0}, {1, 4}), undefined);
  EXPECT_THROW(make_layout_left({4, 0}), undefined);
  EXPECT_THROW(crd2idx({1, 2}, {4, 0}), undefined);
  EXPECT_THROW(ceil_div({4, 6}, 0), undefined);
  EXPECT_THROW(ceil_div({4, 6}, -1), undefined);
  EXPECT_THROW(get_hier_coord(make_layout({4, 6}, {1, 0}), 1), undefined);
  EXPECT_THROW(domain_distribute({4, 0}, 2), undefined);
  EXPECT_THROW(tile_to_shape(a, {4, 0}), undefined);
  EXPECT_THROW(complement(a, int_tuple{4, 0}), undefined);
  EXPECT_THROW(complement(a, 0), undefined);
  EXPECT_EQ(complement(make_layout(2, 1), 1), layout_of(1, 0));
  EXPECT_THROW(take(a, -1, 1), undefined);
  EXPECT_THROW(group(a, -1, 1), undefined);
  EXPECT_THROW(replace(a, -1, a), undefined);
  EXPECT_THROW(apply(a, {1, _}), undefined);
  EXPECT_THROW(idx2crd(_, {4, 6}), undefined);
  EXPECT_THROW(apply(a, -1), unspecified);
  EXPECT_THROW(a(-1), unspecified);
  EXPECT_THROW(f2_apply(make_f2_map(2, 4, {1, 2}), -1), unspecified);
}

TEST(limits, nothing_wraps_and_nothing_is_cut) {
  layout const many = leaves(20, power);
  EXPECT_THROW(size(make_layout({power(40), power(40)}, {1, 1})), unsupported);
  EXPECT_THROW(make_layout(many, many), unsupported);
  EXPECT_THROW(left_inverse(leaves(32, [&](int k) { return power(32 - k); })), unsupported);
  EXPECT_THROW(composition(make_layout(leaves(16, [&](int k) { return power(16 - k); }),
                                       leaves(16, [&](int k) { return power(32 - k); })),
                           make_layout({power(16), power(16), 1},
                                       {int_tuple(1, path_of({0})), int_tuple(1, path_of({1})), int_tuple(1, path_of({0}))})),
               unsupported);
  EXPECT_THROW((int_tuple{int_tuple{}, 4}), unsupported);
}

// As many leaves as there may be, and what lies beyond 64 bits but is not asked for.
TEST(limits, what_can_be_held_is) {
  layout const still = leaves(32, [](int) { return 0; });
  EXPECT_EQ(composition(make_layout(4, 1), still), still);
  EXPECT_THROW(composition(make_layout({2, 2}, {1, 8}), make_layout(leaves(31, [](int) { return 0; }), make_layout(4, 1))),
               unsupported);
  layout const axes = make_identity_layout(shape(leaves(32, power)));
  EXPECT_THROW(composition(axes, make_layout({3, 3}, {power(31), 1})), undefined);
  EXPECT_THROW(composition(axes, make_layout({2, 2}, {1, 1})), undefined);
  EXPECT_EQ(composition(make_layout({4, power(62)}, {1, 8}), make_layout(2, 1)), make_layout(2, 1));
}

TEST(limits, paths_of_basis_strides) {
  EXPECT_EQ(apply(make_layout(2, int_tuple(-1, path_of({0}))), 1), int_tuple{-1});
  EXPECT_EQ(path_of({1, 0}), path_of({1, 0}));
  EXPECT_THROW(path_of({255}), unsupported);
  EXPECT_THROW(path_of({-1}), unsupported);
  EXPECT_THROW(path_of({0, 0, 0, 0, 0, 0, 0, 0, 0}), unsupported);
}

// Where modes overlap the value algebra searches; beyond the bounds of the search it still gives what surely holds.
TEST(inverses, of_modes_that_overlap) {
  EXPECT_EQ(left_inverse(make_layout({2, 2, 2}, {1, 2, 3})), make_layout({3, 2}, {1, 4}));
  EXPECT_EQ(left_inverse(make_layout({2, 2}, {4, 3})), make_layout({2, 2, 2}, {0, 2, 1}));
  EXPECT_EQ(left_inverse(make_layout({2, 3}, {4, 3})), make_layout({2, 2, 3}, {-1, 3, 1}));
  EXPECT_EQ(left_inverse(make_layout({2, 2}, {5, 6})), make_layout({2, 2, 3}, {-1, 0, 2}));
  EXPECT_EQ(right_inverse(make_layout({2, 2, 2}, {1, 3, 1})), make_layout(2, 1));  // CuTe's, where none is larger
  EXPECT_EQ(size(right_inverse(make_layout({2, 2, 4}, {5, 3, 1}))), 12);
  EXPECT_EQ(left_inverse(make_layout({1, 1, 2, 2, 2}, {3, 12, 2, 1, 2})), make_layout(4, 2));
  EXPECT_EQ(right_inverse(make_layout({3, 2, 40}, {1, 2, 0})), make_layout({2, 2}, {1, 3}));
  EXPECT_THROW(right_inverse(make_layout({3, 2, 200}, {1, 2, 0})), undefined);  // too many ways to search
  EXPECT_EQ(size(right_inverse(make_layout({16, 2, 2, 2, 2}, {0, 1, 1, 4, 3}))), 6);
  EXPECT_EQ(max_common_layout(make_layout({10000, 2}, {1, 0}), make_layout(4096, 1)), make_layout(4096, 1));
  EXPECT_EQ(max_common_layout(make_layout(4096, 1), make_layout({10000, 2}, {1, 0})), make_layout(4096, 1));
  EXPECT_EQ(max_common_layout(make_layout(10000, 1), make_layout({10000, 2}, {1, 20000})), make_layout(10000, 1));
}

}  // namespace
