// What people type, as it is read: a line in the grammar, its values as their operation takes them. The tool, Python and the
// playground have this one reader; see spec/notation/spellings.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/spellings.hpp"
#include "tests/suite/explain/explain.hpp"

namespace colex {

// A line as it was read. In `rewritten` the values are still as they were spelled.
struct reading {
  std::string text;  // a request, or a value
  rewritten from;
  std::size_t begin = 0;  // where it stands in the line

  // What is wrong with the text, at its place in the line and, where a name is unknown, with those that may have been meant.
  malformed at_line(malformed const& e) const;
  std::vector<std::string> const& steps() const { return from.steps; }
};

// What is wrong with all of the line.
struct wrong_whole : malformed {
  explicit wrong_whole(std::string const& why) : malformed(0, why) {}
};

// Is there nothing in it but blanks and comments?
bool is_blank(std::string_view line);
// Throws malformed with a place of the line, and unanswered.
reading reading_of(std::string const& line);

// What f gives of a line as it was read; what f finds malformed is so at a place of the line.
template <class F>
auto in_line(std::string const& line, F f) {
  reading const read = reading_of(line);
  try {
    return f(read);
  } catch (malformed const& e) {
    throw read.at_line(e);
  }
}

// The request that it is. Throws malformed: of a value it is said what to do with it, and of an atom.
request request_in(reading const& read);
// The reference's answer to it; a value that came of what was asked within the line, as `shape(A)` does, is its own.
answer answer_to(reading const& read);
// How the reference comes to that.
explanation explain(reading const& read);
// The request, and what is right: a value that came of a request alone answers that one.
test_case question_in(reading const& read);

}  // namespace colex
