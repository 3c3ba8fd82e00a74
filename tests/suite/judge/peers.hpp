// The same questions to every implementation that is installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/cases.hpp"

namespace colex {

struct installed_peer {
  std::string name;
  std::vector<std::string> command;
};

// Of the file that $COLEX_PEERS names or of peers/installed beside the tool, as `./run peers --install` writes it: a line
// for each, its name and the words of its command, with tabs between them. `names`: `all`, or some with commas between them.
// Throws bad_file, and usage_error for a name that is not there.
std::vector<installed_peer> installed_peers(std::string const& names);

// What one of them says to one question, and what that comes to.
struct opinion {
  verdict what = verdict::died;
  answer said{};
  std::string died{};  // how, if it did
};
struct witness {
  std::string name, version;
  std::vector<opinion> opinions;  // one for each question
};

// All at the same time. One that does not start has died of every question.
std::vector<witness> ask_peers(std::vector<installed_peer> const& peers, std::vector<test_case> const& questions);

}  // namespace colex
