// The tool: its command line, and what becomes of what goes wrong. The commands are in commands/.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/peer/process.hpp"

namespace {

using namespace colex;

// What was printed must have arrived.
int flushed(int status) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  complain(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  return bad_usage;
}

int run(int argc, char** argv) {
  CLI::App app{"Colex: the CuTe layout algebra stated, proved and tested.", "colex"};
  int status = good;
  app.require_subcommand(1);
  app.set_version_flag("--version", "colex " COLEX_VERSION);
  app.footer(
      "exit: 0 conforms, passes, answers; 1 a law or case fails or there is no answer (undefined); 2 wrong usage or "
      "malformed input;\n"
      "      3 the program died or broke the protocol");
  for (add_command* const add :
       {add_ask, add_explain, add_draw, add_figures, add_cases, add_laws, add_conform, add_merge, add_report, add_plan})
    add(app, status);
  try {
    app.parse(argc, argv);
    return status;
  } catch (CLI::Success const& e) {  // --help, --version
    return app.exit(e);
  } catch (CLI::ParseError const& e) {
    complain(std::string(e.what()) + " (colex --help)");
    return bad_usage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return flushed(run(argc, argv));
  } catch (no_program const& e) {
    complain(e.what());
    return 3;
  } catch (std::exception const& e) {
    complain(e.what());
    return bad_usage;
  }
}
