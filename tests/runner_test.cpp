// The runner itself under test: it is given programs that misbehave in every known way and must say so, lose nothing
// else, and say the same again. The tool and the misbehaving program lie beside this one.
// SPDX-License-Identifier: Apache-2.0
#include "tests/in_process.hpp"
#include "tests/report.hpp"
#include "tests/shrink.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <sys/wait.h>

#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>

namespace colex {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

fs::path const here = fs::read_symlink("/proc/self/exe").parent_path();
std::string const tool = (here / "colex").string(), broken_program = (here / "broken").string();

struct folder {
  fs::path at = fs::temp_directory_path() / ("runner_test." + std::to_string(getpid()));
  folder() { fs::create_directories(at); }
  ~folder() { fs::remove_all(at); }
  std::string file(std::string const& name) const { return (at / name).string(); }
};
folder const scratch;

std::string contents(std::string const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void store(std::string const& file, std::string const& text) { std::ofstream(file, std::ios::binary) << text; }

struct result {
  int status;
  std::string out, err;
};
result shell(std::string const& command) {
  std::string const out = scratch.file("out"), err = scratch.file("err");
  int const s = std::system(("{ " + command + "\n} >" + out + " 2>" + err).c_str());
  return {WIFEXITED(s) ? WEXITSTATUS(s) : -1, contents(out), contents(err)};
}

// The laws of two operations, so that one can misbehave and the other shows that nothing else is lost.
std::string const laws_asked = "--law 'co[am][lp]*' --cases /dev/null --count 150 --timeout 1 ";

struct judged {
  result said;
  json report;
  json const& law(std::string const& name) const {
    for (json const& l : report["laws"])
      if (l["law"] == name) return l;
    throw std::out_of_range(name);
  }
  std::size_t count(std::string const& verdict, std::string const& operation) const {
    std::size_t n = 0;
    for (json const& l : report["laws"])
      if (l["operation"] == operation) n += l["count"][verdict].get<std::size_t>();
    return n;
  }
};
judged judge(std::string const& options, std::string const& program) {
  std::string const file = scratch.file("report.json");
  fs::remove(file);
  result r = shell(tool + " conform " + options + " --json " + file + " -- " + program);
  return {r, fs::exists(file) ? json::parse(contents(file)) : json()};
}
judged judge_broken_one(std::string const& mode, std::string const& options = laws_asked) { return judge(options, broken_program + " " + mode); }

judged const& honest() {
  static judged const j = judge_broken_one("honest");
  return j;
}

// The laws that ask nothing of composition come out as those of an honest program, to the last count.
void expect_others_unharmed(judged const& j) {
  std::size_t others = 0;
  for (json const& l : honest().report["laws"]) {
    if (l["operation"] != "coalesce" && l["operation"] != "complement") continue;
    EXPECT_EQ(j.law(l["law"])["count"], l["count"]) << l["law"];
    ++others;
  }
  EXPECT_GT(others, 5u);
}

// ---- each way to misbehave ----

TEST(runner, an_honest_program_passes) {
  judged const& j = honest();
  EXPECT_EQ(j.said.status, 0) << j.said.out << j.said.err;
  EXPECT_EQ(j.report["failed"], 0);
  EXPECT_EQ(j.report["deaths"], 0);
  EXPECT_GT(j.count("pass", "composition"), 500u);
}

struct misdeed {
  char const* mode;
  char const* verdict;
  int status;
  char const* says;
};
class misbehaving : public testing::TestWithParam<misdeed> {};

TEST_P(misbehaving, is_found_and_costs_nothing_else) {
  misdeed const& m = GetParam();
  judged const j = judge_broken_one(m.mode);
  EXPECT_EQ(j.said.status, m.status) << j.said.out << j.said.err;
  EXPECT_GT(j.count(m.verdict, "composition"), 0u) << j.said.out;
  EXPECT_NE((j.said.out + j.report.dump()).find(m.says), std::string::npos) << j.said.out;
  expect_others_unharmed(j);
}

INSTANTIATE_TEST_SUITE_P(runner, misbehaving,
                         testing::Values(misdeed{"wrong", "wrong", 1, "FAIL composition_pointwise "},
                                         misdeed{"silent", "silent", 1, "  silent "},
                                         misdeed{"refusing", "refused", 1, "I would rather not"},
                                         misdeed{"wrong_kind", "wrong", 1, "an answer of the wrong kind"},
                                         misdeed{"large", "wrong", 1, "FAIL composition_"},
                                         misdeed{"unsupported", "unsupported", 0, " unsupported"},
                                         misdeed{"slow composition 200", "pass", 0, " 0 failed"},
                                         misdeed{"fickle", "pass", 0, " 0 failed"},
                                         misdeed{"crashing", "died", 3, "killed by signal 6 (Aborted); it said: about to crash"},
                                         misdeed{"crash_unflushed", "died", 3, "exited with status 7"},
                                         misdeed{"early_exit", "died", 3, "exited with status 0"},
                                         misdeed{"half_line", "died", 3, "in the middle of the line \"(4,\""},
                                         misdeed{"garbage", "died", 3, "answered \"Traceback"},
                                         misdeed{"empty_line", "died", 3, "answered \"\", which is no answer"},
                                         misdeed{"binary", "died", 3, "\\x00\\xff\\x80\\x1b[31m"},
                                         misdeed{"huge", "died", 3, "answered with an endless line"},
                                         misdeed{"endless", "died", 3, "answered with an endless line"},
                                         misdeed{"chatty", "died", 3, "answered with more than one line"},
                                         misdeed{"hanging", "died", 3, "no answer within 1 s"}),
                         [](auto const& p) { return std::regex_replace(std::string(p.param.mode), std::regex(" .*"), ""); });

// A program that dies now and then loses the requests it died of and no others.
TEST(runner, only_the_deadly_requests_are_lost) {
  for (std::string const mode : {"crashing", "crash_unflushed", "early_exit", "half_line", "garbage", "chatty"}) {
    judged const j = judge("--law composition_pointwise --cases /dev/null --count 1000 --timeout 1", broken_program + " " + mode + " composition 300");
    json const& n = j.law("composition_pointwise")["count"];
    std::size_t const died = n["died"];
    EXPECT_EQ(j.said.status, 3) << mode;
    EXPECT_GE(died, 2u) << mode;
    EXPECT_LE(died, 6u) << mode;
    EXPECT_EQ(n["pass"].get<std::size_t>() + n["undefined"].get<std::size_t>() + n["vacuous"].get<std::size_t>() + died, 1000u) << mode << j.said.out;
  }
}

TEST(runner, a_program_that_always_dies_is_given_up_and_said_so) {
  judged const j = judge_broken_one("crashing");
  EXPECT_NE(j.said.out.find("given up after too many deaths, the rest not asked: composition"), std::string::npos) << j.said.out;
  EXPECT_LE(j.report["deaths"].get<std::size_t>(), peer::death_limit);
}

TEST(runner, a_program_that_hangs_at_everything_is_given_up) {
  judged const j = judge("--law '[cs]*' --cases /dev/null --count 5 --jobs 1 --timeout 0.5", broken_program + " hanging '*' 2");
  EXPECT_EQ(j.said.status, 3) << j.said.err;
  EXPECT_EQ(j.report["hangs"], peer::total_hang_limit);
  EXPECT_NE(j.report.dump().find(fmt::format("not asked: the program hung {} times", peer::total_hang_limit)), std::string::npos) << j.said.out;
}

// It reads as long as there is something to read, at its leisure, before it answers.
TEST(runner, a_program_that_is_slow_in_bulk_is_asked_in_smaller_portions) {
  std::string const program = scratch.file("bulk.sh");
  store(program, "while read -r line; do n=1; while read -t 0.01 -r more; do n=$((n + 1)); sleep 0.02; done\n"
                 "for ((k = 0; k < n; ++k)); do echo 1; done; done");
  judged const j = judge("--law size_product --cases /dev/null --count 200 --timeout 1", "bash " + program);
  EXPECT_EQ(j.report["deaths"], 0) << j.said.out;
  EXPECT_EQ(j.law("size_product")["verdict"], "wrong") << j.said.out;
}

TEST(runner, an_operation_that_is_not_offered_is_not_asked_for_long) {
  judged const j = judge("--law composition_pointwise --cases /dev/null --count 100000", broken_program + " unsupported");
  EXPECT_LT(j.law("composition_pointwise")["evaluations"].get<std::size_t>(), 1000u);
  EXPECT_EQ(j.law("composition_pointwise")["verdict"], "unsupported");
  EXPECT_EQ(j.said.status, 1) << "nothing at all was judged";
  EXPECT_NE(j.said.out.find("nothing was judged"), std::string::npos) << j.said.out;
}

TEST(runner, an_answer_of_as_many_modes_as_a_line_holds_is_judged) {
  judged const j = judge("--only 'composition_pointwise A=4:1 B=2:2'", broken_program + " bulky");
  EXPECT_EQ(j.said.status, 1) << j.said.err;
  EXPECT_LT(j.said.out.size(), 3000u);
}

TEST(runner, a_program_that_cannot_be_asked) {
  for (std::string const program : {"/no/such/program", "no_such_program", "/etc/passwd", "/", "false", "true", "sh -c 'exit 7'", "sh -c 'kill -9 $$'", "yes", "'sleep' 100"}) {
    result const r = shell(tool + " conform --count 5 --timeout 1 -- " + program);
    EXPECT_EQ(r.status, 3) << program;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << program << ": " << r.err;
    EXPECT_EQ(r.out, "") << program;
  }
}

// A program that says so on 'hello', and 1 otherwise.
std::string script(std::string const& hello) {
  std::string const file = scratch.file("script.sh");
  store(file, "while read -r op rest; do [ \"$op\" = hello ] && echo '" + hello + "' || echo 1; done");
  return "sh " + file;
}

// The operation of a law named so.
std::string operation_of(std::string const& law) { return law.substr(0, law.find_last_of('_')); }

// Also in laws on nothing but the spelling.
TEST(runner, another_spelling_of_the_right_answer_is_form) {
  for (std::string const name : {"product_each_sizes", "make_layout_left_unit", "make_layout_right_lex", "coalesce_flat", "composition_compatible",
                                 "flat_divide_regroups"}) {
    std::string const program = broken_program + " spelling " + operation_of(name), asked = "--law " + name + " --cases /dev/null --count 100 ";
    judged const j = judge(asked, program), exact = judge(asked + "--exact ", program);
    EXPECT_EQ(j.law(name)["verdict"], "form") << j.said.out;
    EXPECT_EQ(j.said.status, 0) << j.said.out;
    EXPECT_EQ(exact.said.status, 1) << exact.said.out;
  }
}

// Where no right answer is too large for a table of its values, one that is has broken the law.
TEST(runner, an_answer_too_large_for_a_table_is_wrong) {
  for (std::string const name : {"complement_disjoint", "logical_divide_permutes", "logical_product_copies", "blocked_product_permutes", "tile_to_shape_fills",
                                 "filter_image", "downcast_elements", "domain_distribute_increasing"}) {
    judged const j = judge("--law " + name + " --cases /dev/null --count 100", broken_program + " large " + operation_of(name));
    EXPECT_GT(j.law(name)["count"]["wrong"].get<std::size_t>(), 25u) << j.said.out;
    EXPECT_LT(j.law(name)["count"]["vacuous"].get<std::size_t>(), 20u) << j.said.out;
  }
}

TEST(runner, a_program_ends_by_itself_when_its_input_does) {
  std::string const program = scratch.file("lasting.sh"), last_words = scratch.file("last_words");
  store(program, "while read -r line; do echo unsupported; done; sleep 0.3; echo bye >" + last_words + "\n");
  shell(tool + " conform --law 'size*' --cases /dev/null --count 1 --jobs 1 -- sh " + program);
  EXPECT_EQ(contents(last_words), "bye\n");
}

// ---- saying it again ----

std::string without_times(std::string const& text) { return std::regex_replace(text, std::regex(R"(in [0-9.]+ s)"), ""); }
json without_times(json report) {
  report.erase("seconds");
  for (json& law : report["laws"]) law.erase("seconds");
  return report;
}

TEST(runner, the_same_seed_says_the_same) {
  judged const once = judge_broken_one("wrong"), twice = judge_broken_one("wrong"), other = judge_broken_one("wrong", laws_asked + "--seed 2 ");
  EXPECT_EQ(without_times(once.said.out), without_times(twice.said.out));
  EXPECT_EQ(without_times(once.report), without_times(twice.report));
  EXPECT_NE(without_times(once.report), without_times(other.report));
}

TEST(runner, copies_of_the_program_change_nothing) {
  for (std::string const mode : {"wrong", "silent", "crashing"}) {
    judged const one = judge_broken_one(mode, laws_asked + "--jobs 1 "), three = judge_broken_one(mode, laws_asked + "--jobs 3 ");
    EXPECT_EQ(without_times(one.said.out), without_times(three.said.out)) << mode;
  }
}

// ---- shards ----

// The text with every time left out.
std::string timeless(std::string const& file) {
  return std::regex_replace(without_times(contents(file)), std::regex(R"((seconds"?: |time(stamp)?=")[-0-9.e:T]+)"), "");
}
std::string shards(std::string const& options, std::string const& program, std::size_t n) {
  std::string files;
  for (std::size_t k = n; k > 0; --k) {
    std::string const file = scratch.file("shard" + std::to_string(k) + ".json");
    shell(tool + " conform " + options + fmt::format("--shard {}/{} --json {} -- {}", k, n, file, program));
    files += " " + file;
  }
  return files;
}

class sharded : public testing::TestWithParam<char const*> {};

TEST_P(sharded, shards_merge_to_the_single_run) {
  auto const results = [](std::string const& name) {
    std::string all;
    for (char const* kind : {"json", "junit", "html", "markdown", "badge"}) all += fmt::format(" --{} {}.{}", kind, scratch.file(name), kind);
    return all;
  };
  std::string const program = broken_program + " " + GetParam(), asked = "--law '[clr][eio][afgm]*' --count 30 --timeout 1 ";  // inverses, divides, products, and what they use
  result const single = shell(tool + " conform " + asked + results("single") + " -- " + program);
  result const merged = shell(tool + " merge" + shards(asked, program, 3) + results("merged"));
  EXPECT_EQ(merged.status, single.status) << merged.err;
  EXPECT_EQ(without_times(merged.out), without_times(single.out));
  for (std::string const kind : {".json", ".junit", ".html", ".markdown", ".badge"}) EXPECT_EQ(timeless(scratch.file("merged" + kind)), timeless(scratch.file("single" + kind)));
}

INSTANTIATE_TEST_SUITE_P(runner, sharded, testing::Values("honest", "wrong '*'", "wrong coalesce", "silent", "binary", "crashing", "unsupported"),
                         [](auto const& p) { return std::regex_replace(std::string(p.param), std::regex("[^a-z]"), ""); });

TEST(shards, no_shard_is_lost_doubled_or_foreign) {
  std::string const file = scratch.file("shard"), asked = "--op coalesce --count 20 ", merge = tool + " merge ";
  shards(asked, broken_program + " honest", 3);
  fs::copy_file(file + "2.json", scratch.file("kept.json"));
  shards(asked + "--seed 2 ", broken_program + " honest", 2);
  shell("mv " + scratch.file("kept.json") + " " + file + "3.json.2");
  for (auto const& [files, says] : std::map<std::string, std::string>{{"1.json", "shard 2/2 is missing"},
                                                                      {"1.json 1.json", "shard 1/2 comes twice"},
                                                                      {"1.json 3.json", "of 3 shards, not 2"},
                                                                      {"3.json 3.json.2", "shard 1/3 is missing"},
                                                                      {"no.json", "cannot read"}}) {
    result const r = shell("cd " + scratch.at.string() + " && " + merge + std::regex_replace(files, std::regex("(^| )"), " shard"));
    EXPECT_EQ(r.status, 2) << files;
    EXPECT_NE(r.err.find(says), std::string::npos) << files << ": " << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  shell(tool + " conform " + asked + "--shard 2/2 --json " + file + "2.json -- " + broken_program + " honest");
  result const other = shell(merge + file + "1.json " + file + "2.json");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("seed is 1, not 2"), std::string::npos) << other.err;
  for (std::string const text : {"", "{", "[]", "{}", R"({"shard":{"index":1,"of":1},"asked":{}})", R"({"shard":{"index":1,"of":1},"asked":{},"laws":[{}]})"}) {
    store(file, text);
    EXPECT_EQ(shell(merge + file).status, 2) << text;
  }
  for (std::string const part : {"0/2", "3/2", "2", "a/b", "1/2x", "-1/2"})
    EXPECT_EQ(shell(tool + " conform --shard " + part + " -- " + broken_program + " honest").status, 2) << part;
}

TEST(shards, those_of_exhaustive_and_properties_merge_too) {
  for (std::string const program : {"exhaustive --size 6 --rank 2 --sample 7", "properties"}) {
    std::string const run = "RC_PARAMS='max_success=3 noshrink=1 max_discard_ratio=2' " + (here / program).string() + " --json " + scratch.file("survey");
    std::string files;
    for (std::string const k : {"1", "2", "3"}) {
      shell(run + k + " --shard " + k + "/3");
      files += " " + scratch.file("survey") + k;
    }
    result const single = shell(run), merged = shell(tool + " merge" + files + " --json " + scratch.file("merged"));
    EXPECT_EQ(merged.status, single.status) << merged.err;
    EXPECT_EQ(timeless(scratch.file("merged")), timeless(scratch.file("survey"))) << program;
    EXPECT_GT(json::parse(contents(scratch.file("merged")))["rows"][0]["passed"], 50) << program;
  }
}

TEST(shards, failures_of_a_survey_are_kept_but_for_the_many) {
  std::string const program = (here / "exhaustive").string() + " --size 4 --rank 2 --sample 7 --json ", file = scratch.file("failing");
  std::string files;
  for (int const k : {1, 2}) {
    std::string const at = file + std::to_string(k);
    shell(program + at + fmt::format(" --shard {}/2", k));
    json s = json::parse(contents(at));
    for (int i = 0; i < 20; ++i) s["failures"].push_back({{"row", 0}, {"at", 2 * i + k}, {"text", fmt::format("broken {}.", 2 * i + k)}});
    s["rows"][0]["failed"] = 20;
    for (json& row : s["rows"]) row["seconds"] = 1e6;
    store(at, s.dump());
    files += " " + at;
  }
  result const r = shell(tool + " merge" + files + " --json " + file);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("broken 1.\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" more failures\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" hours on one core"), std::string::npos) << r.out;
  EXPECT_LT(json::parse(contents(file))["failures"].size(), 40u);
  EXPECT_EQ(shell(tool + " merge" + files + " --html " + file).status, 2) << "no page of those";
  json foreign = json::parse(contents(file + "1"));
  foreign["failures"][0]["row"] = 99;
  store(file + "1", foreign.dump());
  EXPECT_EQ(shell(tool + " merge" + files).status, 2);
}

TEST(shards, an_answer_that_is_no_value_is_kept_as_it_is) {
  std::string const files = shards("--op coalesce --count 20 ", broken_program + " wrong coalesce", 1), file = scratch.file("shard1.json");
  store(file, std::regex_replace(contents(file), std::regex("\"A\": \"[^\"]*\""), "\"A\": \"((\""));
  EXPECT_NE(shell(tool + " merge" + files).out.find("where  A = ((\n"), std::string::npos);
}

// The part of a text from the first FAIL to its `again` line, with what depends on the effort left out.
std::string failure_in(std::string const& text) {
  std::smatch m;
  if (!std::regex_search(text, m, std::regex("FAIL [^]*?\n  again[^\n]*\n"))) return {};
  return std::regex_replace(m.str(), std::regex("\n  after[^\n]*"), "");
}
std::string again_line(std::string const& text) {
  std::smatch m;
  return std::regex_search(text, m, std::regex("\n  again  colex ([^\n]*)")) ? m[1].str() : "";
}

TEST(runner, the_command_shown_shows_it_again) {
  for (std::string const mode : {"wrong", "silent", "refusing", "crashing", "garbage", "half_line", "chatty", "large"}) {
    judged const j = judge_broken_one(mode);
    std::string const command = again_line(j.said.out);
    ASSERT_NE(command, "") << mode << j.said.out;
    result const r = shell(tool + " " + command);
    EXPECT_EQ(r.status, j.said.status) << mode << r.out << r.err;
    EXPECT_EQ(failure_in(r.out), failure_in(j.said.out)) << mode;
  }
}

TEST(runner, only_says_what_is_wrong_with_its_text) {
  for (auto const& [text, says] : std::map<std::string, std::string>{{"no_such_law A=1:1", "no_such_law"},
                                                                     {"composition_pointwise A=4:1", "needs B="},
                                                                     {"composition_pointwise A=4:1 B=(2,2", "column 31"},
                                                                     {"composition_pointwise A=4:1 B", "column 29"},
                                                                     {"composition_pointwise A=4:1 B=", "column"},
                                                                     {"composition_pointwise", "needs A="},
                                                                     {"", "no law"}}) {
    result const r = shell(tool + " conform --only '" + text + "' -- " + broken_program + " honest");
    EXPECT_EQ(r.status, 2) << text << r.out;
    EXPECT_NE(r.err.find(says), std::string::npos) << text << ": " << r.err;
  }
  EXPECT_EQ(shell(tool + " conform --only 'composition_pointwise A=4:1 B=2:2' -- " + broken_program + " honest").status, 0);
}

// ---- reports ----

TEST(report, a_failure_takes_ten_lines_at_most) {
  for (std::string const mode : {"wrong", "silent", "crashing"}) {
    judged const j = judge("--cases /dev/null --count 60 --timeout 1", broken_program + " " + mode + " '*' 3");
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
  EXPECT_TRUE(std::regex_search(j.said.out, std::regex("\n  also broken: \\d+ laws of coalesce, \\d+ laws? that uses? coalesce\n"))) << j.said.out;
  EXPECT_EQ(j.said.out.find("FAIL composition"), std::string::npos) << j.said.out;
}

TEST(report, verbose_has_a_row_for_each_law_and_the_folded_by_name) {
  judged const j = judge_broken_one("wrong coalesce", laws_asked + "--verbose ");
  for (json const& l : j.report["laws"]) EXPECT_NE(j.said.out.find("\n" + l["law"].get<std::string>() + " "), std::string::npos) << l["law"];
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
      EXPECT_EQ(static_cast<long>(suite.attribute("tests").as_uint()), std::distance(suite.children("testcase").begin(), suite.children("testcase").end()));
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
  EXPECT_THROW(write_file("/dev/full", std::string(1 << 20, 'x')), bad_file);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_THROW(write_file("/no/such/folder/file", "x"), bad_file);
  EXPECT_THROW(check_writable("/no/such/folder/file"), bad_file);
  EXPECT_THROW(check_writable(scratch.at.string()), bad_file);
  for (auto const& entry : fs::directory_iterator(scratch.at)) EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST(report, pages_of_one_and_of_several_runs) {
  std::string const one = scratch.file("one.json"), two = scratch.file("two.json"), page = scratch.file("page.html"), markdown = scratch.file("page.md"), badge = scratch.file("badge.svg");
  judge_broken_one("wrong", laws_asked + "--html " + page + " ");
  fs::copy_file(scratch.file("report.json"), one);
  std::string const html = contents(page);
  for (std::string const part : {"<!doctype html>", "composition_pointwise", "<mark>", " --only ", "spec/laws.md:", "02_layout_algebra"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  for (std::string const part : {"<script", "http://", "https://"}) EXPECT_EQ(html.find(part), std::string::npos) << part;
  judge_broken_one("binary");
  fs::copy_file(scratch.file("report.json"), two);
  result const r = shell(tool + " report " + one + " " + two + " --html " + page + " --markdown " + markdown + " --badge " + badge);
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

TEST(report, what_is_no_report_is_named) {
  std::string const file = scratch.file("no_report.json");
  for (std::string const text : {"", "{", "[]", "{}", "7", "{\"laws\":[1]}", "{\"laws\":[{\"law\":\"a\",\"verdict\":\"odd\",\"count\":{}}]}", "{\"laws\":[]}"}) {
    store(file, text);
    result const r = shell(tool + " report " + file);
    EXPECT_EQ(r.status, 2) << text;
    EXPECT_NE(r.err.find("no_report.json"), std::string::npos) << text << r.err;
  }
  EXPECT_EQ(shell(tool + " report /no/such/file").status, 2);
}

// ---- which laws, and for how long ----

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
  EXPECT_EQ(shell(tool + " conform --since new -- " + broken_program + " honest").status, 2);
  EXPECT_EQ(shell(tool + " conform --level all -- " + broken_program + " honest").status, 2);
  judged const quick = judge("--op composition --cases /dev/null --time 2s", broken_program + " wrong");
  EXPECT_LT(quick.report["seconds"].get<double>(), 4.0);
  EXPECT_GT(quick.report["evaluations"].get<std::size_t>(), 100u);
  judged const slow = judge("--level core --time 2s", broken_program + " slow '*' 1");
  EXPECT_LT(slow.report["seconds"].get<double>(), 8.0);
  EXPECT_NE(slow.said.out.find("the time was out before"), std::string::npos) << slow.said.out;
  judged const out_of_time = judge("--cases /dev/null --time 0.2s", broken_program + " wrong '*'");
  EXPECT_NE(out_of_time.said.out.find("(stopped after 0 tries: smaller ones may fail too)"), std::string::npos) << out_of_time.said.out;
}

// ---- introducing itself ----

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

// ---- the baseline ----

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
  EXPECT_NE(better.said.out.find("passes now, though the baseline lists it: composition_pointwise"), std::string::npos) << better.said.out;

  judged const worse = judge_broken_one("crashing", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(worse.said.status, 3) << worse.said.out;
  judged const elsewhere = judge_broken_one("wrong coalesce", laws_asked + "--baseline " + file + " ");
  EXPECT_EQ(elsewhere.said.status, 1) << elsewhere.said.out;
  EXPECT_NE(elsewhere.said.out.find("FAIL coalesce_"), std::string::npos) << elsewhere.said.out;
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

// ---- cases ----

TEST(cases, verdicts) {
  auto const verdict_of = [](std::string const& line, std::string const& said) { return judge_case(parse_case(line), parse_answer(said)); };
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
  EXPECT_EQ(verdict_of("f 1 = undefined", "4:1"), verdict::silent);
  EXPECT_EQ(verdict_of("f 1 = undefined", "undefined why"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = unspecified", "4:1"), verdict::pass);
  EXPECT_EQ(verdict_of("f 1 = unspecified", "undefined"), verdict::pass);
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

std::string const good_cases = "# worked examples\ncomposition (6,2):(8,2) (4,3):(3,1) = ((2,2),3):((24,2),8)  # composition_pointwise\n\n"
                               "coalesce (2,(1,6)):(1,(6,2)) ~ (2,6):(1,2)\ncomposition (6,2):(1,7) (3,2):(2,3) = undefined\n";

TEST(cases, the_reference_is_checked_line_by_line) {
  std::string const file = scratch.file("cases.txt");
  store(file, good_cases);
  result r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_EQ(r.out, "3 passed, 0 failed\n");
  store(file, good_cases + "size 4:1 = 5\ncoalesce (2,2):(1,2) = (2,2):(1,2)\n");
  r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("cases.txt:6: size 4:1\n  expected = 5\n  got        4\n"), std::string::npos) << r.out;
  EXPECT_TRUE(r.out.ends_with("3 passed, 2 failed\n")) << r.out;
  store(file, good_cases + "size (4\n");
  r = shell(tool + " cases " + file);
  EXPECT_EQ(r.status, 2);
  EXPECT_NE(r.err.find("cases.txt:6: "), std::string::npos) << r.err;
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

// ---- the tool ----

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

TEST(tool, a_pattern_that_matches_no_law_is_an_error) {
  EXPECT_EQ(shell(tool + " conform --law no_such_law -- " + broken_program + " honest").status, 2);
  EXPECT_EQ(shell(tool + " conform --op no_such_operation -- " + broken_program + " honest").status, 2);
}

// ---- in one process ----

TEST(in_process, what_is_wrong_says_for_what_and_after_which_answers) {
  law const& l = *std::find_if(laws().begin(), laws().end(), [](law const& x) { return std::string_view(x.name) == "size_product"; });
  std::vector<binding> const where{{"A", parse_request("size (2,3):(1,2)").args[0]}};
  EXPECT_TRUE(evaluate(l, where, ref::respond).good);
  outcome const other = evaluate(l, where, [](request const&) { return answer{status::answered, value(7), {}}; });
  EXPECT_FALSE(other.good);
  EXPECT_EQ(other.complaint(), "7, not 6\n  A = (2,3):(1,2)\n  size (2,3):(1,2) -> 7");
  outcome const thrown = evaluate(l, where, [](request const&) -> answer { throw std::runtime_error("no"); });
  EXPECT_TRUE(thrown.complaint().starts_with("no\n"));
  EXPECT_FALSE(evaluate(l, where, [](request const&) -> answer { throw malformed(0, "no"); }).good);
}

// ---- shrinking ----

TEST(shrink, finds_the_simplest_and_keeps_to_its_budget) {
  auto const sum_of_ten = [](choice_list const& c) { return std::accumulate(c.begin(), c.end(), std::uint64_t{0}) >= 10; };
  shrunk const s = shrink({7, 900, 3, 12, 0, 5}, sum_of_ten);
  EXPECT_EQ(s.choices, choice_list{10});
  EXPECT_TRUE(s.finished);
  EXPECT_EQ(shrink({3, 1, 2}, [](auto const&) { return true; }).choices, choice_list{});
  EXPECT_EQ(shrink({3, 1, 2}, [](auto const&) { return false; }).choices, (choice_list{3, 1, 2}));
  std::size_t tries = 0;
  shrunk const cut = shrink(choice_list(100, 1000), [&](choice_list const& c) { return ++tries, c.size() > 90; }, {.tries = 20});
  EXPECT_EQ(cut.tries, 20u);
  EXPECT_EQ(tries, 20u);
  EXPECT_FALSE(cut.finished);
}

}  // namespace
}  // namespace colex
