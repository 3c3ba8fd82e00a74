// What a planted mutant asks: is it the chosen one? Chosen by COLEX_MUTANT, or by the program; where that is -1, notes which
// were asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstdlib>
#include <type_traits>

namespace colex::planted {

inline constexpr int most = 1 << 15;
inline int chosen = std::getenv("COLEX_MUTANT") ? std::atoi(std::getenv("COLEX_MUTANT")) : 0;
inline std::bitset<most> reached;

// In an initializer at namespace scope: not constexpr, so that it runs when the program starts.
inline bool at_start(int id) {
  if (chosen < 0) reached.set(static_cast<std::size_t>(id));
  return chosen == id;
}
// Elsewhere: what the compiler evaluates has no mutants.
constexpr bool here(int id) { return !std::is_constant_evaluated() && at_start(id); }

}  // namespace colex::planted
