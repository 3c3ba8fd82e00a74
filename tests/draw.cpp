// How each kind of argument is drawn. Admissible by construction where a law has a hypothesis; every fourth or eighth
// draw of a partner is free, so that refusal is exercised too.
// SPDX-License-Identifier: Apache-2.0
#include "tests/draw_atoms.hpp"
#include "tests/drawers.hpp"

#include <numeric>

namespace colex {
namespace drawing {

// Extents, small ones first; at most `rank`, and a size that stays tabulable.
std::vector<number> draw_extents(choices& c, std::size_t rank, number most = 256) {
  std::vector<number> out;
  out.reserve(rank);
  number size = 1;
  for (std::size_t n = 1 + c.below(rank); n > 0; --n) {
    number const s = pick(c, {2, 1, 3, 4, 2, 5, 6, 8, 3, 4, 7, 16});
    if (size * s > most) continue;
    size *= s;
    out.push_back(s);
  }
  return out;
}

// ---- nesting: a flat list of leaves in a hierarchy ----

value nest(choices& c, std::vector<value> flat, int depth = 0) {
  if (flat.size() == 1 && !one_in(c, 5)) return flat[0];
  if (depth < 2 && flat.size() > 1 && c.below(3) == 2) {
    std::size_t const cut = 1 + c.below(flat.size() - 1);
    std::vector<value> const front(flat.begin(), flat.begin() + static_cast<std::ptrdiff_t>(cut)), back(flat.begin() + static_cast<std::ptrdiff_t>(cut), flat.end());
    return tuple_of({nest(c, front, depth + 1), nest(c, back, depth + 1)});
  }
  return tuple_of(std::move(flat));
}

// The same hierarchy over other leaves.
value like(value const& profile, std::vector<value> const& flat, std::size_t& next) {
  if (!profile.is(kind::tuple)) return flat[next++];
  std::vector<value> out;
  out.reserve(profile.items.size());
  for (value const& p : profile.items) out.push_back(like(p, flat, next));
  return tuple_of(std::move(out));
}
value like(value const& profile, std::vector<value> const& flat) {
  std::size_t next = 0;
  return like(profile, flat, next);
}

value spell(choices& c, leaf_vector const& a) {
  std::vector<value> shape, stride;
  shape.reserve(a.size());
  stride.reserve(a.size());
  for (leaf const& l : a.empty() ? leaf_vector{{1, 0}} : a) {
    shape.emplace_back(integer(l.extent));
    stride.emplace_back(integer(l.stride));
  }
  value s = nest(c, std::move(shape)), d = like(s, stride);
  return layout_of(std::move(s), std::move(d));
}

leaf_vector leaves_of(value const& layout) {
  leaf_vector out;
  for (auto const& [s, d] : leaves(layout)) out.push_back({static_cast<number>(s), static_cast<number>(d.number)});
  return out;
}

// ---- layouts ----

leaf_vector nested_leaves(choices& c, std::vector<number> const& extents, std::vector<number> const& gaps, bool divide) {
  leaf_vector out;
  out.reserve(extents.size() + 1);
  for (number s : extents) out.push_back({s, 0});
  std::vector<std::size_t> order(out.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = 0; k + 1 < order.size(); ++k) std::swap(order[k], order[k + c.below(order.size() - k)]);
  number end = 1;
  for (std::size_t k : order) {
    number const gap = pick(c, gaps);
    out[k].stride = divide ? end * gap : end + gap - 1;
    end = out[k].stride * out[k].extent;
  }
  return out;
}

leaf_vector draw_leaves(choices& c) {
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

// Now and then beyond what 32 bits hold, or 64.
value draw_signed(choices& c) {
  leaf_vector a = draw_leaves(c);
  number const scale = one_in(c, 16) ? pick(c, {number{1} << 31, (number{1} << 31) - 1, 1 << 15, number{1} << 50}) : 1;
  for (leaf& l : a) l.stride *= one_in(c, 2) ? -scale : scale;
  return spell(c, a);
}
value draw_large(choices& c) {
  leaf_vector a = draw_leaves(c);
  if (one_in(c, 16))
    for (leaf& l : a) l.extent = pick(c, {1 << 16, (1 << 16) - 1, 46341, number{1} << 31, (number{1} << 31) - 1});
  return spell(c, a);
}

value draw_shape(choices& c) {
  std::vector<value> flat;
  for (number s : draw_extents(c, 4)) flat.emplace_back(integer(s));
  return nest(c, flat.empty() ? std::vector<value>{value(1)} : flat);
}

// ---- partners of a layout ----

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

// Leaves e/d : d between cuts d < e, disjoint, in any order, with some of extent 1 or stride 0.
leaf_vector between_cuts(choices& c, std::vector<number> const& cuts) {
  leaf_vector out;
  for (std::size_t k = 0; k + 1 < cuts.size();) {
    std::size_t const to = k + 1 + c.below(std::min<std::size_t>(3, cuts.size() - 1 - k));
    if (!one_in(c, 3)) out.push_back({cuts[to] / cuts[k], cuts[k]});
    k = to;
  }
  for (std::size_t k = 0; k + 1 < out.size(); ++k) std::swap(out[k], out[k + c.below(out.size() - k)]);
  if (one_in(c, 8)) out.insert(out.begin() + static_cast<std::ptrdiff_t>(c.below(out.size() + 1)), leaf{pick(c, {1, 2, 3}), 0});
  if (one_in(c, 8)) out.push_back({1, pick(c, {1, 2, 7})});
  if (out.size() > 4) out.resize(4);
  return out;
}

// The radix in which A counts: its coalesced extents (neighbours that continue each other are one digit).
std::vector<number> radix(value const& layout) {
  leaf_vector merged;
  for (leaf const& l : leaves_of(layout)) {
    if (l.extent == 1) continue;
    bool const goes_on = !merged.empty() && l.stride % merged.back().extent == 0 && l.stride / merged.back().extent == merged.back().stride;
    if (goes_on) merged.back().extent *= l.extent;
    else merged.push_back(l);
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
    number const s = 1 + static_cast<number>(c.below(static_cast<std::uint64_t>(std::min<number>(top / d, 8)))) ;
    out.push_back({s + 1 > top / d + 1 ? s : s + 1, d});
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
value draw_free(choices& c) { return spell(c, draw_leaves(c)); }

// A tile that divides A: complete between two cuts, its complement in A exact.
value draw_tile(choices& c, value const& a) {
  leaf_vector t = between_cuts(c, cuts_of(c, radix(a), 0));
  std::erase_if(t, [](leaf const& l) { return l.extent == 1 || l.stride == 0; });
  return spell(c, t);
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
      for (std::size_t k = 0; k < std::min<std::size_t>(rank(m), 1 + c.below(3)); ++k) items.push_back(draw_mode_tile(c, mode(m, k), depth + 1));
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
  leaf_vector out;
  for (leaf const& l : leaves_of(a)) {
    if (one_in(c, 4)) out.push_back({1, pick(c, {0, 1, 5})});
    number f = pick(c, {1, 2, 3, 2});
    if (l.extent % f != 0) f = 1;
    if (f > 1) out.push_back({f, l.stride});
    out.push_back({l.extent / f, l.stride * f});
  }
  return spell(c, out);
}

// ---- coordinates ----

value draw_coordinate(choices& c, value const& shape) {
  if (!shape.is(kind::tuple) || one_in(c, 4)) return value(integer(c.below(static_cast<std::uint64_t>(size(shape)))));
  std::vector<value> items;
  for (value const& s : shape.items) items.push_back(draw_coordinate(c, s));
  return tuple_of(std::move(items));
}
value draw_slicer(choices& c, value const& shape, int depth = 0) {
  if (depth > 0 && c.below(2) == 0) return word_of("_");
  if (depth == 0 && shape.is(kind::tuple) ? false : !shape.is(kind::tuple) || one_in(c, 3)) return value(integer(c.below(static_cast<std::uint64_t>(size(shape)))));
  std::vector<value> items;
  for (value const& s : shape.items) items.push_back(draw_slicer(c, s, depth + 1));
  return tuple_of(std::move(items));
}

// ---- shapes ----

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
// Tuples of S closed into their sizes: S refines it.
value draw_coarser(choices& c, value const& s) {
  if (!s.is(kind::tuple)) return s;
  if (one_in(c, 3)) return value(size(s));
  std::vector<value> items;
  for (value const& x : s.items) items.push_back(draw_coarser(c, x));
  return tuple_of(std::move(items));
}
// A number that divides S front to back.
value draw_divisor(choices& c, value const& s) {
  std::vector<number> const cuts = cuts_of(c, s.is(kind::layout) ? radix(s) : extents_of(layout_of(s, s)), 0);
  return value(integer(cuts[c.below(cuts.size())]));
}
value draw_order(choices& c, value const& s, std::vector<std::uint64_t>& numbers) {
  if (s.is(kind::tuple) && !one_in(c, 4)) {
    std::vector<value> items;
    for (value const& x : s.items) items.push_back(draw_order(c, x, numbers));
    return tuple_of(std::move(items));
  }
  if (numbers.empty() || one_in(c, 24)) return value(integer(c.below(4)));  // may tie
  std::size_t const k = c.below(numbers.size());
  std::uint64_t const n = numbers[k];
  numbers.erase(numbers.begin() + static_cast<std::ptrdiff_t>(k));
  return value(integer(n));
}
value draw_order(choices& c, value const& s) {
  std::vector<std::uint64_t> numbers(12);
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{0});
  return draw_order(c, s, numbers);
}
value draw_profile(choices& c, value const& shape, int depth = 0) {
  if (!shape.is(kind::tuple) || (depth > 0 && c.below(2) == 0)) return value(1);
  std::vector<value> items;
  for (std::size_t k = 0, n = 1 + c.below(shape.items.size()); k < n; ++k) items.push_back(draw_profile(c, shape.items[k], depth + 1));
  return tuple_of(std::move(items));
}
// A shape that whole copies of A fill.
value draw_tiled_shape(choices& c, value const& a) {
  std::vector<value> items;
  for (std::size_t k = 0; k < rank(a); ++k) items.emplace_back(size(mode(a, k)) * pick(c, {1, 2, 3, 4}) + (one_in(c, 24) ? 1 : 0));
  if (one_in(c, 3)) items.emplace_back(pick(c, {1, 2, 3}));
  return items.size() == 1 && !a.shape().is(kind::tuple) ? items[0] : tuple_of(std::move(items));
}

// ---- swizzles ----

value draw_swizzle(choices& c) {
  number const b = pick(c, {1, 2, 3, 0}), m = pick(c, {0, 1, 2, 3, 4}), s = b + static_cast<number>(c.below(3));
  bool const down = s > 0 && one_in(c, 4);
  return {kind::swizzle, {value(integer(b)), value(integer(m)), value(integer(down ? -s : s))}};
}
value draw_composed(choices& c) {
  value const offset(integer(pick(c, {0, 8, 16, 64})));
  value const a = spell(c, c.below(2) == 0 ? nested_leaves(c, draw_extents(c, 3), {1}, true) : draw_leaves(c));
  if (one_in(c, 6)) return {kind::composed, {offset, a}};
  return {kind::composed, {draw_swizzle(c), offset, a}};
}
value powers_of_two(choices& c) {
  std::vector<number> extents;
  for (std::size_t n = 1 + c.below(3); n > 0; --n) extents.push_back(pick(c, {2, 4, 8}));
  return spell(c, nested_leaves(c, extents, {1}, true));
}

// The identity on coordinates over a shape: basis stride 1@i in mode i, nested likewise.
value identity_over(value const& shape, std::vector<int> const& path = {}) {
  if (!shape.is(kind::tuple)) return value(integer(1), path);
  std::vector<value> items;
  for (std::size_t k = 0; k < shape.items.size(); ++k) {
    std::vector<int> deeper = path;
    deeper.push_back(static_cast<int>(k));
    items.push_back(identity_over(shape.items[k], deeper));
  }
  return tuple_of(std::move(items));
}

// ---- by kind ----

std::unordered_map<std::string_view, drawer> const& drawers() {
  static std::unordered_map<std::string_view, drawer> const table{
      {"layout", [](choices& c, value const&) { return draw_free(c); }},
      {"compact", [](choices& c, value const&) { return spell(c, nested_leaves(c, draw_extents(c, 4), {1}, true)); }},
      {"chain", [](choices& c, value const&) { return spell(c, nested_leaves(c, draw_extents(c, 3), {1, 2, 3}, true)); }},
      {"nested", [](choices& c, value const&) { return spell(c, nested_leaves(c, draw_extents(c, 3), {1, 2, 3, 6}, one_in(c, 2))); }},
      {"signed", [](choices& c, value const&) { return draw_signed(c); }},
      {"large", [](choices& c, value const&) { return draw_large(c); }},
      {"identity", [](choices& c, value const&) {
         value const s = draw_shape(c);
         return layout_of(s, identity_over(s));
       }},
      {"identity_of", [](choices&, value const& a) { return layout_of(a.shape(), identity_over(a.shape())); }},
      {"inside", draw_inside},
      {"inside_of", [](choices& c, value const& a) { return draw_inside(c, a.items.back()); }},
      {"injective", [](choices& c, value const&) {
         leaf_vector a = nested_leaves(c, draw_extents(c, 2, 24), {1, 2, 3, 4}, false);
         if (one_in(c, 4)) a.push_back({pick(c, {2, 3}), 0});
         if (one_in(c, 4)) a = {{2, pick(c, {5, 3, 7})}, {pick(c, {2, 3}), pick(c, {6, 4, 8})}};
         return spell(c, a);
       }},
      {"leaving", draw_leaving},
      {"tile", draw_tile},
      {"tile_of", [](choices& c, value const& a) { return draw_tile(c, a.items.back()); }},
      {"tiler", draw_tiler},
      {"any_tile", [](choices& c, value const& a) { return one_in(c, 2) ? draw_free(c) : one_in(c, 2) ? value(integer(1 + c.below(9))) : draw_tile(c, a); }},
      {"respelled", draw_respelled},
      {"small", [](choices& c, value const&) { return spell(c, nested_leaves(c, draw_extents(c, 2, 12), {1, 1, 2}, true)); }},
      {"coordinate", [](choices& c, value const& a) { return draw_coordinate(c, a.is(kind::layout) ? a.shape() : a); }},
      {"index", [](choices& c, value const& a) { return value(integer(c.below(static_cast<std::uint64_t>(size(a))))); }},
      {"slicer", [](choices& c, value const& a) { return draw_slicer(c, a.is(kind::composed) ? a.items.back().shape() : a.shape()); }},
      {"mode", [](choices& c, value const& a) { return value(integer(c.below(rank(a)))); }},
      {"shape", [](choices& c, value const&) { return draw_shape(c); }},
      {"refined", draw_refined},
      {"coarser", draw_coarser},
      {"divisor", draw_divisor},
      {"order", [](choices& c, value const& s) { return draw_order(c, s); }},
      {"profile", [](choices& c, value const& a) { return draw_profile(c, a.shape()); }},
      {"tiled_shape", draw_tiled_shape},
      {"count", [](choices& c, value const&) { return value(integer(1 + c.below(24))); }},
      {"natural", [](choices& c, value const&) { return value(integer(c.below(600))); }},
      {"factor", [](choices& c, value const&) { return value(integer(pick(c, {2, 1, 4, 8, 3, 6}))); }},
      {"power", [](choices& c, value const&) { return value(integer(pick(c, {2, 1, 4, 8}))); }},
      {"cotarget", [](choices& c, value const& a) {
         integer const n = size(a);
         return value(one_in(c, 4) ? integer(1 + c.below(200)) : integer(n * pick(c, {1, 2, 3, 6})));
       }},
      {"swizzle", [](choices& c, value const&) { return draw_swizzle(c); }},
      {"swizzle_like", [](choices& c, value const& v) {
         value w = draw_swizzle(c);
         if (mp::abs(v.items[2].number) >= w.items[0].number && !one_in(c, 6)) w.items[2] = v.items[2];
         return w;
       }},
      {"composed", [](choices& c, value const&) { return draw_composed(c); }},
      {"binary", [](choices& c, value const&) { return powers_of_two(c); }},
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
  return table;
}

// The partner that `A` or `A,B,...` names among the earlier arguments.
value partner(std::vector<binding> const& earlier, std::string_view names) {
  if (names.empty()) return {};
  if (std::size_t const comma = names.find(','); comma != names.npos) {
    std::vector<value> all{partner(earlier, names.substr(0, comma))};
    for (std::string_view rest = names.substr(comma + 1); !rest.empty(); rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1))
      all.push_back(partner(earlier, rest.substr(0, rest.find(','))));
    return tuple_of(std::move(all));
  }
  for (auto const& [n, v] : earlier)
    if (n == names) return v;
  throw std::out_of_range("no earlier argument " + std::string(names));
}
value draw_kind(choices& c, std::string_view kind, value const& partner) {
  auto const here = drawers().find(kind);
  return (here == drawers().end() ? tiling_drawers().at(kind) : here->second)(c, partner);
}

}  // namespace drawing

std::vector<binding> draw_arguments(law const& l, choices& from) {
  std::vector<binding> out;
  out.reserve(4);
  std::string_view rest = l.arguments;
  while (!rest.empty()) {
    std::string_view const word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    std::size_t const colon = word.find(':'), open = word.find('(');
    std::string_view const name = word.substr(0, colon), kind = word.substr(colon + 1, std::min(open, word.size()) - colon - 1);
    std::string_view const partners = open == word.npos ? "" : word.substr(open + 1, word.size() - open - 2);
    out.emplace_back(name, drawing::draw_kind(from, kind, drawing::partner(out, partners)));
  }
  return out;
}

}  // namespace colex
