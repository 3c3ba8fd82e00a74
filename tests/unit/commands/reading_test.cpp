// The commands that ask, explain and draw read what people have in hand. SPDX-License-Identifier: Apache-2.0
#include "tests/unit/harness.hpp"

namespace colex {
namespace {

using namespace harness;

TEST(tool, reads_what_people_have_in_hand) {
  result r = shell(tool + " ask 'coalesce((4, 2):(1, 4))'");
  EXPECT_EQ(r.out, "8:1\n");
  EXPECT_EQ(r.err, "colex: read as coalesce (4,2):(1,4)\n");
  EXPECT_EQ(shell(tool + " ask 'size (4, 2):(1, 4)'").err, "") << "spaces alone are no other spelling";
  r = shell(tool + " ask 'size(complement((2,2):(1,1)))'");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, "undefined the modes overlap\n");
  EXPECT_EQ(shell(tool + " ask 'zipped_divide((4,4):(4,1), make_shape(2,2))'").out, "((2,2),(2,2)):((4,1),(8,2))\n");
  for (auto const& [asked, said] :
       std::initializer_list<std::pair<std::string, std::string>>{{"size((4,2))", "8"},
                                                                  {"rank (4,8)", "2"},
                                                                  {"product (4,8)", "32"},
                                                                  {"size(3)", "3"},
                                                                  {"size(size<1>((4,8)))", "8"},
                                                                  {"make_layout(size<0>((4,8)), rank(7))", "4:1"},
                                                                  {"shape((4,8):(8,1))", "(4,8)"},
                                                                  {"stride((4,8):(8,1))", "(8,1)"},
                                                                  {"make_layout(make_layout(4), 2:32)", "(4,2):(1,32)"}})
    EXPECT_EQ(shell(tool + " ask '" + asked + "'").out, said + "\n") << asked;
  EXPECT_EQ(shell(tool + " ask 'shape((4,8):(8,1))'").err, "colex: read as shape (4,8):(8,1) = (4,8)\n");
  EXPECT_NE(shell(tool + " ask '(4,8):(8,1) (2,3)'").err.find("column 13: a coordinate stands right behind"),
            std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'cosize (4,8)'").status, 2) << "of a shape that depends on the strides";
  EXPECT_EQ(shell(tool + " ask 'size 4:2 # note\n'").err, "") << "blanks and comments are no other spelling";
  EXPECT_TRUE(shell(tool + " draw '4:2\n'").out.starts_with("4:2\n"));
}

TEST(tool, reads_tuples_where_an_operation_takes_tilers) {
  for (std::string const tile : {"(_2:_1,_2:_1)", "{2,2}", "[2, (2):(1)]"})
    EXPECT_EQ(shell(tool + " ask 'zipped_divide (4,4):(4,1) " + tile + "'").status, 0) << tile;
  EXPECT_EQ(shell(tool + " ask 'zipped_divide((4,(4,2)):(4,(1,16)), {_2:_1,(2,2)})'").out,
            "((2,(2,2)),(2,(2,1))):((4,(1,16)),(8,(2,0)))\n")
      << "tuples within a tiler are tilers";
  EXPECT_EQ(shell(tool + " ask 'size(logical_divide((4,4):(4,1), Shape<_2,_2>{}))'").out, "16\n");
  EXPECT_EQ(shell(tool + " ask 'local_tile (4,4):(4,1) (2,2) (1,1)'").err,
            "colex: read as local_tile (4,4):(4,1) <2,2> (1,1)\n");
  EXPECT_EQ(shell(tool + " ask 'complement 2:1 (4,6)'").err, "") << "where it takes a tuple, that stays one";
}

TEST(tool, says_the_steps_that_it_was_asked_at_once) {
  std::string const steps = "composition 4:2 2:1 = 2:2, then composition 2:2 2:1";
  for (std::string const command : {"ask", "explain", "draw"})
    EXPECT_EQ(shell(tool + " " + command + " '4:2 o 2:1 o 2:1'").err, "colex: read as " + steps + "\n") << command;
  EXPECT_EQ(json::parse(shell(tool + " ask --json 'size(coalesce((2,2):(1,2)))'").out)["steps"],
            json({"coalesce (2,2):(1,2) = 4:1"}));
  std::vector<std::string> const ended{"composition (6,2):(1,7) 12:1 = (6,2):(1,7)",
                                       "composition (6,2):(1,7) (3,2):(2,3) = undefined no layout is A(B(c)) at every c"};
  std::string const no_end = "'(6,2):(1,7) o 12:1 o (3,2):(2,3) o 2:1'";
  for (std::string const command : {"ask", "explain", "draw"})
    EXPECT_EQ(shell(tool + " " + command + " " + no_end).err, "colex: read as " + ended[0] + ", then " + ended[1] + "\n")
        << command;
  EXPECT_EQ(json::parse(shell(tool + " ask --json " + no_end).out)["steps"], json(ended));
}

TEST(tool, says_what_a_request_lacks) {
  for (std::string const command : {"ask", "explain", "draw"})
    for (auto const& [words, why] :
         std::initializer_list<std::pair<std::string, std::string>>{{"''", "nothing is asked; 'colex ops' lists what can be"},
                                                                    {"size", "size takes A, not 0 arguments"},
                                                                    {"'size 4:1 2'", "size takes A, not 2 arguments"}}) {
      result const refused = shell(tool + " " + command + " " + words);
      EXPECT_EQ(refused.status, 2) << command << words;
      EXPECT_NE(refused.err.find("column 1: " + why + "\n"), std::string::npos) << command << refused.err;
    }
  for (std::string const command : {"ask", "explain"}) {
    EXPECT_NE(shell(tool + " " + command + " 4:1").err.find("a value: an operation belongs in front, as in 'size 4:1';"),
              std::string::npos);
    EXPECT_NE(shell(tool + " " + command + " UniversalFMA").err.find("an atom: 'mma_atom UniversalFMA ThrID' asks"),
              std::string::npos);
  }
  result const r = shell(tool + " draw tv 4:1");
  EXPECT_TRUE(r.err.starts_with("colex: column 1: tv takes TV SHAPE, not 1 argument\n")) << r.err;
  EXPECT_TRUE(shell(tool + " draw tv").err.starts_with("colex: column 1: tv takes TV SHAPE, not 0 arguments\n"));
  EXPECT_TRUE(
      shell(tool + " draw tiled_mma").err.starts_with("colex: column 1: tiled_mma takes ATOM THR T, not 0 arguments\n"));
}

TEST(tool, explains_and_draws_what_people_have_in_hand) {
  EXPECT_TRUE(shell(tool + " explain '_8:_1 o (2, 2):(4, 1)'").out.starts_with("composition 8:1 (2,2):(4,1)\n"));
  EXPECT_TRUE(shell(tool + " draw 'Layout((2, 2),(2, 1))'").out.starts_with("(2,2):(2,1)\n"));
  std::string const in_banks = "Sw<3,3,3> o 0 o (8,8):(8,1): 32 banks of 4 bytes, elements of ";
  std::string const tile = " draw 'Sw<3,4,3>_smem_ptr[16b](unset) o (_8,_8):(_8,_1)'";
  EXPECT_TRUE(shell(tool + tile).out.starts_with(in_banks + "16 bits\n"));
  EXPECT_TRUE(shell(tool + tile + " --banks 8").out.starts_with(in_banks + "8 bits\n"));
  EXPECT_TRUE(shell(tool + " draw 'Sw<3,3,3> o 0 o (8,8):(8,1)'").out.starts_with(in_banks + "32 bits\n"));
  EXPECT_NE(shell(tool + " draw 'upcast<2>(Sw<3,4,3>_smem_ptr[16b](unset) o (_8,_8):(_8,_1))'").out.find("of 32 bits\n"),
            std::string::npos)
      << "they are 16 bits wide no more";
}

TEST(tool, what_it_refuses_it_shows_as_people_write_it) {
  EXPECT_NE(shell(tool + " ask 'cosize Sw<3,4,3> o 0 o (8,64):(64,1)'")
                .err.find("cosize A: Sw<3,4,3>o0o(8,64):(64,1) is a composed layout; this is stated of a layout alone\n"),
            std::string::npos);
  EXPECT_NE(shell(tool + " solve '4:1 \u2218 x = 4:1'").err.find("\n  4:1 o x = 4:1\n"), std::string::npos);
  EXPECT_NE(shell(tool + " ask '4:1 \u2218 2:1 \u2218 /'").err.find("\n  4:1 o 2:1 o /\n              ^\n"), std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'left_inverse (4,8):(8,2)'").out, "undecided overlapping modes: a value comes twice\n");
  for (auto const& [atom, fields] : {std::pair("mma_atom UniversalFMA", "Shape_MNK ThrID ALayout"),
                                     std::pair("copy_atom SM75_U32x4_LDSM_N", "ThrID SrcLayout")})
    EXPECT_NE(shell(tool + " ask '" + atom + "'").err.find(std::string("; FIELD is one of ") + fields), std::string::npos)
        << atom;
}

TEST(tool, says_what_to_write_where_a_program_s_text_does_not_fit) {
  std::string const variable = "is not a layout; a variable has no value here: write its layout, such as (4,8):(8,1)\n",
                    known = "a program\'s variable has no value here: let it print ",
                    bracket = ", not 1 argument; the bracket of a call stands right behind the name: ";
  for (auto const& [asked, said] : std::initializer_list<std::pair<std::string, std::string>>{
           {"size(A{})", "size A: A " + variable},
           {"local_tile(gA, (2,2), (0,0))", ": gA " + variable},
           {"sA.layout()", "column 1: " + known + "sA.layout(), and write what sA is, such as (4,8):(8,1)\n"},
           {"A.shape", known + "A.shape, and write what A is"},
           {"size(tCrA->layout())", "column 6: " + known + "tCrA->layout(), and"},
           {"coalesce(mma.tCrA.data(3))", known + "mma.tCrA.data(3), and"},
           {"mA(_, 2)", "unknown operation \'mA\'; a variable has no value here: write its layout, such as (4,8):(8,1)\n"},
           {"std::cout << layout", "a statement: write the layout that layout stands for, such as (4,8):(8,1)\n"},
           {"out << \"A: \" << size(4:1) << std::endl;", "a statement: write size(4:1) alone\n"},
           {"size half_t", "half_t is not a layout\n"},
           {"size LayoutLeft", "LayoutLeft is not a layout\n"},
           {"size SM75_U32x4_LDSM_N", "SM75_U32x4_LDSM_N is not a layout\n"},
           {"cosize 4", "4 is not a layout\n"},
           {"crd2idx ((1,2), (4,8))", bracket + "crd2idx((1,2),(4,8))\n"},
           {"crd2idx (4)", ", not 1 argument\n"},
           {"crd2idx 3", ", not 1 argument\n"}})
    EXPECT_NE(shell(tool + " ask '" + asked + "'").err.find(said), std::string::npos)
        << asked << ": " << shell(tool + " ask '" + asked + "'").err;
}

TEST(tool, reads_widths_types_and_instructions_of_accesses) {
  EXPECT_NE(shell(tool + " draw bank_conflicts 32:32 32b 4").err.find("'bank_conflict_phases' is drawn"), std::string::npos);
  auto const drawn = [](std::string const& widths) {
    std::string const text = shell(tool + " draw bank_conflict_phases 32:32 " + widths).out;
    return text.substr(text.find('\n'));
  };
  EXPECT_EQ(drawn("32 32"), drawn("32b 32b"));
  std::string const banks = "bank_conflict_phases (8,4):(64,8) f16 ";
  for (auto const& [written, read] : std::initializer_list<std::pair<std::string, std::string>>{
           {"bank_conflicts 32:32 float 32b", "bank_conflicts 32:32 32b 4"},
           {"bank_conflicts 32:32 cutlass::half_t uint128_t", "bank_conflicts 32:32 16b 16"},
           {banks + "uint128_t", "bank_conflict_phases (8,4):(64,8) 16b 128b"},
           {banks + "ldmatrix.x4", "bank_conflict_phases (8,4):(64,8) 16b SM75_U32x4_LDSM_N"},
           {banks + "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
            "bank_conflict_phases (8,4):(64,8) 16b SM90_U16x4_STSM_T"},
           {"copy_atom ldmatrix.x4 ThrID", "copy_atom SM75_U32x4_LDSM_N ThrID"},
           {"recast_layout (8,4):(4,1) bf16 f32", "recast_layout (8,4):(4,1) 16b 32b"},
           {"tiled_copy_tiler UniversalCopy<half_t> float16_t 4:1 1:1",
            "tiled_copy_tiler UniversalCopy<half_t> half_t 4:1 1:1"},
           {"tiled_copy_tiler UniversalCopy<float_e2m3_t> 6b 4:1 1:1",
            "tiled_copy_tiler UniversalCopy<float_e2m3_t> uint6_t 4:1 1:1"},
           {"tiled_copy_tiler UniversalCopy<half_t> 16b 4:1 1:1", "tiled_copy_tiler UniversalCopy<half_t> uint16_t 4:1 1:1"}})
    EXPECT_EQ(shell(tool + " ask '" + written + "'").err, "colex: read as " + read + "\n") << written;
  EXPECT_NE(shell(tool + " ask 'tiled_copy_tiler UniversalCopy<half_t> quad 4:1 1:1'")
                .err.find("'quad' is not a type: double, float, tfloat32_t, half_t, "),
            std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'bank_conflicts 32:32 16b uint4_t'").status, 2) << "half a byte";
  EXPECT_NE(shell(tool + " ask '" + banks + "ldmatrix'").err.find("'colex atoms ldmatrix' lists the atoms"), std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'bank_conflict_phases 32:1 16b 16'").out,
            "undefined a thread moves 4, 8 or 16 bytes at once, not 2 (32b, 64b or 128b, not 16b)\n");
}

TEST(tool, draws_tilings_as_people_call_them) {
  std::string const mma = "tiled_mma SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) ";
  EXPECT_TRUE(shell(tool + " draw '" + mma + "'").out.starts_with(mma + "<_,_,_>\n"));
  EXPECT_TRUE(shell(tool + " draw '" + mma + "(32,32,16)'").out.starts_with(mma + "<32,32,16>\n"));
  EXPECT_NE(shell(tool + " ask '" + mma + "'").err.find("unknown operation 'tiled_mma'; 'colex draw' draws it\n"),
            std::string::npos);
  EXPECT_TRUE(shell(tool + " draw '(4,8):(8,1) o <2:1, 4:2>'").out.starts_with("composition (4,8):(8,1) <2:1,4:2>\n"));
}

TEST(tool, explains_what_it_answers) {
  for (auto const& [asked, shown] : std::initializer_list<std::pair<std::string, std::string>>{
           {"shape((4,2):(1,4))", "shape (4,2):(1,4)\n\n  The extents: of a layout what stands before the colon.\n\n= (4,2)\n"},
           {"stride(coalesce((2,2):(1,2)))", "stride 4:1\n\n  The strides, which stand behind the colon.\n\n= 1\n"},
           {"(size((4,2):(1,4)),3)", "(8,3)\n\n  1  size (4,2):(1,4)\n       8\n     Answered within the line.\n\n= (8,3)\n"},
           {"(coalesce((2,2):(1,2)))", shell(tool + " explain 'coalesce (2,2):(1,2)'").out}}) {
    result const r = shell(tool + " explain '" + asked + "'"), said = shell(tool + " ask '" + asked + "'");
    EXPECT_EQ(r.out, shown) << asked;
    EXPECT_EQ(r.status, said.status) << asked;
    EXPECT_EQ(r.err, said.err) << asked;
    EXPECT_NE(r.out.find("\n= " + said.out), std::string::npos) << said.out;
  }
}

TEST(tool, says_which_argument_of_a_form_is_none) {
  for (auto const& [asked, column] : std::initializer_list<std::pair<std::string, int>>{
           {"tv (2,2):(1,2) 4:1", 16},
           {"tiled_copy UniversalCopy<half_t> half_t 4:1 name", 45},
           {"partition_C SM80_16x8x16_F32F16F16F32_TN (1,1,1):(0,0,0) <_,_,_> (8,8)", 66},
           {"permutations 32 4 Sw<1,2,3>", 19}}) {
    result const r = shell(tool + " draw '" + asked + "'");
    EXPECT_EQ(r.status, 2) << asked;
    EXPECT_TRUE(r.err.starts_with(fmt::format("colex: column {}: ", column))) << r.err;
  }
}

TEST(tool, the_wire_reads_the_grammar_alone) {
  result const r = shell("printf 'size (4, 2):(1, 4)\\ncoalesce((4,2):(1,4))\\n' | " + quoted("answer"));
  EXPECT_TRUE(std::regex_match(r.out, std::regex("unsupported malformed: .*\nunsupported malformed: .*\n"))) << r.out;
}

}  // namespace
}  // namespace colex
