// The laws of gemv plans refuse plans that are broken on purpose; and what a plan says is what its threads do.
// SPDX-License-Identifier: Apache-2.0
#include "tests/plans/broken_plans.hpp"

#include <vector>

namespace colex::gpu {
namespace {

// D of a tile as the plan's threads compute it, of any numbers. Copies to shared memory and to registers, FMAs, the sums of
// threads along K.
std::vector<int64> computed(plan const& p, std::vector<int64> const& a, std::vector<int64> const& b) {
  layout const held_a = fragment(p, operand::a), held_b = fragment(p, operand::b), sums = layout_tv(p.mma, operand::c);
  std::vector<int64> shared(static_cast<std::size_t>(cosize(p.smem_a.inner))), registers(b.size()),
      d(static_cast<std::size_t>(p.tile_m * p.tile_n));
  auto const in = [](auto& of, int64 i) -> auto& { return of[static_cast<std::size_t>(i)]; };
  for (int64 i = 0; i < size(p.copy_a); ++i) in(shared, p.smem_a(p.copy_a(i))) = in(a, p.copy_a(i));
  for (int64 i = 0; i < size(p.copy_b); ++i) in(registers, i) = in(b, p.copy_b(i));
  int64 const columns = size(sums, 1) / p.tile_m, steps = size(held_b, 1) / columns;
  for (int64 thread = 0; thread < p.threads; ++thread)
    for (int64 step = 0; step < steps; ++step)
      for (int64 column = 0; column < columns; ++column)
        for (int64 row = 0; row < p.tile_m; ++row)
          in(d, sums(thread + p.threads * (row + p.tile_m * column))) +=
              in(shared, held_a(thread + p.threads * (row + p.tile_m * step))) *
              in(registers, held_b(thread + p.threads * (column + columns * step)));
  return d;
}
TEST(gemv_plans, multiply) {
  for (plan const& p : gemv_plans) {
    std::vector<int64> a, b, d;
    for (int64 i = 0; i < p.tile_m * p.tile_k; ++i) a.push_back(i * i % 101 - 50);
    for (int64 i = 0; i < p.tile_n * p.tile_k; ++i) b.push_back(i * i % 97 - 48);
    for (int64 i = 0; i < p.tile_m * p.tile_n; ++i) {
      int64 sum = 0;
      for (int64 k = 0; k < p.tile_k; ++k)
        sum +=
            a[static_cast<std::size_t>(i % p.tile_m + p.tile_m * k)] * b[static_cast<std::size_t>(i / p.tile_m + p.tile_n * k)];
      d.push_back(sum);
    }
    EXPECT_EQ(computed(p, a, b), d) << name(p);
  }
}

plan const& along_k() { return plan_named("gemv_f32_xk_8x32x128_s2"); }
plan const& along_n() { return plan_named("gemv_f32_xn_8x32x128_s2"); }

TEST(gemv_plans, threads_multiply_what_they_loaded) {
  for (plan const& good : {along_k(), along_n()}) {
    EXPECT_TRUE(gemv_dataflow(good));
    auto const of = [&](auto change) { return gemv_dataflow(with(good, change)); };
    EXPECT_FALSE(of([](plan& p) { p.smem_a = view(0, make_layout({8, 128}, {128, 2})); }));           // not where A was written
    EXPECT_FALSE(of([](plan& p) { p.smem_a = view(0, make_layout({8, {64, 2}}, {1, {8, 600}})); }));  // steps of two lengths
    EXPECT_FALSE(of([](plan& p) { p.smem_b = view(0, make_layout({32, 128}, {1, 32})); }));
    EXPECT_FALSE(of([](plan& p) { p.smem_b = p.smem_b.with(make_layout(p.smem_b.inner, make_layout(2, 4096))); }));
    for (composed plan::* smem : {&plan::smem_a, &plan::smem_b})  // of half of K
      EXPECT_FALSE(of([&](plan& p) {
        layout const &all = (p.*smem).inner, along_k = get(all, 1);
        p.*smem = (p.*smem).with(make_layout(get(all, 0), composition(along_k, make_layout(size(along_k) / 2, 1))));
      }));
    EXPECT_FALSE(of([](plan& p) { p.copy_b = make_layout({128, {4, 8}}, {1, {128, 512}}); }));       // to others' registers
    EXPECT_FALSE(of([](plan& p) { p.mma = (p.major_b == major::k ? along_n() : along_k()).mma; }));  // from others'
    EXPECT_FALSE(of([](plan& p) { p.mma.permutation = tiler{in_vectors(1, 1, 8), _, _}; }));
  }
}
TEST(gemv_plans, each_slice_of_k_has_all_sums) {
  for (plan const& good : {along_k(), along_n()}) {
    EXPECT_TRUE(gemv_slices_cover(good));
    auto const of = [&](auto change) { return gemv_slices_cover(with(good, change)); };
    for (int64 m : {4, 16}) EXPECT_FALSE(of([&](plan& p) { p.tile_m = m; }));
    for (int64 n : {16, 64}) EXPECT_FALSE(of([&](plan& p) { p.tile_n = n; }));
    for (int threads : {64, 256}) EXPECT_FALSE(of([&](plan& p) { p.threads = threads; }));
    // Two threads share the rows.
    EXPECT_FALSE(
        of([](plan& p) { p.mma = make_tiled_mma(p.mma.atom, make_layout({2, 8, 8}, {1, 2, 16}), p.mma.permutation); }));
    EXPECT_FALSE(of([](plan& p) { p.tile_m = 4, p.tile_n = 64; }));
  }
}
TEST(gemv_plans, shared_memory_has_no_conflicts) {
  EXPECT_TRUE(gemv_conflict_free(along_k()) && gemv_conflict_free(along_n()));
  auto const of = [](plan const& p, layout const& smem) {
    return gemv_conflict_free(with(p, [&](plan& q) { q.smem_a = view(0, smem); }));
  };
  EXPECT_TRUE(of(along_k(), make_layout({8, 128}, {144, 1})));
  EXPECT_FALSE(of(along_k(), make_layout({8, 128}, {128, 1})));                 // two rows are written to the same banks
  EXPECT_FALSE(of(along_k(), make_layout({8, {4, 4, 8}}, {16, {1, 4, 128}})));  // so, though writes are not
  EXPECT_FALSE(of(along_k(), make_layout({8, {4, 32}}, {8192, {1, 32}})));      // runs are read from the same banks
  EXPECT_FALSE(of(along_n(), make_layout({8, 128}, {1, 32})));
  EXPECT_FALSE(of(along_n(), make_layout({{4, 2}, 128}, {{1, 4096}, 8})));
}
// Two stages of A; or the sums of all threads along K, of which there are 8.
TEST(gemv_plans, sums_take_the_place_of_stages) {
  plan const& good = along_k();
  EXPECT_EQ(shared_bytes(good), 2 * (7 * 144 + 128) * 4);
  EXPECT_EQ(shared_bytes(with(good, [](plan& p) { p.stages = 1; })), 8 * 8 * 32 * 4);
  EXPECT_EQ(plan_summary(good).staged_rows, 8);
  EXPECT_EQ(gemv_vector(good), 4);
  EXPECT_EQ(gemv_depth(good), 4);
  EXPECT_EQ(gemv_vector(along_n()), 4);
  EXPECT_EQ(gemv_depth(along_n()), 1);
}

}  // namespace
}  // namespace colex::gpu
