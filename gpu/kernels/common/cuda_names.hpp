// The two names of CUDA's in the GEMMs' declarations: its own where its headers are. Elsewhere whoever asks which plan would
// run needs no more than that there are such types. SPDX-License-Identifier: Apache-2.0
#pragma once

#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#else
using cudaStream_t = struct CUstream_st*;
enum cudaError_t : int {};
#endif
