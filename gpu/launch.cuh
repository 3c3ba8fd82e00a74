// Launches that begin while the one before them ends (programmatic dependent launch), where chip and code can. Every kernel so
// launched waits before it reads or writes anything that another one may. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

namespace colex::gpu {

#if defined(__CUDACC__)

// The launch behind this one may begin, which then waits by itself; its blocks go to the processors that are free first, so that
// it is for launches of one block a processor. Without this it begins when the last block has ended.
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

// Launches a kernel that waits, early where it was compiled for chips that have them: other code would not wait.
template <class... Parameters, class... Arguments>
cudaError_t launch_early(void (*kernel)(Parameters...), dim3 grid, int threads, int shared, cudaStream_t stream,
                         Arguments const&... arguments) {
  cudaFuncAttributes code{};
  if (cudaError_t const e = cudaFuncGetAttributes(&code, kernel); e != cudaSuccess) return e;
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t of{};
  of.gridDim = grid, of.blockDim = static_cast<unsigned>(threads), of.stream = stream;
  of.dynamicSmemBytes = static_cast<std::size_t>(shared);
  of.attrs = &early, of.numAttrs = code.ptxVersion >= 90;
  return cudaLaunchKernelEx(&of, kernel, arguments...);
}

#endif

}  // namespace colex::gpu
