// An MMA atom repeated over threads and values: who holds which element of A, B and C (partition_C article; CuTe TiledMMA).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/partition.hpp"
#include "ref/atoms/mma_atom.hpp"

namespace colex::ref {

enum class operand { a, b, c };

struct tiled_mma {
  mma_atom atom;
  layout threads;     // thr_layout_vmnk: (V, M, N, K) -> thread
  value permutation;  // a tiler of three modes over (M, N, K)
};

inline tiled_mma make_tiled_mma(mma_atom const& atom, layout const& atoms, value const& permutation) {
  if (permutation.items.size() > 3) throw undefined("a tiled MMA has the three modes M, N and K");
  value tiler = permutation;
  tiler.items.resize(3, word_of("_"));
  return {atom, tiled_product(atom.thr_id, to_value(append(atoms, 3))), tiler};
}

// Modes of (M, N, K) that an operand has, and its (thread, value) layout in one atom.
inline std::pair<std::size_t, std::size_t> modes_of(operand x) {
  return x == operand::a ? std::pair{0, 2} : x == operand::b ? std::pair{1, 2} : std::pair{0, 1};
}
inline layout const& layout_tv(mma_atom const& m, operand x) { return x == operand::a ? m.a : x == operand::b ? m.b : m.c; }

inline value by_mode(layout const& a, layout const& b) { return {kind::tiler, {to_value(a), to_value(b)}}; }

// The extent of the whole tile in mode i of (M, N, K): that of the atoms, or of the permutation if that is larger.
inline integer tile_size(tiled_mma const& t, std::size_t i) {
  integer const atoms = t.atom.shape_mnk.items[i].number * size(t.threads.modes[i + 1]);
  value const& p = t.permutation.items[i];
  return p.is("_") ? atoms : std::max(atoms, p.is(kind::number) ? p.number : size(p));
}

// The five steps of partition_C, without the slice, each with its name for `colex explain`.
using steps = std::vector<std::pair<std::string, layout>>;
inline steps thrfrg_steps(tiled_mma const& t, operand x, layout const& tensor) {
  auto const [i, j] = modes_of(x);
  auto const atom = [&](std::size_t k) { return make_layout_left(t.atom.shape_mnk.items[k]); };
  auto const across = [&](std::size_t k) { return make_layout_left(value(size(t.threads.modes[k + 1]))); };
  layout const permuted = logical_divide(tensor, {kind::tiler, {t.permutation.items[i], t.permutation.items[j]}});
  layout const atoms = zipped_divide(permuted, by_mode(atom(i), atom(j)));
  layout const tv = composition(atoms.modes[0], to_value(layout_tv(t.atom, x)));
  layout const rest = zipped_divide(atoms.modes[1], by_mode(across(i), across(j)));
  layout const thrfrg({layout({mode(tv, 0), rest.modes[0]}), layout({mode(tv, 1), rest.modes[1]})});
  return {{"logical_divide", permuted},
          {"zipped_divide", atoms},
          {"compose", layout({tv, atoms.modes[1]})},
          {"zipped_divide", thrfrg}};
}
// ((ThrV, (ThrM, ThrN)), (FrgV, (RestM, RestN))) of C; likewise A over (M, K) and B over (N, K).
inline layout thrfrg(tiled_mma const& t, operand x, layout const& tensor) { return thrfrg_steps(t, x, tensor).back().second; }

// (thread, value) -> index in the tile. Threads that differ in the mode an operand lacks hold the same elements.
inline steps layout_tv_steps(tiled_mma const& t, operand x) {
  auto const [i, j] = modes_of(x);
  layout const tile = make_layout_left(tuple_of({value(tile_size(t, i)), value(tile_size(t, j))}));
  layout const frg = thrfrg(t, x, tile);
  std::vector<layout> over(3);  // the threads along M, N, K
  layout const& across = frg.modes[0].modes[1];
  for (std::size_t k = 0; k < 3; ++k) {
    integer const n = size(t.threads.modes[k + 1]);
    over[k] = k == i ? across.modes[0] : k == j ? across.modes[1] : layout(n, 0);
  }
  layout const all = layout({frg.modes[0].modes[0], over[0], over[1], over[2]});
  layout const gaps = complement(t.threads);
  layout const place = right_inverse(layout({t.threads, gaps}));
  if (size(place) < cosize(t.threads)) throw undefined("thread numbers that no gap divides evenly");
  layout const id = composition(layout({layout(size(t.threads), 1), layout(size(gaps), 0)}), place);
  return {{"tile", tile},
          {"thrfrg", frg},
          {"threads", all},
          {"right_inverse", id},
          {"compose", layout({composition(all, id), frg.modes[1]})}};
}
inline layout layout_tv(tiled_mma const& t, operand x) { return layout_tv_steps(t, x).back().second; }

// The coordinate that thread i takes in thrfrg: (V, (M, N)) of its place, everything of its values.
inline value thread_slice(tiled_mma const& t, operand x, integer const& i, layout const& frg) {
  auto const [p, q] = modes_of(x);
  value const at = get_flat_coord(t.threads, value(i));
  value const here = tuple_of({at.items[0], tuple_of({at.items[p + 1], at.items[q + 1]})});
  return tuple_of({here, tuple_of({word_of("_"), all_of(rank(frg.modes[1].modes[1]))})});
}
// (FrgV, RestM, RestN) of thread i.
inline composed partition(tiled_mma const& t, operand x, composed const& tensor, integer const& i) {
  composed const frg = around(tensor, [&](layout const& l) { return thrfrg(t, x, l); });
  return slice(thread_slice(t, x, i, frg.inner), frg);
}
// The shape of every thread's share of a tile of that shape, and registers for it.
inline value partition_shape(tiled_mma const& t, operand x, value const& s) {
  return shape(partition(t, x, {std::nullopt, 0, make_layout_left(s)}, 0).inner);
}
inline layout partition_fragment(tiled_mma const& t, operand x, value const& s) {
  return make_layout_left(partition_shape(t, x, s));
}

}  // namespace colex::ref
