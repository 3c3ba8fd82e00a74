// A layout as a value: flat leaves of extent and stride plus a profile, in plain arrays whose unused tail is zero, so that ==
// is equality and a layout can be a template argument. Construction, evaluation, size. No operation of the algebra.
// (A __global__ template takes it as a static member of a type: nvcc 13.0 cannot spell a value with arrays in its host stub.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/int_tuple.hpp"

namespace colex::gpu {

struct layout {  // ():() unless filled
  profile form;
  int64 shape[capacity] = {}, stride[capacity] = {};
  path basis[capacity] = {};  // of the stride; none where it is an integer or 0

  constexpr bool operator==(layout const&) const = default;

  // The value at index i >= 0 (colexicographic, the last leaf unbounded) of a layout with integer strides; overflow is an
  // error.
  COLEX_HD constexpr int64 operator()(int64 i) const;
  // The same in the type of i and without checks, for kernels: i >= 0, and that type holds the value.
  template <class Int>
  COLEX_HD constexpr Int unchecked(Int i) const;
};

struct layout_writer : profile_writer {
  layout& to;
  COLEX_HD constexpr explicit layout_writer(layout& a) : profile_writer{a.form}, to(a) {}

  COLEX_HD constexpr void put(int64 s, int64 d, path p = 0) {
    int const k = leaf();
    to.shape[k] = s;
    to.stride[k] = d;
    if (d != 0) to.basis[k] = p;
  }
  COLEX_HD constexpr void copy(layout const& a, branch at) {
    if (at.begin == at.end) return open(), close();
    for (int k = at.begin, j = subtree(a.form, at); k < at.end; ++k, ++j) {
      to.shape[j] = a.shape[k];
      to.stride[j] = a.stride[k];
      to.basis[j] = a.basis[k];
    }
  }
  COLEX_HD constexpr void copy(layout const& a) { copy(a, root(a.form)); }
  // The modes [first, last) of a tuple without its own parentheses; all from the first-th on.
  COLEX_HD constexpr void splice(layout const& a, branch at, int64 first, int64 last) {
    for (int64 i = first; i < last; ++i) copy(a, mode(a.form, at, i));
  }
  COLEX_HD constexpr void splice(layout const& a, branch at, int first = 0) { splice(a, at, first, rank(a.form, at)); }
};

// Shape and stride as one layout. undefined: profiles differ, an extent below 1.
COLEX_HD constexpr layout make_layout(int_tuple const& shape, int_tuple const& stride) {
  if (!congruent(shape, stride)) shape_and_stride_not_congruent();
  layout r;
  r.form = shape.form;
  for (int k = 0; k < shape.form.count; ++k) {
    if (shape.value[k] < 1) shape_is_not_positive();
    r.shape[k] = shape.value[k];
    r.stride[k] = stride.value[k];
    if (stride.value[k] != 0) r.basis[k] = stride.basis[k];
  }
  return r;
}

// Layouts as the modes of one (CuTe make_layout(a, b, ...)).
template <class... Layouts>
COLEX_HD constexpr layout make_layout(layout const& a, Layouts const&... more) {
  layout r;
  layout_writer w(r);
  w.open();
  w.copy(a);
  (w.copy(more), ...);
  w.close();
  return r;
}

COLEX_HD constexpr int_tuple shape(layout const& a) {
  int_tuple r;
  r.form = a.form;
  for (int k = 0; k < a.form.count; ++k) r.value[k] = a.shape[k];
  return r;
}
COLEX_HD constexpr int_tuple stride(layout const& a) {
  int_tuple r;
  r.form = a.form;
  for (int k = 0; k < a.form.count; ++k) {
    r.value[k] = a.stride[k];
    r.basis[k] = a.basis[k];
  }
  return r;
}

// The number of modes; the nesting depth; the number of elements (CuTe rank, depth, size).
COLEX_HD constexpr int rank(layout const& a) { return rank(a.form, root(a.form)); }
COLEX_HD constexpr int depth(layout const& a) { return depth(a.form); }
COLEX_HD constexpr int64 size(layout const& a, branch at) {
  int64 n = 1;
  for (int k = at.begin; k < at.end; ++k) n = times(n, a.shape[k]);
  return n;
}
COLEX_HD constexpr int64 size(layout const& a) { return size(a, root(a.form)); }
COLEX_HD constexpr int64 size(layout const& a, int i) { return size(a, mode(a.form, root(a.form), i)); }

COLEX_HD constexpr bool has_basis(layout const& a, branch at) {
  for (int k = at.begin; k < at.end; ++k)
    if (a.basis[k] != 0) return true;
  return false;
}
COLEX_HD constexpr bool has_basis(layout const& a) { return has_basis(a, root(a.form)); }
COLEX_HD constexpr bool has_negative(layout const& a, branch at) {
  for (int k = at.begin; k < at.end; ++k)
    if (a.stride[k] < 0) return true;
  return false;
}
COLEX_HD constexpr bool has_negative(layout const& a) { return has_negative(a, root(a.form)); }

// A sum of basis terms: where a layout with basis strides takes an index. As many as the layout has leaves, at most.
struct point {
  int count = 0;
  path basis[capacity] = {};
  int64 value[capacity] = {};

  COLEX_HD constexpr void add(int64 n, path p) {
    int k = 0;
    while (k < count && basis[k] != p) ++k;
    if (k == count) basis[count++] = p;
    value[k] = plus(value[k], n);
  }
  COLEX_HD constexpr int64 at(path p) const {
    for (int k = 0; k < count; ++k)
      if (basis[k] == p) return value[k];
    return 0;
  }
};

// Adds the value of a subtree at index i to a point, to an integer. unspecified: i < 0.
COLEX_HD constexpr void evaluate(layout const& a, branch at, int64 i, point& sum) {
  if (i < 0) negative_coordinate();
  for (int k = at.begin; k < at.end; ++k) {
    bool const last = k == at.end - 1;
    sum.add(times(last ? i : i % a.shape[k], a.stride[k]), a.basis[k]);
    if (!last) i /= a.shape[k];
  }
}
COLEX_HD constexpr int64 evaluate(layout const& a, branch at, int64 i) {
  if (i < 0) negative_coordinate();
  int64 sum = 0;
  for (int k = at.begin; k < at.end; ++k) {
    if (a.basis[k] != 0) basis_stride();
    bool const last = k == at.end - 1;
    sum = plus(sum, times(last ? i : i % a.shape[k], a.stride[k]));
    if (!last) i /= a.shape[k];
  }
  return sum;
}
COLEX_HD constexpr int64 layout::operator()(int64 i) const { return evaluate(*this, root(form), i); }

template <class Int>
COLEX_HD constexpr Int unchecked(layout const& a, branch at, Int i) {
  Int sum = 0;
  int const last = at.end - 1;
  for (int k = at.begin; k < last; ++k) {
    sum += i % static_cast<Int>(a.shape[k]) * static_cast<Int>(a.stride[k]);
    i /= static_cast<Int>(a.shape[k]);
  }
  return last < at.begin ? 0 : sum + i * static_cast<Int>(a.stride[last]);
}
template <class Int>
COLEX_HD constexpr Int layout::unchecked(Int i) const {
  return gpu::unchecked(*this, root(form), i);
}

namespace detail {
// Writes the coordinate that a point is: at each level as many modes as the layout's strides mention.
COLEX_HD constexpr void write_point(tuple_writer& w, layout const& a, branch at, point const& x, path prefix, int level) {
  int modes = 0;
  bool ends = false;
  for (int k = at.begin; k < at.end; ++k) {
    if (a.stride[k] == 0 || !starts_with(a.basis[k], prefix, level)) continue;
    int const m = mode_at(a.basis[k], level);
    if (m + 1 > modes) modes = m + 1;
    if (m < 0 && a.shape[k] > 1) ends = true;
  }
  if (modes > 0 && (ends || x.at(prefix) != 0)) not_one_codomain();
  if (modes == 0) return w.put(x.at(prefix));
  w.open();
  for (int m = 0; m < modes; ++m) write_point(w, a, at, x, extended(prefix, level, m), level + 1);
  w.close();
}
}  // namespace detail

// A point as an integer or as a coordinate of the codomain of a. undefined: integer and basis strides mixed.
COLEX_HD constexpr int_tuple to_coordinate(layout const& a, branch at, point const& x) {
  int_tuple r;
  tuple_writer w(r);
  detail::write_point(w, a, at, x, 0, 0);
  return r;
}

// The length of the interval the image lies in, 1 + sum (s - 1)|d|; for basis strides mode by mode of the codomain.
// (CuTe coshape, cosize)
COLEX_HD constexpr int_tuple coshape(layout const& a) {
  point last;
  for (int k = 0; k < a.form.count; ++k) last.add(times(a.shape[k] - 1, magnitude(a.stride[k])), a.basis[k]);
  int_tuple r = to_coordinate(a, root(a.form), last);
  for (int k = 0; k < r.form.count; ++k) r.value[k] = plus(r.value[k], 1);
  return r;
}
COLEX_HD constexpr int64 cosize(layout const& a, branch at) {
  int64 n = 1;
  for (int k = at.begin; k < at.end; ++k) {
    if (a.basis[k] != 0) basis_stride();
    n = plus(n, times(a.shape[k] - 1, magnitude(a.stride[k])));
  }
  return n;
}
COLEX_HD constexpr int64 cosize(layout const& a) { return has_basis(a) ? size(coshape(a)) : cosize(a, root(a.form)); }

}  // namespace colex::gpu
