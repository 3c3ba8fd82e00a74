// The state of a pipeline's producer or consumer (CUTLASS: PipelineState). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/checked.hpp"

#include <cstdint>

namespace colex::gpu {

// A stage, or an accumulator buffer, and the phase of its barrier, which flips each time around.
template <int Stages>
struct pipeline_state {
  int stage = 0;
  std::uint32_t phase = 0;

  COLEX_HD constexpr void next() {
    if (++stage == Stages) stage = 0, phase ^= 1;
  }
  COLEX_HD constexpr void skip(int stages) {
    int const to = stage + stages;
    stage = to % Stages, phase ^= to / Stages & 1;
  }
};

}  // namespace colex::gpu
