// What the entry point decides without a GPU: what is refused and why, the problem that kernels take, the files of tuned
// kernels. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/choice.hpp"
#include "gpu/gemm/gemm.hpp"
#include "gpu/gemm/tuned.hpp"
#include "tests/device/operands.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace colex::gpu {
namespace {

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
    packed p = repacked(odd, 3, 5, 2, along);
    p.at.data = memory;
    EXPECT_TRUE(lies_in_rows(p.at, along == major::k, along != major::k, 16));
    EXPECT_EQ(p.bytes, 16 * 2 * (along == major::k ? 3 : 5));
  }
  EXPECT_EQ(repacked(entry::to_matrix(tensor({3, 5, 2}, {5, 1, 0})), 3, 5, 2, major::k).batches, 1);
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
// A kernel that divides its stages reads the whole product; alpha, beta and C are the reduction's.
TEST(split_along_k, stores_sums) {
  operands x;
  x.d = tensor({3, 5}, {5, 1}), x.a = tensor({3, 12}, {12, 1}), x.b = tensor({5, 12}, {12, 1}), x.c = x.d;
  problem p = x.normal().problem;
  p.alpha = 2, p.beta = 1;
  problem const r = with_stored_splits(p, 4, element::f32);
  EXPECT_TRUE(r.k == 12 && r.batches == 1 && r.split_k == 4 && r.stores_splits && r.alpha == 1 && r.beta == 0);
  EXPECT_EQ(r.d.offset(2, 1), 3 * 8);
  EXPECT_EQ(r.c.offset(2, 1), 3 * 8);
  EXPECT_TRUE(has_whole_vectors(r) && !has_whole_vectors(p));
}
TEST(split_along_k, leaves_no_split_without_stages) {
  plan_summary const w(sm90_plans[0]);
  operands x;
  x.d = tensor({3, 5}, {5, 1});
  x.a = tensor({3, 9 * w.tile_k}, {9 * w.tile_k, 1}), x.b = tensor({5, 9 * w.tile_k}, {9 * w.tile_k, 1});
  problem p = x.normal().problem;
  EXPECT_TRUE(can_split_k(w, p, 5, false));   // 2, 2, 2, 2, 1
  EXPECT_FALSE(can_split_k(w, p, 8, false));  // 2, 2, 2, 2, 1, and nothing
  p.batches = 2;
  EXPECT_FALSE(can_split_k(w, p, 5, false));  // the splits are the batches
  EXPECT_TRUE(can_split_k(w, p, 5, true));
}
// Bytes that no 64 bits count are no few bytes.
TEST(repacked, is_too_large) {
  operands x;
  x.d = tensor({8, 8}, {8, 1});
  int64 const k = (int64{1} << 60) + 64;
  x.a = tensor({8, k}, {0, 0}), x.b = tensor({8, k}, {0, 0});
  problem const p = x.normal().problem;
  EXPECT_THROW(repacked(p.a, 8, k, 1, major::k), error);
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
  EXPECT_EQ(product_text(x.normal().problem, o), "512 512 512 1 f32 f32 f32 mKm c tf32");
  operands y = cube(512, element::bf16, element::bf16);
  y.a.stride = {1, 514}, y.b.stride = {513, 1};
  EXPECT_EQ(product_text(y.normal().problem, {}), "512 512 512 1 bf16 bf16 bf16 Mxn");
}

}  // namespace
}  // namespace colex::gpu
