// What a run leaves in files, and what is made of such files: pages, Markdown, JUnit, badges. What programs and files say is
// text there. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/results.hpp"
#include "tests/unit/harness.hpp"

#include <pugixml.hpp>

#include <sstream>

namespace colex {
namespace {

using namespace harness;

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

TEST(report, says_why_what_is_not_offered_is_not) {
  std::string const html = scratch.file("why.html"), junit = scratch.file("why.xml");
  judged const j = judge("--op size --cases /dev/null --count 60 --html " + html + " --junit " + junit,
                         script("colex 1 mine", "printf 'unsupported no \\033[31m<b>\\n'"));
  std::string const example = j.law("size_product")["unsupported"]["size"];
  EXPECT_TRUE(example.ends_with(" = unsupported no \\x1b[31m<b>")) << example;
  std::string const escaped = std::regex_replace(std::regex_replace(example, std::regex("<"), "&lt;"), std::regex(">"), "&gt;");
  EXPECT_NE(contents(html).find("<li><code>" + escaped + "</code></li>"), std::string::npos) << contents(html);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_file(junit.c_str()));
  EXPECT_EQ(document.select_node("//skipped/@message").attribute().value(), "unsupported: " + example) << contents(junit);
}

TEST(report, a_reason_is_shown_behind_a_long_request_and_is_not_kept_at_any_length) {
  std::string const cases = scratch.file("long.txt"), html = scratch.file("long.html"), junit = scratch.file("long.xml");
  std::string extents = "2";
  for (int k = 0; k < 300; ++k) extents += ",1";
  store(cases, "shape_div (" + extents + ") 2 = (1" + extents.substr(1) + ")\n");
  judged const j = judge("--law shape_div_form --cases " + cases + " --html " + html + " --junit " + junit,
                         script("colex 1 mine", "printf 'unsupported because of %0500000d\\n' 0"));
  for (std::string const& text : {j.said.out, contents(html), contents(junit)})
    EXPECT_TRUE(std::regex_search(text, std::regex("shape_div \\(2,1,1[,1]*[.]{3} = unsupported because of 000"))) << text;
  EXPECT_LT(contents(scratch.file("report.json")).size(), 100000u);
}

TEST(report, runs_of_other_laws_by_a_program_of_any_name) {
  std::string const one = scratch.file("sizes.json"), two = scratch.file("cosizes.json"), page = scratch.file("page.html");
  std::string const asking = " --count 5 --cases /dev/null --json ", program = " -- " + script("colex 1 <a&b> 2.0 size");
  shell(tool + " conform --op size" + asking + one + program);
  shell(tool + " conform --op cosize" + asking + two + program);
  EXPECT_EQ(shell(tool + " report " + one + " " + two + " --html " + page).status, 0);
  EXPECT_NE(contents(page).find("&lt;a&amp;b&gt;"), std::string::npos);
}

TEST(report, runs_of_one_name_are_told_apart_by_their_files) {
  std::string const before = scratch.file("before.json"), after = scratch.file("after.json"), page = scratch.file("two.html"),
                    markdown = scratch.file("two.md"), folder = scratch.file("elsewhere");
  for (std::string const& file : {before, after})
    shell(tool + " conform --op size --count 5 --json " + file + " -- " + script("colex 1 mine 2.0 size"));
  result const r = shell(tool + " report " + before + " " + after + " --html " + page + " --markdown " + markdown);
  EXPECT_EQ(r.status, 0) << r.err;
  for (std::string const name : {"mine (before.json)", "mine (after.json)"})
    for (std::string const& text : {r.out, contents(page), contents(markdown)})
      EXPECT_NE(text.find(name), std::string::npos) << name << text;
  EXPECT_NE(contents(markdown).find("\n## `mine (after.json)` `2.0`\n"), std::string::npos) << contents(markdown);
  fs::create_directory(folder);
  fs::copy_file(after, folder + "/before.json");
  std::string const paths = shell(tool + " report " + before + " " + folder + "/before.json").out;
  for (std::string const& file : {before, folder + "/before.json"})
    EXPECT_NE(paths.find("mine (" + file + ")"), std::string::npos) << paths;
  EXPECT_EQ(shell(tool + " report " + before).out.find("before.json"), std::string::npos);
  for (std::string const& same : {before, folder + "/../before.json"}) {
    result const twice = shell(tool + " report " + before + " " + after + " " + same);
    EXPECT_EQ(twice.status, 2) << twice.out;
    EXPECT_EQ(twice.err, "colex: " + before + " and " + same + " are one file\n");
  }
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
    worse["laws"][0]["unsupported"] = {{"size", text}};
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
  for (std::string const job : {" report /dev/zero", " cases /dev/zero", " conform --cases /dev/zero -- true",
                                " conform --baseline /dev/zero -- true", " figures /dev/zero"}) {
    result const r = shell(zeros + job);
    EXPECT_EQ(r.status, 2) << job << r.err;
    if (job != " figures /dev/zero") {
      EXPECT_NE(r.err.find("/dev/zero is larger than 256 MiB"), std::string::npos) << job << r.err;
    }
    EXPECT_EQ(r.out, "") << job;
  }
  for (std::string const asking : {" ask", " ask --json"}) {
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
           {changed(report, [&](json& j) { j["laws"][at]["failed_inputs"] = "silent 1"; }),
            "cannot have 1 inputs that are silent"},
           {changed(report, [&](json& j) { j["laws"][at]["failed_inputs"] = "wrong 9999"; }), "are no failed inputs of "},
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

}  // namespace
}  // namespace colex
