// The two CUDA types in the GEMMs' declarations: CUDA's own where its headers are. Elsewhere, where plans are only chosen, an
// incomplete type suffices. SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#else
using cudaStream_t = struct CUstream_st*;
enum cudaError_t : int {};
#endif
