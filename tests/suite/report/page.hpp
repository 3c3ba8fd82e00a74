// Reports made of the JSON of one or several runs, side by side: a page, Markdown, a table for terminals, a badge.
// Judges nothing. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/report/results.hpp"

namespace colex {

std::string page_of(run_list const& runs);      // one self-contained HTML page: no script, nothing from the network
std::string markdown_of(run_list const& runs);  // the table of results, and a counterexample of each broken law
std::string table_of(run_list const& runs);     // the table of results
std::string badge_of(run_list const& runs);     // an SVG: how many laws the first one keeps

}  // namespace colex
