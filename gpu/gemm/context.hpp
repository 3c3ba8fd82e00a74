// All that gemm keeps between calls, for each device. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/gemm/choice.hpp"
#include "gpu/gemm/copies.hpp"
#include "gpu/gemm/streams.hpp"
#include "gpu/gemm/tuned.hpp"

#include <array>
#include <atomic>

namespace colex::gpu {

struct device_context {
  int const device;
  device_info facts = {};
  memory_pool pool{device};
  side_streams sides = {};

  explicit device_context(int number) : device(number) {}
  // The kernels that a file names for this device. The file is read once; what tune_gemm writes to it later is taken, too.
  std::shared_ptr<tuned_kernels const> tuned(std::string const& file, std::span<gemm_kernel const> kernels) {
    std::lock_guard const lock(mutex_);
    std::shared_ptr<tuned_kernels const>& known = tuned_[file];
    if (tuned_for here; known == nullptr)
      known = std::make_shared<tuned_kernels>(describe(here, kernels) == cudaSuccess ? read_tuned(file, here, kernels)
                                                                                     : tuned_kernels{});
    return known;
  }
  void take_tuned(std::string const& file, tuned_kernels written) {
    std::lock_guard const lock(mutex_);
    tuned_[file] = std::make_shared<tuned_kernels>(std::move(written));
    ++tunings;
  }
  static inline std::atomic<std::uint64_t> tunings = 0;  // of this process: plans made before one may be others now
  // This library, named by its version and its kernels, and this device.
  cudaError_t describe(tuned_for& at, std::span<gemm_kernel const> kernels) const {
    cudaDeviceProp properties{};
    cudaError_t const e = cudaGetDeviceProperties(&properties, device);
    std::string names;
    for (gemm_kernel const& k : kernels) names += name(*k.plan) + ' ';
    std::string const sum = detail::sum_text(names);
    at.library = std::string(COLEX_VERSION " kernels ") + sum.substr(4, sum.size() - 5);
    at.device = std::string(properties.name) + ", compute capability " + std::to_string(properties.major) + '.' +
                std::to_string(properties.minor) + ", " + std::to_string(properties.multiProcessorCount) + " SMs";
    return e;
  }
  cudaError_t ask_facts() {
    int major = 0, minor = 0;
    cudaError_t e = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&facts.sms, cudaDevAttrMultiProcessorCount, device);
    facts.architecture = 10 * major + minor;
    if (e == cudaSuccess && facts.architecture >= 90) ask_clusters(facts);
    return e == cudaSuccess ? ask_bandwidth() : e;
  }
  // The facts of so many of its SMs.
  device_info facts_of(int sms) const {
    device_info r = facts;
    r.sms = sms;
    return r;
  }
  // The same, with its memory.
  cudaError_t ask_memory(device_info& of, int sms) const {
    outside_captures const here;
    std::size_t free = 0, all = 0;
    cudaError_t const e = cudaMemGetInfo(&free, &all);
    of = facts_of(sms);
    of.memory = static_cast<std::int64_t>(all);
    return e;
  }

 private:
  // Two transfers a cycle; where the driver does not say, it stays an H200's.
  cudaError_t ask_bandwidth() {
    int kilohertz = 0, bits = 0;
    cudaError_t e = cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device);
    if (e == cudaSuccess && kilohertz > 0 && bits > 0) facts.bandwidth = 2e3 * kilohertz * bits / 8;
    return e;
  }
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<tuned_kernels const>> tuned_;
};

// The contexts of all devices, made at first use. They live as long as the process: CUDA may be gone before static objects.
class gemm_context {
 public:
  // The current device's; no lock unless it is made.
  cudaError_t current(device_context*& found) {
    int device = 0;
    if (cudaError_t const e = cudaGetDevice(&device); e != cudaSuccess) return e;
    if (device >= static_cast<int>(devices_.size())) return cudaErrorInvalidDevice;
    found = devices_[static_cast<std::size_t>(device)].load(std::memory_order_acquire);
    return found == nullptr ? make(device, found) : cudaSuccess;
  }

 private:
  cudaError_t make(int device, device_context*& made) {
    std::lock_guard const lock(mutex_);
    std::atomic<device_context*>& place = devices_[static_cast<std::size_t>(device)];
    made = place.load(std::memory_order_acquire);
    if (made != nullptr) return cudaSuccess;
    auto fresh = std::make_unique<device_context>(device);
    if (cudaError_t const e = fresh->ask_facts(); e != cudaSuccess) return e;
    place.store(made = fresh.release(), std::memory_order_release);
    return cudaSuccess;
  }
  std::mutex mutex_;
  std::array<std::atomic<device_context*>, 64> devices_ = {};
};
inline gemm_context& contexts() {
  static gemm_context& all = *new gemm_context;
  return all;
}

}  // namespace colex::gpu
