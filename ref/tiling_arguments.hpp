// How values of the grammar become tensors, tiled MMAs and tiled copies; `run` of tilings.cpp and the pictures take them so.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/arguments.hpp"
#include "ref/atoms/shared_access.hpp"
#include "ref/atoms/tiled_copy.hpp"

namespace colex::ref {

inline value const& modes_tiler(value const& v) { return tiler(need("modes", v)); }

inline composed identity(value const& s) { return {std::nullopt, 0, make_identity_layout(S(s))}; }

inline integer element_bits(value const& v) {
  integer const n = bits(v);
  if (n < 1) wrong(v, "a width in bits");
  return n;
}
// The bits that a thread moves, or the name of an atom.
inline shared_access access_of(value const& v) {
  if (is_one_of(kinds_named("width"), v)) return {bits(v), std::nullopt};
  return shared_access_of(W(v));
}
// A bits, and the accesses behind them: T ACCESS, T ACCESS, ...
inline std::vector<warp_access> accesses_of(arguments const& a) {
  std::vector<warp_access> out;
  for (std::size_t k = 2; k < a.size(); k += 2) out.push_back({L(a[k]), access_of(a[k + 1])});
  return out;
}

// ATOM THR T from place k on. Here and below each is read in its turn, so that of two that are wrong the first is named.
inline tiled_mma mma_of(arguments const& a, std::size_t k = 0) {
  mma_atom const atom = mma_atom_of(W(a[k]));
  layout const threads = L(a[k + 1]);
  return make_tiled_mma(atom, threads, modes_tiler(a[k + 2]));
}
inline integer const& thread_of(value const& v, integer const& count) {
  if (natural(N(v), "thread") >= count) throw undefined("thread " + print(v) + " of " + count.str());
  return v.number;
}

// COPY TYPE THR VAL, or make_tiled_copy_A COPY TYPE ATOM THR T; and what follows.
struct copy_arguments {
  tiled_copy tiling;
  arguments rest;
};
inline tiled_copy copy_by_layouts(arguments const& a) {
  auto const atom = copy_atom_for(W(a[0]), W(a[1]));
  layout const threads = L(a[2]);
  return make_tiled_copy(atom, threads, L(a[3]));
}
inline copy_arguments copy_of(arguments const& a) {
  if (!W(a[0]).starts_with("make_tiled_copy_")) return {copy_by_layouts(a), {a.begin() + 4, a.end()}};
  auto const at = std::string("ABC").find(a[0].word.substr(16));
  if (a[0].word.size() != 17 || at == std::string::npos) wrong(a[0], "make_tiled_copy_A, _B or _C");
  auto const atom = copy_atom_for(W(a[1]), W(a[2]));
  return {make_tiled_copy(atom, mma_of(a, 3), static_cast<operand>(at)), {a.begin() + 6, a.end()}};
}

}  // namespace colex::ref
