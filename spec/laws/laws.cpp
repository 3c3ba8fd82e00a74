// The one table of all laws.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"

namespace colex {

std::vector<law> const& laws() {
  static std::vector<law> const all = [] {
    std::vector<law> out;
    for (auto const group : {coordinate_laws(), making_laws(), simplifying_laws(), algebra_laws(), solving_laws(), f2_laws(),
                             atom_laws(), partition_laws(), tiled_mma_laws(), tiled_copy_laws(), fold_laws()})
      out.insert(out.end(), group.begin(), group.end());
    return out;
  }();
  return all;
}

}  // namespace colex
