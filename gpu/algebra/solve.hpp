// Solving for a layout: composition(A, X) = B, composition(X, A) = B, logical_divide(A, X) = B. In closed form where A's values
// come once; else by branch and bound over the modes of X.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/divide.hpp"
#include "gpu/algebra/inverse.hpp"

namespace colex::gpu {

// A search takes at most so many modes, looks at so many values of X, and at so many indices of A.
inline constexpr int64 solve_step_limit = 1 << 18, solve_limit = 1024, solve_index_limit = 4096;

namespace detail {

// The same function on the same domain.
COLEX_HD constexpr bool equal(layout const& a, layout const& b) { return coalesce(a) == coalesce(b); }

COLEX_HD constexpr layout written(pieces const& r, layout const& b) {
  layout l;
  layout_writer w(l);
  write(w, r, b, root(b.form));
  return l;
}
COLEX_HD constexpr found compose(pieces& r, layout const& a, layout const& b) {
  return compose(r, a, root(a.form), b, root(b.form));
}
// A solution that is not one, or of which nobody knows.
COLEX_HD constexpr void require_solution(found r) {
  if (r == found::not_decided) solution_not_decided();
  if (r == found::no) no_layout_answers();
}

// What an answer X must have besides its values.
struct composes_to {
  layout const &a, &b;
  COLEX_HD constexpr bool apart(int64, int64, int64, int64) const { return true; }
  COLEX_HD constexpr layout const& tile() const { return b; }
  COLEX_HD constexpr found operator()(layout const& x) const {
    pieces r;
    found const f = compose(r, a, x);
    return f == found::yes && !equal(written(r, x), b) ? found::no : f;
  }
};
struct divides_to {
  layout const &a, &b;
  layout first = get(b, 0), rest = get(b, 1);
  // Two modes of X that do not overlap: no others have a complement.
  COLEX_HD constexpr bool apart(int64 s, int64 d, int64 t, int64 e) const { return times(s, d) <= e || times(t, e) <= d; }
  COLEX_HD constexpr layout const& tile() const { return first; }
  COLEX_HD constexpr found operator()(layout const& x) const {
    sorted_modes const s(x, root(x.form));
    if (s.overlap() || size(with_complement(x, root(x.form), s, size(a))) > size(b)) return found::no;
    pieces r;
    layout both;
    found const f = divide(r, both, a, root(a.form), x, root(x.form), s);
    if (f != found::yes) return f;
    layout const d = written(r, both);
    return equal(get(d, 0), first) && equal(get(d, 1), rest) ? found::yes : found::no;
  }
};

// Depth first over the modes of X, extents before strides, for a number of modes: the best is the least where two first differ.
// `Problem` says which strides a mode may have and which values are right.
template <class Problem, int Most>
struct mode_search {
  static constexpr int most_modes = 12;
  Problem const& of;
  int64 size, steps = 0;
  int64 image[Most] = {}, best[Most] = {};
  int64 shape[most_modes], stride[most_modes];
  mode_list result{};
  bool any = false, sure = true;  // whether what the best must have besides its values is decided

  COLEX_HD constexpr mode_search(Problem const& problem, int64 n) : of(problem), size(n) {}

  COLEX_HD constexpr bool find() {
    if (size == 1) keep(0);
    for (int modes = 1; !any && (int64{1} << (modes - 1)) < size; ++modes) extend(0, 1, modes);
    if (!sure) solution_not_decided();
    return any;
  }
  // Mode k begins at w, and `left` are to come.
  COLEX_HD constexpr void extend(int k, int64 w, int left) {
    for (int64 e = of.whole && left == 1 ? size / w : 2; w * (e - 1) < size; ++e) {
      if (of.whole && size % (w * e) != 0) continue;
      bool const ends = w * e >= size;
      if (ends != (left == 1)) continue;
      for (int64 d = of.first(*this, w, e); d >= 0; d = of.next(*this, w, e, d))
        if (!goes_on(k, d)) try_mode(k, w, e, d, left);
      if (ends) return;
    }
  }

 private:
  COLEX_HD constexpr bool goes_on(int k, int64 d) const {
    return k > 0 && static_cast<int128>(shape[k - 1]) * stride[k - 1] == d;
  }
  COLEX_HD constexpr void try_mode(int k, int64 w, int64 e, int64 d, int left) {
    int64 const end = smaller(w * e, size);
    for (int64 i = w; i < end; ++i) {
      image[i] = plus(image[i % w], times(i / w, d));
      if (!of.right(i, image[i])) return;
    }
    if (++steps > solve_step_limit) solution_not_decided();
    for (int j = 0; j < k; ++j)
      if (!of.apart(shape[j], stride[j], e, d)) return;
    if (any && !less(end)) return;
    shape[k] = e;
    stride[k] = d;
    if (end < size) return extend(k + 1, w * e, left - 1);
    keep(k + 1);
  }
  // No others are equal: modes that begin as the best's were taken before it was found.
  COLEX_HD constexpr bool less(int64 n) const {
    for (int64 i = 0; i < n; ++i)
      if (image[i] != best[i]) return image[i] < best[i];
    return false;
  }
  COLEX_HD constexpr void keep(int modes) {
    mode_list r;
    for (int k = 0; k < modes; ++k) r.push(shape[k], stride[k]);
    found const f = of.accepts(as_layout(r));
    if (f == found::no) return;
    result = r;
    any = true;
    sure = f == found::yes;
    for (int64 i = 0; i < size; ++i) best[i] = image[i];
  }
};

// X among the indices of A: strides are the indices of a value.
template <class Good>
struct among_indices {
  static constexpr bool whole = true;  // X is as large as B, not larger
  Good const& good;
  int64 indices;
  int64 value[solve_index_limit], wanted[solve_limit];

  COLEX_HD constexpr among_indices(Good const& g, layout const& b, int64 n) : good(g), indices(size(g.a)) {
    for (int64 i = 0; i < indices; ++i) value[i] = g.a(i);
    for (int64 i = 0; i < n; ++i) {
      wanted[i] = b(i);
      if (index_of(wanted[i], 0) < 0) not_a_value();
    }
  }
  COLEX_HD constexpr int64 index_of(int64 v, int64 from) const {
    while (from < indices && value[from] != v) ++from;
    return from < indices ? from : -1;
  }
  COLEX_HD constexpr int64 first(auto const&, int64 w, int64) const { return index_of(wanted[w], 0); }
  COLEX_HD constexpr int64 next(auto const&, int64 w, int64, int64 d) const { return index_of(wanted[w], d + 1); }
  COLEX_HD constexpr bool right(int64 i, int64 x) const { return x < indices && value[x] == wanted[i]; }
  COLEX_HD constexpr bool apart(int64 s, int64 d, int64 t, int64 e) const { return good.apart(s, d, t, e); }
  COLEX_HD constexpr found accepts(layout const& x) const { return good(x); }
};

// X by its values at those of A; elsewhere it is free.
struct by_values {
  static constexpr bool whole = false;
  int64 wanted[solve_limit];
  int64 n;

  COLEX_HD constexpr by_values(layout const& a, layout const& b, int64 values) : n(values) {
    for (int64 x = 0; x < n; ++x) wanted[x] = -1;
    for (int64 i = 0, elements = size(a); i < elements; ++i) {
      int64 const x = a(i), v = b(i);
      if (wanted[x] >= 0 && wanted[x] != v) not_a_function_of_values();
      wanted[x] = v;
    }
  }
  // The stride that the first value in the mode asks for; where there is none, each up to what a later value can bear.
  COLEX_HD constexpr int64 first(auto const& s, int64 w, int64 e) const {
    int64 const x = asks(w, e);
    if (x < 0) return 0;
    int64 const rest = wanted[x] - s.image[x % w], d = rest / (x / w);
    return rest >= 0 && d * (x / w) == rest ? d : -1;
  }
  COLEX_HD constexpr int64 next(auto const&, int64 w, int64 e, int64 d) const {
    return asks(w, e) < 0 && d < bearable(w, e) ? d + 1 : -1;
  }
  COLEX_HD constexpr bool right(int64 i, int64 x) const { return wanted[i] < 0 || wanted[i] == x; }
  COLEX_HD constexpr bool apart(int64, int64, int64, int64) const { return true; }
  COLEX_HD constexpr found accepts(layout const&) const { return found::yes; }

 private:
  COLEX_HD constexpr int64 asks(int64 w, int64 e) const {
    for (int64 x = w; x < n && x < w * e; ++x)
      if (wanted[x] >= 0) return x;
    return -1;
  }
  COLEX_HD constexpr int64 bearable(int64 w, int64 e) const {
    int64 least = -1;
    for (int64 x = w; x < n; ++x) {
      int64 const digit = x / w % e;
      if (wanted[x] >= 0 && digit > 0 && (least < 0 || wanted[x] / digit < least)) least = wanted[x] / digit;
    }
    return least;
  }
};

// Where A takes no value twice and each stride divides the next: X is B, then the left inverse of A. False: A is not so.
template <class Good>
COLEX_HD constexpr bool solve_by_inverse(layout& x, Good const& good) {
  layout const &a = good.a, b = coalesce(good.tile());
  sorted_modes const s(a, root(a.form));
  mode_list r;
  if (s.modes.stride[0] < 0 || size(nullspace(a)) > 1 || s.overlap() || (s.modes.count > 0 && !quotients(s, r))) return false;
  if (has_negative(b)) not_a_value();
  layout const back = as_layout(r);
  pieces p;
  require_solution(compose(p, back, b));
  x = coalesce(written(p, b));
  if (cosize(x) > size(a)) no_layout_answers();
  require_solution(good(x));
  return true;
}

template <class Good>
COLEX_HD constexpr layout solve_for_indices(Good const& good) {
  require_integer_strides(good.a);
  require_integer_strides(good.b);
  layout x;
  if (solve_by_inverse(x, good)) return x;
  int64 const n = size(good.tile());
  if (size(good.a) > solve_index_limit || n > solve_limit) solution_not_decided();
  among_indices<Good> const problem(good, good.tile(), n);
  mode_search<among_indices<Good>, solve_limit> search(problem, n);
  if (!search.find()) no_layout_answers();
  return as_layout(search.result);
}

COLEX_HD constexpr void require_shape(layout const& a, layout const& b) {
  if (size(a) != size(b)) sizes_differ();
  pieces p;
  found const f = compose(p, coalesce(b), make_layout_left(shape(a)));
  if (f == found::not_decided) solution_not_decided();
  if (f == found::no) no_layout_of_this_shape();
}

}  // namespace detail

// The smallest X, X(i) < size(a), with composition(a, X) = b as functions: the fewest modes, then the least value where two
// first differ. undefined: there is none, basis strides, or a or b is too large to decide. (Ours)
COLEX_HD constexpr layout solve_composition_right(layout const& a, layout const& b) {
  return detail::solve_for_indices(detail::composes_to{a, b});
}

// The smallest X, X(i) < size(a), with logical_divide(a, X) = b mode by mode. undefined: as above, or b has not two modes.
// (Ours)
COLEX_HD constexpr layout solve_logical_divide(layout const& a, layout const& b) {
  detail::require_integer_strides(a);
  detail::require_integer_strides(b);
  if (rank(b) != 2) not_tile_and_rest();
  return detail::solve_for_indices(detail::divides_to{a, b});
}

// The smallest X of natural strides, as large as a's values ask, with composition(X, a) = b as functions. undefined: there is
// none, basis strides, or a is too large to decide; unspecified: negative strides. (Ours)
COLEX_HD constexpr layout solve_composition_left(layout const& a, layout const& b) {
  detail::require_natural_strides(a);
  detail::require_natural_strides(b);
  detail::require_shape(a, b);
  detail::sorted_modes const s(a, root(a.form));
  int64 const n = cosize(a);
  layout const back = detail::as_layout(detail::contiguous(s));
  if (size(back) == size(a)) {
    detail::pieces p;
    detail::require_solution(detail::compose(p, b, back));
    return coalesce(detail::written(p, back));
  }
  if (n > solve_limit || size(a) > solve_index_limit) solution_not_decided();
  detail::by_values const problem(a, b, n);
  detail::mode_search<detail::by_values, solve_limit> search(problem, n);
  if (!search.find()) no_layout_answers();
  return detail::as_layout(search.result);
}

}  // namespace colex::gpu
