// The tool as a program; commands/ is what it does. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/tool.hpp"

int main(int argc, char** argv) { return colex::tool(argc, argv); }
