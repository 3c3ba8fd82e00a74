// How each kind of argument is drawn. Admissible by construction where a law has a hypothesis; every fourth or eighth
// draw of a partner is free, so that refusal is exercised too.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/draw.hpp"

#include "tests/suite/arguments/draw_atoms.hpp"
#include "tests/suite/arguments/drawers.hpp"

#include <numeric>

namespace colex {
namespace drawing {

std::vector<number> cuts_of(choices& c, std::vector<number> const& radix, std::size_t more) {
  std::vector<number> cuts{1};
  auto step = [&](number n) { cuts.push_back(cuts.back() * n); };
  for (number s : radix) {
    std::vector<number> primes;
    for (number p = 2; s > 1; ++p)
      for (; s % p == 0; s /= p) primes.push_back(p);
    for (std::size_t k = 0; k < primes.size(); ++k) {
      std::swap(primes[k], primes[k + c.below(primes.size() - k)]);
      step(primes[k]);
    }
  }
  for (; more > 0; --more) step(pick(c, {2, 3, 5}));
  return cuts;
}

// Leaves e/d : d between cuts d < e, disjoint, in any order, with some of extent 1 or stride 0, now and then many.
leaf_vector between_cuts(choices& c, std::vector<number> const& cuts) {
  leaf_vector out;
  for (std::size_t k = 0; k + 1 < cuts.size();) {
    std::size_t const to = k + 1 + c.below(std::min<std::size_t>(3, cuts.size() - 1 - k));
    if (!one_in(c, 3)) out.push_back({cuts[to] / cuts[k], cuts[k]});
    k = to;
  }
  for (std::size_t k = 0; k + 1 < out.size(); ++k) std::swap(out[k], out[k + c.below(out.size() - k)]);
  auto const insert = [&](leaf const& l) { out.insert(out.begin() + static_cast<std::ptrdiff_t>(c.below(out.size() + 1)), l); };
  if (one_in(c, 8)) insert({pick(c, {1, 2, 3}), 0});
  if (one_in(c, 8)) out.push_back({1, pick(c, {1, 2, 7})});
  if (std::size_t const most = cuts.size() > few_leaves ? most_leaves : 4; out.size() > most) out.resize(most);
  if (one_in(c, 32))
    while (out.size() <= few_leaves) insert({1, pick(c, {1, 2, 7})});
  return out;
}

// The radix in which A counts: its coalesced extents (neighbours that continue each other are one digit).
std::vector<number> radix(value const& layout) {
  leaf_vector merged;
  for (leaf const& l : leaves_of(layout)) {
    if (l.extent == 1) continue;
    bool const goes_on = !merged.empty() && l.basis == merged.back().basis && l.stride % merged.back().extent == 0 &&
                         l.stride / merged.back().extent == merged.back().stride;
    if (goes_on)
      merged.back().extent *= l.extent;
    else
      merged.push_back(l);
  }
  std::vector<number> out;
  for (leaf const& l : merged) out.push_back(l.extent);
  return out;
}
std::vector<number> extents_of(value const& layout) {
  std::vector<number> out;
  for (leaf const& l : leaves_of(layout)) out.push_back(l.extent);
  return out;
}

leaf_vector free_inside(choices& c, number room) {
  leaf_vector out;
  number top = room - 1;  // the largest value still free
  for (std::size_t n = 1 + c.below(3); n > 0 && top > 0; --n) {
    number const d = 1 + static_cast<number>(c.below(static_cast<std::uint64_t>(std::min<number>(top, 12))));
    number const s = 1 + static_cast<number>(c.below(static_cast<std::uint64_t>(std::min<number>(top / d, 8))));
    out.push_back({s + 1, d});
    top -= (out.back().extent - 1) * d;
  }
  return out;
}

value draw_inside(choices& c, value const& a) {
  number const n = static_cast<number>(size(a));
  if (n > 1 && one_in(c, 6)) return spell(c, free_inside(c, n));
  return spell(c, between_cuts(c, cuts_of(c, radix(a), 0)));
}
value draw_leaving(choices& c, value const& a) {
  leaf_vector b = between_cuts(c, cuts_of(c, radix(a), 1 + c.below(2)));
  number const n = static_cast<number>(size(a));
  number reach = 0;
  for (leaf const& l : b) reach += (l.extent - 1) * l.stride;
  if (reach < n) b.push_back({pick(c, {2, 3}), n});
  return spell(c, b);
}
// A tile that divides A: complete between two cuts, its complement in A exact.
value draw_tile(choices& c, value const& a) {
  leaf_vector t = between_cuts(c, cuts_of(c, radix(a), 0));
  std::erase_if(t, [](leaf const& l) { return l.extent == 1 || l.stride == 0; });
  return spell(c, t);
}
// Some bits of A's indices, in another order, behind a swizzle among them; or such a tile as divides A, or leaves that
// interleave where A is behind a swizzle.
value draw_linear_tile(choices& c, value const& a) {
  std::size_t const bits = mp::msb(size(a));
  if (bits < 2 || bits > 60 || one_in(c, 3)) return draw_tile(c, layout_in(a));
  bool const behind = a.is(kind::composed) && a.items[0].is(kind::swizzle) && a.items[0].items[0] != value(0);
  if (behind && bits >= 4 && one_in(c, 6)) return spell(c, {{2, 6}, {2, 9}});
  leaf_vector t;
  for (std::size_t k = 0; k < bits; ++k) t.push_back({2, number{1} << k});
  for (std::size_t k = 0; k < bits; ++k) std::swap(t[k], t[k + c.below(bits - k)]);
  t.resize(1 + c.below(bits));
  if (one_in(c, 6)) t[0].stride = 0;
  auto const low = static_cast<number>(c.below(bits - 1)), shift = 1 + static_cast<number>(c.below(bits - 1 - low));
  value const sw{kind::swizzle, {value(1), value(integer(low)), value(integer(one_in(c, 4) ? -shift : shift))}};
  return {kind::composed, {sw, value(0), spell(c, t)}};
}
value draw_mode_tile(choices& c, value const& m, int depth) {
  switch (c.below(depth < 1 && m.shape().is(kind::tuple) ? 5 : 4)) {
    case 0: {  // an integer that divides the mode's first extents
      std::vector<number> const cuts = cuts_of(c, radix(m), 0);
      return value(integer(cuts[c.below(cuts.size())]));
    }
    case 1: return draw_tile(c, m);
    case 2: return word_of("_");
    case 3: return value(1);
    default: {
      std::vector<value> items;
      for (std::size_t k = 0; k < std::min<std::size_t>(rank(m), 1 + c.below(3)); ++k)
        items.push_back(draw_mode_tile(c, mode(m, k), depth + 1));
      return {kind::tiler, std::move(items)};
    }
  }
}
value draw_tiler(choices& c, value const& a) {
  std::vector<value> items;
  std::size_t const n = 1 + c.below(rank(a));
  for (std::size_t k = 0; k < n; ++k) items.push_back(draw_mode_tile(c, mode(a, k), 0));
  return {kind::tiler, std::move(items)};
}

// Another spelling of the same function: leaves split, extent 1 and rank put in.
value draw_respelled(choices& c, value const& a) {
  leaf_vector const whole = leaves_of(a);
  leaf_vector out;
  for (leaf const& l : whole) {
    if (whole.size() <= few_leaves && one_in(c, 4)) out.push_back({1, pick(c, {0, 1, 5}) * (l.stride != 0), l.basis});
    number f = pick(c, {1, 2, 3, 2});
    if (l.extent % f != 0) f = 1;
    if (f > 1) out.push_back({f, l.stride, l.basis});
    out.push_back({l.extent / f, l.stride * f, l.basis});
  }
  return spell(c, out);
}

// Other strides over the shape of A.
value draw_beside(choices& c, value const& a) {
  return layout_of(a.shape(), map_strides(a.shape(), a.stride(), [&](value const&, value const&) {
                     return value(integer(pick(c, {1, 2, 0, 3, 4, 6, 8, 12, 16, 97})));
                   }));
}

value draw_coordinate(choices& c, value const& shape) {
  if (!shape.is(kind::tuple) || one_in(c, 4)) return value(integer(c.below(static_cast<std::uint64_t>(size(shape)))));
  std::vector<value> items;
  for (value const& s : shape.items) items.push_back(draw_coordinate(c, s));
  return tuple_of(std::move(items));
}
value draw_slicer(choices& c, value const& shape, int depth = 0) {
  if (depth > 0 && c.below(2) == 0) return word_of("_");
  if (depth == 0 && shape.is(kind::tuple) ? false : !shape.is(kind::tuple) || one_in(c, 3))
    return value(integer(c.below(static_cast<std::uint64_t>(size(shape)))));
  std::vector<value> items;
  for (value const& s : shape.items) items.push_back(draw_slicer(c, s, depth + 1));
  return tuple_of(std::move(items));
}

value draw_shape(choices& c) {
  std::vector<value> flat;
  for (number s : draw_extents(c, 4)) flat.emplace_back(integer(s));
  return nest(c, flat);
}
// Leaves of S split into factors: a refinement.
value draw_refined(choices& c, value const& s) {
  if (s.is(kind::tuple)) {
    std::vector<value> items;
    for (value const& x : s.items) items.push_back(draw_refined(c, x));
    return tuple_of(std::move(items));
  }
  std::vector<number> const cuts = cuts_of(c, {static_cast<number>(s.number)}, 0);
  if (cuts.size() < 2 || c.below(2) == 0) return s;
  number const front = cuts[1 + c.below(cuts.size() - 1)];
  return tuple_of({value(integer(front)), value(integer(s.number / front))});
}
// A number that divides S front to back.
value draw_divisor(choices& c, value const& s) {
  std::vector<number> const cuts = cuts_of(c, s.is(kind::layout) ? radix(s) : extents_of(layout_of(s, s)), 0);
  return value(integer(cuts[c.below(cuts.size())]));
}
// Each number once; now and then one ties with another.
struct order_numbers {
  std::vector<std::uint64_t> left, taken{};
};
value draw_order(choices& c, value const& s, order_numbers& numbers) {
  if (s.is(kind::tuple) && !one_in(c, 4)) {
    std::vector<value> items;
    for (value const& x : s.items) items.push_back(draw_order(c, x, numbers));
    return tuple_of(std::move(items));
  }
  bool const ties = !numbers.taken.empty() && (numbers.left.empty() || one_in(c, 12));
  std::vector<std::uint64_t>& from = ties ? numbers.taken : numbers.left;
  std::size_t const k = c.below(from.size());
  std::uint64_t const n = from[k];
  if (!ties) numbers.left.erase(from.begin() + static_cast<std::ptrdiff_t>(k)), numbers.taken.push_back(n);
  return value(integer(n));
}
value draw_order(choices& c, value const& s) {
  order_numbers numbers{std::vector<std::uint64_t>(std::max<std::size_t>(12, extents_of(layout_of(s, s)).size()))};
  std::iota(numbers.left.begin(), numbers.left.end(), std::uint64_t{0});
  return draw_order(c, s, numbers);
}
value draw_profile(choices& c, value const& shape, int depth = 0) {
  if (!shape.is(kind::tuple) || (depth > 0 && c.below(2) == 0)) return value(1);
  std::vector<value> items;
  for (std::size_t k = 0, n = 1 + c.below(shape.items.size()); k < n; ++k)
    items.push_back(draw_profile(c, shape.items[k], depth + 1));
  return tuple_of(std::move(items));
}
// A shape that whole copies of A fill.
value draw_tiled_shape(choices& c, value const& a) {
  std::vector<value> items;
  for (std::size_t k = 0; k < rank(a); ++k)
    items.emplace_back(size(mode(a, k)) * pick(c, {1, 2, 3, 4}) + (one_in(c, 24) ? 1 : 0));
  if (one_in(c, 3)) items.emplace_back(pick(c, {1, 2, 3}));
  return items.size() == 1 && !a.shape().is(kind::tuple) ? items[0] : tuple_of(std::move(items));
}

namespace {

integer draw_natural(choices& c) { return integer(c.below(600)) + (one_in(c, 4) ? large_extent(c) : 0); }

constexpr named<drawer> drawers[] = {
    {"identity",
     [](choices& c, value const&) {
       value const s = draw_shape(c);
       return layout_of(s, identity_over(s));
     }},
    {"identity_of", [](choices&, value const& a) { return layout_of(a.shape(), identity_over(a.shape())); }},
    {"inside", [](choices& c, value const& a) { return draw_inside(c, layout_in(a)); }},
    {"leaving", draw_leaving},
    {"tile", [](choices& c, value const& a) { return draw_tile(c, layout_in(a)); }},
    {"linear_tile", draw_linear_tile},
    {"tiler", [](choices& c, value const& a) { return draw_tiler(c, layout_in(a)); }},
    {"any_tile",
     [](choices& c, value const& a) {
       if (one_in(c, 2)) return layout_drawer(place_in(drawn_kinds, "layout"))(c, a);
       return one_in(c, 2) ? value(integer(1 + c.below(9))) : draw_tile(c, a);
     }},
    {"respelled", draw_respelled},
    {"beside", draw_beside},
    {"coordinate", [](choices& c, value const& a) { return draw_coordinate(c, shape_in(a)); }},
    {"index", [](choices& c, value const& a) { return value(integer(c.below(static_cast<std::uint64_t>(size(a))))); }},
    {"beyond", [](choices& c, value const& a) { return value(integer(size(a) + draw_natural(c))); }},
    {"slicer", [](choices& c, value const& a) { return draw_slicer(c, layout_in(a).shape()); }},
    {"mode", [](choices& c, value const& a) { return value(integer(c.below(rank(a)))); }},
    {"shape", [](choices& c, value const&) { return draw_shape(c); }},
    {"refined", draw_refined},
    {"divisor", draw_divisor},
    {"order", [](choices& c, value const& s) { return draw_order(c, s); }},
    {"profile", [](choices& c, value const& a) { return draw_profile(c, a.shape()); }},
    {"tiled_shape", draw_tiled_shape},
    {"count", [](choices& c, value const&) { return value(integer(1 + c.below(24))); }},
    {"positive",
     [](choices& c, value const&) {
       return value(integer(one_in(c, 16) ? large_extent(c) : pick_or_middle(c, {1, 2, 3, 4, 6, 5, 8, 12, 7, 24})));
     }},
    {"natural", [](choices& c, value const&) { return value(draw_natural(c)); }},
    {"factor", [](choices& c, value const&) { return value(integer(pick(c, {2, 1, 4, 8, 3, 6}))); }},
    {"power", [](choices& c, value const&) { return value(integer(pick(c, {2, 1, 4, 8}))); }},
    {"cotarget",
     [](choices& c, value const& a) {
       integer const n = size(a);
       return value(one_in(c, 4) ? integer(1 + c.below(200)) : integer(n * pick(c, {1, 2, 3, 6})));
     }},
    {"mma_name", [](choices& c, value const&) { return draw_mma_name(c); }},
    {"shaped_mma_name", [](choices& c, value const&) { return draw_shaped_mma_name(c); }},
    {"scaled_mma_name", [](choices& c, value const&) { return draw_scaled_mma_name(c); }},
    {"sparse_mma_name", [](choices& c, value const&) { return draw_sparse_mma_name(c); }},
    {"any_mma_name", [](choices& c, value const&) { return spoilt(c, draw_mma_name(c)); }},
    {"mma_field", [](choices& c, value const&) { return draw_mma_field(c); }},
    {"copy_name", [](choices& c, value const&) { return draw_copy_name(c); }},
    {"any_copy_name", [](choices& c, value const&) { return spoilt(c, draw_copy_name(c)); }},
    {"copy_field", [](choices& c, value const&) { return draw_copy_field(c); }},
};
constexpr auto drawers_by_place = by_row<drawn_kinds, drawers, drawn::others, drawn::others>();

// The argument that one is drawn to fit, or the tuple of those.
value partner_of(argument const& a, std::vector<binding> const& earlier) {
  if (a.partners == 0) return {};
  if (a.partners == 1) return earlier[a.partner[0]].second;
  std::vector<value> all;
  for (std::size_t k = 0; k < a.partners; ++k) all.push_back(earlier[a.partner[k]].second);
  return tuple_of(std::move(all));
}
drawer drawer_of(argument const& a) {
  switch (drawn_kinds[a.kind].in) {
    case drawn::layouts: return layout_drawer(a.kind);
    case drawn::others: return drawers_by_place[a.kind];
    case drawn::tilings: return tiling_drawer(a.kind);
  }
  return nullptr;
}

}  // namespace
}  // namespace drawing

std::vector<binding> draw_arguments(law const& l, choices& from) {
  std::vector<binding> out;
  for (argument const& a : l.drawn()) out.emplace_back(a.name, drawing::drawer_of(a)(from, drawing::partner_of(a, out)));
  return out;
}

}  // namespace colex
