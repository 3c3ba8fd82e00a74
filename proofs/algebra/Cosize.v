(* cosize for strides of any sign: the length of the interval that holds the values. Compact layouts read back by
  division. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Inverse Make.
Local Open Scope N_scope.

Definition span (l : list (N * Z)) : Z :=
  fold_right Z.add 0%Z (map (fun m => (Z.of_N (fst m - 1) * Z.abs (snd m))%Z) l).
(* 1 + the sum of (s-1) |d|, and as a shape of one coordinate. *)
Definition signed_cosize (A : layout Z) : Z := (1 + span (leaves A))%Z.
Definition coshape (A : layout Z) : tuple := Int (Z.to_N (signed_cosize A)).

Lemma step_bounded a b m d : (0 <= a <= m)%Z -> (0 <= b <= m)%Z -> (a * d - b * d <= m * Z.abs d)%Z.
Proof. intros Ha Hb. destruct (Z.abs_spec d) as [[Hd ->]|[Hd ->]]; nia. Qed.

Lemma span_reached l : positive l = true -> exists i j, i < numel l /\ j < numel l /\
  (value_in l i - value_in l j = span l)%Z /\ forall p q, (value_in l p - value_in l q <= span l)%Z.
Proof.
  induction l as [|[s d] l IH]; intros P.
  - exists 0, 0. repeat split; intros; unfold span; simpl; lia.
  - apply positive_cons in P as [Hs P]. destruct (IH P) as (i & j & Hi & Hj & E & B).
    change (span ((s, d) :: l)) with (Z.of_N (s - 1) * Z.abs d + span l)%Z.
    assert (V : forall r q, r < s -> value_in ((s, d) :: l) (r + s * q) = (Z.of_N r * d + value_in l q)%Z).
    { intros r q Hr. cbn [value_in]. now rewrite digit_mod, digit_div. }
    assert (B' : forall p q, (value_in ((s, d) :: l) p - value_in ((s,
      d) :: l) q <= Z.of_N (s - 1) * Z.abs d + span l)%Z).
    { intros p q. specialize (B (p / s) (q / s)). destruct (split_index s p Hs) as [Ep Lp],
        (split_index s q Hs) as [Eq Lq]. rewrite Ep, Eq.
      rewrite !V by easy.
      revert Lp Lq. generalize (p mod s) (q mod s). intros r r' Lp Lq.
      pose proof (step_bounded (Z.of_N r) (Z.of_N r') (Z.of_N (s - 1)) d ltac:(lia) ltac:(lia)). lia. }
    destruct (Z.le_ge_cases 0 d).
    + exists ((s - 1) + s * i), (0 + s * j). repeat split; try (apply (digits_below s (numel l)); lia); [|exact B'].
      rewrite !V by lia. rewrite Z.abs_eq by easy. lia.
    + exists (0 + s * i), ((s - 1) + s * j). repeat split; try (apply (digits_below s (numel l)); lia); [|exact B'].
      rewrite !V by lia. rewrite Z.abs_neq by easy. lia.
Qed.

(* cosize is the largest value minus the smallest plus 1, for strides of any sign. *)
Theorem cosize_span A : shaped A = true -> exists i j, i < size A /\ j < size A /\
  (signed_cosize A = apply A i - apply A j + 1)%Z /\ forall p q, p < size A -> q < size A ->
  (apply A p - apply A q + 1 <= signed_cosize A)%Z.
Proof.
  intros S. destruct (span_reached (leaves A) S) as (i & j & Hi & Hj & E & B). rewrite <- size_product in Hi, Hj.
  exists i, j. unfold signed_cosize. repeat split; [easy|easy|rewrite !apply_inside by easy; lia|].
  intros p q Hp Hq. rewrite !apply_inside by easy. specialize (B p q). lia.
Qed.

(* The size of the codomain is the cosize. *)
Theorem coshape_cosize A : Z.of_N (tsize (coshape A)) = signed_cosize A.
Proof.
  assert (0 <= span (leaves A))%Z as P.
  { induction (leaves A) as [|[s d] l IH];
      [apply Z.le_refl|]. change (span ((s, d) :: l)) with (Z.of_N (s - 1) * Z.abs d + span l)%Z.
    apply Z.add_nonneg_nonneg; [|exact IH]. apply Z.mul_nonneg_nonneg; [apply N2Z.is_nonneg|apply Z.abs_nonneg]. }
  apply Z2N.id. unfold signed_cosize. lia.
Qed.
