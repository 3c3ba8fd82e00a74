// Inverses by search, for small layouts whose modes overlap or interleave and so have no closed form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/complement.hpp"
#include "gpu/algebra/composition.hpp"

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

// Depth first over modes n:r of R, the least r first, then the largest n: r is an index where a has the value n so far, and
// each mode must hold on all of R.
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
    for (bool holds = true; holds; y += holds)
      for (int i = 0; i < n && holds; ++i) {
        int64 const x = plus(image[i], times(y, r));
        holds = x < size && of(x) == i + y * n;
      }
    return y;
  }
  // The next index behind r of an element with the value n; 0: there is none.
  COLEX_HD constexpr int64 step(int n, int64 r) const {
    int64 next = 0;
    for (int c = 0; c < elements; ++c)
      if (value[c] == n && index[c] > r && (next == 0 || index[c] < next)) next = index[c];
    return next;
  }
  COLEX_HD constexpr void extend(int n) {
    if (n + n > reach) return;
    for (int64 r = step(n, 0); r > 0 && best < reach; r = step(n, r))
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
  static constexpr int most = 8;  // primes with a product below 256, and the last mode
  struct column {
    int64 of_mode[most] = {};
  };
  sorted_modes const& of;
  int64 values, elements;
  int primes[most], count = 0;
  column basis[most];  // of the lattice of solutions
  int64 share[most];   // what each contributes
  int fixed;
  column stride;

  COLEX_HD constexpr left_search(sorted_modes const& s, int64 v) : of(s), values(v), elements(s.modes.size()) {}

  // Extends the chain of primes, of this product, until it has a solution.
  COLEX_HD constexpr bool chain(int64 product) {
    if (solve()) return true;
    for (int q = 2; product * q < values; ++q) {
      int p = 2;
      while (q % p != 0) ++p;
      if (p < q) continue;
      primes[count++] = q;
      if (chain(product * q)) return true;
      --count;
    }
    return false;
  }
  COLEX_HD constexpr bool solve() {
    fixed = 0;
    for (int c = 0; c <= count; ++c) {
      basis[c] = {};
      basis[c].of_mode[c] = 1;
    }
    for (int64 i = 1; i < elements; ++i)
      if (!satisfy(element(of, i))) return false;
    for (int c = 0; c < fixed; ++c) add(stride, share[c], basis[c]);
    return true;
  }
  COLEX_HD constexpr bool satisfy(element const& e) {
    column const digits = digits_of(e.value);
    int64 row[most], left = e.index;
    for (int c = 0; c <= count; ++c) {
      row[c] = 0;
      for (int j = 0; j <= count; ++j) row[c] = plus(row[c], times(digits.of_mode[j], basis[c].of_mode[j]));
      if (c < fixed) left = plus(left, times(-1, times(row[c], share[c])));
    }
    int const pivot = reduce(row);
    if (pivot > count) return left == 0;
    if (left % row[pivot] != 0) return false;
    share[fixed] = left / row[pivot];
    swap(basis[pivot], basis[fixed++]);
    return true;
  }
  // Euclid over the free columns, until one alone has an entry, if any has: that one.
  COLEX_HD constexpr int reduce(int64* row) {
    int pivot = fixed;
    while (pivot <= count && row[pivot] == 0) ++pivot;
    for (int c = pivot + 1; c <= count; ++c)
      while (row[c] != 0) {
        int64 const q = row[pivot] / row[c];
        add(basis[pivot], times(-1, q), basis[c]);
        row[pivot] -= q * row[c];
        swap(basis[pivot], basis[c]);
        swap(row[pivot], row[c]);
      }
    return pivot;
  }
  COLEX_HD constexpr column digits_of(int64 v) const {
    column r;
    for (int j = 0; j < count; v /= primes[j++]) r.of_mode[j] = v % primes[j];
    r.of_mode[count] = v;
    return r;
  }
  COLEX_HD constexpr void add(column& a, int64 n, column const& b) const {
    for (int j = 0; j <= count; ++j) a.of_mode[j] = plus(a.of_mode[j], times(n, b.of_mode[j]));
  }
  template <class T>
  COLEX_HD static constexpr void swap(T& a, T& b) {
    T const x = a;
    a = b;
    b = x;
  }
  COLEX_HD constexpr mode_list result() const {
    mode_list r;
    int64 left = values;
    for (int j = 0; j < count; left = gpu::ceil_div(left, primes[j++])) r.push(primes[j], stride.of_mode[j]);
    r.push(left, stride.of_mode[count]);
    return r;
  }
};

}  // namespace detail

}  // namespace colex::gpu
