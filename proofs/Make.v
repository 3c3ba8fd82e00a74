(* Layouts made from a shape: compact in one order or the other; threads spread over a domain. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Product.
Local Open Scope N_scope.

(* Strides w, w*s0, ... in the order of the leaves; extent 1 has stride 0. *)
Fixpoint unit_zero (A : layout N) : layout N :=
  match A with
  | Leaf s d => Leaf s (if s =? 1 then 0 else d)
  | Node ms => Node (map unit_zero ms)
  end.
Definition make_layout_left (t : tuple) : layout N := unit_zero (colex t 1).

Fixpoint reversed_tuple (t : tuple) : tuple :=
  match t with
  | Int n => Int n
  | Tup l => Tup (rev (map reversed_tuple l))
  end.
Fixpoint reversed (A : layout N) : layout N :=
  match A with
  | Leaf s d => Leaf s d
  | Node ms => Node (rev (map reversed ms))
  end.
Definition make_layout_right (t : tuple) : layout N := reversed (make_layout_left (reversed_tuple t)).

Definition unit_leaves (l : modes) : modes := map (fun m => (fst m, if fst m =? 1 then 0 else snd m)) l.

Lemma leaves_unit_zero A : leaves (unit_zero A) = unit_leaves (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl. unfold unit_leaves.
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. now rewrite map_app, Hm, IH.
Qed.
Lemma shape_unit_zero A : shape (unit_zero A) = shape A.
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_map. f_equal. now apply map_ext_Forall.
Qed.
Lemma value_in_unit l i : value_in (unit_leaves l) i = value_in l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i; [reflexivity|]. simpl. rewrite IH.
  destruct (N.eqb_spec s 1) as [->|]; [rewrite N.mod_1_r; lia|reflexivity].
Qed.

(* make_layout_left(S) has shape S and value i at i. *)
Theorem make_layout_left_colex t : shape (make_layout_left t) = t /\
  (tpositive t = true -> forall i, i < tsize t -> apply (make_layout_left t) i = i).
Proof.
  unfold make_layout_left. split; [now rewrite shape_unit_zero, colex_shape|]. intros P i Hi.
  assert (S : shaped (unit_zero (colex t 1)) = true) by now rewrite <- tpositive_shape, shape_unit_zero, colex_shape.
  rewrite apply_inside by (try easy; now rewrite <- tsize_shape, shape_unit_zero, colex_shape).
  rewrite leaves_unit_zero, value_in_unit, colex_leaves, value_in_compact by now apply tpositive_extents.
  rewrite <- tsize_extents, N.mod_small; lia.
Qed.

(* A leaf of extent 1 has stride 0. *)
Theorem make_layout_left_unit t d : In (1, d) (leaves (make_layout_left t)) -> d = 0.
Proof.
  unfold make_layout_left. rewrite leaves_unit_zero. unfold unit_leaves. intros I. apply in_map_iff in I as ([s e] & E & _).
  simpl in E. injection E as -> <-. reflexivity.
Qed.

Lemma leaves_reversed A : leaves (reversed A) = rev (leaves A).
Proof.
  induction A as [s d|ms IH] using layout_induction; [reflexivity|]. simpl.
  induction IH as [|m ms Hm _ IH]; simpl; [reflexivity|]. rewrite flat_map_app, IH. simpl. now rewrite app_nil_r, Hm, rev_app_distr.
Qed.
Lemma extents_reversed t : extents (reversed_tuple t) = rev (extents t).
Proof.
  induction t as [n|l IH] using tuple_induction; [reflexivity|]. simpl.
  induction IH as [|x l Hx _ IH]; simpl; [reflexivity|]. rewrite flat_map_app, IH. simpl. now rewrite app_nil_r, Hx, rev_app_distr.
Qed.
Lemma reversed_twice t : reversed_tuple (reversed_tuple t) = t.
Proof.
  induction t as [n|l IH] using tuple_induction; simpl; [reflexivity|]. rewrite map_rev, rev_involutive, map_map. f_equal.
  rewrite <- (map_id l) at 2. now apply map_ext_Forall.
Qed.
Lemma shape_reversed A : shape (reversed A) = reversed_tuple (shape A).
Proof.
  induction A as [s d|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_rev, !map_map. do 2 f_equal. now apply map_ext_Forall.
Qed.

(* Each extent with the product of those behind it. *)
Fixpoint lexicographic (l : list N) : modes :=
  match l with
  | [] => []
  | s :: l => (s, if s =? 1 then 0 else fold_right N.mul 1 l) :: lexicographic l
  end.

Lemma compact_reversed l : rev (unit_leaves (compact (rev l) 1)) = lexicographic l.
Proof.
  induction l as [|s l IH]; [reflexivity|]. simpl. rewrite compact_app. unfold unit_leaves in *. rewrite map_app, rev_app_distr, IH. simpl.
  do 2 f_equal. destruct (s =? 1); [easy|]. rewrite N.mul_1_l. clear. induction l as [|n l IH]; simpl; [easy|].
  rewrite product_app, IH. simpl. lia.
Qed.

(* make_layout_right(S) has shape S; each leaf's stride is the product of the extents behind it. *)
Theorem make_layout_right_lex t : shape (make_layout_right t) = t /\ leaves (make_layout_right t) = lexicographic (extents t).
Proof.
  unfold make_layout_right. split.
  - now rewrite shape_reversed, (proj1 (make_layout_left_colex _)), reversed_twice.
  - unfold make_layout_left. now rewrite leaves_reversed, leaves_unit_zero, colex_leaves, extents_reversed, compact_reversed.
Qed.

(* n threads over the extents of a domain: as many as fit each, front to back; what fits nowhere is left over. *)
Fixpoint distribute (l : list N) (w n : N) : modes :=
  match l with
  | [] => []
  | s :: l => let g := N.gcd s n in (g, w) :: distribute l (w * s) (n / g)
  end.
Definition domain_distribute (t : tuple) (n : N) : option (layout N) :=
  if n =? 0 then None else Some (unwrapped (merge (distribute (extents t) 1 n))).

Lemma gcd_below s n : 0 < s -> 0 < n -> 0 < N.gcd s n /\ N.gcd s n <= s /\ (N.gcd s n | s) /\ (N.gcd s n | n).
Proof.
  intros Hs Hn. pose proof (N.gcd_divide_l s n) as L. pose proof (N.gcd_divide_r s n) as R.
  assert (N.gcd s n <> 0) by (intros E; apply N.gcd_eq_0_l in E; lia).
  repeat split; [lia|now apply N.divide_pos_le|easy|easy].
Qed.

Lemma distribute_spec l w n : Forall (fun s => 0 < s) l -> 0 < w -> 0 < n ->
  positive (distribute l w n) = true /\ ordered_from w (distribute l w n) = true /\ (numel (distribute l w n) | n) /\
  forall i, value_in (distribute l w n) i + w <= w * fold_right N.mul 1 l.
Proof.
  intros P. revert w n. induction P as [|s l Hs P IH]; intros w n Hw Hn; simpl.
  - repeat split; [apply N.divide_1_l|intros; lia].
  - destruct (gcd_below s n Hs Hn) as (G & L & Ds & Dn). set (g := N.gcd s n) in *.
    assert (0 < n / g) as Q by (apply N.div_str_pos; split; [easy|now apply N.divide_pos_le]).
    destruct (IH (w * s) (n / g) ltac:(nia) Q) as (P' & O & Dv & B). repeat split.
    + now apply positive_cons.
    + rewrite N.leb_refl. simpl. clear - O L Hw. revert O. generalize (distribute l (w * s) (n / g)) as k. intros [|[t e] k]; [easy|]. simpl.
      intros O. apply andb_true_iff in O as [O ->]. rewrite andb_true_r. apply N.leb_le in O. apply N.leb_le. nia.
    + apply N.divide_trans with (g * (n / g)); [now apply N.mul_divide_mono_l|]. now rewrite divides_div.
    + intros i. specialize (B (i / g)). assert (i mod g < g) by (apply N.mod_lt; lia). nia.
Qed.

(* The threads stand in increasing order, all inside S. *)
Theorem domain_distribute_increasing t n R i : tpositive t = true -> domain_distribute t n = Some R -> i + 1 < size R ->
  apply R i < apply R (i + 1) /\ apply R (i + 1) < tsize t.
Proof.
  unfold domain_distribute. destruct (N.eqb_spec n 0); [discriminate|]. intros P E. injection E as <-. apply tpositive_extents in P.
  destruct (distribute_spec (extents t) 1 n P ltac:(lia) ltac:(lia)) as (Q & O & _ & B). destruct (merge_spec _ Q) as (Z & Q' & V).
  rewrite size_unwrapped, Z. intros Hi. rewrite !apply_unwrapped, !V by (easy || lia). specialize (B (i + 1)).
  rewrite <- tsize_extents in B. pose proof (ordered_increases 1 _ i (i + 1) Q ltac:(lia) O ltac:(lia) Hi). lia.
Qed.

(* Front to back each extent s of S takes g = gcd(s, what is left of n): a leaf g of the weight of s. *)
Theorem domain_distribute_greedy s l w n : distribute (s :: l) w n = (N.gcd s n, w) :: distribute l (w * s) (n / N.gcd s n).
Proof. reflexivity. Qed.
