// Does what Coq certifies say what the plan says? Each number of each plan is changed in turn: its certificate changes, too, or
// none can be written. What a certificate leaves out is named, with the reason. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/terms.hpp"
#include "gpu/plans/all.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <concepts>
#include <set>

namespace colex::gpu {
namespace {

// visit(name of the field, number) for each number of a plan. A field more in one of the structures does not compile.
template <class Visit>
struct numbers {
  Visit visit;

  template <class T>
    requires std::integral<T> || std::is_enum_v<T>
  void of(std::string const& field, T& x) const {
    visit(field, x);
  }
  // No stride is asked along one element.
  void of(std::string const& field, layout& a) const {
    for (int k = 0; k < a.form.count; ++k) {
      visit(field, a.shape[k]);
      if (a.shape[k] > 1) visit(field, a.stride[k]);
    }
  }
  void of(std::string const& field, int_tuple& t) const {
    for (int k = 0; k < t.form.count; ++k) visit(field, t.value[k]);
  }
  // An integer has no stride, either.
  void of(std::string const& field, tiler& t) const {
    for (int item = 0; item < t.form.count; ++item)
      for (int k = t.first[item]; k < t.first[item + 1]; ++k) {
        visit(field, t.pool.shape[k]);
        if (!t.is_integer(item)) visit(field, t.pool.stride[k]);
      }
  }
  // A piece that a kind of plan does not have is empty.
  void of(std::string const& field, composed& a) const {
    auto& [inner, offset, sw, swizzled] = a;
    if (inner == layout{}) return;
    auto& [bits, base, shift] = sw;
    if (bits > 0) visit(field, swizzled);
    each(field, inner, field, offset, field, bits, field, base, field, shift);
  }
  void of(std::string const&, tiled_mma& mma) const {
    auto& [atom, threads, permutation] = mma;
    auto& [shape_mnk, thr_id, a, b, c, sfa, sfb, e] = atom;
    each("shape_mnk", shape_mnk, "thr_id", thr_id, "atom_a", a, "atom_b", b, "atom_c", c, "atom_sfa", sfa, "atom_sfb", sfb);
    each("atom_e", e, "thr_layout_vmnk", threads, "permutation", permutation);
  }
  void of(std::string const&, warpgroup_part& part) const {
    auto& [groups, ring, words, sums, columns, half_columns, group_columns] = part;
    each("pingpong_groups", groups, "epilogue_bytes", ring, "smem_words", words, "smem_sums", sums);
    each("smem_columns", columns, "smem_half_columns", half_columns, "smem_group_columns", group_columns);
  }
  void of(std::string const&, block_scaling& scale) const {
    auto& [block, type] = scale;
    each("scale_block", block, "scale_type", type);
  }
  void of(plan& p) const {
    auto& [architecture, until, kind, a, b, accumulator, major_a, major_b, tile_m, tile_n, tile_k, stages, cluster_m, cluster_n,
           threads, shared, registers, copy_alignment, mma, smem_a, smem_b, copy_a, copy_b, smem_d, two_level, unaligned, scale,
           warpgroup] = p;
    each("architecture", architecture, "until", until, "kind", kind, "a", a, "b", b, "accumulator", accumulator);
    each("major_a", major_a, "major_b", major_b, "tile_m", tile_m, "tile_n", tile_n, "tile_k", tile_k, "stages", stages);
    each("cluster_m", cluster_m, "cluster_n", cluster_n, "threads", threads, "shared", shared, "registers", registers);
    each("copy_alignment", copy_alignment, "mma", mma, "smem_a", smem_a, "smem_b", smem_b, "copy_a", copy_a);
    each("copy_b", copy_b, "smem_d", smem_d, "two_level_accumulation", two_level);
    each("unaligned", unaligned, "scale", scale, "warpgroup", warpgroup);
  }
  template <class T, class... Rest>
  void each(std::string const& field, T& x, Rest&&... rest) const {
    of(field, x);
    if constexpr (sizeof...(rest) > 0) each(std::forward<Rest>(rest)...);
  }
};
template <class Visit>
numbers(Visit) -> numbers<Visit>;

template <class T>
T changed(T x) {
  if constexpr (std::same_as<T, bool>) return !x;
  if constexpr (std::same_as<T, element>) return bits_of(x) == 16 ? element::f32 : element::f16;
  if constexpr (std::same_as<T, major>) return x == major::k ? major::mn : major::k;
  if constexpr (std::same_as<T, family>) return x == family::warp ? family::simt : family::warp;
  return static_cast<T>(x == T{} ? 1 : 2 * static_cast<int64>(x));
}
std::string certificate(plan const& p) {
  try {
    return terms::certificate(p);
  } catch (error const&) {
    return "none";
  }
}
// The fields of which some number can change while the certificate stays.
std::set<std::string> left_out_of(plan const& p) {
  std::set<std::string> r;
  std::string const was = certificate(p);
  for (int i = 0, count = 1; i < count; ++i) {
    plan q = p;
    std::string field;
    count = 0;
    numbers{[&](std::string const& of, auto& x) {
      if (count++ == i) field = of, x = changed(x);
    }}.of(q);
    if (certificate(q) == was) r.insert(field);
  }
  return r;
}

bool always(plan const&) { return true; }
bool is_gemv(plan const& p) { return p.kind == family::gemv; }
bool by_threads(plan const& p) { return p.kind == family::simt || p.kind == family::dp4a || is_gemv(p); }
bool not_warp(plan const& p) { return p.kind != family::warp; }
bool not_warpgroup(plan const& p) { return p.kind != family::warpgroup; }
bool a_by_registers(plan const& p) { return p.kind == family::warpgroup && a_from_registers(p); }
// Each thread loads for itself, whichever way the operand lies.
bool any_major(plan p, operand x) {
  if (is_gemv(p) && x == operand::b) return gemv_vector(p) == 1;
  p.major_a = p.major_b = major::k;
  return by_threads(p) || (p.kind == family::warp && size(fragment_load(p, x).thr_id) == 1);
}

struct omission {
  char const* field;
  bool (*of)(plan const&);
  char const* reason;
};
constexpr omission omissions[] = {
    {"architecture", [](plan const& p) { return not_warp(p) || p.architecture >= 75; },
     "which chips run it; older ones load otherwise"},
    {"until", always, "which chips run it"},
    {"a", by_threads, "threads copy and multiply elements of any width"},
    {"b", by_threads, "as a"},
    {"accumulator", always, "sums are those of a semiring"},
    {"two_level_accumulation", always, "sums are those of a semiring"},
    {"unaligned", always, "how a vector is read; where it goes, the copy says"},
    {"major_a", [](plan const& p) { return any_major(p, operand::a); }, "the copy says in which order a thread reads"},
    {"major_b", [](plan const& p) { return any_major(p, operand::b); }, "as major_a"},
    {"stages", always, "the ring is proved for any number of stages"},
    {"cluster_m", not_warpgroup, "only warpgroups share what they copy; a pair of SMs is the atom's"},
    {"cluster_n", not_warpgroup, "as cluster_m"},
    {"shared", always, "what fits a chip is checked by `plans`"},
    {"registers", always, "what fits a chip is checked by `plans`"},
    {"threads", [](plan const& p) { return p.kind == family::umma; }, "one thread multiplies"},
    {"pingpong_groups", not_warpgroup, "only warpgroups take turns"},
    {"epilogue_bytes", always, "tiles are written in any order"},
    {"copy_alignment", not_warp, "only warps copy vectors of that many bytes"},
    {"scale_type", always, "factors are of the semiring"},
    {"permutation", [](plan const& p) { return is_gemv(p) && gemv_depth(p) == 1; },
     "the laws say which of K each thread has; the term is of one vector"},
    {"atom_a", a_by_registers, "the atom reads shared memory; the kernel gives it registers"},
};
TEST(certificates, say_what_their_plans_say) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) {
      std::set<std::string> named;
      for (omission const& o : omissions)
        if (o.of(p)) named.insert(o.field);
      EXPECT_EQ(left_out_of(p), named) << name(p);
    }
}

TEST(certificates, count_rows_and_threads) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) {
      EXPECT_EQ(terms::multiplying(p), size(p.mma.thr_layout_vmnk)) << name(p);
      EXPECT_EQ(terms::rows_of(p, operand::a), size(p.smem_a.inner, 0)) << name(p);
    }
}
TEST(certificates, say_no_offset) {
  for (int offset : {-1, 1}) EXPECT_THROW(terms::behind_swizzle(view(offset, make_layout(4, 1))), undefined) << offset;
}

}  // namespace
}  // namespace colex::gpu
