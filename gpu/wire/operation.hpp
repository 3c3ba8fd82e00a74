// An operation as the wire names it, and what both tables of operations do with arguments. No operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/wire/convert.hpp"

#include <span>

namespace colex::gpu {

using arguments = std::span<value const>;

struct operation {
  std::string_view name;
  std::size_t least, most;  // arguments
  value (*answer)(arguments);
};

// Atoms, tilings of them, and partitions of tensors (respond_tilings.cpp).
std::span<operation const> tiling_operations();

// op on a layout, or on a composed layout or view.
template <class Op>
value on(value const& a, Op op) {
  if (!a.is(kind::composed)) return to_value(op(to_layout(a)));
  composed const c = to_composed(a);
  return is_plain(c) ? to_value(op(c.inner)) : to_value(op(c));
}

// A number of bits, as 16 or 16b.
inline int64 to_bits(value const& v) {
  if (v.is(kind::number)) return to_int64(v);
  bool const suffixed = v.is(kind::word) && v.word.back() == 'b';  // of no digits: 0, which is no width
  if (!suffixed || v.word.find_first_not_of("0123456789") != v.word.size() - 1) wrong_kind(v, "a width in bits");
  return to_int64(integer(v.word.substr(0, v.word.size() - 1)));
}

}  // namespace colex::gpu
