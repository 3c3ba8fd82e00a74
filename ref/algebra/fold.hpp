// Any contraction as one batched GEMM: the indices of three tensors grouped into m, n, k and p (CuTe talk, "Tensor
// Contractions"). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/layout.hpp"

#include <map>

namespace colex::ref {

// A layout whose mode i goes by the letter indices[i].
struct indexed {
  std::string indices;
  layout modes;
};
inline bool has(std::string const& indices, char x) { return indices.find(x) != std::string::npos; }

// The extents by letter. undefined: a letter for every mode, once; one extent for each letter; a letter in two tensors at
// least.
inline void check_indices(std::vector<indexed> const& tensors) {
  std::map<char, std::vector<integer>> extents;
  for (indexed const& t : tensors) {
    if (t.indices.size() != rank(t.modes))
      throw undefined("indices " + t.indices + " for " + std::to_string(rank(t.modes)) + " modes");
    for (std::size_t i = 0; i < t.indices.size(); ++i) {
      if (t.indices.find(t.indices[i], i + 1) != std::string::npos)
        throw undefined("index " + std::string(1, t.indices[i]) + " twice in " + t.indices);
      extents[t.indices[i]].push_back(size(mode(t.modes, i)));
    }
  }
  for (auto const& [x, n] : extents) {
    if (n.size() == 1) throw undefined("index " + std::string(1, x) + " in one tensor alone");
    if (n.front() != n[1] || n.front() != n.back()) throw undefined("index " + std::string(1, x) + " with different extents");
  }
}

// The modes of t whose letters are in `order`, in that order, where f says so.
template <class F>
layout grouped(indexed const& t, std::string const& order, F f) {
  std::vector<layout> out;
  for (char x : order)
    if (has(t.indices, x) && f(x)) out.push_back(mode(t.modes, t.indices.find(x)));
  return unwrapped(std::move(out));
}

// (A_mkp, B_nkp, C_mnp): m is in A and C, n in B and C, k in A and B, p in all three. m, n, p in C's order, k in A's.
inline std::vector<layout> fold(indexed const& a, indexed const& b, indexed const& c) {
  check_indices({a, b, c});
  auto const m = [&](char x) { return !has(b.indices, x); };
  auto const n = [&](char x) { return !has(a.indices, x); };
  auto const k = [&](char x) { return !has(c.indices, x); };
  auto const p = [&](char x) { return has(a.indices, x) && has(b.indices, x) && has(c.indices, x); };
  auto const three = [](layout const& x, layout const& y, layout const& z) { return layout({x, y, z}); };
  return {three(grouped(a, c.indices, m), grouped(a, a.indices, k), grouped(a, c.indices, p)),
          three(grouped(b, c.indices, n), grouped(b, a.indices, k), grouped(b, c.indices, p)),
          three(grouped(c, c.indices, m), grouped(c, c.indices, n), grouped(c, c.indices, p))};
}

}  // namespace colex::ref
