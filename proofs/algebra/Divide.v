(* logical_divide and its regroupings: a layout in tiles. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiler.
Local Open Scope N_scope.

Lemma top_positive e l : 0 < e -> all_move l -> 0 < top_from e l.
Proof. revert e. induction l as [|[s d] l IH]; intros e He M; [easy|]. apply all_move_cons in M as (Hs & Hd & M).
apply IH; [nia|easy]. Qed.

Lemma merged_wide {D} `{module D} (l : list (N * D)) s d : merged l = true -> In (s, d) l -> 1 < s.
Proof.
  induction l as [|[t e] l IH]; [easy|]. intros M I. apply merged_cons in M as (Ht & M & _).
  destruct I as [E|I]; [injection E; lia|auto].
Qed.
Lemma merged_beyond_positive {D} `{module D} (A : layout D) : shaped A = true -> positive (merged_beyond A) = true.
Proof.
  unfold shaped, merged_beyond. destruct (leaves A) as [|m l] eqn:L; [easy|]. intros P. set (w := with_last 2 (m :: l)).
  assert (Pw : positive w = true).
  { unfold w, with_last. destruct (rev (m :: l)) as [|[s d] r] eqn:R; [easy|].
    apply (f_equal (@rev _)) in R. rewrite rev_involutive in R. rewrite R in P. cbn [rev] in P.
    rewrite positive_app in *. apply andb_true_iff in P as [P _]. now rewrite P. }
  pose proof (merge_merged w Pw) as M. destruct (merge_spec w Pw) as (_ & Q & _).
  destruct (rev (merge w)) as [|[s d] r] eqn:R; [easy|].
  apply (f_equal (@rev _)) in R. rewrite rev_involutive in R. cbn [rev] in R. rewrite R in Q, M.
  rewrite positive_app in *. apply andb_true_iff in Q as [Q _]. rewrite Q. apply positive_cons. split; [|easy].
  assert (1 < s) as Hs by (apply (merged_wide _ s d M); apply in_app_iff; right; now left).
  assert (0 < s / 2) by (apply N.div_str_pos; lia).
  assert (0 < fst (last (m :: l) (1, zero))); [|nia].
  assert (In (last (m :: l) (1, zero)) (m :: l)) as I.
  { destruct (exists_last (l := m :: l) ltac:(discriminate)) as (k & x & ->). rewrite last_last. apply in_app_iff.
    right.
    now left. }
  unfold positive in P. rewrite forallb_forall in P. now apply N.ltb_lt, P.
Qed.

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

Lemma exactly_divided A B : shaped A = true -> shaped B = true -> (exists R, divide_exactly A B = Some R) <->
  exists C R, complement B (size A) = Some C /\ is_composition A (Node [B; C]) R.
Proof.
  intros SA SB. split.
  - intros [R E]. destruct (divided_node A B R SA SB E) as (C & EC & S & ER). exists C, R.
    split; [easy|]. now apply composition_sound.
  - intros (C & R & EC & V). unfold divide_exactly. rewrite EC. cbn [bind]. apply composition_defined; [easy| |eauto].
    pose proof (complement_shaped B _ C (size_positive A SA) EC). apply shaped_node. auto.
Qed.

Lemma round_up_positive e l r : 0 < e -> positive l = true -> round_up e l = Some r -> positive r = true.
Proof.
  revert e r. induction l as [|[s d] l IH]; intros e r He P E; cbn [round_up] in E; [now injection E as <-|].
  destruct (_ || _); [now injection E as <-|]. pose proof P as P'. apply positive_cons in P' as [Hs P'].
  destruct (N.ltb_spec e s).
  - injection E as <-. apply positive_cons. split; [|easy]. pose proof (ceil_positive s e ltac:(lia) He). nia.
  - destruct (N.eqb_spec (e mod s) 0) as [Z|]; [|discriminate]. destruct (round_up (e / s) l) eqn:F; [|discriminate].
    injection E as <-. apply positive_cons. split; [easy|]. apply mod_0_divides in Z as [q ->]; [|easy].
    rewrite N.div_mul in F by lia. apply (IH q); [nia|easy|easy].
Qed.
(* A layout is A o (B, B* ). *)
Definition divides_exactly (A : layout) (B : Layout.layout N) : Prop :=
  exists C R, complement B (size A) = Some C /\ is_composition A (Node [B; C]) R.

(* logical_divide is defined exactly when A o (B, B* ) is a layout, or is with one mode of A rounded up to whole
  tiles. *)
Theorem logical_divide_exists A B : shaped A = true -> shaped B = true -> (exists R, logical_divide A B = Some R) <->
  divides_exactly A B \/ sorted_leaves B <> [] /\ nested (sorted_leaves B) = true /\
  exists P, rounded_up A (top B) = Some P /\ divides_exactly P B.
Proof.
  intros SA SB. unfold divides_exactly at 1. rewrite <- exactly_divided by easy. unfold logical_divide.
  destruct (divide_exactly A B) as [R|]; [split; eauto|].
  assert (Pt : 0 < top B) by (apply top_positive; [lia|apply all_move_sorted]). revert Pt.
  destruct (sorted_leaves B) as [|m l] eqn:SL.
  { intros _. split; [intros [R E]; discriminate|]. intros [[R E]|[E _]]; [discriminate|easy]. }
  intros Pt. destruct (nested (m :: l)) eqn:Nt.
  2: { split; [intros [R E]; discriminate|]. intros [[R E]|(_ & E & _)]; discriminate. }
  destruct (rounded_up A (top B)) as [P|] eqn:EP; cbn [bind].
  - assert (SP : shaped P = true).
    { unfold rounded_up in EP. destruct (round_up _ _) as [r|] eqn:Er; [|discriminate]. injection EP as <-.
      unfold shaped. cbn [leaves]. rewrite leaves_list. apply (round_up_positive (top B) (merged_beyond A)); [easy|
        |easy].
      now apply merged_beyond_positive. }
    pose proof (exactly_divided P B SP SB) as K. split.
    + intros E. right. split; [easy|]. split; [easy|]. exists P. split; [easy|]. now apply K.
    + intros [[R E]|(_ & _ & Q & E & D0)]; [discriminate|]. injection E as <-. now apply K.
  - split; [intros [R E]; discriminate|]. intros [[R E]|(_ & _ & Q & E & _)]; discriminate.
Qed.

(* By a tiler it goes mode by mode; Keep keeps a mode, modes beyond the tiler stay, more tiles than modes fit nothing.
  *)
Theorem logical_divide_by_mode A T ts : divide_tiler A (Tile T) = logical_divide A T /\ divide_tiler A Keep = Some A /\
  divide_tiler A (Modes ts) = each_mode divide_tiler A ts (skipn (length ts) (modes_of A)).
Proof. repeat split. apply (by_tiler_modes _ _ true). Qed.

(* An integer above 1 is n:1, and 1 is 1:0. *)
Theorem logical_divide_integer A n : divide_tiler A (Extent n) = logical_divide A (if n =? 1 then Leaf 1 0 else Leaf n
  1).
Proof. unfold divide_tiler. cbn [by_tiler]. now destruct (N.eqb_spec n 1) as [->|]. Qed.

(* zipped_divide collects ((tiles), (rests, what the tiler did not reach)) of logical_divide. *)
Theorem zipped_divide_regroups A ts :
  zipped_divide A (Modes ts) = option_map (fun R => regrouped ts (modes_of R)) (divide_tiler A (Modes ts)).
Proof. apply unzip_by_tiler. Qed.

(* By a layout it is logical_divide itself. *)
Theorem zipped_divide_layout A B : zipped_divide A (Tile B) = logical_divide A B.
Proof. unfold zipped_divide, divide_tiler. simpl. now destruct (logical_divide A B). Qed.

(* tiled_divide opens the rests of zipped_divide; a part of rank 1 stays. *)
Theorem tiled_divide_regroups A t x y : zipped_divide A t = Some (Node [x; y]) ->
  tiled_divide A t = Some (Node (x :: if (rank y <=? 1)%nat then [y] else modes_of y)).
Proof. unfold tiled_divide. intros ->. unfold unpack_from. cbn. now rewrite app_nil_r, opened_modes. Qed.

(* flat_divide opens both parts. *)
Theorem flat_divide_regroups A t x y : zipped_divide A t = Some (Node [x; y]) -> flat_divide A t =
  Some (Node ((if (rank x <=? 1)%nat then [x] else modes_of x) ++ if (rank y <=? 1)%nat then [y] else modes_of y)).
Proof. unfold flat_divide. intros ->. unfold unpack_from. cbn. now rewrite app_nil_r, !opened_modes. Qed.

(* A leaf composes with everything: it is linear. *)
Fixpoint scaled (d : D) (B : Layout.layout N) : layout :=
  match B with
  | Leaf s e => Leaf s (e *: d)
  | Node ms => Node (map (scaled d) ms)
  end.
Lemma scaled_size d B : size (scaled d B) = size B.
Proof.
  induction B as [s e|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_map. f_equal.
  now apply map_ext_Forall.
Qed.
Lemma scaled_shape d B : shape (scaled d B) = shape B.
Proof.
  induction B as [s e|ms IH] using layout_induction; simpl; [reflexivity|]. rewrite map_map. f_equal.
  now apply map_ext_Forall.
Qed.
Lemma scaled_apply d B i : apply (scaled d B) i = apply B i *: d.
Proof.
  revert i. induction B as [s e|ms IH] using layout_induction; intros i; simpl; [now rewrite <- times_mul|].
  revert i. induction IH as [|m ms Hm _ IH]; intros i; simpl; [now rewrite times_0|].
  destruct ms as [|k ms]; [apply Hm|]. simpl in *. now rewrite Hm, IH, scaled_size, times_plus.
Qed.
Lemma composition_leaf m d B : 0 < m -> shaped B = true -> exists R, composition (Leaf m d) B = Some R.
Proof.
  intros Hm S. apply composition_defined; [now apply positive_cons|easy|]. exists (scaled d B).
  split; [rewrite scaled_shape; apply compatible_reflexive|].
  split; [now rewrite <- tpositive_shape, scaled_shape, tpositive_shape|].
  intros i _. apply scaled_apply.
Qed.

Lemma leaf_rounds_up m d n : 0 < m -> 1 < n -> exists R, logical_divide (Leaf m d) (Leaf n 1) = Some R /\
  size R = n * ceil m n /\ forall i, i < size R -> apply R i = i *: d.
Proof.
  intros Hm Hn. assert (SL : sorted_leaves (Leaf n 1) = [(n, 1)]).
  { unfold sorted_leaves, moving. simpl. now assert (1 <? n = true) as -> by now apply N.ltb_lt. }
  assert (Hq : 0 < ceil m n) by (apply ceil_positive; lia).
  assert (P : positive [(1, 1); (ceil m n, n)] = true) by (apply positive_cons; split; [lia|now apply positive_cons]).
  destruct (merge_spec _ P) as (Z & Q & V). set (C := unwrapped (merge [(1, 1); (ceil m n, n)])).
  assert (EC : complement (Leaf n 1) m = Some C).
  { unfold complement, complement_by. rewrite SL. simpl gaps. now rewrite N.div_same, N.mul_1_r by lia. }
  assert (S : shaped (Node [Leaf n 1; C]) = true).
  { apply shaped_node. constructor; [apply positive_cons; split; [lia|easy]|]. constructor;
      [|easy]. unfold C. now rewrite shaped_unwrapped. }
  destruct (composition_leaf m d _ Hm S) as [R ER].
  assert (SR : size R = size (Node [Leaf n 1; C])).
  { pose proof (compatible_size _ _ (composition_compatible _ _ _ S ER)) as E. now rewrite !tsize_shape in E. }
  assert (SN : size (Node [Leaf n 1; C]) = n * ceil m n).
  { change (size (Node [Leaf n 1; C])) with (n * (size C * 1)). unfold C. rewrite size_unwrapped, Z. simpl. lia. }
  exists R. split; [now apply (logical_divide_rest _ _ C)|]. split; [congruence|]. intros i Hi. rewrite SR in Hi.
  rewrite (composition_pointwise _ _ _ _ ER Hi).
  change (apply (Leaf m d) (apply (Node [Leaf n 1; C]) i)) with (apply (Node [Leaf n 1; C]) i *: d).
  f_equal. rewrite apply_inside by easy.
  change (leaves (Node [Leaf n 1; C])) with ([(n, 1)] ++ (leaves C ++ [])).
  rewrite app_nil_r, value_in_app by (apply positive_cons; split; [lia|easy]).
  assert (W : forall j, j < ceil m n -> value_in [(1, 1); (ceil m n, n)] j = n * j).
  { intros j Hj. cbn [value_in]. rewrite N.mod_1_r, N.div_1_r, N.mod_small by easy. simpl. lia. }
  unfold C. rewrite value_in_unwrapped, V. rewrite SN in Hi. cbn [numel].
  rewrite N.mul_1_r, W by (apply div_below; lia).
  simpl. pose proof (split_index n i ltac:(lia)) as [E _]. lia.
Qed.

(* Of one leaf m:d the division by n is ceil(m / n) tiles of n elements that go on in steps of d: the last runs past the
  end. *)
Theorem logical_divide_rounds_up m d n : 0 < m -> 0 < n -> exists R, divide_tiler (Leaf m d) (Extent n) = Some R /\
  size R = n * ceil m n /\ forall i, i < size R -> apply R i = i *: d.
Proof.
  intros Hm Hn. rewrite logical_divide_integer. destruct (N.eqb_spec n 1) as [->|]; [|now apply leaf_rounds_up; [|lia]].
  assert (P : positive [(m, 1)] = true) by now apply positive_cons.
  assert (C1 : ceil m 1 = m) by (pose proof (ceil_exact m 1 Hn) as K;
    now rewrite N.mul_1_l in K).
  destruct (merge_spec _ P) as (Z & Q & V). set (C := unwrapped (merge [(m, 1)])).
  assert (EC : complement (Leaf 1 0) (size (Leaf m d)) = Some C).
  { change (Some (unwrapped (merge [(ceil m 1, 1)])) = Some C). now rewrite C1. }
  assert (S : shaped (Node [Leaf 1 0; C]) = true).
  { apply shaped_node. repeat constructor. unfold C. now rewrite shaped_unwrapped. }
  destruct (composition_leaf m d _ Hm S) as [R ER].
  pose proof (compatible_size _ _ (composition_compatible _ _ _ S ER)) as E. rewrite !tsize_shape in E.
  assert (SN : size (Node [Leaf 1 0; C]) = m) by (unfold C; cbn [size map fold_right]; rewrite size_unwrapped, Z; cbn;
    lia).
  exists R. split; [now apply (logical_divide_rest _ _ C)|]. split; [rewrite C1; lia|]. intros i Hi.
  rewrite <- E, SN in Hi. rewrite (composition_pointwise _ _ _ _ ER) by now rewrite SN.
  change (apply (Leaf m d) (apply (Node [Leaf 1 0; C]) i)) with (apply (Node [Leaf 1 0; C]) i *: d). f_equal.
  change (apply (Node [Leaf 1 0; C]) i) with (i mod 1 * 0 + apply C (i / 1)).
  rewrite N.mul_0_r, N.div_1_r, N.add_0_l. unfold C. rewrite apply_unwrapped, V by (rewrite ?Z; cbn; easy || lia). cbn.
  rewrite N.mod_small; lia.
Qed.
End Divide.

(* A padded mode. *)
Lemma complement_of_interval n M : 1 < n -> 0 < M -> exists C, complement (Leaf n 1) M = Some C /\ size C = ceil M n /\
  shaped C = true /\ shape C = Int (ceil M n) /\ forall i, i < ceil M n -> apply C i = n * i.
Proof.
  intros Hn HM. assert (SL : sorted_leaves (Leaf n 1) = [(n, 1)]).
  { unfold sorted_leaves, moving. simpl. now assert (1 <? n = true) as -> by now apply N.ltb_lt. }
  assert (Hq : 0 < ceil M n) by (apply ceil_positive; lia).
  assert (P : positive [(1, 1); (ceil M n, n)] = true) by (apply positive_cons; split; [lia|now apply positive_cons]).
  destruct (merge_spec _ P) as (Z & Q & V). exists (unwrapped (merge [(1, 1); (ceil M n, n)])).
  split; [unfold complement, complement_by; rewrite SL; simpl gaps; now rewrite N.div_same, N.mul_1_r by lia|].
  rewrite size_unwrapped, shaped_unwrapped, Z. split; [simpl; lia|]. split; [easy|]. split.
  { simpl. now destruct (N.eqb_spec (ceil M n) 1) as [->|]. }
  intros i Hi. rewrite apply_unwrapped, V by (rewrite ?Z; simpl; easy || lia). simpl.
  rewrite N.mod_1_r, N.div_1_r, N.mod_small by easy. simpl. lia.
Qed.

Lemma apply_two m k (d e : Z) x : apply (Node [Leaf m d; Leaf k e]) x = (Z.of_N (x mod m) * d + Z.of_N (x / m) * e)%Z.
Proof. reflexivity. Qed.

Lemma not_continued (m k n : N) (d e : Z) : 1 < n -> n < m -> 0 < k -> m mod n <> 0 -> e <> (Z.of_N m * d)%Z ->
  divide_exactly (Node [Leaf m d; Leaf k e]) (Leaf n 1) = None.
Proof.
  intros Hn Hm Hk Hmod He. destruct (divide_exactly _ _) as [R|] eqn:E; [exfalso|easy].
  set (A := Node [Leaf m d; Leaf k e]) in *.
  assert (SA : shaped A = true) by (apply positive_cons; split; [lia|now apply positive_cons]).
  assert (SB : shaped (Leaf n 1) = true) by (apply positive_cons; split; [lia|easy]).
  destruct (divided_node A (Leaf n 1) R SA SB E) as (C & EC & S & ER).
  assert (Z : size A = m * k) by (simpl; lia). rewrite Z in EC.
  destruct (complement_of_interval n (m * k) Hn ltac:(nia)) as (C' & EC' & ZC & _ & _ & VC). rewrite EC in EC'.
  injection EC' as <-.
  destruct (split_index n m ltac:(lia)) as [Em Lm]. set (q := m / n) in *. set (r := m mod n) in *.
  assert (Hq : 0 < q) by (apply N.div_str_pos; lia).
  assert (Q : q < ceil (m * k) n).
  { assert (m * k <= ceil (m * k) n * n) by (apply ceil_least; lia). nia. }
  assert (V : forall i0 i1, i0 < n -> i1 < ceil (m * k) n -> apply R (i0 + n * i1) = apply A (i0 + n * i1)).
  { intros i0 i1 H0 H1. rewrite (composition_pointwise _ _ _ _ ER) by (simpl; rewrite N.mul_1_r, ZC;
      now apply digits_below).
    f_equal. change (apply (Node [Leaf n 1; C]) (i0 + n * i1))
      with ((i0 + n * i1) mod n * 1 + apply C ((i0 + n * i1) / n)).
    rewrite digit_mod, digit_div by easy. rewrite VC by easy. lia. }
  destruct (logical_divide_tile A (Leaf n 1) R SA SB E) as (_ & t & s & -> & Et).
  (* Both modes of the answer are layouts: the value at a place is the sum of those along its two modes. *)
  destruct (composition_distributes A (Leaf n 1) [C] _ SA S ER) as (t' & ss & K & Et' & Es).
  injection K as <- <-. rewrite Et in Et'. clear Et'.
  assert (St : size t = n) by (pose proof (compatible_size _ _ (composition_compatible _ _ _ SB Et)) as G;
    rewrite !tsize_shape in G; now rewrite <- G).
  assert (W : forall i0 i1, i0 < n -> apply (Node [t; s]) (i0 + n * i1) = (apply t i0 + apply s i1)%Z).
  { intros i0 i1 H0. change (apply (Node [t; s]) (i0 + n * i1))
      with (apply t ((i0 + n * i1) mod size t) + apply s ((i0 + n * i1) / size t))%Z.
    rewrite St, digit_mod, digit_div by easy. reflexivity. }
  pose proof (V 0 0 ltac:(lia) ltac:(lia)) as V00. pose proof (V 0 q ltac:(lia) Q) as V0q.
  pose proof (V (n - 1) 0 ltac:(lia) ltac:(lia)) as Vn0. pose proof (V (n - 1) q ltac:(lia) Q) as Vnq.
  rewrite W in V00, V0q, Vn0, Vnq by lia. unfold A in *. rewrite !apply_two in V00, V0q, Vn0, Vnq.
  rewrite N.mul_0_r, ?N.add_0_r, ?N.add_0_l in V00, Vn0. rewrite N.add_0_l in V0q.
  rewrite N.mod_0_l, N.div_0_l in V00 by lia. rewrite N.mod_small, N.div_small in Vn0 by lia.
  rewrite (N.mod_small (n * q)), (N.div_small (n * q)) in V0q by nia.
  assert (n - 1 + n * q = (n - 1 - r) + m * 1) as F by nia. rewrite F in Vnq.
  rewrite digit_mod, digit_div in Vnq by lia. nia.
Qed.

(* Whole tiles of the first mode divide. *)
Lemma whole_tiles n c k (d e : Z) : 1 < n -> 0 < c -> 0 < k ->
  exists R, divide_exactly (Node [Leaf (n * c) d; Leaf k e]) (Leaf n 1) = Some R.
Proof.
  intros Hn Hc Hk. set (A := Node [Leaf (n * c) d; Leaf k e]).
  assert (SA : shaped A = true) by (apply positive_cons; split; [nia|now apply positive_cons]).
  assert (SB : shaped (Leaf n 1) = true) by (apply positive_cons; split; [lia|easy]).
  assert (Z : size A = n * (c * k)) by (unfold A; simpl; lia).
  destruct (complement_of_interval n (size A) Hn ltac:(rewrite Z; nia)) as (C & EC & ZC & SC & CC & VC).
  rewrite Z, ceil_exact in ZC, CC, VC by lia. apply exactly_divided; [easy|easy|].
  exists C, (Node [Leaf n d; Node [Leaf c (Z.of_N n * d)%Z; Leaf k e]]). split; [easy|]. split; [|split].
  - unfold compatible. cbn [shape map]. rewrite CC. apply faces_tuples.
    constructor; [apply N.eqb_refl|]. constructor; [|constructor]. apply N.eqb_eq. simpl. lia.
  - apply positive_cons. split; [lia|]. apply positive_cons. split; [easy|]. now apply positive_cons.
  - intros i Hi. simpl in Hi. rewrite ZC, N.mul_1_r in Hi. pose proof (div_below n _ i ltac:(lia) Hi) as Hq.
    change (apply (Node [Leaf n 1; C]) i) with (i mod n * 1 + apply C (i / n)). rewrite VC, N.mul_1_r by easy.
    unfold A. rewrite apply_two. change (apply (Node [Leaf n d; Node [Leaf c (Z.of_N n * d)%Z; Leaf k e]]) i) with
      (Z.of_N (i mod n) * d + apply (Node [Leaf c (Z.of_N n * d)%Z; Leaf k e]) (i / n))%Z. rewrite apply_two.
    pose proof (split_index n i ltac:(lia)) as [E _]. rewrite <- E, mod_mul, <- N.div_div by lia. lia.
Qed.

Lemma pads_one_mode m k n (d e : Z) : 0 < n -> n < m -> 0 < k -> e <> (Z.of_N m * d)%Z ->
  logical_divide (Node [Leaf m d; Leaf k e]) (Leaf n 1) = logical_divide (Node [Leaf (n * ceil m n) d;
  Leaf k e]) (Leaf n 1).
Proof.
  intros Hn Hm Hk He. destruct (N.eq_dec (m mod n) 0) as [Z|Z].
  { apply mod_0_divides in Z as [q ->]; [|easy]. now rewrite (N.mul_comm q n), ceil_exact. }
  assert (1 < n) as H1 by (destruct (N.eq_dec n 1) as [->|]; [now rewrite N.mod_1_r in Z|lia]).
  destruct (whole_tiles n (ceil m n) k d e H1 ltac:(apply ceil_positive; lia) Hk) as [R ER].
  unfold logical_divide at 2. rewrite ER. unfold logical_divide. rewrite not_continued by easy.
  assert (SL : sorted_leaves (Leaf n 1) = [(n, 1)]).
  { unfold sorted_leaves, moving. simpl. now rewrite (proj2 (N.ltb_lt 1 n) H1). }
  unfold top. rewrite SL. cbn [nested andb top_from]. rewrite N.mul_1_r. unfold rounded_up.
  assert (merged_beyond (Node [Leaf m d; Leaf k e]) = [(m, d); (k, e)]) as ->.
  { unfold merged_beyond. cbn [leaves flat_map app]. unfold with_last. cbn [rev app merge].
    rewrite (proj2 (N.eqb_neq m 1)) by lia. cbn [merge_onto]. change (2 =? 1) with false. cbv iota.
    assert (same (m *: d) e = false) as -> by (apply Z.eqb_neq; simpl; lia). cbn [rev app last fst].
    change (2 / 2) with 1. now rewrite N.mul_1_l. }
  cbn [round_up]. rewrite (proj2 (N.eqb_neq _ _) Z), (proj2 (N.eqb_neq n 1)), (proj2 (N.ltb_lt n m) Hm) by lia.
  cbn [orb option_map bind map fst snd]. now rewrite N.mul_comm, ER.
Qed.

(* A divided by n < m with one mode to pad is the padded layout divided, where the second mode does not continue the
  first. *)
Theorem logical_divide_pads_one_mode m k n (d e : Z) : 0 < n -> n < m -> 0 < k -> e <> (Z.of_N m * d)%Z ->
  divide_tiler (Node [Leaf m d; Leaf k e]) (Extent n) =
  divide_tiler (Node [Leaf (n * ceil m n) d; Leaf k e]) (Extent n).
Proof.
  intros Hn Hm Hk He. rewrite !logical_divide_integer. destruct (N.eqb_spec n 1) as [->|]; [|now apply pads_one_mode].
  pose proof (ceil_exact m 1 Hn) as K. rewrite N.mul_1_l in K. now rewrite K, N.mul_1_l.
Qed.
