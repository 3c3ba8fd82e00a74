(* Arguments of laws as what theorems speak of, and what is said of a theorem at them: tools/covers.py writes its
  hypotheses as booleans in these words. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import String.
From Colex Require Export Answer.
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
(* Theorems on tensors hold for any function of the values; those on memory for what a swizzle makes of natural ones. *)
#[export] Instance reads_tensor : reads (tensor (point Z) (point Z)) := fun v => match v with
  | Behind _ n A => Some (Tensor (fun x => x) (basis [] n) (map_strides (basis []) A))
  | Moved n A => option_map (view (basis [] n)) (to_points A)
  | _ => option_map (view zero) (reads_points v)
  end.
#[export] Instance reads_memory : reads (tensor N N) := fun v => match v with
  | Behind w n A => A <- to_natural A; n <- natural n;
      Some (match w with Some w => behind w n A | None => view n A end)
  | _ => option_map (view 0) (reads_natural v)
  end.

(* Tables of more elements are not computed. *)
Fixpoint small_value (v : value) : bool :=
  match v with
  | Layout A | Behind _ _ A => size A <=? table_limit
  | Basis A | Moved _ A => size A <=? table_limit
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
