// See names.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/commands/names.hpp"

#include "ref/answer.hpp"
#include "spec/notation/nearest.hpp"
#include "spec/operations.hpp"
#include "tests/suite/arguments/draw_atoms.hpp"
#include "tests/suite/judge/stated.hpp"

#include <sstream>

namespace colex {

std::string kind_of_atom(std::string const& name) {
  for (char const* const kind : {"mma_atom", "copy_atom"}) try {
      if (ref::respond({kind, {word_of(name), word_of("ThrID")}})) return kind;
    } catch (malformed const&) {  // of the other kind, or of none
    }
  return "";
}

std::vector<std::string> atom_names() {
  std::vector<std::string> out;
  for (auto const& families : {mma_families(), copy_families()})
    for (std::string const& family : families)
      for (std::string const& name : names_in(family))
        if (!kind_of_atom(name).empty()) out.push_back(name);
  return out;
}

static bool begins_like_an_atom(std::string const& word) {
  bool const of_a_chip = word.starts_with("SM") && word.find_first_of("0123456789") == 2;
  return of_a_chip || word.starts_with("Universal") || word.starts_with("AutoVect");
}

std::string meant_in(std::string const& line) {
  std::istringstream in(line);
  std::vector<std::string> const words{std::istream_iterator<std::string>(in), {}};
  for (std::string const& word : words)
    if (word.size() < 200 && begins_like_an_atom(word)) {
      if (kind_of_atom(word).empty()) return did_you_mean(word, atom_names());
    } else if (&word == &words[0] && place_of(word) == operation_count) {
      return did_you_mean(word, operation_names());
    }
  return "";
}

bool is_like(std::string const& name, std::string const& pattern) { return matches("*" + pattern + "*", name); }

}  // namespace colex
