// What answers each operation on layouts.
// SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/solve.hpp"
#include "ref/operations.hpp"

namespace colex::ref {
namespace {

value run_apply(arguments const& a) {
  if (a[0].is(kind::swizzle)) return value(swizzle_from(a[0])(N(a[1])));
  composed const c = tensor_of(a[0]);
  return as_value_of(c(T(a[1])), c);
}
value run_append(arguments const& a, bool front) {
  layout const l = L(a[0]);
  bool const counted = a.size() > 1 && a[1].is(kind::number);
  return to_value(pad(l, counted ? I(a[1]) : rank(l) + 1, a.size() == (counted ? 3 : 2) ? L(a.back()) : layout(), front));
}
value run_composition(arguments const& a) {
  if (a.size() == 3) {
    composed const c{swizzle_from(a[0]), point(N(a[1])), L(a[2])};
    if (has_basis(c.inner)) throw undefined("a swizzle of a coordinate");
    return plain(to_value(c));
  }
  if (a[0].is(kind::swizzle)) return to_value(composition(swizzle_from(a[0]), swizzle_from(a[1])));
  return lifted(a[0], [&](layout const& l) { return composition(l, tiler(a[1])); });
}
// Of linear layouts the largest that there is.
value run_right_inverse(arguments const& a) {
  value const r = composed_or_layout(a[0], [](auto const& x) { return right_inverse(x); });
  auto const map = through_f2("right_inverse", a);
  if (map && unit(map->bases.size()) > size(r)) throw undefined("the largest right inverse is not " + print(r));
  return r;
}
value run_slice_and_offset(arguments const& a) {
  value const& c = wild_coordinate(a[0]);
  composed const l = tensor_of(a[1]);
  return view(slice(c, l), l);
}

constexpr named<answering> table[] = {
    {"rank", [](arguments const& a) { return number(rank(L(a[0]))); }},
    {"depth", [](arguments const& a) { return value(depth(shape(L(a[0])))); }},
    {"size",
     [](arguments const& a) { return value(a[0].is(kind::composed) ? size(composed_from(a[0]).inner) : size(L(a[0]))); }},
    {"cosize", [](arguments const& a) { return value(cosize(L(a[0]))); }},
    {"coshape", [](arguments const& a) { return coshape(L(a[0])); }},
    {"product_each", [](arguments const& a) { return product_each(S(a[0])); }},
    {"congruent", [](arguments const& a) { return text(ref::congruent(T(a[0]), T(a[1]))); }},
    {"weakly_congruent", [](arguments const& a) { return text(ref::weakly_congruent(T(a[0]), T(a[1]))); }},
    {"compatible", [](arguments const& a) { return text(ref::compatible(S(a[0]), S(a[1]))); }},
    {"evenly_divides", [](arguments const& a) { return text(evenly_divides(S(a[0]), S(a[1]))); }},
    {"ceil_div", [](arguments const& a) { return ceil_div(S(a[0]), S(a[1])); }},
    {"shape_div", [](arguments const& a) { return shape_div(S(a[0]), S(a[1])); }},
    {"idx2crd",
     [](arguments const& a) { return a.size() == 3 ? idx2crd(T(a[0]), S(a[1]), T(a[2])) : idx2crd(T(a[0]), S(a[1])); }},
    {"crd2idx",
     [](arguments const& a) {
       if (a.size() == 3 && !ref::congruent(S(a[1]), T(a[2]))) wrong(a[2], "congruent to the shape");
       return a.size() == 3 ? to_value(from_value(layout_of(S(a[1]), a[2]))(T(a[0]))) : value(crd2idx(T(a[0]), S(a[1])));
     }},
    {"get_hier_coord", [](arguments const& a) { return get_hier_coord(L(a[0]), value(N(a[1]))); }},
    {"get_flat_coord", [](arguments const& a) { return get_flat_coord(L(a[0]), value(N(a[1]))); }},
    {"get_1d_coord", [](arguments const& a) { return value(get_1d_coord(L(a[0]), value(N(a[1])))); }},
    {"apply", run_apply},

    {"make_layout_left", [](arguments const& a) { return to_value(make_layout_left(S(a[0]))); }},
    {"make_layout_right", [](arguments const& a) { return to_value(make_layout_right(S(a[0]))); }},
    {"make_ordered_layout", [](arguments const& a) { return to_value(make_ordered_layout(S(a[0]), T(a[1]))); }},
    {"make_layout_like", [](arguments const& a) { return to_value(make_layout_like(L(a[0]))); }},
    {"make_fragment_like", [](arguments const& a) { return to_value(make_fragment_like(L(a[0]))); }},
    {"make_identity_layout", [](arguments const& a) { return to_value(make_identity_layout(S(a[0]))); }},
    {"get", [](arguments const& a) { return to_value(mode(L(a[0]), I(a[1]))); }},
    {"select",
     [](arguments const& a) {
       std::vector<std::size_t> which;
       for (std::size_t k = 1; k < a.size(); ++k) which.push_back(I(a[k]));
       return to_value(select(L(a[0]), which));
     }},
    {"take", [](arguments const& a) { return to_value(take(L(a[0]), I(a[1]), I(a[2]))); }},
    {"group", [](arguments const& a) { return to_value(group(L(a[0]), I(a[1]), I(a[2]))); }},
    {"append", [](arguments const& a) { return run_append(a, false); }},
    {"prepend", [](arguments const& a) { return run_append(a, true); }},
    {"replace", [](arguments const& a) { return to_value(replace(L(a[0]), I(a[1]), L(a[2]))); }},
    {"zip", [](arguments const& a) { return to_value(a.size() == 1 ? zip(L(a[0])) : zip(L(a[0]), L(a[1]))); }},
    {"flatten", [](arguments const& a) { return lifted(a[0], [](layout const& l) { return flatten(l); }); }},
    {"slice",
     [](arguments const& a) {
       return a[1].is(kind::composed) ? run_slice_and_offset(a) : to_value(slice(wild_coordinate(a[0]), L(a[1])));
     }},
    {"slice_and_offset", run_slice_and_offset},
    {"dice", [](arguments const& a) { return to_value(dice(wild_coordinate(a[0]), L(a[1]))); }},
    {"coalesce",
     [](arguments const& a) {
       return lifted(a[0], [&](layout const& l) { return a.size() == 2 ? coalesce(l, T(a[1])) : coalesce(l); });
     }},
    {"filter_zeros", [](arguments const& a) { return lifted(a[0], [](layout const& l) { return filter_zeros(l); }); }},
    {"filter",
     [](arguments const& a) {
       return lifted(a[0], [&](layout const& l) { return a.size() == 2 ? filter(l, T(a[1])) : filter(l); });
     }},
    {"upcast", [](arguments const& a) { return on_each(a[0], [&](auto const& x) { return upcast(x, N(a[1])); }); }},
    {"downcast", [](arguments const& a) { return on_each(a[0], [&](auto const& x) { return downcast(x, N(a[1])); }); }},
    {"recast_layout",
     [](arguments const& a) {
       return on_each(a[0], [&](auto const& x) { return recast(x, width_ratio(bits(a[1]), bits(a[2]))); });
     }},
    {"max_alignment", [](arguments const& a) { return value(max_alignment(L(a[0]))); }},

    {"composition", run_composition},
    {"complement",
     [](arguments const& a) {
       layout const l = L(uncomposed(a[0]));
       return to_value(a.size() == 2 ? complement(l, a[1].is(kind::number) ? value(N(a[1])) : S(a[1])) : complement(l));
     }},
    {"right_inverse", run_right_inverse},
    {"left_inverse",
     [](arguments const& a) { return composed_or_layout(a[0], [](auto const& x) { return left_inverse(x); }); }},
    {"nullspace", [](arguments const& a) { return to_value(nullspace(L(a[0]))); }},
    {"max_common_layout", [](arguments const& a) { return to_value(max_common_layout(L(a[0]), L(a[1]))); }},
    {"max_common_vector", [](arguments const& a) { return value(size(max_common_layout(L(a[0]), L(a[1])))); }},
    {"domain_distribute", [](arguments const& a) { return to_value(domain_distribute(shape_of(a[0]), N(a[1]))); }},
    {"logical_divide", by_tiler<logical_divide>},
    {"zipped_divide", by_tiler<zipped_divide>},
    {"tiled_divide", by_tiler<tiled_divide>},
    {"flat_divide", by_tiler<flat_divide>},
    {"logical_product", by_tiler<logical_product>},
    {"zipped_product", by_tiler<zipped_product>},
    {"tiled_product", by_tiler<tiled_product>},
    {"flat_product", by_tiler<flat_product>},
    {"blocked_product", by_layout<blocked_product>},
    {"raked_product", by_layout<raked_product>},
    {"tile_to_shape",
     [](arguments const& a) {
       return lifted(a[0],
                     [&](layout const& l) { return tile_to_shape(l, S(a[1]), a.size() == 3 ? a[2] : word_of("LayoutLeft")); });
     }},
    {"solve_composition_right", [](arguments const& a) { return to_value(solve_composition_right(L(a[0]), L(a[1]))); }},
    {"solve_composition_left", [](arguments const& a) { return to_value(solve_composition_left(L(a[0]), L(a[1]))); }},
    {"solve_logical_divide", [](arguments const& a) { return to_value(solve_logical_divide(L(a[0]), L(a[1]))); }},
};
constexpr auto answering_layouts = by_place<table, group::coordinates, group::algebra>();

}  // namespace

answering answering_layout(std::size_t place) { return answering_layouts[place]; }

}  // namespace colex::ref
