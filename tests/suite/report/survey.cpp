// What `exhaustive` and `properties` come to.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/survey.hpp"

#include "spec/notation/notation.hpp"
#include "tests/suite/judge/files.hpp"
#include "tests/suite/peer/printable.hpp"
#include "tests/suite/report/results.hpp"

#include <fmt/format.h>

#include <sstream>

namespace colex {

using json = nlohmann::ordered_json;

void survey::add(failure const& f) {
  auto const of_row = [&](failure const& x) { return x.row == f.row; };
  failures.insert(std::upper_bound(failures.begin(), failures.end(), f), f);
  if (static_cast<std::size_t>(std::count_if(failures.begin(), failures.end(), of_row)) > most_failures)
    failures.erase(std::prev(std::find_if(failures.rbegin(), failures.rend(), of_row).base()));
}

void survey::add(survey const& other, std::size_t first) {
  rows.resize(std::max(rows.size(), first + other.rows.size()));
  for (std::size_t k = 0; k < other.rows.size(); ++k) {
    row const& from = other.rows[k];
    row& to = rows[first + k];
    to = {from.name,
          to.passed + from.passed,
          to.failed + from.failed,
          to.undefined + from.undefined,
          to.undecided + from.undecided,
          to.seconds + from.seconds,
          from.larger};
  }
  for (failure const& f : other.failures) add({first + f.row, f.at, f.text});
}

bool survey::good() const {
  return std::all_of(rows.begin(), rows.end(), [](row const& r) { return r.failed == 0; });
}

namespace {

double inputs(survey::row const& r) { return static_cast<double>(r.passed + r.failed + r.undecided); }

std::string duration(double seconds) {
  return seconds < 120    ? fmt::format("{:.1f} s", seconds)
         : seconds < 7200 ? fmt::format("{:.1f} minutes", seconds / 60)
                          : fmt::format("{:.1f} hours", seconds / 3600);
}

// Its lines as printable text, those behind the first moved in.
std::string shown(std::string const& text) {
  std::istringstream in(text);
  std::string s, line;
  while (std::getline(in, line)) s += (s.empty() ? "" : "\n  ") + printable(line, max_line);
  return s;
}

// By the rate of each row.
std::string larger_run(survey const& s) {
  double n = 0, seconds = 0;
  for (survey::row const& r : s.rows) {
    if (inputs(r) == 0) return {};
    n += static_cast<double>(r.larger);
    seconds += r.seconds * static_cast<double>(r.larger) / inputs(r);
  }
  return fmt::format("{}: {:.0f} questions, at these rates {} on one core, {} on 1,000 cores\n", printable(s.larger), n,
                     duration(seconds), duration(seconds / 1000));
}

}  // namespace

std::string text_of(survey const& s) {
  std::string text;
  std::uint64_t passed = 0, failed = 0;
  double asked = 0, seconds = 0;
  for (survey::row const& r : s.rows) {
    text += fmt::format("{:<16} {:>12} passed {:>6} failed {:>12} undefined {:>8} undecided {:>8.1f} s of a core\n", r.name,
                        r.passed, r.failed, r.undefined, r.undecided, r.seconds);
    passed += r.passed;
    failed += r.failed;
    asked += inputs(r);
    seconds += r.seconds;
  }
  for (survey::failure const& f : s.failures)
    text += fmt::format("FAIL {}: {}\n", printable(s.rows[f.row].name), shown(f.text));
  if (s.failures.size() < failed) text += fmt::format("and {} more failures\n", failed - s.failures.size());
  text += fmt::format("{:.0f} a second and core\n", asked / std::max(seconds, 1e-9));
  if (!s.larger.empty()) text += larger_run(s);
  if (!s.part.whole()) text += fmt::format("shard {}/{}\n", s.part.index, s.part.of);
  return text + fmt::format("{} passed, {} failed\n", passed, failed);
}

std::string json_of(survey const& s) {
  json rows = json::array(), failures = json::array();
  for (survey::row const& r : s.rows)
    rows.push_back({{"name", r.name},
                    {"passed", r.passed},
                    {"failed", r.failed},
                    {"undefined", r.undefined},
                    {"undecided", r.undecided},
                    {"seconds", r.seconds},
                    {"larger", r.larger}});
  for (survey::failure const& f : s.failures) failures.push_back({{"row", f.row}, {"at", f.at}, {"text", f.text}});
  json const all{{"schema", json_schema}, {"shard", shard_json(s.part)}, {"asked", s.asked}, {"larger", s.larger},
                 {"rows", rows},          {"failures", failures}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

namespace {

survey read_survey(json const& j) {
  survey s;
  s.asked = j.at("asked");
  s.larger = j.at("larger");
  for (json const& r : j.at("rows"))
    s.rows.push_back(
        {r.at("name"), r.at("passed"), r.at("failed"), r.at("undefined"), r.at("undecided"), r.at("seconds"), r.at("larger")});
  for (json const& f : j.at("failures")) {
    s.failures.push_back({f.at("row"), f.at("at"), f.at("text")});
    if (s.failures.back().row >= s.rows.size()) throw bad_file("a failure of no row");
  }
  return s;
}

}  // namespace

survey merged_surveys(std::vector<json> const& shards) {
  survey all;
  for (json const& j : shards) {
    try {
      survey const part = read_survey(j);
      all.asked = part.asked;
      all.larger = part.larger;
      all.add(part);
    } catch (std::exception const& e) {
      throw bad_file(fmt::format("shard {}/{} is no result of `exhaustive` or `properties`: {}", shard_of(j).index,
                                 shard_of(j).of, printable(e.what(), 1000)));
    }
  }
  return all;
}

}  // namespace colex
