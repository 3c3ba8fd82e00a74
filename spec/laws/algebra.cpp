// Rows of the laws of the algebra: composition, complement, inverses, divides, products, fillings.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/algebra.hpp"

#include "spec/laws/laws.hpp"

namespace colex {
namespace {

constexpr law algebra_rows[] = {
    {"composition_pointwise", "composition(A, B)(i) == A(B(i))    for i < size(B), B inside A", "A:any B:inside(A)",
     "composition", [](trial& t) { composes(t, t.ask("composition", {t["A"], t["B"]}), t["A"], t["B"]); }},
    {"composition_beyond_domain", "composition(A, B)(i) == A(B(i))    for i < size(B), where B leaves A and A goes on",
     "A:any B:leaving(A)", "composition",
     [](trial& t) { composes(t, t.ask("composition", {t["A"], t["B"]}), t["A"], t["B"]); }},
    {"composition_signed", "composition(A, B)(i) == A(B(i))    for strides of A of any sign", "A:signed B:inside(A)",
     "composition", [](trial& t) { composes(t, t.ask("composition", {t["A"], t["B"]}), t["A"], t["B"]); }},
    {"composition_compatible", "shape(B) is compatible with shape(composition(A, B))", "A:any B:inside(A)", "composition",
     [](trial& t) { refines(t.ask("composition", {t["A"], t["B"]}).shape(), t["B"].shape()); }},
    {"composition_exists", "composition(A, B) is defined exactly when a layout R refines B with R(i) == A(B(i)) for all i",
     "A:any B:layout", "composition", [](trial& t) { t.answers_like_the_reference("composition", {t["A"], t["B"]}); }},
    {"composition_left_identity", "composition(n:1, B)(i) == B(i)    for any n", "B:layout n:count", "composition",
     [](trial& t) { same_layout_function(t, t.ask("composition", {layout_of(t["n"], 1), t["B"]}), t["B"]); }},
    {"composition_right_identity", "composition(A, size(A):1)(i) == A(i)    for i < size(A)", "A:any", "composition",
     [](trial& t) { same_layout_function(t, t.ask("composition", {t["A"], layout_of(value(size(t["A"])), 1)}), t["A"]); }},
    {"composition_associative",
     "composition(composition(A, B), C) == composition(A, composition(B, C)) as functions    for C inside B",
     "A:any B:inside(A) C:inside(B)", "composition",
     [](trial& t) {
       value const ab = t.ask("composition", {t["A"], t["B"]}), bc = t.ask("composition", {t["B"], t["C"]});
       same_layout_function(t, t.ask("composition", {ab, t["C"]}), t.ask("composition", {t["A"], bc}));
     }},
    {"composition_distributes", "composition(A, B)_k == composition(A, B_k)    where composition(A, B) is defined",
     "A:any B:inside(A)", "composition",
     [](trial& t) {
       std::vector<value> const r = modes(t.ask("composition", {t["A"], t["B"]})), b = modes(t["B"]);
       if (!t["B"].shape().is(kind::tuple)) return;
       t.equal(r.size(), b.size());
       for (std::size_t k = 0; k < b.size(); ++k) same_layout_function(t, r[k], t.ask("composition", {t["A"], b[k]}));
     }},
    {"composition_coalesced", "composition(coalesce(A), B) and composition(A, B) are the same function    for B inside A",
     "A:any B:inside(A)", "composition",
     [](trial& t) {
       same_layout_function(t, t.ask("composition", {t.ask("coalesce", {t["A"]}), t["B"]}),
                            t.ask("composition", {t["A"], t["B"]}));
     }},
    {"composition_by_mode",
     "composition(A, <T, U>) == (composition(A_0, T), composition(A_1, U)); _ keeps its mode, modes beyond are dropped",
     "A:any T:tiler(A)", "composition",
     [](trial& t) { t.equal(t.ask("composition", {t["A"], t["T"]}), by_mode(t, "composition", t["A"], t["T"], false)); }},
    {"composition_integer", "composition(A, n) == composition(A, n:1)", "A:any n:divisor(A)", "composition",
     [](trial& t) { t.equal(t.ask("composition", {t["A"], t["n"]}), t.ask("composition", {t["A"], layout_of(t["n"], 1)})); }},
    {"composition_identity",
     "composition(A, I) has the values of A at the coordinates that I names    for I the identity over A's shape",
     "A:any I:identity_of(A)", "composition",
     [](trial& t) { same_layout_function(t, t.ask("composition", {t["A"], t["I"]}), t["A"]); }},
    {"composition_composed", "composition(Sw o n o A, B)(i) == (Sw o n o A)(B(i))", "A:composed B:inside(A)", "composition",
     [](trial& t) {
       value const& r = t.ask("composition", {t["A"], t["B"]});
       composes(t, r, t["A"], t["B"]);
     }},
    {"composition_swizzle", "composition(Sw, n, A)(i) == Sw(n + A(i))", "W:swizzle n:count A:layout", "composition",
     [](trial& t) {
       valuation const h(t.ask("composition", {t["W"], t["n"], t["A"]})), f(t["A"]);
       t.every("i", size(t["A"]),
               [&](integer const& i) { t.equal(h(i), point(swizzled(t["W"], f(i).number + t["n"].number))); });
     }},
    {"composition_swizzles", "composition(V, W)(x) == V(W(x))    where that is a swizzle", "V:swizzle W:swizzle_like(V)",
     "composition",
     [](trial& t) {
       value const& r = t.ask("composition", {t["V"], t["W"]});
       t.every("x", 4096, [&](integer const& x) { t.equal(swizzled(r, x), swizzled(t["V"], swizzled(t["W"], x))); });
     }},

    {"complement_ordered", "complement(A, M)(i) < complement(A, M)(i + 1)    for i + 1 < its size", "A:nested M:cotarget(A)",
     "complement",
     [](trial& t) {
       value const& r = t.ask("complement", {t["A"], t["M"]});
       valuation const f(r);
       t.every("i", size(r) - 1, [&](integer const& i) {
         point const here = f(i), next = f(i + 1);
         t.holds(here.number < next.number, here, [&] { return "less than " + print(next); });
       });
     }},
    {"complement_disjoint", "(A, complement(A, M)) takes no value twice    for A that does not broadcast",
     "A:nested_once M:cotarget(A)", "complement",
     [](trial& t) {
       std::vector<integer> const v =
           sorted_image(t, list_of({t["A"], t.ask("complement", {t["A"], t["M"]})}), covered(t["A"], t["M"]));
       t.holds(!repeats(v), v, "no value twice");
     }},
    {"complement_covers",
     "(A, complement(A, M)) takes each value of 0 .. top * ceil(M / top) - 1 once    where each end divides the next stride",
     "A:chain_once M:cotarget(A)", "complement",
     [](trial& t) {
       integer const n = covered(t["A"], t["M"]);
       std::vector<integer> const v = sorted_image(t, list_of({t["A"], t.ask("complement", {t["A"], t["M"]})}), n);
       t.holds(is_interval(v) && v.size() == n, v, "0 .. " + integer(n - 1).str() + ", each once");
     }},
    {"complement_exists",
     "complement(A, M) is defined exactly when each moving leaf of A begins behind the end of the one before",
     "A:unsigned M:cotarget(A)", "complement",
     [](trial& t) { t.answers_iff(has_integer_strides(t["A"]) && nested(t["A"]), "complement", {t["A"], t["M"]}); }},
    {"complement_broadcast", "complement(A, M) == complement(filter(A), M)", "A:layout M:cotarget(A)", "complement",
     [](trial& t) {
       t.equal(t.ask("complement", {t["A"], t["M"]}), t.ask("complement", {t.ask("filter", {t["A"]}), t["M"]}));
     }},
    {"complement_involution", "complement(complement(A, N), N) takes the values of A    for chained A, N a multiple of its top",
     "A:chain_once k:count", "complement",
     [](trial& t) {
       value const n(integer(top(t["A"]) * t["k"].number));
       same_values(t, t.ask("complement", {t.ask("complement", {t["A"], n}), n}), t["A"], size(t["A"]));
     }},
    {"complement_canonical", "complement(A, M) is coalesced", "A:nested M:cotarget(A)", "complement",
     [](trial& t) {
       value const& r = t.ask("complement", {t["A"], t["M"]});
       t.equal(t.ask("coalesce", {r}), r);
     }},
    {"complement_default", "complement(A) == complement(A, cosize(filter(A)))", "A:layout", "complement",
     [](trial& t) {
       t.equal(t.ask("complement", {t["A"]}), t.ask("complement", {t["A"], t.ask("cosize", {t.ask("filter", {t["A"]})})}));
     }},
    {"complement_shape", "complement(A, S) ends as ceil_div(S, top) says", "A:chain S:shape", "complement",
     [](trial& t) {
       value const n(integer(size(t.ask("ceil_div", {t["S"], value(top(t["A"]))})) * top(t["A"])));
       t.equal(t.ask("complement", {t["A"], t["S"]}), t.ask("complement", {t["A"], n}));
     }},

    {"right_inverse_pointwise", "A(right_inverse(A)(i)) == i and right_inverse(A)(i) < size(A)    for i < its size", "A:signed",
     "right_inverse", [](trial& t) { inverts(t, t.ask("right_inverse", {t["A"]}), t["A"], size(t["A"])); }},
    {"right_inverse_maximal", "no larger layout R has A(R(i)) == i and R(i) < size(A) for i < size(R)", "A:signed",
     "right_inverse",
     [](trial& t) {
       answer const best = t.reference("right_inverse", {t["A"]});
       t.require(static_cast<bool>(best));
       t.equal(size(need_layout(t.ask("right_inverse", {t["A"]}))), size(best.result));
     }},
    {"right_inverse_compact", "right_inverse(A)(A(i)) == i    for compact A, i < size(A)", "A:compact", "right_inverse",
     [](trial& t) {
       valuation const f(t["A"]), g(t.ask("right_inverse", {t["A"]}));
       t.every("i", size(t["A"]), [&](integer const& i) { t.equal(g(f(i).number), point(i)); });
     }},
    {"right_inverse_composed",
     "(Sw o 0 o A)(R(i)) == i and R(i) < size(A)    for R = right_inverse(Sw o 0 o A), where it is a swizzled layout",
     "W:swizzle A:binary", "right_inverse",
     [](trial& t) {
       value const a(kind::composed, {t["W"], 0, t["A"]}), r = t.ask("right_inverse", {a});
       inverts(t, r, a, size(t["A"]));
     }},
    {"left_inverse_pointwise", "left_inverse(A)(A(i)) == i    for A that takes no value twice, i < size(A)", "A:nested_once",
     "left_inverse",
     [](trial& t) {
       valuation const f(t["A"]), g(t.ask("left_inverse", {t["A"]}));
       t.every("i", size(t["A"]), [&](integer const& i) { t.equal(g(f(i).number), point(i)); });
     }},
    {"left_inverse_quasi", "A(left_inverse(A)(A(i))) == A(i)    for i < size(A)", "A:layout", "left_inverse",
     [](trial& t) {
       valuation const f(t["A"]), g(t.ask("left_inverse", {t["A"]}));
       t.every("i", size(t["A"]), [&](integer const& i) {
         integer const j = g(f(i).number).number;
         t.holds(j >= 0, j, "an index");
         t.equal(f(j), f(i));
       });
     }},
    {"left_inverse_exists",
     "left_inverse(A) is defined exactly when a layout takes every value of A back    for A that takes no value twice",
     "A:injective", "left_inverse", [](trial& t) { t.answers_like_the_reference("left_inverse", {t["A"]}); }},
    {"left_inverse_compact", "left_inverse(A) and right_inverse(A) are the same function    for compact A", "A:compact",
     "left_inverse",
     [](trial& t) { same_layout_function(t, t.ask("left_inverse", {t["A"]}), t.ask("right_inverse", {t["A"]})); }},
    {"left_inverse_composed", "left_inverse(Sw o 0 o A)((Sw o 0 o A)(i)) == i    where it is a swizzled layout",
     "W:swizzle A:binary", "left_inverse",
     [](trial& t) {
       value const a(kind::composed, {t["W"], 0, t["A"]});
       valuation const f(a), g(t.ask("left_inverse", {a}));
       t.every("i", size(a), [&](integer const& i) { t.equal(g(f(i).number), point(i)); });
     }},
    {"nullspace_zero", "A(nullspace(A)(i)) == 0 and nullspace(A) takes no value twice", "A:any", "nullspace",
     [](trial& t) {
       value const& r = t.ask("nullspace", {t["A"]});
       valuation const f(t["A"]), g(r);
       t.every("i", size(r), [&](integer const& i) { t.equal(f(g(i).number), point()); });
       t.holds(largest(r) < size(t["A"]), r, "indices of A");
       std::vector<integer> const v = sorted_image(t, r, size(t["A"]));
       t.holds(!repeats(v), v, "none twice");
     }},
    {"nullspace_maximal", "size(nullspace(A)) * size(filter_zeros(A)) == size(A)", "A:any", "nullspace",
     [](trial& t) {
       t.equal(integer(size(t.ask("nullspace", {t["A"]})) * size(t.ask("filter_zeros", {t["A"]}))), size(t["A"]));
     }},
    {"max_common_layout_pointwise", "A(R(i)) == i == B(R(i)), R(i) inside both    for R = max_common_layout(A, B), i < size(R)",
     "A:nearly_compact B:nearly_compact", "max_common_layout",
     [](trial& t) {
       value const& r = t.ask("max_common_layout", {t["A"], t["B"]});
       inverts(t, r, t["A"], size(t["A"]));
       inverts(t, r, t["B"], size(t["B"]));
     }},
    {"max_common_layout_maximal", "no larger layout satisfies max_common_layout_pointwise", "A:nested B:nested",
     "max_common_layout",
     [](trial& t) {
       answer const best = t.reference("max_common_layout", {t["A"], t["B"]});
       t.require(static_cast<bool>(best));
       t.equal(size(need_layout(t.ask("max_common_layout", {t["A"], t["B"]}))), size(best.result));
     }},
    {"max_common_layout_self",
     "max_common_layout(A, A) and right_inverse(A) are the same function    for A that takes no value twice", "A:nested_once",
     "max_common_layout",
     [](trial& t) { same_layout_function(t, t.ask("max_common_layout", {t["A"], t["A"]}), t.ask("right_inverse", {t["A"]})); }},
    {"max_common_vector_size", "max_common_vector(A, B) == size(max_common_layout(A, B))", "A:nearly_compact B:nearly_compact",
     "max_common_vector",
     [](trial& t) {
       t.equal(need_integer(t.ask("max_common_vector", {t["A"], t["B"]})),
               size(need_layout(t.ask("max_common_layout", {t["A"], t["B"]}))));
     }},
    {"max_common_vector_values", "every i < max_common_vector(A, B) is a value of A, and one of B",
     "A:nearly_compact B:nearly_compact", "max_common_vector",
     [](trial& t) {
       std::vector<integer> const a = sorted_image(t, t["A"], size(t["A"])), b = sorted_image(t, t["B"], size(t["B"]));
       t.every("i", need_integer(t.ask("max_common_vector", {t["A"], t["B"]})), [&](integer const& i) {
         t.holds(std::binary_search(a.begin(), a.end(), i), i, "no value of A");
         t.holds(std::binary_search(b.begin(), b.end(), i), i, "no value of B");
       });
     }},
    {"domain_distribute_increasing", "domain_distribute(S, n)(i) < domain_distribute(S, n)(i + 1), all below size(S)",
     "S:shape n:count", "domain_distribute",
     [](trial& t) {
       std::vector<integer> const v = image(t, t.ask("domain_distribute", {t["S"], t["n"]}), t["n"].number);
       t.holds(std::is_sorted(v.begin(), v.end()) && !repeats(v) && v.back() < size(t["S"]), v, "increasing indices of S");
     }},
    {"domain_distribute_fits", "size(domain_distribute(S, n)) divides n, and composes with any layout of shape S",
     "S:shape n:count", "domain_distribute",
     [](trial& t) {
       value const& r = t.ask("domain_distribute", {t["S"], t["n"]});
       t.equal(integer(t["n"].number % size(need_layout(r))), integer(0));
       value const strides = map_strides(
           t["S"], t["S"], [w = integer(1)](value const&, value const&) mutable { return value(w = w * 97 % 65537); });
       composes(t, t.ask("composition", {layout_of(t["S"], strides), r}), layout_of(t["S"], strides), r);
     }},
    {"domain_distribute_greedy", "front to back each mode of S takes gcd(extent, what is left of n)", "S:shape n:count",
     "domain_distribute",
     [](trial& t) {
       integer left = t["n"].number, weight = 1;
       std::vector<value> taken, weights;
       for (auto const& [extent, unused] : leaves(layout_of(t["S"], t["S"]))) {
         taken.emplace_back(integer(mp::gcd(extent, left)));
         weights.emplace_back(weight);
         left /= taken.back().number, weight *= extent;
       }
       same_layout_function(t, need_layout(t.ask("domain_distribute", {t["S"], t["n"]})),
                            layout_of(tuple_of(taken), tuple_of(weights)));
     }},

    {"logical_divide_tile", "mode 0 of logical_divide(A, B) is composition(A, B)    for B that divides A", "A:any B:tile(A)",
     "logical_divide",
     [](trial& t) { t.equal(mode(t.ask("logical_divide", {t["A"], t["B"]}), 0), t.ask("composition", {t["A"], t["B"]})); }},
    {"logical_divide_rest", "logical_divide(A, B) == composition(A, (B, complement(B, size(A))))    for B that divides A",
     "A:any B:tile(A)", "logical_divide",
     [](trial& t) {
       value const& rest = t.ask("complement", {t["B"], value(size(t["A"]))});
       t.equal(t.ask("logical_divide", {t["A"], t["B"]}), t.ask("composition", {t["A"], list_of({t["B"], rest})}));
     }},
    {"logical_divide_permutes", "logical_divide(A, B) takes the values of A, each as often    for B that divides A",
     "A:signed B:tile(A)", "logical_divide",
     [](trial& t) { same_values(t, t.ask("logical_divide", {t["A"], t["B"]}), t["A"], size(t["A"])); }},
    {"logical_divide_rounds_up",
     "logical_divide(m:d, n) is ceil(m / n) tiles of n elements d apart; the last runs past the end",
     "m:positive d:positive n:count", "logical_divide",
     [](trial& t) {
       value const& r = t.ask("logical_divide", {layout_of(t["m"], t["d"]), t["n"]});
       integer const n = t["n"].number;
       t.equal(size(r), integer((t["m"].number + n - 1) / n * n));
       t.every("i", size(r), [&](integer const& i) { t.equal(at(r, i), point(integer(i * t["d"].number))); });
     }},
    {"logical_divide_pads_one_mode",
     "logical_divide((m, k):(d, e), n) is logical_divide((n * ceil(m / n), k):(d, e), n)    for n < m, e != m * d",
     "m:count k:count d:positive e:positive n:count", "logical_divide",
     [](trial& t) {
       integer const m = t["m"].number + t["n"].number, n = t["n"].number, whole = (m + n - 1) / n * n;
       value const stride = tuple_of({t["d"], value(integer(t["d"].number * whole + t["e"].number))});
       auto divided = [&](integer const& first) {
         return t.ask("logical_divide", {layout_of(tuple_of({value(first), t["k"]}), stride), t["n"]});
       };
       same_layout_function(t, divided(m), divided(whole));
     }},
    {"logical_divide_exists", "logical_divide(A, T) is defined exactly when a layout satisfies its laws", "A:any T:any_tile(A)",
     "logical_divide", [](trial& t) { t.answers_like_the_reference("logical_divide", {t["A"], t["T"]}); }},
    {"logical_divide_by_mode", "logical_divide(A, <T, U>) == (logical_divide(A_0, T), logical_divide(A_1, U), A_2, ...)",
     "A:any T:tiler(A)", "logical_divide",
     [](trial& t) { t.equal(t.ask("logical_divide", {t["A"], t["T"]}), by_mode(t, "logical_divide", t["A"], t["T"], true)); }},
    {"logical_divide_integer", "logical_divide(A, n) == logical_divide(A, n:1)    for n > 1", "A:any n:divisor(A)",
     "logical_divide",
     [](trial& t) { t.equal(t.ask("logical_divide", {t["A"], t["n"]}), t.ask("logical_divide", {t["A"], tile_of(t["n"])})); }},
    {"logical_divide_composed", "logical_divide(Sw o n o A, T)(i) == Sw(n + logical_divide(A, T)(i))", "A:composed T:tile(A)",
     "logical_divide",
     [](trial& t) {
       value const &r = t.ask("logical_divide", {t["A"], t["T"]}), &inner = t["A"].items.back();
       value wanted = t["A"];
       wanted.items.back() = t.ask("logical_divide", {inner, t["T"]});
       same_function(t, r, wanted, size(wanted));
     }},
    {"zipped_divide_regroups", "zipped_divide(A, T) == ((tiles), (rests, untouched modes)) of logical_divide(A, T)",
     "A:any T:tiler(A)", "zipped_divide",
     [](trial& t) { regrouped(t, "zipped_divide", "logical_divide", t["A"], t["T"], zipped); }},
    {"zipped_divide_layout", "zipped_divide(A, B) == logical_divide(A, B)    for a layout B", "A:any B:tile(A)",
     "zipped_divide",
     [](trial& t) { t.equal(t.ask("zipped_divide", {t["A"], t["B"]}), t.ask("logical_divide", {t["A"], t["B"]})); }},
    {"tiled_divide_regroups", "tiled_divide(A, T) is zipped_divide(A, T) with the rest opened", "A:any T:tiler(A)",
     "tiled_divide",
     [](trial& t) {
       t.equal(t.ask("tiled_divide", {t["A"], t["T"]}), unzipped(t.ask("zipped_divide", {t["A"], t["T"]}), false));
     }},
    {"flat_divide_regroups", "flat_divide(A, T) is zipped_divide(A, T) with both parts opened", "A:any T:tiler(A)",
     "flat_divide",
     [](trial& t) {
       t.equal(t.ask("flat_divide", {t["A"], t["T"]}), unzipped(t.ask("zipped_divide", {t["A"], t["T"]}), true));
     }},

    {"logical_product_block", "mode 0 of logical_product(A, B) is A", "A:nested B:small", "logical_product",
     [](trial& t) { t.equal(mode(t.ask("logical_product", {t["A"], t["B"]}), 0), t["A"]); }},
    {"logical_product_tile",
     "mode 1 of logical_product(A, B) is composition(complement(A, size(A) * cosize(B)), B), further where B needs more room",
     "A:chain B:small", "logical_product",
     [](trial& t) {
       value const m(integer(size(t["A"]) * (largest(t["B"]) + 1)));
       t.require(largest(t["B"]) < covered(t["A"], m) / size(t["A"]));
       value const& room = t.ask("complement", {t["A"], m});
       t.equal(mode(t.ask("logical_product", {t["A"], t["B"]}), 1), t.ask("composition", {room, t["B"]}));
     }},
    {"logical_product_copies", "logical_product(A, B) takes no value twice    for A and B that take none twice",
     "A:nested_once B:small", "logical_product",
     [](trial& t) {
       integer const n = size(t["A"]) * size(t["B"]);
       std::vector<integer> const v = sorted_image(t, t.ask("logical_product", {t["A"], t["B"]}), n);
       t.equal(integer(v.size()), n);
       t.holds(!repeats(v), v, "no value twice");
     }},
    {"logical_product_compatible", "mode 1 of logical_product(A, B) refines B", "A:nested B:small", "logical_product",
     [](trial& t) { refines(mode(t.ask("logical_product", {t["A"], t["B"]}), 1).shape(), t["B"].shape()); }},
    {"logical_product_exists", "logical_product(A, B) is defined exactly when A has a complement that composes with B",
     "A:unsigned B:layout", "logical_product",
     [](trial& t) { t.answers_like_the_reference("logical_product", {t["A"], t["B"]}); }},
    {"logical_product_by_mode", "logical_product(A, <T, U>) == (logical_product(A_0, T), logical_product(A_1, U), A_2, ...)",
     "A:compact T:tiler(A)", "logical_product",
     [](trial& t) {
       t.equal(t.ask("logical_product", {t["A"], t["T"]}), by_mode(t, "logical_product", t["A"], t["T"], true));
     }},
    {"logical_product_integer", "logical_product(A, n) == logical_product(A, n:1)    for n > 1", "A:nested n:count",
     "logical_product",
     [](trial& t) {
       t.equal(t.ask("logical_product", {t["A"], t["n"]}), t.ask("logical_product", {t["A"], tile_of(t["n"])}));
     }},
    {"zipped_product_regroups", "zipped_product(A, T) == ((blocks), (copies, untouched modes)) of logical_product(A, T)",
     "A:compact T:tiler(A)", "zipped_product",
     [](trial& t) { regrouped(t, "zipped_product", "logical_product", t["A"], t["T"], zipped); }},
    {"tiled_product_regroups", "tiled_product(A, T) is zipped_product(A, T) with the rest opened", "A:compact T:tiler(A)",
     "tiled_product",
     [](trial& t) {
       t.equal(t.ask("tiled_product", {t["A"], t["T"]}), unzipped(t.ask("zipped_product", {t["A"], t["T"]}), false));
     }},
    {"flat_product_regroups", "flat_product(A, T) is zipped_product(A, T) with both parts opened", "A:compact T:tiler(A)",
     "flat_product",
     [](trial& t) {
       t.equal(t.ask("flat_product", {t["A"], t["T"]}), unzipped(t.ask("zipped_product", {t["A"], t["T"]}), true));
     }},
    {"blocked_product_modes", "blocked_product(A, B)_k == (block_k, copies_k) of logical_product of A and B padded to one rank",
     "A:nested B:small", "blocked_product", [](trial& t) { product_by_rank(t, "blocked_product", true); }},
    {"blocked_product_permutes", "blocked_product(A, B) takes the values of logical_product(A, B)", "A:nested B:small",
     "blocked_product",
     [](trial& t) {
       same_values(t, t.ask("blocked_product", {t["A"], t["B"]}), t.ask("logical_product", {t["A"], t["B"]}),
                   size(t["A"]) * size(t["B"]));
     }},
    {"raked_product_modes", "raked_product(A, B)_k == (copies_k, block_k) of logical_product of A and B padded to one rank",
     "A:nested B:small", "raked_product", [](trial& t) { product_by_rank(t, "raked_product", false); }},
    {"raked_product_permutes", "raked_product(A, B) takes the values of blocked_product(A, B)", "A:nested B:small",
     "raked_product",
     [](trial& t) {
       same_values(t, t.ask("raked_product", {t["A"], t["B"]}), t.ask("blocked_product", {t["A"], t["B"]}),
                   size(t["A"]) * size(t["B"]));
     }},
    {"tile_to_shape_sizes", "size(tile_to_shape(A, S)_k) == S_k", "A:compact S:tiled_shape(A)", "tile_to_shape",
     [](trial& t) {
       value const& r = t.ask("tile_to_shape", {t["A"], t["S"]});
       if (!t["S"].is(kind::tuple)) return t.equal(size(r), t["S"].number);
       t.equal(rank(r), t["S"].items.size());
       t.every("k", integer(rank(r)), [&](integer const& k) {
         t.equal(size(mode(r, static_cast<std::size_t>(k))), size(t["S"].items.at(static_cast<std::size_t>(k))));
       });
     }},
    {"tile_to_shape_fills", "tile_to_shape(A, S) takes 0 .. size(S) - 1, each once    for compact A",
     "A:compact S:tiled_shape(A)", "tile_to_shape",
     [](trial& t) {
       std::vector<integer> const v = sorted_image(t, t.ask("tile_to_shape", {t["A"], t["S"]}), size(t["S"]));
       t.holds(is_interval(v) && v.size() == size(t["S"]), v, "0 .. " + integer(size(t["S"]) - 1).str() + ", each once");
     }},
    {"tile_to_shape_block", "tile_to_shape(A, S)_k starts with mode k of A", "A:compact S:tiled_shape(A)", "tile_to_shape",
     [](trial& t) {
       value const r = t.ask("tile_to_shape", {t["A"], t["S"]}), a = padded(t["A"], rank(t["S"]));
       if (rank(t["S"]) == 1) return same_function(t, r, a, size(a));
       for (std::size_t k = 0; k < rank(a); ++k) same_function(t, mode(r, k), mode(a, k), size(mode(a, k)));
     }},
    {"tile_to_shape_orders", "tile_to_shape(A, S, LayoutRight) puts copies in the last mode first", "A:compact p:count q:count",
     "tile_to_shape",
     [](trial& t) {
       value const shape = tuple_of({value(integer(size(t["A"]) * t["p"].number)), t["q"]}),
                   flat = layout_of(tuple_of({value(size(t["A"])), value(1)}), tuple_of({value(1), value(0)}));
       value const& r = t.ask("tile_to_shape", {flat, shape, word_of("LayoutRight")});
       t.every("k", t["q"].number, [&](integer const& k) { t.equal(at(mode(r, 1), k), point(integer(k * size(t["A"])))); });
     }},
    {"tile_to_shape_exists",
     "tile_to_shape(A, S) is defined exactly when each mode of A divides its mode of S and the product with the copies is "
     "defined",
     "A:nested S:tiled_shape(A)", "tile_to_shape",
     [](trial& t) { t.answers_like_the_reference("tile_to_shape", {t["A"], t["S"]}); }},
};

}  // namespace

std::span<law const> algebra_laws() { return algebra_rows; }

}  // namespace colex
