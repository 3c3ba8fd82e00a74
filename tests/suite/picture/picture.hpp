// What is in each cell of a picture: values, threads, tiles or banks, and in which colour. Knows nothing of paper: render.hpp
// does. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <optional>

namespace colex {

// A colour is a hue, and a shade of it where hues are too few: hue + hues * shade.
inline constexpr int hues = 8, shades = 4, no_colour = -1;

struct cell {
  std::string label;  // '\n' between its lines; empty: nothing is here
  std::string owner;  // the thread, tile or value that the cell belongs to
  int colour = no_colour;
  bool faded = false;  // something else is highlighted
};

// A grid of cells. Panels stand in a grid of their own: B above C, A left of it.
struct panel {
  std::string name, title;
  std::size_t rows = 0, columns = 0, place_row = 0, place_column = 0;
  std::vector<cell> cells;  // row by row
  std::vector<std::string> row_names, column_names;
  std::string row_axis, column_axis;  // what rows and columns count
  // The shape whose coordinates name cells, mode 0 down, or across where `transposed`; the index of the first cell in it; and
  // the letters of its modes where these are two of m, n, k.
  value domain;
  bool transposed = false;
  std::size_t first = 0;
  std::string letters;

  cell& at(std::size_t r, std::size_t c) { return cells[r * columns + c]; }
  cell const& at(std::size_t r, std::size_t c) const { return cells[r * columns + c]; }
};

// What colours mean: a caption, and colours with a word for each.
struct legend_line {
  std::string caption;
  std::vector<std::pair<int, std::string>> swatches;
};

struct picture {
  std::string title;
  std::vector<panel> panels;
  std::vector<legend_line> legend = {};
};

struct picture_options {
  std::vector<std::string> highlight;  // threads, tiles or values, by number; elements and slices, by coordinate
  std::vector<std::string> only;       // panels, by name
  int bank_bits = 0;                   // colour by bank of shared memory, elements of that many bits; 0: as the layout suggests
  bool slices = false;                 // a panel for each coordinate of the modes behind the second, instead of folding them
  int element_bits = 0;                // of elements, where `bank_bits` does not say it; 0: 32
};

// What there is not to draw, or too much of it.
struct not_drawn : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace colex
