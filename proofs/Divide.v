(* logical_divide and its regroupings: a layout in tiles. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiler.
Local Open Scope N_scope.

Section Divide.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

(* A o (B, B* ), B* the complement of B in A. *)
Definition divide_exactly (A : layout) (B : Layout.layout N) : option layout :=
  C <- complement B (size A); composition A (Node [B; C]).
(* A with the one mode that tiles ending at `e` cut without dividing it rounded up to whole tiles. *)
Fixpoint round_up (e : N) (l : list (N * D)) : option (list (N * D)) :=
  match l with
  | [] => Some []
  | (s, d) :: l =>
      if (s mod e =? 0) || (e =? 1) then Some ((s, d) :: l)
      else if e <? s then Some ((ceil s e * e, d) :: l)
      else if e mod s =? 0 then option_map (cons (s, d)) (round_up (e / s) l)
      else None
  end.
Definition rounded_up (A : layout) (e : N) : option layout :=
  option_map (fun l => Node (map (fun m => Leaf (fst m) (snd m)) l)) (round_up e (merged_beyond A)).
(* A o (B, B* ); where B does not divide A, A with one mode rounded up: its last tile runs past the end. *)
Definition logical_divide (A : layout) (B : Layout.layout N) : option layout :=
  match divide_exactly A B with
  | Some R => Some R
  | None =>
      match sorted_leaves B with
      | [] => None
      | l => if nested l then P <- rounded_up A (top B); divide_exactly P B else None
      end
  end.

Definition divide_tiler (A : layout) (t : tiler) : option layout :=
  by_tiler logical_divide (fun n => Leaf n (if n =? 1 then 0 else 1)) true t A.
Definition zipped_divide (A : layout) (t : tiler) : option layout := option_map (unzip_tiles t) (divide_tiler A t).
Definition tiled_divide (A : layout) (t : tiler) : option layout := option_map (unpack_from 1) (zipped_divide A t).
Definition flat_divide (A : layout) (t : tiler) : option layout := option_map (unpack_from 0) (zipped_divide A t).

Lemma complement_shaped B M C : 0 < M -> complement B M = Some C -> shaped C = true.
Proof.
  intros HM E. destruct (complement_spec B M C HM E) as (_ & -> & P). rewrite shaped_unwrapped. now apply merge_spec.
Qed.

(* Where B and its complement divide A, logical_divide(A, B) is A o (B, complement(B, size A)). *)
Theorem logical_divide_rest A B C R : complement B (size A) = Some C -> composition A (Node [B; C]) = Some R ->
  logical_divide A B = Some R.
Proof. intros EC E. unfold logical_divide, divide_exactly. now rewrite EC; simpl; rewrite E. Qed.

Lemma divided_node A B R : shaped A = true -> shaped B = true -> divide_exactly A B = Some R -> exists C,
  complement B (size A) = Some C /\ shaped (Node [B; C]) = true /\ composition A (Node [B; C]) = Some R.
Proof.
  intros SA SB. unfold divide_exactly. destruct (complement B (size A)) as [C|] eqn:E; [|discriminate]. intros K.
  exists C. repeat split; [|easy]. apply shaped_node. pose proof (complement_shaped B _ C (size_positive A SA) E). auto.
Qed.

(* There mode 0 of it is A o B. *)
Theorem logical_divide_tile A B R : shaped A = true -> shaped B = true -> divide_exactly A B = Some R ->
  logical_divide A B = Some R /\ exists t r, R = Node [t; r] /\ composition A B = Some t.
Proof.
  intros SA SB E. split; [unfold logical_divide; now rewrite E|].
  destruct (divided_node A B R SA SB E) as (C & EC & S & ER).
  destruct (composition_distributes A B [C] R SA S ER) as (t & rs & -> & Et & Er).
  destruct (composition_distributes A C [] (Node rs) SA) as (r & rs' & Ers & _ & En); [|exact Er|].
  - apply shaped_node. apply shaped_node in S. now inversion S.
  - injection Ers as ->. apply composition_sound in En as (Cn & _); [|easy]. simpl in Cn.
    destruct rs'; [|discriminate]. eauto.
Qed.

(* logical_divide(A, B) takes the values of A, each as often, for chained B whose top divides the size of A. *)
Theorem logical_divide_permutes A B R : shaped A = true -> shaped B = true -> broadcasts B = false ->
  chained (sorted_leaves B) = true -> (top B | size A) -> divide_exactly A B = Some R ->
  Permutation (image (leaves R)) (image (leaves A)).
Proof.
  intros SA SB NB CB T E. destruct (divided_node A B R SA SB E) as (C & EC & S & ER).
  pose proof (size_positive A SA) as PA.
  destruct (complement_covers B (size A) PA SB NB CB) as (C' & EC' & I). rewrite EC in EC'. injection EC' as <-.
  assert (0 < top B) as Pt by (destruct T as [q Hq]; nia).
  assert (top B * ceil (size A) (top B) = size A) as Z.
  { destruct T as [q Hq]. rewrite Hq, (N.mul_comm q), ceil_exact by easy. easy. }
  rewrite Z in I. destruct (composition_sound A _ R S ER) as (Cm & SR & V).
  assert (size R = size (Node [B; C])) as ZR by (apply compatible_size in Cm; now rewrite !tsize_shape in Cm).
  rewrite (image_leaves R SR), ZR, (image_leaves A SA).
  transitivity (map (apply A) (map (apply (Node [B; C])) (iota (size (Node [B; C]))))).
  - rewrite map_map. erewrite map_ext_in; [reflexivity|]. intros i Hi. apply V. now apply in_iota.
  - apply Permutation_map. rewrite <- (image_leaves (Node [B; C]) S). simpl. now rewrite app_nil_r.
Qed.

(* divide_exactly is defined exactly when B has a complement and a layout is A o (B, B* ). *)
Theorem logical_divide_exists A B : shaped A = true -> shaped B = true ->
  (exists R, divide_exactly A B = Some R) <-> exists C R, complement B (size A) = Some C /\ is_composition A (Node [B; C]) R.
Proof.
  intros SA SB. split.
  - intros [R E]. destruct (divided_node A B R SA SB E) as (C & EC & S & ER). exists C, R.
    split; [easy|]. now apply composition_sound.
  - intros (C & R & EC & V). unfold divide_exactly. rewrite EC. cbn [bind]. apply composition_exists; [easy| |eauto].
    pose proof (complement_shaped B _ C (size_positive A SA) EC). apply shaped_node. auto.
Qed.

(* By a tiler it goes mode by mode; Keep keeps a mode, modes beyond the tiler stay. *)
Theorem logical_divide_by_mode A B C T U : divide_tiler (Node [A; B; C]) (Modes [Tile T; Tile U]) =
  (x <- logical_divide A T; y <- logical_divide B U; Some (Node [x; y; C])).
Proof.
  unfold divide_tiler. simpl. destruct (logical_divide A T); simpl; [|easy]. now destruct (logical_divide B U).
Qed.

(* An integer tile n above 1 is n:1. *)
Theorem logical_divide_integer A n : 1 < n -> divide_tiler A (Extent n) = logical_divide A (Leaf n 1).
Proof. intros Hn. unfold divide_tiler. simpl. assert (n =? 1 = false) as -> by (apply N.eqb_neq; lia). reflexivity. Qed.

(* zipped_divide collects ((tiles), (rests, what the tiler did not reach)) of logical_divide. *)
Theorem zipped_divide_regroups A B K C T U t r t' r' : logical_divide A T = Some (Node [t; r]) ->
  divide_tiler B (Extent U) = Some (Node [t'; r']) ->
  zipped_divide (Node [A; B; K; C]) (Modes [Tile T; Extent U; Keep]) = Some (Node [Node [t; t'; Leaf 1 zero]; Node [r; r'; K; C]]).
Proof. unfold zipped_divide, divide_tiler. simpl. now intros -> ->. Qed.

(* By a layout it is logical_divide itself. *)
Theorem zipped_divide_layout A B : zipped_divide A (Tile B) = logical_divide A B.
Proof. unfold zipped_divide, divide_tiler. simpl. now destruct (logical_divide A B). Qed.

(* tiled_divide opens the rests of zipped_divide. *)
Theorem tiled_divide_regroups A t ts r r' rs : zipped_divide A t = Some (Node [Node ts; Node (r :: r' :: rs)]) ->
  tiled_divide A t = Some (Node (Node ts :: r :: r' :: rs)).
Proof. unfold tiled_divide. intros ->. unfold unpack_from. simpl. now rewrite app_nil_r. Qed.

(* flat_divide opens both parts. *)
Theorem flat_divide_regroups A t x x' ts r r' rs : zipped_divide A t = Some (Node [Node (x :: x' :: ts); Node (r :: r' :: rs)]) ->
  flat_divide A t = Some (Node (x :: x' :: ts ++ r :: r' :: rs)).
Proof. unfold flat_divide. intros ->. unfold unpack_from. simpl. now rewrite app_nil_r. Qed.

(* A leaf composes with everything: it is linear. *)
Fixpoint scaled (d : D) (B : Layout.layout N) : layout :=
  match B with
  | Leaf s e => Leaf s (e *: d)
  | Node ms => Node (map (scaled d) ms)
  end.
Lemma scaled_size d B : size (scaled d B) = size B.
Proof.
  induction B as [s e|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_map. f_equal. now apply map_ext_Forall.
Qed.
Lemma scaled_shape d B : shape (scaled d B) = shape B.
Proof.
  induction B as [s e|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_map. f_equal. now apply map_ext_Forall.
Qed.
Lemma scaled_apply d B i : apply (scaled d B) i = apply B i *: d.
Proof.
  revert i. induction B as [s e|ms IH] using layout_induction; intros i; simpl; [now rewrite <- times_mul|].
  revert i. induction IH as [|m ms Hm _ IH]; intros i; simpl; [now rewrite times_0|].
  destruct ms as [|k ms]; [apply Hm|]. simpl in *. now rewrite Hm, IH, scaled_size, times_plus.
Qed.
Lemma composition_leaf m d B : 0 < m -> shaped B = true -> exists R, composition (Leaf m d) B = Some R.
Proof.
  intros Hm S. apply composition_exists; [now apply positive_cons|easy|]. exists (scaled d B).
  split; [rewrite scaled_shape; apply compatible_reflexive|]. split; [now rewrite <- tpositive_shape, scaled_shape, tpositive_shape|].
  intros i _. apply scaled_apply.
Qed.

(* Of one leaf m:d the division by n is ceil(m / n) tiles of n elements that go on in steps of d: the last runs past the end. *)
Theorem logical_divide_rounds_up m d n : 0 < m -> 1 < n ->
  exists R, logical_divide (Leaf m d) (Leaf n 1) = Some R /\ size R = n * ceil m n /\ forall i, i < size R -> apply R i = i *: d.
Proof.
  intros Hm Hn. assert (SL : sorted_leaves (Leaf n 1) = [(n, 1)]).
  { unfold sorted_leaves, moving. simpl. now assert (1 <? n = true) as -> by now apply N.ltb_lt. }
  assert (Hq : 0 < ceil m n) by (apply ceil_positive; lia).
  assert (P : positive [(1, 1); (ceil m n, n)] = true) by (apply positive_cons; split; [lia|now apply positive_cons]).
  destruct (merge_spec _ P) as (Z & Q & V). set (C := unwrapped (merge [(1, 1); (ceil m n, n)])).
  assert (EC : complement (Leaf n 1) m = Some C).
  { unfold complement, complement_by. rewrite SL. simpl gaps. now rewrite N.div_same, N.mul_1_r by lia. }
  assert (S : shaped (Node [Leaf n 1; C]) = true).
  { apply shaped_node. constructor; [apply positive_cons; split; [lia|easy]|]. constructor; [|easy]. unfold C. now rewrite shaped_unwrapped. }
  destruct (composition_leaf m d _ Hm S) as [R ER].
  assert (SR : size R = size (Node [Leaf n 1; C])).
  { pose proof (compatible_size _ _ (composition_compatible _ _ _ S ER)) as E. now rewrite !tsize_shape in E. }
  assert (SN : size (Node [Leaf n 1; C]) = n * ceil m n).
  { change (size (Node [Leaf n 1; C])) with (n * (size C * 1)). unfold C. rewrite size_unwrapped, Z. simpl. lia. }
  exists R. split; [now apply (logical_divide_rest _ _ C)|]. split; [congruence|]. intros i Hi. rewrite SR in Hi.
  rewrite (composition_pointwise _ _ _ _ ER Hi). change (apply (Leaf m d) (apply (Node [Leaf n 1; C]) i)) with (apply (Node [Leaf n 1; C]) i *: d).
  f_equal. rewrite apply_inside by easy.
  change (leaves (Node [Leaf n 1; C])) with ([(n, 1)] ++ (leaves C ++ [])). rewrite app_nil_r, value_in_app by (apply positive_cons; split; [lia|easy]).
  assert (W : forall j, j < ceil m n -> value_in [(1, 1); (ceil m n, n)] j = n * j).
  { intros j Hj. cbn [value_in]. rewrite N.mod_1_r, N.div_1_r, N.mod_small by easy. simpl. lia. }
  unfold C. rewrite value_in_unwrapped, V. rewrite SN in Hi. cbn [numel]. rewrite N.mul_1_r, W by (apply div_below; lia).
  simpl. pose proof (split_index n i ltac:(lia)) as [E _]. lia.
Qed.
End Divide.
