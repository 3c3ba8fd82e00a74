// What a call costs the host: the benchmark `--host`. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/bench/cublas.hpp"

namespace colex::bench {

// Prints microseconds to enqueue a product and microseconds a product in a loop without graphs, on one thread and on eight, of
// gemm() and of cuBLAS. Returns the exit status.
int time_host(lt_library const& lt, std::string const& lt_path);

}  // namespace colex::bench
