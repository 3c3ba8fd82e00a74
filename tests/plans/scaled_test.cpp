// sm120 without a device: mma.sync with scale factors, lane by lane as the PTX ISA has it ("Matrix Fragments for
// mma.m16n8k32", "mma.m16n8k64", "Block Scaling for mma.sync"), on what the plans' maps put into registers, computes
// the product. SPDX-License-Identifier: Apache-2.0
#include "gpu/plans/sm120.hpp"
#include "tests/plans/umma_decoder.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace colex {
namespace {

using gpu::element;
using gpu::operand;
using gpu::plan;

// Factors as bytes, packed for one stage of one tile.
using packed = std::vector<std::uint8_t>;

struct stage {
  plan const& p;
  std::vector<double> a, b;  // (row, k) colexicographic, as the plan's indices count
  packed sfa, sfb;

  umma::number const& scale() const { return p.scale.type == element::ue8m0 ? umma::ue8m0 : umma::ue4m3; }
  // Of each (row, block of K), colexicographic.
  std::vector<double> factors(packed const& f) const {
    std::vector<double> all(f.size());
    for (std::size_t i = 0; i < f.size(); ++i) {
      gpu::factor_coordinate const x = gpu::factor_at(gpu::factor_words(p), 1, 1, static_cast<std::int64_t>(i));
      all.at(static_cast<std::size_t>(x.row + gpu::factor_rows * x.k)) = scale().value(f[i]);
    }
    return all;
  }
};
stage make_stage(plan const& p, std::mt19937& random) {
  stage s{p, {}, {}, {}, {}};
  for (std::int64_t i = 0; i < p.tile_m * p.tile_k; ++i) s.a.push_back(static_cast<int>(random() % 9) - 4);
  for (std::int64_t i = 0; i < p.tile_n * p.tile_k; ++i) s.b.push_back(static_cast<int>(random() % 9) - 4);
  bool const powers = p.scale.type == element::ue8m0;  // 1/2, 1, 2; or 1, 2, 4 among fractions
  for (packed* f : {&s.sfa, &s.sfb})
    for (std::int64_t i = 0; i < gpu::factor_bytes(p, gpu::factor_rows); ++i)
      f->push_back(static_cast<std::uint8_t>(powers ? 126 + random() % 3 : (7 + random() % 3) << 3));
  return s;
}

// One instruction of a warp: what its 32 lanes hold.
struct warp_registers {
  std::vector<double> a[32], b[32];
  std::uint32_t sfa[32], sfb[32];
};
// Register j of a lane has the neighbours of one row: rows 8 apart, then the other half of K.
std::vector<double> multiply(warp_registers const& r, int k, int bits, int factors, int first, umma::number const& scale) {
  int const packed_in_register = 32 / bits;
  std::vector<double> x(static_cast<std::size_t>(16 * k)), y(static_cast<std::size_t>(8 * k)), d(16 * 8);
  auto const scaled = [&](double v, std::uint32_t word, int column) {
    return v * scale.value(word >> 8 * (first + column * factors / k) & 255);
  };
  for (int lane = 0; lane < 32; ++lane) {
    int const group = lane / 4, in_group = lane % 4;
    for (int i = 0; i < 16 * k / 32; ++i) {
      int const j = i / packed_in_register, row = group + 8 * (j % 2);
      int const column = in_group * packed_in_register + i % packed_in_register + j / 2 * 4 * packed_in_register;
      std::uint32_t const word = r.sfa[4 * group + j % 2];  // the quad's first lane has the upper row's, its second the lower's
      x[static_cast<std::size_t>(row * k + column)] = scaled(r.a[lane][static_cast<std::size_t>(i)], word, column);
    }
    for (int i = 0; i < 8 * k / 32; ++i) {
      int const j = i / packed_in_register,
                column = in_group * packed_in_register + i % packed_in_register + j * 4 * packed_in_register;
      y[static_cast<std::size_t>(group * k + column)] =
          scaled(r.b[lane][static_cast<std::size_t>(i)], r.sfb[4 * group], column);
    }
  }
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 8; ++n)
      for (int i = 0; i < k; ++i)
        d[static_cast<std::size_t>(m * 8 + n)] +=
            x[static_cast<std::size_t>(m * k + i)] * y[static_cast<std::size_t>(n * k + i)];
  return d;
}

// What a warp's lanes hold for atom (m, n) and block of K, by the plan's maps.
warp_registers load(stage const& s, int warp, int m, int n, int block) {
  plan const& p = s.p;
  gpu::repeats const atoms = gpu::repeats_of(p);
  gpu::layout const a = gpu::layout_tv(p.mma, operand::a), b = gpu::layout_tv(p.mma, operand::b);
  gpu::int64 const values_a = size(p.mma.atom.a, 1), values_b = size(p.mma.atom.b, 1);
  int const factor = block * gpu::factors_of_atom(p);
  auto const word = [&](packed const& f, operand x, int lane, int i) {
    gpu::int64 const at = factor / 4 * gpu::factor_chunk_bytes +
                          gpu::factor_word(gpu::row_of_warp(p, x, warp) + gpu::factor_row(p, x, lane)) +
                          gpu::factor_word(gpu::row_of_atom(p, x, i));
    std::uint32_t w = 0;
    for (int byte = 3; byte >= 0; --byte) w = w << 8 | f.at(static_cast<std::size_t>(at + byte));
    return w;
  };
  warp_registers r{};
  for (int lane = 0; lane < 32; ++lane) {
    gpu::int64 const thread = 32 * warp + lane;
    for (gpu::int64 i = 0; i < values_a; ++i)
      r.a[lane].push_back(s.a[static_cast<std::size_t>(a(thread + p.threads * (i + values_a * (m + atoms.m * block))))]);
    for (gpu::int64 i = 0; i < values_b; ++i)
      r.b[lane].push_back(s.b[static_cast<std::size_t>(b(thread + p.threads * (i + values_b * (n + atoms.n * block))))]);
    r.sfa[lane] = word(s.sfa, operand::a, lane, m), r.sfb[lane] = word(s.sfb, operand::b, lane, n);
  }
  return r;
}
// The tile of D, every element from the warps that own it.
std::vector<double> multiply(stage const& s) {
  plan const& p = s.p;
  gpu::repeats const atoms = gpu::repeats_of(p);
  gpu::layout const c = gpu::fragment_c(p);
  int const k = static_cast<int>(p.mma.atom.shape_mnk.value[2]), factors = gpu::factors_of_atom(p);
  std::vector<double> d(static_cast<std::size_t>(p.tile_m * p.tile_n));
  for (int warp = 0; warp < p.threads / 32; ++warp)
    for (int m = 0; m < atoms.m; ++m)
      for (int n = 0; n < atoms.n; ++n)
        for (int block = 0; block < atoms.k; ++block) {
          std::vector<double> const sums =
              multiply(load(s, warp, m, n, block), k, bits_of(p.a), factors, block * factors % 4, s.scale());
          for (int lane = 0; lane < 32; ++lane)
            for (int i = 0; i < 4; ++i) {
              gpu::int64 const at = c(32 * warp + lane + p.threads * (i + 4 * (m + atoms.m * n)));
              d[static_cast<std::size_t>(at)] +=
                  sums[static_cast<std::size_t>((lane / 4 + 8 * (i / 2)) * 8 + lane % 4 * 2 + i % 2)];
            }
        }
  return d;
}

TEST(sm120, maps_multiply) {
  std::mt19937 random(1);
  for (plan const& p : gpu::sm120_plans) {
    stage const s = make_stage(p, random);
    std::vector<double> const d = multiply(s);
    std::vector<double> const fa = s.factors(s.sfa), fb = s.factors(s.sfb);
    for (std::int64_t m = 0; m < p.tile_m; ++m)
      for (std::int64_t n = 0; n < p.tile_n; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < p.tile_k; ++k)
          sum += s.a[static_cast<std::size_t>(m + p.tile_m * k)] *
                 fa[static_cast<std::size_t>(m + p.tile_m * (k / p.scale.block))] *
                 s.b[static_cast<std::size_t>(n + p.tile_n * k)] *
                 fb[static_cast<std::size_t>(n + p.tile_n * (k / p.scale.block))];
        ASSERT_EQ(d[static_cast<std::size_t>(m + p.tile_m * n)], sum) << name(p) << " at " << m << ", " << n;
      }
  }
}
TEST(sm120, law_of_factors_turns_down) {
  using namespace gpu;
  std::string_view const atom = "SM120_16x8x32_TN_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,32>";
  auto const broken = [](plan p, auto change) { return change(p), p; };
  plan const good = sm120_plans[0];
  EXPECT_TRUE(plan_factors_flow(good));
  EXPECT_FALSE(plan_factors_flow(scaled_plan(element::e4m3, atom, 64, 32, element::ue8m0)));  // half a word in a stage
  EXPECT_FALSE(plan_factors_flow(broken(good, [](plan& p) { p.tile_n = 64; })));
  EXPECT_FALSE(plan_factors_flow(broken(good, [](plan& p) { p.tile_m = 64; })));
}
// Tile by tile of K, of rows, of batches; in each chunk by chunk of four factors for 128 rows.
TEST(factors, lie_chunk_by_chunk) {
  gpu::int64 const words = 2, row_tiles = 3, k_tiles = 2, batches = 2;
  for (gpu::int64 i = 0; i < batches * row_tiles * k_tiles * words * gpu::factor_chunk_bytes; ++i) {
    gpu::factor_coordinate const x = gpu::factor_at(words, row_tiles, k_tiles, i);
    gpu::int64 const tile = (x.batch * row_tiles + x.row / 128) * k_tiles + x.k / (4 * words),
                     chunk = tile * words + x.k / 4 % words;
    ASSERT_EQ(chunk * 512 + x.row % 32 * 16 + x.row % 128 / 32 * 4 + x.k % 4, i);
    ASSERT_TRUE(x.row < row_tiles * 128 && x.k < k_tiles * words * 4 && x.batch < batches) << i;
  }
}

}  // namespace
}  // namespace colex
