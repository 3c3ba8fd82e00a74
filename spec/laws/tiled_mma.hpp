// What the laws of tiled MMAs are written with; those of tiled copies, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/partitions.hpp"

#include <map>

namespace colex {

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
  value const& f = t.ask("tiled_mma_thrfrg_" + x.name, with(tiling(t), {t["A"]}));
  holds_each(t, sorted_image(t, f, size(f)), t["A"], size(f) / size(t["A"]));
}
// partition_X(i) is thrfrg_X at thread i's place.
inline void partition_slices(trial& t, operand_words const& x) {
  value const threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t)),
              f = t.ask("tiled_mma_thrfrg_" + x.name, with(tiling(t), {layout_in(t["A"])}));
  integer const i = t.index("i", size(threads)), thread = at(threads, i).number;
  value const c = place_of(t, threads, thread),
              place = tuple_of({c.items.at(0), tuple_of({c.items.at(x.first + 1), c.items.at(x.second + 1)})});
  value const& r = t.ask("partition_" + x.name, with(tiling(t), {t["A"], value(thread)}));
  is_share(t, "j", r, t["A"], mode(f, 1), at_coordinate(mode(f, 0), place));
}
// partition_shape_X of a shape is the shape of what thread 0 has of X. A broadcast mode merges with its neighbours.
inline void partition_has_shape(trial& t, operand_words const& x) {
  t.require(!broadcasts(t["A"]));
  value const& share = t.ask("partition_" + x.name, with(tiling(t), {t["A"], value(0)}));
  t.equal(t.ask("partition_shape_" + x.name, with(tiling(t), {t["A"].shape()})), layout_in(share).shape());
}
// layout_X_TV(thread, value) is the place in the tile of what partition_X gives that thread.
inline void layout_tv_partitions(trial& t, operand_words const& x) {
  value const tv = t.ask("tiled_mma_layout" + x.name + "_TV", tiling(t)), shape = t.ask("tiled_mma_tile_shape", tiling(t));
  value const tile = tuple_of({shape.items.at(x.first), shape.items.at(x.second)});
  value const left = t.ask("make_layout_left", {tile}), threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t));
  integer const thread = at(threads, t.index("i", size(threads))).number;
  is_share(t, "j", t.ask("partition_" + x.name, with(tiling(t), {left, value(thread)})), left, mode(tv, 1),
           at(mode(tv, 0), thread));
}
// The elements of X, as coordinates, are those that the partition of the tensor holds. The tile divides the parts of X's modes
// front to back: else it would end inside one.
inline void identity_partitions(trial& t, operand_words const& x) {
  answer const tile = t.reference("tiled_mma_tile_shape", tiling(t));
  auto const divides = [&](std::size_t k, std::size_t mode) {
    return bool(t.reference("shape_div", {t["A"].shape().items.at(k), tile.result.items.at(mode)}));
  };
  t.require(tile && divides(0, x.first) && divides(1, x.second));
  value const left = t.ask("make_layout_left", {t["A"].shape()}), threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t));
  value const thread = value(at(threads, t.index("i", size(threads))).number);
  value const& c = t.ask("partition_" + x.name + "_identity", with(tiling(t), {left.shape(), thread}));
  value const& p = t.ask("partition_" + x.name, with(tiling(t), {left, thread}));
  t.equal(size(c), size(p));
  valuation const f(c), g(p);
  integer const m = extent_of(left.shape(), 0);
  t.every("j", size(p), [&](integer const& j) { t.equal(f(j), point_of(digits(g(j).number, left.shape()))); });
}

// One operand of a tiled MMA by atom: its thrfrg over a colex tensor, and the coordinates of the atom it holds.
struct atom_elements {
  value threads, values;  // the modes (ThrV, (Thr_i, Thr_j)) and (FrgV, (Rest_i, Rest_j))
  integer thread_count, value_count, extent;
  std::vector<integer> in_atom;  // (thread, value) -> index in the atom

  // Index in the atom -> element, of the atom at `thr` of the threads' and `rest` of the rests' grid.
  std::vector<integer> at_place(trial& t, value const& thr, value const& rest) const {
    std::vector<integer> const of_threads = row(threads, thread_count, thr), of_values = row(values, value_count, rest);
    std::map<integer, integer> found;
    std::size_t k = 0;
    for (integer const& v : of_values)
      for (integer const& i : of_threads) {
        integer const x = i + v;
        auto const [entry, fresh] = found.emplace(in_atom.at(k++), x);
        if (!fresh) t.equal(entry->second, x);
      }
    t.equal(integer(found.size()), extent);
    std::vector<integer> out;
    for (auto const& [place, x] : found) out.push_back(x);
    return out;
  }

 private:
  // The values at (i, beside) for i < n.
  static std::vector<integer> row(value const& modes, integer const& n, value const& beside) {
    std::vector<integer> out;
    for (integer i = 0; i < n; ++i) out.push_back(at_coordinate(modes, tuple_of({value(i), beside})).number);
    return out;
  }
};
inline atom_elements elements_of(trial& t, operand_words const& x, value const& shape, value const& tensor) {
  value const tv = t.ask("mma_atom", {t["M"], word_of(x.name + "Layout")}),
              f = t.ask("tiled_mma_thrfrg_" + x.name, with(tiling(t), {tensor}));
  integer const extent = extent_of(shape, x.first) * extent_of(shape, x.second);
  return {mode(f, 0), mode(f, 1), size(mode(tv, 0)), size(mode(tv, 1)), extent, image(t, tv, extent)};
}
// (element of A, of B, of C) for every product A(m,k) B(n,k) of an atom of shape S.
using product = std::tuple<integer, integer, integer>;
inline void add_products(std::vector<product>& to, value const& s, std::vector<integer> const& a, std::vector<integer> const& b,
                         std::vector<integer> const& c) {
  auto const [m, n, k] = std::tuple{static_cast<std::size_t>(extent_of(s, 0)), static_cast<std::size_t>(extent_of(s, 1)),
                                    static_cast<std::size_t>(extent_of(s, 2))};
  for (std::size_t l = 0; l < k; ++l)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < m; ++i) to.emplace_back(a[i + m * l], b[j + n * l], c[i + m * j]);
}
// Whether they are A(m,k) B(n,k) for C(m,n), each once, of tensors that count colexicographically.
inline bool are_all_products(std::vector<product> const& have, integer const& m, integer const& n, integer const& k) {
  std::vector<bool> met(static_cast<std::size_t>(m * n * k));
  for (auto const& [a, b, c] : have) {
    if (a < 0 || a >= m * k || b < 0 || b >= n * k || a / m != b / n || c != a % m + m * (b % n)) return false;
    auto once = met[static_cast<std::size_t>(a * n + b % n)];
    if (once) return false;
    once = true;
  }
  return have.size() == met.size();
}
// f(c) for every coordinate of a shape of three modes.
template <class F>
void every_coordinate(value const& s, F f) {
  for (integer k = 0; k < size(s); ++k) f(digits(k, s));
}
inline value three(value const& v, std::size_t i, std::size_t j, std::size_t k) {
  return tuple_of({v.items.at(i), v.items.at(j), v.items.at(k)});
}

// Atom by atom, the tiling multiplies every A(m,k) with every B(n,k) into C(m,n), once.
inline void multiplies(trial& t) {
  value const s = t.ask("mma_atom", {t["M"], word_of("Shape_MNK")}), tile = t.ask("tiled_mma_tile_shape", tiling(t));
  value whole = tile;
  for (std::size_t k = 0; k < 3; ++k) whole.items[k] = value(extent_of(tile, k) * (t["p"].number % 4 == k + 1 ? 2 : 1));
  t.require(size(whole) <= 2 * table_limit);
  auto const colex = [&](std::size_t i, std::size_t j) {
    return layout_of(tuple_of({whole.items[i], whole.items[j]}), tuple_of({value(1), whole.items[i]}));
  };
  atom_elements const a = elements_of(t, operand_a, s, colex(0, 2)), b = elements_of(t, operand_b, s, colex(1, 2)),
                      c = elements_of(t, operand_c, s, colex(0, 1));
  value const across = three(mode_sizes(t.ask("tiled_mma_thr_layout_vmnk", tiling(t)).shape()), 1, 2, 3);
  auto const pair = [](value const& v, operand_words const& x) { return tuple_of({v.items[x.first], v.items[x.second]}); };
  value const rest =
      tuple_of({mode_sizes(mode(a.values, 1).shape()).items.at(0), mode_sizes(mode(b.values, 1).shape()).items.at(0),
                mode_sizes(mode(a.values, 1).shape()).items.at(1)});
  std::vector<product> have;
  every_coordinate(across, [&](value const& thr) {
    every_coordinate(rest, [&](value const& r) {
      add_products(have, s, a.at_place(t, pair(thr, operand_a), pair(r, operand_a)),
                   b.at_place(t, pair(thr, operand_b), pair(r, operand_b)),
                   c.at_place(t, pair(thr, operand_c), pair(r, operand_c)));
    });
  });
  t.holds(are_all_products(have, extent_of(whole, 0), extent_of(whole, 1), extent_of(whole, 2)),
          std::to_string(have.size()) + " products", size(whole).str() + " products, each A(m,k) B(n,k) for C(m,n) once");
}

}  // namespace colex
