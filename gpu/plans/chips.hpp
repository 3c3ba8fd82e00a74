// The devices that kernels are compiled for, and what one of them was measured to reach. No GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/element.hpp"

#include <array>
#include <string>
#include <vector>

namespace colex::gpu {

struct device_info {
  int architecture = 0;  // 90 is compute capability 9.0
  int sms = 1;
  double bandwidth = 4.92e12;                    // bytes a second, of its memory as specified; an H200's
  std::int64_t memory = std::int64_t{80} << 30;  // bytes
  // How many clusters of one block, of two, three, ... it holds at once, a block on an SM; an H200's.
  std::array<int, 16> clusters = {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7};
};

// A target of the compiler, a product that has it, and its number of SMs.
struct chip {
  char const *target, *sold_as;
  device_info facts;
};
inline constexpr chip chips[] = {
    {"75", "T4", {75, 40, 0.32e12}},    {"80", "A100", {80, 108, 1.94e12}}, {"86", "A40", {86, 84, 0.7e12}},
    {"87", "Orin", {87, 16, 0.2e12}},   {"89", "L40S", {89, 142, 0.86e12}}, {"90a", "H100 or H200", {90, 132}},
    {"100a", "B200", {100, 148, 8e12}}, {"103a", "B300", {103, 148, 8e12}}, {"120a", "RTX 5090", {120, 170, 1.79e12}},
};

// The types of a product and how it may be accumulated.
struct product_types {
  element a, b, c, d;
  bool tf32 = false, fast = false;
};

// Ceilings of one H200, measured with normally distributed data over a second, in teraoperations and terabytes a second: wgmma
// from shared memory, DMMA, FFMA; a copy within memory.
struct product_kind {
  std::string name;
  product_types of;
  double ceiling;
};
inline constexpr double memory_bandwidth = 4.269;
inline std::vector<product_kind> const product_kinds = {
    {"bf16", {element::bf16, element::bf16, element::bf16, element::bf16}, 862},
    {"f16", {element::f16, element::f16, element::f16, element::f16}, 824},
    {"tf32", {element::f32, element::f32, element::f32, element::f32, true}, 449},
    {"fp8", {element::e4m3, element::e4m3, element::bf16, element::bf16}, 1701},
    {"fp8_fast", {element::e4m3, element::e4m3, element::bf16, element::bf16, false, true}, 1701},
    {"s8", {element::s8, element::s8, element::s32, element::s32}, 1907},
    {"f64", {element::f64, element::f64, element::f64, element::f64}, 66.3},
    {"f32", {element::f32, element::f32, element::f32, element::f32}, 59.1},
};

}  // namespace colex::gpu
