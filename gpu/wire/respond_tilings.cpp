// The table of operations on atoms, tilings and tensors: how each takes its arguments from a request.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/algebra/fold.hpp"
#include "gpu/atoms/tiled_copy.hpp"
#include "gpu/wire/operation.hpp"

namespace colex::gpu {
namespace {

std::string const& to_word(value const& v, char const* wanted) {
  if (!v.is(kind::word)) wrong_kind(v, wanted);
  return v.word;
}
tiler to_modes(value const& v) {
  if (!v.is(kind::tiler)) wrong_kind(v, "a tiler <...> by mode");
  return to_tiler(v);
}
// A layout stands for the view behind offset 0.
composed to_tensor(value const& v) {
  if (!v.is(kind::composed)) return view(0, to_layout(v));
  composed const c = to_composed(v);
  return is_plain(c) ? view(0, c.inner) : c;
}
// What `make` says of a name; a name that it knows nothing of is no request.
template <class Make>
auto of_name(value const& v, char const* what, Make make) {
  std::string const& name = to_word(v, what);
  try {
    return make(name);
  } catch (undefined const& e) {
    throw malformed(0, name + ": " + e.reason);
  }
}
mma_atom to_mma_atom(value const& v) { return of_name(v, "the name of an MMA atom", make_mma_atom); }
copy_atom to_copy_atom(value const& v) { return of_name(v, "the name of a copy atom", make_copy_atom); }

// Here a layout does not stand for its shape.
int_tuple to_extents(value const& v) {
  if (!v.is(kind::number) && !v.is(kind::tuple)) wrong_kind(v, "a shape");
  return to_shape(v);
}
composed to_identity(value const& s) { return view(0, make_identity_layout(to_extents(s))); }

template <composed (*F)(composed const&, tiler const&, int_tuple const&)>
value by_tile(arguments a) {
  return to_value(F(to_tensor(a[0]), to_tiler(a[1]), to_slicer(a[2])));
}
value tile_of(composed const& x, arguments a) {
  if (a.size() == 3) return to_value(local_tile(x, to_tiler(a[1]), to_slicer(a[2])));
  return to_value(local_tile(x, to_modes(a[1]), to_slicer(a[2]), to_slicer(a[3])));
}
value share_of_thread(arguments a) {
  composed const x = to_tensor(a[0]);
  layout const threads = to_layout(a[1]);
  int64 const i = to_int64(a[2]);
  return to_value(a.size() == 3 ? local_partition(x, threads, i) : local_partition(x, threads, i, to_slicer(a[3])));
}

indexed to_indexed(value const& names, value const& modes) {
  return {index_names(to_word(names, "the names of indices")), to_layout(modes)};
}
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
  std::string const& wanted = to_word(name, "a field of an atom");
  for (field<Atom> const& f : fields)
    if (f.name == wanted && (atom.*f.holds).form.count > 0) return to_value(atom.*f.holds);
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
tiled_mma to_tiled_mma(arguments a) { return make_tiled_mma(to_mma_atom(a[0]), to_layout(a[1]), to_modes(a[2])); }
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
  return to_value(partition_shape(to_tiled_mma(a), X, to_extents(a[3])));
}
template <operand X>
value mma_fragment(arguments a) {
  return to_value(partition_fragment(to_tiled_mma(a), X, to_extents(a[3])));
}

// COPY TYPE THR VAL, or make_tiled_copy_A COPY TYPE ATOM THR T; and what follows.
struct copy_arguments {
  tiled_copy tiling;
  arguments rest;
};
copy_atom to_copy_atom(value const& name, value const& type) {
  return in_elements(to_copy_atom(name), of_name(type, "an element type", bits_of));
}
copy_arguments to_tiled_copy(arguments a) {
  constexpr std::string_view makes[] = {"make_tiled_copy_A", "make_tiled_copy_B", "make_tiled_copy_C"};
  for (int x = 0; x < 3; ++x) {
    if (!a[0].is(makes[x])) continue;
    if (a.size() < 6) throw malformed(0, a[0].word + " COPY TYPE ATOM THR T are needed");
    return {make_tiled_copy(to_copy_atom(a[1], a[2]), to_tiled_mma(a.subspan(3)), static_cast<operand>(x)), a.subspan(6)};
  }
  return {make_tiled_copy(to_copy_atom(a[0], a[1]), to_layout(a[2]), to_layout(a[3])), a.subspan(4)};
}
// The n arguments behind the tiling.
arguments behind(arguments rest, std::size_t n) {
  if (rest.size() != n)
    throw malformed(0, std::to_string(n) + " arguments belong behind the tiling, not " + std::to_string(rest.size()));
  return rest;
}
// f(tiling, arguments behind it)
template <std::size_t N, class F>
value on_copy(arguments a, F f) {
  copy_arguments const c = to_tiled_copy(a);
  return to_value(f(c.tiling, behind(c.rest, N)));
}
template <side S>
value copy_layout_tv(arguments a) {
  return on_copy<0>(a, [](tiled_copy const& t, arguments) { return layout_tv(t, S); });
}
template <side S>
value copy_tidfrg(arguments a) {
  return on_copy<1>(a, [](tiled_copy const& t, arguments rest) { return tidfrg(t, S, to_layout(rest[0])); });
}
template <side S>
value copy_partition(arguments a) {
  return on_copy<2>(a,
                    [](tiled_copy const& t, arguments rest) { return partition(t, S, to_tensor(rest[0]), to_int64(rest[1])); });
}
value copy_own_tv(arguments a) {
  return on_copy<0>(a, [](tiled_copy const& t, arguments) { return t.layout_tv; });
}
value copy_tile(arguments a) {
  return on_copy<0>(a, [](tiled_copy const& t, arguments) { return t.tile; });
}
value copy_retile(arguments a) {
  return on_copy<1>(a, [](tiled_copy const& t, arguments rest) { return retile(t, to_layout(rest[0])); });
}

// clang-format off
// What operand X of a tiled MMA answers to.
#define COLEX_OPERAND(X, x)                                              \
    {"tiled_mma_layout" X "_TV", 3, 3, mma_layout_tv<x>},                \
    {"tiled_mma_thrfrg_" X, 4, 4, mma_thrfrg<x>},                        \
    {"partition_" X, 5, 5, mma_partition<x, to_tensor>},                 \
    {"partition_" X "_identity", 5, 5, mma_partition<x, to_identity>},   \
    {"partition_shape_" X, 4, 4, mma_share_shape<x>},                    \
    {"partition_fragment_" X, 4, 4, mma_fragment<x>}
// A tiled copy's operations begin with `name`, its partitions with `share`.
#define COLEX_COPY(name, share)                                          \
    {name "layout_TV", 4, 6, copy_own_tv},                               \
    {name "layoutS_TV", 4, 6, copy_layout_tv<side::source>},             \
    {name "layoutD_TV", 4, 6, copy_layout_tv<side::destination>},        \
    {name "tiler", 4, 6, copy_tile},                                     \
    {name "tidfrg_S", 5, 7, copy_tidfrg<side::source>},                  \
    {name "tidfrg_D", 5, 7, copy_tidfrg<side::destination>},             \
    {name "retile", 5, 7, copy_retile},                                  \
    {share "partition_S", 6, 8, copy_partition<side::source>},           \
    {share "partition_D", 6, 8, copy_partition<side::destination>}
// clang-format on

constexpr operation tilings[] = {
    {"inner_partition", 3, 3, by_tile<inner_partition>},
    {"outer_partition", 3, 3, by_tile<outer_partition>},
    {"local_tile", 3, 4, [](arguments a) { return tile_of(to_tensor(a[0]), a); }},
    {"local_tile_identity", 3, 4, [](arguments a) { return tile_of(to_identity(a[0]), a); }},
    {"local_partition", 3, 4, share_of_thread},
    {"fold", 6, 6, contraction},
    {"bank_conflicts", 3, 3,
     [](arguments a) { return to_value(bank_conflicts(to_tensor(a[0]), to_bits(a[1]), to_int64(a[2]))); }},
    {"mma_atom", 2, 2, mma_field},
    {"copy_atom", 2, 2, copy_field},
    {"tiled_mma_thr_layout_vmnk", 3, 3, [](arguments a) { return to_value(to_tiled_mma(a).thr_layout_vmnk); }},
    {"tiled_mma_tile_shape", 3, 3, [](arguments a) { return to_value(tile_shape(to_tiled_mma(a))); }},
    COLEX_OPERAND("A", operand::a),
    COLEX_OPERAND("B", operand::b),
    COLEX_OPERAND("C", operand::c),
    COLEX_COPY("tiled_copy_", ""),
    COLEX_COPY("tiled_copy_A_", "tiled_copy_A_"),
    COLEX_COPY("tiled_copy_B_", "tiled_copy_B_"),
    COLEX_COPY("tiled_copy_C_", "tiled_copy_C_"),
};

}  // namespace

std::span<operation const> tiling_operations() { return tilings; }

}  // namespace colex::gpu
