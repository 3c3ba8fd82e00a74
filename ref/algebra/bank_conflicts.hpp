// How often a warp's access to shared memory is served again because threads meet in a bank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/swizzle.hpp"

#include <map>
#include <set>

namespace colex::ref {

// Shared memory has 32 banks of 4 bytes. A warp moves 4, 8 or 16 bytes a thread in phases of 32, 16 or 8 threads, 128 bytes
// each.
inline constexpr int bank_count = 32, bank_bytes = 4, phase_bytes = bank_count * bank_bytes;

// The 4-byte words that thread i touches when it moves `bytes` from element A(i) on.
inline std::vector<integer> words_of(composed const& a, integer const& i, integer const& bits, int bytes) {
  integer const first = natural(a(i).number, "address") * bits;
  if (first % (8 * bytes) != 0) throw undefined("thread " + i.str() + " is not aligned to " + std::to_string(bytes) + " bytes");
  std::vector<integer> out;
  for (int k = 0; k < bytes; k += bank_bytes) out.push_back(first / (8 * bank_bytes) + k / bank_bytes);
  return out;
}

// A gives each thread's first element, of `bits` bits; each moves `bytes` bytes. Over all phases, the extra passes: the most
// distinct words in one bank, less one. (CUDA C++ Programming Guide, Shared Memory)
inline integer bank_conflicts(composed const& a, integer const& bits, int bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16) throw undefined("a thread moves 4, 8 or 16 bytes at once");
  if (has_basis(a.inner)) throw undefined("banks of coordinates");
  integer extra = 0;
  integer const threads = size(a.inner), phase = phase_bytes / bytes;
  if (threads > 1024) throw undefined("more than 1024 threads");
  for (integer begin = 0; begin < threads; begin += phase) {
    std::map<integer, std::set<integer>> banks;
    for (integer i = begin; i < std::min<integer>(begin + phase, threads); ++i)
      for (integer const& word : words_of(a, i, bits, bytes)) banks[word % bank_count].insert(word);
    std::size_t most = 1;
    for (auto const& [bank, words] : banks) most = std::max(most, words.size());
    extra += integer(most - 1);
  }
  return extra;
}

}  // namespace colex::ref
