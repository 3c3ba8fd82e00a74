// Making layouts from shapes and orders, and rearranging the modes of layouts. Nothing here computes with strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/coalesce.hpp"
#include "gpu/algebra/coordinate.hpp"

namespace colex::gpu {

// One mode, not a tuple.
COLEX_HD constexpr layout layout_of(int64 s, int64 d) { return make_layout(int_tuple(s), int_tuple(d)); }

namespace detail {
// Compact strides within [begin, end) from d on, fastest first; extent 1 gets stride 0. Returns the stride behind them.
COLEX_HD constexpr int64 compact(layout& a, int begin, int end, int64 d) {
  for (int k = begin; k < end; ++k) {
    a.stride[k] = a.shape[k] == 1 ? 0 : d;
    d = times(d, a.shape[k]);
  }
  return d;
}
COLEX_HD constexpr layout with_shape(int_tuple const& s) {
  layout r;
  r.form = s.form;
  for (int k = 0; k < s.form.count; ++k) {
    if (s.value[k] < 1) shape_is_not_positive();
    r.shape[k] = s.value[k];
  }
  return r;
}
}  // namespace detail

// Compact layouts, the first or the last mode fastest. (CuTe make_layout with LayoutLeft, LayoutRight)
COLEX_HD constexpr layout make_layout_left(int_tuple const& s) {
  layout r = detail::with_shape(s);
  detail::compact(r, 0, r.form.count, 1);
  return r;
}
COLEX_HD constexpr layout make_layout_right(int_tuple const& s) {
  layout r = detail::with_shape(s);
  int64 d = 1;
  for (int k = r.form.count; k-- > 0; d = times(d, r.shape[k])) r.stride[k] = r.shape[k] == 1 ? 0 : d;
  return r;
}
struct layout_left_t {};   // the word LayoutLeft as an order
struct layout_right_t {};  // the word LayoutRight

namespace detail {
// The part of the shape that each leaf of the order covers.
COLEX_HD constexpr void cover(int_tuple const& o, branch ot, layout const& a, branch at, branch* parts) {
  if (!is_tuple(o.form, ot)) {
    parts[ot.begin] = at;
    return;
  }
  int const n = rank(o.form, ot);
  if (!has_rank(a.form, at, n)) ranks_do_not_match();
  for (int i = 0; i < n; ++i) cover(o, mode(o.form, ot, i), a, mode(a.form, at, i), parts);
}
}  // namespace detail

// The compact layout whose modes run in the order given, least first; an order may cover a whole sub-shape, which then counts
// fastest first. undefined: equal orders on parts larger than 1. (CuTe make_ordered_layout)
COLEX_HD constexpr layout make_ordered_layout(int_tuple const& s, int_tuple const& order) {
  layout r = detail::with_shape(s);
  branch parts[capacity] = {};
  detail::cover(order, root(order.form), r, root(r.form), parts);
  for (int k = 0; k < order.form.count; ++k) {
    int64 const own = size(r, parts[k]);
    int64 d = 1;
    for (int j = 0; j < order.form.count; ++j) {
      int64 const other = size(r, parts[j]);
      if (order.value[j] < order.value[k]) d = times(d, other);
      if (j != k && order.value[j] == order.value[k] && own > 1 && other > 1) orders_are_tied();
    }
    detail::compact(r, parts[k].begin, parts[k].end, d);
  }
  return r;
}

// The compact layout with a's shape and the order of its strides; stride 0 stays. undefined: equal strides on extents > 1;
// unspecified: negative strides. (CuTe make_layout_like)
COLEX_HD constexpr layout make_layout_like(layout const& a) {
  if (has_basis(a)) basis_stride();
  if (has_negative(a)) negative_stride();
  layout r = make_ordered_layout(shape(filter_zeros(a)), stride(a));
  for (int k = 0; k < r.form.count; ++k) r.shape[k] = a.shape[k];
  return r;
}

namespace detail {
COLEX_HD constexpr void name_modes(layout& a, branch at, path p, int level) {
  if (!is_tuple(a.form, at)) {
    a.stride[at.begin] = 1;
    a.basis[at.begin] = p;
    return;
  }
  for (int i = 0, n = rank(a.form, at); i < n; ++i) name_modes(a, mode(a.form, at, i), extended(p, level, i), level + 1);
}
}  // namespace detail

// The layout that takes each coordinate of s to itself. (CuTe make_identity_layout)
COLEX_HD constexpr layout make_identity_layout(int_tuple const& s) {
  layout r = detail::with_shape(s);
  detail::name_modes(r, root(r.form), 0, 0);
  return r;
}

// Mode i. An integer layout is its own mode 0. undefined: no such mode. (CuTe get)
COLEX_HD constexpr layout get(layout const& a, int64 i) {
  layout r;
  layout_writer(r).copy(a, mode(a.form, root(a.form), i));
  return r;
}

// The modes chosen, in that order: n of them in an array, or each an argument. undefined: no such mode. (CuTe select)
COLEX_HD constexpr layout select_modes(layout const& a, int64 const* modes, int n) {
  layout r;
  layout_writer w(r);
  w.open();
  for (int k = 0; k < n; ++k) w.copy(a, mode(a.form, root(a.form), modes[k]));
  w.close();
  return r;
}
template <class... Ints>
COLEX_HD constexpr layout select(layout const& a, int64 first, Ints... more) {
  int64 const modes[] = {first, static_cast<int64>(more)...};
  return select_modes(a, modes, static_cast<int>(sizeof modes / sizeof first));
}

// Modes [b, e) as a layout. undefined: out of range. (CuTe take)
COLEX_HD constexpr layout take(layout const& a, int64 b, int64 e) {
  if (b < 0 || b > e || e > rank(a)) no_such_mode();
  layout r;
  layout_writer w(r);
  w.open();
  w.splice(a, root(a.form), b, e);
  w.close();
  return r;
}

// Modes [b, e) as one mode. undefined: out of range; unsupported: b = e. (CuTe group)
COLEX_HD constexpr layout group(layout const& a, int64 b, int64 e) {
  int const n = rank(a);
  if (b < 0 || b > e || e > n) no_such_mode();
  layout r;
  layout_writer w(r);
  w.open();
  w.splice(a, root(a.form), 0, b);
  w.open();
  w.splice(a, root(a.form), b, e);
  w.close();
  w.splice(a, root(a.form), e, n);
  w.close();
  return r;
}

// b, by default 1:0, as one more mode, behind or before; or as often as it takes to reach rank n. undefined: n below the rank.
// (CuTe append, prepend)
COLEX_HD constexpr layout append(layout const& a, layout const& b = layout_of(1, 0)) {
  layout r;
  layout_writer w(r);
  w.open();
  w.splice(a, root(a.form));
  w.copy(b);
  w.close();
  return r;
}
COLEX_HD constexpr layout prepend(layout const& a, layout const& b = layout_of(1, 0)) {
  layout r;
  layout_writer w(r);
  w.open();
  w.copy(b);
  w.splice(a, root(a.form));
  w.close();
  return r;
}
namespace detail {
COLEX_HD constexpr layout extend(layout const& a, int64 n, layout const& b, bool behind) {
  int const have = rank(a);
  if (n < have) ranks_do_not_match();
  if (n == have) return a;
  layout r;
  layout_writer w(r);
  w.open();
  if (behind) w.splice(a, root(a.form));
  for (int64 i = have; i < n; ++i) w.copy(b);
  if (!behind) w.splice(a, root(a.form));
  w.close();
  return r;
}
}  // namespace detail
COLEX_HD constexpr layout append(layout const& a, int64 n, layout const& b = layout_of(1, 0)) {
  return detail::extend(a, n, b, true);
}
COLEX_HD constexpr layout prepend(layout const& a, int64 n, layout const& b = layout_of(1, 0)) {
  return detail::extend(a, n, b, false);
}

// b in the place of mode i. undefined: no such mode. (CuTe replace)
COLEX_HD constexpr layout replace(layout const& a, int64 i, layout const& b) {
  int const n = rank(a);
  if (i < 0 || i >= n) no_such_mode();
  if (!is_tuple(a.form, root(a.form))) return b;
  layout r;
  layout_writer w(r);
  w.open();
  for (int k = 0; k < n; ++k) {
    if (k == i)
      w.copy(b);
    else
      w.copy(a, mode(a.form, root(a.form), k));
  }
  w.close();
  return r;
}

// The transpose of a tuple of tuples; a flat tuple stays. undefined: modes of different rank. (CuTe zip)
COLEX_HD constexpr layout zip(layout const& a) {
  branch const all = root(a.form), first = mode(a.form, all, 0);
  if (!is_tuple(a.form, first)) return a;
  int const n = rank(a), m = rank(a.form, first);
  layout r;
  layout_writer w(r);
  w.open();
  for (int j = 0; j < m; ++j) {
    w.open();
    for (int i = 0; i < n; ++i) {
      branch const row = mode(a.form, all, i);
      if (!has_rank(a.form, row, m)) ranks_do_not_match();
      w.copy(a, mode(a.form, row, j));
    }
    w.close();
  }
  w.close();
  return r;
}

// Mode i of a with mode i of b. undefined: different ranks. (CuTe zip of two)
COLEX_HD constexpr layout zip(layout const& a, layout const& b) {
  int const n = rank(a);
  if (n != rank(b)) ranks_do_not_match();
  if (!is_tuple(a.form, root(a.form)) && !is_tuple(b.form, root(b.form))) return make_layout(a, b);
  layout r;
  layout_writer w(r);
  w.open();
  for (int i = 0; i < n; ++i) {
    w.open();
    w.copy(a, mode(a.form, root(a.form), i));
    w.copy(b, mode(b.form, root(b.form), i));
    w.close();
  }
  w.close();
  return r;
}

// The leaves without inner parentheses; an integer stays one. (CuTe flatten)
COLEX_HD constexpr layout flatten(layout const& a) {
  if (!is_tuple(a.form, root(a.form))) return a;
  layout r;
  layout_writer w(r);
  w.open();
  for (int k = 0; k < a.form.count; ++k) w.put(a.shape[k], a.stride[k], a.basis[k]);
  w.close();
  return r;
}

namespace detail {
// Copies the modes of a whose coordinate is kept (or, diced, is not), and adds up the values of the others where somebody asks.
COLEX_HD constexpr void slice(layout_writer& w, int_tuple const& c, branch ct, layout const& a, branch at, bool diced,
                              point* sum) {
  if (!is_tuple(c.form, ct)) {
    bool const kept = c.keeps(ct.begin);
    if (kept != diced) w.copy(a, at);
    if (!kept && sum) gpu::evaluate(a, at, c.value[ct.begin], *sum);
    return;
  }
  int const n = rank(c.form, ct);
  if (!has_rank(a.form, at, n)) coordinate_does_not_fit_shape();
  for (int i = 0; i < n; ++i) slice(w, c, mode(c.form, ct, i), a, mode(a.form, at, i), diced, sum);
}
COLEX_HD constexpr layout slice(int_tuple const& c, layout const& a, bool diced, point* sum) {
  layout r;
  layout_writer w(r);
  bool const whole = !is_tuple(c.form, root(c.form)) && c.keeps(0) != diced;
  if (!whole) w.open();
  slice(w, c, root(c.form), a, root(a.form), diced, sum);
  if (!whole) w.close();
  return r;
}
}  // namespace detail

// The modes at which the coordinate is `_`, nested ones spliced flat; ():() for an integer. (CuTe slice)
COLEX_HD constexpr layout slice(int_tuple const& c, layout const& a) { return detail::slice(c, a, false, nullptr); }
// The modes at which the coordinate is an integer. (CuTe dice)
COLEX_HD constexpr layout dice(int_tuple const& c, layout const& a) { return detail::slice(c, a, true, nullptr); }

}  // namespace colex::gpu
