// `ask --peers`: what the implementations that are installed say, beside the reference. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/judge/peers.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace colex {
namespace {

// Where ` = ` or ` ~ ` stands between a request and what is right; npos: nowhere. In brackets that is a keyword's, and behind a
// variable a program's.
std::size_t relation_in(std::string_view text) {
  auto const stands = [&](std::size_t at) { return text.substr(at, 3) == " = " || text.substr(at, 3) == " ~ "; };
  std::size_t const at = detail::find_outside_brackets(text, stands);
  return at == text.npos || detail::is_variable(text.substr(0, at)) ? text.npos : at;
}
// What is right: why there is none, or a value as people spell it.
answer answer_in(std::string const& text) {
  std::string const word = text.substr(0, text.find(' '));
  if (std::find(std::begin(status_name), std::end(status_name), word) != std::end(status_name)) return parse_answer(text);
  return in_line(text, [](reading const& read) {
    if (read.text.find(' ') != read.text.npos) throw wrong_whole("a value belongs here, not a request");
    return answer_of(parse(read.text));
  });
}
// A request as people spell it, or a case, which says itself what is right.
test_case question_in(std::string const& line) {
  std::string const text = without_comments(line);
  std::size_t const relation = relation_in(text);
  auto const question = [](reading const& read) { return question_in(read); };
  if (relation == text.npos) return in_line(text, question);
  test_case c = in_line(text.substr(0, relation), question);
  c.relation = text[relation + 1];
  std::size_t const behind = std::min(text.find_first_not_of(' ', relation + 2), text.size());
  try {
    c.expected = answer_in(text.substr(behind, text.find_last_not_of(" \t\r") + 1 - behind));
  } catch (malformed const& e) {
    throw malformed(e.column + behind, e.what());
  }
  return c;
}

// Those of standard input, as far as they can be read.
std::vector<test_case> questions_of(std::istream& in, int& status) {
  std::vector<test_case> all;
  std::string line;
  for (std::size_t number = 1; read_line(in, line, number); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (is_blank(line)) continue;
    try {
      all.push_back(question_in(line));
    } catch (malformed const& e) {
      complain(fmt::format("line {}: {}", number, explain(e, line))), status = bad_usage;
    } catch (unanswered const& e) {
      complain(fmt::format("line {}: {}", number, print(e.what))), status = bad_usage;
    }
  }
  return all;
}

std::string text_of(answer const& a) { return a ? show(a.result) : printable(print(a)); }
// Of one that answers nothing the reason alone: the verdict stands before it.
std::string text_of(opinion const& o) {
  if (!o.died.empty()) return printable(o.died);
  return o.said.what != status::unsupported ? text_of(o.said) : o.said.reason.empty() ? "-" : printable(o.said.reason);
}

std::string text_of(test_case const& q, std::vector<witness> const& witnesses, std::size_t k) {
  std::string s = fmt::format("{}\n  {:<31} {:<11} {}\n", print(q.asked), "right", "", text_of(q.expected));
  for (witness const& w : witnesses)
    s += fmt::format("  {:<31} {:<11} {}\n", printable(w.name + " " + w.version), name_of(w.opinions[k].what),
                     text_of(w.opinions[k]));
  return s;
}

using ordered = nlohmann::ordered_json;
ordered json_of(answer const& a) {
  ordered j{{"status", status_name[static_cast<std::size_t>(a.what)]}};
  j[a ? "result" : "reason"] = a ? print(a.result) : a.reason;
  return j;
}
ordered json_of(witness const& w, opinion const& o) {
  ordered j{{"name", w.name}, {"version", w.version}, {"verdict", name_of(o.what)}};
  if (o.died.empty())
    j.update(json_of(o.said));
  else
    j["died"] = o.died;
  return j;
}
std::string json_of(test_case const& q, std::vector<witness> const& witnesses, std::size_t k) {
  ordered j{{"request", print(q.asked)}, {"right", json_of(q.expected)}, {"peers", ordered::array()}};
  for (witness const& w : witnesses) j["peers"].push_back(json_of(w, w.opinions[k]));
  return j.dump(-1, ' ', true, ordered::error_handler_t::replace) + "\n";
}

bool is_failure(witness const& w, std::size_t k) { return w.opinions[k].what >= verdict::refused; }

}  // namespace

int ask_peers(std::string const& names, std::string const& line, bool as_json) {
  std::vector<installed_peer> const peers = installed_peers(names);
  int status = good;
  std::istringstream alone(line);
  std::vector<test_case> const questions = questions_of(line.empty() ? std::cin : alone, status);
  if (questions.empty() && status == good) return complain("ask: standard input holds no request"), bad_usage;
  std::vector<witness> const witnesses = ask_peers(peers, questions);
  for (std::size_t k = 0; k < questions.size(); ++k) {
    fmt::print("{}", as_json ? json_of(questions[k], witnesses, k) : text_of(questions[k], witnesses, k));
    for (witness const& w : witnesses)
      if (is_failure(w, k)) status = std::max<int>(status, fails);
  }
  return status;
}

}  // namespace colex
