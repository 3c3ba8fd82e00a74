// What a pipeline rests on: a run in which nothing was judged fails, what is judged in part is said to be, and a program that
// does not speak the protocol is told so at once.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/classes.hpp"
#include "tests/unit/harness.hpp"

#include <chrono>

namespace colex {
namespace {

using namespace harness;

std::size_t laws_that(judged const& j, std::string const& verdict) {
  return static_cast<std::size_t>(
      std::count_if(j.report["laws"].begin(), j.report["laws"].end(), [&](json const& l) { return l["verdict"] == verdict; }));
}

TEST(gate, a_run_in_which_nothing_was_judged_fails) {
  for (std::string const& program : {script("colex 1 mine 1", "echo unsupported"), script("colex 1 mine 1 rank", "echo 1"),
                                     std::string("python3 tests/peers/template.py")}) {
    judged const j = judge("--op '*_atom' --count 20", program);
    EXPECT_EQ(j.said.status, 1) << program << j.said.out << j.said.err;
    EXPECT_TRUE(says(j.said, "nothing was judged")) << program << j.said.out;
    EXPECT_EQ(laws_that(j, "pass"), 0u) << program << j.said.out;
  }
}
// Cases that only linear maps answer are left out, and named, where others of the operation are answered.
TEST(gate, what_needs_linear_maps_is_not_covered_where_the_operation_is_answered) {
  std::string const lacks = "as the program offers no to_f2";
  judged const none = judge("--op right_inverse --count 5", "python3 tests/peers/template.py"),
               mine = judge("--op right_inverse --count 5", script("colex 1 mine 1 right_inverse", "echo 1:0"));
  EXPECT_FALSE(says(none.said, lacks)) << none.said.out;
  EXPECT_TRUE(says(mine.said, lacks)) << mine.said.out;
}
// Not even through other operations that the law asks, whose answers their own laws judge.
TEST(gate, of_what_the_greeting_leaves_out_nothing_is_judged) {
  std::string const refuses = script("colex 1 mine 1 composition complement", "echo undefined");
  for (std::string const time : {"", "--time 20s"}) {
    judged const j = judge(time + " --law 'logical_product_*' --count 60", refuses);
    EXPECT_EQ(laws_that(j, "refused") + laws_that(j, "partly"), 0u) << j.said.out;
  }
  EXPECT_EQ(judge("--law composition_exists --count 60", refuses).law("composition_exists")["verdict"], "refused");
}
TEST(gate, laws_of_which_none_is_offered_are_counted_as_that) {
  judged const j = judge("--op size --count 20", script("colex 1 mine 1 rank"));
  EXPECT_TRUE(std::regex_search(j.said.out, std::regex("\n1 law not offered; \\d+ cases not offered\n$"))) << j.said.out;
}
TEST(gate, a_filter_that_matches_nothing_is_refused) {
  for (std::string const filter : {"--law compositon*", "--op nothing", "--level core --op mma_atom"})
    EXPECT_EQ(shell(tool + " conform " + filter + " -- " + broken_program + " honest").status, 2) << filter;
}

// Fifty of its inputs say that an operation is not offered, and no cases that are others.
TEST(gate, cases_are_asked_of_what_no_input_of_a_law_is_answered) {
  judged const j = judge("--op zipped_product --count 200", broken_program + " untiled zipped_product");
  EXPECT_GT(j.law("zipped_product_regroups")["count"]["unsupported"], 50) << j.said.out;
  EXPECT_EQ(j.law("zipped_product_form")["count"]["pass"], 1) << j.said.out;
}
TEST(gate, each_law_asks_again_for_what_another_was_not_answered) {
  judged const j = judge("--op crd2idx --count 400", broken_program + " ternary crd2idx");
  EXPECT_EQ(j.law("crd2idx_definition")["verdict"], "unsupported") << j.said.out;
  EXPECT_EQ(j.law("crd2idx_strided")["verdict"], "wrong") << j.said.out;
}
// A ruling, what CuTe says, and how often it failed before leave a line for the arguments.
TEST(gate, arguments_are_said_beside_all_else) {
  std::string const file = scratch.file("of_complement"), asked = "--law complement_disjoint --count 60 ";
  judge(asked + "--write-baseline " + file, broken_program + " honest complement");
  judged const j = judge(asked + "--baseline " + file, broken_program + " wrong complement");
  EXPECT_TRUE(says(j.said, "  where  A = 2:2, M = 1\n") && says(j.said, "  before pass")) << j.said.out;
}
TEST(gate, what_hello_lists_and_nobody_answers_has_vanished) {
  judged const j = judge("--op '*size' --count 60",
                         script("colex 1 mine 1 size cosize", "case $op in size) echo unsupported ;; *) echo 7 ;; esac"));
  EXPECT_EQ(j.said.status, 1);
  EXPECT_EQ(j.law("size_product")["verdict"], "vanished") << j.said.out;
  EXPECT_NE(j.law("cosize_span")["verdict"], "vanished") << j.said.out;
  EXPECT_TRUE(says(j.said, "FAIL size_product  vanished")) << j.said.out;
  EXPECT_TRUE(says(j.said, "lists size, and every request was answered `unsupported`")) << j.said.out;
}
TEST(gate, what_the_program_has_not_decided_is_counted_and_shown) {
  judged const j = judge("--law composition_pointwise --count 60 --cases /dev/null",
                         script("colex 1 mine 1 composition",
                                "case $rest in *,*) echo unsupported not decided: late ;; *) echo unsupported ;; esac"));
  json const law = j.law("composition_pointwise");
  std::size_t const open = law["not_covered"]["not decided"];
  EXPECT_GT(open, 0u);
  EXPECT_LT(open, law["count"]["unsupported"]);
  EXPECT_TRUE(says(j.said, "not covered, as the program has not decided them: " + std::to_string(open) + " inputs of 1 law\n"))
      << j.said.out;
  EXPECT_TRUE(says(j.said, " = unsupported not decided: late\n")) << j.said.out;
}
// As in a run of all its laws, where another one is answered.
TEST(gate, a_verdict_depends_on_no_law_asked_beside_it) {
  std::string const ternary =
      script("colex 1 mine 1 crd2idx", "case $rest in *' '*' '*) echo 0 ;; *) echo unsupported ;; esac");
  for (std::string const choice : {"--op crd2idx", "--law crd2idx_definition", "--law crd2idx_definition --shard 1/1"})
    EXPECT_EQ(judge(choice + " --count 60", ternary).law("crd2idx_definition")["verdict"], "unsupported") << choice;
  judged const none = judge("--law crd2idx_definition --count 60", script("colex 1 mine 1 crd2idx", "echo unsupported"));
  EXPECT_EQ(none.law("crd2idx_definition")["verdict"], "vanished") << none.said.out;
  judged const dies = judge("--law crd2idx_definition --count 60",
                            script("colex 1 mine 1 crd2idx", "case $rest in *' '*' '*) exit 1 ;; *) echo unsupported ;; esac"));
  EXPECT_EQ(dies.law("crd2idx_definition")["verdict"], "vanished") << "to die is no answer: " << dies.said.out;
  EXPECT_EQ(dies.report["deaths"], 0) << "what dies where nobody asked is no part of the run: " << dies.said.out;
}
TEST(gate, a_law_asked_for_by_name_is_judged_in_part) {
  std::string const file = scratch.file("by_name.json");
  std::string const asked = "--law composition_pointwise --count 400 ", program = broken_program + " without_basis";
  judged const j = judge(asked, program);
  EXPECT_EQ(j.law("composition_pointwise")["verdict"], "partly") << j.said.out;
  EXPECT_EQ(j.said.status, 0) << j.said.out;
  EXPECT_EQ(judge("--op composition --cases /dev/null --law '**' --count 200", program).said.status,
            judge("--op composition --cases /dev/null --count 200", program).said.status)
      << "all laws are none by name";
  json const& count = j.law("composition_pointwise")["count"];
  std::size_t const held = count["pass"].get<std::size_t>() + count["undefined"].get<std::size_t>();
  EXPECT_TRUE(says(j.said, fmt::format("composition_pointwise holds on {} of 400 inputs\n", held))) << j.said.out;
  shell(tool + " conform " + asked + "--json " + file + " -- " + program);
  EXPECT_EQ(shell(tool + " report " + file).status, 0) << "its exit status follows from what it lists";
}

TEST(gate, a_law_of_which_much_was_not_offered_holds_in_part) {
  std::string const badge = scratch.file("part.svg"), asked = "--op composition --cases /dev/null --count 200 ";
  judged const j = judge(asked + "--badge " + badge, broken_program + " unsupported composition 3");
  EXPECT_EQ(j.law("composition_pointwise")["verdict"], "partly") << j.said.out;
  EXPECT_EQ(j.said.status, 1) << "no law holds whole";
  EXPECT_NE(j.said.out.find("nothing was judged whole"), std::string::npos) << j.said.out;
  EXPECT_EQ(laws_that(j, "pass"), 0u) << j.said.out;
  EXPECT_TRUE(std::regex_search(contents(badge), std::regex("colex: 0 of \\d+ laws, \\d+ in part"))) << contents(badge);
  shell(tool + " conform --op '*size' --cases /dev/null --count 20 --badge " + badge + " -- " +
        script("colex 1 mine 1 cosize"));
  EXPECT_TRUE(std::regex_search(contents(badge), std::regex("colex: \\d of \\d+ laws, [1-9]\\d* not offered")))
      << contents(badge);
}

// Far less than a fifth of the inputs, and all of a kind.
TEST(gate, a_law_of_which_a_class_was_not_offered_holds_in_part) {
  std::string const html = scratch.file("class.html"), junit = scratch.file("class.xml"),
                    asked = "--law 'composition_[bp]*' --cases /dev/null --count 400 ",
                    files = "--html " + html + " --junit " + junit;
  judged const j = judge(asked + files, broken_program + " without_basis");
  json const& law = j.law("composition_pointwise");
  std::size_t const n = law["unanswered"]["basis strides"];
  EXPECT_GE(n, 16u) << j.said.out;
  EXPECT_LT(n, 80u) << "less than a fifth";
  EXPECT_EQ(law["count"]["unsupported"], n) << law;
  EXPECT_EQ(law["unanswered"].size(), 1u) << law;
  EXPECT_EQ(law["verdict"], "partly") << j.said.out;
  std::string const none = std::to_string(n) + " inputs with basis strides: none answered";
  EXPECT_NE(contents(html).find(none), std::string::npos);
  EXPECT_NE(contents(junit).find("partly: " + none), std::string::npos) << contents(junit);
  EXPECT_TRUE(says(j.said, "none answered: ")) << j.said.out;
  EXPECT_EQ(judge(asked, broken_program + " honest").law("composition_pointwise")["unanswered"], json::object());
}
// All inputs of composition_identity have basis strides: that those with an extent 1 are not answered follows.
TEST(gate, a_class_that_follows_from_another_is_not_named) {
  judged const j = judge("--law composition_identity --cases /dev/null --count 400", broken_program + " without_basis");
  json const& law = j.law("composition_identity");
  EXPECT_EQ(law["unanswered"], json({{"basis strides", law["count"]["unsupported"]}})) << j.said.out;
  class_account account;
  for (int k = 0; k < 20; ++k)
    for (char const* const one : {"2:-1", "2:1@0", "((2),2):((-1),2)", "((2),2):((1@0),2)"})
      account.add({{"A", parse(one)}}, false);
  std::map<std::string, std::size_t> const causes{{"negative strides", 40}, {"basis strides", 40}};
  EXPECT_EQ(account.unanswered(), causes) << "nested parentheses come with one or the other";
}
TEST(gate, a_class_of_few_inputs_shows_nothing) {
  judged const j = judge("--law composition_pointwise --cases /dev/null --count 60", broken_program + " without_basis");
  EXPECT_EQ(j.law("composition_pointwise")["verdict"], "pass") << j.said.out;
  EXPECT_GT(j.law("composition_pointwise")["count"]["unsupported"], 0) << j.said.out;
}

TEST(gate, operations_that_are_required) {
  std::string const asked = "--law 'co[am][lp]*' --cases /dev/null --count 30 ",
                    program = broken_program + " unsupported coalesce";
  EXPECT_EQ(judge(asked + "--require-ops composition,complement", program).said.status, 0);
  judged const j = judge(asked + "--require-ops composition,coalesce", program);
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lacking: coalesce is required and not offered\n")) << j.said.out;
  EXPECT_EQ(judge(asked + "--require-ops size", program).said.status, 1) << "it was not asked";
  EXPECT_EQ(judge(asked + "--require-ops siz", program).said.status, 2);
}
TEST(gate, operations_that_are_required_are_offered_whole) {
  std::string const junit = scratch.file("required.xml"),
                    asked = "--law 'co[am][lp]*' --cases /dev/null --count 60 --require-ops composition --junit " + junit + " ";
  judged const j = judge(asked, broken_program + " unsupported composition 3");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(says(j.said, "lacking: composition_pointwise is partly, and composition is required\n")) << j.said.out;
  EXPECT_EQ(j.law("composition_pointwise")["lacking"], true);
  EXPECT_NE(contents(junit).find("<failure message=\"partly"), std::string::npos) << contents(junit);
  EXPECT_FALSE(says(judge(asked, broken_program + " unsupported coalesce 3").said, "lacking: ")) << "it is another operation";
}

TEST(gate, a_run_that_was_cut_short_is_no_pass) {
  judged const j = judge("--law 'co[am][lp]*' --cases /dev/null --jobs 1 --time 1s", broken_program + " slow '*' 1");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_TRUE(std::regex_search(j.said.out, std::regex("incomplete, which is no pass: the time was out before \\d+ laws had "
                                                       "16 inputs\nnot judged: compat")))
      << j.said.out;
  EXPECT_EQ(j.law("composition_distributes")["verdict"], "incomplete");
  EXPECT_EQ(j.report["exit"], 1);
}
TEST(gate, what_is_not_offered_is_not_cut_short) {
  judged const j = judge("--jobs 1 --time 1s", script("colex 1 mine 1 complement", "sleep 0.02; echo 1:0"));
  EXPECT_TRUE(says(j.said, "incomplete, which is no pass")) << j.said.out;
  for (json const& law : j.report["laws"]) {
    if (law["operation"] == "complement") continue;
    EXPECT_NE(law["verdict"], "incomplete") << law["law"];
  }
}
TEST(gate, the_time_is_out_while_a_program_hangs) {
  auto const begin = std::chrono::steady_clock::now();
  judged const j = judge("--op composition --cases /dev/null --jobs 1 --time 1s", broken_program + " hanging '*' 20");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_EQ(j.report["hangs"], 0) << "it may have answered";
}
TEST(gate, what_was_waited_for_when_the_time_was_out_is_told) {
  std::string const junit = scratch.file("waited.xml"),
                    asked = "--law cosize_span --cases /dev/null --jobs 1 --time 3s --junit " + junit + " --timeout ";
  std::regex const waited("waited (2\\.[5-9]|3\\.0) s for an answer to cosize [-(:\\d,)]+");
  for (std::string const limit : {"1.6s", "10"}) {  // a second time, alone, and a first time
    judged const j = judge(asked + limit, broken_program + " hanging cosize");
    EXPECT_EQ(j.law("cosize_span")["verdict"], "incomplete") << j.said.out;
    for (std::string const& text : {j.said.out, "waited " + j.report["waited_for"].at(0).get<std::string>(), contents(junit)})
      EXPECT_TRUE(std::regex_search(text, waited)) << limit << ": " << text;
  }
  judged const in_time = judge("--law cosize_span --cases /dev/null --time 2s", broken_program + " honest");
  EXPECT_TRUE(in_time.report["waited_for"].empty()) << in_time.said.out;
}
TEST(gate, a_hang_that_is_certain_is_told_though_the_time_is_out) {
  judged const j = judge("--law cosize_span --cases /dev/null --jobs 1 --timeout 1 --time 3s",
                         script("colex 1 mine 1 cosize", "case $rest in *-*) sleep 60 ;; *) echo unsupported ;; esac"));
  EXPECT_EQ(j.report["hangs"], 1) << j.said.out;
  EXPECT_EQ(j.law("cosize_span")["verdict"], "died") << j.said.out;
}
TEST(gate, answers_that_are_too_long_are_not_looked_at_for_long) {
  judged const j = judge("--law composition_pointwise --cases /dev/null", broken_program + " bulky");
  EXPECT_EQ(j.said.status, 1) << j.said.out;
  EXPECT_LT(j.law("composition_pointwise")["evaluations"], 8) << "a MiB each, and four are enough";
}

TEST(gate, few_inputs_are_no_fault_of_the_program) {
  judged const j = judge("--law inner_partition_covers --count 2 --seed 4", broken_program + " honest");
  EXPECT_EQ(j.said.status, 0) << j.said.out;
  EXPECT_EQ(j.law("inner_partition_covers")["count"]["vacuous"], 1) << j.said.out;
  judged const fewer = judge("--law '*partition_covers' --cases /dev/null --count 1 --seed 4", broken_program + " honest");
  EXPECT_EQ(fewer.said.status, 0) << fewer.said.out;
  EXPECT_TRUE(says(fewer.said, "too few inputs: none met the hypothesis of: inner_partition_covers\n")) << fewer.said.out;
  judged const none = judge("--law complement_disjoint --cases /dev/null --count 1 --seed 6", broken_program + " honest");
  EXPECT_EQ(none.said.status, 1) << none.said.out;
  EXPECT_TRUE(says(none.said, "nothing was judged: no input shows whether its law holds\n")) << none.said.out;
}

TEST(gate, an_operation_that_nobody_knows_is_named) {
  judged const j = judge("--op size --cases /dev/null --count 20", script("colex 1 mine 1 size compositon rank zzzzzzzz"));
  EXPECT_TRUE(says(j.said, "the answer to `hello` lists compositon, which Colex does not know; did you mean composition?\n"))
      << j.said.out;
  EXPECT_TRUE(says(j.said, "lists zzzzzzzz, which Colex does not know\n")) << j.said.out;
  EXPECT_FALSE(says(j.said, "lists size")) << j.said.out;
}

// The run ends with exit 3 and one line, which has this text.
void is_told_within(std::chrono::seconds limit, std::string const& options, std::string const& program,
                    std::string const& text) {
  auto const begin = std::chrono::steady_clock::now();
  result const r = shell(tool + " conform --count 50 " + options + "-- " + program);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, limit) << program;
  EXPECT_EQ(r.status, 3) << program << r.out;
  EXPECT_EQ(r.out, "") << program;
  EXPECT_TRUE(says(r, text)) << program << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
}
TEST(gate, what_speaks_no_protocol_is_told_so_at_once) {
  for (auto const& [program, text] : std::map<std::string, std::string>{
           {"cat", "cat answered 'hello' with \"hello\"; `colex 1 NAME VERSION [OPERATION...]` belongs there"},
           {"yes", "yes said more than one line to 'hello'"},
           {script("colex 1 hi 1", "echo hi there"),
            "with \"hi there\" (column 4: trailing text after an answer), and none of 20 requests "
            "with an answer: a value, "},
           {script("colex 1 hi 1", "echo 04:1"), "with \"04:1\" (column 1: an integer begins with a 0, or is -0), and none"},
           {script("colex 1 hi 1 size", "echo hi there").replace(0, 2, "bash"), "`size "}})
    is_told_within(std::chrono::seconds(5), "", program, text);
}

TEST(gate, what_answers_nothing_and_dies_or_hangs_is_told_so_at_once) {
  std::string const mixed = "n=$((n + 1)); [ $((n % 2)) = 0 ] && exit 7; echo hi there";
  for (auto const& [program, text] : std::map<std::string, std::string>{
           {broken_program + " crashing '*'", "answered none of 20 requests; the last that it died of: `"},
           {broken_program + " early_exit '*'", "`: exited with status 0\n"},
           {broken_program + " endless '*'", "`: answered with an endless line\n"},
           {script("colex 1 hi 1", mixed), "answered none of 20 requests; the last that it died of: `"},
           {broken_program + " hanging '*'", "answered none of 5 requests; the last that it died of: `"}})
    is_told_within(std::chrono::seconds(10), "--timeout 0.5 ", program, text);
}
TEST(gate, what_answers_one_of_the_first_requests_is_judged_to_the_end) {
  judged const j = judge("--op cosize --count 20", broken_program + " 'crashing:^[^d]' '*'");
  EXPECT_EQ(j.said.status, 3) << j.said.err;
  EXPECT_EQ(j.law("cosize_span")["verdict"], "died") << j.said.out;
}

// It dies of what it says that it does not take.
TEST(limits, what_lies_outside_is_not_asked) {
  for (std::string const declared : {"int=8", "min=0", "strides=nonnegative", "int=8 min=0 strides=nonnegative"}) {
    judged const j = judge("--op '[cs][io]*' --count 60 --timeout 5", broken_program + " limited '*' 1 '" + declared + "'");
    EXPECT_EQ(j.said.status, 0) << j.said.out << j.said.err;
    EXPECT_EQ(j.report["deaths"], 0) << j.said.out;
    EXPECT_TRUE(says(j.said, "not covered, as the program declares " + declared.substr(0, declared.find(' ')))) << j.said.out;
    EXPECT_GT(j.law("size_product")["count"]["pass"], 20) << j.said.out;
    EXPECT_GT(laws_that(j, "pass"), 3u) << j.said.out;
  }
}
TEST(limits, shapes_of_which_the_size_lies_outside_are_not_asked) {
  judged const j = judge("--op '*_div' --count 400 --cases /dev/null", broken_program + " limited '*' 1 int=8");
  EXPECT_EQ(j.report["deaths"], 0) << j.said.out;
  EXPECT_GT(j.law("shape_div_cancels")["count"]["pass"], 20) << j.said.out;
}
TEST(limits, a_law_of_which_much_lies_outside_holds_in_part) {
  judged const j = judge("--law 'composition_*' --count 100", broken_program + " limited '*' 1 int=4");
  EXPECT_EQ(j.law("composition_pointwise")["verdict"], "partly") << j.said.out;
  EXPECT_GT(j.law("composition_pointwise")["not_covered"]["int=4"], 20) << j.said.out;
}
TEST(limits, what_is_none_is_named) {
  for (std::string const word : {"int=", "int=1", "int=many", "int=99999999999", "min=x", "strides=positive", "size=3", "="}) {
    result const r = shell(tool + " conform -- " + script("colex 1 mine 1 size " + word));
    EXPECT_EQ(r.status, 3) << word;
    EXPECT_TRUE(says(r, "declares in its answer to 'hello' \"" + word + "\": ")) << r.err;
  }
}

}  // namespace
}  // namespace colex
