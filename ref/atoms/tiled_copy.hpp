// A copy atom repeated over threads and values: which elements a thread reads and which it writes (CuTe TiledCopy).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/copy_atom.hpp"
#include "ref/atoms/tiled_mma.hpp"

namespace colex::ref {

struct tiled_copy {
  copy_atom atom;    // in elements
  layout layout_tv;  // (thread, value) -> index in the tile
  value tiler;       // the shape of the tile
};

// A copy atom in elements of `type`: its layouts are in bits.
inline copy_atom copy_atom_for(std::string const& name, std::string const& type) {
  copy_atom const bits = copy_atom_of(name);
  integer const n = bits_of(type);
  return {bits.thr_id, upcast(bits.src, n), upcast(bits.dst, n), upcast(bits.ref, n)};
}

// Each thread takes the values `values` of a tile, tiles laid side by side as `threads` says.
inline tiled_copy make_tiled_copy(copy_atom const& atom, layout const& threads, layout const& values) {
  layout const mn = raked_product(threads, values);
  value const tv = tuple_of({value(size(threads)), value(size(values))});
  return {atom, composition(right_inverse(mn), make_layout_left(tv)), product_each(shape(mn))};
}
// A copy that serves operand x of a tiled MMA.
inline tiled_copy make_tiled_copy(copy_atom const& atom, tiled_mma const& t, operand x) {
  auto const [i, j] = modes_of(x);
  return {atom, layout_tv(t, x), tuple_of({value(tile_size(t, i)), value(tile_size(t, j))})};
}

// The (thread, value) layout of the atom's side `target` over the tile: atoms cut out of layout_tv by the atom's reference
// layout, their threads and values in the order of `target`.
inline steps thrval_to_tile_steps(tiled_copy const& t, layout const& target) {
  layout const& ref = t.atom.ref;
  layout const ref_to_target = composition(right_inverse(ref), target);
  value const one{kind::tiler, {value(size(mode(ref, 0))), value(size(mode(ref, 1)))}};
  layout const atoms = zipped_divide(t.layout_tv, one);  // ((atom thread, atom value), (rest of threads, rest of values))
  layout const moved = layout({composition(atoms.modes[0], ref_to_target), atoms.modes[1]});
  layout const tv = coalesce(zip(moved), tuple_of({word_of("_"), all_of(2)}));
  return {{"right_inverse", ref_to_target}, {"zipped_divide", atoms}, {"compose", moved}, {"zip", tv}};
}
// ((tile), (rest)) -> (thread, value, rest), with the steps to it.
inline steps tile_to_thrfrg_steps(tiled_copy const& t, layout const& target, layout const& zipped) {
  steps out{{"zipped_divide", zipped}};
  for (auto& s : thrval_to_tile_steps(t, target)) out.push_back(std::move(s));
  layout const tv = composition(zipped.modes[0], to_value(out.back().second));
  out.emplace_back("compose", layout({tv.modes[0], tv.modes[1], zipped.modes[1]}));
  return out;
}
inline value tiler_of(tiled_copy const& t) { return {kind::tiler, t.tiler.items}; }

// (thread, (atom values, rest values), (RestM, RestN)) of the source or the destination.
inline steps tidfrg_steps(tiled_copy const& t, layout const& target, layout const& tensor) {
  return tile_to_thrfrg_steps(t, target, zipped_divide(tensor, tiler_of(t)));
}
inline layout tidfrg(tiled_copy const& t, layout const& target, layout const& tensor) {
  return tidfrg_steps(t, target, tensor).back().second;
}
// (thread, value) -> index in the tile.
inline steps layout_tv_steps(tiled_copy const& t, layout const& target) {
  steps out = tile_to_thrfrg_steps(t, target, make_layout_left(tuple_of({t.tiler, value(1)})));
  out.emplace_back("take", take(out.back().second, 0, 2));
  return out;
}
inline layout layout_tv(tiled_copy const& t, layout const& target) { return layout_tv_steps(t, target).back().second; }
// ((atom values, rest values), RestM, RestN) of thread i.
inline composed partition(tiled_copy const& t, layout const& target, composed const& tensor, integer const& i) {
  composed const frg = around(tensor, [&](layout const& l) { return tidfrg(t, target, l); });
  return slice(tuple_of({value(i), word_of("_"), all_of(rank(frg.inner.modes[2]))}), frg);
}

// A thread's values seen as this copy groups them: the fragment (V, M, N) of another tiling as (atom values, rest, M, N).
inline steps retile_steps(tiled_copy const& t, layout const& fragment) {
  integer const v = size(mode(fragment, 0));
  layout const tile_to_tv = composition(right_inverse(t.layout_tv), make_layout_left(t.tiler));
  layout const values = upcast(tile_to_tv, size(mode(t.layout_tv, 0)) * v);
  layout const order = zipped_divide(logical_product(layout(v, 1), to_value(right_inverse(values))),
                                     to_value(layout(size(mode(t.atom.ref, 1)), 1)));
  value tile(kind::tiler, product_each(shape(values)).items);
  tile.items.insert(tile.items.begin(), value(v));
  layout const z = zipped_divide(fragment, tile);
  layout const moved = layout({composition(z.modes[0], to_value(order)), z.modes[1]});
  layout const one = slice(tuple_of({word_of("_"), for_modes(tuple_of({value(0)}), rank(z.modes[1]))}), moved);
  return {{"right_inverse", values}, {"order", order}, {"zipped_divide", z}, {"compose", moved}, {"slice", one}};
}
inline layout retile(tiled_copy const& t, layout const& fragment) { return retile_steps(t, fragment).back().second; }

}  // namespace colex::ref
