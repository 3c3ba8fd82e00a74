// What is known of a law: see known.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/known.hpp"

#include "tests/suite/judge/texts.hpp"
#include "tests/suite/peer/printable.hpp"

#include <algorithm>
#include <map>
#include <regex>

namespace colex {

namespace {

// ---- errata.md: behind a heading `### E13 TITLE` a line `- Law: NAME, NAME.` ----

// The words behind `- Law:`, up to the next item.
std::vector<std::string> laws_named_in(std::string const& section) {
  std::size_t const from = section.find("- Law:");
  if (from == section.npos) return {};
  std::string const item = section.substr(from + 6, section.find("\n-", from) - from - 6);
  static std::regex const word("[a-z0-9_]+");
  std::vector<std::string> laws;
  for (std::sregex_iterator at(item.begin(), item.end(), word), end; at != end; ++at) laws.push_back(at->str());
  return laws;
}

std::vector<erratum> read_errata() {
  std::vector<erratum> all;
  std::istringstream in = text_at("spec/errata.md");
  bool inside = false;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("#")) inside = line.starts_with("### E");
    if (inside && line.starts_with("#")) {
      std::size_t const blank = line.find(' ', 4);
      all.push_back({line.substr(4, blank - 4), line.substr(blank + 1), fmt::format("spec/errata.md:{}", number), {}, {}});
    } else if (inside) {
      all.back().text += line + "\n";
    }
  }
  std::erase_if(all, [](erratum const& e) { return e.text.find("\n- Ruling:") == e.text.npos; });  // misprints
  for (erratum& e : all) e.laws = laws_named_in(e.text);
  return all;
}

// ---- peers.md: a heading `## CuTe-C++-static 4.7.0`, then rows `| law | verdict | where | left | right |` ----

std::vector<std::string> cells_of(std::string const& row) {
  std::vector<std::string> cells;
  for (std::size_t from = 2, to; (to = row.find(" |", from)) != row.npos; from = to + 3) {
    std::string const cell = row.substr(from, to - from);
    cells.push_back(cell.starts_with('`') ? cell.substr(1, cell.size() - 2) : cell);
  }
  return cells;
}

std::string without_ticks(std::string s) { return std::erase(s, '`'), s; }

// What is said of static integers stands, whichever comes first.
std::map<std::string, std::string> read_peers() {
  std::map<std::string, std::string> found;
  std::istringstream in = text_at("spec/peers.md");
  std::string program;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) program = without_ticks(line.substr(3));
    if (!program.starts_with("CuTe-C++-") || !line.starts_with("| ") || line.starts_with("| law ")) continue;
    std::vector<std::string> const cells = cells_of(line);
    bool const is_static = program.starts_with("CuTe-C++-static");
    if (cells.size() != 5 || (!is_static && found.contains(cells[0]))) continue;
    found[cells[0]] =
        fmt::format("C++ {}, {} integers: {}; {} gives {}, right is {}", program.substr(program.find(' ') + 1),
                    is_static ? "static" : "dynamic", cells[1], cells[2], clipped(cells[3], 60), clipped(cells[4], 60));
  }
  return found;
}

// ---- found.md: a heading `### REQUEST`, `[LAW](laws.md#LAW).` and `Reported: THREAD.`, rows `| peer | verdict | ...` ----

std::string behind(std::string const& line, std::string const& mark, std::string const& end) {
  std::size_t const from = line.find(mark);
  return from == line.npos ? "" : line.substr(from + mark.size(), line.find(end, from) - from - mark.size());
}

struct found_entry {
  std::string request, law, thread;
  std::map<std::string, std::vector<std::string>> peers{};  // by what they do
};

std::string what_is_known(found_entry const& e) {
  std::vector<std::string> parts;
  for (auto const& [verdict, peers] : e.peers) parts.push_back(fmt::format("{} in {}", verdict, fmt::join(peers, ", ")));
  if (!e.thread.empty()) parts.push_back(e.thread);
  return fmt::format("{}", fmt::join(parts, "; "));
}

void read_found_line(std::string const& line, std::vector<found_entry>& all) {
  if (line.starts_with("### ")) return void(all.push_back({line.substr(4), "", ""}));
  if (all.empty() || line.starts_with("| implementation ")) return;
  if (line.starts_with("Right: "))
    all.back().law = behind(line, "(laws.md#", ")"), all.back().thread = behind(line + " ", "Reported: ", ". ");
  if (!line.starts_with("| ")) return;
  std::vector<std::string> const cells = cells_of(line);
  all.back().peers[cells.at(1)].push_back(cells[0]);
}

std::vector<known_defect> read_found() {
  std::istringstream in = text_at("spec/found.md");
  std::vector<found_entry> entries;
  for (std::string line; std::getline(in, line);) read_found_line(line, entries);
  std::vector<known_defect> all;
  for (found_entry const& e : entries) all.push_back({e.request, e.law, what_is_known(e)});
  return all;
}

}  // namespace

std::vector<known_defect> const& known_defects() {
  static std::vector<known_defect> const all = read_found();
  return all;
}

std::vector<erratum> errata_of(std::string const& law, std::string const& example) {
  static std::vector<erratum> const errata = read_errata();
  std::string const line = "\n" + example.substr(0, example.find_last_not_of(' ', example.find('#') - 1) + 1) + "\n";
  std::vector<erratum> of_law;
  std::copy_if(errata.begin(), errata.end(), std::back_inserter(of_law), [&](erratum const& e) {
    return std::ranges::find(e.laws, law) != e.laws.end() || (line.size() > 2 && e.text.find(line) != e.text.npos);
  });
  return of_law;
}

std::string cute_on(std::string const& law) {
  static std::map<std::string, std::string> const broken = read_peers();
  auto const at = broken.find(law);
  return at == broken.end() ? "" : at->second;
}

}  // namespace colex
