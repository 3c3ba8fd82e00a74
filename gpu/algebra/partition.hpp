// Tiles of a tensor and a thread's share of one: zipped_divide, sliced in its rest or in its tile. A tensor is its layout
// behind an offset and possibly a swizzle; of an identity layout the offset is a coordinate. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "gpu/algebra/algebra.hpp"

namespace colex::gpu {

namespace detail {

// One half of a division at c: an integer counts through all its modes, a tuple that is too short keeps the others.
COLEX_HD constexpr void slice_half(layout_writer& w, int_tuple const& c, layout const& z, branch half, point* sum) {
  branch const all = root(c.form);
  if (!is_tuple(c.form, all)) return slice(w, c, all, z, half, false, sum);
  int const n = rank(c.form, all);
  if (!is_tuple(z.form, half) || n > rank(z.form, half)) coordinate_does_not_fit_shape();
  for (int i = 0; i < n; ++i) slice(w, c, mode(c.form, all, i), z, mode(z.form, half, i), false, sum);
  w.splice(z, half, n);
}

// r, part of what a was divided into, moved on by `sum`.
COLEX_HD constexpr composed shifted(composed const& a, layout const& r, point const& sum) {
  return {r, added(a.offset, to_coordinate(a.inner, root(a.inner.form), sum)), a.sw, a.swizzled};
}

// The tile (or the rest) at c, the other half whole.
COLEX_HD constexpr composed sliced_division(composed const& a, tiler const& t, int_tuple const& c, bool in_tile) {
  layout const z = zipped_divide(a.inner, t);
  branch const tile = mode(z.form, root(z.form), 0), rest = mode(z.form, root(z.form), 1);
  layout r;
  layout_writer w(r);
  point sum;
  w.open();
  if (in_tile)
    slice_half(w, c, z, tile, &sum);
  else
    unpack(w, z, tile, true);
  if (in_tile)
    unpack(w, z, rest, true);
  else
    slice_half(w, c, z, rest, &sum);
  w.close();
  return shifted(a, r, sum);
}

// The modes of a tuple or tiler that a projection has no `_` for.
template <class Writer, class Tuple>
COLEX_HD constexpr Tuple projected(int_tuple const& p, Tuple const& of) {
  branch const all = root(of.form), marks = root(p.form);
  int const n = rank(of.form, all);
  if (!is_tuple(of.form, all) || !has_rank(p.form, marks, n)) projection_does_not_fit();
  Tuple r;
  Writer w(r);
  w.open();
  for (int i = 0; i < n; ++i) {
    branch const mark = mode(p.form, marks, i);
    if (is_tuple(p.form, mark) || !p.keeps(mark.begin)) w.copy(of, mode(of.form, all, i));
  }
  w.close();
  return r;
}

}  // namespace detail

// One tile: zipped_divide(a, t), the rest sliced at c. An integer c counts through all tiles, a tuple that is too short keeps
// the modes it does not reach. undefined: the division is, or c does not fit. (CuTe inner_partition, local_tile)
COLEX_HD constexpr composed inner_partition(composed const& a, tiler const& t, int_tuple const& c) {
  return detail::sliced_division(a, t, c, false);
}
// One element of every tile: the tile sliced at c, the rest whole. Errors as inner_partition. (CuTe outer_partition)
COLEX_HD constexpr composed outer_partition(composed const& a, tiler const& t, int_tuple const& c) {
  return detail::sliced_division(a, t, c, true);
}

// The same as inner_partition; with a projection, of the modes of t and c that it has no `_` for. undefined: also when the
// projection has another rank. (CuTe local_tile)
COLEX_HD constexpr composed local_tile(composed const& a, tiler const& t, int_tuple const& c) {
  return inner_partition(a, t, c);
}
COLEX_HD constexpr composed local_tile(composed const& a, tiler const& t, int_tuple const& c, int_tuple const& projection) {
  return inner_partition(a, detail::projected<tiler_writer>(projection, t), detail::projected<tuple_writer>(projection, c));
}

// The elements of thread i, threads laid out over a tile as `threads` says; with a projection, as its modes say that have no
// `_`. undefined: as outer_partition and get_flat_coord; unspecified: i < 0. (CuTe local_partition)
COLEX_HD constexpr composed local_partition(composed const& a, layout const& threads, int64 i) {
  if (i < 0) negative_coordinate();
  return outer_partition(a, by_extents(product_each(shape(threads))), get_flat_coord(threads, i));
}
COLEX_HD constexpr composed local_partition(composed const& a, layout const& threads, int64 i, int_tuple const& projection) {
  return local_partition(a, dice(projection, threads), i);
}

namespace detail {
COLEX_HD constexpr bool elem_less(int_tuple const& c, branch ct, int_tuple const& s, branch st) {
  if (!is_tuple(c.form, ct)) return c.value[ct.begin] < product(s, st);
  int const n = rank(c.form, ct);
  if (!has_rank(s.form, st, n)) coordinate_does_not_fit_shape();
  for (int i = 0; i < n; ++i)
    if (!elem_less(c, mode(c.form, ct, i), s, mode(s.form, st, i))) return false;
  return true;
}
}  // namespace detail

// Does a coordinate lie inside a shape, mode by mode? Predicates a tile that runs past the end. undefined: c is finer or of
// another rank. (CuTe elem_less)
COLEX_HD constexpr bool elem_less(int_tuple const& c, int_tuple const& s) {
  if (c.kept != 0) coordinate_does_not_fit_shape();
  return detail::elem_less(c, root(c.form), s, root(s.form));
}

}  // namespace colex::gpu
