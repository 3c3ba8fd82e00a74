// An MMA atom, and the fragments of the warp-wide instructions: which elements of a matrix lie in which lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/atom_name.hpp"

namespace colex::ref {

// One instruction as CuTe sees it: (thread, value) -> m + M*k in A, n + N*k in B, m + M*n in C; the scale factors of A and
// B and the metadata of a sparse A likewise, where threads hold them.
struct mma_atom {
  value shape_mnk;
  layout thr_id, a, b, c;
  std::optional<layout> sfa, sfb, e;
};

inline std::vector<layout> without_ones(std::vector<layout> m) {
  std::erase_if(m, [](layout const& leaf) { return leaf.extent == 1; });
  return m;
}

// How many elements of a row a lane holds side by side: those of a register of 32 bits, one if they are wider.
inline int run_of(int bits) { return std::max(1, 32 / bits); }

// Lane 4g + t holds `run` neighbours in row g from column run*t on (PTX ISA, Matrix Fragments for mma).
inline layout quads(int rows, int run) { return layout({{4, run * rows}, {8, 1}}); }
// The values of such a lane: its run, then 8 rows further down, then 4 runs further along the row. `height`: of one warp.
inline std::vector<layout> quad_values(int rows, int columns, int run, int height) {
  return {{run, rows}, {height / 8, 8}, {columns / (4 * run), 4 * run * rows}};
}
inline layout fragment(int rows, int columns, int run) {
  return layout({quads(rows, run), unwrapped(without_ones(quad_values(rows, columns, run, rows)))});
}

}  // namespace colex::ref
