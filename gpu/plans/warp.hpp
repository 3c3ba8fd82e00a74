// The plans of mma.sync kernels (warp.cuh), for every chip from Volta on: what a kernel takes from a plan, how a plan is made,
// and the laws of such plans (spec/plans.md). Which plans there are, warp_tables.hpp, sm80.hpp and sm120.hpp say.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/plans/factors.hpp"
#include "gpu/plans/plan.hpp"

#include <numeric>

namespace colex::gpu {

// A swizzle that shifts right repeats after so many elements.
constexpr int period_of(swizzle const& sw) { return 1 << (sw.base + sw.bits + sw.shift); }
// A swizzled address out of a thread's part and a step's. Bits that the swizzle changes are joined by exclusive or, those above
// by addition (laws: warp_steps_join, warp_sums_staged).
template <class Int>
constexpr Int joined_address(Int own, Int step, Int period) {
  return (own ^ step % period) + (step - step % period);
}

// An operand's path from global memory to registers. An index counts the elements of a stage, colexicographic in (row, k).
struct operand_path {
  layout copy;        // (thread, (element of a vector, step)) to the index: the copy to shared memory
  composed shared;    // the index to the element of shared memory
  copy_atom atom;     // loads fragments, in elements
  layout source;      // (thread, (element of a load, load)) to the index of the address that a thread gives
  layout fragment;    // (thread, value) to the index, as the MMA takes it
  int64 rows, depth;  // of a stage
  int bits;           // of an element
  int vector, steps;  // of a thread's copy: elements of a vector, vectors
  int width, loads;   // elements in a thread's registers after one load; loads of a stage

  constexpr int period() const { return period_of(shared.sw); }
  constexpr int at(int i) const { return shared.sw.unchecked(shared.inner.unchecked(i)); }
  // What one load brings to a thread.
  constexpr int bytes_of_load() const { return width * bits / 8; }
};

// Bytes along M or N: ldmatrix transposes neighbours together, and the kernel parts them in registers.
constexpr bool parts_bytes(plan const& p, operand x) {
  bool const is_a = x == operand::a;
  return bits_of(is_a ? p.a : p.b) == 8 && (is_a ? p.major_a : p.major_b) == major::mn;
}
// A register of parted bytes: those of two of ldmatrix's registers that prmt selects, the even or the odd ones.
struct parted_register {
  int first, second;
  std::uint32_t bytes;
};
// Two neighbours' registers for 16 steps of K, then for the next 16: those of both are rows of the two halves of an atom of A,
// whose registers alternate, or columns of two atoms of B.
constexpr parted_register part(operand x, int i) {
  int const half = x == operand::a ? i / 2 : i % 2, odd = x == operand::a ? i % 2 : i / 2;
  return {2 * half, 2 * half + 1, odd ? 0x7531U : 0x6420U};
}
// ldmatrix.x4.trans and what parts its registers: from 32 rows of 16 bytes a thread has eight steps of K of two neighbours.
constexpr copy_atom parting_load(operand x) {
  bool const is_a = x == operand::a;
  layout const rows = make_layout(make_layout(32, 128), make_layout(128, 1)),
               registers =
                   make_layout({{4, 8}, {8, 2, 2, 2, 2}}, {{256, 16}, {1, 128, 1024, is_a ? 8 : 2048, is_a ? 2048 : 8}});
  return {make_layout(32, 1), rows, registers, registers};
}
// The copy atom from shared memory to registers: ldmatrix.x4 where the device has it, for elements of at most 32 bits; it
// transposes 16 bits, or two bytes, which are parted.
constexpr copy_atom fragment_load(plan const& p, operand x) {
  int const bits = bits_of(x == operand::a ? p.a : p.b);
  major const along = x == operand::a ? p.major_a : p.major_b;
  bool const matrices = p.architecture >= 75 && bits <= 32;
  if (matrices && parts_bytes(p, x)) return in_elements(parting_load(x), bits);
  std::string_view const name = !matrices           ? "UniversalCopy<uint64_t>"
                                : along == major::k ? "SM75_U32x4_LDSM_N"
                                : bits == 32        ? "UniversalCopy<uint32_t>"
                                                    : "SM75_U16x8_LDSM_T";
  return in_elements(make_copy_atom(name), bits);
}

constexpr operand_path path_of(plan const& p, operand x) {
  bool const is_a = x == operand::a;
  operand_path r{};
  r.copy = is_a ? p.copy_a : p.copy_b;
  r.shared = is_a ? p.smem_a : p.smem_b;
  r.atom = fragment_load(p, x);
  tiled_copy const loads = make_tiled_copy(r.atom, p.mma, x);
  r.source = layout_tv(loads, side::source);
  r.fragment = layout_tv(p.mma, x);
  r.rows = is_a ? p.tile_m : p.tile_n;
  r.depth = p.tile_k;
  r.bits = bits_of(is_a ? p.a : p.b);
  r.vector = 8 * p.copy_alignment / r.bits;
  r.steps = static_cast<int>(size(r.copy, 1)) / r.vector;
  r.width = static_cast<int>(size(r.atom.dst, 1));
  r.loads = static_cast<int>(size(r.source, 1)) / r.width;
  return r;
}

// Atoms of a warp along M, N, K of the tile.
struct repeats {
  int m, n, k;
};
constexpr repeats repeats_of(plan const& p) {
  auto const of = [&](int mode, int64 tile) {
    return static_cast<int>(tile / (p.mma.atom.shape_mnk.value[mode] * size(p.mma.thr_layout_vmnk, mode + 1)));
  };
  return {of(0, p.tile_m), of(1, p.tile_n), of(2, p.tile_k)};
}

// (thread, value) to the index in the tile of D; and from there to the index in the piece that is staged at once.
constexpr layout fragment_c(plan const& p) { return layout_tv(p.mma, operand::c); }
constexpr int64 staged_index(plan const& p, int64 i) { return i % p.tile_m + i / p.tile_m * size(p.smem_d.inner, 0); }

// The stages with their scale factors, a piece of results for each warp, and 16 bytes for the barrier of asynchronous copies.
constexpr int64 warp_shared_bytes(plan const& p) {
  int64 const stage = bytes(p.a, p.tile_m * p.tile_k) + bytes(p.b, p.tile_n * p.tile_k);
  return p.stages * (stage + factor_bytes(p, p.tile_m) + factor_bytes(p, p.tile_n)) +
         p.threads / 32 * bytes(p.accumulator, size(p.smem_d.inner)) + (p.architecture >= 80 ? 16 : 0);
}

// How many of a warp's atoms along N are staged at once.
constexpr int staged_atoms(plan const& p) {
  int64 const of_warp = 32 * p.tile_m * p.tile_n / p.threads, pieces = of_warp / size(p.smem_d.inner);
  return static_cast<int>(repeats_of(p).n * repeats_of(p).m / pieces);
}
// Of a thread's sums in a piece so many are neighbours in a row: an atom's, or in turn those of two atoms.
constexpr int neighbouring_sums(plan const& p) { return parts_bytes(p, operand::b) ? 4 : 2; }
// The i-th of them, neighbours behind each other, as a value of fragment_c.
constexpr int staged_value(plan const& p, int i) {
  int const sums = static_cast<int>(size(p.mma.atom.c, 1)), of_column = sums * repeats_of(p).m;
  if (neighbouring_sums(p) == 2) return i % sums + i / sums * of_column;
  return i / 2 % sums + (i / (2 * sums) * 2 + i % 2) * of_column;
}

// The numbers of a plan but for its types.
struct warp_shape {
  int64 m, n, k;  // the tile
  int64 warps_m, warps_n;
  int stages;
  bool two_level_accumulation = false, unaligned = false;
  int alignment = 16;   // of what threads copy, in bytes
  int registers = 255;  // of a thread
};

namespace detail {

// whole / part. undefined: part does not divide whole, or the quotient is 0.
constexpr int64 divided(int64 whole, int64 part) {
  if (part <= 0 || whole < part || whole % part != 0) tile_does_not_divide();
  return whole / part;
}

constexpr bool is_volta(mma_atom const& atom) { return size(atom.thr_id) == 8; }

// Atoms over the warps of a block; a warp's tile is contiguous. Volta's four quad pairs of a warp make 16x16 of 8x8; the rows
// of the first half warp's threads follow each other, so that it has no bank conflict. Rows m and m + 8 of an atom are
// neighbours where A's bytes are parted, and columns of two atoms where B's are.
constexpr tiled_mma tiled_warps(mma_atom const& atom, warp_shape const& s, bool parts_a, bool parts_b) {
  bool const volta = is_volta(atom);
  int64 const quads = volta ? 2 : 1, m = quads * atom.shape_mnk.value[0], n = quads * atom.shape_mnk.value[1];
  auto const mode = [&](int64 step, int64 warps, int64 tile, bool parted) -> tiler {
    int64 const rest = divided(tile, step * warps), of_warp = tile / warps;
    if (volta) return make_layout({4, 2, 2, warps, rest}, {1, 8, 4, of_warp, step});
    if (parted && step == 16) return make_layout({8, 2, warps, rest}, {2, 1, of_warp, 16});
    if (parted) return make_layout({8, warps, 2, divided(rest, 2)}, {2, of_warp, 1, 16});
    return make_layout({step, warps, rest}, {1, of_warp, step});
  };
  layout const atoms = volta ? make_layout({{2, s.warps_m}, {2, s.warps_n}, 1}, {{1, 4}, {2, 4 * s.warps_m}, 0})
                             : make_layout({s.warps_m, s.warps_n, 1}, {1, s.warps_m, 0});
  divided(s.k, atom.shape_mnk.value[2]);
  return make_tiled_mma(atom, atoms, {mode(m, s.warps_m, s.m, parts_a), mode(n, s.warps_n, s.n, parts_b), make_layout(s.k, 1)});
}

constexpr int log2(int64 n) { return n > 1 ? 1 + log2(n / 2) : 0; }

// Lines of 128 bytes, or of 64 where a tile has no more, along the contiguous mode. A swizzle puts what one phase of a load
// reads (16 bytes of eight rows; 32 of four where threads load an element each) into other banks in each row. Of bytes along M
// or N a phase reads every other two of 16 steps of K: these lines lie behind each other.
constexpr int64 line_of(int64 extent, int bits) { return smaller(extent, 1024 / bits); }
constexpr composed swizzled_lines(int64 rows, int64 depth, int bits, major along) {
  int64 const line = line_of(along == major::k ? depth : rows, bits);
  bool const alone = bits == 64 || (bits == 32 && along == major::mn);
  int64 const unit = (alone ? 256 : 128) / bits, period = 1024 / bits;
  swizzle const sw{log2(divided(line, unit)), log2(unit), log2(period / unit)};
  if (along == major::k) return composition(sw, 0, make_layout({rows, {line, divided(depth, line)}}, {line, {1, rows * line}}));
  layout const lines = make_layout({line, divided(rows, line)}, {1, line * depth});
  if (bits > 8) return composition(sw, 0, make_layout(lines, make_layout(depth, line)));
  return composition(sw, 0,
                     make_layout(lines, make_layout({2, 2, 4, divided(depth, 16)}, {line, 8 * line, 2 * line, 16 * line})));
}

// The copy's threads: first along the vectors of a line, of so many elements, then from line to line.
constexpr layout copy_of_lines(int64 rows, int64 depth, int64 threads, int bits, int64 vector, major along) {
  int64 const line = line_of(along == major::k ? depth : rows, bits);
  int64 const across = divided(line, vector), down = divided(threads, across);
  if (along == major::k)
    return make_layout({{across, down}, {vector, divided(rows, down), divided(depth, line)}},
                       {{vector * rows, 1}, {rows, down, line * rows}});
  if (bits == 8 && down <= depth && down % 16 == 0)  // as the lines lie
    return make_layout({{across, 2, 4, 2, down / 16}, {vector, divided(depth, down), divided(rows, line)}},
                       {{vector, rows, 4 * rows, 2 * rows, 16 * rows}, {1, down * rows, line}});
  if (down <= depth)
    return make_layout({{across, down}, {vector, divided(depth, down), divided(rows, line)}},
                       {{vector, rows}, {1, down * rows, line}});
  int64 const lines = divided(down, depth);  // that are copied side by side
  return make_layout({{across, depth, lines}, {vector, divided(rows, line * lines)}},
                     {{vector, rows, line}, {1, line * lines}});
}

// The piece of results that a warp stages: lines of at most 128 bytes, swizzled for quads of threads that write two sums each,
// or four, in every row or, where A's bytes are parted, in every other. Of shorter lines those that have the same banks.
constexpr composed staged_sums(int64 rows, int64 columns, int bits, int sums, bool parts_a) {
  int const quad = sums == 4 ? 4 : 3, units = bits == 64 || sums == 4 ? 1 : 2, shift = log2(columns) - quad + parts_a;
  swizzle const sw = shift > 0 ? swizzle{std::min(units, shift), quad, std::max(units, shift)} : swizzle{0, quad, shift};
  return composition(sw, 0, make_layout({rows, columns}, {columns, 1}));
}

}  // namespace detail

constexpr plan warp_plan(int architecture, element a, element b, element sum, std::string_view atom, warp_shape const& s,
                         major major_a = major::k, major major_b = major::k) {
  plan p{};
  p.architecture = architecture;
  p.kind = family::warp;
  p.a = a, p.b = b, p.accumulator = sum;
  p.major_a = major_a, p.major_b = major_b;
  p.two_level_accumulation = s.two_level_accumulation;
  p.unaligned = s.unaligned;
  p.registers = s.registers;
  p.tile_m = s.m, p.tile_n = s.n, p.tile_k = s.k;
  p.stages = s.stages;
  p.threads = static_cast<int>(32 * s.warps_m * s.warps_n);
  p.mma = detail::tiled_warps(make_mma_atom(atom), s, parts_bytes(p, operand::a), parts_bytes(p, operand::b));
  int const bits = bits_of(a);
  p.smem_a = detail::swizzled_lines(s.m, s.k, bits, major_a);
  p.smem_b = detail::swizzled_lines(s.n, s.k, bits, major_b);
  p.copy_alignment = s.alignment;
  p.copy_a = detail::copy_of_lines(s.m, s.k, p.threads, bits, 8 * s.alignment / bits, major_a);
  p.copy_b = detail::copy_of_lines(s.n, s.k, p.threads, bits, 8 * s.alignment / bits, major_b);
  p.smem_d = detail::staged_sums(s.m / s.warps_m / repeats_of(p).m, std::gcd(1024 / bits_of(sum), s.n / s.warps_n),
                                 bits_of(sum), neighbouring_sums(p), parts_bytes(p, operand::a));
  p.shared = static_cast<int>(warp_shared_bytes(p));
  return p;
}

namespace detail {

// Which thread of a copy atom gives the address of a thread's value, and how many elements behind that address it is.
struct origin {
  int peer, element;
};
struct origins {
  static constexpr int most = 1024;  // 128 bits of four in each of 32 threads
  int threads, of_datum[most] = {};
  copy_atom const& atom;

  constexpr explicit origins(copy_atom const& a) : threads(static_cast<int>(size(a.src, 0))), atom(a) {
    if (size(a.src) > most || cosize(a.src) > most) extents_differ();
    for (int i = static_cast<int>(size(a.src)) - 1; i >= 0; --i) of_datum[a.src(i)] = i;
  }
  constexpr origin operator()(int thread, int value) const {
    int const i = of_datum[atom.dst(thread + threads * value)];
    return {i % threads, i / threads};
  }
};
constexpr bool fragments_arrive(plan const& p, operand_path const& x) {
  if (size(x.fragment, 0) != p.threads || size(x.fragment, 1) != int64{x.width} * x.loads) return false;
  origins const from(x.atom);
  for (int i = 0; i < p.threads * x.width; ++i) {
    int const thread = i % p.threads, peer = thread % from.threads, v = i / p.threads;
    origin const o = from(peer, v);
    for (int load = 0; load < p.threads * x.width * x.loads; load += p.threads * x.width)
      if (x.at(x.source.unchecked(thread - peer + o.peer + load)) + o.element != x.at(x.fragment.unchecked(i + load)))
        return false;
  }
  return true;
}
// A vector of the copy is contiguous in shared memory, too.
constexpr bool vectors_stay(plan const& p, operand_path const& x) {
  for (int64 t = 0; t < p.threads; ++t)
    for (int64 v = 0; v < size(x.copy, 1); ++v)
      if (x.shared(x.copy(t + p.threads * v)) != x.shared(x.copy(t + p.threads * (v - v % x.vector))) + v % x.vector)
        return false;
  return true;
}

// Is each address `joined_address`? tv takes (thread, value) to an index; a step has `width` values.
constexpr bool steps_join(composed const& shared, layout const& tv, int64 width, int64 period) {
  int64 const threads = size(tv, 0);
  for (int64 v = 0; v < size(tv, 1); v += width)
    for (int64 t = 0; t < threads; ++t)
      if (joined_address(shared(tv(t)), shared(tv(threads * v)), period) != shared(tv(t + threads * v))) return false;
  return true;
}
// No warp's access of `bytes` a thread has a bank conflict.
constexpr bool conflict_free(composed const& shared, layout const& tv, int64 width, int bits, int bytes) {
  int64 const threads = size(tv, 0);
  layout const lanes = composition(shared.inner, composition(get(tv, 0), make_layout(32, 1)));
  for (int64 v = 0; v < size(tv, 1); v += width)
    for (int64 first = threads * v; first < threads * v + threads; first += 32) {
      composed const warp = composition(shared.sw, int_tuple(shared.inner(tv(first))), lanes);
      for (int64 lane = 0; lane < 32; ++lane)
        if (warp(lane) != shared(tv(first + lane))) return false;
      if (bank_conflicts(warp, bits, bytes) != 0) return false;
    }
  return true;
}
// An operand lies in as many elements as its tile has.
constexpr bool lies_within(operand_path const& x) {
  for (int64 i = 0; i < x.rows * x.depth; ++i)
    if (x.shared(i) >= x.rows * x.depth) return false;
  return true;
}
template <class Law>
constexpr bool of_both(plan const& p, Law law) {
  return law(path_of(p, operand::a)) && law(path_of(p, operand::b));
}

}  // namespace detail

// A register is loaded with the element that the MMA takes it for.
constexpr bool warp_fragments_arrive(plan const& p) {
  return detail::of_both(p, [&](operand_path const& x) { return detail::fragments_arrive(p, x); });
}
// A vector in global memory is one in shared memory.
constexpr bool warp_vectors_stay(plan const& p) {
  return detail::of_both(
      p, [&](operand_path const& x) { return x.vector * x.bits == 8 * p.copy_alignment && detail::vectors_stay(p, x); });
}
constexpr bool warp_steps_join(plan const& p) {
  return detail::of_both(p, [&](operand_path const& x) {
    return detail::steps_join(x.shared, x.copy, x.vector, x.period()) &&
           detail::steps_join(x.shared, x.source, x.width, x.period());
  });
}
constexpr bool warp_conflict_free(plan const& p) {
  return detail::of_both(p, [&](operand_path const& x) {
    return detail::conflict_free(x.shared, x.copy, x.vector, x.bits, p.copy_alignment) &&
           detail::conflict_free(x.shared, x.source, x.width, x.bits, x.bytes_of_load());
  });
}
// Each sum is staged where the epilogue reads it: piece by piece, each element once, neighbours of a thread together at an
// address of its own part and a step's (`joined_address`), 16 bytes of a line contiguous; a line has 16 bytes of the shortest
// results.
constexpr bool warp_sums_staged(plan const& p) {
  layout const c = fragment_c(p);
  repeats const r = repeats_of(p);
  int64 const rows = size(p.smem_d.inner, 0), columns = size(p.smem_d.inner, 1), sums = size(p.mma.atom.c, 1);
  int64 const chunk = 128 / bits_of(p.accumulator), atoms = staged_atoms(p), of_piece = sums * atoms;
  int64 const shortest = p.accumulator == element::s32 ? 8 : bits_of(p.accumulator) / 2;
  if (32 * of_piece != size(p.smem_d.inner) || r.n % atoms != 0 || columns * shortest % 128 != 0) return false;
  auto const staged_at = [&](int64 t, int64 v) { return p.smem_d(staged_index(p, c(t + p.threads * v))); };
  int64 const period = period_of(p.smem_d.sw);
  index_set seen;
  for (int64 t = 0; t < p.threads; ++t)
    for (int64 i = 0, last = 0; i < size(c, 1); ++i) {
      int64 const piece = i / of_piece, m = piece % r.m, n = piece / r.m, v = staged_value(p, static_cast<int>(i % of_piece));
      int64 const local = c(t % 32 + p.threads * v), origin = c(t / 32 * 32) + m * rows + n * columns * p.tile_m;
      if (c(t + p.threads * (v + sums * (m + r.m * atoms * n))) != origin + local || local % p.tile_m >= rows) return false;
      int64 const at = staged_at(t % 32, v);
      if (t < 32 && piece == 0 && (at >= size(p.smem_d.inner) || !seen.insert(at))) return false;
      bool const is_first = i % neighbouring_sums(p) == 0;
      if (at != (is_first ? joined_address(staged_at(t % 32, 0), staged_at(0, v), period) : last + 1)) return false;
      last = at;
    }
  for (int64 i = 0; i < size(p.smem_d.inner); ++i) {
    int64 const row = i % rows, column = i / rows;
    if (p.smem_d(i) != p.smem_d(row + rows * (column - column % chunk)) + column % chunk) return false;
  }
  return seen.count == size(p.smem_d.inner);
}
// The number of atoms along K is even, because fragments are double-buffered, and each has whole loads; a stage's operands lie
// in its memory; the architecture has the threads and memory.
constexpr bool warp_fits(plan const& p) {
  int const along_k = repeats_of(p).k;
  auto const holds = [&](operand_path const& x) { return x.loads % along_k == 0 && detail::lies_within(x); };
  return along_k > 0 && along_k % 2 == 0 && p.threads <= 1024 && p.stages >= 2 && p.shared >= warp_shared_bytes(p) &&
         p.shared <= shared_limit(p.architecture) && detail::of_both(p, holds);
}

}  // namespace colex::gpu
