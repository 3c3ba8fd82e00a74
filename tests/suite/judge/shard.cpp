// Parts of a run.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/shard.hpp"

#include "tests/suite/judge/files.hpp"
#include "tests/suite/judge/only.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <map>

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

void check_schema(json const& result, std::string const& file) {
  json const schema = result.value("schema", json(json_schema));
  if (schema != json_schema)
    throw bad_file(fmt::format("{} has schema {}; this colex reads schema {}", printable(file, 1000), printable(schema.dump()),
                               json_schema));
}

namespace {

json read_shard(std::string const& file) {
  json const result = json::parse(read_file(file), nullptr, false);
  auto const counts = [&](char const* key) {
    return result["shard"].contains(key) && result["shard"][key].is_number_unsigned();
  };
  bool const told = result.is_object() && result.contains("shard") && result.contains("asked") && result["asked"].is_object() &&
                    result["shard"].is_object() && counts("index") && counts("of");
  if (!told || shard_of(result).index < 1 || shard_of(result).index > shard_of(result).of)
    throw bad_file(printable(file, 1000) + ": no result of a shard, as --shard I/N --json FILE writes it");
  check_schema(result, file);
  return result;
}

// `seed is 2, not 1`, the first of what differs.
std::string difference(json const& a, json const& b) {
  if (shard_of(a).of != shard_of(b).of) return fmt::format("of {} shards, not {}", shard_of(b).of, shard_of(a).of);
  for (json const* const both : {&a["asked"], &b["asked"]})
    for (auto const& [key, v] : both->items()) {
      json const left = a["asked"].value(key, json()), right = b["asked"].value(key, json());
      if (left != right) return fmt::format("{} is {}, not {}", key, printable(right.dump()), printable(left.dump()));
    }
  return {};
}

}  // namespace

std::vector<json> read_shards(std::vector<std::string> const& files) {
  std::map<std::size_t, std::pair<std::string, json>> found;  // by index
  for (std::string const& file : files) {
    json result = read_shard(file);
    std::string const other = found.empty() ? "" : difference(found.begin()->second.second, result);
    if (!other.empty())
      throw bad_file(fmt::format("{}: of another run than {}: {}", printable(file, 1000),
                                 printable(found.begin()->second.first, 1000), other));
    shard const part = shard_of(result);
    auto const [at, fresh] = found.try_emplace(part.index, file, std::move(result));
    if (!fresh)
      throw bad_file(fmt::format("shard {}/{} comes twice: {} and {}", part.index, part.of, printable(at->second.first, 1000),
                                 printable(file, 1000)));
  }
  std::vector<json> all;
  for (auto& [index, result] : found) all.push_back(std::move(result.second));
  std::size_t const of = shard_of(all.at(0)).of;
  for (std::size_t k = 1; k <= of; ++k)
    if (!found.contains(k)) throw bad_file(fmt::format("shard {}/{} is missing", k, of));
  return all;
}

}  // namespace colex
