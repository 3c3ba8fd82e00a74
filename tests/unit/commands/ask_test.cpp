// What is asked of the reference: answers, reasons, and places of what is wrong.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "tests/unit/harness.hpp"

#include <fmt/format.h>

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
                                                          {"size 1@0", 6},
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
  EXPECT_EQ(solve("(4,8):(8,1) o ? = 32:1  // = what?").out, "(8,4):(4,1)\n");
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

TEST(tool, asks_all_of_standard_input) {
  std::string const file = scratch.file("requests");
  store(file,
        "# two and a half\n  // none\n/* none */\nsize (4, 2):(1, 4)\n\nsize (4,\ncomposition (6,2):(1,7) (3,2):(2,3)\r\n");
  result r = shell(tool + " ask <" + file);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "8\nmalformed at column 6: '(' is never closed\nundefined no layout is A(B(c)) at every c\n");
  EXPECT_TRUE(r.err.starts_with("colex: line 6: column 6: ")) << r.err;
  std::istringstream lines(shell(tool + " ask --json <" + file).out);
  std::vector<json> said;
  for (std::string line; std::getline(lines, line);) said.push_back(json::parse(line));
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], (json{{"request", "size (4,2):(1,4)"}, {"status", "answered"}, {"result", "8"}}));
  EXPECT_EQ(said[1]["status"], "malformed");
  EXPECT_EQ(said[1]["place"], (json{{"line", 6}, {"column", 6}}));
  EXPECT_EQ(said[2]["status"], "undefined");
  EXPECT_EQ(said[2]["reason"], "no layout is A(B(c)) at every c");
  EXPECT_EQ(shell(tool + " ask </dev/null").status, 2) << "nothing was asked";
  EXPECT_EQ(shell(tool + " ask 'size 4:1' --json").out,
            "{\"request\":\"size 4:1\",\"status\":\"answered\",\"result\":\"4\"}\n");
}

}  // namespace
}  // namespace colex
