(* The model as a program: values of the grammar, the table of operations. Only translation; every operation is defined
  elsewhere. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String.
From Colex Require Export Swizzle Ordered Common Solve F2_layout Recast Tile Read_back Cosize Basis Tiling Banks.
Local Open Scope N_scope.

Inductive value :=
  | Number (n : Z)
  | Wild
  | Tuple (l : list value)
  | Layout (A : layout Z)
  | Tiler (l : list value)
  | Swizzle (w : swizzle)
  | Behind (w : option swizzle) (n : Z) (A : layout Z)
  | Truth (b : bool)
  | Basis (A : layout (path * Z))  (* strides with their paths *)
  | Moved (n : Z) (A : layout (path * Z))  (* a view of such *)
  | Placed (n : value) (A : layout (path * Z))  (* one that begins at a coordinate *)
  | Map (n : N) (bases : value)
  | Word (w : string).

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
Fixpoint to_strides (v : value) : option (strides_of Z) :=
  match v with
  | Number n => Some (Step n)
  | Tuple l => option_map Steps (sequence (map to_strides l))
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

(* Nor does its complement in n reach further; what it repeats, it repeats of the complement, too. *)
Fixpoint near_tiler (n : N) (t : tiler) : bool :=
  match t with
  | Tile B => small B && (cosize B <=? table_limit) && (n * size B <=? 2 * table_limit * size (filter_zeros B))
  | Modes ts => forallb (near_tiler n) ts
  | _ => small_tiler t
  end.
(* Alone, `_` is no tiler. *)
Definition tiler_of (v : value) : option tiler := match v with Wild => None | _ => to_tiler v end.

Definition natural (n : Z) : option N := if (n <? 0)%Z then None else Some (Z.to_N n).
Definition known {X} (x : option X) (f : X -> reply) : reply := match x with Some x => f x | None => Unsupported end.
Definition defined {X} (f : X -> value) (x : option X) : reply :=
  match x with Some x => Answer (f x) | None => Undefined end.
Definition lay (A : layout N) : value := Layout (from_natural A).
Definition number (n : N) : value := Number (Z.of_N n).

(* Strides along a mode and along its parts are nobody's; 0 is along none. *)
Definition to_points (A : layout (path * Z)) : option (layout (point Z)) :=
  let ps := map (fun m => fst (snd m)) (List.filter (fun m => negb (snd (snd m) =? 0)%Z) (leaves A)) in
  let part p q := (length p <? length q)%nat && if path_dec p (firstn (length p) q) then true else false in
  if existsb (fun p => existsb (part p) ps) ps then None
  else Some (map_strides (fun d : path * Z => basis (fst d) (snd d)) A).
Definition from_points (A : layout (point Z)) : value :=
  let B := map_strides (fun x : point Z => match terms x with t :: _ => t | [] => ([], 0%Z) end) A in
  if forallb (fun m => match fst (snd m) with [] => true | _ => false end) (leaves B) then Layout (map_strides snd B)
  else Basis B.

(* f on a layout, or on the layout inside a composed one. *)
Definition lifted (v : value) (f : forall D, module D -> layout D -> option (layout D)) : reply :=
  match v with
  | Layout A => defined Layout (f _ _ A)
  | Behind w n A => defined (Behind w n) (f _ _ A)
  | Basis A => known (to_points A) (fun A => match f _ _ A with
      | Some R => if singles R then Answer (from_points R) else Undefined
      | None => Undefined end)
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
  | _, _ => known (tiler_of b) (fun t =>
      if small_tiler t then lifted a (fun _ _ A => compose_tiler A t) else Unsupported)
  end.
Definition run_divide (f : forall D, module D -> layout D -> tiler -> option (layout D)) (a b : value) : reply :=
  known (tiler_of b) (fun t =>
    let n := match a with Layout A | Behind _ _ A => size A | Basis A => size A | _ => 0 end in
    if (n <=? table_limit) && near_tiler n t then lifted a (fun _ m A => f _ m A t) else Unsupported).
(* A mode that a tiler keeps may step back, which the model does not have. *)
Fixpoint keeps (t : tiler) : bool := match t with Keep => true | Modes ts => existsb keeps ts | _ => false end.
Definition run_product (f : layout N -> tiler -> option (layout N)) (a b : value) : reply :=
  known (tiler_of b) (fun t =>
    match (if small_tiler t then on_naturals a (fun A => defined lay (f A t)) else Unsupported) with
    | Unspecified => if keeps t then Unsupported else Unspecified
    | r => r
    end).

Definition positive_shape (v : value) (f : tuple -> reply) : reply :=
  known (to_tuple v) (fun t => if tpositive t then f t else Undefined).
Definition tiled_shape (v : value) (f : tuple -> reply) : reply :=
  positive_shape v (fun s => if tsize s <=? 4 * table_limit then f s else Unsupported).
Definition on_shapes (a b : value) (f : tuple -> tuple -> reply) : reply :=
  positive_shape a (fun s => positive_shape b (fun t => f s t)).
Definition plain (v : value) : value :=
  match v with
  | Behind (Some w) 0%Z A => if bits w =? 0 then Layout A else v
  | _ => v
  end.

(* A linear map, its bases by the modes of its coordinates; at most 1000 bits on either side. *)
Fixpoint form_of (b : value) : tuple :=
  match b with
  | Tuple ((Tuple _ :: _) as l) => Tup (map form_of l)
  | Tuple l => Int (2 ^ N.of_nat (length l))
  | _ => Int 1
  end.
Fixpoint bases_of (b : value) : option (list N) :=
  match b with
  | Number n => option_map (fun n => [n]) (natural n)
  | Tuple l => option_map (@concat N) (sequence (map bases_of l))
  | _ => None
  end.
Definition max_bits : N := 1000.
Definition fits_bits (F : f2_map) : bool := (width F <=? max_bits) && (f2_bits F <=? max_bits) && formed F.
Definition to_map (v : value) : option f2_map :=
  match v with
  | Map n b => bs <- bases_of b; let F := Linear n (form_of b) bs in if fits_bits F then Some F else None
  | _ => None
  end.
Fixpoint by_modes (t : tuple) (bs : list N) : value * list N :=
  match t with
  | Int n => let k := N.to_nat (N.log2 n) in (Tuple (map number (firstn k bs)), skipn k bs)
  | Tup [] => (Tuple [], bs)
  | Tup ts => let r := fold_left (fun r t => let q := by_modes t (snd r) in (fst r ++ [fst q], snd q)) ts ([], bs) in
      (Tuple (fst r), snd r)
  end.
Definition linear_reply (F : option f2_map) : reply :=
  match F with
  | Some F => if fits_bits F then Answer (Map (width F) (fst (by_modes (form F) (bases F)))) else Undefined
  | None => Undefined
  end.
Definition on_map (v : value) (f : f2_map -> reply) : reply := known (to_map v) f.
Definition to_composed (v : value) : option composed :=
  match v with
  | Layout A => option_map unswizzled (to_natural A)
  | Behind w n A => A <- to_natural A; n <- natural n;
      Some (Composed (match w with Some w => w | None => Sw 0 0 0 end) n A)
  | _ => None
  end.
Definition behind_swizzle (c : composed) : value :=
  plain (Behind (Some (outer c)) (Z.of_N (offset c)) (from_natural (inner c))).

(* What linear maps answer where a layout is behind a swizzle and layouts alone have no answer (laws.md, Closure). *)
Definition is_behind (v : value) : bool := match v with Behind _ _ _ => true | _ => false end.
(* A mode of no modes has no bases, as one of extent 1: maps are written alike. *)
Fixpoint written (t : tuple) : tuple :=
  match t with Tup [] => Int 1 | Tup l => Tup (map written l) | Int n => Int n end.
Definition map_of (v : value) : option f2_map :=
  c <- to_composed v; F <- to_f2 c;
  if fits_bits F then Some (Linear (width F) (written (form F)) (bases F)) else None.
Definition spelled (F : f2_map) : reply :=
  match from_f2 F with Some c => Answer (behind_swizzle c) | None => linear_reply (Some F) end.
Definition closing (f : f2_map -> f2_map -> option f2_map) (run : value -> value -> reply) (a b : value) : reply :=
  match (if is_behind b then Undefined else run a b) with
  | Undefined =>
      if is_behind a || is_behind b
      then match (F <- map_of a; G <- map_of b; f F G) with Some H => spelled H | None => Undefined end
      else Undefined
  | r => r
  end.

(* A recast by a power of two of a swizzle, of a layout, and of one behind the other. *)
Definition recast (w : swizzle -> N -> option swizzle) (f : layout N -> N -> option (layout N)) (v : value) (n : Z) :=
  known (natural n) (fun n => match v with
    | Layout A => on_naturals v (fun A => defined lay (f A n))
    | Swizzle v => known (exact_log2 n) (fun j => defined Swizzle (w v j))
    | _ => Unsupported
    end).
(* A tile or a share: what is sliced begins at an offset. *)
Definition part (v : value) (f : layout Z -> option (Z * layout Z)) : reply :=
  match v with
  | Layout A => if size A <=? table_limit then defined (fun p => Behind None (fst p) (snd p)) (f A) else Unsupported
  | Behind w n A =>
      if size A <=? table_limit then defined (fun p => Behind w (n + fst p)%Z (snd p)) (f A) else Unsupported
  | _ => Unsupported
  end.
Definition read_back_by (f : layout N -> N -> option value) (a v : value) : reply :=
  match a, v with
  | Layout A, Number n => known (natural n) (fun n => known (to_natural A) (fun A => defined (fun v => v) (f A n)))
  | _, _ => Unsupported
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
     | [s; t] => on_shapes s t (fun s t => Answer (Truth (compatible s t)))
     | _ => Unsupported end);
  ("evenly_divides", fun a => match a with
     | [s; t] => on_shapes s t (fun s t => Answer (Truth (evenly_divides s t)))
     | _ => Unsupported end);
  ("ceil_div", fun a => match a with
     | [s; t] => on_shapes s t (fun s t => defined from_tuple (ceil_div s t))
     | _ => Unsupported end);
  ("shape_div", fun a => match a with
     | [s; t] => on_shapes s t (fun s t => defined from_tuple (shape_div s t))
     | _ => Unsupported end);
  ("idx2crd", fun a => match a with
     | [Number i; s] => known (natural i) (fun i => positive_shape s (fun s => Answer (from_tuple (idx2crd i s))))
     | [Number i; s; d] => known (natural i) (fun i => positive_shape s (fun s =>
         known (to_strides d) (fun d => known (make_layout s d) (fun A =>
           known (to_natural A) (fun A => defined from_tuple (idx2crd_by i A))))))
     | _ => Unsupported end);
  ("crd2idx", fun a => match a with
     | [c; s] => known (to_tuple c) (fun c => positive_shape s (fun s => defined number (crd2idx c s)))
     | [c; s; d] => known (to_tuple c) (fun c => positive_shape s (fun s =>
         known (to_strides d) (fun d => defined Number (crd2idx_by c s d))))
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
  ("flatten", fun a => match a with [v] => lifted v (fun _ _ A => Some (flatten A)) | _ => Unsupported end);
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
     | [v] => lifted v (fun _ _ A => Some (coalesce A))
     | [v; p] => known (to_tuple p) (fun p => lifted v (fun _ _ A => coalesce_by A p))
     | _ => Unsupported end);
  ("filter_zeros", fun a => match a with [v] => lifted v (fun _ _ A => Some (filter_zeros A)) | _ => Unsupported end);
  ("filter", fun a => match a with
     | [v] => lifted v (fun _ _ A => Some (filter A))
     | [v; p] => known (to_tuple p) (fun p => lifted v (fun _ _ A => filter_by A p))
     | _ => Unsupported end);
  ("composition", fun a => match a with
     | [A; B] => closing f2_compose run_composition A B
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
         known (closed_max_common A B) (fun R => Answer (lay R))))
     | _ => Unsupported end);
  ("max_common_vector", fun a => match a with
     | [Layout A; Layout B] => known (to_natural A) (fun A => known (to_natural B) (fun B =>
         known (closed_max_common A B) (fun R => Answer (number (size R)))))
     | _ => Unsupported end);
  ("domain_distribute", fun a => match a with
     | [(Number _ | Tuple _) as s; Number n] =>
         positive_shape s (fun s => if (n <? 1)%Z then Undefined else defined lay (domain_distribute s (Z.to_N n)))
     | _ => Unsupported end);
  ("logical_divide", fun a => match a with
     | [A; T] => closing f2_divide (run_divide (@divide_tiler)) A T
     | _ => Unsupported end);
  ("zipped_divide", fun a => match a with [A; T] => run_divide (@zipped_divide) A T | _ => Unsupported end);
  ("tiled_divide", fun a => match a with [A; T] => run_divide (@tiled_divide) A T | _ => Unsupported end);
  ("flat_divide", fun a => match a with [A; T] => run_divide (@flat_divide) A T | _ => Unsupported end);
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
     | _ => Unsupported end);
  ("coshape", fun a => match a with [Layout A] => Answer (from_tuple (coshape A)) | _ => Unsupported end);
  ("get_hier_coord", fun a => match a with
     | [A; v] => read_back_by (fun A v => option_map from_tuple (get_hier_coord A v)) A v
     | _ => Unsupported end);
  ("get_flat_coord", fun a => match a with
     | [A; v] => read_back_by (fun A v => option_map from_tuple (get_flat_coord A v)) A v
     | _ => Unsupported end);
  ("get_1d_coord", fun a => match a with
     | [A; v] => read_back_by (fun A v => option_map number (get_1d_coord A v)) A v
     | _ => Unsupported end);
  ("make_identity_layout", fun a => match a with
     | [s] => positive_shape s (fun s => Answer (from_points (map_strides
         (fun x : point N => match terms x with t :: _ => basis (fst t) (Z.of_N (snd t)) | [] => zero end)
         (make_identity_layout s))))
     | _ => Unsupported end);
  ("upcast", fun a => match a with [v; Number n] => recast upcast_swizzle_by upcast v n | _ => Unsupported end);
  ("downcast", fun a => match a with
     | [v; Number n] => recast (fun w j => Some (downcast_swizzle_by w j)) downcast v n
     | _ => Unsupported end);
  ("recast_layout", fun a => match a with
     | [A; Number b; Number c] => known (natural b) (fun b => known (natural c) (fun c =>
         on_naturals A (fun A => defined lay (recast_layout A b c))))
     | _ => Unsupported end);
  ("max_alignment", fun a => match a with
     | [Layout A] => known (to_natural A) (fun A => Answer (number (max_alignment A)))
     | _ => Unsupported end);
  ("tile_to_shape", fun a => match a with
     | [A; s] => tiled_shape s (fun s => on_naturals A (fun A => defined lay (tile_to_shape A s false)))
     | [A; s; Word w] => if String.eqb w "LayoutLeft" || String.eqb w "LayoutRight" then
         tiled_shape s (fun s =>
           on_naturals A (fun A => defined lay (tile_to_shape A s (String.eqb w "LayoutRight"))))
         else Unsupported
     | _ => Unsupported end);
  ("inner_partition", fun a => match a with
     | [A; t; c] => known (to_tiler t) (fun t => known (to_open c) (fun c => part A (fun A => inner_partition A t c)))
     | _ => Unsupported end);
  ("outer_partition", fun a => match a with
     | [A; t; c] => known (to_tiler t) (fun t => known (to_open c) (fun c => part A (fun A => outer_partition A t c)))
     | _ => Unsupported end);
  ("local_tile", fun a => match a with
     | [A; t; c] => known (to_tiler t) (fun t => known (to_open c) (fun c => part A (fun A => local_tile A t c)))
     | _ => Unsupported end);
  ("local_partition", fun a => match a with
     | [A; Layout R; Number i] => known (to_natural R) (fun R => known (natural i) (fun i =>
         if small R then part A (fun A => local_partition A R i) else Unsupported))
     | _ => Unsupported end);
  ("to_f2", fun a => match a with
     | [Swizzle w; Number n] => known (natural n) (fun n =>
         if (n <=? max_bits)%N then linear_reply (to_f2_of_swizzle w n) else Unsupported)
     | [v] => known (to_composed v) (fun c => linear_reply (to_f2 c))
     | [v; Number n] => known (to_composed v) (fun c => known (natural n) (fun n => linear_reply (to_f2_wide c n)))
     | _ => Unsupported end);
  ("from_f2", fun a => match a with
     | [F] => on_map F (fun F => defined behind_swizzle (from_f2 F))
     | _ => Unsupported end);
  ("f2_apply", fun a => match a with
     | [F; c] => on_map F (fun F => known (to_tuple c) (fun c => defined number (f2_value_at F c)))
     | _ => Unsupported end);
  ("f2_rank", fun a => match a with [F] => on_map F (fun F => Answer (number (f2_rank F))) | _ => Unsupported end);
  ("f2_image", fun a => match a with
     | [F] => on_map F (fun F => linear_reply (Some (f2_image F)))
     | _ => Unsupported end);
  ("f2_kernel", fun a => match a with
     | [F] => on_map F (fun F => linear_reply (Some (f2_kernel F)))
     | _ => Unsupported end);
  ("f2_compose", fun a => match a with
     | [F; G] => on_map F (fun F => on_map G (fun G => linear_reply (f2_compose F G)))
     | _ => Unsupported end);
  ("f2_invert", fun a => match a with [F] => on_map F (fun F => linear_reply (f2_invert F)) | _ => Unsupported end);
  ("f2_right_inverse", fun a => match a with
     | [F] => on_map F (fun F => linear_reply (Some (f2_right_inverse F)))
     | _ => Unsupported end);
  ("f2_left_inverse", fun a => match a with
     | [F] => on_map F (fun F => linear_reply (Some (f2_left_inverse F)))
     | _ => Unsupported end);
  ("f2_product", fun a => match a with
     | [F; G] => on_map F (fun F => on_map G (fun G => linear_reply (Some (f2_product F G))))
     | _ => Unsupported end);
  ("f2_complement", fun a => match a with
     | [F] => on_map F (fun F => linear_reply (f2_complement F (width F)))
     | [F; Number n] => on_map F (fun F => known (natural n) (fun n =>
         if (n <=? max_bits)%N then linear_reply (f2_complement F n) else Unsupported))
     | _ => Unsupported end);
  ("f2_divide", fun a => match a with
     | [F; G] => on_map F (fun F => on_map G (fun G => linear_reply (f2_divide F G)))
     | _ => Unsupported end)].

Definition respond (op : string) (args : list value) : reply :=
  match find (fun o => String.eqb (fst o) op) table_of_operations with
  | Some o => snd o (map plain args)
  | None => Unsupported
  end.
