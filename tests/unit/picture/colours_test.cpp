// That colours can be told apart, by everybody, and labels be read on them.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/render.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace colex {
namespace {

double linear(int x) {
  double const c = x / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double luminance(rgb const& c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); }
// WCAG 2.1, contrast ratio; 4.5 is its level AA.
double contrast(rgb const& a, rgb const& b) {
  double const x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}
TEST(colours, let_labels_be_read) {
  for (int k = 0; k < hues * shades; ++k) EXPECT_GT(contrast(colour_of(k), {0x11, 0x11, 0x11}), 4.5) << k;
}

using lab = std::array<double, 3>;
using matrix = std::array<std::array<double, 3>, 3>;
lab times(matrix const& m, lab const& v) {
  lab out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) out[i] += m[i][j] * v[j];
  return out;
}
// CIELAB of linear sRGB, white D65.
lab lab_of(lab const& rgb_linear) {
  constexpr matrix to_xyz{{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
  lab const xyz = times(to_xyz, rgb_linear);
  auto const f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  double const x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}
// Full protanopia, deuteranopia and tritanopia: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of
// Color Vision Deficiency" (2009), severity 1; and all colours seen.
constexpr matrix visions[] = {
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}};
double apart(int a, int b, matrix const& vision) {
  auto const seen = [&](int k) {
    rgb const c = colour_of(k);
    return lab_of(times(vision, {linear(c.r), linear(c.g), linear(c.b)}));
  };
  lab const x = seen(a), y = seen(b);
  return std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
}
TEST(colours, can_be_told_apart_by_everybody) {
  for (matrix const& vision : visions)
    for (int a = 0; a < hues; ++a)
      for (int b = a + 1; b < hues; ++b)
        EXPECT_GT(apart(a, b, vision), 6) << a << " and " << b << " of vision " << &vision - visions;  // 2.3 is just noticeable
}

}  // namespace
}  // namespace colex
