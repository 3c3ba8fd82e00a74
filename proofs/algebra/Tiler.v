(* Tilers: a layout, an integer, or one tile for each mode; composition with them. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Composition Complement.
Local Open Scope N_scope.

Inductive tiler := Tile (B : layout N) | Extent (n : N) | Keep | Modes (ts : list tiler).

Section Tiler.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* f(mode, tile) for each mode that a tiler reaches; modes beyond it stay when `keep`, Keep keeps its mode. An integer
   tile is `one` of it. *)
Fixpoint by_tiler (f : layout -> Layout.layout N -> option layout) (one : N ->
  Layout.layout N) (keep : bool) (t : tiler) (A : layout)
  : option layout :=
  match t with
  | Tile B => f A B
  | Extent n => f A (one n)
  | Keep => Some A
  | Modes ts =>
      option_map Node ((fix go ts ms := match ts, ms with
        | [], _ => Some (if keep then ms else [])
        | t :: ts, m :: ms => x <- by_tiler f one keep t m; option_map (cons x) (go ts ms)
        | _ :: _, [] => None
        end) ts (modes_of A))
  end.

Definition compose_tiler (A : layout) (t : tiler) : option layout := by_tiler composition (fun n => Leaf n 1) false t A.

Lemma by_tiler_modes f one keep ts A : by_tiler f one keep (Modes ts) A =
  each_mode (fun m t => by_tiler f one keep t m) A ts (if keep then skipn (length ts) (modes_of A) else []).
Proof.
  cbn [by_tiler].
  apply (each_mode_walk (fun m t => by_tiler f one keep t m) (fun ms => if keep then ms else [])); easy.
Qed.

(* By a tiler composition goes mode by mode; Keep keeps its mode, modes beyond are dropped, more tiles than modes fit
  nothing. *)
Theorem composition_by_mode A T ts : compose_tiler A (Tile T) = composition A T /\ compose_tiler A Keep = Some A /\
  compose_tiler A (Modes ts) = each_mode compose_tiler A ts [].
Proof. repeat split. apply by_tiler_modes. Qed.

(* The tiler n is the layout n:1. *)
Theorem composition_integer A n : compose_tiler A (Extent n) = compose_tiler A (Tile (Leaf n 1)).
Proof. reflexivity. Qed.

(* (tile, rest) of each mode that a tiler reached, regrouped into ((tiles), (rests, modes it did not reach)). *)
Definition first (A : layout) : layout := nth 0 (modes_of A) (Node []).
Definition second (A : layout) : layout := nth 1 (modes_of A) (Node []).
Fixpoint unzip_tiles (t : tiler) (A : layout) : layout :=
  match t with
  | Modes ts =>
      let '(tiles, rests) := (fix go ts ms := match ts, ms with
        | [], _ | _, [] => ([], ms)
        | Keep :: ts, m :: ms => let '(x, y) := go ts ms in (Leaf 1 zero :: x, m :: y)
        | t :: ts, m :: ms => let p := unzip_tiles t m in let '(x, y) := go ts ms in (first p :: x, second p :: y)
        end) ts (modes_of A) in
      Node [Node tiles; Node rests]
  | _ => A
  end.
(* The modes from number k on unpacked one level; a tuple of one mode stays a tuple. *)
Definition opened (A : layout) : list layout := match A with Node (m :: n :: ms) => m :: n :: ms | _ => [A] end.
Definition unpack_from (k : nat) (A : layout) : layout :=
  Node (firstn k (modes_of A) ++ flat_map opened (skipn k (modes_of A))).

(* The tile and the rest of one mode that a part of a tiler divided; Keep has 1:0 among the tiles. *)
Definition tile_part (m : layout * tiler) : layout :=
  match snd m with Keep => Leaf 1 zero | t => first (unzip_tiles t (fst m)) end.
Definition rest_part (m : layout * tiler) : layout :=
  match snd m with Keep => fst m | t => second (unzip_tiles t (fst m)) end.
(* ((tiles), (rests, modes beyond the tiler)). *)
Definition regrouped (ts : list tiler) (ms : list layout) : layout :=
  Node [Node (map tile_part (combine ms ts)); Node (map rest_part (combine ms ts) ++ skipn (length ts) ms)].

Lemma unzip_modes ts A : (length ts <= rank A)%nat -> unzip_tiles (Modes ts) A = regrouped ts (modes_of A).
Proof.
  rewrite rank_definition. unfold regrouped. cbn [unzip_tiles]. generalize (modes_of A) as ms.
  match goal with |- forall ms, _ -> (let '(tiles, rests) := ?go ts ms in _) = _ =>
    enough (forall ms, (length ts <= length ms)%nat -> go ts ms = (map tile_part (combine ms ts),
      map rest_part (combine ms ts) ++ skipn (length ts) ms)) as K by (intros ms L; now rewrite K) end.
  induction ts as [|t ts IH]; intros ms L; [now destruct ms|]. destruct ms as [|m ms]; [now inversion L|].
  cbn [length] in L. specialize (IH ms ltac:(lia)). cbn [combine map length skipn]. rewrite IH. now destruct t.
Qed.

Lemma each_mode_rank {P} (g : layout -> P -> option layout) A ps rest R : each_mode g A ps rest = Some R ->
  (length ps <= rank R)%nat.
Proof.
  unfold each_mode. destruct (Nat.leb_spec (length ps) (rank A)) as [L|]; [|discriminate].
  destruct (sequence _) as [l|] eqn:E; [|discriminate]. intros K. injection K as <-. apply sequence_some in E.
  apply (f_equal (@length _)) in E. rewrite !map_length, combine_length, <- rank_definition in E. cbn [rank].
  rewrite app_length. lia.
Qed.
Lemma unzip_by_tiler f one keep ts A : option_map (unzip_tiles (Modes ts)) (by_tiler f one keep (Modes ts) A) =
  option_map (fun R => regrouped ts (modes_of R)) (by_tiler f one keep (Modes ts) A).
Proof.
  destruct (by_tiler f one keep (Modes ts) A) as [R|] eqn:E; [|easy]. rewrite by_tiler_modes in E.
  apply each_mode_rank in E. cbn [option_map]. now rewrite unzip_modes.
Qed.

(* A part of rank 1 stays, others are opened. *)
Lemma opened_modes A : opened A = if (rank A <=? 1)%nat then [A] else modes_of A.
Proof. now destruct A as [s d|[|m [|n ms]]]. Qed.
End Tiler.
