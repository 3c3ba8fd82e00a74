// What explanations promise: steps that end in the answer, and what they say where there is none.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/explain.hpp"
#include "ref/algebra/layout.hpp"
#include "tests/suite/explain/cute_model.hpp"
#include "tests/suite/judge/stated.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace colex {
namespace {

TEST(explain, ends_in_the_answer_on_every_case) {
  std::size_t asked = 0;
  for (located_case const& c : stated_cases()) {
    SCOPED_TRACE(c.place() + ": " + c.text);
    explanation const e = explain(c.what.asked);  // throws where the steps end elsewhere
    bool const told = !e.steps.empty() || !e.definition.empty() || !e.result;
    EXPECT_TRUE(told) << c.place() << ": neither steps nor a definition of " << c.what.asked.op;
    EXPECT_NE(text_of(e).find(e.result ? "= " + show(e.result.result) : print(e.result)), std::string::npos) << c.place();
    ++asked;
  }
  EXPECT_GT(asked, 500u);
}

// One of each operation on tensors, atoms and tilings: their case lines are fewer.
TEST(explain, ends_in_the_answer_of_every_tiling) {
  std::string const mma = " SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) <32,32,16>",
                    copy = " UniversalCopy<uint128_t> half_t (16,8):(8,1) (1,8):(0,1)";
  std::string const made = " make_tiled_copy_A SM75_U32x4_LDSM_N half_t" + mma, matrix = " (64,64):(64,1)";
  std::vector<std::string> lines{"local_tile (8,8):(1,8) <4,4> (0,1)",
                                 "local_tile 3o(8,8):(1,8) <4,4,2> (0,1,_) (1,1,X)",
                                 "local_tile_identity (8,8) <4,4> (1,_)",
                                 "inner_partition (8,8):(1,8) <4,4> 3",
                                 "outer_partition (8,8):(1,8) <4,4> 3",
                                 "local_partition (8,8):(1,8) (2,2,1):(2,1,0) 3 (1,1,X)",
                                 "fold mk (2,3):(1,2) kn (3,4):(1,3) mn (2,4):(1,2)",
                                 "bank_conflicts 32:32 32b 4",
                                 "bank_conflicts 64:32 32b 4",
                                 "bank_conflict_phases (8,4):(64,8) 16b SM75_U32x4_LDSM_N",
                                 "swizzle_for (64,64):(64,1) 16b (8,4):(1,512) SM75_U32x4_LDSM_N (8,4):(512,1) 128b",
                                 "mma_atom SM80_16x8x16_F32F16F16F32_TN CLayout",
                                 "copy_atom SM75_U32x4_LDSM_N SrcLayout",
                                 "tiled_mma_thr_layout_vmnk" + mma,
                                 "tiled_mma_tile_shape" + mma,
                                 "partition_S" + copy + matrix + " 5",
                                 "partition_D" + copy + " Sw<3,3,3>o0o(64,64):(64,1) 5"};
  for (std::string const x : {"A", "B", "C"}) {
    lines.push_back("tiled_mma_layout" + x + "_TV" + mma);
    lines.push_back("tiled_mma_thrfrg_" + x + mma + matrix);
    lines.push_back("partition_" + x + mma + matrix + " 33");
    for (std::string const op : {"partition_shape_", "partition_fragment_"}) lines.push_back(op + x + mma + " (64,64)");
    lines.push_back("partition_" + x + "_identity" + mma + " (64,64) 33");
  }
  for (std::string const op : {"layout_TV", "layoutS_TV", "layoutD_TV", "tiler"})
    for (std::string const& call : {"tiled_copy_" + op + copy, "tiled_copy_A_" + op + made}) lines.push_back(call);
  for (std::string const op : {"tidfrg_S", "tidfrg_D"}) lines.push_back("tiled_copy_" + op + copy + matrix);
  lines.push_back("tiled_copy_A_retile" + made + " ((2,2,2),1,2):((1,2,4),0,8)");
  lines.push_back("tiled_copy_A_partition_S" + made + matrix + " 7");
  for (std::string const& line : lines) {
    explanation const e = explain(parse_request(line));
    EXPECT_TRUE(e.result) << line << ": " << print(e.result);
    EXPECT_FALSE(e.steps.empty()) << line;
    EXPECT_FALSE(text_of(e).empty());
  }
}

std::string explained(std::string const& line) { return text_of(explain(parse_request(line))); }

TEST(explain, tells_the_steps_before_the_one_that_is_undefined) {
  std::string const text = explained("complement (2,2):(1,1)");
  EXPECT_NE(text.find("(2,2):(1,1)\n     The leaves that move"), std::string::npos) << text;
  EXPECT_NE(text.find("undefined the modes overlap"), std::string::npos) << text;
}
void tells(std::string const& line, std::initializer_list<char const*> words) {
  std::string const text = explained(line);
  for (char const* w : words) EXPECT_NE(text.find(w), std::string::npos) << w << " is not in\n" << text;
}
TEST(explain, shows_where_no_layout_can_go_on) {
  tells("composition (4,6,8):(2,3,5) 6:3",
        {"A(B(i))  L(i)\n", "; L is the layout that has the values of A(B(i)) the longest:\n",
         "3           3     9        8    13", "No layout goes on at i = 3: A(B(3)) is 8"});
  tells("composition (3,3):(1,1000) 6:2", {"i = 3"});
  tells("composition (4,(2,3)):(1,(4,100)) <_,3:1>", {"In mode 1:", "A = (2,3):(4,100)"});
  tells("composition (1000,3):(1,5) 1500:1", {"...", "No layout goes on at i = 1000"});
  tells("logical_divide (4,6):(1,5) 6", {"A o (B, B*)", "B = (6,4):(1,6)", "No layout goes on at i = 4"});
  tells("zipped_product (2,2):(1,1) 2:1", {"The block has no complement", "begins at 1, before that ends at 2"});
  tells("logical_product (2,2):(1,8) (3,3):(1,2)", {"A* o B", "No layout goes on"});
  tells("blocked_product (2,2):(1,8) (3,3):(1,2)", {"A* o B"});
  tells("complement (2,2):(1,1)", {"the leaf 2:1 comes behind 2:1", "complement_exists"});
  tells("solve_composition_left (3,3):(3,2) 9:1", {"  A(i)  B(i)\n     0     0\n     2     3\n     3     1\n",
                                                   "all but the last of these values", "solve_composition_left_exists"});
  tells("solve_composition_right (4,8):(8,1) (2,3):(1,4)",
        {"the smallest of them (2,2,2):(4,16,1); none has 6 elements", "solve_composition_right_exists"});
  tells("solve_composition_right (3,4,3):(2,2,1) (3,2):(3,5)", {"the smallest of them (2,3):(13,5); B refines none of them"});
  tells("solve_composition_right (3,3,4):(3,1,6) (3,4):(2,0)",
        {"  i  B(i)  indices of A\n  0     0             0\n", "none has all (solve_composition_right_exists)"});
  tells("solve_logical_divide (5,2):(3,1) (3,(2,2)):(6,(3,4))",
        {"Mode 0 is the tile", "3:2; none divides A so", "solve_logical_divide_exists"});
  tells("left_inverse (3,3):(3,2)", {"all but the last of these values", "left_inverse_exists"});
}
// Where a swizzle is the reason, the layout behind it has an inverse.
TEST(explain, does_not_say_that_there_is_none_where_there_is) {
  for (std::string const& a : {std::string("(5,3):(1,8)"), "(97,3):(1," + std::string(60, '9') + ")"})
    for (std::string const swizzle : {"Sw<2,2,3>o0o", "Sw<2,97,3>o0o"}) {
      explanation const e = explain(parse_request("left_inverse " + swizzle + a));
      EXPECT_TRUE(e.result || text_of(e).find("left_inverse_exists") == std::string::npos) << text_of(e);
    }
}
// What errata.md says that CuTe gives.
TEST(explain, says_what_CuTe_answers_there) {
  tells("composition (4,6,8):(2,3,5) 6:3",
        {"A model of CuTe's algorithm", "(2,3):(6,3)", "3 at i = 2, not 7", "composition_pointwise"});
  tells("composition (3,3):(1,1000) 4:2", {"(2,2):(2,1000)", "1000 at i = 2, not 1001"});
  tells("composition (6,2):(1,7) (3,2):(2,3)", {"(3,2):(2,3)", "7 at i = 5, not 8"});
  tells("composition (2,2):(1,1000) 3:1",
        {"refuses it for static integers", "(2,1):(1,1000)", "2 elements, not 3: composition_compatible"});
  EXPECT_EQ(explained("composition (2,2):(1@0,1@1) (3,3):(1@0,1@1)").find("CuTe"), std::string::npos);
}

// The model, beside what CuTe itself answered.
TEST(explain, models_what_CuTe_answered) {
  std::ifstream in("tests/agreement/cute_answers.txt");
  std::map<std::string, std::size_t> asked, refused;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    std::size_t const behind = line.find(' ') + 1, end = line.find(" = ");
    std::string const said = line.substr(end + 3), integers = line.substr(0, behind - 1);
    bool known = false;
    for (cute_answer const& a : cute_answers(parse_request(line.substr(behind, end - behind)))) {
      if (a.integers != integers) continue;
      EXPECT_EQ(a.result ? print(to_value(*a.result)) : "refused", said) << line;
      known = true;
    }
    EXPECT_TRUE(known) << line;
    ++asked[integers], refused[integers] += said == "refused";
  }
  EXPECT_TRUE(asked["static"] > 500 && refused["static"] > 50 && asked["dynamic"] > 100 && refused["dynamic"] > 0);
}
TEST(explain, has_no_model_of_what_was_not_asked_of_CuTe) {
  for (char const* line : {"size 4:1", "composition (2,2):(1@0,1@1) 2:1", "complement 4:-1 8", "complement 4:1",
                           "right_inverse Sw<1,0,1>o0o4:1", "left_inverse ():()"})
    EXPECT_TRUE(cute_answers(parse_request(line)).empty()) << line;
}

TEST(explain, gives_rows_and_columns) {
  std::string const text =
      explained("partition_C UniversalFMA (16,16,1):(16,1,0) <(16,4):(4,1),(16,4):(4,1),_> (128,128):(128,1) 17");
  EXPECT_NE(text.find("64 elements:"), std::string::npos);
  EXPECT_NE(text.find("63  (0,(3,1),(3,1))    9159   71      71"), std::string::npos) << text;
}
TEST(explain, says_how_much_it_leaves_out) {
  EXPECT_NE(explained("coalesce 100:1").find("100 elements, the first 16 of them"), std::string::npos);
}

TEST(explain, tells_who_meets_in_which_bank) {
  std::string const text = explained("bank_conflict_phases Sw<2,3,3>o0o(8,4):(64,8) 16b SM75_U32x2_LDSM_N");
  EXPECT_NE(text.find("T8 to T15\n       2\n     2 words in bank 0, of T9 T13; 16 banks are that full."), std::string::npos)
      << text;
  EXPECT_EQ(text.find("T16 to T23"), std::string::npos) << "two matrices are two phases";
  EXPECT_NE(text.find("\n     The wavefronts of each phase: the most different words of one bank."), std::string::npos) << text;
}
TEST(explain, says_why_a_right_inverse_is_what_it_is) {
  tells("right_inverse (2,4):(4,1)", {"Neighbours merge."});
  tells("right_inverse 4:-1", {"No index has the value 1: R ends behind the value 0."});
  tells("right_inverse 4:2", {"No index has the value 1"});
  tells("right_inverse (2,2):(1,-2)", {"Leaves that go down continue no run, but their values count: the largest layout R"});
  tells("right_inverse (3,2):(1,1)", {"Leaves overlap: the largest layout R"});
}

TEST(explain, says_where_offset_and_steps_do_not_add_up) {
  std::string const text = explained("coalesce (0,0)o(2,2):(1,2)");
  EXPECT_NE(text.find("\n  0           0      (0,0)\n  1           1  undefined\n"), std::string::npos) << text;
  tells("coalesce Sw<1,0,1>o-2o4:1", {"  1           1  unspecified\n  2           2            0\n"});
}

TEST(explain, inverses_of_swizzled_layouts_through_f2) {
  auto const steps = [](char const* asked) {
    std::string names;
    for (step const& s : explain(parse_request(asked)).steps) names += s.name + " " + print(s.result) + "; ";
    return names;
  };
  EXPECT_EQ(steps("right_inverse Sw<2,0,3>o0o(4,4):(4,1)"),
            "to_f2 F2<4>((4,9),(1,2)); right_inverse of maps F2<4>(4,8,1,6); from_f2 Sw<1,1,-1>o0o(4,4):(4,1); ");
  EXPECT_EQ(steps("complement Sw<1,0,1>o0o2:2 16"), "to_f2 F2<2>(3); complement of maps F2<4>(1,4,8); from_f2 (2,4):(1,4); ");
  EXPECT_EQ(steps("composition Sw<2,0,2>o0o(4,4):(1,4) Sw<1,0,1>o0o8:1"),
            "to_f2 F2<4>((1,2),(5,10)); to_f2 F2<3>(1,3,4); composition of maps F2<4>(1,3,5); ");
  EXPECT_EQ(steps("right_inverse Sw<2,0,3>o8o(8,8):(1,8)").find("maps"), std::string::npos);
}

}  // namespace
}  // namespace colex
