// logical_divide and its regroupings: a layout in tiles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/complement.hpp"
#include "ref/algebra/tiler.hpp"

namespace colex::ref {

// (B, B*), B* the complement of B in A: a tile and where it repeats.
inline layout tile_and_rest(layout const& a, layout const& b) { return layout({b, complement(b, value(size(a)))}); }
inline layout divide_exactly(layout const& a, layout const& b) { return composition(a, tile_and_rest(a, b)); }

// A with the one mode that tiles ending at `end` cut without dividing it rounded up to whole tiles; nothing if several
// modes would have to be.
inline std::optional<layout> rounded_up(layout const& a, integer end) {
  std::vector<layout> m = merged_beyond(a);
  for (layout& leaf : m) {
    if (end < leaf.extent) {
      leaf.extent = ceil_div(leaf.extent, end) * end;
      return layout(m);
    }
    if (end % leaf.extent != 0) return std::nullopt;
    end /= leaf.extent;
  }
  return layout(m);
}

// For a B that does not divide A.
inline std::optional<layout> rounded_up(layout const& a, layout const& b) {
  std::vector<layout> const sorted = sorted_leaves(b);
  return !sorted.empty() && nested(sorted) ? rounded_up(a, end_of(sorted.back())) : std::nullopt;
}

// A o (B, B*); where B does not divide A, A with one mode rounded up: its last tile runs past the end.
inline layout logical_divide(layout const& a, layout const& b) {
  need_natural_strides(b, "logical_divide");
  try {
    return divide_exactly(a, b);
  } catch (undefined const&) {
    auto const padded = rounded_up(a, b);
    if (!padded) throw;
    return divide_exactly(*padded, b);
  }
}
// As in composition, but a tile of one element is 1:0.
inline std::optional<layout> as_tile(value const& tiler) {
  return tiler == value(1) ? std::optional(layout()) : as_layout(tiler);
}
// A tiler <...> goes mode by mode, modes beyond it stay.
inline layout logical_divide(layout const& a, value const& tiler) {
  if (auto const b = as_tile(tiler)) return logical_divide(a, *b);
  return layout(by_mode(a, tiler, true, logical_divide));
}

// (tile, rest) of each mode that a tiler reached, regrouped into ((tiles), (rests, modes it did not reach)).
inline layout unzip_tiles(layout const& a, value const& tiler) {
  if (!tiler.is(kind::tiler)) return a;
  std::vector<layout> tiles, rests;
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    if (i >= tiler.items.size()) {
      rests.push_back(a.modes[i]);
    } else if (tiler.items[i].is("_")) {
      tiles.emplace_back();
      rests.push_back(a.modes[i]);
    } else {
      layout const pair = unzip_tiles(a.modes[i], tiler.items[i]);
      tiles.push_back(pair.modes[0]);
      rests.push_back(pair.modes[1]);
    }
  }
  return layout({layout(std::move(tiles)), layout(std::move(rests))});
}
inline layout zipped_divide(layout const& a, value const& tiler) { return unzip_tiles(logical_divide(a, tiler), tiler); }

// The modes of A with the modes from number `first` on unpacked one level; a tuple of one mode stays a tuple, as in CuTe.
inline layout unpack_from(layout const& a, std::size_t first) {
  std::vector<layout> out;
  for (std::size_t i = 0; i < a.modes.size(); ++i) {
    bool const open = i >= first && a.modes[i].modes.size() > 1;
    for (layout const& m : open ? a.modes[i].modes : std::vector<layout>{a.modes[i]}) out.push_back(m);
  }
  return layout(std::move(out));
}
inline layout tiled_divide(layout const& a, value const& tiler) { return unpack_from(zipped_divide(a, tiler), 1); }
inline layout flat_divide(layout const& a, value const& tiler) { return unpack_from(zipped_divide(a, tiler), 0); }

}  // namespace colex::ref
