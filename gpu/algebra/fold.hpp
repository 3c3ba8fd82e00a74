// Any contraction as one batched GEMM: the named indices of three tensors grouped into m, n, k and p. Layouts only; the loop is
// gemm's (tensor.hpp).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/edit.hpp"

#include <string_view>

namespace colex::gpu {

// Names of a tensor's indices, a letter each, at most as many as a layout has leaves.
struct index_names {
  int count = 0;
  char letter[capacity] = {};

  constexpr index_names() = default;
  constexpr index_names(std::string_view text) {
    for (char x : text) {
      if (count == capacity) more_than_32_leaves();
      letter[count++] = x;
    }
  }
  constexpr index_names(char const* text) : index_names(std::string_view(text)) {}
  constexpr bool operator==(index_names const&) const = default;

  // The place of a letter, -1 when it is not there.
  COLEX_HD constexpr int find(char x) const {
    for (int k = 0; k < count; ++k)
      if (letter[k] == x) return k;
    return -1;
  }
  COLEX_HD constexpr bool has(char x) const { return find(x) >= 0; }
};

// A layout whose mode i goes by the name names.letter[i].
struct indexed {
  index_names names;
  layout modes;

  COLEX_HD constexpr int64 extent(char x) const { return size(modes, names.find(x)); }
};

// The modes (m, k, p), (n, k, p), (m, n, p) that gemm loops over.
struct folded {
  layout a, b, c;
  constexpr bool operator==(folded const&) const = default;
};

namespace detail {

// Each mode of t has a name of its own, which another tensor has too, of the same extent.
COLEX_HD constexpr void check_names(indexed const& t, indexed const& u, indexed const& v) {
  if (t.names.count != rank(t.modes)) names_do_not_fit();
  for (int k = 0; k < t.names.count; ++k) {
    char const x = t.names.letter[k];
    if (t.names.find(x) != k) name_occurs_twice();
    if (!u.names.has(x) && !v.names.has(x)) name_in_one_tensor();
    if (u.names.has(x) && u.extent(x) != t.extent(x)) extents_differ();
    if (v.names.has(x) && v.extent(x) != t.extent(x)) extents_differ();
  }
}

// The names that stand in u or not, and in v or not, as is said.
COLEX_HD constexpr index_names chosen(index_names const& of, index_names const& u, bool in_u, index_names const& v, bool in_v) {
  index_names r;
  for (int k = 0; k < of.count; ++k)
    if (u.has(of.letter[k]) == in_u && v.has(of.letter[k]) == in_v) r.letter[r.count++] = of.letter[k];
  return r;
}
// The modes of t of these names as one mode, 1:0 when there is none.
COLEX_HD constexpr void group(layout_writer& w, indexed const& t, index_names const& names) {
  if (names.count == 0) return w.put(1, 0);
  if (names.count > 1) w.open();
  for (int k = 0; k < names.count; ++k) w.copy(t.modes, mode(t.modes.form, root(t.modes.form), t.names.find(names.letter[k])));
  if (names.count > 1) w.close();
}
COLEX_HD constexpr layout grouped(indexed const& t, index_names const& first, index_names const& second,
                                  index_names const& third) {
  layout r;
  layout_writer w(r);
  w.open();
  group(w, t, first);
  group(w, t, second);
  group(w, t, third);
  w.close();
  return r;
}

}  // namespace detail

// C(m, n, p) = sum over k of A(m, k, p) B(n, k, p) for the contraction that the names say: m stands in A and C, n in B and C, k
// in A and B, p in all three; m, n and p in C's order, k in A's. undefined: a mode without a name, a name twice in a tensor, in
// one tensor alone, or with different extents. (CuTe talk, "Tensor Contractions")
COLEX_HD constexpr folded fold(indexed const& a, indexed const& b, indexed const& c) {
  detail::check_names(a, b, c);
  detail::check_names(b, a, c);
  detail::check_names(c, a, b);
  index_names const m = detail::chosen(c.names, a.names, true, b.names, false),
                    n = detail::chosen(c.names, a.names, false, b.names, true);
  index_names const k = detail::chosen(a.names, b.names, true, c.names, false),
                    p = detail::chosen(c.names, a.names, true, b.names, true);
  return {detail::grouped(a, m, k, p), detail::grouped(b, n, k, p), detail::grouped(c, m, n, p)};
}

}  // namespace colex::gpu
