// The names of atoms taken apart: NAME_OF_PARTS<arguments>,bits, the elements they speak of, and how wide those are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/layout.hpp"
#include "spec/operations.hpp"

#include <array>

namespace colex::ref {

// SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS<K,K>: the words between `_`, the arguments.
struct atom_name {
  std::string text;
  std::vector<std::string> words, arguments;

  [[noreturn]] void wrong(std::string const& why) const { throw wrong_value(word_of(text), clipped(text, 60) + ": " + why); }
  // The word, or "" behind the last.
  std::string word(std::size_t i) const { return i < words.size() ? words[i] : ""; }
};

inline std::vector<std::string> split(std::string const& text, char by) {
  std::vector<std::string> out(1);
  for (char c : text)
    if (c == by)
      out.emplace_back();
    else
      out.back() += c;
  return out;
}
inline atom_name parse_atom_name(std::string const& text) {
  atom_name n{text, {}, {}};
  std::size_t const open = std::min(text.find('<'), text.size());
  if (open < text.size() && text.back() != '>') n.wrong("'<' is never closed");
  if (open < text.size()) n.arguments = split(text.substr(open + 1, text.size() - open - 2), ',');
  n.words = split(text.substr(0, open), '_');
  return n;
}

// A positive number of up to nine digits without a leading zero, or -1.
inline int natural_in(std::string const& digits) {
  if (digits.empty() || digits.size() > 9 || digits[0] == '0' || digits.find_first_not_of("0123456789") != digits.npos)
    return -1;
  return std::stoi(digits);
}
// 16x8x32.
inline std::array<int, 3> shape_in(atom_name const& n, std::string const& word) {
  std::vector<std::string> const parts = split(word, 'x');
  if (parts.size() != 3 || std::any_of(parts.begin(), parts.end(), [](auto const& p) { return natural_in(p) < 0; }))
    n.wrong("'" + word + "' is not a shape MxNxK");
  return {natural_in(parts[0]), natural_in(parts[1]), natural_in(parts[2])};
}
inline value shape_value(std::array<int, 3> const& mnk) { return tuple_of({mnk[0], mnk[1], mnk[2]}); }

// An element as the names of instructions spell it; `kind` is shared by those that one instruction may multiply.
struct element {
  std::string name;
  int bits;
  std::string kind, accumulators;
};
inline element const elements[] = {
    {"F16", 16, "F16", "F16 F32"}, {"BF16", 16, "BF16", "F32"},      {"TF32", 32, "TF32", "F32"},
    {"F64", 64, "F64", "F64"},     {"C64", 128, "F64", "C64 GC64"},  {"S8", 8, "int8", "S32"},
    {"U8", 8, "int8", "S32"},      {"S4", 4, "int4", "S32"},         {"U4", 4, "int4", "S32"},
    {"U1", 1, "int1", "S32"},      {"E4M3", 8, "float8", "F16 F32"}, {"E5M2", 8, "float8", "F16 F32"}};

inline bool holds_word(std::string const& list, std::string const& word) {
  std::vector<std::string> const all = split(list, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}
// What A and B hold in a word like F32BF16BF16F32 (D A B C) or F32BF16BF16 (D A B).
inline element elements_in(atom_name const& n, std::string const& word, bool with_c) {
  for (element const& a : elements)
    for (element const& b : elements)
      for (std::string const& d : split(a.accumulators, ' '))
        if (word == d + a.name + b.name + (with_c ? d : "") && a.kind == b.kind && (a.bits <= 8 || a.name == b.name)) return a;
  n.wrong("'" + word + "' are no elements " + (with_c ? "D A B C" : "D A B") + " of an instruction");
}

// The width of a type of CuTe, in bits. Malformed: no type. Source: numeric/numeric_types.hpp, integer_subbyte.h.
inline integer bits_of(std::string const& type) {
  static std::pair<char const*, int> const table[] = {{"double", 64},      {"float", 32},        {"tfloat32_t", 32},
                                                      {"half_t", 16},      {"bfloat16_t", 16},   {"float_e4m3_t", 8},
                                                      {"float_e5m2_t", 8}, {"float_e3m2_t", 6},  {"float_e2m3_t", 6},
                                                      {"float_e2m1_t", 4}, {"float_ue8m0_t", 8}, {"float_ue4m3_t", 8}};
  for (auto const& [name, bits] : table)
    if (type == name) return bits;
  for (int bits : {1, 2, 4, 6, 8, 16, 32, 64, 128, 256})
    for (char const* end : {"_t", "b_t"})  // int4_t is CUTLASS's int4b_t
      if (std::string const n = "int" + std::to_string(bits) + end;
          (bits < 8 || end[0] == '_') && (type == "u" + n || (bits < 128 && bits > 1 && type == n)))
        return bits;
  std::string all;
  for (auto const& [name, bits] : table) all += name + std::string(", ");
  throw malformed(0, "'" + type + "' is not a type: " + all + "intN_t and uintN_t are");
}

}  // namespace colex::ref
