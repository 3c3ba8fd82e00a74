// How fast the suite asks: requests a second through the pipe, against what the program does on its own; the start of a run;
// deaths; memory.
//   bench_suite COLEX ANSWER BROKEN [PYTHON ADAPTER]
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/peer/peer.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace colex;
using clock = std::chrono::steady_clock;
double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

// Of layouts as the laws draw them.
std::vector<std::string> requests(std::size_t n, bool compositions) {
  law const* of = nullptr;
  for (law const& l : laws())
    if (std::string_view(l.name) == "composition_pointwise") of = &l;
  std::mt19937_64 random(1);
  std::vector<std::string> lines;
  while (lines.size() < n) {
    choices from(random);
    std::vector<binding> const where = draw_arguments(*of, from);
    lines.push_back(
        print(compositions ? request{"composition", {where[0].second, where[1].second}} : request{"size", {where[0].second}}));
  }
  return lines;
}

double processor_seconds(int who) {
  rusage used{};
  getrusage(who, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

double rate(std::vector<std::string> const& program, std::vector<std::string> const& lines, std::size_t batch) {
  peer p(program, peer::seconds(10));
  double const before = processor_seconds(RUSAGE_SELF);
  auto const begin = clock::now();
  for (std::size_t k = 0; k + batch <= lines.size(); k += batch) {
    auto const from = lines.begin() + static_cast<std::ptrdiff_t>(k);
    p.ask({from, from + static_cast<std::ptrdiff_t>(batch)});
  }
  double const seconds = since(begin), used = processor_seconds(RUSAGE_SELF) - before;
  fmt::print("{:<28} {:>10.2f} us of processor for a request on the suite's side\n", "",
             1e6 * used / static_cast<double>(lines.size()));
  return static_cast<double>(lines.size()) / seconds;
}

// The program reading the same from a file.
double rate_alone(std::string const& program, std::vector<std::string> const& lines) {
  std::string const file = fmt::format("/tmp/bench_suite.{}", getpid());
  std::ofstream out(file);
  for (std::string const& line : lines) out << line << '\n';
  out.close();
  auto const begin = clock::now();
  bool const ran = std::system((program + " <" + file + " >/dev/null").c_str()) == 0;
  double const seconds = since(begin);
  std::remove(file.c_str());
  return ran ? static_cast<double>(lines.size()) / seconds : 0;
}

std::size_t resident_kib() {
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

void print_rate(char const* who, double piped, double alone) {
  fmt::print("{:<28} {:>10.0f} requests/s through the pipe, {:.0f} on its own: {:.0f} %\n", who, piped, alone,
             100 * piped / alone);
}

void bench_deaths(std::string const& broken) {
  peer p({broken, "crashing", "size"}, peer::seconds(10));
  p.give_up_nothing(true);
  auto const begin = clock::now();
  p.ask(std::vector<std::string>(1000, "size 4:1"));
  fmt::print("{:<28} {:>10.1f} s\n", "1000 deaths", since(begin));
}

void bench_start(std::string const& colex, std::string const& answer) {
  auto const begin = clock::now();
  int const status = std::system((colex + " conform --only 'size_product A=4:1' -- " + answer + " >/dev/null").c_str());
  fmt::print("{:<28} {:>10.0f} ms, exit {}\n", "one input, from the start", 1000 * since(begin), WEXITSTATUS(status));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fmt::print(stderr, "usage: bench_suite COLEX ANSWER BROKEN [PYTHON ADAPTER]\n"), 2;
  std::string const colex = argv[1], answer = argv[2], broken = argv[3];
  std::vector<std::string> const lines = requests(200'000, true), sizes = requests(200'000, false);
  print_rate("size, C++", rate({answer}, sizes, 512), rate_alone(answer, sizes));
  std::size_t const before = resident_kib();
  print_rate("composition, C++", rate({answer}, lines, 512), rate_alone(answer, lines));
  fmt::print("{:<28} {:>10} KiB more after {} requests more\n", "memory", resident_kib() - before, lines.size());
  if (argc > 5) {
    std::vector<std::string> const few(lines.begin(), lines.begin() + 20'000);
    print_rate("composition, Python", rate({argv[4], argv[5]}, few, 512),
               rate_alone(fmt::format("{} {}", argv[4], argv[5]), few));
  }
  bench_start(colex, answer);
  bench_deaths(broken);
}
