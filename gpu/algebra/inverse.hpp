// Inverses: right_inverse, left_inverse, nullspace, and what is said with them (max_common_*, max_alignment,
// domain_distribute). Closed forms where the modes do not overlap; small overlapping layouts by search (search.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/edit.hpp"
#include "gpu/algebra/search.hpp"

namespace colex::gpu {

namespace detail {

COLEX_HD constexpr void require_integer_strides(layout const& a) {
  for (int k = 0; k < a.form.count; ++k)
    if (a.basis[k] != 0) basis_stride();
}
COLEX_HD constexpr void require_natural_strides(layout const& a) {
  require_integer_strides(a);
  if (has_negative(a)) negative_stride();
}

// The modes whose strides continue 1, s, s t, ...: always a right inverse.
COLEX_HD constexpr mode_list contiguous(sorted_modes const& s) {
  mode_list r;
  int64 next = 1;
  for (int k = 0; k < s.modes.count; ++k)
    if (s.modes.stride[k] == next) {
      r.push(s.modes.shape[k], s.weight[k]);
      next = s.extent(k);
    }
  return r;
}

// The modes that can take part in the values 0, 1, 2, ... before the first gap come first: how many (all, when some are
// negative).
COLEX_HD constexpr int before_gap(sorted_modes const& s) {
  int64 reach = 1;
  int k = 0;
  for (; k < s.modes.count && (s.modes.stride[0] < 0 || s.modes.stride[k] <= reach); ++k)
    reach = plus(reach, times(s.modes.shape[k] - 1, s.modes.stride[k]));
  return k;
}
// No value before the first gap comes twice: there `contiguous` is the largest, and the only right inverse.
COLEX_HD constexpr bool single_valued(sorted_modes const& s) {
  int64 next = 1;
  for (int k = 0; k < s.modes.count; ++k) {
    if (s.modes.stride[k] != next) return s.modes.stride[k] > next;
    next = s.extent(k);
  }
  return true;
}

// CuTe's construction: by increasing stride a mode of extent d / (stride before). False: a stride is not a multiple of that.
COLEX_HD constexpr bool quotients(sorted_modes const& s, mode_list& r) {
  int64 done = 1, weight = 0;
  for (int k = 0; k < s.modes.count; ++k) {
    int64 const d = s.modes.stride[k];
    if (d % done != 0) return false;
    r.push(d / done, weight);
    weight = s.weight[k];
    done = d;
  }
  r.push(s.modes.shape[s.modes.count - 1], weight);
  return true;
}

// a(l(a(i))) = a(i) for all i, s being the modes of a that move.
COLEX_HD constexpr bool quasi_inverts(layout const& l, layout const& a, sorted_modes const& s) {
  for (int64 i = 0, n = s.modes.size(); i < n; ++i) {
    int64 const x = element(s, i).value;
    if (a(l(x)) != x) return false;
  }
  return true;
}

}  // namespace detail

// The modes of stride 0 with their strides in the index. (CuTe nullspace)
COLEX_HD constexpr layout nullspace(layout const& a) {
  detail::mode_list m;
  int64 weight = 1;
  for (int k = 0; k < a.form.count; ++k) {
    if (a.stride[k] == 0 && a.shape[k] > 1) m.append(a.shape[k], weight, 0);
    weight = times(weight, a.shape[k]);
  }
  return detail::as_layout(m);
}

namespace detail {
// Leaf by leaf, where values come twice before the first gap: merged modes are fewer ways, and might be a smaller inverse.
COLEX_HD constexpr layout searched_right_inverse(layout const& a) {
  sorted_modes s(a, root(a.form), false);
  mode_list const r = contiguous(s);
  s.modes.count = before_gap(s);
  s.add_broadcasts(nullspace(a));  // a step along those may carry into another mode
  if (s.modes.size() > inverse_search_limit) inverse_not_decided();
  right_search search(a, s, r.size());
  search.extend(1);
  return as_layout(search.depth_of_best == 0 ? r : search.result());
}
}  // namespace detail

// The largest R with R(i) < size(a) and a(R(i)) = i for i < size(R): where values come twice, whole leaves by stride, if none
// is larger. undefined: basis strides, or more than 256 elements in modes that overlap. (CuTe right_inverse)
COLEX_HD constexpr layout right_inverse(layout const& a) {
  detail::require_integer_strides(a);
  detail::sorted_modes const s(a, root(a.form));
  return detail::single_valued(s) ? detail::as_layout(detail::contiguous(s)) : detail::searched_right_inverse(a);
}

// L with L(a(c)) = index of c (broadcast modes at 0); where values repeat, a(L(a(i))) = a(i). undefined: there is none, basis
// strides, or a is too large to decide; unspecified: negative strides. (CuTe left_inverse)
COLEX_HD constexpr layout left_inverse(layout const& a) {
  detail::require_natural_strides(a);
  detail::sorted_modes const s(a, root(a.form));
  if (s.modes.count == 0) return layout_of(size(a), 0);
  detail::mode_list r;
  if (detail::quotients(s, r)) {
    layout const l = detail::as_layout(r);
    if (!s.overlap()) return l;
    // Dividing strides that overlap repeat values; leaf by leaf there is more to choose from than merged.
    if (s.modes.size() > composition_table_limit) inverse_not_decided();
    detail::mode_list by_leaf;
    if (detail::quotients({a, root(a.form), false}, by_leaf) && detail::quasi_inverts(detail::as_layout(by_leaf), a, s))
      return detail::as_layout(by_leaf);
    if (!detail::quasi_inverts(l, a, s)) no_left_inverse();
    return l;
  }
  int64 const values = cosize(a);
  if (values > inverse_search_limit || !detail::injective(s)) inverse_not_decided();
  detail::left_search search(s, values);
  if (!search.chain(1)) no_left_inverse();
  return detail::as_layout(search.result());
}

namespace detail {
// What two right inverses begin with in common.
COLEX_HD constexpr mode_list common_prefix(mode_list const& x, mode_list const& y) {
  mode_list r;
  for (int k = 0; k < x.count && k < y.count && x.stride[k] == y.stride[k]; ++k) {
    r.push(smaller(x.shape[k], y.shape[k]), x.stride[k]);
    if (x.shape[k] != y.shape[k]) break;
  }
  return r;
}
// As much of x, which inverts one layout, as inverts b too.
COLEX_HD constexpr mode_list common_by_table(mode_list const& x, layout const& b) {
  layout const l = as_layout(x);
  int64 const most = x.size(), size_b = size(b);
  int64 n = 0;
  while (n < most && n < composition_table_limit && l(n) < size_b && b(l(n)) == n) ++n;
  if (n == composition_table_limit && n < most) inverse_not_decided();
  mode_list r;
  for (int k = 0; k < x.count && n != 0; n /= x.shape[k++]) r.push(smaller(x.shape[k], n), x.stride[k]);
  return r;
}
}  // namespace detail

// The largest R with a(R(i)) = i = b(R(i)), R(i) below both sizes. undefined: basis strides, or both overlap. (CuTe
// max_common_layout; its answer may be larger than a or b, ours is not)
COLEX_HD constexpr layout max_common_layout(layout const& a, layout const& b) {
  detail::require_integer_strides(a);
  detail::require_integer_strides(b);
  detail::sorted_modes const s(a, root(a.form)), t(b, root(b.form));
  bool const one_a = detail::single_valued(s), one_b = detail::single_valued(t);
  if (!one_a && !one_b) inverse_not_decided();
  bool const only_a = one_a && size(nullspace(a)) == 1, only_b = one_b && size(nullspace(b)) == 1;  // no other inverse
  detail::mode_list const x = detail::contiguous(s), y = detail::contiguous(t);
  if (only_a && only_b) return detail::as_layout(detail::common_prefix(x, y));
  if (only_a || !one_b) return detail::as_layout(detail::common_by_table(x, b));
  if (only_b || !one_a) return detail::as_layout(detail::common_by_table(y, a));
  detail::mode_list const xb = detail::common_by_table(x, b), ya = detail::common_by_table(y, a);
  return detail::as_layout(ya.size() > xb.size() ? ya : xb);
}
COLEX_HD constexpr int64 max_common_vector(layout const& a, layout const& b) { return size(max_common_layout(a, b)); }

// The largest n by which all of a can be upcast: the contiguous elements and the strides of the others. undefined: basis
// strides; unspecified: negative ones. (CuTe max_alignment)
COLEX_HD constexpr int64 max_alignment(layout const& a) {
  detail::require_natural_strides(a);
  detail::sorted_modes const s(a, root(a.form));
  int64 n = detail::contiguous(s).size(), next = 1;
  for (int k = 0; k < s.modes.count; ++k) {
    if (s.modes.stride[k] == next)
      next = s.extent(k);
    else
      n = gcd(n, s.modes.stride[k]);
  }
  return n;
}

// n spread over the extents of s, as much of it as each takes. (CuTe domain_distribute)
COLEX_HD constexpr layout domain_distribute(int_tuple const& s, int64 n) {
  if (n < 1) target_is_not_positive();
  detail::mode_list r;
  int64 weight = 1;
  for (int k = 0; k < s.form.count; ++k) {
    if (s.value[k] < 1) shape_is_not_positive();
    int64 const g = gcd(s.value[k], n);
    r.push(g, weight);
    n /= g;
    weight = times(weight, s.value[k]);
  }
  return detail::as_layout(r);
}

}  // namespace colex::gpu
