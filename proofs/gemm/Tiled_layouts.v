(* The layout of a tiled MMA by thread numbers, and the copies that serve its operands. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiled_shares Tiled_copy Solve Recomplement.
Local Open Scope N_scope.

Definition in_integers (A : layout N) : layout Z := map_strides Z.of_N A.
Lemma in_integers_natural A : to_natural (in_integers A) = Some A.
Proof.
  unfold in_integers. induction A as [s d|ms IH] using layout_induction; cbn [map_strides to_natural].
  - destruct (Z.ltb_spec (Z.of_N d) 0); [lia|]. now rewrite N2Z.id.
  - assert (sequence (map to_natural (map (map_strides Z.of_N) ms)) = Some ms) as ->; [|easy].
    apply sequence_some. rewrite map_map. now apply map_ext_Forall.
Qed.
Lemma in_integers_apply A i : apply (in_integers A) i = Z.of_N (apply A i).
Proof. now apply (natural_spec (in_integers A) A (in_integers_natural A)). Qed.
Lemma in_integers_size A : size (in_integers A) = size A.
Proof. apply map_strides_size. Qed.
Lemma in_integers_shaped A : shaped A = true -> shaped (in_integers A) = true.
Proof.
  intros S. destruct (natural_spec _ _ (in_integers_natural A)) as [Sh _]. now rewrite <- tpositive_shape, <- Sh,
    tpositive_shape.
Qed.

(* ---- Thread numbers ---- *)

(* The index of a thread number; numbers that P skips repeat others. Nothing where copies do not fill the gaps. *)
Definition thread_index (P : layout N) : option (layout N) :=
  C <- complement_of P; let place := right_inverse (in_integers (Node [P; C])) in
  if size place <? cosize P then None else composition (Node [Leaf (size P) 1; Leaf (size C) 0]) place.
(* What thrfrg has of the threads, over (V, M, N, K): in the mode that an operand lacks they hold the same. *)
Definition over_vmnk (t : tiled_mma) (x : operand) (f : layout N) : layout N :=
  let '(v, a, b) := (first (first f), first (second (first f)), second (second (first f))) in
  match x with
  | Of_A => Node [v; a; Leaf (atoms_along t 2) 0; b]
  | Of_B => Node [v; Leaf (atoms_along t 1) 0; a; b]
  | Of_C => Node [v; a; b; Leaf (atoms_along t 3) 0]
  end.
Definition tile_extents_of (t : tiled_mma) (x : operand) : N * N :=
  pair_of x (nth 0 (tile_shape t) 0) (nth 1 (tile_shape t) 0) (nth 2 (tile_shape t) 0).
Definition tile_of_operand (t : tiled_mma) (x : operand) : layout N :=
  let '(m, n) := tile_extents_of t x in matrix m n.
(* (thread, value) -> index in the tile. *)
Definition mma_layout_tv (t : tiled_mma) (x : operand) : option (layout N) :=
  f <- thrfrg t x (tile_of_operand t x); i <- thread_index (vmnk t); V <- composition (over_vmnk t x f) i;
  Some (Node [V; second f]).

(* Threads without a gap that copies do not fill. *)
Definition fills_gaps (P : layout N) : bool := shaped P && negb (broadcasts P) && chained (sorted_leaves P).
Lemma gaps_filled P M : 0 < M -> fills_gaps P = true -> exists C, complement P M = Some C /\ shaped P = true /\
  shaped C = true /\ shaped (Node [P; C]) = true /\ compact_layout (Node [P; C]).
Proof.
  unfold fills_gaps. rewrite !andb_true_iff, negb_true_iff. intros HM [[S B] Ch].
  destruct (complement_covers P M HM S B Ch) as (C & EC & Pm). exists C.
  pose proof (complement_shaped P M C HM EC) as SC. repeat (split; [easy|]). split; [apply shaped_node; auto|].
  unfold compact_layout. rewrite leaves_two, Pm. apply Permutation_length in Pm.
  rewrite length_image, length_iota, <- leaves_two, <- size_product in Pm. apply N2Nat.inj in Pm. now rewrite Pm.
Qed.
Lemma thread_index_spec P I : fills_gaps P = true -> thread_index P = Some I -> exists C, shaped (Node [P; C]) = true /\
  compact_layout (Node [P; C]) /\ size I = size P * size C /\ shaped I = true /\
  Permutation (image (leaves I)) (each_times (size C) (iota (size P))) /\
  forall k, k < size P -> apply P k < size I /\ apply I (apply P k) = k.
Proof.
  unfold thread_index, complement_of. intros Fl. set (M := cosize (filter P)).
  destruct (gaps_filled P M ltac:(unfold M, cosize; lia) Fl) as (C & EC & S & SC & SW & Cp). rewrite EC. cbn [bind].
  assert (Z : size (Node [P; C]) = size P * size C) by (cbn; lia).
  set (place := right_inverse (in_integers (Node [P; C]))).
  assert (RI : forall i, i < size P * size C -> size place = size P * size C /\ apply place (apply (Node [P; C]) i) =
    i).
  { intros i Hi. pose proof (right_inverse_compact _ _ i (in_integers_shaped _ SW) (in_integers_natural _) Cp) as K.
    rewrite in_integers_size, Z in K. exact (K Hi). }
  pose proof (size_positive P S) as PP. pose proof (size_positive C SC) as PC.
  assert (Zp : size place = size P * size C) by (apply (RI 0); nia).
  destruct (_ <? _); [discriminate|]. intros EI.
  assert (Sp : shaped place = true).
  { unfold place, right_inverse. rewrite in_integers_natural. destruct (single_valued _).
    - unfold contiguous_inverse. rewrite shaped_unwrapped. apply merge_spec. rewrite positive_weights.
      now apply (sublist_positive _ _ (contiguous_sublist 1 _)), weighted_sorted_positive.
    - now apply most_inverting_spec, in_integers_shaped. }
  destruct (composition_sound _ place I Sp EI) as (Cm & SI & V). apply compatible_size in Cm. rewrite !tsize_shape in
    Cm.
  assert (W : forall i, i < size P * size C -> apply I (apply (Node [P; C]) i) = i mod size P).
  { intros i Hi. destruct (RI i Hi) as [_ E]. pose proof (compact_below (Node [P; C]) i Cp SW ltac:(lia)) as L.
    rewrite V by lia. rewrite E. cbn. lia. }
  exists C. split; [easy|]. split; [easy|]. split; [lia|]. split; [easy|]. split.
  - rewrite image_leaves by easy. rewrite <- Cm, Zp, <- Z.
    transitivity (map (apply I) (map (apply (Node [P; C])) (iota (size (Node [P; C]))))).
    { apply Permutation_map. rewrite <- image_leaves by easy. symmetry. exact Cp. }
    rewrite map_map, Z. erewrite map_ext_in; [|intros i Hi; rewrite in_iota in Hi; apply (W i Hi)].
    rewrite iota_mul, map_flat_map.
    assert (flat_map (fun q => map (fun i => i mod size P) (map (fun r => r + size P * q) (iota (size P)))) (iota
      (size C)) =
      flat_map (fun _ => map (fun r => r) (iota (size P))) (iota (size C))) as ->.
    { apply flat_map_ext. intros q. rewrite map_map. apply map_ext_in. intros r Hr. rewrite in_iota in Hr.
      now apply digit_mod. }
    rewrite (flat_map_swap (fun _ r => r)). unfold each_times. erewrite flat_map_ext; [reflexivity|]. intros r.
    rewrite <- length_iota. induction (iota (size C)) as [|q l IH]; cbn; congruence.
  - intros k Hk. assert (Hk' : k < size P * size C) by nia.
    pose proof (compact_below (Node [P; C]) k Cp SW ltac:(lia)) as L.
    assert (E : apply (Node [P; C]) k = apply P k) by now apply apply_head; auto.
    specialize (W k Hk'). rewrite E in *. rewrite N.mod_small in W by easy. split; [lia|easy].
Qed.

Lemma flat_coord_filled ms k : fills_gaps (Node ms) = true -> k < size (Node ms) ->
  get_flat_coord (Node ms) (apply (Node ms) k) = Some (listed (open_digits (map size ms) k)).
Proof.
  intros Nb Hk. remember (Node ms) as P eqn:EP. destruct (gaps_filled P 1 ltac:(lia) Nb) as (C & EC & S & SC & SW & Cp).
  pose proof (size_positive C SC) as PC.
  assert (Hk' : k < size (Node [P; C])) by (cbn [size map fold_right]; rewrite N.mul_1_r; nia).
  pose proof (get_hier_coord_inverse (Node [P; C]) k SW Cp Hk') as G.
  rewrite apply_head in G by auto. unfold get_hier_coord in G. cbn [idx2crd_by map sequence] in G.
  unfold get_flat_coord, get_hier_coord.
  destruct (idx2crd_by (apply P k) P) as [c|]; [|discriminate]. destruct (idx2crd_by (apply P k) C); [|discriminate].
  cbn [option_map] in G. cbn [shape map] in G. rewrite idx2crd_cons in G. cbn [idx2crd] in G. injection G as -> _.
  cbn [bind]. rewrite tsize_shape, N.mod_small by exact Hk. subst P. cbn [shape].
  destruct (flat_indices (map shape ms) k) as (cs & -> & ->).
  - apply Forall_map. apply shaped_node in S. eapply Forall_impl; [|exact S]. intros a. now rewrite tpositive_shape.
  - change (Tup (map shape ms)) with (shape (Node ms)). now rewrite tsize_shape.
  - assert (map tsize (map shape ms) = map size ms) as -> by (rewrite map_map; apply map_ext; intros; apply
    tsize_shape).
    reflexivity.
Qed.

(* ---- Threads by their numbers have what partition says. ---- *)

Definition of_four_modes (P : layout N) : bool := match P with Node [_; _; _; _] => true | _ => false end.
Definition has_layout_tv (t : tiled_mma) (x : operand) : bool :=
  of_four_modes (vmnk t) && fills_gaps (vmnk t) && held_whole t x (tile_of_operand t x).
(* The share of thread i is mode 1 of L behind what mode 0 has at i. *)
Definition agrees_with (L : layout N) (i v : N) (R : layout N) : Prop := exists T U, L = Node [T; U] /\ i < size T /\
  size R = size U /\ forall j, j < size U -> v + apply R j = apply T i + apply U j.

Lemma four_modes (a b c d : layout N) k : shaped (Node [a; b; c; d]) = true -> k < size (Node [a; b; c; d]) ->
  exists i0 i1 i2 i3, i0 < size a /\ i1 < size b /\ i2 < size c /\ i3 < size d /\
  open_digits (map size [a; b; c; d]) k = [i0; i1; i2; i3] /\
  apply (Node [a; b; c; d]) k = apply a i0 + (apply b i1 + (apply c i2 + apply d i3)).
Proof.
  intros S Hk. apply shaped_node in S. inversion S as [|? ? Sa S1]; subst. inversion S1 as [|? ? Sb S2]; subst.
  inversion S2 as [|? ? Sc S3]; subst. inversion S3 as [|? ? Sd _]; subst.
  pose proof (size_positive a Sa). pose proof (size_positive b Sb). pose proof (size_positive c Sc).
  cbn [size map fold_right] in Hk. rewrite N.mul_1_r in Hk.
  exists (k mod size a), (k / size a mod size b), (k / size a / size b mod size c), (k / size a / size b / size c).
  repeat split; try (apply N.mod_lt; lia). repeat (apply div_below; [easy|]). exact Hk.
Qed.

Lemma over_vmnk_modes t x T a0 a1 b0 b1 : let f := Node [Node [T; Node [a0; a1]]; Node [b0; b1]] in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in
  shaped (Node [T; Node [a0; a1]]) = true -> 0 < atoms_along t 1 -> 0 < atoms_along t 2 -> 0 < atoms_along t 3 ->
  size a0 = w -> size a1 = z -> exists o1 o2 o3, over_vmnk t x f = Node [T; o1; o2; o3] /\
  shaped (Node [T; o1; o2; o3]) = true /\ size o1 = atoms_along t 1 /\ size o2 = atoms_along t 2 /\
  size o3 = atoms_along t 3 /\ forall i1 i2 i3, apply o1 i1 + (apply o2 i2 + apply o3 i3) =
    let '(i, j) := pair_of x i1 i2 i3 in apply a0 i + apply a1 j.
Proof.
  cbn zeta. destruct x; cbn [pair_of]; intros S H1 H2 H3 <- <-; apply shaped_node in S; inversion S as [|? ? ST S'];
    subst;
    inversion S' as [|? ? S2 _]; subst; apply shaped_node in S2; inversion S2 as [|? ? Sa S3]; subst;
    inversion S3 as [|? ? Sb _]; subst; cbn [over_vmnk first second modes_of nth]; eexists _, _, _;
    (split; [reflexivity|]); (split; [apply shaped_node; repeat constructor; try easy; now apply positive_cons|]);
    repeat (split; [reflexivity|]); intros i1 i2 i3; cbn; lia.
Qed.

Lemma layout_tv_agrees t x k L : has_layout_tv t x = true -> mma_layout_tv t x = Some L -> k < size (vmnk t) ->
  exists v R, partition_of t x (tile_of_operand t x) (apply (vmnk t) k) = Some (v, R) /\
  agrees_with L (apply (vmnk t) k) v R.
Proof.
  unfold has_layout_tv, mma_layout_tv. rewrite !andb_true_iff. intros [[Four Nb] W].
  destruct (thrfrg t x (tile_of_operand t x)) as [f|] eqn:EF; [|discriminate]. cbn [bind].
  destruct (thread_index (vmnk t)) as [I|] eqn:EI; [|discriminate]. cbn [bind].
  destruct (composition (over_vmnk t x f) I) as [V|] eqn:EV; [|discriminate]. cbn [bind]. intros E Hk. injection E as
    <-.
  destruct (thread_index_spec _ I Nb EI) as (C & _ & _ & _ & SI & _ & WI). destruct (WI k Hk) as [Hi Ei].
  unfold held_whole in W. pose proof (thrfrg_values t x (tile_of_operand t x) f) as K.
  assert (Sv : shaped (vmnk t) = true) by (unfold fills_gaps in Nb; rewrite !andb_true_iff in Nb; apply Nb).
  assert (P1 : 0 < atoms_along t 1 /\ 0 < atoms_along t 2 /\ 0 < atoms_along t 3).
  { unfold atoms_along. destruct (vmnk t) as [|[|a [|b [|c [|d [|]]]]]]; try discriminate. cbn [modes_of nth].
    apply shaped_node in Sv. inversion Sv as [|? ? _ S1]; subst. inversion S1 as [|? ? Sb S2]; subst.
    inversion S2 as [|? ? Sc S3]; subst. inversion S3 as [|? ? Sd _]; subst. auto using size_positive. }
  destruct P1 as (P1 & P2 & P3). pose proof (over_vmnk_modes t x) as O.
  assert (G : forall w z, pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) = (w, z) ->
    exists i0 i1 i2 i3 i j, i0 < atoms_along t 0 /\ i1 < atoms_along t 1 /\ i2 < atoms_along t 2 /\
    i3 < atoms_along t 3 /\ pair_of x i1 i2 i3 = (i, j) /\ i < w /\ j < z /\
    thread_place t x (apply (vmnk t) k) = Some (Tup [Int i0; Tup [Int i; Int j]]) /\
    open_digits [atoms_along t 0; atoms_along t 1; atoms_along t 2; atoms_along t 3] k = [i0; i1; i2; i3]).
  { intros w z Ew. unfold thread_place, atoms_along in *.
    destruct (vmnk t) as [|[|a [|b [|c [|d [|]]]]]]; try discriminate. cbn [modes_of nth] in *.
    destruct (four_modes a b c d k Sv Hk) as (i0 & i1 & i2 & i3 & H0 & H1 & H2 & H3 & Ed & _).
    rewrite (flat_coord_filled _ k Nb Hk), Ed. cbn [listed map bind].
    destruct (pair_of x i1 i2 i3) as [i j] eqn:Ep. exists i0, i1, i2, i3, i, j. repeat (split; [easy|]).
    destruct x; cbn [pair_of fst snd] in *; injection Ep as <- <-; injection Ew as <- <-; now repeat split. }
  destruct (pair_of x (of_m t) _ _) as [p q], (pair_of x (rows _) _ _) as [e g],
    (pair_of x (atoms_along t 1) _ _) as [w z]. rewrite !andb_true_iff in W. destruct W as [[[W Op] Oq] Fit].
  destruct (K W Op Oq EF) as (m0 & m1 & ms & T & U & a0 & a1 & b0 & b1 & EA & -> & SF & ZT & ZU & Za0 & Za1 & _).
  apply shaped_node in SF. inversion SF as [|? ? SP SF']; subst. inversion SF' as [|? ? SQ _]; subst.
  destruct (G _ _ eq_refl) as (i0 & i1 & i2 & i3 & i & j & H0 & H1 & H2 & H3 & Ep & Hia & Hjb & EP & Ed).
  destruct (O T a0 a1 U (Node (b0 :: b1 :: ms)) SP P1 P2 P3 eq_refl eq_refl) as (o1 & o2 & o3 & EO & SO & Z1 & Z2 & Z3 &
    VO).
  unfold threads_fit in Fit. apply andb_true_iff in Fit as [_ Fit]. apply N.eqb_eq in Fit. rewrite <- ZT in Fit.
  assert (ZO : size (Node [T; o1; o2; o3]) = size (vmnk t)).
  { unfold atoms_along in *. destruct (vmnk t) as [|[|a [|b [|c [|d [|]]]]]]; try discriminate.
    cbn [modes_of nth] in *. cbn [size map fold_right]. congruence. }
  rewrite EO in EV. destruct (composition_sound _ I V SI EV) as (Cm & _ & VV). apply refined_size in Cm.
  eexists _, _. split.
  { eapply (partition_of_at t x _ _ _ _ U (Node (b0 :: b1 :: ms))); [exact EF|exact SQ|exact EP|].
    cbn [apply_coordinate]. rewrite !apply_int. cbn [bind]. reflexivity. }
  exists V, (Node [U; Node (b0 :: b1 :: ms)]). split; [reflexivity|]. split; [now rewrite <- Cm|].
  pose proof (size_positive _ SQ) as PQ.
  split; [now apply (share_value U (Node (b0 :: b1 :: ms)) 0)|]. intros y Hy.
  rewrite (proj2 (share_value U (Node (b0 :: b1 :: ms)) y SQ Hy)). f_equal. rewrite VV, Ei by easy.
  rewrite <- ZO in Hk. destruct (four_modes T o1 o2 o3 k SO Hk) as (k0 & k1 & k2 & k3 & _ & _ & _ & _ & Ed' & ->).
  cbn [map] in Ed'. rewrite Fit, Z1, Z2, Z3, Ed in Ed'. injection Ed' as <- <- <- <-. rewrite VO, Ep.
  cbn [plus naturals zero]. lia.
Qed.

(* Thread i has at j of layoutA_TV what partition_A of the tile that counts has. *)
Theorem tiled_mma_layoutA_TV_partitions t k L : has_layout_tv t Of_A = true -> mma_layout_tv t Of_A = Some L ->
  k < size (vmnk t) -> exists v R, partition_of t Of_A (tile_of_operand t Of_A) (apply (vmnk t) k) = Some (v, R) /\
  agrees_with L (apply (vmnk t) k) v R.
Proof. apply layout_tv_agrees. Qed.
(* Likewise of B. *)
Theorem tiled_mma_layoutB_TV_partitions t k L : has_layout_tv t Of_B = true -> mma_layout_tv t Of_B = Some L ->
  k < size (vmnk t) -> exists v R, partition_of t Of_B (tile_of_operand t Of_B) (apply (vmnk t) k) = Some (v, R) /\
  agrees_with L (apply (vmnk t) k) v R.
Proof. apply layout_tv_agrees. Qed.
(* Likewise of C. *)
Theorem tiled_mma_layoutC_TV_partitions t k L : has_layout_tv t Of_C = true -> mma_layout_tv t Of_C = Some L ->
  k < size (vmnk t) -> exists v R, partition_of t Of_C (tile_of_operand t Of_C) (apply (vmnk t) k) = Some (v, R) /\
  agrees_with L (apply (vmnk t) k) v R.
Proof. apply layout_tv_agrees. Qed.

(* ---- Every element of C has a thread and a value. ---- *)

Lemma times_count k l v : count_occ N.eq_dec (each_times k l) v = (N.to_nat k * count_occ N.eq_dec l v)%nat.
Proof.
  unfold each_times. induction l as [|x l IH]; cbn [flat_map count_occ]; [lia|].
  rewrite count_occ_app, IH. destruct (N.eq_dec x v) as [->|Ne].
  - rewrite count_occ_repeat_eq by easy. lia.
  - rewrite count_occ_repeat_neq by congruence. lia.
Qed.
Lemma count_one {X} (f : X -> N) l x v : NoDup l -> In x l -> f x = v -> (forall y, In y l -> f y = v -> y = x) ->
  count_occ N.eq_dec (map f l) v = 1%nat.
Proof.
  intros Nd I E U. apply in_split in I as (p & q & ->). apply NoDup_remove_2 in Nd.
  assert (Z : forall k, (forall y, In y k -> f y = v -> y = x) -> ~ In x k -> count_occ N.eq_dec (map f k) v = 0%nat).
  { intros k Uk Nk. apply count_occ_not_In. intros J. apply in_map_iff in J as (y & Ey & Iy). apply Nk.
    now rewrite <- (Uk y Iy Ey). }
  rewrite map_app, count_occ_app. cbn [map count_occ]. destruct (N.eq_dec (f x) v) as [_|Ne]; [|easy].
  rewrite (Z p), (Z q); [easy| | | |]; try (intros y J; apply U, in_app_iff; cbn; auto);
    intros J; apply Nd, in_app_iff; auto.
Qed.
Lemma zero_once (l : modes) : positive l = true -> count_occ N.eq_dec (image (without_zeros l)) 0 = 1%nat.
Proof.
  intros P. assert (P' : positive (without_zeros l) = true).
  { induction l as [|[s d] l IH]; [easy|]. apply positive_cons in P as [Hs P]. apply positive_cons. cbn [fst snd].
    split; [destruct (same d zero); lia|now apply IH]. }
  unfold image. apply (count_one _ _ 0); [apply nodup_iota|apply in_iota; now apply numel_positive|exact (value_in_0
    _ P')|].
  intros i Hi. rewrite in_iota in Hi. revert i Hi. clear P'. induction l as [|[s d] l IH]; intros i Hi E; [cbn in Hi;
    lia|].
  apply positive_cons in P as [Hs P]. cbn [without_zeros map fst snd numel value_in] in *. fold (without_zeros l) in *.
  set (s' := if same d zero then 1 else s) in *. assert (0 < s') by (unfold s'; destruct (same d zero); lia).
  cbn [plus times naturals] in E. apply N.eq_add_0 in E as [E1 E2]. apply IH in E2; [|easy|now apply div_below].
  assert (i mod s' = 0) as Z0.
  { unfold s'. change (same d zero) with (d =? 0) in *. destruct (N.eqb_spec d 0); [apply N.mod_1_r|].
    apply N.eq_mul_0 in E1 as [E1|E1]; [|easy]. subst s'. now destruct (N.eqb_spec d 0). }
  destruct (split_index s' i ltac:(easy)) as [-> _]. rewrite Z0, E2. lia.
Qed.

(* What takes 0 .. n-1 each as often is compact but for broadcasts. *)
Lemma evenly_covered (L : layout N) k n : shaped L = true -> 0 < n ->
  Permutation (image (leaves L)) (each_times k (iota n)) -> compact_layout (filter_zeros L) /\ size (filter_zeros L)
    = n.
Proof.
  intros S Hn I. destruct (image_repeats (leaves L) S) as (b & Z & J).
  assert (Q : forall v, (N.to_nat b * count_occ N.eq_dec (image (without_zeros (leaves L))) v =
    N.to_nat k * count_occ N.eq_dec (iota n) v)%nat).
  { intros v. rewrite <- !times_count. now apply (Permutation_count_occ N.eq_dec); rewrite <- J. }
  assert (B : b = k).
  { specialize (Q 0). rewrite zero_once in Q by easy. rewrite <- (map_id (iota n)) in Q.
    rewrite (count_one (fun x => x) (iota n) 0) in Q; [lia|apply nodup_iota|now apply in_iota|easy|easy]. }
  pose proof (numel_positive _ S) as PL. subst b. assert (0 < k) by nia.
  assert (Pm : Permutation (image (leaves (filter_zeros L))) (iota n)).
  { rewrite filter_zeros_leaves. apply (Permutation_count_occ N.eq_dec). intros v. specialize (Q v). nia. }
  assert (Zn : size (filter_zeros L) = n).
  { apply Permutation_length in Pm. rewrite length_image, length_iota, <- size_product in Pm. lia. }
  split; [|easy]. unfold compact_layout. now rewrite Zn.
Qed.
Lemma covered_right_inverse (L : layout N) n : shaped L = true -> compact_layout (filter_zeros L) ->
  size (filter_zeros L) = n -> size (right_inverse (in_integers L)) = n.
Proof.
  intros S C Z. pose proof (filter_zeros_shaped L S) as SF. destruct (compact_sorted _ SF C) as [_ T].
  assert (E : sorted_leaves (filter_zeros L) = sorted_leaves L).
  { unfold sorted_leaves. now rewrite filter_zeros_leaves, moving_without_zeros. }
  rewrite E in T. unfold right_inverse. rewrite in_integers_natural.
  assert (single_valued L = true) as ->.
  { apply nested_before_gap. rewrite strides_sorted. now apply (tight_nested 1). }
  unfold contiguous_inverse. rewrite size_unwrapped, tight_contiguous by now rewrite strides_sorted.
  assert (P : positive (weights (weighted_sorted L)) = true) by (rewrite positive_weights; now apply
    weighted_sorted_positive).
  rewrite (proj1 (merge_spec _ P)), numel_weights, <- numel_strides, strides_sorted, <- E, <- strides_sorted,
    numel_strides. now rewrite (compact_size _ SF C).
Qed.

Lemma zero_leaf_repeats {D} `{module D} n (l : list (N * D)) : 0 < n -> positive l = true ->
  Permutation (image (l ++ [(n, zero)])) (each_times n (image l)).
Proof.
  intros Hn P. rewrite (image_permutation _ ((n, zero) :: l)); [|symmetry; apply Permutation_cons_append|].
  2: { rewrite positive_app, P. apply andb_true_iff. split; [easy|]. now apply positive_cons. }
  rewrite image_cons by easy. unfold each_times. erewrite flat_map_ext; [reflexivity|]. intros v. cbn beta.
  rewrite (map_ext _ (fun _ => v)) by (intros r; now rewrite times_zero, plus_zero). rewrite <- (length_iota n).
  induction (iota n) as [|r m IH]; cbn; congruence.
Qed.

(* layoutC_TV has a right inverse of the whole tile: every element has a thread and a value. *)
Theorem tiled_mma_layoutC_TV_inverse t L (R := right_inverse (in_integers L)) : has_layout_tv t Of_C = true ->
  mma_layout_tv t Of_C = Some L -> size R = fst (tile_extents_of t Of_C) * snd (tile_extents_of t Of_C) /\
  forall i, i < size R -> apply R i < size L /\ apply L (apply R i) = i.
Proof.
  unfold has_layout_tv, mma_layout_tv, tile_of_operand. rewrite !andb_true_iff. intros [[Four Nb] W].
  set (m := fst (tile_extents_of t Of_C)) in *. set (n := snd (tile_extents_of t Of_C)) in *.
  rewrite (surjective_pairing (tile_extents_of t Of_C)) in *. fold m n in W |- *.
  destruct (thrfrg t Of_C (matrix m n)) as [f|] eqn:EF; [|discriminate]. cbn [bind].
  destruct (thread_index (vmnk t)) as [I|] eqn:EI; [|discriminate]. cbn [bind].
  destruct (composition (over_vmnk t Of_C f) I) as [V|] eqn:EV; [|discriminate]. cbn [bind]. intros E. injection E as
    <-.
  destruct (thread_index_spec _ I Nb EI) as (C & _ & _ & ZI & SI & PI & _).
  unfold held_whole in W. cbn [pair_of] in W. rewrite !andb_true_iff in W. destruct W as [[[W Om] On] Fit].
  destruct (thrfrg_values t Of_C (matrix m n) f W Om On EF) as (m0 & m1 & ms & T & U & a0 & a1 & b0 & b1 & EA & Ef &
    SF &
    ZT & ZU & Za0 & Za1 & _).
  pose proof (tiled_mma_thrfrg_C_covers t _ f W EF) as Cov. rewrite Ef in *.
  set (q := size (of_c (atom t)) / atom_size t Of_C) in *. set (Rr := Node (b0 :: b1 :: ms)) in *.
  apply shaped_node in SF. inversion SF as [|? ? SP SF']; subst. inversion SF' as [|? ? SQ _]; subst.
  assert (Sv : shaped (vmnk t) = true) by (unfold fills_gaps in Nb; rewrite !andb_true_iff in Nb; apply Nb).
  unfold threads_fit in Fit. apply andb_true_iff in Fit as [_ Fit]. apply N.eqb_eq in Fit. rewrite <- ZT in Fit.
  set (all := over_vmnk t Of_C (Node [Node [T; Node [a0; a1]]; Node [U; Rr]])) in *.
  assert (Eall : all = Node [T; a0; a1; Leaf (atoms_along t 3) 0]) by reflexivity.
  assert (Z : size all = size (vmnk t) /\ 0 < atoms_along t 3).
  { rewrite Eall. unfold atoms_along in *. destruct (vmnk t) as [|[|a [|b [|c [|d [|]]]]]]; try discriminate.
    cbn [modes_of nth] in *. apply shaped_node in Sv. inversion Sv as [|? ? _ S1]; subst.
    inversion S1 as [|? ? _ S2]; subst. inversion S2 as [|? ? _ S3]; subst. inversion S3 as [|? ? Sd _]; subst.
    split; [cbn [size map fold_right]; congruence|now apply size_positive]. }
  destruct Z as [ZO P3].
  assert (Lall : leaves all = leaves (Node [T; Node [a0; a1]]) ++ [(atoms_along t 3, 0)]).
  { rewrite Eall. cbn [leaves flat_map]. now rewrite !app_nil_r, <- !app_assoc. }
  assert (Sall : shaped all = true).
  { unfold shaped. rewrite Lall, positive_app. apply andb_true_iff. split; [exact SP|]. now apply positive_cons. }
  destruct (composition_sound all I V SI EV) as (Cm & SV & VV). apply refined_size in Cm.
  assert (IV : Permutation (image (leaves V)) (each_times (size C * atoms_along t 3) (image (leaves (Node [T; Node [a0;
    a1]]))))).
  { rewrite image_leaves by easy. rewrite <- Cm. erewrite map_ext_in; [|intros i Hi; rewrite in_iota in Hi; apply (VV
    i Hi)].
    rewrite <- map_map, <- image_leaves, PI, map_times, <- ZO, <- image_leaves, Lall by easy.
    rewrite <- times_times. apply times_permutation. exact (zero_leaf_repeats (atoms_along t 3) _ P3 SP). }
  assert (SL : shaped (Node [V; Node [U; Rr]]) = true) by (apply shaped_node; auto).
  assert (St : shaped (matrix m n) = true).
  { unfold of_whole_tiles in W. rewrite !andb_true_iff in W. apply W. }
  destruct (make_layout_left_colex (Tup [Int m; Int n])) as [Sh Vt]. fold (matrix m n) in Sh, Vt.
  assert (Zt : size (matrix m n) = m * n) by (rewrite <- tsize_shape, Sh; cbn; now rewrite N.mul_1_r).
  pose proof (size_positive _ St) as Pt. rewrite Zt in Pt.
  assert (It : image (leaves (matrix m n)) = iota (m * n)).
  { rewrite image_leaves, Zt by easy. rewrite <- (map_id (iota (m * n))) at 2. apply map_ext_in. intros i Hi.
    rewrite in_iota in Hi. apply Vt; [now rewrite <- Sh, tpositive_shape|now rewrite <- Sh, tsize_shape, Zt]. }
  rewrite It, leaves_two in Cov.
  destruct (evenly_covered (Node [V; Node [U; Rr]]) (size C * atoms_along t 3 * q) (m * n) SL Pt) as [Cp Zc].
  { rewrite leaves_two, (image_times_app _ _ _ (leaves (Node [U; Rr])) SV SP IV), <- (times_times (_ * _) q).
    now apply times_permutation. }
  subst R. split; [now apply covered_right_inverse|]. intros i Hi.
  destruct (right_inverse_pointwise _ i (in_integers_shaped _ SL) Hi) as [E1 E2]. rewrite in_integers_size in E2.
  rewrite in_integers_apply in E1. split; [exact E2|now apply N2Z.inj].
Qed.

(* ---- Copies that serve an operand. ---- *)

Definition operand_copy (a : copy_atom) (t : tiled_mma) (x : operand) : option tiled_copy :=
  tv <- mma_layout_tv t x; Some (Tiled_copy a tv [fst (tile_extents_of t x); snd (tile_extents_of t x)]).
Lemma operand_copy_spec a t x : option_map (fun c => (copy_tv c, copy_tile c)) (operand_copy a t x) =
  option_map (fun tv => (tv, [fst (tile_extents_of t x); snd (tile_extents_of t x)])) (mma_layout_tv t x).
Proof. unfold operand_copy. now destruct (mma_layout_tv t x). Qed.

(* The copy made for operand A of a tiled MMA is defined as layoutA_TV is; it has that layout, and the tile of A. *)
Theorem tiled_copy_A_layout_TV_operand a t : option_map (fun c => (copy_tv c, copy_tile c)) (operand_copy a t Of_A) =
  option_map (fun tv => (tv, [nth 0 (tile_shape t) 0; nth 2 (tile_shape t) 0])) (mma_layout_tv t Of_A).
Proof. apply operand_copy_spec. Qed.
(* Likewise of B. *)
Theorem tiled_copy_B_layout_TV_operand a t : option_map (fun c => (copy_tv c, copy_tile c)) (operand_copy a t Of_B) =
  option_map (fun tv => (tv, [nth 1 (tile_shape t) 0; nth 2 (tile_shape t) 0])) (mma_layout_tv t Of_B).
Proof. apply operand_copy_spec. Qed.
(* Likewise of C. *)
Theorem tiled_copy_C_layout_TV_operand a t : option_map (fun c => (copy_tv c, copy_tile c)) (operand_copy a t Of_C) =
  option_map (fun tv => (tv, [nth 0 (tile_shape t) 0; nth 1 (tile_shape t) 0])) (mma_layout_tv t Of_C).
Proof. apply operand_copy_spec. Qed.
