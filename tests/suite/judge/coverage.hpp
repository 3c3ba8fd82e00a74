// Which classes of arguments reach each law, and why one does not reach it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace colex {

struct coverage {
  std::string table;  // law x class: how many drawn arguments the law says something of; the reason for each that is empty
  std::string gaps;   // cells without a reason, reasons that are not so; none: empty
};

// Evaluates each law `count` times on the reference.
coverage coverage_of(std::size_t count, std::uint64_t seed);

}  // namespace colex
