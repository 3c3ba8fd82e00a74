(* Between layouts and linear maps over F2: which layouts are linear, and which maps are those of layouts. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export F2.
Local Open Scope N_scope.

(* What a layout adds for each bit of an index; nothing where an extent is no power of two. *)
Fixpoint steps (l : list (N * N)) : option (list N) :=
  match l with
  | [] => Some []
  | (s, d) :: l => k <- exact_log2 s; bs <- steps l; Some (map (fun j => 2 ^ j * d) (iota k) ++ bs)
  end.
Definition powers (A : layout N) : bool :=
  forallb (fun m => match exact_log2 (fst m) with Some _ => true | None => false end) (leaves A).
Fixpoint sum_of (bs : list N) (x : N) : N :=
  match bs with
  | [] => 0
  | b :: bs => (if N.odd x then b else 0) + sum_of bs (N.div2 x)
  end.
(* No two have a bit in common. *)
Fixpoint disjoint (bs : list N) : bool :=
  match bs with
  | [] => true
  | b :: bs => forallb (fun c => N.land b c =? 0) bs && disjoint bs
  end.
Definition least_width (bs : list N) : N := fold_right N.max 0 (map N.size bs).

(* The map with a swizzled layout's values at its coordinates; with values of n bits. *)
Definition to_f2 (c : composed) : option f2_map :=
  bs <- steps (leaves (inner c));
  let out := map (swizzled (outer c)) bs in
  if (offset c =? 0) && disjoint bs then Some (Linear (least_width out) (shape (inner c)) out) else None.
Definition to_f2_wide (c : composed) (n : N) : option f2_map :=
  F <- to_f2 c; if width F <=? n then Some (Linear n (form F) (bases F)) else None.
Definition to_f2_of_swizzle (w : swizzle) (n : N) : option f2_map :=
  let out := map (fun k => swizzled w (2 ^ k)) (iota n) in
  if least_width out <=? n then Some (flat_map_of n out) else None.

Lemma sum_of_app a b x y : x < 2 ^ count a -> sum_of (a ++ b) (x + 2 ^ count a * y) = sum_of a x + sum_of b y.
Proof.
  revert x. induction a as [|c a IH]; intros x L; cbn [app sum_of].
  { change (2 ^ count []) with 1 in *. rewrite N.add_0_l. f_equal. lia. }
  rewrite count_cons, N.pow_succ_r' in *. replace (x + 2 * 2 ^ count a * y) with (x + 2 * (2 ^ count a * y)) by lia.
  rewrite <- N.add_assoc, <- IH by (pose proof (N.div2_odd x); destruct (N.odd x); simpl in *; lia).
  rewrite N.odd_add_mul_2. do 2 f_equal. rewrite !N.div2_div, (N.mul_comm 2), N.div_add by lia. lia.
Qed.
Lemma sum_of_leaf k d x : x < 2 ^ k -> sum_of (map (fun j => 2 ^ j * d) (iota k)) x = x * d.
Proof.
  enough (forall n a y, y < 2 ^ N.of_nat n -> sum_of (map (fun j => 2 ^ j * d) (map N.of_nat (seq a n))) y =
    y * (2 ^ N.of_nat a * d)) as K.
  { intros L. unfold iota. rewrite K by now rewrite N2Nat.id. simpl. now rewrite N.mul_1_l. }
  clear x. induction n as [|n IH]; intros a x L.
  { change (2 ^ N.of_nat 0) with 1 in L. replace x with 0 by lia. easy. }
  rewrite Nat2N.inj_succ in L. apply div2_below in L as Ld. cbn [seq map sum_of]. rewrite IH by easy.
  rewrite Nat2N.inj_succ, N.pow_succ_r'. pose proof (N.div2_odd x) as E. clear - E. set (h := N.div2 x) in *.
  clearbody h. destruct (N.odd x); rewrite E; cbn [N.b2n]; ring.
Qed.
Lemma sum_of_0 bs : sum_of bs 0 = 0.
Proof. induction bs as [|b bs IH]; [easy|]. simpl. now rewrite IH. Qed.
Lemma sum_of_unit bs k : sum_of bs (2 ^ k) = nth (N.to_nat k) bs 0.
Proof.
  revert k. induction bs as [|b bs IH]; intros k; cbn [sum_of]; [now destruct (N.to_nat k)|].
  destruct k as [|k _] using N.peano_ind; [simpl; rewrite sum_of_0; lia|].
  rewrite N.pow_succ_r', N2Nat.inj_succ, N.odd_mul, N.div2_double, IH. apply N.add_0_l.
Qed.

Lemma exact_log2_some s k : exact_log2 s = Some k <-> s = 2 ^ k.
Proof.
  unfold exact_log2. split.
  - destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [_ C]. apply N.eqb_eq in C. intros Q.
    injection Q as <-. now symmetry.
  - intros ->. assert (0 < 2 ^ k) as P by now apply N.neq_0_lt_0, N.pow_nonzero. rewrite N.log2_pow2, N.eqb_refl by lia.
    apply N.ltb_lt in P. now rewrite P.
Qed.
Lemma steps_spec l bs : steps l = Some bs ->
  positive l = true /\ numel l = 2 ^ count bs /\ forall x, x < numel l -> value_in l x = sum_of bs x.
Proof.
  revert bs. induction l as [|[s d] l IH]; intros bs Q; cbn [steps] in Q; [injection Q as <-; easy|].
  destruct (exact_log2 s) as [k|] eqn:K; [|discriminate]. cbn [bind] in Q.
  destruct (steps l) as [cs|]; [|discriminate]. cbn [bind] in Q. injection Q as <-. apply exact_log2_some in K as ->.
  destruct (IH cs eq_refl) as (P & Nu & V). assert (0 < 2 ^ k) as Pk by now apply N.neq_0_lt_0, N.pow_nonzero.
  assert (count (map (fun j => 2 ^ j * d) (iota k)) = k) as C by (rewrite count_map; unfold count; rewrite
    length_iota; lia).
  split; [now apply positive_cons|]. cbn [numel]. split.
  - rewrite Nu, <- N.pow_add_r. f_equal. unfold count in *. rewrite app_length. lia.
  - intros x L. destruct (split_index (2 ^ k) x Pk) as [E M]. set (low := map _ _) in *.
    transitivity (sum_of (low ++ cs) (x mod 2 ^ k + 2 ^ count low * (x / 2 ^ k))); [|rewrite C; now rewrite <- E].
    rewrite sum_of_app by (now rewrite C). unfold low. rewrite sum_of_leaf by easy. cbn [value_in]. simpl. f_equal.
    apply V. now apply div_below.
Qed.
Lemma steps_exist A : powers A = true <-> exists bs, steps (leaves A) = Some bs.
Proof.
  unfold powers. generalize (leaves A) as ls. induction ls as [|[s d] l IH]; [split; [now exists []|easy]|].
  cbn [forallb steps fst].
  destruct (exact_log2 s) as [k|]; cbn [andb bind]; [|split; [discriminate|intros []; discriminate]].
  rewrite IH. split; intros [bs Q]; [rewrite Q; cbn [bind]; eauto|]. destruct (steps l); [eauto|discriminate].
Qed.

Lemma land_0_lxor a u v : N.land a u = 0 -> N.land a v = 0 -> N.land a (N.lxor u v) = 0.
Proof.
  intros U V. apply N.bits_inj. intros k. apply (f_equal (fun x => N.testbit x k)) in U, V. revert U V.
  rewrite !N.land_spec, N.lxor_spec, N.bits_0. now destruct (N.testbit a k), (N.testbit u k), (N.testbit v k).
Qed.
(* A sum of numbers that have no bit in common is their exclusive or, *)
Lemma sum_is_xor bs x : disjoint bs = true -> sum_of bs x = xor_of bs x.
Proof.
  revert x. induction bs as [|b bs IH]; intros x D; [easy|]. cbn [disjoint] in D. apply andb_true_iff in D as [B D].
  cbn [sum_of xor_of]. rewrite IH by easy. apply N.add_nocarry_lxor. destruct (N.odd x); [|easy].
  apply (within_each bs (fun v => N.land b v = 0)); [now rewrite N.land_0_r|apply land_0_lxor| |now exists (N.div2 x)].
  intros r Hr. rewrite forallb_forall in B. now apply N.eqb_eq, B.
Qed.
(* and only then. *)
Lemma sum_carries a b : a + b = N.lxor a b + 2 * N.land a b.
Proof.
  assert (forall u v, u = N.ldiff u v + N.land u v) as S.
  { intros u v. rewrite N.add_nocarry_lxor; apply N.bits_inj; intros k; rewrite ?N.land_spec, ?N.lxor_spec,
    ?N.land_spec,
      ?N.ldiff_spec, ?N.bits_0; now destruct (N.testbit u k), (N.testbit v k). }
  assert (N.lxor a b = N.ldiff a b + N.ldiff b a) as ->.
  { rewrite N.add_nocarry_lxor; apply N.bits_inj; intros k; rewrite ?N.land_spec, ?N.lxor_spec, ?N.ldiff_spec,
    ?N.bits_0;
      now destruct (N.testbit a k), (N.testbit b k). }
  pose proof (S a b). pose proof (S b a) as Sb. rewrite (N.land_comm b a) in Sb. lia.
Qed.
Lemma xor_is_sum bs : (forall x, x < 2 ^ count bs -> sum_of bs x = xor_of bs x) -> disjoint bs = true.
Proof.
  induction bs as [|b bs IH]; intros H; [easy|]. cbn [disjoint]. rewrite count_cons, N.pow_succ_r' in H.
  apply andb_true_iff. split.
  - apply forallb_forall. intros c Hc. apply (In_nth _ _ 0) in Hc as (k & L & <-). apply N.eqb_eq.
    assert (2 ^ N.of_nat k < 2 ^ count bs) as Lk by (apply N.pow_lt_mono_r; unfold count; lia).
    specialize (H (1 + 2 * 2 ^ N.of_nat k) ltac:(lia)). cbn [sum_of xor_of] in H. rewrite N.odd_add_mul_2 in H.
    assert (N.div2 (1 + 2 * 2 ^ N.of_nat k) = 2 ^ N.of_nat k) as D.
    { rewrite N.div2_div, N.mul_comm, N.div_add by lia. easy. }
    rewrite D, sum_of_unit, xor_of_unit, Nat2N.id in H. change (N.odd 1) with true in H. cbv iota in H.
    pose proof (sum_carries b (nth k bs 0)). lia.
  - apply IH. intros x L. specialize (H (2 * x) ltac:(lia)). cbn [sum_of xor_of] in H.
    rewrite N.odd_mul, N.div2_double in H. change (N.odd 2) with false in H. cbn [andb] in H.
    now rewrite N.lxor_0_l, N.add_0_l in H.
Qed.

Lemma swizzled_0 w : swizzled w 0 = 0.
Proof. apply additive_0. intros x y. apply apply_swizzle_linear. Qed.
Lemma steps_at A bs x : steps (leaves A) = Some bs -> x < size A -> apply A x = sum_of bs x /\ size A = 2 ^ count bs.
Proof.
  intros S L. rewrite size_product in *. destruct (steps_spec _ _ S) as (P & Nu & V).
  rewrite apply_inside by (unfold shaped; rewrite ?size_product; easy). split; [now apply V|easy].
Qed.

(* The map has the values of the layout at its coordinates, and its shape. *)
Theorem to_f2_agrees c F x : to_f2 c = Some F -> x < size (inner c) ->
  form F = shape (inner c) /\ size (inner c) = 2 ^ f2_bits F /\ f2_at F x = apply_composed_at c x.
Proof.
  unfold to_f2. destruct (steps _) as [bs|] eqn:S; [|discriminate]. cbn [bind].
  destruct (_ && _) eqn:C; [|discriminate].
  intros Q L. injection Q as <-. apply andb_true_iff in C as [O D]. apply N.eqb_eq in O.
  destruct (steps_at _ _ _ S L) as [V E]. unfold f2_at, f2_bits, apply_composed_at. cbn [bases form].
  rewrite count_map, O, V.
  split; [easy|]. split; [easy|]. rewrite xor_of_image by (intros u v; apply apply_swizzle_linear).
  now rewrite <- sum_is_xor by easy.
Qed.

(* It exists exactly when extents are powers of two and each value is the exclusive or of those at the bits of the
  index. *)
Lemma composed_linear c : valid (outer c) -> shaped (inner c) = true -> (exists F, to_f2 c = Some F) <->
  powers (inner c) = true /\ forall x, x < size (inner c) ->
  apply_composed_at c x = xor_of (map (fun k => apply_composed_at c (2 ^ k)) (iota (N.log2 (size (inner c))))) x.
Proof.
  intros Vw Sh. split.
  - intros [F Q]. split.
    { apply steps_exist. unfold to_f2 in Q. destruct (steps _); [eauto|discriminate]. }
    intros x L. destruct (to_f2_agrees c F x Q L) as (_ & E & <-). rewrite E, N.log2_pow2 by lia. rewrite E in L.
    rewrite <- (xor_of_map (f2_at F) (f2_bits F) x (f2_apply_linear F) L). f_equal. apply map_ext_in. intros k Hk.
    apply in_iota in Hk. apply to_f2_agrees; [easy|]. rewrite E. apply N.pow_lt_mono_r; lia.
  - intros [P V]. apply steps_exist in P as [bs S]. unfold to_f2. rewrite S. cbn [bind].
    assert (0 < size (inner c)) as Z by now apply size_positive.
    assert (offset c = 0) as O.
    { specialize (V 0 Z). rewrite xor_of_0 in V. unfold apply_composed_at in V.
      destruct (steps_at _ _ _ S Z) as [E _]. rewrite E, sum_of_0, N.add_0_r, <- (swizzled_0 (outer c)) in V.
      now apply swizzle_injective in V. }
    assert (disjoint bs = true) as D.
    { apply xor_is_sum. intros x L. destruct (steps_at _ _ 0 S Z) as [_ E]. rewrite <- E in L.
      specialize (V x L). unfold apply_composed_at in V. rewrite O in V. rewrite E, N.log2_pow2 in V by lia.
      erewrite map_ext_in in V.
      2:{ intros k Hk. apply in_iota in Hk. rewrite N.add_0_l. destruct (steps_at _ _ (2 ^ k) S) as [-> _];
          [rewrite E; apply N.pow_lt_mono_r; lia|]. rewrite sum_of_unit. reflexivity. }
      rewrite <- (map_map (fun k => nth (N.to_nat k) bs 0) (swizzled (outer c))) in V.
      rewrite xor_of_image in V by (intros u v; apply apply_swizzle_linear). apply swizzle_injective in V; [|easy].
      rewrite N.add_0_l in V. destruct (steps_at _ _ x S L) as [<- _]. rewrite V. f_equal.
      unfold iota, count. rewrite map_map, Nat2N.id. clear. induction bs as [|b bs IH]; [easy|]. cbn [length seq map].
      f_equal. rewrite <- seq_shift, map_map. etransitivity; [|exact IH].
      apply map_ext. intros k. now rewrite !Nat2N.id. }
    rewrite O, D, N.eqb_refl. cbn. eauto.
Qed.

(* With values of n bits: the same, defined exactly when they have no more. *)
Theorem to_f2_width c n F : to_f2 c = Some F ->
  to_f2_wide c n = if width F <=? n then Some (Linear n (form F) (bases F)) else None.
Proof. intros Q. unfold to_f2_wide. now rewrite Q. Qed.

Lemma least_width_fits bs n : least_width bs <= n <-> forall b, In b bs -> b < 2 ^ n.
Proof.
  unfold least_width. induction bs as [|b bs IH]; simpl; [split; [easy|lia]|]. split.
  - intros H c [<-|Hc]; [|apply IH; [lia|easy]]. apply N.lt_le_trans with (2 ^ N.size b); [apply N.size_gt|].
    apply N.pow_le_mono_r; lia.
  - intros H. apply N.max_lub; [|apply IH; auto]. destruct (N.eq_dec b 0) as [->|Nb]; [simpl; lia|].
    rewrite N.size_log2 by easy. apply N.le_succ_l, N.log2_lt_pow2; [lia|]. apply H. now left.
Qed.

(* The map of a swizzle has its values, on as many bits as the swizzle does not leave. *)
Theorem to_f2_swizzle w n x : reach w <= n -> x < 2 ^ n -> exists F, to_f2_of_swizzle w n = Some F /\
  f2_bits F = n /\ f2_at F x = swizzled w x.
Proof.
  intros R L. unfold to_f2_of_swizzle. set (out := map _ _).
  assert (least_width out <=? n = true) as ->.
  { apply N.leb_le, least_width_fits. intros b Hb. apply in_map_iff in Hb as (k & <- & Hk). apply in_iota in Hk.
    apply apply_swizzle_block; [easy|]. apply N.pow_lt_mono_r; lia. }
  exists (flat_map_of n out). split; [easy|]. split.
  - unfold f2_bits, out. cbn. rewrite count_map. unfold count. rewrite length_iota. lia.
  - apply (xor_of_map (swizzled w)); [intros u v; apply apply_swizzle_linear|easy].
Qed.

Lemma to_f2_formed c F : to_f2 c = Some F -> formed F = true /\ width F = least_width (bases F).
Proof.
  unfold to_f2. destruct (steps _) as [bs|]; [|discriminate]. cbn [bind]. destruct (_ && _); [|discriminate]. intros Q.
  injection Q as <-. split; [|easy]. apply forallb_forall. intros b Hb. apply N.ltb_lt.
  exact (proj1 (least_width_fits _ _) (N.le_refl _) b Hb).
Qed.
Definition unswizzled (A : layout N) : composed := Composed (Sw 0 0 0) 0 A.
Lemma identity_map n : exists I, to_f2 (unswizzled (Leaf (2 ^ n) 1)) = Some I /\ f2_bits I = n /\ width I = n /\
  forall x, x < 2 ^ n -> f2_at I x = x.
Proof.
  destruct (proj2 (composed_linear (unswizzled (Leaf (2 ^ n) 1)) ltac:(easy)
    ltac:(apply (proj2 (positive_cons (2 ^ n) 1 [])); split; [now apply N.neq_0_lt_0, N.pow_nonzero|easy]))) as [I Q].
  - split; [unfold powers; cbn; now rewrite (proj2 (exact_log2_some (2 ^ n) n) eq_refl)|].
    cbn [unswizzled inner size]. intros x L. rewrite N.log2_pow2 by lia. unfold apply_composed_at. cbn.
    rewrite (map_ext (fun k => 0 + 2 ^ k * 1) (fun k => 2 ^ k)) by (intros; lia).
    rewrite (xor_of_map (fun y => y)) by easy. lia.
  - exists I. split; [easy|]. assert (0 < 2 ^ n) as P by (apply N.neq_0_lt_0, N.pow_nonzero; lia).
    destruct (to_f2_agrees _ _ 0 Q P) as (_ & E & _). cbn [unswizzled inner size] in E. apply N.pow_inj_r in E; [|lia].
    split; [easy|]. assert (forall x, x < 2 ^ n -> f2_at I x = x) as V.
    { intros x L. destruct (to_f2_agrees _ _ x Q L) as (_ & _ & ->). unfold apply_composed_at. cbn. lia. }
    split; [|easy]. destruct (to_f2_formed _ _ Q) as [G W]. rewrite W. apply N.le_antisymm.
    + apply least_width_fits. intros b Hb. apply within_in, within_value in Hb as (x & L & <-). rewrite <- E in L.
    now rewrite V.
    + apply N.nlt_ge. intros L. rewrite <- W in L. assert (2 ^ width I < 2 ^ n) as Ln by (apply N.pow_lt_mono_r; lia).
      pose proof (value_below I (2 ^ width I) G ltac:(exists (2 ^ width I); now apply V)). lia.
Qed.

(* Identities on either side leave a map as it is: F o I by value, I o F in every word. *)
Theorem f2_compose_identity F : formed F = true -> exists I J R,
  to_f2 (unswizzled (Leaf (2 ^ f2_bits F) 1)) = Some I /\ to_f2 (unswizzled (Leaf (2 ^ width F) 1)) = Some J /\
  f2_compose F I = Some R /\ f2_compose J F = Some F /\ forall x, x < 2 ^ f2_bits F -> f2_at R x = f2_at F x.
Proof.
  intros G. destruct (identity_map (f2_bits F)) as (I & EI & BI & WI & VI).
  destruct (identity_map (width F)) as (J & EJ & BJ & WJ & VJ).
  destruct (proj2 (f2_compose_exists F I)) as [R ER].
  { intros v Hv. apply f2_table_in, within_value in Hv as (x & L & <-). rewrite BI in L. now rewrite VI. }
  exists I, J, R. do 3 (split; [easy|]). split.
  - unfold f2_compose. rewrite BJ. unfold formed in G. rewrite G, WJ. destruct F as [w f bs].
  cbn [width form bases] in *.
    do 2 f_equal. rewrite <- (map_id bs) at 2. apply map_ext_in. intros b Hb. apply VJ.
    rewrite forallb_forall in G. now apply N.ltb_lt, G.
  - intros x L. destruct (f2_compose_pointwise F I R x ER) as [_ ->]. now rewrite VI.
Qed.

Lemma power_factor k a b : a * b = 2 ^ k -> exists j, a = 2 ^ j.
Proof.
  revert a b. induction k as [|k IH] using N.peano_ind; intros a b E.
  { exists 0. now apply N.eq_mul_1 in E. }
  rewrite N.pow_succ_r' in E. pose proof (N.div2_odd a) as A. pose proof (N.div2_odd b) as B.
  set (c := N.div2 a) in *. set (d := N.div2 b) in *. destruct (N.odd a); cbn [N.b2n] in A.
  - destruct (N.odd b); cbn [N.b2n] in B; [exfalso; nia|]. apply (IH a d). nia.
  - destruct (IH c b ltac:(nia)) as [j J]. exists (N.succ j). rewrite N.pow_succ_r'. lia.
Qed.
Lemma powers_of_size A k : size A = 2 ^ k -> powers A = true.
Proof.
  rewrite size_product. unfold powers. generalize (leaves A) as l. intros l. revert k.
  induction l as [|[s d] l IH]; intros k E; [easy|]. cbn [forallb fst numel] in *.
  destruct (power_factor k s (numel l) E) as [j ->]. rewrite (proj2 (exact_log2_some (2 ^ j) j) eq_refl). cbn [andb].
  destruct (power_factor k (numel l) (2 ^ j) ltac:(lia)) as [i I]. now apply (IH i).
Qed.
(* A layout that takes the values of a linear function has its map. *)
Lemma linear_layout c g k n : valid (outer c) -> shaped (inner c) = true -> size (inner c) = 2 ^ k -> additive g ->
  (forall x, x < 2 ^ k -> apply_composed_at c x = g x) -> (forall x, g x < 2 ^ n) ->
  exists H, to_f2_wide c n = Some H /\ f2_bits H = k /\ forall x, x < 2 ^ k -> f2_at H x = g x.
Proof.
  intros V S E A G L. destruct (proj2 (composed_linear c V S)) as [F Q].
  { split; [now apply (powers_of_size _ k)|]. rewrite E, N.log2_pow2 by lia. intros x X. rewrite G by easy.
    rewrite <- (xor_of_map g k x A X). f_equal. apply map_ext_in. intros j J. apply in_iota in J. symmetry. apply G.
    apply N.pow_lt_mono_r; lia. }
  assert (0 < size (inner c)) as P by now apply size_positive.
  destruct (to_f2_agrees c F 0 Q P) as (_ & B & _). rewrite E in B. apply N.pow_inj_r in B; [|lia].
  assert (forall x, x < 2 ^ k -> f2_at F x = g x) as W.
  { intros x X. rewrite <- G by easy. apply to_f2_agrees; [easy|]. now rewrite E. }
  destruct (to_f2_formed c F Q) as [_ Wd]. exists (Linear n (form F) (bases F)). rewrite (to_f2_width c n F Q).
  assert (width F <=? n = true) as ->; [|easy]. apply N.leb_le. rewrite Wd. apply least_width_fits. intros b Hb.
  apply within_in, within_value in Hb as (x & X & <-). rewrite <- B in X. now rewrite W.
Qed.

(* The composition of the maps is the map of the composition. *)
Lemma maps_compose c B F G R Z x : to_f2 c = Some F -> to_f2 (unswizzled B) = Some G -> valid (outer c) ->
  f2_compose F G = Some R -> composition (inner c) B = Some Z -> shaped B = true -> exists H, f2_bits H = f2_bits R /\
  to_f2_wide (Composed (outer c) (offset c) Z) (width F) = Some H /\ (x < 2 ^ f2_bits H -> f2_at H x = f2_at R x).
Proof.
  intros QF QG V QR QZ SB. assert (0 < size B) as PB by now apply size_positive.
  destruct (to_f2_agrees _ _ 0 QG PB) as (_ & EB & _). cbn [unswizzled inner] in EB.
  pose proof (proj1 (f2_compose_exists F G) (ex_intro _ _ QR)) as I.
  assert (forall y, f2_at R y = f2_at F (f2_at G y)) as PR by (intros; now apply f2_compose_pointwise).
  destruct (composition_sound _ _ _ SB QZ) as (Cz & Sz & _).
  assert (size Z = 2 ^ f2_bits G) as EZ.
  { rewrite <- EB. apply compatible_size in Cz. rewrite !tsize_shape in Cz. now symmetry. }
  destruct (to_f2_formed _ _ QF) as [GF _].
  destruct (linear_layout (Composed (outer c) (offset c) Z) (f2_at R) (f2_bits G) (width F)) as (H & QH & BH & WH);
    try easy.
  - intros u v. apply f2_apply_linear.
  - intros y Y. rewrite PR. assert (f2_at G y < 2 ^ f2_bits F) as L by (apply I, f2_table_in; now exists y).
    assert (0 < size (inner c)) as Pc.
    { unfold to_f2 in QF. destruct (steps _) as [bs|] eqn:S; [|discriminate]. apply steps_spec in S as (S & _ & _).
      rewrite size_product. now apply numel_positive. }
    destruct (to_f2_agrees _ _ 0 QF Pc) as (_ & Ec & _).
    destruct (to_f2_agrees _ _ (f2_at G y) QF ltac:(now rewrite Ec)) as (_ & _ & ->).
    rewrite <- EB in Y. destruct (to_f2_agrees _ _ y QG Y) as (_ & _ & EG).
    unfold apply_composed_at in *. cbn [outer offset inner unswizzled] in *. rewrite swizzled_nothing, N.add_0_l in EG.
    now rewrite (composition_pointwise _ _ _ _ QZ Y), EG.
  - intros y. rewrite PR. apply value_below; [easy|]. now exists (f2_at G y).
  - exists H. split; [|split; [easy|]].
    + rewrite BH. unfold f2_compose in QR. destruct (forallb _ _); [|discriminate]. injection QR as <-.
      unfold f2_bits. cbn [bases]. now rewrite count_map.
    + intros X. apply WH. now rewrite <- BH.
Qed.

(* The map at a coordinate with some modes fixed is the slice. *)
Theorem f2_apply_slices w A k R i F : to_f2 (Composed w 0 A) = Some F -> shaped A = true ->
  part_of (behind w 0 A) (slice_and_offset k A) = Some R -> i < size (body R) ->
  inside (fst (fill k A i)) (shape A) = true -> f2_apply F (fst (fill k A i)) = Some (element R i).
Proof.
  intros Q S K L I. pose proof (slice_and_offset_composed (behind w 0 A) k R i S K L) as E.
  destruct (crd2idx_definition (fst (fill k A i)) (shape A) ltac:(now rewrite tpositive_shape) I) as [Ei Li].
  rewrite tsize_shape in Li. cbn [behind body] in E. rewrite (apply_index A _ _ S I Ei) in E. cbn [option_map] in E.
  rewrite <- E. destruct (to_f2_agrees _ _ _ Q Li) as (Fm & _ & V). unfold f2_apply. cbn [inner] in Fm. rewrite Fm, Ei.
  cbn [option_map]. f_equal. rewrite V. easy.
Qed.

(* The left inverse of the map takes a value back to its index, where none comes twice. *)
Lemma map_takes_back c F x : to_f2 c = Some F -> NoDup (f2_table F) -> x < size (inner c) ->
  f2_at (f2_left_inverse F) (apply_composed_at c x) = x.
Proof.
  intros Q D X. destruct (to_f2_agrees c F x Q X) as (_ & B & <-).
  destruct (to_f2_formed c F Q) as [G _]. rewrite B in X. unfold f2_left_inverse. rewrite indices_near_at.
  - apply (nodup_map_inverse (f2_at F) _ _ _ D); rewrite ?in_iota; [apply nearest|easy|]. now apply near_value.
  - apply value_below; [easy|]. now exists x.
Qed.

(* A layout whose strides are powers of two or 0. *)
Definition strides_of_bits (A : layout N) : bool :=
  forallb (fun m => (snd m =? 0) || match exact_log2 (snd m) with Some _ => true | None => false end) (leaves A).
Definition wide_steps (j : N) (bs : list N) : list N :=
  map (fun b => b / 2 ^ j) (List.filter (fun b => (b =? 0) || (2 ^ j <=? b)) bs).

Lemma wide_steps_app j a b : wide_steps j (a ++ b) = wide_steps j a ++ wide_steps j b.
Proof. unfold wide_steps. induction a as [|c a IH]; simpl; [easy|]. destruct (_ || _); simpl; now rewrite IH. Qed.
Lemma wide_steps_none j bs : (forall b, In b bs -> b <> 0 /\ b < 2 ^ j) -> wide_steps j bs = [].
Proof.
  unfold wide_steps. induction bs as [|b bs IH]; intros H; simpl; [easy|]. destruct (H b (or_introl eq_refl)) as [Z L].
  apply N.eqb_neq in Z. apply N.leb_gt in L. rewrite Z, L. apply IH. intros; apply H. now right.
Qed.
Lemma wide_steps_all j bs : (forall b, In b bs -> b = 0 \/ 2 ^ j <= b) -> wide_steps j bs = map (fun b => b / 2 ^ j) bs.
Proof.
  unfold wide_steps. induction bs as [|b bs IH]; intros H; simpl; [easy|].
  assert ((b =? 0) || (2 ^ j <=? b) = true) as ->.
  { destruct (H b (or_introl eq_refl)) as [->|L]; [easy|]. apply N.leb_le in L. rewrite L. apply orb_true_r. }
  simpl. f_equal. apply IH. intros; apply H. now right.
Qed.

Lemma wide_leaf j k d q : (d =? 0) || match exact_log2 d with Some _ => true | None => false end = true ->
  swallowed (2 ^ j) (2 ^ k) d = Some q -> exists i, exact_log2 (2 ^ k / q) = Some i /\
  wide_steps j (map (fun x => 2 ^ x * d) (iota k)) = map (fun x => 2 ^ x * ceil d (2 ^ j)) (iota i).
Proof.
  intros Hd. assert (2 ^ j <> 0) as Nj by now apply N.pow_nonzero. unfold swallowed.
  destruct (N.eqb_spec (2 ^ k) 1) as [K|K]; cbn [orb].
  { intros Q. injection Q as <-. exists 0. rewrite K. assert (k = 0) as -> by (apply (N.pow_inj_r 2); lia || easy).
  easy. }
  destruct (N.eqb_spec (d mod 2 ^ j) 0) as [Z|Z].
  - intros Q. injection Q as <-. exists k. rewrite N.div_1_r. split; [now apply exact_log2_some|].
    apply N.mod_divide in Z as [e ->]; [|easy]. rewrite wide_steps_all.
    + rewrite map_map. apply map_ext. intros x. rewrite N.mul_assoc, N.div_mul by easy. f_equal.
      rewrite (N.mul_comm e). symmetry. apply ceil_exact. lia.
    + intros b Hb. apply in_map_iff in Hb as (x & <- & _). destruct (N.eq_dec e 0) as [->|Ne]; [left; lia|right].
      assert (1 <= 2 ^ x * e) by (apply N.lt_pred_le; pose proof (N.pow_nonzero 2 x); nia). nia.
  - destruct (N.eqb_spec d 0) as [->|Nd]; [now rewrite N.mod_0_l in Z|]. cbn [orb] in Hd.
    destruct (exact_log2 d) as [e|] eqn:D; [|discriminate]. apply exact_log2_some in D as ->.
    assert (e < j) as L.
    { apply N.nle_gt. intros L. apply Z. replace e with (e - j + j) by lia. rewrite N.pow_add_r. now apply N.mod_mul. }
    assert (2 ^ j = 2 ^ (j - e) * 2 ^ e) as Ej by (rewrite <- N.pow_add_r; f_equal; lia).
    assert (2 ^ e <> 0) as Ne by now apply N.pow_nonzero.
    assert (2 ^ j / 2 ^ e = 2 ^ (j - e)) as -> by (rewrite Ej; now apply N.div_mul).
    destruct (_ =? 0); [|discriminate]. set (m := N.min k (j - e)).
    assert (N.min (2 ^ k) (2 ^ (j - e)) = 2 ^ m) as ->.
    { unfold m. destruct (N.le_ge_cases k (j - e)) as [C|C].
      - rewrite !N.min_l; [easy|easy|]. apply N.pow_le_mono_r; lia.
      - rewrite !N.min_r; [easy|easy|]. apply N.pow_le_mono_r; lia. }
    destruct (_ =? 0); [|discriminate]. intros Q. injection Q as <-. exists (k - m).
    assert (m <= k) as Lm by (unfold m; lia). assert (2 ^ m <> 0) as Nm by now apply N.pow_nonzero.
    split. { apply exact_log2_some. replace k with (k - m + m) at 1 by lia. rewrite N.pow_add_r. now apply N.div_mul. }
    rewrite (ceil_fits (2 ^ e) (2 ^ j)) by (try apply N.pow_le_mono_r; lia).
    replace k with (m + (k - m)) at 1 by lia. rewrite iota_add, map_app, wide_steps_app.
    rewrite wide_steps_none, wide_steps_all; cbn [app].
    + rewrite !map_map. apply map_ext_in. intros x Hx. apply in_iota in Hx. rewrite N.mul_1_r.
      assert (m = j - e) as -> by (unfold m in *; lia). rewrite <- N.pow_add_r.
      replace (j - e + x + e) with (x + j) by lia. rewrite N.pow_add_r. now apply N.div_mul.
    + intros b Hb. apply in_map_iff in Hb as (x & <- & Hx). apply in_map_iff in Hx as (y & <- & Hy). right.
      apply in_iota in Hy. rewrite <- N.pow_add_r. apply N.pow_le_mono_r; unfold m in *; lia.
    + intros b Hb. apply in_map_iff in Hb as (x & <- & Hx). apply in_iota in Hx. rewrite <- N.pow_add_r.
      split; [now apply N.pow_nonzero|]. apply N.pow_lt_mono_r; unfold m in *; lia.
Qed.

Lemma wide_leaves j l ks bs :
  forallb (fun m => (snd m =? 0) || match exact_log2 (snd m) with Some _ => true | None => false end) l = true ->
  each_swallowed (2 ^ j) l = Some ks -> steps l = Some bs -> steps (widened (2 ^ j) l ks) = Some (wide_steps j bs).
Proof.
  revert ks bs. induction l as [|[s d] l IH]; intros ks bs B K S; cbn [each_swallowed steps forallb snd] in *.
  { injection K as <-. injection S as <-. easy. }
  apply andb_true_iff in B as [Bd B]. destruct (swallowed _ s d) as [q|] eqn:Q; [|discriminate]. cbn [bind] in K.
  destruct (each_swallowed _ l) as [qs|]; [|discriminate]. cbn [bind] in K. injection K as <-.
  destruct (exact_log2 s) as [k|] eqn:E; [|discriminate]. cbn [bind] in S. apply exact_log2_some in E as ->.
  destruct (steps l) as [cs|]; [|discriminate]. cbn [bind] in S. injection S as <-.
  destruct (wide_leaf j k d q Bd Q) as (i & Ei & W). cbn [widened steps]. rewrite Ei. cbn [bind].
  rewrite (IH qs cs B eq_refl eq_refl). cbn [bind]. now rewrite wide_steps_app, W.
Qed.

Lemma disjoint_wide j bs : disjoint bs = true -> disjoint (wide_steps j bs) = true.
Proof.
  unfold wide_steps. induction bs as [|b bs IH]; [easy|]. cbn [disjoint List.filter]. intros D.
  apply andb_true_iff in D as [Db D]. destruct (_ || _); [|now apply IH]. cbn [map disjoint].
  rewrite (IH D), andb_true_r.
  apply forallb_forall. intros c Hc. apply in_map_iff in Hc as (a & <- & Ha). apply filter_In in Ha as [Ha _].
  rewrite forallb_forall in Db. specialize (Db a Ha). apply N.eqb_eq in Db. apply N.eqb_eq.
  now rewrite <- !N.shiftr_div_pow2, <- N.shiftr_land, Db, N.shiftr_0_l.
Qed.

(* In elements n = 2^j times as wide: the bases div n, without those from 1 to n - 1. *)
Theorem to_f2_upcast A j R F : strides_of_bits A = true -> upcast A (2 ^ j) = Some R -> to_f2 (unswizzled A) = Some F ->
  exists G, to_f2 (unswizzled R) = Some G /\ bases G = wide_steps j (bases F).
Proof.
  intros B U Q. apply (leafwise_spec _ _ _ (upcast_length (2 ^ j))) in U as [U _]. unfold upcast_leaves in U.
  destruct (_ =? 0); [discriminate|]. destruct (each_swallowed _ _) as [ks|] eqn:K; [|discriminate]. cbn [bind] in U.
  destruct (_ <? _); [|discriminate]. injection U as U. unfold to_f2 in *. cbn [unswizzled inner offset outer] in *.
  destruct (steps (leaves A)) as [bs|] eqn:S; [|discriminate]. cbn [bind] in Q. rewrite <- U.
  rewrite (wide_leaves j _ _ bs B K S). cbn [bind]. rewrite N.eqb_refl in *. cbn [andb] in *.
  destruct (disjoint bs) eqn:D; [|discriminate]. injection Q as <-. rewrite (disjoint_wide j bs D).
  eexists. split; [reflexivity|]. cbn [bases].
  assert (forall l, map (swizzled (Sw 0 0 0)) l = l) as I by (intros l; apply map_id). now rewrite !I.
Qed.

(* Leaves of the bases of a mode: each run of doubled ones is one.
Layouts of a shape, the bases taken from the front. *)
Fixpoint runs (bs : list N) : list (N * N) :=
  match bs with
  | [] => []
  | b :: bs => match runs bs with
    | (s, d) :: l => if d =? 2 * b then (2 * s, b) :: l else (2, b) :: (s, d) :: l
    | [] => [(2, b)]
    end
  end.
Fixpoint laid (t : tuple) (bs : list N) : layout N * list N :=
  match t with
  | Int n => let k := N.to_nat (N.log2 n) in (unwrapped (runs (firstn k bs)), skipn k bs)
  | Tup ts => let '(ms, rest) := (fix go ts bs := match ts with
      | [] => ([], bs)
      | t :: ts => let '(m, r) := laid t bs in let '(ms, q) := go ts r in (m :: ms, q)
      end) ts bs in (Node ms, rest)
  end.

(* The swizzles that flip the bits from the lowest to the highest that two bases share: S > 0 first, then the least
  |S|. *)
Fixpoint shared_bits (seen : N) (bs : list N) : N :=
  match bs with
  | [] => 0
  | b :: bs => N.lor (N.land seen b) (shared_bits (N.lor seen b) bs)
  end.
Definition lowest_bit (x : N) : N := hd 0 (List.filter (N.testbit x) (iota (N.size x))).
Definition candidates (n x : N) : list swizzle :=
  let low := lowest_bit x in let b := N.log2 x + 1 - low in
  map (fun i => Sw b low (Z.of_N (b + i))) (iota (n + 1 - (low + 2 * b))) ++
  map (fun i => Sw b (low - (b + i)) (- Z.of_N (b + i))) (iota (low + 1 - b)).
Definition from_f2 (F : f2_map) : option composed :=
  let behind w := Composed w 0 (fst (laid (form F) (map (swizzled w) (bases F)))) in
  if disjoint (bases F) then Some (behind (Sw 0 0 0))
  else option_map behind (find (fun w => disjoint (map (swizzled w) (bases F)))
    (candidates (width F) (shared_bits 0 (bases F)))).

Lemma candidates_valid n x w : In w (candidates n x) -> valid w.
Proof.
  unfold candidates, valid. rewrite in_app_iff, !in_map_iff. intros [(i & <- & _)|(i & <- & _)]; cbn [bits shift]; lia.
Qed.

Lemma steps_app a b : steps (a ++ b) = (x <- steps a; y <- steps b; Some (x ++ y)).
Proof.
  induction a as [|[s d] a IH]; cbn [app steps bind]; [now destruct (steps b)|].
  destruct (exact_log2 s); cbn [bind]; [|easy]. rewrite IH. destruct (steps a); cbn [bind]; [|easy].
  destruct (steps b); cbn [bind]; [|easy]. now rewrite app_assoc.
Qed.
Lemma leaf_cons k b : map (fun j => 2 ^ j * b) (iota (N.succ k)) = b :: map (fun j => 2 ^ j * (2 * b)) (iota k).
Proof.
  rewrite <- N.add_1_l, iota_add, iota_1. cbn [app map]. f_equal; [simpl; lia|]. rewrite map_map. apply map_ext.
  intros j. rewrite N.pow_add_r. change (2 ^ 1) with 2. lia.
Qed.
Lemma steps_runs bs : steps (runs bs) = Some bs.
Proof.
  assert (exact_log2 2 = Some 1) as E2 by easy.
  induction bs as [|b bs IH]; [easy|]. cbn [runs]. destruct (runs bs) as [|[s d] l] eqn:R.
  - injection IH as <-. cbn [steps]. rewrite E2. cbn [bind]. rewrite (leaf_cons 0). easy.
  - destruct (N.eqb_spec d (2 * b)) as [->|_].
    + cbn [steps] in *. destruct (exact_log2 s) as [k|] eqn:E; [|discriminate]. cbn [bind] in *.
      apply exact_log2_some in E as ->. rewrite (proj2 (exact_log2_some (2 * 2 ^ k) (N.succ k))) by now rewrite
        N.pow_succ_r'.
      cbn [bind]. destruct (steps l); [|discriminate]. cbn [bind] in *. injection IH as IH. rewrite leaf_cons.
      cbn [app].
      now rewrite IH.
    + cbn [steps] in *. rewrite E2. cbn [bind]. destruct (exact_log2 s); [|discriminate]. cbn [bind] in *.
      destruct (steps l); [|discriminate]. cbn [bind] in *. injection IH as IH. rewrite (leaf_cons 0), IH. easy.
Qed.
Lemma steps_unwrapped l bs : steps l = Some bs -> steps (leaves (unwrapped l)) = Some bs.
Proof. rewrite leaves_unwrapped. now destruct l. Qed.

Lemma skipn_twice {X} a b (l : list X) : skipn b (skipn a l) = skipn (a + b) l.
Proof. revert l. induction a as [|a IH]; intros l; [easy|]. destruct l as [|x l]; [now rewrite !skipn_nil|].
apply IH. Qed.
(* How many bases a shape takes. *)
Definition bits_in (t : tuple) : nat := list_sum (map (fun n => N.to_nat (N.log2 n)) (extents t)).
Lemma laid_steps t bs : (bits_in t <= length bs)%nat ->
  steps (leaves (fst (laid t bs))) = Some (firstn (bits_in t) bs) /\ snd (laid t bs) = skipn (bits_in t) bs.
Proof.
  revert bs. induction t as [n|ts IH] using tuple_induction; intros bs L.
  { unfold bits_in. cbn. rewrite Nat.add_0_r. split; [|easy]. apply steps_unwrapped, steps_runs. }
  unfold bits_in in *. cbn [extents laid] in *. revert bs L.
  induction IH as [|t ts Ht _ IH]; intros bs L; [easy|]. cbn [flat_map] in *. rewrite map_app, list_sum_app in *.
  destruct (Ht bs ltac:(lia)) as [A B]. destruct (laid t bs) as [m r]. cbn [fst snd] in A, B.
  specialize (IH r ltac:(rewrite B, skipn_length; lia)).
  destruct ((fix go ts bs := match ts with
      | [] => ([], bs)
      | t :: ts => let '(m, r) := laid t bs in let '(ms, q) := go ts r in (m :: ms, q)
      end) ts r) as [ms q]. cbn [fst snd leaves flat_map] in *. destruct IH as [IA IB]. rewrite steps_app, A.
      cbn [bind].
  rewrite IA. cbn [bind]. split; [f_equal|].
  - rewrite B. clear. generalize (list_sum (map (fun n => N.to_nat (N.log2 n)) (extents t))) as a. intros a.
    generalize (list_sum (map (fun n => N.to_nat (N.log2 n)) (flat_map extents ts))) as b. intros b. revert bs.
    induction a as [|a IH]; intros bs; [easy|]. destruct bs as [|x bs]; [now rewrite !firstn_nil|]. cbn. now rewrite IH.
  - rewrite IB, B. apply skipn_twice.
Qed.

(* The shape has as many bits as there are bases. *)
Definition shapely (F : f2_map) : bool := (bits_in (form F) =? length (bases F))%nat.
(* The map of the layout that a map is has the bases of that map. *)
Theorem from_f2_to_f2 F c : from_f2 F = Some c -> formed F = true -> shapely F = true ->
  exists G, to_f2_wide c (width F) = Some G /\ bases G = bases F.
Proof.
  intros Q P E. apply Nat.eqb_eq in E. unfold from_f2 in Q.
  assert (exists w, valid w /\ disjoint (map (swizzled w) (bases F)) = true /\
    c = Composed w 0 (fst (laid (form F) (map (swizzled w) (bases F))))) as (w & V & D & ->).
  { destruct (disjoint (bases F)) eqn:D.
    - injection Q as <-. exists (Sw 0 0 0). repeat split; [easy|]. rewrite <- D. f_equal. apply map_id.
    - destruct (find _ _) as [w|] eqn:K; [|discriminate]. injection Q as <-. apply find_some in K as [I K].
      exists w. repeat split; [now apply candidates_valid in I|easy]. }
  destruct (laid_steps (form F) (map (swizzled w) (bases F)) ltac:(rewrite map_length; lia)) as [S _].
  rewrite firstn_all2 in S by (rewrite map_length; lia).
  assert (map (swizzled w) (map (swizzled w) (bases F)) = bases F) as I.
  { rewrite map_map. rewrite <- map_id. apply map_ext. intros b. now apply apply_swizzle_involution. }
  unfold to_f2_wide, to_f2. cbn [inner outer offset]. rewrite S. cbn [bind]. rewrite D, I, N.eqb_refl.
  cbn [andb bind width].
  assert (least_width (bases F) <=? width F = true) as ->; [|eexists; split; reflexivity || easy].
  apply N.leb_le, least_width_fits. intros b Hb. unfold formed in P. rewrite forallb_forall in P. now apply N.ltb_lt, P.
Qed.

(* ---- Which maps are those of layouts, and of which. ---- *)

(* How many numbers have bit k. *)
Definition having (k : N) (bs : list N) : nat := length (List.filter (fun b => N.testbit b k) bs).
Lemma having_cons k b bs : having k (b :: bs) = (Nat.b2n (N.testbit b k) + having k bs)%nat.
Proof. unfold having. cbn [List.filter]. now destruct (N.testbit b k). Qed.
Lemma having_some k bs : (0 < having k bs)%nat <-> exists b, In b bs /\ N.testbit b k = true.
Proof.
  induction bs as [|b bs IH]; [split; [easy|intros (b & [] & _)]|]. rewrite having_cons. split.
  - intros L. destruct (N.testbit b k) eqn:B; [now exists b; split; [left|]|].
    destruct (proj1 IH L) as (c & I & C). exists c. split; [now right|easy].
  - intros (c & [->|I] & C); [rewrite C; cbn; lia|]. assert (0 < having k bs)%nat by (apply IH; eauto). lia.
Qed.
Lemma having_map k (f g : N -> N) bs : (forall b, In b bs -> N.testbit (f b) k = N.testbit (g b) k) ->
  having k (map f bs) = having k (map g bs).
Proof.
  induction bs as [|b bs IH]; intros H; [easy|]. cbn [map]. rewrite !having_cons, (H b (or_introl eq_refl)), IH; auto.
  intros; apply H; now right.
Qed.
Lemma disjoint_having bs : disjoint bs = true <-> forall k, (having k bs <= 1)%nat.
Proof.
  induction bs as [|b bs IH]; [split; [intros; cbn; lia|easy]|]. cbn [disjoint]. rewrite andb_true_iff, IH,
    forallb_forall.
  split.
  - intros [B H] k. rewrite having_cons. specialize (H k). destruct (N.testbit b k) eqn:T; [|easy]. cbn.
    enough (~ (0 < having k bs)%nat) by lia. intros P. apply having_some in P as (c & I & C).
    apply B, N.eqb_eq, (f_equal (fun x => N.testbit x k)) in I. now rewrite N.land_spec, T, C, N.bits_0 in I.
  - intros H. split; intros x.
    + intros I. apply N.eqb_eq, N.bits_inj. intros k. rewrite N.land_spec, N.bits_0. specialize (H k).
      rewrite having_cons in H. destruct (N.testbit b k); [|easy]. destruct (N.testbit x k) eqn:C; [|easy].
      assert (0 < having k bs)%nat by (apply having_some; eauto). cbn in H. lia.
    + specialize (H x). rewrite having_cons in H. lia.
Qed.
Lemma shared_having k seen bs : N.testbit (shared_bits seen bs) k = true <->
  (2 <= Nat.b2n (N.testbit seen k) + having k bs)%nat /\ (1 <= having k bs)%nat.
Proof.
  revert seen. induction bs as [|b bs IH]; intros seen; cbn [shared_bits]; [rewrite N.bits_0; cbn; split; [easy|lia]|].
  rewrite N.lor_spec, N.land_spec, orb_true_iff, IH, N.lor_spec, having_cons.
  destruct (N.testbit seen k), (N.testbit b k); cbn; intuition (try lia; try discriminate).
Qed.
(* What two bases share lies between its lowest and its highest bit, which they share, too. *)
Lemma lowest_bit_spec x : x <> 0 -> N.testbit x (lowest_bit x) = true /\ forall k, N.testbit x k = true -> lowest_bit
  x <= k.
Proof.
  intros Nz. unfold lowest_bit. assert (In (N.log2 x) (List.filter (N.testbit x) (iota (N.size x)))) as I.
  { apply filter_In. split; [|now apply N.bit_log2]. apply in_iota. rewrite N.size_log2 by easy. lia. }
  assert (forall k, N.testbit x k = true -> In k (iota (N.size x))) as A.
  { intros k K. apply in_iota. rewrite N.size_log2 by easy. apply N.lt_succ_r.
    apply N.nlt_ge. intros L. now rewrite N.bits_above_log2 in K. }
  revert I A. generalize (N.log2 x) as j. unfold iota. generalize 0%nat as a. induction (N.to_nat (N.size x)) as [|n
    IH];
    [easy|]. intros a j. cbn [seq map List.filter]. destruct (N.testbit x (N.of_nat a)) eqn:B.
  - intros _ A. cbn [hd]. split; [easy|]. intros k K. apply A in K. change (In k (map N.of_nat (seq a (S n)))) in K.
    apply in_map_iff in K as (i & <- & K).
    apply in_seq in K. lia.
  - intros I A. apply (IH (S a) j I). intros k K. destruct (A k K) as [<-|H]; [now rewrite B in K|easy].
Qed.

Notation works F w := (disjoint (map (swizzled w) (bases F)) = true).
(* A swizzle by which no bases share a bit flips each bit that they shared, by a bit below n. *)
Lemma shared_is_flipped F w k : formed F = true -> works F w -> N.testbit (shared_bits 0 (bases F)) k = true ->
  flips w k = true /\ k - target w + source w < width F.
Proof.
  intros P W K. apply shared_having in K as [K _]. rewrite N.bits_0 in K. cbn in K. rewrite disjoint_having in W.
  specialize (W k). enough (~ (flips w k = false \/ width F <= k - target w + source w)) as E.
  { destruct (flips w k); [split; [easy|]; lia|tauto]. }
  intros E. enough (having k (map (swizzled w) (bases F)) = having k (bases F)) by lia.
  rewrite <- (map_id (bases F)) at 2. apply having_map. intros b Hb. rewrite swizzled_bits.
  destruct E as [->|E]; [cbn; apply xorb_false_r|].
  unfold formed in P. rewrite forallb_forall in P. apply P, N.ltb_lt in Hb.
  now rewrite (low_bits b (width F) (k - target w + source w)), andb_false_r, xorb_false_r.
Qed.
(* The part of such a swizzle that flips the bits from the lowest to the highest of those is a candidate, and does,
  too. *)
Lemma candidate_of F w : formed F = true -> valid w -> works F w -> disjoint (bases F) = false ->
  let x := shared_bits 0 (bases F) in exists v, In v (candidates (width F) x) /\ works F v /\ shift v = shift w /\
  bits v = N.log2 x + 1 - lowest_bit x /\ 0 < bits v <= bits w.
Proof.
  intros P V W D x. assert (x <> 0) as Nx.
  { intros E. enough (disjoint (bases F) = true) by congruence. apply disjoint_having. intros k. apply Nat.nlt_ge.
    intros L.
    assert (N.testbit x k = true) as T by (apply shared_having; rewrite N.bits_0; cbn; lia). now rewrite E, N.bits_0
      in T. }
  destruct (lowest_bit_spec x Nx) as [Lx Least]. pose proof (N.bit_log2 x Nx) as Hx.
  destruct (shared_is_flipped F w _ P W Lx) as [Fl _]. destruct (shared_is_flipped F w _ P W Hx) as [Fh Sh].
  pose proof (Least _ Hx) as LH. assert (forall k, N.testbit x k = true -> k <= N.log2 x) as Most.
  { intros k K. apply N.nlt_ge. intros L. now rewrite N.bits_above_log2 in K. }
  set (low := lowest_bit x) in *. set (hi := N.log2 x) in *.
  unfold flips in Fl, Fh. rewrite !andb_true_iff, !N.leb_le, !N.ltb_lt in Fl, Fh. unfold valid in V.
  assert (exists v, In v (candidates (width F) x) /\ shift v = shift w /\ bits v = hi + 1 - low /\ target v = low /\
    (source v + target w = source w + target v)) as (v & I & S & B & T & O).
  { unfold candidates. fold low hi.
    destruct (Z.leb_spec 0 (shift w)) as [Z0|Z0].
    - exists (Sw (hi + 1 - low) low (shift w)). cbn. unfold source, target in *. cbn. split; [|repeat split; lia].
      apply in_app_iff. left. apply in_map_iff. exists (Z.to_N (shift w) - (hi + 1 - low)). split; [|apply in_iota;
        lia].
      f_equal. lia.
    - exists (Sw (hi + 1 - low) (low - Z.abs_N (shift w)) (shift w)). cbn. unfold source, target in *. cbn.
      split; [|repeat split; lia]. apply in_app_iff. right. apply in_map_iff.
      exists (Z.abs_N (shift w) - (hi + 1 - low)). split; [|apply in_iota; lia]. f_equal; lia. }
  exists v. split; [easy|]. split; [|repeat split; try easy; lia]. rewrite disjoint_having in *. intros k.
  destruct (flips v k) eqn:Fv.
  - rewrite <- (W k) at 1. apply Nat.eq_le_incl, having_map. intros b _. rewrite !swizzled_bits, Fv.
    unfold flips in *. rewrite andb_true_iff, N.leb_le, N.ltb_lt in Fv.
    destruct (N.leb_spec (target w) k), (N.ltb_spec k (target w + bits w)); try lia. cbn. do 2 f_equal. lia.
  - enough (having k (map (swizzled v) (bases F)) = having k (bases F)) as ->.
    + apply Nat.nlt_ge. intros L. assert (N.testbit x k = true) as K by (apply shared_having; rewrite N.bits_0; cbn;
      lia).
      pose proof (Least k K). pose proof (Most k K). unfold flips in Fv.
      destruct (N.leb_spec (target v) k), (N.ltb_spec k (target v + bits v)); try lia.
    + rewrite <- (map_id (bases F)) at 2. apply having_map. intros b _. now rewrite swizzled_bits, Fv, xorb_false_r.
Qed.

Lemma find_least {X} (f : X -> bool) (g : N -> X) n v : find f (map g (iota n)) = Some v ->
  exists j, v = g j /\ forall i, i < n -> f (g i) = true -> j <= i.
Proof.
  unfold iota. enough (forall a, find f (map g (map N.of_nat (seq a (N.to_nat n)))) = Some v ->
    exists j, v = g j /\ forall i, N.of_nat a <= i -> i < N.of_nat (a + N.to_nat n) -> f (g i) = true -> j <= i) as H.
  { intros E. destruct (H 0%nat E) as (j & Ev & L). exists j. split; [easy|]. intros i Hi. apply L; lia. }
  induction (N.to_nat n) as [|m IH]; intros a; cbn [seq map find]; [easy|]. destruct (f (g (N.of_nat a))) eqn:T.
  - intros E. injection E as <-. exists (N.of_nat a). split; [easy|]. lia.
  - intros E. destruct (IH (S a) E) as (j & Ev & L). exists j. split; [easy|]. intros i Hi Li Fi.
    apply L; try lia; [|easy]. enough (i <> N.of_nat a) by lia. intros ->. congruence.
Qed.
Lemma find_app {X} (f : X -> bool) l m : find f (l ++ m) = match find f l with Some x => Some x | None => find f m end.
Proof. induction l as [|x l IH]; [easy|]. cbn. now destruct (f x). Qed.

(* v has fewer bits than w, or as many and S > 0 where w has not, or the same sign and no larger |S|. *)
Definition no_larger (v w : swizzle) : Prop := bits v < bits w \/ bits v = bits w /\
  ((0 <= shift v)%Z /\ (shift w < 0)%Z \/
   ((0 <= shift v)%Z <-> (0 <= shift w)%Z) /\ (Z.abs (shift v) <= Z.abs (shift w))%Z).
(* The layout c has the values of F, at as many indices. *)
Definition takes_map (c : composed) (F : f2_map) : Prop := valid (outer c) /\ shaped (inner c) = true /\
  size (inner c) = 2 ^ f2_bits F /\ forall x, x < size (inner c) -> apply_composed_at c x = f2_at F x.

Lemma takes_bases c F : takes_map c F -> exists bs, bases F = map (swizzled (outer c)) bs /\ disjoint bs = true.
Proof.
  intros (V & S & E & A). destruct (proj2 (composed_linear c V S)) as [G Q].
  { split; [now apply (powers_of_size _ (f2_bits F))|]. intros x X. rewrite A by easy. rewrite E, N.log2_pow2 by lia.
    rewrite E in *. rewrite <- (xor_of_map (f2_at F) (f2_bits F) x (f2_apply_linear F) X). f_equal. apply map_ext_in.
    intros k K. apply in_iota in K. symmetry. apply A. apply N.pow_lt_mono_r; lia. }
  assert (bases G = bases F) as <-.
  { assert (0 < size (inner c)) as P by now apply size_positive.
    destruct (to_f2_agrees c G 0 Q P) as (_ & B & _). rewrite E in B. apply N.pow_inj_r in B; [|lia].
    unfold f2_bits, count in B. apply Nat2N.inj in B. apply (nth_ext _ _ 0 0); [easy|]. intros k K.
    assert (2 ^ N.of_nat k < size (inner c)) as L by (rewrite E; apply N.pow_lt_mono_r; unfold f2_bits, count; lia).
    destruct (to_f2_agrees c G _ Q L) as (_ & _ & U). rewrite (A _ L) in U. unfold f2_at in U.
    now rewrite !xor_of_unit, !Nat2N.id in U. }
  unfold to_f2 in Q. destruct (steps _) as [bs|]; [|discriminate]. cbn [bind] in Q. destruct (_ && _) eqn:C;
    [|discriminate].
  apply andb_true_iff in C as [_ C]. injection Q as <-. now exists bs.
Qed.
Lemma takes_works c F : takes_map c F -> works F (outer c).
Proof.
  intros T. destruct (takes_bases c F T) as (bs & E & D). rewrite E, map_map. erewrite map_ext; [now rewrite map_id|].
  intros b. apply apply_swizzle_involution, T.
Qed.
Lemma from_f2_outer F c : from_f2 F = Some c -> outer c = Sw 0 0 0 /\ disjoint (bases F) = true \/
  disjoint (bases F) = false /\ find (fun w => disjoint (map (swizzled w) (bases F)))
    (candidates (width F) (shared_bits 0 (bases F))) = Some (outer c).
Proof.
  unfold from_f2. destruct (disjoint (bases F)); [intros Q; injection Q as <-; now left|].
  destruct (find _ _) as [w|]; [|discriminate]. intros Q. injection Q as <-. now right.
Qed.

(* A map is that of a layout, or of one behind a swizzle, exactly where one has its values. *)
Theorem from_f2_exists F : formed F = true -> shapely F = true -> (exists c, from_f2 F = Some c) <-> exists c,
  takes_map c F.
Proof.
  intros P E. split; intros [c Q].
  - destruct (from_f2_to_f2 F c Q P E) as (G & QG & B). exists c. unfold to_f2_wide in QG.
    destruct (to_f2 c) as [H|] eqn:QH; [|discriminate]. cbn [bind] in QG. destruct (_ <=? _); [|discriminate].
    injection QG as <-. cbn [bases] in B.
    assert (shaped (inner c) = true) as S.
    { unfold to_f2 in QH. destruct (steps _) as [bs|] eqn:St; [|discriminate]. now apply steps_spec in St. }
    assert (valid (outer c)) as V.
    { apply from_f2_outer in Q as [[-> _]|[_ Q]]; [easy|]. apply find_some in Q as [Q _]. now apply candidates_valid
      in Q. }
    destruct (to_f2_agrees c H 0 QH (size_positive _ S)) as (_ & Z & _). unfold takes_map.
    split; [easy|]. split; [easy|]. split; [now rewrite Z; unfold f2_bits; rewrite B|]. intros x X.
    destruct (to_f2_agrees c H x QH X) as (_ & _ & <-). unfold f2_at. now rewrite B.
  - pose proof (takes_works c F Q) as W. destruct Q as (V & _). unfold from_f2.
    destruct (disjoint (bases F)) eqn:D; [eauto|]. destruct (candidate_of F (outer c) P V W D) as (v & I & Wv & _).
    destruct (find _ _) eqn:K; [cbn; eauto|]. now rewrite (find_none _ _ K v I) in Wv.
Qed.

Lemma runs_merged bs : merged (runs bs) = true.
Proof.
  induction bs as [|b bs IH]; [easy|]. cbn [runs]. destruct (runs bs) as [|[s d] l] eqn:R; [easy|].
  apply merged_cons in IH as (Hs & M & C). destruct (N.eqb_spec d (2 * b)) as [->|Nd].
  - cbn [merged]. rewrite M, andb_true_r. apply andb_true_iff. split; [apply N.ltb_lt; lia|].
    destruct l as [|[t e] l]; [easy|]. apply negb_true_iff, not_true_is_false. rewrite same_true. cbn. intros <-.
    apply (C t _ l eq_refl). cbn. lia.
  - cbn [merged]. cbn [merged] in M. rewrite M, andb_true_r. apply andb_true_iff. split.
    + cbn. apply negb_true_iff, N.eqb_neq. lia.
    + apply N.ltb_lt in Hs. rewrite Hs. destruct l as [|[t e] l]; [easy|]. cbn [andb]. apply negb_true_iff,
      not_true_is_false.
      rewrite same_true. now apply (C t e l).
Qed.
(* Each mode of the shape is coalesced: a run of doubled bases is one leaf. *)
Lemma laid_coalesced t bs : coalesce_by (fst (laid t bs)) t = Some (fst (laid t bs)).
Proof.
  revert bs. induction t as [n|ts IH] using tuple_induction; intros bs.
  { cbn. f_equal. set (l := runs _). assert (merged l = true) as M by apply runs_merged. unfold coalesce.
    rewrite leaves_unwrapped. destruct l; [easy|]. now rewrite merge_of_merged. }
  cbn [laid]. unfold coalesce_by in *. cbn [by_profile]. revert bs. induction IH as [|t ts Ht _ IH]; intros bs; [easy|].
  specialize (Ht bs). destruct (laid t bs) as [m r]. cbn [fst] in Ht. specialize (IH r).
  destruct ((fix go ts bs := match ts with
      | [] => ([], bs)
      | t :: ts => let '(m, r) := laid t bs in let '(ms, q) := go ts r in (m :: ms, q)
      end) ts r) as [ms q]. cbn [fst modes_of] in *. rewrite Ht. cbn [bind].
  destruct ((fix go ps ms := match ps, ms with
        | [], _ => Some ms
        | p :: ps, m :: ms => x <- by_profile coalesce p m; option_map (cons x) (go ps ms)
        | _ :: _, [] => None
        end) ts ms) as [x|]; [|discriminate]. cbn [option_map] in *. injection IH as ->. easy.
Qed.
Lemma candidates_bits n x w : In w (candidates n x) -> bits w = N.log2 x + 1 - lowest_bit x.
Proof. unfold candidates. rewrite in_app_iff, !in_map_iff. now intros [(i & <- & _)|(i & <- & _)]. Qed.

(* No layout with its values is behind a smaller swizzle, and each mode is coalesced. *)
Theorem from_f2_least F c : from_f2 F = Some c -> formed F = true ->
  (forall d, takes_map d F -> no_larger (outer c) (outer d)) /\ coalesce_by (inner c) (form F) = Some (inner c).
Proof.
  intros Q P. split.
  - intros d T. pose proof (takes_works d F T) as W. destruct T as (V & _). apply from_f2_outer in Q as [[-> _]|[D Q]].
    { unfold no_larger. cbn. destruct (N.eq_dec (bits (outer d)) 0); lia. }
    destruct (candidate_of F (outer d) P V W D) as (v & I & Wv & S & B & Lb & L).
    pose proof (find_some _ _ Q) as [J _]. apply candidates_bits in J. rewrite <- B in J. unfold no_larger.
    destruct (N.eq_dec (bits (outer d)) (bits v)) as [Z|Z]; [|left; lia]. right. split; [lia|]. rewrite <- S.
    unfold candidates in Q, I. set (b := _ + 1 - _) in *. rewrite find_app in Q.
    apply in_app_iff in I as [I|I]; apply in_map_iff in I as (i & Ei & Hi); apply in_iota in Hi.
    + destruct (find _ (map _ (iota (_ + 1 - (_ + 2 * b))))) as [u|] eqn:K.
      * injection Q as <-. apply find_least in K as (j & -> & K). subst v. specialize (K i Hi Wv). cbn in *. lia.
      * rewrite (find_none _ _ K v) in Wv; [easy|]. apply in_map_iff. exists i. split; [easy|now apply in_iota].
    + destruct (find _ (map _ (iota (_ + 1 - (_ + 2 * b))))) as [u|] eqn:K.
      * injection Q as <-. apply find_some in K as [K _]. apply in_map_iff in K as (j & <- & _). subst v. cbn in *. lia.
      * apply find_least in Q as (j & -> & Q). subst v. specialize (Q i Hi Wv). cbn in *. lia.
  - unfold from_f2 in Q. destruct (disjoint _); [injection Q as <-; apply laid_coalesced|].
    destruct (find _ _); [|discriminate]. injection Q as <-. apply laid_coalesced.
Qed.
