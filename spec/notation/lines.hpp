// The lines of the wire and of case files: requests, answers and cases, parsed and printed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

namespace colex {

struct request {
  std::string op;
  std::vector<value> args;
  bool operator==(request const&) const = default;
};

inline std::string print(request const& r) {
  std::string s = r.op;
  for (value const& v : r.args) s += " " + print(v);
  return s;
}

// `op value value ...`, one line. Throws malformed.
inline request parse_request(std::string_view line) {
  parser p(line);
  request r{p.parse_name(), {}};
  while (!p.at_end()) r.args.push_back(p.parse_value());
  return r;
}

// Where what is wrong with a text, or with the request that it begins with, stands in it.
inline std::size_t column_in(malformed const& e, std::string_view text) {
  if (e.argument == 0) return e.column;
  parser p(text);
  p.parse_name();
  for (std::size_t k = 1; k < e.argument; ++k) p.parse_value();
  p.skip_spaces();
  return p.column();
}
// Plain text, of a character for each; the ring of a composition is an o.
inline std::string shown_line(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const ring = text.substr(at, 3) == "\u2218";
    out += ring ? 'o' : text[at] < 32 || text[at] > 126 ? '?' : text[at];
    if (ring) at += 2;
  }
  return out;
}
// The message with the place: the line (cut around the place when long) and a caret under it.
inline std::string explain(malformed const& e, std::string_view text) {
  std::size_t const column = column_in(e, text), from = column > 40 ? column - 40 : 0;
  std::string_view const part = text.substr(std::min(from, text.size()), 80);
  std::string const before = shown_line(part.substr(0, column - from));
  return "column " + std::to_string(column + 1) + ": " + e.what() + "\n  " + shown_line(part) + "\n  " +
         std::string(before.size() + (column - from - std::min(column - from, part.size())), ' ') + "^";
}

// `undefined`: no answer can satisfy the laws. `unspecified`: sources disagree, nothing is judged.
// `unsupported`: this implementation does not offer it, or not for numbers of this size. `undecided`: it has not found out
// whether there is one; as text that is `undefined not decided...`.
enum class status { answered, undefined, unspecified, unsupported, undecided };
inline constexpr std::string_view status_name[] = {"answered", "undefined", "unspecified", "unsupported", "undefined"},
                                  not_decided = "not decided";  // a reason that begins so

struct answer {
  status what = status::answered;
  value result;
  std::string reason;
  explicit operator bool() const { return what == status::answered; }
  // Whether it says `undefined`, for whatever reason.
  bool is_undefined() const { return what == status::undefined || what == status::undecided; }
  // The reference's answer that judges nobody.
  bool leaves_open() const { return what == status::unspecified || what == status::undecided; }
};
// The same as far as their words go, whatever the reasons and results.
inline bool same_status(answer const& a, answer const& b) { return a.what == b.what || (a.is_undefined() && b.is_undefined()); }

// What an operation returned, as an answer: unsupported where the grammar has no words for it.
inline answer answer_of(value v) {
  std::string const beyond = beyond_grammar(v);
  return beyond.empty() ? answer{status::answered, std::move(v), {}}
                        : answer{status::unsupported, {}, "an answer with " + beyond};
}

inline std::string print(answer const& a) {
  if (a) return print(a.result);
  return std::string(status_name[static_cast<int>(a.what)]) + (a.reason.empty() ? "" : " " + a.reason);
}

// The same for people: what is not decided has a word of its own.
inline std::string_view shown_status(answer const& a) {
  return a.what == status::undecided ? "undecided" : status_name[static_cast<int>(a.what)];
}
inline std::string shown_reason(answer const& a) {
  std::string const before = std::string(not_decided) + ": ";
  return a.what == status::undecided && a.reason.starts_with(before) ? a.reason.substr(before.size()) : a.reason;
}
inline std::string show(answer const& a) {
  return a ? show(a.result) : std::string(shown_status(a)) + (a.reason.empty() ? "" : " " + shown_reason(a));
}

namespace detail {
inline answer parse_answer_from(std::string_view line, std::size_t from, bool judged) {
  std::size_t const start = std::min(line.find_first_not_of(" \t", from), line.size());
  for (int k = 1; k < 4; ++k) {
    std::string_view const rest = line.substr(start), name = status_name[k];
    if (rest.substr(0, name.size()) != name || (rest.size() > name.size() && rest[name.size()] != ' ')) continue;
    std::string_view const reason = rest.substr(std::min(name.size() + 1, rest.size()));
    bool const open = name == "undefined" && reason.starts_with(not_decided);
    return {open ? status::undecided : static_cast<status>(k), {}, std::string(reason)};
  }
  parser p(line, start, judged);
  answer a{status::answered, p.parse_value(), {}};
  if (!p.at_end()) p.fail("trailing text after an answer");
  return a;
}
}  // namespace detail

// What a program answers: a value, or `undefined|unspecified|unsupported [REASON]`. Throws malformed.
inline answer parse_answer(std::string_view line) { return detail::parse_answer_from(line, 0, true); }

// A case line: `request = answer  # laws`, or `~` for the same function in any spelling.
struct test_case {
  request asked;
  char relation = '=';
  answer expected;
  std::string comment;
};

// Throws malformed; blank lines and lines that hold only a comment are not cases.
inline test_case parse_case(std::string_view line) {
  parser::check_length(line);
  std::string_view const text = line.substr(0, line.find('#'));
  std::size_t const at = std::min(text.find(" = "), text.find(" ~ "));
  if (at == std::string_view::npos) throw malformed(text.size(), "a case is `request = answer` or `request ~ answer`");
  test_case c{parse_request(text.substr(0, at)), text[at + 1], {}, {}};
  std::size_t const last = text.find_last_not_of(" \t\r");
  c.expected = detail::parse_answer_from(text.substr(0, last + 1), at + 3, false);
  if (text.size() < line.size()) c.comment = line.substr(text.size() + 1);
  return c;
}

}  // namespace colex
