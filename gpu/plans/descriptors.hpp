// Descriptors in bits: of matrices in shared memory, of tcgen05.mma, and the extents of TMA boxes. Encodes only; the tests
// decode by themselves (PTX ISA, "tcgen05 Shared Memory Descriptor", "tcgen05 Instruction Descriptor").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/plan.hpp"

namespace colex::gpu {

// A TMA box as its tensor map has it. The unit of a row is an element, or the byte of two 4-bit elements.
struct tensor_box {
  int64 run, rows, elements;  // elements of a unit
};
constexpr tensor_box box_of(plan const& p, layout const& boxes) {
  int64 const elements = bits_of(p.a) < 8 ? 8 / bits_of(p.a) : 1, run = row_elements(p.a);
  return {run / elements, size(boxes, 0) / run, elements};
}

// A matrix in shared memory at an address. stride: bytes between groups of eight 128-byte rows; leading: bytes between 128-byte
// runs along M or N (unused along K: one unit). Bits 46-48 are a constant.
constexpr std::uint64_t matrix_descriptor(int64 address, int64 leading, int64 stride, std::uint64_t swizzle_mode) {
  auto const units = [](int64 n) { return static_cast<std::uint64_t>(n >> 4 & 0x3fff); };
  return units(address) | units(leading) << 16 | units(stride) << 32 | std::uint64_t{1} << 46 | swizzle_mode << 61;
}
inline constexpr std::uint64_t swizzle_none = 0, swizzle_128_bytes = 2;  // the latter in 16-byte units

// An operand whose stage begins at address 0. Kernels add an address in units of 16 bytes.
constexpr std::uint64_t operand_descriptor(composed const& smem, major along, element e) {
  int64 const rows = size(smem.inner, 0), run = row_elements(e);
  if (along == major::k) return matrix_descriptor(0, 16, bytes(e, smem.inner(8)), swizzle_128_bytes);
  int64 const next = rows > run ? bytes(e, smem.inner(run)) : 16;
  return matrix_descriptor(0, next, bytes(e, smem.inner(rows * 8)), swizzle_128_bytes);
}
// Scale factors: 32 rows of 16 bytes in groups of eight.
constexpr std::uint64_t factor_descriptor() { return matrix_descriptor(0, 16, 128, swizzle_none); }

// The kinds of tcgen05.mma.
enum class umma_instruction : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4nvf4 };
constexpr umma_instruction instruction_of(plan const& p) {
  if (p.scale.block > 0) return bits_of(p.a) == 4 ? umma_instruction::mxf4nvf4 : umma_instruction::mxf8f6f4;
  if (p.a == element::tf32) return umma_instruction::tf32;
  if (p.a == element::s8) return umma_instruction::i8;
  return bits_of(p.a) == 8 ? umma_instruction::f8f6f4 : umma_instruction::f16;
}
// The code of a type within its kind.
constexpr std::uint32_t format_of(element e) {
  switch (e) {
    case element::tf32: return 2;
    case element::bf16:
    case element::e5m2:
    case element::s8:
    case element::e2m1: return 1;
    default: return 0;  // f16, e4m3
  }
}
// Types, majorness, M and N of the instruction. With scale factors bits 4-5 and 29-30 say which byte of a word is B's
// and A's.
constexpr std::uint32_t instruction_descriptor(plan const& p) {
  auto const extent = [&](int i) { return static_cast<std::uint32_t>(p.mma.atom.shape_mnk.value[i]); };
  std::uint32_t bits = format_of(p.a) << 7 | format_of(p.b) << 10 | extent(1) / 8 << 17 | extent(0) / 16 << 24;
  if (p.major_a == major::mn) bits |= 1u << 15;
  if (p.major_b == major::mn) bits |= 1u << 16;
  if (p.scale.block > 0) return bits | (p.scale.type == element::ue8m0 ? 1u << 23 : 0);
  return bits | (p.accumulator == element::s32 ? 2u : 1u) << 4;
}
constexpr std::uint32_t with_factors(std::uint32_t descriptor, int byte) {
  return descriptor | static_cast<std::uint32_t>(byte) << 4 | static_cast<std::uint32_t>(byte) << 29;
}

}  // namespace colex::gpu
