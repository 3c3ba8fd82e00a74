// Results read back: see results.hpp. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/report/results.hpp"

#include "tests/suite/judge/shard.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/suite/judge/texts.hpp"
#include "tests/suite/report/sums.hpp"

#include <nlohmann/json.hpp>

#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <map>
#include <set>

namespace colex {

using json = nlohmann::ordered_json;

namespace {

// ---- one result ----

// The names in the objects around a place.
class names_around {
 public:
  void take(int depth, json::parse_event_t event, json const& at) {
    auto const level = static_cast<std::size_t>(depth);
    if (event == json::parse_event_t::object_start) seen_.resize(level), seen_.emplace_back();
    if (event != json::parse_event_t::key) return;
    path_.resize(level - 1), path_.resize(level);
    path_.back() = "[" + at.get<std::string>() + "]";
    seen_.resize(level);
    if (!seen_.back().insert(path_.back()).second) throw bad_file(fmt::format("<root>{} comes twice", fmt::join(path_, "")));
  }

 private:
  std::vector<std::set<std::string>> seen_;
  std::vector<std::string> path_;
};

// What is deeper, or not JSON, or has a name twice, throws.
json parse_shallow(std::string const& text) {
  names_around names;
  return json::parse(text, [&](int depth, json::parse_event_t event, json& at) {
    if (depth > most_levels) throw bad_file(fmt::format("it is nested deeper than {} levels", most_levels));
    names.take(depth, event, at);
    return true;
  });
}

struct form : valijson::Schema {
  explicit form(nlohmann::json const& schema) {
    valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), *this);
  }
};

// <root>[laws][3][count]
std::string place(std::vector<std::string> const& context) { return fmt::format("{}", fmt::join(context, "")); }

std::string fault_of(nlohmann::json const& value, form const& wanted) {
  valijson::ValidationResults found;
  valijson::Validator strict(valijson::Validator::kStrongTypes);
  if (strict.validate(wanted, valijson::adapters::NlohmannJsonAdapter(value), &found)) return "";
  valijson::ValidationResults::Error first;
  found.popError(first);
  return fmt::format("{}: {}", place(first.context), first.description);
}

void check_form(json const& result) {
  static form const wanted(nlohmann::json(json::parse(text_at("spec/report.schema.json"))));  // one parser is enough
  if (std::string const fault = fault_of(nlohmann::json(result), wanted); !fault.empty()) throw bad_file(fault);
}

void check_schema(json const& result, std::string const& file) {
  json const schema = result.value("schema", json(json_schema));
  if (schema != json_schema)
    throw bad_file(fmt::format("{} has schema {}; this colex reads schema {}", printable(file, 1000), printable(schema.dump()),
                               json_schema));
}

void check_verdict(std::string const& name) {
  if (std::find(verdict_name.begin(), verdict_name.end(), name) == verdict_name.end())
    throw bad_file("\"" + name + "\" is no verdict");
}

// Seeds take all of 64 bits, which the schema's integers do not.
void check_seed(json const& of) {
  if (of.contains("seed") && !of["seed"].is_number_unsigned()) throw bad_file("a seed below 0");
}

void check_laws(json const& laws) {
  std::set<std::string> names;
  for (json const& law : laws) {
    std::string const name = law.at("law");
    if (!is_law(name)) throw bad_file("\"" + clipped(name) + "\" is no law");
    if (!names.insert(name).second) throw bad_file(name + " comes twice");
    check_verdict(law.at("verdict"));
    for (auto const& [v, n] : law.at("count").items()) check_verdict(v);
  }
}

void check_shard(json const& result) {
  if (shard const part = result.contains("shard") ? shard_of(result) : shard(); part.index > part.of)
    throw bad_file(fmt::format("<root>[shard]: there is no shard {} of {}", part.index, part.of));
}

void check(json const& result) {
  check_form(result);
  check_shard(result);
  check_seed(result);
  check_seed(result.value("asked", json::object()));
  check_laws(result.value("laws", json::array()));
  check_sums(result);
}

// What f finds wrong is said of the file.
template <class F>
void of_file(std::string const& file, F f) try {
  f();
} catch (std::exception const& e) {
  throw bad_file(
      fmt::format("{}: no result that `colex conform --json` writes: {}", printable(file, 1000), printable(e.what(), 400)));
}

}  // namespace

std::string fault_of_form(nlohmann::json const& value, nlohmann::json const& schema) { return fault_of(value, form(schema)); }

json parse_result(std::string const& file, std::string const& text) {
  json result;
  of_file(file, [&] {
    result = parse_shallow(text);
    if (!result.is_object()) throw bad_file("it is no object");
  });
  check_schema(result, file);
  of_file(file, [&] { check(result); });
  return result;
}

json read_run(std::string const& file) {
  json run = parse_result(file, read_file(file));
  if (!run.contains("laws") || !run.contains("program"))
    throw bad_file(printable(file, 1000) + ": no report of `colex conform --json`: it has no laws or names no program");
  if (shard const part = run.contains("shard") ? shard_of(run) : shard(); !part.whole())
    throw bad_file(fmt::format("{}: shard {} of {}: `colex merge` puts the shards of a run together", printable(file, 1000),
                               part.index, part.of));
  return run;
}

// ---- all shards of one run ----

namespace {

json read_shard(std::string const& file) {
  json result = parse_result(file, read_file(file));
  bool const told = result.contains("shard") && result.contains("asked");
  if (!told) throw bad_file(printable(file, 1000) + ": no result of a shard, as --shard I/N --json FILE writes it");
  return result;
}

// `seed is 2, not 1`, the first of what differs.
std::string difference(json const& a, json const& b) {
  if (shard_of(a).of != shard_of(b).of) return fmt::format("of {} shards, not {}", shard_of(b).of, shard_of(a).of);
  for (json const* const both : {&a["asked"], &b["asked"]})
    for (auto const& [key, v] : both->items()) {
      json const left = a["asked"].value(key, json()), right = b["asked"].value(key, json());
      if (left != right)
        return fmt::format("{} is {}, not {}", printable(key), printable(right.dump()), printable(left.dump()));
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
