// FNV-1a, the one checksum and hash of this folder. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace colex::gpu {

// Of what is added in order: bytes, or words.
struct fnv_1a {
  std::uint64_t sum = 0xcbf29ce484222325;
  void add(std::uint64_t x) { sum = (sum ^ x) * 0x100000001b3; }
};

}  // namespace colex::gpu
