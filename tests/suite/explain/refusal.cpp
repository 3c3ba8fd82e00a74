// Why there is no answer: see refusal.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/suite/explain/refusal.hpp"

#include "ref/algebra/interpolate.hpp"
#include "ref/algebra/left_inverse.hpp"
#include "ref/algebra/solve.hpp"
#include "tests/suite/explain/aligned.hpp"
#include "tests/suite/explain/cute_model.hpp"
#include "tests/suite/explain/trail.hpp"

#include <functional>

namespace colex {
namespace {

template <class F>
bool is_defined(F f) {
  try {
    return f(), true;
  } catch (std::runtime_error const&) {
    return false;
  }
}

// The table of A(B(i)), and of the layout that has its values the longest: where they first differ no layout goes on. Each leaf
// of B is taken in the longest linear runs; shorter ones would go on alike.
class longest_layout {
 public:
  std::vector<point> wanted, has;

  longest_layout(layout const& a, layout const& b) {
    for (integer i = 0; i < size(b); ++i) wanted.push_back(a(b(i)));
    has = {wanted[0]};
    for (layout const& leaf : leaves(b))
      for (std::size_t left = static_cast<std::size_t>(leaf.extent), n; left > 1; left /= n)
        if ((n = run(left)) == 0) return;
  }
  bool breaks() const { return has.back() != wanted[has.size() - 1]; }
  std::size_t end() const { return has.size() - 1; }

 private:
  // How many of so many elements of a leaf the next mode takes; 0: no layout goes on.
  std::size_t run(std::size_t left) {
    std::size_t const w = has.size();
    for (std::size_t x = 1; x < left; ++x) {
      if (left % x == 0 && wanted[x * w] != integer(x) * wanted[w]) return x;
      for (std::size_t k = 0; k < w; ++k) {
        has.push_back(has[k] + integer(x) * wanted[w]);
        if (breaks()) return 0;
      }
    }
    return left;
  }
};

constexpr std::size_t most_rows = 24, first_rows = 4;

// Row k for k <= last; of many the first and the last.
rows rows_to(std::size_t last, std::vector<std::string> heading, std::function<std::vector<std::string>(std::size_t)> row) {
  rows all{std::move(heading)};
  for (std::size_t k = 0; k <= last; ++k) {
    if (last < most_rows || k < first_rows || last - k < most_rows - first_rows) all.push_back(row(k));
    if (last >= most_rows && k == first_rows) all.push_back({"..."});
  }
  return all;
}

std::string broken_by(layout const& r, longest_layout const& t) {
  if (size(r) != t.wanted.size())
    return fmt::format("which has {} elements, not {}: composition_compatible does not hold", size(r).str(), t.wanted.size());
  for (std::size_t i = 0; i < t.wanted.size(); ++i)
    if (r(integer(i)) != t.wanted[i])
      return fmt::format("which has {} at i = {}, not {}: composition_pointwise does not hold", print(r(integer(i))), i,
                         print(t.wanted[i]));
  return "which does not refine B: composition_compatible does not hold";
}
std::string cute_says(layout const& a, layout const& b, longest_layout const& t) {
  auto const answers = cute_answers({"composition", {to_value(a), to_value(b)}});
  if (answers.empty()) return "";
  if (auto const& r = answers[0].result)
    return fmt::format("A model of CuTe's algorithm (errata.md, E1, E2) answers {},\n{}.\n", print(to_value(*r)),
                       broken_by(*r, t));
  if (auto const& r = answers[1].result)
    return fmt::format(
        "CuTe C++ refuses it for static integers; for dynamic ones it checks nothing, and a model of its algorithm\n"
        "(errata.md, E3) answers {}, {}.\n",
        print(to_value(*r)), broken_by(*r, t));
  return "CuTe C++ refuses it for static integers; for dynamic ones it divides by zero (a model of its algorithm).\n";
}

std::string tell_composition(layout const& a, layout const& b) {
  if (size(b) > table_limit) return "";
  longest_layout const t(a, b);
  if (!t.breaks()) return "";
  std::size_t const end = t.end();
  std::string const table = aligned(rows_to(end, {"i", "coordinate", "B(i)", "A(B(i))", "L(i)"}, [&](std::size_t i) {
    integer const k(i);
    return std::vector<std::string>{k.str(), print(ref::idx2crd(value(k), shape(b))), print(b(k)), print(t.wanted[i]),
                                    print(t.has[i])};
  }));
  return fmt::format(
      "A = {}, B = {}; L is the layout that has the values of A(B(i)) the longest:\n"
      "{}No layout goes on at i = {}: A(B({})) is {}, and each that has the values before has {} there.\n{}",
      print(to_value(a)), print(to_value(b)), table, end, end, print(t.wanted[end]), print(t.has[end]), cute_says(a, b, t));
}

// Of two leaves that overlap; the law that no value comes twice would not hold.
std::string tell_complement(layout const& a) {
  std::vector<layout> const m = ref::sorted_leaves(a);
  for (std::size_t k = 0; k + 1 < m.size(); ++k)
    if (m[k + 1].stride.number < ref::end_of(m[k]))
      return fmt::format(
          "By stride the leaf {} comes behind {}, and begins at {}, before that ends at {}:\n"
          "what is left free is no layout that is ordered (complement_exists).\n",
          print(to_value(m[k + 1])), print(to_value(m[k])), m[k + 1].stride.number.str(), ref::end_of(m[k]).str());
  return "";
}
std::string tell_divide(layout const& a, layout const& b) {
  if (!ref::nested(ref::sorted_leaves(b))) return "The tile has no complement. " + tell_complement(b);
  return "The divide is A o (B, B*), B* the complement of B below size(A) (logical_divide_exists):\n" +
         tell_composition(a, ref::tile_and_rest(a, b));
}
std::string tell_product(layout const& a, layout const& b) {
  if (!ref::nested(ref::sorted_leaves(a))) return "The block has no complement. " + tell_complement(a);
  return "The copies lie at A* o B, A* the complement of A (logical_product_exists):\n" +
         tell_composition(ref::room_for(a, b), b);
}
std::string tell_product_by_rank(layout const& a, layout const& b) {
  std::size_t const r = std::max(rank(a), rank(b));
  return tell_product(append(a, r), append(b, r));
}

// The first values that no layout takes back together. Behind a swizzle there may be one.
std::string tell_left_inverse(layout const& a) {
  if (is_defined([&] { ref::left_inverse(a); })) return "";
  auto const points = ref::values_with_indices(a);
  if (!points) return "";
  std::size_t n = 1;
  while (n < points->size() && ref::interpolation({points->begin(), points->begin() + static_cast<std::ptrdiff_t>(n)}).find())
    ++n;
  std::string const table = aligned(rows_to(n - 1, {"A(i)", "i"}, [&](std::size_t k) {
    return std::vector<std::string>{(*points)[k].first.str(), (*points)[k].second.str()};
  }));
  return fmt::format(
      "{}A layout takes all but the last of these values back to their indices; none takes all (left_inverse_exists).\n",
      table);
}

// What X(0), X(1), ... may be, for a layout X: null is any number up to a bound.
using choices = ref::smallest_layout::choices;
struct sought {
  std::vector<choices const*> may_be;
  integer most = 0;

  std::optional<layout> among_first(std::size_t n) const {
    return ref::smallest_layout({may_be.begin(), may_be.begin() + static_cast<std::ptrdiff_t>(n)}, most, false).find();
  }
  // So many first values a layout has; with one more there is none.
  std::size_t most_together() const {
    std::size_t there_is = 1, there_is_none = may_be.size() + 1;
    while (there_is + 1 < there_is_none) {
      std::size_t const n = (there_is + there_is_none) / 2;
      (among_first(n) ? there_is : there_is_none) = n;
    }
    return there_is;
  }
};
bool is_searched(layout const& a, integer const& values) { return size(a) <= table_limit && values <= ref::solve_limit; }

// The first values of A that no layout takes to those of B together.
std::string tell_solve_left(layout const& a, layout const& b) {
  if (!is_searched(a, cosize(a))) return "";
  auto const values = ref::values_at(a, b);
  sought x{std::vector<choices const*>(static_cast<std::size_t>(cosize(a))), cosize(b) - 1};
  std::vector<std::vector<std::string>> rows_of;
  for (auto const& [at, v] : values) x.may_be[static_cast<std::size_t>(at)] = &v;
  std::size_t const end = x.most_together();
  if (end == x.may_be.size()) return "";
  for (auto const& [at, v] : values)
    if (at <= end) rows_of.push_back({at.str(), v.begin()->str()});
  return fmt::format(
      "{}A layout takes all but the last of these values of A to those of B; none takes all (solve_composition_left_exists).\n",
      aligned(rows_to(rows_of.size() - 1, {"A(i)", "B(i)"}, [&](std::size_t k) { return rows_of[k]; })));
}

// The first values of B that no layout of indices of A has; of a divide B is its tile. Or what is wrong with those that there
// are.
std::string tell_indices(layout const& a, layout const& b, char const* otherwise, char const* law) {
  if (!is_searched(a, size(b))) return "";
  auto const indices = ref::indices_by_value(a);
  sought x;
  for (integer i = 0; i < size(b); ++i) {
    auto const there = indices.find(b(i).number);
    if (there == indices.end()) return "";  // the reason says so
    x.may_be.push_back(&there->second);
  }
  std::size_t const end = x.most_together();
  if (end == x.may_be.size())
    return fmt::format(
        "Layouts of indices have the values, the smallest of them {}; {} ({}).\n", print(to_value(*x.among_first(end))),
        ref::smallest_layout(x.may_be, 0, true).find() ? otherwise : fmt::format("none has {} elements", end), law);
  std::string const table = aligned(rows_to(end, {"i", "B(i)", "indices of A"}, [&](std::size_t k) {
    std::vector<std::string> there;
    for (integer const& i : *x.may_be[k]) there.push_back(i.str());
    return std::vector<std::string>{std::to_string(k), print(b(integer(k))),
                                    clipped(fmt::format("{}", fmt::join(there, " ")), 60)};
  }));
  return fmt::format("{}A layout of indices has all but the last of these values; none has all ({}).\n", table, law);
}
std::string tell_solve_right(layout const& a, layout const& b) {
  return tell_indices(a, b, "B refines none of them", "solve_composition_right_exists");
}
std::string tell_solve_divide(layout const& a, layout const& b) {
  if (rank(b) != 2) return "";
  return "Mode 0 is the tile:\n" + tell_indices(a, mode(b, 0), "none divides A so", "solve_logical_divide_exists");
}

// f on the layouts where op is not defined: A and B, or the first such mode of A with its tile.
template <class Op, class Tell>
std::string by_tile(layout const& a, value const& tiler, Op op, Tell tell) {
  if (auto const b = ref::as_layout(tiler)) return tell(a, *b);
  for (std::size_t i = 0; i < tiler.items.size() && i < rank(a); ++i)
    if (!tiler.items[i].is("_") && !is_defined([&] { op(mode(a, i), tiler.items[i]); }))
      return fmt::format("In mode {}:\n", i) + by_tile(mode(a, i), tiler.items[i], op, tell);
  return "";
}
layout divide_of(layout const& a, value const& t) { return ref::logical_divide(a, t); }
layout product_of(layout const& a, value const& t) { return ref::logical_product(a, t); }
layout composition_of(layout const& a, value const& t) { return composition(a, t); }

using telling = std::string (*)(arguments const&);
template <auto Op, auto Tell>
std::string with_tiler(arguments const& a) {
  return by_tile(inner_of(a[0]), ref::tiler(a[1]), Op, Tell);
}
template <auto Tell>
std::string with_layout(arguments const& a) {
  return Tell(inner_of(a[0]));
}
std::string with_factor(arguments const& a) { return tell_product_by_rank(inner_of(a[0]), *ref::as_layout(ref::tiler(a[1]))); }
template <auto Tell>
std::string with_two(arguments const& a) {
  return Tell(inner_of(a[0]), inner_of(a[1]));
}
constexpr auto dividing = with_tiler<divide_of, tell_divide>, multiplying = with_tiler<product_of, tell_product>;

constexpr named<telling> tellings[] = {
    {"composition", with_tiler<composition_of, tell_composition>},
    {"complement", with_layout<tell_complement>},
    {"left_inverse", with_layout<tell_left_inverse>},
    {"logical_divide", dividing},
    {"zipped_divide", dividing},
    {"tiled_divide", dividing},
    {"flat_divide", dividing},
    {"logical_product", multiplying},
    {"zipped_product", multiplying},
    {"tiled_product", multiplying},
    {"flat_product", multiplying},
    {"blocked_product", with_factor},
    {"raked_product", with_factor},
    {"solve_composition_right", with_two<tell_solve_right>},
    {"solve_composition_left", with_two<tell_solve_left>},
    {"solve_logical_divide", with_two<tell_solve_divide>},
};

}  // namespace

std::string why_undefined(request const& asked) {
  std::size_t const k = place_in(tellings, asked.op);
  if (k == std::size(tellings) || asked.args[0].is(kind::swizzle)) return "";
  arguments args;
  for (value const& v : asked.args) args.push_back(plain(v));
  try {
    return tellings[k].is(args);
  } catch (std::runtime_error const&) {  // another reason, which the answer says
    return "";
  }
}

}  // namespace colex
