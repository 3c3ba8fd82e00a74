// Between layouts and linear maps over F2: to_f2 and from_f2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/composed.hpp"
#include "ref/algebra/f2.hpp"

namespace colex::ref {

// The bits that hold all values.
inline std::size_t least_width(std::vector<integer> const& bases) {
  integer all = 0;
  for (integer const& b : bases) all |= b;
  return bit_width(all);
}
// With values of n bits, or of as few as there are.
inline f2_map map_of_bases(value const& shape, std::vector<integer> bases, std::optional<std::size_t> const& n) {
  std::size_t const least = bounded(least_width(bases));
  if (n && *n < least) throw undefined("values of " + std::to_string(least) + " bits do not fit " + std::to_string(*n));
  return {n.value_or(least), shape, std::move(bases)};
}

// A sum of numbers is their exclusive or, whichever of them are taken, exactly when no two have a bit in common.
inline bool disjoint(std::vector<integer> const& numbers) {
  integer seen = 0;
  for (integer const& b : numbers) {
    if ((seen & b) != 0) return false;
    seen |= b;
  }
  return true;
}

// What a layout adds for each bit of an index.
inline std::vector<integer> summands(layout const& a) {
  std::vector<integer> out;
  for (layout const& leaf : leaves(a)) {
    std::size_t const end = bounded(out.size() + static_cast<std::size_t>(exact_log2(leaf.extent)));
    if (out.size() < end && (!leaf.stride.is_integer() || leaf.stride.number < 0))
      throw undefined("stride " + print(leaf.stride) + ": values are natural numbers");
    for (integer d = leaf.stride.number; out.size() < end; d *= 2) out.push_back(d);
  }
  return out;
}

// The map with A's values at A's coordinates.
inline f2_map to_f2(composed const& a, std::optional<std::size_t> const& n) {
  std::vector<integer> bases = summands(a.inner);
  if (integer_offset(a) != 0) throw undefined("a linear map has 0 at 0, not an offset");
  if (!disjoint(bases)) throw undefined("steps that have a bit in common: they carry");
  if (a.outer)
    for (integer& b : bases) b = (*a.outer)(b);
  return map_of_bases(shape(a.inner), std::move(bases), n);
}
inline f2_map to_f2(swizzle const& w, std::size_t n) {
  std::vector<integer> bases;
  for (std::size_t k = 0; k < n; ++k) bases.push_back(w(unit(k)));
  return map_of_bases(value(unit(n)), std::move(bases), n);
}

// One mode of a layout: each run of doubled bases is a leaf.
inline layout mode_of_bases(std::vector<integer>::const_iterator& next, integer n) {
  std::vector<layout> runs;
  for (; n > 1; n /= 2, ++next)
    if (!runs.empty() && runs.back().extent * runs.back().stride.number == *next)
      runs.back().extent *= 2;
    else
      runs.emplace_back(2, point(*next));
  return runs.empty() ? layout(1, 0) : unwrapped(std::move(runs));
}
inline layout layout_of_bases(value const& shape, std::vector<integer>::const_iterator& next) {
  if (!shape.is(kind::tuple)) return mode_of_bases(next, shape.number);
  std::vector<layout> modes;
  for (value const& s : shape.items) modes.push_back(layout_of_bases(s, next));
  return layout(std::move(modes));
}
inline layout layout_of_bases(value const& shape, std::vector<integer> const& bases) {
  auto next = bases.begin();
  return layout_of_bases(shape, next);
}

// The bits that two bases have in common. A swizzle has to clear them, and can clear no others.
inline integer shared_bits(std::vector<integer> const& bases) {
  integer seen = 0, shared = 0;
  for (integer const& b : bases) shared |= seen & b, seen |= b;
  return shared;
}

// A, or Sw o 0 o A with as few bits as can be, then S > 0 before S < 0, then the least |S|. Sw is its own inverse, so that
// A has the values Sw(F(i)).
inline composed from_f2(f2_map const& f) {
  integer const shared = shared_bits(f.bases);
  if (shared == 0) return {std::nullopt, {}, layout_of_bases(f.shape, f.bases)};
  int const low = static_cast<int>(mp::lsb(shared)), b = static_cast<int>(bit_width(shared)) - low;
  int const width = static_cast<int>(f.width);
  for (int const sign : {1, -1})
    for (int s = b; s <= (sign > 0 ? width : low); ++s) {
      swizzle const w{b, sign > 0 ? low : low - s, sign * s};
      std::vector<integer> bases = f.bases;
      for (integer& x : bases) x = w(x);
      if (disjoint(bases)) return {w, 0, layout_of_bases(f.shape, bases)};
    }
  throw undefined("no layout is this map, and none behind a swizzle: bases have bits " + shared.str() + " in common");
}
inline value layout_of_map(f2_map const& f) {
  composed const c = from_f2(f);
  return c.outer ? to_value(c) : to_value(c.inner);
}
// That layout where there is one, else the map.
inline value spelled(f2_map const& f) {
  try {
    return layout_of_map(f);
  } catch (undefined const&) {
    return to_value(f);
  }
}

}  // namespace colex::ref
