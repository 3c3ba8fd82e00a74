// The plans of sm80, and sm90's f64: mma.sync with cp.async. They are so many that the kernels of other chips should not read
// them. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/warp_tables.hpp"

namespace colex::gpu {

// For chips with much shared memory; for those with little (elsewhere two blocks an SM); for small products.
constexpr warp_shape wide(int64 k) { return {128, 256, k, 2, 4, 3}; }
constexpr warp_shape square(int64 k) { return {128, 128, k / 2, 2, 2, 4}; }
constexpr warp_shape small(int64 k) { return {64, 64, k, 2, 2, 5}; }
// For rows that begin at multiples of 4 bytes: cp.async brings 4 at a time.
constexpr warp_shape square_words(int64 k) { return {128, 128, k / 2, 2, 2, 4, false, false, 4}; }
constexpr warp_shape small_words(int64 k) { return in_three_blocks({64, 64, k, 2, 2, 4, false, false, 4}); }
constexpr warp_shape flat_words(int64 k) { return in_three_blocks({16, 128, k, 1, 4, 3, false, false, 4}); }
constexpr warp_shape little_words(int64 k, int stages) { return {32, 32, k, 2, 2, stages, false, false, 4, 128}; }
// With eight warps, for a long K.
inline constexpr warp_shape busy_words{64, 64, 64, 2, 4, 5, false, false, 4, 128},
    tall_words{128, 64, 64, 2, 4, 4, false, false, 4}, large_words{128, 128, 32, 2, 4, 3, false, false, 4};
inline constexpr warp_shape low_words = in_three_blocks({32, 64, 32, 2, 2, 4, false, false, 4});
// The same of 8 bytes.
constexpr warp_shape doubled(warp_shape s) { return s.alignment = 8, s; }
constexpr warp_shape broad_doubled(int64 k) { return {64, 128, k, 2, 4, 4, false, false, 8}; }
inline constexpr warp_shape low_doubled = in_three_blocks({32, 64, 32, 2, 2, 4, false, false, 8});
// Bytes, the first along M or N. Rows of the last two begin at multiples of 8 bytes: many warps for long tiles, many blocks for
// small products.
inline constexpr warp_shape low_bytes{32, 64, 128, 2, 2, 5}, many_bytes{64, 64, 64, 2, 4, 6, false, false, 8, 128},
    little_bytes{32, 32, 128, 2, 2, 4, false, false, 8, 128};

constexpr plan sm80_plan(element x, warp_shape const& s, major a = major::k, major b = major::k) {
  switch (x) {
    case element::f16: return warp_plan(80, x, x, element::f32, "SM80_16x8x16_F32F16F16F32_TN", s, a, b);
    case element::bf16: return warp_plan(80, x, x, element::f32, "SM80_16x8x16_F32BF16BF16F32_TN", s, a, b);
    case element::tf32: return warp_plan(80, x, x, element::f32, "SM80_16x8x8_F32TF32TF32F32_TN", s, a, b);
    case element::s8: return warp_plan(80, x, x, element::s32, "SM80_16x8x32_S32S8S8S32_TN", s, a, b);
    default: return warp_plan(80, x, x, element::f64, "SM80_8x8x4_F64F64F64F64_TN", s);
  }
}
// Tiles of few sums have registers for the fragments of 8 elements of K. With narrow copies that gains nothing.
constexpr plan sm90_f64(warp_shape const& s, major a = major::k, major b = major::k) {
  std::string_view const atom =
      s.m * s.n <= 64 * 64 && s.alignment == 16 ? "SM90_16x8x8_F64F64F64F64_TN" : "SM90_16x8x4_F64F64F64F64_TN";
  return warp_plan(90, element::f64, element::f64, element::f64, atom, s, a, b);
}
// The last two copy each element by itself, so that rows begin anywhere.
inline constexpr warp_shape wide_f64{128, 128, 16, 4, 2, 4}, half_f64{64, 128, 16, 2, 2, 4}, large_f64{96, 96, 16, 2, 2, 4},
    low_f64 = in_three_blocks({32, 64, 16, 2, 2, 5}), broad_f64 = in_three_blocks({32, 96, 16, 2, 2, 4}),
    square_f64{64, 64, 16, 2, 2, 4}, small_f64 = in_three_blocks({32, 32, 32, 2, 2, 4}), flat_f64{16, 32, 32, 1, 2, 5},
    unaligned_f64{64, 64, 16, 2, 2, 4, false, false, 8}, flat_unaligned_f64{16, 64, 32, 1, 4, 4, false, false, 8};
inline constexpr std::array sm80_plans{
    sm80_plan(element::f16, wide(64)),
    sm80_plan(element::f16, square(64)),
    sm80_plan(element::f16, small(64)),
    sm80_plan(element::f16, wide(64), major::k, major::mn),
    sm80_plan(element::f16, wide(64), major::mn, major::k),
    sm80_plan(element::f16, wide(64), major::mn, major::mn),
    sm80_plan(element::bf16, wide(64)),
    sm80_plan(element::bf16, square(64)),
    sm80_plan(element::bf16, small(64)),
    sm80_plan(element::bf16, wide(64), major::k, major::mn),
    sm80_plan(element::bf16, wide(64), major::mn, major::k),
    sm80_plan(element::bf16, wide(64), major::mn, major::mn),
    sm80_plan(element::tf32, wide(32)),
    sm80_plan(element::tf32, square(32)),
    sm80_plan(element::tf32, small(32)),
    sm80_plan(element::s8, wide(128)),
    sm80_plan(element::s8, square(128)),
    sm80_plan(element::s8, small(128)),
    sm80_plan(element::f16, unaligned(64)),
    sm80_plan(element::f16, unaligned(64), major::k, major::mn),
    sm80_plan(element::f16, unaligned(64), major::mn, major::mn),
    sm80_plan(element::f16, unaligned_flat(64)),
    sm80_plan(element::f16, unaligned_flat(64), major::k, major::mn),
    sm80_plan(element::f16, unaligned_flat(64), major::mn, major::k),
    sm80_plan(element::f16, unaligned_flat(64), major::mn, major::mn),
    sm80_plan(element::bf16, unaligned_flat(64)),
    sm80_plan(element::bf16, unaligned_flat(64), major::k, major::mn),
    sm80_plan(element::bf16, unaligned_flat(64), major::mn, major::k),
    sm80_plan(element::bf16, unaligned_flat(64), major::mn, major::mn),
    sm80_plan(element::bf16, unaligned(64)),
    sm80_plan(element::bf16, unaligned(64), major::k, major::mn),
    sm80_plan(element::bf16, unaligned(64), major::mn, major::mn),
    sm80_plan(element::bf16, square_words(64), major::k, major::k),
    sm80_plan(element::bf16, square_words(64), major::k, major::mn),
    sm80_plan(element::bf16, small_words(64), major::k, major::k),
    sm80_plan(element::bf16, small_words(64), major::k, major::mn),
    sm80_plan(element::bf16, small_words(64), major::mn, major::mn),
    sm80_plan(element::bf16, flat_words(64), major::k, major::k),
    sm80_plan(element::bf16, flat_words(64), major::k, major::mn),
    sm80_plan(element::f16, square_words(64), major::k, major::k),
    sm80_plan(element::f16, square_words(64), major::k, major::mn),
    sm80_plan(element::f16, small_words(64), major::k, major::k),
    sm80_plan(element::f16, small_words(64), major::k, major::mn),
    sm80_plan(element::f16, small_words(64), major::mn, major::mn),
    sm80_plan(element::f16, flat_words(64), major::k, major::k),
    sm80_plan(element::f16, flat_words(64), major::k, major::mn),
    sm80_plan(element::tf32, small(32), major::mn, major::mn),
    sm80_plan(element::tf32, {32, 64, 32, 2, 2, 5}, major::mn, major::mn),
    sm80_plan(element::tf32, small_words(32)),
    sm80_plan(element::tf32, flat_words(32)),
    sm80_plan(element::tf32, low_doubled),
    sm80_plan(element::tf32, low_doubled, major::k, major::mn),
    sm80_plan(element::tf32, low_doubled, major::mn, major::k),
    sm80_plan(element::tf32, low_doubled, major::mn, major::mn),
    sm80_plan(element::bf16, little_words(64, 4)),
    sm80_plan(element::bf16, little_words(64, 4), major::k, major::mn),
    sm80_plan(element::bf16, little_words(64, 4), major::mn, major::mn),
    sm80_plan(element::bf16, little_unaligned),
    sm80_plan(element::bf16, little_unaligned, major::k, major::mn),
    sm80_plan(element::bf16, little_unaligned, major::mn, major::mn),
    sm80_plan(element::bf16, broad_doubled(64)),
    sm80_plan(element::bf16, broad_doubled(64), major::k, major::mn),
    sm80_plan(element::bf16, broad_doubled(64), major::mn, major::mn),
    sm80_plan(element::bf16, busy_words, major::k, major::mn),
    sm80_plan(element::bf16, tall_words, major::mn, major::mn),
    sm80_plan(element::f16, little_words(64, 4)),
    sm80_plan(element::f16, little_words(64, 4), major::k, major::mn),
    sm80_plan(element::f16, little_words(64, 4), major::mn, major::mn),
    sm80_plan(element::f16, little_unaligned),
    sm80_plan(element::f16, little_unaligned, major::k, major::mn),
    sm80_plan(element::f16, little_unaligned, major::mn, major::mn),
    sm80_plan(element::f16, broad_doubled(64)),
    sm80_plan(element::f16, broad_doubled(64), major::k, major::mn),
    sm80_plan(element::f16, broad_doubled(64), major::mn, major::mn),
    sm80_plan(element::f16, busy_words, major::k, major::mn),
    sm80_plan(element::f16, tall_words, major::mn, major::mn),
    sm80_plan(element::tf32, little_words(32, 5)),
    sm80_plan(element::tf32, little_words(32, 5), major::k, major::mn),
    sm80_plan(element::tf32, little_words(32, 5), major::mn, major::mn),
    sm80_plan(element::tf32, low_words),
    sm80_plan(element::tf32, large_words),
    sm80_plan(element::tf32, broad_doubled(32), major::mn, major::mn),
    sm80_plan(element::s8, small(128), major::k, major::mn),
    sm80_plan(element::s8, small(128), major::mn, major::k),
    sm80_plan(element::s8, small(128), major::mn, major::mn),
    sm80_plan(element::s8, low_bytes, major::mn, major::mn),
    sm80_plan(element::s8, doubled(small_words(128)), major::k, major::mn),
    sm80_plan(element::s8, doubled(small_words(128)), major::mn, major::k),
    sm80_plan(element::s8, doubled(small_words(128)), major::mn, major::mn),
    sm80_plan(element::s8, little_bytes, major::k, major::mn),
    sm80_plan(element::s8, little_bytes, major::mn, major::k),
    sm80_plan(element::s8, little_bytes, major::mn, major::mn),
    sm80_plan(element::s8, many_bytes, major::k, major::mn),
    sm80_plan(element::s8, many_bytes, major::mn, major::k),
    sm80_plan(element::s8, many_bytes, major::mn, major::mn),
    sm80_plan(element::s8, unaligned(128)),
    sm80_plan(element::s8, unaligned_flat(128)),
    sm80_plan(element::s8, doubled(small_words(128))),
    sm80_plan(element::s8, doubled(flat_words(128))),
    sm80_plan(element::s8, little_bytes),
    sm80_plan(element::s8, many_bytes),
    sm80_plan(element::f64, {64, 128, 16, 2, 2, 4}),
    sm80_plan(element::f64, {64, 64, 16, 2, 2, 4}),
    sm90_f64(wide_f64),
    sm90_f64(half_f64),
    sm90_f64(square_f64),
    sm90_f64(low_f64),
    sm90_f64(broad_f64),
    sm90_f64(small_f64),
    sm90_f64(flat_unaligned_f64),
    sm90_f64(unaligned_f64),
    sm90_f64(flat_f64),
    sm90_f64({64, 96, 16, 2, 2, 4}),
    sm90_f64(large_f64),
    sm90_f64(wide_f64, major::k, major::mn),
    sm90_f64(half_f64, major::k, major::mn),
    sm90_f64(large_f64, major::k, major::mn),
    sm90_f64(square_f64, major::k, major::mn),
    sm90_f64(low_f64, major::k, major::mn),
    sm90_f64(broad_f64, major::k, major::mn),
    sm90_f64(small_f64, major::k, major::mn),
    sm90_f64(flat_f64, major::k, major::mn),
    sm90_f64(flat_unaligned_f64, major::k, major::mn),
    sm90_f64(unaligned_f64, major::k, major::mn),
    sm90_f64(wide_f64, major::mn, major::k),
    sm90_f64(half_f64, major::mn, major::k),
    sm90_f64(large_f64, major::mn, major::k),
    sm90_f64(square_f64, major::mn, major::k),
    sm90_f64(low_f64, major::mn, major::k),
    sm90_f64(broad_f64, major::mn, major::k),
    sm90_f64(small_f64, major::mn, major::k),
    sm90_f64(flat_f64, major::mn, major::k),
    sm90_f64(flat_unaligned_f64, major::mn, major::k),
    sm90_f64(unaligned_f64, major::mn, major::k),
    sm90_f64(wide_f64, major::mn, major::mn),
    sm90_f64(half_f64, major::mn, major::mn),
    sm90_f64(large_f64, major::mn, major::mn),
    sm90_f64(square_f64, major::mn, major::mn),
    sm90_f64(low_f64, major::mn, major::mn),
    sm90_f64(broad_f64, major::mn, major::mn),
    sm90_f64(small_f64, major::mn, major::mn),
    sm90_f64(flat_f64, major::mn, major::mn),
    sm90_f64(flat_unaligned_f64, major::mn, major::mn),
    sm90_f64(unaligned_f64, major::mn, major::mn),
};

}  // namespace colex::gpu
