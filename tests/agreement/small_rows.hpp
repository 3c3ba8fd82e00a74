// Rows of small arguments, read from text, and those of small_maps.cpp. Only small*.cpp include this.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/notation.hpp"

namespace colex::rows {

using texts = std::vector<std::string>;
using row = std::vector<value>;
using pool = std::vector<row>;

inline row read(texts const& all) {
  row out;
  for (std::string const& text : all) out.push_back(parse(text));
  return out;
}
// "a,b" for each a and b, in brackets.
inline texts pairs(std::string const& open, texts const& a, texts const& b, std::string const& close) {
  texts out;
  for (std::string const& x : a)
    for (std::string const& y : b) out.push_back(open + x + "," + y + close);
  return out;
}
inline std::string repeated(int n, std::string const& s, char const* between = "") {
  std::string out;
  for (int k = 0; k < n; ++k) out += (k ? between : "") + s;
  return out;
}
inline std::string times(int n, std::string const& s) { return "(" + repeated(n, s, ",") + ")"; }
inline std::string nested(int n, std::string const& s) { return repeated(n, "(") + s + repeated(n, ")"); }
inline texts both(texts a, texts const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

pool swizzles();
pool maps();
row linear_layouts();  // of powers of two alone, behind swizzles too

}  // namespace colex::rows
