// Rows of the laws of tensors' parts: which tile or thread an element belongs to.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/partitions.hpp"

#include "spec/laws/laws.hpp"

namespace colex {
namespace {

// How far a coordinate lies along a mode.
integer along(point const& c, int mode) {
  auto const term = c.basis.find({mode});
  return term == c.basis.end() ? integer(0) : term->second;
}

constexpr law partition_rows[] = {
    {"inner_partition_pointwise", "inner_partition(A, T, c)(i) == zipped_divide(A, T)(i, c)", "A:tensor T:tiler(A) c:natural",
     "inner_partition",
     [](trial& t) {
       value const tile = tiled(t, 0), rest = tiled(t, 1);
       integer const c = index_in(t, "c", rest);
       is_share(t, "i", t.ask("inner_partition", {t["A"], t["T"], value(c)}), t["A"], tile, at(rest, c));
     }},
    {"inner_partition_coordinate", "inner_partition(A, T, c) is the same for an index c and for its coordinate",
     "A:tensor T:tiler(A) c:natural", "inner_partition",
     [](trial& t) {
       value const rest = tiled(t, 1);
       integer const c = index_in(t, "c", rest);
       t.equal(t.ask("inner_partition", {t["A"], t["T"], digits(c, rest.shape())}),
               t.ask("inner_partition", {t["A"], t["T"], value(c)}));
     }},
    {"inner_partition_covers", "the tiles inner_partition(A, T, c) hold the values of A, each as often    where T divides A",
     "A:small_compact T:tiler(A)", "inner_partition",
     [](trial& t) {
       integer const n = size(exact_half(t, 1));
       holds_each(t, all_shares(t, "inner_partition", {t["A"], t["T"]}, n), t["A"]);
     }},
    {"outer_partition_pointwise", "outer_partition(A, T, c)(i) == zipped_divide(A, T)(c, i)", "A:tensor T:tiler(A) c:natural",
     "outer_partition",
     [](trial& t) {
       value const tile = tiled(t, 0), rest = tiled(t, 1);
       integer const c = index_in(t, "c", tile);
       is_share(t, "i", t.ask("outer_partition", {t["A"], t["T"], value(c)}), t["A"], rest, at(tile, c));
     }},
    {"outer_partition_covers", "the shares outer_partition(A, T, c) hold the values of A, each as often    where T divides A",
     "A:small_compact T:tiler(A)", "outer_partition",
     [](trial& t) {
       integer const n = size(exact_half(t, 0));
       holds_each(t, all_shares(t, "outer_partition", {t["A"], t["T"]}, n), t["A"]);
     }},
    {"outer_partition_inner", "outer_partition(A, T, i)(j) == inner_partition(A, T, j)(i)", "A:tensor T:tiler(A) i:natural",
     "outer_partition",
     [](trial& t) {
       integer const i = index_in(t, "i", tiled(t, 0));
       value const& share = t.ask("outer_partition", {t["A"], t["T"], value(i)});
       t.every("j", size(tiled(t, 1)), [&](integer const& j) {
         t.equal(value_at(share, j), value_at(t.ask("inner_partition", {t["A"], t["T"], value(j)}), i));
       });
     },
     costly},
    {"outer_partition_refines",
     "outer_partition(inner_partition(A, <n*m>, c), <n>, d) and inner_partition(outer_partition(A, <n>, d), <m>, c) are the "
     "same function",
     "n:factor m:factor k:factor s:factor c:natural d:natural", "outer_partition",
     [](trial& t) {
       integer const n = t["n"].number, m = t["m"].number, c = t.index("c", t["k"].number), d = t.index("d", n);
       value const a = layout_of(tuple_of({value(integer(n * m * t["k"].number))}), tuple_of({t["s"]}));
       auto const tile = [](integer const& e) { return by_modes(value(e)); };
       value const& outer = t.ask("outer_partition", {t.ask("inner_partition", {a, tile(n * m), value(c)}), tile(n), value(d)});
       same_views(t, outer, t.ask("inner_partition", {t.ask("outer_partition", {a, tile(n), value(d)}), tile(m), value(c)}));
     }},
    {"local_tile_inner", "local_tile(A, T, c) == inner_partition(A, T, c)", "A:tensor T:tiler(A) c:natural", "local_tile",
     [](trial& t) {
       integer const c = index_in(t, "c", tiled(t, 1));
       t.equal(t.ask("local_tile", {t["A"], t["T"], value(c)}), t.ask("inner_partition", {t["A"], t["T"], value(c)}));
     }},
    {"local_tile_projects", "local_tile(A, T, c, proj) == local_tile(A, dice(proj, T), dice(proj, c))",
     "A:tensor T:tiler(A) c:natural p:natural", "local_tile",
     [](trial& t) {
       value const rest = tiled(t, 1);
       value c = digits(index_in(t, "c", rest), rest.shape());
       c.items.resize(t["T"].items.size(), value(0));
       widened const tile = widen(t["T"], t["p"].number, value(8)), at = widen(c, t["p"].number, word_of("_"));
       t.equal(t.ask("local_tile", {t["A"], tile.wide, at.wide, tile.projection}), t.ask("local_tile", {t["A"], t["T"], c}));
     }},
    {"local_tile_identity_predicated",
     "the coordinates inside S of all tiles local_tile_identity(S, <p,q>, c) are those of S, each once",
     "m:count n:count p:factor q:factor", "local_tile_identity",
     [](trial& t) {
       integer const &m = t["m"].number, &n = t["n"].number, &p = t["p"].number, &q = t["q"].number, elements = p * q;
       t.require(m * n <= table_limit);
       value const s = tuple_of({t["m"], t["n"]}), tile{kind::tiler, {t["p"], t["q"]}};
       std::vector<integer> inside_s;
       for (integer i = 0; i * p < m; ++i)
         for (integer j = 0; j * q < n; ++j) {
           value const& r = t.ask("local_tile_identity", {s, tile, tuple_of({value(i), value(j)})});
           t.equal(size(r), elements);
           valuation const f(r);
           for (integer k = 0; k < elements; ++k) {
             point const c = f(k);
             integer const x = along(c, 0), y = along(c, 1);
             if (x < m && y < n) inside_s.push_back(x + y * m);
           }
         }
       std::sort(inside_s.begin(), inside_s.end());
       t.holds(is_interval(inside_s) && inside_s.size() == size(s), inside_s,
               "0 .. " + integer(size(s) - 1).str() + ", each once");
     },
     costly},
    {"local_tile_identity_layout", "local_tile_identity(S, T, c) == local_tile(make_identity_layout(S), T, c)",
     "S:shape p:factor c:factor", "local_tile_identity",
     [](trial& t) {
       value const tile{kind::tiler, {t["p"]}}, c = tuple_of({value(integer(t["c"].number - 1))});
       value const s = t["S"].is(kind::tuple) ? t["S"] : tuple_of({t["S"]});
       t.equal(t.ask("local_tile_identity", {s, tile, c}), t.ask("local_tile", {t.ask("make_identity_layout", {s}), tile, c}));
     }},
    {"local_partition_outer", "local_partition(A, R, i) == outer_partition(A, <extents of R>, get_flat_coord(R, i))",
     "A:tensor R:grid(A) i:natural", "local_partition",
     [](trial& t) {
       value const i(index_in(t, "i", t["R"]));
       value const& c = t.ask("get_flat_coord", {t["R"], i});
       t.equal(t.ask("local_partition", {t["A"], t["R"], i}),
               t.ask("outer_partition", {t["A"], by_modes(mode_sizes(t["R"].shape())), c}));
     }},
    {"local_partition_covers", "local_partition(A, R, i) over all threads i of R holds the values of A, each once",
     "A:small_compact R:grid(A)", "local_partition",
     [](trial& t) {
       t.require(size(t["R"]) <= share_limit);
       holds_each(t, all_shares(t, "local_partition", {t["A"], t["R"]}, size(t["R"])), t["A"]);
     }},
    {"local_partition_projects", "local_partition(A, R, i, proj) == local_partition(A, dice(proj, R), i)",
     "A:tensor R:grid(A) i:natural p:natural e:factor", "local_partition",
     [](trial& t) {
       auto const [shape, projection] = widen(t["R"].shape(), t["p"].number, t["e"]);
       value const &threads = t.ask("make_layout_right", {shape}), i(index_in(t, "i", threads));
       t.equal(t.ask("local_partition", {t["A"], threads, i, projection}),
               t.ask("local_partition", {t["A"], t.ask("dice", {projection, threads}), i}));
     }},
    {"local_partition_broadcasts",
     "local_partition(A, R, i, proj) over all threads holds each value of A once for every place in the modes taken out",
     "A:small_compact R:grid(A) e:factor", "local_partition",
     [](trial& t) {
       auto const [shape, projection] = widen(t["R"].shape(), 1, t["e"]);
       value const& threads = t.ask("make_layout_right", {shape});
       t.require(size(threads) <= share_limit);
       std::vector<integer> have;
       for (integer i = 0; i < size(threads); ++i)
         for (integer& x : image(t, t.ask("local_partition", {t["A"], threads, value(i), projection}), size(t["A"])))
           have.push_back(std::move(x));
       std::sort(have.begin(), have.end());
       holds_each(t, have, t["A"], t["e"].number);
     }},
};

}  // namespace

std::span<law const> partition_laws() { return partition_rows; }

}  // namespace colex
