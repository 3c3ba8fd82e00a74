// The runner itself under test: it is given programs that misbehave in every known way and must say so, lose nothing
// else, and say the same again, in shards too. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/peer.hpp"
#include "tests/unit/harness.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

using namespace harness;

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

INSTANTIATE_TEST_SUITE_P(
    runner, misbehaving,
    testing::Values(misdeed{"wrong", "wrong", 1, "FAIL composition_pointwise "}, misdeed{"silent", "silent", 1, "  silent "},
                    misdeed{"refusing", "refused", 1, "I would rather not"},
                    misdeed{"wrong_kind", "wrong", 1, "an answer of the wrong kind"},
                    misdeed{"large", "wrong", 1, "FAIL composition_"}, misdeed{"unsupported", "unsupported", 0, " unsupported"},
                    misdeed{"slow composition 200", "pass", 0, " 0 failed"}, misdeed{"fickle", "pass", 0, " 0 failed"},
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
    judged const j = judge("--law composition_pointwise --cases /dev/null --count 1000 --timeout 1",
                           broken_program + " " + mode + " composition 300");
    json const& n = j.law("composition_pointwise")["count"];
    std::size_t const died = n["died"];
    EXPECT_EQ(j.said.status, 3) << mode;
    EXPECT_GE(died, 2u) << mode;
    EXPECT_LE(died, 6u) << mode;
    EXPECT_EQ(n["pass"].get<std::size_t>() + n["undefined"].get<std::size_t>() + n["vacuous"].get<std::size_t>() + died, 1000u)
        << mode << j.said.out;
  }
}

TEST(runner, a_program_that_always_dies_is_given_up_and_said_so) {
  for (std::string const mode : {"crashing", "chatty"}) {
    judged const j = judge_broken_one(mode);
    EXPECT_NE(j.said.out.find("given up after too many deaths, the rest not asked: composition"), std::string::npos)
        << j.said.out;
    EXPECT_LE(j.report["deaths"].get<std::size_t>(), peer::death_limit) << mode;
  }
}

// Of a third of the requests it dies with the same words: it answers more often than it dies.
TEST(runner, a_law_that_dies_in_one_way_is_not_asked_on) {
  judged const j = judge("--law composition_pointwise --cases /dev/null --count 1000 --timeout 1",
                         broken_program + " crashing composition 3");
  EXPECT_EQ(j.said.status, 3) << j.said.out;
  EXPECT_LT(j.law("composition_pointwise")["evaluations"], 500) << j.said.out;
  EXPECT_EQ(j.law("composition_pointwise")["stopped"], true);
  EXPECT_NE(j.said.out.find("with the same words that it was not asked on: composition_pointwise\n"), std::string::npos)
      << j.said.out;
}
TEST(peer, an_operation_that_dies_in_one_way_is_given_up) {
  peer p({(here / "broken").string(), "early_exit", "composition", "3"}, peer::seconds(10));
  std::vector<std::string> const requests(600, "composition 4:1 2:1");
  std::vector<reply> const replies = p.ask(requests);
  EXPECT_EQ(p.deaths(), peer::same_death_limit);
  EXPECT_EQ(replies.back().died, fmt::format("not asked: composition died {} times", peer::same_death_limit));
  EXPECT_EQ(p.given_up(), std::set<std::string>{"composition"});
}
TEST(peer, what_comes_when_the_time_is_out_is_not_waited_for) {
  peer p({(here / "broken").string(), "hanging", "composition", "2"}, peer::seconds(10));
  p.end_at(process::clock::now() + std::chrono::milliseconds(300));
  std::vector<reply> const replies = p.ask({"composition 4:1 2:1", "composition 4:1 2:1"});
  EXPECT_FALSE(replies[0].late);
  EXPECT_TRUE(replies[1].late);
  EXPECT_EQ(p.hangs(), 0u);
  EXPECT_TRUE(p.ask({"size 4:1"})[0].late);
}

TEST(runner, a_program_that_hangs_at_everything_is_given_up) {
  judged const j = judge("--law '[cs]*' --cases /dev/null --count 5 --jobs 1 --timeout 0.5", broken_program + " hanging '*' 2");
  EXPECT_EQ(j.said.status, 3) << j.said.err;
  EXPECT_EQ(j.report["hangs"], peer::total_hang_limit);
  EXPECT_NE(j.report.dump().find(fmt::format("not asked: the program hung {} times", peer::total_hang_limit)),
            std::string::npos)
      << j.said.out;
}

// It reads as long as there is something to read, at its leisure, before it answers.
TEST(runner, a_program_that_is_slow_in_bulk_is_asked_in_smaller_portions) {
  std::string const program = scratch.file("bulk.sh");
  store(program,
        "while read -r op rest; do lines=($op); while read -t 0.01 -r op rest; do lines+=($op); sleep 0.02; done\n"
        "for op in ${lines[@]}; do [ $op = hello ] && echo colex 1 bulk || echo 1; done; done");
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
  for (std::string const program : {"/no/such/program", "no_such_program", "/etc/passwd", "/", "false", "true",
                                    "sh -c 'exit 7'", "sh -c 'kill -9 $$'", "yes", "cat", "echo unsupported", "'sleep' 100"}) {
    result const r = shell(tool + " conform --count 5 --timeout 1 -- " + program);
    EXPECT_EQ(r.status, 3) << program;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << program << ": " << r.err;
    EXPECT_EQ(r.out, "") << program;
  }
}

TEST(runner, what_a_program_did_before_it_ended_is_said) {
  std::string const program = scratch.file("ends.sh");
  for (auto const& [does, says] : std::map<std::string, std::string>{
           {"read -r line; exec >&-; sleep 100", "closed its output before it answered 'hello'"},
           {"printf '\\n%2000d' 1 >&2; exit 5",
            "exited with status 5; it said: " + std::string(120, ' ') + "... (1000 characters) before"}}) {
    store(program, does);
    result const r = shell(tool + " conform --count 5 -- sh " + program);
    EXPECT_EQ(r.status, 3) << does;
    EXPECT_NE(r.err.find(says), std::string::npos) << r.err;
  }
}

TEST(runner, a_program_that_ends_behind_its_first_line_dies_of_the_next) {
  judged const j = judge("--law size_product --cases /dev/null --count 5",
                         "sh -c 'read -r line; if [ \"$line\" = hello ]; then echo colex 1 short; fi'");
  EXPECT_EQ(j.said.status, 3) << j.said.err;
  EXPECT_GT(j.count("died", "size"), 0u) << j.said.out;
  EXPECT_NE(j.said.out.find("exited with status 0"), std::string::npos) << j.said.out;
}

TEST(runner, a_program_that_is_gone_is_not_asked_again) {
  std::string const program = scratch.file("gone.sh");
  store(program, "#!/bin/sh\nread -r line; echo colex 1 gone; rm " + program + "\n");
  fs::permissions(program, fs::perms::owner_all);
  result const r = shell(tool + " conform --law size_product --cases /dev/null --count 5 --jobs 1 -- " + program);
  EXPECT_EQ(r.status, 3) << r.out;
  EXPECT_NE(r.err.find("cannot run " + program), std::string::npos) << r.err;
}

TEST(runner, a_law_that_fails_on_long_answers_is_settled_soon) {
  judged const j = judge("--law size_product --cases /dev/null --count 1000",
                         script("colex 1 long", "echo \"($(printf '1,%.0s' $(seq 50000))1)\""));
  EXPECT_GT(j.count("wrong", "size"), 0u) << j.said.out;
  EXPECT_LT(j.law("size_product")["evaluations"].get<int>(), 100);
}

TEST(runner, an_operation_that_is_offered_now_and_then_is_asked_on) {
  judged const j =
      judge("--law composition_pointwise --cases /dev/null --count 300", broken_program + " unsupported composition 2");
  EXPECT_EQ(j.law("composition_pointwise")["evaluations"], 300);
  EXPECT_GT(j.count("unsupported", "composition"), 50u);
  EXPECT_GT(j.count("pass", "composition"), 50u);
}

// The operation of a law named so.
std::string operation_of(std::string const& law) { return law.substr(0, law.find_last_of('_')); }

// Also in laws on nothing but the spelling.
TEST(runner, another_spelling_of_the_right_answer_is_form) {
  for (std::string const name : {"product_each_sizes", "make_layout_left_unit", "make_layout_right_lex", "coalesce_flat",
                                 "composition_compatible", "flat_divide_regroups"}) {
    std::string const program = broken_program + " spelling " + operation_of(name),
                      asked = "--law " + name + " --cases /dev/null --count 100 ";
    judged const j = judge(asked, program), exact = judge(asked + "--exact ", program);
    EXPECT_EQ(j.law(name)["verdict"], "form") << j.said.out;
    EXPECT_EQ(j.said.status, 0) << j.said.out;
    EXPECT_EQ(exact.said.status, 1) << exact.said.out;
  }
}

// Where no right answer is too large for a table of its values, one that is has broken the law.
TEST(runner, an_answer_too_large_for_a_table_is_wrong) {
  for (std::string const name :
       {"complement_disjoint", "logical_divide_permutes", "logical_product_copies", "blocked_product_permutes",
        "tile_to_shape_fills", "filter_image", "downcast_elements", "domain_distribute_increasing"}) {
    judged const j = judge("--law " + name + " --cases /dev/null --count 100", broken_program + " large " + operation_of(name));
    EXPECT_GT(j.law(name)["count"]["wrong"].get<std::size_t>(), 25u) << j.said.out;
    EXPECT_LT(j.law(name)["count"]["vacuous"].get<std::size_t>(), 20u) << j.said.out;
  }
}

TEST(runner, a_program_ends_by_itself_when_its_input_does) {
  std::string const program = scratch.file("lasting.sh"), last_words = scratch.file("last_words");
  store(program, "while read -r line; do echo colex 1 lasting; done; sleep 0.3; echo bye >" + last_words + "\n");
  shell(tool + " conform --law 'size*' --cases /dev/null --count 1 --jobs 1 -- sh " + program);
  EXPECT_EQ(contents(last_words), "bye\n");
}

std::string without_times(std::string const& text) { return std::regex_replace(text, std::regex(R"(in [0-9.]+ s)"), ""); }
json without_times(json report) {
  report.erase("seconds"), report.erase("date");
  for (json& law : report["laws"]) law.erase("seconds");
  return report;
}

TEST(runner, the_same_seed_says_the_same) {
  judged const once = judge_broken_one("wrong"), twice = judge_broken_one("wrong"),
               other = judge_broken_one("wrong", laws_asked + "--seed 2 ");
  EXPECT_EQ(without_times(once.said.out), without_times(twice.said.out));
  EXPECT_EQ(without_times(once.report), without_times(twice.report));
  EXPECT_NE(without_times(once.report), without_times(other.report));
}

TEST(runner, copies_of_the_program_change_nothing) {
  for (std::string const mode : {"wrong", "silent", "crashing"}) {
    judged const one = judge_broken_one(mode, laws_asked + "--jobs 1 "),
                 three = judge_broken_one(mode, laws_asked + "--jobs 3 ");
    EXPECT_EQ(without_times(one.said.out), without_times(three.said.out)) << mode;
  }
}

// The text with every time left out.
std::string timeless(std::string const& file) {
  return std::regex_replace(without_times(contents(file)),
                            std::regex(R"re((seconds"?: |time(stamp)?="|date": "|date</dt><dd>)[-0-9.e:TZ UC]+)re"), "");
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
    for (char const* kind : {"json", "junit", "html", "markdown", "badge"})
      all += fmt::format(" --{} {}.{}", kind, scratch.file(name), kind);
    return all;
  };
  std::string const program = broken_program + " " + GetParam(),
                    asked =
                        "--law '[clr][eio][afgm]*' --count 30 --timeout 1 ";  // inverses, divides, products, and what they use
  result const single = shell(tool + " conform " + asked + results("single") + " -- " + program);
  result const merged = shell(tool + " merge" + shards(asked, program, 3) + results("merged"));
  EXPECT_EQ(merged.status, single.status) << merged.err;
  EXPECT_EQ(without_times(merged.out), without_times(single.out));
  for (std::string const kind : {".json", ".junit", ".html", ".markdown", ".badge"})
    EXPECT_EQ(timeless(scratch.file("merged" + kind)), timeless(scratch.file("single" + kind)));
}

INSTANTIATE_TEST_SUITE_P(runner, sharded,
                         testing::Values("honest", "wrong '*'", "wrong coalesce", "silent", "binary", "crashing",
                                         "unsupported"),
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
    result const r =
        shell("cd " + scratch.at.string() + " && " + merge + std::regex_replace(files, std::regex("(^| )"), " shard"));
    EXPECT_EQ(r.status, 2) << files;
    EXPECT_NE(r.err.find(says), std::string::npos) << files << ": " << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  shell(tool + " conform " + asked + "--shard 2/2 --json " + file + "2.json -- " + broken_program + " honest");
  result const other = shell(merge + file + "1.json " + file + "2.json");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("seed is 1, not 2"), std::string::npos) << other.err;
  for (std::string const text : {"", "{", "[]", "{}", R"({"shard":{"index":1,"of":1},"asked":{}})",
                                 R"({"shard":{"index":1,"of":1},"asked":{},"laws":[{}]})"}) {
    store(file, text);
    EXPECT_EQ(shell(merge + file).status, 2) << text;
  }
  for (std::string const part : {"0/2", "3/2", "2", "a/b", "1/2x", "-1/2", "1x2", "1/"})
    EXPECT_EQ(shell(tool + " conform --shard " + part + " -- " + broken_program + " honest").status, 2) << part;
}

TEST(shards, no_law_is_lost_or_doubled) {
  std::string const files = shards("--op 'co[as]*' --cases /dev/null --count 20 ", broken_program + " honest", 2);
  json runs[] = {json::parse(contents(scratch.file("shard1.json"))), json::parse(contents(scratch.file("shard2.json")))};
  for (json& run : runs)
    for (char const* sum : {"passed", "failed", "totals", "evaluations", "exit"}) run.erase(sum);
  json const law = runs[0]["laws"][0];
  runs[0]["laws"].erase(0);
  store(scratch.file("shard1.json"), runs[0].dump());
  result const lost = shell(tool + " merge" + files);
  EXPECT_EQ(lost.status, 2) << lost.out;
  EXPECT_NE(lost.err.find(law["law"].get<std::string>() + " is in none of the shards"), std::string::npos) << lost.err;
  runs[0]["laws"].push_back(law);
  runs[1]["laws"].push_back(law);
  store(scratch.file("shard1.json"), runs[0].dump());
  store(scratch.file("shard2.json"), runs[1].dump());
  result const doubled = shell(tool + " merge" + files);
  EXPECT_EQ(doubled.status, 2) << doubled.out;
  EXPECT_NE(doubled.err.find(" is in two of the shards"), std::string::npos) << doubled.err;
}

TEST(shards, those_of_exhaustive_and_properties_merge_too) {
  for (std::string const& program : {quoted("exhaustive") + " --size 6 --rank 2 --sample 7", quoted("properties")}) {
    std::string const run =
        "RC_PARAMS='max_success=3 noshrink=1 max_discard_ratio=2' " + program + " --json " + scratch.file("survey");
    std::string files;
    for (std::string const k : {"1", "2", "3"}) {
      shell(run + k + " --shard " + k + "/3");
      files += " " + scratch.file("survey") + k;
    }
    result const single = shell(run), merged = shell(tool + " merge" + files + " --json " + scratch.file("merged"));
    EXPECT_EQ(merged.status, single.status) << merged.err;
    EXPECT_EQ(timeless(scratch.file("merged")), timeless(scratch.file("survey"))) << program;
    EXPECT_EQ(shell(tool + " merge" + files).out, merged.out);
    EXPECT_GT(json::parse(contents(scratch.file("merged")))["rows"][0]["passed"], 50) << program;
  }
}

TEST(shards, failures_of_a_survey_are_kept_but_for_the_many) {
  std::string const program = quoted("exhaustive") + " --size 4 --rank 2 --sample 7 --json ", file = scratch.file("failing");
  std::string files;
  for (int const k : {1, 2}) {
    std::string const at = file + std::to_string(k);
    shell(program + at + fmt::format(" --shard {}/2", k));
    json s = json::parse(contents(at));
    for (int i = 0; i < 20; ++i)
      s["failures"].push_back({{"row", 0}, {"at", 2 * i + k}, {"text", fmt::format("broken {}.", 2 * i + k)}});
    s["rows"][0]["failed"] = 20;
    for (json& row : s["rows"]) {  // a million seconds in all, for as many as were asked
      row["seconds"] = 5e5 / static_cast<double>(s["rows"].size());
      row["passed"] = 120 - row["failed"].get<int>();
      row["undecided"] = 0;
      row["larger"] = 240;
    }
    store(at, s.dump());
    files += " " + at;
  }
  result const r = shell(tool + " merge" + files + " --json " + file);
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.out.find("broken 1.\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(" more failures\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("277.8 hours on one core, 16.7 minutes on 1,000 cores"), std::string::npos) << r.out;
  EXPECT_LT(json::parse(contents(file))["failures"].size(), 40u);
  EXPECT_EQ(shell(tool + " merge" + files + " --html " + file).status, 2) << "no page of those";
  for (int const k : {1, 2}) {
    json s = json::parse(contents(file + std::to_string(k)));
    s["rows"][1]["passed"] = 0;
    s["rows"][1]["failed"] = 0;
    store(file + std::to_string(k), s.dump());
  }
  EXPECT_EQ(shell(tool + " merge" + files).out.find("at these rates"), std::string::npos) << "a row without a rate";
  json foreign = json::parse(contents(file + "1"));
  foreign["rows"][0]["failed"] = 3;
  store(file + "1", foreign.dump());
  EXPECT_NE(shell(tool + " merge" + files).err.find("is 3, and what is listed comes to 20"), std::string::npos);
  foreign["rows"][0]["failed"] = 20;
  foreign["failures"][0]["row"] = 99;
  store(file + "1", foreign.dump());
  EXPECT_EQ(shell(tool + " merge" + files).status, 2);
}

TEST(shards, an_answer_that_is_no_value_is_kept_as_it_is) {
  std::string const files = shards("--op coalesce --count 20 ", broken_program + " wrong coalesce", 1),
                    file = scratch.file("shard1.json");
  store(file, std::regex_replace(contents(file), std::regex("\"A\": \"[^\"]*\""), "\"A\": \"((\""));
  EXPECT_NE(shell(tool + " merge" + files).out.find("where  A = ((\n"), std::string::npos);
}

TEST(shards, what_a_failure_lacks_is_left_out) {
  std::string const files = shards("--op coalesce --count 20 ", broken_program + " wrong coalesce", 1),
                    file = scratch.file("shard1.json");
  json run = json::parse(contents(file));
  auto const leave_out = [&](char const* key) {
    for (json& l : run["laws"]) {
      l["stated"] = "";
      if (l.contains("failure")) l["failure"].erase(key);
    }
    store(file, run.dump());
    return shell(tool + " merge" + files);
  };
  EXPECT_NE(leave_out("asked").err.find("an answer to blame that was not asked for"), std::string::npos);
  std::string const said = leave_out("at").out;
  EXPECT_TRUE(std::regex_search(said, std::regex("FAIL coalesce_\\w+\n  law "))) << said;
  EXPECT_EQ(said.find("the reference: "), std::string::npos) << said;
  store(file, std::regex_replace(run.dump(), std::regex("\"verdict\":\"wrong\""), "\"verdict\":\"odd\""));
  EXPECT_NE(shell(tool + " merge" + files).err.find("\"odd\" is no verdict"), std::string::npos);
}

TEST(shards, of_a_run_with_a_baseline_know_it) {
  std::string const file = scratch.file("known"), junit = scratch.file("known.xml"), program = broken_program + " wrong";
  judge_broken_one("wrong", laws_asked + "--write-baseline " + file + " ");
  std::string const asked = laws_asked + "--baseline " + file + " ";
  result const single = shell(tool + " conform " + asked + "-- " + program),
               merged = shell(tool + " merge" + shards(asked, program, 2) + " --junit " + junit);
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_EQ(without_times(merged.out), without_times(single.out));
  EXPECT_NE(contents(junit).find("<skipped message=\"known: wrong\""), std::string::npos);
}

// The part of a text from the first FAIL to its `again` line, with what depends on the effort left out.
std::string failure_in(std::string const& text) {
  std::smatch m;
  if (!std::regex_search(text, m, std::regex("FAIL [^]*?\n  again[^\n]*\n"))) return {};
  return std::regex_replace(m.str(), std::regex("\n  after[^\n]*"), "");
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
  for (auto const& [text, says] :
       std::map<std::string, std::string>{{"no_such_law A=1:1", "no_such_law"},
                                          {"composition_pointwise A=4:1", "needs B="},
                                          {"composition_pointwise A=4:1 B=(2,2", "column 31"},
                                          {"composition_pointwise A=4:1 B", "column 29"},
                                          {"composition_pointwise A=4:1 B=", "column"},
                                          {"composition_pointwise", "needs A="},
                                          {"composition_pointwise A=4:1 A=4:1 B=2:2", "A is there twice"},
                                          {"composition_pointwise A=4:1 B=2:2 z=3", "no argument z: it has A, B, i"},
                                          {"", "no law"}}) {
    result const r = shell(tool + " conform --only '" + text + "' -- " + broken_program + " honest");
    EXPECT_EQ(r.status, 2) << text << r.out;
    EXPECT_NE(r.err.find(says), std::string::npos) << text << ": " << r.err;
  }
  EXPECT_EQ(shell(tool + " conform --only 'composition_pointwise A=4:1 B=2:2' -- " + broken_program + " honest").status, 0);
}

}  // namespace
}  // namespace colex
