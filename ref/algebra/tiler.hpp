// Tilers: a layout, an integer, or one tile for each mode; composition with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/composition.hpp"

namespace colex::ref {

// A tiler as a layout, where it is one: the integer n is n:1.
inline std::optional<layout> as_layout(value const& tiler) {
  if (tiler.is(kind::layout)) return from_value(tiler);
  if (!tiler.is(kind::number)) return std::nullopt;
  return layout(tiler.number, 1);
}

// op(mode, tile) for each mode that a tiler <...> reaches; modes beyond it stay when `keep`, `_` keeps its mode.
inline std::vector<layout> by_mode(layout const& a, value const& tiler, bool keep, layout (*op)(layout const&, value const&)) {
  std::vector<layout> out = modes(a);
  if (tiler.items.size() > out.size()) throw undefined("the tiler has more modes than the layout");
  if (!keep) out.resize(tiler.items.size());
  for (std::size_t i = 0; i < tiler.items.size(); ++i)
    if (!tiler.items[i].is("_")) out[i] = op(out[i], tiler.items[i]);
  return out;
}

// A o T by a tiler: a layout, an integer, or mode by mode; modes of A beyond the tiler are dropped.
inline layout composition(layout const& a, value const& tiler) {
  if (auto const b = as_layout(tiler)) return composition(a, *b);
  return layout(by_mode(a, tiler, false, composition));
}

}  // namespace colex::ref
