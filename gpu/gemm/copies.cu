// The kernels of copies.hpp. SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm/copies.hpp"

#include "gpu/kernels/common/launch.cuh"

namespace colex::gpu {
namespace {

// 16 bytes from `past` bytes behind an aligned address, by one or two aligned loads.
__device__ inline uint4 shifted(uint4 const* aligned, int past) {
  uint4 const low = __ldcs(aligned), high = past == 0 ? low : __ldcs(aligned + 1);
  std::uint32_t w[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if (past & 8) {
#pragma unroll
    for (int j = 0; j < 6; ++j) w[j] = w[j + 2];
  }
  if (past & 4) {
#pragma unroll
    for (int j = 0; j < 5; ++j) w[j] = w[j + 1];
  }
  int const bits = past % 4 * 8;
  return {__funnelshift_r(w[0], w[1], bits), __funnelshift_r(w[1], w[2], bits), __funnelshift_r(w[2], w[3], bits),
          __funnelshift_r(w[3], w[4], bits)};
}
// 16 bytes of a line from its i-th element on. Reads nothing outside the line.
template <class Bits>
__device__ inline uint4 vector_of(Bits const* line, int64 i, int64 extent) {
  constexpr int width = 16 / sizeof(Bits);
  auto const address = reinterpret_cast<std::uintptr_t>(line + i);
  int const past = static_cast<int>(address % 16), before = past / static_cast<int>(sizeof(Bits));
  if (i >= before && i - before + (past == 0 ? width : 2 * width) <= extent)
    return shifted(reinterpret_cast<uint4 const*>(address - past), past);
  alignas(16) Bits each[width];
#pragma unroll
  for (int j = 0; j < width; ++j) each[j] = i + j < extent ? __ldg(line + i + j) : Bits(0);
  return reinterpret_cast<uint4 const&>(each);
}

// Around a copy. Beside the other operand's it ends once that has: the launch behind them waits for this one only.
__device__ inline void begin(repacking const& r) {
  if (!r.beside_last) wait_for_last_launch();
  if (r.next_begins_early) let_next_launch_begin();
}
__device__ inline void end(repacking const& r) {
  if (r.beside_last) wait_for_last_launch();
}

// Copies lines that are contiguous in the source, too, at any alignment, with 2^log_lanes threads to a line.
template <class Bits>
__global__ void __launch_bounds__(256, 6) copy_lines(__grid_constant__ repacking const r, int log_lanes) {
  begin(r);
  constexpr int width = 16 / sizeof(Bits);
  int const thread = static_cast<int>(threadIdx.x), in_block = thread >> log_lanes, lane = thread - (in_block << log_lanes);
  int64 const height = 256 >> log_lanes, across = r.from.step(1 - r.run), between = r.from.step(2);
  int64 const first = ((int64{blockIdx.z} << log_lanes) + lane) * width, step = (int64{gridDim.z} << log_lanes) * width;
  for (int64 batch = blockIdx.y; batch < r.batches; batch += gridDim.y) {
    for (int64 l = blockIdx.x * height + in_block; l < r.lines; l += gridDim.x * height) {
      Bits const* const from = static_cast<Bits const*>(r.from.data) + batch * between + l * across;
      Bits* const to = static_cast<Bits*>(r.to) + (batch * r.lines + l) * r.pitch;
      for (int64 i = first; i < r.pitch; i += step) *reinterpret_cast<uint4*>(to + i) = vector_of(from, i, r.extent);
    }
  }
  end(r);
}

// 64 x 64 elements in shared memory: lines are contiguous, neighbours in a column an odd number of words apart.
inline constexpr int side = 64;
template <class Bits>
using square = Bits[side][side + (sizeof(Bits) < 4 ? 4 / sizeof(Bits) : 1)];

// Lanes go along the mode with the smaller stride in the source. Plain: each mode has one stride, so that an offset is one
// product.
template <class Bits, bool Plain>
__device__ inline void read_square(square<Bits>& to, repacking const& r, int64 line, int64 i, int64 batch, bool along_run) {
  int const lane = static_cast<int>(threadIdx.x) % side, first = static_cast<int>(threadIdx.x) / side;
  int const mode = along_run ? r.run : 1 - r.run;
  int64 const here = (along_run ? i : line) + lane, there = along_run ? line : i;
  int64 const rest = (along_run ? r.lines : r.extent) - there;
  bool const exists = here < (along_run ? r.extent : r.lines);
  auto const* const from = static_cast<Bits const*>(r.from.data) + r.from.offset(2, batch) + r.from.offset(mode, here);
  int64 const step = r.from.step(1 - mode);
#pragma unroll
  for (int j = first; j < side; j += 256 / side) {
    Bits const v =
        exists && j < rest ? __ldg(from + (Plain ? (there + j) * step : r.from.offset(1 - mode, there + j))) : Bits(0);
    (along_run ? to[j][lane] : to[lane][j]) = v;
  }
}
template <class Bits>
__device__ inline void write_square(square<Bits> const& from, repacking const& r, int64 line, int64 i, int64 batch) {
  constexpr int width = 16 / sizeof(Bits), of_line = side / width;
#pragma unroll
  for (int v = static_cast<int>(threadIdx.x); v < side * of_line; v += 256) {
    int const l = v / of_line, k = v % of_line * width;
    if (line + l >= r.lines || i + k >= r.pitch) continue;
    auto const* const words = reinterpret_cast<std::uint32_t const*>(&from[l][k]);
    Bits* const to = static_cast<Bits*>(r.to) + (batch * r.lines + line + l) * r.pitch + i + k;
    *reinterpret_cast<uint4*>(to) = {words[0], words[1], words[2], words[3]};
  }
}
// Copies, and transposes, any source.
template <class Bits, bool Plain>
__global__ void __launch_bounds__(256) copy_squares(__grid_constant__ repacking const r, bool along_run) {
  begin(r);
  alignas(16) __shared__ square<Bits> tile;
  for (int64 batch = blockIdx.z; batch < r.batches; batch += gridDim.z) {
    for (int64 line = static_cast<int64>(blockIdx.y) * side; line < r.lines; line += static_cast<int64>(gridDim.y) * side) {
      for (int64 i = static_cast<int64>(blockIdx.x) * side; i < r.pitch; i += static_cast<int64>(gridDim.x) * side) {
        read_square<Bits, Plain>(tile, r, line, i, batch, along_run);
        __syncthreads();
        write_square(tile, r, line, i, batch);
        __syncthreads();
      }
    }
  }
  end(r);
}

// Blocks along a direction of the grid, at most as many as it may have.
unsigned blocks_x(int64 wanted) { return static_cast<unsigned>(smaller(wanted, 0x7fffffff)); }
unsigned blocks_yz(int64 wanted) { return static_cast<unsigned>(smaller(wanted, 0xffff)); }

template <class Bits>
cudaError_t launch_repack(repacking const& r, cudaStream_t stream) {
  if (has_lines(r.from, r.run)) {
    int64 const vectors = r.pitch * static_cast<int64>(sizeof(Bits)) / 16;
    int log_lanes = 0;
    while (log_lanes < 8 && 1 << log_lanes < vectors) ++log_lanes;
    dim3 const blocks(blocks_x(ceil_div(r.lines, 256 >> log_lanes)), blocks_yz(r.batches),
                      blocks_yz(ceil_div(vectors, 4 << log_lanes)));
    return launch_with_pdl<copy_lines<Bits>>({blocks}, 256, 0, stream, r, log_lanes);
  } else {
    dim3 const blocks(blocks_x(ceil_div(r.pitch, side)), blocks_yz(ceil_div(r.lines, side)), blocks_yz(r.batches));
    bool const plain = r.from.plain(0) && r.from.plain(1) && r.from.plain(2);
    bool const along_run = nearness(r.from, r.run) < nearness(r.from, 1 - r.run);
    return plain ? launch_with_pdl<copy_squares<Bits, true>>({blocks}, 256, 0, stream, r, along_run)
                 : launch_with_pdl<copy_squares<Bits, false>>({blocks}, 256, 0, stream, r, along_run);
  }
}

template <class Sum>
struct alignas(16) neighbours {
  static constexpr int count = 16 / static_cast<int>(sizeof(Sum));
  Sum at[count];

  __device__ void add(neighbours const& x) {
#pragma unroll
    for (int j = 0; j < count; ++j) at[j] += x.at[j];
  }
};
// Those of a row of which `left` more are there: what lies behind its end nobody has written. Whole: no end lies within them.
template <bool Whole, class Sum>
__device__ neighbours<Sum> in_row(neighbours<Sum> const& from, int64 left) {
  if constexpr (Whole) return from;
  neighbours<Sum> x = {};
#pragma unroll
  for (int j = 0; j < x.count; ++j)
    if (j < left) x.at[j] = from.at[j];
  return x;
}

// Of a block: few, so that small results have many SMs.
inline constexpr int reducing_threads = 128;
// Adds what lies at splits 1, 2, ... to the first one's. Some are loaded at once, since a trip to memory takes longer than all
// else.
template <bool Whole, class Sum>
__device__ neighbours<Sum> sum_of_splits(neighbours<Sum> const* at, int64 of_split, int split_k, int64 left) {
  constexpr int at_once = 16;
  neighbours<Sum> sum = in_row<Whole>(*at, left);
  for (int first = 1; first < split_k; first += at_once) {
    neighbours<Sum> next[at_once];
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (first + j < split_k) next[j] = in_row<Whole>(at[(first + j) * of_split], left);
#pragma unroll
    for (int j = 0; j < at_once; ++j)
      if (first + j < split_k) sum.add(next[j]);
  }
  return sum;
}
// A thread adds up 16 bytes of a row, split after split, and stores them. vectorized: as 16 bytes; C is not read.
template <class Sum, bool Whole>
__global__ void __launch_bounds__(reducing_threads)
    reduce_split_k(__grid_constant__ problem const p, neighbours<Sum> const* sums, int split_k, int64 of_row, bool vectorized) {
  using vec16 = neighbours<Sum>;
  wait_for_last_launch();
  int64 const i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x, all = p.m * of_row;
  if (i >= all) return;
  int64 const m = i / of_row, n = i % of_row * vec16::count, at = p.d.offset(0, m);
  vec16 sum = sum_of_splits<Whole>(sums + i, all, split_k, p.n - n);
  linear_combination<Sum> const combine(p);
#pragma unroll
  for (int j = 0; j < vec16::count; ++j) {
    if (vectorized)
      sum.at[j] = converted<Sum>(combine.with(sum.at[j], Sum(0)));
    else if (n + j < p.n)
      store(p.d, at + p.d.offset(1, n + j), combine(p, sum.at[j], m, n + j, 0));
  }
  if (vectorized) *reinterpret_cast<vec16*>(static_cast<Sum*>(p.d.data) + at + n) = sum;
}
template <class Sum>
cudaError_t launch_reduce_split_k(problem const& p, matrix const& sums, int split_k, cudaStream_t stream) {
  int64 const of_row = ceil_div(p.n, neighbours<Sum>::count), blocks = ceil_div(times(p.m, of_row), reducing_threads);
  bool const vectorized = p.d.type == sums.type && p.beta == 0 && has_whole_vectors(p);
  auto const launch = [&](auto whole) {
    return launch_with_pdl<reduce_split_k<Sum, whole.value>>({dim3(static_cast<unsigned>(blocks))}, reducing_threads, 0, stream,
                                                             p, static_cast<neighbours<Sum> const*>(sums.data), split_k, of_row,
                                                             vectorized);
  };
  return p.n % neighbours<Sum>::count == 0 ? launch(std::true_type{}) : launch(std::false_type{});
}

template <class Sum>
__global__ void __launch_bounds__(256) scale(__grid_constant__ problem const p) {
  linear_combination<Sum> const combine(p);
  int64 const of_batch = p.m * p.n, step = static_cast<int64>(gridDim.x) * blockDim.x;
  for (int64 i = static_cast<int64>(blockIdx.x) * blockDim.x + threadIdx.x; i < of_batch * p.batches; i += step) {
    int64 const batch = i / of_batch, m = i % of_batch / p.n, n = i % p.n;
    store(p.d, p.d.offset(0, m) + p.d.offset(1, n) + p.d.offset(2, batch), combine(p, Sum(0), m, n, batch));
  }
}

__global__ void alone_on_an_sm() {}

}  // namespace

cudaError_t launch_repack(repacking const& r, cudaStream_t stream) {
  switch (bits_of(r.from.type)) {
    case 64: return launch_repack<std::uint64_t>(r, stream);
    case 32: return launch_repack<std::uint32_t>(r, stream);
    case 16: return launch_repack<std::uint16_t>(r, stream);
    default: return launch_repack<std::uint8_t>(r, stream);
  }
}

cudaError_t launch_reduce_split_k(problem const& p, matrix const& sums, int split_k, cudaStream_t stream) {
  switch (sums.type) {
    case element::f64: return launch_reduce_split_k<double>(p, sums, split_k, stream);
    case element::s32: return launch_reduce_split_k<std::int32_t>(p, sums, split_k, stream);
    default: return launch_reduce_split_k<float>(p, sums, split_k, stream);
  }
}

void ask_clusters(device_info& device) {
  auto const code = reinterpret_cast<void const*>(alone_on_an_sm);
  auto const shared = static_cast<int>(shared_limit(device.architecture));
  auto held = device.clusters;
  bool const answers = allow_clusters(code, shared) == cudaSuccess;
  for (std::size_t i = 0; answers && i < held.size(); ++i)
    if (ask_clusters(held[i], code, static_cast<int>(i) + 1, 128, shared) != cudaSuccess) held[i] = 0;
  cudaGetLastError();
  if (held[0] > 0) device.clusters = held;
}

cudaError_t launch_scale(problem p, element operands, cudaStream_t stream) {
  p.alpha = 0;
  auto const blocks = static_cast<unsigned>(smaller(ceil_div(times(times(p.m, p.n), p.batches), 256), 1 << 20));
  if (operands == element::f64)
    scale<double><<<blocks, 256, 0, stream>>>(p);
  else if (operands == element::s8)
    scale<std::int32_t><<<blocks, 256, 0, stream>>>(p);
  else
    scale<float><<<blocks, 256, 0, stream>>>(p);
  return cudaGetLastError();
}

}  // namespace colex::gpu
