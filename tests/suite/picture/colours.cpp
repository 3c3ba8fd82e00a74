// The colours of pictures: see render.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/picture/render.hpp"

#include <array>

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

}  // namespace

rgb colour_of(int colour) {
  rgb const& c = palette[static_cast<std::size_t>(colour % hues)];
  int const white = whiteness[static_cast<std::size_t>(colour / hues)];
  auto const mixed = [&](int x) { return x + (255 - x) * white / 100; };
  return {mixed(c.r), mixed(c.g), mixed(c.b)};
}

}  // namespace colex
