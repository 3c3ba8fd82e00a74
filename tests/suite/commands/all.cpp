// The commands that the tool has. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/commands.hpp"

#include "tests/suite/commands/tool.hpp"

namespace colex {

int tool(int argc, char const* const* argv) {
  static constexpr add_command* all[] = {add_ask,    add_explain, add_solve, add_draw,      add_figures, add_ops,
                                         add_atoms,  add_laws,    add_cases, add_init,      add_conform, add_merge,
                                         add_report, add_export,  add_plan,  add_completion};
  return tool(argc, argv, all);
}

}  // namespace colex
