// That a run says the same again: by its seed, in several processes, in shards that are merged.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/harness.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

using namespace harness;

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
                        "--law '[clr][eio][afgm]*' --count 15 --timeout 1 ";  // inverses, divides, products, and what they use
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

}  // namespace
}  // namespace colex
