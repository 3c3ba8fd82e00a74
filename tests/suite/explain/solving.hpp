// An equation of layouts with one unknown, and the layout that solves it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

namespace colex {

// `composition A ? = B`, `composition ? A = B` or `logical_divide A ? = B`, also as calls and with `o`, as the request whose
// answer is the unknown, A and B spelled as they were. Throws malformed.
struct equation {
  std::string request;

  explicit equation(std::string const& written);
  // What is wrong at a place of the request, at its place in the equation.
  malformed at_line(malformed const& e) const;

 private:
  std::size_t known_ = 0, result_ = 0;        // where A and B begin in the equation,
  std::size_t known_in_ = 0, result_in_ = 0;  // and in the request
};

// What the reference says. An answer has been put into the equation, and solves it.
answer solve(request const& r);

}  // namespace colex
