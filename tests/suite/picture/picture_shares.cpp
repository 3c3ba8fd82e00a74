// The forms: who holds what of a tile, a tensor, a permutation. See picture.hpp. All algebra is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/make_picture.hpp"
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
          {panel_of(operand_name[static_cast<int>(X)], lettered(plane_of(s), X), shares_of(ref::mma_of(f.args), X, places(s)),
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
    {"tiled_mma", "ATOM [THR] [T]", 3, 3, draw_tiled_mma},
    {"tiled_copy", "COPY TYPE THR [VAL], or make_tiled_copy_A COPY TYPE ATOM THR T", 4, 6, draw_tiled_copy},
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
    throw malformed(
        0, fmt::format("{} takes {}, not {} argument{}", f.name, f.usage, r.args.size(), r.args.size() == 1 ? "" : "s"));
  try {
    return f.draw({print(r), r.args, asked});
  } catch (malformed const& e) {
    throw malformed(0, fmt::format("{} {}: {}", f.name, f.usage, e.what()));
  }
}

}  // namespace

bool is_form(std::string const& name) {
  return std::any_of(std::begin(forms), std::end(forms), [&](form const& x) { return x.name == name; });
}
bool form_takes_tiler(std::string const& name, std::size_t place) {
  auto const f = std::find_if(std::begin(forms), std::end(forms), [&](form const& x) { return x.name == name; });
  std::string_view usage = f == std::end(forms) ? "" : f->usage;
  while (!usage.empty()) {
    std::string_view way = take_until(usage, ", or "), word;
    for (std::size_t k = 0; k <= place; ++k) word = take_until(way, " ");
    if (word == "T" || word == "[T]") return true;
  }
  return false;
}
std::optional<picture> picture_of_form(request const& r, picture_options const& asked) {
  auto const f = std::find_if(std::begin(forms), std::end(forms), [&](form const& x) { return x.name == r.op; });
  if (f == std::end(forms) || (f->whole && !f->whole(r.args))) return std::nullopt;
  check_no_values(asked);
  return with_legend(draw_form(*f, r, asked));
}

}  // namespace colex
