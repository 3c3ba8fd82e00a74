(* right_inverse as gpu/algebra/inverse.hpp has it where no value comes twice before the first gap;
   its search is not here. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Complement_64 Left_inverse.
Local Open Scope N_scope.

(* contiguous: the modes whose strides continue 1, s, s t, ... *)
Fixpoint contiguous_64 (next : N) (l : weighted_modes) (m : list (N * N)) : outcome (list (N * N)) :=
  match l with
  | [] => Yes m
  | (s, (d, w)) :: l =>
      if d =? next then n <~ push_64 m s w; e <~ times_64 s d; contiguous_64 e l n else contiguous_64 next l m
  end.
Fixpoint single_valued_64 (next : N) (l : weighted_modes) : outcome bool :=
  match l with
  | [] => Yes true
  | (s, (d, _)) :: l => if d =? next then e <~ times_64 s d; single_valued_64 e l else Yes (next <? d)
  end.
(* `search` is asked where some value may come twice. *)
Definition right_inverse_64 (search : weighted_modes -> layout N -> outcome (layout N)) (A : layout N) : outcome
  (layout N) :=
  l <~ sorted_modes_64 A; m <~ contiguous_64 1 l []; v <~ single_valued_64 1 l;
  if v then Yes (unwrapped (rev m)) else search l (unwrapped (rev m)).

Lemma contiguous_64_sound next l m r : contiguous_64 next l m = Yes r -> push_all m (weights (contiguous next l)) =
  Yes r.
Proof.
  revert next m. induction l as [|[s [d w]] l IH]; intros next m E; [easy|]. cbn [contiguous_64 contiguous] in *.
  destruct (N.eqb_spec d next) as [->|]; [|now apply IH]. cbn [weights map fst snd push_all].
  destruct (push_64 m s w) as [n| | |]; try discriminate. cbn [and_then] in *. unfold times_64 in E.
  destruct (below_64 (s * next)); [|discriminate]. cbn [and_then] in E. rewrite N.mul_comm. now apply IH.
Qed.
Lemma contiguous_64_complete next l m : ends_below_64 (strides l) = true ->
  contiguous_64 next l m = push_all m (weights (contiguous next l)).
Proof.
  revert next m. induction l as [|[s [d w]] l IH]; intros next m E; [easy|]. apply ends_marked in E as [B E].
  cbn [contiguous_64 contiguous]. destruct (N.eqb_spec d next) as [->|]; [|now apply IH].
  cbn [weights map fst snd push_all]. destruct (push_64 m s w); try easy. cbn [and_then]. unfold times_64. rewrite B.
  cbn [and_then]. rewrite (N.mul_comm s). now apply IH.
Qed.

Lemma reach_behind s n : 0 < s -> n + (s - 1) * n = s * n.
Proof. nia. Qed.
Lemma single_valued_64_sound next l : all_wide l -> single_valued_64 next l = Yes true ->
  ordered_from next (strides (before_gap next l)) = true.
Proof.
  revert next. induction l as [|[s [d w]] l IH]; intros next M E; [easy|]. cbn [single_valued_64 before_gap] in *.
  destruct (M s d w (or_introl eq_refl)) as [Hs _].
  destruct (N.eqb_spec d next) as [->|Ne].
  - rewrite N.ltb_irrefl. unfold times_64 in E. destruct (below_64 (s * next)); [|discriminate]. cbn [and_then] in E.
    cbn [strides map fst snd ordered_from]. rewrite N.leb_refl, reach_behind by lia. apply IH; [|easy].
    intros t e v I. apply (M t e v). now right.
  - injection E as E. now rewrite E.
Qed.
Lemma single_valued_64_complete next l : all_wide l -> ends_below_64 (strides l) = true ->
  ordered_from next (strides (before_gap next l)) = true -> single_valued_64 next l = Yes true.
Proof.
  revert next. induction l as [|[s [d w]] l IH]; intros next M E O; [easy|]. apply ends_marked in E as [B E].
  cbn [single_valued_64 before_gap] in *. destruct (M s d w (or_introl eq_refl)) as [Hs _].
  destruct (N.eqb_spec d next) as [->|Ne].
  - rewrite N.ltb_irrefl in O. cbn [strides map fst snd ordered_from] in O. apply andb_true_iff in O as [_ O].
    rewrite reach_behind in O by lia. unfold times_64. rewrite B. apply IH; [|easy|easy].
    intros t e v I. apply (M t e v). now right.
  - destruct (N.ltb_spec next d); [easy|]. cbn [strides map fst snd ordered_from] in O.
  apply andb_true_iff in O as [O _].
    apply N.leb_le in O. lia.
Qed.
Lemma contiguous_64_answers next l m : contiguous_64 next l m = Beyond \/ exists r, contiguous_64 next l m = Yes r.
Proof.
  revert next m. induction l as [|[s [d w]] l IH]; intros next m; cbn [contiguous_64]; [eauto|].
  destruct (d =? next); [|apply IH]. destruct (push_64_answers m s w) as [->|[n ->]]; [now left|]. cbn [and_then].
  unfold times_64. destruct (below_64 _); [apply IH|now left].
Qed.

(* What the contiguous modes are pushed to. *)
Lemma contiguous_pushed A m : shaped A = true -> push_all [] (weights (contiguous 1 (weighted_sorted A))) = Yes m ->
  unwrapped (rev m) = contiguous_inverse A.
Proof.
  intros S E. unfold contiguous_inverse. f_equal.
  apply (push_all_merges _ _) in E; [easy|]. rewrite positive_weights.
  now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive.
Qed.

Lemma sublist_small {D} (l m : list (N * D)) : sublist l m -> positive m = true ->
  (length l <= length m)%nat /\ numel l <= numel m.
Proof.
  induction 1 as [|[s d] l m L IH|[s d] l m L IH]; intros P; [easy| |]; apply positive_cons in P as [Hs P];
    destruct (IH P); cbn [length numel]; split; lia || nia.
Qed.
Lemma sorted_modes_small A : shaped A = true -> (length (weighted_sorted (coalesce A)) <= length (leaves A))%nat /\
  numel (weighted_sorted (coalesce A)) <= size A.
Proof.
  intros S. destruct (merge_spec (leaves A) S) as (E & P & _). unfold weighted_sorted.
  pose proof (sort_permutation (fun m : N * (N * N) => fst (snd m)) (weighted_moving (coalesce A))) as Q.
  rewrite <- (Permutation_length Q), <- (numel_permutation _ _ Q).
  change (weighted_moving (coalesce A)) with (List.filter moves (weighted (leaves (unwrapped (merge (leaves A)))) 1)).
  rewrite weighted_unwrapped. destruct (sublist_small _ _ (sublist_filter moves (weighted (merge (leaves A)) 1))) as
    [L Z].
  - now rewrite positive_weighted.
  - rewrite numel_weighted, E, <- size_product in Z. split; [|easy]. pose proof (merge_length (leaves A)).
    enough (forall l w, length (weighted l w) = length l) as W by (rewrite W in L; lia).
    clear. induction l as [|[s d] l IH]; intros w; [easy|]. cbn. now rewrite IH.
Qed.

Definition largest_right_inverse (A R : layout N) : Prop :=
  (forall i, i < size R -> apply R i < size A /\ apply A (apply R i) = i) /\
  forall n r, (forall i, i < n -> r i < size A /\ apply A (r i) = i) -> n <= size R.
(* Where it answers without its search, R inverts A from the right, and nothing inverts more. *)
Theorem right_inverse_64_sound A : shaped A = true -> held_64 (leaves A) = true ->
  ended (right_inverse_64 (fun _ _ => Undecided) A) (largest_right_inverse A) False True.
Proof.
  intros S K. unfold right_inverse_64. rewrite sorted_modes_64_exact by easy. destruct (below_64 (size A)); [|easy].
  cbn [and_then]. destruct (contiguous_64_answers 1 (weighted_sorted (coalesce A)) []) as [->|[m E]]; [easy|].
  rewrite E. cbn [and_then]. pose proof (shaped_coalesce A S) as SC. destruct (coalesce_function A S) as [Z V].
  destruct (single_valued_64 1 _) as [[]| | |] eqn:Sv; try easy; cbn [and_then ended].
  - apply contiguous_64_sound, (contiguous_pushed _ _ SC) in E. rewrite E. split.
    + intros i Hi. destruct (contiguous_inverse_pointwise _ i SC Hi) as [P Q]. rewrite Z in Q. split; [easy|].
      now rewrite <- V.
    + intros n r W. apply (contiguous_inverse_maximal _ n r SC).
      * apply ordered_nested with 1. apply single_valued_64_sound; [apply weighted_wide|easy].
      * intros i Hi. destruct (W i Hi) as [W1 W2]. rewrite Z, V by easy. easy.
  - clear E. exfalso. revert Sv. generalize 1 as n. generalize (weighted_sorted (coalesce A)) as l.
    induction l as [|[s [d w]] l IH]; intros n; [easy|]. cbn [single_valued_64]. destruct (d =? n); [|easy].
    unfold times_64. destruct (below_64 _); [apply IH|easy].
Qed.
(* It does so wherever the elements and the ends of the modes have 64 bits and no value comes twice before the first
   gap. *)
Theorem right_inverse_64_complete search A : shaped A = true -> held_64 (leaves A) = true -> below_64 (size A) = true ->
  ends_below_64 (sorted_leaves (coalesce A)) = true -> single_valued (coalesce A) = true ->
  right_inverse_64 search A = Yes (contiguous_inverse (coalesce A)).
Proof.
  intros S K B E Sv. unfold right_inverse_64. rewrite sorted_modes_64_exact, B by easy. cbn [and_then].
  pose proof (shaped_coalesce A S) as SC. rewrite <- strides_sorted in E. rewrite contiguous_64_complete by easy.
  set (l := weighted_sorted (coalesce A)) in *. set (k := weights (contiguous 1 l)).
  assert (P : positive k = true).
  { unfold k. rewrite positive_weights. now apply (sublist_positive _ _ (contiguous_sublist 1 _)),
    weighted_sorted_positive. }
  destruct (sorted_modes_small A S) as [L Z]. fold l in L, Z. pose proof (contiguous_sublist 1 l) as C.
  destruct (sublist_small _ _ C (weighted_sorted_positive _ SC)) as [Lk Zk].
  destruct (held_numel k P) as [Hk Fk].
  { unfold k, weights. rewrite map_length. apply andb_true_iff in K as [K _]. apply Nat.leb_le in K. lia. }
  { apply (below_64_le _ (size A)); [|easy]. unfold k. rewrite numel_weights. lia. }
  assert (Hm : held_64 (merge k) = true).
  { destruct (merge_spec k P) as (Em & Pm & _). apply held_numel; [easy| |].
    - pose proof (merge_length k). apply andb_true_iff in Hk as [Hk _]. apply Nat.leb_le in Hk. lia.
    - rewrite Em. apply (below_64_le _ (size A)); [|easy]. unfold k. rewrite numel_weights. lia. }
  pose proof (merge_64_merges k P Fk) as G. rewrite Hm in G. unfold merge_64 in G.
  destruct (push_all [] k) as [m| | |]; try discriminate. cbn [and_then] in *. injection G as G.
  rewrite single_valued_64_complete; [|apply weighted_wide|easy|].
  - cbn [and_then]. rewrite G. reflexivity.
  - apply nested_ordered; [exact Sv|]. intros s d I. apply in_map_iff in I as ([t [e w]] & I & J).
    injection I as <- <-. apply before_gap_in in J. now apply weighted_sorted_moves in J.
Qed.
