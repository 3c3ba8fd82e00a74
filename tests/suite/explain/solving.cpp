// An equation of layouts: see solving.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/solving.hpp"

#include "ref/algebra/solve.hpp"
#include "ref/answer.hpp"

namespace colex {
namespace {

[[noreturn]] void throw_no_equation() {
  throw malformed(0, "what can be solved: 'composition A ? = B', 'composition ? A = B', 'logical_divide A ? = B'");
}
// A part of a line without the blanks around it: where it begins, where it ends.
struct part {
  std::size_t from, to;
};
part trimmed(std::string const& line, part p) {
  while (p.from < p.to && line[p.from] == ' ') ++p.from;
  while (p.from < p.to && line[p.to - 1] == ' ') --p.to;
  return p;
}

bool same(value const& a, value const& b) { return ref::same_function(ref::from_value(a), ref::from_value(b)); }

}  // namespace

equation::equation(std::string const& written) {
  std::size_t const equals = written.find('='), unknown = written.find('?');
  if (equals == written.npos || unknown == written.npos || unknown > equals) throw_no_equation();
  part const left = trimmed(written, {0, equals}), result = trimmed(written, {equals + 1, written.size()});
  std::size_t const end = std::min(written.find(' ', left.from), left.to);
  std::string const operation = written.substr(left.from, end - left.from);
  part const both = trimmed(written, {end, left.to});
  bool const first = unknown == both.from, divides = operation == "logical_divide";
  part const known = trimmed(written, first ? part{both.from + 1, both.to} : part{both.from, unknown});
  bool const whole = known.from < known.to && result.from < result.to && (first || unknown + 1 == both.to) &&
                     written.find('?', unknown + 1) == written.npos;
  if (!whole || !(divides ? !first : operation == "composition")) throw_no_equation();
  request = std::string(divides ? "solve_logical_divide" : first ? "solve_composition_left" : "solve_composition_right") + " ";
  known_ = known.from;
  known_in_ = request.size();
  request += written.substr(known.from, known.to - known.from) + " ";
  result_ = result.from;
  result_in_ = request.size();
  request += written.substr(result.from, result.to - result.from);
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
