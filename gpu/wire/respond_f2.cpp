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
value with_form(f2_map const& f) {
  composed const c = from_f2(f);
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
    {"from_f2", [](arguments a) { return with_form(to_map(a[0])); }},
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

// ---- what layouts behind swizzles have through their maps ----

f2_map map_of(value const& v) {
  if (v.is(kind::composed)) return to_f2(to_composed(v));
  if (!v.is(kind::layout)) not_a_layout();
  return to_f2(to_layout(v));
}
f2_map least_values(arguments a) {
  f2_map const f = map_of(a[0]);
  if (a.size() == 1) return f2_complement(f);
  int64 const below = size(to_shape(a[1]));
  if ((below & (below - 1)) != 0) not_a_power_of_two();
  return f2_complement(f, detail::highest_bit(static_cast<uint64>(below)));
}
template <auto F>
f2_map closing_one(arguments a) {
  return F(map_of(a[0]));
}
template <auto F>
f2_map closing_two(arguments a) {
  return F(map_of(a[0]), map_of(a[1]));
}
constexpr named<f2_map (*)(arguments)> closing_table[] = {
    {"composition", closing_two<f2_compose>},         {"complement", least_values},
    {"right_inverse", closing_one<f2_right_inverse>}, {"left_inverse", closing_one<f2_left_inverse>},
    {"logical_divide", closing_two<f2_divide>},
};

}  // namespace

answering answering_f2(std::size_t place) { return answering_maps[place]; }

value spelled(f2_map const& f) {
  try {
    return with_form(f);
  } catch (undefined const&) {
    return to_value(f);
  }
}

std::optional<f2_map> through_f2(std::string_view operation, arguments a) {
  std::size_t const k = place_in(closing_table, operation);
  bool const composed = std::any_of(a.begin(), a.end(), [](value const& v) { return v.is(kind::composed) && !is_plain(v); });
  if (k == std::size(closing_table) || !composed) return std::nullopt;
  try {
    return closing_table[k].is(a);
  } catch (undefined const&) {
    return std::nullopt;
  }
}

}  // namespace colex::gpu
