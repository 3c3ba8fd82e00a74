// What answers each operation on linear maps over F2.
// SPDX-License-Identifier: Apache-2.0
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
    {"from_f2", [](arguments const& a) { return layout_of_map(F(a[0])); }},
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

// ---- what layouts behind swizzles have through their maps ----

// An empty tuple of its shape is a mode of one element, as a map is read.
f2_map map_of(value const& v) {
  if (!is_any_layout(v)) throw undefined(print(v) + " is no layout");
  return f2_from(to_value(to_f2(tensor_of(v), std::nullopt)));
}
f2_map complement_of_map(arguments const& a) {
  f2_map const f = map_of(a[0]);
  if (a.size() == 1) return f2_complement(f, f.width);
  integer const below = a[1].is(kind::number) ? N(a[1]) : size(S(a[1]));
  return f2_complement(f, bounded(static_cast<std::size_t>(exact_log2(below))));
}
template <f2_map (*Op)(f2_map const&)>
f2_map closing_one(arguments const& a) {
  return Op(map_of(a[0]));
}
template <f2_map (*Op)(f2_map const&, f2_map const&)>
f2_map closing_two(arguments const& a) {
  return Op(map_of(a[0]), map_of(a[1]));
}
constexpr named<f2_map (*)(arguments const&)> closings[] = {
    {"composition", closing_two<f2_compose>},         {"complement", complement_of_map},
    {"right_inverse", closing_one<f2_right_inverse>}, {"left_inverse", closing_one<f2_left_inverse>},
    {"logical_divide", closing_two<f2_divide>},
};

}  // namespace

answering answering_f2(std::size_t place) { return answering_maps[place]; }

std::optional<f2_map> through_f2(std::string_view operation, arguments const& a) {
  std::size_t const k = place_in(closings, operation);
  bool const composed = std::any_of(a.begin(), a.end(), [](value const& v) { return v.is(kind::composed); });
  if (k == std::size(closings) || !composed) return std::nullopt;
  try {
    return closings[k].is(a);
  } catch (undefined const&) {
    return std::nullopt;
  }
}

}  // namespace colex::ref
