// The tool, for its program and for whoever carries it along. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace colex {

// Does what the command line says; the exit status.
int tool(int argc, char const* const* argv);

}  // namespace colex
