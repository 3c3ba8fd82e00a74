// What the files of operations do with arguments. No operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/wire/convert.hpp"

#include <optional>
#include <span>

namespace colex::gpu {

using arguments = std::span<value const>;

using answering = value (*)(arguments);
// What answers an operation on linear maps (respond_f2.cpp), on tensors, atoms and tilings (respond_tilings.cpp).
answering answering_f2(std::size_t place);
answering answering_tiling(std::size_t place);

// What an operation on layouts makes of the linear maps of its arguments, if one of these is a view or behind a swizzle and all
// are linear; and a map as a layout where one has its values, or one behind a swizzle.
std::optional<f2_map> through_f2(std::string_view operation, arguments a);
value spelled(f2_map const& f);

// What a function of layouts does not take. (Linear maps may: through_f2.)
inline value const& uncomposed(value const& v) {
  if (v.is(kind::composed) && !is_plain(v)) not_a_layout();
  return v;
}

// op on a layout, or on a composed layout or view.
template <class Op>
value on(value const& a, Op op) {
  if (!a.is(kind::composed)) return to_value(op(to_layout(a)));
  composed const c = to_composed(a);
  return is_plain(c) ? to_value(op(c.inner)) : to_value(op(c));
}

// A number of bits, as 16 or 16b.
inline int64 to_bits(value const& v) {
  return v.is(kind::number) ? to_int64(v) : to_int64(integer(v.word.substr(0, v.word.size() - 1)));
}

}  // namespace colex::gpu
