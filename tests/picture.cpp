// What is in each cell: see picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "tests/picture.hpp"

#include "ref/answer.hpp"
#include "ref/bank_conflicts.hpp"
#include "ref/tiling_arguments.hpp"

#include <fmt/format.h>

#include <set>

namespace colex {
namespace {

using ref::arguments, ref::composed, ref::layout, ref::operand;

constexpr std::size_t max_side = 1024, max_cells = std::size_t{1} << 18;

// ---- values ----

// Every value of a layout in order of its index: each leaf repeats what is there, shifted.
std::vector<point> values_of(layout const& a, point const& offset = {}) {
  std::vector<point> out{offset};
  for (layout const& leaf : leaves(a)) {
    std::size_t const n = out.size();
    for (integer i = 1; i < leaf.extent; ++i)
      for (std::size_t k = 0; k < n; ++k) out.push_back(out[k] + i * leaf.stride);
  }
  return out;
}

void check(integer const& n, char const* what, std::size_t most) {
  std::string const many = n > integer(1) << 64 ? "more than 2^64" : n.str();
  if (n > most) throw not_drawn(fmt::format("{} {} are too many to draw: {} at most", many, what, most));
}
std::size_t drawable(integer const& n, char const* what) {
  check(n, what, max_side);
  return static_cast<std::size_t>(n);
}
void check_cells(integer const& n) { check(n, "elements", max_cells); }

// ---- panels ----

// The name of row or column i: the number, and the coordinate under it where the mode has parts.
std::vector<std::string> names_of(value const& shape) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < size(shape); ++i) {
    out.push_back(std::to_string(i));
    if (shape.is(kind::tuple)) out.back() += "\n" + print(ref::idx2crd(value(integer(i)), shape));
  }
  return out;
}

panel empty_panel(std::string name, std::string title, value const& row_shape, value const& column_shape) {
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

int hue_of(integer const& n) { return static_cast<int>((n % hues + hues) % hues); }
// Threads that stand beside each other differ, also above each other in rows of 2, 4, ... 128, and where 16 of them begin again.
int hue_of_thread(integer const& t) { return hue_of(t + 3 * (t / hues) + 6 * (t / (hues * hues))); }

// ---- a layout, a view, a swizzled layout ----

struct drawn_tensor {
  std::optional<value> swizzle;
  point offset;
  layout inner;
};

drawn_tensor tensor_from(value const& v) {
  if (v.is(kind::layout)) return {std::nullopt, {}, ref::from_value(v)};
  bool const swizzled = v.items.size() == 3;
  value const& offset = v.items[swizzled ? 1 : 0];
  return {swizzled ? std::optional(v.items[0]) : std::nullopt, offset.is(kind::tuple) ? point_of(offset) : point(offset), ref::from_value(v.items.back())};
}

// Modes of extent 1 say nothing where there are more than two.
layout without_ones(layout const& a) {
  std::vector<layout> m = modes(a);
  if (m.size() > 2) std::erase_if(m, [](layout const& x) { return size(x) == 1; });
  return ref::unwrapped(std::move(m));
}

int bank_colour(integer const& element, int bits) {
  integer const bank = element * bits / (8 * ref::bank_bytes) % ref::bank_count;
  return static_cast<int>(bank / shades + bank % shades * hues);
}
std::string bank_label(int colour) { return fmt::format("b{}", colour % hues * shades + colour / hues); }

cell value_cell(point const& p, drawn_tensor const& t, value const& codomain, int bits) {
  if (!p.is_integer() || has_basis(t.inner)) {
    std::string const text = print(ref::as_coordinate(p, codomain));
    return {text, text, no_colour, false};
  }
  integer const n = t.swizzle ? swizzled(*t.swizzle, ref::natural(p.number, "argument of a swizzle")) : p.number;
  std::string const text = n.str();
  if (!bits) return {text, text, hue_of(n), false};
  int const colour = bank_colour(ref::natural(n, "address"), bits);
  return {text + "\n" + bank_label(colour), bank_label(colour), colour, false};
}

// The extents of the codomain, the offset included: a coordinate prints as deep as that.
value codomain_of(drawn_tensor const& t) {
  layout reach = t.inner;
  std::vector<layout> parts{reach};
  t.offset.each([&](auto const& path, integer const& n) { parts.emplace_back(1, point(value(n, path))); });
  return ref::coshape(layout(parts));
}

// One panel of rows x columns, filled from `all` column by column.
panel value_panel(std::string title, drawn_tensor const& t, value const& rows, value const& columns, point const* all, int bits) {
  panel p = empty_panel("", std::move(title), rows, columns);
  value const codomain = codomain_of(t);
  for (std::size_t c = 0; c < p.columns; ++c)
    for (std::size_t r = 0; r < p.rows; ++r) p.at(r, c) = value_cell(all[c * p.rows + r], t, codomain, bits);
  return p;
}

// The panels for each coordinate of the modes behind the second, about as many across as down.
std::vector<panel> sliced_panels(drawn_tensor const& t, layout const& a, std::vector<point> const& all, int bits) {
  value const s = shape(a);
  value const rest = tuple_of({s.items.begin() + 2, s.items.end()});
  std::size_t const each = static_cast<std::size_t>(size(s.items[0]) * size(s.items[1])), n = all.size() / each;
  std::size_t across = 1;
  while (across * across < n) ++across;
  std::vector<panel> out;
  for (std::size_t k = 0; k < n; ++k) {
    value c = ref::idx2crd(value(integer(k)), rest);
    c.items.insert(c.items.begin(), 2, word_of("_"));
    out.push_back(value_panel(print(c), t, s.items[0], s.items[1], all.data() + k * each, bits));
    out.back().place_row = k / across;
    out.back().place_column = k % across;
  }
  return out;
}

picture of_tensor(std::string const& title, drawn_tensor const& t, int bits, picture_options const& asked) {
  layout const a = without_ones(t.inner);
  check_cells(size(a));
  std::vector<point> const all = values_of(a, t.offset);
  picture out{title, {}};
  if (bits) out.title += fmt::format(": {} banks of {} bytes, elements of {} bits", ref::bank_count, ref::bank_bytes, bits);
  if (asked.slices && rank(a) > 2) return out.panels = sliced_panels(t, a, all, bits), out;
  std::vector<value> rest;
  for (std::size_t k = rank(a) > 1 ? 1 : 0; k < rank(a); ++k) rest.push_back(shape(mode(a, k)));
  value const columns = rest.empty() ? value(1) : rest.size() == 1 ? rest[0] : tuple_of(rest);
  out.panels.push_back(value_panel("", t, rank(a) > 1 ? shape(mode(a, 0)) : value(1), columns, all.data(), bits));
  return out;
}

// The 2^M elements that a swizzle leaves together are one cell; a row is as long as the shift.
picture of_swizzle(value const& w, picture_options const& asked) {
  auto const power = [](value const& n) { return integer(1) << static_cast<unsigned>(mp::abs(n.number)); };
  layout const row_major = ref::make_layout_right(tuple_of({value(power(w.items[0])), value(power(w.items[2]))}));
  integer const bits = asked.bank_bits * power(w.items[1]);
  if (bits > 1 << 20) throw not_drawn("chunks of " + bits.str() + " bits have no bank");
  std::string const unit = w.items[1].number == 0 ? "elements" : "chunks of 2^" + print(w.items[1]) + " elements";
  std::string const title = fmt::format("{} of {}, in rows of 2^{}", print(w), unit, mp::abs(w.items[2].number).str());
  return of_tensor(title, {value(kind::swizzle, {w.items[0], value(0), w.items[2]}), {}, row_major}, static_cast<int>(bits), asked);
}

picture of_value(std::string const& title, value const& v, picture_options const& asked) {
  if (!asked.highlight.empty()) throw not_drawn("--highlight: no threads or tiles are in this picture");
  if (v.is(kind::swizzle)) return of_swizzle(v, asked);
  if (!v.is(kind::layout) && !v.is(kind::composed)) throw not_drawn(print(v) + " is nothing to draw");
  drawn_tensor const t = tensor_from(v);
  return of_tensor(title, t, asked.bank_bits ? asked.bank_bits : t.swizzle ? 32 : 0, asked);
}

// ---- who holds what ----

// What one thread holds, in the order of its values; a thread's name and number, and its values' names.
struct share {
  integer number;
  std::string owner;
  std::vector<point> elements;
  bool named_values = true;
};

// Where an element lies: row + column * stride. Elements past the end are masked.
struct plane {
  value row_shape, column_shape;
  integer stride;
  bool transposed = false;  // B stands on its side above C
};
// Far enough that rows past the end are no columns.
integer const far_apart = integer(1) << 40;

plane plane_of(value const& shape) {
  value const s = shape.is(kind::tuple) ? shape : tuple_of({value(1), shape});
  value const columns = s.items.size() == 2 ? s.items[1] : tuple_of({s.items.begin() + 1, s.items.end()});
  return {s.items.at(0), columns, far_apart, false};
}
// The tensor whose values are places in the plane: compact in its rows, and in its columns far apart.
layout places(value const& shape) {
  if (!shape.is(kind::tuple)) return ref::with_strides(shape, [](integer const&) { return far_apart; });
  value const columns = tuple_of({shape.items.begin() + 1, shape.items.end()});
  std::vector<layout> out{ref::make_layout_left(shape.items.at(0))};
  for (layout const& m : ref::make_layout_left(columns).modes)
    out.push_back(ref::replace_leaves(m, [](layout const& leaf) { return layout(leaf.extent, far_apart * leaf.stride); }));
  return layout(std::move(out));
}

class holders {
 public:
  holders(std::string name, plane const& where, picture_options const& asked)
      : where_(where), asked_(asked), panel_(empty_panel(name, name, where.transposed ? where.column_shape : where.row_shape,
                                                         where.transposed ? where.row_shape : where.column_shape)),
        count_(panel_.cells.size()), last_(panel_.cells.size(), nullptr) {}

  void add(share const& s) {
    std::string const number = s.number.str();
    bool const wanted = std::find(asked_.highlight.begin(), asked_.highlight.end(), number) != asked_.highlight.end();
    for (std::size_t v = 0; v < s.elements.size(); ++v)
      if (auto const at = index_of(s.elements[v])) hold(*at, s, v, wanted);
  }
  panel done() {
    panel_.title += fmt::format("{}{}x{}", panel_.name.empty() ? "" : " ", panel_.rows, panel_.columns);
    auto const [least, most] = std::minmax_element(count_.begin(), count_.end());
    if (*most > 1) panel_.title += fmt::format(", each in {}{} threads: the first is shown", *least == *most ? "" : "up to ", *most);
    if (masked_) panel_.title += fmt::format(", {} more past the end", masked_);
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
    std::size_t const rows = where_.transposed ? panel_.columns : panel_.rows, columns = where_.transposed ? panel_.rows : panel_.columns;
    if (r >= rows || c >= columns) return ++masked_, std::nullopt;
    std::size_t const row = static_cast<std::size_t>(r), column = static_cast<std::size_t>(c);
    return where_.transposed ? column * panel_.columns + row : row * panel_.columns + column;
  }
  void hold(std::size_t at, share const& s, std::size_t v, bool wanted) {
    cell& here = panel_.cells[at];
    if (last_[at] != &s) ++count_[at];
    last_[at] = &s;
    if (!here.label.empty() && !(wanted && here.faded)) return;
    here = {s.named_values ? s.owner + "\nV" + std::to_string(v) : s.owner, s.owner, hue_of_thread(s.number), !wanted && !asked_.highlight.empty()};
  }
};

panel panel_of(std::string name, plane const& where, std::vector<share> const& shares, picture_options const& asked) {
  integer elements = 0;
  for (share const& s : shares) elements += s.elements.size();
  holders h(std::move(name), where, asked);
  for (share const& s : shares) h.add(s);
  return h.done();
}

share thread_share(integer const& t, layout const& values, point const& first) { return {t, "T" + t.str(), values_of(values, first)}; }

// The numbers that a layout of threads gives, each once.
std::vector<integer> numbers_of(layout const& threads) {
  check_cells(size(threads));
  std::set<integer> out;
  for (point const& p : values_of(threads)) out.insert(ref::natural(p.number, "thread"));
  return {out.begin(), out.end()};
}

// By a layout (thread, value) -> place; logical thread t goes by the number that thr_id gives it.
std::vector<share> shares_of(layout const& tv, layout const& thr_id) {
  layout const threads = mode(tv, 0), values = mode(tv, 1);
  check_cells(size(tv));
  std::vector<share> out;
  for (integer t = 0; t < size(threads); ++t) out.push_back(thread_share(t < size(thr_id) ? thr_id(t).number : t, values, threads(t)));
  return out;
}
std::vector<share> shares_of(layout const& tv) { return shares_of(tv, layout(size(mode(tv, 0)), 1)); }

// ---- MMA atoms and tilings of them ----

constexpr char const* operand_name[] = {"A", "B", "C"};

panel placed(panel p, std::size_t row, std::size_t column) {
  p.place_row = row;
  p.place_column = column;
  return p;
}
// B above C, A left of it; scale factors and metadata outside of those.
panel operand_panel(operand x, plane where, std::vector<share> const& shares, picture_options const& asked) {
  where.transposed = x == operand::b;
  return placed(panel_of(operand_name[static_cast<int>(x)], where, shares, asked), x == operand::b ? 1 : 2, x == operand::a ? 1 : 2);
}

panel atom_panel(ref::mma_atom const& m, operand x, picture_options const& asked) {
  auto const [i, j] = ref::modes_of(x);
  value const rows = m.shape_mnk.items[i], columns = m.shape_mnk.items[j];
  return operand_panel(x, {rows, columns, rows.number}, shares_of(layout_tv(m, x), m.thr_id), asked);
}
// Scale factors and metadata: over the rows of A or B and as many columns as their layout reaches.
void add_extra(picture& to, std::string name, std::optional<layout> const& tv, ref::mma_atom const& m, bool of_b, picture_options const& asked) {
  if (!tv) return;
  value const rows = m.shape_mnk.items[of_b ? 1 : 0];
  plane const where{rows, value(ref::ceil_div(cosize(*tv), rows.number)), rows.number, of_b};
  std::size_t const across = name == "E" ? 3 : 0;
  to.panels.push_back(placed(panel_of(std::move(name), where, shares_of(*tv, m.thr_id), asked), of_b ? 0 : 2, of_b ? 2 : across));
}

picture of_mma_atom(std::string const& name, ref::mma_atom const& m, picture_options const& asked) {
  picture out{name + ": " + print(m.shape_mnk), {}};
  for (operand const x : {operand::a, operand::b, operand::c}) out.panels.push_back(atom_panel(m, x, asked));
  add_extra(out, "SFA", m.sfa, m, false, asked);
  add_extra(out, "SFB", m.sfb, m, true, asked);
  add_extra(out, "E", m.e, m, false, asked);
  return out;
}

std::vector<share> shares_of(ref::tiled_mma const& t, operand x, layout const& tensor) {
  layout const frg = thrfrg(t, x, tensor);
  std::vector<integer> const threads = numbers_of(t.threads);
  check_cells(size(frg.modes[1]) * threads.size());
  std::vector<share> out;
  for (integer const& i : threads) out.push_back(thread_share(i, frg.modes[1], frg.modes[0](thread_slice(t, x, i, frg).items[0])));
  return out;
}
panel tile_panel(ref::tiled_mma const& t, operand x, picture_options const& asked) {
  auto const [i, j] = ref::modes_of(x);
  value const tile = tuple_of({value(tile_size(t, i)), value(tile_size(t, j))});
  return operand_panel(x, plane_of(tile), shares_of(t, x, places(tile)), asked);
}
picture of_tiled_mma(std::string const& title, ref::tiled_mma const& t, picture_options const& asked) {
  picture out{title, {}};
  for (operand const x : {operand::a, operand::b, operand::c}) out.panels.push_back(tile_panel(t, x, asked));
  return out;
}

// ---- copy atoms and tilings of them ----

// The bits that both sides always move together.
integer unit_of(ref::copy_atom const& m) {
  integer unit = 0;
  for (layout const* side : {&m.src, &m.dst})
    for (layout const& leaf : leaves(coalesce(*side, tuple_of({value(1), value(1)}))))
      if (leaf.extent > 1) unit = mp::gcd(unit, leaf.stride == point(1) ? leaf.extent : leaf.stride.number);
  return unit == 0 ? integer(1) : unit;
}
panel copy_panel(std::string name, layout const& bits, integer const& unit, ref::copy_atom const& m, std::size_t column, picture_options const& asked) {
  layout const tv = upcast(bits, unit);
  integer const across = std::max<integer>(1, std::min(cosize(tv), integer(128) / unit));
  plane const where{value(across), value(ref::ceil_div(cosize(tv), across)), across, true};
  return placed(panel_of(std::move(name), where, shares_of(tv, m.thr_id), asked), 0, column);
}
picture of_copy_atom(std::string const& name, ref::copy_atom const& m, picture_options const& asked) {
  integer const unit = unit_of(m);
  picture out{fmt::format("{}: cells of {} bits, in rows of up to 128 bits", name, unit.str()), {}};
  out.panels.push_back(copy_panel("S", m.src, unit, m, 0, asked));
  out.panels.push_back(copy_panel("D", m.dst, unit, m, 1, asked));
  return out;
}

std::vector<share> shares_of(ref::tiled_copy const& t, layout const& target, layout const& tensor) {
  layout const frg = tidfrg(t, target, tensor), values({frg.modes[1], frg.modes[2]});
  check_cells(size(frg));
  std::vector<share> out;
  for (integer i = 0; i < size(frg.modes[0]); ++i) out.push_back(thread_share(i, values, frg.modes[0](i)));
  return out;
}
panel copy_tile_panel(std::string name, ref::tiled_copy const& t, layout const& target, value const& shape, std::size_t column, picture_options const& asked) {
  return placed(panel_of(std::move(name), plane_of(shape), shares_of(t, target, places(shape)), asked), 0, column);
}
picture of_tiled_copy(std::string const& title, ref::tiled_copy const& t, picture_options const& asked) {
  return {title, {copy_tile_panel("S", t, t.atom.src, t.tiler, 0, asked), copy_tile_panel("D", t, t.atom.dst, t.tiler, 1, asked)}};
}

// ---- the forms ----

struct form_call {
  std::string title;
  arguments args;
  picture_options const& asked;
};

picture draw_tv(form_call const& f) {
  layout const tv = ref::L(f.args[0]);
  value const s = ref::S(f.args[1]);
  if (rank(tv) != 2) throw not_drawn(print(f.args[0]) + " is no layout of threads and values: it has not two modes");
  plane where = plane_of(s);
  where.stride = size(where.row_shape);
  return {f.title, {panel_of("", where, shares_of(tv), f.asked)}};
}
picture draw_tiled_mma(form_call const& f) { return of_tiled_mma(f.title, ref::mma_of(f.args), f.asked); }
picture draw_tiled_copy(form_call const& f) {
  auto const [t, rest] = ref::copy_of(f.args);
  if (!rest.empty()) ref::wrong(rest[0], "part of the tiling");
  return of_tiled_copy(f.title, t, f.asked);
}

// Positions 0 .. SIZE-1 as each permutation deals them to the threads.
panel permutation_panel(form_call const& f, value const& permutation, std::size_t row) {
  integer const n = ref::N(f.args[0]), threads = ref::N(f.args[1]);
  layout const dealt = ref::logical_divide(layout(n, 1), ref::tiler(permutation));
  check_cells(size(dealt));
  std::vector<point> const all = values_of(dealt);
  std::vector<share> shares;
  for (std::size_t t = 0; t < threads; ++t) shares.push_back({t, "T" + std::to_string(t), {}});
  for (std::size_t i = 0; i < all.size(); ++i) shares[i % shares.size()].elements.push_back(all[i]);
  panel p = panel_of("", {value(n), value(1), far_apart, true}, shares, f.asked);
  std::string positions;
  for (point const& x : shares[0].elements) positions += (positions.empty() ? "" : ",") + print(x);
  p.title = fmt::format("{}, T0: {}", print(permutation), positions);
  return placed(std::move(p), row, 0);
}
picture draw_permutations(form_call const& f) {
  integer const n = ref::N(f.args[0]), threads = ref::N(f.args[1]);
  if (n < 1) ref::wrong(f.args[0], "a number of positions");
  if (threads < 1 || drawable(n, "positions") % threads != 0) ref::wrong(f.args[1], "a number of threads that divides the positions");
  picture out{f.title, {}};
  for (std::size_t k = 2; k < f.args.size(); ++k) out.panels.push_back(permutation_panel(f, f.args[k], k - 2));
  return out;
}

template <operand X>
picture draw_partition(form_call const& f) {
  value const s = shape(ref::tensor_of(f.args[3]).inner);
  return {f.title, {panel_of(operand_name[static_cast<int>(X)], plane_of(s), shares_of(ref::mma_of(f.args), X, places(s)), f.asked)}};
}
template <layout ref::copy_atom::*Side>
picture draw_copy_partition(form_call const& f) {
  auto const [t, rest] = ref::copy_of(f.args);
  if (rest.size() != 1) throw malformed(0, "one tensor belongs behind the tiling");
  value const s = shape(ref::tensor_of(rest[0]).inner);
  return {f.title, {copy_tile_panel("", t, t.atom.*Side, s, 0, f.asked)}};
}
picture draw_local_partition(form_call const& f) {
  value const s = shape(ref::tensor_of(f.args[0]).inner);
  layout const threads = ref::L(f.args[1]);
  std::optional<value> const proj = f.args.size() == 3 ? std::optional(ref::wild_coordinate(f.args[2])) : std::nullopt;
  composed const all{std::nullopt, 0, places(s)};
  std::vector<share> shares;
  for (integer const& i : numbers_of(threads)) {
    composed const part = proj ? local_partition(all, threads, i, *proj) : local_partition(all, threads, i);
    shares.push_back(thread_share(i, part.inner, part.offset));
  }
  return {f.title, {panel_of("", plane_of(s), shares, f.asked)}};
}
picture draw_local_tile(form_call const& f) {
  value const s = shape(ref::tensor_of(f.args[0]).inner);
  layout const z = ref::zipped_divide(places(s), ref::tiler(f.args[1]));
  check_cells(size(z));
  std::vector<share> shares;
  for (integer k = 0; k < size(z.modes[1]); ++k) {
    std::string const at = print(ref::idx2crd(value(k), ref::product_each(shape(z.modes[1]))));
    shares.push_back({k, at, values_of(z.modes[0], z.modes[1](k)), false});
  }
  return {f.title, {panel_of("", plane_of(s), shares, f.asked)}};
}

// A form that is an operation too is drawn whole where its last argument, the thread or the coordinate, is missing.
struct form {
  std::string name;
  char const* usage;
  std::size_t least, most;
  picture (*draw)(form_call const&);
  bool (*whole)(arguments const&) = nullptr;
};
bool has_two(arguments const& a) { return a.size() == 2; }
bool has_four(arguments const& a) { return a.size() == 4; }
bool has_no_thread(arguments const& a) { return a.size() == 5 || a.size() == 7; }
bool has_no_index(arguments const& a) { return has_two(a) || (a.size() == 3 && a[2].is(kind::tuple)); }
form const forms[] = {
    {"tv", "TV SHAPE", 2, 2, draw_tv},
    {"tiled_mma", "ATOM THR T", 3, 3, draw_tiled_mma},
    {"tiled_copy", "COPY TYPE THR VAL, or make_tiled_copy_A COPY TYPE ATOM THR T", 4, 6, draw_tiled_copy},
    {"permutations", "SIZE THREADS PERMUTATION...", 3, 34, draw_permutations},
    {"partition_A", "ATOM THR T A", 4, 4, draw_partition<operand::a>, has_four},
    {"partition_B", "ATOM THR T A", 4, 4, draw_partition<operand::b>, has_four},
    {"partition_C", "ATOM THR T A", 4, 4, draw_partition<operand::c>, has_four},
    {"partition_S", "COPY TYPE THR VAL A", 5, 7, draw_copy_partition<&ref::copy_atom::src>, has_no_thread},
    {"partition_D", "COPY TYPE THR VAL A", 5, 7, draw_copy_partition<&ref::copy_atom::dst>, has_no_thread},
    {"local_partition", "A THR [proj]", 2, 3, draw_local_partition, has_no_index},
    {"local_tile", "A T", 2, 2, draw_local_tile, has_two},
};

picture draw_form(form const& f, request const& r, picture_options const& asked) {
  if (r.args.size() < f.least || r.args.size() > f.most)
    throw malformed(0, fmt::format("{} takes {}, not {} arguments", f.name, f.usage, r.args.size()));
  try {
    return f.draw({print(r), r.args, asked});
  } catch (malformed const& e) {
    throw malformed(0, fmt::format("{} {}: {}", f.name, f.usage, e.what()));
  }
}

// ---- what a line asks for ----

// f(name) where it knows the name.
template <class F>
auto known(F f, std::string const& name) -> std::optional<decltype(f(name))> {
  try {
    return f(name);
  } catch (malformed const&) {
    return std::nullopt;
  }
}
picture of_word(std::string const& name, picture_options const& asked) {
  if (auto const m = known(ref::mma_atom_of, name)) return of_mma_atom(name, *m, asked);
  if (auto const m = known(ref::copy_atom_of, name)) return of_copy_atom(name, *m, asked);
  throw malformed(0, "no layout, no MMA atom, no copy atom and no form or operation with arguments");
}
picture of_answer(request const& r, picture_options const& asked) {
  answer const a = ref::respond(r);
  if (!a) throw ref::undefined(a.reason);
  picture out = of_value(print(r), a.result, asked);
  if (out.panels.size() == 1) out.panels[0].title = "= " + show(a.result);
  return out;
}

// An operation's name with arguments behind it.
std::optional<request> as_request(std::string const& line) {
  std::size_t const end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  bool const named = end != std::string::npos && line[end] == ' ' && !std::isdigit(static_cast<unsigned char>(line[0]));
  request r = named ? parse_request(line) : request{};
  return r.args.empty() ? std::nullopt : std::optional(std::move(r));
}
void check_no_values(picture_options const& asked) {
  if (asked.bank_bits || asked.slices) throw not_drawn("--banks and --slices are for layouts, not for who holds what");
}
picture whole_picture(std::string const& line, picture_options const& asked) {
  if (auto const r = as_request(line)) {
    auto const f = std::find_if(std::begin(forms), std::end(forms), [&](form const& x) { return x.name == r->op; });
    if (f == std::end(forms) || (f->whole && !f->whole(r->args))) return of_answer(*r, asked);
    return check_no_values(asked), draw_form(*f, *r, asked);
  }
  value const v = parse(line);
  if (!v.is(kind::word)) return of_value(show(v), v, asked);
  return check_no_values(asked), of_word(v.word, asked);
}

void keep_only(picture& p, std::vector<std::string> const& names) {
  for (std::string const& name : names)
    if (std::none_of(p.panels.begin(), p.panels.end(), [&](panel const& x) { return x.name == name; }))
      throw not_drawn("--only: no panel is called '" + name + "' here");
  if (!names.empty()) std::erase_if(p.panels, [&](panel const& x) { return std::find(names.begin(), names.end(), x.name) == names.end(); });
}
void check_highlight(picture const& p, std::vector<std::string> const& numbers) {
  auto const shown = [](panel const& x) { return std::any_of(x.cells.begin(), x.cells.end(), [](cell const& c) { return !c.label.empty() && !c.faded; }); };
  if (!numbers.empty() && std::none_of(p.panels.begin(), p.panels.end(), shown))
    throw not_drawn(fmt::format("--highlight: {} holds nothing here", fmt::join(numbers, ", ")));
}

}  // namespace

picture make_picture(std::string const& line, picture_options const& asked) {
  picture out = whole_picture(line, asked);
  keep_only(out, asked.only);
  check_highlight(out, asked.highlight);
  return out;
}

}  // namespace colex
