(* The ring of stages of a mainloop, in each block of a cluster: producers fill, also one another's stages, consumers
   read, and each stage has a full and an empty barrier of which those who wait see the parity of its phase alone. Any
   number of stages, tiles, blocks and consumers. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import Arith List Lia Bool.
Import ListNotations.
Local Open Scope nat_scope.

(* Of each block the tiles whose fill its producer has begun; what of it has landed, (from, to, tile); of each consumer
   the tiles that it has begun to read, one after the other, and those that it is done with. A consumer may read several
   at once: MMAs of one stage run while those of the next are issued; and groups that take turns (ping-pong) are one
   consumer. *)
Record ring := Ring { filled : nat -> nat; landed : nat -> nat -> nat -> bool; begun : nat -> nat;
  done : nat -> nat -> bool }.
Definition at_first : ring := Ring (fun _ => 0) (fun _ _ _ => false) (fun _ => 0) (fun _ _ => false).
Definition set {X} (f : nat -> X) (i : nat) (v : X) : nat -> X := fun j => if j =? i then v else f j.

(* A cluster: `feeds p q`, the producer of block p copies a share of each tile to stages of block q; `home c`, the block
   whose stages consumer c reads. *)
Record cluster := Cluster { stages : nat; tiles : nat; blocks : nat; consumers : nat; feeds : nat -> nat -> bool;
  sits_in : nat -> nat }.
(* Each block that has consumers fills a part of its own stages, and nobody fills stages that none reads. *)
Definition cluster_lawful (g : cluster) : Prop := 0 < stages g /\
  (forall c, c < consumers g -> sits_in g c < blocks g /\ feeds g (sits_in g c) (sits_in g c) = true) /\
  forall p q, feeds g p q = true -> exists c, c < consumers g /\ sits_in g c = q.

Section Steps.
Context (g : cluster).

(* Of the tiles 0 .. n-1 those in stage s, tile j in stage j mod stages, that have p. *)
Definition visits (p : nat -> bool) (n s : nat) : nat :=
  length (filter (fun j => p j && (j mod stages g =? s)) (seq 0 n)).
(* A tile is full in block q when its producer expects it and all shares have landed; it is empty for block p when all
   consumers that p feeds are done with it. *)
Definition full (x : ring) (q j : nat) : bool :=
  (j <? filled x q) && forallb (fun p => negb (feeds g p q) || landed x p q j) (seq 0 (blocks g)).
Definition empty (x : ring) (p j : nat) : bool :=
  (j <? filled x p) && forallb (fun c => negb (feeds g p (sits_in g c)) || done x c j) (seq 0 (consumers g)).
(* How many phases of a stage's barriers are over. *)
Definition full_phase (x : ring) (q s : nat) : nat := visits (full x q) (filled x q) s.
Definition empty_phase (x : ring) (p s : nat) : nat := visits (empty x p) (filled x p) s.
(* What those who wait see: a producer for a tile's turn in its stage, a consumer for its next tile. *)
Definition may_fill (x : ring) (p : nat) : bool :=
  Bool.eqb (Nat.odd (empty_phase x p (filled x p mod stages g))) (Nat.odd (filled x p / stages g)).
Definition may_read (x : ring) (c : nat) : bool :=
  negb (Bool.eqb (Nat.odd (full_phase x (sits_in g c) (begun x c mod stages g))) (Nat.odd (begun x c / stages g))).

Inductive step (x : ring) : ring -> Prop :=
  | fill_step p : p < blocks g -> filled x p < tiles g -> may_fill x p = true ->
      step x (Ring (set (filled x) p (S (filled x p))) (landed x) (begun x) (done x))
  | land_step p q j : p < blocks g -> feeds g p q = true -> j < filled x p -> landed x p q j = false ->
      step x (Ring (filled x) (set (landed x) p (set (landed x p) q (set (landed x p q) j true))) (begun x) (done x))
  | read_step c : c < consumers g -> begun x c < tiles g -> may_read x c = true ->
      step x (Ring (filled x) (landed x) (set (begun x) c (S (begun x c))) (done x))
  | done_step c j : c < consumers g -> j < begun x c -> done x c j = false ->
      step x (Ring (filled x) (landed x) (begun x) (set (done x) c (set (done x c) j true))).
Inductive reached_from (x : ring) : ring -> Prop :=
  | no_step : reached_from x x
  | one_more y z : reached_from x y -> step y z -> reached_from x z.

(* A stage is read when its tile is there, and nobody has begun to fill it with a later one. *)
Definition safe (x : ring) : Prop := forall c e, c < consumers g -> e < begun x c -> done x c e = false ->
  full x (sits_in g c) e = true /\ forall p i, p < blocks g -> feeds g p (sits_in g c) = true -> i < filled x p ->
    i mod stages g = e mod stages g -> i <= e.
Definition finished (x : ring) : Prop := (forall p, p < blocks g -> filled x p = tiles g) /\
  (forall p q j, p < blocks g -> feeds g p q = true -> j < tiles g -> landed x p q j = true) /\
  forall c, c < consumers g -> begun x c = tiles g /\ forall j, j < tiles g -> done x c j = true.

(* ---- What always holds ---- *)

Definition good (x : ring) : Prop := (forall p, p < blocks g -> filled x p <= tiles g) /\
  (forall c j, c < consumers g -> j < begun x c -> full x (sits_in g c) j = true) /\
  (forall c j, done x c j = true -> j < begun x c) /\
  forall p c j, p < blocks g -> c < consumers g -> feeds g p (sits_in g c) = true -> j + stages g < filled x p ->
    done x c j = true.

Lemma visits_step p n s : visits p (S n) s = visits p n s + if p n && (n mod stages g =? s) then 1 else 0.
Proof.
  unfold visits. rewrite seq_S, filter_app, app_length. cbn. now destruct (p n && (n mod stages g =? s)).
Qed.
Lemma visits_gap p a b s : a <= b -> (forall j, a <= j -> j < b -> p j = true -> j mod stages g <> s) ->
  visits p b s = visits p a s.
Proof.
  intros L H. induction b as [|b IH]; [now replace a with 0 by lia|]. destruct (Nat.eq_dec a (S b)) as [->|]; [easy|].
  rewrite visits_step, IH by (try lia; intros j Hj Lj; apply H; lia).
  destruct (p b) eqn:P; [|cbn; lia]. destruct (Nat.eqb_spec (b mod stages g) s) as [E|]; [|cbn; lia].
  exfalso. apply (H b); [lia|lia|easy|easy].
Qed.
Lemma visits_all p q n s : (forall j, j < n -> p j = q j) -> visits p n s = visits q n s.
Proof.
  intros E. unfold visits. f_equal. apply filter_ext_in. intros j I. apply in_seq in I. now rewrite E by lia.
Qed.

Lemma same_stage i j : 0 < stages g -> i < j -> j < i + stages g -> i mod stages g <> j mod stages g.
Proof.
  intros P L U E. pose proof (Nat.div_mod i (stages g) ltac:(lia)) as Ei. pose proof (Nat.div_mod j (stages g)
    ltac:(lia)) as
    Ej.
  rewrite E in Ei. assert (j / stages g <= i / stages g \/ i / stages g < j / stages g) as [H|H] by lia; nia.
Qed.
Lemma before_stage j : 0 < stages g -> visits (fun _ => true) j (j mod stages g) = j / stages g.
Proof.
  intros P. induction j as [j IH] using lt_wf_ind. destruct (Nat.lt_ge_cases j (stages g)) as [L|L].
  - rewrite Nat.div_small by easy. rewrite (visits_gap _ 0 j); [easy|lia|]. intros i _ Li _. apply same_stage; lia.
  - rewrite (visits_gap _ (S (j - stages g)) j); [|lia|intros i Hi Li _; apply same_stage; lia].
    assert (M : (j - stages g) mod stages g = j mod stages g).
    { rewrite <- (Nat.mod_add (j - stages g) 1 (stages g)) by lia. f_equal. lia. }
    rewrite visits_step, <- M, Nat.eqb_refl, IH by lia. cbn [andb].
    replace j with (j - stages g + 1 * stages g) at 2 by lia. rewrite Nat.div_add by lia. lia.
Qed.


(* Where all tiles before e have p, and none beyond the next time around, the stage of e tells whether e has it. *)
Lemma turns p n e : 0 < stages g -> (forall j, j < e -> p j = true) -> (forall j, p j = true -> j < n) -> e <= n ->
  n <= e + stages g -> visits p n (e mod stages g) = e / stages g + if p e then 1 else 0.
Proof.
  intros P A B L U. rewrite <- (before_stage e P).
  rewrite <- (visits_all p (fun _ => true) e) by (intros j Hj; now apply A).
  destruct (Nat.eq_dec e n) as [->|Ne].
  - destruct (p n) eqn:F; [apply B in F; lia|lia].
  - rewrite (visits_gap _ (S e) n); [|lia|].
    + rewrite visits_step, Nat.eqb_refl, andb_true_r. now destruct (p e).
    + intros j Hj Lj _ E. apply (same_stage e j); [easy|lia|lia|easy].
Qed.
Lemma odd_turn t (b : bool) : Bool.eqb (Nat.odd (t + if b then 1 else 0)) (Nat.odd (S t)) = b.
Proof.
  destruct b.
  - now rewrite Nat.add_1_r, eqb_reflx.
  - rewrite Nat.add_0_r, Nat.odd_succ, <- Nat.negb_odd. now destruct (Nat.odd t).
Qed.

Lemma full_spec x q j : full x q j = true <-> j < filled x q /\
  forall p, p < blocks g -> feeds g p q = true -> landed x p q j = true.
Proof.
  unfold full. rewrite andb_true_iff, Nat.ltb_lt, forallb_forall. split; intros [L A]; (split; [easy|]).
  - intros p Hp F. specialize (A p ltac:(apply in_seq; lia)). now rewrite F in A.
  - intros p Hp. apply in_seq in Hp. destruct (feeds g p q) eqn:F; [|easy]. apply A; [lia|easy].
Qed.
Lemma empty_spec x p j : empty x p j = true <-> j < filled x p /\
  forall c, c < consumers g -> feeds g p (sits_in g c) = true -> done x c j = true.
Proof.
  unfold empty. rewrite andb_true_iff, Nat.ltb_lt, forallb_forall. split; intros [L A]; (split; [easy|]).
  - intros c Hc F. specialize (A c ltac:(apply in_seq; lia)). now rewrite F in A.
  - intros c Hc. apply in_seq in Hc. destruct (feeds g p (sits_in g c)) eqn:F; [|easy]. apply A; [lia|easy].
Qed.

Section Lawful.
Context (Lawful : cluster_lawful g).

(* A consumer is let through exactly when its tile is there: the parity is never mistaken. *)
Lemma may_read_exact x c : good x -> c < consumers g -> may_read x c = full x (sits_in g c) (begun x c).
Proof.
  intros (G0 & G1 & G2 & G3) Hc. destruct Lawful as (P & O & _). destruct (O c Hc) as [Hq F].
  set (e := begun x c). set (q := sits_in g c) in *. unfold may_read, full_phase. fold e q. rewrite turns.
  - destruct (full x q e); [rewrite Nat.add_1_r, Nat.odd_succ, <- Nat.negb_odd|rewrite Nat.add_0_r];
      now destruct (Nat.odd (e / stages g)).
  - easy.
  - intros j Hj. now apply G1.
  - intros j E. now apply full_spec in E.
  - destruct e as [|e'] eqn:E; [lia|]. specialize (G1 c e' Hc). fold e in G1. rewrite E in G1.
    specialize (G1 ltac:(lia)). now apply full_spec in G1.
  - destruct (Nat.le_gt_cases (filled x q) (e + stages g)) as [|L]; [easy|].
    specialize (G3 q c e Hq Hc F L). apply G2 in G3. unfold e in G3. lia.
Qed.
(* A producer is let through exactly when all that it feeds are done with what was in the stage. *)
Lemma may_fill_exact x p : good x -> p < blocks g ->
  may_fill x p = true <-> filled x p < stages g \/ empty x p (filled x p - stages g) = true.
Proof.
  intros (_ & _ & _ & G3) Hp. destruct Lawful as (P & _). set (i := filled x p). unfold may_fill, empty_phase. fold i.
  destruct (Nat.lt_ge_cases i (stages g)) as [L|L].
  - rewrite (visits_gap _ 0 i); [|lia|intros j _ Hj _; apply same_stage; lia]. rewrite (Nat.div_small i) by easy.
    cbn. tauto.
  - set (e := i - stages g). replace (i mod stages g) with (e mod stages g).
    2: { replace i with (e + 1 * stages g) by lia. now rewrite Nat.mod_add by lia. }
    replace (i / stages g) with (S (e / stages g)).
    2: { replace i with (e + 1 * stages g) by lia. rewrite Nat.div_add by lia. lia. }
    rewrite turns, odd_turn; try lia; [split; [now right|intros [H|H]; [lia|easy]]| |].
    + intros j Hj. apply empty_spec. split; [fold i; lia|]. intros c Hc F. apply (G3 p c j Hp Hc F). fold i. lia.
    + intros j E. now apply empty_spec in E.
Qed.

(* ---- Every step keeps it. ---- *)

Lemma full_stays x y q j : (forall p, filled x p <= filled y p) ->
  (forall p, landed x p q j = true -> landed y p q j = true) -> full x q j = true -> full y q j = true.
Proof. intros Fl La E. apply full_spec in E as [L A]. apply full_spec. specialize (Fl q). split; [lia|auto]. Qed.
Lemma set_same {X} f i (v : X) : set f i v i = v.
Proof. unfold set. now rewrite Nat.eqb_refl. Qed.
Lemma set_cases {X} f i (v : X) j : j = i /\ set f i v j = v \/ j <> i /\ set f i v j = f j.
Proof. unfold set. destruct (Nat.eqb_spec j i); auto. Qed.
Lemma landed_more x p q j : forall p' q' j', landed x p' q' j' = true ->
  set (landed x) p (set (landed x p) q (set (landed x p q) j true)) p' q' j' = true.
Proof. intros p' q' j' E. unfold set. destruct (Nat.eqb_spec p' p) as [->|]; [|easy].
destruct (Nat.eqb_spec q' q) as [->|]; [|easy]. now destruct (j' =? j). Qed.
Lemma step_grows x y : step x y -> (forall p, filled x p <= filled y p) /\
  (forall p q j, landed x p q j = true -> landed y p q j = true) /\ (forall c, begun x c <= begun y c) /\
  forall c j, done x c j = true -> done y c j = true.
Proof.
  intros T. destruct T as [p Hp L M|p q j Hp F L E|c Hc L M|c j Hc L E]; cbn [filled landed begun done];
    repeat split; auto using landed_more.
  - intros p'. destruct (set_cases (filled x) p (S (filled x p)) p') as [[-> ->]|[_ ->]]; lia.
  - intros c'. destruct (set_cases (begun x) c (S (begun x c)) c') as [[-> ->]|[_ ->]]; lia.
  - intros c' j' D. unfold set. destruct (Nat.eqb_spec c' c) as [->|]; [|easy]. now destruct (j' =? j).
Qed.
Lemma step_good x y : good x -> step x y -> good y.
Proof.
  intros G T. pose proof (step_grows x y T) as (Fl & La & _ & _). pose proof G as (G0 & G1 & G2 & G3).
  assert (Full : forall q j, full x q j = true -> full y q j = true) by (intros q j; apply full_stays; auto).
  assert (Read : forall c j, c < consumers g -> j < begun x c -> full y (sits_in g c) j = true) by auto.
  destruct T as [p Hp L M|p q j Hp F L E|c Hc L M|c j Hc L E]; unfold good; cbn [filled landed begun done] in *.
  - split; [|split; [exact Read|split; [exact G2|]]].
    + intros p' Hp'. destruct (set_cases (filled x) p (S (filled x p)) p') as [[-> ->]|[_ ->]]; [lia|auto].
    + intros p' c j Hp' Hc F. destruct (set_cases (filled x) p (S (filled x p)) p') as [[-> ->]|[_ ->]]; [|now apply
      G3].
      intros Lj. destruct (Nat.eq_dec (j + stages g) (filled x p)) as [Q|]; [|apply (G3 p c j); auto; lia].
      apply (may_fill_exact x p G Hp) in M as [M|M]; [lia|].
      apply empty_spec in M as [_ M]. replace (filled x p - stages g) with j in M by lia. auto.
  - split; [exact G0|split; [exact Read|split; [exact G2|exact G3]]].
  - split; [exact G0|split; [|split; [|exact G3]]].
    + intros c' j Hc'. destruct (set_cases (begun x) c (S (begun x c)) c') as [[-> ->]|[_ ->]]; [|auto].
      intros Lj. destruct (Nat.eq_dec j (begun x c)) as [->|]; [|apply Read; auto; lia].
      apply Full. now rewrite <- may_read_exact.
    + intros c' j D. apply G2 in D. destruct (set_cases (begun x) c (S (begun x c)) c') as [[-> ->]|[_ ->]]; lia.
  - split; [exact G0|split; [exact Read|split]].
    + intros c' j' D. unfold set in D. destruct (Nat.eqb_spec c' c) as [Ec|]; [|now apply G2]. subst c'.
      destruct (Nat.eqb_spec j' j) as [Ej|]; [now subst j'|now apply G2].
    + intros p c' j' Hp Hc' F Lj. specialize (G3 p c' j' Hp Hc' F Lj). unfold set.
      destruct (Nat.eqb_spec c' c) as [->|]; [|easy]. now destruct (j' =? j).
Qed.
Lemma first_good : good at_first.
Proof. repeat split; cbn; try discriminate; intros; lia. Qed.
Lemma reached_good x : reached_from at_first x -> good x.
Proof. intros R. induction R as [|y z _ IH T]; [apply first_good|now apply (step_good y)]. Qed.
Lemma good_safe x : good x -> safe x.
Proof.
  intros (_ & G1 & _ & G3) c e Hc He D. split; [now apply G1|]. intros p i Hp F Hi E.
  destruct (Nat.le_gt_cases i e) as [|L]; [easy|]. exfalso. destruct Lawful as (P & _).
  destruct (Nat.le_gt_cases (e + stages g) i) as [U|U]; [|now apply (same_stage e i)].
  specialize (G3 p c e Hp Hc F ltac:(lia)). congruence.
Qed.

(* ---- How barriers count ---- *)

Lemma landed_filled x p q j : reached_from at_first x -> landed x p q j = true -> j < filled x p.
Proof.
  intros R. induction R as [|y z _ IH T]; [discriminate|]. intros E. destruct (step_grows y z T) as (Fl & _).
  specialize (Fl p). destruct T as [p' Hp' L M|p' q' j' Hp' F L E'|c Hc L M|c j' Hc L E']; cbn [filled landed] in *;
    try (specialize (IH E); lia).
  unfold set in E. destruct (Nat.eqb_spec p p') as [->|]; [|now apply IH].
  destruct (Nat.eqb_spec q q') as [->|]; [|now apply IH]. destruct (Nat.eqb_spec j j') as [->|]; [lia|now apply IH].
Qed.
(* Where all earlier tiles of the stage of e, the last that has begun, have p. *)
Lemma turns_of_stage p n e : 0 < stages g -> e < n -> n <= e + stages g ->
  (forall j, j < e -> j mod stages g = e mod stages g -> p j = true) ->
  visits p n (e mod stages g) = e / stages g + if p e then 1 else 0.
Proof.
  intros P L U A. rewrite (visits_gap p (S e) n).
  2: lia.
  2: { intros j Hj Lj _ E. apply (same_stage e j); [easy|lia|lia|easy]. }
  rewrite visits_step, Nat.eqb_refl, andb_true_r. f_equal. rewrite <- (before_stage e P). unfold visits. f_equal.
  apply filter_ext_in. intros j I. apply in_seq in I. cbn [andb].
  destruct (Nat.eqb_spec (j mod stages g) (e mod stages g)) as [E|].
  - now rewrite A by (easy || lia).
  - apply andb_false_r.
Qed.
Lemma last_of_stage n s : s < stages g -> s < n -> exists e, e < n /\ n <= e + stages g /\ e mod stages g = s.
Proof.
  intros S L. exists (s + (n - 1 - s) / stages g * stages g).
  pose proof (Nat.div_mod (n - 1 - s) (stages g) ltac:(lia)) as E.
  pose proof (Nat.mod_upper_bound (n - 1 - s) (stages g) ltac:(lia)) as B.
  split; [lia|split; [lia|]]. rewrite Nat.mod_add by lia. now apply Nat.mod_small.
Qed.
Lemma sum_of_turns (d : nat -> bool) t l : list_sum (map (fun c => t + if d c then 1 else 0) l) =
  t * length l + length (filter d l).
Proof.
  unfold list_sum. induction l as [|c l IH]; [cbn; lia|]. cbn [map fold_right length filter]. rewrite IH.
  destruct (d c); cbn [length]; lia.
Qed.
Lemma sum_of_none (f : nat -> nat) l : (forall c, f c = 0) -> list_sum (map f l) = 0.
Proof. intros Z. unfold list_sum. induction l as [|c l IH]; [easy|]. cbn [map fold_right]. now rewrite Z, IH. Qed.
Lemma filter_all (d : nat -> bool) l : length (filter d l) <= length l /\
  (length (filter d l) = length l <-> forallb d l = true).
Proof.
  induction l as [|c l (L & IH)]; [easy|]. cbn. destruct (d c); cbn [length andb]; [split; [lia|]|split; [lia|split]].
  - rewrite <- IH. lia.
  - lia.
  - discriminate.
Qed.

(* Whoever releases the stages of block p, and how often they have arrived at a stage's empty barrier. *)
Definition readers (p : nat) : list nat := filter (fun c => feeds g p (sits_in g c)) (seq 0 (consumers g)).
Definition arrivals (x : ring) (p s : nat) : nat :=
  list_sum (map (fun c => visits (done x c) (tiles g) s) (readers p)).

Lemma done_filled x p c j : reached_from at_first x -> p < blocks g -> In c (readers p) -> done x c j = true ->
  j < filled x p.
Proof.
  intros R Hp I D. apply filter_In in I as [I F]. apply in_seq in I. destruct (reached_good x R) as (_ & G1 & G2 & _).
  apply G2 in D. apply (G1 c j ltac:(lia)), full_spec in D as [_ A]. apply (landed_filled x p (sits_in g c) j R). auto.
Qed.
Lemma arrivals_count x p s : reached_from at_first x -> p < blocks g -> s < stages g -> readers p <> [] ->
  arrivals x p s / length (readers p) = empty_phase x p s.
Proof.
  intros R Hp S Some_. destruct (reached_good x R) as (G0 & G1 & G2 & G3). set (n := filled x p).
  assert (E : arrivals x p s = list_sum (map (fun c => visits (done x c) n s) (readers p))).
  { unfold arrivals. f_equal. apply map_ext_in. intros c I. apply visits_gap; [apply (G0 p Hp)|].
    intros j Hj _ D. apply (done_filled x p c j R Hp I) in D. lia. }
  rewrite E. unfold empty_phase. fold n. assert (0 < length (readers p)) by (destruct (readers p); [easy|cbn; lia]).
  destruct (Nat.lt_ge_cases s n) as [L|L].
  - destruct (last_of_stage n s S L) as (e & Le & U & <-).
    assert (A : forall c j, In c (readers p) -> j < e -> j mod stages g = e mod stages g -> done x c j = true).
    { intros c j I Hj M. apply filter_In in I as [I F]. apply in_seq in I. apply (G3 p c j); [easy|lia|easy|].
      destruct (Nat.le_gt_cases (j + stages g) e) as [|H']; [fold n; lia|].
      exfalso. apply (same_stage j e); auto; lia. }
    rewrite (map_ext_in _ (fun c => e / stages g + if done x c e then 1 else 0)).
    2: { intros c I. apply turns_of_stage; [lia|easy|easy|]. intros j Hj M. now apply A. }
    rewrite (sum_of_turns (fun c => done x c e)), turns_of_stage; [|lia|easy|easy|].
    2: { intros j Hj M. apply empty_spec. split; [fold n; lia|]. intros c Hc F. apply A; [|easy|easy].
         apply filter_In. split; [apply in_seq; lia|easy]. }
    rewrite Nat.div_add_l by lia. f_equal. destruct (filter_all (fun c => done x c e) (readers p)) as [B Q].
    destruct (empty x p e) eqn:Y.
    + apply empty_spec in Y as [_ Y]. rewrite (proj2 Q); [apply Nat.div_same; lia|]. apply forallb_forall. intros c I.
      apply filter_In in I as [I F]. apply in_seq in I. apply Y; [lia|easy].
    + apply Nat.div_small.
      destruct (Nat.eq_dec (length (filter (fun c => done x c e) (readers p))) (length (readers p))) as [Z|]; [|lia].
      exfalso. apply Q in Z. rewrite forallb_forall in Z. assert (empty x p e = true); [|congruence].
      apply empty_spec. split; [fold n; lia|]. intros c Hc F. apply Z. apply filter_In. split; [apply in_seq; lia|easy].
  - assert (Z : forall f, visits f n s = 0).
    { intros f. rewrite (visits_gap f 0 n); [easy|lia|]. intros j _ Hj _. rewrite Nat.mod_small; lia. }
    rewrite Z, sum_of_none by (intros; apply Z). apply Nat.div_0_l. lia.
Qed.

(* Bytes: w p q j of block p's share of tile j, in block q. What the producer of q has expected of a stage, and what
   has landed. *)
Section Bytes.
Context (w : nat -> nat -> nat -> nat) (q : nat) (Hq : q < blocks g) (c : nat) (Hc : c < consumers g)
  (Reads : sits_in g c = q) (Some_byte : forall p j, feeds g p q = true -> 0 < w p q j).

Definition feeders : list nat := filter (fun p => feeds g p q) (seq 0 (blocks g)).
Definition of_stage (s from n : nat) : list nat := filter (fun j => j mod stages g =? s) (seq from n).
Definition tile_bytes (j : nat) : nat := list_sum (map (fun p => w p q j) feeders).
Definition landed_of_tile (x : ring) (j : nat) : nat :=
  list_sum (map (fun p => if landed x p q j then w p q j else 0) feeders).
Definition expected_bytes (x : ring) (s : nat) : nat := list_sum (map tile_bytes (of_stage s 0 (filled x q))).
Definition landed_bytes (x : ring) (s : nat) : nat := list_sum (map (landed_of_tile x) (of_stage s 0 (tiles g))).

Lemma sum_le (f h : nat -> nat) l : (forall i, In i l -> f i <= h i) -> list_sum (map f l) <= list_sum (map h l).
Proof.
  unfold list_sum. intros A. induction l as [|i l IH]; [easy|]. cbn [map fold_right].
  pose proof (A i ltac:(now left)). specialize (IH ltac:(intros; apply A; now right)). lia.
Qed.
Lemma sum_lt (f h : nat -> nat) l i : (forall j, In j l -> f j <= h j) -> In i l -> f i < h i ->
  list_sum (map f l) < list_sum (map h l).
Proof.
  unfold list_sum. intros A. induction l as [|k l IH]; [easy|]. cbn [map fold_right]. intros [->|I] L.
  - pose proof (sum_le f h l ltac:(intros; apply A; now right)) as B. unfold list_sum in B. lia.
  - pose proof (A k ltac:(now left)). specialize (IH ltac:(intros; apply A; now right) I L). lia.
Qed.
Lemma landed_at_most x j : landed_of_tile x j <= tile_bytes j.
Proof. apply sum_le. intros p _. destruct (landed x p q j); lia. Qed.
Lemma feeder p : In p feeders <-> p < blocks g /\ feeds g p q = true.
Proof. unfold feeders. rewrite filter_In, in_seq. intuition lia. Qed.
(* A tile that is expected is full when all of its bytes have landed. *)
Lemma full_by_bytes x j : j < filled x q -> full x q j = true <-> landed_of_tile x j = tile_bytes j.
Proof.
  intros L. rewrite full_spec. split.
  - intros [_ A]. unfold landed_of_tile, tile_bytes. f_equal. apply map_ext_in. intros p I. apply feeder in I as [Hp F].
    now rewrite A.
  - intros E. split; [easy|]. intros p Hp F. destruct (landed x p q j) eqn:D; [easy|exfalso].
    assert (landed_of_tile x j < tile_bytes j); [|lia]. apply (sum_lt _ _ _ p); [|now apply feeder|].
    + intros i _. destruct (landed x i q j); lia.
    + rewrite D. now apply Some_byte.
Qed.
Lemma of_stage_split s a b n : a <= b -> b <= n -> of_stage s a (n - a) = of_stage s a (b - a) ++ of_stage s b (n - b).
Proof.
  intros L U. unfold of_stage. rewrite <- filter_app. replace (n - a) with ((b - a) + (n - b)) by lia.
  rewrite seq_app. now replace (a + (b - a)) with b by lia.
Qed.
Lemma of_stage_empty s a n : (forall j, a <= j -> j < a + n -> j mod stages g <> s) -> of_stage s a n = [].
Proof.
  intros A. unfold of_stage. destruct (filter _ _) as [|j l] eqn:E; [easy|exfalso].
  assert (I : In j (j :: l)) by now left. rewrite <- E in I. apply filter_In in I as [I M]. apply in_seq in I.
  apply Nat.eqb_eq in M. apply (A j); [lia|lia|easy].
Qed.
Lemma bytes_count x e : reached_from at_first x -> e < filled x q -> filled x q <= e + stages g ->
  full x q e = true <-> expected_bytes x (e mod stages g) <= landed_bytes x (e mod stages g).
Proof.
  intros R L U. destruct (reached_good x R) as (G0 & G1 & G2 & G3). destruct Lawful as (P & O & _).
  destruct (O c Hc) as [_ F]. rewrite Reads in F. pose proof (G0 q Hq) as T. set (s := e mod stages g).
  assert (Before : forall j, j < e -> j mod stages g = s -> landed_of_tile x j = tile_bytes j).
  { intros j Hj M. apply full_by_bytes; [lia|]. rewrite <- Reads. apply G1; [easy|]. apply G2.
    apply (G3 q c j); [easy|easy|now rewrite Reads|]. destruct (Nat.le_gt_cases (j + stages g) e); [lia|exfalso].
    apply (same_stage j e); auto; lia. }
  assert (Here : of_stage s e 1 = [e]) by (unfold of_stage, s; cbn; now rewrite Nat.eqb_refl).
  assert (Ex : expected_bytes x s = list_sum (map (landed_of_tile x) (of_stage s 0 e)) + tile_bytes e).
  { unfold expected_bytes. replace (filled x q) with (filled x q - 0) by lia.
    rewrite (of_stage_split s 0 e), (of_stage_split s e (S e)) by lia. replace (S e - e) with 1 by lia.
    rewrite Here, (of_stage_empty s (S e)), app_nil_r, Nat.sub_0_r.
    2: { intros j Hj Lj M. apply (same_stage e j); [easy|lia|lia|easy]. }
    rewrite map_app, list_sum_app. f_equal; [|unfold list_sum at 1; cbn [map fold_right]; lia]. f_equal.
    apply map_ext_in. intros j I. apply filter_In in I as [I M]. apply in_seq in I. apply Nat.eqb_eq in M.
    symmetry. apply Before; [lia|easy]. }
  assert (La : landed_bytes x s = list_sum (map (landed_of_tile x) (of_stage s 0 e)) + landed_of_tile x e +
    list_sum (map (landed_of_tile x) (of_stage s (S e) (tiles g - S e)))).
  { unfold landed_bytes. replace (tiles g) with (tiles g - 0) at 1 by lia.
    rewrite (of_stage_split s 0 e), (of_stage_split s e (S e)) by lia. replace (S e - e) with 1 by lia.
    rewrite Here, Nat.sub_0_r, !map_app, !list_sum_app. unfold list_sum at 2. cbn [map fold_right]. lia. }
  rewrite (full_by_bytes x e L), Ex, La. pose proof (landed_at_most x e). split; [lia|]. intros B.
  destruct (Nat.eq_dec (landed_of_tile x e) (tile_bytes e)) as [|N]; [easy|exfalso].
  assert (Later : list_sum (map (landed_of_tile x) (of_stage s (S e) (tiles g - S e))) = 0); [|lia].
  replace 0 with (list_sum (map (fun _ : nat => 0) (of_stage s (S e) (tiles g - S e)))) by now apply sum_of_none.
  f_equal. apply map_ext_in. intros j I. apply filter_In in I as [I M]. apply in_seq in I. apply Nat.eqb_eq in M.
  rewrite <- (sum_of_none (fun _ => 0) feeders (fun _ => eq_refl)). unfold landed_of_tile. f_equal. apply map_ext_in.
  intros p Ip.
  apply feeder in Ip as [Hp Fp]. destruct (landed x p q j) eqn:D; [exfalso|easy].
  apply (landed_filled x p q j R) in D. apply N, full_by_bytes; [easy|]. rewrite <- Reads. apply G1; [easy|]. apply G2.
  apply (G3 p c e); [easy|easy|now rewrite Reads|]. destruct (Nat.le_gt_cases (e + stages g) j); [lia|].
  exfalso. apply (same_stage e j); [easy|lia|lia|easy].
Qed.
End Bytes.

Lemma look (f : nat -> bool) n : (exists i, i < n /\ f i = true) \/ forall i, i < n -> f i = false.
Proof.
  induction n as [|n [(i & Hi & E)|A]]; [right; lia|left; exists i; split; [lia|easy]|].
  destruct (f n) eqn:E; [left; exists n; split; [lia|easy]|right]. intros i Hi.
  destruct (Nat.eq_dec i n) as [->|]; [easy|apply A; lia].
Qed.
Lemma least (f : nat -> nat) n : 0 < n -> exists i, i < n /\ forall j, j < n -> f i <= f j.
Proof.
  induction n as [|n IH]; [lia|]. intros _. destruct n as [|n].
  - exists 0. split; [lia|]. intros j Hj. replace j with 0 by lia. lia.
  - destruct (IH ltac:(lia)) as (i & Hi & L). destruct (Nat.le_gt_cases (f i) (f (S n))) as [H|H].
    + exists i. split; [lia|]. intros j Hj. destruct (Nat.eq_dec j (S n)) as [->|]; [easy|apply L; lia].
    + exists (S n). split; [lia|]. intros j Hj. destruct (Nat.eq_dec j (S n)) as [->|]; [easy|].
      specialize (L j ltac:(lia)). lia.
Qed.
Lemma good_live x : good x -> (exists y, step x y) \/ finished x.
Proof.
  intros G. pose proof G as (G0 & G1 & G2 & G3). pose proof Lawful as (P & O & Rd).
  destruct (look (fun c => existsb (fun j => negb (done x c j)) (seq 0 (begun x c))) (consumers g))
    as [(c & Hc & E)|Done].
  { apply existsb_exists in E as (j & Hj & E). apply in_seq in Hj. left. eexists. apply (done_step x c j); [easy|lia|].
    now destruct (done x c j). }
  assert (done_all : forall c j, c < consumers g -> j < begun x c -> done x c j = true).
  { intros c j Hc Hj. specialize (Done c Hc). destruct (done x c j) eqn:E; [easy|].
    assert (existsb (fun j => negb (done x c j)) (seq 0 (begun x c)) = true); [|congruence].
    apply existsb_exists. exists j. split; [apply in_seq; lia|]. now rewrite E. }
  destruct (look (fun p => existsb (fun c => feeds g p (sits_in g c) && existsb (fun j =>
    negb (landed x p (sits_in g c) j)) (seq 0 (filled x p))) (seq 0 (consumers g))) (blocks g)) as [(p & Hp &
      E)|Landed].
  { apply existsb_exists in E as (c & Hc & E). apply andb_true_iff in E as [F E].
    apply existsb_exists in E as (j & Hj & E). apply in_seq in Hj. left. eexists.
    apply (land_step x p (sits_in g c) j); [easy|easy|lia|]. now destruct (landed x p (sits_in g c) j). }
  assert (landed_all : forall p q j, p < blocks g -> feeds g p q = true -> j < filled x p -> landed x p q j = true).
  { intros p q j Hp F Hj. specialize (Landed p Hp). destruct (Rd p q F) as (c & Hc & <-).
    destruct (landed x p (sits_in g c) j) eqn:E; [easy|]. exfalso.
    assert (existsb (fun c => feeds g p (sits_in g c) && existsb (fun j => negb (landed x p (sits_in g c) j))
      (seq 0 (filled x p))) (seq 0 (consumers g)) = true); [|congruence].
    apply existsb_exists. exists c. split; [apply in_seq; lia|]. rewrite F. cbn. apply existsb_exists. exists j.
    split; [apply in_seq; lia|]. now rewrite E. }
  destruct (look (fun c => (begun x c <? tiles g) && may_read x c) (consumers g)) as [(c & Hc & E)|Read].
  { apply andb_true_iff in E as [L E]. apply Nat.ltb_lt in L. left. eexists. now apply (read_step x c). }
  assert (waits : forall c, c < consumers g -> begun x c < tiles g -> exists p, p < blocks g /\ filled x p <= begun x
    c).
  { intros c Hc L. specialize (Read c Hc). apply Nat.ltb_lt in L. rewrite L in Read. cbn [andb] in Read.
    rewrite may_read_exact in Read by easy. destruct (O c Hc) as [Hq _].
    destruct (least (filled x) (blocks g) ltac:(lia)) as (p & Hp & Least). exists p. split; [easy|].
    destruct (Nat.le_gt_cases (filled x p) (begun x c)) as [|H]; [easy|]. exfalso.
    assert (full x (sits_in g c) (begun x c) = true); [|congruence]. apply full_spec.
    split; [specialize (Least _ Hq); lia|]. intros p' Hp' F. apply landed_all; auto. specialize (Least p' Hp'). lia. }
  destruct (look (fun p => (filled x p <? tiles g) && may_fill x p) (blocks g)) as [(p & Hp & E)|Fill].
  { apply andb_true_iff in E as [L E]. apply Nat.ltb_lt in L. left. eexists. now apply (fill_step x p). }
  assert (Filled : forall p, p < blocks g -> filled x p = tiles g).
  { intros p Hp. destruct (Nat.eq_dec (filled x p) (tiles g)) as [|Ne]; [easy|exfalso].
    destruct (least (filled x) (blocks g) ltac:(lia)) as (p0 & Hp0 & Least).
    pose proof (Least p Hp) as L. pose proof (G0 p Hp) as L'. specialize (Fill p0 Hp0).
    replace (filled x p0 <? tiles g) with true in Fill by (symmetry; apply Nat.ltb_lt; lia). cbn [andb] in Fill.
    assert (may_fill x p0 = true); [|congruence]. apply may_fill_exact; [easy|easy|].
    destruct (Nat.lt_ge_cases (filled x p0) (stages g)) as [|H]; [now left|right]. apply empty_spec. split; [lia|].
    intros c Hc F. destruct (Nat.le_gt_cases (begun x c) (filled x p0 - stages g)) as [B|B]; [|now apply done_all].
    exfalso. destruct (waits c Hc ltac:(lia)) as (p' & Hp' & W). specialize (Least p' Hp'). lia. }
  right. split; [easy|]. split.
  - intros p q j Hp F Hj. apply landed_all; [easy|easy|]. now rewrite Filled.
  - intros c Hc. assert (B : begun x c = tiles g).
    { destruct (O c Hc) as [Hq _]. destruct (Nat.lt_trichotomy (begun x c) (tiles g)) as [L|[E|L]]; [|easy|].
      - destruct (waits c Hc L) as (p & Hp & W). rewrite (Filled p Hp) in W. lia.
      - specialize (G1 c (tiles g) Hc L). apply full_spec in G1 as [G1 _]. specialize (G0 _ Hq). lia. }
    split; [easy|]. intros j Hj. apply done_all; [easy|]. now rewrite B.
Qed.
End Lawful.
End Steps.

(* No stage is read before it is full or filled while it is read, in any cluster. *)
Theorem ring_safe g x : cluster_lawful g -> reached_from g at_first x -> safe g x.
Proof. intros L R. now apply good_safe, reached_good. Qed.

(* Nobody waits for ever: where not every tile is filled and read by all, some step is possible. *)
Theorem ring_live g x : cluster_lawful g -> reached_from g at_first x -> (exists y, step g x y) \/ finished g x.
Proof. intros L R. now apply good_live, reached_good. Qed.

(* A barrier that counts arrivals, and not whose they are, is over as often as all its readers are done with the stage:
   none arrives twice where another has not arrived once. *)
Theorem ring_counts_arrivals g x p s : cluster_lawful g -> reached_from g at_first x -> p < blocks g -> s < stages g ->
  readers g p <> [] -> arrivals g x p s / length (readers g p) = empty_phase g x p s.
Proof. intros L R. now apply arrivals_count. Qed.

(* And the last tile that is expected of a stage is full when no bytes of the stage are wanting, whichever landed, where
   every share has a byte: one without any would be waited for by nobody. *)
Theorem ring_counts_bytes g w q c x e : cluster_lawful g -> reached_from g at_first x -> c < consumers g ->
  sits_in g c = q -> (forall p j, feeds g p q = true -> 0 < w p q j) -> e < filled x q <= e + stages g ->
  full g x q e = true <-> expected_bytes g w q x (e mod stages g) <= landed_bytes g w q x (e mod stages g).
Proof. intros L R Hc <- W [Le U]. destruct L as (P & O & Rd). apply bytes_count with c; try easy. now apply O. Qed.
