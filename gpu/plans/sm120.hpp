// The plans of sm120: mma.sync with block scaling. All else that this chip runs are plans of older chips.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/warp.hpp"

#include <array>

namespace colex::gpu {

constexpr plan scaled_plan(element x, std::string_view atom, int64 tile_k, int block, element scale) {
  plan p = warp_plan(120, x, x, element::f32, atom, {128, 128, tile_k, 2, 4, 2});
  p.until = 120, p.scale.block = block, p.scale.type = scale;
  p.shared = static_cast<int>(warp_shared_bytes(p));
  return p;
}
inline constexpr std::array sm120_plans{
    scaled_plan(element::e4m3, "SM120_16x8x32_TN_VS<float_e4m3_t,float_e4m3_t,float,float_ue8m0_t,32>", 128, 32,
                element::ue8m0),
    scaled_plan(element::e5m2, "SM120_16x8x32_TN_VS<float_e5m2_t,float_e5m2_t,float,float_ue8m0_t,32>", 128, 32,
                element::ue8m0),
    scaled_plan(element::e2m1, "SM120_16x8x64_TN_VS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,16>", 256, 16,
                element::ue4m3),
};

// Scale factors of a row for one instruction, and the row of a warp's atom that a lane holds the factors of.
constexpr int factors_of_atom(plan const& p) { return static_cast<int>(p.mma.atom.shape_mnk.value[2] / p.scale.block); }
constexpr int factor_row(plan const& p, operand x, int lane) {
  layout const& tv = x == operand::a ? p.mma.atom.sfa : p.mma.atom.sfb;
  return static_cast<int>(tv.unchecked(lane));  // of the first block of K
}
// The row, or column, of the tile where a warp's first atom begins, and the distance of its i-th atom from there.
constexpr int first_row(plan const& p, operand x, int64 index) {
  return static_cast<int>(x == operand::a ? index % p.tile_m : index / p.tile_m);
}
constexpr int row_of_warp(plan const& p, operand x, int warp) {
  return first_row(p, x, fragment_c(p).unchecked(int64{32} * warp));
}
constexpr int row_of_atom(plan const& p, operand x, int i) {
  int64 const values = size(p.mma.atom.c, 1) * (x == operand::a ? 1 : repeats_of(p).m);
  return first_row(p, x, fragment_c(p).unchecked(p.threads * values * i));
}

// The scale factors that a lane gives to an instruction were packed from the rows and blocks of its atom.
constexpr bool factors_flow(plan const& p, operand x, int atoms) {
  for (int warp = 0; warp < p.threads / 32; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < atoms; ++i)
        for (int block = 0; block < repeats_of(p).k; ++block) {
          int const factor = block * factors_of_atom(p),
                    row = row_of_warp(p, x, warp) + row_of_atom(p, x, i) + factor_row(p, x, lane);
          int64 const byte = factor / 4 * factor_chunk_bytes + factor_word(row_of_warp(p, x, warp) + factor_row(p, x, lane)) +
                             factor_word(row_of_atom(p, x, i)) + factor % 4;
          factor_coordinate const packed = factor_at(factor_words(p), 1, 1, byte);
          if (packed.row != row || packed.k != factor) return false;
        }
  return true;
}
constexpr bool plan_factors_flow(plan const& p) {
  bool const whole = p.scale.block > 0 && p.tile_k > 0 && p.tile_k % (4 * p.scale.block) == 0;  // words in a stage
  return whole && p.tile_m == factor_rows && p.tile_n == factor_rows && factors_flow(p, operand::a, repeats_of(p).m) &&
         factors_flow(p, operand::b, repeats_of(p).n);
}

}  // namespace colex::gpu
