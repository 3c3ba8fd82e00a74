(* left_inverse: a layout that takes each value of A back to its index. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Inverse.
Local Open Scope N_scope.

(* Gaps get stride 0, each leaf its weight, where each sorted stride divides the next. *)
Fixpoint dividing (end_ step : N) (l : list (N * (N * N))) : option modes :=
  match l with
  | [] => Some []
  | (s, (d, w)) :: l =>
      if d mod end_ =? 0
      then r <- dividing d w l; Some ((d / end_, step) :: match l with [] => [(s, w)] | _ => r end)
      else None
  end.
Definition dividing_inverse (A : layout N) : option (layout N) :=
  option_map (fun l => unwrapped (merge l)) (dividing 1 0 (weighted_sorted A)).
(* The left inverse where A is nested and each sorted stride divides the next: the closed form of the reference. *)
Definition left_inverse (A : layout N) : option (layout N) :=
  match weighted_sorted A with
  | [] => Some (Leaf (size A) 0)
  | _ => if nested (sorted_leaves A) then dividing_inverse A else None
  end.

Definition all_wide (l : list (N * (N * N))) : Prop := forall s d w, In (s, (d, w)) l -> 1 < s /\ 0 < d.

Lemma dividing_cons e r s d w l : dividing e r ((s, (d, w)) :: l) =
  if d mod e =? 0 then x <- dividing d w l; Some ((d / e, r) :: match l with [] => [(s, w)] | _ => x end) else None.
Proof. reflexivity. Qed.

(* What is behind the first gap takes the values, counted in steps of the first stride, back to the weights. *)
Lemma dividing_back s d w l e r i : all_wide ((s, (d, w)) :: l) -> 0 < e ->
  nested (strides ((s, (d, w)) :: l)) = true -> dividing e r ((s, (d, w)) :: l) = Some i ->
  exists k, i = (d / e, r) :: k /\ (e | d) /\ positive k = true /\
  d * numel k = top_from 1 (strides ((s, (d, w)) :: l)) /\ forall j, j < numel ((s, (d, w)) :: l) ->
  exists x, value_in (strides ((s, (d, w)) :: l)) j = d * x /\ x < numel k /\
  value_in k x = value_in (weights ((s, (d, w)) :: l)) j.
Proof.
  revert s d w e r i. induction l as [|[t [f v]] l IH]; intros s d w e r i M He Nt.
  - destruct (M s d w (or_introl eq_refl)) as [Hs Hd]. simpl.
    destruct (N.eqb_spec (d mod e) 0) as [Z|]; [|discriminate].
    intros E. injection E as <-. exists [(s, w)]. apply mod_0_divides in Z; [|easy].
    repeat split; [easy|now apply positive_cons; split; [lia|]|simpl; lia|].
    intros j Hj. simpl in *. exists j. rewrite !N.mod_small by lia. repeat split; lia.
  - destruct (M s d w (or_introl eq_refl)) as [Hs Hd]. destruct (M t f v (or_intror (or_introl eq_refl))) as [Ht Hf].
    assert (M' : all_wide ((t, (f, v)) :: l)) by (intros t' f' v' I; apply (M t' f' v'); now right).
    cbn [strides map fst snd nested] in Nt. apply andb_true_iff in Nt as [L Nt]. apply N.leb_le in L.
    rewrite (dividing_cons e r s d w ((t, (f, v)) :: l)). destruct (N.eqb_spec (d mod e) 0) as [Z|]; [|discriminate].
    destruct (dividing d w ((t, (f, v)) :: l)) as [i'|] eqn:E; unfold bind; [|discriminate]. intros K.
    injection K as <-.
    destruct (IH t f v d w i' M' Hd Nt E) as (k & -> & Df & Pk & Ek & Vk). apply mod_0_divides in Z; [|easy].
    pose proof (divides_div d f Hd Df) as Q. assert (s <= f / d) as B by (apply N.div_le_lower_bound; lia).
    exists ((f / d, w) :: k). repeat split; [easy|apply positive_cons; split; [lia|easy]| |].
    + cbn [numel]. rewrite N.mul_assoc, Q. exact Ek.
    + intros j Hj. cbn [numel] in Hj. destruct (split_index s j ltac:(lia)) as [_ Lj].
      destruct (Vk (j / s) ltac:(now apply div_below; [lia|])) as (x & Ex & Lx & Wx).
      exists (j mod s + f / d * x).
      change (value_in (strides ((s, (d, w)) :: (t, (f, v)) :: l)) j)
        with (j mod s * d + value_in (strides ((t, (f, v)) :: l)) (j / s)).
      change (value_in (weights ((s, (d, w)) :: (t, (f, v)) :: l)) j)
        with (j mod s * w + value_in (weights ((t, (f, v)) :: l)) (j / s)).
      rewrite Ex, <- Wx. repeat split; [nia|cbn [numel]; nia|].
      cbn [value_in]. rewrite digit_mod, digit_div by lia. reflexivity.
Qed.

Lemma weighted_wide A : all_wide (weighted_sorted A).
Proof. intros s d w. apply weighted_sorted_moves. Qed.

Lemma left_inverse_back A L j : shaped A = true -> left_inverse A = Some L -> j < numel (weighted_sorted A) ->
  apply L (value_in (strides (weighted_sorted A)) j) = value_in (weights (weighted_sorted A)) j.
Proof.
  intros S. unfold left_inverse, dividing_inverse. rewrite <- strides_sorted. pose proof (weighted_wide A) as M.
  destruct (weighted_sorted A) as [|[s [d w]] l]; [intros E _; injection E as <-; reflexivity|].
  destruct (nested _) eqn:Nt; [|discriminate]. destruct (dividing 1 0 _) as [i|] eqn:E; [|discriminate].
  intros K Hj. injection K as <-. destruct (dividing_back s d w l 1 0 i M ltac:(lia) Nt E) as (k & -> & _ & Pk & _ & V).
  destruct (V j Hj) as (x & -> & Lx & <-). rewrite N.div_1_r. destruct (M s d w (or_introl eq_refl)) as [_ Hd].
  assert (P : positive ((d, 0) :: k) = true) by now apply positive_cons. destruct (merge_spec _ P) as (Z & Q & W).
  rewrite apply_unwrapped, W by (try rewrite Z; simpl; easy || nia). simpl.
  replace (d * x) with (0 + d * x) by lia. rewrite digit_mod, digit_div by easy. lia.
Qed.

(* It takes each value of A back to its index, where nothing broadcasts. *)
Lemma closed_left_pointwise A L i : shaped A = true -> broadcasts A = false -> left_inverse A = Some L ->
  i < size A -> apply L (apply A i) = i.
Proof.
  intros S B E Hi.
  pose proof (in_weighted_sorted A i S B Hi) as K.
  apply in_image in K as (j & Hj & K). rewrite value_in_pairs in K. injection K as Ea Ei.
  rewrite Ea, Ei at 1. rewrite (left_inverse_back A L j S E Hj). congruence.
Qed.

(* Whatever A broadcasts, A(L(A(i))) = A(i). *)
Lemma closed_left_quasi A L i : shaped A = true -> left_inverse A = Some L -> i < size A ->
  apply A (apply L (apply A i)) = apply A i.
Proof.
  intros S E Hi. destruct (moving_values A i S Hi) as (j & Hj & Ej). rewrite <- Ej, (left_inverse_back A L j S E Hj).
  apply sorted_values; [easy| |easy]. clear. induction (weighted_sorted A); now constructor.
Qed.

Lemma left_inverse_shaped A L : shaped A = true -> left_inverse A = Some L -> shaped L = true.
Proof.
  intros S. unfold left_inverse, dividing_inverse. rewrite <- strides_sorted. pose proof (weighted_wide A) as M.
  destruct (weighted_sorted A) as [|[s [d w]] l].
  { intros E. injection E as <-. unfold shaped. cbn [leaves]. apply positive_cons. split; [now apply
    size_positive|easy]. }
  destruct (nested _) eqn:Nt; [|discriminate]. destruct (dividing 1 0 _) as [i|] eqn:E; [|discriminate].
  intros K. injection K as <-. destruct (dividing_back s d w l 1 0 i M ltac:(lia) Nt E) as (k & -> & _ & Pk & _).
  rewrite shaped_unwrapped. apply merge_spec, positive_cons. split; [|easy]. rewrite N.div_1_r.
  now apply (M s d w), or_introl.
Qed.

Lemma top_tight e l : tight_from e l = true -> top_from e l = e * numel l.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e T; simpl in *; [lia|]. apply andb_true_iff in T as [E T].
  apply N.eqb_eq in E as ->.
  rewrite IH by easy. lia.
Qed.

Lemma dividing_tight e end_ r l : all_wide l -> 0 < e -> 0 < end_ -> e mod end_ = 0 ->
  tight_from e (strides l) = true -> exists i, dividing end_ r l = Some i.
Proof.
  revert e end_ r. induction l as [|[s [d w]] l IH]; intros e f r M He Hf Z T; [now exists []|].
  simpl in T. apply andb_true_iff in T as [E T]. apply N.eqb_eq in E as ->. rewrite dividing_cons, Z.
  destruct (M s e w (or_introl eq_refl)) as [Hs _].
  destruct (IH (s * e) e w) as [i Ei]; [intros t g v I; apply (M t g v); now right|nia|easy|apply N.mod_mul; lia|easy|].
  rewrite N.eqb_refl, Ei. cbn [bind]. eauto.
Qed.
Lemma tight_nested e l : tight_from e l = true -> nested l = true.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e T; [easy|]. simpl in T. apply andb_true_iff in T as [E T].
  apply N.eqb_eq in E as ->. specialize (IH _ T). cbn [nested]. destruct l as [|[t f] l]; [easy|].
  simpl in T. apply andb_true_iff in T as [E _]. apply N.eqb_eq in E as ->. rewrite N.leb_refl. exact IH.
Qed.
Lemma compact_broadcasts A : shaped A = true -> compact_layout A -> broadcasts A = false.
Proof.
  intros S C. apply not_true_is_false. intros B. apply existsb_exists in B as ([s d] & I & B). simpl in B.
  apply andb_true_iff in B as [Hs Hd]. apply N.eqb_eq in Hd as ->.
  pose proof (proj2 (compactb_spec A S) C) as T. refine (tight_strides_positive 1 _ ltac:(lia) T _ s 0 _ eq_refl).
  - apply (positive_permutation _ _ (sort_permutation _ _)), wide_positive.
  - apply (Permutation_in _ (sort_permutation _ _)). now apply filter_In.
Qed.
Lemma left_inverse_defined A : shaped A = true -> compact_layout A ->
  exists L, left_inverse A = Some L /\ size L = size A.
Proof.
  intros S C. destruct (compact_sorted A S C) as [_ T]. pose proof (weighted_wide A) as M.
  pose proof (compact_size A S C) as Z. rewrite <- strides_sorted in T. unfold left_inverse, dividing_inverse.
  rewrite <- strides_sorted. destruct (weighted_sorted A) as [|[s [d w]] l]; [eauto|].
  rewrite (tight_nested 1) by easy. destruct (dividing_tight 1 1 0 _ M ltac:(lia) ltac:(lia) eq_refl T) as [i E].
  rewrite E. cbn [option_map]. eexists. split; [reflexivity|].
  destruct (dividing_back s d w l 1 0 i M ltac:(lia) (tight_nested 1 _ T) E) as (k & -> & _ & Pk & Ek & _).
  rewrite (top_tight 1) in Ek by exact T. simpl in T. apply andb_true_iff in T as [D _]. apply N.eqb_eq in D as ->.
  rewrite numel_strides, Z in Ek. assert (P : positive ((1 / 1, 0) :: k) = true) by now apply positive_cons.
  rewrite size_unwrapped, (proj1 (merge_spec _ P)). cbn [numel]. rewrite N.div_1_r. lia.
Qed.

(* For compact A both inverses are defined and the same function, of the size of A. *)
Theorem left_inverse_compact A : shaped A = true -> compact_layout A -> exists L, left_inverse A = Some L /\
  size L = size A /\ size (contiguous_inverse A) = size A /\
  forall i, i < size A -> apply L i = apply (contiguous_inverse A) i.
Proof.
  intros S C. destruct (left_inverse_defined A S C) as (L & E & Z). exists L. split; [easy|]. split; [easy|].
  pose proof (size_positive A S) as P. destruct (contiguous_inverse_compact A 0 S C P) as [Z' _]. split; [easy|].
  intros i Hi. destruct (contiguous_inverse_pointwise A i S ltac:(lia)) as [Ei Li]. rewrite <- Ei at 1.
  now apply closed_left_pointwise; [|apply compact_broadcasts| |].
Qed.
