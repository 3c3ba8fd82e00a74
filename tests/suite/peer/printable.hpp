// Text from outside made fit for any report: printable ASCII, bounded. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
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

// As a shell reads it. What is not plain text is spelled $'\\x1b', as bash and zsh read it.
inline std::string shell_word(std::string const& word) {
  auto const plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_-./=:,+@%", c); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  bool const shown = printable(word, word.size()) == word;
  std::string s;
  for (char const c : word) s += c == '\'' ? (shown ? "'\\''" : "\\'") : c == '\\' && !shown ? "\\\\" : printable({&c, 1});
  return (shown ? "'" : "$'") + s + "'";
}

}  // namespace colex
