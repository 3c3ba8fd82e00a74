// What a program did before: the file that says it, and what has changed since.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/since.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/report/report.hpp"

#include <fmt/format.h>

#include <sstream>

namespace colex {

namespace {

// Did it fail, as the baseline has it?
bool failed_before(run_report const& run, law_report const& r) {
  auto const at = run.asked.baseline.laws.find(r.name);
  return at != run.asked.baseline.laws.end() && at->second.what > verdict::form;
}

std::string lost_notes(run_report const& run) {
  std::string s;
  for (law_report const& r : run.laws)
    if (r.lost) s += fmt::format("lost: {} {}\n", r.name, what_is_lost(run, r));
  for (std::string const& op : run.lost)
    s += fmt::format("lost: {} was offered in the baseline and is not any more\n", printable(op));
  if (!s.empty() && run.asked.allow_lost) s += "what is lost may be, as --allow-lost says\n";
  return s;
}

std::string lacking_notes(run_report const& run) {
  std::string s;
  for (std::string const& op : run.lacking) s += fmt::format("lacking: {} is required and not offered\n", printable(op));
  for (law_report const& r : run.laws)
    if (r.lacking) s += fmt::format("lacking: {} is {}, and {} is required\n", r.name, name_of(r.outcome()), r.operation);
  return s;
}

// `16 laws and the cases of 2 operations known to fail`
std::string known_notes(run_report const& run) {
  std::size_t const laws = count_laws(run, [](run_report const&, law_report const& r) { return r.known && r.row; });
  std::size_t const all = count_laws(run, [](run_report const&, law_report const& r) { return r.known; });
  if (all == 0) return {};
  std::string const cases = all > laws ? "the cases of " + counted(all - laws, "operation") : "";
  return fmt::format("{}{}{} known to fail, as the baseline says\n", laws ? counted(laws, "law") : "",
                     laws && all > laws ? " and " : "", cases);
}

// By what other inputs than today's were drawn, if they were.
std::string others_drawn(run_report const& run) {
  baseline const& before = run.asked.baseline;
  if (before.inputs.empty()) return {};
  auto const words = [](std::string const& inputs) {
    std::size_t const end = inputs.find(' ');
    return std::pair(inputs.substr(0, end), inputs.substr(end + 1));
  };
  auto const [seed, version] = words(before.inputs);
  auto const [now, now_version] = words(inputs_of(run.asked));
  bool const others = std::any_of(run.laws.begin(), run.laws.end(), [&](law_report const& r) {
    auto const at = before.laws.find(r.name);
    bool const both = r.row && at != before.laws.end() && at->second.told && at->second.what == verdict::pass;
    return both && r.outcome() == verdict::pass && at->second.of != r.evaluations;
  });
  std::vector<std::string> by;
  if (seed != now) by.push_back("seed " + printable(seed));
  if (version != now_version) by.push_back("version " + printable(version));
  if (others) by.emplace_back("another number of inputs");
  return by.empty() ? ""
                    : fmt::format("the baseline was drawn by {}: what failed then is compared by its share of the inputs\n",
                                  fmt::join(by, ", "));
}

std::string share_of_inputs(std::size_t failed, std::size_t of) {
  return fmt::format("{} of {} ({:.1f}%)", grouped(failed), counted(of, "input"),
                     100 * static_cast<double>(failed) / static_cast<double>(of));
}

}  // namespace

std::string before_and_now(run_report const& run, law_report const& r) {
  auto const at = run.asked.baseline.laws.find(r.name);
  if (at == run.asked.baseline.laws.end()) return {};
  baseline::noted const& before = at->second;
  bool const apart = !run.asked.exact && r.outcome() > verdict::form;  // another spelling does not fail
  std::size_t const then = before.failed - (apart ? before.form : 0), fail = r.failures() - (apart ? r[verdict::form] : 0);
  std::string const what(name_of(before.what)), now = share_of_inputs(fail, r.evaluations);
  if (!before.told || !then) return what + ", now fails on " + now;
  std::string const fresh = shows_new(run, r)
                                ? fmt::format(", {} of them new: one of these is shown", grouped(newly_failed(run, r)))
                            : r.outcome() <= before.what ? ": the input shown may be one that failed then, too"
                                                         : "";
  return fmt::format("{} on {}, now on {}{}", what, share_of_inputs(then, before.of), now, fresh);
}

std::string what_is_lost(run_report const& run, law_report const& r) {
  baseline::noted const& before = run.asked.baseline.laws.at(r.name);
  if (r.outcome() > before.what && !r.failed(run.asked.exact))
    return fmt::format("was {} in the baseline and is {}{}", name_of(before.what), name_of(r.outcome()),
                       none_answered(r.unanswered, ": "));
  return fmt::format("is not offered for {}, in the baseline for {}", share_of_inputs(r[verdict::unsupported], r.evaluations),
                     share_of_inputs(before.unsupported, before.of));
}

std::string baseline_notes(run_report const& run) {
  std::string s = lost_notes(run) + lacking_notes(run);
  for (law_report const& r : run.laws)
    if (failed_before(run, r) && passed(run, r)) s += fmt::format("passes now, though the baseline lists it: {}\n", r.name);
  return s + known_notes(run) + others_drawn(run);
}

std::string text_of(failed_inputs const& which) {
  std::map<verdict, std::string> ranges;
  for (auto at = which.begin(); at != which.end();) {
    auto const [first, how] = *at;
    std::size_t last = first;
    while (++at != which.end() && at->first == last + 1 && at->second == how) ++last;
    std::string& all = ranges[how];
    all += fmt::format("{}{}{}", all.empty() ? "" : ",", first, last == first ? "" : fmt::format("-{}", last));
  }
  std::string s;
  for (auto const& [how, all] : ranges) s += fmt::format("{}{} {}", s.empty() ? "" : " ", name_of(how), all);
  return s;
}

namespace {
// ` 3 unsupported`, or nothing
std::string counted_as(law_report const& r, verdict v) { return r[v] ? fmt::format(" {} {}", r[v], name_of(v)) : ""; }
// ` wrong 3-5,9`, or nothing: some were left out, or too many failed
std::string listed_as(law_report const& r) {
  return !r.which.empty() && r.which.size() == r.failures() - r[verdict::form] ? " " + text_of(r.which) : "";
}
}  // namespace

std::string baseline_of(run_report const& run) {
  std::string s =
      "# What a program did, as `colex conform --write-baseline` writes it: `inputs SEED VERSION`, which were drawn, `offers\n"
      "# OPERATION` that it answered, and `VERDICT LAW` of each law that passed or failed, how many of its inputs failed,\n"
      "# how many of these only in the form, that is in another spelling, and how many were not offered. Then the numbers of\n"
      "# those that failed otherwise, by how they did.\n";
  s += fmt::format("inputs {}\n", inputs_of(run.asked));
  for (std::string const& op : run.offered) s += fmt::format("offers {}\n", op);
  for (law_report const& r : run.laws)
    if (!incomplete(run, r) && (r.failed(run.asked.exact) || r.judged() || r[verdict::undefined] > 0))
      s += fmt::format("{} {} {}/{}{}{}{}\n", name_of(r.outcome()), r.name, r.failures(), r.evaluations,
                       counted_as(r, verdict::form), counted_as(r, verdict::unsupported), listed_as(r));
  return s;
}

namespace {
// 12/40
bool is_share(std::string const& word, baseline::noted& of) {
  std::istringstream in(word);
  char slash = 0;
  bool const plain = word.find_first_not_of("0123456789/") == word.npos;
  of.told = true;
  return plain && in >> of.failed >> slash >> of.of && in.peek() == EOF && slash == '/' && of.of > 0 && of.failed <= of.of;
}

// Where it says how many inputs failed, these are some of what fails, and none of what passes.
bool fits(baseline::noted const& of) {
  bool const either = of.what == verdict::vacuous || of.what == verdict::partly || of.what == verdict::vanished;
  return !of.told || either || (of.failed > 0) == (of.what >= verdict::form);
}

// 3-5,9: up to `last`, in order and none twice
bool is_ranges(std::string const& word, verdict how, std::size_t last, failed_inputs& which) {
  if (word.find_first_not_of("0123456789-,") != word.npos) return false;
  std::istringstream in(word);
  std::size_t from = 0, to = 0, before = 0;
  for (char between = ','; between == ','; before = to) {
    if (!(in >> from)) return false;
    to = from;
    if (in.peek() == '-' && !(in.ignore() >> to)) return false;
    if (from <= before || to < from || to > last || to - from >= most_listed - which.size()) return false;
    for (std::size_t k = from; k <= to; ++k)
      if (!which.emplace(k, how).second) return false;
    if (!(in >> between)) return true;
  }
  return false;
}
}  // namespace

bool are_failed_inputs(std::istream& words, std::size_t last, failed_inputs& which) {
  std::string how, ranges;
  while (words >> how) {
    auto const v = std::find(verdict_name.begin() + std::ptrdiff_t(verdict::form) + 1, verdict_name.end(), how);
    if (v == verdict_name.end() || !(words >> ranges)) return false;
    if (!is_ranges(ranges, static_cast<verdict>(v - verdict_name.begin()), last, which)) return false;
  }
  return true;
}

failed_inputs failed_inputs_of(std::string const& text, std::size_t last) {
  std::istringstream words(text);
  failed_inputs which;
  if (!are_failed_inputs(words, last, which))
    throw bad_file(fmt::format("\"{}\" are no failed inputs of {}", clipped(printable(text)), grouped(last)));
  return which;
}

namespace {
// What stands behind a law's name: nothing, 12/40, 12/40 3 unsupported, 12/40 2 form 3 unsupported, and then wrong 3-5,9 silent
// 7
bool is_account(std::istream& words, baseline::noted& of) {
  std::string share, what;
  if (!(words >> share)) return true;
  if (!is_share(share, of)) return false;
  while (std::isdigit((words >> std::ws).peek())) {
    std::size_t n = 0;
    if (!(words >> n >> what) || (what != "form" && what != "unsupported")) return false;
    std::size_t& of_that = what == "form" ? of.form : of.unsupported;
    if (of_that > 0) return false;
    of_that = n;
  }
  if (!are_failed_inputs(words, of.of, of.which)) return false;
  return of.form <= of.failed && of.unsupported <= of.of - of.failed && (of.which.empty() || of.listed());
}
// A line of a baseline: where it stands, and its words.
struct baseline_line {
  std::string const &file, &text;
  std::size_t number;
  std::istringstream words{text.substr(0, text.find('#'))};

  [[noreturn]] void refuse(std::string const& why) const {
    throw bad_file(fmt::format("{}:{}: {}", printable(file, 1000), number, why));
  }
  [[noreturn]] void refuse_as_none() const {
    refuse(
        "`VERDICT LAW [FAILED/INPUTS [N form] [N unsupported] [VERDICT INPUT,...]...]` or `offers OPERATION` belongs here, "
        "not \"" +
        printable(text) + "\"");
  }
  [[noreturn]] void refuse_as_unknown(std::string const& kind, std::string const& name) const {
    refuse(fmt::format("there is no {} \"{}\"", kind, printable(name)));
  }
};

// inputs SEED VERSION
void read_inputs(baseline_line& at, baseline& before) {
  std::string seed, version, more;
  if (!before.inputs.empty()) at.refuse("inputs comes twice");
  if (!(at.words >> seed >> version) || at.words >> more) at.refuse("`inputs SEED VERSION` belongs here");
  before.inputs = seed + " " + version;
}
// offers OPERATION
void read_offer(baseline_line& at, baseline& before) {
  std::string name, more;
  if (!(at.words >> name) || at.words >> more) at.refuse_as_none();
  if (!is_operation(name)) at.refuse_as_unknown("operation", name);
  if (!before.offered.insert(name).second) at.refuse(printable(name) + " comes twice");
}
// VERDICT LAW ...
void read_verdict(std::string const& what, baseline_line& at, baseline& before) {
  auto const v = std::find(verdict_name.begin(), verdict_name.end(), what);
  baseline::noted how{.what = static_cast<verdict>(v - verdict_name.begin())};
  std::string name;
  if (v == verdict_name.end() || !(at.words >> name) || !is_account(at.words, how)) at.refuse_as_none();
  if (!is_law(name)) at.refuse_as_unknown("law", name);
  if (!fits(how)) at.refuse(fmt::format("{} of {}, of which {} failed", what, counted(how.of, "input"), grouped(how.failed)));
  if (!before.laws.try_emplace(name, how).second) at.refuse(printable(name) + " comes twice");
}
}  // namespace

baseline read_baseline(std::string const& file) {
  std::istringstream in(read_file(file));
  baseline before;
  before.file = file;
  std::string text, what;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    baseline_line at{file, text, number};
    if (!(at.words >> what)) continue;
    if (what == "inputs")
      read_inputs(at, before);
    else if (what == "offers")
      read_offer(at, before);
    else
      read_verdict(what, at, before);
  }
  if (before.laws.empty())
    throw bad_file(fmt::format(
        "{} {}, so that nothing can be compared with it; `colex conform --write-baseline FILE -- PROGRAM` writes one",
        printable(file, 1000), in.str().empty() ? "is empty" : "has the verdict of no law"));
  return before;
}

}  // namespace colex
