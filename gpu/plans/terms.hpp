// Plans as terms of proofs/gemm/Plans.v: what Coq's kernel certifies. Says of each family what its kernel makes of a plan; no
// law. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/plans/gemv.hpp"
#include "gpu/plans/umma.hpp"
#include "gpu/plans/warp.hpp"
#include "gpu/plans/warpgroup.hpp"

#include <vector>

namespace colex::gpu::terms {

inline std::string number(int64 n) { return std::to_string(n); }
inline std::string call(std::string const& head, std::initializer_list<std::string> arguments) {
  std::string r = "(" + head;
  for (std::string const& a : arguments) r += ' ' + a;
  return r + ")";
}

inline std::string term(layout const& a) {
  if (depth(a) == 0) return call("Leaf", {number(a.shape[0]), number(a.stride[0])});
  std::string r;
  for (int i = 0; i < rank(a); ++i) r += (i > 0 ? "; " : "") + term(get(a, i));
  return "(Node [" + r + "])";
}
inline std::string term(swizzle const& w) { return call("Sw", {number(w.bits), number(w.base), number(w.shift)}); }
inline std::string term(bool x) { return x ? "true" : "false"; }

// A term has a swizzle and a layout: of what has an offset, or a swizzle that is not applied, there is none.
inline layout const& behind_swizzle(composed const& a) {
  if (a.integer_offset() != 0 || (a.sw.bits > 0 && !a.swizzled)) throw undefined{"no term says this"};
  return a.inner;
}

// Elements are counted: what a descriptor has in bytes, and the exponent of an element's bits.
inline element type_of(plan const& p, operand x) { return x == operand::a ? p.a : p.b; }
inline std::string elements(element e, int64 bytes) { return number(bytes * 8 / bits_of(e)); }
inline std::string exponent(element e) { return number(detail::log2(bits_of(e))); }

// The order in which a tiler lays atoms over `extent`.
inline layout order(plan const& p, int mode, int64 extent) {
  tiler const t = get(p.mma.permutation, mode);
  return t.keeps(0) ? make_layout(extent, 1) : t.pool;
}
inline layout further(layout const& tv, int64 steps, int64 stride) {
  return make_layout(get(tv, 0), make_layout(get(tv, 1), make_layout(steps, stride)));
}

// Scale factors of an operand: where they lie in a stage, of 128 rows and whole words, and from where lanes load words, or
// tensor memory is given them.
inline int64 rows_of(plan const& p, operand x) { return x == operand::a ? p.tile_m : p.tile_n; }
inline int64 whole_words(plan const& p) {
  if (p.tile_k % (4 * p.scale.block) != 0) throw undefined{"no term says this"};
  return factor_words(p);
}
inline std::string factors_term(plan const& p, operand x) {
  if (p.scale.block == 0) return "None";
  bool const lanes = p.kind == family::warp;
  layout const packed = make_layout(factor_chunk, make_layout(whole_words(p), 4 * factor_rows));
  std::string const words = lanes ? call("Lanes", {term(factor_word)}) : "Columns";
  int64 const chunk = lanes ? factor_chunk_bytes : 4 * rows_of(p, x);
  return call("Some", {call("Factors", {number(p.scale.block), term(packed), number(chunk), words})});
}
// The layout of an atom's scale factors: (lane, value) to (row, k).
inline std::string given(layout const& a) { return a == layout{} ? "None" : call("Some", {term(a)}); }

inline std::string operand_term(plan const& p, operand x, layout const& copy, composed const& smem, int64 cluster,
                                std::string const& fills, std::string const& reads) {
  return call("Operand",
              {term(copy), term(smem.sw), term(behind_swizzle(smem)), number(cluster), fills, reads, factors_term(p, x)});
}

// simt: threads store what they convert, and read it again, at sums of a thread's and a value's part.
inline std::string simt_operand(plan const& p, operand x) {
  bool const is_a = x == operand::a;
  int64 const depth = p.mma.atom.shape_mnk.value[2], steps = p.tile_k / depth, rows = is_a ? p.tile_m : p.tile_n;
  layout const held = further(layout_tv(p.mma, x), steps, rows * depth),
               read = further(fragment(p, x), steps, fragment_step(p, x));
  return operand_term(p, x, is_a ? p.copy_a : p.copy_b, is_a ? p.smem_a : p.smem_b, 1, call("Threads", {term(staged(p, x))}),
                      call("Held", {term(held), call("Parts", {term(read)})}));
}
// warp: vectors by cp.async, fragments by the copy atom.
inline std::string warp_operand(plan const& p, operand x) {
  operand_path const at = path_of(p, x);
  std::string const loads = call("Matrices", {term(at.atom.src), term(at.atom.dst), term(at.source), number(at.width)});
  return operand_term(p, x, at.copy, at.shared, 1, call("Vectors", {number(p.threads), number(at.vector)}),
                      call("Held", {term(at.fragment), loads}));
}

// wgmma: TMA boxes, which the blocks of a cluster share; matrix descriptors, or A's fragments from registers.
inline layout registers_of_a() { return make_layout({{4, 8, 4}, {2, 2}}, {{64, 1, 16}, {8, 256}}); }  // 64x8 of 32 bits
inline std::string warpgroup_operand(plan const& p, operand x) {
  bool const is_a = x == operand::a;
  layout const& copy = is_a ? p.copy_a : p.copy_b;
  major const along = is_a ? p.major_a : staged_major_b(p);
  descriptor_strides const by = strides_of(p, along);
  element const e = type_of(p, x);
  std::string reads =
      call("Described", {exponent(e), term(along == major::k), elements(e, by.leading), elements(e, by.stride), "1", "None"});
  if (is_a && a_from_registers(p)) {
    int64 const groups = size(p.mma.thr_layout_vmnk, 1), atoms = p.tile_m / groups / 64;
    layout const own = registers_of_a();
    layout const rows = composition(make_layout({64, 8}, {1, p.tile_m}), own);
    layout const held = make_layout(make_layout(get(rows, 0), make_layout(groups, 64 * atoms)),
                                    make_layout(get(rows, 1), make_layout({atoms, p.tile_k / 8}, {64, 8 * p.tile_m})));
    reads = call("Held", {term(held), call("Steps", {"128", number(size(own, 1))})});
  }
  std::string const boxes = call("Boxes", {exponent(e), term(detail::landed(p, is_a))});
  return operand_term(p, x, copy, is_a ? p.smem_a : p.smem_b, is_a ? p.cluster_n : p.cluster_m, boxes, reads);
}
// (thread, register) to (m, n), as the epilogue stores it.
inline layout warpgroup_stored(plan const& p) {
  int64 const groups = size(p.mma.thr_layout_vmnk, 1), rows = p.tile_m / groups, m = p.tile_m;
  return make_layout({{4, 8, 4, groups}, {2, 2, p.tile_n / 8, rows / 64}}, {{2 * m, 1, 16, rows}, {m, 8, 8 * m, 64}});
}

// umma: as wgmma, of one SM or of a pair whose second SM has the second half of the rows.
inline constexpr int64 apart = 1 << 20;
inline std::string umma_operand(plan const& p, operand x) {
  bool const is_a = x == operand::a;
  umma_map const map(p);
  composed const& smem = is_a ? p.smem_a : p.smem_b;
  layout const& own = is_a ? p.copy_a : p.copy_b;
  element const e = type_of(p, x);
  major const along = is_a ? p.major_a : p.major_b;
  int64 const rows = size(smem.inner, 0), step = is_a ? map.step_a : map.step_b;
  std::uint64_t const bits = operand_descriptor(smem, along, e);
  auto const bytes_at = [&](int first) { return static_cast<int64>(bits >> first & 0x3fff) << 4; };
  layout const spread = make_layout({rows, p.tile_k}, {1, rows * map.sms});
  layout const copy = make_layout(composition(spread, own), make_layout(map.sms, rows));
  layout const places = make_layout(make_layout(size(own), 1), make_layout(map.sms, apart));
  composed const all = smem.with(make_layout(make_layout(get(smem.inner, 0), make_layout(map.sms, apart)), get(smem.inner, 1)));
  std::string const reads = call("Described", {exponent(e), term(along == major::k), elements(e, bytes_at(16)),
                                               elements(e, bytes_at(32)), number(map.sms), call("Some", {elements(e, step)})});
  return operand_term(p, x, copy, all, 1, call("Boxes", {exponent(e), term(places)}), reads);
}
// (SM, (lane of tensor memory, column)) to (m, n): the four warps of the epilogue have 32 lanes each.
inline layout umma_stored(plan const& p) {
  int64 const sms = size(p.mma.atom.thr_id);
  return make_layout(make_layout(sms, p.tile_m),
                     composition(make_layout({p.tile_m, p.tile_n}, {1, p.tile_m * sms}), umma_epilogue(p)));
}

inline std::string operand_of(plan const& p, operand x) {
  switch (p.kind) {
    case family::warp: return warp_operand(p, x);
    case family::warpgroup: return warpgroup_operand(p, x);
    case family::umma: return umma_operand(p, x);
    default: return simt_operand(p, x);
  }
}
inline layout stored(plan const& p) {
  if (p.kind == family::warpgroup) return warpgroup_stored(p);
  return p.kind == family::umma ? umma_stored(p) : layout_tv(p.mma, operand::c);
}
inline std::vector<composed> pieces(plan const& p) {
  std::vector<composed> r;
  for (composed const* a : staged_pieces(p))
    if (a->inner != layout{}) r.push_back(*a);
  return r;
}
inline std::string stagings(plan const& p) {
  std::string r;
  for (composed const& a : pieces(p)) r += (r.empty() ? "" : "; ") + ("(" + term(a.sw) + ", " + term(behind_swizzle(a)) + ")");
  return "[" + r + "]";
}
inline std::string term(plan const& p) {
  mma_atom const& x = p.mma.atom;
  auto const extent = [&](int i) { return number(x.shape_mnk.value[i]); };
  bool const loads_a = p.kind == family::warpgroup && a_from_registers(p);
  std::string const atom = call("Mma", {extent(0), extent(1), extent(2), term(x.thr_id), term(loads_a ? registers_of_a() : x.a),
                                        term(x.b), term(x.c), given(x.sfa), given(x.sfb), "None"});
  auto const threads = [&](int i) { return term(get(p.mma.thr_layout_vmnk, i)); };
  int64 const tile_m = p.tile_m * (p.kind == family::umma ? size(x.thr_id) : 1);
  return call("Plan", {atom, threads(0), threads(1), threads(2), term(order(p, 0, tile_m)), term(order(p, 1, p.tile_n)),
                       term(order(p, 2, p.tile_k)), operand_of(p, operand::a), operand_of(p, operand::b), term(stored(p)),
                       stagings(p)});
}

// The digest of proofs/gemm/Plans.v, of the plan and not of its term: Coq computes it of the term, and compares.
template <class Map>
int64 sampled(Map map, int64 n) {
  int64 r = 0;
  for (int64 j = 0; j < 64; ++j) r += (j + 1) * map(7919 * j % n);
  return r;
}
// Indices count (row, k) of all SMs of an instruction: an SM has `rows` rows, at places `apart` from those of the SM before.
inline void add_operand(std::vector<int64>& r, plan const& p, operand x, int64 sms) {
  bool const is_a = x == operand::a;
  layout const& copy = is_a ? p.copy_a : p.copy_b;
  composed const& smem = is_a ? p.smem_a : p.smem_b;
  int64 const own = size(copy), rows = size(smem.inner, 0);
  auto const copied = [&](int64 i) {
    int64 const to = copy(i % own);
    return to % rows + rows * (i / own + sms * (to / rows));
  };
  auto const placed = [&](int64 i) {
    int64 const row = i % (rows * sms), k = i / (rows * sms);
    return smem(row % rows + rows * k) + row / rows * apart;
  };
  int64 const cluster = p.kind != family::warpgroup ? 1 : is_a ? p.cluster_n : p.cluster_m;
  r.insert(r.end(), {own * sms, sampled(copied, own * sms), sampled(placed, size(smem.inner) * sms), cluster});
  if (p.scale.block == 0) return;
  auto const packed = [&](int64 i) {
    factor_coordinate const of = factor_at(whole_words(p), 1, 1, i);
    return of.row + factor_rows * of.k;
  };
  int64 const bytes_of_stage = 4 * whole_words(p) * rows_of(p, x);
  r.insert(r.end(), {p.scale.block, bytes_of_stage, sampled(packed, bytes_of_stage)});
}
// Threads that multiply a tile: of a block, of a group of consumers, or the SMs of an instruction.
inline int64 multiplying(plan const& p) {
  if (p.kind == family::umma) return size(p.mma.atom.thr_id);
  return p.kind == family::warpgroup ? (p.threads - 128) / p.warpgroup.pingpong_groups : p.threads;
}
inline std::vector<int64> digest(plan const& p) {
  int_tuple const& extents = p.mma.atom.shape_mnk;
  int64 const sms = p.kind == family::umma ? size(p.mma.atom.thr_id) : 1;
  std::vector<int64> r = {p.tile_m * sms,   p.tile_n,         p.tile_k,       extents.value[0],
                          extents.value[1], extents.value[2], multiplying(p), size(p.mma.thr_layout_vmnk)};
  add_operand(r, p, operand::a, sms), add_operand(r, p, operand::b, sms);
  for (composed const& a : pieces(p)) r.push_back(sampled(a, size(a.inner)));
  return r;
}
// gemv: a vector of K, which the threads at one place along K multiply. To the proof it is a split of K, and its stage has what
// all threads copy of it. That a stage is made of such vectors, the plan's laws say: of one that breaks them there is no term.
inline plan vector_of(plan const& p) {
  if (!plan_copy_covers(p) || !gemv_dataflow(p) || !gemv_slices_cover(p)) throw undefined{"no term says this"};
  plan r = p;
  int64 const threads = size(p.mma.thr_layout_vmnk, 2), depth = gemv_depth(p);
  r.kind = family::simt, r.tile_k = depth, r.threads = static_cast<int>(threads);
  r.mma = make_tiled_mma(p.mma.atom, make_layout({1, threads, 1}, {0, 1, 0}),
                         tiler{get(p.mma.permutation, 0), get(p.mma.permutation, 1), _});
  auto const first = [&](composed const& smem) {
    return smem.with(make_layout(get(smem.inner, 0), composition(get(smem.inner, 1), make_layout(depth, 1))));
  };
  r.smem_a = first(p.smem_a), r.smem_b = first(p.smem_b);
  r.copy_a = make_layout({p.tile_m, depth}, {1, p.tile_m}), r.copy_b = make_layout({p.tile_n, depth}, {1, p.tile_n});
  return r;
}

// What proofs/tools/plans.py gets of a plan: digest and term.
inline std::string certificate(plan const& p) {
  if (p.kind == family::gemv) return certificate(vector_of(p));
  std::string numbers;
  for (int64 n : digest(p)) numbers += (numbers.empty() ? "" : ";") + number(n);
  return numbers + ' ' + term(p);
}

}  // namespace colex::gpu::terms
