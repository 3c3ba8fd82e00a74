// One step of an explanation: what it is called, why it is taken and what it gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

namespace colex {

struct step {
  std::string name, why;
  value result;
};

}  // namespace colex
