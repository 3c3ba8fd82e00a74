// The names of atoms: all that CuTe has answer and keep the laws where a list of them lies beside the checkout, and what is no
// name is refused with what is wrong in it.
// SPDX-License-Identifier: Apache-2.0
#include "ref/atoms/atom_fields.hpp"
#include "spec/laws/laws.hpp"
#include "spec/notation/spelled_names.hpp"
#include "tests/suite/judge/in_process.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace {

using namespace colex;

// Every law on atoms of that operation, and that the atom answers at all.
void check_laws(std::string const& op, std::string const& name) {
  ASSERT_NO_THROW(ASSERT_TRUE(ref::respond({op, {word_of(name), word_of("ThrID")}}))) << name;
  for (law const& l : atom_laws()) {
    if (l.operation != op || l.drawn().size() != 1 || l.drawn()[0].name != "N") continue;
    outcome const o = evaluate(l, {{"N", word_of(name)}}, ref::respond);
    EXPECT_TRUE(o.good) << l.name << ": " << o.complaint();
  }
}
void check_list(std::string const& op) {
  std::ifstream names(COLEX_BESIDE "/" + op + "_names.txt");
  if (!names) GTEST_SKIP() << "no list of names beside this checkout";
  for (std::string name; std::getline(names, name);) check_laws(op, name);
}
TEST(names, of_all_mma_atoms_answer) { check_list("mma_atom"); }
TEST(names, of_all_copy_atoms_answer) { check_list("copy_atom"); }

// The complaint about a name.
std::string complaint(std::string const& op, std::string const& name, char const* field = "ThrID") {
  try {
    return "answered " + print(ref::respond({op, {word_of(name), word_of(field)}}));
  } catch (malformed const& e) {
    return e.what();
  }
}
struct refusal {
  char const *name, *why;
};

TEST(names, that_no_mma_has_say_what_is_wrong) {
  for (auto const& [name, why] : std::initializer_list<refusal>{
           {"SM90_64x12x16_F16F16F16_SS", "N of a wgmma is a multiple of 8 up to 256"},
           {"SM90_64x264x16_F16F16F16_SS", "N of a wgmma is a multiple of 8 up to 256"},
           {"SM90_64x40x32_S32S8S8_SS_TN", "N of a wgmma of integers is 8, 24 or a multiple of 16"},
           {"SM90_32x64x16_F16F16F16_SS", "M of a wgmma is 64"},
           {"SM90_64x64x32_F16F16F16_SS", "K of a dense wgmma of F16F16F16 is 16"},
           {"SM90::GMMA::SPARSE::GMMA_64x64x16_F16F16F16_SS", "K of a sparse wgmma of F16F16F16 is 32"},
           {"SM90_64x64x4_F64F64F64_SS", "wgmma does not multiply F64"},
           {"SM90_64x64x16_F16F16F16_TS", "SS or RS"},
           {"SM90_64x64x16_F16F16F16_SS_TN", "'TN' does not belong at the end"},
           {"SM90_64x64x8_F32TF32TF32_SS", "are K-major: _TN"},
           {"SM90_64x64x32_F32E4M3E4M3_SS_TN<K,K>", "are K-major: _TN, and no <>"},
           {"SM90_64x64x32_F32E4M3E4M3_SS_TN_SATURATE", "'SATURATE' does not belong at the end"},
           {"SM90_64x64x16_F16F16F16_SS<K,L>", "'L' is neither K nor MN"},
           {"SM90_64x64x16_F16F16F16_RS<MN,K>", "A in registers is K-major"},
           {"SM90_64x64x16_F16F16F16_SS<K>", "<major of A,major of B>"},
           {"SM80_16x8x32_F32F16F16F32_TN", "SM80 has no 16x8x32 of F32F16F16F32"},
           {"SM80_16x8x12_F64F64F64F64_TN", "SM80 has no 16x8x12"},
           {"SM80_16x8x10_F32F16F16F32_TN", "SM80 has no 16x8x10"},
           {"SM80_16x16x16_F32F16F16F32_TN", "SM80 has no 16x16x16"},
           {"SM90_16x8x12_F64F64F64F64_TN", "SM90 has no 16x8x12"},
           {"SM80_16x8x16_F32F16F16F32_TN__X", "nothing follows the name"},
           {"SM80_16x8_F32F16F16F32_TN", "'16x8' is not a shape MxNxK"},
           {"SM80_16x8x08_F32F16F16F32_TN", "'16x8x08' is not a shape MxNxK"},
           {"SM80_16x8x99999_F32F16F16F32_TN", "SM80 has no 16x8x99999"},
           {"SM80_16x8x16_F32F16BF16F32_TN", "'F32F16BF16F32' are no elements D A B C"},
           {"SM80_16x8x16_F32F16F16F32_NT", "TN belongs behind the elements"},
           {"SM80_16x8x16_F32F16F16F32_TN_SATURATE", "'SATURATE' does not belong behind TN"},
           {"SM80_16x8x128_S32U1U1S32_TN", "XORPOPC or ANDPOPC belongs behind TN"},
           {"SM80_16x8x16_F32F16F16F32_TN<float>", "nothing follows the name"},
           {"SM80_16x8x16_F32F16F16F32_TN<float", "'<' is never closed"},
           {"SM70_16x8x4_F16F16F16F16_TN", "the shape on SM70 is 8x8x4"},
           {"SM70_8x8x4_F32BF16BF16F32_TN", "SM70 multiplies F16"},
           {"SM70_8x8x4_F16F16F16F16_TX", "TN, NT, NN or TT"},
           {"SM70_8x8x4_F16F16F16F16_TNT", "TN, NT, NN or TT"},
           {"SM70_8x8x4_F16F16F16F16_TN_X", "TN, NT, NN or TT"},
           {"SM61_DP3A", "SM61 has DP2A and DP4A"},
           {"UniversalFMA_2", "UniversalFMA takes up to four types"},
           {"UniversalFMA<float,float,float,float,float>", "UniversalFMA takes up to four types"},
           {"UniversalFMA<float,quad>", "'quad' is not a type"},
           {"SM100_2x2x1_F32F32F32F32", "packed multiply-adds are 2x1x1 and 1x2x1"},
           {"SM100_2x1x2_F32F32F32F32", "packed multiply-adds are 2x1x1 and 1x2x1"},
           {"SM100_2x1x1_F16F16F16F16", "packed multiply-adds are of F32F32F32F32"},
           {"SM100_MMA_F16BF16_SS<half_t,half_t,float,96,64>", "M is 64 or 128, not '96'"},
           {"SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,64,64>", "M is 128 or 256, not '64'"},
           {"SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,64,64>", "M is 128, not '64'"},
           {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,12>", "N is a multiple of 8 up to 256, not '12'"},
           {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,x>", "N is a multiple of 8 up to 256, not 'x'"},
           {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128,264>", "N is a multiple of 8 up to 256, not '264'"},
           {"SM100_MMA_MXF8F6F4_2x1SM_SS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,64>", "M is 256, not '128'"},
           {"SM100_MMA_MXF4NVF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>", "MXF4 is dense, MXF4NVF4 sparse"},
           {"SM100_MMA_MXF8F6F4_TS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,128,64>", "no tcgen05.mma whose name ends so"},
           {"SM103_MXF4_ULTRA_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>",
            "no tcgen05.mma whose name ends so"},
           {"SM100_MMA_F16BF16_2x1SM_SS<half_t,half_t,float,128,24>", "N is a multiple of 16 up to 256, not '24'"},
           {"SM100_MMA_TF32_SS<half_t,half_t,float,128,64>", "'half_t' as A is none of tfloat32_t"},
           {"SM100_MMA_S8_SS<int8_t,int8_t,int32_t,64,40>", "N of integers is 8, 24 or a multiple of 16, not '40'"},
           {"SM100_MMA_S8_SS<int8_t,int8_t,float,128,64>", "'float' as C is none of int32_t"},
           {"SM100_MMA_F16BF16_SS<half_t,bfloat16_t,float,128,64>", "both half_t or both bfloat16_t"},
           {"SM100_MMA_F16BF16_SS<half_t,half_t,float,128>", "<A,B,C,M,N> belongs behind the name"},
           {"SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64>", "<A,B,C,SF,M,N,VS> belongs"},
           {"SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,64,32>",
            "'32' elements for one float_ue4m3_t"},
           {"SM100_MMA_MXF8F6F4_SS<float_e4m3_t,float_e4m3_t,float,float_ue4m3_t,128,64>", "'float_ue4m3_t' as scale factor"},
           {"SM100_MMA_MXF4_SS_SPARSE<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,32>",
            "MXF4 is dense, MXF4NVF4 sparse"},
           {"SM100_MMA_F16BF16_TS_SPARSE<half_t,half_t,float,128,64>", "no tcgen05.mma whose name ends so"},
           {"SM100_MMA_F16BF16_RS<half_t,half_t,float,128,64>", "SS or TS"},
           {"SM100_MMA_F64_SS<double,double,double,128,64>", "'MMA_F64' is no kind of tcgen05.mma of SM100"},
           {"SM103_MMA_F16BF16_SS<half_t,half_t,float,128,64>", "is no kind of tcgen05.mma of SM103"},
           {"SM120_16x8x32_TN<half_t,half_t,float>", "'half_t' as A is none of float_e4m3_t"},
           {"SM120_16x8x16_TN<float_e4m3_t,float_e4m3_t,float>", "SM120 has no 16x8x16, dense"},
           {"SM120_8x8x32_TN<float_e4m3_t,float_e4m3_t,float>", "SM120 has no 8x8x32, dense"},
           {"SM120_16x16x32_TN<float_e4m3_t,float_e4m3_t,float>", "SM120 has no 16x16x32, dense"},
           {"SM120_16x8x64_TN<float_e4m3_t,float_e4m3_t,float>", "SM120 has no 16x8x64, dense"},
           {"SM120_SPARSE_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>", "SM120 has no 16x8x32, sparse"},
           {"SM120_16x8x32_TN_VX<float_e4m3_t,float_e4m3_t,float>", "TN, and VS where blocks are scaled"},
           {"SM120_16x8x32_TN_VS<float_e4m3_t,float_e4m3_t,float>", "<A,B,C,SF,VS> belongs behind VS"},
           {"SM120_16x8x32_TN_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,16>", "'16' elements for one float_ue8m0_t"},
           {"SM120_16x8x32_NT<float_e4m3_t,float_e4m3_t,float>", "TN, and VS where blocks are scaled"},
           {"SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t>", "<A,B,C> belongs behind TN"},
           {"SM120_SPARSE_16x8x64_TN_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,32>",
            "'32' elements for one float_ue8m0_t"},
           {"SM90::SM90_64x64x16_F16F16F16_SS", "'SM90::SM90' begins no name of an MMA atom"},
           {"SM42_16x8x8", "'SM42' begins no name of an MMA atom"}})
    EXPECT_NE(complaint("mma_atom", name).find(why), std::string::npos) << name << "\n" << complaint("mma_atom", name);
}

// What people call types is what the reference calls them, and as wide.
TEST(names, of_types_are_those_of_the_reference) {
  for (detail::type_names const& t : detail::types) {
    std::istringstream others(t.others);
    for (std::string name; others >> name;) EXPECT_EQ(type_called(name)->name, t.cute) << name;
    EXPECT_EQ(ref::bits_of(t.cute), t.bits) << t.cute;
  }
  for (int bits = 1; bits <= 256; bits *= 2)
    for (std::string const name : {"u{}", "uint{}_t", "Int{}", "s{}", "b{}", "{}b"}) {
      std::string const full = name.substr(0, name.find('{')) + std::to_string(bits) + name.substr(name.find('}') + 1);
      EXPECT_EQ(ref::bits_of(type_called(full)->name), bits) << full;
      EXPECT_EQ(type_called(full)->bits, bits) << full;
    }
  for (char const* const none : {"", "u", "16", "3b", "u24", "512b", "x16", "u16x", "99999999999b", "quad"})
    EXPECT_FALSE(type_called(none)) << none;
}

TEST(names, that_no_copy_has_say_what_is_wrong) {
  for (auto const& [name, why] : std::initializer_list<refusal>{
           {"UniversalCopy<quad>", "'quad' is not a type"},
           {"UniversalCopy", "one argument belongs in <>"},
           {"AutoVectorizingCopyWithAssumedAlignment<12>", "an alignment is a power of two"},
           {"SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>", "CACHEGLOBAL 16"},
           {"SM80_CP_ASYNC_CACHEALWAYS<uint8_t>", "cp.async copies 4, 8 or 16 bytes"},
           {"SM80_CP_ASYNC_CACHESOME<uint32_t>", "SM80 has CP_ASYNC_CACHEALWAYS and CP_ASYNC_CACHEGLOBAL"},
           {"SM75_U32x3_LDSM_N", "'U32x3' are not one, two or four registers of U32"},
           {"SM75_U16x4_LDSM_N", "'U16x4' are not one, two or four registers of U32"},
           {"SM75_U32x4_LDSM_X", "N or T belongs at the end"},
           {"SM75_U32x4_STSM_N", "'STSM' is no copy of matrices of SM75"},
           {"SM100_U8x8_LDSM_N", "T belongs at the end"},
           {"SM100_U8x4_LDSM_T", "fills two registers or four"},
           {"SM100_U8x8_MOVM_T", "'MOVM' is no copy of matrices of SM100"},
           {"SM100_SU5_DU8x16_x1_LDSM_N", "widening copies are"},
           {"SM50_Shuffle_U32_2x2Trans_XOR2", "shuffles are"},
           {"SM100_LOAD_128bit_CACHE_NOALLOCATION", "belongs at the end"},
           {"SM90_TMA_LOAD,100b", "a multiple of 128b"},
           {"SM90_TMA_LOAD", "a multiple of 128b"},
           {"SM90_TMA_LEAD,128b", "no bulk copy has this name"},
           {"SM100_TMEM_LOAD_16dp256b64x", "'16dp256b64x' is no pattern of tensor memory"},
           {"SM100_TMEM_LOAD_32dp32b3x", "is no pattern of tensor memory"},
           {"SM100_TMEM_LOAD_32dp32b4x_8b", "nothing but _16b"},
           {"SM100_TMEM_MOVE_32dp32b4x", "TMEM_LOAD and TMEM_STORE"},
           {"SM100_TMEM_LOAD_STAT_32dp32b4x", "STAT is of"},
           {"SM100_UTCCP_64dp256bit_1cta", "'64dp256bit' is no shape of tcgen05.cp"},
           {"SM100_UTCCP_4dp256bit_3cta", "1cta or 2cta"},
           {"SM42_COPY", "'SM42' begins no name of a copy atom"}})
    EXPECT_NE(complaint("copy_atom", name).find(why), std::string::npos) << name << "\n" << complaint("copy_atom", name);
}

// Names that no list has: a formula answers them as CuTe does.
TEST(names, beyond_the_lists_answer) {
  for (auto const& [name, field, layout] : std::initializer_list<std::array<char const*, 3>>{
           {"SM90_64x24x32_S32S8U8_SS_TN", "CLayout", "((4,8,4),(2,2,3)):((128,1,16),(64,8,512))"},
           {"SM90_64x48x32_S32U8U8_RS_TN_SATURATE", "ALayout", "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"},
           {"SM90::GMMA::SPARSE::GMMA_64x24x32_F16F16F16_RS<K,K>", "BLayout", "(128,(24,32)):(0,(1,24))"},
           {"SM100_MMA_MXF4NVF4_SS_SPARSE<float_e2m1_t,float_e2m1_t,float,float_ue8m0_t,128,64,64>", "ALayout",
            "(1,(128,128)):(0,(1,128))"},
           {"SM120_SPARSE_16x8x64_TN<float_e2m3_t,float_e3m2_t,half_t>", "ELayout", "((2,2,8),32):((8,512,1),16)"},
           {"UniversalFMA<double,double,double,double>", "ALayout", "(1,1):(0,0)"}})
    EXPECT_EQ(print(ref::respond({"mma_atom", {word_of(name), word_of(field)}})), layout) << name;
}

TEST(names, of_fields_are_known) {
  EXPECT_NE(complaint("mma_atom", "UniversalFMA", "DLayout").find("'DLayout' is none of"), std::string::npos);
  EXPECT_NE(complaint("copy_atom", "UniversalCopy<float>", "ALayout").find("'ALayout' is none of"), std::string::npos);
  EXPECT_THROW(ref::respond({"mma_atom", {value(3), word_of("ThrID")}}), malformed);
}

TEST(types, have_their_width) {
  for (auto const& [type, bits] : std::initializer_list<std::pair<char const*, int>>{{"half_t", 16},
                                                                                     {"double", 64},
                                                                                     {"float_e2m3_t", 6},
                                                                                     {"float_ue4m3_t", 8},
                                                                                     {"uint1_t", 1},
                                                                                     {"int4_t", 4},
                                                                                     {"uint128_t", 128}})
    EXPECT_EQ(ref::bits_of(type), bits) << type;
  for (char const* type : {"", "int1_t", "int128_t", "uint3_t", "half"}) EXPECT_THROW(ref::bits_of(type), malformed) << type;
}

}  // namespace
