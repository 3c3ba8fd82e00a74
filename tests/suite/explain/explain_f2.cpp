// The steps of operations on linear maps over F2.
// SPDX-License-Identifier: Apache-2.0
#include "ref/operations.hpp"
#include "tests/suite/explain/trail.hpp"

namespace colex {
namespace {

using ref::f2_map;

f2_map map_of(value const& v) { return ref::f2_from(v); }

// The map of the values that a layout has, before its swizzle.
void steps_of_to_f2(trail& t, arguments const& a) {
  if (a[0].is(kind::swizzle)) return;
  composed const c = ref::tensor_of(a[0]);
  composed before = c;
  before.outer.reset();
  f2_map const inner = to_f2(before, std::nullopt);
  t.add("bases", "What the layout adds for each bit of an index; no two have a bit in common, so that nothing carries.",
        to_value(inner));
  f2_map const f = to_f2(c, a.size() == 2 ? std::optional(static_cast<std::size_t>(a[1].number)) : std::nullopt);
  t.add("to_f2", c.outer ? "The swizzle takes each basis by itself." : "Their bits are those of a value.", to_value(f));
}
// What a swizzle leaves of a map where it clears the bits that bases have in common.
void steps_of_from_f2(trail& t, arguments const& a) {
  f2_map const f = map_of(a[0]);
  t.add("shared bits", "Bits that more than one basis has. A layout has none; a swizzle has to clear these.",
        value(ref::shared_bits(f.bases)));
  composed const c = ref::from_f2(f);
  if (c.outer) t.add("behind", "The least swizzle that clears them leaves this layout.", to_value(c.inner));
  t.add("from_f2", "Bases that double one another are one leaf.", c.outer ? to_value(c) : to_value(c.inner));
}
void steps_of_divide(trail& t, arguments const& a) {
  f2_map const f = map_of(a[0]), g = map_of(a[1]);
  f2_map const rest = ref::f2_complement({f.bases.size(), g.shape, g.bases}, f.bases.size());
  t.add("complement", "G* has the indices of F that tiles of G begin at.", to_value(rest));
  t.add("tile", "F o G", to_value(f2_compose(f, g)));
  t.add("rest", "F o G*", to_value(f2_compose(f, rest)));
  t.add("f2_divide", "Both, as two modes.", to_value(f2_divide(f, g)));
}
// The inverses go by the image.
template <f2_map (*Op)(f2_map const&)>
void steps_of_inverse(trail& t, arguments const& a) {
  f2_map const f = map_of(a[0]);
  t.add("image", "The values of the map, in ascending order.", to_value(f2_image(f)));
  t.add("kernel", "The indices where it is 0: what may be added to an index and changes no value.", to_value(f2_kernel(f)));
  t.add("inverse", "The least index for each value.", to_value(Op(f)));
}

constexpr named<stepping> map_steps[] = {
    {"to_f2", steps_of_to_f2},
    {"from_f2", steps_of_from_f2},
    {"f2_apply", no_steps},
    {"f2_rank", no_steps},
    {"f2_image", no_steps},
    {"f2_kernel", no_steps},
    {"f2_compose", no_steps},
    {"f2_invert", steps_of_inverse<ref::f2_invert>},
    {"f2_right_inverse", steps_of_inverse<ref::f2_right_inverse>},
    {"f2_left_inverse", steps_of_inverse<ref::f2_left_inverse>},
    {"f2_product", no_steps},
    {"f2_complement", no_steps},
    {"f2_divide", steps_of_divide},
};
constexpr auto map_steps_by_place = by_place<map_steps, group::f2, group::f2>();

}  // namespace

std::vector<step> steps_through_f2(request const& asked) {
  trail t;
  arguments args;
  for (value const& v : asked.args) args.push_back(plain(v));
  auto const map = ref::through_f2(asked.op, args);
  if (!map) return t.steps;
  for (value const& v : args)
    if (is_any_layout(v))
      t.add("to_f2", print(v) + " as a linear map over F2.", to_value(to_f2(ref::tensor_of(v), std::nullopt)));
  t.add(asked.op + " of maps", "What functions of layouts alone do not answer, linear maps do.", to_value(*map));
  if (value const form = ref::spelled(*map); !form.is(kind::f2))
    t.add("from_f2", "The layout with these values, or that behind a swizzle.", form);
  return t.steps;
}

stepping steps_on_maps(std::size_t place) { return map_steps_by_place[place]; }

}  // namespace colex
