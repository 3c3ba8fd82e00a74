// To begin with: an adapter that runs, and completion for shells. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/suite/peer/printable.hpp"

#include <filesystem>

namespace colex {
namespace {

namespace fs = std::filesystem;

// ---- init ----

struct init_command {
  std::string language, folder = ".";
};
// What is written under which name.
using file_list = std::vector<std::pair<std::string, std::string>>;

file_list files_of(std::string const& language) {
  if (language == "cpp") return {{"adapter.cpp", "tests/peers/template.cpp"}};
  return {{"adapter.py", "tests/peers/template.py"}, {"wire.py", "tests/peers/wire.py"}};
}

// The text, which says of itself what it is called.
std::string text_called(std::string const& name, std::string const& place) {
  std::string text = text_at(place).str();
  std::string const called = fs::path(place).filename().string();
  for (std::size_t at = text.find(called); called != name && at != text.npos; at = text.find(called, at + name.size()))
    text.replace(at, called.size(), name);
  return text;
}

std::string shown(fs::path const& path) { return printable(path.string(), 1000); }

// The first part of the path at which no folder can be: a file, or nothing.
fs::path obstacle_on(fs::path const& folder) {
  fs::path at;
  std::error_code unknown;
  for (fs::path const& part : folder)
    if (at /= part; !fs::is_directory(at, unknown)) break;
  return at;
}
void make_folder(fs::path const& folder) {
  if (folder.empty()) throw bad_file("init: the name of the folder is empty");
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (!failed) return;
  fs::path const at = obstacle_on(folder);
  std::error_code unknown;
  throw bad_file(fmt::format("cannot make the folder {}: {}", shown(folder),
                             fs::exists(at, unknown) ? shown(at) + " is a file" : failed.message()));
}

int begin_adapter(init_command const& c) {
  fs::path const folder = c.folder;
  file_list const files = files_of(c.language);
  std::error_code unknown;
  for (auto const& [name, place] : files)
    if (fs::exists(folder / name, unknown)) throw bad_file(shown(folder / name) + " is there already");
  make_folder(folder);
  for (auto const& [name, place] : files) write_file((folder / name).string(), text_called(name, place));
  auto const named = [&](std::string const& file) { return (folder / file).lexically_normal().string(); };
  std::string const source = shell_word(named(files[0].first)), program = named("adapter");
  if (c.language == "cpp")
    fmt::print("g++ -std=c++17 -O2 {} -o {}\ncolex conform -- {}\n", source, shell_word(program),
               shell_word((folder.is_absolute() ? "" : "./") + program));
  else
    fmt::print("colex conform -- python3 {}\n", source);
  return good;
}

// ---- completion ----

struct completed {
  std::string name, help, words;  // a command, and the options and names that may follow
};

std::string options_of(CLI::App const& app) {
  std::string out;
  for (CLI::Option const* o : app.get_options())
    for (std::string const& name : o->get_lnames()) out += "--" + name + " ";
  return out;
}
std::string names_for(std::string const& command) {
  if (command == "ask" || command == "explain" || command == "draw" || command == "ops")
    return fmt::format("{}", fmt::join(operation_names(), " "));
  if (command == "completion") return "bash zsh fish";
  if (command == "init") return "python cpp";
  return "";
}
std::vector<completed> commands_of(CLI::App const& app) {
  std::vector<completed> out;
  for (CLI::App const* sub : app.get_subcommands([](CLI::App const*) { return true; }))
    out.push_back({sub->get_name(), sub->get_description(), options_of(*sub) + names_for(sub->get_name())});
  return out;
}

std::string completion_for_bash(std::vector<completed> const& commands) {
  std::string names, cases;
  for (completed const& c : commands) {
    names += c.name + " ";
    cases += fmt::format("    {}) words='{}' ;;\n", c.name, c.words);
  }
  return fmt::format(
      "_colex() {{\n  local words='{}--help --version'\n  ((COMP_CWORD == 1)) || case ${{COMP_WORDS[1]}} in\n{}    *) words= "
      ";;\n"
      "  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\")\n}}\n"
      "complete -o default -F _colex colex\n",
      names, cases);
}
std::string completion_for_fish(std::vector<completed> const& commands) {
  std::string out;
  for (completed const& c : commands)
    out += fmt::format(
        "complete -c colex -n __fish_use_subcommand -a {} -d '{}'\n"
        "complete -c colex -n '__fish_seen_subcommand_from {}' -a '{}'\n",
        c.name, c.help, c.name, c.words);
  return out;
}

int print_completion(CLI::App const& app, std::string const& shell) {
  std::vector<completed> const commands = commands_of(app);
  if (shell == "zsh") fmt::print("autoload -U +X bashcompinit && bashcompinit\n");
  fmt::print("{}", shell == "fish" ? completion_for_fish(commands) : completion_for_bash(commands));
  return good;
}

}  // namespace

void add_init(CLI::App& app, int& status) {
  CLI::App* const sub =
      app.add_subcommand("init", "write an adapter to begin with; it offers nothing until you add an operation");
  auto const c = std::make_shared<init_command>();
  sub->add_option("LANGUAGE", c->language, "python or cpp")->required()->check(CLI::IsMember({"python", "cpp"}));
  sub->add_option("FOLDER", c->folder, "where to write it (default: here)");
  sub->footer("example: colex init python my-adapter && colex conform -- python3 my-adapter/adapter.py");
  sub->callback([&status, c] { status = begin_adapter(*c); });
}

void add_completion(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("completion", "what a shell needs to complete commands, options and operations");
  auto const shell = std::make_shared<std::string>();
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  sub->footer("example: source <(colex completion bash)");
  sub->callback([&app, &status, shell] { status = print_completion(app, *shell); });
}

}  // namespace colex
