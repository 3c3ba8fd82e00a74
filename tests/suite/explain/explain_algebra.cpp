// Steps of the operations on layouts: see trail.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/trail.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

void steps_of_apply(trail& t, arguments const& a) {
  value const& c = ref::T(a[1]);
  if (a[0].is(kind::swizzle)) return;
  composed const x = ref::tensor_of(a[0]);
  if (!c.is(kind::tuple))
    t.add("coordinate", "The index in colexicographic digits; the last mode goes on.", ref::idx2crd(c, shape(x.inner)));
  point const inner = x.inner(c), moved = x.offset + inner;
  t.add("inner product", "Each digit times its stride.", ref::as_value_of(inner, x));
  if (a[0].is(kind::composed)) t.add("offset", "The view begins there.", ref::as_value_of(moved, x));
  if (x.outer) t.add("swizzle", "The bits at the swizzle's source flip those at its target.", value((*x.outer)(moved.number)));
}
void steps_of_flat_coord(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  t.add("get_hier_coord", "(i / d) mod s at each leaf: the inverse of a compact layout.", get_hier_coord(l, a[1]));
  t.add("get_flat_coord", "The coordinate inside each mode as one number.", get_flat_coord(l, a[1]));
}
void steps_of_1d_coord(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  t.add("get_hier_coord", "(i / d) mod s at each leaf: the inverse of a compact layout.", get_hier_coord(l, a[1]));
  t.add("crd2idx", "The coordinate as one number, counting colexicographically.", value(get_1d_coord(l, a[1])));
}

void steps_of_layout_like(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  t.add("filter_zeros", "What broadcasts has extent 1: it needs no room.", filter_zeros(l));
  t.add("order", "The strides say which mode is fastest.", stride(l));
  t.add("make_ordered_layout", "Compact in that order.", ref::make_ordered_layout(shape(filter_zeros(l)), stride(l)));
  t.add("make_layout_like", "What broadcast before broadcasts again.", make_layout_like(l));
}
void steps_of_fragment_like(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  if (rank(l) > 1) {
    layout const rest = take(l, 1, rank(l));
    t.add("rest", "Everything behind the values of one instruction.", rest);
    t.add("make_ordered_layout", "The rest compact, in the order of its strides.",
          ref::make_ordered_layout(shape(rest), stride(rest)));
  }
  t.add("make_fragment_like", "The values of one instruction are compact and come first, the rest repeats them.",
        make_fragment_like(l));
}
void steps_of_slice_and_offset(trail& t, arguments const& a) {
  value const& c = ref::wild_coordinate(a[0]);
  composed const x = ref::tensor_of(a[1]);
  t.add("slice", "The modes under _ remain.", slice(c, x.inner));
  t.add("offset", "The value at the coordinate with 0 in place of each _.", ref::as_value_of(slice_offset(c, x.inner), x));
  t.add("view", "What remains begins there.", ref::view(slice(c, x), x));
}

layout coalesced(trail& t, layout const& a) {
  layout const flat = t.add("flatten", "The leaves in order; parentheses do not matter.", flatten(a));
  std::vector<layout> moving = leaves(flat);
  std::erase_if(moving, [](layout const& m) { return m.extent == 1; });
  t.add("drop extent 1", "A leaf of extent 1 contributes nothing inside the size.", ref::unwrapped(moving));
  return t.add("merge", "A leaf that goes on where the one before ends (s*d is the next stride) joins it.", coalesce(a));
}
void steps_of_coalesce(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  if (a.size() == 2 && a[1].is(kind::tuple)) {
    for (std::size_t i = 0; i < std::min(a[1].items.size(), rank(l)); ++i)
      t.in_mode(i, [&] { t.add("coalesce", "Merged under the profile.", coalesce(mode(l, i), a[1].items[i])); });
    put_behind(t, a[0], t.add("coalesce", "Mode by mode; modes beyond the profile stay.", coalesce(l, a[1])));
  } else {
    put_behind(t, a[0], coalesced(t, l));
  }
}
void steps_of_filter(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  t.add("filter_zeros", "Stride 0 gets extent 1: only what moves is left.", filter_zeros(l));
  put_behind(t, a[0], t.add("coalesce", "Extent 1 goes, neighbours merge.", a.size() == 2 ? filter(l, a[1]) : filter(l)));
}
void steps_of_recast(trail& t, arguments const& a) {
  if (!a[0].is(kind::layout)) return;
  layout const l = ref::L(a[0]);
  ref::width_ratio const r(ref::bits(a[1]), ref::bits(a[2]));
  t.add("ratio", "The widths in lowest terms: elements become so many times wider, then narrower.",
        tuple_of({value(r.up), value(r.down)}));
  if (r.up != 1 && r.down != 1) t.add("upcast", "The same memory in wider elements.", upcast(l, r.up));
  t.add(r.up == 1     ? "downcast"
        : r.down == 1 ? "upcast"
                      : "downcast",
        "The same memory in elements of the width asked for.", recast(l, r));
}
void steps_of_distribute(trail& t, arguments const& a) {
  value const s = ref::shape_of(a[0]);
  integer const n = ref::N(a[1]);
  t.add("make_layout_left", "The domain, counted colexicographically.", ref::make_layout_left(s));
  t.add("distribute", "Front to back each mode takes as many threads as divide it.", ref::distributed(s, n));
  t.add("coalesce", "Neighbours merge.", ref::domain_distribute(s, n));
}

layout composed_steps(trail& t, layout const& a, value const& tiler) {
  if (auto const b = ref::as_layout(tiler)) {
    std::vector<layout> const all = leaves(*b);
    for (layout const& leaf : all)
      if (all.size() > 1 && leaf.extent > 1)
        t.add("A o " + print(to_value(leaf)),
              "The values of A at the multiples that this leaf takes, by their longest linear runs.", composition(a, leaf));
    return t.add("composition", "The leaves side by side: at every coordinate c of B the value A(B(c)), checked as a whole.",
                 composition(a, *b));
  }
  each_mode(t, a, tiler, [&](layout const& m, value const& tile) { composed_steps(t, m, tile); });
  return t.add("composition", "Mode by mode; `_` keeps a mode, modes beyond the tiler are dropped.", composition(a, tiler));
}
void steps_of_composition(trail& t, arguments const& a) {
  if (a[0].is(kind::swizzle)) return;
  layout const l = inner_of(a[0]);
  put_behind(t, a[0], composed_steps(t, l, ref::tiler(a[1])));
}

layout complement_steps(trail& t, layout const& a, value const& m) {
  std::vector<layout> const sorted = ref::sorted_leaves(a);
  t.add("sort", "The leaves that move, by stride; extent 1 and stride 0 take no room.", ref::unwrapped(sorted));
  layout const free = complement(a, m);
  t.add("gaps", "Between the end of a leaf and the next stride: how often it fits; behind the last, up to " + print(m) + ".",
        ref::gaps(sorted, m));
  return t.add("complement", "Neighbours merge: what the layout leaves free.", free);
}
void steps_of_complement(trail& t, arguments const& a) {
  layout const l = ref::L(ref::uncomposed(a[0]));
  complement_steps(t, l, a.size() == 2 ? a[1] : value(cosize(filter(l))));
}

std::vector<layout> leaves_of(std::vector<ref::weighted_leaf> const& all) {
  std::vector<layout> out;
  for (ref::weighted_leaf const& m : all) out.push_back(m.leaf);
  return out;
}
void inverse_steps(trail& t, layout const& a) {
  t.add("sort", "The leaves that move, by stride.", ref::unwrapped(leaves_of(ref::weighted_sorted(a))));
  t.add("contiguous", "Those that begin where the ones before end; each as far apart as its index is.",
        ref::contiguous_leaves(a));
}
// How R follows from the contiguous leaves, or in spite of them.
std::string why_right_inverse(layout const& a, layout const& r) {
  std::string const largest = ": the largest layout R with A(R(i)) == i, by search.";
  if (size(r) == 1) return "No index has the value 1: R ends behind the value 0.";
  if (single_valued(a)) return "Neighbours merge.";
  bool const down = ref::weighted_sorted(a)[0].leaf.stride.number < 0;
  return (down ? "Leaves that go down continue no run, but their values count" : "Leaves overlap") + largest;
}
void steps_of_right_inverse(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  inverse_steps(t, l);
  layout const r = right_inverse(l);
  t.add("right_inverse", why_right_inverse(l, r), r);
  if (a[0].is(kind::composed))
    t.add("swizzle", "The swizzle acts on the bits that the inverse moves.", right_inverse(ref::composed_from(a[0])));
}
void steps_of_left_inverse(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  layout const sorted = t.add("sort", "The leaves that move, by stride.", ref::unwrapped(ref::sorted_leaves(l)));
  layout const r = left_inverse(l);
  bool const gaps = size(sorted) == 1 || ref::dividing_inverse(l);
  t.add("left_inverse",
        gaps ? "Gaps get stride 0, each leaf the index of its step."
             : "Strides do not divide one another: the layout through all pairs of value and index.",
        r);
  if (a[0].is(kind::composed))
    t.add("swizzle", "The swizzle acts on the bits that the inverse moves.", left_inverse(ref::composed_from(a[0])));
}
layout common_steps(trail& t, arguments const& a) {
  layout const x = ref::L(a[0]), y = ref::L(a[1]);
  t.add("inverse of A", "Where A has 0, 1, 2, ...", ref::contiguous_inverse(x));
  t.add("inverse of B", "Where B has 0, 1, 2, ...", ref::contiguous_inverse(y));
  return t.add("max_common_layout", "As far as both are the same.", max_common_layout(x, y));
}
void steps_of_common_layout(trail& t, arguments const& a) { common_steps(t, a); }
void steps_of_common_vector(trail& t, arguments const& a) {
  t.add("size", "That many elements are contiguous in both.", value(size(common_steps(t, a))));
}
void steps_of_alignment(trail& t, arguments const& a) {
  layout const l = ref::L(a[0]);
  inverse_steps(t, l);
  t.add("max_alignment", "The size of that run, as far as it divides every stride beyond it.", value(max_alignment(l)));
}

bool divides(layout const& a, layout const& b, layout (*divide)(layout const&, layout const&)) {
  try {
    return divide(a, b), true;
  } catch (ref::undefined const&) {
    return false;
  }
}
layout divided(trail& t, layout const& a, layout const& b) {
  layout whole = a;
  if (!divides(a, b, ref::divide_exactly) && divides(a, b, ref::logical_divide))
    whole = t.add("round up", "The tile does not divide A: one mode is rounded up, its last tile runs past the end.",
                  *rounded_up(a, b));
  t.add("complement", "Where the tile repeats below " + size(whole).str() + ".", complement(b, value(size(whole))));
  t.add("(B, B*)", "The tile, then its repetitions.", ref::tile_and_rest(whole, b));
  return t.add("logical_divide", "A o (B, B*): mode 0 is a tile, mode 1 says which.", logical_divide(a, b));
}
layout divided(trail& t, layout const& a, value const& tiler) {
  if (auto const b = ref::as_tile(tiler)) return divided(t, a, *b);
  each_mode(t, a, tiler, [&](layout const& m, value const& tile) { divided(t, m, tile); });
  return t.add("logical_divide", "Each mode by its tile; `_` keeps a mode, modes beyond the tiler stay.",
               logical_divide(a, tiler));
}
layout multiplied(trail& t, layout const& a, layout const& b) {
  t.add("complement", "The room that A leaves, enough for " + cosize(b).str() + " copies.", ref::room_for(a, b));
  return t.add("logical_product", "(A, A* o B): the copies of A lie where B says.", logical_product(a, b));
}
layout multiplied(trail& t, layout const& a, value const& tiler) {
  if (auto const b = ref::as_tile(tiler)) return multiplied(t, a, *b);
  each_mode(t, a, tiler, [&](layout const& m, value const& tile) { multiplied(t, m, tile); });
  return t.add("logical_product", "Each mode by its tile; `_` keeps a mode, modes beyond the tiler stay.",
               logical_product(a, tiler));
}

// The steps of a divide or product, then the regrouping of its modes: zipped, tiled (from = 1) or flat (from = 0).
template <layout (*First)(trail&, layout const&, value const&)>
layout zipped(trail& t, layout const& a, value const& tiler) {
  layout const pairs = First(t, a, tiler);
  return t.add("zip", "The tiles of all modes together, then all that says which tile.", unzip_tiles(pairs, tiler));
}
template <layout (*First)(trail&, layout const&, value const&)>
void steps_plain(trail& t, arguments const& a) {
  put_behind(t, a[0], First(t, inner_of(a[0]), ref::tiler(a[1])));
}
template <layout (*First)(trail&, layout const&, value const&), std::size_t From>
void steps_unpacked(trail& t, arguments const& a) {
  layout const z = zipped<First>(t, inner_of(a[0]), ref::tiler(a[1]));
  char const* const why = From ? "The modes behind the tile are unpacked." : "The tile and what is behind it are unpacked.";
  put_behind(t, a[0], t.add("unpack", why, unpack_from(z, From)));
}
template <layout (*Pair)(layout const&, layout const&)>
layout paired(trail& t, layout const& a, layout const& b, char const* name, char const* why) {
  std::size_t const r = std::max(rank(a), rank(b));
  if (rank(a) < r) t.add("append", "A gets modes 1:0 up to the rank of B.", append(a, r));
  if (rank(b) < r) t.add("append", "B gets modes 1:0 up to the rank of A.", append(b, r));
  multiplied(t, append(a, r), append(b, r));
  return t.add(name, why, Pair(a, b));
}
layout layout_argument(value const& v) { return v.is(kind::number) ? *ref::as_layout(ref::tiler(v)) : ref::L(v); }
void steps_of_blocked(trail& t, arguments const& a) {
  put_behind(t, a[0],
             paired<ref::blocked_product>(t, inner_of(a[0]), layout_argument(a[1]), "zip",
                                          "Mode i of A with mode i of B: blocks side by side."));
}
void steps_of_raked(trail& t, arguments const& a) {
  put_behind(t, a[0],
             paired<ref::raked_product>(t, inner_of(a[0]), layout_argument(a[1]), "zip",
                                        "Mode i of B with mode i of A: A is raked over B."));
}
void steps_of_tile_to_shape(trail& t, arguments const& a) {
  layout const l = inner_of(a[0]);
  value const order = a.size() == 3 ? a[2] : word_of("LayoutLeft");
  layout const block = t.add("append", "The block with a mode for each of the shape.", append(l, rank(ref::S(a[1]))));
  t.add("copies", "How often the block repeats along each mode, in the order asked for.", ref::copies(block, a[1], order));
  put_behind(t, a[0], t.add("blocked_product", "The block repeated so.", tile_to_shape(l, a[1], order)));
}

constexpr named<stepping> steps[] = {
    {"rank", no_steps},
    {"depth", no_steps},
    {"size", no_steps},
    {"cosize", no_steps},
    {"coshape", no_steps},
    {"product_each", no_steps},
    {"congruent", no_steps},
    {"weakly_congruent", no_steps},
    {"compatible", no_steps},
    {"evenly_divides", no_steps},
    {"ceil_div", no_steps},
    {"shape_div", no_steps},
    {"crd2idx", no_steps},
    {"idx2crd", no_steps},
    {"get_hier_coord", no_steps},
    {"get_flat_coord", steps_of_flat_coord},
    {"get_1d_coord", steps_of_1d_coord},
    {"apply", steps_of_apply},
    {"make_layout_left", no_steps},
    {"make_layout_right", no_steps},
    {"make_ordered_layout", no_steps},
    {"make_layout_like", steps_of_layout_like},
    {"make_fragment_like", steps_of_fragment_like},
    {"make_identity_layout", no_steps},
    {"get", no_steps},
    {"select", no_steps},
    {"take", no_steps},
    {"group", no_steps},
    {"append", no_steps},
    {"prepend", no_steps},
    {"replace", no_steps},
    {"zip", no_steps},
    {"flatten", no_steps},
    {"slice", no_steps},
    {"slice_and_offset", steps_of_slice_and_offset},
    {"dice", no_steps},
    {"coalesce", steps_of_coalesce},
    {"filter_zeros", no_steps},
    {"filter", steps_of_filter},
    {"upcast", no_steps},
    {"downcast", no_steps},
    {"recast_layout", steps_of_recast},
    {"max_alignment", steps_of_alignment},
    {"composition", steps_of_composition},
    {"complement", steps_of_complement},
    {"right_inverse", steps_of_right_inverse},
    {"left_inverse", steps_of_left_inverse},
    {"nullspace", no_steps},
    {"max_common_layout", steps_of_common_layout},
    {"max_common_vector", steps_of_common_vector},
    {"domain_distribute", steps_of_distribute},
    {"logical_divide", steps_plain<divided>},
    {"zipped_divide", steps_plain<zipped<divided>>},
    {"tiled_divide", steps_unpacked<divided, 1>},
    {"flat_divide", steps_unpacked<divided, 0>},
    {"logical_product", steps_plain<multiplied>},
    {"zipped_product", steps_plain<zipped<multiplied>>},
    {"tiled_product", steps_unpacked<multiplied, 1>},
    {"flat_product", steps_unpacked<multiplied, 0>},
    {"blocked_product", steps_of_blocked},
    {"raked_product", steps_of_raked},
    {"tile_to_shape", steps_of_tile_to_shape},
    {"solve_composition_right", no_steps},
    {"solve_composition_left", no_steps},
    {"solve_logical_divide", no_steps},
};
constexpr auto steps_by_place = by_place<steps, group::coordinates, group::algebra>();

}  // namespace

stepping steps_on_layouts(std::size_t place) { return steps_by_place[place]; }
layout zipped_divided(trail& t, layout const& a, value const& tiler) { return zipped<divided>(t, a, tiler); }

}  // namespace colex
