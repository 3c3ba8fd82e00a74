// The layouts of an atom by the names that CuTe's traits give them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/copy_atom.hpp"
#include "ref/atoms/mma_atom.hpp"

namespace colex::ref {

inline constexpr char const mma_fields[] = "Shape_MNK ThrID ALayout BLayout CLayout SFALayout SFBLayout ELayout",
                            copy_fields[] = "ThrID SrcLayout DstLayout RefLayout";

// What only some atoms have; of tcgen05.mma it lies in tensor memory, where no thread holds it.
inline layout const& held(std::optional<layout> const& l, std::string const& name, char const* what) {
  if (!l) throw undefined("no thread holds " + std::string(what) + " for " + name);
  return *l;
}
// A field that there is not, at its place.
[[noreturn]] inline void throw_no_field(std::string const& field, char const* fields) {
  throw wrong_value(word_of(field), "'" + field + "' is none of " + fields);
}
inline value mma_atom_field(std::string const& name, std::string const& field) {
  mma_atom const a = mma_atom_of(name);
  if (field == "Shape_MNK") return a.shape_mnk;
  if (field == "ThrID") return to_value(a.thr_id);
  if (field == "ALayout") return to_value(a.a);
  if (field == "BLayout") return to_value(a.b);
  if (field == "CLayout") return to_value(a.c);
  if (field == "SFALayout") return to_value(held(a.sfa, name, "scale factors"));
  if (field == "SFBLayout") return to_value(held(a.sfb, name, "scale factors"));
  if (field == "ELayout") return to_value(held(a.e, name, "metadata"));
  throw_no_field(field, mma_fields);
}
inline value copy_atom_field(std::string const& name, std::string const& field) {
  copy_atom const a = copy_atom_of(name);
  if (field == "ThrID") return to_value(a.thr_id);
  if (field == "SrcLayout") return to_value(a.src);
  if (field == "DstLayout") return to_value(a.dst);
  if (field == "RefLayout") return to_value(a.ref);
  throw_no_field(field, copy_fields);
}

}  // namespace colex::ref
