// What a run of the suite tells people. Computes no verdict.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/report.hpp"

#include "spec/notation/nearest.hpp"
#include "tests/suite/judge/judge.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/peer/limits.hpp"

#include <fmt/format.h>

namespace colex {

std::string grouped(std::size_t n) {
  std::string s = std::to_string(n);
  for (int at = static_cast<int>(s.size()) - 3; at > 0; at -= 3) s.insert(static_cast<std::size_t>(at), 1, ',');
  return s;
}
std::string counted(std::size_t n, char const* what) { return fmt::format("{} {}{}", grouped(n), what, n == 1 ? "" : "s"); }

std::string none_answered(std::map<std::string, std::size_t> const& unanswered, char const* between) {
  std::string s;
  for (auto const& [inputs, n] : unanswered)
    s += fmt::format("{}{} with {}: none answered", s.empty() ? between : "; ", counted(n, "input"), printable(inputs));
  return s;
}

std::string held_on(law_report const& r) {
  return fmt::format("holds on {} of {}", grouped(r[verdict::pass] + r[verdict::form] + r[verdict::undefined]),
                     counted(r.evaluations, "input"));
}

std::string what_was_judged(run_report const& run, law_report const& r) {
  std::string s = std::string(name_of(r.outcome())) + none_answered(r.unanswered, ": ");
  if (r.outcome() == verdict::partly) s += ": " + held_on(r);
  if (incomplete(run, r))
    for (std::string const& each : run.waited_for) s += ": waited " + clipped(each, 300);
  for (std::string const& operation : r.not_offered)
    if (!run.program.offers(operation)) s += fmt::format(": {} is not offered", operation);
  for (auto const& [operation, example] : r.unsupported) s += ": " + clipped_example(example);
  return s;
}

std::string clipped_example(std::string const& example, std::size_t most) {
  std::size_t const at = std::min(example.find(" = "), example.size()), reason = std::min(example.size() - at, most / 2);
  std::string const asked = clipped(example.substr(0, at), most - reason);
  return asked + clipped(example.substr(at), most - asked.size());
}

namespace {

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
  bool is_offered() const { return seen != std::set{verdict::unsupported}; }
};

std::map<std::string, account> accounts_of(run_report const& run) {
  std::map<std::string, account> all;
  for (law_report const& r : run.laws) all[r.operation].add(r);
  return all;
}

std::string outcomes(std::map<verdict, std::size_t> const& counts) {
  std::string s;
  for (auto const& [v, n] : counts) s += fmt::format("{}{} {}", s.empty() ? "" : ", ", grouped(n), name_of(v));
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
  std::map<std::string, account> const all = accounts_of(run);
  std::vector<std::string> pass, not_offered;
  std::string s;
  for (auto const& [operation, a] : all) {
    std::string const laws = outcomes(a.laws), cases = outcomes(a.cases);
    if (std::ranges::all_of(a.seen, passes))
      pass.push_back(operation);
    else if (!a.is_offered())
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

// Of an operation that is not offered there is nothing to tell of each law.
std::string table(run_report const& run) {
  std::map<std::string, account> const all = accounts_of(run);
  std::size_t laws = 0, cases = 0;
  std::string s = fmt::format("{:<44} {:<12} {:>12} {:>10} {:>10}\n", "law", "verdict", "evaluations", "vacuous", "undefined");
  for (law_report const& r : run.laws)
    if (all.at(r.operation).is_offered())
      s += fmt::format("{:<44} {:<12} {:>12} {:>10} {:>10}\n", r.name, name_of(r.outcome()), grouped(r.evaluations),
                       share_of(r[verdict::vacuous], r.evaluations), share_of(r[verdict::undefined], r.evaluations));
    else
      ++(r.row ? laws : cases);
  if (laws + cases)
    s += fmt::format("and of operations that are not offered {}, and the cases of {}\n", counted(laws, "law"), grouped(cases));
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

// `226 of 248 laws passed, 5 failed (2 known, 3 new), 17 partly, 60 not offered`: of those that are offered.
std::string tally(counts const& n, char const* what) {
  if (n.all == 0) return {};
  if (n.all == n.not_offered) return counted(n.all, what) + " not offered";
  std::string s = fmt::format("{} of {} passed, {} failed", grouped(n.passed), counted(n.all - n.not_offered, what),
                              grouped(n.known + n.failed));
  if (n.known) s += fmt::format(" ({} known, {} new)", grouped(n.known), grouped(n.failed));
  if (!n.others.empty()) s += ", " + outcomes(n.others);
  return n.not_offered ? s + fmt::format(", {} not offered", grouped(n.not_offered)) : s;
}

// Inputs that were not asked, by the limit outside of which they lie, and those that the program has not decided.
std::string not_covered_notes(run_report const& run) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> inputs_and_laws;
  for (law_report const& r : run.laws)
    for (auto const& [limit, n] : r.not_covered) inputs_and_laws[limit].first += n, ++inputs_and_laws[limit].second;
  std::string s;
  for (auto const& [limit, n] : inputs_and_laws)
    s += fmt::format("not covered, as the program {}: {} of {}\n", printable(why_not_asked(limit)), counted(n.first, "input"),
                     counted(n.second, "law"));
  return s;
}

// Laws that hold in part for want of a class of inputs, by the class.
std::string unanswered_notes(run_report const& run, bool verbose) {
  std::map<std::string, std::pair<std::size_t, std::vector<std::string>>> inputs_and_laws;
  for (law_report const& r : run.laws)
    for (auto const& [inputs, n] : r.unanswered)
      if (r.outcome() == verdict::partly) inputs_and_laws[inputs].first += n, inputs_and_laws[inputs].second.push_back(r.name);
  std::string s;
  for (auto const& [inputs, found] : inputs_and_laws) {
    auto const& [n, names] = found;
    std::string const head = fmt::format("none answered: {} with {}, of ", counted(n, "input"), printable(inputs));
    s += verbose || names.size() == 1 ? listed(head + counted(names.size(), "law"), names)
                                      : head + counted(names.size(), "law") + " (-v names them)\n";
  }
  return s;
}

// Of laws that hold in part, on how many of their inputs: of those that --law asks for.
std::string parts_held(run_report const& run, bool verbose) {
  std::string s;
  for (law_report const& r : run.laws)
    if (r.outcome() == verdict::partly && r.row && (verbose || run.asked.by_name()))
      s += fmt::format("{} {}\n", r.name, held_on(r));
  return s;
}

// One request of each operation that was answered `unsupported`, with the reason: of those that are offered for others, and of
// those that give one.
std::string unsupported_notes(run_report const& run, bool verbose) {
  constexpr std::size_t most = 10;
  std::map<std::string, std::string> examples;
  for (law_report const& r : run.laws)
    for (auto const& [operation, example] : r.unsupported)
      if (verbose || run.offered.contains(operation) || !example.ends_with(" = unsupported"))
        examples.emplace(operation, example);
  std::string s;
  std::size_t told = 0;
  for (auto const& [operation, example] : examples)
    if (verbose || told++ < most) s += "  " + clipped_example(example) + "\n";
  if (s.empty()) return s;
  return "answered `unsupported`, for example:\n" + s +
         (told > most ? fmt::format("  and requests of {} (-v shows them)\n", counted(told - most, "other operation")) : "");
}

std::vector<std::string> names_of(run_report const& run, bool (*which)(run_report const&, law_report const&)) {
  std::vector<std::string> names;
  for (law_report const& r : run.laws)
    if (r.row && which(run, r)) names.push_back(r.name);
  return names;
}

std::string waits(run_report const& run) {
  std::string s;
  for (std::string const& each : run.waited_for)
    s += fmt::format("then it had waited {} (that it hangs is certain after twice --timeout, {} s)\n", clipped(each, 300),
                     2 * run.asked.timeout);
  return s;
}

std::string out_of_time(run_report const& run) {
  std::vector<std::string> const laws = names_of(run, incomplete);
  std::size_t const operations = count_laws(run, incomplete) - laws.size();  // whose cases were not asked
  if (laws.empty() && operations == 0) return {};
  std::string const cases = operations ? "the cases of " + counted(operations, "operation") : "",
                    few = fmt::format("{} had {}", counted(laws.size(), "law"), counted(least_inputs, "input"));
  return fmt::format("incomplete, which is no pass: the time was out before {}{}{}\n", laws.empty() ? "" : few,
                     laws.empty() || cases.empty() ? "" : " and before ", cases.empty() ? "" : cases + " were asked") +
         waits(run) + listed("not judged", laws);
}

std::string too_few(run_report const& run) {
  return listed("too few inputs: none met the hypothesis of",
                names_of(run, [](run_report const&, law_report const& r) { return r.too_few(); }));
}

std::string stopped(run_report const& run) {
  return listed("died so often in a row in the same way that it was not asked on",
                names_of(run, [](run_report const&, law_report const& r) { return r.stopped; }));
}

// What the greeting lists and nobody asks for.
std::string unknown_operations(run_report const& run) {
  std::string s;
  for (std::string const& op : run.program.operations)
    if (!is_operation(op))
      s += fmt::format("the answer to `hello` lists {}, which Colex does not know{}\n", printable(op),
                       did_you_mean(op, operation_names()));
  return s;
}

}  // namespace

std::string text_of(run_report const& run, bool verbose) {
  std::string s;
  for (law_report const& r : run.laws)
    if (shown_in_full(run, r)) s += failure_text(run, r, verbose) + "\n";
  s += operations_of(run, verbose);
  if (verbose) s += table(run);
  s += verdicts(run) + not_covered_notes(run) + parts_held(run, verbose) + unanswered_notes(run, verbose) +
       unsupported_notes(run, verbose) + baseline_notes(run);
  if (!run.given_up.empty())
    s += fmt::format("given up after too many deaths, the rest not asked: {}\n", fmt::join(run.given_up, ", "));
  s += stopped(run) + too_few(run) + unknown_operations(run) + out_of_time(run) + shows_nothing(run);
  if (run.deaths)
    s += fmt::format("the program died {} ({} of them hanging)\n{}", counted(run.deaths, "time"), run.hangs, other_deaths(run));
  std::string const part = run.asked.part.whole() ? "" : fmt::format(", shard {}/{}", run.asked.part.index, run.asked.part.of);
  counts const laws = laws_of(run), cases = cases_of(run);
  std::size_t const examples = cases.all;
  s += fmt::format("{} and {} in {:.1f} s, seed {}{}\n", counted(evaluations(run) - examples, "input"),
                   counted(examples, "case"), run.seconds, run.asked.seed, part);
  return s + tally(laws, "law") + (laws.all && cases.all ? "; " : "") + tally(cases, "case") + "\n";
}

}  // namespace colex
