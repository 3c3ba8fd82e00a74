(* tile_to_shape: copies of a block until they fill a shape, in the order of the modes or the reverse. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Make Left_inverse.
Local Open Scope N_scope.

Definition sizes_of (s : tuple) : list N := match s with Int n => [n] | Tup l => map tsize l end.
(* How many copies go into each mode; none where a mode of the block does not divide. *)
Fixpoint copies (ns : list N) (ms : list (layout N)) : option (list N) :=
  match ns, ms with
  | [], [] => Some []
  | n :: ns, m :: ms => if n mod size m =? 0 then option_map (cons (n / size m)) (copies ns ms) else None
  | _, _ => None
  end.
Definition shape_like (s : tuple) (ns : list N) : tuple :=
  match s with Int _ => Int (hd 1 ns) | Tup _ => Tup (map Int ns) end.
Definition made (right : bool) : tuple -> layout N := if right then make_layout_right else make_layout_left.
Definition tile_to_shape (A : layout N) (s : tuple) (right : bool) : option (layout N) :=
  B <- pad A (length (sizes_of s)) (Leaf 1 0) false;
  c <- copies (sizes_of s) (modes_of B);
  blocked_product B (made right (shape_like s c)).

Lemma pad_rank A n B : pad A n (Leaf 1 0) false = Some B -> rank B = n.
Proof.
  unfold pad. destruct (Nat.ltb_spec n (rank A)); [discriminate|].
  destruct (Nat.eqb_spec (rank A) n) as [Er|]; intros E; injection E as <-; [easy|].
  simpl. rewrite app_length, repeat_length, <- rank_definition. lia.
Qed.
Lemma pad_same A : pad A (rank A) (Leaf 1 0) false = Some A.
Proof. unfold pad. now rewrite Nat.ltb_irrefl, Nat.eqb_refl. Qed.

Lemma copies_length ns ms c : copies ns ms = Some c -> length ns = length ms /\ length c = length ns.
Proof.
  revert ms c. induction ns as [|n ns IH]; intros [|m ms] c E; try discriminate; [injection E as <-; easy|]. simpl in E.
  destruct (n mod size m =? 0); [|discriminate]. destruct (copies ns ms) eqn:F; [|discriminate]. injection E as <-.
  apply IH in F. simpl. lia.
Qed.
Lemma copies_nth ns ms c k n m q : copies ns ms = Some c -> nth_error ns k = Some n -> nth_error ms k = Some m ->
  nth_error c k = Some q -> n mod size m = 0 /\ q = n / size m.
Proof.
  revert ms c k. induction ns as [|x ns IH]; intros [|y ms] c k E; try discriminate; [now destruct k|]. simpl in E.
  destruct (N.eqb_spec (x mod size y) 0); [|discriminate]. destruct (copies ns ms) eqn:F; [|discriminate].
  injection E as <-.
  destruct k; simpl; [intros H1 H2 H3; injection H1 as <-; injection H2 as <-; injection H3 as <-; easy|now apply IH].
Qed.

(* What a tiled shape is made of: a product of the block and the copies, paired mode by mode. *)
Lemma tile_parts A s right R : tile_to_shape A s right = Some R ->
  exists B c C X Y ls ms, pad A (length (sizes_of s)) (Leaf 1 0) false = Some B /\
  copies (sizes_of s) (modes_of B) = Some c /\
  C = made right (shape_like s c) /\ shape C = shape_like s c /\
  room_for B C = Some X /\ composition X C = Some Y /\ paired ls ms = Some R /\
  ((ls, ms) = ([B], [Y]) /\ rank B = 1%nat /\ rank C = 1%nat \/ (ls, ms) = (modes_of B, modes_of Y)).
Proof.
  unfold tile_to_shape. destruct (pad A _ _ _) as [B|] eqn:EB; [|discriminate]. cbn [bind].
  destruct (copies _ _) as [c|] eqn:Ec; [|discriminate]. cbn [bind]. set (C := _ (shape_like s c)).
  assert (SC : shape C = shape_like s c) by (unfold C; destruct right;
    [apply make_layout_right_lex|apply make_layout_left_colex]).
  pose proof (pad_rank _ _ _ EB) as RB. pose proof (copies_length _ _ _ Ec) as [_ Lc].
  assert (RC : rank C = rank B).
  { rewrite RB, <- Lc. clear - SC Lc. destruct s as [n|l]; destruct C as [t d|ms]; simpl in *; try discriminate; [lia|].
    injection SC as SC. apply (f_equal (@length tuple)) in SC. now rewrite !map_length in SC. }
  unfold blocked_product, product_by_rank. rewrite RC, Nat.max_id, pad_same. cbn [bind].
    replace (pad C (rank B) (Leaf 1 0) false) with (Some C) by (rewrite <- RC; symmetry; apply pad_same). cbn [bind].
  destruct (logical_product B C) as [P|] eqn:EP; [|discriminate]. cbn [bind].
  destruct (product_parts B C P EP) as (X & Y & EX & EY & ->).
  destruct ((rank B =? 1)%nat && _) eqn:O; cbn [bind fst snd]; intros E.
  - apply andb_true_iff in O as [O _]. apply Nat.eqb_eq in O. exists B, c, C, X, Y, [B], [Y]. repeat split; try easy.
    left. repeat split; congruence.
  - exists B, c, C, X, Y, (modes_of B), (modes_of Y). repeat split; try easy. now right.
Qed.

Lemma paired_mode_inverse l m P k x : paired l m = Some P -> mode P k = Some x ->
  exists a b, nth_error l k = Some a /\ nth_error m k = Some b /\ x = Node [a; b].
Proof.
  unfold paired. destruct (_ =? _)%nat; [|discriminate]. intros E. injection E as <-. unfold mode. simpl. revert m k.
  induction l as [|a l IH]; intros [|b m] [|k] Hx; try discriminate; simpl in *;
    [injection Hx as <-; eauto|now apply IH].
Qed.

Lemma nth_same_length {X Y} (l : list X) (m : list Y) k x : length l = length m -> nth_error l k = Some x ->
  exists y, nth_error m k = Some y.
Proof.
  intros L E. destruct (nth_error m k) eqn:F; [eauto|]. apply nth_error_None in F.
  assert (nth_error l k <> None) as Nn by congruence.
  apply nth_error_Some in Nn. lia.
Qed.

(* Mode k starts with mode k of the block (padded to the rank of S), the copies behind it. *)
Theorem tile_to_shape_block A s right R k m : tile_to_shape A s right = Some R -> mode R k = Some m ->
  exists B b y, pad A (length (sizes_of s)) (Leaf 1 0) false = Some B /\ m = Node [b; y] /\
    (mode B k = Some b \/ rank B = 1%nat /\ k = 0%nat /\ b = B).
Proof.
  intros E Em. destruct (tile_parts A s right R E) as (B & c & C & X & Y & ls & ms & EB & _ & _ & _ & _ & _ & P & O).
  destruct (paired_mode_inverse _ _ _ _ _ P Em) as (b & y & Eb & _ & ->). exists B, b, y. repeat split; [easy|].
  destruct O as [(O & RB & _)|O]; injection O as -> ->; [right|now left].
  destruct k as [|[|k]]; simpl in Eb; try discriminate. injection Eb as <-. easy.
Qed.

Lemma refined_nth l m k n b : Forall2 (fun x y =>
  compatible x y = true) (map Int l) (map shape (m : list (layout N))) -> nth_error l k = Some n ->
nth_error m k = Some b -> size b = n.
Proof.
  revert m k. induction l as [|x l IH]; intros [|y m] [|k] F Hn Hb; try discriminate; simpl in *;
    inversion_clear F as [|? ? ? ? C Cs].
  - injection Hn as <-. injection Hb as <-. apply N.eqb_eq in C. now rewrite tsize_shape in C.
  - now apply (IH m k).
Qed.

Lemma pad_shaped A n B : shaped A = true -> pad A n (Leaf 1 0) false = Some B -> shaped B = true.
Proof.
  intros S. unfold pad. destruct (_ <? _)%nat; [discriminate|].
  destruct (_ =? _)%nat; intros E; injection E as <-; [easy|].
  apply shaped_node, Forall_app. split.
  - destruct A; [now constructor|now apply shaped_node].
  - apply Forall_forall. intros x I. apply repeat_spec in I as ->. reflexivity.
Qed.

Lemma pad_size A n B : pad A n (Leaf 1 0) false = Some B -> size B = size A.
Proof.
  unfold pad. destruct (_ <? _)%nat; [discriminate|]. destruct (_ =? _)%nat; intros E; injection E as <-; [easy|].
  cbn [size]. rewrite map_app, product_app. assert (forall k, fold_right N.mul 1 (map size (repeat (Leaf 1 0) k)) = 1)
    as ->.
  { induction k as [|k IH]; [easy|]. cbn [repeat map fold_right]. rewrite IH. reflexivity. }
  destruct A; cbn; lia.
Qed.

Lemma copies_positive ns ms c : Forall (fun n => 0 < n) ns -> Forall (fun m => shaped m = true) ms ->
  copies ns ms = Some c -> Forall (fun n => 0 < n) c.
Proof.
  intros P. revert ms c. induction P as [|n ns Hn P IH]; intros [|m ms] c S E; try discriminate;
    [injection E as <-; easy|]. simpl in E.
  apply Forall_cons_iff in S as [Sm S]. pose proof (size_positive m Sm).
  destruct (N.eqb_spec (n mod size m) 0) as [Z|]; [|discriminate].
  destruct (copies ns ms) eqn:F; [|discriminate]. injection E as <-. constructor; [|eauto].
  apply mod_0_divides in Z as [q ->]; [|easy]. rewrite N.div_mul; nia.
Qed.

Lemma sizes_positive s : tpositive s = true -> Forall (fun n => 0 < n) (sizes_of s).
Proof.
  destruct s as [n|l]; intros P; [apply tpositive_extents in P; exact P|]. apply tpositive_tuple in P. simpl.
  apply Forall_map. eapply Forall_impl; [|exact P]. intros t. apply tsize_positive.
Qed.

Lemma shape_like_positive s c : Forall (fun n => 0 < n) c -> tpositive (shape_like s c) = true.
Proof.
  intros P. destruct s; simpl.
  - destruct P; simpl; [reflexivity|]. apply tpositive_extents. now constructor.
  - apply tpositive_tuple, Forall_map. eapply Forall_impl; [|exact P]. intros n Hn. apply tpositive_extents.
    now constructor.
Qed.

Lemma rank_one_size (B : layout N) b : rank B = 1%nat -> nth_error (modes_of B) 0 = Some b -> size b = size B.
Proof.
  destruct B as [s d|[|m [|n ms]]]; cbn; try discriminate; intros _ E; injection E as <-; cbn; [easy|lia].
Qed.

(* Mode k of the tiled shape has the size of mode k of S. *)
Theorem tile_to_shape_sizes A s right R k m n : tpositive s = true -> shaped A = true ->
  tile_to_shape A s right = Some R -> mode R k = Some m -> nth_error (sizes_of s) k = Some n -> size m = n.
Proof.
  intros PS SA E Em En. destruct (tile_parts A s right R E) as (B & c & C & X & Y & ls & ms & EB & Ec & EC & SC & EX &
    EY & P & O).
  destruct (paired_mode_inverse _ _ _ _ _ P Em) as (b & y & Eb & Ey & ->).
  destruct (copies_length _ _ _ Ec) as [L1 L2]. pose proof (pad_shaped _ _ _ SA EB) as SB.
  pose proof (pad_rank _ _ _ EB) as RB.
  assert (SM : Forall (fun m => shaped m = true) (modes_of B)) by (destruct B; [now constructor|now apply shaped_node]).
  pose proof (copies_positive _ _ _ (sizes_positive s PS) SM Ec) as Pc.
  assert (shaped C = true) as ShC by (rewrite <- tpositive_shape, SC; now apply shape_like_positive).
  pose proof (composition_compatible _ _ _ ShC EY) as Cm. rewrite SC in Cm.
  destruct (nth_same_length _ c _ _ (eq_sym L2) En) as [q Hq].
  destruct (nth_same_length _ (modes_of B) _ _ L1 En) as [b' Hb].
  destruct (copies_nth _ _ _ _ _ _ _ Ec En Hb Hq) as [Z Q].
  assert (0 < size b') as Pb by (apply size_positive; rewrite Forall_forall in SM; apply SM; now apply nth_error_In in
    Hb).
  assert (size b = size b' /\ size y = q) as [Zb Zy].
  { assert (one : length (sizes_of s) = 1%nat -> k = 0%nat /\ size Y = q).
    { intros L. assert (k = 0%nat) as -> by (assert (k < length (sizes_of s))%nat by (apply nth_error_Some;
      congruence); lia).
      split; [easy|]. apply compatible_size in Cm. rewrite tsize_shape in Cm. rewrite <- Cm.
      destruct c as [|q' [|? ?]]; cbn in L2; try lia. cbn in Hq. injection Hq as ->. destruct s; cbn; lia. }
    destruct O as [(O & RB1 & _)|O]; injection O as -> ->.
    - destruct (one ltac:(congruence)) as [-> ZY]. cbn in Eb, Ey. injection Eb as <-. injection Ey as <-.
      split; [|exact ZY]. symmetry. now apply rank_one_size.
    - split; [congruence|]. destruct s as [n0|l].
      + destruct (one eq_refl) as [-> ZY]. assert (rank Y = 1%nat) as RY.
        { unfold paired in P. destruct (Nat.eqb_spec (length (modes_of B)) (length (modes_of Y))) as [G|];
          [|discriminate].
          rewrite <- !rank_definition in G. now rewrite <- G, RB. }
        rewrite <- ZY. now apply rank_one_size.
      + destruct Y as [? ?|ys]; [discriminate|]. simpl shape_like in Cm. simpl shape in Cm. apply faces_tuples in Cm.
        now apply (refined_nth c ys k). }
  change (size (Node [b; y])) with (size b * (size y * 1)). rewrite Zb, Zy, Q, N.mul_1_r. apply divides_div; [easy|].
  now apply mod_0_divides.
Qed.

(* It is defined exactly when each mode of the block divides its mode of S and the block can be copied so: A is not of
  more modes than S, and the logical product with the copies is defined. *)
Theorem tile_to_shape_exists A s right : (exists R, tile_to_shape A s right = Some R) <->
  exists B c P, pad A (length (sizes_of s)) (Leaf 1 0) false = Some B /\ copies (sizes_of s) (modes_of B) = Some c /\
  logical_product B (made right (shape_like s c)) = Some P.
Proof.
  split.
  - intros [R E]. destruct (tile_parts A s right R E) as (B & c & C & X & Y & ls & ms & EB & Ec & -> & _ & EX & EY & _).
    exists B, c, (Node [B; Y]). repeat split; [easy..|]. unfold logical_product. rewrite EX. cbn [bind]. now rewrite EY.
  - intros (B & c & P & EB & Ec & EP). unfold tile_to_shape. rewrite EB. cbn [bind]. rewrite Ec. cbn [bind].
    set (C := made right (shape_like s c)) in *. pose proof (pad_rank _ _ _ EB) as RB.
    destruct (copies_length _ _ _ Ec) as [L1 L2].
    assert (SC : shape C = shape_like s c) by (unfold C; destruct right;
      [apply make_layout_right_lex|apply make_layout_left_colex]).
    assert (RC : rank C = rank B).
    { rewrite RB, <- L2. clear - SC L2. destruct s as [n|l]; destruct C as [t' d|ms]; simpl in *; try discriminate;
      [lia|].
      injection SC as SC. apply (f_equal (@length tuple)) in SC. now rewrite !map_length in SC. }
    unfold blocked_product, product_by_rank. rewrite RC, Nat.max_id, pad_same. cbn [bind].
    replace (pad C (rank B) (Leaf 1 0) false) with (Some C) by (rewrite <- RC; symmetry; apply pad_same). cbn [bind].
    rewrite EP. cbn [bind]. destruct (product_parts B C P EP) as (X & Y & EX & EY & ->).
    destruct ((rank B =? 1)%nat && _) eqn:O; cbn [bind fst snd]; [unfold paired; cbn; eauto|].
    unfold composition in EY. destruct (replace_leaves _ C) as [Y'|] eqn:ER; [|discriminate]. cbn [bind] in EY.
    destruct (forallb _ _); [|discriminate]. injection EY as ->. destruct C as [t' d|cs].
    { destruct s as [n|l]; [|discriminate]. cbn in RB. rewrite RB in O. cbn in O. destruct B; discriminate. }
    apply replace_node in ER as (rs & -> & F). unfold paired. simpl modes_of at 2.
    assert (length (modes_of B) =? length rs = true)%nat as ->; [|eauto].
    apply Nat.eqb_eq. rewrite <- rank_definition, <- RC. simpl. clear - F. induction F; simpl; auto.
Qed.

(* The reverse order gives the copies the strides of make_layout_right: the last mode is copied first. *)
Theorem tile_to_shape_orders A s : tile_to_shape A s true = (B <- pad A (length (sizes_of s)) (Leaf 1 0) false;
  c <- copies (sizes_of s) (modes_of B); blocked_product B (make_layout_right (shape_like s c))).
Proof. reflexivity. Qed.

(* The complement of a compact layout goes on in steps of its size. *)
Lemma compact_gaps M e l : tight_from e l = true -> all_move l -> 0 < e ->
  forall i, value_in (gaps (ceil M) e l) i = top_from e l * (i mod ceil M (top_from e l)) /\
  numel (gaps (ceil M) e l) = ceil M (top_from e l).
Proof.
  revert e. induction l as [|[s d] l IH]; intros e T Mv He i; simpl.
  - split; [lia|apply N.mul_1_r].
  - simpl in T. apply andb_true_iff in T as [E T]. apply N.eqb_eq in E as ->.
    apply all_move_cons in Mv as (Hs & _ & Mv).
    destruct (IH (s * e) T Mv ltac:(nia) (i / 1)) as [V Z]. rewrite N.div_same by lia.
    rewrite N.mod_1_r, V, Z, N.div_1_r. split; lia.
Qed.

(* The product of compact layouts is compact. *)
Theorem compact_product A B P : shaped A = true -> shaped B = true -> compact_layout A -> compact_layout B ->
  logical_product A B = Some P -> compact_layout P.
Proof.
  intros SA SB CA CB E. destruct (product_parts A B P E) as (F & R & EF & ER & ->).
  destruct (room_enough A B F SA EF) as [(M & HM & EC) Z]. destruct (complement_spec A M F HM EC) as (_ & EqF & PF).
  destruct (compact_sorted A SA CA) as [ES T]. destruct (composition_sound F B R SB ER) as (C & SR & V).
  assert (size R = size B) as ZR by (apply compatible_size in C; now rewrite !tsize_shape in C).
  assert (top A = size A) as TA.
  { unfold top. rewrite (top_tight 1) by exact T. rewrite N.mul_1_l, <- strides_sorted,
      numel_strides. now apply compact_size. }
  pose proof (all_move_sorted A) as Mv.
  assert (VF : forall u, u < size F -> apply F u = size A * u).
  { intros u Hu. destruct (compact_gaps M 1 (sorted_leaves A) T Mv ltac:(lia) u) as [VG ZG]. fold (top A)
      in VG, ZG. rewrite TA in VG, ZG.
    destruct (merge_spec _ PF) as (ZM & QM & VM). rewrite EqF in Hu |- *. rewrite size_unwrapped, ZM, ZG in Hu.
    rewrite apply_unwrapped, VM, VG by (rewrite ?ZM, ?ZG; easy). now rewrite N.mod_small. }
  assert (inF : forall i, i < size B -> apply B i < size F).
  { intros i Hi. rewrite apply_inside by easy. pose proof (value_bounded (leaves B) i SB). unfold cosize in Z. lia. }
  assert (SP : shaped (Node [A; R]) = true) by (apply shaped_node; auto). pose proof (size_positive A SA) as PA.
  assert (NdB : forall i j, i < size B -> j < size B -> apply B i = apply B j ->
    i = j) by (intros; now apply (compact_injective B)).
  unfold compact_layout. rewrite image_leaves by easy.
  assert (W : forall i, i < size (Node [A; R]) ->
    apply (Node [A; R]) i = apply A (i mod size A) + size A * apply B (i / size A)).
  { intros i Hi. change (size (Node [A; R])) with (size A * (size R * 1)) in Hi. assert (i / size A < size B)
      by (rewrite <- ZR; apply div_below; lia).
    change (apply (Node [A; R]) i) with (apply A (i mod size A) + apply R (i / size A)). now rewrite V, VF by auto. }
  assert (SZ : size (Node [A; R]) = size A * size B) by (simpl; lia).
  apply NoDup_Permutation_bis.
  - apply nodup_map_in; [|apply nodup_iota]. intros i j Hi Hj K. rewrite in_iota in *. rewrite !W in K by easy.
    rewrite SZ in *.
    assert (i mod size A < size A /\ j mod size A < size A) as [Mi Mj] by (split; apply N.mod_lt; lia).
    pose proof (compact_below A _ CA SA Mi) as Bi. pose proof (compact_below A _ CA SA Mj) as Bj.
    assert (apply A (i mod size A) = apply A (j mod size A)) as K1.
    { rewrite <- (digit_mod (size A) (apply A (i mod size A)) (apply B (i / size A)) Bi), K. now apply digit_mod. }
    assert (apply B (i / size A) = apply B (j / size A)) as K2.
    { rewrite <- (digit_div (size A) (apply A (i mod size A)) (apply B (i / size A)) Bi), K. now apply digit_div. }
    apply (compact_injective A) in K1; try easy. apply NdB in K2; try (apply div_below; easy).
    destruct (split_index (size A) i PA) as [-> _], (split_index (size A) j PA) as [-> _]. congruence.
  - rewrite map_length, !length_iota. lia.
  - intros x I. apply in_map_iff in I as (i & <- & Hi). rewrite in_iota in *. rewrite W by easy. rewrite SZ in *.
    apply digits_below; [apply compact_below; [easy|easy|apply N.mod_lt; lia]|].
    apply compact_below; [easy|easy|now apply div_below].
Qed.

Lemma pad_compact A n B : shaped A = true -> compact_layout A -> pad A n (Leaf 1 0) false = Some B -> compact_layout B.
Proof.
  intros SA CA. unfold pad. destruct (_ <? _)%nat; [discriminate|].
  destruct (_ =? _)%nat; intros K; injection K as <-; [easy|].
  generalize (n - rank A)%nat as q. intros q. set (p := repeat _ _).
  assert (Pp : forall k, value_in (flat_map leaves p) k = 0 /\ numel (flat_map leaves p) = 1).
  { subst p. induction q as [|q IH]; intros k; simpl;
      [easy|]. destruct (IH (k / 1)) as [-> ->]. rewrite N.mod_1_r. lia. }
  unfold compact_layout in *. rewrite size_product.
  change (leaves (Node (modes_of A ++ p))) with (flat_map leaves (modes_of A ++ p)).
  rewrite flat_map_app, <- leaves_modes, numel_app, (proj2 (Pp 0)), N.mul_1_r, <- size_product.
  assert (image (leaves A ++ flat_map leaves p) = image (leaves A)) as ->; [|exact CA].
  unfold image. rewrite numel_app, (proj2 (Pp 0)), N.mul_1_r. apply map_ext. intros k. rewrite value_in_app by exact SA.
  rewrite (proj1 (Pp _)). apply N.add_0_r.
Qed.

Lemma made_compact (right : bool) t : tpositive t = true ->
  compact_layout (made right t).
Proof.
  assert (left : forall t, tpositive t = true -> image (leaves (make_layout_left t)) = iota (tsize t)).
  { clear. intros t P. destruct (make_layout_left_colex t) as [Sh V]. specialize (V P).
    assert (S : shaped (make_layout_left t) = true) by now rewrite <- tpositive_shape, Sh.
    rewrite image_leaves by easy. rewrite <- tsize_shape, Sh. rewrite <- (map_id (iota (tsize t))) at 2.
    apply map_ext_in.
    intros i Hi. apply V. now apply in_iota. }
  intros P. unfold compact_layout, made. destruct right; rewrite <- tsize_shape.
  - rewrite (proj1 (make_layout_right_lex t)). unfold make_layout_right. rewrite leaves_reversed.
    assert (P' : tpositive (reversed_tuple t) = true).
    { apply tpositive_extents. rewrite extents_reversed. apply Forall_rev. now apply tpositive_extents. }
    rewrite (image_permutation _ (leaves (make_layout_left (reversed_tuple t)))); [|symmetry; apply Permutation_rev|].
    + rewrite left by easy. rewrite !tsize_extents, extents_reversed.
      assert (fold_right N.mul 1 (rev (extents t)) = fold_right N.mul 1 (extents t)) as ->; [|reflexivity].
      induction (extents t) as [|n l IH]; simpl; [easy|]. rewrite product_app, IH. simpl. lia.
    + apply (positive_permutation _ _ (Permutation_rev _)).
      change (shaped (make_layout_left (reversed_tuple t)) = true).
      now rewrite <- tpositive_shape, (proj1 (make_layout_left_colex _)).
  - rewrite left by easy. now rewrite (proj1 (make_layout_left_colex t)).
Qed.

(* tile_to_shape of a compact block takes 0 .. size-1, each once. *)
Theorem tile_to_shape_fills A s right R : tpositive s = true -> shaped A = true -> compact_layout A ->
  tile_to_shape A s right = Some R -> Permutation (image (leaves R)) (iota (size R)).
Proof.
  intros PS SA CA E. destruct (tile_parts A s right R E) as (B & c & C & X & Y & ls & ms & EB & Ec & EC & SC & EX & EY
    & P & O).
  pose proof (pad_rank _ _ _ EB) as RB.   pose proof (pad_shaped _ _ _ SA EB) as SB. pose proof (pad_compact _ _ _ SA
    CA EB) as CB.
  assert (SM : Forall (fun m => shaped m = true) (modes_of B)) by (destruct B; [now constructor|now apply shaped_node]).
  pose proof (shape_like_positive s c (copies_positive _ _ _ (sizes_positive s PS) SM Ec)) as Pc.
  assert (ShC : shaped C = true) by now rewrite <- tpositive_shape, SC.
  assert (CC : compact_layout C) by (rewrite EC; now apply made_compact).
  assert (CP : compact_layout (Node [B; Y])).
  { apply (compact_product B C); try easy. unfold logical_product. rewrite EX. cbn [bind]. now rewrite EY. }
  pose proof (paired_leaves _ _ _ P) as L.
  assert (flat_map leaves ls = leaves B /\ flat_map leaves ms = leaves Y) as [Lb Ly].
  { destruct O as [(O & _)|O]; injection O as -> ->; [cbn; now rewrite !app_nil_r|now rewrite <- !leaves_modes]. }
  rewrite Lb, Ly in L.
  assert (leaves (Node [B; Y]) = leaves B ++ leaves Y) as LP by (simpl; now rewrite app_nil_r).
  assert (SY : shaped Y = true) by now apply (composition_sound X C Y).
  unfold compact_layout in CP. rewrite LP, size_product, LP in CP.
  rewrite size_product, (numel_permutation _ _ L), <- CP.
  apply image_permutation; [exact L|]. apply (positive_permutation _ _ (Permutation_sym L)). rewrite positive_app.
  apply andb_true_iff. auto.
Qed.
