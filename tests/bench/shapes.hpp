// Products that nobody tuned for: those of models in use, and random ones; and what is said of all of them together. No GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/bench/goals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace colex::bench {

// Weights of N x K, along K.
struct model_product {
  char const* name;
  int64 n, k;
};
inline constexpr model_product model_products[] = {
    {"deepseek-v3-q-a", 1536, 7168},
    {"deepseek-v3-kv-a", 576, 7168},
    {"deepseek-v3-q-a-kv-a", 2112, 7168},
    {"deepseek-v3-q-b", 24576, 1536},
    {"deepseek-v3-kv-b", 32768, 512},
    {"deepseek-v3-o", 7168, 16384},
    {"deepseek-v3-gate-up", 4096, 7168},
    {"deepseek-v3-down", 7168, 2048},
    {"llama-3-8b-qkv", 6144, 4096},
    {"llama-3-8b-o", 4096, 4096},
    {"llama-3-8b-gate-up", 28672, 4096},
    {"llama-3-8b-down", 4096, 14336},
    {"llama-3-8b-head", 128256, 4096},
    {"llama-3-70b-qkv", 10240, 8192},
    {"llama-3-70b-o", 8192, 8192},
    {"llama-3-70b-gate-up", 57344, 8192},
    {"llama-3-70b-down", 8192, 28672},
    {"llama-3-70b-tp8-qkv", 1280, 8192},
    {"llama-3-70b-tp8-o", 8192, 1024},
    {"llama-3-70b-tp8-gate-up", 7168, 8192},
    {"llama-3-70b-tp8-down", 8192, 3584},
    {"bert-base-qkv", 2304, 768},
    {"bert-base-ffn", 3072, 768},
    {"bert-base-ffn-down", 768, 3072},
    {"vit-h-qkv", 3840, 1280},
    {"vit-h-ffn", 5120, 1280},
    {"vit-h-ffn-down", 1280, 5120},
};
// Rows that are multiplied by them: a batch in decoding, a prompt; and uneven ones.
inline constexpr int64 model_rows[] = {1,    8,    16,   32,   64, 96, 128, 192, 256,  384, 512,
                                       1024, 2048, 4096, 8192, 7,  77, 197, 577, 1000, 3001};

inline std::string shape_name(int64 m, int64 n, int64 k) {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}
inline std::vector<workload> model_workloads() {
  std::vector<workload> all;
  for (model_product const& x : model_products)
    for (int64 m : model_rows) all.push_back({"models", shape_name(m, x.n, x.k), "TN", m, x.n, x.k});
  return all;
}

// M, N and K log-uniform in 1..8192, 64..32768 and 64..32768; nine in ten are multiples of 8 (M: those from 8 on).
inline std::vector<workload> random_workloads(int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto const uniform = [&] { return static_cast<double>(random() >> 11) / static_cast<double>(std::uint64_t{1} << 53); };
  auto const extent = [&](double least, double most, bool odd) {
    auto const n = static_cast<int64>(least * std::pow(most / least, uniform()) + 0.5);
    return odd || n < 8 ? n : n / 8 * 8;
  };
  std::vector<workload> all;
  for (int i = 0; i < count; ++i) {
    bool const odd = uniform() < 0.1;
    int64 const m = extent(1, 8192, odd), n = extent(64, 32768, odd), k = extent(64, 32768, odd);
    constexpr char const* layouts[] = {"TN", "NN", "NT", "TT"};
    all.push_back({"random", shape_name(m, n, k), layouts[random() % 4], m, n, k});
  }
  return all;
}
// `count` of them, drawn without replacement, in their order.
inline std::vector<workload> sample(std::vector<workload> all, std::size_t count, std::uint64_t seed) {
  std::vector<workload> some;
  std::mt19937_64 random(seed);
  std::ranges::sample(all, std::back_inserter(some), static_cast<std::ptrdiff_t>(count), random);
  return some;
}

// What the ratios of some products are: their mean, that of the twentieth from below of a hundred, and the least.
struct distribution {
  std::size_t count = 0;
  double mean = NAN, low = NAN, least = NAN;
};
inline distribution distribution_of(results const& some) {
  std::vector<double> ratios;
  for (measured const& r : some)
    if (!std::isnan(r.ratio())) ratios.push_back(r.ratio());
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  double sum = 0;
  for (double r : ratios) sum += std::log(r);
  auto const count = static_cast<double>(ratios.size());
  return {ratios.size(), std::exp(sum / count), ratios[static_cast<std::size_t>(0.05 * (count - 1))], ratios[0]};
}
// By type and layout.
inline std::map<std::string, distribution> distributions(results const& all) {
  std::map<std::string, results> by;
  for (measured const& r : all) by[r.kind + " " + r.shape.layout].push_back(r), by[r.kind + " all"].push_back(r);
  std::map<std::string, distribution> r;
  for (auto const& [name, some] : by) r[name] = distribution_of(some);
  return r;
}
inline results worst(results all, std::size_t count) {
  std::erase_if(all, [](measured const& r) { return std::isnan(r.ratio()); });
  std::ranges::sort(all, {}, &measured::ratio);
  if (all.size() > count) all.resize(count);
  return all;
}

}  // namespace colex::bench
