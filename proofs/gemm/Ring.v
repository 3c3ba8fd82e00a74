(* The ring of stages of a mainloop: a producer fills, consumers read, and each stage has a full and an empty barrier
  of which
  those who wait see the parity of its phase alone. Any number of stages, tiles and consumers. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import Arith List Lia Bool.
Import ListNotations.
Local Open Scope nat_scope.

(* Tiles whose fill has begun, those that have landed, and of each consumer the tiles it has done and whether it
  reads. *)
Record ring := Ring { filled : nat; landed : nat -> bool; readers : list (nat * bool) }.
Definition at_first (consumers : nat) : ring := Ring 0 (fun _ => false) (repeat (0, false) consumers).

Section Steps.
Context (stages tiles : nat).

(* Of the tiles 0 .. n-1 those in stage s, tile j in stage j mod stages, that have p. *)
Definition visits (p : nat -> bool) (n s : nat) : nat :=
  length (filter (fun j => p j && (j mod stages =? s)) (seq 0 n)).
(* How many phases of a stage's barriers are over: it was filled, and it was read by all consumers, so often. *)
Definition full_phase (x : ring) (s : nat) : nat := visits (landed x) (filled x) s.
Definition empty_phase (x : ring) (s : nat) : nat :=
  fold_right Nat.min (visits (fun _ => true) (filled x) s) (map (fun c => visits (fun _ => true) (fst c) s) (readers
    x)).
(* What those who wait see: the producer for a tile's turn in its stage, a consumer for the tile. *)
Definition may_fill (x : ring) : bool :=
  Bool.eqb (Nat.odd (empty_phase x (filled x mod stages))) (Nat.odd (filled x / stages)).
Definition may_read (x : ring) (tile : nat) : bool :=
  negb (Bool.eqb (Nat.odd (full_phase x (tile mod stages))) (Nat.odd (tile / stages))).
Definition set_reader (x : ring) (c : nat) (r : nat * bool) : list (nat * bool) :=
  firstn c (readers x) ++ r :: skipn (S c) (readers x).

Inductive step (x : ring) : ring -> Prop :=
  | fill_step : filled x < tiles -> may_fill x = true -> step x (Ring (S (filled x)) (landed x) (readers x))
  | land_step i : i < filled x -> landed x i = false ->
      step x (Ring (filled x) (fun j => (j =? i) || landed x j) (readers x))
  | read_step c e : nth_error (readers x) c = Some (e, false) -> e < tiles -> may_read x e = true ->
      step x (Ring (filled x) (landed x) (set_reader x c (e, true)))
  | done_step c e : nth_error (readers x) c = Some (e, true) ->
      step x (Ring (filled x) (landed x) (set_reader x c (S e, false))).
Inductive reached_from (x : ring) : ring -> Prop :=
  | no_step : reached_from x x
  | one_more y z : reached_from x y -> step y z -> reached_from x z.

(* A stage is read when its tile has landed and none after it has begun to fill it. *)
Definition safe (x : ring) : Prop := forall e, In (e, true) (readers x) ->
  landed x e = true /\ forall i, i < filled x -> i mod stages = e mod stages -> i <= e.
Definition finished (x : ring) : Prop := filled x = tiles /\ forall r, In r (readers x) -> r = (tiles, false).

(* ---- What always holds ---- *)

Definition good (x : ring) : Prop := filled x <= tiles /\ (forall i, landed x i = true -> i < filled x) /\
  forall e b, In (e, b) (readers x) -> (forall i, i < e -> landed x i = true) /\ (b = true -> landed x e = true) /\
  filled x <= e + stages.

Lemma visits_step p n s : visits p (S n) s = visits p n s + if p n && (n mod stages =? s) then 1 else 0.
Proof.
  unfold visits. rewrite seq_S, filter_app, app_length. cbn. now destruct (p n && (n mod stages =? s)).
Qed.
Lemma visits_gap p a b s : a <= b -> (forall j, a <= j -> j < b -> p j = true -> j mod stages <> s) ->
  visits p b s = visits p a s.
Proof.
  intros L H. induction b as [|b IH]; [now replace a with 0 by lia|]. destruct (Nat.eq_dec a (S b)) as [->|]; [easy|].
  rewrite visits_step, IH by (try lia; intros j Hj Lj; apply H; lia).
  destruct (p b) eqn:P; [|cbn; lia]. destruct (Nat.eqb_spec (b mod stages) s) as [E|]; [|cbn; lia].
  exfalso. apply (H b); [lia|lia|easy|easy].
Qed.
Lemma visits_all p q n s : (forall j, j < n -> p j = q j) -> visits p n s = visits q n s.
Proof.
  intros E. unfold visits. f_equal. apply filter_ext_in. intros j I. apply in_seq in I. now rewrite E by lia.
Qed.

Lemma same_stage i j : 0 < stages -> i < j -> j < i + stages -> i mod stages <> j mod stages.
Proof.
  intros P L U E. pose proof (Nat.div_mod i stages ltac:(lia)) as Ei. pose proof (Nat.div_mod j stages ltac:(lia)) as
    Ej.
  rewrite E in Ei. assert (j / stages <= i / stages \/ i / stages < j / stages) as [H|H] by lia; nia.
Qed.
Lemma before_stage j : 0 < stages -> visits (fun _ => true) j (j mod stages) = j / stages.
Proof.
  intros P. induction j as [j IH] using lt_wf_ind. destruct (Nat.lt_ge_cases j stages) as [L|L].
  - rewrite Nat.div_small by easy. rewrite (visits_gap _ 0 j); [easy|lia|]. intros i _ Li _. apply same_stage; lia.
  - rewrite (visits_gap _ (S (j - stages)) j); [|lia|intros i Hi Li _; apply same_stage; lia].
    assert (M : (j - stages) mod stages = j mod stages).
    { rewrite <- (Nat.mod_add (j - stages) 1) by lia. f_equal. lia. }
    rewrite visits_step, <- M, Nat.eqb_refl, IH by lia. cbn [andb].
    replace j with (j - stages + 1 * stages) at 2 by lia. rewrite Nat.div_add by lia. lia.
Qed.

Lemma full_before x e : 0 < stages -> good x -> e <= filled x -> (forall i, i < e -> landed x i = true) ->
  filled x <= e + stages -> full_phase x (e mod stages) = e / stages + if landed x e then 1 else 0.
Proof.
  intros P (_ & G & _) L A U. unfold full_phase. rewrite <- (before_stage e P).
  rewrite (visits_all (fun _ => true) (landed x) e) by (intros j Hj; symmetry; now apply A).
  destruct (Nat.eq_dec e (filled x)) as [->|Ne].
  - destruct (landed x (filled x)) eqn:F; [apply G in F; lia|lia].
  - rewrite (visits_gap _ (S e) (filled x)); [|lia|].
    + rewrite visits_step, Nat.eqb_refl. now destruct (landed x e).
    + intros j Hj Lj _. intros E. apply (same_stage e j); [easy|lia|lia|easy].
Qed.

(* A consumer is let through exactly when its tile has landed: the parity is never mistaken. *)
Lemma may_read_exact x e b : 0 < stages -> good x -> In (e, b) (readers x) -> may_read x e = landed x e.
Proof.
  intros P G I. pose proof G as (_ & G1 & G2). destruct (G2 e b I) as (A & _ & U). unfold may_read.
  assert (L : e <= filled x) by (destruct e as [|e]; [lia|]; specialize (G1 e (A e ltac:(lia))); lia).
  rewrite full_before by easy. destruct (landed x e).
  - rewrite Nat.add_1_r, Nat.odd_succ, <- Nat.negb_odd. now destruct (Nat.odd (e / stages)).
  - rewrite Nat.add_0_r. now destruct (Nat.odd (e / stages)).
Qed.

Lemma min_cases l d : (fold_right Nat.min d l = d /\ forall y, In y l -> d <= y) \/
  In (fold_right Nat.min d l) l /\ fold_right Nat.min d l <= d.
Proof.
  induction l as [|y l IH]; [left; split; [easy|intros z []]|]. cbn.
  destruct IH as [[E B]|[I B]].
  - rewrite E. destruct (Nat.le_gt_cases d y).
    + left. split; [lia|]. intros z [<-|I]; [easy|auto].
    + right. split; [left|]; lia.
  - right. destruct (Nat.min_spec y (fold_right Nat.min d l)) as [[L ->]|[L ->]]; (split; [auto|lia]).
Qed.

(* The producer is let through exactly when every consumer is done with what was in the stage. *)
Lemma may_fill_exact x : 0 < stages -> good x ->
  may_fill x = true <-> forall e b, In (e, b) (readers x) -> S (filled x) <= e + stages.
Proof.
  intros P G. pose proof G as (_ & G1 & G2). set (i := filled x).
  assert (V : forall e b, In (e, b) (readers x) -> e <= i /\ (S i <= e + stages ->
    visits (fun _ => true) e (i mod stages) = i / stages) /\ (i = e + stages -> S (visits (fun _ => true) e (i mod
      stages)) =
    i / stages)).
  { intros e b I. destruct (G2 e b I) as (A & _ & U).
    assert (L : e <= i) by (destruct e as [|e]; [lia|]; specialize (G1 e (A e ltac:(lia))); unfold i; lia).
    split; [easy|]. split.
    - intros H. rewrite <- (before_stage i P). symmetry. apply visits_gap; [easy|]. intros j Hj Lj _. apply
      same_stage; lia.
    - intros H. replace (i mod stages) with (e mod stages).
      + rewrite before_stage by easy. replace i with (e + 1 * stages) by lia. rewrite Nat.div_add by lia. lia.
      + replace i with (e + 1 * stages) by lia. now rewrite Nat.mod_add by lia. }
  unfold may_fill, empty_phase. fold i. rewrite before_stage by easy. rewrite eqb_true_iff.
  destruct (min_cases (map (fun c => visits (fun _ => true) (fst c) (i mod stages)) (readers x)) (i / stages))
    as [[E B]|[I B]].
  - rewrite E. split; [|easy]. intros _ e b I. destruct (V e b I) as (L & _ & W). destruct (G2 e b I) as (_ & _ & U).
    fold i in U. destruct (Nat.eq_dec i (e + stages)) as [Q|]; [|lia]. specialize (W Q).
    specialize (B _ (in_map (fun c => visits (fun _ => true) (fst c) (i mod stages)) _ _ I)). cbn [fst] in B. lia.
  - set (m := fold_right Nat.min _ _) in *. assert (H : forall k, In k (map (fun c => visits (fun _ => true) (fst c)
      (i mod stages)) (readers x)) -> m <= k).
    { unfold m. clear. intros k. generalize (i / stages) as d. intros d. induction (map _ _) as [|y l IH]; [easy|]. cbn.
      intros [->|I]; [lia|specialize (IH I); lia]. }
    apply in_map_iff in I as ([e b] & E & I). cbn [fst] in E. clearbody m.
    destruct (V e b I) as (L & W1 & W2). destruct (G2 e b I) as (_ & _ & U). fold i in U.
    destruct (Nat.eq_dec i (e + stages)) as [Q|Q].
    + specialize (W2 Q). split; [|intros K; specialize (K e b I); lia]. intros O. exfalso. rewrite E in W2.
      rewrite <- W2, Nat.odd_succ, <- Nat.negb_odd in O. destruct (Nat.odd m); discriminate.
    + specialize (W1 ltac:(lia)). split; [|intros _; congruence]. intros _ e' b' I'.
      destruct (V e' b' I') as (L' & _ & W'). destruct (G2 e' b' I') as (_ & _ & U'). fold i in U'.
      destruct (Nat.eq_dec i (e' + stages)) as [Q'|]; [|lia]. exfalso. specialize (W' Q').
      specialize (H _ (in_map (fun c => visits (fun _ => true) (fst c) (i mod stages)) _ _ I')). cbn [fst] in H. lia.
Qed.

(* ---- Every step keeps it. ---- *)

Lemma set_reader_in x c r e b : In (e, b) (set_reader x c r) -> (e, b) = r \/ In (e, b) (readers x).
Proof.
  unfold set_reader. intros I. apply in_app_iff in I as [I|[<-|I]]; [right|now left|right].
  - rewrite <- (firstn_skipn c (readers x)). apply in_app_iff. now left.
  - rewrite <- (firstn_skipn (S c) (readers x)). apply in_app_iff. now right.
Qed.
Lemma step_good x y : 0 < stages -> good x -> step x y -> good y.
Proof.
  intros P G T. pose proof G as (G0 & G1 & G2). destruct T as [L M|i Hi Li|c e Hc L M|c e Hc].
  - pose proof (proj1 (may_fill_exact x P G) M) as F. split; [cbn; lia|]. split; [intros i Li; specialize (G1 i Li);
    cbn; lia|].
    intros e b I. destruct (G2 e b I) as (A & B & _). repeat split; [exact A|exact B|]. now apply (F e b).
  - split; [exact G0|]. split.
    + intros j Lj. cbn in Lj. apply orb_true_iff in Lj as [E|E]; [apply Nat.eqb_eq in E; subst; exact Hi|now apply G1].
    + intros e b I. destruct (G2 e b I) as (A & B & U). cbn. repeat split; [|intros E|exact U].
      * intros j Hj. rewrite (A j Hj). apply orb_true_r.
      * rewrite (B E). apply orb_true_r.
  - apply nth_error_In in Hc. rewrite (may_read_exact x e false P G Hc) in M. destruct (G2 e false Hc) as (A & _ & U).
    split; [exact G0|]. split; [exact G1|]. intros e' b' I. apply set_reader_in in I as [E|I]; [|now apply G2].
    injection E as -> ->. now repeat split.
  - apply nth_error_In in Hc. destruct (G2 e true Hc) as (A & B & U). specialize (B eq_refl).
    split; [exact G0|]. split; [exact G1|]. intros e' b' I. apply set_reader_in in I as [E|I]; [|now apply G2].
    injection E as -> ->. cbn. repeat split; [|discriminate|lia]. intros j Hj.
    destruct (Nat.eq_dec j e) as [->|]; [exact B|apply A; lia].
Qed.
Lemma first_good consumers : good (at_first consumers).
Proof.
  split; [cbn; lia|]. split; [discriminate|]. intros e b I. apply repeat_spec in I. injection I as -> ->. cbn.
  repeat split; [intros i H; lia|discriminate|lia].
Qed.
Lemma reached_good consumers x : 0 < stages -> reached_from (at_first consumers) x -> good x.
Proof. intros P R. induction R as [|y z _ IH T]; [apply first_good|now apply (step_good y)]. Qed.
End Steps.

(* No stage is read before it is full or filled while it is read, for any stages, tiles and consumers. *)
Theorem ring_safe stages tiles consumers x : (0 < stages)%nat ->
  reached_from stages tiles (at_first consumers) x -> safe stages x.
Proof.
  intros P R e I. destruct (reached_good stages tiles consumers x P R) as (_ & _ & G).
  destruct (G e true I) as (_ & B & U). split; [now apply B|]. intros i Hi E.
  destruct (Nat.le_gt_cases i e) as [|L]; [easy|]. exfalso. apply (same_stage stages e i); [easy|easy|lia|easy].
Qed.

(* Nobody waits for ever: where not every tile is filled and read by all, some step is possible. *)
Theorem ring_live stages tiles consumers x : (0 < stages)%nat -> reached_from stages tiles (at_first consumers) x ->
  (exists y, step stages tiles x y) \/ finished tiles x.
Proof.
  intros P R. pose proof (reached_good stages tiles consumers x P R) as G. pose proof G as (G0 & G1 & G2).
  destruct (existsb (fun r : nat * bool => snd r) (readers x)) eqn:B.
  { apply existsb_exists in B as ([e b] & I & E). cbn in E. subst b. apply In_nth_error in I as [c Hc]. left.
    eexists. now apply (done_step _ _ x c e). }
  assert (idle : forall e b, In (e, b) (readers x) -> b = false).
  { intros e b I. destruct b; [|easy]. assert (existsb (fun r : nat * bool => snd r) (readers x) = true); [|congruence].
    apply existsb_exists. now exists (e, true). }
  destruct (forallb (landed x) (seq 0 (filled x))) eqn:F.
  2: { left. assert (exists i, i < filled x /\ landed x i = false) as (i & Hi & L).
    { clear - F. induction (filled x) as [|n IH]; [discriminate|]. rewrite seq_S, forallb_app in F. cbn in F.
      destruct (forallb (landed x) (seq 0 n)); [|destruct IH as (i & Hi & L); [easy|exists i; split; [lia|easy]]].
      exists n. split; [lia|]. now destruct (landed x n). }
    eexists. now apply (land_step _ _ x i). }
  assert (all : forall i, i < filled x -> landed x i = true).
  { rewrite forallb_forall in F. intros i Hi. apply F, in_seq. lia. }
  destruct (existsb (fun r : nat * bool => fst r <? filled x) (readers x)) eqn:W.
  { apply existsb_exists in W as ([e b] & I & E). cbn in E. apply Nat.ltb_lt in E. pose proof (idle e b I) as ->. left.
    pose proof (may_read_exact stages tiles x e false P G I) as M. rewrite all in M by easy.
    apply In_nth_error in I as [c Hc]. eexists. apply (read_step _ _ x c e); [exact Hc|lia|exact M]. }
  assert (same : forall e b, In (e, b) (readers x) -> e = filled x).
  { intros e b I. destruct (G2 e b I) as (A & _ & _).
    assert (e <= filled x) by (destruct e as [|e]; [lia|]; specialize (G1 e (A e ltac:(lia))); lia).
    destruct (Nat.eq_dec e (filled x)) as [|Ne]; [easy|].
    assert (existsb (fun r : nat * bool => fst r <? filled x) (readers x) = true); [|congruence].
    apply existsb_exists. exists (e, b). split; [exact I|]. cbn. apply Nat.ltb_lt. lia. }
  destruct (Nat.eq_dec (filled x) tiles) as [E|Ne].
  - right. split; [exact E|]. intros [e b] I. now rewrite (same e b I), (idle e b I), E.
  - left. eexists. apply fill_step; [lia|]. apply (may_fill_exact stages tiles); [exact P|exact G|]. intros e b I.
    rewrite (same e b I). lia.
Qed.
