// How values of the grammar become arguments of operations: what is no layout, shape or tiler is malformed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/common.hpp"
#include "ref/algebra/swizzle.hpp"
#include "ref/algebra/tile.hpp"

namespace colex::ref {

using arguments = std::vector<value>;

[[noreturn]] inline void wrong(value const& got, char const* wanted) {
  std::string text = print(got);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw malformed(0, text + " is not " + wanted);
}

inline layout L(value const& v) {
  if (!v.is(kind::layout)) wrong(v, "a layout");
  return from_value(v);
}
inline bool integers_only(value const& v) {
  if (v.is(kind::number)) return v.basis.empty();
  return v.is(kind::tuple) && std::all_of(v.items.begin(), v.items.end(), integers_only);
}
// A tuple of integers, or one.
inline value const& T(value const& v) {
  if (!integers_only(v)) wrong(v, "an integer or a tuple of integers");
  return v;
}
inline bool positive(value const& v) {
  return v.is(kind::number) ? v.number > 0 : std::all_of(v.items.begin(), v.items.end(), positive);
}
inline value const& S(value const& v) {
  if (!positive(T(v))) wrong(v, "a shape: extents are positive");
  return v;
}
// An order of modes: a tuple of integers or one of two words.
inline value const& order_or_word(value const& v) { return v.is("LayoutLeft") || v.is("LayoutRight") ? v : T(v); }
// The shape of a shape or layout.
inline value shape_of(value const& v) { return v.is(kind::layout) ? v.shape() : S(v); }
inline integer const& N(value const& v) {
  if (!v.is(kind::number) || !v.basis.empty()) wrong(v, "an integer");
  return v.number;
}
inline std::string const& W(value const& v) {
  if (!v.is(kind::word)) wrong(v, "a name");
  return v.word;
}
inline std::size_t I(value const& v) {
  if (N(v) < 0 || v.number > 1000000) wrong(v, "the number of a mode");
  return static_cast<std::size_t>(v.number);
}
inline bool tiler_like(value const& v) {
  return v.is(kind::layout) || v.is("_") || (v.is(kind::number) && v.basis.empty()) ||
         (v.is(kind::tiler) && std::all_of(v.items.begin(), v.items.end(), tiler_like));
}
inline bool has_empty_tile(value const& v) {
  return v.is(kind::number) ? v.number < 1 : v.is(kind::tiler) && std::any_of(v.items.begin(), v.items.end(), has_empty_tile);
}
inline value const& tiler(value const& v) {
  if (!tiler_like(v) || v.is("_")) wrong(v, "a tiler: a layout, an integer or <...> of those and _");
  if (has_empty_tile(v)) throw undefined("a tile of extent below 1");
  return v;
}
inline bool coordinate_like(value const& v) {
  if (v.is(kind::tuple)) return std::all_of(v.items.begin(), v.items.end(), coordinate_like);
  return is_wild(v) || (v.is(kind::number) && v.basis.empty());
}
inline value const& wild_coordinate(value const& v) {
  if (!coordinate_like(v)) wrong(v, "a coordinate of integers, _ and X");
  return v;
}
inline integer bits(value const& v) {
  if (v.is(kind::word) && v.word.size() > 1 && v.word.back() == 'b' &&
      v.word.find_first_not_of("0123456789") == v.word.size() - 1)
    return integer(v.word.substr(0, v.word.size() - 1));
  return N(v);
}

inline value text(bool b) { return word_of(b ? "true" : "false"); }
inline value number(std::size_t n) { return value(integer(n)); }

// A swizzle of no bits over offset 0 is the plain layout, but of coordinates there is no swizzle.
inline value plain(value const& v) {
  bool const nothing = v.is(kind::composed) && v.items.size() == 3 && v.items[0].items[0].number == 0 && v.items[1] == value(0);
  return nothing && !has_basis(from_value(v.items[2])) ? v.items[2] : v;
}
inline composed tensor_of(value const& v) { return v.is(kind::composed) ? composed_from(v) : composed{std::nullopt, 0, L(v)}; }
// A value of a layout: where that counts coordinates it is one.
inline value as_value_of(point const& p, layout const& of) {
  return has_basis(of) ? as_coordinate(p, coshape(of)) : value(p.number);
}
// A part of a tensor of that layout, a view unless it is swizzled.
inline value view(composed const& c, layout const& of) {
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
