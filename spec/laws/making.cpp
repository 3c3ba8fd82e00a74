// Rows of the laws of making and editing layouts.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"

namespace colex {
namespace {

// Mode k of A, where k is an argument.
value mode_named(trial& t, char const* k) { return mode(t["A"], static_cast<std::size_t>(t[k].number)); }
// The first of the modes from b to e, whichever is smaller, and the one behind the last.
std::pair<integer, integer> modes_between(trial& t) {
  auto const& [b, e] = std::minmax(t["b"].number, t["e"].number);
  return {b, integer(e + 1)};
}
// R, of the shape of A, is compact but for the leaves of stride 0 in A, which have stride 0 in R too.
void compact_where_moving(trial& t, value const& r, value const& a) {
  leaf_list const have = leaves(r), of = leaves(a);
  value moving = tuple_of({}), strides = tuple_of({});
  for (std::size_t k = 0; k < have.size(); ++k) {
    if (of[k].first == 1 || (of[k].second == point() && have[k].second == point())) continue;
    moving.items.emplace_back(have[k].first);
    strides.items.emplace_back(have[k].second.number);
  }
  compact(t, layout_of(moving, strides));
}
// Smaller in `order` means a smaller stride in R, leaf by leaf.
void ordered_like(trial& t, value const& r, leaf_list const& order) {
  leaf_list const have = leaves(r);
  t.equal(have.size(), order.size());
  for (std::size_t i = 0; i < have.size(); ++i)
    for (std::size_t j = 0; j < have.size(); ++j)
      if (have[i].first > 1 && have[j].first > 1 && order[i].second.number < order[j].second.number)
        t.holds(have[i].second.number < have[j].second.number, r,
                "a smaller stride at leaf " + std::to_string(i) + " than at leaf " + std::to_string(j));
}
// The number that an order gives each leaf of a shape; leaves under one number count on from it.
void order_numbers(value const& shape, value const& order, integer& seen, leaf_list& out) {
  for (std::size_t k = 0; k < shape.items.size(); ++k)
    order_numbers(shape.items[k], order.is(kind::tuple) ? order.items.at(k) : order, seen, out);
  if (!shape.is(kind::tuple)) out.emplace_back(shape.number, point(integer(order.number * 1000 + seen++)));
}
bool ties(value const& shape, value const& order, std::vector<integer>& used) {
  if (order.is(kind::tuple)) {
    for (std::size_t k = 0; k < order.items.size(); ++k)
      if (ties(shape.items.at(k), order.items[k], used)) return true;
    return false;
  }
  if (size(shape) == 1) return false;
  if (std::find(used.begin(), used.end(), order.number) != used.end()) return true;
  used.push_back(order.number);
  return false;
}

// The leaves of A split into groups of modes: flatten, group and the like keep the function.
void regroups(trial& t, value const& r, value const& a) {
  t.equal(leaves(r).size(), leaves(a).size());
  same_layout_function(t, r, a);
}

constexpr law making_rows[] = {
    {"make_layout_left_colex", "make_layout_left(S) has shape S and value i at i", "S:shape", "make_layout_left",
     [](trial& t) {
       value const& r = t.ask("make_layout_left", {t["S"]});
       t.equal(r.shape(), t["S"]);
       t.every("i", size(t["S"]), [&](integer const& i) { t.equal(at(r, i), point(i)); });
     }},
    {"make_layout_left_unit", "a leaf of extent 1 has stride 0", "S:shape", "make_layout_left",
     [](trial& t) {
       value const& r = t.ask("make_layout_left", {t["S"]});
       t.equal(r, with_zero_units(need_layout(r)));
     }},
    {"make_layout_right_lex", "make_layout_right(S) has shape S; each leaf's stride is the product of the extents behind it",
     "S:shape", "make_layout_right",
     [](trial& t) {
       value const strides = map_strides(t["S"], t["S"], [w = size(t["S"])](value const& s, value const&) mutable {
         w /= s.number;
         return s == value(1) ? value(0) : value(w);
       });
       t.equal(t.ask("make_layout_right", {t["S"]}), layout_of(t["S"], strides));
     }},
    {"make_ordered_layout_compact", "make_ordered_layout(S, O) has shape S and takes the values 0 .. size-1, each once",
     "S:shape O:order(S)", "make_ordered_layout",
     [](trial& t) {
       value const& r = t.ask("make_ordered_layout", {t["S"], t["O"]});
       t.equal(r.shape(), t["S"]);
       compact(t, r);
     }},
    {"make_ordered_layout_ordered", "a smaller order has a smaller stride; one order over several modes counts them in turn",
     "S:shape O:order(S)", "make_ordered_layout",
     [](trial& t) {
       leaf_list numbers;
       integer seen = 0;
       order_numbers(t["S"], t["O"], seen, numbers);
       ordered_like(t, t.ask("make_ordered_layout", {t["S"], t["O"]}), numbers);
     }},
    {"make_ordered_layout_ties",
     "make_ordered_layout(S, O) is undefined where two parts of more than one element have the same order",
     "S:shape O:order(S)", "make_ordered_layout",
     [](trial& t) {
       std::vector<integer> used;
       t.answers_iff(!ties(t["S"], t["O"], used), "make_ordered_layout", {t["S"], t["O"]});
     }},
    {"make_layout_like_compact", "make_layout_like(A) is compact where A moves; where A broadcasts it does",
     "A:chain B:respelled(A)", "make_layout_like",
     [](trial& t) {
       value const& r = t.ask("make_layout_like", {t["B"]});
       t.equal(r.shape(), t["B"].shape());
       compact_where_moving(t, r, t["B"]);
     }},
    {"make_layout_like_broadcast", "a leaf of stride 0 in A has stride 0 in make_layout_like(A), and no other of extent > 1",
     "A:layout", "make_layout_like",
     [](trial& t) {
       leaf_list const a = leaves(t["A"]), r = leaves(t.ask("make_layout_like", {t["A"]}));
       t.equal(r.size(), a.size());
       for (std::size_t k = 0; k < a.size(); ++k)
         if (a[k].first > 1) t.equal(r[k].second == point(), a[k].second == point());
     }},
    {"make_layout_like_ordered", "the strides of make_layout_like(A) are ordered as A's", "A:nested", "make_layout_like",
     [](trial& t) { ordered_like(t, t.ask("make_layout_like", {t["A"]}), leaves(t["A"])); }},
    {"make_fragment_like_compact",
     "make_fragment_like(A) takes the values 0 .. size-1, each once    for A that does not broadcast", "A:nested_once",
     "make_fragment_like",
     [](trial& t) {
       value const& r = t.ask("make_fragment_like", {t["A"]});
       t.equal(size(r), size(t["A"]));
       compact(t, r);
     }},
    {"make_fragment_like_first", "the values of mode 0 come first: mode 0 of make_fragment_like(A) counts", "A:nested_once",
     "make_fragment_like",
     [](trial& t) {
       value const first = mode(t.ask("make_fragment_like", {t["A"]}), 0);
       t.equal(size(first), size(mode(t["A"], 0)));
       t.every("i", size(first), [&](integer const& i) { t.equal(at(first, i), point(i)); });
     }},
    {"make_identity_layout_paths",
     "make_identity_layout(S) has shape S; the stride of each leaf is the basis element of its place", "S:shape i:index(S)",
     "make_identity_layout",
     [](trial& t) {
       value const& r = t.ask("make_identity_layout", {t["S"]});
       t.equal(r.shape(), t["S"]);
       point sum;
       auto place = [&](auto& self, value const& c, std::vector<int> path) -> void {
         if (!c.is(kind::tuple)) return void(sum.add(path, c.number));
         path.push_back(0);
         for (value const& x : c.items) {
           self(self, x, path);
           ++path.back();
         }
       };
       place(place, digits(t["i"].number, t["S"]), {});
       t.equal(at(r, t["i"].number), sum);
     }},

    {"get_mode", "get(A, k) is mode k of A", "A:any k:mode(A)", "get",
     [](trial& t) { t.equal(t.ask("get", {t["A"], t["k"]}), mode_named(t, "k")); }},
    {"select_modes", "select(A, j, k) == (A_j, A_k)", "A:any j:mode(A) k:mode(A)", "select",
     [](trial& t) { t.equal(t.ask("select", {t["A"], t["j"], t["k"]}), list_of({mode_named(t, "j"), mode_named(t, "k")})); }},
    {"take_modes", "take(A, b, e) == (A_b, ..., A_e-1)", "A:any b:mode(A) e:mode(A)", "take",
     [](trial& t) {
       auto const [b, e] = modes_between(t);
       std::vector<value> wanted;
       for (integer k = b; k < e; ++k) wanted.push_back(mode(t["A"], static_cast<std::size_t>(k)));
       t.equal(t.ask("take", {t["A"], value(b), value(e)}), list_of(wanted));
     }},
    {"group_function", "group(A, b, e) has the values of A; mode b is (A_b, ..., A_e-1)", "A:any b:mode(A) e:mode(A)", "group",
     [](trial& t) {
       auto const [b, e] = modes_between(t);
       value const& r = t.ask("group", {t["A"], value(b), value(e)});
       t.equal(mode(r, static_cast<std::size_t>(b)), t.ask("take", {t["A"], value(b), value(e)}));
       t.equal(integer(rank(r)), integer(rank(t["A"]) - (e - b) + 1));
       regroups(t, r, t["A"]);
     }},
    {"append_modes", "append(A, B) == (A_0, ..., A_r-1, B); append(A, n) pads with 1:0 to rank n", "A:any B:any", "append",
     [](trial& t) {
       std::vector<value> m = modes(t["A"]);
       std::size_t const r = m.size();
       m.push_back(t["B"]);
       t.equal(t.ask("append", {t["A"], t["B"]}), list_of(m));
       m.back() = layout_of(1, 0);
       m.push_back(layout_of(1, 0));
       t.equal(t.ask("append", {t["A"], value(integer(r + 2))}), list_of(m));
       t.equal(t.ask("append", {t["A"], value(integer(r))}), t["A"]);
     }},
    {"prepend_modes", "prepend(A, B) == (B, A_0, ..., A_r-1); prepend(A, n) pads with 1:0 to rank n", "A:any B:any", "prepend",
     [](trial& t) {
       std::vector<value> m = modes(t["A"]);
       std::size_t const r = m.size();
       m.insert(m.begin(), t["B"]);
       t.equal(t.ask("prepend", {t["A"], t["B"]}), list_of(m));
       m[0] = layout_of(1, 0);
       t.equal(t.ask("prepend", {t["A"], value(integer(r + 1))}), list_of(m));
     }},
    {"replace_mode", "replace(A, k, B) is A with B as mode k; an integer is its own mode 0", "A:any k:mode(A) B:any", "replace",
     [](trial& t) {
       if (!t["A"].shape().is(kind::tuple)) return t.equal(t.ask("replace", {t["A"], t["k"], t["B"]}), t["B"]);
       std::vector<value> m = modes(t["A"]);
       m.at(static_cast<std::size_t>(t["k"].number)) = t["B"];
       t.equal(t.ask("replace", {t["A"], t["k"], t["B"]}), list_of(m));
     }},
    {"zip_pairs", "zip((A, B, C), (D, E, F)) == ((A, D), (B, E), (C, F))", "A:any B:any D:any E:any", "zip",
     [](trial& t) {
       value const wanted = list_of({list_of({t["A"], t["D"]}), list_of({t["B"], t["E"]})});
       t.equal(t.ask("zip", {list_of({t["A"], t["B"]}), list_of({t["D"], t["E"]})}), wanted);
     }},
    {"zip_involution", "zip(zip(((A, B), (C, D)))) == ((A, B), (C, D))", "A:any B:any C:any D:any", "zip",
     [](trial& t) {
       value const a = list_of({list_of({t["A"], t["B"]}), list_of({t["C"], t["D"]})}), z = t.ask("zip", {a});
       t.equal(z, list_of({list_of({t["A"], t["C"]}), list_of({t["B"], t["D"]})}));
       t.equal(t.ask("zip", {z}), a);
     }},
    {"flatten_function", "flatten(A) has the leaves and the values of A, in depth 0 or 1", "A:any", "flatten",
     [](trial& t) {
       value const& r = t.ask("flatten", {t["A"]});
       t.holds(nesting(r.shape()) <= 1, r, "no nesting");
       if (nesting(t["A"].shape()) == 0) t.equal(r, t["A"]);
       regroups(t, r, t["A"]);
     }},

    {"slice_and_offset_value", "R(i) + n == A(c with i in place of _)    for slice_and_offset(c, A) = n o R",
     "A:any c:slicer(A)", "slice_and_offset",
     [](trial& t) {
       value const& v = t.ask("slice_and_offset", {t["c"], t["A"]});
       t.every("i", size(layout_in(v)), [&](integer const& i) {
         integer rest = i;
         t.equal(value_at(v, i), at_coordinate(t["A"], filled(t["c"], t["A"].shape(), rest)));
       });
     }},
    {"slice_size", "size(slice(c, A)) * size(dice(c, A)) == size(A)", "A:any c:slicer(A)", "slice",
     [](trial& t) {
       t.equal(integer(size(t.ask("slice", {t["c"], t["A"]})) * size(t.ask("dice", {t["c"], t["A"]}))), size(t["A"]));
     }},
    {"slice_and_offset_composed", "slice_and_offset(c, Sw o n o A) takes the values of Sw o n o A at c with i in place of _",
     "A:composed c:slicer(A)", "slice_and_offset",
     [](trial& t) {
       value const &v = t.ask("slice_and_offset", {t["c"], t["A"]}), &inner = t["A"].items.back();
       t.every("i", size(layout_in(v)), [&](integer const& i) {
         integer rest = i;
         value const c = filled(t["c"], inner.shape(), rest);
         t.equal(value_at(v, i), behind(t["A"], at_coordinate(inner, c)));
       });
     }},
    {"slice_modes", "slice(c, A) is the layout of slice_and_offset(c, A)", "A:any c:slicer(A)", "slice",
     [](trial& t) { t.equal(t.ask("slice", {t["c"], t["A"]}), t.ask("slice_and_offset", {t["c"], t["A"]}).items.at(1)); }},
    {"dice_coordinate", "A(c with i in place of _) == dice(c, A)(the fixed part of c) + slice(c, A)(i)", "A:any c:slicer(A)",
     "dice",
     [](trial& t) {
       value const d = t.ask("dice", {t["c"], t["A"]}), s = t.ask("slice", {t["c"], t["A"]});
       std::vector<value> fixed;
       auto collect = [&](auto& self, value const& c) -> void {
         for (value const& x : c.items) self(self, x);
         if (c.is(kind::number)) fixed.push_back(c);
       };
       collect(collect, t["c"]);
       point const base = at_coordinate(d, t["c"].is(kind::tuple) ? tuple_of(fixed) : t["c"]);
       t.every("i", size(s), [&](integer const& i) {
         integer rest = i;
         t.equal(base + at(s, i), at_coordinate(t["A"], filled(t["c"], t["A"].shape(), rest)));
       });
     }},

    {"dice_flat_coord", "get_flat_coord(dice(proj, R), i) == what proj leaves of get_flat_coord(R, i)    for R row-major",
     "A:compact R:grid(A) p:natural e:factor i:natural", "dice",
     [](trial& t) {
       widened const shape = widen(t["R"].shape(), t["p"].number, t["e"]);
       value const &threads = t.ask("make_layout_right", {shape.wide}), i(t.index("i", size(threads)));
       value const whole = t.ask("get_flat_coord", {threads, i}), c = whole.is(kind::tuple) ? whole : tuple_of({whole});
       value left = tuple_of({});
       for (std::size_t k = 0; k < c.items.size(); ++k)
         if (!shape.projection.items.at(k).is("X")) left.items.push_back(c.items[k]);
       t.equal(t.ask("get_flat_coord", {t.ask("dice", {shape.projection, threads}), i}),
               left.items.size() == 1 ? left.items[0] : left);
     }},
};

}  // namespace

std::span<law const> making_laws() { return making_rows; }

}  // namespace colex
