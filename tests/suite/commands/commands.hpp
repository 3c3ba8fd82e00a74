// The tool's commands: each adds itself to the command line, and leaves its exit status there when it has run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/commands/reading.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <span>

namespace colex {

enum exit_status { good = 0, fails = 1, bad_usage = 2 };  // 3: exit_code(run) and no_program

// What is wrong, on standard error, if there is one: a line, or a line and the text with a caret under it. What it repeats of
// people's words moves no cursor and fills no window.
void complain(std::string const& what);

using add_command = void(CLI::App& app, int& status);
add_command add_ask, add_explain, add_solve;     // ask.cpp
add_command add_draw, add_figures;               // draw.cpp
add_command add_cases, add_laws;                 // laws.cpp
add_command add_conform, add_merge, add_report;  // conform.cpp
add_command add_plan;                            // plan.cpp
add_command add_ops, add_atoms;                  // discover.cpp
add_command add_init, add_completion;            // begin.cpp
add_command add_export;                          // export.cpp

// The tool of these commands alone: see tool.hpp.
int tool(int argc, char const* const* argv, std::span<add_command* const> commands);

// The option that names a file to write.
inline CLI::Option* add_output(CLI::App& app, std::string& to, std::string const& help) {
  return app.add_option("-o,--output", to, help)->check([](std::string const& name) {
    return std::string(name.empty() ? "'' is no file" : "");
  });
}

// `ask --peers NAMES` of a line, or of each line of standard input where it is empty. Throws bad_file and usage_error.
int ask_peers(std::string const& names, std::string const& line, bool as_json);

// What f gives of the line that the words make. What is malformed is shown with its place, and with what was asked within the
// line how it was read.
int on_line(std::vector<std::string> const& words, std::function<int(reading const&)> const& f);

}  // namespace colex
