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
std::string in_short(law_report const& r) {
  std::string const what(name_of(r.outcome()));
  return r.found
             ? fmt::format("{}: {}: {}, right is {}", what, input_of(*r.found), clipped(r.found->left), clipped(r.found->right))
             : what;
}
}  // namespace

// As the XML schema of Apache Ant's reports (windyroad/JUnit-Schema) wants it.
std::string junit_of(run_report const& run) {
  std::string const now = fmt::format("{:%Y-%m-%dT%H:%M:%S}", fmt::gmtime(std::time(nullptr)));
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  std::map<std::string, pugi::xml_node> suite;
  for (law_report const& r : run.laws) {
    pugi::xml_node& parent = suite[r.operation];
    if (!parent) {
      parent = suites.append_child("testsuite");
      parent.append_attribute("name") = r.operation.c_str();
      parent.append_child("properties");
    }
    pugi::xml_node test = parent.append_child("testcase");
    test.append_attribute("classname") = r.operation.c_str();
    test.append_attribute("name") = r.name.c_str();
    test.append_attribute("time") = fmt::format("{:.3f}", r.seconds).c_str();
    if (regression(run, r)) {
      pugi::xml_node node = test.append_child("failure");
      node.append_attribute("message") = in_short(r).c_str();
      node.append_attribute("type") = std::string(name_of(r.outcome())).c_str();
      node.text() = failure_text(run, r, false).c_str();
    } else if (!passed(run, r)) {
      test.append_child("skipped").append_attribute("message") =
          (std::string(r.known ? "known: " : "") + std::string(name_of(r.outcome()))).c_str();
    }
  }
  int id = 0;
  for (auto& of_operation : suite) {
    pugi::xml_node& node = of_operation.second;
    auto const count = [&](bool (*which)(run_report const&, law_report const&)) {
      return std::count_if(run.laws.begin(), run.laws.end(),
                           [&](law_report const& r) { return r.operation == of_operation.first && which(run, r); });
    };
    auto const all = count([](run_report const&, law_report const&) { return true; }), failed = count(regression),
               good = count(passed);
    node.append_attribute("tests") = static_cast<long long>(all);
    node.append_attribute("failures") = static_cast<long long>(failed);
    node.append_attribute("skipped") = static_cast<long long>(all - failed - good);
    node.append_attribute("errors") = 0;
    node.append_attribute("id") = id++;
    node.append_attribute("package") = "colex";
    node.append_attribute("timestamp") = now.c_str();
    node.append_attribute("hostname") = "localhost";
    double seconds = 0;
    for (law_report const& r : run.laws)
      if (r.operation == of_operation.first) seconds += r.seconds;
    node.append_attribute("time") = fmt::format("{:.3f}", seconds).c_str();
    node.append_child("system-out");
    node.append_child("system-err");
  }
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

}  // namespace colex
