(* Compact layouts, right_inverse and nullspace: from the values of a layout back to its indices. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Complement.
Local Open Scope N_scope.

(* ---- Compact layouts: the values are 0 .. size-1, each once. ---- *)

Definition compact_layout (A : layout N) : Prop := Permutation (image (leaves A)) (iota (size A)).
Definition compactb (A : layout N) : bool := tight_from 1 (sort snd (wide (leaves A))).

Lemma tight_app e l m : tight_from e (l ++ m) = tight_from e l && tight_from (numel l * e) m.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e; simpl; [now rewrite N.mul_1_l|].
  rewrite IH, <- andb_assoc. do 3 f_equal. lia.
Qed.

Lemma value_least l d i : (forall s e, In (s, e) l -> d <= e) -> value_in l i = 0 \/ d <= value_in l i.
Proof.
  revert i. induction l as [|[s e] l IH]; intros i L; [now left|].
  pose proof (L s e (or_introl eq_refl)) as He.
  change (value_in ((s, e) :: l) i) with (i mod s * e + value_in l (i / s)).
  assert (value_in l (i / s) = 0 \/ d <= value_in l (i / s)) as V by (apply IH; intros t f K; apply (L t f); now right).
  revert V. generalize (value_in l (i / s)) as v. generalize (i mod s) as r. intros r v V.
  destruct (N.eq_dec r 0) as [->|]; [now rewrite N.mul_0_l, N.add_0_l|right].
  assert (1 * e <= r * e) by (apply N.mul_le_mono_r; lia). lia.
Qed.

Lemma wide_in {D} (l : list (N * D)) s d : In (s, d) (wide l) -> 1 < s.
Proof. intros I. apply filter_In in I as [_ I]. now apply N.ltb_lt. Qed.

Lemma tight_of_image p l : positive p = true -> tight_from 1 p = true -> (forall s d, In (s, d) l -> 1 < s) ->
  sorted snd l = true -> Permutation (image (p ++ l)) (iota (numel (p ++ l))) -> tight_from (numel p) l = true.
Proof.
  revert p. induction l as [|[s d] l IH]; intros p P T W S I; [easy|].
  assert (Q : positive ((s, d) :: l) = true).
  { unfold positive. apply forallb_forall. intros [t e] K. apply N.ltb_lt. simpl. specialize (W t e K). lia. }
  pose proof (W s d (or_introl eq_refl)) as Hs. pose proof (numel_positive p P) as Pp.
  assert (Z : numel (p ++ (s, d) :: l) = numel p * (s * numel l)) by now rewrite numel_app.
  pose proof (proj1 (positive_cons _ _ _) Q) as [_ Ql]. pose proof (numel_positive l Ql) as Pl.
  assert (B : numel p < numel p * (s * numel l)).
  { assert (1 < s * numel l) by (apply N.lt_le_trans with (1 := Hs); nia). nia. }
  destruct (sorted_least _ _ _ S) as [S' least].
  assert (least' : forall t e, In (t, e) ((s, d) :: l) -> d <= e).
  { intros t e [E|K]; [injection E; lia|]. apply (least (t, e) K). }
  assert (V : forall i, value_in (p ++ (s, d) :: l) i = i mod numel p + value_in ((s, d) :: l) (i / numel p)).
  { intros i. rewrite value_in_app by easy. rewrite (value_in_tight 1 p) by easy. now rewrite N.mul_1_l. }
  assert (d = numel p) as ->.
  { assert (d <= numel p) as Le.
    { assert (In (numel p) (image (p ++ (s, d) :: l))) as K.
      { apply (Permutation_in _ (Permutation_sym I)), in_iota. now rewrite Z. }
      apply in_image in K as (i & _ & K). rewrite V in K.
      assert (i mod numel p < numel p) as Lt by (apply N.mod_lt; lia).
      revert K Lt. generalize (i mod numel p) as x. intros x K Lt.
      destruct (value_least ((s, d) :: l) d (i / numel p) least') as [E|E]; [rewrite E in K|]; lia. }
    destruct (N.eq_dec d (numel p)) as [|Ne]; [easy|exfalso]. apply Ne.
    assert (Nd : NoDup (image (p ++ (s, d) :: l))) by (apply (Permutation_NoDup (Permutation_sym I)), nodup_iota).
    apply (nodup_image _ d (numel p) Nd); try (rewrite Z; lia). rewrite !V.
    rewrite N.mod_same, N.div_same, (N.mod_small d), (N.div_small d) by lia. rewrite value_in_0 by easy. simpl.
    rewrite N.mod_small, N.div_small, value_in_0 by (easy || lia). simpl. lia. }
  simpl. rewrite N.eqb_refl. simpl.
  replace (s * numel p) with (numel (p ++ [(s, numel p)])) by (rewrite numel_app; simpl; lia).
  apply IH; [| |intros t e K; apply (W t e); now right|easy|now rewrite <- app_assoc].
  - rewrite positive_app, P. apply positive_cons. split; [lia|easy].
  - rewrite tight_app, T. simpl. now rewrite N.mul_1_r, N.eqb_refl.
Qed.

Lemma compactb_spec A : shaped A = true -> compactb A = true <-> compact_layout A.
Proof.
  intros S. unfold compactb, compact_layout. set (w := sort snd (wide (leaves A))).
  assert (Permutation (wide (leaves A)) w) as Pw by apply sort_permutation.
  pose proof (positive_permutation _ _ Pw (wide_positive _)) as Qw.
  assert (Permutation (image (leaves A)) (image w)) as Iw.
  { rewrite <- image_wide by exact S. now apply image_permutation; [|apply wide_positive]. }
  assert (numel w = size A) as Zw by now rewrite <- (numel_permutation _ _ Pw), numel_wide, size_product.
  split.
  - intros T. rewrite Iw, tight_image by easy. now rewrite Zw.
  - intros I. apply (tight_of_image [] w); [easy|easy| |apply sort_sorted|].
    + intros s d K. apply (Permutation_in _ (Permutation_sym Pw)) in K. now apply wide_in in K.
    + simpl. now rewrite <- Iw, Zw.
Qed.

(* A is a bijection onto 0 .. size-1 exactly when its leaves above extent 1, sorted by stride, are a compact chain. *)
Theorem compact_chain A : shaped A = true ->
  Permutation (image (leaves A)) (iota (size A)) <-> tight_from 1 (sort snd (wide (leaves A))) = true.
Proof. intros S. symmetry. now apply compactb_spec. Qed.

(* ---- Leaves with their weights: the index of the step of each. ---- *)

Fixpoint weighted (l : modes) (w : N) : list (N * (N * N)) :=
  match l with
  | [] => []
  | (s, d) :: l => (s, (d, w)) :: weighted l (w * s)
  end.
Definition strides (l : list (N * (N * N))) : modes := map (fun m => (fst m, fst (snd m))) l.
Definition weights (l : list (N * (N * N))) : modes := map (fun m => (fst m, snd (snd m))) l.

Lemma value_in_pairs l i : value_in l i = (value_in (strides l) i, value_in (weights l) i).
Proof. revert i. induction l as [|[s [d w]] l IH]; intros i; [reflexivity|]. simpl. now rewrite IH. Qed.
Lemma numel_strides l : numel (strides l) = numel l.
Proof. induction l as [|[s [d w]] l IH]; simpl; congruence. Qed.
Lemma numel_weights l : numel (weights l) = numel l.
Proof. induction l as [|[s [d w]] l IH]; simpl; congruence. Qed.
Lemma strides_weighted l w : strides (weighted l w) = l.
Proof. revert w. induction l as [|[s d] l IH]; intros w; simpl; [easy|]. now rewrite IH. Qed.
Lemma weights_tight l w : tight_from w (weights (weighted l w)) = true.
Proof. revert w. induction l as [|[s d] l IH]; intros w; simpl; [easy|]. now rewrite N.eqb_refl, (N.mul_comm s), IH.
Qed.
Lemma positive_strides l : positive (strides l) = positive l.
Proof. unfold positive, strides. induction l; simpl; congruence. Qed.
Lemma positive_weights l : positive (weights l) = positive l.
Proof. unfold positive, weights. induction l; simpl; congruence. Qed.
Lemma positive_weighted l w : positive (weighted l w) = positive l.
Proof. now rewrite <- positive_strides, strides_weighted. Qed.
Lemma numel_weighted l w : numel (weighted l w) = numel l.
Proof. now rewrite <- numel_strides, strides_weighted. Qed.

(* The pairs of value and index of a list of leaves. *)
Lemma in_weighted l a i : positive l = true ->
  In (a, i) (image (weighted l 1)) <-> i < numel l /\ a = value_in l i.
Proof.
  intros P. rewrite in_image, numel_weighted.
  assert (V : forall j, j < numel l -> value_in (weighted l 1) j = (value_in l j, j)).
  { intros j Hj. rewrite value_in_pairs, strides_weighted. f_equal.
    rewrite (value_in_tight 1) by (rewrite ?positive_weights, ?positive_weighted; easy || apply weights_tight).
    rewrite numel_weights, numel_weighted, N.mod_small by easy. apply N.mul_1_l. }
  split.
  - intros (j & Hj & E). rewrite V in E by easy. injection E as -> ->. auto.
  - intros [Hi ->]. exists i. now rewrite V.
Qed.

(* A list with some elements left out. *)
Inductive sublist {X} : list X -> list X -> Prop :=
  | sublist_nil : sublist [] []
  | sublist_keep x l m : sublist l m -> sublist (x :: l) (x :: m)
  | sublist_skip x l m : sublist l m -> sublist l (x :: m).

Lemma sublist_filter {X} (p : X -> bool) l : sublist (List.filter p l) l.
Proof. induction l as [|x l IH]; simpl; [constructor|]. destruct (p x); now constructor. Qed.

Lemma sublist_positive {D} (l m : list (N * D)) : sublist l m -> positive m = true -> positive l = true.
Proof.
  induction 1 as [|[s d] l m L IH|[s d] l m L IH]; [easy| |]; rewrite !positive_cons; intros []; auto.
Qed.

(* Leaving leaves out leaves values out. *)
Lemma sublist_image {D} `{module D} (l m : list (N * D)) v :
  sublist l m -> positive m = true -> In v (image l) -> In v (image m).
Proof.
  intros L. revert v. induction L as [|[s d] l m L IH|[s d] l m L IH]; intros v P; [easy| |];
    apply positive_cons in P as [Hs P]; rewrite !image_cons by easy; rewrite !in_flat_map.
  - intros (y & Hy & Hv). exists y. auto.
  - intros Hv. exists v. split; [auto|]. apply in_map_iff. exists 0. now rewrite times_0, plus_zero, in_iota.
Qed.

(* Those that move, by stride. *)
Definition weighted_moving (A : layout N) : list (N * (N * N)) :=
  List.filter (fun m => (1 <? fst m) && negb (fst (snd m) =? 0)) (weighted (leaves A) 1).
Definition weighted_sorted (A : layout N) : list (N * (N * N)) := sort (fun m => fst (snd m)) (weighted_moving A).

(* What weighted_sorted and its sublists reach are values of A with their indices. *)
Lemma sorted_values A l i : shaped A = true -> sublist l (weighted_sorted A) -> i < numel l ->
  value_in (weights l) i < size A /\ apply A (value_in (weights l) i) = value_in (strides l) i.
Proof.
  intros S L Hi. set (f := weighted_moving A).
  assert (In (value_in l i) (image (weighted (leaves A) 1))) as K.
  { apply (sublist_image f); [apply sublist_filter|now rewrite positive_weighted|].
    assert (positive f = true) as Pf by (apply (sublist_positive _ _ (sublist_filter _ _));
      now rewrite positive_weighted).
    pose proof (sort_permutation (fun m : N * (N * N) => fst (snd m)) f) as Q.
    apply (Permutation_in _ (Permutation_sym (image_permutation _ _ Q Pf))).
    apply (sublist_image l); [exact L|now apply (positive_permutation f)|]. apply in_image. eauto. }
  rewrite value_in_pairs in K. apply in_weighted in K as [K E]; [|exact S]. rewrite size_product. split; [easy|].
  rewrite apply_inside by (rewrite ?size_product; easy). easy.
Qed.

(* The value at an index stands with it among the moving leaves, where nothing broadcasts. *)
Lemma in_weighted_sorted A i : shaped A = true -> broadcasts A = false -> i < size A ->
  In (apply A i, i) (image (weighted_sorted A)).
Proof.
  intros S B Hi. assert (P : positive (weighted (leaves A) 1) = true) by now rewrite positive_weighted.
  assert (weighted_moving A = wide (weighted (leaves A) 1)) as Q.
  { unfold weighted_moving, wide. apply filter_ext_in. intros [s [d w]] I. simpl. destruct (1 <? s) eqn:Hs; [|easy].
    destruct (d =? 0) eqn:Hd; [|easy]. assert (broadcasts A = true); [|congruence]. apply existsb_exists. exists (s, d).
    simpl. rewrite Hs, Hd. split; [|easy]. rewrite <- (strides_weighted (leaves A) 1).
    now apply (in_map (fun m => (fst m, fst (snd m)))) in I. }
  assert (Pm : positive (weighted_moving A) = true) by (rewrite Q; apply wide_positive).
  apply (Permutation_in _ (image_permutation _ _ (sort_permutation _ _) Pm)).
  rewrite Q, image_wide by easy. apply in_weighted; [easy|]. rewrite <- size_product. split; [easy|].
  now apply apply_inside.
Qed.

(* Whole leaves of A, while each begins where the ones before end: CuTe's right inverse. *)
Fixpoint contiguous (n : N) (l : list (N * (N * N))) : list (N * (N * N)) :=
  match l with
  | [] => []
  | (s, (d, w)) :: l => if d =? n then (s, (d, w)) :: contiguous (n * s) l else contiguous n l
  end.
Definition contiguous_inverse (A : layout N) : layout N :=
  unwrapped (merge (weights (contiguous 1 (weighted_sorted A)))).

(* The leaves before the first gap: what can take part in the values 0, 1, 2, ...; all of them nested? *)
Fixpoint before_gap (reach : N) (l : list (N * (N * N))) : list (N * (N * N)) :=
  match l with
  | [] => []
  | (s, (d, w)) :: l => if reach <? d then [] else (s, (d, w)) :: before_gap (reach + (s - 1) * d) l
  end.
Definition single_valued (A : layout N) : bool := nested (strides (before_gap 1 (weighted_sorted A))).
(* The right inverse where no two leaves before the first gap overlap. *)
Definition closed_right_inverse (A : layout N) : option (layout N) :=
  if single_valued A then Some (contiguous_inverse A) else None.

Lemma contiguous_sublist n l : sublist (contiguous n l) l.
Proof. revert n. induction l as [|[s [d w]] l IH]; intros n; simpl; [constructor|]. destruct (d =? n); now constructor.
Qed.
Lemma contiguous_tight n l : tight_from n (strides (contiguous n l)) = true.
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n; simpl; [easy|].
  destruct (N.eqb_spec d n) as [->|]; [|apply IH]. simpl. now rewrite N.eqb_refl, (N.mul_comm s), IH.
Qed.

Lemma weighted_sorted_positive A : shaped A = true -> positive (weighted_sorted A) = true.
Proof.
  intros S. apply (positive_permutation _ _ (sort_permutation _ _)).
  apply (sublist_positive _ _ (sublist_filter _ _)). now rewrite positive_weighted.
Qed.

Lemma contiguous_inverse_value A i : shaped A = true -> i < size (contiguous_inverse A) ->
  apply (contiguous_inverse A) i = value_in (weights (contiguous 1 (weighted_sorted A))) i /\
  i < numel (contiguous 1 (weighted_sorted A)).
Proof.
  intros S Hi. set (c := contiguous 1 (weighted_sorted A)) in *.
  assert (positive c = true) as Pc by now apply (sublist_positive _ _ (contiguous_sublist 1 _)),
    weighted_sorted_positive.
  rewrite <- positive_weights in Pc. destruct (merge_spec (weights c) Pc) as (E & Q & V).
  unfold contiguous_inverse in *. fold c in Hi |- *. rewrite size_unwrapped in Hi.
  rewrite apply_unwrapped, V by easy. rewrite E, numel_weights in Hi. easy.
Qed.

(* Every answer inverts from the right: A(R(i)) = i, and R(i) is an index of A. It needs no condition on A. *)
Lemma contiguous_inverse_pointwise A i : shaped A = true -> i < size (contiguous_inverse A) ->
  apply A (apply (contiguous_inverse A) i) = i /\ apply (contiguous_inverse A) i < size A.
Proof.
  intros S Hi. destruct (contiguous_inverse_value A i S Hi) as [-> L].
  destruct (sorted_values A _ i S (contiguous_sublist 1 _) L) as [B ->]. split; [|easy].
  assert (positive (contiguous 1 (weighted_sorted A)) = true) as Pc
    by now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive.
  rewrite (value_in_tight 1) by (rewrite ?positive_strides; easy || apply contiguous_tight).
  rewrite numel_strides, N.mod_small by easy. lia.
Qed.

(* The value at which the contiguous leaves end is reached by none of those behind, with what is below it. *)
Lemma never_reached n l : 0 < n -> (forall s d w, In (s, (d, w)) l -> 1 < s /\ 0 < d) ->
  sorted (fun m : N * (N * N) => fst (snd m)) l = true -> ordered_from n (strides (before_gap n l)) = true ->
  forall r i, r < n -> r + value_in (strides l) i <> n * numel (contiguous n l).
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n Hn M S O r i Hr; simpl; [lia|].
  destruct (M s d w (or_introl eq_refl)) as [Hs Hd]. destruct (sorted_least _ _ _ S) as [S' least]. simpl in O.
  destruct (N.ltb_spec n d) as [G|G].
  - destruct (N.eqb_spec d n); [lia|].
    assert (contiguous n l = []) as ->.
    { clear - least G. simpl in least. induction l as [|[t [e v]] l IH]; [easy|]. simpl.
      pose proof (least (t, (e, v)) (or_introl eq_refl)). simpl in *. destruct (N.eqb_spec e n); [lia|]. apply IH.
      intros; apply least. now right. }
    simpl. rewrite N.mul_1_r. destruct (value_least (strides ((s, (d, w)) :: l)) d i) as [E|E].
    + intros t e K. unfold strides in K. apply in_map_iff in K as ([t' [e' w']] & K & I). injection K as <- <-.
      destruct I as [I|I]; [injection I; simpl; lia|apply (least _ I)].
    + simpl in E. lia.
    + simpl in E. lia.
  - simpl in O. apply andb_true_iff in O as [L O]. apply N.leb_le in L. assert (d = n) as -> by lia.
    rewrite N.eqb_refl. simpl. replace (n * (s * numel (contiguous (n * s) l)))
      with (n * s * numel (contiguous (n * s) l)) by lia.
    rewrite N.add_assoc. apply IH; [nia| |easy| |].
    + intros t e v K. apply (M t e v). now right.
    + replace (n * s) with (s * n) by lia. replace (n + (s - 1) * n) with (s * n) in O by nia. exact O.
    + pose proof (N.mod_lt i s ltac:(lia)). nia.
Qed.

Lemma weighted_sorted_moves A s d w : In (s, (d, w)) (weighted_sorted A) -> 1 < s /\ 0 < d.
Proof.
  intros I. apply (Permutation_in _ (Permutation_sym (sort_permutation _ _))), filter_In in I as [_ I].
  simpl in I. apply andb_true_iff in I as [Hs Hd]. apply N.ltb_lt in Hs. apply negb_true_iff, N.eqb_neq in Hd. lia.
Qed.

Lemma before_gap_in n l m : In m (before_gap n l) -> In m l.
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n; simpl; [easy|]. destruct (n <? d); [easy|].
  intros [<-|I]; [now left|right; eauto].
Qed.

(* Every value of A is a value of its moving leaves, in their sorted order. *)
Lemma moving_values A i : shaped A = true -> i < size A ->
  exists j, j < numel (weighted_sorted A) /\ value_in (strides (weighted_sorted A)) j = apply A i.
Proof.
  intros S Hi. set (f := weighted_moving A).
  assert (In (apply A i) (image (strides f))) as K.
  { assert (Hv : In (apply A i) (image (strides (weighted (leaves A) 1)))).
    { rewrite strides_weighted, image_leaves by easy. apply in_map. now rewrite in_iota. }
    assert (P : positive (weighted (leaves A) 1) = true) by now rewrite positive_weighted.
    revert Hv. subst f. unfold weighted_moving. generalize (apply A i) as v. revert P.
    generalize (weighted (leaves A) 1) as l. clear.
    induction l as [|[s [d w]] l IH]; intros P v Hv; [easy|]. apply positive_cons in P as [Hs P].
    simpl strides in Hv. rewrite image_cons, in_flat_map in Hv by easy. destruct Hv as (y & Hy & Hv).
    apply in_map_iff in Hv as (r & <- & Hr). rewrite in_iota in Hr. cbn [List.filter]. simpl fst. simpl snd.
    simpl in Hy.
    destruct (N.ltb_spec 1 s); simpl; [destruct (N.eqb_spec d 0) as [->|]; simpl|].
    - rewrite N.mul_0_r, N.add_0_l. now apply IH.
    - rewrite image_cons by easy. apply in_flat_map. exists y. split; [now apply IH|]. apply in_map_iff. exists r.
      now rewrite in_iota.
    - replace r with 0 by lia. simpl. now apply IH. }
  assert (Permutation (strides f) (strides (weighted_sorted A))) as Q by now apply Permutation_map, sort_permutation.
  apply (Permutation_in _ (image_permutation _ _ Q ltac:(rewrite positive_strides;
    apply (sublist_positive _ _ (sublist_filter _ _)); now rewrite positive_weighted))) in K.
  apply in_image in K as (j & Hj & E). exists j. now rewrite <- numel_strides.
Qed.

(* Where no leaves overlap before the first gap, the answer is the largest: no R, layout or not, inverts more. *)
Lemma contiguous_inverse_maximal A m (r : N -> N) : shaped A = true -> single_valued A = true ->
  (forall i, i < m -> r i < size A /\ apply A (r i) = i) -> m <= size (contiguous_inverse A).
Proof.
  intros S V H. apply N.le_ngt. intros L. destruct (H _ L) as [B E].
  destruct (moving_values A _ S B) as (j & _ & Ej). rewrite E in Ej. revert Ej.
  assert (positive (weights (contiguous 1 (weighted_sorted A))) = true) as P.
  { rewrite positive_weights. now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive. }
  unfold contiguous_inverse. rewrite size_unwrapped, (proj1 (merge_spec _ P)), numel_weights.
  rewrite <- (N.mul_1_l (numel _)), <- (N.add_0_l (value_in _ j)). apply never_reached; [lia| |apply sort_sorted| |lia].
  - intros s d w. apply weighted_sorted_moves.
  - apply nested_ordered; [exact V|]. intros s d I. unfold strides in I. apply in_map_iff in I as ([t [e w]] & I & K).
    injection I as <- <-. apply before_gap_in in K. now apply weighted_sorted_moves in K.
Qed.

(* ---- Compact layouts have a two-sided inverse. ---- *)

Lemma strides_filter l : strides (List.filter (fun m : N * (N * N) => (1 <? fst m) && negb (fst (snd m) =? 0)) l) =
  moving (strides l).
Proof.
  unfold moving, strides. induction l as [|[s [d w]] l IH]; simpl; [easy|]. destruct (_ && _); simpl; now rewrite IH.
Qed.

Lemma strides_sort (l : list (N * (N * N))) : strides (sort (fun m => fst (snd m)) l) = sort snd (strides l).
Proof.
  induction l as [|m l IH]; simpl; [easy|]. rewrite <- IH.
  generalize (sort (fun m : N * (N * N) => fst (snd m)) l) as k.
  destruct m as [s [d w]]. induction k as [|[t [e v]] k IHk]; simpl; [easy|]. destruct (d <=? e); simpl; [easy|].
  now rewrite IHk.
Qed.

Lemma strides_sorted A : strides (weighted_sorted A) = sorted_leaves A.
Proof. unfold weighted_sorted, weighted_moving. now rewrite strides_sort, strides_filter, strides_weighted. Qed.

Lemma tight_strides_positive e l : 0 < e -> tight_from e l = true -> positive l = true -> forall s d, In (s, d) l ->
  d <> 0.
Proof.
  revert e. induction l as [|[t f] l IH]; intros e He T P s d I; [easy|]. apply positive_cons in P as [Ht P].
  simpl in T.
  apply andb_true_iff in T as [E T]. apply N.eqb_eq in E as ->. destruct I as [I|I]; [injection I; lia|].
  apply (IH (t * e)) with (s := s); auto. nia.
Qed.

(* In a compact layout every leaf above extent 1 moves, and sorted they are a chain without gaps. *)
Lemma compact_sorted A : shaped A = true -> compact_layout A ->
  sorted_leaves A = sort snd (wide (leaves A)) /\ tight_from 1 (sorted_leaves A) = true.
Proof.
  intros S C. apply compactb_spec in C; [|easy]. unfold compactb in C.
  assert (sorted_leaves A = sort snd (wide (leaves A))) as E; [|now rewrite E].
  unfold sorted_leaves. f_equal. apply moving_wide. unfold broadcasts. apply not_true_is_false. intros B.
  apply existsb_exists in B as ([s d] & I & B). apply andb_true_iff in B as [Hs Hd]. simpl in *.
  apply N.eqb_eq in Hd as ->.
  refine (tight_strides_positive 1 _ ltac:(lia) C _ s 0 _ eq_refl).
  - apply (positive_permutation _ _ (sort_permutation _ _)), wide_positive.
  - apply (Permutation_in _ (sort_permutation _ _)). now apply filter_In.
Qed.

Lemma tight_contiguous n l : tight_from n (strides l) = true -> contiguous n l = l.
Proof.
  revert n. induction l as [|[s [d w]] l IH]; intros n T; [easy|]. simpl in *. apply andb_true_iff in T as [E T].
  apply N.eqb_eq in E as ->. rewrite N.eqb_refl. f_equal. apply IH. now rewrite N.mul_comm.
Qed.

Lemma compact_size A : shaped A = true -> compact_layout A -> numel (weighted_sorted A) = size A.
Proof.
  intros S C. destruct (compact_sorted A S C) as [E _]. rewrite <- numel_strides, strides_sorted, E.
  rewrite <- (numel_permutation _ _ (sort_permutation snd _)), numel_wide, size_product; easy.
Qed.

Lemma compact_below A i : compact_layout A -> shaped A = true -> i < size A -> apply A i < size A.
Proof.
  intros C S Hi. apply in_iota, (Permutation_in _ C). rewrite image_leaves by easy. apply in_map. now apply in_iota.
Qed.
Lemma compact_injective A i j : compact_layout A -> shaped A = true -> i < size A -> j < size A ->
  apply A i = apply A j -> i = j.
Proof.
  intros C S Hi Hj E. rewrite !apply_inside in E by easy. rewrite size_product in *.
  apply (nodup_image (leaves A)); try easy. apply (Permutation_NoDup (Permutation_sym C)), nodup_iota.
Qed.

(* For compact A the right inverse has the size of A and inverts from the left, too. *)
Lemma contiguous_inverse_compact A i : shaped A = true -> compact_layout A -> i < size A ->
  size (contiguous_inverse A) = size A /\ apply (contiguous_inverse A) (apply A i) = i.
Proof.
  intros S C Hi. destruct (compact_sorted A S C) as [_ T].
  assert (size (contiguous_inverse A) = size A) as Z.
  { unfold contiguous_inverse. rewrite size_unwrapped, tight_contiguous by now rewrite strides_sorted.
    assert (positive (weights (weighted_sorted A)) = true) as P by (rewrite positive_weights;
      now apply weighted_sorted_positive).
    rewrite (proj1 (merge_spec _ P)), numel_weights. now apply compact_size. }
  split; [easy|]. pose proof (compact_below A i C S Hi) as B.
  destruct (contiguous_inverse_pointwise A (apply A i) S ltac:(lia)) as [E L]. now apply (compact_injective A).
Qed.

(* ---- nullspace: the indices that A takes to 0, by its broadcast leaves. ---- *)

Definition zero_leaves (A : layout N) : list (N * (N * N)) :=
  List.filter (fun m => (1 <? fst m) && (fst (snd m) =? 0)) (weighted (leaves A) 1).
Definition natural_nullspace (A : layout N) : layout N := unwrapped (weights (zero_leaves A)).

Lemma zero_leaves_positive A : shaped A = true -> positive (zero_leaves A) = true.
Proof. intros S. apply (sublist_positive _ _ (sublist_filter _ _)). now rewrite positive_weighted. Qed.

Lemma zero_values l i : (forall s d w, In (s, (d, w)) l -> d = 0) -> value_in (strides l) i = 0.
Proof.
  revert i. induction l as [|[s [d w]] l IH]; intros i Z; [easy|]. simpl.
  rewrite (Z s d w (or_introl eq_refl)), IH; [lia|]. intros t e v I. apply (Z t e v). now right.
Qed.

Lemma sublist_ordered {D} (w : N * D -> N) (l m : list (N * D)) : sublist l m -> positive m = true ->
  forall e f, f <= e -> 0 < e -> tight_from e (map (fun x => (fst x, w x)) m) = true ->
  ordered_from f (map (fun x => (fst x, w x)) l) = true.
Proof.
  induction 1 as [|[s d] l m L IH|[s d] l m L IH]; intros P e f Hf He T; [easy| |]; apply positive_cons in P as [Hs P];
    simpl in T |- *; apply andb_true_iff in T as [E T]; apply N.eqb_eq in E.
  - rewrite E. apply andb_true_iff. split; [now apply N.leb_le|]. apply (IH P (s * e)); [lia|nia|easy].
  - apply (IH P (s * e)); [nia|nia|easy].
Qed.

Lemma natural_nullspace_zero A : shaped A = true -> NoDup (image (leaves (natural_nullspace A))) /\
  forall i, i < size (natural_nullspace A) -> apply A (apply (natural_nullspace A) i) = 0 /\ apply (natural_nullspace
    A) i < size A.
Proof.
  intros S. pose proof (zero_leaves_positive A S) as P.
  assert (image (leaves (natural_nullspace A)) = image (weights (zero_leaves A))) as ->.
  { unfold natural_nullspace. rewrite leaves_unwrapped. destruct (weights (zero_leaves A)); reflexivity. }
  split.
  - apply (ordered_nodup 1); [now rewrite positive_weights|lia|].
    apply (sublist_ordered (fun x => snd (snd x)) _ (weighted (leaves A) 1) (sublist_filter _ _)) with (e := 1);
      try lia.
    + now rewrite positive_weighted.
    + apply weights_tight.
  - unfold natural_nullspace. rewrite size_unwrapped. intros i Hi. rewrite apply_unwrapped by now rewrite
    ?positive_weights.
    rewrite numel_weights in Hi.
    assert (In (value_in (zero_leaves A) i) (image (weighted (leaves A) 1))) as K.
    { apply (sublist_image (zero_leaves A));
        [apply sublist_filter|now rewrite positive_weighted|]. apply in_image. eauto. }
    rewrite value_in_pairs in K. apply in_weighted in K as [K E]; [|easy]. rewrite size_product. split; [|easy].
    rewrite apply_inside, <- E by (rewrite ?size_product; easy). apply zero_values.
    intros s d w I. apply filter_In in I as [_ I]. apply andb_true_iff in I as [_ I]. now apply N.eqb_eq.
Qed.

Lemma natural_nullspace_maximal A : shaped A = true -> size (natural_nullspace A) * size (filter_zeros A) = size A.
Proof.
  intros S. unfold natural_nullspace. rewrite size_unwrapped, !size_product, filter_zeros_leaves, numel_weights.
  unfold zero_leaves.
  enough (forall l w, positive l = true ->
    numel (List.filter (fun m => (1 <? fst m) && (fst (snd m) =? 0)) (weighted l w)) * numel (without_zeros l) =
      numel l) as H by now apply H.
  clear. induction l as [|[s d] l IH]; intros w S; [reflexivity|].
  apply positive_cons in S as [Hs S]. cbn [weighted List.filter fst snd without_zeros map numel].
  fold (without_zeros l).
  specialize (IH (w * s) S). change (same d zero) with (d =? 0).
  destruct (N.ltb_spec 1 s), (N.eqb_spec d 0); cbn [andb numel]; try replace s with 1 in * by lia; nia.
Qed.

(* Of any strides: those that are not 0 count as 1. *)
Section Nullspace.
Context {D : Type} `{module D}.
Definition moves_by (d : D) : N := if same d zero then 0 else 1.
Fixpoint marked_moves (A : layout D) : layout N :=
  match A with
  | Leaf s d => Leaf s (moves_by d)
  | Node ms => Node (map marked_moves ms)
  end.
Definition nullspace (A : layout D) : layout N := natural_nullspace (marked_moves A).

Lemma marked_leaves A : leaves (marked_moves A) = map (fun m => (fst m, moves_by (snd m))) (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. cbn [marked_moves leaves].
  induction IH as [|m ms Hm _ IH]; [reflexivity|]. cbn [map flat_map]. now rewrite map_app, Hm, IH.
Qed.
Lemma marked_spec (l : list (N * D)) : let k := map (fun m => (fst m, moves_by (snd m))) l in
  numel k = numel l /\ positive k = positive l /\ numel (without_zeros k) = numel (without_zeros l) /\
  forall i, value_in k i = 0 -> value_in l i = zero.
Proof.
  induction l as [|[s d] l (Z & P & W & V)]; [easy|]. cbn [map fst snd numel without_zeros] in *.
  fold (without_zeros l) (without_zeros (map (fun m : N * D => (fst m, moves_by (snd m))) l)). split; [now rewrite Z|].
  split; [unfold positive in *; cbn; now rewrite P|]. unfold moves_by at 1 3. destruct (same d zero) eqn:E.
  - apply same_true in E as ->. split; [cbn [same naturals]; now rewrite W|]. intros i. cbn [value_in]. intros Q.
    rewrite times_zero, plus_zero. apply V.
    change (i mod s * 0 + value_in (map (fun m : N * D => (fst m, moves_by (snd m))) l) (i / s) = 0) in Q. lia.
  - split; [cbn [same naturals]; now rewrite W|]. intros i. cbn [value_in]. intros Q.
    change (i mod s * 1 + value_in (map (fun m : N * D => (fst m, moves_by (snd m))) l) (i / s) = 0) in Q.
    assert (i mod s = 0 /\ value_in (map (fun m : N * D => (fst m, moves_by (snd m))) l) (i / s) = 0) as [-> Q'].
    { apply N.eq_add_0 in Q as [Q1 Q2]. now rewrite N.mul_1_r in Q1. }
    now rewrite times_0, plus_zero, V.
Qed.
Lemma marked_shaped A : shaped (marked_moves A) = shaped A.
Proof. unfold shaped. rewrite marked_leaves. apply marked_spec. Qed.
Lemma marked_size A : size (marked_moves A) = size A.
Proof. rewrite !size_product, marked_leaves. apply marked_spec. Qed.

(* A is 0 on its nullspace, which takes no value twice and stays inside A. *)
Theorem nullspace_zero A : shaped A = true -> NoDup (image (leaves (nullspace A))) /\
  forall i, i < size (nullspace A) -> apply A (apply (nullspace A) i) = zero /\ apply (nullspace A) i < size A.
Proof.
  intros S. destruct (natural_nullspace_zero (marked_moves A)) as [Nd V]; [now rewrite marked_shaped|].
  split; [exact Nd|]. intros i Hi. destruct (V i Hi) as [E L]. rewrite marked_size in L. split; [|exact L].
  rewrite apply_inside by easy. apply marked_spec. rewrite <- marked_leaves.
  rewrite <- (apply_inside (marked_moves A)) by (rewrite ?marked_shaped, ?marked_size; easy). exact E.
Qed.

(* Its size is what A broadcasts: size(nullspace) * size(filter_zeros) = size. *)
Theorem nullspace_maximal A : shaped A = true -> size (nullspace A) * size (filter_zeros A) = size A.
Proof.
  intros S. rewrite <- (marked_size A), <- (natural_nullspace_maximal (marked_moves A)) by now rewrite marked_shaped.
  f_equal. rewrite !size_product, !filter_zeros_leaves, marked_leaves. symmetry. apply marked_spec.
Qed.
End Nullspace.
