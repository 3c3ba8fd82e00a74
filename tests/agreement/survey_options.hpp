// What `exhaustive` and `properties` are told. CLI11 is read and compiled once for both, with no optimization that they need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/agreement/oracle.hpp"
#include "tests/suite/judge/shard.hpp"

#include <algorithm>
#include <thread>

namespace colex {

// Which layouts: of at most this size, rank and stride.
struct scope {
  oracle::number size;
  std::size_t rank;
  oracle::number stride;
};

struct survey_options {
  std::uint64_t seed = 1;
  shard part;
  std::string json;  // a file for `colex merge`

  // Of `exhaustive` alone.
  scope within{};  // size 0: the usual scopes
  std::uint64_t sample = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
};

// Does what the command line says; the exit status.
int exhaustive(int argc, char** argv, int (*survey)(survey_options const&));
int properties(int argc, char** argv, int (*survey)(survey_options const&));

}  // namespace colex
