// A GEMM as kernels take it: operands with flat layouts, and the linear combination of every epilogue. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include "gpu/algebra/tensor.hpp"
#include "gpu/kernels/common/cuda_names.hpp"
#include "gpu/plans/plan.hpp"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

#include <span>
#include <type_traits>

namespace colex::gpu {

// An operand: element (row, column, batch) at data[offset(0, row) + offset(1, column) + offset(2, batch)]. Modes are coalesced;
// one of a single element has no leaves.
struct matrix {
  void* data = nullptr;
  element type = element::f32;
  int end[3] = {};  // the leaves of mode i are those from end[i - 1] on
  int64 shape[capacity] = {}, stride[capacity] = {};

  COLEX_HD int begin(int mode) const { return mode == 0 ? 0 : end[mode - 1]; }
  // Has the mode one stride?
  COLEX_HD bool plain(int mode) const { return end[mode] - begin(mode) <= 1; }
  // The stride of a plain mode; 0 where it has one element.
  COLEX_HD int64 step(int mode) const { return begin(mode) == end[mode] ? 0 : stride[begin(mode)]; }
  COLEX_HD int64 offset(int mode, int64 i) const {
    int64 sum = 0;
    int const last = end[mode] - 1;
    COLEX_ROLLED
    for (int k = begin(mode); k < last; ++k) {
      sum += i % shape[k] * stride[k];
      i /= shape[k];
    }
    return last < begin(mode) ? 0 : sum + i * stride[last];
  }
};

// Is mode `along` contiguous, and does each of its rows, in each batch, begin at a multiple of `alignment` bytes?
inline bool lies_in_rows(matrix const& x, int along, int across, int alignment) {
  auto const aligned = [&](int64 step) { return step * bits_of(x.type) % (8 * alignment) == 0; };
  bool const run = x.plain(along) && (x.step(along) == 1 || x.begin(along) == x.end[along]);
  bool const one = x.begin(across) == x.end[across],
             rows = x.plain(across) && (one || (x.step(across) > 0 && aligned(x.step(across))));
  bool const batches = x.plain(2) && x.step(2) >= 0 && aligned(x.step(2));
  return run && rows && batches && reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(alignment) == 0;
}

// m, n, k and batches are at least 1.
struct problem {
  int64 m, n, k, batches;
  matrix a, b, c, d;
  double alpha, beta;
  matrix sfa = {}, sfb = {};  // scale factors over (M, K / block, batch) and (N, K / block, batch), if any
  // More than 1: the kernel splits K, and adds up the splits' sums, or stores each split's as a batch of D.
  int split_k = 1;
  bool stores_splits = false;
  // Emulated products: a kernel stores residues of its sums in pieces (residues.cuh), those of batch i by modulus
  // first_modulus + i. -1: it does not.
  int first_modulus = -1;
  // On the device, the number of moduli that are needed, and then the moduli: where this is not null, the kernels of s8, f32
  // and f64 run only if the number is in these bounds.
  int const* moduli = nullptr;
  int least_moduli = 0, most_moduli = 0;
};

// Is every row of D aligned to 16 bytes and a multiple of 16 bytes, as TMA stores require? Rows of stored splits are padded.
inline bool has_whole_vectors(problem const& p) {
  return lies_in_rows(p.d, 1, 0, 16) && (p.stores_splits || bytes(p.d.type, p.n) % 16 == 0);
}

// The same of its columns.
inline bool has_whole_columns(problem const& p) { return lies_in_rows(p.d, 0, 1, 16) && bytes(p.d.type, p.m) % 16 == 0; }
// Does the plan's kernel store whole columns by TMA? Where D has the type that most of its results have, and C is not read.
inline bool stores_columns(plan_summary const& w, problem const& p) {
  bool const halves = bits_of(w.a) == 16 || is_fp8(w.a), usual = halves ? is_half(p.d.type) : p.d.type == w.accumulator;
  return w.kind == family::warpgroup && usual && p.beta == 0 && (is_integer(w.accumulator) ? p.alpha == 1 : true);
}

COLEX_HD inline tile_order order_of(problem const& p, int64 tile_m, int64 tile_n) {
  return {ceil_div(p.m, tile_m), ceil_div(p.n, tile_n), p.batches};
}

// The type in which alpha sum + beta C is computed, for each type of sums.
template <class Sum>
struct scalar_of {
  using type = Sum;
};
template <>
struct scalar_of<std::int32_t> {
  using type = double;  // holds every s32
};
template <class Sum>
using scalar = typename scalar_of<Sum>::type;

#if defined(__CUDACC__)

// To be asked after the launch that finds the number of moduli.
__device__ inline bool is_wanted(problem const& p) {
  return p.moduli == nullptr || (p.least_moduli <= *p.moduli && *p.moduli <= p.most_moduli);
}

// The C++ type of an element.
template <element E>
struct storage_of {
  using type = float;
};
// clang-format off
template <> struct storage_of<element::f64> { using type = double; };
template <> struct storage_of<element::f16> { using type = __half; };
template <> struct storage_of<element::bf16> { using type = __nv_bfloat16; };
template <> struct storage_of<element::e4m3> { using type = __nv_fp8_e4m3; };
template <> struct storage_of<element::e5m2> { using type = __nv_fp8_e5m2; };
template <> struct storage_of<element::s8> { using type = std::int8_t; };
template <> struct storage_of<element::s32> { using type = std::int32_t; };
// clang-format on
template <element E>
using storage = typename storage_of<E>::type;

constexpr bool any_type(element) { return true; }
constexpr bool but_f64(element e) { return e != element::f64; }
constexpr bool sums_in_f32(element e) { return e != element::f64 && !is_integer(e); }
// f(constant of the type), for types known at run time; f32 for those that Has excludes.
template <bool (*Has)(element), class F>
__device__ __forceinline__ auto visit_type(element type, F f) {
#define COLEX_CASE(E)                                          \
  case element::E:                                             \
    if constexpr (Has(element::E))                             \
      return f(std::integral_constant<element, element::E>{}); \
    else                                                       \
      break;
  switch (type) {
    COLEX_CASE(f64)
    COLEX_CASE(f16)
    COLEX_CASE(bf16)
    COLEX_CASE(e4m3)
    COLEX_CASE(e5m2)
    COLEX_CASE(s8)
    COLEX_CASE(s32)
    default: break;
  }
#undef COLEX_CASE
  return f(std::integral_constant<element, element::f32>{});
}

template <class Scalar, class Element>
__device__ inline Scalar to_scalar(Element x) {
  if constexpr (std::is_arithmetic_v<Element>)
    return static_cast<Scalar>(x);
  else
    return static_cast<Scalar>(static_cast<float>(x));
}
__device__ inline std::int32_t to_integer(double v, double least, double most) {
  return static_cast<std::int32_t>(fmin(fmax(rint(v), least), most));
}
// A result as an element. Integers round to nearest even and saturate.
template <class Element, class Scalar>
__device__ inline Element converted(Scalar v) {
  if constexpr (std::is_same_v<Element, std::int8_t>)
    return static_cast<Element>(to_integer(v, -128, 127));
  else if constexpr (std::is_same_v<Element, std::int32_t>)
    return to_integer(v, -2147483648.0, 2147483647.0);
  else
    return Element(v);
}
// Loads and stores the element at an offset.
template <class Scalar>
__device__ inline Scalar load(void const* data, element type, int64 at) {
  return visit_type<any_type>(type, [&](auto e) { return to_scalar<Scalar>(static_cast<storage<e.value> const*>(data)[at]); });
}
template <class Scalar>
__device__ inline Scalar load(matrix const& x, int64 at) {
  return load<Scalar>(x.data, x.type, at);
}
template <class Scalar>
__device__ inline void store(matrix const& x, int64 at, Scalar v) {
  visit_type<any_type>(x.type, [&](auto e) { static_cast<storage<e.value>*>(x.data)[at] = converted<storage<e.value>>(v); });
}
// alpha sum + beta C(m, n, batch).
template <class Sum>
struct linear_combination {
  scalar<Sum> alpha, beta;

  __device__ explicit linear_combination(problem const& p)
      : alpha(static_cast<scalar<Sum>>(p.alpha)), beta(static_cast<scalar<Sum>>(p.beta)) {}
  // The same with a given element of C.
  template <class Element>
  __device__ scalar<Sum> with(Sum sum, Element c) const {
    scalar<Sum> v = alpha * static_cast<scalar<Sum>>(sum);
    if (beta != 0) v += beta * static_cast<scalar<Sum>>(c);
    return v;
  }
  __device__ scalar<Sum> operator()(problem const& p, Sum sum, int64 m, int64 n, int64 batch) const {
    scalar<Sum> v = alpha * static_cast<scalar<Sum>>(sum);
    if (beta != 0) v += beta * load<scalar<Sum>>(p.c, p.c.offset(0, m) + p.c.offset(1, n) + p.c.offset(2, batch));
    return v;
  }
};

#endif

}  // namespace colex::gpu
