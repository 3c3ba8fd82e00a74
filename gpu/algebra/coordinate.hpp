// Indices and coordinates: evaluation of a layout at either, and the way back. No layout is made here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/layout.hpp"

namespace colex::gpu {

namespace detail {
COLEX_HD constexpr void evaluate(layout const& a, branch at, int_tuple const& c, branch ct, point& sum) {
  if (!is_tuple(c.form, ct)) {
    if (c.keeps(ct.begin)) coordinate_does_not_fit_shape();
    return gpu::evaluate(a, at, c.value[ct.begin], sum);
  }
  int const n = rank(c.form, ct);
  if (!has_rank(a.form, at, n)) coordinate_does_not_fit_shape();
  for (int i = 0; i < n; ++i) evaluate(a, mode(a.form, at, i), c, mode(c.form, ct, i), sum);
}
}  // namespace detail

// The value at a coordinate, which may be coarser than the shape; in each mode the last leaf is unbounded. An integer, or a
// coordinate where the strides are basis elements. undefined: the coordinate is finer or of another rank; unspecified:
// negative.
COLEX_HD constexpr int_tuple apply(layout const& a, int_tuple const& c) {
  point sum;
  detail::evaluate(a, root(a.form), c, root(c.form), sum);
  return to_coordinate(a, root(a.form), sum);
}

// The compact layout of a shape, fastest mode first, in which also modes of extent 1 count.
COLEX_HD constexpr layout colexicographic(int_tuple const& s) {
  layout r;
  r.form = s.form;
  int64 d = 1;
  for (int k = 0; k < s.form.count; ++k) {
    if (s.value[k] < 1) shape_is_not_positive();
    r.shape[k] = s.value[k];
    r.stride[k] = d;
    if (k + 1 < s.form.count) d = times(d, s.value[k]);
  }
  return r;
}

// The index of a coordinate in a shape, colexicographic or by the strides d. Errors as apply. (CuTe crd2idx)
COLEX_HD constexpr int_tuple crd2idx(int_tuple const& c, int_tuple const& s) { return apply(colexicographic(s), c); }
COLEX_HD constexpr int_tuple crd2idx(int_tuple const& c, int_tuple const& s, int_tuple const& d) {
  return apply(make_layout(s, d), c);
}

namespace detail {
COLEX_HD constexpr void digits(int64* to, int64 i, layout const& a, branch at) {
  for (int k = at.begin; k < at.end - 1; ++k) {
    *to++ = i % a.shape[k];
    i /= a.shape[k];
  }
  *to = i;
}
COLEX_HD constexpr int64 digit(int64 i, int64 s, int64 d) {
  if (s == 1) return 0;
  if (d < 0) negative_stride();
  if (d == 0) stride_is_zero();
  if (i < 0) negative_coordinate();
  return i / d % s;
}
COLEX_HD constexpr void idx2crd(tuple_writer& w, int_tuple const& i, branch it, layout const& a, branch at, bool strides) {
  if (is_tuple(i.form, it)) {
    int const n = rank(i.form, it);
    if (!has_rank(a.form, at, n)) coordinate_does_not_fit_shape();
    w.open();
    for (int k = 0; k < n; ++k) idx2crd(w, i, mode(i.form, it, k), a, mode(a.form, at, k), strides);
    return w.close();
  }
  if (i.keeps(it.begin)) coordinate_does_not_fit_shape();
  int64 const n = i.value[it.begin];
  if (!strides && n < 0) negative_coordinate();
  if (at.begin == at.end) return;  // the whole is (), and so is its coordinate
  int64* const to = w.to.value + w.subtree(a.form, at);
  if (!strides) return digits(to, n, a, at);
  for (int k = at.begin; k < at.end; ++k) to[k - at.begin] = digit(n, a.shape[k], a.stride[k]);
}
}  // namespace detail

// The coordinate of an index in a shape; the last mode does not wrap. unspecified: negative. (CuTe idx2crd)
COLEX_HD constexpr int_tuple idx2crd(int_tuple const& i, int_tuple const& s) {
  int_tuple r;
  tuple_writer w(r);
  layout const a = colexicographic(s);
  detail::idx2crd(w, i, root(i.form), a, root(a.form), false);
  return r;
}

// Digit by digit (i / d) mod s; meaningful for compact layouts. Extent 1 gives 0. undefined: stride 0 on a larger extent, basis
// strides; unspecified: negative. (CuTe idx2crd with strides, get_hier_coord)
COLEX_HD constexpr int_tuple get_hier_coord(layout const& a, int_tuple const& i) {
  if (has_basis(a)) basis_stride();
  int_tuple r;
  tuple_writer w(r);
  detail::idx2crd(w, i, root(i.form), a, root(a.form), true);
  return r;
}
COLEX_HD constexpr int_tuple idx2crd(int_tuple const& i, int_tuple const& s, int_tuple const& d) {
  return get_hier_coord(make_layout(s, d), i);
}

// The same with each mode's coordinate counted as one number. (CuTe get_flat_coord)
COLEX_HD constexpr int_tuple get_flat_coord(layout const& a, int64 i) {
  int_tuple const c = get_hier_coord(a, i), s = shape(a);
  layout const index = colexicographic(s);
  int const n = rank(a);
  int_tuple r;
  tuple_writer w(r);
  if (n != 1) w.open();
  for (int k = 0; k < n; ++k) {
    branch const m = mode(a.form, root(a.form), k);
    int64 number = 0;
    for (int j = m.begin; j < m.end; ++j) number = plus(number, times(c.value[j], index.stride[j] / index.stride[m.begin]));
    w.put(number);
  }
  if (n != 1) w.close();
  return r;
}

// The same as one number. (CuTe get_1d_coord)
COLEX_HD constexpr int64 get_1d_coord(layout const& a, int64 i) { return crd2idx(get_hier_coord(a, i), shape(a)).value[0]; }

}  // namespace colex::gpu
