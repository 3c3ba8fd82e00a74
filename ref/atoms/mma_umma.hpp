// MMA atoms of the fifth generation: tcgen05.mma of SM100 and SM103 on one SM or two.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ref/atoms/mma_scaled.hpp"

namespace colex::ref {

// A kind of tcgen05.mma: the types A and B may have and their accumulators, K, and what scales blocks (PTX ISA, tcgen05.mma).
struct umma_kind {
  std::string name, types, accumulators;
  int k;
  bool scaled;
};
inline umma_kind const umma_kinds[] = {
    {"MMA_TF32", "tfloat32_t", "float", 8, false},       {"MMA_F16BF16", "half_t bfloat16_t", "float half_t", 16, false},
    {"MMA_S8", "int8_t uint8_t", "int32_t", 32, false},  {"MMA_F8F6F4", narrow_floats, "float half_t", 32, false},
    {"MMA_MXF8F6F4", narrow_floats, "float", 32, true},  {"MMA_MXF4", "float_e2m1_t", "float", 64, true},
    {"MMA_MXF4NVF4", "float_e2m1_t", "float", 64, true}, {"MXF4_ULTRA", "float_e2m1_t", "float", 96, true}};

// What the words say behind the kind: [_2x1SM]_SS or _TS, [_SPARSE], _VS on SM103.
struct umma_name {
  umma_kind kind;
  bool pair, from_tensor_memory, sparse;
};
inline umma_kind umma_kind_of(atom_name const& n) {
  for (umma_kind const& k : umma_kinds)
    if (n.word(1) + "_" + n.word(2) == k.name && (n.words[0] == "SM103") == (k.k == 96)) return k;
  n.wrong("'" + n.word(1) + "_" + n.word(2) + "' is no kind of tcgen05.mma of " + n.words[0]);
}
inline umma_name umma_name_of(atom_name const& n) {
  umma_name u{umma_kind_of(n), n.word(3) == "2x1SM", false, false};
  std::size_t const at = u.pair ? 4 : 3;
  u.from_tensor_memory = n.word(at) == "TS";
  u.sparse = n.word(at + 1) == "SPARSE";
  bool const ultra = u.kind.k == 96,
             tail = n.words.size() == at + (u.sparse || ultra ? 2 : 1) && ultra == (n.word(at + 1) == "VS");
  if (n.word(at) != "SS" && !u.from_tensor_memory) n.wrong("SS or TS, where A lies, belongs behind the kind");
  if (!tail || (u.from_tensor_memory && (u.sparse || u.kind.scaled))) n.wrong("there is no tcgen05.mma whose name ends so");
  if ((u.kind.name == "MMA_MXF4" && u.sparse) || (u.kind.name == "MMA_MXF4NVF4" && !u.sparse))
    n.wrong("MXF4 is dense, MXF4NVF4 sparse");
  return u;
}

// M and N lie behind the types. The instruction wants N in steps of 16 where M is 128, and of integers but for 8 and 24; CuTe
// has the layouts of steps of 8 too, but not of integers.
inline std::array<int, 3> umma_shape(atom_name const& n, umma_name const& u) {
  std::size_t const at = u.kind.scaled ? 4 : 3;
  int const m = natural_in(n.arguments[at]), columns = natural_in(n.arguments[at + 1]), sms = u.pair ? 2 : 1;
  bool const half = u.pair ? u.kind.name != "MMA_MXF8F6F4" : !u.kind.scaled;
  if (m != 128 * sms && !(half && m == 64 * sms))
    n.wrong("M is " + (half ? std::to_string(64 * sms) + " or " : "") + std::to_string(128 * sms) + ", not '" +
            n.arguments[at] + "'");
  if (columns % (8 * sms) != 0 || columns > 256)
    n.wrong("N is a multiple of " + std::to_string(8 * sms) + " up to 256, not '" + n.arguments[at + 1] + "'");
  if (u.kind.name == "MMA_S8" && columns % 16 != 0 && columns > 24)
    n.wrong("N of integers is 8, 24 or a multiple of 16, not '" + n.arguments[at + 1] + "'");
  return {m, columns, u.kind.k * (u.sparse ? 2 : 1)};
}
inline void need_umma_types(atom_name const& n, umma_name const& u) {
  bool const vector = u.kind.types == "float_e2m1_t";
  if (n.arguments.size() != (u.kind.scaled ? 6u : 5u) + (vector ? 1 : 0))
    n.wrong(std::string("<A,B,C,") + (u.kind.scaled ? "SF," : "") + "M,N" + (vector ? ",VS>" : ">") +
            " belongs behind the name");
  need_types(n, u.kind.types, u.kind.accumulators);
  if (u.kind.name == "MMA_F16BF16" && n.arguments[0] != n.arguments[1]) n.wrong("A and B are both half_t or both bfloat16_t");
  if (n.arguments[0] == "bfloat16_t" && n.arguments[2] != "float") n.wrong("C of bfloat16_t is float");
  if (u.kind.scaled) need_scales(n, vector, vector ? n.arguments[6] : "", u.sparse);
}

// Matrices in shared or tensor memory, rows first: of a pair each SM has half of them.
inline layout per_sm(int rows, int columns, int sms) {
  int const mine = rows / sms;
  return layout({layout(sms, sms == 1 ? 0 : mine), layout({{mine, 1}, {columns, rows}})});
}
inline mma_atom umma(atom_name const& n) {
  umma_name const u = umma_name_of(n);
  need_umma_types(n, u);
  std::array<int, 3> const mnk = umma_shape(n, u);
  auto const [m, columns, k] = mnk;
  int const sms = u.pair ? 2 : 1;
  return {
      shape_value(mnk), layout(sms, sms - 1), per_sm(m, k, sms), per_sm(columns, k, sms), per_sm(m, columns, sms), {}, {}, {}};
}

}  // namespace colex::ref
