// The one table of all laws.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"

#include "spec/laws/algebra.hpp"
#include "spec/laws/atoms.hpp"
#include "spec/laws/coordinates.hpp"
#include "spec/laws/making.hpp"
#include "spec/laws/partitions.hpp"
#include "spec/laws/tiled_copy.hpp"
#include "spec/laws/tiled_mma.hpp"

namespace colex {

std::vector<law> const& laws() {
  static std::vector<law> const all = [] {
    std::vector<law> out(std::begin(coordinate_laws), std::end(coordinate_laws));
    out.insert(out.end(), std::begin(making_laws), std::end(making_laws));
    out.insert(out.end(), std::begin(algebra_laws), std::end(algebra_laws));
    out.insert(out.end(), std::begin(atom_laws), std::end(atom_laws));
    out.insert(out.end(), std::begin(partition_laws), std::end(partition_laws));
    out.insert(out.end(), std::begin(tiled_mma_laws), std::end(tiled_mma_laws));
    out.insert(out.end(), std::begin(tiled_copy_laws), std::end(tiled_copy_laws));
    return out;
  }();
  return all;
}

}  // namespace colex
