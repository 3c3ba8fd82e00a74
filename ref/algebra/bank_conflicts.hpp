// How often a warp's access to shared memory is served again because threads meet in a bank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/composed.hpp"

#include <map>
#include <set>

namespace colex::ref {

// Shared memory has 32 banks of 4 bytes. A warp moves 4, 8 or 16 bytes a thread in phases of 32, 16 or 8 threads, 128 bytes
// each.
inline constexpr int bank_count = 32, bank_bytes = 4, phase_bytes = bank_count * bank_bytes, warp_size = 32;

// The 4-byte words that thread i touches when it moves `bytes` from element A(i) on. A is a layout, or any function.
template <class A>
std::vector<integer> words_of(A const& a, integer const& i, integer const& bits, int bytes) {
  integer const first = natural(a(i).number, "address") * bits;
  if (first % (8 * bytes) != 0) throw undefined("thread " + i.str() + " is not aligned to " + std::to_string(bytes) + " bytes");
  std::vector<integer> out;
  for (int k = 0; k < bytes; k += bank_bytes) out.push_back(first / (8 * bank_bytes) + k / bank_bytes);
  return out;
}

// The words of each bank that threads [begin, end) touch.
using touched_banks = std::map<integer, std::set<integer>>;
template <class A>
touched_banks banks_of(A const& a, integer const& bits, int bytes, integer const& begin, integer const& end) {
  touched_banks out;
  for (integer i = begin; i < end; ++i)
    for (integer const& word : words_of(a, i, bits, bytes)) out[word % bank_count].insert(word);
  return out;
}
// The wavefronts that a phase takes: the most distinct words in one bank.
inline integer wavefronts_of(touched_banks const& banks) {
  std::size_t most = 1;
  for (auto const& [bank, words] : banks) most = std::max(most, words.size());
  return most;
}
inline void need_width(integer const& bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16)
    throw undefined("a thread moves 4, 8 or 16 bytes at once, not " + bytes.str() + " (32b, 64b or 128b, not " +
                    integer(8 * bytes).str() + "b)");
}
// The wavefronts of the first `threads` threads, phase by phase.
template <class A>
std::vector<integer> wavefronts_by_phase(A const& a, integer const& bits, integer const& bytes, integer const& threads) {
  need_width(bytes);
  std::vector<integer> out;
  integer const phase = phase_bytes / bytes;
  for (integer begin = 0; begin < threads; begin += phase)
    out.push_back(wavefronts_of(banks_of(a, bits, static_cast<int>(bytes), begin, std::min<integer>(begin + phase, threads))));
  return out;
}

// A gives each thread's first element, of `bits` bits; each moves `bytes` bytes. Over all phases, the extra passes: the most
// distinct words in one bank, less one. (CUDA C++ Programming Guide, Shared Memory)
inline integer bank_conflicts(composed const& a, integer const& bits, integer const& bytes) {
  need_integers(a, "bank_conflicts");
  if (size(a.inner) > 1024) throw undefined("more than 1024 threads");
  integer extra = 0;
  for (integer const& wavefronts : wavefronts_by_phase(a, bits, bytes, size(a.inner))) extra += wavefronts - 1;
  return extra;
}

// What an instruction of a warp asks of shared memory: each thread moves `bits` bits, as many threads say where as the
// addresses' layout has, or a copy of matrices asks.
struct shared_access {
  integer bits;
  std::optional<integer> rows;
};
inline void need_access(shared_access const& by) {
  if (by.bits % 8 != 0) throw undefined("a thread moves 32, 64 or 128 bits at once, not " + by.bits.str());
  need_width(by.bits / 8);
}
// How many of the threads given say where the access begins.
inline integer threads_of(integer const& given, shared_access const& by) {
  if (given > warp_size) throw undefined("a warp has 32 threads");
  if (by.rows && *by.rows > given) throw undefined("the instruction asks " + by.rows->str() + " threads where rows begin");
  return by.rows.value_or(given);
}
// The wavefronts that it takes, phase by phase. (PTX ISA, ldmatrix, stmatrix)
inline std::vector<integer> bank_conflict_phases(composed const& a, integer const& bits, shared_access const& by) {
  need_access(by);
  need_integers(a, "bank_conflict_phases");
  return wavefronts_by_phase(a, bits, by.bits / 8, threads_of(size(a.inner), by));
}

}  // namespace colex::ref
