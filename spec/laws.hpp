// The laws as rows of C++ over any implementation. A row states what must hold of an implementation's answers; it
// computes nothing of the algebra itself. Hypotheses, sources and cases of each: laws.md, under the same name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws_algebra.hpp"
#include "spec/laws_coordinates.hpp"
#include "spec/laws_making.hpp"
#include "spec/laws_tilings.hpp"

namespace colex {

// All laws, in the order of laws.md: an operation's definition comes before what rests on it.
inline std::vector<law> const& laws() {
  static std::vector<law> const all = [] {
    std::vector<law> out(std::begin(coordinate_laws), std::end(coordinate_laws));
    out.insert(out.end(), std::begin(making_laws), std::end(making_laws));
    out.insert(out.end(), std::begin(algebra_laws), std::end(algebra_laws));
    out.insert(out.end(), std::begin(tiling_laws), std::end(tiling_laws));
    return out;
  }();
  return all;
}

}  // namespace colex
