// What a run asks: the laws and the cases that its options choose. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/laws.hpp"
#include "tests/suite/judge/run_report.hpp"

#include <map>

namespace colex {

using cases_by_operation = std::map<std::string, std::vector<located_case>>;
cases_by_operation by_operation(std::vector<located_case> cases);

struct chosen {
  std::vector<law const*> laws;
  cases_by_operation cases;  // of the files that are given, or, where there is none, of those stated
  // Of those files: `2 of 3 in --cases not asked: ... leaves out size_form`, and `mine.txt:2: there is no operation
  // compositon; ...` of what a program may offer nonetheless.
  std::vector<std::string> notes;
};
// The laws alone. Throws usage_error.
std::vector<law const*> chosen_laws(options const& asked);
// Throws usage_error where nothing is chosen, and bad_file.
chosen choose(options const& asked, cases_by_operation const& stated);

}  // namespace colex
