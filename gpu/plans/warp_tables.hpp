// The plans of mma.sync kernels that are compiled with the library, a table for each family of chips: sm70, sm75 and sm89.
// (sm80.hpp and sm120.hpp have the others'.) SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/warp.hpp"

#include <array>

namespace colex::gpu {

inline constexpr int three_blocks = 168;  // registers of a thread, with three blocks of 128 threads on an SM
constexpr warp_shape in_three_blocks(warp_shape s) {
  s.registers = three_blocks;
  return s;
}

// For rows that begin anywhere: threads hold a stage in registers. The flat one is for few rows or columns, the little one for
// small products.
constexpr warp_shape unaligned(int64 k) { return in_three_blocks({64, 64, k, 2, 2, 2, false, true}); }
constexpr warp_shape unaligned_flat(int64 k) { return in_three_blocks({16, 128, k, 1, 4, 2, false, true}); }
inline constexpr warp_shape little_unaligned{32, 32, 64, 2, 2, 2, false, true, 16, 128};

constexpr plan sm89_plan(std::string_view atom, element a, element b, warp_shape const& s) {
  return warp_plan(89, a, b, element::f32, atom, s);
}
inline constexpr element e4 = element::e4m3, e5 = element::e5m2;
inline constexpr warp_shape square_8{128, 128, 64, 2, 4, 4}, two_level_8{128, 64, 128, 4, 2, 3, true},
    unaligned_8 = in_three_blocks({16, 128, 128, 1, 4, 2, true, true});
inline constexpr std::array sm89_plans{
    sm89_plan("SM89_16x8x32_F32E4M3E4M3F32_TN", e4, e4, square_8),
    sm89_plan("SM89_16x8x32_F32E4M3E4M3F32_TN", e4, e4, two_level_8),
    sm89_plan("SM89_16x8x32_F32E4M3E4M3F32_TN", e4, e4, unaligned_8),
    sm89_plan("SM89_16x8x32_F32E4M3E4M3F32_TN", e4, e4, unaligned_flat(128)),
    sm89_plan("SM89_16x8x32_F32E4M3E5M2F32_TN", e4, e5, square_8),
    sm89_plan("SM89_16x8x32_F32E4M3E5M2F32_TN", e4, e5, two_level_8),
    sm89_plan("SM89_16x8x32_F32E5M2E4M3F32_TN", e5, e4, square_8),
    sm89_plan("SM89_16x8x32_F32E5M2E4M3F32_TN", e5, e4, two_level_8),
    sm89_plan("SM89_16x8x32_F32E5M2E5M2F32_TN", e5, e5, square_8),
    sm89_plan("SM89_16x8x32_F32E5M2E5M2F32_TN", e5, e5, two_level_8),
};

inline constexpr std::array sm75_plans{
    warp_plan(75, element::f16, element::f16, element::f32, "SM75_16x8x8_F32F16F16F32_TN", {128, 128, 32, 2, 4, 2}),
    warp_plan(75, element::f16, element::f16, element::f32, "SM75_16x8x8_F32F16F16F32_TN", {64, 64, 32, 2, 2, 2}),
    warp_plan(75, element::s8, element::s8, element::s32, "SM75_8x8x16_S32S8S8S32_TN", {128, 128, 64, 2, 4, 2}),
    warp_plan(75, element::s8, element::s8, element::s32, "SM75_8x8x16_S32S8S8S32_TN", {64, 64, 64, 2, 2, 2}),
};

inline constexpr std::array sm70_plans{
    warp_plan(70, element::f16, element::f16, element::f32, "SM70_8x8x4_F32F16F16F32_TN", {128, 128, 32, 2, 4, 2}),
    warp_plan(70, element::f16, element::f16, element::f32, "SM70_8x8x4_F32F16F16F32_TN", {64, 64, 32, 2, 2, 2}),
};

}  // namespace colex::gpu
