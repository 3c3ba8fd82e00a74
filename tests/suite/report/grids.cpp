// The values of a layout as a grid: see grids.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/grids.hpp"

#include "spec/notation/lines.hpp"
#include "spec/notation/meaning.hpp"

namespace colex {

namespace {

constexpr std::size_t most_cells = 512, most_rows = 32, most_text = 4096;

template <class F>
std::optional<grid> tabulated(value const& domain, F f) {
  value const& layout = domain.is(kind::composed) ? domain.items.back() : domain;
  if (!layout.is(kind::layout)) return {};
  integer const all = size(domain),
                first = layout.shape().is(kind::tuple) && layout.shape().items.size() > 1 ? size(mode(layout, 0)) : integer(1);
  if (all > most_cells || first > most_rows) return {};
  grid g{static_cast<std::size_t>(first), {}};
  for (integer i = 0; i < all; ++i) g.cells.push_back(print(f(i)));
  return g;
}

// f of a text that may be anything.
template <class F>
std::optional<grid> of_text(std::string const& text, F f) try {
  return text.size() > most_text ? std::nullopt : f(text);
} catch (std::exception const&) {
  return {};
}

}  // namespace

std::optional<grid> grid_of(std::string const& text) {
  return of_text(text, [](std::string const& t) {
    value const v = parse(t);
    return tabulated(v, [&](integer const& i) { return value_at(v, i); });
  });
}

std::optional<grid> grid_of_composition(std::string const& asked) {
  return of_text(asked, [](std::string const& t) -> std::optional<grid> {
    request const r = parse_request(t);
    if (r.op != "composition" || r.args.size() != 2) return {};
    return tabulated(r.args[1], [&](integer const& i) { return value_at(r.args[0], value_at(r.args[1], i).number); });
  });
}

}  // namespace colex
