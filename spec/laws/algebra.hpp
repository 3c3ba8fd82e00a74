// What the laws of the algebra are written with; those of partitions, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/hypotheses.hpp"

namespace colex {

// R == A o B as functions, and R refines B.
inline void composes(trial& t, value const& r, value const& a, value const& b) {
  valuation const f(a), g(b), h(r);
  t.every("i", size(b), [&](integer const& i) { t.equal(h(i), f(g(i).number)); });
}

// A(R(i)) == i and R(i) < n    for i < size(R).
inline void inverts(trial& t, value const& r, value const& a, integer const& n) {
  valuation const f(a), g(r);
  t.every("i", size(r), [&](integer const& i) {
    integer const j = g(i).number;
    t.holds(j >= 0 && j < n, j, [&] { return "an index below " + n.str(); });
    t.equal(f(j), point(i));
  });
}

// M rounded up to whole tops of A: what A and its complement cover at most.
inline integer covered(value const& a, value const& m) {
  integer const end = top(a);
  return (m.number + end - 1) / end * end;
}

// What a tiler <...> does to a layout, mode by mode, by asking for each mode alone; `keep`: modes beyond the tiler stay.
inline value by_mode(trial& t, char const* op, value const& a, value const& tiler, bool keep) {
  std::vector<value> out = modes(a);
  if (!keep) out.resize(tiler.items.size());
  for (std::size_t k = 0; k < tiler.items.size(); ++k)
    if (!tiler.items[k].is("_")) out.at(k) = t.ask(op, {out.at(k), tiler.items[k]});
  return list_of(out);
}
// ((tiles), (rests, untouched modes)) out of a logical divide or product by a tiler.
inline value zipped(value const& logical, value const& tiler) {
  if (!tiler.is(kind::tiler)) return logical;
  std::vector<value> tiles, rests;
  for (std::size_t k = 0; k < rank(logical); ++k) {
    value const m = mode(logical, k);
    bool const reached = k < tiler.items.size() && !tiler.items[k].is("_");
    value const pair = reached ? zipped(m, tiler.items[k]) : list_of({layout_of(1, 0), m});
    if (k < tiler.items.size()) tiles.push_back(mode(pair, 0));
    rests.push_back(mode(pair, 1));
  }
  return list_of({list_of(tiles), list_of(rests)});
}
// The tile as it is and the rest opened; flat: both opened.
inline value unzipped(value const& z, bool flat) {
  std::vector<value> out = flat ? opened(mode(z, 0)) : std::vector<value>{mode(z, 0)};
  for (value const& m : opened(mode(z, 1))) out.push_back(m);
  return list_of(out);
}
inline void regrouped(trial& t, char const* op, char const* logical, value const& a, value const& tiler,
                      value (*group)(value const&, value const&)) {
  value const& l = t.ask(logical, {a, tiler});
  t.equal(t.ask(op, {a, tiler}), group(l, tiler));
}

// The integer n as a tile: n:1, and 1:0 for one element.
inline value tile_of(value const& v) { return v.is(kind::number) ? layout_of(v, value(v == value(1) ? 0 : 1)) : v; }

// P = (A, copies): mode k of the result pairs A_k and copies_k, `first` first.
inline value paired(value const& a, value const& b) {
  std::vector<value> out;
  for (std::size_t k = 0; k < rank(a); ++k) out.push_back(list_of({mode(a, k), mode(b, k)}));
  return list_of(out);
}
inline value padded(value const& a, std::size_t r) {
  std::vector<value> m = modes(a);
  if (m.size() == r) return a;
  m.resize(r, layout_of(1, 0));
  return list_of(m);
}
// The two modes of P as lists of equal rank; an integer against one mode is paired whole.
inline void product_by_rank(trial& t, char const* op, bool block_first) {
  std::size_t const r = std::max(rank(t["A"]), rank(t["B"]));
  value const& p = t.ask("logical_product", {padded(t["A"], r), padded(t["B"], r)});
  bool const whole = r == 1 && !(t["A"].shape().is(kind::tuple) && t["B"].shape().is(kind::tuple));
  value const a = whole ? list_of({mode(p, 0)}) : mode(p, 0), b = whole ? list_of({mode(p, 1)}) : mode(p, 1);
  t.equal(t.ask(op, {t["A"], t["B"]}), block_first ? paired(a, b) : paired(b, a));
}

}  // namespace colex
