// Rows of the laws of tiled MMAs.
// SPDX-License-Identifier: Apache-2.0
#include "spec/laws/tiled_mma.hpp"

#include "spec/laws/laws.hpp"

namespace colex {
namespace {

constexpr law tiled_mma_rows[] = {
    {"tiled_mma_thr_layout_vmnk_product", "tiled_mma_thr_layout_vmnk(M, R, T) == tiled_product(ThrID of M, R)",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_thr_layout_vmnk",
     [](trial& t) {
       t.equal(t.ask("tiled_mma_thr_layout_vmnk", tiling(t)),
               t.ask("tiled_product", {t.ask("mma_atom", {t["M"], word_of("ThrID")}), t["R"]}));
     },
     costly},
    {"tiled_mma_thr_layout_vmnk_distinct", "tiled_mma_thr_layout_vmnk(M, R, T) gives every place another thread",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_thr_layout_vmnk",
     [](trial& t) {
       value const& threads = t.ask("tiled_mma_thr_layout_vmnk", tiling(t));
       std::vector<integer> const v = sorted_image(t, threads, size(threads));
       t.holds(!repeats(v), v, "no thread twice");
     },
     costly},
    {"tiled_mma_tile_shape_extents",
     "tiled_mma_tile_shape(M, R, T)_k is the atom's extent times size(R_k), or size(T_k) if that is more",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_tile_shape",
     [](trial& t) {
       value const tile = t.ask("tiled_mma_tile_shape", tiling(t)), s = t.ask("mma_atom", {t["M"], word_of("Shape_MNK")});
       for (std::size_t k = 0; k < 3; ++k) {
         integer const n = extent_of(s, k) * size(mode(t["R"], k));
         value const& p = t["T"].items.at(k);
         t.equal(extent_of(tile, k), p.is("_") ? n : std::max(n, size(p)));
       }
     },
     costly},
    {"tiled_mma_thrfrg_A_covers", "tiled_mma_thrfrg_A(M, R, T, A) takes the values of A, each as often",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T)", "tiled_mma_thrfrg_A",
     [](trial& t) { thrfrg_covers(t, operand_a); }, costly},
    {"partition_A_slices", "partition_A(M, R, T, A, i)(j) == tiled_mma_thrfrg_A(M, R, T, A)(place of thread i, j)",
     "M:mma R:atoms(M) T:permutation(M,R) A:tensor_A(M,R,T) i:natural", "partition_A",
     [](trial& t) { partition_slices(t, operand_a); }, costly},
    {"partition_A_identity_coordinates",
     "partition_A_identity(M, R, T, S, i)(j) is the coordinate of partition_A(M, R, T, make_layout_left(S), i)(j)",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T) i:natural", "partition_A_identity",
     [](trial& t) { identity_partitions(t, operand_a); }, costly},
    {"partition_shape_A_shape", "partition_shape_A(M, R, T, S) is the shape of partition_A(M, R, T, A, i) for A of shape S",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T)", "partition_shape_A",
     [](trial& t) { partition_has_shape(t, operand_a); }, costly},
    {"partition_fragment_A_compact", "partition_fragment_A(M, R, T, S) == make_layout_left(partition_shape_A(M, R, T, S))",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_A(M,R,T)", "partition_fragment_A",
     [](trial& t) {
       value const s = with(tiling(t), {t["A"].shape()}).back();
       t.equal(t.ask("partition_fragment_A", with(tiling(t), {s})),
               t.ask("make_layout_left", {t.ask("partition_shape_A", with(tiling(t), {s}))}));
     },
     costly},
    {"tiled_mma_layoutA_TV_partitions",
     "tiled_mma_layoutA_TV(M, R, T)(i, j) == partition_A(M, R, T, make_layout_left(tile), i)(j)",
     "M:mma R:atoms(M) T:permutation(M,R) i:natural", "tiled_mma_layoutA_TV",
     [](trial& t) { layout_tv_partitions(t, operand_a); }, costly},
    {"tiled_mma_thrfrg_B_covers", "tiled_mma_thrfrg_B(M, R, T, A) takes the values of A, each as often",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T)", "tiled_mma_thrfrg_B",
     [](trial& t) { thrfrg_covers(t, operand_b); }, costly},
    {"partition_B_slices", "partition_B(M, R, T, A, i)(j) == tiled_mma_thrfrg_B(M, R, T, A)(place of thread i, j)",
     "M:mma R:atoms(M) T:permutation(M,R) A:tensor_B(M,R,T) i:natural", "partition_B",
     [](trial& t) { partition_slices(t, operand_b); }, costly},
    {"partition_B_identity_coordinates",
     "partition_B_identity(M, R, T, S, i)(j) is the coordinate of partition_B(M, R, T, make_layout_left(S), i)(j)",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T) i:natural", "partition_B_identity",
     [](trial& t) { identity_partitions(t, operand_b); }, costly},
    {"partition_shape_B_shape", "partition_shape_B(M, R, T, S) is the shape of partition_B(M, R, T, A, i) for A of shape S",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T)", "partition_shape_B",
     [](trial& t) { partition_has_shape(t, operand_b); }, costly},
    {"partition_fragment_B_compact", "partition_fragment_B(M, R, T, S) == make_layout_left(partition_shape_B(M, R, T, S))",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_B(M,R,T)", "partition_fragment_B",
     [](trial& t) {
       value const s = with(tiling(t), {t["A"].shape()}).back();
       t.equal(t.ask("partition_fragment_B", with(tiling(t), {s})),
               t.ask("make_layout_left", {t.ask("partition_shape_B", with(tiling(t), {s}))}));
     },
     costly},
    {"tiled_mma_layoutB_TV_partitions",
     "tiled_mma_layoutB_TV(M, R, T)(i, j) == partition_B(M, R, T, make_layout_left(tile), i)(j)",
     "M:mma R:atoms(M) T:permutation(M,R) i:natural", "tiled_mma_layoutB_TV",
     [](trial& t) { layout_tv_partitions(t, operand_b); }, costly},
    {"tiled_mma_thrfrg_C_covers", "tiled_mma_thrfrg_C(M, R, T, A) takes the values of A, each as often",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T)", "tiled_mma_thrfrg_C",
     [](trial& t) { thrfrg_covers(t, operand_c); }, costly},
    {"partition_C_slices", "partition_C(M, R, T, A, i)(j) == tiled_mma_thrfrg_C(M, R, T, A)(place of thread i, j)",
     "M:mma R:atoms(M) T:permutation(M,R) A:tensor_C(M,R,T) i:natural", "partition_C",
     [](trial& t) { partition_slices(t, operand_c); }, costly},
    {"partition_C_identity_coordinates",
     "partition_C_identity(M, R, T, S, i)(j) is the coordinate of partition_C(M, R, T, make_layout_left(S), i)(j)",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T) i:natural", "partition_C_identity",
     [](trial& t) { identity_partitions(t, operand_c); }, costly},
    {"partition_shape_C_shape", "partition_shape_C(M, R, T, S) is the shape of partition_C(M, R, T, A, i) for A of shape S",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T)", "partition_shape_C",
     [](trial& t) { partition_has_shape(t, operand_c); }, costly},
    {"partition_fragment_C_compact", "partition_fragment_C(M, R, T, S) == make_layout_left(partition_shape_C(M, R, T, S))",
     "M:mma R:atoms(M) T:permutation(M,R) A:operand_C(M,R,T)", "partition_fragment_C",
     [](trial& t) {
       value const s = with(tiling(t), {t["A"].shape()}).back();
       t.equal(t.ask("partition_fragment_C", with(tiling(t), {s})),
               t.ask("make_layout_left", {t.ask("partition_shape_C", with(tiling(t), {s}))}));
     },
     costly},
    {"tiled_mma_layoutC_TV_partitions",
     "tiled_mma_layoutC_TV(M, R, T)(i, j) == partition_C(M, R, T, make_layout_left(tile), i)(j)",
     "M:mma R:atoms(M) T:permutation(M,R) i:natural", "tiled_mma_layoutC_TV",
     [](trial& t) { layout_tv_partitions(t, operand_c); }, costly},
    {"tiled_mma_layoutC_TV_inverse",
     "tiled_mma_layoutC_TV(M, R, T) and its right_inverse: every element of the tile has a thread and a value",
     "M:mma R:atoms(M) T:permutation(M,R)", "tiled_mma_layoutC_TV",
     [](trial& t) {
       value const tv = t.ask("tiled_mma_layoutC_TV", tiling(t)), r = t.ask("right_inverse", {tv}),
                   tile = t.ask("tiled_mma_tile_shape", tiling(t));
       t.equal(size(r), integer(extent_of(tile, 0) * extent_of(tile, 1)));
       inverts(t, r, tv, size(tv));
     },
     costly},
    {"tiled_mma_thrfrg_C_gemm", "the atoms of a tiled MMA multiply every A(m,k) with every B(n,k) into C(m,n), each once",
     "M:small_mma R:atoms(M) T:permutation(M,R) p:natural", "tiled_mma_thrfrg_C", multiplies, costly},
};

}  // namespace

std::span<law const> tiled_mma_laws() { return tiled_mma_rows; }

}  // namespace colex
