// How often a warp's access to shared memory is served again because threads meet in a bank. Counts; reads no memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/swizzle.hpp"

namespace colex::gpu {

// Shared memory has 32 banks of 4 bytes. A warp moves 4, 8 or 16 bytes a thread in phases of 32, 16 or 8 threads, 128 bytes
// each.
inline constexpr int bank_count = 32, bank_bytes = 4, warp_size = 32;

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
// How often the banks are asked in a phase, Nsight Compute's wavefronts, for threads [begin, end).
COLEX_HD constexpr int64 wavefronts_of_phase(composed const& a, int64 bits, int64 bytes, int64 begin, int64 end) {
  word_set words;
  for (int64 i = begin; i < end; ++i) {
    int64 const first = first_word(a, i, bits, static_cast<int>(bytes));
    for (int64 k = 0; k < bytes / bank_bytes; ++k) words.insert(plus(first, k));
  }
  return words.most_in_a_bank();
}
// Threads in a phase.
COLEX_HD constexpr int64 phase_of(int64 bits, int64 bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16) not_a_width_of_access();
  if (bits < 1) target_is_not_positive();
  return bank_count * bank_bytes / bytes;
}

}  // namespace detail

// a gives each thread's first element, of `bits` bits; each thread moves `bytes` bytes. Over all phases, the extra passes: the
// most distinct words in one bank, less one. undefined: a width other than 4, 8 or 16, more than 1024 threads, an access not
// aligned to its width; unspecified: a negative address. (CUDA C++ Programming Guide, "Shared Memory")
COLEX_HD constexpr int64 bank_conflicts(composed const& a, int64 bits, int64 bytes) {
  int64 const threads = size(a.inner), phase = detail::phase_of(bits, bytes);
  if (threads > 1024) too_many_threads();
  int64 extra = 0;
  for (int64 begin = 0; begin < threads; begin += phase)
    extra += detail::wavefronts_of_phase(a, bits, bytes, begin, smaller(begin + phase, threads)) - 1;
  return extra;
}

// One instruction of a warp on shared memory: each thread moves `bits` bits. Of a copy of matrices the first `rows` threads
// say where its rows begin; 0 where each thread speaks for itself.
struct shared_access {
  int64 bits, rows;
};

// The wavefronts that a warp's instruction takes, phase by phase; a gives each thread's first element, of `bits` bits.
// undefined: as bank_conflicts, or more threads than a warp has, or fewer than a copy of matrices asks. (PTX ISA, ldmatrix,
// stmatrix)
COLEX_HD constexpr int_tuple bank_conflict_phases(composed const& a, int64 bits, shared_access const& by) {
  int64 const threads = by.rows > 0 ? by.rows : size(a.inner), bytes = by.bits / 8, phase = detail::phase_of(bits, bytes);
  if (by.bits % 8 != 0) not_a_width_of_access();
  if (size(a.inner) > warp_size) too_many_threads();
  if (size(a.inner) < threads) too_few_threads();
  int_tuple wavefronts;
  tuple_writer w(wavefronts);
  w.open();
  for (int64 begin = 0; begin < threads; begin += phase)
    w.put(detail::wavefronts_of_phase(a, bits, bytes, begin, smaller(begin + phase, threads)));
  w.close();
  return wavefronts;
}

}  // namespace colex::gpu
