// MMA atoms of a warp on the narrow floating types (SM120), dense, sparse, with scaled blocks; the types that blocks scale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/mma_fragment.hpp"

namespace colex::ref {

inline std::string const narrow_floats = "float_e4m3_t float_e5m2_t float_e3m2_t float_e2m3_t float_e2m1_t";

// <A,B,C,...>
inline void need_types(atom_name const& n, std::string const& types, std::string const& accumulators) {
  for (std::size_t i : {0, 1})
    if (!holds_word(types, n.arguments[i])) n.wrong("'" + n.arguments[i] + "' as " + "AB"[i] + " is none of " + types);
  if (!holds_word(accumulators, n.arguments[2])) n.wrong("'" + n.arguments[2] + "' as C is none of " + accumulators);
}
// One factor scales 32 elements of a row, of 4-bit elements 16 or 32, twice as many where half are zero (PTX ISA, Block
// Scaling).
inline void need_scales(atom_name const& n, bool four_bit, std::string const& length, bool sparse) {
  std::string const type = n.arguments[3], longer = sparse ? "64" : "32", shorter = sparse ? "32" : "16";
  if (type != "float_ue8m0_t" && !(four_bit && type == "float_ue4m3_t")) n.wrong("'" + type + "' as scale factor");
  if (!length.empty() && !(length == longer && type == "float_ue8m0_t") && !(four_bit && length == shorter))
    n.wrong("'" + length + "' elements for one " + type);
}

// Factors of a row lie in one lane of each quad, in two quarters of a warp for two halves of 16 rows; the others repeat them.
inline layout scale_factors_a(int k) { return layout({layout({{2, 8}, {2, 0}, {8, 1}}), layout(k, 16)}); }
inline layout scale_factors_b(int k) { return layout({layout({{4, 0}, {8, 1}}), layout(k, 8)}); }
// Lane t of a quad has the metadata of one half of a row's columns, of one row of two 8 apart (PTX ISA, Sparse Matrix Storage).
inline layout warp_metadata(int k, bool four_bit) {
  layout const half(k / 2, 16);
  return layout({layout({{2, 8}, {2, k / 2 * 16}, {8, 1}}), four_bit ? layout(std::vector<layout>{half}) : half});
}

// SM120[_SPARSE]_16x8xK_TN[_VS]<A,B,C[,SF,VS]>: K is 32 for elements in bytes, 64 for 4-bit ones, twice that if A is sparse.
inline mma_atom narrow_mma(atom_name const& n) {
  bool const sparse = n.word(1) == "SPARSE";
  std::size_t const at = sparse ? 2 : 1;
  bool const scaled = n.word(at + 2) == "VS";
  std::array<int, 3> const mnk = shape_in(n, n.word(at));
  int const k = mnk[2], times = sparse ? 2 : 1;
  bool const four_bit = scaled && k == 64 * times;
  if (mnk[0] != 16 || mnk[1] != 8 || (k != 32 * times && !four_bit))
    n.wrong("SM120 has no " + n.word(at) + (sparse ? ", sparse" : ", dense"));
  if (n.word(at + 1) != "TN" || n.words.size() != at + (scaled ? 3 : 2))
    n.wrong("TN, and VS where blocks are scaled, ends a name of SM120");
  if (n.arguments.size() != (scaled ? 5 : 3)) n.wrong(scaled ? "<A,B,C,SF,VS> belongs behind VS" : "<A,B,C> belongs behind TN");
  need_types(n, four_bit ? "float_e2m1_t" : narrow_floats, scaled ? "float" : "float half_t");
  if (scaled) need_scales(n, four_bit, n.arguments[4], sparse);
  int const run = four_bit ? 8 : 4;
  mma_atom atom{
      shape_value(mnk), layout(32, 1), fragment(16, k, run * times), fragment(8, k, run), fragment(16, 8, 2), {}, {}, {}};
  if (scaled) atom.sfa = scale_factors_a(k), atom.sfb = scale_factors_b(k);
  if (sparse) atom.e = warp_metadata(k, four_bit);
  return atom;
}

}  // namespace colex::ref
