(* Linear maps over F2, the field of two elements: values are natural numbers, their bits the coordinates. *)
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

(* A map: the bits of a value, the shape of its coordinates, the images of the bits of an index. *)
Record f2_map := Linear { width : N; form : tuple; bases : list N }.
Definition f2_at (F : f2_map) (x : N) : N := xor_of (bases F) x.
Definition f2_bits (F : f2_map) : N := count (bases F).
(* Its values have no more bits than it says. *)
Definition formed (F : f2_map) : bool := forallb (fun b => b <? 2 ^ width F) (bases F).
Definition flat_map_of (n : N) (bs : list N) : f2_map := Linear n (Int (2 ^ count bs)) bs.
Definition f2_table (F : f2_map) : list N := map (f2_at F) (iota (2 ^ f2_bits F)).

Lemma f2_table_in F v : In v (f2_table F) <-> within (bases F) v.
Proof. apply in_table. Qed.
Lemma within_value F v : within (bases F) v <-> exists x, x < 2 ^ f2_bits F /\ f2_at F x = v.
Proof.
  rewrite <- f2_table_in. unfold f2_table. rewrite in_map_iff.
  split; intros (x & A & B); exists x; rewrite ?in_iota in *; auto.
Qed.
Lemma value_below F v : formed F = true -> within (bases F) v -> v < 2 ^ width F.
Proof.
  intros G. apply (within_each _ (fun v => v < 2 ^ width F)).
  - apply N.neq_0_lt_0. now apply N.pow_nonzero.
  - intros. now apply lxor_below.
  - intros r Hr. unfold formed in G. rewrite forallb_forall in G. now apply N.ltb_lt, G.
Qed.

(* Linearity: the value at a sum is the sum of the values. *)
Theorem f2_apply_linear F x y : f2_at F (N.lxor x y) = N.lxor (f2_at F x) (f2_at F y).
Proof. apply xor_of_additive. Qed.

(* The value at a coordinate: at its index. *)
Definition f2_apply (F : f2_map) (c : tuple) : option N := option_map (f2_at F) (crd2idx c (form F)).
Definition picked (bs : list N) (x : N) : list N :=
  map (fun k => if N.testbit x (N.of_nat k) then nth k bs 0 else 0) (seq 0 (length bs)).

(* It is the exclusive or of the bases at the bits of the index. *)
Theorem f2_apply_definition F c i : crd2idx c (form F) = Some i ->
  f2_apply F c = Some (fold_right N.lxor 0 (picked (bases F) i)).
Proof.
  intros I. unfold f2_apply, f2_at. rewrite I. simpl. f_equal. generalize (bases F) as bs. clear. revert i.
  enough (forall bs k i x, (forall j, N.testbit x j = N.testbit i (j + N.of_nat k)) -> xor_of bs x =
    fold_right N.lxor 0 (map (fun j => if N.testbit i (N.of_nat j) then nth (j - k) bs 0 else 0) (seq k (length bs))))
      as K.
  { intros i bs. rewrite (K bs 0%nat i i) by (intros; now rewrite N.add_0_r). unfold picked. f_equal. apply map_ext.
    intros j. now rewrite Nat.sub_0_r. }
  induction bs as [|b bs IH]; intros k i x H; [easy|]. cbn [xor_of length seq map fold_right]. f_equal.
  - rewrite <- N.bit0_odd, H, N.add_0_l, Nat.sub_diag. easy.
  - rewrite (IH (S k) i) by (intros j; rewrite <- bit_succ, H; f_equal; lia). f_equal. apply map_ext_in.
    intros j Hj. apply in_seq in Hj. destruct (N.testbit i _); [|easy].
    now replace (j - k)%nat with (S (j - S k)) by lia.
Qed.

(* The same at what may be no coordinate. *)
Definition f2_value_at (F : f2_map) (c : tuple) : option N := if inside c (form F) then f2_apply F c else None.
(* It is defined exactly at coordinates. *)
Theorem f2_apply_exists F c : tpositive (form F) = true ->
  (exists v, f2_value_at F c = Some v) <-> inside c (form F) = true.
Proof.
  intros P. unfold f2_value_at. destruct (inside c (form F)) eqn:I;
    [|split; [intros [v E]; discriminate|discriminate]].
  split; [easy|]. intros _. unfold f2_apply. rewrite (proj1 (crd2idx_definition c (form F) P I)). simpl. eauto.
Qed.

(* The values in ascending order; how many bits they have; the indices of 0 in ascending order. *)
Definition f2_image (F : f2_map) : f2_map := flat_map_of (width F) (echelon_of (bases F)).
Definition f2_rank (F : f2_map) : N := f2_bits (f2_image F).
(* All pairs (F(x), x), a pair being F(x) 2^m + x for indices of m bits. *)
Definition pair (m v x : N) : N := N.lxor (N.shiftl v m) x.
Fixpoint pairs (m k : N) (bs : list N) : list N :=
  match bs with
  | [] => []
  | b :: bs => pair m b (2 ^ k) :: pairs m (N.succ k) bs
  end.
Definition graph (F : f2_map) : list N := echelon_of (pairs (f2_bits F) 0 (bases F)).
Definition f2_kernel (F : f2_map) : f2_map :=
  flat_map_of (f2_bits F) (List.filter (fun r => r <? 2 ^ f2_bits F) (graph F)).

(* f2_image(F)(i) is the i-th smallest value of F. *)
Theorem f2_image_ascending F v i j : (In v (f2_table F) <-> In v (f2_table (f2_image F))) /\
  (i < j -> j < 2 ^ f2_rank F -> f2_at (f2_image F) i < f2_at (f2_image F) j).
Proof.
  destruct (echelon_of_spec (bases F)) as [E S]. split; [|now apply ascending].
  rewrite !f2_table_in. symmetry. apply S.
Qed.

(* F has 2^rank values. *)
Theorem f2_rank_definition F : exists values, NoDup values /\ N.of_nat (length values) = 2 ^ f2_rank F /\
  (forall v, In v values <-> In v (f2_table F)).
Proof.
  destruct (echelon_of_spec (bases F)) as [E S]. exists (f2_table (f2_image F)). repeat split.
  - now apply nodup_table, echelon_independent.
  - unfold f2_table. now rewrite map_length, length_iota, N2Nat.id.
  - rewrite !f2_table_in. apply S.
  - rewrite !f2_table_in. apply S.
Qed.

Lemma pair_additive m v w x y : pair m (N.lxor v w) (N.lxor x y) = N.lxor (pair m v x) (pair m w y).
Proof. unfold pair. now rewrite N.shiftl_lxor, lxor_4. Qed.
Lemma pair_shift m v w x : N.lxor (pair m v x) (N.shiftl w m) = pair m (N.lxor v w) x.
Proof. unfold pair. rewrite N.shiftl_lxor, !N.lxor_assoc. f_equal. apply N.lxor_comm. Qed.
Lemma pair_sum m v x : x < 2 ^ m -> pair m v x = v * 2 ^ m + x.
Proof.
  intros L. unfold pair. rewrite N.shiftl_mul_pow2. symmetry. apply N.add_nocarry_lxor. rewrite N.mul_comm.
  now apply run_disjoint.
Qed.
Lemma pair_value m v x : x < 2 ^ m -> N.shiftr (pair m v x) m = v.
Proof. intros L. rewrite pair_sum, N.shiftr_div_pow2, N.div_add_l, N.div_small by (easy || now apply N.pow_nonzero).
lia. Qed.
Lemma pair_index m v x : x < 2 ^ m -> N.land (pair m v x) (N.ones m) = x.
Proof.
  intros L. rewrite pair_sum, N.land_ones, N.add_comm, N.mod_add, N.mod_small by (easy || now apply N.pow_nonzero).
    easy.
Qed.

Lemma pairs_at m k bs x : x < 2 ^ count bs -> xor_of (pairs m k bs) x = pair m (xor_of bs x) (x * 2 ^ k).
Proof.
  revert k x. induction bs as [|b bs IH]; intros k x L.
  { change (2 ^ count []) with 1 in L. replace x with 0 by lia. easy. }
  rewrite count_cons in L. apply div2_below in L as Ld. cbn [pairs xor_of]. rewrite IH by easy.
  replace (x * 2 ^ k) with (N.lxor (if N.odd x then 2 ^ k else 0) (N.div2 x * 2 ^ N.succ k)).
  - rewrite pair_additive. f_equal. destruct (N.odd x); [easy|]. unfold pair. now rewrite N.shiftl_0_l.
  - rewrite (N.div2_odd x) at 3. rewrite N.pow_succ_r'. destruct (N.odd x); cbn [N.b2n].
    + rewrite N.lxor_comm, <- N.add_nocarry_lxor by (replace (N.div2 x * (2 * 2 ^ k)) with (2 ^ N.succ k * N.div2 x)
        by (rewrite N.pow_succ_r'; lia); apply run_disjoint; rewrite N.pow_succ_r'; pose proof (N.pow_nonzero 2 k);
          lia). lia.
    + rewrite N.lxor_0_l. lia.
Qed.
Lemma count_pairs m k bs : count (pairs m k bs) = count bs.
Proof. revert k. induction bs as [|b bs IH]; intros k; cbn [pairs]; [easy|]. now rewrite !count_cons, IH. Qed.
Lemma within_pairs F v : within (pairs (f2_bits F) 0 (bases F)) v <->
  exists x, x < 2 ^ f2_bits F /\ v = pair (f2_bits F) (f2_at F x) x.
Proof.
  split.
  - intros [x <-]. destruct (xor_of_cut (pairs (f2_bits F) 0 (bases F)) x) as (z & L & <-).
    rewrite count_pairs in L. exists z. split; [easy|]. rewrite pairs_at by easy. now rewrite N.mul_1_r.
  - intros (x & L & ->). exists x. rewrite pairs_at by easy. now rewrite N.mul_1_r.
Qed.
Lemma graph_spec F : echelon (graph F) /\ forall v, within (graph F) v <->
  exists x, x < 2 ^ f2_bits F /\ v = pair (f2_bits F) (f2_at F x) x.
Proof. destruct (echelon_of_spec (pairs (f2_bits F) 0 (bases F))) as [E S]. split; [easy|]. intros v.
now rewrite S, within_pairs. Qed.

Lemma echelon_filter p e : echelon e -> echelon (List.filter p e).
Proof.
  induction e as [|r e IH]; [easy|]. intros (Nr & Above & E). simpl. specialize (IH E).
  destruct (p r); [|easy]. split; [easy|]. split; [|easy]. intros s Hs. apply filter_In in Hs as [Hs _]. auto.
Qed.
(* A sum of few bits is one of elements of few bits. *)
Lemma within_small e m v : echelon e -> within e v -> v < 2 ^ m -> within (List.filter (fun r => r <? 2 ^ m) e) v.
Proof.
  intros E [x <-]. destruct (xor_of_cut e x) as (z & L & <-). revert z L. induction e as [|r e IH]; intros z L H.
  { apply within_0. }
  destruct E as (Nr & Above & E). rewrite count_cons in L. apply div2_below in L. cbn [xor_of] in *.
  set (w := xor_of e (N.div2 z)) in *.
  assert (forall u, within (List.filter (fun r => r <? 2 ^ m) e) u ->
    within (List.filter (fun r => r <? 2 ^ m) (r :: e)) u) as More.
  { intros u. apply within_trans. intros s Hs. apply within_in. simpl. destruct (r <? _); [now right|easy]. }
  assert (r < 2 ^ m -> within (List.filter (fun r => r <? 2 ^ m) (r :: e)) r) as First.
  { intros Lr. apply within_in. simpl. apply N.ltb_lt in Lr. rewrite Lr. now left. }
  destruct (N.eq_dec (N.div2 z) 0) as [Z|Z].
  - assert (w = 0) as W by (unfold w; rewrite Z; apply xor_of_0). rewrite W, N.lxor_0_r in *.
    destruct (N.odd z); [now apply First|apply within_0].
  - destruct (top e E _ Z L) as (Nw & (s & Hs & Ls) & _). fold w in Nw, Ls. destruct (Above s Hs) as [Lrs _].
    assert (N.log2 (if N.odd z then r else 0) < N.log2 w) as La by (destruct (N.odd z); simpl; lia).
    assert (N.log2 w < m) as Lw.
    { rewrite <- (log2_lxor_above _ _ La). apply N.log2_lt_pow2; [|easy]. apply N.neq_0_lt_0. intros X.
      pose proof (log2_lxor_above _ _ La) as Q. rewrite X in Q. simpl in Q. lia. }
    apply within_lxor.
    + apply within_if, First. apply N.log2_lt_pow2; lia.
    + apply More, IH; [easy|easy|]. apply N.log2_lt_pow2; [lia|easy].
Qed.

Lemma kernel_spec F v : within (bases (f2_kernel F)) v <-> v < 2 ^ f2_bits F /\ f2_at F v = 0.
Proof.
  destruct (graph_spec F) as [E S]. unfold f2_kernel, flat_map_of. cbn [bases]. split.
  - intros W. assert (v < 2 ^ f2_bits F) as L.
    { revert W. apply (within_each _ (fun v => v < 2 ^ f2_bits F)).
      - apply N.neq_0_lt_0. now apply N.pow_nonzero.
      - intros. now apply lxor_below.
      - intros r Hr. apply filter_In in Hr as [_ Hr]. now apply N.ltb_lt. }
    split; [easy|]. assert (within (graph F) v) as G.
    { revert W. apply within_trans. intros r Hr. apply filter_In in Hr as [Hr _]. now apply within_in. }
    apply S in G as (x & Lx & Q). pose proof (pair_value (f2_bits F) (f2_at F x) x Lx) as V.
    pose proof (pair_index (f2_bits F) (f2_at F x) x Lx) as I. rewrite <- Q in *.
    rewrite N.shiftr_div_pow2, N.div_small in V by easy. rewrite N.land_ones, N.mod_small in I by easy. congruence.
  - intros [L Z]. apply within_small; [easy| |easy]. apply S. exists v. split; [easy|]. rewrite Z. unfold pair.
    now rewrite N.shiftl_0_l.
Qed.

(* f2_kernel(F)(i) is the i-th smallest index of 0. *)
Theorem f2_kernel_ascending F v i j : (In v (f2_table (f2_kernel F)) <-> v < 2 ^ f2_bits F /\ f2_at F v = 0) /\
  (i < j -> j < 2 ^ f2_bits (f2_kernel F) -> f2_at (f2_kernel F) i < f2_at (f2_kernel F) j).
Proof.
  rewrite f2_table_in, kernel_spec. split; [easy|]. apply ascending. apply echelon_filter, graph_spec.
Qed.

Lemma echelon_nonzero e r : echelon e -> In r e -> r <> 0.
Proof. induction e as [|s e IH]; [easy|]. intros (Ns & _ & E) [<-|H]; auto. Qed.
Lemma echelon_shift e m : echelon e -> (forall r, In r e -> m <= N.log2 r) -> echelon (map (fun r => N.shiftr r m) e).
Proof.
  induction e as [|r e IH]; [easy|]. intros (Nr & Above & E) H. cbn [map]. split; [|split].
  - intros Z. apply N.shiftr_eq_0_iff in Z as [->|[_ L]]; [easy|]. specialize (H r (or_introl eq_refl)). lia.
  - intros s Hs. apply in_map_iff in Hs as (t & <- & Ht). destruct (Above t Ht) as [L B].
    pose proof (H r (or_introl eq_refl)). rewrite !N.log2_shiftr, N.shiftr_spec', N.sub_add by easy. split; [lia|easy].
  - apply IH; [easy|]. intros s Hs. apply H. now right.
Qed.
Lemma count_filter p e : count (List.filter p e) + count (List.filter (fun r => negb (p r)) e) = count e.
Proof. induction e as [|r e IH]; simpl; [easy|]. destruct (p r); simpl; rewrite !count_cons; lia. Qed.
Lemma count_map f e : count (map f e) = count e.
Proof. unfold count. now rewrite map_length. Qed.

(* The rank and the bits of the kernel are together the bits of an index. *)
Theorem f2_rank_nullity F : f2_rank F + f2_bits (f2_kernel F) = f2_bits F.
Proof.
  destruct (graph_spec F) as [E S]. destruct (echelon_of_spec (bases F)) as [EI SI]. set (m := f2_bits F) in *.
  assert (count (graph F) = m) as Cg.
  { transitivity (count (pairs m 0 (bases F))); [|apply count_pairs]. apply as_many.
    - now apply echelon_independent.
    - intros x y Hx Hy Q. rewrite count_pairs in *. rewrite !pairs_at in Q by easy. rewrite !N.mul_1_r in Q.
      apply (f_equal (fun v => N.land v (N.ones m))) in Q. now rewrite !pair_index in Q.
    - intros v. apply echelon_of_spec. }
  set (high := List.filter (fun r => negb (r <? 2 ^ m)) (graph F)).
  assert (forall r, In r high -> m <= N.log2 r) as High.
  { intros r Hr. apply filter_In in Hr as [Hr L]. apply negb_true_iff, N.ltb_ge in L.
    apply N.log2_le_pow2; [|easy]. apply N.neq_0_lt_0. now apply (echelon_nonzero (graph F)). }
  assert (count (map (fun r => N.shiftr r m) high) = f2_rank F) as Cr.
  { apply as_many.
    - apply echelon_independent, echelon_shift; [|easy]. now apply echelon_filter.
    - now apply echelon_independent.
    - intros v. rewrite SI. split.
      + apply within_trans. intros s Hs. apply in_map_iff in Hs as (r & <- & Hr). apply filter_In in Hr as [Hr _].
        apply within_in, S in Hr as (x & L & ->). rewrite pair_value by easy. now exists x.
      + intros W. apply within_value in W as (x & L & <-). rewrite <- (pair_value m (f2_at F x) x) by easy.
        apply (within_mapped (graph F) _ (fun r => N.shiftr r m)); [intros a b; apply N.shiftr_lxor| |apply S; now
          exists x].
        intros r Hr. destruct (N.ltb_spec r (2 ^ m)) as [Lr|Lr].
        * rewrite N.shiftr_div_pow2, N.div_small by easy. apply within_0.
        * apply within_in, in_map_iff. exists r. split; [easy|]. apply filter_In. split; [easy|].
          now apply negb_true_iff, N.ltb_ge. }
  rewrite count_map in Cr. pose proof (count_filter (fun r => r <? 2 ^ m) (graph F)) as C. cbv beta in C.
  fold high in C.
  change (f2_bits (f2_kernel F)) with (count (List.filter (fun r => r <? 2 ^ m) (graph F))). lia.
Qed.

(* F o G, where the values of G are indices of F. *)
Definition f2_compose (F G : f2_map) : option f2_map :=
  if forallb (fun b => b <? 2 ^ f2_bits F) (bases G)
  then Some (Linear (width F) (form G) (map (f2_at F) (bases G))) else None.

Lemma xor_of_image f bs x : additive f -> xor_of (map f bs) x = f (xor_of bs x).
Proof.
  intros A. revert x. induction bs as [|b bs IH]; intros x; simpl; [now rewrite additive_0|].
  rewrite IH, A. f_equal. destruct (N.odd x); [easy|]. now rewrite additive_0.
Qed.

(* Composition is that of the functions, over the shape of G. *)
Theorem f2_compose_pointwise F G R x : f2_compose F G = Some R -> form R = form G /\ f2_at R x = f2_at F (f2_at G x).
Proof.
  unfold f2_compose. destruct (forallb _ _); [|discriminate]. intros Q. injection Q as <-. split; [easy|].
  apply xor_of_image, xor_of_additive.
Qed.

(* It is defined exactly when the values of G are indices of F. *)
Theorem f2_compose_exists F G :
  (exists R, f2_compose F G = Some R) <-> (forall v, In v (f2_table G) -> v < 2 ^ f2_bits F).
Proof.
  unfold f2_compose. setoid_rewrite f2_table_in. destruct (forallb _ _) eqn:B.
  - split; [|eauto]. intros _. apply within_each; [apply N.neq_0_lt_0; now apply N.pow_nonzero| |].
    + intros. now apply lxor_below.
    + rewrite forallb_forall in B. intros r Hr. now apply N.ltb_lt, B.
  - split; [intros [R Q]; discriminate|]. intros H. exfalso. rewrite <- not_true_iff_false in B.
  apply B, forallb_forall.
    intros r Hr. now apply N.ltb_lt, H, within_in.
Qed.

(* (F o G) o H = F o (G o H). *)
Theorem f2_compose_associative F G H P Q : f2_compose F G = Some P -> f2_compose G H = Some Q ->
  f2_compose P H = f2_compose F Q /\ exists R, f2_compose P H = Some R.
Proof.
  intros EP EQ. pose proof (proj1 (f2_compose_exists F G) (ex_intro _ _ EP)) as V.
  assert (forall x, f2_at P x = f2_at F (f2_at G x)) as PW by (intros; now apply f2_compose_pointwise).
  unfold f2_compose in *. destruct (forallb _ (bases G)); [|discriminate].
  destruct (forallb _ (bases H)) eqn:B; [|discriminate]. injection EP as EP. injection EQ as EQ.
  assert (f2_bits P = f2_bits G) as Bits by (rewrite <- EP; apply count_map). rewrite Bits, B.
  assert (forallb (fun b => b <? 2 ^ f2_bits F) (bases Q) = true) as ->.
  { rewrite <- EQ. cbn [bases]. apply forallb_forall. intros r Hr. apply in_map_iff in Hr as (b & <- & _).
    apply N.ltb_lt, V, f2_table_in. now exists b. }
  rewrite <- EQ. cbn [bases form]. rewrite map_map. split; [|eauto]. f_equal. f_equal; [now rewrite <- EP|].
  apply map_ext. apply PW.
Qed.

(* L(y), for y of n bits: the x for which F(x) + y is least, and of those the least. *)
Definition index_near (F : f2_map) (y : N) : N :=
  N.land (least (graph F) (N.shiftl y (f2_bits F))) (N.ones (f2_bits F)).
Definition indices_near (F : f2_map) (n : N) : f2_map :=
  flat_map_of (f2_bits F) (map (fun k => index_near F (2 ^ k)) (iota n)).
Definition f2_left_inverse (F : f2_map) : f2_map := indices_near F (width F).

Lemma index_near_additive F : additive (index_near F).
Proof.
  intros x y. unfold index_near. rewrite N.shiftl_lxor, least_additive. apply N.bits_inj. intros k.
  rewrite N.lxor_spec, !N.land_spec, N.lxor_spec.
  now destruct (N.testbit (N.ones (f2_bits F)) k); rewrite ?andb_true_r, ?andb_false_r.
Qed.
Lemma indices_near_at F n y : y < 2 ^ n -> f2_at (indices_near F n) y = index_near F y.
Proof. apply xor_of_map, index_near_additive. Qed.
Lemma bits_near F n : f2_bits (indices_near F n) = n.
Proof. unfold f2_bits, indices_near, flat_map_of. cbn [bases]. rewrite count_map. unfold count. rewrite length_iota.
lia. Qed.

Lemma nearest F y : index_near F y < 2 ^ f2_bits F /\ forall x, x < 2 ^ f2_bits F ->
  let d := N.lxor (f2_at F (index_near F y)) y in let e := N.lxor (f2_at F x) y in
  d < e \/ (d = e /\ index_near F y <= x).
Proof.
  destruct (graph_spec F) as [E S]. unfold index_near. set (m := f2_bits F) in *. set (l := least _ _).
  assert (exists x0, x0 < 2 ^ m /\ l = pair m (N.lxor (f2_at F x0) y) x0) as (x0 & L0 & Q).
  { destruct (proj1 (S _) (least_within (graph F) (N.shiftl y m))) as (x0 & L0 & Q). exists x0. split; [easy|].
    fold l in Q. rewrite N.lxor_comm in Q. apply lxor_move in Q. rewrite Q. apply pair_shift. }
  rewrite Q, pair_index by easy. split; [easy|]. intros x L. cbn zeta.
  set (d := N.lxor (f2_at F x0) y). set (e := N.lxor (f2_at F x) y).
  assert (l <= pair m e x) as Le.
  { replace (pair m e x) with (N.lxor (N.shiftl y m) (pair m (f2_at F x) x)).
    - apply least_least; [easy|]. apply S. now exists x.
    - rewrite N.lxor_comm. apply pair_shift. }
  rewrite Q, !pair_sum in Le by easy. fold d in Le. clearbody d e. clear - Le L L0.
  destruct (N.lt_trichotomy d e) as [H|[H|H]]; [now left|right; subst; lia|].
  exfalso. assert (2 ^ m * (e + 1) <= 2 ^ m * d) by (apply N.mul_le_mono_l; lia). lia.
Qed.

(* The left inverse has at y the least x of those for which F(x) + y is least. *)
Theorem f2_left_inverse_nearest F x y : x < 2 ^ f2_bits F -> y < 2 ^ width F ->
  let z := f2_at (f2_left_inverse F) y in z < 2 ^ f2_bits F /\ (N.lxor (f2_at F z) y < N.lxor (f2_at F x) y \/
  (N.lxor (f2_at F z) y = N.lxor (f2_at F x) y /\ z <= x)).
Proof.
  intros X Y. unfold f2_left_inverse. rewrite indices_near_at by easy. destruct (nearest F y) as [L N]. split; [easy|].
  now apply N.
Qed.

Lemma near_value F x : x < 2 ^ f2_bits F -> f2_at F (index_near F (f2_at F x)) = f2_at F x /\ index_near F (f2_at F x)
  <= x.
Proof.
  intros L. destruct (nearest F (f2_at F x)) as [_ H]. specialize (H x L). cbn zeta in H.
  rewrite N.lxor_nilpotent in H. destruct H as [H|[H K]]; [lia|]. split; [now apply N.lxor_eq_0_iff|easy].
Qed.

(* It is a pseudo-inverse: F(L(F(x))) = F(x). *)
Theorem f2_left_inverse_pseudo F x : formed F = true -> x < 2 ^ f2_bits F ->
  f2_bits (f2_left_inverse F) = width F /\ f2_at F (f2_at (f2_left_inverse F) (f2_at F x)) = f2_at F x.
Proof.
  intros G L. split; [apply bits_near|]. unfold f2_left_inverse. rewrite indices_near_at.
  - now apply near_value.
  - apply value_below; [easy|]. now exists x.
Qed.

(* R(y) is the least x with F(x) = y, for y below the largest power of two up to which all are values. *)
Fixpoint run_of (p : N -> bool) (k : N) (n : nat) : N :=
  match n with
  | O => k
  | S n => if p k then run_of p (N.succ k) n else k
  end.
Definition f2_right_inverse (F : f2_map) : f2_map :=
  indices_near F (run_of (fun k => f2_at F (index_near F (2 ^ k)) =? 2 ^ k) 0 (N.to_nat (width F))).

Lemma run_of_spec p k n : let r := run_of p k n in k <= r /\ r <= k + N.of_nat n /\ (forall j, k <= j -> j < r -> p j
  = true) /\
  (r < k + N.of_nat n -> p r = false).
Proof.
  revert k. induction n as [|n IH]; intros k; cbn zeta; cbn [run_of]; [repeat split; try lia|].
  destruct (p k) eqn:P; [|repeat split; try lia; easy]. destruct (IH (N.succ k)) as (A & B & C & D).
  repeat split; try lia; [|intros; apply D; lia]. intros j L1 L2. destruct (N.eq_dec j k) as [->|]; [easy|].
  apply C; lia.
Qed.

Lemma right_inverse_values F y : y < 2 ^ f2_bits (f2_right_inverse F) -> f2_at F (index_near F y) = y.
Proof.
  unfold f2_right_inverse. rewrite bits_near. set (n := run_of _ _ _). intros L.
  apply (linear_agree (fun y => f2_at F (index_near F y)) (fun y => y) n); [|easy| |easy].
  - intros a b. now rewrite index_near_additive, f2_apply_linear.
  - intros k K. apply N.eqb_eq. refine (proj1 (proj2 (proj2 (run_of_spec _ 0 _))) k _ K). lia.
Qed.

(* The right inverse has at y the least x with F(x) = y. *)
Theorem f2_right_inverse_least F x y : y < 2 ^ f2_bits (f2_right_inverse F) -> x < 2 ^ f2_bits F ->
  f2_at F (f2_at (f2_right_inverse F) y) = y /\ (f2_at F x = y -> f2_at (f2_right_inverse F) y <= x).
Proof.
  intros Y X. pose proof (right_inverse_values F y Y) as V. unfold f2_right_inverse in *. rewrite bits_near in Y.
  rewrite indices_near_at by easy. split; [easy|]. intros <-. now apply near_value.
Qed.

(* Its size is the largest power of two below which all numbers are values of F. *)
Theorem f2_right_inverse_maximal F y : formed F = true -> let n := f2_bits (f2_right_inverse F) in
  (y < 2 ^ n -> In y (f2_table F)) /\ ~ In (2 ^ n) (f2_table F).
Proof.
  intros G n. rewrite !f2_table_in. split; [intros L; exists (index_near F y); now apply right_inverse_values|].
  intros W. pose proof (value_below F _ G W) as L. apply N.pow_lt_mono_r_iff in L; [|lia].
  apply within_value in W as (x & X & Q). subst n. unfold f2_right_inverse in *. rewrite bits_near in *.
  set (p := fun k => _) in *. destruct (run_of_spec p 0 (N.to_nat (width F))) as (_ & _ & _ & D).
  set (n := run_of _ _ _) in *. specialize (D ltac:(lia)). unfold p in D. rewrite <- Q in D.
  rewrite (proj1 (near_value F x X)), N.eqb_refl in D. discriminate.
Qed.

(* The inverse of a bijection. *)
Definition f2_invert (F : f2_map) : option f2_map :=
  if (f2_bits F =? width F) && (f2_rank F =? width F) then Some (f2_left_inverse F) else None.

Lemma injective_of_rank F : f2_rank F = f2_bits F -> NoDup (f2_table F).
Proof.
  intros R. pose proof (f2_rank_nullity F) as Nul. apply nodup_map_in; [|apply nodup_iota].
  intros x y Hx Hy Q. rewrite in_iota in *. apply N.lxor_eq_0_iff.
  assert (within (bases (f2_kernel F)) (N.lxor x y)) as [z <-].
  { apply kernel_spec. split; [now apply lxor_below|]. rewrite f2_apply_linear, Q. apply N.lxor_nilpotent. }
  assert (count (bases (f2_kernel F)) = 0) as C by (unfold f2_bits in *; lia).
  destruct (bases (f2_kernel F)); [easy|]. rewrite count_cons in C. lia.
Qed.
Lemma rank_of_injective F : NoDup (f2_table F) -> f2_rank F = f2_bits F.
Proof.
  intros D. pose proof (f2_rank_nullity F) as Nul. enough (f2_bits (f2_kernel F) = 0) by lia.
  destruct (bases (f2_kernel F)) as [|r e] eqn:B; [unfold f2_bits; now rewrite B|]. exfalso.
  assert (within (bases (f2_kernel F)) r) as W by (apply within_in; rewrite B; now left).
  apply kernel_spec in W as [L Z]. apply (echelon_nonzero (bases (f2_kernel F)) r).
  - apply echelon_filter, graph_spec.
  - rewrite B. now left.
  - unfold f2_table in D. apply (nodup_map_inverse (f2_at F) _ r 0 D); rewrite ?in_iota; try easy.
    + apply N.neq_0_lt_0. now apply N.pow_nonzero.
    + rewrite Z. symmetry. apply xor_of_0.
Qed.

(* The inverse undoes the map, and the map the inverse. *)
Theorem f2_invert_both_ways F R x : f2_invert F = Some R -> formed F = true -> x < 2 ^ f2_bits F ->
  f2_bits R = f2_bits F /\ f2_at R (f2_at F x) = x /\ f2_at F (f2_at R x) = x.
Proof.
  unfold f2_invert. destruct (_ && _) eqn:C; [|discriminate]. intros Q G L. injection Q as <-.
  apply andb_true_iff in C as [C1 C2]. apply N.eqb_eq in C1, C2. unfold f2_left_inverse. rewrite bits_near.
  assert (forall y, y < 2 ^ f2_bits F -> f2_at F y < 2 ^ width F) as V.
  { intros y _. apply value_below; [easy|]. now exists y. }
  assert (NoDup (f2_table F)) as D by (apply injective_of_rank; lia).
  rewrite !indices_near_at by (rewrite <- ?C1; auto; rewrite C1; auto). split; [easy|].
  destruct (nearest F (f2_at F x)) as [L1 _]. destruct (nearest F x) as [L2 _].
  assert (forall y, y < 2 ^ f2_bits F -> index_near F (f2_at F y) = y) as I.
  { intros y Hy. apply (nodup_map_inverse (f2_at F) (iota (2 ^ f2_bits F))); rewrite ?in_iota; try easy.
    - now destruct (nearest F (f2_at F y)).
    - now apply near_value. }
  split; [now apply I|].
  assert (In x (f2_table F)) as H.
  { apply (NoDup_length_incl D (l' := iota (2 ^ f2_bits F))); [| |now apply in_iota].
    - unfold f2_table. now rewrite map_length.
    - intros v Hv. apply in_map_iff in Hv as (y & <- & Hy). rewrite in_iota in *. rewrite C1. now apply V. }
  apply in_map_iff in H as (y & <- & Hy). apply in_iota in Hy. now rewrite I.
Qed.

(* It is defined exactly when F takes each number of its n bits once. *)
Theorem f2_invert_exists F : formed F = true ->
  (exists R, f2_invert F = Some R) <-> Permutation (f2_table F) (iota (2 ^ width F)).
Proof.
  intros G. unfold f2_invert. split.
  - intros [R Q]. destruct (_ && _) eqn:C; [|discriminate]. apply andb_true_iff in C as [C1 C2].
  apply N.eqb_eq in C1, C2.
    apply NoDup_Permutation_bis; [apply injective_of_rank; lia| |].
    + unfold f2_table. rewrite map_length, !length_iota, C1. lia.
    + intros v Hv. rewrite in_iota. apply value_below; [easy|]. now apply f2_table_in.
  - intros P. pose proof (Permutation_length P) as L. unfold f2_table in L. rewrite map_length, !length_iota in L.
    apply N2Nat.inj, N.pow_inj_r in L; [|lia]. pose proof (Permutation_NoDup (Permutation_sym P) (nodup_iota _)) as D.
    apply rank_of_injective in D. rewrite D, L, N.eqb_refl. simpl. eauto.
Qed.

(* (x, y) -> F(x) and, in the bits behind, G(y). *)
Definition f2_product (F G : f2_map) : f2_map :=
  Linear (width F + width G) (Tup [form F; form G]) (bases F ++ map (fun b => N.shiftl b (width F)) (bases G)).

(* The value at (x, y) is F(x) + 2^n G(y). *)
Theorem f2_product_pointwise F G x y : formed F = true -> x < 2 ^ f2_bits F ->
  f2_at (f2_product F G) (x + 2 ^ f2_bits F * y) = f2_at F x + 2 ^ width F * f2_at G y.
Proof.
  intros P L. unfold f2_at at 1. cbn [f2_product bases]. unfold f2_bits in *. rewrite xor_of_app by easy.
  rewrite xor_of_image by (intros u v; apply N.shiftl_lxor).
  rewrite N.shiftl_mul_pow2, N.add_comm, (N.mul_comm (2 ^ width F)).
  rewrite N.lxor_comm. symmetry. apply N.add_nocarry_lxor. rewrite N.mul_comm. apply run_disjoint, value_below; [easy|].
  now exists x.
Qed.

(* The numbers of n bits that are the least of what they and the values of F sum to, in ascending order. *)
Definition f2_complement (F : f2_map) (n : N) : option f2_map :=
  if width F <=? n
  then Some (flat_map_of n (List.filter (fun y => least (echelon_of (bases F)) y =? y) (map (N.pow 2) (iota n))))
  else None.

Lemma echelon_units n : echelon (map (N.pow 2) (iota n)).
Proof.
  unfold iota. generalize 0%nat as k. induction (N.to_nat n) as [|m IH]; intros k; [easy|]. cbn [seq map].
  split; [|split].
  - now apply N.pow_nonzero.
  - intros s Hs. rewrite map_map in Hs. apply in_map_iff in Hs as (j & <- & Hj). apply in_seq in Hj.
    rewrite !N.log2_pow2, N.pow2_bits_eqb by lia. split; [lia|]. apply N.eqb_neq. lia.
  - apply IH.
Qed.
Lemma within_picked bs f x : (forall k, (k < length bs)%nat -> N.testbit x (N.of_nat k) = true -> within f (nth k bs
  0)) ->
  within f (xor_of bs x).
Proof.
  revert x. induction bs as [|b bs IH]; intros x H; [apply within_0|]. cbn [xor_of]. apply within_lxor.
  - destruct (N.odd x) eqn:O; [|apply within_0]. apply (H 0%nat); [simpl; lia|]. now rewrite <- N.bit0_odd in O.
  - apply IH. intros k L T. apply (H (S k)); [simpl; lia|]. now rewrite Nat2N.inj_succ, bit_succ.
Qed.
(* What it holds: the numbers of n bits without a highest bit of the values of F. *)
Lemma complement_spec F n C v : f2_complement F n = Some C ->
  width C = n /\ echelon (bases C) /\ (within (bases C) v <-> v < 2 ^ n /\ least (echelon_of (bases F)) v = v).
Proof.
  unfold f2_complement. destruct (_ <=? _); [|discriminate]. intros Q. injection Q as <-. set (e := echelon_of _).
  assert (echelon e) as E by apply echelon_of_spec. cbn [flat_map_of bases width].
  split; [easy|]. split; [apply echelon_filter, echelon_units|]. split.
  - apply (within_each _ (fun v => v < 2 ^ n /\ least e v = v)).
    + split; [apply N.neq_0_lt_0; now apply N.pow_nonzero|]. apply additive_0, least_additive.
    + intros u w [U1 U2] [W1 W2]. split; [now apply lxor_below|]. now rewrite least_additive, U2, W2.
    + intros r Hr. apply filter_In in Hr as [Hr T]. apply in_map_iff in Hr as (k & <- & Hk). apply in_iota in Hk.
      split; [apply N.pow_lt_mono_r; lia|now apply N.eqb_eq].
  - intros [L K]. rewrite <- (xor_of_map (fun y => y) n v (fun _ _ => eq_refl) L). apply within_picked.
    intros k Lk T. rewrite map_length, length_iota in Lk. apply within_in, filter_In.
    assert (nth k (map (fun k => 2 ^ k) (iota n)) 0 = 2 ^ N.of_nat k) as ->.
    { rewrite nth_indep with (d' := 2 ^ N.of_nat 0) by (rewrite map_length, length_iota; lia).
      rewrite (map_nth (N.pow 2)). unfold iota. now rewrite map_nth, seq_nth by lia. }
    split; [apply in_map, in_iota; lia|]. apply N.eqb_eq, least_same. intros r Hr. rewrite N.pow2_bits_eqb.
    apply N.eqb_neq. intros X. rewrite X, <- K, least_clear in T by easy. discriminate.
Qed.

Lemma complement_unique F n C u v : f2_complement F n = Some C -> within (bases C) u -> within (bases F) v ->
  least (echelon_of (bases F)) (N.lxor u v) = u.
Proof.
  intros Q U V. apply (complement_spec F n C u Q) in U as [_ U]. rewrite least_additive, U.
  destruct (echelon_of_spec (bases F)) as [E S]. apply S, least_0 in V; [|easy]. now rewrite V, N.lxor_0_r.
Qed.

(* Each number of n bits is the sum of one number of the complement and one value of F. *)
Theorem f2_complement_covers F C y : f2_complement F (width F) = Some C -> formed F = true -> y < 2 ^ width F ->
  exists i v, i < 2 ^ f2_bits C /\ In v (f2_table F) /\ y = N.lxor (f2_at C i) v /\ forall j w,
  j < 2 ^ f2_bits C -> In w (f2_table F) -> y = N.lxor (f2_at C j) w -> j = i /\ w = v.
Proof.
  intros Q P L. set (e := echelon_of (bases F)). destruct (echelon_of_spec (bases F)) as [E S]. fold e in E, S.
  assert (within (bases F) (N.lxor y (least e y))) as W by apply S, least_within.
  assert (within (bases C) (least e y)) as U.
  { apply (complement_spec _ _ _ _ Q). split.
    - replace (least e y) with (N.lxor y (N.lxor y (least e y))) by apply lxor_twice.
      apply lxor_below; [easy|]. now apply value_below.
    - apply least_same. intros r Hr. now apply least_clear. }
  apply within_value in U as (i & Li & Ei). exists i, (N.lxor y (least e y)). rewrite f2_table_in, Ei.
  split; [easy|]. split; [easy|]. split; [now rewrite (N.lxor_comm y), lxor_twice|].
  intros j w Lj Hw ->. apply f2_table_in in Hw.
  assert (least e (N.lxor (f2_at C j) w) = f2_at C j) as Z by (apply (complement_unique F (width F) C); try easy; now
    exists j).
  rewrite Z in *. split.
  - apply (echelon_independent (bases C)); try easy. apply (complement_spec F (width F) C 0 Q).
  - rewrite (N.lxor_comm (f2_at C j)). rewrite N.lxor_assoc, N.lxor_nilpotent. now rewrite N.lxor_0_r.
Qed.

(* Its numbers ascend, and each is the least of what it and the values of F sum to. *)
Theorem f2_complement_least F n C i v : f2_complement F n = Some C -> i < 2 ^ f2_bits C -> In v (f2_table F) ->
  width C = n /\ (forall j, j < i -> f2_at C j < f2_at C i) /\ f2_at C i <= N.lxor (f2_at C i) v.
Proof.
  intros Q L V. apply f2_table_in in V. destruct (complement_spec F n C (f2_at C i) Q) as (W & E & S).
  split; [easy|]. split; [intros j H; now apply ascending|]. destruct (echelon_of_spec (bases F)) as [EF SF].
  assert (least (echelon_of (bases F)) (f2_at C i) = f2_at C i) as K by (apply S; now exists i).
  rewrite <- K at 1. now apply least_least, SF.
Qed.

(* F o (G, H), H the complement of G among the indices of F. *)
Definition f2_divide (F G : f2_map) : option f2_map :=
  T <- f2_compose F G;
  C <- f2_complement (Linear (f2_bits F) (form G) (bases G)) (f2_bits F);
  R <- f2_compose F C;
  Some (Linear (width F) (Tup [form T; form R]) (bases T ++ bases R)).

(* The tile is F o G, the rest F o H: they are defined where F o G is. *)
Theorem f2_divide_definition F G T : f2_compose F G = Some T -> exists C R, f2_compose F C = Some R /\
  f2_complement (Linear (f2_bits F) (form G) (bases G)) (f2_bits F) = Some C /\
  f2_divide F G = Some (Linear (width F) (Tup [form T; form R]) (bases T ++ bases R)).
Proof.
  intros ET. set (g := Linear _ _ _).
  destruct (f2_complement g (f2_bits F)) as [C|] eqn:EC.
  - destruct (proj2 (f2_compose_exists F C)) as [R ER].
    { intros v Hv. apply f2_table_in in Hv. now apply (complement_spec _ _ _ _ EC) in Hv. }
    exists C, R. unfold f2_divide. fold g. rewrite ET, EC. cbn [bind]. rewrite ER. easy.
  - exfalso. unfold f2_complement in EC. cbn [width g] in EC. rewrite N.leb_refl in EC. discriminate.
Qed.

(* It takes the values of F, each as often, where G takes none twice. *)
Theorem f2_divide_exact F G D : f2_divide F G = Some D -> NoDup (f2_table G) -> Permutation (f2_table D) (f2_table F).
Proof.
  intros Q ND. destruct (f2_compose F G) as [T|] eqn:ET; [|unfold f2_divide in Q; now rewrite ET in Q].
  destruct (f2_divide_definition F G T ET) as (C & R & ER & EC & ED). rewrite Q in ED. injection ED as ->.
  set (m := f2_bits F) in *. set (g := Linear m (form G) (bases G)) in *.
  pose proof (proj1 (f2_compose_exists F G) (ex_intro _ _ ET)) as VG. fold m in VG.
  assert (formed g = true) as Pg.
  { apply forallb_forall. intros b Hb. apply N.ltb_lt, VG, f2_table_in. now apply within_in. }
  assert (bases T = map (f2_at F) (bases G)) as ->.
  { unfold f2_compose in ET. destruct (forallb _ _); [|discriminate]. now injection ET as <-. }
  assert (bases R = map (f2_at F) (bases C)) as ->.
  { unfold f2_compose in ER. destruct (forallb _ _); [|discriminate]. now injection ER as <-. }
  set (all := bases G ++ bases C).
  assert (Permutation (table all) (iota (2 ^ m))) as P.
  { apply NoDup_Permutation; [apply nodup_table|apply nodup_iota|].
    - intros x y Hx Hy E. unfold all in *. assert (count (bases G ++ bases C) = f2_bits G + f2_bits C) as K.
      { unfold f2_bits, count. rewrite app_length. lia. }
      rewrite K, N.pow_add_r in *. set (a := 2 ^ f2_bits G) in *.
      assert (0 < a) as A by now apply N.neq_0_lt_0, N.pow_nonzero.
      destruct (split_index a x A) as [Ex Lx]. destruct (split_index a y A) as [Ey Ly].
      assert (forall z, xor_of (bases G ++ bases C) (z mod a + a * (z / a)) = N.lxor (f2_at C (z / a)) (f2_at G (z mod
        a)))
        as V by (intros z; rewrite N.lxor_comm; apply xor_of_app, N.mod_lt; lia).
      rewrite Ex, Ey, !V in E. assert (x / a < 2 ^ f2_bits C) as Qx by now apply div_below.
      assert (y / a < 2 ^ f2_bits C) as Qy by now apply div_below.
      assert (forall z, In (f2_at G z) (f2_table g)) as I by (intros z; apply f2_table_in; now exists z).
      assert (forall z, within (bases C) (f2_at C z)) as IC by (intros z; now exists z).
      assert (f2_at C (x / a) = f2_at C (y / a)) as Ec.
      { rewrite <- (complement_unique g m C (f2_at C (x / a)) (f2_at G (x mod a)) EC) by (easy || now exists (x mod a)).
        rewrite E. apply (complement_unique g m C); try easy. now exists (y mod a). }
      rewrite Ec in E. apply (f_equal (N.lxor (f2_at C (y / a)))) in E. rewrite !lxor_twice in E.
      rewrite Ex, Ey. f_equal; [|f_equal].
      + apply (nodup_map_inverse (f2_at G) (iota a) _ _ ND); rewrite ?in_iota; easy.
      + apply (echelon_independent (bases C)); try easy. apply (complement_spec g m C 0 EC).
    - intros v. rewrite in_table, in_iota. split.
      + intros W. revert W. apply (within_each _ (fun v => v < 2 ^ m)).
        * apply N.neq_0_lt_0. now apply N.pow_nonzero.
        * intros. now apply lxor_below.
        * intros r Hr. apply in_app_iff in Hr as [Hr|Hr]; [apply VG, f2_table_in; now apply within_in|].
          apply within_in in Hr. now apply (complement_spec _ _ _ _ EC) in Hr.
      + intros L. destruct (f2_complement_covers g C v EC Pg L) as (i & w & _ & Hw & -> & _).
        apply f2_table_in in Hw. apply within_lxor.
        * apply (within_trans (bases C)); [|now exists i]. intros r Hr. apply within_in, in_app_iff. now right.
        * revert Hw. apply within_trans. intros r Hr. apply within_in, in_app_iff. now left. }
  unfold f2_table at 1, f2_bits, f2_at. cbn [bases]. rewrite <- map_app. fold all. rewrite count_map.
  transitivity (map (f2_at F) (table all)); [|now apply Permutation_map].
  unfold table. rewrite map_map. erewrite map_ext; [reflexivity|]. intros x. apply xor_of_image, xor_of_additive.
Qed.
