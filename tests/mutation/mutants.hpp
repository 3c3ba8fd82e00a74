// A mutant: an algebra with one change, chosen by its number from 1 on (planted.hpp), and the laws that must notice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

namespace colex {

struct mutant {
  char const *file, *function, *change, *laws;
  answer (*respond)(request const&);
};
extern std::vector<mutant> const mutants;

}  // namespace colex
