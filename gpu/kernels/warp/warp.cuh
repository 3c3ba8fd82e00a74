// The mma.sync kernel, persistent: one template for every warp plan. Its parameter P has the plan and the instruction:
// `static constexpr plan value` and `multiply(c, a, b)`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/barrier.cuh"
#include "gpu/kernels/common/gemm_kernel.hpp"
#include "gpu/kernels/common/launch.cuh"
#include "gpu/kernels/warp/warp_results.cuh"

namespace colex::gpu::warp {

// The barrier of a block, once for each stage, split into arrive and wait (mbarrier; __syncthreads before 8.0). A warp arrives
// when it has read a stage, multiplies on, and waits later, when most others have arrived.
template <class P>
struct stage_barrier {
  std::uint32_t barrier, phase = 0;  // the address in shared memory; the phase

  __device__ __forceinline__ explicit stage_barrier(std::uint32_t at) : barrier(at) {
    if (traits<P>::async && threadIdx.x == 0) barrier_init(barrier, P::value.threads);
  }
  // Each thread arrives: one thread for its warp would have to wait for the others first.
  __device__ __forceinline__ void arrive() const {
    if constexpr (traits<P>::async) barrier_arrive(barrier);
  }
  __device__ __forceinline__ void wait() {
    if constexpr (traits<P>::async) {
      barrier_wait(barrier, phase);
      phase ^= 1;
    } else {
      __syncthreads();
    }
  }
};

// The mainloop of a warp: it multiplies stage after stage and does its share of filling them.
template <class P>
struct mainloop {
  using f = traits<P>;
  // Loads and copies are issued between the MMAs of an atom of K, some with each slice: issued all at once, they would stall.
  static constexpr int slices = 8;
  producer<P> ahead;
  stage_barrier<P> barrier;
  std::uint32_t stage;
  int thread_a, thread_b;
  fragments<P> x[2];
  factors_of<P> scales;

  __device__ __forceinline__ mainloop(arguments const& t, std::uint32_t memory)
      : ahead(t, memory),
        barrier(memory + f::barrier),
        stage(first_stage<P>(t, memory)),
        thread_a(fragment<P, operand::a>::thread()),
        thread_b(fragment<P, operand::b>::thread()),
        scales(t, memory) {}
  // The prologue: all stages but one are filled.
  __device__ __forceinline__ void fill() {
#pragma unroll 1
    for (int s = 0; s < f::p.stages - 1; ++s) {
      f::async&& ahead.whole_stages() > 0 ? ahead.template load_global<0, 1, true>()
                                          : ahead.template load_global<0, 1, false>();
      scales.load_global(ahead);
      ahead.finish();
      ahead.next_stage();
      ahead.next_tile();
    }
    if constexpr (f::async) wait<f::p.stages - 2>();
    __syncthreads();
    x[0].template load<0, 0, 1>(stage, thread_a, thread_b);
  }
  // This thread's copies of the next stage are complete, and it has read this one.
  __device__ __forceinline__ void arrive() const {
    wait<f::p.stages - 2>();
    barrier.arrive();
  }
  __device__ __forceinline__ void advance() {
    if constexpr (!f::async) ahead.finish();
    if constexpr (f::factors) arrive();
    barrier.wait();
    stage = next_of<P>(ahead.base, stage);
  }
  // Multiplies an atom of K while the fragments of the next one are loaded. With the first atom the previous stage is filled
  // again. Without scale factors, a stage has been read once the fragments of its last atom are loaded.
  template <int Block, bool Whole, int... Slice>
  __device__ __forceinline__ void multiply_atom(sums<P>& c, std::integer_sequence<int, Slice...>) {
    scales.template load<Block>(stage);
    x[Block % 2].prepare();
    if constexpr ((Block + 1) % f::atoms.k == 0) advance();
    (multiply_slice<Block, Slice, Whole>(c), ...);
  }
  template <int Block, int Slice, bool Whole>
  __device__ __forceinline__ void multiply_slice(sums<P>& c) {
    constexpr int next = (Block + 1) % f::atoms.k;
    if constexpr (Slice < slices / 4) x[(Block + 1) % 2].template load<next, Slice, slices / 4>(stage, thread_a, thread_b);
    if constexpr (Block == 0 && Slice < slices / 2) ahead.template load_global<Slice, slices / 2, Whole>();
    if constexpr (f::async && Block == 0 && Slice == slices / 2 - 1) {
      scales.load_global(ahead);
      ahead.finish();
    }
    if constexpr (f::async && !f::factors && Block + 2 == f::atoms.k && Slice == slices / 2 - 1) arrive();
    c.template multiply<Block>(x[Block % 2], scales, Slice, slices);
  }
  template <bool Whole, int... Block>
  __device__ __forceinline__ void multiply_stage(sums<P>& c, std::integer_sequence<int, Block...>) {
    if constexpr (f::p.two_level_accumulation) {
      sums<P> slice;
      slice.clear();
      (multiply_atom<Block, Whole>(slice, constants<slices>{}), ...);
      c.add(slice);
    } else {
      (multiply_atom<Block, Whole>(c, constants<slices>{}), ...);
    }
  }
  // All tiles of K of a tile of D. Most stages are refilled with full tiles of K: a loop without branches.
  __device__ __forceinline__ void multiply(sums<P>& c, std::uint32_t k_tiles) {
    for (std::uint32_t left = k_tiles; left > 0;) {
      std::uint32_t const run = min(left, ahead.whole_stages());
      left -= run;
#pragma unroll 1
      for (std::uint32_t i = run; i > 0; --i) {
        multiply_stage<true>(c, constants<f::atoms.k>{});
        ahead.next_stage();
      }
      if (run == 0) {
        --left;
        multiply_stage<false>(c, constants<f::atoms.k>{});
        ahead.next_stage();
      }
      ahead.next_tile();
    }
  }
};

// Blocks that an SM must hold, whose registers the plan counts.
constexpr int least_blocks(plan const& p) { return p.registers < 255 ? 65536 / (p.threads * p.registers) : 1; }
// Does nothing where the device lacks the instruction. The compiler reads the rest for each device that has it, only.
template <class P>
__global__ void __launch_bounds__(P::value.threads, least_blocks(P::value)) multiply(__grid_constant__ arguments const t) {
#if defined(__CUDA_ARCH__)
  if constexpr (10 * P::value.architecture <= __CUDA_ARCH__) {
    using f = traits<P>;
    extern __shared__ __align__(1024) char memory[];
    mainloop<P> k_loop(t, shared_address(memory));
    wait_for_last_launch();
    if (t.leaves_room) let_next_launch_begin();
    if constexpr (f::wide)
      if (t.asks && !is_wanted(t.p)) return;
    k_loop.fill();
    for (std::uint32_t wave = 0; tile_of(wave) < t.tiles; ++wave) {
      sums<P> c;
      c.clear();
      k_loop.multiply(c, k_tiles_of<P>(t, tile_of(wave)).count);
      store_tile<P>(t, c, origin_of<P>(t, tile_of(wave)), memory);
    }
    if constexpr (in_cluster<P>())
      if (gridDim.y > 1) cluster_end();  // no block exits while others read its sums
  }
#endif
}

// Gives a kernel its shared memory on this device, and counts the blocks of it that run there at once.
template <class Kernel>
cudaError_t blocks_at_once(int& blocks, Kernel kernel, int threads, int shared) {
  int sms = 0;
  cudaError_t e = count_sms(sms);
  if (e == cudaSuccess) e = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  if (e == cudaSuccess) e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
  if (e == cudaSuccess && blocks == 0) e = cudaErrorInvalidConfiguration;
  blocks *= sms;
  return e;
}

// Where an operand's last three parts begin, not before those of its first element (a copy has room for them); no stride is
// negative. Batches are those of a copy, side by side.
inline char const* last_parts_of(matrix const& x, int64 rows, int64 k, int64 batches) {
  auto const part_of = [](std::uintptr_t address) { return address / three_parts::part * three_parts::part; };
  int64 const last = x.offset(0, rows - 1) + x.offset(1, k - 1) + x.offset(2, batches - 1);
  auto const begin = reinterpret_cast<std::uintptr_t>(x.data),
             end = begin + static_cast<std::uintptr_t>(bytes(x.type, last + 1));
  return reinterpret_cast<char const*>(std::max(part_of(begin), part_of(end - unaligned_read)));
}

template <class P>
cudaError_t launch(problem const& p, cudaStream_t stream, std::uint8_t const* sfa, std::uint8_t const* sfb) {
  using f = traits<P>;
  static asked_once resident;
  int blocks = 0;  // that the device holds at once
  cudaError_t const error =
      resident.get(blocks, [](int& number) { return blocks_at_once(number, multiply<P>, f::p.threads, f::shared); });
  if (error != cudaSuccess) return error;
  auto const stride = [](matrix const& x, element type, major lies) { return bytes(type, x.step(lies == major::k ? 0 : 1)); };
  auto const tiles = [](int64 extent, int64 tile) { return static_cast<std::uint32_t>((extent + tile - 1) / tile); };
  arguments t{};
  t.a = static_cast<char const*>(p.a.data), t.b = static_cast<char const*>(p.b.data), t.d = p.d.data;
  t.stride_a = stride(p.a, f::p.a, f::p.major_a), t.stride_b = stride(p.b, f::p.b, f::p.major_b);
  t.batch_a = bytes(f::p.a, p.a.step(2)), t.batch_b = bytes(f::p.b, p.b.step(2));
  t.m = p.m, t.n = p.n, t.alpha = p.alpha, t.type_d = p.d.type;
  t.rows = tiles(p.m, f::p.tile_m), t.columns = tiles(p.n, f::p.tile_n), t.k_tiles = tiles(p.k, f::p.tile_k);
  t.k_tiles_of_split = tiles(t.k_tiles, p.split_k);
  t.tiles = int64{t.rows} * t.columns * (p.stores_splits ? p.split_k : p.batches);
  t.last_k = static_cast<int>(p.k - (t.k_tiles - 1) * f::p.tile_k);
  t.stores_splits = p.stores_splits, t.asks = p.moduli != nullptr;
  t.stride_d = stride_of_vectors<P>(p), t.by_strides = stores_by_strides<P>(p);
  if (t.by_strides) t.row_d = p.d.step(0), t.column_d = p.d.step(1);
  if (f::p.unaligned) t.last_a = last_parts_of(p.a, p.m, p.k, p.batches), t.last_b = last_parts_of(p.b, p.n, p.k, p.batches);
  t.sfa = sfa, t.sfb = sfb, t.p = p;
  // Splits of K that are not stored: a cluster for each tile, of a block for each split.
  unsigned const splits = p.stores_splits ? 1 : static_cast<unsigned>(p.split_k);
  dim3 const grid(static_cast<unsigned>(splits > 1 ? t.tiles : std::min<int64>(t.tiles, blocks)), splits);
  t.leaves_room = leaves_room(grid);
  return launch_with_pdl<multiply<P>>({grid, {1, splits}}, f::p.threads, f::shared, stream, t);
}

template <class P>
cudaError_t launch(problem const& p, cudaStream_t stream) {
  return launch<P>(p, stream, nullptr, nullptr);
}

// The kernels of a table of plans.
template <template <int> class P, int... I>
std::array<gemm_kernel, sizeof...(I)> kernels(std::integer_sequence<int, I...>) {
  return {gemm_kernel{&P<I>::value, launch<P<I>>}...};
}

}  // namespace colex::gpu::warp
