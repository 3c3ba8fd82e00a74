// What is known beforehand of a law: the rulings it rests on (spec/errata.md), and where CuTe C++ breaks it (spec/peers.md).
// And of a request: who answers it otherwise (spec/found.md). SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace colex {

// An entry of errata.md that has a ruling.
struct erratum {
  std::string name, title, place, text;  // E13, `Right inverse is not the largest`, spec/errata.md:214, its section
  std::vector<std::string> laws;         // that state the ruling
};
// Those that a law states, and those that have the case line `example`.
std::vector<erratum> errata_of(std::string const& law, std::string const& example = {});

// How CuTe C++ breaks the law, with an input and what comes of it there; empty where it is not known to.
std::string cute_on(std::string const& law);

// A request that implementations in use get wrong, the law that speaks of it, and what is known of it in a line: `silent in
// mojo, pycute; NVIDIA/cutlass#2955`.
struct known_defect {
  std::string request, law, what;
};
std::vector<known_defect> const& known_defects();

}  // namespace colex
