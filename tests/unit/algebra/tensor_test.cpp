// What requests do not show of the reference: the algorithms over tensors, on the tables of the CuTe talk ("Copy Basics",
// "Gemm Basics") and through tilings, in exact arithmetic; why a large composition is refused, and when a search is.
// SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/tensor.hpp"
#include "ref/algebra/fold.hpp"
#include "ref/algebra/smallest_layout.hpp"
#include "ref/arguments.hpp"
#include "ref/atoms/tiled_mma.hpp"

#include <gtest/gtest.h>

namespace colex::ref {
namespace {

using numbers = std::vector<integer>;

layout L(char const* text) { return from_value(parse(text)); }
numbers counted(std::size_t n, int first = 1) {
  numbers out;
  for (std::size_t i = 0; i < n; ++i) out.emplace_back(first + static_cast<int>(i));
  return out;
}
// A tensor over all of a store that it owns the elements of.
struct owned {
  numbers store;
  tensor<integer> view;
  owned(char const* text, int first = 1) : owned(L(text), first) {}
  owned(layout const& a, int first)
      : store(counted(static_cast<std::size_t>(cosize(a)), first)), view(make_tensor<integer>(store, a)) {}
  integer const& operator()(char const* c) const { return view(parse(c)); }
};
owned zeros(char const* text) {
  owned out(text);
  fill(out.view, integer(0));
  return out;
}

std::string refusal(char const* a, char const* b) {
  try {
    return print(to_value(composition(L(a), L(b))));
  } catch (undefined const& e) {
    return e.what();
  }
}

// A layout for what has none is a defect, one for what is not decided is not judged.
TEST(composition, of_more_elements_than_a_table_has) {
  std::string const none = "no layout is A(B(c)) at every c", open = "not decided: ";
  EXPECT_EQ(refusal("(4,8):(1,100)", "(2,2,8192):(2,3,4)"), none);  // digits carry at element 3
  EXPECT_EQ(refusal("(4,8):(1,100)", "(8192,2,2):(4,2,3)"), none);  // in the last quarter
  EXPECT_EQ(refusal("(4,8):(1,100)", "(3,8192):(3,4)"), none);      // a leaf that is no layout
  EXPECT_EQ(refusal("(5,8):(1,100)", "(4096,2):(2,10240)"), none);  // as large as a table
  EXPECT_EQ(refusal("(5,8):(1,100)", "(8192,2):(2,20480)"), open + "carries that may cancel in 8192 elements");
  EXPECT_EQ(refusal("(4,8):(1,100)", "(2,2,4096,2):(1,1,4,2)"),  // digits carry between the elements that are looked at
            open + "digits carry in a composition of more than 4096 elements");
}

// X(1) alone is to be found, and each value of it takes a step.
TEST(smallest_layout, takes_as_many_steps_as_are_said) {
  auto const search = [](integer const& most) {
    return smallest_layout({nullptr, nullptr}, most, false, [](layout const&) { return false; }).find();
  };
  EXPECT_FALSE(search(solve_steps - 1));
  EXPECT_THROW(search(solve_steps), undecided);
}

TEST(copy, rows_of_the_talk) {
  struct row {
    char const *name, *source, *destination;
  };
  for (row const& r : {row{"1D arrays", "8:1", "8:1"},
                       {"ND arrays", "(8,2,3):(1,8,16)", "(8,2,3):(1,8,16)"},
                       {"gather", "(2,2,2):(42,1,128)", "8:1"},
                       {"scatter", "8:1", "(2,2,2):(42,1,128)"},
                       {"broadcast", "8:0", "8:1"},
                       {"constant", "8:0", "8:0"},
                       {"transpose", "(8,3):(1,8)", "(8,3):(3,1)"}}) {
    owned const source(r.source, 100);
    owned destination(r.destination, -1000);
    copy(source.view, destination.view);
    for (integer i = 0; i < source.view.extent(); ++i)
      EXPECT_EQ(destination.view(value(i)), source.view(value(i))) << r.name << " at " << i;
  }
}
TEST(copy, leaves_what_the_destination_does_not_name) {
  owned const source("4:1", 1);
  owned destination("4:3", 50);
  copy(source.view, destination.view);
  EXPECT_EQ(destination.store, (numbers{1, 51, 52, 2, 54, 55, 3, 57, 58, 4}));
}
TEST(copy, refuses) {
  owned const three("3:1");
  owned four("4:1");
  EXPECT_THROW(copy(three.view, four.view), undefined);
  numbers two(2);
  EXPECT_THROW(fill(make_tensor<integer>(two, L("3:1")), integer(0)), undefined);
  EXPECT_THROW(fill(make_tensor<integer>(two, L("2:1@0")), integer(0)), undefined);
}
// Tiles of 4 over 10 elements: what lies outside is not touched.
TEST(copy_if, predicates_the_last_tile) {
  owned const source("12:1", 1);
  numbers store(10, 0);
  composed const coordinates{std::nullopt, 0, make_identity_layout(parse("(10)"))};
  for (int tile = 0; tile < 3; ++tile) {
    auto const part = [&](composed const& a) { return local_tile(a, parse("<4>"), value(tile)); };
    copy_if(part(coordinates), parse("(10)"), tensor<integer>{source.view.store, part({std::nullopt, 0, L("(12):(1)")})},
            tensor<integer>{store, part({std::nullopt, 0, L("(10):(1)")})});
  }
  EXPECT_EQ(store, counted(10));
}
TEST(copy_if, looks_at_every_mode) {
  owned const source("(2,3):(1,2)", 1);
  owned destination = zeros("(2,3):(1,2)");
  copy_if({std::nullopt, 0, make_identity_layout(parse("(2,3)"))}, parse("(2,2)"), source.view, destination.view);
  EXPECT_EQ(destination.store, (numbers{1, 2, 3, 4, 0, 0}));
}
TEST(copy_if, counts_through_an_integer) {
  owned const source("4:1", 1);
  owned destination = zeros("4:1");
  copy_if({std::nullopt, 0, make_identity_layout(value(4))}, value(3), source.view, destination.view);
  EXPECT_EQ(destination.store, (numbers{1, 2, 3, 0}));
}
TEST(axpby, combines) {
  owned const x("(2,3):(3,1)", 1);
  owned y("(2,3):(1,2)", 10);
  axpby(integer(2), x.view, integer(-1), y.view);
  EXPECT_EQ(y("(1,2)"), 2 * 6 - 15);
}
TEST(reduce, stride_zero_takes_all) {
  owned const x("(4,3):(1,4)", 1);
  owned rows = zeros("(4,3):(1,0)");
  reduce(x.view, rows.view, [](integer const& a, integer const& b) { return a + b; });
  EXPECT_EQ(rows.store, (numbers{1 + 5 + 9, 2 + 6 + 10, 3 + 7 + 11, 4 + 8 + 12}));
}
TEST(slice, of_a_slice) {
  owned const a("(4,(2,3)):(6,(3,1))", 0);
  tensor<integer> const row = slice(parse("(2,_)"), a.view), part = slice(parse("((1,_))"), row);
  EXPECT_EQ(part(value(2)), a("(2,(1,2))"));
}

// C(m,n) by the sum itself.
integer expected(tensor<integer> const& a, tensor<integer> const& b, integer const& m, integer const& n) {
  integer sum = 0;
  for (integer k = 0; k < size(mode(a.at.inner, 1)); ++k)
    sum += a(tuple_of({value(m), value(k)})) * b(tuple_of({value(n), value(k)}));
  return sum;
}
TEST(gemm, rows_of_the_talk) {
  struct row {
    char const *name, *a, *b, *c;
  };
  for (row const& r : {row{"NT", "(4,3):(1,5)", "(2,3):(1,2)", "(4,2):(1,4)"},
                       {"TN", "(4,3):(3,1)", "(2,3):(3,1)", "(4,2):(1,4)"},
                       {"NN", "(4,3):(1,4)", "(2,3):(3,1)", "(4,2):(1,4)"},
                       {"TT", "(4,3):(3,1)", "(2,3):(1,2)", "(4,2):(1,4)"},
                       {"NTT", "(4,3):(1,4)", "(2,3):(1,2)", "(4,2):(2,1)"},
                       {"BLIS", "(4,3):(2,9)", "(2,3):(7,2)", "(4,2):(3,13)"},
                       {"GETT over M", "((2,2),3):((1,6),2)", "(2,3):(1,2)", "((2,2),2):((4,1),2)"},
                       {"GETT over K", "(4,(3,2)):(1,(8,4))", "(2,(3,2)):(1,(2,6))", "(4,2):(1,4)"},
                       {"CONV", "(3,(2,1,2,2)):(1,(3,0,6,12))", "((1,1,3,3),(2,1,2,2)):((0,0,2,8),(1,0,2,8))",
                        "(3,(1,1,3,3)):(1,(0,0,3,9))"}}) {
    owned const a(r.a, 1), b(r.b, -3);
    owned c = zeros(r.c);
    gemm(a.view, b.view, c.view);
    for (integer m = 0; m < size(mode(L(r.a), 0)); ++m)
      for (integer n = 0; n < size(mode(L(r.b), 0)); ++n)
        EXPECT_EQ(c.view(tuple_of({value(m), value(n)})), expected(a.view, b.view, m, n)) << r.name << " at " << m << ", " << n;
  }
}
TEST(gemm, refuses) {
  owned const a("(4,3):(1,4)"), b("(2,3):(1,2)"), other_k("(2,4):(1,2)");
  owned c = zeros("(4,2):(1,4)"), other_m = zeros("(3,2):(1,3)");
  EXPECT_THROW(gemm(a.view, other_k.view, c.view), undefined);
  EXPECT_THROW(gemm(a.view, b.view, other_m.view), undefined);
}
// Exact beyond any machine number.
TEST(gemm, is_exact) {
  numbers a{mp::pow(integer(10), 40)}, b{mp::pow(integer(10), 40) + 1}, c{0};
  gemm(make_tensor<integer>(a, L("(1,1):(0,0)")), make_tensor<integer>(b, L("(1,1):(0,0)")),
       make_tensor<integer>(c, L("(1,1):(0,0)")));
  EXPECT_EQ(c[0], mp::pow(integer(10), 80) + mp::pow(integer(10), 40));
}
// A batched contraction C_abn = sum_k A_akb B_nkb, index by index and folded.
TEST(fold, contracts) {
  owned const a("(2,3,4):(12,1,3)", 1), b("(5,3,4):(1,5,15)", -7);
  owned c = zeros("(2,4,5):(1,2,8)");
  auto const f = fold({"akb", a.view.at.inner}, {"nkb", b.view.at.inner}, {"abn", c.view.at.inner});
  gemm(make_tensor(a.view.store, f[0]), make_tensor(b.view.store, f[1]), make_tensor(c.view.store, f[2]));
  for (int i = 0; i < 2; ++i)
    for (int p = 0; p < 4; ++p)
      for (int n = 0; n < 5; ++n) {
        integer sum = 0;
        for (int k = 0; k < 3; ++k) sum += a.view(tuple_of({i, k, p})) * b.view(tuple_of({n, k, p}));
        EXPECT_EQ(c.view(tuple_of({i, p, n})), sum);
      }
}

TEST(atoms, of_one_thread_name_up_to_four_types) {
  EXPECT_EQ(size(mma_atom_of("UniversalFMA<double,double,double,double>").c), 1);
  EXPECT_THROW(mma_atom_of("UniversalFMA<double,double,double,double,double>"), malformed);
}
TEST(arguments, number_a_million_modes) {
  EXPECT_EQ(I(value(1000000)), 1000000u);
  EXPECT_THROW(I(value(1000001)), malformed);
  EXPECT_THROW(I(value(-1)), malformed);
}

// Every thread multiplies what its partitions hold, atom by atom; the three loops give the same product, exactly.
// One thread an atom, so that an atom's operands lie in one thread: FMA and dot products.
void tiled_gemm(char const* atom, char const* atoms, char const* permutation, char const* a_layout, char const* b_layout,
                char const* c_layout) {
  tiled_mma const t = make_tiled_mma(mma_atom_of(atom), L(atoms), parse(permutation));
  owned const a(a_layout, 1), b(b_layout, -50);
  owned tiled = zeros(c_layout), looped = zeros(c_layout);
  for (integer thread = 0; thread < size(t.threads); ++thread) {
    auto const share = [&](operand x, tensor<integer> const& of) {
      return tensor<integer>{of.store, partition(t, x, of.at, thread)};
    };
    tensor<integer> const mine_a = share(operand::a, a.view), mine_b = share(operand::b, b.view),
                          mine_c = share(operand::c, tiled.view);
    integer const m = size(mode(mine_c.at.inner, 1)), n = size(mode(mine_c.at.inner, 2)), k = size(mode(mine_a.at.inner, 2)),
                  deep = size(mode(mine_a.at.inner, 0));
    for (integer i = 0; i < m; ++i)
      for (integer j = 0; j < n; ++j)
        for (integer l = 0; l < k; ++l)
          for (integer v = 0; v < deep; ++v)
            mine_c(tuple_of({value(0), value(i), value(j)})) +=
                mine_a(tuple_of({value(v), value(i), value(l)})) * mine_b(tuple_of({value(v), value(j), value(l)}));
  }
  gemm(a.view, b.view, looped.view);
  EXPECT_EQ(tiled.store, looped.store);
}
TEST(tiled_mma, multiplies_like_three_loops) {
  tiled_gemm("UniversalFMA", "(4,4,1):(4,1,0)", "<(4,2):(2,1),(4,2):(2,1),_>", "(16,5):(1,16)", "(16,5):(5,1)",
             "(16,16):(16,1)");
  tiled_gemm("UniversalFMA", "(2,3,1):(1,2,0)", "<_,_,_>", "(8,4):(4,1)", "(9,4):(1,9)", "(8,9):(1,8)");
  tiled_gemm("SM61_DP4A", "(4,2,1):(1,4,0)", "<8,(2,4):(4,1),_>", "(8,16):(16,1)", "(8,16):(1,8)", "(8,8):(8,1)");
}

}  // namespace
}  // namespace colex::ref
