// Case lines: reading files of them, and what an answer to one comes to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/meaning.hpp"
#include "tests/suite/judge/files.hpp"
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <sstream>

namespace colex {

// What one evaluation, and in the end one law, came to; the later, the worse.
//   undefined   program and reference agree that there is no answer
//   not_judged  sources disagree, or the reference cannot decide
//   incomplete  of a law: the time was out before it was asked the least number of inputs
//   partly      of a law: passed where it was judged, and more than a fifth of the inputs, or a whole class, was not offered
//   vanished    of a law: the program lists its operation, and never answered it but with `unsupported`
enum class verdict {
  pass,
  undefined,
  vacuous,
  not_judged,
  unsupported,
  incomplete,
  partly,
  form,
  refused,
  vanished,
  wrong,
  silent,
  died
};
inline constexpr std::array<std::string_view, 13> verdict_name{
    "pass", "undefined", "vacuous",  "not judged", "unsupported", "incomplete", "partly",
    "form", "refused",   "vanished", "wrong",      "silent",      "died"};
inline std::string_view name_of(verdict v) { return verdict_name[static_cast<std::size_t>(v)]; }

struct located_case {
  test_case what;
  std::string file, text;
  std::size_t line = 0;
  std::string place() const { return file + ":" + std::to_string(line); }
};

// The case lines that a line of a file holds: itself; in a document (.md) the lines of ```case fences, and what stands in
// backquotes behind `Cases:` and on the lines that continue it.
class case_lines {
 public:
  explicit case_lines(std::string const& file) : document_(file.ends_with(".md")) {}

  std::vector<std::string> in(std::string const& line) {
    if (!document_) return {line};
    if (line.starts_with("```")) return fenced_ = !fenced_ && line.starts_with("```case"), std::vector<std::string>{};
    if (fenced_) return {line};
    listed_ = line.starts_with("Cases:") || (listed_ && !line.empty());
    std::vector<std::string> out;
    for (std::size_t from = line.find('`'); listed_ && from != line.npos;) {
      std::size_t const to = line.find('`', from + 1);
      if (to == line.npos) break;
      out.push_back(line.substr(from + 1, to - from - 1));
      from = line.find('`', to + 1);
    }
    return out;
  }

 private:
  bool document_, fenced_ = false, listed_ = false;
};

// Each case of a file's text in order; a malformed line goes to `complain`, behind what is wrong with it and where, and reading
// goes on.
inline void each_case(std::istream& in, std::string const& file,
                      std::function<void(std::string const& what, std::string const& line)> const& complain,
                      std::function<void(located_case)> const& take) {
  case_lines lines(file);
  std::string whole;
  for (std::size_t number = 1; std::getline(in, whole); ++number)
    for (std::string const& line : lines.in(whole)) {
      std::size_t const first = line.find_first_not_of(" \t\r");
      if (first == std::string::npos || line[first] == '#') continue;
      try {
        std::string const text = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        take({parse_case(text), file, text.substr(0, text.find_last_not_of(" \t", text.find('#') - 1) + 1), number});
      } catch (malformed const& e) {
        complain(fmt::format("{}:{}: {}", printable(file, 1000), number, explain(e, line)), line);
      }
    }
}
inline std::vector<located_case> cases_in(std::istream& in, std::string const& file,
                                          std::function<void(std::string)> const& complain) {
  std::vector<located_case> cases;
  auto const told = [&](std::string const& what, std::string const&) { complain(what); };
  each_case(in, file, told, [&](located_case c) { cases.push_back(std::move(c)); });
  return cases;
}
// Of the file itself. Throws bad_file.
inline std::vector<located_case> read_cases(std::string const& file, std::function<void(std::string)> const& complain) {
  std::istringstream in(read_file(file));
  return cases_in(in, file, complain);
}

// The same size and the same value at every index: all up to table_limit, an even spread above. What is no layout: equal.
inline bool same_function(value const& a, value const& b) {
  if (!is_any_layout(a) || !is_any_layout(b)) return a == b;
  integer const n = size(a);
  if (n != size(b)) return false;
  int const count = n <= table_limit ? static_cast<int>(n) : table_limit;
  for (int k = 0; k < count; ++k) {
    integer const i = n <= table_limit ? integer(k) : integer(n * k / (count - 1) - (k ? 1 : 0));
    if (!(value_at(a, i) == value_at(b, i))) return false;
  }
  return true;
}

// The same function, or the same value but for what is spelling alone.
inline bool means_the_same(value const& a, value const& b) { return same_function(a, b) || spelled_alike(a, b); }

// What a program's answer to a case comes to.
inline verdict judge_case(test_case const& c, answer const& got) {
  answer const& right = c.expected;
  if (got.what == status::unsupported) return right.what == got.what ? verdict::pass : verdict::unsupported;
  if (right.what == status::unspecified) return got.what == right.what ? verdict::pass : verdict::not_judged;
  if (!right) return got ? verdict::silent : verdict::pass;
  if (!got) return verdict::refused;
  if (right.result == got.result) return verdict::pass;
  bool const same = means_the_same(right.result, got.result);
  if (!same || !has_valid_swizzles(got.result)) return verdict::wrong;
  return c.relation == '~' ? verdict::pass : verdict::form;
}

}  // namespace colex
