// Nanoseconds for one composition of random rank-3 layouts at run time on the host, side by side on the same pairs: the
// bundled algebra, the reference, and, given its Python, the PyPI package tensor-layouts. Prints ratios; judges nothing.
//   bench [PYTHON time_tensor_layouts.py]
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/convert.hpp"
#include "ref/algebra/composition.hpp"

#include <fmt/format.h>
#include <boost/process.hpp>

#include <chrono>
#include <random>

namespace {

using namespace colex;
namespace process = boost::process;

// A compact layout of three extents 1 to 8 in a random order of its modes.
value random_compact(std::mt19937_64& random) {
  std::vector<value> shape, stride(3);
  for (int k = 0; k < 3; ++k) shape.emplace_back(1 + static_cast<int>(random() % 8));
  std::size_t order[] = {0, 1, 2};
  std::shuffle(std::begin(order), std::end(order), random);
  integer w = 1;
  for (std::size_t k : order) {
    stride[k] = value(w);
    w *= shape[k].number;
  }
  return layout_of(tuple_of(shape), tuple_of(stride));
}

// The shortest of `rounds` passes over all pairs, per pair.
template <class L, class F>
double nanoseconds(std::vector<std::pair<L, L>> const& pairs, int rounds, F compose) {
  double best = 1e18;
  for (int round = 0; round < rounds; ++round) {
    auto const start = std::chrono::steady_clock::now();
    for (auto const& [a, b] : pairs) compose(a, b);
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return best / static_cast<double>(pairs.size());
}

template <class F>
auto converted(std::vector<std::pair<value, value>> const& pairs, F f) {
  std::vector<std::pair<decltype(f(pairs[0].first)), decltype(f(pairs[0].first))>> out;
  for (auto const& [a, b] : pairs) out.emplace_back(f(a), f(b));
  return out;
}

std::pair<double, int> peer_nanoseconds(std::vector<std::pair<value, value>> const& pairs, char const* python,
                                        char const* script) {
  process::opstream in;
  process::ipstream out;
  process::child peer(python, script, process::std_in<in, process::std_out> out);
  for (auto const& [a, b] : pairs) in << print(a) << ' ' << print(b) << '\n';
  in.flush();
  in.pipe().close();
  std::pair<double, int> result{0, 0};
  out >> result.first >> result.second;
  peer.wait();
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(1);
  std::vector<std::pair<value, value>> pairs;
  while (pairs.size() < 1000) {
    std::pair<value, value> p{random_compact(random), random_compact(random)};
    try {
      ref::composition(ref::from_value(p.first), ref::from_value(p.second));
      pairs.push_back(p);
    } catch (ref::undefined const&) {
    }
  }
  gpu::int64 sum = 0;
  double const fast =
      nanoseconds(converted(pairs, [](value const& v) { return gpu::to_layout(v); }), 400, [&](auto const& a, auto const& b) {
        gpu::layout const r = gpu::composition(a, b);
        sum += r.stride[r.form.count - 1];
      });
  double const plain =
      nanoseconds(converted(pairs, [](value const& v) { return ref::from_value(v); }), 3,
                  [&](auto const& a, auto const& b) { sum += static_cast<gpu::int64>(ref::composition(a, b).modes.size()); });
  fmt::print("composition of {} random pairs of rank-3 layouts (checksum {})\n", pairs.size(), sum);
  fmt::print("{:<16} {:>10.0f} ns\n{:<16} {:>10.0f} ns   {:>6.0f} times as long\n", "gpu", fast, "ref", plain, plain / fast);
  if (argc == 3) {
    auto const [peer, composed] = peer_nanoseconds(pairs, argv[1], argv[2]);
    fmt::print("{:<16} {:>10.0f} ns   {:>6.0f} times as long   ({} of the pairs; it refuses the others)\n", "tensor-layouts",
               peer, peer / fast, composed);
  }
}
