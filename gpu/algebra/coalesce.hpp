// Merging modes: coalesce, filter, filter_zeros, and the flat list of merged modes that most of the algebra is written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/layout.hpp"

namespace colex::gpu {

namespace detail {

// Modes without a profile; push merges what continues the mode before. Copies are the compiler's own: nvcc 13.0 loses the
// elements behind a copy constructor that copies only `count` of them.
struct mode_list {
  int count = 0;
  int64 shape[capacity] = {}, stride[capacity] = {};
  path basis[capacity] = {};

  COLEX_HD constexpr bool continues(int64 d, path p) const {
    if (count == 0 || basis[count - 1] != p) return false;
    return static_cast<int128>(shape[count - 1]) * stride[count - 1] == d;
  }
  COLEX_HD constexpr void append(int64 s, int64 d, path p) {
    shape[count] = s;
    stride[count] = d;
    basis[count] = p;
    ++count;
  }
  COLEX_HD constexpr void push(int64 s, int64 d, path p = 0) {
    if (s == 1) return;
    if (continues(d, p))
      shape[count - 1] = times(shape[count - 1], s);
    else if (count == capacity)
      more_than_32_leaves();
    else
      append(s, d, p);
  }
  COLEX_HD constexpr int64 size() const {
    int64 n = 1;
    for (int k = 0; k < count; ++k) n = times(n, shape[k]);
    return n;
  }
};

// The merged modes of a subtree; filtered: without those of stride 0.
COLEX_HD constexpr void merge(mode_list& to, layout const& a, branch at, bool filtered = false) {
  for (int k = at.begin; k < at.end; ++k)
    if (!(filtered && a.stride[k] == 0)) to.push(a.shape[k], a.stride[k], a.basis[k]);
}

// Modes as canonical text has them: 1:0 for none, an integer mode for one, else a flat tuple.
COLEX_HD constexpr void write(layout_writer& w, mode_list const& m) {
  if (m.count == 0) return w.put(1, 0);
  if (m.count > 1) w.open();
  for (int k = 0; k < m.count; ++k) w.put(m.shape[k], m.stride[k], m.basis[k]);
  if (m.count > 1) w.close();
}
COLEX_HD constexpr layout as_layout(mode_list const& m) {
  layout r;
  layout_writer w(r);
  write(w, m);
  return r;
}

COLEX_HD constexpr void coalesce(layout_writer& w, layout const& a, branch at, bool filtered) {
  mode_list m;
  merge(m, a, at, filtered);
  write(w, m);
}
COLEX_HD constexpr void coalesce(layout_writer& w, layout const& a, branch at, int_tuple const& p, branch pt, bool filtered) {
  if (!is_tuple(p.form, pt)) return coalesce(w, a, at, filtered);
  int const n = rank(p.form, pt);
  w.open();
  for (int i = 0; i < n; ++i) coalesce(w, a, mode(a.form, at, i), p, mode(p.form, pt, i), filtered);
  w.splice(a, at, n);
  w.close();
}

}  // namespace detail

// The same function on [0, size) in the fewest modes: extent 1 dropped, s:d followed by t:(s d) merged. With a profile mode by
// mode, modes it lacks unchanged. undefined: more modes in the profile. (CuTe coalesce)
COLEX_HD constexpr layout coalesce(layout const& a) {
  layout r;
  layout_writer w(r);
  detail::coalesce(w, a, root(a.form), false);
  return r;
}
COLEX_HD constexpr layout coalesce(layout const& a, int_tuple const& p) {
  layout r;
  layout_writer w(r);
  detail::coalesce(w, a, root(a.form), p, root(p.form), false);
  return r;
}

// Extent 1 where the stride is 0. (CuTe filter_zeros)
COLEX_HD constexpr layout filter_zeros(layout const& a) {
  layout r = a;
  for (int k = 0; k < r.form.count; ++k)
    if (r.stride[k] == 0) r.shape[k] = 1;
  return r;
}

// coalesce of filter_zeros. (CuTe filter)
COLEX_HD constexpr layout filter(layout const& a) {
  layout r;
  layout_writer w(r);
  detail::coalesce(w, a, root(a.form), true);
  return r;
}
COLEX_HD constexpr layout filter(layout const& a, int_tuple const& p) {
  layout r;
  layout_writer w(r);
  detail::coalesce(w, a, root(a.form), p, root(p.form), true);
  return r;
}

}  // namespace colex::gpu
