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

// 64 bits and 32 leaves bound one of the two, the size of a table both, and what is unspecified has no wrong answer. Beyond
// the values of a layout its left inverse is free.
inline bool is_open(request const& r, answer const& one, answer const& other) {
  for (answer const* a : {&one, &other})
    if (a->what == status::unsupported || a->what == status::unspecified || a->reason.starts_with("not decided")) return true;
  return one && other && (r.op == "left_inverse" || std::any_of(r.args.begin(), r.args.end(), may_repeat_a_value));
}

}  // namespace colex
