// Packs scale factors for the kernels that take them (factors.hpp). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/problem.hpp"
#include "gpu/plans/factors.hpp"

#include <cuda_runtime.h>

namespace colex::gpu {

// Zeros, which are numbers, outside the matrix.
static __global__ void pack_factors(std::uint8_t* to, __grid_constant__ matrix const from, int64 words, int64 rows,
                                    int64 row_tiles, int64 factors, int64 k_tiles, int64 total) {
  auto const* const given = static_cast<std::uint8_t const*>(from.data);
  for (int64 i = blockIdx.x * int64{blockDim.x} + threadIdx.x; i < total; i += int64{gridDim.x} * blockDim.x) {
    factor_coordinate const x = factor_at(words, row_tiles, k_tiles, i);
    bool const exists = x.row < rows && x.k < factors;
    to[i] = exists ? given[from.offset(0, x.row) + from.offset(1, x.k) + from.offset(2, x.batch)] : std::uint8_t{0};
  }
}

// An operand's packed scale factors, in memory that the stream frees.
class packed_factors {
 public:
  packed_factors() = default;
  packed_factors(packed_factors const&) = delete;
  ~packed_factors() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  cudaError_t pack(plan const& p, matrix const& from, int64 rows, problem const& g, cudaStream_t stream) {
    stream_ = stream;
    int64 const words = factor_words(p), row_tiles = ceil_div(rows, factor_rows), k_tiles = ceil_div(g.k, p.tile_k);
    int64 const total = g.batches * row_tiles * k_tiles * words * factor_chunk_bytes;
    if (cudaError_t const e = cudaMallocAsync(&data_, static_cast<std::size_t>(total), stream); e != cudaSuccess) {
      cudaGetLastError();  // reported by the return value
      return e;
    }
    auto const blocks = static_cast<unsigned>(smaller(ceil_div(total, 256), 65535));
    pack_factors<<<blocks, 256, 0, stream>>>(static_cast<std::uint8_t*>(data_), from, words, rows, row_tiles,
                                             ceil_div(g.k, p.scale.block), k_tiles, total);
    return cudaGetLastError();
  }
  std::uint8_t const* data() const { return static_cast<std::uint8_t const*>(data_); }

 private:
  cudaStream_t stream_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace colex::gpu
