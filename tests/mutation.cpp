// The suite on an algebra in which mutants are planted (planted.hpp): every case line and every law, as many inputs as asked for.
//   COLEX_MUTANT=-1 mutation COUNT          each item, its microseconds, and the mutants that it asks
//   COLEX_MUTANT=17 mutation COUNT <ITEMS   the first of those items that notices; exits with 1 if one does
// An item is the name of a law, that behind agree_ (what it asks, of both algebras), a set of small requests behind small_, the
// place of a case, or a refused request. One that does not come back is ended by a signal.
// SPDX-License-Identifier: Apache-2.0
#include "tests/agree.hpp"
#include "tests/cases.hpp"
#include "tests/in_process.hpp"
#include "tests/planted.hpp"
#include "tests/small.hpp"

#include <sys/resource.h>
#include <sys/time.h>

#include <chrono>
#include <iostream>
#include <map>

// The algebra with the mutants, and the other one, which it must agree with.
namespace colex::COLEX_SUBJECT {
answer respond(request const& r);
}
namespace colex::COLEX_OTHER {
answer respond(request const& r);
}

namespace {

using namespace colex;

using check = std::function<bool()>;
constexpr std::size_t small_requests = 1000;  // of an operation
constexpr rlim_t memory = rlim_t{512} << 20;

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
// As tests/agree.cpp asks both.
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
  explicit items(int count) : count_(count) {
    for (law const& l : laws()) all_[l.name] = [&l, count] { return holds(l, count); }, all_["agree_" + std::string(l.name)] = [&l, count] { return agrees(l, count); };
    for (small_set const& s : small_sets()) all_["small_" + s.name] = [&s] { return agree_on_all(s.requests(small_requests)); };
    std::size_t number = 0;
    for (request const& r : requests_in("tests/refused.txt"))
      all_[fmt::format("refused_{}", ++number)] = [r] { return !said(COLEX_SUBJECT::respond, r); };
  }
  check const& operator[](std::string const& name) {
    if (!all_.contains(name)) read(name.substr(0, name.find(':')));
    return all_.at(name);
  }
  std::map<std::string, check> const& all() {
    for (auto const& entry : std::filesystem::directory_iterator("spec/cases")) read(entry.path());
    return all_;
  }
  std::chrono::milliseconds patience() const { return std::chrono::milliseconds(3000 + 10 * count_); }

 private:
  int count_;
  std::map<std::string, check> all_;

  void read(std::string const& file) {
    for (located_case const& c : read_cases(file, [](std::string const&) {}))
      all_[c.place()] = [what = c.what] { return passes(what); };
  }
};

// A mutant that loops or grows is ended, item by item.
void limit() {
  rlimit const most{memory, memory}, core{0, 0};
  setrlimit(RLIMIT_AS, &most);
  setrlimit(RLIMIT_CORE, &core);
}
void allow(std::chrono::milliseconds time) {
  itimerval const t{{0, 0}, {time.count() / 1000, time.count() % 1000 * 1000}};
  setitimer(ITIMER_VIRTUAL, &t, nullptr);
}

void print_item(std::string const& name, long microseconds, std::bitset<planted::most> const& asked) {
  fmt::print("{} {}", name, microseconds);
  for (std::size_t id = 0; id < asked.size(); ++id)
    if (asked[id]) fmt::print(" {}", id);
  fmt::print("\n");
}
// What is asked before main, or in the first of two rounds alone, makes a table: `start`.
int record(int count) {
  using namespace std::chrono;
  int failed = 0;
  items every(count);
  std::bitset<planted::most> again;
  auto const& all = every.all();
  for (auto const& [name, item] : all) item();
  auto once = planted::reached;
  for (auto const& [name, item] : all) {
    planted::reached.reset();
    auto const start = steady_clock::now();
    if (item())
      print_item(name, duration_cast<microseconds>(steady_clock::now() - start).count(), planted::reached);
    else
      ++failed, fmt::print(stderr, "{} fails without a mutant\n", name);
    again |= planted::reached;
  }
  print_item("start", 0, once & ~again);
  return failed != 0;
}

int ask(int count) {
  limit();
  items all(count);
  std::string name;
  while (std::getline(std::cin, name)) {
    allow(all.patience());
    std::cout << name << std::endl;
    if (!all[name]()) return 1;
  }
  return 0;
}

}  // namespace

int main(int, char** argv) {
  int const count = std::atoi(argv[1]);
  return planted::chosen < 0 ? record(count) : ask(count);
}
