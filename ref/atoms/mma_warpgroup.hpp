// MMA atoms of a warpgroup: wgmma of SM90, dense and sparse, A in shared memory (SS) or in registers (RS).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/mma_fragment.hpp"

namespace colex::ref {

// Four warps, 16 rows each (PTX ISA, Register Fragments for wgmma). CuTe keeps an accumulator's last mode at extent 1.
inline layout warpgroup_fragment(std::vector<layout> values, int run) {
  layout lanes = quads(64, run);
  lanes.modes.emplace_back(4, 16);
  return layout({lanes, layout(std::move(values))});
}
// What descriptors describe, every thread sees.
inline layout seen_by_all(int rows, int columns) { return layout({layout(128, 0), layout({{rows, 1}, {columns, rows}})}); }

// Which half of the columns a lane has the metadata of, and which rows (PTX ISA, Sparsity in wgmma). Of elements of 8 bits
// the four lanes of a quad hold two halves of two rows; of wider ones two lanes hold both rows and two repeat them.
inline layout warpgroup_metadata(int columns, int bits) {
  int const half = columns / 2;
  if (bits == 8) return layout({layout({{2, 8}, {2, half * 64}, {8, 1}, {4, 16}}), layout(std::vector<layout>{{half, 64}})});
  return layout({layout({{2, half * 64}, {2, 0}, {8, 1}, {4, 16}}), layout({{half, 64}, {2, 8}})});
}

inline void need_warpgroup_shape(atom_name const& n, std::array<int, 3> const& mnk, element const& of, bool sparse) {
  int const k = 256 / of.bits * (sparse ? 2 : 1);
  if (mnk[0] != 64) n.wrong("M of a wgmma is 64");
  if (mnk[1] % 8 != 0 || mnk[1] > 256) n.wrong("N of a wgmma is a multiple of 8 up to 256");
  if (of.kind == "int8" && mnk[1] != 8 && mnk[1] != 24 && mnk[1] % 16 != 0)
    n.wrong("N of a wgmma of integers is 8, 24 or a multiple of 16");
  if (mnk[2] != k)
    n.wrong("K of a " + std::string(sparse ? "sparse" : "dense") + " wgmma of " + n.word(2) + " is " + std::to_string(k));
}
// Only elements of 16 bits may be stored M- or N-major; a transposed A cannot come from registers.
inline void need_majors(atom_name const& n) {
  if (n.arguments.empty()) return;
  for (std::string const& major : n.arguments)
    if (major != "K" && major != "MN") n.wrong("'" + major + "' is neither K nor MN");
  if (n.arguments.size() != 2 || (n.word(3) == "RS" && n.arguments[0] != "K"))
    n.wrong("<major of A,major of B>; A in registers is K-major");
}
inline void need_warpgroup_suffix(atom_name const& n, element const& of) {
  bool const wide = of.bits == 16;
  std::size_t const end = wide ? 4 : n.word(5) == "SATURATE" && of.kind == "int8" ? 6 : 5;
  if (n.word(3) != "SS" && n.word(3) != "RS") n.wrong("SS or RS, where A lies, belongs behind the elements");
  if (!wide && (n.word(4) != "TN" || !n.arguments.empty()))
    n.wrong("elements of other than 16 bits are K-major: _TN, and no <>");
  if (n.words.size() != end) n.wrong("'" + n.words.back() + "' does not belong at the end");
  need_majors(n);
}

inline mma_atom warpgroup_mma(atom_name const& n) {
  bool const sparse = n.words[0] != "SM90";
  std::array<int, 3> const mnk = shape_in(n, n.word(1));
  element const of = elements_in(n, n.word(2), false);
  if (of.bits != 16 && of.kind != "TF32" && of.kind != "int8" && of.kind != "float8")
    n.wrong("wgmma does not multiply " + of.name);
  need_warpgroup_shape(n, mnk, of, sparse);
  need_warpgroup_suffix(n, of);
  auto const [m, columns, k] = mnk;
  int const run = run_of(of.bits) * (sparse ? 2 : 1);
  layout const a = n.word(3) == "SS" ? seen_by_all(m, k) : warpgroup_fragment(without_ones(quad_values(m, k, run, 16)), run);
  mma_atom atom{shape_value(mnk),
                layout(128, 1),
                a,
                seen_by_all(columns, k),
                warpgroup_fragment(quad_values(m, columns, 2, 16), 2),
                {},
                {},
                {}};
  if (sparse) atom.e = warpgroup_metadata(k, of.bits);
  return atom;
}

}  // namespace colex::ref
