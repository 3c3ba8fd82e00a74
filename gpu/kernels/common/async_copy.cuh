// cp.async: copies from global to shared memory that no register holds. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace colex::gpu {

// 16 bytes from global to shared memory, past L1; 8 and 4 go through it.
template <int Bytes>
__device__ __forceinline__ void copy_async(std::uint32_t to, char const* from) {
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Bytes) : "memory");
}
// The same if `wanted`, by a predicate: no branch.
template <int Bytes>
__device__ __forceinline__ void copy_async_if(bool wanted, std::uint32_t to, char const* from) {
  auto const is = static_cast<int>(wanted);
  if constexpr (Bytes == 16)
    asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.cg.shared.global.L2::128B [%0], [%1], 16;}" ::"r"(to),
                 "l"(from), "r"(is)
                 : "memory");
  else
    asm volatile("{.reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global.L2::128B [%0], [%1], %3;}" ::"r"(to),
                 "l"(from), "r"(is), "n"(Bytes)
                 : "memory");
}
// The same; bytes behind the first `inside` are not read but zero.
template <int Bytes>
__device__ __forceinline__ void copy_async(std::uint32_t to, char const* from, int inside) {
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside) : "memory");
  else
    asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(Bytes), "r"(inside)
                 : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace colex::gpu
