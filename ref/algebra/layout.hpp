// A layout by definition: a leaf shape:stride, or a list of layouts. Its size, its extent, its leaves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/notation/lines.hpp"
#include "spec/notation/meaning.hpp"

#include <optional>

namespace colex::ref {

// No answer can satisfy the laws; or the sources disagree and the laws are silent.
struct undefined : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct undecided : undefined {
  explicit undecided(std::string const& why) : undefined(std::string(not_decided) + ": " + why) {}
};
struct unspecified : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct layout {
  integer extent = 1;         // of a leaf
  point stride;               // of a leaf
  std::vector<layout> modes;  // of a list
  bool is_leaf = true;

  layout() = default;
  layout(integer s, point d) : extent(std::move(s)), stride(std::move(d)) {}
  explicit layout(std::vector<layout> m) : modes(std::move(m)), is_leaf(false) {}

  // A(c), A(i), and A at a value of another layout (coordinate.hpp).
  point operator()(value const& c) const;
  point operator()(integer const& i) const;
  point operator()(point const& p) const;
};

// The layout of shape S whose leaf strides are d(0), d(1), ... in order.
template <class F>
layout with_strides(value const& shape, F&& next) {
  if (!shape.is(kind::tuple)) return {shape.number, next(shape.number)};
  std::vector<layout> modes;
  for (value const& s : shape.items) modes.push_back(with_strides(s, next));
  return layout(std::move(modes));
}

inline layout from_value(value const& v) {
  layout out = with_strides(v.shape(), [](integer const&) { return point(); });
  auto fill = [](auto& self, layout& l, value const& d) -> void {
    if (l.is_leaf) return void(l.stride = point(d));
    for (std::size_t i = 0; i < l.modes.size(); ++i) self(self, l.modes[i], d.items[i]);
  };
  fill(fill, out, v.stride());
  return out;
}

inline value shape(layout const& a) {
  if (a.is_leaf) return value(a.extent);
  std::vector<value> v;
  for (layout const& m : a.modes) v.push_back(shape(m));
  return tuple_of(std::move(v));
}

// A stride of the grammar: an integer or one basis stride.
inline value to_value(point const& p) {
  if (p.is_integer()) return value(p.number);
  if (p.basis.size() > 1 || p.number != 0) throw undefined("stride " + print(p) + " is not one basis stride");
  return value(p.basis.begin()->second, p.basis.begin()->first);
}
inline value stride(layout const& a) {
  if (a.is_leaf) return to_value(a.stride);
  std::vector<value> v;
  for (layout const& m : a.modes) v.push_back(stride(m));
  return tuple_of(std::move(v));
}
inline value to_value(layout const& a) { return layout_of(shape(a), stride(a)); }

inline integer size(layout const& a) {
  if (a.is_leaf) return a.extent;
  integer n = 1;
  for (layout const& m : a.modes) n *= size(m);
  return n;
}

// An integer layout is one mode, itself.
inline std::vector<layout> modes(layout const& a) { return a.is_leaf ? std::vector<layout>{a} : a.modes; }
inline std::size_t rank(layout const& a) { return a.is_leaf ? 1 : a.modes.size(); }
inline layout const& mode(layout const& a, std::size_t i) {
  if (i >= rank(a)) throw undefined("no mode " + std::to_string(i) + " in " + std::to_string(rank(a)));
  return a.is_leaf ? a : a.modes[i];
}

inline int depth(value const& shape) {
  if (!shape.is(kind::tuple)) return 0;
  int deepest = 0;
  for (value const& s : shape.items) deepest = std::max(deepest, depth(s));
  return deepest + 1;
}

inline std::vector<layout> leaves(layout const& a) {
  if (a.is_leaf) return {a};
  std::vector<layout> out;
  for (layout const& m : a.modes)
    for (layout& leaf : leaves(m)) out.push_back(std::move(leaf));
  return out;
}
inline layout flatten(layout const& a) { return a.is_leaf ? a : layout(leaves(a)); }

// A list as the algebra spells results: nothing is 1:0, one layout stands for itself.
inline layout unwrapped(std::vector<layout> m) { return m.empty() ? layout() : m.size() == 1 ? m[0] : layout(std::move(m)); }

inline bool has_basis(layout const& a) {
  for (layout const& m : leaves(a))
    if (!m.stride.is_integer()) return true;
  return false;
}
inline void need_integer_strides(layout const& a, char const* op) {
  if (has_basis(a)) throw undefined(std::string(op) + " needs integer strides");
}
inline void need_natural_strides(layout const& a, char const* op) {
  need_integer_strides(a, op);
  for (layout const& m : leaves(a))
    if (m.stride.number < 0) throw unspecified(std::string(op) + " of negative strides");
}

}  // namespace colex::ref
