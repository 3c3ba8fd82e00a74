// composition: the layout R compatible with B with R(c) == A(B(c)), or the knowledge that there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/digits.hpp"

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

// How CuTe spells the stride of an extent-1 leaf 1:d of B: |d| divided by the extents of A, merged, with the sign of d.
inline point unit_stride(std::vector<layout> const& m, integer const& d) {
  integer steps = mp::abs(d);
  for (std::size_t i = 0; i + 1 < m.size() && steps > 1; ++i) steps = ceil_div(steps, m[i].extent);
  return (d < 0 ? -steps : steps) * m.back().stride;
}

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
  for (integer i = 0, n = size(b); i < n; ++i)
    if (r(i) != a(b(i))) throw_no_layout();
  return r;
}

// Of B's elements as many as can be looked at in about a second, whatever the number of modes and bits. An index has no more
// digits than bits, but for those of extent 1.
inline integer tries_of(layout const& a, layout const& b) {
  constexpr std::uint64_t most_bits = std::uint64_t{1} << 34, bits_of_a_step = 2048;
  std::vector<layout> const all = leaves(a);
  auto const ones = std::count_if(all.begin(), all.end(), [](layout const& leaf) { return leaf.extent == 1; });
  std::size_t const bits = bit_width(beyond(b)), digits = std::min(all.size(), bits + static_cast<std::size_t>(ones)),
                    steps = std::max<std::size_t>(1, digits + 2 * leaves(b).size());
  return std::min<std::uint64_t>(table_limit, 1 + most_bits / (steps * (bits + bits_of_a_step)));
}

inline layout composition_by_digits(layout const& a, layout const& b, integer const& tries) {
  std::map<std::vector<int>, digits> of_mode;
  integer const n = size(b), far = beyond(b);
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
  integer const tries = tries_of(a, b);
  return size(b) <= tries ? composition_by_table(a, b) : composition_by_digits(a, b, tries);
}

}  // namespace colex::ref
