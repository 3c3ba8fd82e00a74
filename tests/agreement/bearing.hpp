// Does a case bear on a law: would the law notice a wrong answer to it? At the case's arguments in the places of the law's own,
// what a law has beside them drawn. A law that asks what it makes of its arguments (ceil_div(m + 1, n)) may never meet a
// case; there the case's operation is answered wrong at drawn arguments. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/in_process.hpp"

#include <algorithm>

namespace colex {

// Other answers than the right one: none at all, each integer of it one more, another truth; of what is undefined any value.
inline std::vector<answer> wrong_answers(answer const& right) {
  if (!right) return {parse_answer("4:1"), parse_answer("1"), parse_answer("true"), parse_answer("(2,2):(1,2)")};
  std::vector<answer> all{{status::undefined, {}, {}}};
  std::string const text = print(right.result), digits = "0123456789";
  if (text == "true" || text == "false") all.push_back(parse_answer(text == "true" ? "false" : "true"));
  for (std::size_t at = 0, end = 0; (at = text.find_first_of(digits, end)) != std::string::npos;) {
    end = std::min(text.find_first_not_of(digits, at), text.size());
    integer const more = integer(text.substr(at, end - at)) + 1;
    try {
      all.push_back(parse_answer(text.substr(0, at) + more.str() + text.substr(end)));
    } catch (malformed const&) {  // a swizzle may not be so
    }
  }
  return all;
}

class bearing {
 public:
  explicit bearing(law const& l) : law_(l) {
    std::mt19937_64 random(1);
    for (int k = 0; k < tries; ++k) {
      choices from(random);
      drawn_.push_back(draw_arguments(l, from));
      note_requests(drawn_.back());
    }
  }

  bool asks(std::string const& operation) const { return asked_.contains(operation); }
  // Only of a case whose operation the law asks.
  bool of(test_case const& c) const {
    return notices_at(c) ||
           (made_.contains(c.asked.op) && notices(drawn_, [&](request const& r) { return r.op == c.asked.op; }));
  }

 private:
  static constexpr int tries = 20;
  law const& law_;
  std::vector<std::vector<binding>> drawn_;
  std::set<std::string> asked_, made_;  // operations; those asked of something else than the law's arguments, too

  void note_requests(std::vector<binding> const& where) {
    auto const is_drawn = [&](value const& v) {
      return std::any_of(where.begin(), where.end(), [&](binding const& b) { return b.second == v; });
    };
    evaluate(law_, where, [&](request const& r) {
      asked_.insert(r.op);
      if (!std::all_of(r.args.begin(), r.args.end(), is_drawn)) made_.insert(r.op);
      return ref::respond(r);
    });
  }

  // Is the law broken at one of these arguments when such requests, or one of several, get a wrong answer?
  template <class F>
  bool notices(std::vector<std::vector<binding>> const& inputs, F such) const {
    for (std::vector<binding> const& where : inputs) {
      std::size_t kinds = 1;
      for (std::size_t k = 0; k < kinds; ++k) {
        auto const subject = [&](request const& r) {
          answer const right = ref::respond(r);
          if (!such(r)) return right;
          std::vector<answer> const wrong = wrong_answers(right);
          kinds = std::max(kinds, wrong.size());
          return wrong[k % wrong.size()];
        };
        if (!evaluate(law_, where, subject).good) return true;
      }
    }
    return false;
  }

  bool notices_at(test_case const& c) const {
    return notices(inputs_at(c.asked.args), [&](request const& r) { return r.op == c.asked.op && r.args == c.asked.args; });
  }
  // Drawn arguments, with those of a case in the place of those of the same kinds, in each order that there is; what is
  // asked twice may have one place.
  std::vector<std::vector<binding>> inputs_at(std::vector<value> const& args) const {
    std::vector<std::vector<binding>> inputs;
    for (std::vector<binding> const& where : drawn_) place(args, 0, where, std::vector<bool>(where.size()), inputs);
    return inputs;
  }
  static void place(std::vector<value> const& args, std::size_t next, std::vector<binding> const& where,
                    std::vector<bool> const& taken, std::vector<std::vector<binding>>& inputs) {
    if (next == args.size()) return inputs.push_back(where);
    for (std::size_t k = 0; k < where.size(); ++k) {
      if (taken[k] ? where[k].second != args[next] : where[k].second.what != args[next].what) continue;
      std::vector<binding> with = where;
      std::vector<bool> now = taken;
      with[k].second = args[next], now[k] = true;
      place(args, next + 1, with, now, inputs);
    }
  }
};

}  // namespace colex
