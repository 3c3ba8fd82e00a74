// Layouts made from a shape: compact in one order or another, like another layout, or the identity on coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/product.hpp"

namespace colex::ref {

// Strides w, w*s0, ... in the order of the leaves; extent 1 has stride 0. w ends behind the last.
inline layout compact(value const& shape, integer& w) {
  return with_strides(shape, [&](integer const& s) {
    point const d = s == 1 ? integer(0) : w;
    w *= s;
    return d;
  });
}
inline layout make_layout_left(value const& shape) {
  integer w = 1;
  return compact(shape, w);
}

inline value reversed(value shape) {
  for (value& s : shape.items) s = reversed(std::move(s));
  std::reverse(shape.items.begin(), shape.items.end());
  return shape;
}
inline layout reversed(layout a) {
  for (layout& m : a.modes) m = reversed(std::move(m));
  std::reverse(a.modes.begin(), a.modes.end());
  return a;
}
inline layout make_layout_right(value const& shape) { return reversed(make_layout_left(reversed(shape))); }

// The parts of a shape that an order numbers, with their numbers.
inline void collect_ordered(value const& shape, value const& order, std::vector<std::pair<integer, value>>& out) {
  if (!order.is(kind::tuple)) return void(out.emplace_back(order.number, shape));
  if (!shape.is(kind::tuple) || shape.items.size() != order.items.size()) throw undefined("the order does not fit the shape");
  for (std::size_t i = 0; i < order.items.size(); ++i) collect_ordered(shape.items[i], order.items[i], out);
}
// An answer with a longer stride could not be written; many of them would take long to compute.
inline void require_short(integer const& stride) {
  static integer const beyond = mp::pow(integer(10), max_digits);
  if (stride >= beyond) throw undecided("strides of more than " + std::to_string(max_digits) + " digits");
}
// How many elements come before each number: those of the parts with smaller ones.
inline std::map<integer, integer> order_weights(std::vector<std::pair<integer, value>> const& all) {
  std::map<integer, integer> out;
  for (auto const& [number, part] : all) {
    integer const n = size(part);
    integer& elements = out.try_emplace(number, 1).first->second;
    if (n > 1 && elements > 1) throw undefined("order " + number.str() + " is given twice");
    elements *= n;
  }
  integer w = 1;
  for (auto& [number, n] : out) {
    if (n > 1) require_short(w);
    w *= std::exchange(n, w);
  }
  return out;
}
inline layout ordered(value const& shape, value const& order, std::map<integer, integer> const& weights) {
  if (order.is(kind::tuple)) {
    std::vector<layout> out;
    for (std::size_t i = 0; i < order.items.size(); ++i) out.push_back(ordered(shape.items[i], order.items[i], weights));
    return layout(std::move(out));
  }
  integer w = weights.at(order.number);
  return compact(shape, w);
}
// Compact, the part with the smallest order number fastest. Two parts of more than one element may not tie.
inline layout make_ordered_layout(value const& shape, value const& order) {
  std::vector<std::pair<integer, value>> all;
  collect_ordered(shape, order, all);
  return ordered(shape, order, order_weights(all));
}

// Compact in the order of A's strides; what A broadcasts stays broadcast.
inline layout make_layout_like(layout const& a) {
  need_natural_strides(a, "make_layout_like");
  layout const order = make_ordered_layout(shape(filter_zeros(a)), stride(a));
  auto restore = [](auto& self, layout const& wide, layout const& narrow) -> layout {
    if (wide.is_leaf) return {wide.extent, narrow.stride};
    std::vector<layout> out;
    for (std::size_t i = 0; i < wide.modes.size(); ++i) out.push_back(self(self, wide.modes[i], narrow.modes[i]));
    return layout(std::move(out));
  };
  return restore(restore, a, order);
}

// Registers for a tile like A: mode 0 (the values of one instruction) compact first, the rest behind it in A's order.
inline layout make_fragment_like(layout const& a) {
  need_natural_strides(a, "make_fragment_like");
  if (rank(a) < 2) return make_layout_left(shape(a));
  layout const rest = take(a, 1, rank(a));
  layout first = a.modes[0];
  integer w = 1;
  first = replace_leaves(first, [&](layout const& leaf) -> layout {
    bool const moves = leaf.stride != point() && leaf.extent > 1;
    layout const out{leaf.extent, moves ? w : integer(0)};
    if (moves) w *= leaf.extent;
    return out;
  });
  return unpack_from(layout({first, logical_product(first, make_ordered_layout(shape(rest), stride(rest))).modes[1]}), 1);
}

// The identity on coordinates: basis stride 1@i in mode i, nested likewise. An integer shape counts.
inline layout make_identity_layout(value const& shape, std::vector<int> path = {}) {
  if (!shape.is(kind::tuple)) return {shape.number, point(value(1, path))};
  std::vector<layout> out;
  for (std::size_t i = 0; i < shape.items.size(); ++i) {
    path.push_back(static_cast<int>(i));
    out.push_back(make_identity_layout(shape.items[i], path));
    path.pop_back();
  }
  return layout(std::move(out));
}

}  // namespace colex::ref
