// max_common_layout and max_alignment: what layouts have contiguous.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/inverse.hpp"

namespace colex::ref {

// The first n elements of a layout, or as many as a layout can be.
inline layout first_elements(layout const& r, integer n) {
  std::vector<layout> out;
  for (layout const& m : leaves(r)) {
    integer const here = std::min(m.extent, n);
    out.emplace_back(here, m.stride);
    n /= m.extent;
    if (n == 0) break;
  }
  return coalesce(layout(std::move(out)));
}

// As much of A's contiguous inverse as inverts B too. The values of A before its first gap come once each.
inline layout common_with(layout const& a, layout const& b) {
  layout const r = contiguous_inverse(a);
  integer n = 0;
  while (n < size(r) && n < table_limit && r(n).number < size(b) && b(r(n)) == point(n)) ++n;
  if (n == table_limit && n < size(r)) throw undecided("more than " + std::to_string(table_limit) + " elements in common");
  return first_elements(r, n);
}
// Two inverses that nothing else can be begin alike until a leaf differs, and part there.
inline layout common_beginning(layout const& r, layout const& s) {
  std::vector<layout> const x = leaves(r), y = leaves(s);
  std::vector<layout> out;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()) && x[i].stride == y[i].stride; ++i) {
    out.emplace_back(std::min(x[i].extent, y[i].extent), x[i].stride);
    if (x[i].extent != y[i].extent) break;
  }
  return coalesce(layout(std::move(out)));
}
inline bool broadcasts(layout const& a) { return size(nullspace(a)) > 1; }

// The largest R, R(i) < size(A) and size(B), with A(R(i)) == i == B(R(i)), where A or B does not overlap.
inline layout max_common_layout(layout const& a, layout const& b) {
  need_integer_strides(a, "max_common_layout");
  need_integer_strides(b, "max_common_layout");
  bool const by_a = single_valued(a), by_b = single_valued(b);
  if (by_a && by_b && !broadcasts(a) && !broadcasts(b)) return common_beginning(contiguous_inverse(a), contiguous_inverse(b));
  if (!by_a && !by_b) throw undecided("both layouts overlap");
  layout const x = by_a ? common_with(a, b) : layout(), y = by_b ? common_with(b, a) : layout();
  return size(x) < size(y) ? y : x;
}

// The longest run of elements to which every copy of A is aligned.
inline integer max_alignment(layout const& a) {
  need_natural_strides(a, "max_alignment");
  layout const r = contiguous_inverse(a);
  integer n = size(r), end = 1;
  for (weighted_leaf const& m : weighted_sorted(a))
    if (m.leaf.stride == point(end))
      end *= m.leaf.extent;
    else
      n = mp::gcd(n, m.leaf.stride.number);
  return n;
}

}  // namespace colex::ref
