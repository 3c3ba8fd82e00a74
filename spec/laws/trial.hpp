// One evaluation of one law: its arguments, the implementation under judgement, and the words a law is written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/meaning.hpp"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <variant>

namespace colex {

// How one evaluation of a law ends early.
struct broken {  // the law does not hold on the answers
  std::string left, right;
  bool form = false;  // it would, were they spelled alike
};
struct not_answered {  // a request came back undefined, unspecified or unsupported
  request asked;
  answer got;
};
struct vacuous {      // the hypothesis does not hold for these arguments
  std::string why{};  // which of them is outside, if that is known
};
struct held {};      // or not early: the law holds
struct unreadable {  // an answer is of a kind that the law cannot look at
  std::string why;
};
using ending = std::variant<held, vacuous, broken, not_answered, unreadable>;

// How f, which evaluates a law, ends.
template <class F>
ending ending_of(F f) {
  try {
    f();
    return held{};
  } catch (vacuous const& e) {
    return e;
  } catch (broken const& e) {
    return e;
  } catch (not_answered const& e) {
    return e;
  } catch (std::exception const& e) {
    return unreadable{e.what()};
  }
}

// The first of some integers.
inline std::string print(std::vector<integer> const& v) {
  std::string s = "{";
  for (std::size_t i = 0; i < v.size() && i < 12; ++i) s += (i ? "," : "") + v[i].str();
  return s + (v.size() > 12 ? ",...}" : "}");
}

using binding = std::pair<std::string, value>;

// An answer that is held once, however many look at it: a program's may be as long as a line, and laws are evaluated again for
// each answer that they wait for.
class shared_answer {
 public:
  shared_answer(answer a) : held_(std::make_shared<answer const>(std::move(a))) {}
  explicit shared_answer(std::shared_ptr<answer const> held) : held_(std::move(held)) {}
  operator answer const&() const { return *held_; }
  answer const* operator->() const { return held_.get(); }

 private:
  std::shared_ptr<answer const> held_;
};
using exchanged = std::pair<request, shared_answer>;

// One evaluation of one law: arguments by name, which outlive it, the implementation under judgement, and the judge's
// vocabulary.
class trial {
 public:
  using implementation = std::function<shared_answer(request const&)>;

  trial(std::vector<binding> const& arguments, implementation subject, implementation reference)
      : arguments_(arguments), subject_(std::move(subject)), reference_(std::move(reference)) {}
  trial(std::vector<binding>&&, implementation, implementation) = delete;

  // The argument of that name.
  value const& operator[](std::string_view name) const {
    if (value const* const v = find(name)) return *v;
    throw std::out_of_range("no argument " + std::string(name));
  }

  // The argument of that name reduced to an index below n. Reports show the index, which stands for itself.
  integer index(std::string const& name, integer const& n) {
    return reduced_.insert_or_assign(name, value(integer((*this)[name].number % n))).first->second.number;
  }

  // The implementation's answer; ends the evaluation with not_answered when there is none.
  value const& ask(std::string op, value_list args) {
    auto const& [asked, held] = exchange(std::move(op), std::move(args));
    answer const& got = held;
    if (!got) throw not_answered{asked, got};
    if (!has_valid_swizzles(got.result)) throw broken{print(got), "a swizzle with |S| >= B"};
    return got.result;
  }
  // The same, whatever it is.
  answer const& try_ask(std::string op, value_list args) { return exchange(std::move(op), std::move(args)).second; }
  // The reference's answer. (Sound and complete: `exhaustive`.)
  answer reference(std::string op, value_list args) { return reference_({std::move(op), std::move(args.items)}); }

  // The implementation answers exactly where an answer exists.
  void answers_iff(bool exists, std::string op, value_list args) {
    auto const& [asked, held] = exchange(std::move(op), std::move(args));
    answer const& a = held;
    if (a && !exists) throw broken{print(a), "undefined: no answer satisfies the laws"};
    if (!a && (exists || !a.is_undefined())) throw not_answered{asked, a};
  }
  void answers_like_the_reference(std::string op, value_list args) {
    answer const r = reference(op, args);
    require(r || r.what == status::undefined);
    answers_iff(static_cast<bool>(r), std::move(op), std::move(args));
  }

  void require(bool hypothesis) const {
    if (!hypothesis) throw vacuous{};
  }
  template <class L, class R>
  void equal(L const& left, R const& right) const {
    if (left == right) return;
    if constexpr (std::is_same_v<L, value> && std::is_same_v<R, value>)
      throw broken{text(left), text(right), spelled_alike(left, right)};
    throw broken{text(left), text(right)};
  }
  // The two sides are values, text or what says it, and are spelled only where the claim fails.
  template <class L, class R>
  void holds(bool claim, L const& left, R const& right) const {
    if (!claim) throw broken{text(left), text(right)};
  }

  // f(i) for i < n: every one up to 64, then the ends and an even spread. A bound argument of that name is used alone, where
  // it is one of them.
  template <class F>
  void every(std::string const& name, integer const& n, F f) {
    range& of = ranges_[name];
    of.end = std::max(of.end, n);
    if (value const* const bound = find(name)) {
      if (!is_index(*bound, n)) return;
      of.met = true;
      return void(f(bound->number));
    }
    integer& index = indices_.emplace_back(name, 0).second.number;
    int const count = n <= 64 ? static_cast<int>(n) : 64;
    for (int k = 0; k < count; ++k) {
      integer const i = n <= 64 || k < 24 ? integer(k) : k < 32 ? integer(n - (k - 23)) : integer((n * (2 * k - 63)) / 66);
      f(index = i);
    }
    indices_.pop_back();
  }

  // A bound index that the law goes through is one of those.
  void require_indices() const {
    for (auto const& [name, of] : ranges_)
      if (value const* const bound = find(name); bound && !of.met) throw vacuous{name + "=" + print(*bound)};
  }
  // The names of the indices that the law went through, and how far.
  std::map<std::string, integer> indices() const {
    std::map<std::string, integer> ends;
    for (auto const& [name, of] : ranges_) ends[name] = of.end;
    return ends;
  }

  std::vector<binding> bindings() const {
    std::vector<binding> all = arguments_;
    for (auto& [name, v] : all)
      if (auto const at = reduced_.find(name); at != reduced_.end()) v = at->second;
    all.insert(all.end(), indices_.begin(), indices_.end());
    return all;
  }
  std::list<exchanged> const& asked() const { return asked_; }

 private:
  std::vector<binding> const& arguments_;
  std::map<std::string, value> reduced_;  // arguments of which a law takes but an index
  std::list<binding> indices_;            // of every `every` that goes on: rows keep references to them
  struct range {
    integer end = 0;
    bool met = false;  // was the bound one among them?
  };
  std::map<std::string, range> ranges_;  // of every `every` so far
  implementation subject_, reference_;
  std::list<exchanged> asked_;  // rows keep references to these, too

  static bool is_index(value const& v, integer const& n) {
    return v.is(kind::number) && v.basis.empty() && v.number >= 0 && v.number < n;
  }
  exchanged const& exchange(std::string op, value_list args) {
    request r{std::move(op), std::move(args.items)};
    shared_answer a = subject_(r);
    return asked_.emplace_back(std::move(r), std::move(a));
  }
  value const* find(std::string_view name) const {
    for (binding const& b : arguments_)
      if (b.first == name) return &b.second;
    for (binding const& b : indices_)
      if (b.first == name) return &b.second;
    return nullptr;
  }
  template <class T>
  static std::string text(T const& x) {
    if constexpr (std::is_invocable_v<T const&>)
      return x();
    else if constexpr (std::is_same_v<T, bool>)
      return x ? "true" : "false";
    else if constexpr (std::is_same_v<T, integer>)
      return x.str();
    else if constexpr (std::is_arithmetic_v<T>)
      return std::to_string(x);
    else if constexpr (std::is_convertible_v<T, std::string>)
      return x;
    else
      return print(x);
  }
};

}  // namespace colex
