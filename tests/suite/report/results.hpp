// What runs wrote with --json, read back as from a stranger: bounded in size and depth, held against spec/report.schema.json,
// each law known and named once. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace colex {

// What a result says first, its "schema": raised when a member goes or means something else (spec/versions.md). Colex 0.1.0
// wrote none.
inline constexpr int json_schema = 1;

// Of what is nested in a file.
inline constexpr int most_levels = 16;

// Where a value has not the form that a JSON schema says, and why: empty where it has.
std::string fault_of_form(nlohmann::json const& value, nlohmann::json const& schema);

// The result that a file's text is. Throws bad_file, which names the file, when it is none.
nlohmann::ordered_json parse_result(std::string const& file, std::string const& text);
using run_list = std::vector<nlohmann::ordered_json>;
// A result that has laws: what `colex conform` and `colex merge` write.
nlohmann::ordered_json read_run(std::string const& file);

// The results of all shards of one run, in order. Throws bad_file where one is none, is missing, comes twice or belongs
// to another run.
std::vector<nlohmann::ordered_json> read_shards(std::vector<std::string> const& files);

}  // namespace colex
