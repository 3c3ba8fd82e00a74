// A GEMM as kernels are handed it: operands flattened to leaves, and what every epilogue does with a sum. Not the entry point
// (gemm.hpp), not a kernel. SPDX-License-Identifier: Apache-2.0
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

namespace colex::gpu {

// An operand: element (row, column, batch) at data[offset(0, row) + offset(1, column) + offset(2, batch)]. Modes are coalesced;
// one of a single element has no leaves.
struct matrix {
  void* data = nullptr;
  element type = element::f32;
  int end[3] = {};  // the leaves of mode i are those from end[i - 1] on
  int64 shape[capacity] = {}, stride[capacity] = {};

  COLEX_HD int begin(int mode) const { return mode == 0 ? 0 : end[mode - 1]; }
  // Is the mode a run with one stride?
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

// Is `along` a run without gaps, and does every row of it, in every batch, begin at a multiple of `alignment` bytes of its own?
inline bool lies_in_rows(matrix const& x, int along, int across, int alignment) {
  auto const aligned = [&](int64 step) { return step * bits_of(x.type) % (8 * alignment) == 0; };
  bool const run = x.plain(along) && (x.step(along) == 1 || x.begin(along) == x.end[along]);
  bool const one = x.begin(across) == x.end[across],
             rows = x.plain(across) && (one || (x.step(across) > 0 && aligned(x.step(across))));
  bool const batches = x.plain(2) && x.step(2) >= 0 && aligned(x.step(2));
  return run && rows && batches && reinterpret_cast<std::uintptr_t>(x.data) % static_cast<std::uintptr_t>(alignment) == 0;
}

// m, n, k, batches are at least 1: what is smaller does not reach a kernel.
struct problem {
  int64 m, n, k, batches;
  matrix a, b, c, d;
  double alpha, beta;
  matrix sfa = {}, sfb = {};  // scale factors over (M, K / block, batch) and (N, K / block, batch), where the plan has blocks
  int parts = 1;              // of K: so many batches are those of one product, whose sums the kernel adds up
};

// Is every row of D 16 bytes after 16 bytes, aligned, as the copy engine writes them?
inline bool has_whole_vectors(problem const& p) { return lies_in_rows(p.d, 1, 0, 16) && bytes(p.d.type, p.n) % 16 == 0; }

// The same of columns, where sums leave as such without C.
inline bool has_whole_columns(plan const& w, problem const& p) {
  return w.kind == family::warpgroup && w.tile_n % 32 == 0 && p.d.type == w.accumulator && p.beta == 0 &&
         (is_integer(w.accumulator) ? p.alpha == 1 : true) && lies_in_rows(p.d, 0, 1, 16) && bytes(p.d.type, p.m) % 16 == 0;
}

COLEX_HD inline tile_order order_of(problem const& p, int64 tile_m, int64 tile_n) {
  return {ceil_div(p.m, tile_m), ceil_div(p.n, tile_n), p.batches};
}

// A plan and what executes it. The operands lie as the plan's major_a and major_b say, with a row (or column) at every multiple
// of copy_alignment bytes; major::any: anyhow. C and D lie anyhow.
struct gemm_kernel {
  plan const* what;
  cudaError_t (*launch)(problem const&, cudaStream_t);
};
// One file each; empty where the file was not compiled for anything.
std::span<gemm_kernel const> simt_kernels();
std::span<gemm_kernel const> sm61_kernels();
std::span<gemm_kernel const> sm70_kernels();
std::span<gemm_kernel const> sm75_kernels();
std::span<gemm_kernel const> sm80_kernels();
std::span<gemm_kernel const> sm89_kernels();
std::span<gemm_kernel const> sm90_kernels();
std::span<gemm_kernel const> sm100_kernels();
std::span<gemm_kernel const> sm120_kernels();

// ---- epilogues ----

// What alpha, beta and C are computed in, for sums of a type.
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

// The element at an offset, and writing it: converted to and from what a scalar is.
template <class Scalar>
__device__ inline Scalar load(void const* data, element type, int64 at) {
  switch (type) {
    case element::f64: return static_cast<Scalar>(static_cast<double const*>(data)[at]);
    case element::f16: return static_cast<Scalar>(__half2float(static_cast<__half const*>(data)[at]));
    case element::bf16: return static_cast<Scalar>(__bfloat162float(static_cast<__nv_bfloat16 const*>(data)[at]));
    case element::e4m3: return static_cast<Scalar>(static_cast<float>(static_cast<__nv_fp8_e4m3 const*>(data)[at]));
    case element::e5m2: return static_cast<Scalar>(static_cast<float>(static_cast<__nv_fp8_e5m2 const*>(data)[at]));
    case element::s8: return static_cast<Scalar>(static_cast<std::int8_t const*>(data)[at]);
    case element::s32: return static_cast<Scalar>(static_cast<std::int32_t const*>(data)[at]);
    default: return static_cast<Scalar>(static_cast<float const*>(data)[at]);
  }
}
template <class Scalar>
__device__ inline Scalar load(matrix const& x, int64 at) {
  return load<Scalar>(x.data, x.type, at);
}
__device__ inline std::int32_t to_integer(double v, double least, double most) {
  return static_cast<std::int32_t>(fmin(fmax(rint(v), least), most));
}
// A result as an element: integers are rounded and saturated.
template <class Element, class Scalar>
__device__ inline Element converted(Scalar v) {
  if constexpr (std::is_same_v<Element, std::int8_t>)
    return static_cast<Element>(to_integer(v, -128, 127));
  else if constexpr (std::is_same_v<Element, std::int32_t>)
    return to_integer(v, -2147483648.0, 2147483647.0);
  else
    return Element(v);
}
template <class Scalar>
__device__ inline void store(matrix const& x, int64 at, Scalar v) {
  auto const put = [&]<class Element>(Element* to) { to[at] = converted<Element>(v); };
  switch (x.type) {
    case element::f64: return put(static_cast<double*>(x.data));
    case element::f16: return put(static_cast<__half*>(x.data));
    case element::bf16: return put(static_cast<__nv_bfloat16*>(x.data));
    case element::e4m3: return put(static_cast<__nv_fp8_e4m3*>(x.data));
    case element::e5m2: return put(static_cast<__nv_fp8_e5m2*>(x.data));
    case element::s8: return put(static_cast<std::int8_t*>(x.data));
    case element::s32: return put(static_cast<std::int32_t*>(x.data));
    default: return put(static_cast<float*>(x.data));
  }
}
// alpha sum + beta C(m, n, p), as a kernel's threads compute it.
template <class Sum>
struct epilogue {
  scalar<Sum> alpha, beta;

  __device__ explicit epilogue(problem const& p)
      : alpha(static_cast<scalar<Sum>>(p.alpha)), beta(static_cast<scalar<Sum>>(p.beta)) {}
  // The same for an element of C that is at hand.
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
