// right_inverse, left_inverse, nullspace and what two layouts have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/complement.hpp"
#include "ref/interpolate.hpp"

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
  std::stable_sort(m.begin(), m.end(), [](auto const& x, auto const& y) { return x.leaf.stride.number < y.leaf.stride.number; });
  return m;
}

// Whole leaves of A, while each begins where the ones before end: CuTe's right inverse.
inline layout contiguous_inverse(layout const& a) {
  std::vector<layout> out;
  integer n = 1;
  for (weighted_leaf const& m : weighted_sorted(a)) {
    if (m.leaf.stride != point(n)) continue;
    out.emplace_back(m.leaf.extent, m.weight);
    n *= m.leaf.extent;
  }
  return coalesce(layout(std::move(out)));
}

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

// Depth-first search for the largest R with A(R(i)) == i, where leaves overlap: R grows by one mode n:r at a time.
class widest_inverse {
 public:
  widest_inverse(layout const& a, layout const& indices) : a_(a), size_(size(a)) {
    for (integer i = 1; i < size(indices); ++i) steps_.emplace(a(indices(i)).number, indices(i).number);
  }
  layout find(layout const& at_least) {
    best_ = at_least;
    grow({0}, {});
    return coalesce(best_);
  }

 private:
  layout const a_;
  integer size_;
  std::multimap<integer, integer> steps_;  // from a value to the indices that have it
  layout best_;

  bool has(integer const& index, integer const& v) const { return index < size_ && a_(index) == point(v); }
  // How often `table` can be repeated r apart with the right values.
  integer repeats(std::vector<integer> const& table, integer const& r) const {
    for (integer x = 1;; ++x)
      for (std::size_t t = 0; t < table.size(); ++t)
        if (!has(table[t] + x * r, t + x * table.size())) return x;
  }
  void grow(std::vector<integer> const& table, std::vector<layout> const& r) {
    if (table.size() > size(best_)) best_ = layout(r);
    auto const [from, to] = steps_.equal_range(integer(table.size()));
    for (auto step = from; step != to; ++step)
      for (integer n = repeats(table, step->second); n > 1; --n) {
        std::vector<integer> longer = table;
        while (longer.size() < n * table.size()) longer.push_back(longer[longer.size() - table.size()] + step->second);
        std::vector<layout> more = r;
        more.emplace_back(n, step->second);
        grow(longer, more);
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
  if (size(layout(indices)) > inverse_limit) throw undefined("not decided: more than " + std::to_string(inverse_limit) + " elements in modes that overlap");
  return widest_inverse(a, layout(indices)).find(r);
}

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
  if (step != point()) out.emplace_back(weighted_sorted(a).back().leaf.extent, step);
  return coalesce(layout(std::move(out)));
}

// A(L(A(i))) == A(i) for i < size(A); where A repeats no value, this is L(A(i)) == i but for broadcast coordinates.
inline bool quasi_inverts(layout const& l, layout const& a) {
  for (integer i = 0; i < size(a); ++i) {
    integer const back = l(a(i)).number;
    if (back < 0 || a(back) != a(i)) return false;
  }
  return true;
}

// The values of A with their indices (broadcast coordinates 0), unless a value comes twice.
inline std::optional<interpolation::points> values_with_indices(layout const& a) {
  std::map<integer, integer> index;
  for (integer i = 0; i < size(a); ++i) {
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
  auto const wanted = size(a) <= table_limit ? values_with_indices(a) : std::nullopt;
  if (!wanted && dividing && size(a) <= table_limit && quasi_inverts(*dividing, a)) return *dividing;
  if (!wanted || cosize(a) > inverse_limit) throw undefined("not decided: overlapping modes, or strides that do not divide one another and a cosize over " + std::to_string(inverse_limit));
  if (auto const l = interpolation(*wanted).find()) return *l;
  throw undefined("no layout takes every value of A back to its index");
}

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
  if (n == table_limit && n < size(r)) throw undefined("not decided: more than " + std::to_string(table_limit) + " elements in common");
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
  if (!by_a && !by_b) throw undefined("not decided: both layouts overlap");
  layout const x = by_a ? common_with(a, b) : layout(), y = by_b ? common_with(b, a) : layout();
  return size(x) < size(y) ? y : x;
}

// The longest run of elements to which every copy of A is aligned.
inline integer max_alignment(layout const& a) {
  need_natural_strides(a, "max_alignment");
  layout const r = contiguous_inverse(a);
  integer n = size(r), end = 1;
  for (weighted_leaf const& m : weighted_sorted(a))
    if (m.leaf.stride == point(end)) end *= m.leaf.extent;
    else n = mp::gcd(n, m.leaf.stride.number);
  return n;
}

}  // namespace colex::ref
