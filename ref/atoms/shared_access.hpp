// How a warp that executes a copy atom accesses shared memory: which bytes a thread moves, and whose addresses count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/swizzle_for.hpp"
#include "ref/atoms/copy_atom.hpp"

namespace colex::ref {

// The rows that threads name on the memory's side of a copy of matrices: different places where a thread begins.
inline integer rows_in(layout const& memory) {
  std::set<integer> rows;
  for (integer t = 0; t < size(memory.modes[0]); ++t) rows.insert(memory.modes[0](t).number);
  return integer(rows.size());
}
// Undefined: no thread says where, since it moves in bulk, between registers or to tensor memory.
// Source: PTX ISA, ldmatrix, stmatrix, ld, st, cp.async.
inline shared_access shared_access_of(std::string const& name) {
  copy_atom const atom = copy_atom_of(name);
  std::vector<std::string> const words = parse_atom_name(name).words;
  auto const says = [&](char const* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (says("LDSM")) return {128, rows_in(atom.src)};
  if (says("STSM")) return {128, rows_in(atom.dst)};
  if (words[0] != "UniversalCopy" && words[0] != "SM80")
    throw undefined(name + " does not let its threads say where they access shared memory");
  return {size(atom.src), std::nullopt};
}

}  // namespace colex::ref
