// The operations on linear maps over F2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/f2.hpp"

namespace colex::ref {

// All pairs (F(x), x), a pair being the number F(x) 2^m + x for indices of m bits.
inline subspace graph(f2_map const& f) {
  std::vector<integer> pairs;
  for (std::size_t k = 0; k < f.bases.size(); ++k) pairs.push_back((f.bases[k] << f.bases.size()) | unit(k));
  return subspace(pairs);
}

// Value i is the i-th smallest value of F.
inline f2_map f2_image(f2_map const& f) { return flat_map(f.width, subspace(f.bases).basis()); }
inline std::size_t f2_rank(f2_map const& f) { return f2_image(f).bases.size(); }
// Value i is the i-th smallest x with F(x) == 0.
inline f2_map f2_kernel(f2_map const& f) {
  std::vector<integer> zeros = graph(f).basis();
  std::erase_if(zeros, [&](integer const& pair) { return pair >> f.bases.size() != 0; });
  return flat_map(f.bases.size(), zeros);
}

// F o G, where the values of G are indices of F.
inline f2_map f2_compose(f2_map const& f, f2_map const& g) {
  f2_map out{f.width, g.shape, {}};
  for (integer const& b : g.bases) {
    if (b >= unit(f.bases.size())) throw undefined("value " + b.str() + " is no index of the first map");
    out.bases.push_back(f(b));
  }
  return out;
}

// L(y) is the x for which F(x) xor y is least, and of those the least. F(L(F(x))) == F(x).
inline f2_map f2_left_inverse(f2_map const& f) {
  std::size_t const m = f.bases.size();
  subspace const pairs = graph(f);
  f2_map out = flat_map(m, std::vector<integer>(f.width));
  for (std::size_t k = 0; k < f.width; ++k) out.bases[k] = pairs.least(unit(k + m)) & (unit(m) - 1);
  return out;
}
// R(y) is the least x with F(x) == y, for y below the largest power of two up to which all are values.
inline f2_map f2_right_inverse(f2_map const& f) {
  f2_map const l = f2_left_inverse(f);
  std::vector<integer> bases;
  for (integer const& x : l.bases) {
    if (f(x) != unit(bases.size())) break;
    bases.push_back(x);
  }
  return flat_map(l.width, bases);
}
// The inverse of a bijection.
inline f2_map f2_invert(f2_map const& f) {
  if (f.bases.size() != f.width || f2_rank(f) != f.width) throw undefined("the map is no bijection");
  return f2_left_inverse(f);
}

// (x, y) -> F(x) and, in the bits behind, G(y).
inline f2_map f2_product(f2_map const& f, f2_map const& g) {
  f2_map out{bounded(f.width + g.width), tuple_of({f.shape, g.shape}), f.bases};
  bounded(f.bases.size() + g.bases.size());
  for (integer const& b : g.bases) out.bases.push_back(b << f.width);
  return out;
}

// Value i is the i-th smallest y of n bits that is the least of y + the values of F.
inline f2_map f2_complement(f2_map const& f, std::size_t n) {
  if (n < f.width) throw undefined("values of " + std::to_string(f.width) + " bits do not fit " + std::to_string(n));
  subspace const values(f.bases);
  std::vector<integer> out;
  for (std::size_t k = 0; k < n; ++k)
    if (values.least(unit(k)) == unit(k)) out.push_back(unit(k));
  return flat_map(n, out);
}

// F o (G, G*), G* the complement of G among the indices of F.
inline f2_map f2_divide(f2_map const& f, f2_map const& g) {
  f2_map const tile = f2_compose(f, g);
  f2_map const rest = f2_compose(f, f2_complement({f.bases.size(), g.shape, g.bases}, f.bases.size()));
  f2_map out{f.width, tuple_of({tile.shape, rest.shape}), tile.bases};
  out.bases.insert(out.bases.end(), rest.bases.begin(), rest.bases.end());
  return out;
}

}  // namespace colex::ref
