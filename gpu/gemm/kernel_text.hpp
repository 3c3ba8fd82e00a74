// The text of the kernels that are compiled on demand, and of CUDA's headers that it includes, so that no file is needed then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace colex::gpu {

struct text {
  std::string_view place, content;  // as it is included: gpu/kernels/sm90.cu
};
// The definition is written by cmake/embed.cmake.
std::span<text const> kernel_texts();

}  // namespace colex::gpu
