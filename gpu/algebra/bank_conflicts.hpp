// How often a warp's access to shared memory is served again because threads meet in a bank. Counts; reads no memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/swizzle.hpp"

namespace colex::gpu {

// Shared memory has 32 banks of 4 bytes. A warp moves 4, 8 or 16 bytes a thread in phases of 32, 16 or 8 threads, 128 bytes
// each.
inline constexpr int bank_count = 32, bank_bytes = 4;

namespace detail {

// The distinct words of a phase, at most one for each bank's share of it.
struct word_set {
  int count = 0;
  int64 word[bank_count] = {};

  COLEX_HD constexpr void insert(int64 x) {
    for (int k = 0; k < count; ++k)
      if (word[k] == x) return;
    word[count++] = x;
  }
  // The most words in one bank, 1 when there is none.
  COLEX_HD constexpr int64 most_in_a_bank() const {
    int in_bank[bank_count] = {};
    int most = 1;
    for (int k = 0; k < count; ++k) {
      int const n = ++in_bank[word[k] % bank_count];
      if (n > most) most = n;
    }
    return most;
  }
};

// The first 4-byte word of thread i.
COLEX_HD constexpr int64 first_word(composed const& a, int64 i, int64 bits, int bytes) {
  int64 const element = a(i);
  if (element < 0) negative_coordinate();
  int128 const bit = static_cast<int128>(element) * bits;
  if (bit % (8 * bytes) != 0) access_is_not_aligned();
  return narrow(bit / (8 * bank_bytes));
}

}  // namespace detail

// a gives each thread's first element, of `bits` bits; each thread moves `bytes` bytes. Over all phases, the extra passes: the
// most distinct words in one bank, less one. undefined: a width other than 4, 8 or 16, more than 1024 threads, an access not
// aligned to its width; unspecified: a negative address. (CUDA C++ Programming Guide, "Shared Memory")
COLEX_HD constexpr int64 bank_conflicts(composed const& a, int64 bits, int64 bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16) not_a_width_of_access();
  if (bits < 1) target_is_not_positive();
  int64 const threads = size(a.inner), phase = bank_count * bank_bytes / bytes;
  if (threads > 1024) too_many_threads();
  int64 extra = 0;
  for (int64 begin = 0; begin < threads; begin += phase) {
    detail::word_set words;
    for (int64 i = begin; i < smaller(begin + phase, threads); ++i) {
      int64 const first = detail::first_word(a, i, bits, static_cast<int>(bytes));
      for (int64 k = 0; k < bytes / bank_bytes; ++k) words.insert(plus(first, k));
    }
    extra += words.most_in_a_bank() - 1;
  }
  return extra;
}

}  // namespace colex::gpu
