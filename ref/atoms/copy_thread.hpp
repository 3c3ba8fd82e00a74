// A copy atom, and the copies that one thread issues: plain, asynchronous, and in bulk (TMA).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/mma_simt.hpp"

namespace colex::ref {

// One copy as CuTe sees it: (thread, value) -> bit, at the source, at the destination, and as its user counts.
struct copy_atom {
  layout thr_id, src, dst, ref;
};

inline copy_atom same_everywhere(layout const& thr_id, layout const& bits) { return {thr_id, bits, bits, bits}; }
inline copy_atom thread_copy(integer const& bits) { return same_everywhere(layout(), one_thread(bits)); }

inline std::string const& only_argument(atom_name const& n) {
  if (n.arguments.size() != 1) n.wrong("one argument belongs in <>");
  return n.arguments[0];
}
// The compiler chooses the width: CuTe counts elements, one at a time, not bits.
inline copy_atom vectorizing_copy(atom_name const& n) {
  if (!holds_word("8 16 32 64 128 256", only_argument(n))) n.wrong("an alignment is a power of two from 8 to 256 bits");
  return thread_copy(1);
}
// cp.async of 4, 8 or 16 bytes; around the first cache level only 16 (PTX ISA, cp.async).
inline copy_atom async_copy(atom_name const& n) {
  std::string const base = n.text.substr(0, n.text.find('<')), all = "SM80_CP_ASYNC_CACHEALWAYS",
                    far = "SM80_CP_ASYNC_CACHEGLOBAL";
  if (base != all && base != far && base != all + "_ZFILL" && base != far + "_ZFILL")
    n.wrong("SM80 has CP_ASYNC_CACHEALWAYS and CP_ASYNC_CACHEGLOBAL, each with _ZFILL or without");
  integer const bits = bits_of(only_argument(n));
  if (bits != 128 && (base.starts_with(far) || (bits != 32 && bits != 64)))
    n.wrong("cp.async copies 4, 8 or 16 bytes, CACHEGLOBAL 16");
  return thread_copy(bits);
}
// SM100_LOAD_256bit_CACHE_NOALLOCATION
inline copy_atom wide_copy(atom_name const& n) {
  if (n.text.substr(std::min<std::size_t>(n.text.find('_', 6), n.text.size())) != "_256bit_CACHE_NOALLOCATION")
    n.wrong("'_256bit_CACHE_NOALLOCATION' belongs at the end");
  return thread_copy(256);
}

// Bulk copies and TMA; `NAME,bits` says what one instruction moves, a multiple of 16 bytes (PTX ISA, cp.async.bulk). Two SMs
// take that much each. What runs is _OP or _PTR, and by itself it looks the same.
inline char const* const bulk_copies[] = {"SM90_BULK_COPY_G2S",
                                          "SM90_BULK_COPY_S2G",
                                          "SM90_TMA_LOAD",
                                          "SM90_TMA_LOAD_OP",
                                          "SM90_TMA_LOAD_MULTICAST",
                                          "SM90_TMA_LOAD_MULTICAST_OP",
                                          "SM90_TMA_STORE",
                                          "SM90_TMA_STORE_PTR",
                                          "SM90_TMA_REDUCE_ADD",
                                          "SM100_TMA_2SM_LOAD",
                                          "SM100_TMA_2SM_LOAD_OP",
                                          "SM100_TMA_2SM_LOAD_MULTICAST",
                                          "SM100_TMA_2SM_LOAD_MULTICAST_OP"};
inline copy_atom bulk_copy(atom_name const& n) {
  std::size_t const comma = n.text.find(',');
  if (std::find(std::begin(bulk_copies), std::end(bulk_copies), n.text.substr(0, comma)) == std::end(bulk_copies))
    n.wrong("no bulk copy has this name");
  std::string const width = comma == n.text.npos ? "" : n.text.substr(comma + 1);
  int const bits = width.empty() || width.back() != 'b' ? -1 : natural_in(width.substr(0, width.size() - 1));
  if (bits % 128 != 0) n.wrong("',' and a multiple of 128b belong behind the name of a bulk copy");
  return n.text.starts_with("SM100") ? same_everywhere(layout(2, 1), layout({{2, bits}, {bits, 1}})) : thread_copy(bits);
}

}  // namespace colex::ref
