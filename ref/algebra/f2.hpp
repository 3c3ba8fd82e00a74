// Linear maps over F2, the field of two elements: a value, its subspaces and the operations on it. Layouts are elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coordinate.hpp"

namespace colex::ref {

inline integer unit(std::size_t bit) { return integer(1) << bit; }

// i -> the bases of the set bits of i, exclusive-or'ed, for each i below the size of the shape; values have `width` bits.
struct f2_map {
  std::size_t width = 0;
  value shape = 1;               // its extents are powers of two
  std::vector<integer> bases{};  // one for each bit of an index

  integer operator()(integer const& i) const { return f2_at(bases, i); }
};

// A map has at most max_bits bits on either side.
inline std::size_t bounded(std::size_t bits) {
  if (bits > max_bits) throw undefined("a linear map has at most " + std::to_string(max_bits) + " bits");
  return bits;
}

inline f2_map f2_from(value const& v) {
  return {static_cast<std::size_t>(v.items[0].number), f2_shape(v.items[1]), f2_bases(v)};
}
// The bases by the modes of the shape; they are taken from the front.
inline value bases_of(value const& shape, std::vector<integer>::const_iterator& next) {
  if (shape.is(kind::tuple) && !shape.items.empty()) return transform(shape, [&](value const& s) { return bases_of(s, next); });
  value out = tuple_of({});
  for (integer n = size(shape); n > 1; n /= 2) out.items.emplace_back(*next++);
  return out;
}
inline value to_value(f2_map const& f) {
  auto next = f.bases.begin();
  return {kind::f2, {value(integer(f.width)), bases_of(f.shape, next)}};
}
// A map of one mode.
inline f2_map flat_map(std::size_t width, std::vector<integer> bases) {
  return {width, value(unit(bases.size())), std::move(bases)};
}

// The index of a coordinate, which lies inside the shape.
inline integer f2_index(value const& c, value const& shape) {
  if (!c.is(kind::tuple)) {
    if (natural(c.number, "coordinate") >= size(shape)) throw undefined("coordinate " + print(c) + " is outside the shape");
    return c.number;
  }
  if (!shape.is(kind::tuple) || c.items.size() != shape.items.size())
    throw undefined("coordinate " + print(c) + " does not fit the shape");
  integer index = 0, weight = 1;
  for (std::size_t k = 0; k < c.items.size(); ++k, weight *= size(shape.items[k - 1]))
    index += weight * f2_index(c.items[k], shape.items[k]);
  return index;
}

// A subspace by its reduced basis: the highest bit of each element is a bit of no other. So element i of the subspace, in
// ascending order, is the sum of the basis' elements at the set bits of i.
class subspace {
 public:
  explicit subspace(std::vector<integer> const& spanning) {
    for (integer const& y : spanning) add(least(y));
  }
  // The least of y + S.
  integer least(integer y) const {
    for (auto const& [highest, element] : basis_)
      if (mp::bit_test(y, highest)) y ^= element;
    return y;
  }
  std::vector<integer> basis() const {
    std::vector<integer> out;
    for (auto const& [highest, element] : basis_) out.push_back(element);
    return out;
  }

 private:
  std::map<unsigned, integer> basis_;  // by the highest bit

  void add(integer const& y) {
    if (y == 0) return;
    unsigned const highest = mp::msb(y);
    for (auto& [other, element] : basis_)
      if (mp::bit_test(element, highest)) element ^= y;
    basis_.emplace(highest, y);
  }
};

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
  std::size_t k = 0;
  while (k < f.width && f(l(unit(k))) == unit(k)) ++k;
  return flat_map(l.width, {l.bases.begin(), l.bases.begin() + static_cast<std::ptrdiff_t>(k)});
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
