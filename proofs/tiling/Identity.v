(* Tiles of the identity on coordinates: which elements of a tile lie inside a shape. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiling Basis.
Local Open Scope N_scope.

Definition local_tile_identity (s : tuple) (t : tiler) (c : open) : option (point N * layout (point N)) :=
  inner_partition (make_identity_layout s) t c.

(* local_tile_identity(S) is the local tile of the identity over S. *)
Theorem local_tile_identity_layout s t c :
  local_tile_identity s t c = local_tile (make_identity_layout s) t c.
Proof. reflexivity. Qed.
