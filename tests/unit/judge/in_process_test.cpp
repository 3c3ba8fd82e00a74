// What judges in one process, and what shrinks. SPDX-License-Identifier: Apache-2.0
#include "tests/suite/judge/in_process.hpp"
#include "spec/laws/kinds.hpp"
#include "tests/suite/arguments/shrink.hpp"
#include "tests/suite/judge/evaluate.hpp"
#include "tests/suite/judge/stated.hpp"
#include "tests/unit/harness.hpp"

#include <numeric>
#include <thread>

namespace colex {
namespace {

using namespace harness;

law const& law_named(std::string_view name) {
  return *std::find_if(laws().begin(), laws().end(), [&](law const& x) { return x.name == name; });
}

TEST(in_process, what_is_wrong_says_for_what_and_after_which_answers) {
  law const& l = law_named("size_product");
  std::vector<binding> const where{{"A", parse("(2,3):(1,2)")}};
  EXPECT_TRUE(evaluate(l, where, ref::respond).good);
  outcome const other = evaluate(l, where, [](request const&) { return answer{status::answered, value(7), {}}; });
  EXPECT_FALSE(other.good);
  EXPECT_EQ(other.complaint(), "7, not 6\n  A = (2,3):(1,2)\n  size (2,3):(1,2) -> 7");
  outcome const thrown = evaluate(l, where, [](request const&) -> answer { throw std::runtime_error("no"); });
  EXPECT_TRUE(thrown.complaint().starts_with("no\n"));
  EXPECT_FALSE(evaluate(l, where, [](request const&) -> answer { throw malformed(0, "no"); }).good);
}

// Two inputs that fail on one answer: each evaluation, and what is kept of it, looks at the answer that came.
TEST(evaluator, an_answer_is_held_once) {
  peer p({(here / "broken").string(), "wrong", "size"}, peer::seconds(10));
  evaluator judge(p);
  std::vector<input> batch;
  for (int k = 0; k < 2; ++k) batch.push_back({choices(choice_list{}), {{"A", parse("(2,3):(1,2)")}}, {}, {}});
  judge.settle(law_named("size_product"), batch);
  std::set<answer const*> held;
  for (input const& in : batch) {
    ASSERT_EQ(in.result.what, verdict::wrong);
    answer const& got = in.result.asked.at(0).second;
    held.insert(&got);
  }
  EXPECT_EQ(held.size(), 1u);
}

// Numbers beyond 64 bits, where it is said that they are, and what the sources leave open.
TEST(in_process, what_need_not_be_answered) {
  answer const overflow{status::unsupported, {}, "overflow"}, tired{status::unsupported, {}, "tired"},
      refused{status::undefined, {}, {}};
  auto const size_of = [](char const* a, answer const& got) {
    return evaluate(law_named("size_product"), {{"A", parse(a)}}, [&](request const&) { return got; });
  };
  EXPECT_TRUE(size_of("(4294967296,4294967296):(1,1)", overflow).unanswered);
  EXPECT_FALSE(size_of("(4294967296,4294967296):(1,1)", tired).good);
  EXPECT_FALSE(size_of("4:1", overflow).good);
  auto const composition_of = [](char const* a, char const* b, answer const& got) {
    return evaluate(law_named("composition_pointwise"), {{"A", parse(a)}, {"B", parse(b)}},
                    [&](request const&) { return got; });
  };
  EXPECT_TRUE(composition_of("(2,4):(4,1)", "8:-1", refused).unanswered) << "unspecified";
  EXPECT_TRUE(composition_of("(6,2):(1,7)", "(3,2):(2,3)", refused).unanswered) << "undefined";
  EXPECT_TRUE(composition_of("(6,2):(1,7)", "(3,2):(2,3)", tired)
                  .complaint()
                  .starts_with("composition (6,2):(1,7) (3,2):(2,3) -> unsupported tired, not undefined"));
  EXPECT_EQ(judge("--only 'composition_beyond_domain A=(5,8):(1,100) B=(8192,2):(2,20480)'", broken_program + " refusing")
                .law("composition_beyond_domain")["verdict"],
            "not judged");
}

// Two answers may differ where neither is wrong, as far as neither is.
TEST(open_question, is_open_only_for_answers_that_are_as_good) {
  auto const open = [](char const* asked, char const* one, char const* other) {
    return is_open(parse_request(asked), parse_answer(one), parse_answer(other));
  };
  std::string const repeats = "UniversalCopy<uint16_t> half_t (2,4):(0,1) 1:0";
  EXPECT_FALSE(open(("tiled_copy_tiler " + repeats).c_str(), "4242", "(2,4)"));
  EXPECT_FALSE(open(("tiled_copy_layout_TV " + repeats).c_str(), "4242", "(8,1):(1,0)"));
  EXPECT_FALSE(open(("tiled_copy_layout_TV " + repeats).c_str(), "4242:1", "(8,1):(1,0)"));
  EXPECT_FALSE(open(("tiled_copy_layout_TV " + repeats).c_str(), "undefined", "(8,1):(1,0)"));
  EXPECT_TRUE(open(("tiled_copy_layout_TV " + repeats).c_str(), "(8,1):(2,0)", "(8,1):(1,0)"));
  EXPECT_FALSE(open("tiled_copy_layout_TV UniversalCopy<uint16_t> half_t (2,4):(4,1) 1:0", "(8,1):(2,0)", "(8,1):(1,0)"));
  EXPECT_TRUE(open("right_inverse (2,2):(1,1)", "2:1", "2:2"));
  EXPECT_FALSE(open("right_inverse (2,2):(1,1)", "2:1", "2:3"));
  EXPECT_FALSE(open("right_inverse (2,2):(1,1)", "1:0", "2:1"));
  for (char const* none : {"4242", "(1,2)", "_", "Sw<1,2,3>", "<2,2>", "true"})
    for (char const* asked : {"right_inverse (2,2):(1,1)", "left_inverse (2,2):(1,4)", "max_common_layout 4:1 (2,2):(0,1)",
                              "left_inverse Sw<1,1,1>o0o(2,8):(1,2)"})
      EXPECT_FALSE(open(asked, none, "2:1")) << asked << " = " << none;
  std::string const leaves = "(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2)";
  EXPECT_TRUE(open(("depth " + leaves + ":" + leaves).c_str(), "unsupported more than 32 leaves", "1"));
  EXPECT_FALSE(open(("depth " + leaves + ":" + leaves).c_str(), "unsupported nested deeper than 255", "1"));
  EXPECT_FALSE(open("size 4:1", "unsupported more than 32 leaves", "4"));
  EXPECT_FALSE(open("size 4:1", "unsupported overflow", "4"));
  EXPECT_FALSE(open("size 4294967296:1", "unsupported", "4294967296"));
  std::string const searched = "solve_composition_left 9:12 (3,3):(8,97)", tired = "undefined not decided: many steps";
  EXPECT_TRUE(open(searched.c_str(), tired.c_str(), "(12,3,3):(0,8,97)"));
  EXPECT_FALSE(open(searched.c_str(), tired.c_str(), "(12,3,3):(0,8,96)"));
  EXPECT_FALSE(open(searched.c_str(), tired.c_str(), "97"));
  EXPECT_TRUE(open("solve_composition_right 8:2 4:6", tired.c_str(), "4:3"));
  EXPECT_FALSE(open("solve_composition_right 8:2 4:6", tired.c_str(), "4:2"));
  EXPECT_TRUE(open("solve_logical_divide 6:1 (2,3):(3,1)", tired.c_str(), "2:3"));
  EXPECT_FALSE(open("solve_logical_divide 6:1 (2,3):(3,1)", tired.c_str(), "2:2"));
}

TEST(shrink, finds_the_simplest_and_keeps_to_its_budget) {
  auto const sum_of_ten = [](choice_list const& c) { return std::accumulate(c.begin(), c.end(), std::uint64_t{0}) >= 10; };
  shrunk const s = shrink({7, 900, 3, 12, 0, 5}, sum_of_ten);
  EXPECT_EQ(s.choices, choice_list{10});
  EXPECT_TRUE(s.finished);
  EXPECT_EQ(shrink({3, 1, 2}, [](auto const&) { return true; }).choices, choice_list{});
  EXPECT_EQ(shrink({3, 1, 2}, [](auto const&) { return false; }).choices, (choice_list{3, 1, 2}));
  std::size_t tries = 0;
  shrunk const cut =
      shrink(choice_list(100, 1000), [&](choice_list const& c) { return ++tries, c.size() > 90; }, {.tries = 20});
  EXPECT_EQ(cut.tries, 20u);
  EXPECT_EQ(tries, 20u);
  EXPECT_FALSE(cut.finished);
}

// What fails of one argument A of a law, made simpler.
shrunk_arguments simplest(char const* law_name, char const* a, std::function<bool(value const&)> const& fails,
                          shrink_budget budget = {}) {
  auto const of_first = [&](std::vector<binding> const& where) { return fails(where[0].second); };
  return shrink(*find_law(law_name), {{"A", parse(a)}}, ref::respond, of_first, budget);
}
bool steps_alike(value const& a) {
  auto const all = leaves(a);
  return all.size() > 1 && std::ranges::all_of(all, [](auto const& l) { return l.second.number == 1; });
}
TEST(shrink, leaves_out_modes_and_makes_numbers_smaller) {
  shrunk_arguments const s = simplest("size_product", "(2147483648,2,2):(1,1,1)", steps_alike);
  EXPECT_EQ(print(s.where[0].second), "(2,2):(1,1)");
  EXPECT_TRUE(s.finished);
  EXPECT_EQ(print(simplest("size_product", "((4294967296,(7)),2):((1,(1)),1)", steps_alike).where[0].second), "(2,2):(1,1)");
  EXPECT_EQ(print(simplest("size_product", "Sw<2,1,3>o16o(8,(3,5)):(1,(-40,8))",
                           [](value const& a) { return size(layout_in(a)) > 8; })
                      .where[0]
                      .second),
            "9:1");
  EXPECT_EQ(simplest("size_product", "(2147483648,2,2):(1,1,1)", steps_alike, {.tries = 2}).tries, 2u);
}
// No mode can go and no number be smaller, and yet one mode is enough; neighbours in brackets, and in a tuple, too.
TEST(shrink, joins_modes) {
  auto const above_600 = [](value const& a) { return size(a) > 600; };
  shrunk_arguments const s = simplest("size_product", "(17,3,4,3):(1,1,1,1)", above_600);
  EXPECT_EQ(print(s.where[0].second), "601:1");
  EXPECT_LT(s.tries, 100u);
  EXPECT_EQ(print(simplest("size_product", "(17,(3,(4,3))):(1,(5,(1,2)))", above_600).where[0].second), "601:1");
  auto const above = [](std::vector<binding> const& where) { return size(where[0].second) > 600; };
  shrunk_arguments const shape = shrink(law_named("congruent_reflexive"), {{"S", parse("(17,3,4,3)")}}, ref::respond, above);
  EXPECT_EQ(print(shape.where[0].second), "601");
}
TEST(shrink, comes_close_to_a_bound_in_few_tries) {
  shrunk_arguments const s =
      simplest("size_product", "(2,1000000007):(-1,1)", [](value const& a) { return leaves(a).size() > 1 && size(a) > 12345; });
  EXPECT_EQ(print(s.where[0].second), "(2,6173):(1,1)");
  EXPECT_TRUE(s.finished);
}
// Both modes end where the other begins: neither a mode less nor one number smaller is compact.
TEST(shrink, what_hangs_together_is_made_smaller_together) {
  auto const two_modes = [](value const& a) { return leaves(a).size() > 1; };
  EXPECT_EQ(print(simplest("right_inverse_compact", "(2147483648,96):(96,1)", two_modes).where[0].second), "(2,2):(2,1)");
}
TEST(shrink, what_is_no_input_of_the_law_is_not_tried) {
  auto const any = [](value const&) { return true; };
  for (law const& l : laws()) {
    std::mt19937_64 random(7);
    choices from(random);
    auto const is_input = [&](std::vector<binding> const& where) {
      EXPECT_FALSE(outside(l, where, ref::respond)) << l.name;
      return false;
    };
    shrink(l, draw_arguments(l, from), ref::respond, is_input, {.tries = 40});
  }
  EXPECT_EQ(print(simplest("size_product", "(3,4):(1,3)", any).where[0].second), "2:1");
}
TEST(shrink, choices_and_then_what_they_draw_in_one_budget_of_time) {
  law const& l = law_named("size_product");
  std::mt19937_64 random(7);
  choices from(random);
  draw_arguments(l, from);
  std::size_t tries = 0;
  auto const large = [&](auto const& where) { return ++tries, size(where[0].second) > 5; };
  shrunk_arguments const s = shrink_drawn(l, from.made(), ref::respond, large);
  EXPECT_EQ(s.tries, tries);
  EXPECT_EQ(shrink(l, s.where, ref::respond, large).where, s.where) << "neither choices nor arguments can be simpler";
  EXPECT_TRUE(s.finished);
  shrink_budget const little{.time = std::chrono::milliseconds(20)};
  auto const slow = [&](auto const&) { return std::this_thread::sleep_for(little.time), false; };
  shrunk_arguments const cut = shrink_drawn(l, from.made(), ref::respond, slow, little);
  EXPECT_EQ(cut.tries, 1u) << "what the choices took of it is gone for the arguments";
  EXPECT_FALSE(cut.finished);
}

}  // namespace
}  // namespace colex
