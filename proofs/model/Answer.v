(* The model as a program: values of the grammar, the table of operations. Only translation; every operation is defined
  elsewhere. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String.
From Colex Require Export Swizzle Ordered Common Solve.
Local Open Scope N_scope.

Inductive value :=
  | Number (n : Z)
  | Wild
  | Tuple (l : list value)
  | Layout (A : layout Z)
  | Tiler (l : list value)
  | Swizzle (w : swizzle)
  | Behind (w : option swizzle) (n : Z) (A : layout Z)
  | Truth (b : bool).

(* `Unsupported`: the question lies outside the model. *)
Inductive reply := Answer (v : value) | Undefined | Unspecified | Unsupported.

(* Tables of this many elements are written down; more is outside the model. *)
Definition table_limit : N := 4096.
Definition small (B : layout N) : bool := size B <=? table_limit.

Fixpoint to_tuple (v : value) : option tuple :=
  match v with
  | Number n => if (n <? 0)%Z then None else Some (Int (Z.to_N n))
  | Tuple l => option_map Tup (sequence (map to_tuple l))
  | _ => None
  end.
Fixpoint from_tuple (t : tuple) : value :=
  match t with
  | Int n => Number (Z.of_N n)
  | Tup l => Tuple (map from_tuple l)
  end.
Fixpoint to_open (v : value) : option open :=
  match v with
  | Wild => Some Any
  | Number n => if (n <? 0)%Z then None else Some (At (Z.to_N n))
  | Tuple l => option_map Each (sequence (map to_open l))
  | _ => None
  end.
Fixpoint from_natural (A : layout N) : layout Z :=
  match A with
  | Leaf s d => Leaf s (Z.of_N d)
  | Node ms => Node (map from_natural ms)
  end.
Fixpoint to_tiler (v : value) : option tiler :=
  match v with
  | Number n => if (n <? 1)%Z then None else Some (Extent (Z.to_N n))
  | Wild => Some Keep
  | Layout B => option_map Tile (to_natural B)
  | Tiler l => option_map Modes (sequence (map to_tiler l))
  | _ => None
  end.
Fixpoint small_tiler (t : tiler) : bool :=
  match t with
  | Tile B => small B
  | Extent n => n <=? table_limit
  | Keep => true
  | Modes ts => forallb small_tiler ts
  end.

Definition natural (n : Z) : option N := if (n <? 0)%Z then None else Some (Z.to_N n).
Definition known {X} (x : option X) (f : X -> reply) : reply := match x with Some x => f x | None => Unsupported end.
Definition defined {X} (f : X -> value) (x : option X) : reply :=
  match x with Some x => Answer (f x) | None => Undefined end.
Definition lay (A : layout N) : value := Layout (from_natural A).
Definition number (n : N) : value := Number (Z.of_N n).

(* f on a layout, or on the layout inside a composed one. *)
Definition lifted (v : value) (f : layout Z -> option (layout Z)) : reply :=
  match v with
  | Layout A => defined Layout (f A)
  | Behind w n A => defined (Behind w n) (f A)
  | _ => Unsupported
  end.
Definition on_naturals (v : value) (f : layout N -> reply) : reply :=
  match v with
  | Layout A => match to_natural A with Some A => f A | None => Unspecified end
  | _ => Unsupported
  end.
Definition on_tuples (a b : value) (f : tuple -> tuple -> reply) : reply :=
  known (to_tuple a) (fun s => known (to_tuple b) (f s)).

Definition run_apply (a c : value) : reply :=
  match a, c with
  | Swizzle w, Number n => match natural n with Some x => Answer (number (swizzled w x)) | None => Unspecified end
  | Layout A, _ => known (to_tuple c) (fun c => defined Number (apply_coordinate A c))
  | Behind (Some w) n A, _ => known (to_tuple c) (fun c => match apply_coordinate A c with
      | None => Undefined
      | Some x => match natural (n + x) with Some y => Answer (number (swizzled w y)) | None => Unspecified end end)
  | Behind None n A, _ => known (to_tuple c) (fun c => defined (fun x => Number (n + x)) (apply_coordinate A c))
  | _, _ => Unsupported
  end.

Definition run_composition (a b : value) : reply :=
  match a, b with
  | Swizzle v, Swizzle w => defined Swizzle (compose_swizzles v w)
  | _, _ => known (to_tiler b) (fun t => if small_tiler t then lifted a (fun A => compose_tiler A t) else Unsupported)
  end.
Definition run_divide (f : layout Z -> tiler -> option (layout Z)) (a b : value) : reply :=
  known (to_tiler b) (fun t => match a with
    | Layout A | Behind _ _ A => if (size A <=? table_limit) && small_tiler t then lifted a (fun A => f A t)
      else Unsupported
    | _ => Unsupported end).
Definition run_product (f : layout N -> tiler -> option (layout N)) (a b : value) : reply :=
  known (to_tiler b) (fun t => if small_tiler t then on_naturals a (fun A => defined lay (f A t)) else Unsupported).

Definition positive_shape (v : value) (f : tuple -> reply) : reply :=
  known (to_tuple v) (fun t => if tpositive t then f t else Unsupported).
Definition plain (v : value) : value :=
  match v with
  | Behind (Some w) 0%Z A => if bits w =? 0 then Layout A else v
  | _ => v
  end.

Local Open Scope string_scope.
Definition table_of_operations : list (string * (list value -> reply)) := [
  ("rank", fun a => match a with [Layout A] => Answer (number (N.of_nat (rank A))) | _ => Unsupported end);
  ("depth", fun a => match a with [Layout A] => Answer (number (N.of_nat (depth (shape A)))) | _ => Unsupported end);
  ("size", fun a => match a with [Layout A] | [Behind _ _ A] => Answer (number (size A)) | _ => Unsupported end);
  ("cosize", fun a => match a with
     | [Layout A] => known (to_natural A) (fun A => Answer (number (cosize A)))
     | _ => Unsupported end);
  ("product_each", fun a => match a with
     | [s] => positive_shape s (fun s => Answer (from_tuple (product_each s)))
     | _ => Unsupported end);
  ("congruent", fun a => match a with
     | [s; t] => on_tuples s t (fun s t => Answer (Truth (congruent s t)))
     | _ => Unsupported end);
  ("weakly_congruent", fun a => match a with
     | [s; t] => on_tuples s t (fun s t => Answer (Truth (weakly_congruent s t)))
     | _ => Unsupported end);
  ("compatible", fun a => match a with
     | [s; t] => on_tuples s t (fun s t => Answer (Truth (compatible s t)))
     | _ => Unsupported end);
  ("evenly_divides", fun a => match a with
     | [s; t] => on_tuples s t (fun s t => Answer (Truth (evenly_divides s t)))
     | _ => Unsupported end);
  ("ceil_div", fun a => match a with
     | [s; t] => on_tuples s t (fun s t => defined from_tuple (ceil_div s t))
     | _ => Unsupported end);
  ("shape_div", fun a => match a with
     | [s; t] => on_tuples s t (fun s t => defined from_tuple (shape_div s t))
     | _ => Unsupported end);
  ("idx2crd", fun a => match a with
     | [Number i; s] => known (natural i) (fun i => positive_shape s (fun s => Answer (from_tuple (idx2crd i s))))
     | _ => Unsupported end);
  ("crd2idx", fun a => match a with
     | [c; s] => on_tuples c s (fun c s => defined number (crd2idx c s))
     | _ => Unsupported end);
  ("apply", fun a => match a with [A; c] => run_apply A c | _ => Unsupported end);
  ("make_layout_left", fun a => match a with
     | [s] => positive_shape s (fun s => Answer (lay (make_layout_left s)))
     | _ => Unsupported end);
  ("make_layout_right", fun a => match a with
     | [s] => positive_shape s (fun s => Answer (lay (make_layout_right s)))
     | _ => Unsupported end);
  ("make_ordered_layout", fun a => match a with
     | [s; o] => positive_shape s (fun s => known (to_tuple o) (fun o => defined lay (make_ordered_layout s o)))
     | _ => Unsupported end);
  ("make_layout_like", fun a => match a with
     | [A] => on_naturals A (fun A => defined lay (make_layout_like A))
     | _ => Unsupported end);
  ("make_fragment_like", fun a => match a with
     | [A] => on_naturals A (fun A => if small A then defined lay (make_fragment_like A) else Unsupported)
     | _ => Unsupported end);
  ("get", fun a => match a with
     | [Layout A; Number k] =>
         known (natural k) (fun k => if (k <=? 1000)%N then defined Layout (mode A (N.to_nat k)) else Unsupported)
     | _ => Unsupported end);
  ("select", fun a => match a with [Layout A; Number j; Number k] =>
     if ((0 <=? j) && (0 <=? k) && (j <=? 1000) && (k <=? 1000))%Z then defined Layout (select A [Z.to_nat j;
       Z.to_nat k]) else Unsupported | _ => Unsupported end);
  ("take", fun a => match a with [Layout A; Number j; Number k] =>
     if ((0 <=? j) && (0 <=? k) && (j <=? 1000) && (k <=? 1000))%Z then
       defined Layout (take A (Z.to_nat j) (Z.to_nat k)) else Unsupported | _ => Unsupported end);
  ("group", fun a => match a with [Layout A; Number j; Number k] =>
     if ((0 <=? j) && (0 <=? k) && (j <=? 1000) && (k <=? 1000))%Z then
       defined Layout (group A (Z.to_nat j) (Z.to_nat k)) else Unsupported | _ => Unsupported end);
  ("append", fun a => match a with
     | [Layout A] => defined Layout (append A (Leaf 1%N 0%Z))
     | [Layout A; Layout B] => defined Layout (append A B)
     | _ => Unsupported end);
  ("prepend", fun a => match a with
     | [Layout A] => defined Layout (prepend A (Leaf 1%N 0%Z))
     | [Layout A; Layout B] => defined Layout (prepend A B)
     | _ => Unsupported end);
  ("replace", fun a => match a with
     | [Layout A; Number k; Layout B] =>
         known (natural k) (fun k => if (k <=? 1000)%N then defined Layout (replace A (N.to_nat k) B) else Unsupported)
     | _ => Unsupported end);
  ("zip", fun a => match a with
     | [Layout A] => defined Layout (zip_modes A)
     | [Layout A; Layout B] => defined Layout (zip A B)
     | _ => Unsupported end);
  ("flatten", fun a => match a with [v] => lifted v (fun A => Some (flatten A)) | _ => Unsupported end);
  ("slice", fun a => match a with
     | [c; Layout A] => known (to_open c) (fun c => defined Layout (slice c A))
     | _ => Unsupported end);
  ("dice", fun a => match a with
     | [c; Layout A] => known (to_open c) (fun c => defined Layout (dice c A))
     | _ => Unsupported end);
  ("slice_and_offset", fun a => match a with
     | [c; Layout A] => known (to_open c) (fun c =>
       defined (fun p => Behind None (fst p) (snd p)) (slice_and_offset c A))
     | [c; Behind w n A] => known (to_open c) (fun c =>
       defined (fun p => Behind w (n + fst p)%Z (snd p)) (slice_and_offset c A))
     | _ => Unsupported end);
  ("coalesce", fun a => match a with
     | [v] => lifted v (fun A => Some (coalesce A))
     | [v; p] => known (to_tuple p) (fun p => lifted v (fun A => coalesce_by A p))
     | _ => Unsupported end);
  ("filter_zeros", fun a => match a with [v] => lifted v (fun A => Some (filter_zeros A)) | _ => Unsupported end);
  ("filter", fun a => match a with
     | [v] => lifted v (fun A => Some (filter A))
     | [v; p] => known (to_tuple p) (fun p => lifted v (fun A => filter_by A p))
     | _ => Unsupported end);
  ("composition", fun a => match a with
     | [A; B] => run_composition A B
     | [Swizzle w; Number n; Layout A] => Answer (plain (Behind (Some w) n A))
     | _ => Unsupported end);
  ("complement", fun a => match a with
     | [A] => on_naturals A (fun A => defined lay (complement_of A))
     | [A; Number M] => on_naturals A (fun A => if (M <? 1)%Z then Undefined else defined lay (complement A (Z.to_N M)))
     | [A; s] => on_naturals A (fun A => positive_shape s (fun s => defined lay (complement_below A s)))
     | _ => Unsupported end);
  ("right_inverse", fun a => match a with
     | [Layout A] => known (to_natural A) (fun A => known (closed_right_inverse A) (fun R => Answer (lay R)))
     | _ => Unsupported end);
  ("left_inverse", fun a => match a with
     | [A] => on_naturals A (fun A => known (left_inverse A) (fun L => Answer (lay L)))
     | _ => Unsupported end);
  ("nullspace", fun a => match a with
     | [Layout A] => known (to_natural A) (fun A => Answer (lay (nullspace A)))
     | _ => Unsupported end);
  ("max_common_layout", fun a => match a with
     | [Layout A; Layout B] => known (to_natural A) (fun A => known (to_natural B) (fun B =>
         known (max_common_layout A B) (fun R => Answer (lay R))))
     | _ => Unsupported end);
  ("max_common_vector", fun a => match a with
     | [Layout A; Layout B] => known (to_natural A) (fun A => known (to_natural B) (fun B =>
         known (max_common_vector A B) (fun n => Answer (number n))))
     | _ => Unsupported end);
  ("domain_distribute", fun a => match a with
     | [(Number _ | Tuple _) as s; Number n] =>
         positive_shape s (fun s => if (n <? 1)%Z then Undefined else defined lay (domain_distribute s (Z.to_N n)))
     | _ => Unsupported end);
  ("logical_divide", fun a => match a with [A; T] => run_divide divide_tiler A T | _ => Unsupported end);
  ("zipped_divide", fun a => match a with [A; T] => run_divide zipped_divide A T | _ => Unsupported end);
  ("tiled_divide", fun a => match a with [A; T] => run_divide tiled_divide A T | _ => Unsupported end);
  ("flat_divide", fun a => match a with [A; T] => run_divide flat_divide A T | _ => Unsupported end);
  ("logical_product", fun a => match a with [A; T] => run_product product_tiler A T | _ => Unsupported end);
  ("zipped_product", fun a => match a with [A; T] => run_product zipped_product A T | _ => Unsupported end);
  ("tiled_product", fun a => match a with [A; T] => run_product tiled_product A T | _ => Unsupported end);
  ("flat_product", fun a => match a with [A; T] => run_product flat_product A T | _ => Unsupported end);
  ("blocked_product", fun a => match a with
     | [A; Layout B] =>
         known (to_natural B) (fun B => if small B then on_naturals A (fun A => defined lay (blocked_product A B))
           else Unsupported)
     | _ => Unsupported end);
  ("raked_product", fun a => match a with
     | [A; Layout B] =>
         known (to_natural B) (fun B => if small B then on_naturals A (fun A => defined lay (raked_product A B))
           else Unsupported)
     | _ => Unsupported end)].

Definition respond (op : string) (args : list value) : reply :=
  match find (fun o => String.eqb (fst o) op) table_of_operations with
  | Some o => snd o (map plain args)
  | None => Unsupported
  end.
