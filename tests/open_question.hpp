// Where two algebras may differ and neither be wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/meaning.hpp"

#include <unordered_set>

namespace colex {

// A layout that takes a value twice has several right inverses, and each algebra may find another.
inline bool may_repeat_a_value(value const& a) {
  if (a.is(kind::composed)) return may_repeat_a_value(a.items.back());
  if (!a.is(kind::layout)) return false;
  if (size(a) > table_limit) return true;
  leaf_list const of = leaves(a);
  std::unordered_set<std::string> seen;
  for (integer i = 0; i < size(a); ++i)
    if (!seen.insert(print(at(of, i))).second) return true;
  return false;
}

// Is it, or something that is computed of it, more than `most`, or than 32 leaves, 255 parentheses or a path of 8 modes may hold?
inline bool is_large(value const& v, integer const& most, int depth = 0) {
  if (v.is(kind::number)) return mp::abs(v.number) > most || v.basis.size() > 7 || std::any_of(v.basis.begin(), v.basis.end(), [](int mode) { return mode > 200; });
  if (v.is(kind::swizzle)) return v.items[0].number + v.items[1].number + mp::abs(v.items[2].number) > mp::msb(most);
  if (v.is(kind::layout) && (size(v) > most || leaves(v).size() > 31)) return true;
  if ((v.is(kind::tuple) || v.is(kind::tiler)) && (depth > 99 || v.items.size() > 15 || (v.items.empty() && (depth > 0 || v.is(kind::tiler))))) return true;
  return std::any_of(v.items.begin(), v.items.end(), [&](value const& x) { return is_large(x, most, depth + 1); });
}
inline bool is_large(request const& r, answer const& right, integer const& most) {
  return (right && is_large(right.result, most)) || std::any_of(r.args.begin(), r.args.end(), [&](value const& v) { return is_large(v, most); });
}
inline integer const large_number = (integer(1) << 31) - 1;  // a few such make more than 64 bits

// Does f hold of each value of a, as far as a table goes?
template <class F>
bool for_each_value(value const& a, F f) {
  for (integer i = 0, n = std::min(size(a), integer(table_limit)); i < n; ++i)
    if (!f(value_at(a, i).number)) return false;
  return true;
}
inline bool inverts(value const& l, value const& a) {
  return for_each_value(a, [&](integer const& x) { return value_at(a, value_at(l, x).number).number == x; });
}
// Of several right inverses each is as large; left ones take each value to its index, or to one of those that have it.
inline bool is_as_good(request const& r, value const& one, value const& other) {
  auto const layout_like = [](value const& v) { return v.is(kind::layout) || v.is(kind::composed); };
  if (!layout_like(one) || !layout_like(other)) return false;
  bool const repeats = std::any_of(r.args.begin(), r.args.end(), may_repeat_a_value);
  if (r.op != "left_inverse") return repeats && size(one) == size(other);
  if (repeats) return inverts(one, r.args[0]) && inverts(other, r.args[0]);
  return for_each_value(r.args[0], [&](integer const& x) { return value_at(one, x) == value_at(other, x); });
}

// 64 bits and 32 leaves bound one of the two, the size of a table both, and what is unspecified may be undefined. Beyond the values
// of a layout its left inverse is free.
inline bool is_open(request const& r, answer const& one, answer const& other) {
  for (answer const* a : {&one, &other}) {
    answer const& right = a == &one ? other : one;
    if (a->what == status::unsupported) return is_large(r, right, large_number);
    if (a->what == status::unspecified) return !right;
    if (a->reason.starts_with("not decided")) return !right || (r.op == "left_inverse" && inverts(right.result, r.args[0])) || is_large(r, right, inverse_limit);
  }
  return one && other && is_as_good(r, one.result, other.result);
}

}  // namespace colex
