// What authors of programs have in hand is read as CuTe, its DSL and pycute mean it; where they mean different things, or none,
// it is refused with what to write instead. SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/forms.hpp"
#include "spec/notation/spellings.hpp"
#include "tests/unit/harness.hpp"

#include <ctime>

namespace colex {
namespace {

using namespace harness;

// What is written, and the same in the grammar.
TEST(spelled_programs, are_read) {
  std::string const mma = "SM80_16x8x16_F32F16F16F32_TN", tiled = "tiled_mma " + mma + " ";
  for (auto const& [written, read] : std::initializer_list<std::pair<std::string, std::string>>{
           // A basis: CuTe's E<1,0> is the mode 0 of the mode 1, and so is the DSL's E([1,0]).
           {"make_layout(make_shape(4,8), make_stride(E<0>{},E<1>{}))", "(4,8):(1@0,1@1)"},
           {"(4,(2,8)):(E<0>{},(cute::E<1,0>{},E<1,1>()))", "(4,(2,8)):(1@0,(1@0@1,1@1@1))"},
           {"Layout<Shape<_4,_8>,Stride<E<0>,E<10>>>{}", "(4,8):(1@0,1@10)"},
           {"cute.make_layout((4,8), stride=(cute.E(0),cute.E([1,0])))", "(4,8):(1@0,1@0@1)"},
           {"(8,8,8):(E<>{},E([]),E((1,0)))", "(8,8,8):(1,1,1@0@1)"},
           {"(8,8,8):(2*E(0), E<1>{} * Int<3>{},_2{} * E<2>{} * 5)", "(8,8,8):(2@0,3@1,10@2)"},
           {"8:-2 * E(0)", "8:-2@0"},
           {"8:2 * 3@1", "8:6@1"},
           {"(8,8):(ScaledBasis<_2,1,0>{},cute.ScaledBasis(2,[1,0]))", "(8,8):(2@0@1,2@0@1)"},
           {"8:ScaledBasis(3,1)", "8:3@1"},
           {"(8,8):(E(mode=[1,0]),ScaledBasis(mode=1, value=3))", "(8,8):(1@0@1,3@1)"},
           // Makers' defaults.
           {"make_tiled_mma(" + mma + "{}, (2,2,1))", tiled + "(2,2,1):(1,2,0) <_,_,_>"},
           {"make_tiled_mma(MMA_Atom<" + mma + ">{})", tiled + "(1,1,1):(0,0,0) <_,_,_>"},
           {"make_tiled_mma(" + mma + ", (2,2,1), (32,32,16))", tiled + "(2,2,1):(1,2,0) (32,32,16)"},
           {"cute.make_tiled_mma(" + mma + ", (1,2,2), permutation_mnk=None)", tiled + "(1,2,2):(0,1,2) <_,_,_>"},
           {"make_tiled_mma(" + mma + ", (1,2,2), None)", tiled + "(1,2,2):(0,1,2) <_,_,_>"},
           {"make_tiled_mma(permutation_mnk=None, atom_layout_mnk=((2,2),1,1), op_or_atom=" + mma + ")",
            tiled + "((2,2),1,1):((1,2),0,0) <_,_,_>"},
           {"TiledMMA<MMA_Atom<" + mma + ">, Layout<Shape<_2,_2,_1>>>{}", tiled + "(2,2,1):(1,2,0) <_,_,_>"},
           {"cute::TiledMMA<MMA_Atom<" + mma + ">>", tiled + "(1,1,1):(0,0,0) <_,_,_>"},
           {"TiledMMA<MMA_Atom<" + mma + ">, Layout<Shape<_1,_2>,Stride<_0,_1>>, Tile<_32,_32,_16>>",
            tiled + "(1,2):(0,1) <32,32,16>"},
           {"tiled_mma_thrfrg_C " + mma + " (2,2,1) _ (64,64):(64,1)",
            "tiled_mma_thrfrg_C " + mma + " (2,2,1):(1,2,0) <_,_,_> (64,64):(64,1)"},
           {"make_layout((4,8), LayoutRight())", "make_layout_right (4,8)"},
           {"cute.make_layout((4,8), stride=cute.LayoutLeft())", "make_layout_left (4,8)"},
           {"tile_to_shape((2,2):(1,2), (4,4), LayoutRight())", "tile_to_shape (2,2):(1,2) (4,4) LayoutRight"},
           {"make_layout((4,8), stride=None)", "make_layout_left (4,8)"},
           {"make_layout(stride=None, shape=(4,8))", "make_layout_left (4,8)"},
           {"pycute.Layout((4,8), None)", "make_layout_left (4,8)"},
           {"idx2crd(5, (4,8), stride=None)", "idx2crd 5 (4,8)"},
           {"cute.local_tile((4,4):(4,1), (2,2), (1,None), proj=None)", "local_tile (4,4):(4,1) <2,2> (1,_)"},
           {"coalesce(8:1, target_profile=None)", "coalesce 8:1"},
           // Fields of atoms.
           {"MMA_Traits<" + mma + ">::ALayout", "mma_atom " + mma + " ALayout"},
           {"cute::MMA_Traits<" + mma + ">::CLayout{}", "mma_atom " + mma + " CLayout"},
           {"size(Copy_Atom<SM75_U32x4_LDSM_N,half_t>::SrcLayout{})", "size (32,128):(128,1)"},
           {"size(MMA_Atom<MMA_Traits<" + mma + ">>::BLayout{})", "size ((4,8),(2,2)):((16,1),(8,64))"},
           {"make_layout(MMA_Traits<" + mma + ">::Shape_MNK{})", "make_layout_left (16,8,16)"},
           {"Copy_Traits<SM75_U32x4_LDSM_N>::SrcLayout", "copy_atom SM75_U32x4_LDSM_N SrcLayout"},
           {"Copy_Atom<SM75_U32x4_LDSM_N, half_t>::DstLayout", "copy_atom SM75_U32x4_LDSM_N DstLayout"},
           {"MMA_Atom<" + mma + ">::LayoutC_TV{}", "mma_atom " + mma + " CLayout"},
           {"Copy_Atom<SM75_U32x4_LDSM_N, half_t>::BitLayoutSrc", "copy_atom SM75_U32x4_LDSM_N SrcLayout"},
           {"Copy_Atom<SM75_U32x4_LDSM_N, half_t>::ValLayoutSrc", "recast_layout (32,128):(128,1) 1b 16b"},
           {"copy_atom(Copy_Atom<SM75_U32x4_LDSM_N, half_t>, SrcLayout)", "copy_atom SM75_U32x4_LDSM_N SrcLayout"},
           {"copy_atom(Copy_Atom<SM75_U32x4_LDSM_N>, SrcLayout)", "copy_atom SM75_U32x4_LDSM_N SrcLayout"},
           // Functions of tuples, and the orders of CuTe's DSL.
           {"slice_((1,_), (4,8):(8,1))", "slice (1,_) (4,8):(8,1)"},
           {"cute.slice_((4,8):(8,1), (1,None))", "slice (1,_) (4,8):(8,1)"},
           {"slice_(coord=(1,None), src=(4,8):(8,1))", "slice (1,_) (4,8):(8,1)"},
           {"slice_((None,0), (4,8))", "(4)"},
           {"slice_((4,(8,2)), (None,(None,0)))", "(4,8)"},
           {"slice((X,1), (4,8))", "(4)"},
           {"slice_((4,8), (X,1))", "(4)"},
           {"slice((0,1), (4,8))", "()"},
           {"cute.dice((4,8):(8,1), (1,None))", "dice (1,_) (4,8):(8,1)"},
           {"select((4,8,2), [0,2])", "(4,2)"},
           {"select<2,0>(make_shape(_4{},8,2))", "(2,4)"},
           {"cute.select((4,(8,2)), mode=[1])", "((8,2))"},
           {"flatten(((4,8),2))", "(4,8,2)"},
           {"size(flatten(5))", "size 5"},
           {"append(8:1, elem=2:8, up_to_rank=3)", "append 8:1 3 2:8"},
           {"cute.prepend(8:1, 2:8, 3)", "prepend 8:1 3 2:8"},
           {"append(up_to_rank=3, elem=2:8, input=8:1)", "append 8:1 3 2:8"},
           {"append(8:1, 2:8, up_to_rank=None)", "append 8:1 2:8"},
           {"complement(8:1, None)", "complement 8:1 _"},
           {"append(8:1, 3, 2:8)", "append 8:1 3 2:8"},
           {"append(8:1, 3)", "append 8:1 3"},
           {"shape(4:1, 8:1)", "shape 4:1 8:1"},
           {"flatten(4, 5)", "flatten 4 5"},
           {"slice((0,_), (4,8), 1)", "slice (0,_) (4,8) 1"},
           {"slice(0, (4,8))", "slice 0 (4,8)"},
           {"slice((0,_))", "slice (0,_)"},
           {"zipped_divide(8:1, shape((4):(1)))", "zipped_divide 8:1 <4>"},
           {"select(4, [0])", "select 4 0"},
           {"product(4:1, 8:1)", "product 4:1 8:1"},
           {"idx2crd(1, (4,8), (8,1))", "idx2crd 1 (4,8) (8,1)"},
           {"recast_layout(8:1, 16b, 32b)", "recast_layout 8:1 16b 32b"},
           {"append(8:1, 2:8, 3:9)", "append 8:1 2:8 3:9"},
           {"tiled_copy X half_t 8:1 4:1 2:1", "tiled_copy X half_t 8:1 4:1 2:1"},
           {"append((4,8), 2)", "(4,8,2)"},
           {"append<4>((4,8), (2,3))", "(4,8,(2,3),(2,3))"},
           {"append((4,8), 2, up_to_rank=3)", "(4,8,2)"},
           {"append(4, 2)", "(4,2)"},
           {"prepend<2>((4,8), 2)", "(4,8)"},
           {"prepend((4,8), 2)", "(2,4,8)"},
           {"take<0,1>((4,8,2))", "(4)"},
           {"cute.take((4,8,2), begin=1, end=3)", "(8,2)"},
           {"group_modes<1,3>((4,8,2,3))", "(4,(8,2),3)"},
           {"replace<1>((4,8), (2,3))", "(4,(2,3))"},
           {"dice((1,_), (4,8))", "(4)"},
           {"cute.dice((4,(8,2)), (None,(3,1)))", "(8,2)"},
           {"dice(Step<_1, X>{}, make_shape(4,8))", "(4)"},
           {"shape((4,(8,2)))", "(4,(8,2))"},
           {"size(shape(4))", "size 4"},
           {"select((4,8), mode=[])", "()"},
           {"select((4,8):(8,1), [], [1], [])", "select (4,8):(8,1) 1"},
           // Orders of modes where strides belong, and arguments in the DSL's order.
           {"crd2idx((1,2), (4,8), LayoutRight())", "crd2idx (1,2) (4,8) (8,1)"},
           {"crd2idx((1,2), make_shape(4,8), GenColMajor{})", "crd2idx (1,2) (4,8) (1,4)"},
           {"idx2crd(5, (4,(2,4)), LayoutRight{})", "idx2crd 5 (4,(2,4)) (8,(4,1))"},
           {"crd2idx(1, 4, X)", "crd2idx 1 4 X"},
           {"recast_layout(32, old_type_bits=16, src_layout=8:1)", "recast_layout 8:1 16 32"},
           {"recast_layout(32, 16, src_layout=8:1)", "recast_layout 8:1 16 32"},
           // Swizzles whose shift is as wide as their bits, as C++ has it.
           {"Swizzle<3,4>{}", "Sw<3,4,3>"},
           {"size(composition(cute::Swizzle<_2, 0>{}, 8:1))", "size Sw<2,0,2>o0o8:1"},
           // Values of templates.
           {"cosize_v<Layout<Shape<_4,_2>,Stride<_1,_8>>>", "cosize (4,2):(1,8)"},
           {"size(Shape<Int<rank_v<Layout<_4>>>, _3>{})", "size (1,3)"},
           // Tilers.
           {"zipped_divide(8:1, make_tile(4))", "zipped_divide 8:1 <4>"},
           {"zipped_divide(8:1, Shape<_4>{})", "zipped_divide 8:1 <4>"},
           {"zipped_divide(8:1, (4,))", "zipped_divide 8:1 <4>"},
           {"zipped_divide(8:1, 4)", "zipped_divide 8:1 4"},
           {"zipped_divide 8:1 (4)", "zipped_divide 8:1 <4>"},
           {"local_tile((4,8):(8,1), [2,(4,)], (0,0))", "local_tile (4,8):(8,1) <2,<4>> (0,0)"},
           {"zipped_divide((4,8):(8,1), [2:1,(4,)])", "zipped_divide (4,8):(8,1) <2:1,<4>>"},
           {"(4,8):(8,1) o [4]", "composition (4,8):(8,1) <4>"},
           {"complement 4:2 (24)", "complement 4:2 (24)"},
           {"flatten (4)", "(4)"},
           {"coalesce(8:1, (1,))", "coalesce 8:1 (1)"},
           {"make_layout((4,), stride=(1,))", "(4):(1)"},
           {"make_layout((4):(1), 2:4)", "((4),2):((1),4)"},
           // Addresses.
           {"apply Sw<3,4,3>_smem_ptr[16b](0x82) o 64:1 8", "apply Sw<3,3,3>o65o64:1 8"},
           {"apply Sw<3,4,3>_smem_ptr[4b](0x81) o 64:1 8", "apply Sw<3,5,3>o258o64:1 8"},
           {"apply Sw<3,4,3>_smem_ptr[16b]((nil)) o 64:1 8", "apply Sw<3,3,3>o0o64:1 8"},
           {"gmem_ptr[16b](0x82) o 64:1", "64:1"},
           {"(0,100):(0,10@100)", "(0,100):(0,10@100)"},
       }) {
    rewritten const r = in_grammar(written, ref::respond);
    EXPECT_EQ(r.text, read) << written;
    EXPECT_EQ(r.columns.size(), r.text.size()) << written;
    EXPECT_EQ(in_grammar(r.text, ref::respond).text.substr(0, 20), read.substr(0, 20)) << "is the same when it is read again";
  }
}

// Where it stands, and what is said of it.
TEST(spelled_programs, are_refused_with_what_to_write) {
  std::string const mma = "SM80_16x8x16_F32F16F16F32_TN", octal = "octal in C++, and none in Python: write it in decimal",
                    apart = "a bracket belongs right behind the name of what is called, without a blank";
  for (auto const& [line, column, why] : std::initializer_list<std::tuple<std::string, std::size_t, std::string>>{
           {"8:E()", 2, "E<1,0> or E([1,0])"},
           {"8:E(1,0)", 2, "E<1,0> or E([1,0])"},
           {"8:E<-1>", 2, "E<1,0> or E([1,0])"},
           {"8:E([1,(0)])", 7, "(0) is 0 in C++ and Python"},
           {"8:E([1,[0]])", 2, "E<1,0> or E([1,0])"},
           {"8:E(axis=1)", 4, "E has no argument axis, but mode"},
           {"8:ScaledBasis(mode=1)", 14, "value belongs before mode"},
           {"8:E(8:1)", 2, "E<1,0> or E([1,0])"},
           {"8:ScaledBasis(E(0),1)", 2, "ScaledBasis<_2,1,0> or ScaledBasis(2,[1,0])"},
           {"8:ScaledBasis(8:1,0)", 2, "ScaledBasis<_2,1,0> or ScaledBasis(2,[1,0])"},
           {"8:ScaledBasis(2,1,0)", 2, "ScaledBasis<_2,1,0> or ScaledBasis(2,[1,0])"},
           {"8:ScaledBasis<>", 2, "ScaledBasis<_2,1,0> or ScaledBasis(2,[1,0])"},
           {"8:E(0)*E(1)", 6, "a product: write the number that it gives"},
           {"make_layout(128 * 64)", 16, "a product: write the number that it gives"},
           {"8:16b*2", 5, "a product: write the number that it gives"},
           {"make_tiled_mma(" + mma + ", (2,2))", 45, "over (M,N,K) belongs here: three extents, or a layout"},
           {"make_tiled_mma(" + mma + ", (2,2,1,1))", 45, "over (M,N,K) belongs here: three extents, or a layout"},
           {"make_tiled_mma(" + mma + ", 4)", 45, "over (M,N,K) belongs here: three extents, or a layout"},
           {"make_tiled_mma(" + mma + ", ((2),2,1))", 46, "(2) is 2 in C++ and Python"},
           {"make_layout(4,8,2)", 16, "layouts belong together here, or a shape and its stride"},
           {"make_layout(4,None,None)", 19, "layouts belong together here, or a shape and its stride"},
           {"make_layout(4,2:1)", 14, "layouts belong together here, or a shape and its stride"},
           {"make_layout(4:1,2)", 16, "layouts belong together here, or a shape and its stride"},
           {"make_layout(stride=None)", 12, "shape belongs before stride"},
           {"MMA_Traits<" + mma + ">::", 42, "a field of the atom belongs here"},
           {"slice_((None,0), (None,8))", 17, "one of these two is the coordinate, the one with modes left open"},
           {"slice_((0,_,1), (4,8))", 7, "no coordinate of (4,8)"},
           {"slice((_,(0,_)), (4,8))", 6, "no coordinate of (4,8)"},
           {"select((4,8,2), mode=[3])", 7, "(4,8,2) has no mode 3"},
           {"select((4,8), mode=[0,-1])", 7, "(4,8) has no mode -1"},
           {"select((4,8), mode=[E(0)])", 7, "(4,8) has no mode 1@0"},
           {"select((4,8), mode=[7])", 7, "(4,8) has no mode 7"},
           {"slice((0,_), (4,8,2))", 6, "no coordinate of (4,8,2)"},
           {"append(8:1, elem=2)", 17, "a layout belongs here"},
           {"append(8:1, up_to_rank=3)", 12, "elem belongs before up_to_rank"},
           {"idx2crd(3, (4,8):(8,1))", 11,
            "idx2crd(i, shape(A)) counts the coordinates, get_hier_coord(A, i) undoes the strides"},
           {"zipped_divide((4,8):(8,1), (4))", 27,
            "(4) is 4 in C++ and Python, and a tuple of one where CuTe prints it: write 4 or <4>"},
           {"zipped_divide((4,8):(8,1), ((4),2))", 28, "write 4 or <4>"},
           {"logical_divide((4,8):(8,1), make_tile((4),2))", 38, "write 4 or <4>"},
           {"local_tile((4,8):(8,1), ((2,4)), (0,0))", 24, "write (2,4) or <(2,4)>"},
           {"(4,8):(8,1) o (4)", 14, "write 4 or <4>"},
           {"composition((4,8):(8,1), (2:1,(4)))", 30, "write 4 or <4>"},
           {"make_layout((4), stride=(1))", 12, "write 4 or (4,)"},
           {"make_layout(make_shape((4),2))", 23, "write 4 or (4,)"},
           {"depth((4))", 6, "write 4 or (4,)"},
           {"flatten((4))", 8, "write 4 or (4,)"},
           {"rank(((4,8)))", 5, "write (4,8) or ((4,8),)"},
           {"size<0>(((4,8)))", 8, "write (4,8) or ((4,8),)"},
           {"select<0>(((4,8)))", 10, "write (4,8) or ((4,8),)"},
           {"congruent(4, (4))", 13, "write 4 or (4,)"},
           {"idx2crd(3, (4))", 11, "write 4 or (4,)"},
           {"coalesce((2,2):(1,2), (1))", 22, "write 1 or (1,)"},
           {"zipped_divide(tiler=(4), target=8:1)", 20, "write 4 or <4>"},
           {"local_tile((4,8):(8,1), (2,2), (1))", 31, "write 1 or (1,)"},
           {"ComposedLayout(Sw<1,0,1>, (0), 8:1)", 26, "write 0 or (0,)"},
           {"slice((_), (4,8):(8,1))", 6, "write _ or (_,)"},
           {"(4,8):(8,1)((2))", 12, "write 2 or (2,)"},
           {"(4,8):(8,1)(1,(2))", 14, "write 2 or (2,)"},
           {"size(010)", 5, octal},
           {"size 08:1", 5, octal},
           {"8:-01", 3, octal},
           {"8:Int<007>{}", 6, octal},
           {"8:10@01", 5, octal},
           {"size<00>((4,8))", 5, octal},
           {"8:0x10", 2, "integers are decimal here"},
           {"Sw<3,4,3>_smem_ptr[16b](0x81) o 64:1", 24, "no element of 16b begins at this address"},
           {"Sw<3,4,3> o smem_ptr[32b](0x7f02) o 64:1", 26, "no element of 32b begins at this address"},
           {"Sw<3,4,3>_smem_ptr[16b](129) o 64:1", 24, "an address such as 0x7f00, or unset, belongs here"},
           {"Sw<3,4,3>_smem_ptr[16b](0x1ffffffffffffffff) o 64:1", 24, "an address such as 0x7f00, or unset, belongs here"},
           {"Sw<3,4,3>_smem_ptr[16b](0x7fz) o 64:1", 24, "an address such as 0x7f00, or unset, belongs here"},
           {"auto a = make_layout(4,8)", 7, "an expression is read, not a statement: write make_layout(4,8) alone"},
           {"a = make_layout(4)", 2, "an expression is read, not a statement"},
           {"self.tile = make_layout(4)", 10, "an expression is read, not a statement"},
           {"using A = Layout<Shape<_4>>;", 8, "an expression is read, not a statement"},
           {"auto [a, b] = 4:1", 12, "an expression is read, not a statement"},
           {"Layout<Shape<_4>> const a = 4:1", 26, "an expression is read, not a statement"},
           {"cute::Layout a = 4:1", 15, "an expression is read, not a statement"},
           {"a: cute.Layout = 4:1", 15, "an expression is read, not a statement"},
           {"size 4:1 = 4", 9, "what is asked has no '='"},
           {"size(4:1)=4", 9, "what is asked has no '='"},
           {"mma_atom " + mma + " ThrID = 32:1", 44, "what is asked has no '='"},
           {"4:1 = 4:1", 4, "what is asked has no '='"},
           {"0 = 4:1", 2, "what is asked has no '='"},
           {"9 = 4:1", 2, "what is asked has no '='"},
           {"TiledMMA<X> a = 4:1", 14, "an expression is read, not a statement"},
           {"Tensor t = 4:1; // of A", 9, "an expression is read, not a statement: write 4:1 alone"},
           {"cute::uint32_t & n = size(4:1)", 19, "write size(4:1) alone"},
           {"auto&& t = 4:1", 9, "write 4:1 alone"},
           {"t =", 2, "write what is to be read alone"},
           {"return make_layout(4,8);", 0, "an expression is read, not a statement: leave out return"},
           {"typename X::ALayout", 0, "leave out typename"},
           {"size(typename X::ALayout{})", 5, "leave out typename"},
           {"static_assert(size(4:1) == 4)", 0, "an expression is read, not a statement: write size(4:1) alone"},
           {"static_assert(is_static<X, Y>::value, \"why\");", 0, "write is_static<X, Y>::value alone"},
           {"CUTE_STATIC_ASSERT_V(size(4:1) != Int<4>{});", 0, "write size(4:1) alone"},
           {"cute::print(make_layout(4, 8))", 6, "write make_layout(4, 8) alone"},
           {"print(\"A = \", A)", 0, "write what is to be read alone"},
           {"print layout", 0, "write what is to be read alone"},
           {"print( layout )", 0, "write the layout that layout stands for, such as (4,8):(8,1)"},
           {"auto a = tile_a;", 7, "write the layout that tile_a stands for"},
           {"print(layout", 0, "write what is to be read alone"},
           {"print()", 0, "write what is to be read alone"},
           {"print_latex(4:1)", 0, "write 4:1 alone; 'colex draw' draws it"},
           {"TiledCopy<Copy_Atom<UniversalCopy<float>,float>, Layout<_32>, Shape<_32>>{}", 0, "as in make_tiled_copy("},
           {"append<3>((4,8))", 7, "a rank, but nothing to reach it with: write append<3>((4,8), 2)"},
           {"prepend((4,8),2,3)", 14, "none is known to be the rank: write prepend<3>((4,8), 2), or up_to_rank=3"},
           {"make_tensor(smem_ptr[16b](0x0), 4:1)", 0, "of a tensor the layout alone is read"},
           {"tensor<ptr<f16, gmem> o (4,8):(8,1)>", 0, "of a tensor the layout alone is read"},
           {"size(raw_ptr(0x7f00: f16, gmem) o 4:1)", 5, "write what stands behind its pointer"},
           {"make_layout((4,8)).shape", 18, "stands in front of what it is asked of: shape(A) for A.shape"},
           {"rank(8:1.size())", 8, "size(A) for A.size"},
           {"layout.size()", 0, "let it print layout.size(), and write what layout is"},
           {"8:1.5", 3, "unexpected '.' after a value"},
           {"make_layout (4,8)", 12, apart},
           {"Swizzle <3,4,3>{}", 8, apart},
           {"size make_shape (4,8)", 16, apart},
           {"make_layout(make_shape\n(4,8))", 23, apart},
           {"rank(size (4:1))", 10, apart},
           {"rank(size<0> (4:1))", 13, apart},
           {"size<0> ((4,8):(8,1))", 8, apart},
           {"zipped_divide ((4,8):(8,1), (2,2))", 14, apart},
           {"(4 (8))", 3, "expected ',' or ')', found '('"},
           {"(X[", 2, "unexpected '['"},
           {"Swizzle<3>{}", 0, "three integers make a swizzle"},
           {"Swizzle<3,4,3,1>{}", 0, "three integers make a swizzle"},
           {"size(Swizzle(3,4))", 5, "three integers make a swizzle"},
           {"Sw<3,4>", 0, "three integers make a swizzle"},
           {"SW_3_4", 0, "three integers make a swizzle"},
           {"smem_ptr[16b](0x7f01) o 4:1", 14, "no element of 16b begins at this address"},
           {"gmem_ptr[32b](data) o 4:1", 14, "an address such as 0x7f00, or unset, belongs here"},
           {"recast_layout(8:1, old_type_bits=16, new_type_bits=32)", 37,
            "new_type_bits stands twice; the order is new_type_bits, old_type_bits, src_layout"},
           {"append((4,8), 2, 3)", 14, "write append<3>((4,8), 2), or up_to_rank=3"},
           {"append<1>((4,8), 2)", 7, "no such modes or rank of (4,8)"},
           {"take<1,3>((4,8))", 5, "no such modes or rank of (4,8)"},
           {"take<1,0>((4,8))", 5, "no such modes or rank of (4,8)"},
           {"replace<2>((4,8), 1)", 8, "no such modes or rank of (4,8)"},
           {"dice((1,_,1), (4,8))", 5, "no coordinate of (4,8)"},
       })
    try {
      ADD_FAILURE() << line << " is read as " << in_grammar(line, ref::respond).text;
    } catch (malformed const& e) {
      EXPECT_EQ(e.column, column) << line << ": " << e.what();
      EXPECT_NE(std::string_view(e.what()).find(why), std::string_view::npos) << line << ": " << e.what();
    }
}

// The reader has its own list of these.
TEST(spelled_programs, have_tuples_for_tilers_where_the_operation_takes_them) {
  for (operation const& o : operations) {
    bool const second = o.in != group::tiled_mma && o.in != group::tiled_copy && any_parameter(o, 1, takes_tiler);
    EXPECT_EQ(detail::takes_tiler_second(o.name), second) << o.name;
  }
}

// In time that grows as the line does: what is quadratic takes minutes.
TEST(spelled_programs, of_any_length_are_read_in_linear_time) {
  auto const long_line = [](std::string const& front, std::string const& again, std::string const& back) {
    std::string line = front;
    while (line.size() + again.size() + back.size() <= max_line) line += again;
    return line + back;
  };
  for (std::string const& line : {long_line("select(8:1", ",[0]", ")"), long_line("select((8,2), [0", ",0", "])"),
                                  long_line("foo(1", ",1", ",x=1)"), long_line("size(4:1", ",1", ",mode=1)"),
                                  long_line("size ", "A< ", ""), long_line("(", "x_ptr[16b](unset) o 1:0,", "1)")}) {
    std::clock_t const begin = std::clock();
    try {
      EXPECT_FALSE(in_grammar(line, ref::respond).columns.empty());
    } catch (malformed const&) {
    }
    EXPECT_LT(std::clock() - begin, 8 * CLOCKS_PER_SEC) << line.substr(0, 40);
  }
  std::string ones = "1", twos = "2", slices;
  for (int k = 0; k < 50'000; ++k) ones += ",1", twos += ",2", slices += "(_)";
  try {
    ADD_FAILURE() << in_grammar("(" + twos + "):(" + ones + ")" + slices, ref::respond).steps.size() << " large answers";
  } catch (malformed const& e) {
    EXPECT_STREQ(e.what(), "too much is asked within the line");
  }
}

TEST(tool, answers_and_explains_functions_of_tuples) {
  EXPECT_EQ(shell(tool + " ask 'select((4,8,2), [0,2])'").out, "(4,2)\n");
  EXPECT_EQ(shell(tool + " ask 'flatten(((4,8),2))'").err, "colex: read as flatten ((4,8),2) = (4,8,2)\n");
  for (auto const& [asked, why] : {std::pair("select((4,8,2), [2])", "The modes of those numbers, counted from 0."),
                                   std::pair("take<0,1>((4,8,2))", "From the first of those modes to before the last."),
                                   std::pair("flatten(((4,8),2))", "All integers, without the brackets within."),
                                   std::pair("slice_((_,1), (4,8))", "What stands beside a '_' of the coordinate.")})
    EXPECT_NE(shell(tool + " explain '" + asked + "'").out.find(why), std::string::npos) << asked;
}

TEST(tool, asks_and_draws_as_programs_do) {
  std::string const atom = "SM80_16x8x16_F32F16F16F32_TN",
                    drawn = shell(tool + " draw tiled_mma " + atom + " '(2,2,1):(1,2,0)' '<_,_,_>'").out;
  EXPECT_NE(drawn, "");
  for (std::string const made : {"(2,2,1)", "(2,2,1), None", "Layout<Shape<_2,_2,_1>>{}"})
    EXPECT_EQ(shell(tool + " draw 'make_tiled_mma(MMA_Atom<" + atom + ">{}, " + made + ")'").out, drawn) << made;
  EXPECT_EQ(shell(tool + " draw 'make_tiled_mma(" + atom + ")'").out,
            shell(tool + " draw tiled_mma " + atom + " '(1,1,1):(0,0,0)' '<_,_,_>'").out);
  EXPECT_EQ(shell(tool + " ask 'MMA_Traits<" + atom + ">::CLayout'").out, "((4,8),(2,2)):((32,1),(16,8))\n");
  EXPECT_EQ(shell(tool + " ask 'apply(make_layout((4,8), stride=(E(0),E(1))), (2,3))'").out, "(2,3)\n");
  EXPECT_NE(shell(tool + " ask 'MMA_Traits<" + atom + ">::SrcLayout'").err.find("'SrcLayout' is none of Shape_MNK"),
            std::string::npos);
}

// What is wrong with all of it stands where it begins, in whatever order its parts do.
TEST(tool, says_of_a_value_where_it_begins) {
  for (auto const& [asked, column] :
       {std::pair("make_layout(stride=2, shape=4)", 1), std::pair("  make_layout(shape=4, stride=2)", 3),
        std::pair("/**/ Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}", 6)}) {
    std::string const err = shell(tool + " ask '" + asked + "'").err;
    EXPECT_TRUE(err.starts_with("colex: column " + std::to_string(column) + ": a")) << err;
  }
}

}  // namespace
}  // namespace colex
