// The values of a layout as a grid, mode 0 downwards: the pictures of the page. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace colex {

struct grid {
  std::size_t rows = 1;
  std::vector<std::string> cells;  // by index
};

// Of the layout that the text is; nothing when it is none, or too large.
std::optional<grid> grid_of(std::string const& text);
// Of what a composition must be, be it a layout or not.
std::optional<grid> grid_of_composition(std::string const& asked);

}  // namespace colex
