// What several sections of the page have: verdicts in their colours, facts, names of laws. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/html.hpp"
#include "tests/suite/report/results.hpp"
#include "tests/suite/report/summary.hpp"

#include <functional>
#include <map>

namespace colex::html {

inline constexpr std::size_t most_shown = 400;  // characters of a line

inline std::string severity(ordered const& law) {
  std::string const v = string_at(law, "verdict");
  return is_held(law) ? "good" : !is_broken(law) ? "plain" : v == "silent" || v == "died" ? "worse" : "bad";
}
inline node add_verdict(node parent, ordered const& law) {
  std::string also;
  for (char const* each : {"known", "lost", "lacking"})
    if (law.value(each, false)) also += fmt::format(", {}", each);
  return add_text(parent, "span", title_of(string_at(law, "verdict")) + also, "v " + severity(law));
}

using law_group = std::vector<ordered const*>;

// How many of the laws came to what, the worst first, as in `1 wrong, 5 pass`; each in its colour. Cases by themselves.
inline void add_tally(node parent, law_group const& laws) {
  std::map<std::size_t, law_group, std::greater<>> by_verdict;
  for (ordered const* law : laws)
    if (!is_cases(string_at(*law, "law"))) by_verdict[place_of_verdict(*law)].push_back(law);
  for (auto const& [v, some] : by_verdict)
    add_text(parent, "span", fmt::format("{} {}", some.size(), title_of(std::string(verdict_name[v]))),
             "v " + severity(*some[0]));
  for (ordered const* law : laws)
    if (is_cases(string_at(*law, "law")) && !is_held(*law))
      add_text(parent, "span", "cases: " + title_of(string_at(*law, "verdict")), "v " + severity(*law));
}

inline void add_fact(node list, char const* name, std::string const& text, char const* tag = nullptr) {
  if (text.empty()) return;
  add_text(list, "dt", name);
  node dd = add(list, "dd");
  if (tag)
    add_text(dd, tag, text);
  else
    write(dd, text);
}

// Where the page shows how a run breaks a law.
inline std::string anchor(std::size_t run, ordered const& law) { return fmt::format("{}-{}", run, string_at(law, "law")); }
inline std::string operation_of(std::string const& name) {
  law const* const row = find_law(name);
  return row ? row->operation : name.substr(0, name.size() - std::string_view("_form").size());
}
inline std::string name_on_page(std::string const& law) { return is_cases(law) ? operation_of(law) + ", cases" : law; }

// Each broken law of each run, with the input that shows it.
void add_broken(node body, run_list const& runs);

}  // namespace colex::html
