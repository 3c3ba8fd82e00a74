# Counts, for each theorem with a law's name, the small inputs that meet its hypotheses: none may be met by none. The
# hypotheses are read from the theorem itself and turned into a boolean; Coq counts where it is true.
# usage: guard.py PROOFS LAWS.json >Guard.v; `colex laws --json` wrote the second
# SPDX-License-Identifier: Apache-2.0
import json
import pathlib
import re
import sys

from hypotheses import conditions, occurs, parsed, stated

PRELUDE = """From Coq Require Import String.
From Colex Require Import {modules}.
Local Open Scope N_scope.
Definition leaf_list : list (layout N) := flat_map (fun s => map (Leaf s) [0; 1; 2; 3; 4; 6]) [1; 2; 3].
Definition pair_list : list (layout N) := flat_map (fun a => map (fun b => Node [a; b]) leaf_list) leaf_list.
Definition layouts : list (layout N) :=
  leaf_list ++ pair_list ++ map (fun a => Node [a; Leaf 2 6]) (firstn 200 pair_list).
Definition fewer : list (layout N) := [Leaf 1 0; Leaf 2 1; Leaf 3 2; Leaf 2 0; Node [Leaf 2 1; Leaf 2 2];
  Node [Leaf 2 2; Leaf 2 1]; Node [Leaf 3 1; Leaf 2 4];
  Node [Leaf 2 1; Node [Leaf 3 2; Leaf 1 0]]; Node [Leaf 2 3; Leaf 2 0]].
Definition numbers : list N := iota 8.
Definition shapes : list tuple := [
  Int 1; Int 2; Int 3; Int 6; Tup [Int 2; Int 3]; Tup [Int 1; Int 2]; Tup [Int 4; Int 6];
  Tup [Tup [Int 2; Int 2]; Int 3]; Tup [Int 2; Tup [Int 3; Int 2]]; Tup [Int 0; Int 1]; Tup [Int 1; Int 0]; Tup []].
Definition opens : list open := [Any; At 1; Each [Any; At 1]; Each [At 0; Any]; Each [Any; Any]].
Definition swizzles : list swizzle := [Sw 0 0 0; Sw 1 0 1; Sw 2 0 3; Sw 1 1 2; Sw 2 1 (-2)].
Definition composeds : list composed :=
  flat_map (fun w => flat_map (fun n => map (Composed w n) fewer) [0; 8]) swizzles.
Definition small_composeds : list composed :=
  flat_map (fun w => map (Composed w 0) [Leaf 2 1; Node [Leaf 2 2; Leaf 2 1]; Node [Leaf 2 1; Leaf 2 4]]) swizzles.
Definition f2_maps : list f2_map := [Linear 2 (Int 4) [1; 2]; Linear 2 (Int 4) [3; 3]; Linear 1 (Int 1) [];
  Linear 3 (Tup [Int 2; Int 4]) [1; 3; 6]; Linear 3 (Int 2) [5]; Linear 4 (Tup [Int 4; Int 4]) [1; 2; 5; 10]].
Definition tilers : list tiler :=
  map Tile fewer ++ [Extent 1; Extent 2; Keep; Modes [Extent 2; Keep]; Modes [Extent 2; Extent 2]].
Definition of_steps : layout N -> layout (point Z) := map_strides (fun d => basis [] (Z.of_N d)).
Definition of_points : layout N -> layout (point N) := map_strides (basis []).
Definition quads (m k v : N) : layout N := Node [Node [Leaf 4 (v * m); Leaf 8 1]; Node [Leaf v m; Leaf (m / 8) 8]].
Definition mmas : list mma_atom := [
  Mma 16 8 8 (Leaf 32 1) (quads 16 8 2) (Node [Node [Leaf 4 16; Leaf 8 1]; Leaf 2 8]) (quads 16 8 2) None None None;
  Mma 16 8 8 (Leaf 32 1) (quads 16 8 2) (Node [Node [Leaf 4 16; Leaf 8 1]; Leaf 2 8]) (quads 16 8 2)
    (Some (quads 16 8 2)) (Some (Node [Node [Leaf 4 16; Leaf 8 1]; Leaf 2 8])) (Some (quads 16 8 2))].
Definition universal : mma_atom :=
  Mma 1 1 1 (Leaf 1 0) (Node [Leaf 1 0; Leaf 1 0]) (Node [Leaf 1 0; Leaf 1 0]) (Node [Leaf 1 0; Leaf 1 0]) None None None.
Definition tiled_mmas : list tiled_mma := [Tiled_mma universal (Node [Leaf 1 0; Leaf 2 1; Leaf 2 2; Leaf 1 0]) Keep Keep Keep].
Definition matrices : list (layout N) := [Node [Leaf 4 1; Leaf 2 4]; Node [Leaf 2 1; Leaf 2 2]; Node [Leaf 3 1; Leaf 2 3]].
Definition matrix_tensors : list (tensor N N) := map (fun A => Tensor (fun x => x) 1 A) matrices.
Definition ldmatrix : copy_atom := Copy (Leaf 32 1) (Node [Node [Leaf 8 128; Leaf 4 0]; Leaf 128 1])
  (Node [Leaf 32 32; Leaf 32 1]) (Node [Leaf 32 32; Leaf 32 1]).
Definition shared_layouts : list (layout N) := [Node [Leaf 8 16; Leaf 16 1]; Node [Leaf 8 32; Leaf 32 1]].
Definition accesses : list warp_access := [Access (Leaf 8 1) (Width 128)].
Definition moved_bits : layout N := Node [Leaf 1 0; Leaf 128 1].
Definition copies_of_bits : list copy_atom := [Copy (Leaf 1 0) moved_bits moved_bits moved_bits].
Definition one_bit : layout N := Node [Leaf 1 0; Leaf 1 0].
Definition signed_steps : list (layout (point Z)) :=
  [Leaf 3 (basis [] (-2)%Z); Node [Leaf 2 (basis [0%nat] (-1)%Z); Leaf 3 (basis [1%nat] 2%Z)]].
Definition fragments : list (layout N) :=
  [Node [Leaf 2 1; Leaf 1 0; Leaf 1 0]; Node [Leaf 1 0; Leaf 1 0; Leaf 1 0]].
Definition simple_copy : copy_atom := Copy (Leaf 1 0) one_bit one_bit one_bit.
Definition tiled_copies : list tiled_copy :=
  match make_tiled_copy simple_copy (Node [Leaf 2 1; Leaf 1 0]) (Node [Leaf 1 0; Leaf 2 1]) with
  | Some t => [t] | None => [] end.
Definition tensors : list (tensor N N) := map (fun A => Tensor (fun x => x) 1 A) fewer.
Definition prime_number (p : N) : bool := (1 <? p) && forallb (fun a => (a <=? 1) || negb (p mod a =? 0)) (iota p).
Definition counts_inb (d n : N) (A : layout N) : bool :=
  match A with Node [m] => (size m =? n) && forallb (fun i => apply m i =? i * d) (iota n) | _ => false end.
Definition counted (b : list bool) : N := N.of_nat (List.length (List.filter (fun x => x) b)).
Definition counts : list (string * N) := [
"""


# Where the inputs come from: by name, or as said for one theorem.
BY_NAME = {
    "layouts": "A B C T",
    "numbers": "i j k n m M N_ q r v x y d e b a U w",
    "shapes": "t u s p o S",
    "opens": "cs",
}
OWN = """
product_each_sizes  l:[[Int~2;Tup~[]]] k:[0;1;2]%nat
compatible_coordinates  c:shapes
crd2idx_definition  c:shapes
apply_index  c:shapes
make_layout_left_unit  d:numbers
make_layout_like_broadcast  k:[0;1]%nat
make_layout_like_ordered  j:[0;1]%nat k:[0;1]%nat
select_modes  j:[0;1]%nat k:[0;1]%nat
group_function  b:[0;1]%nat e:[1;2]%nat
replace_mode  ms:[[Leaf~2~1]] k:[0;1]%nat B:fewer s:[1] d:[1]
slice_and_offset_value  c:opens A:fewer
slice_and_offset_composed  A:tensors k:opens
slice_size  c:opens
slice_modes  c:opens
dice_coordinate  cs:[[Any;At~1];[At~0;Any]]
dice_flat_coord  ms:[[Leaf~2~1;Leaf~3~2]] ps:[[true;false];[true]]
apply_swizzle_involution  w:swizzles
apply_swizzle_block  w:swizzles
apply_swizzle_vector  w:swizzles
coalesce_composed  A:tensors
upcast_blocks  c:[[0];[1];[0;0];[1;1]]
upcast_swizzle  w:swizzles
upcast_composed  c:composeds j:[0;1] x:[[0];[1];[0;0];[1;1]]
recast_layout_mixed  A:fewer
recast_layout_exists  A:fewer
composition_signed  A:(map~integral~layouts) B:fewer
cosize_span  A:(map~integral~layouts)
coshape_span  A:signed_steps p:[[];[0%nat];[1%nat]]
coshape_cosize  A:(map~(map_strides~(basis~[]))~(map~integral~fewer))
composition_distributes  b:fewer bs:[[];[Leaf~2~4]]
composition_composed  A:tensors B:fewer
composition_swizzles  v:swizzles w:swizzles
max_alignment_divides  s:numbers
right_inverse_maximal  A:(map~integral~fewer) R:fewer
left_inverse_pointwise  A:[Leaf~2~2;Node~[Leaf~2~2;Leaf~2~3]]
left_inverse_quasi  A:[Leaf~2~2;Node~[Leaf~2~2;Leaf~2~3];Node~[Leaf~2~1;Leaf~3~1]]
max_common_layout_pointwise  A:(map~integral~fewer) B:(map~integral~fewer)
max_common_layout_maximal  A:(map~integral~fewer) B:(map~integral~fewer) R:fewer
max_common_layout_self  A:(map~integral~fewer)
max_common_vector_values  A:(map~integral~fewer) B:(map~integral~fewer)
right_inverse_composed  c:small_composeds
left_inverse_composed  c:small_composeds
domain_distribute_fits  A:fewer t:[shape~A]
logical_divide_pads_one_mode  d:[0;1;2]%Z e:[0;1;6]%Z
logical_divide_composed  A:tensors B:fewer
tiled_divide_regroups  t:tilers A:fewer
flat_divide_regroups  t:tilers A:fewer
tiled_product_regroups  t:tilers A:fewer
flat_product_regroups  t:tilers A:fewer
blocked_product_modes  A:fewer B:fewer
raked_product_modes  A:fewer B:fewer
tile_to_shape_sizes  right:[true;false] k:[0;1]%nat A:fewer
inner_partition_pointwise  t:tilers A:tensors c:[0]
inner_partition_coordinate  t:tilers A:tensors c:[0]
outer_partition_pointwise  t:tilers A:tensors c:[0;1]
outer_partition_inner  t:tilers A:tensors
local_tile_projects  ps:[[true;false];[true]] ts:[[Keep;Keep]] cs:[[Any;Any]]
local_partition_outer  R:fewer
local_partition_covers  R:[Leaf~2~1;Leaf~1~0;Node~[Leaf~2~1;Leaf~3~2];Node~[Leaf~2~2;Leaf~2~1]] A:pair_list
local_partition_projects  ps:[[true;false];[true]] ms:[[Leaf~2~1;Leaf~3~2]]
local_partition_broadcasts  ps:[[true;false];[false;true]] ms:[[Leaf~2~1;Leaf~3~2]] A:pair_list
tiled_mma_thr_layout_vmnk_distinct  V:fewer R:fewer
tile_to_shape_fills  right:[true;false] A:fewer
inner_partition_covers  t:tilers A:fewer
outer_partition_covers  t:tilers A:fewer
tile_to_shape_block  right:[true;false] k:[0;1]%nat A:fewer
bank_conflicts_translation  d:[0;64;128] bytes:[4;16] bits:[8;16] A:fewer
bank_conflicts_contiguous  n:[0;1;32;100] b:numbers
bank_conflicts_column  n:numbers
bank_conflicts_broadcast  n:numbers m:numbers
bank_conflicts_swizzled  b:numbers
bank_conflicts_aligned  A:tensors b:numbers
bank_conflict_phases_definition  place:[Some] A:tensors b:[4;8;16] k:[0%nat]
bank_conflict_phases_sum  place:[Some] A:tensors b:[4;8;16]
bank_conflict_phases_matrices  place:[Some] A:[view~0~(Leaf~32~8)] name:["SM75_U32x1_LDSM_N"%string] a:[ldmatrix]
swizzle_for_conflict_free  A:shared_layouts bits:[16] l:[accesses]
swizzle_for_least  A:shared_layouts bits:[16] l:[accesses] v:swizzles
right_inverse_pointwise  A:(map~integral~fewer) i:[0;1]
right_inverse_compact  A:(map~integral~fewer)
logical_product_exists  B:fewer
solve_composition_right_pointwise  A:[Leaf~2~1;Leaf~2~2] B:[Leaf~2~1;Leaf~1~0] i:[0;1]
solve_composition_right_exists  A:fewer B:fewer
solve_composition_right_smallest  A:[Leaf~2~1;Leaf~2~2] B:[Leaf~2~1;Leaf~1~0] Y:fewer
solve_composition_left_pointwise  A:[Leaf~2~1;Leaf~2~2] B:[Leaf~2~1;Leaf~1~0] i:[0;1]
solve_composition_left_exists  A:fewer B:fewer
solve_composition_left_smallest  A:[Leaf~2~1;Leaf~2~2] B:[Leaf~2~1;Leaf~1~0] Y:fewer
solve_logical_divide_divides  A:[Leaf~4~1] t:[Leaf~2~1] r:[Leaf~2~2]
solve_logical_divide_exists  t:fewer
solve_logical_divide_smallest  A:[Leaf~4~1] t:[Leaf~2~1] r:[Leaf~2~2] Y:fewer
mma_atom_shape  name:["SM80_16x8x8_TN"%string] a:mmas
mma_atom_threads  a:mmas
mma_atom_a_covers  a:mmas
mma_atom_b_covers  a:mmas
mma_atom_c_bijective  a:mmas
mma_atom_scales  a:mmas
mma_atom_metadata  a:mmas
copy_atom_threads  a:copies_of_bits
copy_atom_covers  a:copies_of_bits
copy_atom_distinct  a:copies_of_bits
tiled_mma_tile_shape_extents  R:[Node~[Leaf~2~1;Leaf~2~2;Leaf~1~0];Leaf~2~1] ts:[[];[Keep;Extent~2]] a:[universal]
tiled_mma_thrfrg_A_covers  t:tiled_mmas A:matrices
tiled_mma_thrfrg_B_covers  t:tiled_mmas A:matrices
tiled_mma_thrfrg_C_covers  t:tiled_mmas A:matrices
partition_A_slices  t:tiled_mmas A:matrix_tensors i:[0;3]
partition_B_slices  t:tiled_mmas A:matrix_tensors i:[0;3]
partition_C_slices  t:tiled_mmas A:matrix_tensors i:[0;3]
tiled_mma_thrfrg_C_gemm  t:tiled_mmas m:[2;3;4] n:[2;4] k:[1;2;3]
partition_A_identity_coordinates  t:tiled_mmas s:(map~shape~matrices) i:[0;3]
partition_B_identity_coordinates  t:tiled_mmas s:(map~shape~matrices) i:[0;3]
partition_C_identity_coordinates  t:tiled_mmas s:(map~shape~matrices) i:[0;3]
partition_shape_A_shape  t:tiled_mmas A:(map~of_steps~matrices) i:[0;3]
partition_shape_B_shape  t:tiled_mmas A:(map~of_steps~matrices) i:[0;3]
partition_shape_C_shape  t:tiled_mmas A:(map~of_steps~matrices) i:[0;3]
tiled_mma_layoutA_TV_partitions  t:tiled_mmas k:[0;3]
tiled_mma_layoutB_TV_partitions  t:tiled_mmas k:[0;3]
tiled_mma_layoutC_TV_partitions  t:tiled_mmas k:[0;3]
tiled_mma_layoutC_TV_inverse  t:tiled_mmas
partition_fragment_A_compact  t:tiled_mmas s:(map~shape~matrices)
partition_fragment_B_compact  t:tiled_mmas s:(map~shape~matrices)
partition_fragment_C_compact  t:tiled_mmas s:(map~shape~matrices)
tiled_copy_layout_TV_inverse  R:fewer V:fewer i:[0;1]
tiled_copy_tiler_extents  a:[simple_copy] R:fewer V:fewer
tiled_copy_tidfrg_S_covers  t:tiled_copies A:matrices
tiled_copy_tidfrg_D_covers  t:tiled_copies A:matrices
partition_S_slices  t:tiled_copies A:matrix_tensors i:[0;1]
partition_D_slices  t:tiled_copies A:matrix_tensors i:[0;1]
tiled_copy_layoutS_TV_tile  t:tiled_copies
tiled_copy_layoutD_TV_tile  t:tiled_copies
tiled_copy_A_tidfrg_S_covers  a:[simple_copy] m:tiled_mmas x:[Of_A;Of_C] A:matrices
tiled_copy_A_partition_S_slices  a:[simple_copy] m:tiled_mmas x:[Of_A;Of_C] A:matrix_tensors i:[0;1]
tiled_copy_A_layoutS_TV_tile  a:[simple_copy] m:tiled_mmas x:[Of_A;Of_B;Of_C]
tiled_copy_A_retile_values  a:[simple_copy] m:tiled_mmas x:[Of_A;Of_C] F:fragments
tiled_copy_retile_values  t:tiled_copies F:[Node~[Leaf~2~1;Leaf~1~0;Leaf~1~0];Node~[Leaf~2~1;Leaf~2~2;Leaf~1~0]]
composition_exists  A:(map~of_points~fewer) B:fewer
outer_partition_refines  X:[Tensor~(fun~x:N=>x)~1~(Node~[Leaf~12~1])] s:[1] n:numbers m:numbers k:numbers c:[0;1] d:[0;1]
local_tile_identity_predicated  p:numbers q:numbers
fold_values  x:[[1;2];[1]] A:fewer y:[[1;2];[2]] B:fewer z:[[1;2]] C:[Node~[Leaf~2~1;Leaf~2~2]]
to_f2_agrees  c:composeds
to_f2_exists  t:(map~Swizzled_by~composeds)
to_f2_width  c:composeds
to_f2_swizzle  w:swizzles
f2_compose_agrees  c:composeds d:small_composeds
f2_apply_slices  w:swizzles A:fewer k:opens
f2_left_inverse_agrees  c:small_composeds
f2_complement_agrees  c:composeds
from_f2_to_f2  F:f2_maps
from_f2_exists  F:f2_maps
from_f2_least  F:f2_maps
to_f2_upcast  A:fewer j:[0;1]
f2_apply_definition  F:f2_maps c:shapes
f2_apply_exists  F:f2_maps c:shapes
f2_compose_pointwise  F:f2_maps G:f2_maps
f2_compose_associative  F:f2_maps G:f2_maps H:f2_maps
f2_compose_identity  F:f2_maps
f2_invert_both_ways  F:f2_maps
f2_invert_exists  F:f2_maps
f2_right_inverse_least  F:f2_maps
f2_right_inverse_maximal  F:f2_maps
f2_right_inverse_agrees  c:small_composeds
f2_left_inverse_pseudo  F:f2_maps
f2_left_inverse_nearest  F:f2_maps
f2_product_pointwise  F:f2_maps
f2_complement_covers  F:f2_maps
f2_complement_least  F:f2_maps
f2_divide_agrees  c:composeds d:small_composeds
f2_divide_definition  F:f2_maps G:f2_maps
f2_divide_exact  F:f2_maps G:f2_maps
fold_contracts  x:[[1;2];[1]] A:fewer y:[[1;2];[2]] B:fewer z:[[1;2]] C:[Node~[Leaf~2~1;Leaf~2~2]]
"""
OWN = dict(line.split("  ") for line in OWN.strip().splitlines())


# The inputs of a law with what each ranges over; those of which another speaks come first.
def domains(law, names, text, bound):
    own = {v: d.replace("~", " ") for v, d in (x.split(":", 1) for x in OWN.get(law, "").split())}
    used = [v for v in names if v in own or (not occurs(v, bound) and occurs(v, text))]
    several = sum(v in "ABCT" for v in used) > 1
    for v in sorted(used, key=lambda v: v in own and any(occurs(w, own[v]) for w in used)):
        domain = own.get(v) or next((d for d, known in BY_NAME.items() if v in known.split()), None)
        if not domain:
            sys.exit(f"guard.py: {law}: which inputs are '{v}'?")
        yield v, "fewer" if domain == "layouts" and several else domain


def guard(law, statement):
    names, lets, hypotheses = parsed(statement)
    if not hypotheses:
        return None
    bound = " ".join(m[1] for h in hypotheses if (m := re.search(r" = Some (.*)", h)))
    out, apply = re.sub(r"\bshift\b", "Swizzle.shift", lets + conditions(hypotheses)), "map"
    for v, domain in reversed(list(domains(law, names, lets + " ".join(hypotheses), bound))):
        out, apply = f"{apply} (fun {v} => {out}) ({domain})", "flat_map"
    return f'("{law}"%string, counted ({out}))'


def main(proofs, listed):
    laws = [law["law"] for law in json.loads(pathlib.Path(listed).read_text())]
    modules, statements = stated(proofs)
    lines = [line for law in laws if law in statements and (line := guard(law, statements[law]))]
    print(PRELUDE.format(modules=modules) + ";\n".join(lines) + "].\nEval vm_compute in counts.")


main(*sys.argv[1:])
