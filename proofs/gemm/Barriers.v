(* The machine behind its barriers: of a cluster every interleaving of copies, MMAs and steps of the ring that the
   barriers admit. What a consumer reads is its tile, so that each computes the product. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Coq Require Import Arith.
From Colex Require Export Plans.
From Colex Require Export Ring.
Local Open Scope N_scope.

(* What tile j of the ring is to block q: the operands, the first row and column of its tile of D, how much of K, and
   which block of K. *)
Record load (R : Type) := Load { operands : part -> N -> N -> R; first_row : N; first_column : N; length_k : N;
  block_k : N }.
Arguments operands {R}. Arguments first_row {R}. Arguments first_column {R}. Arguments length_k {R}.
Arguments block_k {R}.
(* What a cluster does: block p's copies of a part to stages of block q, a consumer's sites, and the accumulators to
   which the products of a tile are added. *)
Record job (R : Type) := Job { ring_of : cluster; load_of : nat -> nat -> load R; copies_to : nat -> nat -> part ->
  list N; has_site : nat -> site -> bool; into : nat -> nat }.
Arguments ring_of {R}. Arguments load_of {R}. Arguments copies_to {R}. Arguments has_site {R}. Arguments into {R}.
(* All copies of a stage are made, each by some block that feeds it. *)
Definition job_lawful {R} (m : machine) (w : job R) : Prop := let g := ring_of w in cluster_lawful g /\
  forall x s, side_of m x = Some s ->
    (forall p q i, (p < blocks g)%nat -> In i (copies_to w p q x) -> i < extent s * depth_in m s) /\
    forall c i, (c < consumers g)%nat -> i < extent s * depth_in m s -> exists p, (p < blocks g)%nat /\
      feeds g p (sits_in g c) = true /\ In i (copies_to w p (sits_in g c) x).

Inductive event := Copied (p q j : nat) (x : part) (i : N) | Executed (c j : nat) (w : site * N).
Definition part_dec (x y : part) : {x = y} + {x <> y}.
Proof. decide equality. Defined.
Definition event_dec (x y : event) : {x = y} + {x <> y}.
Proof. repeat decide equality. Defined.

(* Stages of all blocks, (block, stage); accumulators of all consumers; and what happened. *)
Record state (R : Type) := State { ring_in : ring; memory : nat -> nat -> part -> N -> R;
  sums : nat -> nat -> site -> N -> R; happened : list event }.
Arguments State {R}. Arguments ring_in {R}. Arguments memory {R}. Arguments sums {R}. Arguments happened {R}.

Section Acts.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Context (m : machine) (M N_ : N) (w : job R).
Notation g := (ring_of w).

Definition work (c : nat) : list (site * N) := List.filter (fun u => has_site w c (fst u)) (instructions m).
(* What copy i brings to block q of tile j. *)
Definition brings_to (q j : nat) (x : part) (s : side) (i : N) : R := let l := load_of w q j in
  fetch zero_ (operands l x) (if is_a x then M else N_) (ceil (length_k l) (block s))
    ((if is_a x then first_row l else first_column l) + brings s i mod extent s)
    (depth_in m s * block_k l + brings s i / extent s).
Definition put (mem : nat -> nat -> part -> N -> R) (q n : nat) (x : part) (u : N * R) : nat -> nat -> part -> N -> R :=
  set mem q (set (mem q) n (fun y => if part_dec y x then store N.eqb (mem q n y) u else mem q n y)).

(* A share has landed when its copies are made; a consumer is done when its instructions are executed. *)
Inductive act (z : state R) : state R -> Prop :=
  | ring_steps y : step g (ring_in z) y ->
      (forall p q j x i, landed y p q j = true -> In i (copies_to w p q x) -> side_of m x <> None ->
        In (Copied p q j x i) (happened z)) ->
      (forall c j u, done y c j = true -> In u (work c) -> In (Executed c j u) (happened z)) ->
      act z (State y (memory z) (sums z) (happened z))
  | copies_one p q j x s i : (p < blocks g)%nat -> feeds g p q = true -> (j < filled (ring_in z) p)%nat ->
      landed (ring_in z) p q j = false -> side_of m x = Some s -> In i (copies_to w p q x) ->
      act z (State (ring_in z) (put (memory z) q (j mod stages g) x (written s i, brings_to q j x s i)) (sums z)
        (Copied p q j x i :: happened z))
  | executes_one c j u : (c < consumers g)%nat -> (j < begun (ring_in z) c)%nat -> done (ring_in z) c j = false ->
      In u (work c) -> ~ In (Executed c j u) (happened z) ->
      act z (State (ring_in z) (memory z) (set (sums z) c (set (sums z c) (into w j)
        (executed add mul zero_ m (memory z (sits_in g c) (j mod stages g)) (sums z c (into w j)) u)))
        (Executed c j u :: happened z)).
Inductive acted (z : state R) : state R -> Prop :=
  | no_act : acted z z
  | act_more y y' : acted z y -> act y y' -> acted z y'.
Definition start (mem : nat -> nat -> part -> N -> R) : state R :=
  State at_first mem (fun _ _ _ _ => zero_) [].
End Acts.

Section Computed.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Notation total := (sum add zero_).
(* What a cluster leaves, when all is done, of the tile of D of one of its blocks, over `len` of K: of each site the sum
   of the accumulators `acc` of the consumer that has it, to which each block of K was added once. *)
Definition computed (m : machine) (x : part -> N -> N -> R) (M N_ len m0 n0 : N) (v : site -> N -> R) : Prop :=
  exists (w : job R) mem z q acc owner, let g := ring_of w in
  job_lawful m w /\ acted add mul zero_ m M N_ w (start zero_ mem) z /\ finished g (ring_in z) /\
  (forall s, In s (sites m) -> (owner s < consumers g)%nat /\ sits_in g (owner s) = q /\ has_site w (owner s) s =
    true) /\
  let js := flat_map (fun a => List.filter (fun j => Nat.eqb (into w j) a) (seq 0 (tiles g))) acc in
  (forall j, In j js -> let l := load_of w q j in operands l = x /\ first_row l = m0 /\ first_column l = n0 /\
    length_k l = len) /\
  Permutation (map (fun j => block_k (load_of w q j)) js) (iota (ceil len (tile_depth m))) /\
  forall s i, v s i = total (map (fun a => sums z (owner s) a s i) acc).
End Computed.

Section Proofs.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Context (add_comm : forall x y, add x y = add y x) (add_assoc : forall x y z, add x (add y z) = add (add x y) z)
  (add_zero : forall x, add zero_ x = x) (mul_zero : forall x, mul zero_ x = zero_).
Context (m : machine) (F : faithful m) (M N_ : N) (w : job R) (L : job_lawful m w).
Notation g := (ring_of w). Notation total := (sum add zero_).
Notation act := (act add mul zero_ m M N_ w). Notation work := (work m w).

(* ---- What always holds ---- *)

Definition did (c : nat) : list event -> list (nat * (site * N)) :=
  flat_map (fun e => match e with Executed c' j u => if Nat.eqb c' c then [(j, u)] else [] | _ => [] end).
Lemma did_spec c j u l : In (j, u) (did c l) <-> In (Executed c j u) l.
Proof.
  unfold did. rewrite in_flat_map. split.
  - intros ([|c' j' u'] & I & E); [destruct E|]. destruct (Nat.eqb_spec c' c) as [->|]; [|destruct E].
    destruct E as [E|[]]. now injection E as -> ->.
  - intros I. exists (Executed c j u). split; [easy|]. rewrite Nat.eqb_refl. now left.
Qed.
(* What instruction (z, t) of tile j adds to a sum. *)
Definition worth (q j : nat) (z : site) (i t : N) : R := let l := load_of w q j in
  total (map (fun k => at_k mul zero_ m (operands l) M N_ (length_k l) (first_row l) (first_column l) (placed m z i)
    (k + tile_depth m * block_k l)) (map (deep m t) (iota (atom_k m)))).
Definition of_sum (a : nat) (z : site) (e : nat * (site * N)) : bool :=
  Nat.eqb (into w (fst e)) a && same_site (fst (snd e)) z.

Record sound (z : state R) : Prop := Sound {
  ring_good : good g (ring_in z);
  landed_copied : forall p q j x i, landed (ring_in z) p q j = true -> In i (copies_to w p q x) -> side_of m x <> None
    ->
    In (Copied p q j x i) (happened z);
  done_executed : forall c j u, done (ring_in z) c j = true -> In u (work c) -> In (Executed c j u) (happened z);
  copied_filled : forall p q j x i, In (Copied p q j x i) (happened z) -> (p < blocks g)%nat /\ feeds g p q = true /\
    (j < filled (ring_in z) p)%nat;
  executed_begun : forall c j u, In (Executed c j u) (happened z) -> (c < consumers g)%nat /\
    (j < begun (ring_in z) c)%nat /\ In u (work c);
  executed_once : forall c, NoDup (did c (happened z));
  holds_last : forall p q j x s i, In (Copied p q j x i) (happened z) -> side_of m x = Some s ->
    i < extent s * depth_in m s -> (forall p' j' x' i', In (Copied p' q j' x' i') (happened z) ->
      (j' mod stages g = j mod stages g)%nat -> (j' <= j)%nat) ->
    memory z q (j mod stages g) x (written s i) = brings_to zero_ m M N_ w q j x s i;
  sums_worth : forall c a s i, In s (sites m) -> i < size (of_sums m) -> sums z c a s i =
    total (map (fun e => worth (sits_in g c) (fst e) s i (snd (snd e))) (List.filter (of_sum a s) (did c (happened
      z)))) }.

Lemma start_sound mem : sound (start zero_ mem).
Proof. split; cbn; try easy; [apply first_good|constructor]. Qed.

(* A copy to a stage is of no tile before one that has been copied there. *)
Lemma copies_in_turn z p q j p' j' x' i' : sound z -> (p < blocks g)%nat -> feeds g p q = true ->
  landed (ring_in z) p q j = false -> (j' mod stages g = j mod stages g)%nat ->
  In (Copied p' q j' x' i') (happened z) -> (j' <= j)%nat.
Proof.
  intros [G _ _ Cf _ _ _ _] Hp Fp La E I. pose proof L as ((P & O & Rd) & _). destruct G as (G0 & G1 & G2 & G3).
  destruct (Nat.le_gt_cases j' j) as [|H]; [easy|exfalso]. destruct (Cf _ _ _ _ _ I) as (Hp' & Fp' & Hj').
  destruct (Nat.le_gt_cases (j + stages g) j') as [U|U]; [|now apply (same_stage g j j')].
  destruct (Rd p q Fp) as (c & Hc & <-). specialize (G3 p' c j Hp' Hc Fp' ltac:(lia)). apply G2 in G3.
  specialize (G1 c j Hc G3). apply full_spec in G1 as [_ G1]. specialize (G1 p Hp Fp). congruence.
Qed.
Lemma written_once x s i j : side_of m x = Some s -> i < extent s * depth_in m s -> j < extent s * depth_in m s ->
  written s i = written s j -> i = j.
Proof.
  intros E Hi Hj W. destruct F as (Fs & _). specialize (Fs x s E).
  assert (S : side_faithful s (depth_in m s)) by (destruct (is_a x); apply Fs). destruct S as (C & Wr & Inj & _).
  rewrite !Wr in W by easy. destruct (one_to_one_takes _ _ C) as (B & _ & U). apply U; [easy|easy|]. apply Inj; auto.
Qed.
(* What a consumer reads in its stage is its tile. *)
Lemma reads_loaded z c j : sound z -> (c < consumers g)%nat -> (j < begun (ring_in z) c)%nat ->
  done (ring_in z) c j = false -> let q := sits_in g c in let l := load_of w q j in
  loaded zero_ m (operands l) M N_ (length_k l) (first_row l) (first_column l) (block_k l)
    (memory z q (j mod stages g)).
Proof.
  intros [G Lc _ Cf _ _ Hl _] Hc Hj D q l x s E k Hk. pose proof L as (CL & Cp). destruct (Cp x s E) as [_ Cs].
  destruct (good_safe g CL (ring_in z) G c j Hc Hj D) as [Fu Sf]. apply full_spec in Fu as [_ Fu].
  pose proof F as (Fs & _). specialize (Fs x s E).
  assert (S : side_faithful s (depth_in m s)) by (destruct (is_a x); apply Fs). destruct S as (C & Wr & _).
  destruct (one_to_one_takes _ _ C) as (_ & J & _). destruct (J k Hk) as (i & Hi & <-). rewrite <- Wr by easy.
  destruct (Cs c i Hc Hi) as (p & Hp & Fp & I). rewrite (Hl p q j x s i); [easy| |easy|easy|].
  - apply Lc; [now apply Fu|easy|congruence].
  - intros p' j' x' i' I' E'. destruct (Cf _ _ _ _ _ I') as (Hp' & Fp' & Hj'). now apply (Sf p').
Qed.
Lemma work_instructions c u : In u (work c) -> In (fst u) (sites m) /\ snd u < atoms_k m /\ has_site w c (fst u) = true.
Proof.
  unfold Barriers.work, instructions. rewrite filter_In. destruct u as [s t]. rewrite in_prod_iff, in_iota. tauto.
Qed.

Lemma act_sound z y : sound z -> act z y -> sound y.
Proof.
  intros S T. pose proof S as [G Lc De Cf Eb Eo Hl Sw]. pose proof L as (CL & Cp).
  destruct T as [y St Sl Sd|p q j x s i Hp Fp Hj La Es Hi|c j u Hc Hj Dj Hu Nu].
  - pose proof (step_grows g _ _ St) as (Fl & _ & Be & _). split; cbn [ring_in memory sums happened]; try easy.
    + now apply (step_good g CL (ring_in z)).
    + intros p q j x i I. destruct (Cf _ _ _ _ _ I) as (Hp & Fp & Hj). specialize (Fl p). repeat split; [easy..|lia].
    + intros c j u I. destruct (Eb _ _ _ I) as (Hc & Hj & Hu). specialize (Be c). repeat split; [easy|lia|easy].
  - split; cbn [ring_in memory sums happened]; try easy.
    + intros p' q' j' x' i' A B C. right. now apply Lc.
    + intros c j' u A B. right. now apply De.
    + intros p' q' j' x' i' [A|A]; [injection A as <- <- <- <- <-; easy|now apply (Cf _ _ _ x' i')].
    + intros c j' u [A|A]; [discriminate|now apply Eb].
    + intros p' q' j' x' s' i' A Es' Hi' Last. unfold put.
      destruct (set_cases (memory z) q (set (memory z q) (j mod stages g) (fun y => if part_dec y x
        then store N.eqb (memory z q (j mod stages g) y) (written s i, brings_to zero_ m M N_ w q j x s i)
        else memory z q (j mod stages g) y)) q') as [[-> ->]|[Nq ->]].
      2: { destruct A as [A|A]; [congruence|]. apply (Hl p'); [easy..|]. intros p0 j0 x0 i0 I0.
           apply (Last p0 j0 x0 i0). now right. }
      assert (Older : In (Copied p' q j' x' i') (happened z) ->
        memory z q (j' mod stages g) x' (written s' i') = brings_to zero_ m M N_ w q j' x' s' i').
      { intros A'. apply (Hl p'); [easy..|]. intros p0 j0 x0 i0 I0. apply (Last p0 j0 x0 i0). now right. }
      destruct (set_cases (memory z q) (j mod stages g) (fun y => if part_dec y x
        then store N.eqb (memory z q (j mod stages g) y) (written s i, brings_to zero_ m M N_ w q j x s i)
        else memory z q (j mod stages g) y) (j' mod stages g)) as [[Es0 ->]|[Ns ->]].
      2: { destruct A as [A|A]; [congruence|now apply Older]. }
      assert (Ej : j' = j).
      { destruct A as [A|A]; [congruence|]. apply Nat.le_antisymm.
        - now apply (copies_in_turn z p q j p' j' x' i').
        - apply (Last p j x i); [now left|easy]. }
      subst j'. destruct (part_dec x' x) as [->|Nx].
      2: { destruct A as [A|A]; [congruence|now apply Older]. }
      assert (s' = s) by congruence. subst s'. unfold store. cbn [fst snd].
      destruct (N.eqb_spec (written s i) (written s i')) as [W|W].
      * apply (written_once x s) in W; [now subst i'|easy| |easy]. destruct (Cp x s Es) as [B _]. now apply (B p q).
      * destruct A as [A|A]; [congruence|now apply Older].
  - split; cbn [ring_in memory sums happened]; try easy.
    + intros p' q' j' x' i' A B C. right. now apply Lc.
    + intros c' j' u' A B. right. now apply De.
    + intros p' q' j' x' i' [A|A]; [discriminate|now apply (Cf _ _ _ x' i')].
    + intros c' j' u' [A|A]; [injection A as <- <- <-; easy|now apply Eb].
    + intros c'. cbn [did flat_map]. destruct (Nat.eqb_spec c c') as [<-|]; [|apply Eo]. cbn [app]. constructor;
      [|apply Eo].
      intros I. now apply did_spec in I.
    + intros p' q' j' x' s' i' [A|A] Es' Hi' Last; [discriminate|]. apply (Hl p'); [easy..|].
      intros p0 j0 x0 i0 I0. apply (Last p0 j0 x0 i0). now right.
    + intros c' a s i Hs Hi. cbn [did flat_map].
      destruct (set_cases (sums z) c (set (sums z c) (into w j) (executed add mul zero_ m
        (memory z (sits_in g c) (j mod stages g)) (sums z c (into w j)) u)) c') as [[-> ->]|[Nc ->]].
      2: { destruct (Nat.eqb_spec c c') as [->|_]; [easy|]. now apply Sw. }
      rewrite Nat.eqb_refl. cbn [app List.filter]. unfold of_sum at 1. cbn [fst snd].
      destruct (set_cases (sums z c) (into w j) (executed add mul zero_ m
        (memory z (sits_in g c) (j mod stages g)) (sums z c (into w j)) u) a) as [[Ea ->]|[Na ->]].
      2: { destruct (Nat.eqb_spec (into w j) a) as [Ea|_]; [congruence|]. now apply Sw. }
      subst a.
      rewrite Nat.eqb_refl. cbn [andb]. rewrite executed_one. destruct (same_site (fst u) s) eqn:Eu; [|now apply Sw].
      cbn [map fst snd]. change (total (?h :: ?t)) with (add h (total t)). rewrite Sw by easy. rewrite add_comm.
        f_equal.
      destruct (work_instructions c u Hu) as (Hz & Ht & _). unfold worth.
      now apply (products_loaded add mul zero_); [..|apply reads_loaded|exact Hs|exact Hi|exact Ht].
Qed.
Lemma acted_sound mem z : acted add mul zero_ m M N_ w (start zero_ mem) z -> sound z.
Proof. intros A. induction A as [|y y' _ IH T]; [apply start_sound|now apply (act_sound y)]. Qed.

(* ---- When all is done ---- *)

Lemma work_once c : NoDup (work c).
Proof. apply NoDup_filter. unfold instructions. apply nodup_prod; [apply nodup_sites|apply nodup_iota]. Qed.
Lemma did_all z c : sound z -> finished g (ring_in z) -> (c < consumers g)%nat ->
  Permutation (did c (happened z)) (list_prod (seq 0 (tiles g)) (work c)).
Proof.
  intros [_ _ De _ Eb Eo _ _] (_ & _ & Fi) Hc. destruct (Fi c Hc) as [B D]. apply NoDup_Permutation.
  - apply Eo.
  - apply nodup_prod; [apply seq_NoDup|apply work_once].
  - intros [j u]. rewrite did_spec, in_prod_iff, in_seq. split.
    + intros I. destruct (Eb _ _ _ I) as (_ & Hj & Hu). rewrite B in Hj. split; [lia|easy].
    + intros [Hj Hu]. apply De; [apply D; lia|easy].
Qed.
Lemma filter_pairs a s js us : List.filter (of_sum a s) (list_prod js us) =
  list_prod (List.filter (fun j => Nat.eqb (into w j) a) js) (List.filter (fun u => same_site (fst u) s) us).
Proof.
  induction js as [|j js IH]; [easy|]. cbn [list_prod List.filter]. rewrite filter_app, IH.
  assert (E : List.filter (of_sum a s) (map (fun u => (j, u)) us) = if Nat.eqb (into w j) a
    then map (fun u => (j, u)) (List.filter (fun u => same_site (fst u) s) us) else []).
  { clear IH. induction us as [|u us IH]; cbn [map List.filter]; [now destruct (Nat.eqb _ _)|]. rewrite IH.
    unfold of_sum. cbn [fst snd]. now destruct (Nat.eqb (into w j) a), (same_site (fst u) s). }
  rewrite E. now destruct (Nat.eqb (into w j) a).
Qed.
Lemma work_of_site c s : In s (sites m) -> has_site w c s = true ->
  List.filter (fun u => same_site (fst u) s) (work c) = map (fun t => (s, t)) (iota (atoms_k m)).
Proof.
  intros I H. rewrite <- instructions_of by easy. unfold Barriers.work.
  induction (instructions m) as [|u l IH]; [easy|]. cbn [List.filter].
  destruct (has_site w c (fst u)) eqn:E; cbn [List.filter]; rewrite IH; [easy|].
  destruct (same_site (fst u) s) eqn:Eu; [|easy]. apply same_site_spec in Eu. subst s. congruence.
Qed.
(* A consumer's sum is that of the products of the tiles that were added to it. *)
Lemma sums_all z c a s i : sound z -> finished g (ring_in z) -> (c < consumers g)%nat -> In s (sites m) ->
  has_site w c s = true -> i < size (of_sums m) ->
  sums z c a s i = total (map (fun j => let l := load_of w (sits_in g c) j in total (map (fun k =>
    at_k mul zero_ m (operands l) M N_ (length_k l) (first_row l) (first_column l) (placed m s i)
      (k + tile_depth m * block_k l)) (iota (tile_depth m))))
    (List.filter (fun j => Nat.eqb (into w j) a) (seq 0 (tiles g)))).
Proof.
  intros S Fi Hc Hs Hw Hi. rewrite (sums_worth z S) by easy.
  rewrite (total_order add zero_ add_comm add_assoc _ _ (Permutation_map _ (filter_permutation _ _ _
    (did_all z c S Fi Hc)))), filter_pairs, work_of_site by easy.
  induction (List.filter _ (seq 0 (tiles g))) as [|j js IH]; [easy|]. cbn [list_prod].
  rewrite map_app, (total_app add zero_ add_assoc add_zero), IH. cbn [map].
  change (total (?h :: ?t)) with (add h (total t)). f_equal. rewrite !map_map. cbn [fst snd]. unfold worth.
  now apply (products_of_block add mul zero_ add_comm add_assoc add_zero).
Qed.

(* ---- Nobody waits for ever ---- *)

Lemma all_or_one {X} (f : X -> bool) l : (forall x, In x l -> f x = true) \/ exists x, In x l /\ f x = false.
Proof.
  induction l as [|x l [A|(y & I & E)]]; [now left| |right; exists y; split; [now right|easy]].
  destruct (f x) eqn:E; [left|right; exists x; split; [now left|easy]]. intros y [<-|I]; auto.
Qed.
Definition has_happened (z : state R) (e : event) : bool := if in_dec event_dec e (happened z) then true else false.
Lemma has_happened_spec z e : has_happened z e = true <-> In e (happened z).
Proof. unfold has_happened. destruct (in_dec _ _ _); split; easy. Qed.
(* What is to become true, one after the other, until all is done. *)
Inductive fact := Fills (p j : nat) | Lands (p q j : nat) | Reads (c j : nat) | Ends (c j : nat) | Happens (e : event).
Definition is_so (z : state R) (f : fact) : bool :=
  match f with
  | Fills p j => Nat.ltb j (filled (ring_in z) p)
  | Lands p q j => landed (ring_in z) p q j
  | Reads c j => Nat.ltb j (begun (ring_in z) c)
  | Ends c j => done (ring_in z) c j
  | Happens e => has_happened z e
  end.
Definition facts_of (j : nat) : list fact :=
  flat_map (fun p => Fills p j :: flat_map (fun q => Lands p q j :: flat_map (fun x =>
    map (fun i => Happens (Copied p q j x i)) (copies_to w p q x)) [elements_a; elements_b; factors_a; factors_b])
    (seq 0 (blocks g))) (seq 0 (blocks g)) ++
  flat_map (fun c => Reads c j :: Ends c j :: map (fun u => Happens (Executed c j u)) (work c)) (seq 0 (consumers g)).
Definition facts : list fact := flat_map facts_of (seq 0 (tiles g)).
Definition left_to_do (z : state R) : nat := length (List.filter (fun f => negb (is_so z f)) facts).

Lemma in_facts f j : (j < tiles g)%nat -> In f (facts_of j) -> In f facts.
Proof. intros Hj I. apply in_flat_map. exists j. split; [apply in_seq; lia|easy]. Qed.
Lemma of_block p f j : (p < blocks g)%nat -> f = Fills p j \/ (exists q, (q < blocks g)%nat /\ (f = Lands p q j \/
  exists x i, In i (copies_to w p q x) /\ f = Happens (Copied p q j x i))) -> In f (facts_of j).
Proof.
  intros Hp E. apply in_app_iff. left. apply in_flat_map. exists p. split; [apply in_seq; lia|].
  destruct E as [->|(q & Hq & E)]; [now left|right]. apply in_flat_map. exists q. split; [apply in_seq; lia|].
  destruct E as [->|(x & i & I & ->)]; [now left|right]. apply in_flat_map. exists x.
  split; [destruct x; cbn; tauto|]. now apply (in_map (fun i => Happens (Copied p q j x i))).
Qed.
Lemma of_consumer c f j : (c < consumers g)%nat -> f = Reads c j \/ f = Ends c j \/
  (exists u, In u (work c) /\ f = Happens (Executed c j u)) -> In f (facts_of j).
Proof.
  intros Hc E. apply in_app_iff. right. apply in_flat_map. exists c. split; [apply in_seq; lia|].
  destruct E as [->|[->|(u & I & ->)]]; [now left|right; now left|right; right].
  now apply (in_map (fun u => Happens (Executed c j u))).
Qed.
Lemma stays_so z y f : act z y -> is_so z f = true -> is_so y f = true.
Proof.
  intros T. assert (H : (forall e, In e (happened z) -> In e (happened y)) /\
    (forall p, (filled (ring_in z) p <= filled (ring_in y) p)%nat) /\ (forall p q j, landed (ring_in z) p q j = true ->
      landed (ring_in y) p q j = true) /\ (forall c, (begun (ring_in z) c <= begun (ring_in y) c)%nat) /\
    forall c j, done (ring_in z) c j = true -> done (ring_in y) c j = true).
  { destruct T as [y St _ _|p q j x s i|c j u]; cbn [ring_in happened].
    - split; [easy|]. exact (step_grows g _ _ St).
    - repeat split; auto. intros e I. now right.
    - repeat split; auto. intros e I. now right. }
  destruct H as (He & Hf & Hl & Hb & Hd). destruct f as [p j|p q j|c j|c j|e]; cbn [is_so].
  - specialize (Hf p). rewrite !Nat.ltb_lt. lia.
  - apply Hl.
  - specialize (Hb c). rewrite !Nat.ltb_lt. lia.
  - apply Hd.
  - rewrite !has_happened_spec. apply He.
Qed.
Lemma fewer {X} (f h : X -> bool) l : (forall x, f x = true -> h x = true) -> (exists x, In x l /\ f x = false /\ h x =
  true) -> (length (List.filter (fun x => negb (h x)) l) < length (List.filter (fun x => negb (f x)) l))%nat.
Proof.
  intros Mo (x & I & Fx & Hx). assert (W : forall l, (length (List.filter (fun x => negb (h x)) l) <=
    length (List.filter (fun x => negb (f x)) l))%nat).
  { clear - Mo. intros l. induction l as [|y l IH]; [easy|]. cbn. specialize (Mo y).
    destruct (f y), (h y); cbn; try lia. }
  induction l as [|y l IH]; [destruct I|]. cbn [List.filter]. destruct I as [->|I].
  - rewrite Fx, Hx. cbn. specialize (W l). lia.
  - specialize (IH I). specialize (Mo y). destruct (f y), (h y); cbn; try lia.
Qed.

(* Until all is done something can be done that was not. *)
Lemma sound_live z : sound z -> (exists y, act z y /\ (left_to_do y < left_to_do z)%nat) \/ finished g (ring_in z).
Proof.
  intros [G Lc De _ _ _ _ _]. pose proof L as [CL _]. pose proof CL as (_ & O & Rd). pose proof G as (G0 & G1 & _ & _).
  assert (More : forall y f j, act z y -> (j < tiles g)%nat -> In f (facts_of j) -> is_so z f = false ->
    is_so y f = true -> exists y, act z y /\ (left_to_do y < left_to_do z)%nat).
  { intros y f j A Hj I Z Y. exists y. split; [easy|]. apply fewer; [intros h; now apply stays_so|]. exists f.
    split; [now apply (in_facts f j)|easy]. }
  assert (Fed : forall p q, feeds g p q = true -> (q < blocks g)%nat).
  { intros p q Fp. destruct (Rd p q Fp) as (c & Hc & <-). now apply O. }
  destruct (good_live g CL _ G) as [[y T]|]; [left|now right].
  destruct T as [p Hp H M'|p q j Hp Fp Hj La|c Hc H M'|c j Hc Hj Dj].
  - apply (More (State (Ring (set (filled (ring_in z)) p (S (filled (ring_in z) p))) (landed (ring_in z)) (begun
      (ring_in z)) (done (ring_in z))) (memory z) (sums z) (happened z)) (Fills p (filled (ring_in z) p))
      (filled (ring_in z) p)); [now apply ring_steps; [apply (fill_step g _ p)|..]|easy| | |].
    + apply (of_block p); auto.
    + apply Nat.ltb_irrefl.
    + cbn [is_so ring_in filled]. rewrite set_same. apply Nat.ltb_lt. lia.
  - specialize (G0 p Hp). set (made := fun x => match side_of m x with
      | Some _ => map (pair x) (copies_to w p q x) | None => [] end).
    destruct (all_or_one (fun e => has_happened z (Copied p q j (fst e) (snd e)))
      (flat_map made [elements_a; elements_b; factors_a; factors_b])) as [A|((x & i) & I & E)].
    + eapply (More _ (Lands p q j) j); [apply ring_steps; [now apply (land_step g _ p q j)| |exact De]|lia| |easy|].
      * cbn [landed]. intros p' q' j' x i E I Ns. unfold set in E.
        destruct (Nat.eqb_spec p' p) as [->|]; [|now apply Lc]. destruct (Nat.eqb_spec q' q) as [->|]; [|now apply Lc].
        destruct (Nat.eqb_spec j' j) as [->|]; [|now apply Lc].
        apply has_happened_spec, (A (x, i)), in_flat_map. exists x. split; [destruct x; cbn; tauto|]. unfold made.
        destruct (side_of m x); [now apply in_map|easy].
      * apply (of_block p); [easy|]. right. exists q. split; [now apply (Fed p)|now left].
      * cbn [is_so ring_in landed]. now rewrite !set_same.
    + apply in_flat_map in I as (x' & _ & I). unfold made in I. destruct (side_of m x') as [s|] eqn:Es; [|destruct I].
      apply in_map_iff in I as (i' & Q & I). injection Q as -> ->. cbn [fst snd] in E.
      eapply (More _ (Happens (Copied p q j x i)) j);
        [now apply (copies_one add mul zero_ m M N_ w z p q j x s i)|lia| |exact E|].
      * apply (of_block p); [easy|]. right. exists q. split; [now apply (Fed p)|]. right. now exists x, i.
      * apply has_happened_spec. now left.
  - eapply (More _ (Reads c (begun (ring_in z) c)) (begun (ring_in z) c));
      [now apply ring_steps; [apply (read_step g _ c)|..]|easy|apply (of_consumer c); auto|apply Nat.ltb_irrefl|].
    cbn [is_so ring_in begun]. rewrite set_same. apply Nat.ltb_lt. lia.
  - assert (Ht : (j < tiles g)%nat).
    { specialize (G1 c j Hc Hj). apply full_spec in G1 as [G1 _]. destruct (O c Hc) as [Hq _]. specialize (G0 _ Hq).
      lia. }
    destruct (all_or_one (fun u => has_happened z (Executed c j u)) (work c)) as [A|(u & I & E)].
    + eapply (More _ (Ends c j) j); [apply ring_steps; [now apply (done_step g _ c j)|exact Lc|]|easy| |easy|].
      * cbn [done]. intros c' j' u E I. unfold set in E. destruct (Nat.eqb_spec c' c) as [->|]; [|now apply De].
        destruct (Nat.eqb_spec j' j) as [->|]; [|now apply De]. now apply has_happened_spec, A.
      * apply (of_consumer c); auto.
      * cbn [is_so ring_in done]. now rewrite !set_same.
    + eapply (More _ (Happens (Executed c j u)) j); [|easy| |exact E|].
      * apply (executes_one add mul zero_ m M N_ w z c j u); try easy. intros I'.
        apply has_happened_spec in I'. congruence.
      * apply (of_consumer c); [easy|]. right. right. now exists u.
      * apply has_happened_spec. now left.
Qed.
Lemma acted_more z y y' : act z y -> acted add mul zero_ m M N_ w y y' -> acted add mul zero_ m M N_ w z y'.
Proof. intros T A. induction A as [|y1 y2 _ IH T']; [eapply act_more; [apply no_act|exact T]|now apply (act_more _ _ _
  _ _ _ _ z y1)]. Qed.
Lemma sound_finishes z : sound z -> exists y, acted add mul zero_ m M N_ w z y /\ finished g (ring_in y).
Proof.
  remember (left_to_do z) as n eqn:E. revert z E. induction n as [n IH] using lt_wf_ind. intros z -> S.
  destruct (sound_live z S) as [(y & T & Ls)|Fi]; [|exists z; split; [apply no_act|easy]].
  destruct (IH _ Ls y eq_refl (act_sound z y S T)) as (y' & A & Fi). exists y'. split; [|easy]. now apply (acted_more
    z y).
Qed.
End Proofs.

Section Computes.
Context {R : Type} (add mul : R -> R -> R) (zero_ : R).
Context (add_comm : forall x y, add x y = add y x) (add_assoc : forall x y z, add x (add y z) = add (add x y) z)
  (add_zero : forall x, add zero_ x = x) (mul_zero : forall x, mul zero_ x = zero_).
Notation total := (sum add zero_).

Lemma computed_all m x M N_ len m0 n0 v s i : faithful m -> computed add mul zero_ m x M N_ len m0 n0 v ->
  In s (sites m) -> i < size (of_sums m) ->
  v s i = total (map (at_k mul zero_ m x M N_ len m0 n0 (placed m s i)) (iota len)).
Proof.
  intros F (w & mem & z & q & acc & owner & L & A & Fi & Ow & Sa & P & V) Hs Hi. rewrite V.
  pose proof (acted_sound add mul zero_ add_comm mul_zero m F M N_ w L mem z A) as S.
  destruct (Ow s Hs) as (Hc & Hq & Hw).
  rewrite <- (products_of_blocks add mul zero_ add_comm add_assoc add_zero mul_zero m F), <- (total_order add zero_
    add_comm add_assoc _ _ (Permutation_map _ P)), map_map.
  erewrite (map_ext (fun a => sums z (owner s) a s i)); [|intros a; apply (sums_all add mul zero_ add_comm add_assoc
    add_zero m F M N_ w z _ a s i S Fi Hc Hs Hw Hi)].
  rewrite (total_flat add zero_ add_assoc add_zero). f_equal. apply map_ext_in. intros j I. cbv zeta. rewrite Hq.
  now destruct (Sa j I) as (-> & -> & -> & ->).
Qed.

(* So each tile of D and split of K, in some cluster's ring. *)
Definition computed_in_rings (p : plan) (K : N) (x : part -> N -> N -> R) (M N_ : N) (splits : list (N * N))
    (v : N * N -> N * N -> site -> N -> R) : Prop := let m := machine_of p in splits_lawful p K splits /\
  forall t q, In t (Machine.tiles m M N_) -> In q splits ->
    computed add mul zero_ m (from_k m x (fst q)) M N_ (snd q) (tile_m m * fst t) (tile_n m * snd t) (v t q).

(* What clusters leave after any interleaving that their barriers admit is the product, and nothing else is written. *)
Theorem ring_computes_product p M N_ K alpha beta x c D splits v ws : plan_lawful p = true -> computed_in_rings p K x
  M N_ splits v -> Permutation ws (written_by_sums add mul zero_ p M N_ alpha beta c splits v) ->
  NoDup (map fst ws) /\ forall y, stores same_pair ws D y = gemm add mul zero_ p M N_ K alpha beta x c D y.
Proof.
  intros L [Sp C] Q. apply (sums_compute_product add mul zero_ add_comm add_assoc add_zero p M N_ K alpha beta x c
    D splits v ws L Sp); [|exact Q].
  intros t q z i m Ht I Hz Hi. exact (computed_all _ _ M N_ _ _ _ _ z i (lawful_faithful p L) (C t q Ht I) Hz Hi).
Qed.

(* And no interleaving is stuck: each goes on, until all is done, to an end. *)
Theorem ring_machine_live p M N_ (w : job R) before z : plan_lawful p = true -> job_lawful (machine_of p) w ->
  acted add mul zero_ (machine_of p) M N_ w (start zero_ before) z ->
  exists y, acted add mul zero_ (machine_of p) M N_ w z y /\ finished (ring_of w) (ring_in y).
Proof.
  intros L Lw A. pose proof (lawful_faithful p L) as F.
  apply (sound_finishes add mul zero_ add_comm mul_zero _ F M N_ w Lw).
  now apply (acted_sound add mul zero_ add_comm mul_zero _ F M N_ w Lw before).
Qed.
End Computes.

(* ---- Grids of blocks ---- *)

(* A cluster of cm x cn blocks, which count down its columns, with `each` consumers each: those of a line share A,
   those of a column B. *)
Definition in_line (cm p q : nat) : bool := Nat.eqb (p mod cm) (q mod cm).
Definition in_column (cm p q : nat) : bool := Nat.eqb (p / cm) (q / cm).
Definition block_grid (stages tiles cm cn each : nat) : cluster := Cluster stages tiles (cm * cn) (each * (cm * cn))
  (fun p q => Nat.ltb q (cm * cn) && (in_line cm p q || in_column cm p q)) (fun c => (c / each)%nat).
(* Block p's copies for block q: its share, or where none is shared its own. *)
Definition copies_of_grid (m : machine) (cm : nat) (p q : nat) (x : part) : list N :=
  match side_of m x with
  | Some s =>
      let i := N.of_nat (if is_a x then p / cm else p mod cm) in
      if peers s =? 1 then if Nat.eqb p q then share s (depth_in m s) 0 else []
      else if (if is_a x then in_line else in_column) cm p q then share s (depth_in m s) i else []
  | None => []
  end.
Definition shared_by (m : machine) (cm cn : nat) : Prop := forall x s, side_of m x = Some s ->
  peers s = 1 \/ peers s = N.of_nat (if is_a x then cn else cm).

Lemma grid_cluster_lawful stages tiles cm cn each : (0 < stages)%nat -> (0 < each)%nat ->
  cluster_lawful (block_grid stages tiles cm cn each).
Proof.
  intros S E. split; [easy|]. cbn [consumers sits_in blocks feeds block_grid]. split.
  - intros c Hc. assert (c / each < cm * cn)%nat by (apply Nat.div_lt_upper_bound; lia). split; [easy|].
    unfold in_line. rewrite Nat.eqb_refl. now apply andb_true_iff; split; [apply Nat.ltb_lt|].
  - intros p q F. apply andb_true_iff in F as [Hq _]. apply Nat.ltb_lt in Hq. exists (each * q)%nat.
    split; [nia|]. rewrite Nat.mul_comm. apply Nat.div_mul. lia.
Qed.
Lemma share_in m x s k i : faithful m -> side_of m x = Some s -> k < peers s -> In i (share s (depth_in m s) k) ->
  i < extent s * depth_in m s.
Proof.
  intros F E Hk I. destruct F as (Fs & _). specialize (Fs x s E).
  assert (S : side_faithful s (depth_in m s)) by (destruct (is_a x); apply Fs). destruct S as (_ & _ & _ & Z & P & _).
  apply in_iota. rewrite <- shares_all by easy. apply in_flat_map. exists k. split; [now apply in_iota|easy].
Qed.
Lemma in_share m x s i : faithful m -> side_of m x = Some s -> i < extent s * depth_in m s ->
  exists k, k < peers s /\ In i (share s (depth_in m s) k).
Proof.
  intros F E Hi. destruct F as (Fs & _). specialize (Fs x s E).
  assert (S : side_faithful s (depth_in m s)) by (destruct (is_a x); apply Fs). destruct S as (_ & _ & _ & Z & P & _).
  apply in_iota in Hi. rewrite <- shares_all in Hi by easy. apply in_flat_map in Hi as (k & Hk & I). exists k.
  now rewrite in_iota in Hk.
Qed.

(* The blocks of a grid that multicast what they share to their lines and columns do a lawful job. *)
Theorem grid_job_lawful {R} p stages tiles cm cn each (load : nat -> nat -> load R) sites_of into :
  let m := machine_of p in plan_lawful p = true -> shared_by m cm cn -> (0 < stages)%nat -> (0 < each)%nat ->
  job_lawful m (Job R (block_grid stages tiles cm cn each) load (copies_of_grid m cm) sites_of into).
Proof.
  intros m L Sh S E. apply lawful_faithful in L as F. split; [now apply grid_cluster_lawful|].
  cbn [ring_of copies_to consumers sits_in blocks feeds block_grid]. intros x s Es. specialize (Sh x s Es).
  unfold copies_of_grid. rewrite Es. split.
  - intros p' q i Hp I. assert (Hm : cm <> 0%nat) by (intros ->; lia).
    destruct (N.eqb_spec (peers s) 1) as [P1|P1].
    + destruct (Nat.eqb p' q); [|easy]. apply (share_in _ x s 0 i F Es); [lia|easy].
    + destruct Sh as [|Sh]; [easy|]. destruct ((if is_a x then in_line else in_column) cm p' q); [|easy].
      refine (share_in _ x s _ i F Es _ I). rewrite Sh. destruct (is_a x).
      * assert (p' / cm < cn)%nat by (apply Nat.div_lt_upper_bound; lia). lia.
      * assert (p' mod cm < cm)%nat by (apply Nat.mod_upper_bound; lia). lia.
  - intros c i Hc Hi. assert (Hm : cm <> 0%nat) by (intros ->; lia).
    assert (Hq : (c / each < cm * cn)%nat) by (apply Nat.div_lt_upper_bound; lia). set (q := (c / each)%nat) in *.
    destruct (in_share _ x s i F Es Hi) as (k & Hk & I). destruct (N.eqb_spec (peers s) 1) as [P1|P1].
    + exists q. split; [easy|]. unfold in_line. rewrite !Nat.eqb_refl. split.
      * now apply andb_true_iff; split; [apply Nat.ltb_lt|].
      * now replace k with 0 in I by lia.
    + destruct Sh as [|Sh]; [easy|]. rewrite Sh in Hk. unfold in_line, in_column. destruct (is_a x).
      * exists (q mod cm + N.to_nat k * cm)%nat. assert (q mod cm < cm)%nat by (apply Nat.mod_upper_bound; lia).
        rewrite Nat.mod_add, Nat.mod_mod, Nat.div_add, (Nat.div_small (q mod cm)), Nat.eqb_refl by easy.
        cbn [orb Nat.add]. rewrite andb_true_r, N2Nat.id. split; [nia|]. split; [now apply Nat.ltb_lt|easy].
      * exists (N.to_nat k + q / cm * cm)%nat.
        rewrite Nat.mod_add, (Nat.mod_small (N.to_nat k)), Nat.div_add, (Nat.div_small (N.to_nat k)) by lia.
        cbn [Nat.add]. rewrite Nat.eqb_refl, orb_true_r, andb_true_r, N2Nat.id.
        assert (q / cm < cn)%nat by (apply Nat.div_lt_upper_bound; lia). split; [nia|].
        split; [now apply Nat.ltb_lt|easy].
Qed.
