// Parts of a run: which of n this is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace colex {

struct shard {
  std::size_t index = 1, of = 1;

  // Is this the one for the k-th unit of work?
  bool has(std::size_t k) const { return k % of == index - 1; }
  bool whole() const { return of == 1; }
};

// `2/3`. Throws usage_error.
shard parse_shard(std::string const& text);

// What a result says of the run: its "shard", and under "asked" all that the outcome depends on, beginning with the tool.
nlohmann::ordered_json shard_json(shard const& part);
nlohmann::ordered_json asked_json(std::string const& tool);
shard shard_of(nlohmann::ordered_json const& result);

}  // namespace colex
