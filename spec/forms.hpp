// What is drawn under a name though no operation gives it, or as the operation without its last argument: the forms, with the
// ways to give them their arguments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/operations.hpp"

namespace colex {

inline constexpr callable forms[] = {
    {"tv", "TV:layout SHAPE:integers"},
    {"tiled_mma", "ATOM:name THR:layout T:modes"},
    {"tiled_copy",
     "COPY:name TYPE:name THR:layout VAL:layout, "
     "make_tiled_copy_A:name COPY:name TYPE:name ATOM:name THR:layout T:modes"},
    {"permutations", "SIZE:integer THREADS:integer PERMUTATION:tiler..."},
    {"partition_A", "ATOM:name THR:layout T:modes A:tensor"},
    {"partition_B", "ATOM:name THR:layout T:modes A:tensor"},
    {"partition_C", "ATOM:name THR:layout T:modes A:tensor"},
    {"partition_S",
     "COPY:name TYPE:name THR:layout VAL:layout A:tensor, "
     "make_tiled_copy_A:name COPY:name TYPE:name ATOM:name THR:layout T:modes A:tensor"},
    {"partition_D",
     "COPY:name TYPE:name THR:layout VAL:layout A:tensor, "
     "make_tiled_copy_A:name COPY:name TYPE:name ATOM:name THR:layout T:modes A:tensor"},
    {"local_partition", "A:tensor THR:layout [proj:coordinate]"},
    {"local_tile", "A:tensor T:tiler"},
    {"bank_conflict_phases", "A:tensor BITS:width ACCESS:name|width"},
};

constexpr bool is_form(std::string_view name) { return place_in(forms, name) < std::size(forms); }

// Does a parameter at that place meet the condition, in one of the ways?
template <class P>
bool any_parameter(callable const& o, std::size_t place, P holds) {
  return std::any_of(o.signatures().begin(), o.signatures().end(), [&](signature const& way) {
    parameter const* const p = way.at(place);
    return p && holds(*p);
  });
}
// The same of the operation, and of the form, that are called so.
template <class P>
bool any_parameter(std::string_view name, std::size_t place, P holds) {
  return (is_operation(name) && any_parameter(operations[place_of(name)], place, holds)) ||
         (is_form(name) && any_parameter(forms[place_in(forms, name)], place, holds));
}

// Is a tiler taken there, and no tuple? Then a tuple is one, as in CuTe: <4,8> for (4,8).
constexpr bool takes_tiler(parameter const& p) {
  return (p.kinds & kinds_named("tiler|modes")) && !(p.kinds & kinds_named("integers|coordinate|order"));
}

}  // namespace colex
