// Linear maps over F2, the field of two elements, as values; their coordinates, and subspaces. Operations are elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/coordinate.hpp"

namespace colex::ref {

inline integer unit(std::size_t bit) { return integer(1) << bit; }

// i -> the bases of the set bits of i, exclusive-or'ed, for each i below the size of the shape; values have `width` bits.
struct f2_map {
  std::size_t width;
  value shape;                 // its extents are powers of two
  std::vector<integer> bases;  // one for each bit of an index

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

}  // namespace colex::ref
