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

// The name of a type, or a width in bits, as that of the two which a parameter wants, or as bytes.
value in_unit(value const& v, parameter const& p) {
  auto const type = v.is(kind::word) ? type_called(v.word) : std::nullopt;
  if (!type) return v;
  if (p.name == "TYPE") return word_of(type->name);
  if (p.name == "bytes" && type->bits % 8 == 0) return value(type->bits / 8);
  return p.kinds & kinds_named("width") ? word_of(fmt::format("{}b", type->bits)) : v;
}
// A name or width as it is meant; an instruction of PTX as its atom.
value word_meant(value const& v, operation const& o, std::size_t place) {
  for (signature const& way : o.signatures())
    if (place < way.size)
      if (value meant = in_unit(v, way.all[place]); !(meant == v)) return meant;
  std::string const atom = matrix_copy_called(v.word);
  return atom.empty() ? v : word_of(atom);
}
// Of these a shape is as good as a layout.
bool asks_the_shape(std::string const& op) { return op == "size" || op == "rank" || op == "depth"; }
// The operation whose arguments a request has; a form of `draw` takes those of one.
std::size_t place_for(std::string const& op) {
  return place_of(op == "tiled_mma" ? "tiled_mma_tile_shape" : op == "tiled_copy" ? "tiled_copy_layout_TV" : op);
}
// A request of values that are none of what its operation takes, but stand for some, as in CuTe.
request with_kinds(request r) {
  std::size_t const place = place_for(r.op);
  for (std::size_t k = 0; place < operation_count && k < r.args.size(); ++k) {
    value& v = r.args[k];
    if (takes_tiler(operations[place], k)) make_tilers(v);
    if (v.is(kind::word)) v = word_meant(v, operations[place], k);
  }
  if (asks_the_shape(r.op) && r.args.size() == 1 && r.args[0].is(kind::tuple) && is_one_of(kinds_named("integers"), r.args[0]))
    if (answer a = ref::respond({"make_layout_left", r.args})) r.args[0] = std::move(a.result);
  return r;
}
// The text so; as it is where it is no request, or has none.
std::string with_kinds(std::string const& text) {
  try {
    request const r = parse_request(text), meant = with_kinds(r);
    return meant == r ? text : print(meant);
  } catch (malformed const&) {
    return text;
  }
}

// A request in another spelling is shown in the grammar's, behind what was answered within it; without it where that ended
// there.
void show_reading(std::string written, std::vector<std::string> steps, std::string const& read) {
  std::string shown = read;
  written = written.substr(0, written.find('#'));
  for (std::string* each : {&written, &shown})
    std::erase_if(*each, [](char c) { return std::string_view(" \t\r\n").find(c) != std::string_view::npos; });
  bool const told = !steps.empty() && steps.back().ends_with(" = " + read);
  if (!read.empty() && !told) steps.push_back(read);
  if (shown != written && !steps.empty()) complain(fmt::format("read as {}", fmt::join(steps, ", then ")));
}

}  // namespace

int in_line(std::string const& line, std::function<int(reading const&)> const& f) {
  if (line.find_first_not_of(" \t\r\n") == line.npos) throw malformed(0, "nothing is asked; 'colex ops' lists what can be");
  rewritten const r = in_grammar(line, [](request const& inner) {
    try {
      return ref::respond(with_kinds(inner));
    } catch (malformed const& e) {
      throw malformed(e.column, e.what() + meant_in(print(inner), e.what()));
    }
  });
  try {
    return f({with_kinds(r.text), r.steps, r.element_bits});
  } catch (malformed const& e) {
    throw r.at_line({column_in(e, r.text), e.what() + meant_in(r.text, e.what())});
  }
}

int on_line(std::vector<std::string> const& words, std::function<int(reading const&)> const& f) {
  std::string const line = fmt::format("{}", fmt::join(words, " "));
  try {
    return in_line(line, [&](reading const& read) {
      if (!read.steps.empty()) show_reading(line, read.steps, read.text);
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

// `, as in 'size 4:2'; 'colex draw 4:2' shows it`, as far as that is so.
std::string what_to_do_with(value const& v) {
  std::string said;
  for (char const* const operation : {"size", "product_each", "f2_rank"}) try {
      if (said.empty() && ref::respond({operation, {v}})) said = fmt::format(", as in '{} {}'", operation, print(v));
    } catch (malformed const&) {  // not of this
    }
  bool const drawn = v.is(kind::layout) || v.is(kind::composed) || v.is(kind::swizzle) || v.is(kind::f2);
  if (drawn) said += fmt::format("; 'colex draw {}' shows it", print(v));
  return said.empty() ? "; 'colex ops' lists them" : said;
}

// The request that a text is; of a value it is said what to do with it, and of an atom.
request request_in(std::string const& text) {
  std::optional<value> alone;
  try {
    alone = parse(text);
  } catch (malformed const&) {
    if (!text.empty() && std::isalpha(static_cast<unsigned char>(text[0]))) return parse_request(text);
    throw;
  }
  if (!alone->is(kind::word)) throw malformed(0, "a value: an operation belongs in front" + what_to_do_with(*alone));
  if (std::string const kind = kind_of_atom(text); !kind.empty())
    throw malformed(0,
                    fmt::format("an atom: '{} {} ThrID' asks for a field of it, 'colex draw {}' shows it", kind, text, text));
  return parse_request(text);
}

// Of a value that came of a request within the line, as shape(A) does, it is the answer.
answer said_to(reading const& read) {
  if (!read.steps.empty()) try {
      if (value v = parse(read.text); !v.is(kind::word)) return {status::answered, std::move(v), ""};
    } catch (malformed const&) {  // a request
    }
  return ref::respond(request_in(read.text));
}
exchange said_to(std::string const& line) {
  exchange r{line, {}, {}};
  try {
    in_line(line, [&](reading const& read) {
      r.steps = read.steps;
      r.what = said_to(read);
      r.line = read.text;
      return good;
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
    if (line.find_first_not_of(" \t") == line.npos || line[line.find_first_not_of(" \t")] == '#') continue;
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
    explanation const e = explain(request_in(read.text));
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
