// sm100 without the chip: its plans obey their laws, its descriptors say what the plans mean, and its kernels' own
// code, on an emulated pair of SMs, computes the product. SPDX-License-Identifier: Apache-2.0
#include "umma_machine.hpp"

#include "ref/tensor.hpp"

#include <gtest/gtest.h>

namespace colex {
namespace {

using gpu::element;
using gpu::major;
using gpu::operand;
using gpu::plan;
using gpu::sm100_plans;

template <int I>
struct sm100_plan {
  static constexpr plan value = sm100_plans[I];
};
// f(carrier of each plan)
template <class F>
void each_plan(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (f(sm100_plan<I>{}), ...); }
  (std::make_integer_sequence<int, gpu::sm100_count>{});
}
std::string shown(plan const& p) {
  return std::string(name_of(p.a)) + " " + std::string(name_of(p.b)) + " " + std::to_string(p.tile_m) + "x" +
         std::to_string(p.tile_n) + "x" + std::to_string(p.tile_k) + (p.major_a == major::mn ? " A across" : "") +
         (p.major_b == major::mn ? " B across" : "") + " on " + std::to_string(p.cluster_m) +
         (p.block > 0 ? " in blocks of " + std::to_string(p.block) : "");
}

umma::number const& number_of(element e) {
  switch (e) {
    case element::f16: return umma::f16;
    case element::bf16: return umma::bf16;
    case element::tf32: return umma::tf32;
    case element::e4m3: return umma::e4m3;
    case element::e5m2: return umma::e5m2;
    case element::e2m1: return umma::e2m1;
    case element::s8: return umma::s8;
    case element::ue8m0: return umma::ue8m0;
    default: return umma::ue4m3;
  }
}
// The code of a value that the type has.
std::uint32_t code_of(element e, double x) {
  if (e == element::tf32)
    return std::bit_cast<std::uint32_t>(static_cast<float>(x)) | 0x1fff;  // bits that do not count
  umma::number const& type = number_of(e);
  for (std::uint32_t code = 0; code < 1u << type.bits; ++code)
    if (type.value(code) == x) return code;
  throw std::runtime_error("a type lacks a value");
}

// ---- laws ----

TEST(umma, plans_obey_their_laws) {
  using namespace gpu;
  bool (*const laws[])(plan const&) = {umma_copy_covers,   umma_copy_contiguous,    umma_boxes_fit,
                                       umma_descriptors_exact, umma_steps_regular,  umma_instruction_exists,
                                       umma_shares_equal,  umma_memory_fits,        umma_epilogue_covers};
  for (plan const& p : sm100_plans)
    for (std::size_t i = 0; i < std::size(laws); ++i) EXPECT_TRUE(laws[i](p)) << shown(p) << " law " << i;
}
// Each law turns down a plan that is wrong in just that.
TEST(umma, laws_turn_down) {
  plan const good = sm100_plans[0], across = sm100_plans[3];
  auto const broken = [](plan p, auto change) { return change(p), p; };
  using namespace gpu;
  EXPECT_FALSE(boxes_cover(make_layout({{64, 127}, 1}, {{128, 1}, 0}), good.smem_a));
  EXPECT_FALSE(boxes_cover(make_layout({{64, 128}, 1}, {{128, 0}, 0}), good.smem_a));
  EXPECT_FALSE(boxes_are_contiguous(make_layout({{128, 64}, 1}, {{1, 128}, 0}), good.smem_a));
  EXPECT_FALSE(boxes_are_contiguous(good.copy_a, across.smem_a));
  EXPECT_FALSE(boxes_fit_engine(make_layout({{64, 512}, 1}, {{512, 1}, 0}), element::bf16));
  EXPECT_FALSE(boxes_fit_engine(make_layout({{64, 4}, 32}, {{128, 1}, 4}), element::bf16));
  EXPECT_FALSE(descriptor_is_exact(composition(swizzle{2, 3, 3}, 0, good.smem_a.inner), major::k, element::bf16));
  EXPECT_FALSE(descriptor_is_exact(good.smem_a.with(make_layout({{8, 2, 8}, 64}, {{64, 1024, 512}, 1})), major::k,
                                        element::bf16));
  EXPECT_FALSE(descriptor_is_exact(good.smem_a, major::mn, element::bf16));
  EXPECT_FALSE(
      steps_are_regular(good, good.smem_a.with(make_layout({128, {16, 2, 2}}, {64, {1, 32, 16}})), element::bf16));
  EXPECT_FALSE(umma_instruction_exists(broken(good, [](plan& p) { p.mma.atom.shape_mnk.value[1] = 264; })));
  EXPECT_FALSE(umma_instruction_exists(broken(good, [](plan& p) { p.b = element::e4m3; })));
  EXPECT_FALSE(umma_instruction_exists(broken(sm100_plans[10], [](plan& p) { p.major_b = major::mn; })));
  EXPECT_FALSE(umma_shares_equal(broken(good, [](plan& p) { p.cluster_m = 1; })));
  EXPECT_FALSE(umma_shares_equal(broken(good, [](plan& p) { p.smem_b = sm100_plans[4].smem_b; })));
  EXPECT_FALSE(umma_memory_fits(broken(good, [](plan& p) { p.stages = 1; })));
  EXPECT_FALSE(umma_memory_fits(broken(good, [](plan& p) { p.stages = 8; })));
  EXPECT_FALSE(umma_memory_fits(umma_plan(element::e4m3, element::e4m3, 128, 256, 4, mx)));
  EXPECT_FALSE(umma_epilogue_covers(broken(good, [](plan& p) { p.tile_n = 240; })));
}

// ---- descriptors ----

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
      umma::matrix_bits const decoded(d +
                                      static_cast<std::uint64_t>((base + step * (is_a ? s.step_a : s.step_b)) / 16));
      for (gpu::int64 r = 0; r < rows; ++r)
        for (gpu::int64 k = 0; k < depth; ++k) {
          auto const byte = static_cast<std::uint32_t>((across ? r : k) * bits / 8);
          std::uint32_t const at = across ? decoded.across_k(byte, static_cast<std::uint32_t>(k))
                                          : decoded.along_k(static_cast<std::uint32_t>(r), byte);
          ASSERT_EQ(at, base + smem(r + rows * (step * depth + k)) * bits / 8)
              << shown(p) << " stage " << stage << " row " << r << " k " << k;
        }
    }
}
TEST(umma, matrix_descriptors_mean_the_plans_layouts) {
  for (plan const& p : sm100_plans) {
    expect_same_matrix<operand::a>(p);
    expect_same_matrix<operand::b>(p);
  }
}
TEST(umma, instruction_descriptors_mean_the_plans_instructions) {
  for (plan const& p : sm100_plans) {
    umma::kind const kind = umma::kind_of(gpu::instruction_of(p));
    umma::instruction_bits const d(gpu::with_factors(gpu::instruction_descriptor(p), p.block > 0 ? 3 : 0), p.block > 0);
    EXPECT_EQ(d.m, p.mma.atom.shape_mnk.value[0]) << shown(p);
    EXPECT_EQ(d.n, p.mma.atom.shape_mnk.value[1]) << shown(p);
    EXPECT_EQ(kind.k, p.mma.atom.shape_mnk.value[2]) << shown(p);
    EXPECT_EQ(kind.types[d.a], &number_of(p.a)) << shown(p);
    EXPECT_EQ(kind.types[d.b], &number_of(p.b)) << shown(p);
    EXPECT_EQ(d.across_a, p.major_a == major::mn) << shown(p);
    EXPECT_EQ(d.across_b, p.major_b == major::mn) << shown(p);
    EXPECT_EQ(kind.integers, p.accumulator == element::s32) << shown(p);
    if (p.block == 0) {
      EXPECT_EQ(d.sum, p.accumulator == element::s32 ? 2u : 1u) << shown(p);
    } else {
      EXPECT_EQ(d.scale, p.scale == element::ue8m0 ? 1u : 0u) << shown(p);
      EXPECT_TRUE(d.byte_a == 3 && d.byte_b == 3) << shown(p);
    }
  }
}

// ---- the kernels, emulated ----

// A matrix of small integers, and the same in memory as a plan wants it.
struct matrix {
  std::int64_t rows, k, batches;
  std::vector<double> values;         // (row, k, batch), k fastest
  std::vector<std::uint8_t> storage;  // rows of the contiguous mode at multiples of 16 bytes
  umma::mapped map;

  double operator()(std::int64_t r, std::int64_t c, std::int64_t b) const {
    return values[static_cast<std::size_t>((b * rows + r) * k + c)];
  }
};
void write(std::vector<std::uint8_t>& to, std::int64_t bit, std::uint32_t code, int bits) {
  for (int i = 0; i < bits; i += 4) {
    auto& byte = to[static_cast<std::size_t>((bit + i) / 8)];
    byte = static_cast<std::uint8_t>(byte | (code >> i & 15u) << (bit + i) % 8);
  }
}
std::vector<std::uint32_t> codes_of(element e, std::vector<double> const& values) {
  std::vector<std::uint32_t> out;
  for (double v : values) out.push_back(code_of(e, v));
  return out;
}
matrix make_matrix(plan const& p, operand x, std::int64_t rows, std::int64_t k, std::int64_t batches,
                   std::mt19937& random) {
  bool const along_k = (x == operand::a ? p.major_a : p.major_b) == major::k;
  element const e = x == operand::a ? p.a : p.b;
  int const bits = bits_of(e);
  gpu::tensor_box const box = gpu::box_of(p, x == operand::a ? p.copy_a : p.copy_b);
  std::vector<double> const some = {-4, -3, -2, -1, 0, 1, 2, 3, 4};
  std::vector<std::uint32_t> const codes = codes_of(e, some);
  std::int64_t const run = along_k ? k : rows, others = along_k ? rows : k, pitch = (run * bits / 8 + 15) / 16 * 16;
  matrix m{rows, k, batches, {}, std::vector<std::uint8_t>(static_cast<std::size_t>(batches * others * pitch)), {}};
  for (std::int64_t b = 0; b < batches; ++b)
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < k; ++c) {
        std::size_t const pick = random() % some.size();
        m.values.push_back(some[pick]);
        write(m.storage, (b * others + (along_k ? r : c)) * pitch * 8 + (along_k ? c : r) * bits, codes[pick], bits);
      }
  m.map = {
      m.storage.data(), bits * box.elements / 8, run / box.elements, others, batches, pitch, others * pitch, box.run,
      box.rows};
  return m;
}
// Scale factors over (row, block of K, batch), and packed as stages take them.
struct factors {
  std::vector<double> values;
  std::vector<std::uint8_t> packed;
  std::int64_t rows, blocks;

  double operator()(std::int64_t r, std::int64_t block, std::int64_t b) const {
    return values.empty() ? 1 : values[static_cast<std::size_t>((b * rows + r) * blocks + block)];
  }
};
factors make_factors(plan const& p, std::int64_t rows, std::int64_t k, std::int64_t batches, std::mt19937& random) {
  if (p.block == 0) return {{}, {}, rows, 0};
  factors f{{}, {}, rows, (k + p.block - 1) / p.block};
  double const some[] = {0.5, 1, 2, 4};
  for (std::int64_t i = 0; i < batches * rows * f.blocks; ++i) f.values.push_back(some[random() % 4]);
  gpu::umma_map const s(p);
  std::int64_t const row_tiles = (rows + 127) / 128, k_tiles = (k + s.k - 1) / s.k;
  for (std::int64_t i = 0; i < batches * row_tiles * k_tiles * s.words * 512; ++i) {
    gpu::factor_place const x = gpu::factor_at(s.words, row_tiles, k_tiles, i);
    bool const exists = x.row < rows && x.k < f.blocks;
    f.packed.push_back(static_cast<std::uint8_t>(exists ? code_of(p.scale, f(x.row, x.k, x.batch)) : 0));
  }
  return f;
}

struct given {
  matrix a, b;
  factors sfa, sfb;
  umma::job job;

  given(plan const& p, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batches, bool side_by_side,
        std::mt19937& random)
      : a(make_matrix(p, operand::a, m, k, batches, random)),
        b(make_matrix(p, operand::b, n, k, batches, random)),
        sfa(make_factors(p, m, k, batches, random)),
        sfb(make_factors(p, n, k, batches, random)),
        job{m, n, k, batches, a.map, b.map, sfa.packed, sfb.packed, side_by_side, {}, {}} {
    job.sums.assign(static_cast<std::size_t>(m * n * batches), 0xdeadbeef);
    job.written.assign(job.sums.size(), 0);
  }
  // Operands with their scale factors multiplied in, for whoever multiplies plainly.
  static double scaled(matrix const& x, factors const& f, int block, std::int64_t r, std::int64_t k, std::int64_t b) {
    return x(r, k, b) * (block == 0 ? 1 : f(r, k / block, b));
  }
};
double sum_in(plan const& p, std::uint32_t cell) {
  return p.accumulator == element::s32 ? static_cast<double>(static_cast<std::int32_t>(cell))
                                       : static_cast<double>(std::bit_cast<float>(cell));
}
// By three loops; the elements of D that are wrong, or not written once.
std::int64_t wrong_elements(plan const& p, given const& g) {
  std::int64_t wrong = 0;
  std::vector<double> x, y;
  for (std::int64_t b = 0; b < g.job.batches; ++b) {
    x.clear(), y.clear();
    for (std::int64_t r = 0; r < g.job.m; ++r)
      for (std::int64_t k = 0; k < g.job.k; ++k) x.push_back(given::scaled(g.a, g.sfa, p.block, r, k, b));
    for (std::int64_t r = 0; r < g.job.n; ++r)
      for (std::int64_t k = 0; k < g.job.k; ++k) y.push_back(given::scaled(g.b, g.sfb, p.block, r, k, b));
    for (std::int64_t m = 0; m < g.job.m; ++m)
      for (std::int64_t n = 0; n < g.job.n; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < g.job.k; ++k)
          sum += x[static_cast<std::size_t>(m * g.job.k + k)] * y[static_cast<std::size_t>(n * g.job.k + k)];
        auto const at = static_cast<std::size_t>((b * g.job.m + m) * g.job.n + n);
        wrong += g.job.written[at] != 1 || sum_in(p, g.job.sums[at]) != sum;
      }
  }
  return wrong;
}

// Several tiles each way, ragged, stages and accumulators used again; on one pair of SMs and on three.
TEST(umma, kernels_multiply) {
  std::mt19937 random(1);
  each_plan([&]<class Plan>(Plan) {
    constexpr plan const& p = Plan::value;
    for (int pairs : {1, 3}) {
      given g(p, p.tile_m * p.cluster_m + 37, p.tile_n + 77, 2 * p.tile_k + 10, pairs == 1 ? 2 : 1, pairs == 1, random);
      EXPECT_EQ(umma::run<Plan>(g.job, pairs, random()), "") << shown(p);
      EXPECT_EQ(wrong_elements(p, g), 0) << shown(p) << " on " << pairs;
    }
  });
}
// The reference's gemm, on a single ragged tile.
TEST(umma, kernels_multiply_as_the_reference_does) {
  std::mt19937 random(2);
  each_plan([&]<class Plan>(Plan) {
    constexpr plan const& p = Plan::value;
    int const m = 21, n = 35, k = static_cast<int>(p.tile_k) + 6;
    given g(p, m, n, k, 1, true, random);
    EXPECT_EQ(umma::run<Plan>(g.job, 1, random()), "") << shown(p);
    std::vector<double> a, b, c(static_cast<std::size_t>(m * n), 0.0);
    for (int r = 0; r < m; ++r)
      for (int i = 0; i < k; ++i) a.push_back(given::scaled(g.a, g.sfa, p.block, r, i, 0));
    for (int r = 0; r < n; ++r)
      for (int i = 0; i < k; ++i) b.push_back(given::scaled(g.b, g.sfb, p.block, r, i, 0));
    auto const rows = [](std::vector<double>& store, int extent, int run) {
      return ref::make_tensor<double>(store, ref::layout({ref::layout(extent, run), ref::layout(run, 1)}));
    };
    ref::gemm(rows(a, m, k), rows(b, n, k), rows(c, m, n));
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_EQ(sum_in(p, g.job.sums[i]), c[i]) << shown(p) << " element " << i;
  });
}
// What the emulation does not forgive: a wait that is left out is seen, for some order of events, on one SM and on two.
template <class Plan>
bool notices(umma::fault without) {
  constexpr plan const& p = Plan::value;
  std::mt19937 random(3);
  for (int attempt = 0; attempt < 20; ++attempt) {
    given g(p, p.tile_m * p.cluster_m * 3, 20, 10 * p.tile_k, 1, true, random);
    if (!umma::run<Plan>(g.job, 1, random(), without).empty() || wrong_elements(p, g) > 0) return true;
  }
  return false;
}
TEST(umma, barriers_are_needed) {
  for (umma::fault f : {umma::fault::full, umma::fault::empty, umma::fault::sum_full, umma::fault::sum_empty}) {
    EXPECT_TRUE(notices<sm100_plan<0>>(f)) << static_cast<int>(f);
    EXPECT_TRUE(notices<sm100_plan<5>>(f)) << static_cast<int>(f);
  }
  EXPECT_FALSE(notices<sm100_plan<0>>(umma::fault::none));
}

}  // namespace
}  // namespace colex
