// A law speaks of what meets its hypothesis and of nothing else: what is drawn for it, what lies just outside, and what
// `--only` says there. SPDX-License-Identifier: Apache-2.0
#include "spec/laws/kinds.hpp"
#include "tests/agreement/requests.hpp"
#include "tests/suite/arguments/drawers.hpp"
#include "tests/unit/harness.hpp"

#include <fmt/format.h>

namespace colex {
namespace {

using namespace harness;

// A law's arguments under their names.
std::string text_of(law const& l, std::vector<binding> const& where) {
  std::string s = l.name;
  for (auto const& [name, v] : where) s += " " + name + "=" + print(v);
  return s;
}

// Is it outside, by the kind of an argument or by what the row requires? Inside, the reference obeys the law.
bool is_outside(law const& l, std::vector<binding> const& where) {
  if (outside(l, where, ref::respond)) return true;
  outcome const o = evaluate(l, where, ref::respond);
  EXPECT_TRUE(o.good) << l.name << ": " << o.complaint();
  return o.vacuous;
}
// With one argument changed in one place, or as another law has it.
std::vector<binding> nearby(std::vector<binding> where, std::mt19937_64& random) {
  binding& b = where[random() % where.size()];
  if (random() % 4 == 0) {
    choices from(random);
    std::vector<binding> const other = draw_arguments(laws()[random() % laws().size()], from);
    b.second = other[random() % other.size()].second;
    return where;
  }
  request one = changed({"size", {b.second}}, random);
  while (one.args.size() != 1 || (one.args[0] == b.second && random() % 8 != 0)) one = changed({"size", {b.second}}, random);
  b.second = one.args[0];
  return where;
}

class hypotheses : public testing::TestWithParam<law> {};

TEST_P(hypotheses, hold_for_what_is_drawn_and_not_for_all_beside_it) {
  law const& l = GetParam();
  std::mt19937_64 random(1);
  int const count = l.costly ? 40 : 400;
  int beside = 0;
  for (int k = 0; k < count; ++k) {
    choices from(random);
    std::vector<binding> const where = draw_arguments(l, from);
    std::vector<binding> other = nearby(where, random);
    if (random() % 2 == 0) other = nearby(std::move(other), random);
    ASSERT_EQ(outside(l, where, ref::respond), nullptr) << text_of(l, where);
    beside += is_outside(l, other);
    if (HasFailure()) return;
  }
  EXPECT_GT(beside, count / 40);
}

INSTANTIATE_TEST_SUITE_P(laws, hypotheses, testing::ValuesIn(laws().begin(), laws().end()),
                         [](auto const& p) { return std::string(p.param.name); });

// Nothing is judged there, and the program is not to blame.
// What is wrong of a size with one factor is wrong of some extent that is drawn.
TEST(drawn, extents_have_any_factor) {
  std::mt19937_64 random(1);
  std::map<drawing::number, int> multiples;
  for (int k = 0; k < 20'000; ++k) {
    choices from(random);
    drawing::number const extent = drawing::large_extent(from);
    EXPECT_TRUE(extent > 8 && extent < drawing::number{1} << 32) << extent;
    for (drawing::number const factor : {7, 9, 11, 13, 19, 31, 64, 97, 127}) multiples[factor] += extent % factor == 0;
  }
  for (auto const& [factor, times] : multiples) EXPECT_GT(times, 20) << factor;
}
TEST(only, outside_a_hypothesis_judges_nothing) {
  for (auto const& [text, says] : std::map<std::string, std::string>{
           {"left_inverse_pointwise A=(2,2):(0,0) i=3", "A=(2,2):(0,0): left_inverse_pointwise asks for A nested"},
           {"size_product A=5", "A=5: "},
           {"composition_pointwise A=4:1 B=8:1", "B=8:1: "},
           {"composition_pointwise A=4:1 B=2:2 i=99",
            "i=99: composition_pointwise asks for A any layout; B a layout inside A.\n"
            "  composition(A, B)(i) == A(B(i))    for i < size(B), B inside A"},
           {"composition_pointwise A=4:1 B=2:2 i=-1", "i=-1: "},
           {"composition_pointwise A=4:1 B=2:2 i=(0,1)", "i=(0,1): "},
           {"crd2idx_definition S=(2,2) c=5", "c=5: crd2idx_definition asks for S a shape; c a coordinate of S"},
           {"crd2idx_definition S=(2,2) c=(0,2)", "c=(0,2): "},
           {"compatible_transitive S=4 T=(2,2) U=3", "U=3: "},
           {"filter_image A=8192:1", "filter_image asks for A a layout with strides of any sign. Size up to 4096"},
           {"mma_atom_threads N=no_atom", "N=no_atom: "},
           {"local_tile_identity_predicated m=1000000 n=1000000 p=1 q=1",
            "local_tile_identity_predicated asks for S = (m,n)"}}) {
    result const r = shell(tool + " conform --only '" + text + "' -- " + broken_program + " wrong '*'");
    EXPECT_EQ(r.status, 2) << text << r.out;
    EXPECT_NE(r.err.find("outside the hypothesis: " + says), std::string::npos) << text << ": " << r.err;
    EXPECT_EQ(r.out, "") << text;
  }
}

}  // namespace
}  // namespace colex
