// The tool's commands: each adds itself to the command line, and leaves its exit status there when it has run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>

namespace colex {

enum exit_status { good = 0, fails = 1, bad_usage = 2 };  // 3: exit_code(run) and no_program

inline void complain(std::string const& what) { fmt::print(stderr, "colex: {}\n", what); }

using add_command = void(CLI::App& app, int& status);
add_command add_ask, add_explain;                // ask.cpp
add_command add_draw, add_figures;               // draw.cpp
add_command add_cases, add_laws;                 // laws.cpp
add_command add_conform, add_merge, add_report;  // conform.cpp
add_command add_plan;                            // plan.cpp

// What f gives of the line that the words make; malformed input is shown with its place.
template <class F>
int on_line(std::vector<std::string> const& words, F f) {
  std::string const line = fmt::format("{}", fmt::join(words, " "));
  try {
    return f(line);
  } catch (malformed const& e) {
    complain(explain(e, line));
    return bad_usage;
  }
}

}  // namespace colex
