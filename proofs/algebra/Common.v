(* max_common_layout and max_alignment: what layouts have contiguous. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Solve.
Local Open Scope N_scope.

(* Two inverses begin alike until a leaf differs, and part there. *)
Fixpoint beginning (x y : modes) : modes :=
  match x, y with
  | (s, d) :: x, (t, e) :: y => if d =? e then (N.min s t, d) :: (if s =? t then beginning x y else []) else []
  | _, _ => []
  end.
Definition common_beginning (R S : layout N) : layout N := unwrapped (merge (beginning (leaves R) (leaves S))).
(* The largest R with A(R(i)) = i = B(R(i)), where neither overlaps before its first gap and neither broadcasts. *)
Definition closed_max_common (A B : layout N) : option (layout N) :=
  if single_valued A && single_valued B && negb (broadcasts A) && negb (broadcasts B)
  then Some (common_beginning (contiguous_inverse A) (contiguous_inverse B)) else None.
(* In strides of any sign: that, or else the largest of all layouts. *)
Definition inverts_both (A B : layout Z) (n : N) (X : layout N) : bool := inverts A n X && inverts B n X.
Definition max_common_layout (A B : layout Z) : layout N :=
  match (a <- to_natural A; b <- to_natural B; closed_max_common a b) with
  | Some R => R
  | None => most (size A) (inverts_both A B) (N.to_nat (size A))
  end.
Definition max_common_vector (A B : layout Z) : N := size (max_common_layout A B).

Lemma beginning_comm x y : beginning x y = beginning y x.
Proof.
  revert y. induction x as [|[s d] x IH]; intros [|[t e] y]; simpl; try reflexivity.
  rewrite (N.eqb_sym e d), (N.eqb_sym t s), (N.min_comm t s), IH. now destruct (N.eqb_spec d e) as [->|].
Qed.

Lemma beginning_spec x y : positive x = true -> positive y = true -> positive (beginning x y) = true /\
  numel (beginning x y) <= numel x /\ forall i, i < numel (beginning x y) -> value_in (beginning x y) i = value_in x i.
Proof.
  revert y. induction x as [|[s d] x IH]; intros [|[t e] y] P Q; simpl; try (split; [easy|split; [lia|reflexivity]]).
  - split; [easy|]. pose proof (numel_positive _ P) as K. simpl in K. split; [lia|]. intros i Hi.
    replace i with 0 by lia. symmetry. exact (value_in_0 ((s, d) :: x) P).
  - apply positive_cons in P as [Hs P], Q as [Ht Q]. pose proof (numel_positive _ P) as Px.
    destruct (N.eqb_spec d e) as [<-|].
    + destruct (N.eqb_spec s t) as [<-|].
      * destruct (IH y P Q) as (Z & L & V). rewrite N.min_id. split; [now apply positive_cons|]. split; [simpl; nia|].
        intros i Hi. simpl in *. rewrite V; [easy|]. now apply div_below.
      * split; [apply positive_cons; split; [lia|easy]|]. split; [simpl; nia|]. intros i Hi. simpl in *.
        rewrite !N.mod_small, !N.div_small, value_in_0 by (easy || lia). easy.
    + split; [easy|]. split; [simpl; nia|]. intros i Hi. simpl in Hi. replace i with 0 by lia. simpl.
      rewrite N.mod_small, N.div_small, value_in_0 by (easy || lia). easy.
Qed.

Lemma shaped_contiguous A : shaped A = true -> shaped (contiguous_inverse A) = true.
Proof.
  intros S. unfold contiguous_inverse. rewrite shaped_unwrapped. apply merge_spec. rewrite positive_weights.
  now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive.
Qed.

Lemma contiguous_size A : shaped A = true -> size (contiguous_inverse A) = numel (contiguous 1 (weighted_sorted A)).
Proof.
  intros S. unfold contiguous_inverse. rewrite size_unwrapped.
  assert (P : positive (weights (contiguous 1 (weighted_sorted A))) = true).
  { rewrite positive_weights. now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive. }
  now rewrite (proj1 (merge_spec _ P)), numel_weights.
Qed.

Lemma common_inverts A x i : shaped A = true -> positive x = true ->
  i < size (unwrapped (merge (beginning (leaves (contiguous_inverse A)) x))) -> let R :=
  unwrapped (merge (beginning (leaves (contiguous_inverse A)) x)) in apply A (apply R i) = i /\ apply R i < size A.
Proof.
  intros S Q Hi R. pose proof (shaped_contiguous A S) as SC.
  destruct (beginning_spec (leaves (contiguous_inverse A)) x SC Q) as (P & L & V).
  destruct (merge_spec _ P) as (Z & P' & W).
  subst R. rewrite size_unwrapped, Z in Hi. rewrite apply_unwrapped, W, V by (rewrite ?Z; easy).
  assert (i < size (contiguous_inverse A)) as Hi' by (rewrite size_product; lia).
  rewrite <- apply_inside by easy. now apply contiguous_inverse_pointwise.
Qed.

Lemma closed_common_pointwise A B R i : shaped A = true -> shaped B = true -> closed_max_common A B = Some R ->
  i < size R -> apply A (apply R i) = i /\ apply B (apply R i) = i /\ apply R i < size A /\ apply R i < size B.
Proof.
  intros SA SB. unfold closed_max_common, common_beginning. destruct (_ && _ && _ && _); [|discriminate]. intros E Hi.
  injection E as <-.
  destruct (common_inverts A _ i SA (shaped_contiguous B SB) Hi) as [E1 L1]. rewrite beginning_comm in Hi |- *.
  destruct (common_inverts B _ i SB (shaped_contiguous A SA) Hi) as [E2 L2]. rewrite beginning_comm in E1, L1. auto.
Qed.

(* ---- Nothing larger inverts both. ---- *)
Fixpoint behind_gap (reach : N) (l : list (N * (N * N))) : list (N * (N * N)) :=
  match l with
  | [] => []
  | (s, (d, w)) :: m => if reach <? d then l else behind_gap (reach + (s - 1) * d) m
  end.
Lemma before_behind r l : before_gap r l ++ behind_gap r l = l.
Proof. revert r. induction l as [|[s [d w]] l IH]; intros r; simpl; [easy|]. destruct (r <? d); [easy|]. simpl.
now rewrite IH. Qed.

(* What is contiguous ends before the first gap, and behind that every stride is larger. *)
Lemma behind_gap_above r l : sorted (fun m : N * (N * N) => fst (snd m)) l = true -> exists top, r <= top /\
  (forall s d w, In (s, (d, w)) (behind_gap r l) -> top < d) /\ forall n, 0 < n -> n <= r -> positive l = true ->
  n * numel (contiguous n l) <= top.
Proof.
  revert r. induction l as [|[s [d w]] l IH]; intros r S.
  - exists r. repeat split; [lia|easy|]. intros n _ H _. simpl. lia.
  - destruct (sorted_least _ _ _ S) as [S' least]. cbn [behind_gap]. destruct (N.ltb_spec r d) as [L|L].
    + exists r. split; [lia|]. split.
      * intros t e v [I|I]; [injection I as <- <- <-; lia|]. specialize (least _ I). simpl in least. lia.
      * intros n Hn H P. assert (contiguous n ((s, (d, w)) :: l) = []) as ->; [|simpl; lia].
        assert (forall t e v, In (t, (e, v)) ((s, (d, w)) :: l) -> n < e) as K.
        { intros t e v [I|I]; [injection I as <- <- <-; lia|]. specialize (least _ I). simpl in least. lia. }
        clear - K. revert K. generalize ((s, (d, w)) :: l) as k. induction k as [|[t [e v]] k IH]; intros K; [easy|].
        simpl.
        specialize (K t e v (or_introl eq_refl)) as K1. rewrite (proj2 (N.eqb_neq e n)) by lia. apply IH.
        intros t' e' v' I. apply (K t' e' v'). now right.
    + destruct (IH (r + (s - 1) * d) S') as (top & Lt & B & C). exists top.
      split; [exact (N.le_trans _ _ _ (N.le_add_r _ _) Lt)|]. split; [easy|]. intros n Hn H P.
      apply positive_cons in P as [Hs P]. cbn [contiguous]. destruct (N.eqb_spec d n) as [->|].
      * cbn [numel]. rewrite N.mul_assoc. apply C; [nia|nia|easy].
      * apply C; [easy|nia|easy].
Qed.

Lemma zero_only (l : modes) i : (forall s d, In (s, d) l -> 0 < d) -> positive l = true -> i < numel l ->
  value_in l i = 0 -> i = 0.
Proof.
  revert i. induction l as [|[s d] l IH]; intros i M P Hi V; [simpl in Hi; lia|]. apply positive_cons in P as [Hs P].
  cbn [value_in numel] in *. change times with N.mul in V. change plus with N.add in V.
  pose proof (M s d (or_introl eq_refl)). destruct (split_index s i Hs) as [E L].
  apply N.eq_add_0 in V as [V2 V1]. apply N.eq_mul_0 in V2 as [V2|V2]; [|lia].
  apply IH in V1; [nia|intros t e I; apply (M t e); now right|easy|now apply div_below].
Qed.

(* Where no two leaves before the first gap overlap and nothing broadcasts, a value below that has one index. *)
Lemma index_unique A i j : shaped A = true -> single_valued A = true -> broadcasts A = false -> i < size A ->
  j < size A -> apply A i = apply A j -> apply A i < size (contiguous_inverse A) -> i = j.
Proof.
  intros S V B Hi Hj E L. rewrite contiguous_size in L by easy. set (l := weighted_sorted A) in *.
  assert (P : positive l = true) by now apply weighted_sorted_positive.
  destruct (behind_gap_above 1 l (sort_sorted _ _)) as (top & _ & Above & Below).
  specialize (Below 1 ltac:(lia) ltac:(lia) P). rewrite N.mul_1_l in Below.
  pose proof (before_behind 1 l) as Split. set (b := before_gap 1 l) in *. set (c := behind_gap 1 l) in *.
  assert (Pbc : positive b = true /\
    positive c = true) by (rewrite <- Split, positive_app in P; now apply andb_true_iff in P).
  destruct Pbc as [Pb Pc].
  assert (K : forall x, x < size A -> apply A x < top -> exists k, k < numel b /\ value_in (strides b) k = apply A x /\
    value_in (weights b) k = x).
  { intros x Hx Hv. pose proof (in_weighted_sorted A x S B Hx) as W. fold l in W. rewrite <- Split in W. apply in_image
      in W as (k & Hk & Ek). rewrite numel_app in Hk.
    rewrite value_in_app, !value_in_pairs in Ek by easy. injection Ek as Ea Ex. change plus with N.add in Ea, Ex.
    pose proof (numel_positive b Pb) as Nb. assert (Hq : k / numel b < numel c) by now apply div_below.
    assert (value_in (strides c) (k / numel b) = 0) as Z.
    { destruct (value_least (strides c) (top + 1) (k / numel b)) as [Z|Z]; [|easy|lia].
      intros s d I. unfold strides in I. apply in_map_iff in I as ([t [e w]] & I & J). injection I as <- <-.
      specialize (Above t e w J). simpl. lia. }
    apply zero_only in Z; [| |now rewrite positive_strides|now rewrite numel_strides].
    - rewrite Z, !value_in_0, !N.add_0_r in * by (rewrite ?positive_strides, ?positive_weights; easy).
      exists (k mod numel b). split; [apply N.mod_lt; lia|].
      rewrite <- (numel_strides b) at 1. rewrite value_in_periodic by now rewrite positive_strides.
      rewrite <- (numel_weights b). rewrite value_in_periodic by now rewrite positive_weights. now rewrite <- Ea, <- Ex.
    - intros s d I. unfold strides in I. apply in_map_iff in I as ([t [e w]] & I & J). injection I as <- <-.
      specialize (Above t e w J). simpl. lia. }
  destruct (K i Hi ltac:(lia)) as (p & Hp & Ep & <-), (K j Hj ltac:(lia)) as (q & Hq & Eq & <-). f_equal.
  assert (Nd : NoDup (image (strides b))).
  { apply (ordered_nodup 1); [now rewrite positive_strides|lia|]. apply nested_ordered; [exact V|].
    intros s d I. unfold strides in I. apply in_map_iff in I as ([t [e w]] & I & J). injection I as <- <-.
    apply before_gap_in in J. now apply weighted_sorted_moves in J. }
  apply (nodup_image (strides b) p q Nd); [now rewrite numel_strides|now rewrite numel_strides|congruence].
Qed.

(* Coalesced lists of leaves that agree below m begin alike that far. *)
Lemma first_step s (d : N) l : 1 < s -> positive l = true -> value_in ((s, d) :: l) 1 = d.
Proof. intros Hs P. cbn [value_in]. rewrite N.mod_small, N.div_small, value_in_0 by easy. simpl. lia. Qed.
Lemma after_first s (d : N) l m : 1 < s -> merged l = true -> s < m -> m <= s * numel l ->
  (forall t e k, l = (t, e) :: k -> s * d <> e) -> value_in ((s, d) :: l) s <> s * d.
Proof.
  intros Hs M L H C. destruct l as [|[t e] k]; [simpl in H; lia|]. apply merged_cons in M as (Ht & M & _).
  specialize (C t e k eq_refl). cbn [value_in]. rewrite N.mod_same, N.div_same, N.mod_small, N.div_small by lia.
  rewrite value_in_0 by now apply merged_positive. rewrite times_0, times_1, plus_zero, plus_zero_r. congruence.
Qed.

Lemma beginning_largest (x y : modes) m : merged x = true -> merged y = true -> m <= numel x -> m <= numel y ->
  (forall i, i < m -> value_in x i = value_in y i) -> m <= numel (beginning x y).
Proof.
  revert y m. induction x as [|[s d] x IH]; intros [|[t e] y] m Mx My Lx Ly V; try (simpl in *; lia).
  pose proof (merged_cons _ _ _ Mx) as (Hs & Mx' & Cx). pose proof (merged_cons _ _ _ My) as (Ht & My' & Cy).
  pose proof (merged_positive _ Mx') as Px. pose proof (merged_positive _ My') as Py.
  destruct (N.le_gt_cases m 1) as [H1|H1].
  { simpl. destruct (d =? e); [|simpl; lia]. simpl. assert (0 < numel (if s =? t then beginning x y else [])); [|nia].
    apply numel_positive. destruct (s =? t); [|easy]. now apply beginning_spec. }
  assert (d = e) as <- by (rewrite <- (first_step s d x), <- (first_step t e y) by easy; now apply V).
  cbn [beginning]. rewrite N.eqb_refl. cbn [numel] in *. destruct (N.lt_trichotomy s t) as [L|[<-|L]].
  - rewrite N.min_l, (proj2 (N.eqb_neq s t)) by lia. cbn [numel]. rewrite N.mul_1_r. apply N.le_ngt. intros G.
    apply (after_first s d x m Hs Mx' G Lx Cx). rewrite V by easy. cbn [value_in].
    now rewrite N.mod_small, N.div_small, value_in_0, plus_zero_r by easy.
  - rewrite N.min_id, N.eqb_refl. destruct (split_index s m ltac:(lia)) as [E R].
    assert (forall k, s * k < m -> value_in x k = value_in y k) as W.
    { intros k Hk. specialize (V (s * k) Hk). cbn [value_in] in V. replace (s * k) with (0 + s * k) in V by lia.
      rewrite digit_mod, digit_div in V by lia. change plus with N.add in V. lia. }
    assert (ceil m s <= numel (beginning x y)).
    { apply IH; [easy|easy|apply ceil_least; lia|apply ceil_least;
        lia|]. intros k Hk. apply W. apply N.nle_gt. intros K.
      assert (ceil m s <= k); [apply ceil_least; lia|lia]. }
    assert (m <= ceil m s * s) by (apply ceil_least; lia). nia.
  - rewrite N.min_r, (proj2 (N.eqb_neq s t)) by lia. cbn [numel]. rewrite N.mul_1_r. apply N.le_ngt. intros G.
    apply (after_first t d y m Ht My' G Ly Cy). rewrite <- V by easy. cbn [value_in].
    now rewrite N.mod_small, N.div_small, value_in_0, plus_zero_r by easy.
Qed.

Lemma contiguous_merged A : shaped A = true -> exists k, contiguous_inverse A = unwrapped k /\ merged k = true.
Proof.
  intros S. eexists. split; [reflexivity|]. apply merge_merged. rewrite positive_weights.
  now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive.
Qed.

(* Nothing larger, layout or not, inverts both. *)
Lemma closed_common_maximal A B R m (r : N -> N) : shaped A = true -> shaped B = true ->
  closed_max_common A B = Some R ->
  (forall i, i < m -> r i < size A /\ r i < size B /\ apply A (r i) = i /\ apply B (r i) = i) -> m <= size R.
Proof.
  intros SA SB E H. unfold closed_max_common in E.
  destruct (single_valued A) eqn:VA; [|discriminate]. destruct (single_valued B) eqn:VB; [|discriminate].
  destruct (broadcasts A) eqn:NA; [discriminate|]. destruct (broadcasts B) eqn:NB; [discriminate|]. injection E as <-.
  assert (LA : m <= size (contiguous_inverse A)) by (apply (contiguous_inverse_maximal A m r SA VA); intros i Hi;
    destruct (H i Hi) as (? & ? & ? & ?); auto).
  assert (LB : m <= size (contiguous_inverse B)) by (apply (contiguous_inverse_maximal B m r SB VB); intros i Hi;
    destruct (H i Hi) as (? & ? & ? & ?); auto).
  assert (EA : forall i, i < m -> apply (contiguous_inverse A) i = r i).
  { intros i Hi. destruct (H i Hi) as (RA & _ & IA & _). destruct (contiguous_inverse_pointwise A i SA ltac:(lia)) as
      [CA BA].
    apply (index_unique A); try easy; [congruence|rewrite CA; lia]. }
  assert (EB : forall i, i < m -> apply (contiguous_inverse B) i = r i).
  { intros i Hi. destruct (H i Hi) as (_ & RB & _ & IB). destruct (contiguous_inverse_pointwise B i SB ltac:(lia)) as
      [CB BB].
    apply (index_unique B); try easy; [congruence|rewrite CB; lia]. }
  destruct (contiguous_merged A SA) as (x & Ex & Mx), (contiguous_merged B SB) as (y & Ey & My).
  unfold common_beginning. rewrite size_unwrapped.
  pose proof (shaped_contiguous A SA) as PA. pose proof (shaped_contiguous B SB) as PB.
  rewrite (proj1 (merge_spec _ (proj1 (beginning_spec _ _ PA PB)))).
  pose proof (numel_positive _ (proj1 (beginning_spec _ _ PA PB))) as One.
  destruct (N.le_gt_cases m 1) as [H1|H1]; [lia|]. clear One.
  rewrite Ex in LA, EA |- *. rewrite Ey in LB, EB |- *. rewrite size_unwrapped in LA, LB.
  assert (V : forall i, i < m -> value_in x i = value_in y i).
  { intros i Hi. pose proof (merged_positive _ Mx). pose proof (merged_positive _ My).
    rewrite <- !apply_unwrapped by (easy || lia). now rewrite EA, EB. }
  rewrite !leaves_unwrapped. destruct x as [|x0 x]; [simpl in LA; lia|]. destruct y as [|y0 y]; [simpl in LB; lia|].
  now apply beginning_largest.
Qed.

(* ---- In strides of any sign. ---- *)

Lemma natural_shaped A B : to_natural A = Some B -> shaped B = shaped A /\ size B = size A.
Proof.
  intros E. destruct (natural_spec A B E) as [Sh _]. split; [now rewrite <- !tpositive_shape, Sh|].
  now rewrite <- !tsize_shape, Sh.
Qed.
Lemma natural_inverts A B n X : to_natural A = Some B -> inverts A n X = true <->
  size X = n /\ forall i, i < n -> apply X i < size B /\ apply B (apply X i) = i.
Proof.
  intros E. rewrite inverts_spec. destruct (natural_spec A B E) as [_ V], (natural_shaped A B E) as [_ ->].
  setoid_rewrite V. split; intros [Z W]; (split; [exact Z|]; intros i Hi; destruct (W i Hi); split; [easy|lia]).
Qed.
Lemma shaped_right_inverse A : shaped A = true -> shaped (right_inverse A) = true.
Proof.
  intros S. destruct (most_inverting_spec A (N.to_nat (size A)) S) as (M & _). unfold right_inverse.
  destruct (to_natural A) as [B|] eqn:E; [|easy]. destruct (single_valued B); [|easy]. apply shaped_contiguous.
  destruct (natural_spec A B E) as [Sh _]. now rewrite <- tpositive_shape, Sh, tpositive_shape.
Qed.

(* The common layout inverts both, and nothing that does is larger. *)
Lemma common_spec A B : shaped A = true -> shaped B = true -> shaped (max_common_layout A B) = true /\
  inverts_both A B (size (max_common_layout A B)) (max_common_layout A B) = true /\
  forall R, shaped R = true -> inverts_both A B (size R) R = true -> size R <= size (max_common_layout A B).
Proof.
  intros SA SB. unfold max_common_layout.
  destruct (to_natural A) as [a|] eqn:Ea, (to_natural B) as [b|] eqn:Eb; cbn [bind]; [|clear Ea Eb..].
  1: destruct (closed_max_common a b) as [R|] eqn:E; [|clear Ea Eb].
  { destruct (natural_shaped A a Ea) as [Sa Za], (natural_shaped B b Eb) as [Sb Zb]. rewrite SA in Sa. rewrite SB in Sb.
    unfold inverts_both. split; [|split].
    - unfold closed_max_common, common_beginning in E. destruct (_ && _ && _ && _); [|discriminate].
      injection E as <-. rewrite shaped_unwrapped.
      now apply merge_spec, (beginning_spec _ _ (shaped_contiguous a Sa) (shaped_contiguous b Sb)).
    - apply andb_true_iff. rewrite (natural_inverts A a _ _ Ea), (natural_inverts B b _ _ Eb).
      split; (split; [easy|]; intros i Hi; destruct (closed_common_pointwise a b R i Sa Sb E Hi) as (? & ? & ? & ?);
        auto).
    - intros X SX G. apply andb_true_iff in G as [GA GB]. apply (natural_inverts A a _ _ Ea) in GA as [_ GA].
      apply (natural_inverts B b _ _ Eb) in GB as [_ GB].
      apply (closed_common_maximal a b R (size X) (apply X) Sa Sb E). intros i Hi.
      destruct (GA i Hi), (GB i Hi). auto. }
  all: destruct (most_spec (size A) (inverts_both A B) (N.to_nat (size A))) as (S & G & M);
    [unfold inverts_both; now rewrite !inverts_one
    |intros k X SX Q; unfold inverts_both in *; apply andb_true_iff in Q as [EA EB];
      destruct (inverts_good A k X SX EA) as (-> & Z & L), (inverts_good B k X SX EB) as (-> & _); auto
    |split; [exact S|]; split; [exact G|]; intros X SX Q; apply (M X (size X) SX Q); apply andb_true_iff in Q as [Q _];
      apply inverts_spec in Q as [_ Q]; pose proof (inverting_size A _ _ Q); lia].
Qed.

(* The common layout inverts both, and stays inside both. *)
Theorem max_common_layout_pointwise A B i : let R := max_common_layout A B in shaped A = true -> shaped B = true ->
  i < size R -> apply A (apply R i) = Z.of_N i /\ apply B (apply R i) = Z.of_N i /\
  apply R i < size A /\ apply R i < size B.
Proof.
  intros R SA SB Hi. destruct (common_spec A B SA SB) as (_ & G & _). fold R in G. apply andb_true_iff in G as [GA GB].
  apply inverts_spec in GA as [_ GA], GB as [_ GB]. destruct (GA i Hi), (GB i Hi). auto.
Qed.

(* No larger layout inverts both. *)
Theorem max_common_layout_maximal A B R : shaped A = true -> shaped B = true -> shaped R = true ->
  inverts_both A B (size R) R = true -> size R <= size (max_common_layout A B).
Proof. intros SA SB. now apply common_spec. Qed.

(* An A that takes no value twice has its whole right inverse in common with itself. *)
Theorem max_common_layout_self A B i : shaped A = true -> to_natural A = Some B -> NoDup (image (leaves B)) ->
  size (max_common_layout A A) = size (right_inverse A) /\
  (i < size (right_inverse A) -> apply (max_common_layout A A) i = apply (right_inverse A) i).
Proof.
  intros SA Ea Nd. set (R := max_common_layout A A). destruct (common_spec A A SA SA) as (SX & G & M). fold R in SX,
    G, M.
  destruct (natural_shaped A B Ea) as [SB _]. rewrite SA in SB. pose proof (shaped_right_inverse A SA) as SR.
  assert (GR : inverts A (size (right_inverse A)) (right_inverse A) = true).
  { apply inverts_spec. split; [easy|]. intros j Hj. destruct (right_inverse_pointwise A j SA Hj). auto. }
  apply andb_true_iff in G as [G _]. assert (Z : size R = size (right_inverse A)).
  { apply N.le_antisymm; [now apply right_inverse_maximal|]. apply M; [easy|]. unfold inverts_both. now rewrite GR. }
  split; [exact Z|]. intros Hi. apply (natural_inverts A B _ _ Ea) in G as [_ G], GR as [_ GR].
  destruct (G i ltac:(lia)) as [L1 E1], (GR i Hi) as [L2 E2].
  apply (nodup_image (leaves B) _ _ Nd); rewrite <- ?size_product; try easy.
  rewrite <- !apply_inside by easy. congruence.
Qed.

(* max_common_vector is the size of max_common_layout. *)
Theorem max_common_vector_size A B : max_common_vector A B = size (max_common_layout A B).
Proof. reflexivity. Qed.

(* What it counts A and B both have, each inside it. *)
Theorem max_common_vector_values A B i : shaped A = true -> shaped B = true -> i < max_common_vector A B ->
  (exists j, j < size A /\ apply A j = Z.of_N i) /\ (exists k, k < size B /\ apply B k = Z.of_N i).
Proof.
  intros SA SB Hi. rewrite max_common_vector_size in Hi.
  destruct (max_common_layout_pointwise A B i SA SB Hi) as (? & ? & ? & ?). split; eauto.
Qed.

(* The longest run of elements to which every copy of A is aligned. *)
Fixpoint alignment (e n : N) (l : list (N * (N * N))) : N :=
  match l with
  | [] => n
  | (s, (d, _)) :: l => if d =? e then alignment (e * s) n l else alignment e (N.gcd n d) l
  end.
Definition max_alignment (A : layout N) : N := alignment 1 (size (contiguous_inverse A)) (weighted_sorted A).

(* The leaves that are not contiguous. *)
Fixpoint skipped (e : N) (l : list (N * (N * N))) : list (N * (N * N)) :=
  match l with
  | [] => []
  | (s, (d, w)) :: l => if d =? e then skipped (e * s) l else (s, (d, w)) :: skipped e l
  end.

Lemma skipped_permutation e l : Permutation l (contiguous e l ++ skipped e l).
Proof.
  revert e. induction l as [|[s [d w]] l IH]; intros e; simpl; [easy|]. destruct (d =? e); [now constructor|].
  rewrite <- Permutation_middle. now constructor.
Qed.

Lemma alignment_divides e n l : (alignment e n l | n) /\ forall s d w, In (s, (d, w)) (skipped e l) ->
  (alignment e n l | d).
Proof.
  revert e n. induction l as [|[s [d w]] l IH]; intros e n; simpl; [split; [apply N.divide_refl|easy]|].
  destruct (d =? e); [apply IH|]. destruct (IH e (N.gcd n d)) as [D1 D2]. split.
  - apply (N.divide_trans _ _ _ D1), N.gcd_divide_l.
  - intros t f v [E|I]; [|now apply (D2 t f v)]. injection E as <- <- <-.
    apply (N.divide_trans _ _ _ D1), N.gcd_divide_r.
Qed.

(* The alignment of a compact layout is its size. *)
Theorem max_alignment_compact A : shaped A = true -> compact_layout A -> max_alignment A = size A.
Proof.
  intros S C. unfold max_alignment. rewrite contiguous_size by easy. destruct (compact_sorted A S C) as [_ T].
  rewrite tight_contiguous by now rewrite strides_sorted. rewrite compact_size by easy.
  rewrite <- strides_sorted in T. revert T. generalize 1 as e.
  induction (weighted_sorted A) as [|[s [d w]] l IH]; intros e T; [easy|].
  simpl in *. apply andb_true_iff in T as [E T]. rewrite E. apply IH. now rewrite N.mul_comm.
Qed.

Lemma not_contiguous e l s d w : 0 < e -> (forall s d w, In (s, (d, w)) l -> 1 < s) -> In (s, (d, w)) l ->
  In (s, (d, w)) (skipped e l) \/ d < e * numel (contiguous e l).
Proof.
  revert e. induction l as [|[t [f v]] l IH]; intros e He M I; [easy|]. simpl.
  assert (M' : forall s d w, In (s, (d, w)) l -> 1 < s) by (intros s' d' w' I'; apply (M s' d' w'); now right).
  pose proof (M t f v (or_introl eq_refl)) as Ht.
  assert (N1 : forall e l, (forall s d w, In (s, (d, w)) l -> 1 < s) -> 0 < numel (contiguous e l)).
  { clear. intros e l M. apply numel_positive. apply (sublist_positive _ _ (contiguous_sublist e l)). unfold positive.
      apply forallb_forall.
    intros [s [d w]] I. apply N.ltb_lt. simpl. specialize (M s d w I). lia. }
  destruct (N.eqb_spec f e) as [->|].
  - destruct I as [I|I].
    + injection I as <- <- <-. right. simpl. specialize (N1 (e * t) l M').
      revert N1. generalize (numel (contiguous (e * t) l)) as q. intros q Hq.
      assert (t * 1 <= t * q) by (apply N.mul_le_mono_l; lia). nia.
    + destruct (IH (e * t) ltac:(nia) M' I) as [K|K]; [now left|right; simpl; lia].
  - destruct I as [I|I]; [left; now left|]. destruct (IH e He M' I) as [K|K]; [left; now right|now right].
Qed.

(* It divides every stride behind what is contiguous: every stride from the first gap on. *)
Theorem max_alignment_divides A s d : shaped A = true -> In (s, d) (sorted_leaves A) ->
  size (contiguous_inverse A) <= d -> (max_alignment A | d).
Proof.
  intros S I L. rewrite <- strides_sorted in I. unfold strides in I. apply in_map_iff in I as ([t [e w]] & E & I).
  injection E as <- <-.
  destruct (not_contiguous 1 (weighted_sorted A) t e w) as [K|K]; [lia| |easy| |].
  - intros s' d' w' I'. now apply weighted_sorted_moves in I'.
  - exact (proj2 (alignment_divides 1 (size (contiguous_inverse A)) (weighted_sorted A)) t e w K).
  - rewrite contiguous_size in L by easy. lia.
Qed.

(* The values of A come in whole runs n q .. n q + n - 1. *)
Theorem max_alignment_runs A i r : let n := max_alignment A in shaped A = true -> i < size A -> r < n ->
  exists j, j < size A /\ apply A j = n * (apply A i / n) + r.
Proof.
  intros n S Hi Hr. set (c := contiguous 1 (weighted_sorted A)). set (k := skipped 1 (weighted_sorted A)).
  pose proof (weighted_sorted_positive A S) as P. pose proof (skipped_permutation 1 (weighted_sorted A)) as Q.
  fold c k in Q.
  pose proof (positive_permutation _ _ Q P) as Pq. rewrite positive_app in Pq. apply andb_true_iff in Pq as [Pc Pk].
  assert (Dn : (n | numel c)). { unfold c. rewrite <- contiguous_size by easy. apply alignment_divides. }
  assert (Dk : forall u, (n | value_in (strides k) u)).
  { pose proof (proj2 (alignment_divides 1 (size (contiguous_inverse A)) (weighted_sorted A))) as D. fold (max_alignment
      A) k n in D.
    revert D. clear. induction k as [|[s [d w]] k IH]; intros D u; simpl; [apply N.divide_0_r|]. apply N.divide_add_r.
    - apply N.divide_mul_r. apply (D s d w). now left.
    - apply IH. intros t e v I. apply (D t e v). now right. }
  assert (V : forall x, value_in (strides (c ++ k)) x = x mod numel c + value_in (strides k) (x / numel c)).
  { intros x. unfold strides. rewrite map_app. fold (strides c) (strides k). rewrite value_in_app
      by now rewrite positive_strides.
    rewrite (value_in_tight 1 (strides c)) by (rewrite ?positive_strides; try apply contiguous_tight; easy).
    rewrite numel_strides. now rewrite N.mul_1_l. }
  assert (Pn : 0 < n) by lia. pose proof (numel_positive c Pc) as Nc.
  assert (Vals : forall v, In v (image (strides (weighted_sorted A))) <-> In v (image (strides (c ++ k)))).
  { intros v. assert (R : Permutation (strides (weighted_sorted A)) (strides (c ++ k))) by now apply Permutation_map.
    pose proof (image_permutation _ _ R ltac:(now rewrite positive_strides)) as I.
    split; apply Permutation_in; [exact I|now symmetry]. }
  destruct (moving_values A i S Hi) as (x & Hx & Ex).
  assert (In (apply A i) (image (strides (c ++ k)))) as I by (apply Vals, in_image; exists x;
    now rewrite numel_strides).
  apply in_image in I as (y & Hy & Ey). rewrite numel_strides, numel_app in Hy. rewrite V in Ey.
  destruct (Dk (y / numel c)) as [p Hp]. destruct Dn as [q Hq]. rewrite Hp in Ey.
  assert (Lm : y mod numel c < numel c) by (apply N.mod_lt; lia).
  set (m := y mod numel c) in *. set (m' := n * (m / n) + r).
  assert (Hm' : m' < numel c).
  { unfold m'. assert (m / n < q) by (apply N.div_lt_upper_bound; lia). rewrite Hq. nia. }
  assert (E : n * (apply A i / n) + r = m' + value_in (strides k) (y / numel c)).
  { rewrite Hp, Ey, N.div_add by lia. unfold m'. lia. }
  assert (In (m' + value_in (strides k) (y / numel c)) (image (strides (c ++ k)))) as J.
  { apply in_image. exists (m' + numel c * (y / numel c)). rewrite numel_strides, numel_app. split.
    - apply digits_below; [easy|]. now apply div_below.
    - rewrite V. now rewrite digit_mod, digit_div. }
  apply Vals, in_image in J as (z & Hz & Ez). rewrite numel_strides in Hz.
  destruct (sorted_values A (weighted_sorted A) z S) as [B W];
    [clear; induction (weighted_sorted A); now constructor|easy|].
  exists (value_in (weights (weighted_sorted A)) z). split; [easy|]. rewrite W. lia.
Qed.
