// Which function of the algebra answers each operation on linear maps over F2.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/wire/operation.hpp"

namespace colex::gpu {
namespace {

int64 to_width(value const& v) {
  if (need("integer", v).number < 0 || v.number > max_bits) wrong(v, "a number of bits from 0 to " + std::to_string(max_bits));
  return to_int64(v);
}

value of_any(arguments a) {
  if (a[0].is(kind::swizzle)) return to_value(to_f2(to_swizzle(a[0]), to_width(a[1])));
  auto const of = [&](auto const& l) { return to_value(a.size() == 1 ? to_f2(l) : to_f2(l, to_width(a[1]))); };
  return a[0].is(kind::composed) ? of(to_composed(a[0])) : of(to_layout(a[0]));
}
value back(arguments a) {
  composed const c = from_f2(to_map(a[0]));
  return is_plain(c) ? to_value(c.inner) : to_value(c);
}
value f2_complement_of(arguments a) {
  f2_map const f = to_map(a[0]);
  return to_value(a.size() == 1 ? f2_complement(f) : f2_complement(f, to_width(a[1])));
}
template <auto F>
value of_map(arguments a) {
  return to_value(F(to_map(a[0])));
}
template <auto F>
value of_maps(arguments a) {
  return to_value(F(to_map(a[0]), to_map(a[1])));
}

constexpr named<answering> map_table[] = {
    {"to_f2", of_any},
    {"from_f2", back},
    {"f2_apply", [](arguments a) { return to_value(f2_apply(to_map(a[0]), to_tuple(a[1]))); }},
    {"f2_rank", of_map<f2_rank>},
    {"f2_image", of_map<f2_image>},
    {"f2_kernel", of_map<f2_kernel>},
    {"f2_compose", of_maps<f2_compose>},
    {"f2_invert", of_map<f2_invert>},
    {"f2_right_inverse", of_map<f2_right_inverse>},
    {"f2_left_inverse", of_map<f2_left_inverse>},
    {"f2_product", of_maps<f2_product>},
    {"f2_complement", f2_complement_of},
    {"f2_divide", of_maps<f2_divide>},
};
constexpr auto answering_maps = by_place<map_table, group::f2, group::f2>();

}  // namespace

answering answering_f2(std::size_t place) { return answering_maps[place]; }

}  // namespace colex::gpu
