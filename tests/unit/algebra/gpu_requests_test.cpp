// Both algebras asked over the wire, at the limits of what they take, decide and hold.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "ref/answer.hpp"

#include <gtest/gtest.h>

namespace {

using namespace colex;

// s in n parentheses.
std::string nested(int n, std::string const& s) { return std::string(n, '(') + s + std::string(n, ')'); }

struct edge {
  char const* name;
  answer (*respond)(request const&);
};
constexpr edge edges[] = {{"ref", ref::respond}, {"gpu", gpu::respond}};

TEST(requests, at_an_edge_are_answered) {
  for (auto const& [line, right] : std::map<std::string, std::string>{
           {"complement Sw<1,0,1>o0o1:0 1", "1:0"},                         // of one element
           {"left_inverse Sw<1,0,3>o0o(16,3):(1,16)", "Sw<1,0,3>o0o48:1"},  // no map over F2
           // Beyond the table: a step that goes past two of A's modes, and into each of three and four.
           {"composition (4,8):(1,10) (4194304,2):(0,6)", "(4194304,2):(0,12)"},
           {"composition (8192,4,3):(1,10000,7) 8192:1024", "(8,4,256):(1024,10000,7)"},
           {"composition (8192,4,4,3):(1,10000,7,50000) 8192:1024", "(8,4,4,64):(1024,10000,7,50000)"},
       })
    for (edge const& e : edges) EXPECT_EQ(print(e.respond(parse_request(line))), right) << e.name << ": " << line;
}

// Every request that is no request: refused with a reason, never answered.
TEST(requests, that_do_not_fit_are_refused) {
  for (char const* line : {"nothing 4:1",
                           "composition 4:1",
                           "size 4:1 4:1",
                           "get 4:1",
                           "composition 4 4:1",
                           "size _",
                           "congruent 4:1 4",
                           "make_layout_left (0,1)",
                           "get 4:1 -1",
                           "get 4:1 4:1",
                           "get 4:1 1@0",
                           "get 4:1 2000000",
                           "take 4:1 -1 1",
                           "append 4:1 4:1 4:1",
                           "coalesce 4:1 4:1",
                           "coalesce 4:1 <4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4>",
                           "complement 4:1 0",
                           "downcast 4:1 0",
                           "complement 4:1 (4,-1)",
                           "complement Sw<1,0,1>o0o6:1 8",
                           "dice (1,_) Sw<1,0,3>o0o(4,2):(1,4)",
                           "slice 4:1 4:1",
                           "slice 1@0 4:1",
                           "apply 4:1 (_)",
                           "apply 4:1 _",
                           "idx2crd _ 4",
                           "crd2idx 1 4 (1,2)",
                           "make_ordered_layout (2,3) LayoutLeft",
                           "tile_to_shape (2,2):(1,2) (4,6) LayoutUp",
                           "recast_layout 4:1 x 8",
                           "recast_layout 4:1 ab 8",
                           "recast_layout 4:1 abc 8",
                           "recast_layout 4:1 4:1 8",
                           "upcast <4> 2",
                           "blocked_product 4:1 <4>",
                           "composition 4:1 1 4:1",
                           "composition Sw<1,0,1> 4:1",
                           "composition 4:1 Sw<1,0,1>",
                           "composition 4:1 _",
                           "composition 4:1 4@0",
                           "composition 4:1 <4@0>",
                           "composition 4:1 <(2,2)>",
                           "mma_atom 4:1 ThrID",
                           "mma_atom UniversalFMA",
                           "copy_atom UniversalCopy<float> 4",
                           "inner_partition 4:1 _ 0",
                           "inner_partition 4:1 <2> 1@0",
                           "inner_partition 4:1 <2> 4:1",
                           "local_tile 4:1 2 0 (1)",
                           "local_tile 4:1 <2> (0) (1,X)",
                           "local_tile 4:1 <2> 0 (1)",
                           "local_tile 4:1 <2> (0) 1",
                           "local_partition 4:1 2:1 -1",
                           "local_tile_identity 4:1@0 <2> 0",
                           "outer_partition (4,4):(1,4) <2,2> (0,0,0)",
                           "partition_A UniversalFMA 4:1 4 4:1 0",
                           "tiled_mma_thrfrg_A UniversalFMA 4 <_> (4,4):(1,4)",
                           "tiled_copy_layout_TV UniversalCopy<float> float 4:1",
                           "tiled_copy_A_tiler make_tiled_copy_A UniversalCopy<float> float UniversalFMA 4:1",
                           "tiled_copy_A_tiler make_tiled_copy_D UniversalCopy<float> float UniversalFMA 4:1 <_>",
                           "tiled_copy_tidfrg_S UniversalCopy<float> 4 4:1 1:0 4:1",
                           "fold a 4:1 4 4:1 a 4:1",
                           "fold aa (2,2):(1,2) ab (2,2):(1,2) ab (2,2):(1,2)",
                           "fold ab (2,2):(1,2) a 2:1 a 2:1",
                           "fold a 2:1 a 3:1 a 2:1",
                           "bank_conflicts 4:1 0 4",
                           "bank_conflict_phases 4:1 0 32b",
                           "bank_conflict_phases 33:1 32b 32b",
                           "bank_conflict_phases 4:1 32b 33b",
                           "bank_conflict_phases 8:1 128b SM75_U32x2_LDSM_N",
                           "bank_conflict_phases 8:1 128b SM90_TMA_LOAD,128b",
                           "bank_conflicts 4:1 8 3",
                           "bank_conflicts 4:1 8 4",
                           "bank_conflicts 4:1@0 8 4",
                           "bank_conflicts 4:-4 8 4",
                           "bank_conflicts 4:4 8 4294967300",
                           "tiled_copy_layout_TV UniversalCopy<float> float 4:1 1:0 4:1",
                           "tiled_copy_tiler UniversalCopy<float> float 4:1 1:0 4:1",
                           "inner_partition 3o(4,4):(1@0,1@1) <2,2> (1,1)"}) {
    request const r = parse_request(line);
    for (edge const& e : edges) {
      try {
        EXPECT_FALSE(static_cast<bool>(e.respond(r))) << e.name << ": " << line;
      } catch (malformed const& why) {
        EXPECT_STRNE(why.what(), "") << e.name << ": " << line;
      }
    }
  }
}

// What an operation takes is said once, in the table of operations: both refuse in the same words.
TEST(requests, of_another_kind_are_refused_in_the_words_of_the_table) {
  struct refused {
    char const *line, *why;
  };
  for (auto const& [line, why] :
       {refused{"compositon 4:1 2:1", "unknown operation 'compositon'"},
        refused{"composition 4:1", "composition takes A B|T, or Sw off A, or Sw Sw', not 1 argument"},
        refused{"composition 5 4:1", "composition A B|T, or Sw off A, or Sw Sw': 5 is not a layout"},
        refused{"composition Sw<1,0,1> 4:1", "composition A B|T, or Sw off A, or Sw Sw': 4:1 is not a swizzle"},
        refused{"complement 4:1 <2>", "complement A [M|S]: <2> is not an integer or a tuple of integers"},
        refused{"append 4:1 4:1 4:1", "append A [n] [B]: 4:1 is not an integer"},
        refused{"select 4:1", "select takes A i..., not 1 argument"},
        refused{"to_f2 4:1 -1", "to_f2 A [n], or Sw n: -1 is not a number of bits from 0 to 1000"},
        refused{"tiled_copy_tiler UniversalCopy<float> float 4:1",
                "tiled_copy_tiler takes COPY TYPE THR VAL, or make_tiled_copy_A COPY TYPE ATOM THR T, not 3 arguments"},
        refused{"partition_A UniversalFMA 1:0 4 4:1 0", "partition_A ATOM THR T A i: 4 is not a tiler <...> by mode"}})
    for (edge const& e : edges) try {
        e.respond(parse_request(line));
        ADD_FAILURE() << e.name << ": " << line;
      } catch (malformed const& got) {
        EXPECT_STREQ(got.what(), why) << e.name << ": " << line;
      }
}

// What no closed form settles and no table may hold: both say that they do not know.
TEST(requests, too_large_to_decide_are_not_decided) {
  for (char const* line : {"right_inverse (300,300):(1,1)", "left_inverse (100,100):(1,1)", "right_inverse Sw<1,0,3>o0o8191:1",
                           "max_common_layout (2,2):(1,1) (2,2):(1,1)", "max_common_layout 10000:1 (5000,5000):(1,1)",
                           "composition (2,2,2):(1,3,5) (3,5000):(3,0)", "composition (3,2,2):(0,1,1) (4,1025):(5,0)",
                           "right_inverse (16,17):(1,1)", "left_inverse (64,65):(1,1)", "left_inverse (128,2):(2,3)",
                           "left_inverse (4,3):(2,3)", "left_inverse (2,2,2):(2,3,5)", "right_inverse Sw<1,0,3>o0o4097:1",
                           "left_inverse Sw<1,0,3>o0o4097:1", "max_common_layout (4097,2):(1,0) (4097,2):(1,0)"}) {
    for (edge const& e : edges) {
      answer const a = e.respond(parse_request(line));
      EXPECT_EQ(a.what, status::undecided) << e.name << ": " << line << " -> " << a.reason;
      EXPECT_EQ(print(a).rfind("undefined not decided", 0), 0u) << e.name << ": " << line << " -> " << print(a);
      EXPECT_EQ(parse_answer(print(a)).what, status::undecided) << e.name << ": " << line << " -> " << print(a);
    }
  }
}

// As many bits, leaves, parentheses and modes of a path as a value holds.
TEST(requests, at_the_limits_of_values_are_answered) {
  std::string const deep = nested(255, "2") + ":" + nested(255, "1"),
                    ones = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
  for (std::string const& line :
       {std::string("flatten 2:-9223372036854775808"), std::string("flatten 9223372036854775807:1"),
        std::string("flatten 2:1@254"), std::string("flatten 2:1@0@0@0@0@0@0@0@0"), "flatten " + deep, "slice _ " + deep,
        "append (" + ones + "):(" + ones + ") 2:1", std::string("crd2idx (0,1) (4294967296,4294967296)"),
        std::string("logical_divide 9223372036854775807:1 2"), std::string("right_inverse 2:-9223372036854775808")}) {
    request const r = parse_request(line);
    ASSERT_TRUE(gpu::respond(r)) << line;
    EXPECT_EQ(print(gpu::respond(r)), print(ref::respond(r))) << line;
  }
  EXPECT_EQ(print(gpu::respond({"hello", {}})), "colex 1 colex-gpu");
}
TEST(requests, as_large_as_can_be_decided_are_answered) {
  for (char const* line :
       {"right_inverse (16,16):(1,1)", "right_inverse (2,3,300):(1,1,1000)", "left_inverse (64,64):(1,1)",
        "left_inverse (127,2):(2,3)", "right_inverse Sw<1,0,3>o0o4096:1", "left_inverse Sw<1,0,3>o0o4096:1",
        "right_inverse Sw<1,0,3>o0o(4096,2):(1,5000)", "max_common_layout (4096,2):(1,0) (4096,2):(1,0)",
        "max_common_layout 10000:1 10000:1", "composition (3,2,2):(0,1,1) (4,1024):(5,0)", "bank_conflicts 1024:1 32 4",
        "left_inverse "
        "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,2):(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
        "0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1)"})
    for (edge const& e : edges) EXPECT_TRUE(static_cast<bool>(e.respond(parse_request(line)))) << e.name << ": " << line;
}

// Beyond 64 bits, 32 leaves, 255 parentheses and paths of 8 modes below 255: `unsupported`, where the reference goes on.
TEST(requests, beyond_the_limits_of_values_are_unsupported) {
  std::string const deep = nested(255, "1") + ":" + nested(255, "0");
  for (std::string const& line :
       {std::string("cosize 2:-9223372036854775809"), std::string("cosize 2:9223372036854775808"),
        std::string("cosize 2:1@255"), std::string("cosize 2:1@0@0@0@0@0@0@0@0@0"),
        std::string("right_inverse Sw<1,0,-63>o0o8:1"), "depth " + nested(256, "1") + ":" + nested(256, "0"),
        "product_each " + nested(200, "1," + nested(56, "1")), "product_each " + nested(200, nested(56, "1") + ",1"),
        "prepend 4:1 " + deep})
    EXPECT_EQ(gpu::respond(parse_request(line)).what, status::unsupported) << line;
}
TEST(requests, maps_have_words_of_64_bits) {
  EXPECT_EQ(print(gpu::respond(parse_request("f2_image F2<64>(18446744073709551615,1)"))), "F2<64>(1,18446744073709551614)");
  EXPECT_EQ(gpu::respond(parse_request("f2_rank F2<65>(18446744073709551616)")).what, status::unsupported);
}

}  // namespace
