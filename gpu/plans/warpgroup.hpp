// The plans of sm90: wgmma by warpgroups of four warps, out of shared memory that TMA fills. How a plan is made, where threads
// hold what, and the laws of such plans (spec/plans.md). Which plans there are, warpgroup_table.hpp says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/algebra/bank_conflicts.hpp"
#include "gpu/plans/plan.hpp"

#include <algorithm>

namespace colex::gpu {

// Bytes of a warp's largest staged piece of any kind, or of its quarter of a warpgroup's; at least 16 rows of 128 bytes, a
// multiple of what a swizzle needs. Sums that threads store may use all that a warp has.
constexpr int64 largest_piece_bytes(plan const& p) {
  int64 most = 16 * 128;
  for (composed const& a : {p.smem_d, p.warpgroup.smem_half_columns}) most = std::max(most, bytes(element::f16, size(a.inner)));
  for (composed const& a : {p.warpgroup.smem_words, p.warpgroup.smem_columns})
    most = std::max(most, bytes(element::f32, size(a.inner)));
  most = std::max(most, bytes(element::f16, size(p.warpgroup.smem_group_columns.inner)) / 4);
  return ceil_div(most, 512) * 512;
}
// wgmma takes no tf32 of B that is contiguous along N: the producer's other warps transpose it, in the stage's memory.
template <class Plan>
constexpr bool transposes_b(Plan const& p) {
  return p.b == element::tf32 && p.major_b == major::mn;
}
// The mode along which wgmma finds B in a stage.
constexpr major staged_major_b(plan const& p) { return transposes_b(p) ? major::k : p.major_b; }
// A warp transposes squares of so many words each way, in rows of 128 bytes. A lane has two blocks of 4 x 4 words: of each it
// reads four vectors along N and writes four along K, so that word j of the i-th one read is word i of the j-th one written.
// The byte of vector i, 0 to 7, of a square that begins at `at`, a multiple of 1024. Neighbouring lanes have blocks of other
// rows and other columns: no bank conflicts.
inline constexpr int64 square_extent = 32;
COLEX_HD constexpr std::uint32_t square_read(std::uint32_t at, int lane, int i) {
  int const column = lane % 8, row = column ^ (lane / 8) ^ (4 * (i / 4));
  return ((at + 512 * row + 16 * (column ^ (4 * (row % 2)))) ^ (16 * (i % 4))) + 128 * (i % 4);
}
COLEX_HD constexpr std::uint32_t square_write(std::uint32_t at, int lane, int i) {
  int const column = lane % 8, row = column ^ (lane / 8);
  return ((at + 512 * column + 16 * (row ^ (4 * (column % 2)))) ^ (64 * (i / 4)) ^ (16 * (i % 4))) + 128 * (i % 4);
}

constexpr int consumer_warps(plan const& p) { return p.threads / 32 - 4; }
// The stages, what warps stage results in, the barriers, and up to 1024 bytes to align the first stage.
constexpr int64 warpgroup_shared_bytes(plan const& p) {
  int64 const stages = p.stages * bytes(p.a, p.tile_k * (p.tile_m + p.tile_n));
  return stages + consumer_warps(p) * p.warpgroup.epilogue_bytes + (transposes_b(p) ? 24 : 16) * p.stages +
         8 * p.warpgroup.pingpong_groups + 1024;
}

struct warpgroup_options {
  major a = major::k, b = major::k;
  int cluster_m = 1, cluster_n = 1;
  int pingpong_groups = 1;  // the consumer warpgroups of a group cooperate on one tile
  bool two_level_accumulation = false;
};

namespace detail {

// The most columns up to `most` that divide a tile's n and are a multiple of 8: an odd one if `odd`.
constexpr int64 piece_columns(int64 n, int64 most, bool odd) {
  int64 columns = 8;
  for (int64 x = 8; x <= most && x <= n; x += 8)
    if (n % x == 0 && (!odd || x % 16 == 8)) columns = x;
  return columns;
}
// A staged piece of a warp's 16 rows, of elements of `element_bytes`. Rows of 128 or 64 bytes are swizzled; other rows are an
// odd multiple of 8 elements, which has no bank conflict without a swizzle. `most` bounds those.
constexpr composed smem_rows(int64 n, int64 element_bytes, int64 most) {
  int64 const base = element_bytes == 2 ? 3 : 2, line = 128 / element_bytes;
  for (int bits : {3, 2})
    if (int64 const columns = line >> (3 - bits); n % columns == 0 && columns >= 32)
      return composition(swizzle{bits, static_cast<int>(base), 3}, 0, make_layout({16, columns}, {columns, 1}));
  int64 const columns = piece_columns(n, most, true);
  return view(0, make_layout({16, columns}, {columns, 1}));
}
// A staged piece of so many rows, whose columns are contiguous: 32, 64 or 128 bytes of each, swizzled.
constexpr composed smem_columns(int64 rows, int64 n, int64 element_bytes) {
  int64 const columns = piece_columns(n, 128 / element_bytes, false);
  int64 const run = rows * element_bytes;
  swizzle const sw{run == 128 ? 3 : run == 64 ? 2 : 1, element_bytes == 2 ? 3 : 2, 3};
  return composition(sw, 0, make_layout({rows, columns}, {1, rows}));
}
// Eight rows of sums that threads store, in `most` elements: of 128 columns, or of 64, 32 or 16; the last piece of a row of
// tiles may have fewer.
constexpr composed smem_sums(int64 n, int64 most) {
  int64 columns = 128;
  int shift = 4;
  while (8 * columns > most || columns / 2 >= n) columns /= 2, --shift;
  return composition(swizzle{shift < 2 ? 1 : 2, 3, shift}, 0, make_layout({8, columns}, {columns, 1}));
}
// Has a warp's ring, or a warpgroup's, room for a piece of such results? Pieces lie in it one behind another, each where a
// swizzle begins anew. The tile's columns are a multiple of theirs.
constexpr bool ring_holds(plan const& p, composed const& piece, int element_bytes) {
  int64 const size_in_bytes = size(piece.inner) * element_bytes, ring = size(piece.inner, 0) / 16 * p.warpgroup.epilogue_bytes;
  int64 const swizzled = int64{element_bytes} << (piece.sw.bits == 0 ? 0 : piece.sw.bits + piece.sw.base + piece.sw.shift);
  int64 const unit = std::max<int64>(swizzled, 128);  // TMA reads shared memory from there on
  return p.tile_n % size(piece.inner, 1) == 0 && size_in_bytes <= ring && size_in_bytes % unit == 0 && ring % unit == 0;
}
constexpr bool ring_holds_pieces(plan const& p) {
  warpgroup_part const& of = p.warpgroup;
  return ring_holds(p, p.smem_d, 2) && ring_holds(p, of.smem_half_columns, 2) && ring_holds(p, of.smem_group_columns, 2) &&
         ring_holds(p, of.smem_words, 4) && ring_holds(p, of.smem_columns, 4);
}

}  // namespace detail

// How a tile's pieces of one kind, so many of them, go through the ring of those who store them together: piece i through slot
// i % slots.
struct piece_ring {
  int pieces, slots;

  // The stores before piece i that need not have read their slots when it is staged: those of the other slots. Where the last
  // tile's pieces did not fill the ring, its first one waits for all.
  COLEX_HD constexpr int unread(int i) const { return i == 0 && pieces % slots != 0 ? 0 : slots - 1; }
};
constexpr piece_ring ring_of(plan const& p, composed const& piece, int element_bytes) {
  int64 const consumers = p.threads / 128 - 1, rows = p.tile_m * p.warpgroup.pingpong_groups / consumers;
  int64 const pieces = rows / 64 * (p.tile_n / size(piece.inner, 1)),
              held = size(piece.inner, 0) / 16 * p.warpgroup.epilogue_bytes / (size(piece.inner) * element_bytes);
  return {static_cast<int>(pieces), static_cast<int>(smaller(held, pieces))};
}
// Room for two of a warp's largest pieces, so that one is stored while the next is staged, or as much of it as the stages
// leave.
constexpr int epilogue_bytes_that_fit(plan p) {
  int64 const largest = largest_piece_bytes(p);
  p.warpgroup.epilogue_bytes = static_cast<int>(largest);
  int64 const spare = std::max<int64>(shared_limit(90) - warpgroup_shared_bytes(p), 0) / consumer_warps(p);
  return static_cast<int>(largest + smaller(spare / 1024, ceil_div(largest, 1024)) * 1024);
}

// The consumer warpgroups of a plan. Each multiplies 64 or 128 rows.
constexpr int consumers_of(int64 m, int pingpong_groups) {
  return m % 128 == 0 || pingpong_groups > 1 ? 2 : m % 192 == 0 ? 3 : 1;
}
// What a consumer's thread has: beside a producer's, of one consumer as many as there are, of two what the producer's 56 leave,
// or 72 where it transposes, of three its share.
constexpr int consumer_registers(int consumers, bool transposes) {
  if (consumers == 2) return transposes ? 216 : 224;
  return consumers == 1 ? 255 : 128;
}

constexpr plan warpgroup_plan(element a, element b, int64 m, int64 n, int stages, warpgroup_options const& o = {}) {
  plan p;
  int64 const k = row_elements(a);
  p.architecture = 90;
  p.kind = family::warpgroup;
  p.a = a, p.b = b;
  p.accumulator = is_integer(a) ? element::s32 : element::f32;
  p.major_a = o.a, p.major_b = o.b;
  p.two_level_accumulation = o.two_level_accumulation;
  p.tile_m = m, p.tile_n = n, p.tile_k = k;
  p.stages = stages, p.cluster_m = o.cluster_m, p.cluster_n = o.cluster_n;
  int const consumers = consumers_of(m, o.pingpong_groups);
  p.threads = 128 * (consumers + 1);
  p.registers = consumer_registers(consumers, transposes_b(p));
  p.warpgroup.pingpong_groups = o.pingpong_groups;
  int const cooperative_warpgroups = consumers / o.pingpong_groups;
  p.mma = make_tiled_mma(
      detail::gmma(n, k / 4, bits_of(a), false, false), make_layout({cooperative_warpgroups, 1, 1}, {1, 0, 0}),
      {make_layout({64, cooperative_warpgroups, m / cooperative_warpgroups / 64}, {1, m / cooperative_warpgroups, 64}), n, _});
  p.smem_a = tma_smem_layout(o.a, a, m, k), p.smem_b = tma_smem_layout(staged_major_b(p), b, n, k);
  p.copy_a = tma_boxes(o.a, a, m, k), p.copy_b = tma_boxes(o.b, b, n, k);
  bool const words = bits_of(a) == 32 || is_integer(a);  // the type of most results
  p.smem_d = detail::smem_rows(n, 2, 160);
  p.warpgroup.smem_words = detail::smem_rows(n, 4, words ? 96 : 32);
  p.warpgroup.smem_columns = detail::smem_columns(16, n, 4);
  p.warpgroup.smem_half_columns = detail::smem_columns(16, n, 2);
  p.warpgroup.smem_group_columns = detail::smem_columns(64, n, 2);
  p.warpgroup.epilogue_bytes = epilogue_bytes_that_fit(p);
  p.warpgroup.smem_sums = detail::smem_sums(n, p.warpgroup.epilogue_bytes / 4);
  p.shared = static_cast<int>(warpgroup_shared_bytes(p));
  return p;
}

// Of a lane's accumulator registers 2j and 2j + 1 of an atom: the row, of the warp's 16, and the first of the two columns.
struct tile_coordinate {
  int row, column;
};
COLEX_HD constexpr tile_coordinate accumulator_coordinate(int lane, int j) {
  return {lane / 4 + 8 * (j % 2), 8 * (j / 2) + 2 * (lane % 4)};
}

// Does wgmma take A from registers? From shared memory it takes no tf32 that is contiguous along M.
constexpr bool a_from_registers(plan_summary const& p) { return p.a == element::tf32 && p.major_a == major::mn; }
// Of element i of a lane's fragment of A (16x8 a warp): its coordinate, and in which of the four accesses it is read. The lower
// and the upper half of a warp read in another order, so that its 32 words lie in 32 banks.
COLEX_HD constexpr tile_coordinate fragment_coordinate(int lane, int i) {
  return {lane / 4 + 8 * (i % 2), lane % 4 + 4 * (i / 2)};
}
COLEX_HD constexpr int fragment_read(int lane, int access) { return lane < 16 ? access : access ^ 2; }

// What ptxas takes for a wgmma beside its accumulators.
inline constexpr int64 registers_beside_sums = 26;
// A thread's accumulators of a tile. With two-level accumulation: do the accumulators of two stages fit beside them?
constexpr int64 accumulators_of_thread(plan_summary const& p) { return p.tile_m * p.tile_n / p.consumers; }
constexpr bool holds_two_stages(plan const& p) { return 3 * accumulators_of_thread(p) + registers_beside_sums <= p.registers; }

// Splits of K in a cluster at most, of which so many are read at once where they are reduced.
inline constexpr int split_limit = 16, splits_at_once = 8;
// Can the blocks of a cluster multiply splits of K of one tile, or groups of them that share operands the splits of a group of
// tiles, and reduce them? Their sums take the place of the stages; a thread has 96 at most, and registers for four of each of
// some blocks beside what its mainloop holds.
constexpr bool reduces_split_k(plan_summary const& p) {
  int64 const sums = accumulators_of_thread(p), held = sums * (p.two_level_accumulation ? 3 : 1);
  bool const in_registers = sums <= 96 && held + 4 * splits_at_once + registers_beside_sums <= p.registers;
  return p.pingpong_groups == 1 && in_registers && sums_fit_stages(p);
}

// The strides of a matrix descriptor, in bytes, of swizzled 128-byte rows: from eight rows (or eight of K) to the next eight,
// and from one 128-byte run along M or N to the next (PTX ISA, "Strides").
struct descriptor_strides {
  int leading, stride;
};
constexpr descriptor_strides strides_of(plan const& p, major along) {
  return {along == major::k ? 16 : static_cast<int>(128 * p.tile_k), 1024};
}

namespace detail {

// The byte where TMA puts byte x, and where wgmma looks for it: 16-byte units are swizzled among eight rows of 128 bytes.
constexpr int64 swizzled_bytes(int64 x) { return x ^ (x >> 7 & 7) << 4; }

// Where the v-th element of an operand's boxes comes to lie, but for the swizzle: TMA writes them in order, and each square of
// B may be transposed.
constexpr layout landed(plan const& p, bool is_a) {
  int64 const all = size(is_a ? p.copy_a : p.copy_b);
  if (is_a || !transposes_b(p)) return make_layout(all, 1);
  constexpr int64 square = square_extent * square_extent;
  return make_layout({square_extent, square_extent, all / square}, {square_extent, 1, square});
}
// Does a warp that reads and writes so move each word of a square, once, to the row of its column? read, write: (lane, vector)
// to the byte, as above.
template <class Read, class Write>
constexpr bool transposes_square(Read read, Write write) {
  index_set seen;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 32; ++i) {  // word `word` of vector `vector` of a block
      int const block = i / 16, vector = i / 4 % 4, word = i % 4;
      int64 const from = read(lane, 4 * block + vector) + 4 * word, to = write(lane, 4 * block + word) + 4 * vector;
      int64 const place = swizzled_bytes(from) / 4, row = place % square_extent, column = place / square_extent;
      if (!seen.insert(place) || to != swizzled_bytes(4 * (column + square_extent * row))) return false;
    }
  return true;
}
// Has no access of eight neighbours, 16 bytes each, a bank conflict?
template <class Access>
constexpr bool squares_are_free(Access byte) {
  for (int i = 0; i < 8; ++i)
    for (int first = 0; first < 32; first += 8) {
      unsigned units = 0;
      for (int lane = first; lane < first + 8; ++lane) units |= 1u << byte(lane, i) / 16 % 8;
      if (units != 255) return false;
    }
  return true;
}
inline constexpr auto read_of_square = [](int lane, int i) { return square_read(0, lane, i); };
inline constexpr auto write_of_square = [](int lane, int i) { return square_write(0, lane, i); };
static_assert(transposes_square(read_of_square, write_of_square));
static_assert(squares_are_free(read_of_square) && squares_are_free(write_of_square));
// TMA, and who transposes, put the v-th element of the boxes where the plan says.
constexpr bool tma_agrees(layout const& boxes, layout const& places, composed const& smem, int64 element_bytes) {
  for (int64 v = 0; v < size(boxes); ++v)
    if (swizzled_bytes(places(v) * element_bytes) != smem(boxes(v)) * element_bytes) return false;
  return true;
}
// A wgmma whose operand begins at (row, k) of a stage finds at its (i, j) the plan's (row + i, k + j).
constexpr bool instruction_agrees(composed const& smem, major along, descriptor_strides by, int64 row, int64 rows, int64 k,
                                  int64 depth, int64 all_rows, int64 element_bytes) {
  int64 const run = 128 / element_bytes, begin = smem.inner(row + all_rows * k) * element_bytes;
  for (int64 j = 0; j < depth; ++j) {
    for (int64 i = 0; i < rows; ++i) {
      int64 const at = along == major::k ? i / 8 * by.stride + i % 8 * 128 + j * element_bytes
                                         : i / run * by.leading + i % run * element_bytes + j / 8 * by.stride + j % 8 * 128;
      if (swizzled_bytes(begin + at) != smem(row + i + all_rows * (k + j)) * element_bytes) return false;
    }
  }
  return true;
}
// A from registers: in each of its four accesses, a thread's element for the k-th wgmma lies k times one constant behind that
// for the first; no warp's access has a bank conflict.
constexpr bool fragments_agree(plan const& p) {
  int64 const depth = p.mma.atom.shape_mnk.value[2], step = p.smem_a(p.tile_m * depth) - p.smem_a(0);
  for (int64 warp = 0; warp < p.tile_m / 16; ++warp)
    for (int access = 0; access < 4; ++access) {
      std::uint32_t banks = 0;
      for (int lane = 0; lane < 32; ++lane) {
        tile_coordinate const at = fragment_coordinate(lane, fragment_read(lane, access));
        int64 const row = 16 * warp + at.row, first = p.smem_a(row + p.tile_m * at.column);
        banks |= 1u << (first % 32);
        for (int64 k = 0; k < p.tile_k; k += depth)
          if (p.smem_a(row + p.tile_m * (at.column + k)) != first + k / depth * step) return false;
      }
      if (banks != ~0u) return false;
    }
  return true;
}
constexpr bool operand_agrees(plan const& p, bool is_a) {
  if (is_a && a_from_registers(p)) return fragments_agree(p);
  composed const& smem = is_a ? p.smem_a : p.smem_b;
  major const along = is_a ? p.major_a : staged_major_b(p);
  if (along != major::k && bits_of(p.a) != 16) return false;  // wgmma has no transposed operand of this type
  int64 const rows = is_a ? p.tile_m : p.tile_n, atom = is_a ? 64 : p.tile_n, depth = p.mma.atom.shape_mnk.value[2];
  for (int64 k = 0; k < p.tile_k; k += depth)
    for (int64 row = 0; row < rows; row += atom)
      if (!instruction_agrees(smem, along, strides_of(p, along), row, atom, k, depth, rows, bytes(p.a, 1))) return false;
  return true;
}

// Are eight neighbours of 16 bytes each free of bank conflicts?
constexpr bool column_is_free(composed const& smem, layout const& eight, int64 bits) {
  return bank_conflicts(composition(smem.sw, 0, composition(smem.inner, eight)), bits, 16) == 0;
}

}  // namespace detail

// TMA, and who transposes what it wrote, put each element where wgmma, or the thread that loads it for wgmma, looks for it.
constexpr bool warpgroup_plan_dataflow(plan const& p) {
  return detail::tma_agrees(p.copy_a, detail::landed(p, true), p.smem_a, bytes(p.a, 1)) &&
         detail::tma_agrees(p.copy_b, detail::landed(p, false), p.smem_b, bytes(p.b, 1)) && detail::operand_agrees(p, true) &&
         detail::operand_agrees(p, false);
}
// The epilogue stores each register as the element of the tile that the MMA computed in it.
constexpr bool warpgroup_plan_registers(plan const& p) {
  layout const tv = layout_tv(p.mma, operand::c);
  int64 const threads = size(tv, 0), values = p.tile_n / 2, rows = p.tile_m / (threads / 128);
  for (int64 i = 0; i < size(tv); ++i) {
    int64 const thread = i % threads, v = i / threads, atom = v / values, register_ = v % values;
    tile_coordinate const at = accumulator_coordinate(static_cast<int>(thread % 32), static_cast<int>(register_ / 2));
    int64 const row = thread / 128 * rows + 64 * atom + thread % 128 / 32 * 16 + at.row;
    if (tv(i) != row + p.tile_m * (at.column + register_ % 2)) return false;
  }
  return true;
}
// Eight rows of a column, which wgmma and stmatrix access at once, have no bank conflict.
constexpr bool warpgroup_plan_conflict_free(plan const& p) {
  bool const along_k = p.major_a == major::k;
  layout const rows = make_layout(8, 1), of_a = along_k ? rows : make_layout(8, p.tile_m);
  layout const of_b = staged_major_b(p) == major::k ? rows : make_layout(8, p.tile_n);
  return detail::column_is_free(p.smem_a, of_a, bits_of(p.a)) && detail::column_is_free(p.smem_b, of_b, bits_of(p.b)) &&
         detail::column_is_free(p.smem_d, rows, 16) &&
         detail::column_is_free(p.warpgroup.smem_half_columns, make_layout(8, 16), 16) &&
         detail::column_is_free(p.warpgroup.smem_group_columns, make_layout(8, 64), 16);
}
// Do the blocks of a cluster that share an operand across K load some of its rows each? Otherwise each loads some of K.
constexpr bool shares_rows(plan const& p, int64 rows, int peers) { return rows % (row_elements(p.a) * peers) == 0; }
// The device has the registers and shared memory; blocks of a cluster share whole TMA boxes of at most 256 rows.
constexpr bool warpgroup_plan_fits(plan const& p) {
  auto const boxes = [&](major along, int64 rows, int peers) {
    if (along == major::k) return rows % (8 * peers) == 0 && rows / peers <= 256;
    return rows % row_elements(p.a) == 0 && (shares_rows(p, rows, peers) || p.tile_k % (8 * peers) == 0);
  };
  bool const shares = boxes(p.major_a, p.tile_m, p.cluster_n) && boxes(p.major_b, p.tile_n, p.cluster_m);
  int64 const cooperative_warpgroups = size(p.mma.thr_layout_vmnk) / 128, consumers = p.threads / 128 - 1;
  bool const rows = p.tile_m % (64 * cooperative_warpgroups) == 0 && p.tile_n % 16 == 0 && p.tile_n <= 256;
  // Two-level accumulation holds the accumulators of one or two stages besides; A from registers, the fragments of two stages.
  int64 const sums = accumulators_of_thread(p) * (!p.two_level_accumulation ? 1 : holds_two_stages(p) ? 3 : 2);
  int64 const fragments = a_from_registers(p) ? 2 * p.tile_m / cooperative_warpgroups * p.tile_k / 128 : 0;
  bool const staged = detail::ring_holds_pieces(p) && size(p.warpgroup.smem_sums.inner) * 4 <= p.warpgroup.epilogue_bytes;
  return shares && rows && cooperative_warpgroups * p.warpgroup.pingpong_groups == consumers && staged && p.stages >= 2 &&
         sums + fragments + registers_beside_sums <= p.registers && p.shared >= warpgroup_shared_bytes(p) &&
         p.shared <= shared_limit(90) && p.cluster_m * p.cluster_n <= cluster_limit;
}

}  // namespace colex::gpu
