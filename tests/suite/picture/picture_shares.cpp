// Who holds what: threads and tiles of atoms, tilings and partitions. See picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/panel.hpp"

#include <map>
#include <set>

namespace colex {
namespace {

using ref::arguments, ref::composed, ref::layout, ref::operand;

// As in CuTe's own pictures: the four lanes that hold a row of a fragment have one hue, the next four the next, and each lane a
// shade of it. Each warp moves the hues on, so that threads that stand beside each other differ, also above each other in rows
// of 2, 4, ... 128.
constexpr int quad = shades, warp = quad * hues;
int colour_of_thread(integer const& t) { return static_cast<int>((t / quad + 3 * (t / warp)) % hues + hues * (t % quad)); }
// A hue a tile; eight later the next shade, four times that the hues begin elsewhere.
int colour_of_tile(integer const& k) { return static_cast<int>((k + k / warp * 3) % hues + hues * (k / hues % shades)); }

// What the colours of threads mean, as far as the first warp has them.
std::vector<legend_line> legend_of_threads(std::size_t threads) {
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
owner thread(integer const& t) { return {t, "T" + t.str()}; }

bool holds_number(picture_options const& asked, integer const& n) {
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
integer const far_apart = integer(1) << 40;

plane plane_of(value const& shape) {
  value const s = shape.is(kind::tuple) ? shape : tuple_of({value(1), shape});
  value const columns = s.items.size() == 2 ? s.items[1] : tuple_of(std::vector(s.items.begin() + 1, s.items.end()));
  return {s.items.at(0), columns, far_apart, false, shape};
}
plane named(plane where, operand x) {
  auto const [i, j] = ref::modes_of(x);
  where.letters = {"mnk"[i], "mnk"[j]};
  return where;
}
// The tensor whose values are places in the plane: compact in its rows, and in its columns far apart.
layout places(value const& shape) {
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

panel panel_of(std::string name, plane const& where, std::vector<share> const& shares, picture_options const& asked) {
  holders h(std::move(name), where, asked);
  for (share const& s : shares) h.add(s);
  return h.done();
}

// The numbers that a layout of threads gives, each once.
std::vector<integer> numbers_of(layout const& threads) {
  check_cells(size(threads));
  std::set<integer> out;
  for (point const& p : values_of(threads)) out.insert(ref::natural(p.number, "thread"));
  return {out.begin(), out.end()};
}

// By a layout (thread, value) -> place; logical thread t goes by the number that thr_id gives it.
std::vector<share> shares_of(layout const& tv, layout const& thr_id) {
  layout const threads = mode(tv, 0);
  check_cells(size(threads));
  shares_by_place out(mode(tv, 1));
  for (integer t = 0; t < size(threads); ++t) out.add(thr_id(t).number, threads(t));
  return out.shares;
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
  where = named(std::move(where), x);
  where.transposed = x == operand::b;
  return placed(panel_of(operand_name[static_cast<int>(x)], where, shares, asked), x == operand::b ? 1 : 2,
                x == operand::a ? 1 : 2);
}

panel atom_panel(ref::mma_atom const& m, operand x, picture_options const& asked) {
  auto const [i, j] = ref::modes_of(x);
  value const rows = m.shape_mnk.items[i], columns = m.shape_mnk.items[j];
  return operand_panel(x, {rows, columns, rows.number}, shares_of(layout_tv(m, x), m.thr_id), asked);
}
// Scale factors and metadata: over the rows of A or B and as many columns as their layout reaches.
void add_extra(picture& to, std::string name, std::optional<layout> const& tv, ref::mma_atom const& m, bool of_b,
               picture_options const& asked) {
  if (!tv) return;
  value const rows = m.shape_mnk.items[of_b ? 1 : 0];
  plane const where{rows, value(ref::ceil_div(cosize(*tv), rows.number)), rows.number, of_b};
  std::size_t const across = name == "E" ? 3 : 0;
  to.panels.push_back(
      placed(panel_of(std::move(name), where, shares_of(*tv, m.thr_id), asked), of_b ? 0 : 2, of_b ? 2 : across));
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
  shares_by_place out(frg.modes[1]);
  for (integer const& i : numbers_of(t.threads)) out.add(i, frg.modes[0](thread_slice(t, x, i, frg).items[0]));
  return out.shares;
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
panel copy_panel(std::string name, layout const& bits, integer const& unit, ref::copy_atom const& m, std::size_t column,
                 picture_options const& asked) {
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
  layout const frg = tidfrg(t, target, tensor);
  check_cells(size(frg.modes[0]));
  shares_by_place out(layout({frg.modes[1], frg.modes[2]}));
  for (integer i = 0; i < size(frg.modes[0]); ++i) out.add(i, frg.modes[0](i));
  return out.shares;
}
panel copy_tile_panel(std::string name, ref::tiled_copy const& t, layout const& target, value const& shape, std::size_t column,
                      picture_options const& asked) {
  return placed(panel_of(std::move(name), plane_of(shape), shares_of(t, target, places(shape)), asked), 0, column);
}
picture of_tiled_copy(std::string const& title, ref::tiled_copy const& t, picture_options const& asked) {
  return {title,
          {copy_tile_panel("S", t, t.atom.src, t.tiler, 0, asked), copy_tile_panel("D", t, t.atom.dst, t.tiler, 1, asked)}};
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
  if (!rest.empty()) wrong(rest[0], "part of the tiling");
  return of_tiled_copy(f.title, t, f.asked);
}

// Positions 0 .. SIZE-1 as each permutation deals them to the threads.
panel permutation_panel(form_call const& f, value const& permutation, std::size_t row) {
  integer const n = ref::N(f.args[0]), threads = ref::N(f.args[1]);
  layout const dealt = ref::logical_divide(layout(n, 1), ref::tiler(permutation));
  check_cells(size(dealt));
  std::vector<point> const all = values_of(dealt);
  std::vector<share> shares;
  for (std::size_t t = 0; t < threads; ++t) shares.push_back({{thread(t)}, {}});
  for (std::size_t i = 0; i < all.size(); ++i) shares[i % shares.size()].elements.push_back(all[i]);
  panel p = panel_of("", {value(n), value(1), far_apart, true}, shares, f.asked);
  std::string positions;
  for (point const& x : shares[0].elements) positions += (positions.empty() ? "" : ",") + print(x);
  p.title = fmt::format("{}, T0: {}", print(permutation), positions);
  return placed(std::move(p), row, 0);
}
picture draw_permutations(form_call const& f) {
  integer const n = ref::N(f.args[0]), threads = ref::N(f.args[1]);
  if (n < 1) wrong(f.args[0], "a number of positions");
  if (threads < 1 || drawable(n, "positions") % threads != 0)
    wrong(f.args[1], "a number of threads that divides the positions");
  picture out{f.title, {}};
  for (std::size_t k = 2; k < f.args.size(); ++k) out.panels.push_back(permutation_panel(f, f.args[k], k - 2));
  return out;
}

template <operand X>
picture draw_partition(form_call const& f) {
  value const s = shape(ref::tensor_of(f.args[3]).inner);
  return {f.title,
          {panel_of(operand_name[static_cast<int>(X)], named(plane_of(s), X), shares_of(ref::mma_of(f.args), X, places(s)),
                    f.asked)}};
}
template <layout ref::copy_atom::* Side>
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
    shares.push_back({{thread(i)}, values_of(part.inner, part.offset)});
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
    shares.push_back({{{k, at}}, values_of(z.modes[0], z.modes[1](k)), true});
  }
  return {f.title, {panel_of("", plane_of(s), shares, f.asked)}};
}

// A phase of a warp's access: a row for each turn, a column for each bank, in each cell the thread that gets a word there and
// how many others read the same.
panel phase_panel(composed const& a, integer const& bits, int bytes, integer const& begin, integer const& end,
                  picture_options const& asked) {
  std::map<integer, std::vector<integer>> readers;
  for (integer i = begin; i < end; ++i)
    for (integer const& word : words_of(a, i, bits, bytes)) readers[word].push_back(i);
  ref::touched_banks const banks = banks_of(a, bits, bytes, begin, end);
  integer const turns = ref::wavefronts_of(banks);
  panel p = empty_panel(
      "", fmt::format("T{} to T{}: {} turn{}", begin.str(), integer(end - 1).str(), turns.str(), turns == 1 ? "" : "s"),
      value(turns), value(ref::bank_count));
  name_axes(p, tuple_of({value(turns), value(ref::bank_count)}));
  p.row_axis = "turn";
  p.column_axis = "bank";
  for (auto const& [bank, words] : banks) {
    std::size_t turn = 0;
    for (integer const& word : words) {
      std::vector<integer> const& all = readers.at(word);
      std::string const more = all.size() > 1 ? fmt::format("\n+{}", all.size() - 1) : "", name = thread(all[0]).name;
      bool const wanted = std::any_of(all.begin(), all.end(), [&](integer const& t) { return holds_number(asked, t); });
      p.at(turn++, static_cast<std::size_t>(bank)) = {name + more, name, colour_of_thread(all[0]),
                                                      !wanted && !asked.highlight.empty()};
    }
  }
  return p;
}
picture draw_phases(form_call const& f) {
  composed const a = ref::tensor_of(f.args[0]);
  integer const bits = ref::element_bits(f.args[1]);
  ref::shared_access const by = ref::access_of(f.args[2]);
  std::string turns;
  for (integer const& n : bank_conflict_phases(a, bits, by)) turns += (turns.empty() ? "" : " + ") + n.str();
  picture out{f.title + ": turns " + turns, {}};
  integer const threads = threads_of(a, by), bytes = by.bits / 8, phase = ref::phase_bytes / bytes;
  for (integer begin = 0; begin < threads; begin += phase) {
    integer const end = std::min<integer>(begin + phase, threads);
    out.panels.push_back(placed(phase_panel(a, bits, static_cast<int>(bytes), begin, end, f.asked), out.panels.size(), 0));
  }
  return out;
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
    {"bank_conflict_phases", "A BITS ACCESS", 3, 3, draw_phases},
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

void check_no_values(picture_options const& asked) {
  if (asked.bank_bits || asked.slices) throw not_drawn("--banks and --slices are for layouts, not for who holds what");
}

// f(name) where it knows the name.
template <class F>
auto known(F f, std::string const& name) -> std::optional<decltype(f(name))> {
  try {
    return f(name);
  } catch (malformed const&) {
    return std::nullopt;
  }
}

// How many threads its cells belong to, at most; 0 where they are tiles.
std::size_t threads_in(picture const& p) {
  std::size_t n = 0;
  for (panel const& x : p.panels)
    for (cell const& c : x.cells)
      if (c.owner.starts_with('T')) n = std::max<std::size_t>(n, std::stoul(c.owner.substr(1)) + 1);
  return n;
}
picture with_legend(picture p) {
  p.legend = legend_of_threads(threads_in(p));
  return p;
}

}  // namespace

std::optional<picture> picture_of_atom(std::string const& name, picture_options const& asked) {
  check_no_values(asked);
  if (auto const m = known(ref::mma_atom_of, name)) return with_legend(of_mma_atom(name, *m, asked));
  if (auto const m = known(ref::copy_atom_of, name)) return with_legend(of_copy_atom(name, *m, asked));
  return std::nullopt;
}

std::optional<picture> picture_of_form(request const& r, picture_options const& asked) {
  auto const f = std::find_if(std::begin(forms), std::end(forms), [&](form const& x) { return x.name == r.op; });
  if (f == std::end(forms) || (f->whole && !f->whole(r.args))) return std::nullopt;
  check_no_values(asked);
  return with_legend(draw_form(*f, r, asked));
}

}  // namespace colex
