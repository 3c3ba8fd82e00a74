// What a run of the suite was asked, and what it came to, law by law. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/evaluate.hpp"
#include "tests/suite/judge/only.hpp"
#include "tests/suite/judge/shard.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace colex {

// Which inputs of a law failed, by their numbers from 1, and how: a seed draws the same ones each time. Those in another
// spelling are counted alone; of more than so many none is listed.
using failed_inputs = std::map<std::size_t, verdict>;
inline constexpr std::size_t most_listed = 1'000'000;

// What a program did before.
struct baseline {
  struct noted {
    verdict what = verdict::pass;
    std::size_t failed = 1, of = 1;  // how many of its inputs
    bool told = false;               // as the file says
    std::size_t form = 0;            // of those that failed, how many came in another spelling
    std::size_t unsupported = 0;     // and how many were not offered
    failed_inputs which{};           // of those that failed; all, or none where the file does not say

    bool listed() const { return told && which.size() == failed - form; }
    // Of an input that fails so now: was it asked then, and did it not fail, or not as badly?
    bool is_new(std::size_t input, verdict now) const {
      auto const at = which.find(input);
      return now > verdict::form && input <= of && (at == which.end() || at->second < now);
    }
  };
  std::map<std::string, noted> laws;  // those that failed, and those that passed
  std::set<std::string> offered;      // the operations that it answered; none: the file is older than that
  std::string inputs;                 // what they were drawn by (inputs_of); empty: the file does not say
  std::string file;                   // where that is written; empty: there is no baseline
};

// An option as it was given: `--seed 7`.
struct given_option {
  enum class kind { flag, number, word, words };  // of its text; words are parted by commas, a flag has none
  char const* name;
  std::string text;
  kind what = kind::word;
};

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
  std::vector<std::string> case_files;  // instead of the cases that the tool is built with
  std::size_t jobs = 1;                 // copies of the program that run at a time
  colex::baseline baseline;
  std::set<std::string> required;  // operations that must be offered
  bool allow_lost = false;         // what passed or was offered in the baseline need not be any more
  shard part;
  peer::starter start;  // what is asked instead of a process of the program; `program` is its name then
  // How a run with these options is asked for again where that is no command.
  std::function<std::string(std::vector<given_option> const&)> spelled;

  bool by_name() const { return laws.find_first_not_of('*') != laws.npos; }  // laws are asked for
};

// What the inputs of a law follow from, but for how many they are: `1 0.2.0`, the seed and the version.
std::string inputs_of(options const& o);

// Of fewer inputs nothing follows from how many met the hypothesis.
inline constexpr std::size_t enough_to_tell = 50;

struct law_report {
  std::string name, operation, statement, stated, source;
  law const* row = nullptr;  // none: the cases of an operation
  std::array<std::size_t, verdict_name.size()> count{};
  std::size_t evaluations = 0;
  failed_inputs which;                             // of those that failed, up to the first that was left out
  bool left_out = false;                           // some inputs were, so that those behind have other numbers
  std::map<std::string, std::size_t> not_covered;  // inputs outside a limit that the program declares, or not decided by it
  std::set<std::string> not_offered;               // operations that answered `unsupported`
  std::map<std::string, std::string> unsupported;  // of those asked, a request and the answer: `size 2:1 = unsupported why`
  std::map<std::string, std::size_t> unanswered;   // inputs by the class of which none was answered (classes.hpp)
  std::map<std::string, std::string> died_of;      // each way, and a request and how it died of that
  double seconds = 0;
  bool cut = false;              // the time was out before it was asked the least number of inputs
  bool stopped = false;          // it died so often in a row in the same way that it was not asked on
  std::optional<finding> found;  // the first of the worst kind
  std::vector<std::uint64_t> choices;
  std::size_t input = 0;              // its number, from 1
  std::vector<std::string> suspects;  // the operations that it asked, the likeliest to be at fault first
  // Shrinking.
  std::size_t shrinks = 0, tries = 0;
  bool shrunk_out = true, alone = true;  // nothing smaller is left to try; it fails when asked alone, too
  // Where it is shown: in full, or under the report of another law.
  bool known = false;     // the baseline says that it fails so
  bool lost = false;      // the baseline says that it passes, or was judged of more inputs, and it is not
  bool lacking = false;   // its operation is required, and not offered for all of its inputs
  bool vanished = false;  // the program lists its operation, and never offered it
  std::size_t under = alone_standing;
  static constexpr std::size_t alone_standing = ~std::size_t{0};

  std::size_t& operator[](verdict v) { return count[static_cast<std::size_t>(v)]; }
  std::size_t operator[](verdict v) const { return count[static_cast<std::size_t>(v)]; }
  bool failed(bool exact) const {
    return worst() > (exact ? verdict::partly : verdict::form) || too_vacuous() || outcome() == verdict::vanished;
  }
  bool too_vacuous() const;      // of enough inputs more than a fifth, and more than chance explains
  bool too_few() const;          // none of its inputs met the hypothesis, and they are too few to say more
  std::size_t failures() const;  // of its inputs, those in another spelling with them
  bool judged() const;           // did it ever hold or break?
  bool held() const;             // of one of its inputs
  bool in_part() const;          // it held, and was not offered for a class or more than a fifth of its inputs
  verdict worst() const;         // of its evaluations
  verdict outcome() const;       // of the law
};

struct run_report {
  options asked;
  introduction program;
  std::uint64_t suite = 0;  // of the laws and cases chosen, shard or not: equal where they are equal
  std::vector<law_report> laws;
  std::size_t deaths = 0, hangs = 0;
  std::vector<std::string> notes;    // on the files of cases (chosen.hpp)
  std::set<std::string> waited_for;  // when the time was out (peer.hpp)
  std::set<std::string> given_up;    // operations the program died of too often
  std::set<std::string> offered;     // operations that it answered
  std::set<std::string> lost;        // those that the baseline has and that were not answered
  std::set<std::string> lacking;     // those of `required` that were not answered
  double seconds = 0;
};

}  // namespace colex
