// What a program takes, as it declares in its greeting: `int=32 min=0 strides=nonnegative`. What lies outside is not asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"

#include <functional>

namespace colex {

class limits {
 public:
  // The words of a greeting that declare something hold a `=`. Throws no_limit for one that this tool does not know.
  static bool is_declaration(std::string const& word) { return word.find('=') != word.npos; }
  void declare(std::string const& word);

  bool any() const { return !declared_.empty(); }
  // The first declaration outside of which the request lies, or its right answer; nothing when there is none.
  std::string outside(request const& r, answer const& right) const;

 private:
  using inside = std::function<bool(request const&, answer const& right)>;
  std::vector<std::pair<std::string, inside>> declared_;
};

// `declares int=32`, `offers no to_f2`, `has not decided them`: why something is not asked, or not judged.
inline std::string why_not_asked(std::string const& limit) {
  if (limit == not_decided) return "has not decided them";
  return (limits::is_declaration(limit) ? "declares " : "offers ") + limit;
}

struct no_limit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace colex
