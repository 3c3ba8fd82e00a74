// Inputs that meet a law's hypothesis as its row and its arguments' kinds state it, a line each: `LAW A=4:1 M=8 i<4`, with how
// far the row's indices go. All small ones, in combination, and some drawn. The proofs are asked whether their theorems cover
// them. usage: inputs COUNT <LAWS; COUNT are drawn for each of these laws, of a costly one a tenth. SPDX-License-Identifier:
// Apache-2.0
#include "ref/answer.hpp"
#include "spec/laws/kinds.hpp"
#include "tests/agreement/small_layouts.hpp"
#include "tests/suite/arguments/draw.hpp"
#include "tests/suite/arguments/hash.hpp"
#include "tests/suite/judge/in_process.hpp"
#include "tests/suite/judge/stated.hpp"

#include <fmt/format.h>

#include <iostream>

namespace {

using namespace colex;

trial::implementation const reference = [](request const& r) { return said(ref::respond, r); };

// Nothing where the row says nothing of it, or an operation that it asks is not defined.
std::string line_of(law const& l, std::vector<binding> const& where) {
  trial t(where, reference, reference);
  if (outside(l, where, reference) || !std::holds_alternative<held>(ending_of([&] { l.check(t); }))) return {};
  std::string line = l.name;
  for (auto const& [name, v] : t.bindings()) line += fmt::format(" {}={}", name, print(v));
  for (auto const& [name, end] : t.indices())
    if (std::none_of(where.begin(), where.end(), [&](binding const& b) { return b.first == name; }))
      line += fmt::format(" {}<{}", name, end.str());
  return line;
}

// Each n-th of them.
void thin(std::vector<value>& values, std::size_t n) {
  for (std::size_t k = 0; k * n < values.size(); ++k) values[k] = values[k * n];
  values.resize((values.size() + n - 1) / n);
}
// What small arguments are tried: fewer where there are more of them.
std::vector<value> small_values(std::size_t arguments) {
  std::vector<value> out;
  scope const within = arguments == 1 ? scope{8, 2, 8} : arguments == 2 ? scope{4, 2, 4} : scope{4, 2, 2};
  each_layout(within, [&](oracle::leaf_list const& a) { out.push_back(spell(a)); });
  for (char const* text : {"0",
                           "1",
                           "2",
                           "3",
                           "4",
                           "5",
                           "6",
                           "8",
                           "()",
                           "(1)",
                           "(1,2)",
                           "(2,2)",
                           "(2,3)",
                           "(4,2)",
                           "(6,4)",
                           "(2,(2,3))",
                           "((2,2),3)",
                           "(0,0)",
                           "(0,1)",
                           "(1,0)",
                           "(1,(0,1))",
                           "_",
                           "(_,1)",
                           "(1,_)",
                           "(_,_)",
                           "(_,(0,_))",
                           "<2>",
                           "<2,_>",
                           "<_,2>",
                           "<2,2>",
                           "<2:1,2>",
                           "<2:2,_>",
                           "<<2,_>>",
                           "((2,2),3):((1,6),2)",
                           "(2,(2,3)):(2,(1,4))",
                           "(2,2,2):(1,2,4)",
                           "((2,2)):((2,1))",
                           "2:-1",
                           "(2,3):(-1,2)",
                           "(2,2):(3,-3)",
                           "2:1@0",
                           "(2,2):(1@0,1@1)",
                           "(2,(1,3)):(1@0,(1@0@1,1@1@1))",
                           "(2,2):(2@1,1@1)",
                           "(2,2):(1@0,1@0)",
                           "3o4:1",
                           "2o(2,2):(-1,1)",
                           "1o(2,2):(1@0,1@1)",
                           "Sw<0,0,0>",
                           "Sw<1,0,1>",
                           "Sw<1,1,-1>",
                           "Sw<2,0,2>",
                           "Sw<1,0,1>o0o4:1",
                           "Sw<1,0,1>o2o(2,2):(2,1)",
                           "Sw<2,0,2>o0o(4,4):(4,1)",
                           "Sw<1,1,-2>o0o8:1",
                           "F2<0>()",
                           "F2<1>()",
                           "F2<1>(0)",
                           "F2<1>(1)",
                           "F2<2>(1)",
                           "F2<2>(1,2)",
                           "F2<2>(3,1)",
                           "F2<2>(1,1)",
                           "F2<2>((1),(2))",
                           "F2<3>(1,2,4)",
                           "F2<3>(4,0,3)",
                           "F2<3>((1,2),(),((4),(5)))",
                           "ij",
                           "jk",
                           "ik",
                           "i"})
    out.push_back(std::isalpha(*text) && std::islower(*text) ? word_of(text) : parse(text));
  if (arguments > 3) thin(out, arguments);
  return out;
}
// Each argument in turn is every one of its kind.
template <class F>
void each_small(law const& l, std::vector<value> const& values, std::vector<binding> const& where, F f) {
  if (where.size() == l.drawn().size()) return f(where);
  argument const& next = l.drawn()[where.size()];
  for (value const& v : values) {
    std::vector<binding> longer = where;
    longer.emplace_back(next.name, v);
    if (outside(l, longer, reference) != &next) each_small(l, values, longer, f);
  }
}

void write(law const& l, std::size_t count) {
  auto const put = [&](std::vector<binding> const& where) {
    if (std::string const line = line_of(l, where); !line.empty()) std::cout << line << '\n';
  };
  each_small(l, small_values(l.drawn().size()), {}, put);
  std::mt19937_64 random(hash_of(l.name));
  for (std::size_t k = 0; k < (l.costly ? (count + 9) / 10 : count); ++k) {
    choices from(random);
    put(draw_arguments(l, from));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::cerr << "usage: inputs COUNT <LAWS\n", 2;
  for (std::string name; std::getline(std::cin, name);)
    if (law const* const l = find_law(name)) write(*l, std::stoul(argv[1]));
}
