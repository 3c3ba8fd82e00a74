// Rows of the laws of tensors and tilings: which tile, thread and value an element belongs to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws_algebra.hpp"

#include <map>
#include <set>

namespace colex {

// How many tiles or threads a law asks for one by one.
inline constexpr int share_limit = 64;

// R(i) is what the tensor A has where its layout has the value M(i) + d    for i < size(M), and R is as large.
inline void is_share(trial& t, value const& r, value const& a, value const& m, point const& d) {
  t.equal(size(r), size(m));
  valuation const f(r), g(m);
  t.every("i", size(m), [&](integer const& i) { t.equal(f(i), behind(a, g(i) + d)); });
}
// The tile of the tensor A (half 0), or what repeats it.
inline value tiled(trial& t, std::size_t half) { return mode(layout_in(t.ask("zipped_divide", {t["A"], t["T"]})), half); }
inline void same_views(trial& t, value const& r, value const& s) {
  t.equal(size(r), size(s));
  same_function(t, r, s, size(s));
}

// The values that op(A, T, i) takes over all i < n, sorted.
inline std::vector<integer> all_shares(trial& t, char const* op, std::vector<value> args, integer const& n) {
  std::vector<integer> out;
  args.emplace_back(0);
  for (integer i = 0; i < n; ++i) {
    args.back() = value(i);
    for (integer& x : image(t, t.ask(op, args), size(args[0]))) out.push_back(std::move(x));
  }
  std::sort(out.begin(), out.end());
  return out;
}
// Those are the values of A, each `times` times.
inline void holds_each(trial& t, std::vector<integer> const& have, value const& a, integer const& times = 1) {
  std::vector<integer> wanted;
  for (integer const& x : sorted_image(t, a, size(a))) wanted.insert(wanted.end(), static_cast<std::size_t>(times), x);
  t.holds(have == wanted, print(have), print(wanted));
}
// Mode `half` of zipped_divide(A, T), where T divides A into few parts.
inline value exact_half(trial& t, std::size_t half) {
  value const z = t.ask("zipped_divide", {t["A"], t["T"]});
  t.require(size(z) == size(t["A"]) && size(mode(z, half)) <= share_limit);
  return mode(z, half);
}
// A layout's part at an index reduced to it.
inline integer index_in(value const& part, value const& n) { return n.number % size(part); }

inline value by_modes(value const& extents) {
  return {kind::tiler, extents.is(kind::tuple) ? extents.items : std::vector<value>{extents}};
}
// The extents of a shape's modes.
inline value mode_sizes(value const& shape) {
  if (!shape.is(kind::tuple)) return value(size(shape));
  std::vector<value> out;
  for (value const& s : shape.items) out.emplace_back(size(s));
  return tuple_of(std::move(out));
}

// ---- tiled MMA ----

// What an operand X of a tiled MMA is called and which modes of (M, N, K) it has.
struct operand_words {
  std::string name;
  std::size_t first, second, lacks;
};
inline operand_words const operand_a{"A", 0, 2, 1}, operand_b{"B", 1, 2, 0}, operand_c{"C", 0, 1, 2};

inline std::vector<value> tiling(trial& t) { return {t["M"], t["R"], t["T"]}; }
inline std::vector<value> with(std::vector<value> args, std::vector<value> const& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}
// The coordinate of a thread in (V, M, N, K): its digits, by the strides of the thread layout.
inline value place_of(trial& t, value const& threads, integer const& i) { return t.ask("get_flat_coord", {threads, value(i)}); }

inline integer extent_of(value const& shape, std::size_t k) { return size(shape.items.at(k)); }

// thrfrg_X holds every element of X, each as often as there are threads along the mode X lacks' share in the atom.
inline void thrfrg_covers(trial& t, operand_words const& x) {
  value const f = t.ask("tiled_mma_thrfrg_" + x.name, with(tiling(t), {t["A"]}));
  holds_each(t, sorted_image(t, f, size(f)), t["A"], size(f) / size(t["A"]));
}
// partition_X(i) is thrfrg_X at thread i's place.
inline void partition_slices(trial& t, operand_words const& x) {
  value const threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t)), f = t.ask("tiled_mma_thrfrg_" + x.name, with(tiling(t), {layout_in(t["A"])}));
  integer const i = t["i"].number % size(threads), thread = at(threads, i).number;
  value const c = place_of(t, threads, thread), place = tuple_of({c.items.at(0), tuple_of({c.items.at(x.first + 1), c.items.at(x.second + 1)})});
  value const r = t.ask("partition_" + x.name, with(tiling(t), {t["A"], value(thread)}));
  is_share(t, r, t["A"], mode(f, 1), at_coordinate(mode(f, 0), place));
}
// partition_shape_X of a shape is the shape of what thread 0 has of X. A broadcast mode merges with its neighbours.
inline void partition_has_shape(trial& t, operand_words const& x) {
  t.require(!broadcasts(t["A"]));
  value const share = t.ask("partition_" + x.name, with(tiling(t), {t["A"], value(0)}));
  t.equal(t.ask("partition_shape_" + x.name, with(tiling(t), {t["A"].shape()})), layout_in(share).shape());
}
// layout_X_TV(thread, value) is the place in the tile of what partition_X gives that thread.
inline void layout_tv_partitions(trial& t, operand_words const& x) {
  value const tv = t.ask("tiled_mma_layout" + x.name + "_TV", tiling(t)), shape = t.ask("tiled_mma_tile_shape", tiling(t));
  value const tile = tuple_of({shape.items.at(x.first), shape.items.at(x.second)});
  value const left = t.ask("make_layout_left", {tile}), threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t));
  integer const thread = at(threads, t["i"].number % size(threads)).number;
  is_share(t, t.ask("partition_" + x.name, with(tiling(t), {left, value(thread)})), left, mode(tv, 1), at(mode(tv, 0), thread));
}
// The elements of X, as coordinates, are those that the partition of the tensor holds.
inline void identity_partitions(trial& t, operand_words const& x) {
  value const left = t.ask("make_layout_left", {t["A"].shape()}), threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t));
  value const thread = value(at(threads, t["i"].number % size(threads)).number);
  value const c = t.ask("partition_" + x.name + "_identity", with(tiling(t), {left.shape(), thread}));
  value const p = t.ask("partition_" + x.name, with(tiling(t), {left, thread}));
  t.equal(size(c), size(p));
  valuation const f(c), g(p);
  integer const m = extent_of(left.shape(), 0);
  t.every("j", size(p), [&](integer const& j) { t.equal(f(j), point_of(digits(g(j).number, left.shape()))); });
}

// One operand of a tiled MMA by atom: its thrfrg over a colex tensor, and the coordinates of the atom it holds.
struct atom_elements {
  value threads, values;      // the modes (ThrV, (Thr_i, Thr_j)) and (FrgV, (Rest_i, Rest_j))
  leaf_list thread_value;     // (thread, value) -> index in the atom
  integer thread_count, value_count, extent;

  // Index in the atom -> element, of the atom at `thr` of the threads' and `rest` of the rests' grid.
  std::vector<integer> at_place(trial& t, value const& thr, value const& rest) const {
    std::map<integer, integer> found;
    for (integer v = 0; v < value_count; ++v)
      for (integer i = 0; i < thread_count; ++i) {
        integer const x = (at_coordinate(threads, tuple_of({value(i), thr})) + at_coordinate(values, tuple_of({value(v), rest}))).number;
        auto const [entry, fresh] = found.emplace(at(thread_value, i + v * thread_count).number, x);
        if (!fresh) t.equal(entry->second, x);
      }
    t.equal(integer(found.size()), extent);
    std::vector<integer> out;
    for (auto const& [place, x] : found) out.push_back(x);
    return out;
  }
};
inline atom_elements elements_of(trial& t, operand_words const& x, value const& shape, value const& tensor) {
  value const tv = t.ask("mma_atom", {t["M"], word_of(x.name + "Layout")}), f = t.ask("tiled_mma_thrfrg_" + x.name, with(tiling(t), {tensor}));
  return {mode(f, 0), mode(f, 1), leaves(tv), size(mode(tv, 0)), size(mode(tv, 1)), extent_of(shape, x.first) * extent_of(shape, x.second)};
}
// (element of A, of B, of C) for every product A(m,k) B(n,k) of an atom of shape S.
using product = std::tuple<integer, integer, integer>;
inline void add_products(std::vector<product>& to, value const& s, std::vector<integer> const& a, std::vector<integer> const& b, std::vector<integer> const& c) {
  auto const [m, n, k] = std::tuple{static_cast<std::size_t>(extent_of(s, 0)), static_cast<std::size_t>(extent_of(s, 1)), static_cast<std::size_t>(extent_of(s, 2))};
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < m; ++i) to.emplace_back(a[i + m * l], b[j + n * l], c[i + m * j]);
}
// f(c) for every coordinate of a shape of three modes.
template <class F>
void every_coordinate(value const& s, F f) {
  for (integer k = 0; k < size(s); ++k) f(digits(k, s));
}
inline value three(value const& v, std::size_t i, std::size_t j, std::size_t k) { return tuple_of({v.items.at(i), v.items.at(j), v.items.at(k)}); }

// Atom by atom, the tiling multiplies every A(m,k) with every B(n,k) into C(m,n), once.
inline void multiplies(trial& t) {
  value const s = t.ask("mma_atom", {t["M"], word_of("Shape_MNK")}), tile = t.ask("tiled_mma_tile_shape", tiling(t));
  value whole = tile;
  for (std::size_t k = 0; k < 3; ++k) whole.items[k] = value(extent_of(tile, k) * (t["p"].number % 4 == k + 1 ? 2 : 1));
  t.require(size(whole) <= 2 * table_limit);
  auto const colex = [&](std::size_t i, std::size_t j) { return layout_of(tuple_of({whole.items[i], whole.items[j]}), tuple_of({value(1), whole.items[i]})); };
  atom_elements const a = elements_of(t, operand_a, s, colex(0, 2)), b = elements_of(t, operand_b, s, colex(1, 2)), c = elements_of(t, operand_c, s, colex(0, 1));
  value const across = three(mode_sizes(t.ask("tiled_mma_thr_layout_vmnk", tiling(t)).shape()), 1, 2, 3);
  auto const pair = [](value const& v, operand_words const& x) { return tuple_of({v.items[x.first], v.items[x.second]}); };
  value const rest = tuple_of({mode_sizes(mode(a.values, 1).shape()).items.at(0), mode_sizes(mode(b.values, 1).shape()).items.at(0), mode_sizes(mode(a.values, 1).shape()).items.at(1)});
  std::vector<product> have, wanted;
  every_coordinate(across, [&](value const& thr) {
    every_coordinate(rest, [&](value const& r) {
      add_products(have, s, a.at_place(t, pair(thr, operand_a), pair(r, operand_a)), b.at_place(t, pair(thr, operand_b), pair(r, operand_b)), c.at_place(t, pair(thr, operand_c), pair(r, operand_c)));
    });
  });
  auto const all = [](integer const& n) {
    std::vector<integer> v;
    for (integer i = 0; i < n; ++i) v.push_back(i);
    return v;
  };
  add_products(wanted, whole, all(extent_of(whole, 0) * extent_of(whole, 2)), all(extent_of(whole, 1) * extent_of(whole, 2)), all(extent_of(whole, 0) * extent_of(whole, 1)));
  std::sort(have.begin(), have.end());
  std::sort(wanted.begin(), wanted.end());
  t.holds(have == wanted, std::to_string(have.size()) + " products", std::to_string(wanted.size()) + " products, each A(m,k) B(n,k) for C(m,n) once");
}

// ---- tiled copy ----

inline std::vector<value> copying(trial& t) { return {t["C"], t["E"], t["R"], t["V"]}; }
// Every element of a tensor is in the shares of side X, each as often.
inline void tidfrg_covers(trial& t, char const* op) {
  value const f = t.ask(op, with(copying(t), {t["A"]}));
  holds_each(t, sorted_image(t, f, size(f)), t["A"], size(f) / size(t["A"]));
}
inline void copy_partition_slices(trial& t, char const* partition, char const* tidfrg) {
  value const f = t.ask(tidfrg, with(copying(t), {layout_in(t["A"])}));
  integer const i = index_in(mode(f, 0), t["i"]);
  value const r = t.ask(partition, with(copying(t), {t["A"], value(i)}));
  is_share(t, r, t["A"], list_of({mode(f, 1), mode(f, 2)}), at(mode(f, 0), i));
}
inline void copy_layout_tiles(trial& t, char const* layout, char const* tidfrg) {
  value const tile = t.ask("tiled_copy_tiler", copying(t)), left = t.ask("make_layout_left", {tile});
  value const f = t.ask(tidfrg, with(copying(t), {left}));
  same_layout_function(t, t.ask(layout, copying(t)), list_of({mode(f, 0), mode(f, 1)}));
}
// ---- folds and banks ----

// The products of a contraction: (element of A, of B, of C) at every value of its indices.
inline std::vector<product> contracted(trial& t, std::vector<std::pair<std::string, value>> const& tensors) {
  std::map<char, integer> extents;
  for (auto const& [names, l] : tensors)
    for (std::size_t k = 0; k < names.size(); ++k) extents[names[k]] = size(mode(l, k));
  integer n = 1;
  for (auto const& [name, extent] : extents) n *= extent;
  t.require(n <= table_limit);
  std::vector<product> out;
  for (integer i = 0; i < n; ++i) {
    std::map<char, integer> here;
    integer rest = i;
    for (auto const& [name, extent] : extents) {
      here[name] = rest % extent;
      rest /= extent;
    }
    auto const element = [&](std::size_t which) {
      point sum;
      auto const& [names, l] = tensors[which];
      for (std::size_t k = 0; k < names.size(); ++k) sum += at(mode(l, k), here[names[k]]);
      return sum.number;
    };
    out.emplace_back(element(0), element(1), element(2));
  }
  std::sort(out.begin(), out.end());
  return out;
}
inline std::vector<value> folding(trial& t) { return {t["x"], t["A"], t["y"], t["B"], t["z"], t["C"]}; }

inline constexpr law tiling_laws[] = {
    {"inner_partition_pointwise", "inner_partition(A, T, c)(i) == zipped_divide(A, T)(i, c)", "A:tensor T:tiler(A) c:natural", "inner_partition",
     [](trial& t) {
       value const tile = tiled(t, 0), rest = tiled(t, 1);
       integer const c = index_in(rest, t["c"]);
       is_share(t, t.ask("inner_partition", {t["A"], t["T"], value(c)}), t["A"], tile, at(rest, c));
     }},
    {"inner_partition_coordinate", "inner_partition(A, T, c) is the same for an index c and for its coordinate", "A:tensor T:tiler(A) c:natural", "inner_partition",
     [](trial& t) {
       value const rest = tiled(t, 1);
       integer const c = index_in(rest, t["c"]);
       t.equal(t.ask("inner_partition", {t["A"], t["T"], digits(c, rest.shape())}), t.ask("inner_partition", {t["A"], t["T"], value(c)}));
     }},
    {"inner_partition_covers", "the tiles inner_partition(A, T, c) hold the values of A, each as often    where T divides A", "A:compact T:tiler(A)", "inner_partition",
     [](trial& t) {
       integer const n = size(exact_half(t, 1));
       holds_each(t, all_shares(t, "inner_partition", {t["A"], t["T"]}, n), t["A"]);
     }},
    {"outer_partition_pointwise", "outer_partition(A, T, c)(i) == zipped_divide(A, T)(c, i)", "A:tensor T:tiler(A) c:natural", "outer_partition",
     [](trial& t) {
       value const tile = tiled(t, 0), rest = tiled(t, 1);
       integer const c = index_in(tile, t["c"]);
       is_share(t, t.ask("outer_partition", {t["A"], t["T"], value(c)}), t["A"], rest, at(tile, c));
     }},
    {"outer_partition_covers", "the shares outer_partition(A, T, c) hold the values of A, each as often    where T divides A", "A:compact T:tiler(A)", "outer_partition",
     [](trial& t) {
       integer const n = size(exact_half(t, 0));
       holds_each(t, all_shares(t, "outer_partition", {t["A"], t["T"]}, n), t["A"]);
     }},
    {"outer_partition_inner", "outer_partition(A, T, i)(j) == inner_partition(A, T, j)(i)", "A:tensor T:tiler(A) i:natural", "outer_partition",
     [](trial& t) {
       integer const i = index_in(tiled(t, 0), t["i"]);
       value const share = t.ask("outer_partition", {t["A"], t["T"], value(i)});
       t.every("j", size(tiled(t, 1)), [&](integer const& j) { t.equal(value_at(share, j), value_at(t.ask("inner_partition", {t["A"], t["T"], value(j)}), i)); });
     }},
    {"outer_partition_refines", "outer_partition(inner_partition(A, <n*m>, c), <n>, d) and inner_partition(outer_partition(A, <n>, d), <m>, c) are the same function", "n:factor m:factor k:factor s:factor c:natural d:natural", "outer_partition",
     [](trial& t) {
       integer const n = t["n"].number, m = t["m"].number, c = t["c"].number % t["k"].number, d = t["d"].number % n;
       value const a = layout_of(tuple_of({value(integer(n * m * t["k"].number))}), tuple_of({t["s"]}));
       auto const tile = [](integer const& e) { return by_modes(value(e)); };
       value const outer = t.ask("outer_partition", {t.ask("inner_partition", {a, tile(n * m), value(c)}), tile(n), value(d)});
       same_views(t, outer, t.ask("inner_partition", {t.ask("outer_partition", {a, tile(n), value(d)}), tile(m), value(c)}));
     }},
    {"local_tile_inner", "local_tile(A, T, c) == inner_partition(A, T, c)", "A:tensor T:tiler(A) c:natural", "local_tile",
     [](trial& t) {
       integer const c = index_in(tiled(t, 1), t["c"]);
       t.equal(t.ask("local_tile", {t["A"], t["T"], value(c)}), t.ask("inner_partition", {t["A"], t["T"], value(c)}));
     }},
    {"local_tile_projects", "local_tile(A, T, c, proj) == local_tile(A, dice(proj, T), dice(proj, c))", "A:tensor T:tiler(A) c:natural p:natural", "local_tile",
     [](trial& t) {
       value const rest = tiled(t, 1);
       value c = digits(index_in(rest, t["c"]), rest.shape());
       c.items.resize(t["T"].items.size(), value(0));
       widened const tile = widen(t["T"], t["p"].number, value(8)), at = widen(c, t["p"].number, word_of("_"));
       t.equal(t.ask("local_tile", {t["A"], tile.wide, at.wide, tile.projection}), t.ask("local_tile", {t["A"], t["T"], c}));
     }},
    {"local_tile_identity_predicated", "the coordinates inside S of all tiles local_tile_identity(S, <p,q>, c) are those of S, each once", "m:count n:count p:factor q:factor", "local_tile_identity",
     [](trial& t) {
       value const s = tuple_of({t["m"], t["n"]}), tile{kind::tiler, {t["p"], t["q"]}};
       std::vector<integer> inside_s;
       for (integer i = 0; i * t["p"].number < t["m"].number; ++i)
         for (integer j = 0; j * t["q"].number < t["n"].number; ++j) {
           value const r = t.ask("local_tile_identity", {s, tile, tuple_of({value(i), value(j)})});
           valuation const f(r);
           for (integer k = 0; k < size(r); ++k) {
             point const c = f(k);
             integer const x = c.basis.contains({0}) ? c.basis.at({0}) : integer(0), y = c.basis.contains({1}) ? c.basis.at({1}) : integer(0);
             if (x < t["m"].number && y < t["n"].number) inside_s.push_back(x + y * t["m"].number);
           }
         }
       std::sort(inside_s.begin(), inside_s.end());
       t.holds(is_interval(inside_s) && inside_s.size() == size(s), print(inside_s), "0 .. " + integer(size(s) - 1).str() + ", each once");
     }, costly},
    {"local_tile_identity_layout", "local_tile_identity(S, T, c) == local_tile(make_identity_layout(S), T, c)", "S:shape p:factor c:factor", "local_tile_identity",
     [](trial& t) {
       value const tile{kind::tiler, {t["p"]}}, c = tuple_of({value(integer(t["c"].number - 1))});
       value const s = t["S"].is(kind::tuple) ? t["S"] : tuple_of({t["S"]});
       t.equal(t.ask("local_tile_identity", {s, tile, c}), t.ask("local_tile", {t.ask("make_identity_layout", {s}), tile, c}));
     }},
    {"local_partition_outer", "local_partition(A, R, i) == outer_partition(A, <extents of R>, get_flat_coord(R, i))", "A:tensor R:grid(A) i:natural", "local_partition",
     [](trial& t) {
       value const i(index_in(t["R"], t["i"]));
       value const c = t.ask("get_flat_coord", {t["R"], i});
       t.equal(t.ask("local_partition", {t["A"], t["R"], i}), t.ask("outer_partition", {t["A"], by_modes(mode_sizes(t["R"].shape())), c}));
     }},
    {"local_partition_covers", "local_partition(A, R, i) over all threads i of R holds the values of A, each once", "A:compact R:grid(A)", "local_partition",
     [](trial& t) {
       t.require(size(t["R"]) <= share_limit);
       holds_each(t, all_shares(t, "local_partition", {t["A"], t["R"]}, size(t["R"])), t["A"]);
     }},
    {"local_partition_projects", "local_partition(A, R, i, proj) == local_partition(A, dice(proj, R), i)", "A:tensor R:grid(A) i:natural p:natural e:factor", "local_partition",
     [](trial& t) {
       auto const [shape, projection] = widen(t["R"].shape(), t["p"].number, t["e"]);
       value const threads = t.ask("make_layout_right", {shape}), i(index_in(threads, t["i"]));
       t.equal(t.ask("local_partition", {t["A"], threads, i, projection}), t.ask("local_partition", {t["A"], t.ask("dice", {projection, threads}), i}));
     }},
    {"local_partition_broadcasts", "local_partition(A, R, i, proj) over all threads holds each value of A once for every place in the modes taken out", "A:compact R:grid(A) e:factor", "local_partition",
     [](trial& t) {
       auto const [shape, projection] = widen(t["R"].shape(), 1, t["e"]);
       value const threads = t.ask("make_layout_right", {shape});
       t.require(size(threads) <= share_limit);
       std::vector<integer> have;
       for (integer i = 0; i < size(threads); ++i)
         for (integer& x : image(t, t.ask("local_partition", {t["A"], threads, value(i), projection}), size(t["A"]))) have.push_back(std::move(x));
       std::sort(have.begin(), have.end());
       holds_each(t, have, t["A"], t["e"].number);
     }},
    {"tiled_mma_thr_layout_vmnk_product", "tiled_mma_thr_layout_vmnk(M, R, T) == tiled_product(ThrID of M, R)", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_thr_layout_vmnk",
     [](trial& t) { t.equal(t.ask("tiled_mma_thr_layout_vmnk", tiling(t)), t.ask("tiled_product", {t.ask("mma_atom", {t["M"], word_of("ThrID")}), t["R"]})); }, costly},
    {"tiled_mma_thr_layout_vmnk_distinct", "tiled_mma_thr_layout_vmnk(M, R, T) gives every place another thread", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_thr_layout_vmnk",
     [](trial& t) {
       value const threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t));
       std::vector<integer> const v = sorted_image(t, threads, size(threads));
       t.holds(!repeats(v), print(v), "no thread twice");
     }, costly},
    {"tiled_mma_tile_shape_extents", "tiled_mma_tile_shape(M, R, T)_k is the atom's extent times size(R_k), or size(T_k) if that is more", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_tile_shape",
     [](trial& t) {
       value const tile = t.ask("tiled_mma_tile_shape", tiling(t)), s = t.ask("mma_atom", {t["M"], word_of("Shape_MNK")});
       for (std::size_t k = 0; k < 3; ++k) {
         integer const n = extent_of(s, k) * size(mode(t["R"], k));
         value const& p = t["T"].items.at(k);
         t.equal(extent_of(tile, k), p.is("_") ? n : std::max(n, size(p)));
       }
     }, costly},
    {"tiled_mma_thrfrg_A_covers", "tiled_mma_thrfrg_A(M, R, T, A) takes the values of A, each as often", "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T)", "tiled_mma_thrfrg_A",
     [](trial& t) { thrfrg_covers(t, operand_a); }, costly},
    {"partition_A_slices", "partition_A(M, R, T, A, i)(j) == tiled_mma_thrfrg_A(M, R, T, A)(place of thread i, j)", "M:mma R:atoms(M) T:permutation(M,R) A:tensor_A(M,R,T) i:natural", "partition_A",
     [](trial& t) { partition_slices(t, operand_a); }, costly},
    {"partition_A_identity_coordinates", "partition_A_identity(M, R, T, S, i)(j) is the coordinate of partition_A(M, R, T, make_layout_left(S), i)(j)", "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T) i:natural", "partition_A_identity",
     [](trial& t) { identity_partitions(t, operand_a); }, costly},
    {"partition_shape_A_shape", "partition_shape_A(M, R, T, S) is the shape of partition_A(M, R, T, A, i) for A of shape S", "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T)", "partition_shape_A",
     [](trial& t) { partition_has_shape(t, operand_a); }, costly},
    {"partition_fragment_A_compact", "partition_fragment_A(M, R, T, S) == make_layout_left(partition_shape_A(M, R, T, S))", "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T)", "partition_fragment_A",
     [](trial& t) {
       value const s = with(tiling(t), {t["A"].shape()}).back();
       t.equal(t.ask("partition_fragment_A", with(tiling(t), {s})), t.ask("make_layout_left", {t.ask("partition_shape_A", with(tiling(t), {s}))}));
     }, costly},
    {"tiled_mma_layoutA_TV_partitions", "tiled_mma_layoutA_TV(M, R, T)(i, j) == partition_A(M, R, T, make_layout_left(tile), i)(j)", "M:mma R:atoms(M) T:permutation(M,R) i:natural", "tiled_mma_layoutA_TV",
     [](trial& t) { layout_tv_partitions(t, operand_a); }, costly},
    {"tiled_mma_thrfrg_B_covers", "tiled_mma_thrfrg_B(M, R, T, A) takes the values of A, each as often", "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T)", "tiled_mma_thrfrg_B",
     [](trial& t) { thrfrg_covers(t, operand_b); }, costly},
    {"partition_B_slices", "partition_B(M, R, T, A, i)(j) == tiled_mma_thrfrg_B(M, R, T, A)(place of thread i, j)", "M:mma R:atoms(M) T:permutation(M,R) A:tensor_B(M,R,T) i:natural", "partition_B",
     [](trial& t) { partition_slices(t, operand_b); }, costly},
    {"partition_B_identity_coordinates", "partition_B_identity(M, R, T, S, i)(j) is the coordinate of partition_B(M, R, T, make_layout_left(S), i)(j)", "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T) i:natural", "partition_B_identity",
     [](trial& t) { identity_partitions(t, operand_b); }, costly},
    {"partition_shape_B_shape", "partition_shape_B(M, R, T, S) is the shape of partition_B(M, R, T, A, i) for A of shape S", "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T)", "partition_shape_B",
     [](trial& t) { partition_has_shape(t, operand_b); }, costly},
    {"partition_fragment_B_compact", "partition_fragment_B(M, R, T, S) == make_layout_left(partition_shape_B(M, R, T, S))", "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T)", "partition_fragment_B",
     [](trial& t) {
       value const s = with(tiling(t), {t["A"].shape()}).back();
       t.equal(t.ask("partition_fragment_B", with(tiling(t), {s})), t.ask("make_layout_left", {t.ask("partition_shape_B", with(tiling(t), {s}))}));
     }, costly},
    {"tiled_mma_layoutB_TV_partitions", "tiled_mma_layoutB_TV(M, R, T)(i, j) == partition_B(M, R, T, make_layout_left(tile), i)(j)", "M:mma R:atoms(M) T:permutation(M,R) i:natural", "tiled_mma_layoutB_TV",
     [](trial& t) { layout_tv_partitions(t, operand_b); }, costly},
    {"tiled_mma_thrfrg_C_covers", "tiled_mma_thrfrg_C(M, R, T, A) takes the values of A, each as often", "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T)", "tiled_mma_thrfrg_C",
     [](trial& t) { thrfrg_covers(t, operand_c); }, costly},
    {"partition_C_slices", "partition_C(M, R, T, A, i)(j) == tiled_mma_thrfrg_C(M, R, T, A)(place of thread i, j)", "M:mma R:atoms(M) T:permutation(M,R) A:tensor_C(M,R,T) i:natural", "partition_C",
     [](trial& t) { partition_slices(t, operand_c); }, costly},
    {"partition_C_identity_coordinates", "partition_C_identity(M, R, T, S, i)(j) is the coordinate of partition_C(M, R, T, make_layout_left(S), i)(j)", "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T) i:natural", "partition_C_identity",
     [](trial& t) { identity_partitions(t, operand_c); }, costly},
    {"partition_shape_C_shape", "partition_shape_C(M, R, T, S) is the shape of partition_C(M, R, T, A, i) for A of shape S", "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T)", "partition_shape_C",
     [](trial& t) { partition_has_shape(t, operand_c); }, costly},
    {"partition_fragment_C_compact", "partition_fragment_C(M, R, T, S) == make_layout_left(partition_shape_C(M, R, T, S))", "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T)", "partition_fragment_C",
     [](trial& t) {
       value const s = with(tiling(t), {t["A"].shape()}).back();
       t.equal(t.ask("partition_fragment_C", with(tiling(t), {s})), t.ask("make_layout_left", {t.ask("partition_shape_C", with(tiling(t), {s}))}));
     }, costly},
    {"tiled_mma_layoutC_TV_partitions", "tiled_mma_layoutC_TV(M, R, T)(i, j) == partition_C(M, R, T, make_layout_left(tile), i)(j)", "M:mma R:atoms(M) T:permutation(M,R) i:natural", "tiled_mma_layoutC_TV",
     [](trial& t) { layout_tv_partitions(t, operand_c); }, costly},
    {"tiled_mma_layoutC_TV_inverse", "tiled_mma_layoutC_TV(M, R, T) and its right_inverse: every element of the tile has a thread and a value", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_layoutC_TV",
     [](trial& t) {
       value const tv = t.ask("tiled_mma_layoutC_TV", tiling(t)), r = t.ask("right_inverse", {tv}), tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(size(r), integer(extent_of(tile, 0) * extent_of(tile, 1)));
       inverts(t, r, tv, size(tv));
     }, costly},
    {"tiled_mma_thrfrg_C_gemm", "the atoms of a tiled MMA multiply every A(m,k) with every B(n,k) into C(m,n), each once", "M:small_mma R:atoms(M) T:permutation(M,R) p:natural", "tiled_mma_thrfrg_C", multiplies, costly},
    {"tiled_copy_layout_TV_inverse", "raked_product(R, V)(tiled_copy_layout_TV(C, E, R, V)(i)) == i: thread and value of every place", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layout_TV",
     [](trial& t) {
       value const tv = t.ask("tiled_copy_layout_TV", copying(t)), places = t.ask("raked_product", {t["R"], t["V"]});
       t.equal(size(tv), size(places));
       inverts(t, tv, places, size(places));
     }, costly},
    {"tiled_copy_tiler_extents", "tiled_copy_tiler(C, E, R, V)_k == size(R_k) * size(V_k)", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_tiler",
     [](trial& t) { t.equal(t.ask("tiled_copy_tiler", copying(t)), t.ask("product_each", {t.ask("raked_product", {t["R"], t["V"]}).shape()})); }, costly},
    {"tiled_copy_tidfrg_S_covers", "tiled_copy_tidfrg_S(C, E, R, V, A) takes the values of A, each as often", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_tidfrg_S",
     [](trial& t) { tidfrg_covers(t, "tiled_copy_tidfrg_S"); }, costly},
    {"partition_S_slices", "partition_S(C, E, R, V, A, i)(j) == tiled_copy_tidfrg_S(C, E, R, V, A)(i, j)", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied_tensor(R,V) i:natural", "partition_S",
     [](trial& t) { copy_partition_slices(t, "partition_S", "tiled_copy_tidfrg_S"); }, costly},
    {"tiled_copy_layoutS_TV_tile", "tiled_copy_layoutS_TV(C, E, R, V) is tiled_copy_tidfrg_S of the tile itself", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layoutS_TV",
     [](trial& t) { copy_layout_tiles(t, "tiled_copy_layoutS_TV", "tiled_copy_tidfrg_S"); }, costly},
    {"tiled_copy_tidfrg_D_covers", "tiled_copy_tidfrg_D(C, E, R, V, A) takes the values of A, each as often", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_tidfrg_D",
     [](trial& t) { tidfrg_covers(t, "tiled_copy_tidfrg_D"); }, costly},
    {"partition_D_slices", "partition_D(C, E, R, V, A, i)(j) == tiled_copy_tidfrg_D(C, E, R, V, A)(i, j)", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied_tensor(R,V) i:natural", "partition_D",
     [](trial& t) { copy_partition_slices(t, "partition_D", "tiled_copy_tidfrg_D"); }, costly},
    {"tiled_copy_layoutD_TV_tile", "tiled_copy_layoutD_TV(C, E, R, V) is tiled_copy_tidfrg_D of the tile itself", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layoutD_TV",
     [](trial& t) { copy_layout_tiles(t, "tiled_copy_layoutD_TV", "tiled_copy_tidfrg_D"); }, costly},
    {"tiled_copy_retile_values", "tiled_copy_retile(C, E, R, V, F) takes the values of F, each once", "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_retile",
     [](trial& t) {
       value const f = t.ask("make_layout_left", {layout_in(t.ask("partition_D", with(copying(t), {t["A"], value(0)}))).shape()});
       same_values(t, t.ask("tiled_copy_retile", with(copying(t), {f})), f, size(f));
     }, costly},
    {"tiled_copy_A_layout_TV_operand", "the tiled copy made for operand A of a tiled MMA has its layout and tile", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_copy_A_layout_TV",
     [](trial& t) {
       std::vector<value> const args = with({word_of("make_tiled_copy_A"), word_of("UniversalCopy<uint8_t>"), word_of("uint8_t")}, tiling(t));
       value const tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(t.ask("tiled_copy_A_layout_TV", args), t.ask("tiled_mma_layoutA_TV", tiling(t)));
       t.equal(t.ask("tiled_copy_A_tiler", args), tuple_of({tile.items.at(0), tile.items.at(2)}));
     }, costly},
    {"tiled_copy_B_layout_TV_operand", "the tiled copy made for operand B of a tiled MMA has its layout and tile", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_copy_B_layout_TV",
     [](trial& t) {
       std::vector<value> const args = with({word_of("make_tiled_copy_B"), word_of("UniversalCopy<uint8_t>"), word_of("uint8_t")}, tiling(t));
       value const tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(t.ask("tiled_copy_B_layout_TV", args), t.ask("tiled_mma_layoutB_TV", tiling(t)));
       t.equal(t.ask("tiled_copy_B_tiler", args), tuple_of({tile.items.at(1), tile.items.at(2)}));
     }, costly},
    {"tiled_copy_C_layout_TV_operand", "the tiled copy made for operand C of a tiled MMA has its layout and tile", "M:mma R:atoms(M) T:permutation(M,R)", "tiled_copy_C_layout_TV",
     [](trial& t) {
       std::vector<value> const args = with({word_of("make_tiled_copy_C"), word_of("UniversalCopy<uint8_t>"), word_of("uint8_t")}, tiling(t));
       value const tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(t.ask("tiled_copy_C_layout_TV", args), t.ask("tiled_mma_layoutC_TV", tiling(t)));
       t.equal(t.ask("tiled_copy_C_tiler", args), tuple_of({tile.items.at(0), tile.items.at(1)}));
     }, costly},
    {"fold_contracts", "fold(x, A, y, B, z, C) = <A', B', C'>: gemm of those adds the products of the contraction, each once", "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) {
       value const f = t.ask("fold", folding(t));
       t.equal(f.items.size(), std::size_t{3});
       t.equal(contracted(t, {{"mkp", f.items[0]}, {"nkp", f.items[1]}, {"mnp", f.items[2]}}) == contracted(t, {{t["x"].word, t["A"]}, {t["y"].word, t["B"]}, {t["z"].word, t["C"]}}), true);
     }},
    {"fold_values", "fold(x, A, y, B, z, C) keeps the values of A, B and C", "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) {
       value const f = t.ask("fold", folding(t));
       same_values(t, f.items.at(0), t["A"], size(t["A"]));
       same_values(t, f.items.at(1), t["B"], size(t["B"]));
       same_values(t, f.items.at(2), t["C"], size(t["C"]));
     }},
    {"fold_exists", "fold(x, A, y, B, z, C) is defined exactly when each index names one extent and stands in two tensors or three", "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) { t.answers_like_the_reference("fold", folding(t)); }},
    {"bank_conflicts_translation", "bank_conflicts(d o A, w, b) == bank_conflicts(A, w, b)    for d a multiple of all banks", "A:access d:factor", "bank_conflicts",
     [](trial& t) {
       value const shifted{kind::composed, {value(integer(t["d"].number * 64)), t["A"]}};
       t.equal(t.ask("bank_conflicts", {shifted, word_of("16b"), value(4)}), t.ask("bank_conflicts", {t["A"], word_of("16b"), value(4)}));
     }},
    {"bank_conflicts_contiguous", "bank_conflicts(n:b, 8, b) == 0: contiguous threads do not meet", "n:count b:bytes", "bank_conflicts",
     [](trial& t) { t.equal(t.ask("bank_conflicts", {layout_of(t["n"], t["b"]), word_of("8b"), t["b"]}), value(0)); }},
    {"bank_conflicts_column", "bank_conflicts(n:128, 8, 4) == n - 1 in one phase: threads in one column of banks take turns", "n:count", "bank_conflicts",
     [](trial& t) { t.equal(t.ask("bank_conflicts", {layout_of(t["n"], value(128)), word_of("8b"), value(4)}), value(integer(t["n"].number - 1))); }},
    {"bank_conflicts_broadcast", "bank_conflicts((n,m):(0,d), w, b): threads that read one word do not meet", "n:factor m:factor", "bank_conflicts",
     [](trial& t) { t.equal(t.ask("bank_conflicts", {layout_of(tuple_of({t["n"], t["m"]}), tuple_of({value(0), value(4)})), word_of("8b"), value(4)}), value(0)); }},
    {"bank_conflicts_swizzled", "bank_conflicts(Sw<B,4,3> o 0 o (8,2^B):(2^(B+4),16), 8, 16) == 0: columns of rows of 2^(B+4) bytes do not meet    for B < 4", "b:bits", "bank_conflicts",
     [](trial& t) {
       integer const columns = integer(1) << static_cast<unsigned>(t["b"].number);
       value const rows = layout_of(tuple_of({value(8), value(columns)}), tuple_of({value(integer(16 * columns)), value(16)}));
       value const swizzle{kind::swizzle, {t["b"], value(4), value(3)}};
       t.equal(t.ask("bank_conflicts", {{kind::composed, {swizzle, value(0), rows}}, word_of("8b"), value(16)}), value(0));
     }},
    {"bank_conflicts_aligned", "bank_conflicts(A, 8, b) is defined exactly when every thread begins at a multiple of b", "A:memory b:bytes", "bank_conflicts",
     [](trial& t) { t.answers_like_the_reference("bank_conflicts", {t["A"], word_of("8b"), t["b"]}); }},
};

}  // namespace colex
