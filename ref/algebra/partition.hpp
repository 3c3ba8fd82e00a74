// Tiles of a tensor and a thread's share of one: zipped_divide, sliced in its rest or in its tile. A tensor is its layout
// behind an offset and possibly a swizzle (local_tile and local_partition articles).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/composed.hpp"
#include "ref/algebra/make.hpp"

namespace colex::ref {

// n times `_`; once it is `_` itself, which keeps a mode whole.
inline value all_of(std::size_t n) { return n == 1 ? word_of("_") : tuple_of(std::vector<value>(n, word_of("_"))); }

// A coordinate for n modes: a tuple that is too short keeps the rest, an integer counts through them all.
inline value for_modes(value c, std::size_t n) {
  if (!c.is(kind::tuple)) return c;
  if (c.items.size() > n) throw undefined("coordinate " + print(c) + " for " + std::to_string(n) + " modes");
  c.items.resize(n, word_of("_"));
  return c;
}

// One tile: the rest sliced at c, the tile whole.
inline composed inner_partition(composed const& a, value const& tiler, value const& c) {
  layout const z = zipped_divide(a.inner, tiler);
  return slice(tuple_of({all_of(rank(z.modes[0])), for_modes(c, rank(z.modes[1]))}),
               around(a, [&](layout const&) { return z; }));
}
// One element of every tile: the tile sliced at c, the rest whole.
inline composed outer_partition(composed const& a, value const& tiler, value const& c) {
  layout const z = zipped_divide(a.inner, tiler);
  return slice(tuple_of({for_modes(c, rank(z.modes[0])), all_of(rank(z.modes[1]))}),
               around(a, [&](layout const&) { return z; }));
}

// The items of a tuple or tiler that a projection has no X for.
inline value projected(value const& proj, value const& of) {
  if (!of.is(kind::tiler) && !of.is(kind::tuple)) throw undefined("the projection of " + print(of) + " by mode");
  if (!proj.is(kind::tuple) || proj.items.size() != of.items.size())
    throw undefined("projection " + print(proj) + " does not fit " + print(of));
  value out{of.what, {}};
  for (std::size_t i = 0; i < of.items.size(); ++i)
    if (!is_wild(proj.items[i])) out.items.push_back(of.items[i]);
  return out;
}
inline composed local_tile(composed const& a, value const& tiler, value const& c) { return inner_partition(a, tiler, c); }
inline composed local_tile(composed const& a, value const& tiler, value const& c, value const& proj) {
  value const of_tile = projected(proj, c);  // first, so that of two complaints it is always the same one
  return inner_partition(a, projected(proj, tiler), of_tile);
}

// The elements of thread i, threads laid out over a tile as `threads` says.
inline composed local_partition(composed const& a, layout const& threads, integer const& i) {
  value const extents = product_each(shape(threads));
  value const tile{kind::tiler, extents.is(kind::tuple) ? extents.items : std::vector<value>{extents}};
  return outer_partition(a, tile, get_flat_coord(threads, value(natural(i, "thread"))));
}
inline composed local_partition(composed const& a, layout const& threads, integer const& i, value const& proj) {
  return local_partition(a, dice(proj, threads), i);
}

// Does a coordinate lie inside a shape, mode by mode? Predicates a tile that runs past the end. (CuTe elem_less)
inline bool elem_less(value const& c, value const& s) {
  if (!c.is(kind::tuple)) return c.number < size(s);
  for (std::size_t i = 0; i < c.items.size(); ++i)
    if (!elem_less(c.items[i], s.items[i])) return false;
  return true;
}

}  // namespace colex::ref
