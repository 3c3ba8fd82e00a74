// D = alpha A B + beta C on the GPU, whatever the layouts: the one entry point to every kernel here, from C++.
// (colex_gemm.h is the same from C.) SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/layout.hpp"
#include "gpu/atoms/element.hpp"
#include "gpu/kernels/common/cuda_names.hpp"

#include <span>
#include <string>
#include <vector>

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

struct gemm_options {
  std::string_view kernel = {};      // the one to run, by name, and no other; empty: the one expected to be fastest
  bool tf32 = false;                 // f32 operands may be rounded to tf32 for the tensor cores
  bool fast_accumulation = false;    // fp8: sums may stay in the tensor cores' shorter accumulators over all of K
  device_tensor sfa = {}, sfb = {};  // scale factors of blocks along K, (M,K/block) and (N,K/block); no data: none
  // A file that `tune_gemm` wrote: the kernels it names come before the one expected to be fastest. A process reads it once.
  // Empty: what the environment variable COLEX_TUNED names, if anything. One that is damaged or of another device or library is
  // not used, and the status says why.
  std::string_view tuned = {};
  // K in so many parts, side by side, whose sums are added at last in their order; where it cannot be divided, undivided. 0: as
  // many as are expected to be fastest.
  int parts = 0;
};

enum class gemm_error {
  none,
  bad_layout,          // ranks other than 2 or 3, shape and stride not congruent, basis strides, a negative extent
  extents_differ,      // M, N, K or the batches
  unsupported_type,    // no kernel multiplies these types into that one
  unsupported_device,  // no kernel for them runs on this device
  unknown_kernel,      // no kernel has the name that was forced
  misaligned,          // data not at a multiple of its element's size
  out_of_memory,       // for operands that must be repacked, or sums of parts
  cuda,                // a launch failed
  unwritable,          // the file of tuned kernels
};

struct [[nodiscard]] gemm_status {
  gemm_error error = gemm_error::none;
  std::string reason = {};  // what is wrong, with which operand; without an error: why the file of tuned kernels was not used
  std::string kernel = {};  // the one that ran

  explicit operator bool() const { return error == gemm_error::none; }
};

// Enqueues D = alpha A B + beta C. With beta 0 C is not read and needs no data; with alpha 0, or no K, A and B neither. D may
// be C, element for element; it may not overlap A or B, or itself. Sums are in f32, of f64 in f64, of s8 in s32; a result that
// is an integer is rounded to the nearest even and saturated. A kernel gives the same bits on every run. Copies of operands
// and sums of K's parts come from a memory pool on each device, which keeps up to 1 GiB of what goes back to it.
gemm_status gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c, double alpha,
                 double beta, gemm_options const& options = {}, cudaStream_t stream = nullptr);

// One of several products that do not depend on each other.
struct gemm_group {
  device_tensor d, a, b, c = {};
};
// Enqueues all of them, of any extents: side by side, so that one begins where another leaves processors idle, each with a
// kernel for its share of the device. What is enqueued before is done when they begin, and they are when what comes after
// begins. One that is refused is named, and nothing is enqueued. The status has the largest one's kernel.
gemm_status gemm_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& options = {},
                         cudaStream_t stream = nullptr);

// What would run on a device with so many multiprocessors: a line for each kernel that may, the one expected to be fastest
// first, with what bounds it (cost.hpp); or the one line that says what is wrong. Asks no GPU; reads no data.
std::vector<std::string> explain_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                      device_tensor const& c, double alpha, double beta, gemm_options const& options,
                                      int architecture, int processors);

// The names of the kernels that may run on this device, the one expected to be fastest first.
std::vector<std::string> gemm_candidates(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                         device_tensor const& c, double alpha, double beta, gemm_options const& options = {});
// Notes in the file `options.tuned` that for such products on this device `options.kernel` was measured to be the fastest. What
// the file says of other products stays, unless it is refused: then it is written anew. Reads no data.
gemm_status tune_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                      double alpha, double beta, gemm_options const& options);

// The names of all kernels that this device can run.
std::vector<std::string> gemm_kernels();

}  // namespace colex::gpu
