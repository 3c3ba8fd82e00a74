// What a run of the suite tells. Computes no verdict; conform.cpp has.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/report.hpp"

#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/known.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace colex {

bool regression(run_report const& run, law_report const& r) {
  return (r.failed(run.asked.exact) && !r.known) || (r.lost && !run.asked.allow_lost);
}
bool passed(run_report const& run, law_report const& r) {
  return !r.failed(run.asked.exact) && (r.outcome() == verdict::pass || r.outcome() == verdict::form);
}

std::size_t count_laws(run_report const& run, bool (*which)(run_report const&, law_report const&)) {
  return static_cast<std::size_t>(
      std::count_if(run.laws.begin(), run.laws.end(), [&](law_report const& r) { return which(run, r); }));
}

counts laws_of(run_report const& run) {
  counts n;
  for (law_report const& r : run.laws) {
    n.all += r.row != nullptr;
    n.passed += r.row && passed(run, r);
    n.failed += r.row && regression(run, r);
  }
  return n;
}

// A case passes in another spelling, too, unless --exact; known failures are neither.
counts cases_of(run_report const& run) {
  counts n;
  for (law_report const& r : run.laws) {
    if (r.row) continue;
    std::size_t bad = 0;
    for (std::size_t v = std::size_t(verdict::form) + !run.asked.exact; v < r.count.size(); ++v) bad += r.count[v];
    n.all += r.evaluations;
    n.passed += r[verdict::pass] + (run.asked.exact ? 0 : r[verdict::form]);
    n.failed += r.known ? 0 : bad;
  }
  return n;
}

std::size_t evaluations(run_report const& run) {
  std::size_t n = 0;
  for (law_report const& r : run.laws) n += r.evaluations;
  return n;
}

namespace {

// `colex conform OPTION... -- PROGRAM ...`
std::string conform_command(run_report const& run, std::string const& which) {
  options const &o = run.asked, usual;
  std::string s = "colex conform";
  if (o.exact) s += " --exact";
  if (o.timeout != usual.timeout) s += fmt::format(" --timeout {}", o.timeout);
  s += which + " --";
  for (std::string const& word : o.program) s += " " + shell_word(word);
  return s;
}

}  // namespace

std::string again(run_report const& run, law_report const& r) {
  std::string only = r.name;
  for (auto const& [name, v] : r.found->where) only += " " + name + "=" + print(v);
  if (!r.row) only += " " + r.found->line;
  return conform_command(run, " --only " + shell_word(only));
}

std::string command(run_report const& run) {
  options const &o = run.asked, usual;
  std::string which;
  auto const add = [&which](char const* name, auto const& given, auto const& left_out) {
    if (given != left_out) which += fmt::format(" --{} {}", name, shell_word(fmt::format("{}", given)));
  };
  add("law", o.laws, usual.laws), add("op", o.operations, usual.operations), add("level", o.level, usual.level);
  add("since", o.since, usual.since), add("seed", o.seed, usual.seed), add("count", o.count, usual.count);
  add("time", o.time, usual.time), add("only", o.only.value_or(""), "");
  return conform_command(run, which);
}

std::string grouped(std::size_t n) {
  std::string s = std::to_string(n);
  for (int at = static_cast<int>(s.size()) - 3; at > 0; at -= 3) s.insert(static_cast<std::size_t>(at), 1, ',');
  return s;
}
std::string counted(std::size_t n, char const* what) { return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s"); }

namespace {

// ---- one failure ----

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
  std::string const head = "FAIL " + r.name + (v == verdict::wrong ? "" : fmt::format("  {}", name_of(v)));
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
  if (r.lost) return fmt::format("  lost   the baseline has it as {}\n", name_of(run.asked.baseline.laws.at(r.name).what));
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
  if (!r.found || r.lost) return head + without_counterexample(run, r) + others;
  finding const& f = *r.found;
  std::string const ruled = line("ruled", rulings(r)), cute = line("CuTe", cute_says(run, r));
  std::size_t const taken = 7 + !ruled.empty() + !cute.empty();
  return head + where_lines(f, 10 - taken) + sides(f) + ruled + cute +
         fmt::format("  after  {}\n  again  {}\n", effort(run, r), again(run, r)) + others;
}

namespace {

// ---- the summary ----

// What the laws and cases of an operation came to.
struct account {
  std::map<verdict, std::size_t> laws, cases;
  std::set<verdict> seen;

  void add(law_report const& r) {
    seen.insert(r.outcome());
    if (r.row) return void(++laws[r.outcome()]);
    for (std::size_t v = 0; v < r.count.size(); ++v)
      if (r.count[v]) cases[static_cast<verdict>(v)] += r.count[v];
  }
};

std::string outcomes(std::map<verdict, std::size_t> const& counts) {
  std::string s;
  for (auto const& [v, n] : counts) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", n, name_of(v));
  return s;
}

// Names in lines of a hundred characters, behind a heading.
std::string listed(std::string const& heading, std::vector<std::string> const& names) {
  if (names.empty()) return {};
  std::string s = heading + ":", text;
  for (std::string const& name : names) {
    if (s.size() + 1 + name.size() > 100) text += s + "\n", s.clear();
    s += " " + name;
  }
  return text + s + "\n";
}

// Those that pass and those that are not offered in a line each; of the others how many laws and cases came to what.
std::string operations_of(run_report const& run, bool verbose) {
  auto const passes = [&](verdict v) { return v <= verdict::undefined || (v == verdict::form && !run.asked.exact); };
  std::map<std::string, account> all;
  for (law_report const& r : run.laws) all[r.operation].add(r);
  std::vector<std::string> pass, not_offered;
  std::string s;
  for (auto const& [operation, a] : all) {
    std::string const laws = outcomes(a.laws), cases = outcomes(a.cases);
    if (std::ranges::all_of(a.seen, passes))
      pass.push_back(operation);
    else if (a.seen == std::set{verdict::unsupported})
      not_offered.push_back(operation);
    else
      s += fmt::format("{:<24} {}{}{}{}\n", operation, laws, laws.empty() || cases.empty() ? "" : "; ",
                       cases.empty() ? "" : "cases: ", cases);
  }
  s += listed(counted(pass.size(), "operation") + (pass.size() == 1 ? " passes" : " pass"), pass);
  std::string const rest =
      counted(not_offered.size(), "operation") + (not_offered.size() == 1 ? " is" : " are") + " not offered";
  if (verbose) return s + listed(rest, not_offered) + "\n";
  return s + (not_offered.empty() ? "\n" : rest + " (-v names them)\n\n");
}

std::string share_of(std::size_t part, std::size_t all) {
  return fmt::format("{:.1f}%", all ? 100.0 * static_cast<double>(part) / static_cast<double>(all) : 0.0);
}

std::string table(run_report const& run) {
  std::string s = fmt::format("{:<44} {:<12} {:>12} {:>10} {:>10}\n", "law", "verdict", "evaluations", "vacuous", "undefined");
  for (law_report const& r : run.laws)
    s += fmt::format("{:<44} {:<12} {:>12} {:>10} {:>10}\n", r.name, name_of(r.outcome()), grouped(r.evaluations),
                     share_of(r[verdict::vacuous], r.evaluations), share_of(r[verdict::undefined], r.evaluations));
  return s + "\n";
}

std::string blank_if_none(std::size_t n) { return n ? grouped(n) : std::string(); }

// One line for each verdict there was.
std::string verdicts(run_report const& run) {
  std::string s = fmt::format("{:<12} {:>6} {:>12} {:>8}\n", "verdict", "laws", "inputs", "cases");
  for (std::size_t v = 0; v < verdict_name.size(); ++v) {
    std::size_t laws = 0, inputs = 0, cases = 0;
    for (law_report const& r : run.laws) {
      laws += r.row && static_cast<std::size_t>(r.outcome()) == v;
      (r.row ? inputs : cases) += r.count[v];
    }
    if (laws + inputs + cases == 0) continue;
    s += fmt::format("{:<12} {:>6} {:>12} {:>8}\n", verdict_name[v], blank_if_none(laws), blank_if_none(inputs),
                     blank_if_none(cases));
  }
  return s;
}

// `226 of 248 laws passed, 3 failed`
std::string tally(counts const& n, char const* what) {
  return n.all ? fmt::format("{} of {} passed, {} failed", grouped(n.passed), counted(n.all, what), grouped(n.failed)) : "";
}

// Why a run in which no law fails shows nothing; empty: it does, or is a shard, of which nobody can say.
std::string shows_nothing(run_report const& run) {
  auto const any = [&](auto which) { return std::any_of(run.laws.begin(), run.laws.end(), which); };
  if (!run.asked.part.whole()) return {};
  if (!any([](law_report const& r) { return r.judged(); }))
    return "nothing was judged: to no request of these laws was the answer more than `unsupported`\n";
  bool const in_part = any([](law_report const& r) { return r.outcome() == verdict::partly; });
  bool const whole = any(
      [&](law_report const& r) { return passed(run, r) || r.failed(run.asked.exact) || r.outcome() == verdict::undefined; });
  return in_part && !whole ? "nothing was judged whole: each law holds on a part of its inputs, the rest was not offered\n"
                           : "";
}

// Did it fail, as the baseline has it?
bool failed_before(run_report const& run, law_report const& r) {
  auto const at = run.asked.baseline.laws.find(r.name);
  return at != run.asked.baseline.laws.end() && at->second.what > verdict::form;
}

std::string lost_notes(run_report const& run) {
  std::string s;
  for (law_report const& r : run.laws)
    if (r.lost)
      s += fmt::format("lost: {} was {} in the baseline and is {}\n", r.name, name_of(run.asked.baseline.laws.at(r.name).what),
                       name_of(r.outcome()));
  for (std::string const& op : run.lost)
    s += fmt::format("lost: {} was offered in the baseline and is not any more\n", printable(op));
  if (!s.empty() && run.asked.allow_lost) s += "what is lost may be, as --allow-lost says\n";
  for (std::string const& op : run.lacking) s += fmt::format("lacking: {} is required and not offered\n", printable(op));
  return s;
}

// Inputs that were not asked, by the limit outside of which they lie.
std::string not_covered_notes(run_report const& run) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> inputs_and_laws;
  for (law_report const& r : run.laws)
    for (auto const& [limit, n] : r.not_covered) inputs_and_laws[limit].first += n, ++inputs_and_laws[limit].second;
  std::string s;
  for (auto const& [limit, n] : inputs_and_laws)
    s += fmt::format("not covered, as the program declares {}: {} of {}\n", printable(limit), counted(n.first, "input"),
                     counted(n.second, "law"));
  return s;
}

std::string baseline_notes(run_report const& run) {
  std::string s = lost_notes(run);
  for (law_report const& r : run.laws)
    if (failed_before(run, r) && passed(run, r)) s += fmt::format("passes now, though the baseline lists it: {}\n", r.name);
  std::size_t const known = count_laws(run, [](run_report const&, law_report const& r) { return r.known; });
  if (known) s += fmt::format("{} known to fail, as the baseline says\n", counted(known, "law"));
  return s;
}

std::string out_of_time(run_report const& run) {
  std::vector<std::string> laws;
  std::size_t operations = 0;  // whose cases were not asked
  for (law_report const& r : run.laws)
    if (r.evaluations == 0 && r.row)
      laws.push_back(r.name);
    else
      operations += r.evaluations == 0;
  if (run.asked.time <= 0 || (laws.empty() && operations == 0)) return {};
  std::string const cases = operations ? "the cases of " + counted(operations, "operation") : "";
  return fmt::format("the time was out before {}{}{}\n", laws.empty() ? "" : counted(laws.size(), "law"),
                     laws.empty() || cases.empty() ? "" : " and ", cases) +
         listed("not judged", laws);
}

}  // namespace

int exit_code(run_report const& run) {
  bool const lost = !run.lost.empty() && !run.asked.allow_lost;
  bool failed = !shows_nothing(run).empty() || lost || !run.lacking.empty(), died = false;
  for (law_report const& r : run.laws)
    if (regression(run, r)) {
      failed = true;
      died = died || r[verdict::died] > 0;
    }
  return died ? 3 : failed ? 1 : 0;
}

std::string text_of(run_report const& run, bool verbose) {
  std::string s;
  for (law_report const& r : run.laws)
    if (regression(run, r) && !r.lost && r.under == law_report::alone_standing) s += failure_text(run, r, verbose) + "\n";
  s += operations_of(run, verbose);
  if (verbose) s += table(run);
  s += verdicts(run) + not_covered_notes(run) + baseline_notes(run);
  if (!run.given_up.empty())
    s += fmt::format("given up after too many deaths, the rest not asked: {}\n", fmt::join(run.given_up, ", "));
  s += out_of_time(run);
  s += shows_nothing(run);
  if (run.deaths)
    s += fmt::format("the program died {} ({} of them hanging) and was restarted\n", counted(run.deaths, "time"), run.hangs);
  std::string const part = run.asked.part.whole() ? "" : fmt::format(", shard {}/{}", run.asked.part.index, run.asked.part.of);
  counts const laws = laws_of(run), cases = cases_of(run);
  std::size_t const examples = cases.all;
  s += fmt::format("{} and {} in {:.1f} s, seed {}{}\n", counted(evaluations(run) - examples, "input"),
                   counted(examples, "case"), run.seconds, run.asked.seed, part);
  return s + tally(laws, "law") + (laws.all && cases.all ? "; " : "") + tally(cases, "case") + "\n";
}

// ---- the baseline ----

std::string baseline_of(run_report const& run) {
  std::string s =
      "# What a program did, as `colex conform --write-baseline` writes it: `offers OPERATION` that it answered, and `VERDICT "
      "LAW`\n# of each law that passed or failed, and how many of its inputs failed, or came in another spelling.\n";
  for (std::string const& op : run.offered) s += fmt::format("offers {}\n", op);
  for (law_report const& r : run.laws)
    if (r.failed(run.asked.exact) || r.judged() || r[verdict::undefined] > 0)
      s += fmt::format("{} {}{}\n", name_of(r.outcome()), r.name,
                       r.failures() ? fmt::format(" {}/{}", r.failures(), r.evaluations) : "");
  return s;
}

namespace {
// 12/40
bool is_share(std::string const& word, baseline::noted& of) {
  std::istringstream in(word);
  char slash = 0;
  bool const plain = word.find_first_not_of("0123456789/") == word.npos;
  return plain && in >> of.failed >> slash >> of.of && in.peek() == EOF && slash == '/' && of.of > 0 && of.failed <= of.of;
}
}  // namespace

baseline read_baseline(std::string const& file) {
  std::istringstream in(read_file(file));
  baseline before;
  std::string line, what, name, more;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    if (!(words >> what)) continue;
    auto const refuse = [&](std::string const& why) {
      throw bad_file(fmt::format("{}:{}: {}", printable(file, 1000), number, why));
    };
    auto const v = std::find(verdict_name.begin(), verdict_name.end(), what);
    bool const offers = what == "offers";
    baseline::noted how;
    if ((v == verdict_name.end() && !offers) || !(words >> name) || (words >> more && (offers || !is_share(more, how))))
      refuse("`VERDICT LAW [FAILED/INPUTS]` or `offers OPERATION` belongs here, not \"" + printable(line) + "\"");
    if (offers ? !is_operation(name) : !is_law(name))
      refuse(fmt::format("there is no {} \"{}\"", offers ? "operation" : "law", printable(name)));
    if (offers)
      before.offered.insert(name);
    else
      before.laws[name] = {static_cast<verdict>(v - verdict_name.begin()), how.failed, how.of};
  }
  return before;
}

}  // namespace colex
