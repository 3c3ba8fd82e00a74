// The commands that draw: one picture, or every figure that a list names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/picture.hpp"

namespace CLI {
class App;
}

namespace colex {

enum class paper_format { text, latex, svg, png, pdf };
// By the ending of a file's name. Throws bad_file.
paper_format format_of(std::string const& file);
// The picture as that file holds it; text folds at `width`, 0: nowhere. Throws bad_file.
std::string on_paper(picture const& p, paper_format format, bool colours, int width);

struct draw_command {
  std::vector<std::string> words;
  picture_options asked;
  std::optional<paper_format> format;  // none: as the file's name ends, and text on standard output
  std::optional<int> width;            // where text folds; 0 nowhere; without one, at the terminal's width
  std::string out;                     // a file; standard output if empty
};
void add_draw_options(CLI::App& app, draw_command& c);
// What the words of a line ask `draw` for. Throws CLI::ParseError.
draw_command drawing_in(std::string const& arguments);

// Writes the picture of what the line asks for, whole or not at all. Throws malformed, not_drawn, bad_file, and the reference's
// `undefined`.
void draw(std::string const& line, draw_command const& c);

// FOLDER/figures.txt has one figure a line: `FILE.svg|.tex|.txt | arguments of draw`, or `explain` and those of explain. Writes
// each file, or with `check` compares it with what is there and names those that differ. The number of files that differ.
std::size_t draw_figures(std::string const& folder, bool check);

}  // namespace colex
