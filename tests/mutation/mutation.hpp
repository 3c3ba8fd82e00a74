// What the programs share that judge planted mutants (planted.hpp), item by item:
//   COLEX_MUTANT=-1 PROGRAM ...          each item, its microseconds, and the mutants that it asks
//   COLEX_MUTANT=17 PROGRAM ... <ITEMS   the first of those items that notices; exits with 1 if one does
// An item to be asked has behind it the milliseconds that it is allowed. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/mutation/planted.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <string>

namespace colex::planted {

// By name: is nothing wrong?
using checks = std::map<std::string, std::function<bool()>>;
using marks = std::bitset<most>;

// A mutant that loops or grows is ended.
inline void limit() {
  constexpr rlim_t memory = rlim_t{512} << 20;
  rlimit const bytes{memory, memory}, core{0, 0};
  setrlimit(RLIMIT_AS, &bytes);
  setrlimit(RLIMIT_CORE, &core);
}

inline void print_item(std::string const& name, long microseconds, marks const& asked) {
  fmt::print("{} {}", name, microseconds);
  for (std::size_t id = 0; id < asked.size(); ++id)
    if (asked[id]) fmt::print(" {}", id);
  fmt::print("\n");
}
// What is asked before main makes tables for all of them: `start`; in the first of two rounds alone, for what needs one:
// `once`.
inline int record(checks const& all) {
  using namespace std::chrono;
  int failed = 0;
  marks const before = reached;
  marks again;
  for (auto const& [name, item] : all) item();
  marks const first = reached;
  for (auto const& [name, item] : all) {
    reached.reset();
    auto const start = steady_clock::now();
    if (item())
      print_item(name, duration_cast<microseconds>(steady_clock::now() - start).count(), reached);
    else
      ++failed, fmt::print(stderr, "{} fails without a mutant\n", name);
    again |= reached;
  }
  print_item("start", 0, before);
  print_item("once", 0, first & ~before & ~again);
  return failed != 0;
}

// find(name): the check of an item.
template <class Find>
int ask(Find find) {
  limit();
  std::string name;
  long milliseconds = 0;
  while (std::cin >> name >> milliseconds) {
    allow(milliseconds);
    std::cout << name << std::endl;
    if (!find(name)()) return 1;
  }
  return 0;
}

}  // namespace colex::planted
