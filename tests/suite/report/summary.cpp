// What the JSON of a run says: see summary.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/summary.hpp"

#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/report.hpp"

#include <algorithm>

namespace colex {

std::string string_at(ordered const& j, char const* key) { return j.value(key, std::string()); }
std::size_t number_at(ordered const& j, char const* key) { return j.value(key, std::size_t{0}); }

namespace {
std::string name_of_file(std::string const& path) { return path.substr(path.rfind('/') + 1); }
}  // namespace

std::string implementation_of(ordered const& run) {
  if (!string_at(run, "name").empty()) return string_at(run, "name");
  std::string const program = run.at("program").empty() ? "" : run.at("program").front().get<std::string>();
  return name_of_file(program);
}

namespace {
bool comes_twice(std::vector<std::string> const& all, std::string const& one) { return std::ranges::count(all, one) > 1; }
}  // namespace

void tell_apart(run_list& runs, std::vector<std::string> const& files) {
  std::vector<std::string> names, short_names;
  for (ordered const& run : runs) names.push_back(implementation_of(run));
  for (std::string const& file : files) short_names.push_back(name_of_file(file));
  for (std::size_t k = 0; k < runs.size(); ++k)
    if (comes_twice(names, names[k]))
      runs[k]["name"] = fmt::format("{} ({})", names[k], comes_twice(short_names, short_names[k]) ? files[k] : short_names[k]);
}

std::string where(ordered const& failure) {
  std::string s;
  ordered const arguments = failure.value("where", ordered::object());
  for (auto const& [name, v] : arguments.items()) s += (s.empty() ? "" : " ") + name + "=" + v.get<std::string>();
  return s.empty() ? string_at(failure, "line") : s;
}

std::size_t place_of_verdict(ordered const& law) {
  auto const at = std::find(verdict_name.begin(), verdict_name.end(), string_at(law, "verdict"));
  return static_cast<std::size_t>(at - verdict_name.begin());
}
// Reports of Colex 0.1.0 do not say what failed.
bool is_broken(ordered const& law) {
  return law.value("failed", place_of_verdict(law) > static_cast<std::size_t>(verdict::form));
}
bool is_held(ordered const& law) {
  std::string const v = string_at(law, "verdict");
  return (v == "pass" || v == "form") && !is_broken(law);
}
bool is_shown(ordered const& law) {
  return is_broken(law) && law.contains("failure") && !law.contains("under") && !law.value("known", false);
}

namespace {

template <class F>
std::size_t count_laws(ordered const& run, F f) {
  auto const& laws = run.at("laws");
  return static_cast<std::size_t>(
      std::count_if(laws.begin(), laws.end(), [&](ordered const& l) { return !is_cases(string_at(l, "law")) && f(l); }));
}

}  // namespace

std::size_t laws_held(ordered const& run) { return count_laws(run, is_held); }
std::size_t laws_in(ordered const& run) {
  return count_laws(run, [](ordered const&) { return true; });
}
std::size_t laws_that(ordered const& run, std::string const& verdict) {
  return count_laws(run, [&](ordered const& l) { return string_at(l, "verdict") == verdict && !is_held(l); });
}

std::string title_of(std::string const& verdict) { return verdict == "unsupported" ? "not offered" : verdict; }

std::vector<std::string> verdicts_of(run_list const& runs) {
  std::vector<std::string> found;
  for (auto v = verdict_name.rbegin(); v != verdict_name.rend(); ++v)
    if (std::ranges::any_of(runs, [&](ordered const& run) { return laws_that(run, std::string(*v)) > 0; }))
      found.emplace_back(*v);
  return found;
}

namespace {
std::size_t evaluations_of(ordered const& law) {
  std::size_t n = 0;
  for (auto const& count : law.at("count")) n += count.get<std::size_t>();
  return n;
}
}  // namespace

std::size_t inputs_of(ordered const& run) {
  std::size_t n = 0;
  for (ordered const& law : run.at("laws")) n += is_cases(string_at(law, "law")) ? 0 : evaluations_of(law);
  return n;
}

std::string cases_held(ordered const& run) {
  std::size_t all = 0, held = 0;
  for (ordered const& law : run.at("laws")) {
    if (!is_cases(string_at(law, "law"))) continue;
    all += evaluations_of(law);
    held += number_at(law.at("count"), "pass") + (run.value("exact", false) ? 0 : number_at(law.at("count"), "form"));
  }
  return all ? fmt::format("{} of {}", grouped(held), grouped(all)) : "";
}

namespace {

using column = std::vector<std::string>;  // a title, then a cell for each run

template <class F>
column column_of(std::string const& title, run_list const& runs, F f) {
  column c{title};
  for (ordered const& run : runs) c.push_back(f(run));
  return c;
}

}  // namespace

std::vector<std::vector<std::string>> results(run_list const& runs) {
  std::vector<column> columns{column_of("implementation", runs, implementation_of),
                              column_of("version", runs, [](ordered const& r) { return string_at(r, "version"); }),
                              column_of("held", runs, [](ordered const& r) { return std::to_string(laws_held(r)); })};
  for (std::string const& v : verdicts_of(runs))
    columns.push_back(column_of(title_of(v), runs, [&](ordered const& r) { return std::to_string(laws_that(r, v)); }));
  columns.push_back(column_of("cases", runs, cases_held));
  columns.push_back(column_of("inputs", runs, [](ordered const& r) { return std::to_string(inputs_of(r)); }));
  columns.push_back(column_of("seed", runs, [](ordered const& r) { return std::to_string(number_at(r, "seed")); }));
  std::vector<std::vector<std::string>> rows(runs.size() + 1);
  for (column const& c : columns)
    for (std::size_t k = 0; k < c.size(); ++k) rows[k].push_back(c[k]);
  return rows;
}

}  // namespace colex
