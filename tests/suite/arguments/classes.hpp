// The classes of arguments that bugs like: which of them an input of a law has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/hypotheses.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>

namespace colex {

// Of some argument: three modes or more; parentheses in parentheses; an extent 1 beside others; a stride 0 that repeats values;
// leaves that neither continue nor divide each other; a negative stride; a basis stride; a swizzle; a number beyond 32 bits;
// more leaves than an array of a few holds.
inline constexpr std::array<char const*, 10> class_names{"rank",     "depth", "units",    "zeros", "indivisible",
                                                         "negative", "basis", "swizzled", "large", "many"};
inline constexpr std::size_t class_count = class_names.size();
// The same as people read it behind "inputs with".
inline constexpr std::array<char const*, class_count> class_words{
    "three modes or more",         "nested parentheses",  "an extent 1",   "strides of 0",
    "strides that do not divide",  "negative strides",    "basis strides", "swizzles",
    "numbers of 32 bits and more", "more than ten leaves"};
inline constexpr std::size_t few_leaves = 10;
using class_set = unsigned;  // bit k: class_names[k]

// How many leaves a tuple has; one of its own where it is empty.
inline std::size_t leaf_count(value const& v) {
  if (!v.is(kind::tuple) || v.items.empty()) return 1;
  return std::accumulate(v.items.begin(), v.items.end(), std::size_t{0},
                         [](std::size_t n, value const& x) { return n + leaf_count(x); });
}
inline bool has_many_leaves(value const& v, std::size_t few = few_leaves) {
  return leaf_count(v) > few || std::ranges::any_of(v.items, [&](value const& x) { return has_many_leaves(x, few); });
}

namespace detail {

class classifier {
 public:
  class_set found = 0;

  void look(value const& v) {
    static integer const large = integer(1) << 31;
    if (v.is(kind::swizzle))
      add(7, v.items[0].number > 0);
    else if (v.is(kind::number))
      add(8, v.number >= large || v.number <= -large);
    else if (v.is(kind::layout))
      look_at_layout(v);
    else if (v.is(kind::tuple))
      look_at_tuple(v);
    if (!v.is(kind::swizzle))
      for (value const& x : v.items) look(x);
  }

 private:
  void add(int k, bool on) { found |= on ? 1u << k : 0u; }

  void look_at_tuple(value const& v) {
    add(0, v.items.size() >= 3);
    bool nested = false, unit = false;
    for (value const& x : v.items) {
      nested = nested || x.is(kind::tuple);
      unit = unit || (x.is(kind::number) && x.number == 1 && x.basis.empty());
    }
    add(1, nested);
    add(2, unit && v.items.size() > 1);
    add(9, leaf_count(v) > few_leaves);
  }
  void look_at_layout(value const& v) {
    integer end = 1;
    for (auto const& [extent, stride] : leaves(v)) {
      add(6, !stride.is_integer());
      add(5, stride.number < 0);
      if (extent == 1 || !stride.is_integer()) continue;
      add(3, stride.number == 0);
      if (stride.number <= 0) continue;
      add(4, stride.number % end != 0 && end % stride.number != 0);
      end = extent * stride.number;
    }
  }
};

}  // namespace detail

inline class_set classes_of(std::vector<binding> const& where) {
  detail::classifier c;
  for (auto const& [name, v] : where) c.look(v);
  return c.found;
}

inline class_set classes_of(request const& r) {
  detail::classifier c;
  for (value const& v : r.args) c.look(v);
  return c.found;
}

// How many arguments were of each class, and how many there were.
using class_counts = std::array<std::uint64_t, class_count + 1>;
inline void count_classes(class_counts& to, class_set in) {
  for (std::size_t k = 0; k < class_count; ++k) to[k] += in >> k & 1;
  ++to[class_count];
}

// Of so many inputs of a class a program that has that class at all answers one.
inline constexpr std::size_t enough_of_a_class = 16;

// A law's inputs by the classes of their arguments, all together and each by itself: was any of a class answered?
class class_account {
 public:
  // The arguments of a law, in the same order each time.
  void add(std::vector<binding> const& where, bool answered) {
    std::vector<class_set> in(where.size() + 1);
    for (std::size_t k = 0; k < where.size(); ++k) in[0] |= in[k + 1] = classes_of({where[k]});
    names_.resize(in.size()), counts_.resize(in.size());
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (k > 0) names_[k] = where[k - 1].first;
      for (std::size_t c = 0; c < class_count; ++c)
        if (in[k] >> c & 1) ++counts_[k][c].asked, counts_[k][c].answered += answered;
    }
    if (!answered) unanswered_.insert(std::move(in));
  }

  // `basis strides in B`: how many inputs, of which none was answered. Without an argument's name where it holds of any. A
  // class whose inputs each have another such class follows from those and is left out, the smallest first.
  std::map<std::string, std::size_t> unanswered() const {
    std::vector<place> causes = hidden();
    std::ranges::stable_sort(causes, {}, [this](place const& p) { return at(p).asked; });
    for (std::size_t k = 0; k < causes.size();)
      if (place const p = causes[k]; follows(p, causes))
        causes.erase(causes.begin() + static_cast<std::ptrdiff_t>(k));
      else
        ++k;
    std::map<std::string, std::size_t> found;
    for (place const& p : causes) found.emplace(words(p), at(p).asked);
    return found;
  }

 private:
  struct tally {
    std::size_t asked = 0, answered = 0;
    bool is_hidden() const { return asked >= enough_of_a_class && answered == 0; }
  };
  struct place {
    std::size_t argument, of_class;  // 0: any argument
    bool operator==(place const&) const = default;
    bool is_in(std::vector<class_set> const& input) const { return input[argument] >> of_class & 1; }
  };
  std::vector<std::string> names_;
  std::vector<std::array<tally, class_count>> counts_;
  std::set<std::vector<class_set>> unanswered_;  // what inputs have, of those that were not answered

  tally const& at(place const& p) const { return counts_[p.argument][p.of_class]; }
  std::vector<place> hidden() const {
    std::vector<place> found;
    for (std::size_t c = 0; c < class_count; ++c)
      for (std::size_t k = 0; k < counts_.size(); ++k)
        if (at({k, c}).is_hidden() && (k == 0 || !at({0, c}).is_hidden())) found.push_back({k, c});
    return found;
  }
  bool follows(place const& p, std::vector<place> const& causes) const {
    return std::ranges::all_of(unanswered_, [&](std::vector<class_set> const& input) {
      return !p.is_in(input) || std::ranges::any_of(causes, [&](place const& x) { return x != p && x.is_in(input); });
    });
  }
  std::string words(place const& p) const {
    return p.argument == 0 ? class_words[p.of_class] : fmt::format("{} in {}", class_words[p.of_class], names_[p.argument]);
  }
};

}  // namespace colex
