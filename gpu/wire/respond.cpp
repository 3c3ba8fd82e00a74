// The table of operations on layouts, and the answer to any request: which arguments each operation takes and which function of
// the algebra answers.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "gpu/wire/operation.hpp"

namespace colex::gpu {
namespace {

// What belongs to a layout or to a shape alone.
template <class Op>
value on_shape(value const& a, Op op) {
  return to_value(op(to_shape(a)));
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
  return on(a[0], [&](auto const& l) { return select_modes(l, modes.data(), static_cast<int>(modes.size())); });
}
template <class One, class Padded>
value extended_by(arguments a, One one, Padded padded) {
  bool const to_rank = a.size() > 1 && a[1].is(kind::number);
  if (a.size() == 3 && !to_rank) wrong_kind(a[1], "a rank");
  layout const x = a.size() > (to_rank ? 2u : 1u) ? to_layout(a.back()) : layout_of(1, 0);
  if (!to_rank) return on(a[0], [&](auto const& l) { return one(l, x); });
  int64 const n = to_int64(a[1]);
  return on(a[0], [&](auto const& l) { return padded(l, n, x); });
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
template <class Op>
value tiled(arguments a, Op op) {
  tiler const t = to_tiler(a[1]);
  return on(a[0], [&](auto const& l) { return op(l, t); });
}
value composed_of(arguments a) {
  if (a.size() == 3) {
    if (!a[0].is(kind::swizzle)) wrong_kind(a[0], "a swizzle");
    composed const c = composition(to_swizzle(a[0]), to_tuple(a[1]), to_layout(a[2]));
    return is_plain(c) ? to_value(c.inner) : to_value(c);
  }
  if (a[0].is(kind::swizzle) && a[1].is(kind::swizzle)) return to_value(composition(to_swizzle(a[0]), to_swizzle(a[1])));
  return tiled(a, [](auto const& l, tiler const& t) { return composition(l, t); });
}
value complement_of(arguments a) {
  layout const l = to_layout(a[0]);
  if (a.size() == 1) return to_value(complement(l));
  if (a[1].is(kind::layout)) wrong_kind(a[1], "an integer or a tuple of integers");
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

// f applied to a layout or a composed one, with what the other arguments are.
#define COLEX_UNARY(f) {#f, 1, 1, [](arguments a) { return on(a[0], [](auto const& l) { return f(l); }); }}
#define COLEX_LAYOUT(f) {#f, 1, 1, [](arguments a) { return to_value(f(to_layout(a[0]))); }}
#define COLEX_SHAPE(f) {#f, 1, 1, [](arguments a) { return on_shape(a[0], [](auto const& s) { return f(s); }); }}
#define COLEX_SHAPES(f) {#f, 2, 2, [](arguments a) { return to_value(f(to_shape(a[0]), to_shape(a[1]))); }}
#define COLEX_TILED(f) {#f, 2, 2, [](arguments a) { return tiled(a, [](auto const& l, tiler const& t) { return f(l, t); }); }}

constexpr operation operations[] = {
    COLEX_SHAPE(rank),
    COLEX_SHAPE(depth),
    COLEX_SHAPE(size),
    COLEX_LAYOUT(cosize),
    COLEX_LAYOUT(coshape),
    COLEX_SHAPE(product_each),
    {"congruent", 2, 2, [](arguments a) { return to_value(congruent(to_tuple(a[0]), to_tuple(a[1]))); }},
    {"weakly_congruent", 2, 2, [](arguments a) { return to_value(weakly_congruent(to_tuple(a[0]), to_tuple(a[1]))); }},
    COLEX_SHAPES(compatible),
    COLEX_SHAPES(evenly_divides),
    COLEX_SHAPES(ceil_div),
    COLEX_SHAPES(shape_div),
    {"idx2crd", 2, 3, coordinate_of},
    {"crd2idx", 2, 3, index_of},
    {"get_hier_coord", 2, 2, [](arguments a) { return to_value(get_hier_coord(to_layout(a[0]), to_int64(a[1]))); }},
    {"get_flat_coord", 2, 2, [](arguments a) { return to_value(get_flat_coord(to_layout(a[0]), to_int64(a[1]))); }},
    {"get_1d_coord", 2, 2, [](arguments a) { return to_value(get_1d_coord(to_layout(a[0]), to_int64(a[1]))); }},
    {"apply", 2, 2, coordinates},
    COLEX_SHAPE(make_layout_left),
    COLEX_SHAPE(make_layout_right),
    {"make_ordered_layout", 2, 2, ordered},
    COLEX_LAYOUT(make_layout_like),
    COLEX_UNARY(make_fragment_like),
    COLEX_SHAPE(make_identity_layout),
    {"get", 2, 2, [](arguments a) { return on(a[0], [&](auto const& l) { return get(l, to_int64(a[1])); }); }},
    {"select", 2, max_line, chosen},
    {"take", 3, 3,
     [](arguments a) { return on(a[0], [&](auto const& l) { return take(l, to_int64(a[1]), to_int64(a[2])); }); }},
    {"group", 3, 3,
     [](arguments a) { return on(a[0], [&](auto const& l) { return group(l, to_int64(a[1]), to_int64(a[2])); }); }},
    {"append", 1, 3,
     [](arguments a) {
       return extended_by(
           a, [](auto const& l, auto const& x) { return append(l, x); },
           [](auto const& l, int64 n, auto const& x) { return append(l, n, x); });
     }},
    {"prepend", 1, 3,
     [](arguments a) {
       return extended_by(
           a, [](auto const& l, auto const& x) { return prepend(l, x); },
           [](auto const& l, int64 n, auto const& x) { return prepend(l, n, x); });
     }},
    {"replace", 3, 3,
     [](arguments a) { return on(a[0], [&](auto const& l) { return replace(l, to_int64(a[1]), to_layout(a[2])); }); }},
    {"zip", 1, 2,
     [](arguments a) {
       if (a.size() == 2) return to_value(zip(to_layout(a[0]), to_layout(a[1])));
       return on(a[0], [](auto const& l) { return zip(l); });
     }},
    COLEX_UNARY(flatten),
    {"slice", 2, 2, [](arguments a) { return on(a[1], [&](auto const& l) { return slice(to_slicer(a[0]), l); }); }},
    {"slice_and_offset", 2, 2,
     [](arguments a) { return on(a[1], [&](auto const& l) { return slice_and_offset(to_slicer(a[0]), l); }); }},
    {"dice", 2, 2, [](arguments a) { return to_value(dice(to_slicer(a[0]), to_layout(a[1]))); }},
    {"coalesce", 1, 2,
     [](arguments a) { return with_profile(a, [](auto const& l, auto const&... p) { return coalesce(l, p...); }); }},
    COLEX_UNARY(filter_zeros),
    {"filter", 1, 2,
     [](arguments a) { return with_profile(a, [](auto const& l, auto const&... p) { return filter(l, p...); }); }},
    {"upcast", 2, 2, [](arguments a) { return rescaled(a, [](auto const& l, int64 n) { return upcast(l, n); }); }},
    {"downcast", 2, 2, [](arguments a) { return rescaled(a, [](auto const& l, int64 n) { return downcast(l, n); }); }},
    {"recast_layout", 3, 3, recast},
    COLEX_UNARY(max_alignment),
    {"composition", 2, 3, composed_of},
    {"complement", 1, 2, complement_of},
    COLEX_UNARY(right_inverse),
    COLEX_UNARY(left_inverse),
    COLEX_LAYOUT(nullspace),
    {"max_common_layout", 2, 2, [](arguments a) { return to_value(max_common_layout(to_layout(a[0]), to_layout(a[1]))); }},
    {"max_common_vector", 2, 2, [](arguments a) { return to_value(max_common_vector(to_layout(a[0]), to_layout(a[1]))); }},
    {"domain_distribute", 2, 2, [](arguments a) { return to_value(domain_distribute(to_shape(a[0]), to_int64(a[1]))); }},
    COLEX_TILED(logical_divide),
    COLEX_TILED(zipped_divide),
    COLEX_TILED(tiled_divide),
    COLEX_TILED(flat_divide),
    COLEX_TILED(logical_product),
    COLEX_TILED(zipped_product),
    COLEX_TILED(tiled_product),
    COLEX_TILED(flat_product),
    {"blocked_product", 2, 2,
     [](arguments a) { return on(a[0], [&](auto const& l) { return blocked_product(l, to_factor(a[1])); }); }},
    {"raked_product", 2, 2,
     [](arguments a) { return on(a[0], [&](auto const& l) { return raked_product(l, to_factor(a[1])); }); }},
    {"tile_to_shape", 2, 3, tiled_to_shape},
    {"hello", 0, 0, [](arguments) { return word_of("colex-gpu"); }},
};

operation const& find(std::string_view name) {
  for (std::span<operation const> const table : {std::span<operation const>(operations), tiling_operations()})
    for (operation const& o : table)
      if (o.name == name) return o;
  throw malformed(0, "unknown operation " + std::string(name));
}

}  // namespace

answer respond(request const& r) {
  operation const& o = find(r.op);
  if (r.args.size() < o.least || r.args.size() > o.most)
    throw malformed(0, r.op + " takes " + std::to_string(o.least) + (o.most > o.least ? " to " + std::to_string(o.most) : "") +
                           " arguments, not " + std::to_string(r.args.size()));
  try {
    return {status::answered, o.answer(r.args), {}};
  } catch (undefined const& e) {
    return {status::undefined, {}, e.reason};
  } catch (unspecified const& e) {
    return {status::unspecified, {}, e.reason};
  } catch (unsupported const& e) {
    return {status::unsupported, {}, e.reason};
  }
}

}  // namespace colex::gpu
