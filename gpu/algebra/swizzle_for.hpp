// The least swizzle of a layout in shared memory by which no two threads of a warp meet in a bank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/algebra/f2.hpp"
#include "gpu/algebra/inverse.hpp"

namespace colex::gpu {

// Thread i of a warp begins at the element of that index of a layout, and moves so much.
struct warp_access {
  layout threads;
  shared_access by;
};

namespace detail {

// More bits than an address of shared memory has.
inline constexpr int most_address_bits = 20;

COLEX_HD constexpr int64 threads_of(warp_access const& x) {
  int64 const given = size(x.threads), threads = x.by.rows > 0 ? x.by.rows : given;
  if (given > warp_size) too_many_threads();
  if (given < threads) too_few_threads();
  return threads;
}
COLEX_HD constexpr void check_access(layout const& a, int64 bits, warp_access const& x) {
  require_natural_strides(x.threads);
  if (cosize(x.threads) > size(a)) thread_begins_outside();
  if (x.by.bits % 8 != 0) not_a_width_of_access();
  phase_of(bits, x.by.bits / 8);
}

// A phase moves 128 bytes, and what one thread moves fills a share of the banks: so two threads meet exactly when they move
// different such pieces of one share.
COLEX_HD constexpr bool is_free(layout const& a, swizzle const& sw, int64 bits, warp_access const& x) {
  int64 const shares = phase_of(bits, x.by.bits / 8), threads = threads_of(x);
  int64 piece[bank_count] = {};
  bool free = true;
  for (int64 i = 0; i < threads; ++i) {
    if (i % shares == 0)
      for (int64& p : piece) p = -1;
    int64 const bit = times(sw.unchecked(a(x.threads(i))), bits), at = bit / x.by.bits;
    if (bit % x.by.bits != 0) access_is_not_aligned();
    int64& met = piece[at % shares];
    free = free && (met == -1 || met == at);
    met = at;
  }
  return free;
}
COLEX_HD constexpr bool all_free(layout const& a, swizzle const& sw, int64 bits, warp_access const* x, int count) {
  for (int k = 0; k < count; ++k)
    if (!is_free(a, sw, bits, x[k])) return false;
  return true;
}

}  // namespace detail

// The least of the swizzles of the bits of a's values by which none of the accesses to elements of `bits` bits takes an extra
// wavefront: by B, then M, then S; what a thread moves stays together. undefined: there is none, a thread begins
// outside a, values have more than 20 bits, or an access is none; unspecified: negative strides.
COLEX_HD constexpr swizzle swizzle_for(layout const& a, int64 bits, warp_access const* accesses, int count) {
  detail::require_natural_strides(a);
  uint64 const most = static_cast<uint64>(cosize(a) - 1);
  if (!detail::fits(most, detail::most_address_bits)) more_than_20_bits();
  int least = 0;
  for (int k = 0; k < count; ++k) detail::check_access(a, bits, accesses[k]);
  for (int k = 0; k < count; ++k)
    while (times(bits, int64{1} << least) % accesses[k].by.bits != 0) ++least;
  if (detail::all_free(a, {}, bits, accesses, count)) return {};
  int const n = detail::highest_bit(most) + 1;  // of 0 and 1 too few to swizzle
  for (int b = 1; b < n; ++b)
    for (int m = least; m < n; ++m)
      for (int s = b; m + b + s <= n; ++s)  // none with S < 0: by those meets what meets without
        if (detail::all_free(a, {b, m, s}, bits, accesses, count)) return {b, m, s};
  no_swizzle_is_free();
}

}  // namespace colex::gpu
