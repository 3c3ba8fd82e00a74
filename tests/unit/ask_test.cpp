// What is asked of the reference: answers, reasons, places of what is wrong, and the spellings that are read.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/spellings.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/unit/harness.hpp"

#include <sstream>
#include <tuple>

namespace colex {
namespace {

using namespace harness;

TEST(tool, ask) {
  result r = shell(tool + " ask 'composition (6,2):(8,2) (4,3):(3,1)'");
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "((2,2),3):((24,2),8)\n");
  r = shell(tool + " ask composition '(6,2):(8,2)' '(4,3):(3,1)'");
  EXPECT_EQ(r.out, "((2,2),3):((24,2),8)\n");
  r = shell(tool + " ask composition '(6,2):(1,7)' '(3,2):(2,3)'");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(r.out.starts_with("undefined")) << r.out;
  r = shell(tool + " ask apply 4:1 -1");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  r = shell(tool + " ask 'composition 4:1 2:1 1'");
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("composition takes A B|T, or Sw off A, or Sw Sw', not 3 arguments"), std::string::npos) << r.err;
}

TEST(tool, what_is_wrong_with_an_argument_is_said_at_its_place) {
  for (auto const& [request, column] :
       std::initializer_list<std::pair<std::string, int>>{{"f2_complement F2<4>(1) 1001", 24},
                                                          {"swizzle_for (8,8):(8,1) 0b 32:1 16b", 25},
                                                          {"bank_conflicts  8:1  0b 4", 22},
                                                          {"mma_atom SM80_NOPE ThrID", 10},
                                                          {"mma_atom UniversalFMA SrcLayout", 23},
                                                          {"copy_atom UniversalCopy<half_t> CLayout", 33},
                                                          {"cosize Sw<2,0,3>o0o(4,8):(8,1)", 8},
                                                          {"max_alignment  Swizzle<2,0,3> o 0 o 8:1", 16},
                                                          {"cosize make_shape(2,2)", 8},
                                                          {"size 3", 6},
                                                          {"crd2idx (1,1) (2,2) 3", 21}}) {
    result const r = shell(tool + " ask '" + request + "'");
    EXPECT_EQ(r.status, 2) << request;
    EXPECT_TRUE(r.err.starts_with(fmt::format("colex: column {}: ", column))) << r.err;
    EXPECT_EQ(json::parse(shell(tool + " ask --json '" + request + "'").out)["place"]["column"], column) << request;
  }
}

TEST(tool, a_character_that_is_none_of_the_grammars_is_named) {
  for (auto const& [request, said] : std::initializer_list<std::pair<std::string, std::string>>{
           {"gr\xc3\xb6sse 4:1", "column 3: unexpected character beyond ASCII\n"},
           {"size 4\xe2\x88\xb6 1", "column 7: unexpected character beyond ASCII after a value\n"},
           {"size \xef\xbc\x94:1", "column 6: expected a value, found a character beyond ASCII\n"},
           {"size 4:1\x0b", "column 9: unexpected character that is not printable after a value\n"}}) {
    result const r = shell(tool + " ask '" + request + "'");
    EXPECT_EQ(r.status, 2) << request;
    EXPECT_TRUE(r.err.starts_with("colex: " + said)) << r.err;
  }
  std::string const drawn = shell(tool + " draw 'size " + std::string(4000, '9') + ":1'").err;
  EXPECT_TRUE(drawn.ends_with(" is nothing to draw\n") && drawn.size() < 250) << drawn;
}
TEST(tool, an_atom_of_the_other_kind_is_said_to_be_one) {
  for (auto const& [request, why] : std::initializer_list<std::pair<std::string, std::string>>{
           {"mma_atom SM75_U32x4_LDSM_N CLayout", "'U32x4' is not a shape MxNxK; it is a copy atom\n"},
           {"bank_conflict_phases 32:8 16b SM90_64x64x16_F32BF16BF16_SS", "N or T belongs at the end; it is an MMA atom\n"}}) {
    std::string const said = shell(tool + " ask '" + request + "'").err;
    EXPECT_NE(said.find(why), std::string::npos) << said;
  }
  std::string const said = shell(tool + " ask 'mma_atom SM80_16x8x16_F32F16F16F32_TN SrcLayout'").err;
  EXPECT_EQ(said.find("; it is"), std::string::npos) << said;
}
TEST(tool, what_a_thread_cannot_move_is_named) {
  for (auto const& [request, why] : std::initializer_list<std::pair<std::string, std::string>>{
           {"bank_conflicts 32:4 32b 12", "4, 8 or 16 bytes at once, not 12 (32b, 64b or 128b, not 96b)"},
           {"bank_conflict_phases 32:1 32b 4", "32, 64 or 128 bits at once, not 4"},
           {"swizzle_for 32:1 32b 32:1 4", "32, 64 or 128 bits at once, not 4"},
           {"bank_conflict_phases 32:1 16b UniversalCopy<half_t>",
            "4, 8 or 16 bytes at once, not 2 (32b, 64b or 128b, not 16b)"}})
    EXPECT_EQ(shell(tool + " ask '" + request + "'").out, "undefined a thread moves " + why + "\n") << request;
  EXPECT_EQ(shell(tool + " ask 'swizzle_for (8,8):(8,1) 32b 32:32 32b'").out,
            "undefined a thread begins at index 992, outside the layout\n");
}

TEST(tool, a_reason_is_short_and_an_answer_can_be_read_back) {
  std::string const number(4000, '7');
  for (std::string const& request : {"f2_apply F2<4>(1) " + number, "to_f2 4:" + number, "to_f2 " + number + ":1",
                                     "upcast 4:" + number + " 2", "apply 4:1 (" + number + "," + number + ")"}) {
    result const r = shell(tool + " ask '" + request + "'");
    EXPECT_LT(r.out.size(), 300u) << request;
    EXPECT_TRUE(r.out.starts_with("undefined ")) << r.out;
  }
  auto const nested = [](std::string const& leaf, std::size_t n) { return std::string(n, '(') + leaf + std::string(n, ')'); };
  auto const layout = [&](std::size_t n) { return nested("2", n) + ":" + nested("1", n); };
  for (std::string const& program : {tool + " ask", "printf '%s\n' \"$@\" | " + quoted("answer")}) {
    auto const said = [&](std::string const& request) {
      return program.starts_with("printf") ? shell("set -- '" + request + "'; " + program).out
                                           : shell(program + " '" + request + "'").out;
    };
    std::string const map = said("to_f2 " + layout(255));
    EXPECT_TRUE(map.starts_with("F2<1>(((")) << map;
    EXPECT_EQ(said("f2_rank " + map.substr(0, map.size() - 1)), "1\n");
    for (std::string const& request : {"to_f2 " + layout(256), "f2_product " + map.substr(0, map.size() - 1) + " F2<1>(1)"})
      EXPECT_TRUE(said(request).starts_with("unsupported ")) << request.substr(0, 20);
  }
}

TEST(tool, what_is_not_decided_has_a_word_of_its_own) {
  std::string const asked = " 'right_inverse (16,17):(1,1)'", said = "undecided more than 256 elements in modes that overlap\n";
  result const r = shell(tool + " ask" + asked);
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, said);
  json const j = json::parse(shell(tool + " ask --json" + asked).out);
  EXPECT_EQ(j["status"], "undecided");
  EXPECT_EQ(j["reason"], "more than 256 elements in modes that overlap");
  EXPECT_NE(shell(tool + " explain" + asked).out.find("\n" + said), std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'size(right_inverse((16,17):(1,1)))'").out, said);
  EXPECT_EQ(shell(tool + " draw" + asked).err, "colex: " + said);
}

// Longer than any kernel's, as programs make them. In seconds of a processor: what else the machine does changes nothing. Each
// takes a second or two, since the integers grow; what goes through all leaves for each of them takes minutes.
TEST(tool, answers_of_sixty_thousand_leaves_at_once) {
  auto const of = [](std::string const& each) {
    std::string out = "(" + each;
    for (int k = 1; k < 60'000; ++k) out += "," + each;
    return out + ")";
  };
  std::string const file = scratch.file("leaves"), ones = of("1") + ":" + of("3"), twos = of("2");
  for (auto const& [request, begin] : std::initializer_list<std::pair<std::string, std::string>>{
           {"make_layout_like " + ones, "(1,1,"},
           {"make_ordered_layout " + of("1") + " " + of("7"), "(1,1,"},
           {"logical_divide " + twos + ":" + of("3") + " 4:1", "((2,2),(2,2,"},
           {"logical_divide " + twos + ":" + of("3") + " " + ones, "((1,1,"},
           {"composition " + twos + ":" + of("3") + " 4096:" + (integer(1) << 13000).str(), "(2,2,2,2,2,2,2,2,2,2,2,2):(3,3,"},
           {"composition " + twos + ":" + of("3") + " 4096:1", "(2,2,2,2,2,2,2,2,2,2,2,2):(3,3,"},
           {"composition " + ones + " 4096:" + (integer(1) << 100).str(), "4096:"},
           {"composition " + of("999") + ":" + of("1") + " 1000:3", "undefined no layout is A(B(c)) at every c"},
           {"tile_to_shape 2:1 " + twos, "undecided strides of more than 4096 digits\n"},
           {"make_layout_left " + twos, "unsupported an answer with integers of more than 4096 digits\n"},
           {"coalesce " + twos + ":" + of("0"), "unsupported an answer with integers of more than 4096 digits\n"}}) {
    store(file, request);
    result const r = shell("ulimit -t 10; " + tool + " ask <" + file);
    EXPECT_TRUE(r.out.starts_with(begin)) << request.substr(0, 40) << r.out.substr(0, 200) << r.err.substr(0, 200);
  }
}
TEST(tool, answers_have_the_digits_that_can_be_read_back) {
  std::string const nines(max_digits, '9');
  EXPECT_EQ(print(ref::respond(parse_request("size " + nines + ":1"))), nines);
  EXPECT_EQ(ref::respond(parse_request("cosize 2:" + nines)).what, status::unsupported);
  EXPECT_EQ(ref::respond(parse_request("cosize 1:" + nines)).what, status::answered);
}

TEST(tool, solves_an_equation_or_says_why_not) {
  auto const solve = [](std::string const& words) { return shell(tool + " solve '" + words + "'"); };
  EXPECT_EQ(solve("composition (4,8):(8,1) ? = 32:1").out, "(8,4):(4,1)\n");
  EXPECT_EQ(solve("composition ? (4,8):(8,1) = (4,8):(1,4)").out, "(8,4):(4,1)\n");
  EXPECT_EQ(solve("logical_divide 24:1 ? = (4,6):(1,4)").out, "4:1\n");
  result const none = solve("composition 4:2 ? = 8:2");
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, "undefined B(4) = 8 is no value of A\n");
  EXPECT_EQ(solve("composition (_4, _8):(_8, _1) ? = 32:1").out, "(8,4):(4,1)\n");
  for (std::string const right :
       {"composition((4,8):(8,1), ?) = 32:1", "cute::composition( (4,8):(8,1) , ? ) == 32:1", "(4,8):(8,1) o ? = 32:1",
        "(4,8):(8,1) \u2218 ? = 32:1", "(8,4):(1,8) o (4,8):(8,1) o ? = 32:1"})
    EXPECT_EQ(solve(right).out, "(8,4):(4,1)\n") << right;
  for (std::string const left : {"composition(?, (4,8):(8,1)) = (4,8):(1,4)", "? o (4,8):(8,1) = (4,8):(1,4)"})
    EXPECT_EQ(solve(left).out, "(8,4):(4,1)\n") << left;
  EXPECT_EQ(solve("logical_divide(24:1, ?) = (4,6):(1,4)").out, "4:1\n");
  for (std::string const mirrored : {"32:1 = composition (4,8):(8,1) ?", "32:1 == (4,8):(8,1) o ?"})
    EXPECT_EQ(solve(mirrored).out, "(8,4):(4,1)\n") << mirrored;
  EXPECT_EQ(solve("composition(Layout(shape=(4,8),stride=(8,1)), ?) = 32:1").out, "(8,4):(4,1)\n");
  EXPECT_EQ(solve("coalesce((4,8):(8,1)) o ? = 32:1").out, "(8,4):(4,1)\n");
  for (auto const& [wrong, column, why] : std::initializer_list<std::tuple<std::string, int, std::string>>{
           {"?", 2, "'=' and a layout belong behind it"},
           {"composition 4:1 4:1 = 4:1", 1, "no '?' stands"},
           {"composition ? ? = 4:1", 15, "one layout can be sought"},
           {"? o 4:1 = ?", 11, "one layout can be sought"},
           {"4:1 o ? =", 10, "a layout belongs on either side of '='"},
           {"= 4:1 o ?", 1, "a layout belongs on either side of '='"},
           {"logical_divide ? 4:1 = 4:1", 16, "the tile can be sought"},
           {"size ? 4:1 = 4", 1, "no equation of 'size' is solved"},
           {"4:1 = complement 4:1 ?", 7, "no equation of 'complement' is solved"},
           {"compositon 4:1 ? = 4:1", 1, "no equation of 'compositon' is solved; did you mean composition?"},
           {"4:1 ? = 4:1", 5, "'o' belongs between"},
           {"4:1 o ? o 4:1 = 4:1", 7, "'?' is a whole layout"},
           {"composition 4:1 <?,1> = 4:1", 18, "'?' is a whole layout"},
           {"composition(4:1 ?) = 4:1", 17, "',' belongs between"},
           {"composition(, ?) = 4:1", 15, "a layout belongs beside"}}) {
    result const r = solve(wrong);
    EXPECT_EQ(r.status, 2) << wrong;
    EXPECT_TRUE(r.err.starts_with(fmt::format("colex: column {}: {}", column, why))) << wrong << "\n" << r.err;
    EXPECT_NE(r.err.find("; what can be solved: "), std::string::npos) << r.err;
  }
  result const misspelt = solve("composition 4:1 ? = (4:1");
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_NE(misspelt.err.find("column 21"), std::string::npos) << misspelt.err;
  EXPECT_NE(solve("composition(4:/, ?) = 4:1").err.find("column 15"), std::string::npos);
}

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
           {"apply Sw<2,4,3>_smem_ptr[8b](0x7e00) o 8:1 3", "apply Sw<2,4,3>o0o8:1 3"},
           {"(Sw<3,4,3>_smem_ptr[16b](0x400080) o 64:1)(8)", "apply Sw<3,3,3>o64o64:1 8"},
           {"make_layout(shape=(4,8), stride=(8,1))", "(4,8):(8,1)"},
           {"apply Sw<2,4,3> o smem_ptr[8b](unset) o 8:1 3", "apply Sw<2,4,3>o0o8:1 3"},
           {"size ArithTuple(0,_0) o (4,2):(_1@0,_1@1)", "size (0,0)o(4,2):(1@0,1@1)"},
           {"(4,8):(8,1)(2,3)", "apply (4,8):(8,1) (2,3)"},
           {"Layout((4,2),(1,4))((1,1))", "apply (4,2):(1,4) (1,1)"},
           {"((4,8):(8,1))(_,2)", "slice (_,2) (4,8):(8,1)"},
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
       }) {
    rewritten const r = in_grammar(written, ref::respond);
    EXPECT_EQ(r.text, read) << written;
    EXPECT_EQ(r.columns.size(), r.text.size()) << written;
  }
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
                                                                  {"make_layout(stride=(8,1), shape=(4,8))", 26},
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
  EXPECT_THROW(in_grammar("size(complement((2,2):(1,1)))", ref::respond), unanswered);
}

// What it says to do with a value can be done.
TEST(tool, says_what_to_do_with_a_value) {
  for (std::string const value : {"()", "7", "(2,(3,4))", "4:2", "():()", "5o4:1", "Sw<1,2,3>", "Sw<1,2,3>o0o8:1", "F2<2>(1,2)",
                                  "<2,2>", "1@0", "(_,2)"}) {
    std::string said = shell(tool + " ask '" + value + "'").err;
    std::regex const request("as in '([^']+)'"), picture("'colex draw ([^']+)' shows");
    std::smatch m;
    bool const has_hint = std::regex_search(said, m, request);
    if (has_hint) {
      EXPECT_EQ(shell(tool + " ask '" + m[1].str() + "'").status, 0) << m[1];
    }
    bool const is_drawn = std::regex_search(said, m, picture);
    EXPECT_EQ(shell(tool + " draw '" + value + "'").status == 0, is_drawn) << said;
    EXPECT_TRUE(has_hint || is_drawn || said.find("in front; 'colex ops' lists them\n") != said.npos) << said;
  }
}

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
                                                                  {"shape((4,8):(8,1))", "(4,8)"},
                                                                  {"stride((4,8):(8,1))", "(8,1)"},
                                                                  {"make_layout(make_layout(4), 2:32)", "(4,2):(1,32)"}})
    EXPECT_EQ(shell(tool + " ask '" + asked + "'").out, said + "\n") << asked;
  EXPECT_EQ(shell(tool + " ask 'shape((4,8):(8,1))'").err, "colex: read as shape (4,8):(8,1) = (4,8)\n");
  EXPECT_NE(shell(tool + " ask '(4,8):(8,1) (2,3)'").err.find("column 13: a coordinate stands right behind"),
            std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'cosize (4,8)'").status, 2) << "of a shape that depends on the strides";
  for (std::string const tile : {"(_2:_1,_2:_1)", "{2,2}", "[2, (2):(1)]"})
    EXPECT_EQ(shell(tool + " ask 'zipped_divide (4,4):(4,1) " + tile + "'").status, 0) << tile;
  EXPECT_EQ(shell(tool + " ask 'zipped_divide((4,(4,2)):(4,(1,16)), {_2:_1,(2,2)})'").out,
            "((2,(2,2)),(2,(2,1))):((4,(1,16)),(8,(2,0)))\n")
      << "tuples within a tiler are tilers";
  EXPECT_EQ(shell(tool + " ask 'size(logical_divide((4,4):(4,1), Shape<_2,_2>{}))'").out, "16\n");
  EXPECT_EQ(shell(tool + " ask 'local_tile (4,4):(4,1) (2,2) (1,1)'").err,
            "colex: read as local_tile (4,4):(4,1) <2,2> (1,1)\n");
  EXPECT_EQ(shell(tool + " ask 'complement 2:1 (4,6)'").err, "") << "where it takes a tuple, that stays one";
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
    EXPECT_NE(shell(tool + " " + command + " 4:1").err.find("a value: an operation belongs in front"), std::string::npos);
    EXPECT_NE(shell(tool + " " + command + " UniversalFMA").err.find("an atom: 'mma_atom UniversalFMA ThrID' asks"),
              std::string::npos);
  }
  r = shell(tool + " draw tv 4:1");
  EXPECT_TRUE(r.err.starts_with("colex: column 1: tv takes TV SHAPE, not 1 argument\n")) << r.err;
  EXPECT_TRUE(shell(tool + " draw tv").err.starts_with("colex: column 1: tv takes TV SHAPE, not 0 arguments\n"));
  EXPECT_TRUE(
      shell(tool + " draw tiled_mma").err.starts_with("colex: column 1: tiled_mma takes ATOM [THR] [T], not 0 arguments\n"));
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
  EXPECT_NE(shell(tool + " ask 'cosize Sw<3,4,3> o 0 o (8,64):(64,1)'")
                .err.find("cosize A: Sw<3,4,3>o0o(8,64):(64,1) is a composed layout; this is stated of a layout alone\n"),
            std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'size 4:2 # note\n'").err, "") << "blanks and comments are no other spelling";
  EXPECT_TRUE(shell(tool + " draw '4:2\n'").out.starts_with("4:2\n"));
  EXPECT_NE(shell(tool + " solve '4:1 \u2218 x = 4:1'").err.find("\n  4:1 o x = 4:1\n"), std::string::npos);
  EXPECT_NE(shell(tool + " ask '4:1 \u2218 2:1 \u2218 /'").err.find("\n  4:1 o 2:1 o /\n              ^\n"), std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'left_inverse (4,8):(8,2)'").out, "undecided overlapping modes: a value comes twice\n");
  for (auto const& [atom, fields] : {std::pair("mma_atom UniversalFMA", "Shape_MNK ThrID ALayout"),
                                     std::pair("copy_atom SM75_U32x4_LDSM_N", "ThrID SrcLayout")})
    EXPECT_NE(shell(tool + " ask '" + atom + "'").err.find(std::string("; FIELD is one of ") + fields), std::string::npos)
        << atom;
  EXPECT_NE(shell(tool + " draw bank_conflicts 32:32 32b 4").err.find("'bank_conflict_phases' is drawn"), std::string::npos);
  std::string const banks = "bank_conflict_phases (8,4):(64,8) f16 ";
  for (auto const& [written, read] : std::initializer_list<std::pair<std::string, std::string>>{
           {"bank_conflicts 32:32 float 32b", "bank_conflicts 32:32 32b 4"},
           {"bank_conflicts 32:32 cutlass::half_t uint128_t", "bank_conflicts 32:32 16b 16"},
           {banks + "uint128_t", "bank_conflict_phases (8,4):(64,8) 16b 128b"},
           {banks + "ldmatrix.x4", "bank_conflict_phases (8,4):(64,8) 16b SM75_U32x4_LDSM_N"},
           {banks + "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
            "bank_conflict_phases (8,4):(64,8) 16b SM90_U16x4_STSM_T"},
           {"recast_layout (8,4):(4,1) bf16 f32", "recast_layout (8,4):(4,1) 16b 32b"},
           {"tiled_copy_tiler UniversalCopy<half_t> float16_t 4:1 1:1",
            "tiled_copy_tiler UniversalCopy<half_t> half_t 4:1 1:1"},
           {"tiled_copy_tiler UniversalCopy<half_t> 16b 4:1 1:1", "tiled_copy_tiler UniversalCopy<half_t> uint16_t 4:1 1:1"}})
    EXPECT_EQ(shell(tool + " ask '" + written + "'").err, "colex: read as " + read + "\n") << written;
  EXPECT_NE(shell(tool + " ask 'tiled_copy_tiler UniversalCopy<half_t> quad 4:1 1:1'")
                .err.find("'quad' is not a type: double, float, tfloat32_t, half_t, "),
            std::string::npos);
  EXPECT_NE(shell(tool + " ask '" + banks + "ldmatrix'").err.find("'colex atoms ldmatrix' lists the atoms"), std::string::npos);
  EXPECT_EQ(shell(tool + " ask 'bank_conflict_phases 32:1 16b 16'").out,
            "undefined a thread moves 4, 8 or 16 bytes at once, not 2 (32b, 64b or 128b, not 16b)\n");
  std::string const mma = "tiled_mma SM80_16x8x16_F32F16F16F32_TN (2,2,1):(1,2,0) ";
  EXPECT_TRUE(shell(tool + " draw '" + mma + "'").out.starts_with(mma + "<_,_,_>\n"));
  EXPECT_TRUE(shell(tool + " draw '" + mma + "(32,32,16)'").out.starts_with(mma + "<32,32,16>\n"));
  EXPECT_NE(shell(tool + " ask '" + mma + "'").err.find("unknown operation 'tiled_mma'; 'colex draw' draws it\n"),
            std::string::npos);
  EXPECT_TRUE(shell(tool + " draw '(4,8):(8,1) o <2:1, 4:2>'").out.starts_with("composition (4,8):(8,1) <2:1,4:2>\n"));
}

TEST(tool, the_wire_reads_the_grammar_alone) {
  result const r = shell("printf 'size (4, 2):(1, 4)\\ncoalesce((4,2):(1,4))\\n' | " + quoted("answer"));
  EXPECT_TRUE(std::regex_match(r.out, std::regex("unsupported malformed: .*\nunsupported malformed: .*\n"))) << r.out;
}

TEST(tool, asks_all_of_standard_input) {
  std::string const file = scratch.file("requests");
  store(file, "# two and a half\nsize (4, 2):(1, 4)\n\nsize (4,\ncomposition (6,2):(1,7) (3,2):(2,3)\r\n");
  result r = shell(tool + " ask <" + file);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "8\nmalformed at column 6: '(' is never closed\nundefined no layout is A(B(c)) at every c\n");
  EXPECT_TRUE(r.err.starts_with("colex: line 4: column 6: ")) << r.err;
  std::istringstream lines(shell(tool + " ask --json <" + file).out);
  std::vector<json> said;
  for (std::string line; std::getline(lines, line);) said.push_back(json::parse(line));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], (json{{"request", "size (4,2):(1,4)"}, {"status", "answered"}, {"result", "8"}}));
  EXPECT_EQ(said[1]["status"], "malformed");
  EXPECT_EQ(said[1]["place"], (json{{"line", 4}, {"column", 6}}));
  EXPECT_EQ(said[2]["status"], "undefined");
  EXPECT_EQ(said[2]["reason"], "no layout is A(B(c)) at every c");
  EXPECT_EQ(shell(tool + " ask </dev/null").status, 2) << "nothing was asked";
  EXPECT_EQ(shell(tool + " ask 'size 4:1' --json").out,
            "{\"request\":\"size 4:1\",\"status\":\"answered\",\"result\":\"4\"}\n");
}

}  // namespace
}  // namespace colex
