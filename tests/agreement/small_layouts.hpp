// Every small layout as a list of leaves, and how it is written. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"
#include "tests/agreement/survey_options.hpp"

namespace colex {

// Strides 0 .. most; a leaf of extent 1 takes two of them, which no function on the domain can tell apart.
template <class F>
void each_layout(scope const& within, F f, oracle::leaf_list const& a = {}) {
  using oracle::number;
  if (!a.empty()) f(a);
  if (a.size() == within.rank) return;
  for (number s = 1; s <= within.size / oracle::size(a); ++s)
    for (number d = 0; d <= (s == 1 ? std::min<number>(within.stride, 5) : within.stride); d += s == 1 ? 5 : 1) {
      oracle::leaf_list longer = a;
      longer.emplace_back(s, d);
      each_layout(within, f, longer);
    }
}

inline value spell(oracle::leaf_list const& a) {
  std::vector<value> shape, stride;
  for (auto const& [s, d] : a) {
    shape.emplace_back(integer(s));
    stride.emplace_back(integer(d));
  }
  return a.size() == 1 ? layout_of(shape[0], stride[0]) : layout_of(tuple_of(shape), tuple_of(stride));
}

}  // namespace colex
