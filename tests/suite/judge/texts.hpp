// The texts that the tool is built with, so that it needs no sources where it runs: laws, cases, what is proved and what is
// not. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/files.hpp"

#include <span>
#include <sstream>
#include <string_view>

namespace colex {

struct text {
  std::string_view place, content;  // a place in the sources: spec/laws.md
};
// By place. The definition is written by cmake/embed.cmake.
std::span<text const> texts();

// To be read line by line. Throws bad_file.
inline std::istringstream text_at(std::string_view place) {
  for (text const& t : texts())
    if (t.place == place) return std::istringstream(std::string(t.content));
  throw bad_file("this colex was built without " + std::string(place));
}

}  // namespace colex
