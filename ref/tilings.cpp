// What answers each operation on tensors, atoms and tilings.
// SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/fold.hpp"
#include "ref/atoms/atom_fields.hpp"
#include "ref/atoms/shared_access.hpp"
#include "ref/operations.hpp"
#include "ref/tiling_arguments.hpp"

namespace colex::ref {
namespace {

using partitioner = composed (*)(composed const&, value const&, value const&);
template <partitioner F>
value by_tile(arguments const& a) {
  composed const x = tensor_of(a[0]);
  return view(F(x, tiler(a[1]), wild_coordinate(a[2])), x);
}
value tile_of_tensor(composed const& x, arguments const& a) {
  value const& c = wild_coordinate(a[2]);
  return view(a.size() == 4 ? local_tile(x, modes_tiler(a[1]), c, wild_coordinate(a[3])) : local_tile(x, tiler(a[1]), c), x);
}
value share_of_thread(arguments const& a) {
  composed const x = tensor_of(a[0]);
  layout const threads = L(a[1]);
  integer const& i = N(a[2]);
  return view(a.size() == 4 ? local_partition(x, threads, i, wild_coordinate(a[3])) : local_partition(x, threads, i), x);
}

// <A,B,C> of `fold IDX A IDX B IDX C`.
value folded(arguments const& a) {
  value out{kind::tiler, {}};
  for (layout const& l : fold({W(a[0]), L(a[1])}, {W(a[2]), L(a[3])}, {W(a[4]), L(a[5])})) out.items.push_back(to_value(l));
  return out;
}
value conflicts(arguments const& a) { return value(bank_conflicts(tensor_of(a[0]), element_bits(a[1]), N(a[2]))); }
value conflict_phases(arguments const& a) {
  std::vector<value> out;
  for (integer const& wavefronts : bank_conflict_phases(tensor_of(a[0]), element_bits(a[1]), access_of(a[2])))
    out.emplace_back(wavefronts);
  return tuple_of(std::move(out));
}

template <operand X>
value mma_layout_tv(arguments const& a) {
  return to_value(layout_tv(mma_of(a), X));
}
template <operand X>
value mma_thrfrg(arguments const& a) {
  return to_value(thrfrg(mma_of(a), X, L(a[3])));
}
template <operand X>
value mma_partition(composed const& x, arguments const& a) {
  tiled_mma const t = mma_of(a);
  return view(partition(t, X, x, thread_of(a[4], cosize(t.threads))), x);
}
value tile_shape(arguments const& a) {
  tiled_mma const t = mma_of(a);
  return tuple_of({value(tile_size(t, 0)), value(tile_size(t, 1)), value(tile_size(t, 2))});
}
value copy_own_layout_tv(arguments const& a) { return to_value(copy_of(a).tiling.layout_tv); }
value copy_tiler(arguments const& a) { return copy_of(a).tiling.tiler; }
template <layout copy_atom::* Side>
value copy_layout_tv(arguments const& a) {
  tiled_copy const t = copy_of(a).tiling;
  return to_value(layout_tv(t, t.atom.*Side));
}
template <layout copy_atom::* Side>
value copy_tidfrg(arguments const& a) {
  auto const [t, rest] = copy_of(a);
  return to_value(tidfrg(t, t.atom.*Side, L(rest[0])));
}
template <layout copy_atom::* Side>
value copy_partition(arguments const& a) {
  auto const [t, rest] = copy_of(a);
  composed const x = tensor_of(rest[0]);
  return view(partition(t, t.atom.*Side, x, thread_of(rest[1], size(mode(t.layout_tv, 0)))), x);
}
value copy_retile(arguments const& a) {
  auto const [t, rest] = copy_of(a);
  return to_value(retile(t, L(rest[0])));
}

// clang-format off
// What operand X of a tiled MMA answers, and what a tiled copy does whose operations begin with `name`, its partitions with `share`.
#define COLEX_OPERAND(X, x)                                                                                          \
    {"tiled_mma_layout" X "_TV", mma_layout_tv<operand::x>},                                                         \
    {"tiled_mma_thrfrg_" X, mma_thrfrg<operand::x>},                                                                 \
    {"partition_" X, [](arguments const& a) { return mma_partition<operand::x>(tensor_of(a[3]), a); }},              \
    {"partition_" X "_identity", [](arguments const& a) { return mma_partition<operand::x>(identity(a[3]), a); }},   \
    {"partition_shape_" X, [](arguments const& a) { return partition_shape(mma_of(a), operand::x, S(a[3])); }},      \
    {"partition_fragment_" X,                                                                                        \
     [](arguments const& a) { return to_value(partition_fragment(mma_of(a), operand::x, S(a[3]))); }}
#define COLEX_COPY(name, share)                                                                                      \
    {name "layout_TV", copy_own_layout_tv},                                                                          \
    {name "layoutS_TV", copy_layout_tv<&copy_atom::src>},                                                            \
    {name "layoutD_TV", copy_layout_tv<&copy_atom::dst>},                                                            \
    {name "tiler", copy_tiler},                                                                                      \
    {name "tidfrg_S", copy_tidfrg<&copy_atom::src>},                                                                 \
    {name "tidfrg_D", copy_tidfrg<&copy_atom::dst>},                                                                 \
    {name "retile", copy_retile},                                                                                    \
    {share "partition_S", copy_partition<&copy_atom::src>},                                                          \
    {share "partition_D", copy_partition<&copy_atom::dst>}
// clang-format on

constexpr named<answering> tilings[] = {
    {"inner_partition", by_tile<inner_partition>},
    {"outer_partition", by_tile<outer_partition>},
    {"local_tile", [](arguments const& a) { return tile_of_tensor(tensor_of(a[0]), a); }},
    {"local_tile_identity", [](arguments const& a) { return tile_of_tensor(identity(a[0]), a); }},
    {"local_partition", share_of_thread},
    {"fold", folded},
    {"bank_conflicts", conflicts},
    {"bank_conflict_phases", conflict_phases},
    {"swizzle_for", [](arguments const& a) { return to_value(swizzle_for(L(a[0]), element_bits(a[1]), accesses_of(a))); }},
    {"mma_atom", [](arguments const& a) { return mma_atom_field(W(a[0]), W(a[1])); }},
    {"copy_atom", [](arguments const& a) { return copy_atom_field(W(a[0]), W(a[1])); }},
    {"tiled_mma_thr_layout_vmnk", [](arguments const& a) { return to_value(mma_of(a).threads); }},
    {"tiled_mma_tile_shape", tile_shape},
    COLEX_OPERAND("A", a),
    COLEX_OPERAND("B", b),
    COLEX_OPERAND("C", c),
    COLEX_COPY("tiled_copy_", ""),
    COLEX_COPY("tiled_copy_A_", "tiled_copy_A_"),
    COLEX_COPY("tiled_copy_B_", "tiled_copy_B_"),
    COLEX_COPY("tiled_copy_C_", "tiled_copy_C_"),
};
#undef COLEX_OPERAND
#undef COLEX_COPY
constexpr auto answering_tilings = by_place<tilings, group::tensors, group::tiled_copy>();

}  // namespace

answering answering_tiling(std::size_t place) { return answering_tilings[place]; }

}  // namespace colex::ref
