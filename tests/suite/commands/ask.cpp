// What the reference says, and how it comes to it. SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/explain/explain.hpp"

namespace colex {
namespace {

int ask(std::vector<std::string> const& words) {
  return on_line(words, [](std::string const& line) {
    answer const a = ref::respond(parse_request(line));
    fmt::print("{}\n", a ? show(a.result) : print(a));
    return a ? good : fails;
  });
}

int explain_steps(std::vector<std::string> const& words) {
  return on_line(words, [](std::string const& line) {
    explanation const e = explain(parse_request(line));
    fmt::print("{}", text_of(e));
    return e.result ? good : fails;
  });
}

}  // namespace

void add_ask(CLI::App& app, int& status) {
  CLI::App* const sub =
      app.add_subcommand("ask", "what the reference says, as in: colex ask 'composition (6,2):(8,2) (4,3):(3,1)'");
  sub->prefix_command();
  sub->callback([&status, sub] { status = ask(sub->remaining()); });
}

void add_explain(CLI::App& app, int& status) {
  CLI::App* const sub =
      app.add_subcommand("explain", "how the reference comes to its answer: the steps, each with its layout and why");
  sub->prefix_command();
  sub->callback([&status, sub] { status = explain_steps(sub->remaining()); });
}

}  // namespace colex
