// Pictures in formats that another program writes. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace colex {

// The SVG as `png` or `pdf`, by rsvg-convert. Throws bad_file where that is missing or fails.
std::string converted(std::string const& svg, std::string const& format);

}  // namespace colex
