// What the entry point decides without a GPU: what is refused and why, the problem that kernels take, the kernel that is
// chosen. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/cost.hpp"
#include "gpu/gemm/gemm.hpp"
#include "gpu/gemm/tuned.hpp"
#include "gpu/plans/all.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace colex::gpu {
namespace {

alignas(16) std::byte memory[1 << 12];

device_tensor tensor(int_tuple const& shape, int_tuple const& stride, element type = element::f32) {
  return {memory, type, shape, stride};
}
struct operands {
  device_tensor d = tensor({3, 4}, {4, 1}), a = tensor({3, 5}, {5, 1}), b = tensor({4, 5}, {5, 1}), c = {};
  double alpha = 1, beta = 0;

  normalized normal() const { return normalize(d, a, b, c, alpha, beta); }
};
void refuses(operands const& x, gemm_error error, std::string const& reason) {
  gemm_status const s = gemm(x.d, x.a, x.b, x.c, x.alpha, x.beta);
  EXPECT_EQ(s.error, error) << s.reason;
  EXPECT_EQ(s.reason, reason);
}

TEST(refused, layouts) {
  operands x;
  x.a = tensor({3, 5, 1, 1}, {5, 1, 0, 0});
  refuses(x, gemm_error::bad_layout, "A is rank 4, not 2 or 3");
  x.a = tensor({3, 5}, {5, {1, 1}});
  refuses(x, gemm_error::bad_layout, "A: shape and stride are not congruent");
  x.a = tensor({3, -5}, {5, 1});
  refuses(x, gemm_error::bad_layout, "A: an extent is negative");
  x.a = tensor({3, 5}, {int_tuple(1, path_of({0})), 1});
  refuses(x, gemm_error::bad_layout, "A: a stride is a basis element");
  x.a = tensor({3, 5}, {int64{1} << 62, 1});
  refuses(x, gemm_error::bad_layout, "overflow");
  x = {};
  x.d = tensor({3, 4}, {4, 0});
  refuses(x, gemm_error::bad_layout, "D: a mode of stride 0 has several elements at one address");
}
TEST(refused, extents_and_types) {
  operands x;
  x.b = tensor({4, 6}, {6, 1});
  refuses(x, gemm_error::extents_differ, "K is 5 in A, 6 in B");
  x.b = tensor({7, 5}, {5, 1});
  refuses(x, gemm_error::extents_differ, "N is 4 in D, 7 in B");
  x.b = tensor({4, 5, 2}, {5, 1, 0});
  refuses(x, gemm_error::extents_differ, "the batch is 1 in D, 2 in B");
  x.b = tensor({4, 5}, {5, 1}, element::f64);
  refuses(x, gemm_error::unsupported_type, "no kernel multiplies f32 by f64 into f32");
  x = {};
  x.a.data = memory + 2;
  refuses(x, gemm_error::misaligned, "A is not at a multiple of its elements' 4 bytes");
  x.a.data = nullptr;
  refuses(x, gemm_error::no_data, "A has no data");
}
TEST(refused, by_explanations_in_one_line) {
  operands x;
  auto const lines = [&](gemm_options const& o = {}) { return explain_gemm(x.d, x.a, x.b, x.c, x.alpha, 0, o, 90, 132); };
  using one = std::vector<std::string>;
  x.a = tensor({3, 5}, {int64{1} << 62, 1});
  EXPECT_EQ(lines(), one{"overflow"});
  EXPECT_TRUE(gemm_candidates(x.d, x.a, x.b, x.c, 1, 0).empty());
  x = {};
  gemm_options o;
  o.kernel = "none";
  EXPECT_EQ(lines(o), one{"no kernel is named none"});
  x.alpha = 0;
  EXPECT_EQ(lines(), one{"nothing is multiplied"});
}
TEST(refused, scale_factors) {
  operands const x;
  gemm_options o;
  auto const reason = [&] { return gemm(x.d, x.a, x.b, x.c, 1, 0, o).reason; };
  o.sfa = tensor({3, 1}, {1, 1}, element::ue8m0);
  EXPECT_EQ(reason(), "no kernel multiplies f32 by f32 into f32 with scale factors");
  operands y;
  y.a.type = y.b.type = element::e4m3;
  auto const refusal = [&] { return normalize(y.d, y.a, y.b, y.c, 1, 0, o.sfa, o.sfb).status.reason; };
  EXPECT_EQ(refusal(), "both operands have scale factors, of one type, or neither has");
  o.sfb = tensor({4, 2}, {1, 4}, element::ue8m0);
  EXPECT_EQ(refusal(), "the factors of B: 2 in a row, not 1");
  o.sfb = tensor({4, 1}, {1, 4}, element::ue8m0);
  EXPECT_EQ(refusal(), "");
}
TEST(refused, one_of_a_group) {
  operands good, bad;
  bad.b = tensor({4, 6}, {6, 1});
  std::vector<gemm_group> const groups{{good.d, good.a, good.b}, {bad.d, bad.a, bad.b}};
  gemm_status const s = gemm_grouped(groups, 1, 0);
  EXPECT_EQ(s.error, gemm_error::extents_differ);
  EXPECT_EQ(s.reason, "group 1: K is 5 in A, 6 in B");
  EXPECT_EQ(gemm_grouped(std::vector<gemm_group>{{good.d, good.a, tensor({4, 5}, {5, {1, 1}})}}, 1, 0).reason,
            "group 0: B: shape and stride are not congruent");
}
TEST(refused, nothing_where_nothing_is_computed) {
  operands x;
  x.d = tensor({0, 4}, {4, 1}), x.a = tensor({0, 5}, {5, 1});
  x.d.data = x.a.data = x.b.data = nullptr;
  EXPECT_TRUE(gemm(x.d, x.a, x.b, x.c, 1, 0));
  x = {};
  x.a.data = nullptr, x.alpha = 0;
  EXPECT_TRUE(x.normal().status);  // A is not read
  x.c = tensor({3, 4}, {4, 1}), x.c.data = nullptr;
  EXPECT_TRUE(x.normal().status);  // nor is C
  x.beta = 1;
  EXPECT_FALSE(x.normal().status);
}

// Every element where the tensor has it, by the coordinates that kernels use.
void expect_same(matrix const& x, device_tensor const& t, bool transposed) {
  layout const at = make_layout(t.shape, t.stride);
  int64 const rows = size(at, 0), columns = size(at, 1), batches = rank(at) == 3 ? size(at, 2) : 1;
  for (int64 i = 0; i < rows * columns * batches; ++i) {
    int64 const r = i % rows, c = i / rows % columns, p = i / rows / columns;
    ASSERT_EQ(x.offset(0, transposed ? c : r) + x.offset(1, transposed ? r : c) + x.offset(2, p), at(i));
  }
}
TEST(normalized, leaves_are_coalesced) {
  operands x;
  x.d = tensor({{2, 3}, 4}, {{4, 8}, 1}), x.a = tensor({{2, 3}, {1, 5}}, {{15, 2}, {7, 3}}), x.b = tensor({4, 5}, {1, -4});
  problem const p = x.normal().problem;
  EXPECT_TRUE(p.d.plain(0) && p.d.plain(1) && p.a.plain(1) && !p.a.plain(0));
  EXPECT_EQ(p.m, 6);
  expect_same(p.a, x.a, false);
  expect_same(p.b, x.b, false);
  expect_same(p.d, x.d, false);
}
TEST(normalized, both_ways) {
  operands x;
  x.d = tensor({3, 4}, {1, 3}), x.c = tensor({3, 4}, {5, 1}), x.beta = 2;
  problem const p = transposed(x.normal().problem);
  EXPECT_EQ(p.m, 4);
  EXPECT_EQ(p.n, 3);
  EXPECT_EQ(p.d.step(1), 1);
  expect_same(p.d, x.d, true);
  expect_same(p.c, x.c, true);
  expect_same(p.a, x.b, false);
}
TEST(normalized, batches_that_share_b_are_rows) {
  operands x;
  x.d = tensor({3, 4, 6}, {4, 1, 12}), x.a = tensor({3, 5, 6}, {5, 1, 15}), x.b = tensor({4, 5, 6}, {5, 1, 0});
  EXPECT_EQ(fewer_batches(x.normal().problem).batches, 1);
  EXPECT_EQ(fewer_batches(x.normal().problem).m, 18);
  x.a = tensor({3, 5, 6}, {5, 1, 16});
  EXPECT_EQ(fewer_batches(x.normal().problem).batches, 6);
}

TEST(repacked, lies_as_wanted) {
  matrix const odd = entry::to_matrix(tensor({3, 5, 2}, {5, 1, 15}, element::f16));
  EXPECT_FALSE(lies_in_rows(odd, 1, 0, 16));
  for (major along : {major::k, major::mn}) {
    packed p = repacked(odd, 3, 5, 2, along, 16);
    p.at.data = memory;
    EXPECT_TRUE(lies_in_rows(p.at, along == major::k, along != major::k, 16));
    EXPECT_EQ(p.bytes, 16 * 2 * (along == major::k ? 3 : 5));
  }
  EXPECT_EQ(repacked(entry::to_matrix(tensor({3, 5, 2}, {5, 1, 0})), 3, 5, 2, major::k, 16).batches, 1);
}

// The splits of K are the product's elements again, each once.
TEST(split_along_k, divide_k) {
  operands x;
  x.d = tensor({3, 4}, {1, 3}), x.a = tensor({3, 12}, {1, 3}), x.b = tensor({4, 12}, {12, 1});
  problem const p = x.normal().problem;
  EXPECT_TRUE(can_split_k(p, 4) && !can_split_k(p, 5));
  problem const r = split_along_k(p, 4, element::f32);
  EXPECT_EQ(r.k, 3);
  EXPECT_EQ(r.batches, 4);
  for (int64 i = 0; i < 12; ++i) {
    EXPECT_EQ(r.a.offset(0, 2) + r.a.offset(1, i % 3) + r.a.offset(2, i / 3), p.a.offset(0, 2) + p.a.offset(1, i));
    EXPECT_EQ(r.b.offset(0, 2) + r.b.offset(1, i % 3) + r.b.offset(2, i / 3), p.b.offset(0, 2) + p.b.offset(1, i));
  }
  EXPECT_TRUE(lies_in_rows(r.d, 1, 0, 16));
  EXPECT_EQ(split_k_bytes(p, 4, element::f32), 4 * (r.d.offset(0, 2) + r.d.offset(1, 3) + r.d.offset(2, 3) + 1));
  x.a = tensor({3, {3, 4}}, {1, {12, 3}});  // a mode of two strides is not divided
  EXPECT_FALSE(can_split_k(x.normal().problem, 4));
}

// Kernels that are not run.
std::vector<gemm_kernel> kernels_of(std::span<std::span<plan const> const> tables) {
  std::vector<gemm_kernel> r;
  for (std::span<plan const> table : tables)
    for (plan const& p : table) r.push_back({&p, nullptr});
  return r;
}
std::vector<gemm_kernel> const threads = kernels_of(std::span(all_plans).first(2)), all = kernels_of(all_plans);

constexpr device_info h200{90, 132};
std::string fastest(std::span<gemm_kernel const> kernels, operands const& x, device_info on = h200,
                    gemm_options const& o = {}) {
  choice const c = choose(kernels, x.normal().problem, o, on);
  return c.all.empty() ? "" : name(*c.all[0].kernel->plan);
}
// A and B along K, as most are given.
operands cube(int64 n, element in, element out) {
  operands x;
  x.d = tensor({n, n}, {n, 1}, out), x.a = tensor({n, n}, {n, 1}, in), x.b = tensor({n, n}, {n, 1}, in);
  return x;
}
TEST(chosen, by_type_and_size) {
  EXPECT_EQ(fastest(threads, cube(4096, element::f32, element::f32)), "simt_f32_kk_128x256x8_s3");
  EXPECT_EQ(fastest(threads, cube(256, element::f32, element::f32)), "simt_f32_kk_32x64x32_s3");
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
TEST(chosen, tiles_by_what_bounds_them) {
  auto const of = [&](int64 m, int64 n, int64 k, int64 p = 1) {
    operands x;
    x.d = tensor({m, n, p}, {n, 1, m * n}, element::bf16), x.a = tensor({m, k, p}, {k, 1, m * k}, element::bf16);
    x.b = tensor({n, k, p}, {k, 1, n * k}, element::bf16);
    return fastest(all, x);
  };
  EXPECT_EQ(of(512, 512, 512), "sm90_bf16_kk_64x64x64_s12");              // SMs are idle with larger ones
  EXPECT_EQ(of(1024, 1024, 1024), "sm90_bf16_kk_64x128x64_s8");           // too short for a cluster's later begin
  EXPECT_EQ(of(1000, 1000, 1000), "sm90_bf16_kk_64x128x64_s8_2x1");       // rows across two lines: L2
  EXPECT_EQ(of(128, 8192, 8192), "sm90_bf16_kk_64x128x64_s8_2x1");        // L2: a pair shares what comes from memory
  EXPECT_EQ(of(16, 8192, 8192), "sm90_bf16_kk_64x16x64_s20");             // memory, and no rows of zeros
  EXPECT_EQ(of(4096, 4096, 512), "sm90_bf16_kk_128x128x64_s6_pingpong");  // results take as long as products
  EXPECT_EQ(of(4096, 4096, 4096), "sm90_bf16_kk_128x256x64_s4_2x1");      // the matrix units
  EXPECT_EQ(of(8192, 512, 8192), "sm90_bf16_kk_128x256x64_s4");           // all at once, side by side: nothing to share
  EXPECT_EQ(of(512, 512, 512, 64), "sm90_bf16_kk_128x256x64_s4_2x1");
  EXPECT_EQ(of(16384, 16384, 16384), "sm90_bf16_kk_128x256x64_s4_2x1");
}
// What the choice costs: the kernel expected to be fastest, of what the fastest measured one reaches.
TEST(chosen, little_is_lost_by_the_choice) {
  std::ifstream in("tests/bench/measured.txt");
  double sum = 0, least = 1;
  int products = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string type, kernel;
    int64 m = 0, n = 0, k = 0;
    char x = 0;
    words >> type >> m >> x >> n >> x >> k;
    std::map<std::string, double> rates;
    double best = 0;
    for (double rate = 0; words >> kernel >> rate; best = std::max(best, rate)) rates[kernel] = rate;
    gemm_options o;
    o.fast_accumulation = type == "fp8_fast";
    element const in_type = type == "bf16" ? element::bf16 : element::e4m3;
    operands product;
    product.d = tensor({m, n}, {n, 1}, element::bf16), product.a = tensor({m, k}, {k, 1}, in_type);
    product.b = tensor({n, k}, {k, 1}, in_type);
    std::string const chosen = fastest(all, product, h200, o);
    ASSERT_TRUE(rates.contains(chosen)) << line.substr(0, 40) << ": " << chosen;
    sum += std::log(rates[chosen] / best), least = std::min(least, rates[chosen] / best), ++products;
  }
  EXPECT_GE(products, 160);
  EXPECT_GE(std::exp(sum / products), 0.965);
  EXPECT_GE(least, 0.7);
}
TEST(chosen, split_k) {
  auto const of = [](int64 m, int64 n, int64 k, int split_k = 0) {
    operands x;
    x.d = tensor({m, n}, {n, 1}), x.a = tensor({m, k}, {k, 1}), x.b = tensor({n, k}, {k, 1});
    gemm_options o;
    o.split_k = split_k;
    return choose(threads, x.normal().problem, o, h200).all[0];
  };
  EXPECT_GT(of(512, 512, 512).split_k, 1);  // too few tiles for all SMs
  EXPECT_GT(of(16, 8192, 8192).split_k, 1);
  EXPECT_EQ(of(4096, 4096, 4096).split_k, 1);
  EXPECT_EQ(of(4096, 4096, 4096, 4).split_k, 4);
  EXPECT_EQ(of(4096, 4096, 4095, 4).split_k, 1);      // they do not divide it
  EXPECT_TRUE(of(512, 512, 512).reduces_in_cluster);  // a cluster, up to eight blocks
  EXPECT_FALSE(of(4096, 4096, 4096).reduces_in_cluster);
  EXPECT_NE(explain(of(512, 512, 512)).find("; split_k "), std::string::npos);
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

tuned_for const here{"0.1.0 kernels 1", "NVIDIA H200, compute capability 9.0, 132 SMs"};
std::string const product = "4096 4096 4096 1 bf16 bf16 bf16 kkn", simt = "simt_bf16_128x128x8_s3";
struct folder {
  std::string at = testing::TempDir() + "tuned_" + std::to_string(getpid());
  folder() { std::filesystem::create_directory(at); }
  ~folder() { std::filesystem::remove_all(at); }
  std::string file() const { return at + "/tuned.txt"; }
};
std::string text_of(std::string const& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string written(tuned_kernels const& what) {
  folder const f;
  EXPECT_EQ(write_tuned(f.file(), here, what), "");
  return text_of(f.file());
}
// The same lines with their right sum.
std::string summed(std::string const& lines) { return lines + detail::sum_text(lines); }
std::string const head = "colex tuned 1\nlibrary " + here.library + "\ndevice " + here.device + "\n";

TEST(tuned, what_is_written_is_read) {
  folder const f;
  tuned_kernels const what{{{product, simt}, {"1 2 3 4 f32 f32 f32 mxn c tf32", "simt_f32_kk_64x128x8_s3"}}, ""};
  EXPECT_EQ(write_tuned(f.file(), here, what), "");
  tuned_kernels const got = read_tuned(f.file(), here, all);
  EXPECT_EQ(got.refused, "");
  EXPECT_EQ(got.kernel_of, what.kernel_of);
  EXPECT_EQ(text_of(f.file()).find(head + "1 2 3"), 0u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(f.at), {}), 1);  // nothing is left behind
}
TEST(tuned, a_file_is_replaced_whole_or_not_at_all) {
  folder const f;
  EXPECT_EQ(write_tuned(f.at + "/none/tuned.txt", here, {}), "cannot write " + f.at + "/none/tuned.txt");
  std::filesystem::create_directories(f.file() + "/kept");  // a folder in its place
  EXPECT_EQ(write_tuned(f.file(), here, {}), "cannot write " + f.file());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(f.at), {}), 1);
  EXPECT_EQ(read_tuned(f.file(), here, all).refused, "cannot read " + f.file());
}
TEST(tuned, what_is_damaged_is_refused) {
  std::string const good = written({{{product, simt}}, ""});
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_NE(parse_tuned("f", good.substr(0, i), here, all).refused, "") << i;
    std::string bad = good;
    bad[i] ^= 1;
    EXPECT_NE(parse_tuned("f", bad, here, all).refused, "") << i;
    EXPECT_TRUE(parse_tuned("f", bad, here, all).kernel_of.empty());
  }
  EXPECT_EQ(parse_tuned("f", good + "more\n", here, all).refused, "f is damaged: its checksum differs");
  EXPECT_EQ(parse_tuned("f", "", here, all).refused, "f is no file of tuned kernels");
  EXPECT_EQ(parse_tuned("f", summed(head + product + "\n"), here, all).refused, "f:4: `PRODUCT = KERNEL` belongs here");
  std::string const line = product + " = " + simt + "\n";
  EXPECT_EQ(parse_tuned("f", summed(head + line + line), here, all).refused, "f:5: this product was there before");
}
TEST(tuned, what_is_too_large_is_refused) {
  folder const f;
  std::ofstream(f.file()) << std::string(most_tuned_bytes, ' ');
  EXPECT_EQ(read_tuned(f.file(), here, all).refused, f.file() + " is no file of tuned kernels");
  std::ofstream(f.file(), std::ios::app) << ' ';
  EXPECT_EQ(read_tuned(f.file(), here, all).refused, f.file() + " is larger than 4 MiB");
}
TEST(tuned, what_is_no_file_keeps_nobody_waiting) {
  folder const f;
  ASSERT_EQ(mkfifo(f.file().c_str(), 0600), 0);
  EXPECT_EQ(read_tuned(f.file(), here, all).refused, "cannot read " + f.file());
}
TEST(tuned, what_is_refused_is_quoted_as_far_as_it_is_text) {
  std::string const odd = "\x1b[31m\xff" + std::string(1 << 20, 'x'), quoted = "?[31m?" + std::string(94, 'x') + "...";
  EXPECT_EQ(parse_tuned("f", summed(head + product + " = " + odd + "\n"), here, all).refused,
            "f:4: no kernel is named " + quoted);
  EXPECT_EQ(parse_tuned("f", summed("colex tuned 1\n" + odd + "\n"), here, all).refused,
            "f is of \"" + quoted + "\", not of \"library " + here.library + "\"");
}
TEST(tuned, what_is_of_another_place_is_refused) {
  std::string const good = written({{{product, simt}}, ""});
  tuned_for other = here;
  other.library = "0.2.0 kernels 1";
  EXPECT_EQ(parse_tuned("f", good, other, all).refused,
            "f is of \"library 0.1.0 kernels 1\", not of \"library 0.2.0 kernels 1\"");
  other = {here.library, "NVIDIA L4"};
  EXPECT_EQ(parse_tuned("f", good, other, all).refused, "f is of \"device " + here.device + "\", not of \"device NVIDIA L4\"");
  EXPECT_EQ(parse_tuned("f", summed(head + product + " = gone\n"), here, all).refused, "f:4: no kernel is named gone");
}
TEST(tuned, products_are_told_apart_by_what_their_time_depends_on) {
  operands x = cube(512, element::f32, element::f32);
  gemm_options o;
  EXPECT_EQ(product_text(x.normal().problem, o), "512 512 512 1 f32 f32 f32 kkn");
  o.tf32 = true, x.a.stride = {1, 512}, x.b.stride = {513, 1}, x.d.stride = {1, 512}, x.c = x.d, x.beta = 1;
  EXPECT_EQ(product_text(x.normal().problem, o), "512 512 512 1 f32 f32 f32 mxm c tf32");
}

}  // namespace
}  // namespace colex::gpu
