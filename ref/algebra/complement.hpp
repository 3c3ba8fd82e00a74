// complement: what of 0 .. M-1 a layout leaves free, as an ordered layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coalesce.hpp"

namespace colex::ref {

// The leaves that move (extent > 1, stride != 0), by stride.
inline std::vector<layout> sorted_leaves(layout const& a) {
  std::vector<layout> m;
  for (layout const& leaf : leaves(a))
    if (leaf.extent > 1 && leaf.stride != point()) m.push_back(leaf);
  std::stable_sort(m.begin(), m.end(), [](layout const& x, layout const& y) { return x.stride.number < y.stride.number; });
  return m;
}

// One behind the last multiple of its stride that a leaf reaches: s*d.
inline integer end_of(layout const& leaf) { return leaf.extent * leaf.stride.number; }

// Each leaf begins behind the one before: no value repeats, and a complement exists.
inline bool nested(std::vector<layout> const& sorted) {
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i)
    if (sorted[i + 1].stride.number < end_of(sorted[i])) return false;
  return true;
}

// What nested leaves leave free: gap by gap floor(d / end of the leaf before), then up to M.
inline layout gaps(std::vector<layout> const& sorted, value const& m) {
  std::vector<layout> out;
  integer end = 1;
  for (layout const& leaf : sorted) {
    out.emplace_back(leaf.stride.number / end, end);
    end = end_of(leaf);
  }
  out.emplace_back(size(ceil_div(m, value(end))), end);
  return layout(std::move(out));
}

// A* below M, an integer or a shape.
inline layout complement(layout const& a, value const& m) {
  if (size(m) < 1) throw undefined("a cotarget below 1");
  need_natural_strides(a, "complement");
  std::vector<layout> const sorted = sorted_leaves(a);
  if (!nested(sorted)) throw undefined("the modes overlap");
  return coalesce(gaps(sorted, m));
}
inline layout complement(layout const& a) { return complement(a, value(cosize(filter(a)))); }

}  // namespace colex::ref
