(* Images: all values of a list of leaves, as a multiset. The order of the leaves does not matter to it. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Coalesce.
Local Open Scope N_scope.

Section Image.
Context {D : Type} `{module D}.
Notation modes := (list (N * D)).

Definition image (l : modes) : list D := map (value_in l) (iota (numel l)).

Lemma in_image v l : In v (image l) <-> exists i, i < numel l /\ v = value_in l i.
Proof.
  unfold image. rewrite in_map_iff. split; [intros (i & <- & I)|intros (i & I & ->)]; exists i.
  - now rewrite in_iota in I.
  - now rewrite in_iota.
Qed.

Lemma image_cons s d l : 0 < s ->
  image ((s, d) :: l) = flat_map (fun y => map (fun r => r *: d +: y) (iota s)) (image l).
Proof.
  intros Hs. unfold image. simpl numel. rewrite iota_mul, map_flat_map, flat_map_map. apply flat_map_ext. intros q.
  rewrite map_map. apply map_ext_in. intros r Hr. rewrite in_iota in Hr. simpl. now rewrite digit_mod, digit_div.
Qed.

Lemma image_app l m : positive l = true ->
  image (l ++ m) = flat_map (fun y => map (fun x => x +: y) (image l)) (image m).
Proof.
  intros P. pose proof (numel_positive l P). unfold image. rewrite numel_app, iota_mul, map_flat_map, flat_map_map.
  apply flat_map_ext. intros q. rewrite !map_map. apply map_ext_in. intros r Hr. rewrite in_iota in Hr.
  rewrite value_in_app, digit_div by easy. f_equal.
  rewrite <- (value_in_periodic l (r + _)), digit_mod by easy. reflexivity.
Qed.

Lemma flat_map_permutations {X Y} (f g : X -> list Y) l :
  (forall x, Permutation (f x) (g x)) -> Permutation (flat_map f l) (flat_map g l).
Proof. intros E. induction l; simpl; [reflexivity|]. now apply Permutation_app. Qed.

(* Permuting the leaves permutes the image. *)
Lemma image_permutation l m : Permutation l m -> positive l = true -> Permutation (image l) (image m).
Proof.
  induction 1 as [|[s d] l m L IH|[s d] [t e] l|l m k L IH K IHK]; intros P.
  - reflexivity.
  - apply positive_cons in P as [Hs P]. rewrite !image_cons by easy. apply Permutation_flat_map. auto.
  - apply positive_cons in P as [Ht P]. apply positive_cons in P as [Hs P].
    rewrite !image_cons, !flat_map_flat_map by easy. apply flat_map_permutations. intros y.
    rewrite !flat_map_map. rewrite flat_map_swap. apply flat_map_permutations. intros q.
    erewrite map_ext; [reflexivity|]. intros r. simpl. rewrite !plus_assoc. f_equal. apply plus_comm.
  - transitivity (image m); [auto|]. apply IHK. clear - L P. unfold positive in *. rewrite forallb_forall in *.
    intros x Hx. apply P. now apply (Permutation_in x (Permutation_sym L)).
Qed.

Lemma positive_permutation (l m : modes) : Permutation l m -> positive l = true -> positive m = true.
Proof.
  unfold positive. rewrite !forallb_forall. intros L P x Hx. apply P. now apply (Permutation_in x (Permutation_sym L)).
Qed.
Lemma numel_permutation (l m : modes) : Permutation l m -> numel l = numel m.
Proof. induction 1 as [|[s d] ? ? ? IH|[s d] [t e] ?|]; simpl; lia || congruence. Qed.

Lemma length_image l : length (image l) = N.to_nat (numel l).
Proof. unfold image. now rewrite map_length, length_iota. Qed.

(* Leaves of extent 1 add nothing. *)
Definition wide (l : modes) : modes := List.filter (fun m => 1 <? fst m) l.
Lemma numel_wide l : positive l = true -> numel (wide l) = numel l.
Proof.
  induction l as [|[s d] l IH]; intros P; [easy|]. apply positive_cons in P as [Hs P]. simpl.
  destruct (N.ltb_spec 1 s); simpl; rewrite IH by easy; nia.
Qed.
Lemma value_in_wide l i : positive l = true -> value_in (wide l) i = value_in l i.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i P; [easy|]. apply positive_cons in P as [Hs P]. simpl.
  destruct (N.ltb_spec 1 s); simpl; rewrite IH by easy; [easy|]. replace s with 1 by lia.
  now rewrite N.mod_1_r, times_0, plus_zero, N.div_1_r.
Qed.
Lemma image_wide l : positive l = true -> image (wide l) = image l.
Proof.
  intros P. unfold image. rewrite numel_wide by easy. apply map_ext. intros. now apply value_in_wide.
Qed.
Lemma image_merge l : positive l = true -> image (merge l) = image l.
Proof. intros P. destruct (merge_spec l P) as (E & _ & V). unfold image. rewrite E. now apply map_ext. Qed.
Lemma wide_positive (l : modes) : positive (wide l) = true.
Proof. unfold positive. apply forallb_forall. intros x Hx. apply filter_In in Hx as [_ Hx]. apply N.ltb_lt in Hx.
apply N.ltb_lt. lia. Qed.

Lemma image_leaves A : shaped A = true -> image (leaves A) = map (apply A) (iota (size A)).
Proof.
  intros S. unfold image. rewrite <- size_product. apply map_ext_in. intros i Hi. rewrite in_iota in Hi.
  symmetry. now apply apply_inside.
Qed.

(* filter takes the same values as A. *)
Theorem filter_image A v : shaped A = true -> In v (image (leaves (filter A))) <-> In v (image (leaves A)).
Proof.
  intros S. assert (positive (without_zeros (leaves A)) = true) as P.
  { clear v. revert S. unfold shaped. induction (leaves A) as [|[s d] l IH]; intros S;
      [easy|]. apply positive_cons in S as [Hs S].
    simpl. apply positive_cons. split; [destruct (same d zero); lia|auto]. }
  assert (forall B, shaped B = true -> image (leaves (coalesce B)) = image (leaves B)) as same_image.
  { intros B SB. rewrite !image_leaves by (try apply shaped_coalesce;
      easy). destruct (coalesce_function B SB) as [-> V].
    apply map_ext_in. intros i Hi. rewrite in_iota in Hi. auto. }
  unfold filter. rewrite same_image by (unfold shaped; now rewrite filter_zeros_leaves). rewrite filter_zeros_leaves.
  clear same_image P. revert v S. unfold shaped. induction (leaves A) as [|[s d] l IH]; intros v S; [easy|].
  apply positive_cons in S as [Hs S]. simpl. fold (without_zeros l).
  rewrite !image_cons by (try destruct (same d zero); lia). rewrite !in_flat_map.
  destruct (same d zero) eqn:Z; [|now setoid_rewrite IH].
  apply same_true in Z as ->. rewrite iota_1. setoid_rewrite IH; [|easy].
  split; intros (y & Hy & Hv); exists y; (split; [easy|]); apply in_map_iff in Hv as (r & <- & Hr); apply in_map_iff.
  - exists 0. rewrite in_iota, !times_zero. auto.
  - exists 0. rewrite !times_zero. simpl. auto.
Qed.
End Image.

Lemma nodup_map_inverse {X Y} (f : X -> Y) l x y : NoDup (map f l) -> In x l -> In y l -> f x = f y -> x = y.
Proof.
  induction l as [|z l IH]; simpl; [easy|]. intros Nd Hx Hy E. apply NoDup_cons_iff in Nd as [Nz Nd].
  destruct Hx as [<-|Hx], Hy as [<-|Hy]; [easy| | |auto]; exfalso; apply Nz.
  - rewrite E. now apply in_map.
  - rewrite <- E. now apply in_map.
Qed.

Lemma nodup_image {D} `{module D} (l : list (N * D)) i j :
  NoDup (image l) -> i < numel l -> j < numel l -> value_in l i = value_in l j -> i = j.
Proof. intros Nd Hi Hj. apply (nodup_map_inverse _ (iota (numel l))); now rewrite ?in_iota. Qed.

(* Lists of natural strides in which each leaf begins at or behind the end of the one before, the first at e or later.
  *)
Fixpoint ordered_from (e : N) (l : list (N * N)) : bool :=
  match l with
  | [] => true
  | (s, d) :: l => (e <=? d) && ordered_from (s * d) l
  end.
(* The same without gaps: each leaf begins exactly there. *)
Fixpoint tight_from (e : N) (l : list (N * N)) : bool :=
  match l with
  | [] => true
  | (s, d) :: l => (d =? e) && tight_from (s * e) l
  end.

Lemma ordered_increases e l i j : positive l = true -> 0 < e -> ordered_from e l = true -> i < j -> j < numel l ->
  value_in l i + e <= value_in l j.
Proof.
  revert e i j. induction l as [|[s d] l IH]; intros e i j P He O Hij Hj; simpl in *; [lia|].
  apply positive_cons in P as [Hs P]. apply andb_true_iff in O as [Hd O]. apply N.leb_le in Hd.
  destruct (split_index s i Hs) as [Ei Li], (split_index s j Hs) as [Ej Lj].
  set (r := i mod s) in *. set (q := i / s) in *. set (r' := j mod s) in *. set (q' := j / s) in *.
  assert (q' < numel l) by now apply div_below. simpl.
  destruct (N.lt_trichotomy q q') as [L|[->|L]].
  - pose proof (IH (s * d) q q' P ltac:(nia) O L ltac:(easy)). nia.
  - assert (r < r') by lia. nia.
  - exfalso. nia.
Qed.

Lemma value_in_tight e l i : positive l = true -> tight_from e l = true -> value_in l i = e * (i mod numel l).
Proof.
  revert e i. induction l as [|[s d] l IH]; intros e i P T; simpl in *; [rewrite N.mod_1_r; lia|].
  apply positive_cons in P as [Hs P]. apply andb_true_iff in T as [Hd T]. apply N.eqb_eq in Hd as ->.
  rewrite (IH (s * e)), mod_mul by (try apply numel_positive; easy). nia.
Qed.

Lemma ordered_nodup e l : positive l = true -> 0 < e -> ordered_from e l = true -> NoDup (image l).
Proof.
  intros P He O. apply nodup_map_in; [|apply nodup_iota]. intros i j Hi Hj E. rewrite in_iota in *.
  destruct (N.lt_trichotomy i j) as [L|[->|L]]; [|easy|];
    [pose proof (ordered_increases e l i j P He O L Hj)|pose proof (ordered_increases e l j i P He O L Hi)]; lia.
Qed.

Lemma tight_image l : positive l = true -> tight_from 1 l = true -> image l = iota (numel l).
Proof.
  intros P T. unfold image. rewrite <- (map_id (iota (numel l))) at 2. apply map_ext_in. intros i Hi.
  rewrite in_iota in Hi.
  rewrite (value_in_tight 1) by easy. rewrite N.mod_small; lia.
Qed.

(* Stable sorting by stride. *)
Section Sort.
Context {X : Type} (key : X -> N).
Fixpoint insert (x : X) (l : list X) : list X :=
  match l with
  | [] => [x]
  | y :: l => if key x <=? key y then x :: y :: l else y :: insert x l
  end.
Definition sort (l : list X) : list X := fold_right insert [] l.
Fixpoint sorted (l : list X) : bool :=
  match l with
  | [] => true
  | x :: l => match l with [] => true | y :: _ => key x <=? key y end && sorted l
  end.

Lemma insert_permutation x l : Permutation (x :: l) (insert x l).
Proof.
  induction l as [|y l IH]; simpl; [reflexivity|]. destruct (key x <=? key y); [reflexivity|].
  rewrite perm_swap. now constructor.
Qed.
Lemma sort_permutation l : Permutation l (sort l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. rewrite <- insert_permutation. now constructor. Qed.

Lemma sort_sorted l : sorted (sort l) = true.
Proof.
  induction l as [|x l IH]; simpl; [reflexivity|]. revert IH. generalize (sort l) as m. clear l.
  induction m as [|y m IH]; intros S; [reflexivity|]. cbn [insert]. destruct (N.leb_spec (key x) (key y)) as [L|L].
  - cbn [sorted]. apply N.leb_le in L. rewrite L. exact S.
  - cbn [sorted] in S. apply andb_true_iff in S as [Hy S]. specialize (IH S).
    destruct m as [|z m]; cbn [insert sorted] in *.
    + apply N.lt_le_incl, N.leb_le in L. now rewrite L.
    + destruct (key x <=? key z); cbn [sorted]; [|now rewrite Hy].
      apply N.lt_le_incl, N.leb_le in L. now rewrite L.
Qed.

Lemma sorted_least x l : sorted (x :: l) = true -> sorted l = true /\ forall y, In y l -> key x <= key y.
Proof.
  revert x. induction l as [|y l IH]; intros x S; [easy|]. simpl in S. apply andb_true_iff in S as [L S].
  apply N.leb_le in L. split; [exact S|]. destruct (IH y S) as [_ H]. intros z [<-|Hz]; [easy|]. specialize (H z Hz).
  lia.
Qed.
End Sort.
