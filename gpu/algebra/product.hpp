// Repetition of a layout over a tiler: logical_, zipped_, tiled_, flat_, blocked_ and raked_product, tile_to_shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/divide.hpp"
#include "gpu/algebra/edit.hpp"

namespace colex::gpu {

namespace detail {

// The repetitions of a that b counts: b composed with what a leaves out.
COLEX_HD constexpr void repetitions(layout_writer& w, layout const& a, branch at, layout const& b, branch bt) {
  if (has_negative(b, bt)) negative_stride();
  int64 const reach = cosize(b, bt);
  sorted_modes const s = complement_modes(a, at);
  int64 const room = gpu::ceil_div(times(size(a, at), reach), s.top());
  bool const enough = complement(s, room).size() >= reach;  // else b would leave it and meet a again
  layout const free = as_layout(complement(s, enough ? room : reach));
  composition(w, free, root(free.form), b, bt);
}
COLEX_HD constexpr void logical_product(layout_writer& w, layout const& a, branch at, layout const& b, branch bt) {
  w.open();
  w.copy(a, at);
  repetitions(w, a, at, b, bt);
  w.close();
}

// Mode by mode (block, repetitions) or the other way round; an integer layout is one mode.
COLEX_HD constexpr layout paired_product(layout const& a, layout const& b, bool block_first) {
  int const n = rank(a) > rank(b) ? rank(a) : rank(b);
  layout const block = append(a, n), count = append(b, n);
  layout repeated;
  layout_writer t(repeated);
  repetitions(t, block, root(block.form), count, root(count.form));
  layout const& first = block_first ? block : repeated;
  layout const& second = block_first ? repeated : block;
  bool const whole = !is_tuple(block.form, root(block.form)) || !is_tuple(count.form, root(count.form));
  layout r;
  layout_writer w(r);
  w.open();
  for (int i = 0; i < n; ++i) {
    w.open();
    w.copy(first, whole ? root(first.form) : mode(first.form, root(first.form), i));
    w.copy(second, whole ? root(second.form) : mode(second.form, root(second.form), i));
    w.close();
  }
  w.close();
  return r;
}

}  // namespace detail

// (a, a's repetitions at b): b composed with complement(a, size a * cosize b), taken further where b would leave that, so that
// no value repeats. By mode with a tiler, modes it lacks stay. undefined: as complement and composition. (CuTe logical_product)
COLEX_HD constexpr layout logical_product(layout const& a, tiler const& t) {
  layout r;
  layout_writer w(r);
  detail::mode_by_mode(w, a, root(a.form), t, root(t.form), true,
                       [](layout_writer& to, layout const& l, branch at, tiler const& s, branch st) {
                         detail::by_item(to, l, at, s, st, detail::logical_product);
                       });
  return r;
}

// ((block modes), (repetitions)); a kept mode is not repeated: it is 1:0 in the block. (CuTe zipped_product)
COLEX_HD constexpr layout zipped_product(layout const& a, tiler const& t) { return detail::zipped(logical_product(a, t), t); }
// ((block modes), repetitions, ...). (CuTe tiled_product)
COLEX_HD constexpr layout tiled_product(layout const& a, tiler const& t) {
  return detail::unpacked(zipped_product(a, t), false);
}
// (block, ..., repetitions, ...). (CuTe flat_product)
COLEX_HD constexpr layout flat_product(layout const& a, tiler const& t) { return detail::unpacked(zipped_product(a, t), true); }

// Mode i: (block i, repetitions i), both padded with 1:0 to one rank. (CuTe blocked_product)
COLEX_HD constexpr layout blocked_product(layout const& a, layout const& b) { return detail::paired_product(a, b, true); }
// Mode i: (repetitions i, block i). (CuTe raked_product)
COLEX_HD constexpr layout raked_product(layout const& a, layout const& b) { return detail::paired_product(a, b, false); }

namespace detail {
COLEX_HD constexpr int_tuple block_counts(layout const& block, int_tuple const& s) {
  int_tuple q = product_each(s);
  for (int i = 0; i < q.form.count; ++i) {
    int64 const extent = size(block, i);
    if (q.value[i] % extent != 0) block_does_not_divide_shape();
    q.value[i] /= extent;
  }
  return q;
}
}  // namespace detail

// Repeats a to fill the shape s, in the order given or fastest mode first. undefined: a's extents do not divide those of s mode
// by mode, a has more modes, or the order is tied. (CuTe tile_to_shape)
COLEX_HD constexpr layout tile_to_shape(layout const& a, int_tuple const& s) {
  layout const block = append(a, rank(s));
  return blocked_product(block, make_layout_left(detail::block_counts(block, s)));
}
COLEX_HD constexpr layout tile_to_shape(layout const& a, int_tuple const& s, int_tuple const& order) {
  if (!is_tuple(s.form, root(s.form))) return tile_to_shape(a, s);  // nothing to order
  layout const block = append(a, rank(s));
  return blocked_product(block, make_ordered_layout(detail::block_counts(block, s), order));
}
COLEX_HD constexpr layout tile_to_shape(layout const& a, int_tuple const& s, layout_left_t) { return tile_to_shape(a, s); }
COLEX_HD constexpr layout tile_to_shape(layout const& a, int_tuple const& s, layout_right_t) {
  layout const block = append(a, rank(s));
  return blocked_product(block, make_layout_right(detail::block_counts(block, s)));
}

// A compact layout for registers: mode 0 fastest and in its own order, the rest ordered by the strides of a; stride 0 stays in
// mode 0. undefined: tied strides in the rest; unspecified: negative strides. (CuTe make_fragment_like)
COLEX_HD constexpr layout make_fragment_like(layout const& a) {
  int const n = rank(a);
  if (has_basis(a)) basis_stride();
  if (has_negative(a)) negative_stride();
  if (n < 2) return make_layout_left(shape(a));
  layout const first = get(a, 0), rest = take(a, 1, n);
  layout block = make_layout_left(shape(filter_zeros(first)));
  for (int k = 0; k < block.form.count; ++k) block.shape[k] = first.shape[k];
  return tiled_product(block, make_ordered_layout(shape(rest), stride(rest)));
}

}  // namespace colex::gpu
