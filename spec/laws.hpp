// The laws as rows of C++ over any implementation. Each row states what must hold of an implementation's answers;
// it computes nothing of the algebra itself (meaning.hpp evaluates layouts). Statements, hypotheses and sources: laws.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/trial.hpp"

#include <span>

namespace colex {

// A law: `operation_property`, its statement in one line, what to draw for each argument (`name:kind`), and its row.
struct law {
  char const* name;
  char const* statement;
  char const* arguments;
  void (*check)(trial&);
  char const* operation;  // the operation it is about, the first part of its name
};

// All laws, in the order of laws.md: an operation's definition comes before what rests on it.
std::span<law const> laws();

}  // namespace colex
