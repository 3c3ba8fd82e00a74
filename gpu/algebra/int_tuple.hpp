// Integers and nested tuples of them as flat values: shapes, coordinates, orders, profiles. No layouts, no strides' meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/checked.hpp"

#include <initializer_list>

namespace colex::gpu {

// How many leaves a tuple or layout holds. More is an error, never cut.
inline constexpr int capacity = 32;

// The path of a basis stride n@j@i, one byte a level, outermost mode first in the low byte, each mode plus one; 0 = an integer.
using path = std::uint64_t;

COLEX_HD constexpr int levels(path p) {
  int n = 0;
  for (; p != 0; p >>= 8) ++n;
  return n;
}
// The mode at a level of a path, -1 behind its end.
COLEX_HD constexpr int mode_at(path p, int level) { return level > 7 ? -1 : static_cast<int>(p >> (8 * level) & 255) - 1; }
COLEX_HD constexpr path extended(path p, int level, int mode) {
  if (level > 7 || mode < 0 || mode > 254) nested_too_deep();
  return p | static_cast<path>(mode + 1) << (8 * level);
}
template <class Modes = std::initializer_list<int>>
COLEX_HD constexpr path path_of(Modes const& outermost_first) {
  path p = 0;
  int level = 0;
  for (int mode : outermost_first) p = extended(p, level++, mode);
  return p;
}
// Are the first `level` modes those of the prefix, which has no more?
COLEX_HD constexpr bool starts_with(path p, path prefix, int level) {
  return level == 0 || (p ^ prefix) << (64 - 8 * level) == 0;
}

// Parentheses around `count` leaves: how many open before and close behind each. No leaf is `()`, one without parentheses an
// integer.
struct profile {
  int count = 0;
  std::uint8_t open[capacity] = {}, close[capacity] = {};

  COLEX_HD constexpr bool operator==(profile const& b) const {
    if (count != b.count) return false;
    for (int k = 0; k < count; ++k)
      if (open[k] != b.open[k] || close[k] != b.close[k]) return false;
    return true;
  }
};

// A subtree of a profile: leaves [begin, end); `lead` of the parentheses before the first and `trail` of those behind the
// last belong to what it lies in.
struct branch {
  int begin, end, lead, trail;
};

COLEX_HD constexpr branch root(profile const& p) { return {0, p.count, 0, 0}; }
COLEX_HD constexpr bool is_tuple(profile const& p, branch at) { return at.begin == at.end || p.open[at.begin] > at.lead; }

COLEX_HD constexpr branch subtree(profile const& p, int begin, int lead) {
  int depth = p.open[begin] - lead, last = begin;
  while ((depth -= p.close[last]) > 0) depth += p.open[++last];
  return {begin, last + 1, lead, -depth};
}
// The first mode of a tuple that is not empty, and the one behind a mode.
COLEX_HD constexpr branch first_mode(profile const& p, branch at) { return subtree(p, at.begin, at.lead + 1); }
COLEX_HD constexpr branch next_mode(profile const& p, branch mode) { return subtree(p, mode.end, 0); }

// The number of modes; an integer is its own mode 0.
COLEX_HD constexpr int rank(profile const& p, branch at) {
  int n = 0;
  for (int k = at.begin, lead = at.lead + 1; k < at.end; lead = 0, ++n) k = subtree(p, k, lead).end;
  return n;
}
COLEX_HD constexpr branch mode(profile const& p, branch at, int64 i) {
  if (i < 0 || at.begin == at.end) no_such_mode();
  branch m = is_tuple(p, at) ? first_mode(p, at) : at;
  for (int64 k = 0; k < i; ++k) {
    if (m.end == at.end) no_such_mode();
    m = next_mode(p, m);
  }
  return m;
}
// A tuple with this many modes?
COLEX_HD constexpr bool has_rank(profile const& p, branch at, int n) { return is_tuple(p, at) && rank(p, at) == n; }
COLEX_HD constexpr int depth(profile const& p) {
  int now = 0, most = p.count == 0;
  for (int k = 0; k < p.count; ++k) {
    now += p.open[k];
    if (now > most) most = now;
    now -= p.close[k];
  }
  return most;
}

// Writes a profile leaf by leaf.
struct profile_writer {
  profile& to;
  int pending = 0;

  COLEX_HD constexpr void open(int n = 1) { pending += n; }
  COLEX_HD constexpr void close(int n = 1) {
    if (pending > 0) {  // nothing came between
      if (pending > 1 || to.count > 0) nested_empty_tuple();
      return;
    }
    int const all = to.close[to.count - 1] + n;
    if (all > 255) nested_too_deep();
    to.close[to.count - 1] = static_cast<std::uint8_t>(all);
  }
  // The place of the next leaf.
  COLEX_HD constexpr int leaf() {
    if (to.count == capacity) more_than_32_leaves();
    if (pending > 255) nested_too_deep();
    to.open[to.count] = static_cast<std::uint8_t>(pending);
    pending = 0;
    return to.count++;
  }
  // The place of the first leaf of a subtree that is not empty, written with its parentheses.
  COLEX_HD constexpr int subtree(profile const& p, branch at) {
    int const n = at.end - at.begin, first = to.count;
    if (first + n > capacity) more_than_32_leaves();
    for (int k = 0; k < n; ++k) {
      to.open[first + k] = p.open[at.begin + k];
      to.close[first + k] = p.close[at.begin + k];
    }
    int const opened = to.open[first] - at.lead + pending;
    if (opened > 255) nested_too_deep();
    to.open[first] = static_cast<std::uint8_t>(opened);
    to.close[first + n - 1] = static_cast<std::uint8_t>(to.close[first + n - 1] - at.trail);
    pending = 0;
    to.count += n;
    return first;
  }
};

struct keep_mode {};
inline constexpr keep_mode _{};  // keeps a mode in slices and tilers

// An integer, `_`, or a tuple of such, int_tuple{4, {2, _}}; as a stride also basis elements.
struct int_tuple {
  profile form;
  int64 value[capacity] = {};
  path basis[capacity] = {};
  std::uint32_t kept = 0;  // bit k: leaf k is `_`

  constexpr int_tuple() = default;  // ()
  COLEX_HD constexpr int_tuple(int64 n, path p = 0) {
    form.count = 1;
    value[0] = n;
    basis[0] = p;
  }
  COLEX_HD constexpr int_tuple(keep_mode) : kept(1) { form.count = 1; }
  COLEX_HD constexpr int_tuple(std::initializer_list<int_tuple> modes);

  constexpr bool operator==(int_tuple const&) const = default;
  COLEX_HD constexpr bool keeps(int k) const { return kept >> k & 1; }
};

struct tuple_writer : profile_writer {
  int_tuple& to;
  COLEX_HD constexpr explicit tuple_writer(int_tuple& t) : profile_writer{t.form}, to(t) {}

  COLEX_HD constexpr void put(int64 n) { to.value[leaf()] = n; }
  COLEX_HD constexpr void put(keep_mode) { to.kept |= std::uint32_t{1} << leaf(); }
  COLEX_HD constexpr void copy(int_tuple const& a, branch at) {
    if (at.begin == at.end) return open(), close();
    int const first = subtree(a.form, at);
    for (int k = at.begin, j = first; k < at.end; ++k, ++j) {
      to.value[j] = a.value[k];
      to.basis[j] = a.basis[k];
    }
    to.kept |= (a.kept >> at.begin & ~0u >> (capacity - (at.end - at.begin))) << first;
  }
};

COLEX_HD constexpr int_tuple::int_tuple(std::initializer_list<int_tuple> modes) {
  tuple_writer w(*this);
  w.open();
  for (int_tuple const& m : modes) w.copy(m, root(m.form));
  w.close();
}

// The number of modes, the nesting depth, the product of all leaves (CuTe rank, depth, size/product).
COLEX_HD constexpr int rank(int_tuple const& s) { return rank(s.form, root(s.form)); }
COLEX_HD constexpr int depth(int_tuple const& s) { return depth(s.form); }
COLEX_HD constexpr int64 product(int_tuple const& s, branch at) {
  int64 n = 1;
  for (int k = at.begin; k < at.end; ++k) n = times(n, s.value[k]);
  return n;
}
COLEX_HD constexpr int64 size(int_tuple const& s) { return product(s, root(s.form)); }

// The products of the modes, a tuple of integers; an integer stays one. (CuTe product_each)
COLEX_HD constexpr int_tuple product_each(int_tuple const& s) {
  if (!is_tuple(s.form, root(s.form))) return s;
  int_tuple r;
  tuple_writer w(r);
  w.open();
  for (int i = 0, n = rank(s); i < n; ++i) w.put(product(s, mode(s.form, root(s.form), i)));
  w.close();
  return r;
}

// The same profile.
COLEX_HD constexpr bool congruent(profile const& a, profile const& b) { return a == b; }
COLEX_HD constexpr bool congruent(int_tuple const& a, int_tuple const& b) { return a.form == b.form; }

namespace detail {
// Does b refine a: equal ranks wherever a is a tuple; with sizes, equal products wherever a is an integer?
COLEX_HD constexpr bool refines(int_tuple const& a, branch at, int_tuple const& b, branch bt, bool sizes) {
  if (!is_tuple(a.form, at)) return !sizes || a.value[at.begin] == product(b, bt);
  int const n = rank(a.form, at);
  if (!has_rank(b.form, bt, n)) return false;
  for (int i = 0; i < n; ++i)
    if (!refines(a, mode(a.form, at, i), b, mode(b.form, bt, i), sizes)) return false;
  return true;
}
}  // namespace detail

// b has the profile of a or a finer one.
COLEX_HD constexpr bool weakly_congruent(int_tuple const& a, int_tuple const& b) {
  return detail::refines(a, root(a.form), b, root(b.form), false);
}
// Every coordinate of a is one of b.
COLEX_HD constexpr bool compatible(int_tuple const& a, int_tuple const& b) {
  return detail::refines(a, root(a.form), b, root(b.form), true);
}

namespace detail {
// a over n, extent by extent: what an extent leaves of n goes on to the next. Returns the rest.
COLEX_HD constexpr int64 divide_leaves(tuple_writer& w, int_tuple const& a, branch at, int64 n, bool exact) {
  if (n <= 0) target_is_not_positive();
  if (!is_tuple(a.form, at)) {
    int64 const s = a.value[at.begin];
    if (exact && s % n != 0 && n % s != 0) neither_divides();
    w.put(ceil_div(s, n));
    return ceil_div(n, s);
  }
  w.open();
  int const modes = rank(a.form, at);
  for (int i = 0; i < modes; ++i) {
    branch const m = mode(a.form, at, i);
    int64 const whole = product(a, m);
    divide_leaves(w, a, m, n, exact);
    n = ceil_div(n, whole);
  }
  w.close();
  return n;
}
COLEX_HD constexpr void divide(tuple_writer& w, int_tuple const& a, branch at, int_tuple const& b, branch bt, bool exact) {
  if (!is_tuple(a.form, at) || !is_tuple(b.form, bt)) {
    divide_leaves(w, a, at, product(b, bt), exact);
    return;
  }
  int const n = rank(a.form, at), m = rank(b.form, bt);
  if (exact ? m != n : m > n) ranks_do_not_match();
  w.open();
  for (int i = 0; i < n; ++i) {
    if (i < m)
      divide(w, a, mode(a.form, at, i), b, mode(b.form, bt, i), exact);
    else
      w.copy(a, mode(a.form, at, i));
  }
  w.close();
}
}  // namespace detail

// Division rounded up: mode by mode by a tuple (modes it lacks count as 1), running through the modes by an integer.
// undefined: b has more modes. (CuTe ceil_div)
COLEX_HD constexpr int_tuple ceil_div(int_tuple const& a, int_tuple const& b) {
  int_tuple r;
  tuple_writer w(r);
  detail::divide(w, a, root(a.form), b, root(b.form), false);
  return r;
}
// The same where at each step one of the two divides the other; undefined otherwise or when ranks differ. (CuTe shape_div)
COLEX_HD constexpr int_tuple shape_div(int_tuple const& a, int_tuple const& b) {
  int_tuple r;
  tuple_writer w(r);
  detail::divide(w, a, root(a.form), b, root(b.form), true);
  return r;
}

namespace detail {
COLEX_HD constexpr bool evenly_divides(int_tuple const& a, branch at, int_tuple const& b, branch bt) {
  if (is_tuple(b.form, bt)) {
    int const n = rank(b.form, bt);
    if (!is_tuple(a.form, at) || n > rank(a.form, at)) return false;
    for (int i = 0; i < n; ++i)
      if (!evenly_divides(a, mode(a.form, at, i), b, mode(b.form, bt, i))) return false;
    return true;
  }
  int_tuple q;
  tuple_writer w(q);
  int64 const n = b.value[bt.begin];
  divide_leaves(w, a, at, n, false);
  return product(a, at) == times(n, size(q));
}
}  // namespace detail

// Does the tiler b divide the shape a without remainder? (CuTe evenly_divides)
COLEX_HD constexpr bool evenly_divides(int_tuple const& a, int_tuple const& b) {
  return detail::evenly_divides(a, root(a.form), b, root(b.form));
}

}  // namespace colex::gpu
