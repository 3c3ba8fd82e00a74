// Which function of the algebra answers each operation on tensors, atoms and tilings.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/fold.hpp"
#include "gpu/algebra/swizzle_for.hpp"
#include "gpu/atoms/tiled_copy.hpp"
#include "gpu/wire/operation.hpp"

namespace colex::gpu {
namespace {

// A layout stands for the view behind offset 0.
composed to_tensor(value const& v) {
  if (!v.is(kind::composed)) return view(0, to_layout(v));
  composed const c = to_composed(v);
  return is_plain(c) ? view(0, c.inner) : c;
}
// What `make` says of a name; a name that it knows nothing of is no request.
template <class Make>
auto of_name(value const& v, Make make) {
  try {
    return make(v.word);
  } catch (undefined const& e) {
    throw wrong_value(v, clipped(v.word, 60) + ": " + e.reason);
  }
}
mma_atom to_mma_atom(value const& v) { return of_name(v, make_mma_atom); }
copy_atom to_copy_atom(value const& v) { return of_name(v, make_copy_atom); }

// The bits that a thread moves, or the name of an atom.
shared_access to_access(value const& v) {
  if (is_one_of(kinds_named("width"), v)) return {to_bits(v), 0};
  return shared_access_of(v.word, to_copy_atom(v));
}

int64 element_bits(value const& v) {
  int64 const n = to_bits(v);
  if (n < 1) wrong(v, "a width in bits");
  return n;
}

// T ACCESS, once and again.
value swizzle_of(arguments a) {
  std::vector<warp_access> accesses;
  for (std::size_t k = 2; k < a.size(); k += 2) accesses.push_back({to_layout(a[k]), to_access(a[k + 1])});
  return to_value(swizzle_for(to_layout(a[0]), element_bits(a[1]), accesses.data(), static_cast<int>(accesses.size())));
}

composed to_identity(value const& s) { return view(0, make_identity_layout(to_shape(s))); }

template <composed (*F)(composed const&, tiler const&, int_tuple const&)>
value by_tile(arguments a) {
  return to_value(F(to_tensor(a[0]), to_tiler(a[1]), to_slicer(a[2])));
}
value tile_of(composed const& x, arguments a) {
  if (a.size() == 3) return to_value(local_tile(x, to_tiler(a[1]), to_slicer(a[2])));
  return to_value(local_tile(x, to_tiler(a[1]), to_slicer(a[2]), to_slicer(a[3])));
}
value share_of_thread(arguments a) {
  composed const x = to_tensor(a[0]);
  layout const threads = to_layout(a[1]);
  int64 const i = to_int64(a[2]);
  return to_value(a.size() == 3 ? local_partition(x, threads, i) : local_partition(x, threads, i, to_slicer(a[3])));
}

indexed to_indexed(value const& names, value const& modes) { return {index_names(names.word), to_layout(modes)}; }
// <A,B,C>
value contraction(arguments a) {
  folded const f = fold(to_indexed(a[0], a[1]), to_indexed(a[2], a[3]), to_indexed(a[4], a[5]));
  return {kind::tiler, {to_value(f.a), to_value(f.b), to_value(f.c)}};
}

template <class Atom>
struct field {
  std::string_view name;
  layout Atom::* holds;
};
template <class Atom, std::size_t N>
value field_of(Atom const& atom, value const& name, field<Atom> const (&fields)[N]) {
  for (field<Atom> const& f : fields)
    if (f.name == name.word && (atom.*f.holds).form.count > 0) return to_value(atom.*f.holds);
  atom_has_no_such_field();
}
value mma_field(arguments a) {
  constexpr field<mma_atom> fields[] = {
      {"ThrID", &mma_atom::thr_id},  {"ALayout", &mma_atom::a},     {"BLayout", &mma_atom::b}, {"CLayout", &mma_atom::c},
      {"SFALayout", &mma_atom::sfa}, {"SFBLayout", &mma_atom::sfb}, {"ELayout", &mma_atom::e}};
  mma_atom const atom = to_mma_atom(a[0]);
  return a[1].is("Shape_MNK") ? to_value(atom.shape_mnk) : field_of(atom, a[1], fields);
}
value copy_field(arguments a) {
  constexpr field<copy_atom> fields[] = {{"ThrID", &copy_atom::thr_id},
                                         {"SrcLayout", &copy_atom::src},
                                         {"DstLayout", &copy_atom::dst},
                                         {"RefLayout", &copy_atom::ref}};
  return field_of(to_copy_atom(a[0]), a[1], fields);
}

// ATOM THR T
tiled_mma to_tiled_mma(arguments a) { return make_tiled_mma(to_mma_atom(a[0]), to_layout(a[1]), to_tiler(a[2])); }
template <operand X>
value mma_layout_tv(arguments a) {
  return to_value(layout_tv(to_tiled_mma(a), X));
}
template <operand X>
value mma_thrfrg(arguments a) {
  return to_value(thrfrg(to_tiled_mma(a), X, to_layout(a[3])));
}
template <operand X, composed (*Tensor)(value const&)>
value mma_partition(arguments a) {
  return to_value(partition(to_tiled_mma(a), X, Tensor(a[3]), to_int64(a[4])));
}
template <operand X>
value mma_share_shape(arguments a) {
  return to_value(partition_shape(to_tiled_mma(a), X, to_shape(a[3])));
}
template <operand X>
value mma_fragment(arguments a) {
  return to_value(partition_fragment(to_tiled_mma(a), X, to_shape(a[3])));
}

// COPY TYPE THR VAL, or make_tiled_copy_A COPY TYPE ATOM THR T; and what follows.
struct copy_arguments {
  tiled_copy tiling;
  arguments rest;
};
copy_atom to_copy_atom(value const& name, value const& type) { return in_elements(to_copy_atom(name), of_name(type, bits_of)); }
copy_arguments to_tiled_copy(arguments a) {
  if (!a[2].is(kind::word)) return {make_tiled_copy(to_copy_atom(a[0], a[1]), to_layout(a[2]), to_layout(a[3])), a.subspan(4)};
  constexpr std::string_view makes[] = {"make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C"};
  auto const x = std::find(std::begin(makes), std::end(makes), a[0].word) - std::begin(makes);
  if (x == std::ssize(makes)) wrong(a[0], "make_tiled_copy_A, _B or _C");
  return {make_tiled_copy(to_copy_atom(a[1], a[2]), to_tiled_mma(a.subspan(3)), static_cast<operand>(x)), a.subspan(6)};
}
// f(tiling, arguments behind it)
template <class F>
value on_copy(arguments a, F f) {
  copy_arguments const c = to_tiled_copy(a);
  return to_value(f(c.tiling, c.rest));
}
template <side S>
value copy_layout_tv(arguments a) {
  return on_copy(a, [](tiled_copy const& t, arguments) { return layout_tv(t, S); });
}
template <side S>
value copy_tidfrg(arguments a) {
  return on_copy(a, [](tiled_copy const& t, arguments rest) { return tidfrg(t, S, to_layout(rest[0])); });
}
template <side S>
value copy_partition(arguments a) {
  return on_copy(a, [](tiled_copy const& t, arguments rest) { return partition(t, S, to_tensor(rest[0]), to_int64(rest[1])); });
}
value copy_own_tv(arguments a) {
  return on_copy(a, [](tiled_copy const& t, arguments) { return t.layout_tv; });
}
value copy_tile(arguments a) {
  return on_copy(a, [](tiled_copy const& t, arguments) { return t.tile; });
}
value copy_retile(arguments a) {
  return on_copy(a, [](tiled_copy const& t, arguments rest) { return retile(t, to_layout(rest[0])); });
}

// clang-format off
// What operand X of a tiled MMA answers to.
#define COLEX_OPERAND(X, x)                                              \
    {"tiled_mma_layout" X "_TV", mma_layout_tv<x>},                \
    {"tiled_mma_thrfrg_" X, mma_thrfrg<x>},                        \
    {"partition_" X, mma_partition<x, to_tensor>},                 \
    {"partition_" X "_identity", mma_partition<x, to_identity>},   \
    {"partition_shape_" X, mma_share_shape<x>},                    \
    {"partition_fragment_" X, mma_fragment<x>}
// A tiled copy's operations begin with `name`, its partitions with `share`.
#define COLEX_COPY(name, share)                                          \
    {name "layout_TV", copy_own_tv},                               \
    {name "layoutS_TV", copy_layout_tv<side::source>},             \
    {name "layoutD_TV", copy_layout_tv<side::destination>},        \
    {name "tiler", copy_tile},                                     \
    {name "tidfrg_S", copy_tidfrg<side::source>},                  \
    {name "tidfrg_D", copy_tidfrg<side::destination>},             \
    {name "retile", copy_retile},                                  \
    {share "partition_S", copy_partition<side::source>},           \
    {share "partition_D", copy_partition<side::destination>}
// clang-format on

constexpr named<answering> tilings[] = {
    {"inner_partition", by_tile<inner_partition>},
    {"outer_partition", by_tile<outer_partition>},
    {"local_tile", [](arguments a) { return tile_of(to_tensor(a[0]), a); }},
    {"local_tile_identity", [](arguments a) { return tile_of(to_identity(a[0]), a); }},
    {"local_partition", share_of_thread},
    {"fold", contraction},
    {"bank_conflicts",
     [](arguments a) { return to_value(bank_conflicts(to_tensor(a[0]), element_bits(a[1]), to_int64(a[2]))); }},
    {"bank_conflict_phases",
     [](arguments a) { return to_value(bank_conflict_phases(to_tensor(a[0]), element_bits(a[1]), to_access(a[2]))); }},
    {"swizzle_for", swizzle_of},
    {"mma_atom", mma_field},
    {"copy_atom", copy_field},
    {"tiled_mma_thr_layout_vmnk", [](arguments a) { return to_value(to_tiled_mma(a).thr_layout_vmnk); }},
    {"tiled_mma_tile_shape", [](arguments a) { return to_value(tile_shape(to_tiled_mma(a))); }},
    COLEX_OPERAND("A", operand::a),
    COLEX_OPERAND("B", operand::b),
    COLEX_OPERAND("C", operand::c),
    COLEX_COPY("tiled_copy_", ""),
    COLEX_COPY("tiled_copy_A_", "tiled_copy_A_"),
    COLEX_COPY("tiled_copy_B_", "tiled_copy_B_"),
    COLEX_COPY("tiled_copy_C_", "tiled_copy_C_"),
};
constexpr auto answering_tilings = by_place<tilings, group::tensors, group::tiled_copy>();

}  // namespace

answering answering_tiling(std::size_t place) { return answering_tilings[place]; }

}  // namespace colex::gpu
