// The table of operations on tensors, atoms and tilings: how each takes its arguments from a request.
// SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/bank_conflicts.hpp"
#include "ref/algebra/fold.hpp"
#include "ref/atoms/atom_fields.hpp"
#include "ref/operations.hpp"
#include "ref/tiling_arguments.hpp"

namespace colex::ref {
namespace {

using partitioner = composed (*)(composed const&, value const&, value const&);
template <partitioner F>
value by_tile(arguments const& a) {
  composed const x = tensor_of(a[0]);
  return view(F(x, tiler(a[1]), wild_coordinate(a[2])), x.inner);
}
value tile_of_tensor(composed const& x, arguments const& a) {
  value const& c = wild_coordinate(a[2]);
  return view(a.size() == 4 ? local_tile(x, modes_tiler(a[1]), c, wild_coordinate(a[3])) : local_tile(x, tiler(a[1]), c),
              x.inner);
}
value share_of_thread(arguments const& a) {
  composed const x = tensor_of(a[0]);
  layout const threads = L(a[1]);
  integer const& i = natural(N(a[2]), "thread");
  return view(a.size() == 4 ? local_partition(x, threads, i, wild_coordinate(a[3])) : local_partition(x, threads, i), x.inner);
}

// <A,B,C> of `fold IDX A IDX B IDX C`.
value folded(arguments const& a) {
  value out{kind::tiler, {}};
  for (layout const& l : fold({W(a[0]), L(a[1])}, {W(a[2]), L(a[3])}, {W(a[4]), L(a[5])})) out.items.push_back(to_value(l));
  return out;
}
value conflicts(arguments const& a) {
  integer const n = bits(a[1]);
  if (n < 1) wrong(a[1], "a width in bits");
  return value(bank_conflicts(tensor_of(a[0]), n, static_cast<int>(I(a[2]))));
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
  return view(partition(t, X, x, thread_of(a[4], cosize(t.threads))), x.inner);
}
value tile_shape(arguments const& a) {
  tiled_mma const t = mma_of(a);
  return tuple_of({value(tile_size(t, 0)), value(tile_size(t, 1)), value(tile_size(t, 2))});
}
template <operand X>
void add_operand(std::vector<operation>& to, std::string const& x) {
  to.push_back({"tiled_mma_layout" + x + "_TV", "ATOM THR T", 3, 3, mma_layout_tv<X>});
  to.push_back({"tiled_mma_thrfrg_" + x, "ATOM THR T A", 4, 4, mma_thrfrg<X>});
  to.push_back(
      {"partition_" + x, "ATOM THR T A i", 5, 5, [](arguments const& a) { return mma_partition<X>(tensor_of(a[3]), a); }});
  to.push_back({"partition_" + x + "_identity", "ATOM THR T S i", 5, 5,
                [](arguments const& a) { return mma_partition<X>(identity(a[3]), a); }});
  to.push_back({"partition_shape_" + x, "ATOM THR T S", 4, 4,
                [](arguments const& a) { return partition_shape(mma_of(a), X, S(a[3])); }});
  to.push_back({"partition_fragment_" + x, "ATOM THR T S", 4, 4,
                [](arguments const& a) { return to_value(partition_fragment(mma_of(a), X, S(a[3]))); }});
}

// The n arguments behind the tiling.
arguments const& behind(arguments const& rest, std::size_t n) {
  if (rest.size() != n)
    throw malformed(0, std::to_string(n) + " arguments belong behind the tiling, not " + std::to_string(rest.size()));
  return rest;
}
tiled_copy nothing_but_copy(arguments const& a) {
  auto const [t, rest] = copy_of(a);
  behind(rest, 0);
  return t;
}
template <layout copy_atom::* Side>
value copy_layout_tv(arguments const& a) {
  tiled_copy const t = nothing_but_copy(a);
  return to_value(layout_tv(t, t.atom.*Side));
}
template <layout copy_atom::* Side>
value copy_tidfrg(arguments const& a) {
  auto const [t, rest] = copy_of(a);
  return to_value(tidfrg(t, t.atom.*Side, L(behind(rest, 1)[0])));
}
template <layout copy_atom::* Side>
value copy_partition(arguments const& a) {
  auto const [t, rest] = copy_of(a);
  composed const x = tensor_of(behind(rest, 2)[0]);
  return view(partition(t, t.atom.*Side, x, thread_of(rest[1], size(mode(t.layout_tv, 0)))), x.inner);
}
void add_copy(std::vector<operation>& to, std::string const& x) {
  auto const add = [&](std::string const& name, value (*run)(arguments const&)) {
    to.push_back({name, x.empty() ? "COPY TYPE THR VAL" : "make_tiled_copy_A COPY TYPE ATOM THR T", 4, any_number, run});
  };
  std::string const base = "tiled_copy_" + x;
  add(base + "layout_TV", [](arguments const& a) { return to_value(nothing_but_copy(a).layout_tv); });
  add(base + "layoutS_TV", copy_layout_tv<&copy_atom::src>);
  add(base + "layoutD_TV", copy_layout_tv<&copy_atom::dst>);
  add(base + "tiler", [](arguments const& a) { return nothing_but_copy(a).tiler; });
  add(base + "tidfrg_S", copy_tidfrg<&copy_atom::src>);
  add(base + "tidfrg_D", copy_tidfrg<&copy_atom::dst>);
  add(base + "retile", [](arguments const& a) {
    auto const [t, rest] = copy_of(a);
    return to_value(retile(t, L(behind(rest, 1)[0])));
  });
  add(x.empty() ? "partition_S" : base + "partition_S", copy_partition<&copy_atom::src>);
  add(x.empty() ? "partition_D" : base + "partition_D", copy_partition<&copy_atom::dst>);
}

}  // namespace

std::vector<operation> const& tiling_operations() {
  static std::vector<operation> const table = [] {
    std::vector<operation> t{
        {"inner_partition", "A T c", 3, 3, by_tile<inner_partition>},
        {"outer_partition", "A T c", 3, 3, by_tile<outer_partition>},
        {"local_tile", "A T c [proj]", 3, 4, [](arguments const& a) { return tile_of_tensor(tensor_of(a[0]), a); }},
        {"local_tile_identity", "S T c [proj]", 3, 4, [](arguments const& a) { return tile_of_tensor(identity(a[0]), a); }},
        {"local_partition", "A THR i [proj]", 3, 4, share_of_thread},
        {"fold", "INDICES A INDICES B INDICES C", 6, 6, folded},
        {"bank_conflicts", "A bits bytes", 3, 3, conflicts},
        {"mma_atom", "NAME FIELD", 2, 2, [](arguments const& a) { return mma_atom_field(W(a[0]), W(a[1])); }},
        {"copy_atom", "NAME FIELD", 2, 2, [](arguments const& a) { return copy_atom_field(W(a[0]), W(a[1])); }},
        {"tiled_mma_thr_layout_vmnk", "ATOM THR T", 3, 3, [](arguments const& a) { return to_value(mma_of(a).threads); }},
        {"tiled_mma_tile_shape", "ATOM THR T", 3, 3, tile_shape},
    };
    add_operand<operand::a>(t, "A");
    add_operand<operand::b>(t, "B");
    add_operand<operand::c>(t, "C");
    for (char const* x : {"", "A_", "B_", "C_"}) add_copy(t, x);
    return t;
  }();
  return table;
}

}  // namespace colex::ref
