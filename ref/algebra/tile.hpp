// tile_to_shape and domain_distribute: filling a shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/make.hpp"

namespace colex::ref {

// An order as a tuple of numbers; the words LayoutLeft and LayoutRight count up or down.
inline value order_of(value const& order, std::size_t r) {
  if (!order.is(kind::word)) return order;
  std::vector<value> out;
  for (std::size_t i = 0; i < r; ++i) out.emplace_back(static_cast<int>(order.is("LayoutLeft") ? i : r - i));
  return tuple_of(std::move(out));
}

// How often a block of the rank of S repeats along each mode to fill S, in the given order. Every mode of it divides its mode
// of S.
inline layout copies(layout const& block, value const& s, value const& order) {
  value const sizes = product_each(s), have = product_each(shape(block));
  std::vector<value> counts;
  for (std::size_t i = 0; i < rank(s); ++i) {
    integer const n = sizes.is(kind::tuple) ? sizes.items[i].number : sizes.number, b = size(mode(block, i));
    if (n % b != 0) throw undefined("a block of " + b.str() + " does not divide " + n.str());
    counts.emplace_back(n / b);
  }
  bool const one = !s.is(kind::tuple);
  return make_ordered_layout(one ? counts[0] : tuple_of(counts), one ? value(0) : order_of(order, rank(s)));
}
inline layout tile_to_shape(layout const& a, value const& s, value const& order) {
  layout const block = append(a, rank(s));
  return blocked_product(block, copies(block, s, order));
}

// Of n threads as many as fit each mode of S, front to back; what fits no mode is left over.
inline layout distributed(value const& s, integer n) {
  if (n < 1) throw undefined("fewer than one to distribute");
  std::vector<layout> out;
  integer w = 1;
  for (layout const& m : leaves(make_layout_left(s))) {
    integer const g = mp::gcd(m.extent, n);
    out.emplace_back(g, w);
    n /= g;
    w *= m.extent;
  }
  return layout(std::move(out));
}
// n threads over a domain S.
inline layout domain_distribute(value const& s, integer const& n) { return coalesce(distributed(s, n)); }

}  // namespace colex::ref
