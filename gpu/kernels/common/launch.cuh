// Programmatic dependent launch (PDL): a launch begins while the one before it ends, where device and code can. A kernel so
// launched waits before it reads or writes what another one may write or read. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace colex::gpu {

#if defined(__CUDACC__)

// Lets the next launch begin. Its blocks go to the SMs that are free first, so this is for launches with one block an SM.
// Without it the next launch begins when the last block has ended.
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

// Blocks, and the size of a cluster along x.
struct launch_grid {
  dim3 blocks;
  unsigned cluster = 1;
};
// Launches a kernel that calls wait_for_last_launch, with PDL where it was compiled for 9.0 or later: other code does not wait,
// and has no clusters.
template <class... Parameters, class... Arguments>
cudaError_t launch_with_pdl(void (*kernel)(Parameters...), launch_grid grid, int threads, int shared, cudaStream_t stream,
                            Arguments const&... arguments) {
  cudaFuncAttributes code{};
  if (cudaError_t const e = cudaFuncGetAttributes(&code, kernel); e != cudaSuccess) return e;
  bool const pdl = code.ptxVersion >= 90;
  if (grid.cluster > 1 && !pdl) return cudaErrorNoKernelImageForDevice;
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {grid.cluster, 1, 1};
  cudaLaunchConfig_t of{};
  of.gridDim = grid.blocks, of.blockDim = static_cast<unsigned>(threads), of.stream = stream;
  of.dynamicSmemBytes = static_cast<std::size_t>(shared);
  of.attrs = attributes, of.numAttrs = !pdl ? 0 : grid.cluster == 1 ? 1 : 2;
  return cudaLaunchKernelEx(&of, kernel, arguments...);
}

#endif

}  // namespace colex::gpu
