// The layout that makes a composition or a divide what somebody wants: X in A o X = B, X o A = B, logical_divide(A, X) = B.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/common.hpp"
#include "ref/algebra/divide.hpp"
#include "ref/algebra/left_inverse.hpp"
#include "ref/algebra/make.hpp"
#include "ref/algebra/smallest_layout.hpp"

namespace colex::ref {

inline bool same_function(layout const& a, layout const& b) { return to_value(coalesce(a)) == to_value(coalesce(b)); }
[[noreturn]] inline void throw_no_solution() { throw undefined("no layout X answers"); }

template <class F>
bool holds_where_defined(F f) {
  try {
    return f();
  } catch (undecided const&) {
    throw;
  } catch (undefined const&) {
    return false;
  }
}

// Where A takes no value twice X is one function: B, then A's left inverse.
inline layout only_solution(layout const& a, layout const& b, smallest_layout::condition const& good) {
  std::vector<layout> const sorted = sorted_leaves(a);
  bool const inverts = sorted.empty() || (sorted[0].stride.number > 0 && nested(sorted) && dividing_inverse(a));
  if (!inverts || broadcasts(a))
    throw undecided("too many elements, and A has values that come twice or strides that do not divide");
  layout const values = coalesce(b);
  for (layout const& m : leaves(values))
    if (m.stride.number < 0) throw undefined("A has no negative value");
  layout x;
  if (!holds_where_defined([&] {
        x = coalesce(composition(sorted.empty() ? layout() : *dividing_inverse(a), values));
        return cosize(x) <= size(a) && good(x);
      }))
    throw_no_solution();
  return x;
}

// The indices of A that have each of its values.
inline std::map<integer, smallest_layout::choices> indices_by_value(layout const& a) {
  std::map<integer, smallest_layout::choices> out;
  for (integer i = 0, n = size(a); i < n; ++i) out[a(i).number].insert(i);
  return out;
}

// The smallest X, X(i) < size(A), with A(X(i)) == B(i) for i < size(B) == size(X), that is good; so its modes begin well.
inline layout solve_for_indices(layout const& a, layout const& b, smallest_layout::condition const& good,
                                smallest_layout::condition const& begins_well = {}) {
  if (size(a) > table_limit || size(b) > solve_limit) return only_solution(a, b, good);
  std::map<integer, smallest_layout::choices> const indices = indices_by_value(a);
  std::vector<smallest_layout::choices const*> may_be;
  for (integer i = 0, n = size(b); i < n; ++i) {
    auto const found = indices.find(b(i).number);
    if (found == indices.end()) throw undefined("B(" + i.str() + ") = " + b(i).number.str() + " is no value of A");
    may_be.push_back(&found->second);
  }
  if (auto const x = smallest_layout(std::move(may_be), 0, true, good, begins_well).find()) return *x;
  throw_no_solution();
}

// X with composition(A, X) == B.
inline layout solve_composition_right(layout const& a, layout const& b) {
  need_integer_strides(a, "solve_composition_right");
  need_integer_strides(b, "solve_composition_right");
  return solve_for_indices(
      a, b, [&](layout const& x) { return holds_where_defined([&] { return same_function(composition(a, x), b); }); });
}

// Has A, where the tiles X begin, the values of `rest`? As far as one can look.
inline bool begins_tiles(layout const& a, layout const& x, layout const& rest) {
  layout const begins = complement(x, value(size(a)));
  if (size(begins) != size(rest)) return false;
  for (integer i = 0, n = std::min(size(rest), tries_of(a, begins)); i < n; ++i)
    if (a(begins(i)) != rest(i)) return false;
  return true;
}
// The same of A rounded up, too, since a divide may be that one's. Divides take far longer than this.
inline bool may_begin_tiles(layout const& a, layout const& x, layout const& rest) {
  if (begins_tiles(a, x, rest)) return true;
  auto const padded = rounded_up(a, x);
  return padded && begins_tiles(*padded, x, rest);
}

// X with logical_divide(A, X) == B: mode 0 of B is a tile, mode 1 where it repeats.
inline layout solve_logical_divide(layout const& a, layout const& b) {
  need_integer_strides(a, "solve_logical_divide");
  need_integer_strides(b, "solve_logical_divide");
  if (rank(b) != 2) throw undefined("B has not two modes, a tile and the rest");
  auto const divides = [&](layout const& x) {
    return holds_where_defined([&] {
      if (!may_begin_tiles(a, x, mode(b, 1))) return false;
      layout const d = logical_divide(a, x);
      return same_function(mode(d, 0), mode(b, 0)) && same_function(mode(d, 1), mode(b, 1));
    });
  };
  return solve_for_indices(a, mode(b, 0), divides, [](layout const& x) { return nested(sorted_leaves(x)); });
}

// B as a function of A's values, where it is one.
inline std::map<integer, smallest_layout::choices> values_at(layout const& a, layout const& b) {
  std::map<integer, smallest_layout::choices> out;
  for (integer i = 0, n = size(a); i < n; ++i) {
    auto const [at, fresh] = out.try_emplace(a(i).number, smallest_layout::choices{b(i).number});
    if (!fresh && !at->second.contains(b(i).number))
      throw undefined("A takes the value " + a(i).number.str() + " twice, where B(" + i.str() + ") = " + b(i).number.str() +
                      " is not what B was before");
  }
  return out;
}
inline layout solve_by_table(layout const& a, layout const& b) {
  auto const values = values_at(a, b);
  std::vector<smallest_layout::choices const*> may_be(static_cast<std::size_t>(cosize(a)), nullptr);
  for (auto const& [x, v] : values) may_be[static_cast<std::size_t>(x)] = &v;
  if (auto const x = smallest_layout(std::move(may_be), cosize(b) - 1, false).find()) return *x;
  throw_no_solution();
}

// X with composition(X, A) == B, as large as A's values ask.
inline layout solve_composition_left(layout const& a, layout const& b) {
  need_natural_strides(a, "solve_composition_left");
  need_natural_strides(b, "solve_composition_left");
  if (size(a) != size(b)) throw undefined("A has " + size(a).str() + " elements and B has " + size(b).str());
  if (!holds_where_defined([&] { return composition(coalesce(b), make_layout_left(shape(a))), true; }))
    throw undefined("B is no layout of the shape of A");
  if (cosize(a) <= solve_limit && size(a) <= table_limit) return solve_by_table(a, b);
  layout const back = contiguous_inverse(a);
  if (size(back) < size(a)) throw undecided("too many elements, and A has gaps or values that come twice");
  return coalesce(composition(b, back));
}

}  // namespace colex::ref
