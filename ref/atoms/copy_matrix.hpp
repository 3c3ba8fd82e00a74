// Copies of 8x8 matrices between a warp's registers and shared memory (ldmatrix, stmatrix), and within the registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/copy_thread.hpp"

namespace colex::ref {

// `matrices` of eight rows of 128 bits, one lane naming each row; the other lanes repeat them.
inline layout row_addresses(int matrices) {
  if (matrices == 4) return layout({{32, 128}, {128, 1}});
  return layout({layout({{8 * matrices, 128}, {4 / matrices, 0}}), layout(128, 1)});
}
// Matrix by matrix, 32 bits a lane: a row lies in four lanes.
inline layout rows_in_lanes(int matrices) {
  return layout({layout(32, 32), unwrapped(without_ones({{32, 1}, {matrices, 1024}}))});
}
// Transposed, a column lies in four lanes: lane 4g + t has its elements 2t, 2t + 1. Bytes: of columns g and g + 8.
inline layout columns_in_lanes(int matrices, int bits) {
  std::vector<layout> values{{bits, 1}, {2, 128}};
  if (bits == 8) values.emplace_back(2, 64);
  if (matrices > 1) values.emplace_back(matrices, 1024);
  return layout({layout({{4, 256}, {8, bits}}), layout(std::move(values))});
}
// Transposing matrices of 16 rows of bytes: lanes name the rows in the order in which lanes hold pairs of them.
inline layout wide_row_addresses(int matrices) {
  return layout({layout({{2, 128}, {2, 1024}, {4, 256}, {2, matrices == 4 ? 2048 : 0}}), layout(128, 1)});
}

inline copy_atom warp_load(layout const& memory, layout const& registers) {
  return {layout(32, 1), memory, registers, registers};
}
inline copy_atom warp_store(layout const& memory, layout const& registers) {
  return {layout(32, 1), registers, memory, registers};
}

// U32x4, U16x8, U8x16: of what width and how many elements a lane holds; a register for each matrix.
inline int matrices_in(atom_name const& n, std::string const& width) {
  for (int matrices : {1, 2, 4})
    if (n.word(1) == "U" + width + "x" + std::to_string(matrices * (32 / natural_in(width)))) return matrices;
  n.wrong("'" + n.word(1) + "' are not one, two or four registers of U" + width);
}
inline bool ends_as(atom_name const& n, char const* op, char const* way) {
  return n.words.size() == 4 && n.word(2) == op && n.word(3) == way;
}

// The destination of movmatrix lies by rows, its source by columns (PTX ISA, movmatrix).
inline copy_atom transpose_in_registers() {
  return {layout(32, 1), columns_in_lanes(1, 16), rows_in_lanes(1), rows_in_lanes(1)};
}

// SM75_U32x4_LDSM_N, SM90_U16x8_STSM_T and the like, SM100 for bytes, SM75_U32x1_MOVM_T.
inline copy_atom matrix_copy(atom_name const& n) {
  std::string const arch = n.words[0], op = n.word(2);
  if (n.text == "SM75_U32x1_MOVM_T") return transpose_in_registers();
  bool const load = op == "LDSM", bytes = arch == "SM100", plain = ends_as(n, op.c_str(), "N") && !bytes;
  if (!plain && !ends_as(n, op.c_str(), "T")) n.wrong(bytes ? "T belongs at the end" : "N or T belongs at the end");
  if (bytes ? !load && op != "STSM" : op != (arch == "SM75" ? "LDSM" : "STSM"))
    n.wrong("'" + op + "' is no copy of matrices of " + arch);
  int const bits = plain ? 32 : bytes ? 8 : 16, matrices = matrices_in(n, std::to_string(bits));
  if (bytes && load && matrices == 1) n.wrong("a transposing ldmatrix of bytes fills two registers or four");
  layout const memory = bytes && load ? wide_row_addresses(matrices) : row_addresses(matrices);
  layout const registers = plain ? rows_in_lanes(matrices) : columns_in_lanes(matrices, bits);
  return load ? warp_load(memory, registers) : warp_store(memory, registers);
}
// SM100_SU4_DU8x16_x2_LDSM_N: elements of 4 or 6 bits that become bytes on the way; counted at the destination.
inline copy_atom widening_copy(atom_name const& n) {
  for (int matrices : {1, 2, 4})
    for (char const* from : {"SU4", "SU6"})
      if (n.text == std::string("SM100_") + from + "_DU8x16_x" + std::to_string(matrices) + "_LDSM_N")
        return warp_load(row_addresses(matrices), rows_in_lanes(matrices));
  n.wrong("widening copies are SM100_SU4_DU8x16_x<1, 2 or 4>_LDSM_N and SM100_SU6_DU8x16_x<1, 2 or 4>_LDSM_N");
}

// Lanes that differ in one bit exchange a register: 2x2 transposed (SM50_Shuffle_U32_2x2Trans_XOR4).
inline copy_atom shuffle(atom_name const& n) {
  for (int apart : {1, 4})
    if (n.text == "SM50_Shuffle_U32_2x2Trans_XOR" + std::to_string(apart)) {
      layout const before({{32, 64}, {64, 1}});
      layout const lanes(without_ones({{apart, 64}, {2, 32}, {16 / apart, 128 * apart}}));
      return {layout(32, 1), before, layout({lanes, layout({{32, 1}, {2, 64 * apart}})}), before};
    }
  n.wrong("shuffles are SM50_Shuffle_U32_2x2Trans_XOR1 and _XOR4");
}

}  // namespace colex::ref
