// What is known of a law beforehand: the rulings it rests on (spec/errata.md), and where CuTe C++ breaks it (spec/peers.md).
// SPDX-License-Identifier: Apache-2.0
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

}  // namespace colex
