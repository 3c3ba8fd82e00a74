// The GEMM kernel whose warps multiply by themselves: one template for every plan of plans_warp.hpp. The instruction that
// multiplies is the carrier's: `static constexpr plan value` and `multiply(c, a, b)`. No plan, no choice of one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/launch.cuh"
#include "gpu/warp_results.cuh"

namespace colex::gpu::warp {

// One warp's multiplication of stage after stage, and its share of filling them.
template <class P>
struct pipeline {
  using f = facts<P>;
  producer<P> ahead;
  std::uint32_t stage;
  int thread_a, thread_b;
  fragments<P> x[2];
  factors_of<P> scales;

  // Fills all stages but one.
  __device__ __forceinline__ pipeline(task const& t, std::uint32_t memory)
      : ahead(t, memory),
        stage(memory),
        thread_a(fragment<P, operand::a>::thread()),
        thread_b(fragment<P, operand::b>::thread()),
        scales(t, memory) {
#pragma unroll 1
    for (int s = 0; s < f::p.stages - 1; ++s) {
      ahead.template fetch<0, 1, false>();
      scales.fetch(ahead);
      ahead.finish();
      ahead.next_stage();
    }
    await();
    x[0].template load<0>(stage, thread_a, thread_b);
  }
  // Waits for the next stage of all threads; all of them have read what lies in the one before this.
  __device__ __forceinline__ void await() {
    if constexpr (f::async) wait<f::p.stages - 2>();
    __syncthreads();
  }
  // Multiplies a stage while the one before it is filled again. Fragments of an atom of K are loaded while those before them
  // are multiplied.
  template <bool Whole>
  __device__ __forceinline__ void multiply_stage(sums<P>& c) {
    unroll<f::atoms.k>([&](auto block) {
      constexpr int next = (block + 1) % f::atoms.k;
      scales.template load<block>(stage);
      ahead.template fetch<block, f::atoms.k, Whole>();
      if constexpr (next == 0) {
        scales.fetch(ahead);
        ahead.finish();
        await();
        stage = next_of<P>(ahead.base, stage);
      }
      x[(block + 1) % 2].template load<next>(stage, thread_a, thread_b);
      c.template multiply<block>(x[block % 2], scales);
    });
  }
  __device__ __forceinline__ void multiply(sums<P>& c) {
    ahead.whole() ? multiply_stage<true>(c) : multiply_stage<false>(c);
    ahead.next_stage();
  }
};

template <class P>
__global__ void __launch_bounds__(P::value.threads, 1) multiply(__grid_constant__ task const t) {
#if defined(__CUDA_ARCH__)
  if constexpr (10 * P::value.architecture > __CUDA_ARCH__) return;  // this chip lacks the instruction
#endif
  using f = facts<P>;
  extern __shared__ __align__(1024) char memory[];
  wait_for_last_launch();
  pipeline<P> stages(t, static_cast<std::uint32_t>(__cvta_generic_to_shared(memory)));
  for (std::uint32_t round = 0; tile_of(round) < t.tiles; ++round) {
    sums<P> c;
    c.clear();
#pragma unroll 1
    for (std::uint32_t k = t.ks; k > 0; --k)
      if constexpr (f::p.promotes) {
        sums<P> part;
        part.clear();
        stages.multiply(part);
        c.add(part);
      } else {
        stages.multiply(c);
      }
    write_out<P>(t, c, corner_of<P>(t, tile_of(round)), memory + f::p.stages * f::stage);
  }
}

template <class P>
cudaError_t launch(problem const& p, cudaStream_t stream, std::uint8_t const* sfa, std::uint8_t const* sfb) {
  using f = facts<P>;
  int device = 0, processors = 0, blocks = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess) error = cudaFuncSetAttribute(multiply<P>, cudaFuncAttributeMaxDynamicSharedMemorySize, f::shared);
  if (error == cudaSuccess)
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, multiply<P>, f::p.threads, f::shared);
  if (error != cudaSuccess) return error;
  if (blocks == 0) return cudaErrorInvalidConfiguration;
  auto const stride = [](matrix const& x, element type, major lies) { return bytes(type, x.step(lies == major::k ? 0 : 1)); };
  auto const tiles = [](int64 extent, int64 tile) { return static_cast<std::uint32_t>((extent + tile - 1) / tile); };
  task t{p, stride(p.a, f::p.a, f::p.major_a), stride(p.b, f::p.b, f::p.major_b), sfa, sfb};
  t.rows = tiles(p.m, f::p.tile_m), t.columns = tiles(p.n, f::p.tile_n), t.ks = tiles(p.k, f::p.tile_k);
  t.tiles = int64{t.rows} * t.columns * p.batches;
  t.last_k = static_cast<int>(p.k - (t.ks - 1) * f::p.tile_k);
  t.stride_d = stride_of_vectors<P>(p);
  int64 const grid = std::min<int64>(t.tiles, static_cast<int64>(processors) * blocks);
  return launch_early(multiply<P>, dim3(static_cast<unsigned>(grid)), f::p.threads, f::shared, stream, t);
}

template <class P>
cudaError_t launch(problem const& p, cudaStream_t stream) {
  return launch<P>(p, stream, nullptr, nullptr);
}

// A kernel for each of a table's plans.
template <template <int> class P, int... I>
constexpr std::array<gemm_kernel, sizeof...(I)> kernels(std::integer_sequence<int, I...>) {
  return {gemm_kernel{&P<I>::value, launch<P<I>>}...};
}

}  // namespace colex::gpu::warp
