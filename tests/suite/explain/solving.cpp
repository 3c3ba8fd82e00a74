// An equation of layouts: see solving.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/solving.hpp"

#include "ref/algebra/solve.hpp"
#include "ref/answer.hpp"

namespace colex {
namespace {

struct placed_word {
  std::size_t at;
  std::string text;
};
std::vector<placed_word> placed_words(std::string const& line) {
  std::vector<placed_word> out;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size(); at = line.find_first_not_of(' ', at)) {
    std::size_t const end = std::min(line.find(' ', at), line.size());
    out.push_back({at, line.substr(at, end - at)});
    at = end;
  }
  return out;
}
value parsed(placed_word const& w) {
  try {
    return parse(w.text);
  } catch (malformed const& e) {
    throw malformed(w.at + e.column, e.what());
  }
}

bool same(value const& a, value const& b) { return ref::same_function(ref::from_value(a), ref::from_value(b)); }

}  // namespace

equation::equation(std::string const& line) {
  std::vector<placed_word> const w = placed_words(line);
  bool const form = w.size() == 5 && w[3].text == "=" && (w[1].text == "?") != (w[2].text == "?");
  if (!form || !((w[0].text == "composition") || (w[0].text == "logical_divide" && w[2].text == "?")))
    throw malformed(0, "what can be solved: 'composition A ? = B', 'composition ? A = B', 'logical_divide A ? = B'");
  operation = w[0].text;
  left = w[1].text == "?";
  known = parsed(w[left ? 2 : 1]);
  result = parsed(w[4]);
}
request equation::with(value const& x) const {
  return {operation, left ? std::vector<value>{x, known} : std::vector<value>{known, x}};
}
request equation::solving() const {
  return {operation == "logical_divide" ? "solve_logical_divide"
          : left                        ? "solve_composition_left"
                                        : "solve_composition_right",
          {known, result}};
}

answer solve(equation const& e) {
  answer const x = ref::respond(e.solving());
  if (!x) return x;
  answer const got = ref::respond(e.with(x.result));
  bool const solves = got && (e.operation == "composition" ? same(got.result, e.result)
                                                           : same(mode(got.result, 0), mode(e.result, 0)) &&
                                                                 same(mode(got.result, 1), mode(e.result, 1)));
  if (!solves)
    throw std::logic_error(print(x.result) + " does not solve " + print(e.solving()));  // not run: a mistake of the reference
  return x;
}

}  // namespace colex
