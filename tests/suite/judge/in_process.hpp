// One evaluation of one law on an algebra in this process, judged against the reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/answer.hpp"
#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/judge/open_question.hpp"

namespace colex {

// What came of it: nothing wrong (and whether the hypothesis held, and whether there was an answer to judge), or what is, for
// which arguments and after which answers.
struct outcome {
  bool good = true, vacuous = false, unanswered = false;
  std::string what{};
  std::vector<binding> where{};
  std::vector<exchanged> asked{};

  std::string complaint() const {
    std::string s = what;
    for (auto const& [name, v] : where) s += "\n  " + name + " = " + print(v);
    for (auto const& [r, got] : asked) s += "\n  " + print(r) + " -> " + print(got);
    return s;
  }
};

// What an algebra says. A request outside the grammar, such as the name of no atom, has no answer, as on the wire.
inline answer said(trial::implementation const& algebra, request const& r) {
  try {
    return algebra(r);
  } catch (malformed const& e) {
    return {status::undefined, {}, e.what()};
  }
}

namespace detail {

inline outcome judge(trial const& t, std::string what) {
  return {.good = false, .what = std::move(what), .where = t.bindings(), .asked = {t.asked().begin(), t.asked().end()}};
}
inline outcome judge(trial const&, held) { return {}; }
inline outcome judge(trial const&, vacuous) { return {.vacuous = true}; }
inline outcome judge(trial const& t, broken const& b) { return judge(t, b.left + ", not " + b.right); }
inline outcome judge(trial const& t, unreadable const& e) { return judge(t, e.why); }
// What an algebra of 64 bits and 32 leaves does not hold, and says so.
inline bool is_beyond(std::string const& reason, request const& asked, answer const& right) {
  auto const is_long = [](value const& v) { return has_many_leaves(v, 32); };
  if (reason == "overflow") return is_large(asked, right, large_number);
  return reason == "more than 32 leaves" && (is_long(right.result) || std::ranges::any_of(asked.args, is_long));
}
// An answer missing where the reference has one is a law broken too; what the reference cannot decide is not judged.
inline outcome judge(trial const& t, not_answered const& n) {
  answer const right = said(ref::respond, n.asked);
  bool const refused = n.got.what == status::unsupported && is_beyond(n.got.reason, n.asked, right);
  if (right.leaves_open() || refused || (!right && same_status(right, n.got))) return {.unanswered = true};
  return judge(t, print(n.asked) + " -> " + print(n.got) + ", not " + print(right));
}

}  // namespace detail

inline outcome evaluate(law const& l, std::vector<binding> const& arguments, trial::implementation const& subject) {
  auto const asking = [](trial::implementation const& algebra) {
    return [&algebra](request const& r) { return said(algebra, r); };
  };
  static trial::implementation const reference = ref::respond;
  trial t(arguments, asking(subject), asking(reference));
  ending const end = ending_of([&] { l.check(t); });
  return std::visit([&](auto const& how) { return detail::judge(t, how); }, end);
}

}  // namespace colex
