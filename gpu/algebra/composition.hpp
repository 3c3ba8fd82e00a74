// composition: the layout R with R(c) = A(B(c)), found in closed form and, where the closed form refuses, decided by a table.
// Not a mode-by-mode rule: whether R exists is a question about all of B.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/coalesce.hpp"
#include "gpu/algebra/tiler.hpp"

namespace colex::gpu {

// Where the closed form refuses, a composition of at most this many elements is decided by a table.
inline constexpr int64 composition_table_limit = 4096;

namespace detail {

// One basis term: what a stride can be.
struct term {
  int64 value = 0;
  path basis{};
  bool one = true;  // nothing was added along another basis element
  COLEX_HD constexpr void add(int64 n, path p) {
    if (n == 0) return;
    if (value != 0 && basis != p) one = false;
    value = plus(value, n);
    basis = p;
  }
};

// A layout as a function on all naturals: merged modes, the last unbounded, between cuts (products of the extents).
struct radix {
  mode_list modes;
  int64 cut[capacity], last_cut = 1;
  point axes;  // the basis elements of its strides

  COLEX_HD constexpr radix(layout const& a, branch at) {
    for (int k = at.begin; k < at.end; ++k) {
      bool const last = k == at.end - 1;
      axes.add(1, a.basis[k]);
      if (!last || modes.continues(a.stride[k], a.basis[k]))
        modes.push(a.shape[k], a.stride[k], a.basis[k]);
      else
        modes.append(a.shape[k], a.stride[k], a.basis[k]);
    }
    for (int j = 0; j < cuts(); ++j) cut[j] = last_cut = times(last_cut, modes.shape[j]);
  }
  COLEX_HD constexpr int cuts() const { return modes.count - 1; }

  // The part of the value at x that lies along one basis element.
  COLEX_HD constexpr int64 at(int64 x, path p) const {
    int64 sum = 0;
    for (int j = 0; j < modes.count; ++j) {
      bool const last = j == modes.count - 1;
      if (modes.basis[j] == p) sum = plus(sum, times(last ? x : x % modes.shape[j], modes.stride[j]));
      if (!last) x /= modes.shape[j];
    }
    return sum;
  }
  // Is the value at x that many times the term?
  COLEX_HD constexpr bool has(int64 x, int64 n, term const& t) const {
    for (int j = 0; j < axes.count; ++j)
      if (at(x, axes.basis[j]) != (axes.basis[j] == t.basis ? times(n, t.value) : 0)) return false;
    return true;
  }
};

// Is there a layout?
enum class found { yes, no, not_decided };

// What the leaves of B become: leaf k the pieces [first[k], first[k] + number[k]), each an extent, a stride, and its stride in
// B.
struct pieces {
  int count = 0;
  int64 extent[capacity], stride[capacity], place[capacity];
  path basis[capacity];
  std::uint8_t first[capacity], number[capacity];

  COLEX_HD constexpr pieces() {}  // the rest is written before it is read
  COLEX_HD constexpr void begin(int leaf) {
    first[leaf] = static_cast<std::uint8_t>(count);
    number[leaf] = 0;
  }
  // A piece of a leaf, or what continues the piece before.
  COLEX_HD constexpr void put(int leaf, int64 s, term const& d, int64 at) {
    int const last = count - 1;
    if (number[leaf] > 0 && basis[last] == d.basis && static_cast<int128>(extent[last]) * stride[last] == d.value) {
      extent[last] *= s;
      return;
    }
    if (count == capacity) more_than_32_leaves();
    extent[count] = s;
    stride[count] = d.value;
    basis[count] = d.basis;
    place[count] = at;
    ++count;
    ++number[leaf];
  }
};

// Leaves that need no splitting: stride 0, extent 1, or nothing to be split by.
COLEX_HD constexpr bool whole_leaf(pieces& to, radix const& a, int leaf, int64 s, int64 d) {
  int const cuts = a.cuts();
  if (d == 0 || cuts < 0) return to.put(leaf, s, {}, d), true;
  if (s > 1) return false;
  int64 const through = gpu::ceil_div(magnitude(d), a.last_cut);  // as CuTe spells the stride of extent 1
  term t;
  t.add(times(d < 0 ? -through : through, a.modes.stride[cuts]), a.modes.basis[cuts]);
  return to.put(leaf, s, t, d), true;
}

// Splits the leaf s:d where its multiples cross a cut of A. `carry[j]` sums what all leaves put below cut j: while that stays
// below the cut nothing carries, and the pieces are right (composition_pointwise). False: a piece does not divide, or a carry.
COLEX_HD constexpr bool split(pieces& to, radix const& a, int leaf, int64 s, int64 d, int64* carry) {
  if (whole_leaf(to, a, leaf, s, d)) return true;
  int const cuts = a.cuts();
  for (;;) {
    int64 rest[capacity], run = s, below = 1;
    term t;
    for (int j = 0; j < cuts; ++j) {
      int64 const cut = a.cut[j], r = d < cut ? d : d % cut;
      rest[j] = r;
      if (r != 0) run = smaller(run, gpu::ceil_div(cut, r));
      if (r >= below) t.add(times(r / below, a.modes.stride[j]), a.modes.basis[j]);
      below = cut;
    }
    if (d >= below) t.add(times(d / below, a.modes.stride[cuts]), a.modes.basis[cuts]);
    if (!t.one || s % run != 0) return false;
    for (int j = 0; j < cuts; ++j) {
      int64 const more = (run - 1) * rest[j];
      if (more >= a.cut[j] - carry[j]) return false;
      carry[j] += more;
    }
    to.put(leaf, run, t, d);
    if (run == s) return true;
    s /= run;
    d = times(d, run);
  }
}

// The same by looking: the longest linear run of x -> A(x d), again and again. False: a run does not divide.
COLEX_HD constexpr bool split_by_table(pieces& to, radix const& a, int leaf, int64 s, int64 d) {
  if (whole_leaf(to, a, leaf, s, d)) return true;
  while (s > 1) {
    term t;
    for (int j = 0; j < a.axes.count; ++j) t.add(a.at(d, a.axes.basis[j]), a.axes.basis[j]);
    int64 run = 2;  // of two elements, each run is
    while (run < s && a.has(times(run, d), run, t)) ++run;
    if (!t.one || s % run != 0) return false;
    to.put(leaf, run, t, d);
    s /= run;
    d = times(d, run);
  }
  return true;
}

// Do the pieces of these leaves equal A(B(c)) everywhere?
COLEX_HD constexpr bool equal_by_table(pieces const& r, int from, radix const& a, int64 size) {
  for (int64 i = 0; i < size; ++i) {
    int64 x = 0;
    int64 digit[capacity];
    int64 left = i;
    for (int k = from; k < r.count; ++k) {
      digit[k] = left % r.extent[k];
      left /= r.extent[k];
      x = plus(x, times(digit[k], r.place[k]));
    }
    for (int j = 0; j < a.axes.count; ++j) {
      path const p = a.axes.basis[j];
      int64 sum = 0;
      for (int k = from; k < r.count; ++k)
        if (r.basis[k] == p) sum = plus(sum, times(digit[k], r.stride[k]));
      if (sum != a.at(x, p)) return false;
    }
  }
  return true;
}

// The mode of A that a basis stride of B counts in.
COLEX_HD constexpr branch submode(layout const& a, branch at, path p) {
  for (; p != 0; p >>= 8) {
    if (!is_tuple(a.form, at)) no_such_mode();
    at = mode(a.form, at, mode_at(p, 0));
  }
  return at;
}

// Composes the leaves of B that count in the same mode of A, from `leaf` on.
COLEX_HD constexpr found compose_group(pieces& to, layout const& a, branch at, layout const& b, branch bt, int leaf) {
  path const p = b.basis[leaf];
  radix const c(a, submode(a, at, p));
  int64 carry[capacity] = {};
  int const from = to.count;
  bool exact = true;
  for (int k = leaf; k < bt.end && exact; ++k)
    if (b.basis[k] == p) {
      to.begin(k);
      exact = split(to, c, k, b.shape[k], b.stride[k], carry);
    }
  if (exact) return found::yes;
  if (size(b, bt) > composition_table_limit) return found::not_decided;
  to.count = from;
  int64 elements = 1;
  for (int k = leaf; k < bt.end; ++k)
    if (b.basis[k] == p) {
      to.begin(k);
      if (!split_by_table(to, c, k, b.shape[k], b.stride[k])) return found::no;
      elements *= b.shape[k];
    }
  return equal_by_table(to, from, c, elements) ? found::yes : found::no;
}

COLEX_HD constexpr found compose(pieces& to, layout const& a, branch at, layout const& b, branch bt) {
  for (int k = bt.begin; k < bt.end; ++k)
    if (b.stride[k] < 0 && b.shape[k] > 1) negative_stride();
  for (int k = bt.begin; k < bt.end; ++k) {
    bool done = false;
    for (int j = bt.begin; j < k && !done; ++j) done = b.basis[j] == b.basis[k];
    if (done) continue;
    found const here = compose_group(to, a, at, b, bt, k);
    if (here != found::yes) return here;
  }
  return found::yes;
}
COLEX_HD constexpr void require(found r) {
  if (r == found::not_decided) composition_not_decided();
  if (r == found::no) no_layout_equals_the_composition();
}

// The pieces in the profile of B, a layout of its own.
COLEX_HD constexpr void write(layout_writer& w, pieces const& r, layout const& b, branch bt) {
  if (bt.begin == bt.end) return w.open(), w.close();
  for (int k = bt.begin; k < bt.end; ++k) {
    int const n = r.number[k], first = r.first[k];
    w.open(b.form.open[k] + (n > 1));
    for (int j = first; j < first + n; ++j) w.put(r.extent[j], r.stride[j], r.basis[j]);
    w.close(b.form.close[k] + (n > 1));
  }
}
COLEX_HD constexpr void composition(layout_writer& w, layout const& a, branch at, layout const& b, branch bt) {
  pieces r;
  require(compose(r, a, at, b, bt));
  write(w, r, b, bt);
}

}  // namespace detail

// R compatible with B and R(c) = A(B(c)) for every c of B, A going on beyond its size; a leaf of B that A's modes cut becomes a
// tuple. undefined: no such R, or not decided (more than 4096 elements); unspecified: negative strides in B. (CuTe composition)
COLEX_HD constexpr layout composition(layout const& a, layout const& b) {
  layout r;
  layout_writer w(r);
  detail::composition(w, a, root(a.form), b, root(b.form));
  return r;
}

// Mode by mode; `_` keeps a mode, modes of A beyond the tiler are dropped. undefined: the tiler has more modes.
COLEX_HD constexpr layout composition(layout const& a, tiler const& t) {
  layout r;
  layout_writer w(r);
  detail::mode_by_mode(w, a, root(a.form), t, root(t.form), false,
                       [](layout_writer& to, layout const& l, branch at, tiler const& s, branch st) {
                         detail::composition(to, l, at, s.pool, s.item(st.begin));
                       });
  return r;
}

}  // namespace colex::gpu
