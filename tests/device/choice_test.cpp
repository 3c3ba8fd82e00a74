// Which kernel is chosen, on devices that are not here. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/emulation.hpp"
#include "tests/device/operands.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace colex::gpu {
namespace {

constexpr device_info h200{90, 132}, h100{90, 132, 3.35e12};
std::string fastest(std::span<gemm_kernel const> kernels, operands const& x, device_info on = h200,
                    gemm_options const& o = {}) {
  choice const c = choose(kernels, x.normal().problem, o, on);
  return c.all.empty() ? "" : name(*c.all[0].kernel->plan);
}
TEST(chosen, by_type_and_size) {
  EXPECT_EQ(fastest(threads, cube(4096, element::f32, element::f32)), "simt_f32_kk_128x256x8_s3");
  EXPECT_EQ(fastest(threads, cube(512, element::f32, element::f32)), "simt_f32_kk_32x64x16_s5_align1");
  EXPECT_EQ(fastest(all, cube(1024, element::f64, element::f64)), "sm90_f64_kk_64x64x16_s4");
  EXPECT_EQ(fastest(threads, cube(4096, element::s8, element::s32)), "sm61_s8_kk_128x128x32_s3");
  EXPECT_EQ(fastest(threads, cube(4096, element::s8, element::s32), {53, 132}), "simt_s8_128x128x8_s3");
}
TEST(chosen, the_newest_tensor_cores) {
  gemm_options tf32, fast;
  tf32.tf32 = fast.fast_accumulation = true;
  for (int64 n : {1024, 2048, 4096, 8192}) {
    for (element e : {element::f16, element::bf16}) EXPECT_TRUE(fastest(all, cube(n, e, e)).starts_with("sm90_")) << n;
    EXPECT_TRUE(fastest(all, cube(n, element::s8, element::s32)).starts_with("sm90_")) << n;
    EXPECT_TRUE(fastest(all, cube(n, element::e4m3, element::f32)).starts_with("sm90_e4m3_two_level")) << n;
    EXPECT_TRUE(fastest(all, cube(n, element::e4m3, element::f32), h200, fast).starts_with("sm90_e4m3")) << n;
    EXPECT_TRUE(fastest(all, cube(n, element::f32, element::f32), h200, tf32).starts_with("sm90_tf32")) << n;
    EXPECT_TRUE(fastest(all, cube(n, element::f32, element::f32)).starts_with("simt_f32_kk")) << n;
  }
  EXPECT_EQ(fastest(all, cube(1536, element::e4m3, element::f32)), "sm90_e4m3_two_level_kk_128x160x128_s5");  // one wave
  EXPECT_TRUE(fastest(all, cube(4096, element::f16, element::f16), {80, 108}).starts_with("sm80_f16"));
  EXPECT_TRUE(fastest(all, cube(4096, element::f16, element::f16), {75, 40}).starts_with("sm75_f16"));
}
TEST(chosen, two_level_accumulation_on_request) {
  gemm_options o;
  o.two_level_accumulation = true;
  for (element e : {element::f16, element::bf16})
    EXPECT_TRUE(fastest(all, cube(4096, e, e), h200, o).find("_two_level_") != std::string::npos);
  EXPECT_TRUE(fastest(all, cube(4096, element::bf16, element::bf16), {80, 108}, o).starts_with("simt_"));
  EXPECT_TRUE(fastest(all, cube(4096, element::s8, element::s32), h200, o).starts_with("sm90_s8_kk"));
  EXPECT_TRUE(fastest(all, cube(4096, element::f64, element::f64), h200, o).starts_with("sm90_f64"));
  EXPECT_TRUE(fastest(all, cube(4096, element::f32, element::f32), h200, o).starts_with("simt_f32"));
  o.tf32 = true;
  EXPECT_TRUE(fastest(all, cube(4096, element::f32, element::f32), h200, o).starts_with("sm90_tf32_two_level"));
}
TEST(chosen, no_coordinate_wraps) {
  auto const of = [](int64 m, int64 n, int64 k) {
    operands x;
    x.d = tensor({m, n}, {n, 1}, element::bf16), x.a = tensor({m, k}, {k, 1}, element::bf16);
    x.b = tensor({n, k}, {k, 1}, element::bf16);
    return fastest(all, x);
  };
  int64 const most = INT32_MAX - 256;
  EXPECT_TRUE(of(most, 8, 8).starts_with("sm90_bf16")) << of(most, 8, 8);
  for (int64 many : {int64{INT32_MAX} - 7, int64{1} << 31, int64{1} << 33})
    for (std::string const& kernel : {of(many, 8, 8), of(8, many, 8), of(8, 8, many)})
      EXPECT_TRUE(!kernel.empty() && !kernel.starts_with("sm90_bf16")) << many << ": " << kernel;
}
TEST(chosen, no_cluster_is_larger_than_the_device) {
  for (candidate const& c : choose(all, cube(4096, element::bf16, element::bf16).normal().problem, {}, {90, 1}).all)
    EXPECT_EQ(c.kernel->summary.cluster_m * c.kernel->summary.cluster_n, 1) << name(*c.kernel->plan);
}
TEST(chosen, residues_where_they_pay) {
  gemm_options o;
  o.emulation = gemm_emulation::residues;
  auto const emulated = [&](operands const& x) { return choose_emulation(all, all, x.normal().problem, o, h200); };
  for (element e : {element::f64, element::f32}) {
    EXPECT_FALSE(emulated(cube(512, e, e)));
    EXPECT_EQ(emulated(cube(8192, e, e))->least, e == element::f64 ? 14 : 7);
    EXPECT_TRUE(name(*emulated(cube(8192, e, e))->product->plan).starts_with("sm90_s8"));
    EXPECT_TRUE(emulated(cube(8192, e, e))->native.kernel->plan->a == e);
  }
  EXPECT_FALSE(emulated(cube(1024, element::f64, element::f64)));
  EXPECT_FALSE(emulated(cube(4096, element::bf16, element::f32)));
  emulated_gemm const large = *emulated(cube(16384, element::f64, element::f64));
  EXPECT_LE(emulation::block_bytes(large, 16384, large.rows, large.columns), h200.memory / emulation::memory_share);
  EXPECT_LT(large.columns, 16384);
  o.reproducible = true;
  EXPECT_EQ(emulated(cube(512, element::f64, element::f64))->most, residues::most_moduli);
  o.moduli = 9;
  EXPECT_EQ(emulated(cube(512, element::f64, element::f64))->most, 9);
  o = {};
  EXPECT_FALSE(emulated(cube(8192, element::f64, element::f64)));
}
TEST(chosen, tiles_by_what_bounds_them) {
  auto const of = [&](int64 m, int64 n, int64 k, int64 p = 1) {
    operands x;
    x.d = tensor({m, n, p}, {n, 1, m * n}, element::bf16), x.a = tensor({m, k, p}, {k, 1, m * k}, element::bf16);
    x.b = tensor({n, k, p}, {k, 1, n * k}, element::bf16);
    return fastest(all, x);
  };
  EXPECT_EQ(of(512, 512, 512), "sm90_bf16_kk_64x64x64_s12");              // SMs are idle with larger ones
  EXPECT_EQ(of(1024, 1024, 1024), "sm90_bf16_kk_64x128x64_s8");           // too short for a cluster's later begin
  EXPECT_EQ(of(1000, 1000, 1000), "sm90_bf16_kk_64x160x64_s7_4x1");       // rows across two lines: L2
  EXPECT_EQ(of(128, 8192, 8192), "sm90_bf16_kk_64x128x64_s8_2x1");        // L2: a pair shares what comes from memory
  EXPECT_EQ(of(16, 8192, 8192), "sm90_bf16_kk_64x16x64_s20");             // memory, and no rows of zeros
  EXPECT_EQ(of(4096, 4096, 512), "sm90_bf16_kk_128x128x64_s6_pingpong");  // results take as long as products
  EXPECT_EQ(of(4096, 4096, 4096), "sm90_bf16_kk_128x256x64_s4_2x1");      // the matrix units
  EXPECT_EQ(of(8192, 512, 8192), "sm90_bf16_kk_128x256x64_s4");           // all at once, side by side: nothing to share
  EXPECT_EQ(of(16384, 16384, 16384), "sm90_bf16_kk_128x256x64_s4_2x1");
}
// The element type of operands and of results that bench calls so, and the options.
struct measured_type {
  element in, out;
  gemm_options options;
};
measured_type measured_type_of(std::string const& type) {
  if (type == "fp8") return {element::e4m3, element::bf16, {}};
  if (type == "fp8_fast") return {element::e4m3, element::bf16, {.fast_accumulation = true}};
  if (type == "s8") return {element::s8, element::s32, {}};
  if (type == "tf32") return {element::f32, element::f32, {.tf32 = true}};
  if (type == "f64") return {element::f64, element::f64, {}};
  if (type == "f32") return {element::f32, element::f32, {}};
  return {element::bf16, element::bf16, {}};
}
// What the choice costs: the kernel expected to be fastest, of what the fastest measured one reaches. A kernel that is not in
// the line has less than the least that is allowed.
TEST(chosen, little_is_lost_by_the_choice) {
  std::ifstream in("tests/bench/measured.txt");
  std::set<std::string> names;
  for (gemm_kernel const& k : all) names.insert(name(*k.plan));
  double sum = 0;
  int products = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string device, type, layout, kernel;
    int64 m = 0, n = 0, k = 0;
    char x = 0;
    words >> device >> type >> layout >> m >> x >> n >> x >> k;
    std::map<std::string, double> rates;
    double best = 0;
    for (double rate = 0; words >> kernel >> rate; best = std::max(best, rate)) rates[kernel] = rate;
    for (auto const& [measured, rate] : rates) EXPECT_TRUE(names.contains(measured)) << measured;
    measured_type const of = measured_type_of(type);
    operands product;
    product.d = tensor({m, n}, {n, 1}, of.out);
    product.a = tensor({m, k}, layout[1] == 'N' ? int_tuple{k, 1} : int_tuple{1, m}, of.in);
    product.b = tensor({n, k}, layout[0] == 'T' ? int_tuple{k, 1} : int_tuple{1, n}, of.in);
    std::string const chosen = fastest(all, product, device == "H100" ? h100 : h200, of.options);
    double const share = rates.contains(chosen) ? rates[chosen] / best : 0;
    EXPECT_GE(share, 0.7) << line.substr(0, 45) << ": " << chosen;
    sum += share, ++products;
  }
  EXPECT_GE(products, 300);
  EXPECT_GE(sum / products, 0.975);
}
TEST(chosen, split_k) {
  auto const of = [](int64 m, int64 n, int64 k, int split_k = 0) {
    operands x;
    x.d = tensor({m, n}, {n, 1}), x.a = tensor({m, k}, {k, 1}), x.b = tensor({n, k}, {k, 1});
    gemm_options o;
    o.split_k = split_k;
    return choose(threads, x.normal().problem, o, h200).all[0];
  };
  EXPECT_GT(of(256, 256, 4096).split_k, 1);  // too few tiles for all SMs
  EXPECT_GT(of(16, 8192, 8192).split_k, 1);
  EXPECT_EQ(of(4096, 4096, 4096).split_k, 1);
  EXPECT_EQ(of(4096, 4096, 4096, 4).split_k, 4);
  EXPECT_EQ(of(4096, 4096, 4095, 4).split_k, 4);       // they need not divide it
  EXPECT_TRUE(of(144, 152, 9840).reduces_in_cluster);  // a cluster, up to sixteen blocks
  EXPECT_FALSE(of(4096, 4096, 4096).reduces_in_cluster);
  EXPECT_EQ(of(328, 3136, 6136).split_k, 7);  // any number that fills waves
  EXPECT_EQ(of(328, 3136, 6136, 29).split_k, 29);
  EXPECT_NE(explain(of(256, 256, 4096)).find("; split_k "), std::string::npos);
}
// As an H200 placed blocks of which an SM holds two or four, by the SM that each ran on.
TEST(chosen, clusters_lie_in_gpcs) {
  struct held {
    int blocks, each, clusters;
  };
  for (held h : {held{4, 2, 62},
                 {6, 2, 39},
                 {8, 2, 30},
                 {9, 2, 23},
                 {12, 2, 16},
                 {16, 2, 14},
                 {5, 4, 94},
                 {8, 4, 62},
                 {12, 4, 37},
                 {16, 4, 28}})
    EXPECT_NEAR(clusters_at_once(h200, h.blocks, h.each), h.clusters, 0.1 * h.clusters) << h.blocks << " " << h.each;
  device_info const half{90, 66};  // a share of the device, as each product of a group has it
  for (int each : {2, 4}) EXPECT_LE(clusters_at_once(half, 9, each), 0.5 * clusters_at_once(h200, 9, each) + 1);
  for (int blocks : {3, 6, 9, 16})
    for (int held : {1, 3, 8})
      for (int clusters : {1, 3, 7, 22, 38})
        EXPECT_GE(waves_of_clusters(half, clusters, blocks, held), std::ceil(clusters * blocks / 66.0))
            << blocks << " " << clusters;
  struct busiest {
    int blocks, clusters, held, waves;
  };
  for (busiest b : {busiest{2, 66, 4, 1},
                    {2, 67, 4, 2},
                    {4, 28, 4, 1},
                    {4, 32, 4, 2},
                    {9, 8, 4, 1},
                    {9, 11, 4, 2},
                    {9, 28, 4, 3},
                    {13, 7, 4, 1},
                    {16, 8, 4, 2},
                    {16, 16, 4, 3},
                    {16, 16, 2, 3},
                    {16, 30, 2, 4}})
    EXPECT_EQ(waves_of_clusters(h200, b.clusters, b.blocks, b.held), b.waves) << b.blocks << " " << b.clusters;
}
TEST(chosen, split_k_of_whole_stages) {
  auto const of = [](int64 n, int64 k) {
    operands x;
    x.d = tensor({16, n}, {n, 1}, element::bf16);
    x.a = tensor({16, k}, {1, 16}, element::bf16), x.b = tensor({n, k}, {1, n}, element::bf16);
    return choose(all, x.normal().problem, {}, h200).all[0];
  };
  candidate const few = of(128, 13'601), more = of(256, 65'001);
  EXPECT_TRUE(splits_stages(few.kernel->summary) && few.reduces_in_cluster);
  EXPECT_EQ(few.split_k, 16);  // blocks of the largest cluster; they do not divide K
  EXPECT_TRUE(splits_stages(more.kernel->summary) && !more.reduces_in_cluster);
  EXPECT_GT(more.split_k, split_limit);  // no cluster has so many blocks
}
// 150 stages are shared out to 30 blocks, or to 22, but to no number between them that is tried for other kernels.
TEST(chosen, split_k_of_one_row) {
  operands x;
  x.d = tensor({1, 250}, {250, 1}, element::f32), x.a = tensor({1, 19080}, {19080, 1}, element::f32);
  x.b = tensor({250, 19080}, {1, 250}, element::f32);
  auto const of = [&](gemm_options const& o) { return choose(all, x.normal().problem, o, h200).all[0]; };
  candidate const c = of({.tf32 = true});
  EXPECT_EQ(name(*c.kernel->plan), "gemv_f32_xn_1x32x128_s2_unaligned");
  EXPECT_EQ(c.split_k, 30);
  std::string const named = name(*c.kernel->plan);
  EXPECT_EQ(of({.kernel = named, .split_k = 22}).split_k, 22);
  EXPECT_EQ(of({.kernel = named, .split_k = 1}).split_k, 1);
}
TEST(chosen, split_k_of_tiles_that_share_operands) {
  operands x;  // A along K, B along N, whose rows do not begin at lines
  x.d = tensor({1248, 232}, {232, 1}, element::bf16), x.a = tensor({1248, 7096}, {7096, 1}, element::bf16);
  x.b = tensor({232, 7096}, {1, 232}, element::bf16);
  candidate const c = choose(all, x.normal().problem, {}, h200).all[0];
  plan_summary const& p = c.kernel->summary;
  EXPECT_TRUE(c.reduces_in_cluster && c.split_k > 1 && p.cluster_m * p.cluster_n > 1) << explain(c);
  EXPECT_LE(c.split_k * p.cluster_m * p.cluster_n, split_limit);
}
// What lies between batches may be nobody's memory, and such kernels read beyond rows.
TEST(chosen, unaligned_rows_are_read_in_place_but_those_of_batches) {
  for (int64 batches : {1, 2}) {
    operands x;
    x.d = tensor({9, 24, batches}, {24, 1, 9 * 24}, element::bf16);
    x.a = tensor({9, 101, batches}, {101, 1, 9 * 101}, element::bf16);
    x.b = tensor({24, 101, batches}, {101, 1, 24 * 101}, element::bf16);
    int unaligned = 0;
    for (candidate const& c : choose(all, x.normal().problem, {}, h200).all) {
      plan_summary const& p = c.kernel->summary;
      if (!p.unaligned || p.major_a != major::k || p.major_b != major::k) continue;
      EXPECT_EQ(c.copy_a, batches > 1) << name(*c.kernel->plan);
      EXPECT_EQ(c.copy_b, batches > 1) << name(*c.kernel->plan);
      ++unaligned;
    }
    EXPECT_EQ(unaligned, 6);  // three plans, as given and with A and B swapped
  }
}
// A product of operands of one type, contiguous along K or not.
problem problem_of(int64 m, int64 n, int64 k, element e, bool a_by_rows, bool b_by_rows) {
  operands x;
  x.d = tensor({m, n}, {n, 1}, e == element::s8 ? element::s32 : e);
  x.a = tensor({m, k}, a_by_rows ? int_tuple{k, 1} : int_tuple{1, m}, e);
  x.b = tensor({n, k}, b_by_rows ? int_tuple{k, 1} : int_tuple{1, n}, e);
  return x.normal().problem;
}
TEST(chosen, unaligned_rows_are_copied_where_parts_of_a_vector_reach_beyond_the_operand) {
  for (int64 k : {3, 4}) {  // A has 18 bytes, or as many as are read at once
    int unaligned = 0;
    for (candidate const& c : choose(all, problem_of(3, 24, k, element::bf16, true, true), {}, h200).all)
      if (plan_summary const& p = c.kernel->summary; p.unaligned && p.major_a == major::k && p.major_b == major::k) {
        EXPECT_EQ(c.swap_ab ? c.copy_b : c.copy_a, k == 3) << name(*c.kernel->plan);
        ++unaligned;
      }
    EXPECT_EQ(unaligned, 6);  // as above
  }
}
void expect_quickly_the_same(problem const& x, gemm_options const& o, device_info device) {
  choice const quickly = choose(all, x, o, device, true), whole = choose(all, x, o, device);
  EXPECT_EQ(explain(quickly.all[0]), explain(whole.all[0])) << x.m << ' ' << x.n << ' ' << x.k;
  EXPECT_EQ(quickly.all.size(), whole.all.size());
}
TEST(chosen, quickly_the_same_comes_first) {
  std::mt19937 random(1);
  auto const extent = [&](double least, double most) {
    return std::llround(least * std::pow(most / least, std::generate_canonical<double, 32>(random)));
  };
  for (int i = 0; i < 400; ++i) {
    int64 const m = extent(1, 8192), n = extent(8, 32768), k = extent(8, 32768);
    element const e = std::array{element::f32, element::bf16, element::s8, element::f64}[i % 4];
    gemm_options o;
    o.split_k = i % 10 == 0 ? 2 : 0;
    bool const a_by_rows = random() % 2 != 0, b_by_rows = random() % 2 != 0;
    expect_quickly_the_same(problem_of(m, n, k, e, a_by_rows, b_by_rows), o, h200);
  }
  // Few columns by a long K, on chips with less memory.
  auto const facts = [](char const* target) {
    return std::ranges::find(chips, target, [](chip const& x) { return std::string(x.target); })->facts;
  };
  expect_quickly_the_same(problem_of(747, 2, 31236, element::f32, true, false), {}, facts("89"));
  expect_quickly_the_same(problem_of(1231, 4, 25593, element::f32, false, false), {}, facts("87"));
}
TEST(chosen, tf32_however_it_lies) {
  gemm_options o;
  o.tf32 = true;
  auto const of = [&](int64 m, int64 n, int64 k, bool a_by_rows, bool b_by_rows) {
    operands x;
    x.d = tensor({m, n}, {n, 1});
    x.a = tensor({m, k}, a_by_rows ? int_tuple{k, 1} : int_tuple{1, m});
    x.b = tensor({n, k}, b_by_rows ? int_tuple{k, 1} : int_tuple{1, n});
    return choose(all, x.normal().problem, o, h200).all[0];
  };
  for (bool a : {false, true}) {  // one whose rows are contiguous goes through registers, as A
    candidate const c = of(4096, 4096, 4096, a, !a);
    EXPECT_EQ(name(*c.kernel->plan), "sm90_tf32_mk_128x256x32_s4_2x1");
    EXPECT_TRUE(c.swap_ab == a && !c.copy_a && !c.copy_b);
  }
  candidate const both = of(4096, 4096, 4096, false, false);
  EXPECT_EQ(both.copy_a + both.copy_b, 1);
  EXPECT_EQ(of(128, 8192, 8192, true, true).split_k, 1);  // 241 TFLOP/s undivided, 185 with split_k 2
}
TEST(chosen, swap_ab_for_the_layout_of_d) {
  operands x = cube(1024, element::e4m3, element::f32);
  EXPECT_FALSE(choose(all, x.normal().problem, {}, h200).all[0].swap_ab);
  x.d.stride = {1, 1024};
  EXPECT_TRUE(choose(all, x.normal().problem, {}, h200).all[0].swap_ab);
  x.b.type = element::e5m2;  // and the other way where no kernel else multiplies these types
  gemm_options fast;
  fast.fast_accumulation = true;
  for (gemm_kernel const& k : all) {
    if (k.plan->a != element::e4m3 || k.plan->b != element::e5m2) continue;
    EXPECT_FALSE(choose(std::span(&k, 1), x.normal().problem, fast, {k.plan->architecture, 132}).all.empty()) << name(*k.plan);
  }
}
TEST(chosen, operands_are_copied_only_where_they_must_be) {
  operands x = cube(4096, element::s8, element::s32);
  x.b.stride = {1, 4096};
  candidate const c = choose(threads, x.normal().problem, {}, h200).all[0];
  EXPECT_EQ(c.swap_ab ? c.copy_b : c.copy_a, false);
  EXPECT_EQ(c.swap_ab ? c.copy_a : c.copy_b, true);
}
// Kernels that copy with cp.async read operands where they lie, whatever the alignment; those of flat tiles are for few rows.
TEST(chosen, cp_async_for_small_products) {
  auto const of = [](int64 m, int64 n, int64 k, int64 pitch) {
    operands x;
    x.d = tensor({m, n}, {n, 1}), x.a = tensor({m, k}, {pitch, 1}), x.b = tensor({n, k}, {1, n});
    return choose(all, x.normal().problem, {}, h100);
  };
  EXPECT_EQ(name(*of(640, 968, 712, 712).all[0].kernel->plan), "simt_f32_kn_32x64x16_s5");
  EXPECT_EQ(name(*of(640, 967, 712, 713).all[0].kernel->plan), "simt_f32_kn_64x64x8_s4_align1");
  EXPECT_EQ(name(*of(24, 10168, 29872, 29872).all[0].kernel->plan), "simt_f32_kn_32x128x8_s5");
  for (auto const& c : of(640, 967, 712, 713).all) {
    plan const& p = *c.kernel->plan;
    EXPECT_FALSE(is_async_fma(p) && (c.copy_a || c.copy_b || p.tile_n >= 4 * p.tile_m)) << name(p);
  }
}
TEST(chosen, on_chips_that_are_not_here) {
  device_info const b200{100, 148}, b300{103, 148}, rtx{120, 170};
  for (element e : {element::f16, element::bf16, element::e4m3}) {
    operands const x = cube(8192, e, element::f32);
    EXPECT_TRUE(fastest(all, x, b200).starts_with("sm100_")) << fastest(all, x, b200);
    EXPECT_TRUE(fastest(all, x, b300).starts_with("sm100_"));
    EXPECT_FALSE(fastest(all, x, rtx).starts_with("sm100_"));
  }
  operands const bytes = cube(8192, element::s8, element::s32);
  EXPECT_TRUE(fastest(all, bytes, b200).starts_with("sm100_s8"));
  EXPECT_TRUE(fastest(all, bytes, b300).starts_with("sm80_s8"));
}
TEST(chosen, scale_factors_have_kernels_of_their_own) {
  gemm_options o;
  operands x = cube(4096, element::e4m3, element::f32);
  o.sfa = o.sfb = tensor({4096, 128}, {128, 1}, element::ue8m0);
  auto const chosen = [&](int architecture) {
    normalized const n = normalize(x.d, x.a, x.b, x.c, x.alpha, x.beta, o.sfa, o.sfb);
    EXPECT_TRUE(n.status) << n.status.reason;
    choice const c = choose(all, n.problem, o, {architecture, 148});
    return c.all.empty() ? "" : name(*c.all[0].kernel->plan);
  };
  EXPECT_EQ(chosen(100), "sm100_e4m3_ue8m0_kk_128x128x128_s6");
  EXPECT_EQ(chosen(120), "sm120_e4m3_ue8m0_kk_128x128x128_s2");
  EXPECT_EQ(chosen(90), "");
  x.a.type = x.b.type = element::e2m1;
  o.sfa = o.sfb = tensor({4096, 256}, {256, 1}, element::ue4m3);
  EXPECT_EQ(chosen(100), "sm100_e2m1_ue4m3_kk_128x128x256_s6");
  EXPECT_EQ(chosen(120), "sm120_e2m1_ue4m3_kk_128x128x256_s2");
  x.a.stride = {1, 4096};  // half bytes are not copied
  EXPECT_EQ(chosen(100), "");
}
TEST(chosen, tensor_cores_of_one_generation_are_not_carried_on) {
  plan const hopper{.architecture = 90, .kind = family::warpgroup}, ampere{.architecture = 80, .kind = family::warp};
  EXPECT_TRUE(runs_on(hopper, 90) && !runs_on(hopper, 100) && !runs_on(hopper, 89));
  EXPECT_TRUE(runs_on(ampere, 120) && !runs_on(ampere, 75));
  plan const large{.architecture = 80, .kind = family::warp, .shared = 160 << 10};  // more than 8.6 has
  EXPECT_TRUE(runs_on(large, 80) && !runs_on(large, 86) && !runs_on(large, 89) && runs_on(large, 90));
}

}  // namespace
}  // namespace colex::gpu
