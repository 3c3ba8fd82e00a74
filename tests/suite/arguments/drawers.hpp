// What the kinds of arguments are drawn with: small numbers, layouts that nest, cuts of a layout's radix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/hypotheses.hpp"
#include "tests/suite/arguments/choices.hpp"
#include "tests/suite/arguments/classes.hpp"

#include <array>
#include <span>

namespace colex::drawing {

using number = std::int64_t;
struct leaf {
  number extent, stride;
  std::vector<int> basis{};  // of the stride; none where it is an integer
};
using leaf_vector = std::vector<leaf>;

inline number pick(choices& c, std::span<number const> of) { return of[c.below(of.size())]; }
inline number pick(choices& c, std::initializer_list<number> of) { return of.begin()[c.below(of.size())]; }
// One of these, or of 9 to 15.
inline number pick_or_middle(choices& c, std::initializer_list<number> of) {
  std::uint64_t const k = c.below(of.size() + 1);
  return k < of.size() ? of.begin()[k] : 9 + static_cast<number>(c.below(7));
}
inline bool one_in(choices& c, std::uint64_t n) { return c.below(n) == n - 1; }
// More leaves than a few; two such layouts side by side, or one with each leaf in two, have 32 at most.
inline constexpr std::size_t most_leaves = 16;
inline std::size_t many_leaves(choices& c) { return few_leaves + 1 + c.below(most_leaves - few_leaves); }
inline std::size_t few_or_many(choices& c, std::size_t few) { return one_in(c, 32) ? many_leaves(c) : 1 + c.below(few); }

// Of 4 bits to 31, half of them of small primes, so that they can be cut, half of any; or about what 16 or 32 bits hold.
inline number large_extent(choices& c) {
  if (one_in(c, 2)) return pick(c, {number{1} << 31, 65535, 46341, number{3} << 30});
  constexpr std::array<number, 10> smooth{17, 18, 20, 21, 24, 25, 27, 28, 30, 31};
  auto const any = static_cast<number>(9 + c.below(247)), lead = any < 128 ? any : smooth[static_cast<std::size_t>(any % 10)];
  return lead << c.below(lead < 32 ? 27 : 25);
}

// At most `rank` extents, now and then many, of together `most` elements, small ones first; the same, some large, of together
// `most_elements`; a list of numbers in a random hierarchy.
std::vector<number> small_extents(choices& c, std::size_t rank, number most = 256);
inline constexpr number most_elements = number{1} << 48;
std::vector<number> draw_extents(choices& c, std::size_t rank);
value nest(choices& c, std::vector<value> flat, int depth = 0);
// Leaves as a layout, nested at random; a layout's leaves, and their extents.
value spell(choices& c, leaf_vector const& a);
leaf_vector leaves_of(value const& layout);
std::vector<number> extents_of(value const& layout);
// Strides that nest: each leaf, in a random order, begins `gap` times behind the end of the one before.
leaf_vector nested_leaves(choices& c, std::vector<number> const& extents, std::vector<number> const& gaps, bool divide);
// The strides of the identity on coordinates over a shape.
value identity_over(value const& shape, std::vector<int> const& path = {});
// The radix in which A counts: its coalesced extents. A chain of cuts 1 | c1 | c2 ... through it, in prime steps, and `more`
// beyond.
std::vector<number> radix(value const& layout);
std::vector<number> cuts_of(choices& c, std::vector<number> const& radix, std::size_t more);

// Draws one argument; `partner` is the argument its kind names, or the tuple of those.
using drawer = value (*)(choices&, value const& partner);
// By the place of a kind among drawn_kinds.
drawer layout_drawer(std::size_t kind);
drawer tiling_drawer(std::size_t kind);
value draw_swizzle(choices& c);

}  // namespace colex::drawing
