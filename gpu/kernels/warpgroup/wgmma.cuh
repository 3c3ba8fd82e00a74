// wgmma: D (64 x N, in registers) += A B, of operands in shared memory, named by matrix descriptors; one form has A in
// registers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/element.hpp"

namespace colex::gpu {

// Orders this thread's accesses to registers before the next wgmma.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until all but the last `Left` groups are complete.
template <int Left>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}
// Keeps the compiler from reading a sum before wgmma_wait.
__device__ inline void after_wgmma(float& sum) { asm volatile("" : "+f"(sum)); }
__device__ inline void after_wgmma(std::int32_t& sum) { asm volatile("" : "+r"(sum)); }
// The text of an asm statement cannot be computed. So here are the numbers of its operands, eight at a time (COLEX_T...), and
// the registers for them (COLEX_R8), put together for each N (COLEX_TEXT..., COLEX_LIST...).
#define COLEX_T0 "%0,%1,%2,%3,%4,%5,%6,%7"
#define COLEX_T8 "%8,%9,%10,%11,%12,%13,%14,%15"
#define COLEX_T16 "%16,%17,%18,%19,%20,%21,%22,%23"
#define COLEX_T24 "%24,%25,%26,%27,%28,%29,%30,%31"
#define COLEX_T32 "%32,%33,%34,%35,%36,%37,%38,%39"
#define COLEX_T40 "%40,%41,%42,%43,%44,%45,%46,%47"
#define COLEX_T48 "%48,%49,%50,%51,%52,%53,%54,%55"
#define COLEX_T56 "%56,%57,%58,%59,%60,%61,%62,%63"
#define COLEX_T64 "%64,%65,%66,%67,%68,%69,%70,%71"
#define COLEX_T72 "%72,%73,%74,%75,%76,%77,%78,%79"
#define COLEX_T80 "%80,%81,%82,%83,%84,%85,%86,%87"
#define COLEX_T88 "%88,%89,%90,%91,%92,%93,%94,%95"
#define COLEX_T96 "%96,%97,%98,%99,%100,%101,%102,%103"
#define COLEX_T104 "%104,%105,%106,%107,%108,%109,%110,%111"
#define COLEX_T112 "%112,%113,%114,%115,%116,%117,%118,%119"
#define COLEX_T120 "%120,%121,%122,%123,%124,%125,%126,%127"
#define COLEX_R8(c, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])

#define COLEX_TEXT16 COLEX_T0
#define COLEX_TEXT32 COLEX_TEXT16 "," COLEX_T8
#define COLEX_TEXT48 COLEX_TEXT32 "," COLEX_T16
#define COLEX_TEXT64 COLEX_TEXT48 "," COLEX_T24
#define COLEX_TEXT80 COLEX_TEXT64 "," COLEX_T32
#define COLEX_TEXT96 COLEX_TEXT80 "," COLEX_T40
#define COLEX_TEXT112 COLEX_TEXT96 "," COLEX_T48
#define COLEX_TEXT128 COLEX_TEXT112 "," COLEX_T56
#define COLEX_TEXT144 COLEX_TEXT128 "," COLEX_T64
#define COLEX_TEXT160 COLEX_TEXT144 "," COLEX_T72
#define COLEX_TEXT176 COLEX_TEXT160 "," COLEX_T80
#define COLEX_TEXT192 COLEX_TEXT176 "," COLEX_T88
#define COLEX_TEXT208 COLEX_TEXT192 "," COLEX_T96
#define COLEX_TEXT224 COLEX_TEXT208 "," COLEX_T104
#define COLEX_TEXT240 COLEX_TEXT224 "," COLEX_T112
#define COLEX_TEXT256 COLEX_TEXT240 "," COLEX_T120
#define COLEX_LIST16(c) COLEX_R8(c, 0)
#define COLEX_LIST32(c) COLEX_LIST16(c), COLEX_R8(c, 8)
#define COLEX_LIST48(c) COLEX_LIST32(c), COLEX_R8(c, 16)
#define COLEX_LIST64(c) COLEX_LIST48(c), COLEX_R8(c, 24)
#define COLEX_LIST80(c) COLEX_LIST64(c), COLEX_R8(c, 32)
#define COLEX_LIST96(c) COLEX_LIST80(c), COLEX_R8(c, 40)
#define COLEX_LIST112(c) COLEX_LIST96(c), COLEX_R8(c, 48)
#define COLEX_LIST128(c) COLEX_LIST112(c), COLEX_R8(c, 56)
#define COLEX_LIST144(c) COLEX_LIST128(c), COLEX_R8(c, 64)
#define COLEX_LIST160(c) COLEX_LIST144(c), COLEX_R8(c, 72)
#define COLEX_LIST176(c) COLEX_LIST160(c), COLEX_R8(c, 80)
#define COLEX_LIST192(c) COLEX_LIST176(c), COLEX_R8(c, 88)
#define COLEX_LIST208(c) COLEX_LIST192(c), COLEX_R8(c, 96)
#define COLEX_LIST224(c) COLEX_LIST208(c), COLEX_R8(c, 104)
#define COLEX_LIST240(c) COLEX_LIST224(c), COLEX_R8(c, 112)
#define COLEX_LIST256(c) COLEX_LIST240(c), COLEX_R8(c, 120)

// wgmma of N columns. a: A's operand; b, keep: the numbers of the operands behind D's registers; types: PTX's K and types;
// rest: PTX's immediates of these types; behind them the operands but D's.
#define COLEX_WGMMA(N, a, b, keep, constraint, types, rest, ...)                                                   \
  asm volatile("{\n.reg .pred keep;\nsetp.ne.b32 keep, %" #keep ", 0;\nwgmma.mma_async.sync.aligned.m64n" #N types \
               " {" COLEX_TEXT##N "}, " a ", %" #b ", keep" rest ";\n}"                                            \
               : COLEX_LIST##N(constraint)                                                                         \
               : __VA_ARGS__)
#define COLEX_WGMMA_SHARED(N, a, b, keep, constraint, types, rest, ...) \
  COLEX_WGMMA(N, "%" #a, b, keep, constraint, types, rest, "l"(from_a), "l"(from_b), "r"(keeps)__VA_ARGS__)

// D = A B, plus D if `keeps`. from_a, from_b: descriptors; RowsA, RowsB: the operand is contiguous along its rows (MN-major),
// which only 16-bit elements may be. Or a: 64 x 8 of A, tf32, in registers: element i of a thread is the one at
// fragment_coordinate.
template <int N, element A, element B, bool RowsA, bool RowsB, class Sum>
struct wgmma_of;
template <element A, element B, bool RowsA, bool RowsB, int R, class Sum>
__device__ inline void wgmma(Sum (&d)[R], std::uint64_t from_a, std::uint64_t from_b, int keeps) {
  wgmma_of<2 * R, A, B, RowsA, RowsB, Sum>::run(d, from_a, from_b, keeps);
}
template <int R>
__device__ inline void wgmma(float (&d)[R], std::uint32_t const (&a)[4], std::uint64_t from_b, int keeps) {
  wgmma_of<2 * R, element::tf32, element::tf32, false, false, float>::run(d, a, from_b, keeps);
}

#define COLEX_WGMMA_OF(N, R, o1, o2, o3, o4, o5)                                                                          \
  template <element A, element B, bool RowsA, bool RowsB, class Sum>                                                      \
  struct wgmma_of<N, A, B, RowsA, RowsB, Sum> {                                                                           \
    __device__ static void run(Sum (&d)[R], std::uint64_t from_a, std::uint64_t from_b, int keeps) {                      \
      using enum element;                                                                                                 \
      constexpr bool rows = RowsA || RowsB;                                                                               \
      static_assert(!rows || A == f16 || A == bf16);                                                                      \
      if constexpr (A == bf16 && B == bf16)                                                                               \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k16.f32.bf16.bf16", ", 1, 1, %" #o3 ", %" #o4, , "n"(RowsA), "n"(RowsB)); \
      else if constexpr (A == f16 && B == f16)                                                                            \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k16.f32.f16.f16", ", 1, 1, %" #o3 ", %" #o4, , "n"(RowsA), "n"(RowsB));   \
      else if constexpr (A == tf32 && B == tf32)                                                                          \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k8.f32.tf32.tf32", ", 1, 1", );                                           \
      else if constexpr (A == e4m3 && B == e4m3)                                                                          \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k32.f32.e4m3.e4m3", ", 1, 1", );                                          \
      else if constexpr (A == e4m3 && B == e5m2)                                                                          \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k32.f32.e4m3.e5m2", ", 1, 1", );                                          \
      else if constexpr (A == e5m2 && B == e4m3)                                                                          \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k32.f32.e5m2.e4m3", ", 1, 1", );                                          \
      else if constexpr (A == e5m2 && B == e5m2)                                                                          \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+f", "k32.f32.e5m2.e5m2", ", 1, 1", );                                          \
      else                                                                                                                \
        COLEX_WGMMA_SHARED(N, R, o1, o2, "+r", "k32.s32.s8.s8", "", );                                                    \
    }                                                                                                                     \
    __device__ static void run(Sum (&d)[R], std::uint32_t const (&a)[4], std::uint64_t from_b, int keeps) {               \
      COLEX_WGMMA(N, "{%" #R ", %" #o1 ", %" #o2 ", %" #o3 "}", o4, o5, "+f", "k8.f32.tf32.tf32", ", 1, 1", "r"(a[0]),    \
                  "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(from_b), "r"(keeps));                                              \
    }                                                                                                                     \
  };
COLEX_WGMMA_OF(16, 8, 9, 10, 11, 12, 13)
COLEX_WGMMA_OF(32, 16, 17, 18, 19, 20, 21)
COLEX_WGMMA_OF(48, 24, 25, 26, 27, 28, 29)
COLEX_WGMMA_OF(64, 32, 33, 34, 35, 36, 37)
COLEX_WGMMA_OF(80, 40, 41, 42, 43, 44, 45)
COLEX_WGMMA_OF(96, 48, 49, 50, 51, 52, 53)
COLEX_WGMMA_OF(112, 56, 57, 58, 59, 60, 61)
COLEX_WGMMA_OF(128, 64, 65, 66, 67, 68, 69)
COLEX_WGMMA_OF(144, 72, 73, 74, 75, 76, 77)
COLEX_WGMMA_OF(160, 80, 81, 82, 83, 84, 85)
COLEX_WGMMA_OF(176, 88, 89, 90, 91, 92, 93)
COLEX_WGMMA_OF(192, 96, 97, 98, 99, 100, 101)
COLEX_WGMMA_OF(208, 104, 105, 106, 107, 108, 109)
COLEX_WGMMA_OF(224, 112, 113, 114, 115, 116, 117)
COLEX_WGMMA_OF(240, 120, 121, 122, 123, 124, 125)
COLEX_WGMMA_OF(256, 128, 129, 130, 131, 132, 133)

}  // namespace colex::gpu
