// The search for the smallest of all layouts whose values are among some. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coalesce.hpp"
#include "ref/algebra/common.hpp"

#include <set>

namespace colex::ref {

// What a search is bounded by: X(i) for so many i, in so many steps.
inline constexpr int solve_limit = 1024, solve_steps = 1 << 18;

// The layouts X with X(i) among `may_be[i]` for i < n, null: any number. Strides are natural, a free one at most `most`. X is
// coalesced; smallest first: the fewest modes, then the least value at the first i where two differ. X grows by one step of
// its last mode at a time; there that goes on, or a new one begins.
class smallest_layout {
 public:
  using choices = std::set<integer>;
  using condition = std::function<bool(layout const&)>;

  // `good` is asked of X, `begins_well` of its modes before the last; where there is none, any will do.
  smallest_layout(std::vector<choices const*> may_be, integer most, bool exactly, condition good = {},
                  condition begins_well = {})
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
    if (s >= may_be_.size()) return !good_ || good_(spelled());
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
    if (begins_well_ && !begins_well_(spelled())) return false;
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
    return unwrapped(std::move(out));  // coalesced, since a mode that goes on does not begin
  }
};

}  // namespace colex::ref
