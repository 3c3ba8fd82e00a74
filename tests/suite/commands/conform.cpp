// Judging a program, and what becomes of the results: shards merged, runs side by side. SPDX-License-Identifier: Apache-2.0
#include "spec/notation/nearest.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/numbers.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/page.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/summary.hpp"
#include "tests/suite/report/survey.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <filesystem>
#include <thread>

namespace colex {
namespace {

struct outputs {
  std::string baseline, write_baseline, junit, json, html, markdown, badge;
  bool verbose = false;
};

// A line that is rewritten, on a terminal alone, and gone in the end.
class progress_shown {
 public:
  explicit progress_shown(std::string const& begin) { show(begin); }
  progress_shown(progress_shown const&) = delete;
  progress_shown& operator=(progress_shown const&) = delete;
  ~progress_shown() { show(""); }

  progress_line with(char const* before) const {
    return [this, before](std::string const& name, std::size_t done, std::size_t all) {
      show(fmt::format("{}{}/{} {}", before, done, all, name));
    };
  }

 private:
  bool const terminal_ = isatty(STDERR_FILENO);

  void show(std::string const& line) const {
    if (terminal_) fmt::print(stderr, "\r\033[K{}", line);
  }
};

run_report conform_or_explain(options const& asked) {
  progress_shown const progress("starting " + clipped(printable(asked.program.at(0)), 60));
  try {
    return conform(asked, progress.with(""), progress.with("making smaller: "));
  } catch (malformed const& e) {
    throw usage_error("--only: " + explain(e, asked.only.value_or("")));
  }
}

void write_pages(run_list const& runs, outputs const& out) {
  if (!out.html.empty()) write_file(out.html, page_of(runs));
  if (!out.markdown.empty()) write_file(out.markdown, markdown_of(runs));
  if (!out.badge.empty()) write_file(out.badge, badge_of(runs));
}

void write_reports(run_report const& run, outputs const& out) {
  std::string const json = json_of(run);
  if (!out.json.empty()) write_file(out.json, json);
  write_pages({nlohmann::ordered_json::parse(json)}, out);
  if (!out.junit.empty()) write_file(out.junit, junit_of(run));
  if (!out.write_baseline.empty()) write_file(out.write_baseline, baseline_of(run));
}

void check_outputs(outputs const& out) {
  for (std::string const& file : {out.json, out.junit, out.write_baseline, out.html, out.markdown, out.badge})
    if (!file.empty()) check_writable(file);
}

int tell(run_report const& run, outputs const& out) {
  fmt::print("{}", text_of(run, out.verbose));
  write_reports(run, out);
  return exit_code(run);
}

// Does it say of any law that failed which of its inputs did, if there are such?
bool tells_inputs(baseline const& before) {
  std::size_t failed = 0, listed = 0;
  for (auto const& [name, how] : before.laws)
    if (find_law(name) && how.failed > how.form) ++failed, listed += how.listed();
  return failed == 0 || listed > 0;
}

baseline baseline_in(std::string const& file) {
  baseline before = read_baseline(file);
  if (before.offered.empty())
    complain(fmt::format(
        "{} is an old baseline: it does not say what was offered, so that what is lost cannot be seen (write it again)",
        printable(file, 1000)));
  else if (!tells_inputs(before))
    complain(fmt::format(
        "{} is an old baseline: it does not say which inputs failed, so that a few more of a law are not seen (write it again)",
        printable(file, 1000)));
  return before;
}

int judge(options asked, outputs const& out) {
  check_outputs(out);
  if (!out.baseline.empty()) asked.baseline = baseline_in(out.baseline);
  run_report const run = conform_or_explain(asked);
  for (std::string const& each : run.notes) complain(each);
  return tell(run, out);
}

int tell(survey const& s, outputs const& out) {
  for (std::string const* file : {&out.junit, &out.write_baseline, &out.html, &out.markdown, &out.badge})
    if (!file->empty()) throw usage_error("these are no shards of `colex conform`: only --json can be written of them");
  if (!out.json.empty()) write_file(out.json, json_of(s));
  fmt::print("{}", text_of(s));
  return s.good() ? good : fails;
}

int merge(std::vector<std::string> const& files, outputs const& out) {
  check_outputs(out);
  auto const shards = read_shards(files);
  return shards[0].contains("laws") ? tell(merged_reports(shards), out) : tell(merged_surveys(shards), out);
}

// The same file says nothing beside itself.
void check_distinct(std::vector<std::string> const& files) {
  for (std::size_t k = 0; k < files.size(); ++k)
    for (std::size_t j = 0; j < k; ++j)
      if (std::error_code none; files[j] == files[k] || std::filesystem::equivalent(files[j], files[k], none))
        throw usage_error(fmt::format("{} and {} are one file", printable(files[j], 1000), printable(files[k], 1000)));
}

int compare_runs(std::vector<std::string> const& files, outputs const& out) {
  check_distinct(files);
  run_list runs;
  for (std::string const& file : files) runs.push_back(read_run(file));
  tell_apart(runs, files);
  fmt::print("{}", table_of(runs));
  write_pages(runs, out);
  return good;
}

void add_pages(CLI::App& sub, outputs& out) {
  sub.add_option("--html", out.html, "write a page: the laws, and the broken ones with a counterexample drawn");
  sub.add_option("--markdown", out.markdown, "write the table of results as Markdown");
  sub.add_option("--badge", out.badge, "write an SVG: how many laws hold");
}
void add_results(CLI::App& sub, outputs& out) {
  sub.add_option("--write-baseline", out.write_baseline, "write what fails, what passes and what is offered to this file");
  sub.add_option("--junit", out.junit, "write a JUnit report");
  sub.add_option("--json", out.json, "write a JSON report");
  sub.add_flag("-v,--verbose", out.verbose, "a table of all laws");
  add_pages(sub, out);
}

struct conform_command {
  options asked;
  outputs out;
  std::string shard = "1/1";
};

struct files_command {
  std::vector<std::string> files;
  outputs out;
};

// Which laws.
void add_choice(CLI::App& sub, options& asked) {
  sub.add_option("--law", asked.laws, "only laws of this name (a shell pattern); `size_form` names the cases of size");
  sub.add_option("--op", asked.operations, "only laws of this operation (a shell pattern)");
  sub.add_option(
         "--level", asked.level,
         "core (evaluation, coalesce, composition, complement, inverses, divides, products), full (the default) or atoms")
      ->check(CLI::IsMember({"core", "full", "atoms"}));
  sub.add_option("--since", asked.since, "only laws that were there in this version of Colex");
  sub.add_option("--cases", asked.case_files, "case files to ask instead of those in spec/cases, which the tool is built with");
}
// How many inputs of each, and which.
void add_inputs(CLI::App& sub, conform_command& c) {
  add_integer(sub, "--seed", c.asked.seed, "of the random inputs (default 1)");
  add_integer<std::size_t>(sub, "--count", c.asked.count, "evaluations of each law (default: a million over all laws)", 1);
  sub.add_option("--only", c.asked.only, "one input, as a report's last line has it: 'LAW A=... B=... i=...'");
  add_duration(sub, "--time", c.asked.time,
               "for the whole run, as in 30s, 5m or 1h: as many inputs as fit; it fails where a law has fewer than 16");
  sub.add_option("--shard", c.shard, "I/N: only the I-th of N parts; `colex merge` makes one report of their --json files")
      ->excludes("--only");
}
// A complaint, where it is none.
std::string no_operation(std::string const& op) {
  return is_operation(op) ? "" : "there is no operation " + printable(op) + did_you_mean(op, operation_names());
}
// How the program is run, and how strict the judge is.
void add_judging(CLI::App& sub, conform_command& c) {
  sub.add_flag("--exact", c.asked.exact, "another spelling of the right function fails, too");
  sub.add_option("--baseline", c.out.baseline,
                 "what the program did before: laws that failed may fail; what passed or was offered and is not any more fails "
                 "the run, too");
  sub.add_flag("--allow-lost", c.asked.allow_lost, "what the baseline has as passed or offered may be gone")
      ->needs("--baseline");
  sub.add_option("--require-ops", c.asked.required,
                 "OP,...: operations that the program must offer, for all that their laws ask")
      ->delimiter(',')
      ->check(CLI::Validator(no_operation, "OP"));
  add_duration(sub, "--timeout", c.asked.timeout, "what the program may take for one answer (default 10s)");
  add_integer<std::size_t>(sub, "--jobs", c.asked.jobs,
                           "copies of the program that run at a time (default: one for each core, up to 4)", 1, 256);
}

}  // namespace

void add_conform(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("conform", "judge a program by every law");
  sub->footer("example: colex conform --level core --html report.html -- python3 adapter.py");
  auto const c = std::make_shared<conform_command>();
  c->asked.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
  add_choice(*sub, c->asked);
  add_inputs(*sub, *c);
  add_judging(*sub, *c);
  add_results(*sub, c->out);
  sub->add_option("PROGRAM", c->asked.program, "the program under judgement and its arguments, behind --")->required();
  sub->callback([&status, c] {
    c->asked.part = parse_shard(c->shard);
    status = judge(c->asked, c->out);
  });
}

void add_merge(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("merge", "one result of all shards of a run");
  sub->footer("example: colex merge 1.json 2.json 3.json --json all.json");
  auto const c = std::make_shared<files_command>();
  sub->add_option("SHARD", c->files, "what `colex conform`, `exhaustive` or `properties` wrote with --shard I/N --json FILE")
      ->required();
  add_results(*sub, c->out);
  sub->callback([&status, c] { status = merge(c->files, c->out); });
}

void add_report(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("report", "several runs side by side");
  sub->footer("example: colex report a.json b.json --html both.html");
  auto const c = std::make_shared<files_command>();
  sub->add_option("FILE", c->files, "what `colex conform --json FILE` wrote")->required();
  add_pages(*sub, c->out);
  sub->callback([&status, c] { status = compare_runs(c->files, c->out); });
}

}  // namespace colex
