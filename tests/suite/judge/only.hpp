// One input of one law, as a report's last line has it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/laws.hpp"
#include "tests/suite/judge/cases.hpp"

namespace colex {

// A request for a law, operation or argument that there is not.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What to say where a law does not speak of its arguments: which of them, if that is known, and of what it does.
usage_error outside_hypothesis(law const& l, std::string const& which);

// A law and its arguments, which are of their kinds; or, for OPERATION_form, a case.
struct only_input {
  law const* row = nullptr;
  std::vector<binding> where;
  std::optional<located_case> example;
};

// `LAW A=... B=...` or `OPERATION_form CASE`. Throws usage_error, and malformed with the column in the text.
only_input parse_only(std::string const& text);

}  // namespace colex
