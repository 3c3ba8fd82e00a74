// The commands that draw: see figures.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/figures.hpp"

#include "tests/suite/commands/commands.hpp"
#include "tests/suite/explain/explain.hpp"
#include "tests/suite/picture/convert.hpp"
#include "tests/suite/picture/make_picture.hpp"
#include "tests/suite/picture/render.hpp"
#include "tests/suite/report/report.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

namespace colex {
namespace {

// The columns of the terminal, or what COLUMNS says; else as many as most have room for.
int width_of_terminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  char const* const columns = std::getenv("COLUMNS");
  int const n = columns ? std::atoi(columns) : 0;
  return n > 0 ? n : 120;
}

struct file_format {
  char const* ending;
  paper_format is;
};
constexpr file_format file_formats[] = {{".svg", paper_format::svg},
                                        {".png", paper_format::png},
                                        {".pdf", paper_format::pdf},
                                        {".tex", paper_format::latex},
                                        {".txt", paper_format::text}};

file_format const* format_by_name(std::string const& file) {
  auto const* const f = std::find_if(std::begin(file_formats), std::end(file_formats),
                                     [&](file_format const& x) { return file.ends_with(x.ending); });
  return f == std::end(file_formats) ? nullptr : f;
}
}  // namespace

paper_format format_of(std::string const& file) {
  if (file_format const* const f = format_by_name(file)) return f->is;
  throw bad_file(printable(file, 1000) + " does not end in .svg, .png, .pdf, .tex or .txt");
}

namespace {
// What the command says, and what the file's name does, must be one.
paper_format format_wanted(draw_command const& c) {
  if (!c.format) return c.out.empty() ? paper_format::text : format_of(c.out);
  file_format const* const named = format_by_name(c.out);
  if (named && named->is != *c.format) throw bad_file(fmt::format("{} ends as another format", printable(c.out, 1000)));
  return *c.format;
}
}  // namespace

std::string on_paper(picture const& p, paper_format format, bool colours, int width) {
  switch (format) {
    case paper_format::text: return text_of(p, colours, static_cast<std::size_t>(width));
    case paper_format::latex: return latex_of(p);
    case paper_format::svg: return svg_of(p);
    case paper_format::png: return converted(svg_of(p), "png");
    case paper_format::pdf: return converted(svg_of(p), "pdf");
  }
  return {};
}

namespace {
struct figure {
  std::string file, arguments, place;
};
std::vector<figure> read_figures(std::string const& folder) {
  std::string const file = folder + "/figures.txt";
  std::istringstream in(read_file(file));
  std::vector<figure> out;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::string const place = fmt::format("{}:{}", printable(file, 1000), number);
    std::size_t const bar = line.find(" | ");
    if (bar == std::string::npos || line.find('/') < bar)
      throw bad_file(place + ": `FILE | arguments of draw, or explain ...` belongs here");
    out.push_back({line.substr(0, line.find(' ')), line.substr(bar + 3), place});
  }
  return out;
}

std::string picture_text(figure const& f) {
  if (f.arguments.starts_with("explain ")) return text_of(explain(parse_request(f.arguments.substr(8))));
  draw_command const c = drawing_in(f.arguments);
  return on_paper(make_picture(fmt::format("{}", fmt::join(c.words, " ")), c.asked), format_of(f.file), false,
                  c.width.value_or(0));
}

// Whether all is as it should be.
bool settle(figure const& f, std::string const& folder, bool check) {
  std::string const file = folder + "/" + f.file, text = picture_text(f);
  if (!check) return write_file(file, text), true;
  if (std::filesystem::exists(file) && read_file(file) == text) return true;
  fmt::print("{} is not what `{}` of {} gives\n", file, f.arguments, f.place);
  return false;
}

}  // namespace

namespace {

// T33 is thread 33. A coordinate may have spaces, and `_` where it leaves a mode whole.
std::string as_highlight(std::string s) {
  std::erase(s, ' ');
  bool const thread = s.size() > 1 && s[0] == 'T';
  std::string const number = thread ? s.substr(1) : s;
  if (!number.empty() && number.size() < 10 && number.find_first_not_of("0123456789") == number.npos)
    return std::to_string(std::stoul(number));
  try {
    value const c = parse(s);
    if (detail::is_coordinate(c) && c.is(kind::tuple)) return print(c);
  } catch (malformed const&) {
  }
  throw CLI::ValidationError(printable(s) + " is no number of a thread, tile or value, and no coordinate such as (3,_)");
}

void add_format(CLI::App& app, std::optional<paper_format>& f) {
  auto* const as = app.add_option_group("format");
  auto const flag = [&](char const* name, paper_format which, char const* what) {
    as->add_flag_callback(name, [&f, which] { f = which; }, what);
  };
  flag("--text", paper_format::text, "text, in colour on a terminal (the default)");
  flag("--latex", paper_format::latex, "a LaTeX document for pdflatex");
  flag("--svg", paper_format::svg, "standalone SVG, light or dark");
  as->require_option(0, 1);
}

}  // namespace

void add_draw_options(CLI::App& app, draw_command& c) {
  add_format(app, c.format);
  add_output(app, c.out, "write this file, whose ending says what: .svg, .png, .pdf, .tex or .txt");
  app.add_option("--highlight", c.asked.highlight,
                 "only this in colour: a thread, tile or value by number, an element (3,5), a slice (3,_), of an MMA (m,n,k)\n"
                 "(again for more)")
      ->allow_extra_args(false)
      ->transform(as_highlight);
  app.add_option("--width", c.width, "where text folds, in characters: 0 nowhere (the terminal's width)")
      ->check(CLI::Range(0, 100000));
  app.add_option("--only", c.asked.only, "only this panel, such as C or S (again for more)")->allow_extra_args(false);
  app.add_option("--banks", c.asked.bank_bits, "colour by bank of shared memory; elements of that many bits")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--slices", c.asked.slices, "modes behind the second as panels of their own");
  app.add_option("WHAT", c.words,
                 "a layout, view or swizzle; an atom; an operation with its arguments; tv TV SHAPE;\n"
                 "tiled_mma ATOM THR T; tiled_copy COPY TYPE THR VAL; permutations SIZE THREADS PERMUTATION...;\n"
                 "partition_C and its like without a thread, local_tile without a coordinate: who holds what;\n"
                 "bank_conflict_phases A BITS ACCESS: who gets which bank in which wavefront")
      ->required();
}

draw_command drawing_in(std::string const& arguments) {
  CLI::App app;
  draw_command c;
  add_draw_options(app, c);
  std::istringstream words(arguments);
  std::vector<std::string> reversed{std::istream_iterator<std::string>(words), {}};
  std::reverse(reversed.begin(), reversed.end());
  app.parse(reversed);
  return c;
}

void draw(std::string const& line, draw_command const& c) {
  paper_format const format = format_wanted(c);
  if (!c.out.empty()) check_writable(c.out);
  bool const colours = c.out.empty() && isatty(STDOUT_FILENO) && !std::getenv("NO_COLOR");
  int const width = c.width ? *c.width : width_of_terminal();
  std::string const text = on_paper(make_picture(line, c.asked), format, colours, width);
  if (c.out.empty())
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    write_file(c.out, text);
}

std::size_t draw_figures(std::string const& folder, bool check) {
  std::size_t wrong = 0;
  std::vector<figure> const all = read_figures(folder);
  for (figure const& f : all) try {
      wrong += !settle(f, folder, check);
    } catch (std::runtime_error const& e) {
      throw bad_file(fmt::format("{}: {}", f.place, e.what()));
    }
  fmt::print("{} figures{}\n", all.size(), check ? fmt::format(", {} differ", wrong) : "");
  return wrong;
}

}  // namespace colex
