// How atoms, the tilings of them, the tensors these divide and contractions are drawn.
// SPDX-License-Identifier: Apache-2.0
#include "ref/answer.hpp"
#include "tests/suite/arguments/drawers.hpp"

#include <numeric>

namespace colex::drawing {
namespace {

value respond(std::string op, std::vector<value> args) {
  answer const a = ref::respond({std::move(op), std::move(args)});
  return a ? a.result : value();
}
value choose(choices& c, std::vector<char const*> const& names) { return word_of(names[c.below(names.size())]); }

number some_cut(choices& c, std::vector<number> const& radix) {
  std::vector<number> const cuts = cuts_of(c, radix, 0);
  return cuts[c.below(cuts.size())];
}
// n, or two extents of that product, now and then many.
value in_parts(choices& c, number n) {
  if (!one_in(c, 8)) return value(integer(n));
  std::vector<value> parts;
  for (std::size_t k = one_in(c, 6) ? few_leaves : 1; k > 0; --k) {
    number const front = some_cut(c, {n});
    parts.emplace_back(integer(front));
    n /= front;
  }
  parts.emplace_back(integer(n));
  return tuple_of(std::move(parts));
}
// A layout with a mode of each of these extents, compact in a random order; extent 1 has stride 0.
value compact(choices& c, std::vector<number> const& extents) {
  std::vector<value> modes;
  for (number n : extents) modes.push_back(in_parts(c, n));
  value const shape = tuple_of(std::move(modes));
  leaf_vector const placed = nested_leaves(c, extents_of(layout_of(shape, shape)), {1}, true);
  auto next = [l = placed.begin()](value const& s, value const&) mutable {
    integer const d((l++)->stride);
    return value(s == value(1) ? integer(0) : d);
  };
  return layout_of(shape, map_strides(shape, shape, next));
}
// Threads over the first modes of A, as many along each as divide it.
value draw_grid(choices& c, value const& tensor) {
  value const& a = layout_in(tensor);
  std::vector<number> extents;
  for (std::size_t k = 0, n = 1 + c.below(rank(a)); k < n; ++k) extents.push_back(some_cut(c, radix(mode(a, k))));
  return compact(c, extents);
}

// One atom of each kind of fragment, small ones first.
value draw_mma(choices& c) {
  return choose(
      c, {"UniversalFMA", "SM61_DP4A", "SM80_8x8x4_F64F64F64F64_TN", "SM70_8x8x4_F32F16F16F32_NT", "SM70_8x8x4_F16F16F16F16_TN",
          "UniversalFMA", "SM75_16x8x8_F32F16F16F32_TN", "SM80_16x8x8_F32TF32TF32F32_TN", "SM75_8x8x16_S32S8S8S32_TN",
          "SM80_16x8x16_F32F16F16F32_TN", "SM89_16x8x32_F32E4M3E4M3F32_TN", "SM90_16x8x4_F64F64F64F64_TN",
          "SM90_64x8x16_F32F16F16_RS", "SM90_64x8x16_F32F16F16_SS", "SM120_16x8x32_TN<float_e4m3_t,float_e4m3_t,float>"});
}
value draw_small_mma(choices& c) {
  return choose(
      c, {"UniversalFMA", "SM61_DP4A", "SM80_8x8x4_F64F64F64F64_TN", "SM70_8x8x4_F32F16F16F32_NT", "SM70_8x8x4_F16F16F16F16_TT",
          "SM75_8x8x16_S32S8S8S32_TN", "SM80_16x8x4_F32TF32TF32F32_TN", "SM75_16x8x8_F32F16F16F32_TN"});
}
number extent(value const& shape, std::size_t k) { return static_cast<number>(size(shape.items.at(k))); }
constexpr number most_elements = 256;

value draw_atoms(choices& c, value const& atom) {
  value const s = respond("mma_atom", {atom, word_of("Shape_MNK")});
  number const room = std::max<number>(1, most_elements / (extent(s, 0) * extent(s, 1)));
  number const m = std::min(room, pick(c, {1, 2, 4, 3, 8})), n = std::min(room / m, pick(c, {1, 2, 4, 8}));
  return compact(c, {m, n, pick(c, {1, 1, 1, 2})});
}
// A tile of n positions, perhaps twice as many, in another order.
value draw_permuted(choices& c, number n) {
  if (c.below(2) == 0) return word_of("_");
  n *= one_in(c, 24) ? 512 : pick(c, {1, 2});
  if (c.below(2) == 0) return value(integer(n));
  number const part = some_cut(c, {n});
  return compact(c, {part, n / part});
}
value draw_permutation(choices& c, value const& mma) {
  value const s = respond("mma_atom", {mma.items[0], word_of("Shape_MNK")});
  std::vector<value> items;
  for (std::size_t k = 0; k < 3; ++k)
    items.push_back(draw_permuted(c, extent(s, k) * static_cast<number>(size(mode(mma.items[1], k)))));
  return {kind::tiler, std::move(items)};
}
// Strides of parts that continue each other.
value continued(value const& shape, value d) {
  if (!shape.is(kind::tuple)) return d;
  std::vector<value> strides;
  for (value const& s : shape.items) {
    strides.push_back(d);
    d.number *= s.number;
  }
  return tuple_of(std::move(strides));
}
// Leaves as modes, each perhaps in parts.
value as_modes(choices& c, leaf_vector const& a) {
  std::vector<value> shape, stride;
  for (leaf const& l : a) {
    shape.push_back(in_parts(c, l.extent));
    stride.push_back(continued(shape.back(), value(integer(l.stride), l.basis)));
  }
  return layout_of(tuple_of(std::move(shape)), tuple_of(std::move(stride)));
}
// A matrix of whole tiles: rows or columns first, perhaps padded, in stages, broadcast or backwards.
leaf_vector whole_tiles(choices& c, number m, number n) {
  m *= one_in(c, 24) ? 64 : pick(c, {1, 2});
  n *= one_in(c, 24) ? 64 : pick(c, {1, 2});
  number const pad = one_in(c, 16) ? large_extent(c) : pick(c, {0, 0, 8});
  bool const rows = c.below(2) == 1;
  leaf_vector a{{m, rows ? n + pad : 1}, {n, rows ? 1 : m + pad}};
  if (one_in(c, 8)) a.push_back({pick(c, {2, 1, 3}), rows ? m * (n + pad) : n * (m + pad)});
  if (one_in(c, 12)) a[c.below(a.size())].stride = 0;
  if (one_in(c, 12)) a[c.below(a.size())].stride *= -1;
  return a;
}
// That, or behind a swizzle, or the coordinates of its elements.
value as_tensor(choices& c, leaf_vector a) {
  std::size_t const how = c.below(8);
  for (std::size_t k = 0; k < a.size(); ++k)
    if (how == 6)
      a[k].stride = std::abs(a[k].stride);
    else if (how == 7)
      a[k] = {a[k].extent, 1, {static_cast<int>(k)}};
  value const tensor = as_modes(c, a);
  return how == 6 ? value(kind::composed, {draw_swizzle(c), value(0), tensor}) : tensor;
}
// Of a tile that there is not: 1.
number extent_of_tile(value const& tile, std::size_t k) { return tile.is(kind::tuple) ? extent(tile, k) : 1; }
template <std::size_t I, std::size_t J, auto Spelled>
value draw_operand(choices& c, value const& mma) {
  value const tile = respond("tiled_mma_tile_shape", mma.items);
  return Spelled(c, whole_tiles(c, extent_of_tile(tile, I), extent_of_tile(tile, J)));
}
// Of the operand that stands before the tiled MMA; of a small tile often many.
template <auto Spelled>
value draw_matrix_of(choices& c, value const& all) {
  value const tile = respond("tiled_mma_tile_shape", {all.items[1], all.items[2], all.items[3]});
  number m = extent_of_tile(tile, all.items[0].is("B") ? 1 : 0), n = extent_of_tile(tile, all.items[0].is("C") ? 1 : 2);
  if (m * n <= 8 && one_in(c, 3)) (c.below(2) == 0 ? m : n) *= 512;
  return Spelled(c, whole_tiles(c, m, n));
}

std::vector<char const*> const copies = {
    "UniversalCopy<uint16_t>",  "UniversalCopy<uint32_t>", "SM80_CP_ASYNC_CACHEALWAYS<uint64_t>",
    "UniversalCopy<uint128_t>", "SM75_U32x1_LDSM_N",       "SM75_U32x4_LDSM_N",
    "SM75_U16x2_LDSM_T",        "SM75_U16x8_LDSM_T",       "SM90_U32x2_STSM_N"};
value draw_copy(choices& c) { return choose(c, copies); }
// One whose threads and values divide those of an operand.
value draw_operand_copy(choices& c, value const& all) {
  value const tv = respond("tiled_mma_layout" + all.items[0].word + "_TV", {all.items[1], all.items[2], all.items[3]});
  if (!tv.is(kind::layout)) return draw_copy(c);
  std::vector<char const*> fitting;
  for (char const* name : copies) {
    value const bits = respond("copy_atom", {word_of(name), word_of("RefLayout")});
    bool const fits = size(mode(tv, 0)) % size(mode(bits, 0)) == 0 && size(mode(tv, 1)) * 16 % size(mode(bits, 1)) == 0;
    if (fits) fitting.push_back(name);
  }
  return choose(c, fitting);
}
number values_of(value const& copy, std::string const& type) {
  return static_cast<number>(size(mode(respond("copy_atom", {copy, word_of("RefLayout")}), 1))) / (type == "uint8_t"  ? 8
                                                                                                   : type == "half_t" ? 16
                                                                                                                      : 32);
}
value draw_type(choices& c, value const& copy) {
  value const type = choose(c, {"half_t", "uint8_t", "float"});
  bool const transposes = copy.word.ends_with("_T");
  return transposes || values_of(copy, type.word) == 0 ? word_of("half_t") : type;
}
value draw_copy_threads(choices& c, value const& copy) {
  number const n = static_cast<number>(size(respond("copy_atom", {copy, word_of("ThrID")}))) * pick(c, {1, 1, 2});
  number const rows = some_cut(c, {n});
  return compact(c, {rows, n / rows});
}
value draw_copy_values(choices& c, value const& copy) {
  number const n = values_of(copy.items[0], copy.items[1].word) * (one_in(c, 12) ? 4096 : pick(c, {1, 2}));
  number const rows = some_cut(c, {n});
  return compact(c, {rows, n / rows});
}
template <auto Spelled>
value draw_copied(choices& c, value const& both) {
  auto const across = [&](std::size_t k) {
    return static_cast<number>(size(mode(both.items[0], k)) * size(mode(both.items[1], k)));
  };
  return Spelled(c, whole_tiles(c, across(0), across(1)));
}

// Letters in a random order.
value shuffled(choices& c, std::string letters) {
  for (std::size_t k = 0; k + 1 < letters.size(); ++k) std::swap(letters[k], letters[k + c.below(letters.size() - k)]);
  return word_of(std::move(letters));
}
value draw_indices(choices& c, value const& earlier) {
  if (earlier.is(kind::number)) return shuffled(c, std::string("abc").substr(0, 1 + c.below(3)));
  std::string letters;
  if (earlier.is(kind::word)) {  // of B: some of A's and some of its own
    for (char x : earlier.word)
      if (c.below(2) == 0) letters += x;
    letters += one_in(c, 16) ? "g" : std::string("de").substr(0, letters.empty() ? 1 + c.below(2) : c.below(3));
    return shuffled(c, letters);
  }
  std::string const &a = earlier.items[0].word,
                    &b = earlier.items[1].word;  // of C: what only one has, and some of what both have
  for (char x : a + b)
    if (((a.find(x) == a.npos) || (b.find(x) == b.npos) || one_in(c, 3)) && letters.find(x) == letters.npos) letters += x;
  if (one_in(c, 16)) letters += 'f';
  return shuffled(c, letters.empty() ? a : letters);
}
// A mode for each letter, compact or of any strides.
value draw_indexed(choices& c, value const& letters) {
  std::vector<number> extents;
  for (char x : letters.word)
    extents.push_back(one_in(c, 64) ? 5 : x == 'e' ? 1 : x == 'g' ? 320 : x == 'b' || x == 'd' ? 3 : 2);
  value const a = compact(c, extents);
  if (!one_in(c, 3)) return a;
  auto const other = [&](value const&, value const&) {
    return value(integer(pick(c, {1, 0, 2, 3, -1, 5, -4, 12, number{1} << 31})));
  };
  return layout_of(a.shape(), map_strides(a.shape(), a.stride(), other));
}

// Threads that read 16-bit elements from 4-byte words.
value draw_access(choices& c) {
  leaf_vector a;
  number threads = 1;
  for (std::size_t n = few_or_many(c, 3); n > 0; --n) {
    number const extent = std::min(pick(c, {2, 4, 8, 3, 1}), 512 / threads);
    a.push_back({extent, pick(c, {2, 0, 4, 8, 16, 32, 64, 66, 128, number{1} << 31})});
    threads *= extent;
  }
  return spell(c, a);
}

// Threads of a warp, `all` of them or some, at multiples of an element, in every fourth case swizzled; rarely more than 32.
value draw_lanes(choices& c, bool all) {
  leaf_vector a;
  number threads = 1;
  number const most = all || !one_in(c, 16) ? 32 : 40;
  for (std::size_t n = few_or_many(c, 3); n > 0; --n) {
    number const extent = all && n == 1 ? most : pick(c, {4, 8, 2, 16, 1, all ? 2 : 3, all ? 2 : 5});
    a.push_back({std::min(extent, most / threads), pick(c, {1, 2, 0, 4, 8, 16, 32, 64, 72, 128, 3, number{1} << 31})});
    threads *= a.back().extent;
  }
  if (!one_in(c, 4)) return spell(c, a);
  return {kind::composed, {draw_swizzle(c), value(integer(8 * c.below(4))), spell(c, a)}};
}
value draw_matrix_copy(choices& c) {
  static char const* const names[] = {"SM75_U32x1_LDSM_N", "SM75_U32x4_LDSM_N",         "SM90_U32x2_STSM_N",
                                      "SM75_U16x8_LDSM_T", "SM90_U32x4_STSM_N",         "SM75_U16x2_LDSM_T",
                                      "SM90_U16x4_STSM_T", "SM100_U8x8_LDSM_T",         "SM100_U8x16_LDSM_T",
                                      "SM100_U8x8_STSM_T", "SM100_SU4_DU8x16_x2_LDSM_N"};
  return word_of(names[c.below(std::size(names))]);
}
value draw_instruction(choices& c) {
  static char const* const names[] = {"32b",
                                      "64b",
                                      "128b",
                                      "UniversalCopy<uint128_t>",
                                      "UniversalCopy<float>",
                                      "16b",
                                      "256b",
                                      "SM80_CP_ASYNC_CACHEALWAYS<uint64_t>",
                                      "UniversalCopy<half_t>",
                                      "SM75_U32x1_MOVM_T",
                                      "SM90_TMA_LOAD,128b",
                                      "33b"};
  return one_in(c, 2) ? draw_matrix_copy(c) : word_of(names[c.below(std::size(names))]);
}

}  // namespace

namespace {
// A tile in shared memory, its rows or its columns contiguous, now and then padded by 8.
value draw_shared(choices& c) {
  number const m = one_in(c, 24) ? 512 : pick(c, {8, 16, 32, 64}), n = pick(c, {64, 32, 16, 8}), pad = one_in(c, 8) ? 8 : 0;
  bool const rows = c.below(2) == 0;
  return layout_of(tuple_of({value(integer(m)), value(integer(n))}),
                   tuple_of({value(integer(rows ? n + pad : 1)), value(integer(rows ? 1 : m + pad))}));
}
// Up to 32 threads, each at the beginning of 8 contiguous elements: some along those, some across, or the other way round.
value draw_vectors(choices& c, value const& a) {
  std::vector<number> const s = extents_of(a);
  bool const rows = a.stride().items[1] == value(1);
  leaf along{(rows ? s[1] : s[0]) / 8, rows ? 8 * s[0] : 8}, across{rows ? s[0] : s[1], rows ? 1 : s[0]};
  if (c.below(2) == 0) std::swap(along, across);
  along.extent = std::min(along.extent, pick(c, {8, 4, 2, 1, 32}));
  across.extent = std::min(across.extent, 32 / along.extent);
  return spell(c, {along, across});
}

constexpr named<drawer> tiling_drawers[] = {
    {"grid", draw_grid},
    {"mma", [](choices& c, value const&) { return draw_mma(c); }},
    {"small_mma", [](choices& c, value const&) { return draw_small_mma(c); }},
    {"atoms", draw_atoms},
    {"permutation", draw_permutation},
    {"operand_A", draw_operand<0, 2, as_modes>},
    {"operand_B", draw_operand<1, 2, as_modes>},
    {"operand_C", draw_operand<0, 1, as_modes>},
    {"tensor_A", draw_operand<0, 2, as_tensor>},
    {"tensor_B", draw_operand<1, 2, as_tensor>},
    {"tensor_C", draw_operand<0, 1, as_tensor>},
    {"operand", [](choices& c, value const&) { return choose(c, {"A", "B", "C"}); }},
    {"operand_matrix", draw_matrix_of<as_modes>},
    {"operand_tensor", draw_matrix_of<as_tensor>},
    {"operand_copy", draw_operand_copy},
    {"copy", [](choices& c, value const&) { return draw_copy(c); }},
    {"type", draw_type},
    {"copy_threads", draw_copy_threads},
    {"copy_values", draw_copy_values},
    {"copied", draw_copied<as_modes>},
    {"copied_tensor", draw_copied<as_tensor>},
    {"indices", draw_indices},
    {"indexed", draw_indexed},
    {"access", [](choices& c, value const&) { return draw_access(c); }},
    {"lanes", [](choices& c, value const&) { return draw_lanes(c, false); }},
    {"warp", [](choices& c, value const&) { return draw_lanes(c, true); }},
    {"matrix_copy", [](choices& c, value const&) { return draw_matrix_copy(c); }},
    {"instruction", [](choices& c, value const&) { return draw_instruction(c); }},
    {"shared", [](choices& c, value const&) { return draw_shared(c); }},
    {"vectors_of", draw_vectors},
    {"bytes", [](choices& c, value const&) { return value(integer(pick(c, {4, 8, 16}))); }},
    {"bits", [](choices& c, value const&) { return value(integer(c.below(4))); }},
};
constexpr auto tiling_drawers_by_place = by_row<drawn_kinds, tiling_drawers, drawn::tilings, drawn::tilings>();
}  // namespace

drawer tiling_drawer(std::size_t kind) { return tiling_drawers_by_place[kind]; }

}  // namespace colex::drawing
