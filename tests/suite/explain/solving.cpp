// An equation of layouts: see solving.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/solving.hpp"

#include "ref/algebra/solve.hpp"
#include "ref/answer.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

[[noreturn]] void throw_no_equation() {
  throw malformed(0,
                  "what can be solved: 'composition A ? = B' or 'A o ? = B', 'composition ? A = B' or '? o A = B', "
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

// What the operation `solve_...` is called that finds the unknown, and the layout beside it.
struct product_with_unknown {
  std::string_view operation, known;
};

// `composition A ?`, `composition(A, ?)`, `A o ?`, and the same with the unknown in front.
product_with_unknown split(std::string_view text) {
  while (take_front(text, "cute::")) continue;
  bool const divides = take_front(text, "logical_divide"), named = divides || take_front(text, "composition");
  bool const call = named && text.ends_with(')') && take_front(text, "(") && take_back(text, ")");
  bool const first = take_front(text, "?");
  if (!first && !take_back(text, "?")) throw_no_equation();
  auto const take = first ? take_front : take_back;
  if ((call && !take(text, ",")) || (!named && !take(text, "o") && !take(text, "\u2218"))) throw_no_equation();
  if ((divides && first) || text.empty()) throw_no_equation();
  return {divides ? "solve_logical_divide" : first ? "solve_composition_left" : "solve_composition_right", text};
}

bool same(value const& a, value const& b) { return ref::same_function(ref::from_value(a), ref::from_value(b)); }

}  // namespace

equation::equation(std::string const& written) {
  std::string_view const line = written;
  std::size_t const equals = std::min(line.find('='), line.size());
  product_with_unknown const left = split(trimmed(line.substr(0, equals)));
  std::string_view const result = trimmed(line.substr(std::min(line.find_first_not_of('=', equals), line.size())));
  if (result.empty() || line.find('?') != line.rfind('?')) throw_no_equation();
  known_ = static_cast<std::size_t>(left.known.data() - line.data());
  result_ = static_cast<std::size_t>(result.data() - line.data());
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
