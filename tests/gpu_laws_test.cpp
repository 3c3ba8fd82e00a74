// The laws of plans on either side of each bound: what they turn down is broken in just that, what they let pass only just
// holds. SPDX-License-Identifier: Apache-2.0
#include "gpu/plan_laws.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace {

using namespace colex::gpu;

template <class Change>
plan with(plan p, Change change) {
  change(p);
  return p;
}
plan const& plan_named(std::string const& wanted) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table)
      if (name(p) == wanted) return p;
  throw std::runtime_error("no plan is called " + wanted);
}

// ---- tiles ----

// Each tile has one number; eight along M lie beside each other, column by column, before the next eight.
TEST(tile_order, counts_each_tile_once) {
  for (tile_order const order : {tile_order{1, 1, 1}, {3, 5, 2}, {8, 3, 1}, {20, 4, 3}, {17, 1, 2}, {1, 9, 1}}) {
    std::int64_t i = 0;
    for (std::int64_t batch = 0; batch < order.batches; ++batch)
      for (std::int64_t first = 0; first < order.along_m; first += 8)
        for (std::int64_t n = 0; n < order.along_n; ++n)
          for (std::int64_t m = first; m < std::min<std::int64_t>(first + 8, order.along_m); ++m, ++i)
            for (tile_index const at : {order(i), order(static_cast<std::uint32_t>(i))})
              EXPECT_TRUE(at.m == m && at.n == n && at.batch == batch) << i;
    EXPECT_EQ(i, order.count());
  }
}
TEST(tile_order, is_of_few_while_32_bits_suffice) {
  EXPECT_TRUE((tile_order{UINT32_MAX / 8, 1, 1}.few()));
  EXPECT_FALSE((tile_order{UINT32_MAX / 8 + 1, 1, 1}.few()));
}

// ---- of every plan ----

TEST(plan_laws, are_those_of_its_kind) {
  EXPECT_STREQ(laws_of(sm80_plans[0]).back().name, "warp_fits");
  EXPECT_STREQ(laws_of(sm120_plans[0]).back().name, "plan_factors_flow");
  EXPECT_EQ(laws_of(sm80_plans[0]).data(), laws_of(sm120_plans[0]).data());
}

TEST(plan_laws, a_permutation_takes_each_value_once) {
  EXPECT_TRUE(permutes(make_layout({2, 3}, {3, 1}), 6));
  EXPECT_TRUE(permutes(make_layout(200, 1), 200));
  EXPECT_FALSE(permutes(make_layout({2, 3}, {3, 1}), 5));
  EXPECT_FALSE(permutes(make_layout({2, 3}, {3, 1}), 7));
  EXPECT_FALSE(permutes(make_layout({2, 3}, {1, 1}), 6));
  EXPECT_FALSE(permutes(make_layout({2, 3}, {3, 2}), 6));
  EXPECT_FALSE(permutes(make_layout(2, -1), 2));
  EXPECT_FALSE(permutes(make_layout({2, 2}, {2, 2}), 4));
}
TEST(plan_laws, an_index_set_has_a_place_for_each_index) {
  index_set seen;
  for (std::int64_t i = 0; i < index_set::most; ++i) ASSERT_TRUE(seen.insert(i)) << i;
  EXPECT_EQ(seen.count, index_set::most);
  for (std::int64_t i = 0; i < index_set::most; ++i) ASSERT_FALSE(seen.insert(i)) << i;
  EXPECT_EQ(seen.count, index_set::most);
  EXPECT_THROW(seen.insert(-1), error);
  EXPECT_THROW(seen.insert(index_set::most), error);
}
TEST(plan_laws, elements_are_kept_apart_wherever_they_lie) {
  composed const same = view(0, make_layout({2, 2}, {1, 1}));
  EXPECT_FALSE(keeps_apart(same));
  EXPECT_TRUE(keeps_apart(view(0, make_layout({2, 2}, {1, 3}))));
  plan const good = sm90_plans[0];
  EXPECT_TRUE(plan_keeps_apart(good));
  for (composed plan::*of :
       {&plan::smem_a, &plan::smem_b, &plan::smem_d, &plan::smem_words, &plan::smem_sums, &plan::smem_columns}) {
    EXPECT_FALSE(plan_keeps_apart(with(good, [&](plan& p) { p.*of = same; })));
    EXPECT_TRUE(plan_keeps_apart(with(good, [&](plan& p) { p.*of = {}; })));
  }
}
TEST(plan_laws, copies_cover_both_operands) {
  plan const& good = plan_named("simt_f32_128x128x8_s3");
  layout const twice = make_layout({128, 8}, {0, 1});
  EXPECT_TRUE(plan_copy_covers(good));
  EXPECT_FALSE(plan_copy_covers(with(good, [&](plan& p) { p.copy_a = twice; })));
  EXPECT_FALSE(plan_copy_covers(with(good, [&](plan& p) { p.copy_b = twice; })));
  EXPECT_FALSE(plan_copy_covers(with(good, [](plan& p) { p.tile_m = 64; })));
  EXPECT_FALSE(plan_copy_covers(with(good, [](plan& p) { p.tile_n = 64; })));
}
TEST(plan_laws, sums_cover_the_tile) {
  plan const& good = plan_named("simt_f32_128x128x8_s3");
  EXPECT_FALSE(plan_epilogue_covers(with(good, [](plan& p) { p.tile_m = 64; })));
  EXPECT_FALSE(plan_epilogue_covers(with(good, [](plan& p) { p.tile_n = 64; })));
  EXPECT_FALSE(plan_epilogue_covers(with(good, [](plan& p) { p.tile_m = 64, p.tile_n = 256; })));
}

// Vectors of `vector` from (row, k) on, of four rows by eight of K in 32 bits.
bool aligned(layout const& copy, major along, int bits_of_vector = 128) {
  return copy_aligned(copy, along, 4, bits_of_vector, 32);
}
TEST(plan_laws, vectors_are_aligned_where_the_operand_is_contiguous) {
  layout const along_k = make_layout({4, {4, 2}}, {1, {4, 16}}), along_rows = make_layout({8, {4, 1}}, {4, {1, 0}});
  EXPECT_TRUE(aligned(along_k, major::k));
  EXPECT_TRUE(aligned(along_rows, major::mn));
  EXPECT_FALSE(aligned(along_k, major::k, 64));
  EXPECT_FALSE(aligned(along_k, major::mn));
  EXPECT_FALSE(aligned(along_k, major::any));
  EXPECT_FALSE(aligned(along_rows, major::k));
  EXPECT_FALSE(aligned(make_layout({8, {{2, 2}, 1}}, {4, {{2, 1}, 0}}), major::mn));  // no contiguous vector
  EXPECT_FALSE(aligned(make_layout({{4, 2}, {4, 1}}, {{1, 8}, {4, 0}}), major::k));   // begins at k = 2
  EXPECT_FALSE(aligned(make_layout({{2, 2}, {4, 1}}, {{2, 8}, {1, 0}}), major::mn));  // begins at row 2
  EXPECT_FALSE(aligned(make_layout({4, {4, 2}}, {1, {4, 8}}), major::k));             // its second begins at k = 2
  EXPECT_TRUE(aligned(make_layout({4, {1, 8}}, {1, {0, 4}}), major::any));
  EXPECT_TRUE(aligned(make_layout({4, {1, 8}}, {1, {0, 4}}), major::k, 32));
  EXPECT_TRUE(aligned(make_layout({4, {1, 8}}, {1, {0, 4}}), major::mn, 32));
}
TEST(plan_laws, vectors_of_both_operands_are_aligned) {
  plan const& good = plan_named("simt_f32_kn_128x256x8_s3");
  EXPECT_TRUE(plan_copy_aligned(good));
  EXPECT_FALSE(plan_copy_aligned(with(good, [](plan& p) { p.major_a = major::mn; })));
  EXPECT_FALSE(plan_copy_aligned(with(good, [](plan& p) { p.major_b = major::k; })));
  EXPECT_FALSE(plan_copy_aligned(with(good, [](plan& p) { p.a = element::f16; })));
  EXPECT_FALSE(plan_copy_aligned(with(good, [](plan& p) { p.b = element::f16; })));
}

// ---- of threads that multiply ----

TEST(plan_laws, neighbours_are_read_at_once) {
  auto const of = [](layout const& values, int bits) {
    return contiguous_bytes(make_layout(make_layout(2, 64), values), bits);
  };
  EXPECT_EQ(of(make_layout(1, 1), 32), 4);
  EXPECT_EQ(of(make_layout(1, 1), 64), 8);
  EXPECT_EQ(of(make_layout(3, 1), 32), 8);
  EXPECT_EQ(of(make_layout(4, 1), 32), 16);
  EXPECT_EQ(of(make_layout(8, 1), 32), 16);
  EXPECT_EQ(of(make_layout({2, 2}, {1, 4}), 32), 8);
  EXPECT_EQ(of(make_layout(4, 2), 32), 4);
}
TEST(plan_laws, simt_data_flows) {
  plan const& good = plan_named("simt_f32_128x128x8_s3");
  for (auto const& [x, smem] : {std::pair{operand::a, &plan::smem_a}, {operand::b, &plan::smem_b}}) {
    auto const lying = [&](layout const& l) { return with(good, [&](plan& p) { p.*smem = view(0, l); }); };
    EXPECT_FALSE(simt_dataflow(lying(make_layout({128, {2, 4}}, {1, {136, 300}})), x));  // steps of two lengths
    EXPECT_FALSE(plan_dataflow(lying(make_layout({128, {2, 4}}, {1, {136, 300}}))));
    EXPECT_FALSE(simt_stages(lying(make_layout({128, 8}, {1, 64})), x));  // two to a place
    EXPECT_FALSE(plan_dataflow(lying(make_layout({128, 8}, {1, 64}))));
    EXPECT_TRUE(accesses_conflict_free(fragment(good, x), 32));
    EXPECT_FALSE(accesses_conflict_free(fragment(lying(make_layout({128, 8}, {32, 4096})), x), 32));
    EXPECT_FALSE(plan_conflict_free(lying(make_layout({128, 8}, {32, 4096}))));
    plan const uneven = with(good, [](plan& p) { p.threads = 96; });
    EXPECT_FALSE(simt_dataflow(uneven, x) || simt_stages(uneven, x));
  }
}

// ---- of warps ----

TEST(plan_laws, warps_go_through_a_whole_stage) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table)
      for (operand x : {operand::a, operand::b}) {
        if (p.kind != family::warp) continue;
        operand_path const at = path_of(p, x);
        EXPECT_EQ(at.vector * at.bits, 8 * p.copy_alignment) << name(p);
        EXPECT_EQ(std::int64_t{at.steps} * at.vector * p.threads, at.rows * at.depth) << name(p);
        EXPECT_EQ(std::int64_t{at.loads} * at.width * p.threads, size(at.fragment)) << name(p);
        bool const matrices = p.architecture >= 75 && at.bits <= 32;
        EXPECT_EQ(size(at.atom.thr_id), matrices ? 32 : 1) << name(p);
        EXPECT_EQ(at.bytes_of_load(), matrices ? 16 : 8) << name(p);
      }
}
TEST(plan_laws, warps_are_judged_by_both_operands) {
  for (char const* of : {"sm80_f16_kk_64x64x64_s5", "sm80_f16_mn_128x256x64_s3"})
    for (auto const& [smem, copy] : {std::pair{&plan::smem_a, &plan::copy_a}, {&plan::smem_b, &plan::copy_b}}) {
      plan const& good = plan_named(of);
      EXPECT_FALSE(warp_conflict_free(with(good, [&](plan& p) { (p.*smem).sw = {0, 0, 0}; }))) << of;
      EXPECT_FALSE(warp_vectors_stay(with(good, [&](plan& p) { (p.*smem).sw = {3, 0, 3}; }))) << of;
      EXPECT_FALSE(warp_vectors_stay(with(good, [](plan& p) { p.copy_alignment = 8; }))) << of;
      EXPECT_FALSE(plan_copy_covers(with(good, [&](plan& p) { (p.*copy).stride[1] += 1; }))) << of;
    }
}
// Pairs of sums lie together, but not sixteen bytes.
TEST(plan_laws, sums_are_staged_in_one_piece) {
  plan const& good = plan_named("sm80_f16_kk_64x64x64_s5");
  EXPECT_TRUE(warp_sums_staged(good));
  layout const rows = make_layout({16, 32}, {32, 1}), pairs = make_layout({16, {2, 16}}, {2, {1, 32}});
  EXPECT_TRUE(warp_sums_staged(with(good, [&](plan& p) { p.smem_d = view(0, rows); })));
  EXPECT_FALSE(warp_sums_staged(with(good, [&](plan& p) { p.smem_d = view(0, pairs); })));
}

// Neighbours of a thread lie in a column: its two sums are no pair of a row.
TEST(plan_laws, pairs_of_sums_lie_in_a_row) {
  plan const& good = plan_named("sm80_f16_kk_64x64x64_s5");
  layout const down = make_layout({{4, 8}, {2, 2}}, {{2, 16}, {1, 8}});
  EXPECT_FALSE(warp_sums_staged(with(good, [&](plan& p) { p.mma.atom.c = down; })));
}
TEST(plan_laws, fragments_are_of_all_threads) {
  plan const& good = plan_named("sm80_f16_kk_64x64x64_s5");
  for (int threads : {64, 256})
    EXPECT_FALSE(warp_fragments_arrive(with(good, [&](plan& p) { p.threads = threads; }))) << threads;
}

// ---- of warpgroups ----

// Buffers of 16 rows, whole numbers of which are a warp's columns; eight rows of 16 bytes meet in no bank.
TEST(plan_laws, warpgroups_stage_whole_buffers) {
  for (plan const& p : sm90_plans) {
    EXPECT_TRUE(size(p.smem_d.inner, 0) == 16 && size(p.smem_d.inner, 1) == (p.tile_n % 64 == 32 ? 32 : 64)) << name(p);
    for (composed const& words : {p.smem_words, p.smem_columns})
      EXPECT_TRUE(size(words.inner, 0) == 16 && size(words.inner, 1) == 32) << name(p);
    EXPECT_TRUE(size(p.smem_sums.inner, 0) == 16 && p.tile_n % size(p.smem_sums.inner, 1) == 0) << name(p);
    EXPECT_TRUE(detail::column_is_free(p.smem_words, make_layout(8, 1), 32)) << name(p);
    EXPECT_TRUE(detail::column_is_free(p.smem_columns, make_layout(8, 16), 32)) << name(p);
  }
}

TEST(plan_laws, warpgroups_are_judged_by_all_they_read_and_write) {
  plan const& good = plan_named("sm90_bf16_kn_128x256x64_s4_2x1");
  auto const straight = [&](composed plan::*of) { return with(good, [&](plan& p) { (p.*of).sw = {0, 0, 0}; }); };
  EXPECT_TRUE(warpgroup_plan_dataflow(good) && warpgroup_plan_conflict_free(good) && warpgroup_plan_registers(good));
  for (composed plan::*of : {&plan::smem_a, &plan::smem_b}) {
    EXPECT_FALSE(warpgroup_plan_dataflow(straight(of)));
    EXPECT_FALSE(warpgroup_plan_conflict_free(straight(of)));
  }
  EXPECT_FALSE(warpgroup_plan_conflict_free(straight(&plan::smem_d)));
  // What the engine brings right, an instruction that goes the other way does not find.
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.major_a = major::mn; })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.major_b = major::k; })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.copy_a = make_layout({{128, 64}, 1}, {{1, 128}, 0}); })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.copy_b = make_layout({{64, 256}, 1}, {{256, 1}, 0}); })));
  EXPECT_FALSE(warpgroup_plan_registers(with(good, [](plan& p) { p.mma = plan_named("sm80_f16_kk_64x64x64_s5").mma; })));
  EXPECT_FALSE(warpgroup_plan_registers(with(good, [](plan& p) { p.tile_m = 256; })));
}
TEST(plan_laws, only_tf32_across_goes_through_registers) {
  plan const& good = plan_named("sm90_tf32_mk_128x256x32_s4_2x1");
  EXPECT_TRUE(through_registers(good));
  EXPECT_FALSE(through_registers(with(good, [](plan& p) { p.major_a = major::k; })));
  EXPECT_FALSE(through_registers(with(good, [](plan& p) { p.a = element::f32; })));
  EXPECT_FALSE(through_registers(with(good, [](plan& p) { p.a = element::f16; })));
  EXPECT_TRUE(detail::fragments_agree(good));
  EXPECT_FALSE(detail::fragments_agree(with(good, [](plan& p) { p.smem_a.sw = {0, 0, 0}; })));
}

// ---- what a chip has ----

TEST(plan_laws, chips_have_as_much_shared_memory) {
  for (auto const& [kib, chips] :
       {std::pair{64, std::vector{75}}, {163, {80, 87}}, {99, {86, 89, 120, 121}}, {227, {90, 100, 103}}, {48, {50, 61, 70}}})
    for (int chip : chips) EXPECT_EQ(shared_limit(chip), kib * 1024) << chip;
}
// fits(p) for a number of p's, one after another.
template <class Member>
void expect_bounds(bool (*fits)(plan const&), plan const& good, Member member, std::initializer_list<int> hold,
                   std::initializer_list<int> fail) {
  EXPECT_TRUE(fits(good));
  for (int x : hold) EXPECT_TRUE(fits(with(good, [&](plan& p) { p.*member = x; }))) << x;
  for (int x : fail) EXPECT_FALSE(fits(with(good, [&](plan& p) { p.*member = x; }))) << x;
}
TEST(plan_laws, simt_plans_fit) {
  plan const good = with(plan_named("simt_f32_128x128x8_s3"), [](plan& p) { p.registers = 32; });
  int const bytes = 3 * 2 * (7 * 132 + 128) * 4;
  EXPECT_EQ(shared_bytes(good), bytes);
  EXPECT_EQ(shared_bytes(with(good, [](plan& p) { p.stages = 0; })), (7 * 144 + 128) * 4);  // sums on their way out
  EXPECT_EQ(shared_bytes(with(good, [](plan& p) { p.stages = 0, p.smem_d = {}; })), 0);
  expect_bounds(plan_fits, good, &plan::threads, {32, 96, 1024}, {0, 16, 48, 1056});
  expect_bounds(plan_fits, good, &plan::registers, {255}, {256});
  expect_bounds(plan_fits, with(good, [](plan& p) { p.threads = 1024; }), &plan::registers, {64}, {65});
  expect_bounds(plan_fits, good, &plan::stages, {2}, {1, 4});
  expect_bounds(plan_fits, good, &plan::shared, {bytes, 48 << 10}, {bytes - 1, (48 << 10) + 1});
}
TEST(plan_laws, warp_plans_fit) {
  plan const& good = plan_named("sm80_f16_kk_128x128x32_s4");
  int const bytes = 4 * 2 * 128 * 32 * 2 + 4 * 16 * 32 * 4;
  EXPECT_EQ(warp_shared_bytes(good), bytes);
  expect_bounds(warp_fits, good, &plan::stages, {2, 3}, {1, 5});
  expect_bounds(warp_fits, good, &plan::shared, {bytes, 163 << 10}, {bytes - 1, (163 << 10) + 1});
  EXPECT_TRUE(warp_fits(with(good, [](plan& p) { p.threads = 1024, p.shared = 160 << 10; })));
  EXPECT_FALSE(warp_fits(with(good, [](plan& p) { p.threads = 1056, p.shared = 160 << 10; })));
  for (auto const& [k, fits] : {std::pair{0, false}, {16, false}, {32, true}, {48, false}, {64, true}})
    EXPECT_EQ(warp_fits(with(good, [&](plan& p) { p.tile_k = k, p.shared = 160 << 10; })), fits) << k;
}
TEST(plan_laws, warpgroup_plans_fit) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  int const out = 8 * 2 * 16 * 64 * 2, bytes = 4 * 2 * 64 * (128 + 256) + out + 16 * 4 + 8 + 1024;
  EXPECT_EQ(warpgroup_shared_bytes(good), bytes);
  expect_bounds(warpgroup_plan_fits, good, &plan::shared, {bytes, 227 << 10}, {bytes - 1, (227 << 10) + 1});
  expect_bounds(warpgroup_plan_fits, good, &plan::stages, {2}, {1, 5});
  expect_bounds(warpgroup_plan_fits, good, &plan::turns, {1}, {0, 2});
  expect_bounds(warpgroup_plan_fits, good, &plan::registers, {128 + 24}, {128 + 23});
  expect_bounds(warpgroup_plan_fits, good, &plan::cluster_m, {1, 2, 4, 8}, {16});
  expect_bounds(warpgroup_plan_fits, good, &plan::cluster_n, {1, 2, 4, 8}, {16});
  expect_bounds(warpgroup_plan_fits, good, &plan::buffers, {}, {3});
  EXPECT_FALSE(warpgroup_plan_fits(with(good, [](plan& p) { p.cluster_m = 4, p.cluster_n = 4; })));
  EXPECT_FALSE(warpgroup_plan_fits(with(good, [](plan& p) { p.tile_n = 144, p.cluster_m = 9; })));
}
TEST(plan_laws, warpgroup_plans_have_whole_boxes_and_instructions) {
  plan const large =
      with(plan_named("sm90_bf16_kk_128x256x64_s4"), [](plan& p) { p.stages = 2, p.shared = 227 << 10, p.registers = 999; });
  auto const fits = [&](auto change) { return warpgroup_plan_fits(with(large, change)); };
  for (int n : {16, 80, 240}) EXPECT_TRUE(fits([&](plan& p) { p.tile_n = n; })) << n;
  for (int n : {0, 24, 248}) EXPECT_EQ(fits([&](plan& p) { p.tile_n = n; }), n == 0) << n;
  EXPECT_FALSE(fits([](plan& p) { p.tile_n = 272, p.cluster_m = 2; }));
  EXPECT_FALSE(fits([](plan& p) { p.cluster_m = 3; }));
  EXPECT_TRUE(fits([](plan& p) { p.tile_n = 16, p.cluster_m = 2; }));
  EXPECT_FALSE(fits([](plan& p) { p.tile_n = 16, p.cluster_m = 4; }));
  EXPECT_TRUE(fits([](plan& p) { p.major_b = major::mn, p.cluster_m = 4; }));
  EXPECT_FALSE(fits([](plan& p) { p.major_b = major::mn, p.cluster_m = 8; }));
  EXPECT_TRUE(fits([](plan& p) { p.major_a = major::mn, p.cluster_n = 2; }));
  EXPECT_FALSE(fits([](plan& p) { p.major_a = major::mn, p.cluster_n = 4; }));
  EXPECT_FALSE(fits([](plan& p) { p.cluster_n = 3; }));
  EXPECT_FALSE(fits([](plan& p) { p.tile_m = 192; }));
  EXPECT_FALSE(fits([](plan& p) { p.tile_m = 512; }));
  EXPECT_TRUE(fits([](plan& p) { p.tile_m = 512, p.cluster_n = 2; }));
}
TEST(plan_laws, warpgroup_plans_have_the_registers_and_buffers) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  plan const promoted = with(good, [](plan& p) { p.promotes = true, p.registers = 999; });
  expect_bounds(warpgroup_plan_fits, promoted, &plan::registers, {3 * 128 + 24}, {3 * 128 + 23});
  expect_bounds(warpgroup_plan_fits, plan_named("sm90_tf32_mk_128x256x32_s4_2x1"), &plan::registers, {128 + 32 + 24},
                {128 + 32 + 23});
  auto const fits = [&](auto change) { return warpgroup_plan_fits(with(good, [&](plan& p) { p.stages = 2, change(p); })); };
  EXPECT_FALSE(fits([](plan& p) { p.tile_n = 64; }));  // one round, two buffers
  EXPECT_TRUE(fits([](plan& p) { p.tile_n = 240, p.buffers = 3; }));
  EXPECT_TRUE(fits([](plan& p) { p.smem_sums = view(0, make_layout({16, 64}, {64, 1})); }));
  EXPECT_FALSE(fits([](plan& p) { p.smem_sums = view(0, make_layout({16, 65}, {65, 1})); }));
}

}  // namespace
