// What laws.md, the proofs and the cases say of laws, as the tool was built with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/laws.hpp"
#include "tests/suite/judge/cases.hpp"

#include <map>
#include <string>
#include <vector>

namespace colex {

// Does a name fit a shell pattern?
bool matches(std::string const& glob, std::string const& name);

// What there is by name.
std::vector<std::string> law_names();
std::vector<std::string> operation_names();

// What laws.md says of a law: at which place (`spec/laws.md:212`), of what, after whom, and since which version of Colex
// (0.1.0, the first, where it does not say); and all of it. No place when laws.md has no such law.
struct stated_law {
  std::string place, where, source, since = "0.1.0", text;
  int times = 0;  // that it is stated
};
// By name, whether there is such a law or not.
std::map<std::string, stated_law> const& stated_laws();
stated_law const& stated(std::string const& law_name);
// Nothing where the table has no law of that name.
law const* find_law(std::string const& name);
// `composition_form` stands for the cases of an operation, where it is no law.
std::string name_of_cases(std::string const& operation);
bool is_cases(std::string const& name);
// A law of the table, or the cases of an operation of it.
bool is_law(std::string const& name);
// Is the operation asked at that level: core, full (all) or atoms?
bool in_level(std::string const& asked, std::string const& operation);
// Whether a theorem of its name in proofs/model/Laws.v says all that the law says.
bool is_proved(std::string const& law_name);
// Why it is not: `partly: ` what its theorem lacks, or `unproved: ` why it has none, as proofs/unproved.txt says.
std::string why_unproved(std::string const& law_name);
// The case lines of spec/cases.
std::vector<located_case> stated_cases();
// All of that of these laws, for programs.
std::string laws_json(std::span<law const> of = laws());

}  // namespace colex
