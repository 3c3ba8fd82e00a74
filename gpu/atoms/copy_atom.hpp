// Copy atoms by formula: for each family of instructions one function of widths and counts, and the grammar of the names that
// are read into it. No list of instructions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/atoms/atom.hpp"

namespace colex::gpu {

// An instruction that copies. thr_id: which thread a logical thread is; src, dst: (thread, bit it reads or writes) to a bit of
// what is copied, so that equal bits are the same datum; ref: the side that the bits are numbered by. (CuTe Copy_Traits)
struct copy_atom {
  layout thr_id, src, dst, ref;

  constexpr bool operator==(copy_atom const&) const = default;
};

namespace detail {

// Each thread, or SM, copies its own bits.
COLEX_HD constexpr copy_atom straight_copy(int64 threads, int64 bits) {
  layout const all = values_of(threads, bits, bits);
  return {make_layout(threads, threads - 1), all, all, all};
}

// 2x2 blocks of 32-bit words transposed between lanes that differ in one bit.
COLEX_HD constexpr copy_atom shuffle_copy(int64 lane) {
  layout const src = values_of(32, 64, 64), threads = modes({{lane, 64}, {2, 32}, {16 / lane, 128 * lane}});
  return {make_layout(32, 1), src, make_layout(threads, make_layout({32, 2}, {1, 64 * lane})), src};
}

// n matrices of 8 rows of 128 bits in memory: a row a thread, the threads beyond them repeat. Transposed loads of bytes take 16
// rows of each pair, eight of one half and then of the other.
COLEX_HD constexpr layout matrix_rows(int64 n) { return make_layout(modes({{8 * n, 128}, {4 / n, 0}}), make_layout(128, 1)); }
COLEX_HD constexpr layout byte_matrix_rows(int64 n) {
  return make_layout({{2, 2, 4, 2}, 128}, {{128, 1024, 256, n == 4 ? 2048 : 0}, 1});
}
// The same in registers, 32 bits a thread along the rows, or elements of fewer bits down the columns.
COLEX_HD constexpr layout matrix_registers(int64 n, int64 bits) {
  if (bits == 32) return make_layout(make_layout(32, 32), modes({{32, 1}, {n, 1024}}));
  return make_layout(make_layout({4, 8}, {256, bits}), modes({{bits, 1}, {2, 128}, {16 / bits, 64}, {n, 1024}}));
}
COLEX_HD constexpr copy_atom load_matrices(int64 n, int64 bits) {
  layout const registers = matrix_registers(n, bits);
  return {make_layout(32, 1), bits == 8 ? byte_matrix_rows(n) : matrix_rows(n), registers, registers};
}
COLEX_HD constexpr copy_atom store_matrices(int64 n, int64 bits) {
  layout const registers = matrix_registers(n, bits);
  return {make_layout(32, 1), registers, matrix_rows(n), registers};
}
// One matrix of 16-bit elements transposed between the registers of a warp.
COLEX_HD constexpr copy_atom transpose_matrix() {
  layout const registers = matrix_registers(1, 32);
  return {make_layout(32, 1), matrix_registers(1, 16), registers, registers};
}

// Tensor memory, `lanes` of it with n times `bits` columns, in a warp's registers: 256 and 128 bits as fragments of a tensor
// core, 64 as pairs of a quad, 32 as a lane a thread, or two threads where there are 16.
COLEX_HD constexpr layout lane_registers(int64 lanes, int64 bits, int64 n) {
  int64 const row = bits * n;
  if (bits == 32) return make_layout(modes({{lanes, 32 / lanes * row}, {32 / lanes, row}}), make_layout(row, 1));
  if (bits == 64) return make_layout(make_layout({2, 2, 8}, {8 * row, 32, row}), modes({{32, 1}, {n, 64}}));
  return make_layout(make_layout({4, 8}, {bits / 4, row}), modes({{bits / 4, 1}, {2, 8 * row}, {n, bits}}));
}
COLEX_HD constexpr copy_atom tensor_memory_copy(layout const& registers, bool load) {
  layout const lanes = values_of(32, size(registers));
  return {make_layout(32, 1), load ? lanes : registers, load ? registers : lanes, lanes};
}

// Shared memory to tensor memory, `copies` of `lanes` lanes of `bits` columns each, numbered down the lanes; `spread` puts the
// second half of 64 lanes behind its copy. Four lanes are one of each warp's 32.
COLEX_HD constexpr copy_atom lane_broadcast(int64 sms, int64 lanes, int64 bits, int64 copies, bool spread) {
  layout all = values_of(sms, lanes * copies * bits), src = all;
  if (lanes == 4) src = all = make_layout({sms, {4, bits}}, {0, {32, 128}});
  if (copies > 1) src = make_layout({sms, {lanes, bits, copies}}, {0, {1, lanes, 0}});
  if (spread) src = make_layout({sms, {32, bits, 2, 2}}, {0, {1, 32, 32 * bits, 0}});
  return {make_layout(sms, sms - 1), src, all, all};
}

constexpr copy_atom read_matrices(name_reader r, int64 architecture) {
  int64 const bits = r.number();
  r.expect("x");
  int64 const words = r.number() * bits;
  bool const load = r.either("_LDSM", "_STSM");
  r.expect(bits == 32 ? "_N" : "_T");
  r.end();
  bool const counted = words == 64 || words == 128 || (words == 32 && !(load && bits == 8));
  bool const wide = bits == 16 || bits == 32, exists = architecture == (wide ? (load ? 75 : 90) : 100);
  if (!counted || !exists || (!wide && bits != 8)) no_instruction_of_this_shape();
  return load ? load_matrices(words / 32, bits) : store_matrices(words / 32, bits);
}
constexpr copy_atom read_unpacked_matrices(name_reader r) {
  r.either("4_", "6_");
  r.expect("DU8x16_x");
  int64 const n = r.number();
  r.expect("_LDSM_N");
  r.end();
  if (n != 1 && n != 2 && n != 4) no_instruction_of_this_shape();
  return load_matrices(n, 32);
}
constexpr copy_atom read_shuffle(name_reader r) {
  int64 const lane = r.number();
  r.end();
  if (lane != 1 && lane != 4) no_instruction_of_this_shape();
  return shuffle_copy(lane);
}
constexpr copy_atom read_tensor_memory(name_reader r) {
  bool const load = r.either("LOAD_", "STORE_"), reduces = load && r.take("STAT_");
  int64 const lanes = r.number();
  r.expect("dp");
  int64 const bits = r.number();
  r.expect("b");
  int64 const n = r.number();
  r.expect("x");
  if (!reduces) r.take("_16b");  // packs two columns of 16 bits: the same bits move
  r.end();
  bool const columns = bits == 32 || bits == 64 || bits == 128 || bits == 256;
  bool const exists = columns && (lanes == 32 ? bits == 32 : lanes == 16 && !reduces);
  int64 const words = bits < 128 ? n : bits / 64 * n;  // in the registers of a thread
  if (!exists || (n & (n - 1)) != 0 || words > 128 || (reduces && n != 32 && n != 128)) no_instruction_of_this_shape();
  return tensor_memory_copy(lane_registers(lanes, bits, n), load);
}
constexpr copy_atom read_lane_broadcast(name_reader r) {
  int64 lanes = r.number(), copies = 1;
  if (r.take("x")) copies = lanes, lanes = r.number();
  r.expect("dp");
  int64 const bits = r.number();
  r.expect("bit");
  bool const pairs = copies == 2 && lanes == 64, spread = pairs && r.take("lw0123");
  if (pairs && !spread) r.expect("lw0213");
  r.expect("_");
  int64 const sms = r.number();
  r.expect("cta");
  r.end();
  bool const broadcast = bits == 128 && (pairs || (copies == 4 && lanes == 32));
  bool const plain = copies == 1 && ((lanes == 128 && (bits == 128 || bits == 256)) || (lanes == 4 && bits == 256));
  if (sms > 2 || (!broadcast && !plain)) no_instruction_of_this_shape();
  return lane_broadcast(sms, lanes, bits, copies, spread);
}
constexpr copy_atom read_async(name_reader r) {
  bool const global = r.either("GLOBAL", "ALWAYS");
  r.take("_ZFILL");
  r.expect("<");
  int const bits = r.type_argument().bits;
  r.end();
  if (bits != 128 && (global || (bits != 32 && bits != 64))) no_instruction_of_this_shape();
  return straight_copy(1, bits);
}
// The bits that one instruction moves stand behind the name of a bulk copy.
constexpr copy_atom read_bulk(name_reader r, int64 sms) {
  r.expect(",");
  int64 const bits = r.number();
  r.expect("b");
  r.end();
  if (bits % 128 != 0) no_instruction_of_this_shape();
  return straight_copy(sms, bits);
}
constexpr copy_atom read_sm90(name_reader r) {
  if (r.either("BULK_COPY_", "TMA_")) {
    r.either("G2S", "S2G");
  } else if (r.take("STORE")) {
    r.take("_PTR");
  } else if (!r.take("REDUCE_ADD")) {
    r.expect("LOAD");
    r.take("_MULTICAST");
    r.take("_OP");
  }
  return read_bulk(r, 1);
}
constexpr copy_atom read_sm100(name_reader r) {
  if (r.take("SU")) return read_unpacked_matrices(r);
  if (r.take("TMEM_")) return read_tensor_memory(r);
  if (r.take("TMA_2SM_LOAD")) {
    r.take("_MULTICAST");
    r.take("_OP");
    return read_bulk(r, 2);
  }
  r.either("LOAD", "STORE");
  r.expect("_256bit_CACHE_NOALLOCATION");
  r.end();
  return straight_copy(1, 256);
}
// A copy of one thread: of a type, or of whatever both sides allow, up to so many bits, which takes no bits for itself.
constexpr copy_atom read_universal(name_reader r) {
  bool const any = r.either("AutoVectorizingCopyWithAssumedAlignment<", "UniversalCopy<");
  int64 const bits = any ? r.number_argument() : r.type_argument().bits;
  r.end();
  if (any && (bits % 8 != 0 || bits > 256 || (bits & (bits - 1)) != 0)) no_instruction_of_this_shape();
  return straight_copy(1, any ? 1 : bits);
}

}  // namespace detail

// The atom of a name as CuTe has it: SM75_U32x4_LDSM_N, UniversalCopy<uint128_t>, SM90_TMA_LOAD,16384b.
// undefined: not such a name, or no instruction copies what it says. (CuTe copy_traits_*.hpp, PTX ISA)
constexpr copy_atom make_copy_atom(std::string_view name) {
  name_reader r{name};
  if (r.take("SM50_Shuffle_U32_2x2Trans_XOR")) return detail::read_shuffle(r);
  if (name == "SM75_U32x1_MOVM_T") return detail::transpose_matrix();
  if (r.take("SM75_U")) return detail::read_matrices(r, 75);
  if (r.take("SM90_U")) return detail::read_matrices(r, 90);
  if (r.take("SM100_UTCCP_")) return detail::read_lane_broadcast(r);
  if (r.take("SM100_U")) return detail::read_matrices(r, 100);
  if (r.take("SM80_CP_ASYNC_CACHE")) return detail::read_async(r);
  if (r.take("SM90_")) return detail::read_sm90(r);
  if (r.take("SM100_")) return detail::read_sm100(r);
  return detail::read_universal(r);
}

// How a warp that executes the atom of this name accesses shared memory. undefined: its threads do not say where: it moves in
// bulk, or between registers, or tensor memory. (PTX ISA, ldmatrix, stmatrix, ld, st, cp.async)
constexpr shared_access shared_access_of(std::string_view name, copy_atom const& atom) {
  bool const load = name.find("_LDSM_") != name.npos, store = name.find("_STSM_") != name.npos;
  if (load || store) return {128, cosize(load ? atom.src : atom.dst) / 128};
  if (!name.starts_with("UniversalCopy") && !name.starts_with("SM80_CP_ASYNC")) no_access_of_threads();
  return {size(atom.src), 0};
}

}  // namespace colex::gpu
