// The conformance suite: asks a program the requests of every law and case, and judges its answers. Talks to the
// program through peer.hpp and prints nothing; report.hpp does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/run_report.hpp"

#include <functional>

namespace colex {

// Runs the suite, decides what is shown in full and shrinks what failed with the program in the loop.
// Throws no_program, usage_error, bad_file. `progress` is told the law at hand and how much is done, `shrinking` the same of
// failures made smaller.
using progress_line = std::function<void(std::string const& name, std::size_t done, std::size_t all)>;
run_report conform(options const& asked, progress_line const& progress, progress_line const& shrinking = [](auto&&...) {});
// What the run would have come to whose shards these are, all of them. Throws bad_file where a law is in two of them, or in
// none.
run_report merged(std::vector<run_report> parts);

}  // namespace colex
