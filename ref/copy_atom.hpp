// Copy atoms by name: a family of instructions is one formula of what its names say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/mma_simt.hpp"

namespace colex::ref {

// One copy as CuTe sees it: (thread, value) -> bit, at the source, at the destination, and as its user counts.
struct copy_atom {
  layout thr_id, src, dst, ref;
};

inline copy_atom thread_copy(integer const& bits) { return {layout(), one_thread(bits), one_thread(bits), one_thread(bits)}; }

inline std::string const& only_argument(atom_name const& n) {
  if (n.arguments.size() != 1) n.wrong("one type belongs in <>");
  return n.arguments[0];
}
// cp.async of 4, 8 or 16 bytes; past the first cache level only 16 (PTX ISA, cp.async).
inline copy_atom async_copy(atom_name const& n) {
  integer const bits = bits_of(only_argument(n));
  std::string const cache = n.word(3);
  if (n.words.size() > (n.word(4) == "ZFILL" ? 5u : 4u) || n.word(1) != "CP" || n.word(2) != "ASYNC" || (cache != "CACHEALWAYS" && cache != "CACHEGLOBAL"))
    n.wrong("SM80 has CP_ASYNC_CACHEALWAYS and CP_ASYNC_CACHEGLOBAL, each with _ZFILL or without");
  if (bits != 128 && (cache == "CACHEGLOBAL" || (bits != 32 && bits != 64))) n.wrong("cp.async copies 4, 8 or 16 bytes, CACHEGLOBAL 16");
  return thread_copy(bits);
}

// The atom that a name of CuTe stands for (`SM75_U32x4_LDSM_N`). Malformed: the name says what no instruction does.
inline copy_atom copy_atom_of(std::string const& name) {
  atom_name const n = parse_atom_name(name);
  std::string const first = n.words[0];
  if (first == "UniversalCopy" && n.words.size() == 1) return thread_copy(bits_of(only_argument(n)));
  if (first == "AutoVectorizingCopyWithAssumedAlignment" && natural_in(only_argument(n)) > 0) return thread_copy(1);
  if (first == "SM80") return async_copy(n);
  n.wrong("'" + first + "' begins no name of a copy atom");
}

}  // namespace colex::ref
