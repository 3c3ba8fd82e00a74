// What a run of the suite tells: text for people, JSON and JUnit for machines, the baseline of known failures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/conform.hpp"

namespace colex {

// Fails, and the baseline does not list it, or is not judged as it has to be; passes, in whatever spelling.
bool regression(run_report const& run, law_report const& r);
bool passed(run_report const& run, law_report const& r);
// The time was out before it was judged.
bool incomplete(run_report const& run, law_report const& r);
std::size_t count_laws(run_report const& run, bool (*which)(run_report const&, law_report const&));
// `12,345`; `1 law`, `12,345 laws`.
std::string grouped(std::size_t n);
std::string counted(std::size_t n, char const* what);
// Of laws, and of cases, each case counted. Those that fail as the baseline says are known, the others failed.
struct counts {
  std::size_t all = 0, passed = 0, failed = 0, known = 0, not_offered = 0;
  std::map<verdict, std::size_t> others{};  // partly, say
};
counts laws_of(run_report const& run);
counts cases_of(run_report const& run);
nlohmann::ordered_json totals_json(run_report const& run);
std::size_t evaluations(run_report const& run);
// The command that the run was.
std::string command(run_report const& run);
// The command that shows a law's failure again.
std::string again(run_report const& run, law_report const& r);

// Why a run in which no law fails shows nothing; empty: it does, or is a shard, of which nobody can say.
std::string shows_nothing(run_report const& run);
// 0 conforms, 1 a law or case fails that the baseline does not list, or the run shows nothing or was cut short, 3 the program
// died.
int exit_code(run_report const& run);

// Of a law that fails; ten lines at most.
std::string failure_text(run_report const& run, law_report const& r, bool verbose);
// How the program died where no failure shown in full says it: each way once, and a few of them.
std::string other_deaths(run_report const& run);
bool shown_in_full(run_report const& run, law_report const& r);
// `verbose` adds the table of all laws and the names of those folded under another.
std::string text_of(run_report const& run, bool verbose);
std::string json_of(run_report const& run);
// Of what json_of wrote for all shards (read_shards). Throws bad_file.
run_report merged_reports(std::vector<nlohmann::ordered_json> const& shards);
std::string junit_of(run_report const& run);

// One `VERDICT LAW [FAILED/INPUTS [N form] [N unsupported] [VERDICT INPUT,...]...]` or `offers OPERATION` a line. Reading
// throws bad_file with the place of a line that is none, and where there is no verdict.
std::string baseline_of(run_report const& run);
baseline read_baseline(std::string const& file);
// `wrong 3-5,9 silent 7`, and whether words are such, of inputs up to the `last`. What throws bad_file throws it where they are
// none.
std::string text_of(failed_inputs const& which);
bool are_failed_inputs(std::istream& words, std::size_t last, failed_inputs& which);
failed_inputs failed_inputs_of(std::string const& text, std::size_t last);
// `55 inputs with basis strides: none answered`, for each class; behind `between`, and empty where there is none.
std::string none_answered(std::map<std::string, std::size_t> const& unanswered, char const* between);
// `holds on 3,058 of 3,650 inputs`
std::string held_on(law_report const& r);
// Of a law that has no counterexample to show: `partly: 55 inputs with basis strides: none answered: holds on 345 of 400
// inputs: size 4:1@0 = unsupported no basis`, `unsupported: filter is not offered`.
std::string what_was_judged(run_report const& run, law_report const& r);
// Of `size 4:1@0 = unsupported no basis` both sides clipped, so that a long request leaves room for the reason.
std::string clipped_example(std::string const& example, std::size_t most = 160);
// What has changed since the baseline, and what is required and lacking.
std::string baseline_notes(run_report const& run);
// Of a law that is lost: `was pass in the baseline and is partly`.
std::string what_is_lost(run_report const& run, law_report const& r);
// `wrong on 30 of 1,000 inputs (3.0%), now on 412 of 1,000 (41.2%)`; empty where the baseline has nothing of the law.
std::string before_and_now(run_report const& run, law_report const& r);

}  // namespace colex
