// What the formulas of MMA and copy atoms share: element types, reading a name, layouts of threads and values. No instruction.
// Names are read on the host and in constant evaluation; formulas run anywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/layout.hpp"

#include <string_view>

namespace colex::gpu {

// An element type: its name within an instruction's (none for what no MMA takes), its name in C++, its width in memory.
struct element_type {
  enum kind { real, integer, scale };
  std::string_view code, name;
  int bits;
  kind holds;
};

inline constexpr element_type element_types[] = {
    {"GC64", "complex<double>", 128, element_type::real},  // C64 with Gaussian multiplication
    {"C64", "complex<double>", 128, element_type::real},
    {"F64", "double", 64, element_type::real},
    {"F32", "float", 32, element_type::real},
    {"F16", "half_t", 16, element_type::real},
    {"TF32", "tfloat32_t", 32, element_type::real},
    {"BF16", "bfloat16_t", 16, element_type::real},
    {"E5M2", "float_e5m2_t", 8, element_type::real},
    {"E4M3", "float_e4m3_t", 8, element_type::real},
    {"", "float_e3m2_t", 6, element_type::real},
    {"", "float_e2m3_t", 6, element_type::real},
    {"", "float_e2m1_t", 4, element_type::real},
    {"", "float_ue8m0_t", 8, element_type::scale},
    {"", "float_ue4m3_t", 8, element_type::scale},
    {"S32", "int32_t", 32, element_type::integer},
    {"S8", "int8_t", 8, element_type::integer},
    {"U8", "uint8_t", 8, element_type::integer},
    {"S4", "int4b_t", 4, element_type::integer},
    {"U4", "uint4b_t", 4, element_type::integer},
    {"U1", "uint1b_t", 1, element_type::integer},
    {"", "int16_t", 16, element_type::integer},
    {"", "int64_t", 64, element_type::integer},
    {"", "uint16_t", 16, element_type::integer},
    {"", "uint32_t", 32, element_type::integer},
    {"", "uint64_t", 64, element_type::integer},
    {"", "uint128_t", 128, element_type::integer},
    {"", "uint256_t", 256, element_type::integer},
    {"", "uint1_t", 1, element_type::integer},
    {"", "int2_t", 2, element_type::integer},
    {"", "int2b_t", 2, element_type::integer},
    {"", "uint2_t", 2, element_type::integer},
    {"", "uint2b_t", 2, element_type::integer},
    {"", "int4_t", 4, element_type::integer},
    {"", "uint4_t", 4, element_type::integer},
    {"", "int6_t", 6, element_type::integer},
    {"", "int6b_t", 6, element_type::integer},
    {"", "uint6_t", 6, element_type::integer},
    {"", "uint6b_t", 6, element_type::integer},
};

// The type of this C++ name. undefined: there is none.
constexpr element_type named_type(std::string_view name) {
  for (element_type const& t : element_types)
    if (t.name == name) return t;
  not_an_element_type();
}

// The width of an element type in memory, by its C++ name as CuTe has it (half_t, float_e4m3_t). undefined: no such type.
constexpr int bits_of(std::string_view type) { return named_type(type).bits; }

// Reads the name of an atom from the left. undefined: the name does not go on as it must.
struct name_reader {
  std::string_view rest;

  constexpr bool take(std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  }
  constexpr void expect(std::string_view word) {
    if (!take(word)) not_an_atom_name();
  }
  // Is it the first of two that may stand here?
  constexpr bool either(std::string_view first, std::string_view second) { return take(first) || (expect(second), false); }
  constexpr int64 number() {
    std::size_t const end = rest.find_first_not_of("0123456789"), n = end < rest.size() ? end : rest.size();
    if (n == 0 || n > 9 || rest[0] == '0') not_an_atom_name();
    int64 value = 0;
    for (char c : rest.substr(0, n)) value = 10 * value + (c - '0');
    rest.remove_prefix(n);
    return value;
  }
  // M x N x K as `16x8x32`.
  constexpr int_tuple shape() {
    int64 const m = number();
    expect("x");
    int64 const n = number();
    expect("x");
    return {m, n, number()};
  }
  constexpr element_type code() {
    for (element_type const& t : element_types)
      if (!t.code.empty() && take(t.code)) return t;
    not_an_element_type();
  }
  // A template argument and the comma or bracket behind it.
  constexpr element_type type_argument() {
    std::string_view const word = rest.substr(0, rest.find_first_of(",>"));
    rest.remove_prefix(word.size());
    either(",", ">");
    return named_type(word);
  }
  constexpr int64 number_argument() {
    int64 const n = number();
    either(",", ">");
    return n;
  }
  constexpr void end() const {
    if (!rest.empty()) not_an_atom_name();
  }
};

struct extent {
  int64 shape, stride;
};

// The extents of `least` elements and more as one mode: an integer where one is left, 1:0 where none is.
COLEX_HD constexpr layout modes(std::initializer_list<extent> all, int64 least = 2) {
  int kept = 0;
  for (extent const& e : all) kept += e.shape >= least;
  if (kept == 0) return make_layout(1, 0);
  layout r;
  layout_writer w(r);
  if (kept > 1) w.open();
  for (extent const& e : all)
    if (e.shape >= least) w.put(e.shape, e.stride);
  if (kept > 1) w.close();
  return r;
}

// `threads` threads, each with n values: the same ones, or `stride` further on for each thread.
COLEX_HD constexpr layout values_of(int64 threads, int64 n, int64 stride = 0) {
  return make_layout({threads, n}, {threads > 1 ? stride : 0, n > 1 ? 1 : 0});
}

}  // namespace colex::gpu
