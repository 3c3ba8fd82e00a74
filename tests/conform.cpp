// The conformance suite: evaluating laws on a program's answers, judging what comes out, deciding what to show.
// SPDX-License-Identifier: Apache-2.0
#include "tests/conform.hpp"

#include "tests/shrink.hpp"
#include "tests/stated.hpp"

#include <atomic>
#include <future>
#include <limits>
#include <mutex>

namespace colex {

// ---- what a law came to ----

verdict law_report::worst() const {
  for (std::size_t v = count.size(); v-- > static_cast<std::size_t>(verdict::form);)
    if (count[v] > 0) return static_cast<verdict>(v);
  return verdict::pass;
}

verdict law_report::outcome() const {
  law_report const& n = *this;
  if (worst() != verdict::pass) return worst();
  if (too_vacuous()) return verdict::vacuous;
  for (verdict const v : {verdict::pass, verdict::undefined, verdict::unsupported, verdict::not_judged})
    if (n[v] > 0) return v;
  return verdict::vacuous;
}

bool law_report::too_vacuous() const {
  law_report const& n = *this;
  bool const nothing_offered = n[verdict::vacuous] + n[verdict::unsupported] == evaluations && n[verdict::unsupported] > 0;
  return n[verdict::vacuous] * 5 > evaluations && !nothing_offered;
}

// ---- one law ----

namespace {

constexpr std::size_t first_batch = 16, full_batch = 512;
constexpr std::size_t enough_failures = 100;  // a law that failed so often is settled,
constexpr std::size_t enough_text = std::size_t{4} << 20;  // and one that failed on answers of so many characters

// FNV-1a: the same everywhere.
std::uint64_t hash_of(std::string_view text, std::uint64_t h = 14695981039346656037u) {
  for (char const c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}
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

void record(law_report& report, finding&& f, std::vector<std::uint64_t> const& made) {
  ++report.evaluations;
  ++report[f.what];
  bool const worse = !report.found || f.what > report.found->what || (f.what == report.found->what && f.was_asked && !report.found->was_asked);
  if (f.what < verdict::form || !worse) return;
  report.suspects = suspects_of(f, report.operation);
  report.found = std::move(f);
  report.choices = made;
  report.input = report.evaluations;
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
  bool const not_offered = r[verdict::unsupported] >= peer::unsupported_limit && r[verdict::unsupported] + r[verdict::vacuous] == r.evaluations;
  return failures >= enough_failures || (failures > 0 && text >= enough_text) || not_offered;
}

using clock = std::chrono::steady_clock;
double seconds_since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

// How many more the time allows, at the pace so far.
std::size_t fitting(law_report const& r, clock::time_point begin, clock::time_point until) {
  if (r.evaluations == 0 || until == clock::time_point::max()) return full_batch;
  double const left = std::chrono::duration<double>(until - clock::now()).count();
  double const n = left * static_cast<double>(r.evaluations) / std::max(seconds_since(begin), 1e-6);
  return static_cast<std::size_t>(std::clamp(n, 1.0, static_cast<double>(full_batch)));
}

law_report run_law(law const& l, evaluator& judge, std::uint64_t seed, std::size_t count, clock::time_point until) {
  auto const begin = clock::now();
  law_report report = report_of(l);
  std::mt19937_64 random(seed_of(l.name, seed));
  std::size_t const before = judge.volume();
  auto last = clock::duration::zero();  // a batch that would take longer than there is time for is not begun
  while (report.evaluations < count && !settled(report, judge.volume() - before) && last < until - clock::now()) {
    auto const asked_at = clock::now();
    std::vector<input> batch;
    std::size_t const size = std::min({count - report.evaluations, std::max(first_batch, report.evaluations), full_batch, fitting(report, begin, until)});
    batch.reserve(size);
    while (batch.size() < size) {
      batch.push_back({choices(random), {}, {}, {}});
      batch.back().where = draw_arguments(l, batch.back().from);
    }
    judge.settle(l, batch);
    for (input& in : batch) {
      bool const failed = in.result.what >= verdict::form;
      record(report, std::move(in.result), failed ? in.from.made() : std::vector<std::uint64_t>{});
    }
    last = clock::now() - asked_at;
  }
  report.seconds = seconds_since(begin);
  return report;
}

finding evaluate_alone(law const& l, evaluator& judge, std::vector<binding> where) {
  std::vector<input> one;
  one.push_back({choices(std::vector<std::uint64_t>{}), std::move(where), {}, {}});
  judge.settle(l, one);
  return std::move(one[0].result);
}

// With the program in the loop; a hanging one would cost its time limit at every try.
void shrink_report(law_report& r, evaluator& judge, shrink_budget const& budget) {
  finding& best = *r.found;
  auto const retry = [&](choice_list const& made) {
    choices from(made);
    finding f = evaluate_alone(*r.row, judge, draw_arguments(*r.row, from));
    if (f.what != best.what || !f.was_asked) return false;
    if (f.where != best.where) ++r.shrinks;
    best = std::move(f);
    return true;
  };
  r.alone = retry(r.choices);
  r.shrinks = 0;
  if (!r.alone) return;
  shrunk const s = shrink(r.choices, retry, budget);
  r.tries = s.tries;
  r.shrunk_out = s.finished;
}

// ---- what is shown in full ----

bool uses_only_its_operation(law_report const& r) { return r.suspects == std::vector{r.operation}; }

// The first broken law of an operation stands alone, and so does what rests on no operation already shown broken.
// Laws that ask their own operation only go first: they cannot be another one's victims.
void fold(std::vector<law_report>& laws, bool exact) {
  std::map<std::string, std::size_t> shown;
  auto const place = [&](std::size_t at) {
    law_report& r = laws[at];
    r.under = law_report::alone_standing;
    for (std::string const& op : r.suspects)
      if (auto const loud = shown.find(op); loud != shown.end()) return void(r.under = loud->second);
    shown.emplace(r.operation, at);
  };
  for (bool const alone : {true, false})
    for (std::size_t at = 0; at < laws.size(); ++at) {
      law_report const& r = laws[at];
      if (r.failed(exact) && r.found && !r.known && uses_only_its_operation(r) == alone) place(at);
    }
}

bool asked_for(options const& o, std::string const& name, std::string const& operation) {
  return matches(o.laws, name) && matches(o.operations, operation) && in_level(o.level, operation);
}

// ---- cases ----

// Its place, from the source folder on.
std::string shown(located_case const& c) {
  std::string const place = c.place(), sources = std::string(COLEX_SOURCE_DIR) + "/";
  return place.starts_with(sources) ? place.substr(sources.size()) : place;
}

// The cases of an operation, judged, as one law: `composition_form`.
law_report run_cases(std::string const& operation, std::vector<located_case> const& cases, peer& p,
                     clock::time_point until = clock::time_point::max()) {
  law_report report;
  report.name = operation + "_form";
  report.operation = operation;
  report.statement = "the worked examples: the answer as it is spelled in the case";
  report.stated = shown(cases.front());
  if (clock::now() >= until) return report;
  std::vector<std::string> lines;
  for (located_case const& c : cases) lines.push_back(print(c.what.asked));
  std::vector<reply> const replies = p.ask(lines);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    test_case const& c = cases[k].what;
    reply const& r = replies[k];
    finding f{r.died.empty() ? judge_case(c, r.got) : verdict::died, r.died.empty() ? printable(print(r.got)) : r.died,
              printable(print(c.expected)), {}, printable(cases[k].text, max_line), {{c.asked, r.got}}, {}, c.expected, r.asked};
    verdict const v = f.what;
    record(report, std::move(f), {});
    if (v >= verdict::form && report.input == report.evaluations) report.stated = shown(cases[k]);
  }
  return report;
}

std::map<std::string, std::vector<located_case>> by_operation(std::vector<located_case> cases) {
  std::map<std::string, std::vector<located_case>> grouped;
  for (located_case& c : cases) grouped[c.what.asked.op].push_back(std::move(c));
  return grouped;
}

std::map<std::string, std::vector<located_case>> chosen_cases(options const& o) {
  std::vector<located_case> all;
  for (std::string const& file : o.case_files)
    for (located_case& c : read_cases(file, [](std::string const& m) { throw bad_file(m); })) all.push_back(std::move(c));
  auto grouped = by_operation(std::move(all));
  std::erase_if(grouped, [&](auto const& g) { return !asked_for(o, g.first + "_form", g.first); });
  return grouped;
}

// ---- --only ----

law_report run_only(std::string const& text, peer& p, evaluator& judge) {
  only_input const in = parse_only(text);
  if (in.example) return run_cases(in.example->what.asked.op, {*in.example}, p);
  law_report report = report_of(*in.row);
  record(report, evaluate_alone(*in.row, judge, in.where), {});
  return report;
}

// ---- the run ----

// A part of the work, judged as if there were no other: what the program died of too often, or does not offer, is
// forgotten at its end. An operation's laws and cases stay together. Which parts there are depends neither on the copies
// of the program nor on the shards that share them, and so neither does the outcome.
struct work {
  std::vector<std::size_t> laws, cases;  // places in the report
  std::size_t cost = 0;
};
constexpr std::size_t most_parts = 24;  // each costs another look at what the program dies of

// 1.2.0 -> {1, 2, 0}
std::vector<int> version_parts(std::string const& version) {
  std::vector<int> parts;
  for (std::size_t from = 0; from <= version.size();) {
    std::size_t const to = std::min(version.find('.', from), version.size());
    std::string const part = version.substr(from, to - from);
    if (part.empty() || part.size() > 6 || part.find_first_not_of("0123456789") != part.npos)
      throw usage_error("--since: \"" + printable(version) + "\" is no version such as 0.1.0");
    parts.push_back(std::stoi(part));
    from = to + 1;
  }
  return parts;
}

std::vector<law const*> chosen_laws(options const& o) {
  std::vector<law const*> chosen;
  std::optional<std::vector<int>> since;
  if (!o.since.empty()) since = version_parts(o.since);
  for (law const& l : laws())
    if (asked_for(o, l.name, l.operation) && (!since || version_parts(stated(l.name).since) <= *since)) chosen.push_back(&l);
  return chosen;
}

// A costly law is evaluated as seldom as shows it a thousand times; the others share what is left of a million.
std::size_t count_of(options const& o, law const& l) {
  constexpr std::size_t target = 1'050'000, least = 1'500;
  if (o.time > 0 && !o.count) return std::numeric_limits<std::size_t>::max();
  static std::size_t const many = static_cast<std::size_t>(std::count_if(laws().begin(), laws().end(), [](law const& x) { return x.costly; }));
  if (o.count || l.costly) return o.count ? o.count : least;
  return std::max(least, (target - least * many) / (laws().size() - many));
}

class full_run {
 public:
  full_run(options const& o, progress_line const& progress, run_report& run)
      : o_(o), progress_(progress), run_(run), laws_(chosen_laws(o)), cases_(chosen_cases(o)) {
    if (laws_.empty() && (cases_.empty() || !o.since.empty()))
      throw usage_error(fmt::format("no law of level {} matches --law '{}' --op '{}'{}", o.level, printable(o.laws), printable(o.operations), o.since.empty() ? "" : " --since " + o.since));
    run_.laws.resize(laws_.size() + cases_.size());
    run_.suite = suite();
    std::vector<work> const all = divided();
    for (std::size_t k = 0; k < all.size(); ++k)
      if (o_.part.has(k)) parts_.push_back(all[k]);
    for (work const& w : parts_) waiting_ += w.laws.size() + w.cases.size();
    of_all_ = waiting_;
  }

  void go() {
    std::vector<std::future<void>> done;
    for (std::size_t k = 0; k < copies(); ++k) done.push_back(std::async(std::launch::async, [this] { ask(); }));
    for (auto& d : done) d.wait();
    for (auto& d : done) d.get();
    std::erase_if(run_.laws, [](law_report const& r) { return r.name.empty(); });  // other shards'
  }

 private:
  options const& o_;
  progress_line const& progress_;
  run_report& run_;
  std::vector<law const*> laws_;
  std::map<std::string, std::vector<located_case>> cases_;
  std::vector<work> parts_;
  clock::time_point const begin_ = clock::now();
  std::atomic<std::size_t> next_ = 0, waiting_ = 0;
  std::mutex mutex_;
  std::size_t finished_ = 0, of_all_ = 0;

  std::size_t copies() const { return std::clamp<std::size_t>(o_.jobs, 1, std::max<std::size_t>(1, parts_.size())); }

  std::uint64_t suite() const {
    std::uint64_t h = hash_of({});
    for (law const* l : laws_) h = hash_of(fmt::format("{} {} {}\n", l->name, l->statement, count_of(o_, *l)), h);
    for (auto const& group : cases_)
      for (located_case const& c : group.second) h = hash_of(c.text + "\n", h);
    return h;
  }

  // By operation.
  std::map<std::string, work> all_work() const {
    std::map<std::string, work> all;
    for (std::size_t k = 0; k < laws_.size(); ++k) {
      work& w = all[laws_[k]->operation];
      w.laws.push_back(k);
      w.cost += laws_[k]->costly ? 10 : 1;
    }
    for (std::size_t k = laws_.size(); auto const& group : cases_) all[group.first].cases.push_back(k++);
    return all;
  }

  // To each part about as much: the costliest operations first.
  std::vector<work> divided() const {
    std::vector<work> units;
    for (auto& [operation, w] : all_work()) units.push_back(w);
    std::stable_sort(units.begin(), units.end(), [](work const& a, work const& b) { return a.cost > b.cost; });
    std::vector<work> parts(std::min(most_parts, units.size()));
    for (work const& w : units) {
      work& to = *std::min_element(parts.begin(), parts.end(), [](work const& a, work const& b) { return a.cost < b.cost; });
      to.cost += w.cost;
      to.laws.insert(to.laws.end(), w.laws.begin(), w.laws.end());
      to.cases.insert(to.cases.end(), w.cases.begin(), w.cases.end());
    }
    return parts;
  }

  void ask() {
    peer p(o_.program, peer::seconds(o_.timeout));
    for (std::size_t k; (k = next_++) < parts_.size(); p.forget()) {
      ask(parts_[k], p);
      std::lock_guard const one_at_a_time(mutex_);
      run_.given_up.merge(p.given_up());
    }
    std::lock_guard const one_at_a_time(mutex_);
    add_account(run_, p);
  }
  void ask(work const& part, peer& p) {
    evaluator judge(p);
    for (std::size_t const k : part.laws) {
      run_.laws[k] = run_law(*laws_[k], judge, o_.seed, count_of(o_, *laws_[k]), until(waiting_--));
      tell(laws_[k]->name);
    }
    for (std::size_t const k : part.cases) {
      auto const group = std::next(cases_.begin(), static_cast<std::ptrdiff_t>(k - laws_.size()));
      run_.laws[k] = run_cases(group->first, group->second, p, until(waiting_--));
      tell(run_.laws[k].name);
    }
  }
  // When one of the laws, or operations with cases, that wait has had its share of the time; a fifth is kept for shrinking.
  clock::time_point until(std::size_t waiting) const {
    if (o_.time <= 0) return clock::time_point::max();
    double const rest = 0.8 * o_.time - seconds_since(begin_), shares = static_cast<double>(waiting) / static_cast<double>(copies());
    return clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(rest / std::max(1.0, shares)));
  }
  void tell(std::string const& name) {
    std::lock_guard const one_at_a_time(mutex_);
    progress_(name, ++finished_, of_all_);
  }

 public:
  static void add_account(run_report& run, peer const& p) {
    run.program = p.who();
    run.deaths += p.deaths();
    run.hangs += p.hangs();
    run.given_up.merge(p.given_up());
  }
};

void apply_baseline(std::vector<law_report>& reports, options const& o) {
  for (law_report& r : reports) {
    auto const at = o.baseline.find(r.name);
    r.known = at != o.baseline.end() && r.failed(o.exact) && r.outcome() <= at->second;
  }
}

bool hung(finding const& f) { return f.what == verdict::died && (!f.was_asked || f.left.starts_with("no answer within")); }

std::vector<law_report*> to_shrink(run_report& run, bool alone_standing) {
  std::vector<law_report*> laws;
  for (law_report& r : run.laws)
    if (r.failed(run.asked.exact) && !r.known && (r.under == law_report::alone_standing) == alone_standing && r.row && r.found && !hung(*r.found))
      laws.push_back(&r);
  return laws;
}

// What is shown in full first. One more copy of the program, which is to die as often as it likes.
void shrink_failures(run_report& run, clock::time_point begin) {
  std::optional<peer> p;
  for (bool const alone_standing : {true, false}) {
    std::vector<law_report*> const laws = to_shrink(run, alone_standing);
    for (std::size_t k = 0; k < laws.size(); ++k) {
      if (!p) p.emplace(run.asked.program, peer::seconds(run.asked.timeout)).give_up_nothing(true);
      evaluator judge(*p);
      shrink_budget budget;
      double const rest = std::max(0.0, run.asked.time - seconds_since(begin)) / static_cast<double>(laws.size() - k);
      if (run.asked.time > 0) budget.time = std::min(budget.time, std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(rest)));
      if (budget.time > clock::duration::zero())
        shrink_report(*laws[k], judge, budget);
      else
        laws[k]->shrunk_out = false;
    }
  }
}

}  // namespace

run_report conform(options const& asked, progress_line const& progress) {
  auto const begin = clock::now();
  run_report run;
  run.asked = asked;
  if (!asked.only) {
    full_run(asked, progress, run).go();
    apply_baseline(run.laws, asked);
    fold(run.laws, asked.exact);
    shrink_failures(run, begin);
  } else {
    peer p(asked.program, peer::seconds(asked.timeout));
    evaluator judge(p);
    run.laws.push_back(run_only(*asked.only, p, judge));
    full_run::add_account(run, p);
  }
  run.seconds = seconds_since(begin);
  return run;
}

namespace {
// Laws in the order of their table, then the cases by operation.
void in_order(std::vector<law_report>& reports) {
  auto const place = [](law_report const& r) { return std::pair(r.row ? r.row - laws().data() : std::ptrdiff_t(laws().size()), r.operation); };
  std::sort(reports.begin(), reports.end(), [&](law_report const& a, law_report const& b) { return place(a) < place(b); });
}
}  // namespace

run_report merged(std::vector<run_report> parts) {
  run_report all = std::move(parts.at(0));
  for (std::size_t k = 1; k < parts.size(); ++k) {
    run_report& part = parts[k];
    std::move(part.laws.begin(), part.laws.end(), std::back_inserter(all.laws));
    all.deaths += part.deaths;
    all.hangs += part.hangs;
    all.given_up.merge(part.given_up);
    all.seconds += part.seconds;
  }
  all.asked.part = {};
  in_order(all.laws);
  fold(all.laws, all.asked.exact);
  return all;
}

}  // namespace colex
