// What the tool says of a program that misbehaves, and of none: reports, baselines, cases, answers.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/notation/spellings.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/results.hpp"
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
       {"<!DOCTYPE html>", "composition_pointwise", "<mark>", " --only ", "spec/laws.md:", "02_layout_algebra"})
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
      R"({"program":[],"laws":[{"law":"size_product","verdict":"wrong","count":{"wrong":1},"failure":{"culprit":"composition 4:1"}},
                  {"law":"cosize_last","verdict":"wrong","count":{"wrong":1},"under":"size_product"},
                  {"law":"size_form","verdict":"died","count":{"died":1}}]})");
  result const r = shell(tool + " report " + file + " --html " + page + " --markdown " + markdown);
  EXPECT_EQ(r.status, 0) << r.err;
  for (std::string const part :
       {"<h3>size_<wbr/>product <span class=\"v bad\">wrong</span></h3>", "<code>composition 4:1 = </code>",
        "<li>cosize_<wbr/>last <span class=\"v bad\">wrong</span></li>"})
    EXPECT_NE(contents(page).find(part), std::string::npos) << part << contents(page);
  EXPECT_NE(contents(markdown).find("| size_product | wrong |  |  |  |\n"), std::string::npos) << contents(markdown);
  EXPECT_EQ(contents(markdown).find("| size_form |"), std::string::npos) << contents(markdown);
}

// ---- what programs and files say is text, wherever it goes ----

std::vector<std::string> const hostile{"\"><script>alert(1)</script>",
                                       "<img src=x onerror=alert(1)>",
                                       "</style></title><b>",
                                       "' onmouseover='alert(1)",
                                       "\x1b[31mred\x1b[2J",
                                       "\x1b]0;title\x07",
                                       "\xc2\x9b"
                                       "31m\xe2\x80\xae",
                                       "a\nFAIL none\n0 of 0 laws passed",
                                       "\r\n| a | b |\n# heading",
                                       "`` ` ``` | <u> [x](javascript:alert(1))",
                                       "]]> --> &amp; &#27; \\| \\` \\",
                                       "%s%n{}{0}",
                                       std::string(5000, 'A')};

bool plain_text(std::string const& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c >= 32 && c < 127); });
}

// Its elements are those of a page, and what they point at is on it.
struct page_check : pugi::xml_tree_walker {
  std::string wrong;
  bool for_each(pugi::xml_node& n) override {
    static std::set<std::string> const known{
        "html",  "head",  "meta",  "title",   "style",   "link",    "body",    "header", "h1",         "h2",
        "h3",    "p",     "small", "dl",      "dt",      "dd",      "div",     "i",      "b",          "span",
        "a",     "code",  "pre",   "details", "summary", "article", "section", "figure", "figcaption", "table",
        "thead", "tbody", "tr",    "th",      "td",      "mark",    "ul",      "li",     "br",         "wbr"};
    if (n.type() == pugi::node_element && !known.contains(n.name())) wrong += std::string(" <") + n.name();
    for (pugi::xml_attribute const& a : n.attributes()) {
      std::string const name = a.name(), to = a.value();
      if (name.starts_with("on") || (name == "href" && !to.starts_with("#") && to != "data:,")) wrong += " " + name + "=" + to;
    }
    return true;
  }
};
std::string wrong_in_page(std::string const& html) {
  pugi::xml_document document;
  if (!document.load_string(html.c_str(), pugi::parse_default | pugi::parse_doctype)) return "not well-formed";
  page_check check;
  document.traverse(check);
  return plain_text(html) ? check.wrong : check.wrong + " not plain text";
}
// Outside code spans no markup, and as many cells in each row of a table.
std::string wrong_in_markdown(std::string const& text) {
  if (!plain_text(text)) return "not plain text";
  std::istringstream in(std::regex_replace(text, std::regex("`[^`\n]*`"), "x"));
  std::size_t cells = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_of("<>[]`") != line.npos) return line;
    std::size_t const here = static_cast<std::size_t>(std::count(line.begin(), line.end(), '|'));
    if (cells && here && here != cells) return line;
    cells = here;
  }
  return {};
}

void expect_harmless(std::string const& arguments, std::string const& who, bool merged) {
  auto const file = [](char const* kind) { return scratch.file(std::string("harmless.") + kind); };
  std::string command = tool + " " + arguments;
  for (char const* kind : {"html", "markdown", "badge"}) command += fmt::format(" --{} {}", kind, file(kind));
  if (merged)
    for (char const* kind : {"junit", "json"}) command += fmt::format(" --{} {}", kind, file(kind));
  result const r = shell(command);
  EXPECT_NE(r.status, 2) << who << r.err;  // 3: the program died
  EXPECT_TRUE(plain_text(r.out + r.err)) << who << r.out;
  EXPECT_EQ(r.out.find("\nFAIL none"), std::string::npos) << who;
  EXPECT_EQ(wrong_in_page(contents(file("html"))), "") << who;
  EXPECT_EQ(wrong_in_markdown(contents(file("markdown"))), "") << who;
  for (char const* kind : {"badge", "junit"}) {
    if (kind == std::string("junit") && !merged) continue;
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file(file(kind).c_str())) << who << kind;
    EXPECT_TRUE(plain_text(contents(file(kind)))) << who << kind;
    EXPECT_EQ(contents(file(kind)).find("&#"), std::string::npos) << who << kind;
  }
}

// Every text of a report but names of laws and verdicts, and what must be of one form.
void replace_texts(json& j, std::string const& by, std::string const& key = {}) {
  static std::set<std::string> const fixed{"law", "op", "verdict", "under", "suite", "baseline", "suspects"};
  if (fixed.contains(key)) return;
  if (j.is_string()) j = key == "asked" ? by + " = " + by : by.substr(0, key == "level" || key == "colex" ? 190 : by.npos);
  if (!j.is_structured()) return;
  if (key == "where") j["X" + by.substr(0, 100)] = by;
  for (auto const& [name, v] : j.items()) replace_texts(v, by, j.is_array() ? key : name);
}

TEST(hostile, what_a_file_says_is_text_in_every_report) {
  json const report = judge("--op 'co[am]*' --count 40", broken_program + " wrong '*' 3").report;
  std::string const file = scratch.file("hostile.json");
  for (std::string const& text : hostile) {
    json worse = report;
    for (json& law : worse["laws"])
      for (char const* key : {"operation", "statement", "stated", "source"}) law[key] = text.substr(0, 190);
    for (char const* key : {"name", "version", "command"}) worse[key] = text.substr(0, 190);
    for (json& law : worse["laws"])
      if (law.contains("failure")) {
        replace_texts(law["failure"], text);
        law["failure"]["verdict"] = law["verdict"];
      }
    worse["program"] = worse["asked"]["program"] = {text};
    worse["asked"]["level"] = worse["asked"]["colex"] = text.substr(0, 190);
    store(file, worse.dump());
    expect_harmless("report " + file, "report of " + text, false);
    expect_harmless("merge " + file, "merge of " + text, true);
  }
}

TEST(hostile, what_a_program_says_is_text_in_every_report) {
  std::string const answers = scratch.file("answers"), program = scratch.file("says.sh");
  for (std::string const& text : hostile) {
    if (text.find('\n') != text.npos) continue;
    store(answers, text + "\n");
    store(scratch.file("greeting"), "colex 1 " + std::regex_replace(text, std::regex(" "), "") + " 1\n");
    store(program, "while read -r op rest; do case $op in hello) cat " + scratch.file("greeting") + ";; *) cat " + answers +
                       ";; esac; done");
    std::string const asking = "conform --law 'co[am]*_*i*' --count 3 --timeout 2";
    store(scratch.file("run.sh"), tool + " " + asking + " \"$@\" -- sh " + program + " || [ $? = 1 ] || [ $? = 3 ]");
    std::string const file = scratch.file("live.json"), page = scratch.file("live.html"), markdown = scratch.file("live.md");
    result const r = shell("sh " + scratch.file("run.sh") + " --json " + file + " --html " + page + " --markdown " + markdown);
    EXPECT_TRUE(plain_text(r.out + r.err)) << text;
    if (!fs::exists(page)) continue;  // it was no greeting, and that was said
    EXPECT_EQ(wrong_in_page(contents(page)), "") << text;
    EXPECT_EQ(wrong_in_markdown(contents(markdown)), "") << text;
    EXPECT_TRUE(plain_text(contents(file))) << text;
  }
}

// By `report` and by `merge`.
void expect_refused(std::string const& text, std::string const& says) {
  std::string const file = scratch.file("refused.json");
  store(file, text);
  for (std::string const job : {" report ", " merge "}) {
    result const r = shell(tool + job + file);
    EXPECT_EQ(r.status, 2) << job << says;
    EXPECT_NE(r.err.find(says), std::string::npos) << job << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_TRUE(plain_text(r.err) && r.out.empty()) << r.err << r.out;
  }
}
template <class F>
std::string changed(json report, F change) {
  change(report);
  return report.dump();
}

TEST(hostile, what_no_run_comes_to_is_refused_in_one_line) {
  json const report = judge("--op size --count 5 --cases /dev/null", broken_program + " honest").report;
  for (auto const& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {changed(report, [](json& j) { j["laws"][0]["count"]["pass"] = -3; }), "count"},
           {changed(report, [](json& j) { j["laws"][0]["evaluations"] = 1e300; }), "evaluations"},
           {changed(report, [](json& j) { j["laws"][0]["count"]["pass"] = "7"; }), "count"},
           {changed(report, [](json& j) { j["seed"] = -1; }), "seed"},
           {changed(report, [](json& j) { j["seconds"] = -0.5; }), "seconds"},
           {changed(report, [](json& j) { j["laws"][0]["law"] = "\"><script>alert(1)</script>"; }), "is no law"},
           {changed(report, [](json& j) { j["laws"][0]["law"] = "no_such_law"; }), "\"no_such_law\" is no law"},
           {changed(report, [](json& j) { j["laws"].push_back(j["laws"][0]); }), "comes twice"},
           {changed(report, [](json& j) { j["laws"][0]["verdict"] = "\x1b[31m"; }), "is no verdict"},
           {changed(report, [](json& j) { j["laws"][0]["count"]["splendid"] = 1; }), "is no verdict"},
           {changed(report, [](json& j) { j["laws"][0]["failure"] = {{"where", {{"A", 4}}}}; }), "where"},
           {changed(report, [](json& j) { j["shard"]["of"] = 0; }), "shard"},
           {changed(report, [](json& j) { j["shard"]["index"] = 2; }), "<root>[shard]: there is no shard 2 of 1"},
           {changed(report, [](json& j) { j["date"] = "yesterday"; }), "<root>[date]"},
           {std::regex_replace(report.dump(), std::regex("\"pass\":"), "\"pass\":0,\"pass\":"),
            "<root>[laws][count][pass] comes twice"},
           {std::regex_replace(report.dump(), std::regex("\"deaths\":0"), "\"deaths\":0,\"deaths\":0"),
            "<root>[deaths] comes twice"},
           {"{\"laws\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}", "deeper than"},
           {std::string(100'000, '['), "deeper than"},
           {std::string(100'000, '{'), "refused.json"}})
    expect_refused(text, says);
}

TEST(hostile, what_does_not_end_is_refused) {
  std::string const zeros = "ulimit -v 4000000; " + tool;
  for (std::string const& job : {" report /dev/zero", " cases /dev/zero", " conform --cases /dev/zero -- true",
                                 " conform --baseline /dev/zero -- true", " figures /dev/zero"}) {
    result const r = shell(zeros + job);
    EXPECT_EQ(r.status, 2) << job << r.err;
    if (job != " figures /dev/zero")
      EXPECT_NE(r.err.find("/dev/zero is larger than 256 MiB"), std::string::npos) << job << r.err;
    EXPECT_EQ(r.out, "") << job;
  }
  for (std::string const& asking : {" ask", " ask --json"}) {
    result const r = shell(zeros + asking + " </dev/zero");
    EXPECT_EQ(r.status, 2) << asking;
    EXPECT_NE(r.err.find("line 1: longer than 1048576 characters"), std::string::npos) << asking << r.err;
  }
  std::string const file = scratch.file("long.txt");
  store(file, std::string(2'000'000, '4') + "\n");
  result const r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("long.txt:1: column 1048577: line longer than 1048576 characters"), std::string::npos) << r.err;
}

TEST(hostile, what_is_said_in_sum_is_what_is_listed) {
  json const report = judge("--op 'co[am]*' --count 60", broken_program + " wrong coalesce 3").report;
  std::size_t at = 0;  // a broken law that is shown
  while (!report["laws"][at].contains("failure") || report["laws"][at].contains("under")) ++at;
  for (auto const& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {changed(report, [&](json& j) { j["laws"][at]["failed"] = false; }), " is false, and what is listed comes to true"},
           {changed(report, [&](json& j) { j["laws"][at].erase("failed"); }), " is false, and what is listed comes to true"},
           {changed(report, [&](json& j) { j["laws"][at]["verdict"] = "pass"; }), "\"verdict\" of "},
           {changed(report, [&](json& j) { j["laws"][at]["count"]["wrong"] = 0; }), "\"evaluations\" of "},
           {changed(report, [&](json& j) { j["laws"][at]["unanswered"] = {{"basis strides", 20}}; }),
            "cannot have 20 inputs with "},
           {changed(report, [&](json& j) { j["laws"][at]["unanswered"] = {{"basis strides", 0}}; }),
            "cannot have 0 inputs with "},
           {changed(report, [&](json& j) { j["laws"][at]["known"] = true; }), "no baseline has it"},
           {changed(report, [&](json& j) { j["laws"][at]["under"] = j["laws"][at]["law"]; }), "a law that is not shown"},
           {changed(report, [&](json& j) { j["laws"][at]["under"] = "size_form"; }), "a law that is not shown"},
           {changed(report, [](json& j) { j["failed"] = 0; }), "\"failed\" of the run is 0, and what is listed comes to "},
           {changed(report, [](json& j) { j["passed"] = 900; }), "\"passed\" of the run is 900, "},
           {changed(report, [](json& j) { j["evaluations"] = 7; }), "\"evaluations\" of the run is 7, "},
           {changed(report, [](json& j) { j["totals"]["laws"]["failed"] = 0; }), "\"totals\" of the run is {"},
           {changed(report, [](json& j) { j["exit"] = 0; }), "\"exit\" of the run is 0, and what is listed comes to 1"},
           {changed(report, [](json& j) { j["exact"] = true; }), "what is listed comes to "},
           {changed(report, [](json& j) { j["seed"] = 2; }), "\"seed\" of the run is 2, and what is listed comes to 1"},
           {changed(report, [](json& j) { j["deaths"] = 7; }), "\"exit\" of the run is 1, and what is listed comes to 3"},
           {changed(report, [](json& j) { j["hangs"] = 1; }), "more \"hangs\" than \"deaths\""},
           {changed(report, [](json& j) { j["given_up"] = {"size"}; }), "lists size, and the program never died"},
           {changed(report, [](json& j) { j["given_up"] = {"\x1b[31m"}; }), "in \"given_up\" is no operation"},
           {changed(report, [](json& j) { j["offered"] = json::array(); }), "\"offered\" lacks "},
           {changed(report,
                    [](json& j) {
                      for (json& law : j["laws"]) law["count"]["pass"] = law["evaluations"] = std::size_t{1} << 53;
                    }),
            "more inputs than can be asked"}})
    expect_refused(text, says);
  std::string const file = scratch.file("summed.json");
  store(file, changed(report, [](json& j) { j["shard"]["of"] = 99; }));
  result const part = shell(tool + " report " + file);
  EXPECT_EQ(part.status, 2);
  EXPECT_NE(part.err.find("shard 1 of 99: `colex merge` puts "), std::string::npos) << part.err;
  store(file, changed(report, [](json& j) {
          for (char const* key : {"passed", "failed", "totals", "evaluations", "exit"}) j.erase(key);
        }));
  EXPECT_EQ(shell(tool + " report " + file).status, 0) << "what is not said is not wrong";
}

// ---- what a verdict says ----

std::string answering(std::string const& answer) {
  store(scratch.file("answering.sh"),
        "while read -r op rest; do [ $op = hello ] && echo colex 1 mine || echo '" + answer + "'; done");
  return "sh " + scratch.file("answering.sh");
}

TEST(verdicts, a_map_is_no_answer_of_a_function_of_layouts) {
  judged const j = judge("--law 'f2_*_agrees' --count 20 --cases /dev/null", answering("F2<4>(1,2,4,8)"));
  ASSERT_EQ(j.report["laws"].size(), 6);
  for (json const& law : j.report["laws"]) EXPECT_EQ(law["verdict"], "wrong") << law["law"];
}

TEST(verdicts, say_what_was_asked_and_what_is_known_of_it) {
  judged const j = judge("--only 'right_inverse_maximal A=(3,2):(1,1)'", answering("1:0"));
  for (std::string const part :
       {"\n  left   1    right_inverse (3,2):(1,1) = 1:0\n", "the reference: (2,2):(1,4)\n",
        "\n  ruled  E13 Right inverse is not the largest (spec/errata.md:", "\n  CuTe   C++ 4.7.0, static integers: wrong; A="})
    EXPECT_NE(j.said.out.find(part), std::string::npos) << part << j.said.out;
  judged const apply = judge("--only 'apply_beyond_domain A=(2,2):(1,2) i=4'", answering("0"));
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
  judged const example = judge("--only 'right_inverse_form right_inverse (3,2):(1,1) = (2,2):(1,4)'", answering("3:1"));
  EXPECT_NE(example.said.out.find("\n  ruled  E13 "), std::string::npos) << example.said.out;
}

TEST(verdicts, without_noise) {
  std::string const junit = scratch.file("quiet.xml"), badge = scratch.file("quiet.svg");
  judged const j = judge("--op '*size' --count 40 --junit " + junit + " --badge " + badge, script("colex 1 mine 2.0 size"));
  std::string const& said = j.said.out;
  EXPECT_TRUE(std::regex_search(said, std::regex("\n1 operation is not offered \\(-v names them\\)\n"))) << said;
  EXPECT_EQ(said.find("cosize"), std::string::npos) << said;
  EXPECT_TRUE(
      std::regex_search(said, std::regex("\n0 of \\d+ laws passed, 1 failed; \\d+ of \\d+ cases passed, \\d+ failed\n$")))
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
}

TEST(verdicts, of_a_page_stand_below_what_was_run) {
  std::string const page = scratch.file("top.html");
  judge("--level core --count 5 --op 'co[am]*' --html " + page, broken_program + " wrong composition");
  std::string const html = contents(page);
  EXPECT_EQ(wrong_in_page(html), "");
  for (std::string const part :
       {"<dt>judged by</dt><dd>colex ", "<dt>date</dt><dd>20", "<dt>level</dt><dd>core</dd>",
        "<code>colex conform --op 'co[am]*' --level core --count 5 -- ", "<details><summary><b>complement</b>",
        "href=\"#law-composition_pointwise\"", "id=\"law-composition_pointwise\"", "href=\"#E1\"", "<section id=\"E1\">"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  EXPECT_EQ(html.find("\"n\">0<"), std::string::npos) << "what is zero takes no room";
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
  for (std::string const line : {"pass coalesce_flat", "offers composition", "offers coalesce"})
    EXPECT_NE(contents(file).find("\n" + line + "\n"), std::string::npos) << contents(file);

  EXPECT_TRUE(std::regex_search(contents(file), std::regex("\nwrong composition_pointwise \\d+/\\d+\n"))) << contents(file);

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
  for (std::string const line : {"composition_pointwise", "bad composition_pointwise", "wrong", "wrong coalesce_flat 7",
                                 "wrong coalesce_flat 3/2", "wrong coalesce_flat 1/0", "wrong coalesce_flat -1/2", "offers",
                                 "offers composit", "wrong composition_pointwis", "pass composit_form"}) {
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

}  // namespace
}  // namespace colex
