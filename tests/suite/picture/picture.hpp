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

  cell& at(std::size_t r, std::size_t c) { return cells[r * columns + c]; }
  cell const& at(std::size_t r, std::size_t c) const { return cells[r * columns + c]; }
};

struct picture {
  std::string title;
  std::vector<panel> panels;
};

struct picture_options {
  std::vector<std::string> highlight;  // threads or tiles, by number
  std::vector<std::string> only;       // panels, by name
  int bank_bits = 0;                   // colour by bank of shared memory, elements of that many bits; 0: as the layout suggests
  bool slices = false;                 // a panel for each coordinate of the modes behind the second, instead of folding them
};

// What there is not to draw, or too much of it.
struct not_drawn : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The picture of a value, an atom's name, an operation's answer, or one of these forms:
//   tv TV SHAPE · tiled_mma ATOM THR T · tiled_copy COPY TYPE THR VAL · permutations SIZE THREADS PERMUTATION...
//   partition_A|B|C ATOM THR T A · partition_S|D COPY TYPE THR VAL A · local_partition A THR [proj] · local_tile A T
// A partition without its thread, a tile without its coordinate: all of them, each element with whom it belongs to.
// Throws malformed, not_drawn, and what the reference throws where the operation is undefined.
picture make_picture(std::string const& line, picture_options const& asked);

}  // namespace colex
