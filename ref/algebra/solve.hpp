// The layout that makes a composition or a divide what somebody wants: X in A o X = B, X o A = B, logical_divide(A, X) = B.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/common.hpp"
#include "ref/algebra/divide.hpp"
#include "ref/algebra/left_inverse.hpp"
#include "ref/algebra/make.hpp"

#include <set>

namespace colex::ref {

// What a search is bounded by: X(i) for so many i, in so many steps.
inline constexpr int solve_limit = 1024, solve_steps = 1 << 18;

inline bool any_layout(layout const&) { return true; }

// The layouts X with X(i) among `may_be[i]` for i < n, null: any number. Strides are natural, a free one at most `most`. X is
// coalesced; smallest first: the fewest modes, then the least value at the first i where two differ. X grows by one step of
// its last mode at a time; there that goes on, or a new one begins.
class smallest_layout {
 public:
  using choices = std::set<integer>;
  using condition = std::function<bool(layout const&)>;

  // `good` is asked of X, `begins_well` of its modes before the last.
  smallest_layout(std::vector<choices const*> may_be, integer most, bool exactly, condition good = any_layout,
                  condition begins_well = any_layout)
      : may_be_(std::move(may_be)),
        most_(std::move(most)),
        exactly_(exactly),
        good_(std::move(good)),
        begins_well_(std::move(begins_well)) {}

  // The first that is good.
  std::optional<layout> find() {
    for (std::size_t modes = 0; modes == 0 || (std::size_t(1) << (modes - 1)) < may_be_.size(); ++modes)
      if (grows(modes)) return spelled();
    return std::nullopt;
  }

 private:
  std::vector<choices const*> may_be_;
  integer most_;
  bool exactly_;  // its size is n, not more
  condition good_, begins_well_;
  std::vector<integer> table_{0};                         // X(0), X(1), ...
  std::vector<std::pair<std::size_t, integer>> begun_{};  // each mode: where it begins, its stride
  int steps_ = 0;

  bool allowed(std::size_t i, integer const& x) const { return i >= may_be_.size() || !may_be_[i] || may_be_[i]->contains(x); }
  // So many modes more may begin.
  bool grows(std::size_t modes) {
    std::size_t const s = table_.size();
    if (s >= may_be_.size()) return good_(spelled());
    std::optional<integer> on;
    if (!begun_.empty()) on = s / begun_.back().first * begun_.back().second;
    if (modes == 0 || (exactly_ && may_be_.size() % s != 0)) return on && goes_on(*on, modes);
    auto const with = [&](integer const& v) { return v == on ? goes_on(v, modes) : begins(v, modes - 1); };
    if (may_be_[s]) return std::any_of(may_be_[s]->begin(), may_be_[s]->end(), with);
    for (integer v = 0; v <= most_; ++v)
      if (with(v)) return true;
    return on && *on > most_ && goes_on(*on, modes);
  }
  bool goes_on(integer const& v, std::size_t modes) { return repeats(v, begun_.back().first, modes); }
  bool begins(integer const& v, std::size_t modes) {
    if (!begins_well_(spelled())) return false;
    begun_.emplace_back(table_.size(), v);
    bool const found = repeats(v, table_.size(), modes);
    if (!found) begun_.pop_back();
    return found;
  }
  // The first n values again, v later.
  bool repeats(integer const& v, std::size_t n, std::size_t modes) {
    if (++steps_ > solve_steps) throw undecided("more than " + std::to_string(solve_steps) + " steps of a search");
    std::size_t const s = table_.size();
    for (std::size_t t = 0; t < n; ++t)
      if (!allowed(s + t, table_[t] + v)) return false;
    for (std::size_t t = 0; t < n; ++t) table_.push_back(table_[t] + v);
    bool const found = grows(modes);
    if (!found) table_.resize(s);
    return found;
  }
  layout spelled() const {
    std::vector<layout> out;
    for (std::size_t k = 0; k < begun_.size(); ++k) {
      auto const& [w, d] = begun_[k];
      std::size_t const end = k + 1 < begun_.size() ? begun_[k + 1].first : table_.size();
      out.emplace_back(integer(end / w), point(d));
    }
    return coalesce(layout(std::move(out)));
  }
};

inline bool same_function(layout const& a, layout const& b) {
  return size(a) == size(b) && to_value(coalesce(a)) == to_value(coalesce(b));
}
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
  bool const natural = std::none_of(sorted.begin(), sorted.end(), [](layout const& m) { return m.stride.number < 0; });
  if (!natural || broadcasts(a) || !nested(sorted) || !(sorted.empty() || dividing_inverse(a)))
    throw undecided("too many elements, and A has values that come twice or strides that do not divide");
  for (layout const& m : leaves(b))
    if (m.extent > 1 && m.stride.number < 0) throw undefined("A has no negative value");
  layout x;
  if (!holds_where_defined([&] {
        x = coalesce(composition(sorted.empty() ? layout() : *dividing_inverse(a), coalesce(b)));
        return cosize(x) <= size(a) && good(x);
      }))
    throw_no_solution();
  return x;
}

// The smallest X, X(i) < size(A), with A(X(i)) == B(i) for i < size(B) == size(X), that is good; so its modes begin well.
inline layout solve_for_indices(layout const& a, layout const& b, smallest_layout::condition const& good,
                                smallest_layout::condition const& begins_well = any_layout) {
  if (size(a) > table_limit || size(b) > solve_limit) return only_solution(a, b, good);
  std::map<integer, smallest_layout::choices> indices;
  for (integer i = 0; i < size(a); ++i) indices[a(i).number].insert(i);
  std::vector<smallest_layout::choices const*> may_be;
  for (integer i = 0; i < size(b); ++i) {
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

// X with logical_divide(A, X) == B: mode 0 of B is a tile, mode 1 where it repeats.
inline layout solve_logical_divide(layout const& a, layout const& b) {
  need_integer_strides(a, "solve_logical_divide");
  need_integer_strides(b, "solve_logical_divide");
  if (rank(b) != 2) throw undefined("B has not two modes, a tile and the rest");
  auto const divides = [&](layout const& x) {
    return holds_where_defined([&] {
      if (size(tile_and_rest(a, x)) > size(b)) return false;  // rounded up it is as large or larger
      layout const d = logical_divide(a, x);
      return same_function(mode(d, 0), mode(b, 0)) && same_function(mode(d, 1), mode(b, 1));
    });
  };
  return solve_for_indices(a, mode(b, 0), divides, [](layout const& x) { return nested(sorted_leaves(x)); });
}

// B as a function of A's values, where it is one.
inline std::map<integer, smallest_layout::choices> values_at(layout const& a, layout const& b) {
  std::map<integer, smallest_layout::choices> out;
  for (integer i = 0; i < size(a); ++i) {
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
  if (size(back) < cosize(a) || size(back) < size(a))
    throw undecided("too many elements, and A has gaps or values that come twice");
  return coalesce(composition(b, back));
}

}  // namespace colex::ref
