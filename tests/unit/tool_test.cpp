// What the tool says of a program that misbehaves, and of none: reports, baselines, cases, answers.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/spellings.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/unit/harness.hpp"

#include <pugixml.hpp>

#include <sstream>

namespace colex {
namespace {

using namespace harness;

TEST(report, a_failure_takes_ten_lines_at_most) {
  for (std::string const mode : {"wrong", "silent", "crashing"}) {
    judged const j = judge("--cases /dev/null --count 10 --timeout 1", broken_program + " " + mode + " '*' 3");
    std::istringstream in(j.said.out);
    std::size_t lines = 0, failures = 0;
    for (std::string line; std::getline(in, line); lines = line.empty() ? 0 : lines + 1) {
      failures += line.starts_with("FAIL ");
      if (line.starts_with("FAIL ")) lines = 0;
      if (line.starts_with("  ")) {
        EXPECT_LT(lines, 10u) << j.said.out;
      }
    }
    EXPECT_GT(failures, 5u) << mode;
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

TEST(report, junit_and_json_are_well_formed_whatever_the_program_says) {
  for (std::string const mode : {"binary", "large", "garbage", "crashing"}) {
    std::string const junit = scratch.file("junit.xml");
    judged const j = judge_broken_one(mode, laws_asked + "--junit " + junit + " ");
    pugi::xml_document document;
    ASSERT_TRUE(document.load_file(junit.c_str())) << mode;
    std::size_t tests = 0, failures = 0;
    for (pugi::xml_node const& suite : document.child("testsuites").children("testsuite")) {
      tests += suite.attribute("tests").as_uint();
      failures += suite.attribute("failures").as_uint();
      EXPECT_EQ(static_cast<long>(suite.attribute("tests").as_uint()),
                std::distance(suite.children("testcase").begin(), suite.children("testcase").end()));
    }
    EXPECT_EQ(tests, j.report["laws"].size()) << mode;
    EXPECT_EQ(failures, j.report["failed"].get<std::size_t>()) << mode;
  }
}

TEST(report, a_file_is_written_whole_or_not_at_all) {
  std::string const file = scratch.file("whole");
  write_file(file, "first");
  write_file(file, "second");
  EXPECT_EQ(contents(file), "second");
  for (std::size_t const size : {1, 1 << 20}) EXPECT_THROW(write_file("/dev/full", std::string(size, 'x')), bad_file);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  for (char const* name : {"/no/such/folder/file", ""}) EXPECT_THROW(write_file(name, "x"), bad_file);
  EXPECT_THROW(check_writable("/no/such/folder/file"), bad_file);
  EXPECT_THROW(check_writable(scratch.at.string()), bad_file);
  // A link that somebody left under a name that this process might use on the way.
  std::string const planted = fmt::format("{}.{}.part", file, getpid());
  fs::create_symlink(scratch.file("victim"), planted);
  write_file(file, "third");
  EXPECT_EQ(contents(file), "third");
  EXPECT_FALSE(fs::exists(scratch.file("victim")));
  fs::remove(planted);
  for (fs::path const& folder : {scratch.at, fs::current_path()})
    for (auto const& entry : fs::directory_iterator(folder)) EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

TEST(report, pages_of_one_and_of_several_runs) {
  std::string const one = scratch.file("one.json"), two = scratch.file("two.json"), page = scratch.file("page.html"),
                    markdown = scratch.file("page.md"), badge = scratch.file("badge.svg");
  judge_broken_one("wrong", laws_asked + "--html " + page + " ");
  fs::copy_file(scratch.file("report.json"), one);
  std::string const html = contents(page);
  for (std::string const part :
       {"<!doctype html>", "composition_pointwise", "<mark>", " --only ", "spec/laws.md:", "02_layout_algebra"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  for (std::string const part : {"<script", "http://", "https://"}) EXPECT_EQ(html.find(part), std::string::npos) << part;
  judge_broken_one("binary");
  fs::copy_file(scratch.file("report.json"), two);
  result const r =
      shell(tool + " report " + one + " " + two + " --html " + page + " --markdown " + markdown + " --badge " + badge);
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 3) << r.out;
  pugi::xml_document document;
  EXPECT_TRUE(document.load_file(badge.c_str()));
  EXPECT_NE(contents(markdown).find("| composition_pointwise | wrong | `A="), std::string::npos) << contents(markdown);
  EXPECT_EQ(contents(page).find('\x1b'), std::string::npos);
}

TEST(report, runs_of_other_laws_by_a_program_of_any_name) {
  std::string const one = scratch.file("sizes.json"), two = scratch.file("cosizes.json"), page = scratch.file("page.html");
  std::string const asking = " --count 5 --cases /dev/null --json ", program = " -- " + script("colex 1 <a&b> 2.0 size");
  shell(tool + " conform --op size" + asking + one + program);
  shell(tool + " conform --op cosize" + asking + two + program);
  EXPECT_EQ(shell(tool + " report " + one + " " + two + " --html " + page).status, 0);
  EXPECT_NE(contents(page).find("&lt;a&amp;b&gt;"), std::string::npos);
}

TEST(report, a_run_may_lack_all_but_names_verdicts_and_counts) {
  std::string const file = scratch.file("bare.json"), page = scratch.file("bare.html"), markdown = scratch.file("bare.md");
  store(
      file,
      R"({"program":[],"laws":[{"law":"a","verdict":"wrong","count":{},"source":"an `odd one","failure":{"culprit":"composition 4:1"}},
                  {"law":"b","verdict":"wrong","count":{},"under":"a"},{"law":"c","verdict":"died","count":{}}]})");
  result const r = shell(tool + " report " + file + " --html " + page + " --markdown " + markdown);
  EXPECT_EQ(r.status, 0) << r.err;
  for (std::string const part : {"<dd>an <code>odd one</code></dd>", "<li>b <span class=\"v wrong\">wrong</span> </li>"})
    EXPECT_NE(contents(page).find(part), std::string::npos) << contents(page);
  EXPECT_NE(contents(markdown).find("| a | wrong |  |  |  |\n"), std::string::npos) << contents(markdown);
  EXPECT_EQ(contents(markdown).find("| c |"), std::string::npos) << contents(markdown);
}

TEST(report, the_command_is_quoted_as_a_shell_wants_it) {
  judged const j = judge_broken_one("wrong composition 1 '' \"it's\"");
  std::string const command = again_line(j.said.out);
  EXPECT_TRUE(command.ends_with(" 1 '' 'it'\\''s'")) << command;
  EXPECT_EQ(shell(tool + " " + command).status, 1);
}

TEST(report, what_is_no_report_is_named) {
  std::string const file = scratch.file("no_report.json");
  for (std::string const text : {"", "{", "[]", "{}", "7", "{\"laws\":[1]}",
                                 "{\"laws\":[{\"law\":\"a\",\"verdict\":\"odd\",\"count\":{}}]}", "{\"laws\":[]}"}) {
    store(file, text);
    result const r = shell(tool + " report " + file);
    EXPECT_EQ(r.status, 2) << text;
    EXPECT_NE(r.err.find("no_report.json"), std::string::npos) << text << r.err;
  }
  for (std::string const& name : {std::string("/no/such/file"), scratch.at.string()})
    EXPECT_EQ(shell(tool + " report " + name).status, 2) << name;
}

TEST(report, of_another_schema_is_refused) {
  judged const j = judge("--op size --count 5 --cases /dev/null", broken_program + " honest");
  EXPECT_EQ(j.report["schema"], json_schema);
  std::string const file = scratch.file("later.json");
  for (std::string const schema : {"2", "\"1\"", "null"}) {
    json later = j.report;
    later["schema"] = json::parse(schema);
    store(file, later.dump());
    for (std::string const job : {" report ", " merge "}) {
      result const r = shell(tool + job + file);
      EXPECT_EQ(r.status, 2) << job << schema;
      EXPECT_NE(r.err.find("later.json has schema " + printable(schema)), std::string::npos) << r.err;
    }
  }
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
  EXPECT_EQ(laws_of("--since 0.1.0"), full) << "all of the first version";
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
  EXPECT_EQ(why_unproved("no_such_law"), "no reason is given");
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
  std::string const file = scratch.file("zero.sh");
  store(file, "while read -r line; do echo '(0,4):(2,2)'; done");
  judged const j = judge("--law complement_ordered --count 60 --cases /dev/null", "sh " + file);
  EXPECT_EQ(j.report["deaths"], 0);
  EXPECT_EQ(j.law("complement_ordered")["verdict"], "wrong") << j.said.out;
}

TEST(baseline, known_failures_pass_and_new_ones_do_not) {
  std::string const file = scratch.file("baseline");
  judged const first = judge_broken_one("wrong", laws_asked + "--write-baseline " + file + " ");
  EXPECT_EQ(first.said.status, 1);
  EXPECT_NE(contents(file).find("\nwrong composition_pointwise\n"), std::string::npos) << contents(file);

  judged const known = judge_broken_one("wrong", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(known.said.status, 0) << known.said.out;
  EXPECT_EQ(known.said.out.find("FAIL"), std::string::npos) << known.said.out;
  EXPECT_NE(known.said.out.find("known to fail"), std::string::npos) << known.said.out;

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
  for (std::string const line : {"composition_pointwise", "bad composition_pointwise", "wrong", "wrong a b"}) {
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
  for (std::string const wrong :
       {"?", "composition ? ? = 4:1", "composition 4:1 4:1 = 4:1", "logical_divide ? 4:1 = 4:1", "size ? 4:1 = 4"}) {
    result const r = solve(wrong);
    EXPECT_EQ(r.status, 2) << wrong;
    EXPECT_NE(r.err.find("what can be solved"), std::string::npos) << r.err;
  }
  result const misspelt = solve("composition 4:1 ? = (4:1");
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_NE(misspelt.err.find("column 21"), std::string::npos) << misspelt.err;
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
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("\n[1-9]\\d* passed, 0 failed"))) << r.out;
  EXPECT_EQ(shell(tool + " init cpp " + at).status, 0);
  r = shell("g++ -std=c++17 " + at + "/adapter.cpp -o " + at + "/adapter && " + judged + at + "/adapter");
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  store(folder + "/adapter.py", "mine");
  EXPECT_EQ(shell(tool + " init python " + at).status, 2) << "what is there is nobody's to replace";
  EXPECT_EQ(contents(folder + "/adapter.py"), "mine");
  EXPECT_EQ(shell(tool + " init rust " + at).status, 2);
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
