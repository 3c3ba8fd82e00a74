// What `exhaustive` and `properties` come to, for people and as JSON, and the sum over the shards of one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/suite/judge/shard.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace colex {

struct survey {
  struct row {
    std::string name = {};
    std::uint64_t passed = 0, failed = 0;
    std::uint64_t undefined = 0;  // passed: rightly without an answer
    std::uint64_t undecided = 0;  // neither: an input beyond what can be decided, and said so
    double seconds = 0;           // of all cores together
    std::uint64_t larger = 0;     // how many inputs the next larger run has; 0: nothing is told of one
  };
  struct failure {
    std::uint64_t row = 0, at = 0;  // its input's number
    std::string text;
    auto operator<=>(failure const&) const = default;
  };
  static constexpr std::size_t most_failures = 20;  // of a row: those with the least numbers; `failed` counts all

  nlohmann::ordered_json asked;
  std::string larger;  // what the next larger run is
  shard part;
  std::vector<row> rows;
  std::vector<failure> failures;

  void add(failure const& f);
  void add(survey const& other, std::size_t row = 0);  // its first row to this row, and so on
  bool good() const;
};

std::string text_of(survey const& s);
std::string json_of(survey const& s);
// Of what json_of wrote for all shards (read_shards). Throws bad_file.
survey merged_surveys(std::vector<nlohmann::ordered_json> const& shards);

}  // namespace colex
