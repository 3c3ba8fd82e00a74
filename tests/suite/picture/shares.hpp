// Who holds what: threads and tiles, their elements in a plane, and its panel. Only picture*.cpp include this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/panel.hpp"

#include <map>
#include <set>

namespace colex {

using ref::arguments, ref::composed, ref::layout, ref::operand;

// As in CuTe's own pictures: the four lanes that hold a row of a fragment have one hue, the next four the next, and each lane a
// shade of it. Each warp moves the hues on, so that threads that stand beside each other differ, also above each other in rows
// of 2, 4, ... 128.
inline constexpr int quad = shades, warp = quad * hues;
inline int colour_of_thread(integer const& t) {
  return static_cast<int>((t / quad + 3 * (t / warp)) % hues + hues * (t % quad));
}
// A hue a tile; eight later the next shade, four times that the hues begin elsewhere.
inline int colour_of_tile(integer const& k) { return static_cast<int>((k + k / warp * 3) % hues + hues * (k / hues % shades)); }

// What the colours of threads mean, as far as the first warp has them.
inline std::vector<legend_line> legend_of_threads(std::size_t threads) {
  legend_line hue{threads > warp ? "hue: four lanes, moved on from warp to warp" : "hue: four lanes", {}},
      shade{"shade: the lane of the four", {}};
  for (std::size_t t = 0; t < std::min<std::size_t>(threads, warp); t += quad)
    hue.swatches.emplace_back(colour_of_thread(t), fmt::format("T{}-{}", t, t + quad - 1));
  for (std::size_t t = 0; t < std::min<std::size_t>(threads, quad); ++t)
    shade.swatches.emplace_back(colour_of_thread(t), fmt::format("T{}", t));
  if (threads <= quad) return {};
  return {hue, shade};
}

// ---- who holds what ----

struct owner {
  integer number;
  std::string name;
};
inline owner thread(integer const& t) { return {t, "T" + t.str()}; }

inline bool holds_number(picture_options const& asked, integer const& n) {
  return std::find(asked.highlight.begin(), asked.highlight.end(), n.str()) != asked.highlight.end();
}

// What some threads, or one tile, hold, in the order of their values.
struct share {
  std::vector<owner> owners;
  std::vector<point> elements;
  bool tiles = false;
};

// Shares of threads that all hold `values`, each from a place of its own on: those that begin together have one share.
class shares_by_place {
 public:
  explicit shares_by_place(layout values) : values_(std::move(values)) { check_cells(size(values_)); }
  void add(integer const& t, point const& first) {
    std::size_t const k = index_.try_emplace(print(first), shares.size()).first->second;
    if (k == shares.size()) {
      check_cells(size(values_) * (shares.size() + 1));
      shares.push_back({{}, values_of(values_, first)});
    }
    shares[k].owners.push_back(thread(t));
  }
  std::vector<share> shares;

 private:
  layout values_;
  std::map<std::string, std::size_t> index_;
};

// Where an element lies: row + column * stride. Elements past the end are masked.
struct plane {
  value row_shape, column_shape;
  integer stride;
  bool transposed = false;  // B stands on its side above C
  value domain = tuple_of({row_shape, column_shape});
  std::string letters = {};  // of its modes, where they are two of m, n, k
};
// Far enough that rows past the end are no columns.
inline integer const far_apart = integer(1) << 40;

inline constexpr char const* operand_name[] = {"A", "B", "C"};

inline plane plane_of(value const& shape) {
  value const s = shape.is(kind::tuple) ? shape : tuple_of({value(1), shape});
  value const columns = s.items.size() == 2 ? s.items[1] : tuple_of(std::vector(s.items.begin() + 1, s.items.end()));
  return {s.items.at(0), columns, far_apart, false, shape};
}
inline plane lettered(plane where, operand x) {
  auto const [i, j] = ref::modes_of(x);
  where.letters = {"mnk"[i], "mnk"[j]};
  return where;
}
// The tensor whose values are places in the plane: compact in its rows, and in its columns far apart.
inline layout places(value const& shape) {
  check_cells(size(shape));
  if (!shape.is(kind::tuple)) return ref::with_strides(shape, [](integer const&) { return far_apart; });
  value const columns = tuple_of(std::vector(shape.items.begin() + 1, shape.items.end()));
  std::vector<layout> out{ref::make_layout_left(shape.items.at(0))};
  for (layout const& m : ref::make_layout_left(columns).modes)
    out.push_back(ref::replace_leaves(m, [](layout const& leaf) { return layout(leaf.extent, far_apart * leaf.stride); }));
  return layout(std::move(out));
}

class holders {
 public:
  holders(std::string const& name, plane const& where, picture_options const& asked)
      : where_(where),
        asked_(asked),
        panel_(empty_panel(name, name, where.transposed ? where.column_shape : where.row_shape,
                           where.transposed ? where.row_shape : where.column_shape)),
        count_(panel_.cells.size()),
        last_(panel_.cells.size(), nullptr) {
    name_axes(panel_, where.domain);
    panel_.transposed = where.transposed;
    panel_.letters = where.letters;
    if (!where.letters.empty()) panel_.row_axis = where.letters[0], panel_.column_axis = where.letters[1];
    if (where.transposed) std::swap(panel_.row_axis, panel_.column_axis);
  }

  void add(share const& s) {
    auto const highlighted = [&](owner const& x) { return holds_number(asked_, x.number); };
    auto const shown = std::find_if(s.owners.begin(), s.owners.end(), highlighted);
    bool const wanted = shown != s.owners.end();
    for (std::size_t v = 0; v < s.elements.size(); ++v)
      if (auto const at = index_of(s.elements[v])) hold(*at, s, v, wanted ? *shown : s.owners[0], wanted);
  }
  panel done() {
    panel_.title += fmt::format("{}{}x{}", panel_.name.empty() ? "" : " ", panel_.rows, panel_.columns);
    auto const [least, most] = std::minmax_element(count_.begin(), count_.end());
    if (*most > 1)
      panel_.title += fmt::format(", each in {}{} threads: the first is shown", *least == *most ? "" : "up to ", *most);
    if (masked_) panel_.title += fmt::format(", {} value{} past the end", masked_, masked_ == 1 ? " lies" : "s lie");
    return std::move(panel_);
  }

 private:
  plane where_;
  picture_options const& asked_;
  panel panel_;
  std::vector<std::size_t> count_;
  std::vector<share const*> last_;
  std::size_t masked_ = 0;

  std::optional<std::size_t> index_of(point const& p) {
    if (!p.is_integer()) throw not_drawn("place " + print(p) + " is no integer");
    integer const r = ref::natural(p.number, "place") % where_.stride, c = p.number / where_.stride;
    std::size_t const rows = where_.transposed ? panel_.columns : panel_.rows,
                      columns = where_.transposed ? panel_.rows : panel_.columns;
    if (r >= rows || c >= columns) return ++masked_, std::nullopt;
    std::size_t const row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c);
    return where_.transposed ? column * panel_.columns + row : row * panel_.columns + column;
  }
  void hold(std::size_t at, share const& s, std::size_t v, owner const& by, bool wanted) {
    cell& here = panel_.cells[at];
    if (last_[at] != &s) count_[at] += s.owners.size();
    last_[at] = &s;
    if (!here.label.empty() && !(wanted && here.faded)) return;
    here = {s.tiles ? by.name : by.name + "\nV" + std::to_string(v), by.name,
            s.tiles ? colour_of_tile(by.number) : colour_of_thread(by.number), !wanted && !asked_.highlight.empty()};
  }
};

inline panel panel_of(std::string const& name, plane const& where, std::vector<share> const& shares,
                      picture_options const& asked) {
  holders h(name, where, asked);
  for (share const& s : shares) h.add(s);
  return h.done();
}

// The numbers that a layout of threads gives, each once.
inline std::vector<integer> numbers_of(layout const& threads) {
  check_cells(size(threads));
  std::set<integer> out;
  for (point const& p : values_of(threads)) out.insert(ref::natural(p.number, "thread"));
  return {out.begin(), out.end()};
}

// By a layout (thread, value) -> place; logical thread t goes by the number that thr_id gives it.
inline std::vector<share> shares_of(layout const& tv, layout const& thr_id) {
  layout const threads = mode(tv, 0);
  check_cells(size(threads));
  shares_by_place out(mode(tv, 1));
  for (integer t = 0; t < size(threads); ++t) out.add(thr_id(t).number, threads(t));
  return out.shares;
}
inline std::vector<share> shares_of(layout const& tv) { return shares_of(tv, layout(size(mode(tv, 0)), 1)); }

inline panel placed(panel p, std::size_t row, std::size_t column) {
  p.place_row = row;
  p.place_column = column;
  return p;
}
inline void check_no_values(picture_options const& asked) {
  if (asked.bank_bits || asked.slices) throw not_drawn("--banks and --slices are for layouts, not for who holds what");
}
// How many threads its cells belong to, at most; 0 where they are tiles.
inline std::size_t threads_in(picture const& p) {
  std::size_t n = 0;
  for (panel const& x : p.panels)
    for (cell const& c : x.cells)
      if (c.owner.starts_with('T')) n = std::max<std::size_t>(n, std::stoul(c.owner.substr(1)) + 1);
  return n;
}
inline picture with_legend(picture p) {
  p.legend = legend_of_threads(threads_in(p));
  return p;
}

// ---- the forms ----

struct form_call {
  std::string title;
  arguments args;
  picture_options const& asked;
};

// Of tilings (picture_tilings.cpp): the pictures, and what one operand or side of a tensor is to the threads.
picture of_tiled_mma(std::string const& title, ref::tiled_mma const& t, picture_options const& asked);
picture of_tiled_copy(std::string const& title, ref::tiled_copy const& t, picture_options const& asked);
std::vector<share> shares_of(ref::tiled_mma const& t, operand x, layout const& tensor);
panel copy_tile_panel(std::string name, ref::tiled_copy const& t, layout const& target, value const& shape, std::size_t column,
                      picture_options const& asked);
// The phases of a warp's access to shared memory (picture_banks.cpp).
picture draw_phases(form_call const& f);

}  // namespace colex
