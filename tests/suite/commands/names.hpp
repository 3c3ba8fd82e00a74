// The names of atoms; which name was meant by one that is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace colex {

// All that the families make, but for those that no instruction has.
std::vector<std::string> atom_names();
// `mma_atom` or `copy_atom`; empty where the name is no atom's.
std::string kind_of_atom(std::string const& name);

// Behind a complaint about a line: which names may have been meant by the first one that there is not.
std::string meant_in(std::string const& line);

// Is the pattern in the name: a shell pattern, or a part of it?
bool is_like(std::string const& name, std::string const& pattern);

}  // namespace colex
