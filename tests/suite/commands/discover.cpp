// What there is to ask: the operations, and the atoms. SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "ref/atoms/atom_fields.hpp"
#include "spec/notation/nearest.hpp"
#include "spec/operations.hpp"
#include "tests/suite/arguments/draw_atoms.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/names.hpp"
#include "tests/suite/judge/only.hpp"
#include "tests/suite/judge/stated.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace colex {
namespace {

using json = nlohmann::ordered_json;

struct discover_command {
  std::string pattern;
  bool as_json = false;
};

// Nothing was found.
[[noreturn]] void nothing(char const* what, std::string const& pattern, std::vector<std::string> const& names) {
  throw usage_error(fmt::format("no {} is like '{}'{}", what, printable(pattern), did_you_mean(pattern, names)));
}

int list(std::vector<json> const& rows, void (*print_row)(json const&), bool as_json) {
  if (as_json)
    fmt::print("{}\n", json(rows).dump(1));
  else
    for (json const& row : rows) print_row(row);
  return good;
}

std::string line_of(json const& example) {
  return fmt::format("{} = {}", example["request"].get<std::string>(), example["answer"].get<std::string>());
}

// ---- operations ----

// The first of the cases with an answer: of the operation itself, or of one that takes the same.
json example_of(operation const& o, std::vector<located_case> const& cases) {
  for (bool const own : {true, false})
    for (located_case const& c : cases) {
      std::size_t const place = place_of(c.what.asked.op);
      if (own ? c.what.asked.op != o.name : place == operation_count || operations[place].arguments != o.arguments) continue;
      request const asked{std::string(o.name), c.what.asked.args};
      if (answer const a = ref::respond(asked)) return {{"request", print(asked)}, {"answer", print(a.result)}};
    }
  throw std::logic_error(fmt::format("no case shows {}", o.name));
}

void print_operation(json const& o) {
  fmt::print("{:<24} {}\n{:>28}{}\n", o["operation"].get<std::string>(), o["arguments"].get<std::string>(), "",
             line_of(o["example"]));
}
void print_kinds() {
  fmt::print("\nArguments are NAME:KIND; [] may be left out, ... repeated.\n");
  for (argument_kind const& k : argument_kinds) fmt::print("  {:<10}  {}\n", k.name, k.words);
}

int list_operations(discover_command const& c) {
  list(operations_like(c.pattern), print_operation, c.as_json);
  if (!c.as_json) print_kinds();
  return good;
}

// ---- atoms ----

// A family, or one atom: what it is called, and what is known of the first that is called so.
json row_of(std::string const& title, std::string const& name, std::string const& kind) {
  json row{{"atom", title}, {"operation", kind}};
  if (std::string const ptx = ptx_of(name); !ptx.empty()) row["ptx"] = ptx;
  for (std::string const& field : ref::split(kind == "mma_atom" ? ref::mma_fields : ref::copy_fields, ' '))
    if (answer const a = ref::respond({kind, {word_of(name), word_of(field)}})) row["fields"][field] = print(a.result);
  std::string const field = kind == "mma_atom" ? "CLayout" : "SrcLayout";
  if (row["fields"].contains(field))
    row["example"] = {{"request", kind + " " + name + " " + field}, {"answer", row["fields"][field]}};
  return row;
}

void print_atom(json const& a) {
  std::string const ptx = a.value("ptx", "");
  fmt::print("{}{}\n    {}\n", a["atom"].get<std::string>(), ptx.empty() ? "" : "  (" + ptx + ")", line_of(a["example"]));
}

std::vector<json> families() {
  std::vector<json> rows;
  for (auto const& all : {mma_families(), copy_families()})
    for (std::string const& family : all)
      for (std::string const& name : names_in(family))
        if (std::string const kind = kind_of_atom(name); !kind.empty()) {
          rows.push_back(row_of(family, name, kind));
          break;
        }
  return rows;
}
std::vector<json> rows_of(std::vector<std::string> const& names) {
  std::vector<json> rows;
  for (std::string const& name : names) rows.push_back(row_of(name, name, kind_of_atom(name)));
  return rows;
}

// Of many names their families, and how many of a family's are among them where not all are.
std::vector<json> folded(std::vector<std::string> const& names) {
  std::set<std::string> const wanted(names.begin(), names.end());
  std::vector<json> rows;
  for (auto const& all : {mma_families(), copy_families()})
    for (std::string const& family : all) {
      std::vector<std::string> found;
      std::size_t others = 0;
      for (std::string const& name : names_in(family))
        if (wanted.contains(name))
          found.push_back(name);
        else if (!kind_of_atom(name).empty())
          ++others;
      if (found.empty()) continue;
      std::string const part = others ? fmt::format(", {} of its {} names", found.size(), found.size() + others) : "";
      rows.push_back(row_of(family + part, found[0], kind_of_atom(found[0])));
    }
  return rows;
}
std::vector<json> atoms_shown(discover_command const& c) {
  constexpr std::size_t many = 40;
  if (c.pattern.empty()) return families();
  std::vector<std::string> const names = atoms_like(c.pattern);
  return c.as_json || names.size() <= many ? rows_of(names) : folded(names);
}

int list_atoms(discover_command const& c) {
  list(atoms_shown(c), print_atom, c.as_json);
  if (!c.as_json)
    fmt::print(
        "\nOf a name {{a|b}} is a or b, {{#8}} a multiple of 8 up to 256.\nmma_atom NAME FIELD, of the fields {}.\n"
        "copy_atom NAME FIELD, of the fields {}.\n",
        ref::mma_fields, ref::copy_fields);
  return good;
}

std::shared_ptr<discover_command> add_discovery(CLI::App& sub, char const* what) {
  auto const c = std::make_shared<discover_command>();
  sub.add_option("PATTERN", c->pattern, what);
  sub.add_flag("--json", c->as_json, "for programs");
  return c;
}

}  // namespace

std::vector<json> operations_like(std::string const& pattern) {
  static constexpr std::string_view level_name[] = {"core", "full", "atoms"};
  std::vector<located_case> const cases = stated_cases();
  std::vector<json> rows;
  for (operation const& o : operations)
    if (is_like(std::string(o.name), pattern))
      rows.push_back({{"operation", o.name},
                      {"arguments", o.arguments},
                      {"group", group_name[static_cast<std::size_t>(o.in)]},
                      {"level", level_name[static_cast<std::size_t>(o.from)]},
                      {"example", example_of(o, cases)}});
  if (rows.empty()) nothing("operation", pattern, operation_names());
  return rows;
}

std::vector<std::string> atoms_like(std::string const& pattern) {
  std::vector<std::string> const names = atom_names();
  std::vector<std::string> out;
  for (std::string const& name : names)
    if (is_like(name, pattern) || is_ptx_of(name, pattern)) out.push_back(name);
  if (out.empty()) nothing("atom", pattern, names);
  return out;
}

void add_ops(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("ops", "the operations, each with its arguments and an example");
  auto const c = add_discovery(*sub, "only those with this in their name (a part, or a shell pattern)");
  sub->footer("example: colex ops divide");
  sub->callback([&status, c] { status = list_operations(*c); });
}

void add_atoms(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("atoms", "the MMA and copy atoms: the families of names, or each name");
  auto const c = add_discovery(*sub, "each name with this in it (a part, or a shell pattern), or of this PTX instruction");
  sub->footer(
      "examples: colex atoms SM80_16x8x16\n"
      "          colex atoms ldmatrix");
  sub->callback([&status, c] { status = list_atoms(*c); });
}

}  // namespace colex
