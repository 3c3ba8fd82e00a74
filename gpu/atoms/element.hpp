// The element types that GEMMs take. Widths and names only; conversions are C++'s and CUDA's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/atom.hpp"

#include <array>

namespace colex::gpu {

// tf32 is what the tensor cores make of f32; memory has f32. ue8m0 and ue4m3 are the scale factors of blocks.
enum class element : std::uint8_t { f64, f32, tf32, f16, bf16, e4m3, e5m2, e2m1, s8, s32, ue8m0, ue4m3 };

struct element_name {
  std::string_view name, atom;  // as kernels are named, as named_type (gpu/atoms/atom.hpp) knows it
};
inline constexpr element_name element_names[] = {
    {"f64", "double"},      {"f32", "float"},         {"tf32", "tfloat32_t"},     {"f16", "half_t"},
    {"bf16", "bfloat16_t"}, {"e4m3", "float_e4m3_t"}, {"e5m2", "float_e5m2_t"},   {"e2m1", "float_e2m1_t"},
    {"s8", "int8_t"},       {"s32", "int32_t"},       {"ue8m0", "float_ue8m0_t"}, {"ue4m3", "float_ue4m3_t"},
};
constexpr std::string_view name_of(element e) { return element_names[static_cast<int>(e)].name; }
// Looked up by name once, not with each call.
inline constexpr auto element_bits = [] {
  std::array<int, std::size(element_names)> r{};
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<int>(bits_of(element_names[i].atom));
  return r;
}();
constexpr int bits_of(element e) { return element_bits[static_cast<std::size_t>(e)]; }
constexpr bool is_integer(element e) { return e == element::s8 || e == element::s32; }
constexpr bool is_fp8(element e) { return e == element::e4m3 || e == element::e5m2; }
constexpr bool is_half(element e) { return e == element::f16 || e == element::bf16; }
// Does some kernel multiply a by b into d? Four bits come with scale factors alone.
constexpr bool multiplies(element a, element b, element d, bool scaled) {
  if (scaled && a == element::e2m1 && b == element::e2m1) return d == element::f32 || is_half(d);
  if (is_fp8(a) && is_fp8(b)) return d == element::f32 || is_half(d) || is_fp8(d);
  if (a != b || scaled) return false;
  if (is_half(a)) return d == element::f32 || is_half(d);
  if (a == element::s8) return d == element::s32 || d == element::s8 || d == element::f32;
  return (a == element::f64 || a == element::f32) && d == a;
}

}  // namespace colex::gpu
