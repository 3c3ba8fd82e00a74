// A hash of text that is the same everywhere: FNV-1a.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace colex {

constexpr std::uint64_t hash_of(std::string_view text, std::uint64_t h = 14695981039346656037u) {
  for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

}  // namespace colex
