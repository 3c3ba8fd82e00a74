// A layout type that a stranger might have, and the one line that judges it.
// SPDX-License-Identifier: Apache-2.0
#include <colex/layout_type.hpp>

#include <gtest/gtest.h>

namespace mine {

struct mode {
  long long extent, stride;
};
using layout = std::vector<mode>;
struct flat_layout {  // no hierarchy
  layout modes;
  bool one = false;  // written without brackets
};

flat_layout read_layout(colex::value const& shape, colex::value const& stride, colex_own::type<flat_layout>) {
  auto const number = [](colex::value const& v) {
    if (!v.is(colex::kind::number) || !v.basis.empty()) throw colex_own::not_offered{};
    return static_cast<long long>(v.number);
  };
  if (!shape.is(colex::kind::tuple)) return {{{number(shape), number(stride)}}, true};
  flat_layout a;
  for (std::size_t k = 0; k < shape.items.size(); ++k) a.modes.push_back({number(shape.items[k]), number(stride.items[k])});
  return a;
}
colex::value write_layout(flat_layout const& a) {
  std::vector<colex::value> shape, stride;
  for (mode const& m : a.modes) {
    shape.emplace_back(colex::integer(m.extent));
    stride.emplace_back(colex::integer(m.stride));
  }
  return a.one ? colex::layout_of(shape[0], stride[0]) : colex::layout_of(colex::tuple_of(shape), colex::tuple_of(stride));
}

// What a long long cannot hold is not offered.
long long held(__int128 n) {
  return n == static_cast<long long>(n) ? static_cast<long long>(n) : throw colex_own::not_offered{};
}

std::size_t rank(flat_layout const& a) { return a.modes.size(); }
long long size(flat_layout const& a) {
  long long n = 1;
  for (mode const& m : a.modes) n = held(__int128{n} * m.extent);
  return n;
}
long long apply(flat_layout const& a, long long i) {
  __int128 at = 0;
  for (mode const& m : a.modes) {
    bool const last = &m == &a.modes.back();
    at += __int128{last ? i : i % m.extent} * m.stride;
    i /= m.extent;
  }
  return held(at);
}
flat_layout coalesce(flat_layout const& a) {
  layout out;
  for (mode const& m : a.modes) {
    if (m.extent == 1) continue;
    if (!out.empty() && __int128{out.back().extent} * out.back().stride == m.stride)
      out.back().extent *= m.extent;
    else
      out.push_back(m);
  }
  if (out.empty()) out.push_back({1, 0});
  return {out, out.size() == 1};
}

// Keeps its hands off what it cannot do right; another one does not.
struct hasty_layout : flat_layout {};
hasty_layout read_layout(colex::value const& shape, colex::value const& stride, colex_own::type<hasty_layout>) {
  return {read_layout(shape, stride, colex_own::type<flat_layout>{})};
}
hasty_layout coalesce(hasty_layout const& a) {  // forgets the stride
  return {{{{size(a), a.modes[0].stride}}, true}};
}

}  // namespace mine

// Has no operation that is found: each is elsewhere.
namespace lonely {

struct layout {
  colex::value is;
};
layout read_layout(colex::value const& shape, colex::value const& stride, colex_own::type<layout>) {
  return {colex::layout_of(shape, stride)};
}
colex::value write_layout(layout const& a) { return a.is; }

}  // namespace lonely

TEST(flat_layout, keeps_the_laws) {
  colex::judgement const j = colex::judge_laws<mine::flat_layout>();
  EXPECT_TRUE(j.broken.empty()) << j.broken;
  EXPECT_GE(j.laws, 4u);
  EXPECT_GT(j.inputs, 1000u);
}

TEST(hasty_layout, is_found_out) {
  EXPECT_NE(colex::judge_laws<mine::hasty_layout>(50).broken.find("coalesce_"), std::string::npos);
}

TEST(lonely_layout, does_not_pass) {
  colex::judgement const j = colex::judge_laws<lonely::layout>(50);
  EXPECT_EQ(j.broken.find("nothing was judged"), 0u) << j.broken;
  EXPECT_EQ(j.laws, 0u);
}
