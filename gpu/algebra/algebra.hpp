// The whole algebra, and the operations on composed layouts: each acts on the inner layout and keeps what stands before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/f2_layout.hpp"
#include "gpu/algebra/product.hpp"
#include "gpu/algebra/solve.hpp"

namespace colex::gpu {

COLEX_HD constexpr int rank(composed const& a) { return rank(a.inner); }
COLEX_HD constexpr int depth(composed const& a) { return depth(a.inner); }
COLEX_HD constexpr int64 size(composed const& a) { return size(a.inner); }
COLEX_HD constexpr layout make_fragment_like(composed const& a) { return make_fragment_like(a.inner); }

#define COLEX_ON_INNER(op)                                                 \
  template <class... Args>                                                 \
  COLEX_HD constexpr composed op(composed const& a, Args const&... args) { \
    return a.with(op(a.inner, args...));                                   \
  }
COLEX_ON_INNER(get)
COLEX_ON_INNER(select)
COLEX_ON_INNER(select_modes)
COLEX_ON_INNER(take)
COLEX_ON_INNER(group)
COLEX_ON_INNER(append)
COLEX_ON_INNER(prepend)
COLEX_ON_INNER(replace)
COLEX_ON_INNER(zip)
COLEX_ON_INNER(flatten)
COLEX_ON_INNER(coalesce)
COLEX_ON_INNER(filter)
COLEX_ON_INNER(filter_zeros)
COLEX_ON_INNER(composition)
COLEX_ON_INNER(logical_divide)
COLEX_ON_INNER(zipped_divide)
COLEX_ON_INNER(tiled_divide)
COLEX_ON_INNER(flat_divide)
COLEX_ON_INNER(logical_product)
COLEX_ON_INNER(zipped_product)
COLEX_ON_INNER(tiled_product)
COLEX_ON_INNER(flat_product)
COLEX_ON_INNER(blocked_product)
COLEX_ON_INNER(raked_product)
COLEX_ON_INNER(tile_to_shape)
#undef COLEX_ON_INNER

// The alignment that swizzle, offset and layout have in common. (CuTe max_alignment)
COLEX_HD constexpr int64 max_alignment(composed const& a) {
  int64 const n = gcd(a.integer_offset(), max_alignment(a.inner));
  return a.swizzled ? gcd(detail::power_of_two(static_cast<int>(smaller(a.sw.base, 62))), n) : n;  // n has no factor above 2^62
}

namespace detail {
// r, the inverse of the inner layout, behind the swizzle that acts on its values as a's does on its arguments.
COLEX_HD constexpr composed moved(composed const& a, layout const& r, int64 elements) {
  if (!a.swizzled || a.integer_offset() != 0) not_a_swizzle();
  if (elements > composition_table_limit) inverse_not_decided();
  if (a.sw.bits == 0) return a.with(r);
  int64 const source = power_of_two(a.sw.source()), target = power_of_two(a.sw.target());
  int const from = exponent(r(source)), to = exponent(r(target)), shift = from - to;
  if (from < 0 || to < 0 || magnitude(shift) < a.sw.bits) not_a_swizzle();
  return {r, 0, {a.sw.bits, static_cast<int>(smaller(from, to)), shift}, true};
}
}  // namespace detail

// For a swizzled layout without offset: the inverse of the inner layout behind a swizzle. undefined: that is no inverse, or
// there is an offset. (CuTe right_inverse, left_inverse of a composed layout)
COLEX_HD constexpr composed right_inverse(composed const& a) {
  layout const inner = right_inverse(a.inner);
  composed const r = detail::moved(a, inner, size(inner));
  for (int64 i = 0, n = size(inner); i < n; ++i)
    if (r(i) >= size(a.inner) || a(r(i)) != i) not_a_swizzle();
  return r;
}
COLEX_HD constexpr composed left_inverse(composed const& a) {
  composed const r = detail::moved(a, left_inverse(a.inner), size(a.inner));
  for (int64 i = 0, n = size(a.inner); i < n; ++i)
    if (r(a(i)) != i) not_a_swizzle();
  return r;
}

}  // namespace colex::gpu
