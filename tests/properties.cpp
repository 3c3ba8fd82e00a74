// Every law as a RapidCheck property of the reference and of the bundled algebra: RapidCheck chooses, draw.hpp makes
// arguments of the choices, and what fails is shrunk choice by choice. RC_PARAMS tunes it as ever.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/answer.hpp"
#include "tests/in_process.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cstdlib>

namespace {

using namespace colex;

constexpr std::size_t most_choices = 96;

bool holds_for(char const* algebra, law const& l, trial::implementation const& subject) {
  auto const choose = rc::gen::container<std::vector<std::uint64_t>>(most_choices, rc::gen::inRange<std::uint64_t>(0, 5040));
  return rc::check(fmt::format("{} {}: {}", algebra, l.name, l.statement), [&] {
    choices from(*choose);
    outcome const o = evaluate(l, draw_arguments(l, from), subject);
    if (o.vacuous) RC_DISCARD();
    if (!o.good) RC_FAIL(o.complaint());
  });
}

}  // namespace

int main() {
  setenv("RC_PARAMS", "max_success=400 max_size=40 max_discard_ratio=2", 0);
  int passed = 0, failed = 0;
  for (law const& l : laws()) {
    ++(holds_for("ref", l, ref::respond) ? passed : failed);
    ++(holds_for("gpu", l, gpu::respond) ? passed : failed);
  }
  fmt::print("{} passed, {} failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
