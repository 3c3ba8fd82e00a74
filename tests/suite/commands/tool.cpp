// The tool's command line, and what becomes of what goes wrong. Each command is in a file of its own.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/tool.hpp"

#include "spec/notation/nearest.hpp"
#include "spec/operations.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/peer/printable.hpp"
#include "tests/suite/peer/process.hpp"

#include <csignal>
#include <sstream>

namespace colex {
namespace {

// Plain text, and of what is long the two ends.
std::string readable(std::string const& line) {
  constexpr std::size_t head = 400, tail = 100;
  std::string const plain = printable(line, line.size());
  if (plain.size() <= head + tail) return plain;
  return fmt::format("{} ... ({} characters) ... {}", plain.substr(0, head), plain.size(), plain.substr(plain.size() - tail));
}

// What was printed must have arrived.
int flushed(int status) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  complain(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  return bad_usage;
}

std::vector<std::string> names_of_options(CLI::App const& command) {
  std::vector<std::string> out;
  for (CLI::Option const* o : command.get_options())
    for (std::string const& name : o->get_lnames()) out.push_back("--" + name);
  return out;
}
std::vector<std::string> names_of_commands(CLI::App const& app) {
  std::vector<std::string> out;
  for (CLI::App const* command : app.get_subcommands([](CLI::App const*) { return true; })) out.push_back(command->get_name());
  return out;
}

// The first option among the words that the command has not.
std::string unknown_option(CLI::App const& command, std::vector<std::string> const& words) {
  for (std::string const& word : words) {
    std::string const name = word.substr(0, word.find('='));
    if (word == "--") break;
    if (name.starts_with("--") && !command.get_option_no_throw(name))
      return fmt::format("{} has no option {}{}", command.get_name(), printable(name),
                         did_you_mean(name, names_of_options(command)));
  }
  return "";
}
// The command that the words begin with, or null.
CLI::App const* command_of(CLI::App const& app, std::vector<std::string> const& words) {
  auto const named = app.get_subcommands([&](CLI::App const* c) { return !words.empty() && c->get_name() == words[0]; });
  return named.empty() ? nullptr : named[0];
}
// What a command line says that there is not: a command, or an option of one. Empty: something else is wrong.
std::string unknown_word(CLI::App const& app, std::vector<std::string> const& words) {
  if (words.empty() || words[0].starts_with("-")) return unknown_option(app, words);
  if (CLI::App const* const command = command_of(app, words)) return unknown_option(*command, words);
  std::string const name = words[0].substr(0, words[0].find_first_of(" ("));
  return fmt::format("there is no command '{}'{}", printable(words[0]),
                     is_operation(name) ? "; 'colex ask' asks an operation" : did_you_mean(words[0], names_of_commands(app)));
}

// `help` and `help COMMAND` as the option.
std::vector<std::string> command_words(int argc, char const* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") words.erase(words.begin()), words.push_back("--help");
  return words;
}

int run(int argc, char const* const* argv, std::span<add_command* const> commands) {
  CLI::App app{"Colex: the CuTe layout algebra stated, proved and tested.", "colex"};
  int status = good;
  app.require_subcommand(1);
  app.set_version_flag("--version", "colex " COLEX_VERSION);
  app.footer(
      "exit: 0 conforms, passes, answers; 1 a law or case fails or there is no answer (undefined); 2 wrong usage or "
      "malformed input;\n"
      "      3 the program died or broke the protocol");
  for (add_command* const add : commands) add(app, status);
  std::vector<std::string> const words = command_words(argc, argv);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from behind
    return status;
  } catch (CLI::ParseError const& e) {
    std::string const unknown = unknown_word(app, words);
    bool const succeeds = dynamic_cast<CLI::Success const*>(&e);  // --help, --version
    if (succeeds && unknown.empty()) return app.exit(e);
    std::string const wrong = unknown.empty() ? e.what() : unknown;
    complain(fmt::format("{} (colex {}--help)", printable(wrong, wrong.size()), command_of(app, words) ? words[0] + " " : ""));
    return bad_usage;
  }
}

}  // namespace

void complain(std::string const& what) {
  std::istringstream lines(what);
  std::string said = "colex: ";
  for (std::string line; std::getline(lines, line);) said += readable(line) + "\n";
  std::fputs(said.c_str(), stderr);
}

int tool(int argc, char const* const* argv, std::span<add_command* const> commands) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file larger than may be is one that cannot be written
  try {
    return flushed(run(argc, argv, commands));
  } catch (no_program const& e) {
    complain(e.what());
    return 3;
  } catch (std::exception const& e) {
    complain(e.what());
    return bad_usage;
  }
}

}  // namespace colex
