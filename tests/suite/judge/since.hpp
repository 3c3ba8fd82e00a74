// What has changed since the baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/run_report.hpp"

namespace colex {

// What the baseline says of a law, or of so many cases, where it says which inputs failed and the same are asked now; else
// none.
baseline::noted const* same_inputs(options const& o, std::string const& law, std::size_t cases = 0);
// Of its inputs, how many fail that did not then, or not as badly.
std::size_t newly_failed(run_report const& run, law_report const& r);
// Is the input shown one of these, of a law of which others failed then? A smaller one may be one of the others.
bool shows_new(run_report const& run, law_report const& r);

// Says of each law whether it fails as before, and whether it is lost.
void apply_baseline(run_report& run);

}  // namespace colex
