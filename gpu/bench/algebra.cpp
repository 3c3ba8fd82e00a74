// Nanoseconds for one composition of random rank-3 layouts, evaluated at run time on the host. Prints; judges nothing.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/composition.hpp"
#include "gpu/edit.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

namespace {

using namespace colex::gpu;

struct pair_of_layouts {
  layout a, b;
};

// A compact layout of extents 1 to 8 in a random order of its modes.
layout random_compact(std::mt19937_64& random) {
  int_tuple s{1, 1, 1}, order{0, 1, 2};
  for (int k = 0; k < 3; ++k) {
    s.value[k] = 1 + static_cast<int64>(random() % 8);
    std::swap(order.value[k], order.value[random() % 3]);
  }
  return make_ordered_layout(s, order);
}

bool composes(layout const& a, layout const& b) {
  try {
    composition(a, b);
    return true;
  } catch (undefined const&) {
    return false;
  }
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  std::vector<pair_of_layouts> pairs;
  int drawn = 0;
  for (; pairs.size() < 1000; ++drawn) {
    pair_of_layouts p{random_compact(random), random_compact(random)};
    if (composes(p.a, p.b)) pairs.push_back(p);
  }
  int64 sum = 0;
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto const start = std::chrono::steady_clock::now();
    for (int again = 0; again < 20; ++again)
      for (pair_of_layouts const& p : pairs) {
        layout const r = composition(p.a, p.b);
        sum += r.stride[r.form.count - 1];
      }
    std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / 20 / static_cast<double>(pairs.size()));
  }
  std::printf("composition of random rank-3 layouts: %.1f ns (best of 20 rounds over %zu pairs, %d drawn; checksum %lld)\n", best,
              pairs.size(), drawn, static_cast<long long>(sum));
}
