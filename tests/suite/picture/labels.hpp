// Lines of labels and names, and how much room they take. Only render*.cpp include this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/render.hpp"

#include <algorithm>

namespace colex {

inline std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> out(1);
  for (char const c : text) c == '\n' ? void(out.emplace_back()) : out.back().push_back(c);
  return out;
}
inline std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

inline bool labelled(picture const& p) {
  return std::all_of(p.panels.begin(), p.panels.end(),
                     [](panel const& x) { return x.rows <= most_labelled && x.columns <= most_labelled; });
}

// The most that f gives of any.
template <class C, class F>
inline int most(C const& all, F f) {
  int n = 0;
  for (auto const& x : all) n = std::max(n, static_cast<int>(f(x)));
  return n;
}
inline int length_of(std::string const& s) { return static_cast<int>(s.size()); }
inline int height_of(std::string const& text) { return static_cast<int>(lines_of(text).size()); }
inline int width_of(std::string const& text) { return most(lines_of(text), length_of); }
// Of the names of a panel's rows and columns, and of its labels.
inline int row_name_width(panel const& p) { return most(p.row_names, length_of); }
inline int column_name_width(panel const& p) { return most(p.column_names, width_of); }
inline int column_name_height(panel const& p) { return most(p.column_names, height_of); }
inline int label_width(panel const& p) {
  return most(p.cells, [](cell const& c) { return width_of(c.label); });
}
inline int label_height(panel const& p) {
  return most(p.cells, [](cell const& c) { return height_of(c.label); });
}

}  // namespace colex
