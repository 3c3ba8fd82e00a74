// Rows of the laws of solving: the layout that makes a composition or a divide what is wanted.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/algebra.hpp"
#include "spec/laws/laws.hpp"

namespace colex {
namespace {

// X takes indices of A, and A has the values of B there.
void chooses(trial& t, value const& x, value const& a, value const& b) {
  t.equal(size(need_layout(x)), size(b));
  valuation const f(a), g(x), h(b);
  t.every("i", size(b), [&](integer const& i) {
    integer const j = g(i).number;
    t.holds(j >= 0 && j < size(a), j, [&] { return "an index below " + size(a).str(); });
    t.equal(f(j), h(i));
  });
}
// X, the answer on A and B, is the smallest.
void is_smallest(trial& t, char const* op, value const& a, value const& b) {
  answer const best = t.reference(op, {a, b});
  t.require(static_cast<bool>(best));
  t.equal(t.ask(op, {a, b}), best.result);
}

constexpr law solving_rows[] = {
    {"solve_composition_right_pointwise",
     "A(X(i)) == B(i) and X(i) < size(A)    for B = composition(A, Y), i < size(B) == size(X)", "A:signed Y:inside(A)",
     "solve_composition_right",
     [](trial& t) {
       value const b = t.ask("composition", {t["A"], t["Y"]});
       chooses(t, t.ask("solve_composition_right", {t["A"], b}), t["A"], b);
     }},
    {"solve_composition_right_exists",
     "solve_composition_right(A, B) is defined exactly when a layout X has composition(A, X) == B and X(i) < size(A)",
     "A:layout B:inside(A)", "solve_composition_right",
     [](trial& t) { t.answers_like_the_reference("solve_composition_right", {t["A"], t["B"]}); }},
    {"solve_composition_right_smallest",
     "no such X has fewer modes, or as many and a lesser value at the first i where two differ    for B = composition(A, Y)",
     "A:signed Y:inside(A)", "solve_composition_right",
     [](trial& t) { is_smallest(t, "solve_composition_right", t["A"], t.ask("composition", {t["A"], t["Y"]})); }},
    {"solve_composition_right_inverse",
     "solve_composition_right(A, n:1) == right_inverse(A)    for n its size, A that takes no value twice", "A:nested_once",
     "solve_composition_right",
     [](trial& t) {
       value const& r = t.ask("right_inverse", {t["A"]});
       t.equal(t.ask("solve_composition_right", {t["A"], layout_of(value(size(need_layout(r))), 1)}), r);
     }},

    {"solve_composition_left_pointwise", "X(A(i)) == B(i)    for B = composition(Y, A), i < size(A)", "Y:layout A:inside(Y)",
     "solve_composition_left",
     [](trial& t) {
       value const b = t.ask("composition", {t["Y"], t["A"]}), x = t.ask("solve_composition_left", {t["A"], b});
       valuation const f(t["A"]), g(x), h(b);
       t.every("i", size(t["A"]), [&](integer const& i) { t.equal(g(f(i).number), h(i)); });
     }},
    {"solve_composition_left_exists",
     "solve_composition_left(A, B) is defined exactly when a layout X of natural strides has composition(X, A) == B",
     "A:layout B:beside(A)", "solve_composition_left",
     [](trial& t) { t.answers_like_the_reference("solve_composition_left", {t["A"], t["B"]}); }, costly},
    {"solve_composition_left_smallest",
     "no such X has fewer modes, or as many and a lesser value at the first i where two differ    for B = composition(Y, A)",
     "Y:layout A:inside(Y)", "solve_composition_left",
     [](trial& t) { is_smallest(t, "solve_composition_left", t["A"], t.ask("composition", {t["Y"], t["A"]})); }},
    {"solve_composition_left_inverse", "solve_composition_left(A, size(A):1) == left_inverse(A)    for compact A", "A:compact",
     "solve_composition_left",
     [](trial& t) {
       t.equal(t.ask("solve_composition_left", {t["A"], layout_of(value(size(t["A"])), 1)}), t.ask("left_inverse", {t["A"]}));
     }},

    {"solve_logical_divide_divides", "logical_divide(A, X) == B mode by mode    for B = logical_divide(A, T)",
     "A:signed T:tile(A)", "solve_logical_divide",
     [](trial& t) {
       value const b = t.ask("logical_divide", {t["A"], t["T"]}), x = t.ask("solve_logical_divide", {t["A"], b}),
                   d = t.ask("logical_divide", {t["A"], x});
       for (std::size_t k = 0; k < 2; ++k) same_layout_function(t, mode(d, k), mode(b, k));
     }},
    {"solve_logical_divide_exists",
     "solve_logical_divide(A, B) is defined exactly when a layout X has logical_divide(A, X) == B and X(i) < size(A)",
     "A:layout T:tile(A) U:tile(A)", "solve_logical_divide",
     [](trial& t) {
       value const first = mode(t.ask("logical_divide", {t["A"], t["T"]}), 0),
                   rest = mode(t.ask("logical_divide", {t["A"], t["U"]}), 1);
       t.answers_like_the_reference("solve_logical_divide", {t["A"], list_of({first, rest})});
     },
     costly},
    {"solve_logical_divide_smallest",
     "no such X has fewer modes, or as many and a lesser value at the first i where two differ    for B = logical_divide(A, T)",
     "A:signed T:tile(A)", "solve_logical_divide",
     [](trial& t) { is_smallest(t, "solve_logical_divide", t["A"], t.ask("logical_divide", {t["A"], t["T"]})); }},
};

}  // namespace

std::span<law const> solving_laws() { return solving_rows; }

}  // namespace colex
