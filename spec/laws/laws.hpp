// The laws as rows of C++ over any implementation. A row states what must hold of an implementation's answers; it
// computes nothing of the algebra itself. Hypotheses, sources and cases of each: laws.md, under the same name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/hypotheses.hpp"

namespace colex {

// Those of each file.
std::span<law const> coordinate_laws();
std::span<law const> making_laws();
std::span<law const> simplifying_laws();
std::span<law const> algebra_laws();
std::span<law const> solving_laws();
std::span<law const> f2_laws();
std::span<law const> atom_laws();
std::span<law const> partition_laws();
std::span<law const> tiled_mma_laws();
std::span<law const> tiled_copy_laws();
std::span<law const> fold_laws();

// All of them, in the order of laws.md: an operation's definition comes before what rests on it.
std::vector<law> const& laws();

}  // namespace colex
