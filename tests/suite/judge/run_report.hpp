// What a run of the suite was asked, and what it came to, law by law. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/evaluate.hpp"
#include "tests/suite/judge/only.hpp"
#include "tests/suite/judge/shard.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace colex {

struct options {
  std::vector<std::string> program;
  std::string laws = "*", operations = "*";
  std::string level = "full";  // or core, or atoms
  std::string since;           // only laws that this version of Colex had already; empty: all
  std::uint64_t seed = 1;
  std::size_t count = 0;  // evaluations of each law; 0: about a million over all laws
  bool exact = false;
  double timeout = 10;
  double time = 0;  // seconds for the whole run, shared among the laws; 0: as many as the count takes
  std::optional<std::string> only;
  std::vector<std::string> case_files;      // instead of the cases that the tool is built with
  std::size_t jobs = 1;                     // copies of the program that run at a time
  std::map<std::string, verdict> baseline;  // what is known to fail, and how
  shard part;
};

struct law_report {
  std::string name, operation, statement, stated, source;
  law const* row = nullptr;  // none: the cases of an operation
  std::array<std::size_t, verdict_name.size()> count{};
  std::size_t evaluations = 0;
  double seconds = 0;
  std::optional<finding> found;  // the first of the worst kind
  std::vector<std::uint64_t> choices;
  std::size_t input = 0;              // its number, from 1
  std::vector<std::string> suspects;  // the operations that it asked, the likeliest to be at fault first
  // Shrinking.
  std::size_t shrinks = 0, tries = 0;
  bool shrunk_out = true, alone = true;  // nothing smaller is left to try; it fails when asked alone, too
  // Where it is shown: in full, or under the report of another law.
  bool known = false;  // listed in the baseline
  std::size_t under = alone_standing;
  static constexpr std::size_t alone_standing = ~std::size_t{0};

  std::size_t& operator[](verdict v) { return count[static_cast<std::size_t>(v)]; }
  std::size_t operator[](verdict v) const { return count[static_cast<std::size_t>(v)]; }
  bool failed(bool exact) const { return worst() > (exact ? verdict::unsupported : verdict::form) || too_vacuous(); }
  bool too_vacuous() const;
  verdict worst() const;    // of its evaluations
  verdict outcome() const;  // of the law
};

struct run_report {
  options asked;
  introduction program;
  std::uint64_t suite = 0;  // of the laws and cases chosen, shard or not: equal where they are equal
  std::vector<law_report> laws;
  std::size_t deaths = 0, hangs = 0;
  std::set<std::string> given_up;  // operations the program died of too often
  double seconds = 0;
};

}  // namespace colex
