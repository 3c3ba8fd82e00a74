// The suite on an algebra in which mutants are planted (planted.hpp): every case line and every law, as many inputs as asked
// for. An item (mutation.hpp) is the name of a law, that behind agree_ (what it asks, of both algebras), either with its number
// of inputs, a set of small requests behind small_, the place of a case, or a refused request.
//   mutation COUNT...
// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutation.hpp"
#include "tests/agreement/requests.hpp"
#include "tests/agreement/small.hpp"
#include "tests/suite/judge/cases.hpp"
#include "tests/suite/judge/in_process.hpp"

#include <filesystem>

// The algebra with the mutants, and the other one, which it must agree with.
namespace colex::COLEX_SUBJECT {
answer respond(request const& r);
}
namespace colex::COLEX_OTHER {
answer respond(request const& r);
}

namespace {

using namespace colex;

constexpr std::size_t small_requests = 1000;  // of an operation

bool passes(test_case const& c) {
  verdict const v = judge_case(c, said(COLEX_SUBJECT::respond, c.asked));
  return v == verdict::pass || (v == verdict::unsupported && is_large(c.asked, c.expected, large_number));
}
bool holds(law const& l, int count) {
  std::mt19937_64 random(1);
  for (int i = 0; i < count; ++i) {
    choices from(random);
    if (!evaluate(l, draw_arguments(l, from), COLEX_SUBJECT::respond).good) return false;
  }
  return true;
}

// Do both say the same, as far as they must?
bool agree_on(request const& r) {
  answer const subject = said(COLEX_SUBJECT::respond, r), other = said(COLEX_OTHER::respond, r);
  return alike(subject, other) || is_open(r, subject, other);
}
bool agree_on_all(std::vector<request> const& all) { return std::all_of(all.begin(), all.end(), agree_on); }
// As tests/agreement/agree.cpp asks both.
bool agrees(law const& l, int count) {
  std::mt19937_64 random(1);
  for (int i = 0; i < count; ++i) {
    choices from(random);
    for (request const& asked : requests_of(l, from))
      if (!agree_on_all({asked, changed(asked, random)})) return false;
  }
  return true;
}

// The items by name; those of a file of cases when one of them is asked for.
class items {
 public:
  explicit items(std::vector<int> const& counts) {
    for (law const& l : laws())
      for (int count : counts)
        all_[fmt::format("{}*{}", l.name, count)] = [&l, count] { return holds(l, count); },
                                          all_[fmt::format("agree_{}*{}", l.name, count)] = [&l, count] {
                                            return agrees(l, count);
                                          };
    for (small_set const& s : small_sets()) all_["small_" + s.name] = [&s] { return agree_on_all(s.requests(small_requests)); };
    std::size_t number = 0;
    for (request const& r : requests_in("tests/agreement/refused.txt"))
      all_[fmt::format("refused_{}", ++number)] = [r] { return !said(COLEX_SUBJECT::respond, r); };
  }
  std::function<bool()> const& operator[](std::string const& name) {
    if (!all_.contains(name)) read(name.substr(0, name.find(':')));
    return all_.at(name);
  }
  planted::checks const& all() {
    for (auto const& entry : std::filesystem::directory_iterator("spec/cases")) read(entry.path());
    return all_;
  }

 private:
  planted::checks all_;

  void read(std::string const& file) {
    for (located_case const& c : read_cases(file, [](std::string const&) {}))
      all_[c.place()] = [what = c.what] { return passes(what); };
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> counts(static_cast<std::size_t>(argc) - 1);
  std::transform(argv + 1, argv + argc, counts.begin(), [](char const* count) { return std::atoi(count); });
  items all(counts);
  if (planted::chosen < 0) return planted::record(all.all());
  return planted::ask([&](std::string const& name) { return all[name]; });
}
