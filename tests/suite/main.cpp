// The tool: asks the reference, explains and draws, checks case files, lists the laws, judges programs, merges shards. Only the
// command line is here. SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/layout.hpp"
#include "tests/suite/explain/explain.hpp"
#include "tests/suite/explain/solving.hpp"
#include "tests/suite/judge/coverage.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/picture/figures.hpp"
#include "tests/suite/plan.hpp"
#include "tests/suite/report/page.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/survey.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <thread>

namespace {

using namespace colex;

enum exit_status { good = 0, fails = 1, bad_usage = 2 };  // 3: exit_code(run) and no_program

void complain(std::string const& what) { fmt::print(stderr, "colex: {}\n", what); }

// ---- ask ----

// f on the line that the words make; malformed input is shown with its place.
template <class F>
int on_line(std::vector<std::string> const& words, F f) {
  std::string const line = fmt::format("{}", fmt::join(words, " "));
  try {
    return f(line);
  } catch (malformed const& e) {
    complain(explain(e, line));
    return bad_usage;
  }
}

int ask(std::vector<std::string> const& words) {
  return on_line(words, [](std::string const& line) {
    answer const a = ref::respond(parse_request(line));
    fmt::print("{}\n", a ? show(a.result) : print(a));
    return a ? good : fails;
  });
}

// ---- explain and draw ----

int explain_steps(std::vector<std::string> const& words) {
  return on_line(words, [](std::string const& line) {
    explanation const e = explain(parse_request(line));
    fmt::print("{}", text_of(e));
    return e.result ? good : fails;
  });
}

int solve_equation(std::vector<std::string> const& words) {
  return on_line(words, [](std::string const& line) {
    answer const x = solve(equation(line));
    fmt::print("{}\n", x ? show(x.result) : print(x));
    return x ? good : fails;
  });
}

int draw_picture(draw_command const& c) {
  return on_line(c.words, [&](std::string const&) {
    try {
      draw(c);
      return good;
    } catch (ref::undefined const& e) {
      complain(std::string("undefined ") + e.what());
    } catch (ref::unspecified const& e) {
      complain(std::string("unspecified ") + e.what());
    }
    return fails;
  });
}

// ---- cases ----

struct tally {
  std::size_t passed = 0, failed = 0, malformed = 0;
};

std::string shown(answer const& a) { return printable(a ? show(a.result) : print(a), 1000); }

void check_case(located_case const& c, tally& count) {
  try {
    answer const got = ref::respond(c.what.asked);
    if (judge_case(c.what, got) == verdict::pass) return void(++count.passed);
    fmt::print("{}: {}\n  expected {} {}\n  got        {}\n", c.place(), printable(print(c.what.asked), 1000), c.what.relation,
               shown(c.what.expected), shown(got));
    ++count.failed;
  } catch (malformed const& e) {
    complain(fmt::format("{}: {}", c.place(), explain(e, c.text)));
    ++count.malformed;
  }
}

int check_cases(std::vector<std::string> const& files) {
  tally count;
  for (std::string const& file : files) {
    auto const cases = read_cases(file, [&](std::string const& what) {
      complain(what);
      ++count.malformed;
    });
    for (located_case const& c : cases) check_case(c, count);
  }
  fmt::print("{} passed, {} failed\n", count.passed, count.failed + count.malformed);
  return count.malformed ? bad_usage : count.failed ? fails : good;
}

// ---- laws ----

int list_laws(bool as_json) {
  if (as_json) return fmt::print("{}", laws_json()), good;
  for (law const& l : laws()) {
    std::string const why = why_unproved(l.name);
    char const* const proved = why.empty() ? "proved" : "unproved";
    fmt::print("{:<40} {:<22} {:<9} {}\n", l.name, stated(l.name).place, proved, l.statement);
    if (!why.empty()) fmt::print("{:<63} unproved: {}\n", "", why);
  }
  return good;
}

int cover_laws(std::size_t count, std::uint64_t seed) {
  coverage const c = coverage_of(count, seed);
  fmt::print("{}{}", c.table, c.gaps);
  return c.gaps.empty() ? good : fails;
}

// ---- conform ----

struct outputs {
  std::string baseline, write_baseline, junit, json, html, markdown, badge;
  bool verbose = false;
};

void show_progress(std::string const& name, std::size_t done, std::size_t all) {
  fmt::print(stderr, "\r\033[K{}/{} {}", done, all, name);
}

run_report conform_or_explain(options const& asked, progress_line const& progress) {
  try {
    return conform(asked, progress);
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
  write_pages({read_run("this run", json)}, out);
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

int judge(options asked, outputs const& out) {
  check_outputs(out);
  if (!out.baseline.empty()) asked.baseline = read_baseline(out.baseline);
  bool const terminal = isatty(STDERR_FILENO);
  run_report const run = conform_or_explain(asked, terminal ? progress_line(show_progress) : [](auto&&...) {});
  if (terminal) fmt::print(stderr, "\r\033[K");
  return tell(run, out);
}

// ---- merge ----

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

// ---- report ----

int compare_runs(std::vector<std::string> const& files, outputs const& out) {
  run_list runs;
  for (std::string const& file : files) runs.push_back(read_run(file, read_file(file)));
  fmt::print("{}", table_of(runs));
  write_pages(runs, out);
  return good;
}

// ---- the command line ----

struct command_line {
  CLI::App app{"Colex: the CuTe layout algebra stated, proved and tested.", "colex"};
  std::vector<std::string> files;
  options asked;
  draw_command drawing;
  plan_command planning;
  std::string folder = "spec/figures";
  bool check = false;
  outputs out;
  std::string shard_text = "1/1";
  bool as_json = false, covering = false;
  int status = good;

  command_line() {
    app.require_subcommand(1);
    app.set_version_flag("--version", "colex " COLEX_VERSION);
    app.footer(
        "exit: 0 conforms, passes, answers; 1 a law or case fails or there is no answer (undefined); 2 wrong usage or "
        "malformed input;\n"
        "      3 the program died or broke the protocol");
    asked.jobs = std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
    add_ask();
    add_explain();
    add_solve();
    add_draw();
    add_figures();
    add_cases();
    add_laws();
    add_conform();
    add_merge();
    add_report();
    add_plan();
  }

  void add_ask() {
    CLI::App* sub =
        app.add_subcommand("ask", "what the reference says, as in: colex ask 'composition (6,2):(8,2) (4,3):(3,1)'");
    sub->prefix_command();
    sub->callback([this, sub] { status = ask(sub->remaining()); });
  }
  void add_explain() {
    CLI::App* sub =
        app.add_subcommand("explain", "how the reference comes to its answer: the steps, each with its layout and why");
    sub->prefix_command();
    sub->callback([this, sub] { status = explain_steps(sub->remaining()); });
  }
  void add_solve() {
    CLI::App* sub = app.add_subcommand("solve",
                                       "the smallest layout that answers, or why there is none: colex solve "
                                       "'composition A ? = B', 'composition ? A = B', 'logical_divide A ? = B'");
    sub->prefix_command();
    sub->callback([this, sub] { status = solve_equation(sub->remaining()); });
  }
  void add_draw() {
    CLI::App* sub = app.add_subcommand("draw", "a picture: values, threads, banks");
    add_draw_options(*sub, drawing);
    sub->callback([this] { status = draw_picture(drawing); });
  }
  void add_figures() {
    CLI::App* sub = app.add_subcommand("figures", "draw every figure that FOLDER/figures.txt lists");
    sub->add_option("FOLDER", folder, "where the list is and the figures go (default: spec/figures)");
    sub->add_flag("--check", check, "write nothing: name the figures that are not what would be drawn");
    sub->callback([this] { status = draw_figures(folder, check) == 0 ? good : fails; });
  }
  void add_cases() {
    CLI::App* sub = app.add_subcommand("cases", "check case lines against the reference");
    sub->add_option("FILE", files, "files of case lines")->required();
    sub->callback([this] { status = check_cases(files); });
  }
  void add_laws() {
    CLI::App* sub = app.add_subcommand("laws", "every law, where it is stated and whether it is proved");
    CLI::Option* const json = sub->add_flag("--json", as_json, "with arguments, source and version, for programs");
    CLI::Option* const cover =
        sub->add_flag("--coverage", covering, "how many drawn arguments of which class reach each law, or why none")
            ->excludes(json);
    sub->add_option("--count", asked.count, "evaluations of each law (default 1000), of a costly one a tenth")
        ->needs(cover)
        ->check(CLI::PositiveNumber);
    sub->add_option("--seed", asked.seed, "of the arguments drawn (default 1)")->needs(cover);
    sub->callback(
        [this] { status = covering ? cover_laws(asked.count ? asked.count : 1000, asked.seed) : list_laws(as_json); });
  }
  void add_conform() {
    CLI::App* sub =
        app.add_subcommand("conform", "judge a program by every law: colex conform [OPTION...] -- PROGRAM [ARG...]");
    sub->add_option("--law", asked.laws, "only laws of this name (a shell pattern)");
    sub->add_option("--op", asked.operations, "only laws of this operation (a shell pattern)");
    sub->add_option("--seed", asked.seed, "of the random inputs (default 1)");
    sub->add_option("--count", asked.count, "evaluations of each law (default: a million over all laws)")
        ->check(CLI::PositiveNumber);
    sub->add_flag("--exact", asked.exact, "another spelling of the right function fails, too");
    sub->add_option("--only", asked.only, "one input, as a report's last line has it: 'LAW A=... B=... i=...'");
    sub->add_option("--baseline", out.baseline, "laws listed in this file may fail; only others fail the run");
    sub->add_option(
           "--level", asked.level,
           "core (evaluation, coalesce, composition, complement, inverses, divides, products), full (the default) or atoms")
        ->check(CLI::IsMember({"core", "full", "atoms"}));
    sub->add_option("--since", asked.since, "only laws that were there in this version of Colex");
    sub->add_option("--time", asked.time, "seconds for the whole run, as in 30s: as many inputs as fit")
        ->check(CLI::PositiveNumber)
        ->transform([](std::string s) { return s.ends_with('s') ? s.substr(0, s.size() - 1) : s; });
    sub->add_option("--shard", shard_text,
                    "I/N: only the I-th of N parts; `colex merge` makes one report of their --json files")
        ->excludes("--only");
    add_results(sub);
    sub->add_option("--timeout", asked.timeout, "seconds the program may take for one answer (default 10)")
        ->check(CLI::PositiveNumber);
    sub->add_option("--jobs", asked.jobs, "copies of the program that run at a time (default: one for each core, up to 4)")
        ->check(CLI::Range(1, 256));
    sub->add_option("--cases", asked.case_files,
                    "case files to ask instead of those in spec/cases, which the tool is built with");
    sub->add_option("PROGRAM", asked.program, "the program under judgement and its arguments, behind --")->required();
    sub->callback([this] {
      asked.part = parse_shard(shard_text);
      status = judge(asked, out);
    });
  }
  void add_merge() {
    CLI::App* sub = app.add_subcommand("merge", "one result of all shards of a run: colex merge SHARD.json... --json OUT");
    sub->add_option("SHARD", files, "what `colex conform`, `exhaustive` or `properties` wrote with --shard I/N --json FILE")
        ->required();
    add_results(sub);
    sub->callback([this] { status = merge(files, out); });
  }
  void add_report() {
    CLI::App* sub = app.add_subcommand("report", "several runs side by side: colex report A.json B.json --html out.html");
    sub->add_option("FILE", files, "what `colex conform --json FILE` wrote")->required();
    add_pages(sub);
    sub->callback([this] { status = compare_runs(files, out); });
  }
  void add_plan() {
    CLI::App* sub = app.add_subcommand(
        "plan", "which plan a GEMM would take, and what the model expects of the others: colex plan M N K TYPE");
    add_plan_options(*sub, planning);
    sub->callback([this] { status = print_plans(planning) ? good : fails; });
  }
  void add_results(CLI::App* sub) {
    sub->add_option("--write-baseline", out.write_baseline, "write the laws that fail to this file");
    sub->add_option("--junit", out.junit, "write a JUnit report");
    sub->add_option("--json", out.json, "write a JSON report");
    sub->add_flag("-v,--verbose", out.verbose, "a table of all laws");
    add_pages(sub);
  }
  void add_pages(CLI::App* sub) {
    sub->add_option("--html", out.html, "write a page: the laws, and the broken ones with a counterexample drawn");
    sub->add_option("--markdown", out.markdown, "write the table of results as Markdown");
    sub->add_option("--badge", out.badge, "write an SVG: how many laws hold");
  }
};

// What was printed must have arrived.
int flushed(int status) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  complain(fmt::format("cannot write standard output: {}", std::strerror(errno)));
  return bad_usage;
}

int run(int argc, char** argv) {
  command_line line;
  try {
    line.app.parse(argc, argv);
    return line.status;
  } catch (CLI::Success const& e) {  // --help, --version
    return line.app.exit(e);
  } catch (CLI::ParseError const& e) {
    complain(std::string(e.what()) + " (colex --help)");
    return bad_usage;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return flushed(run(argc, argv));
  } catch (no_program const& e) {
    complain(e.what());
    return 3;
  } catch (std::exception const& e) {
    complain(e.what());
    return bad_usage;
  }
}
