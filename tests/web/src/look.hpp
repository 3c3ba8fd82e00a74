// What the playground shows of a line, as JSON: the tool's own answer, explanation and picture. Computes nothing of the
// algebra. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace colex::web {

// Of a request, an equation, a value or an atom: `status` as `ask --json` has it, or `drawn` where there is only a picture; how
// it is read, the answer, the steps, the elements, why there is no answer, and what CuTe's algorithm answers where it differs.
nlohmann::ordered_json look_at(std::string const& line);

// The picture of a line, behind which options of `draw` may stand: the SVG, and what is in each cell, so that a page can find
// the cell under the pointer. Where there is none, why.
nlohmann::ordered_json drawing_of(std::string const& line);

}  // namespace colex::web
