// right_inverse and nullspace: from the values of a layout back to its indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/complement.hpp"

#include <map>
#include <set>

namespace colex::ref {

// The leaves with the colexicographic weight of each: the index of its step.
struct weighted_leaf {
  layout leaf;
  integer weight;
};
inline std::vector<weighted_leaf> weighted_leaves(layout const& a) {
  std::vector<weighted_leaf> out;
  integer w = 1;
  for (layout const& m : leaves(a)) {
    out.push_back({m, w});
    w *= m.extent;
  }
  return out;
}
// Those that move, by stride.
inline std::vector<weighted_leaf> weighted_sorted(layout const& a) {
  std::vector<weighted_leaf> m = weighted_leaves(a);
  std::erase_if(m, [](weighted_leaf const& x) { return x.leaf.extent == 1 || x.leaf.stride == point(); });
  std::stable_sort(m.begin(), m.end(),
                   [](auto const& x, auto const& y) { return x.leaf.stride.number < y.leaf.stride.number; });
  return m;
}

// Whole leaves of A, while each begins where the ones before end, each with its weight as stride.
inline layout contiguous_leaves(layout const& a) {
  std::vector<layout> out;
  integer n = 1;
  for (weighted_leaf const& m : weighted_sorted(a)) {
    if (m.leaf.stride != point(n)) continue;
    out.emplace_back(m.leaf.extent, m.weight);
    n *= m.leaf.extent;
  }
  return layout(std::move(out));
}
// CuTe's right inverse.
inline layout contiguous_inverse(layout const& a) { return coalesce(contiguous_leaves(a)); }

// The leaves that can take part in the values 0, 1, 2, ... before the first gap, by stride; all, where strides are negative.
inline std::vector<weighted_leaf> leaves_before_gap(layout const& a) {
  std::vector<weighted_leaf> m = weighted_sorted(a);
  if (!m.empty() && m[0].leaf.stride.number < 0) return m;
  integer reach = 1;
  for (std::size_t k = 0; k < m.size(); ++k) {
    if (m[k].leaf.stride.number > reach) return {m.begin(), m.begin() + static_cast<std::ptrdiff_t>(k)};
    reach += (m[k].leaf.extent - 1) * m[k].leaf.stride.number;
  }
  return m;
}
// No value before the first gap comes twice.
inline bool single_valued(layout const& a) {
  std::vector<layout> out;
  for (weighted_leaf const& m : leaves_before_gap(a)) out.push_back(m.leaf);
  return nested(out) && (out.empty() || out[0].stride.number > 0);
}

// The indices that A takes to 0, by its broadcast leaves.
inline layout nullspace(layout const& a) {
  std::vector<layout> out;
  for (weighted_leaf const& m : weighted_leaves(a))
    if (m.leaf.extent > 1 && m.leaf.stride == point()) out.emplace_back(m.leaf.extent, m.weight);
  return unwrapped(std::move(out));
}

// Depth-first search for the largest R with A(R(i)) == i, where leaves overlap: R grows by one mode n:r at a time, the least r
// first, then the largest n.
class widest_inverse {
 public:
  widest_inverse(layout const& a, layout const& indices) : a_(a), size_(size(a)) {
    for (integer i = 1; i < size(indices); ++i) steps_[a(indices(i)).number].insert(indices(i).number);
  }
  layout find(layout const& at_least) {
    best_ = at_least;
    grow({0}, {});
    return coalesce(best_);
  }

 private:
  layout const a_;
  integer size_;
  std::map<integer, std::set<integer>> steps_;  // from a value to the indices that have it
  layout best_;

  bool has(integer const& index, integer const& v) const { return index < size_ && a_(index) == point(v); }
  // Has `table`, repeated for the x-th time r apart, the right values?
  bool repeats(std::vector<integer> const& table, integer const& r, integer const& x) const {
    for (std::size_t t = 0; t < table.size(); ++t)
      if (!has(table[t] + x * r, t + x * table.size())) return false;
    return true;
  }
  void grow(std::vector<integer> const& table, std::vector<layout> const& r) {
    if (table.size() > size(best_)) best_ = layout(r);
    for (integer const& step : steps_[table.size()]) {
      integer n = 1;
      while (repeats(table, step, n)) ++n;
      for (; n > 1; --n) {
        std::vector<integer> longer = table;
        while (longer.size() < n * table.size()) longer.push_back(longer[longer.size() - table.size()] + step);
        std::vector<layout> more = r;
        more.emplace_back(n, step);
        grow(longer, more);
      }
    }
  }
};

// The largest R, R(i) < size(A), with A(R(i)) == i for i < size(R).
inline layout right_inverse(layout const& a) {
  need_integer_strides(a, "right_inverse");
  layout const r = contiguous_inverse(a);
  if (single_valued(a)) return r;
  std::vector<layout> indices = modes(nullspace(a));  // a broadcast coordinate changes no value, but where the next step lands
  for (weighted_leaf const& m : leaves_before_gap(a)) indices.emplace_back(m.leaf.extent, m.weight);
  if (size(layout(indices)) > inverse_limit)
    throw undecided("more than " + std::to_string(inverse_limit) + " elements in modes that overlap");
  return widest_inverse(a, layout(indices)).find(r);
}

}  // namespace colex::ref
