// The parts of the extension beside layouts and operations. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

namespace colex::python {

// What the tool shows: explanations, pictures, lists of what there is. Its command line.
void add_texts(nanobind::module_& m);
// The suite, on a Python function or on a program.
void add_suite(nanobind::module_& m);

}  // namespace colex::python
