(* What numbers span under exclusive or: linear functions, Gauss-Jordan, the least of y + a span. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Recast.
Local Open Scope N_scope.

(* The elements at the set bits of x, exclusive-or'ed. *)
Fixpoint xor_of (bs : list N) (x : N) : N :=
  match bs with
  | [] => 0
  | b :: bs => N.lxor (if N.odd x then b else 0) (xor_of bs (N.div2 x))
  end.
Definition count (bs : list N) : N := N.of_nat (length bs).

Lemma count_cons b bs : count (b :: bs) = N.succ (count bs).
Proof. unfold count. simpl length. lia. Qed.

Lemma odd_lxor x y : N.odd (N.lxor x y) = xorb (N.odd x) (N.odd y).
Proof. now rewrite <- !N.bit0_odd, N.lxor_spec. Qed.
Lemma div2_lxor x y : N.div2 (N.lxor x y) = N.lxor (N.div2 x) (N.div2 y).
Proof. now rewrite !N.div2_spec, N.shiftr_lxor. Qed.
Lemma div2_below x n : x < 2 ^ N.succ n -> N.div2 x < 2 ^ n.
Proof. intros H. rewrite N.pow_succ_r' in H. pose proof (N.div2_odd x). destruct (N.odd x); simpl in *; lia. Qed.
Lemma bit_succ x k : N.testbit x (N.succ k) = N.testbit (N.div2 x) k.
Proof. now rewrite N.div2_spec, N.shiftr_spec', N.add_1_r. Qed.

Lemma lxor_4 a b c d : N.lxor (N.lxor a b) (N.lxor c d) = N.lxor (N.lxor a c) (N.lxor b d).
Proof. rewrite !N.lxor_assoc. f_equal. rewrite <- !N.lxor_assoc. f_equal. apply N.lxor_comm. Qed.
Lemma lxor_twice a b : N.lxor a (N.lxor a b) = b.
Proof. now rewrite <- N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_l. Qed.
Lemma lxor_move a b c : N.lxor a b = c -> a = N.lxor c b.
Proof. intros <-. now rewrite N.lxor_assoc, N.lxor_nilpotent, N.lxor_0_r. Qed.
Lemma lxor_below a b n : a < 2 ^ n -> b < 2 ^ n -> N.lxor a b < 2 ^ n.
Proof.
  rewrite <- !below_power. intros A B k L. now rewrite N.lxor_spec, A, B.
Qed.

(* What is linear: it takes sums to sums. *)
Definition additive (f : N -> N) : Prop := forall x y, f (N.lxor x y) = N.lxor (f x) (f y).

Lemma additive_0 f : additive f -> f 0 = 0.
Proof. intros A. specialize (A 0 0). now rewrite !N.lxor_nilpotent in A. Qed.

Lemma xor_of_additive bs : additive (xor_of bs).
Proof.
  induction bs as [|b bs IH]; intros x y; simpl; [reflexivity|]. rewrite odd_lxor, div2_lxor, IH, lxor_4. f_equal.
  destruct (N.odd x), (N.odd y); simpl; now rewrite ?N.lxor_nilpotent, ?N.lxor_0_r.
Qed.
Lemma xor_of_0 bs : xor_of bs 0 = 0.
Proof. apply additive_0, xor_of_additive. Qed.

Lemma xor_of_unit bs k : xor_of bs (2 ^ k) = nth (N.to_nat k) bs 0.
Proof.
  revert k. induction bs as [|b bs IH]; intros k; simpl; [now destruct (N.to_nat k)|].
  destruct k as [|k _] using N.peano_ind; [simpl; now rewrite xor_of_0, N.lxor_0_r|].
  rewrite N.pow_succ_r', N2Nat.inj_succ, N.odd_mul, N.div2_double, IH. apply N.lxor_0_l.
Qed.

(* Bits beyond the elements do nothing. *)
Lemma xor_of_cut bs x : exists z, z < 2 ^ count bs /\ xor_of bs z = xor_of bs x.
Proof.
  revert x. induction bs as [|b bs IH]; intros x; [exists 0; easy|]. destruct (IH (N.div2 x)) as (z & L & E).
  exists (N.b2n (N.odd x) + 2 * z). rewrite count_cons, N.pow_succ_r'. split; [destruct (N.odd x); simpl; lia|].
  cbn [xor_of]. rewrite <- E, N.odd_add_mul_2, (N.div2_div (_ + _)), N.mul_comm, N.div_add by lia.
  f_equal; [|f_equal]; now destruct (N.odd x).
Qed.

(* A linear function is the one of what it has at single bits. *)
Lemma xor_of_map f n x : additive f -> x < 2 ^ n -> xor_of (map (fun k => f (2 ^ k)) (iota n)) x = f x.
Proof.
  intros A. apply (linear_agree (xor_of _) f n (xor_of_additive _) A). intros k L. rewrite xor_of_unit.
  rewrite nth_indep with (d' := f (2 ^ 0)) by (rewrite map_length, length_iota; lia).
  rewrite (map_nth (fun k => f (2 ^ k))). do 2 f_equal. unfold iota.
  replace 0 with (N.of_nat 0) at 1 by easy. rewrite map_nth, seq_nth by lia. lia.
Qed.

Lemma xor_of_app a b x y : x < 2 ^ count a -> xor_of (a ++ b) (x + 2 ^ count a * y) = N.lxor (xor_of a x) (xor_of b y).
Proof.
  revert x. induction a as [|c a IH]; intros x L; cbn [app xor_of].
  { change (2 ^ count []) with 1 in *. replace (x + 1 * y) with y by lia. now rewrite N.lxor_0_l. }
  rewrite count_cons, N.pow_succ_r' in *. replace (x + 2 * 2 ^ count a * y) with (x + 2 * (2 ^ count a * y)) by lia.
  rewrite N.lxor_assoc, <- IH by (pose proof (N.div2_odd x); destruct (N.odd x); simpl in *; lia).
  rewrite N.odd_add_mul_2. do 2 f_equal. rewrite !N.div2_div, (N.mul_comm 2), N.div_add by lia. lia.
Qed.

(* What a list spans. *)
Definition within (e : list N) (v : N) : Prop := exists x, xor_of e x = v.

Lemma within_0 e : within e 0.
Proof. exists 0. apply xor_of_0. Qed.
Lemma within_lxor e u v : within e u -> within e v -> within e (N.lxor u v).
Proof. intros [x <-] [y <-]. exists (N.lxor x y). apply xor_of_additive. Qed.
Lemma within_in e r : In r e -> within e r.
Proof.
  intros H. apply (In_nth _ _ 0) in H as (k & _ & <-). exists (2 ^ N.of_nat k). now rewrite xor_of_unit, Nat2N.id.
Qed.
Lemma within_if e (b : bool) v : within e v -> within e (if b then v else 0).
Proof. destruct b; [easy|intros _; apply within_0]. Qed.
(* What holds of the elements, of 0 and of sums holds of what they span. *)
Lemma within_each e (P : N -> Prop) : P 0 -> (forall u v, P u -> P v -> P (N.lxor u v)) -> (forall r, In r e -> P r) ->
  forall v, within e v -> P v.
Proof.
  intros Z S E v [x <-]. revert x. induction e as [|r e IH]; intros x; simpl; [easy|].
  apply S; [destruct (N.odd x); [apply E; now left|easy]|]. apply IH. intros s Hs. apply E. now right.
Qed.
Lemma within_mapped e f h v : additive h -> (forall r, In r e -> within f (h r)) -> within e v -> within f (h v).
Proof.
  intros A E. apply (within_each e (fun v => within f (h v))); [rewrite additive_0 by easy; apply within_0| |easy].
  intros u w. rewrite A. apply within_lxor.
Qed.
Lemma within_trans e f v : (forall r, In r e -> within f r) -> within e v -> within f v.
Proof. intros E. now apply (within_mapped e f (fun v => v)). Qed.

(* Which of two numbers is less, the highest bit in which they differ says. *)
Lemma highest_set x : x <> 0 -> N.testbit x (N.log2 x) = true.
Proof. intros. now apply N.bit_log2. Qed.
Lemma differ_highest u v : u <> v -> N.testbit u (N.log2 (N.lxor u v)) = negb (N.testbit v (N.log2 (N.lxor u v))).
Proof.
  intros D. assert (N.lxor u v <> 0) as Z by now rewrite N.lxor_eq_0_iff.
  pose proof (highest_set _ Z) as H. rewrite N.lxor_spec in H. revert H. now destruct (N.testbit u _), (N.testbit v _).
Qed.
Lemma less_at_highest u v : u <> v -> N.testbit v (N.log2 (N.lxor u v)) = true -> u < v.
Proof.
  intros D T. pose proof (differ_highest u v D) as U. rewrite T in U. simpl in U. set (h := N.log2 (N.lxor u v)) in *.
  apply N.nle_gt. intros L. apply (N.div_le_mono _ _ (2 ^ h)) in L; [|now apply N.pow_nonzero].
  rewrite <- !N.shiftr_div_pow2 in L. pose proof (N.div2_odd (N.shiftr u h)) as EU.
  pose proof (N.div2_odd (N.shiftr v h)) as EV. rewrite <- !N.bit0_odd, !N.shiftr_spec', N.add_0_l in EU, EV.
  rewrite T in EV. rewrite U in EU. simpl in *. enough (N.div2 (N.shiftr u h) = N.div2 (N.shiftr v h)) by lia.
  apply N.bits_inj. intros k. rewrite !N.div2_spec, !N.shiftr_spec'.
  assert (N.testbit (N.lxor u v) (k + 1 + h) = false) as B by (apply N.bits_above_log2; change (h < k + 1 + h); lia).
  rewrite N.lxor_spec in B. revert B. now destruct (N.testbit u (k + 1 + h)), (N.testbit v (k + 1 + h)).
Qed.

Lemma log2_lxor_above a b : N.log2 a < N.log2 b -> N.log2 (N.lxor a b) = N.log2 b.
Proof.
  intros L. assert (b <> 0) as Nz by (intros ->; simpl in L; lia). apply N.log2_bits_unique.
  - now rewrite N.lxor_spec, highest_set, N.bits_above_log2.
  - intros k K. now rewrite N.lxor_spec, !N.bits_above_log2 by lia.
Qed.

(* Elements by ascending highest bit, which no other has. *)
Fixpoint echelon (e : list N) : Prop :=
  match e with
  | [] => True
  | r :: e => r <> 0 /\ (forall s, In s e -> N.log2 r < N.log2 s /\ N.testbit s (N.log2 r) = false) /\ echelon e
  end.

Lemma no_bit e j x : (forall s, In s e -> N.testbit s j = false) -> N.testbit (xor_of e x) j = false.
Proof.
  intros H. apply (within_each e (fun v => N.testbit v j = false)); [apply N.bits_0| |easy|now exists x].
  intros u v U V. now rewrite N.lxor_spec, U, V.
Qed.

(* The highest bit of a sum is that of the last element in it, and tells whether it is in another. *)
Lemma top e : echelon e -> forall z, z <> 0 -> z < 2 ^ count e -> xor_of e z <> 0 /\
  (exists r, In r e /\ N.log2 (xor_of e z) = N.log2 r) /\
  (forall y, N.testbit (xor_of e y) (N.log2 (xor_of e z)) = N.testbit y (N.log2 z)).
Proof.
  induction e as [|r e IH]; intros E z Nz L; [change (2 ^ count []) with 1 in L; lia|].
  destruct E as (Nr & Above & E). rewrite count_cons in L. apply div2_below in L. cbn [xor_of].
  destruct (N.eq_dec (N.div2 z) 0) as [Z|Z].
  - assert (z = 1) as ->.
    { pose proof (N.div2_odd z) as Q. rewrite Z in Q. destruct (N.odd z); cbn [N.b2n] in Q; lia. }
    cbn [N.odd N.div2].
    rewrite xor_of_0, N.lxor_0_r. split; [easy|]. split; [exists r; split; [now left|easy]|]. intros y.
    rewrite N.lxor_spec, no_bit by (intros s Hs; now apply Above). rewrite xorb_false_r, N.bit0_odd.
    destruct (N.odd y); [now apply highest_set|apply N.bits_0].
  - destruct (IH E _ Z L) as (Nw & (s & Hs & Ls) & T). set (w := xor_of e (N.div2 z)) in *.
    assert (N.log2 (if N.odd z then r else 0) <= N.log2 r) as La by (destruct (N.odd z); simpl; lia).
    assert (N.log2 r < N.log2 w) as Lw by (rewrite Ls; now apply Above).
    assert (N.log2 (N.lxor (if N.odd z then r else 0) w) = N.log2 w) as Lz by (apply log2_lxor_above; lia).
    split; [intros X; rewrite X in Lz; simpl in Lz; lia|]. rewrite Lz.
    split; [exists s; split; [now right|easy]|]. intros y. rewrite N.lxor_spec, T.
    assert (N.testbit (if N.odd y then r else 0) (N.log2 w) = false) as ->.
    { destruct (N.odd y); [now apply N.bits_above_log2|apply N.bits_0]. }
    rewrite xorb_false_l, <- bit_succ. f_equal. pose proof (N.div2_odd z) as Dz. set (h := N.div2 z) in *.
    clearbody h w.
    clear - Dz Z. symmetry. destruct (N.odd z); rewrite Dz; cbn [N.b2n]; [apply N.log2_succ_double; lia|].
    rewrite N.add_0_r. apply N.log2_double; lia.
Qed.

Lemma ascending e x y : echelon e -> x < y -> y < 2 ^ count e -> xor_of e x < xor_of e y.
Proof.
  intros E L H. assert (N.lxor x y <> 0) as Z by (rewrite N.lxor_eq_0_iff; lia).
  destruct (top e E _ Z ltac:(apply lxor_below; lia)) as (Nz & _ & T). rewrite xor_of_additive in *.
  apply less_at_highest; [now rewrite <- N.lxor_eq_0_iff|]. rewrite T.
  destruct (N.testbit y _) eqn:B; [easy|]. exfalso. apply (N.lt_asymm x y L), less_at_highest; [lia|].
  rewrite N.lxor_comm. now rewrite differ_highest, B by lia.
Qed.

(* Lists that take no number twice: as their sums are numbers, those that span the same have as many elements. *)
Definition independent (e : list N) : Prop :=
  forall x y, x < 2 ^ count e -> y < 2 ^ count e -> xor_of e x = xor_of e y -> x = y.

Lemma echelon_independent e : echelon e -> independent e.
Proof.
  intros E x y Hx Hy Q. destruct (N.lt_trichotomy x y) as [L|[L|L]]; [|easy|];
    pose proof (ascending e _ _ E L ltac:(easy)); lia.
Qed.

Definition table (e : list N) : list N := map (xor_of e) (iota (2 ^ count e)).
Lemma in_table e v : In v (table e) <-> within e v.
Proof.
  unfold table. rewrite in_map_iff. split; [intros (x & <- & _); now exists x|].
  intros [x <-]. destruct (xor_of_cut e x) as (z & L & <-). exists z. now rewrite in_iota.
Qed.
Lemma nodup_table e : independent e -> NoDup (table e).
Proof. intros I. apply nodup_map_in; [|apply nodup_iota]. intros x y. rewrite !in_iota. apply I. Qed.
Lemma length_table e : length (table e) = N.to_nat (2 ^ count e).
Proof. unfold table. now rewrite map_length, length_iota. Qed.

Lemma as_many e f : independent e -> independent f -> (forall v, within e v <-> within f v) -> count e = count f.
Proof.
  intros E F S. assert (length (table e) = length (table f)) as L.
  { apply Permutation_length, NoDup_Permutation; [now apply nodup_table..|]. intros v. rewrite !in_table. apply S. }
  rewrite !length_table in L. apply N2Nat.inj in L. now apply N.pow_inj_r in L.
Qed.

(* y without the elements whose highest bits it has. *)
Fixpoint least (e : list N) (y : N) : N :=
  match e with
  | [] => y
  | r :: e => least e (if N.testbit y (N.log2 r) then N.lxor y r else y)
  end.

Lemma least_additive e : additive (least e).
Proof.
  induction e as [|r e IH]; intros x y; simpl; [easy|]. rewrite <- IH, N.lxor_spec. f_equal.
  destruct (N.testbit x _), (N.testbit y _); simpl; apply N.bits_inj; intros k; rewrite !N.lxor_spec;
    destruct (N.testbit x k), (N.testbit y k), (N.testbit r k); easy.
Qed.
Lemma least_within e y : within e (N.lxor y (least e y)).
Proof.
  revert y. induction e as [|r e IH]; intros y; simpl; [rewrite N.lxor_nilpotent; apply within_0|].
  set (y' := if N.testbit y (N.log2 r) then N.lxor y r else y).
  replace (N.lxor y (least e y')) with (N.lxor (N.lxor y y') (N.lxor y' (least e y'))).
  - apply within_lxor.
    + subst y'. destruct (N.testbit _ _); [rewrite lxor_twice; apply within_in; now left|].
      rewrite N.lxor_nilpotent. apply within_0.
    + apply (within_trans e); [|apply IH]. intros s Hs. apply within_in. now right.
  - now rewrite N.lxor_assoc, lxor_twice.
Qed.
Lemma least_keeps e y j : (forall s, In s e -> N.testbit s j = false) -> N.testbit (least e y) j = N.testbit y j.
Proof.
  intros H. destruct (least_within e y) as [x E]. pose proof (no_bit e j x H) as B. rewrite E, N.lxor_spec in B.
  revert B. now destruct (N.testbit y j), (N.testbit (least e y) j).
Qed.
Lemma least_clear e y r : echelon e -> In r e -> N.testbit (least e y) (N.log2 r) = false.
Proof.
  revert y. induction e as [|s e IH]; intros y E; [easy|]. destruct E as (Ns & Above & E). intros [<-|Hr]; simpl.
  - rewrite least_keeps by (intros t Ht; now apply Above). destruct (N.testbit y _) eqn:B; [|easy].
    now rewrite N.lxor_spec, B, highest_set.
  - now apply IH.
Qed.
Lemma least_same e y : (forall r, In r e -> N.testbit y (N.log2 r) = false) -> least e y = y.
Proof. induction e as [|r e IH]; intros H; simpl; [easy|]. rewrite H by now left. apply IH. intros; apply H.
now right. Qed.

(* It is the least of y + what the list spans. *)
Lemma least_least e y v : echelon e -> within e v -> least e y <= N.lxor y v.
Proof.
  intros E W. destruct (within_lxor _ _ _ (least_within e y) W) as [x X].
  destruct (xor_of_cut e x) as (z & L & Z). rewrite X in Z.
  assert (N.lxor (least e y) (N.lxor y v) = xor_of e z) as D.
  { rewrite Z, (N.lxor_comm y (least e y)). symmetry. apply N.lxor_assoc. }
  destruct (N.eq_dec (least e y) (N.lxor y v)) as [Q|Q]; [lia|]. apply N.lt_le_incl, less_at_highest; [easy|].
  assert (z <> 0) as Nz.
  { intros ->. rewrite xor_of_0 in D. apply Q, N.lxor_eq_0_iff, D. }
  pose proof (differ_highest _ _ Q) as H. rewrite D in *. destruct (top e E z Nz L) as (_ & (r & Hr & Lr) & _).
  rewrite Lr, least_clear in H by easy. rewrite Lr. revert H. now destruct (N.testbit (N.lxor y v) _).
Qed.
Lemma least_0 e v : echelon e -> within e v <-> least e v = 0.
Proof.
  intros E. split.
  - intros W. pose proof (least_least e v v E W) as L. rewrite N.lxor_nilpotent in L. lia.
  - intros Z. pose proof (least_within e v) as W. now rewrite Z, N.lxor_0_r in W.
Qed.

(* One more element, which is the least of what it stands for. *)
Definition cleared (y r : N) : N := if N.testbit r (N.log2 y) then N.lxor y r else r.
Fixpoint insert_row (y : N) (e : list N) : list N :=
  match e with
  | [] => [y]
  | r :: f => if N.log2 r <? N.log2 y then r :: insert_row y f else y :: map (cleared y) e
  end.
Definition echelon_of (bs : list N) : list N :=
  fold_right (fun b e => let y := least e b in if y =? 0 then e else insert_row y e) [] bs.

Lemma cleared_log2 y r : N.log2 y < N.log2 r -> N.log2 (cleared y r) = N.log2 r.
Proof. intros L. unfold cleared. now destruct (N.testbit r (N.log2 y)); [apply log2_lxor_above|]. Qed.
Lemma cleared_bit y r j : N.testbit y j = false -> N.testbit (cleared y r) j = N.testbit r j.
Proof. intros B. unfold cleared. destruct (N.testbit r (N.log2 y)); [|easy].
now rewrite N.lxor_spec, B, xorb_false_l. Qed.

Lemma echelon_insert y e : y <> 0 -> (forall r, In r e -> N.testbit y (N.log2 r) = false) -> echelon e ->
  echelon (insert_row y e) /\ (forall s, In s (insert_row y e) ->
    s = y \/ exists r, In r e /\ N.log2 s = N.log2 r /\ (s = r \/ s = cleared y r)).
Proof.
  intros Ny. induction e as [|r e IH]; intros B E.
  { simpl. split; [easy|]. intros s [<-|[]]. now left. }
  destruct E as (Nr & Above & E). specialize (IH ltac:(intros; apply B; now right) E) as [IE IS].
  assert (N.log2 r <> N.log2 y) as Ne.
  { intros X. specialize (B r (or_introl eq_refl)). rewrite X, highest_set in B; easy. }
  cbn [insert_row]. destruct (N.ltb_spec (N.log2 r) (N.log2 y)) as [L|L]; split.
  - split; [easy|]. split; [|easy]. intros s Hs. destruct (IS s Hs) as [->|(t & Ht & Q & S)].
    + split; [easy|]. apply B. now left.
    + destruct (Above t Ht). rewrite Q. split; [easy|]. destruct S as [->| ->]; [easy|].
      rewrite cleared_bit; [easy|]. apply B. now left.
  - intros s [<-|Hs]; [right; exists r; simpl; auto|]. destruct (IS s Hs) as [->|(t & Ht & S)]; [now left|].
    right. exists t. simpl. auto.
  - assert (forall t, In t (r :: e) -> N.log2 y < N.log2 t) as H.
    { intros t [<-|Ht]; [lia|]. pose proof (proj1 (Above t Ht)). lia. }
    split; [easy|]. split.
    + intros s Hs. apply in_map_iff in Hs as (t & <- & Ht). specialize (H t Ht). rewrite cleared_log2 by easy.
      split; [easy|]. unfold cleared. destruct (N.testbit t (N.log2 y)) eqn:T; [|easy].
      now rewrite N.lxor_spec, T, highest_set.
    + clear IE IS. assert (echelon (r :: e)) as R by (split; auto). clear Nr Above E L Ne.
      induction (r :: e) as [|t f IH]; [easy|]. destruct R as (Nt & Above & R). simpl map. split; [|split].
      * intros Z. pose proof (cleared_log2 y t (H t (or_introl eq_refl))) as Q. rewrite Z in Q. simpl in Q.
        specialize (H t (or_introl eq_refl)). lia.
      * intros s Hs. apply in_map_iff in Hs as (u & <- & Hu).
        rewrite !cleared_log2, cleared_bit by (apply H || apply B; simpl; auto). now apply Above.
      * apply IH; [intros; apply B; now right|intros; apply H; now right|easy].
  - intros s [<-|Hs]; [now left|]. apply in_map_iff in Hs as (t & <- & Ht). right. exists t. split; [easy|].
  split; [|auto].
    apply cleared_log2. destruct Ht as [<-|Ht]; [lia|]. pose proof (proj1 (Above t Ht)). lia.
Qed.

Lemma insert_kept y e r : In r e -> In r (insert_row y e) \/ In (cleared y r) (insert_row y e).
Proof.
  induction e as [|t e IH]; [easy|]. intros H. cbn [insert_row]. destruct (_ <? _).
  - destruct H as [<-|H]; [left; now left|]. destruct (IH H); [left|right]; now right.
  - right. right. now apply in_map.
Qed.
Lemma insert_in y e : In y (insert_row y e).
Proof. induction e as [|r e IH]; simpl; [now left|]. destruct (_ <? _); [now right|now left]. Qed.

Lemma within_cleared e y r : within e y -> within e r -> within e (cleared y r).
Proof. unfold cleared. intros. destruct (N.testbit _ _); [now apply within_lxor|easy]. Qed.

(* It spans what the list does. *)
Lemma echelon_of_spec bs : echelon (echelon_of bs) /\ forall v, within (echelon_of bs) v <-> within bs v.
Proof.
  induction bs as [|b bs [E S]]; [easy|]. simpl. set (e := echelon_of bs) in *. set (y := least e b).
  assert (forall v, within bs v -> within (b :: bs) v) as More.
  { intros v. apply within_trans. intros r Hr. apply within_in. now right. }
  assert (forall f, within f y -> (forall v, within bs v -> within f v) -> within f b) as Back.
  { intros f Y K. replace b with (N.lxor y (N.lxor b y)) by (rewrite N.lxor_comm, N.lxor_assoc, N.lxor_nilpotent;
      apply N.lxor_0_r). apply within_lxor; [easy|]. apply K, S, least_within. }
  assert (within (b :: bs) y) as Y.
  { replace y with (N.lxor b (N.lxor b y)) by apply lxor_twice.
    apply within_lxor; [apply within_in; now left|]. apply More, S, least_within. }
  destruct (N.eqb_spec y 0) as [Z|Z].
  - split; [easy|]. intros v. rewrite S. split; [apply More|]. apply within_trans.
  intros r [<-|Hr]; [|now apply within_in].
    apply Back; [rewrite Z; apply within_0|easy].
  - destruct (echelon_insert y e Z) as [EI SI]; [intros r Hr; now apply least_clear|easy|]. split; [easy|].
    assert (forall v, within bs v -> within (insert_row y e) v) as Old.
    { intros v. rewrite <- S. apply within_trans. intros r Hr. destruct (insert_kept y e r Hr) as [K|K];
        [now apply within_in|]. unfold cleared in K. destruct (N.testbit _ _); [|now apply within_in].
      replace r with (N.lxor y (N.lxor y r)) by apply lxor_twice.
      apply within_lxor; apply within_in; [apply insert_in|easy]. }
    intros v. split; apply within_trans; intros r Hr.
    + destruct (SI r Hr) as [->|(t & Ht & _ & Q)]; [easy|].
      assert (within (b :: bs) t) by (apply More, S, within_in; easy). destruct Q as [->| ->]; [easy|].
      now apply within_cleared.
    + destruct Hr as [<-|Hr]; [|apply Old, within_in; easy]. apply Back; [apply within_in, insert_in|easy].
Qed.
