// Plans of warpgroups by the call that makes them, whether the table has them or not: from a name, which says the call, to the
// plan and to the call as C++; and the calls for a product. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/warpgroup.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace colex::gpu {

// The arguments of a call of warpgroup_plan.
struct warpgroup_call {
  element a, b;
  int64 m, n;
  int stages;
  warpgroup_options with = {};

  constexpr plan make() const { return warpgroup_plan(a, b, m, n, stages, with); }
  // The call as C++.
  std::string text() const {
    auto const type = [](element e) { return "element::" + std::string(name_of(e)); };
    auto const along = [](major x) { return x == major::k ? "major::k" : "major::mn"; };
    auto const number = [](auto x) { return std::to_string(x); };
    return "warpgroup_plan(" + type(a) + ", " + type(b) + ", " + number(m) + ", " + number(n) + ", " + number(stages) +
           ", {.a = " + along(with.a) + ", .b = " + along(with.b) + ", .cluster_m = " + number(with.cluster_m) +
           ", .cluster_n = " + number(with.cluster_n) + ", .pingpong_groups = " + number(with.pingpong_groups) +
           ", .two_level_accumulation = " + (with.two_level_accumulation ? "true" : "false") + "})";
  }
};

// wgmma multiplies these types, and the kernel has a mainloop for the plan: integers have one level of sums, and A comes from
// registers in one level, one atom of each warpgroup. There are three consumer warpgroups at most.
constexpr bool warpgroup_plan_instructions(plan const& p) {
  bool const alike = is_half(p.a) || p.a == element::tf32 || p.a == element::s8;
  bool const types = p.a == p.b ? alike || is_fp8(p.a) : is_fp8(p.a) && is_fp8(p.b);
  bool const levels = !p.two_level_accumulation || (!is_integer(p.a) && !a_from_registers(p));
  bool const one_atom = p.tile_m == size(p.mma.thr_layout_vmnk) / 2;
  bool const from_registers = !a_from_registers(p) || one_atom;
  int const consumers = p.threads / 128 - 1;
  return types && levels && from_registers && consumers >= 1 && consumers <= 3 &&
         p.registers <= consumer_registers(consumers, transposes_b(p));
}

// The call whose plan has this name. undefined: there is none. The plan need not be lawful.
constexpr warpgroup_call warpgroup_call_named(std::string_view name) {
  name_reader r{name};
  auto const type = [&] {
    for (element e : {element::bf16, element::f16, element::tf32, element::e4m3, element::e5m2, element::s8})
      if (r.take(name_of(e))) return r.expect("_"), e;
    not_an_element_type();
  };
  auto const at_most = [&](int most) {
    int64 const n = r.number();
    if (n > most) not_an_atom_name();
    return static_cast<int>(n);
  };
  warpgroup_call c{};
  r.expect("sm90_");
  c.a = c.b = type();
  if (r.rest.starts_with("e")) c.b = type();
  c.with.two_level_accumulation = r.take("two_level_");
  c.with.a = r.either("k", "m") ? major::k : major::mn;
  c.with.b = r.either("k", "n") ? major::k : major::mn;
  r.expect("_");
  c.m = at_most(256), r.expect("x");
  c.n = at_most(256), r.expect("x");
  if (r.number() != row_elements(c.a)) not_an_atom_name();
  r.expect("_s");
  c.stages = at_most(64);
  if (r.take("_pingpong")) c.with.pingpong_groups = 2;
  if (r.take("_")) c.with.cluster_m = at_most(8), r.expect("x"), c.with.cluster_n = at_most(8);
  r.end();
  return c;
}
inline bool names_warpgroup_call(std::string_view name) {
  try {
    return warpgroup_call_named(name), true;
  } catch (error const&) {
    return false;
  }
}

// The call with as many stages as fit, two or more. None: there is no such plan.
inline std::optional<warpgroup_call> with_most_stages(warpgroup_call c) {
  c.stages = 2;
  try {
    plan const p = c.make();
    int64 const stage = bytes(c.a, row_elements(c.a) * (c.m + c.n)) + 16,
                may_go = consumer_warps(p) * (p.warpgroup.epilogue_bytes - largest_piece_bytes(p)),
                left = shared_limit(90) - p.shared + may_go;
    c.stages += static_cast<int>(left / stage);
    return left >= 0 ? std::optional(c) : std::nullopt;
  } catch (error const&) {
    return std::nullopt;
  }
}
// The calls whose plans may obey the laws, of operands of these types whose rows lie so.
inline std::vector<warpgroup_call> warpgroup_calls_for(element a, element b, major of_a, major of_b) {
  std::vector<warpgroup_call> r;
  for (bool two_level : {false, true})
    for (int64 m = 64; m <= 256; m += 64)
      for (int64 n = 16; n <= 256; n += 16)
        for (auto const& [cluster_m, cluster_n] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}})
          for (int groups : {1, 2}) {
            warpgroup_options const with{of_a, of_b, cluster_m, cluster_n, groups, two_level};
            if (auto const call = with_most_stages({a, b, m, n, 2, with})) r.push_back(*call);
          }
  return r;
}

}  // namespace colex::gpu
