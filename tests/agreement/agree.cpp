// The two algebras side by side: the cases, whatever laws ask about drawn arguments, and each such request changed in one place
// must be answered by both in the same words or refused by both alike. Judges neither: the laws do.
//   agree [COUNT [GLOB]]      evaluations of each law, and which laws and operations by name
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "tests/agreement/requests.hpp"
#include "tests/agreement/small.hpp"
#include "tests/suite/judge/cases.hpp"
#include "tests/suite/judge/texts.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <unordered_set>

namespace {

using namespace colex;

// How many requests of ten thousand may be left open at most, by what the bundled algebra says to them. (Measured: 140, 91, 41,
// 8, 3.) A defect may hide behind each.
struct bound {
  std::string_view says;
  long most;
};
constexpr bound bounds[] = {{"unsupported overflow", 150},
                            {"unsupported more than 32 leaves", 100},
                            {"unsupported nested", 45},
                            {"unsupported an empty tuple", 10},
                            {"", 5}};

struct tally {
  std::unordered_set<std::string> seen;
  long answered = 0, refused = 0, open = 0, differ = 0;
  std::array<long, std::size(bounds)> open_by{};

  // `settled`: nothing is left open.
  void compare(request const& written, bool settled = false) {
    std::string const line = print(written);
    if (!seen.insert(line).second) return;
    request const r = parse_request(line);
    answer const right = said(ref::respond, r), left = said(gpu::respond, r);
    if (alike(left, right))
      ++(right ? answered : refused);
    else if (!settled && !(left && has_one_answer(r.op)) && is_open(r, left, right))
      leave_open(left);
    else if (++differ <= 20)
      fmt::print("{}\n  gpu {}\n  ref {}\n", line, print(left), print(right));
  }
  // Of all laws and sets together: some have more than others.
  bool leaves_too_many_open() const {
    long const all = answered + refused + open + differ;
    bool too_many = false;
    for (std::size_t k = 0; k < std::size(bounds); ++k) {
      if (open_by[k] * 10000 <= bounds[k].most * all) continue;
      fmt::print("{} requests left open \"{}\", of {}: at most {} of 10000\n", open_by[k], bounds[k].says, all, bounds[k].most);
      too_many = true;
    }
    return too_many;
  }

 private:
  void leave_open(answer const& left) {
    std::string const said = print(left);
    auto const at =
        std::find_if(std::begin(bounds), std::end(bounds), [&](bound const& b) { return said.starts_with(b.says); });
    ++open;
    ++open_by[static_cast<std::size_t>(at - std::begin(bounds))];
  }
};

// Those of the cases that the tool is built with.
std::vector<request> requests_of_cases() {
  std::vector<request> out;
  for (text const& t : texts()) {
    if (!t.place.starts_with("spec/cases/")) continue;
    std::istringstream lines{std::string(t.content)};
    for (located_case& c : cases_in(lines, std::string(t.place), [](auto&&) {})) out.push_back(std::move(c.what.asked));
  }
  return out;
}

// Requests that have no answer, one a line.
int answered_among(char const* file) {
  int count = 0;
  for (request const& r : requests_in(file))
    for (auto* respond : {ref::respond, gpu::respond})
      if (answer const got = said(respond, r)) ++count, fmt::print("{}\n  {}, not refused\n", print(r), print(got));
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  long const count = argc > 1 ? std::atol(argv[1]) : 60;
  char const* const glob = argc > 2 ? argv[2] : "*";
  std::mt19937_64 random(1);
  tally all;
  all.differ = answered_among("tests/agreement/refused.txt");
  for (request const& r : requests_in("tests/agreement/settled.txt")) all.compare(r, true);
  for (request const& r : requests_of_cases())
    if (fnmatch(glob, r.op.c_str(), 0) == 0) all.compare(r);
  for (law const& l : laws()) {
    if (fnmatch(glob, std::string(l.name).c_str(), 0) != 0) continue;
    for (long k = 0; k < count; ++k) {
      choices from(random);
      for (request const& r : requests_of(l, from)) {
        all.compare(r);
        all.compare(changed(r, random));
      }
    }
  }
  for (small_set const& each : small_sets())
    if (fnmatch(glob, ("small_" + each.name).c_str(), 0) == 0)
      for (request const& r : each.requests(static_cast<std::size_t>(50 * count))) all.compare(r);
  fmt::print("{} requests answered alike, {} refused alike, {} left open; {} passed, {} failed\n", all.answered, all.refused,
             all.open, all.answered + all.refused, all.differ);
  bool const too_many = std::string_view(glob) == "*" && all.leaves_too_many_open();
  return all.differ != 0 || all.answered == 0 || too_many;
}
