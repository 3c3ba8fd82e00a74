(* What one thread of a tiled MMA has: the places of its share, which depend on the strides of a tensor nowhere. *)
(* SPDX-License-Identifier: Apache-2.0 *)
From Colex Require Export Tiled_values.
Local Open Scope N_scope.

(* ---- The place of a thread. ---- *)

Lemma by_strides_inside v A c : shaped A = true -> idx2crd_by v A = Some c -> inside c (shape A) = true.
Proof.
  revert c. induction A as [s d|ms IH] using layout_induction; intros c S E; cbn [idx2crd_by] in E.
  - apply positive_cons in S as [Hs _]. destruct (N.eqb_spec s 1) as [->|]; [injection E as <-; easy|].
    destruct (d =? 0); [discriminate|]. injection E as <-. apply N.ltb_lt. cbn. apply N.mod_lt. lia.
  - destruct (sequence _) as [cs|] eqn:Q; [|discriminate]. injection E as <-. apply sequence_some in Q.
    apply shaped_node in S. unfold inside. cbn [shape]. apply faces_tuples. revert cs Q.
    induction IH as [|m ms Hm _ IH]; intros [|c cs] Q; try discriminate; [constructor|]. injection Q as Q1 Q2.
    apply Forall_cons_iff in S as [S1 S2]. cbn [map]. constructor; [now apply Hm|now apply IH].
Qed.

Lemma mode_coords_below ms v l : Forall (fun m => shaped m = true) ms -> mode_coords ms v = Some l ->
  Forall2 (fun i m => i < size m) l ms.
Proof.
  unfold mode_coords. revert l. induction ms as [|m ms IH]; intros l S E; [injection E as <-; constructor|].
  apply Forall_cons_iff in S as [S1 S2]. cbn [map sequence] in E.
  destruct (idx2crd_by v m) as [c|] eqn:Ec; [|discriminate]. cbn [bind] in E.
  pose proof (by_strides_inside v m c S1 Ec) as I.
  destruct (crd2idx_definition c (shape m) ltac:(now rewrite tpositive_shape) I) as [K L]. rewrite K in E.
  destruct (sequence _) as [k|] eqn:Ek; [|discriminate]. injection E as <-. rewrite tsize_shape in L.
  constructor; [exact L|now apply IH].
Qed.

(* The threads of an atom's layout are those of the tiling. *)
Definition threads_fit (t : tiled_mma) (x : operand) : bool :=
  shaped (vmnk t) && (size (first (thread_values (atom t) x)) =? atoms_along t 0).

Lemma thread_place_below t x i c : shaped (vmnk t) = true -> thread_place t x i = Some c ->
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in
  exists v a b, c = Tup [Int v; Tup [Int a; Int b]] /\ v < atoms_along t 0 /\ a < w /\ b < z.
Proof.
  intros S E. unfold thread_place in E. destruct (get_flat_coord (vmnk t) i) as [k|] eqn:G; [|discriminate].
  cbn [bind] in E. unfold atoms_along. destruct (vmnk t) as [s d|ms].
  - unfold get_flat_coord, get_hier_coord in G. cbn in G. destruct (s =? 1); [injection G as <-; discriminate|].
    destruct (d =? 0); [discriminate|]. injection G as <-. discriminate.
  - rewrite flat_coord_modes in G. destruct (mode_coords ms i) as [l|] eqn:EM; [|discriminate]. injection G as <-.
    apply shaped_node in S. pose proof (mode_coords_below ms i l S EM) as B. clear EM S.
    destruct B as [|v m0 l ms B0 B]; [discriminate|]. destruct B as [|a m1 l ms B1 B]; [discriminate|].
    destruct B as [|b m2 l ms B2 B]; [discriminate|]. destruct B as [|d m3 l ms B3 B]; [discriminate|].
    destruct B as [|? ? l ms _ B]; [|discriminate]. cbn [listed map] in E. injection E as <-. cbn [modes_of nth].
    destruct x; cbn [pair_of fst snd]; eauto 10.
Qed.

(* ---- The share. ---- *)

(* Of a matrix of m x n, and what lies behind it, the index of value j of the thread at (v, (a, b)). *)
Definition share_index (t : tiled_mma) (x : operand) (m n v a b j : N) : N :=
  let '(p, q) := pair_of x (of_m t) (of_n t) (of_k t) in
  let '(e, g) := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in
  let values := size (second (thread_values (atom t) x)) in let y := place_in_atom t x v (j mod values) in
  let k := j / values in let c := m / (e * w) in let d := n / (g * z) in
  along_mode p m e w (y mod e) a (k mod c) +
  m * (along_mode q n g z (y / e) b (k / c mod d) + n * (k / c / d)).
Definition share_size (t : tiled_mma) (x : operand) (m n k : N) : N :=
  let '(e, g) := pair_of x (rows (atom t)) (columns (atom t)) (steps (atom t)) in
  let '(w, z) := pair_of x (atoms_along t 1) (atoms_along t 2) (atoms_along t 3) in
  size (second (thread_values (atom t) x)) * (m / (e * w) * (n / (g * z) * k)).
Definition held_whole (t : tiled_mma) (x : operand) {D} `{module D} (A : layout D) : bool :=
  let '(p, q) := pair_of x (of_m t) (of_n t) (of_k t) in
  of_whole_tiles t x A && of_one_mode p && of_one_mode q && threads_fit t x.

Section Share.
Context {D : Type} `{module D}.
Notation layout := (Layout.layout D).

Lemma three_modes (x y : layout) ms i : shaped (Node (x :: y :: ms)) = true -> i < size (Node (x :: y :: ms)) ->
  apply (Node (x :: y :: ms)) i = apply x (i mod size x) +:
    (apply y (i / size x mod size y) +: apply (Node ms) (i / size x / size y)).
Proof.
  intros S Hi. apply shaped_node in S. inversion S as [|? ? Sx S']; subst. inversion S' as [|? ? Sy Ss]; subst.
  rewrite apply_cons. f_equal. destruct ms as [|k ms]; [|now rewrite apply_cons].
  pose proof (size_positive x Sx). pose proof (size_positive y Sy). cbn [size map fold_right] in Hi.
  change (apply (Node [y]) (i / size x)) with (apply y (i / size x)). cbn. rewrite plus_zero_r. f_equal.
  symmetry. apply N.mod_small. apply div_below; lia.
Qed.
Lemma three_below (x y : layout) ms i j k : shaped (Node (x :: y :: ms)) = true -> i < size x -> j < size y ->
  k < size (Node ms) -> i + size x * (j + size y * k) < size (Node (x :: y :: ms)) /\
  apply (Node (x :: y :: ms)) (i + size x * (j + size y * k)) = apply x i +: (apply y j +: apply (Node ms) k).
Proof.
  intros S Hi Hj Hk. assert (B : i + size x * (j + size y * k) < size (Node (x :: y :: ms))).
  { change (size (Node (x :: y :: ms))) with (size x * (size y * size (Node ms))). now repeat apply digits_below. }
  split; [exact B|]. rewrite three_modes by easy. now rewrite digit_mod, !digit_div, digit_mod by easy.
Qed.

Lemma share_values t x (A : layout) i v R : held_whole t x A = true -> partition_of t x A i = Some (v, R) ->
  exists m0 m1 ms r a b, A = Node (m0 :: m1 :: ms) /\ thread_place t x i = Some (Tup [Int r; Tup [Int a; Int b]]) /\
  size R = share_size t x (size m0) (size m1) (size (Node ms)) /\
  forall j, j < size R -> share_index t x (size m0) (size m1) r a b j < size A /\
  v +: apply R j = apply A (share_index t x (size m0) (size m1) r a b j).
Proof.
  unfold held_whole, share_index, share_size, threads_fit. intros W EP.
  destruct (thread_place t x i) as [c|] eqn:EC.
  2: { unfold partition_of in EP. destruct (thrfrg t x A); [|discriminate]. cbn [bind] in EP. now rewrite EC in EP. }
  destruct (thrfrg t x A) as [f|] eqn:EF; [|unfold partition_of in EP; now rewrite EF in EP].
  pose proof (thrfrg_values t x A f) as K. pose proof (thread_place_below t x i c) as C.
  destruct (pair_of x (of_m t) _ _) as [p q], (pair_of x (rows _) _ _) as [e g] eqn:Eeg,
    (pair_of x (atoms_along t 1) _ _) as [w z]. rewrite !andb_true_iff, N.eqb_eq in W.
  destruct W as [[[W Op] Oq] [SV Fit]]. destruct (C SV EC) as (r & a & b & -> & Hr & Ha & Hb). clear C.
  destruct (K W Op Oq EF) as (m0 & m1 & ms & T & U & a0 & a1 & b0 & b1 & -> & -> & SF & ZT & ZU & Za0 & Za1 & Zm & Zn &
    Pm & Pn & B & V). clear K.
  assert (SA : shaped (Node (m0 :: m1 :: ms)) = true).
  { unfold of_whole_tiles in W. rewrite !andb_true_iff in W. apply W. }
  apply shaped_node in SF. inversion SF as [|? ? _ SF']; subst. inversion SF' as [|? ? SQ _]; subst. clear SF SF'.
  rewrite (partition_of_at t x _ i _ _ U (Node (b0 :: b1 :: ms)) (apply T r +: (apply a0 a +: apply a1 b)) EF SQ EC)
    in EP.
  2: { cbn [apply_coordinate]. rewrite !apply_int. cbn [bind]. now rewrite !plus_zero_r. }
  injection EP as <- <-. exists m0, m1, ms, r, a, b. split; [easy|]. split; [easy|].
  pose proof (size_positive _ SQ) as PQ. pose proof (proj1 (share_value U _ 0 SQ PQ)) as ZR. rewrite ZR.
  apply shaped_node in SQ as SQ'. inversion SQ' as [|? ? SU SB]; subst. inversion SB as [|? ? SB' _]; subst. clear SB
    SQ'.
  apply shaped_node in SA as SA'. inversion SA' as [|? ? S0 SA1]; subst. inversion SA1 as [|? ? S1 Ss]; subst.
  pose proof (size_positive _ S0) as P0. pose proof (size_positive _ S1) as P1.
  assert (Zb0 : size b0 = size m0 / (e * size a0)) by (rewrite <- Zm, N.mul_assoc; symmetry; apply div_mul_cancel; nia).
  assert (Zb1 : size b1 = size m1 / (g * size a1)) by (rewrite <- Zn, N.mul_assoc; symmetry; apply div_mul_cancel; nia).
  rewrite <- Zb0, <- Zb1, <- ZU.
  split; [cbn [size map fold_right]; now rewrite N.mul_1_r|]. intros j Hj.
  rewrite (proj2 (share_value U _ j SQ Hj)).
  set (k := j / size U). pose proof (size_positive _ SU) as PU.
  assert (Hk : k < size (Node (b0 :: b1 :: ms))).
  { apply div_below; [easy|]. cbn [size map fold_right] in Hj |- *. now rewrite N.mul_1_r in Hj. }
  pose proof SB' as SB. apply shaped_node in SB'. inversion SB' as [|? ? Sb0 SB1]; subst.
  inversion SB1 as [|? ? Sb1 _]; subst. pose proof (size_positive _ Sb0) as Pb0. pose proof (size_positive _ Sb1) as
    Pb1.
  assert (Lu : j mod size U < size U) by (apply N.mod_lt; lia).
  assert (L0 : k mod size b0 < size b0) by (apply N.mod_lt; lia).
  assert (L1 : k / size b0 mod size b1 < size b1) by (apply N.mod_lt; lia).
  assert (L2 : k / size b0 / size b1 < size (Node ms)).
  { apply div_below; [easy|]. apply div_below; [easy|exact Hk]. }
  assert (Hr' : r < size T) by now rewrite ZT, Fit.
  specialize (V r (j mod size U) a b (k mod size b0) (k / size b0 mod size b1) Hr' Lu Ha Hb L0 L1).
  specialize (B r (j mod size U) Hr' Lu).
  set (y := place_in_atom t x r (j mod size U)) in *.
  assert (Hy0 : y mod e < e) by (apply N.mod_lt; nia). assert (Hy1 : y / e < g) by (apply div_below; nia).
  pose proof (along_below p (size m0) e (size a0) (size b0) (y mod e) a (k mod size b0) Pm Zm Hy0 Ha L0) as I0.
  pose proof (along_below q (size m1) g (size a1) (size b1) (y / e) b (k / size b0 mod size b1) Pn Zn Hy1 Hb L1) as I1.
  destruct (three_below m0 m1 ms _ _ _ SA I0 I1 L2) as [BA VA]. split; [exact BA|]. rewrite VA, (plus_assoc (apply m0
    _)), <- V.
  rewrite apply_cons. change (apply (Node [Node (b0 :: b1 :: ms)]) ?i) with (apply (Node (b0 :: b1 :: ms)) i). fold k.
  rewrite three_modes by easy. rewrite (plus_swap (apply a0 a)). rewrite (plus_swap (apply T r)). 
  rewrite <- !plus_assoc. reflexivity.
Qed.
End Share.

(* ---- The identity ---- *)

(* A share of A and the share of the tensor that counts A's shape, of the same thread. *)
Lemma share_follows {D} `{module D} t x (A : layout D) i v R n Q : held_whole t x A = true ->
  held_whole t x (make_layout_left (shape A)) = true -> partition_of t x A i = Some (v, R) ->
  partition_of t x (make_layout_left (shape A)) i = Some (n, Q) -> size R = size Q /\
  forall j, j < size Q -> n + apply Q j < size A /\ v +: apply R j = apply A (n + apply Q j).
Proof.
  intros WA WL EA EL. destruct (make_layout_left_colex (shape A)) as [Sh VL].
  destruct (share_values t x A i v R WA EA) as (m0 & m1 & ms & r & a & b & -> & EC & ZR & VR).
  destruct (share_values t x _ i n Q WL EL) as (l0 & l1 & ls & r' & a' & b' & E & EC' & ZQ & VQ).
  rewrite EC in EC'. injection EC' as <- <- <-. rewrite E in Sh, VL, VQ. cbn [shape map] in Sh. injection Sh as E0 E1
    Es.
  apply (f_equal tsize) in E0, E1. rewrite !tsize_shape in E0, E1.
  assert (Es' : size (Node ls) = size (Node ms)) by (rewrite <- !tsize_shape; cbn [shape]; now rewrite Es).
  rewrite E0, E1, Es' in ZQ. rewrite E0, E1 in VQ.
  assert (Z : size (Node (l0 :: l1 :: ls)) = size (Node (m0 :: m1 :: ms))).
  { change (size l0 * (size l1 * size (Node ls)) = size m0 * (size m1 * size (Node ms))). now rewrite E0, E1, Es'. }
  rewrite Z in VQ. split; [now rewrite ZR, ZQ|]. intros j Hj. destruct (VQ j Hj) as [B VQj].
  rewrite ZQ, <- ZR in Hj. destruct (VR j Hj) as [_ VRj].
  assert (P : tpositive (shape (Node (m0 :: m1 :: ms))) = true).
  { rewrite tpositive_shape. unfold held_whole, of_whole_tiles in WA. destruct (pair_of x (of_m t) _ _) as [p q].
    rewrite !andb_true_iff in WA. apply WA. }
  rewrite VL in VQj by (easy || now rewrite tsize_shape). cbn [plus naturals] in VQj. now rewrite VQj.
Qed.

(* What a thread has of the identity over S are the coordinates of what it has of the tensor that counts S. *)
Definition coordinates_of (s : tuple) (v : point N) (R : layout (point N)) (n : N) (Q : layout N) : Prop :=
  size R = size Q /\ forall j, j < size Q -> as_coordinate (v +: apply R j) s [] = idx2crd (n + apply Q j) s.
Lemma identity_share t x s i v R n Q : held_whole t x (make_identity_layout s) = true ->
  held_whole t x (make_layout_left s) = true -> partition_of t x (make_identity_layout s) i = Some (v, R) ->
  partition_of t x (make_layout_left s) i = Some (n, Q) -> coordinates_of s v R n Q.
Proof.
  intros WI WL EI EL. pose proof (share_follows t x (make_identity_layout s) i v R n Q WI) as K.
  rewrite (proj1 (make_identity_layout_paths s)) in K. destruct (K WL EI EL) as [Z V]. split; [easy|].
  intros j Hj. destruct (V j Hj) as [_ ->]. apply apply_identity.
Qed.

(* partition_A of the identity is at j the coordinate of what partition_A of the tensor that counts S is there. *)
Theorem partition_A_identity_coordinates t s i v R n Q : held_whole t Of_A (make_identity_layout s) = true ->
  held_whole t Of_A (make_layout_left s) = true -> partition_of t Of_A (make_identity_layout s) i = Some (v, R) ->
  partition_of t Of_A (make_layout_left s) i = Some (n, Q) -> coordinates_of s v R n Q.
Proof. apply identity_share. Qed.
(* Likewise of B. *)
Theorem partition_B_identity_coordinates t s i v R n Q : held_whole t Of_B (make_identity_layout s) = true ->
  held_whole t Of_B (make_layout_left s) = true -> partition_of t Of_B (make_identity_layout s) i = Some (v, R) ->
  partition_of t Of_B (make_layout_left s) i = Some (n, Q) -> coordinates_of s v R n Q.
Proof. apply identity_share. Qed.
(* Likewise of C. *)
Theorem partition_C_identity_coordinates t s i v R n Q : held_whole t Of_C (make_identity_layout s) = true ->
  held_whole t Of_C (make_layout_left s) = true -> partition_of t Of_C (make_identity_layout s) i = Some (v, R) ->
  partition_of t Of_C (make_layout_left s) i = Some (n, Q) -> coordinates_of s v R n Q.
Proof. apply identity_share. Qed.
