// What the reference says, and how it comes to it. SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "spec/operations.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/names.hpp"
#include "tests/suite/explain/explain.hpp"
#include "tests/suite/explain/solving.hpp"
#include "tests/suite/judge/files.hpp"
#include "tests/suite/peer/printable.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <iostream>

namespace colex {

namespace {

// A request in another spelling is shown in the grammar's, behind what was answered within it; without it where that ended
// there.
void show_reading(std::string written, std::vector<std::string> steps, std::string const& read) {
  std::string shown = read;
  written = without_comments(written);
  for (std::string* each : {&written, &shown})
    std::erase_if(*each, [](char c) { return std::string_view(" \t\r\n").find(c) != std::string_view::npos; });
  bool const told = !steps.empty() && steps.back().ends_with(" = " + read);
  if (!read.empty() && !told) steps.push_back(read);
  if (shown != written && !steps.empty()) complain(fmt::format("read as {}", fmt::join(steps, ", then ")));
}

}  // namespace

int on_line(std::vector<std::string> const& words, std::function<int(reading const&)> const& f) {
  std::string const line = fmt::format("{}", fmt::join(words, " "));
  try {
    return in_line(line, [&](reading const& read) {
      if (!read.steps().empty()) show_reading(line, read.steps(), read.text);
      return f(read);
    });
  } catch (malformed const& e) {
    return complain(explain(e, line)), bad_usage;
  } catch (unanswered const& e) {
    return fmt::print("{}\n", show(e.what)), show_reading(line, e.steps, ""), fails;
  }
}

namespace {

struct ask_command {
  std::vector<std::string> words;
  bool as_json = false;
  std::string peers;
};

// One question and what was said to it, for people or as a line of JSON.
struct exchange {
  std::string line;  // as it was asked; in the grammar, where it can be
  answer what;
  std::optional<malformed> wrong;
  std::vector<std::string> steps{};  // what was answered first, as it stands within the line
  bool ended_within = false;         // the last of the steps has no answer

  int status() const { return wrong ? bad_usage : what ? good : fails; }
};

exchange said_to(std::string const& line) {
  exchange r{line, {}, {}};
  try {
    in_line(line, [&](reading const& read) {
      r.steps = read.steps();
      r.what = answer_to(read);
      r.line = read.text;
    });
  } catch (malformed const& e) {
    r.wrong = e;
  } catch (unanswered const& e) {
    r.what = e.what;
    r.steps = e.steps;
    r.ended_within = true;
  }
  return r;
}

std::string text_of(exchange const& r) {
  if (r.wrong) return fmt::format("malformed at column {}: {}", r.wrong->column + 1, r.wrong->what());
  return show(r.what);
}
std::string json_of(exchange const& r, std::size_t number) {
  nlohmann::ordered_json j{{"request", r.line}};
  if (!r.steps.empty()) j["steps"] = r.steps;
  j["status"] = r.wrong ? "malformed" : shown_status(r.what);
  if (r.wrong)
    j["reason"] = r.wrong->what(), j["place"] = {{"line", number}, {"column", r.wrong->column + 1}};
  else if (r.what)
    j["result"] = print(r.what.result);
  else
    j["reason"] = shown_reason(r.what);
  return j.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

int ask_one(std::string const& line, bool as_json) {
  exchange const r = said_to(line);
  if (as_json || !r.wrong) fmt::print("{}\n", as_json ? json_of(r, 1) : text_of(r));
  if (r.wrong && !as_json) complain(explain(*r.wrong, line));
  if (!r.wrong && !as_json) show_reading(line, r.steps, r.ended_within ? "" : r.line);
  return r.status();
}

// A line of answer for each line of standard input that is neither empty nor a comment.
int ask_all(bool as_json) {
  int worst = good;
  std::string line;
  std::size_t number = 0, asked = 0;
  while (read_line(std::cin, line, ++number)) {
    if (line.ends_with('\r')) line.pop_back();
    if (is_blank(line)) continue;
    exchange const r = said_to(line);
    fmt::print("{}\n", as_json ? json_of(r, number) : text_of(r));
    std::fflush(stdout);
    if (r.wrong) complain(fmt::format("line {}: {}", number, explain(*r.wrong, line)));
    worst = std::max(worst, r.status());
    ++asked;
  }
  if (asked == 0) return complain("ask: standard input holds no request"), bad_usage;
  return worst;
}

int ask(ask_command const& c) {
  if (!c.peers.empty()) return ask_peers(c.peers, fmt::format("{}", fmt::join(c.words, " ")), c.as_json);
  if (!c.words.empty()) return ask_one(fmt::format("{}", fmt::join(c.words, " ")), c.as_json);
  if (isatty(STDIN_FILENO)) throw CLI::RequiredError("REQUEST");
  return ask_all(c.as_json);
}

int explain_steps(std::vector<std::string> const& words) {
  return on_line(words, [](reading const& read) {
    explanation const e = explain(read);
    fmt::print("{}", text_of(e));
    return e.result ? good : fails;
  });
}

int solve_equation(std::vector<std::string> const& words) {
  std::string const line = fmt::format("{}", fmt::join(words, " "));
  try {
    equation const e(line);
    try {
      return in_line(e.request, [](reading const& read) {
        answer const x = solve(parse_request(read.text));
        fmt::print("{}\n", show(x));
        return x ? good : fails;
      });
    } catch (malformed const& wrong) {
      throw e.at_line(wrong);
    }
  } catch (malformed const& e) {
    return complain(explain(e, line)), bad_usage;
  } catch (unanswered const& e) {
    return fmt::print("{}\n", show(e.what)), fails;
  }
}

}  // namespace

void add_ask(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("ask", "what the reference says to a request");
  auto const c = std::make_shared<ask_command>();
  sub->add_option("REQUEST", c->words,
                  "an operation and its arguments, as CuTe, pycute or the grammar spell them; with none, a request for each "
                  "line of standard input");
  sub->add_flag("--json", c->as_json, "an object a line: request, status, result or reason; of malformed input its place");
  sub->add_option("--peers", c->peers,
                  "what these implementations say, too, and what that comes to: `all` that are installed (./run peers "
                  "--install), or names with commas between them; of cases on standard input the answer is theirs");
  sub->footer(
      "`colex ops` lists the operations, `colex atoms` the atoms.\n"
      "example: colex ask 'composition (6,2):(8,2) (4,3):(3,1)'\n"
      "         colex ask 'coalesce((2, (1, 6)):(1, (6, 2)))'\n"
      "         colex ask --peers all 'composition (6,2):(1,7) (3,2):(2,3)'");
  sub->callback([&status, c] { status = ask(*c); });
}

void add_explain(CLI::App& app, int& status) {
  CLI::App* const sub =
      app.add_subcommand("explain", "how the reference comes to its answer: the steps, each with its layout and why");
  auto const words = std::make_shared<std::vector<std::string>>();
  sub->add_option("REQUEST", *words, "an operation and its arguments, as for `ask`")->required();
  sub->footer("example: colex explain 'complement 4:2 24'");
  sub->callback([&status, words] { status = explain_steps(*words); });
}

void add_solve(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("solve", "the smallest layout that makes an equation true, or why there is none");
  auto const words = std::make_shared<std::vector<std::string>>();
  sub->add_option(
         "EQUATION", *words,
         "composition A ? = B or A o ? = B, composition ? A = B or ? o A = B, logical_divide A ? = B; calls as in CuTe, too")
      ->required();
  sub->footer(
      "example: colex solve 'composition (4,8):(8,1) ? = 32:1'\n"
      "         colex solve '(4,8):(8,1) o ? = 32:1'");
  sub->callback([&status, words] { status = solve_equation(*words); });
}

}  // namespace colex
