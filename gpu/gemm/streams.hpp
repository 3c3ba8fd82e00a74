// Stream-ordered memory, and side streams. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <vector>

namespace colex::gpu {

// Keeps what is created once out of a stream capture that may be going on.
class outside_captures {
 public:
  outside_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  outside_captures(outside_captures const&) = delete;
  ~outside_captures() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// A device's memory pool, created at first use. The default pool would return memory to the system whenever the host
// synchronizes, and take it again with every call.
class memory_pool {
 public:
  explicit memory_pool(int device) : device_(device) {}
  cudaError_t get(cudaMemPool_t& pool) {
    std::lock_guard const lock(mutex_);
    cudaError_t const e = pool_ == nullptr ? make() : cudaSuccess;
    pool = pool_;
    return e;
  }

  // Keeps up to so much freed memory from now on, if it is more than before.
  cudaError_t keep(std::uint64_t bytes) {
    cudaMemPool_t pool = nullptr;
    cudaError_t const e = get(pool);
    std::lock_guard const lock(mutex_);
    if (e != cudaSuccess || bytes <= kept_bytes_) return e;
    kept_bytes_ = bytes;
    return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept_bytes_);
  }

 private:
  cudaError_t make() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device_};
    outside_captures const here;
    if (cudaError_t const e = cudaMemPoolCreate(&pool_, &properties); e != cudaSuccess) return e;
    return cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &kept_bytes_);
  }
  int device_;
  std::mutex mutex_;
  cudaMemPool_t pool_ = nullptr;
  std::uint64_t kept_bytes_ = std::uint64_t{1} << 30;
};

// Stream-ordered memory of a pool.
class workspace {
 public:
  workspace(memory_pool& pool, cudaStream_t stream) : pool_(pool), stream_(stream) {}
  workspace(workspace const&) = delete;
  ~workspace() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  cudaError_t allocate(int64 bytes) {
    cudaMemPool_t pool = nullptr;
    if (cudaError_t const e = pool_.get(pool); e != cudaSuccess) return e;
    return cudaMallocFromPoolAsync(&data_, static_cast<std::size_t>(bytes), pool, stream_);
  }
  void* data() const { return data_; }

 private:
  memory_pool& pool_;
  cudaStream_t stream_;
  void* data_ = nullptr;
};

// Streams beside a caller's. Those that belong to a capture are not used until it ends.
class side_streams {
 public:
  // f(`count` side streams). They wait for what the caller's stream has before, and it waits for them.
  template <class F>
  cudaError_t fork(cudaStream_t stream, std::size_t count, F f) {
    std::lock_guard const lock(mutex_);
    std::vector<side*> lent;
    cudaError_t e = lend(count, lent);
    if (e == cudaSuccess && count > 0) e = cudaEventRecord(lent[0]->done, stream);
    for (side* s : lent)
      if (e == cudaSuccess) e = cudaStreamWaitEvent(s->stream, lent[0]->done);
    if (e != cudaSuccess) return e;
    f(lent);
    for (side* s : lent) {
      e = cudaEventRecord(s->done, s->stream);
      if (e == cudaSuccess) e = cudaStreamWaitEvent(stream, s->done);
      if (e != cudaSuccess) return e;
    }
    return e;
  }
  struct side {
    cudaStream_t stream = nullptr;
    cudaEvent_t done = nullptr;
  };

 private:
  cudaError_t lend(std::size_t count, std::vector<side*>& lent) {
    for (std::unique_ptr<side> const& s : all_) {
      cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
      if (lent.size() == count) break;
      if (cudaStreamIsCapturing(s->stream, &captured) == cudaSuccess && captured == cudaStreamCaptureStatusNone)
        lent.push_back(s.get());
    }
    while (lent.size() < count) {
      outside_captures const here;
      auto made = std::make_unique<side>();
      cudaError_t e = cudaStreamCreateWithFlags(&made->stream, cudaStreamNonBlocking);
      if (e == cudaSuccess) e = cudaEventCreateWithFlags(&made->done, cudaEventDisableTiming);
      if (e != cudaSuccess) return e;
      lent.push_back(all_.emplace_back(std::move(made)).get());
    }
    return cudaSuccess;
  }
  std::mutex mutex_;
  std::vector<std::unique_ptr<side>> all_;  // as long as the process
};

}  // namespace colex::gpu
