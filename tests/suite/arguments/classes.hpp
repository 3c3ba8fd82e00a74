// The classes of arguments that bugs like: which of them an input of a law has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/hypotheses.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>

namespace colex {

// Of some argument: three modes or more; parentheses in parentheses; an extent 1 beside others; a stride 0 that repeats values;
// leaves that neither continue nor divide each other; a negative stride; a basis stride; a swizzle; a number beyond 32 bits.
inline constexpr std::array<char const*, 9> class_names{"rank",     "depth", "units",    "zeros", "indivisible",
                                                        "negative", "basis", "swizzled", "large"};
inline constexpr std::size_t class_count = class_names.size();
// The same as people read it behind "inputs with".
inline constexpr std::array<char const*, class_count> class_words{
    "three modes or more",        "nested parentheses", "an extent 1",   "strides of 0",
    "strides that do not divide", "negative strides",   "basis strides", "swizzles",
    "numbers of 32 bits and more"};
using class_set = unsigned;  // bit k: class_names[k]

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
  void add(std::vector<binding> const& where, bool answered) {
    class_set all = 0;
    for (binding const& each : where) {
      class_set const own = classes_of({each});
      add(each.first, own, answered);
      all |= own;
    }
    add({}, all, answered);
  }

  // `basis strides in B`: how many inputs, of which none was answered. Without an argument's name where it holds of any.
  std::map<std::string, std::size_t> unanswered() const {
    std::map<std::string, std::size_t> found;
    for (std::size_t k = 0; k < class_count; ++k) {
      bool const of_any = is_hidden(at("", k));
      for (auto const& [name, counts] : by_argument_)
        if (is_hidden(counts[k]) && (name.empty() || !of_any)) found.emplace(words(name, k), counts[k].asked);
    }
    return found;
  }

 private:
  struct tally {
    std::size_t asked = 0, answered = 0;
  };
  std::map<std::string, std::array<tally, class_count>> by_argument_;

  void add(std::string const& argument, class_set in, bool answered) {
    auto& counts = by_argument_[argument];
    for (std::size_t k = 0; k < class_count; ++k)
      if (in >> k & 1) ++counts[k].asked, counts[k].answered += answered;
  }
  tally at(std::string const& argument, std::size_t k) const {
    auto const found = by_argument_.find(argument);
    return found == by_argument_.end() ? tally{} : found->second[k];
  }
  static bool is_hidden(tally const& t) { return t.asked >= enough_of_a_class && t.answered == 0; }
  static std::string words(std::string const& argument, std::size_t k) {
    return argument.empty() ? class_words[k] : fmt::format("{} in {}", class_words[k], argument);
  }
};

}  // namespace colex
