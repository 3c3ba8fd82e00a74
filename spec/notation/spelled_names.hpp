// What names mean in the lines that people write, where other programs' differ from the grammar's: see spellings.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace colex::detail {

// How long the namespace is that a text begins with; 0: it begins with none.
inline std::size_t namespace_length(std::string_view text) {
  for (std::string_view const name : {"cute::", "cute.", "pycute.", "cutlass::", "cutlass."})
    if (text.starts_with(name)) return name.size();
  return 0;
}

// What a name with brackets behind it stands for.
enum class role { tuple, tiler, layout, swizzle, composed, integer, call };
inline constexpr std::pair<std::string_view, role> roles[] = {{"Shape", role::tuple},
                                                              {"Stride", role::tuple},
                                                              {"Step", role::tuple},
                                                              {"Coord", role::tuple},
                                                              {"tuple", role::tuple},
                                                              {"make_shape", role::tuple},
                                                              {"make_stride", role::tuple},
                                                              {"make_step", role::tuple},
                                                              {"make_coord", role::tuple},
                                                              {"make_tuple", role::tuple},
                                                              {"ArithTuple", role::tuple},
                                                              {"ArithmeticTuple", role::tuple},
                                                              {"Tile", role::tiler},
                                                              {"make_tile", role::tiler},
                                                              {"Layout", role::layout},
                                                              {"make_layout", role::layout},
                                                              {"Swizzle", role::swizzle},
                                                              {"Sw", role::swizzle},
                                                              {"S", role::swizzle},
                                                              {"Int", role::integer},
                                                              {"C", role::integer},
                                                              {"ComposedLayout", role::composed},
                                                              {"make_composed_layout", role::composed}};

inline role role_of(std::string_view name) {
  auto const* const r = std::find_if(std::begin(roles), std::end(roles), [&](auto const& x) { return x.first == name; });
  return r == std::end(roles) ? role::call : r->second;
}

// CuTe's other names of operations.
inline constexpr std::pair<std::string_view, std::string_view> other_names[] = {{"group_modes", "group"}, {"layout", "get"}};

inline std::string_view operation_called(std::string_view name) {
  auto const* const n =
      std::find_if(std::begin(other_names), std::end(other_names), [&](auto const& x) { return x.first == name; });
  return n == std::end(other_names) ? name : n->second;
}

// Of these CuTe takes a mode in angles, or a mode of a mode: `size<0,1>(A)`.
inline constexpr std::string_view asked_of_modes[] = {"rank",   "depth", "size",   "cosize",
                                                      "coshape", "shape", "stride", "get"};

inline bool is_asked_of_modes(std::string_view operation) {
  return std::find(std::begin(asked_of_modes), std::end(asked_of_modes), operation) != std::end(asked_of_modes);
}

}  // namespace colex::detail
