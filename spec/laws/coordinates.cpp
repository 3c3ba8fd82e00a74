// Rows of the laws of tuples and coordinates.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"

namespace colex {
namespace {

// An order on shapes: reflexive on S, and on S, T, U transitive; both ways only between `equal` ones.
bool ordered(trial& t, char const* op, value const& s, value const& u) { return need_bool(t.ask(op, {s, u})); }
void transitive(trial& t, char const* op) {
  value const &s = t["S"], &m = t["T"], &u = t["U"];
  t.require(ordered(t, op, s, m) && ordered(t, op, m, u));
  t.holds(ordered(t, op, s, u), print(s) + " " + op + " " + print(u) + " is false", "true");
}

// Where both are tuples T has no more modes than S, and so on inside them.
bool has_all_modes_of(value const& s, value const& t) {
  if (!s.is(kind::tuple) || !t.is(kind::tuple)) return true;
  if (t.items.size() > s.items.size()) return false;
  for (std::size_t k = 0; k < t.items.size(); ++k)
    if (!has_all_modes_of(s.items[k], t.items[k])) return false;
  return true;
}

// A tuple with 1 for each number.
value ones(value v) {
  if (v.is(kind::number)) return value(1);
  for (value& x : v.items) x = ones(std::move(x));
  return v;
}

constexpr law coordinate_rows[] = {
    {"rank_definition", "rank(A) == the number of modes of A; an integer is one mode", "A:any", "rank",
     [](trial& t) { t.equal(need_integer(t.ask("rank", {t["A"]})), integer(rank(t["A"]))); }},
    {"depth_definition", "depth(A) == how deep the parentheses of its shape nest", "A:any", "depth",
     [](trial& t) { t.equal(need_integer(t.ask("depth", {t["A"]})), integer(nesting(t["A"].shape()))); }},
    {"size_product", "size(A) == the product of the extents of A", "A:any", "size",
     [](trial& t) {
       integer n = 1;
       for (auto const& leaf : leaves(t["A"])) n *= leaf.first;
       t.equal(need_integer(t.ask("size", {t["A"]})), n);
     }},
    {"cosize_last", "cosize(A) == A(size(A) - 1) + 1    for strides >= 0", "A:layout", "cosize",
     [](trial& t) { t.equal(need_integer(t.ask("cosize", {t["A"]})), integer(at(t["A"], size(t["A"]) - 1).number + 1)); }},
    {"cosize_span", "cosize(A) == max A - min A + 1    for strides of any sign", "A:signed", "cosize",
     [](trial& t) {
       integer most = 0, least = 0;  // each leaf alone takes its last value or 0
       for (auto const& [s, d] : leaves(t["A"])) (d.number > 0 ? most : least) += (s - 1) * d.number;
       t.equal(need_integer(t.ask("cosize", {t["A"]})), integer(most - least + 1));
     }},
    {"coshape_identity", "coshape(I) == S    for I the identity on the coordinates of S", "I:identity", "coshape",
     [](trial& t) { t.equal(t.ask("coshape", {t["I"]}), t["I"].shape()); }},
    {"coshape_cosize", "size(coshape(A)) == cosize(A)", "A:any", "coshape",
     [](trial& t) { t.equal(size(t.ask("coshape", {t["A"]})), need_integer(t.ask("cosize", {t["A"]}))); }},
    {"coshape_span", "coshape(A)_k == max A_k - min A_k + 1    along each coordinate k, for strides of any sign", "A:any",
     "coshape",
     [](trial& t) {
       point most, least;  // each leaf alone takes its last value or 0
       for (auto const& [s, d] : leaves(t["A"]))
         d.each([&](std::vector<int> const& path, integer const& n) { (n > 0 ? most : least).add(path, (s - 1) * n); });
       value const& r = t.ask("coshape", {t["A"]});
       t.equal(point_of(r), most + integer(-1) * least + point_of(ones(r)));
     }},
    {"product_each_sizes", "product_each(S)_k == size(S_k)", "S:shape", "product_each",
     [](trial& t) {
       std::vector<value> sizes;
       for (value const& s : t["S"].items) sizes.emplace_back(size(s));
       t.equal(t.ask("product_each", {t["S"]}), t["S"].is(kind::tuple) ? tuple_of(sizes) : t["S"]);
     }},

    {"congruent_definition", "congruent(S, T) == S and T have the same parentheses", "S:shape T:shape", "congruent",
     [](trial& t) { t.equal(ordered(t, "congruent", t["S"], t["T"]), congruent(t["S"], t["T"])); }},
    {"congruent_symmetric", "congruent(S, T) == congruent(T, S)", "S:shape T:refined(S)", "congruent",
     [](trial& t) { t.equal(ordered(t, "congruent", t["S"], t["T"]), ordered(t, "congruent", t["T"], t["S"])); }},
    {"congruent_reflexive", "congruent(S, S)", "S:shape", "congruent",
     [](trial& t) { t.equal(ordered(t, "congruent", t["S"], t["S"]), true); }},
    {"weakly_congruent_definition", "weakly_congruent(S, T) == T's profile refines S's", "S:shape T:shape", "weakly_congruent",
     [](trial& t) { t.equal(ordered(t, "weakly_congruent", t["S"], t["T"]), weakly_congruent(t["S"], t["T"])); }},
    {"weakly_congruent_antisymmetric", "weakly_congruent(S, T) and weakly_congruent(T, S) == congruent(S, T)",
     "S:shape T:refined(S)", "weakly_congruent",
     [](trial& t) {
       t.equal(ordered(t, "weakly_congruent", t["S"], t["T"]) && ordered(t, "weakly_congruent", t["T"], t["S"]),
               ordered(t, "congruent", t["S"], t["T"]));
     }},
    {"weakly_congruent_transitive", "weakly_congruent(S, T) and weakly_congruent(T, U) imply weakly_congruent(S, U)",
     "S:shape T:refined(S) U:refined(T)", "weakly_congruent", [](trial& t) { transitive(t, "weakly_congruent"); }},
    {"compatible_definition", "compatible(S, T) == T_k has size S_k at each leaf S_k of S", "S:shape T:shape", "compatible",
     [](trial& t) { t.equal(ordered(t, "compatible", t["S"], t["T"]), compatible(t["S"], t["T"])); }},
    {"compatible_reflexive", "compatible(S, S)", "S:shape", "compatible",
     [](trial& t) { t.equal(ordered(t, "compatible", t["S"], t["S"]), true); }},
    {"compatible_antisymmetric", "compatible(S, T) and compatible(T, S) imply S == T", "S:shape T:refined(S)", "compatible",
     [](trial& t) {
       bool const both = ordered(t, "compatible", t["S"], t["T"]) && ordered(t, "compatible", t["T"], t["S"]);
       t.equal(both, t["S"] == t["T"]);
     }},
    {"compatible_transitive", "compatible(S, T) and compatible(T, U) imply compatible(S, U)",
     "S:shape T:refined(S) U:refined(T)", "compatible", [](trial& t) { transitive(t, "compatible"); }},
    {"compatible_least", "compatible(size(S), S): the integer is the least shape of its size", "S:shape", "compatible",
     [](trial& t) { t.equal(ordered(t, "compatible", value(size(t["S"])), t["S"]), true); }},
    {"compatible_maximal", "a shape of primes is refined by nothing with other extents > 1", "S:shape T:refined(S)",
     "compatible",
     [](trial& t) {
       auto extents = [](value const& s) {
         std::vector<integer> out;
         for (auto const& leaf : leaves(layout_of(s, s)))
           if (leaf.first > 1) out.push_back(leaf.first);
         return out;
       };
       t.equal(ordered(t, "compatible", t["T"], t["S"]), extents(t["S"]) == extents(t["T"]) && compatible(t["T"], t["S"]));
     }},
    {"compatible_coordinates", "compatible(S, T): every coordinate of S is one of T, at the same index",
     "S:shape T:refined(S) c:coordinate(S)", "compatible",
     [](trial& t) {
       t.require(need_bool(t.ask("compatible", {t["S"], t["T"]})));
       t.equal(t.ask("crd2idx", {t["c"], t["T"]}), t.ask("crd2idx", {t["c"], t["S"]}));
     }},

    {"evenly_divides_exact", "evenly_divides(S, n) == (size(S) == n * size(ceil_div(S, n)))", "S:shape n:divisor(S)",
     "evenly_divides",
     [](trial& t) {
       bool const exact = size(t["S"]) == t["n"].number * size(t.ask("ceil_div", {t["S"], t["n"]}));
       t.equal(ordered(t, "evenly_divides", t["S"], t["n"]), exact);
     }},
    {"evenly_divides_integers", "evenly_divides(m, n) == (m mod n == 0)", "m:positive n:positive", "evenly_divides",
     [](trial& t) { t.equal(ordered(t, "evenly_divides", t["m"], t["n"]), t["m"].number % t["n"].number == 0); }},
    {"evenly_divides_by_mode", "evenly_divides((S, U), (m, n)) == evenly_divides(S, m) and evenly_divides(U, n)",
     "S:shape m:divisor(S) U:shape n:count", "evenly_divides",
     [](trial& t) {
       bool const whole = ordered(t, "evenly_divides", tuple_of({t["S"], t["U"]}), tuple_of({t["m"], t["n"]}));
       t.equal(whole, ordered(t, "evenly_divides", t["S"], t["m"]) && ordered(t, "evenly_divides", t["U"], t["n"]));
     }},
    {"ceil_div_rounds_up", "ceil_div(m, n) is the least q with q * n >= m", "m:natural n:count", "ceil_div",
     [](trial& t) {
       integer const m = t["m"].number + 1, n = t["n"].number, q = need_integer(t.ask("ceil_div", {value(m), t["n"]}));
       t.holds(q * n >= m && (q - 1) * n < m, q, "the least q with q*" + n.str() + " >= " + m.str());
     }},
    {"ceil_div_by_mode", "ceil_div((S, U), (m, n)) == (ceil_div(S, m), ceil_div(U, n)); a missing divisor is 1",
     "S:shape m:count U:shape n:count", "ceil_div",
     [](trial& t) {
       value const s = t.ask("ceil_div", {t["S"], t["m"]}), u = t.ask("ceil_div", {t["U"], t["n"]});
       t.equal(t.ask("ceil_div", {tuple_of({t["S"], t["U"]}), tuple_of({t["m"], t["n"]})}), tuple_of({s, u}));
       t.equal(t.ask("ceil_div", {tuple_of({t["S"], t["U"]}), tuple_of({t["m"]})}), tuple_of({s, t["U"]}));
     }},
    {"ceil_div_exists", "ceil_div(S, T) is defined exactly when T has nowhere more modes than S", "S:shape T:shape", "ceil_div",
     [](trial& t) { t.answers_iff(has_all_modes_of(t["S"], t["T"]), "ceil_div", {t["S"], t["T"]}); }},
    {"ceil_div_carries", "ceil_div((S, U), n) == (ceil_div(S, n), ceil_div(U, ceil_div(n, S)))", "S:shape U:shape n:count",
     "ceil_div",
     [](trial& t) {
       value const& rest = t.ask("ceil_div", {t["n"], value(size(t["S"]))});
       value const s = t.ask("ceil_div", {t["S"], t["n"]}), u = t.ask("ceil_div", {t["U"], rest});
       t.equal(t.ask("ceil_div", {tuple_of({t["S"], t["U"]}), t["n"]}), tuple_of({s, u}));
     }},
    {"shape_div_exact", "shape_div(m, n) == m / n if n divides m, 1 if m divides n, otherwise undefined",
     "m:positive n:positive", "shape_div",
     [](trial& t) {
       integer const m = t["m"].number, n = t["n"].number;
       answer const& a = t.try_ask("shape_div", {t["m"], t["n"]});
       std::string const right = m % n == 0 ? integer(m / n).str() : n % m == 0 ? "1" : "undefined";
       t.equal(a ? print(a.result) : std::string(status_name[static_cast<int>(a.what)]), right);
     }},
    {"shape_div_cancels", "size(shape_div(S, n)) * n == size(S)    for n that divides S front to back", "S:shape n:divisor(S)",
     "shape_div", [](trial& t) { t.equal(integer(size(t.ask("shape_div", {t["S"], t["n"]})) * t["n"].number), size(t["S"])); }},
    {"shape_div_carries", "shape_div((S, U), n) == (shape_div(S, n), shape_div(U, shape_div(n, size(S))))",
     "S:shape U:shape n:divisor(S)", "shape_div",
     [](trial& t) {
       value const& rest = t.ask("shape_div", {t["n"], value(size(t["S"]))});
       value const s = t.ask("shape_div", {t["S"], t["n"]}), u = t.ask("shape_div", {t["U"], rest});
       t.equal(t.ask("shape_div", {tuple_of({t["S"], t["U"]}), t["n"]}), tuple_of({s, u}));
     }},

    {"crd2idx_definition", "crd2idx(c, S) counts the coordinates of S colexicographically", "S:shape c:coordinate(S)",
     "crd2idx",
     [](trial& t) {
       integer w = 1;
       value const strides = map_strides(t["S"], t["S"], [&](value const& s, value const&) {
         integer const d = w;
         w *= s.number;
         return value(d);
       });
       t.equal(need_integer(t.ask("crd2idx", {t["c"], t["S"]})), at_coordinate(layout_of(t["S"], strides), t["c"]).number);
     }},
    {"crd2idx_index", "crd2idx(i, S) == i    for every i, beyond size(S) too", "S:shape i:natural", "crd2idx",
     [](trial& t) { t.equal(t.ask("crd2idx", {t["i"], t["S"]}), t["i"]); }},
    {"crd2idx_strided", "crd2idx(c, S, D) == (S:D)(c)", "A:signed c:coordinate(A)", "crd2idx",
     [](trial& t) {
       t.equal(need_integer(t.ask("crd2idx", {t["c"], t["A"].shape(), t["A"].stride()})), at_coordinate(t["A"], t["c"]).number);
     }},
    {"idx2crd_inverse", "crd2idx(idx2crd(i, S), S) == i    for every i, beyond size(S) too", "S:shape i:natural", "idx2crd",
     [](trial& t) { t.equal(t.ask("crd2idx", {t.ask("idx2crd", {t["i"], t["S"]}), t["S"]}), t["i"]); }},
    {"idx2crd_bounds", "idx2crd(i, S) is congruent to S and inside it    for i < size(S)", "S:shape i:index(S)", "idx2crd",
     [](trial& t) {
       value const& c = t.ask("idx2crd", {t["i"], t["S"]});
       t.holds(congruent(c, t["S"]) && inside(c, t["S"]), c, "a coordinate inside " + print(t["S"]));
     }},
    {"idx2crd_digits", "idx2crd(i, S) are the colexicographic digits of i; the last mode goes on", "S:shape i:natural",
     "idx2crd", [](trial& t) { t.equal(t.ask("idx2crd", {t["i"], t["S"]}), digits(t["i"].number, t["S"])); }},
    {"idx2crd_strided", "idx2crd(i, S, D)_k == (i / D_k) mod S_k; 0 where the extent is 1", "A:chain_once i:natural", "idx2crd",
     [](trial& t) {
       value const wanted = map_strides(t["A"].shape(), t["A"].stride(), [&](value const& s, value const& d) {
         return value(s.number == 1 ? integer(0) : integer(t["i"].number / d.number % s.number));
       });
       t.equal(t.ask("idx2crd", {t["i"], t["A"].shape(), t["A"].stride()}), wanted);
     }},
    {"get_hier_coord_inverse", "get_hier_coord(A, A(i)) == idx2crd(i, shape(A))    for compact A, i < size(A)",
     "A:compact i:index(A)", "get_hier_coord",
     [](trial& t) {
       t.equal(t.ask("get_hier_coord", {t["A"], value(at(t["A"], t["i"].number).number)}),
               digits(t["i"].number, t["A"].shape()));
     }},
    {"get_flat_coord_inverse", "get_flat_coord(A, A(i)) == the index of i in each mode    for compact A, i < size(A)",
     "A:compact i:index(A)", "get_flat_coord",
     [](trial& t) {
       std::vector<value> sizes;
       for (value const& m : modes(t["A"])) sizes.emplace_back(size(m));
       value const wanted = digits(t["i"].number, sizes.size() == 1 ? sizes[0] : tuple_of(sizes));
       t.equal(t.ask("get_flat_coord", {t["A"], value(at(t["A"], t["i"].number).number)}), wanted);
     }},
    {"get_1d_coord_inverse", "get_1d_coord(A, A(i)) == i    for compact A, i < size(A)", "A:compact i:index(A)", "get_1d_coord",
     [](trial& t) { t.equal(t.ask("get_1d_coord", {t["A"], value(at(t["A"], t["i"].number).number)}), t["i"]); }},
    {"get_1d_coord_exists", "get_1d_coord(A, i) is defined exactly when no leaf of two elements or more has stride 0",
     "A:chain i:natural", "get_1d_coord",
     [](trial& t) {
       leaf_list const all = leaves(t["A"]);
       bool const moves =
           std::all_of(all.begin(), all.end(), [](auto const& l) { return l.first == 1 || l.second != point(); });
       t.answers_iff(moves, "get_1d_coord", {t["A"], t["i"]});
     }},

    {"apply_definition", "apply(A, i) == the digits of i times the strides of A    for i < size(A)", "A:any i:coordinate(A)",
     "apply", [](trial& t) { t.equal(point_of(t.ask("apply", {t["A"], t["i"]})), at_coordinate(t["A"], t["i"])); }},
    {"apply_beyond_domain", "apply(A, i) goes on along the last leaf of A    for i >= size(A)", "A:any i:beyond(A)", "apply",
     [](trial& t) { t.equal(point_of(t.ask("apply", {t["A"], t["i"]})), at(t["A"], t["i"].number)); }},
    {"apply_by_mode", "apply((A, B), (c, d)) == apply(A, c) + apply(B, d)", "A:any c:coordinate(A) B:any d:coordinate(B)",
     "apply",
     [](trial& t) {
       point const whole = point_of(t.ask("apply", {list_of({t["A"], t["B"]}), tuple_of({t["c"], t["d"]})}));
       t.equal(whole, point_of(t.ask("apply", {t["A"], t["c"]})) + point_of(t.ask("apply", {t["B"], t["d"]})));
     }},
    {"apply_index", "apply(A, c) == apply(A, crd2idx(c, shape(A)))", "A:any c:coordinate(A)", "apply",
     [](trial& t) {
       t.equal(t.ask("apply", {t["A"], t["c"]}), t.ask("apply", {t["A"], t.ask("crd2idx", {t["c"], t["A"].shape()})}));
     }},
    {"apply_identity", "apply(I, i) == idx2crd(i, S)    for I the identity on the coordinates of S", "I:identity i:index(I)",
     "apply", [](trial& t) { t.equal(t.ask("apply", {t["I"], t["i"]}), digits(t["i"].number, t["I"].shape())); }},
    {"apply_swizzle_definition", "apply(Sw<B,M,S>, x) == x ^ (the B bits at M + max(S, 0) moved down by S)",
     "W:swizzle x:natural", "apply",
     [](trial& t) { t.equal(need_integer(t.ask("apply", {t["W"], t["x"]})), swizzled(t["W"], t["x"].number)); }},
    {"apply_swizzle_involution", "apply(W, apply(W, x)) == x", "W:swizzle x:natural", "apply",
     [](trial& t) { t.equal(t.ask("apply", {t["W"], t.ask("apply", {t["W"], t["x"]})}), t["x"]); }},
    {"apply_swizzle_linear", "apply(W, x ^ y) == apply(W, x) ^ apply(W, y)", "W:swizzle x:natural y:natural", "apply",
     [](trial& t) {
       integer const both = t["x"].number ^ t["y"].number, x = need_integer(t.ask("apply", {t["W"], t["x"]})),
                     y = need_integer(t.ask("apply", {t["W"], t["y"]}));
       t.equal(need_integer(t.ask("apply", {t["W"], value(both)})), integer(x ^ y));
     }},
    {"apply_swizzle_block", "apply(W, x) < 2^(M+B+|S|) for x below it: W permutes its block", "W:swizzle x:natural", "apply",
     [](trial& t) {
       auto const& w = t["W"].items;
       integer const block = integer(1) << static_cast<int>(w[0].number + w[1].number + mp::abs(w[2].number)),
                     x = t["x"].number % block;
       integer const y = need_integer(t.ask("apply", {t["W"], value(x)}));
       t.holds(y >= 0 && y < block, y, "below " + block.str());
     }},
    {"apply_swizzle_vector",
     "apply(Sw<B,M,S>, x) keeps runs of 2^M: x = 2^M y + r goes to apply(Sw<B,M,S>, 2^M y) + r    for r < 2^M",
     "W:swizzle x:natural", "apply",
     [](trial& t) {
       integer const run = integer(1) << static_cast<int>(t["W"].items[1].number), r = t["x"].number % run;
       t.equal(need_integer(t.ask("apply", {t["W"], t["x"]})),
               integer(need_integer(t.ask("apply", {t["W"], value(integer(t["x"].number - r))})) + r));
     }},
    {"apply_composed", "apply(Sw o n o A, i) == Sw(n + A(i)); a view is n + A(i)", "A:composed i:natural", "apply",
     [](trial& t) { t.equal(point_of(t.ask("apply", {t["A"], t["i"]})), value_at(t["A"], t["i"].number)); }},
};

}  // namespace

std::span<law const> coordinate_laws() { return coordinate_rows; }

}  // namespace colex
