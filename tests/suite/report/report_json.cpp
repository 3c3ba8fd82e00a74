// A run's report as JSON, and back.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace colex {

namespace {

using json = nlohmann::ordered_json;

// What is written and read back as it is: f(name, member) for each.
template <class Report, class F>
void failure_fields(Report& r, F f) {
  f("input", r.input), f("shrinks", r.shrinks), f("tries", r.tries), f("shrunk_out", r.shrunk_out), f("alone", r.alone);
  f("suspects", r.suspects);
}
template <class Report, class F>
void law_fields(Report& r, F f) {
  f("law", r.name), f("operation", r.operation), f("statement", r.statement), f("stated", r.stated), f("source", r.source);
  f("evaluations", r.evaluations), f("not_covered", r.not_covered), f("not_offered", r.not_offered);
  f("unanswered", r.unanswered), f("died_of", r.died_of), f("cut", r.cut), f("stopped", r.stopped), f("seconds", r.seconds);
}
template <class Options, class F>
void option_fields(Options& o, F f) {
  f("program", o.program), f("law", o.laws), f("op", o.operations), f("level", o.level), f("since", o.since), f("seed", o.seed);
  f("count", o.count), f("exact", o.exact), f("timeout", o.timeout), f("time", o.time);
  f("require_ops", o.required), f("allow_lost", o.allow_lost), f("baseline_offers", o.baseline.offered);
}
auto written_to(json& j) {
  return [&j](char const* name, auto const& member) { j[name] = member; };
}
// What is read is to be shown: printable, but for what is to be run.
void shown(std::string& text) { text = printable(text, max_line); }
void shown(std::vector<std::string>& texts) {
  for (std::string& text : texts) shown(text);
}
void shown(std::map<std::string, std::string>& texts) {
  std::map<std::string, std::string> all;
  for (auto const& [name, text] : texts) all.emplace(printable(name, max_line), printable(text, max_line));
  texts = std::move(all);
}
template <class T>
void shown(T&) {}
auto read_from(json const& j) {
  return [&j](char const* name, auto& member) {
    j.at(name).get_to(member);
    if (std::string_view(name) != "program") shown(member);
  };
}

// Long enough for any picture, short enough for a report of many laws.
std::string stored(std::string const& text) { return printable(text, std::size_t{1} << 16); }
std::string stored(answer const& a) { return stored(print(a)); }

json failure_json(run_report const& run, law_report const& r) {
  finding const& found = *r.found;
  json f{{"verdict", name_of(found.what)}, {"left", stored(found.left)}, {"right", stored(found.right)}};
  failure_fields(r, written_to(f));
  f.update({{"was_asked", found.was_asked}, {"again", printable(again(run, r), max_line)}});
  for (auto const& [name, v] : found.where) f["where"][name] = print(v);
  if (!r.row) f["line"] = found.line;
  if (found.culprit) {
    auto const& [asked, got] = found.asked[*found.culprit];
    f["at"] = *found.culprit;
    f["culprit"] = stored(print(asked));
    f["got"] = stored(got);
    f["expected"] = stored(found.expected);
  }
  for (auto const& [asked, got] : found.asked) f["asked"].push_back(stored(print(asked)) + " = " + stored(got));
  return f;
}

json law_json(run_report const& run, law_report const& r) {
  json j{{"verdict", name_of(r.outcome())}};
  law_fields(r, written_to(j));
  for (std::size_t v = 0; v < verdict_name.size(); ++v) j["count"][std::string(verdict_name[v])] = r.count[v];
  if (!r.unsupported.empty()) j["unsupported"] = r.unsupported;
  if (!r.which.empty()) j["failed_inputs"] = text_of(r.which);
  if (r.failed(run.asked.exact)) j["failed"] = true;
  if (r.known) j["known"] = true;
  if (r.lost) j["lost"] = true;
  if (r.lacking) j["lacking"] = true;
  if (std::string const before = before_and_now(run, r); !before.empty()) j["before"] = before;
  if (r.under != law_report::alone_standing) j["under"] = run.laws[r.under].name;
  if (r.found) j["failure"] = failure_json(run, r);
  return j;
}

json options_json(run_report const& run) {
  options const& o = run.asked;
  json a = asked_json("conform");
  a.update({{"suite", fmt::format("{:016x}", run.suite)},
            {"name", printable(run.program.name)},
            {"version", printable(run.program.version)},
            {"operations", run.program.operations}});
  option_fields(o, written_to(a));
  a["baseline_inputs"] = o.baseline.inputs;
  for (auto const& [name, v] : o.baseline.laws) {
    a["baseline"][name] = name_of(v.what);
    a["baseline_failed"][name] = {v.told ? v.failed : 1, v.told ? v.of : 0, v.unsupported, v.form};
    if (!v.which.empty()) a["baseline_failed_inputs"][name] = text_of(v.which);
  }
  return a;
}

json counts_json(counts const& n) { return {{"all", n.all}, {"passed", n.passed}, {"failed", n.failed}}; }

}  // namespace

json totals_json(run_report const& run) { return {{"laws", counts_json(laws_of(run))}, {"cases", counts_json(cases_of(run))}}; }

std::string json_of(run_report const& run) {
  json laws = json::array();
  for (law_report const& r : run.laws) laws.push_back(law_json(run, r));
  json program = json::array();
  for (std::string const& word : run.asked.program) program.push_back(printable(word, max_line));
  json const all{{"schema", json_schema},
                 {"program", program},
                 {"name", printable(run.program.name)},
                 {"version", printable(run.program.version)},
                 {"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                 {"command", command(run)},
                 {"baseline", printable(run.asked.baseline.file, 1000)},
                 {"seed", run.asked.seed},
                 {"exact", run.asked.exact},
                 {"seconds", run.seconds},
                 {"evaluations", evaluations(run)},
                 {"passed", count_laws(run, passed)},
                 {"failed", count_laws(run, regression)},
                 {"totals", totals_json(run)},
                 {"deaths", run.deaths},
                 {"hangs", run.hangs},
                 {"waited_for", run.waited_for},
                 {"given_up", run.given_up},
                 {"offered", run.offered},
                 {"lost", run.lost},
                 {"lacking", run.lacking},
                 {"exit", exit_code(run)},
                 {"shard", shard_json(run.asked.part)},
                 {"asked", options_json(run)},
                 {"laws", std::move(laws)}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

// ---- and back: what a merge needs of it ----

namespace {

verdict verdict_of(json const& name) {
  auto const at = std::find(verdict_name.begin(), verdict_name.end(), name.get<std::string>());
  if (at == verdict_name.end()) throw bad_file("\"" + printable(name.get<std::string>()) + "\" is no verdict");
  return static_cast<verdict>(at - verdict_name.begin());
}
std::string text_in(json const& j) { return printable(j.get<std::string>(), max_line); }

// A value that prints as this text, whatever it is.
value value_printed(std::string const& text) {
  try {
    parser p(text, 0, true);
    value v = p.parse_value();
    if (p.at_end()) return v;
  } catch (malformed const&) {
  }
  return word_of(text);
}
request request_printed(std::string const& text) {
  std::istringstream words(text);
  request r;
  words >> r.op;
  for (std::string word; words >> word;) r.args.push_back(value_printed(word));
  return r;
}
answer answer_printed(std::string const& text) { return {status::answered, word_of(text), {}}; }

void read_failure(json const& f, law_report& r) {
  finding found;
  found.what = verdict_of(f.at("verdict"));
  found.left = text_in(f.at("left"));
  found.right = text_in(f.at("right"));
  found.line = text_in(f.value("line", json("")));
  found.was_asked = f.at("was_asked");
  json const where = f.value("where", json::object());
  for (auto const& [name, v] : where.items()) found.where.emplace_back(printable(name), value_printed(text_in(v)));
  for (json const& each : f.value("asked", json::array())) {
    std::string const line = text_in(each);
    std::size_t const at = line.find(" = ");
    if (at == line.npos) throw bad_file("a request without an answer");
    found.asked.emplace_back(request_printed(line.substr(0, at)), answer_printed(line.substr(at + 3)));
  }
  if (f.contains("at")) {
    found.culprit = f.at("at");
    if (*found.culprit >= found.asked.size()) throw bad_file("an answer to blame that was not asked for");
    found.expected = answer_printed(text_in(f.at("expected")));
  }
  r.found = std::move(found);
  failure_fields(r, read_from(f));
}

law_report read_law(json const& j) {
  law_report r;
  law_fields(r, read_from(j));
  for (std::size_t v = 0; v < verdict_name.size(); ++v) r.count[v] = j.at("count").at(std::string(verdict_name[v]));
  r.unsupported = j.value("unsupported", r.unsupported);  // missing in older reports
  shown(r.unsupported);
  r.which = failed_inputs_of(j.value("failed_inputs", ""), r.evaluations);
  r.row = find_law(r.name);
  if (j.contains("failure")) read_failure(j["failure"], r);
  return r;
}

options read_options(json const& a) {
  options o;
  option_fields(o, read_from(a));
  o.baseline.inputs = a.value("baseline_inputs", "");  // missing in older reports
  shown(o.baseline.inputs);
  json const baseline = a.value("baseline", json::object()), which = a.value("baseline_failed_inputs", json::object());
  for (auto const& [name, v] : baseline.items()) {
    json const failed = a.at("baseline_failed").at(name);
    bool const told = failed.at(1) > 0;
    // Older reports have fewer.
    auto const count_at = [&](std::size_t k) { return k < failed.size() ? failed.at(k).get<std::size_t>() : 0; };
    std::size_t const of = told ? failed.at(1).get<std::size_t>() : 1;
    o.baseline.laws[printable(name)] = {
        verdict_of(v), failed.at(0), of, told, count_at(3), count_at(2), failed_inputs_of(which.value(name, ""), of)};
  }
  return o;
}

run_report read_report(json const& j) {
  run_report run;
  run.asked = read_options(j.at("asked"));
  run.asked.part = shard_of(j);
  run.asked.baseline.file = text_in(j.at("baseline"));
  run.suite = std::stoull(j.at("asked").at("suite").get<std::string>(), nullptr, 16);
  run.program.name = text_in(j.at("name"));
  run.program.version = text_in(j.at("version"));
  j.at("asked").at("operations").get_to(run.program.operations);
  j.at("offered").get_to(run.offered);
  for (json const& l : j.at("laws")) run.laws.push_back(read_law(l));
  run.deaths = j.at("deaths");
  run.hangs = j.at("hangs");
  for (json const& each : j.value("waited_for", json::array()))
    run.waited_for.insert(text_in(each));  // missing in older reports
  for (json const& operation : j.at("given_up")) run.given_up.insert(text_in(operation));
  run.seconds = j.at("seconds");
  return run;
}

}  // namespace

run_report merged_reports(std::vector<json> const& shards) {
  std::vector<run_report> parts;
  for (json const& j : shards) {
    try {
      parts.push_back(read_report(j));
    } catch (std::exception const& e) {
      throw bad_file(fmt::format("shard {}/{} is no report of `colex conform`: {}", shard_of(j).index, shard_of(j).of,
                                 printable(e.what(), 1000)));
    }
  }
  try {
    return merged(std::move(parts));
  } catch (usage_error const& e) {
    throw bad_file(fmt::format("shards of no run: {}", e.what()));
  }
}

}  // namespace colex
