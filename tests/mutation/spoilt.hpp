// What a program says that is wrong, and of which requests one is wrong that takes small extents alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/meaning.hpp"

namespace colex {

// Another value of the same kind.
inline value spoilt(value v) {
  if (v.is(kind::number))
    v.number += 1;
  else if (v.is(kind::word))
    v.word = v.word == "true" ? "false" : "true";
  else if (v.is(kind::swizzle))
    v.items[1].number += 1;
  else if (!v.items.empty())
    v.items.back() = spoilt(v.items.back());
  return v;
}
inline answer spoilt(answer a) {
  if (a) a.result = spoilt(a.result);
  return a;
}

// Has it extents beyond 300: of layouts, of tiles, and of shapes where nothing else stands for a tuple of numbers?
inline bool has_large(value const& v) {
  if (v.is(kind::layout)) return has_large(v.shape());
  if (v.is(kind::f2)) return f2_bases(v).size() > 8;
  return (v.is(kind::number) && v.basis.empty() && v.number > 300) || std::any_of(v.items.begin(), v.items.end(), has_large);
}

}  // namespace colex
