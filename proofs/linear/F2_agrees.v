(* Functions of layouts and of their linear maps give the same values. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export F2_layout Solve Common.
Local Open Scope N_scope.

(* Both maps take as many indices, and x, where it is one, to the same value. *)
Definition agree_at (x : N) (F G : f2_map) : Prop :=
  f2_bits F = f2_bits G /\ (x < 2 ^ f2_bits G -> f2_at F x = f2_at G x).

(* ---- The complement of a layout whose strides are powers of two or 0. ---- *)

(* Is 2^j between the stride and the end of a leaf? *)
Definition covered (l : modes) (j : N) : bool := existsb (fun m => (snd m <=? 2 ^ j) && (2 ^ j <? fst m * snd m)) l.
Lemma covered_in l j : covered l j = true <-> exists s d, In (s, d) l /\ d <= 2 ^ j < s * d.
Proof.
  unfold covered. rewrite existsb_exists. split.
  - intros ([s d] & I & C). apply andb_true_iff in C as [A B]. apply N.leb_le in A. apply N.ltb_lt in B. now exists s,
    d.
  - intros (s & d & I & A & B). exists (s, d). split; [easy|]. apply andb_true_iff. split; [now apply N.leb_le|now
    apply N.ltb_lt].
Qed.
Lemma pow2_lt i j : 2 ^ i < 2 ^ j <-> i < j.
Proof. symmetry. apply N.pow_lt_mono_r_iff. lia. Qed.
Lemma pow2_le i j : 2 ^ i <= 2 ^ j <-> i <= j.
Proof. symmetry. apply N.pow_le_mono_r_iff. lia. Qed.
Lemma steps_in l bs b : steps l = Some bs -> In b bs <-> exists k d i, In (2 ^ k, d) l /\ i < k /\ b = 2 ^ i * d.
Proof.
  revert bs. induction l as [|[s d] l IH]; intros bs Q; cbn [steps] in Q.
  { injection Q as <-. split; [easy|now intros (k & d & i & [] & _)]. }
  destruct (exact_log2 s) as [k|] eqn:K; [|discriminate]. cbn [bind] in Q. destruct (steps l) as [cs|]; [|discriminate].
  cbn [bind] in Q. injection Q as <-. apply exact_log2_some in K as ->. rewrite in_app_iff, in_map_iff, (IH cs eq_refl).
  split.
  - intros [(i & <- & I)|(k' & d' & i & I & L & ->)]; [exists k, d, i|exists k', d', i].
    + apply in_iota in I. split; [now left|easy].
    + split; [now right|easy].
  - intros (k' & d' & i & [I|I] & L & ->); [left|right; now exists k', d', i]. injection I as E <-.
    apply N.pow_inj_r in E; [|lia]. subst k'. exists i. split; [easy|now apply in_iota].
Qed.
Definition bit_strides (l : modes) : Prop := forall s d, In (s, d) l -> d = 0 \/ exists e, d = 2 ^ e.
Lemma steps_powers l bs s d : steps l = Some bs -> In (s, d) l -> exists k, s = 2 ^ k.
Proof.
  revert bs. induction l as [|[t f] l IH]; intros bs Q I; [easy|]. cbn [steps] in Q.
  destruct (exact_log2 t) as [k|] eqn:K; [|discriminate]. cbn [bind] in Q. destruct (steps l) as [cs|]; [|discriminate].
  destruct I as [I|I]; [injection I as -> ->; exists k; now apply exact_log2_some|now apply (IH cs)].
Qed.
(* Their bases that are not 0: the powers of two that moving leaves cover. *)
Lemma bases_covered l bs b : steps l = Some bs -> bit_strides l -> In b bs ->
  b = 0 \/ exists j, b = 2 ^ j /\ covered (moving l) j = true.
Proof.
  intros Q B I. apply (steps_in l bs b Q) in I as (k & d & i & I & L & ->). destruct (B _ _ I) as [->|[e ->]]; [left;
    lia|].
  right. exists (i + e). rewrite <- N.pow_add_r. split; [easy|]. apply covered_in. exists (2 ^ k), (2 ^ e).
  rewrite <- N.pow_add_r, pow2_le, pow2_lt. split; [|lia]. apply moving_in. split; [easy|].
  split; [change 1 with (2 ^ 0); apply pow2_lt; lia|now apply N.pow_nonzero].
Qed.
Lemma covered_base l bs j : steps l = Some bs -> bit_strides l -> covered (moving l) j = true -> In (2 ^ j) bs.
Proof.
  intros Q B C. apply covered_in in C as (s & d & I & L). apply moving_in in I as (I & Hs & Hd).
  destruct (B _ _ I) as [->|[e ->]]; [easy|]. destruct (steps_powers _ _ _ _ Q I) as [k ->].
  rewrite <- N.pow_add_r, pow2_le, pow2_lt in L. apply (steps_in l bs _ Q). exists k, (2 ^ e), (j - e).
  split; [easy|]. split; [lia|]. rewrite <- N.pow_add_r. f_equal. lia.
Qed.

(* The numbers from a to n - 1. *)
Definition from_to (a n : N) : list N := map (N.add a) (iota (n - a)).
Lemma from_to_in a n j : In j (from_to a n) <-> a <= j < n.
Proof.
  unfold from_to. rewrite in_map_iff. split; [intros (i & <- & I); apply in_iota in I; lia|].
  intros L. exists (j - a). split; [lia|]. apply in_iota. lia.
Qed.
Lemma from_to_app a b n : a <= b -> b <= n -> from_to a n = from_to a b ++ from_to b n.
Proof.
  intros A B. unfold from_to. replace (n - a) with (b - a + (n - b)) by lia. rewrite iota_add, map_app. f_equal.
  rewrite map_map. apply map_ext. lia.
Qed.
Lemma leaf_from_to a b : map (fun j => 2 ^ j * 2 ^ a) (iota (b - a)) = map (N.pow 2) (from_to a b).
Proof. unfold from_to. rewrite map_map. apply map_ext. intros j. rewrite <- N.pow_add_r. f_equal. lia. Qed.
Lemma filter_all {X} (p : X -> bool) l : (forall x, In x l -> p x = true) -> List.filter p l = l.
Proof. induction l as [|x l IH]; intros H; [easy|]. cbn. rewrite H, IH; [easy| |now left]. intros; apply H; now right.
  Qed.
Lemma filter_none {X} (p : X -> bool) l : (forall x, In x l -> p x = false) -> List.filter p l = [].
Proof. induction l as [|x l IH]; intros H; [easy|]. cbn. rewrite H, IH; [easy| |now left]. intros; apply H; now right.
  Qed.

(* What the gaps are made of: the powers of two that no leaf covers. *)
Lemma gaps_steps n l a : ordered_from (2 ^ a) l = true -> all_move l ->
  (forall s d, In (s, d) l -> (exists k, s = 2 ^ k) /\ exists e, d = 2 ^ e) -> top_from (2 ^ a) l <= 2 ^ n ->
  steps (gaps (ceil (2 ^ n)) (2 ^ a) l) = Some (map (N.pow 2) (List.filter (fun j => negb (covered l j)) (from_to a
    n))).
Proof.
  revert a. induction l as [|[s d] l IH]; intros a O M B T; cbn [gaps top_from] in *.
  - rewrite pow2_le in T. assert (ceil (2 ^ n) (2 ^ a) = 2 ^ (n - a)) as ->.
    { replace n with (a + (n - a)) at 1 by lia. rewrite N.pow_add_r. apply ceil_exact, N.neq_0_lt_0, N.pow_nonzero.
      lia. }
    cbn [steps]. rewrite (proj2 (exact_log2_some (2 ^ (n - a)) (n - a)) eq_refl). cbn [bind].
    rewrite filter_all by easy. now rewrite app_nil_r, leaf_from_to.
  - destruct (B s d (or_introl eq_refl)) as [[k ->] [e ->]]. cbn [ordered_from] in O. apply andb_true_iff in O as [La
    O].
    apply N.leb_le in La. rewrite pow2_le in La. apply all_move_cons in M as (Hs & _ & M). rewrite <- N.pow_add_r in *.
    assert (ordered_from (2 ^ (k + e)) l = true /\ forall s d, In (s, d) l -> 2 ^ (k + e) <= d) as [_ Behind].
    { split; [easy|]. clear - O M. revert O M. generalize (2 ^ (k + e)) as f. induction l as [|[t g] l IH]; intros f O
      M s d I;
        [easy|]. cbn [ordered_from] in O. apply andb_true_iff in O as [L O]. apply N.leb_le in L.
      apply all_move_cons in M as (Ht & Hg & M). destruct I as [I|I]; [injection I as <- <-; easy|].
      specialize (IH _ O M s d I). nia. }
    assert (k + e <= n) as Lt.
    { apply pow2_le. etransitivity; [|exact T]. clear - O M. revert O M. generalize (2 ^ (k + e)) as f.
      induction l as [|[t g] l IH]; intros f O M; cbn [top_from]; [lia|]. cbn [ordered_from] in O.
      apply andb_true_iff in O as [L O]. apply N.leb_le in L. apply all_move_cons in M as (Ht & Hg & M).
      specialize (IH _ O M). nia. }
    assert (2 ^ e / 2 ^ a = 2 ^ (e - a)) as ->.
    { replace e with (e - a + a) at 1 by lia. rewrite N.pow_add_r. apply N.div_mul, N.pow_nonzero. lia. }
    cbn [steps]. rewrite (proj2 (exact_log2_some (2 ^ (e - a)) (e - a)) eq_refl). cbn [bind].
    rewrite IH; [|easy|easy|intros; apply B; now right|easy]. cbn [bind]. f_equal. rewrite leaf_from_to.
    rewrite (from_to_app a e n), (from_to_app e (k + e) n), !filter_app, !map_app by lia.
    assert (forall j, covered ((2 ^ k, 2 ^ e) :: l) j = (e <=? j) && (j <? k + e) || covered l j) as Cv.
    { intros j. unfold covered. cbn [existsb fst snd]. rewrite <- N.pow_add_r. do 2 f_equal.
      - destruct (N.leb_spec (2 ^ e) (2 ^ j)) as [L|L], (N.leb_spec e j); rewrite ?pow2_le, ?pow2_lt in L; easy || lia.
      - destruct (N.ltb_spec (2 ^ j) (2 ^ (k + e))) as [L|L], (N.ltb_spec j (k + e)); rewrite ?pow2_le, ?pow2_lt in L;
        easy || lia. }
    f_equal; [|rewrite (filter_none _ (from_to e (k + e))); [cbn [map app]|]].
    + f_equal. symmetry. apply filter_all. intros j I. apply from_to_in in I. rewrite Cv.
      destruct (N.leb_spec e j); [lia|]. cbn. apply negb_true_iff, not_true_is_false. rewrite covered_in.
      intros (s & d & I' & L & _). specialize (Behind s d I'). assert (2 ^ (k + e) <= 2 ^ j) as X by lia.
      rewrite pow2_le in X. lia.
    + f_equal. apply filter_ext_in. intros j I. apply from_to_in in I. rewrite Cv.
      destruct (N.ltb_spec j (k + e)); [lia|]. now rewrite andb_false_r.
    + intros j I. apply from_to_in in I. rewrite Cv. destruct (N.leb_spec e j), (N.ltb_spec j (k + e)); try lia; easy.
Qed.

Lemma top_below e l M : e <= M -> (forall s d, In (s, d) l -> s * d <= M) -> top_from e l <= M.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e He H; [easy|]. cbn. apply IH; [apply H; now left|].
  intros; apply H; now right.
Qed.
Lemma filter_map {X Y} (p : Y -> bool) (f : X -> Y) l : List.filter p (map f l) = map f (List.filter (fun x => p (f
  x)) l).
Proof. induction l as [|x l IH]; [easy|]. cbn. rewrite IH. now destruct (p (f x)). Qed.
Lemma disjoint_powers l : NoDup l -> disjoint (map (N.pow 2) l) = true.
Proof.
  induction 1 as [|j l Hj _ IH]; [easy|]. cbn [map disjoint]. rewrite IH, andb_true_r. apply forallb_forall. intros c
    Hc.
  apply in_map_iff in Hc as (i & <- & Hi). apply N.eqb_eq, N.bits_inj. intros k. rewrite N.land_spec, N.bits_0,
    !N.pow2_bits_eqb.
  destruct (N.eqb_spec j k), (N.eqb_spec i k); try easy. now subst.
Qed.

Lemma units_left F n C : f2_complement F n = Some C -> (forall b, In b (bases F) -> b = 0 \/ exists j, b = 2 ^ j) ->
  bases C = map (N.pow 2) (List.filter (fun j => negb (existsb (N.eqb (2 ^ j)) (bases F))) (iota n)).
Proof.
  unfold f2_complement. destruct (_ <=? _); [|discriminate]. intros Q B. injection Q as <-. cbn [flat_map_of bases].
  rewrite filter_map. f_equal. apply filter_ext. intros j. destruct (echelon_of_spec (bases F)) as [E S].
  set (e := echelon_of (bases F)) in *. destruct (existsb _ _) eqn:X; cbn [negb].
  - apply existsb_exists in X as (b & I & Eb). apply N.eqb_eq in Eb as <-. apply N.eqb_neq.
    rewrite (proj1 (least_0 e (2 ^ j) E)); [|now apply S, within_in]. intros Z. symmetry in Z. now apply N.pow_nonzero
      in Z.
  - apply N.eqb_eq, least_same. intros r Hr. rewrite N.pow2_bits_eqb. apply N.eqb_neq. intros ->.
    pose proof (echelon_nonzero e r E Hr) as Nr. pose proof (highest_set r Nr) as Hb. apply not_true_iff_false in X.
      apply X.
    apply within_in, S in Hr. revert Hb. generalize (N.log2 r) as k. clear - Hr B. revert r Hr.
    apply (within_each (bases F) (fun v => forall k, N.testbit v k = true -> existsb (N.eqb (2 ^ k)) (bases F) = true)).
    + intros k. now rewrite N.bits_0.
    + intros u v U V k. rewrite N.lxor_spec. intros K. destruct (N.testbit u k) eqn:Tu; [now apply U|].
      destruct (N.testbit v k) eqn:Tv; [now apply V|easy].
    + intros b I k K. destruct (B b I) as [->|[j ->]]; [now rewrite N.bits_0 in K|].
      rewrite N.pow2_bits_eqb in K. apply N.eqb_eq in K as ->. apply existsb_exists. exists (2 ^ k). split;
        [easy|apply N.eqb_refl].
Qed.

Lemma complement_formed F n C : f2_complement F n = Some C -> width C = n /\ formed C = true.
Proof.
  intros QC. pose proof (proj1 (F2.complement_spec F n C 0 QC)) as W. split; [exact W|]. apply forallb_forall.
  intros b I. apply N.ltb_lt. rewrite W. apply within_in in I. now apply (F2.complement_spec F n C b QC) in I.
Qed.

(* The complement of the map is the map of the complement, for strides that are powers of two or 0. *)
Lemma maps_complement A F n C R x : shaped A = true -> strides_of_bits A = true ->
  to_f2 (unswizzled A) = Some F -> f2_complement F n = Some C -> complement A (2 ^ n) = Some R ->
  exists G, to_f2_wide (unswizzled R) n = Some G /\ agree_at x G C.
Proof.
  intros SA B Q QC QR. assert (bit_strides (leaves A)) as Bs.
  { intros s d I. unfold strides_of_bits in B. rewrite forallb_forall in B. apply B in I. cbn [snd] in I.
    apply orb_true_iff in I as [I|I]; [left; now apply N.eqb_eq|right]. destruct (exact_log2 d) as [e|] eqn:E; [|easy].
    exists e. now apply exact_log2_some. }
  unfold to_f2 in Q. cbn [unswizzled inner outer offset] in Q. destruct (steps (leaves A)) as [bs|] eqn:St;
    [|discriminate].
  cbn [bind] in Q. destruct (_ && _); [|discriminate]. assert (bases F = bs) as EF.
  { injection Q as <-. cbn [bases]. apply map_id. }
  assert (width F <= n) as Wn.
  { unfold f2_complement in QC. destruct (N.leb_spec (width F) n); [easy|discriminate]. }
  assert (least_width bs = width F) as Wb. { injection Q as <-. cbn [width]. f_equal. symmetry. apply map_id. }
  assert (0 < 2 ^ n) as Pn by now apply N.neq_0_lt_0, N.pow_nonzero.
  destruct (Complement.complement_spec A (2 ^ n) R Pn QR) as (Ne & -> & Pg).
  assert (forall s d, In (s, d) (sorted_leaves A) -> exists k e, s = 2 ^ k /\ d = 2 ^ e /\ k + e <= n) as Pw.
  { intros s d I. apply (Permutation_in _ (Permutation_sym (sort_permutation snd _))) in I.
    pose proof (proj1 (moving_in s d _) I) as (J & Hs & Hd). destruct (Bs _ _ J) as [->|[e ->]]; [easy|].
    destruct (steps_powers _ _ _ _ St J) as [k ->]. exists k, e. split; [easy|]. split; [easy|].
    change 1 with (2 ^ 0) in Hs. rewrite pow2_lt in Hs.
    assert (In (2 ^ (k + e - 1)) bs) as K.
    { apply (covered_base (leaves A)); try easy. apply covered_in. exists (2 ^ k), (2 ^ e). split; [easy|].
      rewrite <- N.pow_add_r, pow2_le, pow2_lt. lia. }
    apply (proj1 (least_width_fits bs n)) in K; [|lia]. rewrite pow2_lt in K. lia. }
  assert (bases C = map (N.pow 2) (List.filter (fun j => negb (covered (sorted_leaves A) j)) (iota n))) as EC.
  { rewrite (units_left F n C QC).
    - f_equal. apply filter_ext. intros j. f_equal. rewrite EF.
      assert (covered (sorted_leaves A) j = covered (moving (leaves A)) j) as ->.
      { apply eq_true_iff_eq. rewrite !covered_in. unfold sorted_leaves.
        split; intros (s & d & I & L); exists s, d; (split; [|easy]).
        - now apply (Permutation_in _ (Permutation_sym (sort_permutation snd _))).
        - now apply (Permutation_in _ (sort_permutation snd _)). }
      apply eq_true_iff_eq. rewrite existsb_exists. split.
      + intros (b & I & E). apply N.eqb_eq in E as <-. destruct (bases_covered _ _ _ St Bs I) as [Z|(i & E & Cv)].
        * now apply N.pow_nonzero in Z.
        * apply N.pow_inj_r in E; [|lia]. now subst.
      + intros Cv. exists (2 ^ j). split; [now apply (covered_base (leaves A))|apply N.eqb_refl].
    - rewrite EF. intros b I. destruct (bases_covered _ _ _ St Bs I) as [->|(j & -> & _)]; [now left|right; now exists
      j]. }
  assert (steps (gaps (ceil (2 ^ n)) 1 (sorted_leaves A)) = Some (bases C)) as Sg.
  { rewrite EC. change 1 with (2 ^ 0) at 1.
    rewrite (gaps_steps n (sorted_leaves A) 0).
    - do 3 f_equal. unfold from_to. rewrite N.sub_0_r. rewrite <- (map_id (iota n)) at 2. now apply map_ext.
    - now apply ordered_leaves.
    - apply all_move_sorted.
    - intros s d I. destruct (Pw s d I) as (k & e & -> & -> & _). split; [now exists k|now exists e].
    - apply top_below; [apply pow2_le; lia|]. intros s d I. destruct (Pw s d I) as (k & e & -> & -> & L).
      rewrite <- N.pow_add_r. now apply pow2_le. }
  destruct (steps_spec _ _ Sg) as (_ & Ng & Vg). set (g := gaps _ _ _) in *. destruct (merge_spec g Pg) as (Zm & Pm &
    Vm).
  assert (disjoint (bases C) = true) as D.
  { rewrite EC. apply disjoint_powers, NoDup_filter, nodup_iota. }
  destruct (linear_layout (unswizzled (unwrapped (merge g))) (f2_at C) (f2_bits C) n) as (G & QG & BG & VG); try easy.
  - cbn [unswizzled inner]. now rewrite shaped_unwrapped.
  - cbn [unswizzled inner]. now rewrite size_unwrapped, Zm.
  - intros u v. apply f2_apply_linear.
  - intros y Y. unfold apply_composed_at. cbn [unswizzled inner outer offset]. rewrite swizzled_nothing, N.add_0_l.
    rewrite apply_unwrapped, Vm, Vg by (rewrite ?Zm, ?Ng; easy). now apply sum_is_xor.
  - intros y. destruct (complement_formed F n C QC) as [<- FC].
    apply value_below; [easy|]. now exists y.
  - exists G. split; [easy|]. split; [easy|]. apply VG.
Qed.

(* ---- The right inverse of a layout that takes no value twice. ---- *)

Lemma bit_stays bs x j i : disjoint bs = true -> N.testbit x j = true -> N.testbit (nth (N.to_nat j) bs 0) i = true ->
  N.testbit (xor_of bs x) i = true.
Proof.
  revert x j. induction bs as [|b bs IH]; intros x j D X B; [now destruct (N.to_nat j); rewrite N.bits_0 in B|].
  cbn [disjoint] in D. apply andb_true_iff in D as [Db D]. rewrite forallb_forall in Db. cbn [xor_of]. rewrite
    N.lxor_spec.
  assert (forall c, In c bs -> N.testbit c i = true -> N.testbit b i = false) as Apart.
  { intros c I C. apply Db, N.eqb_eq, (f_equal (fun v => N.testbit v i)) in I. rewrite N.land_spec, C, N.bits_0 in I.
    now rewrite andb_true_r in I. }
  destruct j as [|j _] using N.peano_ind.
  - cbn [N.to_nat nth] in B. rewrite N.bit0_odd in X. rewrite X, B. rewrite no_bit; [easy|]. intros c I.
    apply not_true_is_false. intros C. now rewrite (Apart c I C) in B.
  - rewrite N2Nat.inj_succ in B. cbn [nth] in B. rewrite bit_succ in X. rewrite (IH _ j D X B).
    assert (N.testbit b i = false) as Bi.
    { apply (Apart (nth (N.to_nat j) bs 0)); [|easy]. apply nth_In. apply Nat.nle_gt. intros L.
      now rewrite nth_overflow, N.bits_0 in B. }
    now destruct (N.odd x); rewrite ?Bi, ?N.bits_0.
Qed.
(* Where no value comes twice only one base is a power of two that is a value. *)
Lemma power_is_base F x k : disjoint (bases F) = true -> NoDup (f2_table F) -> x < 2 ^ f2_bits F -> f2_at F x = 2 ^ k ->
  x = 2 ^ N.log2 x.
Proof.
  intros D Nd X E. assert (x <> 0) as Nx by (intros ->; unfold f2_at in E; rewrite xor_of_0 in E; symmetry in E;
    now apply N.pow_nonzero in E).
  set (j := N.log2 x). assert (j < f2_bits F) as L by (apply N.log2_lt_pow2; lia).
  assert (2 ^ j < 2 ^ f2_bits F) as Lj by now apply pow2_lt.
  apply (nodup_map_inverse (f2_at F) _ _ _ Nd); rewrite ?in_iota; try easy. rewrite E. symmetry.
  unfold f2_at. rewrite xor_of_unit. set (b := nth _ _ _). assert (b <> 0) as Nb.
  { intros Z. enough (2 ^ j = 0) as K by (now apply N.pow_nonzero in K).
    apply (nodup_map_inverse (f2_at F) _ _ _ Nd); rewrite ?in_iota; [easy|lia|]. unfold f2_at.
    now rewrite xor_of_unit, xor_of_0. }
  assert (forall i, N.testbit b i = true -> i = k) as Only.
  { intros i B. pose proof (bit_stays (bases F) x j i D (N.bit_log2 x Nx) B) as T. change (xor_of (bases F) x) with
    (f2_at F x) in T.
    rewrite E, N.pow2_bits_eqb in T. now apply N.eqb_eq in T. }
  apply N.bits_inj. intros i. rewrite N.pow2_bits_eqb. pose proof (Only _ (highest_set b Nb)) as H.
  destruct (N.eqb_spec k i) as [<-|Ne]; [rewrite <- H; now apply highest_set|].
  apply not_true_is_false. intros B. now apply Ne, eq_sym, Only.
Qed.

(* The right inverse of the map is the map of the right inverse, for natural strides. *)
Lemma maps_right_inverse A B F y : shaped A = true -> to_natural A = Some B ->
  to_f2 (unswizzled B) = Some F -> NoDup (f2_table F) ->
  exists G, to_f2_wide (unswizzled (right_inverse A)) (f2_bits F) = Some G /\ agree_at y G (f2_right_inverse F).
Proof.
  intros S E Q Nd. destruct (natural_spec A B E) as [Sh V]. set (R := right_inverse A). set (I := f2_right_inverse F).
  destruct (to_f2_formed _ _ Q) as [Fm _].
  assert (size B = size A) as Zb by (now rewrite <- !tsize_shape, Sh).
  assert (shaped B = true) as SB by (now rewrite <- tpositive_shape, Sh, tpositive_shape).
  assert (disjoint (bases F) = true) as D.
  { clear - Q. unfold to_f2 in Q. destruct (steps _) as [bs|]; [|discriminate]. cbn [bind] in Q.
    destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [_ C]. injection Q as <-. cbn [bases outer
      unswizzled].
    rewrite <- C. f_equal. apply map_id. }
  destruct (to_f2_agrees _ _ 0 Q (size_positive B SB)) as (_ & Eb & _). cbn [unswizzled inner] in Eb.
  assert (forall x, x < size A -> apply A x = Z.of_N (f2_at F x)) as W.
  { intros x X. rewrite V. f_equal. rewrite <- Zb in X. destruct (to_f2_agrees _ _ x Q X) as (_ & _ & ->).
    unfold apply_composed_at. cbn [unswizzled outer offset inner]. now rewrite swizzled_nothing, N.add_0_l. }
  assert (forall y, y < 2 ^ f2_bits I -> f2_at F (f2_at I y) = y /\ f2_at I y < 2 ^ f2_bits F) as Inv.
  { intros z Z. split; [apply (f2_right_inverse_least F 0 z Z); now apply N.neq_0_lt_0, N.pow_nonzero|].
    unfold I, f2_right_inverse in *. rewrite bits_near in Z. rewrite indices_near_at by easy. apply nearest. }
  assert (size R <= 2 ^ f2_bits I) as Le.
  { apply N.nlt_ge. intros L. destruct (right_inverse_pointwise A _ S L) as [P X]. rewrite W in P by easy.
    apply N2Z.inj in P. destruct (f2_right_inverse_maximal F 0 Fm) as [_ N_]. apply N_. fold I. rewrite f2_table_in.
    rewrite <- P. now eexists. }
  assert (disjoint (bases I) = true) as DI.
  { assert (bases I = map (N.pow 2) (map (fun k => N.log2 (f2_at I (2 ^ k))) (iota (f2_bits I)))) as ->.
    { rewrite map_map. transitivity (map (fun k => f2_at I (2 ^ k)) (iota (f2_bits I))).
      - unfold f2_at, f2_bits, iota, count. rewrite map_map, Nat2N.id. apply (nth_ext _ _ 0 0);
          [now rewrite map_length, seq_length|]. intros k K. rewrite (nth_indep (map _ _) 0 (xor_of (bases I) (2 ^
            N.of_nat 0)))
          by (now rewrite map_length, seq_length). rewrite (map_nth (fun k => xor_of (bases I) (2 ^ N.of_nat k))).
        rewrite seq_nth by easy. now rewrite xor_of_unit, Nat2N.id.
      - apply map_ext_in. intros k K. apply in_iota in K. apply pow2_lt, Inv in K as [P X]. now apply (power_is_base F
        _ k). }
    apply disjoint_powers, nodup_map_in; [|apply nodup_iota]. intros i j Hi Hj Ee. rewrite in_iota in *.
    apply pow2_lt, Inv in Hi as [Pi Xi]. apply pow2_lt, Inv in Hj as [Pj Xj].
    pose proof (power_is_base F _ i D Nd Xi Pi) as Bi. pose proof (power_is_base F _ j D Nd Xj Pj) as Bj.
    rewrite <- Ee, <- Bi in Bj. rewrite Bj, Pi in Pj. apply N.pow_inj_r in Pj; [easy|lia]. }
  pose proof (steps_runs (bases I)) as Sr. destruct (steps_spec _ _ Sr) as (Pr & Nr & Vr).
  assert (size R = 2 ^ f2_bits I) as Ze.
  { apply N.le_antisymm; [easy|]. change (count (bases I)) with (f2_bits I) in Nr. rewrite <- Nr, <- size_unwrapped.
    apply right_inverse_maximal; [easy|now rewrite shaped_unwrapped|]. apply inverts_spec. split; [easy|]. intros i Hi.
    rewrite size_unwrapped in Hi. rewrite apply_unwrapped, Vr, sum_is_xor by easy. rewrite Nr in Hi.
    change (xor_of (bases I) i) with (f2_at I i). destruct (Inv i Hi) as [P X]. rewrite W by (rewrite <- Zb, Eb; easy).
    split; [now rewrite <- Zb, Eb|now rewrite P]. }
  destruct (linear_layout (unswizzled R) (f2_at I) (f2_bits I) (f2_bits F)) as (G & QG & BG & VG); try easy.
  - cbn [unswizzled inner]. now apply shaped_right_inverse.
  - intros u v. apply f2_apply_linear.
  - intros x X. unfold apply_composed_at. cbn [unswizzled inner outer offset]. rewrite swizzled_nothing, N.add_0_l.
    destruct (Inv x X) as [P L]. rewrite <- Ze in X. destruct (right_inverse_pointwise A x S X) as [P' L'].
    fold R in P', L'. rewrite W in P' by easy. apply N2Z.inj in P'.
    apply (nodup_map_inverse (f2_at F) _ _ _ Nd); rewrite ?in_iota; [now rewrite <- Eb, Zb|easy|congruence].
  - intros x. assert (forall v, within (bases I) v -> v < 2 ^ f2_bits F) as Wi.
    { intros v Hv. apply within_value in Hv as (u & U & <-). now apply Inv. }
    apply Wi. now exists x.
  - exists G. split; [easy|]. split; [easy|]. apply VG.
Qed.

(* ---- The product with a compact layout. ---- *)

Lemma tight_gaps rest e l i : 0 < e -> positive l = true -> tight_from e l = true ->
  let t := e * numel l in value_in (gaps rest e l) i = value_in [(rest t, t)] i /\ numel (gaps rest e l) = rest t.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e He P T; cbn zeta; cbn [gaps numel tight_from] in *.
  { now rewrite !N.mul_1_r. }
  apply positive_cons in P as [Hs P]. apply andb_true_iff in T as [E T]. apply N.eqb_eq in E as ->.
  rewrite N.div_same by lia. destruct (IH (s * e) ltac:(nia) P T) as [V Z]. cbn zeta in V, Z.
  replace (e * (s * numel l)) with (s * e * numel l) by lia. rewrite N.mul_1_l, Z. split; [|easy]. rewrite <- V.
  cbn [value_in]. now rewrite N.mod_1_r, N.div_1_r, times_0, plus_zero.
Qed.
(* The complement of a compact layout counts its copies. *)
Lemma compact_complement A M C i : 0 < M -> shaped A = true -> compact_layout A -> complement A M = Some C -> i < size
  C ->
  apply C i = size A * i.
Proof.
  intros HM S K Q L. destruct (Complement.complement_spec A M C HM Q) as (_ & -> & P).
  destruct (compact_sorted A S K) as [Es T]. pose proof (compact_size A S K) as Z. rewrite <- numel_strides,
    strides_sorted in Z.
  destruct (merge_spec _ P) as (Zm & Pm & Vm). rewrite size_unwrapped, Zm in L. rewrite apply_unwrapped, Vm by
    (rewrite ?Zm; easy).
  assert (positive (sorted_leaves A) = true) as Ps.
  { rewrite Es. apply (positive_permutation _ _ (sort_permutation snd _)), wide_positive. }
  destruct (tight_gaps (ceil M) 1 (sorted_leaves A) i ltac:(lia) Ps T) as [V N_]. cbn zeta in V, N_.
  rewrite Z, N.mul_1_l in V, N_. rewrite N_ in L. rewrite V. cbn [value_in]. rewrite N.mod_small by easy. simpl. lia.
Qed.
(* The map of a compact layout has as many bits as its size. *)
Lemma compact_width A F : shaped A = true -> compact_layout A -> to_f2 (unswizzled A) = Some F -> size A = 2 ^ width F.
Proof.
  intros S K Q. destruct (to_f2_formed _ _ Q) as [Fm W]. destruct (to_f2_agrees _ _ 0 Q (size_positive A S)) as (_ & Z
    & _).
  cbn [unswizzled inner] in Z. assert (forall x, x < size A -> f2_at F x = apply A x) as V.
  { intros x X. destruct (to_f2_agrees _ _ x Q X) as (_ & _ & ->). unfold apply_composed_at.
    cbn [unswizzled inner outer offset]. now rewrite swizzled_nothing, N.add_0_l. }
  apply N.le_antisymm.
  - rewrite Z. apply pow2_le, N.nlt_ge. intros L. apply pow2_lt in L. rewrite <- Z in L. apply in_iota in L.
    apply (Permutation_in _ (Permutation_sym K)) in L. rewrite image_leaves in L by easy.
    apply in_map_iff in L as (x & E & X). apply in_iota in X. rewrite <- V in E by easy.
    pose proof (value_below F _ Fm (ex_intro _ x E)). lia.
  - rewrite Z. apply pow2_le. rewrite W. apply least_width_fits. intros b B.
    apply within_in, within_value in B as (x & X & <-). rewrite <- Z in *. rewrite V by easy. now apply compact_below.
Qed.

(* The product of the maps is the map of the product, for compact A. *)
Theorem f2_product_agrees A B F G P x : shaped A = true -> compact_layout A -> shaped B = true ->
  to_f2 (unswizzled A) = Some F -> to_f2 (unswizzled B) = Some G -> logical_product A B = Some P ->
  exists H, to_f2_wide (unswizzled P) (width F + width G) = Some H /\ agree_at x H (f2_product F G).
Proof.
  intros SA K SB QF QG QP. destruct (product_parts A B P QP) as (C & R & EC & ER & ->).
  destruct (room_enough A B C SA EC) as [(M & HM & QC) Rm]. destruct (composition_sound C B R SB ER) as (Cm & SR & _).
  assert (size R = size B) as ZR by (apply compatible_size in Cm; now rewrite !tsize_shape in Cm).
  destruct (to_f2_agrees _ _ 0 QF (size_positive A SA)) as (_ & ZA & _).
  destruct (to_f2_agrees _ _ 0 QG (size_positive B SB)) as (_ & ZB & _). cbn [unswizzled inner] in ZA, ZB.
  destruct (to_f2_formed _ _ QF) as [FF _]. destruct (to_f2_formed _ _ QG) as [FG _].
  assert (forall D H y, to_f2 (unswizzled D) = Some H -> y < size D -> apply D y = f2_at H y) as V.
  { intros D H y Q Y. destruct (to_f2_agrees _ _ y Q Y) as (_ & _ & ->). unfold apply_composed_at.
    cbn [unswizzled inner outer offset]. now rewrite swizzled_nothing, N.add_0_l. }
  assert (f2_bits (f2_product F G) = f2_bits F + f2_bits G) as Zb.
  { unfold f2_bits, f2_product. cbn [bases]. unfold count. rewrite app_length, map_length. lia. }
  assert (formed (f2_product F G) = true) as FP.
  { apply forallb_forall. intros b I. apply N.ltb_lt. cbn [f2_product width bases] in *. apply in_app_iff in I as [I|I].
    - apply within_in, (value_below F b FF) in I. apply N.lt_le_trans with (1 := I). apply pow2_le. lia.
    - apply in_map_iff in I as (c & <- & I). apply within_in, (value_below G c FG) in I.
      rewrite N.shiftl_mul_pow2, N.pow_add_r, N.mul_comm. apply N.mul_lt_mono_pos_l; [|easy].
      now apply N.neq_0_lt_0, N.pow_nonzero. }
  destruct (linear_layout (unswizzled (Node [A; R])) (f2_at (f2_product F G)) (f2_bits (f2_product F G))
    (width F + width G)) as (H & QH & BH & VH); try easy.
  - cbn [unswizzled inner]. apply shaped_node. auto.
  - cbn [unswizzled inner]. rewrite Zb, N.pow_add_r, <- ZA, <- ZB, <- ZR. cbn. lia.
  - intros u v. apply f2_apply_linear.
  - intros y Y. unfold apply_composed_at. cbn [unswizzled inner outer offset]. rewrite swizzled_nothing, N.add_0_l,
    apply_cons.
    rewrite Zb, N.pow_add_r, <- ZA, <- ZB in Y. pose proof (size_positive A SA) as PA.
    destruct (split_index (size A) y PA) as [E L]. assert (y / size A < size B) as Lq by now apply div_below.
    rewrite E at 3. rewrite ZA at 4. rewrite f2_product_pointwise by (rewrite <- ?ZA; easy).
    rewrite (V A F) by easy. f_equal. change (apply (Node [R]) (y / size A)) with (apply R (y / size A)).
    rewrite (composition_pointwise C B R) by easy. rewrite (compact_complement A M C) by (try easy;
      pose proof (value_bounded (leaves B) (y / size A) SB); rewrite apply_inside by easy; unfold cosize in Rm; lia).
    rewrite (V B G) by easy. now rewrite (compact_width A F) by easy.
  - intros y. apply (value_below (f2_product F G)); [easy|]. now exists y.
  - exists H. split; [easy|]. split; [easy|]. apply VH.
Qed.

(* ---- Division by a tile whose strides are powers of two or 0. ---- *)

Lemma disjoint_app a b : disjoint a = true -> disjoint b = true ->
  (forall x y, In x a -> In y b -> N.land x y = 0) -> disjoint (a ++ b) = true.
Proof.
  induction a as [|x a IH]; intros A B H; [easy|]. cbn [app disjoint] in *. apply andb_true_iff in A as [Ax A].
  rewrite IH, forallb_app, Ax, andb_true_r; [|easy|easy|intros; apply H; [now right|easy]]. cbn.
  apply forallb_forall. intros y I. apply N.eqb_eq, H; [now left|easy].
Qed.

(* The division of the maps is the map of the division, where the tile divides. *)
Lemma maps_divide c T F G D L x : to_f2 c = Some F -> to_f2 (unswizzled T) = Some G -> valid (outer c) ->
  shaped T = true -> strides_of_bits T = true -> f2_divide F G = Some D -> divide_exactly (inner c) T = Some L ->
  exists H, to_f2_wide (Composed (outer c) (offset c) L) (width F) = Some H /\ agree_at x H D.
Proof.
  intros QF QG V ST B QD QL. assert (shaped (inner c) = true) as SA.
  { unfold to_f2 in QF. destruct (steps _) as [bs|] eqn:St; [|discriminate]. now apply steps_spec in St. }
  destruct (to_f2_agrees _ _ 0 QF (size_positive _ SA)) as (_ & ZA & _).
  destruct (to_f2_agrees _ _ 0 QG (size_positive _ ST)) as (_ & ZT & _). cbn [unswizzled inner] in ZT.
  destruct (to_f2_formed _ _ QF) as [FF _]. destruct (to_f2_formed _ _ QG) as [FG WG].
  destruct (divided_node _ _ _ SA ST QL) as (C & QC & SN & QN). set (m := f2_bits F) in *.
  destruct (f2_compose F G) as [E|] eqn:QE; [|unfold f2_divide in QD; now rewrite QE in QD].
  destruct (f2_divide_definition F G E QE) as (K & R & QR & QK & QD'). fold m in QK. rewrite QD in QD'. injection QD'
    as ->.
  pose proof (proj1 (f2_compose_exists F G) (ex_intro _ _ QE)) as Inside. fold m in Inside.
  assert (f2_complement G m = Some K) as QK'.
  { unfold f2_complement in *. cbn [width bases] in QK. rewrite N.leb_refl in QK. rewrite <- QK.
    assert (width G <=? m = true) as ->; [|easy]. apply N.leb_le. rewrite WG. apply least_width_fits. intros b I.
    apply Inside, f2_table_in. now apply within_in. }
  rewrite ZA in QC. pose proof (fun y => maps_complement T G m K C y ST B QG QK' QC) as Ag.
  destruct (Ag 0) as (J & QJ & ZJ & _). assert (shaped C = true) as SC.
  { apply shaped_node in SN. inversion SN as [|? ? _ SN']. now inversion SN'. }
  assert (forall D H y, to_f2 (unswizzled D) = Some H -> y < size D -> apply D y = f2_at H y) as Val.
  { intros Z H y Q Y. destruct (to_f2_agrees _ _ y Q Y) as (_ & _ & ->). unfold apply_composed_at.
    cbn [unswizzled inner outer offset]. now rewrite swizzled_nothing, N.add_0_l. }
  assert (size C = 2 ^ f2_bits K /\ forall y, y < size C -> apply C y = f2_at K y) as [ZC VC].
  { unfold to_f2_wide in QJ. destruct (to_f2 (unswizzled C)) as [J'|] eqn:QJ'; [|discriminate]. cbn [bind] in QJ.
    destruct (_ <=? _) eqn:Wj; [|discriminate]. injection QJ as <-.
    destruct (to_f2_agrees _ _ 0 QJ' (size_positive _ SC)) as (_ & Z & _). cbn [unswizzled inner] in Z.
    change (f2_bits (Linear m (form J') (bases J'))) with (f2_bits J') in ZJ. split; [now rewrite Z, ZJ|]. intros y Y.
    rewrite (Val C J') by easy. destruct (Ag y) as (J2 & QJ2 & _ & VJ). unfold to_f2_wide in QJ2. rewrite QJ' in QJ2.
    cbn [bind] in QJ2. rewrite Wj in QJ2. injection QJ2 as <-. rewrite Z, ZJ in Y. now apply VJ. }
  set (all := bases G ++ bases K). assert (bases E = map (f2_at F) (bases G) /\ bases R = map (f2_at F) (bases K)) as
    [-> ->].
  { unfold f2_compose in QE, QR. destruct (forallb _ (bases G)); [|discriminate]. destruct (forallb _ (bases K));
    [|discriminate].
    injection QE as <-. injection QR as <-. easy. }
  rewrite <- map_app in *. fold all. set (D := Linear _ _ _).
  assert (forall b, In b (bases G) -> b = 0 \/ exists j, b = 2 ^ j) as Bg.
  { intros b I. unfold to_f2 in QG. cbn [unswizzled inner outer offset] in QG.
    destruct (steps (leaves T)) as [bs|] eqn:St; [|discriminate]. cbn [bind] in QG. destruct (_ && _); [|discriminate].
    injection QG as <-. cbn [bases] in I. apply in_map_iff in I as (d & <- & I). rewrite swizzled_nothing.
    destruct (bases_covered (leaves T) bs d St) as [->|(j & -> & _)]; [|easy|now left|right; now exists j].
    intros s e Ie. unfold strides_of_bits in B. rewrite forallb_forall in B. apply B in Ie. cbn [snd] in Ie.
    apply orb_true_iff in Ie as [Ie|Ie]; [left; now apply N.eqb_eq|right]. destruct (exact_log2 e) as [i|] eqn:Ei;
      [|easy].
    exists i. now apply exact_log2_some. }
  pose proof (units_left G m K QK' Bg) as EK.
  assert (disjoint (bases G) = true /\ disjoint (bases K) = true) as [DG DK].
  { split; [|rewrite EK; apply disjoint_powers, NoDup_filter, nodup_iota]. clear - QG. unfold to_f2 in QG.
    destruct (steps _) as [bs|]; [|discriminate]. cbn [bind] in QG. destruct (_ && _) eqn:X; [|discriminate].
    apply andb_true_iff in X as [_ X]. injection QG as <-. cbn [bases outer unswizzled]. rewrite <- X. f_equal. apply
      map_id. }
  assert (disjoint all = true) as DA.
  { apply disjoint_app; [easy|easy|]. intros u v Iu Iv. rewrite EK in Iv. apply in_map_iff in Iv as (i & <- & I).
    apply filter_In in I as [_ I]. destruct (Bg u Iu) as [->|[j ->]]; [easy|]. apply N.bits_inj. intros k.
    rewrite N.land_spec, N.bits_0, !N.pow2_bits_eqb. destruct (N.eqb_spec j k) as [->|], (N.eqb_spec i k) as [->|];
      try easy.
    apply negb_true_iff, not_true_iff_false in I. exfalso. apply I. apply existsb_exists. exists (2 ^ k).
    split; [easy|apply N.eqb_refl]. }
  assert (f2_bits D = f2_bits G + f2_bits K) as ZD.
  { unfold f2_bits, D. cbn [bases]. rewrite count_map. unfold all, count. rewrite app_length. lia. }
  assert (forall y, f2_at D y = f2_at F (xor_of all y)) as VD.
  { intros y. unfold f2_at at 1. cbn [D bases]. apply xor_of_image. intros u v. apply f2_apply_linear. }
  assert (forall y, y < 2 ^ f2_bits D -> apply (Node [T; C]) y = xor_of all y /\ xor_of all y < 2 ^ m) as VN.
  { intros y Y. split.
    - rewrite ZD, N.pow_add_r, <- ZT, <- ZC in Y. pose proof (size_positive T ST) as PT.
      destruct (split_index (size T) y PT) as [Ey Ly]. assert (y / size T < size C) as Lq by now apply div_below.
      rewrite apply_cons. change (apply (Node [C]) (y / size T)) with (apply C (y / size T)).
      rewrite ZT in Ly. pose proof (sum_of_app (bases G) (bases K) _ (y / size T) Ly) as Sm.
      change (2 ^ count (bases G)) with (2 ^ f2_bits G) in Sm. rewrite <- ZT in Ly, Sm. rewrite <- Ey in Sm.
      rewrite (Val T G), VC, <- sum_is_xor by easy. unfold all. now rewrite Sm, !sum_is_xor.
    - assert (forall v, within all v -> v < 2 ^ m) as W; [|apply W; now exists y].
      apply within_each; [now apply N.neq_0_lt_0, N.pow_nonzero|intros; now apply lxor_below|]. intros b I.
      apply in_app_iff in I as [I|I]; [apply Inside, f2_table_in; now apply within_in|].
      rewrite EK in I. apply in_map_iff in I as (i & <- & I). apply filter_In in I as [I _]. apply in_iota in I. now
        apply pow2_lt. }
  destruct (composition_sound _ _ _ SN QN) as (Cm & SL & _).
  assert (size L = size (Node [T; C])) as ZL by (apply compatible_size in Cm; now rewrite !tsize_shape in Cm).
  assert (size (Node [T; C]) = 2 ^ f2_bits D) as ZN by (rewrite ZD, N.pow_add_r, <- ZT, <- ZC; cbn; lia).
  destruct (linear_layout (Composed (outer c) (offset c) L) (f2_at D) (f2_bits D) (width F)) as (H & QH & BH & VH);
    try easy.
  - cbn [inner]. now rewrite ZL.
  - intros u v. apply f2_apply_linear.
  - intros y Y. destruct (VN y Y) as [VN1 VN2]. unfold apply_composed_at. cbn [outer offset inner].
    rewrite (composition_pointwise _ _ _ y QN) by (now rewrite ZN). rewrite VN1, VD. rewrite <- ZA in VN2.
    now destruct (to_f2_agrees _ _ _ QF VN2) as (_ & _ & ->).
  - intros y. rewrite VD. apply value_below; [easy|]. now exists (xor_of all y).
  - exists H. split; [easy|]. split; [easy|]. apply VH.
Qed.
