// left_inverse: a layout that takes each value of A back to its index.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/interpolate.hpp"
#include "ref/algebra/inverse.hpp"

namespace colex::ref {

// Gaps get stride 0, each leaf its weight: CuTe's left inverse, where each sorted stride divides the next.
inline std::optional<layout> dividing_inverse(layout const& a) {
  std::vector<layout> out;
  point step;
  integer end = 1;
  for (weighted_leaf const& m : weighted_sorted(a)) {
    integer const d = m.leaf.stride.number;
    if (d % end != 0) return std::nullopt;
    out.emplace_back(d / end, step);
    step = m.weight;
    end = d;
  }
  out.emplace_back(weighted_sorted(a).back().leaf.extent, step);
  return coalesce(layout(std::move(out)));
}

// A(L(A(i))) == A(i) for i < size(A); where A repeats no value, this is L(A(i)) == i but for broadcast coordinates.
inline bool quasi_inverts(layout const& l, layout const& a) {
  for (integer i = 0, n = size(a); i < n; ++i)
    if (a(l(a(i))) != a(i)) return false;
  return true;
}

// The values of A with their indices (broadcast coordinates 0), unless a value comes twice.
inline std::optional<interpolation::points> values_with_indices(layout const& a) {
  std::map<integer, integer> index;
  for (integer i = 0, n = size(a); i < n; ++i) {
    integer j = 0;
    for (weighted_leaf const& m : weighted_leaves(a))
      if (m.leaf.stride != point()) j += i / m.weight % m.leaf.extent * m.weight;
    if (!index.try_emplace(a(i).number, j).second && index[a(i).number] != j) return std::nullopt;
  }
  return interpolation::points(index.begin(), index.end());
}

// L(A(c)) == the index of c with broadcast coordinates 0, where A repeats no value otherwise; A(L(A(i))) == A(i) always.
inline layout left_inverse(layout const& a) {
  need_natural_strides(a, "left_inverse");
  std::vector<layout> const sorted = sorted_leaves(a);
  if (sorted.empty()) return {size(a), 0};
  std::optional<layout> const dividing = dividing_inverse(a);
  if (dividing && nested(sorted)) return *dividing;
  bool const small = size(a) <= table_limit;
  auto const wanted = small ? values_with_indices(a) : std::nullopt;
  if (!wanted && small)
    for (layout const& spelled : {a, coalesce(a)})
      if (auto const l = dividing_inverse(spelled); l && quasi_inverts(*l, a)) return *l;
  std::string const modes = dividing ? "overlapping modes" : "strides that do not divide one another";
  if (!small) throw undecided(modes + ", and a size over " + std::to_string(table_limit));
  if (!wanted) throw undecided("overlapping modes: a value comes twice");
  if (cosize(a) > inverse_limit) throw undecided(modes + ", and a cosize over " + std::to_string(inverse_limit));
  if (auto const l = interpolation(*wanted).find()) return *l;
  throw undefined("no layout takes every value of A back to its index");
}

}  // namespace colex::ref
