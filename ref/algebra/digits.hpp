// Composition by the digits of an index: where no carry reaches, a layout is additive (laws.md, composition, "The digit test").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coalesce.hpp"

namespace colex::ref {

// A with its modes merged, but the same function beyond its size: the last leaf keeps its stride.
inline std::vector<layout> merged_beyond(layout const& a) {
  std::vector<layout> all = leaves(a);
  if (all.empty()) return {layout()};
  integer const last = all.back().extent;
  all.back().extent = 2;  // of extent 1 or not, the last leaf goes on
  std::vector<layout> out = modes(coalesce(layout(all)));
  out.back().extent = out.back().extent / 2 * last;
  return out;
}

// Beyond all values of B, and as large as its size.
inline integer beyond(layout const& b) {
  integer n = size(b);
  for (layout const& leaf : leaves(b)) n += leaf.extent * mp::abs(to_value(leaf.stride).number);
  return n;
}

// Where a digit of A ends: the products of its extents, but for the last, which never ends. Each divides the next. Those that
// come to `far` are not reached, but for the first.
inline std::vector<integer> cuts(std::vector<layout> const& merged, integer const& far) {
  std::vector<integer> out;
  for (std::size_t j = 0; j + 1 < merged.size() && (out.empty() || out.back() < far); ++j)
    out.push_back((out.empty() ? integer(1) : out.back()) * merged[j].extent);
  return out;
}

// B too large to tabulate, or A too long. Each leaf s:d is split into runs m:d that carry at no cut of A; then all runs
// together must not carry either. Sound always; a layout that exists only because carries cancel is not found (laws.md,
// composition).
class digits {
 public:
  digits(layout const& in, integer const& far)
      : in_(merged_beyond(in)), cuts_(cuts(in_, far)), reach_(cuts_.size()), reach_on_(cuts_.size()) {}

  std::optional<layout> leaf(integer s, integer d) {
    std::vector<layout> out;
    for (std::size_t first = 0; s > 1;) {
      while (first < cuts_.size() && d % cuts_[first] == 0) ++first;  // and so it stays: d only grows by factors
      std::size_t const above = first_above(first, d);
      integer run = s;
      for (std::size_t j = first; j < std::min(above + 1, cuts_.size()); ++j)
        run = std::min(run, ceil_div(cuts_[j], d % cuts_[j]));
      if (s % run != 0) return std::nullopt;
      add_reach(first, above, run - 1, d);
      out.emplace_back(run, value_at(d, first));
      s /= run;
      d *= run;
    }
    return coalesce(layout(std::move(out)));
  }
  bool carry() const {
    integer on = 0;
    for (std::size_t j = 0; j < cuts_.size(); ++j)
      if ((on += reach_on_[j]) + reach_[j] >= cuts_[j]) return true;
    return false;
  }

 private:
  static constexpr std::size_t most_bits = std::size_t{1} << 28;  // of remainders taken
  std::vector<layout> in_;
  std::vector<integer> cuts_, reach_, reach_on_;  // what is reached at one cut, and at that and all behind it
  std::size_t bits_ = 0;

  // From here on d is its own remainder.
  std::size_t first_above(std::size_t j, integer const& d) {
    for (; j < cuts_.size() && cuts_[j] <= d; ++j)
      if ((bits_ += mp::msb(d)) > most_bits) throw undecided("too many digits of too large a stride");
    return j;
  }
  void add_reach(std::size_t first, std::size_t above, integer const& steps, integer const& d) {
    for (std::size_t j = first; j < above; ++j) reach_[j] += steps * (d % cuts_[j]);
    if (above < cuts_.size()) reach_on_[above] += steps * d;
  }
  // A(d), where the digits before the first are 0.
  point value_at(integer const& d, std::size_t first) const {
    point sum;
    integer i = first == 0 ? d : integer(d / cuts_[first - 1]);
    for (; i && first + 1 < in_.size(); ++first) {
      sum.add(integer(i % in_[first].extent), in_[first].stride);
      i /= in_[first].extent;
    }
    sum.add(i, in_[first].stride);
    return sum;
  }
};

}  // namespace colex::ref
