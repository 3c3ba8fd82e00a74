// The text that a line of people's becomes, with the place that each of its characters comes from; and the characters of both,
// as they are read and written. What is read, and as what: spelled_values.hpp and spellings.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/spelled_names.hpp"

#include <functional>
#include <optional>

namespace colex {

// A line of the grammar, where each of its characters comes from, and which requests within it were answered before:
// `coalesce (4,2):(1,4) = 8:1`.
struct rewritten {
  std::string text;
  std::vector<std::size_t> columns;
  std::vector<std::string> steps{};
  int element_bits = 0;  // what a pointer in the line states; 0: none does

  // The malformed place of the text, as one of the line.
  malformed at_line(malformed const& e) const {
    std::size_t const last = columns.empty() ? 0 : columns.back() + 1;
    return {e.column < columns.size() ? columns[e.column] : last, e.what()};
  }
};

// A request within the line has no answer, so that the whole has none. It is the last of the steps.
struct unanswered : std::runtime_error {
  answer what;
  std::vector<std::string> steps;
  explicit unanswered(answer a, std::vector<std::string> before = {})
      : std::runtime_error(a.reason), what(std::move(a)), steps(std::move(before)) {}
};

// Answers the requests within a line.
using answering = std::function<answer(request const&)>;

namespace detail {
// Does Python's `8 // 2` stand there? Between two numbers that alone is no comment.
inline bool is_division(std::string_view line, std::size_t at) {
  std::size_t const before = at == 0 ? line.npos : line.find_last_not_of(" \t", at - 1);
  if (before == line.npos || std::string_view("0123456789)").find(line[before]) == line.npos) return false;
  std::size_t const number = line.find_first_not_of(" \t", at + 2), end = line.find_first_not_of("0123456789", number);
  if (number == line.npos || end == number) return false;
  std::size_t const behind = line.find_first_not_of(" \t\r", end);
  return behind == line.npos || std::string_view("\n,:)]}>").find(line[behind]) != line.npos;
}
}  // namespace detail

// The line with blanks for its comments, as behind a case, in Python and in C++. Throws malformed.
inline std::string without_comments(std::string_view line) {
  std::string out(line);
  for (std::size_t at = 0; at < line.size(); ++at) {
    bool const block = line.substr(at, 2) == "/*";
    if (!block && line[at] != '#' && line.substr(at, 2) != "//") continue;
    if (line[at] == '/' && !block && detail::is_division(line, at))
      throw malformed(at, "a division: write the number that it gives");
    std::size_t const close = block ? line.find("*/", at + 2) : line.find('\n', at);
    if (block && close == line.npos) throw malformed(at, "'/*' is never closed");
    std::size_t const end = close == line.npos ? line.size() : block ? close + 2 : close;
    for (; at < end; ++at) out[at] = ' ';
    --at;
  }
  return out;
}

namespace detail {

// What stands in the output from `begin` on: a value of a kind, or a request that gives one.
struct piece {
  std::size_t begin, column;
  kind what = kind::layout;
  bool asked = false, of_call = false;  // a value of a function that was called
  std::string_view keyword{};           // `stride` of `stride=(1,4)`
  std::optional<std::size_t>
      single{};  // where round brackets hold one value: `(4)` is 4 in a program, where CuTe prints it a tuple

  bool is(kind k) const { return !asked && what == k; }
  bool is_function() const { return is(kind::layout) || is(kind::composed) || is(kind::swizzle) || is(kind::f2); }
  bool is_offset() const { return is(kind::number) || is(kind::tuple); }
};

// Reads the characters of the line, writes those of its text.
class rewriting {
 public:
  explicit rewriting(std::string_view line) {
    if (line.size() > max_line) fail_at(max_line, "line longer than " + std::to_string(max_line) + " characters");
    plain_ = without_comments(line);
    line_ = plain_;
  }
  rewriting(rewriting const&) = delete;
  rewriting& operator=(rewriting const&) = delete;

 protected:
  std::string_view line_;
  rewritten out_;
  std::size_t at_ = 0;

  // ---- what is read ----

  bool more() const { return at_ < line_.size(); }
  char peek() const { return line_[at_]; }
  bool is_at(std::size_t place, char c) const { return place < line_.size() && line_[place] == c; }
  bool next_is(std::string_view text) const { return line_.substr(at_, text.size()) == text; }
  static bool space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool in_name(char c) { return letter(c) || digit(c) || c == '_'; }
  static std::string shown(char c, char const* article = "a ") {
    if (c > 32 && c < 127) return "'" + std::string(1, c) + "'";
    return std::string(article) +
           (static_cast<unsigned char>(c) > 127 ? "character beyond ASCII" : "character that is not printable");
  }
  static std::string unexpected(char c) { return "unexpected " + shown(c, ""); }
  void skip_spaces() {
    while (more() && space(peek())) ++at_;
  }
  bool take(std::string_view text) { return next_is(text) ? (at_ += text.size(), true) : false; }
  void skip_namespace() {
    while (std::size_t const n = namespace_length(line_.substr(at_))) at_ += n;
  }
  std::size_t end_of_name(std::size_t from) const {
    while (from < line_.size() && (in_name(line_[from]) || line_.substr(from, 2) == "::")) from += in_name(line_[from]) ? 1 : 2;
    return from;
  }
  [[noreturn]] void fail(std::string const& why) const { fail_at(at_, why); }
  [[noreturn]] static void fail_at(std::size_t column, std::string const& why) { throw malformed(column, why); }

  // Behind what closes the round bracket there; npos where it is never closed.
  std::size_t end_of_brackets(std::size_t bracket) const {
    int open = 0;
    for (std::size_t at = bracket; at < line_.size(); ++at)
      if ((open += (line_[at] == '(') - (line_[at] == ')')) == 0) return at + 1;
    return line_.npos;
  }
  // Behind what closes the angle there; npos where it is never closed.
  std::size_t end_of_angles(std::size_t angle) {
    if (ends_of_angles_.empty()) find_ends_of_angles();
    return ends_of_angles_[angle];
  }
  // ---- what is written ----

  void put(std::string_view text, std::size_t column) {
    out_.text += text;
    out_.columns.insert(out_.columns.end(), text.size(), column);
  }
  void put_before(std::size_t place, std::string_view text, std::size_t column) {
    out_.text.insert(place, text);
    out_.columns.insert(column_at(place), text.size(), column);
  }
  void cut(std::size_t from) { out_.text.resize(from), out_.columns.resize(from); }
  void erase(std::size_t begin, std::size_t n) {
    out_.text.erase(begin, n);
    out_.columns.erase(column_at(begin), column_at(begin + n));
  }
  std::vector<std::size_t>::iterator column_at(std::size_t place) {
    return out_.columns.begin() + static_cast<std::ptrdiff_t>(place);
  }
  void copy_to(std::size_t end) {
    for (; at_ < end; ++at_) put(line_.substr(at_, 1), at_);
  }

  // What stands from `middle` on comes before what stands from `begin` on. Returns where it ends.
  std::size_t swapped(std::size_t begin, std::size_t middle) {
    auto const text = out_.text.begin();
    auto const end =
        std::rotate(text + static_cast<std::ptrdiff_t>(begin), text + static_cast<std::ptrdiff_t>(middle), out_.text.end());
    std::rotate(column_at(begin), column_at(middle), out_.columns.end());
    return static_cast<std::size_t>(end - text);
  }

 private:
  std::string plain_;
  std::vector<std::size_t>
      ends_of_angles_;  // all at once: what is never closed would be sought to the end of the line each time

  void find_ends_of_angles() {
    ends_of_angles_.assign(line_.size(), line_.npos);
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < line_.size(); ++at)
      if (line_[at] == '<') {
        open.push_back(at);
      } else if (line_[at] == '>' && !open.empty()) {
        ends_of_angles_[open.back()] = at + 1;
        open.pop_back();
      }
  }
};

}  // namespace detail
}  // namespace colex
