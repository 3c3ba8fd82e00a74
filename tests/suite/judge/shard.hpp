// Parts of a run: which of n this is, and whether the results of parts are all those of one run. Knows no results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace colex {

struct shard {
  std::size_t index = 1, of = 1;

  // Is this the one for the k-th unit of work?
  bool has(std::size_t k) const { return k % of == index - 1; }
  bool whole() const { return of == 1; }
};

// `2/3`. Throws usage_error.
shard parse_shard(std::string const& text);

// What a result says first, its "schema": raised when a member goes or means something else (spec/versions.md).
inline constexpr int json_schema = 1;
// Throws bad_file when the result, of that file, has another schema; 0.1.0 wrote none.
void check_schema(nlohmann::ordered_json const& result, std::string const& file);

// What else it says: its "shard", and under "asked" all that the outcome depends on, beginning with the tool.
nlohmann::ordered_json shard_json(shard const& part);
nlohmann::ordered_json asked_json(std::string const& tool);
shard shard_of(nlohmann::ordered_json const& result);

// The results of all shards of one run, in order. Throws bad_file where one is none, is missing, comes twice or belongs
// to another run.
std::vector<nlohmann::ordered_json> read_shards(std::vector<std::string> const& files);

}  // namespace colex
