// TMA: a line of PTX each, and the tensor maps that the host encodes. No kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/kernels/common/barrier.cuh"
#include "gpu/kernels/common/launch.cuh"
#include "gpu/kernels/common/problem.hpp"

#if defined(__CUDACC_RTC__)
struct alignas(COLEX_TENSOR_MAP_ALIGNMENT) CUtensorMap {
  std::uint64_t opaque[16];
};
#else
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

namespace colex::gpu {

inline CUtensorMapDataType map_type(element e) {
  switch (e) {
    case element::f64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case element::f32: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case element::tf32: return CU_TENSOR_MAP_DATA_TYPE_TFLOAT32;  // rounds f32 to nearest even on the way
    case element::f16: return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case element::bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case element::s32: return CU_TENSOR_MAP_DATA_TYPE_INT32;
    default: return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}
// The driver's functions that encode a map, and give one another address; null where it has none.
template <class Function>
Function driver_function(char const* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(entry) : nullptr;
}
inline PFN_cuTensorMapEncodeTiled_v12000 tensor_map_encoder() {
  static auto const encoder = driver_function<PFN_cuTensorMapEncodeTiled_v12000>("cuTensorMapEncodeTiled");
  return encoder;
}
inline cudaError_t move_tensor_map(CUtensorMap& map, void* data) {
  static auto const replace = driver_function<PFN_cuTensorMapReplaceAddress_v12000>("cuTensorMapReplaceAddress");
  if (!replace) return cudaErrorNotSupported;
  return replace(&map, data) == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}
// The tensor map of a matrix. x: the matrix; type: what its elements are read or stored as; run: its contiguous mode; box_run,
// box_rows: the box's extents, in elements; swizzle_bits: of the swizzle in shared memory, 3 for rows of 128 bytes, 2 of 64, 1
// of 32, 0 for none. A box is of one batch. Outside the matrix, loads bring zeros and stores write nothing. error: the driver
// refuses the map (16-byte alignment, extents above 2^32).
inline cudaError_t make_tensor_map(CUtensorMap& map, matrix const& x, element type, int run, int64 run_extent, int64 row_extent,
                                   int64 batches, int64 box_run, int64 box_rows, int swizzle_bits) {
  int const rows = 1 - run;
  int64 const size = bits_of(x.type) / 8;
  auto const pitch = [&](int mode, int64 least) {  // any will do for a mode of one element
    int64 const step = x.step(mode);
    return static_cast<cuuint64_t>((step == 0 ? least : step) * size);
  };
  cuuint64_t const row_pitch = pitch(rows, (run_extent * size + 15) / 16 * 16 / size);
  cuuint64_t const extents[] = {static_cast<cuuint64_t>(run_extent), static_cast<cuuint64_t>(row_extent),
                                static_cast<cuuint64_t>(x.step(2) == 0 ? 1 : batches)};
  cuuint64_t const pitches[] = {row_pitch, pitch(2, 16)};
  cuuint32_t const box[] = {static_cast<cuuint32_t>(box_run), static_cast<cuuint32_t>(box_rows), 1}, steps[] = {1, 1, 1};
  auto const encode = tensor_map_encoder();
  if (!encode) return cudaErrorNotSupported;
  constexpr CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                             CU_TENSOR_MAP_SWIZZLE_128B};
  CUresult const r = encode(&map, map_type(type), 3, x.data, extents, pitches, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                            swizzles[swizzle_bits], CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return r == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace colex::gpu
#endif

#if defined(__CUDACC__)
namespace colex::gpu {

// Loads a box from global to shared memory; the barrier counts its bytes. blocks: a bit for each block of the cluster that
// receives it, at the same offset, with its own barrier (multicast).
__device__ inline void tma_load(std::uint32_t to, CUtensorMap const& map, std::uint32_t barrier, int run, int row, int batch) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(
          to),
      "l"(&map), "r"(barrier), "r"(run), "r"(row), "r"(batch)
      : "memory");
}
__device__ inline void tma_load(std::uint32_t to, CUtensorMap const& map, std::uint32_t barrier, int run, int row, int batch,
                                std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4, "
      "%5}], [%2], %6;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(run), "r"(row), "r"(batch), "h"(blocks)
      : "memory");
}
// Brings a tensor map to the cache of descriptors.
__device__ inline void tma_prefetch(CUtensorMap const& map) { asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory"); }
__device__ inline void tma_store(CUtensorMap const& map, std::uint32_t from, int run, int row, int batch) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map), "r"(from),
               "r"(run), "r"(row), "r"(batch)
               : "memory");
}
__device__ inline void tma_store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Waits until all but `Left` of this thread's stores have read shared memory.
template <int Left>
__device__ inline void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}
__device__ inline void tma_store_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
// Makes this thread's writes to shared memory visible to TMA and the tensor cores.
__device__ inline void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

}  // namespace colex::gpu
#endif
