// Inverses by search, for small layouts whose modes overlap or interleave and so have no closed form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/complement.hpp"
#include "gpu/composition.hpp"

namespace colex::gpu {

// The size, for right inverses, and the cosize, for left ones, up to which overlapping modes are searched.
inline constexpr int64 inverse_search_limit = 256;

namespace detail {

// Index and value of element i of the modes.
struct element {
  int64 index = 0, value = 0;
  COLEX_HD constexpr element(sorted_modes const& s, int64 i) {
    for (int k = 0; k < s.modes.count; ++k) {
      int64 const digit = i % s.modes.shape[k];
      i /= s.modes.shape[k];
      index = plus(index, times(digit, s.weight[k]));
      value = plus(value, times(digit, s.modes.stride[k]));
    }
  }
};

// Does no value repeat? For a cosize within inverse_search_limit.
COLEX_HD constexpr bool injective(sorted_modes const& s) {
  bool seen[inverse_search_limit] = {};
  for (int64 i = 0, n = s.modes.size(); i < n; ++i) {
    int64 const v = element(s, i).value;
    if (seen[v]) return false;
    seen[v] = true;
  }
  return true;
}

// Depth first over modes n:r of R: r is an index where a has the value n so far, and each mode must hold on all of R.
struct right_search {
  static constexpr int most = 8;  // modes of extent 2 or more below 256
  layout const& of;
  int64 size, best;
  int elements, reach = 1, depth = 0, depth_of_best = 0;
  int64 value[inverse_search_limit], index[inverse_search_limit];  // of the elements that can take part
  int64 image[inverse_search_limit];                               // R so far
  int64 shape[most], stride[most], best_shape[most], best_stride[most];

  COLEX_HD constexpr right_search(layout const& a, sorted_modes const& s, int64 at_least)
      : of(a), size(gpu::size(a)), best(at_least), elements(static_cast<int>(s.modes.size())) {
    for (int i = 0; i < elements; ++i) {
      element const e(s, i);
      value[i] = e.value;
      index[i] = e.index;
    }
    for (bool found = true; found; reach += found) {  // R is no longer than the values go without a gap
      found = false;
      for (int i = 0; i < elements && !found; ++i) found = value[i] == reach;
    }
    image[0] = 0;
  }

  // How far the mode ?:r goes on behind the first n values.
  COLEX_HD constexpr int run(int n, int64 r) const {
    int y = 1;
    for (bool holds = true; holds && (y + 1) * n <= reach; y += holds)
      for (int i = 0; i < n && holds; ++i) {
        int64 const x = plus(image[i], times(y, r));
        holds = x < size && of(x) == i + y * n;
      }
    return y;
  }
  COLEX_HD constexpr void extend(int n) {
    if (2 * n > reach) return;
    for (int c = 1; c < elements && best < reach; ++c) {
      if (value[c] != n) continue;
      int64 const r = index[c];
      for (int y = run(n, r); y > 1 && best < reach; --y) {
        for (int i = n; i < n * y; ++i) image[i] = image[i % n] + i / n * r;
        shape[depth] = y;
        stride[depth] = r;
        ++depth;
        if (n * y > best) keep(n * y);
        extend(n * y);
        --depth;
      }
    }
  }
  COLEX_HD constexpr void keep(int64 n) {
    best = n;
    depth_of_best = depth;
    for (int k = 0; k < depth; ++k) {
      best_shape[k] = shape[k];
      best_stride[k] = stride[k];
    }
  }
  COLEX_HD constexpr mode_list result() const {
    mode_list r;
    for (int k = 0; k < depth_of_best; ++k) r.push(best_shape[k], best_stride[k]);
    return r;
  }
};

// Left inverses with extents q1, q2, ... (primes, the last mode unbounded) in lexicographic order: the strides solve
// sum_j digit_j(value) * stride_j = index over the integers, one equation an element. Column operations keep the equations
// solved so far solved: a column with a fixed share of the solution is never touched again.
struct left_search {
  static constexpr int most = 9;  // primes with a product below 256, and the last mode
  sorted_modes const& of;
  int64 values, elements;
  int primes[most], count = 0;
  int64 basis[most][most], share[most];  // columns of the lattice of solutions; what each contributes
  int fixed = 0;
  int64 stride[most];

  COLEX_HD constexpr left_search(sorted_modes const& s, int64 v) : of(s), values(v), elements(s.modes.size()) {}

  // Extends the chain of primes, of this product, until it has a solution.
  COLEX_HD constexpr bool chain(int64 product) {
    if (solve()) return true;
    for (int q = 2; product * q < values; ++q) {
      bool prime = true;
      for (int p = 2; p * p <= q; ++p) prime = prime && q % p != 0;
      if (!prime) continue;
      primes[count++] = q;
      if (chain(product * q)) return true;
      --count;
    }
    return false;
  }
  COLEX_HD constexpr bool solve() {
    int const n = count + 1;
    fixed = 0;
    for (int c = 0; c < n; ++c)
      for (int j = 0; j < n; ++j) basis[c][j] = c == j;
    for (int64 i = 1; i < elements; ++i)
      if (!satisfy(element(of, i), n)) return false;
    for (int j = 0; j < n; ++j) {
      stride[j] = 0;
      for (int c = 0; c < fixed; ++c) stride[j] = plus(stride[j], times(basis[c][j], share[c]));
    }
    return true;
  }
  COLEX_HD constexpr bool satisfy(element const& e, int n) {
    int64 row[most], left = e.index, v = e.value;
    int64 digit[most];
    for (int j = 0; j < n; ++j) {
      digit[j] = j < count ? v % primes[j] : v;
      if (j < count) v /= primes[j];
    }
    for (int c = 0; c < n; ++c) {
      row[c] = 0;
      for (int j = 0; j < n; ++j) row[c] = plus(row[c], times(digit[j], basis[c][j]));
      if (c < fixed) left = plus(left, -times(row[c], share[c]));
    }
    int pivot = -1;  // Euclid over the free columns, until one alone has an entry
    for (int c = fixed; c < n; ++c) {
      if (row[c] == 0) continue;
      if (pivot < 0) {
        pivot = c;
        continue;
      }
      while (row[c] != 0) {
        int64 const q = row[pivot] / row[c];
        for (int j = 0; j < n; ++j) basis[pivot][j] = plus(basis[pivot][j], -times(q, basis[c][j]));
        row[pivot] -= q * row[c];
        swap_columns(pivot, c, n);
        int64 const r = row[pivot];
        row[pivot] = row[c];
        row[c] = r;
      }
    }
    if (pivot < 0) return left == 0;
    if (left % row[pivot] != 0) return false;
    int64 const part = left / row[pivot];
    swap_columns(pivot, fixed, n);
    share[fixed++] = part;
    return true;
  }
  COLEX_HD constexpr void swap_columns(int a, int b, int n) {
    for (int j = 0; j < n; ++j) {
      int64 const x = basis[a][j];
      basis[a][j] = basis[b][j];
      basis[b][j] = x;
    }
  }
  COLEX_HD constexpr mode_list result() const {
    mode_list r;
    int64 left = values;
    for (int j = 0; j <= count; ++j) {
      r.push(j < count ? primes[j] : left, stride[j]);
      if (j < count) left = gpu::ceil_div(left, primes[j]);
    }
    return r;
  }
};

}  // namespace detail

}  // namespace colex::gpu
