// What laws.md, the proofs and the cases say of laws: see stated.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/stated.hpp"

#include "spec/operations.hpp"
#include "tests/suite/judge/texts.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace colex {

namespace {
// Behind a heading `#### NAME`: the lines that begin with `Where`, `Source:` and `Since:`. Of two headings alike the second
// counts.
std::map<std::string, stated_law> read_laws() {
  std::map<std::string, stated_law> found;
  stated_law* at = nullptr;
  std::string* open = nullptr;  // what goes on in the next line
  std::istringstream in = text_at("spec/laws.md");
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    line.erase(line.find_last_not_of(" \r") + 1);
    if (line.starts_with("#")) at = line.starts_with("#### ") ? &found[line.substr(5)] : nullptr;
    if (line.starts_with("#### ")) at->place = fmt::format("spec/laws.md:{}", number), ++at->times;
    if (line.starts_with("#") || line.starts_with("Source: ")) open = nullptr;
    if (open) *open += " " + line;
    if (at && line.starts_with("Where ")) *(open = &at->where) = line.substr(6);
    if (at && !line.starts_with("#")) at->text += line + "\n";
    if (at && line.starts_with("Source: ")) at->source = line.substr(8);
    if (at && line.starts_with("Since: ")) at->since = line.substr(7, line.find_last_not_of('.') - 6);
  }
  return found;
}
}  // namespace

namespace {
template <class Table>
std::vector<std::string> names_of(Table const& table) {
  std::vector<std::string> out;
  for (auto const& row : table) out.emplace_back(row.name);
  return out;
}
}  // namespace

std::vector<std::string> law_names() { return names_of(laws()); }
std::vector<std::string> operation_names() { return names_of(operations); }

bool matches(std::string const& glob, std::string const& name) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; }

std::map<std::string, stated_law> const& stated_laws() {
  static std::map<std::string, stated_law> const laws = read_laws();
  return laws;
}
stated_law const& stated(std::string const& law_name) {
  static stated_law const nowhere;
  auto const at = stated_laws().find(law_name);
  return at == stated_laws().end() ? nowhere : at->second;
}

law const* find_law(std::string const& name) {
  auto const at = std::find_if(laws().begin(), laws().end(), [&](law const& l) { return l.name == name; });
  return at == laws().end() ? nullptr : &*at;
}
std::string name_of_cases(std::string const& operation) { return operation + "_form"; }
bool is_cases(std::string const& name) { return name.ends_with("_form") && !find_law(name); }
bool is_law(std::string const& name) {
  return find_law(name) || (is_cases(name) && is_operation(name.substr(0, name.rfind('_'))));
}

bool in_level(std::string const& asked, std::string const& operation) {
  std::size_t const place = place_of(operation);
  return (asked != "core" && asked != "atoms") ||
         (place < operation_count && operations[place].from == (asked == "core" ? level::core : level::atoms));
}

namespace {

// Does proofs/model/Laws.v list a theorem of that name?
bool has_theorem(std::string const& law_name) {
  static std::set<std::string> const theorems = [] {
    std::set<std::string> found;
    std::istringstream in = text_at("proofs/model/Laws.v");
    constexpr std::string_view before = "  let _ := @", behind = " in";
    for (std::string line; std::getline(in, line);)
      if (line.starts_with(before) && line.ends_with(behind))
        found.insert(line.substr(before.size(), line.size() - before.size() - behind.size()));
    return found;
  }();
  return theorems.contains(law_name);
}

}  // namespace

bool is_proved(std::string const& law_name) { return why_unproved(law_name).empty(); }
std::string why_unproved(std::string const& law_name) {
  std::istringstream in = text_at("proofs/unproved.txt");
  for (std::string line; std::getline(in, line);) {
    std::size_t const bar = line.find(" | ");
    if (bar != std::string::npos && matches(line.substr(0, bar), law_name))
      return (has_theorem(law_name) ? "partly: " : "unproved: ") + line.substr(bar + 3);
  }
  return has_theorem(law_name) ? "" : "unproved: no reason is given";
}

std::vector<located_case> stated_cases() {
  std::vector<located_case> all;
  for (text const& t : texts()) {
    if (!t.place.starts_with("spec/cases/")) continue;
    std::istringstream in = text_at(t.place);
    for (located_case& c : cases_in(in, std::string(t.place), [](std::string const& m) { throw bad_file(m); }))
      all.push_back(std::move(c));
  }
  return all;
}

std::string laws_json(std::span<law const> of) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (law const& l : of) {
    stated_law const s = stated(l.name);
    all.push_back({{"law", l.name},
                   {"operation", l.operation},
                   {"group", group_name[static_cast<std::size_t>(operations[place_of(l.operation)].in)]},
                   {"statement", l.statement},
                   {"arguments", l.arguments},
                   {"stated", s.place},
                   {"source", s.source},
                   {"since", s.since},
                   {"proved", is_proved(l.name)},
                   {"unproved", why_unproved(l.name)}});
  }
  return all.dump(1) + "\n";
}

}  // namespace colex
