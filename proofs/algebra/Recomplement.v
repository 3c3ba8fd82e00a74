(* A complement depends on the values of a layout alone: not on how its leaves are spelled, merged or broadcast. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Complement.
Local Open Scope N_scope.

(* What the complement is made of: the gaps between moving leaves in their order, merged; nothing where they overlap. *)
Definition free (rest : N -> N) (l : modes) : option modes :=
  let m := sort snd (moving l) in if nested m then Some (merge (gaps rest 1 m)) else None.

Lemma complement_free rest A : complement_by rest A = option_map unwrapped (free rest (leaves A)).
Proof. unfold complement_by, free, sorted_leaves. now destruct (nested _). Qed.

Lemma nested_cons s d l : nested ((s, d) :: l) = true <-> (forall t e m, l = (t, e) :: m -> s * d <= e) /\
  nested l = true.
Proof.
  simpl. rewrite andb_true_iff. split; intros [L N]; (split; [|easy]).
  - intros t e m ->. now apply N.leb_le.
  - destruct l as [|[t e] l]; [easy|]. apply N.leb_le. now apply (L t e l).
Qed.

(* Nested moving leaves increase strictly: behind a leaf everything begins at its end or later. *)
Lemma nested_behind s d l t e : nested ((s, d) :: l) = true -> all_move l -> In (t, e) l -> s * d <= e.
Proof.
  revert s d. induction l as [|[u f] l IH]; intros s d N M I; [easy|]. apply nested_cons in N as [L N].
  apply all_move_cons in M as (Hu & Hf & M). pose proof (L u f l eq_refl).
  destruct I as [I|I]; [injection I as <- <-; lia|]. specialize (IH u f N M I). nia.
Qed.

Lemma nested_app_r l m : nested (l ++ m) = true -> nested m = true.
Proof. induction l as [|[s d] l IH]; [easy|]. cbn [app]. intros N. apply nested_cons in N as [_ N]. auto. Qed.

Lemma all_move_permutation l m : Permutation l m -> all_move l -> all_move m.
Proof. intros P M s d I. apply M. now apply (Permutation_in _ (Permutation_sym P)). Qed.

Lemma sorted_nested l : nested l = true -> all_move l -> sorted snd l = true.
Proof.
  induction l as [|[s d] l IH]; intros N M; [easy|]. apply nested_cons in N as [L N].
  apply all_move_cons in M as (Hs & Hd & M).
  cbn [sorted]. rewrite IH by easy. rewrite andb_true_r. destruct l as [|[t e] l]; [easy|]. apply N.leb_le. simpl.
  specialize (L t e l eq_refl). nia.
Qed.

(* There is one nested order of a list of moving leaves: sorting finds it. *)
Lemma nested_unique l m : Permutation l m -> nested m = true -> all_move m -> sorted snd l = true -> l = m.
Proof.
  revert l. induction m as [|[s d] m IH]; intros l P N M S; [now apply Permutation_sym, Permutation_nil in P|].
  destruct l as [|[t e] l]; [now apply Permutation_nil in P|]. pose proof N as N'. apply nested_cons in N' as [_ N'].
  pose proof M as M'. apply all_move_cons in M' as (Hs & Hd & M'). destruct (sorted_least _ _ _ S) as [S' least].
  assert ((t, e) = (s, d)) as E.
  { pose proof (Permutation_in (s, d) (Permutation_sym P) (or_introl eq_refl)) as I.
    pose proof (Permutation_in (t, e) P (or_introl eq_refl)) as J.
    destruct J as [J|J]; [easy|]. destruct I as [I|I]; [easy|]. apply least in I. simpl in I.
    pose proof (nested_behind s d m t e N M' J). nia. }
  rewrite E in *. f_equal. apply IH; try easy. now apply Permutation_cons_inv in P.
Qed.
Lemma sort_nested l m : Permutation l m -> nested m = true -> all_move m -> sort snd l = m.
Proof.
  intros P N M. apply nested_unique; try easy; [|apply sort_sorted].
  transitivity l; [symmetry; apply sort_permutation|easy].
Qed.

Lemma moving_app l m : moving (l ++ m) = moving l ++ moving m.
Proof. apply filter_app. Qed.
Lemma moving_moves l : all_move (moving l).
Proof. intros s d I. apply moving_in in I. lia. Qed.

(* A gap of one where a leaf goes on where the one before ends: merging drops it. *)
Lemma merge_gap_of_one (pre : modes) e q : merge (pre ++ (1, e) :: q) = merge (pre ++ q).
Proof.
  assert (onto : forall (pre : modes) s d, merge_onto s d (pre ++ (1, e) :: q) = merge_onto s d (pre ++ q)).
  { clear. intros pre. induction pre as [|[t f] pre IH]; intros s d; [reflexivity|]. simpl.
    destruct (t =? 1); [apply IH|]. destruct (s * d =? f); [apply IH|]. now rewrite IH. }
  induction pre as [|[s d] pre IH]; [reflexivity|]. simpl. destruct (s =? 1); [apply IH|apply onto].
Qed.

Lemma gaps_app rest e l m : gaps rest e (l ++ m) =
  removelast (gaps rest e l) ++ gaps rest (top_from e l) m.
Proof.
  revert e. induction l as [|[s d] l IH]; intros e; [reflexivity|]. cbn [app gaps top_from]. rewrite IH.
  assert (gaps rest (s * d) l <> []) by (destruct l as [|[]]; discriminate). destruct (gaps rest (s * d) l); easy.
Qed.

(* Where a leaf goes on where the one before ends, both count as one. *)
Lemma gaps_continued rest e p s t d q : 0 < s * d ->
  merge (gaps rest e (p ++ (s, d) :: (t, s * d) :: q)) = merge (gaps rest e (p ++ (s * t, d) :: q)).
Proof.
  intros H. rewrite !gaps_app. cbn [gaps]. rewrite N.div_same by lia.
  replace (t * (s * d)) with (s * t * d) by lia.
  change ((d / top_from e p, top_from e p) :: (1, s * d) :: gaps rest (s * t * d) q) with
    ([(d / top_from e p, top_from e p)] ++ (1, s * d) :: gaps rest (s * t * d) q).
  now rewrite app_assoc, merge_gap_of_one, <- app_assoc.
Qed.

Lemma nested_app l m : nested (l ++ m) = true -> all_move (l ++ m) -> forall s d t e, In (s, d) l -> In (t, e) m ->
  s * d <= e.
Proof.
  induction l as [|[u f] l IH]; intros N M s d t e I J; [easy|]. cbn [app] in N, M.
  pose proof (all_move_cons _ _ _ M) as (_ & _ & M').
  destruct I as [I|I].
  - injection I as <- <-. apply (nested_behind u f (l ++ m) t e N M'). apply in_app_iff. now right.
  - apply nested_cons in N as [_ N]. now apply (IH N M' s d t e).
Qed.

(* One list of moving leaves is nested exactly when the other is, where two leaves that continue each other are joined.
  *)
Lemma nested_joined p s t d q : 1 < s -> 1 < t -> 0 < d ->
  nested (p ++ (s, d) :: (t, s * d) :: q) = nested (p ++ (s * t, d) :: q).
Proof.
  intros Hs Ht Hd. induction p as [|[u f] p IH].
  - cbn [app]. cbn [nested]. rewrite N.leb_refl. now replace (t * (s * d)) with (s * t * d) by lia.
  - cbn [app nested]. rewrite IH. now destruct p as [|[v g] p].
Qed.

Lemma free_joined rest pre s t d l : 1 < s -> 1 < t ->
  free rest (pre ++ (s, d) :: (t, s * d) :: l) = free rest (pre ++ (s * t, d) :: l).
Proof.
  intros Hs Ht. unfold free. rewrite !moving_app. destruct (N.eq_dec d 0) as [->|Hd].
  { unfold moving at 2 4 6 8. cbn [List.filter fst snd]. rewrite N.mul_0_r, N.eqb_refl, !andb_false_r. reflexivity. }
  assert (1 < s * t) by nia. assert (s * d <> 0) by nia.
  set (X := moving pre ++ moving ((s, d) :: (t, s * d) :: l)). set (Y := moving pre ++ moving ((s * t, d) :: l)).
  assert (EX : X = moving pre ++ (s, d) :: (t, s * d) :: moving l).
  { subst X. f_equal. unfold moving. cbn [List.filter fst snd].
    rewrite (proj2 (N.ltb_lt 1 s)), (proj2 (N.ltb_lt 1 t)), (proj2 (N.eqb_neq d 0)), (proj2 (N.eqb_neq (s * d) 0));
      easy. }
  assert (EY : Y = moving pre ++ (s * t, d) :: moving l).
  { subst Y. f_equal. unfold moving. cbn [List.filter fst snd].
    rewrite (proj2 (N.ltb_lt 1 (s * t))), (proj2 (N.eqb_neq d 0)); easy. }
  assert (MX : all_move X) by (subst X; rewrite <- moving_app; apply moving_moves).
  assert (MY : all_move Y) by (subst Y; rewrite <- moving_app; apply moving_moves).
  clearbody X Y. rewrite EX in MX |- *. rewrite EY in MY |- *. clear EX EY X Y. set (p0 := moving pre) in *.
  set (q0 := moving l) in *.
  assert (PX : Permutation (p0 ++ (s, d) :: (t, s * d) :: q0) ((s, d) :: (t, s * d) :: p0 ++ q0)).
  { rewrite <- !Permutation_middle. reflexivity. }
  assert (PY : Permutation (p0 ++ (s * t, d) :: q0) ((s * t, d) :: p0 ++ q0)) by now rewrite <- Permutation_middle.
  destruct (nested (sort snd (p0 ++ (s * t, d) :: q0))) eqn:NY.
  - (* joined nested: take the joined leaf apart in its place *)
    assert (In (s * t, d) (sort snd (p0 ++ (s * t, d) :: q0))) as I.
    { apply (Permutation_in _ (sort_permutation _ _)), in_app_iff. right. now left. }
    apply in_split in I as (p & q & E). rewrite E in NY |- *.
    assert (sort snd (p0 ++ (s, d) :: (t, s * d) :: q0) = p ++ (s, d) :: (t, s * d) :: q) as ->.
    { apply sort_nested; [|now rewrite nested_joined by lia|].
      - rewrite PX, <- !Permutation_middle. do 2 constructor. apply (Permutation_cons_inv (a := (s * t, d))).
        rewrite <- PY, Permutation_middle, <- E. apply sort_permutation.
      - refine (all_move_permutation _ _ _ MX). rewrite PX, <- !Permutation_middle. do 2 constructor.
        apply (Permutation_cons_inv (a := (s * t, d))). rewrite <- PY, Permutation_middle, <- E. apply sort_permutation.
        }
    rewrite nested_joined, NY by lia. now rewrite gaps_continued by nia.
  - destruct (nested (sort snd (p0 ++ (s, d) :: (t, s * d) :: q0))) eqn:NX; [exfalso|easy].
    pose proof (all_move_permutation _ _ (sort_permutation snd _) MX) as MS.
    assert (In (s, d) (sort snd (p0 ++ (s, d) :: (t, s * d) :: q0))) as I.
    { apply (Permutation_in _ (sort_permutation _ _)), in_app_iff. right. now left. }
    apply in_split in I as (p & q & E).
    assert (Q : Permutation ((t, s * d) :: p0 ++ q0) (p ++ q)).
    { apply (Permutation_cons_inv (a := (s, d))). rewrite <- PX, (Permutation_middle p q),
        <- E. apply sort_permutation. }
    rewrite E in NX, MS. assert (In (t, s * d) (p ++ q)) as J by (apply (Permutation_in _ Q); now left).
    apply in_app_iff in J as [J|J].
    { pose proof (nested_app p ((s, d) :: q) NX MS t (s * d) s d J (or_introl eq_refl)). nia. }
    apply in_split in J as (q1 & q2 & ->). destruct q1 as [|[u f] q1].
    + cbn [app] in *. rewrite nested_joined in NX by lia.
      assert (sort snd (p0 ++ (s * t, d) :: q0) = p ++ (s * t, d) :: q2) as F; [|rewrite F in NY; congruence].
      apply sort_nested; [|easy|].
      * rewrite PY, <- Permutation_middle. constructor. apply (Permutation_cons_inv (a := (t, s * d))).
        rewrite Q. symmetry. apply Permutation_middle.
      * refine (all_move_permutation _ _ _ MY). rewrite PY, <- Permutation_middle. constructor.
        apply (Permutation_cons_inv (a := (t, s * d))). rewrite Q. symmetry. apply Permutation_middle.
    + apply nested_app_r in NX. pose proof (nested_behind s d _ u f NX) as L.
      assert (all_move (((u, f) :: q1) ++ (t, s * d) :: q2)) as M2.
      { intros s' d' I'. apply MS. apply in_app_iff. right. now right. }
      specialize (L M2 (or_introl eq_refl)). apply nested_cons in NX as [_ NX].
      destruct (M2 u f (or_introl eq_refl)) as [Hu Hf].
      pose proof (nested_app _ _ NX M2 u f t (s * d) (or_introl eq_refl) (or_introl eq_refl)). nia.
Qed.

Lemma free_unit rest pre e l : free rest (pre ++ (1, e) :: l) = free rest (pre ++ l).
Proof. unfold free. rewrite !moving_app. reflexivity. Qed.

Lemma free_merge_onto rest pre s d l : 1 < s -> positive l = true ->
  free rest (pre ++ (s, d) :: l) = free rest (pre ++ merge_onto s d l).
Proof.
  revert pre s d. induction l as [|[t e] l IH]; intros pre s d Hs P; [reflexivity|]. apply positive_cons in P as [Ht P].
  cbn [merge_onto]. destruct (N.eqb_spec t 1) as [->|].
  - rewrite <- IH by easy. change (pre ++ (s, d) :: (1, e) :: l) with (pre ++ [(s, d)] ++ (1, e) :: l).
    rewrite app_assoc, free_unit, <- app_assoc. reflexivity.
  - change (same (s *: d) e) with (s * d =? e). destruct (N.eqb_spec (s * d) e) as [<-|].
    + rewrite <- IH by (easy || nia). apply free_joined; lia.
    + change (pre ++ (s, d) :: (t, e) :: l) with (pre ++ [(s, d)] ++ (t, e) :: l).
      change (pre ++ (s, d) :: merge_onto t e l) with (pre ++ [(s, d)] ++ merge_onto t e l). rewrite !app_assoc.
      apply IH; [lia|easy].
Qed.

Lemma free_merge rest l : positive l = true -> free rest l = free rest (merge l).
Proof.
  induction l as [|[s d] l IH]; intros P; [reflexivity|]. apply positive_cons in P as [Hs P]. simpl.
  destruct (N.eqb_spec s 1) as [->|]; [rewrite <- IH by easy; apply (free_unit rest [])|].
  apply (free_merge_onto rest []); [lia|easy].
Qed.

Lemma free_unwrapped rest l : free rest (leaves (unwrapped l)) = free rest l.
Proof. rewrite leaves_unwrapped. now destruct l. Qed.

(* The complement of a layout with its leaves merged first, as the optimized algebra takes it, is its complement. *)
Theorem complement_merged rest A : shaped A = true -> complement_by rest (coalesce A) = complement_by rest A.
Proof. intros S. rewrite !complement_free. unfold coalesce. now rewrite free_unwrapped, <- free_merge. Qed.

Lemma moving_without_zeros l : moving (without_zeros l) = moving l.
Proof.
  induction l as [|[s d] l IH]; [reflexivity|]. unfold moving in *. simpl.
  destruct (d =? 0) eqn:Z; simpl; [|now rewrite IH].
  now rewrite andb_false_r.
Qed.
Lemma positive_without_zeros (l : modes) : positive l = true -> positive (without_zeros l) = true.
Proof.
  induction l as [|[s d] l IH]; intros P; [easy|]. apply positive_cons in P as [Hs P]. simpl. apply positive_cons.
  split; [destruct (d =? 0); lia|auto].
Qed.

(* The complement of A is that of filter(A): what A broadcasts does not count. *)
Theorem complement_broadcast A M : shaped A = true -> complement A M = complement (filter A) M.
Proof.
  intros S. unfold complement, filter. rewrite complement_merged.
  - rewrite !complement_free, filter_zeros_leaves. unfold free. now rewrite moving_without_zeros.
  - unfold shaped. rewrite filter_zeros_leaves. now apply positive_without_zeros.
Qed.

(* What the gaps of a chain leave free are its leaves again, behind what was pending from f to e. *)
Lemma gaps_of_gaps N_ l : 0 < N_ -> forall e f, 0 < f -> 0 < e -> (f | e) -> chained ((1, e) :: l) = true ->
  all_move l -> (top_from e l | N_) -> let g :=
  gaps (ceil N_) f (wide (gaps (ceil N_) e l)) in numel g = e / f * numel l /\
  forall i, value_in g i = value_in ((e / f, f) :: l) i.
Proof.
  intros HN. induction l as [|[s d] l IH]; intros e f Hf He Df C M T.
  - cbn [top_from] in T. destruct T as [r ->]. rewrite (N.mul_comm r e). cbn [gaps wide List.filter fst].
    rewrite ceil_exact by easy.
    pose proof (divides_div f e Hf Df) as Q.
    destruct (N.ltb_spec 1 r) as [L|L]; cbn [gaps].
    + replace (e * r) with (r * e * 1) by lia. rewrite ceil_exact by nia. split; [simpl; lia|]. intros i. simpl.
      rewrite N.mod_1_r. lia.
    + replace r with 1 by nia. rewrite N.mul_1_r.
      assert (ceil e f = e / f) as -> by (rewrite <- Q at 1; now apply ceil_exact). easy.
  - apply all_move_cons in M as (Hs & Hd & M). cbn [chained] in C. rewrite N.mul_1_l in C.
    apply andb_true_iff in C as [De C].
    apply N.eqb_eq, mod_0_divides in De; [|easy].
    assert (C' : chained ((1, s * d) :: l) = true) by (cbn [chained]; now rewrite N.mul_1_l).
    cbn [gaps top_from wide List.filter fst] in *. fold (wide (gaps (ceil N_) (s * d) l)).
    pose proof (divides_div e d He De) as Q.
    destruct (N.ltb_spec 1 (d / e)) as [L|L]; cbn [gaps].
    + destruct (IH (s * d) d ltac:(lia) ltac:(nia) ltac:(now apply N.divide_factor_r) C' M T) as [Z V].
      replace (d / e * e) with d by lia. rewrite N.div_mul in Z, V by lia.
      split; [cbn [numel] in *; rewrite Z; lia|]. intros i. cbn [value_in] in *. now rewrite V.
    + assert (d / e = 1) as E by nia. rewrite E, N.mul_1_r in Q. subst d.
      destruct (IH (s * e) f Hf ltac:(nia) ltac:(now apply N.divide_mul_r) C' M T) as [Z V].
      assert (s * e / f = e / f * s) as F by (rewrite N.divide_div_mul_exact by (easy || lia); lia).
      rewrite F in Z, V. assert (0 < e / f) by (pose proof (divides_div f e Hf Df); nia).
      split; [cbn [numel]; rewrite Z; lia|]. intros i. rewrite V. pose proof (divides_div f e Hf Df) as G.
      set (q := e / f) in *. clearbody q. rewrite <- G. cbn [value_in]. rewrite mod_mul, <- N.div_div by lia.
      change times with N.mul. change plus with N.add. lia.
Qed.

(* For chained A and N a multiple of its top, the complement of the complement takes the values of A. *)
Theorem complement_involution A N_ R : shaped A = true -> broadcasts A = false -> chained (sorted_leaves A) = true ->
  0 < N_ -> (top A | N_) -> complement A N_ = Some R -> exists C, complement R N_ = Some C /\
  Permutation (image (leaves C)) (image (leaves A)).
Proof.
  intros S B Ch HN T E. pose proof (all_move_sorted A) as M. destruct (complement_spec A N_ R HN E) as (Ne & -> & P).
  set (l := sorted_leaves A) in *. set (g := gaps (ceil N_) 1 l) in *.
  assert (Og : ordered_from 1 g = true).
  { apply gaps_ordered; try lia; [now apply ordered_leaves|easy]. }
  assert (Mg : moving g = wide g).
  { unfold moving, wide. apply filter_ext_in. intros [s d] I. simpl. assert (0 < d) as Hd;
      [|rewrite (proj2 (N.eqb_neq d 0)); [now rewrite andb_true_r|lia]].
    clear - Og I P. revert Og I P. assert (0 < 1) as H by lia. revert H. generalize 1 as e.
    induction g as [|[t f] g IH]; intros e He O I P; [easy|].
    simpl in O. apply andb_true_iff in O as [L O]. apply N.leb_le in L. apply positive_cons in P as [Ht P].
    destruct I as [I|I]; [injection I as <- <-; lia|]. apply (IH (t * f)); try easy. nia. }
  assert (Nw : nested (wide g) = true).
  { clear - Og P. revert P Og. generalize 1 as e. intros e P Og. apply (ordered_nested e). revert e Og.
    induction g as [|[t f] g IH]; intros e O; [easy|]. apply positive_cons in P as [Ht P]. simpl in O.
    apply andb_true_iff in O as [L O].
    apply N.leb_le in L. cbn [wide List.filter fst]. fold (wide g). destruct (N.ltb_spec 1 t).
    - simpl. rewrite (proj2 (N.leb_le _ _) L). now apply IH.
    - replace t with 1 in O by lia. rewrite N.mul_1_l in O. apply IH; [easy|]. destruct g as [|[u h] g]; [easy|].
      simpl in O |- *.
      apply andb_true_iff in O as [O1 O2]. rewrite O2, andb_true_r. apply N.leb_le in O1. apply N.leb_le. lia. }
  assert (Sw : sort snd (moving g) = wide g).
  { rewrite Mg. apply sort_nested; [easy|easy|]. rewrite <- Mg. apply moving_moves. }
  unfold complement. rewrite complement_free, free_unwrapped, <- free_merge by easy. unfold free. rewrite Sw, Nw.
  cbn [option_map].
  eexists. split; [reflexivity|].
  destruct (gaps_of_gaps N_ l HN 1 1 ltac:(lia) ltac:(lia) (N.divide_refl 1) (chained_from_1 l Ch) M T) as [Z V].
  fold g in Z, V.
  rewrite N.div_same, N.mul_1_l in Z by lia. set (k := gaps (ceil N_) 1 (wide g)) in *.
  assert (Pk : positive k = true).
  { apply gaps_positive; [intros; now apply ceil_positive|lia|apply nested_ordered; [easy|]|]; rewrite <- Mg;
      apply moving_moves. }
  transitivity (image k); [rewrite leaves_unwrapped, <- (image_merge k Pk); now destruct (merge k)|].
  assert (image k = image l) as ->.
  { unfold image. rewrite Z. apply map_ext. intros i. rewrite V. cbn [value_in]. now rewrite N.div_same, N.mod_1_r,
      N.div_1_r by lia. }
  rewrite <- (image_wide (leaves A)) by easy. rewrite <- moving_wide by easy. symmetry.
  apply image_permutation; [apply sort_permutation|].
  rewrite moving_wide by easy. apply wide_positive.
Qed.
