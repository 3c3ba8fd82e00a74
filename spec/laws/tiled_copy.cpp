// Rows of the laws of tiled copies.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/laws.hpp"
#include "spec/laws/tiled_mma.hpp"

namespace colex {
namespace {

// A tiled copy, and how its operations begin.
struct copy_words {
  std::string name, share;
  std::vector<value> copy;
};
copy_words copying(trial& t) { return {"tiled_copy_", "partition_", {t["C"], t["E"], t["R"], t["V"]}}; }
// The one made for operand O of a tiled MMA, in elements of 16 bits.
copy_words copying_operand(trial& t) {
  std::string const name = "tiled_copy_" + t["O"].word + "_";
  return {name, name + "partition_", with({word_of("make_tiled_copy_" + t["O"].word), t["C"], word_of("half_t")}, tiling(t))};
}
// Every element of a tensor is in the shares of a side, S or D, each as often.
void tidfrg_covers(trial& t, copy_words const& by, char const* side) {
  value const& f = t.ask(by.name + "tidfrg_" + side, with(by.copy, {t["A"]}));
  holds_each(t, sorted_image(t, f, size(f)), t["A"], size(f) / size(t["A"]));
}
void copy_partition_slices(trial& t, copy_words const& by, char const* side) {
  value const& f = t.ask(by.name + "tidfrg_" + side, with(by.copy, {layout_in(t["A"])}));
  integer const i = index_in(t, "i", mode(f, 0));
  value const& r = t.ask(by.share + side, with(by.copy, {t["A"], value(i)}));
  is_share(t, "j", r, t["A"], list_of({mode(f, 1), mode(f, 2)}), at(mode(f, 0), i));
}
void copy_layout_tiles(trial& t, copy_words const& by, std::string const& side) {
  value const tile = t.ask(by.name + "tiler", by.copy), left = t.ask("make_layout_left", {tile});
  value const& f = t.ask(by.name + "tidfrg_" + side, with(by.copy, {left}));
  same_layout_function(t, t.ask(by.name + "layout" + side + "_TV", by.copy), list_of({mode(f, 0), mode(f, 1)}));
}
void retile_keeps(trial& t, copy_words const& by) {
  value const& share = t.ask(by.share + "D", with(by.copy, {t["A"], value(0)}));
  value const& f = t.ask("make_layout_left", {layout_in(share).shape()});
  value const& r = t.ask(by.name + "retile", with(by.copy, {f}));
  t.equal(size(r), size(f));
  compact(t, r);
}

constexpr law tiled_copy_rows[] = {
    {"tiled_copy_layout_TV_inverse",
     "raked_product(R, V)(tiled_copy_layout_TV(C, E, R, V)(i)) == i: thread and value of every place",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layout_TV",
     [](trial& t) {
       value const tv = t.ask("tiled_copy_layout_TV", copying(t).copy), places = t.ask("raked_product", {t["R"], t["V"]});
       t.equal(size(tv), size(places));
       inverts(t, tv, places, size(places));
     },
     costly},
    {"tiled_copy_tiler_extents", "tiled_copy_tiler(C, E, R, V)_k == size(R_k) * size(V_k)",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_tiler",
     [](trial& t) {
       t.equal(t.ask("tiled_copy_tiler", copying(t).copy),
               t.ask("product_each", {t.ask("raked_product", {t["R"], t["V"]}).shape()}));
     },
     costly},
    {"tiled_copy_tidfrg_S_covers", "tiled_copy_tidfrg_S(C, E, R, V, A) takes the values of A, each as often",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_tidfrg_S",
     [](trial& t) { tidfrg_covers(t, copying(t), "S"); }, costly},
    {"partition_S_slices", "partition_S(C, E, R, V, A, i)(j) == tiled_copy_tidfrg_S(C, E, R, V, A)(i, j)",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied_tensor(R,V) i:natural", "partition_S",
     [](trial& t) { copy_partition_slices(t, copying(t), "S"); }, costly},
    {"tiled_copy_layoutS_TV_tile", "tiled_copy_layoutS_TV(C, E, R, V) is tiled_copy_tidfrg_S of the tile itself",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layoutS_TV",
     [](trial& t) { copy_layout_tiles(t, copying(t), "S"); }, costly},
    {"tiled_copy_tidfrg_D_covers", "tiled_copy_tidfrg_D(C, E, R, V, A) takes the values of A, each as often",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_tidfrg_D",
     [](trial& t) { tidfrg_covers(t, copying(t), "D"); }, costly},
    {"partition_D_slices", "partition_D(C, E, R, V, A, i)(j) == tiled_copy_tidfrg_D(C, E, R, V, A)(i, j)",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied_tensor(R,V) i:natural", "partition_D",
     [](trial& t) { copy_partition_slices(t, copying(t), "D"); }, costly},
    {"tiled_copy_layoutD_TV_tile", "tiled_copy_layoutD_TV(C, E, R, V) is tiled_copy_tidfrg_D of the tile itself",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E)", "tiled_copy_layoutD_TV",
     [](trial& t) { copy_layout_tiles(t, copying(t), "D"); }, costly},
    {"tiled_copy_retile_values", "tiled_copy_retile(C, E, R, V, F) takes the values of F, each once",
     "C:copy E:type(C) R:copy_threads(C) V:copy_values(C,E) A:copied(R,V)", "tiled_copy_retile",
     [](trial& t) { retile_keeps(t, copying(t)); }, costly},
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
    {"tiled_copy_A_tidfrg_S_covers",
     "tiled_copy_O_tidfrg_S(C, M, R, T, A) takes the values of A, each as often; so does tidfrg_D",
     "O:operand M:small_mma R:atoms(M) T:permutation(M,R) C:operand_copy(O,M,R,T) A:operand_matrix(O,M,R,T)",
     "tiled_copy_A_tidfrg_S",
     [](trial& t) {
       for (char const* side : {"S", "D"}) tidfrg_covers(t, copying_operand(t), side);
     },
     costly},
    {"tiled_copy_A_partition_S_slices",
     "tiled_copy_O_partition_S(C, M, R, T, A, i)(j) == tiled_copy_O_tidfrg_S(C, M, R, T, A)(i, j); likewise of D",
     "O:operand M:mma R:atoms(M) T:permutation(M,R) C:operand_copy(O,M,R,T) A:operand_tensor(O,M,R,T) i:natural",
     "tiled_copy_A_partition_S",
     [](trial& t) {
       for (char const* side : {"S", "D"}) copy_partition_slices(t, copying_operand(t), side);
     },
     costly},
    {"tiled_copy_A_layoutS_TV_tile",
     "tiled_copy_O_layoutS_TV(C, M, R, T) is tiled_copy_O_tidfrg_S of the tile itself; likewise of D",
     "O:operand M:mma R:atoms(M) T:permutation(M,R) C:operand_copy(O,M,R,T)", "tiled_copy_A_layoutS_TV",
     [](trial& t) {
       for (char const* side : {"S", "D"}) copy_layout_tiles(t, copying_operand(t), side);
     },
     costly},
    {"tiled_copy_A_retile_values", "tiled_copy_O_retile(C, M, R, T, F) takes the values of F, each once",
     "O:operand M:mma R:atoms(M) T:permutation(M,R) C:operand_copy(O,M,R,T) A:operand_matrix(O,M,R,T)", "tiled_copy_A_retile",
     [](trial& t) { retile_keeps(t, copying_operand(t)); }, costly},
};

}  // namespace

std::span<law const> tiled_copy_laws() { return tiled_copy_rows; }

}  // namespace colex
