// What gemm_test is told, and what it does then (gemm_test.cu). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/device/gemm_draw.hpp"

namespace colex::verify {

struct settings {
  int64 count = 10000;
  std::uint64_t seed = 1;
  std::string kernel = "*";
  double seconds = 1e9;
  bool sanitize = false, list = false;
  bounds within;
};

int judge_all(settings const& s);

}  // namespace colex::verify
