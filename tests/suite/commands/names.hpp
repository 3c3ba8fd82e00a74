// What there is by name: operations and atoms; which name was meant by one that is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/laws.hpp"
#include "spec/operations.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace colex {

// All that the families make, but for those that no instruction has.
std::vector<std::string> const& atom_names();
// `mma_atom` or `copy_atom`; empty where the name is no atom's.
std::string kind_of_atom(std::string const& name);

// The PTX instruction that an atom is, as far as its name begins: `ldmatrix`, `mma.sync`. Empty where several may be chosen.
std::string ptx_of(std::string const& name);
// The atom of a copy of matrices that PTX calls so: `ldmatrix.x4`, `stmatrix.sync.aligned.m8n8.x2.trans.shared.b16`; empty
// where it is none of them.
std::string matrix_copy_called(std::string const& instruction);
// Is the pattern the beginning of that instruction's name, or goes on behind it; and where it has a shape, as m16n8k16, is that
// the atom's?
bool is_ptx_of(std::string const& name, std::string const& pattern);

// Behind a complaint about a line: which names may have been meant by the first one that there is not, or that an atom is one
// of the other kind.
std::string meant_in(std::string const& line, std::string const& complaint);

// Those whose name is like the pattern; of operations what they take and an example. Throws usage_error where there is none.
std::vector<nlohmann::ordered_json> operations_like(std::string const& pattern);
std::vector<std::string> atoms_like(std::string const& pattern);
// A tuple, and those in it, as tilers: where they are taken.
void make_tilers(value& v);
// Those of an operation, or of a name: a shell pattern; all where it is empty. Throws usage_error where there is none.
std::vector<law> laws_called(std::string const& which);

// Is the pattern in the name, in capitals or small letters: a shell pattern, or a part of it?
bool is_like(std::string const& name, std::string const& pattern);

}  // namespace colex
