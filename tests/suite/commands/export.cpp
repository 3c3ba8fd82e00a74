// `colex export`: requests with right answers, for tests that read a file. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/commands.hpp"
#include "tests/suite/commands/numbers.hpp"
#include "tests/suite/report/vectors.hpp"

namespace colex {
namespace {

struct export_command {
  vector_choice chosen;
  std::optional<vector_format> format;
  std::string file;
};

int write_vectors(export_command const& c) {
  if (!c.file.empty()) check_writable(c.file);
  std::vector<test_vector> const vectors = vectors_of(c.chosen);
  if (vectors.empty()) return complain("export: no operation is like " + printable(c.chosen.operations)), bad_usage;
  std::string const text = text_of(vectors, c.chosen, *c.format);
  if (c.file.empty()) return fmt::print("{}", text), good;
  return write_file(c.file, text), good;
}

}  // namespace

void add_export(CLI::App& app, int& status) {
  CLI::App* const sub = app.add_subcommand("export", "the cases, and inputs drawn for the laws, with right answers, as a file");
  auto const c = std::make_shared<export_command>();
  CLI::Option_group* const formats = sub->add_option_group("format");
  for (auto const& [name, format, help] :
       {std::tuple{"--json", vector_format::json, "an object; spec/vectors.schema.json"},
        std::tuple{"--cpp", vector_format::cpp, "a header of C++"}, std::tuple{"--mojo", vector_format::mojo, "a file of Mojo"},
        std::tuple{"--rust", vector_format::rust, "a module of Rust"}})
    formats->add_flag_callback(name, [c, format = format] { c->format = format; }, help);
  formats->require_option(1);
  sub->add_option("--op", c->chosen.operations, "of operations like this shell pattern (default all)");
  add_integer<std::size_t>(*sub, "--count", c->chosen.count, "inputs drawn for each law (default 20), of a costly one a tenth",
                           0, 1'000'000);
  add_integer(*sub, "--seed", c->chosen.seed, "of the inputs drawn (default 1)");
  add_output(*sub, c->file, "the file (default standard output)");
  sub->footer("example: colex export --cpp --op 'co*' -o vectors.hpp");
  sub->callback([&status, c] { status = write_vectors(*c); });
}

}  // namespace colex
