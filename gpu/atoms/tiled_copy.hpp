// A copy atom repeated over threads and values: which elements a thread reads and which it writes. Moves nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/copy_atom.hpp"
#include "gpu/atoms/tiled_mma.hpp"

namespace colex::gpu {

// The atom counts elements; layout_tv: (thread, value) to the index in a tile of shape `tile`, as the atom's reference numbers
// values. (CuTe TiledCopy)
struct tiled_copy {
  copy_atom atom;
  layout layout_tv;
  int_tuple tile;

  constexpr bool operator==(tiled_copy const&) const = default;
};

// A copy atom in elements of so many bits. undefined: bits of an element lie apart. (CuTe Copy_Atom)
COLEX_HD constexpr copy_atom in_elements(copy_atom const& a, int64 bits) {
  return {a.thr_id, upcast(a.src, bits), upcast(a.dst, bits), upcast(a.ref, bits)};
}

// Each thread takes the values `values` of a tile, tiles laid side by side as `threads` says. undefined: as raked_product and
// right_inverse. (CuTe make_tiled_copy)
COLEX_HD constexpr tiled_copy make_tiled_copy(copy_atom const& atom, layout const& threads, layout const& values) {
  layout const mn = raked_product(threads, values);
  layout const tv = make_layout_left({size(threads), size(values)});
  return {atom, composition(right_inverse(mn), tv), product_each(shape(mn))};
}

// A copy that serves an operand of a tiled MMA. (CuTe make_tiled_copy_A, make_tiled_copy_B, make_tiled_copy_C)
COLEX_HD constexpr tiled_copy make_tiled_copy(copy_atom const& atom, tiled_mma const& t, operand x) {
  detail::mode_pair const at = detail::modes_of(x);
  return {atom, layout_tv(t, x), {tile_size(t, at.first), tile_size(t, at.second)}};
}
COLEX_HD constexpr tiled_copy make_tiled_copy_A(copy_atom const& atom, tiled_mma const& t) {
  return make_tiled_copy(atom, t, operand::a);
}
COLEX_HD constexpr tiled_copy make_tiled_copy_B(copy_atom const& atom, tiled_mma const& t) {
  return make_tiled_copy(atom, t, operand::b);
}
COLEX_HD constexpr tiled_copy make_tiled_copy_C(copy_atom const& atom, tiled_mma const& t) {
  return make_tiled_copy(atom, t, operand::c);
}

enum class side { source, destination };

namespace detail {

COLEX_HD constexpr layout const& layout_of_side(copy_atom const& a, side s) { return s == side::source ? a.src : a.dst; }

// (thread, value) of one side of the copy to the index in the tile: atoms cut out of layout_tv by the atom's reference, their
// threads and values in the order of that side.
COLEX_HD constexpr layout thrval_to_tile(tiled_copy const& t, side s) {
  layout const& ref = t.atom.ref;
  layout const order = composition(right_inverse(ref), layout_of_side(t.atom, s));
  layout const atoms = zipped_divide(t.layout_tv, tiler{size(ref, 0), size(ref, 1)});
  return coalesce(zip(composition(get(atoms, 0), order), get(atoms, 1)), int_tuple{_, {_, _}});
}

}  // namespace detail

// A tensor as (thread, (atom values, rest values), (RestM, RestN, ...)) of one side. undefined: as the division by the tile and
// the composition with the atom. (CuTe tidfrg_S, tidfrg_D)
COLEX_HD constexpr layout tidfrg(tiled_copy const& t, side s, layout const& tensor) {
  layout const tiles = zipped_divide(tensor, by_extents(t.tile));
  return append(composition(get(tiles, 0), detail::thrval_to_tile(t, s)), get(tiles, 1));
}
// (thread, value) of one side to the index in the tile. (CuTe get_layoutS_TV, get_layoutD_TV)
COLEX_HD constexpr layout layout_tv(tiled_copy const& t, side s) {
  return composition(make_layout_left(t.tile), detail::thrval_to_tile(t, s));
}

// What thread i reads or writes of a tensor: ((atom values, rest values), RestM, RestN, ...). undefined: as tidfrg, or there is
// no such thread; unspecified: i < 0. (CuTe partition_S, partition_D)
COLEX_HD constexpr composed partition(tiled_copy const& t, side s, composed const& tensor, int64 i) {
  if (i >= size(t.layout_tv, 0)) no_such_thread();
  layout const frg = tidfrg(t, s, tensor.inner);
  point sum;
  evaluate(frg, detail::mode(frg, 0), i, sum);
  layout r;
  layout_writer w(r);
  w.open();
  w.copy(frg, detail::mode(frg, 1));
  detail::unpack(w, frg, detail::mode(frg, 2), true);
  w.close();
  return detail::shifted(tensor, r, sum);
}

// A thread's values as this copy groups them: the fragment (V, M, N) of another tiling as ((atom values, rest values), M, N).
// undefined: the copy's tile is not a multiple of what that tiling holds. (CuTe retile_S, retile_D)
COLEX_HD constexpr layout retile(tiled_copy const& t, layout const& fragment) {
  int64 const v = size(fragment, 0);
  layout const tile_to_tv = composition(right_inverse(t.layout_tv), make_layout_left(t.tile));
  layout const values = upcast(tile_to_tv, times(size(t.layout_tv, 0), v));
  layout const order =
      zipped_divide(logical_product(layout_of(v, 1), right_inverse(values)), layout_of(size(t.atom.ref, 1), 1));
  layout const z = zipped_divide(fragment, by_extents(product_each(shape(prepend(values, layout_of(v, 1))))));
  return prepend(take(get(z, 1), 1, rank(get(z, 1))), composition(get(z, 0), order));
}

// One thread of a tiled copy, which must outlive it. (CuTe ThrCopy)
struct thr_copy {
  tiled_copy const& tiling;
  int64 thread;

  COLEX_HD constexpr composed partition_S(composed const& a) const { return partition(tiling, side::source, a, thread); }
  COLEX_HD constexpr composed partition_D(composed const& a) const { return partition(tiling, side::destination, a, thread); }
};
COLEX_HD constexpr thr_copy get_slice(tiled_copy const& t, int64 thread) { return {t, thread}; }
thr_copy get_slice(tiled_copy const&&, int64) = delete;

// CuTe's names.
COLEX_HD constexpr layout tidfrg_S(tiled_copy const& t, layout const& a) { return tidfrg(t, side::source, a); }
COLEX_HD constexpr layout tidfrg_D(tiled_copy const& t, layout const& a) { return tidfrg(t, side::destination, a); }
COLEX_HD constexpr layout get_layoutS_TV(tiled_copy const& t) { return layout_tv(t, side::source); }
COLEX_HD constexpr layout get_layoutD_TV(tiled_copy const& t) { return layout_tv(t, side::destination); }

}  // namespace colex::gpu
