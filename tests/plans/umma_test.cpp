// sm100 without a device: its kernels' own code, on an emulated pair of SMs, computes the product.
// SPDX-License-Identifier: Apache-2.0
#include "tests/plans/umma_machine.hpp"

#include "ref/algebra/tensor.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace colex {
namespace {

using namespace gpu;

template <int I>
struct sm100_plan {
  static constexpr plan value = sm100_plans[I];
};
// f(carrier of each plan)
template <class F>
void each_plan(F f) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (f(sm100_plan<I>{}), ...);
  }(std::make_integer_sequence<int, gpu::sm100_count>{});
}
// The code of a value that the type has.
std::uint32_t code_of(element e, double x) {
  if (e == element::tf32) return std::bit_cast<std::uint32_t>(static_cast<float>(x)) | 0x1fff;  // bits that do not count
  umma::number const& type = umma::number_of(e);
  for (std::uint32_t code = 0; code < 1u << type.bits; ++code)
    if (type.value(code) == x) return code;
  throw std::runtime_error("a type lacks a value");
}

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
matrix make_matrix(plan const& p, operand x, std::int64_t rows, std::int64_t k, std::int64_t batches, std::mt19937& random) {
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
  m.map = {m.storage.data(), bits * box.elements / 8, run / box.elements, others, batches, pitch, others * pitch, box.run,
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
  if (p.scale.block == 0) return {{}, {}, rows, 0};
  factors f{{}, {}, rows, (k + p.scale.block - 1) / p.scale.block};
  double const some[] = {0.5, 1, 2, 4};
  for (std::int64_t i = 0; i < batches * rows * f.blocks; ++i) f.values.push_back(some[random() % 4]);
  gpu::umma_map const s(p);
  std::int64_t const row_tiles = (rows + 127) / 128, k_tiles = (k + s.k - 1) / s.k;
  for (std::int64_t i = 0; i < batches * row_tiles * k_tiles * s.words * 512; ++i) {
    gpu::factor_coordinate const x = gpu::factor_at(s.words, row_tiles, k_tiles, i);
    bool const exists = x.row < rows && x.k < f.blocks;
    f.packed.push_back(static_cast<std::uint8_t>(exists ? code_of(p.scale.type, f(x.row, x.k, x.batch)) : 0));
  }
  return f;
}

struct given {
  matrix a, b;
  factors sfa, sfb;
  umma::job job;

  given(plan const& p, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batches, bool stores_vectors,
        std::mt19937& random)
      : a(make_matrix(p, operand::a, m, k, batches, random)),
        b(make_matrix(p, operand::b, n, k, batches, random)),
        sfa(make_factors(p, m, k, batches, random)),
        sfb(make_factors(p, n, k, batches, random)),
        job{m, n, k, batches, a.map, b.map, sfa.packed, sfb.packed, stores_vectors, {}, {}} {
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
      for (std::int64_t k = 0; k < g.job.k; ++k) x.push_back(given::scaled(g.a, g.sfa, p.scale.block, r, k, b));
    for (std::int64_t r = 0; r < g.job.n; ++r)
      for (std::int64_t k = 0; k < g.job.k; ++k) y.push_back(given::scaled(g.b, g.sfb, p.scale.block, r, k, b));
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
      EXPECT_EQ(umma::run<Plan>(g.job, pairs, random()), "") << name(p);
      EXPECT_EQ(wrong_elements(p, g), 0) << name(p) << " on " << pairs;
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
    EXPECT_EQ(umma::run<Plan>(g.job, 1, random()), "") << name(p);
    std::vector<double> a, b, c(static_cast<std::size_t>(m * n), 0.0);
    for (int r = 0; r < m; ++r)
      for (int i = 0; i < k; ++i) a.push_back(given::scaled(g.a, g.sfa, p.scale.block, r, i, 0));
    for (int r = 0; r < n; ++r)
      for (int i = 0; i < k; ++i) b.push_back(given::scaled(g.b, g.sfb, p.scale.block, r, i, 0));
    auto const rows = [](std::vector<double>& store, int extent, int run) {
      return ref::make_tensor<double>(store, ref::layout({ref::layout(extent, run), ref::layout(run, 1)}));
    };
    ref::gemm(rows(a, m, k), rows(b, n, k), rows(c, m, n));
    for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(sum_in(p, g.job.sums[i]), c[i]) << name(p) << " element " << i;
  });
}
// What the emulated kernel does are steps of the proved ring (umma_machine.hpp); the kernels call them what the model does.
TEST(umma, ring_steps_are_those_of_the_proofs) {
  std::ifstream in("proofs/gemm/Ring.v");
  std::vector<std::string> names;
  for (std::string bar, name, line; std::getline(in, line);)
    if (std::istringstream(line) >> bar >> name && bar == "|" && name.ends_with("_step") && name != "no_step")
      names.push_back(name);
  EXPECT_EQ(names, std::vector<std::string>(std::begin(umma::ring_step_name), std::end(umma::ring_step_name)));
  auto const all_of = [](std::vector<char const*> const& files) {
    std::string text;
    for (char const* file : files) text += (std::stringstream() << std::ifstream(file).rdbuf()).str();
    return text;
  };
  std::string const umma = all_of({"gpu/kernels/umma/umma.hpp"}),
                    warpgroup = all_of({"gpu/kernels/sm90.cu", "gpu/kernels/warpgroup/warpgroup_products.cuh"});
  for (std::string const& name : names)
    EXPECT_TRUE(umma.find(name) != umma.npos && warpgroup.find(name) != warpgroup.npos) << name;
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
