// The laws as they stand, and case files against the reference. SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"
#include "ref/answer.hpp"
#include "spec/notation/nearest.hpp"
#include "spec/operations.hpp"
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/names.hpp"
#include "tests/suite/commands/numbers.hpp"
#include "tests/suite/judge/coverage.hpp"
#include "tests/suite/judge/only.hpp"
#include "tests/suite/judge/stated.hpp"

namespace colex {
namespace {

struct tally {
  std::size_t passed = 0, failed = 0, malformed = 0;
};

std::string shown(answer const& a) { return printable(a ? show(a.result) : print(a), 1000); }

// How a malformed case is to be written, on a line of its own; empty where it is none in people's spelling, too.
std::string written_so(std::string const& line) {
  try {
    std::string const text = without_comments(line);
    std::size_t const at = std::min(text.find(" = "), text.find(" ~ "));
    if (at == text.npos) return "";
    std::string read;
    auto const add = [&](reading const& part) { read += part.text; };
    in_line(text.substr(0, at), add);
    read += text.substr(at, 3);
    in_line(text.substr(at + 3), add);
    checked_place(parse_case(read).asked);
    if (text.starts_with(read)) return "";  // it is wrong for another reason
    return "\n  cases are in the notation: " + read;
  } catch (malformed const&) {
  } catch (unanswered const&) {
  }
  return "";
}

void check_case(located_case const& c, tally& count) {
  try {
    answer const got = ref::respond(c.what.asked);
    if (judge_case(c.what, got) == verdict::pass) return void(++count.passed);
    fmt::print("{}: {}\n  expected {} {}\n  got        {}\n", c.place(), printable(print(c.what.asked), 1000), c.what.relation,
               shown(c.what.expected), shown(got));
    ++count.failed;
  } catch (malformed const& e) {
    complain(fmt::format("{}: {}", c.place(), explain(e, c.text)) + written_so(c.text));
    ++count.malformed;
  }
}

int check_cases(std::vector<std::string> const& files) {
  tally count;
  for (std::string const& file : files) {
    std::istringstream in(read_file(file));
    auto const malformed_line = [&](std::string const& what, std::string const& line) {
      complain(what + written_so(line));
      ++count.malformed;
    };
    each_case(in, file, malformed_line, [&](located_case const& c) { check_case(c, count); });
  }
  std::string const malformed = count.malformed ? fmt::format(", {} malformed", count.malformed) : "";
  fmt::print("{} passed, {} failed{}\n", count.passed, count.failed, malformed);
  return count.malformed ? bad_usage : count.failed ? fails : good;
}

struct laws_command {
  std::string which;
  bool as_json = false, covering = false;
  std::size_t count = 1000;
  std::uint64_t seed = 1;
};

int list_laws(std::string const& which, bool as_json) {
  std::vector<law> const called = laws_called(which);
  if (as_json) return fmt::print("{}", laws_json(called)), good;
  for (law const& l : called) {
    std::string const why = why_unproved(l.name);
    std::string const proved = why.empty() ? "proved" : why.substr(0, why.find(':'));
    fmt::print("{:<40} {:<22} {:<9} {}\n", l.name, stated(l.name).place, proved, l.statement);
    if (!why.empty()) fmt::print("{:<63} {}\n", "", why);
  }
  return good;
}

int cover_laws(std::size_t count, std::uint64_t seed) {
  coverage const c = coverage_of(count, seed);
  fmt::print("{}{}", c.table, c.gaps);
  return c.gaps.empty() ? good : fails;
}

}  // namespace

void add_cases(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("cases", "check case lines against the reference");
  sub->footer("example: colex cases notes.txt, of lines such as `size (4,2):(1,4) = 8`");
  auto const files = std::make_shared<std::vector<std::string>>();
  sub->add_option("FILE", *files, "files of case lines")->required();
  sub->callback([&status, files] { status = check_cases(*files); });
}

void add_laws(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("laws", "every law, where it is stated and whether it is proved");
  sub->footer("example: colex laws composition");
  auto const c = std::make_shared<laws_command>();
  CLI::Option* const which =
      sub->add_option("NAME", c->which, "those of an operation, or of this name (a shell pattern): default all");
  CLI::Option* const json = sub->add_flag("--json", c->as_json, "with arguments, source and version, for programs");
  CLI::Option* const cover =
      sub->add_flag("--coverage", c->covering, "how many drawn arguments of which class reach each law, or why none")
          ->excludes(json)
          ->excludes(which);
  add_integer<std::size_t>(*sub, "--count", c->count, "evaluations of each law (default 1000), of a costly one a tenth", 1,
                           1'000'000'000)
      ->needs(cover);
  add_integer(*sub, "--seed", c->seed, "of the arguments drawn (default 1)")->needs(cover);
  sub->callback([&status, c] { status = c->covering ? cover_laws(c->count, c->seed) : list_laws(c->which, c->as_json); });
}

}  // namespace colex
