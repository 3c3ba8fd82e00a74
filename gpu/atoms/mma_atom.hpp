// MMA atoms by formula: for each family of instructions one function of shape, element widths, majorness and where the operands
// lie, and the grammar of the names that are read into it. No list of instructions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/atoms/atom.hpp"

namespace colex::gpu {

// An instruction D = A B + C. thr_id: which thread of a warp or group, or SM of a pair, a logical thread is; the others map
// (thread, value) to a colexicographic index: A, E (metadata of a sparse A) and SFA (its scale factors) in (M,K), B and SFB in
// (N,K), C in (M,N). An operand that the instruction lacks is ():(). (CuTe MMA_Traits)
struct mma_atom {
  int_tuple shape_mnk;
  layout thr_id, a, b, c;
  layout sfa = {}, sfb = {}, e = {};

  constexpr bool operator==(mma_atom const&) const = default;
};

namespace detail {

// Which elements of a row of K share a 32-bit register.
COLEX_HD constexpr int64 packed(int bits) { return bits < 32 ? 32 / bits : 1; }

// Rows x columns in registers, as every tensor core since Turing has them: four threads along the columns with `packed`
// neighbours each, eight along the rows, more registers for rows 8 below and for further columns, more warps 16 rows apart.
COLEX_HD constexpr layout fragment(int64 rows, int64 columns, int64 packed, int64 least = 2) {
  int64 const quad = 4 * packed;
  layout const threads = modes({{4, packed * rows}, {8, 1}, {rows / 16, 16}});
  layout const values = modes({{packed, rows}, {rows > 8 ? 2 : 1, 8}, {columns / quad, quad * rows}}, least);
  // The one mode of eight 4-bit values is a tuple in CuTe.
  return make_layout(threads, packed == 8 && columns == quad && rows == 8 ? make_layout(values) : values);
}

// An operand in shared or tensor memory: each of `peers` has `own` of the rows, or all of them.
COLEX_HD constexpr layout slab(int64 peers, int64 own, int64 rows, int64 k) {
  return make_layout({peers, {own, k}}, {own < rows ? own : 0, {1, rows}});
}

// One thread computes all of it: FMA and dot products.
COLEX_HD constexpr mma_atom simt_mma(int64 m, int64 n, int64 k) {
  return {{m, n, k}, make_layout(1, 0), values_of(1, m * k), values_of(1, n * k), values_of(1, m * n)};
}

// Volta: a quad pair, 8x8x4. An operand along K has a row a thread; across K four threads share four rows.
COLEX_HD constexpr mma_atom volta_mma(bool a_along_k, bool b_along_k, int c_bits) {
  layout const along = make_layout({8, 4}, {1, 8}), across = make_layout({{4, 2}, 4}, {{8, 4}, 1});
  layout const c16 = make_layout({8, 8}, {1, 8}), c32 = make_layout({{2, 2, 2}, {2, 2, 2}}, {{1, 16, 4}, {8, 2, 32}});
  layout const a = a_along_k ? along : across, b = b_along_k ? along : across;
  return {{8, 8, 4}, make_layout({4, 2}, {1, 16}), a, b, c_bits == 16 ? c16 : c32};
}

// Turing and later, a warp: (8|16) x 8 x K.
COLEX_HD constexpr mma_atom warp_mma(int64 m, int64 n, int64 k, int bits) {
  return {{m, n, k}, make_layout(32, 1), fragment(m, k, packed(bits)), fragment(n, k, packed(bits)), fragment(m, n, 2)};
}

// Ada's successor for desktops: a slot of 8 or 4 bits an element whatever its type. Scale factors: one a row, K times the same
// element; two threads of a quad hold those of A. Sparse A has half of its K, each register spans twice as much; the metadata
// of a row lie with two threads, one half of K each.
COLEX_HD constexpr mma_atom sm120_mma(int64 k, int slot, bool sparse, bool scaled) {
  int64 const p = packed(slot);
  mma_atom r{{16, 8, k}, make_layout(32, 1), fragment(16, k, sparse ? 2 * p : p), fragment(8, k, p), fragment(16, 8, 2)};
  if (scaled) {
    r.sfa = make_layout({{2, 2, 8}, k}, {{8, 0, 1}, 16});
    r.sfb = make_layout({{4, 8}, k}, {{0, 1}, 8});
  }
  layout const half = make_layout(k / 2, 16);
  if (sparse) r.e = make_layout(make_layout({2, 2, 8}, {8, 8 * k, 1}), slot == 4 ? make_layout(half) : half);  // as CuTe has it
  return r;
}

// Hopper: four warps, 64 x N x K, B and perhaps A in shared memory. A's metadata lie with two threads of a quad, one half of K
// each, both rows; for 8-bit elements with all four, one row each.
COLEX_HD constexpr layout gmma_metadata(int64 k, int bits) {
  if (bits == 8) return make_layout({{2, 2, 8, 4}, {k / 2}}, {{8, 32 * k, 1, 16}, {64}});
  return make_layout({{2, 2, 8, 4}, {k / 2, 2}}, {{32 * k, 0, 1, 16}, {64, 8}});
}
COLEX_HD constexpr mma_atom gmma(int64 n, int64 k, int bits, bool a_in_registers, bool sparse) {
  layout const a = a_in_registers ? fragment(64, k, sparse ? 2 * packed(bits) : packed(bits)) : slab(128, 64, 64, k);
  mma_atom r{{64, n, k}, make_layout(128, 1), a, slab(128, n, n, k), fragment(64, n, 2, 1)};
  if (sparse) r.e = gmma_metadata(k, bits);
  return r;
}

// Blackwell: one thread for one SM or two, which share the rows of A, B and C. A lies in shared or tensor memory.
COLEX_HD constexpr mma_atom umma(int64 m, int64 n, int64 k, int64 sms) {
  return {{m, n, k}, make_layout(sms, sms - 1), slab(sms, m / sms, m, k), slab(sms, n / sms, n, k), slab(sms, m / sms, m, n)};
}

// Does a tensor core with slots of this width multiply a by b into c?
constexpr bool fits(element_type const& t, int slot) {
  if (t.holds == element_type::scale || t.code == "F32" || t.code == "S32" || t.code == "GC64") return false;
  return slot == 8 && t.holds == element_type::real ? t.bits <= 8 : t.bits == slot;
}
constexpr bool multiplies(element_type const& a, element_type const& b, element_type const& c, int slot) {
  if (!fits(a, slot) || !fits(b, slot) || a.holds != b.holds) return false;
  if (a.holds == element_type::integer) return c.code == "S32";
  if (slot > 8 && a.code != b.code) return false;
  if (slot >= 64) return c.bits == slot;
  return c.code == "F32" || (c.code == "F16" && (slot == 8 || a.code == "F16"));
}
// Are there N columns of B and C, for integers in coarser steps?
constexpr bool columns_exist(int64 n, bool integers, int64 step) {
  return n % step == 0 && n <= 256 && (!integers || n % 16 == 0 || n <= 24);
}

// The architecture that first has mma.sync of this shape, far beyond the last where none has. Each has 128 or 256 bits of K, a
// register or two; double precision up to four.
constexpr int64 first_architecture(int_tuple const& mnk, element_type const& a) {
  int64 const m = mnk.value[0], k = mnk.value[2], quad = 4 * packed(a.bits);
  bool const integers = a.holds == element_type::integer, one = k == quad, small = m == 8, wide = a.bits >= 64;
  bool const rows = m == 16 || (small && one && (integers || wide));
  if (mnk.value[1] != 8 || !rows || !(one || k == 2 * quad || (wide && k == 4 * quad))) return 1000;
  if (wide) return small ? 80 : 90;
  if (!integers && a.bits == 8) return one ? 1000 : 89;
  return one && ((small && a.bits == 8) || a.code == "F16") ? 75 : 80;
}
constexpr mma_atom read_volta(name_reader r) {
  element_type const c = (r.expect("8x8x4_"), r.code());
  if (c.code != "F16" && c.code != "F32") no_instruction_of_these_types();
  r.expect("F16F16");
  r.expect(c.code);
  r.expect("_");
  bool const a_along_k = r.either("T", "N"), b_along_k = r.either("N", "T");
  r.end();
  return volta_mma(a_along_k, b_along_k, c.bits);
}
constexpr mma_atom read_warp(name_reader r) {
  int64 const architecture = r.number();
  r.expect("_");
  int_tuple const mnk = r.shape();
  r.expect("_");
  element_type const c = r.code(), a = r.code(), b = r.code(), d = r.code();
  r.expect("_TN");
  if (a.bits == 1) r.either("_XORPOPC", "_ANDPOPC");
  if (a.holds == element_type::integer && a.bits > 1) r.take("_SATURATE");
  r.end();
  if (c.code != d.code || !multiplies(a, b, c, a.bits)) no_instruction_of_these_types();
  // What sm_75 has goes by either of two names.
  int64 const first = first_architecture(mnk, a);
  if (architecture != first && (architecture != 80 || first != 75)) no_instruction_of_this_shape();
  return warp_mma(mnk.value[0], mnk.value[1], mnk.value[2], a.bits);
}
// A scale factor of type sf for each vs elements that are stored: 32, or 16 where they have 4 bits.
constexpr bool scales(element_type const& sf, int64 vs, int slot) {
  return sf.holds == element_type::scale && ((vs == 32 && sf.name == "float_ue8m0_t") || (vs == 16 && slot == 4));
}
constexpr mma_atom read_sm120(name_reader r) {
  int64 const halves = r.take("SPARSE_") ? 2 : 1;
  int_tuple const mnk = r.shape();
  int64 const k = mnk.value[2];
  int const slot = k == 32 * halves ? 8 : 4;
  r.expect("_TN");
  bool const scaled = r.take("_VS");
  r.expect("<");
  element_type const a = r.type_argument(), b = r.type_argument(), c = r.type_argument();
  if (scaled) {
    element_type const sf = r.type_argument();
    int64 const vs = r.number_argument();
    if (c.code != "F32" || vs % halves != 0 || !scales(sf, vs / halves, slot)) no_instruction_of_these_types();
  }
  r.end();
  if (a.holds != element_type::real || !multiplies(a, b, c, slot)) no_instruction_of_these_types();
  bool const exists = mnk.value[0] == 16 && mnk.value[1] == 8 && k * slot == 256 * halves && (slot == 8 || scaled);
  if (!exists) no_instruction_of_this_shape();
  return sm120_mma(k, slot, halves == 2, scaled);
}
constexpr mma_atom read_gmma(name_reader r, bool sparse) {
  int_tuple const mnk = r.shape();
  r.expect("_");
  element_type const c = r.code(), a = r.code(), b = r.code();
  bool const a_in_registers = r.either("_RS", "_SS"), integers = a.holds == element_type::integer;
  if (a.bits != 16) r.expect("_TN");
  if (a.bits == 16 && r.take("<")) {
    if (a_in_registers || !r.take("MN,")) r.expect("K,");
    r.either("MN>", "K>");
  }
  if (integers) r.take("_SATURATE");
  r.end();
  if (a.bits < 8 || a.bits > 32 || !multiplies(a, b, c, a.bits)) no_instruction_of_these_types();
  int64 const n = mnk.value[1], k = mnk.value[2], k_bits = sparse ? 512 : 256;
  if (mnk.value[0] != 64 || k * a.bits != k_bits || !columns_exist(n, integers, 8)) no_instruction_of_this_shape();
  return gmma(n, k, a.bits, a_in_registers, sparse);
}

struct umma_kind {
  std::string_view name;
  int slot;
  bool scaled;

  constexpr bool integers() const { return name == "S8"; }
};
inline constexpr umma_kind umma_kinds[] = {{"F16BF16", 16, false}, {"TF32", 32, false},   {"S8", 8, false},
                                           {"F8F6F4", 8, false},   {"MXF8F6F4", 8, true}, {"MXF4NVF4", 4, true},
                                           {"MXF4", 4, true}};
constexpr umma_kind read_kind(name_reader& r) {
  for (umma_kind const& kind : umma_kinds)
    if (r.take(kind.name)) return kind;
  not_an_atom_name();
}
// The words of a name before its arguments: its kind, whether A is sparse, how many SMs.
struct umma_form {
  umma_kind kind;
  bool ultra, sparse;
  int64 sms;
};
constexpr umma_form read_umma_form(name_reader& r) {
  umma_kind const kind = read_kind(r);
  bool const ultra = kind.slot == 4 && r.take("_ULTRA");
  int64 const sms = r.take("_2x1SM") ? 2 : 1;
  bool const from_tensor_memory = !ultra && r.take("_TS");
  if (!from_tensor_memory) r.expect("_SS");
  bool const sparse = !ultra && r.take("_SPARSE");
  if (from_tensor_memory && (sparse || kind.scaled)) not_an_atom_name();
  if (kind.slot == 4 && sparse != (kind.name == "MXF4NVF4")) not_an_atom_name();  // MXF4 is dense
  r.expect(ultra ? "_VS<" : "<");
  return {kind, ultra, sparse, sms};
}
struct umma_arguments {
  element_type a, b, c, sf;
  int64 m, n, vs;
};
constexpr umma_arguments read_umma_arguments(name_reader& r, umma_kind const& kind) {
  element_type const a = r.type_argument(), b = r.type_argument(), c = r.type_argument();
  element_type const sf = kind.scaled ? r.type_argument() : element_type{};
  int64 const m = r.number_argument(), n = r.number_argument(), vs = kind.slot == 4 ? r.number_argument() : 32;
  r.end();
  return {a, b, c, sf, m, n, vs};
}
constexpr bool has_types(umma_form const& form, umma_arguments const& x) {
  umma_kind const& kind = form.kind;
  if (kind.integers() != (x.a.holds == element_type::integer) || !multiplies(x.a, x.b, x.c, kind.slot)) return false;
  int64 const stored = form.sparse && kind.slot == 4 ? 2 : 1;  // columns of A for one that is stored
  return !kind.scaled || (x.c.code == "F32" && x.vs % stored == 0 && scales(x.sf, x.vs / stored, kind.slot));
}
constexpr bool has_shape(umma_form const& form, umma_arguments const& x) {
  umma_kind const& kind = form.kind;
  int64 const sms = form.sms;
  bool const half = !kind.scaled || (kind.slot == 4 && sms == 2);
  return (x.m == 128 * sms || (half && x.m == 64 * sms)) && columns_exist(x.n, kind.integers(), 8 * sms);
}
constexpr mma_atom read_umma(name_reader r) {
  umma_form const form = read_umma_form(r);
  umma_arguments const x = read_umma_arguments(r, form.kind);
  if (!has_types(form, x)) no_instruction_of_these_types();
  if (!has_shape(form, x)) no_instruction_of_this_shape();
  return umma(x.m, x.n, (form.ultra ? 96 : 256 / form.kind.slot) * (form.sparse ? 2 : 1), form.sms);
}
constexpr mma_atom read_float2(name_reader r) {
  int_tuple const mnk = r.shape();
  r.expect("_F32F32F32F32");
  r.end();
  if (mnk.value[0] * mnk.value[1] != 2 || mnk.value[2] != 1) no_instruction_of_this_shape();
  return simt_mma(mnk.value[0], mnk.value[1], 1);
}
}  // namespace detail

// The atom of a name as CuTe has it: SM80_16x8x16_F32F16F16F32_TN, SM100_MMA_TF32_SS<tfloat32_t,tfloat32_t,float,128,64>.
// undefined: not such a name, or no instruction has the shape or the element types that it says. (CuTe mma_traits_*, PTX ISA)
constexpr mma_atom make_mma_atom(std::string_view name) {
  name_reader r{name};
  if (name == "UniversalFMA") return detail::simt_mma(1, 1, 1);
  if (name == "SM61_DP4A") return detail::simt_mma(1, 1, 4);
  if (name == "SM61_DP2A") return detail::simt_mma(1, 1, 2);
  if (r.take("SM70_")) return detail::read_volta(r);
  if (name.starts_with("SM90_64x") && r.take("SM90_")) return detail::read_gmma(r, false);
  if (r.take("SM90::GMMA::SPARSE::GMMA_")) return detail::read_gmma(r, true);
  if (r.take("SM100_MMA_")) return detail::read_umma(r);
  if (name.starts_with("SM103_MXF4_ULTRA") && r.take("SM103_")) return detail::read_umma(r);
  if (r.take("SM100_")) return detail::read_float2(r);
  if (r.take("SM120_")) return detail::read_sm120(r);
  r.expect("SM");
  return detail::read_warp(r);
}

}  // namespace colex::gpu
