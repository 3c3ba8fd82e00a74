// One evaluation of one law on an algebra in this process, judged against the reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/answer.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/judge/open_question.hpp"

namespace colex {

// What came of it: nothing wrong (and whether the hypothesis held, and whether there was an answer to judge), or what is, for
// which arguments and after which answers.
struct outcome {
  bool good = true, vacuous = false, unanswered = false;
  std::string what;
  std::vector<binding> where;
  std::vector<std::pair<request, answer>> asked;

  std::string complaint() const {
    std::string s = what;
    for (auto const& [name, v] : where) s += "\n  " + name + " = " + print(v);
    for (auto const& [r, got] : asked) s += "\n  " + print(r) + " -> " + print(got);
    return s;
  }
};

inline outcome bad(trial const& t, std::string what) {
  return {false, false, false, std::move(what), t.bindings(), {t.asked().begin(), t.asked().end()}};
}

// What an algebra says. A request outside the grammar, such as the name of no atom, has no answer, as on the wire.
inline answer said(trial::implementation const& algebra, request const& r) {
  try {
    return algebra(r);
  } catch (malformed const& e) {
    return {status::undefined, {}, e.what()};
  }
}

// An answer missing where the reference has one is a law broken too; what the reference cannot decide is not judged.
inline outcome evaluate(law const& l, std::vector<binding> const& arguments, trial::implementation const& subject) {
  static trial::implementation const plain = ref::respond;
  auto const reference = [](request const& r) { return said(plain, r); };
  trial t(arguments, [&subject](request const& r) { return said(subject, r); }, reference);
  try {
    l.check(t);
  } catch (vacuous const&) {
    return {true, true, false, {}, {}, {}};
  } catch (not_answered const& n) {
    answer const right = reference(n.asked);
    bool const undecided =
        right.what == status::unspecified || (right.what == status::undefined && right.reason.starts_with("not decided"));
    bool const too_large = n.got.what == status::unsupported && n.got.reason == "overflow" &&
                           is_large(n.asked, right, large_number);  // 64 bits, and said so
    if (!undecided && !too_large && (right || n.got.what != right.what))
      return bad(t, print(n.asked) + " -> " + print(n.got) + ", not " + print(right));
    return {true, false, true, {}, {}, {}};
  } catch (broken const& b) {
    return bad(t, b.left + ", not " + b.right);
  } catch (std::exception const& e) {
    return bad(t, e.what());
  }
  return {};
}

}  // namespace colex
