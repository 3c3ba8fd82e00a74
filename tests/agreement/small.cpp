// Which small arguments each operation is asked. SPDX-License-Identifier: Apache-2.0
#include "tests/agreement/small.hpp"

#include "spec/operations.hpp"
#include "tests/agreement/requests.hpp"
#include "tests/agreement/small_pools.hpp"

namespace colex {
namespace {

using texts = std::vector<std::string>;

argument_pool const& pool_named(std::string const& name) {
  auto const at = pools().find(name);
  if (at == pools().end()) throw std::logic_error("no small arguments are called " + name);
  return at->second;
}

// The pools of the arguments, in order.
using way = std::vector<std::string>;

// What they are called of which a parameter may be: one, or one for each of its kinds.
texts pools_of(parameter const& p, std::string const& before) {
  std::string const name(p.name);
  for (std::string const& called : {before + " " + name, name})
    if (pools().contains(called)) return {called};
  texts out;
  for (std::size_t k = 0; k < std::size(argument_kinds); ++k)
    if (p.kinds >> k & 1) out.emplace_back(argument_kinds[k].name);
  return out;
}
// Each way begun so far goes on as these parameters say: what is optional with and without, what may be repeated up to three
// times.
void complete(std::vector<way>& to, std::span<parameter const> rest, way const& begun, std::string const& before,
              int repetitions = 1) {
  if (rest.empty()) return to.push_back(begun);
  parameter const& p = rest[0];
  if (p.optional) complete(to, rest.subspan(1), begun, before);
  for (std::string const& called : pools_of(p, before)) {
    way longer = begun;
    longer.push_back(called);
    complete(to, rest.subspan(1), longer, std::string(p.name));
    if (p.repeated && repetitions < 3) complete(to, rest, longer, before, repetitions + 1);
  }
}
// What the kinds alone do not say of an operation's arguments.
std::map<std::string_view, std::vector<way>> const more_ways = {
    {"idx2crd", {{"integer", "S"}}},
    {"apply", {{"tensor", "integer"}}},
    {"composition",
     {{"tensor", "layout"},
      {"layout", "layout"},
      {"tensor", "swizzle"},
      {"linear", "linear"},
      {"swizzle", "integers", "layout"},
      {"cancelling", "stepping"},
      {"cancelling", "stepping"}}},
    {"complement", {{"tensor"}, {"layout", "integer"}, {"linear"}, {"linear", "integer"}}},
    {"right_inverse", {{"swizzled"}, {"overlapping"}, {"linear"}}},
    {"left_inverse", {{"swizzled"}, {"overlapping"}, {"linear"}}},
    {"logical_divide", {{"linear", "linear"}}},
    {"max_common_layout", {{"overlapping", "overlapping"}, {"overlapping", "overlapping"}}},
    {"to_f2", {{"linear"}, {"linear", "bits"}, {"swizzle", "bits"}}},
    {"f2_complement", {{"map", "bits"}, {"map", "bits"}}},
    {"swizzle_for",
     {{"shared", "element", "lanes", "ACCESS"},
      {"shared", "element", "lanes", "ACCESS", "lanes", "ACCESS"},
      {"shared", "element", "lanes", "ACCESS", "lanes", "ACCESS", "lanes", "ACCESS"}}},
    {"tile_to_shape", {{"tensor", "S", "integers"}}}};
std::vector<way> ways_of(operation const& o) {
  std::vector<way> out;
  for (signature const& s : o.signatures()) complete(out, s.parameters(), {}, {});
  if (auto const more = more_ways.find(o.name); more != more_ways.end())
    out.insert(out.end(), more->second.begin(), more->second.end());
  if (o.arguments.find(":tiler") != o.arguments.npos) out.push_back({"layout", "layout"});
  return out;
}

value drawn(argument_pool const& from, std::mt19937_64& random) {
  std::vector<value> const& r = from[random() % from.size()];
  return r[random() % r.size()];
}
// One in twelve has an argument of another kind, or one more, or one less.
request drawn(std::string const& op, way const& arguments, std::mt19937_64& random) {
  static way const other_kinds = {"order", "INDICES", "swizzle"};
  request r{op, {}};
  for (std::string const& called : arguments) r.args.push_back(drawn(pool_named(called), random));
  switch (random() % 36) {
    case 0: r.args.pop_back(); break;
    case 1: r.args.push_back(r.args[random() % r.args.size()]); break;
    case 2: r.args[random() % r.args.size()] = drawn(pool_named(other_kinds[random() % 3]), random);
  }
  return r;
}
// All there are of one argument, where those are not too many.
std::vector<request> of_operation(operation const& o, std::size_t most) {
  std::mt19937_64 random(most);
  std::string const op(o.name);
  std::vector<way> const ways = ways_of(o);
  std::vector<request> out;
  for (way const& arguments : ways)
    if (arguments.size() == 1)
      for (std::vector<value> const& all : pool_named(arguments[0])) {
        std::size_t const step = 1 + all.size() / (most / 4 + 1);
        for (std::size_t k = 0; k < all.size(); k += step) out.push_back({op, {all[k]}});
      }
    else
      for (std::size_t k = 0; k < most / ways.size(); ++k) out.push_back(drawn(op, arguments, random));
  return out;
}

}  // namespace

std::vector<small_set> const& small_sets() {
  static std::vector<small_set> const all = [] {
    std::vector<small_set> out = small_name_sets();
    for (operation const& o : operations) {
      if (o.in == group::atoms) continue;  // by their names (small_names.cpp)
      std::size_t const cost = o.in == group::tiled_copy ? 8 : 1;
      out.push_back({std::string(o.name), [&o, cost](std::size_t most) { return of_operation(o, most / cost); }});
    }
    return out;
  }();
  return all;
}

}  // namespace colex
