// The least swizzle of a layout in shared memory by which no two threads of a warp meet in a bank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/bank_conflicts.hpp"

namespace colex::ref {

// Thread i of a warp begins at the element of that index of a layout, and moves so much.
struct warp_access {
  layout threads;
  shared_access by;
};

inline bool is_free(layout const& a, swizzle const& w, integer const& bits, warp_access const& x) {
  auto const begins = [&](integer const& i) { return point(w(a(x.threads(i).number).number)); };
  std::vector<integer> const wavefronts = wavefronts_by_phase(begins, bits, x.by.bits / 8, threads_of(size(x.threads), x.by));
  return std::all_of(wavefronts.begin(), wavefronts.end(), [](integer const& n) { return n == 1; });
}

// The swizzles of the numbers of n bits that leave 2^m together, least first: by B, then M, then S > 0, then |S|.
inline std::vector<swizzle> swizzles_of(int n, int least_m) {
  std::vector<swizzle> out{{}};
  for (int b = 1; b < n; ++b)
    for (int m = least_m; m < n; ++m)
      for (int const sign : {1, -1})
        for (int s = b; m + b + s <= n; ++s) out.push_back({b, m, sign * s});
  return out;
}

// Threads name elements of A by natural numbers, which are places of shared memory.
inline void check_access(layout const& a, warp_access const& x) {
  need_natural_strides(x.threads, "swizzle_for");
  if (cosize(x.threads) > size(a))
    throw undefined("a thread begins at index " + integer(cosize(x.threads) - 1).str() + ", outside the layout");
  need_access(x.by);
}

// Values of A have at most so many bits: more than shared memory has bytes.
inline constexpr std::size_t address_bits = 20;

// The least swizzle of A's values by which no access takes an extra wavefront. What a thread moves stays together, and
// aligned: 2^M elements are a whole number of it.
inline swizzle swizzle_for(layout const& a, integer const& bits, std::vector<warp_access> const& accesses) {
  need_natural_strides(a, "swizzle_for");
  integer const most = cosize(a) - 1;
  if (most >> address_bits != 0) throw undefined("elements beyond 2^" + std::to_string(address_bits));
  int m = 0;
  for (warp_access const& x : accesses) {
    check_access(a, x);
    while ((bits << m) % x.by.bits != 0) ++m;
  }
  for (swizzle const& w : swizzles_of(static_cast<int>(bit_width(most)), m))
    if (std::all_of(accesses.begin(), accesses.end(), [&](warp_access const& x) { return is_free(a, w, bits, x); })) return w;
  throw undefined("no swizzle of these bits is free of conflicts");
}

}  // namespace colex::ref
