// MMA atoms of a warp: mma.m8n8 and mma.m16n8 of SM75, SM80, SM89 and SM90.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/mma_fragment.hpp"

namespace colex::ref {

// The shapes there are of these elements (PTX ISA, mma, table of shapes).
struct warp_shapes {
  char const *arch, *kind, *shapes;
};
inline warp_shapes const all_warp_shapes[] = {{"SM75", "F16", "16x8x8"},
                                              {"SM75", "int8", "8x8x16"},
                                              {"SM80", "F16", "16x8x8 16x8x16"},
                                              {"SM80", "BF16", "16x8x8 16x8x16"},
                                              {"SM80", "TF32", "16x8x4 16x8x8"},
                                              {"SM80", "F64", "8x8x4"},
                                              {"SM80", "int8", "8x8x16 16x8x16 16x8x32"},
                                              {"SM80", "int4", "8x8x32 16x8x32 16x8x64"},
                                              {"SM80", "int1", "8x8x128 16x8x128 16x8x256"},
                                              {"SM89", "float8", "16x8x32"},
                                              {"SM90", "F64", "16x8x4 16x8x8 16x8x16"}};

inline void need_warp_shape(atom_name const& n, element const& of) {
  for (warp_shapes const& s : all_warp_shapes)
    if (n.words[0] == s.arch && of.kind == s.kind && holds_word(s.shapes, n.word(1))) return;
  n.wrong(n.words[0] + " has no " + n.word(1) + " of " + n.word(2));
}
inline void need_warp_suffix(atom_name const& n, element const& of) {
  bool const integers = of.kind == "int8" || of.kind == "int4";
  std::string const more = n.word(4);
  if (n.word(3) != "TN") n.wrong("A of a warp's mma is row-major, B column-major: TN belongs behind the elements");
  if (of.kind == "int1" ? more != "XORPOPC" && more != "ANDPOPC" : !more.empty() && !(integers && more == "SATURATE"))
    n.wrong(of.kind == "int1" ? "XORPOPC or ANDPOPC belongs behind TN" : "'" + more + "' does not belong behind TN");
  if (n.words.size() > 5 || !n.arguments.empty()) n.wrong("nothing follows the name of a warp's mma");
}

// CuTe writes the only mode of a 4-bit operand as a tuple of one.
inline layout warp_operand(int rows, int columns, int bits) {
  layout f = fragment(rows, columns, run_of(bits));
  if (bits == 4 && f.modes[1].is_leaf) f.modes[1] = layout(std::vector<layout>{f.modes[1]});
  return f;
}
inline mma_atom warp_atom(std::array<int, 3> const& mnk, int bits) {
  auto const [m, n, k] = mnk;
  return {shape_value(mnk), layout(32, 1), warp_operand(m, k, bits), warp_operand(n, k, bits), fragment(m, n, 2), {}, {}, {}};
}
inline mma_atom warp_mma(atom_name const& n) {
  std::array<int, 3> const mnk = shape_in(n, n.word(1));
  element const of = elements_in(n, n.word(2), true);
  need_warp_shape(n, of);
  need_warp_suffix(n, of);
  return warp_atom(mnk, of.bits);
}

}  // namespace colex::ref
