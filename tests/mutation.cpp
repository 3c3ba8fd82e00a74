// The suite on an algebra in which mutants are planted (planted.hpp): every case line and every law, as many inputs as asked for.
//   COLEX_MUTANT=-1 mutation COUNT          each item, its microseconds, and the mutants that it asks
//   COLEX_MUTANT=17 mutation COUNT <ITEMS   the first of those items that notices; exits with 1 if one does
// An item is the name of a law or the place of a case. One that does not come back is ended by a signal.
// SPDX-License-Identifier: Apache-2.0
#include "tests/cases.hpp"
#include "tests/in_process.hpp"
#include "tests/planted.hpp"

#include <sys/resource.h>
#include <sys/time.h>

#include <chrono>
#include <iostream>
#include <map>

namespace colex::COLEX_SUBJECT {
answer respond(request const& r);
}

namespace {

using namespace colex;

using check = std::function<bool()>;
constexpr rlim_t memory = rlim_t{512} << 20;

bool passes(test_case const& c) {
  trial::implementation const subject = COLEX_SUBJECT::respond;
  verdict const v = judge_case(c, refusing(subject)(c.asked));
  return v == verdict::pass || v == verdict::unsupported;
}
bool holds(law const& l, int count) {
  std::mt19937_64 random(1);
  for (int i = 0; i < count; ++i) {
    choices from(random);
    if (!evaluate(l, draw_arguments(l, from), COLEX_SUBJECT::respond).good) return false;
  }
  return true;
}

// The items by name; those of a file of cases when one of them is asked for.
class items {
 public:
  explicit items(int count) : count_(count) {
    for (law const& l : laws()) all_[l.name] = [&l, count] { return holds(l, count); };
  }
  check const& operator[](std::string const& name) {
    if (!all_.contains(name)) read(name.substr(0, name.find(':')));
    return all_.at(name);
  }
  std::map<std::string, check> const& all() {
    for (auto const& entry : std::filesystem::directory_iterator("spec/cases")) read(entry.path());
    return all_;
  }
  std::chrono::milliseconds patience() const { return std::chrono::milliseconds(300 + 10 * count_); }

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

void print_reached() {
  for (std::size_t id = 0; id < planted::reached.size(); ++id)
    if (planted::reached[id]) fmt::print(" {}", id);
  fmt::print("\n");
}
int record(int count) {
  int failed = 0;
  fmt::print("start 0");  // what was asked before main begins is asked by every item
  print_reached();
  items every(count);
  for (auto const& [name, item] : every.all()) {
    planted::reached.reset();
    auto const start = std::chrono::steady_clock::now();
    bool const good = item();
    auto const took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
    if (!good) ++failed, fmt::print(stderr, "{} fails without a mutant\n", name);
    fmt::print("{} {}", name, took);
    print_reached();
  }
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
