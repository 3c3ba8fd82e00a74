// Division of a layout by a tiler: logical_, zipped_, tiled_ and flat_divide. The regrouping is shared with the products.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/complement.hpp"
#include "gpu/algebra/composition.hpp"
#include "gpu/algebra/edit.hpp"

namespace colex::gpu {

namespace detail {

// (b, complement(b, n)).
COLEX_HD constexpr layout with_complement(layout const& b, branch bt, sorted_modes const& s, int64 n) {
  layout both;
  layout_writer t(both);
  t.open();
  t.copy(b, bt);
  write(t, complement(s, gpu::ceil_div(n, s.top())));
  t.close();
  return both;
}

// a with the one mode rounded up that tiles ending at `end` cut. False: several modes would have to be.
COLEX_HD constexpr bool round_up(mode_list& a, int64 end) {
  for (int k = 0; k < a.count; ++k) {
    int64& s = a.shape[k];
    if (end < s) return s = times(gpu::ceil_div(s, end), end), true;
    if (end % s != 0) return false;
    end /= s;
  }
  return true;
}

// Composes a with `both`, b and its complement; where b does not divide a, with one mode of a rounded up.
COLEX_HD constexpr found divide(pieces& r, layout& both, layout const& a, branch at, layout const& b, branch bt,
                                sorted_modes const& s) {
  both = with_complement(b, bt, s, size(a, at));
  found const exact = compose(r, a, at, both, root(both.form));
  mode_list m = radix(a, at).modes;
  if (exact == found::yes || !round_up(m, s.top())) return exact;
  layout const padded = as_layout(m);
  both = with_complement(b, bt, s, size(padded));
  r = {};
  return compose(r, padded, root(padded.form), both, root(both.form));
}
COLEX_HD constexpr void logical_divide(layout_writer& w, layout const& a, branch at, layout const& b, branch bt) {
  pieces r;
  layout both;
  require(divide(r, both, a, at, b, bt, complement_modes(b, bt)));
  write(w, r, both, root(both.form));
}

// f by an item of a tiler, where the integer 1 is 1:0 as CuTe makes it.
template <class Op>
COLEX_HD constexpr void by_item(layout_writer& w, layout const& a, branch at, tiler const& t, branch tt, Op op) {
  branch const item = t.item(tt.begin);
  if (!t.is_integer(tt.begin) || t.pool.shape[item.begin] != 1) return op(w, a, at, t.pool, item);
  layout const one = layout_of(1, 0);
  op(w, a, at, one, root(one.form));
}

// Gathers one half of what mode_by_mode wrote: the first or second part of each mode, in the nesting of the tiler.
COLEX_HD constexpr void gather(layout_writer& w, layout const& d, branch at, tiler const& t, branch tt, bool tile) {
  if (!by_mode(t, tt)) {
    if (!t.keeps(tt.begin)) return w.copy(d, mode(d.form, at, tile ? 0 : 1));
    return tile ? w.put(1, 0) : w.copy(d, at);
  }
  int const n = rank(t.form, tt);
  w.open();
  for (int i = 0; i < n; ++i) gather(w, d, mode(d.form, at, i), t, mode(t.form, tt, i), tile);
  if (!tile) w.splice(d, at, n);
  w.close();
}
COLEX_HD constexpr layout zipped(layout const& d, tiler const& t) {
  layout r;
  layout_writer w(r);
  w.open();
  gather(w, d, root(d.form), t, root(t.form), true);
  gather(w, d, root(d.form), t, root(t.form), false);
  w.close();
  return r;
}

// The modes of one half without their parentheses; CuTe leaves a half of rank 1 as it is.
COLEX_HD constexpr void unpack(layout_writer& w, layout const& a, branch half, bool open) {
  if (open && rank(a.form, half) != 1)
    w.splice(a, half);
  else
    w.copy(a, half);
}
COLEX_HD constexpr layout unpacked(layout const& zipped, bool first) {
  layout r;
  layout_writer w(r);
  w.open();
  unpack(w, zipped, mode(zipped.form, root(zipped.form), 0), first);
  unpack(w, zipped, mode(zipped.form, root(zipped.form), 1), true);
  w.close();
  return r;
}

}  // namespace detail

// a o (b, complement(b, size a)): the elements tile by tile. Where b does not divide a, one mode of a is rounded up and its
// last tile runs past the end. By mode with a tiler, modes it lacks stay. undefined: several modes would have to be rounded up,
// the complement is undefined, or the tiler has more modes. (CuTe logical_divide)
COLEX_HD constexpr layout logical_divide(layout const& a, tiler const& t) {
  layout r;
  layout_writer w(r);
  detail::mode_by_mode(w, a, root(a.form), t, root(t.form), true,
                       [](layout_writer& to, layout const& l, branch at, tiler const& s, branch st) {
                         detail::by_item(to, l, at, s, st, detail::logical_divide);
                       });
  return r;
}

// ((tile modes), (rest modes)); a kept mode is 1:0 in the tile. (CuTe zipped_divide)
COLEX_HD constexpr layout zipped_divide(layout const& a, tiler const& t) { return detail::zipped(logical_divide(a, t), t); }
// ((tile modes), rest, ...). (CuTe tiled_divide)
COLEX_HD constexpr layout tiled_divide(layout const& a, tiler const& t) { return detail::unpacked(zipped_divide(a, t), false); }
// (tile, ..., rest, ...). (CuTe flat_divide)
COLEX_HD constexpr layout flat_divide(layout const& a, tiler const& t) { return detail::unpacked(zipped_divide(a, t), true); }

}  // namespace colex::gpu
