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
