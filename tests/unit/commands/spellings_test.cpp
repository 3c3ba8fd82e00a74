// What people have in hand is read: CuTe's spellings, pycute's and their own. SPDX-License-Identifier: Apache-2.0
#include "spec/notation/spellings.hpp"
#include "ref/answer.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/unit/harness.hpp"

#include <tuple>

namespace colex {
namespace {

using namespace harness;

// What people have in hand, and the same in the grammar.
TEST(spelling, of_others_is_read) {
  for (auto const& [written, read] : std::initializer_list<std::pair<char const*, char const*>>{
           {"size (4, 2):(1, 4)", "size (4,2):(1,4)"},
           {"size ( 4,2 ) : ( 1,4 )", "size (4,2):(1,4)"},
           {"size _4:_1", "size 4:1"},
           {"size (_4,_2):(_1,_4)", "size (4,2):(1,4)"},
           {"size (4,):(1,)", "size (4):(1)"},
           {"size ((4,2):(1,4))", "size (4,2):(1,4)"},
           {"size(4:1)", "size 4:1"},
           {"cute::coalesce( (4,2):(1,4) )", "coalesce (4,2):(1,4)"},
           {"composition((6,2):(8,2), (4,3):(3,1))", "composition (6,2):(8,2) (4,3):(3,1)"},
           {"(6,2):(8,2) o (4,3):(3,1)", "composition (6,2):(8,2) (4,3):(3,1)"},
           {"8:1 \u2218 2:4", "composition 8:1 2:4"},
           {"8:1 o 4:2 o 2:1", "composition 4:2 2:1"},
           {"coalesce(composition(8:1, 4:2))", "coalesce 4:2"},
           {"coalesce((4,2):(1,4)) o 2:4", "composition 8:1 2:4"},
           {"Sw<2,0,3> o Sw<2,0,3>", "composition Sw<2,0,3> Sw<2,0,3>"},
           {"composition(Swizzle<2,0,3>{}, Layout<Shape<_8,_8>>{})", "composition Sw<2,0,3> 0 (8,8):(1,8)"},
           {"size(4,2):(1,4)", "size (4,2):(1,4)"},
           {"make_shape(4,2):make_stride(1,4)", "(4,2):(1,4)"},
           {"size(make_layout(make_shape(Int<4>{}, 2), make_stride(_1{}, 4)));", "size (4,2):(1,4)"},
           {"size make_layout(make_shape(Int<4>{}, 2), LayoutRight{})", "size (4,2):(2,1)"},
           {"size(make_layout(make_shape(4,2), GenColMajor{}))", "size (4,2):(1,4)"},
           {"cute.size(cute.make_layout((4, 2), stride=(2, 1)))", "size (4,2):(2,1)"},
           {"size Layout(shape=(4, 2), stride=(2, 1))", "size (4,2):(2,1)"},
           {"get<0>((4,2):(1,4))", "get (4,2):(1,4) 0"},
           {"size(cute::get<1>((4,2):(1,4)))", "size 2:4"},
           {"group_modes<0,2>((4,2,3):(1,4,8))", "group (4,2,3):(1,4,8) 0 2"},
           {"make_identity_tensor((4,8))", "make_identity_layout (4,8)"},
           {"composition Sw<2,0,3> (8,8):(1,8)", "composition Sw<2,0,3> 0 (8,8):(1,8)"},
           {"size(composition(Sw<2,0,3>, 8:1))", "size Sw<2,0,3>o0o8:1"},
           {"apply Sw<3,4,3> o _0 o (_8,_64):(_64,_1) (1, 2)", "apply Sw<3,4,3>o0o(8,64):(64,1) (1,2)"},
           {"apply S<3,4,3> o 8:1 5", "apply Sw<3,4,3>o0o8:1 5"},
           {"apply SW_3_4_3 5", "apply Sw<3,4,3> 5"},
           {"(Swizzle(3, 4, 3)) o ((4, (2, 2)) : (1, (4, 8)))", "Sw<3,4,3>o0o(4,(2,2)):(1,(4,8))"},
           {"SW_3_4_3 o 0 o (8, 64):(64, 1)", "Sw<3,4,3>o0o(8,64):(64,1)"},
           {"apply Swizzle(3,4,3) 5", "apply Sw<3,4,3> 5"},
           {"apply ComposedLayout(Swizzle(2,0,3),0,Layout((8, 8),(8, 1))) 3", "apply Sw<2,0,3>o0o(8,8):(8,1) 3"},
           {"size Layout((4, 2),(1, 4))", "size (4,2):(1,4)"},
           {"size Layout<Shape<_4,Shape<_2,_2>>,Stride<_1,Stride<_4,Int<8>>>>{}", "size (4,(2,2)):(1,(4,8))"},
           {"size make_layout(make_shape(4,C<2>{}))", "size (4,2):(1,4)"},
           {"local_tile (4,4):(4,1) Tile<_2,_2>{} make_coord(1,1)", "local_tile (4,4):(4,1) <2,2> (1,1)"},
           {"slice (None, 2) gmem_ptr[16b](0x7f00) o (4,8):(8,1)", "slice (_,2) (4,8):(8,1)"},
           {"apply Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1) 3", "apply Sw<3,3,3>o0o(8,64):(64,1) 3"},
           {"Sw<3,4,3>_smem_ptr[16b](unset) o (_8,_8):(_8,_1)", "Sw<3,3,3>o0o(8,8):(8,1)"},
           {"apply Sw<2,4,-3>_smem_ptr[8b](0x180) o 8:1 3", "apply Sw<2,4,-3>o384o8:1 3"},
           {"apply Sw<2,4,3>_smem_ptr[8b](0x7e00) o 8:1 3", "apply Sw<2,4,3>o0o8:1 3"},
           {"(Sw<3,4,3>_smem_ptr[16b](0x400080) o 64:1)(8)", "apply Sw<3,3,3>o64o64:1 8"},
           {"make_layout(shape=(4,8), stride=(8,1))", "(4,8):(8,1)"},
           {"apply Sw<2,4,3> o smem_ptr[8b](unset) o 8:1 3", "apply Sw<2,4,3>o0o8:1 3"},
           {"size ArithTuple(0,_0) o (4,2):(_1@0,_1@1)", "size (0,0)o(4,2):(1@0,1@1)"},
           {"(4,8):(8,1)(2,3)", "apply (4,8):(8,1) (2,3)"},
           {"Layout((4,2),(1,4))((1,1))", "apply (4,2):(1,4) (1,1)"},
           {"((4,8):(8,1))(_,2)", "slice (_,2) (4,8):(8,1)"},
           {"(4,8):(8,1)(X,2)", "slice (X,2) (4,8):(8,1)"},
           {"Layout<Shape<_4,_2>>()(None, 1)(3)", "apply (4):(1) 3"},
           {"Swizzle<2,0,3>{}(9)", "apply Sw<2,0,3> 9"},
           {"(Sw<2,0,3> o 0 o (8,8):(8,1))(2,3)", "apply Sw<2,0,3>o0o(8,8):(8,1) (2,3)"},
           {"((4,8):(8,1) o 4:2)(1)", "apply (2,2):(16,1) 1"},
           {"(4,8):(8,1)(4:2(1))", "apply (4,8):(8,1) 2"},
           {"F2<4>(1,2)(3)", "f2_apply F2<4>(1,2) 3"},
           {"cute::complement(cute::Layout<cute::_4,cute::_2>{}, cute::Int<24>{})", "complement 4:2 24"},
           {"size\n  (4,2)\n:(1,4);\r\n", "size (4,2):(1,4)"},
           {"size 4:2;  # of a column", "size 4:2"},
           {"size<0>((4,8):(8,1))", "size 4:8"},
           {"size(product(4:1))", "size 4"},
           {"cute::get<1,0>((4,(2,3)):(1,(8,4)))", "get (2,3):(8,4) 0"},
           {"layout<1>((4,(2,3)):(1,(8,4)))", "get (4,(2,3)):(1,(8,4)) 1"},
           {"cute.size((4,(2,3)):(1,(8,4)), mode=[1, 0])", "size 2:8"},
           {"size<>(4:1)", "size 4:1"},
           {"product (4,8)", "size (4,8)"},
           {"shape((4,8):(8,1))", "(4,8)"},
           {"stride<1>((4,8):(8,1))", "1"},
           {"size(shape(Sw<2,0,3> o 0 o (8,8):(8,1)))", "size (8,8)"},
           {"pycute.Layout((4,8),(8,1))", "(4,8):(8,1)"},
           {"size make_layout((4,8):(8,1), 2:32)", "size ((4,8),2):((8,1),32)"},
           {"make_layout(2:32, 4:1, 3:4)", "(2,4,3):(32,1,4)"},
           {"make_layout(4:1)", "(4):(1)"},
           {"append<3>(4:1, 2:4)", "append 4:1 3 2:4"},
           {"make_tiled_mma(MMA_Atom<SM80_16x8x16_F32F16F16F32_TN>{}, Layout<Shape<_2,_2,_1>>{}, Tile<_32,_32,_16>{})",
            "tiled_mma SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) <32,32,16>"},
           {"make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2,_1>>{})",
            "tiled_mma SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) <_,_,_>"},
           {"tiled_mma UniversalFMA", "tiled_mma UniversalFMA (1,1,1):(0,0,0) <_,_,_>"},
           {"tiled_mma_thrfrg_A UniversalFMA 4:1 4:1", "tiled_mma_thrfrg_A UniversalFMA 4:1 <_,_,_> 4:1"},
           {"make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEALWAYS<cute::uint128_t>, half_t>{}, 8:1)",
            "tiled_copy SM80_CP_ASYNC_CACHEALWAYS<uint128_t> half_t 8:1 1:0"},
           {"Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}", "SM75_U32x4_LDSM_N"},
           {"SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}", "SM90_64x128x16_F32F16F16_SS"},
           {"mma_atom(SM100_MMA_F16BF16_SS< cute::half_t , half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>, ThrID)",
            "mma_atom SM100_MMA_F16BF16_SS<half_t,half_t,float,128,64> ThrID"},
           {"A<GMMA::Major::K, X, GMMA::Major::MN>", "A<X>"},
           {"UniversalFMA<float>()", "UniversalFMA<float>"},
           {"UniversalFMA<f32, half , int>", "UniversalFMA<float,half_t,int32_t>"},
           {"size(GMMA::Layout_K_SW128_Atom<half_t>{})", "size Sw<3,3,3>o0o(8,64):(64,1)"},
           {"size(UMMA::Layout_MN_SW32_Atom<float>{})", "size Sw<1,2,3>o0o(8,8):(1,8)"},
           {"size(GMMA::Layout_MN_INTER_Atom<int8_t>{})", "size (16,8):(1,16)"},
           {"zipped_divide((_4,_8):(_8,_1), (_2:_1,_2:_2))", "zipped_divide (4,8):(8,1) <2:1,2:2>"},
           {"zipped_divide([4,8]:[8,1], [2:1, _])", "zipped_divide (4,8):(8,1) <2:1,_>"},
           {"composition (4,8):(8,1) (2,(2:1,2:2))", "composition (4,8):(8,1) <2,<2:1,2:2>>"},
           {"idx2crd 3 {4, 8}", "idx2crd 3 (4,8)"},
           {"slice {2,_} ((4,8):(8,1))", "slice (2,_) (4,8):(8,1)"},
           {"mma_atom(SM80_16x8x16_F32F16F16F32_TN, CLayout)", "mma_atom SM80_16x8x16_F32F16F16F32_TN CLayout"},
           {"copy_atom SM90_TMA_LOAD,256b SrcLayout", "copy_atom SM90_TMA_LOAD,256b SrcLayout"},
           {"UniversalCopy<uint128_t>", "UniversalCopy<uint128_t>"},
           {"size<1>((4,8))", "size 8"},
           {"rank<1,0>((4,((8,2),3)))", "rank (8,2)"},
           {"size((4,8), mode=[1])", "size 8"},
           {"shape<1>((4,(8,2)))", "(8,2)"},
           {"get<0>(8)", "8"},
           {"size<0>(Sw<2,0,3> o 0 o (8,4):(4,1))", "size 8"},
           {"depth(Sw<2,0,3> o 0 o ((4,2),4):((8,4),1), mode=[0])", "depth (4,2)"},
           {"shape<1>(Sw<2,0,3> o 0 o (8,4):(4,1))", "4"},
           {"select((4,8,2):(1,4,32), mode=[0,2])", "select (4,8,2):(1,4,32) 0 2"},
           {"select (4,8,2):(1,4,32) (2,0)", "select (4,8,2):(1,4,32) 2 0"},
           {"crd2idx((1,2), (4,8):(8,1))", "apply (4,8):(8,1) (1,2)"},
           {"crd2idx(5, Sw<2,0,3> o 0 o (8,4):(4,1))", "apply Sw<2,0,3>o0o(8,4):(4,1) 5"},
           {"crd2idx((1,2), (4,8), (8,1))", "crd2idx (1,2) (4,8) (8,1)"},
           {"size (4,2):(1,4) // note", "size (4,2):(1,4)"},
           {"size(/* rows, columns */ (4, // rows\n 2):(1,4)); # all", "size (4,2):(1,4)"},
           {"make_layout(stride=(8,1), shape=(4,8))", "(4,8):(8,1)"},
           {"size Layout(_stride = (8,1), _shape = (4,8))", "size (4,8):(8,1)"},
           {"composition(rhs=2:1, lhs=coalesce((2,2):(1,2)))", "composition 4:1 2:1"},
           {"local_tile(coord=(1,1), input=(8,8):(8,1), tiler=(2,2))", "local_tile (8,8):(8,1) <2,2> (1,1)"},
           {"recast_layout(new_type_bits=32, old_type_bits=16, src_layout=8:1)", "recast_layout 8:1 16 32"},
           {"make_composed_layout(outer=8:1, inner=Swizzle(shift=3, base=0, bits=2), offset=0)", "Sw<2,0,3>o0o8:1"},
           {"append(8:1, elem=2:8)", "append 8:1 2:8"},
           {"tiled_mma()", "tiled_mma "},
           {"select<>((4,8):(1,4), [1,0])", "select (4,8):(1,4) 1 0"},
           {"append<3>(2:1, 2:2)", "append 2:1 3 2:2"},
           {"take<0,2>((4,8,2):(1,4,32))", "take (4,8,2):(1,4,32) 0 2"},
           {"logical_divide((8,4):(4,1), (2:1,))", "logical_divide (8,4):(4,1) <2:1>"},
           {"logical_divide((8,4):(4,1), [2:1 ])", "logical_divide (8,4):(4,1) <2:1>"},
           {"logical_divide((8,4):(4,1), make_tuple(2:1))", "logical_divide (8,4):(4,1) <2:1>"},
           {"logical_divide((8,4):(4,1), ((2:1)))", "logical_divide (8,4):(4,1) 2:1"},
           {"logical_divide((8,4):(4,1), (<2:1>, ))", "logical_divide (8,4):(4,1) <<2:1>>"},
           {"8:1 o ((4,8):(8,1)(_,0))", "composition 8:1 (4):(8)"},
           {"size 4:2 // 2 rows", "size 4:2"},
           {"recast_layout(32, 16, coalesce((4,2):(1,4)))", "recast_layout 8:1 16 32"},
           {"size((4, // 8\n 2):(1,4))", "size (4,2):(1,4)"},
           {"size 8:1 // , rows", "size 8:1"},
           {"size 4/**/:1", "size 4:1"},
           {"  make_shape(4,2):make_stride(1,4)", "(4,2):(1,4)"},
           {"[2:1,(4,)]", "<2:1,<4>>"},
           {"make_layout((4,2), GenRowMajor{})", "make_layout_right (4,2)"},
           {"crd2idx(1)", "crd2idx 1"},
           {"idx2crd(1)", "idx2crd 1"},
           {"size/*/ 2 */ 4/* rows */:1/*a*//*b*/", "size 4:1"},
           {"  size 4:1", "size 4:1"},
           {"  size(4,2):(1,4)", "size (4,2):(1,4)"},
           {"cute::size 4:1", "size 4:1"},
           {"mma_atom(ox, Z)", "mma_atom ox Z"},
           {"mma_atom(X~, A<GMMA::Major::K>)", "mma_atom X~ A"},
           {"A<B<X>, GMMA::Major::K>", "A<B<X>>"},
           {"F2<4> (1,2)", "F2<4>(1,2)"},
           {"foo(x=8:1)", "foo 8:1"},
           {"gmem_ptr[16b](0x0)o 8:1", "8:1"},
           {"composition(Sw<3,4,3>_smem_ptr[16b](unset) o 8:1, Sw<2,0,3> o 8:1)",
            "composition Sw<3,3,3>o0o8:1 Sw<2,0,3>o0o8:1"},
           {"(1,shape(4:2))", "(1,4)"},
           {"shape((4,8,16,32):(1,4,32,512))", "(4,8,16,32)"},
           {"shape<1>((4,8):(8,1))", "8"},
           {"replace<0>((4,8):(1,4), 2:1)", "replace (4,8):(1,4) 0 2:1"},
           {"take<0,2>( )", "take 0 2"},
           {"size<0>( )", "size 0"},
           {"size<0>(4:1, 8:1)", "size 4:1 0 8:1"},
           {"size((4,8):(1,4), 1)", "size 8:4"},
           {"size(4:1, 0, 2)", "size 4:1 0 2"},
           {"make_tiled_copy(X, half_t)", "tiled_copy X half_t"},
           {"zipped_divide()", "zipped_divide "},
           {"zipped_divide(8:1)", "zipped_divide 8:1"},
           {"shape()", "shape "},
           {"select()", "select "},
       }) {
    rewritten const r = in_grammar(written, ref::respond);
    EXPECT_EQ(r.text, read) << written;
    EXPECT_EQ(r.columns.size(), r.text.size()) << written;
  }
}

// Of each character of the text that which it came from, so that what is wrong stands at its place.
TEST(spelling, knows_where_each_character_is_from) {
  for (auto const& [written, read, from] : std::initializer_list<std::tuple<std::string, char const*, char const*>>{
           {"(4,2) : [1,{4}]", "(4,2):(1,(4))", "(4,2):[1,{4}]"},
           {"Sw<2,0,3> o 5 o (8,8):(8,1)", "Sw<2,0,3>o5o(8,8):(8,1)", "SSS2,0,3>o5o(8,8):(8,1)"},
           {"Sw<2,0,3> o (8,8):(8,1)", "Sw<2,0,3>o0o(8,8):(8,1)", "SSS2,0,3>o(((8,8):(8,1)"},
           {"Swizzle(2,0,3)", "Sw<2,0,3>", "SSS2,0,3)"},
           {"8:1 o 4:2", "composition 8:1 4:2", "8888888888888:1o4:2"},
           {"(4,8):(8,1)(2,3)", "apply (4,8):(8,1) (2,3)", "(((((((4,8):(8,1)((2,3)"},
           {"(4,8):(8,1)(_,2)", "slice (_,2) (4,8):(8,1)", "(((((((_,2)((4,8):(8,1)"},
           {"make_layout(stride=(8,1),shape=(4,6))", "(4,6):(8,1)", "(4,6)((8,1)"},
           {"zipped_divide(8:1,make_tile(4,[2:1]))", "zipped_divide 8:1 <4,<2:1>>", "zzzzzzzzzzzzzz8:1,m4,[2:1])"},
           {"select((4,8,2):(1,4,9),mode=[0,2])", "select (4,8,2):(1,4,9) 0 2", "sssssss(4,8,2):(1,4,9)=0,2"},
           {"take<0,2>((4,8,2):(1,4,9))", "take (4,8,2):(1,4,9) 0 2", "ttttt(4,8,2):(1,4,9)<0,2"},
           {"append(8:1,elem=2:9,up_to_rank=3)", "append 8:1 3 2:9", "aaaaaaa8:13322:9"},
           {"crd2idx((1,2),(4,8):(9,3))", "apply (4,8):(9,3) (1,2)", "cccccc(4,8):(9,3)((1,2)"},
           {"make_tiled_mma(X,4:1,None)", "tiled_mma X 4:1 <_,_,_>", "mmmmmmmmmmX,4:1mmmmmmmm"},
           {"make_tiled_mma(X)", "tiled_mma X (1,1,1):(0,0,0) <_,_,_>", "mmmmmmmmmmXmmmmmmmmmmmmmmmmmmmmmmmm"},
           {"Copy_Atom<X,half_t>::SrcLayout", "copy_atom X SrcLayout", "CCCCCCCCCCXSSrcLayout"},
           {"copy_atom(Copy_Atom<X,half_t>,F)", "copy_atom X F", "ccccccccccX,F"},
           {"8:2*E<1,0>{}", "8:2@0@1", "8:22222"},
           {"size<1>((4,6))", "size 6", "(((((("},
           {"make_layout(4:1,3:9)", "(4,3):(1,9)", "mmmmmmmmmmm"},
           {"composition(Sw<2,0,3>,8:1)", "composition Sw<2,0,3> 0 8:1", "ccccccccccccSSS2,0,3>,888:1"},
           {"apply(Sw<2,4,3>_smem_ptr[8b](0x81) o 8:1,3)", "apply Sw<2,4,3>o129o8:1 3", "aaaaaaSSSSSSSSS_88888:1,3"},
           {"F2<4>(1,2)(3)", "f2_apply F2<4>(1,2) 3", "(((((((((F2<4>(1,2)(3"},
           {"slice_(8:1,_)", "slice _ 8:1", "ssssss_88:1"},
           {"size cute::_4:1", "size 4:1", "ssssc4:1"}}) {
    rewritten const r = in_grammar(written, ref::respond);
    std::string places;
    for (std::size_t const column : r.columns) places += written[column];
    EXPECT_EQ(r.text, read) << written;
    EXPECT_EQ(places, from) << written;
  }
}

TEST(spelling, tells_what_was_answered_within) {
  using steps = std::vector<std::string>;
  for (auto const& [written, within] : std::initializer_list<std::pair<std::string, steps>>{
           {"size 4:1", {}},
           {"coalesce((2,2):(1,2)) o 2:1", {"coalesce (2,2):(1,2) = 4:1"}},
           {"size<1,0>((4,(8,2)))", {"get (4,(8,2)) 1 = (8,2)", "get (8,2) 0 = 8"}},
           {"size<1>((4,(8,2)):(1,(4,32)))", {"get (4,(8,2)):(1,(4,32)) 1 = (8,2):(4,32)"}},
           {"depth<0>(Sw<2,0,3> o 0 o (8,4):(4,1))", {"shape Sw<2,0,3>o0o(8,4):(4,1) = (8,4)", "get (8,4) 0 = 8"}},
           {"shape((4,8):(8,1))", {"shape (4,8):(8,1) = (4,8)"}},
           {"stride<1>((4,8):(8,1))", {"get (4,8):(8,1) 1 = 8:1", "stride 8:1 = 1"}},
           {"size((4,8):(1,4), mode=[1])", {"get (4,8):(1,4) 1 = 8:4"}},
           {"size((4,8), mode=1)", {"get (4,8) 1 = 8"}},
           {"select((4,8,2), [2,0])", {"select (4,8,2) 2 0 = (2,4)"}},
           {"make_tiled_mma(X, (2,2,1))", {"make_layout_left (2,2,1) = (2,2,1):(1,2,0)"}}})
    EXPECT_EQ(in_grammar(written, ref::respond).steps, within) << written;
  try {
    in_grammar("size(complement((2,2):(1,1)) o coalesce(4:1))", ref::respond);
    ADD_FAILURE() << "the modes overlap";
  } catch (unanswered const& e) {
    EXPECT_EQ(e.steps, steps{"complement (2,2):(1,1) = undefined the modes overlap"});
  }
}

// What a pointer says, as long as it is so.
TEST(spelling, knows_the_width_of_elements) {
  for (auto const& [written, bits] :
       std::initializer_list<std::pair<std::string, int>>{{"8:1", 0},
                                                          {"gmem_ptr[4b](0x0) o 8:1", 4},
                                                          {"coalesce(Sw<3,4,3>_smem_ptr[16b](unset) o 8:1)", 16},
                                                          {"x_ptr[100000b](0x0) o 8:1", 100000},
                                                          {"x_ptr[1000000b](0x0) o 8:1", 0},
                                                          {"x_ptr[16](0x0) o 8:1", 0},
                                                          {"x_ptr[b](0x0) o 8:1", 0},
                                                          {"GMMA::Layout_K_SW128_Atom<half_t>{}", 16},
                                                          {"recast_layout(gmem_ptr[16b](0x0) o 8:1, 16b, 32b)", 0},
                                                          {"upcast<2>(gmem_ptr[16b](0x0) o 8:1)", 0},
                                                          {"downcast(gmem_ptr[16b](0x0) o 8:1, 2)", 0},
                                                          {"take<0,1>(gmem_ptr[16b](0x0) o 8:1)", 16}})
    EXPECT_EQ(in_grammar(written, ref::respond).element_bits, bits) << written;
}

TEST(spelling, of_integer_types_is_read) {
  for (auto const& [name, type] : std::initializer_list<std::pair<char const*, std::string>>{{"int4_t", "int4_t"},
                                                                                             {"s4", "int4_t"},
                                                                                             {"int2_t", "int2_t"},
                                                                                             {"i1", "uint1_t"},
                                                                                             {"u4", "uint4_t"},
                                                                                             {"u6", "uint6_t"},
                                                                                             {"Int6", "int6_t"},
                                                                                             {"int8", "int8_t"},
                                                                                             {"uint8", "uint8_t"},
                                                                                             {"int4b_t", "int4_t"},
                                                                                             {"int64", "int64_t"},
                                                                                             {"int128_t", "uint128_t"},
                                                                                             {"b256", "uint256_t"},
                                                                                             {"16b", "uint16_t"},
                                                                                             {"cute::half_t", "half_t"},
                                                                                             {"cutlass.Float16", "half_t"},
                                                                                             {"int4", ""},
                                                                                             {"uint2", ""},
                                                                                             {"b512", ""},
                                                                                             {"u12", ""},
                                                                                             {"u0", ""},
                                                                                             {"0b", ""},
                                                                                             {"255b", ""},
                                                                                             {"x8", ""},
                                                                                             {"int8x", ""},
                                                                                             {"int", "int32_t"}}) {
    auto const read = type_called(name);
    EXPECT_EQ(read ? read->name : "", type) << name;
  }
}

TEST(spelling, is_as_long_as_a_line) {
  std::string const line = "size 4:1" + std::string(max_line - 8, ' ');
  EXPECT_EQ(in_grammar(line, ref::respond).text, "size 4:1");
  try {
    in_grammar(line + ' ', ref::respond);
    ADD_FAILURE() << "longer than a line";
  } catch (malformed const& e) {
    EXPECT_EQ(e.column, max_line);
  }
}

TEST(spelling, says_what_is_wrong) {
  for (auto const& [line, column, why] : std::initializer_list<std::tuple<std::string, std::size_t, std::string>>{
           {"(?,4):(4,1)", 1, "what is known only at run time has no value here: write a number"},
           {"size o", 5, "'o' belongs between two values"},
           {"size o 4:1", 5, "'o' belongs between two values"},
           {"F2<4", 2, "'<' is never closed"},
           {"F2<4>3", 5, "the bases of a linear map"},
           {"F2<4>", 5, "the bases of a linear map"},
           {"foo(a=8:1, b=2:1)", 4, "the keywords of foo are not known here"},
           {"make_layout(strides=4)", 12, "make_layout has no argument strides, but shape, stride"},
           {"coalesce(8:1, x=1)", 14, "coalesce has no argument x, but input, target_profile"},
           {"stride(4)", 7, "a layout belongs here"},
           {"4:2()", 3, "a coordinate belongs in these brackets"},
           {"(4,8)(2)", 5, "unexpected '(' after a value"},
           {"4:2 (3)", 4, "a coordinate stands right behind what it is of"},
           {"4:2 3", 4, "unexpected '3' after a value"},
           {"size 4:2)", 8, "unexpected ')' after a value"},
           {"size(4:2", 4, "'(' is never closed"},
           {"size(4:2]", 8, "expected ',' or ')', found ']'"},
           {"(4,\x7f)", 3, "expected a value, found a character that is not printable"},
           {"(4,\x01)", 3, "expected a value, found a character that is not printable"},
           {"(4,\xc3)", 3, "expected a value, found a character beyond ASCII"},
           {"(4,!)", 3, "expected a value, found '!'"},
           {"(4,~)", 3, "expected a value, found '~'"},
           {"(4,-)", 4, "expected a value, found ')'"},
           {"(4,_-", 5, "expected a value, found the end"},
           {"X\x7f", 1, "unexpected character that is not printable"},
           {"X\x1f", 1, "unexpected character that is not printable"},
           {"mma_atom(A;,X)", 10, "unexpected ';'"},
           {"4:1(A*=2)", 6, "unexpected '='"},
           {"Sw<2,0,3>_4", 9, "unexpected '_' after a value"},
           {"Sw<2,0,3>_", 9, "unexpected '_' after a value"},
           {"A<GMMA::Major::K>B", 17, "unexpected 'B' after a value"},
           {"8:1 ox", 4, "unexpected 'o' after a value"},
           {"size(4:2)(3)", 9, "unexpected '(' after a value"},
           {"get<1>(8)", 4, "8 has no mode 1"},
           {"ComposedLayout(Sw<1,0,1>, 0)", 0, "a swizzle, an offset and a layout make a composed layout"},
           {"ComposedLayout(Sw<1,0,1>, 0, 8:1, 4)", 0, "a swizzle, an offset and a layout make a composed layout"},
           {"MMA_Atom<>{}", 0, "an atom belongs in these brackets"},
           {"make_layout()", 12, "a shape belongs here"},
           {"make_layout(X)", 12, "a shape belongs here"},
           {"(8:1,4", 0, "'(' is never closed"},
           {"", 0, "a value belongs here"}})
    try {
      ADD_FAILURE() << line << " is read as " << in_grammar(line, ref::respond).text;
    } catch (malformed const& e) {
      EXPECT_EQ(e.column, column) << line << ": " << e.what();
      EXPECT_NE(std::string_view(e.what()).find(why), std::string_view::npos) << line << ": " << e.what();
    }
}

TEST(spelling, of_many_arguments_that_say_nothing_is_read) {
  std::string line = "A<";
  for (int k = 0; k < 69'000; ++k) line += "GMMA::Major::K,";
  EXPECT_EQ(in_grammar(line + "X>", ref::respond).text, "A<X>");
}

TEST(spelling, of_the_grammar_stays) {
  for (located_case const& c : stated_cases()) {
    std::string const text = print(c.what.asked);
    EXPECT_EQ(parse_request(in_grammar(text, ref::respond).text), c.what.asked) << c.place();
  }
}

TEST(spelling, what_is_none_is_refused_at_its_place) {
  for (auto const& [line, column] :
       std::initializer_list<std::pair<std::string, std::size_t>>{{"size (4, 2):(1, 4, 8)", 12},
                                                                  {"size (4, 2", 5},
                                                                  {"size coalesce((4,2):(1))", 20},
                                                                  {"coalesce(composition(4:1, foo(2:1)))", 26},
                                                                  {"Sw<2,0,3> o 0", 13},
                                                                  {"size 4:1 o", 10},
                                                                  {"x[1]", 1},
                                                                  {"size Layout(", 11},
                                                                  {"size [4,2", 5},
                                                                  {"(4,8):(8,1) o 4:2(1)", 14},
                                                                  {"Sw<1,0,1> o 0 o 4:2(1)", 16},
                                                                  {"(8,64):(64,1) o 3 o 2:1", 17},
                                                                  {"make_layout(stride=(8,1))", 12},
                                                                  {"make_layout((4,8), shape=(8,1))", 19},
                                                                  {"make_layout((4,8), strides=(8,1))", 19},
                                                                  {"local_tile(8:1, 2, proj=1)", 19},
                                                                  {"composition(rhs=(2,x):1, lhs=8:2)", 19},
                                                                  {"size(make_layout(make_shape(n=4, m=8)))", 28},
                                                                  {"(4,8):(8,1)(n=1, m=2)", 12},
                                                                  {"size<2>((4,8))", 5},
                                                                  {"size<1b>((4,8))", 5},
                                                                  {"cosize<0>((4,8))", 10},
                                                                  {"stride<0>(Sw<2,0,3> o 0 o (8,4):(4,1))", 10},
                                                                  {"select((4,8):(1,4), [0,[1]])", 20},
                                                                  {"crd2idx((1,2), (4,8):(8))", 21},
                                                                  {"size 4:1 /* note", 9},
                                                                  {"size 8//2", 6},
                                                                  {"make_layout((8 // 2, 4))", 15},
                                                                  {"make_layout(\n(4,\nsize(8:1) // 2\n))", 27},
                                                                  {"size((Int<4,5>,2))", 6},
                                                                  {"size(Int<>)", 5},
                                                                  {"size C<4:2>", 5},
                                                                  {"shape((4,8):3)", 12},
                                                                  {"stride((4,8):(8,1,2))", 13},
                                                                  {"Sw<2,0,3> o 0 o (8,8):(8,1)(2,_)", 16},
                                                                  {"8:1 o (4,8):(8,1)(_,2)", 6},
                                                                  {"mma_atom(A;,)", 10},
                                                                  {"size Sw<2,4,3>_smem_ptr[0b](0x0) o 8:1", 24},
                                                                  {"4:2()", 3},
                                                                  {"(4,8)(2)", 5},
                                                                  {"size(4:2)(3)", 9},
                                                                  {"size Layout()", 12},
                                                                  {"GMMA::Layout_K_SW128_Atom<quad>{}", 26},
                                                                  {"A<1 2>", 4},
                                                                  {"size ComposedLayout(X, 0, 4:1)", 5},
                                                                  {"size(cute::", 11},
                                                                  {"make_layout(4:1, 3)", 17},
                                                                  {"stride(5 o 4:1)", 7},
                                                                  {"size(4,2)", 0},
                                                                  {"size {4,2)", 9},
                                                                  {"size " + std::string(50'000, '('), 5 + max_depth + 1},
                                                                  {"size(4@)", 7},
                                                                  {"size 4:1\v", 8}})
    try {
      rewritten const r = in_grammar(line, ref::respond);
      try {
        ref::respond(parse_request(r.text));
        ADD_FAILURE() << line;
      } catch (malformed const& e) {
        EXPECT_EQ(r.at_line(e).column, column) << line;
      }
    } catch (malformed const& e) {
      EXPECT_EQ(e.column, column) << line << e.what();
    }
  for (char const* const line : {"size(complement((2,2):(1,1)))", "Sw<1,0,-1>_smem_ptr[16b](unset) o 8:1"})
    EXPECT_THROW(in_grammar(line, ref::respond), unanswered) << line;
}

}  // namespace
}  // namespace colex
