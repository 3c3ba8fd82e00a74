// A picture on paper: text for terminals, LaTeX (TikZ) and SVG. Equal pictures give equal bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/picture/picture.hpp"

namespace colex {

// With colours, labels are left away where a panel is wider or higher than this; without, text keeps them.
inline constexpr std::size_t most_labelled = 64;

// Aligned columns; `colours` are ANSI escapes. Without them `.` stands for what is not highlighted. What is wider than `width`
// folds: panels go below each other, and the rest of their columns below those. 0: nothing folds.
std::string text_of(picture const& p, bool colours, std::size_t width = 0);
// A whole document: its page is the picture. Needs TikZ, nothing else.
std::string latex_of(picture const& p);
// Standalone or in a page, whose own text it leaves alone; light or dark as the reader's system. Under the pointer all that a
// thread holds lights up, in every panel.
std::string svg_of(picture const& p);

// Red, green, blue of a colour; of the labels on it.
struct rgb {
  int r, g, b;
};
rgb colour_of(int colour);

}  // namespace colex
