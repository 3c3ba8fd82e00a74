// What the commands for people say: what is asked, found, listed, begun, drawn.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/spellings.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/unit/harness.hpp"

#include <chrono>
#include <sstream>

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

// Longer than any kernel's, as programs make them.
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
    auto const before = std::chrono::steady_clock::now();
    result const r = shell("timeout 20 " + tool + " ask <" + file);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10)) << request.substr(0, 40);
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
  for (std::string const wrong :
       {"?", "composition ? ? = 4:1", "composition 4:1 4:1 = 4:1", "logical_divide ? 4:1 = 4:1", "size ? 4:1 = 4",
        "4:1 ? = 4:1", "composition(4:1 ?) = 4:1", "? o ? = 4:1", "composition(, ?) = 4:1", "4:1 o ? ="}) {
    result const r = solve(wrong);
    EXPECT_EQ(r.status, 2) << wrong;
    EXPECT_NE(r.err.find("what can be solved"), std::string::npos) << r.err;
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
           {"apply Sw<2,4,3> o smem_ptr[8b](unset) o 8:1 3", "apply Sw<2,4,3>o0o8:1 3"},
           {"size ArithTuple(0,_0) o (4,2):(_1@0,_1@1)", "size (0,0)o(4,2):(1@0,1@1)"},
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
                                                                  {"size " + std::string(50'000, '('), 5 + max_depth + 1},
                                                                  {"size 4:1\n", 8}})
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

TEST(tool, reads_what_people_have_in_hand) {
  result r = shell(tool + " ask 'coalesce((4, 2):(1, 4))'");
  EXPECT_EQ(r.out, "8:1\n");
  EXPECT_EQ(r.err, "colex: read as coalesce (4,2):(1,4)\n");
  EXPECT_EQ(shell(tool + " ask 'size (4, 2):(1, 4)'").err, "") << "spaces alone are no other spelling";
  r = shell(tool + " ask 'size(complement((2,2):(1,1)))'");
  EXPECT_EQ(r.status, 1);
  EXPECT_EQ(r.out, "undefined the modes overlap\n");
  EXPECT_EQ(shell(tool + " ask 'zipped_divide((4,4):(4,1), make_shape(2,2))'").out, "((2,2),(2,2)):((4,1),(8,2))\n");
  EXPECT_EQ(shell(tool + " ask 'size(logical_divide((4,4):(4,1), Shape<_2,_2>{}))'").out, "16\n");
  EXPECT_EQ(shell(tool + " ask 'local_tile (4,4):(4,1) (2,2) (1,1)'").err,
            "colex: read as local_tile (4,4):(4,1) <2,2> (1,1)\n");
  EXPECT_EQ(shell(tool + " ask 'complement 2:1 (4,6)'").err, "") << "where it takes a tuple, that stays one";
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
      shell(tool + " draw tiled_mma x").err.starts_with("colex: column 1: tiled_mma takes ATOM THR T, not 1 argument\n"));
  EXPECT_TRUE(shell(tool + " explain '_8:_1 o (2, 2):(4, 1)'").out.starts_with("composition 8:1 (2,2):(4,1)\n"));
  EXPECT_TRUE(shell(tool + " draw 'Layout((2, 2),(2, 1))'").out.starts_with("(2,2):(2,1)\n"));
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

TEST(tool, lists_every_operation_with_an_example) {
  json const all = json::parse(shell(tool + " ops --json").out);
  ASSERT_EQ(all.size(), operation_names().size());
  for (json const& o : all) {
    answer const a = ref::respond(parse_request(o["example"]["request"].get<std::string>()));
    EXPECT_TRUE(a && print(a.result) == o["example"]["answer"]) << o;
    EXPECT_TRUE(o["example"]["request"].get<std::string>().starts_with(o["operation"].get<std::string>() + " ")) << o;
  }
  std::string const divides = shell(tool + " ops divide").out;
  for (char const* const part : {"\nzipped_divide ", "A:tensor T:tiler", " = ", "a tiler <...> by mode"})
    EXPECT_NE(divides.find(part), std::string::npos) << divides;
  EXPECT_EQ(divides.find("coalesce"), std::string::npos) << divides;
  EXPECT_EQ(shell(tool + " ops tildivide").status, 2);
}

TEST(tool, lists_atoms_that_there_are) {
  EXPECT_GT(json::parse(shell(tool + " atoms --json").out).size(), 50u);
  json const some = json::parse(shell(tool + " atoms --json LDSM").out);
  ASSERT_GT(some.size(), 5u);
  for (json const& a : some) {
    EXPECT_TRUE(ref::respond({a["operation"], {word_of(a["atom"]), word_of("ThrID")}})) << a;
    EXPECT_EQ(a["fields"]["ThrID"], "32:1");
  }
  EXPECT_NE(shell(tool + " atoms '16x8x16_F32F16'").out.find("\n    mma_atom SM80_16x8x16_F32F16F16F32_TN CLayout = "),
            std::string::npos);
}

// By the name of the PTX instruction, too, with or without what follows it.
TEST(tool, lists_atoms_by_their_instruction) {
  auto const names = [](std::string const& pattern) {
    std::set<std::string> out;
    for (json const& a : json::parse(shell(tool + " atoms --json '" + pattern + "'").out)) out.insert(a["atom"]);
    return out;
  };
  EXPECT_EQ(names("ldmatrix"), names("LDSM"));
  EXPECT_EQ(names("ldmatrix.sync.aligned.m8n8.x4.shared.b16"), names("LDSM"));
  EXPECT_EQ(names("ldsm"), names("LDSM"));
  EXPECT_EQ(names("stmatrix"), names("STSM"));
  EXPECT_EQ(names("cp.async.cg.shared.global"), names("CP_ASYNC"));
  EXPECT_EQ(names("tcgen05.cp"), names("UTCCP"));
  EXPECT_TRUE(names("cp.async").contains("SM90_TMA_LOAD,128b"));
  EXPECT_TRUE(names("tma").contains("SM90_TMA_LOAD,128b"));
  EXPECT_TRUE(names("wgmma").contains("SM90_64x64x16_F16F16F16_SS"));
  EXPECT_FALSE(names("wgmma").contains("SM90_16x8x4_F64F64F64F64_TN"));
  std::set<std::string> const shaped = names("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  EXPECT_TRUE(shaped.contains("SM80_16x8x16_F32BF16BF16F32_TN"));
  EXPECT_FALSE(shaped.contains("SM80_16x8x8_F32BF16BF16F32_TN"));
  EXPECT_NE(shell(tool + " atoms ldmatrix").out.find("SM75_U32x4_LDSM_N  (ldmatrix)\n"), std::string::npos);
  for (json const& a : json::parse(shell(tool + " atoms --json").out)) {
    std::string const name = a["atom"];
    bool const many = name.starts_with("Universal") || name.starts_with("AutoVect");
    EXPECT_EQ(a.contains("ptx"), !many) << "which instruction it is: " << name;
  }
}

TEST(tool, asks_who_was_meant) {
  for (auto const& [words, meant] : std::initializer_list<std::pair<std::string, std::string>>{
           {"ask 'compositon 4:1 2:1'", "composition"},
           {"explain 'colaesce 4:1'", "coalesce"},
           {"ask 'size(coalesec(4:1))'", "coalesce"},
           {"ask 'mma_atom SM80_16x8x16_F32F16F16F32_NT CLayout'", "SM80_16x8x16_F32F16F16F32_TN"},
           {"draw SM75_U32x4_LDSM", "SM75_U32x4_LDSM_N"},
           {"ops composiiton", "composition"},
           {"conform --law composition_pointwse -- true", "composition_pointwise"},
           {"conform --op compositon -- true", "composition"},
           {"conform --only 'composition_pointwse A=4:1' -- " + broken_program + " honest", "composition_pointwise"},
           {"conform --basline x -- true", "--baseline"},
           {"explan 'size 4:1'", "explain"},
           {"--vresion", "--version"}}) {
    result const r = shell(tool + " " + words);
    EXPECT_EQ(r.status, 2) << words;
    EXPECT_TRUE(std::regex_search(r.err, std::regex("did you mean " + meant + "\\?"))) << words << "\n" << r.err;
  }
  EXPECT_EQ(shell(tool + " ask 'frobnicate 4:1'").err.find("did you mean"), std::string::npos);
}

TEST(tool, begins_an_adapter_that_runs) {
  std::string const folder = scratch.file("new/adapters"), at = "'" + folder + "'";
  std::string const judged = tool + " conform --count 60 --op size -- ";
  EXPECT_EQ(shell(tool + " init python " + at).status, 0);
  result r = shell(judged + "python3 " + at + "/adapter.py");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("nothing was judged"), std::string::npos) << "as long as it offers nothing: " << r.out << r.err;
  shell("sed -i 's/# size=my_package.size/size=lambda a: 1/' " + at + "/adapter.py");
  r = shell(judged + "python3 " + at + "/adapter.py");
  EXPECT_NE(r.out.find("FAIL size_product "), std::string::npos) << r.out << r.err;
  EXPECT_EQ(shell(tool + " init cpp " + at).status, 0);
  r = shell("g++ -std=c++17 " + at + "/adapter.cpp -o " + at + "/adapter && " + judged + at + "/adapter");
  EXPECT_EQ(r.status, 1) << r.out << r.err;
  EXPECT_NE(r.out.find("nothing was judged"), std::string::npos) << r.out << r.err;
  store(folder + "/adapter.py", "mine");
  EXPECT_EQ(shell(tool + " init python " + at).status, 2) << "what is there is nobody's to replace";
  EXPECT_EQ(contents(folder + "/adapter.py"), "mine");
  EXPECT_EQ(shell(tool + " init rust " + at).status, 2);
}

TEST(tool, begins_no_adapter_where_no_folder_can_be) {
  std::string const file = scratch.file("a_file"), link = scratch.file("a_loop");
  store(file, "");
  fs::create_directory_symlink(link, link);
  for (auto const& [folder, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "init: the name of the folder is empty"},
           {file, "cannot make the folder " + file + ": " + file + " is a file"},
           {file + "/below/it", "cannot make the folder " + file + "/below/it: " + file + " is a file"},
           {link, "cannot make the folder " + link + ": Too many levels of symbolic links"},
           {scratch.file(std::string(300, 'x')),
            "cannot make the folder " + scratch.file(std::string(300, 'x')) + ": File name too long"}}) {
    result const r = shell(tool + " init python '" + folder + "'");
    EXPECT_EQ(r.status, 2) << folder;
    EXPECT_EQ(r.err, "colex: " + why + "\n");
  }
  EXPECT_NE(shell(tool + " draw 4:1 -o " + scratch.file(std::string(300, 'x')) + ".svg").err.find(": File name too long\n"),
            std::string::npos);
}
TEST(tool, says_how_to_run_the_adapter_that_it_began) {
  std::string const folder = scratch.file("two words");
  EXPECT_EQ(shell(tool + " init python '" + folder + "'").out, "colex conform -- python3 '" + folder + "/adapter.py'\n");
  EXPECT_NE(shell(tool + " init cpp '" + folder + "'").out.find("\ncolex conform -- '" + folder + "/adapter'\n"),
            std::string::npos);
}

TEST(tool, completes_commands_options_and_operations) {
  std::string const script = scratch.file("completion");
  EXPECT_EQ(shell(tool + " completion bash >" + script).status, 0);
  auto const completed = [&](std::string const& words, int at) {
    return shell("bash -c 'source " + script + "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                 "; _colex; echo ${COMPREPLY[@]}'")
        .out;
  };
  EXPECT_EQ(completed("colex expl", 1), "explain\n");
  EXPECT_EQ(completed("colex conform --base", 2), "--baseline\n");
  EXPECT_EQ(completed("colex ask coal", 2), "coalesce\n");
  EXPECT_NE(shell(tool + " completion fish").out.find("complete -c colex -n __fish_use_subcommand -a explain"),
            std::string::npos);
  EXPECT_TRUE(shell(tool + " completion zsh").out.starts_with("autoload"));
  EXPECT_EQ(shell(tool + " completion csh").status, 2);
}

TEST(tool, every_command_says_how_it_is_used) {
  for (char const* const command : {"ask", "explain", "draw", "figures", "ops", "atoms", "laws", "cases", "init", "conform",
                                    "merge", "report", "plan", "completion"}) {
    result const r = shell(tool + " " + command + " --help");
    EXPECT_EQ(r.status, 0) << command;
    EXPECT_NE(r.out.find("colex " + std::string(command) + " "), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("example"), std::string::npos) << command;
  }
}

TEST(tool, the_ending_of_a_file_is_its_format) {
  auto const written = [](std::string const& name) {
    std::string const file = scratch.file(name);
    fs::remove(file);
    result const r = shell(tool + " draw '(4,8):(8,1)' -o " + file);
    EXPECT_TRUE(r.status == 0 || !fs::exists(file)) << "a part of it was written";
    return r.status == 0 ? contents(file) : r.err;
  };
  EXPECT_NE(written("a.svg").find("<svg"), std::string::npos);
  EXPECT_TRUE(written("a.txt").starts_with("(4,8):(8,1)\n"));
  EXPECT_TRUE(written("a.tex").starts_with("\\documentclass"));
  bool const converter = shell("command -v rsvg-convert").status == 0;
  EXPECT_TRUE(written("a.png").starts_with(converter ? "\x89PNG" : "colex: PNG and PDF need rsvg-convert")) << written("a.png");
  EXPECT_TRUE(written("a.pdf").starts_with(converter ? "%PDF-" : "colex: PNG and PDF need rsvg-convert")) << written("a.pdf");
  EXPECT_NE(written("a.gif").find("does not end in .svg, .png, .pdf, .tex or .txt"), std::string::npos);
  result const none = shell("PATH=/nowhere " + tool + " draw 4:1 -o " + scratch.file("b.png"));
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("librsvg2-bin"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(scratch.file("b.png")));
}

TEST(tool, durations_counts_and_seeds) {
  for (char const* const good : {"1s", "0.5s", "1", "0.02m", "0.0003h"})
    EXPECT_EQ(shell(tool + " conform --op size --count 5 --cases /dev/null --timeout " + good + " --time " + good + " -- " +
                    broken_program + " honest")
                  .status,
              0)
        << good;
  for (std::string const option :
       {"--time 5x", "--time 0", "--time -1s", "--time ''", "--time 1e3", "--time 9999h", "--time inf", "--timeout 1d",
        "--count abc", "--count 0", "--count 1e3", "--count 99999999999999999999", "--seed -1", "--seed 1.5", "--jobs 0"}) {
    result const r = shell(tool + " conform " + option + " -- true");
    EXPECT_EQ(r.status, 2) << option;
    EXPECT_TRUE(std::regex_match(r.err, std::regex("colex: --.{1,110}\n"))) << option << r.err;
  }
  EXPECT_NE(shell(tool + " plan 1e3 4 4 f32").err.find("M: '1e3' is no integer from 1 to"), std::string::npos);
}

TEST(tool, laws) {
  result const r = shell(tool + " laws");
  EXPECT_EQ(r.status, 0);
  std::istringstream lines(r.out);
  std::size_t named = 0;
  for (std::string line; std::getline(lines, line);) named += !line.starts_with(" ");  // a reason stands below its law
  EXPECT_EQ(named, laws().size());
  json const listed = json::parse(shell(tool + " laws --json").out);
  EXPECT_EQ(listed.size(), laws().size());
  EXPECT_EQ(listed[0]["law"], laws()[0].name);
  EXPECT_EQ(shell(tool + " --help").status, 0);
}

TEST(tool, says_its_version) {
  result const r = shell(tool + " --version");
  EXPECT_EQ(r.status, 0);
  EXPECT_TRUE(std::regex_match(r.out, std::regex("colex \\d+\\.\\d+\\.\\d+\n"))) << r.out;
}

TEST(tool, holds_the_texts_that_it_reads) {
  std::set<std::string> held;
  for (text const& t : texts()) {
    EXPECT_EQ(t.content, contents(std::string(t.place))) << t.place;
    held.insert(std::string(t.place));
  }
  for (auto const& entry : fs::directory_iterator("spec/cases"))
    EXPECT_TRUE(held.contains(entry.path().string())) << entry.path();
  EXPECT_THROW(text_at("spec/none.md"), bad_file);
}

TEST(tool, a_pattern_that_matches_no_law_is_an_error) {
  EXPECT_EQ(shell(tool + " conform --law no_such_law -- " + broken_program + " honest").status, 2);
  EXPECT_EQ(shell(tool + " conform --op no_such_operation -- " + broken_program + " honest").status, 2);
}

}  // namespace
}  // namespace colex
