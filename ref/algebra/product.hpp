// logical_product and its regroupings: copies of a layout arranged by another.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/divide.hpp"
#include "ref/algebra/edit.hpp"

namespace colex::ref {

// The complement of A below size(A)*cosize(B); if B has more values than that has elements, further, so that none repeats.
inline layout room_for(layout const& a, layout const& b) {
  layout const free = complement(a, value(size(a) * cosize(b)));
  if (cosize(b) <= size(free)) return free;  // so it is where no leaf of A moves
  return complement(a, value(end_of(sorted_leaves(a).back()) * cosize(b)));
}

// (A, A* o B); a tiler <...> goes mode by mode, modes beyond it stay.
inline layout logical_product(layout const& a, layout const& b) {
  need_natural_strides(b, "logical_product");
  return layout({a, composition(room_for(a, b), b)});
}
inline layout logical_product(layout const& a, value const& tiler) {
  if (auto const b = as_tile(tiler)) return logical_product(a, *b);
  return layout(by_mode(a, tiler, true, logical_product));
}

inline layout zipped_product(layout const& a, value const& tiler) { return unzip_tiles(logical_product(a, tiler), tiler); }
inline layout tiled_product(layout const& a, value const& tiler) { return unpack_from(zipped_product(a, tiler), 1); }
inline layout flat_product(layout const& a, value const& tiler) { return unpack_from(zipped_product(a, tiler), 0); }

// The product of A and B of equal rank, as the two lists of modes.
inline std::pair<layout, layout> product_by_rank(layout const& a, layout const& b) {
  std::size_t const r = std::max(rank(a), rank(b));
  layout const p = logical_product(append(a, r), append(b, r));
  if (r == 1 && (a.is_leaf || b.is_leaf)) return {layout(std::vector{p.modes[0]}), layout(std::vector{p.modes[1]})};
  return {layout(modes(p.modes[0])), layout(modes(p.modes[1]))};
}
// Mode i pairs mode i of A with mode i of B: blocks of A side by side.
inline layout blocked_product(layout const& a, layout const& b) {
  auto const [block, tile] = product_by_rank(a, b);
  return zip(block, tile);
}
// Mode i pairs mode i of B with mode i of A: A raked over B.
inline layout raked_product(layout const& a, layout const& b) {
  auto const [block, tile] = product_by_rank(a, b);
  return zip(tile, block);
}

}  // namespace colex::ref
