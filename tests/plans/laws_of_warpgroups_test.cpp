// The laws of plans of warpgroups, on either side of each bound. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/terms.hpp"
#include "tests/plans/broken_plans.hpp"

#include <algorithm>
#include <deque>

namespace {

using namespace colex::gpu;

int& pingpong_groups(plan& p) { return p.warpgroup.pingpong_groups; }
int& epilogue_bytes(plan& p) { return p.warpgroup.epilogue_bytes; }

// A warp's pieces have 16 rows, a tile's columns are a multiple of theirs, and its ring holds them. Eight rows of 16 bits that
// stmatrix stores at once have no bank conflict; the pairs of words of four rows have at most one. Sums that threads store are
// staged eight rows at once, in no more columns than twice a tile's.
TEST(plan_laws, warpgroups_stage_whole_pieces) {
  layout const pairs = make_layout({4, 4}, {32, 1});  // of half a warp: four neighbours in a row, four rows
  layout const rows_of_sums = make_layout({4, 4}, {16, 1});
  auto const expect_piece = [](plan const& p, composed const& piece, int bits, int warps = 1) {
    EXPECT_TRUE(size(piece.inner, 0) == 16 * warps && p.tile_n % size(piece.inner, 1) == 0) << name(p);
    EXPECT_LE(size(piece.inner) * bits / 8, warps * p.warpgroup.epilogue_bytes) << name(p);
  };
  for (plan const& p : sm90_plans) {
    warpgroup_part const& w = p.warpgroup;
    expect_piece(p, p.smem_d, 16), expect_piece(p, w.smem_half_columns, 16), expect_piece(p, w.smem_group_columns, 16, 4);
    expect_piece(p, w.smem_words, 32), expect_piece(p, w.smem_columns, 32);
    EXPECT_TRUE(size(w.smem_sums.inner, 0) == 8 && size(w.smem_sums.inner, 1) < 2 * p.tile_n) << name(p);
    EXPECT_LE(bank_conflicts(composition(w.smem_sums.sw, 0, composition(w.smem_sums.inner, rows_of_sums)), 32, 8), 1)
        << name(p);
    EXPECT_LE(bank_conflicts(composition(w.smem_words.sw, 0, composition(w.smem_words.inner, pairs)), 32, 8), 1) << name(p);
    EXPECT_TRUE(detail::column_is_free(w.smem_columns, make_layout(8, 16), 32)) << name(p);
  }
}
// Rows of 128 or of 64 bytes are swizzled; others are an odd multiple of eight elements.
TEST(plan_laws, pieces_are_as_wide_as_a_tile_allows) {
  auto const halves = [](int n) { return size(warpgroup_plan(element::bf16, element::bf16, 128, n, 2).smem_d.inner, 1); };
  for (auto [n, columns] :
       std::vector<std::pair<int, int>>{{256, 64}, {224, 32}, {16, 8}, {48, 24}, {112, 56}, {144, 72}, {176, 88}})
    EXPECT_EQ(halves(n), columns) << n;
  EXPECT_EQ(detail::piece_columns(176, 160, false), 88);
  EXPECT_EQ(detail::piece_columns(176, 64, false), 16);
  EXPECT_EQ(detail::piece_columns(176, 64, true), 8);
}
// The ring has room for a piece of each kind. Pieces begin where their swizzle does, and where TMA may read shared memory.
TEST(plan_laws, rings_hold_whole_pieces) {
  plan const& good = plan_named("sm90_bf16_mn_128x128x64_s6");
  EXPECT_TRUE(detail::ring_holds_pieces(good));
  for (std::size_t kind = 0; kind < staged_pieces(good).size(); ++kind) {
    plan p = good;
    *const_cast<composed*>(staged_pieces(p)[kind]) = view(0, make_layout({16, 48}, {48, 1}));
    EXPECT_EQ(detail::ring_holds_pieces(p), kind == 2) << kind;  // sums, which threads store
  }
  auto const holds = [&](int ring, layout const& piece, int element_bytes, swizzle const& sw = {0, 0, 0}) {
    return detail::ring_holds(with(good, [&](plan& p) { epilogue_bytes(p) = ring; }), composition(sw, 0, piece), element_bytes);
  };
  layout const rows = make_layout({16, 32}, {32, 1}), group = make_layout({64, 32}, {32, 1});
  EXPECT_TRUE(holds(1024, rows, 2) && holds(2048, rows, 4) && holds(1024, group, 2));
  EXPECT_FALSE(holds(896, rows, 2) || holds(1024, rows, 4) || holds(896, group, 2));
  EXPECT_TRUE(holds(1024 + 128, rows, 2) && holds(128, make_layout({16, 4}, {4, 1}), 2));
  EXPECT_FALSE(holds(1024 + 64, rows, 2) || holds(128, make_layout({16, 2}, {2, 1}), 2));
  EXPECT_TRUE(holds(1024 + 512, rows, 2, {2, 3, 3}) && holds(2048, rows, 4, {3, 2, 3}));
  EXPECT_FALSE(holds(1024 + 256, rows, 2, {2, 3, 3}) || holds(2048 + 512, rows, 4, {3, 2, 3}));
  EXPECT_FALSE(holds(1024, make_layout({16, 16}, {16, 1}), 2, {3, 3, 3}));
}
// A piece of each kind counts in bytes of its elements.
TEST(plan_laws, rings_hold_pieces_of_each_width) {
  auto const holds = [](std::size_t kind, int ring) {
    plan p = plan_named("sm90_bf16_mn_128x128x64_s6");
    for (composed const* each : staged_pieces(p)) *const_cast<composed*>(each) = view(0, make_layout({16, 8}, {8, 1}));
    *const_cast<composed*>(staged_pieces(p)[kind]) = view(0, make_layout({16, 32}, {32, 1}));
    epilogue_bytes(p) = ring;
    return detail::ring_holds_pieces(p);
  };
  for (std::size_t kind : {0, 1, 3, 4, 5}) {
    int const piece = 16 * 32 * (kind == 1 || kind == 3 ? 4 : 2);
    EXPECT_TRUE(holds(kind, piece)) << kind;
    EXPECT_FALSE(holds(kind, piece - 128)) << kind;
  }
  EXPECT_EQ(largest_piece_bytes(warpgroup_plan(element::tf32, element::tf32, 128, 144, 2)), 16 * 72 * 4);
  EXPECT_EQ(largest_piece_bytes(warpgroup_plan(element::bf16, element::bf16, 64, 16, 2)), 2048);
}
// TMA may read a piece as late as the waits allow: is a slot written while it is read? `wait`: how many may be unread.
bool overwrites(piece_ring const& ring, auto wait) {
  std::deque<int> unread;
  for (int tile = 0; tile < 5; ++tile)
    for (int i = 0; i < ring.pieces; ++i) {
      while (std::ssize(unread) > wait(i)) unread.pop_front();
      if (std::ranges::find(unread, i % ring.slots) != unread.end()) return true;
      unread.push_back(i % ring.slots);
    }
  return false;
}
TEST(plan_laws, no_slot_is_written_while_it_is_read) {
  int without_first = 0, one_too_many = 0;
  for (plan const& p : sm90_plans)
    for (auto [piece, element_bytes] : {std::pair{p.smem_d, 2},
                                        {p.warpgroup.smem_words, 4},
                                        {p.warpgroup.smem_columns, 4},
                                        {p.warpgroup.smem_half_columns, 2},
                                        {p.warpgroup.smem_group_columns, 2}}) {
      piece_ring const ring = ring_of(p, piece, element_bytes);
      ASSERT_TRUE(ring.slots >= 1 && ring.slots <= ring.pieces) << name(p);
      EXPECT_FALSE(overwrites(ring, [&](int i) { return ring.unread(i); })) << name(p);
      without_first += overwrites(ring, [&](int) { return ring.slots - 1; });
      one_too_many += overwrites(ring, [&](int i) { return ring.unread(i) + 1; });
    }
  EXPECT_GT(without_first, 0);
  EXPECT_GT(one_too_many, without_first);
}
// Room for two of the largest pieces where the stages leave it, else for as much as there is, and for one in any case.
TEST(plan_laws, rings_take_what_stages_leave) {
  auto const ring = [](char const* name) { return plan_named(name).warpgroup.epilogue_bytes; };
  EXPECT_EQ(ring("sm90_bf16_kk_128x224x64_s4"), 2 * 2048);
  EXPECT_EQ(ring("sm90_bf16_kk_128x192x64_s5"), 2048 + 1024);
  EXPECT_EQ(ring("sm90_bf16_kk_192x192x64_s4"), 2048);
  EXPECT_EQ(ring("sm90_bf16_kk_128x144x64_s5"), 2560 + 3072);  // 72 columns of 16 rows, in whole 512 and 1024 bytes
  EXPECT_EQ(warpgroup_plan(element::bf16, element::bf16, 128, 256, 9).warpgroup.epilogue_bytes, 2048);
}
TEST(plan_laws, clusters_reduce_splits_that_fit_the_stages) {
  plan const& good = plan_named("sm90_bf16_kk_64x64x64_s12");
  EXPECT_TRUE(reduces_split_k(good));
  EXPECT_TRUE(reduces_split_k(plan_named("sm90_bf16_kk_64x128x64_s8_2x1")));
  EXPECT_FALSE(reduces_split_k(plan_named("sm90_bf16_kk_128x128x64_s6_pingpong")));
  EXPECT_TRUE(reduces_split_k(plan_named("sm90_bf16_kk_128x192x64_s5")));
  EXPECT_TRUE(reduces_split_k(plan_named("sm90_s8_kk_64x64x128_s12")));
  EXPECT_FALSE(reduces_split_k(plan_named("sm90_bf16_kk_128x224x64_s4")));  // 112 sums in a thread
  EXPECT_TRUE(reduces_split_k(warpgroup_plan(element::bf16, element::bf16, 192, 128, 4)));
  EXPECT_FALSE(reduces_split_k(warpgroup_plan(element::bf16, element::bf16, 192, 192, 4)));             // 96 of 128 registers
  EXPECT_FALSE(reduces_split_k(warpgroup_plan(element::e4m3, element::e4m3, 128, 128, 6, two_level)));  // 192 of 224
  EXPECT_TRUE(reduces_split_k(warpgroup_plan(element::e4m3, element::e4m3, 64, 128, 6, two_level)));
  EXPECT_TRUE(reduces_split_k(with(good, [](plan& p) { p.registers = 32 + 32 + 26; })));
  EXPECT_FALSE(reduces_split_k(with(good, [](plan& p) { p.registers = 32 + 32 + 25; })));
  EXPECT_FALSE(reduces_split_k(with(good, [](plan& p) { p.warpgroup.pingpong_groups = 2; })));
  EXPECT_TRUE(reduces_split_k(with(good, [](plan& p) { p.stages = 1; })));  // 16 KiB of sums, as much of a stage
  EXPECT_FALSE(reduces_split_k(with(good, [](plan& p) { p.stages = 1, p.tile_k = 63; })));
}

TEST(plan_laws, warpgroups_are_judged_by_all_they_read_and_write) {
  plan const good = warpgroup_plan(element::bf16, element::bf16, 128, 256, 4, with_majors(pair, major::k, major::mn));
  auto const straight = [&](composed plan::* of) { return with(good, [&](plan& p) { (p.*of).sw = {0, 0, 0}; }); };
  EXPECT_TRUE(warpgroup_plan_dataflow(good) && warpgroup_plan_conflict_free(good) && warpgroup_plan_registers(good));
  for (composed plan::* of : {&plan::smem_a, &plan::smem_b}) {
    EXPECT_FALSE(warpgroup_plan_dataflow(straight(of)));
    EXPECT_FALSE(warpgroup_plan_conflict_free(straight(of)));
  }
  EXPECT_FALSE(warpgroup_plan_conflict_free(straight(&plan::smem_d)));
  EXPECT_FALSE(warpgroup_plan_conflict_free(with(good, [](plan& p) { p.warpgroup.smem_half_columns.sw = {0, 0, 0}; })));
  EXPECT_FALSE(warpgroup_plan_conflict_free(with(good, [](plan& p) { p.warpgroup.smem_group_columns.sw = {2, 3, 3}; })));
  // TMA writes it right, but a wgmma of the other major mode does not find it.
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.major_a = major::mn; })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.major_b = major::k; })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.copy_a = make_layout({{128, 64}, 1}, {{1, 128}, 0}); })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.copy_b = make_layout({{64, 256}, 1}, {{256, 1}, 0}); })));
  EXPECT_FALSE(warpgroup_plan_registers(with(good, [](plan& p) { p.mma = plan_named("sm80_f16_kk_64x64x64_s5").mma; })));
  for (int rows : {64, 256}) EXPECT_FALSE(warpgroup_plan_registers(with(good, [&](plan& p) { p.tile_m = rows; }))) << rows;
}
TEST(plan_laws, only_16_bits_and_tf32_are_multiplied_across) {
  for (element x : {element::e4m3, element::s8, element::bf16, element::tf32}) {
    bool const across = x == element::bf16 || x == element::tf32;  // A through registers, B transposed
    EXPECT_EQ(warpgroup_plan_dataflow(warpgroup_plan(x, x, 128, 128, 4, {.a = major::mn})), across);
    EXPECT_EQ(warpgroup_plan_dataflow(warpgroup_plan(x, x, 128, 128, 4, {.b = major::mn})), across);
    EXPECT_TRUE(warpgroup_plan_dataflow(warpgroup_plan(x, x, 128, 128, 4)));
  }
}
TEST(plan_laws, only_tf32_across_goes_through_registers) {
  plan const& good = plan_named("sm90_tf32_mk_128x256x32_s4_2x1");
  EXPECT_TRUE(a_from_registers(good));
  EXPECT_FALSE(a_from_registers(with(good, [](plan& p) { p.major_a = major::k; })));
  EXPECT_FALSE(a_from_registers(with(good, [](plan& p) { p.a = element::f32; })));
  EXPECT_FALSE(a_from_registers(with(good, [](plan& p) { p.a = element::f16; })));
  EXPECT_TRUE(detail::fragments_agree(good));
  EXPECT_FALSE(detail::fragments_agree(with(good, [](plan& p) { p.smem_a.sw = {0, 0, 0}; })));
}

// wgmma then finds B as it finds one that is contiguous along K. A stage begins at any multiple of 1024 bytes.
TEST(plan_laws, only_tf32_of_b_across_is_transposed) {
  using enum element;
  plan const good = warpgroup_plan(tf32, tf32, 128, 64, 4, {.a = major::mn, .b = major::mn});
  EXPECT_TRUE(transposes_b(good));
  EXPECT_FALSE(transposes_b(warpgroup_plan(tf32, tf32, 128, 64, 4, {.a = major::mn})));
  EXPECT_FALSE(transposes_b(warpgroup_plan(bf16, bf16, 128, 64, 4, {.b = major::mn})));
  EXPECT_EQ(staged_major_b(good), major::k);
  EXPECT_EQ(staged_major_b(warpgroup_plan(bf16, bf16, 128, 64, 4, {.b = major::mn})), major::mn);
  EXPECT_EQ(good.smem_b, warpgroup_plan(tf32, tf32, 128, 64, 4).smem_b);
  EXPECT_EQ(detail::landed(good, true), make_layout(128 * 32, 1));
  EXPECT_EQ(detail::landed(good, false), make_layout({32, 32, 2}, {32, 1, 1024}));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.major_b = major::k; })));
  EXPECT_FALSE(warpgroup_plan_dataflow(with(good, [](plan& p) { p.smem_b = tma_smem_layout(major::mn, tf32, 64, 32); })));
  for (std::uint32_t at : {1024, 2048, 3072, 5120})
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(square_read(at, lane, i), at + square_read(0, lane, i));
        EXPECT_EQ(square_write(at, lane, i), at + square_write(0, lane, i));
      }
}

// What a warp does that transposes, broken in each way.
TEST(plan_laws, squares_are_transposed_whole) {
  auto const read = detail::read_of_square;
  auto const write = detail::write_of_square;
  auto const half = [](auto of) { return [of](int lane, int i) { return of(lane % 16, i); }; };
  auto const straight = [](int lane, int i) { return static_cast<std::uint32_t>(128 * lane + 16 * i); };  // without a swizzle
  EXPECT_TRUE(detail::transposes_square(read, write));
  EXPECT_FALSE(detail::transposes_square(half(read), half(write)));  // half of it, twice
  EXPECT_FALSE(detail::transposes_square(half(read), write));
  EXPECT_FALSE(detail::transposes_square(read, read));
  EXPECT_TRUE(detail::squares_are_free(read) && detail::squares_are_free(write));
  EXPECT_FALSE(detail::squares_are_free(straight));
}

TEST(plan_laws, warpgroup_plans_fit) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  int const out = 8 * 2 * 16 * 64 * 2, bytes = 4 * 2 * 64 * (128 + 256) + out + 16 * 4 + 8 + 1024;
  EXPECT_EQ(warpgroup_shared_bytes(good), bytes);
  plan const transposing = plan_named("sm90_tf32_mn_64x64x32_s13");  // a third barrier for each stage
  EXPECT_EQ(warpgroup_shared_bytes(transposing), 13 * 4 * 32 * (64 + 64) + 4 * 4096 + 24 * 13 + 8 + 1024);
  expect_bounds(warpgroup_plan_fits, good, &plan::shared, {bytes, 227 << 10}, {bytes - 1, (227 << 10) + 1});
  expect_bounds(warpgroup_plan_fits, good, &plan::stages, {2}, {1, 5});
  expect_bounds(warpgroup_plan_fits, good, pingpong_groups, {1}, {0, 2});
  expect_bounds(warpgroup_plan_fits, good, &plan::registers, {128 + 26}, {128 + 25});
  expect_bounds(warpgroup_plan_fits, good, &plan::cluster_m, {1, 2, 4, 8}, {16});
  expect_bounds(warpgroup_plan_fits, good, &plan::cluster_n, {1, 2, 4, 8}, {16});
  expect_bounds(warpgroup_plan_fits, good, epilogue_bytes, {4096}, {3072, 5120});
  for (int64 columns : {64, 128, 132})  // of a warpgroup, a quarter of them in each warp's ring: whole 512 bytes
    EXPECT_EQ(largest_piece_bytes(
                  with(good, [&](plan& p) { p.warpgroup.smem_group_columns = view(0, make_layout({64, columns}, {1, 64})); })),
              columns == 132 ? 4608 : 32 * columns);
  EXPECT_FALSE(warpgroup_plan_fits(with(good, [](plan& p) { p.cluster_m = 4, p.cluster_n = 4; })));
  EXPECT_FALSE(warpgroup_plan_fits(with(good, [](plan& p) { p.tile_n = 144, p.cluster_m = 9; })));
}
TEST(plan_laws, warpgroup_plans_have_whole_boxes_and_instructions) {
  plan const large =
      with(plan_named("sm90_bf16_kk_128x256x64_s4"), [](plan& p) { p.stages = 2, p.shared = 227 << 10, p.registers = 999; });
  auto const fits = [&](auto change) { return warpgroup_plan_fits(with(large, change)); };
  auto const of_width = [](int n, int cluster_m) {
    return warpgroup_plan_fits(warpgroup_plan(element::bf16, element::bf16, 128, n, 2, {.cluster_m = cluster_m}));
  };
  for (int n : {16, 80, 240}) EXPECT_TRUE(of_width(n, 1)) << n;
  for (int n : {24, 248}) EXPECT_FALSE(of_width(n, 1)) << n;
  EXPECT_FALSE(of_width(272, 2));
  EXPECT_FALSE(fits([](plan& p) { p.cluster_m = 3; }));
  EXPECT_TRUE(of_width(16, 2));
  EXPECT_FALSE(of_width(16, 4));
  EXPECT_TRUE(fits([](plan& p) { p.major_b = major::mn, p.cluster_m = 4; }));
  EXPECT_TRUE(fits([](plan& p) { p.major_b = major::mn, p.cluster_m = 8; }));  // shares along K, of eight
  EXPECT_FALSE(fits([](plan& p) { p.major_b = major::mn, p.cluster_m = 8, p.tile_k = 32; }));
  // Across K rows are whole.
  for (int n : {80, 128}) {
    plan const along_k = warpgroup_plan(element::bf16, element::bf16, 128, n, 2);
    EXPECT_EQ(warpgroup_plan_fits(with(along_k, [](plan& p) { p.major_b = major::mn; })), n == 128) << n;
  }
  EXPECT_TRUE(fits([](plan& p) { p.major_a = major::mn, p.cluster_n = 2; }));
  EXPECT_TRUE(fits([](plan& p) { p.major_a = major::mn, p.cluster_n = 4; }));
  EXPECT_FALSE(fits([](plan& p) { p.major_a = major::mn, p.cluster_n = 4, p.tile_k = 16; }));
  EXPECT_FALSE(fits([](plan& p) { p.cluster_n = 3; }));
  EXPECT_FALSE(fits([](plan& p) { p.tile_m = 192; }));
  EXPECT_FALSE(fits([](plan& p) { p.tile_m = 512; }));
  EXPECT_TRUE(fits([](plan& p) { p.tile_m = 512, p.cluster_n = 2; }));
  EXPECT_TRUE(fits([](plan& p) { p.tile_n = 192; }));  // three pieces in a ring of two
  EXPECT_FALSE(fits([](plan& p) { p.tile_n = 80; }));  // no multiple of a piece
  EXPECT_FALSE(fits([](plan& p) { p.warpgroup.pingpong_groups = 2; }));
}
TEST(plan_laws, warpgroup_plans_have_the_registers_and_rings) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  plan const two_level = with(good, [](plan& p) { p.two_level_accumulation = true, p.registers = 999; });
  expect_bounds(warpgroup_plan_fits, two_level, &plan::registers, {2 * 128 + 26}, {2 * 128 + 25});
  expect_bounds(holds_two_stages, two_level, &plan::registers, {3 * 128 + 26}, {3 * 128 + 25});
  expect_bounds(warpgroup_plan_fits, plan_named("sm90_tf32_mk_128x256x32_s4_2x1"), &plan::registers, {128 + 32 + 26},
                {128 + 32 + 25});
  auto const fits = [&](auto change) { return warpgroup_plan_fits(with(good, [&](plan& p) { p.stages = 2, change(p); })); };
  EXPECT_TRUE(fits([](plan& p) { p.tile_n = 64; }));  // one piece in a ring of two
  EXPECT_TRUE(fits([](plan& p) { p.warpgroup.smem_sums = view(0, make_layout({8, 128}, {128, 1})); }));
  EXPECT_FALSE(fits([](plan& p) { p.warpgroup.smem_sums = view(0, make_layout({8, 129}, {129, 1})); }));
}

TEST(plan_laws, warpgroup_plans_have_instructions) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  auto const has = [](plan const& of, auto change) { return warpgroup_plan_instructions(with(of, change)); };
  auto const types = [&](element a, element b) { return has(good, [&](plan& p) { p.a = a, p.b = b; }); };
  using enum element;
  for (element e : {bf16, f16, tf32, s8, e4m3, e5m2}) EXPECT_TRUE(types(e, e)) << name_of(e);
  for (element e : {f64, f32, e2m1, s32, ue8m0}) EXPECT_FALSE(types(e, e)) << name_of(e);
  EXPECT_TRUE(types(e4m3, e5m2) && types(e5m2, e4m3));
  EXPECT_FALSE(types(bf16, f16) || types(e4m3, s8) || types(s8, e4m3));
  auto const two_levels = [](plan& p) { p.two_level_accumulation = true; };
  EXPECT_TRUE(has(good, two_levels));
  EXPECT_FALSE(has(plan_named("sm90_s8_kk_128x256x128_s4"), two_levels));
  plan const& from_registers = plan_named("sm90_tf32_mk_128x256x32_s4_2x1");
  EXPECT_TRUE(warpgroup_plan_instructions(from_registers));
  EXPECT_FALSE(has(from_registers, two_levels));
  EXPECT_TRUE(has(from_registers, [](plan& p) { p.major_b = major::mn, p.registers = 216; }));
  for (int m : {64, 256}) EXPECT_FALSE(has(from_registers, [&](plan& p) { p.tile_m = m; })) << m;
  EXPECT_TRUE(has(from_registers, [](plan& p) { p.tile_n = 240; }));
  expect_bounds(warpgroup_plan_instructions, good, &plan::threads, {384}, {128, 512});
  expect_bounds(warpgroup_plan_instructions, good, &plan::registers, {168, 224}, {225});
  expect_bounds(warpgroup_plan_instructions, plan_named("sm90_tf32_mn_128x128x32_s6"), &plan::registers, {216}, {217, 224});
  expect_bounds(warpgroup_plan_instructions, plan_named("sm90_bf16_kk_64x64x64_s12"), &plan::registers, {255}, {256});
  expect_bounds(warpgroup_plan_instructions, plan_named("sm90_bf16_kk_192x192x64_s4"), &plan::registers, {128}, {129});
  expect_bounds(warpgroup_plan_instructions, plan_named("sm90_bf16_kk_192x192x64_s4"), &plan::threads, {512}, {128, 640});
}
// The name of a plan says the call that makes it.
TEST(warpgroup_calls, are_named) {
  for (plan const& p : sm90_plans) {
    warpgroup_call const c = warpgroup_call_named(name(p));
    EXPECT_EQ(name(c.make()), name(p));
    EXPECT_EQ(terms::certificate(c.make()), terms::certificate(p));
    EXPECT_EQ(c.make().threads, p.threads);
    EXPECT_EQ(c.make().shared, p.shared);
  }
  EXPECT_EQ(warpgroup_call_named("sm90_e4m3_e5m2_two_level_kk_128x128x128_s6_pingpong_1x2").text(),
            "warpgroup_plan(element::e4m3, element::e5m2, 128, 128, 6, {.a = major::k, .b = major::k, .cluster_m = 1, "
            ".cluster_n = 2, .pingpong_groups = 2, .two_level_accumulation = true})");
  EXPECT_EQ(warpgroup_call_named("sm90_f16_mn_64x64x64_s9").make().threads, 256);
  EXPECT_EQ(warpgroup_call_named("sm90_f16_mn_64x64x64_s9_pingpong").make().threads, 384);
  EXPECT_EQ(warpgroup_call_named("sm90_f16_mn_192x64x64_s5").make().threads, 512);
  EXPECT_EQ(warpgroup_call_named("sm90_f16_mn_64x64x64_s9_8x8").with.cluster_n, 8);
  EXPECT_EQ(warpgroup_call_named("sm90_f16_mn_64x64x64_s64").stages, 64);
  for (char const* wrong :
       {"", "sm90", "sm80_bf16_kk_128x64x64_s4", "sm90_f32_kk_128x64x32_s4", "sm90_bf16_f16_kk_128x64x64_s4",
        "sm90_bf16_nk_128x64x64_s4", "sm90_bf16_kk_257x64x64_s4", "sm90_bf16_kk_128x257x64_s4", "sm90_bf16_kk_128x64x32_s4",
        "sm90_bf16_kk_128x64x128_s4", "sm90_bf16_kk_128x64x64_s65", "sm90_bf16_kk_128x64x64_s04", "sm90_bf16_kk_128x64x64_s4_2",
        "sm90_bf16_kk_128x64x64_s4_9x1", "sm90_bf16_kk_128x64x64_s4_1x9", "sm90_bf16_kk_128x64x64_s4_2x1_",
        "sm90_bf16_kk_128x64x64_s4_2x1_pingpong"})
    EXPECT_FALSE(names_warpgroup_call(wrong)) << wrong;
}
TEST(warpgroup_calls, have_as_many_stages_as_fit) {
  using enum element;
  for (auto [a, b] : {std::pair{bf16, bf16}, {tf32, tf32}, {e4m3, e5m2}, {s8, s8}})
    for (major of_a : {major::k, major::mn})
      for (warpgroup_call const& c : warpgroup_calls_for(a, b, of_a, major::k)) {
        EXPECT_LE(c.make().shared, shared_limit(90)) << c.text();
        EXPECT_GE(c.stages, 2) << c.text();
        EXPECT_GT(warpgroup_plan(c.a, c.b, c.m, c.n, c.stages + 1, c.with).shared, shared_limit(90)) << c.text();
      }
}
// What the tables have is among them but for its stages.
TEST(warpgroup_calls, for_a_product) {
  std::vector<warpgroup_call> const all = warpgroup_calls_for(element::bf16, element::bf16, major::mn, major::k);
  int tall = 0;
  int64 tallest = 0;
  for (warpgroup_call const& c : all) {
    plan const p = c.make();
    tall += p.tile_m == 128 && p.tile_n == 256 && p.cluster_m == 2;
    tallest = std::max(tallest, p.tile_m);
  }
  EXPECT_EQ(tallest, 256);
  EXPECT_EQ(with_most_stages({element::tf32, element::tf32, 256, 176, 4}).value().stages, 3);
  EXPECT_FALSE(with_most_stages({element::bf16, element::bf16, 1024, 256, 2}));
  EXPECT_EQ(tall, 2 * 2 * 3);  // cooperative and ping-pong, one level and two, one column of blocks, two and four
  for (plan const& p : sm90_plans) {
    if (p.a != element::bf16 || p.major_a != major::mn || p.major_b != major::k) continue;
    warpgroup_call const wanted = warpgroup_call_named(name(p));
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](warpgroup_call c) {
      c.stages = wanted.stages;
      return c.text() == wanted.text();
    })) << name(p);
  }
}

// A's registers of an instruction are those of a warp's 16x8 of tf32 in mma.sync. The upper half of a warp reads them in
// another order.
TEST(plan_laws, fragments_of_tf32_are_where_the_atom_has_them) {
  layout const a = make_mma_atom("SM80_16x8x8_F32TF32TF32F32_TN").a;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      tile_coordinate const at = fragment_coordinate(lane, i);
      EXPECT_EQ(at.row + 16 * at.column, a(lane + 32 * i)) << lane << ' ' << i;
      EXPECT_EQ(fragment_read(lane, i), lane < 16 ? i : (i + 2) % 4) << lane << ' ' << i;
    }
}
TEST(plan_laws, fragments_of_tf32_are_a_constant_apart) {
  plan const& good = plan_named("sm90_tf32_mk_128x256x32_s4_2x1");
  auto const agree = [&](int second, int third) {  // instruction, of four
    return detail::fragments_agree(with(good, [&](plan& p) {
      p.tile_m = 16;
      p.smem_a = p.smem_a.with(make_layout({16, {8, 2, 2}}, {1, {32, second, third}}));
    }));
  };
  EXPECT_TRUE(agree(256, 512));
  EXPECT_FALSE(agree(256, 1024));
  EXPECT_FALSE(agree(512, 256));
}
TEST(plan_laws, fragments_of_tf32_are_read_by_threads) {
  plan const& good = plan_named("sm90_tf32_mk_128x256x32_s4_2x1");
  layout const apart = make_layout({{32, 4}, 32}, {{1, 2048}, 32});  // where no instruction would look
  EXPECT_TRUE(detail::operand_agrees(with(good, [&](plan& p) { p.smem_a = p.smem_a.with(apart); }), true));
}
TEST(plan_laws, the_engine_writes_one_element_after_another) {
  layout const eight = make_layout(8, 1);
  auto const agrees = [&](int step) { return detail::tma_agrees(eight, eight, view(0, make_layout(8, step)), 2); };
  for (int step : {0, 1, 2}) EXPECT_EQ(agrees(step), step == 1) << step;
}
TEST(plan_laws, instructions_find_groups_of_eight_rows) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  for (int stride : {512, 1024, 2048})
    EXPECT_EQ(detail::instruction_agrees(good.smem_a, major::k, {16, stride}, 0, 64, 0, 16, 128, 2), stride == 1024) << stride;
}
// An instruction begins where the plan says, whatever the one before it found.
TEST(plan_laws, instructions_begin_anywhere) {
  plan const& good = plan_named("sm90_bf16_kk_128x256x64_s4");
  layout const interleaved = make_layout({256, {16, 2, 2}}, {64, {1, 32, 16}});
  EXPECT_TRUE(detail::operand_agrees(with(good, [&](plan& p) { p.smem_b = p.smem_b.with(interleaved); }), false));
}

}  // namespace
