// Every law as a RapidCheck property of the reference and of the bundled algebra: RapidCheck chooses, draw.hpp makes
// arguments of the choices, and what fails is shrunk choice by choice. RC_PARAMS tunes it as ever.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "tests/agreement/survey_options.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/report/report.hpp"
#include "tests/suite/report/survey.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <ctime>

namespace {

using namespace colex;

constexpr std::size_t most_choices = 96;

// What is wrong; nothing where it holds. RapidCheck's last failure is its smallest.
std::string broken_by(char const* algebra, law const& l, trial::implementation const& subject) {
  auto const choose = rc::gen::container<std::vector<std::uint64_t>>(most_choices, rc::gen::inRange<std::uint64_t>(0, 5040));
  std::string complaint;
  bool const holds = rc::check(fmt::format("{} {}: {}", algebra, l.name, l.statement), [&] {
    outcome const o = evaluate(l, draw_arguments(l, *choose), subject);
    if (o.vacuous) RC_DISCARD();
    if (!o.good) RC_FAIL(complaint = o.complaint());
  });
  return holds ? "" : fmt::format("{}: {}", l.name, complaint.empty() ? "too few inputs satisfy its hypothesis" : complaint);
}

struct algebra {
  char const* name;
  trial::implementation subject;
};

survey check_all(std::string const& params, shard const& part) {
  survey s;
  s.part = part;
  s.asked = asked_json("properties");
  s.asked["params"] = params;
  for (algebra const& who : {algebra{"ref", ref::respond}, algebra{"gpu", gpu::respond}}) {
    survey::row r{who.name};
    std::clock_t const begin = std::clock();
    for (std::size_t k = 0; k < laws().size(); ++k) {
      if (!part.has(k)) continue;
      std::string const broken = broken_by(who.name, laws()[k], who.subject);
      ++(broken.empty() ? r.passed : r.failed);
      if (!broken.empty()) s.add({s.rows.size(), k, broken});
    }
    r.seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    s.rows.push_back(r);
  }
  return s;
}

// As RC_PARAMS has them; with the seed given where it names none, so that all shards choose alike.
std::string parameters(std::uint64_t seed) {
  char const* const given = std::getenv("RC_PARAMS");
  std::string const params = given ? given : "max_success=400 max_size=40 max_discard_ratio=2";
  return params.find("seed=") == params.npos ? fmt::format("{} seed={}", params, seed) : params;
}

int survey_laws(survey_options const& o) {
  std::string const params = parameters(o.seed);
  setenv("RC_PARAMS", params.c_str(), 1);
  if (!o.json.empty()) check_writable(o.json);
  survey const s = check_all(params, o.part);
  if (!o.json.empty()) write_file(o.json, json_of(s));
  fmt::print("{}", text_of(s));
  return s.good() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return properties(argc, argv, survey_laws); }
