// Rows of the laws of tiled copies, of folds and of bank conflicts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spec/laws/tiled_mma.hpp"

namespace colex {

// ---- tiled copy ----

inline std::vector<value> copying(trial& t) { return {t["C"], t["E"], t["R"], t["V"]}; }
// Every element of a tensor is in the shares of side X, each as often.
inline void tidfrg_covers(trial& t, char const* op) {
  value const& f = t.ask(op, with(copying(t), {t["A"]}));
  holds_each(t, sorted_image(t, f, size(f)), t["A"], size(f) / size(t["A"]));
}
inline void copy_partition_slices(trial& t, char const* partition, char const* tidfrg) {
  value const& f = t.ask(tidfrg, with(copying(t), {layout_in(t["A"])}));
  integer const i = index_in(mode(f, 0), t["i"]);
  value const& r = t.ask(partition, with(copying(t), {t["A"], value(i)}));
  is_share(t, r, t["A"], list_of({mode(f, 1), mode(f, 2)}), at(mode(f, 0), i));
}
inline void copy_layout_tiles(trial& t, char const* layout, char const* tidfrg) {
  value const tile = t.ask("tiled_copy_tiler", copying(t)), left = t.ask("make_layout_left", {tile});
  value const& f = t.ask(tidfrg, with(copying(t), {left}));
  same_layout_function(t, t.ask(layout, copying(t)), list_of({mode(f, 0), mode(f, 1)}));
}

// ---- folds and banks ----

// The products of a contraction: (element of A, of B, of C) at every value of its indices.
inline std::vector<product> contracted(trial& t, std::vector<std::pair<std::string, value>> const& tensors) {
  std::map<char, integer> extents;
  for (auto const& [names, l] : tensors)
    for (std::size_t k = 0; k < names.size(); ++k) extents[names[k]] = size(mode(l, k));
  integer n = 1;
  for (auto const& [name, extent] : extents) n *= extent;
  t.require(n <= table_limit);
  std::vector<product> out;
  for (integer i = 0; i < n; ++i) {
    std::map<char, integer> here;
    integer rest = i;
    for (auto const& [name, extent] : extents) {
      here[name] = rest % extent;
      rest /= extent;
    }
    auto const element = [&](std::size_t which) {
      point sum;
      auto const& [names, l] = tensors[which];
      for (std::size_t k = 0; k < names.size(); ++k) sum += at(mode(l, k), here[names[k]]);
      return sum.number;
    };
    out.emplace_back(element(0), element(1), element(2));
  }
  std::sort(out.begin(), out.end());
  return out;
}
inline std::vector<value> folding(trial& t) { return {t["x"], t["A"], t["y"], t["B"], t["z"], t["C"]}; }

inline constexpr law tiled_copy_laws[] = {
    {"tiled_copy_layout_TV_inverse",
     "raked_product(R, V)(tiled_copy_layout_TV(C, E, R, V)(i)) == i: thread and value of every place",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layout_TV",
     [](trial& t) {
       value const tv = t.ask("tiled_copy_layout_TV", copying(t)), places = t.ask("raked_product", {t["R"], t["V"]});
       t.equal(size(tv), size(places));
       inverts(t, tv, places, size(places));
     },
     costly},
    {"tiled_copy_tiler_extents", "tiled_copy_tiler(C, E, R, V)_k == size(R_k) * size(V_k)",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_tiler",
     [](trial& t) {
       t.equal(t.ask("tiled_copy_tiler", copying(t)),
               t.ask("product_each", {t.ask("raked_product", {t["R"], t["V"]}).shape()}));
     },
     costly},
    {"tiled_copy_tidfrg_S_covers", "tiled_copy_tidfrg_S(C, E, R, V, A) takes the values of A, each as often",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_tidfrg_S",
     [](trial& t) { tidfrg_covers(t, "tiled_copy_tidfrg_S"); }, costly},
    {"partition_S_slices", "partition_S(C, E, R, V, A, i)(j) == tiled_copy_tidfrg_S(C, E, R, V, A)(i, j)",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied_tensor(R,V) i:natural", "partition_S",
     [](trial& t) { copy_partition_slices(t, "partition_S", "tiled_copy_tidfrg_S"); }, costly},
    {"tiled_copy_layoutS_TV_tile", "tiled_copy_layoutS_TV(C, E, R, V) is tiled_copy_tidfrg_S of the tile itself",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layoutS_TV",
     [](trial& t) { copy_layout_tiles(t, "tiled_copy_layoutS_TV", "tiled_copy_tidfrg_S"); }, costly},
    {"tiled_copy_tidfrg_D_covers", "tiled_copy_tidfrg_D(C, E, R, V, A) takes the values of A, each as often",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_tidfrg_D",
     [](trial& t) { tidfrg_covers(t, "tiled_copy_tidfrg_D"); }, costly},
    {"partition_D_slices", "partition_D(C, E, R, V, A, i)(j) == tiled_copy_tidfrg_D(C, E, R, V, A)(i, j)",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied_tensor(R,V) i:natural", "partition_D",
     [](trial& t) { copy_partition_slices(t, "partition_D", "tiled_copy_tidfrg_D"); }, costly},
    {"tiled_copy_layoutD_TV_tile", "tiled_copy_layoutD_TV(C, E, R, V) is tiled_copy_tidfrg_D of the tile itself",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layoutD_TV",
     [](trial& t) { copy_layout_tiles(t, "tiled_copy_layoutD_TV", "tiled_copy_tidfrg_D"); }, costly},
    {"tiled_copy_retile_values", "tiled_copy_retile(C, E, R, V, F) takes the values of F, each once",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_retile",
     [](trial& t) {
       value const& f =
           t.ask("make_layout_left", {layout_in(t.ask("partition_D", with(copying(t), {t["A"], value(0)}))).shape()});
       same_values(t, t.ask("tiled_copy_retile", with(copying(t), {f})), f, size(f));
     },
     costly},
    {"tiled_copy_A_layout_TV_operand", "the tiled copy made for operand A of a tiled MMA has its layout and tile",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_copy_A_layout_TV",
     [](trial& t) {
       std::vector<value> const args =
           with({word_of("make_tiled_copy_A"), word_of("UniversalCopy<uint8_t>"), word_of("uint8_t")}, tiling(t));
       value const& tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(t.ask("tiled_copy_A_layout_TV", args), t.ask("tiled_mma_layoutA_TV", tiling(t)));
       t.equal(t.ask("tiled_copy_A_tiler", args), tuple_of({tile.items.at(0), tile.items.at(2)}));
     },
     costly},
    {"tiled_copy_B_layout_TV_operand", "the tiled copy made for operand B of a tiled MMA has its layout and tile",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_copy_B_layout_TV",
     [](trial& t) {
       std::vector<value> const args =
           with({word_of("make_tiled_copy_B"), word_of("UniversalCopy<uint8_t>"), word_of("uint8_t")}, tiling(t));
       value const& tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(t.ask("tiled_copy_B_layout_TV", args), t.ask("tiled_mma_layoutB_TV", tiling(t)));
       t.equal(t.ask("tiled_copy_B_tiler", args), tuple_of({tile.items.at(1), tile.items.at(2)}));
     },
     costly},
    {"tiled_copy_C_layout_TV_operand", "the tiled copy made for operand C of a tiled MMA has its layout and tile",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_copy_C_layout_TV",
     [](trial& t) {
       std::vector<value> const args =
           with({word_of("make_tiled_copy_C"), word_of("UniversalCopy<uint8_t>"), word_of("uint8_t")}, tiling(t));
       value const& tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(t.ask("tiled_copy_C_layout_TV", args), t.ask("tiled_mma_layoutC_TV", tiling(t)));
       t.equal(t.ask("tiled_copy_C_tiler", args), tuple_of({tile.items.at(0), tile.items.at(1)}));
     },
     costly},
    {"fold_contracts", "fold(x, A, y, B, z, C) = <A', B', C'>: gemm of those adds the products of the contraction, each once",
     "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) {
       value const& f = t.ask("fold", folding(t));
       t.equal(f.items.size(), std::size_t{3});
       t.equal(contracted(t, {{"mkp", f.items[0]}, {"nkp", f.items[1]}, {"mnp", f.items[2]}}) ==
                   contracted(t, {{t["x"].word, t["A"]}, {t["y"].word, t["B"]}, {t["z"].word, t["C"]}}),
               true);
     }},
    {"fold_values", "fold(x, A, y, B, z, C) keeps the values of A, B and C",
     "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) {
       value const& f = t.ask("fold", folding(t));
       same_values(t, f.items.at(0), t["A"], size(t["A"]));
       same_values(t, f.items.at(1), t["B"], size(t["B"]));
       same_values(t, f.items.at(2), t["C"], size(t["C"]));
     }},
    {"fold_exists",
     "fold(x, A, y, B, z, C) is defined exactly when each index names one extent and stands in two tensors or three",
     "x:indices y:indices(x) z:indices(x,y) A:indexed(x) B:indexed(y) C:indexed(z)", "fold",
     [](trial& t) { t.answers_like_the_reference("fold", folding(t)); }},
    {"bank_conflicts_translation", "bank_conflicts(d o A, w, b) == bank_conflicts(A, w, b)    for d a multiple of all banks",
     "A:access d:factor", "bank_conflicts",
     [](trial& t) {
       value const shifted{kind::composed, {value(integer(t["d"].number * 64)), t["A"]}};
       t.equal(t.ask("bank_conflicts", {shifted, word_of("16b"), value(4)}),
               t.ask("bank_conflicts", {t["A"], word_of("16b"), value(4)}));
     }},
    {"bank_conflicts_contiguous", "bank_conflicts(n:b, 8, b) == 0: contiguous threads do not meet", "n:count b:bytes",
     "bank_conflicts",
     [](trial& t) { t.equal(t.ask("bank_conflicts", {layout_of(t["n"], t["b"]), word_of("8b"), t["b"]}), value(0)); }},
    {"bank_conflicts_column", "bank_conflicts(n:128, 8, 4) == n - 1 in one phase: threads in one column of banks take turns",
     "n:count", "bank_conflicts",
     [](trial& t) {
       t.equal(t.ask("bank_conflicts", {layout_of(t["n"], value(128)), word_of("8b"), value(4)}),
               value(integer(t["n"].number - 1)));
     }},
    {"bank_conflicts_broadcast", "bank_conflicts((n,m):(0,d), w, b): threads that read one word do not meet",
     "n:factor m:factor", "bank_conflicts",
     [](trial& t) {
       t.equal(t.ask("bank_conflicts",
                     {layout_of(tuple_of({t["n"], t["m"]}), tuple_of({value(0), value(4)})), word_of("8b"), value(4)}),
               value(0));
     }},
    {"bank_conflicts_swizzled",
     "bank_conflicts(Sw<B,4,3> o 0 o (8,2^B):(2^(B+4),16), 8, 16) == 0: columns of rows of 2^(B+4) bytes do not meet    for B "
     "< 4",
     "b:bits", "bank_conflicts",
     [](trial& t) {
       integer const columns = integer(1) << static_cast<unsigned>(t["b"].number);
       value const rows = layout_of(tuple_of({value(8), value(columns)}), tuple_of({value(integer(16 * columns)), value(16)}));
       value const swizzle{kind::swizzle, {t["b"], value(4), value(3)}};
       t.equal(t.ask("bank_conflicts", {value(kind::composed, {swizzle, 0, rows}), word_of("8b"), value(16)}), value(0));
     }},
    {"bank_conflicts_aligned", "bank_conflicts(A, 8, b) is defined exactly when every thread begins at a multiple of b",
     "A:memory b:bytes", "bank_conflicts",
     [](trial& t) { t.answers_like_the_reference("bank_conflicts", {t["A"], word_of("8b"), t["b"]}); }},
};

}  // namespace colex
