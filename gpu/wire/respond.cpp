// Which function of the algebra answers each operation on layouts, and the answer to any request.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "gpu/wire/operation.hpp"

namespace colex::gpu {
namespace {

// F of a shape, of two, of a layout, of two, of that or a composed one, or of that and a tiler.
template <auto F>
value of_shape(arguments a) {
  return to_value(F(to_shape(a[0])));
}
template <auto F>
value of_shapes(arguments a) {
  return to_value(F(to_shape(a[0]), to_shape(a[1])));
}
template <auto F>
value of_layout(arguments a) {
  return to_value(F(to_layout(a[0])));
}
template <auto F>
value of_layouts(arguments a) {
  return to_value(F(to_layout(a[0]), to_layout(a[1])));
}
template <auto F>
value of_tensor(arguments a) {
  return on(a[0], F);
}
template <auto F>
value by_tiler(arguments a) {
  tiler const t = to_tiler(uncomposed(a[1]));
  return on(a[0], [&](auto const& l) { return F(l, t); });
}

value coordinates(arguments a) {
  if (a[0].is(kind::swizzle)) return to_value(apply(to_swizzle(a[0]), to_int64(a[1])));
  int_tuple const c = to_tuple(a[1]);
  return on(a[0], [&](auto const& l) { return apply(l, c); });
}
value index_of(arguments a) {
  int_tuple const c = to_tuple(a[0]), s = to_shape(a[1]);
  return to_value(a.size() == 3 ? crd2idx(c, s, to_tuple(a[2])) : crd2idx(c, s));
}
value coordinate_of(arguments a) {
  int_tuple const i = to_tuple(a[0]), s = to_shape(a[1]);
  return to_value(a.size() == 3 ? idx2crd(i, s, to_tuple(a[2])) : idx2crd(i, s));
}
value ordered(arguments a) { return to_value(make_ordered_layout(to_shape(a[0]), to_tuple(a[1]))); }
value chosen(arguments a) {
  std::vector<int64> modes;
  for (value const& i : a.subspan(1)) modes.push_back(to_int64(i));
  return to_value(select_modes(to_layout(a[0]), modes.data(), static_cast<int>(modes.size())));
}
template <class One, class Padded>
value extended_by(arguments a, One one, Padded padded) {
  bool const to_rank = a.size() > 1 && a[1].is(kind::number);
  layout const l = to_layout(a[0]), x = a.size() > (to_rank ? 2u : 1u) ? to_layout(a.back()) : layout_of(1, 0);
  return to_value(to_rank ? padded(l, to_int64(a[1]), x) : one(l, x));
}
template <class Op>
value with_profile(arguments a, Op op) {
  if (a.size() == 1) return on(a[0], [&](auto const& l) { return op(l); });
  int_tuple const p = to_tuple(a[1]);
  return on(a[0], [&](auto const& l) { return op(l, p); });
}
template <class Op>
value rescaled(arguments a, Op op) {
  int64 const n = to_int64(a[1]);
  return a[0].is(kind::swizzle) ? to_value(op(to_swizzle(a[0]), n)) : on(a[0], [&](auto const& l) { return op(l, n); });
}
value recast(arguments a) {
  int64 const from = to_bits(a[1]), to = to_bits(a[2]);
  if (a[0].is(kind::swizzle)) return to_value(recast_layout(to_swizzle(a[0]), from, to));
  return on(a[0], [&](auto const& l) { return recast_layout(l, from, to); });
}
value composed_of(arguments a) {
  if (a.size() == 3) {
    composed const c = composition(to_swizzle(a[0]), to_tuple(a[1]), to_layout(a[2]));
    return is_plain(c) ? to_value(c.inner) : to_value(c);
  }
  if (a[0].is(kind::swizzle)) return to_value(composition(to_swizzle(a[0]), to_swizzle(a[1])));
  return by_tiler<[](auto const& l, tiler const& t) { return composition(l, t); }>(a);
}
// Of linear layouts the largest that there is.
value largest_right_inverse(arguments a) {
  auto const map = through_f2("right_inverse", a);
  return on(a[0], [&](auto const& l) {
    auto const r = right_inverse(l);
    if (map && detail::fits(static_cast<uint64>(size(r)), map->count)) not_the_largest();
    return r;
  });
}
value complement_of(arguments a) {
  layout const l = to_layout(uncomposed(a[0]));
  if (a.size() == 1) return to_value(complement(l));
  return to_value(complement(l, to_shape(a[1])));
}
value tiled_to_shape(arguments a) {
  int_tuple const s = to_shape(a[1]);
  return on(a[0], [&](auto const& l) {
    if (a.size() == 2) return tile_to_shape(l, s);
    if (a[2].is("LayoutLeft")) return tile_to_shape(l, s, layout_left_t{});
    if (a[2].is("LayoutRight")) return tile_to_shape(l, s, layout_right_t{});
    return tile_to_shape(l, s, to_tuple(a[2]));
  });
}

// A layout, or the integer n for n:1.
layout to_factor(value const& v) { return v.is(kind::number) ? layout_of(to_int64(v), 1) : to_layout(v); }

constexpr named<answering> table[] = {
    {"rank", of_shape<[](int_tuple const& s) { return rank(s); }>},
    {"depth", of_shape<[](int_tuple const& s) { return depth(s); }>},
    {"size", of_shape<[](int_tuple const& s) { return size(s); }>},
    {"cosize", of_layout<[](layout const& l) { return cosize(l); }>},
    {"coshape", of_layout<[](layout const& l) { return coshape(l); }>},
    {"product_each", of_shape<[](int_tuple const& s) { return product_each(s); }>},
    {"congruent", [](arguments a) { return to_value(congruent(to_tuple(a[0]), to_tuple(a[1]))); }},
    {"weakly_congruent", [](arguments a) { return to_value(weakly_congruent(to_tuple(a[0]), to_tuple(a[1]))); }},
    {"compatible", of_shapes<[](int_tuple const& s, int_tuple const& t) { return compatible(s, t); }>},
    {"evenly_divides", of_shapes<[](int_tuple const& s, int_tuple const& t) { return evenly_divides(s, t); }>},
    {"ceil_div", of_shapes<[](int_tuple const& s, int_tuple const& t) { return ceil_div(s, t); }>},
    {"shape_div", of_shapes<[](int_tuple const& s, int_tuple const& t) { return shape_div(s, t); }>},
    {"idx2crd", coordinate_of},
    {"crd2idx", index_of},
    {"get_hier_coord", [](arguments a) { return to_value(get_hier_coord(to_layout(a[0]), to_int64(a[1]))); }},
    {"get_flat_coord", [](arguments a) { return to_value(get_flat_coord(to_layout(a[0]), to_int64(a[1]))); }},
    {"get_1d_coord", [](arguments a) { return to_value(get_1d_coord(to_layout(a[0]), to_int64(a[1]))); }},
    {"apply", coordinates},
    {"make_layout_left", of_shape<[](int_tuple const& s) { return make_layout_left(s); }>},
    {"make_layout_right", of_shape<[](int_tuple const& s) { return make_layout_right(s); }>},
    {"make_ordered_layout", ordered},
    {"make_layout_like", of_layout<[](layout const& l) { return make_layout_like(l); }>},
    {"make_fragment_like", of_layout<[](layout const& l) { return make_fragment_like(l); }>},
    {"make_identity_layout", of_shape<[](int_tuple const& s) { return make_identity_layout(s); }>},
    {"get", [](arguments a) { return to_value(get(to_layout(a[0]), to_int64(a[1]))); }},
    {"select", chosen},
    {"take", [](arguments a) { return to_value(take(to_layout(a[0]), to_int64(a[1]), to_int64(a[2]))); }},
    {"group", [](arguments a) { return to_value(group(to_layout(a[0]), to_int64(a[1]), to_int64(a[2]))); }},
    {"append",
     [](arguments a) {
       return extended_by(
           a, [](auto const& l, auto const& x) { return append(l, x); },
           [](auto const& l, int64 n, auto const& x) { return append(l, n, x); });
     }},
    {"prepend",
     [](arguments a) {
       return extended_by(
           a, [](auto const& l, auto const& x) { return prepend(l, x); },
           [](auto const& l, int64 n, auto const& x) { return prepend(l, n, x); });
     }},
    {"replace", [](arguments a) { return to_value(replace(to_layout(a[0]), to_int64(a[1]), to_layout(a[2]))); }},
    {"zip",
     [](arguments a) {
       layout const l = to_layout(a[0]);
       return to_value(a.size() == 2 ? zip(l, to_layout(a[1])) : zip(l));
     }},
    {"flatten", of_tensor<[](auto const& l) { return flatten(l); }>},
    {"slice", [](arguments a) { return on(a[1], [&](auto const& l) { return slice(to_slicer(a[0]), l); }); }},
    {"slice_and_offset",
     [](arguments a) { return on(a[1], [&](auto const& l) { return slice_and_offset(to_slicer(a[0]), l); }); }},
    {"dice", [](arguments a) { return to_value(dice(to_slicer(a[0]), to_layout(a[1]))); }},
    {"coalesce",
     [](arguments a) { return with_profile(a, [](auto const& l, auto const&... p) { return coalesce(l, p...); }); }},
    {"filter_zeros", of_tensor<[](auto const& l) { return filter_zeros(l); }>},
    {"filter", [](arguments a) { return with_profile(a, [](auto const& l, auto const&... p) { return filter(l, p...); }); }},
    {"upcast", [](arguments a) { return rescaled(a, [](auto const& l, int64 n) { return upcast(l, n); }); }},
    {"downcast", [](arguments a) { return rescaled(a, [](auto const& l, int64 n) { return downcast(l, n); }); }},
    {"recast_layout", recast},
    {"max_alignment", of_layout<[](layout const& l) { return max_alignment(l); }>},
    {"composition", composed_of},
    {"complement", complement_of},
    {"right_inverse", largest_right_inverse},
    {"left_inverse", of_tensor<[](auto const& l) { return left_inverse(l); }>},
    {"nullspace", of_layout<[](layout const& l) { return nullspace(l); }>},
    {"max_common_layout", [](arguments a) { return to_value(max_common_layout(to_layout(a[0]), to_layout(a[1]))); }},
    {"max_common_vector", [](arguments a) { return to_value(max_common_vector(to_layout(a[0]), to_layout(a[1]))); }},
    {"domain_distribute", [](arguments a) { return to_value(domain_distribute(to_shape(a[0]), to_int64(a[1]))); }},
    {"logical_divide", by_tiler<[](auto const& l, tiler const& t) { return logical_divide(l, t); }>},
    {"zipped_divide", by_tiler<[](auto const& l, tiler const& t) { return zipped_divide(l, t); }>},
    {"tiled_divide", by_tiler<[](auto const& l, tiler const& t) { return tiled_divide(l, t); }>},
    {"flat_divide", by_tiler<[](auto const& l, tiler const& t) { return flat_divide(l, t); }>},
    {"logical_product", by_tiler<[](auto const& l, tiler const& t) { return logical_product(l, t); }>},
    {"zipped_product", by_tiler<[](auto const& l, tiler const& t) { return zipped_product(l, t); }>},
    {"tiled_product", by_tiler<[](auto const& l, tiler const& t) { return tiled_product(l, t); }>},
    {"flat_product", by_tiler<[](auto const& l, tiler const& t) { return flat_product(l, t); }>},
    {"blocked_product",
     [](arguments a) { return on(a[0], [&](auto const& l) { return blocked_product(l, to_factor(a[1])); }); }},
    {"raked_product", [](arguments a) { return on(a[0], [&](auto const& l) { return raked_product(l, to_factor(a[1])); }); }},
    {"tile_to_shape", tiled_to_shape},
    {"solve_composition_right", of_layouts<[](auto const& l, auto const& m) { return solve_composition_right(l, m); }>},
    {"solve_composition_left", of_layouts<[](auto const& l, auto const& m) { return solve_composition_left(l, m); }>},
    {"solve_logical_divide", of_layouts<[](auto const& l, auto const& m) { return solve_logical_divide(l, m); }>},
};
constexpr auto answering_layouts = by_place<table, group::coordinates, group::algebra>();

answering answering_of(std::size_t place) {
  auto const in = operations[place].in;
  return in <= group::algebra ? answering_layouts[place] : in == group::f2 ? answering_f2(place) : answering_tiling(place);
}
value run(std::size_t place, arguments a) {
  try {
    return answering_of(place)(a);
  } catch (undefined const&) {
    if (auto const map = through_f2(operations[place].name, a)) return spelled(*map);
    throw;
  }
}

}  // namespace

answer respond(request const& r) {
  if (r.op == "hello" && r.args.empty()) return {status::answered, word_of("colex 1 colex-gpu"), {}};
  std::size_t const place = checked_place(r);
  try {
    return answer_of(run(place, r.args));
  } catch (undecided const& e) {
    return {status::undecided, {}, e.reason};
  } catch (undefined const& e) {
    return {status::undefined, {}, e.reason};
  } catch (unspecified const& e) {
    return {status::unspecified, {}, e.reason};
  } catch (unsupported const& e) {
    return {status::unsupported, {}, e.reason};
  } catch (malformed const& e) {
    throw malformed_request(operations[place], r, e);
  }
}

}  // namespace colex::gpu
