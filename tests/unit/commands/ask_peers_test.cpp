// `colex ask --peers`: the same question to several programs. SPDX-License-Identifier: Apache-2.0
#include "tests/unit/harness.hpp"

#include <sstream>
#include <tuple>

namespace colex {
namespace {

using namespace harness;

// The tool, told that these are installed: a name and a command for each.
std::string asking(std::vector<std::pair<std::string, std::string>> const& peers) {
  std::string list;
  for (auto const& [name, command] : peers) list += name + "\tsh\t-c\t" + command + "\n";
  store(scratch.file("installed"), list);
  return "COLEX_PEERS='" + scratch.file("installed") + "' " + tool + " ask --peers ";
}
std::string saying(std::string const& greeting, std::string const& answer) {
  return "while read -r line; do case $line in hello) echo colex 1 " + greeting + ";; *) echo " + answer + ";; esac; done";
}

std::string const carrying = " 'composition (6,2):(1,7) (3,2):(2,3)'";

TEST(ask_peers, shows_what_each_says_and_what_that_comes_to) {
  result const r = shell(asking({{"right", saying("right 2.0", "undefined no layout")},
                                 {"wrong", saying("wrong 1.0", "'(3,2):(2,3)'")},
                                 {"other", saying("other 1.0 size", "unsupported")},
                                 {"none", "/no/such/program"},
                                 {"dying", "read -r line; echo colex 1 dying; read -r line; kill -9 $$"}}) +
                         "all" + carrying);
  EXPECT_EQ(r.status, 1) << r.err;
  std::istringstream in(r.out);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(std::regex_replace(line, std::regex(" +"), " "));
  ASSERT_EQ(lines.size(), 7u) << r.out;
  EXPECT_EQ(lines[0], "composition (6,2):(1,7) (3,2):(2,3)");
  EXPECT_EQ(lines[1], " right undefined no layout is A(B(c)) at every c");
  EXPECT_EQ(lines[2], " right 2.0 pass undefined no layout");
  EXPECT_EQ(lines[3], " wrong 1.0 silent (3,2):(2,3)");
  EXPECT_EQ(lines[4], " other 1.0 unsupported not offered");
  EXPECT_TRUE(lines[5].starts_with(" none died ")) << lines[5];
  EXPECT_TRUE(lines[6].starts_with(" dying died killed by signal 9")) << lines[6];
}

TEST(ask_peers, takes_cases_of_standard_input_with_their_own_answers) {
  store(scratch.file("cases"), "# none\n\nsize 4:1 = 5  # as the case has it\nsize(4:1)\n");
  result const r = shell(asking({{"four", saying("four", "4")}}) + "four --json <" + scratch.file("cases"));
  EXPECT_EQ(r.status, 1) << r.err;
  std::istringstream in(r.out);
  std::string one, two;
  std::getline(in, one), std::getline(in, two);
  EXPECT_EQ(json::parse(one)["right"]["result"], "5");
  EXPECT_EQ(json::parse(one)["peers"][0]["verdict"], "wrong");
  EXPECT_EQ(json::parse(two)["request"], "size 4:1");
  EXPECT_EQ(json::parse(two)["peers"][0], json::parse(R"({"name":"four","version":"","verdict":"pass","status":"answered",
                                                          "result":"4"})"));
}

TEST(ask_peers, takes_what_is_asked_within_a_line) {
  std::string const four = asking({{"four", saying("four", "4")}}) + "four --json ";
  json const within = json::parse(shell(four + "'(coalesce((2,2):(1,2)))'").out);
  EXPECT_EQ(within["request"], "coalesce (2,2):(1,2)");
  EXPECT_EQ(within["peers"][0]["verdict"], "wrong");
  json const part = json::parse(shell(four + "'shape((4,2):(1,4))'").out);
  EXPECT_EQ(part["right"]["result"], "(4,2)");
  EXPECT_EQ(part["peers"][0]["reason"], "it offers no operation shape");
  EXPECT_EQ(json::parse(shell(four + "'composition(rhs = 4:1, lhs = 8:1)'").out)["request"], "composition 8:1 4:1")
      << "an '=' in brackets makes no case";
  EXPECT_EQ(json::parse(shell(four + "'size (4,2):(1,4) = 9'").out)["right"]["result"], "9");
  EXPECT_NE(shell(four + "'get<0>((4,8))'").err.find("modes of a shape"), std::string::npos)
      << "of a layout alone programs are asked";
  result const several = shell(four + "'(size(4:1),3)'");
  EXPECT_EQ(several.status, 2);
  EXPECT_NE(several.err.find("column 1: a value of several answers"), std::string::npos) << several.err;
}

TEST(ask_peers, takes_cases_as_people_spell_them) {
  std::string const four = asking({{"four", saying("four", "4")}}) + "four --json ";
  for (auto const& [written, request, right] : std::initializer_list<std::tuple<std::string, std::string, std::string>>{
           {"size(make_layout(make_shape(4, 8))) = 32", "size (4,8):(1,4)", "32"},
           {"size(4:1) ~ _4", "size 4:1", "4"},
           {"coalesce (2,2):(1,2) = Layout(4,1)", "coalesce (2,2):(1,2)", "4:1"},
           {"coalesce((2, 2):(1, 2)) = Layout(4, 1)  # note", "coalesce (2,2):(1,2)", "4:1"},
           {"shape((4,2):(1,4)) = make_shape(4, 2)", "shape (4,2):(1,4)", "(4,2)"}}) {
    json const said = json::parse(shell(four + "'" + written + "'").out);
    EXPECT_EQ(said["request"], request) << written;
    EXPECT_EQ(said["right"]["result"], right) << written;
  }
  json const none = json::parse(shell(four + "'composition((2,2):(1,1), 3:1) = undefined no layout'").out);
  EXPECT_EQ(none["right"], json::parse(R"({"status":"undefined","reason":"no layout"})"));
  for (auto const& [written, column, why] : std::initializer_list<std::tuple<std::string, int, std::string>>{
           {"siz(4:1) = 4", 1, "unknown operation"},
           {"size(4:1) = (4, 010)", 17, "octal in C++"},
           {"size(4:1) = size(2:1)", 13, "a value belongs here, not a request"},
           {"size(4:1) = ", 13, "nothing is asked"},
           {"auto a = make_layout(4)", 8, "an expression is read, not a statement"},
           {"a = size(4:1)", 3, "an expression is read, not a statement"}}) {
    result const r = shell(four + "'" + written + "'");
    EXPECT_EQ(r.status, 2) << written;
    EXPECT_NE(r.err.find("column " + std::to_string(column) + ": "), std::string::npos) << written << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << written << r.err;
  }
}

TEST(ask_peers, another_inverse_may_be_as_good) {
  EXPECT_EQ(shell(asking({{"pycute", saying("pycute", "'(2,4):(4,1)'")}}) + "all 'left_inverse 4:2'").status, 0);
  EXPECT_EQ(shell(asking({{"pycute", saying("pycute", "'(2,4):(4,2)'")}}) + "all 'left_inverse 4:2'").status, 1);
}

TEST(ask_peers, asks_nothing_outside_of_what_a_program_takes) {
  result const r = shell(asking({{"small", saying("small 1 int=8", "2")}}) + "all 'size 1000:1'");
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("unsupported it declares int=8"), r.out.npos) << r.out;
  std::string const plain = asking({{"plain", saying("plain 1 right_inverse", "undefined")}}) + "all 'right_inverse ";
  EXPECT_NE(shell(plain + "Sw<2,0,3>o0o(4,4):(4,1)'").out.find("unsupported it offers no to_f2"), -1ul);
  EXPECT_NE(shell(plain + "4:1'").out.find("refused"), -1ul) << "of a layout alone";
}

TEST(ask_peers, says_what_is_not_there) {
  EXPECT_NE(shell("COLEX_PEERS=/no/file " + tool + " ask --peers all 'size 2:1'").err.find("./run peers --install"), -1ul);
  result const r = shell(asking({{"four", saying("four", "4")}}) + "fore 'size 4:1'");
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "colex: no implementation installed is called 'fore'; there are four\n");
  EXPECT_EQ(shell(asking({{"four", saying("four", "4")}}) + "all 'siz 4:1'").status, 2);
  EXPECT_EQ(shell(asking({{"four", saying("four", "4")}}) + "all </dev/null").status, 2);
  store(scratch.file("installed"), "name alone\n");
  EXPECT_EQ(shell("COLEX_PEERS='" + scratch.file("installed") + "' " + tool + " ask --peers all 'size 2:1'").status, 2);
}

}  // namespace
}  // namespace colex
