// How values of the grammar become arguments of operations: what is no layout, shape or tiler is malformed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/common.hpp"
#include "ref/algebra/composed.hpp"
#include "ref/algebra/tile.hpp"
#include "spec/operations.hpp"

namespace colex::ref {

using arguments = std::vector<value>;

inline layout L(value const& v) { return from_value(plain(need("layout", v))); }
// A tuple of integers, or one.
inline value const& T(value const& v) { return need("integers", v); }
inline bool positive(value const& v) {
  return v.is(kind::number) ? v.number > 0 : std::all_of(v.items.begin(), v.items.end(), positive);
}
inline value const& S(value const& v) {
  if (!positive(T(v))) wrong(v, "a shape: extents are positive");
  return v;
}
// The shape of a shape or layout.
inline value shape_of(value const& v) { return v.is(kind::layout) ? v.shape() : S(v); }
inline integer const& N(value const& v) { return need("integer", v).number; }
inline std::string const& W(value const& v) { return need("name", v).word; }
inline std::size_t I(value const& v) {
  if (N(v) < 0 || v.number > 1000000) wrong(v, "the number of a mode");
  return static_cast<std::size_t>(v.number);
}
inline bool has_empty_tile(value const& v) {
  return v.is(kind::number) ? v.number < 1 : v.is(kind::tiler) && std::any_of(v.items.begin(), v.items.end(), has_empty_tile);
}
// What a function of layouts does not take. (Linear maps may: through_f2.)
inline value const& uncomposed(value const& v) {
  if (v.is(kind::composed)) throw undefined(print(v) + ": defined where that and what it meets are linear maps over F2");
  return v;
}
inline value const& tiler(value const& v) {
  if (has_empty_tile(need("tiler", uncomposed(v)))) throw undefined("a tile of extent below 1");
  return v;
}
inline value const& wild_coordinate(value const& v) { return need("coordinate", v); }
inline integer bits(value const& v) {
  return need("width", v).is(kind::word) ? integer(v.word.substr(0, v.word.size() - 1)) : v.number;
}

inline value text(bool b) { return word_of(b ? "true" : "false"); }
inline value number(std::size_t n) { return value(integer(n)); }

inline composed tensor_of(value const& v) { return v.is(kind::composed) ? composed_from(v) : composed{std::nullopt, 0, L(v)}; }
// A part of a tensor, a view unless it is swizzled.
inline value view(composed const& c, composed const& of) {
  return c.outer ? to_value(c) : value(kind::composed, {as_value_of(c.offset, of), to_value(c.inner)});
}
// f on a layout, or on the layout inside a composed one.
template <class F>
inline value lifted(value const& v, F f) {
  if (v.is(kind::composed)) return to_value(around(composed_from(v), f));
  return to_value(f(L(v)));
}
// f on a layout or on a composed layout as a whole; on_each: or on a swizzle.
template <class F>
inline value composed_or_layout(value const& v, F f) {
  return v.is(kind::composed) ? to_value(f(composed_from(v))) : to_value(f(L(v)));
}
template <class F>
inline value on_each(value const& v, F f) {
  return v.is(kind::swizzle) ? to_value(f(swizzle_from(v))) : composed_or_layout(v, f);
}
// F of a layout and a tiler, or of two layouts, the first one perhaps inside a composed one.
template <layout (*F)(layout const&, value const&)>
inline value by_tiler(arguments const& a) {
  return lifted(a[0], [&](layout const& l) { return F(l, tiler(a[1])); });
}
template <layout (*F)(layout const&, layout const&)>
inline value by_layout(arguments const& a) {
  return lifted(a[0],
                [&](layout const& l) { return F(l, *as_layout(a[1].is(kind::number) ? tiler(a[1]) : to_value(L(a[1])))); });
}

}  // namespace colex::ref
