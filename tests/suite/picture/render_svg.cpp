// SVG: see render.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/paper.hpp"

namespace colex {
namespace {

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

class svg_writer : paper_writer {
 public:
  explicit svg_writer(picture const& p) : paper_writer(p) {}

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

}  // namespace

std::string svg_of(picture const& p) { return svg_writer(p).written(); }

}  // namespace colex
