// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/chosen.hpp"
#include "spec/notation/nearest.hpp"
#include "tests/suite/judge/stated.hpp"

#include <optional>

namespace colex {

cases_by_operation by_operation(std::vector<located_case> cases) {
  cases_by_operation grouped;
  for (located_case& c : cases) grouped[c.what.asked.op].push_back(std::move(c));
  return grouped;
}

namespace {

bool asked_for(options const& o, std::string const& name, std::string const& operation) {
  return matches(o.laws, name) && matches(o.operations, operation) && in_level(o.level, operation);
}
bool are_asked(options const& o, std::string const& operation) { return asked_for(o, name_of_cases(operation), operation); }

// 1.2.0 -> {1, 2, 0}
std::vector<int> version_parts(std::string const& version) {
  std::vector<int> parts;
  for (std::size_t from = 0; from <= version.size();) {
    std::size_t const to = std::min(version.find('.', from), version.size());
    std::string const part = version.substr(from, to - from);
    if (part.empty() || part.size() > 6 || part.find_first_not_of("0123456789") != part.npos)
      throw usage_error("--since: \"" + printable(version) + "\" is no version such as 0.1.0");
    parts.push_back(std::stoi(part));
    from = to + 1;
  }
  return parts;
}

}  // namespace

std::vector<law const*> chosen_laws(options const& o) {
  std::vector<law const*> chosen;
  std::optional<std::vector<int>> since;
  if (!o.since.empty()) since = version_parts(o.since);
  for (law const& l : laws())
    if (asked_for(o, l.name, l.operation) && (!since || version_parts(stated(l.name).since) <= *since)) chosen.push_back(&l);
  return chosen;
}

namespace {

std::vector<located_case> cases_of(std::vector<std::string> const& files) {
  std::vector<located_case> all;
  for (std::string const& file : files)
    for (located_case& c : read_cases(file, [](std::string const& m) { throw bad_file(m); })) all.push_back(std::move(c));
  return all;
}

// What the choice of laws leaves out of the case files. Empty: nothing.
std::string left_out(options const& o, cases_by_operation const& given) {
  constexpr std::size_t most = 5;
  std::vector<std::string> names;
  std::size_t cases = 0, all = 0;
  for (auto const& [operation, of] : given) {
    all += of.size();
    if (!are_asked(o, operation)) names.push_back(name_of_cases(operation)), cases += of.size();
  }
  if (names.empty()) return {};
  std::size_t const others = names.size() - std::min(most, names.size());
  names.resize(names.size() - others);
  return fmt::format("{} of {} in --cases not asked: --law, --op or --level leaves out {}{}", cases, all,
                     fmt::join(names, ", "), others ? fmt::format(" and {} others", others) : "");
}

std::vector<std::string> notes_on(options const& o, cases_by_operation const& given) {
  std::vector<std::string> notes;
  if (std::string const not_asked = left_out(o, given); !not_asked.empty()) notes.push_back(not_asked);
  for (auto const& [operation, of] : given)
    if (!is_operation(operation))
      notes.push_back(fmt::format("{}: there is no operation {}{}", printable(of[0].place(), 1000), printable(operation),
                                  did_you_mean(operation, operation_names())));
  return notes;
}

// Names near to one that is no pattern.
std::string meant(options const& o) {
  std::vector<std::string> names = law_names();
  for (std::string const& operation : operation_names()) names.push_back(name_of_cases(operation));
  return (o.laws == "*" ? "" : did_you_mean(o.laws, names)) +
         (o.operations == "*" ? "" : did_you_mean(o.operations, operation_names()));
}
std::string nothing_chosen(options const& o, cases_by_operation const& given) {
  std::string const cases = left_out(o, given);
  return fmt::format("no law of level {} matches --law '{}' --op '{}'{}{}{}", o.level, printable(o.laws),
                     printable(o.operations), o.since.empty() ? "" : " --since " + o.since, meant(o),
                     cases.empty() ? "" : "; " + cases);
}

}  // namespace

chosen choose(options const& o, cases_by_operation const& stated) {
  cases_by_operation const given = by_operation(cases_of(o.case_files));
  chosen all{chosen_laws(o), {}, notes_on(o, given)};
  for (auto const& group : o.case_files.empty() ? stated : given)
    if (are_asked(o, group.first)) all.cases.insert(group);
  if (all.laws.empty() && (all.cases.empty() || !o.since.empty())) throw usage_error(nothing_chosen(o, given));
  return all;
}

}  // namespace colex
