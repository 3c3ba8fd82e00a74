// sm100 without a device: its laws turn down plans that are broken in just that, and its descriptors, decoded, say what the
// plans mean. SPDX-License-Identifier: Apache-2.0
#include "tests/plans/umma_machine.hpp"

#include <gtest/gtest.h>

namespace colex {
namespace {

using namespace gpu;

// Each law turns down a plan that is wrong in just that.
TEST(umma, laws_turn_down) {
  plan const good = sm100_plans[0], across = sm100_plans[3];
  auto const broken = [](plan p, auto change) { return change(p), p; };
  using namespace gpu;
  EXPECT_FALSE(boxes_cover(make_layout({{64, 127}, 1}, {{128, 1}, 0}), good.smem_a));
  EXPECT_FALSE(boxes_cover(make_layout({{64, 128}, 1}, {{128, 0}, 0}), good.smem_a));
  EXPECT_FALSE(boxes_are_contiguous(make_layout({{128, 64}, 1}, {{1, 128}, 0}), good.smem_a));
  EXPECT_FALSE(boxes_are_contiguous(good.copy_a, across.smem_a));
  for (int offset : {-1024, 1024})
    EXPECT_FALSE(boxes_are_contiguous(good.copy_a, composition(good.smem_a.sw, offset, good.smem_a.inner))) << offset;
  EXPECT_FALSE(tma_box_fits(make_layout({{64, 512}, 1}, {{512, 1}, 0}), element::bf16));
  EXPECT_FALSE(tma_box_fits(make_layout({{64, 4}, 32}, {{128, 1}, 4}), element::bf16));
  EXPECT_FALSE(descriptor_is_exact(composition(swizzle{2, 3, 3}, 0, good.smem_a.inner), major::k, element::bf16));
  EXPECT_FALSE(
      descriptor_is_exact(good.smem_a.with(make_layout({{8, 2, 8}, 64}, {{64, 1024, 512}, 1})), major::k, element::bf16));
  EXPECT_FALSE(descriptor_is_exact(good.smem_a, major::mn, element::bf16));
  EXPECT_FALSE(steps_are_regular(good, good.smem_a.with(make_layout({128, {16, 2, 2}}, {64, {1, 32, 16}})), element::bf16));
  EXPECT_FALSE(steps_are_regular(good, good.smem_a.with(make_layout({128, {16, 2, 2}}, {64, {1, 16, 64}})), element::bf16));
  EXPECT_FALSE(steps_are_regular(good, good.smem_a.with(make_layout({128, {16, 4}}, {64, {1, 4}})), element::bf16));  // 8 bytes
  EXPECT_FALSE(umma_instruction_exists(broken(good, [](plan& p) { p.mma.atom.shape_mnk.value[1] = 264; })));
  EXPECT_FALSE(umma_instruction_exists(broken(good, [](plan& p) { p.b = element::e4m3; })));
  EXPECT_FALSE(umma_instruction_exists(broken(sm100_plans[10], [](plan& p) { p.major_b = major::mn; })));
  EXPECT_FALSE(umma_shares_equal(broken(good, [](plan& p) { p.cluster_m = 1; })));
  EXPECT_FALSE(umma_shares_equal(broken(good, [](plan& p) { p.smem_b = sm100_plans[4].smem_b; })));
  EXPECT_FALSE(umma_memory_fits(broken(good, [](plan& p) { p.stages = 1; })));
  EXPECT_FALSE(umma_memory_fits(broken(good, [](plan& p) { p.stages = 8; })));
  EXPECT_FALSE(umma_memory_fits(umma_plan(element::e4m3, element::e4m3, 128, 256, 4, mx)));
  EXPECT_FALSE(umma_epilogue_covers(broken(good, [](plan& p) { p.tile_n = 240; })));
  EXPECT_FALSE(umma_epilogue_covers(broken(good, [](plan& p) { p.tile_n = 16; })));
}
// At either side of each bound.
TEST(umma, laws_let_pass_what_just_holds) {
  using namespace gpu;
  plan const pair = sm100_plans[0], alone = sm100_plans[4];
  auto const with = [](plan p, auto change) { return change(p), p; };
  EXPECT_TRUE(tma_box_fits(make_layout({{64, 256}, 1}, {{256, 1}, 0}), element::bf16));
  EXPECT_FALSE(tma_box_fits(make_layout({{64, 264}, 1}, {{264, 1}, 0}), element::bf16));
  EXPECT_FALSE(tma_box_fits(make_layout({2049, 1}, {1, 0}), element::e2m1));  // 1024 bytes and half a byte
  auto const exact = [&](layout const& l, major along) {
    return descriptor_is_exact(pair.smem_a.with(l), along, element::bf16);
  };
  int64 const far = 1 << 17;  // elements that are 2^18 bytes
  EXPECT_TRUE(exact(make_layout({{8, 8}, 64}, {{64, far - 512}, 1}), major::k));
  EXPECT_FALSE(exact(make_layout({{8, 8}, 64}, {{64, far}, 1}), major::k));
  EXPECT_FALSE(exact(make_layout({{8, 8}, 64}, {{64, 2 * far}, 1}), major::k));
  EXPECT_TRUE(exact(make_layout({{64, 2}, {8, 8}}, {{1, far - 512}, {64, 512}}), major::mn));
  EXPECT_FALSE(exact(make_layout({{64, 2}, {8, 8}}, {{1, far}, {64, 512}}), major::mn));
  EXPECT_FALSE(exact(make_layout({{64, 2}, {8, 8}}, {{1, 2 * far}, {64, 512}}), major::mn));
  auto const exists = [&](plan const& p, int mode, int extent) {
    return umma_instruction_exists(
        with(p, [&](plan& x) { x.mma.atom.shape_mnk.value[static_cast<std::size_t>(mode)] = extent; }));
  };
  EXPECT_TRUE(exists(pair, 0, 256) && exists(alone, 0, 128));
  EXPECT_FALSE(exists(pair, 0, 128) || exists(alone, 0, 256));
  for (int n : {32, 64, 256}) EXPECT_TRUE(exists(pair, 1, n) && exists(alone, 1, n)) << n;
  EXPECT_TRUE(exists(alone, 1, 16));
  EXPECT_FALSE(exists(pair, 1, 16) || exists(pair, 1, 48) || exists(pair, 1, 288));
  EXPECT_FALSE(exists(alone, 1, 24) || exists(alone, 1, 272));
  EXPECT_FALSE(exists(pair, 2, 8) || exists(pair, 2, 32));
  EXPECT_FALSE(umma_instruction_exists(with(sm100_plans[10], [](plan& p) { p.major_a = major::mn; })));
  plan const& bytes_wide = sm100_plans[12];
  EXPECT_EQ(bytes_wide.a, element::e4m3);
  EXPECT_FALSE(umma_instruction_exists(with(bytes_wide, [](plan& p) { p.b = element::f16; })));
  EXPECT_FALSE(umma_instruction_exists(with(bytes_wide, [](plan& p) { p.major_b = major::mn; })));
  EXPECT_FALSE(umma_instruction_exists(with(pair, [](plan& p) { p.scale.block = 32; })));
  EXPECT_FALSE(umma_shares_equal(with(pair, [](plan& p) { p.cluster_n = 2; })));
  EXPECT_FALSE(umma_shares_equal(with(pair, [](plan& p) { p.cluster_n = 0; })));
  EXPECT_FALSE(umma_shares_equal(with(pair, [](plan& p) { p.cluster_m = 4; })));
  EXPECT_FALSE(umma_shares_equal(with(alone, [&](plan& p) { p.smem_b = pair.smem_b; })));
  EXPECT_FALSE(
      umma_shares_equal(with(alone, [&](plan& p) { p.smem_a = composition(p.smem_a.sw, 0, make_layout({64, 64}, {64, 1})); })));
  EXPECT_FALSE(umma_shares_equal(with(pair, [](plan& p) { p.mma.atom.a = make_layout({1, {64, 16}}, {0, {1, 128}}); })));
  EXPECT_FALSE(umma_shares_equal(with(pair, [&](plan& p) { p.smem_a = alone.smem_b; })));
  EXPECT_FALSE(umma_shares_equal(with(pair, [&](plan& p) { p.mma.atom.a = alone.mma.atom.b; })));
  auto const fits = [&](plan const& p, auto change) { return umma_memory_fits(with(p, change)); };
  for (plan const& p : sm100_plans) {
    int const bytes = umma_map(p).shared_bytes();
    EXPECT_TRUE(fits(p, [&](plan& x) { x.shared = bytes + 1; }) && fits(p, [](plan& x) { x.shared = 227 << 10; }));
    EXPECT_FALSE(fits(p, [&](plan& x) { x.shared = bytes; }) || fits(p, [](plan& x) { x.shared = (227 << 10) + 1; }));
    EXPECT_TRUE(fits(p, [](plan& x) { x.stages = 2; })) << name(p);
    EXPECT_FALSE(fits(p, [](plan& x) { x.tile_m = 64; })) << name(p);
    EXPECT_FALSE(fits(p, [](plan& x) { x.tile_m = 256, x.stages = 2; })) << name(p);
  }
  auto const of_rows = [](composed const& smem, int rows) { return composition(smem.sw, 0, make_layout({rows, 64}, {64, 1})); };
  EXPECT_FALSE(fits(pair, [&](plan& p) { p.smem_b = of_rows(p.smem_b, 4); }));  // a stage of some kilobytes and a half
  EXPECT_FALSE(
      fits(pair, [&](plan& p) { p.smem_a = of_rows(p.smem_a, 4), p.smem_b = of_rows(p.smem_b, 252); }));  // an A of half a one
  plan const& scaled = sm100_plans[19];
  EXPECT_EQ(scaled.scale.block, 32);
  EXPECT_FALSE(fits(scaled, [](plan& p) { p.tile_k = 96; }));  // more factors than words have
  EXPECT_FALSE(fits(scaled, [](plan& p) { p.tile_k = 256, p.scale.block = 20, p.shared = 227 << 10; }));  // fewer
  EXPECT_FALSE(fits(pair, [](plan& p) { p.smem_a = composition(p.smem_a.sw, 0, make_layout({4, 64}, {64, 1})); }));
}

// Each begins where the one before ends: the stages' operands and factors, the barriers, the address of the columns.
TEST(umma, parts_follow_each_other) {
  for (plan const& p : sm100_plans) {
    gpu::umma_map const s(p);
    int at = 0;
    auto const next = [&](int begin, gpu::int64 bytes) {
      EXPECT_EQ(begin, at) << name(p);
      at += static_cast<int>(bytes);
    };
    for (int stage = 0; stage < p.stages; ++stage) {
      next(s.at_a(stage), p.tile_m * 128), next(s.at_b(stage), p.tile_n * 128 / s.sms);
      next(s.at_sfa(stage), gpu::factor_bytes(p, p.tile_m)), next(s.at_sfb(stage), gpu::factor_bytes(p, p.tile_n));
    }
    EXPECT_EQ(s.bytes_of_stage(), at / p.stages * s.sms) << name(p);
    for (int stage = 0; stage < p.stages; ++stage) next(s.full_barrier(stage), 8);
    for (int stage = 0; stage < p.stages; ++stage) next(s.empty_barrier(stage), 8);
    next(s.sum_full_barrier(0), 8), next(s.sum_full_barrier(1), 8), next(s.sum_empty_barrier(0), 8),
        next(s.sum_empty_barrier(1), 8);
    next(s.tensor_memory_address(), 16);
    EXPECT_EQ(s.shared_bytes(), at) << name(p);
  }
}
// Two tiles of sums, then each stage's factors: a column for 32 rows by four factors.
TEST(umma, columns_follow_each_other) {
  for (plan const& p : sm100_plans) {
    gpu::umma_map const s(p);
    gpu::int64 const words = p.scale.block == 0 ? 0 : p.tile_k / p.scale.block / 4;
    gpu::int64 at = 2 * p.tile_n;
    for (int stage = 0; stage < p.stages; ++stage) {
      EXPECT_EQ(s.factor_column_a(stage), at) << name(p);
      EXPECT_EQ(s.factor_column_b(stage), at += p.tile_m / 32 * words) << name(p);
      at += p.tile_n / 32 * words;
    }
    for (int step = 0; step < s.steps; ++step)
      EXPECT_EQ(4 * s.factor_word(step) + s.factor_byte(step),
                p.scale.block == 0 ? 0 : step * p.mma.atom.shape_mnk.value[2] / p.scale.block);
  }
}
// TMA counts whole bytes, rows of 128.
TEST(umma, boxes_are_the_engines) {
  for (plan const& p : sm100_plans)
    for (gpu::layout const& boxes : {p.copy_a, p.copy_b}) {
      gpu::tensor_box const box = gpu::box_of(p, boxes);
      EXPECT_EQ(box.elements, bits_of(p.a) == 4 ? 2 : 1) << name(p);
      EXPECT_EQ(box.run * box.elements * bits_of(p.a), 1024) << name(p);
      EXPECT_EQ(box.run * box.elements * box.rows, size(boxes, 0)) << name(p);
    }
}

// The address of each (row, k) of an operand of each instruction of each stage, decoded, is that of the plan's layout.
template <operand X>
void expect_same_matrix(plan const& p) {
  gpu::umma_map const s(p);
  bool const is_a = X == operand::a, across = (is_a ? p.major_a : p.major_b) == major::mn;
  gpu::composed const& smem = is_a ? p.smem_a : p.smem_b;
  gpu::int64 const rows = size(smem.inner, 0), depth = p.mma.atom.shape_mnk.value[2], bits = bits_of(p.a);
  std::uint64_t const d = gpu::operand_descriptor(smem, across ? major::mn : major::k, p.a);
  for (int stage = 0; stage < p.stages; ++stage)
    for (int step = 0; step < s.steps; ++step) {
      int const base = 1024 + (is_a ? s.at_a(stage) : s.at_b(stage));
      umma::matrix_bits const decoded(d + static_cast<std::uint64_t>((base + step * (is_a ? s.step_a : s.step_b)) / 16));
      for (gpu::int64 r = 0; r < rows; ++r)
        for (gpu::int64 k = 0; k < depth; ++k) {
          auto const byte = static_cast<std::uint32_t>((across ? r : k) * bits / 8);
          std::uint32_t const at = across ? decoded.across_k(byte, static_cast<std::uint32_t>(k))
                                          : decoded.along_k(static_cast<std::uint32_t>(r), byte);
          ASSERT_EQ(at, base + smem(r + rows * (step * depth + k)) * bits / 8)
              << name(p) << " stage " << stage << " row " << r << " k " << k;
        }
    }
}
TEST(umma, matrix_descriptors_mean_the_plans_layouts) {
  for (plan const& p : sm100_plans) {
    expect_same_matrix<operand::a>(p);
    expect_same_matrix<operand::b>(p);
  }
}
// One run of rows has no next; nor has what a swizzle permutes along K. Both say one unit.
TEST(umma, matrix_descriptors_of_one_run) {
  umma::matrix_bits const across(
      gpu::operand_descriptor(gpu::tma_smem_layout(major::mn, element::bf16, 64, 64), major::mn, element::bf16));
  EXPECT_EQ(across.leading, 16u);
  EXPECT_EQ(across.stride, 1024u);
}
TEST(umma, factor_descriptors_are_of_groups_of_eight) {
  umma::matrix_bits const d(gpu::factor_descriptor());
  EXPECT_TRUE(d.start == 0 && d.leading == 16 && d.stride == 128 && d.swizzle == 0);
}
TEST(umma, instructions_scale_blocks_of_one_element) {
  plan p = sm100_plans[19];
  std::uint32_t const bits = gpu::instruction_descriptor(p);
  p.scale.block = 1;
  EXPECT_EQ(gpu::instruction_of(p), gpu::umma_instruction::mxf8f6f4);
  EXPECT_EQ(gpu::instruction_descriptor(p), bits);
}
TEST(umma, instruction_descriptors_mean_the_plans_instructions) {
  for (plan const& p : sm100_plans) {
    umma::kind const kind = umma::kind_of(gpu::instruction_of(p));
    umma::instruction_bits const d(gpu::with_factors(gpu::instruction_descriptor(p), p.scale.block > 0 ? 3 : 0),
                                   p.scale.block > 0);
    EXPECT_EQ(d.m, p.mma.atom.shape_mnk.value[0]) << name(p);
    EXPECT_EQ(d.n, p.mma.atom.shape_mnk.value[1]) << name(p);
    EXPECT_EQ(kind.k, p.mma.atom.shape_mnk.value[2]) << name(p);
    EXPECT_EQ(kind.types[d.a], &umma::number_of(p.a)) << name(p);
    EXPECT_EQ(kind.types[d.b], &umma::number_of(p.b)) << name(p);
    EXPECT_EQ(d.across_a, p.major_a == major::mn) << name(p);
    EXPECT_EQ(d.across_b, p.major_b == major::mn) << name(p);
    EXPECT_EQ(kind.integers, p.accumulator == element::s32) << name(p);
    if (p.scale.block == 0) {
      EXPECT_EQ(d.sum, p.accumulator == element::s32 ? 2u : 1u) << name(p);
    } else {
      EXPECT_EQ(d.scale, p.scale.type == element::ue8m0 ? 1u : 0u) << name(p);
      EXPECT_TRUE(d.byte_a == 3 && d.byte_b == 3) << name(p);
    }
  }
}

}  // namespace
}  // namespace colex
