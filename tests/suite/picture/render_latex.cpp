// LaTeX: see render.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/paper.hpp"

namespace colex {
namespace {

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

class latex_writer : paper_writer {
 public:
  explicit latex_writer(picture const& p) : paper_writer(p) {}

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

std::string latex_of(picture const& p) { return latex_writer(p).written(); }

}  // namespace colex
