// Rows of the laws of linear maps over F2.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/indices.hpp"
#include "spec/laws/laws.hpp"

namespace colex {
namespace {

integer const two = 2;
integer size_of_bits(std::size_t bits) { return mp::pow(two, static_cast<unsigned>(bits)); }

// A map that was answered: its bases, looked up once, and its numbers of bits.
struct linear {
  explicit linear(value const& map) : bases(f2_bases(map)), width(map.items[0].number) {}
  integer operator()(integer const& x) const { return f2_at(bases, x); }
  integer indices() const { return size_of_bits(bases.size()); }
  std::size_t bits() const { return bases.size(); }

  std::vector<integer> bases;
  integer width;
};
// All values in order of index: each bit repeats what those before it take.
std::vector<integer> table_of(std::vector<integer> const& bases) {
  std::vector<integer> out{0};
  for (integer const& b : bases)
    for (std::size_t k = 0, n = out.size(); k < n; ++k) out.push_back(out[k] ^ b);
  return out;
}
// Of a map with few bits.
std::vector<integer> table_of(trial const& t, linear const& f) {
  t.require(f.bits() <= 12);
  return table_of(f.bases);
}
std::set<integer> values_of(trial const& t, linear const& f) {
  std::vector<integer> const all = table_of(t, f);
  return {all.begin(), all.end()};
}
// F has those values in that order, each once; as many as F has indices.
void takes(trial& t, value const& f, std::vector<integer> const& wanted) {
  linear const have(f);
  t.equal(have.indices(), integer(wanted.size()));
  t.every("i", have.indices(), [&](integer const& i) { t.equal(have(i), wanted[static_cast<std::size_t>(i)]); });
}
// The same values at the same indices, whatever the modes.
void same_map(trial& t, value const& f, value const& g) {
  linear const left(f), right(g);
  t.equal(left.indices(), right.indices());
  t.every("i", left.indices(), [&](integer const& i) { t.equal(left(i), right(i)); });
}
// The map of a layout, with so many bits.
value const& mapped(trial& t, value const& a, integer const& width) { return t.ask("to_f2", {a, value(width)}); }
// What a function of layouts answers: a map only where the reference has no layout either.
value const& of_layouts(trial& t, char const* op, std::vector<value> const& args) {
  value const& a = t.ask(op, args);
  t.holds(!a.is(kind::f2) || t.reference(op, args).result.is(kind::f2), a, "a layout");
  return a;
}
// What is answered of layouts, a layout or a map, has the values of a map.
void same_values_as(trial& t, value const& r, value const& map) {
  linear const f(map);
  valuation const have(r);
  t.equal(size(r), f.indices());
  t.every("i", f.indices(), [&](integer const& i) { t.equal(have(i), point(f(i))); });
}
// A function of two layouts has the values of a function of their maps.
void maps_agree(trial& t, char const* of_maps, char const* op, value const& a, value const& b) {
  value const& f = t.ask("to_f2", {a});
  value const& r = t.ask(of_maps, {f, t.ask("to_f2", {b})});
  same_values_as(t, of_layouts(t, op, {a, b}), r);
}
integer bits_of(value const& map) { return integer(linear(map).bits()); }

// By the definition: extents are powers of two, and each value is a natural number, the xor of those at the bits of its index.
bool is_linear_by_table(value const& a) {
  for (auto const& leaf : leaves(layout_in(a)))
    if ((leaf.first & (leaf.first - 1)) != 0) return false;
  std::vector<integer> bases;
  valuation const f(a);
  for (integer x = 1; x < size(a); x *= 2) {
    point const b = f(x);
    if (!b.is_integer() || b.number < 0) return false;
    bases.push_back(b.number);
  }
  std::vector<integer> const table = table_of(bases);
  for (std::size_t x = 0; x < table.size(); ++x)
    if (f(x) != point(table[x])) return false;
  return true;
}
bool repeats_a_value(trial const& t, linear const& f) {
  std::vector<integer> all = table_of(t, f);
  std::sort(all.begin(), all.end());
  return repeats(all);
}

constexpr law f2_rows[] = {
    {"to_f2_agrees", "to_f2(A)(x) == A(x)    for x < size(A), and to_f2(A) has the shape of A", "A:linear", "to_f2",
     [](trial& t) {
       value const& f = t.ask("to_f2", {t["A"]});
       linear const of(f);
       t.equal(f2_shape(f.items[1]), layout_in(t["A"]).shape());
       t.every("x", size(t["A"]), [&](integer const& x) { t.equal(point(of(x)), value_at(t["A"], x)); });
     }},
    {"to_f2_exists",
     "to_f2(A) is defined exactly when all extents are powers of two and A(x) is the xor of A's values at the bits of x",
     "A:nearly_linear", "to_f2",
     [](trial& t) {
       t.require(size(t["A"]) <= table_limit);
       t.answers_iff(is_linear_by_table(t["A"]), "to_f2", {t["A"]});
     }},
    {"to_f2_width", "to_f2(A, n) == to_f2(A) with values of n bits, defined exactly when they have no more", "A:linear n:count",
     "to_f2",
     [](trial& t) {
       t.require(t["n"].number <= max_bits);
       value const& f = t.ask("to_f2", {t["A"]});
       bool const fits = linear(f).width <= t["n"].number;
       t.answers_iff(fits, "to_f2", {t["A"], t["n"]});
       if (fits) t.equal(mapped(t, t["A"], t["n"].number), value(kind::f2, {t["n"], f.items[1]}));
     }},
    {"to_f2_swizzle", "to_f2(Sw, n)(x) == Sw(x)    for x < 2^n, n bits that Sw does not leave", "W:swizzle n:count", "to_f2",
     [](trial& t) {
       value const& w = t["W"];
       integer const n = w.items[0].number + w.items[1].number + mp::abs(w.items[2].number) + t["n"].number;
       t.require(n <= max_bits);
       linear const f(t.ask("to_f2", {w, value(n)}));
       t.equal(integer(f.bits()), n);
       t.every("x", f.indices(), [&](integer const& x) { t.equal(f(x), swizzled(w, x)); });
     }},
    {"to_f2_upcast", "to_f2(upcast(A, n)) has the bases of to_f2(A) div n, without those from 1 to n - 1",
     "A:chained_bits n:power", "to_f2",
     [](trial& t) {
       std::vector<integer> wanted;
       for (integer const& b : linear(t.ask("to_f2", {t["A"]})).bases)
         if (b == 0 || b >= t["n"].number) wanted.push_back(b / t["n"].number);
       t.equal(print(linear(t.ask("to_f2", {t.ask("upcast", {t["A"], t["n"]})})).bases), print(wanted));
     }},

    {"from_f2_to_f2", "to_f2(from_f2(F), n) has the values of F    for F of n bits that is the map of a layout", "A:linear",
     "from_f2",
     [](trial& t) {
       value const f = t.ask("to_f2", {t["A"]}), &a = t.ask("from_f2", {f});
       refines(layout_in(a).shape(), f2_shape(f.items.at(1)));
       same_map(t, mapped(t, a, f.items[0].number), f);
     }},
    {"from_f2_exists", "from_f2(F) is defined exactly when a layout, or one behind a swizzle, has the values of F", "F:map",
     "from_f2", [](trial& t) { t.answers_like_the_reference("from_f2", {t["F"]}); }},
    {"from_f2_least",
     "from_f2(F) has no swizzle if it can be, else one of the fewest bits, then S > 0, then the least |S|; each run of doubled "
     "bases is one leaf",
     "A:linear", "from_f2",
     [](trial& t) {
       value const& f = t.ask("to_f2", {t["A"]});
       answer const best = t.reference("from_f2", {f});
       t.require(static_cast<bool>(best));
       t.equal(t.ask("from_f2", {f}), best.result);
     }},

    {"f2_apply_definition", "f2_apply(F, c) == the xor of the bases at the bits of the index of c", "F:map c:coordinate(F)",
     "f2_apply",
     [](trial& t) {
       value const s = f2_shape(t["F"].items[1]);
       answer const x = t.reference("crd2idx", {t["c"], s});
       t.require(static_cast<bool>(x));
       t.equal(t.ask("f2_apply", {t["F"], t["c"]}), value(linear(t["F"])(x.result.number)));
     }},
    {"f2_apply_exists", "f2_apply(F, c) is defined exactly when c is a coordinate of F    for c a coordinate of G",
     "F:map G:map c:coordinate(G)", "f2_apply",
     [](trial& t) { t.answers_iff(is_coordinate(t["c"], f2_shape(t["F"].items[1])), "f2_apply", {t["F"], t["c"]}); }},
    {"f2_apply_linear", "F(x ^ y) == F(x) ^ F(y)", "F:map x:index(F) y:index(F)", "f2_apply",
     [](trial& t) {
       integer const &x = t["x"].number, &y = t["y"].number;
       auto const at = [&](integer const& i) { return need_integer(t.ask("f2_apply", {t["F"], value(i)})); };
       integer const left = at(x ^ y);
       t.equal(left, integer(at(x) ^ at(y)));
     }},
    {"f2_apply_slices", "f2_apply(to_f2(A), c filled with i) == slice_and_offset(c, A)(i)", "A:linear c:slicer(A)", "f2_apply",
     [](trial& t) {
       value const &f = t.ask("to_f2", {t["A"]}), &part = t.ask("slice_and_offset", {t["c"], t["A"]});
       value const& shape = layout_in(t["A"]).shape();
       t.every("i", size(part), [&](integer const& i) {
         integer rest = i;
         t.equal(point(t.ask("f2_apply", {f, filled(t["c"], shape, rest)})), value_at(part, i));
       });
     }},

    {"f2_rank_definition", "F has 2^f2_rank(F) values", "F:map", "f2_rank",
     [](trial& t) {
       integer const n(values_of(t, linear(t["F"])).size()), &r = need_integer(t.ask("f2_rank", {t["F"]}));
       t.holds(r >= 0 && r <= 12 && size_of_bits(static_cast<std::size_t>(r)) == n, "2^" + r.str(), n.str() + " values");
     }},
    {"f2_rank_nullity", "f2_rank(F) + the bits of f2_kernel(F) == the bits of F", "F:map", "f2_rank",
     [](trial& t) {
       integer const& r = need_integer(t.ask("f2_rank", {t["F"]}));
       t.equal(integer(r + bits_of(t.ask("f2_kernel", {t["F"]}))), bits_of(t["F"]));
     }},
    {"f2_image_ascending", "f2_image(F)(i) == the i-th smallest value of F", "F:map", "f2_image",
     [](trial& t) {
       std::set<integer> const values = values_of(t, linear(t["F"]));
       takes(t, t.ask("f2_image", {t["F"]}), {values.begin(), values.end()});
     }},
    {"f2_kernel_ascending", "f2_kernel(F)(i) == the i-th smallest x with F(x) == 0", "F:map", "f2_kernel",
     [](trial& t) {
       std::vector<integer> const values = table_of(t, linear(t["F"]));
       std::vector<integer> zeros;
       for (std::size_t x = 0; x < values.size(); ++x)
         if (values[x] == 0) zeros.emplace_back(x);
       takes(t, t.ask("f2_kernel", {t["F"]}), zeros);
     }},

    {"f2_compose_pointwise", "f2_compose(F, G)(x) == F(G(x)), with the shape of G", "F:map G:map_into(F)", "f2_compose",
     [](trial& t) {
       value const& r = t.ask("f2_compose", {t["F"], t["G"]});
       linear const h(r), f(t["F"]), g(t["G"]);
       t.equal(f2_shape(r.items[1]), f2_shape(t["G"].items[1]));
       t.every("x", h.indices(), [&](integer const& x) { t.equal(h(x), f(g(x))); });
     }},
    {"f2_compose_exists", "f2_compose(F, G) is defined exactly when the values of G are indices of F", "F:map G:map",
     "f2_compose",
     [](trial& t) {
       linear const f(t["F"]), g(t["G"]);
       bool const inside = std::all_of(g.bases.begin(), g.bases.end(), [&](integer const& b) { return b < f.indices(); });
       t.answers_iff(inside, "f2_compose", {t["F"], t["G"]});
     }},
    {"f2_compose_associative", "f2_compose(f2_compose(F, G), H) == f2_compose(F, f2_compose(G, H))",
     "F:map G:map_into(F) H:map_into(G)", "f2_compose",
     [](trial& t) {
       value const left = t.ask("f2_compose", {t.ask("f2_compose", {t["F"], t["G"]}), t["H"]});
       t.equal(left, t.ask("f2_compose", {t["F"], t.ask("f2_compose", {t["G"], t["H"]})}));
     }},
    {"f2_compose_identity", "f2_compose(F, to_f2(2^m:1)) == F == f2_compose(to_f2(2^n:1), F)    for m bits to n bits, by value",
     "F:map", "f2_compose",
     [](trial& t) {
       integer const m = bits_of(t["F"]), n = t["F"].items[0].number;
       auto const identity = [&](integer const& bits) {
         return t.ask("to_f2", {layout_of(value(size_of_bits(static_cast<std::size_t>(bits))), 1)});
       };
       same_map(t, t.ask("f2_compose", {t["F"], identity(m)}), t["F"]);
       t.equal(t.ask("f2_compose", {identity(n), t["F"]}), t["F"]);
     }},
    {"f2_compose_agrees", "f2_compose(to_f2(A), to_f2(B)) == to_f2(composition(A, B)) by value    for linear A and B inside A",
     "A:linear B:linear_tile(A)", "f2_compose", [](trial& t) { maps_agree(t, "f2_compose", "composition", t["A"], t["B"]); }},

    {"f2_invert_both_ways", "f2_invert(F)(F(x)) == x and F(f2_invert(F)(y)) == y", "F:bijection", "f2_invert",
     [](trial& t) {
       linear const f(t["F"]), inverse(t.ask("f2_invert", {t["F"]}));
       t.equal(inverse.indices(), f.indices());
       t.every("x", f.indices(), [&](integer const& x) {
         t.equal(inverse(f(x)), x);
         t.equal(f(inverse(x)), x);
       });
     }},
    {"f2_invert_exists", "f2_invert(F) is defined exactly when F takes each number of its n bits once", "F:map", "f2_invert",
     [](trial& t) {
       linear const f(t["F"]);
       t.answers_iff(f.width == f.bits() && !repeats_a_value(t, f), "f2_invert", {t["F"]});
     }},

    {"f2_right_inverse_least", "f2_right_inverse(F)(y) == the least x with F(x) == y", "F:map", "f2_right_inverse",
     [](trial& t) {
       std::vector<integer> const values = table_of(t, linear(t["F"]));
       linear const r(t.ask("f2_right_inverse", {t["F"]}));
       t.every("y", r.indices(),
               [&](integer const& y) { t.equal(r(y), integer(std::find(values.begin(), values.end(), y) - values.begin())); });
     }},
    {"f2_right_inverse_maximal",
     "size(f2_right_inverse(F)) == the largest power of two below which all numbers are values of F", "F:map",
     "f2_right_inverse",
     [](trial& t) {
       std::set<integer> const values = values_of(t, linear(t["F"]));
       integer n = 1;
       while (values.contains(n)) n *= 2;
       t.equal(linear(t.ask("f2_right_inverse", {t["F"]})).indices(), n);
     }},
    {"f2_right_inverse_agrees",
     "f2_right_inverse(to_f2(A)) == to_f2(right_inverse(A)) by value    for linear A that takes no value twice", "A:linear",
     "f2_right_inverse",
     [](trial& t) {
       value const& f = t.ask("to_f2", {t["A"]});
       t.require(!repeats_a_value(t, linear(f)));
       value const& r = t.ask("f2_right_inverse", {f});
       same_values_as(t, of_layouts(t, "right_inverse", {t["A"]}), r);
     }},

    {"f2_left_inverse_pseudo", "F(f2_left_inverse(F)(F(x))) == F(x)", "F:map", "f2_left_inverse",
     [](trial& t) {
       linear const f(t["F"]), l(t.ask("f2_left_inverse", {t["F"]}));
       t.equal(integer(l.bits()), f.width);
       t.every("x", f.indices(), [&](integer const& x) { t.equal(f(l(f(x))), f(x)); });
     }},
    {"f2_left_inverse_nearest", "f2_left_inverse(F)(y) == the least x of those for which F(x) ^ y is least", "F:map",
     "f2_left_inverse",
     [](trial& t) {
       std::vector<integer> const values = table_of(t, linear(t["F"]));
       linear const l(t.ask("f2_left_inverse", {t["F"]}));
       t.every("y", l.indices(), [&](integer const& y) {
         auto const nearer = [&](integer const& u, integer const& v) { return (u ^ y) < (v ^ y); };
         t.equal(l(y), integer(std::min_element(values.begin(), values.end(), nearer) - values.begin()));
       });
     }},
    {"f2_left_inverse_agrees",
     "f2_left_inverse(to_f2(A))(A(x)) == left_inverse(A)(A(x))    for linear A that takes no value twice", "A:linear",
     "f2_left_inverse",
     [](trial& t) {
       value const& f = t.ask("to_f2", {t["A"]});
       t.require(!repeats_a_value(t, linear(f)));
       linear const l(t.ask("f2_left_inverse", {f}));
       valuation const a(t["A"]), by_layout(of_layouts(t, "left_inverse", {t["A"]}));
       t.every("x", size(t["A"]), [&](integer const& x) { t.equal(point(l(a(x).number)), by_layout(a(x).number)); });
     }},

    {"f2_product_pointwise", "f2_product(F, G)((x, y)) == F(x) + 2^n G(y)    for F of n bits", "F:map G:map", "f2_product",
     [](trial& t) {
       value const& r = t.ask("f2_product", {t["F"], t["G"]});
       linear const p(r), f(t["F"]), g(t["G"]);
       t.equal(f2_shape(r.items[1]), tuple_of({f2_shape(t["F"].items[1]), f2_shape(t["G"].items[1])}));
       t.equal(p.width, integer(f.width + g.width));
       integer const scale = size_of_bits(static_cast<std::size_t>(f.width));
       t.every("x", p.indices(),
               [&](integer const& x) { t.equal(p(x), integer(f(x % f.indices()) + scale * g(x / f.indices()))); });
     }},
    {"f2_product_agrees", "f2_product(to_f2(A), to_f2(B)) == to_f2(logical_product(A, B)) by value    for compact A",
     "A:binary B:chained_bits", "f2_product",
     [](trial& t) {
       value const& r = t.ask("f2_product", {t.ask("to_f2", {t["A"]}), t.ask("to_f2", {t["B"]})});
       same_map(t, r, t.ask("to_f2", {of_layouts(t, "logical_product", {t["A"], t["B"]})}));
     }},

    {"f2_complement_covers",
     "each number of n bits is f2_complement(F)(i) ^ F(x) for one i and one value F(x)    for F of n bits", "F:map",
     "f2_complement",
     [](trial& t) {
       t.require(t["F"].items[0].number <= 10);
       std::set<integer> const values = values_of(t, linear(t["F"]));
       linear const c(t.ask("f2_complement", {t["F"]}));
       t.equal(integer(c.indices() * integer(values.size())), size_of_bits(static_cast<std::size_t>(t["F"].items[0].number)));
       std::set<integer> met;
       for (integer const& y : table_of(t, c))
         for (integer const& v : values) met.insert(integer(y ^ v));
       t.equal(integer(met.size()), integer(c.indices() * integer(values.size())));
     }},
    {"f2_complement_least", "f2_complement(F, n)(i) ascends, and is the least of all f2_complement(F, n)(i) ^ F(x)",
     "F:map n:count", "f2_complement",
     [](trial& t) {
       integer const n = t["F"].items[0].number + t["n"].number;
       t.require(n <= max_bits);
       std::set<integer> const values = values_of(t, linear(t["F"]));
       linear const c(t.ask("f2_complement", {t["F"], value(n)}));
       t.equal(c.width, n);
       t.every("i", c.indices(), [&](integer const& i) {
         t.holds(i == 0 || c(i - 1) < c(i), c(i), "more than the value before");
         for (integer const& v : values)
           t.holds((c(i) ^ v) >= c(i), c(i), [&] { return integer(c(i) ^ v).str() + ", which is less"; });
       });
     }},
    {"f2_complement_agrees",
     "f2_complement(to_f2(A), n) == to_f2(complement(A, 2^n)) by value    for A of chained bits or linear behind a swizzle",
     "A:chained_or_swizzled n:count", "f2_complement",
     [](trial& t) {
       value const& f = t.ask("to_f2", {t["A"]});
       integer const n = linear(f).width + t["n"].number;
       t.require(n <= max_bits);
       value const& c = t.ask("f2_complement", {f, value(n)});
       same_values_as(t, of_layouts(t, "complement", {t["A"], value(size_of_bits(static_cast<std::size_t>(n)))}), c);
     }},

    {"f2_divide_definition",
     "f2_divide(F, G) == (f2_compose(F, G), f2_compose(F, G*))    for G* == f2_complement(G) in F's indices",
     "F:map G:map_into(F)", "f2_divide",
     [](trial& t) {
       value const &r = t.ask("f2_divide", {t["F"], t["G"]}), &tile = t.ask("f2_compose", {t["F"], t["G"]});
       integer const m = bits_of(t["F"]);
       value const& rest = t.ask("f2_complement", {value(kind::f2, {value(m), t["G"].items[1]}), value(m)});
       t.equal(r, value(kind::f2,
                        {t["F"].items[0], tuple_of({tile.items.at(1), t.ask("f2_compose", {t["F"], rest}).items.at(1)})}));
     }},
    {"f2_divide_exact", "f2_divide(F, G) takes the values of F, each as often    for G that takes no value twice",
     "F:map G:injection_into(F)", "f2_divide",
     [](trial& t) {
       std::vector<integer> have = table_of(t, linear(t.ask("f2_divide", {t["F"], t["G"]}))),
                            wanted = table_of(t, linear(t["F"]));
       std::sort(have.begin(), have.end()), std::sort(wanted.begin(), wanted.end());
       t.holds(have == wanted, have, wanted);
     }},
    {"f2_divide_agrees", "f2_divide(to_f2(A), to_f2(T)) == to_f2(logical_divide(A, T)) by value    for linear A",
     "A:linear T:linear_tile(A)", "f2_divide", [](trial& t) { maps_agree(t, "f2_divide", "logical_divide", t["A"], t["T"]); }},
};

}  // namespace

std::span<law const> f2_laws() { return f2_rows; }

}  // namespace colex
