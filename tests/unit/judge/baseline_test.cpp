// What is lost since a baseline is named, and fails: laws, operations, classes of arguments, inputs and cases.
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/harness.hpp"

namespace colex {
namespace {

using namespace harness;

// Of an honest program, judged with the baseline when it has come to answer otherwise.
class since_the_baseline : public testing::Test {
 protected:
  std::string const file = scratch.file("of_before"), asked = "--law 'co[am][lp]*' --count 60 ";
  void SetUp() override {
    judged const j = judge(asked + "--write-baseline " + file, broken_program + " honest");
    ASSERT_EQ(j.said.status, 0) << j.said.out;
  }
  judged now(std::string const& mode, std::string const& options = {}) const {
    return judge(asked + "--baseline " + file + " " + options, broken_program + " " + mode);
  }
};

TEST_F(since_the_baseline, nothing_is_lost_where_nothing_changed) {
  EXPECT_EQ(now("honest").said.status, 0);
  EXPECT_EQ(now("honest", "--op coalesce").said.status, 0) << "the others are not asked for";
}
TEST_F(since_the_baseline, a_law_that_is_judged_no_more_is_a_regression) {
  judged const j = now("unsupported coalesce");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: coalesce_flat was pass in the baseline and is unsupported\n")) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: coalesce was offered in the baseline and is not any more\n")) << j.said.out;
  EXPECT_EQ(j.law("coalesce_flat")["lost"], true);
  EXPECT_EQ(j.report["lost"], json({"coalesce"}));
  judged const allowed = now("unsupported coalesce", "--allow-lost");
  EXPECT_EQ(allowed.said.status, 0) << allowed.said.out;
  EXPECT_TRUE(says(allowed.said, "lost: coalesce_flat")) << allowed.said.out;
}
TEST_F(since_the_baseline, a_law_that_is_judged_in_part_is_a_regression) {
  judged const j = now("unsupported composition 3");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: composition_pointwise was pass in the baseline and is partly\n")) << j.said.out;
  EXPECT_EQ(j.report["lost"], json::array()) << "the operation is there";
}
TEST_F(since_the_baseline, a_law_that_is_wrong_no_more_but_offered_less_is_a_regression) {
  std::string const text =
      std::regex_replace(contents(file), std::regex("pass composition_pointwise 0/"), "wrong composition_pointwise 1/");
  std::ofstream(file) << text;
  judged const j = now("unsupported composition 3");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: composition_pointwise is not offered for ")) << j.said.out;
}
TEST_F(since_the_baseline, a_class_that_is_answered_no_more_is_a_regression) {
  std::string const options = "--law composition_pointwise --cases /dev/null --count 400 --baseline " + file + " ";
  judged const j = judge(options, broken_program + " without_basis");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  std::regex const lost(
      "lost: composition_pointwise was pass in the baseline and is partly: \\d+ inputs with basis strides: "
      "none answered\n");
  EXPECT_TRUE(std::regex_search(j.said.out, lost)) << j.said.out;
}
// Far less than a fifth, and of no class.
TEST_F(since_the_baseline, a_law_that_is_offered_for_fewer_inputs_is_a_regression) {
  std::string const junit = scratch.file("fewer.xml");
  judged const j = now("unsupported composition 18", "--junit " + junit);
  std::string const text = "is not offered for 3 of 60 inputs (5.0%), in the baseline for 0 of 60 inputs (0.0%)";
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: composition_pointwise " + text + "\n")) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: composition_form is not offered for ")) << j.said.out;
  EXPECT_EQ(j.law("composition_pointwise")["verdict"], "pass");
  EXPECT_NE(contents(junit).find("<failure message=\"lost: " + text), std::string::npos) << contents(junit);
  EXPECT_EQ(contents(junit).find("skipped=\"-"), std::string::npos) << "what passed and is lost is counted once";
  EXPECT_EQ(now("unsupported composition 18", "--allow-lost").said.status, 0);
}
// That is no refusal, and no failure: it may not have been able to tell.
TEST_F(since_the_baseline, unsupported_where_no_answer_exists_is_a_regression_and_else_no_pass) {
  judged const j = judge(asked, broken_program + " evading '*'"), since = now("evading '*'");
  EXPECT_EQ(j.said.status, 0) << j.said.out;
  EXPECT_EQ(j.law("composition_exists")["verdict"], "partly") << j.said.out;
  EXPECT_EQ(j.law("composition_exists")["count"]["refused"], 0);
  EXPECT_EQ(since.said.status, 1) << since.said.out;
  EXPECT_TRUE(says(since.said, "lost: composition_exists was pass in the baseline and is partly")) << since.said.out;
  EXPECT_TRUE(says(since.said, "lost: complement_exists is not offered for ") ||
              says(since.said, "lost: complement_exists was pass in the baseline and is partly"))
      << since.said.out;
}
TEST_F(since_the_baseline, a_limit_that_it_did_not_declare_is_a_regression) {
  judged const j = now("limited '*' 1 int=48");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: composition_identity is not offered for ")) << j.said.out;
}
TEST_F(since_the_baseline, as_many_inputs_may_be_not_offered_as_it_says) {
  std::string const head = contents(file).substr(0, contents(file).find("\noffers")) + "\noffers composition\n",
                    asked_now = "--law composition_pointwise --cases /dev/null --count 60 --baseline " + file;
  for (auto const& [noted, status] : std::map<std::string, int>{{"0/60", 1},
                                                                {"0/60 1 unsupported", 1},
                                                                {"0/60 2 unsupported", 0},
                                                                {"0/60 3 unsupported", 0},
                                                                {"0/61", 0},
                                                                {"", 0}}) {
    store(file, head + "pass composition_pointwise " + noted + "\n");
    EXPECT_EQ(judge(asked_now, broken_program + " unsupported composition 18").said.status, status) << noted;
  }
}
TEST_F(since_the_baseline, a_law_that_fails_as_before_on_fewer_inputs_than_were_offered_is_a_regression) {
  std::string const known = "--op size --cases /dev/null --count 60 --jobs 1 ", hello = "colex 1 mine 1 size";
  judge(known + "--write-baseline " + file, script(hello));
  EXPECT_EQ(judge(known + "--baseline " + file, script(hello)).said.status, 0);
  judged const j =
      judge(known + "--baseline " + file, script(hello, "n=$((n + 1)); [ $((n % 10)) = 0 ] && echo unsupported || echo 1"));
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_EQ(j.law("size_product")["known"], true) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: size_product is not offered for ")) << j.said.out;
}
TEST_F(since_the_baseline, what_is_new_and_what_is_lost_stands_before_what_is_known_in_markdown) {
  std::string const known = broken_program + " wrong:^complement '*'", options = asked + "--baseline " + file;
  judge(asked + "--write-baseline " + file, known);
  std::string const page = scratch.file("since.md"), head = "Known to fail, as the baseline says:";
  judged const as_before = judge(options + " --markdown " + page, known);
  std::regex const counted("\n\\d+ laws? and the cases of 1 operation known to fail, as the baseline says\n");
  EXPECT_TRUE(std::regex_search(as_before.said.out, counted)) << as_before.said.out;
  std::string const same = contents(page);
  EXPECT_NE(same.find("\n\nBreaks none that the baseline does not list.\n\n" + head), std::string::npos) << same;
  EXPECT_GT(same.find("| complement_ordered | "), same.find(head)) << same;
  EXPECT_EQ(same.find("Lost"), std::string::npos) << same;
  judge(options + " --markdown " + page, broken_program + " unsupported coalesce");
  EXPECT_NE(contents(page).find("\nLost since the baseline: `coalesce`, `coalesce_"), std::string::npos) << contents(page);
  judge(options + " --markdown " + page, broken_program + " 'wrong:^complement|^coalesce' '*'");
  std::string const fresh = contents(page);
  EXPECT_LT(fresh.find("\n| coalesce_function | wrong |"), fresh.find(head)) << fresh;
  EXPECT_GT(fresh.find("\n| complement_ordered | wrong |"), fresh.find(head)) << fresh;
}
TEST_F(since_the_baseline, another_spelling_than_before_is_a_regression) {
  judged const j = now("spelling coalesce");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lost: coalesce_flat was pass in the baseline and is form\n")) << j.said.out;
  EXPECT_EQ(now("spelling coalesce", "--allow-lost").said.status, 0);
}
TEST_F(since_the_baseline, a_law_that_fails_far_more_often_is_a_regression) {
  std::string const broken = broken_program + " wrong composition ", options = asked + "--jobs 1 --baseline " + file + " ";
  judge(asked + "--jobs 1 --write-baseline " + file, broken + "8");
  EXPECT_TRUE(std::regex_search(contents(file), std::regex("\nwrong composition_pointwise \\d+/\\d+ wrong ")))
      << contents(file);
  EXPECT_EQ(judge(options, broken + "8").said.status, 0);
  judged const j = judge(options, broken + "1");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "FAIL composition_")) << j.said.out;
}
// Where the file does not say which: of the same inputs more than one in ten more; of others as many as chance may bring.
TEST_F(since_the_baseline, a_law_that_fails_more_often_on_the_same_inputs_is_a_regression) {
  std::string const options = "--law composition_pointwise --cases /dev/null --count 60 --jobs 1 --baseline " + file,
                    broken = broken_program + " wrong composition 5";
  auto const status = [&](std::string const& before) {
    store(file, before);
    return judge(options, broken).said.status;
  };
  judge(options + " --write-baseline " + file, broken);
  std::string const whole = contents(file);
  std::smatch inputs, share;
  ASSERT_TRUE(std::regex_search(whole, inputs, std::regex("\ninputs 1 ([0-9.]+)\n"))) << whole;
  ASSERT_TRUE(std::regex_search(whole, share, std::regex("\nwrong composition_pointwise (\\d+)/60 wrong "))) << whole;
  int const failed = std::stoi(share[1]);
  std::string const wrong = "offers composition\nwrong composition_pointwise ", fewer = std::to_string(failed - 2);
  EXPECT_EQ(status(whole), 0);
  EXPECT_EQ(status(inputs.str() + wrong + std::to_string(failed - 1) + "/60\n"), 0);
  EXPECT_EQ(status(inputs.str() + wrong + fewer + "/60\n"), 1);
  EXPECT_EQ(status(inputs.str() + wrong + fewer + "/61\n"), 0);
  EXPECT_EQ(status("inputs 2 " + inputs.str(1) + "\n" + wrong + fewer + "/60\n"), 0);
  EXPECT_EQ(status(wrong + fewer + "/60\n"), 0);
}
std::string const at_points = "--law composition_pointwise --cases /dev/null ";
// Fewer than a tenth more, or far fewer than then.
TEST_F(since_the_baseline, an_input_that_fails_and_did_not_is_a_regression_where_others_failed) {
  judged const then = judge(at_points + "--count 400 --write-baseline " + file, broken_program + " wrong:@");
  std::string const since = at_points + "--baseline " + file + " --count ", options = since + "400";
  EXPECT_EQ(judge(options, broken_program + " wrong:@").said.status, 0);
  EXPECT_EQ(judge(options, broken_program + " wrong:1@").said.status, 0) << "better";
  EXPECT_EQ(judge(since + "200", broken_program + " wrong:@").said.status, 0) << "fewer inputs, all of them known";
  EXPECT_EQ(judge(since + "800", broken_program + " wrong:@").said.status, 0) << "of those that were not asked nobody knows";
  EXPECT_EQ(judge(since + "800", broken_program + " wrong::12").said.status, 1);
  EXPECT_EQ(judge(options + " --seed 2", broken_program + " 'wrong:@|:12'").said.status, 0) << "other inputs";
  judged const j = judge(options, broken_program + " 'wrong:@|:12'"), fewer = judge(options, broken_program + " wrong::12");
  for (judged const& each : {j, fewer}) {
    EXPECT_EQ(each.said.status, 1) << each.said.out;
    EXPECT_TRUE(
        std::regex_search(each.said.out, std::regex("of 400 inputs \\([0-9.]+%\\), \\d+ of them new: one of these is shown\n")))
        << each.said.out;
    EXPECT_TRUE(says(each.said, ", 0 shrinks, seed 1 (as drawn: a smaller one may have failed before)\n")) << each.said.out;
    json const& where = each.law("composition_pointwise")["failure"]["where"];
    EXPECT_EQ(where.dump().find('@'), std::string::npos) << where;
    EXPECT_NE(where.dump().find(":12"), std::string::npos) << where;
  }
  std::size_t const were = then.law("composition_pointwise")["count"]["wrong"];
  EXPECT_LE(j.law("composition_pointwise")["count"]["wrong"], were + were / 10);
  EXPECT_LT(fewer.law("composition_pointwise")["count"]["wrong"], were / 4);
}
TEST_F(since_the_baseline, an_input_that_fails_in_a_worse_way_is_a_regression_where_others_did) {
  std::string const three =
      script("colex 1 mine 1 composition", "case $rest in *@*) echo 7:7 ;; *97*) echo $ANSWER ;; *) echo unsupported ;; esac");
  auto const answering = [&](std::string const& answer) { return "env ANSWER='" + answer + "' " + three; };
  judge(at_points + "--write-baseline " + file, answering("undefined no"));
  EXPECT_TRUE(
      std::regex_search(contents(file), std::regex("\n(wrong|silent) composition_pointwise .* refused [0-9,-]+ wrong ")))
      << contents(file);
  EXPECT_EQ(judge(at_points + "--baseline " + file, answering("undefined no")).said.status, 0);
  EXPECT_EQ(judge(at_points + "--baseline " + file, answering("7:7")).said.status, 1);
}
TEST_F(since_the_baseline, a_case_that_fails_and_did_not_is_a_regression_where_others_failed) {
  std::string const options = "--law composition_form --jobs 1 ", broken = broken_program + " wrong composition ";
  judge(options + "--write-baseline " + file, broken + "8");
  EXPECT_EQ(judge(options + "--baseline " + file, broken + "8").said.status, 0);
  judged const j = judge(options + "--baseline " + file, broken + "9");
  EXPECT_EQ(j.said.status, 1) << "as many or fewer, and others";
  EXPECT_TRUE(says(j.said, " of them new: one of these is shown\n")) << j.said.out;
}
TEST_F(since_the_baseline, what_is_new_in_shards_the_merge_has) {
  std::string const laws = "--law 'co*_[ps]*' --cases /dev/null --count 400 ", again = scratch.file("again");
  auto const merged = [&](std::string const& mode) {
    std::string files;
    for (std::string const k : {"1", "2"}) {
      std::string const of_shard = scratch.file("new" + k);
      shell(tool + " conform " + laws + "--baseline " + file + " --shard " + k + "/2 --json " + of_shard + " -- " +
            broken_program + mode);
      files += " " + of_shard;
    }
    return shell(tool + " merge --write-baseline " + again + files);
  };
  judge(laws + "--write-baseline " + file, broken_program + " wrong:@");
  EXPECT_EQ(merged(" wrong:@").status, 0);
  EXPECT_EQ(contents(again), contents(file));
  result const r = merged(" 'wrong:@|:12'");
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(says(r, " of them new: one of these is shown\n")) << r.out;
}
// Of answers that are too long not all inputs were looked at, and those behind have other numbers.
TEST_F(since_the_baseline, which_inputs_failed_is_not_said_where_some_before_were_left_out) {
  std::string const options = "--law composition_distributes --cases /dev/null --count 60 --jobs 1 --seed 2 ",
                    bulky = broken_program + " bulky composition 3";
  store(file, "offers composition\nwrong composition_distributes 60/60\n");  // known: it is not made smaller
  judge(options + "--baseline " + file + " --write-baseline " + file, bulky);
  EXPECT_TRUE(std::regex_search(contents(file), std::regex("\nwrong composition_distributes \\d+/\\d+\n"))) << contents(file);
  EXPECT_EQ(judge(options + "--baseline " + file, bulky).said.status, 0);
}
// As many cases are not as they should be, and one more of them is wrong.
TEST_F(since_the_baseline, a_case_that_is_wrong_and_was_spelled_otherwise_is_a_regression) {
  std::string const cases = scratch.file("spelled.txt"), options = "--law coalesce_form --cases " + cases;
  store(cases, "coalesce (2,4):(1,2) = 8:1\ncoalesce (2,2):(1,1) = (2,2):(1,1)\n");
  auto const mine = [](std::string const& said) {
    return script("colex 1 mine 1 coalesce", "case $rest in *4*) echo '" + said + "' ;; *) echo 7:1 ;; esac");
  };
  judge(options + " --write-baseline " + file, mine("(8):(1)"));
  EXPECT_NE(contents(file).find("\nwrong coalesce_form 2/2 1 form\n"), std::string::npos) << contents(file);
  EXPECT_EQ(judge(options + " --baseline " + file, mine("(8):(1)")).said.status, 0);
  judged const worse = judge(options + " --baseline " + file, mine("7:1"));
  EXPECT_EQ(worse.said.status, 1) << worse.said.out;
  EXPECT_TRUE(says(worse.said, "before wrong on 1 of 2 inputs (50.0%), now on 2 of 2 inputs (100.0%)")) << worse.said.out;
  std::string old = contents(file);
  store(file, old.erase(old.find(" 1 form"), 7));
  EXPECT_EQ(judge(options + " --baseline " + file, mine("(8):(1)")).said.status, 0) << "written before that was noted";
  for (std::string const wrong : {"2/2 3 form", "2/2 1 form 1 form", "2/2 1 forms", "2/2 form"}) {
    store(file, "wrong coalesce_form " + wrong + "\n");
    EXPECT_EQ(judge(options + " --baseline " + file, mine("7:1")).said.status, 2) << wrong;
  }
}
TEST_F(since_the_baseline, its_name_and_its_shares_are_shown) {
  std::string const html = scratch.file("since.html");
  store(file, "offers composition\nwrong composition_pointwise 3/100\n");
  judged const j = now("wrong", "--html " + html);
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  std::regex const shares(
      "wrong on 3 of 100 inputs \\(3\\.0%\\), now on \\d+ of 60 inputs \\([3-9]\\d\\.\\d%\\): the input shown may be one "
      "that failed then, too");
  EXPECT_TRUE(std::regex_search(j.said.out, shares)) << j.said.out;
  EXPECT_TRUE(says(j.said, "\n  before wrong on 3 of 100 ")) << j.said.out;
  EXPECT_FALSE(says(now("silent").said, "may be one that failed")) << "a worse verdict than then";
  std::string const page = contents(html);
  EXPECT_TRUE(std::regex_search(page, shares)) << page;
  EXPECT_NE(page.find("<dt>baseline</dt><dd><code>" + file), std::string::npos) << page;
}
TEST_F(since_the_baseline, a_pass_of_which_inputs_failed_is_refused_and_a_failure_of_which_none_did) {
  for (auto const& [noted, status] : std::map<std::string, int>{{"pass size_product 0/64", 0},
                                                                {"pass size_product 64/64", 2},
                                                                {"pass size_product 1/64", 2},
                                                                {"undefined size_product 1/64", 2},
                                                                {"partly size_product 1/64", 0},
                                                                {"wrong size_product 1/64", 0},
                                                                {"wrong size_product 0/64", 2},
                                                                {"form size_product 0/64", 2}}) {
    store(file, noted + "\n");
    judged const j = judge("--law size_product --cases /dev/null --count 64 --baseline " + file, broken_program + " honest");
    EXPECT_EQ(j.said.status, status) << noted << j.said.err;
    if (status == 2) {
      EXPECT_TRUE(says(j.said, "of_before:1: " + noted.substr(0, noted.find(' ')) + " of 64 inputs, of which ")) << j.said.err;
    }
  }
}
TEST_F(since_the_baseline, other_inputs_than_those_that_it_was_drawn_by_are_said) {
  std::string const end = ": what failed then is compared by its share of the inputs\n", by = "the baseline was drawn by ";
  EXPECT_FALSE(says(now("honest").said, by));
  EXPECT_TRUE(says(now("honest", "--seed 2").said, by + "seed 1" + end)) << now("honest", "--seed 2").said.out;
  judged const j = judge("--law 'co[am][lp]*' --count 30 --seed 2 --baseline " + file, broken_program + " honest");
  EXPECT_EQ(j.said.status, 0) << j.said.out;
  EXPECT_TRUE(says(j.said, by + "seed 1, another number of inputs" + end)) << j.said.out;
}
TEST_F(since_the_baseline, a_name_that_comes_twice_is_refused) {
  for (std::string const twice :
       {"wrong composition_pointwise 3/100\nsilent composition_pointwise\n", "offers size\noffers size\n"}) {
    store(file, twice);
    result const r = shell(tool + " conform --baseline " + file + " -- " + broken_program + " honest");
    EXPECT_EQ(r.status, 2) << r.out;
    EXPECT_NE(r.err.find("of_before:2: "), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(" comes twice"), std::string::npos) << r.err;
  }
}
TEST_F(since_the_baseline, what_shards_lost_the_merge_has) {
  for (auto const& [mode, lost] : std::map<std::string, std::string>{
           {" unsupported coalesce", "coalesce was offered"},
           {" unsupported composition 18", "composition_pointwise is not offered for 3 of 60 inputs"}}) {
    std::string files;
    for (char const* k : {"1", "2", "3"}) {
      std::string const of_shard = scratch.file(std::string("lost") + k);
      shell(tool + " conform " + asked + "--baseline " + file + " --shard " + k + "/3 --json " + of_shard + " -- " +
            broken_program + mode);
      files += " " + of_shard;
    }
    result const r = shell(tool + " merge" + files);
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_TRUE(says(r, "lost: " + lost)) << r.out;
  }
}
TEST_F(since_the_baseline, one_without_verdicts_is_refused_and_what_writes_one_is_said) {
  std::string const why =
      ", so that nothing can be compared with it; `colex conform --write-baseline FILE -- PROGRAM` writes one";
  for (auto const& [text, lacks] :
       std::map<std::string, std::string>{{"", " is empty"},
                                          {"# none\n", " has the verdict of no law"},
                                          {"inputs 1 0.2.0\noffers coalesce\n", " has the verdict of no law"}}) {
    store(file, text);
    judged const j = now("honest");
    EXPECT_EQ(j.said.status, 2) << text;
    EXPECT_EQ(j.said.err, "colex: " + file + lacks + why + "\n");
  }
}
TEST_F(since_the_baseline, an_old_one_is_read_with_a_warning) {
  for (auto const& [text, lacks] : std::map<std::string, std::string>{
           {"wrong composition_pointwise\n", "of_before is an old baseline: it does not say what was offered"},
           {"offers composition\nwrong composition_pointwise 3/60\n",
            "of_before is an old baseline: it does not say which inputs"},
           {"offers composition\nwrong composition_pointwise 3/60 wrong 1-3\n", ""},
           {"offers composition\nform composition_pointwise 3/60 3 form\n", ""}}) {
    store(file, text);
    judged const j = now("unsupported coalesce");
    EXPECT_EQ(j.said.status, 0) << j.said.out;
    EXPECT_EQ(j.said.err.find(lacks.empty() ? "old baseline" : lacks) == std::string::npos, lacks.empty()) << j.said.err;
  }
}

}  // namespace
}  // namespace colex
