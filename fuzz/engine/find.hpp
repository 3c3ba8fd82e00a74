// A find: what it breaks, on which input, and the line that shows it. Every target reports through here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/trial.hpp"

namespace colex::fuzz {

struct find {
  std::string target, law;     // of an operation's worked examples: OPERATION_form
  std::vector<binding> where;  // the arguments, as `colex conform --only` takes them
  std::string line;            // `request = answer`, the reference's; empty where the reference itself is at fault
  std::string got;             // what was answered or seen instead
};

// Has a find of this law been recorded before, in this process or in an earlier one?
bool known(std::string const& law);

// Prints the find. Where COLEX_FINDS names a file, adds it there as a line of JSON that survives whatever comes next, and
// returns: the law is known from now on. Otherwise aborts, as fuzzing engines expect.
void report(find const& f);

// `A=(2,2):(1,2) i=3`
std::string print(std::vector<binding> const& where);

}  // namespace colex::fuzz
