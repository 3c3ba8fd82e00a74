// Judges a layout type in its own process: Colex::suite. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/layout_type.hpp"
