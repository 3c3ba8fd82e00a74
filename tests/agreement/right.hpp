// What the reference says, each request answered once: programs that are wrong of one operation are asked much the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/in_process.hpp"

#include <unordered_map>

namespace colex {

inline answer const& right(request const& r) {
  static std::unordered_map<std::string, answer> answers;
  auto const [at, fresh] = answers.try_emplace(print(r));
  if (fresh) at->second = said(ref::respond, r);
  return at->second;
}

}  // namespace colex
