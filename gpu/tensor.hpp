// Elements behind a layout, on host and device: tensors over memory and over coordinates, slices, and the algorithms that are one
// loop over coordinates whatever the layouts are. No instruction is chosen here; an element is moved or multiplied as C++ does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/partition.hpp"

#include <limits>
#include <type_traits>

#if defined(__CUDA_ARCH__)
#define COLEX_UNROLL _Pragma("unroll")
#else
#define COLEX_UNROLL
#endif

namespace colex::gpu {

// A layout known when a kernel is compiled: a type with `static constexpr layout value` (or composed).
template <class T>
concept carrier = requires { T::value.operator==(T::value); };

namespace detail {

COLEX_HD constexpr composed behind(layout const& a) { return view(0, a); }
COLEX_HD constexpr composed behind(composed const& a) { return a; }

// Mode K at i, without checks.
template <layout L, int K, class Int>
COLEX_HD constexpr Int at_mode(Int i) {
  constexpr branch m = gpu::mode(L.form, root(L.form), K);
  return unchecked(L, m, i);
}
template <layout L, class Int, int... K>
COLEX_HD constexpr Int at_modes(std::integer_sequence<int, K...>, std::type_identity_t<decltype(K, Int{})>... i) {
  return (at_mode<L, K>(i) + ... + Int{0});
}

}  // namespace detail

}  // namespace colex::gpu
