// The command lines of the programs that survey: see survey_options.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/agreement/survey_options.hpp"
#include "tests/suite/commands/numbers.hpp"

#include <CLI/CLI.hpp>

namespace colex {
namespace {

class command_line {
 public:
  command_line(char const* name, char const* what) : app(what, name), name_(name) {}

  CLI::App app;
  survey_options told;

  template <class Complete>  // what is left to do when the options have been read
  int run(int argc, char** argv, int (*survey)(survey_options const&), Complete complete) {
    std::string part = "1/1";
    app.add_option("--shard", part, "I/N: only the I-th of N parts");
    app.add_option("--json", told.json, "write the result, for `colex merge`");
    CLI11_PARSE(app, argc, argv);
    try {
      told.part = parse_shard(part);
      complete();
      return survey(told);
    } catch (std::exception const& e) {
      std::fprintf(stderr, "%s: %s\n", name_, e.what());
      return 2;
    }
  }

 private:
  char const* name_;
};

}  // namespace

int exhaustive(int argc, char** argv, int (*survey)(survey_options const&)) {
  command_line line("exhaustive", "Every small layout and every pair of them, judged by a table.");
  survey_options& o = line.told;
  CLI::App& app = line.app;
  CLI::Option* const size =
      app.add_option("--size", o.within.size, "a sweep of every layout to this size, and of every pair of lower rank")
          ->check(CLI::Range(1, 64));
  app.add_option("--rank", o.within.rank, "and to this rank (default 3)")->needs(size)->check(CLI::Range(1, 6));
  app.add_option("--stride", o.within.stride, "and with strides to this one (default: the size)")
      ->needs(size)
      ->check(CLI::Range(0, 1000));
  app.add_option("--sample", o.sample, "ask in the grammar, and the reference, every K-th question (default 1: all)")
      ->check(CLI::Range(1, 1 << 30));
  add_integer(app, "--seed", o.seed, "of the sample (default 1)");
  app.add_option("--jobs", o.jobs, "threads (default: one for each core)")->check(CLI::Range(1, 1024));
  return line.run(argc, argv, survey, [&] {
    if (o.within.size && !app.count("--rank")) o.within.rank = 3;
    if (o.within.size && !app.count("--stride")) o.within.stride = o.within.size;
  });
}

int properties(int argc, char** argv, int (*survey)(survey_options const&)) {
  command_line line("properties", "Every law as a property of the reference and of the bundled algebra.");
  add_integer(line.app, "--seed", line.told.seed, "of the random inputs (default 1)");
  return line.run(argc, argv, survey, [] {});
}

}  // namespace colex
