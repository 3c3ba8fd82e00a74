// A law that nothing can break says nothing. Runs every law that names a mutant on it, in a process of its own, and
// fails where one does not notice, or where a law has no mutant in ref or none in gpu.
//   mutants             the laws each mutant names
//   mutants --survey    every law on every mutant: the laws that notice, one line a mutant, as tests/mutation/mutants.txt has
//   them
// SPDX-License-Identifier: Apache-2.0
#include "tests/mutation/mutants.hpp"
#include "tests/mutation/planted.hpp"

#include "tests/suite/judge/in_process.hpp"

#include <fmt/format.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <set>
#include <sstream>

namespace {

using namespace colex;

constexpr int inputs = 400, survey_inputs = 120;
constexpr rlim_t seconds = 20;

// After how many inputs the law notices; 0 if it does not. A subject that does not come back, or crashes, is noticed.
int noticed_after(law const& l, mutant const& m, int inputs_tried) {
  auto* const tried = static_cast<std::atomic<int>*>(
      mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *tried = 0;
  pid_t const child = fork();
  if (child == 0) {
    rlimit const cpu{seconds, seconds}, memory{rlim_t{4} << 30, rlim_t{4} << 30}, core{0, 0};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &core);
    planted::chosen = static_cast<int>(&m - mutants.data()) + 1;
    std::mt19937_64 random(1);
    while (*tried < inputs_tried) {
      ++*tried;
      choices from(random);
      if (!evaluate(l, draw_arguments(l, from), m.respond).good) _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  int const after = *tried;
  munmap(tried, sizeof *tried);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : after;
}

std::set<std::string> words(char const* text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

int survey() {
  for (mutant const& m : mutants) {
    std::string noticing;
    for (law const& l : laws())
      if (noticed_after(l, m, survey_inputs) > 0) noticing += std::string(noticing.empty() ? "" : " ") + l.name;
    fmt::print("{} | {} | {} | {}\n", m.file, m.function, m.change, noticing);
    std::fflush(stdout);
  }
  return 0;
}

int run() {
  std::map<std::string, std::set<std::string>> dies;  // algebra -> laws with a mutant that dies
  int passed = 0, failed = 0;
  for (mutant const& m : mutants) {
    std::set<std::string> const named = words(m.laws);
    for (law const& l : laws()) {
      if (!named.contains(l.name)) continue;
      int const after = noticed_after(l, m, inputs);
      ++(after ? passed : failed);
      if (after) dies[std::string(m.file, 3)].insert(l.name);
      fmt::print("{:<36} {:<22} {}    {}: {}\n", l.name, m.file, after ? fmt::format("dies after {}", after) : "SURVIVES",
                 m.function, m.change);
    }
  }
  for (char const* algebra : {"ref", "gpu"})
    for (law const& l : laws())
      if (!dies[algebra].contains(l.name)) {
        ++failed;
        fmt::print("{:<36} no mutant of {} dies of it\n", l.name, algebra);
      }
  fmt::print("{} mutants, {} laws\n{} passed, {} failed\n", mutants.size(), laws().size(), passed, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return argc == 2 && std::string(argv[1]) == "--survey" ? survey() : run(); }
