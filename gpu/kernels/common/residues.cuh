// Residues on the device: of sums, as bytes, and where they lie. Their arithmetic is plans/residues.hpp's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"
#include "gpu/plans/residues.hpp"

namespace colex::gpu {

// What reduces the sums of a batch. Not from constant memory: a module that has any costs each launch of its kernels 0.3 us.
__device__ inline residues::modulus modulus_on_device(problem const& p, int batch) {
  residues::modulus m{};
  m.p = __ldg(p.moduli + 1 + p.first_modulus + batch);
  m.quotient = __double2int_rn(0x1p38 / m.p);
  return m;
}

// The low bytes of four integers; a byte as a number.
__device__ inline std::uint32_t bytes_of(int a, int b, int c, int d) {
  return __byte_perm(__byte_perm(a, b, 0x0040), __byte_perm(c, d, 0x0040), 0x5410);
}
__device__ inline int signed_byte(std::uint32_t word, int i) {
  int r;  // the byte, and its sign in all others
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(word), "r"(0x8880 + 0x1111 * i));
  return r;
}
// An integer as a double, without the unit that converts, which is slow.
__device__ inline double small_integer(int x) {
  return __hiloint2double(0x43300000, x ^ static_cast<int>(0x80000000)) - (0x1p52 + 0x1p31);
}

}  // namespace colex::gpu
