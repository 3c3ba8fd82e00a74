// What stands between the runner and a program: copies of it, greeted and asked, and the pipes to one of them.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/peer/peer.hpp"
#include "tests/suite/peer/process.hpp"
#include "tests/unit/harness.hpp"

#include <csignal>

namespace colex {
namespace {

using namespace harness;

// Every copy counts its greetings, and the third one dies of them.
TEST(peer, a_program_that_greets_differently_is_asked_without_greetings) {
  std::string const program = scratch.file("counting.sh"), greeted = scratch.file("greeted");
  store(program,
        "n=0\nwhile read -r op rest; do\n"
        "  [ $op = hello ] || { echo 1; continue; }\n"
        "  n=$((n + 1)); [ $n = 1 ] && [ -e " +
            greeted +
            " ] && exit\n"
            "  touch " +
            greeted + "; echo colex 1 greeting $n\ndone\n");
  peer p({"sh", program}, peer::seconds(10));
  for (reply const& r : p.ask({"size 1:1", "size 1:2"})) EXPECT_EQ(r.got.result, value(1)) << r.died;
  EXPECT_EQ(p.deaths(), 0u);
}

// It says so itself, and is asked on.
TEST(peer, what_died_beside_a_program_costs_no_start) {
  std::string const program = scratch.file("beside.sh");
  store(program,
        "started=$$\nwhile read -r op rest; do case $op in\n"
        "  hello) echo colex 1 beside 1 ;;\n  rank) echo died killed by signal 8 ;;\n"
        "  cosize) echo died raised TypeError ;;\n  depth) echo died of thirst ;;\n"
        "  *) echo $started ;;\nesac; done\n");
  peer p({"sh", program}, peer::seconds(10));
  std::vector<reply> const r = p.ask({"size 1:1", "rank 1:1", "size 1:2", "cosize 1:1", "size 1:3"});
  EXPECT_EQ(r[1].died, "killed by signal 8");
  EXPECT_EQ(r[3].died, "raised TypeError");
  for (std::size_t const k : {2, 4}) EXPECT_EQ(r[0].got.result, r[k].got.result) << "started again";
  std::vector<reply> const no_answer = p.ask({"depth 1:1", "size 1:3"});
  EXPECT_TRUE(no_answer[0].died.starts_with("answered \"died of thirst\", which is no answer")) << no_answer[0].died;
  EXPECT_NE(no_answer[1].got.result, r[0].got.result) << "not started again";
  EXPECT_EQ(p.deaths(), 3u);
  for (int k = 0; k < 20; ++k) p.ask({"rank 1:1"});
  EXPECT_EQ(p.given_up(), std::set<std::string>{"rank"});
}

// It answers what has come when all of that is done, as wire.py does; of `rank` it prints something before or behind its
// answer.
std::string printing(std::string const& before, std::string const& behind) {
  static int written = 0;
  std::string const program = scratch.file("printing" + std::to_string(++written) + ".sh");
  store(program,
        "while read -r op rest; do lines=($op); while read -t 0.05 -r op rest; do lines+=($op); done; said=''\n"
        "for op in ${lines[@]}; do case $op in hello) said+='colex 1 printing 1\n' ;;\n"
        "  rank) " +
            before + " said+='7\n" + behind + "' ;; *) said+='1\n' ;; esac; done; echo -ne \"$said\"; done\n");
  return program;
}
TEST(peer, what_is_printed_beside_answers_is_told_of_the_request_that_did_it) {
  for (auto const& [program, says] : std::vector<std::pair<std::string, std::string>>{
           {printing("echo debugging rank;", ""), "answered \"debugging rank\", which is no answer"},
           {printing("echo 4;", ""), "answered with more than one line: \"4\", then \"7\""},
           {printing("", "4\\n"), "answered with more than one line: \"7\", then \"4\""}}) {
    peer p({"bash", program}, peer::seconds(10));
    std::vector<reply> const r = p.ask({"size 1:1", "size 1:2", "rank 1:1", "size 1:3", "rank 1:2", "size 1:4"});
    for (std::size_t const k : {0, 1, 3, 5}) EXPECT_EQ(r[k].got.result, value(1)) << says << k << r[k].died;
    for (std::size_t const k : {2, 4}) EXPECT_TRUE(r[k].died.starts_with(says)) << r[k].died;
    EXPECT_EQ(p.ask({"rank 1:3"})[0].died.substr(0, says.size()), says);
    EXPECT_EQ(p.deaths(), 3u);
  }
}
TEST(peer, what_is_printed_later_is_told_of_the_request_before) {
  std::string const program = scratch.file("late.sh");
  store(program,
        "while read -r op rest; do case $op in\n"
        "  hello) echo colex 1 late 1 ;; rank) echo 7; sleep 0.05; echo debugging rank ;; *) echo 1 ;;\nesac; done\n");
  peer p({"bash", program}, peer::seconds(10));
  std::vector<reply> const r = p.ask({"size 1:1", "rank 1:1", "size 1:2", "size 1:3"});
  for (std::size_t const k : {0, 2, 3}) EXPECT_EQ(r[k].got.result, value(1)) << k << r[k].died;
  EXPECT_EQ(r[1].died, "answered with more than one line: \"7\", then \"debugging rank\"");
  EXPECT_EQ(p.deaths(), 1u);
}
// It prints once where a file is there, whatever it is asked: one by one it does not.
TEST(peer, what_is_not_printed_again_is_not_looked_for_each_time) {
  std::string const program = scratch.file("once.sh"), once = scratch.file("once"), log = scratch.file("asked");
  store(program, "while read -r op rest; do case $op in\n  hello) echo colex 1 once 1 ;;\n  *) echo $rest >> " + log +
                     "; [ $rest = 3:1 ] && [ -e " + once + " ] && rm " + once +
                     " && echo debugging size\n    echo 1 ;;\nesac; done\n");
  peer p({"bash", program}, peer::seconds(10));
  std::vector<std::string> requests;
  for (int k = 1; k <= 100; ++k) requests.push_back(fmt::format("size {}:1", k));
  for (int time = 1; time <= 4; ++time) {
    store(once, ""), store(log, "");
    std::vector<reply> const r = p.ask(requests);
    for (std::size_t k = 0; k < r.size(); ++k) EXPECT_EQ(r[k].died.empty(), k != 2) << k << r[k].died;
    EXPECT_TRUE(r[2].died.starts_with("answered \"debugging size\"")) << r[2].died;
    EXPECT_TRUE(r[2].died.ends_with(time < 4 ? "(not when asked one by one)" : "(not when asked alone)")) << r[2].died;
  }
  EXPECT_LE(std::ranges::count(contents(log), '\n'), 100 + 1 + 97) << "all at once, one alone, and those behind it";
}
TEST(peer, what_is_printed_beside_the_first_answer_is_not_taken_for_another) {
  for (std::string const& program : {printing("echo debugging;", ""), printing("echo 4;", "")}) {
    peer p({"bash", program}, peer::seconds(10));
    p.expect_an_answer({"rank 1:1", "rank 1:2", "size 1:1"});
    EXPECT_EQ(p.ask({"size 1:2"})[0].got.result, value(1));
    EXPECT_EQ(p.deaths(), 0u);
  }
}

TEST(process, what_is_written_goes_behind_what_is_on_its_way) {
  auto const p = start_process({"cat"});
  auto const until = process::clock::now() + std::chrono::seconds(10);
  std::string lines, line;
  for (int k = 0; k < 100000; ++k) lines += "1\n";
  p->write(lines);
  p->write("last\n");
  int others = 0;
  while (p->read_line(line, until) == process::got::line && line != "last") ++others;
  EXPECT_EQ(others, 100000);
  EXPECT_EQ(line, "last");
}
TEST(process, what_does_not_listen_is_heard_all_the_same) {
  std::signal(SIGPIPE, SIG_IGN);
  auto const p = start_process({"sh", "-c", "exec <&-; sleep 0.2; echo done"});
  std::string line;
  p->write(std::string(1 << 20, 'x'));
  EXPECT_EQ(p->read_line(line, process::clock::now() + std::chrono::seconds(10)), process::got::line);
  EXPECT_EQ(line, "done");
}

}  // namespace
}  // namespace colex
