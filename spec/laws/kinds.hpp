// What an argument of each kind is: the part of a law's hypothesis that its arguments state. The rest is what its row requires.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/law.hpp"
#include "spec/laws/trial.hpp"

namespace colex {

// The first argument of a law that is not of its kind, or is not there; none where all are. The reference says what atoms and
// tilings are.
argument const* outside(law const& l, std::vector<binding> const& where, trial::implementation const& reference);

}  // namespace colex
