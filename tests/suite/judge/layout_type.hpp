// Judges a C++ layout type in this process, by every law of the operations it has: free functions that argument-dependent
// lookup finds, under CuTe's names. What asks for an operation or an argument that the type has not is left out.
//
//   namespace mine {
//   struct layout { ... };
//   layout read_layout(colex::value const& shape, colex::value const& stride, colex_own::type<layout>);
//   colex::value write_layout(layout const&);              // colex::layout_of(shape, stride)
//   long long size(layout const&);   layout coalesce(layout const&);   ...
//   }
//   TEST(layout, keeps_the_laws) {
//     colex::judgement const j = colex::judge_laws<mine::layout>();
//     EXPECT_TRUE(j.broken.empty()) << j.broken;
//   }
//
// An operation is given layouts with integer strides, integers as long long, and tuples (shapes, coordinates) as
// colex_own::tuple<layout>; it returns one of these, a bool or any integer. That no answer exists it says by an exception.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/operations.hpp"
#include "tests/suite/arguments/shrink.hpp"
#include "tests/suite/judge/in_process.hpp"

#include <concepts>
#include <limits>
#include <span>

// Outside colex, so that its own functions of the same names are not found.
namespace colex_own {

template <class L>
struct type {};

template <class L>
struct tuple {
  colex::value is;
};

struct not_offered {};

template <class L, class T>
colex::value written(T const& v) {
  if constexpr (std::same_as<T, bool>)
    return colex::word_of(v ? "true" : "false");
  else if constexpr (std::integral<T>)
    return colex::value(colex::integer(v));
  else if constexpr (std::same_as<T, tuple<L>>)
    return v.is;
  else
    return write_layout(v);
}

// Does f take arguments that begin with these, at most Most? What it cannot take is not compiled.
template <class L, std::size_t Most, class F, class... A>
constexpr bool takes() {
  if constexpr (std::invocable<F, A const&...>)
    return true;
  else if constexpr (sizeof...(A) < Most)
    return takes<L, Most, F, A..., L>() || takes<L, Most, F, A..., tuple<L>>() || takes<L, Most, F, A..., long long>();
  else
    return false;
}

// f of the arguments, at most Most, be they of whatever kind; the first of them have been read.
template <class L, std::size_t Most, class F, class... A>
colex::answer call(F const& f, std::span<colex::value const> rest, A const&... read) {
  if (rest.empty()) {
    if constexpr (std::invocable<F, A const&...>) return {colex::status::answered, written<L>(f(read...)), {}};
  } else if constexpr (sizeof...(A) < Most) {
    using limits = std::numeric_limits<long long>;
    colex::value const& v = rest[0];
    auto const with = [&]<class One>(One const& one) -> colex::answer {
      if constexpr (takes<L, Most, F, A..., One>()) return call<L, Most>(f, rest.subspan(1), read..., one);
      throw not_offered{};
    };
    if (v.is(colex::kind::layout) && has_integer_strides(v)) return with(read_layout(v.shape(), v.stride(), type<L>{}));
    if (v.is(colex::kind::tuple)) return with(tuple<L>{v});
    if (v.is(colex::kind::number) && v.basis.empty() && v.number >= limits::min() && v.number <= limits::max())
      return with(static_cast<long long>(v.number));
  }
  throw not_offered{};
}

// That an operation takes; three of those it may repeat.
consteval std::size_t most_arguments(std::string_view operation) {
  std::size_t most = 0;
  for (colex::signature const& way : colex::operations[place_in(colex::operations, operation)].signatures())
    most = std::max(most, way.most());
  return std::min<std::size_t>(most, 3);
}

template <class L>
colex::answer respond(colex::request const& r) try {
#define COLEX_CALL(name, ...) \
  if (r.op == #name)          \
    return call<L, most_arguments(#name)>([](auto const&... a) -> decltype(name(a...)) { return name(a...); }, r.args);
  COLEX_LAYOUT_OPERATIONS(COLEX_CALL)
#undef COLEX_CALL
  throw not_offered{};
} catch (std::exception const& e) {
  return {colex::status::undefined, {}, e.what()};
}

}  // namespace colex_own

namespace colex {

struct judgement {
  std::size_t laws = 0, inputs = 0;  // that were judged
  std::string broken;                // each broken law with a small counterexample, or that nothing was judged; empty: none
};

// One law on `inputs` draws of its arguments: what is wrong, if anything.
template <class L>
std::string judge_law(law const& l, std::size_t inputs, std::uint64_t seed, judgement& j) {
  std::string complaint;
  std::size_t const before = j.inputs;
  auto const fails = [&](std::vector<binding> const& where) {
    try {
      outcome const o = evaluate(l, where, colex_own::respond<L>);
      j.inputs += !o.vacuous && !o.unanswered;
      if (!o.good) complaint = o.complaint();
      return !o.good;
    } catch (colex_own::not_offered const&) {
      return false;
    }
  };
  std::mt19937_64 random(seed);
  bool broken = false;
  for (std::size_t k = 0; k < inputs && !broken; ++k) {
    choices from(random);
    broken = fails(draw_arguments(l, from));
    if (broken) shrink_drawn(l, from.made(), [](request const& r) { return said(ref::respond, r); }, fails);
  }
  j.laws += j.inputs > before;
  return broken ? std::string(l.name) + ": " + l.statement + "\n  " + complaint + "\n" : "";
}

// All laws, as far as the type has what they ask.
template <class L>
judgement judge_laws(std::size_t inputs = 300, std::uint64_t seed = 1) {
  judgement j;
  for (law const& l : laws()) j.broken += judge_law<L>(l, inputs, seed, j);
  if (j.laws == 0 && j.broken.empty()) j.broken = "nothing was judged: no operation stands in the namespace of the type\n";
  return j;
}

}  // namespace colex
