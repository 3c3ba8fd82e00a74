// The table oracle: tabulates what is asked for and finds a layout by trying every one there could be, or shows that
// there is none. Small layouts only; shares no code and no idea with the two algebras.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace colex::oracle {

using number = std::int64_t;
using leaf_list = std::vector<std::pair<number, number>>;  // extent, stride; fastest first
using table = std::vector<number>;                         // value at each index

inline number size(leaf_list const& a) {
  number n = 1;
  for (auto const& leaf : a) n *= leaf.first;
  return n;
}
// The value at i; the last leaf goes on.
inline number at(leaf_list const& a, number i) {
  number sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    bool const last = k + 1 == a.size();
    sum += (last ? i : i % a[k].first) * a[k].second;
    i /= a[k].first;
  }
  return sum;
}
inline table tabulate(leaf_list const& a) {
  table t;
  t.reserve(static_cast<std::size_t>(size(a)));
  for (number i = 0; i < size(a); ++i) t.push_back(at(a, i));
  return t;
}

inline bool has_table(leaf_list const& a, table const& f) {
  if (size(a) != static_cast<number>(f.size())) return false;
  for (number i = static_cast<number>(f.size()); i-- > 0;)  // most differ at their ends
    if (at(a, i) != f[static_cast<std::size_t>(i)]) return false;
  return true;
}

// Every way to write n as an ordered product of factors > 1.
inline std::vector<std::vector<number>> const& factorizations(number n) {
  static thread_local std::map<number, std::vector<std::vector<number>>> known;
  auto const [found, fresh] = known.try_emplace(n);
  if (!fresh) return found->second;
  std::vector<std::vector<number>> all;
  if (n == 1) all.push_back({});
  for (number f = 2; f <= n; ++f)
    if (n % f == 0)
      for (std::vector<number> rest : factorizations(n / f)) {
        rest.insert(rest.begin(), f);
        all.push_back(std::move(rest));
      }
  return known[n] = std::move(all);
}

// Is there a layout whose leaves refine `extents` and whose table is f? Its extents decide its strides.
inline bool exists(std::vector<number> const& extents, table const& f, std::size_t k = 0, leaf_list const& found = {},
                   number weight = 1) {
  if (k == extents.size()) return has_table(found, f);
  for (std::vector<number> const& factors : factorizations(extents[k])) {
    leaf_list longer = found;
    number w = weight;
    for (number s : factors) {
      longer.emplace_back(s, f[static_cast<std::size_t>(w)]);
      w *= s;
    }
    if (exists(extents, f, k + 1, longer, w)) return true;
  }
  return false;
}
inline std::vector<number> extents(leaf_list const& a) {
  std::vector<number> out;
  for (auto const& leaf : a) out.push_back(leaf.first);
  return out;
}

// The table of A o B, and whether a layout that refines B has it.
inline table compose(leaf_list const& a, leaf_list const& b) {
  table t = tabulate(b);
  for (number& x : t) x = at(a, x);
  return t;
}
inline bool composes(leaf_list const& a, leaf_list const& b) { return exists(extents(b), compose(a, b)); }

// The fewest leaves with the table of A, in the only order and form there is: by trying every factorization.
inline leaf_list shortest(leaf_list const& a) {
  table const f = tabulate(a);
  std::optional<leaf_list> best;
  for (std::vector<number> const& factors : factorizations(size(a))) {
    leaf_list l;
    number w = 1;
    for (number s : factors) {
      l.emplace_back(s, f[static_cast<std::size_t>(w)]);
      w *= s;
    }
    if (has_table(l, f) && (!best || l.size() < best->size())) best = l;
  }
  return best->empty() ? leaf_list{{1, 0}} : *best;
}

inline leaf_list moving(leaf_list a) {
  std::erase_if(a, [](auto const& l) { return l.first == 1 || l.second == 0; });
  std::stable_sort(a.begin(), a.end(), [](auto const& x, auto const& y) { return x.second < y.second; });
  return a;
}
inline number end(std::pair<number, number> const& leaf) { return leaf.first * leaf.second; }
inline bool nested(leaf_list const& a) {
  leaf_list const m = moving(a);
  for (std::size_t k = 0; k + 1 < m.size(); ++k)
    if (m[k + 1].second < end(m[k])) return false;
  return true;
}
inline bool chained(leaf_list const& a) {
  leaf_list const m = moving(a);
  for (std::size_t k = 0; k + 1 < m.size(); ++k)
    if (m[k + 1].second % end(m[k]) != 0) return false;
  return true;
}
// What is left of 0 .. n-1 when copies of A are taken away from below, each starting at the least number not yet taken;
// for chained A and n a multiple of its end these starts are the complement.
inline table starts(leaf_list const& a, number n) {
  table const values = tabulate(moving(a));
  std::vector<bool> taken(static_cast<std::size_t>(n));
  table out;
  for (number x = 0; x < n; ++x) {
    if (taken[static_cast<std::size_t>(x)]) continue;
    out.push_back(x);
    for (number v : values)
      if (x + v < n) taken[static_cast<std::size_t>(x + v)] = true;
  }
  return out;
}

// The size of the largest layout R with A(R(i)) == i and R(i) < size(A): every factorization of every size, every choice
// of indices as strides.
inline bool right_inverse_of_extents(table const& a, std::vector<number> const& factors, std::size_t k, table const& r) {
  if (k == factors.size()) return true;
  number const n = static_cast<number>(r.size());
  for (std::size_t step = 1; step < a.size(); ++step) {
    if (a[step] != n) continue;
    table longer = r;
    bool good = true;
    for (number x = 1; x < factors[k] && good; ++x)
      for (number t = 0; t < n && good; ++t) {
        number const index = r[static_cast<std::size_t>(t)] + x * static_cast<number>(step);
        good = index < static_cast<number>(a.size()) && a[static_cast<std::size_t>(index)] == x * n + t;
        longer.push_back(index);
      }
    if (good && right_inverse_of_extents(a, factors, k + 1, longer)) return true;
  }
  return false;
}
inline number widest_right_inverse(leaf_list const& a) {
  table const f = tabulate(a);
  for (number n = size(a);; --n)
    for (std::vector<number> const& factors : factorizations(n))
      if (right_inverse_of_extents(f, factors, 0, {0})) return n;
}

// Is there a layout that takes each of the given values back to its index? For every chain of divisors as cuts, is the
// linear system for its strides solvable in integers (row by row, Hermite's way)?
class interpolation {
 public:
  explicit interpolation(std::vector<std::pair<number, number>> points) : points_(std::move(points)) {}
  bool possible() const { return with_cuts({1}); }

 private:
  using row = std::vector<number>;
  std::vector<std::pair<number, number>> points_;

  bool with_cuts(row const& cuts) const {
    if (solvable(cuts)) return true;
    for (number cut = 2 * cuts.back(); cut <= points_.back().first; cut += cuts.back()) {
      row longer = cuts;
      longer.push_back(cut);
      if (with_cuts(longer)) return true;
    }
    return false;
  }
  // Columns are reduced until each row has one nonzero entry left of the ones before; then it divides or it does not.
  bool solvable(row const& cuts) const {
    std::vector<row> columns;
    for (std::size_t j = 0; j < cuts.size(); ++j) {
      row column;
      for (auto const& [x, k] : points_) column.push_back(j + 1 < cuts.size() ? x % cuts[j + 1] / cuts[j] : x / cuts[j]);
      columns.push_back(std::move(column));
    }
    row rest;
    for (auto const& point : points_) rest.push_back(point.second);
    for (std::size_t r = 0; r < points_.size(); ++r) {
      std::size_t pivot = columns.size();
      for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c][r] == 0) continue;
        if (pivot == columns.size()) {
          pivot = c;
          continue;
        }
        while (columns[c][r] != 0) {
          subtract(columns[pivot], columns[c], columns[pivot][r] / columns[c][r]);
          std::swap(columns[pivot], columns[c]);
        }
      }
      if (pivot == columns.size()) {
        if (rest[r] != 0) return false;
        continue;
      }
      if (rest[r] % columns[pivot][r] != 0) return false;
      subtract(rest, columns[pivot], rest[r] / columns[pivot][r]);
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(pivot));
    }
    return true;
  }
  static void subtract(row& from, row const& what, number times) {
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= times * what[i];
  }
};

// The values of A with the index of each, broadcast coordinates 0; nothing when a value comes from two such indices.
inline std::optional<std::vector<std::pair<number, number>>> values_with_indices(leaf_list const& a) {
  std::map<number, number> index;
  for (number i = 0; i < size(a); ++i) {
    number rest = i, weight = 1, canonical = 0;
    for (auto const& [s, d] : a) {
      if (d != 0) canonical += rest % s * weight;
      rest /= s;
      weight *= s;
    }
    auto const [known, fresh] = index.try_emplace(at(a, i), canonical);
    if (!fresh && known->second != canonical) return std::nullopt;
  }
  return std::vector<std::pair<number, number>>(index.begin(), index.end());
}

}  // namespace colex::oracle
