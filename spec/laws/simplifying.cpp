// Rows of the laws of simplifying and recasting layouts: coalesce, filter, upcast, downcast, recast, alignment.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"

namespace colex {
namespace {

// Flat, without extent 1 but for 1:0, and no leaf continues the one before.
bool shortest(value const& r) {
  leaf_list const l = leaves(r);
  if (l.empty() || nesting(r.shape()) != (l.size() > 1 ? 1 : 0)) return false;
  for (std::size_t k = 0; k < l.size(); ++k) {
    if (l[k].first == 1 && (l.size() > 1 || l[k].second != point())) return false;
    if (k > 0 && l[k - 1].first * l[k - 1].second == l[k].second) return false;
  }
  return true;
}

// Sw'(x div n) == Sw(x) div n, and the other way round.
void upcasts(trial& t, value const& wide, value const& narrow, integer const& n) {
  t.every("x", 600, [&](integer const& x) { t.equal(swizzled(wide, x / n), integer(swizzled(narrow, x) / n)); });
}
// The widths of an upcast: how many steps of each leaf of A share one step of R.
void upcasts_layout(trial& t, value const& r, value const& a, integer const& n) {
  leaf_list const wide = leaves(r), narrow = leaves(a);
  t.equal(wide.size(), narrow.size());
  valuation const f(a);
  t.every("i", size(a), [&](integer i) {
    integer const index = i;
    point sum;
    for (std::size_t k = 0; k < narrow.size(); ++k) {
      integer const share = narrow[k].first / wide[k].first;
      sum += integer(i % narrow[k].first / share) * wide[k].second;
      i /= narrow[k].first;
    }
    t.equal(sum, point(integer(f(index).number / n)));
  });
}
// Every element of A, n times as narrow: n*a, n*a + 1, ..., n*a + n-1, and no other.
void downcasts(trial& t, value const& r, value const& a, integer const& n) {
  t.require(n * size(a) <= table_limit);
  std::vector<integer> wanted;
  for (integer const& v : image(t, a, size(a)))
    for (integer j = 0; j < n; ++j) wanted.push_back(n * v + j);
  std::sort(wanted.begin(), wanted.end());
  std::vector<integer> const have = sorted_image(t, r, n * size(a));
  t.holds(have == wanted, have, wanted);
}

// What a profile does to a layout, by asking for each mode alone; modes that the profile lacks stay.
value by_profile(trial& t, char const* op, value const& a, value const& profile) {
  if (!profile.is(kind::tuple)) return t.ask(op, {a});
  std::vector<value> m = modes(a);
  for (std::size_t k = 0; k < profile.items.size(); ++k) m.at(k) = by_profile(t, op, m.at(k), profile.items[k]);
  return list_of(m);
}

// Where P is a tuple it has no more modes than A, and so on inside them; an integer in A is one mode.
bool has_modes(value const& a, value const& profile) {
  if (!profile.is(kind::tuple)) return true;
  std::vector<value> const m = modes(a);
  if (profile.items.size() > m.size()) return false;
  for (std::size_t k = 0; k < profile.items.size(); ++k)
    if (!has_modes(m[k], profile.items[k])) return false;
  return true;
}

constexpr law simplifying_rows[] = {
    {"coalesce_function", "coalesce(A)(i) == A(i)    for i < size(A), and the sizes agree", "A:any", "coalesce",
     [](trial& t) { same_layout_function(t, t.ask("coalesce", {t["A"]}), t["A"]); }},
    {"coalesce_flat", "coalesce(A) is flat, without extent 1 but for 1:0, and no leaf continues the one before", "A:any",
     "coalesce",
     [](trial& t) {
       value const& r = t.ask("coalesce", {t["A"]});
       if (!shortest(r)) throw broken{print(r), "a flat layout that cannot be shortened", shortest(bare(r))};
     }},
    {"coalesce_canonical", "coalesce(A) == coalesce(B) if and only if A and B are the same function", "A:any B:respelled(A)",
     "coalesce", [](trial& t) { t.equal(t.ask("coalesce", {t["A"]}), t.ask("coalesce", {t["B"]})); }},
    {"coalesce_idempotent", "coalesce(coalesce(A)) == coalesce(A)", "A:any", "coalesce",
     [](trial& t) {
       value const& r = t.ask("coalesce", {t["A"]});
       t.equal(t.ask("coalesce", {r}), r);
     }},
    {"coalesce_profile", "coalesce(A, P) is coalesce of each mode that P has, and keeps the others", "A:any P:profile(A)",
     "coalesce", [](trial& t) { t.equal(t.ask("coalesce", {t["A"], t["P"]}), by_profile(t, "coalesce", t["A"], t["P"])); }},
    {"coalesce_exists", "coalesce(A, P) is defined exactly when P has nowhere more modes than A    for P a profile of B",
     "A:any B:layout P:profile(B)", "coalesce",
     [](trial& t) { t.answers_iff(has_modes(t["A"], t["P"]), "coalesce", {t["A"], t["P"]}); }},
    {"coalesce_composed", "coalesce(Sw o n o A) is the same function", "A:composed", "coalesce",
     [](trial& t) { same_function(t, t.ask("coalesce", {t["A"]}), t["A"], size(t["A"])); }},
    {"filter_zeros_leaves", "filter_zeros(A) is A with extent 1 where the stride is 0", "A:any", "filter_zeros",
     [](trial& t) {
       value const s = map_strides(t["A"].shape(), t["A"].stride(),
                                   [](value const& n, value const& d) { return d == value(0) ? value(1) : n; });
       t.equal(t.ask("filter_zeros", {t["A"]}), layout_of(s, t["A"].stride()));
     }},
    {"filter_definition", "filter(A) == coalesce(filter_zeros(A))", "A:any", "filter",
     [](trial& t) { t.equal(t.ask("filter", {t["A"]}), t.ask("coalesce", {t.ask("filter_zeros", {t["A"]})})); }},
    {"filter_image", "filter(A) takes the same values as A", "A:signed", "filter",
     [](trial& t) {
       auto values = [&](value const& a) {
         std::vector<integer> v = sorted_image(t, a, size(t["A"]));
         v.erase(std::unique(v.begin(), v.end()), v.end());
         return v;
       };
       std::vector<integer> const have = values(t.ask("filter", {t["A"]})), wanted = values(t["A"]);
       t.holds(have == wanted, have, wanted);
     }},
    {"filter_profile", "filter(A, P) is filter of each mode that P has, and keeps the others", "A:any P:profile(A)", "filter",
     [](trial& t) { t.equal(t.ask("filter", {t["A"], t["P"]}), by_profile(t, "filter", t["A"], t["P"])); }},

    {"upcast_blocks", "upcast(A, n)(c div k) == A(c) div n    where k steps of a leaf share one wide element",
     "A:chain n:factor", "upcast",
     [](trial& t) { upcasts_layout(t, t.ask("upcast", {t["A"], t["n"]}), t["A"], t["n"].number); }},
    {"upcast_exists",
     "upcast(A, n) is undefined where an extent would be rounded up or elements inside one wide element collide",
     "A:unsigned n:factor", "upcast", [](trial& t) { t.answers_like_the_reference("upcast", {t["A"], t["n"]}); }},
    {"upcast_swizzle", "upcast(W, n)(x div n) == W(x) div n", "W:swizzle n:power", "upcast",
     [](trial& t) { upcasts(t, t.ask("upcast", {t["W"], t["n"]}), t["W"], t["n"].number); }},
    {"upcast_composed", "upcast(Sw o m o A, n) == upcast(Sw, n) o m / n o upcast(A, n)", "W:swizzle A:binary n:power m:count",
     "upcast",
     [](trial& t) {
       integer const m = t["m"].number * t["n"].number;
       value const& r = t.ask("upcast", {value(kind::composed, {t["W"], value(m), t["A"]}), t["n"]});
       value const w = t.ask("upcast", {t["W"], t["n"]}), a = t.ask("upcast", {t["A"], t["n"]});
       same_function(t, r, value(kind::composed, {w, t["m"], a}), size(a));
     }},
    {"downcast_elements", "downcast(A, n) takes the values n*a, ..., n*a + n-1 for each a of A", "A:compact n:factor",
     "downcast", [](trial& t) { downcasts(t, t.ask("downcast", {t["A"], t["n"]}), t["A"], t["n"].number); }},
    {"downcast_exists", "downcast(A, n) is undefined unless exactly one leaf of stride 1 can grow", "A:unsigned n:factor",
     "downcast", [](trial& t) { t.answers_like_the_reference("downcast", {t["A"], t["n"]}); }},
    {"downcast_upcast", "upcast(downcast(A, n), n) is the same function as A", "A:compact n:factor", "downcast",
     [](trial& t) {
       value const& r = t.ask("upcast", {t.ask("downcast", {t["A"], t["n"]}), t["n"]});
       t.equal(r.shape(), t["A"].shape());
       same_layout_function(t, r, t["A"]);
     }},
    {"downcast_swizzle", "downcast(W, n)(n*x + j) == n * W(x) + j    for j < n", "W:swizzle n:power", "downcast",
     [](trial& t) { upcasts(t, t["W"], t.ask("downcast", {t["W"], t["n"]}), t["n"].number); }},
    {"recast_layout_ratio", "recast_layout(A, b, b * n) == upcast(A, n); recast_layout(A, b * n, b) == downcast(A, n)",
     "A:compact n:factor b:power", "recast_layout",
     [](trial& t) {
       integer const b = t["b"].number, w = b * t["n"].number;
       t.equal(t.ask("recast_layout", {t["A"], value(w), value(b)}), t.ask("downcast", {t["A"], t["n"]}));
       value const& a = t.ask("downcast", {t["A"], t["n"]});
       t.equal(t.ask("recast_layout", {a, value(b), value(w)}), t.ask("upcast", {a, t["n"]}));
     }},
    {"recast_layout_mixed", "recast_layout(A, b * m, b * n) for coprime m, n == downcast(upcast(A, n), m)", "A:compact",
     "recast_layout",
     [](trial& t) {
       value const& a = t.ask("downcast", {t["A"], value(3)});
       t.equal(t.ask("recast_layout", {a, value(8), value(12)}), t.ask("downcast", {t.ask("upcast", {a, value(3)}), value(2)}));
     }},
    {"recast_layout_exists",
     "recast_layout(A, b * m, b * n) is defined exactly when downcast(upcast(A, n / g), m / g) is, for g = gcd(m, n)",
     "A:unsigned m:factor n:factor", "recast_layout",
     [](trial& t) {
       integer const &m = t["m"].number, &n = t["n"].number, g = mp::gcd(m, n);
       answer const wide = t.reference("upcast", {t["A"], value(integer(n / g))});
       bool const exists = wide && t.reference("downcast", {wide.result, value(integer(m / g))});
       t.answers_iff(exists, "recast_layout", {t["A"], value(integer(4 * m)), value(integer(4 * n))});
     }},
    {"recast_layout_round_trip", "recast_layout(recast_layout(A, b, b'), b', b) is the same function as A",
     "A:compact n:factor", "recast_layout",
     [](trial& t) {
       value const to(integer(t["n"].number * 4));
       same_layout_function(t, t.ask("recast_layout", {t.ask("recast_layout", {t["A"], to, value(4)}), value(4), to}), t["A"]);
     }},
    {"max_alignment_runs", "A's values come in whole runs n*q .. n*q + n-1    for n = max_alignment(A)", "A:layout",
     "max_alignment",
     [](trial& t) {
       integer const n = need_integer(t.ask("max_alignment", {t["A"]}));
       t.holds(n > 0, n, "a positive number");
       std::vector<integer> const v = sorted_image(t, t["A"], size(t["A"]));
       t.every("i", integer(v.size()), [&](integer const& i) {
         integer const from = v[static_cast<std::size_t>(i)] / n * n;
         auto const at = std::lower_bound(v.begin(), v.end(), from);
         t.holds(at != v.end() && *at == from && std::binary_search(v.begin(), v.end(), integer(from + n - 1)), n,
                 "a run that starts at " + from.str() + " is not whole");
       });
     }},
    {"max_alignment_compact", "max_alignment(A) == size(A)    for compact A", "A:compact", "max_alignment",
     [](trial& t) { t.equal(need_integer(t.ask("max_alignment", {t["A"]})), size(t["A"])); }},
    {"max_alignment_divides", "max_alignment(A) divides every stride of A from its first gap on", "A:chain", "max_alignment",
     [](trial& t) {
       integer const n = need_integer(t.ask("max_alignment", {t["A"]}));
       integer end = 1, wanted = 0;
       for (auto const& leaf : moving(t["A"])) {
         if (wanted == 0 && leaf.second.number == end)
           end *= leaf.first;
         else
           wanted = mp::gcd(wanted, leaf.second.number);
       }
       t.equal(n, integer(mp::gcd(end, wanted)));
     }},
};

}  // namespace

std::span<law const> simplifying_laws() { return simplifying_rows; }

}  // namespace colex
