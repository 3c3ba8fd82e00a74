// What the tool says in a terminal: of laws, of the program, of baselines and of cases.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/unit/harness.hpp"

#include <sstream>

namespace colex {
namespace {

using namespace harness;

TEST(report, a_failure_takes_ten_lines_at_most) {
  for (std::string const mode : {"wrong '*' 3", "silent '*'", "crashing '*' 10"}) {
    judged const j = judge("--law 'co*' --cases /dev/null --count 30 --timeout 1", broken_program + " " + mode);
    std::istringstream in(j.said.out);
    std::size_t lines = 0, failures = 0;
    for (std::string line; std::getline(in, line); lines = line.empty() ? 0 : lines + 1) {
      failures += line.starts_with("FAIL ");
      if (line.starts_with("FAIL ")) lines = 0;
      if (line.starts_with("  ")) {
        EXPECT_LT(lines, 10u) << j.said.out;
      }
    }
    EXPECT_GT(failures, 2u) << mode;
  }
}

TEST(report, laws_that_rest_on_a_broken_operation_are_folded) {
  judged const j = judge_broken_one("wrong coalesce");
  EXPECT_EQ(j.law("composition_coalesced")["verdict"], "wrong");
  EXPECT_TRUE(j.law("composition_coalesced")["under"].get<std::string>().starts_with("coalesce_"));
  EXPECT_TRUE(
      std::regex_search(j.said.out, std::regex("\n  also broken: \\d+ laws of coalesce, \\d+ laws? that uses? coalesce\n")))
      << j.said.out;
  EXPECT_EQ(j.said.out.find("FAIL composition"), std::string::npos) << j.said.out;
}

TEST(report, verbose_has_a_row_for_each_law_and_the_folded_by_name) {
  judged const j = judge_broken_one("wrong coalesce", laws_asked + "--verbose ");
  for (json const& l : j.report["laws"])
    EXPECT_NE(j.said.out.find("\n" + l["law"].get<std::string>() + " "), std::string::npos) << l["law"];
  EXPECT_NE(j.said.out.find("\n         wrong composition_coalesced\n"), std::string::npos) << j.said.out;
}

// ---- what a verdict says ----

std::string program_answering(std::string const& answer) {
  store(scratch.file("answering.sh"),
        "while read -r op rest; do [ $op = hello ] && echo colex 1 mine || echo '" + answer + "'; done");
  return "sh " + scratch.file("answering.sh");
}

TEST(verdicts, a_map_is_no_answer_of_a_function_of_layouts) {
  judged const j = judge("--law 'f2_*_agrees' --count 20 --cases /dev/null", program_answering("F2<4>(1,2,4,8)"));
  ASSERT_EQ(j.report["laws"].size(), 6);
  for (json const& law : j.report["laws"]) EXPECT_EQ(law["verdict"], "wrong") << law["law"];
}

TEST(verdicts, an_answer_has_one_spelling_but_for_spaces_around_it) {
  auto const status_of = [](std::string const& answer) {
    return judge("--only 'append_form append 4:1 1:0 = (4,1):(1,0)'", program_answering(answer)).said.status;
  };
  for (std::string const right : {"(4,1):(1,0)", "  (4,1):(1,0)\t ", "(_4,1):(1,_0)"}) EXPECT_EQ(status_of(right), 0) << right;
  for (std::string const none :
       {"(04,1):(1,0)", "(4,1):(1,-0)", "(4,1):(1,00)", "(4,1):(1,0@00)", "(4, 1):(1,0)", "(4,1) : (1,0)", "(4,1):(1,0).",
        "(4,1):(1,0) (4,1):(1,0)", "(\u0664,1):(1,0)", "(4,1):(+1,0)"})
    EXPECT_EQ(status_of(none), 3) << none;
  judged const j = judge("--only 'append_form append 4:1 1:0 = (4,1):(1,0)'", program_answering("(4,1):(1,0@00)"));
  EXPECT_NE(j.said.out.find("column 12: a mode number begins with a 0"), std::string::npos) << j.said.out;
}

TEST(verdicts, say_what_was_asked_and_what_is_known_of_it) {
  judged const j = judge("--only 'right_inverse_maximal A=(3,2):(1,1)'", program_answering("1:0"));
  for (std::string const part :
       {"\n  left   1    right_inverse (3,2):(1,1) = 1:0\n", "the reference: (2,2):(1,4)\n",
        "\n  ruled  E13 Right inverse is not the largest (spec/errata.md:", "\n  CuTe   C++ 4.7.0, static integers: wrong; A="})
    EXPECT_NE(j.said.out.find(part), std::string::npos) << part << j.said.out;
  judged const apply = judge("--only 'apply_beyond_domain A=(2,2):(1,2) i=4'", program_answering("0"));
  EXPECT_NE(apply.said.out.find("\n  left   0    apply (2,2):(1,2) 4 = 0\n"), std::string::npos) << apply.said.out;
  judged const share =
      judge("--law outer_partition_pointwise --cases /dev/null --count 40", broken_program + " wrong outer_partition");
  std::smatch place;  // the index that is shown is that which was asked for
  ASSERT_TRUE(std::regex_search(share.said.out, place, std::regex(" c = (\\d+)[,\n]"))) << share.said.out;
  EXPECT_TRUE(std::regex_search(share.said.out, std::regex(" outer_partition [^ ]+ [^ ]+ " + place[1].str() + " = ")))
      << share.said.out;
  judged const beyond = judge("--law apply_beyond_domain --cases /dev/null --count 40", broken_program + " wrong apply");
  ASSERT_TRUE(std::regex_search(beyond.said.out, place, std::regex(" i = (\\d+)[,\n]"))) << beyond.said.out;
  EXPECT_TRUE(std::regex_search(beyond.said.out, std::regex(" apply [^ ]+ " + place[1].str() + " = "))) << beyond.said.out;
  judged const example = judge("--only 'right_inverse_form right_inverse (3,2):(1,1) = (2,2):(1,4)'", program_answering("3:1"));
  EXPECT_NE(example.said.out.find("\n  ruled  E13 "), std::string::npos) << example.said.out;
}

TEST(verdicts, say_why_what_is_not_offered_is_not) {
  std::string const program =
      "case $op$rest in size*@*) printf 'unsupported no \\033[31mbasis\\n' ;; size*) echo 1 ;; "
      "*) echo unsupported ;; esac";
  std::string const asked = "--op '*size' --cases /dev/null --count 60";
  judged const j = judge(asked, script("colex 1 mine", program));
  std::string const example = j.law("size_product")["unsupported"]["size"];
  EXPECT_TRUE(std::regex_match(example, std::regex("size [^ ]+@[^ ]+ = unsupported no \\\\x1b\\[31mbasis"))) << example;
  EXPECT_NE(j.said.out.find("\nanswered `unsupported`, for example:\n  " + example + "\n"), std::string::npos) << j.said.out;
  EXPECT_EQ(j.said.out.find("  cosize "), std::string::npos) << "it is not offered, and no reason says why: " << j.said.out;
  EXPECT_NE(judge(asked + " -v", script("colex 1 mine", program)).said.out.find(" = unsupported\n"), std::string::npos);
  judged const listed = judge(asked, script("colex 1 mine 1 size", program));
  EXPECT_FALSE(listed.law("cosize_span").contains("unsupported")) << "it was not asked";
}

TEST(verdicts, say_of_what_kind_an_answer_is_and_of_what_it_should_be) {
  for (auto const& [only, said, sides] : std::initializer_list<std::array<std::string, 3>>{
           {"size_product A=2:1", "(1,2)", "a tuple of 2    size 2:1 = (1,2)\n  right  an integer  "},
           {"size_product A=2:1", "Sw<1,0,1>", "a swizzle    size 2:1 = Sw<1,0,1>\n  right  an integer  "},
           {"complement_ordered A=4:2 M=24", "7", "an integer    complement 4:2 24 = 7\n  right  a layout  "},
           {"complement_ordered A=4:2 M=24", "(0,4):(2,2)",
            "no layout: (0,4):(2,2) (extent 0: the extents of a shape are positive)  "}}) {
    judged const j = judge("--only '" + only + "'", program_answering(said));
    EXPECT_NE(j.said.out.find("\n  left   an answer of the wrong kind: " + sides), std::string::npos) << j.said.out;
  }
}

// Modes that do not matter are left out, whatever their strides follow from.
TEST(verdicts, shrink_to_what_fails) {
  judged const j = judge("--law coshape_cosize --cases /dev/null --seed 2", broken_program + " span_wrong coshape");
  EXPECT_NE(j.said.out.find("\n  where  A = 301:-1\n"), std::string::npos) << j.said.out;
  judged const again = judge("--law coshape_cosize --cases /dev/null --seed 2", broken_program + " span_wrong coshape");
  EXPECT_EQ(again.law("coshape_cosize")["failure"], j.law("coshape_cosize")["failure"]) << "the same seed";
}

TEST(verdicts, without_noise) {
  std::string const junit = scratch.file("quiet.xml"), badge = scratch.file("quiet.svg");
  judged const j = judge("--op '*size' --count 40 --junit " + junit + " --badge " + badge, script("colex 1 mine 2.0 size"));
  std::string const& said = j.said.out;
  EXPECT_TRUE(std::regex_search(said, std::regex("\n1 operation is not offered \\(-v names them\\)\n"))) << said;
  EXPECT_EQ(said.find("cosize"), std::string::npos) << said;
  EXPECT_TRUE(std::regex_search(said, std::regex("\n0 of 1 law passed, 1 failed, 2 not offered; "
                                                 "\\d+ of \\d+ cases passed, \\d+ failed, \\d+ not offered\n$")))
      << said;
  EXPECT_NE(contents(junit).find("message=\"wrong: A="), std::string::npos) << contents(junit);
  EXPECT_NE(contents(badge).find(" laws, "), std::string::npos) << contents(badge);
  EXPECT_EQ(j.report["totals"]["laws"]["failed"], 1);
  EXPECT_GT(j.report["totals"]["cases"]["all"], 2);
  judged const honest = judge("--op '*size' --count 1 --cases /dev/null", broken_program + " honest");
  EXPECT_NE(honest.said.out.find("2 operations pass: cosize size\n"), std::string::npos) << honest.said.out;
  EXPECT_EQ(honest.said.out.find("silent"), std::string::npos) << honest.said.out;
  EXPECT_EQ(honest.said.out.find("1 evaluations"), std::string::npos) << honest.said.out;
  judged const all = judge("--op '*size' --count 40 -v", script("colex 1 mine 2.0 size"));
  EXPECT_NE(all.said.out.find("1 operation is not offered: cosize\n"), std::string::npos) << all.said.out;
  EXPECT_NE(all.said.out.find("\nsize_product "), std::string::npos) << all.said.out;
  EXPECT_EQ(all.said.out.find("\ncosize_"), std::string::npos) << "a row of what is not offered: " << all.said.out;
  EXPECT_NE(all.said.out.find("\nand of operations that are not offered 2 laws, and the cases of 1\n"), std::string::npos)
      << all.said.out;
}

// What the last line counts is all that was asked.
TEST(verdicts, add_up) {
  judged const part = judge("--op composition --cases /dev/null --count 200", broken_program + " unsupported composition 3");
  EXPECT_TRUE(std::regex_search(part.said.out, std::regex("\n0 of (\\d+) laws passed, 0 failed, \\1 partly\n$")))
      << part.said.out;
  judged const j = judge("--law composition_form", broken_program + " wrong_kind");
  std::smatch m;
  std::regex const last("\n(\\d+) of (\\d+) cases passed, (\\d+) failed, (\\d+) not judged\n$");
  ASSERT_TRUE(std::regex_search(j.said.out, m, last)) << j.said.out;
  EXPECT_EQ(std::stoi(m[1]) + std::stoi(m[3]) + std::stoi(m[4]), std::stoi(m[2]));
}

TEST(report, the_command_is_quoted_as_a_shell_wants_it) {
  judged const j = judge_broken_one("wrong composition 1 '' \"it's\"");
  std::string const command = again_line(j.said.out);
  EXPECT_TRUE(command.ends_with(" 1 '' 'it'\\''s'")) << command;
  EXPECT_EQ(shell(tool + " " + command).status, 1);
}

TEST(choice, levels_versions_and_time) {
  auto const laws_of = [](std::string const& options) {
    judged const j = judge(options + " --count 1 --cases /dev/null", broken_program + " honest");
    return j.report["laws"].size();
  };
  std::size_t const core = laws_of("--level core"), full = laws_of("--level full");
  EXPECT_GT(core, 50u);
  EXPECT_LT(core, full);
  EXPECT_EQ(full, laws().size());
  EXPECT_GT(laws_of("--level atoms"), 30u);
  EXPECT_EQ(laws_of("--since 0.1.0"), 248u) << "those of the first version";
  EXPECT_EQ(laws_of("--since 0.2.0"), full);
  EXPECT_EQ(shell(tool + " conform --since 0.0.9 -- " + broken_program + " honest").status, 2) << "no law is that old";
  for (std::string const version : {"new", "1.", "1..2", "1234567"})
    EXPECT_EQ(shell(tool + " conform --since " + version + " -- " + broken_program + " honest").status, 2) << version;
  EXPECT_EQ(shell(tool + " conform --level all -- " + broken_program + " honest").status, 2);
  judged const quick = judge("--op composition --cases /dev/null --time 2s", broken_program + " wrong");
  EXPECT_LT(quick.report["seconds"].get<double>(), 4.0);
  EXPECT_GT(quick.report["evaluations"].get<std::size_t>(), 100u);
  judged const slow = judge("--level core --time 2s", broken_program + " slow '*' 1");
  EXPECT_LT(slow.report["seconds"].get<double>(), 8.0);
  EXPECT_NE(slow.said.out.find("the time was out before"), std::string::npos) << slow.said.out;
  judged const out_of_time = judge("--cases /dev/null --verbose --time 0.2s", broken_program + " wrong '*'");
  EXPECT_NE(out_of_time.said.out.find("(stopped after 0 tries: smaller ones may fail too)"), std::string::npos)
      << out_of_time.said.out;
  EXPECT_TRUE(std::regex_search(out_of_time.said.out, std::regex(" 0 +0\\.0% +0\\.0%\n"))) << out_of_time.said.out;
}

TEST(choice, what_is_said_of_a_law_that_there_is_not) {
  EXPECT_EQ(stated("no_such_law").place, "");
  EXPECT_EQ(why_unproved("no_such_law"), "unproved: no reason is given");
}
TEST(choice, a_law_is_proved_or_it_is_said_what_is_lacking) {
  for (std::string const& name : law_names()) {
    std::string const why = why_unproved(name);
    EXPECT_EQ(is_proved(name), why.empty()) << name;
    EXPECT_TRUE(why.empty() || why.starts_with("partly: ") || why.starts_with("unproved: ")) << name << ": " << why;
  }
}

TEST(hello, name_version_and_operations) {
  judged const j = judge("--op 's*ize' --count 60 --cases /dev/null", script("colex 1 mine 2.0 size"));
  EXPECT_EQ(j.report["name"], "mine");
  EXPECT_EQ(j.report["version"], "2.0");
  EXPECT_EQ(j.law("size_product")["verdict"], "wrong") << j.said.out;
  judged const none = judge("--op cosize --count 60 --cases /dev/null", script("colex 1 mine 2.0 size"));
  EXPECT_EQ(none.report["laws"][0]["verdict"], "unsupported") << "it does not offer cosize";
  result const newer = shell(tool + " conform -- " + script("colex 2 mine"));
  EXPECT_EQ(newer.status, 3);
  EXPECT_NE(newer.err.find("version 2"), std::string::npos) << newer.err;
}

TEST(hello, what_is_no_layout_is_an_answer_of_the_wrong_kind) {
  judged const j = judge("--law complement_ordered --count 60 --cases /dev/null", script("colex 1 zero", "echo '(0,4):(2,2)'"));
  EXPECT_EQ(j.report["deaths"], 0);
  EXPECT_EQ(j.law("complement_ordered")["verdict"], "wrong") << j.said.out;
}

TEST(baseline, known_failures_pass_and_new_ones_do_not) {
  std::string const file = scratch.file("baseline");
  judged const first = judge_broken_one("wrong", laws_asked + "--write-baseline " + file + " ");
  EXPECT_EQ(first.said.status, 1);
  for (std::string const line : {"pass coalesce_flat 0/150", "offers composition", "offers coalesce"})
    EXPECT_NE(contents(file).find("\n" + line + "\n"), std::string::npos) << contents(file);

  EXPECT_TRUE(std::regex_search(contents(file), std::regex("\nwrong composition_pointwise \\d+/\\d+ wrong \\d")))
      << contents(file);

  judged const known = judge_broken_one("wrong", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(known.said.status, 0) << known.said.out;
  EXPECT_EQ(known.said.out.find("FAIL"), std::string::npos) << known.said.out;
  std::regex const counted("\n\\d+ laws known to fail, as the baseline says\n");
  EXPECT_TRUE(std::regex_search(known.said.out, counted)) << known.said.out;
  std::regex const totals("\n\\d+ of \\d+ laws passed, (\\d+) failed \\(\\1 known, 0 new\\)\n$");
  EXPECT_TRUE(std::regex_search(known.said.out, totals)) << known.said.out;

  judged const better = judge_broken_one("honest", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(better.said.status, 0);
  EXPECT_NE(better.said.out.find("passes now, though the baseline lists it: composition_pointwise"), std::string::npos)
      << better.said.out;

  judged const worse = judge_broken_one("crashing", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(worse.said.status, 3) << worse.said.out;
  judged const elsewhere = judge_broken_one("wrong coalesce", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(elsewhere.said.status, 1) << elsewhere.said.out;
  EXPECT_NE(elsewhere.said.out.find("FAIL coalesce_"), std::string::npos) << elsewhere.said.out;
}

TEST(baseline, what_cannot_be_read_is_named) {
  for (std::string const& name : {std::string("/no/such/file"), scratch.at.string()}) {
    result const r = shell(tool + " conform --baseline " + name + " -- " + broken_program + " honest");
    EXPECT_EQ(r.status, 2);
    EXPECT_NE(r.err.find("cannot read " + name), std::string::npos) << r.err;
  }
}

TEST(baseline, a_line_that_is_none_is_named) {
  std::string const file = scratch.file("bad_baseline");
  for (std::string const line : {"composition_pointwise",
                                 "bad composition_pointwise",
                                 "wrong",
                                 "wrong coalesce_flat 7",
                                 "wrong coalesce_flat 3/2",
                                 "wrong coalesce_flat 1/0",
                                 "wrong coalesce_flat -1/2",
                                 "offers",
                                 "offers composit",
                                 "wrong composition_pointwis",
                                 "pass composit_form",
                                 "inputs 1",
                                 "inputs 1 0.2.0 x",
                                 "pass coalesce_flat 0/4 5 unsupported",
                                 "wrong coalesce_flat 3/4 2 unsupported",
                                 "pass coalesce_flat 0/4 1",
                                 "pass coalesce_flat 0/4 x unsupported",
                                 "pass coalesce_flat 0/4 1 lost",
                                 "pass coalesce_flat 0/4 1 unsupported x",
                                 "pass coalesce_flat 0/4 -1 unsupported",
                                 "wrong coalesce_flat 3/4 wrong 1-2",
                                 "wrong coalesce_flat 3/4 wrong 1-4",
                                 "wrong coalesce_flat 3/4 1 form wrong 1-3",
                                 "wrong coalesce_flat 3/4 wrong 1-3 silent 3",
                                 "wrong coalesce_flat 2/4 wrong 4-5",
                                 "wrong coalesce_flat 2/4 wrong 0-1",
                                 "wrong coalesce_flat 2/4 wrong 2-1",
                                 "wrong coalesce_flat 2/4 wrong 2,1",
                                 "wrong coalesce_flat 2/4 wrong 1,2,",
                                 "wrong coalesce_flat 2/4 wrong 1-",
                                 "wrong coalesce_flat 2/4 wrong ,1-2",
                                 "wrong coalesce_flat 2/4 wrong 1-2 x",
                                 "wrong coalesce_flat 2/4 wrong",
                                 "wrong coalesce_flat 2/4 pass 1-2",
                                 "wrong coalesce_flat 2/4 form 1-2",
                                 "wrong coalesce_flat 9000000000/9000000000 wrong 1-9000000000"}) {
    store(file, "# a comment\n\n" + line + "\n");
    result const r = shell(tool + " conform --baseline " + file + " -- " + broken_program + " honest");
    EXPECT_EQ(r.status, 2) << line;
    EXPECT_NE(r.err.find("bad_baseline:3: "), std::string::npos) << r.err;
  }
}

TEST(cases, verdicts) {
  auto const verdict_of = [](std::string const& line, std::string const& said) {
    return judge_case(parse_case(line), parse_answer(said));
  };
  EXPECT_EQ(verdict_of("f 1 = 4:1", "4:1"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = 4:1", "(2,2):(1,2)"), verdict::form);
  EXPECT_EQ(verdict_of("f 1 ~ 4:1", "(2,2):(1,2)"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 ~ 4:1", "(2,2):(2,1)"), verdict::wrong);
  EXPECT_EQ(verdict_of("f 1 ~ 4:1", "5:1"), verdict::wrong);
  EXPECT_EQ(verdict_of("f 1 ~ 100000:1", "(99999,2):(1,3)"), verdict::wrong);
  EXPECT_EQ(verdict_of("f 1 = 4", "5"), verdict::wrong);
  EXPECT_EQ(verdict_of("f 1 = 4:1", "4"), verdict::wrong);
  EXPECT_EQ(verdict_of("f 1 = 4:1", "undefined x"), verdict::refused);
  EXPECT_EQ(verdict_of("f 1 = 4:1", "unsupported"), verdict::unsupported);
  EXPECT_EQ(verdict_of("f 1 = unsupported", "unsupported"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = undefined", "4:1"), verdict::silent);
  EXPECT_EQ(verdict_of("f 1 = undefined", "undefined why"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = unspecified", "unspecified"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = unspecified", "4:1"), verdict::not_judged);
  EXPECT_EQ(verdict_of("f 1 = unspecified", "undefined"), verdict::not_judged);
  EXPECT_EQ(verdict_of("f 1 = 5 o 4:1", "5o4:1"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = (24)", "24"), verdict::form);
  EXPECT_EQ(verdict_of("f 1 = (24)", "(24,1)"), verdict::wrong);
}

// In a request or a case file a swizzle whose bits meet is a mistake; as an answer it is a wrong one.
TEST(cases, a_swizzle_whose_bits_meet) {
  EXPECT_EQ(judge_case(parse_case("f 1 = Sw<1,0,1>"), parse_answer("Sw<2,0,1>")), verdict::wrong);
  EXPECT_EQ(judge_case(parse_case("f 1 = Sw<2,0,3>o0o2:1"), parse_answer("Sw<2,0,1>o0o2:1")), verdict::wrong);
  EXPECT_THROW(parse_request("apply Sw<2,0,1> 5"), malformed);
  EXPECT_THROW(parse_case("f 1 = Sw<2,0,1>"), malformed);
  judged const j = judge("--law upcast_swizzle --cases /dev/null --count 100", broken_program + " meeting_bits upcast");
  EXPECT_GT(j.count("wrong", "upcast"), 50u) << j.said.out;
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_NE(j.said.out.find("a swizzle with |S| >= B"), std::string::npos) << j.said.out;
}

std::string const good_cases =
    "# worked examples\ncomposition (6,2):(8,2) (4,3):(3,1) = ((2,2),3):((24,2),8)  # composition_pointwise\n\n"
    "coalesce (2,(1,6)):(1,(6,2)) ~ (2,6):(1,2)\ncomposition (6,2):(1,7) (3,2):(2,3) = undefined\n";

TEST(cases, the_reference_is_checked_line_by_line) {
  std::string const file = scratch.file("cases.txt");
  store(file, good_cases);
  result r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(r.out, "3 passed, 0 failed\n");
  store(file, good_cases + "size 4:1 = 5\ncoalesce (2,2):(1,2) = (2,2):(1,2)\nsize 4:1 = undefined\n");
  r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("cases.txt:6: size 4:1\n  expected = 5\n  got        4\n"), std::string::npos) << r.out;
  EXPECT_TRUE(r.out.ends_with("cases.txt:8: size 4:1\n  expected = undefined\n  got        4\n3 passed, 3 failed\n")) << r.out;
  store(file, good_cases + "size 4:1 = unspecified\ncomposition (2,4):(4,1) 8:-1 = unspecified\n");
  r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 1) << "the reference answers the first";
  EXPECT_TRUE(r.out.ends_with("cases.txt:6: size 4:1\n  expected = unspecified\n  got        4\n4 passed, 1 failed\n"))
      << r.out;
  store(file, good_cases + "size (4\n");
  r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("cases.txt:6: "), std::string::npos) << r.err;
  EXPECT_TRUE(r.out.ends_with("\n3 passed, 0 failed, 1 malformed\n") || r.out == "3 passed, 0 failed, 1 malformed\n") << r.out;
}

TEST(cases, in_another_spelling_are_shown_in_the_notation) {
  std::string const file = scratch.file("cases.txt");
  store(file,
        "composition(4:2, 2:1) = 2:2\nzipped_divide (4,4):(4,1) (2,2) ~ (2:2, 3:1)\nsize (4, 2):(1, 4) = undefined\nsize(4:1 = "
        "4\n"
        "size 4:1 = 4\n");
  result const r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.out, "1 passed, 0 failed, 4 malformed\n");
  std::regex const hint("cases are in the notation: ([^\n]*)\n");
  std::vector<std::string> shown;
  for (std::sregex_iterator at(r.err.begin(), r.err.end(), hint); at != std::sregex_iterator(); ++at) shown.push_back((*at)[1]);
  EXPECT_EQ(shown, (std::vector<std::string>{"composition 4:2 2:1 = 2:2", "zipped_divide (4,4):(4,1) <2,2> ~ <2:2,3:1>",
                                             "size (4,2):(1,4) = undefined"}))
      << r.err;
}

TEST(cases, of_a_document_stand_in_fences_or_lists) {
  std::string const file = scratch.file("cases.md");
  store(file, "```sh\nsize 4:1 = 5\n```\n```case\nsize 4:1 = 4\n```\nCases: `size 2:1 = 2` and `size 3:1 = 4\n");
  EXPECT_EQ(shell(tool + " cases " + file).out, "2 passed, 0 failed\n");
}
TEST(cases, of_a_file_that_breaks_off_are_none) {
  result const r = shell(tool + " cases /proc/self/mem");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "colex: cannot read /proc/self/mem\n");
}

TEST(cases, whose_answer_is_left_open_are_not_for_nonsense) {
  std::string const file = scratch.file("cases.txt"), asked = "--law composition_form --cases " + file + " --timeout 1 ";
  store(file, "composition (2,4):(4,1) 8:-1 = unspecified\n");
  for (std::string const mode : {"garbage", "crashing", "hanging"})
    EXPECT_EQ(judge(asked, broken_program + " " + mode).law("composition_form")["verdict"], "died") << mode;
  EXPECT_EQ(judge(asked, broken_program + " refusing").law("composition_form")["count"]["not judged"], 1);
}

// Who asks for laws alone asks no cases, and who gives a file of them is told so.
TEST(cases, that_are_not_asked_are_told) {
  std::string const file = scratch.file("cases.txt"), asked = " conform --count 1 --cases " + file + " --law ";
  store(file, "size 4:1 = 4\nsize 4:2 = 4\nrank 4:1 = 1\n");
  auto const told = [&](std::string const& law) { return shell(tool + asked + law + " -- " + broken_program + " honest"); };
  EXPECT_EQ(told("'*'").err, "");
  EXPECT_EQ(told("'size_*'").err, "colex: 1 of 3 in --cases not asked: --law, --op or --level leaves out rank_form\n");
  EXPECT_EQ(told("size_product").err,
            "colex: 3 of 3 in --cases not asked: --law, --op or --level leaves out rank_form, size_form\n");
  EXPECT_EQ(told("size_product").status, 0);
  result const none = told("composition_form");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err,
            "colex: no law of level full matches --law 'composition_form' --op '*'; 3 of 3 in --cases not asked: --law, "
            "--op or --level leaves out rank_form, size_form\n");
}

// A name that is mistaken is not asked, and nothing fails.
TEST(cases, of_operations_that_there_are_not_are_told) {
  std::string const file = scratch.file("cases.txt");
  store(file, "\xef\xbb\xbfsize 4:1 = 4\r\nsiez 4:1 = 5\n");
  result const r = shell(tool + " conform --law '*_form' --cases " + file + " -- " + broken_program + " honest");
  EXPECT_EQ(r.err, "colex: " + file + ":2: there is no operation siez; did you mean size?\n");
  EXPECT_NE(r.out.find("\n1 of 1 case passed, 0 failed, 1 not offered\n"), std::string::npos) << r.out;
  result const other = shell(tool + " conform --only 'size_form rank 4:1 = 1' -- " + broken_program + " honest");
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.err, "colex: the case is one of rank_form, not of size_form\n");
}

TEST(cases, are_asked_of_programs_too) {
  std::string const file = scratch.file("cases.txt");
  store(file, good_cases);
  std::string const asked = "--law composition_form --cases " + file + " ";
  EXPECT_EQ(judge(asked, broken_program + " honest").said.status, 0);
  judged const form = judge(asked, broken_program + " form");
  EXPECT_EQ(form.said.status, 0) << form.said.out;
  EXPECT_EQ(form.law("composition_form")["verdict"], "form");
  judged const exact = judge(asked + "--exact ", broken_program + " form");
  EXPECT_EQ(exact.said.status, 1) << exact.said.out;
  for (std::string const mode : {"wrong", "silent", "refusing", "crashing"}) {
    judged const j = judge(asked, broken_program + " " + mode);
    EXPECT_NE(j.said.status, 0) << mode;
    EXPECT_NE(j.said.out.find("cases.txt:"), std::string::npos) << j.said.out;
    result const r = shell(tool + " " + again_line(j.said.out));
    EXPECT_EQ(r.status, j.said.status) << r.out << r.err;
  }
}

}  // namespace
}  // namespace colex
