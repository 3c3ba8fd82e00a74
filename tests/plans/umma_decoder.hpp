// What the bits of descriptors mean to tcgen05.mma and TMA: read from the PTX ISA ("tcgen05 Shared Memory
// Descriptor", "Instruction Descriptor", "Canonical Layouts", "Block Scaling"), not from what encodes them. Includes
// nothing of gpu/. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace colex::umma {

inline std::uint64_t field(std::uint64_t bits, int from, int count) { return bits >> from & ((std::uint64_t{1} << count) - 1); }

// Rows of 128 bytes whose eight units of 16 bytes are exchanged by the address's own bits 7-9.
inline std::uint32_t swizzled_128(std::uint32_t address) { return address ^ (address >> 7 & 7) << 4; }

// The 64 bits of a matrix in shared memory.
struct matrix_bits {
  std::uint32_t start, leading, stride;  // bytes
  unsigned constant, base_offset, absolute, swizzle;

  explicit matrix_bits(std::uint64_t d)
      : start(static_cast<std::uint32_t>(field(d, 0, 14)) * 16),
        leading(static_cast<std::uint32_t>(field(d, 16, 14)) * 16),
        stride(static_cast<std::uint32_t>(field(d, 32, 14)) * 16),
        constant(static_cast<unsigned>(field(d, 46, 3))),
        base_offset(static_cast<unsigned>(field(d, 49, 3))),
        absolute(static_cast<unsigned>(field(d, 52, 1))),
        swizzle(static_cast<unsigned>(field(d, 61, 3))) {
    if (constant != 1) throw std::runtime_error("bits 46-48 of a matrix descriptor are not 001");
    if (field(d, 14, 2) != 0 || field(d, 30, 2) != 0 || field(d, 53, 8) != 0)
      throw std::runtime_error("reserved bits are not 0");
    if (base_offset != 0 || absolute != 0) throw std::runtime_error("an offset or a mode that nothing here uses");
    if (swizzle != 0 && swizzle != 2) throw std::runtime_error("a swizzle that nothing here uses");
  }

  // Along K: row r, byte b of the instruction's 32 of it. Groups of eight rows are `stride` apart; with a swizzle rows
  // have 128 bytes, without one 16, and then the second 16 bytes of K are `leading` apart.
  std::uint32_t along_k(std::uint32_t row, std::uint32_t byte) const {
    if (swizzle == 0) return start + row / 8 * stride + row % 8 * 16 + byte / 16 * leading + byte % 16;
    return swizzled_128(start + row / 8 * stride + row % 8 * 128 + byte);
  }
  // Along M or N: byte b of the rows, k. 128 bytes of rows lie side by side, the next 128 `leading` apart, eight k
  // `stride`.
  std::uint32_t across_k(std::uint32_t byte, std::uint32_t k) const {
    if (swizzle == 0) throw std::runtime_error("no swizzle across K: nothing here uses it");
    return swizzled_128(start + byte / 128 * leading + byte % 128 + k / 8 * stride + k % 8 * 128);
  }
};

// The 32 bits of an instruction, of the kinds without scale factors and with them.
struct instruction_bits {
  unsigned m, n, a, b, sum;
  bool across_a, across_b;
  unsigned scale, byte_a, byte_b;  // of the kinds with scale factors

  instruction_bits(std::uint32_t d, bool scaled)
      : m(static_cast<unsigned>(field(d, 24, 5)) * 16),
        n(static_cast<unsigned>(field(d, 17, 6)) * 8),
        a(static_cast<unsigned>(field(d, 7, 3))),
        b(static_cast<unsigned>(field(d, 10, 3))),
        sum(static_cast<unsigned>(field(d, 4, 2))),
        across_a(field(d, 15, 1)),
        across_b(field(d, 16, 1)),
        scale(static_cast<unsigned>(field(d, 23, 1))),
        byte_a(static_cast<unsigned>(field(d, 29, 2))),
        byte_b(static_cast<unsigned>(field(d, 4, 2))) {
    if (field(d, 0, 4) != 0) throw std::runtime_error("sparse or saturating");
    if (field(d, 13, 2) != 0 || field(d, 6, 1) != 0 || field(d, 31, 1) != 0)
      throw std::runtime_error("negated, or reserved bits");
    if (!scaled && (field(d, 23, 1) != 0 || field(d, 29, 3) != 0)) throw std::runtime_error("reserved bits are not 0");
  }
};

// A floating type of so many bits of exponent and fraction: sign, exponent, fraction.
inline double minifloat(std::uint32_t code, int exponent_bits, int fraction_bits, int bias, bool is_signed = true) {
  auto const fraction = static_cast<double>(field(code, 0, fraction_bits));
  auto const exponent = static_cast<int>(field(code, fraction_bits, exponent_bits));
  double const one = std::ldexp(1.0, fraction_bits);
  double const v = exponent == 0 ? std::ldexp(fraction / one, 1 - bias) : std::ldexp(1 + fraction / one, exponent - bias);
  return is_signed && field(code, fraction_bits + exponent_bits, 1) ? -v : v;
}

// The types of elements, with the numbers they have in an instruction of their kind.
struct number {
  int bits;
  double (*value)(std::uint32_t code);
};
inline number const f16{16, [](std::uint32_t c) { return minifloat(c, 5, 10, 15); }};
inline number const bf16{16, [](std::uint32_t c) { return minifloat(c, 8, 7, 127); }};
inline number const tf32{32, [](std::uint32_t c) { return minifloat(c >> 13, 8, 10, 127); }};  // the low bits are not read
inline number const e4m3{8, [](std::uint32_t c) { return minifloat(c, 4, 3, 7); }};
inline number const e5m2{8, [](std::uint32_t c) { return minifloat(c, 5, 2, 15); }};
inline number const e2m1{4, [](std::uint32_t c) { return minifloat(c, 2, 1, 1); }};
inline number const s8{8, [](std::uint32_t c) { return static_cast<double>(static_cast<std::int8_t>(c)); }};
inline number const ue8m0{8, [](std::uint32_t c) { return std::ldexp(1.0, static_cast<int>(c) - 127); }};
inline number const ue4m3{8, [](std::uint32_t c) { return minifloat(c, 4, 3, 7, false); }};

}  // namespace colex::umma
