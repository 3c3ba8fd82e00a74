// MMA atoms of one thread (fused multiply-add, dot products) and of the quad pairs of Volta.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/algebra/make.hpp"
#include "ref/atoms/mma_fragment.hpp"

namespace colex::ref {

// One thread holds everything, in order.
inline layout one_thread(integer const& values) { return layout({layout(), make_layout_left(value(values))}); }
inline mma_atom thread_atom(std::array<int, 3> const& mnk) {
  auto const [m, n, k] = mnk;
  return {shape_value(mnk), layout(), one_thread(m * k), one_thread(n * k), one_thread(m * n), {}, {}, {}};
}
inline mma_atom universal_fma(atom_name const& n) {
  if (n.words.size() > 1 || n.arguments.size() > 4) n.wrong("UniversalFMA takes up to four types");
  for (std::string const& type : n.arguments) bits_of(type);
  return thread_atom({1, 1, 1});
}
// SM61_DP4A: four products of bytes, SM61_DP2A: two.
inline mma_atom dot_product(atom_name const& n) {
  for (int k : {2, 4})
    if (n.text == "SM61_DP" + std::to_string(k) + "A") return thread_atom({1, 1, k});
  n.wrong("SM61 has DP2A and DP4A");
}
// SM100_2x1x1_F32F32F32F32: two multiply-adds in one instruction.
inline mma_atom packed_fma(atom_name const& n) {
  std::array<int, 3> const mnk = shape_in(n, n.word(1));
  if (mnk[0] * mnk[1] != 2 || mnk[2] != 1) n.wrong("packed multiply-adds are 2x1x1 and 1x2x1");
  if (n.text != n.words[0] + "_" + n.words[1] + "_F32F32F32F32") n.wrong("packed multiply-adds are of F32F32F32F32");
  return thread_atom(mnk);
}

// Eight threads, two quads 16 lanes apart, multiply 8x8x4 (PTX ISA, Matrix Fragments for mma.m8n8k4).
inline layout quad_pair_operand(bool row_major) {
  return row_major ? layout({{8, 1}, {4, 8}}) : layout({layout({{4, 8}, {2, 4}}), {4, 1}});
}
inline layout quad_pair_accumulator(bool wide) {
  if (!wide) return layout({{8, 1}, {8, 8}});
  return layout({layout({{2, 1}, {2, 16}, {2, 4}}), layout({{2, 8}, {2, 2}, {2, 32}})});
}
inline mma_atom quad_pair(atom_name const& n) {
  if (n.word(1) != "8x8x4") n.wrong("the shape on SM70 is 8x8x4");
  if (elements_in(n, n.word(2), true).kind != "F16") n.wrong("SM70 multiplies F16");
  std::string const major = n.word(3);
  if (n.words.size() != 4 || !n.arguments.empty() || major.size() != 2 || major.find_first_not_of("TN") != major.npos)
    n.wrong("TN, NT, NN or TT ends a name of SM70");
  return {shape_value({8, 8, 4}),
          layout({{4, 1}, {2, 16}}),
          quad_pair_operand(major[0] == 'T'),
          quad_pair_operand(major[1] == 'N'),
          quad_pair_accumulator(n.word(2).starts_with("F32")),
          {},
          {},
          {}};
}

}  // namespace colex::ref
