// MMA atoms by name: a family of instructions is one formula of what its names say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/mma_scaled.hpp"
#include "ref/atoms/mma_simt.hpp"
#include "ref/atoms/mma_umma.hpp"
#include "ref/atoms/mma_warp.hpp"
#include "ref/atoms/mma_warpgroup.hpp"

namespace colex::ref {

// The atom that a name of CuTe stands for (`SM80_16x8x16_F32F16F16F32_TN`). Malformed: the name says what no instruction does.
// Source: PTX ISA, Warp-Level Matrix Instructions, Asynchronous Warpgroup Level Matrix Instructions, TensorCore 5th Generation.
inline mma_atom mma_atom_of(std::string const& name) {
  atom_name const n = parse_atom_name(name);
  std::string const first = n.words[0], second = n.word(1);
  if (first == "UniversalFMA") return universal_fma(n);
  if (first == "SM61") return dot_product(n);
  if (first == "SM70") return quad_pair(n);
  if (first == "SM75" || first == "SM80" || first == "SM89" || (first == "SM90" && second.starts_with("16x")))
    return warp_mma(n);
  if (first == "SM90" || first == "SM90::GMMA::SPARSE::GMMA") return warpgroup_mma(n);
  if (first == "SM100" && !second.starts_with("MMA")) return packed_fma(n);
  if (first == "SM100" || first == "SM103") return umma(n);
  if (first == "SM120") return narrow_mma(n);
  n.wrong("'" + first + "' begins no name of an MMA atom");
}

}  // namespace colex::ref
