// The one table of all laws.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws.hpp"

#include "spec/laws_algebra.hpp"
#include "spec/laws_atoms.hpp"
#include "spec/laws_coordinates.hpp"
#include "spec/laws_making.hpp"
#include "spec/laws_tilings.hpp"

namespace colex {

std::vector<law> const& laws() {
  static std::vector<law> const all = [] {
    std::vector<law> out(std::begin(coordinate_laws), std::end(coordinate_laws));
    out.insert(out.end(), std::begin(making_laws), std::end(making_laws));
    out.insert(out.end(), std::begin(algebra_laws), std::end(algebra_laws));
    out.insert(out.end(), std::begin(atom_laws), std::end(atom_laws));
    out.insert(out.end(), std::begin(tiling_laws), std::end(tiling_laws));
    return out;
  }();
  return all;
}

}  // namespace colex
