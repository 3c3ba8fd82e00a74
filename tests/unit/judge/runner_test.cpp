// The runner itself under test: it is given programs that misbehave in every known way, must say so and lose nothing
// else. SPDX-License-Identifier: Apache-2.0
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

// Of a third of the requests it dies in the same way, or says what is no answer, another each time. It answers more often.
TEST(runner, a_law_that_dies_in_one_way_is_not_asked_on) {
  for (std::string const mode : {"crashing", "garbled"}) {
    judged const j = judge("--law composition_pointwise --cases /dev/null --count 1000 --seed 2 --timeout 1",
                           broken_program + " " + mode + " composition 3");
    EXPECT_EQ(j.said.status, 3) << j.said.out;
    EXPECT_LT(j.law("composition_pointwise")["evaluations"], 500) << j.said.out;
    EXPECT_EQ(j.law("composition_pointwise")["stopped"], true) << mode;
    EXPECT_NE(j.said.out.find("in the same way that it was not asked on: composition_pointwise\n"), std::string::npos)
        << j.said.out;
  }
}
TEST(runner, what_it_died_of_is_said_where_the_failure_that_is_shown_does_not) {
  judged const j = judge("--op coalesce --cases /dev/null --count 60", broken_program + " dying_of_profiles coalesce");
  EXPECT_NE(j.said.out.find("FAIL coalesce_flat  "), std::string::npos) << j.said.out;
  std::regex const once("\nthe program died \\d+ times [^\n]*\n  died   coalesce [^\n]*; it said: no profiles\n[^\n]* in ");
  EXPECT_TRUE(std::regex_search(j.said.out, once)) << j.said.out;
  EXPECT_EQ(judge_broken_one("crashing").said.out.find("\n  died "), std::string::npos) << "the failure shown says it";
}
TEST(runner, all_that_it_died_of_is_counted) {
  std::string const five = "(\n  died   composition [^\n]*    exited with status 1\\d){5}\n  died   in 4 other ways too\n";
  judged const j =
      judge("--law composition_pointwise --cases /dev/null --count 200", broken_program + " dying_in_many_ways composition 2");
  EXPECT_TRUE(std::regex_search(j.said.out, std::regex(five))) << j.said.out;
  EXPECT_EQ(j.law("composition_pointwise")["died_of"].size(), 10u) << j.said.out;
}
TEST(peer, an_operation_that_dies_in_one_way_is_given_up) {
  std::vector<std::string> requests;
  for (int k = 1; k <= 600; ++k) requests.push_back(fmt::format("composition 999:1 {}:1", k));
  for (std::string const mode : {"early_exit", "garbled"}) {
    peer p({(here / "broken").string(), mode, "composition", "3"}, peer::seconds(10));
    std::vector<reply> const replies = p.ask(requests);
    EXPECT_EQ(p.deaths(), peer::same_death_limit) << mode;
    EXPECT_EQ(replies.back().died, fmt::format("not asked: composition died {} times", peer::same_death_limit));
    EXPECT_EQ(p.given_up(), std::set<std::string>{"composition"});
  }
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

TEST(runner, says_on_a_terminal_how_far_it_is) {
  std::string const run =
      tool + " conform --op coalesce --cases /dev/null --count 50 --jobs 1 -- " + broken_program + " wrong '*'";
  EXPECT_EQ(shell(run).err, "") << "nothing where it is none";
  std::string const script = scratch.file("run.sh");
  store(script, run + "\n");
  std::string const seen = shell("python3 -c \"import pty; pty.spawn(['sh', '" + script + "'])\" </dev/null").out;
  for (std::string const part : {"starting ", "1/7 coalesce_", "7/7 coalesce_", "making smaller: 1/"})
    EXPECT_NE(seen.find("\r\033[K" + part), std::string::npos) << seen;
  EXPECT_NE(seen.find("\r\033[KFAIL "), std::string::npos) << "and is gone then: " << seen;
}

TEST(runner, what_a_program_did_before_it_ended_is_said) {
  std::string const program = scratch.file("ends.sh");
  for (auto const& [does, says] : std::map<std::string, std::string>{
           {"exec " + scratch.file(std::string(150, 'x')), std::string(150, 'x') + ": not found before it answered 'hello'\n"},
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
  result const r = shell(tool + " conform --law size_product --cases /dev/null --count 5 -- " +
                         "sh -c 'read -r line; if [ \"$line\" = hello ]; then echo colex 1 short; fi'");
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(says(r, "answered none of 20 requests; the last that it died of: `")) << r.err;
  EXPECT_TRUE(says(r, "`: exited with status 0\n")) << r.err;
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
