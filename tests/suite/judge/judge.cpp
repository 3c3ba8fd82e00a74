// One law, or the cases of an operation, judged: inputs drawn, asked, counted, and a counterexample made smaller.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/judge.hpp"

#include "tests/suite/arguments/classes.hpp"
#include "tests/suite/arguments/hash.hpp"
#include "tests/suite/judge/stated.hpp"

#include <cmath>
#include <numeric>

namespace colex {

verdict law_report::worst() const {
  for (std::size_t v = count.size(); v-- > static_cast<std::size_t>(verdict::form);)
    if (count[v] > 0) return static_cast<verdict>(v);
  return verdict::pass;
}

std::size_t law_report::failures() const {
  return std::accumulate(count.begin() + static_cast<int>(verdict::form), count.end(), std::size_t{0});
}

bool law_report::judged() const { return worst() != verdict::pass || (*this)[verdict::pass] > 0; }

bool law_report::held() const {
  law_report const& n = *this;
  return n[verdict::pass] + n[verdict::form] + n[verdict::undefined] > 0;
}

bool law_report::in_part() const { return held() && ((*this)[verdict::unsupported] * 5 > evaluations || !unanswered.empty()); }

verdict law_report::outcome() const {
  law_report const& n = *this;
  if (worst() > verdict::form) return worst();
  if (vanished && n[verdict::unsupported] > 0) return verdict::vanished;
  if (cut) return verdict::incomplete;
  if (too_vacuous()) return verdict::vacuous;
  if (in_part()) return verdict::partly;
  if (n[verdict::form] > 0) return verdict::form;
  for (verdict const v : {verdict::pass, verdict::undefined, verdict::unsupported, verdict::not_judged})
    if (n[v] > 0) return v;
  return verdict::vacuous;
}

// Four standard deviations above a fifth: a law that draws what meets its hypothesis does not come there by chance.
bool law_report::too_vacuous() const {
  law_report const& n = *this;
  bool const nothing_offered = n[verdict::vacuous] + n[verdict::unsupported] == evaluations && n[verdict::unsupported] > 0;
  double const all = static_cast<double>(evaluations), most = 0.2 * all + 4 * std::sqrt(0.16 * all);
  return evaluations >= enough_to_tell && static_cast<double>(n[verdict::vacuous]) > most && !nothing_offered;
}

bool law_report::too_few() const { return !cut && !too_vacuous() && outcome() == verdict::vacuous; }

double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

namespace {

constexpr std::size_t full_batch = 512, full_text = std::size_t{16} << 20;  // of inputs, and of characters answered
constexpr std::size_t enough_failures = 100;                                // a law that failed so often is settled,
constexpr std::size_t enough_deaths = 20;     // and one that died so often in a row in the same way
constexpr std::size_t longest_reason = 1000;  // why something is unsupported; each law keeps one

std::uint64_t seed_of(std::string_view name, std::uint64_t seed) { return hash_of(name) ^ (seed * 0x9e3779b97f4a7c15u); }

// First the operation of the answer where the reference says something else.
std::vector<std::string> suspects_of(finding const& f, std::string const& operation) {
  std::vector<std::string> suspects;
  auto const suspect = [&](std::string const& op) {
    if (std::find(suspects.begin(), suspects.end(), op) == suspects.end()) suspects.push_back(op);
  };
  if (f.culprit) suspect(f.asked[*f.culprit].first.op);
  suspect(operation);
  for (auto const& [asked, got] : f.asked) suspect(asked.op);
  return suspects;
}

// Deaths in a row that are alike, whatever was answered between them.
struct same_deaths {
  std::string way{};
  std::size_t count = 0;

  void add(finding const& f) {
    if (f.what != verdict::died) return;
    std::string const latest = way_of_dying(f.left);
    count = latest == way ? count + 1 : 1;
    way = latest;
  }
};

// Is one finding to be shown rather than another? What is new since `then` first, then the worst.
bool shows_more(finding const& f, law_report const& report, baseline::noted const* then) {
  auto const rank = [&](std::size_t input, finding const& x) {
    return std::tuple(then && !report.left_out && then->is_new(input, x.what), x.what, x.was_asked);
  };
  return f.what >= verdict::form && (!report.found || rank(report.evaluations, f) > rank(report.input, *report.found));
}

// What the program has not decided is counted, and an example of it kept beside that of what it does not offer.
void note_unsupported(law_report& report, finding const& f) {
  auto const& [asked, got] = f.asked[0];
  bool const open = got->reason.starts_with(not_decided);
  if (open) ++report.not_covered[std::string(not_decided)];
  std::string const what = f.lacks + (open ? ", " + std::string(not_decided) : "");
  if (!report.unsupported.contains(what))
    report.unsupported.emplace(what, printable(print(asked), max_line) + " = " + printable(print(got), longest_reason));
}

void record(law_report& report, finding&& f, std::vector<std::uint64_t> const& made, baseline::noted const* then = nullptr) {
  ++report.evaluations;
  ++report[f.what];
  if (f.what > verdict::form && !report.left_out && report.which.size() < most_listed)
    report.which.emplace(report.evaluations, f.what);
  if (!f.outside.empty()) ++report.not_covered[f.outside];
  if (!f.lacks.empty()) report.not_offered.insert(f.lacks);
  if (!f.lacks.empty() && f.was_asked && !f.asked.empty()) note_unsupported(report, f);
  if (f.what == verdict::died && f.was_asked)
    report.died_of.try_emplace(way_of_dying(f.left),
                               (f.line.empty() ? printable(print(f.asked.back().first), max_line) : f.line) + "    " + f.left);
  if (!shows_more(f, report, then)) return;
  report.suspects = suspects_of(f, report.operation);
  report.found = std::move(f);
  report.choices = made;
  report.input = report.evaluations;
}

// What lies outside the program's limits, or outside the hypothesis, says nothing of a class.
void record(class_account& classes, input const& in) {
  finding const& f = in.result;
  if (f.outside.empty() && f.what != verdict::vacuous) classes.add(in.where, f.what != verdict::unsupported);
}

law_report report_of(law const& l) {
  law_report r;
  r.name = l.name;
  r.operation = l.operation;
  r.statement = l.statement;
  r.stated = stated(l.name).place;
  r.source = stated(l.name).source;
  r.row = &l;
  return r;
}

bool settled(law_report const& r, std::size_t text) {
  std::size_t failures = 0;
  for (verdict const v : {verdict::refused, verdict::wrong, verdict::silent}) failures += r[v];
  bool const not_offered =
      r[verdict::unsupported] >= peer::unsupported_limit && r[verdict::unsupported] + r[verdict::vacuous] == r.evaluations;
  return failures >= enough_failures || (failures > 0 && text >= evaluator::enough_text) || not_offered;
}

// How many more a batch may hold, by the length of the answers so far.
std::size_t readable(law_report const& r, std::size_t text) {
  return text ? std::max<std::size_t>(1, full_text * r.evaluations / text) : full_batch;
}

// How many more the time allows, at the pace so far.
std::size_t fitting(law_report const& r, clock::time_point begin, clock::time_point until) {
  if (r.evaluations == 0 || until == clock::time_point::max()) return full_batch;
  double const left = std::chrono::duration<double>(until - clock::now()).count();
  double const n = left * static_cast<double>(r.evaluations) / std::max(seconds_since(begin), 1e-6);
  return static_cast<std::size_t>(std::clamp(n, 1.0, static_cast<double>(full_batch)));
}

std::vector<input> draw_batch(law const& l, std::mt19937_64& random, std::size_t size) {
  std::vector<input> batch;
  batch.reserve(size);
  while (batch.size() < size) {
    batch.push_back({choices(random), {}, {}, {}});
    batch.back().where = draw_arguments(l, batch.back().from);
  }
  return batch;
}

finding evaluate_alone(law const& l, evaluator& judge, std::vector<binding> where) {
  std::vector<input> one;
  one.push_back({choices(std::vector<std::uint64_t>{}), std::move(where), {}, {}});
  judge.settle(l, one);
  return std::move(one[0].result);
}

}  // namespace

law_report not_offered(law const& l) {
  law_report report = report_of(l);
  record(report, {.what = verdict::unsupported, .lacks = l.operation}, {});
  return report;
}

namespace {
// A law's report, and what else its inputs have come to so far.
struct law_run {
  law_report report;
  baseline::noted const* then;
  same_deaths deaths = {};
  class_account classes = {};

  void note(input& in) {
    report.left_out = report.left_out || in.left_out;
    if (in.left_out) return;
    deaths.add(in.result);
    record(classes, in);
    bool const failed = in.result.what >= verdict::form;
    record(report, std::move(in.result), failed ? in.from.made() : std::vector<std::uint64_t>{}, then);
  }
  bool died_enough() const { return deaths.count >= enough_deaths; }
};
}  // namespace

law_report run_law(law const& l, evaluator& judge, std::uint64_t seed, std::size_t count, clock::time_point until,
                   baseline::noted const* then) {
  auto const begin = clock::now();
  law_run run{report_of(l), then};
  law_report& report = run.report;
  judge.ask_again();
  std::mt19937_64 random(seed_of(l.name, seed));
  std::size_t const before = judge.volume();
  auto last = clock::duration::zero();  // a batch that would take longer than there is time for is not begun
  auto const text = [&] { return judge.volume() - before; };
  auto const enough = [&] { return run.died_enough() || settled(report, text()); };
  while (report.evaluations < count && !enough() && last < until - clock::now()) {
    auto const asked_at = clock::now();
    std::size_t const size = std::min({count - report.evaluations, std::max(least_inputs, report.evaluations), full_batch,
                                       fitting(report, begin, until), readable(report, text())});
    std::vector<input> batch = draw_batch(l, random, size);
    judge.settle(l, batch);
    for (input& in : batch) run.note(in);
    last = clock::now() - asked_at;
  }
  if (report.held()) report.unanswered = run.classes.unanswered();
  report.cut = report.evaluations < std::min(count, least_inputs) && !enough();
  report.stopped = run.died_enough() && report.found->was_asked;
  report.seconds = seconds_since(begin);
  return std::move(report);
}

void shrink_report(law_report& r, evaluator& judge, shrink_budget const& budget) {
  law const& l = *r.row;
  finding& best = *r.found;
  auto const fails = [&](std::vector<binding> const& where) {
    finding f = evaluate_alone(l, judge, where);
    if (f.what != best.what) return false;
    if (f.where != best.where) ++r.shrinks;
    best = std::move(f);
    return true;
  };
  r.alone = fails(draw_arguments(l, r.choices));
  r.shrinks = 0;
  if (!r.alone) return;
  auto const reference = [&](request const& asked) { return judge.reference(asked); };
  shrunk_arguments const s = shrink_drawn(l, r.choices, reference, fails, budget);
  r.tries = s.tries;
  r.shrunk_out = s.finished;
}

namespace {

law_report report_of(std::string const& operation, std::vector<located_case> const& cases) {
  law_report r;
  r.name = name_of_cases(operation);
  r.operation = operation;
  r.statement = "the worked examples: the answer as it is spelled in the case";
  r.stated = cases.front().place();
  return r;
}

// Of each case why the program does not take it; empty: it does.
std::vector<std::string> limits_of(std::vector<located_case> const& cases, peer& p) {
  linear_maps maps;
  std::vector<std::string> limits;
  for (located_case const& c : cases) limits.push_back(not_taken(c.what, p, maps));
  return limits;
}

std::vector<reply> ask_taken(std::vector<located_case> const& cases, std::vector<std::string> const& limits, peer& p) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < cases.size(); ++k)
    if (limits[k].empty()) lines.push_back(print(cases[k].what.asked));
  p.ask_again();
  return p.ask(lines);
}

bool is_offered(std::vector<reply> const& replies) {
  return std::ranges::any_of(replies, [](reply const& r) { return r.got.what != status::unsupported || !r.died.empty(); });
}

finding finding_of(located_case const& of, reply const& r) {
  test_case const& c = of.what;
  return {.what = r.died.empty() ? judge_case(c, r.got) : verdict::died,
          .left = r.died.empty() ? printable(print(r.got)) : r.died,
          .right = printable(print(c.expected)),
          .line = printable(of.text, max_line),
          .asked = {{c.asked, r.got}},
          .expected = c.expected,
          .was_asked = r.asked,
          .lacks = r.got.what == status::unsupported ? c.asked.op : ""};
}

// The worst of the cases is where the law is stated.
void record_case(law_report& report, located_case const& c, reply const& r, baseline::noted const* then) {
  finding f = finding_of(c, r);
  bool const failed = f.what >= verdict::form;
  record(report, std::move(f), {}, then);
  if (failed && report.input == report.evaluations) report.stated = c.place();
}

}  // namespace

law_report run_cases(std::string const& operation, std::vector<located_case> const& cases, peer& p, clock::time_point until,
                     baseline::noted const* then) {
  law_report report = report_of(operation, cases);
  report.cut = clock::now() >= until;
  if (report.cut) return report;
  std::vector<std::string> const limits = limits_of(cases, p);
  std::vector<reply> const replies = ask_taken(cases, limits, p);
  bool const offered = is_offered(replies);
  auto next = replies.begin();
  for (std::size_t k = 0; k < cases.size(); ++k)
    if (!limits[k].empty())
      record(report, {.what = verdict::unsupported, .outside = offered ? limits[k] : ""}, {});
    else if (reply const& r = *next++; r.late)
      report.cut = true;
    else
      record_case(report, cases[k], r, then);
  return report;
}

law_report run_only(std::string const& text, peer& p, evaluator& judge) {
  only_input const in = parse_only(text);
  if (in.example) return run_cases(in.example->what.asked.op, {*in.example}, p);
  law_report report = report_of(*in.row);
  finding f = evaluate_alone(*in.row, judge, in.where);
  if (f.what == verdict::vacuous) throw outside_hypothesis(*in.row, f.left);
  record(report, std::move(f), {});
  return report;
}

}  // namespace colex
