// What a run came to: which laws fail it, how many pass, and with what status it ends. Judges no answer; judge.cpp has.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/report.hpp"

namespace colex {

bool regression(run_report const& run, law_report const& r) {
  return (r.failed(run.asked.exact) && !r.known) || (r.lost && !run.asked.allow_lost) || r.lacking;
}
bool incomplete(run_report const&, law_report const& r) { return r.outcome() == verdict::incomplete; }
bool passed(run_report const& run, law_report const& r) {
  return !r.failed(run.asked.exact) && !regression(run, r) && (r.outcome() == verdict::pass || r.outcome() == verdict::form);
}

std::size_t count_laws(run_report const& run, bool (*which)(run_report const&, law_report const&)) {
  return static_cast<std::size_t>(
      std::count_if(run.laws.begin(), run.laws.end(), [&](law_report const& r) { return which(run, r); }));
}

counts laws_of(run_report const& run) {
  counts n;
  for (law_report const& r : run.laws) {
    if (!r.row) continue;
    ++n.all;
    if (regression(run, r))
      ++n.failed;
    else if (r.known)
      ++n.known;
    else if (passed(run, r))
      ++n.passed;
    else if (r.outcome() == verdict::unsupported)
      ++n.not_offered;
    else
      ++n.others[r.outcome()];
  }
  return n;
}

// A case passes in another spelling, too, unless --exact.
counts cases_of(run_report const& run) {
  counts n;
  for (law_report const& r : run.laws) {
    if (r.row) continue;
    std::size_t bad = 0;
    for (std::size_t v = std::size_t(verdict::form) + !run.asked.exact; v < r.count.size(); ++v) bad += r.count[v];
    n.all += r.evaluations;
    n.passed += r[verdict::pass] + (run.asked.exact ? 0 : r[verdict::form]);
    (r.known ? n.known : n.failed) += bad;
    n.not_offered += r[verdict::unsupported];
    if (r[verdict::not_judged]) n.others[verdict::not_judged] += r[verdict::not_judged];
  }
  return n;
}

std::size_t evaluations(run_report const& run) {
  std::size_t n = 0;
  for (law_report const& r : run.laws) n += r.evaluations;
  return n;
}

std::string shows_nothing(run_report const& run) {
  auto const any = [&](auto which) { return std::any_of(run.laws.begin(), run.laws.end(), which); };
  if (!run.asked.part.whole()) return {};
  if (!any([](law_report const& r) { return r.judged(); }))
    return any([](law_report const& r) { return r[verdict::unsupported] > 0; })
               ? "nothing was judged: to no request of these laws was the answer more than `unsupported`\n"
               : "nothing was judged: no input shows whether its law holds\n";
  if (run.asked.by_name()) return {};  // asked for by name, a law held in part is something judged
  bool const in_part = any([](law_report const& r) { return r.outcome() == verdict::partly; });
  bool const whole = any(
      [&](law_report const& r) { return passed(run, r) || r.failed(run.asked.exact) || r.outcome() == verdict::undefined; });
  return in_part && !whole ? "nothing was judged whole: each law holds on a part of its inputs, the rest was not offered\n"
                           : "";
}

namespace {
bool died_of_it(run_report const&, law_report const& r) { return r[verdict::died] > 0; }
}  // namespace

int exit_code(run_report const& run) {
  bool const lost = !run.lost.empty() && !run.asked.allow_lost;
  bool failed = !shows_nothing(run).empty() || lost || !run.lacking.empty() || count_laws(run, incomplete) > 0;
  bool died = run.deaths > 0 && count_laws(run, died_of_it) == 0;  // of what no law looked at
  for (law_report const& r : run.laws)
    if (regression(run, r)) {
      failed = true;
      died = died || r[verdict::died] > 0;
    }
  return died ? 3 : failed ? 1 : 0;
}

}  // namespace colex
