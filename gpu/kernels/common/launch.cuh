// Launches that begin while the one before them ends (programmatic dependent launch), where chip and code can. Every kernel so
// launched waits before it reads or writes anything that another one may. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace colex::gpu {

#if defined(__CUDACC__)

// The launch behind this one may begin, which then waits by itself; its blocks go to the processors that are free first, so
// that it is for launches of one block a processor. Without this it begins when the last block has ended.
__device__ inline void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Until all of the launch before this one is done and seen.
__device__ inline void wait_for_last_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Blocks, and how many neighbours along x are a cluster.
struct launch_grid {
  dim3 blocks;
  unsigned cluster = 1;
};
// Launches a kernel that waits, early where it was compiled for chips that have them: other code would not wait, and has no
// clusters.
template <class... Parameters, class... Arguments>
cudaError_t launch_early(void (*kernel)(Parameters...), launch_grid grid, int threads, int shared, cudaStream_t stream,
                         Arguments const&... arguments) {
  cudaFuncAttributes code{};
  if (cudaError_t const e = cudaFuncGetAttributes(&code, kernel); e != cudaSuccess) return e;
  bool const early = code.ptxVersion >= 90;
  if (grid.cluster > 1 && !early) return cudaErrorNoKernelImageForDevice;
  cudaLaunchAttribute what[2] = {};
  what[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  what[0].val.programmaticStreamSerializationAllowed = 1;
  what[1].id = cudaLaunchAttributeClusterDimension;
  what[1].val.clusterDim = {grid.cluster, 1, 1};
  cudaLaunchConfig_t of{};
  of.gridDim = grid.blocks, of.blockDim = static_cast<unsigned>(threads), of.stream = stream;
  of.dynamicSmemBytes = static_cast<std::size_t>(shared);
  of.attrs = what, of.numAttrs = !early ? 0 : grid.cluster == 1 ? 1 : 2;
  return cudaLaunchKernelEx(&of, kernel, arguments...);
}

#endif

}  // namespace colex::gpu
