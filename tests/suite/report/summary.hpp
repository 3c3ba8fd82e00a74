// What the JSON of a run says, for every report made of it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/report/results.hpp"

#include <nlohmann/json.hpp>

namespace colex {

using ordered = nlohmann::ordered_json;

std::string string_at(ordered const& j, char const* key);  // empty where there is none
std::size_t number_at(ordered const& j, char const* key);  // 0 where there is none
std::string implementation_of(ordered const& run);         // as the program says, or else of its file
// Those that are called the same get their file behind the name, or its path where the files are called the same, too.
void tell_apart(run_list& runs, std::vector<std::string> const& files);
std::string where(ordered const& failure);  // `A=4:1 B=2:2 i=3`, or the line of a case

std::size_t place_of_verdict(ordered const& law);  // in verdict_name
bool is_broken(ordered const& law);
bool is_held(ordered const& law);
bool is_shown(ordered const& law);  // broken, with a counterexample, and under no other law

// What laws that are not held came to; the worst first.
std::vector<std::string> verdicts_of(run_list const& runs);
std::string title_of(std::string const& verdict);  // `not offered`
// Laws, not the cases of operations.
std::size_t laws_held(ordered const& run);
std::size_t laws_that(ordered const& run, std::string const& verdict);
std::size_t laws_in(ordered const& run);
std::size_t inputs_of(ordered const& run);  // of laws
// `1,100 of 1,102`; empty where no case was asked.
std::string cases_held(ordered const& run);

// A row for each run behind a row of titles; the first two columns are words, the others numbers. What is 0 in all is left out.
std::vector<std::vector<std::string>> results(run_list const& runs);
inline constexpr std::size_t columns_of_words = 2;

}  // namespace colex
