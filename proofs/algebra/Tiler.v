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

(* By a tiler composition goes mode by mode; Keep keeps its mode, modes beyond are dropped, more tiles than modes fit
  nothing. *)
Theorem composition_by_mode A B C T : compose_tiler (Node [A; B; C]) (Modes [Tile T; Keep]) = (x <- composition A T;
  Some (Node [x; B])) /\ (forall U, compose_tiler (Node [A; B]) (Modes [Tile T; Tile U]) = (x <- composition A T;
  y <- composition B U; Some (Node [x; y]))) /\ compose_tiler (Node []) (Modes [Keep]) = None.
Proof.
  unfold compose_tiler. repeat split; simpl.
  - now destruct (composition A T).
  - intros U. destruct (composition A T); simpl; [|easy]. now destruct (composition B U).
Qed.

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

(* What regrouping does to the pairs of two tiled modes, a kept mode and one that the tiler did not reach. *)
Lemma unzipped t1 r1 t2 r2 K B T U : let A :=
  Node [Node [t1; r1]; Node [t2; r2]; K; B] in unzip_tiles (Modes [Tile T; Extent U; Keep]) A = Node [Node [t1; t2;
  Leaf 1 zero]; Node [r1; r2; K; B]] /\
  unpack_from 1 (Node [Node [t1; t2; Leaf 1 zero]; Node [r1; r2; K; B]]) = Node [Node [t1; t2; Leaf 1 zero]; r1; r2; K;
  B] /\ unpack_from 0 (Node [Node [t1; t2; Leaf 1 zero]; Node [r1; r2; K; B]]) = Node [t1; t2; Leaf 1 zero; r1; r2; K;
  B].
Proof. repeat split. Qed.
End Tiler.
