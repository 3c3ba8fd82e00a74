(* Arguments of laws as what theorems speak of, and what is said of a theorem at them: tools/covers.py writes its
  hypotheses as booleans in these words. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String.
From Colex Require Export Answer F2_answers Tiled_mma Tiled_copy Tiled_layouts.
Local Open Scope N_scope.

(* `Unread`: the theorem's variables have no such value. `Missing`: the law has no argument or index of that name. *)
Inductive verdict := Covered | Beyond | Unread (name : string) | Missing (name : string) | Large.

Class reads (T : Type) := from_value : value -> option T.
#[export] Instance reads_value : reads value := Some.
#[export] Instance reads_N : reads N := fun v => match v with Number n => natural n | _ => None end.
#[export] Instance reads_Z : reads Z := fun v => match v with Number n => Some n | _ => None end.
#[export] Instance reads_nat : reads nat := fun v => n <- reads_N v; if n <=? 1000 then Some (N.to_nat n) else None.
#[export] Instance reads_tuple : reads tuple := to_tuple.
#[export] Instance reads_open : reads open := to_open.
#[export] Instance reads_tiler : reads tiler := to_tiler.
#[export] Instance reads_swizzle : reads swizzle := fun v => match v with Swizzle w => Some w | _ => None end.
#[export] Instance reads_map : reads f2_map := to_map.
#[export] Instance reads_composed : reads composed := to_composed.
#[export] Instance reads_letters : reads (list N) := fun v => match v with
  | Word w => Some (map (fun c => N.of_nat (Ascii.nat_of_ascii c)) (list_ascii_of_string w))
  | _ => None
  end.
#[export] Instance reads_integral : reads (layout Z) := fun v => match v with Layout A => Some A | _ => None end.
#[export] Instance reads_natural : reads (layout N) := fun v => A <- reads_integral v; to_natural A.
#[export] Instance reads_points : reads (layout (point Z)) := fun v => match v with
  | Layout A => Some (map_strides (basis []) A)
  | Basis A => to_points A
  | _ => None
  end.
#[export] Instance reads_point : reads (point Z) := fun v => option_map (basis []) (reads_Z v).
#[export] Instance reads_natural_points : reads (layout (point N)) := fun v =>
  let naturally (p : path) (n : Z) := if (n <? 0)%Z then None else Some (basis p (Z.to_N n)) in
  let fix read A := match A with
    | Leaf s (p, d) => option_map (Leaf s) (naturally p d)
    | Node ms => option_map Node (sequence (map read ms))
    end in
  match v with
  | Layout A => read (map_strides (fun d => ([], d)) A)
  | Basis A => _ <- to_points A; read A
  | _ => None
  end.
(* A coordinate: its integers along the basis elements of their places. *)
Fixpoint place_of (p : path) (v : value) : option (point Z) :=
  match v with
  | Number n => Some (basis p n)
  | Tuple l =>
      let fix go k l := match l with
        | [] => Some zero
        | x :: l => x <- place_of (p ++ [k]) x; option_map (plus x) (go (S k) l)
        end in go O l
  | _ => None
  end.
(* Theorems on tensors hold for any function of the values; those on memory for what a swizzle makes of natural ones. *)
#[export] Instance reads_tensor : reads (tensor (point Z) (point Z)) := fun v => match v with
  | Behind _ n A => Some (Tensor (fun x => x) (basis [] n) (map_strides (basis []) A))
  | Moved n A => option_map (view (basis [] n)) (to_points A)
  | Placed n A => n <- place_of [] n; option_map (view n) (to_points A)
  | _ => option_map (view zero) (reads_points v)
  end.
#[export] Instance reads_memory : reads (tensor N N) := fun v => match v with
  | Behind w n A => A <- to_natural A; n <- natural n;
      Some (match w with Some w => behind w n A | None => view n A end)
  | _ => option_map (view 0) (reads_natural v)
  end.

#[export] Instance reads_addressed : reads addressed := fun v => match v with
  | Behind (Some _) _ _ => option_map Swizzled_by (to_composed v)
  | Behind None n A => n <- natural n; Some (Viewed n (map_strides (basis []) A))
  | Moved n A => n <- natural n; option_map (Viewed n) (to_points A)
  | _ => option_map (Viewed 0) (reads_points v)
  end.

(* Tables of more elements are not computed. *)
Fixpoint small_value (v : value) : bool :=
  match v with
  | Layout A | Behind _ _ A => size A <=? table_limit
  | Basis A | Moved _ A | Placed _ A => size A <=? table_limit
  | Tiler l => forallb small_value l
  | _ => true
  end.
(* The argument of that name, or the index up to and with its last. *)
Definition arg {T} `{reads T} (name : string) (args : list (string * value)) (f : T -> verdict) : verdict :=
  match find (fun a => String.eqb (fst a) name) args with
  | Some (_, v) => if small_value v then match from_value v with Some x => f x | None => Unread name end else Large
  | None => Missing name
  end.
Definition decide (b : bool) : verdict := if b then Covered else Beyond.

Definition prime_number (p : N) : bool := (1 <? p) && forallb (fun a => (a <=? 1) || negb (p mod a =? 0)) (iota p).

(* ---- What laws make of their arguments ---- *)

(* Modes taken out again: before mode k where bit k of p is set, and one at the end of each third p. *)
Definition with_projected {X} (p : N) (filler : X) (l : list X) : list (bool * X) :=
  let fix go k l := match l with
    | [] => if p mod 3 =? 0 then [(false, filler)] else []
    | x :: l => (if N.testbit p k then [(false, filler)] else []) ++ (true, x) :: go (k + 1) l
    end in go 0 l.
Definition tuple_parts (t : tuple) : list tuple := match t with Tup l => l | Int _ => [] end.
Definition tiler_parts (t : tiler) : list tiler := match t with Modes l => l | _ => [] end.

(* Where there is no such tiling, one of which no theorem speaks. *)
Definition no_mma : mma_atom := Mma 0 0 0 (Leaf 1 0) (Leaf 1 0) (Leaf 1 0) (Leaf 1 0) None None None.
Definition tiled_by (a : mma_atom) (R : layout N) (T : tiler) : tiled_mma :=
  match make_tiled_mma a R (tiler_parts T) with Some t => t | None => Tiled_mma no_mma (Leaf 1 0) Keep Keep Keep end.
Definition copied_by (a : copy_atom) (bits : N) (R V : layout N) : tiled_copy :=
  let made := s <- upcast (of_src a) bits; d <- upcast (of_dst a) bits; r <- upcast (of_ref a) bits;
    make_tiled_copy (Copy (copy_threads a) s d r) R V in
  match made with Some t => t | None => Tiled_copy a (Leaf 1 0) [0; 0] end.
Definition no_copy : copy_atom := Copy (Leaf 1 0) (Leaf 1 0) (Leaf 1 0) (Leaf 1 0).
Definition in_halves (a : copy_atom) : copy_atom :=
  match (s <- upcast (of_src a) 16; d <- upcast (of_dst a) 16; r <- upcast (of_ref a) 16;
    Some (Copy (copy_threads a) s d r)) with Some a => a | None => no_copy end.
Definition operand_of (v : value) : operand := match v with
  | Word w => if String.eqb w "A" then Of_A else if String.eqb w "B" then Of_B else Of_C
  | _ => Of_C
  end.
(* Is a tile, or what the threads of an atom hold of it, more than a table? *)
Definition large_tile (t : tiled_mma) (x : operand) : bool :=
  let '(m, n) := tile_extents_of t x in (table_limit <? size (thread_values (atom t) x)) || (table_limit <? m * n).
(* The bits of a type that laws name. *)
Definition type_bits (v : value) : N := match v with
  | Word w => if String.eqb w "uint8_t" then 8 else if String.eqb w "half_t" then 16
              else if String.eqb w "float" then 32 else 0
  | _ => 0
  end.
