// What answers each operation on linear maps over F2.
// SPDX-License-Identifier: Apache-2.0
#include "ref/algebra/f2_layout.hpp"
#include "ref/operations.hpp"

namespace colex::ref {
namespace {

f2_map F(value const& v) { return f2_from(need("map", v)); }
std::size_t width_of(value const& v) {
  if (N(v) < 0 || v.number > max_bits) wrong(v, "a number of bits from 0 to " + std::to_string(max_bits));
  return static_cast<std::size_t>(v.number);
}

value run_to_f2(arguments const& a) {
  if (a[0].is(kind::swizzle)) return to_value(to_f2(swizzle_from(a[0]), width_of(a[1])));
  return to_value(to_f2(tensor_of(a[0]), a.size() == 2 ? std::optional(width_of(a[1])) : std::nullopt));
}
value run_from_f2(arguments const& a) {
  composed const c = from_f2(F(a[0]));
  return c.outer ? to_value(c) : to_value(c.inner);
}
value run_f2_apply(arguments const& a) {
  f2_map const f = F(a[0]);
  return value(f(f2_index(T(a[1]), f.shape)));
}
value run_f2_complement(arguments const& a) {
  f2_map const f = F(a[0]);
  return to_value(f2_complement(f, a.size() == 2 ? width_of(a[1]) : f.width));
}
template <f2_map (*Op)(f2_map const&)>
value of_map(arguments const& a) {
  return to_value(Op(F(a[0])));
}
template <f2_map (*Op)(f2_map const&, f2_map const&)>
value of_maps(arguments const& a) {
  return to_value(Op(F(a[0]), F(a[1])));
}

constexpr named<answering> maps[] = {
    {"to_f2", run_to_f2},
    {"from_f2", run_from_f2},
    {"f2_apply", run_f2_apply},
    {"f2_rank", [](arguments const& a) { return number(f2_rank(F(a[0]))); }},
    {"f2_image", of_map<f2_image>},
    {"f2_kernel", of_map<f2_kernel>},
    {"f2_compose", of_maps<f2_compose>},
    {"f2_invert", of_map<f2_invert>},
    {"f2_right_inverse", of_map<f2_right_inverse>},
    {"f2_left_inverse", of_map<f2_left_inverse>},
    {"f2_product", of_maps<f2_product>},
    {"f2_complement", run_f2_complement},
    {"f2_divide", of_maps<f2_divide>},
};
constexpr auto answering_maps = by_place<maps, group::f2, group::f2>();

}  // namespace

answering answering_f2(std::size_t place) { return answering_maps[place]; }

}  // namespace colex::ref
