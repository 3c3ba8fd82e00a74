// A warp kernel on the host: the product of one tile that a plan's maps alone compute, of integers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/warp.hpp"

#include <vector>

namespace colex::gpu::emulation {

using values = std::vector<int>;

// An operand's way to the registers: value v of thread t at t + threads v.
inline values in_registers(plan const& p, operand x, values const& tile) {
  operand_path const at = path_of(p, x);
  values shared(tile.size()), registers(size(at.fragment));
  for (int64 t = 0; t < p.threads; ++t)
    for (int64 v = 0; v < size(at.copy, 1); ++v) {
      int64 const first = at.shared(at.copy(t + p.threads * (v - v % at.vector)));
      shared[first + v % at.vector] = tile[at.copy(t + p.threads * v)];
    }
  detail::origins const from(at.atom);
  int const values_of_thread = at.width * at.loads;
  for (int t = 0; t < p.threads; ++t)
    for (int v = 0; v < values_of_thread; ++v) {
      detail::origin const o = from(t % from.threads, v % at.width);
      int64 const points = at.source(t - t % from.threads + o.peer + p.threads * (v - v % at.width));
      registers[t + p.threads * v] = shared[at.shared(points) + o.element];
    }
  return registers;
}

// What one atom's threads hold of an operand, as a matrix: `value` is the first of each thread's.
inline values gathered(plan const& p, layout const& atom, values const& registers, int64 group, int64 value) {
  int64 const peers = size(atom, 0);
  values all(size(atom));
  for (int64 i = 0; i < size(atom); ++i)
    all[atom(i)] = registers[p.mma.thr_layout_vmnk(i % peers + peers * group) + p.threads * (value + i / peers)];
  return all;
}
// Adds one atom's product to the sums of its threads.
inline void multiply(plan const& p, values const& a, values const& b, values& sums, int64 group, int64 value) {
  mma_atom const& atom = p.mma.atom;
  int64 const m = atom.shape_mnk.value[0], n = atom.shape_mnk.value[1], k = atom.shape_mnk.value[2], peers = size(atom.c, 0);
  for (int64 i = 0; i < size(atom.c); ++i)
    for (int64 j = 0; j < k; ++j)
      sums[p.mma.thr_layout_vmnk(i % peers + peers * group) + p.threads * (value + i / peers)] +=
          a[atom.c(i) % m + m * j] * b[atom.c(i) / m + n * j];
}
inline values multiplied(plan const& p, values const& a, values const& b) {
  repeats const r = repeats_of(p);
  mma_atom const& atom = p.mma.atom;
  int64 const of_a = size(atom.a, 1), of_b = size(atom.b, 1), of_c = size(atom.c, 1);
  values sums(size(fragment_c(p)));
  for (int64 group = 0; group < size(p.mma.thr_layout_vmnk) / size(atom.thr_id); ++group)
    for (int k = 0; k < r.k; ++k)
      for (int m = 0; m < r.m; ++m) {
        values const rows = gathered(p, atom.a, a, group, of_a * (m + r.m * k));
        for (int n = 0; n < r.n; ++n)
          multiply(p, rows, gathered(p, atom.b, b, group, of_b * (n + r.n * k)), sums, group, of_c * (m + r.m * n));
      }
  return sums;
}

// The epilogue, warp by warp and piece by piece.
inline values written(plan const& p, values const& sums) {
  repeats const r = repeats_of(p);
  layout const c = fragment_c(p);
  int64 const rows = size(p.smem_d.inner, 0), columns = size(p.smem_d.inner, 1), of_c = size(p.mma.atom.c, 1),
              atoms = staged_atoms(p);
  values out(sums.size()), staged(size(p.smem_d.inner));
  for (int64 warp = 0; warp < p.threads; warp += 32)
    for (int64 share = 0; share < r.m * r.n / atoms; ++share) {
      int64 const m = share % r.m, n = share / r.m;
      for (int64 lane = 0; lane < 32; ++lane)
        for (int64 v = 0; v < of_c * atoms; ++v) {
          int64 const first = v % of_c + v / of_c * (of_c * r.m);
          staged[p.smem_d(staged_index(p, c(lane + p.threads * first)))] =
              sums[warp + lane + p.threads * (first + of_c * (m + r.m * n * atoms))];
        }
      for (int64 i = 0; i < size(p.smem_d.inner); ++i)
        out[c(warp) + m * rows + i % rows + (n * columns + i / rows) * p.tile_m] = staged[p.smem_d(i)];
    }
  return out;
}

// Two tiles of numbers, and their product by the plan and by its definition.
struct products {
  values by_plan, by_definition;
};
inline products multiply_a_tile(plan const& p) {
  values a(p.tile_m * p.tile_k), b(p.tile_n * p.tile_k), want(p.tile_m * p.tile_n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<int>(i * 7919 % 1009) - 504;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int>(i * 104729 % 997) - 498;
  for (int64 k = 0; k < p.tile_k; ++k)
    for (int64 n = 0; n < p.tile_n; ++n)
      for (int64 m = 0; m < p.tile_m; ++m) want[m + p.tile_m * n] += a[m + p.tile_m * k] * b[n + p.tile_n * k];
  return {written(p, multiplied(p, in_registers(p, operand::a, a), in_registers(p, operand::b, b))), want};
}

}  // namespace colex::gpu::emulation
