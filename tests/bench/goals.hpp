// What the GEMMs are measured at, and what they are to reach there. No GPU. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/device/gemm_draw.hpp"

#include <functional>
#include <limits>
#include <span>

namespace colex::bench {

using namespace verify;
using gpu::memory_bandwidth;
using kind = gpu::product_kind;
inline std::vector<kind> const& kinds = gpu::product_kinds;

// A multiplication to be timed. Layout as BLAS says it of D's columns: the first letter is our B's, the second our A's;
// TN: both along K. `groups`: as many products of M rows each, one after another.
struct workload {
  std::string group, name, layout;
  int64 m, n, k, p = 1;
  std::vector<int64> groups = {};

  double operations() const { return 2.0 * static_cast<double>(rows() * n * k * p); }
  double bytes(types const& t) const {
    int64 const products = groups.empty() ? p : std::ssize(groups);
    return static_cast<double>((rows() * k * p) * bytes_of(t.a) + n * k * products * bytes_of(t.b) +
                               rows() * n * p * bytes_of(t.d));
  }
  int64 rows() const {
    int64 sum = 0;
    for (int64 g : groups) sum += g;
    return groups.empty() ? m : sum;
  }
};
inline std::vector<workload> workloads(std::string const& kind) {
  std::vector<workload> all;
  auto const add = [&](char const* group, int64 m, int64 n, int64 k, std::string const& layout = "TN") {
    std::string const name =
        m == n && n == k ? std::to_string(m) : std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    all.push_back({group, name, layout, m, n, k});
  };
  for (int64 n : {512, 1024, 2048, 4096, 8192, 16384}) add("cube", n, n, n);
  for (int64 n : {1536, 3328, 5000}) add("between", n, n, n);
  add("skinny", 16, 8192, 8192), add("skinny", 128, 8192, 8192), add("skinny", 4096, 4096, 512);
  add("skinny", 8192, 512, 8192);
  if (kind == "bf16") {
    for (auto [m, n, k] : {std::array<int64, 3>{4097, 4095, 4093}, {1000, 1000, 1000}, {8191, 8193, 4097}})
      add("ragged", m, n, k);
    add("neighbour", 8192, 8192, 4096);
    all.push_back({"batched", "64 x 512", "TN", 512, 512, 512, 64});
    all.push_back({"grouped", "8 uneven M", "TN", 0, 4096, 4096, 1, {128, 512, 96, 2048, 704, 1536, 64, 3104}});
  }
  if (kind == "tf32")
    for (char const* layout : {"NN", "NT", "TT"})
      for (int64 n : {4096, 8192}) add("layout", n, n, n, layout);
  return all;
}

struct measured {
  std::string kind, kernel;
  workload shape;
  double ours = 0, first = 0,
         best = 0;     // TFLOP/s: gemm(), cuBLASLt's first choice, the best of its first eight; 0: none
  double spread = 0;   // of ours: (slowest - fastest) / median
  double ceiling = 0;  // of the matrix unit or of memory, whichever is lower here
  // Where all kernels were tried: each and its TFLOP/s, the best first.
  std::vector<std::pair<std::string, double>> tried = {};

  double ratio() const { return best > 0 ? ours / best : std::numeric_limits<double>::quiet_NaN(); }
};
using results = std::vector<measured>;

struct goal {
  std::string name;
  double reach;
  std::function<double(results const&)> figure;  // NaN: not measured
};
inline double mean_of_ratios(results const& all) {
  double sum = 0;
  for (measured const& r : all) sum += std::log(r.ratio());
  return all.empty() ? NAN : std::exp(sum / static_cast<double>(all.size()));
}
inline double least_ratio(results const& all) {
  double least = all.empty() ? NAN : INFINITY;
  for (measured const& r : all) least = r.ratio() < least ? r.ratio() : std::isnan(r.ratio()) ? NAN : least;
  return least;
}
// Those of a kind in some groups ("cube skinny"), of one shape or layout where it is named.
inline results only(results const& all, std::string const& kind, std::string const& groups, std::string const& name = "",
                    std::string const& layout = "") {
  results some;
  for (measured const& r : all)
    if (r.kind == kind && groups.find(r.shape.group) != std::string::npos && (name.empty() || r.shape.name == name) &&
        (layout.empty() || r.shape.layout == layout))
      some.push_back(r);
  return some;
}
inline double rate(results const& some) { return some.size() == 1 ? some[0].ours : NAN; }

// One kind's goals: the mean of the ratios to cuBLASLt, each of them, and rates at shapes.
inline goal mean_goal(std::string const& kind, std::string const& groups, double reach) {
  return {kind + " " + groups + ": mean of ratios", reach,
          [=](results const& r) { return mean_of_ratios(only(r, kind, groups)); }};
}
inline goal each_goal(std::string const& kind, std::string const& groups, double reach, std::string const& layout = "") {
  return {kind + " " + groups + (layout.empty() ? "" : " " + layout) + ": least ratio", reach,
          [=](results const& r) { return least_ratio(only(r, kind, groups, "", layout)); }};
}
inline goal rate_goal(std::string const& kind, std::string const& name, double reach) {
  return {kind + " " + name + ": TFLOP/s", reach, [=](results const& r) { return rate(only(r, kind, "cube", name)); }};
}
// One of ours in relation to another of ours.
inline goal beside_goal(std::string const& name, std::string const& neighbour, double reach) {
  return {"bf16 " + name + ": of " + neighbour + "'s rate", reach, [=](results const& r) {
            return rate(only(r, "bf16", "ragged", name)) / rate(only(r, "bf16", "cube neighbour", neighbour));
          }};
}
inline double bandwidth_share(results const& some) {
  if (some.size() != 1) return NAN;
  measured const& r = some[0];
  types const of = std::ranges::find(kinds, r.kind, &kind::name)->of;
  return r.shape.bytes(of) / (r.shape.operations() / (r.ours * 1e12)) / (memory_bandwidth * 1e12);
}
inline double accurate_of_fast(results const& all) {
  results const fast = only(all, "fp8_fast", "cube skinny"), accurate = only(all, "fp8", "cube skinny");
  double least = fast.empty() || fast.size() != accurate.size() ? NAN : INFINITY;
  for (std::size_t i = 0; i < fast.size() && !std::isnan(least); ++i) least = std::min(least, accurate[i].ours / fast[i].ours);
  return least;
}
inline std::vector<goal> goals() {
  std::vector<goal> all;
  for (char const* kind : {"bf16", "f16"})
    for (goal const& g : {mean_goal(kind, "cube", 1.05), each_goal(kind, "cube", 0.97), rate_goal(kind, "4096", 800),
                          rate_goal(kind, "8192", 830)})
      all.push_back(g);
  all.push_back(each_goal("bf16", "skinny", 1));
  all.push_back({"bf16 16x8192x8192: of memory bandwidth", 0.95,
                 [](results const& r) { return bandwidth_share(only(r, "bf16", "skinny", "16x8192x8192")); }});
  all.push_back({"bf16 4097x4095x4093: ratio", 5,
                 [](results const& r) { return least_ratio(only(r, "bf16", "ragged", "4097x4095x4093")); }});
  for (goal const& g : {beside_goal("4097x4095x4093", "4096", 0.9), beside_goal("1000", "1024", 0.9),
                        beside_goal("8191x8193x4097", "8192x8192x4096", 0.9), mean_goal("fp8", "cube skinny", 1.03),
                        mean_goal("fp8_fast", "cube skinny", 1.03), rate_goal("fp8_fast", "8192", 1550)})
    all.push_back(g);
  all.push_back({"fp8: accurate of fast, least", 0.9, accurate_of_fast});
  for (char const* layout : {"TN", "NN", "TT"}) all.push_back(each_goal("tf32", "cube layout", 1, layout));
  for (goal const& g :
       {each_goal("tf32", "layout", 1.4, "NT"), mean_goal("s8", "cube skinny", 1.10), rate_goal("s8", "8192", 1650),
        each_goal("f64", "cube", 1), rate_goal("f64", "8192", 64), mean_goal("f32", "cube skinny", 1.08),
        each_goal("bf16", "batched", 1.1), each_goal("bf16", "grouped", 1.1)})
    all.push_back(g);
  return all;
}

// Those of --emulation: f64 and f32 out of residues.
inline std::vector<goal> emulation_goals() {
  std::vector<goal> all;
  for (goal const& g : {rate_goal("f64", "4096", 65), rate_goal("f64", "8192", 85), rate_goal("f64", "16384", 100),
                        rate_goal("f32", "4096", 110), rate_goal("f32", "8192", 155)})
    all.push_back(g);
  all.push_back({"f64 8192: ratio", 1.4, [](results const& r) { return least_ratio(only(r, "f64", "cube", "8192")); }});
  for (char const* name : {"4096x4096x512", "8192x512x8192"})
    all.push_back({std::string("f64 ") + name + ": ratio", 0.95,
                   [=](results const& r) { return least_ratio(only(r, "f64", "skinny", name)); }});
  return all;
}

}  // namespace colex::bench
