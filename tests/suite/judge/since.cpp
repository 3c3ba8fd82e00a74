// What has changed since the baseline: which inputs fail that did not, what fails more often, what is lost.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/since.hpp"

#include <cmath>

namespace colex {

std::string inputs_of(options const& o) { return fmt::format("{} {}", o.seed, COLEX_VERSION); }

namespace {

bool are_drawn_alike(options const& o) { return o.baseline.inputs == inputs_of(o); }

baseline::noted const* same_inputs(run_report const& run, law_report const& r) {
  return colex::same_inputs(run.asked, r.name, r.row ? 0 : r.evaluations);
}

bool passes(verdict v) { return v == verdict::pass || v == verdict::form || v == verdict::undefined; }
bool holds_in_part(verdict v) { return passes(v) || v == verdict::partly; }

// A law that is broken is not lost, however much of it is; of one that was cut short nobody knows.
bool is_lost(verdict before, law_report const& r, bool exact) {
  verdict const now = r.outcome();
  if (now == verdict::incomplete) return false;
  bool const respelled = before == verdict::pass && now == verdict::form;
  return !r.failed(exact) && (respelled || (passes(before) && !passes(now)) || (holds_in_part(before) && !holds_in_part(now)));
}

// Are so many of its inputs more than so many were of those of before? Cases are the same each time. So are as many inputs
// drawn alike, and of what a program does on some of them one more in ten is left to it. Else others may have been drawn.
bool is_more(std::size_t many, std::size_t before, std::size_t of, law_report const& r, bool drawn_alike) {
  if (r.row && drawn_alike && r.evaluations == of) return many > before + (before ? std::max<std::size_t>(1, before / 10) : 0);
  double const p = static_cast<double>(before) / static_cast<double>(of),
               now = static_cast<double>(many) / static_cast<double>(r.evaluations),
               spread = std::sqrt(p * (1 - p) / static_cast<double>(std::min(of, r.evaluations)));
  return r.row ? now > p + 4 * spread + 0.05 : many * of > before * r.evaluations;
}

// Is it offered for fewer of its inputs than before, whether or not what is left makes a pass? Of other cases nobody knows.
bool offers_less(baseline::noted const& before, law_report const& r, bool drawn_alike) {
  bool const shown = before.told && (r.row ? r.evaluations > 0 : r.evaluations == before.of);
  return shown && r.outcome() != verdict::incomplete &&
         is_more(r[verdict::unsupported], before.unsupported, before.of, r, drawn_alike);
}

}  // namespace

baseline::noted const* same_inputs(options const& o, std::string const& law, std::size_t cases) {
  auto const at = o.baseline.laws.find(law);
  bool const same = at != o.baseline.laws.end() && are_drawn_alike(o) && at->second.listed();
  return same && (cases == 0 || at->second.of == cases) ? &at->second : nullptr;
}

std::size_t newly_failed(run_report const& run, law_report const& r) {
  baseline::noted const* const then = same_inputs(run, r);
  auto const is_new = [then](auto const& input) { return then->is_new(input.first, input.second); };
  return then ? static_cast<std::size_t>(std::count_if(r.which.begin(), r.which.end(), is_new)) : 0;
}

bool shows_new(run_report const& run, law_report const& r) {
  baseline::noted const* const then = same_inputs(run, r);
  return then && r.found && !then->which.empty() && then->is_new(r.input, r.found->what);
}

void apply_baseline(run_report& run) {
  options const& o = run.asked;
  bool const drawn_alike = are_drawn_alike(o);
  for (law_report& r : run.laws) {
    auto const at = o.baseline.laws.find(r.name);
    if (at == o.baseline.laws.end()) continue;
    baseline::noted const& before = at->second;
    bool const failed = r.failed(o.exact);
    std::size_t const then = before.failed - (o.exact ? 0 : before.form), now = r.failures() - (o.exact ? 0 : r[verdict::form]);
    bool const worse = newly_failed(run, r) > 0 || is_more(now, then, before.of, r, drawn_alike);
    r.known = failed && r.outcome() <= before.what && !worse;
    r.lost = is_lost(before.what, r, o.exact) || (failed == r.known && offers_less(before, r, drawn_alike));
  }
}

}  // namespace colex
