// What a planted mutant asks: is it the chosen one? Chosen by COLEX_MUTANT, or by the program; where that is -1, notes which
// were asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/time.h>

#include <bitset>
#include <cstdlib>
#include <type_traits>

namespace colex::planted {

inline constexpr int most = 1 << 15;

// Ended by SIGPROF if that time of the processor is not enough: others may be at work.
inline void allow(long milliseconds) {
  itimerval const t{{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
  setitimer(ITIMER_PROF, &t, nullptr);
}
// What happens before main is limited, too.
inline int choose() {
  char const* said = std::getenv("COLEX_MUTANT");
  int const id = said ? std::atoi(said) : 0;
  if (id > 0) allow(2000);
  return id;
}
inline int chosen = choose();
inline std::bitset<most> reached;

// In an initializer at namespace scope: not constexpr, so that it runs when the program starts.
inline bool at_start(int id) {
  if (chosen < 0) reached.set(static_cast<std::size_t>(id));
  return chosen == id;
}
// Elsewhere: what the compiler evaluates has no mutants.
constexpr bool here(int id) { return !std::is_constant_evaluated() && at_start(id); }

}  // namespace colex::planted
