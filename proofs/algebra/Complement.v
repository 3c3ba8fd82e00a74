(* complement: what of 0 .. M-1 a layout leaves free, as an ordered layout. Compact layouts and what completes a layout.
  *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Image.
Local Open Scope N_scope.
Notation modes := (list (N * N)).

(* The leaves that move (extent > 1, stride not 0), by stride. *)
Definition moving (l : modes) : modes := List.filter (fun m => (1 <? fst m) && negb (snd m =? 0)) l.
Definition sorted_leaves (A : layout N) : modes := sort snd (moving (leaves A)).

(* Each leaf begins behind the one before, or at a multiple of its end; the end of the last, 1 if none moves. *)
Fixpoint nested (l : modes) : bool :=
  match l with
  | [] => true
  | (s, d) :: l => match l with [] => true | (_, e) :: _ => s * d <=? e end && nested l
  end.
Fixpoint chained (l : modes) : bool :=
  match l with
  | [] => true
  | (s, d) :: l => match l with [] => true | (_, e) :: _ => e mod (s * d) =? 0 end && chained l
  end.
Fixpoint top_from (e : N) (l : modes) : N :=
  match l with
  | [] => e
  | (s, d) :: l => top_from (s * d) l
  end.
Definition top (A : layout N) : N := top_from 1 (sorted_leaves A).
Definition broadcasts (A : layout N) : bool := existsb (fun m => (1 <? fst m) && (snd m =? 0)) (leaves A).

(* Gap by gap floor(d / end of the leaf before), then `rest` of what is behind all. *)
Fixpoint gaps (rest : N -> N) (e : N) (l : modes) : modes :=
  match l with
  | [] => [(rest e, e)]
  | (s, d) :: l => (d / e, e) :: gaps rest (s * d) l
  end.
Definition complement_by (rest : N -> N) (A : layout N) : option (layout N) :=
  let l := sorted_leaves A in if nested l then Some (unwrapped (merge (gaps rest 1 l))) else None.
(* Below M, or below a shape. *)
Definition complement (A : layout N) (M : N) : option (layout N) := complement_by (ceil M) A.
Definition complement_below (A : layout N) (S : tuple) : option (layout N) :=
  complement_by (fun e => match ceil_div S (Int e) with Some q => tsize q | None => 0 end) A.

(* 1 + the sum of (s-1) d: the length of the interval that holds the values. *)
Definition cosize (A : layout N) : N := 1 + fold_right N.add 0 (map (fun m => (fst m - 1) * snd m) (leaves A)).
Definition complement_of (A : layout N) : option (layout N) := complement A (cosize (filter A)).

Lemma moving_in s d l : In (s, d) (moving l) <-> In (s, d) l /\ 1 < s /\ d <> 0.
Proof. unfold moving. rewrite filter_In. simpl. rewrite andb_true_iff, N.ltb_lt, negb_true_iff, N.eqb_neq. tauto. Qed.

Lemma sorted_leaves_in A s d : In (s, d) (sorted_leaves A) -> 1 < s /\ 0 < d.
Proof.
  intros I. apply (Permutation_in _ (Permutation_sym (sort_permutation snd _))), moving_in in I. lia.
Qed.

(* What the lemmas below ask of a list of leaves: moving ones. *)
Definition all_move (l : modes) : Prop := forall s d, In (s, d) l -> 1 < s /\ 0 < d.

Lemma all_move_cons s d l : all_move ((s, d) :: l) -> 1 < s /\ 0 < d /\ all_move l.
Proof. intros M. destruct (M s d (or_introl eq_refl)). split; [|split]; auto. intros t e I. apply M. now right. Qed.

Lemma nested_ordered l : nested l = true -> all_move l -> ordered_from 1 l = true.
Proof.
  intros N M. assert (match l with [] => true | (_, d) :: _ => 1 <=? d end = true) as H.
  { destruct l as [|[s d] l]; [easy|]. apply all_move_cons in M as (_ & Hd & _). apply N.leb_le. lia. }
  revert N H. generalize 1 as e. clear M. induction l as [|[s d] l IH]; intros e N H; [easy|].
  simpl in *. rewrite H. apply andb_true_iff in N as [C N]. simpl. apply IH; [easy|]. destruct l as [|[]]; easy.
Qed.

Lemma ordered_nested e l : ordered_from e l = true -> nested l = true.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e O; [easy|]. simpl in *. apply andb_true_iff in O as [_ O].
  rewrite (IH _ O). destruct l as [|[t f] l]; [easy|]. simpl in O. apply andb_true_iff in O as [O _]. now rewrite O.
Qed.

Lemma chained_nested l : chained l = true -> all_move l -> nested l = true.
Proof.
  induction l as [|[s d] l IH]; intros C M; [easy|]. simpl in *. apply all_move_cons in M as (Hs & Hd & M).
  apply andb_true_iff in C as [C C']. rewrite IH by easy. destruct l as [|[t e] l]; [easy|].
  apply all_move_cons in M as (_ & He & _). apply N.eqb_eq, mod_0_divides in C; [|nia].
  rewrite andb_true_r. apply N.leb_le. now apply N.divide_pos_le.
Qed.

(* The leaves of A and of its complement in the order in which they count. *)
Fixpoint woven (rest : N -> N) (e : N) (l : modes) : modes :=
  match l with
  | [] => [(rest e, e)]
  | (s, d) :: l => (d / e, e) :: (s, d) :: woven rest (s * d) l
  end.

Lemma woven_permutation rest e l : Permutation (l ++ gaps rest e l) (woven rest e l).
Proof.
  revert e. induction l as [|[s d] l IH]; intros e; simpl; [reflexivity|].
  transitivity ((d / e, e) :: (s, d) :: l ++ gaps rest (s * d) l).
  - symmetry. exact (Permutation_middle ((s, d) :: l) _ _).
  - now do 2 constructor.
Qed.

Section Gaps.
Context (rest : N -> N) (rest_positive : forall e, 0 < e -> 0 < rest e).

Lemma woven_positive e l : 0 < e -> ordered_from e l = true -> all_move l -> positive (woven rest e l) = true.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e He O M; simpl; [apply positive_cons; auto|].
  simpl in O. apply andb_true_iff in O as [L O]. apply N.leb_le in L. apply all_move_cons in M as (Hs & Hd & M).
  apply positive_cons. split; [|apply positive_cons; split; [lia|apply IH; auto; nia]].
  apply N.div_str_pos. lia.
Qed.

Lemma gaps_positive e l : 0 < e -> ordered_from e l = true -> all_move l -> positive (gaps rest e l) = true.
Proof.
  intros He O M. pose proof (woven_positive e l He O M) as P.
  apply (positive_permutation _ _ (Permutation_sym (woven_permutation rest e l))) in P.
  rewrite positive_app in P. now apply andb_true_iff in P as [_ P].
Qed.

Lemma woven_ordered e l : 0 < e -> ordered_from e l = true -> all_move l -> ordered_from e (woven rest e l) = true.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e He O M; simpl; [now rewrite N.leb_refl|].
  simpl in O. apply andb_true_iff in O as [L O]. apply N.leb_le in L. apply all_move_cons in M as (Hs & Hd & M).
  rewrite N.leb_refl, IH by (easy || nia). simpl. rewrite andb_true_r. apply N.leb_le.
  rewrite N.mul_comm. apply N.mul_div_le. lia.
Qed.

Lemma gaps_ordered e f l : 0 < e -> f <= e -> ordered_from e l = true -> all_move l ->
  ordered_from f (gaps rest e l) = true.
Proof.
  revert e f. induction l as [|[s d] l IH]; intros e f He Hf O M; simpl;
    [apply andb_true_iff; split; [now apply N.leb_le|easy]|].
  simpl in O. apply andb_true_iff in O as [L O]. apply N.leb_le in L. apply all_move_cons in M as (Hs & Hd & M).
  apply andb_true_iff. split; [now apply N.leb_le|]. apply IH; [nia| |easy|easy].
  pose proof (N.mul_div_le d e). nia.
Qed.

Lemma woven_tight e l : 0 < e -> chained ((1, e) :: l) = true -> all_move l ->
  tight_from e (woven rest e l) = true /\ e * numel (woven rest e l) = top_from e l * rest (top_from e l).
Proof.
  revert e. induction l as [|[s d] l IH]; intros e He C M; simpl; [rewrite N.eqb_refl; split; [easy|lia]|].
  apply all_move_cons in M as (Hs & Hd & M). simpl in C. rewrite N.mul_1_l in C. apply andb_true_iff in C as [C C'].
  apply N.eqb_eq, mod_0_divides in C; [|easy]. pose proof (divides_div e d He C) as E.
  destruct (IH (s * d) ltac:(nia)) as [T Z]; [|easy|].
  { simpl. rewrite N.mul_1_l. exact C'. }
  rewrite N.eqb_refl. replace (d / e * e) with d by lia. rewrite N.eqb_refl. split; [exact T|]. rewrite <- Z.
  transitivity ((e * (d / e)) * (s * numel (woven rest (s * d) l))); [lia|]. rewrite E. lia.
Qed.
End Gaps.

Lemma chained_from_1 l : chained l = true -> chained ((1, 1) :: l) = true.
Proof. destruct l as [|[s d] l]; [easy|]. intros C. cbn [chained]. rewrite N.mul_1_l, N.mod_1_r. exact C. Qed.

Lemma ceil_positive M e : 0 < M -> 0 < e -> 0 < ceil M e.
Proof. intros. assert (M <= ceil M e * e) by (apply ceil_least; lia). nia. Qed.

Lemma all_move_sorted A : all_move (sorted_leaves A).
Proof. intros s d. apply sorted_leaves_in. Qed.

Lemma ordered_leaves A : nested (sorted_leaves A) = true -> ordered_from 1 (sorted_leaves A) = true.
Proof. intros N. apply nested_ordered; [easy|]. apply all_move_sorted. Qed.

Lemma complement_spec A M R : 0 < M -> complement A M = Some R ->
  nested (sorted_leaves A) = true /\ R = unwrapped (merge (gaps (ceil M) 1 (sorted_leaves A))) /\
  positive (gaps (ceil M) 1 (sorted_leaves A)) = true.
Proof.
  unfold complement, complement_by. destruct (nested _) eqn:N; [|discriminate]. intros HM E. injection E as <-.
  repeat split. apply gaps_positive;
    [intros; now apply ceil_positive|lia|now apply ordered_leaves|apply all_move_sorted].
Qed.

Lemma complement_nested A M : (exists R, complement A M = Some R) <-> nested (sorted_leaves A) = true.
Proof.
  unfold complement, complement_by. destruct (nested _); split; intros K; eauto; try discriminate. now destruct K.
Qed.

(* The values of a complement strictly increase. *)
Theorem complement_ordered A M R i : 0 < M -> complement A M = Some R -> i + 1 < size R -> apply R i < apply R (i + 1).
Proof.
  intros HM E Hi. destruct (complement_spec A M R HM E) as (N & -> & P). destruct (merge_spec _ P) as (Z & Q & V).
  rewrite size_unwrapped in Hi. rewrite !apply_unwrapped, !V by (easy || lia).
  apply N.lt_le_trans with (1 := N.lt_add_pos_r 1 _ ltac:(lia)).
  apply ordered_increases; try lia; [easy|].
  apply gaps_ordered; [lia|lia|now apply ordered_leaves|apply all_move_sorted].
Qed.

(* The leaves of A and of its complement take each value as often as the woven list does. *)
Lemma moving_wide A : broadcasts A = false -> moving (leaves A) = wide (leaves A).
Proof.
  unfold broadcasts, moving, wide. intros B. apply filter_ext_in. intros [s d] I. simpl.
  destruct (1 <? s) eqn:S; [|easy]. destruct (d =? 0) eqn:Z; [|easy].
  assert (existsb (fun m : N * N => (1 <? fst m) && (snd m =? 0)) (leaves A) = true); [|congruence].
  apply existsb_exists. exists (s, d). simpl. now rewrite S, Z.
Qed.

Lemma image_completed A M R : 0 < M -> shaped A = true -> broadcasts A = false -> complement A M = Some R ->
  Permutation (image (leaves A ++ leaves R)) (image (woven (ceil M) 1 (sorted_leaves A))).
Proof.
  intros HM S B E. destruct (complement_spec A M R HM E) as (N & -> & P).
  assert (Permutation (image (leaves A ++ leaves (unwrapped (merge (gaps (ceil M) 1 (sorted_leaves A))))))
    (image (wide (leaves A) ++ gaps (ceil M) 1 (sorted_leaves A)))) as ->.
  { rewrite !image_app by (exact S || apply wide_positive). rewrite image_wide by exact S.
    rewrite <- (image_merge _ P). rewrite leaves_unwrapped. destruct (merge _); reflexivity. }
  apply image_permutation.
  - rewrite <- moving_wide by exact B. rewrite (sort_permutation snd (moving (leaves A))). apply woven_permutation.
  - rewrite positive_app, wide_positive, P. reflexivity.
Qed.

(* A and its complement together take no value twice, for A that does not broadcast. *)
Theorem complement_disjoint A M R : 0 < M -> shaped A = true -> broadcasts A = false -> complement A M = Some R ->
  NoDup (image (leaves A ++ leaves R)).
Proof.
  intros HM S B E. destruct (complement_spec A M R HM E) as (N & _). pose proof (all_move_sorted A) as Mv.
  apply ordered_leaves in N. eapply Permutation_NoDup; [symmetry; now apply (image_completed A M R)|].
  apply (ordered_nodup 1); [|lia|apply woven_ordered; easy || lia].
  apply woven_positive; [intros; now apply ceil_positive|lia|easy|easy].
Qed.

(* For chained A they take each value of 0 .. top * ceil(M / top) - 1 exactly once. *)
Theorem complement_covers A M : 0 < M -> shaped A = true -> broadcasts A = false -> chained (sorted_leaves A) = true ->
  exists R, complement A M = Some R /\ Permutation (image (leaves A ++ leaves R)) (iota (top A * ceil M (top A))).
Proof.
  intros HM S B C. pose proof (all_move_sorted A) as Mv. pose proof (chained_nested _ C Mv) as N.
  destruct (proj2 (complement_nested A M) N) as [R E]. exists R. split; [easy|].
  rewrite (image_completed A M R) by easy. apply ordered_leaves in N.
  destruct (woven_tight (ceil M) 1 (sorted_leaves A)) as [T Z]; [lia|now apply chained_from_1|easy|].
  rewrite tight_image; [|apply woven_positive; [intros; now apply ceil_positive|lia|easy|easy]|easy].
  unfold top. rewrite <- Z, N.mul_1_l. reflexivity.
Qed.

(* A complement is coalesced. *)
Theorem complement_canonical A M R : 0 < M -> complement A M = Some R -> coalesce R = R.
Proof.
  intros HM E. destruct (complement_spec A M R HM E) as (N & -> & P). unfold coalesce. rewrite leaves_unwrapped.
  pose proof (merge_merged _ P) as G. destruct (merge _) as [|m l] eqn:L; [reflexivity|]. now rewrite merge_of_merged.
Qed.

(* Without a bound it is taken below the cosize of filter(A). *)
Theorem complement_default A : complement_of A = complement A (cosize (filter A)).
Proof. reflexivity. Qed.

(* What stands between the ends and the next strides of sorted leaves, the first end e. *)
Fixpoint between (e : N) (l : modes) : modes :=
  match l with
  | [] => []
  | (s, d) :: l => (d / e, e) :: between (s * d) l
  end.

(* Below a shape S the complement is what stands between the leaves of A, and ends as ceil_div(S, top) says. *)
Theorem complement_shape A S q : nested (sorted_leaves A) = true -> ceil_div S (Int (top A)) = Some q ->
  complement_below A S = Some (unwrapped (merge (between 1 (sorted_leaves A) ++ [(tsize q, top A)]))).
Proof.
  unfold complement_below, complement_by, top. intros -> E. revert E. generalize 1 as e.
  generalize (sorted_leaves A) as l.
  enough (forall l e, ceil_div S (Int (top_from e l)) = Some q -> gaps (fun e => match ceil_div S (Int e) with
    Some q => tsize q | None => 0 end) e l = between e l ++ [(tsize q, top_from e l)]) as K.
  { intros l e E. now rewrite K. }
  induction l as [|[s d] l IH]; intros e E; simpl in *; [now rewrite E|]. now rewrite IH.
Qed.

(* Where no value comes twice, no leaf broadcasts. *)
Lemma nodup_broadcasts A : shaped A = true -> NoDup (image (leaves A)) -> broadcasts A = false.
Proof.
  intros S Nd. apply not_true_is_false. intros B. apply existsb_exists in B as ([s d] & I & B). cbn [fst snd] in B.
  apply andb_true_iff in B as [Hs Hd]. apply N.ltb_lt in Hs. apply N.eqb_eq in Hd as ->.
  apply in_split in I as (p & q & E). unfold shaped in S. rewrite E in *. rewrite positive_app in S.
  apply andb_true_iff in S as [Pp S]. apply positive_cons in S as [_ Pq]. pose proof (numel_positive p Pp) as Zp.
  pose proof (numel_positive q Pq) as Zq. enough (0 = numel p) by lia. apply (nodup_image _ _ _ Nd).
  1, 2: rewrite numel_app; cbn [numel]; assert (2 <= s * numel q) by nia; nia.
  rewrite !value_in_app by exact Pp. rewrite N.div_same, N.div_0_l by lia.
  rewrite <- (value_in_periodic p (numel p)), N.mod_same by (exact Pp || lia). f_equal. cbn [value_in].
  rewrite N.div_1_l, N.div_0_l by lia. cbn [plus times naturals]. now rewrite !N.mul_0_r.
Qed.
