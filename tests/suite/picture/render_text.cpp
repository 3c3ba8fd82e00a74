// Text: see render.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/labels.hpp"

#include <fmt/format.h>

#include <map>

namespace colex {
namespace {

// Lines of text with how wide they look: escapes take no room.
struct block {
  std::vector<std::string> lines;
  std::vector<std::size_t> widths;
  std::size_t width = 0;

  void add(std::string line, std::size_t looks) {
    lines.push_back(std::move(line));
    widths.push_back(looks);
    width = std::max(width, looks);
  }
};

// The nearest of the 216 colours of a terminal's cube.
int terminal_colour(rgb const& c) {
  auto const level = [](int x) { return x < 48 ? 0 : x < 115 ? 1 : (x - 35) / 40; };
  return 16 + 36 * level(c.r) + 6 * level(c.g) + level(c.b);
}

class text_writer {
 public:
  text_writer(picture const& p, bool colours, std::size_t width)
      : picture_(p), colours_(colours), labels_(!colours || labelled(p)), most_(width) {
    auto const one_line = [](panel const& x) { return most(x.cells, [](cell const& c) { return c.label.size(); }); };
    width_ = labels_ ? std::max(most(p.panels, one_line), most(p.panels, column_name_width)) + 2 : 1;
    margin_ = most(p.panels, row_name_width);
  }

  std::string written() const {
    std::string out = picture_.title + "\n";
    std::map<std::size_t, std::map<std::size_t, block>> placed;
    std::map<std::size_t, std::size_t> widths;
    for (panel const& x : picture_.panels) {
      block b = panel_block(x, 0, x.columns);
      widths[x.place_column] = std::max(widths[x.place_column], b.width + 3);
      placed[x.place_row][x.place_column] = std::move(b);
    }
    std::size_t all = 0;
    for (auto const& [column, width] : widths) all += width;
    if (most_ > 0 && all > most_ + 3) return folded();
    for (auto const& [row, blocks] : placed) out += "\n" + beside(blocks, widths);
    return out;
  }

 private:
  picture const& picture_;
  bool colours_, labels_;
  std::size_t most_;
  int width_ = 1, margin_ = 0;

  // Panel below panel, each as many columns at a time as there is room for.
  std::string folded() const {
    std::string out = picture_.title + "\n";
    std::size_t const room = std::max<std::size_t>(1, (most_ - std::min<std::size_t>(most_, margin_)) / width_),
                      step = labels_ || room < 8 ? room : room / 8 * 8;
    for (panel const& x : picture_.panels)
      for (std::size_t c = 0; c < x.columns; c += step)
        out += "\n" + beside({{0, panel_block(x, c, std::min(c + step, x.columns))}}, {{0, 0}});
    return out;
  }

  static std::string beside(std::map<std::size_t, block> const& blocks, std::map<std::size_t, std::size_t> const& widths) {
    std::string out;
    int const height = most(blocks, [](auto const& b) { return b.second.lines.size(); });
    for (std::size_t i = 0; i < static_cast<std::size_t>(height); ++i) {
      std::string line;
      std::size_t gap = 0;
      for (auto const& [column, width] : widths) {
        gap += width;
        auto const b = blocks.find(column);
        if (b == blocks.end() || i >= b->second.lines.size()) continue;
        line += std::string(gap - width, ' ') + b->second.lines[i];
        gap = width - b->second.widths[i];
      }
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
  }

  // Columns [begin, end) of a panel.
  block panel_block(panel const& x, std::size_t begin, std::size_t end) const {
    block b;
    if (!x.title.empty() && begin == 0) b.add(x.title, x.title.size());
    for (int k = 0; k < column_name_height(x); ++k) add_names(b, x, static_cast<std::size_t>(k), begin, end);
    for (std::size_t r = 0; r < x.rows; ++r) add_row(b, x, r, begin, end);
    return b;
  }
  // Line k of the columns' names; every eighth where cells are one character wide.
  void add_names(block& b, panel const& x, std::size_t k, std::size_t begin, std::size_t end) const {
    std::string line(margin_, ' ');
    for (std::size_t c = begin; c < end; c += labels_ ? 1 : 8)
      line += fmt::format(fmt::runtime(labels_ ? "{:>{}}" : "{:<{}}"), lines_of(x.column_names[c])[k], labels_ ? width_ : 8);
    std::size_t const looks = line.size();
    b.add(std::move(line), looks);
  }
  void add_row(block& b, panel const& x, std::size_t r, std::size_t begin, std::size_t end) const {
    std::string line = fmt::format("{:>{}}", in_one_line(x.row_names[r]), margin_);
    for (std::size_t c = begin; c < end; ++c) line += shown(x.at(r, c));
    b.add(std::move(line), static_cast<std::size_t>(margin_) + (end - begin) * static_cast<std::size_t>(width_));
  }
  std::string shown(cell const& c) const {
    std::string const label = labels_ ? in_one_line(c.label) : "";
    if (!colours_ || c.label.empty()) return fmt::format("{:>{}}", c.faded ? "." : label, width_);
    std::string const text = fmt::format("{:>{}}", c.faded && !labels_ ? "." : label, width_);
    if (c.faded || c.colour == no_colour) return "\033[2m" + text + "\033[0m";
    return fmt::format("\033[38;5;16;48;5;{}m{}\033[0m", terminal_colour(colour_of(c.colour)), text);
  }
};

}  // namespace

std::string text_of(picture const& p, bool colours, std::size_t width) { return text_writer(p, colours, width).written(); }

}  // namespace colex
