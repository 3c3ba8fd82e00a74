// Text from outside made fit for any report: printable ASCII, bounded. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace colex {

inline std::string printable(std::string_view raw, std::size_t limit = 120) {
  std::string s;
  for (char const c : raw.substr(0, limit)) {
    auto const u = static_cast<unsigned char>(c);
    s += u >= 32 && u < 127 ? std::string(1, c) : fmt::format("\\x{:02x}", u);
  }
  return raw.size() > limit ? s + fmt::format("... ({} characters)", raw.size()) : s;
}

// At most so many characters of it, at least three; what is cut off is marked.
inline std::string clipped(std::string const& s, std::size_t most = 160) {
  return s.size() > most ? s.substr(0, most - 3) + "..." : s;
}

}  // namespace colex
