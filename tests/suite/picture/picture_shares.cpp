// The forms: who holds what of a tile, a tensor, a permutation. See picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "spec/forms.hpp"
#include "tests/suite/picture/shares.hpp"

namespace colex {
namespace {

picture draw_tv(form_call const& f) {
  layout const tv = ref::L(f.args[0]);
  value const s = ref::S(f.args[1]);
  if (rank(tv) != 2)
    throw not_drawn(
        fmt::format("{} is no layout of threads and values: those have two modes, it has {}", print(f.args[0]), rank(tv)));
  plane where = plane_of(s);
  where.stride = size(where.row_shape);
  panel p = panel_of("", where, shares_of(tv), f.asked);
  auto const free = std::count_if(p.cells.begin(), p.cells.end(), [](cell const& c) { return c.label.empty(); });
  if (free > 0) p.title += fmt::format(", {} of {} elements belong to no thread", free, p.cells.size());
  return {f.title, {std::move(p)}};
}
picture draw_tiled_mma(form_call const& f) { return of_tiled_mma(f.title, ref::mma_of(f.args), f.asked); }
picture draw_tiled_copy(form_call const& f) { return of_tiled_copy(f.title, ref::copy_of(f.args).tiling, f.asked); }

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
constexpr std::size_t most_permutations = 32;
picture draw_permutations(form_call const& f) {
  integer const n = ref::N(f.args[0]), threads = ref::N(f.args[1]);
  if (n < 1) wrong(f.args[0], "a number of positions");
  if (threads < 1 || drawable(n, "positions") % threads != 0)
    wrong(f.args[1], "a number of threads that divides the positions");
  if (f.args.size() > most_permutations + 2) throw malformed(0, fmt::format("more than {} permutations", most_permutations));
  picture out{f.title, {}};
  for (std::size_t k = 2; k < f.args.size(); ++k) out.panels.push_back(permutation_panel(f, f.args[k], k - 2));
  return out;
}

template <operand X>
picture draw_partition(form_call const& f) {
  value const s = shape(ref::tensor_of(f.args[3]).inner);
  return {f.title,
          {panel_of(operand_name[static_cast<int>(X)], lettered(plane_of(s), X), shares_of(ref::mma_of(f.args), X, places(s)),
                    f.asked)}};
}
template <layout ref::copy_atom::* Side>
picture draw_copy_partition(form_call const& f) {
  auto const [t, rest] = ref::copy_of(f.args);
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

bool has_two(arguments const& a) { return a.size() == 2; }
bool has_four(arguments const& a) { return a.size() == 4; }
bool has_no_thread(arguments const& a) { return a.size() == 5 || a.size() == 7; }
bool has_no_index(arguments const& a) { return has_two(a) || (a.size() == 3 && a[2].is(kind::tuple)); }

// A form that is an operation too is drawn whole where its last argument, the thread or the coordinate, is missing.
struct drawing {
  std::string_view name;
  picture (*draw)(form_call const&);
  bool (*whole)(arguments const&) = nullptr;
};
constexpr drawing drawings[] = {
    {"tv", draw_tv},
    {"tiled_mma", draw_tiled_mma},
    {"tiled_copy", draw_tiled_copy},
    {"permutations", draw_permutations},
    {"partition_A", draw_partition<operand::a>, has_four},
    {"partition_B", draw_partition<operand::b>, has_four},
    {"partition_C", draw_partition<operand::c>, has_four},
    {"partition_S", draw_copy_partition<&ref::copy_atom::src>, has_no_thread},
    {"partition_D", draw_copy_partition<&ref::copy_atom::dst>, has_no_thread},
    {"local_partition", draw_local_partition, has_no_index},
    {"local_tile", draw_local_tile, has_two},
    {"bank_conflict_phases", draw_phases},
};
static_assert(std::equal(std::begin(forms), std::end(forms), std::begin(drawings), std::end(drawings),
                         [](callable const& f, drawing const& d) { return f.name == d.name; }),
              "each form is drawn, in the order of the table");

}  // namespace

std::optional<picture> picture_of_form(request const& r, picture_options const& asked) {
  std::size_t const place = place_in(forms, r.op);
  if (place == std::size(forms) || (drawings[place].whole && !drawings[place].whole(r.args))) return std::nullopt;
  check_no_values(asked);
  check_arguments(forms[place], r);
  try {
    arguments args;
    for (value const& v : r.args) args.push_back(plain(v));
    return with_legend(drawings[place].draw({print(r), std::move(args), asked}));
  } catch (malformed const& e) {
    throw malformed_request(forms[place], r, e);
  }
}

}  // namespace colex
