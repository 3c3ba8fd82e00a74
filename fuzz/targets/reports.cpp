// Reports under a fuzzer: bytes are a file that somebody hands to `colex report` and `colex merge`, or what a program said,
// anywhere in a report. It is refused with a reason, or every output made of it is plain text, well-formed, and holds no
// element that a page has not. SPDX-License-Identifier: Apache-2.0
#include "fuzz/engine/find.hpp"
#include "tests/suite/judge/files.hpp"
#include "tests/suite/report/page.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/results.hpp"

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <cstdint>

namespace {

using namespace colex;
using json = nlohmann::ordered_json;

void require(bool good, char const* what, std::string const& output) {
  if (!good) fuzz::report({"reports", what, {}, {}, printable(output, 2000)});
}

void check_text(std::string const& output) {
  bool const plain = std::all_of(output.begin(), output.end(), [](char c) { return c == '\n' || (c >= 32 && c < 127); });
  require(plain, "plain text", output);
}
void check_markup(std::string const& output) {
  pugi::xml_document document;
  check_text(output);
  require(document.load_string(output.c_str(), pugi::parse_default | pugi::parse_doctype), "well-formed", output);
  require(output.find("<script") == output.npos, "no script", output);
}

void tell(json const& run) {
  check_markup(page_of({run}));
  check_markup(badge_of({run, run}));
  check_text(markdown_of({run, run}));
  check_text(table_of({run}));
}

void merge(json const& shard) {
  run_report const all = merged_reports({shard});
  check_text(text_of(all, true));
  check_markup(junit_of(all));
  check_text(baseline_of(all));
  tell(json::parse(json_of(all)));
}

// A report of one broken law, in which `said` stands wherever a program or a file has its say.
json report_of(std::string const& said) {
  json const failure{{"verdict", "wrong"},
                     {"left", said},
                     {"right", said},
                     {"input", 1},
                     {"shrinks", 0},
                     {"tries", 0},
                     {"shrunk_out", true},
                     {"alone", true},
                     {"suspects", {"size"}},
                     {"was_asked", true},
                     {"again", said},
                     {"where", {{"A", said}}},
                     {"at", 0},
                     {"culprit", said},
                     {"got", said},
                     {"expected", said},
                     {"asked", {"size 4:1 = " + said}}};
  json const law{{"law", "size_product"},
                 {"verdict", "wrong"},
                 {"operation", "size"},
                 {"statement", said},
                 {"stated", said},
                 {"source", said},
                 {"evaluations", 17},
                 {"seconds", 0.1},
                 {"failed", true},
                 {"failure", failure},
                 {"not_covered", {{said, 1}}},
                 {"not_offered", {"size"}},
                 {"unanswered", {{said, 16}}},
                 {"died_of", {{said, said}}},
                 {"cut", false},
                 {"stopped", true},
                 {"before", said}};
  json asked{{"suite", "0123456789abcdef"},
             {"program", {said}},
             {"law", said},
             {"op", "no operation"},  // so that no law but that one is missed
             {"level", "core"},
             {"since", ""},
             {"seed", 1},
             {"count", 1},
             {"exact", false},
             {"timeout", 10.0},
             {"time", 0.0},
             {"operations", {"size"}},
             {"require_ops", {"size"}},
             {"allow_lost", false},
             {"baseline_offers", {"size"}}};
  json run{{"program", {said}},   {"name", said},         {"version", said},     {"deaths", 1},
           {"hangs", 0},          {"given_up", {"size"}}, {"seconds", 1.0},      {"shard", {{"index", 1}, {"of", 1}}},
           {"asked", asked},      {"laws", {law}},        {"offered", {"size"}}, {"lost", {"size"}},
           {"lacking", {"size"}}, {"baseline", said}};
  for (auto const v : verdict_name) run["laws"][0]["count"][std::string(v)] = v == "wrong" ? 1 : v == "unsupported" ? 16 : 0;
  return json::parse(run.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const bytes(reinterpret_cast<char const*>(data), size);
  try {
    json const run = parse_result("input", bytes);
    if (run.contains("laws") && run.contains("program")) tell(run);
    if (run.contains("shard") && run.contains("laws")) merge(run);
  } catch (bad_file const&) {  // what is no report is said to be none
  }
  json const said = parse_result("input", report_of(bytes).dump());
  tell(said);
  merge(said);
  return 0;
}
