// Text, LaTeX and SVG: see render.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace colex {
namespace {

// Light enough for dark labels, apart for every kind of colour vision: P. Tol, "Colour Schemes", the scheme `light`.
// In the order of the rainbow, so that what stands in a row of hues is seen to.
constexpr std::array<rgb, hues> palette{{{0x77, 0xaa, 0xdd},
                                         {0x99, 0xdd, 0xff},
                                         {0x44, 0xbb, 0x99},
                                         {0xbb, 0xcc, 0x33},
                                         {0xaa, 0xaa, 0x00},
                                         {0xee, 0xdd, 0x88},
                                         {0xee, 0x88, 0x66},
                                         {0xff, 0xaa, 0xbb}}};
constexpr std::array<int, shades> whiteness{0, 22, 44, 66};  // in percent

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> out(1);
  for (char const c : text) c == '\n' ? void(out.emplace_back()) : out.back().push_back(c);
  return out;
}
std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool labelled(picture const& p) {
  return std::all_of(p.panels.begin(), p.panels.end(),
                     [](panel const& x) { return x.rows <= most_labelled && x.columns <= most_labelled; });
}

// The most that f gives of any.
template <class C, class F>
int most(C const& all, F f) {
  int n = 0;
  for (auto const& x : all) n = std::max(n, static_cast<int>(f(x)));
  return n;
}
int length_of(std::string const& s) { return static_cast<int>(s.size()); }
int height_of(std::string const& text) { return static_cast<int>(lines_of(text).size()); }
int width_of(std::string const& text) { return most(lines_of(text), length_of); }
// Of the names of a panel's rows and columns, and of its labels.
int row_name_width(panel const& p) { return most(p.row_names, length_of); }
int column_name_width(panel const& p) { return most(p.column_names, width_of); }
int column_name_height(panel const& p) { return most(p.column_names, height_of); }
int label_width(panel const& p) {
  return most(p.cells, [](cell const& c) { return width_of(c.label); });
}
int label_height(panel const& p) {
  return most(p.cells, [](cell const& c) { return height_of(c.label); });
}

// ---- text ----

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

// ---- where everything goes on paper, in pixels ----

constexpr int letter = 7, line_height = 13, gap = 22;

struct place {
  panel const* what;
  int x, y;  // of its first cell
};
// A caption of the legend, or a swatch with its word.
struct key {
  int x, y, colour;
  std::string text;
};
constexpr int swatch = 14, narrow_letter = 5;  // letters of a block's name are smaller

class paper {
 public:
  explicit paper(picture const& p) : of(p), with_labels(labelled(p)) {
    bool const one_row = most(p.panels, [](panel const& x) { return x.rows; }) == 1;
    int const letters = std::max(most(p.panels, label_width), most(p.panels, column_name_width));
    cell_width = with_labels ? std::max(26, letter * letters + 8) : one_row ? 8 : 6;
    cell_height = with_labels ? std::max(24, line_height * most(p.panels, label_height) + 8) : one_row ? 24 : 6;
    arrange();
  }

  picture const& of;
  bool with_labels;
  int cell_width, cell_height, width = 0, height = 0;
  std::vector<place> places;
  std::vector<key> keys;

  // Every how many rows or columns bear their name.
  std::size_t every(int extent) const { return with_labels ? 1 : extent * 4 < 32 ? 16 : 4; }

 private:
  void arrange() {
    std::map<std::size_t, int> left, top, across, down;  // room for names, room for cells
    for (panel const& x : of.panels) {
      grow(left[x.place_column], letter * std::max(row_name_width(x), length_of(x.row_axis)) + 8);
      grow(top[x.place_row], line_height * (column_name_height(x) + !x.title.empty()) + 8);
      grow(across[x.place_column], std::max(static_cast<int>(x.columns) * cell_width +
                                                (x.column_axis.empty() ? 0 : letter * length_of(x.column_axis) + 8),
                                            letter * length_of(x.title)));
      grow(down[x.place_row], static_cast<int>(x.rows) * cell_height);
    }
    std::map<std::size_t, int> const xs = starts(left, across, gap / 2, width),
                                     ys = starts(top, down, gap / 2 + line_height + 8, height);
    width = std::max(width, letter * length_of(of.title) + gap);
    for (panel const& x : of.panels) places.push_back({&x, xs.at(x.place_column), ys.at(x.place_row)});
    for (legend_line const& line : of.legend) add_keys(line);
  }
  // A line of the legend below all else; words that do not fit go on in the next.
  void add_keys(legend_line const& line) {
    width = std::max(width, letter * length_of(line.caption) + gap);
    int x = gap / 2, y = height + swatch;
    keys.push_back({x, y, no_colour, line.caption});
    y += swatch + 6;
    for (auto const& [colour, word] : line.swatches) {
      int const room = swatch + 5 + letter * length_of(word) + 10;
      if (x > gap / 2 && x + room > width) x = gap / 2, y += swatch + 6;
      keys.push_back({x, y, colour, word});
      x += room;
    }
    height = y + swatch;
  }
  static void grow(int& x, int to) { x = std::max(x, to); }
  static std::map<std::size_t, int> starts(std::map<std::size_t, int> const& before, std::map<std::size_t, int> const& extent,
                                           int at, int& end) {
    std::map<std::size_t, int> out;
    for (auto const& [k, room] : before) {
      out[k] = at + room;
      at += room + extent.at(k) + gap;
      end = at - gap / 2;
    }
    return out;
  }
};

// The cells that look alike and belong together, as rectangles of whole runs.
struct area {
  std::string owner;
  int colour;
  bool faded;
  auto operator<=>(area const&) const = default;
};
struct rectangle {
  int x, y, width, height;
};
using areas = std::vector<std::pair<area, std::vector<rectangle>>>;

area area_at(panel const& x, std::size_t r, std::size_t c) {
  cell const& here = x.at(r, c);
  return {here.owner, here.colour, here.faded};
}
rectangle rectangle_at(paper const& on, place const& at, std::size_t r, std::size_t c, std::size_t rows, std::size_t columns) {
  return {at.x + static_cast<int>(c) * on.cell_width, at.y + static_cast<int>(r) * on.cell_height,
          static_cast<int>(columns) * on.cell_width, static_cast<int>(rows) * on.cell_height};
}
// Of all panels: what belongs together is one area wherever it stands.
areas areas_of(paper const& on) {
  areas out;
  std::map<area, std::size_t> index;
  for (place const& at : on.places)
    for (std::size_t r = 0; r < at.what->rows; ++r)
      for (std::size_t c = 0, run; c < at.what->columns; c += run) {
        panel const& x = *at.what;
        area const a = area_at(x, r, c);
        for (run = 1; c + run < x.columns && area_at(x, r, c + run) == a;) ++run;
        if (x.at(r, c).label.empty()) continue;
        std::size_t const k = index.try_emplace(a, out.size()).first->second;
        if (k == out.size()) out.push_back({a, {}});
        out[k].second.push_back(rectangle_at(on, at, r, c, 1, run));
      }
  return out;
}

// The rows and columns of the block of one owner's cells that begins at (r, c), as far as nothing of it is taken.
std::pair<std::size_t, std::size_t> block_at(panel const& x, std::vector<bool> const& taken, std::size_t r, std::size_t c) {
  auto const free = [&](std::size_t i, std::size_t j) {
    return !taken[i * x.columns + j] && x.at(i, j).owner == x.at(r, c).owner;
  };
  std::size_t rows = 1, columns = 1;
  while (c + columns < x.columns && free(r, c + columns)) ++columns;
  auto const row_is_free = [&](std::size_t i) {
    std::size_t j = c;
    while (j < c + columns && free(i, j)) ++j;
    return j == c + columns;
  };
  while (r + rows < x.rows && row_is_free(r + rows)) ++rows;
  return {rows, columns};
}
// f(x, y, cell) for each block of cells of one owner that has room for its name, where cells are too small for labels: x and y
// its middle.
template <class F>
void each_block(paper const& on, place const& at, F f) {
  panel const& x = *at.what;
  std::vector<bool> taken(x.cells.size());
  for (std::size_t k = 0; !on.with_labels && k < x.cells.size(); ++k) {
    if (taken[k] || x.cells[k].label.empty()) continue;
    std::size_t const r = k / x.columns, c = k % x.columns;
    auto const [rows, columns] = block_at(x, taken, r, c);
    for (std::size_t i = 0; i < rows; ++i)
      std::fill_n(taken.begin() + static_cast<std::ptrdiff_t>(k + i * x.columns), columns, true);
    rectangle const b = rectangle_at(on, at, r, c, rows, columns);
    bool const room = b.width > narrow_letter * length_of(x.cells[k].owner) && b.height > 9;
    if (room) f(b.x + b.width / 2, b.y + b.height / 2, x.cells[k]);
  }
}

// f(x, y, text, faded) for each line of each label: x the middle, y the middle of the line.
template <class F>
void each_label(paper const& on, place const& at, F f) {
  for (std::size_t r = 0; on.with_labels && r < at.what->rows; ++r)
    for (std::size_t c = 0; c < at.what->columns; ++c) {
      cell const& here = at.what->at(r, c);
      std::vector<std::string> const lines = lines_of(here.label);
      int const x = at.x + static_cast<int>(c) * on.cell_width + on.cell_width / 2, n = static_cast<int>(lines.size());
      int const y = at.y + static_cast<int>(r) * on.cell_height + on.cell_height / 2 - (n - 1) * line_height / 2;
      for (int k = 0; k < n && !here.label.empty(); ++k) f(x, y + k * line_height, lines[static_cast<std::size_t>(k)], here);
    }
}
// f(x, y, text, how) for the names: 'e' ends at x, 'm' has its middle there, 's' starts there; so do 'r' and 'c', the names of
// what rows and columns count.
template <class F>
void each_name(paper const& on, place const& at, F f) {
  panel const& p = *at.what;
  int const depth = column_name_height(p);
  int const last = at.y - 2 - line_height / 2;  // the names of columns end here
  if (!p.row_axis.empty()) f(at.x - 5, last, p.row_axis, 'r');
  if (!p.column_axis.empty()) f(at.x + static_cast<int>(p.columns) * on.cell_width + 6, last, p.column_axis, 'c');
  if (!p.title.empty()) f(at.x, at.y - depth * line_height - 8 - line_height / 2 + 2, p.title, 's');
  for (std::size_t c = 0; c < p.columns; c += on.every(on.cell_width)) {
    std::vector<std::string> const lines = lines_of(p.column_names[c]);
    for (std::size_t k = 0; k < lines.size(); ++k)
      f(at.x + static_cast<int>(c) * on.cell_width + on.cell_width / 2, last - (depth - 1 - static_cast<int>(k)) * line_height,
        lines[k], 'm');
  }
  for (std::size_t r = 0; r < p.rows; r += on.every(on.cell_height))
    f(at.x - 5, at.y + static_cast<int>(r) * on.cell_height + on.cell_height / 2, in_one_line(p.row_names[r]), 'e');
}
// f(x, y, dx, dy) for each line of the grid; only the frame where there are no labels.
template <class F>
void each_line(paper const& on, place const& at, F f) {
  int const rows = static_cast<int>(at.what->rows), columns = static_cast<int>(at.what->columns);
  for (int r = 0; r <= rows; r += on.with_labels ? 1 : rows) f(at.x, at.y + r * on.cell_height, columns * on.cell_width, 0);
  for (int c = 0; c <= columns; c += on.with_labels ? 1 : columns) f(at.x + c * on.cell_width, at.y, 0, rows * on.cell_height);
}

std::string hex_of(rgb const& c) { return fmt::format("{:02x}{:02x}{:02x}", c.r, c.g, c.b); }
// The name of an area's look: f for faded, w for no colour, c and its number otherwise.
std::string look_of(area const& a) { return a.faded ? "f" : a.colour == no_colour ? "w" : "c" + std::to_string(a.colour); }
std::map<int, rgb> colours_of(picture const& p) {
  std::map<int, rgb> out;
  for (panel const& x : p.panels)
    for (cell const& c : x.cells)
      if (c.colour != no_colour) out.try_emplace(c.colour, colour_of(c.colour));
  for (legend_line const& line : p.legend)
    for (auto const& [colour, word] : line.swatches) out.try_emplace(colour, colour_of(colour));
  return out;
}

// ---- SVG ----

std::string xml(std::string const& text) {
  std::string out;
  for (char const c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

// What is drawn how: text that starts, ends, names an axis or a block; labels, on grey, on nothing; cells; what the pointer is
// on.
constexpr std::pair<std::string_view, std::string_view> looks[] = {
    {"", "color-scheme:light dark;fill:#333;max-width:100%;height:auto"},
    {"text", "font:11px ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;text-anchor:middle;pointer-events:none"},
    {".s", "text-anchor:start"},
    {".e", "text-anchor:end"},
    {".a", "font-style:italic;font-weight:bold"},
    {".b text", "font-size:8px"},
    {".l", "fill:#111"},
    {".fl", "fill:#666"},
    {".page", "fill:#fff"},
    {".grid", "fill:none;stroke:#555;stroke-width:.7;pointer-events:none"},
    {".w", "fill:#fff"},
    {".f", "fill:#eee"},
    {".o:hover", "stroke:#000;stroke-width:3"}};
constexpr std::pair<std::string_view, std::string_view> looks_in_the_dark[] = {
    {"", "fill:#ccc"},           {".fl", "fill:#bbb"},   {".wl", "fill:#bbb"},   {".page", "fill:#181a1f"},
    {".grid", "stroke:#181a1f"}, {".w", "fill:#2b2e36"}, {".f", "fill:#2b2e36"}, {".o:hover", "stroke:#fff"}};

class svg_writer {
 public:
  explicit svg_writer(picture const& p) : on_(p) {}

  std::string written() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"colex-picture\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
        "height=\"{1}\">\n",
        on_.width, on_.height);
    add("<title>{}</title>\n", xml(on_.of.title));
    style();
    add("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n<text class=\"s\" x=\"{}\" y=\"{}\">{}</text>\n", gap / 2,
        gap / 2 + 9, xml(on_.of.title));
    fill();
    for (place const& at : on_.places) draw(at);
    for (key const& k : on_.keys) draw(k);
    return out_ + "</svg>\n";
  }

 private:
  paper on_;
  std::string out_;

  template <class... A>
  void add(fmt::format_string<A...> form, A&&... a) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<A>(a)...);
  }
  // A rule of the style, for what stands in the picture alone. A page may have many pictures: equal classes look alike in all.
  void rule(std::string_view what, std::string_view look) {
    add(".colex-picture{}{}{{{}}}\n", what.empty() ? "" : " ", what, look);
  }
  void style() {
    out_ += "<style>\n";
    for (auto const& [what, look] : looks) rule(what, look);
    for (auto const& [k, c] : colours_of(on_.of)) rule(fmt::format(".c{}", k), "fill:#" + hex_of(c));
    out_ += ".colex-picture:has(.o:hover) .o:not(:hover){opacity:.5}\n@media (prefers-color-scheme:dark){\n";
    for (auto const& [what, look] : looks_in_the_dark) rule(what, look);
    out_ += "}\n</style>\n";
  }
  // One path for all that belongs together, so that the pointer lights it in every panel.
  void fill() {
    for (auto const& [a, rectangles] : areas_of(on_)) {
      add("<path class=\"o {}\" d=\"", look_of(a));
      for (rectangle const& r : rectangles) add("M{} {}h{}v{}h-{}z", r.x, r.y, r.width, r.height, r.width);
      add("\"><title>{}</title></path>\n", xml(a.owner));
    }
  }
  void draw(place const& at) {
    out_ += "<path class=\"grid\" d=\"";
    each_line(on_, at, [&](int x, int y, int dx, int dy) { add("M{} {}", x, y), dx ? add("h{}", dx) : add("v{}", dy); });
    out_ += "\"/>\n";
    each_name(on_, at, [&](int x, int y, std::string const& text, char how) {
      std::string const look = how == 'm' ? ""
                                          : fmt::format(" class=\"{}\"", how == 'r'   ? "e a"
                                                                         : how == 'c' ? "s a"
                                                                                      : std::string(1, how));
      add("<text{} x=\"{}\" y=\"{}\">{}</text>\n", look, x, y + 4, xml(text));
    });
    labels([&](auto f) { each_label(on_, at, f); }, "", 4);
    labels([&](auto f) { each_block(on_, at, [&](int x, int y, cell const& c) { f(x, y, c.owner, c); }); }, "b ", 3);
  }
  // Runs of labels that look alike share a group; `below` their middle is where letters stand.
  template <class Each>
  void labels(Each each, std::string const& size, int below) {
    std::string open;
    each([&](int x, int y, std::string const& text, cell const& c) {
      std::string const look = c.faded ? "fl" : c.colour == no_colour ? "wl" : "l";
      if (look != open) add("{}<g class=\"{}{}\">\n", open.empty() ? "" : "</g>\n", size, look);
      open = look;
      add("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y + below, xml(text));
    });
    if (!open.empty()) out_ += "</g>\n";
  }
  void draw(key const& k) {
    bool const caption = k.colour == no_colour;
    if (!caption)
      add("<rect class=\"c{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", k.colour, k.x, k.y - swatch / 2, swatch,
          swatch);
    add("<text class=\"s\" x=\"{}\" y=\"{}\">{}</text>\n", k.x + (caption ? 0 : swatch + 5), k.y + 4, xml(k.text));
  }
};

// ---- LaTeX ----

std::string tex(std::string const& text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\' || c == '~' || c == '^')
      out += fmt::format("\\char`\\{}", c);
    else if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

class latex_writer {
 public:
  explicit latex_writer(picture const& p) : on_(p) {}

  std::string written() {
    out_ = "\\documentclass{article}\n\\usepackage{tikz}\n";
    for (auto const& [k, c] : colours_of(on_.of)) add("\\definecolor{{c{}}}{{HTML}}{{{}}}\n", k, hex_of(c));
    out_ +=
        "\\definecolor{f}{HTML}{eeeeee}\\definecolor{w}{HTML}{ffffff}\\definecolor{fl}{HTML}{666666}\\definecolor{l}{HTML}{"
        "111111}\n"
        "% \\at{x}{y}{where}{colour}{text}\n"
        "\\newcommand\\at[5]{\\pgftext[at={\\pgfpointxy{#1}{#2}},#3]{\\color{#4}#5}}\n"
        "\\begin{document}\\ttfamily\\fontsize{8}{9}\\selectfont\n\\setbox0\\hbox{%\n\\begin{tikzpicture}[x=.75bp,y=-.75bp,"
        "line width=.4bp]\n";
    add("\\path[use as bounding box] (0,0) rectangle ({},{});\n\\at{{{}}}{{{}}}{{left}}{{l}}{{{}}}\n", on_.width, on_.height,
        gap / 2, gap / 2 + 5, tex(on_.of.title));
    fill_all();
    for (place const& at : on_.places) draw(at);
    for (key const& k : on_.keys) draw(k);
    return out_ +
           "\\end{tikzpicture}}\n\\pdfhorigin0pt\\pdfvorigin0pt\\pdfpagewidth\\wd0\\pdfpageheight\\ht0\\shipout\\box0\n\\end{"
           "document}\n";
  }

 private:
  paper on_;
  std::string out_;

  template <class... A>
  void add(fmt::format_string<A...> form, A&&... a) {
    fmt::format_to(std::back_inserter(out_), form, std::forward<A>(a)...);
  }
  // A path of TeX's may not grow without end.
  void fill(std::string const& look, std::vector<rectangle> const& all) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (k % 100 == 0) add("{}\\fill[{}]", k ? ";\n" : "", look);
      add(" ({},{}) rectangle ({},{})", all[k].x, all[k].y, all[k].x + all[k].width, all[k].y + all[k].height);
    }
    out_ += ";\n";
  }
  void fill_all() {
    std::map<std::string, std::vector<rectangle>> by_look;
    for (auto const& [a, rectangles] : areas_of(on_)) {
      std::vector<rectangle>& all = by_look[look_of(a)];
      all.insert(all.end(), rectangles.begin(), rectangles.end());
    }
    for (auto const& [look, all] : by_look) fill(look, all);
  }
  void draw(key const& k) {
    bool const caption = k.colour == no_colour;
    if (!caption) fill("c" + std::to_string(k.colour), {{k.x, k.y - swatch / 2, swatch, swatch}});
    add("\\at{{{}}}{{{}}}{{left}}{{l}}{{{}}}\n", k.x + (caption ? 0 : swatch + 5), k.y, tex(k.text));
  }
  void draw(place const& at) {
    out_ += "\\draw[black!65]";
    each_line(on_, at, [&](int x, int y, int dx, int dy) { add(" ({},{}) -- ({},{})", x, y, x + dx, y + dy); });
    out_ += ";\n";
    each_name(on_, at, [&](int x, int y, std::string const& text, char how) {
      bool const axis = how == 'r' || how == 'c';
      add("\\at{{{}}}{{{}}}{{{}}}{{l}}{{{}{}}}\n", x, y,
          how == 's' || how == 'c' ? "left"
          : how == 'm'             ? ""
                                   : "right",
          axis ? "\\bfseries " : "", tex(text));
    });
    each_label(on_, at, [&](int x, int y, std::string const& text, cell const& c) {
      add("\\at{{{}}}{{{}}}{{}}{{{}}}{{{}}}\n", x, y, c.faded ? "fl" : "l", tex(text));
    });
    each_block(on_, at, [&](int x, int y, cell const& c) {
      add("\\at{{{}}}{{{}}}{{}}{{{}}}{{\\tiny {}}}\n", x, y, c.faded ? "fl" : "l", tex(c.owner));
    });
  }
};

}  // namespace

rgb colour_of(int colour) {
  rgb const& c = palette[static_cast<std::size_t>(colour % hues)];
  int const white = whiteness[static_cast<std::size_t>(colour / hues)];
  auto const mixed = [&](int x) { return x + (255 - x) * white / 100; };
  return {mixed(c.r), mixed(c.g), mixed(c.b)};
}

std::string text_of(picture const& p, bool colours, std::size_t width) { return text_writer(p, colours, width).written(); }
std::string latex_of(picture const& p) { return latex_writer(p).written(); }
std::string svg_of(picture const& p) { return svg_writer(p).written(); }

}  // namespace colex
