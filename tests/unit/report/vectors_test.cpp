// What `colex export` writes. tests/vectors reads it in other languages. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/results.hpp"
#include "tests/unit/harness.hpp"

#include <map>
#include <set>

namespace colex {
namespace {

using namespace harness;

json exported(std::string const& options) {
  result const r = shell(tool + " export --json " + options);
  EXPECT_EQ(r.status, 0) << r.err;
  return json::parse(r.out);
}
std::string fault_of(json const& j) { return fault_of_form(j, json::parse(contents("spec/vectors.schema.json"))); }

TEST(vectors, have_the_form_that_the_schema_says) {
  json j = exported("--count 3 --op 'co*'");
  EXPECT_EQ(fault_of(j), "");
  std::map<std::string, int> flags;
  for (json const& v : j["vectors"]) ++flags[v["flag"]];
  EXPECT_GT(flags["defined"], 50);
  EXPECT_GT(flags["undefined"], 20);
  EXPECT_GT(flags["unspecified"], 0);
  j["vectors"][0].erase("flag");
  EXPECT_NE(fault_of(j), "");
}

TEST(vectors, are_cases_and_inputs_drawn_each_once) {
  json const few = exported("--count 0 --op composition")["vectors"], more = exported("--count 5 --op composition")["vectors"];
  EXPECT_EQ(few[0]["from"].get<std::string>().find("spec/cases/"), 0u);
  EXPECT_GT(more.size(), few.size() + 20);
  std::set<json> drawn;
  for (std::size_t k = few.size(); k < more.size(); ++k) {
    EXPECT_EQ(more[k]["from"], "drawn");
    EXPECT_EQ(more[k]["operation"], "composition");
    EXPECT_TRUE(drawn.insert(more[k]["arguments"]).second) << more[k];
  }
}

TEST(vectors, say_which_defect_they_show) {
  json const all = exported("--count 0 --op composition")["vectors"];
  auto const of = [&](std::string const& a, std::string const& b) {
    return *std::ranges::find_if(all, [&](json const& v) { return v["arguments"] == json{a, b}; });
  };
  std::string const carry = of("(6,2):(1,7)", "(3,2):(2,3)")["defect"];
  EXPECT_NE(carry.find("silent in "), carry.npos) << carry;
  EXPECT_TRUE(carry.ends_with("; NVIDIA/cutlass#2955")) << carry;
  EXPECT_FALSE(all[0].contains("defect")) << all[0];
  // One that is no worked example.
  EXPECT_EQ(of("(3,3):(1,1000)", "4:2")["from"], "spec/found.md");
}

TEST(vectors, hang_by_the_seed) {
  std::string const options = "--count 2 --op right_inverse --seed ";
  EXPECT_EQ(exported(options + "7"), exported(options + "7"));
  EXPECT_NE(exported(options + "7")["vectors"], exported(options + "8")["vectors"]);
}

TEST(vectors, say_where_another_answer_is_as_good) {
  for (json const& v : exported("--count 2 --op left_inverse")["vectors"])
    if (v["from"] == "drawn" && v["flag"] == "defined") {
      EXPECT_EQ(v["compare"], "law");
    }
}

TEST(vectors, of_no_operation_or_no_format_are_refused) {
  EXPECT_EQ(shell(tool + " export --json --op nothing").status, 2);
  EXPECT_EQ(shell(tool + " export").status, 2);
  EXPECT_EQ(shell(tool + " export --json --cpp").status, 2);
  EXPECT_EQ(shell(tool + " export --json --op size -o /no/such/folder/file").status, 2);
}

}  // namespace
}  // namespace colex
