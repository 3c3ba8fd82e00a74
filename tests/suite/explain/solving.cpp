// An equation of layouts: see solving.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/solving.hpp"

#include "ref/algebra/solve.hpp"
#include "ref/answer.hpp"
#include "spec/notation/nearest.hpp"
#include "spec/notation/rewritten.hpp"
#include "spec/operations.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

[[noreturn]] void refuse(std::size_t column, std::string const& why) {
  throw malformed(column,
                  why +
                      "; what can be solved: 'composition A ? = B' or 'A o ? = B', 'composition ? A = B' or '? o A = B', "
                      "'logical_divide A ? = B'");
}

// ---- parts of the line, without the blanks around them ----

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}
bool take_front(std::string_view& text, std::string_view front) {
  if (!text.starts_with(front)) return false;
  text = trimmed(text.substr(front.size()));
  return true;
}
bool take_back(std::string_view& text, std::string_view back) {
  if (!text.ends_with(back)) return false;
  text = trimmed(text.substr(0, text.size() - back.size()));
  return true;
}

std::size_t place_in(std::string_view line, std::string_view part) {
  return static_cast<std::size_t>(part.data() - line.data());
}

// The `=` between the two sides: in brackets it is a keyword's, as in `Layout(shape=2)`.
std::size_t equals_in(std::string_view line) {
  std::size_t const equals = detail::find_outside_brackets(line, [&](std::size_t at) { return line[at] == '='; });
  if (equals == line.npos) refuse(line.size(), "'=' and a layout belong behind it");
  return equals;
}

// What the unknown stands in, and what that is equal to.
struct sides {
  std::string_view product, result;
};
sides sides_of(std::string_view line) {
  std::size_t const unknown = line.find('?'), second = line.find('?', unknown + 1), equals = equals_in(line);
  if (unknown == line.npos) refuse(0, "no '?' stands for the layout that is sought");
  if (second != line.npos) refuse(second, "one layout can be sought, not two");
  std::size_t const behind = std::min(line.find_first_not_of('=', equals), line.size());
  std::string_view const left = trimmed(line.substr(0, equals)), right = trimmed(line.substr(behind));
  if (left.empty() || right.empty()) refuse(left.empty() ? 0 : line.size(), "a layout belongs on either side of '='");
  return unknown < equals ? sides{left, right} : sides{right, left};
}

// What the operation `solve_...` is called that finds the unknown, and the layout beside it.
struct product_with_unknown {
  std::string_view operation, known;
};

// What is neither a composition nor a divide, where the line tells.
[[noreturn]] void refuse_product(std::string_view line, std::string_view text, std::string const& why) {
  std::string const name(text.substr(0, text.find_first_of(" (<")));
  std::string const meant = name.empty() ? "" : did_you_mean(name, {"composition", "logical_divide"});
  if (is_operation(name) || !meant.empty()) refuse(place_in(line, text), "no equation of '" + name + "' is solved" + meant);
  refuse(line.find('?'), why);
}

// `composition A ?`, `composition(A, ?)`, `A o ?`, and the same with the unknown in front.
product_with_unknown split(std::string_view line, std::string_view text) {
  std::size_t const unknown = line.find('?');
  while (std::size_t const n = detail::namespace_length(text)) text.remove_prefix(n);
  bool const divides = take_front(text, "logical_divide"), named = divides || take_front(text, "composition");
  std::string_view const whole = text;
  bool const call = named && text.ends_with(')') && take_front(text, "(") && take_back(text, ")");
  bool const first = take_front(text, "?");
  if (!first && !take_back(text, "?")) refuse_product(line, whole, "'?' is a whole layout, the first or the last");
  auto const take = first ? take_front : take_back;
  if (call && !take(text, ",")) refuse(unknown, "',' belongs between '?' and the layout");
  if (!named && !take(text, "o") && !take(text, "\u2218"))
    refuse_product(line, whole, "'o' belongs between '?' and the layout");
  if (divides && first) refuse(unknown, "the tile can be sought, not what is divided");
  if (text.empty()) refuse(unknown, "a layout belongs beside '?'");
  return {divides ? "solve_logical_divide" : first ? "solve_composition_left" : "solve_composition_right", text};
}

bool same(value const& a, value const& b) { return ref::same_function(ref::from_value(a), ref::from_value(b)); }

}  // namespace

equation::equation(std::string const& written) {
  std::string const plain = without_comments(written);
  std::string_view const line = plain;
  auto const [product, result] = sides_of(line);
  product_with_unknown const left = split(line, product);
  known_ = place_in(line, left.known);
  result_ = place_in(line, result);
  known_in_ = left.operation.size() + 1;
  result_in_ = known_in_ + left.known.size() + 1;
  request = fmt::format("{} {} {}", left.operation, left.known, result);
}

malformed equation::at_line(malformed const& e) const {
  if (e.column >= result_in_) return {e.column - result_in_ + result_, e.what()};
  return {e.column >= known_in_ ? e.column - known_in_ + known_ : 0, e.what()};
}

answer solve(request const& r) {
  answer const x = ref::respond(r);
  if (!x) return x;
  bool const left = r.op == "solve_composition_left", divides = r.op == "solve_logical_divide";
  std::vector<value> const known = left ? std::vector{x.result, r.args[0]} : std::vector{r.args[0], x.result};
  answer const got = ref::respond({divides ? "logical_divide" : "composition", known});
  value const& b = r.args[1];
  bool const solves =
      got && (divides ? same(mode(got.result, 0), mode(b, 0)) && same(mode(got.result, 1), mode(b, 1)) : same(got.result, b));
  if (!solves) throw std::logic_error(print(x.result) + " is no answer of " + print(r));  // not run: a mistake of the reference
  return x;
}

}  // namespace colex
