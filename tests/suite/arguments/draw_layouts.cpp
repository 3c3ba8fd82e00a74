// How layouts are drawn that depend on no other argument, with swizzles and what is composed with them: by the strides
// that a law's hypothesis allows. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/drawers.hpp"

#include <numeric>

namespace colex::drawing {

// Many extents, each one of these.
std::vector<number> many_extents(choices& c, number most, std::initializer_list<number> of) {
  std::vector<number> out;
  number size = 1;
  for (std::size_t n = many_leaves(c); n > 0; --n) {
    number const s = pick(c, of);
    out.push_back(size * s > most ? 1 : s);
    size *= out.back();
  }
  return out;
}

// Extents, small ones first; at most `rank`, now and then many, and a size that stays tabulable.
std::vector<number> small_extents(choices& c, std::size_t rank, number most) {
  if (one_in(c, 32)) return many_extents(c, most, {1, 2, 3});
  std::vector<number> out;
  out.reserve(rank);
  number size = 1;
  for (std::size_t n = 1 + c.below(rank); n > 0; --n) {
    number const s = pick_or_middle(c, {2, 1, 3, 4, 2, 5, 6, 8, 3, 4, 7, 16});
    if (size * s > most) continue;
    size *= s;
    out.push_back(s);
  }
  return out;
}

// Now and then more of them; now and then one or two large ones, or many that are not tabulable together. A law that makes
// tables says nothing of those.
std::vector<number> draw_extents(choices& c, std::size_t rank) {
  if (one_in(c, 64)) return many_extents(c, number{1} << 24, {1, 2, 3});
  std::vector<number> out = small_extents(c, one_in(c, 24) ? rank + 3 : rank);
  number size = std::accumulate(out.begin(), out.end(), number{1}, std::multiplies<>());
  for (std::size_t n = one_in(c, 16) ? 1 + c.below(2) : 0; n > 0; --n) {
    number& s = out[c.below(out.size())];
    number const other = large_extent(c);
    if (size / s > most_elements / other) continue;
    size = size / s * other;
    s = other;
  }
  return out;
}

value nest(choices& c, std::vector<value> flat, int depth) {
  if (flat.size() == 1 && !one_in(c, 5)) return flat[0];
  if (depth < 2 && flat.size() > 1 && c.below(3) == 2) {
    auto const cut = flat.begin() + static_cast<std::ptrdiff_t>(1 + c.below(flat.size() - 1));
    std::vector<value> const front(flat.begin(), cut), back(cut, flat.end());
    value first = nest(c, front, depth + 1);
    return tuple_of({std::move(first), nest(c, back, depth + 1)});
  }
  return tuple_of(std::move(flat));
}

namespace {

// The same hierarchy over other leaves.
value like(value const& profile, std::vector<value> const& flat, std::size_t& next) {
  if (!profile.is(kind::tuple)) return flat[next++];
  std::vector<value> out;
  for (value const& p : profile.items) out.push_back(like(p, flat, next));
  return tuple_of(std::move(out));
}

}  // namespace

value spell(choices& c, leaf_vector const& a) {
  std::vector<value> shape, stride;
  for (leaf const& l : a.empty() ? leaf_vector{{1, 0}} : a) {
    shape.emplace_back(integer(l.extent));
    stride.emplace_back(integer(l.stride), l.stride == 0 ? std::vector<int>{} : l.basis);
  }
  value s = nest(c, std::move(shape));
  std::size_t next = 0;
  value d = like(s, stride, next);
  return layout_of(std::move(s), std::move(d));
}

leaf_vector leaves_of(value const& layout) {
  leaf_vector out;
  for (auto const& [s, d] : leaves(layout)) {
    auto const extent = static_cast<number>(s);
    if (d.is_integer())
      out.push_back({extent, static_cast<number>(d.number)});
    else
      out.push_back({extent, static_cast<number>(d.basis.begin()->second), d.basis.begin()->first});
  }
  return out;
}

leaf_vector nested_leaves(choices& c, std::vector<number> const& extents, std::vector<number> const& gaps, bool divide) {
  leaf_vector out;
  for (number s : extents) out.push_back({s, 0});
  std::vector<std::size_t> order(out.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = 0; k + 1 < order.size(); ++k) std::swap(order[k], order[k + c.below(order.size() - k)]);
  number end = 1;
  for (std::size_t k : order) {
    bool const anywhere = out.size() <= few_leaves || one_in(c, 4);  // of many leaves most begin at another one's end
    number const gap = end < 4096 && anywhere ? pick(c, gaps) : 1;
    out[k].stride = divide ? end * gap : end + gap - 1;
    end = out[k].stride * out[k].extent;
  }
  return out;
}

namespace {

leaf_vector draw_any_leaves(choices& c) {
  std::vector<number> const extents = draw_extents(c, 4);
  switch (c.below(6)) {
    case 0: return nested_leaves(c, extents, {1}, true);
    case 1: return nested_leaves(c, extents, {1, 2, 3}, true);
    case 2: return nested_leaves(c, extents, {1, 2, 5}, false);
    case 3: {
      leaf_vector a = nested_leaves(c, extents, {1}, true);
      for (leaf& l : a)
        if (one_in(c, 3)) l.stride = 0;
      return a;
    }
    default: {
      leaf_vector a;
      for (number s : extents) a.push_back({s, pick(c, {1, 2, 0, 3, 4, 5, 6, 7, 8, 12, 16, 24, 97})});
      return a;
    }
  }
}
// A large extent is often broadcast.
leaf_vector draw_leaves(choices& c) {
  leaf_vector a = draw_any_leaves(c);
  for (leaf& l : a)
    if (l.extent > 256 && one_in(c, 3)) l.stride = 0;
  return a;
}
// Now and then beyond what 32 bits hold, or, as elements of the layout, 64.
leaf_vector scaled(choices& c, leaf_vector a, std::uint64_t often) {
  constexpr number bit31 = number{1} << 31;
  number const scale = one_in(c, often) ? pick(c, {bit31, bit31 - 1, 1 << 15, number{1} << 50}) : 1;
  number const most = std::numeric_limits<number>::max() / 4 / scale;
  if (std::all_of(a.begin(), a.end(), [&](leaf const& l) { return std::abs(l.stride) <= most; }))
    for (leaf& l : a) l.stride *= scale;
  return a;
}
leaf_vector natural_leaves(choices& c) { return scaled(c, draw_leaves(c), 32); }
// Now and then with one more mode of extent 1, of the stride of another one as often as not.
leaf_vector compact_leaves(choices& c, std::size_t rank) {
  std::vector<number> extents = draw_extents(c, rank);
  if (one_in(c, 8)) extents.push_back(1);
  return nested_leaves(c, extents, {1}, true);
}
leaf_vector chained_leaves(choices& c) { return scaled(c, nested_leaves(c, draw_extents(c, 3), {1, 2, 3}, true), 32); }
leaf_vector apart_leaves(choices& c) { return scaled(c, nested_leaves(c, draw_extents(c, 3), {1, 2, 3, 6}, one_in(c, 2)), 32); }

// Now and then one leaf gets another stride.
leaf_vector with_stray(choices& c, leaf_vector a, std::uint64_t often, std::vector<number> const& strides) {
  if (one_in(c, often)) a[c.below(a.size())].stride = pick(c, strides);
  return a;
}
leaf_vector with_broadcast(choices& c, leaf_vector a) { return with_stray(c, std::move(a), 6, {0}); }

leaf_vector injective_leaves(choices& c) {
  leaf_vector a = nested_leaves(c, small_extents(c, 2, 24), {1, 2, 3, 4}, false);
  if (one_in(c, 4)) a.push_back({pick(c, {2, 3}), 0});
  if (one_in(c, 4)) a = {{2, pick(c, {5, 3, 7})}, {pick(c, {2, 3}), pick(c, {6, 4, 8})}};
  if (one_in(c, 4)) a = {{pick(c, {3, 4}), 5}, {pick(c, {3, 4}), 3}};  // these have no left inverse
  return a;
}
leaf_vector binary_leaves(choices& c) {
  std::vector<number> extents;
  if (one_in(c, 32)) return nested_leaves(c, many_extents(c, 256, {1, 2}), {1}, true);
  for (std::size_t n = 1 + c.below(3); n > 0; --n) extents.push_back(pick(c, {2, 4, 8}));
  return nested_leaves(c, extents, {1}, true);
}

leaf_vector with_signs(choices& c, leaf_vector a) {
  for (leaf& l : a) l.stride *= one_in(c, 2) ? -1 : 1;
  return a;
}
// Basis strides of a codomain (m,(n,k)), now and then negative ones.
leaf_vector with_basis(choices& c, leaf_vector a) {
  static std::vector<int> const paths[] = {{0}, {1, 0}, {1, 1}};
  for (leaf& l : a) {
    l.basis = paths[c.below(std::size(paths))];
    if (one_in(c, 8)) l.stride = -l.stride;
  }
  return a;
}
leaf_vector any_leaves(choices& c) {
  leaf_vector a = draw_leaves(c);
  switch (c.below(6)) {
    case 4: return with_signs(c, scaled(c, std::move(a), 16));
    case 5: return with_basis(c, std::move(a));
    default: return scaled(c, std::move(a), 32);
  }
}
leaf_vector unsigned_leaves(choices& c) {
  leaf_vector a = one_in(c, 6) ? with_basis(c, draw_leaves(c)) : natural_leaves(c);
  for (leaf& l : a) l.stride = std::abs(l.stride);
  return a;
}
leaf_vector signed_leaves(choices& c) { return with_signs(c, scaled(c, draw_leaves(c), 16)); }

}  // namespace

value draw_swizzle(choices& c) {
  number const b = pick(c, {1, 2, 3, 0}), m = pick(c, {0, 1, 2, 3, 4}), s = b + static_cast<number>(c.below(3));
  bool const down = s > 0 && one_in(c, 4);
  return {kind::swizzle, {value(integer(b)), value(integer(m)), value(integer(down ? -s : s))}};
}

namespace {

// Mostly with the shift of V.
value draw_swizzle_like(choices& c, value const& v) {
  value w = draw_swizzle(c);
  if (mp::abs(v.items[2].number) >= w.items[0].number && !one_in(c, 6)) w.items[2] = v.items[2];
  return w;
}
// A coordinate of the codomain of with_basis.
value draw_place(choices& c) {
  auto const number = [&] { return value(integer(pick(c, {0, 1, 4, 8}))); };
  value const m = number(), n = number();
  return tuple_of({m, tuple_of({n, number()})});
}
// A view, or an offset behind a swizzle, which takes natural numbers only.
value draw_composed(choices& c) {
  value const offset(integer(pick(c, {0, 8, 16, 64})));
  leaf_vector const a = c.below(2) == 0 ? compact_leaves(c, 3) : natural_leaves(c);
  if (one_in(c, 8)) {
    value const begin = one_in(c, 8) ? offset : one_in(c, 2) ? draw_place(c) : value(0);
    return {kind::composed, {begin, spell(c, with_basis(c, a))}};
  }
  if (one_in(c, 6)) return {kind::composed, {offset, spell(c, one_in(c, 2) ? with_signs(c, a) : a)}};
  return {kind::composed, {draw_swizzle(c), offset, spell(c, a)}};
}

// Powers of two; each leaf begins at the end of another one, or a power of two behind.
leaf_vector bits_leaves(choices& c) {
  std::vector<number> extents;
  for (std::size_t n = 1 + c.below(3); n > 0; --n) extents.push_back(pick(c, {2, 4, 1, 8}));
  if (one_in(c, 12)) extents = {number{512} << c.below(2), pick(c, {2, 4})};
  if (one_in(c, 32)) extents = many_extents(c, 4096, {1, 2});
  leaf_vector a = with_broadcast(c, nested_leaves(c, extents, {1, 2, 4}, true));
  number const scale = one_in(c, 16) ? number{1} << 31 : 1;
  for (leaf& l : a) l.stride *= scale;
  return a;
}
// Now and then steps of several bits, each bit in one of them.
leaf_vector linear_leaves(choices& c) {
  return one_in(c, 6) ? leaf_vector{{2, pick(c, {5, 3})}, {pick(c, {4, 2}), 8}, {2, pick(c, {32, 0})}} : bits_leaves(c);
}
value draw_linear(choices& c, value const&) {
  value const a = spell(c, linear_leaves(c));
  return one_in(c, 3) ? value(kind::composed, {draw_swizzle(c), value(0), a}) : a;
}
value draw_chained_or_swizzled(choices& c, value const&) {
  value w = draw_swizzle(c);
  if (one_in(c, 2) || w.items[0] == value(0)) return spell(c, bits_leaves(c));
  return {kind::composed, {std::move(w), value(0), spell(c, linear_leaves(c))}};
}
value draw_nearly_linear(choices& c, value const& none) {
  if (c.below(2) == 0) return draw_linear(c, none);
  leaf_vector a = with_stray(c, linear_leaves(c), 2, {3, 1, 6, 5});
  if (one_in(c, 6)) a[c.below(a.size())].extent = 3;
  if (one_in(c, 12)) return spell(c, one_in(c, 2) ? with_signs(c, a) : with_basis(c, a));
  return one_in(c, 6) ? value(kind::composed, {value(integer(c.below(2))), spell(c, a)}) : spell(c, a);
}

// ---- linear maps ----

integer bits_below(choices& c, std::size_t n) { return integer(c.below(std::uint64_t{1} << n)); }
// Bases in up to three modes, those perhaps in one more.
value in_modes(choices& c, std::vector<value> bases, integer const& width) {
  std::vector<value> modes;
  std::size_t const n = c.below(4);
  for (std::size_t k = 0; k < n; ++k) {
    auto const part = static_cast<std::ptrdiff_t>(k + 1 == n ? bases.size() : c.below(bases.size() + 1));
    modes.push_back(tuple_of(std::vector<value>(bases.begin(), bases.begin() + part)));
    bases.erase(bases.begin(), bases.begin() + part);
  }
  if (modes.size() == 3 && one_in(c, 2)) modes = {tuple_of({modes[0], modes[1]}), modes[2]};
  return {kind::f2, {value(width), tuple_of(n == 0 ? std::move(bases) : std::move(modes))}};
}
// So many bases of n bits: each a number, or mostly a single bit or 0; now and then of many more bits.
value draw_map_of(choices& c, std::size_t bits, std::size_t n) {
  bool const sparse = one_in(c, 2);
  std::size_t const more = one_in(c, 16) ? 30 : 0;
  std::vector<value> bases;
  for (std::size_t k = 0; k < bits; ++k) {
    integer const whole = bits_below(c, n), single = n == 0 || one_in(c, 8) ? integer(0) : integer(1) << c.below(n);
    bases.emplace_back(integer((sparse ? single : whole) << more));
  }
  return in_modes(c, std::move(bases), integer(n + more));
}
value draw_map(choices& c, value const&) {
  std::size_t const bits = one_in(c, 16) ? 9 + c.below(4) : c.below(7);
  return draw_map_of(c, bits, one_in(c, 3) ? bits : c.below(7));
}
// The bits in another order, some bases added to others.
std::vector<value> independent_bases(choices& c, std::size_t n) {
  std::vector<value> bases;
  for (std::size_t k = 0; k < n; ++k) bases.emplace_back(integer(integer(1) << k));
  for (std::size_t k = 0; k < n; ++k) std::swap(bases[k], bases[k + c.below(n - k)]);
  for (std::size_t sums = c.below(2 * n + 1); sums > 0; --sums) {
    std::size_t const to = c.below(n), from = c.below(n);
    if (to != from) bases[to].number ^= bases[from].number;
  }
  return bases;
}
value draw_bijection(choices& c, value const&) {
  std::size_t const n = c.below(8) + (one_in(c, 16) ? 26 : 0);
  return in_modes(c, independent_bases(c, n), integer(n));
}
// Values are indices of F.
value draw_map_into(choices& c, value const& f) {
  std::vector<value> bases;
  std::size_t const n = f2_bases(f).size(), bits = c.below(6);
  for (std::size_t k = 0; k < bits; ++k) bases.emplace_back(bits_below(c, n));
  return in_modes(c, std::move(bases), integer(n + (one_in(c, 8) ? 1 : 0)));
}
// The same, none twice.
value draw_injection_into(choices& c, value const& f) {
  std::size_t const n = f2_bases(f).size();
  std::vector<value> bases = independent_bases(c, n);
  bases.resize(c.below(n + 1));
  return in_modes(c, std::move(bases), integer(n));
}

template <auto Leaves>
value spelled(choices& c, value const&) {
  return spell(c, Leaves(c));
}
template <auto Leaves>
value spelled_or_composed(choices& c, value const&) {
  return one_in(c, 6) ? draw_composed(c) : spell(c, Leaves(c));
}

}  // namespace

// The identity on coordinates over a shape: basis stride 1@i in mode i, nested likewise.
value identity_over(value const& shape, std::vector<int> const& path) {
  if (!shape.is(kind::tuple)) return value(integer(1), path);
  std::vector<value> items;
  for (std::size_t k = 0; k < shape.items.size(); ++k) {
    std::vector<int> deeper = path;
    deeper.push_back(static_cast<int>(k));
    items.push_back(identity_over(shape.items[k], deeper));
  }
  return tuple_of(std::move(items));
}

namespace {
constexpr named<drawer> layout_drawers[] = {
    {"layout", spelled<natural_leaves>},
    {"any", spelled<any_leaves>},
    {"unsigned", spelled<unsigned_leaves>},
    {"signed", spelled<signed_leaves>},
    {"compact", [](choices& c, value const&) { return spell(c, compact_leaves(c, 4)); }},
    {"small_compact", [](choices& c, value const&) { return spell(c, nested_leaves(c, small_extents(c, 4), {1}, true)); }},
    {"nearly_compact",
     [](choices& c, value const&) {
       return spell(c, with_stray(c, compact_leaves(c, 4), 3, {0, -1, 7, 2, 97, -4, number{1} << 31}));
     }},
    {"chain", [](choices& c, value const&) { return spell(c, with_broadcast(c, chained_leaves(c))); }},
    {"chain_once", spelled<chained_leaves>},
    {"nested", [](choices& c, value const&) { return spell(c, with_broadcast(c, apart_leaves(c))); }},
    {"nested_once", spelled<apart_leaves>},
    {"injective", spelled<injective_leaves>},
    {"small", [](choices& c, value const&) { return spell(c, nested_leaves(c, small_extents(c, 2, 12), {1, 1, 2}, true)); }},
    {"binary", spelled<binary_leaves>},
    {"swizzle", [](choices& c, value const&) { return draw_swizzle(c); }},
    {"swizzle_like", draw_swizzle_like},
    {"composed", [](choices& c, value const&) { return draw_composed(c); }},
    {"tensor", spelled_or_composed<any_leaves>},
    {"memory", spelled_or_composed<unsigned_leaves>},
    {"linear", draw_linear},
    {"nearly_linear", draw_nearly_linear},
    {"chained_bits", spelled<bits_leaves>},
    {"chained_or_swizzled", draw_chained_or_swizzled},
    {"map", draw_map},
    {"bijection", draw_bijection},
    {"map_into", draw_map_into},
    {"injection_into", draw_injection_into},
};
constexpr auto layout_drawers_by_place = by_row<drawn_kinds, layout_drawers, drawn::layouts, drawn::layouts>();
}  // namespace

drawer layout_drawer(std::size_t kind) { return layout_drawers_by_place[kind]; }

}  // namespace colex::drawing
