// composition: the layout R compatible with B with R(c) == A(B(c)), or the knowledge that there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coalesce.hpp"

#include <functional>

namespace colex::ref {

using function = std::function<point(integer const&)>;

// The coalesced layout of f on 0 .. n-1, by its maximal linear runs, when there is one. (Unique: coalesce_canonical.)
inline std::optional<layout> layout_of_table(function const& f, integer n) {
  std::vector<layout> out;
  for (integer w = 1; n > 1;) {
    point const d = f(w);
    integer run = 1;
    while (run < n && f(w * run) == run * d) ++run;
    if (n % run != 0) return std::nullopt;
    out.emplace_back(run, d);
    w *= run;
    n /= run;
  }
  return unwrapped(std::move(out));
}

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

// How CuTe spells the stride of an extent-1 leaf 1:d of B: |d| divided by the extents of A, merged, with the sign of d.
inline point unit_stride(std::vector<layout> const& m, integer const& d) {
  integer steps = mp::abs(d);
  for (std::size_t i = 0; i + 1 < m.size() && steps > 1; ++i) steps = ceil_div(steps, m[i].extent);
  return (d < 0 ? -steps : steps) * m.back().stride;
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
    for (; i > 0; ++first) {
      bool const last = first + 1 == in_.size();
      sum.add(last ? i : integer(i % in_[first].extent), in_[first].stride);
      i = last ? integer(0) : integer(i / in_[first].extent);
    }
    return sum;
  }
};

// Replaces each leaf of B by f(leaf).
template <class F>
layout replace_leaves(layout const& b, F const& f) {
  if (b.is_leaf) return f(b);
  std::vector<layout> out;
  for (layout const& m : b.modes) out.push_back(replace_leaves(m, f));
  return layout(std::move(out));
}

[[noreturn]] inline void throw_no_layout() { throw undefined("no layout is A(B(c)) at every c"); }
inline layout or_undefined(std::optional<layout> r) {
  if (!r) throw_no_layout();
  return *std::move(r);
}

// Finds what the leaf s:d of B becomes in `in`, the part of A that the basis of d names.
using leaf_finder = std::function<std::optional<layout>(layout const& in, integer const& s, value const& d)>;

inline layout compose_leaves(layout const& a, layout const& b, leaf_finder const& find) {
  std::map<std::vector<int>, std::vector<layout>> merged;
  return replace_leaves(b, [&](layout const& leaf) -> layout {
    value const d = to_value(leaf.stride);
    layout const& in = mode_at(a, d.basis);
    if (leaf.extent == 1) {
      std::vector<layout>& m = merged[d.basis];
      if (m.empty()) m = merged_beyond(in);
      return {1, unit_stride(m, d.number)};
    }
    return or_undefined(find(in, leaf.extent, d));
  });
}

inline std::optional<layout> leaf_by_table(layout const& in, integer const& s, value const& d) {
  return layout_of_table([&](integer const& x) { return in(integer(x * d.number)); }, s);
}

inline layout composition_by_table(layout const& a, layout const& b) {
  layout const r = compose_leaves(a, b, leaf_by_table);
  for (integer i = 0; i < size(b); ++i)
    if (r(i) != a(b(i))) throw_no_layout();
  return r;
}

// Of B's elements as many as can be looked at in about a second, whatever the number of modes and bits. An index has no more
// digits than bits, but for those of extent 1.
inline integer tries_of(layout const& a, layout const& b) {
  constexpr std::uint64_t most_bits = std::uint64_t{1} << 34, bits_of_a_step = 2048;
  std::vector<layout> const all = leaves(a);
  auto const ones = std::count_if(all.begin(), all.end(), [](layout const& leaf) { return leaf.extent == 1; });
  std::size_t const bits = mp::msb(beyond(b)) + 1, digits = std::min(all.size(), bits + static_cast<std::size_t>(ones)),
                    steps = digits + 2 * leaves(b).size();
  return std::min<std::uint64_t>(table_limit, 1 + most_bits / (steps * (bits + bits_of_a_step)));
}

inline layout composition_by_digits(layout const& a, layout const& b) {
  std::map<std::vector<int>, digits> of_mode;
  integer const n = size(b), far = beyond(b), tries = tries_of(a, b);
  layout const r = compose_leaves(a, b, [&](layout const& in, integer const& s, value const& d) {
    std::optional<layout> found = of_mode.try_emplace(d.basis, in, far).first->second.leaf(s, d.number);
    if (!found && (s > tries || leaf_by_table(in, s, d)))
      throw undecided("carries that may cancel in " + s.str() + " elements");
    return found;
  });
  if (std::none_of(of_mode.begin(), of_mode.end(), [](auto const& m) { return m.second.carry(); })) return r;
  for (integer k = 0; k < tries; ++k)
    for (integer const& i : {k, integer(k * n / tries)})
      if (r(i) != a(b(i))) throw_no_layout();
  throw undecided("digits carry in a composition of more than " + std::to_string(table_limit) + " elements");
}

// A o B for a layout B: defined exactly when a layout R exists, compatible with B, with R(c) == A(B(c)) for every c.
inline layout composition(layout const& a, layout const& b) {
  for (layout const& leaf : leaves(b))
    if (leaf.extent > 1 && to_value(leaf.stride).number < 0) throw unspecified("composition with a layout of negative values");
  return size(b) <= tries_of(a, b) ? composition_by_table(a, b) : composition_by_digits(a, b);
}

}  // namespace colex::ref
