// Atoms and tilings of them: see picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/shares.hpp"

namespace colex {
namespace {

// ---- MMA atoms and tilings of them ----

// B above C, A left of it; scale factors and metadata outside of those.
panel operand_panel(operand x, plane where, std::vector<share> const& shares, picture_options const& asked) {
  where = lettered(std::move(where), x);
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

}  // namespace

std::vector<share> shares_of(ref::tiled_mma const& t, operand x, layout const& tensor) {
  layout const frg = thrfrg(t, x, tensor);
  shares_by_place out(frg.modes[1]);
  for (integer const& i : numbers_of(t.threads)) out.add(i, frg.modes[0](thread_slice(t, x, i, frg).items[0]));
  return out.shares;
}

namespace {

panel tile_panel(ref::tiled_mma const& t, operand x, picture_options const& asked) {
  auto const [i, j] = ref::modes_of(x);
  value const tile = tuple_of({value(tile_size(t, i)), value(tile_size(t, j))});
  return operand_panel(x, plane_of(tile), shares_of(t, x, places(tile)), asked);
}

}  // namespace

picture of_tiled_mma(std::string const& title, ref::tiled_mma const& t, picture_options const& asked) {
  picture out{title, {}};
  for (operand const x : {operand::a, operand::b, operand::c}) out.panels.push_back(tile_panel(t, x, asked));
  return out;
}

namespace {

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

}  // namespace

panel copy_tile_panel(std::string name, ref::tiled_copy const& t, layout const& target, value const& shape, std::size_t column,
                      picture_options const& asked) {
  return placed(panel_of(std::move(name), plane_of(shape), shares_of(t, target, places(shape)), asked), 0, column);
}
picture of_tiled_copy(std::string const& title, ref::tiled_copy const& t, picture_options const& asked) {
  return {title,
          {copy_tile_panel("S", t, t.atom.src, t.tiler, 0, asked), copy_tile_panel("D", t, t.atom.dst, t.tiler, 1, asked)}};
}

namespace {

// f(name) where it knows the name.
template <class F>
auto known(F f, std::string const& name) -> std::optional<decltype(f(name))> {
  try {
    return f(name);
  } catch (malformed const&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<picture> picture_of_atom(std::string const& name, picture_options const& asked) {
  check_no_values(asked);
  if (auto const m = known(ref::mma_atom_of, name)) return with_legend(of_mma_atom(name, *m, asked));
  if (auto const m = known(ref::copy_atom_of, name)) return with_legend(of_copy_atom(name, *m, asked));
  return std::nullopt;
}

}  // namespace colex
