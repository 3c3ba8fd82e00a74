// Copy atoms by name: a family of instructions is one formula of what its names say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/copy_matrix.hpp"
#include "ref/atoms/copy_tensor_memory.hpp"

namespace colex::ref {

// Of SM100, but for what moves in bulk.
inline copy_atom blackwell_copy(atom_name const& n) {
  std::string const what = n.word(1);
  if (what == "LOAD" || what == "STORE") return wide_copy(n);
  if (what == "UTCCP") return shared_to_tensor_memory(n);
  if (what == "TMEM") return tensor_memory_copy(n);
  return what.starts_with("SU") ? widening_copy(n) : matrix_copy(n);
}
inline bool moves_in_bulk(atom_name const& n) {
  return n.text.find(',') != n.text.npos || n.word(1) == "TMA" || n.word(1) == "BULK";
}

// The atom that a name of CuTe stands for (`SM75_U32x4_LDSM_N`). Malformed: the name says what no instruction does.
// Source: PTX ISA, Data Movement and Conversion Instructions, and TensorCore 5th Generation.
inline copy_atom copy_atom_of(std::string const& name) {
  atom_name const n = parse_atom_name(name);
  std::string const first = n.words[0];
  if (first == "SM80") return async_copy(n);
  if (moves_in_bulk(n)) return bulk_copy(n);
  if (first == "UniversalCopy" && n.words.size() == 1) return thread_copy(bits_of(only_argument(n)));
  if (first == "AutoVectorizingCopyWithAssumedAlignment") return vectorizing_copy(n);
  if (!n.arguments.empty()) n.wrong("no <> belongs at the end");
  if (first == "SM50") return shuffle(n);
  if (first == "SM75" || first == "SM90") return matrix_copy(n);
  if (first == "SM100") return blackwell_copy(n);
  n.wrong("'" + first + "' begins no name of a copy atom");
}

}  // namespace colex::ref
