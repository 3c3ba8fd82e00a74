// The two algebras side by side on tensors and tilings: whatever their laws ask about drawn arguments, and each such request
// with one number changed, must be answered by both in the same words or refused by both alike. Judges neither: the laws do.
//   agree [COUNT [GLOB]]      evaluations of each law, and which laws by name
// SPDX-License-Identifier: Apache-2.0
#include "gpu/answer.hpp"
#include "spec/laws_tilings.hpp"
#include "tests/in_process.hpp"
#include "tests/open_question.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <unordered_set>

namespace {

using namespace colex;

struct tally {
  std::unordered_set<std::string> seen;
  long answered = 0, refused = 0, open = 0, differ = 0;

  void compare(request const& written) {
    std::string const line = print(written);
    if (!seen.insert(line).second) return;
    request const r = parse_request(line);
    answer const right = said(ref::respond, r), left = said(gpu::respond, r);
    if (right && left && print(right) == print(left))
      ++answered;
    else if (!right && !left && left.what == right.what)
      ++refused;
    else if (is_open(r, left, right))
      ++open;
    else if (++differ <= 20)
      fmt::print("{}\n  gpu {}\n  ref {}\n", line, print(left), print(right));
  }
};

// The integers in a value, but those of a swizzle.
void collect(value& v, std::vector<value*>& out) {
  if (v.is(kind::number)) out.push_back(&v);
  if (v.is(kind::swizzle)) return;
  for (value& x : v.items) collect(x, out);
}
// With one number changed, where that leaves every extent positive: many a request that has no answer, and some that have.
request changed(request r, std::mt19937_64& random) {
  std::vector<value*> numbers;
  for (value& v : r.args) collect(v, numbers);
  if (numbers.empty()) return r;
  integer& n = numbers[random() % numbers.size()]->number;
  integer const others[] = {1, 2, 3, 6, n + 1, n * 2, (n + 1) / 2, n > 1 ? n - 1 : n};
  n = others[random() % std::size(others)];
  return r;
}

// All that a law asks, answered by the reference.
std::vector<request> requests_of(law const& l, choices& from) {
  std::vector<request> out;
  auto const notes = [&](request const& r) { return out.push_back(r), ref::respond(r); };
  trial t(draw_arguments(l, from), notes, ref::respond);
  try {
    l.check(t);
  } catch (...) {  // however it ends: what it asked is what counts
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  long const count = argc > 1 ? std::atol(argv[1]) : 60;
  char const* const glob = argc > 2 ? argv[2] : "*";
  std::mt19937_64 random(1);
  tally all;
  for (law const& l : tiling_laws) {
    if (fnmatch(glob, std::string(l.name).c_str(), 0) != 0) continue;
    for (long k = 0; k < count; ++k) {
      choices from(random);
      for (request const& r : requests_of(l, from)) {
        all.compare(r);
        all.compare(changed(r, random));
      }
    }
  }
  fmt::print("{} requests answered alike, {} refused alike, {} left open; {} passed, {} failed\n", all.answered, all.refused,
             all.open, all.answered + all.refused, all.differ);
  return all.differ != 0 || all.answered == 0;
}
