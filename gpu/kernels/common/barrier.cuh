// mbarrier, a line of PTX each: arrive and wait. A barrier counts the arrivals of a phase, from 9.0 on its bytes, too; waits
// name the parity of the phase. From 8.0 on; clusters from 9.0 on. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace colex::gpu {

#if defined(__CUDACC__)

__device__ inline std::uint32_t shared_address(void const* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

__device__ inline void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
// Makes initialized barriers visible to TMA and to the cluster.
__device__ inline void barrier_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ inline void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Arrives at the same barrier of another block of the cluster. This orders what TMA and the tensor cores did, not this thread's
// own writes: a release at cluster scope would cost a flush.
__device__ inline void barrier_arrive(std::uint32_t barrier, std::uint32_t block) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(block)
      : "memory");
}
// Completes so many bytes that another block of the cluster expects at the same barrier, as a copy of them would.
__device__ inline void barrier_complete(std::uint32_t barrier, std::uint32_t block, int bytes) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [remote], %2;\n}" ::"r"(barrier),
      "r"(block), "r"(bytes)
      : "memory");
}
// One thread of this warp, always the same. The compiler knows that it is one: instructions of which a warp executes one, such
// as TMA's, then need no loop over the warp's threads.
__device__ inline bool elected() {
  std::uint32_t yes;
  asm volatile("{\n.reg .pred one;\nelect.sync _|one, 0xffffffff;\nselp.b32 %0, 1, 0, one;\n}" : "=r"(yes));
  return yes != 0;
}
// Waits until the phase of this parity is complete. From 9.0 on, each try waits for a while.
__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
#if __CUDA_ARCH__ >= 900
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
#else
      "mbarrier.test_wait.parity.shared::cta.b64 done, [%0], %1;\n"
#endif
      "@!done bra again;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ inline std::uint32_t block_in_cluster() {
  std::uint32_t r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ inline void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The same where a cluster's blocks have only read each other's shared memory, and have used what they read: it orders nothing,
// so that nothing is waited for that was written.
__device__ inline void cluster_end() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// 16 bytes of another block's shared memory, at the same offset as `at` in this block's.
__device__ inline uint4 load_from_block(std::uint32_t at, std::uint32_t block) {
  uint4 r;
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %4, %5;\n"
      "ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [remote];\n}"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
      : "r"(at), "r"(block)
      : "memory");
  return r;
}

#endif

}  // namespace colex::gpu
