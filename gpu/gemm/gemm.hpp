// D = alpha A B + beta C on the GPU, of any layouts: the C++ entry point to all kernels. (colex_gemm.h is C's.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/arguments.hpp"
#include "gpu/kernels/common/cuda_names.hpp"

#include <memory>
#include <span>
#include <vector>

namespace colex::gpu {

// Enqueues D = alpha A B + beta C. With beta 0 C is not read and needs no data; with alpha 0, or K of 0, A and B are not. D may
// be C, element for element; it may not overlap A or B, or itself. Accumulates in f32; f64 in f64, s8 in s32. Integer results
// round to nearest even and saturate. A kernel gives the same bits on every run. Memory for copies of operands and split-K's
// sums comes from a pool on each device, which keeps up to 1 GiB of freed memory.
gemm_status gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c, double alpha,
                 double beta, gemm_options const& options = {}, cudaStream_t stream = nullptr);

enum class gemm_operand { a, b };

// A product that is planned once, on the current device, and run many times: on other data of the same layouts, at addresses
// aligned as well as those planned with. Copies share the plan; threads may run one at once.
class prepared_gemm {
 public:
  prepared_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c, double alpha,
                double beta, gemm_options const& options = {});
  // What is wrong with the call, if anything.
  gemm_status const& status() const { return status_; }
  // As gemm does. C is read only if beta is not 0. Scale factors are those that it was prepared with.
  gemm_status run(void* d, void const* a, void const* b, void const* c = nullptr, cudaStream_t stream = nullptr) const;
  // Enqueues the residues of an operand that comes again: runs that get A or B at this address take them, in the same bits,
  // and do not read its elements but where a native kernel runs. They may not change until it is prepared again. Nothing
  // happens where the product is not emulated. Takes `moduli` bytes an element, and up to 4 more, of the device's memory until
  // the last copy ends, which waits for the device. Runs come after it in the stream, and none may run meanwhile.
  gemm_status prepare_operand(gemm_operand which, void const* elements, cudaStream_t stream = nullptr);

 private:
  struct plan;
  std::shared_ptr<plan> plan_;
  gemm_status status_;
};

// One of several independent products.
struct gemm_group {
  device_tensor d, a, b, c = {};
};
// Enqueues products of any extents on concurrent streams, so that one begins on SMs that another leaves idle, each with a
// kernel for its share of the device. They begin after what the stream has before and end before what comes after. If one is
// refused, the status names it and nothing is enqueued. The status has the largest product's kernel.
gemm_status gemm_grouped(std::span<gemm_group const> groups, double alpha, double beta, gemm_options const& options = {},
                         cudaStream_t stream = nullptr);

// What would run on a device of so many SMs: a line for each kernel that may, the one expected to be fastest first, with what
// bounds it (choice.hpp); or one line that says what is wrong. Needs no GPU; reads no data.
std::vector<std::string> explain_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                      device_tensor const& c, double alpha, double beta, gemm_options const& options,
                                      int architecture, int sms);

// The names of the kernels that may run on this device, the one expected to be fastest first; none for a call that gemm
// refuses.
std::vector<std::string> gemm_candidates(device_tensor const& d, device_tensor const& a, device_tensor const& b,
                                         device_tensor const& c, double alpha, double beta, gemm_options const& options = {});
// Writes to the file `options.tuned` that `options.kernel` was measured to be the fastest for such products on this device.
// Entries of other products stay, unless the file would not be used: then it is written anew. Reads no data.
gemm_status tune_gemm(device_tensor const& d, device_tensor const& a, device_tensor const& b, device_tensor const& c,
                      double alpha, double beta, gemm_options const& options);

// The names of all kernels that this device runs.
std::vector<std::string> gemm_kernels();

}  // namespace colex::gpu
