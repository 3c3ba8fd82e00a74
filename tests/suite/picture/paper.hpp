// Where everything goes on paper, in pixels: what SVG and LaTeX have in common. What reads a picture off the
// paper includes this, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/labels.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace colex {

inline constexpr int letter = 7, line_height = 13, gap = 22;

struct place {
  panel const* what;
  int x, y;  // of its first cell
};
// A caption of the legend, or a swatch with its word.
struct key {
  int x, y, colour;
  std::string text;
};
inline constexpr int swatch = 14, narrow_letter = 5;  // letters of a block's name are smaller

class paper {
 public:
  explicit paper(picture const& p) : of(p), with_labels(labelled(p)) {
    bool const one_row = most(p.panels, [](panel const& x) { return x.rows; }) == 1;
    int const letters = std::max(most(p.panels, label_width), most(p.panels, column_name_width));
    cell_width = with_labels ? std::max(26, letter * letters + 8) : one_row ? 8 : 6;
    cell_height = with_labels ? std::max(24, line_height * most(p.panels, label_height) + 8) : one_row ? 24 : 6;
    arrange();
  }

  picture const& of;
  bool with_labels;
  int cell_width, cell_height, width = 0, height = 0;
  std::vector<place> places;
  std::vector<key> keys;

  // Every how many rows or columns bear their name.
  std::size_t every(int extent) const { return with_labels ? 1 : extent * 4 < 32 ? 16 : 4; }

 private:
  void arrange() {
    std::map<std::size_t, int> left, top, across, down;  // room for names, room for cells
    for (panel const& x : of.panels) {
      grow(left[x.place_column], letter * std::max(row_name_width(x), length_of(x.row_axis)) + 8);
      grow(top[x.place_row], line_height * (column_name_height(x) + !x.title.empty()) + 8);
      grow(across[x.place_column], std::max(static_cast<int>(x.columns) * cell_width +
                                                (x.column_axis.empty() ? 0 : letter * length_of(x.column_axis) + 8),
                                            letter * length_of(x.title)));
      grow(down[x.place_row], static_cast<int>(x.rows) * cell_height);
    }
    std::map<std::size_t, int> const xs = starts(left, across, gap / 2, width),
                                     ys = starts(top, down, gap / 2 + line_height + 8, height);
    width = std::max(width, letter * length_of(of.title) + gap);
    for (panel const& x : of.panels) places.push_back({&x, xs.at(x.place_column), ys.at(x.place_row)});
    for (legend_line const& line : of.legend) add_keys(line);
  }
  // A line of the legend below all else; words that do not fit go on in the next.
  void add_keys(legend_line const& line) {
    width = std::max(width, letter * length_of(line.caption) + gap);
    int x = gap / 2, y = height + swatch;
    keys.push_back({x, y, no_colour, line.caption});
    y += swatch + 6;
    for (auto const& [colour, word] : line.swatches) {
      int const room = swatch + 5 + letter * length_of(word) + 10;
      if (x > gap / 2 && x + room > width) x = gap / 2, y += swatch + 6;
      keys.push_back({x, y, colour, word});
      x += room;
    }
    height = y + swatch;
  }
  static void grow(int& x, int to) { x = std::max(x, to); }
  static std::map<std::size_t, int> starts(std::map<std::size_t, int> const& before, std::map<std::size_t, int> const& extent,
                                           int at, int& end) {
    std::map<std::size_t, int> out;
    for (auto const& [k, room] : before) {
      out[k] = at + room;
      at += room + extent.at(k) + gap;
      end = at - gap / 2;
    }
    return out;
  }
};

// The cells that look alike and belong together, as rectangles of whole runs.
struct area {
  std::string owner;
  int colour;
  bool faded;
  bool operator==(area const&) const = default;
  bool operator<(area const& a) const { return std::tie(owner, colour, faded) < std::tie(a.owner, a.colour, a.faded); }
};
struct rectangle {
  int x, y, width, height;
};
using areas = std::vector<std::pair<area, std::vector<rectangle>>>;

inline area area_at(panel const& x, std::size_t r, std::size_t c) {
  cell const& here = x.at(r, c);
  return {here.owner, here.colour, here.faded};
}
inline rectangle rectangle_at(paper const& on, place const& at, std::size_t r, std::size_t c, std::size_t rows,
                              std::size_t columns) {
  return {at.x + static_cast<int>(c) * on.cell_width, at.y + static_cast<int>(r) * on.cell_height,
          static_cast<int>(columns) * on.cell_width, static_cast<int>(rows) * on.cell_height};
}
// Of all panels: what belongs together is one area wherever it stands.
inline areas areas_of(paper const& on) {
  areas out;
  std::map<area, std::size_t> index;
  for (place const& at : on.places)
    for (std::size_t r = 0; r < at.what->rows; ++r)
      for (std::size_t c = 0, run; c < at.what->columns; c += run) {
        panel const& x = *at.what;
        area const a = area_at(x, r, c);
        for (run = 1; c + run < x.columns && area_at(x, r, c + run) == a;) ++run;
        if (x.at(r, c).label.empty()) continue;
        std::size_t const k = index.try_emplace(a, out.size()).first->second;
        if (k == out.size()) out.push_back({a, {}});
        out[k].second.push_back(rectangle_at(on, at, r, c, 1, run));
      }
  return out;
}

// The rows and columns of the block of one owner's cells that begins at (r, c), as far as nothing of it is taken.
inline std::pair<std::size_t, std::size_t> block_at(panel const& x, std::vector<bool> const& taken, std::size_t r,
                                                    std::size_t c) {
  auto const free = [&](std::size_t i, std::size_t j) {
    return !taken[i * x.columns + j] && x.at(i, j).owner == x.at(r, c).owner;
  };
  std::size_t rows = 1, columns = 1;
  while (c + columns < x.columns && free(r, c + columns)) ++columns;
  auto const row_is_free = [&](std::size_t i) {
    std::size_t j = c;
    while (j < c + columns && free(i, j)) ++j;
    return j == c + columns;
  };
  while (r + rows < x.rows && row_is_free(r + rows)) ++rows;
  return {rows, columns};
}
// f(x, y, cell) for each block of cells of one owner that has room for its name, where cells are too small for labels: x and y
// its middle.
template <class F>
void each_block(paper const& on, place const& at, F f) {
  panel const& x = *at.what;
  std::vector<bool> taken(x.cells.size());
  for (std::size_t k = 0; !on.with_labels && k < x.cells.size(); ++k) {
    if (taken[k] || x.cells[k].label.empty()) continue;
    std::size_t const r = k / x.columns, c = k % x.columns;
    auto const [rows, columns] = block_at(x, taken, r, c);
    for (std::size_t i = 0; i < rows; ++i)
      std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(k + i * x.columns), columns, true);
    rectangle const b = rectangle_at(on, at, r, c, rows, columns);
    bool const room = b.width > narrow_letter * length_of(x.cells[k].owner) && b.height > 9;
    if (room) f(b.x + b.width / 2, b.y + b.height / 2, x.cells[k]);
  }
}

// f(x, y, text, faded) for each line of each label: x the middle, y the middle of the line.
template <class F>
void each_label(paper const& on, place const& at, F f) {
  for (std::size_t r = 0; on.with_labels && r < at.what->rows; ++r)
    for (std::size_t c = 0; c < at.what->columns; ++c) {
      cell const& here = at.what->at(r, c);
      std::vector<std::string> const lines = lines_of(here.label);
      int const x = at.x + static_cast<int>(c) * on.cell_width + on.cell_width / 2, n = static_cast<int>(lines.size());
      int const y = at.y + static_cast<int>(r) * on.cell_height + on.cell_height / 2 - (n - 1) * line_height / 2;
      for (int k = 0; k < n && !here.label.empty(); ++k) f(x, y + k * line_height, lines[static_cast<std::size_t>(k)], here);
    }
}
// f(x, y, text, how) for the names: 'e' ends at x, 'm' has its middle there, 's' starts there; so do 'r' and 'c', the names of
// what rows and columns count.
template <class F>
void each_name(paper const& on, place const& at, F f) {
  panel const& p = *at.what;
  int const depth = column_name_height(p);
  int const last = at.y - 2 - line_height / 2;  // the names of columns end here
  if (!p.row_axis.empty()) f(at.x - 5, last, p.row_axis, 'r');
  if (!p.column_axis.empty()) f(at.x + static_cast<int>(p.columns) * on.cell_width + 6, last, p.column_axis, 'c');
  if (!p.title.empty()) f(at.x, at.y - depth * line_height - 8 - line_height / 2 + 2, p.title, 's');
  for (std::size_t c = 0; c < p.columns; c += on.every(on.cell_width)) {
    std::vector<std::string> const lines = lines_of(p.column_names[c]);
    for (std::size_t k = 0; k < lines.size(); ++k)
      f(at.x + static_cast<int>(c) * on.cell_width + on.cell_width / 2, last - (depth - 1 - static_cast<int>(k)) * line_height,
        lines[k], 'm');
  }
  for (std::size_t r = 0; r < p.rows; r += on.every(on.cell_height))
    f(at.x - 5, at.y + static_cast<int>(r) * on.cell_height + on.cell_height / 2, in_one_line(p.row_names[r]), 'e');
}
// f(x, y, dx, dy) for each line of the grid; only the frame where there are no labels.
template <class F>
void each_line(paper const& on, place const& at, F f) {
  int const rows = static_cast<int>(at.what->rows), columns = static_cast<int>(at.what->columns);
  for (int r = 0; r <= rows; r += on.with_labels ? 1 : rows) f(at.x, at.y + r * on.cell_height, columns * on.cell_width, 0);
  for (int c = 0; c <= columns; c += on.with_labels ? 1 : columns) f(at.x + c * on.cell_width, at.y, 0, rows * on.cell_height);
}

inline std::string hex_of(rgb const& c) { return fmt::format("{:02x}{:02x}{:02x}", c.r, c.g, c.b); }
// The name of an area's look: f for faded, w for no colour, c and its number otherwise.
inline std::string look_of(area const& a) {
  return a.faded ? "f" : a.colour == no_colour ? "w" : "c" + std::to_string(a.colour);
}
inline std::map<int, rgb> colours_of(picture const& p) {
  std::map<int, rgb> out;
  for (panel const& x : p.panels)
    for (cell const& c : x.cells)
      if (c.colour != no_colour) out.try_emplace(c.colour, colour_of(c.colour));
  for (legend_line const& line : p.legend)
    for (auto const& [colour, word] : line.swatches) out.try_emplace(colour, colour_of(colour));
  return out;
}

// A picture on paper, written out piece by piece.
class paper_writer {
 protected:
  paper on_;
  std::string out_;

  explicit paper_writer(picture const& p) : on_(p) {}
  template <class... A>
  void add(fmt::format_string<A...> form, A&&... a) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<A>(a)...);
  }
};

}  // namespace colex
