// complement: what a layout leaves out, in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/coalesce.hpp"

namespace colex::gpu {

namespace detail {

// The modes that move, merged or leaf by leaf, by increasing stride, equal ones in their order; `weight` is what each counts in
// the index.
struct sorted_modes {
  mode_list modes;
  int64 weight[capacity] = {};

  COLEX_HD constexpr sorted_modes(layout const& a, branch at, bool merged = true) {
    mode_list all;
    if (merged)
      merge(all, a, at);
    else
      for (int k = at.begin; k < at.end; ++k) all.append(a.shape[k], a.stride[k], a.basis[k]);
    int64 w = 1;
    for (int k = 0; k < all.count; ++k) {
      if (all.stride[k] != 0 && all.shape[k] > 1) insert(all.shape[k], all.stride[k], w);
      w = times(w, all.shape[k]);
    }
  }

  // Also those of a nullspace.
  COLEX_HD constexpr void add_broadcasts(layout const& still) {
    for (int k = 0; k < still.form.count; ++k)
      if (still.shape[k] > 1) insert(still.shape[k], 0, still.stride[k]);
  }

  // Behind a mode's last element.
  COLEX_HD constexpr int64 extent(int k) const { return times(modes.shape[k], modes.stride[k]); }
  // The least multiple of a stride above all values, 1 when there is none.
  COLEX_HD constexpr int64 top() const { return modes.count == 0 ? 1 : extent(modes.count - 1); }
  COLEX_HD constexpr bool overlap() const {
    for (int k = 1; k < modes.count; ++k)
      if (modes.stride[k] < extent(k - 1)) return true;
    return false;
  }

 private:
  COLEX_HD constexpr void insert(int64 s, int64 d, int64 w) {
    int k = modes.count++;
    for (; k > 0 && modes.stride[k - 1] > d; --k) {
      modes.shape[k] = modes.shape[k - 1];
      modes.stride[k] = modes.stride[k - 1];
      weight[k] = weight[k - 1];
    }
    modes.shape[k] = s;
    modes.stride[k] = d;
    weight[k] = w;
  }
};

COLEX_HD constexpr sorted_modes complement_modes(layout const& a, branch at) {
  for (int k = at.begin; k < at.end; ++k) {
    if (a.basis[k] != 0) basis_stride();
    if (a.stride[k] < 0) negative_stride();
  }
  sorted_modes s(a, at);
  if (s.overlap()) modes_overlap();
  return s;
}
COLEX_HD constexpr mode_list complement(sorted_modes const& a, int64 last_factor) {
  mode_list r;
  int64 filled = 1;
  for (int k = 0; k < a.modes.count; ++k) {
    r.push(a.modes.stride[k] / filled, filled);
    filled = a.extent(k);
  }
  r.push(last_factor, filled);
  return r;
}

}  // namespace detail

// The ordered layout of what a leaves out up to m (default: its cosize), so that (a, complement) repeats no value; gaps are
// filled as often as they fit. undefined: after sorting by stride a mode begins inside the one before; unspecified: negative
// strides. A shape instead of m is divided as CuTe divides it. (CuTe complement)
COLEX_HD constexpr layout complement(layout const& a, int_tuple const& m) {
  if (size(m) < 1) target_is_not_positive();
  detail::sorted_modes const s = detail::complement_modes(a, root(a.form));
  return detail::as_layout(detail::complement(s, size(ceil_div(m, int_tuple(s.top())))));
}
COLEX_HD constexpr layout complement(layout const& a) {  // the cosize is not above the top
  detail::sorted_modes const s = detail::complement_modes(a, root(a.form));
  return detail::as_layout(detail::complement(s, 1));
}

}  // namespace colex::gpu
