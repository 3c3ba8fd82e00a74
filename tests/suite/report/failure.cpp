// One failure as text, and the commands that show it again.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/since.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/peer/printable.hpp"
#include "tests/suite/report/known.hpp"
#include "tests/suite/report/report.hpp"

#include <fmt/format.h>

namespace colex {

namespace {

using kind_of_option = given_option::kind;

// `colex conform OPTION... -- PROGRAM ...`
std::string conform_command(std::vector<given_option> const& given, std::vector<std::string> const& program) {
  std::string s = "colex conform";
  for (given_option const& o : given) {
    s += fmt::format(" --{}", o.name);
    if (o.what != kind_of_option::flag) s += " " + shell_word(o.text);
  }
  s += " --";
  for (std::string const& word : program) s += " " + shell_word(word);
  return s;
}
std::string asked_with(run_report const& run, std::vector<given_option> const& given) {
  return run.asked.spelled ? run.asked.spelled(given) : conform_command(given, run.asked.program);
}

// Those that every run with this program has.
std::vector<given_option> always_given(options const& o) {
  options const usual;
  std::vector<given_option> given;
  if (o.exact) given.push_back({"exact", "", kind_of_option::flag});
  if (o.timeout != usual.timeout) given.push_back({"timeout", fmt::format("{}", o.timeout), kind_of_option::number});
  return given;
}

}  // namespace

std::string again(run_report const& run, law_report const& r) {
  std::string only = r.name;
  for (auto const& [name, v] : r.found->where) only += " " + name + "=" + print(v);
  if (!r.row) only += " " + r.found->line;
  std::vector<given_option> given = always_given(run.asked);
  given.push_back({"only", only});
  return asked_with(run, given);
}

std::string command(run_report const& run) {
  options const &o = run.asked, usual;
  std::vector<given_option> given = always_given(o);
  auto const add = [&given](char const* name, auto const& is, auto const& left_out, kind_of_option what) {
    if (is != left_out) given.push_back({name, fmt::format("{}", is), what});
  };
  auto const word = kind_of_option::word, number = kind_of_option::number;
  add("law", o.laws, usual.laws, word), add("op", o.operations, usual.operations, word);
  add("level", o.level, usual.level, word), add("since", o.since, usual.since, word);
  add("seed", o.seed, usual.seed, number), add("count", o.count, usual.count, number);
  add("time", o.time, usual.time, number), add("only", o.only.value_or(""), "", word);
  add("baseline", o.baseline.file, "", word);
  add("require-ops", fmt::format("{}", fmt::join(o.required, ",")), "", kind_of_option::words);
  if (o.allow_lost) given.push_back({"allow-lost", "", kind_of_option::flag});
  return asked_with(run, given);
}

namespace {

// `apply (2,2):(1,2) 4 = 0`: what was asked and answered where program and reference first differ. Not what is long and stands
// beside it, nor what a case says already.
std::string program_note(finding const& f) {
  if (f.asked.empty() || !f.line.empty()) return {};
  auto const& [asked, got] = f.asked[f.culprit.value_or(f.asked.size() - 1)];
  std::string const line = printable(print(asked), max_line), said = printable(print(got), max_line);
  bool const told = f.what == verdict::died || (said == f.left && said.size() > 40);
  return told ? line : line + " = " + said;
}
std::string reference_note(finding const& f) {
  std::string const says = f.culprit ? printable(print(f.expected), max_line) : "";
  return says.empty() || says == f.right ? "" : "the reference: " + says;
}

// At most `lines` lines; the last takes what is left.
std::string where_lines(finding const& f, std::size_t lines) {
  if (f.where.empty()) return fmt::format("  where  {}\n", clipped(f.line));
  std::string s;
  for (std::size_t k = 0; k < f.where.size(); ++k) {
    bool const new_line = k < lines;
    if (k > 0) s += new_line ? "\n" : ", ";
    if (new_line) s += k == 0 ? "  where  " : "         ";
    s += f.where[k].first + " = " + clipped(show(f.where[k].second), new_line ? 160 : 60);
  }
  return s + "\n";
}

std::string effort(run_report const& run, law_report const& r) {
  if (run.asked.only) return "1 input";
  if (!r.row) return counted(r.input, "case");
  std::string s = fmt::format("{}, {}, seed {}", counted(r.input, "input"), counted(r.shrinks, "shrink"), run.asked.seed);
  if (!r.found->was_asked) return s + " (never asked)";
  if (r.stopped) s += " (not asked on: it died in the same way too often)";
  if (shows_new(run, r)) return s + " (as drawn: a smaller one may have failed before)";
  if (!r.alone) return s + " (not when asked alone: not shrunk)";
  if (!r.shrunk_out) s += fmt::format(" (stopped after {} tries: smaller ones may fail too)", r.tries);
  return s;
}

// The laws folded under this one, counted by what they have to do with it.
std::string also(run_report const& run, law_report const& r, bool verbose) {
  std::size_t own = 0, others = 0;
  bool cases = false;
  std::string names;
  for (law_report const& other : run.laws) {
    if (other.under == law_report::alone_standing || &run.laws[other.under] != &r) continue;
    cases = cases || !other.row;
    if (other.row) ++(other.operation == r.operation ? own : others);
    names += "         " + std::string(name_of(other.outcome())) + " " + other.name + "\n";
  }
  std::vector<std::string> parts;
  if (own) parts.push_back(fmt::format("{} of {}", counted(own, "law"), r.operation));
  if (others) parts.push_back(fmt::format("{} that use{} {}", counted(others, "law"), others == 1 ? "s" : "", r.operation));
  if (cases) parts.push_back("cases");
  return parts.empty() ? "" : fmt::format("  also broken: {}\n{}", fmt::join(parts, ", "), verbose ? names : "");
}

std::string headline(law_report const& r) {
  verdict const v = r.outcome();
  std::string const head = "FAIL " + r.name + (r.lost ? "  lost" : v == verdict::wrong ? "" : fmt::format("  {}", name_of(v)));
  return r.stated.empty() ? head + "\n" : fmt::format("{:<60} {}\n", head, r.stated);
}

std::string line(char const* name, std::string const& text) {
  return text.empty() ? text : fmt::format("  {:<6} {}\n", name, clipped(text));
}

// `E13 Right inverse is not the largest (spec/errata.md:214)`
std::string rulings(law_report const& r) {
  std::string s;
  for (erratum const& e : errata_of(r.name, r.found->line))
    s += fmt::format("{}{} {} ({})", s.empty() ? "" : "; ", e.name, e.title, e.place);
  return s;
}
std::string cute_says(run_report const& run, law_report const& r) {
  return !r.row || run.program.name.starts_with("CuTe-C++") ? "" : cute_on(r.name);
}

// Both sides with their notes one below the other.
std::string sides(finding const& f) {
  std::string const left = clipped(f.left), right = clipped(f.right);
  std::size_t const widest = std::max(left.size(), right.size()), wide = widest > 40 ? 0 : widest;
  auto const side = [&](char const* name, std::string const& text, std::string const& note) {
    return note.empty() ? fmt::format("  {:<6} {}\n", name, text)
                        : fmt::format("  {:<6} {:<{}}    {}\n", name, text, wide, clipped(note));
  };
  return side("left", left, program_note(f)) + side("right", right, reference_note(f));
}

std::string without_counterexample(run_report const& run, law_report const& r) {
  if (r.lost) return fmt::format("  lost   it {}\n", what_is_lost(run, r));
  if (r.lacking) return fmt::format("  after  {}: {} is required\n", counted(r.evaluations, "input"), r.operation);
  if (r.outcome() == verdict::vanished)
    return fmt::format("  after  {}: the answer to `hello` lists {}, and every request was answered `unsupported`\n",
                       counted(r.evaluations, "input"), r.operation);
  return fmt::format("  after  {} of {} inputs did not satisfy the hypothesis; a fifth of them may\n",
                     grouped(r[verdict::vacuous]), grouped(r.evaluations));
}

}  // namespace

// What there is to say besides leaves the rest of the lines to the arguments.
std::string failure_text(run_report const& run, law_report const& r, bool verbose) {
  std::string const head = headline(r) + line("law", r.statement);
  std::string const others = also(run, r, verbose);
  if (!r.found || r.lost || r.lacking) return head + without_counterexample(run, r) + others;
  finding const& f = *r.found;
  std::string const ruled = line("ruled", rulings(r)), cute = line("CuTe", cute_says(run, r)),
                    before = line("before", before_and_now(run, r));
  std::size_t const taken = 7 + !ruled.empty() + !cute.empty() + !before.empty();
  return head + where_lines(f, std::max<std::size_t>(10 - taken, 1)) + sides(f) + ruled + cute + before +
         fmt::format("  after  {}\n  again  {}\n", effort(run, r), again(run, r)) + others;
}

bool shown_in_full(run_report const& run, law_report const& r) {
  return regression(run, r) && !r.lost && !r.lacking && r.under == law_report::alone_standing;
}

std::string other_deaths(run_report const& run) {
  constexpr std::size_t most = 5;
  std::map<std::string, std::string> ways;
  for (law_report const& r : run.laws) ways.insert(r.died_of.begin(), r.died_of.end());
  for (law_report const& r : run.laws)
    if (r.found && shown_in_full(run, r)) ways.erase(way_of_dying(r.found->left));
  std::string s;
  std::size_t told = 0;
  for (auto const& [way, how] : ways)
    if (told++ < most) s += line("died", how);
  return s + (told > most ? line("died", fmt::format("in {} too", counted(told - most, "other way"))) : "");
}

}  // namespace colex
