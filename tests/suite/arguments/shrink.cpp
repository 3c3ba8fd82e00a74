// Shrinking: greedy descent over a sequence of choices.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/shrink.hpp"

#include <set>

namespace colex {

namespace {

class descent {
 public:
  descent(choice_list start, std::function<bool(choice_list const&)> const& fails, shrink_budget budget)
      : best_(std::move(start)), fails_(fails), budget_(budget), until_(std::chrono::steady_clock::now() + budget.time) {
    tried_.insert(best_);
  }

  shrunk run() {
    while (leave_out() || shorten() || lessen()) {
    }
    return {best_, tries_, !out_of_budget()};
  }

 private:
  choice_list best_;
  std::function<bool(choice_list const&)> const& fails_;
  shrink_budget budget_;
  std::chrono::steady_clock::time_point until_;
  std::set<choice_list> tried_;
  std::size_t tries_ = 0;

  bool out_of_budget() const { return tries_ >= budget_.tries || std::chrono::steady_clock::now() >= until_; }

  bool accept(choice_list candidate) {
    while (!candidate.empty() && candidate.back() == 0) candidate.pop_back();  // zeros follow anyway
    if (out_of_budget() || !tried_.insert(candidate).second) return false;
    ++tries_;
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool leave_out() {
    bool better = false;
    for (std::size_t run = std::max<std::size_t>(1, best_.size() / 2); run > 0; run /= 2)
      for (std::size_t at = 0; at + run <= best_.size();) {
        choice_list candidate = best_;
        auto const first = candidate.begin() + static_cast<std::ptrdiff_t>(at);
        candidate.erase(first, first + static_cast<std::ptrdiff_t>(run));
        if (accept(std::move(candidate)))
          better = true;
        else
          ++at;
      }
    return better;
  }

  // A choice that may be how many follow: one less, and one of them less.
  bool shorten() {
    bool better = false;
    for (std::size_t at = 0; at + 1 < best_.size();) {
      choice_list candidate = best_;
      candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      if (candidate[at] > 0 && (--candidate[at], accept(std::move(candidate))))
        better = true;
      else
        ++at;
    }
    return better;
  }

  // Each choice towards zero: zero itself, then ever closer from below.
  bool lessen() {
    bool better = false;
    for (std::size_t at = 0; at < best_.size(); ++at)
      for (std::uint64_t off = best_[at]; off > 0;) {
        if (try_at(at, best_[at] - off)) {
          better = true;
          if (at >= best_.size()) break;
          off = best_[at];
        } else {
          off /= 2;
        }
      }
    return better;
  }
  bool try_at(std::size_t at, std::uint64_t smaller) {
    choice_list candidate = best_;
    candidate[at] = smaller;
    return accept(std::move(candidate));
  }
};

}  // namespace

shrunk shrink(choice_list start, std::function<bool(choice_list const&)> const& fails, shrink_budget budget) {
  return descent(std::move(start), fails, budget).run();
}

}  // namespace colex
