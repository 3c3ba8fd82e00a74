// One law, or the cases of an operation, judged on a program's answers. conform.cpp decides which, when, and what is shown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/arguments/shrink.hpp"
#include "tests/suite/judge/run_report.hpp"

#include <chrono>

namespace colex {

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point begin);

// A law that is asked fewer inputs than these, because the time is out, is not judged.
inline constexpr std::size_t least_inputs = 16;
// The report of a law whose operation the program does not offer, of one input that was not drawn.
law_report not_offered(law const& l);
// `then`: what the baseline says of these inputs; none: nothing.
law_report run_law(law const& l, evaluator& judge, std::uint64_t seed, std::size_t count, clock::time_point until,
                   baseline::noted const* then);
// With the program in the loop; a hanging one would cost its time limit at every try.
void shrink_report(law_report& r, evaluator& judge, shrink_budget const& budget);
// The cases of an operation as one law: `composition_form`.
law_report run_cases(std::string const& operation, std::vector<located_case> const& cases, peer& p,
                     clock::time_point until = clock::time_point::max(), baseline::noted const* then = nullptr);
// The input of `--only`.
law_report run_only(std::string const& text, peer& p, evaluator& judge);

}  // namespace colex
