// Parts of a run.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/shard.hpp"

#include "tests/suite/judge/only.hpp"

#include <nlohmann/json.hpp>

#include <charconv>

namespace colex {

using json = nlohmann::ordered_json;

shard parse_shard(std::string const& text) {
  shard s;
  char const* const end = text.data() + text.size();
  auto const index = std::from_chars(text.data(), end, s.index);
  bool const slash = index.ec == std::errc() && index.ptr != end && *index.ptr == '/';
  auto const of = slash ? std::from_chars(index.ptr + 1, end, s.of) : index;
  if (!slash || of.ec != std::errc() || of.ptr != end || s.index < 1 || s.index > s.of)
    throw usage_error("--shard: \"" + printable(text) + "\" is no part such as 2/3");
  return s;
}

json shard_json(shard const& part) { return {{"index", part.index}, {"of", part.of}}; }
json asked_json(std::string const& tool) { return {{"tool", tool}, {"colex", COLEX_VERSION}}; }
shard shard_of(json const& result) { return {result.at("shard").at("index"), result.at("shard").at("of")}; }

}  // namespace colex
