// upcast, downcast, recast_layout: the same memory in elements of another width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coalesce.hpp"
#include "ref/algebra/composition.hpp"

namespace colex::ref {

// How many steps of a leaf share one element n times as wide.
inline integer swallowed(layout const& leaf, integer const& n) {
  integer const& d = leaf.stride.number;
  if (leaf.extent == 1 || d % n == 0) return 1;
  if (n % d != 0) throw undefined("stride " + d.str() + " neither divides nor is divided by " + n.str());
  integer const k = std::min(leaf.extent, integer(n / d));
  if (leaf.extent % k != 0) throw undefined("extent " + leaf.extent.str() + " would be rounded up");
  return k;
}

// R(c div k) == floor(A(c) / n): A in elements n times as wide.
inline layout upcast(layout const& a, integer const& n) {
  if (n < 1) throw undefined("upcast by " + n.str());
  need_natural_strides(a, "upcast");
  integer inside = 0;
  layout const r = replace_leaves(a, [&](layout const& leaf) -> layout {
    integer const k = swallowed(leaf, n);
    inside += (k - 1) * leaf.stride.number;
    return {leaf.extent / k, ceil_div(leaf.stride.number, n)};
  });
  if (inside >= n) throw undefined("the modes inside one element overlap");
  return r;
}

// A in elements n times as narrow: its one leaf of stride 1 (of extent 1 only if none moves) grows by n, other strides too.
inline layout downcast(layout const& a, integer const& n) {
  if (n < 1) throw undefined("downcast by " + n.str());
  need_natural_strides(a, "downcast");
  auto contiguous = [](layout const& leaf) { return leaf.stride == point(1); };
  auto moving = [&](layout const& leaf) { return contiguous(leaf) && leaf.extent > 1; };
  std::vector<layout> const all = leaves(a);
  auto const movers = std::count_if(all.begin(), all.end(), moving);
  if (n == 1) return a;
  if (movers > 1 || std::none_of(all.begin(), all.end(), contiguous)) throw undefined("downcast needs one leaf of stride 1");
  bool grown = false;
  return replace_leaves(a, [&](layout const& leaf) -> layout {
    if (grown || !(movers == 1 ? moving(leaf) : contiguous(leaf))) return {leaf.extent, n * leaf.stride};
    grown = true;
    return {leaf.extent * n, 1};
  });
}

// The ratio of two widths in bits, up and down: to / from in lowest terms.
struct width_ratio {
  integer up, down;
  width_ratio(integer const& from, integer const& to) {
    if (from < 1 || to < 1) throw undefined("an element of no bits");
    integer const g = mp::gcd(from, to);
    up = to / g;
    down = from / g;
  }
};
template <class T>
T recast(T const& a, width_ratio const& r) {
  return downcast(upcast(a, r.up), r.down);
}

}  // namespace colex::ref
