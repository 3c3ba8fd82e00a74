// A run as JUnit, for what shows results of tests in a pipeline. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/report.hpp"

#include <fmt/chrono.h>
#include <pugixml.hpp>

#include <ctime>
#include <sstream>

namespace colex {

namespace {

// A=(2,2):(1,2) i=3, or the line of a case.
std::string input_of(finding const& f) {
  std::string s = f.where.empty() ? f.line : "";
  for (auto const& [name, v] : f.where) s += (s.empty() ? "" : " ") + name + "=" + clipped(print(v), 60);
  return clipped(s, 300);
}

// `wrong: A=(2,2):(1,2) i=4: 0, right is 5`
std::string in_short(run_report const& run, law_report const& r) {
  if (r.lost) return "lost: " + what_is_lost(run, r);
  return r.found ? fmt::format("{}: {}: {}, right is {}", name_of(r.outcome()), input_of(*r.found), clipped(r.found->left),
                               clipped(r.found->right))
                 : what_was_judged(run, r);
}

void append_test(pugi::xml_node suite, run_report const& run, law_report const& r) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = r.operation.c_str();
  test.append_attribute("name") = r.name.c_str();
  test.append_attribute("time") = fmt::format("{:.3f}", r.seconds).c_str();
  if (regression(run, r)) {
    pugi::xml_node node = test.append_child("failure");
    node.append_attribute("message") = in_short(run, r).c_str();
    node.append_attribute("type") = r.lost ? "lost" : std::string(name_of(r.outcome())).c_str();
    node.text() = failure_text(run, r, false).c_str();
  } else if (!passed(run, r)) {
    std::string const why = (r.known ? "known: " : "") + what_was_judged(run, r);
    test.append_child("skipped").append_attribute("message") = why.c_str();
  }
}

// The numbers of a suite: of the laws of one operation.
void append_counts(pugi::xml_node suite, run_report const& run, std::vector<law_report const*> const& laws) {
  auto const count = [&](bool (*which)(run_report const&, law_report const&)) {
    return std::count_if(laws.begin(), laws.end(), [&](law_report const* r) { return which(run, *r); });
  };
  auto const all = static_cast<long long>(laws.size()), failed = static_cast<long long>(count(regression));
  suite.append_attribute("tests") = all;
  suite.append_attribute("failures") = failed;
  suite.append_attribute("skipped") = all - failed - static_cast<long long>(count(passed));
  suite.append_attribute("errors") = 0;
}

void append_suite(pugi::xml_node suites, run_report const& run, std::vector<law_report const*> const& laws,
                  std::string const& now) {
  int const id = static_cast<int>(std::distance(suites.begin(), suites.end()));
  pugi::xml_node suite = suites.append_child("testsuite");
  suite.append_attribute("name") = laws.front()->operation.c_str();
  append_counts(suite, run, laws);
  suite.append_attribute("id") = id;
  suite.append_attribute("package") = "colex";
  suite.append_attribute("timestamp") = now.c_str();
  suite.append_attribute("hostname") = "localhost";
  double seconds = 0;
  for (law_report const* r : laws) seconds += r->seconds;
  suite.append_attribute("time") = fmt::format("{:.3f}", seconds).c_str();
  suite.append_child("properties");
  for (law_report const* r : laws) append_test(suite, run, *r);
  suite.append_child("system-out");
  suite.append_child("system-err");
}
}  // namespace

// As the XML schema of Apache Ant's reports (windyroad/JUnit-Schema) wants it.
std::string junit_of(run_report const& run) {
  std::string const now = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  std::map<std::string, std::vector<law_report const*>> laws;
  for (law_report const& r : run.laws) laws[r.operation].push_back(&r);
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  for (auto const& of_operation : laws) append_suite(suites, run, of_operation.second, now);
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

}  // namespace colex
