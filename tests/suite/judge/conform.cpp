// The conformance suite: which laws and cases are asked and when, and what is shown of what they came to.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/conform.hpp"
#include "tests/suite/arguments/hash.hpp"

#include "tests/suite/judge/chosen.hpp"
#include "tests/suite/judge/judge.hpp"
#include "tests/suite/judge/since.hpp"
#include "tests/suite/judge/stated.hpp"

#include <atomic>
#include <future>
#include <limits>
#include <mutex>

namespace colex {

namespace {

clock::duration seconds(double n) { return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(n)); }

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
      bool const shows = r.found || r.outcome() == verdict::vanished;
      if (r.failed(exact) && shows && !r.known && uses_only_its_operation(r) == alone) place(at);
    }
}

// A part of the work, judged as if there were no other: what the program died of too often, or does not offer, is
// forgotten at its end. An operation's laws and cases stay together. Which parts there are depends neither on the copies
// of the program nor on the shards that share them, and so neither does the outcome.
struct work {
  std::vector<std::size_t> laws, cases;  // places in the report
  std::size_t cost = 0;
};
constexpr std::size_t most_parts = 24;  // each costs another look at what the program dies of

// A costly law is evaluated as seldom as shows it a thousand times; the others share what is left of a million.
std::size_t count_of(options const& o, law const& l) {
  constexpr std::size_t target = 1'050'000, least = 1'500;
  if (o.time > 0 && !o.count) return std::numeric_limits<std::size_t>::max();
  static std::size_t const many =
      static_cast<std::size_t>(std::count_if(laws().begin(), laws().end(), [](law const& x) { return x.costly; }));
  if (o.count || l.costly) return o.count ? o.count : least;
  return std::max(least, (target - least * many) / (laws().size() - many));
}

// What a program that answers at all answers one of: worked examples of what it offers, of as many operations as can be.
std::vector<std::string> examples(cases_by_operation const& grouped, introduction const& who) {
  std::vector<std::string> lines;
  for (std::size_t k = 0, before = ~std::size_t{0}; before != lines.size() && lines.size() < peer::first_requests; ++k) {
    before = lines.size();
    for (auto const& [operation, cases] : grouped)
      if (k < cases.size() && who.offers(operation) && lines.size() < peer::first_requests)
        lines.push_back(print(cases[k].what.asked));
  }
  return lines;
}

// What is asked, greeted.
std::unique_ptr<peer> greeted(options const& o) {
  peer::seconds const limit(o.timeout);
  return o.start ? std::make_unique<peer>(o.start, o.program.at(0), limit) : std::make_unique<peer>(o.program, limit);
}

class full_run {
 public:
  full_run(options const& o, progress_line const& progress, run_report& run) : o_(o), progress_(progress), run_(run) {
    chosen all = choose(o, stated_);
    laws_ = std::move(all.laws), cases_ = std::move(all.cases), run_.notes = std::move(all.notes);
    run_.laws.resize(laws_.size() + cases_.size());
    run_.suite = suite();
    std::vector<work> const parts = divided();
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (o_.part.has(k)) parts_.push_back(parts[k]);
    for (work const& w : parts_) of_all_ += w.laws.size() + w.cases.size();
  }

  void go() {
    std::vector<std::future<void>> done;
    auto const how = copies() == 1 ? std::launch::deferred : std::launch::async;  // one alone: in this thread
    for (std::size_t k = 0; k < copies(); ++k) done.push_back(std::async(how, [this] { ask(); }));
    for (auto& d : done) d.wait();
    for (auto& d : done) d.get();
    std::erase_if(run_.laws, [](law_report const& r) { return r.name.empty(); });  // other shards'
  }

 private:
  options const& o_;
  progress_line const& progress_;
  run_report& run_;
  std::vector<law const*> laws_;
  cases_by_operation const stated_ = by_operation(stated_cases());
  cases_by_operation cases_;
  std::vector<work> parts_;
  clock::time_point const begin_ = clock::now();
  std::atomic<std::size_t> next_ = 0, waiting_ = 0;
  std::once_flag greeted_;
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
    std::unique_ptr<peer> const started = greeted(o_);
    peer& p = *started;
    if (o_.time > 0) p.end_at(begin_ + seconds(o_.time));
    std::call_once(greeted_, [&] { count_waiting(p.who()); });
    p.expect_an_answer(examples(stated_, p.who()));
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
      law const& l = *laws_[k];
      run_.laws[k] = is_offered(k, p.who())
                         ? run_law(l, judge, o_.seed, count_of(o_, l), until(k, p.who()), same_inputs(o_, l.name))
                         : not_offered(l);
      tell(l.name);
    }
    for (std::size_t const k : part.cases) {
      auto const& [operation, cases] = cases_at(k);
      baseline::noted const* const then = same_inputs(o_, name_of_cases(operation), cases.size());
      run_.laws[k] = run_cases(operation, cases, p, until(k, p.who()), then);
      if (!o_.case_files.empty()) run_.laws[k].which.clear();  // another time the files may have others
      tell(run_.laws[k].name);
    }
  }
  std::pair<std::string const, std::vector<located_case>> const& cases_at(std::size_t place) const {
    return *std::next(cases_.begin(), static_cast<std::ptrdiff_t>(place - laws_.size()));
  }
  // Of an operation that the greeting leaves out nothing can be judged but what other operations' laws judge: it is not asked,
  // and waits for no time.
  bool is_offered(std::size_t place, introduction const& who) const {
    return who.offers(place < laws_.size() ? laws_[place]->operation : cases_at(place).first);
  }
  void count_waiting(introduction const& who) {
    for (work const& w : parts_)
      for (auto const& places : {w.laws, w.cases})
        for (std::size_t const k : places) waiting_ += is_offered(k, who);
  }
  // When one of the laws, or operations with cases, that wait has had its share of the time; a fifth is kept for shrinking.
  clock::time_point until(std::size_t place, introduction const& who) {
    if (o_.time <= 0 || !is_offered(place, who)) return clock::time_point::max();
    std::size_t const waiting = waiting_--;
    double const rest = 0.8 * o_.time - seconds_since(begin_),
                 shares = static_cast<double>(waiting) / static_cast<double>(copies());
    return clock::now() + seconds(rest / std::max(1.0, shares));
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
    if (!p.waited_for().empty()) run.waited_for.insert(p.waited_for());
    run.given_up.merge(p.given_up());
    run.offered.insert(p.offered().begin(), p.offered().end());
  }
};

// What a run leaves out of what there is to ask of an operation: --law, --since and --cases choose.
struct not_chosen {
  std::vector<law const*> laws;
  std::vector<located_case> cases;
};
not_chosen rest_of(run_report const& run, std::string const& operation) {
  std::set<std::string> asked;
  for (law_report const& r : run.laws) asked.insert(r.name);
  not_chosen rest;
  for (law const& l : laws())
    if (l.operation == operation && !asked.contains(l.name)) rest.laws.push_back(&l);
  if (run.asked.case_files.empty() && asked.contains(name_of_cases(operation))) return rest;
  for (located_case const& c : stated_cases())
    if (c.what.asked.op == operation) rest.cases.push_back(c);
  return rest;
}

// Who only dies answers nothing.
bool has_answers(law_report const& r) {
  std::size_t answers = 0;
  for (verdict const v : {verdict::pass, verdict::form, verdict::wrong, verdict::silent, verdict::refused, verdict::undefined})
    answers += r[v];
  return answers > 0;
}
bool answers_any(peer& p, std::string const& operation, not_chosen const& rest, options const& o) {
  evaluator judge(p);
  return (!rest.cases.empty() && has_answers(run_cases(operation, rest.cases, p))) ||
         std::ranges::any_of(rest.laws, [&](law const* l) {
           return has_answers(run_law(*l, judge, o.seed, peer::unsupported_limit, clock::time_point::max(), nullptr));
         });
}

// What the greeting lists and no request of the laws chosen was answered is asked what they leave out, so that it depends on no
// choice whether it has vanished. One more copy of the program: how it answers there is no part of the run.
void look_for_answers(run_report& run, clock::time_point begin) {
  std::unique_ptr<peer> p;
  std::set<std::string> silent;
  for (law_report const& r : run.laws)
    if (r.evaluations > 0 && run.program.operations.contains(r.operation) && !run.offered.contains(r.operation))
      silent.insert(r.operation);
  for (std::string const& operation : silent) {
    not_chosen const rest = rest_of(run, operation);
    if (rest.laws.empty() && rest.cases.empty()) continue;
    if (!p) p = greeted(run.asked);
    if (run.asked.time > 0) p->end_at(begin + seconds(run.asked.time));
    if (answers_any(*p, operation, rest, run.asked)) run.offered.insert(operation);
  }
}

// An operation is asked for where its own laws are, and one of them was asked before the time was out.
std::set<std::string> operations_not_answered(run_report const& run, std::set<std::string> const& wanted, bool asked_or_not) {
  std::set<std::string> asked, missing;
  for (law_report const& r : run.laws)
    if (r.evaluations > 0) asked.insert(r.operation);
  for (std::string const& op : wanted)
    if (!run.offered.contains(op) && (asked_or_not || asked.contains(op))) missing.insert(op);
  return missing;
}

// Is less of the law judged than of what is required should be, for want of its own operation?
bool is_lacking(run_report const& run, law_report const& r) {
  bool const less = r.outcome() == verdict::partly || r.outcome() == verdict::unsupported;
  return less && run.asked.required.contains(r.operation) && (r.not_offered.contains(r.operation) || !r.not_covered.empty());
}

// What only a look at the whole run shows.
void look_at_all(run_report& run) {
  for (law_report& r : run.laws) {
    r.vanished = run.program.operations.contains(r.operation) && !run.offered.contains(r.operation);
    if (r.outcome() == verdict::vanished) r.suspects = {r.operation};
  }
  apply_baseline(run);
  run.lost = operations_not_answered(run, run.asked.baseline.offered, false);
  for (law_report& r : run.laws) r.lacking = is_lacking(run, r);
  run.lacking = operations_not_answered(run, run.asked.required, run.asked.part.whole());
  fold(run.laws, run.asked.exact);
}

bool hung(finding const& f) { return f.what == verdict::died && (!f.was_asked || f.left.starts_with("no answer within")); }

std::vector<law_report*> to_shrink(run_report& run, bool alone_standing) {
  std::vector<law_report*> laws;
  for (law_report& r : run.laws)
    if (r.failed(run.asked.exact) && !r.known && (r.under == law_report::alone_standing) == alone_standing && r.row &&
        r.found && !hung(*r.found) && !shows_new(run, r))
      laws.push_back(&r);
  return laws;
}

// What is shown in full first. One more copy of the program, which is to die as often as it likes.
void shrink_failures(run_report& run, clock::time_point begin, progress_line const& shrinking) {
  std::unique_ptr<peer> p;
  std::size_t const all = to_shrink(run, true).size() + to_shrink(run, false).size();
  std::size_t done = 0;
  for (bool const alone_standing : {true, false}) {
    std::vector<law_report*> const laws = to_shrink(run, alone_standing);
    for (std::size_t k = 0; k < laws.size(); ++k) {
      shrinking(laws[k]->name, ++done, all);
      if (!p) (p = greeted(run.asked))->give_up_nothing(true);
      evaluator judge(*p);
      shrink_budget budget;
      double const rest = std::max(0.0, run.asked.time - seconds_since(begin)) / static_cast<double>(laws.size() - k);
      if (run.asked.time > 0) budget.time = std::min(budget.time, seconds(rest));
      if (budget.time > clock::duration::zero())
        shrink_report(*laws[k], judge, budget);
      else
        laws[k]->shrunk_out = false;
    }
  }
}

}  // namespace

run_report conform(options const& asked, progress_line const& progress, progress_line const& shrinking) {
  auto const begin = clock::now();
  run_report run;
  run.asked = asked;
  if (!asked.only) {
    full_run(asked, progress, run).go();
    look_for_answers(run, begin);
    look_at_all(run);
    shrink_failures(run, begin, shrinking);
  } else {
    std::unique_ptr<peer> const p = greeted(asked);
    evaluator judge(*p);
    run.laws.push_back(run_only(*asked.only, *p, judge));
    full_run::add_account(run, *p);
  }
  run.seconds = seconds_since(begin);
  return run;
}

namespace {
// Laws in the order of their table, then the cases by operation.
void in_order(std::vector<law_report>& reports) {
  auto const place = [](law_report const& r) {
    return std::pair(r.row ? r.row - laws().data() : std::ptrdiff_t(laws().size()), r.operation);
  };
  std::sort(reports.begin(), reports.end(), [&](law_report const& a, law_report const& b) { return place(a) < place(b); });
}

// Each law that was asked for is in one of the shards, and in no other.
void require_each_once(run_report const& run) {
  std::set<std::string> names;
  for (law_report const& r : run.laws)
    if (!names.insert(r.name).second) throw bad_file(r.name + " is in two of the shards");
  for (law const* l : chosen_laws(run.asked))
    if (!names.contains(l->name)) throw bad_file(fmt::format("{} is in none of the shards", l->name));
}
}  // namespace

run_report merged(std::vector<run_report> parts) {
  run_report all = std::move(parts.at(0));
  for (std::size_t k = 1; k < parts.size(); ++k) {
    run_report& part = parts[k];
    std::move(part.laws.begin(), part.laws.end(), std::back_inserter(all.laws));
    all.deaths += part.deaths;
    all.hangs += part.hangs;
    all.waited_for.merge(part.waited_for);
    all.given_up.merge(part.given_up);
    all.offered.merge(part.offered);
    all.seconds += part.seconds;
  }
  all.asked.part = {};
  require_each_once(all);
  in_order(all.laws);
  look_at_all(all);
  return all;
}

}  // namespace colex
