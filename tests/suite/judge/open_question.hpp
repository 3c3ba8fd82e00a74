// Where two algebras may differ and neither be wrong.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/meaning.hpp"

#include <algorithm>
#include <unordered_set>

namespace colex {

// A layout that takes a value twice has several right inverses, and each algebra may find another.
inline bool may_repeat_a_value(value const& a) {
  if (a.is(kind::composed)) return may_repeat_a_value(a.items.back());
  if (!a.is(kind::layout)) return false;
  if (size(a) > table_limit) return true;
  leaf_list const of = leaves(a);
  std::unordered_set<std::string> seen;
  for (integer i = 0; i < size(a); ++i)
    if (!seen.insert(print(at(of, i))).second) return true;
  return false;
}

// How many leaves a shape, layout or tiler has, and their product.
inline std::pair<std::size_t, integer> content(value const& v) {
  if (v.is(kind::number)) return {1, mp::abs(v.number)};
  if (v.is(kind::layout)) return content(v.shape());
  std::pair<std::size_t, integer> all{0, 1};
  for (value const& x : v.items) {
    auto const [leaves, product] = content(x);
    all.first += leaves;
    all.second *= product;
  }
  return all;
}
// Does a coordinate keep every mode, so that an empty tuple is left?
inline bool keeps_all(value const& v) {
  return v.is(kind::tuple) ? std::all_of(v.items.begin(), v.items.end(), keeps_all) : v.is("_") || v.is("X");
}

// In what a value, or something that is computed of it, is more than 64 bits, 32 leaves or a path of 8 modes may hold.
struct excess {
  bool numbers = false, leaves = false, depth = false, empty = false;
  bool any() const { return numbers || leaves || depth || empty; }
};
inline void add_excess(excess& of, value const& v, integer const& most, int depth = 0) {
  if (v.is(kind::number)) {
    of.numbers |= mp::abs(v.number) > most;
    of.depth |= v.basis.size() > 7 || std::any_of(v.basis.begin(), v.basis.end(), [](int mode) { return mode > 15; });
  }
  if (v.is(kind::f2)) {
    of.numbers |= v.items[0].number > mp::msb(most);
    return add_excess(of, f2_shape(v.items[1]), most);
  }
  if (v.is(kind::swizzle))
    return void(of.numbers |= v.items[0].number + v.items[1].number + mp::abs(v.items[2].number) > mp::msb(most));
  if (depth == 0 || v.is(kind::layout)) {
    auto const [leaves, product] = content(v);
    of.leaves |= leaves > 15;
    of.numbers |= product > most;
  }
  if (v.is(kind::tuple) || v.is(kind::tiler)) {
    of.depth |= depth > 7;
    of.empty |= v.items.empty() && (depth > 0 || v.is(kind::tiler));
  }
  for (value const& x : v.items) add_excess(of, x, most, depth + 1);
}
inline excess excess_of(request const& r, answer const& right, integer const& most) {
  excess of;
  of.empty = r.op.starts_with("local_") && keeps_all(r.args.back());  // no mode is left to tile
  if (right) add_excess(of, right.result, most);
  for (value const& v : r.args) add_excess(of, v, most);
  return of;
}
inline bool is_large(request const& r, answer const& right, integer const& most) { return excess_of(r, right, most).any(); }
// Is an answer not offered for a reason that is there to be seen? The number of a mode, or its path, may make as many leaves.
inline bool is_unsupported_rightly(answer const& a, excess const& of) {
  std::string const& why = a.reason;
  return why.starts_with("overflow")       ? of.numbers || of.leaves
         : why.starts_with("more than 32") ? of.leaves || of.numbers || of.depth
         : why.starts_with("nested")       ? of.depth
                                           : why.starts_with("an empty tuple") && of.empty;
}
inline integer const large_number = (integer(1) << 31) - 1;  // a few such make more than 64 bits

// b(a(x)) == x for each x that is an index of `of`, or a value of it, as far as a table goes.
inline bool inverts(value const& b, value const& a, value const& of, bool values) {
  for (integer i = 0, n = std::min(size(of), integer(table_limit)); i < n; ++i)
    if (integer const x = values ? value_at(of, i).number : i; value_at(b, value_at(a, x).number).number != x) return false;
  return true;
}
// The tile of a copy is made by a right inverse: where threads or values repeat one, another element may be another thread's.
// How large the tile is does not hang by it, nor how large what a thread has.
inline bool is_other_tile(request const& r, answer const& one, answer const& other) {
  auto const is_layout = [](answer const& a) { return a && is_any_layout(a.result); };
  if (!r.op.starts_with("tiled_copy") || !is_layout(one) || !is_layout(other)) return false;
  std::size_t const tiling = r.args[2].is(kind::word) ? 6 : 4;  // what stands before the tensor
  return size(one.result) == size(other.result) &&
         std::any_of(r.args.begin(), r.args.begin() + std::min(tiling, r.args.size()), may_repeat_a_value);
}
// Right inverses may differ where a value comes twice, but each is one and as large; left inverses beyond the values of their
// layout.
inline bool is_as_good(request const& r, value const& one, value const& other) {
  if (!is_any_layout(one) || !is_any_layout(other)) return false;
  bool const repeats = std::any_of(r.args.begin(), r.args.end(), may_repeat_a_value), left = r.op == "left_inverse";
  auto const good = [&](value const& v) {
    return std::all_of(r.args.begin(), r.args.end(),
                       [&](value const& a) { return left ? inverts(a, v, a, true) : inverts(a, v, v, false); });
  };
  return left ? good(one) && good(other)
              : (r.op == "right_inverse" || r.op == "max_common_layout") && repeats && size(one) == size(other) && good(one) &&
                    good(other);
}

// Has X the values that somebody solves for? Each algebra searches in steps of its own, of which it takes so many.
inline bool solves(request const& r, value const& x) {
  if (!x.is(kind::layout)) return false;
  bool const left = r.op == "solve_composition_left";
  value const &a = r.args[0], b = r.op == "solve_logical_divide" ? mode(r.args[1], 0) : r.args[1];
  for (integer i = 0, n = std::min(size(b), integer(table_limit)); i < n; ++i)
    if (value_at(left ? x : a, value_at(left ? a : x, i).number) != value_at(b, i)) return false;
  return true;
}

// A composition is one layout, and so is what is made of one: whoever finds an answer finds this one, in these words. Of
// several right inverses laws.md says which, and tiles of copies are made by them. (`agree` and the package colex_layouts go by
// it.)
inline bool has_one_answer(std::string_view operation) {
  static constexpr std::string_view these[] = {"composition",   "logical_divide",    "zipped_divide",    "tiled_divide",
                                               "flat_divide",   "logical_product",   "zipped_product",   "tiled_product",
                                               "flat_product",  "blocked_product",   "raked_product",    "tile_to_shape",
                                               "right_inverse", "max_common_layout", "max_common_vector"};
  return operation.starts_with("tiled_copy_") || std::find(std::begin(these), std::end(these), operation) != std::end(these);
}

// 64 bits and 32 leaves bound one of the two, the size of a table both, and what is unspecified may be undefined. Beyond the
// values of a layout its left inverse is free.
inline bool is_open(request const& r, answer const& one, answer const& other) {
  for (answer const* a : {&one, &other}) {
    answer const& right = a == &one ? other : one;
    if (a->what == status::unsupported) return is_unsupported_rightly(*a, excess_of(r, right, large_number));
    if (a->what == status::unspecified) return !right;
    if (a->what == status::undecided && r.op.starts_with("solve_")) return !right || solves(r, right.result);
    if (a->what == status::undecided)
      return !right || (r.op == "left_inverse" && is_as_good(r, right.result, right.result)) ||
             is_large(r, right, inverse_limit);
  }
  if (is_other_tile(r, one, other)) return true;
  // Whether a swizzled layout takes all values back hangs by where its inverse takes other values.
  if (r.op == "left_inverse" && r.args[0].is(kind::composed))
    return (!one || is_as_good(r, one.result, one.result)) && (!other || is_as_good(r, other.result, other.result));
  return one && other && is_as_good(r, one.result, other.result);
}

}  // namespace colex
