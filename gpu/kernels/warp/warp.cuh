// The GEMM kernel whose warps multiply by themselves: one template for every plan of plans_warp.hpp. The instruction that
// multiplies is the carrier's: `static constexpr plan value` and `multiply(c, a, b)`. No plan, no choice of one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/barrier.cuh"
#include "gpu/kernels/common/launch.cuh"
#include "gpu/kernels/warp/warp_results.cuh"

namespace colex::gpu::warp {

// Where the warps of a block meet once a stage. A warp says that it has done its share and multiplies on; only later it waits
// for the others, which by then have mostly said so, too.
template <class P>
struct meeting {
  std::uint32_t barrier, odd = 0;  // in shared memory; the bit that tells one round from the next

  __device__ __forceinline__ explicit meeting(std::uint32_t at) : barrier(at) {
    if (facts<P>::async && threadIdx.x == 0) barrier_init(barrier, P::value.threads);
  }
  // Each thread for itself: a thread for all of its warp would have to wait for them first.
  __device__ __forceinline__ void arrive() const {
    if constexpr (facts<P>::async) barrier_arrive(barrier);
  }
  __device__ __forceinline__ void wait() {
    if constexpr (facts<P>::async) {
      barrier_wait(barrier, odd);
      odd ^= 1;
    } else {
      __syncthreads();
    }
  }
};

// One warp's multiplication of stage after stage, and its share of filling them.
template <class P>
struct pipeline {
  using f = facts<P>;
  // Loads and copies are issued between an atom's products, a few with each part: one after another they wait for each other.
  static constexpr int parts = 8;
  producer<P> ahead;
  meeting<P> all;
  std::uint32_t stage;
  int thread_a, thread_b;
  fragments<P> x[2];
  factors_of<P> scales;

  // Fills all stages but one.
  __device__ __forceinline__ pipeline(task const& t, std::uint32_t memory)
      : ahead(t, memory),
        all(memory + f::barrier),
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
    if constexpr (f::async) wait<f::p.stages - 2>();
    __syncthreads();
    x[0].template load<0, 0, 1>(stage, thread_a, thread_b);
  }
  // What this thread copied of the next stage has come, and it has read this one.
  __device__ __forceinline__ void arrive() const {
    wait<f::p.stages - 2>();
    all.arrive();
  }
  __device__ __forceinline__ void go_to_next_stage() {
    if constexpr (!f::async) ahead.finish();
    if constexpr (f::factors) arrive();
    all.wait();
    stage = next_of<P>(ahead.base, stage);
  }
  // Multiplies an atom of K while the fragments of the next one are loaded; with the first one the stage before this is filled
  // again. Whoever has no scale factors has read a stage when the fragments of its last atom are loaded.
  template <int Block, bool Whole>
  __device__ __forceinline__ void multiply_atom(sums<P>& c) {
    constexpr int next = (Block + 1) % f::atoms.k;
    scales.template load<Block>(stage);
    if constexpr (next == 0) go_to_next_stage();
    unroll<parts>([&](auto part) {
      if constexpr (part < parts / 4) x[(Block + 1) % 2].template load<next, part, parts / 4>(stage, thread_a, thread_b);
      if constexpr (Block == 0 && part < parts / 2) ahead.template fetch<part, parts / 2, Whole>();
      if constexpr (f::async && Block == 0 && part == parts / 2 - 1) {
        scales.fetch(ahead);
        ahead.finish();
      }
      if constexpr (f::async && !f::factors && Block + 2 == f::atoms.k && part == parts / 2 - 1) arrive();
      c.template multiply<Block, part, parts>(x[Block % 2], scales);
    });
  }
  template <bool Whole>
  __device__ __forceinline__ void multiply_stage(sums<P>& c) {
    auto const atoms = [&](sums<P>& to) { unroll<f::atoms.k>([&](auto block) { multiply_atom<block, Whole>(to); }); };
    if constexpr (f::p.promotes) {
      sums<P> part;
      part.clear();
      atoms(part);
      c.add(part);
    } else {
      atoms(c);
    }
  }
  // All stages of a tile of the product. Most are filled again with whole tiles of K, none of which is its tile's last: a loop
  // without branches.
  __device__ __forceinline__ void multiply(sums<P>& c) {
    for (std::uint32_t left = ahead.t.ks; left > 0;) {
      std::uint32_t const run = min(left, ahead.whole_stages());
      left -= run;
#pragma unroll 1
      for (std::uint32_t i = run; i > 0; --i) {
        multiply_stage<true>(c);
        ahead.next_tile_of_k();
      }
      if (left == 0) return;
      --left;
      ahead.whole() ? multiply_stage<true>(c) : multiply_stage<false>(c);
      ahead.next_stage();
    }
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
  pipeline<P> stages(t, shared_address(memory));
  for (std::uint32_t round = 0; tile_of(round) < t.tiles; ++round) {
    sums<P> c;
    c.clear();
    stages.multiply(c);
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
  return launch_early(multiply<P>, {dim3(static_cast<unsigned>(grid))}, f::p.threads, f::shared, stream, t);
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
