// Empty panels with their names, every value of a layout, and how much can be drawn. Only picture*.cpp include this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/tiling_arguments.hpp"
#include "tests/suite/picture/picture.hpp"

#include <fmt/format.h>

namespace colex {

inline constexpr std::size_t max_side = 1024, max_cells = std::size_t{1} << 18;

// ---- values ----

// Every value of a layout in order of its index: each leaf repeats what is there, shifted.
inline std::vector<point> values_of(ref::layout const& a, point const& offset = {}) {
  std::vector<point> out{offset};
  for (ref::layout const& leaf : leaves(a)) {
    std::size_t const n = out.size();
    for (integer i = 1; i < leaf.extent; ++i)
      for (std::size_t k = 0; k < n; ++k) out.push_back(out[k] + i * leaf.stride);
  }
  return out;
}

inline void check_most(integer const& n, char const* what, std::size_t most) {
  std::string const many = n > integer(1) << 64 ? "more than 2^64" : n.str();
  if (n > most) throw not_drawn(fmt::format("{} {} are too many to draw: {} at most", many, what, most));
}
inline std::size_t drawable(integer const& n, char const* what) {
  check_most(n, what, max_side);
  return static_cast<std::size_t>(n);
}
inline void check_cells(integer const& n) { check_most(n, "elements", max_cells); }

// ---- panels ----

// The name of row or column i: the number, and the coordinate under it where the mode has parts.
inline std::vector<std::string> names_of(value const& shape) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < size(shape); ++i) {
    out.push_back(std::to_string(i));
    if (shape.is(kind::tuple)) out.back() += "\n" + print(ref::idx2crd(value(integer(i)), shape));
  }
  return out;
}

// Rows and columns of a tensor of that shape: mode 0, and what is behind it.
inline void name_axes(panel& p, value const& domain, std::size_t first = 0) {
  p.domain = domain;
  p.first = first;
  if (!domain.is(kind::tuple) || domain.items.size() < 2) return;
  p.row_axis = "mode 0";
  p.column_axis = domain.items.size() == 2 ? "mode 1" : "modes 1 on";
}

inline panel empty_panel(std::string name, std::string title, value const& row_shape, value const& column_shape) {
  panel p;
  p.name = std::move(name);
  p.title = std::move(title);
  p.rows = drawable(size(row_shape), "rows");
  p.columns = drawable(size(column_shape), "columns");
  check_cells(size(row_shape) * size(column_shape));
  p.cells.resize(p.rows * p.columns);
  p.row_names = names_of(row_shape);
  p.column_names = names_of(column_shape);
  return p;
}

inline int hue_of(integer const& n) { return static_cast<int>((n % hues + hues) % hues); }

// The picture of an atom, or nothing for a name that no atom has.
std::optional<picture> picture_of_atom(std::string const& name, picture_options const& asked);
// The matrix of bits of a linear map, and its values beside it.
picture picture_of_map(std::string const& title, value const& map);
// The picture of one of the forms of make_picture, or nothing where the request is none.
std::optional<picture> picture_of_form(request const& r, picture_options const& asked);

}  // namespace colex
