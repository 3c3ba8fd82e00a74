// How exact products are: the benchmark `--accuracy`. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/bench/cublas.hpp"

namespace colex::bench {

// Prints a table: of each type, of data and of K, the error of gemm(), with two_level_accumulation as well, and of cuBLASLt's
// first way, against f64. Returns the exit status.
int measure_accuracy(lt_library const& lt);

}  // namespace colex::bench
