(* What gpu/ computes in 64 bits, and how it may end; coalesce as gpu/algebra/coalesce.hpp has it. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coalesce Checked.
Local Open Scope N_scope.

(* An answer; no layout exists; not decided; beyond 64 bits or 32 leaves. *)
Inductive outcome (X : Type) := Yes (x : X) | No | Undecided | Beyond.
Arguments Yes {X}.
Arguments No {X}.
Arguments Undecided {X}.
Arguments Beyond {X}.
Definition and_then {X Y} (o : outcome X) (f : X -> outcome Y) : outcome Y :=
  match o with
  | Yes x => f x
  | No => No
  | Undecided => Undecided
  | Beyond => Beyond
  end.
(* What holds of an answer, where there is said to be none, and where it is left open. *)
Definition ended {X} (o : outcome X) (yes : X -> Prop) (no undecided : Prop) : Prop :=
  match o with
  | Yes x => yes x
  | No => no
  | Undecided => undecided
  | Beyond => True
  end.
Notation "x <~ o ; p" := (and_then o (fun x => p)) (at level 61, o at next level, right associativity).

(* Naturals are below 2^63; a product is computed where it is. *)
Definition below_64 (n : N) : bool := n <? 2 ^ 63.
Definition times_64 (a b : N) : outcome N := if below_64 (a * b) then Yes (a * b) else Beyond.
Definition ceil_div_64 (a b : N) : N := a / b + if a mod b =? 0 then 0 else 1.
#[global] Opaque below_64.

Lemma ceil_div_64_up a b : 0 < b -> ceil_div_64 a b = ceil a b.
Proof. intros P. symmetry. now apply ceil_div_by_quotient. Qed.

Lemma below_64_le m n : m <= n -> below_64 n = true -> below_64 m = true.
Proof. Transparent below_64. unfold below_64. rewrite !N.ltb_lt. Opaque below_64. lia. Qed.

(* On naturals it is the checked product of the machine. *)
Theorem times_64_checked a b : below_64 a = true -> below_64 b = true ->
  times_64 a b = match checked_times (Z.of_N a) (Z.of_N b) with Some z => Yes (Z.to_N z) | None => Beyond end.
Proof.
  Transparent below_64. unfold times_64, below_64. rewrite !N.ltb_lt. Opaque below_64. intros Ha Hb.
  assert (W : forall n, n < 2 ^ 63 <-> int64 (Z.of_N n)).
  { intros n. unfold int64, fits_bits. change (2 ^ 63)%Z with 9223372036854775808%Z.
    change (2 ^ 63) with 9223372036854775808. lia. }
  destruct (checked_arithmetic_exact (Z.of_N a) (Z.of_N b) (Z.of_N (a * b)) ltac:(now apply W) ltac:(now apply W))
    as (_ & T & _).
  destruct (N.ltb_spec (a * b) (2 ^ 63)) as [L|L].
  - rewrite (proj2 T); [now rewrite N2Z.id|]. split; [lia|now apply W].
  - destruct (checked_times _ _) as [z|] eqn:E; [|easy]. exfalso.
    apply (checked_arithmetic_exact (Z.of_N a) (Z.of_N b) z ltac:(now apply W) ltac:(now apply W)) in E as [-> E].
    rewrite <- N2Z.inj_mul in E. apply W in E. lia.
Qed.

Section Coalesce_64.
Context {D : Type} `{module D}.
Notation layout := (layout D).
Notation modes := (list (N * D)).

(* mode_list: the modes so far, the last first. What continues the last is merged with it. *)
Definition push_64 (m : modes) (s : N) (d : D) : outcome modes :=
  if s =? 1 then Yes m else
    match m with
    | [] => Yes [(s, d)]
    | (t, e) :: r =>
        if same (t *: e) d then n <~ times_64 t s; Yes ((n, e) :: r)
        else if (32 <=? length m)%nat then Beyond else Yes ((s, d) :: m)
    end.
Fixpoint push_all (m l : modes) : outcome modes :=
  match l with
  | [] => Yes m
  | (s, d) :: l => n <~ push_64 m s d; push_all n l
  end.
Definition merge_64 (l : modes) : outcome modes := m <~ push_all [] l; Yes (rev m).
Definition coalesce_64 (A : layout) : outcome layout := m <~ merge_64 (leaves A); Yes (unwrapped m).

(* As many leaves as a layout holds, of extents in 64 bits. *)
Definition held_64 (l : modes) : bool := (length l <=? 32)%nat && forallb (fun m => below_64 (fst m)) l.

Lemma held_app l m : held_64 (l ++ m) = true -> held_64 l = true /\ held_64 m = true.
Proof.
  unfold held_64. rewrite app_length, forallb_app, !andb_true_iff, !Nat.leb_le. intros (L & P & Q).
  repeat split; lia || easy.
Qed.
Lemma held_end l s d : held_64 (l ++ [(s, d)]) = true <->
  (length l < 32)%nat /\ forallb (fun m => below_64 (fst m)) l = true /\ below_64 s = true.
Proof.
  unfold held_64. rewrite app_length, forallb_app, !andb_true_iff, Nat.leb_le. cbn [length forallb fst].
  rewrite andb_true_r. intuition lia.
Qed.
Lemma merge_onto_first s d l : positive l = true -> exists t m, merge_onto s d l = (t, d) :: m /\ s <= t.
Proof.
  revert s. induction l as [|[t e] l IH]; intros s P; [exists s, []; split; [easy|lia]|].
  apply positive_cons in P as [Ht P]. cbn [merge_onto]. destruct (t =? 1); [auto|].
  destruct (same _ _); [|exists s, (merge_onto t e l); split; [easy|lia]].
  destruct (IH (s * t) P) as (u & m & E & L). exists u, m. split; [easy|nia].
Qed.

Lemma push_all_onto t e r l : positive l = true -> forallb (fun m => below_64 (fst m)) l = true ->
  held_64 (rev ((t, e) :: r)) = true -> m <~ push_all ((t, e) :: r) l; Yes (rev m) =
  if held_64 (rev r ++ merge_onto t e l) then Yes (rev r ++ merge_onto t e l) else Beyond.
Proof.
  revert t e r. induction l as [|[s d] l IH]; intros t e r P F R.
  - cbn [push_all and_then merge_onto]. cbn [rev] in *. now rewrite R.
  - apply positive_cons in P as [Hs P]. cbn [forallb fst] in F. apply andb_true_iff in F as [Fs F].
    cbn [push_all merge_onto]. unfold push_64. destruct (s =? 1); [now apply IH|]. destruct (same _ _).
    + unfold times_64. destruct (below_64 (t * s)) eqn:B; cbn [and_then].
      * apply IH; [easy|easy|]. cbn [rev] in *. rewrite held_end in *. easy.
      * destruct (merge_onto_first (t * s) e l P) as (u & m & -> & L). destruct (held_64 (rev r ++ _)) eqn:K; [|easy].
        apply held_app in K as [_ K]. apply andb_true_iff in K as [_ K]. cbn [forallb fst] in K.
        apply andb_true_iff in K as [K _]. apply (below_64_le _ _ L) in K. congruence.
    + destruct (Nat.leb_spec 32 (length ((t, e) :: r))) as [L|L]; cbn [and_then].
      * destruct (merge_onto_first s d l P) as (u & m & -> & _). destruct (held_64 (rev r ++ _)) eqn:K; [|easy].
      exfalso.
        unfold held_64 in K. rewrite app_length, rev_length in K. cbn [length] in *. apply andb_true_iff in K as [K _].
        apply Nat.leb_le in K. lia.
      * rewrite IH; [|easy|easy|].
        -- cbn [rev]. now rewrite <- app_assoc.
        -- cbn [rev length] in *. apply held_end in R as (_ & F' & B). apply held_end.
           rewrite app_length, forallb_app, rev_length, F'. cbn. rewrite B. repeat split; [lia|easy].
Qed.

(* push in turn makes what merge does, if that is held_64. *)
Lemma merge_64_merges l : positive l = true -> forallb (fun m => below_64 (fst m)) l = true ->
  merge_64 l = if held_64 (merge l) then Yes (merge l) else Beyond.
Proof.
  intros P F. unfold merge_64. induction l as [|[s d] l IH]; [easy|]. apply positive_cons in P as [Hs P].
  cbn [forallb fst] in F. apply andb_true_iff in F as [Fs F]. cbn [push_all merge]. unfold push_64.
  destruct (s =? 1); [now apply IH|]. cbn [and_then]. rewrite push_all_onto; [easy|easy|easy|].
  unfold held_64. cbn. now rewrite Fs.
Qed.

Lemma push_64_answers m s d : push_64 m s d = Beyond \/ exists n, push_64 m s d = Yes n.
Proof.
  unfold push_64, times_64. destruct (s =? 1); [eauto|]. destruct m as [|[t e] m]; [eauto|]. destruct (same _ _).
  - destruct (below_64 _); cbn; eauto.
  - destruct (_ <=? _)%nat; eauto.
Qed.
(* Whatever push in turn ends with is merged. *)
Lemma push_all_merges l m : positive l = true -> push_all [] l = Yes m -> rev m = merge l.
Proof.
  assert (K : forall l t e r, positive l = true -> push_all ((t, e) :: r) l = Yes m -> rev m = rev r ++ merge_onto t e
    l).
  { clear l. induction l as [|[s d] l IH]; intros t e r P E; [injection E as <-; easy|].
    apply positive_cons in P as [Hs P]. cbn [push_all merge_onto] in *. unfold push_64 in E.
    destruct (s =? 1); [now apply IH|]. destruct (same _ _).
    - unfold times_64 in E. destruct (below_64 _); [now apply IH|discriminate].
    - destruct (_ <=? _)%nat; [discriminate|]. cbn [and_then] in E. rewrite (IH s d ((t, e) :: r)) by easy. cbn [rev].
      now rewrite <- app_assoc. }
  induction l as [|[s d] l IH]; intros P E; [injection E as <-; easy|]. apply positive_cons in P as [Hs P].
  cbn [push_all merge] in *. unfold push_64 in E. destruct (s =? 1); [now apply IH|]. now apply (K l s d []).
Qed.

Lemma extent_below (l : modes) s d : positive l = true -> In (s, d) l -> s <= numel l.
Proof.
  induction l as [|[t e] l IH]; intros P I; [easy|]. apply positive_cons in P as [Ht P]. cbn [numel].
  pose proof (numel_positive l P). destruct I as [I|I]; [injection I as <- <-; nia|specialize (IH P I); nia].
Qed.
(* What has so few elements that 64 bits count them. *)
Lemma held_numel l : positive l = true -> (length l <= 32)%nat -> below_64 (numel l) = true ->
  held_64 l = true /\ forallb (fun m => below_64 (fst m)) l = true.
Proof.
  intros P L B. assert (F : forallb (fun m => below_64 (fst m)) l = true).
  { apply forallb_forall. intros [s d] I. cbn. apply (below_64_le _ _ (extent_below l s d P I) B). }
  unfold held_64. rewrite F. split; [|easy]. rewrite andb_true_r. now apply Nat.leb_le.
Qed.

(* coalesce as gpu/ computes it is coalesce, and is answered exactly where 64 bits hold the answer. *)
Theorem coalesce_64_exact A : shaped A = true -> held_64 (leaves A) = true ->
  coalesce_64 A = if held_64 (leaves (coalesce A)) then Yes (coalesce A) else Beyond.
Proof.
  intros S K. apply andb_true_iff in K as [_ K]. unfold coalesce_64. rewrite merge_64_merges by easy.
  assert (held_64 (leaves (coalesce A)) = held_64 (merge (leaves A))) as ->; [|now destruct (held_64 _)].
  unfold coalesce. rewrite leaves_unwrapped. now destruct (merge _).
Qed.
(* So it is for every layout whose elements 64 bits count. *)
Theorem coalesce_64_counted A : shaped A = true -> (length (leaves A) <= 32)%nat -> below_64 (size A) = true ->
  coalesce_64 A = Yes (coalesce A).
Proof.
  intros S L B. rewrite size_product in B. destruct (held_numel _ S L B) as [K _]. rewrite coalesce_64_exact by easy.
  destruct (merge_spec (leaves A) S) as (E & P & _).
  assert (held_64 (leaves (coalesce A)) = true) as ->; [|easy]. unfold coalesce. rewrite leaves_unwrapped.
  destruct (held_numel (merge (leaves A)) P) as [Q _]; [pose proof (merge_length (leaves A)); lia|now rewrite E|].
  now destruct (merge _).
Qed.
End Coalesce_64.
