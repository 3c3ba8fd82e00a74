// Rows of words in columns. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace colex {

using rows = std::vector<std::vector<std::string>>;

// Each column flush right, two spaces before it. A row may end early.
inline std::string aligned(rows const& all) {
  std::vector<std::size_t> width(all[0].size());
  for (auto const& row : all)
    for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
  std::string out;
  for (auto const& row : all) {
    for (std::size_t k = 0; k < row.size(); ++k) out += fmt::format("  {:>{}}", row[k], width[k]);
    out += "\n";
  }
  return out;
}

}  // namespace colex
