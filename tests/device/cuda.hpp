// CUDA for the device tests: every call checked, memory that starts out poisoned.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace colex::gpu {

inline void check(cudaError_t e, char const* what) {
  if (e == cudaSuccess) return;
  std::printf("FAIL %s: %s\n", what, cudaGetErrorString(e));
  std::exit(1);
}
inline void finish(char const* what) {
  check(cudaGetLastError(), what);
  check(cudaDeviceSynchronize(), what);
}

// Is there a GPU? Says why not.
inline bool found_device() {
  int devices = 0;
  cudaError_t const e = cudaGetDeviceCount(&devices);
  if (e == cudaSuccess && devices > 0) return true;
  std::printf("skipped: no GPU (%s)\n", e == cudaSuccess ? "none found" : cudaGetErrorString(e));
  return false;
}

// Device memory that starts out poisoned.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : size_(n) {
    check(cudaMalloc(&data_, n * sizeof(T)), "cudaMalloc");
    check(cudaMemset(data_, 0xA5, n * sizeof(T)), "cudaMemset");
  }
  explicit device_array(std::vector<T> const& v) : device_array(v.size()) {
    check(cudaMemcpy(data_, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  device_array(device_array const&) = delete;
  ~device_array() { cudaFree(data_); }
  T* data() { return data_; }
  std::vector<T> host() const {
    std::vector<T> v(size_);
    check(cudaMemcpy(v.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return v;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

}  // namespace colex::gpu
