// Where scale factors lie once they are packed for a kernel's stages. The kernel that packs them is in factors.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/plan.hpp"

namespace colex::gpu {

// Chunks of 128 rows by 4 factors, tile by tile along K, then rows, then batches. The four factors of a row are a word. Words
// of rows 32 apart are neighbours: 16 bytes are one lane's of tensor memory, and words of eight rows have no bank conflict.
inline constexpr int64 factor_rows = 128, factor_chunk_bytes = 512;
inline constexpr layout factor_chunk = make_layout({4, 4, 32}, {128, 32, 1});  // byte to (row, k)
inline constexpr layout factor_word = make_layout({32, 4}, {16, 4});           // row to the first byte of its word

// Words of a row in a stage, and bytes of a stage's factors of one operand.
constexpr int64 factor_words(plan const& p) { return p.scale.block == 0 ? 0 : p.tile_k / p.scale.block / 4; }
constexpr int64 factor_bytes(plan const& p, int64 rows) { return factor_words(p) * rows * 4; }

struct factor_coordinate {
  int64 row, k, batch;
};
COLEX_HD constexpr factor_coordinate factor_at(int64 words, int64 row_tiles, int64 k_tiles, int64 byte) {
  constexpr layout chunk = factor_chunk;
  int64 const in_chunk = chunk.unchecked(byte % factor_chunk_bytes), at = byte / factor_chunk_bytes, tile = at / words;
  int64 const row = tile / k_tiles % row_tiles * factor_rows + in_chunk % factor_rows;
  return {row, (tile % k_tiles * words + at % words) * 4 + in_chunk / factor_rows, tile / k_tiles / row_tiles};
}

}  // namespace colex::gpu
