// What is solved for, in a small box: every layout X that there could be is tried, and the smallest that answers must be the
// answer of both algebras, or neither may answer.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/algebra/solve.hpp"
#include "gpu/wire/answer.hpp"
#include "ref/answer.hpp"
#include "spec/notation/meaning.hpp"
#include "tests/agreement/oracle.hpp"
#include "tests/agreement/small_layouts.hpp"

#include <gtest/gtest.h>

namespace colex {
namespace {

using oracle::leaf_list, oracle::number, oracle::table;

struct problem {
  leaf_list a, b;
};
using condition = std::function<bool(leaf_list const&)>;

// Fewer modes, or of as many the least value where two first differ.
bool smaller(leaf_list const& x, leaf_list const& y, number n) {
  if (x.size() != y.size()) return x.size() < y.size();
  for (number i = 0; i < n; ++i)
    if (oracle::at(x, i) != oracle::at(y, i)) return oracle::at(x, i) < oracle::at(y, i);
  return false;
}
// Every layout of these extents, strides up to `most`.
void each_stride(std::vector<number> const& extents, number most, std::function<void(leaf_list const&)> const& f,
                 leaf_list const& x = {}) {
  if (x.size() == extents.size()) return f(x);
  for (number d = 0; d <= most; ++d) {
    leaf_list longer = x;
    longer.emplace_back(extents[x.size()], d);
    each_stride(extents, most, f, longer);
  }
}
bool coalesced(leaf_list const& x) {
  for (std::size_t k = 0; k + 1 < x.size(); ++k)
    if (oracle::end(x[k]) == x[k + 1].second) return false;
  return true;
}
// Extents of a layout as large as n asks, not larger in its last mode.
void each_cover(number n, std::function<void(std::vector<number> const&)> const& f, std::vector<number> const& extents = {},
                number w = 1) {
  if (w >= n) return f(extents);
  for (number s = 2; w * (s - 1) < n; ++s) {
    std::vector<number> longer = extents;
    longer.push_back(s);
    each_cover(n, f, longer, w * s);
  }
}

struct best_of {
  number n;
  condition good;
  std::optional<leaf_list> best{};
  void operator()(leaf_list const& x) {
    if (coalesced(x) && (!best || smaller(x, *best, n)) && good(x)) best = x;
  }
};

std::optional<leaf_list> among_indices(problem const& p, number n, condition const& good) {
  best_of found{n, good};
  for (std::vector<number> const& extents : oracle::factorizations(n))
    each_stride(extents, oracle::size(p.a) - 1, std::ref(found));
  return found.best;
}
bool has_values(leaf_list const& a, leaf_list const& x, table const& f) {
  for (number i = 0; i < static_cast<number>(f.size()); ++i)
    if (oracle::at(x, i) >= oracle::size(a) || oracle::at(a, oracle::at(x, i)) != f[static_cast<std::size_t>(i)]) return false;
  return true;
}
std::optional<leaf_list> right(problem const& p) {
  table const f = oracle::tabulate(p.b);
  return among_indices(p, oracle::size(p.b),
                       [&](leaf_list const& x) { return has_values(p.a, x, f) && oracle::exists(oracle::extents(x), f); });
}
std::optional<leaf_list> left(problem const& p) {
  table const t = oracle::tabulate(p.a), f = oracle::tabulate(p.b);
  if (t.size() != f.size() || !oracle::exists(oracle::extents(p.a), f)) return std::nullopt;
  number const n = *std::max_element(t.begin(), t.end()) + 1;
  best_of found{n, [&](leaf_list const& x) {
                  for (std::size_t i = 0; i < t.size(); ++i)
                    if (oracle::at(x, t[i]) != f[i]) return false;
                  return true;
                }};
  number const most = *std::max_element(f.begin(), f.end()) + 1;  // one more than it takes
  each_cover(n, [&](std::vector<number> const& extents) { each_stride(extents, most, std::ref(found)); });
  return found.best;
}
table mode_table(value const& v, std::size_t k) {
  table t;
  for (integer i = 0; i < size(mode(v, k)); ++i) t.push_back(static_cast<number>(value_at(mode(v, k), i).number));
  return t;
}
std::optional<leaf_list> divide(problem const& p) {
  if (p.b.size() != 2) return std::nullopt;
  table const tile = oracle::tabulate({p.b[0]}), rest = oracle::tabulate({p.b[1]});
  return among_indices(p, oracle::size({p.b[0]}), [&](leaf_list const& x) {
    if (!has_values(p.a, x, tile)) return false;
    answer const d = ref::respond({"logical_divide", {spell(p.a), spell(x.empty() ? leaf_list{{1, 0}} : x)}});
    return d && mode_table(d.result, 0) == tile && mode_table(d.result, 1) == rest;
  });
}

char const *const none = "undefined", *const open = "undefined not decided";
std::string said(answer const& got) {
  return got.what == status::undefined ? none : got.what == status::undecided ? open : print(got);
}

struct tally {
  int answered = 0, refused = 0;
};
void compare(char const* op, problem const& p, std::optional<leaf_list> const& wanted, tally& t) {
  request const r{op, {spell(p.a), spell(p.b)}};
  std::string const expected = wanted ? print(spell(wanted->empty() ? leaf_list{{1, 0}} : *wanted)) : none;
  ++(wanted ? t.answered : t.refused);
  for (auto* respond : {ref::respond, gpu::respond}) {
    ASSERT_EQ(said(respond(r)), expected) << print(r) << (respond == ref::respond ? ", ref" : ", gpu");
  }
}
// Each A of one scope with each B of another that f picks.
template <class F>
tally everywhere(char const* op, scope const& as, scope const& bs, F solve) {
  tally t;
  each_layout(as, [&](leaf_list const& a) {
    each_layout(bs, [&](leaf_list const& b) { compare(op, {a, b}, solve(problem{a, b}), t); });
  });
  return t;
}

TEST(solve, composition_right_finds_the_smallest_or_none) {
  tally const t = everywhere("solve_composition_right", {8, 2, 4}, {6, 2, 4}, right);
  EXPECT_GT(t.answered, 1000);
  EXPECT_GT(t.refused, 1000);
}
TEST(solve, composition_left_finds_the_smallest_or_none) {
  tally const t = everywhere("solve_composition_left", {6, 2, 3}, {6, 2, 3}, left);
  EXPECT_GT(t.answered, 1000);
  EXPECT_GT(t.refused, 1000);
}
TEST(solve, logical_divide_finds_the_smallest_or_none) {
  tally const t = everywhere("solve_logical_divide", {8, 2, 3}, {8, 2, 3}, divide);
  EXPECT_GT(t.answered, 100);
  EXPECT_GT(t.refused, 1000);
}

// Any X(1) below `strides` has the right value, and none will do: each takes a step.
struct never_good {
  static constexpr bool whole = true;
  gpu::int64 strides;
  gpu::int64 first(auto const&, gpu::int64, gpu::int64) const { return 0; }
  gpu::int64 next(auto const&, gpu::int64, gpu::int64, gpu::int64 d) const { return d + 1 < strides ? d + 1 : -1; }
  bool right(gpu::int64, gpu::int64) const { return true; }
  bool apart(gpu::int64, gpu::int64, gpu::int64, gpu::int64) const { return true; }
  gpu::detail::found accepts(gpu::layout const&) const { return gpu::detail::found::no; }
};
TEST(solve, takes_as_many_steps_as_are_said) {
  auto const finds = [](never_good const& of) { return gpu::detail::mode_search<never_good, 2>(of, 2).find(); };
  EXPECT_FALSE(finds({gpu::solve_step_limit}));
  EXPECT_THROW(finds({gpu::solve_step_limit + 1}), gpu::undecided);
}

// As far as a search goes, and where it ends: what has no answer is undefined, what is too large not decided.
TEST(solve, answers_up_to_its_limits) {
  struct {
    char const *asked, *says;
  } const edges[] = {
      {"solve_composition_right (2048,2):(1,0) 4:1", "4:1"},  // 4096 indices of A, 1024 of B
      {"solve_composition_right (2048,2):(1,0) 1024:1", "1024:1"},
      {"solve_composition_right (2049,2):(1,0) 4:1", open},
      {"solve_composition_right (2048,2):(1,0) 1025:1", open},
      {"solve_composition_right (1024,1024):(1024,1) (1,2):(-1,1)", "2:1024"},
      {"solve_composition_right (1024,1024):(1024,1) (2,2):(-1,1)", none},
      {"solve_composition_right (1024,1024):(1024,1) (2,2):(0,1)", "(2,2):(0,1024)"},
      {"solve_composition_right 8192:1 8192:1", "8192:1"},
      {"solve_composition_right (8192,2):(1@0,0) 2:1", none},
      {"solve_composition_right 8192:-1 2:-1", open},
      {"solve_composition_right (8192,2):(1,4096) 2:1", open},
      {"solve_composition_right (8192,2):(1,0) (2,3):(1@0,2)", none},
      {"solve_composition_right 4096:0 (512,2):(0,1)", none},              // seen before it is searched for
      {"solve_composition_left (1024,4):(1,0) (1024,4):(1,0)", "1024:1"},  // values below 1024, 4096 elements
      {"solve_composition_left 2:1023 2:1", "(1023,2):(0,1)"},
      {"solve_composition_left 2:1024 2:1", open},
      {"solve_composition_left (1025,4):(1,0) (1025,4):(1,0)", open},
      {"solve_composition_left (2048,2):(1,0) (2048,2):(5,0)", open},
      {"solve_logical_divide (3,5):(1,7) (2,(2,5)):(1,(2,7))", "2:1"},  // larger than (X, X*), since A is rounded up
      {"solve_logical_divide (8192,2):(1,0) 9000:1", none},
      {"solve_logical_divide 8:1 (4,2,2):(1,4,8)", none},
      {"solve_logical_divide (8192,2):(1@0,0) (2,2):(1,2)", none},
      {"solve_logical_divide (8192,2):(1,0) (2,3):(1@0,2)", none},
  };
  for (auto const& [asked, says] : edges)
    for (auto* respond : {ref::respond, gpu::respond})
      EXPECT_EQ(said(respond(parse_request(asked))), says) << asked << (respond == ref::respond ? ", ref" : ", gpu");
  // 2:3 has the tile; whether it divides 3312 elements whose digits carry is not decided. Nor is whether 4800 have a shape.
  for (char const* asked : {"solve_logical_divide (2,2,2,414):(4,2,4,3) (2,8192):(6,1)",
                            "solve_composition_left (2,2,1200):(1,2,4) (3,1600):(1,5)"})
    EXPECT_EQ(said(gpu::respond(parse_request(asked))), open) << asked;
}

}  // namespace
}  // namespace colex
