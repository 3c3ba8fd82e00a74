// What a call of gemm takes and returns: tensors in device memory, options, a status. (gemm.hpp has the calls.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/layout.hpp"
#include "gpu/atoms/element.hpp"

#include <string>
#include <string_view>

namespace colex::gpu {

// Elements in device memory: A is (M,K), B is (N,K), C and D are (M,N), each with a third mode where there are batches. Modes
// may be tuples: any contraction is a GEMM once folded (fold.hpp). Strides count elements and may be negative or, but for D's,
// 0. An extent may be 0, which a layout's may not.
struct device_tensor {
  void* data = nullptr;
  element type = element::f32;
  int_tuple shape = {}, stride = {};
};
inline device_tensor make_device_tensor(void* data, element type, layout const& at) {
  return {data, type, shape(at), stride(at)};
}

enum class gemm_emulation {
  none,
  residues,  // f64 and f32 out of products of s8 (spec/emulation.md), where that is expected to be faster
};

struct gemm_options {
  std::string_view kernel = {};    // the name of the one to run; empty: the one expected to be fastest
  bool tf32 = false;               // f32 operands may be rounded to tf32 for the tensor cores
  bool fast_accumulation = false;  // fp8: the tensor cores' accumulators, shorter than f32, may be used for all of K
  // f16, bf16, tf32: sums move to f32 registers every 128 bytes of K, since tensor cores cut off what they add (fp8: always,
  // unless fast_accumulation)
  bool two_level_accumulation = false;
  device_tensor sfa = {}, sfb = {};  // scale factors of blocks along K, (M,K/block) and (N,K/block); no data: none
  // A file that tune_gemm wrote: its kernels come before those expected to be fastest. A process reads it once. Empty: the file
  // that the environment variable COLEX_TUNED names, if any. A file that is damaged, too large, or of another device or library
  // is not used, and the status says why.
  std::string_view tuned = {};
  // Splits of K, which are multiplied concurrently and added up in their order; K that cannot be split so is not split. 0: as
  // many as are expected to be fastest.
  int split_k = 0;
  gemm_emulation emulation = gemm_emulation::none;  // `kernel` then names the one that multiplies residues
  // The number of moduli, 2 to 20, whatever the error. 0: as many as make products as exact as `bound`.
  int moduli = 0;
  // The unit roundoff of the arithmetic that emulated products are at least as exact as. 0: the operands' type's.
  double bound = 0;
  // Emulates even where native kernels are expected to be faster, so that the bits are the same on every device, but where
  // moduli_used becomes 0.
  bool reproducible = false;
  // On the device, may be null: becomes the number of moduli once the product is there, 0 where a native kernel computed it:
  // elements are infinite or NaN, or rows so uneven that too many moduli would be needed.
  int* moduli_used = nullptr;
  // A kernel that `kernel` or the file of tuned kernels names, and that the library has no code of, is compiled by NVRTC where
  // it is planned, or read from the files in which it was kept. The environment variable COLEX_COMPILE=1 says so for all calls.
  bool compile = false;
};

enum class gemm_error {
  none,
  bad_layout,          // ranks other than 2 or 3, shape and stride not congruent, basis strides, a negative extent
  extents_differ,      // M, N, K or the batches
  unsupported_type,    // no kernel multiplies these types into that one
  unsupported_device,  // no kernel for them runs on this device
  unknown_kernel,      // no kernel has the name of gemm_options::kernel, or it could not be compiled
  misaligned,          // data not at a multiple of its element's size
  out_of_memory,       // for operands that must be copied, or split-K's sums
  cuda,                // a launch failed
  unwritable,          // the file of tuned kernels
  no_data,             // an operand that would be read or written has no data
  unreachable,         // with COLEX_CHECK: an operand in memory of the host, or of another device
  overlap,             // with COLEX_CHECK: D and what is read may share elements
  bad_option,          // the number of moduli or the bound of emulation
};

struct [[nodiscard]] gemm_status {
  gemm_error error = gemm_error::none;
  std::string reason = {};  // what is wrong, with which operand; without an error: why the file of tuned kernels was not used
  std::string kernel = {};  // the one that ran

  explicit operator bool() const { return error == gemm_error::none; }
};

}  // namespace colex::gpu
