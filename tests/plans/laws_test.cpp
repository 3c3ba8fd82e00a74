// The laws of plans on either side of each bound: what they turn down is broken in just that, what they let pass only just
// holds. SPDX-License-Identifier: Apache-2.0
#include "tests/plans/broken_plans.hpp"

namespace {

using namespace colex::gpu;

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
  EXPECT_TRUE((tile_order{3, 5, 2}.fits_32_bits()));
  EXPECT_TRUE((tile_order{UINT32_MAX / 8, 1, 1}.fits_32_bits()));
  EXPECT_FALSE((tile_order{UINT32_MAX / 8 + 1, 1, 1}.fits_32_bits()));
}

TEST(plan_laws, are_those_of_its_kind) {
  EXPECT_STREQ(laws_of(sm80_plans[0]).back().name, "warp_fits");
  EXPECT_STREQ(laws_of(sm120_plans[0]).back().name, "plan_factors_flow");
  EXPECT_EQ(laws_of(sm80_plans[0]).data(), laws_of(sm120_plans[0]).data());
}
// A block may be of one element.
TEST(plan_laws, scaled_plans_are_those_with_blocks) {
  plan const by_one = with(sm80_plans[0], [](plan& p) { p.scale.block = 1; });
  EXPECT_STREQ(laws_of(by_one).back().name, "plan_factors_flow");
  EXPECT_EQ(name(by_one), "sm80_f16_ue8m0_kk_128x256x64_s3");
}
TEST(plan_laws, integers_are_no_factors) {
  for (int i = 0; i < static_cast<int>(std::size(element_names)); ++i) {
    element const e{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(is_integer(e), name_of(e)[0] == 's') << name_of(e);
  }
}

TEST(plan_laws, a_permutation_takes_each_value_once) {
  EXPECT_TRUE(permutes(make_layout({2, 3}, {3, 1}), 6));
  EXPECT_TRUE(permutes(make_layout(200, 1), 200));
  EXPECT_FALSE(permutes(make_layout({2, 3}, {3, 1}), 5));
  EXPECT_FALSE(permutes(make_layout({2, 3}, {3, 1}), 7));
  EXPECT_FALSE(permutes(make_layout(4, 1), 5));
  EXPECT_FALSE(permutes(make_layout(2, 0), 2));
  EXPECT_FALSE(permutes(make_layout(2, 2), 2));
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
  EXPECT_THROW(seen.insert(index_set::most + 64), error);
}
TEST(plan_laws, elements_are_kept_apart_wherever_they_lie) {
  composed const same = view(0, make_layout({2, 2}, {1, 1})), both = view(0, make_layout(2, 0));
  EXPECT_FALSE(keeps_apart(same));
  EXPECT_FALSE(keeps_apart(both));
  EXPECT_TRUE(keeps_apart(view(0, make_layout({2, 2}, {1, 3}))));
  auto const swizzled = [](swizzle const& sw) { return composition(sw, 0, make_layout(16, 1)); };
  EXPECT_TRUE(keeps_apart(swizzled({1, 0, -1})));
  EXPECT_TRUE(keeps_apart(swizzled({1, 0, 2})));
  EXPECT_FALSE(keeps_apart(swizzled({2, 0, 1})));  // takes each value once, and reads bit 1, which it flips
  plan const good = sm90_plans[0];
  EXPECT_TRUE(plan_keeps_apart(good));
  std::function<composed&(plan&)> const all[] = {&plan::smem_a,
                                                 &plan::smem_b,
                                                 &plan::smem_d,
                                                 [](plan& p) -> composed& { return p.warpgroup.smem_words; },
                                                 [](plan& p) -> composed& { return p.warpgroup.smem_sums; },
                                                 [](plan& p) -> composed& { return p.warpgroup.smem_columns; },
                                                 [](plan& p) -> composed& { return p.warpgroup.smem_half_columns; },
                                                 [](plan& p) -> composed& { return p.warpgroup.smem_group_columns; }};
  for (auto const& of : all) {
    EXPECT_FALSE(plan_keeps_apart(with(good, [&](plan& p) { of(p) = same; })));
    EXPECT_FALSE(plan_keeps_apart(with(good, [&](plan& p) { of(p) = both; })));
    EXPECT_TRUE(plan_keeps_apart(with(good, [&](plan& p) { of(p) = {}; })));
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
  EXPECT_FALSE(plan_epilogue_covers(with(good, [](plan& p) { p.tile_m = 256, p.tile_n = 64; })));
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
  EXPECT_FALSE(aligned(make_layout({8, {{2, 2}, 1}}, {4, {{2, 1}, 0}}), major::mn));   // no contiguous vector
  EXPECT_FALSE(aligned(make_layout({{4, 2}, {4, 1}}, {{1, 8}, {4, 0}}), major::k));    // begins at k = 2
  EXPECT_FALSE(aligned(make_layout({{2, 2}, {4, 1}}, {{2, 8}, {1, 0}}), major::mn));   // begins at row 2
  EXPECT_FALSE(aligned(make_layout({4, {4, 2}}, {1, {4, 8}}), major::k));              // its second begins at k = 2
  EXPECT_FALSE(aligned(make_layout({8, {{2, 2}, 1}}, {4, {{1, 16}, 0}}), major::mn));  // in two pieces
  EXPECT_FALSE(aligned(along_rows, major::any));                                       // nobody knows where it is contiguous
  EXPECT_FALSE(aligned(make_layout({2, {4, 1}}, {16, {1, 0}}), major::k));             // along rows, from k = 0 and 4 on
  EXPECT_FALSE(aligned(make_layout({2, {4, 1}}, {16, {4, 0}}), major::mn));            // along K, from row 0 on
  EXPECT_FALSE(aligned(make_layout({2, {2, 1}}, {16, {4, 0}}), major::mn, 64));
  EXPECT_TRUE(copy_aligned(make_layout({3, {4, 1}}, {6, {1, 0}}), major::mn, 6, 128, 32));  // from row 0 of 6 on, three times
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
  plan const& by_elements = plan_named("simt_f32_kn_32x64x16_s5");  // A, which is transposed
  EXPECT_EQ(size(get(get(by_elements.copy_a, 1), 0)), 1);
  EXPECT_TRUE(plan_copy_aligned(by_elements));
  EXPECT_FALSE(plan_copy_aligned(with(by_elements, [](plan& p) { p.copy_alignment = 8; })));  // B's vectors are longer
}

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
  EXPECT_EQ(of(make_layout(4, 0), 32), 4);
  EXPECT_EQ(of(make_layout(7, 1), 8), 4);
  EXPECT_EQ(of(make_layout(8, 1), 8), 8);
  EXPECT_EQ(of(make_layout(15, 1), 8), 8);
  EXPECT_EQ(of(make_layout(16, 1), 8), 16);
}
// Each access of a thread: one that is not aligned is none.
TEST(plan_laws, every_access_is_asked) {
  auto const of = [](layout const& values) { return make_layout(make_layout(32, 4), values); };
  EXPECT_THROW(accesses_conflict_free(of(make_layout({4, 2}, {1, 130})), 32), error);
  EXPECT_TRUE(accesses_conflict_free(of(make_layout({4, 2}, {1, 132})), 32));
  EXPECT_TRUE(accesses_conflict_free(of(make_layout({4, 1}, {1, 130})), 32));  // it has no second
}
TEST(plan_laws, simt_data_flows) {
  plan const good =
      with(plan_named("simt_f32_128x128x8_s3"), [](plan& p) { p.smem_a = p.smem_b = simt_smem(128, 8, 1, major::k); });
  for (auto const& [x, smem] : {std::pair{operand::a, &plan::smem_a}, {operand::b, &plan::smem_b}}) {
    auto const lying = [&](layout const& l) { return with(good, [&](plan& p) { p.*smem = view(0, l); }); };
    EXPECT_FALSE(simt_dataflow(lying(make_layout({128, {2, 4}}, {1, {136, 300}})), x));  // steps of two lengths
    EXPECT_FALSE(plan_dataflow(lying(make_layout({128, {2, 4}}, {1, {136, 300}}))));
    EXPECT_FALSE(simt_dataflow(lying(make_layout({128, {2, 4}}, {1, {136, 200}})), x));
    EXPECT_FALSE(simt_stages(lying(make_layout({128, 8}, {1, 64})), x));  // two to a place
    EXPECT_FALSE(plan_dataflow(lying(make_layout({128, 8}, {1, 64}))));
    EXPECT_TRUE(accesses_conflict_free(fragment(good, x), 32));
    EXPECT_FALSE(accesses_conflict_free(fragment(lying(make_layout({128, 8}, {32, 4096})), x), 32));
    EXPECT_FALSE(plan_conflict_free(lying(make_layout({128, 8}, {32, 4096}))));
    plan const uneven = with(good, [](plan& p) { p.threads = 96; });
    EXPECT_FALSE(simt_dataflow(uneven, x) || simt_stages(uneven, x));
  }
}

// 16 threads of four rows and four columns each; a step of K, of which there is one.
plan tiny() {
  plan p{};
  p.tile_m = p.tile_n = 16, p.tile_k = 1, p.threads = 16;
  p.mma = make_tiled_mma(make_mma_atom("UniversalFMA"), make_layout({4, 4, 1}, {1, 4, 0}),
                         tiler{in_vectors(4, 4, 16), in_vectors(4, 4, 16), _});
  p.smem_a = p.smem_b = view(0, make_layout({16, 1}, {1, 20}));
  p.copy_a = p.copy_b = make_layout({16, {1, 1}}, {1, {0, 0}});
  return p;
}
TEST(plan_laws, a_stage_may_be_one_step) {
  plan const& dot = plan_named("sm61_s8_kk_128x128x32_s3");
  EXPECT_TRUE(plan_dataflow(tiny()));
  for (operand x : {operand::a, operand::b}) {
    EXPECT_EQ(fragment_step(tiny(), x), 0);
    EXPECT_EQ(fragment_step(with(dot, [](plan& p) { p.tile_k = 4; }), x), 0);
    EXPECT_EQ(fragment_step(dot, x), 4 * 132);
  }
}
// Of twelve threads the parts do not add up: to less than the whole of A's, to more than that of B's.
TEST(plan_laws, simt_fragments_are_sums_of_two_parts) {
  plan const uneven = with(tiny(), [](plan& p) { p.threads = 12; });
  EXPECT_FALSE(simt_dataflow(uneven, operand::a));
  EXPECT_FALSE(simt_dataflow(uneven, operand::b));
}
// What a copy of A brings where: (row, k) of four rows.
bool stages(layout const& copy, layout const& smem, int threads) {
  return simt_stages(with(plan{}, [&](plan& p) { p.copy_a = copy, p.smem_a = view(0, smem), p.threads = threads; }),
                     operand::a);
}
TEST(plan_laws, simt_copies_are_sums_of_two_parts) {
  layout const straight = make_layout({4, {1, 4}}, {1, {0, 4}}), across = make_layout({4, {1, 4}}, {4, {0, 1}});
  layout const apart = make_layout({4, {1, 4}}, {1, {0, 8}});
  EXPECT_TRUE(stages(straight, make_layout({4, 4}, {4, 1}), 4));
  EXPECT_FALSE(stages(straight, make_layout({4, 4}, {4, 1}), 3));  // it reads in order, and writes more than the whole
  EXPECT_FALSE(stages(across, make_layout({4, 4}, {4, 1}), 3));    // it writes in order, and reads more
  EXPECT_FALSE(stages(apart, make_layout({4, 8}, {1, 2}), 3));     // and reads less
  EXPECT_FALSE(stages(make_layout({2, {1, 1}}, {1, {0, 0}}), make_layout({2, 1}, {0, 0}), 2));  // two to the first place
}
// Whatever a vector's length: each element of a stage is brought once.
TEST(plan_laws, simt_copies_cover_in_vectors) {
  for (major along : {major::k, major::mn})
    for (int n : {1, 2, 4, 8}) EXPECT_TRUE(permutes(simt_copy(32, 64, 16, n, 32, along), 64 * 16)) << n;
}

// Threads over (M, N), whatever the lanes along M: each thread is one.
TEST(simt_threads, are_each_one) {
  for (int lanes_m : {1, 4}) EXPECT_TRUE(permutes(make_layout(simt_threads(lanes_m, 2, 2), make_layout(1, 0)), 128)) << lanes_m;
}
// A block's sums wait in shared memory all at once where 48 KiB hold them, otherwise a row of each thread.
TEST(plan_laws, simt_sums_wait_where_they_fit) {
  auto const rows = [](int64 m, int64 n) { return size(simt_f32({m, n, 16, 4, 1, 255}, major::k, major::k).smem_d.inner, 0); };
  EXPECT_EQ(rows(256, 32), 256);
  EXPECT_EQ(rows(256, 64), 16);
}

// What the choice of a kernel asks is what the plan says.
TEST(plan_summary, is_of_its_plan) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) {
      plan_summary const s = p;
      layout const& threads = p.mma.thr_layout_vmnk;
      EXPECT_EQ(8 * s.row_alignment, p.unaligned ? bits_of(p.a) : 8 * p.copy_alignment) << name(p);
      EXPECT_EQ(s.consumers, size(threads)) << name(p);
      EXPECT_TRUE(s.consumers_m == size(get(threads, 1)) && s.consumers_n == size(get(threads, 2))) << name(p);
      EXPECT_EQ(s.staged_rows, p.kind == family::simt || p.kind == family::gemv ? size(get(p.smem_d.inner, 0)) : 0) << name(p);
    }
  EXPECT_EQ(plan_summary(plan{}).staged_rows, 0);
}
// Kernels of warps do where rows do not begin at 16 bytes, and of f64; those of tensor memory never do.
TEST(plan_summary, says_who_gives_splits_their_stages) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) {
      bool const whole_vectors = !p.unaligned && p.copy_alignment == 16;
      bool const does = p.kind == family::warp ? !whole_vectors || p.a == element::f64 : p.kind != family::umma;
      EXPECT_EQ(splits_stages(p), does) << name(p);
    }
}
// Their sums take the place of the stages, and a thread has registers beside them.
TEST(plan_summary, says_whose_clusters_reduce_splits) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table)
      EXPECT_EQ(reduces_warp_splits(plan_summary(p)), p.kind == family::warp && splits_stages(p)) << name(p);
  plan p = plan_named("sm90_f64_kk_64x64x16_s4");  // 32 KiB of sums, 16 of a stage; 64 registers of sums
  p.registers = 172;
  EXPECT_TRUE(reduces_warp_splits(p));
  p.stages = 2;
  EXPECT_TRUE(reduces_warp_splits(p));
  p.stages = 1;
  EXPECT_FALSE(reduces_warp_splits(p));
  p.stages = 2, p.registers = 171;
  EXPECT_FALSE(reduces_warp_splits(p));
}
// Of 16 bits a row of 128 bytes has 64 elements: peers share rows where each has whole ones of them.
TEST(plan_laws, peers_share_whole_rows) {
  plan const p{.a = element::bf16};
  for (auto const& [rows, peers, share] :
       {std::tuple{128, 2, true}, {256, 2, true}, {256, 4, true}, {64, 2, false}, {192, 2, false}, {128, 4, false}})
    EXPECT_EQ(shares_rows(p, rows, peers), share) << rows << ' ' << peers;
}
TEST(plan_laws, chips_have_as_much_shared_memory) {
  for (auto const& [kib, chips] :
       {std::pair{64, std::vector{75}}, {163, {80, 87}}, {99, {86, 89, 120, 121}}, {227, {90, 100, 103}}, {48, {50, 61, 70}}})
    for (int chip : chips) EXPECT_EQ(shared_limit(chip), kib * 1024) << chip;
}
TEST(plan_laws, simt_plans_fit) {
  plan const good = with(plan_named("simt_f32_128x128x8_s3"), [](plan& p) { p.registers = 32; });
  int const bytes = 3 * 2 * 8 * 128 * 4;
  EXPECT_EQ(shared_bytes(good), bytes);
  EXPECT_EQ(shared_bytes(with(good, [](plan& p) { p.stages = 0; })), (7 * 144 + 128) * 4);  // the epilogue
  EXPECT_EQ(shared_bytes(with(good, [](plan& p) { p.stages = 0, p.smem_d = {}; })), 0);
  expect_bounds(plan_fits, good, &plan::threads, {32, 96, 1024}, {0, 16, 48, 1056});
  expect_bounds(plan_fits, good, &plan::registers, {255}, {256});
  expect_bounds(plan_fits, with(good, [](plan& p) { p.threads = 1024; }), &plan::registers, {64}, {65});
  expect_bounds(plan_fits, good, &plan::stages, {2}, {1, 4});
  for (int chip : {50, 80}) {
    plan const of_chip = with(good, [&](plan& p) { p.architecture = chip; });
    expect_bounds(plan_fits, of_chip, &plan::shared, {bytes, 48 << 10}, {bytes - 1, (48 << 10) + 1});
  }
}

}  // namespace
