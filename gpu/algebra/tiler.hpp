// What layouts are divided, multiplied and composed by: a layout, an integer n (meaning n:1), or such mode by mode, nested,
// with `_` to keep a mode. Holds them; no operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/layout.hpp"

namespace colex::gpu {

struct tiler {
  profile form;  // the angle brackets around the items
  layout pool;   // the leaves of all items, each with its own parentheses
  static constexpr int bounds = capacity + 1;
  std::uint8_t first[bounds] = {};     // item k owns the leaves [first[k], first[k + 1])
  std::uint32_t kept = 0, counts = 0;  // bit k: item k is `_`, is an integer

  constexpr tiler() = default;  // <>
  COLEX_HD constexpr tiler(layout const& a);
  COLEX_HD constexpr tiler(int64 n);
  COLEX_HD constexpr tiler(keep_mode);
  COLEX_HD constexpr tiler(std::initializer_list<tiler> modes);

  constexpr bool operator==(tiler const&) const = default;
  COLEX_HD constexpr bool keeps(int k) const { return kept >> k & 1; }
  COLEX_HD constexpr bool is_integer(int k) const { return counts >> k & 1; }
  COLEX_HD constexpr branch item(int k) const { return {first[k], first[k + 1], 0, 0}; }
};

struct tiler_writer : profile_writer {
  tiler& to;
  COLEX_HD constexpr explicit tiler_writer(tiler& t) : profile_writer{t.form}, to(t) {}

  COLEX_HD constexpr void put(layout const& a, branch at) {
    int const k = leaf();
    layout_writer w(to.pool);
    if (at.begin != at.end) w.copy(a, at);
    to.first[k + 1] = static_cast<std::uint8_t>(to.pool.form.count);
  }
  COLEX_HD constexpr void put(layout const& a) { put(a, root(a.form)); }
  COLEX_HD constexpr void put(int64 n) {
    if (n < 1) shape_is_not_positive();
    int const k = leaf();
    layout_writer(to.pool).put(n, 1);
    to.counts |= std::uint32_t{1} << k;
    to.first[k + 1] = static_cast<std::uint8_t>(to.pool.form.count);
  }
  COLEX_HD constexpr void put(keep_mode) {
    int const k = leaf();
    to.kept |= std::uint32_t{1} << k;
    to.first[k + 1] = static_cast<std::uint8_t>(to.pool.form.count);
  }
  COLEX_HD constexpr void copy(tiler const& t, branch at) {
    if (at.begin == at.end) return open(), close();
    for (int k = at.begin; k < at.end; ++k) {
      open(t.form.open[k] - (k == at.begin ? at.lead : 0));
      if (t.keeps(k))
        put(_);
      else if (t.is_integer(k))
        put(t.pool.shape[t.first[k]]);
      else
        put(t.pool, t.item(k));
      close(t.form.close[k] - (k == at.end - 1 ? at.trail : 0));
    }
  }
  COLEX_HD constexpr void copy(tiler const& t) { copy(t, root(t.form)); }
};

COLEX_HD constexpr tiler::tiler(layout const& a) { tiler_writer(*this).put(a); }
COLEX_HD constexpr tiler::tiler(int64 n) { tiler_writer(*this).put(n); }
COLEX_HD constexpr tiler::tiler(keep_mode) { tiler_writer(*this).put(_); }
COLEX_HD constexpr tiler::tiler(std::initializer_list<tiler> modes) {
  tiler_writer w(*this);
  w.open();
  for (tiler const& t : modes) w.copy(t);
  w.close();
}

// A mode of a tiler; integers as a tiler by mode.
COLEX_HD constexpr tiler get(tiler const& t, int64 i) {
  tiler r;
  tiler_writer(r).copy(t, mode(t.form, root(t.form), i));
  return r;
}
COLEX_HD constexpr tiler by_extents(int_tuple const& s) {
  tiler r;
  tiler_writer w(r);
  w.open();
  for (int k = 0; k < s.form.count; ++k) w.put(s.value[k]);
  w.close();
  return r;
}

// By mode, or one layout for the whole?
COLEX_HD constexpr bool by_mode(tiler const& t, branch at) { return is_tuple(t.form, at); }

namespace detail {
// Writes op(mode of a, item of t) for each mode, nested as t is; `rest`: then the modes of a that t does not reach.
template <class Op>
COLEX_HD constexpr void mode_by_mode(layout_writer& w, layout const& a, branch at, tiler const& t, branch tt, bool rest,
                                     Op op) {
  if (!by_mode(t, tt)) {
    if (t.keeps(tt.begin)) return w.copy(a, at);
    return op(w, a, at, t, tt);
  }
  int const n = rank(t.form, tt);
  if (n > rank(a.form, at)) tiler_has_more_modes();
  w.open();
  for (int i = 0; i < n; ++i) mode_by_mode(w, a, mode(a.form, at, i), t, mode(t.form, tt, i), rest, op);
  if (rest) w.splice(a, at, n);
  w.close();
}
}  // namespace detail

}  // namespace colex::gpu
