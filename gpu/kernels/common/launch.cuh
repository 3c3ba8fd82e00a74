// Programmatic dependent launch (PDL): a launch begins while the one before it ends, where device and code can. A kernel so
// launched waits before it reads or writes what another one may write or read. SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__CUDACC_RTC__)
#include <cuda_runtime.h>

#include <atomic>

namespace colex::gpu {

// The SMs of the current device.
inline cudaError_t count_sms(int& sms) {
  int device = 0;
  cudaError_t const e = cudaGetDevice(&device);
  return e == cudaSuccess ? cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device) : e;
}

// A number about a kernel that the driver tells, asked once for each device. Threads that come first together all ask.
class asked_once {
 public:
  template <class Ask>  // ask(number) returns an error
  cudaError_t get(int& number, Ask const& ask) {
    int device = 0;
    if (cudaError_t const e = cudaGetDevice(&device); e != cudaSuccess) return e;
    if (device >= devices) return ask(number);
    number = known_[device].load(std::memory_order_acquire) - 1;
    if (number >= 0) return cudaSuccess;
    cudaError_t const e = ask(number);
    if (e == cudaSuccess) known_[device].store(number + 1, std::memory_order_release);
    return e;
  }

 private:
  static constexpr int devices = 64;      // of others it is asked every time
  std::atomic<int> known_[devices] = {};  // one more than the number; 0: not asked yet
};

// Blocks, and those of a cluster.
struct launch_grid {
  dim3 blocks, cluster;
  bool has_clusters() const { return cluster.x * cluster.y * cluster.z > 1; }
};
// Are there so few blocks that those of the next launch find SMs without one?
inline bool leaves_room(dim3 blocks) {
  static asked_once known;
  int sms = 0;
  return known.get(sms, count_sms) == cudaSuccess && std::int64_t{blocks.x} * blocks.y * blocks.z <= sms / 2;
}
// What CUDA is told of a launch: PDL where `pdl`, then clusters where the grid has some.
class launch_config {
 public:
  launch_config(launch_grid const& grid, int threads, int shared, cudaStream_t stream, bool pdl) {
    attributes_[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes_[0].val.programmaticStreamSerializationAllowed = 1;
    attributes_[1].id = cudaLaunchAttributeClusterDimension;
    attributes_[1].val.clusterDim = {grid.cluster.x, grid.cluster.y, grid.cluster.z};
    of_.gridDim = grid.blocks, of_.blockDim = static_cast<unsigned>(threads), of_.stream = stream;
    of_.dynamicSmemBytes = static_cast<std::size_t>(shared);
    of_.attrs = attributes_, of_.numAttrs = !pdl ? 0 : grid.has_clusters() ? 2 : 1;
  }
  launch_config(launch_config const&) = delete;
  cudaLaunchConfig_t const* get() const { return &of_; }

 private:
  cudaLaunchAttribute attributes_[2] = {};
  cudaLaunchConfig_t of_ = {};
};
// Gives a kernel so much shared memory on this device, and clusters of as many blocks as it has.
inline cudaError_t allow_clusters(void const* code, int shared) {
  cudaError_t const e = cudaFuncSetAttribute(code, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  return e == cudaSuccess ? cudaFuncSetAttribute(code, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) : e;
}
// How many clusters of so many blocks the device holds at once. Of four blocks or more these are fewer than its SMs would hold:
// a cluster lies in one GPC, which has 16 or 18 SMs.
inline cudaError_t ask_clusters(int& clusters, void const* code, int blocks, int threads, int shared) {
  auto const size = static_cast<unsigned>(blocks);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {1, size, 1};
  cudaLaunchConfig_t of{};
  of.gridDim = dim3(1, size), of.blockDim = static_cast<unsigned>(threads);
  of.dynamicSmemBytes = static_cast<std::size_t>(shared), of.attrs = &cluster, of.numAttrs = 1;
  return cudaOccupancyMaxActiveClusters(&clusters, code, &of);
}
// Launches a kernel that calls wait_for_last_launch, with PDL where it was compiled for 9.0 or later: other code does not wait,
// and has no clusters.
template <auto* Kernel, class... Arguments>
cudaError_t launch_with_pdl(launch_grid grid, int threads, int shared, cudaStream_t stream, Arguments const&... arguments) {
  static asked_once version;
  int compiled_for = 0;
  cudaError_t const e = version.get(compiled_for, [](int& number) {
    cudaFuncAttributes code{};
    cudaError_t const failed = cudaFuncGetAttributes(&code, Kernel);
    number = code.ptxVersion;
    if (failed != cudaSuccess || number < 90) return failed;
    return cudaFuncSetAttribute(Kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);  // of up to 16 blocks
  });
  if (e != cudaSuccess) return e;
  bool const pdl = compiled_for >= 90;
  if (grid.has_clusters() && !pdl) return cudaErrorNoKernelImageForDevice;
  return cudaLaunchKernelEx(launch_config(grid, threads, shared, stream, pdl).get(), Kernel, arguments...);
}

}  // namespace colex::gpu
#endif

#if defined(__CUDACC__)
namespace colex::gpu {

// Lets the next launch begin. Its blocks go to the SMs that are free first, so this is for launches with one block an SM, after
// their own wait: before it launches would queue up, and take each other's places. Without it the next launch begins when the
// last block has ended.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Waits until the launch before this one is complete and its writes are visible.
__device__ inline void wait_for_last_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace colex::gpu
#endif
