// Each operation is asked of large extents and of many leaves: a program that is wrong of those alone is found, by few inputs
// and whatever the seed. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/arguments/classes.hpp"
#include "tests/mutation/spoilt.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/unit/harness.hpp"

#include <unordered_map>

namespace colex {
namespace {

using namespace harness;

// Arguments of which a program may be wrong alone. Whoever is so in one of these operations is not found, and why that is.
struct blind_spot {
  std::function<bool(value const&)> has;
  std::uint64_t inputs;  // of each law, by which all others are found
  std::vector<std::pair<std::regex, char const*>> exceptions;

  bool spares(std::string const& operation) const {
    return std::ranges::any_of(exceptions, [&](auto const& e) { return std::regex_match(operation, e.first); });
  }
};
blind_spot const large{
    has_large,
    400,
    {{std::regex("(mma|copy)_atom"), "it takes names"}, {std::regex("bank_conflict_phases"), "a warp has 32 threads"}}};
blind_spot const many{[](value const& v) { return has_many_leaves(v); },
                      1000,
                      {{std::regex("(mma|copy)_atom"), "it takes names"},
                       {std::regex("swizzle_for"), "a tile of shared memory has rows and columns"}}};

// What the reference says, each request answered once: programs that are wrong of one operation are asked much the same.
answer const& right(request const& r) {
  static std::unordered_map<std::string, answer> answers;
  auto const [at, fresh] = answers.try_emplace(print(r));
  if (fresh) at->second = said(ref::respond, r);
  return at->second;
}

// The operations that a law asks, of what is drawn for it.
std::set<std::string> operations_of(law const& l) {
  trial::implementation const reference = right;
  std::set<std::string> asked;
  std::mt19937_64 random(1);
  for (int k = 0; k < 16; ++k) {
    choices from(random);
    std::vector<binding> const where = draw_arguments(l, from);
    trial t(where, reference, reference);
    static_cast<void>(ending_of([&] { l.check(t); }));
    for (auto const& [r, got] : t.asked()) asked.insert(r.op);
  }
  return asked;
}
// Of each operation: those about it first.
std::map<std::string, std::vector<law const*>> laws_by_operation() {
  std::map<std::string, std::vector<law const*>> all;
  for (law const& l : laws())
    for (std::string const& op : operations_of(l)) all[op].insert(op == l.operation ? all[op].begin() : all[op].end(), &l);
  return all;
}

trial::implementation wrong_of(blind_spot const& spot, std::string const& operation) {
  return [&](request const& r) {
    bool const wrong = r.op == operation && std::any_of(r.args.begin(), r.args.end(), spot.has);
    return wrong ? spoilt(right(r)) : right(r);
  };
}

bool is_found(std::vector<law const*> const& of, trial::implementation const& program, std::uint64_t inputs,
              std::uint64_t seed) {
  std::vector<std::mt19937_64> random(of.size(), std::mt19937_64(seed));
  for (; inputs > 0; --inputs)
    for (std::size_t k = 0; k < of.size(); ++k) {
      choices from(random[k]);
      if (!evaluate(*of[k], draw_arguments(*of[k], from), program).good) return true;
    }
  return false;
}

void are_asked_of_each_operation(blind_spot const& spot) {
  static std::map<std::string, std::vector<law const*>> const asking = laws_by_operation();
  for (operation const& o : operations) {
    std::string const name(o.name);
    if (spot.spares(name)) continue;
    auto const of = asking.find(name);
    ASSERT_NE(of, asking.end()) << name << ": no law asks it";
    for (std::uint64_t const seed : {1, 2, 3})
      EXPECT_TRUE(is_found(of->second, wrong_of(spot, name), spot.inputs, seed)) << name << " " << seed;
  }
}

TEST(large_extents, are_asked_of_each_operation) { are_asked_of_each_operation(large); }
TEST(many_leaves, are_asked_of_each_operation) { are_asked_of_each_operation(many); }

TEST(large_extents, of_negative_strides_have_a_span) {
  for (std::string const seed : {"1", "2", "3"})
    EXPECT_EQ(judge("--op 'cos*' --cases /dev/null --count 64 --seed " + seed, broken_program + " span_wrong '*'").said.status,
              1)
        << seed;
}

}  // namespace
}  // namespace colex
