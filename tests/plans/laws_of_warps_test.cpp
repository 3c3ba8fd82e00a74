// The laws of plans of warps, on either side of each bound. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/cost.hpp"
#include "tests/plans/broken_plans.hpp"

namespace {

using namespace colex::gpu;

composed straight(layout const& a) { return composition(swizzle{}, 0, a); }

TEST(plan_laws, warps_go_through_a_whole_stage) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table)
      for (operand x : {operand::a, operand::b}) {
        if (p.kind != family::warp) continue;
        operand_path const at = path_of(p, x);
        EXPECT_EQ(at.vector * at.bits, 8 * p.copy_alignment) << name(p);
        EXPECT_EQ(std::int64_t{at.steps} * at.vector * p.threads, at.rows * at.depth) << name(p);
        EXPECT_EQ(std::int64_t{at.loads} * at.width * p.threads, size(at.fragment)) << name(p);
        bool const along_k = (x == operand::a ? p.major_a : p.major_b) == major::k, alone = at.bits == 32 && !along_k;
        bool const matrices = p.architecture >= 75 && at.bits <= 32 && !alone;
        EXPECT_EQ(size(at.atom.thr_id), matrices ? 32 : 1) << name(p);
        EXPECT_EQ(at.bytes_of_load(), matrices ? 16 : alone ? 4 : 8) << name(p);
      }
}
// Registers are bounded so that several blocks fit on an SM: then its shared memory holds as many.
TEST(plan_laws, blocks_that_registers_are_bounded_for_find_shared_memory) {
  for (std::span<plan const> const table : all_plans)
    for (plan const& p : table) {
      bool const bounded = (p.kind == family::warp || p.kind == family::simt || p.kind == family::gemv) && p.registers < 255;
      if (!bounded) continue;
      EXPECT_EQ(blocks_per_sm(p), model::sm_registers / (p.threads * p.registers)) << name(p);
    }
}
TEST(plan_laws, warps_are_judged_by_both_operands) {
  for (char const* of : {"sm80_f16_kk_64x64x64_s5", "sm80_f16_mn_128x256x64_s3"})
    for (auto const& [smem, copy] : {std::pair{&plan::smem_a, &plan::copy_a}, {&plan::smem_b, &plan::copy_b}}) {
      plan const& good = plan_named(of);
      EXPECT_FALSE(warp_conflict_free(with(good, [&](plan& p) { (p.*smem).sw = {0, 0, 0}; }))) << of;
      EXPECT_FALSE(warp_vectors_stay(with(good, [&](plan& p) { (p.*smem).sw = {3, 0, 3}; }))) << of;
      EXPECT_FALSE(warp_vectors_stay(with(good, [](plan& p) { p.copy_alignment = 32; }))) << of;
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
// Of B's parted bytes the columns of two atoms are neighbours, four sums of a thread.
TEST(plan_laws, columns_of_two_atoms_are_staged_in_turn) {
  plan const &of_two = plan_named("sm80_s8_mk_64x64x128_s5"), &of_four = plan_named("sm80_s8_kn_64x64x128_s5");
  EXPECT_EQ(neighbouring_sums(of_two), 2);
  EXPECT_EQ(neighbouring_sums(of_four), 4);
  std::vector<int> two, four;
  for (int i = 0; i < 16; ++i) two.push_back(staged_value(of_two, i)), four.push_back(staged_value(of_four, i));
  EXPECT_EQ(two, (std::vector{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27}));
  EXPECT_EQ(four, (std::vector{0, 8, 1, 9, 2, 10, 3, 11, 16, 24, 17, 25, 18, 26, 19, 27}));
  composed const in_twos = composition(swizzle{1, 1, 4}, 0, make_layout({16, 32}, {32, 1}));
  EXPECT_FALSE(warp_sums_staged(with(of_four, [&](plan& p) { p.smem_d = in_twos; })));
}
// A warp's piece ends where the next one's begins.
TEST(plan_laws, sums_are_staged_within_the_piece) {
  plan const& good = plan_named("sm80_s8_kn_32x32x128_s4_align8");
  EXPECT_TRUE(warp_sums_staged(good));
  EXPECT_FALSE(warp_sums_staged(with(good, [](plan& p) { p.smem_d.inner.stride[0] += 4; })));
}
// The epilogue makes an address of a thread's part and a step's.
TEST(plan_laws, staged_addresses_are_joined) {
  plan const& good = plan_named("sm80_s8_kn_64x64x128_s5");
  EXPECT_FALSE(warp_sums_staged(with(good, [](plan& p) { p.smem_d.sw = {1, 4, -1}; })));
}
// 16 bytes of s8 are 16 columns, of bf16 eight.
TEST(plan_laws, rows_of_sums_are_whole_vectors_of_the_shortest_results) {
  auto const of = [](element x, element sum, std::string_view atom) {
    return warp_sums_staged(warp_plan(80, x, x, sum, atom, {64, 64, 128, 1, 8, 2}));
  };
  EXPECT_FALSE(of(element::s8, element::s32, "SM80_16x8x32_S32S8S8S32_TN"));
  EXPECT_TRUE(of(element::bf16, element::f32, "SM80_16x8x16_F32BF16BF16F32_TN"));
}
// Padded lines, which a stage has no memory for.
TEST(plan_laws, operands_lie_within_their_stage) {
  plan const& good = plan_named("sm80_f16_kk_64x64x64_s5");
  for (auto const smem : {&plan::smem_a, &plan::smem_b}) {
    EXPECT_TRUE(warp_fits(with(good, [&](plan& p) { p.*smem = view(0, make_layout({64, 64}, {64, 1})); })));
    EXPECT_FALSE(warp_fits(with(good, [&](plan& p) { p.*smem = view(0, make_layout({64, 64}, {72, 1})); })));
  }
  operand_path x{};
  x.rows = 4, x.depth = 1;
  x.shared = straight(make_layout({2, 2}, {2, 1}));
  EXPECT_TRUE(detail::lies_within(x));
  x.shared = straight(make_layout({2, 2}, {3, 1}));  // the last one right behind
  EXPECT_FALSE(detail::lies_within(x));
}
// A load of 16 bytes a thread spans two atoms of K where a warp has eight columns.
TEST(plan_laws, atoms_of_k_have_whole_loads) {
  auto const of = [](int64 warps_n) {
    return warp_plan(80, element::bf16, element::bf16, element::f32, "SM80_16x8x16_F32BF16BF16F32_TN",
                     {64, 64, 64, 1, warps_n, 2});
  };
  EXPECT_TRUE(warp_fits(of(4)));
  EXPECT_FALSE(warp_fits(of(8)));
}
// Volta has no ldmatrix.
TEST(plan_laws, bytes_are_parted_from_turing_on) {
  EXPECT_FALSE(warp_fragments_arrive(with(plan_named("sm80_s8_mn_64x64x128_s5"), [](plan& p) { p.architecture = 70; })));
}
// Parted bytes are what ldmatrix brings, and two of its registers' bytes in the order that prmt is given.
TEST(plan_laws, bytes_are_parted_as_their_load_says) {
  copy_atom const bytes = in_elements(make_copy_atom("SM75_U16x8_LDSM_T"), 8);
  for (operand x : {operand::a, operand::b}) {
    copy_atom const parted = in_elements(parting_load(x), 8);
    EXPECT_EQ(parted.src, bytes.src);
    for (int lane = 0; lane < 32; ++lane)
      for (int v = 0; v < 16; ++v) {
        parted_register const from = part(x, v / 4);
        int const byte = static_cast<int>(from.bytes >> v % 4 * 4) & 7, word = byte < 4 ? from.first : from.second;
        EXPECT_EQ(parted.dst(lane + 32 * v), bytes.dst(lane + 32 * (4 * word + byte % 4))) << lane << ' ' << v;
      }
  }
}
TEST(plan_laws, fragments_are_of_all_threads) {
  plan const& good = plan_named("sm80_f16_kk_64x64x64_s5");
  for (int threads : {64, 256})
    EXPECT_FALSE(warp_fragments_arrive(with(good, [&](plan& p) { p.threads = threads; }))) << threads;
}

TEST(plan_laws, warp_plans_fit) {
  plan const& good = plan_named("sm80_f16_kk_128x128x32_s4");
  int const bytes = 4 * 2 * 128 * 32 * 2 + 4 * 16 * 32 * 4 + 16;
  EXPECT_EQ(warp_shared_bytes(good), bytes);
  expect_bounds(warp_fits, good, &plan::stages, {2, 3}, {1, 5});
  expect_bounds(warp_fits, good, &plan::shared, {bytes, 163 << 10}, {bytes - 1, (163 << 10) + 1});
  EXPECT_TRUE(warp_fits(with(good, [](plan& p) { p.threads = 1024, p.shared = 160 << 10; })));
  EXPECT_FALSE(warp_fits(with(good, [](plan& p) { p.threads = 1025, p.shared = 160 << 10; })));
  for (auto const& [k, fits] : {std::pair{0, false}, {16, false}, {32, true}, {48, false}, {64, true}})
    EXPECT_EQ(warp_fits(with(good, [&](plan& p) { p.tile_k = k, p.shared = 160 << 10; })), fits) << k;
}

TEST(warp_plan, is_made_of_whole_parts) {
  for (int part : {-2, 0, 3, 16}) EXPECT_THROW(detail::divided(8, part), undefined) << part;
  for (int part : {1, 2, 8}) EXPECT_EQ(detail::divided(8, part), 8 / part);
}
// Where rows are contiguous, they are what a line has.
TEST(warp_plan, has_lines_where_the_operand_is_contiguous) {
  EXPECT_EQ(detail::swizzled_lines(128, 32, 16, major::mn).inner, make_layout({{64, 2}, 32}, {{1, 2048}, 64}));
  EXPECT_EQ(detail::copy_of_lines(128, 32, 256, 16, 8, major::mn),
            make_layout({{8, 32}, {8, 1, 2}}, {{8, 128}, {1, 4096, 64}}));
}
// Every other two of 16 steps of K, which ldmatrix reads at once, lie behind each other; threads copy lines as they lie, where
// they copy 16 at least.
TEST(warp_plan, has_lines_of_bytes_in_the_order_of_loads) {
  composed const lines = detail::swizzled_lines(64, 32, 8, major::mn);
  EXPECT_EQ(lines.inner, make_layout({{64, 1}, {2, 2, 4, 2}}, {{1, 2048}, {64, 512, 128, 1024}}));
  EXPECT_EQ(detail::copy_of_lines(64, 32, 64, 8, 16, major::mn),
            make_layout({{4, 2, 4, 2, 1}, {16, 2, 1}}, {{16, 64, 256, 128, 1024}, {1, 1024, 64}}));
  EXPECT_EQ(detail::copy_of_lines(64, 32, 32, 8, 16, major::mn), make_layout({{4, 8}, {16, 4, 1}}, {{16, 64}, {1, 512, 64}}));
}
// Threads for which one line is not deep enough copy several at once.
TEST(warp_plan, copies_lines_side_by_side) {
  EXPECT_EQ(detail::copy_of_lines(128, 16, 256, 64, 2, major::mn), make_layout({{8, 16, 2}, {2, 4}}, {{2, 128, 16}, {1, 32}}));
}

TEST(plan_laws, vectors_of_a_copy_are_as_long_as_the_plan_says) {
  layout const copy = make_layout({{4, 32}, {16, 2, 1}}, {{1024, 1}, {64, 32, 0}});  // of 32 bytes
  plan const wide = with(plan_named("sm80_f16_kk_64x64x64_s5"), [&](plan& p) {
    p.copy_a = p.copy_b = copy;
    p.smem_a.sw = p.smem_b.sw = {};
  });
  for (int bytes : {3, 16, 32, 64})
    EXPECT_EQ(warp_vectors_stay(with(wide, [&](plan& p) { p.copy_alignment = bytes; })), bytes == 16 || bytes == 32) << bytes;
}

TEST(plan_laws, vectors_of_a_single_thread_stay) {
  for (int step : {1, 2}) {
    operand_path x{};
    x.copy = make_layout(make_layout(1, 0), make_layout({2, 1}, {step, 0}));
    x.shared = straight(make_layout(4, 1)), x.vector = 2;
    EXPECT_EQ(detail::vectors_stay(with(plan{}, [](plan& p) { p.threads = 1; }), x), step == 1) << step;
  }
}

// Every fourth place swizzled: (thread, step) to an index.
TEST(plan_laws, steps_join_threads) {
  composed const swizzled = composition(swizzle{1, 0, 1}, 0, make_layout(64, 1));
  auto const join = [&](layout const& steps, int width) {
    return detail::steps_join(swizzled, make_layout(make_layout(4, 1), steps), width, 4);
  };
  EXPECT_TRUE(join(make_layout(2, 4), 1));
  EXPECT_FALSE(join(make_layout(2, 3), 1));
  EXPECT_TRUE(join(make_layout({2, 2}, {3, 4}), 2));  // between steps anything may be
  layout const two = make_layout(make_layout(2, 1), make_layout(2, 1));
  EXPECT_TRUE(detail::steps_join(straight(make_layout({2, 2}, {1, 2})), two, 1, 1));
  EXPECT_FALSE(detail::steps_join(straight(make_layout({2, 2}, {1, 4})), two, 1, 1));  // nearer than where it lies
  EXPECT_FALSE(detail::steps_join(straight(make_layout({2, 2}, {2, 1})), two, 1, 1));  // further
}

TEST(plan_laws, lanes_of_each_warp_lie_as_those_of_the_first) {
  auto const free = [](layout const& shared) {
    return detail::conflict_free(straight(shared), make_layout(make_layout(64, 1), make_layout(1, 0)), 1, 32, 4);
  };
  EXPECT_TRUE(free(make_layout(64, 1)));
  EXPECT_FALSE(free(make_layout({48, 2}, {1, 100})));
  EXPECT_FALSE(free(make_layout({63, 2}, {1, 100})));  // the last lane further on
  EXPECT_FALSE(free(make_layout({63, 2}, {1, 0})));    // or before
}
TEST(plan_laws, loads_of_warps_are_those_there_are) {
  layout const once = make_layout(make_layout(32, 4), make_layout({4, 1}, {1, 130}));  // another would not be aligned
  EXPECT_TRUE(detail::conflict_free(straight(make_layout(4096, 1)), once, 4, 32, 16));
}

// A path by hand: each of four threads loads `width` elements that lie together, `count` times.
operand_path path(int width, layout const& values, int count) {
  operand_path x{};
  x.shared = straight(make_layout(4096, 1));
  x.atom = in_elements(make_copy_atom("UniversalCopy<uint64_t>"), 64 / width);
  x.source = x.fragment = make_layout(make_layout(4, width), values);
  x.width = width, x.loads = count;
  return x;
}
bool arrive(operand_path const& x, int threads) {
  return detail::fragments_arrive(with(plan{}, [&](plan& p) { p.threads = threads; }), x);
}
TEST(plan_laws, fragments_are_all_that_is_loaded) {
  layout const one = make_layout(1, 0);
  for (int threads : {2, 4, 8}) EXPECT_EQ(arrive(path(1, one, 1), threads), threads == 4) << threads;
  for (int loads : {0, 1, 2}) EXPECT_EQ(arrive(path(1, one, loads), 4), loads == 1) << loads;
}
TEST(plan_laws, fragments_arrive_from_every_load) {
  operand_path x = path(4, make_layout({4, 2, 2}, {1, 16, 32}), 4);
  EXPECT_TRUE(arrive(x, 4));
  for (auto const& values :
       {make_layout({4, 2, 2}, {2, 16, 32}), make_layout({4, 2, 2}, {0, 16, 32}), make_layout({4, 2, 2}, {1, 16, 33})}) {
    x.fragment = make_layout(make_layout(4, 4), values);
    EXPECT_FALSE(arrive(x, 4));
  }
}
TEST(plan_laws, atoms_of_copies_are_of_limited_size) {
  auto const of = [](layout const& a) { detail::origins const from(copy_atom{make_layout(32, 1), a, a, a}); };
  EXPECT_NO_THROW(of(make_layout({32, 32}, {32, 1})));
  EXPECT_THROW(of(make_layout({32, 33}, {33, 1})), undefined);
  EXPECT_THROW(of(make_layout({32, 32}, {33, 1})), undefined);
}

TEST(plan_laws, shares_of_sums_lie_behind_each_other) {
  plan const& good = plan_named("sm80_f16_kk_64x64x64_s5");
  auto const staged = [&](composed const& out) { return warp_sums_staged(with(good, [&](plan& p) { p.smem_d = out; })); };
  EXPECT_FALSE(staged(view(0, make_layout({32, 16}, {32, 1}))));                           // more rows than an atom has
  EXPECT_FALSE(staged(view(0, make_layout({16, 4}, {4, 1}))));                             // less than an atom
  EXPECT_FALSE(staged(composition(swizzle{1, 1, 4}, 0, make_layout({16, 32}, {32, 1}))));  // 16 bytes in two pieces
  EXPECT_FALSE(warp_sums_staged(with(good, [](plan& p) {                                   // a warp's rows are not in one piece
    p.mma =
        make_tiled_mma(p.mma.atom, make_layout({2, 2, 1}, {1, 2, 0}), tiler{make_layout(64, 1), get(p.mma.permutation, 1), _});
  })));
}
// One atom, two sums a thread.
TEST(plan_laws, a_pair_of_sums_lies_in_a_row) {
  plan one = warp_plan(80, element::f64, element::f64, element::f64, "SM80_8x8x4_F64F64F64F64_TN", {16, 16, 16, 2, 2, 2});
  one.smem_d = view(0, make_layout({8, 8}, {8, 1}));
  EXPECT_TRUE(warp_sums_staged(one));
  one.mma.atom.c = make_layout({{4, 8}, 2}, {{2, 8}, 1});
  EXPECT_FALSE(warp_sums_staged(one));
}

TEST(plan_laws, factors_are_in_the_words_of_a_stage) {
  for (char const* of : {"sm120_e4m3_ue8m0_kk_128x128x128_s2", "sm120_e5m2_ue8m0_kk_128x128x128_s2"})
    for (operand x : {operand::a, operand::b})
      for (int threads : {32, 256})  // three atoms' factors along K, and a word
        EXPECT_FALSE(
            factors_flow(with(plan_named(of), [&](plan& p) { p.tile_k = 96, p.scale.block = 16, p.threads = threads; }), x, 1));
}
// Columns of the third warp are beyond 128 where a row is an element.
TEST(plan_laws, factors_are_of_128_rows) {
  for (auto const& [of, tile_k] :
       {std::pair{"sm120_e4m3_ue8m0_kk_128x128x128_s2", 128}, {"sm120_e2m1_ue4m3_kk_128x128x256_s2", 64}})
    for (int threads : {64, 96})
      EXPECT_EQ(
          factors_flow(with(plan_named(of), [&, k = tile_k](plan& p) { p.tile_m = 1, p.tile_k = k, p.threads = threads; }),
                       operand::b, 1),
          threads == 64);
}
TEST(plan_laws, factors_fill_words_of_whole_tiles) {
  plan const& good = plan_named("sm120_e4m3_ue8m0_kk_128x128x128_s2");
  auto const flow = [&](auto change) { return plan_factors_flow(with(good, change)); };
  for (int block : {0, 1, 32, 64}) EXPECT_EQ(flow([&](plan& p) { p.scale.block = block; }), block == 1 || block == 32) << block;
  EXPECT_FALSE(flow([](plan& p) { p.tile_k = 0; }));
  for (int rows : {64, 256}) {
    EXPECT_FALSE(flow([&](plan& p) { p.tile_m = rows; })) << rows;
    EXPECT_FALSE(flow([&](plan& p) { p.tile_n = rows; })) << rows;
  }
  plan low = warp_plan(120, element::e4m3, element::e4m3, element::f32,
                       "SM120_16x8x32_TN_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,32>", {64, 128, 128, 2, 4, 2});
  low.scale.block = 32;
  EXPECT_TRUE(factors_flow(low, operand::a, 2) && factors_flow(low, operand::b, 4));
  EXPECT_FALSE(plan_factors_flow(low));  // half of what a chunk has
}

}  // namespace
