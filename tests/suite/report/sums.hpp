// Whether what a result says in sum is what it lists. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace colex {

// The verdict of a law and whether it fails follow from its counts, the totals of a run from its laws, and failures of a survey
// are among those counted. Throws bad_file with the first that does not. What a result leaves out is not held against it; the
// laws are known, and their form is the schema's (results.cpp).
void check_sums(nlohmann::ordered_json const& result);

}  // namespace colex
