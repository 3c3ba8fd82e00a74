// Where each law is stated, proved, exercised and broken: law x (statement, row, theorem, cases, gpu, mutants). A law may
// be unproved; it may not lack a statement, three cases, an answer of the bundled algebra or a mutant of either algebra.
// Its cases ask different things of operations that it asks, and one of them bears on it (bearing.hpp).
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/answer.hpp"
#include "tests/agreement/bearing.hpp"
#include "tests/suite/judge/cases.hpp"
#include "tests/suite/judge/stated.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace {

using namespace colex;
namespace fs = std::filesystem;

template <class F>
void each_line(fs::path const& file, F f) {
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) f(line, ++number);
}
std::vector<fs::path> files(fs::path const& folder, std::string const& ending) {
  std::vector<fs::path> out;
  if (fs::exists(folder))
    for (auto const& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ending) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}
std::vector<std::string> words(std::string const& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

using places = std::map<std::string, std::vector<std::string>>;

std::map<std::string, std::vector<located_case>> cases() {
  std::map<std::string, std::vector<located_case>> out;
  for (fs::path const& file : files("spec/cases", ".txt"))
    for (located_case const& c : read_cases(file.string(), [](std::string const& why) { throw bad_file(why); }))
      for (std::string const& word : words(c.what.comment)) out[word].push_back(c);
  return out;
}
// What is wrong with the cases that name a law.
std::string gap_of(law const& l, std::vector<located_case> const& named) {
  bearing const on(l);
  std::set<std::string> different;
  bool bears = false;
  for (located_case const& c : named) {
    if (!on.asks(c.what.asked.op)) continue;
    different.insert(print(c.what.asked));
    bears = bears || on.of(c.what);
  }
  if (different.size() < 3) return "fewer than three cases ask what it asks";
  return bears ? "" : "no case bears on it";
}
places mutants(std::string const& algebra) {
  places out;
  each_line("tests/mutation/mutants.txt", [&](std::string const& line, int number) {
    if (!line.starts_with(algebra + "/")) return;
    for (std::string const& word : words(line.substr(line.rfind(" | ") + 3)))
      out[word].push_back("mutants.txt:" + std::to_string(number));
  });
  return out;
}
// How many of a few drawn inputs the bundled algebra answers.
int answered_by_gpu(law const& l) {
  std::mt19937_64 random(1);
  int answered = 0;
  trial::implementation const subject = [&](request const& r) {
    answer const a = gpu::respond(r);
    answered += static_cast<bool>(a);
    return a;
  };
  for (int k = 0; k < 20; ++k) {
    choices from(random);
    evaluate(l, draw_arguments(l, from), subject);
  }
  return answered;
}

std::vector<std::string> where(std::vector<located_case> const& named) {
  std::vector<std::string> out;
  for (located_case const& c : named) out.push_back(fs::path(c.place()).filename().string());
  return out;
}
std::string summary(std::vector<std::string> const& found) {
  return found.empty() ? "-" : found.size() == 1 ? found[0] : fmt::format("{} (+{})", found[0], found.size() - 1);
}

}  // namespace

int main() {
  auto exercised = cases();
  places ref_mutants = mutants("ref"), gpu_mutants = mutants("gpu"), headings;
  int passed = 0, failed = 0, unproved = 0;
  std::set<std::string> known;
  fmt::print("{:<34} {:<18} {:<9} {:<28} {:>4}  {:<22} {}\n", "law", "statement", "theorem", "cases", "gpu", "ref mutant",
             "gpu mutant");
  for (law const& l : laws()) {
    std::string const name = l.name;
    stated_law const& statement = stated(name);
    int const answered = answered_by_gpu(l);
    bool const once = known.insert(name).second && name.starts_with(std::string(l.operation) + "_");
    std::string const gap = gap_of(l, exercised[name]);
    bool const whole =
        once && statement.times == 1 && gap.empty() && answered > 0 && !ref_mutants[name].empty() && !gpu_mutants[name].empty();
    ++(whole ? passed : failed);
    unproved += !is_proved(name);
    fmt::print("{:<34} {:<18} {:<9} {:<28} {:>4}  {:<22} {}{}\n", name, statement.place,
               is_proved(name) ? "proved" : "unproved", summary(where(exercised[name])), answered, summary(ref_mutants[name]),
               summary(gpu_mutants[name]), whole ? "" : "   GAP " + gap);
  }
  for (auto const& [name, statement] : stated_laws()) headings[name].push_back(statement.place);
  for (auto const& [where, found] : {std::pair<char const*, places&>{"spec/laws.md", headings},
                                     {"tests/mutation/mutants.txt", ref_mutants},
                                     {"tests/mutation/mutants.txt", gpu_mutants}})
    for (auto const& [name, at] : found)
      if (!at.empty() && !known.contains(name)) {
        ++failed;
        fmt::print("{} names '{}' ({}), which is no law\n", where, name, at[0]);
      }
  fmt::print("{} of {} laws are unproved\n{} passed, {} failed\n", unproved, known.size(), passed, failed);
  return failed == 0 ? 0 : 1;
}
