// What a result lists, summed again: see sums.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/sums.hpp"

#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/judge/shard.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/report.hpp"

#include <nlohmann/json.hpp>

namespace colex {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_inputs = std::size_t{1} << 53;  // the schema's bound of a count, here of their sum

void require_said(json const& of, char const* member, json const& right, std::string const& whose) {
  if (!of.contains(member) || nlohmann::json(of[member]) == nlohmann::json(right)) return;  // members in any order
  throw bad_file(fmt::format("\"{}\" of {} is {}, and what is listed comes to {}", member, whose,
                             clipped(printable(of[member].dump())), right.dump()));
}

// Only what the verdict, and whether the law fails, follow from.
law_report listed(json const& law) {
  law_report r;
  r.name = law.at("law");
  r.row = find_law(r.name);
  for (auto const& [name, n] : law.at("count").items()) {
    auto const v = std::find(verdict_name.begin(), verdict_name.end(), name) - verdict_name.begin();
    r.evaluations += r.count.at(static_cast<std::size_t>(v)) = n;
  }
  r.unanswered = law.value("unanswered", r.unanswered);
  r.cut = law.at("verdict") == name_of(verdict::incomplete);
  r.vanished = law.at("verdict") == name_of(verdict::vanished);
  r.known = law.value("known", false);
  r.lost = law.value("lost", false);
  r.lacking = law.value("lacking", false);
  return r;
}

// Inputs of which none was answered are some of those that were not offered.
void check_unanswered(law_report const& r) {
  for (auto const& [inputs, n] : r.unanswered)
    if (n < enough_of_a_class || n > r[verdict::unsupported])
      throw bad_file(
          fmt::format("{} cannot have {} inputs with {} of which none was answered", r.name, n, clipped(printable(inputs))));
}

// Inputs are listed of those that failed so.
void check_failed_inputs(json const& law, law_report const& r) {
  failed_inputs const which = failed_inputs_of(law.value("failed_inputs", ""), r.evaluations);
  for (verdict v = verdict::refused; v <= verdict::died; v = static_cast<verdict>(static_cast<int>(v) + 1)) {
    auto const n = std::count_if(which.begin(), which.end(), [v](auto const& input) { return input.second == v; });
    if (static_cast<std::size_t>(n) > r[v])
      throw bad_file(fmt::format("{} cannot have {} inputs that are {}", r.name, n, name_of(v)));
  }
}

// Colex 0.1.0, which wrote no schema, said neither what fails nor `partly`.
bool is_old(json const& result) { return !result.contains("schema"); }

void check_law(json const& result, json const& law, law_report const& r) {
  bool const exact = result.value("exact", false), fails = r.failed(exact);
  require_said(law, "evaluations", r.evaluations, r.name);
  check_unanswered(r);
  check_failed_inputs(law, r);
  if (!is_old(result) || r.outcome() != verdict::partly) require_said(law, "verdict", name_of(r.outcome()), r.name);
  json const failed{{"failed", law.value("failed", is_old(result) ? fails : false)}};
  require_said(failed, "failed", fails, r.name);
  json const before = result.value("asked", json::object()).value("baseline", json::object());
  if (r.known && !before.contains(r.name)) throw bad_file(r.name + " is said to be known, and no baseline has it");
}

// A law under another is shown there: in the report of one that is broken, and under none itself.
void check_under(json const& law, std::map<std::string, json const*> const& broken) {
  auto const over = broken.find(law.value("under", std::string()));
  if (law.contains("under") && (over == broken.end() || over->second->contains("under")))
    throw bad_file(law.at("law").get<std::string>() + " is said to be shown under a law that is not shown");
}

std::vector<law_report> checked_laws(json const& result) {
  std::vector<law_report> all;
  std::map<std::string, json const*> broken;
  std::size_t inputs = 0;
  for (json const& law : result.at("laws")) {
    law_report const& r = all.emplace_back(listed(law));
    if ((inputs += r.evaluations) > most_inputs) throw bad_file("more inputs than can be asked");
    check_law(result, law, r);
    if (r.failed(result.value("exact", false))) broken.emplace(r.name, &law);
  }
  for (json const& law : result["laws"]) check_under(law, broken);
  return all;
}

run_report summed(json const& result) {
  run_report run;
  json const asked = result.value("asked", json::object());
  run.asked.exact = result.value("exact", false);
  run.asked.allow_lost = asked.value("allow_lost", false);
  run.asked.laws = asked.value("law", run.asked.laws);
  if (result.contains("shard")) run.asked.part = shard_of(result);
  run.laws = checked_laws(result);
  run.deaths = result.value("deaths", std::size_t{0});
  run.lost = result.value("lost", std::set<std::string>());
  run.lacking = result.value("lacking", std::set<std::string>());
  return run;
}

// What was given up had died, and what holds was answered.
void check_deaths(json const& result, run_report const& run) {
  if (result.value("hangs", std::size_t{0}) > run.deaths) throw bad_file("more \"hangs\" than \"deaths\"");
  for (std::string const op : result.value("given_up", json::array())) {
    if (op != "everything" && !is_operation(op)) throw bad_file("\"" + clipped(op) + "\" in \"given_up\" is no operation");
    if (run.deaths == 0) throw bad_file("\"given_up\" lists " + op + ", and the program never died");
  }
}
void check_offered(json const& result, run_report const& run) {
  if (!result.contains("offered")) return;
  std::set<std::string> const offered = result["offered"];
  for (law_report const& r : run.laws)
    if (r.row && r[verdict::pass] > 0 && !offered.contains(r.row->operation))
      throw bad_file(fmt::format("\"offered\" lacks {}, and {} holds", r.row->operation, r.name));
}

void check_run(json const& result) {
  run_report const run = summed(result);
  check_deaths(result, run);
  if (is_old(result)) return;
  check_offered(result, run);
  for (char const* const both : {"exact", "seed"})
    if (json const asked = result.value("asked", json::object()); asked.contains(both))
      require_said(result, both, asked[both], "the run");
  require_said(result, "passed", count_laws(run, passed), "the run");
  require_said(result, "failed", count_laws(run, regression), "the run");
  require_said(result, "evaluations", evaluations(run), "the run");
  require_said(result, "totals", totals_json(run), "the run");
  require_said(result, "exit", exit_code(run), "the run");
}

// Of many failures of a row only some are listed, of a few all, and never none.
void check_survey(json const& result) {
  std::map<std::size_t, std::size_t> of_row;
  for (json const& f : result.value("failures", json::array())) ++of_row[f.at("row")];
  for (std::size_t k = 0; k < result.at("rows").size(); ++k) {
    json const& row = result["rows"][k];
    std::size_t const failed = row.at("failed");
    if (of_row[k] > failed || (failed > 0 && of_row[k] == 0))
      require_said(row, "failed", of_row[k], printable(row.at("name").get<std::string>()));
  }
}

}  // namespace

void check_sums(json const& result) {
  if (result.contains("laws")) check_run(result);
  if (result.contains("rows")) check_survey(result);
}

}  // namespace colex
