// How the kernels of this folder deal a tile to their threads. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colex/tensor.hpp>

// (lane, unit) to a tile's values: a warp takes `at_once` rows and columns in one access, its lanes along the second mode
// first, and unit after unit covers the tile.
constexpr colex::gpu::layout warp_shares(colex::gpu::layout const& tile, colex::gpu::tiler const& at_once) {
  colex::gpu::layout const divided = zipped_divide(tile, at_once);
  return make_layout(select(get(divided, 0), 1, 0), get(divided, 1));
}
