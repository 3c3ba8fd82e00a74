// Copy atoms by formula: for each family of instructions one function of widths and counts, and the grammar of the names that
// are read into it. No list of instructions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atom.hpp"

namespace colex::gpu {

// An instruction that copies. thr_id: which thread a logical thread is; src, dst: (thread, bit it reads or writes) to a bit of what
// is copied, so that equal bits are the same datum; ref: the side that the bits are numbered by. (CuTe Copy_Traits)
struct copy_atom {
  layout thr_id, src, dst, ref;

  COLEX_HD constexpr bool operator==(copy_atom const&) const = default;
};

namespace detail {

// Each thread, or SM, copies its own bits, or all the same ones.
COLEX_HD constexpr copy_atom straight_copy(int64 threads, int64 bits, int64 stride) {
  layout const all = values_of(threads, bits, stride);
  return {make_layout(threads, threads - 1), all, all, all};
}

// 2x2 blocks of 32-bit words transposed between lanes that differ in one bit.
COLEX_HD constexpr copy_atom shuffle_copy(int64 lane) {
  layout const src = values_of(32, 64, 64), threads = modes({{lane, 64}, {2, 32}, {16 / lane, 128 * lane}});
  return {make_layout(32, 1), src, make_layout(threads, make_layout({32, 2}, {1, 64 * lane})), src};
}

// The rows of 128 bits that n matrices of 8 rows take: a thread each, the threads beyond them repeat.
COLEX_HD constexpr layout matrix_rows(int64 n) {
  return make_layout(modes({{8 * n, 128}, {4 / n, 0}}), make_layout(128, 1));
}
// The rows of the transposed 8-bit matrices, 16 each: eight of one half, then of the other, pair by pair.
COLEX_HD constexpr layout byte_matrix_rows(int64 n) {
  return make_layout({{2, 2, 4, 2}, 128}, {{128, 1024, 256, n == 4 ? 2048 : 0}, 1});
}
// The registers of n matrices: thread by thread along the rows, or down columns of `bits` wide elements.
COLEX_HD constexpr layout matrix_registers(int64 n) { return make_layout(make_layout(32, 32), modes({{32, 1}, {n, 1024}})); }
COLEX_HD constexpr layout transposed_registers(int64 n, int64 bits) {
  return make_layout(make_layout({4, 8}, {256, bits}), modes({{bits, 1}, {2, 128}, {16 / bits, 64}, {n, 1024}}));
}


// Tensor memory: `lanes` of it with n times `bits` columns, spread over a warp's registers. 256 and 128 bits as the fragments of a
// tensor core, 64 a quad's pairs, 32 a lane a thread, or for 16 lanes two halves of the columns.
COLEX_HD constexpr layout lane_registers(int64 lanes, int64 bits, int64 n) {
  int64 const row = bits * n;
  if (bits == 32) return make_layout(modes({{lanes, 2 * row * 16 / lanes}, {32 / lanes, row}}), make_layout(row, 1));
  if (bits == 64) return make_layout(make_layout({2, 2, 8}, {8 * row, 32, row}), modes({{32, 1}, {n, 64}}));
  int64 const pair = bits / 4;
  return make_layout(make_layout({4, 8}, {pair, row}), modes({{pair, 1}, {2, 8 * row}, {n, bits}}));
}

}  // namespace detail

}  // namespace colex::gpu
