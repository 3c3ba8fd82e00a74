// A linear map over F2: its matrix of bits, and its values: see picture.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/panel.hpp"

namespace colex {
namespace {

// Powers of two, as many as there are bits.
std::vector<std::string> bit_names(std::size_t bits) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < bits; ++k) out.push_back((integer(1) << k).str());
  return out;
}
// A row for each bit of a value, a column for each bit of an index.
panel matrix_panel(std::vector<integer> const& bases, integer const& width) {
  panel p = empty_panel("bits", "the bits of the bases", value(width), value(integer(bases.size())));
  p.row_names = bit_names(p.rows);
  p.column_names = bit_names(p.columns);
  p.row_axis = "bit of the value";
  p.column_axis = "bit of the index";
  for (std::size_t c = 0; c < p.columns; ++c)
    for (std::size_t r = 0; r < p.rows; ++r) {
      bool const set = mp::bit_test(bases[c], static_cast<unsigned>(r));
      p.at(r, c) = {set ? "1" : "0", set ? "1" : "0", set ? static_cast<int>(r) % hues : no_colour, false};
    }
  return p;
}
// Mode 0 down, the others across.
panel table_panel(value const& map, std::vector<integer> const& bases) {
  value const s = f2_shape(map.items[1]);
  bool const flat = !s.is(kind::tuple);
  value const rows = flat ? value(1) : s.items[0],
              columns = flat ? s : tuple_of(std::vector<value>(s.items.begin() + 1, s.items.end()));
  panel p = empty_panel("values", "its values", rows, rank(columns) == 1 && !flat ? columns.items[0] : columns);
  if (!flat) name_axes(p, s);
  for (std::size_t c = 0; c < p.columns; ++c)
    for (std::size_t r = 0; r < p.rows; ++r) {
      integer const n = f2_at(bases, integer(c * p.rows + r));
      p.at(r, c) = {n.str(), n.str(), hue_of(n), false};
    }
  p.place_column = 1;
  return p;
}

}  // namespace

picture picture_of_map(std::string const& title, value const& map) {
  std::vector<integer> const bases = f2_bases(map);
  if (bases.empty() || map.items[0].number == 0) throw not_drawn(print(map) + " has no bits to draw");
  check_cells(size(map));
  return {title, {matrix_panel(bases, map.items[0].number), table_panel(map, bases)}};
}

}  // namespace colex
