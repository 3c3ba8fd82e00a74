// The layout through given points, when there is one: which layout takes x to k for every given (x, k)?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coalesce.hpp"

namespace colex::ref {

// All integer solutions of linear equations taken one by one: one solution and a basis of the differences.
class integer_solutions {
 public:
  using vector = std::vector<integer>;

  // One unknown more, free so far.
  void add_unknown() {
    one_.emplace_back(0);
    for (vector& k : kernel_) k.emplace_back(0);
    kernel_.emplace_back(one_.size());
    kernel_.back().back() = 1;
  }
  // Requires row . x == right; false when no integers do.
  bool require(vector const& row, integer const& right) {
    integer const missing = right - dot(row, one_);
    gather(row);
    integer const step = kernel_.empty() ? integer(0) : dot(row, kernel_.back());
    if (step == 0) return missing == 0;
    if (missing % step != 0) return false;
    for (std::size_t i = 0; i < one_.size(); ++i) one_[i] += missing / step * kernel_.back()[i];
    kernel_.pop_back();
    return true;
  }
  vector const& one() const { return one_; }

 private:
  vector one_;
  std::vector<vector> kernel_;

  static integer dot(vector const& a, vector const& b) {
    integer sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }
  // Euclid's algorithm on the basis until only its last vector changes row . x.
  void gather(vector const& row) {
    for (std::size_t k = 0; k + 1 < kernel_.size(); ++k)
      while (dot(row, kernel_[k]) != 0) {
        integer const q = dot(row, kernel_.back()) / dot(row, kernel_[k]);
        for (std::size_t i = 0; i < one_.size(); ++i) kernel_.back()[i] -= q * kernel_[k][i];
        std::swap(kernel_.back(), kernel_[k]);
      }
  }
};

// Depth-first over the cuts 1 | q1 | q1 q2 ... below the last point, in steps of primes, fewest first: a layout with
// these cuts is L(x) = sum over the cuts of e * floor(x / cut), linear in the unknown e.
class interpolation {
 public:
  using points = std::vector<std::pair<integer, integer>>;
  explicit interpolation(points ascending) : points_(std::move(ascending)) {}

  std::optional<layout> find() {
    integer_solutions all;
    all.add_unknown();
    return extend(std::vector<integer>{1}, all, 0);
  }

 private:
  points points_;

  // Takes the points below `end` from number `next` on into account.
  bool meet(std::vector<integer> const& cuts, integer_solutions& all, std::size_t& next, integer const* end) const {
    for (; next < points_.size() && (!end || points_[next].first < *end); ++next) {
      std::vector<integer> row;
      for (integer const& q : cuts) row.push_back(points_[next].first / q);
      if (!all.require(row, points_[next].second)) return false;
    }
    return true;
  }
  std::optional<layout> extend(std::vector<integer> const& cuts, integer_solutions const& all, std::size_t next) const {
    integer_solutions whole = all;
    std::size_t n = next;
    if (meet(cuts, whole, n, nullptr)) return spell(cuts, whole.one());
    for (integer p = 2;; ++p) {
      integer_solutions more = all;
      integer const cut = cuts.back() * p;
      n = next;
      if (!meet(cuts, more, n, &cut)) return std::nullopt;  // a larger cut meets these points too
      std::vector<integer> longer = cuts;
      longer.push_back(cut);
      more.add_unknown();
      if (auto const l = extend(longer, more, n)) return l;
    }
  }
  layout spell(std::vector<integer> const& cuts, std::vector<integer> const& e) const {
    std::vector<layout> out;
    integer d = 0;
    for (std::size_t j = 0; j < cuts.size(); ++j) {
      bool const last = j + 1 == cuts.size();
      integer const extent = last ? integer(points_.back().first / cuts[j] + 1) : integer(cuts[j + 1] / cuts[j]);
      d += e[j];
      out.emplace_back(extent, d);
      d *= extent;
    }
    return coalesce(layout(std::move(out)));
  }
};

}  // namespace colex::ref
