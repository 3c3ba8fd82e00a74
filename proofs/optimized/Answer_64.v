(* The optimized algebra as a program: what gpu/ answers, computed by its model.
   Nothing: the question lies outside it. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String.
From Colex Require Export Answer Right_search_64.
Local Open Scope N_scope.

(* A layout as gpu/ holds one: no more than 32 leaves of 64 bits, no empty tuple inside. *)
Fixpoint filled_up {D} (A : layout D) : bool :=
  match A with
  | Leaf _ _ => true
  | Node ms => match ms with [] => false | _ => forallb filled_up ms end
  end.
Definition held_layout {D} (fits : D -> bool) (A : layout D) : bool :=
  filled_up A && held_64 (leaves A) && forallb (fun m => fits (snd m)) (leaves A).
Definition signed_64 (v : value) : option (layout Z) :=
  match v with Layout A => if held_layout fits_z A then Some A else None | _ => None end.
Definition natural_64 (v : value) : option (layout N) :=
  A <- signed_64 v; to_natural A.

Definition laid (o : outcome (layout N)) : outcome value := A <~ o; Yes (lay A).
Definition laid_out (o : outcome (layout Z)) : outcome value := A <~ o; Yes (Layout A).

Local Open Scope string_scope.
Definition respond_64 (op : string) (args : list value) : option (outcome value) :=
  match args with
  | [v] =>
      if String.eqb op "coalesce" then A <- signed_64 v; Some (laid_out (coalesce_64 A))
      else A <- natural_64 v;
        if String.eqb op "right_inverse" then Some (laid (searched_right_inverse_64 A))
        else if String.eqb op "left_inverse" then Some (laid_out (searched_left_inverse_64 A))
        else None
  | [v; w] =>
      if String.eqb op "composition" then
        A <- signed_64 v; B <- natural_64 w; Some (laid_out (composition_64 fits_z A B))
      else if String.eqb op "complement" then
        A <- natural_64 v;
        match w with
        | Number M => if fits_z M && (0 <=? M)%Z then Some (laid (complement_64 A (Z.to_N M))) else None
        | _ => None
        end
      else None
  | _ => None
  end.
